//! Panels of figures on one page: how much room each needs, and where it stands.

pub mod need;
pub mod place;

pub use need::{Need, are_side_by_side, of_figure};
pub use place::{Place, ROWS, TRACKS, place};
