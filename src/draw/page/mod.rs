//! Panels of figures on one page: how much room each needs, and where it stands.

pub mod flat;
mod need;
pub mod place;

pub use need::{LONG, Need, SUBJECTS, are_side_by_side, of_figure, of_open_figure};
pub use place::{Place, ROWS, TRACKS, place};
