//! Panels of figures on one page: how much room each needs, and where it stands.

mod need;
mod place;

pub use need::{LONG, Need, are_side_by_side, of_figure};
pub use place::{Place, ROWS, TRACKS, place};
