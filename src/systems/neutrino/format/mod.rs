//! Trace folders: which files belong to one, and which of its results a document shows.
//!
//! ```text
//! Apr25_114624_1921397/          month, day, time and number of the process
//!   event.log  probe.toml  read.py  tensor.trace  fabricperf_*.csv
//!   result/0.660526.bin  .dmat   a file for each probed launch: seconds since the process began
//!   kernel/0_bf524e8c…/          kernel.info, process.log, original, pruned and probed
//! ```
//! Every result is a document with all other files of its folder; a folder without results is one document.

mod reading;
mod sections;
mod warnings;

use crate::base::names::demangled;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{
    Claim, Degree, Format, Operators, Part, Probe, ProbeResult, Probed, SliceDetail, SliceReader, unreadable,
};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::files::{BLOCKS, Measure, OperatorHead};
use crate::systems::neutrino::kernel;
use memchr::memmem;
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
        args: None,
    }),
    mode_note: None,
    operators: Some(Operators {
        switch: "result",
        title: phrase("Results"),
        find: find_parts,
        head: part_head,
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
        return Ok((Degree::Certain, role::LOG, message("log lines of a process with probes")));
    }
    match by_path {
        Some(role::KERNEL) => {
            return Ok((Degree::Possible, role::KERNEL, message("a folder of a probed kernel")));
        }
        Some(role::DENSITY) => {
            return Ok((Degree::Possible, role::DENSITY, message("a result name")));
        }
        _ => {}
    }
    if ending(entry.name()) == "dmat" {
        return Ok((Degree::Possible, role::DENSITY, message("a result name")));
    }
    let bytes = read_range(&*entry.source, 0..Header::bytes(&head)).unwrap_or_default();
    match Header::parse(&bytes, entry.source.len()) {
        Ok(header) if header.begins_behind_itself() => {
            let reason = message("the first map starts after the header");
            Ok((Degree::Certain, role::RESULT, reason))
        }
        // A damaged one, when other files say that it is one.
        _ if by_path == Some(role::RESULT) => Ok((Degree::Possible, role::RESULT, message("a result name"))),
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

// The results of trace folders, each a document of its own.

/// What is read of a log at most for the launch of a result.
const LOG: u64 = 4 << 20;
/// What stands before the function of a launch.
const BEGINS: [&[u8]; 2] = [b"funcmap-find ", b"funcmap-not-find "];
/// What ends a launch.
const ENDS: [&[u8]; 2] = [b"] prologue ", b"] backup"];

/// A trace folder.
#[derive(Default)]
struct Root<'a> {
    path: &'a str,
    shared: Vec<EntryId>,
    /// Results with their paths; those of the same launch stand together.
    results: Vec<(&'a str, EntryId)>,
    has_anchor: bool,
}

/// The results of a bundle. Looks at paths, and at the heads of files whose path tells nothing.
fn find_parts(bundle: &Bundle) -> Vec<Part> {
    let mut roots: Vec<Root> = Vec::new();
    let mut rest: Vec<EntryId> = Vec::new();
    for (id, entry) in bundle.iter() {
        let by_path = place(&entry.path).map(|(_, role)| role);
        let is_result = |name: &str| matches!(ending(name), "bin" | "dmat");
        let by_content = || is_result(entry.name()).then(|| Some(look(entry).ok()?.1))?;
        let Some(role) = by_path.or_else(by_content) else {
            rest.push(id);
            continue;
        };
        let path = root(entry);
        let at = roots.iter().rposition(|root| root.path == path).unwrap_or_else(|| {
            roots.push(Root { path, ..Root::default() });
            roots.len() - 1
        });
        let Some(root) = roots.get_mut(at) else { continue };
        root.has_anchor |= matches!(role, role::LOG | role::KERNEL | role::RESULT | role::DENSITY);
        match role {
            role::RESULT | role::DENSITY | role::PICTURE => root.results.push((&entry.path, id)),
            _ => root.shared.push(id),
        }
    }
    roots.retain(|root| root.has_anchor);
    let mut parts: Vec<Part> = roots.iter().flat_map(|root| of_root(root, bundle)).collect();
    let is_trace = |id: &EntryId| bundle.get(*id).is_some_and(|entry| entry.name().contains(".json"));
    if !parts.is_empty() && rest.iter().any(is_trace) {
        let path = rest.first().and_then(|id| bundle.get(*id)).map_or("", |entry| split(&entry.path).0);
        parts.push(Part { path: format!("{path}/*"), entries: rest });
    }
    parts
}

/// A part for each launch with a result, else one for the folder.
fn of_root(root: &Root, bundle: &Bundle) -> Vec<Part> {
    let stem = |path: &'_ str| path.rsplit_once('.').map_or(path.len(), |(stem, _)| stem.len());
    let mut parts: Vec<Part> = Vec::new();
    for &(path, id) in &root.results {
        match parts.last_mut().filter(|part| part.path.get(..stem(&part.path)) == path.get(..stem(path))) {
            Some(part) => part.entries.push(id),
            None => parts.push(Part { path: path.to_owned(), entries: vec![id] }),
        }
    }
    if parts.is_empty() {
        let first = root.shared.first().and_then(|id| bundle.get(*id)).map_or("", |entry| &entry.path);
        let path = if root.path.is_empty() { first } else { root.path };
        parts.push(Part { path: path.to_owned(), entries: Vec::new() });
    }
    for part in &mut parts {
        part.entries.extend(&root.shared);
    }
    parts
}

/// What a result is, from its header and from the lines of the log before it was saved.
fn part_head(bundle: &Bundle, part: &Part) -> OperatorHead {
    let name = split(&part.path).1.to_owned();
    let mut head = OperatorHead { path: part.path.clone(), name, ..OperatorHead::default() };
    let entries = part.entries.iter().filter_map(|id| bundle.get(*id));
    for entry in entries.filter(|entry| entry.path == part.path) {
        let bytes = read_range(&*entry.source, 0..HEAD).unwrap_or_default();
        if let Ok(header) = Header::parse(&bytes, entry.source.len()) {
            let threads: u64 = header.block.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
            let measure = |name: &str, value: u64| Measure {
                name: name.to_owned(),
                unit: Unit::None,
                value: value as f64,
            };
            head.measures =
                vec![measure(BLOCKS, header.blocks()), measure(phrase("Threads per block"), threads)];
        }
    }
    let file = format!("/{} size ", head.name);
    let mut entries = part.entries.iter().filter_map(|id| bundle.get(*id));
    let log = entries.find(|entry| place(&entry.path).is_some_and(|(_, role)| role == role::LOG));
    let log = log.and_then(|log| read_range(&*log.source, 0..LOG.min(log.source.len())).ok());
    if let Some((number, kernel)) = log.and_then(|log| launch(&log, file.as_bytes())) {
        let name = demangled(&kernel);
        let launch = format!("{number} {}", name.as_ref().unwrap_or(&kernel));
        launch.trim_end().clone_into(&mut head.launch);
        head.symbol = name.map(|_| kernel).unwrap_or_default();
    }
    head
}

/// Number and kernel of the launch whose result was saved as this file.
fn launch(log: &[u8], file: &[u8]) -> Option<(usize, String)> {
    let before = log.get(..memmem::find(log, file)?)?;
    let word = |from: usize| {
        let text = before.get(from..)?.split(|byte| byte.is_ascii_whitespace() || *byte == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    };
    let ended = ENDS.iter().map(|end| memmem::find_iter(before, end).count()).sum::<usize>();
    let begun = BEGINS.iter().filter_map(|begin| Some(memmem::rfind(before, begin)? + begin.len())).max()?;
    // The function has its name where it was loaded, or where the kernel was probed.
    let function = word(begun)?;
    let mut lines = memmem::rfind_iter(before, function.as_bytes()).filter_map(|at| {
        let line = before.get(at..)?.split(|byte| *byte == b'\n').next()?;
        word(at + memmem::find(line, b" name ")? + 6)
    });
    let name = lines.next().unwrap_or_default();
    Some((ended + 1, name))
}
