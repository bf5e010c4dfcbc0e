//! From dropped things to bytes with addresses: sources, bundles, archives, text and JSON with offsets.
//!
//! Everything here treats its bytes as hostile: no panic, no allocation by a number from the file.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

pub mod bundle;
pub mod cached;
pub mod cursor;
#[cfg(not(target_arch = "wasm32"))]
pub mod disk;
pub mod json;
pub mod limits;
pub(crate) mod packed;
pub mod reader;
pub mod source;
pub mod unpack;
mod zip;
