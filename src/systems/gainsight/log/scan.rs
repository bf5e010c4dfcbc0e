//! Walks over the lines of a log: kernels begin and end, accesses go to the machines of their levels.

use super::line::{Line, MARK, decimal, float};
use super::{Announced, Config, Names, Problem, Totals, each_once, fault};
use crate::base::fault::Fault;
use crate::input::json::Window;
use crate::systems::gainsight::mapping::Mapping;
use crate::systems::gainsight::statistics::Statistics;
use crate::views::lifetimes::compute::{Access, Closed, Ending, Kernel, LevelHead, Machine, Rules};
use memchr::{memchr, memmem};
use std::rc::Rc;

/// Longest line that is waited for.
const LINE_BYTES: usize = 1 << 20;

/// A log that is being walked over.
pub(super) struct Scanner {
    /// What the file is called, for faults.
    pub(super) path: String,
    /// Number of the line that comes next, from 1.
    number: u64,
    pub(super) config: Config,
    /// The kernels that were announced.
    pub(super) names: Names,
    totals: Totals,
    /// What the blocks at the ends of kernels say; `None` when nobody asks.
    pub(super) statistics: Option<Statistics>,
    /// How lines are worded, when it is a log of another simulator.
    pub(super) mapping: Option<Rc<Mapping>>,
    machines: Vec<Machine>,
    rules: Rules,
    /// Whether single lifetimes are wanted.
    keeps: bool,
    pub(super) running: Running,
    /// The kernel that ended, while what it did is summed up; no line is read meanwhile.
    ends: Option<Ends>,
    /// Whether the last line is to be read again after that.
    is_early: bool,
    /// The kernel that ended last, while the lines of its end are read.
    ended: Option<Kernel>,
    /// The byte behind the lines that were read.
    position: u64,
    /// How many kernels ended.
    n_ended: usize,
    /// Kernels of which everything was read.
    pub(super) done: Vec<Kernel>,
    /// Single lifetimes of kernels that ended, level by level.
    pub(super) closed: Vec<(u64, Vec<Vec<Closed>>)>,
    pub(super) ran: Vec<Ran>,
    /// Cycles of all kernels so far.
    total: u64,
    /// What is wrong.
    pub(super) faults: Vec<Fault>,
    /// Whether accesses to L2 are those that tracing builds print.
    pub(super) uses_probes: bool,
    /// The first access: its byte and line, and the greatest address of all.
    pub(super) first: Option<(u64, u64)>,
    /// The greatest address.
    pub(super) greatest: u64,
}

/// When a launch ran, in cycles since the first kernel began.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) kernel: Announced,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The kernel that runs.
#[derive(Default)]
pub(super) struct Running {
    /// Byte and line of its first access.
    first: Option<(u64, u64)>,
    /// The latest cycle of each level.
    pub(super) latest: [u64; 2],
    /// Bytes of L1; stays until it is said anew.
    l1: Option<u64>,
    /// Launches before its latest access.
    launched: usize,
    /// Names and numbers of launches as its end says them.
    name: Option<String>,
    uids: Option<Vec<u64>>,
    stream: Option<u64>,
}

impl Scanner {
    /// For a file of this name.
    pub(super) fn new(path: &str, rules: Rules, keeps: bool) -> Self {
        let config = Config::default();
        let machines = machines(&config.levels(), rules, keeps);
        Self {
            path: path.to_owned(),
            number: 1,
            config,
            names: Names::default(),
            totals: Totals::default(),
            statistics: None,
            mapping: None,
            machines,
            rules,
            keeps,
            running: Running::default(),
            ends: None,
            is_early: false,
            ended: None,
            position: 0,
            n_ended: 0,
            done: Vec::new(),
            closed: Vec::new(),
            ran: Vec::new(),
            total: 0,
            faults: Vec::new(),
            uses_probes: false,
            first: None,
            greatest: 0,
        }
    }

    /// Reads the lines that are whole, or up to the end of a kernel; how many bytes these have.
    pub(super) fn read(&mut self, bytes: &[u8], at: u64, is_last: bool) -> usize {
        let mut used = 0;
        while self.ends.is_none()
            && let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty())
        {
            let (end, n) = match memchr(b'\n', rest) {
                Some(end) => (end, end + 1),
                None if LINE_BYTES <= rest.len() || is_last => (rest.len(), rest.len()),
                None => break,
            };
            let line = rest.get(..end).unwrap_or(rest);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            match self.mapping.clone() {
                None => self.line(line, at.saturating_add(used as u64)),
                Some(mapping) => self.mapped(&mapping, line, at.saturating_add(used as u64)),
            }
            if std::mem::take(&mut self.is_early) {
                break;
            }
            self.number += 1;
            used += n;
            self.position = at.saturating_add(used as u64);
        }
        used
    }

    /// Takes a line without its end.
    fn line(&mut self, line: &[u8], at: u64) {
        match Line::read(line) {
            Line::Access(level, access) => self.access(level, access, at),
            Line::Probe(access) => self.probe(access, at),
            Line::Status(status) => self.problem(Problem::Status(status), line, at, 0),
            Line::Broken(column) => self.broken(line, column, at),
            Line::Trace => {}
            Line::Elision => self.problem(Problem::Elision, line, at, 0),
            known => {
                self.other(&known, at);
                self.totals.line(line);
                if let Some(statistics) = &mut self.statistics {
                    statistics.line(line, at, self.number, self.n_ended.checked_sub(1));
                }
                // Output of the simulated program may stand before an access.
                if matches!(known, Line::Other | Line::Pair(..))
                    && let Some(begin) = memmem::find(line, MARK)
                    && let Some(rest) = line.get(begin..)
                    && let Line::Access(level, access) = Line::read(rest)
                {
                    self.access(level, access, at);
                }
            }
        }
    }

    /// An access line that is damaged; another may begin inside of it.
    fn broken(&mut self, line: &[u8], column: usize, at: u64) {
        let next = line.get(1..).and_then(|rest| memmem::find(rest, MARK)).map(|n| n + 1);
        let end = next.unwrap_or(line.len());
        self.problem(Problem::Access, line.get(..end).unwrap_or(line), at, column.min(end));
        if let Some(rest) = next.and_then(|next| line.get(next..)) {
            self.line(rest, at.saturating_add(end as u64));
        }
    }

    /// Says what is wrong with a line.
    pub(super) fn problem(&mut self, problem: Problem, line: &[u8], at: u64, column: usize) {
        self.faults.push(fault(&self.path, problem, line, (at, self.number), column));
    }

    pub(super) fn access(&mut self, level: usize, access: Access, at: u64) {
        if level == 1 && self.uses_probes {
            // The lines themselves say more.
            self.uses_probes = false;
            if let (Some(machine), Some(head)) = (self.machines.get_mut(1), self.config.levels().get(1)) {
                *machine = Machine::new(self.rules, head, self.keeps);
            }
        }
        self.take(level, access, at);
    }

    /// An access to L2 where no line of its own says it.
    fn probe(&mut self, access: Access, at: u64) {
        if !self.uses_probes {
            let has_lines = self.running.latest.get(1).is_some_and(|latest| 0 < *latest);
            let before = self
                .ended
                .iter()
                .chain(&self.done)
                .any(|kernel| kernel.levels.get(1).is_some_and(|level| !level.units.is_empty()));
            if has_lines || before {
                return;
            }
            self.uses_probes = true;
        }
        let cycle = access.cycle.saturating_sub(self.total);
        self.take(1, Access { cycle, ..access }, at);
    }

    #[inline]
    fn take(&mut self, level: usize, access: Access, at: u64) {
        if self.ends.is_some() {
            return;
        }
        if self.ended.is_some() {
            self.seal();
        }
        let latest = self.running.latest.get(level).copied().unwrap_or(0);
        if access.cycle < latest {
            if self.running.launched < self.names.launched() {
                // Another kernel runs; the end of the one before is missing.
                self.cut();
                self.is_early = true;
                return;
            }
            self.problem(Problem::Backwards(access.cycle, latest), &[], at, 0);
        }
        if let Some(latest) = self.running.latest.get_mut(level) {
            *latest = access.cycle.max(*latest);
        }
        if self.running.first.is_none() {
            self.running.first = Some((at, self.number));
            self.first = self.first.or(self.running.first);
        }
        self.running.launched = self.names.launched();
        self.greatest = self.greatest.max(access.address);
        if let Some(machine) = self.machines.get_mut(level) {
            machine.access(&access);
        }
    }

    pub(super) fn other(&mut self, line: &Line, at: u64) {
        match line {
            Line::Option(key, value) => {
                self.config.option(key, value);
                self.names.option(key, value);
            }
            Line::Processing(path) => self.names.header(path),
            Line::Launch(name, uid, stream) => {
                self.seal();
                self.names.launch(name, *uid, *stream);
            }
            Line::Reconfigure(bytes) => self.running.l1 = Some(*bytes),
            Line::Pair(key, value) => self.pair(key, value, at),
            _ => {}
        }
    }

    pub(super) fn pair(&mut self, key: &str, value: &str, at: u64) {
        match key {
            "kernel_name" => {
                self.seal();
                self.running.name = Some(value.to_owned());
            }
            "kernel_launch_uid" => {
                let uids: Vec<u64> = value.split_whitespace().filter_map(|uid| uid.parse().ok()).collect();
                self.running.uids = Some(uids).filter(|uids| value.is_empty() || !uids.is_empty());
            }
            "kernel_stream_id" => {
                self.running.stream = value.split_whitespace().next().and_then(|id| id.parse().ok());
            }
            "gpu_sim_cycle" => match decimal(value.as_bytes()) {
                Some(cycles) => self.end(cycles, at, false),
                None => self.problem(Problem::Cycles, value.as_bytes(), at, 0),
            },
            "gpu_tot_sim_cycle" => {
                if let (Some(total), Some(kernel)) = (decimal(value.as_bytes()), &mut self.ended) {
                    kernel.start = total.saturating_sub(kernel.cycles);
                    self.total = total;
                }
            }
            "gpu_ipc" => {
                if let Some(kernel) = &mut self.ended {
                    kernel.ipc = float(value);
                }
            }
            "gpu_occupancy" => {
                if let Some(kernel) = &mut self.ended {
                    kernel.occupancy = float(value).map(|percent| percent / 100.0);
                }
            }
            _ => {}
        }
    }
}

fn machines(levels: &[LevelHead], rules: Rules, keeps: bool) -> Vec<Machine> {
    levels.iter().map(|level| Machine::new(rules, level, keeps)).collect()
}

// A log on its way through the scanner in steps: where a kernel ends, bytes wait until what it did is summed up.

/// A log on its way through the scanner.
pub(crate) struct Scan {
    pub(crate) scanner: Scanner,
    window: Window,
    /// Whether the last line was read.
    is_over: bool,
}

impl Scan {
    pub(crate) fn new(scanner: Scanner) -> Self {
        Self { scanner, window: Window::default(), is_over: false }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let scanner = &mut self.scanner;
        self.window.feed(bytes, |bytes, at| scanner.read(bytes, at, false));
    }

    /// Sums up the kernel that ended for about 10 ms, and goes on with the bytes that waited for it; whether there was one.
    pub(crate) fn go_on(&mut self) -> bool {
        let scanner = &mut self.scanner;
        let was_ending = scanner.go_on();
        if was_ending && !scanner.is_ending() {
            self.window.again(|bytes, at| scanner.read(bytes, at, false));
        }
        was_ending
    }

    /// Reads what waits, as nothing follows; whether all was read before.
    pub(crate) fn finish(&mut self) -> bool {
        let was_over = self.is_over;
        if !was_over {
            let scanner = &mut self.scanner;
            self.window.again(|bytes, at| scanner.read(bytes, at, true));
            self.is_over = !scanner.is_ending();
            if self.is_over {
                scanner.finish();
            }
        }
        was_over
    }

    /// The byte that is read next.
    pub(crate) fn position(&self) -> u64 {
        self.window.position()
    }
}

// Ends of kernels.

/// A kernel that ended, while what it did is summed up.
struct Ends {
    /// The kernel with the levels that are done.
    kernel: Kernel,
    /// Its levels, and the lifetimes of those that are done.
    levels: Vec<Ending>,
    closed: Vec<Vec<Closed>>,
    /// Bytes of L1.
    l1: Option<u64>,
}

impl Scanner {
    /// The kernel that runs ends with its latest access: its end is missing.
    fn cut(&mut self) {
        if let Some(first) = self.running.first {
            self.faults.push(fault(&self.path, Problem::End, &[], first, 0));
            let latest = self.running.latest.iter().max().copied().unwrap_or(0);
            self.end(latest, self.position, true);
        }
    }

    /// A kernel ends after so many cycles: what it did is summed up by [`Scanner::go_on`] before the next line is read.
    pub(crate) fn end(&mut self, cycles: u64, at: u64, is_cut: bool) {
        self.seal();
        let running = std::mem::take(&mut self.running);
        self.running.l1 = running.l1;
        self.running.launched = self.names.launched();
        let said = running.name.filter(|name| !name.trim().is_empty());
        // Listed are kernels that started a thread block: in the time that an empty list stands for none did.
        let uids = running.uids.filter(|uids| !uids.is_empty() || said.is_none());
        let known = match uids.as_deref() {
            None => self.names.last(),
            Some([]) => Announced::default(),
            Some([first, ..]) => self.names.of(*first),
        };
        let names =
            |uids: &Vec<u64>| uids.iter().map(|uid| self.names.of(*uid).name).collect::<Vec<_>>().join(" ");
        let said = said.unwrap_or_else(|| uids.as_ref().map_or_else(|| known.name.clone(), names));
        let n = uids.as_ref().map_or(1, Vec::len);
        let first = running.first.unwrap_or((at, self.number));
        let row = if n == 0 { 0 } else { (self.n_ended as u64).saturating_add(1) };
        let kernel = Kernel {
            id: known.id.or(known.uid).unwrap_or(row),
            uid: known.uid,
            name: each_once(&said, n),
            stream: known.stream.or(running.stream),
            start: self.total,
            cycles,
            uids: uids.filter(|_| !is_cut),
            weight: 1.0,
            is_cut,
            bytes: first.0..at.max(first.0),
            line: first.1,
            ..Kernel::default()
        };
        self.total = self.total.saturating_add(cycles);
        self.n_ended += 1;
        let levels = self.machines.iter_mut().map(|machine| machine.end(cycles)).collect();
        self.ends = Some(Ends { kernel, levels, closed: Vec::new(), l1: running.l1 });
    }

    /// Sums up the kernel that ended for about 10 ms; whether there was something to do.
    pub(crate) fn go_on(&mut self) -> bool {
        let Some(ends) = &mut self.ends else { return false };
        let row = ends.kernel.levels.len();
        if let Some(ending) = ends.levels.get_mut(row) {
            if let Some((level, closed)) = ending.poll() {
                ends.kernel.levels.push(level);
                ends.closed.push(closed);
            }
            return true;
        }
        let Some(Ends { mut kernel, closed, l1, .. }) = self.ends.take() else { return false };
        let next = kernel.levels.get(1).map_or(0, |level| level.counts.accesses());
        if let Some(level) = kernel.levels.first_mut() {
            level.bytes = l1;
            // Whatever misses goes on to L2, but for what waits for the same data.
            let waited = level.counts.missed.checked_sub(next);
            level.waited = waited.filter(|_| 0 < next && !self.uses_probes);
        }
        if self.keeps {
            self.closed.push((kernel.id, closed));
        }
        let is_cut = kernel.is_cut;
        self.ended = Some(kernel);
        if is_cut {
            self.seal();
        }
        true
    }

    /// Whether a kernel ended that is not summed up yet.
    pub(crate) fn is_ending(&self) -> bool {
        self.ends.is_some()
    }

    /// Everything of the kernel that ended last was read.
    fn seal(&mut self) {
        let Some(kernel) = self.ended.take() else { return };
        let end = kernel.start.saturating_add(kernel.cycles);
        match &kernel.uids {
            None => {
                let own = Announced {
                    name: kernel.name.clone(),
                    id: Some(kernel.id),
                    stream: kernel.stream,
                    uid: kernel.uid,
                };
                self.ran.push(Ran { kernel: own, start: kernel.start, end });
            }
            Some(uids) => {
                for uid in uids {
                    let of = |ran: &&mut Ran| ran.kernel.uid == Some(*uid) && ran.end == kernel.start;
                    match self.ran.iter_mut().rev().find(of) {
                        Some(ran) => ran.end = end,
                        None => {
                            let own = self.names.of(*uid);
                            self.ran.push(Ran { kernel: own, start: kernel.start, end });
                        }
                    }
                }
            }
        }
        let is_first = kernel.start == 0;
        let levels = if self.uses_probes { kernel.levels.get(..1) } else { kernel.levels.get(..) };
        for (lines, totals) in self.totals.kernel(levels.unwrap_or(&[]), is_first && !kernel.is_cut) {
            let place = (kernel.bytes.start, kernel.line);
            self.faults.push(fault(&self.path, Problem::Totals(lines, totals), &[], place, 0));
        }
        self.done.push(kernel);
    }

    /// Nothing follows: the kernel that runs ends. What is left is up to [`Scanner::go_on`].
    pub(crate) fn finish(&mut self) {
        self.seal();
        self.cut();
    }

    /// What all lines together say.
    pub(crate) fn judge(&mut self) {
        let is_short = u32::try_from(self.greatest).is_ok();
        if let Some(first) = self.first.filter(|_| is_short && self.names.has_headers()) {
            self.faults.push(fault(&self.path, Problem::Short, &[], first, 0));
        }
    }
}
