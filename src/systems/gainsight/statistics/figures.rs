//! The figures of each log: which there are, and what can be chosen.

use super::{Log, Logs, Snapshot, indices, snapshot};
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{
    Axis, AxisLabel, Bar, BarRole, Bars, Body, Cell, Choice, Fact, Facts, Figure, HeatMap, Histogram,
    HistogramSeries, ScaleKind, TableOf,
};
use std::collections::BTreeMap;

/// The panel of the figures.
const SECTION: &str = phrase("Simulator statistics");

type Compute = fn(&AnalysisInput, &str, &[usize]) -> Figure;

fn choice(name: &str, options: Vec<String>) -> Choice {
    Choice { name: name.to_owned(), options }
}

/// Makes a figure of the numbers that are shown.
pub(super) fn of(input: &AnalysisInput, id: &str, make: impl FnOnce(&Snapshot) -> Body) -> Figure {
    let Some(shown) = snapshot(input, id) else { return Figure::new("", Body::Facts(Facts::default())) };
    let mut figure = Figure::new("", make(&shown));
    figure.scope = shown.scope();
    figure
}

/// Streams that breakdowns name.
pub(super) fn streams(log: &Log) -> Vec<String> {
    let mut streams: Vec<String> = Vec::new();
    for key in &log.keys {
        let stream = indices(key).next().filter(|index| index.starts_with("Stream_"));
        if let Some(stream) = stream.filter(|stream| streams.iter().all(|known| known != stream)) {
            streams.push(stream.to_owned());
        }
    }
    streams
}

/// What can be chosen of breakdowns: the cache, and the stream where there are several.
fn of_breakdown(log: &Log) -> Vec<Choice> {
    let names = Snapshot::titles(log, "", "_breakdown");
    let caches = names.iter().filter(|name| !name.starts_with("traffic")).cloned().collect();
    let mut chosen = vec![choice("Cache", caches)];
    let streams = streams(log);
    if !streams.is_empty() {
        let all = std::iter::once(phrase("All streams").to_owned());
        chosen.push(choice("Stream", all.chain(streams).collect()));
    }
    chosen
}

/// Figures of all logs. Ids end with the number of the log.
pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let logs = input.trace.extensions.get::<Logs>().map_or(&[][..], |logs| &logs.0);
    let mut all = Vec::new();
    for (number, log) in logs.iter().enumerate() {
        let mut add = |id: &str, title: &str, kind, columns, choices: Vec<Choice>, compute: Compute| {
            if choices.iter().any(|choice| choice.options.is_empty()) {
                return;
            }
            let title = if logs.len() < 2 { title.to_owned() } else { format!("{title}: {}", log.name) };
            let of = (format!("{id}-{number}"), SECTION, title);
            all.push(ComputedFigure::new(of, (kind, columns), compute).choosing(choices));
        };
        let has = |begin: &str| log.keys.iter().any(|key| key.starts_with(begin));
        add("kernel-statistics", phrase("Kernels"), "table", 3, Vec::new(), super::table_kernels);
        let chosen = of_breakdown(log);
        add(
            "cache-breakdown",
            phrase("Cache accesses by type and outcome"),
            "bars",
            3,
            chosen,
            super::cache_breakdown,
        );
        let units =
            ["_cache_core", "_cache_bank"].iter().flat_map(|end| Snapshot::titles(log, "", end)).collect();
        let shown = super::SHOWN.iter().map(ToString::to_string).collect();
        let chosen = vec![choice("Cache", units), choice("Show as", shown)];
        add("cache-units", phrase("Caches by core and bank"), "bars", 2, chosen, super::cache_units);
        let banks = choice("Show as", Snapshot::titles(log, "dram.", ""));
        add("memory-banks", phrase("Memory by channel and bank"), "heat-map", 2, vec![banks], memory_banks);
        let latencies = choice("Show as", Snapshot::titles(log, "", "_lat_table"));
        add("latencies", phrase("Latencies"), "histogram", 2, vec![latencies], memory_latencies);
        if has("warps.") {
            add("warp-occupancy", phrase("Lanes of issued warps"), "bars", 2, Vec::new(), super::cache_warps);
        }
        if has("traffic_breakdown") {
            add(
                "interconnect-traffic",
                phrase("Interconnect traffic"),
                "bars",
                2,
                Vec::new(),
                memory_traffic,
            );
        }
        if has("Req_Network") || has("icnt") {
            add("interconnect", phrase("Interconnect"), "facts", 1, Vec::new(), memory_interconnect);
        }
        if has("DRAM[") {
            add("memory-channels", phrase("Memory channels"), "table", 3, Vec::new(), memory_channels);
        }
        add("all-statistics", phrase("All statistics"), "table", 3, Vec::new(), super::table_all);
    }
    all
}

/// What is said below figures of one kernel.
pub(super) fn note(figure: &mut Figure, input: &AnalysisInput, id: &str) {
    if snapshot(input, id).is_some_and(|shown| shown.kernel.is_some()) {
        figure
            .notes
            .push(message("Counts cover this kernel; averages and maxima cover all kernels up to it."));
    }
}

// Memory and interconnect: channels by banks, latencies, traffic.

/// Most channels and banks of a matrix.
const SIDE: usize = 4_096;

/// The title that is chosen among those of a log.
fn title(input: &AnalysisInput, id: &str, (begin, end): (&str, &str), chosen: &[usize]) -> String {
    let number = id.rsplit('-').next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(usize::MAX);
    let log = input.trace.extensions.get::<Logs>().and_then(|logs| logs.0.get(number));
    let titles = log.map_or_else(Vec::new, |log| Snapshot::titles(log, begin, end));
    titles.get(chosen.first().copied().unwrap_or(0)).cloned().unwrap_or_default()
}

/// Channels by banks.
fn memory_banks(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let title = title(input, id, ("dram.", ""), chosen);
    let mut figure = of(input, id, |shown| {
        let mut cells: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (rest, value) in shown.under(&format!("dram.{title}[")) {
            let rest = format!("[{rest}");
            let mut numbers = indices(&rest).map_while(|index| index.parse::<usize>().ok());
            if let (Some(channel), Some(bank)) = (numbers.next(), numbers.next())
                && channel.max(bank) < SIDE
            {
                cells.insert((channel, bank), value.unwrap_or(f64::NAN));
            }
        }
        let height = cells.keys().map(|(channel, _)| channel + 1).max().unwrap_or(0);
        let width = cells.keys().map(|(_, bank)| bank + 1).max().unwrap_or(0);
        // Few rows say no more than there are: a large number alone must not make a large map.
        let is_dense = height.saturating_mul(width) <= cells.len().saturating_mul(16).max(256);
        let (height, width) = if is_dense { (height, width) } else { (0, 0) };
        let mut values = vec![f32::NAN; height * width];
        for ((channel, bank), value) in &cells {
            if let Some(place) = values.get_mut(channel * width + bank) {
                *place = HeatMap::cell(Some(*value).filter(|value| value.is_finite()));
            }
        }
        let axis = |name: &str, n: usize| Axis {
            label: AxisLabel { name: name.to_owned(), ..AxisLabel::default() },
            from: 0.0,
            to: n as f64,
            names: (0..n).map(|number| number.to_string()).collect(),
        };
        Body::HeatMap(HeatMap {
            x: axis(phrase("Bank"), width),
            y: axis(phrase("Channel"), height),
            width: u32::try_from(width).unwrap_or(0),
            height: u32::try_from(height).unwrap_or(0),
            values,
            ..HeatMap::default()
        })
    });
    figure.scope = super::cache_scoped(&figure.scope, &title);
    note(&mut figure, input, id);
    figure
}

/// Counts by latency, whose bins are powers of two.
fn memory_latencies(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let title = title(input, id, ("", "_lat_table"), chosen);
    let mut figure = of(input, id, |shown| {
        let mut counts = Vec::new();
        for (rest, value) in shown.under(&format!("{title}[")) {
            let Some(at) =
                rest.strip_suffix(']').and_then(|at| at.parse::<usize>().ok()).filter(|at| *at < 64)
            else {
                continue;
            };
            counts.resize(counts.len().max(at + 1), 0.0);
            if let Some(place) = counts.get_mut(at) {
                *place = value.unwrap_or(0.0);
            }
        }
        let used = counts.iter().rposition(|count| *count != 0.0).map_or(1, |last| last + 1);
        counts.truncate(used);
        let edges = (0..=counts.len()).map(|at| 2_f64.powi(i32::try_from(at).unwrap_or(0))).collect();
        let x = AxisLabel { name: phrase("Latency").to_owned(), unit: Unit::Cycles, scale: ScaleKind::Log };
        let series = vec![HistogramSeries { name: title.clone(), counts, values: Vec::new() }];
        Body::Histogram(Histogram { x, edges, series, ..Histogram::default() })
    });
    figure.notes.push(message("Latencies of 0 and 1 share one bin."));
    figure
}

/// Bytes by type and direction.
fn memory_traffic(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    of(input, id, |shown| {
        let bars = shown.under("traffic_breakdown_").filter_map(|(rest, value)| {
            let (way, kind) = rest.split_once('[')?;
            let way = match way {
                "coretomem" => "→ memory",
                "memtocore" => "→ core",
                other => other,
            };
            let name = format!("{} {way}", kind.trim_end_matches(']'));
            Some(Bar { name, values: vec![value], role: BarRole::Work, detail: String::new() })
        });
        Body::Bars(Bars { unit: Unit::Bytes, bars: bars.collect(), ..Bars::default() })
    })
}

/// What is said of the interconnect.
fn memory_interconnect(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let mut figure = of(input, id, |shown| {
        let is_own =
            |key: &str| ["Req_", "Reply_", "icnt_total", "icnt."].iter().any(|begin| key.starts_with(begin));
        let own = shown.all().filter(|(key, ..)| is_own(key));
        let fact = |(key, _, value): (&str, Option<f64>, Option<f64>)| Fact {
            name: key.trim_start_matches("icnt.").to_owned(),
            value: Cell::number(value),
            unit: Unit::None,
        };
        Body::Facts(Facts { facts: own.map(fact).collect() })
    });
    note(&mut figure, input, id);
    figure
}

/// A row for each channel.
fn memory_channels(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let mut figure = of(input, id, |shown| {
        let (units, fields) = shown.units("DRAM");
        let rows: Vec<_> = units.iter().collect();
        let table =
            TableOf::new(&rows).column(phrase("Channel"), Unit::None, |(channel, _)| u64::from(**channel));
        let table = fields.iter().enumerate().fold(table, |table, (at, field)| {
            table.column(field, Unit::None, |(_, values)| values.get(at).copied().flatten())
        });
        Body::Table(table.table())
    });
    if snapshot(input, id).is_some() {
        note(&mut figure, input, id);
    }
    figure
}
