//! What simulators of GPUs print at the end of each kernel: caches, memory, latencies, warps, interconnect.
//!
//! ```text
//! kernel_name = saxpy                                              a block begins
//! gpu_sim_cycle = 9576                                             of this kernel
//!     L1D_cache_core[0]: Access = 4171, Miss = 2907, …             of all kernels so far, as everything below
//!     Total_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = 0      also with [Stream_N] in front
//! mf_lat_table:0  0  0 …                                           counts by the logarithm of latencies
//! average row accesses per activate:                               a title, then channels by banks
//! dram[0]:   0   96 …
//! gpgpu_silicon_slowdown = 1600000x                                the block ends
//! ```
//! A number is kept when it differs from that of the kernel before. Figures show the whole run or one kernel, for which
//! counts are differences; averages and maxima cannot be taken apart and stay as they were printed.

mod collect;
mod figures;
pub(super) mod rules;

use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{Bar, BarRole, Bars, Body, Cell, Figure, TableColumn, TableFigure, TableOf};
use crate::model::parameter::{Parameter, ParameterKind};
pub(crate) use collect::Statistics;
use figures::{note, of, streams};
use std::collections::BTreeMap;

/// The figures.
pub(crate) static ANALYSIS: Analysis = Analysis {
    id: "simulator-statistics",
    title: phrase("Simulator statistics"),
    parameters: &[&KERNEL],
    applies: |trace| trace.extensions.get::<Logs>().is_some_and(|logs| !logs.0.is_empty()),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// The kernel whose statistics are shown.
static KERNEL: Parameter = Parameter {
    id: "statistics-kernel",
    title: phrase("Kernel"),
    help: phrase("row of the kernel to show statistics for, from 1; empty for the whole run"),
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 0.0,
        max: 1e9,
        default: 0.0,
        none: phrase("Whole run"),
    },
    rereads: false,
};

/// The statistics of all logs that were opened.
#[derive(Default)]
struct Logs(Vec<Log>);

/// The statistics of a log.
#[derive(Default)]
struct Log {
    /// Number of the entry of the bundle.
    entry: u32,
    name: String,
    /// Names of all numbers, such as `L1D_cache_core[0].Access`.
    keys: Vec<String>,
    /// The kernels, in the order in which they ended.
    kernels: Vec<KernelEnd>,
    /// Of how many of them each number was printed last.
    printed: Vec<u32>,
    domains: Domains,
}

/// Clocks of the parts of a chip in MHz, as far as the configuration says them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Domains {
    pub(crate) core: Option<f64>,
    pub(crate) network: Option<f64>,
    pub(crate) l2: Option<f64>,
}

impl Domains {
    /// How many cycles of a clock pass in one of the cores; `None` where one of both is not known.
    fn per_core(&self, mhz: Option<f64>) -> Option<f64> {
        Some(mhz? / self.core?)
    }
}

/// The end of a kernel, or of several at once.
#[derive(Default)]
struct KernelEnd {
    /// Names of those that ended.
    names: String,
    /// Numbers of their launches.
    uids: String,
    /// Their stream, where it is said.
    stream: String,
    /// Numbers that differ from those of the kernel before: row of the key and value; NaN where there is none.
    changes: Vec<(u32, f64)>,
}

/// The numbers that a figure shows, by the number of the log at the end of its id and the chosen kernel.
fn snapshot<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<Snapshot<'a>> {
    let number: usize = id.rsplit('-').next()?.parse().ok()?;
    let log = input.trace.extensions.get::<Logs>()?.0.get(number)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the parameter has bounds
    let kernel = input.values.number(KERNEL.id).map_or(0, |number| number as usize);
    Some(Snapshot::new(log, kernel.checked_sub(1).filter(|row| *row < log.kernels.len())))
}

/// Misses of a level as a log counts them, by the numbers of launches that blocks name alone; of those that several blocks
/// name the last comes first.
pub(super) fn misses(trace: &Trace, entry: u32, level: &str) -> Map<u64, Vec<f64>> {
    let key = match level {
        "L1" => "L1D_total_cache_misses",
        "L2" => "L2_total_cache_misses",
        _ => return Map::default(),
    };
    let logs = trace.extensions.get::<Logs>().map_or(&[][..], |logs| &logs.0);
    let Some(log) = logs.iter().find(|log| log.entry == entry) else { return Map::default() };
    let Some(row) = log.keys.iter().position(|own| own == key) else { return Map::default() };
    let mut all: Map<u64, Vec<f64>> = Map::default();
    let mut so_far = 0.0;
    for kernel in &log.kernels {
        let changed = kernel.changes.iter().find(|(own, _)| *own as usize == row).map(|(_, value)| *value);
        let now = changed.filter(|value| !value.is_nan()).unwrap_or(so_far);
        if let Ok(uid) = kernel.uids.trim().parse() {
            all.entry(uid).or_default().push(now - so_far);
        }
        so_far = now;
    }
    for own in all.values_mut() {
        own.reverse();
    }
    all
}

// Tables: a row for each kernel, and all numbers by name.

/// Rows that a figure shows.
const ROWS: usize = 5_000;

/// What is told of each kernel, with its name in the log and whether it is a percentage.
const TOLD: [(&str, &str, Unit); 9] = [
    ("gpu_sim_cycle", phrase("Cycles"), Unit::Cycles),
    ("gpu_sim_insn", phrase("Thread instructions"), Unit::None),
    ("gpu_ipc", phrase("Instructions per cycle"), Unit::None),
    ("gpu_occupancy", phrase("Occupancy"), Unit::Percent),
    ("L2_BW", phrase("L2 bandwidth"), Unit::GigabytesPerSec),
    ("gpu_tot_sim_cycle", phrase("Cycles so far"), Unit::Cycles),
    ("gpu_tot_ipc", phrase("Instructions per cycle so far"), Unit::None),
    ("gpu_stall_dramfull", phrase("Full memory queue stalls so far"), Unit::None),
    ("gpu_stall_icnt2sh", phrase("Stalls toward cores so far"), Unit::None),
];

/// A row for each kernel.
fn table_kernels(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let number = id.rsplit('-').next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(usize::MAX);
    let log = input.trace.extensions.get::<Logs>().and_then(|logs| logs.0.get(number));
    let Some(log) = log else { return figures::of(input, id, |_| Body::Table(TableFigure::default())) };
    let rows_of: Vec<Option<usize>> =
        TOLD.iter().map(|(key, ..)| log.keys.iter().position(|own| own == key)).collect();
    let mut now = vec![f64::NAN; log.keys.len()];
    let kernels = log.kernels.iter().take(ROWS).map(|kernel| {
        for (key, value) in &kernel.changes {
            if let Some(place) = now.get_mut(*key as usize) {
                *place = *value;
            }
        }
        (kernel, rows_of.iter().map(|key| now.get((*key)?).copied()).collect::<Vec<_>>())
    });
    let kernels: Vec<_> = (1_u64..).zip(kernels).collect();
    let mut table = TableOf::new(&kernels)
        .keys(3)
        .more(log.kernels.len().saturating_sub(ROWS))
        .column(phrase("Row"), Unit::None, |(number, _)| *number)
        .column(phrase("Kernel"), Unit::None, |(_, (kernel, _))| Cell::text(&kernel.names))
        .column(phrase("Launch"), Unit::None, |(_, (kernel, _))| Cell::text(&kernel.uids));
    if log.kernels.iter().any(|kernel| !kernel.stream.is_empty()) {
        table = table.column(phrase("Stream"), Unit::None, |(_, (kernel, _))| Cell::text(&kernel.stream));
    }
    for (at, (key, title, unit)) in
        TOLD.iter().enumerate().filter(|(at, _)| rows_of.get(*at).is_some_and(Option::is_some))
    {
        let column =
            TableColumn { has_bar: *key == "gpu_sim_cycle", ..TableColumn::new(*title, unit.clone()) };
        table = table.with(column, |(_, (_, values))| values.get(at).copied().flatten());
    }
    let mut figure = table.figure();
    // Excerpts may begin behind the list.
    let has_lists = log.kernels.iter().any(|kernel| !kernel.uids.is_empty());
    if has_lists && log.kernels.iter().any(|kernel| kernel.uids.split_whitespace().count() != 1) {
        figure.notes.push(message("A row ends when a kernel ends, and names all kernels that started thread blocks in it. In a row without a kernel none did."));
    }
    figure
}

/// A column of numbers as the log has them.
fn exact(name: &str) -> TableColumn {
    TableColumn { is_exact: true, ..TableColumn::new(name, Unit::None) }
}

/// All numbers that are no cells of a matrix.
fn table_all(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let mut figure = of(input, id, |shown| {
        let all: Vec<_> = shown.all().filter(|(key, ..)| !key.starts_with("dram.")).collect();
        let mut table = TableOf::new(all.get(..ROWS).unwrap_or(&all))
            .more(all.len().saturating_sub(ROWS))
            .column(phrase("Statistic"), Unit::None, |(key, ..)| *key)
            .with(exact(phrase("As printed")), |(_, printed, _)| *printed);
        if shown.kernel.is_some() {
            let own = |(key, _, own): &(&str, Option<f64>, Option<f64>)| own.filter(|_| !is_average(key));
            table = table.with(exact(phrase("Of this kernel")), own);
        }
        Body::Table(table.table())
    });
    note(&mut figure, input, id);
    figure
}

// Caches and warps: accesses by type and outcome, by core and bank; lanes of issued warps.

/// What is shown of cores and banks, in the order of the choice.
const SHOWN: [&str; 2] = [phrase("Hits and misses"), phrase("Reservation fails")];

fn bar(name: &str, values: Vec<Option<f64>>, role: BarRole) -> Bar {
    Bar { name: name.to_owned(), values, role, detail: String::new() }
}

/// The log that the id of a figure is about.
fn log_of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<&'a Log> {
    input.trace.extensions.get::<Logs>()?.0.get(id.rsplit('-').next()?.parse::<usize>().ok()?)
}

/// Types of accesses, each with its outcomes on top of each other.
fn cache_breakdown(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(log) = log_of(input, id) else { return of(input, id, |_| Body::Bars(Bars::default())) };
    let names = Snapshot::titles(log, "", "_breakdown");
    let names: Vec<_> = names.iter().filter(|name| !name.starts_with("traffic")).collect();
    let name = names.get(chosen.first().copied().unwrap_or(0)).copied().cloned().unwrap_or_default();
    let stream = chosen.get(1).and_then(|at| at.checked_sub(1)).and_then(|at| streams(log).get(at).cloned());
    let mut parts: Vec<String> = Vec::new();
    let mut types: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    let mut figure = of(input, id, |shown| {
        for (rest, value) in shown.under(&format!("{name}[")) {
            let rest = format!("[{rest}");
            let all: Vec<&str> = indices(&rest).collect();
            let (own, kind, outcome) = match all.as_slice() {
                [kind, outcome] => (None, *kind, *outcome),
                [own, kind, outcome] => (Some(*own), *kind, *outcome),
                _ => continue,
            };
            let is_other = stream.is_some() && stream.as_deref() != own;
            if outcome == "TOTAL_ACCESS" || outcome == "MSHR_HIT" || is_other {
                continue;
            }
            let part = place(&mut parts, |known| known == outcome, || outcome.to_owned());
            let row = place(&mut types, |known| known.0 == kind, || (kind.to_owned(), Vec::new()));
            let Some((_, values)) = types.get_mut(row) else { continue };
            values.resize(values.len().max(part + 1), None);
            if let (Some(place), Some(value)) = (values.get_mut(part), value) {
                *place = Some(place.unwrap_or(0.0) + value);
            }
        }
        types.retain(|(_, values)| values.iter().flatten().any(|value| *value != 0.0));
        let bars = types.iter().map(|(kind, values)| {
            let mut values = values.clone();
            values.resize(parts.len(), None);
            bar(kind, values, BarRole::Work)
        });
        Body::Bars(Bars { bars: bars.collect(), parts: parts.clone(), ..Bars::default() })
    });
    figure.scope = cache_scoped(&figure.scope, name.trim_end_matches("_breakdown"));
    if parts.iter().any(|part| part == "RESERVATION_FAIL") {
        figure.notes.push(message("A reservation fail is a retried attempt, not an access."));
    }
    if parts.iter().any(|part| part == "HIT_RESERVED") {
        figure.notes.push(message("MSHR_HIT counts HIT_RESERVED again and is left out."));
    }
    if !streams(log).is_empty() {
        figure.notes.push(message("Figures of a stream are printed when one of its kernels ends."));
    }
    note(&mut figure, input, id);
    figure
}

/// The row of what is meant, made when it is new.
fn place<T>(rows: &mut Vec<T>, is: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> usize {
    rows.iter().position(is).unwrap_or_else(|| {
        rows.push(make());
        rows.len() - 1
    })
}

/// A bar for each core or bank.
fn cache_units(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let names = log_of(input, id).map_or_else(Vec::new, |log| {
        ["_cache_core", "_cache_bank"].iter().flat_map(|end| Snapshot::titles(log, "", end)).collect()
    });
    let name = names.get(chosen.first().copied().unwrap_or(0)).cloned().unwrap_or_default();
    let shows_fails = chosen.get(1) == Some(&1);
    let mut figure = of(input, id, |shown| {
        let (units, fields) = shown.units(&name);
        let at = |field: &str| fields.iter().position(|known| *known == field);
        let columns = ["Access", "Miss", "Pending_hits", "Reservation_fails"].map(at);
        let bars = units.iter().map(|(unit, values)| {
            let value = |column: Option<usize>| column.and_then(|at| values.get(at).copied().flatten());
            let [access, miss, pending, fails] = columns.map(value);
            let hits = access.map(|all| (all - miss.unwrap_or(0.0) - pending.unwrap_or(0.0)).max(0.0));
            let values = if shows_fails { vec![fails] } else { vec![hits, pending, miss] };
            bar(&unit.to_string(), values, BarRole::Work)
        });
        let parts = [phrase("Hits"), phrase("Pending hits"), phrase("Misses")].map(str::to_owned);
        let parts = if shows_fails { Vec::new() } else { parts.into() };
        Body::Bars(Bars { bars: bars.collect(), parts, ..Bars::default() })
    });
    figure.scope = cache_scoped(&figure.scope, &name);
    if name.ends_with("_core") {
        figure.notes.push(message("Numbers are those of core clusters."));
    }
    figure
}

/// Cycles in which so many lanes of a warp were issued, or none and why.
fn cache_warps(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    of(input, id, |shown| {
        let bars = shown.under("warps.").filter(|(_, value)| value.is_some_and(|value| 0.0 < value));
        let bars = bars.map(|(name, value)| {
            let is_waiting = name == "Stall" || name.starts_with("W0_");
            bar(name, vec![value], if is_waiting { BarRole::Wait } else { BarRole::Work })
        });
        Body::Bars(Bars { unit: Unit::None, bars: bars.collect(), ..Bars::default() })
    })
}

/// What a figure is of, with one more word.
fn cache_scoped(scope: &str, word: &str) -> String {
    [scope, word].join(" ").trim().to_owned()
}

// The numbers as they were at the end of a kernel, and what that kernel added to them.

/// Numbers of a kernel or of the whole run.
struct Snapshot<'a> {
    log: &'a Log,
    /// The row of the kernel; `None` for the whole run.
    kernel: Option<usize>,
    after: Vec<f64>,
    before: Vec<f64>,
}

/// Whether numbers of this name are averages, maxima or rates, which cannot be taken apart.
fn is_average(key: &str) -> bool {
    const PARTS: [&str; 27] = [
        "rate",
        "ave",
        "avg",
        "max",
        "min",
        "util",
        "Util",
        "Slowest",
        "ratio",
        "Parallism",
        "parallism",
        "Locality",
        "_BW",
        "ipc",
        "occupancy",
        "per_cycle",
        "eff",
        "Eff",
        "latency",
        "slowdown",
        "size",
        "GrpLevelPara",
        "_sim_cycle",
        "_sim_insn",
        "simulation",
        "length",
        "hops",
    ];
    // Totals of cycles and instructions are sums all the same.
    !key.starts_with("gpu_tot_sim_") && PARTS.iter().any(|part| key.contains(part))
}

impl<'a> Snapshot<'a> {
    /// Of a kernel; of the whole run for `None`.
    fn new(log: &'a Log, kernel: Option<usize>) -> Self {
        let mut after = vec![f64::NAN; log.keys.len()];
        let mut before = after.clone();
        let last = kernel.unwrap_or(log.kernels.len().saturating_sub(1));
        for (row, end) in log.kernels.iter().enumerate().take(last.saturating_add(1)) {
            if row == last && kernel.is_some() {
                before.clone_from(&after);
            }
            for (key, value) in &end.changes {
                if let Some(place) = after.get_mut(*key as usize) {
                    *place = *value;
                }
            }
        }
        Self { log, kernel, after, before }
    }

    /// What to call what is shown.
    fn scope(&self) -> String {
        let Some(row) = self.kernel else { return String::new() };
        let names = self.log.kernels.get(row).map_or("", |end| end.names.as_str());
        format!("{} {names}", row + 1).trim_end().to_owned()
    }

    /// A number as it was printed last.
    fn printed(&self, row: usize) -> Option<f64> {
        self.after.get(row).copied().filter(|value| value.is_finite())
    }

    /// What the kernel added, or all; averages as they were printed.
    fn value(&self, row: usize) -> Option<f64> {
        let value = self.printed(row)?;
        let key = self.log.keys.get(row)?;
        if self.kernel.is_none() || is_average(key) {
            return Some(value);
        }
        let before = self.before.get(row).copied().filter(|value| value.is_finite()).unwrap_or(0.0);
        // What falls is no sum.
        (before <= value).then_some(value - before)
    }

    /// All numbers: name, as printed, of this kernel.
    fn all(&self) -> impl Iterator<Item = (&'a str, Option<f64>, Option<f64>)> {
        self.log.keys.iter().enumerate().map(|(row, key)| (key.as_str(), self.printed(row), self.value(row)))
    }

    /// Numbers whose names begin so, with the rest of their names.
    fn under(&self, begin: &str) -> impl Iterator<Item = (&'a str, Option<f64>)> {
        let keys = self.log.keys.iter().enumerate();
        keys.filter_map(move |(row, key)| Some((key.strip_prefix(begin)?, self.value(row))))
    }

    /// Numbers `name[unit].field` by unit, and the fields in the order in which they come.
    fn units(&self, name: &str) -> (BTreeMap<u32, Vec<Option<f64>>>, Vec<&'a str>) {
        let (mut units, mut fields): (BTreeMap<u32, Vec<Option<f64>>>, Vec<&str>) = Default::default();
        for (rest, value) in self.under(name) {
            let parts = rest.strip_prefix('[').and_then(|rest| rest.split_once("]."));
            let Some((unit, field)) = parts.and_then(|(unit, field)| Some((unit.parse().ok()?, field)))
            else {
                continue;
            };
            let at = fields.iter().position(|known| *known == field).unwrap_or_else(|| {
                fields.push(field);
                fields.len() - 1
            });
            let own: &mut Vec<Option<f64>> = units.entry(unit).or_default();
            own.resize(own.len().max(at + 1), None);
            if let Some(place) = own.get_mut(at) {
                *place = value;
            }
        }
        for own in units.values_mut() {
            own.resize(fields.len(), None);
        }
        (units, fields)
    }

    /// Names `…[i][j]` under a beginning, without their indices, each once.
    fn titles(log: &Log, begin: &str, end: &str) -> Vec<String> {
        let mut titles: Vec<String> = Vec::new();
        for key in &log.keys {
            let title = key.strip_prefix(begin).and_then(|rest| rest.split_once('[')).map(|(title, _)| title);
            let title = title.filter(|title| title.ends_with(end));
            if let Some(title) = title.filter(|title| titles.iter().all(|known| known != title)) {
                titles.push(title.to_owned());
            }
        }
        titles
    }
}

/// The indices of `[a][b]…`.
fn indices(text: &str) -> impl Iterator<Item = &str> {
    text.split('[').skip(1).filter_map(|part| part.split_once(']').map(|(index, _)| index))
}
