//! Report: how files were read, and what is wrong with them.

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
