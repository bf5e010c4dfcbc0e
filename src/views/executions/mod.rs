//! Trace: what each thread of a launch ran, and where lanes drop out.

#[cfg(feature = "engine")]
pub mod ask;
pub mod compute;
pub mod messages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
pub mod scene;
