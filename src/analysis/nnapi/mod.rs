//! What marks of the NNAPI contract mean.

pub mod aosp;
