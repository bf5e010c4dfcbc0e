//! The first figures of a trace with executions of NNAPI, and where their time goes.

use super::around::has_others;
use super::{Of, details, of, told};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::map::Map;
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::time::{Span, Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{RuleInput, Summary};
use crate::systems::android::nnapi::corrected::{App, Execution, MIN_FOR_P95, Spread};
use crate::systems::android::nnapi::facts::{IPC_AND_DRIVER, Model, Sums};
use crate::systems::android::nnapi::figures::all_runs;
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// Most rows of a part.
const ROWS: usize = 6;

/// The color that a layer has everywhere.
fn color(layer: Layer) -> Color {
    Color::Series(layer.color().saturating_sub(1))
}

fn tile(label: &'static str, value: impl Into<Message>, comparison: impl Into<Message>) -> Tile {
    Tile { label: label.into(), value: value.into(), comparison: comparison.into(), ..Tile::default() }
}

/// Shares of layers, as parts of a bar of this length.
fn bar(sums: &Sums, length: f64) -> Vec<(f64, Color)> {
    let used = Layer::REPORTED.into_iter().filter(|layer| 0 < sums.of(*layer));
    used.map(|layer| (share(sums.of(layer) as f64, sums.time as f64) * length, color(layer))).collect()
}

/// The networks of all models, in the order of their names: those of another trace compare only with the same.
fn of_models(of: Of) -> Message {
    let mut names: Vec<&str> = of.models().map(|model| model.network.as_str()).collect();
    order::sort_by(&mut names, std::cmp::Ord::cmp);
    names.dedup();
    names.join(", ").into()
}

/// What is said of a part whose rows add up what is of several networks.
fn added(of: Of, note: Message) -> Message {
    match of.models().count() {
        0 | 1 => note,
        n => message("{note}; {n} networks added").with_message("note", note).with("n", n),
    }
}

/// A network and its loop.
fn of_loop(of: Of, model: &Model, app: App) -> Message {
    message("{model} · {loop}").with_message("model", of.name(model)).with_message("loop", of.loop_name(app))
}

pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let of = of(input)?;
    let model = of.models().next()?;
    Some(Summary { tiles: tiles(input, of, model), parts: parts(of, model) })
}

fn tiles(input: &RuleInput, of: Of, model: &Model) -> Vec<Tile> {
    let spread = model.spreads[model.steady()].as_ref();
    let mut tiles: Vec<Tile> =
        spread.map(|spread| [inference(of, model, spread), first(input, of)]).into_iter().flatten().collect();
    tiles.extend([driver(of, model), calls(of, model), cpu(of)]);
    tiles
}

/// What shares of a model's time are of: executions of one network in one loop, which is said.
fn base(of: Of, model: &Model) -> Message {
    let app = model.steady();
    let said = match of.models().count() {
        1 => message("of the time of {n} executions, {loop}"),
        _ => message("of the time of {n} executions of {model}, {loop}"),
    };
    said.with("n", thousands(model.loops[app].n))
        .with_message("model", of.name(model))
        .with_message("loop", of.loop_name(app))
}

/// The median execution of the model with most time.
fn inference(of: Of, model: &Model, spread: &Spread) -> Tile {
    let (app, n_models) = (model.steady(), of.models().count());
    let compared = match n_models {
        1 if spread.n == 1 => message("one execution, {loop}"),
        1 if spread.known_p95().is_some() => message("median of {n}, {loop}; 95 % within {p95}"),
        1 => message("median of {n}, {loop}; longest {longest}; 95 % needs {least} executions"),
        _ => message("{model}, median of {n}, {loop}; {models} models"),
    };
    let compared = compared
        .with_message("model", of.name(model))
        .with("n", thousands(spread.n as u64))
        .with_message("loop", of.loop_name(app))
        .with("p95", told(spread.p95))
        .with("longest", told(spread.max as f64))
        .with("least", MIN_FOR_P95)
        .with("models", n_models);
    Tile {
        bar: bar(&model.loops[app], 1.0),
        of: of_loop(of, model, app),
        amount: Some((spread.median, Unit::Nanos)),
        address: details("nnapi-executions-spread", model),
        ..tile(
            if of.is_of_drivers() { phrase("Driver execution") } else { phrase("Inference") },
            told(spread.median),
            compared,
        )
    }
}

/// The first execution against the median: of the model whose first one takes longest for it.
fn first(input: &RuleInput, of: Of) -> Tile {
    let label = phrase("First vs. steady state");
    let executions = &of.nnapi.corrected.executions;
    let known = of.models().filter_map(|model| {
        let first = executions.get(*model.firsts.first()? as usize)?;
        Some((model, first, model.spreads[model.steady()].as_ref()?))
    });
    let mut known: Vec<(&Model, _, &Spread)> = known.collect();
    if known.is_empty() {
        return tile(label, "–", phrase("the first one is not in the trace"));
    }
    known.retain(|(model, ..)| (model.firsts.len() as u64) < model.all.n);
    let is_alone = known.is_empty();
    known.retain(|(model, ..)| has_others(model));
    let factor =
        |(_, first, spread): &(&Model, &Execution, &Spread)| first.total() as f64 / spread.median.max(1.0);
    let slowest = known.iter().max_by(|a, b| factor(a).total_cmp(&factor(b)));
    let Some((model, first, spread)) = slowest.copied() else {
        let most = of.models().map(|model| model.all.n).max().unwrap_or(0);
        let too_few = message("{n} executions of a model are too few to compare the first one with");
        let why = if is_alone { message("one execution per run") } else { too_few.with("n", most) };
        return tile(label, "–", why);
    };
    let time = first.total() as f64;
    let compared = match of.models().count() {
        1 if of.is_of_drivers() => message("first in the recording {first}, median {median}"),
        1 => message("first {first}, median {median}"),
        _ => message("{model}: first {first}, median {median}").with_message("model", of.name(model)),
    };
    let compared = compared.with("first", told(time)).with("median", told(spread.median));
    let times = time / spread.median.max(1.0);
    let factor = message("{n} ×").with("n", fixed(times, 2));
    Tile {
        amount: Some((times, Unit::None)),
        bar: vec![(share(spread.median, time), Color::Plain)],
        of: of_loop(of, model, model.steady()),
        address: super::stretch(input, of, Span::new(first.start, first.end), first.thread).address(),
        ..tile(label, factor, compared)
    }
}

fn driver(of: Of, model: &Model) -> Tile {
    let app = model.steady();
    let all = &model.loops[app];
    let of_loop = of_loop(of, model, app);
    // Calls of a driver that wrote no marks do not say how long it took.
    if all.has_unseen_driver() || all.is_seen_from_above() {
        let none = tile(phrase("Driver"), phrase("not known"), phrase("no driver wrote marks"));
        return Tile { of: of_loop, ..none };
    }
    let part = share(all.of(Layer::Driver) as f64, all.time as f64);
    let compared = if of.is_of_drivers() {
        message("{base}; runtime not recorded").with_message("base", base(of, model))
    } else {
        base(of, model)
    };
    Tile {
        bar: vec![(part, color(Layer::Driver))],
        of: of_loop,
        amount: Some((part, Unit::Share)),
        address: details("nnapi-layers", model),
        ..tile(phrase("Driver"), percent(part), compared)
    }
}

fn calls(of: Of, model: &Model) -> Tile {
    let label = phrase("Runtime and IPC");
    let app = model.steady();
    let all = &model.loops[app];
    let is_unseen = !of.marks.has_runtime && all.of(Layer::Ipc) == 0;
    if of.is_of_drivers() || all.is_seen_from_above() || is_unseen {
        let none = tile(label, phrase("not known"), phrase("not recorded: categories nnapi, hal and aidl"));
        return Tile { of: of_loop(of, model, app), ..none };
    }
    let [runtime, ipc] =
        [Layer::Runtime, Layer::Ipc].map(|layer| share(all.of(layer) as f64, all.time as f64));
    if all.has_unseen_driver() {
        let said = if of.marks.has_runtime {
            message("not separable: record hal and aidl; runtime {runtime}, {base}")
        } else {
            message("not separable: record hal and aidl; no runtime marks, {base}")
        };
        return Tile {
            bar: vec![(ipc, color(Layer::Ipc))],
            of: of_loop(of, model, app),
            amount: Some((ipc, Unit::Share)),
            address: details("nnapi-layers", model),
            ..tile(
                IPC_AND_DRIVER,
                percent(ipc),
                said.with("runtime", percent(runtime)).with_message("base", base(of, model)),
            )
        };
    }
    let compared = if of.marks.has_runtime {
        message("runtime {runtime}, inter-process calls {ipc}")
    } else {
        message("inter-process calls; no runtime marks")
    };
    Tile {
        bar: vec![(runtime, color(Layer::Runtime)), (ipc, color(Layer::Ipc))],
        of: of_loop(of, model, app),
        amount: Some((runtime + ipc, Unit::Share)),
        address: details("nnapi-layers", model),
        ..tile(
            label,
            percent(runtime + ipc),
            message("{parts}, {base}")
                .with_message("parts", compared.with("runtime", percent(runtime)).with("ipc", percent(ipc)))
                .with_message("base", base(of, model)),
        )
    }
}

/// Of the network that the CPU does most of.
fn cpu(of: Of) -> Tile {
    let label = phrase("CPU fallback");
    let part = |model: &Model| {
        let sums = &model.loops[model.steady()];
        share(sums.of(Layer::Cpu) as f64, sums.time as f64)
    };
    let is_seen = |model: &&Model| !model.loops[model.steady()].is_seen_from_above();
    let mut models: Vec<&Model> = of.models().filter(is_seen).collect();
    order::sort_by(&mut models, |a, b| part(b).total_cmp(&part(a)));
    let Some(model) = models.first().filter(|_| of.marks.has_runtime) else {
        let why = if of.marks.has_runtime {
            phrase("nothing below the runtime is marked")
        } else {
            phrase("no runtime marks")
        };
        return Tile { of: of_models(of), ..tile(label, phrase("not known"), why) };
    };
    let app = model.steady();
    let sums = &model.loops[app];
    let compared = message("{base}; in {n} of them").with_message("base", base(of, model));
    Tile {
        bar: vec![(part(model), color(Layer::Cpu))],
        of: of_loop(of, model, app),
        amount: Some((part(model), Unit::Share)),
        address: details("nnapi-fallback", model),
        ..tile(label, percent(part(model)), compared.with("n", thousands(sums.with_cpu)))
    }
}

fn parts(of: Of, model: &Model) -> Vec<Part> {
    let app = model.steady();
    let sums = &model.loops[app];
    let n = sums.n.max(1) as f64;
    let layers = Layer::REPORTED.into_iter().filter(|layer| 0 < sums.of(*layer));
    let rows = layers.map(|layer| {
        let part = share(sums.of(layer) as f64, sums.time as f64);
        PartRow {
            name: sums.title(layer).into(),
            color: Some(color(layer)),
            share: part,
            cells: vec![told(sums.of(layer) as f64 / n), percent(part)],
            amount: Some((sums.of(layer) as f64 / n, Unit::Nanos)),
            address: details("nnapi-layers", model),
            ..PartRow::default()
        }
    });
    let mut parts = vec![Part {
        title: message("Inference by layer"),
        note: message("{model}, {loop}, mean")
            .with_message("model", of.name(model))
            .with_message("loop", of.loop_name(app)),
        of: of_loop(of, model, app),
        rows: rows.collect(),
        ..Part::default()
    }];
    parts.push(loops(of));
    parts.extend(functions(of));
    parts.extend(apps(of));
    parts
}

/// Executions by model and loop, most time first.
fn loops(of: Of) -> Part {
    let mut all: Vec<(&Model, App, &Sums)> = Vec::new();
    for model in of.models() {
        let used = App::ALL.into_iter().filter(|app| 0 < model.loops[*app].n);
        all.extend(used.map(|app| (model, app, &model.loops[app])));
    }
    order::sort_by_key(&mut all, |(_, _, sums)| std::cmp::Reverse(sums.time));
    let most = all.first().map_or(0, |(_, _, sums)| sums.time) as f64;
    let n_models = of.models().count();
    // What all rows share tells none of them apart: it stands above them.
    let first_loop = all.first().map(|(_, app, _)| *app);
    let one_loop = first_loop.filter(|first| 1 < n_models && all.iter().all(|(_, app, _)| app == first));
    let has_loops = 1 < n_models && one_loop.is_none();
    let row = |(model, app, sums): &(&Model, App, &Sums)| {
        let median = model.spreads[*app].as_ref().map_or(0.0, |spread| spread.median);
        let mut cells = vec![thousands(sums.n), told(median), told(sums.time as f64)];
        if has_loops {
            cells.insert(0, of.loop_name(*app).to_owned());
        }
        PartRow {
            name: if n_models == 1 { of.loop_name(*app).into() } else { of.name(model) },
            whole: if has_loops { of_loop(of, model, *app).to_string() } else { String::new() },
            bar: bar(sums, share(sums.time as f64, most)),
            cells,
            amount: Some((median, Unit::Nanos)),
            address: executions(of, model),
            ..PartRow::default()
        }
    };
    let mut columns =
        vec![phrase("Count").to_owned(), phrase("Median").to_owned(), phrase("Total").to_owned()];
    if has_loops {
        columns.insert(0, phrase("Loop").to_owned());
    }
    Part {
        title: message("Executions"),
        note: match one_loop {
            Some(app) => message("by model, {loop}").with_message("loop", of.loop_name(app)),
            None => message("by model and loop"),
        },
        measure: columns.len() - 2,
        columns,
        rows: all.iter().take(ROWS).map(row).collect(),
        more: all.len().saturating_sub(ROWS) as u64,
        list: Place::view("details").figure("nnapi-executions", &[]).address(),
        ..Part::default()
    }
}

/// The list of a model's executions: of its run, or of all where it is in several.
fn executions(of: Of, model: &Model) -> String {
    let run = if model.n_runs() < 2 { model.run as usize } else { all_runs(of.nnapi.corrected.runs.len()) };
    Place::view("details").figure("nnapi-executions", &[run]).address()
}

/// Functions in executions by the time in which they were innermost on their threads, of all networks: those of the CPU where
/// there are any.
fn functions(of: Of) -> Option<Part> {
    let corrected = &of.nnapi.corrected;
    let mut sums: Map<(u32, Layer), (u64, Ticks, usize)> = Map::default();
    // What the application is in is no part of an execution where the runtime is seen.
    let is_below = |layer| layer != Layer::Application || !of.marks.has_runtime;
    for (at, run) in corrected.runs.iter().enumerate() {
        let is_of_execution = |phase: Phase| phase == Phase::Execution || phase.is_part_of_execution();
        for function in run
            .functions
            .iter()
            .filter(|function| is_of_execution(function.phase) && is_below(function.layer))
        {
            let sum = sums.entry((function.name, function.layer)).or_insert((0, 0, at));
            sum.0 += function.n;
            sum.1 += function.own;
        }
    }
    let has_cpu = sums.iter().any(|((_, layer), (n, ..))| *layer == Layer::Cpu && 0 < *n);
    let is_meant = |((_, layer), (n, ..)): &((u32, Layer), (u64, Ticks, usize))| {
        0 < *n && (!has_cpu || *layer == Layer::Cpu)
    };
    let mut rows: Vec<_> = sums.into_iter().filter(is_meant).collect();
    order::sort_by_key(&mut rows, |((name, layer), (_, own, _))| (std::cmp::Reverse(*own), *layer, *name));
    let most = rows.first().map_or(0, |(_, (_, own, _))| *own) as f64;
    let figure = if has_cpu { "nnapi-fallback" } else { "nnapi-functions" };
    let row = |((name, layer), (n, own, run)): &((u32, Layer), (u64, Ticks, usize))| PartRow {
        name: corrected.name(*name).to_owned().into(),
        bar: vec![(share(*own as f64, most), color(*layer))],
        cells: vec![thousands(*n), told(*own as f64)],
        amount: Some((*own as f64, Unit::Nanos)),
        address: Place::view("details").figure(figure, &[*run]).address(),
        ..PartRow::default()
    };
    (!rows.is_empty()).then(|| Part {
        title: if has_cpu { message("CPU operations") } else { message("Functions") },
        note: added(of, message("innermost on their threads, including waits")),
        of: of_models(of),
        columns: vec![phrase("Calls").to_owned(), phrase("Self").to_owned()],
        rows: rows.iter().take(ROWS).map(row).collect(),
        measure: 1,
        more: rows.len().saturating_sub(ROWS) as u64,
        list: Place::view("details").figure(figure, &[]).address(),
        ..Part::default()
    })
}

/// Executions by application; of one only, all time of its threads by phase.
fn apps(of: Of) -> Option<Part> {
    let mut apps: Vec<(&str, u64, Ticks, u64)> = Vec::new();
    for model in of.models() {
        match apps.iter_mut().find(|app| app.0 == model.app) {
            Some(app) => (app.1, app.2, app.3) = (app.1 + model.all.n, app.2 + model.all.time, app.3 + 1),
            None => apps.push((&model.app, model.all.n, model.all.time, 1)),
        }
    }
    if apps.len() < 2 {
        return phases(of);
    }
    order::sort_by_key(&mut apps, |app| std::cmp::Reverse(app.2));
    let most = apps.first().map_or(0, |app| app.2) as f64;
    let row = |app: &(&str, u64, Ticks, u64)| PartRow {
        name: app.0.to_owned().into(),
        bar: vec![(share(app.2 as f64, most), Color::Plain)],
        cells: vec![app.3.to_string(), thousands(app.1), told(app.2 as f64)],
        amount: Some((app.2 as f64, Unit::Nanos)),
        ..PartRow::default()
    };
    Some(Part {
        title: message("Applications"),
        note: message("execution time"),
        columns: vec![
            phrase("Models").to_owned(),
            phrase("Executions").to_owned(),
            phrase("Total").to_owned(),
        ],
        rows: apps.iter().take(ROWS).map(row).collect(),
        measure: 2,
        more: apps.len().saturating_sub(ROWS) as u64,
        ..Part::default()
    })
}

fn phases(of: Of) -> Option<Part> {
    const PHASES: [Phase; 5] =
        [Phase::Initialization, Phase::Preparation, Phase::Compilation, Phase::Execution, Phase::Termination];
    // Executions without an end are in no number of executions, here neither.
    let runs: Vec<_> = of.nnapi.corrected.runs.iter().map(|run| run.matrix.complete()).collect();
    let sum = |phase| runs.iter().map(|matrix| matrix.sum(None, phase)).total();
    let all = sum(Phase::Overall);
    let sums: Vec<(Phase, Ticks)> = PHASES.map(|phase| (phase, sum(phase))).into();
    let known: Ticks = sums.iter().map(|(_, time)| *time).total();
    let row = |name: &'static str, time: Ticks, at: u8| PartRow {
        name: name.into(),
        color: Some(Color::Series(at)),
        share: share(time as f64, all as f64),
        cells: vec![told(time as f64), percent(share(time as f64, all as f64))],
        amount: Some((time as f64, Unit::Nanos)),
        ..PartRow::default()
    };
    let used = (0..).zip(&sums).filter(|(_, (_, time))| 0 < *time);
    let mut rows: Vec<PartRow> = used.map(|(at, (phase, time))| row(phase.title(), *time, at)).collect();
    if known < all {
        rows.push(PartRow { color: Some(Color::Idle), ..row(phrase("Between phases"), all - known, 0) });
    }
    (0 < all).then(|| Part {
        title: message("All marked time by phase"),
        note: added(of, message("self times of all layers")),
        of: of_models(of),
        rows,
        ..Part::default()
    })
}
