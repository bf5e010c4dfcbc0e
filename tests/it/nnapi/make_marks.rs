//! Made traces: calls as the contract has them, with all that may stand in between, and damage.

use std::fmt::Write;

/// A seeded source of numbers.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// From 0 to `n` - 1.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    /// Whether one of `n` falls.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const LAYERS: [&str; 9] = ["LA", "LR", "LI", "LD", "LC", "LO", "LU", "LX", "LDV"];
const PHASES: [&str; 13] =
    ["PO", "PWU", "PBM", "PI", "PP", "PC", "PE", "PT", "PU", "PIO", "PTR", "PCO", "PR"];
const CALLS: [&str; 9] = [
    "ANeuralNetworksExecution_create",
    "ANeuralNetworksExecution_free",
    "ANeuralNetworksEvent_free",
    "ANeuralNetworksExecution_setInput",
    "ANeuralNetworksExecution_setOutputFromMemory",
    "ANeuralNetworksExecution_startCompute",
    "ANeuralNetworksEvent_wait",
    "ANeuralNetworksExecution_compute",
    "getSupportedExtensions",
];
const FOREIGN: [&str; 12] = [
    "doFrame",
    "HIDL::IDevice::getCapabilities::client",
    "HIDL::IDevice::getSupportedOperations_1_1::client",
    "HIDL::IDevice::prepareModel::client",
    "HIDL::IPreparedModel::execute::client",
    "HIDL::IAllocator::allocate::client",
    "HIDL::IMapper::importBuffer::passthrough",
    "HIDL::IPreparedModelCallback::notify::server",
    "AIDL::ndk::IDevice::prepareModel::client",
    "x[1]",
    "getCapabilities",
    "a|b|c",
];

const NEW_HEAD: &str = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n";
const OLD_HEAD: &str = "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n";

/// A thread that writes.
#[derive(Clone, Copy)]
struct Writer {
    name: &'static str,
    pid: u32,
    tgid: u32,
}

const APP: Writer = Writer { name: "NeuralNetworksT", pid: 500, tgid: 500 };
const HELPER: Writer = Writer { name: "pool 1-2", pid: 501, tgid: 500 };
const DRIVER: Writer = Writer { name: "HwBinder:70_1", pid: 701, tgid: 700 };
const NOTIFIER: Writer = Writer { name: "<...>", pid: 702, tgid: 700 };
const OTHER: Writer = Writer { name: "surfaceflinger", pid: 300, tgid: 300 };

/// A trace as it grows.
struct Maker {
    out: String,
    dice: Dice,
    /// Microseconds.
    now: u64,
    is_old: bool,
    dashes: &'static str,
    /// How often something happens that the contract forbids: once in so many scopes; never for 0.
    odd: usize,
}

/// One trace.
pub(super) fn trace(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let is_old = dice.once_in(5);
    let dashes = if dice.once_in(8) { "-----" } else { "" };
    let odd = [0, 0, 60, 12][dice.below(4)];
    let head = if is_old { OLD_HEAD } else { NEW_HEAD };
    let mut maker =
        Maker { out: format!("# tracer: nop\n#\n{head}"), dice, now: 100_000_000, is_old, dashes, odd };
    let n = 1 + maker.dice.below(3);
    for _ in 0..n {
        maker.run();
    }
    maker.out
}

impl Maker {
    fn row(&mut self, by: Writer, mark: &str) {
        self.now += [0, 1, 4, 5, 7, 30, 1000][self.dice.below(7)];
        let (seconds, micros) = (self.now / 1_000_000, self.now % 1_000_000);
        let Writer { name, pid, tgid } = by;
        let process = match (self.is_old, self.dashes) {
            (true, _) => String::new(),
            (_, "") => format!(" ({tgid:>5})"),
            (_, dashes) => format!(" ({dashes})"),
        };
        let line = format!("{name:>16}-{pid:<5}{process} [00{}] ...1 ", self.dice.below(8));
        let _ = writeln!(self.out, "{line} {seconds}.{micros:06}: tracing_mark_write: {mark}");
        if self.dice.once_in(30) {
            let _ =
                writeln!(self.out, "{line} {seconds}.{micros:06}: sched_switch: prev_comm=a ==> next_comm=b");
        }
        if self.dice.once_in(40) {
            let text = self.dice.of(&["B|300|draw", "C|300|fps|3", "E|300", "S|300|x|1", "B|300|draw"]);
            let stamp = format!("  {}-{} (  {}) [000] ...1 ", OTHER.name, OTHER.pid, OTHER.tgid);
            let _ = writeln!(self.out, "{stamp} {seconds}.{micros:06}: tracing_mark_write: {text}");
        }
    }

    fn begin(&mut self, by: Writer, text: &str) {
        self.row(by, &format!("B|{}|{text}", by.tgid));
    }

    fn end(&mut self, by: Writer) {
        let mark = format!("E|{}", by.tgid);
        let is_bare = self.dashes.is_empty() && self.dice.once_in(50);
        self.row(by, if is_bare { "E" } else { &mark });
    }

    fn run(&mut self) {
        let has_overall = !self.dice.once_in(6);
        if has_overall {
            let name = self.dice.of(&["mobilenet", "NaN nan 0.00", "ü😀\"\\", "a|b"]);
            self.begin(APP, &format!("[NN_LA_PO]{name}"));
        }
        for _ in 0..self.dice.below(4) {
            let phase = self.dice.of(&["PI", "PP", "PC", "PT", "PP"]);
            self.scope(APP, "LA", phase, 3);
        }
        let loops: &[&str] = match self.dice.below(8) {
            0..3 => &["PWU", "PBM"],
            3 => &["PBM"],
            _ => &[""],
        };
        for of_loop in loops {
            if !of_loop.is_empty() {
                self.begin(APP, &format!("[NN_LA_{of_loop}]runBenchmarkLoop"));
            }
            for _ in 0..self.dice.below(4) {
                self.execution();
            }
            if !of_loop.is_empty() {
                self.end(APP);
            }
        }
        for _ in 0..self.dice.below(3) {
            let layer = self.dice.of(&["LA", "LR", "LC", "LI"]);
            let phase = self.dice.of(&PHASES[3..]);
            let by = [APP, HELPER][self.dice.below(2)];
            self.scope(by, layer, phase, 3);
        }
        if has_overall && !self.dice.once_in(25) {
            self.end(APP);
        }
    }

    /// An execution as the runtime writes it, with its driver or the CPU.
    fn execution(&mut self) {
        if self.dice.once_in(2) {
            self.begin(APP, "[NN_LA_PE]executeOnce");
            self.execution_of_runtime();
            self.end(APP);
        } else {
            self.execution_of_runtime();
        }
    }

    fn execution_of_runtime(&mut self) {
        for call in
            ["[NN_LR_PE]ANeuralNetworksExecution_create", "[NN_LR_PIO]ANeuralNetworksExecution_setInput"]
        {
            self.begin(APP, call);
            self.end(APP);
        }
        self.begin(APP, "[NN_LR_PE]ANeuralNetworksExecution_startCompute");
        self.end(APP);
        if self.dice.once_in(2) {
            self.begin(DRIVER, "HIDL::IPreparedModel::execute::server");
            self.begin(DRIVER, "[NN_LD_PIO]SampleDriver::asyncExecute");
            self.begin(DRIVER, "[SW][NN_LD_PE]SampleDriver::asyncExecute");
            let by = [DRIVER, NOTIFIER][usize::from(self.dice.once_in(9))];
            self.begin(by, "HIDL::IExecutionCallback::notify::client");
            self.end(by);
            self.end(DRIVER);
            self.end(DRIVER);
            self.end(DRIVER);
            if self.dice.once_in(3) {
                self.begin(DRIVER, "HIDL::IDevice::getStatus::server");
                self.end(DRIVER);
            }
        } else if self.dice.once_in(2) {
            self.scope(HELPER, "LC", "PE", 2);
        }
        if self.odd == 0 || !self.dice.once_in(self.odd) {
            self.begin(APP, "[NN_LR_PE]ANeuralNetworksEvent_wait");
            self.end(APP);
        }
        let call =
            self.dice.of(&["[NN_LR_PT]ANeuralNetworksExecution_free", "[NN_LR_PE]ANeuralNetworksEvent_free"]);
        self.begin(APP, call);
        self.end(APP);
    }

    /// A scope with scopes below it.
    fn scope(&mut self, by: Writer, layer: &str, phase: &str, depth: usize) {
        let is_odd = self.odd != 0 && self.dice.once_in(self.odd);
        let (layer, phase) =
            if is_odd { (self.dice.of(&LAYERS), self.dice.of(&PHASES)) } else { (layer, phase) };
        let switch =
            ["[SW]", "[SUB]", "", "", "", "", ""][self.dice.below(if depth < 3 { 7 } else { 1 }.max(2))];
        let switch = if depth < 3 { switch } else { "" };
        let name = match self.dice.below(9) {
            0 => self.dice.of(&CALLS),
            1 => "f[1]",
            2 => "executeWithCompilation example",
            _ => "work",
        };
        // A switch stands inside of the scope that it ends.
        if switch == "[SW]" {
            self.begin(by, &format!("[NN_{layer}_{phase}]before"));
            let part = if phase == "PTR" { "PCO" } else { phase };
            self.begin(by, &format!("[SW][NN_{layer}_{part}]{name}"));
            self.inside(by, layer, part, depth);
            self.end(by);
        } else {
            self.begin(by, &format!("{switch}[NN_{layer}_{phase}]{name}"));
            self.inside(by, layer, phase, depth);
        }
        self.end(by);
    }

    fn inside(&mut self, by: Writer, layer: &str, phase: &str, depth: usize) {
        if depth == 0 {
            return;
        }
        for _ in 0..self.dice.below(4) {
            if self.dice.once_in(6) {
                let is_app = by.tgid == APP.tgid;
                let text = self.dice.of(if is_app && layer == "LR" { &FOREIGN } else { &FOREIGN[..1] });
                self.begin(by, text);
                self.inside(by, layer, phase, depth - 1);
                self.end(by);
                continue;
            }
            let callee = match (layer, self.dice.below(3)) {
                (_, 0) => layer,
                ("LA", _) => "LR",
                ("LR", 1) => "LI",
                ("LR", _) => "LC",
                _ => layer,
            };
            let inner = match (phase, self.dice.below(12)) {
                (_, 0) => "PI",
                (_, 1) => "PU",
                ("PO" | "PWU" | "PBM", 2..6) => "PE",
                ("PE", 2..6) => self.dice.of(&["PIO", "PTR", "PCO", "PR"]),
                (_, 2) if layer == "LA" => self.dice.of(&["PP", "PC", "PT"]),
                _ => phase,
            };
            if callee == layer && self.dice.once_in(8) {
                self.scope(by, "LU", "PU", depth - 1);
            } else {
                self.scope(by, callee, inner, depth - 1);
            }
        }
    }
}

/// Damages a trace: lines and characters go, come twice, change places or change.
pub(super) fn damaged(trace: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = trace.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..=dice.below(3) {
        let (a, b) = (dice.below(lines.len()), dice.below(lines.len()));
        match dice.below(8) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(a, lines[b].clone()),
            2 => lines.swap(a, b),
            3 | 4 => {
                let (from, to) = (dice.of(&LAYERS), dice.of(&LAYERS));
                lines[a] = lines[a].replace(from, to);
            }
            5 | 6 => {
                let (from, to) = (dice.of(&PHASES), dice.of(&PHASES));
                lines[a] = lines[a].replace(&format!("_{from}]"), &format!("_{to}]"));
            }
            _ => {
                let mut text: Vec<char> = lines[a].chars().collect();
                let from = dice.below(text.len());
                let to = (from + 1 + dice.below(6)).min(text.len());
                text.drain(from..to);
                lines[a] = text.into_iter().collect();
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.concat()
}
