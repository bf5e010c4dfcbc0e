//! nnapi-corrected-json: the right numbers of all runs, in the form of nnapi-json and more.
//!
//! A list with one object for each run, members sorted by name. Times are milliseconds, places in time seconds of the
//! file, `line` counts from 1 (0 where there are no lines).
//!
//! | member | what |
//! |---|---|
//! | `version` | `"corrected-1"` |
//! | `starting_mark` | the mark `[NN_LA_PO]` that begins the run; empty when there is none |
//! | `is_incomplete` | whether a scope has no end |
//! | `execution_counts` | `PO` `PWU` `PBM` → how many executions |
//! | `unfinished_executions` | how many more have no end in the trace: they are in no other number and in no statistics |
//! | `times`, `self_times` | without what has no end: phase (`PI` `PP` `PC` `PE` `PT` `PO` `PIO` `PTR` `PCO` `PR`, and `PEO` for computing: `PE - PIO - PR`) → layer (`LA` `LR` `LI` `LD` `LC`, `LT` for all) → time; null where there is no scope. `LT` is the sum of the self times in both. `PO` is the whole row. For each application phase in use `PO_only`, `PWU`, `PBM` → the same |
//! | `executions` | `number` from 1, `kind` (`driver` where only drivers wrote marks), `phase`, `thread`, `process`, `line`, `start`, `total`, `application`, `runtime`, `ipc`, `driver`, `cpu` (their sum is `total`), `io`, `results`, `compute` (so is theirs), `setup`, `is_unfinished`, `is_outlier` |
//! | `statistics` | application phase, `all` too → `n` `min` `median` `p95` `max` `mean` `outliers_above` of `total` |
//! | `driver_executions` | `execution` (number or null), `is_called_back`, `is_unfinished`, `thread`, `process`, `line`, `start`, `total` |
//! | `functions` | `name` `layer` `phase` `count` `total` `self` `mean` `max` `min`, most time first; `unfinished`: how many more calls have no end in the trace |
//! | `fallback` | `name` `layer` `phase` `count` `total` `share` of the executions' time, `executions` as numbers; all of complete executions |
//! | `differences` | `point` of the list of what the AOSP parser does wrong, `cell` such as `LR_PE`, `phase`, `count`, `time` or null, `text` |
//! | `warnings` | `kind`, `count`, `lines` (the first hundred), `text` |

use super::has_marks;
use crate::base::map::ordered;
use crate::base::time::{Ticks, Total};
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, whole};
use crate::model::Trace;
use crate::systems::android::nnapi::corrected::{
    App, Cell, Corrected, Difference, Execution, Fallback, Function, Matrix, NONE, PHASES, Run, Spread,
    Warning, millis,
};
use crate::systems::android::nnapi::mark::Marks;
use crate::systems::android::nnapi::mark::{Layer, Phase};
use crate::systems::android::nnapi::{ANALYSIS, Nnapi};
use serde_json::{Map, Value, json};
use std::io::{Result, Write};

/// The corrected numbers of all runs.
pub(super) static NNAPI_CORRECTED_JSON: Export = Export {
    id: "nnapi-corrected-json",
    title: phrase("NNAPI times as JSON (corrected)"),
    suffix: "nnapi.corrected.json",
    mime: "application/json",
    takes_argument: false,
    parameters: &[],
    can: has_marks,
    write: |_, argument| whole(write, argument),
};

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let computed = input.result::<Nnapi>(&ANALYSIS).map(|nnapi| &nnapi.corrected);
    let runs = computed.map_or(&[][..], |corrected| &corrected.runs);
    out.write_all(b"[")?;
    for (number, run) in runs.iter().enumerate() {
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        if let Some(corrected) = computed {
            let of = Of { trace: input.trace, corrected, run, complete: run.matrix.complete() };
            serde_json::to_writer_pretty(&mut *out, &of.object())?;
        }
    }
    out.write_all(b"\n]\n")
}

/// A run with all that it is part of.
struct Of<'a> {
    trace: &'a Trace,
    corrected: &'a Corrected,
    run: &'a Run,
    /// Its times without what has no end.
    complete: Matrix,
}

impl Of<'_> {
    fn object(&self) -> Value {
        let run = self.run;
        let spread = self.corrected.spread(run, None);
        let executions = self.corrected.executions_of(run).iter().enumerate();
        let drivers = self.corrected.drivers_of(run);
        let complete = self.corrected.executions_of(run).iter().filter(|e| !e.is_cut);
        let time: Ticks = complete.map(Execution::total).total();
        let counts =
            App::ALL.map(|app| (app.phase().code().to_owned(), run.matrix.n_executions(Some(app)).into()));
        json!({
            "version": "corrected-1",
            "starting_mark": run.row.map_or("", |row| self.text(row)),
            "is_incomplete": run.is_incomplete,
            "execution_counts": Map::from_iter(counts),
            "unfinished_executions": run.matrix.n_cut,
            "times": self.times(|cell| cell.total),
            "self_times": self.times(|cell| cell.own),
            "executions": executions.map(|(at, e)| self.execution(at, e, spread.as_ref())).collect::<Vec<_>>(),
            "statistics": self.statistics(),
            "driver_executions": drivers.iter().map(|d| {
                json!({
                    "execution": self.number(d.execution),
                    "is_unfinished": d.is_cut,
                    "is_called_back": d.is_later,
                    "thread": self.thread(d.thread).0,
                    "process": self.thread(d.thread).1,
                    "line": self.line(d.row),
                    "start": self.seconds(d.row),
                    "total": millis(d.end - d.start),
                })
            }).collect::<Vec<_>>(),
            "functions": run.functions.iter().map(|f| self.function(f)).collect::<Vec<_>>(),
            "fallback": run.fallback.iter().map(|f| self.fallback(f, time)).collect::<Vec<_>>(),
            "differences": run.differences.iter().map(difference).collect::<Vec<_>>(),
            "warnings": run.warnings.iter().map(|w| self.warning(w)).collect::<Vec<_>>(),
        })
    }

    fn text(&self, row: u32) -> &str {
        Marks::of(self.trace).text.get(row as usize).map_or("", |text| self.trace.strings.get(*text))
    }

    fn line(&self, row: u32) -> u32 {
        Marks::of(self.trace).line.get(row as usize).copied().unwrap_or(0)
    }

    fn seconds(&self, row: u32) -> Value {
        Marks::of(self.trace).seconds.get(row as usize).copied().into()
    }

    /// Number and process of a thread.
    fn thread(&self, thread: u32) -> (&str, &str) {
        let thread = Marks::of(self.trace).threads.get(thread as usize);
        thread.map_or(("", ""), |t| (self.trace.strings.get(t.id), self.trace.strings.get(t.process)))
    }

    /// The number of an execution in its run.
    fn number(&self, execution: u32) -> Value {
        let at = (execution as usize).checked_sub(self.run.executions.start);
        at.filter(|_| execution != NONE).map(|at| at + 1).into()
    }

    fn times(&self, of: fn(Cell) -> Ticks) -> Value {
        let mut times = self.phases(None, of);
        for app in self.run.phases() {
            let name = if app == App::Overall { "PO_only" } else { app.phase().code() };
            times.insert(name.to_owned(), Value::Object(self.phases(Some(app), of)));
        }
        Value::Object(times)
    }

    fn phases(&self, app: Option<App>, of: fn(Cell) -> Ticks) -> Map<String, Value> {
        let matrix = &self.complete;
        let row = |cells: [(Layer, Cell); 5]| {
            let sum: Ticks = cells.iter().map(|(_, cell)| cell.own).total();
            let time =
                |cell: Cell| if cell == Cell::default() { Value::Null } else { millis(of(cell)).into() };
            let mut row: Map<String, Value> =
                ordered(cells.map(|(layer, cell)| (layer.code().to_owned(), time(cell))));
            row.insert("LT".to_owned(), millis(sum).into());
            Value::Object(row)
        };
        let cells = |phase: Phase| Layer::REPORTED.map(|layer| (layer, matrix.cell(app, layer, phase)));
        let mut phases: Map<String, Value> =
            ordered(PHASES.map(|phase| (phase.code().to_owned(), row(cells(phase)))));
        let computing = Layer::REPORTED.map(|layer| (layer, matrix.compute(app, layer)));
        phases.insert("PEO".to_owned(), row(computing));
        phases
    }

    fn execution(&self, at: usize, execution: &Execution, spread: Option<&Spread>) -> Value {
        let (thread, process) = self.thread(execution.thread);
        json!({
            "number": at + 1,
            "kind": execution.kind.id(),
            "phase": execution.app.phase().code(),
            "thread": thread,
            "process": process,
            "line": self.line(execution.row),
            "start": self.seconds(execution.row),
            "total": millis(execution.total()),
            "application": millis(execution.application),
            "runtime": millis(execution.runtime),
            "ipc": millis(execution.ipc),
            "driver": millis(execution.driver),
            "cpu": millis(execution.cpu),
            "io": millis(execution.io),
            "results": millis(execution.results),
            "compute": millis(execution.compute()),
            "setup": millis(execution.setup),
            "is_unfinished": execution.is_cut,
            "is_outlier": !execution.is_cut && spread.is_some_and(|spread| spread.is_outlier(execution.total())),
        })
    }

    fn statistics(&self) -> Value {
        let apps = App::ALL.map(|app| (app.phase().code(), Some(app)));
        let all = apps.into_iter().chain([("all", None)]);
        let told = all.filter_map(|(name, app)| {
            let spread = self.corrected.spread(self.run, app)?;
            let value = json!({
                "n": spread.n,
                "min": millis(spread.min),
                "median": spread.median / 1e6,
                "p95": spread.p95 / 1e6,
                "max": millis(spread.max),
                "mean": spread.mean / 1e6,
                "outliers_above": spread.limit.map(|limit| limit / 1e6),
            });
            Some((name.to_owned(), value))
        });
        Value::Object(ordered(told))
    }

    fn function(&self, function: &Function) -> Value {
        json!({
            "name": self.corrected.name(function.name),
            "layer": function.layer.code(),
            "phase": function.phase.code(),
            "count": function.n,
            "total": millis(function.total),
            "self": millis(function.own),
            "mean": function.mean() / 1e6,
            "max": millis(function.max),
            "min": millis(function.min),
            "unfinished": function.n_unfinished,
        })
    }

    fn fallback(&self, fallback: &Fallback, executions: Ticks) -> Value {
        let share = (0 < executions).then(|| fallback.total as f64 / executions as f64);
        json!({
            "name": self.corrected.name(fallback.name),
            "layer": fallback.layer.code(),
            "phase": fallback.phase.code(),
            "count": fallback.n,
            "total": millis(fallback.total),
            "share": share,
            "executions": fallback.executions.iter().map(|&e| self.number(e)).collect::<Vec<_>>(),
        })
    }

    fn warning(&self, warning: &Warning) -> Value {
        json!({
            "kind": warning.trouble.id(),
            "count": warning.n,
            "lines": warning.rows.iter().map(|&row| self.line(row)).collect::<Vec<_>>(),
            "text": warning.trouble.sentence(),
        })
    }
}

fn difference(difference: &Difference) -> Value {
    let n = difference.n.to_string();
    json!({
        "point": difference.cause.point(),
        "cell": difference.cell.map(|(layer, phase)| format!("{}_{}", layer.code(), phase.code())),
        "phase": difference.app.map(|app| app.phase().code()),
        "count": difference.n,
        "time": difference.time.map(millis),
        "text": crate::base::words::fill(difference.cause.sentence(), &[("n", &n)]),
    })
}
