//! Tables of the files.

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
