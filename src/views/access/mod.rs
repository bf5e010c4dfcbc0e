//! Accesses: which addresses were accessed, in what order.

#[cfg(feature = "engine")]
pub mod ask;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
pub mod scene;
