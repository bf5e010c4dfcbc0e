//! Questions about memory accesses: one by one, and counted by page and clock.

pub(super) mod access;
pub(super) mod density;
