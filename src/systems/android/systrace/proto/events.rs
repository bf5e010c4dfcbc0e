//! Events of the packets become rows in the order of time.

use super::messages::{Bundle, Event, Packet, ProcessTree};
use super::walk::Spot;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::words::message;
use crate::format::sink::Sink;
use crate::model::id::StrId;
use crate::systems::android::nnapi::mark::Refusal;
use crate::systems::android::systrace::collect::{Collector, Options, Row, RowPlace, shortened};
use crate::systems::android::systrace::survey::{SIGNS, Survey};
use crate::systems::android::systrace::text::row::process_of;
use memchr::memmem::Finder;
use prost::bytes::Bytes;
use std::borrow::Cow;

/// Rows of threads without NNAPI that are held to be sorted; the earlier half of them goes on when there are so many.
const NEIGHBORS: usize = 1 << 17;

/// Rows that are handed on at once.
const STEP: usize = 1 << 14;

/// The first pass: threads, processes, and who has to do with NNAPI.
pub(super) struct Looking {
    signs: [Finder<'static>; SIGNS.len()],
    survey: Survey,
    tree: Tree,
}

/// What the trees of processes say, the last one counting.
#[derive(Default)]
struct Tree {
    /// Name of each thread, and number of its process.
    threads: Map<u32, (String, u32)>,
    /// Name of each process.
    processes: Map<u32, String>,
}

impl Default for Looking {
    fn default() -> Self {
        let signs = SIGNS.map(Finder::new);
        Self { signs, survey: Survey::default(), tree: Tree::default() }
    }
}

impl Looking {
    pub(super) fn packet(&mut self, packet: Packet) {
        if let Some(tree) = packet.process_tree {
            self.tree.add(tree);
        }
        for event in packet.ftrace_events.into_iter().flat_map(|bundle| bundle.event) {
            let pid = event.pid.unwrap_or(0);
            let Some(text) = text(&event) else { continue };
            let is_begin_or_end = matches!(text.first(), Some(b'B' | b'E'));
            if is_begin_or_end && self.signs.iter().any(|sign| sign.find(&text).is_some()) {
                // The tree may come later; the mark names the process as well.
                self.survey.row(&pid.to_string(), "", &lossy(&text));
            }
        }
    }
}

impl Tree {
    fn add(&mut self, tree: ProcessTree) {
        for thread in tree.threads {
            let (Ok(tid), Ok(tgid)) =
                (u32::try_from(thread.tid.unwrap_or(0)), u32::try_from(thread.tgid.unwrap_or(0)))
            else {
                continue;
            };
            let name = lossy(&thread.name.unwrap_or_default()).into_owned();
            let known = self.threads.entry(tid).or_default();
            if !name.is_empty() {
                known.0 = name;
            }
            known.1 = tgid;
        }
        for process in tree.processes {
            let Ok(pid) = u32::try_from(process.pid.unwrap_or(0)) else { continue };
            self.threads.entry(pid).or_default().1 = pid;
            if let Some(name) = process.cmdline.first().filter(|name| !name.is_empty()) {
                self.processes.insert(pid, lossy(name).into_owned());
            }
        }
    }
}

/// The second pass: rows.
pub(super) struct Events {
    path: String,
    n_seen: u64,
    has_runtime: bool,
    collector: Collector,
    tree: Tree,
    /// Words of each thread that has rows.
    threads: Map<u32, Words>,
    /// Rows of threads that have to do with NNAPI.
    rows: Vec<Held<StrId>>,
    /// How many of them were handed on.
    n_done: usize,
    /// Rows of others, and counters, instants and asynchronous marks of all.
    neighbors: Vec<Held<Box<str>>>,
    refusal: Option<(Ticks, Refusal)>,
    /// Clocks other than the usual one that were said.
    clocks: Set<i32>,
}

/// A row that waits for its turn.
struct Held<T> {
    time: Ticks,
    pid: u32,
    mark: T,
    start: u64,
    len: u32,
}

/// What is said of a thread in each of its rows.
struct Words {
    pid: String,
    name: String,
    /// Number of its process; empty when the tree does not know it.
    process: String,
    /// The same, or what its marks say.
    classic: String,
    is_marked: bool,
}

impl Events {
    pub(super) fn new(options: Options, looking: Looking, sink: &mut Sink) -> Self {
        Self {
            path: options.path.clone(),
            n_seen: 0,
            has_runtime: looking.survey.has_runtime(),
            collector: Collector::new(options, looking.survey, sink),
            tree: looking.tree,
            threads: Map::default(),
            rows: Vec::new(),
            n_done: 0,
            neighbors: Vec::new(),
            refusal: None,
            clocks: Set::default(),
        }
    }

    /// Takes the events of a packet.
    pub(super) fn packet(&mut self, packet: Packet, spot: &Spot, sink: &mut Sink) {
        let Some(bundle) = packet.ftrace_events else { return };
        self.say(&bundle, spot, sink);
        self.n_seen += bundle.event.len() as u64;
        for event in bundle.event {
            let Ok(time) = Ticks::try_from(event.timestamp.unwrap_or(0)) else {
                let kind = Kind::OutOfRange {
                    field: "timestamp".into(),
                    value: event.timestamp.unwrap_or(0).to_string(),
                    min: "0".to_owned(),
                    max: Ticks::MAX.to_string(),
                };
                let fault = Fault::new("SYS-PACKET", Severity::Loss, spot.place.clone(), kind);
                sink.fault(fault.note("The event is skipped."));
                continue;
            };
            self.collector.time(time);
            let Some(text) = text(&event) else { continue };
            if matches!(text.first(), Some(b'B' | b'C' | b'E'..=b'I' | b'N' | b'S')) {
                let (start, len) = spot.range(&text);
                let held = Held { time, pid: event.pid.unwrap_or(0), mark: (), start, len };
                self.hold(held, &lossy(&text), sink);
            }
        }
        if NEIGHBORS <= self.neighbors.len() {
            order::sort_by_key(&mut self.neighbors, |row| row.time);
            let later = self.neighbors.split_off(NEIGHBORS / 2);
            let earlier = std::mem::replace(&mut self.neighbors, later);
            self.hand_on_neighbors(earlier, sink);
            self.collector.arrange(sink);
        }
    }

    /// Tells what is odd about a bundle.
    fn say(&mut self, bundle: &Bundle, spot: &Spot, sink: &mut Sink) {
        let cpu = bundle.cpu.unwrap_or(0);
        let fault = |code, severity, expected: &'static str, found| {
            let kind = Kind::Unexpected { expected: expected.into(), found };
            Fault::new(code, severity, spot.place.clone(), kind)
        };
        if bundle.lost_events == Some(true) {
            let fault =
                fault("SYS-LOST", Severity::Loss, "all rows", message("some of CPU {n} lost").with("n", cpu));
            sink.fault(fault.note("The kernel buffer was full; scopes may lack their begin or end."));
        }
        let clock = bundle.ftrace_clock.filter(|clock| *clock != 0);
        if let Some(clock) = clock.filter(|clock| self.clocks.insert(*clock)) {
            let name = match clock {
                2 => "global",
                3 => "local",
                4 => "mono_raw",
                _ => "unknown",
            };
            let found = message("events by the clock {clock} ({name}) on CPU {n}");
            let found = found.with("clock", clock).with("name", name).with("n", cpu);
            let fault = fault("SYS-CLOCK", Severity::Note, "boot clock times", found);
            sink.fault(fault.note("Times are shown unchanged."));
        }
    }

    fn hold(&mut self, held: Held<()>, mark: &str, sink: &mut Sink) {
        let Held { time, pid, start, len, .. } = held;
        let (tree, survey) = (&self.tree, self.collector.survey());
        let words = self.threads.entry(pid).or_insert_with(|| words(pid, tree, survey));
        if !words.is_marked || !mark.starts_with(['B', 'E']) {
            self.neighbors.push(Held { time, pid, mark: mark.into(), start, len });
            return;
        }
        if words.classic.is_empty() && process_of(mark).is_empty() {
            // As text the process would be dashes.
            if self.refusal.as_ref().is_none_or(|(first, _)| time < *first) {
                let text = "'NoneType' object has no attribute 'group'".to_owned();
                self.refusal = Some((time, Refusal { kind: "AttributeError".to_owned(), text, line: 0 }));
            }
        }
        let mark = sink.builder.intern(shortened(mark));
        self.rows.push(Held { time, pid, mark, start, len });
    }

    /// All packets were read: rows are put in order.
    pub(super) fn sort(&mut self) {
        order::sort_by_key(&mut self.rows, |row| row.time);
        order::sort_by_key(&mut self.neighbors, |row| row.time);
    }

    /// Hands on the next rows; false when there are no more.
    pub(super) fn hand_on(&mut self, sink: &mut Sink) -> bool {
        if !self.neighbors.is_empty() {
            let later = self.neighbors.split_off(self.neighbors.len().min(STEP));
            let earlier = std::mem::replace(&mut self.neighbors, later);
            self.hand_on_neighbors(earlier, sink);
            return true;
        }
        let Some(rows) = self.rows.get(self.n_done..).filter(|rows| !rows.is_empty()) else { return false };
        let rows = rows.get(..STEP).unwrap_or(rows);
        self.n_done += rows.len();
        let mut mark = String::new();
        for row in rows {
            let Some(words) = self.threads.get(&row.pid) else { continue };
            mark.clear();
            mark.push_str(sink.builder.trace().strings.get(row.mark));
            self.collector.row(&words.row(row, &mark), sink);
        }
        self.collector.arrange(sink);
        true
    }

    fn hand_on_neighbors(&mut self, rows: Vec<Held<Box<str>>>, sink: &mut Sink) {
        for row in &rows {
            let Some(words) = self.threads.get(&row.pid) else { continue };
            let row = words.row(row, &row.mark);
            if row.mark.starts_with(['B', 'E']) {
                self.collector.row(&row, sink);
            } else {
                self.collector.other(&row, sink);
            }
        }
    }

    /// Nothing follows.
    pub(super) fn finish(mut self: Box<Self>, sink: &mut Sink) {
        for (pid, name) in &self.tree.processes {
            let pid = pid.to_string();
            self.collector.named((&pid, &pid, name), true, sink);
        }
        self.report_whole(sink);
        self.collector.finish(self.refusal.map(|(_, refusal)| refusal), sink);
    }
}

impl Events {
    /// What is to be said of the file as a whole.
    fn report_whole(&self, sink: &mut Sink) {
        let mut say = |code, severity, expected: &'static str, found: String, note: &'static str| {
            let kind = Kind::Unexpected { expected: expected.into(), found: found.into() };
            sink.fault(Fault::new(code, severity, Place::entry(self.path.clone()), kind).note(note));
        };
        if let Some((_, refusal)) = &self.refusal {
            let note = "The AOSP parser stops here; all readable data is shown.";
            say("SYS-AOSP-STOPS", Severity::Note, "a row accepted by the AOSP parser", refusal.words(), note);
        }
        let none = || "none".to_owned();
        if self.n_seen == 0 {
            say("SYS-EMPTY", Severity::Loss, "ftrace events", none(), "Nothing to show.");
        } else if !self.has_runtime {
            let note = "Record the trace with the nnapi category.";
            say("SYS-NO-RUNTIME", Severity::Note, "NNAPI runtime marks", none(), note);
        }
    }
}

impl Words {
    fn row<'a, T>(&'a self, row: &Held<T>, mark: &'a str) -> Row<'a> {
        let classic = if self.classic.is_empty() { process_of(mark) } else { &self.classic };
        Row {
            pid: &self.pid,
            comm: &self.name,
            tgid: &self.process,
            time: row.time,
            seconds: seconds(row.time),
            mark,
            classic: Some(classic),
            place: RowPlace { line: 0, start: row.start, len: row.len },
        }
    }
}

fn words(pid: u32, tree: &Tree, survey: &Survey) -> Words {
    let known = tree.threads.get(&pid);
    let number = pid.to_string();
    let process = known.filter(|(_, tgid)| *tgid != 0).map_or(String::new(), |(_, tgid)| tgid.to_string());
    let of_marks = || survey.process_of(&number).to_owned();
    let classic = if process.is_empty() { of_marks() } else { process.clone() };
    let name = known.map_or(String::new(), |(name, _)| name.clone());
    let is_marked = survey.is_marked(&number);
    Words { pid: number, name, process, classic, is_marked }
}

/// What a program wrote, to the end of its line.
fn text(event: &Event) -> Option<Bytes> {
    let text = event.print.as_ref()?.buf.as_ref()?;
    let end = memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len());
    Some(text.slice(..end))
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Nanoseconds as seconds, as the nearest double.
fn seconds(nanos: Ticks) -> f64 {
    if nanos.unsigned_abs() < 1 << 53 {
        // Both are exact, and a quotient is rounded once.
        return nanos as f64 / 1e9;
    }
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000).parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn nanoseconds_become_the_nearest_double() {
        for nanos in [0, 1, 100_000_100_003, 8_431_207_942_123, (1 << 53) - 1, (1 << 53) + 1, i64::MAX] {
            let text = format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
            assert_eq!(seconds(nanos), text.parse::<f64>().unwrap(), "{text}");
        }
    }
}
