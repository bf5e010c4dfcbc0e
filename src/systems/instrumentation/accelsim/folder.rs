//! What stands beside the traces: the list of kernels, with copies and allocations, and the table of counts.

use super::header::three;
use crate::base::number;
use crate::views::executions::compute::NamedRange;

/// A line of the list of kernels.
pub(super) enum Listed<'a> {
    /// The name of the file of a kernel.
    Kernel(&'a str),
    /// A range of memory, named by what was done with it.
    Range(NamedRange),
    /// A blank line.
    Nothing,
}

/// Reads a line of the list: `kernel-…`, `MemcpyHtoD,0x…,bytes`, `cudaMalloc,0x…,bytes`.
pub(super) fn listed(line: &str) -> Option<Listed<'_>> {
    let line = line.trim();
    if line.is_empty() {
        return Some(Listed::Nothing);
    }
    if line.starts_with("kernel-") && !line.contains(',') {
        return Some(Listed::Kernel(line));
    }
    let mut words = line.split(',').map(str::trim);
    let name = words.next().filter(|name| name.starts_with("Memcpy") || name.starts_with("cudaMalloc"))?;
    let start = words.next().filter(|word| word.starts_with("0x")).and_then(number::address)?;
    let bytes = words.next()?.parse().ok()?;
    Some(Listed::Range(NamedRange { name: name.to_owned(), start, bytes }))
}

/// A row of the table of counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// What the kernel's file is called, without endings.
    pub(super) stem: String,
    /// Instructions of all warps.
    pub(super) instructions: u64,
}

/// The head of the table.
pub(super) const COUNTS: &str = "kernel id, kernel mangled name";

/// Reads a row of the table: file, name, grid, blocks, block, threads, instructions, those that were reported. The name may
/// hold commas.
pub(super) fn counted(line: &str) -> Option<Counted> {
    let words: Vec<&str> = line.split(',').map(str::trim).collect();
    let (file, rest) = words.split_first().filter(|(file, _)| file.starts_with("kernel-"))?;
    let numbers = rest.get(rest.len().checked_sub(10)?..)?;
    let is_whole = 10 < rest.len() && numbers.iter().all(|word| word.parse::<u64>().is_ok());
    three(&numbers.get(..3)?.join(",")).filter(|_| is_whole)?;
    let instructions = numbers.get(8)?.parse().ok()?;
    Some(Counted { stem: stem(file).to_owned(), instructions })
}

/// The name of a trace without its endings, by which list, table and trace belong together.
pub(super) fn stem(name: &str) -> &str {
    let mut stem = name;
    for ending in [".xz", ".gz", ".zst", ".traceg", ".trace"] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    stem
}

/// The folder that a file lies in; of a packed file that of the file, not of what is in it.
pub(super) fn folder(path: &str) -> &str {
    let path = match path.rsplit_once("!/") {
        Some((packed, _)) if [".xz", ".gz", ".zst"].iter().any(|end| packed.ends_with(end)) => packed,
        _ => path,
    };
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
