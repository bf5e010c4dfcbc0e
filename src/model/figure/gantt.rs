//! Bars on lanes over a common axis: block schedules, lifetimes, flame graphs.

use super::AxisLabel;
use serde::{Deserialize, Serialize};

/// Bars on lanes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gantt {
    /// Horizontal axis.
    pub x: AxisLabel,
    /// Lanes from the top; lanes of one group stand together.
    pub lanes: Vec<GanttLane>,
    /// Bars in any order.
    pub bars: Vec<GanttBar>,
    /// What the color of a bar means; empty when bars are colored by name.
    pub value: AxisLabel,
    /// Whether every lane is one level of nesting (a flame graph): rows are taller and labels are drawn in bars.
    pub is_nested: bool,
    /// Whether the time from the last bar of a group to the end is shown at the right.
    pub has_idle: bool,
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GanttLane {
    /// Its group, such as "SM 4".
    pub group: String,
    /// Its name inside the group; may be empty.
    pub name: String,
}

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GanttBar {
    /// Row of [`Gantt::lanes`].
    pub lane: u32,
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Name.
    pub name: String,
    /// Value that decides the color; `None` colors by name.
    pub value: Option<f64>,
}
