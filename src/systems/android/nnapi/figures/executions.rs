//! Executions of a run or of all runs: one by one, in order, and how their times are spread.
//!
//! Executions of different networks and loops are different things: they stand apart. One whose end is not in the trace is
//! listed and counts nowhere.

use super::{ms, network, place, run_name, runs, table, time, words};
use crate::analysis::compare::headline::Quantity;
use crate::analysis::contract::AnalysisInput;
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::model::figure::{
    AxisLabel, Body, Cell, Choice, Figure, Line, LineChart, PlotPoint, ScaleKind, Scatter, ScatterSeries,
    TableColumn,
};
use crate::systems::android::nnapi::Nnapi;
use crate::systems::android::nnapi::corrected::{
    App, Execution, Kind, MIN_FOR_OUTLIERS, MIN_FOR_P95, Run, Spread, millis,
};
use crate::systems::android::nnapi::mark::{Layer, Marks, Phase};

/// A time of an execution: its head, what it is, and the layer that has to be recorded for it.
type Part = (&'static str, fn(&Execution) -> Ticks, Option<Layer>);

/// The times of an execution.
const PARTS: [Part; 8] = [
    (phrase("Total"), Execution::total, None),
    (phrase("Application"), |e| e.application, Some(Layer::Application)),
    (phrase("Runtime"), |e| e.runtime, Some(Layer::Runtime)),
    (phrase("IPC"), |e| e.ipc, Some(Layer::Ipc)),
    (phrase("Driver"), |e| e.driver, Some(Layer::Driver)),
    (phrase("CPU"), |e| e.cpu, Some(Layer::Cpu)),
    (phrase("I/O"), |e| e.io, None),
    (phrase("Compute"), Execution::compute, None),
];

/// An execution with its run.
#[derive(Clone, Copy)]
struct One<'a> {
    /// Its number in its run, from 1.
    number: usize,
    run: &'a Run,
    execution: &'a Execution,
}

/// The executions that are chosen.
#[derive(Clone, Copy)]
struct Of<'a> {
    input: &'a AnalysisInput<'a>,
    nnapi: &'a Nnapi,
    /// All runs, or one of them.
    runs: &'a [Run],
}

/// Those that can be compared with each other: of one network and one loop, in their order.
struct Group<'a> {
    network: &'a str,
    app: App,
    members: Vec<One<'a>>,
}

/// Those of the chosen run; of several runs all stand last.
fn chosen<'a>(input: &'a AnalysisInput<'a>, options: &[usize]) -> Option<Of<'a>> {
    let nnapi = input.result::<Nnapi>()?;
    let all = &nnapi.corrected.runs[..];
    let option = options.first().copied().unwrap_or(0);
    let is_all = runs(input).first().is_none_or(|choice| choice.options.len() <= option);
    let runs = if is_all { all } else { std::slice::from_ref(all.get(option)?) };
    Some(Of { input, nnapi, runs })
}

/// Each run, and all of them where there are several.
pub(super) fn choices(input: &AnalysisInput) -> Vec<Choice> {
    let mut choices = runs(input);
    if let Some(options) = choices.first_mut().map(|c| &mut c.options).filter(|options| 1 < options.len()) {
        options.push(phrase("All runs").to_owned());
    }
    choices
}

impl<'a> Of<'a> {
    /// All of them, unfinished ones too.
    fn executions(self) -> impl Iterator<Item = One<'a>> {
        let of_run = move |run| (1..).zip(self.nnapi.corrected.executions_of(run)).map(move |e| (run, e));
        self.runs.iter().flat_map(of_run).map(|(run, (number, execution))| One { number, run, execution })
    }

    fn n_unfinished(self) -> u64 {
        self.runs.iter().map(|run| run.matrix.n_cut).sum()
    }

    /// Those that end, by network in the order of the runs, then by loop.
    fn groups(self) -> Vec<Group<'a>> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: Map<(&str, App), usize> = Map::default();
        for run in self.runs {
            let network = network(self.input, self.nnapi, run);
            for app in App::ALL.into_iter().filter(|app| 0 < run.matrix.n_executions(Some(*app))) {
                places.entry((network, app)).or_insert_with(|| {
                    groups.push(Group { network, app, members: Vec::new() });
                    groups.len() - 1
                });
            }
        }
        for one in self.executions().filter(|one| !one.execution.is_cut) {
            let of = (network(self.input, self.nnapi, one.run), one.execution.app);
            if let Some(group) = places.get(&of).and_then(|at| groups.get_mut(*at)) {
                group.members.push(one);
            }
        }
        groups
    }

    /// The columns of parts of which anything is known.
    fn parts(self) -> Vec<Part> {
        let is_meant = |part: &Part| self.executions().any(|one| is_known(part, one));
        PARTS.into_iter().filter(is_meant).collect()
    }

    /// What is said of executions together: how many runs, what is left out, what was not recorded.
    fn notes(self) -> Vec<Message> {
        let mut notes = Vec::new();
        if 1 < self.runs.len() {
            notes.push(
                message("Executions of {n} runs, separate by network and loop.").with("n", self.runs.len()),
            );
        }
        if 0 < self.n_unfinished() {
            let note = message("Unfinished executions: {n}. Counts and statistics leave them out.");
            notes.push(note.with("n", self.n_unfinished()));
        }
        if self.nnapi.facts.is_of_drivers {
            notes.push(super::only_drivers());
        }
        if !self.runs.iter().any(|run| super::has_marks(run, Layer::Runtime)) {
            notes.push(super::no_runtime());
        }
        notes.extend(self.runs.iter().any(super::has_unseen_driver).then(super::no_driver));
        notes
    }
}

/// Whether the times of a part say something: its layer has marks of executing in this run, as in the matrix, and for a
/// driver one is known that executed.
fn is_known(part: &Part, one: One) -> bool {
    let has = |layer| one.run.matrix.cell(None, layer, Phase::Execution).n != 0;
    let is_there = part.1(one.execution) != 0;
    match part.2 {
        None => part.0 == PARTS[0].0 || super::has_marks(one.run, Layer::Runtime) || is_there,
        Some(Layer::Application) => one.execution.kind == Kind::Application,
        Some(Layer::Driver) => is_there,
        Some(_) if one.execution.kind == Kind::Driver => is_there,
        Some(layer) => is_there || has(layer),
    }
}

/// How an execution was called, in English.
fn called(kind: Kind) -> &'static str {
    match kind {
        Kind::Synchronous => phrase("Synchronous"),
        Kind::Burst => phrase("Burst"),
        Kind::Asynchronous => phrase("Asynchronous"),
        Kind::Fenced => phrase("Fenced"),
        Kind::Application => phrase("Application"),
        Kind::Driver => phrase("Driver"),
    }
}

/// What a loop is called; executions of drivers are in none that is known.
pub(super) fn title(nnapi: &Nnapi, app: App) -> &'static str {
    match app {
        _ if nnapi.facts.is_of_drivers => phrase("Driver executions"),
        App::Overall => phrase("Outside loops"),
        App::Warmup => phrase("Warmup"),
        App::Benchmark => phrase("Benchmark"),
    }
}

/// Whether not all are the same.
fn are_several<T: PartialEq>(mut all: impl Iterator<Item = T>) -> bool {
    all.next().is_some_and(|first| all.any(|other| other != first))
}

/// Whether there is more than one network.
fn has_networks(groups: &[Group]) -> bool {
    are_several(groups.iter().map(|group| group.network))
}

impl Group<'_> {
    /// What it is called among others: its loop, its network, or both.
    fn title(&self, all: &[Self], nnapi: &Nnapi) -> String {
        let has_loops = are_several(all.iter().map(|group| group.app));
        match (has_networks(all), has_loops) {
            (false, _) => title(nnapi, self.app).to_owned(),
            (true, false) => self.network.to_owned(),
            (true, true) => format!("{} · {}", self.network, title(nnapi, self.app)),
        }
    }

    /// The spread of the totals: where outliers begin.
    fn spread(&self) -> Option<Spread> {
        Spread::of(self.members.iter().map(|one| one.execution.total()))
    }
}

/// What is said of parts.
fn parts_rule() -> Message {
    message("Each layer's part is its time outside deeper layers; the parts add up to the total.")
}

/// What is said of outliers.
fn rule() -> Message {
    message("Outliers: more than 1.5 × IQR above the third quartile of their network and loop (at least {n} executions).")
        .with("n", MIN_FOR_OUTLIERS)
}

/// Minimum, median, 95th percentile and maximum of each time, by network and loop.
pub(super) fn spread(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let of = chosen(input, options);
    let groups = of.map_or_else(Vec::new, Of::groups);
    let has_networks = has_networks(&groups);
    let mut columns = vec![TableColumn { is_phrase: true, ..words(phrase("Time")) }];
    columns.extend(has_networks.then(|| words(phrase("Network"))));
    columns.push(TableColumn { is_phrase: true, ..words(phrase("Loop")) });
    columns.push(TableColumn { name: phrase("Count").to_owned(), ..TableColumn::default() });
    columns.extend([phrase("Mean"), phrase("Min"), phrase("Median"), phrase("p95"), phrase("Max")].map(time));
    let (mut rows, mut has_few) = (Vec::new(), false);
    let mut row = |name: &str, network: &str, app: &str, s: &Spread| {
        let ms = |nanos: f64| Cell::Number(nanos / 1e6);
        let mut row = vec![Cell::Text(name.to_owned())];
        row.extend(has_networks.then(|| Cell::Text(network.to_owned())));
        row.extend([Cell::Text(app.to_owned()), Cell::Number(s.n as f64), ms(s.mean), ms(s.min as f64)]);
        row.extend([ms(s.median), Cell::number(s.known_p95().map(|p95| p95 / 1e6)), ms(s.max as f64)]);
        has_few |= s.n < MIN_FOR_P95;
        rows.push(row);
    };
    for part in of.map_or_else(Vec::new, Of::parts) {
        for group in &groups {
            let known = group.members.iter().filter(|one| is_known(&part, **one));
            let Some(s) = Spread::of(known.map(|one| part.1(one.execution))) else { continue };
            let app = of.map_or("", |of| title(of.nnapi, group.app));
            row(part.0, group.network, app, &s);
        }
        if part.0 == PARTS[0].0 && has_networks {
            let all = groups.iter().flat_map(|group| &group.members);
            if let Some(s) = Spread::of(all.map(|one| one.execution.total())) {
                row(part.0, phrase("all networks together"), phrase("All"), &s);
            }
        }
    }
    let mut figure = table(columns, rows, if has_networks { 3 } else { 2 });
    figure.notes = of.map_or_else(Vec::new, Of::notes);
    figure.notes.push(parts_rule());
    figure.notes.push(message("Driver covers only executions that ran on a driver; Count is how many."));
    figure
        .notes
        .extend(has_few.then(|| message("p95 needs at least {n} executions.").with("n", MIN_FOR_P95)));
    figure
}

/// The median of each network's executions by loop, the measured ones first; warming up says nothing.
pub(crate) fn medians(input: &AnalysisInput) -> Vec<Quantity> {
    let Some(of) = chosen(input, &[usize::MAX]) else { return Vec::new() };
    let mut groups = of.groups();
    groups.retain(|group| group.app != App::Warmup);
    order::sort_by_key(&mut groups, |group| std::cmp::Reverse(group.app));
    let median = |group: &Group| {
        let (time, app) = (group.spread()?, title(of.nnapi, group.app));
        let of = match group.network {
            "" => message("{n} executions, {loop}"),
            network => message("{network}: {n} executions, {loop}").with("network", network),
        };
        let of = of.with("n", number::thousands(time.n as u64)).with_message("loop", app);
        Some(Quantity::new(phrase("Median execution"), (time.median, Unit::Nanos), &(group.network, app), of))
    };
    groups.iter().filter_map(median).collect()
}

/// The heads of the list, and how many of them are in front of the parts.
fn list_columns(parts: &[Part], has_runs: bool) -> Vec<TableColumn> {
    let mut columns = Vec::new();
    columns.extend(has_runs.then(|| words(phrase("Run"))));
    columns.push(TableColumn { name: "#".to_owned(), ..TableColumn::default() });
    columns.push(place());
    columns.push(TableColumn { is_phrase: true, ..words(phrase("Loop")) });
    columns.push(TableColumn { is_phrase: true, ..words(phrase("Call")) });
    let part = |part: &Part| TableColumn { has_bar: part.0 == PARTS[0].0, ..time(part.0) };
    columns.extend(parts.iter().map(part));
    let name = phrase("Driver share").to_owned();
    columns.push(TableColumn { name, unit: Unit::Percent, ..TableColumn::default() });
    columns.push(time(phrase("Setup")));
    columns.push(words(phrase("Thread")));
    columns.push(TableColumn { is_phrase: true, ..words(phrase("Remark")) });
    columns
}

/// All executions, a row each.
pub(super) fn list(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let of = chosen(input, options);
    let parts = of.map_or_else(Vec::new, Of::parts);
    let has_runs = of.is_some_and(|of| 1 < of.runs.len());
    let groups = of.map_or_else(Vec::new, Of::groups);
    let spreads: Map<(&str, App), Option<Spread>> =
        groups.iter().map(|group| ((group.network, group.app), group.spread())).collect();
    let remark = |of: Of, one: One| {
        let spread = spreads.get(&(network(input, of.nnapi, one.run), one.execution.app));
        match spread.and_then(Option::as_ref) {
            _ if one.execution.is_cut => phrase("unfinished"),
            Some(spread) if spread.is_outlier(one.execution.total()) => phrase("outlier"),
            _ => "",
        }
    };
    let row = |of: Of, one: One| {
        let execution = one.execution;
        let stretch = of.nnapi.corrected.longest_stretch(one.run.executions.start + one.number - 1);
        let mut row = Vec::new();
        row.extend(has_runs.then(|| Cell::Text(run_name(input, one.run))));
        row.push(Cell::Number(one.number as f64));
        row.push(super::at(input, "", stretch, None));
        row.push(Cell::Text(title(of.nnapi, execution.app).to_owned()));
        row.push(Cell::Text(called(execution.kind).to_owned()));
        let known = |part: &Part| is_known(part, one).then(|| millis(part.1(execution)));
        row.extend(parts.iter().map(|part| Cell::number(known(part))));
        let share = execution.driver as f64 * 100.0 / execution.total().max(1) as f64;
        row.push(Cell::number((0 < execution.driver).then_some(share)));
        row.push(Cell::Number(millis(execution.setup)));
        let thread = Marks::of(input.trace).threads.get(execution.thread as usize);
        row.push(Cell::Text(thread.map_or("", |thread| input.trace.strings.get(thread.id)).to_owned()));
        row.push(Cell::Text(remark(of, one).to_owned()));
        row
    };
    let rows = of.into_iter().flat_map(|of| of.executions().map(move |one| (of, one)));
    let rows = rows.map(|(of, one)| row(of, one)).collect();
    let mut figure = table(list_columns(&parts, has_runs), rows, if has_runs { 2 } else { 1 });
    figure.notes = of.map_or_else(Vec::new, Of::notes);
    figure.notes.extend([
        message("Open a row to select the execution on the timeline; the Flame tab then shows what all threads called in it."),
        message("An execution in which the application also prepares or compiles is drawn in parts that add up to its total; a row opens the longest."),
        message("Setup creates, fills and frees the execution; it is not part of the total."),
        rule(),
    ]);
    figure
}

/// Runs, and what points are of.
pub(super) fn strip_choices(input: &AnalysisInput) -> Vec<Choice> {
    let shown = [phrase("Total time"), phrase("Layers")].map(str::to_owned).to_vec();
    let shown = Choice { name: phrase("Show as").to_owned(), options: shown };
    choices(input).into_iter().chain([shown]).collect()
}

/// Each execution in order: its total time, by network and loop, outliers apart; or its part of each layer, in the color
/// that the layer has everywhere.
pub(super) fn strip(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let of = chosen(input, options);
    let groups = of.map_or_else(Vec::new, Of::groups);
    let point = |one: &One, time: Ticks| {
        let (runs, first) =
            of.map_or((0, 0), |of| (of.runs.len(), of.runs.first().map_or(0, |run| run.executions.start)));
        let run = if 1 < runs { run_name(input, one.run) } else { String::new() };
        let name = format!("{run} {} {}", one.execution.kind.id(), one.number).trim_start().to_owned();
        PlotPoint { x: (one.run.executions.start - first + one.number) as f64, y: millis(time), name }
    };
    let (series, colors) = if options.get(1) == Some(&1) {
        let members = || groups.iter().flat_map(|group| &group.members);
        let layer = |part: &Part| {
            let known = members().filter(|one| is_known(part, **one));
            let points: Vec<PlotPoint> = known.map(|one| point(one, part.1(one.execution))).collect();
            points
                .iter()
                .any(|point| point.y != 0.0)
                .then(|| (ScatterSeries { name: part.0.to_owned(), points }, part.2))
        };
        let layers = PARTS.iter().filter(|part| part.2.is_some()).filter_map(layer);
        layers.map(|(series, layer)| (series, layer.map_or(0, Layer::color))).unzip()
    } else {
        let mut series = Vec::new();
        let mut outliers = Vec::new();
        let total = |one: &One| point(one, one.execution.total());
        for group in &groups {
            let spread = group.spread();
            let is_outlier =
                |one: &&One| spread.as_ref().is_some_and(|spread| spread.is_outlier(one.execution.total()));
            let (apart, usual): (Vec<&One>, Vec<&One>) = group.members.iter().partition(is_outlier);
            let points = usual.into_iter().map(total).collect();
            let name = of.map_or_else(String::new, |of| group.title(&groups, of.nnapi));
            series.push(ScatterSeries { name, points });
            outliers.extend(apart.into_iter().map(total));
        }
        if !outliers.is_empty() {
            series.push(ScatterSeries { name: phrase("Outliers").to_owned(), points: outliers });
        }
        (series, Vec::new())
    };
    let is_total = colors.is_empty();
    let axis = |name: &str, unit: Unit| AxisLabel { name: name.to_owned(), unit, scale: ScaleKind::Linear };
    let scatter = Scatter {
        x: axis(phrase("Execution"), Unit::Count(String::new())),
        y: axis(if is_total { phrase("Total time") } else { phrase("Time") }, ms()),
        series,
        colors,
    };
    let mut figure = Figure::new("", Body::Scatter(scatter));
    figure.notes = of.map_or_else(Vec::new, Of::notes);
    figure.notes.push(if is_total { rule() } else { parts_rule() });
    figure
}

/// The share of executions that are not longer than a time, by network and loop.
pub(super) fn distribution(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let mut lines = Vec::new();
    let of = chosen(input, options);
    let groups = of.map_or_else(Vec::new, Of::groups);
    for group in &groups {
        let mut times: Vec<f64> = group.members.iter().map(|one| millis(one.execution.total())).collect();
        crate::base::order::sort_floats(&mut times);
        let n = times.len().max(1) as f64;
        // The line begins at nothing, just where the shortest is.
        let share = (0..=times.len()).map(|i| Some(i as f64 * 100.0 / n)).collect();
        times.insert(0, times.first().copied().unwrap_or(0.0));
        let name = of.map_or_else(String::new, |of| group.title(&groups, of.nnapi));
        lines.push(Line { name, x: times, y: share, is_stepped: true });
    }
    let chart = LineChart {
        x: AxisLabel { name: phrase("Total time").to_owned(), unit: ms(), scale: ScaleKind::Linear },
        y: AxisLabel {
            name: phrase("Share of executions").to_owned(),
            unit: Unit::Percent,
            scale: ScaleKind::Linear,
        },
        lines,
        marks: Vec::new(),
    };
    let mut figure = Figure::new("", Body::Lines(chart));
    figure.notes = of.map_or_else(Vec::new, Of::notes);
    figure
}
