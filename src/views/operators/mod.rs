//! Project: how the operators of a project compare.

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
