//! Binary instrumentation: accesses over address and block number (a million cells), and the plan of buffers.

use lanescope::base::unit::Unit;
use lanescope::model::figure::{
    Axis, AxisLabel, Body, Cell, Figure, Fold, HeatMap, Ramp, ScaleKind, Shading, TableColumn, TableFigure,
};

/// Cells on a side.
pub(crate) const SIDE: u32 = 1024;

/// The value of a cell: a diagonal of work, a busy first page, one hot cell, one missing row.
pub(crate) fn value(x: u32, y: u32) -> f32 {
    if y == 1023 {
        return f32::NAN;
    }
    if (x, y) == (700, 300) {
        return 4096.0;
    }
    let is_diagonal = x / 4 == y / 4;
    if y < 8 { 2.0 } else { f32::from(u8::from(is_diagonal)) * (1.0 + (x % 7) as f32) }
}

pub(crate) fn heat_map() -> Figure {
    let values = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| value(x, y))).collect();
    let label = |name: &str, unit: Unit| AxisLabel { name: name.into(), unit, scale: ScaleKind::Linear };
    let map = HeatMap {
        x: Axis { label: label("block number", Unit::None), from: 0.0, to: 1024.0, names: Vec::new() },
        y: Axis {
            label: label("address", Unit::Address),
            from: 4096.0,
            to: 4096.0 + 1024.0 * 64.0,
            names: Vec::new(),
        },
        is_upward: true,
        unit: Unit::Count("accesses".into()),
        width: SIDE,
        height: SIDE,
        values,
        ramp: Ramp::Seq,
        shading: Shading::Log,
        fold: Fold::Sum,
        has_margins: true,
        ..HeatMap::default()
    };
    Figure { scope: "accesses by 64 B line".into(), ..Figure::new("Memory accesses", Body::HeatMap(map)) }
}

pub(crate) fn buffers() -> Figure {
    let column = |name: &str, unit: Unit, has_bar: bool| TableColumn {
        name: name.into(),
        unit,
        has_bar,
        ..TableColumn::default()
    };
    let row = |buffer: &str, kind: &str, planned: f64, capacity: f64, used: Cell| {
        let text = |t: &str| Cell::Text(t.into());
        vec![text(buffer), text(kind), Cell::Number(planned), Cell::Number(capacity), used]
    };
    let table = TableFigure {
        columns: vec![
            column("Buffer", Unit::None, false),
            column("Record", Unit::None, false),
            column("Planned", Unit::Bytes, false),
            column("Capacity", Unit::Bytes, false),
            column("Used", Unit::Percent, true),
        ],
        rows: vec![
            row("0", "memory", 1_048_576.0, 1_048_576.0, Cell::Number(99.6)),
            row("1", "block", 65_536.0, 131_072.0, Cell::Number(42.5)),
            row("2", "flow", 4_096.0, 8_192.0, Cell::Missing),
        ],
        key_columns: 2,
        ..TableFigure::default()
    };
    Figure {
        notes: vec!["One buffer for each type of record.".into()],
        ..Figure::new("Buffers", Body::Table(table))
    }
}
