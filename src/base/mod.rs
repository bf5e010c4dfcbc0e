//! Words used everywhere: time, unit, number text, fault, geometry, terms, languages, jobs. Knows nothing of traces or of the web.

pub mod brief;
pub mod fault;
pub mod geometry;
pub mod job;
pub mod map;
pub mod names;
pub mod number;
pub mod order;
pub mod pairs;
pub mod pieces;
pub mod sort;
pub mod terms;
pub mod time;
pub mod unit;
pub mod visible;
pub mod window;
pub mod words;
