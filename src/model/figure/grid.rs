//! Grids: cores, matrices, heat maps.

use super::{AxisLabel, Number};
use crate::base::unit::Unit;
use crate::base::words::Message;
use serde::{Deserialize, Serialize};

/// Cores, each with a few named cells colored by how far they are from the others of their kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreGrid {
    /// Unit of the values.
    pub unit: Unit,
    /// The cores, in order of their number.
    pub cores: Vec<CoreRow>,
    /// Whether the values are differences of two documents: then 0 is the middle of the colors, not the mean.
    pub is_difference: bool,
    /// Whether levels decide the colors, not the distance from the mean.
    #[serde(default)]
    pub is_by_level: bool,
}

/// One core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreRow {
    /// Its number or name.
    pub name: String,
    /// Whether it was measured; cores of the chip that took no part are shown empty.
    pub is_measured: bool,
    /// Its cells, the same kinds in the same order for every core.
    pub cells: Vec<CoreCell>,
}

/// One cell of a core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreCell {
    /// Kind: "cube", "vector0", …
    pub name: String,
    pub value: Number,
    /// 0 to 10, 4 to 6 is average of its kind.
    pub level: Option<u8>,
    /// Baseline and comparison, when the value is their difference.
    pub pair: Option<(Number, Number)>,
    /// Names of tracks of the timeline that may show what it did, the likeliest first; empty when there is none.
    #[serde(default)]
    pub tracks: Vec<String>,
}

/// Rows × columns of numbers with totals: layers by phases, blocks by types, channels by banks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    pub row_name: String,
    pub column_name: String,
    /// Unit of the numbers.
    pub unit: Unit,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells, row by row.
    pub cells: Vec<MatrixCell>,
    /// Sum of each row as the analysis defines it; empty when sums mean nothing.
    pub row_totals: Vec<Number>,
    /// Sum of each column.
    pub column_totals: Vec<Number>,
    /// The second values of the sums of rows and of columns, where they have them.
    #[serde(default)]
    pub seconds_of_totals: [Vec<Number>; 2],
    /// What [`MatrixCell::second`] is, such as "total" or "baseline"; empty when no cell has one.
    pub second_name: String,
    /// Whether cells are colored by their value: against 100 for percent, else against the largest of their column.
    pub is_shaded: bool,
    /// What stands where a number is missing, as those who made the numbers write it; empty for the usual sign.
    #[serde(default)]
    pub missing: String,
    /// Units of the columns when they differ; then each column is a heat table of its own scale, without bars of shares.
    /// Empty when [`Matrix::unit`] holds for all.
    pub column_units: Vec<Unit>,
}

impl Matrix {
    /// Unit of a column.
    pub fn unit_of(&self, column: usize) -> &Unit {
        self.column_units.get(column).unwrap_or(&self.unit)
    }
}

/// One cell of a matrix.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatrixCell {
    pub value: Number,
    /// A second value beside it, such as the total beside the self time, or the baseline.
    pub second: Number,
    /// How many rows it is made of; 0 when unknown.
    pub count: u64,
    /// What it leads to, as [`super::Target::of_place`] reads it; empty when nothing.
    #[serde(default)]
    pub place: String,
    /// Remarks of this one number.
    #[serde(default)]
    pub notes: Vec<Message>,
}

/// Which colors a heat map takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ramp {
    /// Counts, time, density.
    #[default]
    Seq,
    /// Cost.
    Heat,
    /// Better and worse around 0.
    Div,
}

/// How the values of a heat map become colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shading {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors.
    Log,
    /// Five shades, each for a fifth of the cells that are not 0 (of their band).
    Quintiles,
}

/// What several values are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fold {
    /// Their sum: counts.
    #[default]
    Sum,
    /// Their mean: shares.
    Mean,
    /// The largest: peaks.
    Max,
}

/// A named range of rows of a heat map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Its name, such as a tensor's.
    pub name: String,
    /// What hovering and the legend say beyond the name, such as shape and type.
    pub detail: String,
    /// First row.
    pub start: u32,
    /// First row after.
    pub end: u32,
}

/// One axis of a heat map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Name, unit and division.
    pub label: AxisLabel,
    /// Value at the first edge of the first cell.
    pub from: f64,
    /// Value at the last edge of the last cell.
    pub to: f64,
    /// Names of the cells, when they have names instead of values.
    pub names: Vec<String>,
}

/// Many cells colored by value. Row 0 is at the top unless `is_upward`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatMap {
    pub x: Axis,
    pub y: Axis,
    /// Whether row 0 is at the bottom (addresses).
    pub is_upward: bool,
    /// Unit of the values.
    pub unit: Unit,
    /// Cells in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Values row by row; NaN is missing, 0 is the ground. Stays in the worker when there are many.
    #[serde(with = "sparse_floats")]
    pub values: Vec<f32>,
    pub ramp: Ramp,
    /// How values become colors.
    pub shading: Shading,
    /// What several cells under one pixel are together.
    pub fold: Fold,
    /// Named ranges of rows, each with a color of its own, such as tensors; a row belongs to the first that holds it.
    pub bands: Vec<Band>,
    /// Row of the band of each cell, row by row, where bands share rows; empty where rows tell. Stays where it is drawn.
    #[serde(skip)]
    pub cell_bands: Vec<u32>,
    /// Where the ramp ends; `None` takes the largest value.
    pub full: Number,
    /// Sums of each column and row are drawn at the margins.
    pub has_margins: bool,
    /// Id of the long table whose row i has all that is known of cell i, row by row; empty when there is none.
    pub table: String,
    /// Name of the column of that table with the addresses of the instructions behind a cell, as
    /// [`ranges`](super::ranges) reads them; empty when there is none.
    #[serde(default)]
    pub addresses: String,
}

impl HeatMap {
    /// A value in the precision of cells, which is enough for a color; what is missing is NaN. Exact numbers stand in
    /// the table of the cells.
    pub fn cell(value: Option<f64>) -> f32 {
        value.map_or(f32::NAN, |v| v as f32)
    }
}

/// JSON has no NaN: missing values are null there.
mod sparse_floats {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(values: &[f32], to: S) -> Result<S::Ok, S::Error> {
        if !to.is_human_readable() {
            return values.serialize(to);
        }
        let values: Vec<Option<f32>> = values.iter().map(|v| v.is_finite().then_some(*v)).collect();
        values.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f32>, D::Error> {
        if !from.is_human_readable() {
            return Vec::deserialize(from);
        }
        let values = Vec::<Option<f32>>::deserialize(from)?;
        Ok(values.into_iter().map(|v| v.unwrap_or(f32::NAN)).collect())
    }
}
