//! The second pass over a text: every row, and what the AOSP parser would make of it.

use super::functions::{self, Call};
use super::{Block, Fields, Line, NextMatch, Splitter, digits, fields, is_mark, unquoted};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::map::Map;
use crate::base::time::{Ticks, scaled_from_decimal};
use crate::base::words::message;
use crate::format::Sink;
use crate::systems::android::systrace::Survey;
use crate::systems::android::systrace::aosp::{Classic, Decoder};
use crate::systems::android::systrace::collect::{
    BinderStep, Change, Collector, Mark, Options, RowPlace, States, ThreadNames, ThreadState,
};
use memchr::{memchr_iter, memmem, memrchr_iter};
use std::borrow::Cow;

/// Every row of a text.
pub(super) struct Rows {
    lines: Splitter,
    decoder: Decoder,
    reader: Reader,
}

/// What reads the lines.
struct Reader {
    path: String,
    classic: Classic,
    collector: Collector,
    /// Lines so far.
    number: u32,
    /// Lines that begin or end what the AOSP parser reads.
    borders: [NextMatch; 2],
    /// Lines that it must be able to read: those with a mark, and those with a name that it looks for.
    marks: NextMatch,
    named: Named,
    dump: Dump,
    /// Rows of any kind.
    n_rows: u64,
    /// The last time that could be read.
    time: Ticks,
    has_threads: bool,
    states: States,
    /// Names of the threads that have states.
    names: Names,
    is_over: bool,
}

impl Rows {
    /// With what the first pass found: the survey, and where the lines begin that hold a name.
    pub(super) fn new(options: Options, survey: Survey, named: Vec<u64>, sink: &mut Sink) -> Self {
        let has_threads = 0 < survey.n_threads();
        let reader = Reader {
            path: options.path.clone(),
            classic: Classic::default(),
            collector: Collector::new(options, survey, sink),
            number: 0,
            borders: [NextMatch::new(b"TASK-PID"), NextMatch::new(b"</script>")],
            marks: NextMatch::new(b"tracing_mark_write: "),
            named: Named { starts: named, at: 0 },
            dump: Dump::default(),
            n_rows: 0,
            time: 0,
            has_threads,
            states: States::default(),
            names: Names::default(),
            is_over: false,
        };
        Self { lines: Splitter::default(), decoder: Decoder::default(), reader }
    }

    /// How many bytes were fed.
    pub(super) fn fed(&self) -> u64 {
        self.lines.fed()
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut Sink) {
        self.decoder.feed(chunk);
        let reader = &mut self.reader;
        self.lines.feed(chunk, &mut |block| reader.block(block, sink));
        reader.collector.arrange(sink);
    }

    /// Nothing follows. Works on the next piece; true when all is done.
    pub(super) fn finish(&mut self, sink: &mut Sink) -> bool {
        let reader = &mut self.reader;
        if !std::mem::replace(&mut reader.is_over, true) {
            self.lines.finish(&mut |block| reader.block(block, sink));
        }
        if reader.states.finish((&reader.names, &mut reader.collector), sink)
            || reader.collector.join_binder(sink)
        {
            return false;
        }
        // Python decodes the whole file before the first line is looked at.
        let refusal = std::mem::take(&mut self.decoder).finish().or(reader.classic.refusal.take());
        reader.report_whole(sink);
        reader.collector.finish(refusal, sink);
        true
    }
}

impl Reader {
    fn block(&mut self, block: Block, sink: &mut Sink) {
        let passed = usize::from(self.classic.is_begun());
        for needle in self.borders.iter_mut().skip(passed).chain([&mut self.marks]) {
            needle.rewind(block.bytes);
        }
        for line in block.lines(self.number) {
            self.number = line.number;
            let start = usize::try_from(line.start - block.start).unwrap_or(0);
            let end = start + line.bytes.len();
            let has = |needle: &mut NextMatch| needle.is_within(block.bytes, start, end);
            // Nothing begins a second time.
            let passed = usize::from(self.classic.is_begun());
            if self.borders.iter_mut().skip(passed).any(has) {
                self.classic.border(line.bytes);
            }
            let is_precious = self.marks.is_within(block.bytes, start, end) || self.named.has(line.start);
            self.line(line, is_precious, sink);
        }
    }

    fn line(&mut self, line: Line, is_precious: bool, sink: &mut Sink) {
        let place = RowPlace {
            line: line.number,
            start: line.start,
            len: u32::try_from(line.bytes.len()).unwrap_or(u32::MAX),
        };
        let classic = if is_precious { self.classic.row(line.bytes, line.number) } else { None };
        if let Some((parts, process)) = classic {
            let plain = parts.tgid.filter(|tgid| !tgid.contains('-'));
            let tgid = plain.or_else(|| fields(line.bytes).map(|found| found.tgid));
            let comm = String::from_utf8_lossy(parts.task);
            let mark = self.text(unquoted(parts.mark), place, sink);
            let row = Mark {
                pid: parts.pid,
                comm: comm.trim(),
                tgid: tgid.unwrap_or(""),
                time: self.nanos(parts.time, place, sink),
                seconds: parts.time.parse().unwrap_or(0.0),
                mark: &mark,
                classic: Some(&process),
                place,
            };
            self.collector.row(&row, sink);
        } else if let Some(found) = fields(line.bytes) {
            self.found(&found, place, sink);
        } else {
            self.no_row(line, is_precious, place, sink);
            return;
        }
        self.n_rows += 1;
        if line.is_cut {
            let kind = Kind::Limit {
                what: "row length".into(),
                asked: super::LINE_BYTES as u64 + 1,
                allowed: super::LINE_BYTES as u64,
            };
            let fault = Fault::new("SYS-LONG", Severity::Warning, self.place(place), kind);
            sink.fault(fault.note("The row is truncated."));
        }
    }

    /// A row that the AOSP parser does not take.
    fn found(&mut self, found: &Fields, place: RowPlace, sink: &mut Sink) {
        let time = self.nanos(found.time, place, sink);
        self.collector.time(time);
        match found.event {
            event if is_mark(event) => {
                let mark = self.text(found.rest, place, sink);
                let row = Mark {
                    pid: found.pid,
                    comm: found.task,
                    tgid: found.tgid,
                    time,
                    seconds: found.time.parse().unwrap_or(0.0),
                    mark: &mark,
                    classic: None,
                    place,
                };
                match found.rest.first() {
                    Some(b'B' | b'E') => self.collector.row(&row, sink),
                    Some(b'C' | b'S' | b'F' | b'I' | b'N' | b'G' | b'H') => self.collector.other(&row, sink),
                    // How clocks relate; its own time may be 0.
                    _ if found.rest.starts_with(b"trace_event_clock_sync:") => {}
                    _ => self.event(found, time, place, sink),
                }
            }
            b"sched_switch" => match next_thread(found.rest) {
                Some((pid, comm)) => {
                    self.switch(found, (pid, &comm), time, sink);
                    self.collector.sched_switch(found.cpu, (pid, &comm), time, place, sink);
                }
                None => self.event(found, time, place, sink),
            },
            b"cpu_frequency" => {
                let kilohertz = value(found.rest, b"state=").and_then(digits);
                let kilohertz = kilohertz.and_then(|(digits, _)| digits.parse().ok());
                let cpu = value(found.rest, b"cpu_id=").and_then(digits);
                let cpu = cpu.and_then(|(digits, _)| digits.parse().ok());
                match (kilohertz, cpu) {
                    (Some(kilohertz), Some(cpu)) => {
                        self.collector.cpu_frequency(cpu, kilohertz, time, sink);
                    }
                    _ => self.event(found, time, place, sink),
                }
            }
            b"binder_transaction" | b"binder_transaction_received" => self.binder(found, time, place, sink),
            b"binder_return" => self.binder_return(found, time, place, sink),
            event => match functions::call(event, found.rest, time) {
                Some(call) => self.call(found, call, (time, place), sink),
                None => {
                    self.change(event, found.rest, time, sink);
                    self.event(found, time, place, sink);
                }
            },
        }
    }

    /// What a row says of a function of the kernel.
    fn call(&mut self, found: &Fields, call: Call, (time, place): (Ticks, RowPlace), sink: &mut Sink) {
        let mark = String::from_utf8_lossy(found.rest);
        let row = Mark {
            pid: found.pid,
            comm: found.task,
            tgid: found.tgid,
            time,
            seconds: 0.0,
            mark: mark.trim(),
            classic: None,
            place,
        };
        let text = |name| String::from_utf8_lossy(name);
        match call {
            Call::Begins(name) => self.collector.called(&row, &text(name), sink),
            Call::Whole(name, dur) => self.collector.ran_through(&row, (&text(name), dur), sink),
            Call::Ends(name, exact) => self.collector.returned(&row, (&text(name), exact), sink),
        }
    }

    /// A processor goes over from the thread of the row to another one: the states of both.
    fn switch(&mut self, found: &Fields, next: (&str, &str), time: Ticks, sink: &mut Sink) {
        if let Ok(tid) = found.pid.parse() {
            self.names.thread(tid, found.task);
            if let Ok(process) = found.tgid.parse::<u32>() {
                self.names.0.entry(tid).or_default().0 = process;
            }
        }
        if let Ok(tid) = next.0.parse() {
            self.names.thread(tid, next.1);
        }
        if let Some((left, state)) = left_thread(found.rest) {
            self.state(left, time, Change::To(ThreadState::of_letters(state)), sink);
        }
        self.state(next.0, time, Change::To(ThreadState::Running(found.cpu)), sink);
    }

    /// What an event says of the state of a thread.
    fn change(&mut self, event: &[u8], rest: &[u8], time: Ticks, sink: &mut Sink) {
        let change = match event {
            b"sched_waking" | b"sched_wakeup" => Change::Woken,
            b"sched_wakeup_new" => Change::To(ThreadState::Runnable),
            b"sched_blocked_reason" => Change::WaitedForIo,
            _ => return,
        };
        if change != Change::WaitedForIo {
            let woken = value(rest, b"comm=").and_then(|rest| name_and_number(rest, b" pid=", b""));
            if let Some((pid, comm)) = woken {
                if let Ok(tid) = pid.parse() {
                    self.names.thread(tid, &comm);
                }
                self.state(pid, time, change, sink);
            }
        } else if let (Some((pid, _)), Some(_)) =
            (value(rest, b"pid=").and_then(digits), value(rest, b"iowait=1"))
        {
            self.state(pid, time, change, sink);
        }
    }

    /// A thread goes over to another state.
    fn state(&mut self, pid: &str, time: Ticks, change: Change, sink: &mut Sink) {
        if let Ok(tid) = pid.parse() {
            self.states.take(tid, (time, change), (&self.names, &mut self.collector), sink);
        }
    }

    /// A transaction between processes, sent or received.
    fn binder(&mut self, found: &Fields, time: Ticks, place: RowPlace, sink: &mut Sink) {
        let flags = value(found.rest, b"flags=0x").and_then(hexadecimal);
        let step = match found.event {
            b"binder_transaction" => BinderStep::Sent {
                is_reply: value(found.rest, b"reply=").is_some_and(|reply| reply.first() == Some(&b'1')),
                is_one_way: flags.is_some_and(|flags| flags & 1 != 0),
            },
            _ => BinderStep::Received,
        };
        let id = value(found.rest, b"transaction=").and_then(digits);
        let Some(id) = id.and_then(|(digits, _)| digits.parse().ok()) else {
            return self.event(found, time, place, sink);
        };
        let thread = (found.tgid, found.pid, found.task);
        self.collector.binder(thread, (id, step), (time, place), sink);
    }

    /// What binder tells a thread: that a transaction failed, or something else.
    fn binder_return(&mut self, found: &Fields, time: Ticks, place: RowPlace, sink: &mut Sink) {
        let command = value(found.rest, b"cmd=0x").and_then(hexadecimal);
        if let Some(step) = command.and_then(BinderStep::returned) {
            let thread = (found.tgid, found.pid, found.task);
            self.collector.binder(thread, (0, step), (time, place), sink);
        }
        self.event(found, time, place, sink);
    }

    /// An event that nothing else is made of.
    fn event(&mut self, found: &Fields, time: Ticks, place: RowPlace, sink: &mut Sink) {
        let name = String::from_utf8_lossy(found.event);
        self.collector.event(&name, (found.pid, found.task, found.tgid), time, place, sink);
    }

    /// A line that is no row: lists of processes, words about what is missing, damaged rows.
    fn no_row(&mut self, line: Line, is_precious: bool, place: RowPlace, sink: &mut Sink) {
        let bytes = line.bytes;
        if is_precious
            && (self.classic.is_inside() || memmem::find(bytes, b": tracing_mark_write: ").is_some())
        {
            let kind = Kind::Unexpected { expected: "an ftrace row".into(), found: excerpt(bytes).into() };
            let fault = Fault::new("SYS-BAD-ROW", Severity::Loss, self.place(place), kind);
            sink.fault(fault.note("Skipped."));
            return;
        }
        if let Some(names) = self.dump.line(bytes) {
            let numbers = (names.process, names.thread, names.name);
            self.collector.named(numbers, names.is_process, sink);
            return;
        }
        if let Some(n) = lost(bytes).filter(|n| 0 < *n) {
            let n = crate::base::number::thousands(i64::try_from(n).unwrap_or(i64::MAX));
            let kind =
                Kind::Unexpected { expected: "all rows".into(), found: message("{n} lost").with("n", n) };
            let fault = Fault::new("SYS-LOST", Severity::Loss, self.place(place), kind);
            sink.fault(fault.note("The kernel buffer was full; scopes may lack their start or end."));
        }
    }

    /// A mark as text, which it should be.
    fn text<'a>(&self, bytes: &'a [u8], place: RowPlace, sink: &mut Sink) -> Cow<'a, str> {
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, Cow::Owned(_)) {
            let fault = Fault::new("SYS-NOT-TEXT", Severity::Warning, self.place(place), Kind::NotText);
            sink.fault(fault.note("Invalid bytes are shown as �."));
        }
        text
    }

    /// Seconds as whole nanoseconds.
    fn nanos(&mut self, seconds: &str, place: RowPlace, sink: &mut Sink) -> Ticks {
        if let Some(time) = micros(seconds).or_else(|| scaled_from_decimal(seconds.as_bytes(), 9)) {
            self.time = time;
            return time;
        }
        let kind = Kind::Unexpected {
            expected: "a time in seconds".into(),
            found: excerpt(seconds.as_bytes()).into(),
        };
        let fault = Fault::new("SYS-BAD-TIME", Severity::Warning, self.place(place), kind);
        sink.fault(fault.note("The time of the previous row is used."));
        self.time
    }

    fn place(&self, at: RowPlace) -> Place {
        self.collector.place(at)
    }

    /// What is to be said of the file as a whole.
    fn report_whole(&self, sink: &mut Sink) {
        let mut report = |code, severity, expected: &'static str, note: &'static str| {
            let kind = Kind::Unexpected { expected: expected.into(), found: "none".into() };
            sink.fault(Fault::new(code, severity, Place::entry(self.path.clone()), kind).note(note));
        };
        if self.n_rows == 0 {
            report("SYS-EMPTY", Severity::Loss, "ftrace rows", "Nothing to show.");
        } else if !self.classic.is_begun() && self.has_threads {
            let note = "The AOSP parser cannot read this file; everything is shown.";
            report("SYS-AOSP-HEADER", Severity::Note, "a header known to the AOSP parser", note);
        }
    }
}

/// Processes and names of threads, as rows of the scheduler say them.
#[derive(Default)]
struct Names(Map<i64, (u32, String)>);

impl Names {
    /// The last name counts.
    fn thread(&mut self, tid: i64, name: &str) {
        let known = &mut self.0.entry(tid).or_default().1;
        if *known != name {
            name.clone_into(known);
        }
    }
}

impl ThreadNames for Names {
    fn of(&self, tid: i64) -> (String, &str) {
        let known = self.0.get(&tid);
        let process = known.filter(|of| of.0 != 0).map_or(String::new(), |of| of.0.to_string());
        (process, known.map_or("", |of| &of.1))
    }
}

/// Where lines of some kind begin, ascending.
struct Named {
    starts: Vec<u64>,
    at: usize,
}

impl Named {
    /// Whether a line is one of them; to be asked of lines from front to back.
    #[inline]
    fn has(&mut self, line: u64) -> bool {
        while self.starts.get(self.at).is_some_and(|start| *start < line) {
            self.at += 1;
        }
        self.starts.get(self.at) == Some(&line)
    }
}

/// The usual case: seconds with six decimals, as whole nanoseconds.
fn micros(seconds: &str) -> Option<Ticks> {
    let (whole, fraction) = seconds.as_bytes().split_last_chunk::<7>()?;
    let (b'.', fraction) = fraction.split_first()? else { return None };
    let number =
        |digits: &[u8]| digits.iter().fold(0_i64, |n, digit| n * 10 + i64::from(digit.wrapping_sub(b'0')));
    // Nine digits of seconds are thirty years, and never too many nanoseconds.
    (whole.len() <= 9).then(|| (number(whole) * 1_000_000 + number(fraction)) * 1_000)
}

/// The thread that a processor goes over to: behind `==>` stands `next_comm=sh next_pid=3 next_prio=120`, or
/// `sh:3 [120]` as `trace-cmd report` writes it.
fn next_thread(rest: &[u8]) -> Option<(&str, Cow<'_, str>)> {
    match behind(rest, b"> next_comm=") {
        Some(next) => name_and_number(next, b" next_pid=", b""),
        None => name_and_number(behind(rest, b"> ")?, b":", b" ["),
    }
}

/// The thread that a processor leaves, and its state: in front of `==>` stands `prev_pid=3 prev_prio=120 prev_state=S`, or
/// `sh:3 [120] S` as `trace-cmd report` writes it.
fn left_thread(rest: &[u8]) -> Option<(&str, &str)> {
    let before = rest.get(..memmem::find(rest, b" ==> ")?)?;
    let (head, state) = before.split_at_checked(memrchr_iter(b' ', before).next()?)?;
    let state = std::str::from_utf8(state).ok()?.trim();
    match state.strip_prefix("prev_state=") {
        Some(state) => {
            let at = memmem::rfind(head, b" prev_pid=")?;
            let (pid, _) = digits(head.get(at..)?.strip_prefix(b" prev_pid=")?)?;
            Some((pid, state))
        }
        None => Some((name_and_number(head, b":", b" [")?.0, state)),
    }
}

/// What follows a text that begins with `>`. (Lengths are known when this is compiled: comparing is a few instructions.)
fn behind<'a, const N: usize>(rest: &'a [u8], text: &[u8; N]) -> Option<&'a [u8]> {
    memchr_iter(b'>', rest).find_map(|at| rest.get(at..)?.strip_prefix(text))
}

/// Splits a name from the number behind it, at the last such border that `end` follows.
fn name_and_number<'a, const N: usize, const M: usize>(
    next: &'a [u8],
    border: &[u8; N],
    end: &[u8; M],
) -> Option<(&'a str, Cow<'a, str>)> {
    memrchr_iter(*border.first()?, next).find_map(|at| {
        let (comm, behind) = next.split_at_checked(at)?;
        let (pid, behind) = digits(behind.strip_prefix(border)?)?;
        behind.starts_with(end).then(|| (pid, String::from_utf8_lossy(comm)))
    })
}

/// The number that a text begins with, in hexadecimal digits.
pub(super) fn hexadecimal(text: &[u8]) -> Option<u64> {
    let n = text.iter().position(|b| !b.is_ascii_hexdigit()).unwrap_or(text.len());
    u64::from_str_radix(std::str::from_utf8(text.get(..n)?).ok()?, 16).ok()
}

/// The value of a key, where a word begins with it.
pub(super) fn value<'a, const N: usize>(bytes: &'a [u8], key: &[u8; N]) -> Option<&'a [u8]> {
    let word = bytes.strip_prefix(key);
    word.or_else(|| memchr_iter(b' ', bytes).find_map(|at| bytes.get(at + 1..)?.strip_prefix(key)))
}

/// How many rows a line says are missing: `CPU:3 [LOST 120 EVENTS]`, or those that were written and are not in the
/// buffer any more.
fn lost(line: &[u8]) -> Option<u64> {
    if let Some(rest) = line.strip_prefix(b"CPU:") {
        let (_, rest) = digits(rest)?;
        let (n, rest) = digits(rest.strip_prefix(b" [LOST ")?)?;
        return rest.starts_with(b" EVENTS").then(|| n.parse().ok())?;
    }
    let rest = line.strip_prefix(b"# entries-in-buffer/entries-written: ")?;
    let (kept, rest) = digits(rest)?;
    let (written, _) = digits(rest.strip_prefix(b"/")?)?;
    written.parse::<u64>().ok()?.checked_sub(kept.parse().ok()?)
}

// Lists of processes in systrace HTML, which name processes and threads.
//
// ```text
// PROCESS DUMP
// USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME             COMM
// system         756     1   18956   2244 SyS_epoll_wait 5327b0 S android.hardware.neuralnetworks@1.0-service neuralnetworks@
// USER           PID   TID CMD
// system         756   790 HwBinder:756_2
// ```

/// Where the list stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Dump {
    /// Not in a list.
    #[default]
    Outside,
    /// In a list, before its first head.
    Begun,
    Processes,
    Threads,
}

/// What a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DumpNamed<'a> {
    pub(super) process: &'a str,
    /// Number of the thread: that of the process for the process itself.
    pub(super) thread: &'a str,
    pub(super) name: &'a str,
    /// Whether the name is that of the process, not only of its first thread.
    pub(super) is_process: bool,
}

impl Dump {
    /// Takes a line that is no row of the trace.
    pub(super) fn line<'a>(&mut self, line: &'a [u8]) -> Option<DumpNamed<'a>> {
        let text = || std::str::from_utf8(line).ok().map(str::trim);
        if *self == Self::Outside {
            if line.trim_ascii() == b"PROCESS DUMP" {
                *self = Self::Begun;
            }
            return None;
        }
        let text = text()?;
        if text.contains("</script>") {
            *self = Self::Outside;
            return None;
        }
        let mut words = text.split_ascii_whitespace();
        if words.next() == Some("USER") {
            *self = if words.nth(1) == Some("TID") { Self::Threads } else { Self::Processes };
            return None;
        }
        let process = words.next().filter(|pid| pid.bytes().all(|b| b.is_ascii_digit()))?;
        match self {
            Self::Processes => {
                let name = words.nth(6)?;
                Some(DumpNamed { process, thread: process, name, is_process: true })
            }
            Self::Threads => {
                let thread = words.next().filter(|pid| pid.bytes().all(|b| b.is_ascii_digit()))?;
                Some(DumpNamed { process, thread, name: behind_words(text, 3)?, is_process: false })
            }
            _ => None,
        }
    }
}

/// What follows so many words.
fn behind_words(text: &str, n: usize) -> Option<&str> {
    (0..n).try_fold(text, |rest, _| {
        let end = rest.find(|c: char| c.is_ascii_whitespace())?;
        Some(rest.get(end..)?.trim_start())
    })
}
