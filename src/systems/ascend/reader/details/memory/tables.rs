//! 0x09 memory tables: requests, throughput and activity of each memory and pipe.
//!
//! `{table_per_block: [{block_id, table_op_type, advice, table_detail: [{table_name, size, header_name: ["", …], row:
//! [{name, value: […]}]}]}]}`. The first head is empty and stands for the name of the table. The design document has
//! `tables_detail`, and `advice` beside `table_per_block`. Each table becomes a family with a variant for each block.

use super::SECTION;
use super::graph::CHART;
use crate::base::fault::Severity;
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{Advice, Body, Cell, Family, Figure, TableColumn, TableFigure};
use crate::systems::ascend::reader::details::load::AVERAGE_NAME;
use crate::systems::ascend::reader::details::{TABLE_ROWS, advise, brief_weighted};
use crate::systems::ascend::reader::field::{Fields, Within, is_missing, number, shown};

/// Adds the tables; their advice goes to the memory chart, or to the first table where there is none. Figures before
/// `figures_before` belong to other files.
pub(crate) fn memory_tables(json: &Json, figures_before: usize, within: &Within, sink: &mut Sink) {
    let mut fields = Fields::new(within, sink);
    let items = fields.items(json, "table_per_block", "");
    let per_block = super::block_ordered(items, "table_per_block", ["block_id", "core_no"], &mut fields);
    let general = super::advice_of(json, "", &mut fields);
    let mut tables = Tables::default();
    let mut said: Vec<(String, Vec<Advice>)> = Vec::new();
    for (block, inside, item) in &per_block {
        let mut advice = general.clone();
        advice.extend(super::advice_of(item, inside, &mut fields));
        said.push((block.clone(), advice));
        let op_type = fields.text(item, "table_op_type", inside);
        let key = if item.get("table_detail").is_some() { "table_detail" } else { "tables_detail" };
        for (i, detail) in (1..).zip(fields.items(item, key, inside)) {
            let name = fields.text(detail, "table_name", inside);
            let name = if name.is_empty() { format!("Table {i}") } else { name };
            let inside = format!("{inside} ▸ {name}");
            if detail.members().is_empty() {
                fields.left_out(&inside, "a non-empty object", shown(detail));
                continue;
            }
            let Some(table) = table(&name, detail, &inside, &mut tables.cells, &mut fields) else { continue };
            let mut figure = Figure::new(name.clone(), Body::Table(table));
            figure.scope.clone_from(&op_type);
            tables.push(&name, block, figure);
        }
    }
    let mut families = tables.families;
    let figures = &mut sink.builder.head().figures;
    for (block, said) in &said {
        let own = figures.get_mut(figures_before..).unwrap_or(&mut []);
        if !advise(own, CHART, block, said) {
            let first =
                families.iter().find(|family| family.choices.iter().any(|c| c.options.contains(block)));
            if let Some(id) = first.map(|family| family.id.clone()) {
                advise(&mut families, &id, block, said);
            }
        }
    }
    families.iter_mut().for_each(all_add);
    figures.extend(families);
}

/// Cells of all tables of a block of the file; real ones have some ten thousand.
const CELLS: usize = 4_000_000;
/// What a table costs besides its cells.
const TABLE_CELLS: usize = 32;

/// Tables by their name.
#[derive(Default)]
struct Tables {
    families: Vec<Family>,
    by_name: Map<String, usize>,
    /// How often a block has a table.
    seen: Map<(usize, String), usize>,
    ids: Map<String, usize>,
    /// Cells that were used.
    cells: usize,
}

impl Tables {
    fn push(&mut self, name: &str, block: &str, figure: Figure) {
        let next = self.families.len();
        let at = *self.by_name.entry(name.to_owned()).or_insert(next);
        if at == next {
            let id = table_id(name);
            // Names that differ only in signs get a number: the id stands in addresses.
            let n = self.ids.entry(id.clone()).or_insert(0);
            *n += 1;
            let id = if *n == 1 { id } else { format!("{id}-{n}") };
            self.families.push(Family {
                id,
                section: SECTION.to_owned(),
                title: name.to_owned(),
                choices: vec![super::block_choice(Vec::new())],
                variants: Vec::new(),
            });
        }
        let n = self.seen.entry((at, block.to_owned())).or_insert(0);
        *n += 1;
        let option = if *n == 1 { block.to_owned() } else { format!("{block} ({n})") };
        let Some(family) = self.families.get_mut(at) else { return };
        if let Some(choice) = family.choices.first_mut() {
            choice.options.push(option);
            family.variants.push(figure);
        }
    }
}

/// Id of the family of a table.
pub(super) fn table_id(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("memory-table-{}", name.chars().map(plain).collect::<String>())
}

/// One table; `None` when there are more cells than are shown.
fn table(
    name: &str,
    json: &Json,
    inside: &str,
    used: &mut usize,
    fields: &mut Fields,
) -> Option<TableFigure> {
    let mut heads: Vec<&str> =
        fields.items(json, "header_name", inside).iter().map(|head| head.as_text().unwrap_or("")).collect();
    let rows: Vec<(String, Vec<Cell>)> = fields
        .items(json, "row", inside)
        .iter()
        .map(|row| {
            let values = row.get("value").unwrap_or(&Json::Null);
            let one = std::slice::from_ref(values);
            let values = if let Json::Array(items) = values { items.as_slice() } else { one };
            (
                row.get("name").and_then(Json::as_text).unwrap_or("").to_owned(),
                values.iter().map(cell).collect(),
            )
        })
        .collect();
    let widest = rows.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let n_values = heads.len().saturating_sub(1).max(widest);
    *used = rows.len().min(TABLE_ROWS).saturating_mul(n_values + 1).saturating_add(*used + TABLE_CELLS);
    if CELLS < *used {
        fields.left_out(inside, "at most 4,000,000 cells in all tables", used.to_string());
        return None;
    }
    let is_old = align(&mut heads, &rows);
    let uneven = rows.iter().filter(|(_, values)| values.len() + 1 != heads.len()).count();
    if 0 < uneven {
        let (expected, found) =
            ("one value per column", message("{n} rows with more or fewer").with("n", uneven));
        let shown = "Missing values are shown as missing; extra values get their own columns.";
        fields.said(Severity::Note, &format!("{inside} ▸ row"), expected, found, shown);
    }
    check_size(json, rows.len(), widest, inside, fields);
    let first = heads.first().copied().filter(|head| !head.trim().is_empty()).unwrap_or(name);
    let mut columns = vec![TableColumn { name: first.to_owned(), is_phrase: true, ..TableColumn::default() }];
    for at in 0..n_values {
        let head = heads.get(at + 1).copied().unwrap_or("");
        let values = rows.iter().filter_map(|(_, values)| values.get(at)?.as_number());
        columns.push(column(head, at + 1, values));
    }
    // The head says percent, but the values are cycles divided by those before them.
    if let Some([of, rate]) = columns.last_chunk_mut().filter(|_| is_old) {
        (of.name, of.unit) = (phrase("All cycles").to_owned(), Unit::Cycles);
        rate.unit = Unit::Share;
    }
    let more_rows = rows.len().saturating_sub(TABLE_ROWS);
    let rows = rows.into_iter().take(TABLE_ROWS).map(|(name, mut values)| {
        values.resize(n_values, Cell::Missing);
        std::iter::once(Cell::Text(name)).chain(values).collect()
    });
    Some(TableFigure { rows: rows.collect(), columns, key_columns: 1, more_rows, ..TableFigure::default() })
}

/// Old writers have one value more than heads, before the rate at the end: what the cycles were divided by. Gives it an
/// empty head. True when the rates prove it.
fn align(heads: &mut Vec<&str>, rows: &[(String, Vec<Cell>)]) -> bool {
    let is_rate = heads.last().is_some_and(|head| head.to_lowercase().contains("rate"));
    let cycle = heads.iter().skip(1).position(|head| head.to_lowercase().starts_with("cycle"));
    let (Some(cycle), true) = (cycle, is_rate) else { return false };
    let mut n_proofs = 0_usize;
    for (_, values) in rows {
        let number = |at: usize| values.get(at).and_then(Cell::as_number).unwrap_or(0.0);
        let (cycles, whole, rate) = (number(cycle), number(heads.len() - 2), values.last());
        let rate = rate.and_then(Cell::as_number).unwrap_or(0.0);
        let is_proof = 0.0 < whole && (cycles / whole - rate).abs() <= 1e-4 * rate.abs();
        if values.len() != heads.len() || (0.0 < whole && !is_proof) {
            return false;
        }
        n_proofs += usize::from(is_proof);
    }
    if 0 < n_proofs {
        heads.insert(heads.len() - 1, "");
    }
    0 < n_proofs
}

/// Head of a column: the unit stands in parentheses behind the name, or follows from the name.
fn column(head: &str, number: usize, mut values: impl Iterator<Item = f64>) -> TableColumn {
    let head = head.trim();
    if head.is_empty() {
        return TableColumn { name: format!("Value {number}"), ..TableColumn::default() };
    }
    let (name, unit) = match head.strip_suffix(')').and_then(|h| h.rsplit_once('(')) {
        Some((name, unit)) => (name.trim(), Some(unit.trim())),
        None => (head, None),
    };
    let lower = name.to_lowercase();
    let known = HEADS.iter().find(|(head, _)| *head == lower).map(|(_, shown)| *shown);
    let unit = match unit {
        Some("%") => Unit::Percent,
        Some("GB/s") => Unit::GigabytesPerSec,
        Some("MB/s") => Unit::MegabytesPerSec,
        Some("us" | "μs" | "µs") => Unit::Micros,
        Some(other) => Unit::Other(other.to_owned()),
        None if lower.ends_with("cycle") || lower.ends_with("cycles") => Unit::Cycles,
        None if matches!(&*lower, "requests" | "instructions") => Unit::Count(lower.clone()),
        // Old writers give rates as shares, without a unit.
        None if lower.ends_with(" rate") && values.all(|v| v <= 1.0) => Unit::Share,
        None => Unit::None,
    };
    let has_bar = matches!(unit, Unit::Percent | Unit::Share);
    TableColumn { name: known.unwrap_or(name).to_owned(), unit, has_bar, ..TableColumn::default() }
}

/// Heads of files in small letters, and how they are shown.
const HEADS: [(&str, &str); 14] = [
    ("active bw", phrase("Active bandwidth")),
    ("active rate", phrase("Active rate")),
    ("cycle", "Cycles"),
    ("cycles", "Cycles"),
    ("hit", phrase("Hits")),
    ("hit rate", phrase("Hit rate")),
    ("instructions", "Instructions"),
    ("miss", phrase("Misses")),
    ("peak", "Share of peak"),
    ("requests", phrase("Requests")),
    ("throughput", "Throughput"),
    ("time", phrase("Time")),
    ("total", phrase("Total")),
    ("wait cycles", phrase("Wait cycles")),
];

/// A number, a text, or missing; negative numbers stand for no value.
fn cell(value: &Json) -> Cell {
    let text = value.as_text().unwrap_or("").trim();
    match number(text) {
        Some(value) if 0.0 <= value => Cell::Number(value),
        Some(_) => Cell::Missing,
        None if is_missing(text) => Cell::Missing,
        None => Cell::Text(text.to_owned()),
    }
}

/// `size` is rows and columns, with or without the heads. It is not needed; a wrong one may mean that something is lost.
fn check_size(json: &Json, n_rows: usize, n_values: usize, inside: &str, fields: &mut Fields) {
    let said: Vec<f64> =
        fields.items(json, "size", inside).iter().filter_map(|v| number(v.as_text().unwrap_or(""))).collect();
    let fits = |said: f64, n: usize| said == n as f64 || said == (n + 1) as f64;
    if let [rows, values] = said[..]
        && !(fits(rows, n_rows) && fits(values, n_values))
    {
        let found = message("{n} rows of {m} values, where size gives {rows} and {values}");
        let found = found.with("n", n_rows).with("m", n_values).with("rows", rows).with("values", values);
        let at = format!("{inside} ▸ size");
        fields.said(Severity::Note, &at, "a size that matches the rows", found, "All rows are shown.");
    }
}

// A memory table over all blocks: counts are sums, and every rate is weighted by what it is a rate of.
//
// | column | over all blocks |
// |---|---|
// | hits, misses, requests, instructions, cycles, bytes | sum |
// | hit rate | hits ÷ total |
// | active rate | cycles ÷ all cycles of the blocks, which follow from the rates |
// | throughput, share of peak | of a block on average over time: requests ÷ throughput is the time of a block |
// | active bandwidth | weighted by the cycles in which the pipe was active |
// | time | that of the longest block |

/// What all blocks together are called in choices.
pub(crate) const ALL_NAME: &str = phrase("All blocks");

/// Columns that are summed, by the names that they are shown under.
const SUMS: [&str; 4] = ["Hits", "Misses", "Total", "Requests"];

/// Adds a variant over all blocks behind those of single ones, where the blocks have the same columns.
fn all_add(family: &mut Family) {
    let has_average = family.choices.iter().any(|choice| choice.options.iter().any(|o| o == AVERAGE_NAME));
    let tables: Vec<&TableFigure> = family
        .variants
        .iter()
        .filter_map(|figure| if let Body::Table(table) = &figure.body { Some(table) } else { None })
        .collect();
    let Some(first) = tables.first() else { return };
    let is_same = tables.iter().all(|table| heads(table).eq(heads(first)) && table.more_rows == 0);
    if has_average || tables.len() < 2 || tables.len() != family.variants.len() || !is_same {
        return;
    }
    let body = Body::Table(over_all(&tables, first));
    let mut figure = Figure::new(family.title.clone(), body);
    figure.scope = family.variants.first().map_or_else(String::new, |own| own.scope.clone());
    figure.notes.push(message(
        "All blocks: counts are sums, rates are weighted by their base, throughput is the mean per block.",
    ));
    if let Some(choice) = family.choices.first_mut() {
        choice.options.push(ALL_NAME.to_owned());
        family.variants.push(figure);
    }
}

fn heads(table: &TableFigure) -> impl Iterator<Item = (&str, &Unit)> {
    table.columns.iter().map(|column| (column.name.as_str(), &column.unit))
}

/// The rows of this name of each block that has one.
type Rows<'a> = Vec<(&'a TableFigure, &'a [Cell])>;

fn over_all(tables: &[&TableFigure], first: &TableFigure) -> TableFigure {
    let mut names: Vec<&Cell> = Vec::new();
    for name in tables.iter().flat_map(|table| &table.rows).filter_map(|row| row.first()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let row = |name: &&Cell| {
        let own = |table: &&TableFigure| table.rows.iter().position(|row| row.first() == Some(*name));
        let rows: Rows = tables
            .iter()
            .filter_map(|table| Some((*table, table.rows.get(own(table)?)?.as_slice())))
            .collect();
        let cells =
            first.columns.iter().enumerate().skip(1).map(|(at, column)| all_cell(&rows, at, column, first));
        std::iter::once((*name).clone()).chain(cells).collect()
    };
    let rows = names.iter().map(row).collect();
    TableFigure { columns: first.columns.clone(), rows, key_columns: 1, ..TableFigure::default() }
}

fn all_number(row: &[Cell], at: Option<usize>) -> Option<f64> {
    row.get(at?).and_then(Cell::as_number).filter(|value| value.is_finite())
}

fn all_cell(rows: &Rows, at: usize, column: &TableColumn, first: &TableFigure) -> Cell {
    let named = |name: &str| first.columns.iter().position(|column| column.name == name);
    let values = || rows.iter().filter_map(|(_, row)| all_number(row, Some(at)));
    let sum_of =
        |at: Option<usize>| rows.iter().filter_map(|(_, row)| all_number(row, at)).reduce(|a, b| a + b);
    let by = |weight: &dyn Fn(&TableFigure, &[Cell]) -> Option<f64>| {
        let both = rows.iter().map(|(table, row)| Some((all_number(row, Some(at))?, weight(table, row)?)));
        brief_weighted(both.collect::<Option<Vec<_>>>()?.into_iter())
    };
    let value = match (column.name.as_str(), &column.unit) {
        (name, Unit::Count(_) | Unit::Cycles | Unit::Bytes) if !name.is_empty() => sum_of(Some(at)),
        (name, _) if SUMS.contains(&name) => sum_of(Some(at)),
        ("Hit rate", unit) => {
            let full = if *unit == Unit::Share { 1.0 } else { 100.0 };
            let rate = sum_of(named("Hits")).zip(sum_of(named("Total")).filter(|total| 0.0 < *total));
            rate.map(|(hits, total)| hits / total * full)
        }
        ("Active rate", _) => by(&|table, _| all_cycles(table)),
        ("Active bandwidth", _) => by(&|_, row| all_number(row, named("Cycles"))),
        ("Throughput" | "Share of peak", _) if values().all(|value| value == 0.0) => values().next(),
        ("Throughput" | "Share of peak", _) => by(&|_, row| {
            let rate = all_number(row, named("Throughput")).filter(|rate| 0.0 < *rate)?;
            Some(all_number(row, named("Requests"))? / rate)
        }),
        (_, Unit::Micros) => values().max_by(f64::total_cmp),
        _ => None,
    };
    Cell::number(value)
}

/// All cycles of a block, from the pipe whose cycles and rate tell them best.
fn all_cycles(table: &TableFigure) -> Option<f64> {
    let named = |name: &str| table.columns.iter().position(|column| column.name == name);
    let (cycles, rate) = (named("Cycles"), named("Active rate"));
    let both = table.rows.iter().filter_map(|row| Some((all_number(row, cycles)?, all_number(row, rate)?)));
    let best = both.filter(|(_, rate)| 0.0 < *rate).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(best.0 / best.1)
}
