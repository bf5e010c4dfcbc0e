//! Any map: statistics of its fields, how their values are spread, two of them against each other, and sums by block and by
//! SM; where the meaning of the fields is known, what follows from it.

mod blocks;
pub(super) mod export;
pub(super) mod figures;
pub mod spread;
pub(super) mod sums;

use super::counters;
use super::folder::Folder;
use super::records::Walk;
use super::result::{ResultFile, Section};
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::base::job::{Job, Turn};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::figure::Choice;
use crate::model::parameter::{Parameter, ParameterKind};
use sums::MapSums;

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-maps",
    title: phrase("Map records"),
    parameters: &[&RECORDS],
    applies: |trace| trace.extensions.get::<Folder>().is_some_and(|folder| folder.result.is_some()),
    tap: None,
    start: Some(|input, trace| {
        let is_whole = input.values.text(RECORDS.id) == Some("all");
        Job::any(async move |turn| add(&trace, is_whole, &turn).await)
    }),
    add_tracks: None,
    faults: None,
    figures: list,
    advice: None,
    is_comparable: true,
};

/// Which records of large maps are looked at.
static RECORDS: Parameter = Parameter {
    id: "neutrino-records",
    title: phrase("Large maps"),
    help: phrase("maps of more than 256 MiB: read evenly spread parts, or all records"),
    kind: ParameterKind::Choice(&[("parts", phrase("Evenly spread parts")), ("all", phrase("All records"))]),
    rereads: false,
};

/// Bytes of a map of which all records are looked at in any case.
const WHOLE: u64 = 256 << 20;

/// The result: the maps in the order of the file.
pub(super) type Sums = Vec<MapSums>;

/// The maps one after the other, some records at a time.
async fn add(trace: &Trace, is_whole: bool, turn: &Turn) -> Sums {
    let mut all = Vec::new();
    let Some(file) = trace.extensions.get::<Folder>().and_then(|folder| folder.result.as_ref()) else {
        return all;
    };
    for section in &file.sections {
        let (mut walk, mut sums) = (Walk::of_all(file, section), MapSums::new(file, section));
        let skip = if is_whole { 0 } else { parts(section) };
        loop {
            let before = walk.at();
            let is_more = walk.read(&mut |record| sums.add(file, &record)).unwrap_or(false);
            let read = walk.at() - before;
            sums.seen += read;
            walk.skip(read.saturating_mul(skip));
            if !is_more {
                break;
            }
            turn.pause().await;
        }
        sums.meaning.finish();
        all.push(sums);
    }
    all
}

/// How many pieces are passed over for each that is read.
fn parts(section: &Section) -> u64 {
    (section.units.saturating_mul(section.unit_bytes) / WHOLE).saturating_sub(1)
}

/// The map that a figure is about, behind the prefix of its id.
pub(super) fn of_id<'a>(input: &AnalysisInput<'a>, id: &str, prefix: &str) -> Option<&'a MapSums> {
    let name = id.strip_prefix(prefix)?;
    input.result::<Sums>()?.iter().find(|sums| sums.section.map.name == name)
}

/// The result file of the document.
pub(super) fn file<'a>(input: &AnalysisInput<'a>) -> Option<&'a ResultFile> {
    input.trace.extensions.get::<Folder>()?.result.as_ref()
}

/// The head of a figure of a map.
pub(super) fn head(
    (prefix, title, kind): (&str, &str, &'static str),
    sums: &MapSums,
    columns: u8,
    choices: Vec<Choice>,
) -> FigureHead {
    let id = format!("{prefix}{}", sums.section.map.name);
    FigureHead { id, title: title.to_owned(), kind, section: phrase("Map records"), columns, choices }
}

fn list(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some((maps, file)) = input.result::<Sums>().zip(file(input)) else { return Vec::new() };
    let of_map = |sums: &MapSums| {
        let of_meaning = counters::figures(sums);
        let general = figures::list(sums).into_iter().chain(blocks::list(file, sums));
        of_meaning.into_iter().chain(general).collect::<Vec<_>>()
    };
    maps.iter().filter(|sums| 0 < sums.records).flat_map(of_map).collect()
}
