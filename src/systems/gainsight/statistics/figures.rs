//! The figures of each log: which there are, and what can be chosen.

use super::snapshot::{Snapshot, indices};
use super::{Log, Logs, caches, memory, snapshot, tables};
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Choice, Facts, Figure};

/// The panel of the figures.
const SECTION: &str = phrase("Statistics of the simulator");

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
            let head =
                FigureHead { id: format!("{id}-{number}"), section: SECTION, title, kind, columns, choices };
            all.push(ComputedFigure { head, compute });
        };
        let has = |begin: &str| log.keys.iter().any(|key| key.starts_with(begin));
        add("kernel-statistics", phrase("Kernels"), "table", 3, Vec::new(), tables::kernels);
        let chosen = of_breakdown(log);
        add(
            "cache-breakdown",
            phrase("Cache accesses by type and outcome"),
            "bars",
            3,
            chosen,
            caches::breakdown,
        );
        let units =
            ["_cache_core", "_cache_bank"].iter().flat_map(|end| Snapshot::titles(log, "", end)).collect();
        let shown = caches::SHOWN.iter().map(ToString::to_string).collect();
        let chosen = vec![choice("Cache", units), choice("Show as", shown)];
        add("cache-units", phrase("Caches by core and bank"), "bars", 2, chosen, caches::units);
        let banks = choice("Show as", Snapshot::titles(log, "dram.", ""));
        add("memory-banks", phrase("Memory by channel and bank"), "heat-map", 2, vec![banks], memory::banks);
        let latencies = choice("Show as", Snapshot::titles(log, "", "_lat_table"));
        add("latencies", phrase("Latencies"), "histogram", 2, vec![latencies], memory::latencies);
        if has("warps.") {
            add("warp-occupancy", phrase("Lanes of issued warps"), "bars", 2, Vec::new(), caches::warps);
        }
        if has("traffic_breakdown") {
            add(
                "interconnect-traffic",
                phrase("Traffic of the interconnect"),
                "bars",
                2,
                Vec::new(),
                memory::traffic,
            );
        }
        if has("Req_Network") || has("icnt") {
            add("interconnect", phrase("Interconnect"), "facts", 1, Vec::new(), memory::interconnect);
        }
        if has("DRAM[") {
            add("memory-channels", phrase("Memory channels"), "table", 3, Vec::new(), memory::channels);
        }
        add("all-statistics", phrase("All statistics"), "table", 3, Vec::new(), tables::all);
    }
    all
}

/// What is said below figures of one kernel.
pub(super) fn note(figure: &mut Figure, input: &AnalysisInput, id: &str) {
    if snapshot(input, id).is_some_and(|shown| shown.kernel.is_some()) {
        figure.notes.push(message("Counts are of this kernel; averages and maxima of all kernels up to it."));
    }
}
