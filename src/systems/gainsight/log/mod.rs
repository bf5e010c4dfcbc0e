//! Logs of GPGPU-Sim 3.2 to 4 and Accel-Sim: lines of text, read once, none kept.
//!
//! ```text
//! line ──▶ Line ──▶ Scanner: kernels, caches, totals ──▶ Machine of each level ──▶ Run
//!            └────▶ Statistics: what the blocks at the ends of kernels say
//! ```
//! Cycles of access lines begin anew with each kernel; a kernel ends with its line `gpu_sim_cycle = `.

mod line;
mod reading;
mod scan;

pub(super) use reading::{LogReading, replay};

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::{Message, message, phrase};
use crate::format::{Degree, Format, Operators, Probe, ProbeResult, unreadable};
use crate::input::{Entry, read_range};
use crate::systems::gainsight::mapping::{Event, Mapping, sectors};
use crate::systems::gainsight::statistics::Domains;
use crate::views::lifetimes::compute::{Level, LevelHead, parameters};
use line::{Line, MARK, decimal, float};
use memchr::memmem;
use scan::Scanner;
use std::collections::BTreeSet;

/// Whether an entry is a log.
pub(super) fn is_log(entry: &Entry) -> bool {
    probe_look(entry).is_ok()
}

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "gpgpusim",
    title: phrase("GPGPU-Sim log"),
    written_by: "GPGPU-Sim 3.2 to 4.2, Accel-Sim, GainSight",
    patterns: &["*.log", "*.txt", "*.out"],
    shows: "Data lifetimes, caches, kernels, statistics",
    source: "the sources of GPGPU-Sim and Accel-Sim, the documentation of GainSight, logs of four projects",
    probe: Probe { look: probe_look, join: None },
    parameters: parameters::READING,
    read: |claim, values| Box::new(reading::LogReading::new(claim, values)),
    slices: None,
    mode_note: None,
    operators: Some(Operators {
        switch: "",
        title: phrase("Logs"),
        find: super::part_logs,
        head: super::part_head,
    }),
};

// Lines of other simulators: what they say by a mapping, to the scanner.

impl Scanner {
    /// Takes a line of another simulator, without its end.
    fn mapped(&mut self, mapping: &Mapping, line: &[u8], at: u64) {
        match mapping.read(line) {
            Event::Access(level, access, n) => {
                sectors(access, n).for_each(|access| self.access(level, access, at));
            }
            Event::Begin(name, id, stream) => self.other(&Line::Launch(&name, id, stream), at),
            Event::End(name, cycles) => {
                if let Some(name) = name {
                    self.pair("kernel_name", &name, at);
                }
                let latest = self.running.latest.iter().max().copied().unwrap_or(0);
                self.end(cycles.unwrap_or(latest), at, false);
            }
            Event::Capacity(0, bytes) => self.other(&Line::Reconfigure(bytes), at),
            Event::Capacity(_, bytes) => {
                self.config.option("gpgpu_n_mem", "1");
                self.config.option("gpgpu_cache:dl2", &format!("1:{bytes}:1"));
            }
            Event::Wrong(group, found) => self.problem(Problem::Group(group, found), line, at, 0),
            Event::Nothing if matches!(Line::read(line), Line::Elision) => {
                self.problem(Problem::Elision, line, at, 0);
            }
            Event::Nothing => {}
        }
        self.config.clock_mhz = mapping.clock_mhz;
    }
}

// How logs are recognized: by the banner, by lines that only these simulators write.

/// Bytes that are looked at: others may print before the simulator does.
const HEAD: u64 = 64 << 10;

/// What only these simulators write.
const MARKS: [&[u8]; 5] = [
    b"GPGPU-Sim Simulator Version ",
    b"GPGPU-Sim: Configuration options",
    b"GPGPU-Sim PTX: ",
    b"GPGPU-Sim uArch: ",
    b"\ngpu_tot_sim_cycle = ",
];

/// Looks at an entry.
fn probe_look(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    if let Some(mark) = MARKS.iter().find(|mark| memmem::find(&bytes, mark).is_some()) {
        let what = String::from_utf8_lossy(mark.trim_ascii()).into_owned();
        return Ok((Degree::Certain, "log", message("a line has {what}").with("what", what)));
    }
    let is_access = |at: usize| {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let line = rest.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or(rest);
        matches!(Line::read(line), Line::Access(..) | Line::Probe(_))
    };
    let mut marked = memmem::find_iter(&bytes, MARK).peekable();
    let has_marks = marked.peek().is_some();
    if marked.any(is_access) {
        return Ok((Degree::Certain, "log", message("a line is a cache access")));
    }
    Err((if has_marks { 40 } else { 0 }, message("no lines from the simulator")))
}

// What the options at the head of a log say of clocks and caches.

/// Options as far as they matter.
#[derive(Default)]
struct Config {
    /// The clock of the cores in MHz.
    clock_mhz: Option<f64>,
    l1: Option<u64>,
    slice: Option<u64>,
    memories: Option<u64>,
    slices: Option<u64>,
    clusters: Option<u64>,
    cores: Option<u64>,
    /// Cycles that pass in each kernel before it begins to run.
    launch_latency: Option<u64>,
    /// Clocks of the parts of the chip.
    domains: Domains,
}

impl Config {
    /// Takes an option.
    fn option(&mut self, key: &str, value: &str) {
        let number = || value.trim().parse::<u64>().ok();
        match key {
            "gpgpu_clock_domains" => {
                let mut domains = value.split(':').map(|mhz| float(mhz).filter(|mhz| 0.0 < *mhz));
                let mut next = || domains.next().flatten();
                self.clock_mhz = next();
                self.domains = Domains { core: self.clock_mhz, network: next(), l2: next() };
            }
            "gpgpu_cache:dl1" => self.l1 = cache(value),
            "gpgpu_cache:dl2" => self.slice = cache(value),
            "gpgpu_n_clusters" => self.clusters = number(),
            "gpgpu_n_cores_per_cluster" => self.cores = number(),
            "gpgpu_kernel_launch_latency" => self.launch_latency = number(),
            "gpgpu_n_mem" => self.memories = number(),
            "gpgpu_n_sub_partition_per_mchannel" => self.slices = number(),
            _ => {}
        }
    }

    /// The levels: L1 of each SM, and L2 with all its slices.
    fn levels(&self) -> Vec<LevelHead> {
        let product = |of: Option<u64>, each: Option<u64>| of?.checked_mul(each.unwrap_or(1));
        let slices = product(self.memories, self.slices);
        let l2 = self.slice.zip(slices).and_then(|(bytes, slices)| bytes.checked_mul(slices));
        let head = |name: &str, unit: &str, is_private, bytes, units| LevelHead {
            name: name.to_owned(),
            unit: unit.to_owned(),
            is_private,
            bytes,
            word_bytes: None,
            units,
        };
        let cores = product(self.clusters, self.cores);
        vec![head("L1", "SM", true, self.l1, cores), head("L2", "slice", false, l2, slices)]
    }
}

/// Bytes of `S:64:128:16,L:B:m:L:P,…`: sets, bytes of a line, ways; older versions have no letter in front.
fn cache(value: &str) -> Option<u64> {
    let shape = value.split(',').next()?;
    let numbers = shape.split(':').filter_map(|part| part.trim().parse::<u64>().ok());
    let numbers: Vec<u64> = numbers.collect();
    let [sets, line, ways] = numbers.as_slice() else { return None };
    sets.checked_mul(*line)?.checked_mul(*ways)
}

// Which kernel the numbers of launches mean.

/// The names of so many launches that a block lists, each once and in one order: the same kernels have one name.
pub(super) fn each_once(names: &str, launches: usize) -> String {
    if launches < 2 || names.split_whitespace().count() != launches {
        return names.trim().to_owned();
    }
    let once: BTreeSet<&str> = names.split_whitespace().collect();
    once.into_iter().collect::<Vec<_>>().join(", ")
}

/// A kernel as its trace's header or its launch announces it.
#[derive(Clone, Debug, Default)]
struct Announced {
    /// Its name, mangled.
    name: String,
    /// Its number in the header; `None` without one.
    id: Option<u64>,
    stream: Option<u64>,
    /// The number of its launch.
    uid: Option<u64>,
}

/// All that were announced. Headers may be read ahead of launches.
#[derive(Default)]
struct Names {
    headers: Vec<Announced>,
    launches: Vec<Announced>,
}

impl Names {
    /// A header begins.
    fn header(&mut self, path: &str) {
        let stem = path.rsplit('/').next().unwrap_or(path);
        let id = stem.strip_prefix("kernel-").and_then(|rest| rest.split('.').next()?.parse().ok());
        self.headers.push(Announced { id, ..Announced::default() });
    }

    /// A line of the header.
    fn option(&mut self, key: &str, value: &str) {
        let Some(header) = self.headers.last_mut() else { return };
        match key {
            "kernel name" => value.clone_into(&mut header.name),
            "kernel id" => header.id = value.parse().ok().or(header.id),
            "cuda stream id" => header.stream = value.parse().ok(),
            _ => {}
        }
    }

    /// A kernel is launched.
    fn launch(&mut self, name: &str, uid: Option<u64>, stream: Option<u64>) {
        let uid = uid.or_else(|| u64::try_from(self.launches.len()).ok()?.checked_add(1));
        self.launches.push(Announced { name: name.to_owned(), id: None, stream, uid });
    }

    /// The kernel of a launch: launches are numbered in the order of headers.
    fn of(&self, uid: u64) -> Announced {
        let launch = self.launches.iter().rfind(|launch| launch.uid == Some(uid));
        let header = uid.checked_sub(1).and_then(|row| self.headers.get(usize::try_from(row).ok()?));
        let fits = |header: &&Announced| launch.is_none_or(|launch| launch.name == header.name);
        let header = header.filter(fits);
        Announced {
            name: header.or(launch).map_or_else(String::new, |one| one.name.clone()),
            id: header.and_then(|header| header.id),
            stream: launch.and_then(|launch| launch.stream).or(header.and_then(|header| header.stream)),
            uid: Some(uid),
        }
    }

    /// The kernel that was announced last.
    fn last(&self) -> Announced {
        match (self.launches.last(), self.headers.last()) {
            (Some(launch), _) => launch.uid.map_or_else(|| launch.clone(), |uid| self.of(uid)),
            (None, Some(header)) => header.clone(),
            (None, None) => Announced::default(),
        }
    }

    /// How many kernels were launched.
    fn launched(&self) -> usize {
        self.launches.len()
    }

    /// Whether a program's trace is simulated, so that addresses are of the device.
    fn has_headers(&self) -> bool {
        !self.headers.is_empty()
    }
}

// The log's own totals of accesses, which its lines must add up to. They count from the first kernel on.

/// Totals of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    accesses: Option<u64>,
    retries: Option<u64>,
}

/// Totals of both levels: at the end of the kernel before, and of this one.
#[derive(Default)]
struct Totals {
    before: [Sums; 2],
    now: [Sums; 2],
    /// Whether this is no kernel's end yet.
    has_before: bool,
}

impl Totals {
    /// Takes a line `\tL1D_total_cache_accesses = 8512` or the same without the tab.
    fn line(&mut self, line: &[u8]) {
        let line = line.trim_ascii_start();
        let (level, rest) = if let Some(rest) = line.strip_prefix(b"L1D_total_cache_") {
            (0, rest)
        } else if let Some(rest) = line.strip_prefix(b"L2_total_cache_") {
            (1, rest)
        } else {
            return;
        };
        let Some(sums) = self.now.get_mut(level) else { return };
        let value = |rest: &[u8]| decimal(rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii());
        if let Some(rest) = rest.strip_prefix(b"accesses") {
            sums.accesses = value(rest);
        } else if let Some(rest) = rest.strip_prefix(b"reservation_fails") {
            sums.retries = value(rest);
        }
    }

    /// All lines of a kernel's end were read: what its lines do not agree with, as what the lines and the totals say.
    /// `is_first` says whether nothing ran before.
    fn kernel(&mut self, levels: &[Level], is_first: bool) -> Vec<(Message, Message)> {
        let (before, now) = (self.before, self.now);
        // What one kernel does not say stays as it was.
        let kept = |now: Option<u64>, before: Option<u64>| now.or(before);
        for (before, now) in self.before.iter_mut().zip(&mut self.now) {
            before.accesses = kept(now.accesses, before.accesses);
            before.retries = kept(now.retries, before.retries);
            *now = Sums::default();
        }
        let knows = is_first || self.has_before;
        self.has_before = true;
        if !knows {
            return Vec::new();
        }
        let mut wrong = Vec::new();
        for (at, name) in ["L1D", "L2"].into_iter().enumerate() {
            let (Some(before), Some(now), Some(level)) = (before.get(at), now.get(at), levels.get(at)) else {
                continue;
            };
            let counts = level.counts;
            if counts.accesses() + counts.retries == 0 {
                continue; // the level was not logged
            }
            // Totals that begin anew with each kernel stand as they are.
            let own = |now: Option<u64>, before: Option<u64>| {
                now.map(|now| now.checked_sub(before.unwrap_or(0)).unwrap_or(now))
            };
            if let Some(total) = own(now.accesses, before.accesses).filter(|n| *n != counts.accesses()) {
                let lines = message("the kernel's lines have {n} accesses to {level}");
                let log = message("its totals give {n}").with("n", total);
                wrong.push((lines.with("n", counts.accesses()).with("level", name), log));
            }
            if let Some(total) = own(now.retries, before.retries).filter(|n| *n != counts.retries) {
                let lines = message("the kernel's lines have {n} retries at {level}");
                let log = message("its totals give {n}").with("n", total);
                wrong.push((lines.with("n", counts.retries).with("level", name), log));
            }
        }
        wrong
    }
}

// What may be wrong with a log.

/// What is wrong.
enum Problem<'a> {
    /// An access line is damaged.
    Access,
    /// A status that nobody knows.
    Status(&'a [u8]),
    /// A group of a mapping that caught what it should not.
    Group(&'static str, String),
    /// Cycles run backwards: this one behind that one.
    Backwards(u64, u64),
    /// The end of a kernel is missing.
    End,
    /// The number of cycles of a kernel cannot be read.
    Cycles,
    Elision,
    /// Addresses may be cut.
    Short,
    Totals(Message, Message),
}

fn unexpected(expected: &'static str, found: &[u8]) -> Kind {
    Kind::Unexpected { expected: expected.into(), found: excerpt(found).into() }
}

/// Says it, with the place of the line and the byte inside of it.
#[allow(clippy::too_many_lines)] // one arm for each problem
fn fault(path: &str, problem: Problem, line: &[u8], (at, number): (u64, u64), column: usize) -> Fault {
    let (code, severity, kind, note) = match problem {
        Problem::Access => (
            "GPS-ACCESS",
            Severity::Loss,
            unexpected(phrase("a cache access"), line.get(column..).unwrap_or(line)),
            phrase("The line is left out."),
        ),
        Problem::Status(status) => (
            "GPS-STATUS",
            Severity::Loss,
            unexpected(phrase("a status from 0 to 5"), status),
            phrase("The line is left out."),
        ),
        Problem::Group(group, found) => (
            "MAP-GROUP",
            Severity::Loss,
            Kind::Problem(
                message("the group {group} of the mapping caught {found}")
                    .with("group", group)
                    .with("found", excerpt(found.as_bytes())),
            ),
            phrase("The line is left out."),
        ),
        Problem::Backwards(cycle, latest) => (
            "GPS-ORDER",
            Severity::Warning,
            Kind::Problem(
                message("cycle {cycle} follows cycle {latest}").with("cycle", cycle).with("latest", latest),
            ),
            phrase("The lifetimes it belongs to may have wrong lengths."),
        ),
        Problem::End => (
            "GPS-END",
            Severity::Loss,
            Kind::Problem(message("the end of the kernel whose accesses start here is missing")),
            phrase("It is shown up to its last access."),
        ),
        Problem::Cycles => (
            "GPS-CYCLES",
            Severity::Loss,
            unexpected(phrase("kernel cycles"), line),
            phrase("Its accesses are attributed to the next kernel."),
        ),
        Problem::Elision => (
            "GPS-ELISION",
            Severity::Warning,
            Kind::Problem(message("lines are missing from the log here")),
            phrase("Lifetimes cover only the accesses in the log."),
        ),
        Problem::Short => (
            "GPS-ADDRESS",
            Severity::Note,
            Kind::Problem(message("all addresses fit in 32 bits, as some printers truncate them")),
            phrase("Data 4 GiB apart may count as one."),
        ),
        Problem::Totals(lines, totals) => (
            "GPS-TOTALS",
            Severity::Warning,
            Kind::Contradiction { a: lines, b: totals },
            phrase("Lifetimes cover only the accesses in the log."),
        ),
    };
    let place = Place::byte(path, at.saturating_add(column as u64));
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let column = u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1);
    Fault::new(code, severity, place.line(number, column), kind).note(note)
}
