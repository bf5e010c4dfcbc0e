//! What a person has set on a figure while looking at it: never part of the data, only of its drawing.

use serde::{Deserialize, Serialize};

/// How a figure is being looked at. The default shows all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FigureState {
    /// Places of the marks after dragging; empty leaves them where the figure has them.
    pub marks: Vec<f64>,
    /// Series that are switched off, by number.
    pub hidden: Vec<usize>,
    /// Draws the cumulative share instead of counts; `None` does as the figure says.
    pub is_cumulative: Option<bool>,
    /// The part of the horizontal axis that is shown, 0 to 1; `None` is all.
    pub x_window: Option<(f64, f64)>,
    /// The part of the vertical axis that is shown, 0 to 1 from the top; `None` is all.
    pub y_window: Option<(f64, f64)>,
    /// Where the pointer is, in CSS pixels of the drawing: the place read out is marked.
    pub pointer: Option<(f32, f32)>,
}
