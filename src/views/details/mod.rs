//! Details: figures of what was measured.

#[cfg(feature = "engine")]
mod advice;
#[cfg(feature = "engine")]
pub mod ask;
#[cfg(feature = "engine")]
pub mod compare;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
