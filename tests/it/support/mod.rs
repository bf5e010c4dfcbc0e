//! What several parts of the tests need: ways in, real profiles, ways to damage, fixtures that are made, slow twins,
//! memory that is counted.

pub(crate) mod corpus;
#[allow(dead_code)] // each part of the tests uses some of it
pub(crate) mod front_door;
pub(crate) mod make_accesses;
pub(crate) mod make_ascend;
pub(crate) mod make_project;
pub(crate) mod make_systrace;
pub(crate) mod make_trace;
pub(crate) mod memory;
pub(crate) mod mutate;
pub(crate) mod naive;
#[allow(dead_code)] // each part of the tests uses some of it
pub(crate) mod rows;
