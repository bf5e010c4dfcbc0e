//! Lifetimes as figures: for exports of all figures, for comparing runs, and for the parameters that only figures depend on.
//!
//! | figure | what it shows |
//! | --- | --- |
//! | `lifetime-lengths` | how many lifetimes of each length, with the retention of devices as marks |
//! | `lifetime-kernels` | what each kernel did at a level; kernels meet by their names when two runs are compared |
//! | `lifetime-devices` | what each device would take |
//! | `device-report…` | the report, as the figures that a report in a file has, so that a run can be compared with one |

mod kernels;
mod lengths;

use crate::analysis::compare::headline::Quantity;
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::Job;
use crate::base::number;
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::export::ExportInput;
use crate::model::figure::{Body, Cell, Choice, Fact, Facts, Figure, TableColumn, TableFigure, TableOf};
use crate::systems::gainsight::rules::measure_runs;
use crate::views::lifetimes::compute::{
    Device, DeviceFigures, Kernel, LevelHead, LevelReport, Recorded, Run, Scope, Settings, devices,
    devices as chosen_devices, parameters, report as report_of,
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
    start: Some(|input, trace| {
        let values = input.values.clone();
        Job::any(async move |turn| measure_runs(&trace, &values, &turn).await)
    }),
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

/// Of a document with one run: what fits a denser memory, cycles of all kernels, and their time where the clock is known.
/// A kernel that the file cuts off is none.
pub(super) fn quantities(input: &ExportInput) -> Vec<Quantity> {
    let [run] = runs(&input.of(&ANALYSIS)) else { return Vec::new() };
    let kernels = || run.kernels.iter().filter(|kernel| !kernel.is_cut);
    let cycles: f64 = kernels().map(|kernel| kernel.cycles as f64 * kernel.times() as f64).sum();
    let launches = run.kernels.iter().zip(run.launches()).filter(|(kernel, _)| !kernel.is_cut);
    let n: u64 = launches.map(|(_, [_, all])| all).sum();
    let key: Vec<(&str, u64)> = kernels().map(|kernel| (kernel.name.as_str(), kernel.times())).collect();
    let of = if run.has_layers { message("{n} layers") } else { message("{n} kernels") };
    let of = of.with("n", number::thousands(n));
    let all = Quantity::new(phrase("Simulated cycles"), (cycles, Unit::Cycles), &key, of.clone()).sum_of(n);
    let micros = Settings::of(input.values, run).micros(cycles);
    let time = Quantity::new(phrase("Simulated time"), (micros, Unit::Micros), &key, of).sum_of(n);
    // What fits decides; cycles are the same whatever the memory is made of.
    let at = |level: &str| message("{level}, {of}").with("level", level).with_message("of", all.of.clone());
    let fits = super::rules::fits(input).into_iter().map(|own| {
        let of = match &own.device {
            None => at(&own.level),
            Some(device) => message("{level}, {device}, {of}")
                .with("level", &own.level)
                .with_message("device", device.clone())
                .with_message("of", all.of.clone()),
        };
        let key = (own.level, own.device, &key);
        Quantity::new(phrase("Fits without refresh"), (own.share, Unit::Share), &key, of)
    });
    // Shares are of what is reused: how much is not says as much.
    let orphans = super::rules::orphans(input).into_iter().map(|(level, share)| {
        let of = at(&level);
        Quantity::new(phrase("Lifetimes without reuse"), (share, Unit::Share), &(level, &key), of)
    });
    fits.chain([all.clone(), time]).chain(orphans).collect()
}

/// Values that nobody can use.
fn faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let entry = runs(input).first().map_or(0, |run| run.entry);
    let problem = chosen_devices(input.values).1.map(|why| {
        let kind = Kind::Problem(
            message("the devices cannot be used: {why}").with("why", why.trim_end_matches('.')),
        );
        let fault = Fault::new("LIF-DEVICES", Severity::Warning, Place::default(), kind);
        fault.note(phrase("The default devices are shown."))
    });
    let scope = input.values.text(parameters::SCOPE.id).filter(|text| Scope::parse(text).is_none());
    let scope = scope.map(|text| {
        let expected = phrase("total, busiest, mean, or one such as sm:0");
        let kind = Kind::Unexpected { expected: expected.into(), found: format!("\"{text}\"").into() };
        Fault::new("LIF-SCOPE", Severity::Warning, Place::default(), kind)
            .note(phrase("All units are reported."))
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
        compute: device_figure,
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
        let figure = move |known: &Known| {
            let title = title(input, run, titled(known));
            let of = (format!("{}{suffix}", known.id), phrase("Data lifetimes"), title);
            let choices = if known.of_levels { vec![level_choice(levels.clone())] } else { Vec::new() };
            ComputedFigure::new(of, (known.kind, 3), known.compute).choosing(choices)
        };
        own.map(figure).collect::<Vec<_>>()
    };
    let report = device_reports(input);
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

// What each device would take, and the report as the figures that a report in a file has.

fn device_figure(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(run) = of(input, id) else { return nothing() };
    let (devices, _) = devices(input.values);
    let settings = Settings::of(input.values, run);
    let report = report_of(run, &settings, &devices);
    let found = report.levels.iter().flat_map(|level| {
        let own = devices.devices.iter().zip(&level.devices).enumerate();
        own.map(move |(at, (device, found))| (level, (at, device, found)))
    });
    let found: Vec<(&LevelReport, (usize, &Device, &DeviceFigures))> = found.collect();
    let has_lengths =
        |level: &LevelReport| !level.demand.lifetimes.is_empty() && 0.0 < level.demand.clock_mhz;
    let mix = |level: &LevelReport, at: usize| {
        let own = level.mix.iter().find(|share| share.device == at).map_or(0, |share| share.lifetimes);
        has_lengths(level).then_some(own)
    };
    let mut figure = TableOf::new(&found)
        .keys(2)
        .column(phrase("Level"), Unit::None, |(level, _)| &level.name)
        .column(phrase("Memory device"), Unit::None, |(_, (_, device, _))| &device.name)
        .column(phrase("Retention"), Unit::Micros, |(level, (_, device, _))| {
            device.retention.micros(level.demand.write_mhz)
        })
        .bars(phrase("Area"), Unit::Other("µm²".to_owned()), |(level, (.., found))| {
            Some(level.demand.area_um2(found)).filter(|area| 0.0 < *area)
        })
        .bars(phrase("Refreshes"), Unit::None, |(level, (.., found))| {
            has_lengths(level).then_some(found.refreshes)
        })
        .column(phrase("Fits without refresh"), Unit::Share, |(level, (.., found))| {
            has_lengths(level).then_some(found.refresh_free)
        })
        .bars(phrase("Energy"), Unit::Other("nJ".to_owned()), |(_, (.., found))| {
            found.energy_fj().map(|fj| fj / 1e6)
        })
        .bars(phrase("Lifetimes in a mix"), Unit::None, |(level, (at, ..))| mix(level, *at))
        .figure();
    let mix = message("In a mix each lifetime goes to the densest device that holds it without refresh.");
    let bases = report.levels.iter().enumerate();
    figure.notes.extend(bases.map(|(at, level)| {
        device_base(&level.name, level.demand.lifetimes.count(), run.opened(at, &settings))
    }));
    figure
        .notes
        .extend(run.levels.iter().enumerate().filter_map(|(at, head)| scope(run, head, at, &settings)));
    figure.notes.push(mix);
    figure
}

/// What the shares of a level are shares of.
fn device_base(level: &str, counted: u64, (orphans, opened): (u64, u64)) -> Message {
    let words = if counted < opened {
        message(
            "{level}: shares are of {n} reused lifetimes; {k} of all {m} were never reused and are left out.",
        )
    } else {
        message("{level}: shares are of {n} lifetimes; {k} of all {m} were never reused.")
    };
    let [n, k, m] = [counted, orphans, opened].map(thousands);
    words.with("level", level).with("n", n).with("k", k).with("m", m)
}

/// Of how many units area, refreshes and energy of a level are; nothing where units keep no data for themselves.
fn scope(run: &Run, head: &LevelHead, at: usize, settings: &Settings) -> Option<Message> {
    let (copies, mean_of) = settings.units(run, at);
    let words = match (head.is_private, copies, mean_of) {
        (false, ..) => return None,
        (_, 1, 1) => message("{level}: area, refreshes and energy are for one {unit}."),
        (_, 1, _) => message("{level}: area is for one {unit}; refreshes and energy are the mean over {n}.")
            .with("n", mean_of),
        _ => message("{level}: area, refreshes and energy are for all {n} {unit}s.").with("n", copies),
    };
    Some(words.with("level", &head.name).with("unit", &head.unit))
}

/// Ids and titles of the report's figures, as a report in a file has them.
const REPORTS: [(&str, &str, &str); 4] = [
    ("device-report", phrase("Run"), "facts"),
    ("device-report-write-frequency", "Write Frequency", "table"),
    ("device-report-refreshes", "Refreshes", "table"),
    ("device-report-area", "Area", "table"),
];

/// The reports of the runs with lifetimes, as figures.
fn device_reports(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let all = runs(input).iter().enumerate().filter(|(_, run)| has_lengths(run));
    let of_run = |(at, run): (usize, &Run)| {
        REPORTS.map(|(id, title, kind)| {
            let (id, title) = (format!("{id}{}", suffix(at)), self::title(input, run, title));
            ComputedFigure::new((id, phrase("Memory device report"), title), (kind, 1), report)
        })
    };
    all.flat_map(of_run).collect()
}

fn report(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(run) = of(input, id) else { return nothing() };
    let settings = Settings::of(input.values, run);
    let id = id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let (devices, _) = devices(input.values);
    let levels = report_of(run, &settings, &devices).levels;
    let texts = |name: &str, of: &dyn Fn(&LevelReport) -> Cell| -> Vec<Cell> {
        std::iter::once(Cell::Text(name.to_owned())).chain(levels.iter().map(of)).collect()
    };
    let of_devices = |of: &dyn Fn(&DeviceFigures) -> Cell, name: fn(&Device) -> &str, is_all: bool| {
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for (at, device) in devices.devices.iter().enumerate() {
            let first = Cell::Text(name(device).to_owned());
            if (is_all || !device.is_reference) && rows.iter().all(|row| row.first() != Some(&first)) {
                rows.push(texts(name(device), &|level| level.devices.get(at).map_or(Cell::Missing, of)));
            }
        }
        rows
    };
    let (first, unit, rows) = match id {
        "device-report-refreshes" => {
            let own = of_devices(&|own| Cell::Number(own.refreshes), |device| &device.name, false);
            (phrase("Device"), Unit::None, own)
        }
        "device-report-area" => {
            let area = |own: &DeviceFigures| Cell::number(Some(own.area_um2).filter(|area| 0.0 < *area));
            (
                phrase("Device"),
                Unit::Other("µm²".to_owned()),
                of_devices(&area, |device| &device.family, true),
            )
        }
        "device-report-write-frequency" => {
            let row = u64::try_from;
            let rows = vec![
                texts("max", &|level| Cell::Number(level.writes.max)),
                texts("maxidx", &|level| Cell::Integer(row(level.writes.max_row).unwrap_or(0))),
                texts("90%-tile", &|level| Cell::Number(level.writes.p90)),
                texts("weighted", &|level| Cell::Number(level.writes.weighted)),
            ];
            (phrase("Across kernels"), Unit::None, rows)
        }
        _ => {
            let name = crate::views::lifetimes::compute::name(input.values, run);
            let fact = |name: String, value| Fact { name, value, unit: Unit::None };
            let counts = levels.iter().map(|level| {
                fact(format!("{} Lifetime Count", level.name), Cell::Integer(level.demand.lifetimes.count()))
            });
            let facts = std::iter::once(fact("Name".to_owned(), Cell::Text(name))).chain(counts).collect();
            return Figure::new("", Body::Facts(Facts { facts }));
        }
    };
    let columns = levels.iter().map(|level| column(level.name.as_str(), unit.clone(), true));
    let columns = std::iter::once(column(first, Unit::None, false)).chain(columns).collect();
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    if id != "device-report-write-frequency" {
        figure.notes.extend((0..run.levels.len()).filter_map(|at| one_beside_all(run, at, &settings)));
    }
    figure
}

/// The report has the area of one unit even where refreshes are those of all.
fn one_beside_all(run: &Run, at: usize, settings: &Settings) -> Option<Message> {
    let head = run.levels.get(at)?;
    let (copies, _) = settings.units(run, at);
    (1 < copies).then(|| {
        message("{level}: as in the report file, area is for one {unit}, refreshes are for all {n}.")
            .with("level", &head.name)
            .with("unit", &head.unit)
            .with("n", copies)
    })
}
