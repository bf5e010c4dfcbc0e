//! Two documents compared: hand numbers for every join, and the questions that carry one document to the other.

mod families;
mod headline;
mod joins;
mod operators;
mod orders;
pub(crate) mod questions;
