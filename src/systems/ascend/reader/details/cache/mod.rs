//! Cache lines as maps of 128 cells in a row: 0x0E as JSON, 0x0B as records of eight numbers.
//!
//! Cell i of a map is row i of a table that has all numbers of the line, so that hovering and choosing a cell find them.

mod lines;
mod records;

pub(in crate::systems::ascend::reader) use lines::cache_lines;
pub(in crate::systems::ascend::reader) use records::CacheRecords;

use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{
    Axis, AxisLabel, Body, Choice, Family, Figure, Fold, HeatMap, Ramp, ScaleKind, Shading,
};

/// The panel of these figures.
const SECTION: &str = "Cache";
/// Cells in a row, as the vendor's viewer has it.
const WIDTH: usize = 128;
/// What the cells of a map can show.
const SHOWN: [&str; 2] = [phrase("Share"), phrase("Count")];

/// What a map shows of each line; NaN is missing.
struct Values {
    id: &'static str,
    title: &'static str,
    shares: Vec<f32>,
    counts: Vec<f32>,
    /// Cost, such as misses, or mere numbers.
    ramp: Ramp,
    /// Name of the column of the table with the addresses behind a cell; empty when there is none.
    addresses: &'static str,
}

/// A map of shares and one of counts to choose from; cells are rows of the table with this id.
fn maps(values: Values, table: &str) -> Family {
    let Values { id, title, shares, counts, ramp, addresses } = values;
    let variants = [
        (shares, Unit::Share, Some(1.0), Fold::Max),
        (counts, Unit::Count("events".to_owned()), None, Fold::Sum),
    ];
    let variants = variants.into_iter().map(|(values, unit, full, fold)| {
        let figure = Figure::new(
            title,
            Body::HeatMap(HeatMap {
                unit,
                ramp,
                fold,
                full,
                addresses: addresses.to_owned(),
                ..map(values, table)
            }),
        );
        Figure { scope: phrase("128 lines per row").to_owned(), ..figure }
    });
    Family {
        id: id.to_owned(),
        section: SECTION.to_owned(),
        title: title.to_owned(),
        choices: vec![Choice {
            name: phrase("Cells show").to_owned(),
            options: SHOWN.map(str::to_owned).to_vec(),
        }],
        variants: variants.collect(),
    }
}

fn map(mut values: Vec<f32>, table: &str) -> HeatMap {
    let width = values.len().clamp(1, WIDTH);
    let height = values.len().div_ceil(width);
    values.resize(width * height, f32::NAN);
    let axis = |name: &str, n: usize| Axis {
        label: AxisLabel { name: name.to_owned(), unit: Unit::None, scale: ScaleKind::Linear },
        from: 0.0,
        to: n as f64,
        names: Vec::new(),
    };
    HeatMap {
        x: axis(phrase("Column"), width),
        y: axis(phrase("Row"), height),
        width: u32::try_from(width).unwrap_or(u32::MAX),
        height: u32::try_from(height).unwrap_or(u32::MAX),
        values,
        shading: Shading::Linear,
        table: table.to_owned(),
        ..HeatMap::default()
    }
}
