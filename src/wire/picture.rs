//! Pictures of views that are saved: what the page shows of a view.

use super::Frame;
use crate::base::geometry::Size;
use serde::{Deserialize, Serialize};

/// What the page shows of a view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewPicture {
    /// Id of the view.
    pub view: String,
    /// Pictures that stand beside each other, from the left, with their sizes. Where there are none, all of the view is
    /// drawn.
    pub panes: Vec<(Frame, Size)>,
    /// What is chosen of figures: names of choices, and their options.
    pub chosen: Vec<(String, String)>,
    /// Whether figures are shown as they were joined with a baseline.
    pub is_compared: bool,
}
