//! A model of a chip: cores with pipes that work side by side and wait for each other by flags.
//!
//! A pipe does one thing at a time. What must come first is named; when it comes from another pipe, the model writes the
//! flag that is set, the wait for it and the arrow between the two, as a simulator's trace has them.

use crate::pen::{Dice, list, micros, object, text};

/// Pipes in the order of their lanes.
pub(crate) const PIPES: [&str; 8] = ["SCALAR", "FLOWCTRL", "MTE1", "CUBE", "FIXP", "MTE2", "VECTOR", "MTE3"];

/// Nanoseconds of a cycle.
pub(crate) const CYCLE: f64 = 1.0 / 1.65;

/// Nanoseconds a flag takes to be set.
const FLAG: f64 = 6.0;

/// Instructions that wait in the queues of a core's pipes.
const AHEAD: usize = 10;

/// One instruction of the program.
pub(crate) struct Instruction {
    /// What names it in the model.
    pub(crate) key: &'static str,
    pub(crate) pipe: usize,
    pub(crate) text: String,
    /// Line of its file.
    pub(crate) file: usize,
    pub(crate) line: usize,
    pub(crate) address: u32,
    /// Bytes it moves; 0 when none.
    pub(crate) bytes: u32,
}

/// What an instruction cost on one core.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) times: u64,
    pub(crate) nanos: f64,
    /// Nanoseconds its pipe waited before it.
    pub(crate) waited: f64,
}

/// Something that is over: who did it, and when it ended.
#[derive(Clone, Copy)]
pub(crate) struct Done {
    core: usize,
    pipe: usize,
    pub(crate) end: f64,
}

/// One slice, for miniatures and sums.
#[derive(Clone, Copy)]
pub(crate) struct Slice {
    pub(crate) core: usize,
    pub(crate) pipe: usize,
    pub(crate) start: f64,
    pub(crate) dur: f64,
    pub(crate) is_wait: bool,
}

/// The chip while it runs a program.
pub(crate) struct Chip<'a> {
    cores: Vec<String>,
    files: &'a [&'a str],
    program: &'a [Instruction],
    free: Vec<[f64; PIPES.len()]>,
    /// By core: when what was issued to the pipes began. The scalar unit runs at most [`AHEAD`] ahead of it.
    began: Vec<Vec<f64>>,
    /// By core and instruction.
    pub(crate) costs: Vec<Vec<Cost>>,
    pub(crate) slices: Vec<Slice>,
    /// Time and text of each event.
    events: Vec<(f64, String)>,
    flags: u32,
    dice: Dice,
}

impl<'a> Chip<'a> {
    pub(crate) fn new(cores: Vec<String>, files: &'a [&'a str], program: &'a [Instruction]) -> Self {
        let n = cores.len();
        Self {
            cores,
            files,
            program,
            free: vec![[0.0; PIPES.len()]; n],
            began: vec![Vec::new(); n],
            costs: vec![vec![Cost::default(); program.len()]; n],
            slices: Vec::new(),
            events: Vec::new(),
            flags: 0,
            dice: Dice::new(11),
        }
    }

    /// Runs the instructions of a key on a core, the scalar ones before it first; the last takes about `nanos`.
    pub(crate) fn run(&mut self, core: usize, key: &str, nanos: f64, after: &[Done]) -> Done {
        let program = self.program;
        let mut issued = Vec::new();
        let mut last = None;
        for (n, instruction) in program.iter().enumerate().filter(|(_, i)| i.key == key) {
            if instruction.pipe <= 1 && last.is_none() {
                let cost = self.dice.about(11.0, 60.0);
                let full = self.began[core].len().checked_sub(AHEAD).map_or(0.0, |at| self.began[core][at]);
                self.free[core][instruction.pipe] = self.free[core][0].max(self.free[core][1]).max(full);
                self.step(core, n, cost, &[]);
                issued = vec![Done { core, pipe: 0, end: self.free[core][instruction.pipe] }];
            } else {
                let cost = self.dice.about(nanos, 12.0);
                let needs: Vec<Done> = after.iter().copied().chain(last).collect();
                let earliest = issued.first().map_or(0.0, |i: &Done| i.end);
                self.free[core][instruction.pipe] = self.free[core][instruction.pipe].max(earliest);
                last = Some(self.step(core, n, cost, &needs));
            }
        }
        last.unwrap_or(Done { core, pipe: 0, end: self.free[core][0] })
    }

    fn step(&mut self, core: usize, n: usize, nanos: f64, after: &[Done]) -> Done {
        let pipe = self.program[n].pipe;
        let begin = self.free[core][pipe];
        let ready = after.iter().map(|d| if d.pipe == pipe && d.core == core { d.end } else { d.end + FLAG });
        let start = ready.fold(begin, f64::max);
        for needed in after.iter().filter(|d| d.pipe != pipe || d.core != core) {
            // Only the one that is waited for longest is worth a flag in the trace.
            if start <= needed.end + FLAG + 0.5 && begin + 2.0 < start {
                self.flag(*needed, core, pipe, begin, start);
            }
        }
        if 1 < pipe {
            self.began[core].push(start);
        }
        let cost = &mut self.costs[core][n];
        cost.times += 1;
        cost.nanos += nanos;
        cost.waited += start - begin;
        self.work(core, n, start, nanos);
        self.free[core][pipe] = start + nanos;
        Done { core, pipe, end: start + nanos }
    }

    fn work(&mut self, core: usize, n: usize, start: f64, dur: f64) {
        let instruction = &self.program[n];
        let (name, operands) = instruction.text.split_once(' ').unwrap_or((&instruction.text, ""));
        let code = format!("{}:{}", self.files[instruction.file], instruction.line);
        let mut args = vec![
            ("code", text(&code)),
            ("detail", text(operands)),
            ("pc_addr", text(&format!("0x{:x}", instruction.address))),
        ];
        if 0 < instruction.bytes {
            args.push(("process_bytes", instruction.bytes.to_string()));
        }
        let event = object(&[
            ("ph", text("X")),
            ("name", text(name)),
            ("cname", text(color_name(instruction.pipe))),
            ("pid", text(&self.cores[core])),
            ("tid", text(PIPES[instruction.pipe])),
            ("ts", micros(start)),
            ("dur", micros(dur.max(1.0))),
            ("args", object(&args)),
        ]);
        self.events.push((start, event));
        self.slices.push(Slice { core, pipe: instruction.pipe, start, dur, is_wait: false });
    }

    fn flag(&mut self, from: Done, core: usize, pipe: usize, begin: f64, end: f64) {
        self.flags += 1;
        let kind = if from.core == core { "core" } else { "intra" };
        let id = format!("{kind}_{}", self.flags);
        let halves = [
            ("SET_FLAG", "black", from.core, from.pipe, from.end, from.end + FLAG),
            ("WAIT_FLAG", "yellow", core, pipe, begin, end),
        ];
        for (name, color, core, pipe, start, end) in halves {
            for (phase, at) in [("B", start), ("E", end)] {
                let event = object(&[
                    ("ph", text(phase)),
                    ("name", text(name)),
                    ("cname", text(color)),
                    ("id", text(&id)),
                    ("pid", text(&self.cores[core])),
                    ("tid", text(PIPES[pipe])),
                    ("ts", micros(at)),
                    ("args", "{}".to_owned()),
                ]);
                self.events.push((at, event));
            }
        }
        let category = format!("{}To{}", PIPES[from.pipe], PIPES[pipe]);
        for (phase, core, pipe, at) in [("s", from.core, from.pipe, from.end + FLAG), ("t", core, pipe, end)]
        {
            let event = object(&[
                ("ph", text(phase)),
                ("name", text("flow")),
                ("cat", text(&category)),
                ("id", text(&id)),
                ("pid", text(&self.cores[core])),
                ("tid", text(PIPES[pipe])),
                ("ts", micros(at)),
            ]);
            self.events.push((at, event));
        }
        self.slices.push(Slice { core, pipe, start: begin, dur: end - begin, is_wait: true });
    }

    /// When everything is over.
    pub(crate) fn end(&self) -> f64 {
        self.slices.iter().map(|s| s.start + s.dur).fold(0.0, f64::max)
    }

    /// Nanoseconds a pipe of a core worked and waited.
    pub(crate) fn busy(&self, core: usize, pipe: usize) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for slice in self.slices.iter().filter(|s| s.core == core && s.pipe == pipe) {
            if slice.is_wait {
                sums.1 += slice.dur;
            } else {
                sums.0 += slice.dur;
            }
        }
        sums
    }

    /// The whole as a trace of an operator.
    pub(crate) fn trace(mut self) -> String {
        self.count_bytes();
        let mut lines = Vec::new();
        for (n, core) in self.cores.iter().enumerate() {
            lines.push(meta("process_sort_index", core, None, n + 1));
            for (lane, pipe) in PIPES.iter().enumerate() {
                if self.slices.iter().any(|s| s.core == n && s.pipe == lane) {
                    lines.push(meta("thread_sort_index", core, Some(pipe), lane + 1));
                }
            }
        }
        self.events.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.extend(self.events.into_iter().map(|(_, event)| event));
        object(&[
            ("displayTimeUnit", text("ns")),
            ("profilingType", text("op")),
            ("schemaVersion", "2".to_owned()),
            ("traceEvents", list(lines)),
        ])
    }

    /// What moves from the main memory, as a counter with a sample every 250 ns.
    fn count_bytes(&mut self) {
        const STEP: f64 = 250.0;
        let steps = (self.end() / STEP) as usize + 1;
        for (name, pipe) in [("GM_TO_TOTAL", 5), ("TOTAL_TO_GM", 7)] {
            let mut busy = vec![0.0_f64; steps];
            for slice in self.slices.iter().filter(|s| s.pipe == pipe && !s.is_wait) {
                busy[(slice.start / STEP) as usize] += slice.dur / STEP;
            }
            for (n, share) in busy.iter().enumerate().skip(1) {
                let value = format!("{:.2}", share * 96_400.0);
                let event = object(&[
                    ("ph", text("C")),
                    ("name", text(name)),
                    ("pid", text("MTE Throughput")),
                    ("ts", micros(n as f64 * STEP)),
                    ("args", object(&[("throughput(MB/s)", value)])),
                ]);
                self.events.push((n as f64 * STEP, event));
            }
        }
    }
}

fn meta(name: &str, core: &str, pipe: Option<&str>, index: usize) -> String {
    let mut pairs = vec![("ph", text("M")), ("name", text(name)), ("pid", text(core))];
    pairs.extend(pipe.map(|pipe| ("tid", text(pipe))));
    pairs.push(("args", object(&[("sort_index", index.to_string())])));
    object(&pairs)
}

/// The color name that the format gives a pipe.
fn color_name(pipe: usize) -> &'static str {
    match PIPES[pipe] {
        "SCALAR" => "startup",
        "FLOWCTRL" => "cq_build_passed",
        "MTE1" => "thread_state_running",
        "CUBE" => "background_memory_dump",
        "FIXP" => "thread_state_unknown",
        "MTE2" => "thread_state_iowait",
        "VECTOR" => "cq_build_failed",
        _ => "rail_response",
    }
}
