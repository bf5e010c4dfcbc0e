//! What programs wrote with the kernel's events becomes rows in the order of time.

use super::Event;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::Sink;
use crate::model::id::StrId;
use crate::systems::android::nnapi::mark::Refusal;
use crate::systems::android::systrace::Survey;
use crate::systems::android::systrace::collect::{Collector, Mark, RowPlace, process_of, shortened};
use crate::systems::perfetto::Names;
use std::borrow::Cow;

/// Rows of threads without NNAPI that are held to be sorted; the earlier half of them goes on when there are so many.
const NEIGHBORS: usize = 1 << 16;

/// Rows that are handed on at once.
const STEP: usize = 1 << 14;

/// Rows that wait for their order.
#[derive(Default)]
pub(crate) struct Rows {
    /// Words of each thread that has rows.
    threads: Map<u32, Words>,
    /// Rows of threads that have to do with NNAPI.
    marked: Vec<Held<StrId>>,
    /// How many of them were handed on.
    n_done: usize,
    /// Rows of others, and counters, instants and asynchronous marks of all.
    neighbors: Vec<Held<Box<str>>>,
    /// Where the AOSP parser stops.
    refusal: Option<(Ticks, Refusal)>,
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

impl Rows {
    /// Takes what a program wrote, and where it stands.
    pub(crate) fn take(
        &mut self,
        (event, time, mark): (&Event, Ticks, &[u8]),
        (start, len): (u64, u32),
        (names, collector): (&Names, &mut Collector),
        sink: &mut Sink,
    ) {
        let (pid, mark) = (event.pid, String::from_utf8_lossy(mark));
        let words = self.threads.entry(pid).or_insert_with(|| words(pid, names, collector.survey()));
        if !words.is_marked || !mark.starts_with(['B', 'E']) {
            self.neighbors.push(Held { time, pid, mark: mark.into(), start, len });
            if NEIGHBORS <= self.neighbors.len() {
                order::sort_by_number(&mut self.neighbors, |row| row.time);
                let later = self.neighbors.split_off(NEIGHBORS / 2);
                let earlier = std::mem::replace(&mut self.neighbors, later);
                self.hand_on_neighbors(earlier, collector, sink);
                collector.arrange(sink);
            }
            return;
        }
        if words.classic.is_empty() && process_of(&mark).is_empty() {
            // As text the process would be dashes.
            if self.refusal.as_ref().is_none_or(|(first, _)| time < *first) {
                let text = "'NoneType' object has no attribute 'group'".to_owned();
                self.refusal = Some((time, Refusal { kind: "AttributeError".to_owned(), text, line: 0 }));
            }
        }
        let mark = sink.builder.intern(shortened(&mark));
        self.marked.push(Held { time, pid, mark, start, len });
    }

    /// All packets were read: rows are put in order.
    pub(crate) fn sort(&mut self) {
        order::sort_by_number(&mut self.marked, |row| row.time);
        order::sort_by_number(&mut self.neighbors, |row| row.time);
    }

    /// Hands on the next rows; false when there are no more.
    pub(crate) fn hand_on(&mut self, collector: &mut Collector, sink: &mut Sink) -> bool {
        if !self.neighbors.is_empty() {
            let later = self.neighbors.split_off(self.neighbors.len().min(STEP));
            let earlier = std::mem::replace(&mut self.neighbors, later);
            self.hand_on_neighbors(earlier, collector, sink);
            return true;
        }
        let Some(rows) = self.marked.get(self.n_done..).filter(|rows| !rows.is_empty()) else { return false };
        let rows = rows.get(..STEP).unwrap_or(rows);
        self.n_done += rows.len();
        let mut mark = String::new();
        for row in rows {
            let Some(words) = self.threads.get(&row.pid) else { continue };
            mark.clear();
            mark.push_str(sink.builder.trace().strings.get(row.mark));
            collector.row(&words.row(row, &mark), sink);
        }
        collector.arrange(sink);
        true
    }

    fn hand_on_neighbors(&mut self, rows: Vec<Held<Box<str>>>, collector: &mut Collector, sink: &mut Sink) {
        for row in &rows {
            let Some(words) = self.threads.get(&row.pid) else { continue };
            let row = words.row(row, &row.mark);
            if row.mark.starts_with(['B', 'E']) {
                collector.row(&row, sink);
            } else {
                collector.other(&row, sink);
            }
        }
    }

    /// Where the AOSP parser stops, if it does.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref().map(|(_, refusal)| refusal)
    }
}

impl Words {
    fn row<'a, T>(&'a self, row: &Held<T>, mark: &'a str) -> Mark<'a> {
        let classic = if self.classic.is_empty() { process_of(mark) } else { &self.classic };
        Mark {
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

fn words(pid: u32, names: &Names, survey: &Survey) -> Words {
    let number = pid.to_string();
    let (process, name) = names.of(i64::from(pid));
    let of_marks = || survey.process_of(&number).to_owned();
    let classic = if process.is_empty() { of_marks() } else { process.clone() };
    let is_marked = survey.is_marked(&number);
    Words { pid: number, name: name.to_owned(), process, classic, is_marked }
}

/// What a program wrote, to the end of its line, when it is a mark; marks that drivers write as fields are the same.
/// Functions and probes of the kernel are marks of the thread that runs them.
pub(crate) fn mark_of<'a>(event: &Event<'a>, function: impl Fn(u64) -> String) -> Option<Cow<'a, [u8]>> {
    let is_mark = |text: &[u8]| matches!(text.first(), Some(b'B' | b'C' | b'E'..=b'I' | b'N' | b'S'));
    let mark = match event.kind {
        Event::PRINT => {
            let text = event.bytes(2);
            let end = memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len());
            Cow::Borrowed(text.get(..end)?)
        }
        437 => {
            let text = format!("B|{}|{}", event.pid, function(event.number(2).cast_unsigned()));
            Cow::Owned(text.into_bytes())
        }
        438 => Cow::Owned(format!("E|{}", event.pid).into_bytes()),
        542 => {
            let phase = match event.number(2) {
                1 => 'B',
                2 => 'E',
                3 => 'I',
                _ => return None,
            };
            Cow::Owned(format!("{phase}|{}|{}", event.pid, event.text(1)).into_bytes())
        }
        kind => {
            let (_, fields) = FIELDS.iter().find(|(of, _)| *of == kind)?;
            Cow::Owned(driver_mark(event, fields)?.into_bytes())
        }
    };
    is_mark(&mark).then_some(mark)
}

/// Marks of drivers, by the number of the event: the fields of phase, whether it begins, process, name, the name of older
/// kernels, and value; 0 where there is none. The phase is a letter; without one the second field says it.
const FIELDS: [(u64, [u64; 6]); 9] = [
    (80, [0, 3, 1, 2, 2, 0]),  // tracing_mark_write of mdss
    (88, [0, 0, 1, 2, 2, 3]),  // mdp_trace_counter
    (331, [1, 0, 3, 2, 2, 4]), // zero
    (333, [3, 5, 1, 2, 2, 4]), // sde_tracing_mark_write
    (348, [5, 3, 1, 4, 2, 6]), // dpu_tracing_mark_write
    (349, [5, 0, 1, 4, 4, 6]), // g2d_tracing_mark_write
    (350, [3, 0, 2, 1, 1, 4]), // mali_tracing_mark_write
    (467, [2, 0, 3, 4, 1, 5]), // lwis_tracing_mark_write
    (484, [4, 3, 1, 2, 2, 5]), // samsung_tracing_mark_write
];

fn driver_mark(event: &Event, [phase, begins, process, name, old_name, value]: &[u64; 6]) -> Option<String> {
    let letter = u8::try_from(event.number(*phase)).ok().filter(|letter| *phase != 0 && *letter != 0);
    let letter = match letter {
        Some(letter) => letter,
        None if *begins != 0 && event.number(*begins) != 0 => b'B',
        None if *begins != 0 => b'E',
        None if *phase == 0 => b'C',
        None => return None,
    };
    let process = event.number(*process);
    let name = Some(event.text(*name)).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| event.text(*old_name));
    Some(match letter {
        b'B' | b'I' => format!("{}|{process}|{name}", char::from(letter)),
        b'E' => format!("E|{process}"),
        b'C' => format!("C|{process}|{name}|{}", event.number(*value)),
        _ => return None,
    })
}

/// Nanoseconds as seconds, as the nearest double.
pub fn seconds(nanos: Ticks) -> f64 {
    if nanos.unsigned_abs() < 1 << 53 {
        // Both are exact, and a quotient is rounded once.
        return nanos as f64 / 1e9;
    }
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000).parse().unwrap_or(0.0)
}
