//! Traces of Accel-Sim: every instruction of every warp of a kernel, as text.
//!
//! ```text
//! kernelslist[.g]  stats.csv
//! kernel-1.trace   lines of all warps as they came, each names its warp
//! kernel-1.traceg  the same, put in order by warp
//! ```
//! Newer versions put `-ctx_0x…` behind the numbers. All files of a folder are one document. Most traces are packed.
//!
//! | what stands there | what becomes of it |
//! | --- | --- |
//! | mask 0 with an address of 0 | no access: no lane ran the instruction |
//! | a step for each active lane but the first, then a number | as it says; other readers take the number for a step |
//! | one line or two of an `LDGSTS` | one row, with the addresses of the global side |
//! | garbage in the head | shown as it is, used for nothing that costs memory |
//! | a kernel in the list without a file | a fault; a row in the table of counts without one is none |

mod fold;
mod kernel;
mod line;
mod reading;
mod result;

use crate::base::map::Map;
use crate::base::words::{message, phrase};
use crate::base::{number, order};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, unreadable};
use crate::input::{Bundle, Entry, read_range};
use crate::model::chunked::Chunked;
use crate::systems::instrumentation::Named;
use crate::views::executions::compute::NamedRange;
use kernel::Trouble;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "accelsim",
    title: phrase("Accel-Sim trace"),
    written_by: "Accel-Sim tracer, versions 1.2 to 5",
    patterns: &["kernel-*.traceg", "kernel-*.trace", "kernel-*.traceg.xz", "kernelslist.g", "stats.csv"],
    shows: "Instructions by warp and block, memory accesses, coalescing",
    source: "the tracer and the trace parser of Accel-Sim, traces of three projects",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read: |claim, _| Box::new(Named(reading::Files::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of files.
mod role {
    /// The instructions of a kernel.
    pub(super) const TRACE: &str = "trace";
    /// The list of kernels.
    pub(super) const LIST: &str = "list";
    /// The table of counts.
    pub(super) const COUNTS: &str = "counts";
}

/// Why a row has no addresses.
const WRONG_LANES: &str =
    phrase("The number of addresses in the trace differs from the number of active lanes.");

/// How much of a file is looked at.
const LOOK: u64 = 4_096;

fn look(entry: &Entry) -> ProbeResult {
    let head = read_range(&*entry.source, 0..LOOK).map_err(|e| (0, unreadable(&e.0)))?;
    let text = String::from_utf8_lossy(&head);
    let begin = text.trim_start();
    let name = entry.name();
    if begin.starts_with("-kernel name =") {
        return Ok((Degree::Certain, role::TRACE, message("the header of a kernel trace")));
    }
    if begin.starts_with(COUNTS) {
        return Ok((Degree::Certain, role::COUNTS, message("the header of an instruction count table")));
    }
    // The last line may be cut by what is looked at.
    let whole =
        if (head.len() as u64) < LOOK { begin } else { begin.rsplit_once('\n').map_or("", |(all, _)| all) };
    let mut listed = whole.lines().map(folder_listed);
    if name.starts_with("kernelslist") && listed.clone().any(|line| line.is_some()) {
        return Ok((Degree::Likely, role::LIST, message("a list of kernels")));
    }
    let begins = ["kernel-", "Memcpy", "cudaMalloc,"].iter().any(|word| begin.starts_with(word));
    if begins && listed.all(|line| line.is_some()) {
        return Ok((Degree::Likely, role::LIST, message("a list of kernels")));
    }
    let is_trace = ["trace", "traceg"].iter().any(|end| name.rsplit('.').next() == Some(end));
    if is_trace && name.starts_with("kernel-") {
        let begins = |line: &str| {
            line.starts_with("#BEGIN_TB") || line.starts_with('-') || line::columns(line.as_bytes()).is_some()
        };
        if begin.lines().next().is_some_and(begins) {
            return Ok((Degree::Likely, role::TRACE, message("instructions of a kernel without its header")));
        }
        return Err((30, message("line 1: expected -kernel name = …")));
    }
    Err((0, message("line 1: expected -kernel name = …")))
}

/// One claim for each folder that has a trace or a list, with all of its files.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut folders: Vec<Claim> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for claim in std::mem::take(&mut probed.claims) {
        let Some(entry) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let at = *known.entry(folder(&entry.path)).or_insert(folders.len());
        match folders.get_mut(at) {
            Some(known) => {
                if known.degree < claim.degree {
                    (known.degree, known.reason) = (claim.degree, claim.reason);
                }
                known.entries.extend(claim.entries);
            }
            None => folders.push(claim),
        }
    }
    probed.claims = folders;
}

// The head of a trace: `-key = value` lines. What stands there may be garbage: nothing is allocated by it.

/// What the head of a kernel says.
#[derive(Default)]
struct Header {
    /// All of it, in order.
    facts: Vec<(String, String)>,
    name: String,
    /// Groups of threads in each direction.
    grid: [u32; 3],
    /// Threads of a group in each direction.
    group: [u32; 3],
    /// Version of the tracer: 5 writes a number behind each instruction.
    version: Option<f64>,
    /// Whether each line begins with a line of source.
    has_lines: bool,
}

/// Most lines of a head that are kept.
const FACTS: usize = 64;

impl Header {
    /// Takes a line that begins with `-`.
    fn take(&mut self, line: &[u8]) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(line);
        let parts = text.trim_start_matches('-').split_once('=');
        let Some((key, value)) = parts.map(|(key, value)| (key.trim(), value.trim())) else {
            return Err(Trouble::Line("-key = value"));
        };
        let sides = || three(value).ok_or(Trouble::Line("(x,y,z)"));
        if self.facts.len() < FACTS {
            self.facts.push((key.to_owned(), value.to_owned()));
        }
        match key {
            "kernel name" => value.clone_into(&mut self.name),
            "grid dim" => {
                let found = sides()?;
                let expected = phrase("(x,y,z) of fewer than 2^31 thread blocks");
                self.grid = Some(found).filter(|sides| holds(sides, GRID)).ok_or(Trouble::Head(expected))?;
            }
            "block dim" => {
                let found = sides()?;
                let expected = phrase("(x,y,z) of at most 1,024 threads");
                self.group =
                    Some(found).filter(|sides| holds(sides, GROUP)).ok_or(Trouble::Head(expected))?;
            }
            "accelsim tracer version" => {
                let version = value.parse().map_err(|_| Trouble::Line(phrase("a number")))?;
                self.version = Some(version);
            }
            "enable lineinfo" => self.has_lines = value == "1",
            _ => {}
        }
        Ok(())
    }

    /// Whether a number stands behind each instruction; `None` when nobody says.
    fn has_immediate(&self) -> Option<bool> {
        self.version.map(|version| 5.0 <= version)
    }

    /// Warps of a group; 0 where the head does not say.
    fn warps(&self) -> u32 {
        self.group.iter().product::<u32>().div_ceil(32)
    }
}

/// Most groups of a grid, and most threads of a group: no GPU has more.
const GRID: u32 = (1 << 31) - 1;
const GROUP: u32 = 1_024;

/// Whether a box of these sides has at most so many places.
fn holds(sides: &[u32; 3], most: u32) -> bool {
    let all = sides.iter().try_fold(1_u32, |n, side| n.checked_mul(*side));
    all.is_some_and(|n| n <= most)
}

/// `(1,2,3)` or `1,2,3`.
fn three(text: &str) -> Option<[u32; 3]> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    let mut numbers = text.split(',').map(|number| number.trim().parse::<u32>());
    let all = [numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?];
    numbers.next().is_none().then_some(all)
}

// What stands beside the traces: the list of kernels, with copies and allocations, and the table of counts.

/// A line of the list of kernels.
enum Listed<'a> {
    /// The name of the file of a kernel.
    Kernel(&'a str),
    /// A range of memory, named by what was done with it.
    Range(NamedRange),
    /// A blank line.
    Nothing,
}

/// Reads a line of the list: `kernel-…`, `MemcpyHtoD,0x…,bytes`, `cudaMalloc,0x…,bytes`.
fn folder_listed(line: &str) -> Option<Listed<'_>> {
    let line = line.trim();
    if line.is_empty() {
        return Some(Listed::Nothing);
    }
    if line.starts_with("kernel-") && !line.contains(',') {
        return Some(Listed::Kernel(line));
    }
    let mut words = line.split(',').map(str::trim);
    let name = words.next().filter(|name| name.starts_with("Memcpy") || name.starts_with("cudaMalloc"))?;
    let start = words.next().filter(|word| word.starts_with("0x")).and_then(number::address)?;
    let bytes = words.next()?.parse().ok()?;
    Some(Listed::Range(NamedRange { name: name.to_owned(), start, bytes }))
}

/// A row of the table of counts.
#[derive(Clone, Debug, Default, PartialEq)]
struct Counted {
    /// What the kernel's file is called, without endings.
    stem: String,
    /// Instructions of all warps.
    instructions: u64,
}

/// The head of the table.
const COUNTS: &str = "kernel id, kernel mangled name";

/// Reads a row of the table: file, name, grid, blocks, block, threads, instructions, those that were reported. The name may
/// hold commas.
fn folder_counted(line: &str) -> Option<Counted> {
    let words: Vec<&str> = line.split(',').map(str::trim).collect();
    let (file, rest) = words.split_first().filter(|(file, _)| file.starts_with("kernel-"))?;
    let numbers = rest.get(rest.len().checked_sub(10)?..)?;
    let is_whole = 10 < rest.len() && numbers.iter().all(|word| word.parse::<u64>().is_ok());
    three(&numbers.get(..3)?.join(",")).filter(|_| is_whole)?;
    let instructions = numbers.get(8)?.parse().ok()?;
    Some(Counted { stem: folder_stem(file).to_owned(), instructions })
}

/// The name of a trace without its endings, by which list, table and trace belong together.
fn folder_stem(name: &str) -> &str {
    let mut stem = name;
    for ending in [".xz", ".gz", ".zst", ".traceg", ".trace"] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    stem
}

/// The folder that a file lies in; of a packed file that of the file, not of what is in it.
fn folder(path: &str) -> &str {
    let path = match path.rsplit_once("!/") {
        Some((packed, _)) if [".xz", ".gz", ".zst"].iter().any(|end| packed.ends_with(end)) => packed,
        _ => path,
    };
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

// The warps of a kernel while it is read: one after the other where lines are grouped, all at once where each line names its
// warp.

/// The rows of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// Its group: z, y, x, by which warps are in order.
    group: [u32; 3],
    /// Its number in the group.
    warp: u32,
    /// Its first row.
    start: u32,
    /// Behind its last row.
    end: u32,
}

/// What only lines that name their warp need, by row.
#[derive(Default)]
struct Interleaved {
    /// The number of the warp.
    of: Chunked<u32>,
    /// Where the line stands, in units of eight bytes: no two begin in one.
    at: Chunked<u32>,
    keys: Map<[u32; 4], u32>,
    /// The last row of each warp.
    last: Vec<u32>,
    /// The warp of the line before: often the same.
    before: ([u32; 4], u32),
}

/// The warps.
#[derive(Default)]
struct Warps {
    /// Whether lines are grouped by warp.
    is_grouped: bool,
    /// The group that is being read: x, y, z.
    group: [u32; 3],
    /// The warps. Where they are interleaved, `end` is their number of rows until they are put in order.
    runs: Vec<Run>,
    /// What interleaved lines need.
    interleaved: Interleaved,
    is_open: bool,
    declared: Option<u32>,
    lines: u64,
    /// Lines that heads of warps declare and that are not there.
    absent: u64,
}

impl Warps {
    /// A warp begins.
    fn begin_run(&mut self, warp: u32, row: u32) {
        let [x, y, z] = self.group;
        self.runs.push(Run { group: [z, y, x], warp, start: row, end: row });
        (self.is_open, self.declared, self.lines) = (true, None, 0);
    }

    /// Its head says how many lines follow.
    fn declare(&mut self, n: u32) {
        self.declared = Some(n);
    }

    /// A line of it passes.
    #[inline]
    fn count_line(&mut self) {
        self.lines += 1;
    }

    /// The warp ends, if one began.
    fn end_run(&mut self, row: u32) -> Result<(), Trouble> {
        let Some(run) = self.runs.last_mut().filter(|_| self.is_open && self.is_grouped) else {
            return Ok(());
        };
        self.is_open = false;
        run.end = row;
        self.absent += self.declared.map_or(0, |n| u64::from(n).saturating_sub(self.lines));
        match self.declared.map(u64::from).filter(|n| *n != self.lines) {
            Some(n) => Err(Trouble::Count(run.warp, n, self.lines)),
            None => Ok(()),
        }
    }

    /// The number of the warp that is being read.
    #[inline]
    fn current(&self) -> Option<u32> {
        self.runs.len().checked_sub(1).filter(|_| self.is_open).and_then(|n| u32::try_from(n).ok())
    }

    /// The number of a warp that a line names: group and number.
    #[inline]
    fn of_key(&mut self, key: [u32; 4]) -> u32 {
        let of = &mut self.interleaved;
        if of.before.0 == key && !self.runs.is_empty() {
            return of.before.1;
        }
        let runs = &mut self.runs;
        let number = *of.keys.entry(key).or_insert_with(|| {
            let [x, y, z, warp] = key;
            runs.push(Run { group: [z, y, x], warp, start: 0, end: 0 });
            of.last.push(u32::MAX);
            u32::try_from(runs.len() - 1).unwrap_or(u32::MAX)
        });
        of.before = (key, number);
        number
    }

    /// A row of a warp.
    #[inline]
    fn push(&mut self, thread: u32, row: u32, at: u64) {
        if self.is_grouped {
            return;
        }
        let of = &mut self.interleaved;
        of.of.push(thread);
        of.at.push(u32::try_from(at / 8).unwrap_or(u32::MAX));
        if let Some(last) = of.last.get_mut(thread as usize) {
            *last = row;
        }
        if let Some(run) = self.runs.get_mut(thread as usize) {
            run.end += 1;
        }
    }

    /// The last row of a warp when there are so many rows in all.
    fn last_row(&self, thread: u32, rows: u32) -> Option<u32> {
        if self.is_grouped {
            let start = self.runs.last().map_or(0, |run| run.start);
            return rows.checked_sub(1).filter(|row| start <= *row);
        }
        self.interleaved.last.get(thread as usize).copied()
    }

    /// The line of a row that says more stands elsewhere.
    #[allow(clippy::indexing_slicing)] // the row is there
    fn move_row(&mut self, row: u32, at: u64) {
        if !self.is_grouped && (row as usize) < self.interleaved.at.len() {
            self.interleaved.at[row as usize] = u32::try_from(at / 8).unwrap_or(u32::MAX);
        }
    }

    /// How many rows warps have in all before each, and their numbers in the order of group and warp: where interleaved rows
    /// go.
    fn arrange(&mut self) -> Vec<u32> {
        let mut sorted: Vec<(Run, u32)> = self.runs.iter().copied().zip(0..).collect();
        order::sort_by_key(&mut sorted, |(run, _)| (run.group, run.warp));
        let (mut starts, mut next) = (vec![0; sorted.len()], 0);
        for (run, number) in &mut sorted {
            let n = run.end - run.start;
            if let Some(start) = starts.get_mut(*number as usize) {
                *start = next;
            }
            if !self.is_grouped {
                (run.start, run.end) = (next, next + n);
            }
            next += n;
        }
        self.runs = sorted.into_iter().map(|(run, _)| run).collect();
        starts
    }
}
