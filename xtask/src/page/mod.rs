//! The page: built by Trunk for release and by ourselves for work, made smaller, sealed.

pub mod assemble;
pub mod build;
pub mod offline;
pub mod seal;
pub mod shrink;
mod split;
pub mod weight;
