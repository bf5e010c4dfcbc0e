//! 0x05 base info: what the operator is, how long it and each of its blocks took.
//!
//! `block_detail` and `mix_block_detail` are tables `{head_name, row: [{value: […]}], size}`; the design document has
//! lists of `{block_id, core_type, duration}` and `{block_id, duration: [cube, vector 0, vector 1]}` instead; old writers
//! have one duration in such a list. Negative numbers stand for no value.

use super::groups::{self, Limits, Member, Noun};
use super::imbalance::{COSTLY, TOLD, more};
use super::occupancy::{chip_cores, most_cores, whole};
use super::{TABLE_ROWS, advice, cell};
use crate::analysis::bins::{count, edges_of};
use crate::base::map::Set;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{
    Advice, AxisLabel, Body, Cell, Fact, Facts, Family, Figure, Histogram, HistogramSeries, Mark,
    TableColumn, TableFigure,
};
use crate::systems::ascend::claims::{self, Outside};
use crate::systems::ascend::reader::field::{Fields, Within};
use crate::systems::ascend::{Whole, timed as timed_blocks};

/// The panel of these figures.
const SECTION: &str = "Base info";

/// The tables of blocks: member, id, title.
const BLOCKS: [(&str, &str, &str); 2] = [
    ("block_detail", "block-detail", "Block detail"),
    ("mix_block_detail", "mix-block-detail", "Mix operator blocks"),
];
/// What the longest time of a block is called, and what of the duration passes outside of it.
const LONGEST: &str = phrase("Longest core");
const OVERHEAD: &str = phrase("Outside the longest block");

/// Most types of cores that are told apart.
const CORE_TYPES: usize = 8;

fn part_of_clock((clock, rated): (f64, f64)) -> Fact {
    let part = clock / rated;
    Fact { name: phrase("% of rated clock").to_owned(), value: Cell::Number(part), unit: Unit::Share }
}

/// Fills in title and headline of the trace, and adds the figures.
pub(crate) fn base_info(json: &Json, within: &Within, sink: &mut Sink) {
    let mut fields = Fields::new(within, sink);
    let name = fields.text(json, "name", "");
    let soc = fields.text(json, "soc", "");
    let op_type = op_type(&fields.text(json, "op_type", "")).to_owned();
    let duration = fields.number(json, "duration", "").filter(|v| 0.0 <= *v);
    let mut facts = Vec::new();
    let mut text = |name: &str, value: &str| {
        if !value.is_empty() {
            facts.push(Fact { name: name.to_owned(), value: Cell::Text(value.to_owned()), unit: Unit::None });
        }
    };
    text("Operator", &name);
    text("Chip", &soc);
    text("Type", &op_type);
    // -1 stands for no value.
    let own = |text: String| if text.starts_with('-') { String::new() } else { text };
    text("Device", &own(fields.text(json, "device_id", "")));
    text("Process", &own(fields.text(json, "pid", "")));
    let mut number = |key: &str| fields.number(json, key, "").filter(|v| 0.0 <= *v);
    let numbers = [
        ("Duration", duration, Unit::Micros),
        ("Block dim", number("block_dim"), Unit::None),
        ("Mix block dim", number("mix_block_dim"), Unit::None),
        ("Clock", number("cur_freq"), Unit::Megahertz),
        ("Rated clock", number("rated_freq"), Unit::Megahertz),
    ];
    for (name, value, unit) in &numbers {
        if let Some(value) = value {
            facts.push(Fact { name: (*name).to_owned(), value: Cell::Number(*value), unit: unit.clone() });
        }
    }
    let [_, (_, n_blocks, _), (_, number_of_vectors, _), .., (_, clock, _), (_, rated, _)] = numbers;
    // A clock of 0 was not measured.
    let clocks = clock.zip(rated).filter(|(clock, rated)| 0.0 < *clock && 0.0 < *rated);
    facts.extend(clocks.map(part_of_clock));
    let table = |(key, id, title)| Some((id, title, detail(json, key, &mut fields)?));
    let tables: Vec<_> = BLOCKS.into_iter().filter_map(table).collect();
    let own = || tables.iter().map(|(.., table)| table);
    let some = timed_of_some(own(), [n_blocks, number_of_vectors], (&soc, &op_type));
    let overhead = duration.zip(longest(own())).filter(|_| some.is_none());
    let n_rows = own().map(n_blocks_of).max().unwrap_or(0);
    let run = (duration, waves((&soc, &op_type), n_blocks, n_rows));
    facts.extend(overhead.into_iter().flat_map(head_facts));
    let mut figure = Figure::new(SECTION, Body::Facts(Facts { facts }));
    figure.advice = own_advice(json, clocks.and_then(slow_clock), &mut fields);
    let outside = overhead.and_then(|times| head_advice(times, &tables, run.1));
    let mut families = vec![Family::single("base-info", SECTION, figure)];
    let figures = |(id, title, table)| of_blocks((id, title), table, run, some.as_ref());
    families.extend(tables.into_iter().flat_map(figures));
    // What the blocks lose among themselves comes first.
    if let Some(blocks) = families.get_mut(1).and_then(|family| family.variants.first_mut()) {
        blocks.advice.extend(outside);
    }
    let headline =
        [soc, op_type, duration.map_or(String::new(), |d| Cell::Number(d).with_unit(&Unit::Micros))];
    let head = sink.builder.head();
    if head.title.is_empty() {
        head.title = name;
        head.headline = headline.into_iter().filter(|fact| !fact.is_empty()).collect();
    }
    head.figures.extend(families);
}

/// What the clock and the writer say.
fn own_advice(json: &Json, slow: Option<Advice>, fields: &mut Fields) -> Vec<Advice> {
    let sentences: Vec<String> =
        fields.items(json, "advice", "").iter().filter_map(|a| a.as_text().map(str::to_owned)).collect();
    slow.into_iter().chain(advice(sentences.iter().map(String::as_str), false)).collect()
}

/// What a clock below its rate means; nothing for one that is not below it.
fn slow_clock((clock, rated): (f64, f64)) -> Option<Advice> {
    let text = claims::slow_clock(clock, rated, claims::plainly);
    let advice = Advice::new(text, clock * COSTLY <= rated).claiming([claims::CLOCK.to_owned()]);
    (clock < rated).then_some(advice)
}

/// The design document's names of operator types, in the words that files use.
pub(crate) fn op_type(name: &str) -> &str {
    match name {
        "aic" => "cube",
        "aiv" => "vector",
        other => other,
    }
}

/// Head of the types of cores.
pub(super) const CORE_TYPE: &str = "Core Type";

/// Writes a type of cores as files mostly do.
fn name_type(cell: &mut Cell) {
    if let Cell::Text(kind) = cell {
        *kind = op_type(kind).to_owned();
    }
}

/// The table of one of the two members, in either spelling; `None` when it is missing or has no rows.
pub(super) fn detail(json: &Json, key: &str, fields: &mut Fields) -> Option<TableFigure> {
    let detail = json.get(key)?;
    let (heads, rows): (Vec<String>, Vec<Vec<Cell>>) = match detail {
        Json::Object(_) => {
            let heads = fields.items(detail, "head_name", key);
            let heads: Vec<String> = heads.iter().map(|h| h.as_text().unwrap_or("").to_owned()).collect();
            let rows = fields.items(detail, "row", key);
            let row = |row: &Json| values(row.get("value").unwrap_or(row));
            let mut rows: Vec<Vec<Cell>> = rows.iter().map(row).collect();
            if let Some(at) = heads.iter().position(|head| head == CORE_TYPE) {
                rows.iter_mut().filter_map(|row| row.get_mut(at)).for_each(name_type);
            }
            (heads, rows)
        }
        Json::Array(rows) => listed(rows, op_type(&fields.text(json, "op_type", ""))),
        Json::Null => return None,
        other => {
            fields.odd(key, "a table", crate::systems::ascend::reader::field::shown(other));
            return None;
        }
    };
    if rows.is_empty() {
        return None;
    }
    let n_columns = heads.len();
    let key_columns = heads.iter().take_while(|h| unit_of(h).1 == Unit::None).count().min(n_columns);
    let columns = heads.iter().map(|head| {
        let (name, unit) = unit_of(head);
        TableColumn { name: name.to_owned(), has_bar: unit != Unit::None, unit, ..TableColumn::default() }
    });
    let columns: Vec<TableColumn> = columns.collect();
    let more_rows = rows.len().saturating_sub(TABLE_ROWS);
    let mut uneven = 0_usize;
    let rows = rows.into_iter().take(TABLE_ROWS).map(|mut row| {
        uneven += usize::from(row.len() != n_columns);
        row.resize(n_columns, Cell::Missing);
        for (cell, _) in row.iter_mut().zip(&columns).filter(|(_, column)| column.has_bar) {
            if cell.as_number().is_some_and(|v| v < 0.0) {
                *cell = Cell::Missing;
            }
        }
        row
    });
    let rows = rows.collect();
    let table = TableFigure { columns, rows, key_columns, more_rows, ..TableFigure::default() };
    if 0 < uneven {
        let found = message("{n} rows with more or fewer").with("n", uneven);
        fields.odd(&format!("{key} ▸ row"), "one value per column", found);
    }
    Some(table)
}

/// Heads of the design document's lists for so many durations of a block: one is that of the block, three are those of
/// a cube and two vector units.
pub(crate) fn heads_of(op_type: &str, n_durations: usize) -> Vec<String> {
    let unit = |at: usize| match (op_type, at) {
        ("cube", _) => format!("Cube{at}"),
        ("vector", _) => format!("Vector{at}"),
        (_, 0) => "Cube0".to_owned(),
        _ => format!("Vector{}", at - 1),
    };
    let durations = match n_durations {
        1 => vec!["Duration (μs)".to_owned()],
        n => (0..n).map(|at| format!("{} Duration (μs)", unit(at))).collect(),
    };
    std::iter::once("Block ID".to_owned()).chain(durations).collect()
}

/// Most durations of one block: a core has fewer units.
const DURATIONS: usize = 16;

/// Heads and rows of the design document's lists.
fn listed(rows: &[Json], op_type: &str) -> (Vec<String>, Vec<Vec<Cell>>) {
    let of_row = |row: &Json| row.get("duration").map_or(0, |list| list.items().len());
    let n_durations = rows.iter().map(of_row).max().unwrap_or(0).min(DURATIONS);
    let text = |row: &Json, key: &str| row.get(key).and_then(Json::as_text).map_or(Cell::Missing, cell);
    if 0 < n_durations {
        let row = |row: &Json| {
            let mut cells = vec![text(row, "block_id")];
            cells.extend(row.get("duration").map_or_else(Vec::new, values));
            cells
        };
        return (heads_of(op_type, n_durations), rows.iter().map(row).collect());
    }
    let heads = ["Block ID", CORE_TYPE, "Duration (μs)"];
    let row = |row: &Json| {
        let mut kind = text(row, "core_type");
        name_type(&mut kind);
        vec![text(row, "block_id"), kind, text(row, "duration")]
    };
    (heads.map(str::to_owned).to_vec(), rows.iter().map(row).collect())
}

fn values(list: &Json) -> Vec<Cell> {
    let one = std::slice::from_ref(list);
    let items = if let Json::Array(items) = list { items.as_slice() } else { one };
    items.iter().map(|v| v.as_text().map_or(Cell::Missing, cell)).collect()
}

/// The name of a head without its unit, and the unit: `Duration (μs)`.
fn unit_of(head: &str) -> (&str, Unit) {
    let Some((name, unit)) = head.strip_suffix(')').and_then(|h| h.rsplit_once('(')) else {
        return (head.trim(), Unit::None);
    };
    // The file writes the Greek letter mu, other writers the micro sign.
    let unit = match unit.trim() {
        "μs" | "µs" | "us" => Unit::Micros,
        "%" => Unit::Percent,
        other => Unit::Other(other.to_owned()),
    };
    (name.trim(), unit)
}

/// Durations by column, and by type of core where a column names it.
fn series(table: &TableFigure) -> Vec<(&str, Vec<f64>)> {
    let kind = table.columns.iter().position(|c| c.name == CORE_TYPE).filter(|&at| {
        let mut kinds: Vec<&Cell> = Vec::new();
        table.rows.iter().filter_map(|row| row.get(at)).all(|kind| {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            kinds.len() <= CORE_TYPES
        })
    });
    let mut series: Vec<(&str, Vec<f64>)> = Vec::new();
    for (i, column) in table.columns.iter().enumerate().filter(|(_, c)| c.unit == Unit::Micros) {
        for row in &table.rows {
            let Some(value) = row.get(i).and_then(Cell::as_number).filter(|v| v.is_finite()) else {
                continue;
            };
            let name = match kind.and_then(|at| row.get(at)) {
                Some(Cell::Text(kind)) => kind.as_str(),
                _ => column.name.as_str(),
            };
            match series.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(value),
                None => series.push((name, vec![value])),
            }
        }
    }
    series
}

/// Most durations that a comparison counts anew.
const VALUES: usize = 10_000;

/// The durations of a table: number of the row, and how long it took.
fn times(table: &TableFigure, column: usize) -> impl Iterator<Item = (u32, f64)> {
    let time = move |row: &Vec<Cell>| row.get(column)?.as_number().filter(|v| v.is_finite());
    (0_u32..).zip(&table.rows).filter_map(move |(at, row)| Some((at, time(row)?)))
}

/// Numbers of the columns that are durations.
fn timed(table: &TableFigure) -> impl Iterator<Item = usize> {
    let columns = table.columns.iter().enumerate();
    columns.filter(|(_, column)| column.unit == Unit::Micros).map(|(at, _)| at)
}

/// The longest time of any block; `None` where none was measured.
fn longest<'a>(tables: impl Iterator<Item = &'a TableFigure>) -> Option<f64> {
    let times = tables.flat_map(|table| timed(table).flat_map(|column| times(table, column)));
    times.map(|(_, time)| time).max_by(f64::total_cmp).filter(|longest| 0.0 < *longest)
}

/// The longest time of any block of a base info, and what of the duration passed outside of it; nothing where some have no
/// time.
pub(crate) fn block_times(
    json: &Json,
    duration: Option<f64>,
    fields: &mut Fields,
) -> [Option<(&'static str, f64)>; 2] {
    let tables = BLOCKS.iter().filter_map(|(key, ..)| detail(json, key, fields)).collect::<Vec<_>>();
    let (soc, kind) = (fields.text(json, "soc", ""), fields.text(json, "op_type", ""));
    let mut number = |key: &str| fields.number(json, key, "").filter(|v| 0.0 <= *v);
    let (n_blocks, n_vectors) = (number("block_dim"), number("mix_block_dim"));
    let some = timed_of_some(tables.iter(), [n_blocks, n_vectors], (&soc, op_type(&kind)));
    let longest = longest(tables.iter()).filter(|_| some.is_none());
    let overhead = duration.zip(longest).map(|(duration, longest)| duration - longest);
    let overhead = overhead.filter(|overhead| 0.0 <= *overhead);
    [longest.map(|v| (LONGEST, v)), overhead.map(|v| (OVERHEAD, v))]
}

/// Of how many of the blocks, or vector units, of an operator these tables have times, where these are not all. `stated` are
/// the numbers of blocks and of vector units of an operator with both kinds of cores.
fn timed_of_some<'a>(
    tables: impl Iterator<Item = &'a TableFigure> + Clone,
    stated: [Option<f64>; 2],
    (soc, op_type): (&str, &str),
) -> Option<Message> {
    let [n_blocks, n_vectors] = stated;
    let mut blocks: Set<String> = Set::default();
    for table in tables.clone() {
        for (row, time) in timed(table).flat_map(|column| times(table, column)) {
            // Units whose time is 0 did not run, or were not measured.
            if time == 0.0 {
                return None;
            }
            let cells = usize::try_from(row).ok().and_then(|row| table.rows.get(row));
            blocks.extend(cells.and_then(|cells| cells.first()).map(Cell::plain));
        }
    }
    let vectors = tables.flat_map(of_kinds).filter(|(kind, _)| kind == "vector");
    let vectors = vectors.map(|(_, members)| members.len()).sum();
    let of_core = if op_type == "vector" { 2 } else { 1 };
    let whole = Whole {
        blocks: n_blocks,
        cores: chip_cores(soc).map(|n| (of_core * n) as f64),
        vectors: n_vectors.filter(|_| op_type == "mix"),
    };
    timed_blocks(blocks.iter().map(String::as_str), vectors, whole)
}

/// How many blocks at least one core, or one vector unit, has to run one after the other: 1 where the chip has one for
/// each of them. Of an unknown chip or number of blocks only that it is more than one, where no chip has so many cores or
/// there are rows of so many blocks; else `None`.
fn waves((soc, op_type): (&str, &str), n_blocks: Option<f64>, n_rows: usize) -> Option<f64> {
    let cores = chip_cores(soc);
    let n_cores = cores.unwrap_or_else(most_cores);
    let n_units = if op_type == "vector" { 2 * n_cores } else { n_cores };
    let waves = (n_blocks.unwrap_or(n_rows as f64) / n_units as f64).ceil();
    (1.0 < waves || cores.is_some() && n_blocks.is_some()).then_some(waves)
}

/// How many blocks a table has rows of.
fn n_blocks_of(table: &TableFigure) -> usize {
    table.rows.iter().filter_map(|row| row.first()).map(Cell::plain).collect::<Set<_>>().len()
}

/// Whether each block had a core of its own.
fn is_at_once(waves: Option<f64>) -> bool {
    waves.is_some_and(|waves| waves <= 1.0)
}

/// The longest block and what passed outside of it, where the times of blocks fit into the duration.
fn head_facts((duration, longest): (f64, f64)) -> Vec<Fact> {
    let fact = |(name, value): (&str, f64)| Fact {
        name: name.to_owned(),
        value: Cell::Number(value),
        unit: Unit::Micros,
    };
    let named = [(LONGEST, longest), (OVERHEAD, duration - longest)];
    if longest <= duration { named.map(fact).into() } else { Vec::new() }
}

/// The figures of a table of blocks: itself with what it shows, and how its durations are spread. `run` is how long the
/// operator took and in how many waves its blocks ran, `some` of how many there are times, where these are not all.
fn of_blocks(
    (id, title): (&'static str, &str),
    table: TableFigure,
    run: (Option<f64>, Option<f64>),
    some: Option<&Message>,
) -> impl Iterator<Item = Family> {
    let (durations, advice) = (durations(&table, id), block_advice(&table, run, some.is_some()));
    let note = some.map(|some| message("The file has {some}.").with_message("some", some.clone()));
    let figure =
        Figure { advice, notes: note.into_iter().collect(), ..Figure::new(title, Body::Table(table)) };
    std::iter::once(Family::single(id, SECTION, figure)).chain(durations)
}

/// What passed outside of the longest block, where that is much. Where there are several, a core may have run one after the
/// other, unless all ran at once.
fn head_advice(
    (duration, longest): (f64, f64),
    tables: &[(&str, &str, TableFigure)],
    waves: Option<f64>,
) -> Option<Advice> {
    let share = (duration - longest) / duration;
    let is_alone = tables.iter().all(|(.., table)| table.rows.len() < 2);
    let blocks = match () {
        () if is_alone => Outside::Alone,
        () if is_at_once(waves) => Outside::AtOnce,
        () => Outside::InTurn,
    };
    let text = claims::outside((duration, longest), blocks, claims::plainly);
    (0.05 <= share).then(|| Advice::new(text, true).claiming([claims::HEAD.to_owned()]))
}

/// The durations of each kind of unit, such as `vector`, with what tells them apart. Columns and types of cores of one
/// kind (`Vector0`, `vector1`) belong together; nothing where there are too many kinds.
fn of_kinds(table: &TableFigure) -> Vec<(String, Vec<Member>)> {
    let kind_column = table.columns.iter().position(|c| c.name == CORE_TYPE);
    let mut kinds: Vec<(String, Vec<Member>)> = Vec::new();
    for column in timed(table) {
        let head = table.columns.get(column).map_or("", |c| c.name.trim_end_matches("Duration").trim());
        // A unit that took no time did not run, or was not measured.
        for (row, value) in times(table, column).filter(|(_, value)| 0.0 < *value) {
            let cells = usize::try_from(row).ok().and_then(|row| table.rows.get(row));
            let cell = |at: usize| cells.and_then(|cells| cells.get(at));
            let number = whole(cell(0).and_then(Cell::as_number));
            let kind = kind_column.and_then(cell).map_or_else(|| head.to_owned(), Cell::plain).to_lowercase();
            let stem = groups::stem(&kind);
            let at = kinds.iter().position(|(known, _)| known == stem).unwrap_or(kinds.len());
            if at == kinds.len() {
                if at == CORE_TYPES {
                    return Vec::new();
                }
                kinds.push((stem.to_owned(), Vec::new()));
            }
            if let Some((_, members)) = kinds.get_mut(at) {
                members.push(Member { value, number, kind, row });
            }
        }
    }
    kinds
}

/// Of each kind of unit how its blocks are apart, else the block that took longest against the median.
fn block_advice(
    table: &TableFigure,
    (whole, waves): (Option<f64>, Option<f64>),
    are_some: bool,
) -> Vec<Advice> {
    let kinds = of_kinds(table);
    let of_kind = |(stem, members): &(String, Vec<Member>)| {
        let others = kinds.iter().filter(|(other, _)| other != stem).flat_map(|(_, members)| members);
        let other = others.max_by(|a, b| a.value.total_cmp(&b.value));
        let said = one_advice(members, Limits { whole, waves, other, are_some })?;
        Some(said.claiming([claims::imbalance(stem)]))
    };
    kinds.iter().filter_map(of_kind).collect()
}

/// Part of the longest time from which others count as as slow: what sentences call up to 5 % less.
const AS_SLOW: f64 = 0.95;

fn one_advice(members: &[Member], limits: Limits) -> Option<Advice> {
    if let Some(groups) = groups::advice(members, Noun::Blocks, &Unit::Micros, limits) {
        return Some(groups);
    }
    let most = members.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let mut all: Vec<f64> = members.iter().map(|member| member.value).collect();
    order::sort_floats(&mut all);
    let median = order::median(&all);
    if all.len() < 3 || median <= 0.0 || most.value < median * TOLD {
        return None;
    }
    // One of several that are as slow is no straggler.
    let slow: Vec<u32> = members.iter().filter(|m| most.value * AS_SLOW <= m.value).map(|m| m.row).collect();
    let is_mixed = groups::are_mixed(members, limits);
    let text = match (slow.len(), is_mixed) {
        (1, false) => message("Block {block} took {a}, {m} % longer than the median."),
        (1, true) => message("Block {block} took {a}, {m} % longer than the median of the {kind} units."),
        (_, false) => message("{n} of {all} blocks took within 5 % of the longest, {a}; the median is {b}."),
        (_, true) => {
            message("{n} of {all} {kind} units took within 5 % of the longest, {a}; the median is {b}.")
        }
    };
    let shown = |value: f64| number::in_sentence(value, &Unit::Micros);
    let text = text.with("block", groups::block_name(most, is_mixed)).with("kind", groups::stem(&most.kind));
    let text = text.with("a", shown(most.value)).with("m", more(most.value, median)).with("b", shown(median));
    let text = text.with("n", slow.len()).with("all", all.len());
    let is_costly = median * COSTLY <= most.value;
    if slow.len() == 1 {
        return Some(Advice { rows: slow, ..Advice::new(text, is_costly) });
    }
    let (text, can_save) = groups::spread(text, members, &Unit::Micros, limits);
    Some(Advice { rows: slow, ..Advice::new(text, is_costly && can_save) })
}

/// How far the quotients of two lists of the same measurements may be apart.
const SAME: f64 = 0.02;

/// Whether the durations of blocks that are told of are these cycles of units of a kind: as many, in the same relation.
pub(super) fn has_told(families: &[Family], kind: &str, mut cycles: Vec<f64>) -> bool {
    let tables = families.iter().filter(|family| BLOCKS.iter().any(|(_, id, _)| *id == family.id));
    let figures = tables.flat_map(|family| &family.variants);
    let told = figures.filter(|figure| figure.advice.iter().any(|advice| !advice.rows.is_empty()));
    order::sort_floats(&mut cycles);
    let is_same = |(stem, members): (String, Vec<Member>)| {
        let mut times: Vec<f64> = members.iter().map(|member| member.value).collect();
        order::sort_floats(&mut times);
        let quotients = times.iter().zip(&cycles).map(|(time, cycles)| cycles / time);
        let (least, most) = quotients.fold((f64::MAX, 0.0_f64), |(a, b), q| (a.min(q), b.max(q)));
        (stem.is_empty() || stem == kind) && times.len() == cycles.len() && most <= least * (1.0 + SAME)
    };
    let mut kinds = told.flat_map(|figure| match &figure.body {
        Body::Table(table) => of_kinds(table),
        _ => Vec::new(),
    });
    kinds.any(is_same)
}

/// The medians of cubes, of vectors and of other units; none of those that are apart, since no block may be near it.
fn medians(table: &TableFigure) -> Vec<Mark> {
    let names = [phrase("Median of cube units"), phrase("Median of vector units"), phrase("Median")];
    let mut all = names.map(|name| (name, Vec::new()));
    for (stem, members) in of_kinds(table).iter().filter(|(_, members)| !groups::are_apart(members)) {
        let at = match stem.as_str() {
            "cube" => 0,
            "vector" => 1,
            _ => 2,
        };
        if let Some((_, values)) = all.get_mut(at) {
            values.extend(members.iter().map(|member| member.value));
        }
    }
    let mark = |(name, mut values): (&str, Vec<f64>)| {
        order::sort_floats(&mut values);
        (!values.is_empty()).then(|| Mark { name: name.to_owned(), value: order::median(&values) })
    };
    all.into_iter().filter_map(mark).collect()
}

/// How the durations of the blocks are spread; `None` when there are fewer than two.
fn durations(table: &TableFigure, id: &str) -> Option<Family> {
    let columns = series(table);
    let mut all: Vec<f64> = columns.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    if all.len() < 2 {
        return None;
    }
    order::sort_floats(&mut all);
    let edges = edges_of(&all);
    let is_small = all.len() <= VALUES;
    let series = columns.into_iter().map(|(name, values)| HistogramSeries {
        name: name.to_owned(),
        counts: count(values.iter().copied(), &edges).counts,
        values: if is_small { values } else { Vec::new() },
    });
    let histogram = Histogram {
        x: AxisLabel { name: "Duration".to_owned(), unit: Unit::Micros, ..AxisLabel::default() },
        count_unit: Unit::Count("operator blocks".to_owned()),
        series: series.collect(),
        marks: medians(table),
        edges,
        ..Histogram::default()
    };
    let mut figure = Figure::new("Block durations", Body::Histogram(histogram));
    figure.notes = vec![message("Work distribution: blocks far to the right delay the operator.")];
    Some(Family::single(&format!("{id}-durations"), SECTION, figure))
}
