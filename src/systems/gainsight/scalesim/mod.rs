//! Results of SCALE-Sim, a simulator of systolic arrays: reports of layers, and traces of their buffers.
//!
//! ```text
//! run/COMPUTE_REPORT.csv  BANDWIDTH_REPORT.csv  DETAILED_ACCESS_REPORT.csv  input_config.cfg
//! run/layer0/IFMAP_DRAM_TRACE.csv    -192.0,0.0,1.0,2.0,…     cycle, words that move between memory and buffer
//! run/layer0/IFMAP_SRAM_TRACE.csv    9,0,-1,-1,…              cycle, words that move between buffer and array
//! ```
//! IFMAP and FILTER are written from memory and read by the array, OFMAP is written by the array and read to memory. All
//! files of a folder are one run; the two traces of a buffer are read side by side, as their cycles ascend.
//!
//! | what stands there | what becomes of it |
//! | --- | --- |
//! | −1 | no access |
//! | rows of −1, then 1 in all other columns, in what memory brings to IFMAP | fill up the end: left out unless asked for |
//! | cycles below 0 | fetched before the array begins |
//! | a folder without traces | its reports alone: the simulator deletes traces unless told otherwise |

mod buffer;
mod figures;
mod maps;
mod reading;
mod report;
pub mod row;
mod run;
mod side;

use crate::analysis::contract::Analysis;
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry};
use crate::input::source::read_range;
use crate::model::parameter::{Parameter, ParameterKind};
use crate::views::lifetimes::compute::parameters::LIFETIME;

/// The format.
pub(in crate::systems::gainsight) static FORMAT: Format = Format {
    id: "scalesim",
    title: phrase("SCALE-Sim results"),
    written_by: "SCALE-Sim, version 2",
    patterns: &["*_REPORT.csv", "*_SRAM_TRACE.csv", "*_DRAM_TRACE.csv", "*.cfg"],
    shows: "Cycles, utilization and bandwidth of layers, lifetimes and accesses of buffers",
    source: "github.com/scalesim-project/scale-sim-v2, and runs of it",
    probe: Probe { look, join: Some(join) },
    parameters: &[&KEEP_PADDING, &WORD_BYTES, &LIFETIME],
    read: |claim, values| Box::new(reading::Folder::new(claim, values)),
    slices: None,
    mode_note: None,
    operators: None,
};

/// The figures.
pub(in crate::systems::gainsight) static ANALYSIS: Analysis = Analysis {
    id: "scalesim",
    title: phrase("Systolic array"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<run::Runs>().is_some(),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// Whether rows that only fill up a trace count.
pub(super) static KEEP_PADDING: Parameter = Parameter {
    id: "keep-padding",
    title: phrase("Keep padding rows"),
    help: phrase("count rows of -1 and ones, which only fill up the end of a trace"),
    kind: ParameterKind::Flag,
    rereads: true,
};

/// Bytes of a word: traces count words, the configuration bytes.
pub(super) static WORD_BYTES: Parameter = Parameter {
    id: "word-bytes",
    title: phrase("Bytes of a word"),
    help: phrase("buffer sizes come from the configuration, which counts bytes; traces count words"),
    kind: ParameterKind::Number { unit: Unit::Bytes, min: 1.0, max: 4096.0, default: 1.0, none: "" },
    rereads: true,
};

/// Roles of files.
mod role {
    /// A report of layers.
    pub(super) const REPORT: &str = "report";
    /// What moves between a buffer and the array or memory.
    pub(super) const TRACE: &str = "trace";
    /// The configuration.
    pub(super) const SETTINGS: &str = "configuration";
}

/// How much of a file is looked at.
const LOOK: u64 = 4_096;

/// The buffer of a trace and whether it is the side of the memory, by the name of its file.
fn trace_of(name: &str) -> Option<(usize, bool)> {
    let (buffer, side) = name.strip_suffix("_TRACE.csv")?.split_once('_')?;
    let buffer = run::BUFFERS.iter().position(|known| *known == buffer)?;
    match side {
        "DRAM" => Some((buffer, true)),
        "SRAM" => Some((buffer, false)),
        _ => None,
    }
}

/// The folder of the run that a file belongs to, and the layer when it lies in the folder of one.
fn place_of(path: &str) -> (&str, Option<u64>) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (above, own) = folder.rsplit_once('/').unwrap_or(("", folder));
    match own.strip_prefix("layer").and_then(|number| number.parse().ok()) {
        Some(layer) => (above, Some(layer)),
        None => (folder, None),
    }
}

fn look(entry: &Entry) -> ProbeResult {
    let is_trace = trace_of(entry.name()).is_some();
    let head = read_range(&*entry.source, 0..LOOK).map_err(|e| (0, unreadable(&e.0)))?;
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or("");
    if report::kind(first).is_some() {
        return Ok((Degree::Certain, role::REPORT, message("the head of a report of layers")));
    }
    if is_trace {
        // The first row may be longer than what is looked at.
        let line = if first.len() as u64 == LOOK {
            first.rsplit_once(',').map_or("", |(all, _)| all)
        } else {
            first
        };
        return if row::row(line.as_bytes(), &mut Vec::new()).is_some() {
            Ok((Degree::Certain, role::TRACE, message("the name of a trace, and a cycle with addresses")))
        } else {
            Err((60, message("line 1: expected a cycle and addresses")))
        };
    }
    let has = |key: &str| text.contains(key);
    if has("[general]") && has("run_name") && has("ArrayHeight") {
        return Ok((Degree::Likely, role::SETTINGS, message("the configuration of a run")));
    }
    Err((0, message("line 1: expected LayerID")))
}

/// One claim for each folder of a run, with all of its files. A configuration alone is none.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut folders: Vec<Claim> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for claim in std::mem::take(&mut probed.claims) {
        let Some(entry) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let at = *known.entry(place_of(&entry.path).0).or_insert(folders.len());
        match folders.get_mut(at) {
            Some(known) => {
                if known.degree < claim.degree {
                    (known.degree, known.reason) = (claim.degree, claim.reason);
                }
                known.entries.extend(claim.entries);
            }
            None => folders.push(claim),
        }
    }
    folders.retain(|claim| claim.entries.iter().any(|(_, role)| *role != role::SETTINGS));
    probed.claims = folders;
}
