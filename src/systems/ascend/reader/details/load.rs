//! 0x06 and 0x07 compute workload: how busy the pipes of each block were, and what they did.
//!
//! Both are `{advice, subblock_detail: [{block_id, block_type, name, unit, value, origin_value}]}`; the design document
//! puts name, unit and value into a member `data_detail`. Block "NA" is the average of all cores. `unit` says what a value
//! is; old writers contradict themselves in 0x06, see [`super::super::details`].
//! Advice on the workload stands in 0x08, for each core: it is added when that is read.

use super::memory::ALL_NAME;
use super::pipes::{Pipes, unit_of as core_unit_of};
use super::{TABLE_ROWS, Timing, advice, load_blocks};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::base::{number, order};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::build::natural;
use crate::model::figure::{Advice, Bar, BarRole, Bars, Body, Choice, Family, Figure, TableFigure, TableOf};
use crate::systems::ascend::reader::field::{Fields, Within};

/// The panel of these figures.
pub(super) const SECTION: &str = "Compute workload";

/// Id of the bars, which advice of other blocks belongs to.
pub(super) const WORKLOAD: &str = "compute-workload";

/// The unit of values that are microseconds.
pub(super) const DURATION: Option<u8> = Some(0);
/// The unit of values that are percent.
pub(super) const PERCENT: Option<u8> = Some(3);

/// What an average over all cores is called.
pub(super) const AVERAGE: &str = "NA";
/// The same in choices.
pub(super) const AVERAGE_NAME: &str = "Average over all cores";

/// One value of a block.
pub(super) struct Entry {
    pub(super) block: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) unit: Option<u8>,
    pub(super) value: Option<f64>,
    pub(super) cycles: Option<f64>,
    advice: Vec<Advice>,
}

/// Adds the bars of 0x06: one family for each unit, shares of cycles first, with a figure for each block. What they say of
/// pipes is kept.
pub(crate) fn load_graph(json: &Json, timing: &Timing, pipes: &mut Pipes, within: &Within, sink: &mut Sink) {
    let (mut values, own) = values(json, within, sink);
    let remarks = timing.settle(&mut values);
    pipes.add_load(&values, timing);
    let mut units: Vec<Option<u8>> = values.iter().map(|v| v.unit).collect();
    order::sort_by_key(&mut units, |unit| (*unit != PERCENT, *unit));
    units.dedup();
    for (at, unit) in (0..).zip(units) {
        let mut groups = grouped(values.iter().filter(|v| v.unit == unit), |v| &v.block);
        order::sort_by(&mut groups, |a, b| block_order(a.0, b.0));
        let (quantity, shown) = unit_of(unit);
        let title = if unit == PERCENT { "Pipe utilization" } else { quantity };
        let variant = |(block, values): &(&str, Vec<&Entry>)| {
            let mut figure = Figure::new(title, Body::Bars(bars(values, &shown)));
            if unit == PERCENT {
                "share of cycles".clone_into(&mut figure.scope);
            }
            figure.advice.clone_from(&own);
            figure.advice.extend(values.iter().flat_map(|v| &v.advice).cloned());
            if *block == AVERAGE {
                figure.notes.push(message("Values are averages over all cores."));
            }
            figure.notes.extend(remarks.iter().filter(|(of, _)| *of == unit).map(|(_, note)| note.clone()));
            figure
        };
        let mut variants: Vec<Figure> = groups.iter().map(variant).collect();
        let all = over_all(&groups, timing);
        variants.extend(all.map(|all| {
            let mut figure = Figure::new(title, Body::Bars(bars(&refs(&all), &shown)));
            if unit == PERCENT {
                "share of cycles".clone_into(&mut figure.scope);
            }
            of_all(figure)
        }));
        let id =
            if at == 0 { WORKLOAD.to_owned() } else { format!("{WORKLOAD}-in-{}", quantity.to_lowercase()) };
        push(&id.replace(' ', "-"), title, &groups, variants, sink);
    }
    load_blocks::graph(&values, sink);
}

/// The unit and the factor of each value of 0x06, in the order of the file, as the figures have them.
pub(crate) fn shown_units(json: &Json, base_info: &Json) -> Vec<(Option<u8>, f64)> {
    // What is wrong with it is said when the file is read.
    let within = Within { entry: String::new(), byte: 0, block: Message::default() };
    let mut values = values(json, &within, &mut Sink::default()).0;
    let before: Vec<Option<f64>> = values.iter().map(|v| v.value).collect();
    Timing::of(base_info).settle(&mut values);
    let factor = |(before, after): (Option<f64>, &Entry)| {
        let is_scaled = before.zip(after.value).is_some_and(|(before, after)| before != after);
        (after.unit, if is_scaled { 100.0 } else { 1.0 })
    };
    before.into_iter().zip(&values).map(factor).collect()
}

/// The values of 0x06 as they are shown. What is wrong with them is said when the file is read.
pub(super) fn entries(json: &Json, timing: &Timing) -> Vec<Entry> {
    let within = Within { entry: String::new(), byte: 0, block: Message::default() };
    let mut values = values(json, &within, &mut Sink::default()).0;
    timing.settle(&mut values);
    values
}

/// Shares of cycles of 0x06 by name, in percent: those of the average over all cores, or of the cycles of all cores. Where
/// nothing says how many these are, by the durations of the blocks.
pub(super) fn shares(values: &[Entry], timing: &Timing, pipes: &Pipes) -> Vec<(String, f64)> {
    let has_average = values.iter().any(|v| v.block == AVERAGE);
    let meant = |v: &&Entry| v.unit == PERCENT && (v.block == AVERAGE || !has_average);
    let share = |(name, values): (&str, Vec<&Entry>)| {
        let mean = mean_share(&values, timing, pipes)?;
        Some((name.to_owned(), mean)).filter(|_| !name.is_empty())
    };
    grouped(values.iter().filter(meant), |v| &v.name).into_iter().filter_map(share).collect()
}

/// The share of values of several blocks, weighted by the cycles of their units; else by their durations.
fn mean_share(values: &[&Entry], timing: &Timing, pipes: &Pipes) -> Option<f64> {
    weighted_share(values, &|v| pipes.cycles(&v.block, Some(&core_unit_of(&v.kind).1)))
        .or_else(|| weighted_share(values, &|v| timing.duration(v)))
        .or_else(|| weighted_share(values, &|_| Some(1.0)))
}

/// The bars of one block, longest first.
fn bars(values: &[&Entry], unit: &Unit) -> Bars {
    let bar = |value: &&Entry| Bar {
        name: value.name.clone(),
        values: vec![value.value],
        role: if is_wait(&value.name) { BarRole::Wait } else { BarRole::Work },
        detail: value.cycles.map_or(String::new(), |c| format!("{} cycles", number::exact(c))),
    };
    let mut bars: Vec<Bar> = values.iter().take(TABLE_ROWS).map(bar).collect();
    let size = |bar: &Bar| bar.values.first().copied().flatten().unwrap_or(-1.0);
    order::sort_by(&mut bars, |a, b| size(b).total_cmp(&size(a)));
    let full = (*unit == Unit::Percent).then_some(100.0);
    Bars { unit: unit.clone(), full, bars, ..Bars::default() }
}

/// Adds the tables of 0x07: one for each type of block, such as cube0 and vector1, in a variant for each block. What they
/// say of pipes is kept.
pub(crate) fn load_tables(json: &Json, timing: &Timing, pipes: &mut Pipes, within: &Within, sink: &mut Sink) {
    let (values, own) = values(json, within, sink);
    pipes.add_waits(&values, timing);
    for (kind, rows) in grouped(values.iter(), |v| &v.kind) {
        let mut units: Vec<Option<u8>> = rows.iter().map(|v| v.unit).collect();
        order::sort_by_key(&mut units, |unit| *unit);
        units.dedup();
        let mut groups = grouped(rows.into_iter(), |v| &v.block);
        order::sort_by(&mut groups, |a, b| block_order(a.0, b.0));
        let title = if kind.is_empty() { SECTION.to_owned() } else { spaced(kind) };
        let variant = |(_, rows): &(&str, Vec<&Entry>)| {
            let mut figure = Figure::new(title.clone(), Body::Table(table(rows, &units)));
            figure.advice.clone_from(&own);
            figure
        };
        let mut variants: Vec<Figure> = groups.iter().map(variant).collect();
        let all = over_all(&groups, timing);
        let all = all.map(|all| Figure::new(title.clone(), Body::Table(table(&refs(&all), &units))));
        variants.extend(all.map(of_all));
        let id = if kind.is_empty() { "block".to_owned() } else { kind.to_lowercase() };
        push(&format!("compute-workload-{id}"), &title, &groups, variants, sink);
    }
    load_blocks::table(&values, sink);
}

/// Values with the same key together, in order of first appearance.
pub(super) fn grouped<'a>(
    values: impl Iterator<Item = &'a Entry>,
    key: fn(&Entry) -> &String,
) -> Vec<(&'a str, Vec<&'a Entry>)> {
    let mut groups: Vec<(&str, Vec<&Entry>)> = Vec::new();
    let mut by_key: Map<&str, usize> = Map::default();
    for value in values {
        let name = key(value).as_str();
        let at = *by_key.entry(name).or_insert_with(|| {
            groups.push((name, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, list)) = groups.get_mut(at) {
            list.push(value);
        }
    }
    groups
}

fn push(id: &str, title: &str, groups: &[(&str, Vec<&Entry>)], variants: Vec<Figure>, sink: &mut Sink) {
    if variants.is_empty() {
        return;
    }
    let mut options: Vec<String> = groups.iter().map(|(block, _)| block_name(block).to_owned()).collect();
    if options.len() < variants.len() {
        options.push(ALL_NAME.to_owned());
    }
    sink.builder.head().figures.push(Family {
        id: id.to_owned(),
        section: SECTION.to_owned(),
        title: title.to_owned(),
        choices: vec![Choice { name: "Block ID".to_owned(), options }],
        variants,
    });
}

fn refs(values: &[Entry]) -> Vec<&Entry> {
    values.iter().collect()
}

fn of_all(mut figure: Figure) -> Figure {
    figure.notes.push(message(
        "All blocks: shares are weighted by block cycles, counts and bytes are sums, times are those of the longest block.",
    ));
    figure
}

/// The values of all blocks together; `None` where there is one block, or the file has an average itself.
fn over_all(groups: &[(&str, Vec<&Entry>)], timing: &Timing) -> Option<Vec<Entry>> {
    if groups.len() < 2 || groups.iter().any(|(block, _)| *block == AVERAGE) {
        return None;
    }
    // The cycles of the unit of a block follow from a share with its cycles; large ones tell them best.
    let mut totals: Map<(&str, &str), (f64, f64)> = Map::default();
    for entry in groups.iter().flat_map(|(_, values)| values).filter(|entry| entry.unit == PERCENT) {
        let (Some(cycles), Some(share)) = (entry.cycles, entry.value.filter(|share| 0.0 < *share)) else {
            continue;
        };
        let own = totals.entry((entry.block.as_str(), entry.kind.as_str())).or_default();
        if own.0 < cycles {
            *own = (cycles, cycles / share * 100.0);
        }
    }
    let mut all: Vec<(&Entry, Vec<&Entry>)> = Vec::new();
    let mut places: Map<(&str, &str, Option<u8>), usize> = Map::default();
    for entry in groups.iter().flat_map(|(_, values)| values) {
        let at = *places.entry((entry.kind.as_str(), entry.name.as_str(), entry.unit)).or_insert(all.len());
        if at == all.len() {
            all.push((entry, Vec::new()));
        }
        if let Some((_, own)) = all.get_mut(at) {
            own.push(entry);
        }
    }
    let total = |v: &Entry| totals.get(&(v.block.as_str(), v.kind.as_str())).map(|(_, total)| *total);
    let one = |(first, own): &(&Entry, Vec<&Entry>)| {
        let values = || own.iter().filter_map(|v| v.value);
        let value = match first.unit {
            PERCENT => weighted_share(own, &total)
                .or_else(|| weighted_share(own, &|v| timing.duration(v)))
                .or_else(|| weighted_share(own, &|_| Some(1.0))),
            DURATION => values().max_by(f64::total_cmp),
            _ => values().reduce(|a, b| a + b),
        };
        Entry {
            block: ALL_NAME.to_owned(),
            kind: first.kind.clone(),
            name: first.name.clone(),
            unit: first.unit,
            value,
            cycles: own.iter().filter_map(|v| v.cycles).reduce(|a, b| a + b),
            advice: Vec::new(),
        }
    };
    Some(all.iter().map(one).collect())
}

/// The share of values of several blocks; `None` when one has no weight.
fn weighted_share(values: &[&Entry], weight: &dyn Fn(&Entry) -> Option<f64>) -> Option<f64> {
    let known = values.iter().filter(|v| v.value.is_some());
    let both: Option<Vec<(f64, f64)>> = known.map(|v| Some((v.value?, weight(v)?))).collect();
    super::brief_weighted(both?.into_iter())
}

/// The values of a block in either spelling, and the advice that holds for all.
fn values(json: &Json, within: &Within, sink: &mut Sink) -> (Vec<Entry>, Vec<Advice>) {
    let mut fields = Fields::new(within, sink);
    let sentences = |json: &Json| {
        let list = json.get("advice").map_or(&[][..], Json::items);
        advice(list.iter().filter_map(Json::as_str), true)
    };
    let mut values = Vec::new();
    for (i, item) in (1..).zip(fields.items(json, "subblock_detail", "")) {
        let inside = format!("subblock_detail ▸ row {i}");
        let detail = item.get("data_detail").unwrap_or(item);
        if item.members().is_empty() {
            fields.left_out(&inside, "an object", crate::systems::ascend::reader::field::shown(item));
            continue;
        }
        let unit = fields.number(detail, "unit", &inside);
        // Units are single digits; everything else is no unit.
        let unit = (0..=9u8).find(|&u| unit == Some(f64::from(u)));
        let block = fields.text(item, "block_id", &inside);
        values.push(Entry {
            block: if block.is_empty() { AVERAGE.to_owned() } else { block },
            kind: fields.text(item, "block_type", &inside),
            name: fields.text(detail, "name", &inside),
            unit,
            value: fields.number(detail, "value", &inside),
            cycles: fields.number(detail, "origin_value", &inside).filter(|v| 0.0 <= *v),
            advice: if detail.get("advice").is_some() || item.get("advice").is_some() {
                sentences(item)
            } else {
                Vec::new()
            },
        });
    }
    (values, sentences(json))
}

/// What a block is called in choices.
pub(super) fn block_name(block: &str) -> &str {
    if matches!(block, "" | AVERAGE) { AVERAGE_NAME } else { block }
}

/// What a unit number of the file means: name of the quantity, and its unit.
pub(super) fn unit_of(unit: Option<u8>) -> (&'static str, Unit) {
    match unit {
        Some(0) => ("Duration", Unit::Micros),
        Some(1) => ("Instructions", Unit::Count("instructions".to_owned())),
        Some(2) => ("Data volume", Unit::Bytes),
        Some(3) => ("Share", Unit::Percent),
        Some(4) => ("Operations", Unit::Count("ops".to_owned())),
        _ => ("Value", Unit::None),
    }
}

/// The average first, then by number.
pub(super) fn block_order(a: &str, b: &str) -> std::cmp::Ordering {
    let is_block = |name: &str| name != AVERAGE && name != AVERAGE_NAME;
    is_block(a).cmp(&is_block(b)).then_with(|| natural(a, b)).then_with(|| a.cmp(b))
}

/// Rows of one block: each value in the column of its unit.
fn table(values: &[&Entry], units: &[Option<u8>]) -> TableFigure {
    let shown = values.get(..TABLE_ROWS).unwrap_or(values);
    let table = TableOf::new(shown).words("Name", |value| &value.name);
    let table = units.iter().fold(table, |table, &of| {
        let (name, unit) = unit_of(of);
        table.bars(name, unit, |value| value.value.filter(|_| of == value.unit))
    });
    table.more(values.len() - shown.len()).table()
}

/// Whether a name says waiting: "Cube Wait", "Vector Wait1".
fn is_wait(name: &str) -> bool {
    name.split_ascii_whitespace().any(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()) == "Wait")
}

/// `vector0` as `Vector 0`.
fn spaced(kind: &str) -> String {
    let stem = kind.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = kind.get(stem.len()..).unwrap_or("");
    let mut chars = stem.chars();
    let head: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let gap = if digits.is_empty() { "" } else { " " };
    format!("{head}{}{gap}{digits}", chars.as_str())
}
