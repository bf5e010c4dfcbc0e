//! Trace folders: which files belong to one, and which of its results a document shows.
//!
//! ```text
//! Apr25_114624_1921397/          month, day, time and number of the process
//!   event.log  probe.toml  read.py  tensor.trace  fabricperf_*.csv
//!   result/0.660526.bin  .dmat   a file for each probed launch: seconds since the process began
//!   kernel/0_bf524e8c…/          kernel.info, process.log, original, pruned and probed
//! ```
//! Every result is a document with all other files of its folder; a folder without results is one document.

mod kernels;
mod parts;
mod reading;
mod sections;
mod tables;
mod warnings;

use crate::base::words::{message, phrase};
use crate::format::detail::{SliceDetail, SliceReader};
use crate::format::{Claim, Degree, Format, Operators, Probe, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry};
use crate::input::source::read_range;
use crate::systems::neutrino::kernel;
use sections::{HEAD, Header};

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "neutrino",
    title: "Neutrino trace",
    written_by: "Neutrino, FabricPerf",
    patterns: &["event.log", "*.bin", "*.dmat", "kernel/*/"],
    shows: "Timeline, launches, probed kernels, maps",
    source: "the sources and the documentation of Neutrino",
    probe: Probe { look, join: Some(join) },
    parameters: &[&kernel::ORIGINAL],
    read: |claim, values| Box::new(reading::Files::new(claim, values)),
    slices: Some(&SliceReader {
        detail: |of| lines(of.bytes),
        origin_key: |_, key| key.clear(),
        origin: |_| (None, Vec::new()),
    }),
    mode_note: None,
    operators: Some(Operators {
        switch: "result",
        title: phrase("Results"),
        find: parts::find,
        head: parts::head,
    }),
};

/// Roles of files.
mod role {
    /// `event.log`.
    pub(super) const LOG: &str = "log";
    /// `probe.toml`.
    pub(super) const PROBES: &str = "probes";
    /// `read.py`.
    pub(super) const READER: &str = "reader";
    /// `tensor.trace`.
    pub(super) const TENSORS: &str = "tensors";
    /// Tables of plugins.
    pub(super) const TABLE: &str = "table";
    /// A file of `result` with records.
    pub(super) const RESULT: &str = "result";
    /// A `.dmat` file.
    pub(super) const DENSITY: &str = "density";
    /// A picture that the tool drew.
    pub(super) const PICTURE: &str = "picture";
    /// A file of a folder in `kernel`.
    pub(super) const KERNEL: &str = "kernel";
}

/// How much of a file is looked at.
const LOOK: u64 = 4_096;

/// Whether this is the name of the folder of a kernel: a number and a SHA-1.
pub(super) fn is_kernel_folder(name: &str) -> bool {
    let is_hash = |hash: &str| hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    name.split_once('_').is_some_and(|(n, hash)| n.bytes().all(|b| b.is_ascii_digit()) && is_hash(hash))
}

/// The folder and the name of a path.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// What stands behind the last dot of a name.
fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The trace folder of a file and its role in it, as its path tells.
fn place(path: &str) -> Option<(&str, &'static str)> {
    let (folder, name) = split(path);
    let (above, last) = split(folder);
    if is_kernel_folder(last) && split(above).1 == "kernel" {
        return Some((split(above).0, role::KERNEL));
    }
    let of_result = match ending(name) {
        "bin" => Some(role::RESULT),
        "dmat" => Some(role::DENSITY),
        "png" => Some(role::PICTURE),
        _ => None,
    };
    if let Some(role) = of_result {
        let stem = name.rsplit_once('.')?.0;
        let is_time = stem.contains('.') && stem.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let root = if matches!(last, "result" | "results") { above } else { folder };
        return is_time.then_some((root, role));
    }
    let role = match name {
        _ if name.ends_with("event.log") => role::LOG,
        "probe.toml" => role::PROBES,
        "read.py" => role::READER,
        _ if name.ends_with("tensor.trace") => role::TENSORS,
        _ if name.starts_with("fabricperf_") && ending(name) == "csv" => role::TABLE,
        _ => return None,
    };
    Some((folder, role))
}

/// The trace folder of a file that its content tells, where the path may not.
fn root(entry: &Entry) -> &str {
    place(&entry.path).map_or_else(|| split(&entry.path).0, |(root, _)| root)
}

/// The name of the trace folder of a file.
fn root_name(path: &str) -> &str {
    let root = place(path).map_or_else(|| split(path).0, |(root, _)| root);
    split(root).1
}

fn look(entry: &Entry) -> ProbeResult {
    let head = read_range(&*entry.source, 0..LOOK).map_err(|e| (0, unreadable(&e.0)))?;
    let by_path = place(&entry.path).map(|(_, role)| role);
    if is_log(&head, by_path == Some(role::LOG)) {
        return Ok((Degree::Certain, role::LOG, message("lines of the log of a process with probes")));
    }
    match by_path {
        Some(role::KERNEL) => {
            return Ok((Degree::Possible, role::KERNEL, message("a folder of a probed kernel")));
        }
        Some(role::DENSITY) => {
            return Ok((Degree::Possible, role::DENSITY, message("the name of a result")));
        }
        _ => {}
    }
    if ending(entry.name()) == "dmat" {
        return Ok((Degree::Possible, role::DENSITY, message("the name of a result")));
    }
    let bytes = read_range(&*entry.source, 0..Header::bytes(&head)).unwrap_or_default();
    match Header::parse(&bytes, entry.source.len()) {
        Ok(header) if header.begins_behind_itself() => {
            let reason = message("the first map begins behind the header");
            Ok((Degree::Certain, role::RESULT, reason))
        }
        // A damaged one, when other files say that it is one.
        _ if by_path == Some(role::RESULT) => {
            Ok((Degree::Possible, role::RESULT, message("the name of a result")))
        }
        Ok(_) => Err((20, message("byte {n}: expected the offset of the first map").with("n", HEAD + 8))),
        Err((_, missed)) => Err((0, missed)),
    }
}

/// Whether text begins with lines of a log.
fn is_log(head: &[u8], is_named: bool) -> bool {
    const TAGS: [&[u8]; 9] = [
        b"[init] ",
        b"[pid] ",
        b"[cmd] ",
        b"[info] ",
        b"[mem] ",
        b"[mod] ",
        b"[exec] ",
        b"[probe] ",
        b"[jit] ",
    ];
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"["));
    let is_known = |line: &[u8]| TAGS.iter().any(|tag| line.starts_with(tag));
    if is_named {
        return lines.any(is_known);
    }
    let begins = head.starts_with(b"[init] pid ") || head.starts_with(b"[pid] ");
    begins && lines.skip(1).any(is_known)
}

/// One claim for each trace folder, with all of its files.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut roots: Vec<(&str, Claim)> = Vec::new();
    for claim in std::mem::take(&mut probed.claims) {
        let Some(entry) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let root = root(entry);
        match roots.iter_mut().find(|(known, _)| *known == root) {
            Some((_, known)) => {
                if known.degree < claim.degree {
                    (known.degree, known.reason) = (claim.degree, claim.reason);
                }
                known.entries.extend(claim.entries);
            }
            None => roots.push((root, claim)),
        }
    }
    for (id, entry) in bundle.iter() {
        let Some((root, role)) = place(&entry.path) else { continue };
        let Some((_, claim)) = roots.iter_mut().find(|(known, _)| *known == root) else { continue };
        if claim.entries.iter().all(|(known, _)| *known != id) {
            claim.entries.push((id, role));
        }
    }
    probed.claims = roots.into_iter().map(|(_, claim)| claim).collect();
}

/// The lines of the log about a launch, each with its first word.
fn lines(bytes: &[u8]) -> SliceDetail {
    let text = String::from_utf8_lossy(bytes);
    let args = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once(']'));
    let args = args.map(|(tag, rest)| (tag.to_owned(), rest.trim().to_owned())).collect();
    SliceDetail { args, ..SliceDetail::default() }
}
