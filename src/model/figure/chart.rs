//! Charts with axes: bars, histograms, scatters, lines, rooflines.

use super::{AxisLabel, Number};
use crate::base::unit::Unit;
use serde::{Deserialize, Serialize};

/// Horizontal bars.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// Unit of the values.
    pub unit: Unit,
    /// Where a full bar ends; `None` takes the largest value.
    pub full: Number,
    /// Names of the parts; empty when every bar has one part.
    pub parts: Vec<String>,
    /// Colors of the parts by their number in the palette of slices; those of series where it is empty.
    pub colors: Vec<u8>,
    /// Whether the parts are baseline and comparison of one quantity instead of parts of a sum.
    pub is_comparison: bool,
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub name: String,
    /// Values of its parts, one when bars are not stacked.
    pub values: Vec<Number>,
    /// Whether it is work or waiting; decides the color.
    pub role: BarRole,
    /// What hovering tells beyond the value, such as "47,000 cycles".
    pub detail: String,
}

/// Work is colored, waiting is gray.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BarRole {
    /// Work; the color follows the name.
    Work,
    /// Work in the color that its kind has everywhere, by its number in the palette of slices.
    Colored(u8),
    /// Waiting, idle, stalled.
    Wait,
}

/// Counts by value, one or more series over common edges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The value axis.
    pub x: AxisLabel,
    pub count_unit: Unit,
    /// Edges of the bins, ascending; one more than bins.
    pub edges: Vec<f64>,
    /// Series drawn over each other.
    pub series: Vec<HistogramSeries>,
    /// Marks on the value axis, with the share below.
    pub marks: Vec<Mark>,
    /// Whether the marks may be dragged.
    pub can_move_marks: bool,
    /// Whether to draw the cumulative share instead of counts.
    pub is_cumulative: bool,
}

/// One series of a histogram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistogramSeries {
    pub name: String,
    /// Counts, one a bin.
    pub counts: Vec<f64>,
    /// The values that were counted, where they are few: a comparison counts them anew. Empty where they are not at hand.
    #[serde(default)]
    pub values: Vec<f64>,
}

/// A named value on an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Its name, such as "p50" or "retention of silicon".
    pub name: String,
    pub value: f64,
}

/// Points over two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    pub x: AxisLabel,
    pub y: AxisLabel,
    /// Series by color.
    pub series: Vec<ScatterSeries>,
    /// Colors of the series by their number in the palette of slices; those of series where it is empty.
    pub colors: Vec<u8>,
}

/// Points of one color.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScatterSeries {
    pub name: String,
    pub points: Vec<PlotPoint>,
}

/// One point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlotPoint {
    pub x: f64,
    pub y: f64,
    /// What hovering says; may be empty.
    pub name: String,
}

/// Lines over common axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineChart {
    pub x: AxisLabel,
    pub y: AxisLabel,
    pub lines: Vec<Line>,
    /// Marks on the horizontal axis.
    pub marks: Vec<Mark>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub name: String,
    /// Horizontal values, ascending.
    pub x: Vec<f64>,
    /// Vertical values; `None` is a gap.
    pub y: Vec<Number>,
    /// Whether a value holds until the next (steps) or is joined by straight lines.
    pub is_stepped: bool,
}

/// Rooflines: performance over arithmetic intensity, log by log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Roofline {
    /// Horizontal axis, Ops/Byte.
    pub x: AxisLabel,
    /// Vertical axis, TOps/s.
    pub y: AxisLabel,
    pub roofs: Vec<Roof>,
    /// How many of the first of them are of the baseline, when two documents are compared; else 0.
    #[serde(default)]
    pub n_baseline: usize,
}

/// One slope with its ceiling and the measured point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    pub bandwidth_name: String,
    /// Slope: y = bandwidth · x.
    pub bandwidth: f64,
    pub ceiling_name: String,
    pub ceiling: f64,
    /// What was measured.
    pub point: Option<RoofPoint>,
}

impl Roof {
    /// What the roof allows at this intensity: the lower of slope and ceiling.
    pub fn limit(&self, intensity: f64) -> f64 {
        self.ceiling.min(self.bandwidth * intensity)
    }

    /// Whether the bandwidth limits at this intensity: left of the ridge.
    pub fn is_memory_bound(&self, intensity: f64) -> bool {
        self.bandwidth * intensity < self.ceiling
    }

    /// The share of what the roof allows that was reached, as the file says or computed; 0 without a point.
    pub fn reached(&self) -> f64 {
        let share = |p: &RoofPoint| p.share.unwrap_or(p.y / self.limit(p.x));
        self.point.as_ref().map(share).filter(|share| share.is_finite()).unwrap_or(0.0)
    }

    /// Name of what limits at the measured point: the bandwidth left of the ridge, else the ceiling.
    pub fn limit_name(&self) -> &str {
        let is_memory_bound = self.point.as_ref().is_none_or(|p| self.is_memory_bound(p.x));
        if is_memory_bound || self.ceiling_name.is_empty() {
            &self.bandwidth_name
        } else {
            &self.ceiling_name
        }
    }
}

/// A measured point of a roofline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoofPoint {
    /// Arithmetic intensity.
    pub x: f64,
    /// Performance.
    pub y: f64,
    /// Share of what the roof allows at x, 0 to 1.
    pub share: Number,
    /// Whether the share was computed, because the file has none.
    pub is_share_computed: bool,
}
