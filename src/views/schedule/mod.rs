//! Schedule: which unit ran which block, and when.

#[cfg(feature = "engine")]
pub mod ask;
pub mod compute;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
#[cfg(feature = "engine")]
pub mod picture;
pub mod scene;
