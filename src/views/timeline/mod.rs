//! Timeline: what ran when, and what waited.

pub mod area;
#[cfg(feature = "engine")]
pub mod ask;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
pub mod scene;
#[cfg(feature = "engine")]
pub mod seen;
