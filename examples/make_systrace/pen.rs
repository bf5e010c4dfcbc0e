//! Rows of ftrace text in the order of time, with rows of other threads in between.

use std::io::{self, Write};

/// What is wanted.
pub(crate) struct Options {
    pub(crate) rows: u64,
    /// Counts instead of `rows` when given.
    pub(crate) bytes: Option<u64>,
    pub(crate) runs: Option<u64>,
    pub(crate) foreign: f64,
    pub(crate) is_html: bool,
    pub(crate) is_old: bool,
    pub(crate) seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rows: 1_000_000,
            bytes: None,
            runs: None,
            foreign: 0.5,
            is_html: false,
            is_old: false,
            seed: 1,
        }
    }
}

impl Options {
    /// How many runs there will be.
    pub(crate) fn n_runs(&self) -> u64 {
        let rows = self.bytes.map_or(self.rows, |bytes| bytes / 110);
        self.runs.unwrap_or_else(|| 1 + (rows as f64 * (1.0 - self.foreign) / 20_000.0) as u64)
    }
}

/// A thread: its name as the kernel keeps it, its number, its process.
#[derive(Clone, Copy)]
pub(crate) struct Thread(pub(crate) &'static str, pub(crate) u32, pub(crate) u32);

/// Names of the sixty others, five threads for each of twelve processes.
#[rustfmt::skip] // as two short lists
const OTHERS: [&str; 15] = [
    "surfaceflinger", "RenderThread", "Jit thread pool", "HeapTaskDaemon", "kworker/u16:3", "ndroid.systemui", "Binder:1184_C",
    "app", "sf", "EventThread", "audio_hw (mix)", "logd.writer", "sensors@1.0-ser", "GPU completion", "mmcqd/0",
];

/// Scopes that they write.
#[rustfmt::skip]
const SCOPES: [&str; 8] = [
    "Choreographer#doFrame", "dequeueBuffer", "binder transaction", "DrawFrame", "measure", "handleMessageRefresh",
    "Lock contention on a monitor lock (owner tid: 1190)", "HIDL::ISensors::poll::client",
];

/// Writes rows.
pub(crate) struct Pen<W> {
    out: W,
    pub(crate) options: Options,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    micros: u64,
    /// Foreign rows that are due.
    debt: f64,
    /// Open scopes of the others.
    depth: [u8; 60],
    dice: u64,
}

impl<W: Write> Pen<W> {
    pub(crate) fn new(out: W, options: Options) -> Self {
        let dice = options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { out, options, rows: 0, bytes: 0, micros: 8_431_207_113, debt: 0.0, depth: [0; 60], dice }
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 11) % n
    }

    /// Lets time pass: this many microseconds, some percent more or less.
    pub(crate) fn wait(&mut self, micros: u64) {
        self.micros += 1 + micros * (85 + self.below(30)) / 100;
    }

    /// How much of what is wanted is written.
    pub(crate) fn progress(&self) -> f64 {
        match self.options.bytes {
            Some(bytes) => self.bytes as f64 / bytes.max(1) as f64,
            None => self.rows as f64 / self.options.rows.max(1) as f64,
        }
    }

    /// Opens a scope.
    pub(crate) fn begin(&mut self, thread: Thread, text: &str) -> io::Result<()> {
        self.row(thread, format_args!("tracing_mark_write: B|{}|{text}", thread.2))?;
        self.others()
    }

    /// Closes the innermost scope.
    pub(crate) fn end(&mut self, thread: Thread) -> io::Result<()> {
        self.row(thread, format_args!("tracing_mark_write: E|{}", thread.2))?;
        self.others()
    }

    /// A scope with nothing inside, after a little time.
    pub(crate) fn call(&mut self, thread: Thread, text: &str, micros: u64) -> io::Result<()> {
        self.wait(5);
        self.begin(thread, text)?;
        self.wait(micros);
        self.end(thread)
    }

    /// Text as it is.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.bytes += text.len() as u64;
        self.out.write_all(text.as_bytes())
    }

    /// Everything is written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn row(&mut self, thread: Thread, event: std::fmt::Arguments<'_>) -> io::Result<()> {
        let Thread(name, id, process) = thread;
        let (seconds, micros) = (self.micros / 1_000_000, self.micros % 1_000_000);
        let process = match (self.options.is_old, process) {
            (true, _) => String::new(),
            (false, 0) => "(-----) ".to_owned(),
            (false, process) => format!("({process:>5}) "),
        };
        let cpu = self.below(8);
        let row = format!("{name:>16}-{id:<5} {process}[{cpu:03}] d..2 {seconds:>5}.{micros:06}: {event}\n");
        self.rows += 1;
        self.text(&row)
    }

    /// Rows of other threads, as many as are due.
    fn others(&mut self) -> io::Result<()> {
        self.debt += self.options.foreign / (1.0 - self.options.foreign);
        while 1.0 <= self.debt {
            self.debt -= 1.0;
            self.micros += self.below(4);
            let n = self.below(60);
            let name = OTHERS[n as usize % OTHERS.len()];
            let process = 1_100 + n as u32 / 5 * 90;
            let thread = Thread(name, process + n as u32 % 5, process);
            match self.below(20) {
                0..9 => self.switch(thread)?,
                9 => {
                    let (state, cpu) = (300_000 + 76_800 * self.below(20), self.below(8));
                    let idle = Thread("<idle>", 0, 0);
                    self.row(idle, format_args!("cpu_frequency: state={state} cpu_id={cpu}"))?;
                }
                10 => {
                    let value = self.below(4);
                    self.row(thread, format_args!("tracing_mark_write: C|{process}|buffers|{value}"))?;
                }
                _ => self.scope(thread, n as usize)?,
            }
        }
        Ok(())
    }

    fn switch(&mut self, thread: Thread) -> io::Result<()> {
        let (name, id) = (thread.0, thread.1);
        let state = ["S", "R", "D", "R+"][self.below(4) as usize];
        self.row(thread, format_args!(
            "sched_switch: prev_comm={name} prev_pid={id} prev_prio=120 prev_state={state} ==> next_comm=swapper/2 next_pid=0 next_prio=120"
        ))
    }

    fn scope(&mut self, thread: Thread, n: usize) -> io::Result<()> {
        let is_deeper = self.depth[n] == 0 || (self.depth[n] < 4 && self.below(2) == 0);
        if is_deeper {
            self.depth[n] += 1;
            let name = SCOPES[self.below(8) as usize];
            self.row(thread, format_args!("tracing_mark_write: B|{}|{name}", thread.2))
        } else {
            self.depth[n] -= 1;
            self.row(thread, format_args!("tracing_mark_write: E|{}", thread.2))
        }
    }
}
