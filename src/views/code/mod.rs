//! Source: lines and instructions side by side, with what they cost.

#[cfg(feature = "engine")]
pub mod ask;
#[cfg(feature = "engine")]
mod compare;
#[cfg(feature = "engine")]
pub mod listings;
pub mod messages;
#[cfg(feature = "engine")]
pub mod origins;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
pub mod scene;
