//! The compute workload of all blocks at once: heat tables of blocks × names, and tables of every value.

use super::load::{Entry, PERCENT, SECTION, block_name, block_order, grouped, unit_of};
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::Sink;
use crate::model::figure::{
    Axis, AxisLabel, Body, Choice, Family, Figure, HeatMap, Matrix, MatrixCell, Ramp, ScaleKind,
};
use crate::model::{Table, TableCells, TableColumn};

/// Most blocks and names whose numbers are written; of more there are only colors.
const NUMBERED: usize = 64;
/// Most cells for each value: every block has the same names, but in damaged files.
const SPARSE: usize = 16;

/// What one heat table shows: its name, its unit, and which value of an entry.
type Part<'a> = (String, Unit, Box<dyn Fn(&Entry) -> Option<f64> + 'a>);

/// Adds heat tables and values of 0x06: one for each unit, and the cycles.
pub(super) fn graph(values: &[Entry], sink: &mut Sink) {
    let mut parts = parts(values);
    if values.iter().any(|v| v.cycles.is_some()) {
        parts.push((phrase("Cycles").to_owned(), Unit::Cycles, Box::new(|entry: &Entry| entry.cycles)));
    }
    let title = phrase("Pipe utilization of all blocks");
    push("compute-workload-blocks", title, phrase("Utilization as"), values, &parts, sink);
    if !values.is_empty() {
        let has_units = values.iter().any(|v| v.unit != PERCENT);
        let title = phrase("Pipe utilization, all values");
        let table = listing("compute-workload-values", title, values, has_units);
        sink.builder.head().tables.push(table);
    }
}

/// Adds heat tables and values of 0x07: one for each unit.
pub(super) fn table(values: &[Entry], sink: &mut Sink) {
    let title = phrase("Workload of all blocks");
    push("compute-workload-table-blocks", title, phrase("Workload as"), values, &parts(values), sink);
    if !values.is_empty() {
        let title = phrase("Workload, all values");
        sink.builder.head().tables.push(listing("compute-workload-table-values", title, values, true));
    }
}

/// The values of each unit; what most values are of comes first.
fn parts(values: &[Entry]) -> Vec<Part<'static>> {
    let mut units: Vec<Option<u8>> = values.iter().map(|v| v.unit).collect();
    order::sort_by_key(&mut units, |unit| *unit);
    units.dedup();
    order::sort_by_key(&mut units, |unit| {
        std::cmp::Reverse(values.iter().filter(|v| v.unit == *unit).count())
    });
    let part = |unit: Option<u8>| -> Part<'static> {
        let (name, shown) = unit_of(unit);
        (name.to_owned(), shown, Box::new(move |entry| entry.value.filter(|_| entry.unit == unit)))
    };
    units.into_iter().map(part).collect()
}

/// Adds a heat table in a variant for each part, when there is more than one block.
fn push(id: &str, title: &str, choice: &str, values: &[Entry], parts: &[Part], sink: &mut Sink) {
    let mut blocks = grouped(values.iter(), |v| &v.block);
    order::sort_by(&mut blocks, |a, b| block_order(a.0, b.0));
    if blocks.len() < 2 {
        return;
    }
    let tables = parts.iter().filter_map(|part| Some((part.0.clone(), heat_table(&blocks, part)?)));
    let (options, bodies): (Vec<String>, Vec<Body>) = tables.unzip();
    if bodies.is_empty() {
        return;
    }
    let variants = bodies.into_iter().map(|body| Figure::new(title, body)).collect();
    let choices =
        if options.len() < 2 { Vec::new() } else { vec![Choice { name: choice.to_owned(), options }] };
    sink.builder.head().figures.push(Family {
        id: id.to_owned(),
        section: SECTION.to_owned(),
        title: title.to_owned(),
        choices,
        variants,
    });
}

/// Blocks × names; where types of blocks share a name it stands behind the type. `None` when hardly any cell would have a
/// value: that is no table.
fn heat_table(blocks: &[(&str, Vec<&Entry>)], (_, unit, value): &Part) -> Option<Body> {
    let shown = || blocks.iter().flat_map(|(_, values)| values).filter(|v| value(v).is_some());
    let mut columns: Vec<(&str, &str)> = Vec::new();
    let mut places: Map<(&str, &str), usize> = Map::default();
    let mut kinds: Map<&str, &str> = Map::default();
    let mut shared: Map<&str, bool> = Map::default();
    for entry in shown() {
        let key = (entry.kind.as_str(), entry.name.as_str());
        places.entry(key).or_insert_with(|| {
            columns.push(key);
            columns.len() - 1
        });
        let first = *kinds.entry(key.1).or_insert(key.0);
        *shared.entry(key.1).or_insert(false) |= first != key.0;
    }
    let column_name = |(kind, name): &(&str, &str)| {
        if shared.get(name) == Some(&true) { format!("{kind} {name}") } else { (*name).to_owned() }
    };
    if SPARSE * (shown().count() + 64) < blocks.len().saturating_mul(columns.len()) {
        return None;
    }
    let is_small = blocks.len() <= NUMBERED && columns.len() <= NUMBERED;
    let mut cells = vec![MatrixCell::default(); blocks.len() * columns.len()];
    for (row, (_, values)) in blocks.iter().enumerate() {
        for entry in values {
            let Some(column) = places.get(&(entry.kind.as_str(), entry.name.as_str())) else { continue };
            if let (Some(v), Some(cell)) = (value(entry), cells.get_mut(row * columns.len() + column)) {
                cell.value = Some(v);
            }
        }
    }
    let rows = blocks.iter().map(|(block, _)| block_name(block).to_owned()).collect();
    let columns = columns.iter().map(column_name).collect();
    let matrix = Matrix {
        row_name: phrase("Block ID").to_owned(),
        unit: unit.clone(),
        rows,
        columns,
        cells,
        is_shaded: true,
        ..Matrix::default()
    };
    Some(if is_small { Body::Matrix(matrix) } else { Body::HeatMap(heat_map(matrix)) })
}

/// The same as colors.
fn heat_map(matrix: Matrix) -> HeatMap {
    let axis = |name: &str, names: Vec<String>| Axis {
        label: AxisLabel { name: name.to_owned(), unit: Unit::None, scale: ScaleKind::Linear },
        from: 0.0,
        to: names.len() as f64,
        names,
    };
    let size = |names: &[String]| u32::try_from(names.len()).unwrap_or(u32::MAX);
    HeatMap {
        width: size(&matrix.columns),
        height: size(&matrix.rows),
        values: matrix.cells.iter().map(|c| HeatMap::cell(c.value)).collect(),
        full: (matrix.unit == Unit::Percent).then_some(100.0),
        unit: matrix.unit,
        x: axis("", matrix.columns),
        y: axis("Block ID", matrix.rows),
        ramp: Ramp::Seq,
        ..HeatMap::default()
    }
}

/// Every value of the block of data, in its order.
fn listing(id: &str, title: &str, values: &[Entry], has_units: bool) -> Table {
    let text = |name: &str, of: fn(&Entry) -> String| TableColumn {
        name: name.to_owned(),
        unit: Unit::None,
        cells: TableCells::Texts(values.iter().map(of).collect()),
    };
    let number = |name: &str, unit: Unit, of: fn(&Entry) -> Option<f64>| TableColumn {
        name: name.to_owned(),
        unit,
        cells: TableCells::Numbers(values.iter().map(|v| of(v).unwrap_or(f64::NAN)).collect()),
    };
    let mut columns = vec![
        text(phrase("Name"), |v| v.name.clone()),
        text(phrase("Block ID"), |v| block_name(&v.block).to_owned()),
        text(phrase("Block type"), |v| v.kind.clone()),
    ];
    let quantity = columns.len();
    if has_units {
        columns.push(text(phrase("Quantity"), |v| unit_of(v.unit).0.to_owned()));
    }
    let unit = if has_units { Unit::None } else { Unit::Percent };
    columns.push(number(phrase("Value"), unit, |v| v.value));
    if values.iter().any(|v| v.cycles.is_some()) {
        columns.push(number(phrase("Cycles"), Unit::Cycles, |v| v.cycles));
    }
    let phrases = if has_units { vec![quantity] } else { Vec::new() };
    Table { phrases, ..Table::new(id, title, columns) }
}
