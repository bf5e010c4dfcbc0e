//! 0x01 source text, 0x03 source lines, 0x04 instructions: from blocks to listings with links.
//!
//! Lines and instructions belong together by the address ranges of the lines, both ends included; and, in files whose
//! instructions have version 0, also by the place that is written with each instruction ("path:line", split at the last
//! colon, since paths may have colons).

mod build;
mod columns;
mod files;
mod instructions;
pub mod split;

pub(crate) use build::ADDRESSES;
pub(super) use build::{Built, build};
pub(super) use files::{FilesRead, FilesReader};
pub(super) use instructions::{Assembly, InstructionsReader};

use super::field::Within;
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::job::Turn;
use crate::base::order;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::input::json::scan::{Members, blanks, is_end, unquoted};
use crate::input::json::{Json, parse};
use crate::model::code::{
    Cells, CodeScope, Column, ColumnStyle, Counts, Lines, Listing, Parts, RegisterUse, Rows,
};
use crate::systems::ascend::reader::field::number;
use columns::{Budget, Columns, Data, Dtypes, Growing};
use files::LineMetrics;
use std::borrow::Cow;
use std::mem::take;
use std::rc::Rc;

/// What the blocks with code held, until all of them were read.
#[derive(Default)]
pub(super) struct Collected {
    texts: Vec<(String, Lines)>,
    cores: Vec<String>,
    metrics: Vec<LineMetrics>,
    assembly: Option<Assembly>,
    /// Where the lines are, for faults about them.
    within_files: Option<Within>,
    /// Where the instructions are, for faults about links.
    within: Option<Within>,
    has_places: bool,
}

impl Collected {
    /// Adds the text of a source.
    pub(super) fn source(&mut self, path: &str, bytes: &[u8], within: &Within, sink: &mut Sink) {
        let text = String::from_utf8_lossy(bytes);
        if let Err(error) = std::str::from_utf8(bytes) {
            let mut place = within.place("");
            place.byte = Some(within.byte + error.valid_up_to() as u64);
            let fault = Fault::new("ASC-TEXT", Severity::Note, place, Kind::NotText);
            sink.fault(fault.note("Invalid bytes are shown as �."));
        }
        self.texts.push((path.to_owned(), Lines::split(&text)));
    }

    /// Adds the metrics of source lines.
    pub(super) fn files(&mut self, read: FilesRead, within: Within, sink: &mut Sink) {
        let FilesRead { cores, metrics, faults } = read;
        sink.faults_of(faults);
        if self.cores.is_empty() {
            self.cores = cores;
        }
        self.metrics = metrics;
        self.within_files = Some(within);
    }

    /// Adds the instructions; `version` is the version byte of their block.
    pub(super) fn instructions(
        &mut self,
        (assembly, faults): (Assembly, Vec<Fault>),
        version: u8,
        within: Within,
        sink: &mut Sink,
    ) {
        sink.faults_of(faults);
        if !assembly.cores.is_empty() {
            self.cores.clone_from(&assembly.cores);
        }
        self.has_places = version == 0;
        self.assembly = Some(assembly);
        self.within = Some(within);
    }
}

/// One source with what links it.
struct Source {
    listing: Listing,
    /// Line number of each record.
    line: Vec<u32>,
    ranges: Vec<(u32, std::ops::RangeInclusive<u64>)>,
}

impl Source {
    fn new(path: String, lines: Option<Lines>) -> Self {
        let has_text = lines.is_some();
        let (lines, language) = (lines.unwrap_or_default(), language(&path));
        let listing = Listing { has_text, ..Listing::source(path, CodeScope::default(), language, lines) };
        Self { listing, line: Vec::new(), ranges: Vec::new() }
    }

    /// Gives the lines their metrics. A line behind the text gets an empty row, as long as `extra` rows are left; the
    /// first line that gets none is returned.
    fn add_metrics(&mut self, columns: Vec<Column>, metrics: LineMetrics, extra: &mut u32) -> Option<u32> {
        let n_lines = u32::try_from(self.listing.lines.len()).unwrap_or(u32::MAX);
        let last = n_lines.saturating_add(*extra);
        let wanted = metrics.line.iter().copied().filter(|&l| l <= last).max().unwrap_or(0).max(n_lines);
        *extra -= wanted - n_lines;
        for _ in n_lines..wanted {
            self.listing.lines.push("");
        }
        let mut record_of_row = vec![Rows::NONE; wanted as usize];
        for (record, &line) in (0u32..).zip(&metrics.line) {
            let row = (line as usize).checked_sub(1);
            // When a line stands twice the first one counts, as its cells may not be added up (rates, maxima).
            if let Some(slot) = row.and_then(|r| record_of_row.get_mut(r)).filter(|r| **r == Rows::NONE) {
                *slot = record;
            }
        }
        let few: Rc<[u32]> = record_of_row.into();
        self.listing.columns = columns.into_iter().map(|c| spread(c, &few)).collect();
        let beyond = metrics.line.iter().copied().find(|&l| wanted < l);
        self.line = metrics.line;
        self.ranges = metrics.ranges;
        beyond
    }
}

/// The same column, its records at the rows that have one.
fn spread(mut column: Column, few: &Rc<[u32]>) -> Column {
    match &mut column.cells {
        Cells::Numbers { rows, .. } | Cells::Texts { rows, .. } | Cells::Parts { rows, .. } => {
            *rows = Rows::Few(Rc::clone(few));
        }
        Cells::Registers { values } => {
            let mut old = std::mem::take(values);
            // Each record has one row at most.
            let row = |&record: &u32| old.get_mut(record as usize).map(std::mem::take).unwrap_or_default();
            *values = few.iter().map(row).collect();
        }
    }
    column
}

/// The language of a source by the end of its name.
fn language(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("py") => "python",
        Some("cpp" | "cc" | "cxx" | "c" | "h" | "hpp" | "hxx" | "cce" | "asc" | "inl") => "cpp",
        _ => "",
    }
}

/// Names of the cores.
fn cores(json: &Json) -> Vec<String> {
    json.items().iter().map(|core| core.as_text().unwrap_or("").to_owned()).collect()
}

/// The table of types; `rows` is the name of the list it is for.
fn dtypes(json: &Json, rows: &str) -> Dtypes {
    let table = json.get(rows).unwrap_or(json);
    table.members().iter().filter_map(|(name, dtype)| Some((name.to_string(), dtype.as_i64()?))).collect()
}

/// A hexadecimal number, with or without its prefix.
fn hexadecimal(text: &str) -> Option<u64> {
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").or(digits.strip_prefix("0X")).unwrap_or(digits);
    u64::from_str_radix(digits, 16).ok()
}

/// Says which columns have values of another type, and whether some were left out.
fn report_columns(within: &Within, columns: &Settled, budget: &Budget, faults: &mut Vec<Fault>) {
    for name in &columns.mistyped {
        let fault = within.odd(name, "values of the column type", "mixed types");
        faults.push(fault.note("Shown as missing."));
    }
    if columns.is_full {
        let what = Cow::Borrowed("metric column cells");
        let kind = Kind::Limit { what, asked: budget.spent + budget.refused, allowed: budget.spent };
        let fault = Fault::new("ASC-LIMIT", Severity::Loss, within.place(""), kind);
        faults.push(fault.note("Some values are not shown: there are far more than the data can contain."));
    }
}

// Cells of metric columns: what a value says, and how a column of this name is shown.

/// How numbers of a column are shown, and their unit: by the names that the writers use.
fn shown_as(name: &str, dtype: Option<i64>, is_percent: bool) -> (ColumnStyle, Unit) {
    match name {
        "Cycles" => (ColumnStyle::Bar, Unit::Cycles),
        _ if name.ends_with("Cycles") => (ColumnStyle::Plain, Unit::Cycles),
        "Instructions Executed" => (ColumnStyle::Plain, Unit::Count("instructions".to_owned())),
        "Process Bytes" => (ColumnStyle::Plain, Unit::Bytes),
        "GPR Count" | "Gpr Count" | "RegisterNum" => {
            (ColumnStyle::Plain, Unit::Count("registers".to_owned()))
        }
        "L2Cache Hit Rate" => (ColumnStyle::Share, Unit::Percent),
        _ if dtype == Some(4) || is_percent => (ColumnStyle::Share, Unit::Percent),
        _ => (ColumnStyle::Plain, Unit::None),
    }
}

/// What a column of this name counts.
fn counted_as(name: &str) -> Option<Counts> {
    match name {
        "Instructions Executed" => Some(Counts::Executions),
        "Cycles" => Some(Counts::Cycles),
        _ => name.starts_with("Stall Sampling").then_some(Counts::Stalls),
    }
}

/// A share with its parts.
fn parts(value: &Json) -> Parts {
    let share = value.get("Percent").and_then(Json::as_f64).filter(|v| 0.0 <= *v);
    let details = value.get("Details").map_or(&[][..], Json::members);
    let part = |(name, count): &(std::borrow::Cow<str>, Json)| Some((name.to_string(), count.as_f64()?));
    Parts { share, parts: details.iter().filter_map(part).collect() }
}

/// Registers of one instruction; state 0 is space and left out.
fn registers(value: &Json) -> Vec<RegisterUse> {
    let one = |item: &Json| {
        let state = item.get("regStatus").and_then(Json::as_i64).and_then(|s| u8::try_from(s).ok())?;
        let life = item.get("survivalTime").and_then(Json::as_i64).unwrap_or(0);
        let name = item.get("regIndex").and_then(Json::as_text)?.to_owned();
        let life = u32::try_from(life).unwrap_or(0);
        (1..=4).contains(&state).then_some(RegisterUse { name, life, state })
    };
    value.items().iter().filter_map(one).collect()
}

// Rows as they nearly always are, read without making a tree of them: names, texts, numbers, lists of numbers. Half a
// million instructions are read in a third of the time.
//
// What is not as usual is refused before anything is taken from it: then the row becomes a tree like any other JSON.

/// One member of a row.
pub struct Member<'a> {
    pub name: &'a str,
    pub value: Value<'a>,
}

/// Its value.
pub enum Value<'a> {
    /// A text or a number.
    Plain(Json<'a>),
    /// A list of numbers, with its brackets.
    Numbers(&'a [u8]),
    /// Anything else that is whole JSON.
    Tree(Json<'a>),
}

/// The members of a row; `None` when it is not whole JSON, or has texts with escapes.
pub fn flat_members(text: &[u8]) -> Option<Vec<Member<'_>>> {
    let mut all = Members::new(text);
    let mut list = Vec::with_capacity(16);
    for (name, raw) in all.by_ref() {
        list.push(Member { name: plain(name)?, value: value(raw)? });
    }
    all.is_whole().then_some(list)
}

/// A text without escapes.
fn plain(raw: &[u8]) -> Option<&str> {
    let text = unquoted(raw);
    if text.contains(&b'\\') { None } else { std::str::from_utf8(text).ok() }
}

fn value(raw: &[u8]) -> Option<Value<'_>> {
    match raw.first()? {
        b'"' => Some(Value::Plain(Json::String(plain(raw)?.into()))),
        b'0'..=b'9' | b'-' if token(raw)? == raw.len() => {
            Some(Value::Plain(Json::Number(std::str::from_utf8(raw).ok()?)))
        }
        b'[' if numbers(raw, |_| {}).is_some() => Some(Value::Numbers(raw)),
        _ => {
            let (json, errors) = parse(raw, 0);
            errors.is_empty().then_some(Value::Tree(json))
        }
    }
}

/// How long the number is that the bytes begin with: digits, with a sign and a point at most.
fn token(bytes: &[u8]) -> Option<usize> {
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let digits = |at: usize| {
        let rest = bytes.get(at..).unwrap_or(&[]);
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let whole = digits(sign);
    if whole == 0 {
        return None;
    }
    let end = sign + whole;
    if bytes.get(end) != Some(&b'.') {
        return Some(end);
    }
    let fraction = digits(end + 1);
    (0 < fraction).then_some(end + 1 + fraction)
}

/// Hands over the numbers of a list, negative ones as NaN; `None` when it holds anything else.
pub fn numbers(raw: &[u8], mut each: impl FnMut(f64)) -> Option<()> {
    let mut at = blanks(raw, 1);
    if raw.get(at) == Some(&b']') {
        return Some(());
    }
    loop {
        let rest = raw.get(at..)?;
        let len = token(rest)?;
        let text = rest.get(..len)?;
        if !rest.get(len).is_some_and(|&b| is_end(b)) {
            return None;
        }
        // Negative numbers stand for no value.
        let value = if text.first() == Some(&b'-') { None } else { number(std::str::from_utf8(text).ok()?) };
        each(value.unwrap_or(f64::NAN));
        at = blanks(raw, at + len);
        match raw.get(at)? {
            b',' => at = blanks(raw, at + 1),
            b']' => return Some(()),
            _ => return None,
        }
    }
}

// Columns whose rows all came: brought to their types and into the order of the rows.

/// Rows that are done between two pauses.
const PIECE: usize = 1 << 14;

/// The order of rows: row `i` is row `rows[i]` as it came.
struct Order {
    rows: Vec<u32>,
    is_as_it_came: bool,
}

impl Order {
    /// Rows in this order.
    fn new(rows: Vec<u32>) -> Self {
        let is_as_it_came = (0u32..).zip(&rows).all(|(i, &at)| i == at);
        Self { rows, is_as_it_came }
    }

    /// So many rows as they came.
    fn as_it_came(n: usize) -> Self {
        Self { rows: (0u32..).take(n).collect(), is_as_it_came: true }
    }

    /// The rows, so many at a time as are done between two pauses.
    fn pieces(&self) -> impl Iterator<Item = &[u32]> {
        self.rows.chunks(PIECE)
    }
}

/// Columns that are shown.
struct Settled {
    columns: Vec<Column>,
    /// Names of columns with values that are not of their type, each once.
    mistyped: Vec<String>,
    /// Whether cells were left out because there would be too many.
    is_full: bool,
}

/// Columns to which no more rows come, those that are shown with a cell for every row: by `rank`, then as they came.
async fn settle(
    columns: Columns,
    (dtypes, budget): (&Dtypes, &mut Budget),
    order: &Order,
    rank: fn(&str) -> u8,
    turn: &Turn,
) -> Settled {
    let Columns { growing, n_rows, mut mistyped, mut is_full, .. } = columns;
    let mut columns = Vec::new();
    for mut column in growing {
        let dtype = dtypes.get(&column.name).copied();
        if dtype == Some(0) {
            continue;
        }
        if !column.fill(n_rows, budget) {
            is_full = true;
            continue;
        }
        let (column, is_typed) = column.settle(dtype, order, turn).await;
        if !is_typed && !mistyped.contains(&column.name) {
            mistyped.push(column.name.clone());
        }
        columns.push(column);
        turn.pause().await;
    }
    order::sort_by_key(&mut columns, |c| rank(&c.name));
    Settled { columns, mistyped, is_full }
}

/// What becomes of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Numbers,
    Texts,
    Same,
}

fn is_number(text: &str) -> bool {
    text.is_empty() || number(text).is_some()
}

/// Whether all texts are numbers.
async fn are_numbers(texts: &[String], turn: &Turn) -> bool {
    for piece in texts.chunks(PIECE) {
        if !piece.iter().all(|text| is_number(text)) {
            return false;
        }
        turn.pause().await;
    }
    true
}

impl Growing {
    /// Brings the column to its type and order; says too whether all values were of the type.
    async fn settle(mut self, dtype: Option<i64>, order: &Order, turn: &Turn) -> (Column, bool) {
        let is_rate = self.name == "L2Cache Hit Rate";
        let goal = match (&self.data, dtype) {
            (Data::Texts(_), Some(1 | 2 | 4)) => Goal::Numbers,
            // Older files give rates as texts such as "72%"; as numbers they can be sorted and compared.
            (Data::Texts(texts), _) if is_rate && are_numbers(texts, turn).await => {
                self.is_percent = true;
                Goal::Numbers
            }
            (Data::Numbers(_), Some(3)) if !is_rate => Goal::Texts,
            _ => Goal::Same,
        };
        let mut is_typed = true;
        if goal != Goal::Same || !order.is_as_it_came {
            let mut to = self.room(goal, order.rows.len());
            for rows in order.pieces() {
                is_typed &= self.put(rows, &mut to);
                turn.pause().await;
            }
            self.data = to;
        }
        (self.shown(dtype), is_typed)
    }

    /// Room for the cells of so many rows, of the kind they become.
    fn room(&self, goal: Goal, n_rows: usize) -> Data {
        let n = n_rows.saturating_mul(self.stride).min(self.data.len());
        match (&self.data, goal) {
            (_, Goal::Numbers) | (Data::Numbers(_), Goal::Same) => Data::Numbers(Vec::with_capacity(n)),
            (_, Goal::Texts) | (Data::Texts(_), _) => Data::Texts(Vec::with_capacity(n)),
            (Data::Parts(_), _) => Data::Parts(Vec::with_capacity(n)),
            (Data::Registers(_), _) => Data::Registers(Vec::with_capacity(n)),
        }
    }

    /// Puts the cells of these rows behind those before; says whether all values were of the type.
    fn put(&mut self, rows: &[u32], to: &mut Data) -> bool {
        let (stride, mut is_typed) = (self.stride, true);
        match (&mut self.data, to) {
            (Data::Texts(from), Data::Numbers(to)) => each(from, rows, stride, |text| {
                is_typed &= is_number(text);
                to.push(number(text).filter(|v| 0.0 <= *v).unwrap_or(f64::NAN));
            }),
            (Data::Numbers(from), Data::Texts(to)) => {
                let text = |v: f64| if v.is_finite() { v.to_string() } else { String::new() };
                each(from, rows, stride, |v| to.push(text(*v)));
            }
            (Data::Numbers(from), Data::Numbers(to)) => each(from, rows, stride, |v| to.push(*v)),
            (Data::Texts(from), Data::Texts(to)) => each(from, rows, stride, |v| to.push(take(v))),
            (Data::Parts(from), Data::Parts(to)) => each(from, rows, stride, |v| to.push(take(v))),
            (Data::Registers(from), Data::Registers(to)) => each(from, rows, 1, |v| to.push(take(v))),
            _ => {} // the room fits the goal
        }
        is_typed
    }

    /// The column as it is shown.
    fn shown(self, dtype: Option<i64>) -> Column {
        let Self { name, stride, is_percent, data, .. } = self;
        let (style, unit) = shown_as(&name, dtype, is_percent);
        let rows = Rows::All;
        let (style, unit, cells) = match data {
            Data::Numbers(values) => (style, unit, Cells::Numbers { values, stride, rows }),
            Data::Texts(values) => (ColumnStyle::Plain, Unit::None, Cells::Texts { values, stride, rows }),
            Data::Parts(values) => (ColumnStyle::Stacked, Unit::Share, Cells::Parts { values, stride, rows }),
            Data::Registers(values) => (ColumnStyle::Registers, Unit::None, Cells::Registers { values }),
        };
        Column { counts: counted_as(&name), name, unit, style, cells }
    }
}

/// Each cell of these rows.
fn each<T>(cells: &mut [T], rows: &[u32], stride: usize, mut with: impl FnMut(&mut T)) {
    for &row in rows {
        let at = (row as usize).saturating_mul(stride);
        cells.get_mut(at..at.saturating_add(stride)).unwrap_or(&mut []).iter_mut().for_each(&mut with);
    }
}
