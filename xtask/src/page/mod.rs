//! The page for release: built by Trunk, made smaller, sealed.

pub mod build;
pub mod seal;
mod sha256;
pub mod shrink;
