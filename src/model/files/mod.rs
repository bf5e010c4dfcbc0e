//! What files are made of: blocks of containers, operators of projects.

pub mod block;
pub mod operator;
