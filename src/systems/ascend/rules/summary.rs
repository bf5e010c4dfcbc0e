//! The first figures of an operator: how long it took, what bounds it, which cores it used, how near it came to a roof, and
//! how often L2 had what was asked for; then where it goes.

use super::covered::Covered;
use super::operator::{Kind, Operator, Times, operators};
use super::roofs::is_reached;
use super::seen::{Seen, cores, seen};
use super::{details, of_100};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::number::{exact, fixed, thousands, with_unit};
use crate::base::order;
use crate::base::time::Span;
use crate::base::unit::Unit;
use crate::base::words::{Arg, Message, message, phrase};
use crate::draw::chart::brief;
use crate::draw::style::work_ink;
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{RuleInput, Summary};
use crate::model::figure::{Body, Cell, Figure, Roof};
use crate::model::files::BlockState;
use crate::scene::palette::Ink;
use crate::systems::ascend::BOUND;
use crate::systems::ascend::reader::{PIPES, WAITS_COARSE, WAITS_UNTIMED};

/// Rows of a part.
const ROWS: usize = 7;
/// How much more than the whole costs of rows add up to where some count in several.
const SHARED: f64 = 1.001;

/// A part of these rows of so many: the first are shown.
fn part(rows: impl Iterator<Item = PartRow>, n: usize, own: Part) -> Part {
    own.with_rows(rows, (ROWS, n))
}

/// The figures of the operator that takes longest, or of a timeline of cores.
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let all = operators(input.trace);
    let n = all.len();
    let operator = all.into_iter().rev().max_by(|a, b| {
        let of = |own: &Operator| own.duration.unwrap_or(0.0);
        of(a).total_cmp(&of(b))
    });
    let seen = seen(input);
    let is_ours = operator.is_some() || !cores(input).is_empty();
    if !is_ours {
        return None;
    }
    let operator = operator.as_ref();
    let seen = seen.iter().find(|seen| match (&seen.operator, operator) {
        (Some(own), Some(operator)) => own.name == operator.name && own.duration == operator.duration,
        (None, _) => true,
        _ => false,
    });
    let tiles = vec![
        duration(input, operator, n),
        bound(seen, operator),
        used(input, operator),
        roof(input, operator),
        hit_rate(operator),
    ];
    let parts = [by_pipe(seen), hottest(input), blocks(operator), paths(operator)];
    Some(Summary { tiles, parts: parts.into_iter().flatten().collect() })
}

fn tile(label: &'static str, value: impl Into<Message>, comparison: Message, bar: Vec<(f64, Color)>) -> Tile {
    Tile { label: label.into(), value: value.into(), comparison, bar, ..Tile::default() }
}

/// A figure that the file does not have, and what records it.
fn unknown(label: &'static str, how: Message) -> Tile {
    tile(label, "–", how, Vec::new())
}

fn duration(input: &RuleInput, operator: Option<&Operator>, n: usize) -> Tile {
    let label = phrase("Duration");
    if let Some((operator, micros)) = operator.and_then(|own| Some((own, own.duration?))) {
        let times = operator.times().filter(|times| times.unit == Unit::Micros);
        let any = times.as_ref().and_then(|times| Some(times.longest()?.value));
        let longest = any.filter(|_| times.as_ref().is_some_and(|times| operator.fits(times)));
        let nanos = |micros: f64| with_unit(micros * 1e3, &Unit::Nanos);
        let some = longest.and(times.as_ref()).and_then(|times| operator.timed(times, "vector"));
        let comparison = match (n, longest) {
            (2.., _) => message("the longest of {n} operators").with("n", n),
            (_, Some(longest)) => match &some {
                Some(some) => message("longest block {time}; {some}")
                    .with("time", nanos(longest))
                    .with_message("some", some.clone()),
                None => message("longest block {time}").with("time", nanos(longest)),
            },
            (_, None) if any.is_some() => {
                message("blocks take {time}: not comparable").with("time", nanos(any.unwrap_or(0.0)))
            }
            _ => operator.chip.to_owned().into(),
        };
        let bar = longest.map_or_else(Vec::new, |longest| {
            let part = share(longest, micros);
            vec![(part, Color::Compute), (1.0 - part, Color::Idle)]
        });
        let id = operator.family("base-info").map_or("base-info", |family| &family.id);
        let own = tile(label, nanos(micros), comparison, bar).amount(micros, Unit::Micros);
        return Tile { address: details(id, &[]), some: some.unwrap_or_default(), ..own };
    }
    match cores(input).iter().map(|core| core.span).reduce(Span::union) {
        Some(whole) => {
            let said = message("in the timeline, from the first to the last slice of a core");
            let (time, unit) = input.time(whole.dur());
            tile(label, input.duration(whole.dur()), said, Vec::new()).amount(time, unit)
        }
        None => unknown(label, message("the base info of msprof op on a device has it")),
    }
}

fn bound(seen: Option<&Seen>, operator: Option<&Operator>) -> Tile {
    let label = phrase("Bound by");
    let busiest = seen.and_then(|seen| Some((seen, seen.busiest()?)));
    let by_roof = || operator.and_then(|operator| bound_by_roof(label, operator));
    if busiest.is_none_or(|(_, (_, pipe))| pipe.deciding < BOUND)
        && let Some(tile) = by_roof()
    {
        return tile;
    }
    if let Some(why) = seen.and_then(Seen::undecided) {
        let address = seen.map_or_else(String::new, |seen| seen.place().1);
        return Tile { address, ..unknown(label, why) };
    }
    let Some((seen, (kind, pipe))) = busiest else {
        return unknown(
            label,
            if seen.is_some() {
                message("one pipe was recorded: --aic-metrics=Default, or a timeline, tells of all")
            } else {
                message("--aic-metrics=Default, or a timeline, shows pipe activity")
            },
        );
    };
    let (value, comparison): (Message, Message) = if BOUND <= pipe.deciding {
        let said = match &kind.block {
            Some(block) => {
                message("{what}, {n} of the cycles of block {block}, the longest").with("block", block)
            }
            None => message("{what}, {n} of the time of the {kind} cores").with("kind", &kind.name),
        };
        let what: Message = what(&pipe.name).into();
        (pipe.name.clone().into(), said.with_message("what", what).with("n", of_100(pipe.deciding)))
    } else {
        let waits = kind.pipes.iter().filter_map(|pipe| pipe.waiting).fold(0.0, f64::max);
        let said = if pipe.deciding < waits {
            message("pipe waits: the busiest, {pipe}, is active in {n}")
        } else {
            message("no single pipe: the busiest, {pipe}, is active in {n}")
        };
        (message("latency"), said.with("pipe", &pipe.name).with("n", of_100(pipe.deciding)))
    };
    // Of several kinds of cores those that take the time are meant.
    let value = if 1 < seen.kinds.len() {
        message("{kind}: {what}").with("kind", &kind.name).with_message("what", value)
    } else {
        value
    };
    let part = (pipe.deciding / 100.0).clamp(0.0, 1.0);
    let bar = vec![(part, color(&pipe.name)), (1.0 - part, Color::Idle)];
    let some = seen.covers(&kind.name).unwrap_or_default();
    let comparison = if some.is_empty() {
        comparison
    } else {
        message("{said}; {some}").with_message("said", comparison).with_message("some", some.clone())
    };
    Tile { address: seen.place().1, some, ..tile(label, value, comparison, bar) }
}

/// What bounds an operator that is near to a roof.
fn bound_by_roof(label: &'static str, operator: &Operator) -> Option<Tile> {
    let (roof, address) = nearest(operator).filter(|(roof, _)| is_reached(roof))?;
    let is_memory = roof.point.as_ref().is_some_and(|point| roof.is_memory_bound(point.x));
    let value = if is_memory { message("memory") } else { message("compute") };
    let said = message("{name}, {n} of its roof").with("name", brief(roof.limit_name()));
    let reached = roof.reached().clamp(0.0, 1.0);
    let color = if is_memory { Color::Copy } else { Color::Compute };
    let bar = vec![(reached, color), (1.0 - reached, Color::Idle)];
    Some(Tile { address, ..tile(label, value, said.with("n", percent(roof.reached())), bar) })
}

/// What a pipe does.
fn what(pipe: &str) -> &'static str {
    match pipe.to_uppercase().as_str() {
        "CUBE" | "VECTOR" | "VEC" => phrase("computing"),
        "MTE1" => phrase("moves from L1 to L0"),
        "MTE2" => phrase("reading memory"),
        "MTE3" | "FIXP" => phrase("writing memory"),
        _ => phrase("scalar work"),
    }
}

/// The color that a pipe has in charts and on the timeline.
fn color(pipe: &str) -> Color {
    match work_ink(pipe) {
        Ink::Slice(number) => Color::Series(number.saturating_sub(1)),
        _ => Color::Plain,
    }
}

fn used(input: &RuleInput, operator: Option<&Operator>) -> Tile {
    let label = phrase("Cores");
    let times = operator.and_then(Operator::times);
    let said = operator.zip(times.as_ref()).and_then(|(operator, times)| balance(operator, times));
    let said = said.unwrap_or_default();
    let some = operator.zip(times.as_ref()).and_then(|(operator, times)| {
        operator.timed(times, &times.longest()?.kind).filter(|_| operator.fits(times))
    });
    let some = some.unwrap_or_default();
    let blocks = operator.and_then(|own| Some((own, own.n_blocks?)));
    if let Some((operator, n)) = blocks {
        let kind = operator.kind_of_blocks();
        let id = times.as_ref().map_or("base-info", |times| &times.family.id);
        let address = details(id, &[]);
        return match operator.n_units(kind) {
            Some(units) => {
                let busy = n.min(units);
                let value = message("{n} of {m} {kind}")
                    .with("n", exact(busy))
                    .with("m", exact(units))
                    .with("kind", kind);
                let part = share(busy, units);
                let bar = vec![(part, Color::Compute), (1.0 - part, Color::Idle)];
                Tile { address, some, ..tile(label, value, said, bar) }
            }
            None => {
                let own = tile(label, message("{n} blocks").with("n", exact(n)), said, Vec::new());
                Tile { address, some, ..own.amount(n, Unit::None) }
            }
        };
    }
    let all = cores(input);
    match all.len() {
        0 => unknown(label, message("the base info of msprof op on a device has it")),
        n => tile(label, thousands(n as u64), message("cores in the timeline"), Vec::new())
            .amount(n as f64, Unit::None),
    }
}

/// How even the times of units are; `None` of a single one.
fn balance(operator: &Operator, times: &Times) -> Option<Message> {
    if !operator.fits(times) {
        return Some(message("block times exceed the operator time"));
    }
    let longest = times.longest()?;
    let (n, sum) = times.of(&longest.kind).fold((0.0, 0.0), |(n, sum), unit| (n + 1.0, sum + unit.value));
    if n <= 1.0 {
        return None;
    }
    let said = message("slowest {n} times the mean").with("n", fixed(longest.value / (sum / n), 2));
    if let Some(some) = operator.timed(times, &longest.kind) {
        return Some(message("{said}; {some}").with_message("said", said).with_message("some", some));
    }
    Some(match times.without(&longest.kind) {
        0 => said,
        without => message("{said}; {m} without a time").with_message("said", said).with("m", without),
    })
}

/// The roof that an operator came nearest to, with the place of its chart.
pub(super) fn nearest<'a>(operator: &Operator<'a>) -> Option<(&'a Roof, String)> {
    let family = operator.family("roofline-chart")?;
    let charts = (0..).zip(&family.variants).filter_map(|(at, figure)| match &figure.body {
        Body::Roofline(chart) => Some((at, chart)),
        _ => None,
    });
    let roofs = charts.flat_map(|(at, chart)| chart.roofs.iter().map(move |roof| (at, roof)));
    let roofs = roofs.filter(|(_, roof)| roof.point.is_some());
    let (at, roof) = roofs.max_by(|a, b| a.1.reached().total_cmp(&b.1.reached()))?;
    Some((roof, details(&family.id, &[at])))
}

/// Whether there are roofs at all, with a point or without.
pub(super) fn has_roofs(operator: &Operator) -> bool {
    operator.table("roofline-values").is_some_and(|table| !table.rows.is_empty())
}

/// The name of a roof with that of its chart: those of other charts are other roofs.
pub(super) fn named(operator: &Operator, roof: &Roof) -> Message {
    let name = brief(roof.limit_name());
    let family = operator.family("roofline-chart");
    let of = family.and_then(|family| {
        let has = |figure: &Figure| match &figure.body {
            Body::Roofline(chart) => chart.roofs.iter().any(|own| std::ptr::eq(own, roof)),
            _ => false,
        };
        let at = family.variants.iter().position(has)?;
        family.choices.first()?.options.get(at)
    });
    match of {
        Some(chart) => message("{name} in {chart}").with("name", name).with("chart", chart),
        None => name.into(),
    }
}

/// Whether roofs are missing since the block that has them is damaged.
pub(super) fn has_cut_roofs(input: &RuleInput) -> bool {
    input.trace.blocks.iter().any(|block| block.kind == ROOFS && block.state == BlockState::Damaged)
}

/// The type of the blocks that have roofs.
const ROOFS: u32 = 0x0D;

fn roof(input: &RuleInput, operator: Option<&Operator>) -> Tile {
    let label = phrase("Share of roof");
    match operator.and_then(nearest) {
        Some((roof, address)) => {
            let reached = roof.reached().clamp(0.0, 1.0);
            let said = if has_cut_roofs(input) {
                message("of {name}, the nearest of those that could be read")
            } else {
                message("of {name}, the nearest")
            };
            let said = said.with("name", brief(roof.limit_name()));
            let of = operator.map_or_else(Message::default, |operator| named(operator, roof));
            let bar = vec![(reached, Color::Compute), (1.0 - reached, Color::Idle)];
            let own = tile(label, percent(roof.reached()), said, bar).amount(roof.reached(), Unit::Share);
            Tile { address, of, ..own }
        }
        None if operator.is_some_and(has_roofs) => unknown(label, message("no measured point recorded")),
        None => unknown(label, message("recorded by --aic-metrics=Roofline")),
    }
}

fn hit_rate(operator: Option<&Operator>) -> Tile {
    let label = phrase("L2 hit rate");
    let Some((operator, cache)) = operator.and_then(|own| Some((own, super::caches::cache(own)?))) else {
        return unknown(label, message("recorded by msprof op on a device"));
    };
    let rate = cache.rate();
    let some = super::caches::covered(operator);
    let n = thousands(cache.requests() as u64);
    // What is known of some blocks only says so before anything else.
    let said = match super::caches::contradiction(operator) {
        None => Covered::behind(message("{n} requests").with("n", n), some),
        Some(chart) => {
            let m = thousands(chart.requests() as u64);
            let m = match super::caches::chart_covered(operator) {
                Some(some) => message("{n} ({some})").with("n", m).with_message("some", some.text()),
                None => m.into(),
            };
            let said = match some {
                Some(some) => message("{n} requests ({some}); memory chart {rate} of {m}")
                    .with_message("some", some.text()),
                None => message("{n} requests; memory chart {rate} of {m}"),
            };
            said.with("n", n).with("rate", percent(chart.rate())).with_message("m", m)
        }
    };
    let bar = vec![(rate, Color::Compute), (1.0 - rate, Color::Wait)];
    let own = tile(label, percent(rate), said, bar).amount(rate, Unit::Share);
    let address = super::caches::cache_place(operator);
    // A rate of some blocks is no change of one of all.
    Tile { address, of: some.map_or_else(Message::default, Covered::text), ..own }
}

// Where it goes.

fn by_pipe(seen: Option<&Seen>) -> Option<Part> {
    let seen = seen?;
    let address = seen.place().1;
    let several = 1 < seen.kinds.len();
    let row = |kind: &Kind, pipe: &super::operator::Pipe| PartRow {
        name: if several { format!("{} {}", kind.name, pipe.name) } else { pipe.name.clone() }.into(),
        bar: vec![(pipe.active / 100.0, color(&pipe.name))],
        cells: vec![
            of_100(pipe.active),
            pipe.waiting.map_or_else(|| "–".to_owned(), of_100),
            of_100(pipe.most),
        ],
        amount: Some((pipe.active, Unit::Percent)),
        units: pipe.units.clone(),
        address: address.clone(),
        ..PartRow::default()
    };
    // A pipe without a share may be the busiest.
    let unshared = |kind: &Kind, (pipe, cycles): &(String, f64)| PartRow {
        name: if several { format!("{} {pipe}", kind.name) } else { pipe.clone() }.into(),
        cells: vec![with_unit(*cycles, &Unit::Cycles), "–".to_owned(), "–".to_owned()],
        address: address.clone(),
        ..PartRow::default()
    };
    let mut rows: Vec<(f64, PartRow)> = Vec::new();
    for kind in &seen.kinds {
        rows.extend(kind.unshared.iter().map(|own| (f64::MAX, unshared(kind, own))));
        rows.extend(kind.pipes.iter().map(|pipe| (pipe.active, row(kind, pipe))));
    }
    order::sort_by(&mut rows, |a, b| b.0.total_cmp(&a.0));
    let n = rows.len();
    let note = message("share of core time; pipes work in parallel");
    let figure = seen.operator.as_ref().and_then(|operator| operator.of_all(PIPES));
    let notes = figure.into_iter().flat_map(|(figure, _)| &figure.notes);
    let out = notes.filter_map(|own| {
        let said = match &*own.key {
            WAITS_COARSE => {
                message("{note}; waits of {pipe} in whole microseconds, too coarse here, are left out")
            }
            WAITS_UNTIMED => message(
                "{note}; waits of {pipe} are left out: the file does not say how long its blocks took",
            ),
            _ => return None,
        };
        Some(said.with("pipe", value_of(own, "pipe")))
    });
    let note = out.fold(note, |note, said| said.with_message("note", note));
    let own = Part {
        title: message("By pipe"),
        note,
        columns: [phrase("Active"), phrase("Wait"), phrase("Active, max")].map(str::to_owned).to_vec(),
        list: address,
        ..Part::default()
    };
    Some(part(rows.into_iter().map(|(_, row)| row), n, own))
}

/// A value of a message.
fn value_of<'a>(message: &'a Message, name: &str) -> &'a str {
    match message.args.iter().find(|(own, _)| own == name) {
        Some((_, Arg::Value(value))) => value,
        _ => "",
    }
}

fn hottest(input: &RuleInput) -> Option<Part> {
    let hot = super::code::hottest(input)?;
    let is_shared = hot.total * SHARED < hot.rows.iter().map(|row| row.cost).sum();
    let rows = hot.rows.iter().map(|row| PartRow {
        name: row.name.clone().into(),
        bar: vec![(share(row.cost, hot.rows.first().map_or(1.0, |first| first.cost)), Color::Plain)],
        cells: vec![with_unit(row.cost, &hot.unit), percent(share(row.cost, hot.total)), row.text.clone()],
        amount: Some((row.cost, hot.unit.clone())),
        address: row.address.clone(),
        ..PartRow::default()
    });
    let own = Part {
        title: hot.title.into(),
        note: if is_shared {
            message("all cores combined; lines overlap, so shares add up to more than 100 %")
        } else {
            message("all cores combined")
        },
        columns: [phrase("Cost"), phrase("Share"), phrase("Text")].map(str::to_owned).to_vec(),
        list: Place::view("source").address(),
        ..Part::default()
    };
    Some(part(rows, hot.n, own))
}

fn blocks(operator: Option<&Operator>) -> Option<Part> {
    let operator = operator?;
    let times = operator.times()?;
    let mut units = times.units.clone();
    order::sort_by(&mut units, |a, b| b.value.total_cmp(&a.value));
    let longest = units.first()?.value;
    let scale = if times.unit == Unit::Micros { 1e3 } else { 1.0 };
    let unit = if times.unit == Unit::Micros { Unit::Nanos } else { Unit::Cycles };
    let address = details(&times.family.id, &[]);
    let rows = units.iter().map(|own| PartRow {
        name: if times.rows_are_cores { message("core {n} {unit}") } else { message("block {n} {unit}") }
            .with("n", &own.block)
            .with("unit", &own.name),
        bar: vec![(share(own.value, longest), Color::Compute)],
        cells: vec![with_unit(own.value * scale, &unit)],
        amount: Some((own.value * scale, unit.clone())),
        address: address.clone(),
        ..PartRow::default()
    });
    let own = Part {
        title: message("Slowest units"),
        note: if let Some(some) = operator.timed(&times, "vector").filter(|_| operator.fits(&times)) {
            message("time per unit; {some}").with_message("some", some)
        } else if operator.fits(&times) {
            message("time per unit")
        } else {
            message("time per unit; longer than the operator, not comparable")
        },
        list: address.clone(),
        ..Part::default()
    };
    Some(part(rows, units.len(), own))
}

fn paths(operator: Option<&Operator>) -> Option<Part> {
    let operator = operator?;
    let table = operator.table("memory-paths")?;
    let at = |name: &str| table.columns.iter().position(|column| column.name == name);
    // Means weighted by times of another run are none.
    let is_timed = operator.times().is_none_or(|times| operator.fits(&times));
    let measure = if is_timed { phrase("Bandwidth") } else { phrase("Requests") };
    let unit = if is_timed { Unit::GigabytesPerSec } else { Unit::Count("requests".to_owned()) };
    let (rate, peak) = (at(measure), at("Share of peak").filter(|_| is_timed));
    let number = |row: &[Cell], at: Option<usize>| at.and_then(|at| row.get(at)).and_then(Cell::as_number);
    let mut rows: Vec<(&str, f64, Option<f64>)> = Vec::new();
    for row in &table.rows {
        if let (Some(Cell::Text(name)), Some(rate)) = (row.first(), number(row, rate)) {
            rows.push((name, rate, number(row, peak)));
        }
    }
    rows.retain(|(_, rate, _)| 0.0 < *rate);
    order::sort_by(&mut rows, |a, b| b.1.total_cmp(&a.1));
    let most = rows.first()?.1;
    let (_, chosen) = operator.of_all("memory-paths")?;
    let address =
        details(operator.family("memory-paths").map_or("memory-paths", |family| &family.id), &chosen);
    let n = rows.len();
    let rows = rows.into_iter().map(|(name, rate, peak)| PartRow {
        name: name.to_owned().into(),
        bar: vec![(share(rate, most), Color::Copy)],
        cells: if is_timed {
            vec![with_unit(rate, &unit), peak.map_or_else(|| "–".to_owned(), of_100)]
        } else {
            vec![thousands(rate as u64)]
        },
        amount: Some((rate, unit.clone())),
        address: address.clone(),
        ..PartRow::default()
    });
    let own = Part {
        title: message("By memory path"),
        note: if is_timed {
            message("mean bandwidth of a block")
        } else {
            message("requests: block times exceed the operator time, so mean bandwidths are left out")
        },
        of: if is_timed { Message::default() } else { message("requests") },
        columns: [Some(measure), is_timed.then_some(phrase("Share of peak"))]
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect(),
        list: address.clone(),
        ..Part::default()
    };
    Some(part(rows, n, own))
}
