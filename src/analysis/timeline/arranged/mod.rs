//! How the user arranged the tracks: laid later or earlier, and put into one row.

mod apart;
mod shifts;
mod stacks;

pub use apart::Placed;
pub(super) use shifts::Shifts;
pub(super) use stacks::Stacks;
