//! Instructions that a probe may want to watch, and those that it does: positions are parts of the text of instructions, so
//! other forms of the same instruction, and those of functions that the kernel calls, are missed.

use super::align::{Alignment, Purpose, bare};
use crate::systems::neutrino::folder::Probe;
use std::fmt;

/// How many instructions of its kind a probe watches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Coverage {
    /// Number of the probe.
    pub(super) probe: usize,
    /// Instructions of this kind.
    pub(super) all: usize,
    /// Those that are probed.
    pub(super) probed: usize,
    /// The others: line, from 1, and instruction.
    pub(super) missed: Vec<(u32, String)>,
}

/// The opcode of a line with its parts; empty for labels, directives, comments and blank lines.
fn opcode(line: &str) -> &str {
    let text = bare(line);
    let word = text.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or("");
    let is_code = word.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.ends_with(':');
    if is_code && text.contains(';') { word } else { "" }
}

/// Whether an instruction is of the kind that a position means: `ld.global` all loads from global memory.
fn is_of_kind(opcode: &str, position: &str) -> bool {
    if position.contains("mma") {
        return ["mma.sync", "mma_async", "tcgen05.mma"].iter().any(|part| opcode.contains(part))
            || opcode.starts_with("mma.");
    }
    let has = |part: &str| opcode.split('.').any(|own| own == part);
    let mut parts = position.split('.').filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or("");
    if opcode.split('.').next() != Some(first) {
        // Atomic operations load from and store to global memory too.
        let is_global = position.contains("global") && has("global");
        return is_global && (opcode.starts_with("atom.") || opcode.starts_with("red."));
    }
    // Whatever is copied and however it is cached; but not waiting for it.
    let is_wait = ["commit_group", "wait_group", "wait_all", "mbarrier"].iter().any(|part| has(part));
    parts.next().is_none_or(has) && !(first == "cp" && is_wait)
}

/// What each probe of instructions watches of a kernel. Without a probed text, what it would watch.
pub(super) fn coverage(pruned: &[&str], alignment: Option<&Alignment>, probes: &[Probe]) -> Vec<Coverage> {
    let of_probe = |(number, probe): (usize, &Probe)| {
        if probe.positions.is_empty() || probe.positions.iter().any(|position| position == "kernel") {
            return None;
        }
        let mut out = Coverage { probe: number, ..Coverage::default() };
        let mut is_in_entry = false;
        for (row, line) in pruned.iter().enumerate() {
            match line {
                _ if line.contains(".entry ") => is_in_entry = true,
                _ if line.contains(".func ") => is_in_entry = false,
                _ => {}
            }
            let opcode = opcode(line);
            let hits =
                probe.positions.iter().any(|position| !opcode.is_empty() && line.contains(position.as_str()));
            let is_meant = hits || probe.positions.iter().any(|position| is_of_kind(opcode, position));
            if opcode.is_empty() || !is_meant {
                continue;
            }
            let is_near = |inserted: u32| [row, row + 1].contains(&(inserted as usize));
            let is_probed = match alignment {
                Some(alignment) => alignment.inserted.iter().any(|line| {
                    line.probe == Some(number) && line.kind >= Purpose::Probe && is_near(line.before)
                }),
                None => is_in_entry,
            };
            out.all += 1;
            if is_probed && hits {
                out.probed += 1;
            } else {
                out.missed.push((u32::try_from(row + 1).unwrap_or(u32::MAX), opcode.to_owned()));
            }
        }
        Some(out)
    };
    probes.iter().enumerate().filter_map(of_probe).collect()
}

/// The shape of a matrix instruction: an m × k times a k × n matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::systems::neutrino) struct Shape {
    m: u64,
    n: u64,
    k: u64,
}

impl Shape {
    /// Operations of one instruction: a multiplication and an addition for each product.
    pub(in crate::systems::neutrino) fn flop(&self) -> u64 {
        2 * self.m * self.n * self.k
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "m{}n{}k{}", self.m, self.n, self.k)
    }
}

/// The shapes of the matrix instructions of a text that a probe of `mma.sync` counts, each once.
pub(super) fn shapes(pruned: &[&str]) -> Vec<Shape> {
    let mut out = Vec::new();
    for line in pruned {
        let opcode = opcode(line);
        let shape = opcode.starts_with("mma.sync").then(|| opcode.split('.').find_map(shape)).flatten();
        if let Some(shape) = shape.filter(|shape| !out.contains(shape)) {
            out.push(shape);
        }
    }
    out
}

/// `m16n8k16`.
fn shape(part: &str) -> Option<Shape> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let number = |text: &str| text.parse().ok().filter(|n| (1..=65_536).contains(n));
    Some(Shape { m: number(m)?, n: number(n)?, k: number(k)? })
}
