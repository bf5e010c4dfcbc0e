//! JSON with offsets, for readers of text formats: whole values, one object's members, and streamed arrays.
//!
//! Three ways in, from small to large:
//! * [`parse`] makes a tree of a whole text that is already in memory (a block of a container, one event).
//! * [`scan`] finds where values end, without building them; it knows "cut" from "damaged".
//! * [`stream::Walk`] walks a text that arrives in chunks and stops at each element of one array.
//!
//! All three take damaged text as far as it goes. Numbers stay text: nobody loses digits here.
//! Facts: RFC 8259; beyond it are accepted NaN, Infinity, trailing commas and a byte order mark.

mod pass;
pub mod scan;
mod serialize;
pub mod stream;
pub mod text;
pub mod value;
pub mod window;
mod word;

pub use serialize::Digits;
pub use value::{Json, JsonError, parse};
