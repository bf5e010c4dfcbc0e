//! Words of the help's examples.

pub(super) mod zh_lessons;
