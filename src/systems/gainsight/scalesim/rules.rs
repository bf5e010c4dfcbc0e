//! What limits a systolic array, by its reports: stalls, and processing elements that do not compute.

use super::{ArrayRun, Runs};
use crate::analysis::finding::{
    Color, Evidence, Finding, Number, Part, PartRow, Saving, Severity, Tile, share,
};
use crate::base::number::{fixed, percent, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Summary, Threshold};
use crate::systems::gainsight::rules::bars;

/// What the report says of a layer.
#[derive(Clone, Copy)]
struct Layer {
    number: u64,
    cycles: f64,
    stalls: f64,
    /// Share of the elements and cycles that compute, and share of the elements that have work.
    used: Option<f64>,
    mapped: Option<f64>,
}

/// The layers of a run, in the order of its report.
fn layers(run: &ArrayRun) -> Vec<Layer> {
    let Some(report) = run.reports.first().and_then(Option::as_ref) else { return Vec::new() };
    let column = |name: &str| report.heads.iter().position(|(head, _)| head == name);
    let [cycles, stalls, used, mapped] =
        ["Total Cycles", "Stall Cycles", "Overall Util", "Mapping Efficiency"].map(column);
    let layer = |(number, values): &(u64, Vec<Option<f64>>)| {
        let value = |at: Option<usize>| values.get(at?).copied().flatten().filter(|value| value.is_finite());
        Some(Layer {
            number: *number,
            cycles: value(cycles).filter(|cycles| 0.0 < *cycles)?,
            stalls: value(stalls).unwrap_or(0.0).max(0.0),
            used: value(used).map(|percent| (percent / 100.0).clamp(0.0, 1.0)),
            mapped: value(mapped).map(|percent| (percent / 100.0).clamp(0.0, 1.0)),
        })
    };
    report.rows.iter().filter_map(layer).collect()
}

/// A run with its number and its layers.
type Reported<'a> = (usize, &'a ArrayRun, Vec<Layer>);

/// The runs with layers that their reports tell, each with its number; what to say where there are none.
fn reported<'a>(input: &RuleInput<'a>) -> Result<Vec<Reported<'a>>, Looked> {
    let Some(runs) = input.trace.extensions.get::<Runs>() else { return Err(Looked::NotHere) };
    let all = runs.0.iter().enumerate().map(|(at, run)| (at, run, layers(run)));
    let all: Vec<_> = all.filter(|(.., layers)| !layers.is_empty()).collect();
    if all.is_empty() {
        return Err(Looked::Missing(message(
            "COMPUTE_REPORT.csv is missing: SCALE-Sim writes it next to the layer folders",
        )));
    }
    Ok(all)
}

/// The name of a run where there are several.
fn subject(n: usize, run: &ArrayRun) -> String {
    if n < 2 { String::new() } else { run.name.clone() }
}

/// What an array is called in a sentence.
fn called(n: usize, run: &ArrayRun) -> Message {
    if n < 2 { message("Array") } else { run.name.clone().into() }
}

/// Sum over layers.
fn sum(layers: &[Layer], of: impl Fn(&Layer) -> f64) -> f64 {
    layers.iter().map(of).sum()
}

/// Share of the elements and cycles that compute, weighted by cycles; `None` where a layer does not say.
fn mean(layers: &[Layer], of: impl Fn(&Layer) -> Option<f64>) -> Option<f64> {
    let all: Option<f64> = layers.iter().map(|layer| Some(of(layer)? * layer.cycles)).sum();
    Some(all? / sum(layers, |layer| layer.cycles))
}

/// Layers with the most of something.
fn most(layers: &[Layer], of: impl Fn(&Layer) -> f64) -> Vec<(String, f64)> {
    let mut all: Vec<_> = layers.iter().map(|layer| (format!("layer{}", layer.number), of(layer))).collect();
    order::sort_by(&mut all, |a, b| b.1.total_cmp(&a.1));
    all.truncate(5);
    all
}

fn table(at: usize) -> String {
    Place::view("details").figure(&format!("layer-cycles-{at}"), &[]).address()
}

pub(in crate::systems::gainsight) static STALLS: Rule = Rule {
    id: "array-stalls",
    version: 1,
    title: phrase("Array stalled on memory"),
    thresholds: &[Threshold {
        name: phrase("share of cycles over all layers"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth a different buffer or interface"),
    }],
    look: |input| {
        let runs = match reported(input) {
            Ok(runs) => runs,
            Err(looked) => return looked,
        };
        let part =
            |layers: &[Layer]| share(sum(layers, |layer| layer.stalls), sum(layers, |layer| layer.cycles));
        let largest = runs.iter().map(|(.., layers)| part(layers)).fold(0.0, f64::max);
        let found = runs.iter().filter(|(.., layers)| STALLS.limit(0) <= part(layers)).map(|(at, run, layers)| {
            let (stalls, cycles) = (sum(layers, |layer| layer.stalls), sum(layers, |layer| layer.cycles));
            let worst = most(layers, |layer| layer.stalls);
            let (name, own) = worst.first().cloned().unwrap_or_default();
            Finding {
                subject: subject(runs.len(), run),
                severity: Severity::Warning,
                sentence: message("{array} waits for memory ⟦{cycles}⟧, {share} of the time.")
                    .with_message("array", called(runs.len(), run))
                    .with("cycles", with_unit(stalls, &Unit::Cycles))
                    .with("share", percent(part(layers))),
                line: message("{layer} accounts for {share} of that. More words per cycle from memory, or larger buffers, hide it.")
                    .with("layer", name)
                    .with("share", percent(share(own, stalls))),
                value: stalls,
                unit: Unit::Cycles,
                saving: Saving::at_most(
                    stalls,
                    cycles,
                    Unit::Cycles,
                    message("If all data arrived in time and nothing else took longer."),
                ).of(phrase("{share} of all cycles")),
                evidence: Evidence {
                    shown: message("wait cycles of layers, {n} layers").with("n", layers.len()),
                    figure: Some(bars(Unit::Cycles, None, worst)),
                    numbers: vec![
                        Number::new(phrase("Stall cycles"), stalls, Unit::Cycles).note(percent(part(layers))),
                        Number::new(phrase("Total cycles, all layers"), cycles, Unit::Cycles),
                        Number::new(phrase("Maximum of a layer"), own, Unit::Cycles),
                    ],
                    how: message("Total Cycles and Stall Cycles of COMPUTE_REPORT.csv; layers run one after another."),
                    view: "details".to_owned(),
                    address: table(*at),
                    ..Evidence::default()
                },
                ..STALLS.finding()
            }
        });
        Looked::found_or(crate::systems::gainsight::rules::cut(found.collect()), || {
            message("the array waits at most {share} of the time").with("share", percent(largest))
        })
    },
};

pub(in crate::systems::gainsight) static IDLE: Rule = Rule {
    id: "array-idle",
    version: 1,
    title: phrase("Low PE utilization"),
    thresholds: &[Threshold {
        name: phrase("minimum PE utilization"),
        value: 0.5,
        unit: Unit::Share,
        source: phrase("our own choice: below this, an array of half the size would do"),
    }],
    look: |input| {
        let runs = match reported(input) {
            Ok(runs) => runs,
            Err(looked) => return looked,
        };
        let used = |layers: &[Layer]| mean(layers, |layer| layer.used);
        if runs.iter().all(|(.., layers)| used(layers).is_none()) {
            return Looked::Missing(message(
                "COMPUTE_REPORT.csv has no column Overall Util %: open the one from SCALE-Sim 2",
            ));
        }
        let least = runs.iter().filter_map(|(.., layers)| used(layers)).fold(1.0, f64::min);
        let found = runs.iter().filter_map(|(at, run, layers)| {
            let used = used(layers).filter(|used| *used < IDLE.limit(0))?;
            Some(idle(runs.len(), (*at, run, layers), used))
        });
        Looked::found_or(crate::systems::gainsight::rules::cut(found.collect()), || {
            message("PE utilization is at least {share}").with("share", percent(least))
        })
    },
};

#[allow(clippy::too_many_lines)] // most of it is texts
fn idle(n: usize, (at, run, layers): (usize, &ArrayRun, &[Layer]), used: f64) -> Finding {
    let (stalls, cycles) = (sum(layers, |layer| layer.stalls), sum(layers, |layer| layer.cycles));
    let mapped = mean(layers, |layer| layer.mapped);
    // Cycles in which no element would have to wait, were all of them used.
    let lost = (cycles * (1.0 - used) - stalls).max(0.0);
    let worst = most(layers, |layer| layer.cycles * (1.0 - layer.used.unwrap_or(1.0)));
    let name = worst.first().map(|(name, _)| name.clone()).unwrap_or_default();
    let line = match mapped {
        Some(mapped) if mapped < 0.9 => {
            message("On average {mapped} of the elements are mapped: shapes do not fill the array, {layer} loses most.")
                .with("mapped", percent(mapped))
        }
        _ => message("Most elements are mapped: the rest of the time is filling and draining the array, mostly in {layer}. Longer streams, or another dataflow, need fewer folds."),
    };
    let mut numbers = vec![
        Number::new(phrase("PE utilization"), used, Unit::Share),
        Number::new(phrase("Total cycles, all layers"), cycles, Unit::Cycles),
        Number::new(phrase("Stall cycles"), stalls, Unit::Cycles),
    ];
    numbers.extend(mapped.map(|mapped| Number::new(phrase("Mapped elements"), mapped, Unit::Share)));
    let rows = layers.iter().map(|layer| (format!("layer{}", layer.number), layer.used.unwrap_or(0.0)));
    Finding {
        subject: subject(n, run),
        severity: Severity::Warning,
        sentence: message("{array} computes only ⟦{share}⟧ of what its elements could compute in {cycles}.")
            .with_message("array", called(n, run))
            .with("share", percent(used))
            .with("cycles", with_unit(cycles, &Unit::Cycles)),
        line: line.with("layer", name),
        value: used,
        unit: Unit::Share,
        saving: Saving::at_most(
            lost,
            cycles,
            Unit::Cycles,
            message("If all elements computed in every cycle, not counting stalls."),
        )
        .of(phrase("{share} of all cycles")),
        evidence: Evidence {
            shown: message("PE utilization by layer"),
            figure: Some(bars(Unit::Share, Some(1.0), rows.take(5))),
            numbers,
            how: message("Overall Util % of COMPUTE_REPORT.csv, weighted by layer cycles."),
            view: "details".to_owned(),
            address: table(at),
            ..Evidence::default()
        },
        ..IDLE.finding()
    }
}

/// First figures and parts of an array; nothing without its report.
#[allow(clippy::too_many_lines)] // most of it is texts
pub(in crate::systems::gainsight) fn summary(input: &RuleInput) -> Option<Summary> {
    let runs = input.trace.extensions.get::<Runs>()?;
    let (at, run) = runs.0.iter().enumerate().find(|(_, run)| !layers(run).is_empty())?;
    let layers = layers(run);
    let (stalls, cycles) = (sum(&layers, |layer| layer.stalls), sum(&layers, |layer| layer.cycles));
    let setting =
        |key: &str| run.settings.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str());
    let of = message("{n} layers").with("n", layers.len());
    let shape = match setting("ArrayHeight").zip(setting("ArrayWidth")) {
        Some((height, width)) => message("{layers}, {height} × {width}")
            .with_message("layers", of)
            .with("height", height)
            .with("width", width),
        None => of,
    };
    let tile = |label: &'static str, part: Option<f64>, comparison: Message, color: Color| Tile {
        label: label.into(),
        value: part.map_or_else(|| "–".to_owned(), percent).into(),
        amount: part.map(|part| (part, Unit::Share)),
        comparison,
        bar: part.map(|part| (part, color)).into_iter().collect(),
        address: table(at),
        ..Tile::default()
    };
    let used = mean(&layers, |layer| layer.used);
    let mapped = mean(&layers, |layer| layer.mapped);
    let waits = share(stalls, cycles);
    let busiest = layers.iter().reduce(|best, layer| if best.cycles < layer.cycles { layer } else { best });
    let longest = busiest.map_or(0.0, |layer| layer.cycles);
    let tiles = vec![
        Tile {
            label: message("Simulated cycles"),
            value: with_unit(cycles, &Unit::Cycles).into(),
            amount: Some((cycles, Unit::Cycles)),
            comparison: shape,
            bar: vec![(1.0 - waits, Color::Compute), (waits, Color::Wait)],
            address: Place::view("timeline").address(),
            ..Tile::default()
        },
        tile(phrase("PE utilization"), used, message("of all PE cycles"), Color::Compute),
        tile(phrase("Mapped elements"), mapped, message("mapping efficiency"), Color::Plain),
        tile(
            phrase("Memory stalls"),
            Some(waits),
            message("{part} of {whole}")
                .with("part", with_unit(stalls, &Unit::Cycles))
                .with("whole", with_unit(cycles, &Unit::Cycles)),
            Color::Wait,
        ),
        Tile {
            label: message("Longest layer"),
            value: busiest.map_or_else(String::new, |layer| format!("layer{}", layer.number)).into(),
            comparison: message("{cycles}, {share} of all")
                .with("cycles", with_unit(longest, &Unit::Cycles))
                .with("share", percent(share(longest, cycles))),
            bar: vec![(share(longest, cycles), Color::Plain)],
            address: table(at),
            ..Tile::default()
        },
    ];
    let mut order: Vec<&Layer> = layers.iter().collect();
    order::sort_by(&mut order, |a, b| b.cycles.total_cmp(&a.cycles));
    let row = |layer: &&Layer| PartRow {
        name: format!("layer{}", layer.number).into(),
        bar: vec![
            (share(layer.cycles - layer.stalls, longest), Color::Compute),
            (share(layer.stalls, longest), Color::Wait),
        ],
        cells: vec![
            with_unit(layer.cycles, &Unit::None),
            fixed(share(layer.cycles, cycles) * 100.0, 1),
            layer.used.map_or_else(|| "–".to_owned(), percent),
            layer.mapped.map_or_else(|| "–".to_owned(), percent),
        ],
        amount: Some((layer.cycles, Unit::Cycles)),
        address: table(at),
        ..PartRow::default()
    };
    let part = Part {
        title: message("Hottest layers"),
        note: message("{n} layers").with("n", layers.len()),
        columns: [phrase("Cycles"), "%", phrase("PE utilization"), phrase("Mapped elements")]
            .map(str::to_owned)
            .to_vec(),
        rows: order.iter().take(7).map(row).collect(),
        more: order.len().saturating_sub(7) as u64,
        list: table(at),
        ..Part::default()
    };
    Some(Summary { tiles, parts: vec![part] })
}
