//! Lines of other simulators: what they say by a mapping, to the scanner.

use super::faults::Problem;
use super::line::Line;
use super::scan::Scanner;
use crate::systems::gainsight::mapping::{Event, Mapping, sectors};

impl Scanner {
    /// Takes a line of another simulator, without its end.
    pub(super) fn mapped(&mut self, mapping: &Mapping, line: &[u8], at: u64) {
        match mapping.read(line) {
            Event::Access(level, access, n) => {
                sectors(access, n).for_each(|access| self.access(level, access, at));
            }
            Event::Begin(name, id, stream) => self.other(&Line::Launch(&name, id, stream), at),
            Event::End(name, cycles) => {
                if let Some(name) = name {
                    self.pair("kernel_name", &name, at);
                }
                let latest = self.running.latest.iter().max().copied().unwrap_or(0);
                self.end(cycles.unwrap_or(latest), at, false);
            }
            Event::Capacity(0, bytes) => self.other(&Line::Reconfigure(bytes), at),
            Event::Capacity(_, bytes) => {
                self.config.option("gpgpu_n_mem", "1");
                self.config.option("gpgpu_cache:dl2", &format!("1:{bytes}:1"));
            }
            Event::Wrong(group, found) => self.problem(Problem::Group(group, found), line, at, 0),
            Event::Nothing if matches!(Line::read(line), Line::Elision) => {
                self.problem(Problem::Elision, line, at, 0);
            }
            Event::Nothing => {}
        }
        self.config.clock_mhz = mapping.clock_mhz;
    }
}
