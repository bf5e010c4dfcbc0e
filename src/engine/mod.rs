//! The front door: opens a bundle step by step, answers questions, draws pictures; the worker around it.

pub mod compare;
pub(crate) mod files;
pub(crate) mod front;
pub mod headline;
pub(crate) mod opening;
mod parameters;
pub mod picture;
mod prepare;
pub(crate) mod report;
pub(crate) mod rows;
#[cfg(target_arch = "wasm32")]
pub mod worker;

pub use files::FileWriter;
pub use front::catalog;
pub use opening::Need;
