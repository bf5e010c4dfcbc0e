//! Accesses of one kernel by address and time: they stay in the file, and what is seen of them is read from there again.
//!
//! ```text
//! AccessSource ──▶ AddressReader ──▶ AddressGrid (how many of each status, cell by cell of what is seen)
//!                      │         └─▶ Follow      (single lifetimes, where few enough sectors are seen)
//!                      └ marks: cycles of stretches of the file, so that a window reads no more than it needs
//! ```

mod follow;
mod grid;
mod reader;
mod status;

pub use follow::{Bar, Follow, Touch};
pub use grid::{AddressGrid, GridCell};
pub use reader::{AddressReader, Subject, Wanted};
pub use status::{STATUSES, Status};
