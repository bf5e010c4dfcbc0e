//! Logs of GPGPU-Sim and Accel-Sim with single accesses, and the tables and reports that `GainSight` makes of them: how long
//! data live in caches, and which memory would hold them. Results of SCALE-Sim.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

pub mod export;
mod figures;
pub mod guide;
mod log;
mod mapping;
mod profiler;
mod rules;
pub mod scalesim;
mod statistics;
mod tables;

use super::System;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::{Format, Part};
use crate::input::{Bundle, ByteSource, Entry, EntryId, read_range};
use crate::model::build::natural;
use crate::model::files::{Measure, OperatorHead};
use memchr::memmem;

/// Its formats where it is not loaded.
#[rustfmt::skip] // one entry a line
pub(super) static RECOGNIZED: &[Format] = &[
    log::FORMAT.recognized(),
    scalesim::FORMAT.recognized(),
    profiler::FORMAT.recognized(),
    tables::TABLES.recognized(),
    tables::REPORT.recognized(),
    mapping::FORMAT.recognized(),
];

/// The system.
#[rustfmt::skip] // one entry a line
pub static SYSTEM: System = System {
    id: "gainsight",
    title: phrase("Data lifetimes"),
    formats: &[
        &log::FORMAT,
        &scalesim::FORMAT,
        &profiler::FORMAT,
        &tables::TABLES,
        &tables::REPORT,
        &mapping::FORMAT,
    ],
    analyses: &[
        &figures::ANALYSIS,
        &scalesim::ANALYSIS,
        &statistics::ANALYSIS,
        &profiler::ANALYSIS,
    ],
    exports: &[
        &export::SIM_CSV,
        &export::L1_CSV,
        &export::L2_CSV,
        &export::REPORT_JSON,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &export::ARROW,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &export::PARQUET,
    ],
    requests: &[],
    color_schemes: &[],
    examples: &[
        "run.log --export gainsight-sim-csv --lifetime resident --refill keep",
        "run.log --export gainsight-report-json --devices devices.json",
    ],
    search_prefixes: &[],
    headline: figures::quantities,
    guide: &rules::GUIDE,
};

// Lines of a text that comes in pieces.

/// Longest line that is read as a whole; the rest of longer ones is passed over.
const LONGEST: usize = 1 << 20;

/// Joins pieces to lines.
#[derive(Default)]
struct Lines {
    /// The begin of a line whose end has not come yet.
    rest: Vec<u8>,
    /// Bytes of it that were passed over.
    over: u64,
    at: u64,
    number: u32,
}

/// One line without its end.
#[derive(Clone, Copy)]
struct Line<'a> {
    bytes: &'a [u8],
    /// Where it begins.
    at: u64,
    /// Its number, from 1.
    number: u32,
}

impl Lines {
    /// Takes the next piece; calls back for each line that is whole.
    fn feed(&mut self, chunk: &[u8], mut take: impl FnMut(Line)) {
        let mut rest = chunk;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, tail) = rest.split_at(end);
            rest = tail.get(1..).unwrap_or(&[]);
            if self.rest.is_empty() {
                self.line(line, line.len() as u64 + 1, &mut take);
            } else {
                self.hold(line);
                let whole = std::mem::take(&mut self.rest);
                self.line(&whole, whole.len() as u64 + self.over + 1, &mut take);
                (self.rest, self.over) = (whole, 0);
                self.rest.clear();
            }
        }
        self.hold(rest);
    }

    /// Nothing more comes: the last line may have no end.
    fn finish(&mut self, mut take: impl FnMut(Line)) {
        let line = std::mem::take(&mut self.rest);
        if !line.is_empty() {
            self.line(&line, line.len() as u64 + self.over, &mut take);
        }
    }

    /// Bytes of whole lines that were read.
    fn position(&self) -> u64 {
        self.at
    }

    fn hold(&mut self, bytes: &[u8]) {
        let (held, over) = bytes.split_at(bytes.len().min(LONGEST.saturating_sub(self.rest.len())));
        self.rest.extend_from_slice(held);
        self.over += over.len() as u64;
    }

    fn line(&mut self, bytes: &[u8], len: u64, take: &mut impl FnMut(Line)) {
        self.number = self.number.saturating_add(1);
        let text = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = if self.at == 0 { text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text) } else { text };
        take(Line { bytes: text, at: self.at, number: self.number });
        self.at += len;
    }
}

// Counts over two axes whose ranges nobody knows before: bins of a power of two, doubled when there are too many.

/// Bins along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Bins {
    /// A bin is 2 to the power of this wide.
    pub level: u32,
    /// Number of the first; number 0 begins with value 0.
    base: i64,
    /// How many there are at most.
    pub n: usize,
    /// First and last value.
    seen: Option<(i64, i64)>,
}

/// Counts.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The horizontal axis.
    pub x: Bins,
    /// The vertical axis.
    pub y: Bins,
    cells: Vec<u32>,
}

impl Bins {
    fn new(n: usize) -> Self {
        Self { level: 0, base: 0, n, seen: None }
    }

    fn at(&self, value: i64) -> Option<usize> {
        usize::try_from((value >> self.level).checked_sub(self.base)?).ok().filter(|at| *at < self.n)
    }

    /// The narrowest bins that hold a further value too, with all spare room on its side.
    fn with(self, value: i64) -> Self {
        let (from, to) = self.seen.map_or((value, value), |(a, b)| (a.min(value), b.max(value)));
        let n = i64::try_from(self.n).unwrap_or(i64::MAX);
        let mut level = self.level;
        while n <= (to >> level).saturating_sub(from >> level) {
            level += 1;
        }
        let is_below = self.seen.is_some_and(|(first, _)| value < first);
        let base = if is_below { (to >> level).saturating_sub(n - 1) } else { from >> level };
        Self { level, base, seen: Some((from, to)), ..self }
    }

    /// Numbers of the first and the last bin in use, bin 0 beginning with value 0.
    fn used(&self) -> Option<(i64, i64)> {
        self.seen.map(|(from, to)| (from >> self.level, to >> self.level))
    }
}

impl Grid {
    /// At most so many bins along each axis.
    pub fn new(width: usize, height: usize) -> Self {
        Self { x: Bins::new(width), y: Bins::new(height), cells: vec![0; width * height] }
    }

    /// Counts one.
    #[inline]
    pub fn add(&mut self, x: i64, y: i64) {
        let (Some(column), Some(row)) = (self.x.at(x), self.y.at(y)) else {
            return self.grow(x, y);
        };
        for (bins, value) in [(&mut self.x, x), (&mut self.y, y)] {
            bins.seen = Some(bins.seen.map_or((value, value), |(a, b)| (a.min(value), b.max(value))));
        }
        if let Some(cell) = self.cells.get_mut(row * self.x.n + column) {
            *cell = cell.saturating_add(1);
        }
    }

    #[cold]
    fn grow(&mut self, x: i64, y: i64) {
        let mut wider = Self::new(self.x.n, self.y.n);
        let with = |bins: Bins, value| if bins.at(value).is_some() { bins } else { bins.with(value) };
        (wider.x, wider.y) = (with(self.x, x), with(self.y, y));
        for (column, row, n) in self.cells() {
            let place = (wider.x.at(column << self.x.level), wider.y.at(row << self.y.level));
            if let (Some(column), Some(row)) = place
                && let Some(cell) = wider.cells.get_mut(row * wider.x.n + column)
            {
                *cell = cell.saturating_add(n);
            }
        }
        *self = wider;
        // There is room for both now.
        if self.x.at(x).is_some() && self.y.at(y).is_some() {
            self.add(x, y);
        }
    }

    /// Cells that are not 0: numbers of their bins as in [`Bins::used`], and counts.
    pub fn cells(&self) -> impl Iterator<Item = (i64, i64, u32)> {
        let rows = self.cells.chunks(self.x.n.max(1)).zip(self.y.base..);
        rows.flat_map(|(cells, row)| {
            cells.iter().zip(self.x.base..).map(move |(n, column)| (column, row, *n))
        })
        .filter(|(.., n)| *n != 0)
    }

    /// Whether nothing was counted.
    fn is_empty(&self) -> bool {
        self.x.seen.is_none()
    }
}

// Runs that were dropped together: each log, and the counters of each kernel, are a document of their own, so that they
// are listed by their names and can be compared.

/// Endings of names of logs; some have none.
const ENDINGS: [&str; 3] = [".log", ".txt", ".out"];

/// Bytes at the end of a log that hold what it says of its last kernel.
const END: u64 = 256 << 10;

/// A file's name without the endings of logs.
fn stem(name: &str) -> &str {
    ENDINGS
        .iter()
        .fold(name, |name, end| name.strip_suffix(end).filter(|left| !left.is_empty()).unwrap_or(name))
}

/// Folder and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A part for each log, when there are several. Other files go to the log that they are called after, such as
/// `run.sim.csv` to `run.log`, or else to all.
fn of_logs(bundle: &Bundle, logs: &[EntryId]) -> Vec<Part> {
    if logs.len() < 2 {
        return Vec::new();
    }
    let path = |id: &EntryId| bundle.get(*id).map_or("", |entry| entry.path.as_str());
    let mut parts: Vec<Part> =
        logs.iter().map(|id| Part { path: path(id).to_owned(), entries: vec![*id] }).collect();
    for (id, entry) in bundle.iter().filter(|(id, _)| !logs.contains(id)) {
        let (folder, name) = split(&entry.path);
        let is_called_after = |part: &Part| {
            let (own, log) = split(&part.path);
            own == folder && name.strip_prefix(stem(log)).is_some_and(|rest| rest.starts_with('.'))
        };
        let is_of_one = parts.iter().any(is_called_after);
        for part in parts.iter_mut().filter(|part| !is_of_one || is_called_after(part)) {
            part.entries.push(id);
        }
    }
    order::sort_by(&mut parts, |a, b| natural(&a.path, &b.path));
    parts
}

/// The logs of a bundle.
fn part_logs(bundle: &Bundle) -> Vec<Part> {
    let may_be =
        |entry: &Entry| ENDINGS.iter().any(|end| entry.name().ends_with(end)) || !entry.name().contains('.');
    let named = || bundle.iter().filter(|(_, entry)| may_be(entry));
    if named().nth(1).is_none() {
        return Vec::new();
    }
    let logs: Vec<EntryId> = named().filter(|(_, entry)| log::is_log(entry)).map(|(id, _)| id).collect();
    of_logs(bundle, &logs)
}

/// The logs of a bundle that its mapping fits.
fn mapped_logs(bundle: &Bundle) -> Vec<Part> {
    of_logs(bundle, &mapping::logs(bundle))
}

/// The kernel of a file of counters, with its folder: `mvt_kernel0` of `mvt_kernel0_l1d_sm0.csv`.
fn kernel_of(path: &str) -> Option<&str> {
    const MARK: &str = "kernel";
    let (folder, name) = split(path);
    let at = name.find(MARK)? + MARK.len();
    let digits = name.get(at..)?.bytes().take_while(u8::is_ascii_digit).count();
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    (0 < digits).then(|| path.get(..start + at + digits))?
}

/// A part for the counters of each kernel, when there are several; other files go to all.
fn part_kernels(bundle: &Bundle) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest: Vec<EntryId> = Vec::new();
    for (id, entry) in bundle.iter() {
        let Some(kernel) = kernel_of(&entry.path).filter(|_| profiler::is_counters(entry)) else {
            rest.push(id);
            continue;
        };
        match parts.iter_mut().find(|part| part.path == kernel) {
            Some(part) => part.entries.push(id),
            None => parts.push(Part { path: kernel.to_owned(), entries: vec![id] }),
        }
    }
    if parts.len() < 2 {
        return Vec::new();
    }
    for part in &mut parts {
        part.entries.extend(&rest);
    }
    order::sort_by(&mut parts, |a, b| natural(&a.path, &b.path));
    parts
}

/// What a part is called, and how long the run of a log was: the rest is known when it was read.
fn part_head(bundle: &Bundle, part: &Part) -> OperatorHead {
    let name = stem(split(&part.path).1).to_owned();
    let mut entries = part.entries.iter().filter_map(|id| bundle.get(*id));
    let log = entries.find(|entry| entry.path == part.path);
    let measure = |value| Measure { name: phrase("Cycles").to_owned(), unit: Unit::Cycles, value };
    let measures = log.and_then(|log| cycles(&*log.source)).map(measure).into_iter().collect();
    OperatorHead { path: part.path.clone(), name, measures, ..OperatorHead::default() }
}

/// Simulated cycles of all kernels that ended, as the end of a log says.
fn cycles(source: &dyn ByteSource) -> Option<f64> {
    const SAYS: &[u8] = b"\ngpu_tot_sim_cycle = ";
    let end = read_range(source, source.len().saturating_sub(END)..source.len()).ok()?;
    let text = end.get(memmem::rfind(&end, SAYS)? + SAYS.len()..)?;
    let digits = text.get(..text.iter().position(|byte| !byte.is_ascii_digit())?)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
