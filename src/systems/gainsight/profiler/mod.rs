//! Counters over cycles, as the runtime profiler for GPGPU-Sim writes them: a file for each unit of a kernel.
//!
//! ```text
//! mvt_kernel0_l1d_sm0.csv                    kernel and level, then the unit with its number
//! cycle,hit,hit_res,miss,res_fail,sec_miss,mshr_hit
//! 5100,0,0,25,13,0,0                         counts since the kernel began
//! ```
//! Counts are shown as what each stretch between two rows adds.

mod figures;
mod reading;

use crate::analysis::contract::Analysis;
use crate::base::map::Map;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Operators, Probe, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry};
use crate::input::source::read_range;
use crate::model::id::TrackId;
use crate::systems::gainsight::parts;
use std::collections::BTreeMap;

/// The format.
pub(in crate::systems::gainsight) static FORMAT: Format = Format {
    id: "runtime_profiler",
    title: phrase("Counters over cycles"),
    written_by: "the runtime profiler for GPGPU-Sim",
    patterns: &["*_sm*.csv", "*_slice*.csv", "*_ch*.csv"],
    shows: "Counters of cores, cache slices and memory channels over time",
    source: "github.com/topcuburak/GPGPU-Sim_Runtime_MemAccess-EnergyConsumption_Profiler, and files of it",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read: |claim, _| Box::new(reading::Files::new(claim)),
    slices: None,
    mode_note: None,
    operators: Some(Operators {
        switch: "",
        title: phrase("Kernels"),
        find: parts::kernels,
        head: parts::head,
    }),
};

/// The figures.
pub(in crate::systems::gainsight) static ANALYSIS: Analysis = Analysis {
    id: "counters-over-cycles",
    title: phrase("Counters over cycles"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<Groups>().is_some(),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// Units that count the same things in one kernel, by what they are called together.
#[derive(Default)]
struct Groups(BTreeMap<String, Group>);

/// Units that count the same things.
#[derive(Default)]
struct Group {
    /// What a unit is called, such as `sm`.
    unit: String,
    /// The tracks of the units by their numbers.
    tracks: BTreeMap<u64, TrackId>,
}

/// The counters that are known.
const KNOWN: [&str; 8] =
    ["hit", "hit_res", "miss", "res_fail", "sec_miss", "mshr_hit", "row_hit", "row_miss"];

/// The only role.
const COUNTERS: &str = "counters";

/// Counters of a head, if it is one.
fn head(line: &str) -> Option<Vec<&str>> {
    let mut cells = line.trim_start_matches('\u{feff}').trim().split(',').map(str::trim);
    cells.next().filter(|cell| *cell == "cycle")?;
    let counters: Vec<&str> = cells.take(64).collect();
    let is_known = counters.iter().any(|counter| KNOWN.contains(counter));
    (is_known && counters.iter().all(|counter| !counter.is_empty())).then_some(counters)
}

/// What the units of a kernel and level are called together, what one is called, and its number.
fn unit_of(name: &str) -> (String, String, u64) {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (text, number) = stem.split_at(stem.len() - digits);
    let (group, unit) = text.rsplit_once('_').unwrap_or(("", text));
    (group.to_owned(), unit.to_owned(), number.parse().unwrap_or(0))
}

fn look(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..1_024).map_err(|e| (0, unreadable(&e.0)))?;
    let text = String::from_utf8_lossy(&bytes);
    let Some(counters) = head(text.lines().next().unwrap_or("")) else {
        return Err((0, message("line 1: expected cycle and counters")));
    };
    let degree =
        if counters.iter().all(|one| KNOWN.contains(one)) { Degree::Certain } else { Degree::Likely };
    Ok((degree, COUNTERS, message("a head of counters over cycles")))
}

/// Whether an entry has counters.
pub(super) fn is_counters(entry: &Entry) -> bool {
    look(entry).is_ok()
}

/// One claim for each folder.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut folders: Vec<Claim> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for claim in std::mem::take(&mut probed.claims) {
        let Some(entry) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let folder = entry.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let at = *known.entry(folder).or_insert(folders.len());
        match folders.get_mut(at) {
            Some(known) => {
                known.degree = known.degree.max(claim.degree);
                known.entries.extend(claim.entries);
            }
            None => folders.push(claim),
        }
    }
    probed.claims = folders;
}
