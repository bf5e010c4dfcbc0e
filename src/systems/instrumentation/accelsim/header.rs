//! The head of a trace: `-key = value` lines. What stands there may be garbage: nothing is allocated by it.

use crate::base::words::phrase;

/// What the head of a kernel says.
#[derive(Default)]
pub(super) struct Header {
    /// All of it, in order.
    pub(super) facts: Vec<(String, String)>,
    /// Name of the kernel.
    pub(super) name: String,
    /// Groups of threads in each direction.
    pub(super) grid: [u32; 3],
    /// Threads of a group in each direction.
    pub(super) group: [u32; 3],
    /// Version of the tracer: 5 writes a number behind each instruction.
    pub(super) version: Option<f64>,
    /// Whether each line begins with a line of source.
    pub(super) has_lines: bool,
}

/// Most lines of a head that are kept.
const FACTS: usize = 64;

impl Header {
    /// Takes a line that begins with `-`; what was expected where a value cannot be read.
    pub(super) fn take(&mut self, line: &[u8]) -> Result<(), &'static str> {
        let text = String::from_utf8_lossy(line);
        let parts = text.trim_start_matches('-').split_once('=');
        let Some((key, value)) = parts.map(|(key, value)| (key.trim(), value.trim())) else {
            return Err("-key = value");
        };
        if self.facts.len() < FACTS {
            self.facts.push((key.to_owned(), value.to_owned()));
        }
        match key {
            "kernel name" => value.clone_into(&mut self.name),
            "grid dim" => self.grid = three(value).ok_or("(x,y,z)")?,
            "block dim" => self.group = three(value).ok_or("(x,y,z)")?,
            "accelsim tracer version" => self.version = Some(value.parse().map_err(|_| phrase("a number"))?),
            "enable lineinfo" => self.has_lines = value == "1",
            _ => {}
        }
        Ok(())
    }

    /// Whether a number stands behind each instruction; `None` when nobody says.
    pub(super) fn has_immediate(&self) -> Option<bool> {
        self.version.map(|version| 5.0 <= version)
    }

    /// Warps of a group, as far as its size makes sense: no GPU has groups of more than 1,024 threads.
    pub(super) fn warps(&self) -> u32 {
        let threads = self.group.iter().try_fold(1_u32, |n, side| n.checked_mul(*side));
        threads.filter(|n| (1..=1024).contains(n)).map_or(1, |n| n.div_ceil(32))
    }
}

/// `(1,2,3)` or `1,2,3`.
pub(super) fn three(text: &str) -> Option<[u32; 3]> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    let mut numbers = text.split(',').map(|number| number.trim().parse::<u32>());
    let all = [numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?];
    numbers.next().is_none().then_some(all)
}
