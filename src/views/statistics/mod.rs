//! Statistics: where the time went, and what host and device did.

#[cfg(feature = "engine")]
pub mod ask;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
