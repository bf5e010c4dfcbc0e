//! The page for release: built by Trunk, made smaller, sealed.

pub mod build;
pub mod offline;
pub mod seal;
pub mod shrink;
mod split;
pub mod weight;
