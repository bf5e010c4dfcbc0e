//! GPU multi-trace containers: a manifest and the buffers that an instrumented program wrote.
//!
//! ```text
//! manifest.json                  what was instrumented, what was planned, where the buffers are
//! d0.flow.bin  d0.mem.bin  …     buffers: one for each type of records, for each thread, or one for all
//! ```
//! As a folder, an archive, or loose files that are opened together.

mod buffer;

mod checks;
mod launch;
mod manifest;
mod opened;
mod programs;
mod reading;
mod rows;

mod shape;
mod sorter;

pub(super) use buffer::{HEAD, Head, UNWRITTEN};

use crate::base::map::Set;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry};
use crate::input::source::read_range;
use crate::systems::instrumentation::names::Named;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "gpu_multitrace",
    title: phrase("GPU multi-trace container"),
    written_by: "Lanescope, instrumented programs",
    patterns: &["manifest.json", "*.bin"],
    shows: "Plan, Trace, Source, memory accesses",
    source: "the specification of the container, version 1.0",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read: |claim, _| Box::new(Named(reading::Container::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of files.
mod role {
    /// The manifest.
    pub(super) const MANIFEST: &str = "manifest";
    /// A buffer.
    pub(super) const BUFFER: &str = "buffer";
}

/// How much of a file is looked at.
const LOOK: u64 = 4_096;
/// How much of one is looked at that is called like a manifest.
const MANIFEST_LOOK: u64 = 4 << 20;
/// Bytes of a manifest in which names of buffers are looked for.
const NAMES: u64 = 1 << 26;

fn look(entry: &Entry) -> ProbeResult {
    // Keys may stand in any order, the long ones first.
    let n_bytes = if entry.name() == "manifest.json" { MANIFEST_LOOK } else { LOOK };
    let head = read_range(&*entry.source, 0..n_bytes).map_err(|e| (0, unreadable(&e.0)))?;
    if head.starts_with(buffer::MAGIC) {
        return Ok((Degree::Likely, role::BUFFER, message("the head of a buffer")));
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head).trim_ascii_start();
    let is_object = text.first() == Some(&b'{');
    let named = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    match (is_object, named("\"gpu-multitrace\"")) {
        (true, true) => Ok((Degree::Certain, role::MANIFEST, message("the format is gpu-multitrace"))),
        (true, false) if named("\"dispatches\"") => {
            Err((30, message("byte 0: expected the format gpu-multitrace")))
        }
        _ => Err((0, message("byte 0: expected a manifest or the head of a buffer"))),
    }
}

/// The folder of a path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// One claim for each manifest, with the files that it names; buffers without one are a claim of their own.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let (mut manifests, mut buffers): (Vec<_>, Vec<_>) =
        std::mem::take(&mut probed.claims).into_iter().partition(|claim| claim.degree == Degree::Certain);
    for claim in &mut manifests {
        let Some((id, entry)) = claim.entries.first().and_then(|(id, _)| Some((*id, bundle.get(*id)?)))
        else {
            continue;
        };
        let text = read_range(&*entry.source, 0..NAMES).unwrap_or_default();
        let names: Set<&[u8]> = text.split(|byte| *byte == b'"').skip(1).collect();
        let root = folder(&entry.path);
        for (other, found) in bundle.iter().filter(|(other, _)| *other != id) {
            let below =
                if root.is_empty() { Some(found.path.as_str()) } else { found.path.strip_prefix(root) };
            let is_named = |path: &str| names.contains(path.trim_start_matches('/').as_bytes());
            if below.is_some_and(is_named) {
                claim.entries.push((other, role::BUFFER));
            }
        }
    }
    let taken: Set<_> = manifests.iter().flat_map(|claim| &claim.entries).map(|(id, _)| *id).collect();
    buffers.retain(|claim| claim.entries.iter().all(|(id, _)| !taken.contains(id)));
    let orphans: Vec<_> = buffers.iter().flat_map(|claim| claim.entries.clone()).collect();
    if let Some(first) = buffers.into_iter().next() {
        match manifests.as_mut_slice() {
            // Loose files from several folders: a single manifest means those that it names by their names alone.
            [only] => only.entries.extend(orphans),
            _ => manifests.push(Claim { entries: orphans, ..first }),
        }
    }
    probed.claims = manifests;
}
