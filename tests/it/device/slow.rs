//! Host and device once more: slow, obvious, from the plain JSON, knowing nothing of the product.

use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) category: String,
    pub(super) track: (String, String),
    pub(super) start: i64,
    pub(super) end: i64,
    /// What its args say of what it belongs to.
    id: Option<String>,
}

/// A kernel, a copy, or a communication.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) event: Event,
    pub(super) class: &'static str,
    /// Whether another track says when all of this is communication.
    pub(super) is_part: bool,
    pub(super) launch: Option<i64>,
    /// Names of the operators around the launch, the innermost last.
    pub(super) around: Vec<String>,
    /// All launches that lead to it: track and time.
    pub(super) calls: Vec<((String, String), i64)>,
}

#[derive(Debug, Default)]
pub(super) struct Slow {
    pub(super) works: Vec<Work>,
    pub(super) waits: usize,
    pub(super) host: Vec<Event>,
    pub(super) span: (i64, i64),
}

type Spans = Vec<(i64, i64)>;

/// Microseconds as text, with 18 digits behind the point.
pub(super) fn exact(value: &Value) -> i128 {
    let text = text(value);
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{part:0<18}").parse().unwrap()
}

/// The nearest nanosecond.
pub(super) fn nanos(exact: i128) -> i64 {
    ((exact + 500_000_000_000_000).div_euclid(1_000_000_000_000_000)) as i64
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn json(bytes: &[u8]) -> Vec<Value> {
    let mut plain = Vec::new();
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        GzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
        &plain
    } else {
        bytes
    };
    match serde_json::from_slice(bytes).unwrap() {
        Value::Array(events) => events,
        mut object => object["traceEvents"].take().as_array().unwrap().clone(),
    }
}

/// From the first to the last event, where the file has some that only say when recording began or ended.
pub(super) fn recorded(events: &[Value]) -> Option<(i64, i64)> {
    let is_mark = |event: &&Value| {
        let name = event["name"].as_str().unwrap_or_default();
        let is_instant = name == "Record Window End" || name.starts_with("Iteration Start");
        let is_span = event["cat"] == "Trace" && (event["pid"] == "Spans" || event["pid"] == "Traces");
        (event["ph"] == "i" && is_instant) || (event["ph"] == "X" && is_span)
    };
    events.iter().find(is_mark)?;
    let is_shown = |event: &&Value| ["X", "i", "C"].iter().any(|phase| event["ph"] == *phase);
    let shown = events.iter().filter(|event| is_shown(event) && !is_mark(event) && !event["ts"].is_null());
    let time = |event: &Value| {
        let start = exact(&event["ts"]);
        let dur = if event["dur"].is_null() { 0 } else { exact(&event["dur"]) };
        (nanos(start), nanos(start + dur))
    };
    shown.map(time).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

impl Slow {
    pub(super) fn new(events: &[Value]) -> Self {
        let track = |event: &Value| (text(&event["pid"]), text(&event["tid"]));
        let (mut processes, mut threads) = (BTreeMap::new(), BTreeMap::new());
        for event in events.iter().filter(|event| event["ph"] == "M") {
            let name = text(&event["args"]["name"]);
            match event["name"].as_str() {
                Some("process_name") => drop(processes.insert(text(&event["pid"]), name)),
                Some("thread_name") => drop(threads.insert(track(event), name)),
                _ => {}
            }
        }
        let mut all = Vec::new();
        for event in events.iter().filter(|event| event["ph"] == "X" && !event["ts"].is_null()) {
            let (start, dur) = (exact(&event["ts"]), exact(&event["dur"]));
            all.push(Event {
                name: text(&event["name"]),
                category: event["cat"].as_str().unwrap_or("").to_owned(),
                track: track(event),
                start: nanos(start),
                end: nanos(start + dur),
                id: id(&event["args"]),
            });
        }
        // Streams without a computing task, in files that say when they communicate.
        let is_said =
            threads.values().any(|name| name.starts_with("Group") && name.ends_with("Communication"));
        let mut transports = BTreeMap::new();
        for event in &all {
            let process = processes.get(&event.track.0).map_or("", String::as_str);
            let is_part = ["Other", "SDMA", "RDMA"].contains(&event.name.trim());
            let thread = threads.get(&event.track).map_or("", String::as_str);
            let is_other = !is_part && matches!(place(event, process, thread), Place::Device("compute"));
            let entry = transports.entry(event.track.clone()).or_insert((false, false));
            *entry = (entry.0 | is_part | is_exchange(event), entry.1 | is_other);
        }
        let is_transport = |event: &Event| is_said && transports[&event.track] == (true, false);
        let mut slow = Self::default();
        for event in all {
            let process = processes.get(&event.track.0).map_or("", String::as_str);
            let thread = threads.get(&event.track).map_or("", String::as_str);
            let hidden = process == "Ascend Hardware" && is_transport(&event);
            match place(&event, process, thread) {
                Place::Device(class) => slow.works.push(Work {
                    class: if hidden { "communication" } else { class },
                    is_part: hidden,
                    launch: None,
                    around: Vec::new(),
                    calls: Vec::new(),
                    event,
                }),
                Place::Waits => slow.waits += 1,
                Place::Host => slow.host.push(event),
                Place::Nowhere => {}
            }
        }
        // As the product lists them: in order of start, the longest first.
        slow.works.sort_by_key(|work| (work.event.start, -work.event.end));
        slow.launches(events);
        slow
    }

    /// Flows by category and id: from the last start before them to each end on a stream.
    fn launches(&mut self, events: &[Value]) {
        let key = |event: &Value| (text(&event["cat"]), text(&event["id"]));
        let mut starts = BTreeMap::new();
        for event in events.iter().filter(|event| event["ph"] == "s") {
            let host = (text(&event["pid"]), text(&event["tid"]));
            starts.insert(key(event), (nanos(exact(&event["ts"])), host));
        }
        let mut ends = BTreeMap::new();
        for event in events.iter().filter(|event| event["ph"] == "f" || event["ph"] == "t") {
            let end = (text(&event["pid"]), text(&event["tid"]), nanos(exact(&event["ts"])));
            if let Some(start) = starts.get(&key(event)) {
                ends.entry(end).or_insert_with(Vec::new).push(start.clone());
            }
        }
        let mut operators: BTreeMap<_, Vec<Event>> = BTreeMap::new();
        for event in self.host.iter().filter(|event| is_operator(event)) {
            operators.entry(event.track.clone()).or_default().push(event.clone());
        }
        operators.values_mut().for_each(|list| list.sort_by_key(|event| (event.start, -event.end)));
        for work in &mut self.works {
            let at = (work.event.track.0.clone(), work.event.track.1.clone(), work.event.start);
            let Some(calls) = ends.get(&at) else {
                let Some(call) = by_id(&self.host, &work.event) else { continue };
                work.launch = Some(call.start);
                work.calls = vec![(call.track.clone(), call.start)];
                work.around = around(operators.get(&call.track).map_or(&[], Vec::as_slice), call.start);
                continue;
            };
            work.launch = calls.iter().map(|call| call.0).max();
            let mut calls = calls.clone();
            calls.sort_by(|a, b| a.1.cmp(&b.1));
            work.calls = calls.iter().map(|(time, host)| (host.clone(), *time)).collect();
            for (time, host) in calls {
                work.around = around(operators.get(&host).map_or(&[], Vec::as_slice), time);
                if !work.around.is_empty() {
                    break;
                }
            }
        }
    }

    /// Name: calls, host total, host self, device total, device self, kernels, kernels with nested ones, outermost calls.
    pub(super) fn operators(&self) -> BTreeMap<String, [i64; 8]> {
        let mut sums: BTreeMap<String, [i64; 8]> = BTreeMap::new();
        let operators: Vec<&Event> = self.host.iter().filter(|event| is_operator(event)).collect();
        let mut tracks: BTreeMap<&(String, String), Vec<Event>> = BTreeMap::new();
        for operator in &operators {
            tracks.entry(&operator.track).or_default().push((*operator).clone());
        }
        for list in tracks.values_mut() {
            list.sort_by_key(|event| (event.start, -event.end));
            for (at, event) in list.iter().enumerate() {
                let sum = sums.entry(event.name.clone()).or_default();
                let is_around = |other: &Event| {
                    other.name == event.name && event.start < other.end && event.end <= other.end
                };
                let is_outermost = !list[..at].iter().any(is_around);
                sum[0] += 1;
                sum[7] += i64::from(is_outermost);
                sum[1] += if is_outermost { event.end - event.start } else { 0 };
                sum[2] += event.end - event.start;
                // The parent is the last one before it that is not at its end.
                let parent = list[..at].iter().rev().find(|other| event.start < other.end);
                if let Some(parent) = parent {
                    let nested = event.end.min(parent.end) - event.start;
                    sums.entry(parent.name.clone()).or_default()[2] -= nested;
                }
            }
        }
        for work in &self.works {
            let dur = work.event.end - work.event.start;
            for (at, name) in work.around.iter().rev().enumerate() {
                let sum = sums.get_mut(name).unwrap();
                let is_first = work.around.iter().rev().position(|other| other == name) == Some(at);
                sum[3] += if is_first { dur } else { 0 };
                sum[6] += i64::from(is_first);
                if at == 0 {
                    sum[4] += dur;
                    sum[5] += 1;
                }
            }
        }
        sums
    }

    fn busy(&self, holds: impl Fn(&Work) -> bool) -> Spans {
        let works = self.works.iter().filter(|work| !work.is_part && holds(work));
        works.map(|work| (work.event.start, work.event.end)).collect()
    }

    /// What a stretch of time is made of: itself, computing, communication, copies, idle, host.
    fn parts(&self, within: (i64, i64), host: &Spans) -> [i64; 6] {
        let one = union(&self.busy(|work| work.class == "compute"), within);
        let two = union(&self.busy(|work| ["compute", "communication"].contains(&work.class)), within);
        let three = union(&self.busy(|_| true), within);
        let wall = within.1 - within.0;
        [wall, one, two - one, three - two, wall - three, union(host, within)]
    }

    /// When steps count: as they are marked; where less than half of what they launch runs in them, each from the first work
    /// that it launches on the stream that computes most of theirs to that of the next, the last until all of it ends.
    fn windows(&self, steps: &[&Event]) -> Spans {
        let of = |work: &Work| {
            let is_in = |step: &&Event| work.launch.is_some_and(|at| step.start <= at && at < step.end);
            steps.iter().position(is_in)
        };
        let works: Vec<&Work> = self.works.iter().filter(|work| !work.is_part).collect();
        let dur = |work: &Work| work.event.end - work.event.start;
        let mut launched: BTreeMap<&(String, String), i64> = BTreeMap::new();
        for work in works.iter().filter(|work| work.launch.is_some()) {
            launched.entry(&work.event.track).or_insert(work.event.start);
        }
        let (mut all, mut inside, mut unknown) = (0, 0, 0);
        let mut computed: BTreeMap<(String, String), (i64, i64)> = BTreeMap::new();
        for work in &works {
            let begun = launched.get(&work.event.track);
            let is_behind = begun.is_none_or(|first| *first <= work.event.start);
            unknown += if work.launch.is_none() && is_behind { dur(work) } else { 0 };
            if let Some(at) = of(work) {
                let span = vec![(work.event.start, work.event.end)];
                all += dur(work);
                inside += union(&span, (steps[at].start, steps[at].end));
                let sums = computed.entry(work.event.track.clone()).or_default();
                sums.0 += if work.class == "compute" { dur(work) } else { 0 };
                sums.1 += dur(work);
            }
        }
        if all < unknown || all <= 2 * inside {
            return steps.iter().map(|step| (step.start, step.end)).collect();
        }
        let main = computed.iter().max_by_key(|(_, sums)| **sums).unwrap().0;
        let own = |at: usize| works.iter().filter(move |work| of(work) == Some(at));
        let begin = |at: usize| {
            let on_main = own(at).filter(|work| work.event.track == *main);
            on_main.map(|work| work.event.start).min().unwrap()
        };
        let end = |at: usize| own(at).map(|work| work.event.end).max().unwrap();
        let n = steps.len();
        (0..n).map(|at| (begin(at), if at + 1 < n { begin(at + 1) } else { end(at) })).collect()
    }

    /// Name: wall, computing, communication, copies, idle, host.
    pub(super) fn steps(&self) -> Vec<(String, [i64; 6])> {
        let mut steps: Vec<&Event> =
            self.host.iter().filter(|event| event.name.starts_with("ProfilerStep#")).collect();
        steps.sort_by_key(|event| event.start);
        let host = self.host.iter().filter(|event| is_operator(event) || is_call(event));
        let host: Spans = host.map(|event| (event.start, event.end)).collect();
        let all = self.windows(&steps);
        let parts = |(step, window): (&&Event, &(i64, i64))| {
            let mut parts = self.parts(*window, &host);
            parts[5] = union(&host, (step.start, step.end));
            (step.name.clone(), parts)
        };
        let mut rows: Vec<(String, [i64; 6])> = steps.iter().zip(&all).map(parts).collect();
        let mut outside = self.parts(self.span, &host);
        for (_, row) in &rows {
            outside.iter_mut().zip(row).for_each(|(sum, part)| *sum -= part);
        }
        assert_eq!(outside[0], self.span.1 - self.span.0 - union(&all, self.span), "steps do not overlap");
        if !rows.is_empty() && 0 < outside[1] + outside[2] + outside[3] {
            rows.push(("Outside steps".to_owned(), outside));
        }
        rows
    }

    /// When calls of the host with such a name go on, on a thread or on all.
    fn marked(&self, marks: &[&str], thread: Option<&(String, String)>) -> Spans {
        let meant = self.host.iter().filter(|event| {
            let name = event.name.to_lowercase();
            marks.iter().any(|mark| name.contains(mark))
                && (marks != ALLOCATES || !name.contains("async"))
                && !event.category.starts_with("python")
                && thread.is_none_or(|thread| is_same(thread, &event.track))
                && (marks != LOADS || !self.works.iter().any(|work| computes_in(event, work)))
        });
        meant.map(|event| (event.start, event.end)).collect()
    }

    /// Streams with busy time and the ten reasons, each nanosecond of a gap by itself (between two events).
    pub(super) fn idle(&self) -> BTreeMap<(String, String), [i64; 11]> {
        let compute = self.busy(|work| work.class == "compute");
        let communication = self.busy(|work| work.class == "communication");
        let tracks: BTreeSet<_> = self.works.iter().map(|work| work.event.track.clone()).collect();
        let (mut all, mut threads) = (BTreeMap::new(), BTreeMap::new());
        for track in tracks {
            let works: Vec<&Work> = self.works.iter().filter(|work| work.event.track == track).collect();
            let mut sums = [0; 11];
            let mut until = None;
            for work in &works {
                if let Some(until) = until.filter(|until| *until < work.event.start) {
                    let gap = (until, work.event.start);
                    // The last launch is the one that counts.
                    let last = work.calls.iter().max_by_key(|call| call.1).map(|call| &call.0);
                    let first = work.calls.iter().min_by_key(|call| call.1);
                    let mut of = |thread: Option<&(String, String)>| {
                        let own = threads.entry(thread.cloned()).or_insert_with(|| {
                            let of = |marks: &[&str]| self.marked(marks, thread);
                            [of(&LOADS), of(&["synchronize"]), of(&ALLOCATES)]
                        });
                        own.clone()
                    };
                    let mut marks = of(last);
                    // Another thread, or another track of it, hands it over: until then that one counts too.
                    if let Some((from, handed)) = first.filter(|first| Some(&first.0) != last) {
                        let until = |spans: &Spans| -> Spans {
                            let begun = spans.iter().filter(|(start, _)| start < handed);
                            begun.map(|(start, end)| (*start, *end.min(handed))).collect()
                        };
                        let by = of(Some(from));
                        marks[0] = until(&by[0]);
                        if last.is_none_or(|last| !is_same(last, from)) {
                            marks[1].extend(until(&by[1]));
                            marks[2].extend(until(&by[2]));
                        }
                    }
                    let [loads, syncs, allocates] = &marks;
                    reasons(gap, work, [loads, syncs, allocates, &compute, &communication], &mut sums);
                }
                until = until.max(Some(work.event.end));
            }
            let spans: Spans = works.iter().map(|work| (work.event.start, work.event.end)).collect();
            sums[0] = union(&spans, self.span);
            sums[10] = works[0].event.start - self.span.0 + self.span.1 - until.unwrap();
            all.insert(track, sums);
        }
        all
    }
}

/// Whether two tracks are of one thread: calls may lie on another track of its numbered name.
fn is_same(a: &(String, String), b: &(String, String)) -> bool {
    a == b || a.1 == b.1 && a.1.contains(|c: char| c.is_ascii_digit())
}

/// The id among some args as a text; numbers without leading zeros. 0 is none.
fn id(args: &Value) -> Option<String> {
    let names = ["correlation", "correlation_id", "correlationId", "Correlation ID", "Correlation_ID"];
    let text = match names.iter().find_map(|name| args.get(name))? {
        Value::String(text) if !text.chars().all(|c| c.is_ascii_digit()) => return Some(text.clone()),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64()?.to_string(),
        _ => return None,
    };
    Some(text.trim_start_matches('0').to_owned()).filter(|text| !text.is_empty())
}

/// The call with the id of a work: the last that is not after it, or else the first.
fn by_id<'a>(host: &'a [Event], work: &Event) -> Option<&'a Event> {
    let id = work.id.as_ref()?;
    let is_call = |call: &&Event| {
        let category = call.category.to_lowercase();
        call.id.as_ref() == Some(id) && (category.contains("runtime") || category.contains("driver"))
    };
    let calls = || host.iter().filter(is_call);
    let before = calls().filter(|call| call.start <= work.start).max_by_key(|call| call.start);
    before.or_else(|| calls().min_by_key(|call| call.start))
}

enum Place {
    Device(&'static str),
    Waits,
    Host,
    Nowhere,
}

fn is_exchange(event: &Event) -> bool {
    let name = event.name.to_lowercase();
    let words = ["nccl", "rccl", "hccl", "hcom", "reduce_async", "reduce_inline"];
    words.iter().any(|word| name.contains(word))
}

fn place(event: &Event, process: &str, thread: &str) -> Place {
    let (name, is_exchange) = (event.name.to_lowercase(), is_exchange(event));
    match event.category.as_str() {
        "kernel" | "Kernel" if is_exchange => return Place::Device("communication"),
        "kernel" | "Kernel" => return Place::Device("compute"),
        "gpu_memcpy" | "gpu_memset" | "Memcpy" | "Memset" => return Place::Device("copy"),
        "cuda_sync" | "gpu_user_annotation" => return Place::Nowhere,
        "" => {}
        _ => return Place::Host,
    }
    if process == "Ascend Hardware" {
        let waits = ["event_", "notify_", "notify ", "write value", "profiling_"];
        return if is_exchange {
            Place::Device("communication")
        } else if ["memcpy", "memset", "memcopy"].iter().any(|word| name.starts_with(word)) {
            Place::Device("copy")
        } else if waits.iter().any(|word| name.starts_with(word)) {
            Place::Waits
        } else {
            Place::Device("compute")
        };
    }
    if thread.starts_with("Group") && thread.ends_with("Communication") {
        return Place::Device("communication");
    }
    if ["HCCL", "Overlap Analysis"].contains(&process) { Place::Nowhere } else { Place::Host }
}

pub(super) fn is_operator(event: &Event) -> bool {
    ["cpu_op", "Operator"].contains(&event.category.as_str()) && !event.name.starts_with("ProfilerStep#")
}

fn is_call(event: &Event) -> bool {
    ["cuda_runtime", "cuda_driver", "Runtime"].contains(&event.category.as_str())
}

/// Names of the operators around a time, outermost first: one that begins there begins something new.
pub(super) fn around(operators: &[Event], time: i64) -> Vec<String> {
    let begun: Vec<&Event> = operators.iter().take_while(|event| event.start <= time).collect();
    let Some(at) = begun.iter().rposition(|event| time <= event.end) else { return Vec::new() };
    let outer = begun[..at].iter().filter(|event| time <= event.end && begun[at].start < event.end);
    outer.chain([&begun[at]]).map(|event| event.name.clone()).collect()
}

fn union(spans: &Spans, within: (i64, i64)) -> i64 {
    let mut inside: Spans = spans
        .iter()
        .map(|(start, end)| ((*start).max(within.0), (*end).min(within.1)))
        .filter(|(start, end)| start < end)
        .collect();
    inside.sort_unstable();
    let (mut sum, mut until) = (0, i64::MIN);
    for (start, end) in inside {
        sum += (end - start.max(until)).max(0);
        until = until.max(end);
    }
    sum
}

/// Whether something that is no copy is launched in an event of the host.
fn computes_in(event: &Event, work: &Work) -> bool {
    let is_inside = |(track, time): &((String, String), i64)| {
        *track == event.track && event.start <= *time && *time < event.end
    };
    work.class != "copy" && work.calls.iter().any(is_inside)
}

/// What loads data.
const LOADS: [&str; 1] = ["dataloader"];

/// What asks the driver for memory.
const ALLOCATES: [&str; 12] = [
    "cudamalloc",
    "cudafree",
    "cumemalloc",
    "cumemfree",
    "cumemcreate",
    "cumemmap",
    "cumemunmap",
    "hipmalloc",
    "hipfree",
    "hipextmalloc",
    "aclrtmalloc",
    "aclrtfree",
];

/// Sums: busy, short, loading, synchronizing, allocating, late, for compute, for communication, not started, not known, ends.
fn reasons(gap: (i64, i64), next: &Work, around: [&Spans; 5], sums: &mut [i64; 11]) {
    let near = around.map(|spans| -> Spans {
        spans.iter().filter(|(start, end)| *start < gap.1 && gap.0 < *end).copied().collect()
    });
    let [loads, syncs, allocates, compute, communication] = &near;
    let dur = gap.1 - gap.0;
    if dur <= 1_000 {
        sums[1] += dur;
        return;
    }
    let mut edges: BTreeSet<i64> = [gap.0, gap.1].into();
    edges.extend(next.launch);
    for (start, end) in near.iter().flatten() {
        edges.extend([*start, *end]);
    }
    let edges: Vec<i64> = edges.into_iter().filter(|edge| gap.0 <= *edge && *edge <= gap.1).collect();
    let is_in = |spans: &Spans, at: i64| spans.iter().any(|(start, end)| *start <= at && at < *end);
    for piece in edges.windows(2) {
        let (at, n) = (piece[0], piece[1] - piece[0]);
        let waits_for = if next.class == "communication" { (compute, 6) } else { (communication, 7) };
        let is_before = next.launch.is_none_or(|launch| at < launch);
        sums[match next.launch {
            _ if 1_000_000 < dur && is_in(loads, at) => 2,
            _ if is_before && is_in(syncs, at) => 3,
            _ if is_before && is_in(allocates, at) => 4,
            None => 9,
            Some(_) if is_before => 5,
            Some(_) if is_in(waits_for.0, at) => waits_for.1,
            Some(_) => 8,
        }] += n;
    }
}
