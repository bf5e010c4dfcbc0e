//! Lifetimes: how long data live in caches, and which memory cells would hold them.

#[cfg(feature = "engine")]
pub mod ask;
pub mod compute;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
pub mod scene;
