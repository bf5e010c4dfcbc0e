//! Reading tables: the few columns that changes are made of, a row group in a step.

use super::arrow::{self, ArrowFile};
use super::columns::{Found, Heads, Values, check, of_table, text_of};
use super::parquet::{self, Footer, Wrong};
use super::ranks::{NO_RANK, whole};
use super::sets::{self, run_of};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{
    Claim, Degree, Format, Operators, Part, Probe, ProbeResult, Probed, Reading, Sink, Want, unreadable,
};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::figure::{Fact, Family, Figure};
use crate::model::files::OperatorHead;
use crate::model::parameter::Values as Set;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "dataset",
    title: phrase("Profile data set"),
    written_by: "lanescope tables; DuckDB, Polars and Spark from its tables",
    patterns: &["*.parquet", "*.arrow"],
    shows: "Overview, Details",
    source: "the schema that `lanescope tables --schema` prints",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read: |claim, _: &Set| Box::new(Tables::new(claim)),
    slices: None,
    mode_note: None,
    operators: Some(Operators { switch: "", title: phrase("Traces"), find, head }),
};

/// The set of rows that say how often a kernel is launched in a step of a trace.
pub(super) const LAUNCHES: usize = 3;
/// The metric with the time of a step.
pub(super) const STEP_TIME: &str = "summary · Step time";

/// Rows that are kept at most.
const MAX_ROWS: u64 = 20_000_000;

/// A table of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Kernels,
    Metrics,
    Findings,
    Traces,
}

/// The tables that are read, each with columns that tell it.
const TABLES: [(Table, &str, &[&str]); 4] = [
    (Table::Kernels, "kernels", &["name", "dur", "class"]),
    (Table::Metrics, "metrics", &["figure", "value", "subject"]),
    (Table::Findings, "findings", &["code", "sentence"]),
    (Table::Traces, "traces", &["name", "lanescope_version"]),
];

/// Columns that only the table of faults has, which is not read.
const OF_FAULTS: [&str; 3] = ["expected", "found", "repeats"];

impl Table {
    /// Which one a file holds; `None` for others.
    fn of(file: &File) -> Option<Self> {
        let said =
            file.words().iter().find(|(name, _)| name == "lanescope.table").map(|(_, value)| value.as_str());
        let is_it = |(_, name, columns): &&(Self, &str, &[&str])| match said {
            Some(said) => said == *name,
            // What was wrong with a trace has a code and a sentence too.
            None => {
                let is_of_faults = OF_FAULTS.iter().any(|column| file.has(column));
                file.has("trace_id") && columns.iter().all(|column| file.has(column)) && !is_of_faults
            }
        };
        TABLES.iter().find(is_it).map(|(table, ..)| *table)
    }
}

/// A file of either kind.
enum File {
    Parquet(Footer),
    Arrow(ArrowFile),
}

impl File {
    /// What a file begins with, if it is one.
    fn is_one(entry: &Entry) -> bool {
        let head = read_range(&*entry.source, 0..6).unwrap_or_default();
        head.starts_with(parquet::MAGIC) || head.starts_with(arrow::MAGIC)
    }

    fn of(entry: &Entry) -> Result<Self, Wrong> {
        let head = read_range(&*entry.source, 0..6).map_err(|_| (0, phrase("a readable file")))?;
        if head.starts_with(arrow::MAGIC) {
            ArrowFile::of(entry).map(Self::Arrow)
        } else {
            Footer::of(entry).map(Self::Parquet)
        }
    }

    fn words(&self) -> &[(String, String)] {
        match self {
            Self::Parquet(of) => &of.words,
            Self::Arrow(of) => &of.words,
        }
    }

    fn heads(&self) -> &Heads {
        match self {
            Self::Parquet(of) => &of.heads,
            Self::Arrow(of) => &of.heads,
        }
    }

    /// Whether there is a column of a name, also as a field of another.
    fn has(&self, name: &str) -> bool {
        !matches!(self.heads().find(name), Found::Missing)
    }

    /// Groups of rows.
    fn n_groups(&self) -> usize {
        match self {
            Self::Parquet(of) => of.n_groups(),
            Self::Arrow(of) => of.n_groups(),
        }
    }

    /// A column of a table in a group of rows; `None` where there is none that can be read.
    fn column(
        &self,
        entry: &Entry,
        (table, group): (Table, usize),
        name: &str,
    ) -> Result<Option<Values>, Wrong> {
        let wanted = of_table(table).iter().find(|wanted| wanted.name == name);
        let (Some(wanted), Found::At(at, head)) = (wanted, self.heads().find(name)) else { return Ok(None) };
        if !wanted.read_as.can_be(head.what) {
            return Ok(None);
        }
        let values = match self {
            Self::Parquet(of) => of.column(entry, group, at, wanted.read_as),
            Self::Arrow(of) => of.column(entry, group, at, wanted.read_as),
        };
        values.map(Some)
    }
}

/// Names and values that the writer of a table added to its file; none where it cannot be read.
pub fn words_of(entry: &Entry) -> Vec<(String, String)> {
    if !File::is_one(entry) {
        return Vec::new();
    }
    File::of(entry).map_or_else(|_| Vec::new(), |file| file.words().to_vec())
}

fn look(entry: &Entry) -> ProbeResult {
    if let Err(why) = read_range(&*entry.source, 0..4) {
        return Err((0, unreadable(&why.0)));
    }
    if !File::is_one(entry) {
        return Err((0, message("byte 0: expected PAR1 or ARROW1")));
    }
    match File::of(entry) {
        Ok(file) => match file.heads().find("trace_id") {
            Found::At(..) => Ok((Degree::Certain, "table", message("a table of traces with their ids"))),
            Found::Within(column) => {
                Err((40, message("trace_id is a field of column {column}").with("column", column)))
            }
            Found::Missing => Err((40, message("column {name} is missing").with("name", "trace_id"))),
        },
        // What is wrong with it is said when it is read.
        Err(_) => Ok((Degree::Likely, "table", message("it starts like a table"))),
    }
}

/// All tables are one data set.
fn join(_: &Bundle, probed: &mut Probed) {
    let Some(mut first) = probed.claims.pop() else { return };
    for claim in probed.claims.drain(..) {
        first.entries.extend(claim.entries);
    }
    order::sort_by_key(&mut first.entries, |(id, _)| *id);
    probed.claims.push(first);
}

/// Tables are one document, every other file is one of its own.
fn find(bundle: &Bundle) -> Vec<Part> {
    // What begins with a sign is about the data set itself.
    // Heads are read of what is called a table only: there may be thousands of other files.
    let is_table = |entry: &Entry| {
        let name = entry.name();
        let ends = |end: &str| name.ends_with(end);
        name.starts_with(['_', '.']) || ENDINGS.iter().any(|end| ends(end)) && File::is_one(entry)
    };
    let (tables, others): (Vec<_>, Vec<_>) = bundle.iter().partition(|(_, entry)| is_table(entry));
    if tables.iter().all(|(_, entry)| entry.name().starts_with(['_', '.'])) {
        return Vec::new();
    }
    let data = Part { path: DATA.to_owned(), entries: tables.into_iter().map(|(id, _)| id).collect() };
    let others = others.into_iter().map(|(id, entry)| Part { path: entry.path.clone(), entries: vec![id] });
    std::iter::once(data).chain(others).collect()
}

/// What names of tables end with.
const ENDINGS: [&str; 5] = [".parquet", ".arrow", ".feather", ".ipc", ".pq"];

/// What the data set is called among its traces.
const DATA: &str = "data set";

fn head(_: &Bundle, part: &Part) -> OperatorHead {
    let name = part.path.rsplit('/').next().unwrap_or_default().to_owned();
    OperatorHead { path: part.path.clone(), name, ..OperatorHead::default() }
}

/// What tables say, by run and trace. Kept in `Trace::extensions`.
#[derive(Default)]
pub(super) struct Samples {
    /// In the order of [`sets::order`].
    pub(super) runs: Vec<String>,
    pub(super) traces: Vec<Known>,
    /// Kernels, metrics, findings and launches in a step.
    pub(super) sets: [Rows; 4],
}

/// What is known of a trace; the name where a table says it.
#[derive(Default)]
pub(super) struct Known {
    pub(super) id: String,
    pub(super) name: String,
}

/// Rows of a table.
#[derive(Default)]
pub(super) struct Rows {
    /// What a row is of, with the unit of its value.
    pub(super) keys: Vec<(String, String)>,
    pub(super) key: Vec<u32>,
    pub(super) run: Vec<u32>,
    pub(super) trace: Vec<u32>,
    /// Of computing kernels the rank, if it is known; else [`NO_RANK`].
    pub(super) rank: Vec<u32>,
    pub(super) value: Vec<f64>,
}

/// Names by their numbers.
#[derive(Default)]
struct Numbers(Map<String, u32>);

impl Numbers {
    /// The number of a name, and whether it is new.
    fn of(&mut self, name: &str) -> (u32, bool) {
        match self.0.get(name) {
            Some(number) => (*number, false),
            None => {
                let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
                self.0.insert(name.to_owned(), number);
                (number, true)
            }
        }
    }
}

/// Launches of the kernels of a trace that are in steps.
#[derive(Default)]
struct Launched {
    steps: Numbers,
    kernels: Map<String, u32>,
}

impl Launched {
    fn add(&mut self, step: &str, kernel: &str) {
        self.steps.of(step);
        match self.kernels.get_mut(kernel) {
            Some(n) => *n += 1,
            None => {
                self.kernels.insert(kernel.to_owned(), 1);
            }
        }
    }
}

/// A file that is being read.
struct Open {
    /// Its number among all.
    of: usize,
    file: File,
    table: Table,
    /// The next row group.
    group: usize,
    /// Rows that were left out: without an id, without a number, of no known class.
    left_out: [u64; 3],
    /// Whether neither a row nor the path says of which run it is.
    is_nameless: bool,
}

impl Open {
    /// What is said of the rows that were left out.
    fn faults(&self, path: &str) -> Vec<Fault> {
        let column = if self.table == Table::Kernels { "dur" } else { "value" };
        let said = [
            message("{n} rows without {column}").with("column", "trace_id"),
            message("{n} rows without a number in {column}").with("column", column),
            message("{n} rows without a known class"),
        ];
        let said = said.into_iter().zip(self.left_out).filter(|(_, n)| 0 < *n);
        said.map(|(said, n)| {
            let kind = Kind::Problem(said.with("n", n));
            let fault = Fault::new("DST-LEFT-OUT", Severity::Loss, Place::entry(path), kind);
            fault.note(phrase("They are left out."))
        })
        .collect()
    }
}

/// Tables that are being read.
struct Tables {
    entries: Vec<EntryId>,
    open: Option<Open>,
    at: usize,
    runs: Numbers,
    traces: Numbers,
    keys: [Numbers; 4],
    /// By run and trace.
    launched: Map<(u32, u32), Launched>,
    samples: Samples,
    /// Files of tables that are not read here, and the path of the first.
    n_others: u64,
    first_other: String,
    /// Files that nothing says the run of, and the path of the first.
    nameless: (u64, String),
    n_rows: u64,
}

impl Tables {
    fn new(claim: &Claim) -> Self {
        Self {
            entries: claim.entries.iter().map(|(id, _)| *id).collect(),
            open: None,
            at: 0,
            runs: Numbers::default(),
            traces: Numbers::default(),
            keys: Default::default(),
            launched: Map::default(),
            samples: Samples::default(),
            n_others: 0,
            first_other: String::new(),
            nameless: Default::default(),
            n_rows: 0,
        }
    }

    /// Reads the next row group of a file.
    fn group(&mut self, entry: &Entry, open: &mut Open) -> Result<(), Wrong> {
        let (table, of_path) = (open.table, run_of(&entry.path));
        let column = |name: &str| open.file.column(entry, (table, open.group), name);
        let Some(ids) = column("trace_id")? else { return Ok(()) };
        self.n_rows += ids.len() as u64;
        let (set, names, value): (usize, &[&str], &str) = match table {
            Table::Traces => (0, &["name"], ""),
            Table::Kernels => (0, &["name", "class"], "dur"),
            Table::Metrics => (1, &["figure", "choice", "name", "subject"], "value"),
            Table::Findings => (2, &["code", "subject"], ""),
        };
        let parts: Vec<Option<Values>> = names.iter().map(|name| column(name)).collect::<Result<_, _>>()?;
        let (value, unit, runs, steps) = (column(value)?, column("unit")?, column("run")?, column("step")?);
        let ranks = column("rank")?;
        for row in 0..ids.len() {
            let (id, part) =
                (ids.text(row), |at: usize| text_of(parts.get(at).and_then(Option::as_ref), row));
            let number = value.as_ref().and_then(|value| value.number(row)).filter(|value| value.is_finite());
            let left_out = match (table, part(1)) {
                _ if id.is_empty() => Some(0),
                (Table::Kernels, "copy" | "wait" | "part") => continue,
                (Table::Kernels, class) if !matches!(class, "compute" | "communication") => Some(2),
                (Table::Kernels | Table::Metrics, _) if number.is_none() => Some(1),
                _ => None,
            };
            if let Some(why) = left_out {
                open.left_out[why] += 1;
                continue;
            }
            let (trace, _) = self.trace(id);
            let (key, unit) = match table {
                Table::Traces => {
                    if let Some(trace) = self.samples.traces.get_mut(trace as usize) {
                        part(0).clone_into(&mut trace.name);
                    }
                    continue;
                }
                Table::Kernels => (part(0).to_owned(), "ns"),
                Table::Findings => (said(&[part(0), part(1)]), ""),
                Table::Metrics => (said(&[part(0), part(1), part(2), part(3)]), text_of(unit.as_ref(), row)),
            };
            let run = Some(text_of(runs.as_ref(), row)).filter(|run| !run.is_empty()).unwrap_or(&of_path);
            open.is_nameless |= run.is_empty() && !entry.path.contains("run=");
            let (run_number, is_new) = self.runs.of(run);
            if is_new {
                self.samples.runs.push(run.to_owned());
            }
            let step = text_of(steps.as_ref(), row);
            if !step.is_empty() {
                self.launched.entry((run_number, trace)).or_default().add(step, &key);
            }
            let is_computing = table == Table::Kernels && part(1) == "compute";
            let rank = ranks.as_ref().filter(|_| is_computing).and_then(|ranks| ranks.number(row));
            let of = (run_number, trace, rank.map_or(NO_RANK, whole));
            self.add(set, key, unit, (of, number.unwrap_or(0.0)));
        }
        Ok(())
    }

    /// Reads a row group of the open file and leaves it open where more may follow.
    fn step(&mut self, mut open: Open, bundle: &Bundle, sink: &mut Sink) {
        let Some(entry) = self.entries.get(open.of).and_then(|id| bundle.get(*id)) else { return };
        let note = match open.group {
            0 => phrase("The file is not read."),
            _ => phrase("The rest of the file is not read."),
        };
        let wrong = if open.file.n_groups() <= open.group {
            None
        } else if MAX_ROWS <= self.n_rows {
            let (what, asked) = ("rows of tables".into(), self.n_rows + 1);
            let kind = Kind::Limit { what, asked, allowed: MAX_ROWS };
            Some(Fault::new("DST-ROWS", Severity::Loss, Place::entry(entry.path.clone()), kind).note(note))
        } else if let Err(wrong) = self.group(entry, &mut open) {
            Some(fault(entry, wrong, note))
        } else {
            open.group += 1;
            self.open = Some(open);
            return;
        };
        if open.is_nameless {
            self.nameless.0 += 1;
            if self.nameless.0 == 1 {
                self.nameless.1.clone_from(&entry.path);
            }
        }
        sink.faults_of(open.faults(&entry.path).into_iter().chain(wrong).collect());
    }

    fn trace(&mut self, id: &str) -> (u32, bool) {
        let (number, is_new) = self.traces.of(id);
        if is_new {
            self.samples.traces.push(Known { id: id.to_owned(), ..Known::default() });
        }
        (number, is_new)
    }

    fn add(
        &mut self,
        set: usize,
        mut key: String,
        unit: &str,
        ((run, trace, rank), value): ((u32, u32, u32), f64),
    ) {
        let (Some(keys), Some(rows)) = (self.keys.get_mut(set), self.samples.sets.get_mut(set)) else {
            return;
        };
        // Of two units they are two things.
        let named = key.len();
        key.push('\u{1f}');
        key.push_str(unit);
        let (key_number, is_new) = keys.of(&key);
        if is_new {
            key.truncate(named);
            rows.keys.push((key, unit.to_owned()));
        }
        rows.key.push(key_number);
        rows.run.push(run);
        rows.trace.push(trace);
        rows.rank.push(rank);
        rows.value.push(value);
    }

    /// Adds how often kernels are launched in a step, the average of a trace.
    fn add_launches(&mut self) {
        let mut all: Vec<_> = std::mem::take(&mut self.launched).into_iter().collect();
        order::sort_by_key(&mut all, |(of, _)| *of);
        for ((run, trace), launched) in all {
            let mut kernels: Vec<_> = launched.kernels.into_iter().collect();
            order::sort_by(&mut kernels, |a, b| a.0.cmp(&b.0));
            for (kernel, n) in kernels {
                let per_step = f64::from(n) / launched.steps.0.len().max(1) as f64;
                self.add(LAUNCHES, kernel, "", ((run, trace, NO_RANK), per_step));
            }
        }
    }

    /// Puts what was read into the trace, with runs in order.
    fn finish(&mut self, sink: &mut Sink) {
        self.add_launches();
        let mut samples = std::mem::take(&mut self.samples);
        let mut order: Vec<usize> = (0..samples.runs.len()).collect();
        order.sort_by_cached_key(|at| samples.runs.get(*at).map(|name| sets::order(name)));
        let mut place = vec![0_u32; order.len()];
        for (new, old) in (0..).zip(&order) {
            if let Some(place) = place.get_mut(*old) {
                *place = new;
            }
        }
        samples.runs = order.iter().filter_map(|at| samples.runs.get(*at).cloned()).collect();
        for run in samples.sets.iter_mut().flat_map(|rows| &mut rows.run) {
            *run = place.get(*run as usize).copied().unwrap_or(0);
        }
        if 0 < self.n_others {
            let said = message("{n} files with tables that only query engines read").with("n", self.n_others);
            let kind = Kind::Problem(said);
            let fault = Fault::new("DST-NOT-SHOWN", Severity::Note, Place::entry(&*self.first_other), kind);
            sink.fault(fault.note(phrase("Skipped; kernels, metrics and findings are shown.")));
        }
        // Tables of one trace are of one run.
        if 1 < self.nameless.0 && 1 < samples.traces.len() {
            let said = message("{n} files without a run").with("n", self.nameless.0);
            let fault = Fault::new(
                "DST-NO-RUN",
                Severity::Warning,
                Place::entry(&*self.nameless.1),
                Kind::Problem(said),
            );
            sink.fault(fault.note(phrase("Counted as one run. Open the data set's folder or a zip of it: folder names tell the runs apart.")));
        }
        let is_any = samples.sets.iter().any(|rows| !rows.key.is_empty());
        if is_any {
            let n = |set: usize| samples.sets.get(set).map_or(0, |rows| rows.key.len()) as u64;
            let fact = |name: &str, n: u64| Fact::new(name, n, Unit::None);
            let facts = vec![
                fact(phrase("Runs"), samples.runs.len() as u64),
                fact(phrase("Traces"), samples.traces.len() as u64),
                fact(phrase("Kernels without copies and waits"), n(0)),
                fact(phrase("Metrics"), n(1)),
                fact(phrase("Findings"), n(2)),
            ];
            let figure = Figure { title: phrase("Rows").to_owned(), ..Figure::of_facts(facts) };
            sink.builder.head().figures.push(Family::single("dataset-rows", phrase("Data sets"), figure));
            *sink.builder.head().extensions.get_or_default::<Samples>() = samples;
        }
    }
}

/// Parts of a name that are there.
fn said(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

impl Reading for Tables {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if let Some(open) = self.open.take() {
            self.step(open, bundle, sink);
            return Ok(Want::Again);
        }
        let Some(id) = self.entries.get(self.at) else {
            self.finish(sink);
            return Ok(Want::Done);
        };
        let of = self.at;
        self.at += 1;
        let Some(entry) = bundle.get(*id) else { return Ok(Want::Again) };
        match File::of(entry) {
            Err(wrong) => sink.fault(fault(entry, wrong, phrase("The file is not read."))),
            Ok(file) => match Table::of(&file) {
                None => {
                    if self.n_others == 0 {
                        self.first_other.clone_from(&entry.path);
                    }
                    self.n_others += 1;
                }
                Some(table) => {
                    let (faults, is_read) = check(&entry.path, file.heads(), table);
                    sink.faults_of(faults);
                    self.open = is_read.then_some(Open {
                        of,
                        file,
                        table,
                        group: 0,
                        left_out: [0; 3],
                        is_nameless: false,
                    });
                }
            },
        }
        Ok(Want::Again)
    }

    fn feed(&mut self, _: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((*self.entries.get(self.at.saturating_sub(1))?, 0))
    }
}

fn fault(entry: &Entry, (at, expected): Wrong, note: &'static str) -> Fault {
    let kind = Kind::Problem(message("expected {what}").with_message("what", message(expected)));
    Fault::new("DST-DAMAGED", Severity::Loss, Place::byte(entry.path.clone(), at), kind).note(note)
}
