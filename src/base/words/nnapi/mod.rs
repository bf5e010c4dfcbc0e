//! Words of Android's NNAPI: layers, phases, and the examples of its contract.

pub(super) mod zh_lessons;
pub(super) mod zh_marks;
