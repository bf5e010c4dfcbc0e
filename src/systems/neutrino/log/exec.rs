//! Launches: from `funcmap-find` or `funcmap-not-find` to the line of their times, or to `backup`, which ran them without
//! probes; what the callback did follows.

use super::{Line, Log, hex};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::message;
use crate::systems::neutrino::folder::{Launch, Status};

impl Log {
    /// One line of a launch; false when it cannot be read.
    pub(super) fn exec(&mut self, tag: &str, line: &Line) -> bool {
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
    pub(super) fn close(&mut self) {
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
