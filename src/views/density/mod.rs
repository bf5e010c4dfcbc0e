//! Heat map: accesses by page and clock.

#[cfg(feature = "engine")]
pub mod ask;
pub mod compute;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
