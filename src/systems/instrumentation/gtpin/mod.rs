//! `GTPin`: what its sample tools write.

pub(super) mod memory;
pub(super) mod text;
