//! `event.log`: what the driver of the probes did, one event a line.
//!
//! ```text
//! [init] pid 21233                     [exec] funcmap-find 0x5585 success       a launch begins
//! [mem] cuMemAlloc_v2 0 dptr … …       [exec] 1795220241725726464 param 7f8f…   when, and its parameters
//! [mod] cuModuleGetFunction func …     [exec] grid 640 1 1 block 128 1 1 shared 0
//! [exec] funcmap-not-find 0x5585       [exec] grid 640 warp  4 probe 16 total 40960
//! [probe] rename NAME FOLDER           [exec] save F size S
//! [probe] python succeed               [exec] prologue A kernel K epilogue E ratio R   and ends
//! ```
//! Older versions say `[jit]` for `[probe]`, `[analyze]` for `[callback]`, `[pid]`, `[cmd]` and `[info]` for `[init]`. Bytes
//! that are no text follow names and commands, sometimes a line break among them: then the next line has no bracket.

use super::folder::{Allocation, Kernel, Launch, Outcome, Process};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::map::Map;
use crate::base::words::{message, phrase};
use crate::systems::neutrino::folder::Status;

/// Longest line that is read; the rest of a longer one is passed over.
const LINE_BYTES: usize = 64 << 10;

/// What a log says, while it is read.
#[derive(Default)]
pub(super) struct Log {
    pub(super) process: Process,
    /// Launches so far.
    pub(super) launches: Vec<Launch>,
    /// Memory of the application.
    pub(super) allocations: Vec<Allocation>,
    /// Kernels by their folders, in the order they were made.
    pub(super) kernels: Vec<Kernel>,
    pub(super) faults: Vec<Fault>,
    path: String,
    /// Names of functions and of handles of kernels.
    names: Map<u64, String>,
    /// Kernels of functions.
    of_function: Map<u64, usize>,
    /// Allocations that live, by address.
    living: Map<u64, usize>,
    /// The kernel that is being probed.
    compiling: Option<usize>,
    /// The launch that has not ended, and whether the line that ends it was just read.
    open: Option<Launch>,
    has_ended: bool,
    rest: Vec<u8>,
    at: u64,
    /// Where the line begins.
    start: u64,
    line: u32,
}

/// A line with its place.
struct Line<'a> {
    words: Vec<&'a str>,
    text: &'a str,
    raw: &'a [u8],
    start: u64,
}

impl Line<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).copied().unwrap_or("")
    }

    /// The word behind this one.
    fn after(&self, name: &str) -> &str {
        let at = self.words.iter().position(|word| *word == name);
        at.map_or("", |at| self.word(at + 1))
    }

    fn number<T: std::str::FromStr>(&self, at: usize) -> Option<T> {
        self.word(at).parse().ok()
    }
}

/// A number in hexadecimal, with or without `0x`.
fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}

impl Log {
    /// Begins with a file.
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, mut chunk: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (line, rest) = chunk.split_at_checked(end + 1).unwrap_or((chunk, &[]));
            chunk = rest;
            self.keep(line);
            let line = std::mem::take(&mut self.rest);
            self.line(&line);
            self.rest = line;
            self.rest.clear();
        }
        self.keep(chunk);
    }

    /// Adds the begin of a line; what is beyond the longest line is only counted.
    fn keep(&mut self, part: &[u8]) {
        self.at += part.len() as u64;
        let room = LINE_BYTES.saturating_sub(self.rest.len()).min(part.len());
        self.rest.extend_from_slice(part.get(..room).unwrap_or(&[]));
    }

    /// How many bytes were taken.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Takes the last line, and joins launches with kernels.
    pub(super) fn finish(&mut self) {
        let last = std::mem::take(&mut self.rest);
        if !last.is_empty() {
            self.line(&last);
        }
        self.close();
        for launch in &mut self.launches {
            launch.kernel = self.of_function.get(&launch.function).copied();
            let of_kernel = launch.kernel.and_then(|at| self.kernels.get(at)).map(|kernel| &kernel.name);
            let name = self.names.get(&launch.function).or(of_kernel.filter(|name| !name.is_empty()));
            launch.name = name.cloned().unwrap_or_default();
        }
        for (function, kernel) in &self.of_function {
            if let (Some(name), Some(kernel)) = (self.names.get(function), self.kernels.get_mut(*kernel)) {
                kernel.name.clone_from(name);
            }
        }
    }

    fn line(&mut self, raw: &[u8]) {
        self.line += 1;
        let start = std::mem::replace(&mut self.start, self.at);
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let text = String::from_utf8_lossy(raw);
        // A signal handler of one version prints without a line break.
        let text = text.strip_prefix("[Signal Handler] Switched to PROBED mode").unwrap_or(&text);
        let Some((tag, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) else { return };
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let line = Line { words, text: rest, raw, start };
        self.rank(&line);
        let is_known = match tag {
            "init" | "pid" | "cmd" | "info" => self.process(tag, &line),
            "mem" => self.memory(&line),
            "mod" => self.module(&line),
            "probe" | "jit" => self.probe(&line),
            "exec" | "count" | "benchmark" | "callback" | "analyze" => self.exec(tag, &line),
            "bin" | "hash" | "plugin" | "kernel" | "unknown kernel" | "Signal Handler" => true,
            _ => false,
        };
        if !is_known {
            let expected = phrase("a line of the log").into();
            let kind = Kind::Unexpected { expected, found: excerpt(raw).into() };
            let place = Place::byte(&self.path, start).line(self.line, 1);
            let fault = Fault::new("NEU-LINE", Severity::Note, place, kind);
            self.faults.push(fault.note(phrase("The line is skipped.")));
        }
        // Lines of the callback follow the launch.
        let last = self.launches.last_mut().filter(|_| matches!(tag, "callback" | "analyze"));
        if let Some(launch) = self.open.as_mut().or(last) {
            launch.bytes.1 = self.at - launch.bytes.0;
        }
        if self.has_ended {
            self.close();
        }
    }

    /// Plugins say the rank of the process among their own words.
    fn rank(&mut self, line: &Line) {
        let is_said = line.text.contains("prepared") || line.text.contains("ready backend=");
        let rank = line.words.iter().find_map(|word| word.strip_prefix("rank=")).filter(|_| is_said);
        self.process.rank = rank.and_then(|rank| rank.parse().ok()).or(self.process.rank);
    }

    fn process(&mut self, tag: &str, line: &Line) -> bool {
        let (what, words) = match tag {
            "init" => (line.word(0), 1),
            tag => (tag, 0),
        };
        match what {
            "pid" => self.process.pid = line.number(words).or(self.process.pid),
            "cmd" => self.process.command = command(line.raw).unwrap_or_default(),
            _ => {}
        }
        true
    }

    fn memory(&mut self, line: &Line) -> bool {
        let call = line.word(0);
        self.process.is_hip |= call.starts_with("hip");
        let n_begun = self.launches.len() + usize::from(self.open.is_some());
        let device = [line.after("dptr"), line.after("ptr")].into_iter().find_map(hex);
        let Some(pointer) = device.filter(|_| line.word(1) == "0") else { return true };
        if call.contains("Free") {
            if let Some(row) = self.living.remove(&pointer).and_then(|at| self.allocations.get_mut(at)) {
                row.to = Some(n_begun);
            }
        } else if (call.contains("MemAlloc") || call.contains("Malloc")) && !call.contains("Host") {
            let bytes = [line.after("bytesize"), line.after("size")].into_iter().find_map(|n| n.parse().ok());
            let Some(bytes) = bytes else { return false };
            self.living.insert(pointer, self.allocations.len());
            self.allocations.push(Allocation { pointer, bytes, from: n_begun, to: None });
        }
        true
    }

    fn module(&mut self, line: &Line) -> bool {
        let call = line.word(0);
        self.process.is_hip |= call.starts_with("hip");
        let name = line.after("name");
        if let Some(handle) = hex(line.word(2)).filter(|_| !name.is_empty()) {
            self.names.insert(handle, name.to_owned());
        } else if call == "cuKernelGetFunction"
            && let (Some(a), Some(b)) = (hex(line.word(1)), hex(line.word(2)))
        {
            // Which of the two is the kernel is not said: the name of one is that of the other.
            let (a_name, b_name) = (self.names.get(&a).cloned(), self.names.get(&b).cloned());
            let named = a_name.map(|name| (b, name)).or(b_name.map(|name| (a, name)));
            self.names.extend(named);
        }
        true
    }

    fn probe(&mut self, line: &Line) -> bool {
        match line.word(0) {
            "rename" => self.compile(line.words.last().copied().unwrap_or("")),
            "mkdir" => self.compile(line.word(1).rsplit('/').next().unwrap_or("")),
            "python" => {
                let outcome = if line.word(1) == "succeed" { Outcome::Probed } else { Outcome::Failed };
                self.outcome(outcome);
            }
            "can't-find" | "can't-mkdir" | "can't-open" | "can't-folk" => self.outcome(Outcome::Failed),
            "read" | "finish" => {
                let name = line.after("name");
                if let (Some(kernel), false) = (self.kernel(), name.is_empty()) {
                    name.clone_into(&mut kernel.name);
                    kernel.parameters = line.after("n_param").parse().ok().or(kernel.parameters);
                }
                if let Some(function) = hex(line.word(1)).filter(|_| line.word(0) == "finish") {
                    self.names.insert(function, name.to_owned());
                    self.of_function.extend(self.compiling.map(|at| (function, at)));
                }
            }
            _ => {}
        }
        true
    }

    fn kernel(&mut self) -> Option<&mut Kernel> {
        self.kernels.get_mut(self.compiling?)
    }

    fn outcome(&mut self, outcome: Outcome) {
        if let Some(kernel) = self.kernel() {
            kernel.outcome = outcome;
        }
    }

    /// The folder of the kernel that is being probed, such as `0_fabef7…`.
    fn compile(&mut self, folder: &str) {
        if !super::format::is_kernel_folder(folder) {
            return;
        }
        let at = self.kernels.iter().rposition(|kernel| kernel.folder == folder).unwrap_or_else(|| {
            self.kernels.push(Kernel { folder: folder.to_owned(), ..Kernel::default() });
            self.kernels.len() - 1
        });
        self.compiling = Some(at);
        if let Some(launch) = &self.open {
            self.of_function.insert(launch.function, at);
        }
    }
}

/// The command: as many bytes as the number in front says; what follows is garbage.
fn command(raw: &[u8]) -> Option<String> {
    let rest = raw.get(memchr::memmem::find(raw, b"cmd")? + 3..)?;
    let rest = rest.strip_prefix(b"]").unwrap_or(rest).trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, text) = rest.split_at_checked(digits)?;
    let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<usize>().ok());
    let text = match (number, text.strip_prefix(b" ")) {
        (Some(n), Some(text)) => text.get(..n).unwrap_or(text),
        _ => rest,
    };
    Some(String::from_utf8_lossy(text).replace('\0', " ").trim().to_owned())
}

// Launches: from `funcmap-find` or `funcmap-not-find` to the line of their times, or to `backup`, which ran them without
// probes; what the callback did follows.

impl Log {
    /// One line of a launch; false when it cannot be read.
    fn exec(&mut self, tag: &str, line: &Line) -> bool {
        match (tag, line.word(0)) {
            ("exec", "funcmap-not-find" | "funcmap-find") => {
                let Some(function) = hex(line.word(1)) else { return false };
                self.begin(function, line.start, line.word(0) == "funcmap-not-find");
            }
            ("exec", "grid") => return self.grid(line).is_some(),
            ("exec", "probe-mem") => self.launch(line).probe_bytes = line.number(1),
            ("exec", "succeed") => {}
            ("exec", "failed") => self.launch(line).status = Status::Failed(line.number(1).unwrap_or(-1)),
            ("exec", "save") => {
                let path = line.text.trim().strip_prefix("save ").unwrap_or("");
                let path = path.rsplit_once(" size ").map_or(path, |(path, _)| path);
                self.launch(line).result = Some(path.to_owned());
            }
            ("exec", "can't-save") => {
                let what = message("the result of a launch was not saved: {path}").with("path", line.word(1));
                let place = Place::byte(&self.path, line.start).line(self.line, 1);
                self.faults.push(Fault::new("NEU-SAVE", Severity::Loss, place, Kind::Problem(what)));
            }
            ("exec", "backup") => {
                let launch = self.launch(line);
                if let Some((grid, block, shared)) = shape(line) {
                    (launch.grid, launch.block, launch.shared) = (grid, block, shared);
                }
                if launch.status == Status::Cut {
                    launch.status = Status::Unprobed;
                }
                self.has_ended = true;
            }
            ("benchmark", "ENABLED") => self.process.is_benchmark = true,
            ("exec" | "benchmark", "prologue") => {
                let launch = self.launch(line);
                times(launch, line);
                if launch.status == Status::Cut {
                    launch.status = Status::Probed;
                }
                self.has_ended = true;
            }
            ("exec", time) => {
                if let (Ok(time), "param") = (time.parse(), line.word(1)) {
                    let launch = self.launch(line);
                    launch.time = Some(time);
                    launch.parameters = line.words.iter().skip(2).filter_map(|word| hex(word)).collect();
                }
            }
            ("callback" | "analyze", what) => self.callback(what, line),
            _ => {}
        }
        true
    }

    /// A launch begins, unless it goes on after its kernel was probed.
    fn begin(&mut self, function: u64, start: u64, is_first: bool) {
        let goes_on = |open: &Launch| open.function == function && open.time.is_none();
        if !is_first && self.open.as_ref().is_some_and(goes_on) {
            return;
        }
        self.close();
        self.compiling = self.of_function.get(&function).copied().filter(|_| !is_first);
        let launch = Launch { function, is_first, bytes: (start, 0), line: self.line, ..Launch::default() };
        self.open = Some(launch);
    }

    /// The launch that goes on, if one does, is over.
    fn close(&mut self) {
        self.launches.extend(self.open.take());
        self.has_ended = false;
    }

    /// The launch that is going on; one without a begin when the log lacks it.
    fn launch(&mut self, line: &Line) -> &mut Launch {
        let new = || Launch { bytes: (line.start, 0), line: self.line, ..Launch::default() };
        self.open.get_or_insert_with(new)
    }

    /// The shape of the launch, or the section of a map.
    fn grid(&mut self, line: &Line) -> Option<()> {
        if let Some((grid, block, shared)) = shape(line) {
            let launch = self.launch(line);
            (launch.grid, launch.block, launch.shared) = (grid, block, shared);
            return Some(());
        }
        let is_warp = match line.word(2) {
            "warp" => true,
            "block" => false,
            _ => return None,
        };
        let (unit, total) = (line.after("probe").parse().ok()?, line.after("total").parse().ok()?);
        let launch = self.launch(line);
        launch.units.push((is_warp, unit));
        launch.sections.push(total);
        Some(())
    }

    fn callback(&mut self, what: &str, line: &Line) {
        let Some(launch) = self.launches.last_mut() else { return };
        match what {
            "subproc" => launch.callback = Some((line.word(2).to_owned(), None)),
            "succeed" | "failed" => {
                if let Some((_, is_done)) = &mut launch.callback {
                    *is_done = Some(what == "succeed");
                }
            }
            _ => {}
        }
    }
}

/// `grid gx gy gz block bx by bz shared S`, behind the first word.
fn shape(line: &Line) -> Option<([u32; 3], [u32; 3], u64)> {
    if line.word(4) != "block" && line.word(4) != "block:" {
        return None;
    }
    let three = |at| Some([line.number(at)?, line.number(at + 1)?, line.number(at + 2)?]);
    Some((three(1)?, three(5)?, line.number(9).unwrap_or(0)))
}

/// Milliseconds and factors behind their names.
fn times(launch: &mut Launch, line: &Line) {
    let number = |name: &str| line.after(name).parse::<f64>().ok().filter(|n| n.is_finite());
    launch.prologue = number("prologue");
    launch.kernel_ms = number("kernel");
    launch.epilogue = number("epilogue");
    launch.ratio = number("ratio");
    launch.original = number("original");
    launch.impact = number("impact");
}
