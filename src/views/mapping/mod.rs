//! The dialog of mappings: what the columns of an unknown log mean.

#[cfg(feature = "engine")]
pub mod ask;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
