//! Text that is more than a node: a layer of it over a picture, names that are cut in the middle, and text that changes with every frame.

pub mod layer;
pub mod name;
pub mod throttle;
