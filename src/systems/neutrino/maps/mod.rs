//! Any map: statistics of its fields, how their values are spread, two of them against each other, and sums by block and by
//! SM; where the meaning of the fields is known, what follows from it.

pub(super) mod figures;
pub(super) mod sums;

use super::folder::Folder;
use super::result::{ResultFile, Section};
use super::{Walk, counters};
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::base::job::{Job, Turn};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::export::columns::{ColumnData, ColumnFormat, DataColumn, columns_in_parts};
use crate::export::{Export, ExportInput, Parts};
use crate::model::Trace;
use crate::model::figure::{
    Axis, AxisLabel, Body, Cell, Choice, Figure, Fold, HeatMap, TableColumn, TableFigure,
};
use crate::model::parameter::{Parameter, ParameterKind};
use crate::systems::neutrino::result::Field;
use figures::{chosen_field, column, field_names, figure, nothing, order};
use std::io::{Error, Result};
use std::rc::Rc;
pub(super) use sums::MapSums;
use sums::Stat;

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-maps",
    title: phrase("Map records"),
    parameters: &[&RECORDS],
    applies: |trace| trace.extensions.get::<Folder>().is_some_and(|folder| folder.result.is_some()),
    tap: None,
    start: Some(|input, trace| {
        let is_whole = input.values.text(RECORDS.id) == Some("all");
        Job::any(async move |turn| add(&trace, is_whole, &turn).await)
    }),
    add_tracks: None,
    faults: None,
    figures: list,
    advice: None,
    is_comparable: true,
};

/// Which records of large maps are looked at.
static RECORDS: Parameter = Parameter {
    id: "neutrino-records",
    title: phrase("Large maps"),
    help: phrase("maps of more than 256 MiB: read evenly spaced parts, or all records"),
    kind: ParameterKind::Choice(&[("parts", phrase("Evenly spaced parts")), ("all", phrase("All records"))]),
    rereads: false,
};

/// Bytes of a map of which all records are looked at in any case.
const WHOLE: u64 = 256 << 20;

/// The result: the maps in the order of the file.
pub(super) type Sums = Vec<MapSums>;

/// The maps one after the other, some records at a time.
async fn add(trace: &Trace, is_whole: bool, turn: &Turn) -> Sums {
    let mut all = Vec::new();
    let Some(file) = trace.extensions.get::<Folder>().and_then(|folder| folder.result.as_ref()) else {
        return all;
    };
    for section in &file.sections {
        let (mut walk, mut sums) = (Walk::of_all(file, section), MapSums::new(file, section));
        let skip = if is_whole { 0 } else { parts(section) };
        loop {
            let before = walk.at();
            let is_more = walk.read(&mut |record| sums.add(file, &record)).unwrap_or(false);
            let read = walk.at() - before;
            sums.seen += read;
            walk.skip(read.saturating_mul(skip));
            if !is_more {
                break;
            }
            turn.pause().await;
        }
        sums.meaning.finish();
        all.push(sums);
    }
    all
}

/// How many pieces are passed over for each that is read.
fn parts(section: &Section) -> u64 {
    (section.units.saturating_mul(section.unit_bytes) / WHOLE).saturating_sub(1)
}

/// The map that a figure is about, behind the prefix of its id.
pub(super) fn of_id<'a>(input: &AnalysisInput<'a>, id: &str, prefix: &str) -> Option<&'a MapSums> {
    let name = id.strip_prefix(prefix)?;
    input.result::<Sums>()?.iter().find(|sums| sums.section.map.name == name)
}

/// The result file of the document.
pub(super) fn file<'a>(input: &AnalysisInput<'a>) -> Option<&'a ResultFile> {
    input.trace.extensions.get::<Folder>()?.result.as_ref()
}

/// The head of a figure of a map.
pub(super) fn head(
    (prefix, title, kind): (&str, &str, &'static str),
    sums: &MapSums,
    columns: u8,
    choices: Vec<Choice>,
) -> FigureHead {
    let id = format!("{prefix}{}", sums.section.map.name);
    FigureHead { id, title: title.to_owned(), kind, section: phrase("Map records"), columns, choices }
}

fn list(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some((maps, file)) = input.result::<Sums>().zip(file(input)) else { return Vec::new() };
    let of_map = |sums: &MapSums| {
        let of_meaning = counters::figures(sums);
        let general = figures::list(sums).into_iter().chain(block_list(file, sums));
        of_meaning.into_iter().chain(general).collect::<Vec<_>>()
    };
    maps.iter().filter(|sums| 0 < sums.records).flat_map(of_map).collect()
}

// The written records of a map as columns: block, unit and record, then the fields in the order of memory.

/// Text.
pub(crate) static MAP_CSV: Export = Export {
    id: "map-csv",
    title: phrase("Map records as CSV"),
    suffix: "map.csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can,
    write: |input, map| write(input, map, ColumnFormat::Csv),
};

/// An Arrow IPC file.
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(crate) static ARROW: Export = Export {
    id: "arrow",
    title: phrase("Map records as Arrow"),
    suffix: "arrow",
    mime: "application/vnd.apache.arrow.file",
    takes_argument: true,
    parameters: &[],
    can,
    write: |input, map| write(input, map, ColumnFormat::Arrow),
};

/// A Parquet file.
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(crate) static PARQUET: Export = Export {
    id: "parquet",
    title: phrase("Map records as Parquet"),
    suffix: "parquet",
    mime: "application/vnd.apache.parquet",
    takes_argument: true,
    parameters: &[],
    can,
    write: |input, map| write(input, map, ColumnFormat::Parquet),
};

fn can(input: &ExportInput) -> bool {
    result_of(input.trace).is_some_and(|file| !file.sections.is_empty())
}

fn result_of(trace: &Trace) -> Option<&ResultFile> {
    trace.extensions.get::<Folder>()?.result.as_ref()
}

/// The map of this name; the first without one.
fn find<'a>(trace: &'a Trace, map: &str) -> Result<(&'a ResultFile, &'a Section)> {
    let file = result_of(trace).ok_or_else(|| Error::other("There is no result file."))?;
    let found = file.sections.iter().find(|section| map.is_empty() || section.map.name == map);
    let names = || file.sections.iter().map(|s| s.map.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = found.ok_or_else(|| Error::other(format!("Unknown map {map}; available: {}.", names())))?;
    Ok((file, found))
}

fn write(input: &ExportInput, map: &str, format: ColumnFormat) -> Result<Parts> {
    let (_, section) = find(input.trace, map)?;
    let (trace, map) = (Rc::clone(input.trace), section.map.name.clone());
    let place = |name: &str| DataColumn { name: name.to_owned(), data: ColumnData::U64(Vec::new()) };
    let of_field = |field: &Field| DataColumn {
        name: field.name.clone(),
        data: match field.width {
            4 => ColumnData::U32(Vec::new()),
            _ if field.is_signed() => ColumnData::I64(Vec::new()),
            _ => ColumnData::U64(Vec::new()),
        },
    };
    let columns =
        ["block", "unit", "record"].map(place).into_iter().chain(section.map.fields.iter().map(of_field));
    Ok(columns_in_parts(format, columns.collect(), async move |columns, turn| {
        let (file, section) = find(&trace, &map)?;
        let mut walk = Walk::of_all(file, section);
        loop {
            let more = walk.read(&mut |record| {
                let (block, unit) = file.place(section, record.unit);
                let values = section.map.fields.iter().map(|field| field.value(record.bytes));
                columns.push([block, unit, record.index].into_iter().chain(values));
            });
            if !more.map_err(|why| Error::other(why.0))? {
                break;
            }
            turn.pause().await;
        }
        Ok(())
    }))
}

// Sums of a map by block, over the grid and as a table, and by SM.

const GRID: &str = "neutrino-grid-";
const BLOCKS: &str = "neutrino-blocks-";
const SMS: &str = "neutrino-sms-";

/// What is shown of the values of a block.
const VALUES: [&str; 4] = [phrase("Sum"), phrase("Mean"), phrase("Minimum"), phrase("Maximum")];
/// Blocks in a row of the picture, where a grid has one row of them.
const WRAP: u64 = 128;

fn block_list(file: &ResultFile, sums: &MapSums) -> Vec<ComputedFigure> {
    let field = || Choice { name: phrase("Field").to_owned(), options: field_names(sums, &order(sums)) };
    let values = || Choice {
        name: phrase("Value").to_owned(),
        options: VALUES.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut all = Vec::new();
    if 1 < file.blocks() {
        let grid = (GRID, phrase("Values by block"), "heat-map");
        let blocks = (BLOCKS, phrase("Blocks"), "table");
        let choices = vec![field(), values()];
        all.push(ComputedFigure { head: head(grid, sums, 2, choices), compute: grid_of });
        all.push(ComputedFigure { head: head(blocks, sums, 1, vec![field()]), compute: blocks_of });
    }
    if !sums.sms.is_empty() {
        let sms = (SMS, phrase("Values by SM"), "table");
        all.push(ComputedFigure { head: head(sms, sums, 1, vec![field()]), compute: sms_of });
    }
    all
}

fn grid_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some((sums, file)) = of_id(input, id, GRID).zip(file(input)) else { return nothing() };
    let Some((at, field)) = chosen_field(sums, chosen) else { return nothing() };
    let which = chosen.get(1).copied().unwrap_or(0);
    let [grid_x, grid_y, grid_z] = file.grid.map(u64::from);
    // Blocks with common sums, and grids of one row, stand in rows in the order of their numbers.
    let is_wrapped = 1 < sums.group || (grid_y == 1 && grid_z == 1 && WRAP < grid_x);
    let groups = file.blocks().div_ceil(sums.group);
    let width = if is_wrapped { WRAP.min(groups) } else { grid_x };
    let height = if is_wrapped { groups.div_ceil(width.max(1)) } else { grid_y.saturating_mul(grid_z) };
    let has_value = which != 0 || field.has_sum();
    let value = |cell: u64| {
        let stat = sums.of_group(usize::try_from(cell).ok()?).get(at)?;
        stat.number(&field, which).filter(|_| has_value)
    };
    let cells = (0..width.saturating_mul(height)).map(|cell| HeatMap::cell(value(cell)));
    let axis = |name: &str, n: u64, each: u64| Axis {
        label: AxisLabel { name: name.to_owned(), ..AxisLabel::default() },
        from: 0.0,
        to: n as f64 * each as f64,
        names: Vec::new(),
    };
    let (x_name, y_name) = match () {
        () if is_wrapped => (phrase("Block in row"), phrase("First block of row")),
        () if 1 < grid_z => ("blockIdx.x", "blockIdx.y + gridDim.y · blockIdx.z"),
        () => ("blockIdx.x", "blockIdx.y"),
    };
    let (each_x, each_y) = if is_wrapped { (sums.group, sums.group * width) } else { (1, 1) };
    let map = HeatMap {
        x: axis(x_name, width, each_x),
        y: axis(y_name, height, each_y),
        unit: field.unit(),
        width: u32::try_from(width).unwrap_or(u32::MAX),
        height: u32::try_from(height).unwrap_or(u32::MAX),
        values: cells.collect(),
        fold: [Fold::Sum, Fold::Mean, Fold::Mean, Fold::Max].get(which).copied().unwrap_or_default(),
        ..HeatMap::default()
    };
    let mut figure = figure(sums, Body::HeatMap(map));
    figure.scope = format!("{}, {}", figure.scope, field.name);
    if !has_value {
        let note = message("{field} has no sum: choose the mean, the minimum or the maximum.");
        figure.notes.push(note.with("field", &field.name));
    }
    note_groups(sums, &mut figure);
    figure
}

/// Says when blocks share sums.
fn note_groups(sums: &MapSums, figure: &mut Figure) {
    if 1 < sums.group {
        figure.notes.push(message("Each value covers {n} adjacent blocks.").with("n", sums.group));
    }
}

/// A table of sums, one row for each; the first columns name it.
fn table(names: Vec<TableColumn>, field: &Field, rows: Vec<(Vec<Cell>, &Stat)>) -> TableFigure {
    let key_columns = names.len();
    let records = column(phrase("Records"), Unit::Count(phrase("records").to_owned()), false);
    let from = usize::from(!field.has_sum());
    let values = VALUES.iter().enumerate().skip(from);
    let values = values.map(|(at, name)| column(name, field.unit(), at == 0));
    let row = |(mut cells, stat): (Vec<Cell>, &Stat)| {
        cells.push(Cell::Integer(stat.n));
        cells.extend(stat.cells(field).into_iter().skip(from));
        cells
    };
    TableFigure {
        columns: names.into_iter().chain([records]).chain(values).collect(),
        rows: rows.into_iter().map(row).collect(),
        key_columns,
        ..TableFigure::default()
    }
}

fn blocks_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some((sums, file)) = of_id(input, id, BLOCKS).zip(file(input)) else { return nothing() };
    let Some((at, field)) = chosen_field(sums, chosen) else { return nothing() };
    let groups = sums.blocks.len() / sums.fields.len().max(1);
    let rows = (0..groups).filter_map(|group| {
        let stat = sums.of_group(group).get(at).filter(|stat| 0 < stat.n)?;
        let [x, y, z] = file.block_at(group as u64 * sums.group);
        Some((vec![Cell::Text(format!("{x}, {y}, {z}"))], stat))
    });
    let name = column(phrase("Block"), Unit::None, false);
    let mut figure = figure(sums, Body::Table(table(vec![name], &field, rows.collect())));
    figure.scope = format!("{}, {}", figure.scope, field.name);
    note_groups(sums, &mut figure);
    figure
}

fn sms_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(sums) = of_id(input, id, SMS) else { return nothing() };
    let Some((at, field)) = chosen_field(sums, chosen) else { return nothing() };
    let mut sms: Vec<(u64, &Stat)> =
        sums.sms.iter().filter_map(|(sm, stats)| Some((*sm, stats.get(at)?))).collect();
    order::sort_by_key(&mut sms, |(sm, _)| *sm);
    let rows = sms.into_iter().map(|(sm, stat)| (vec![Cell::Integer(sm)], stat)).collect();
    let name = column(phrase("SM"), Unit::None, false);
    let mut figure = figure(sums, Body::Table(table(vec![name], &field, rows)));
    figure.scope = format!("{}, {}", figure.scope, field.name);
    figure
}

// How values are spread, counted in one pass: bins of one width, a power of two, which doubles whenever the values do not
// fit; and a fair sample of records for what has to be sorted.

/// Bins that are kept: a figure shows fewer.
const BINS: usize = 4096;

/// Counts of values by bins of equal width.
#[derive(Clone, Default)]
pub struct Spread {
    /// The width of a bin is 2 to this power.
    shift: u32,
    /// Number of the first bin: its values begin at `first << shift`.
    first: u64,
    /// First and last bin that is not empty, by number.
    used: Option<(u64, u64)>,
    counts: Vec<u64>,
}

impl Spread {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let mut bin = value >> self.shift;
        let is_inside = self.used.is_some_and(|_| self.first <= bin && bin - self.first < BINS as u64);
        if !is_inside {
            bin = self.make_room(value);
        }
        if let Some(count) = self.counts.get_mut(index(bin - self.first)) {
            *count += 1;
        }
        let (low, high) = self.used.unwrap_or((bin, bin));
        self.used = Some((low.min(bin), high.max(bin)));
    }

    /// Bins that are not empty: number and count.
    fn filled(&self) -> impl Iterator<Item = (u64, u64)> {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| 0 < **count);
        filled.map(|(at, count)| (self.first + at as u64, *count))
    }

    /// Moves and widens the bins until one of them holds the value; returns its number.
    fn make_room(&mut self, value: u64) -> u64 {
        let Some((mut low, mut high)) = self.used else {
            self.counts = vec![0; BINS];
            self.first = (value >> self.shift).saturating_sub(BINS as u64 / 2);
            return value >> self.shift;
        };
        let mut join = 0;
        let end = |shift: u32, number: u64, pick: fn(u64, u64) -> u64| pick(number, value >> shift);
        while BINS as u64 <= end(self.shift + join, high, u64::max) - end(self.shift + join, low, u64::min) {
            (low, high, join) = (low >> 1, high >> 1, join + 1);
        }
        let bin = value >> (self.shift + join);
        // Both ends are less than all bins apart.
        let first = low.min(bin);
        let first = if bin < low { high.saturating_sub(BINS as u64 - 1) } else { first };
        let mut moved = vec![0; BINS];
        for (number, count) in self.filled() {
            if let Some(place) = moved.get_mut(index((number >> join) - first)) {
                *place += count;
            }
        }
        (self.first, self.counts, self.shift) = (first, moved, self.shift + join);
        self.used = Some((low, high));
        bin
    }

    /// Counts in at most `n` bins, with the edges of the bins: one more than counts.
    pub fn bins(&self, n: usize) -> (Vec<u64>, Vec<u64>) {
        let Some((low, high)) = self.used else { return Default::default() };
        // Bins of a power of two at multiples of it, so that edges are round in binary as widths are.
        let mut join = 0;
        while n as u64 <= (high >> join) - (low >> join) {
            join += 1;
        }
        let (from, to) = (low >> join, high >> join);
        let shift = self.shift + join;
        // The edge behind the last value may not fit.
        let edge = |at| u64::try_from((u128::from(from) + at) << shift).unwrap_or(u64::MAX);
        let mut counts = vec![0; index(to - from + 1)];
        for (number, count) in self.filled() {
            if let Some(sum) = counts.get_mut(index((number >> join) - from)) {
                *sum += count;
            }
        }
        ((0..=u128::from(to - from + 1)).map(edge).collect(), counts)
    }
}

/// A place in a list; beyond the end of every list when it does not fit.
pub(crate) fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Rows of numbers, each as likely to be among them as any other.
pub struct Sample {
    width: usize,
    room: usize,
    seen: u64,
    state: u64,
    values: Vec<u64>,
}

impl Sample {
    /// A sample of at most `room` rows of `width` numbers.
    pub fn new(width: usize, room: usize) -> Self {
        Self { width, room, seen: 0, state: 0x9e37_79b9_7f4a_7c15, values: Vec::new() }
    }

    /// Shows it the next row.
    #[inline]
    pub fn add(&mut self, row: &[u64]) {
        self.seen += 1;
        if self.seen <= self.room as u64 {
            self.values.extend_from_slice(row);
            return;
        }
        // xorshift64*: the same sample of the same file each time.
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let random = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let at = ((u128::from(random) * u128::from(self.seen)) >> 64) as u64;
        if at < self.room as u64 {
            let from = index(at) * self.width;
            if let Some(old) = self.values.get_mut(from..from + self.width) {
                old.copy_from_slice(row);
            }
        }
    }

    /// Whether every row is among them.
    pub fn is_all(&self) -> bool {
        self.seen <= self.room as u64
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// The numbers of a column, ascending.
    pub fn sorted(&self, column: usize) -> Vec<u64> {
        let mut all: Vec<u64> = self.rows().filter_map(|row| row.get(column).copied()).collect();
        all.sort_unstable();
        all
    }
}

/// The value below which this share of sorted values lies; of an even number of values the median is the mean of two.
#[allow(clippy::cast_possible_truncation)] // places in a list, and parts of a distance
pub fn quantile(sorted: &[u64], share: f64) -> Option<u64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    let (low, high) = (*sorted.get(low)?, *sorted.get(high)?);
    Some(low.saturating_add(((high - low) as f64 * place.fract()) as u64))
}
