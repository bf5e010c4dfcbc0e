//! How far it is: a bar on a terminal, a line now and then elsewhere.

#![allow(clippy::disallowed_methods)] // a program of the command line has a clock

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Between two lines.
const PAUSE: Duration = Duration::from_secs(10);

/// What is shown of the progress, for several threads.
pub(super) struct Watch {
    bar: Option<ProgressBar>,
    lines: Mutex<Lines>,
}

struct Lines {
    begun: Instant,
    said: Instant,
    bytes: (u64, u64),
    traces: (usize, usize),
}

impl Watch {
    /// Nothing done of so many bytes in so many traces.
    pub(super) fn new(bytes: u64, traces: usize) -> Self {
        let style =
            "{bar:30} {percent} %  {bytes} of {total_bytes}  {binary_bytes_per_sec}  {eta} left  {msg}";
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(bytes);
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        let lines = Lines { begun: now, said: now, bytes: (0, bytes), traces: (0, traces) };
        Self { bar, lines: Mutex::new(lines) }
    }

    /// A trace of so many bytes is done.
    pub(super) fn advance(&self, bytes: u64) {
        let Ok(mut lines) = self.lines.lock() else { return };
        lines.bytes.0 += bytes;
        lines.traces.0 += 1;
        let (done, all) = lines.traces;
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
            bar.set_message(format!("{done} of {all} traces"));
            return;
        }
        if PAUSE <= lines.said.elapsed() {
            lines.said = Instant::now();
            let seconds = lines.begun.elapsed().as_secs_f64();
            let (done_bytes, all_bytes) = lines.bytes;
            let rate = done_bytes as f64 / seconds;
            let left = (all_bytes - done_bytes) as f64 / rate.max(1.0);
            eprintln!("lanescope: {done} of {all} traces, {:.0} MB/s, {left:.0} s left", rate / 1e6);
        }
    }

    /// Says a sentence beside the bar.
    pub(super) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(format!("lanescope: {text}")),
            None => eprintln!("lanescope: {text}"),
        }
    }

    /// Everything is done.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
