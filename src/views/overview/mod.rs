//! Overview: what it is, where the time goes, what limits it, and how one sees that.

#[cfg(feature = "engine")]
pub mod ask;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
