//! Lifetimes as figures: for exports of all figures, for comparing runs, and for the parameters that only figures depend on.
//!
//! | figure | what it shows |
//! | --- | --- |
//! | `lifetime-lengths` | how many lifetimes of each length, with the retention of devices as marks |
//! | `lifetime-kernels` | what each kernel did at a level; kernels meet by their names when two runs are compared |
//! | `lifetime-devices` | what each device would take |
//! | `device-report…` | the report, as the figures that a report in a file has, so that a run can be compared with one |

mod devices;
mod kernels;
mod lengths;

use crate::analysis::compare::headline::Quantity;
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::export::ExportInput;
use crate::model::figure::{Body, Choice, Figure, TableColumn, TableFigure};
use crate::views::lifetimes::compute::{
    Kernel, Recorded, Run, Scope, Settings, devices as chosen_devices, parameters,
};

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "lifetimes",
    title: phrase("Data lifetimes"),
    parameters: parameters::FIGURES,
    applies: |trace| {
        trace
            .extensions
            .get::<Recorded>()
            .is_some_and(|recorded| recorded.runs.iter().any(|run| run.kernels.iter().any(has_figures)))
    },
    tap: None,
    start: None,
    add_tracks: None,
    faults: Some(faults),
    figures,
    advice: None,
    is_comparable: true,
};

/// Whether there is more to say of a kernel than that it ran.
fn has_figures(kernel: &Kernel) -> bool {
    kernel.levels.iter().any(|level| {
        level.stated.is_some()
            || 0 < level.counts.accesses() + level.counts.retries
            || !level.reused.is_empty()
    })
}

fn runs<'a>(input: &AnalysisInput<'a>) -> &'a [Run] {
    input.trace.extensions.get::<Recorded>().map_or(&[], |recorded| &recorded.runs)
}

/// Cycles of all kernels of a document with one run, and their time where the clock is known. One that the file cuts off
/// is none.
pub(super) fn quantities(input: &ExportInput) -> Vec<Quantity> {
    let [run] = runs(&input.of(&ANALYSIS)) else { return Vec::new() };
    let kernels = || run.kernels.iter().filter(|kernel| !kernel.is_cut);
    let cycles: f64 = kernels().map(|kernel| kernel.cycles as f64 * kernel.times() as f64).sum();
    let n: u64 = kernels().map(Kernel::times).sum();
    let key: Vec<(&str, u64)> = kernels().map(|kernel| (kernel.name.as_str(), kernel.times())).collect();
    let of = if run.has_layers { message("{n} layers") } else { message("{n} kernels") };
    let of = of.with("n", number::thousands(n));
    let all = Quantity::new(phrase("Simulated cycles"), (cycles, Unit::Cycles), &key, of.clone());
    let micros = Settings::of(input.values, run).micros(cycles);
    let time = Quantity::new(phrase("Simulated time"), (micros, Unit::Micros), &key, of);
    vec![all, time]
}

/// Values that nobody can use.
fn faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let entry = runs(input).first().map_or(0, |run| run.entry);
    let problem = chosen_devices(input.values).1.map(|why| {
        let kind = Kind::Problem(
            message("the devices cannot be used: {why}").with("why", why.trim_end_matches('.')),
        );
        let fault = Fault::new("LIF-DEVICES", Severity::Warning, Place::default(), kind);
        fault.note(phrase("The usual devices are shown."))
    });
    let scope = input.values.text(parameters::SCOPE.id).filter(|text| Scope::parse(text).is_none());
    let scope = scope.map(|text| {
        let expected = phrase("total, busiest, mean, or one such as sm:0");
        let kind = Kind::Unexpected { expected: expected.into(), found: format!("\"{text}\"").into() };
        Fault::new("LIF-SCOPE", Severity::Warning, Place::default(), kind).note(phrase("All units are told."))
    });
    problem.into_iter().chain(scope).map(|fault| (entry, fault)).collect()
}

/// How a figure is computed.
type Compute = fn(&AnalysisInput, &str, &[usize]) -> Figure;

/// What is known of a figure of a run: its id without the number of the run, title, kind, and how it is computed.
struct Known {
    id: &'static str,
    title: &'static str,
    kind: &'static str,
    of_levels: bool,
    compute: Compute,
}

const KNOWN: [Known; 3] = [
    Known {
        id: "lifetime-lengths",
        title: phrase("Lifetime lengths"),
        kind: "histogram",
        of_levels: true,
        compute: lengths::figure,
    },
    Known {
        id: KERNELS,
        title: phrase("Lifetimes by kernel"),
        kind: "table",
        of_levels: true,
        compute: kernels::figure,
    },
    Known {
        id: "lifetime-devices",
        title: phrase("Memory devices"),
        kind: "table",
        of_levels: false,
        compute: devices::figure,
    },
];

/// The figure of kernels or layers.
const KERNELS: &str = "lifetime-kernels";

/// What the ids of figures of a run end with.
fn suffix(run: usize) -> String {
    if run == 0 { String::new() } else { format!("-{}", run + 1) }
}

/// The title of a figure, with the name of its run where there are several.
fn title(input: &AnalysisInput, run: &Run, title: &str) -> String {
    if runs(input).len() < 2 { title.to_owned() } else { format!("{title}: {}", run.name) }
}

fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let runs = runs(input).iter().enumerate().filter(|(_, run)| run.kernels.iter().any(has_figures));
    let of_run = |(at, run): (usize, &Run)| {
        let suffix = suffix(at);
        let has_lengths = has_lengths(run);
        let own = KNOWN.iter().filter(move |known| has_lengths || known.kind != "histogram");
        let levels: Vec<String> = run.levels.iter().map(|level| level.name.clone()).collect();
        let titled = |known: &Known| match known.id {
            KERNELS if run.has_layers => phrase("Lifetimes by layer"),
            _ => known.title,
        };
        let figure = move |known: &Known| ComputedFigure {
            head: FigureHead {
                id: format!("{}{suffix}", known.id),
                section: phrase("Data lifetimes"),
                title: title(input, run, titled(known)),
                kind: known.kind,
                columns: 3,
                choices: if known.of_levels { vec![level_choice(levels.clone())] } else { Vec::new() },
            },
            compute: known.compute,
        };
        own.map(figure).collect::<Vec<_>>()
    };
    let report = devices::reports(input);
    runs.flat_map(of_run).chain(report).collect()
}

fn level_choice(options: Vec<String>) -> Choice {
    Choice { name: phrase("Level").to_owned(), options }
}

/// Whether single lengths are known, not only what tables state of them.
fn has_lengths(run: &Run) -> bool {
    let levels = || run.kernels.iter().flat_map(|kernel| &kernel.levels);
    levels().any(|level| !level.reused.is_empty() || !level.orphaned.is_empty())
}

/// The run of a figure.
fn of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<&'a Run> {
    let number = id.rsplit('-').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
    runs(input).get(number.saturating_sub(1))
}

fn nothing() -> Figure {
    Figure::new("", Body::Table(TableFigure::default()))
}

fn column(name: impl Into<String>, unit: Unit, has_bar: bool) -> TableColumn {
    TableColumn { name: name.into(), unit, has_bar, ..TableColumn::default() }
}
