//! Memory accesses over time (DMAT): records that hold an address and a time, counted by page and clock while the file is
//! read in pieces; and the counts that the tool itself makes of them (`.dmat`).

mod export;
mod feed;
mod figures;
mod own;
mod regions;
pub mod select;
mod warps;

pub(super) use export::DMAT_CSV;
pub(super) use own::Counts;

use super::folder::Folder;
use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::job::{Job, Turn};
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::parameter::{Parameter, ParameterKind};
use crate::views::density::compute::{Counter, Density, PAGE_SIZES, Window, page_shift};
use feed::Feed;
use std::any::Any;
use std::rc::Rc;
use warps::Warps;

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-density",
    title: phrase("Memory accesses over time"),
    parameters: &[&PAGE_SIZE, &TIME, &BLOCKS, &WARPS],
    applies: |trace| trace.extensions.get::<Folder>().is_some_and(|folder| feed::Input::of(folder).is_some()),
    tap: None,
    start: Some(|input, trace| start(input, trace, None)),
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// Bytes of a page.
static PAGE_SIZE: Parameter = Parameter {
    id: "page-size",
    title: phrase("Page size"),
    help: phrase("bytes that count as one page"),
    kind: ParameterKind::Choice(PAGE_SIZES),
    rereads: false,
};

/// What the time of an access is.
static TIME: Parameter = Parameter {
    id: "access-time",
    title: phrase("Time of accesses"),
    help: phrase("as recorded, since the first access of each thread, or on the clock of the whole GPU"),
    kind: ParameterKind::Choice(&[
        ("recorded", phrase("As recorded")),
        ("thread", phrase("Since first access")),
        ("timer", phrase("Global timer")),
    ]),
    rereads: false,
};

/// The blocks whose accesses count.
static BLOCKS: Parameter = Parameter {
    id: "access-blocks",
    title: phrase("Thread blocks"),
    help: phrase("blocks that are counted, such as 0-131,200; empty for all"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// The warps of a block whose accesses count.
static WARPS: Parameter = Parameter {
    id: "access-warps",
    title: phrase("Warps"),
    help: phrase("warps of a block that are counted, such as 0-3; empty for all"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// Begins to count all records, or those of a window.
fn start(input: &AnalysisInput, trace: Rc<Trace>, window: Option<Window>) -> Job<Box<dyn Any>> {
    let folder = input.trace.extensions.get::<Folder>();
    let feed = folder.and_then(|folder| Feed::new(folder, input.values));
    let asked = page_shift(input.values.text(PAGE_SIZE.id));
    // A window has the pages of all.
    let known = input.result::<Density>().filter(|_| window.is_some());
    let begun = feed.map(|feed| {
        let counter = match feed {
            Feed::Records(..) => {
                let regions = folder.map_or_else(Vec::new, regions::regions);
                let regions = regions.iter().map(|region| (region.start, region.bytes));
                Counter::new(0, true, window).split_by(regions).fitting(asked, known)
            }
            // Counts are of whole pages.
            Feed::Counts(_) => Counter::new(own::PAGE_SHIFT, false, window).fitting(asked, known),
        };
        (feed, counter)
    });
    Job::any(async move |turn| match trace.extensions.get::<Folder>().zip(begun) {
        Some((folder, begun)) => count(folder, begun, window, &turn).await,
        None => Density::default(),
    })
}

/// What is counted, with what the folder says of it.
async fn count(
    folder: &Folder,
    (mut feed, mut counter): (Feed, Counter),
    window: Option<Window>,
    turn: &Turn,
) -> Density {
    let problem = loop {
        match feed.read(&mut |clock, address, n, block| counter.add(clock, address, n, block)) {
            Ok(true) => turn.pause().await,
            Ok(false) => break None,
            Err(error) => break Some(error.0),
        }
    };
    let mut density = counter.finish(&regions::regions(folder));
    density.title = message("Memory accesses");
    density.unit = feed.unit();
    density.has_blocks = matches!(feed, Feed::Records(..));
    density.empty = feed.empty();
    density.notes = feed.problems().iter().cloned().chain(feed::recorded(folder)).collect();
    if let Some(problem) = problem {
        let note = message("The file could not be read to its end: {problem}");
        density.notes.push(note.with("problem", problem));
    }
    density.start_window = Some(|input, trace, window| start(input, trace, Some(*window)));
    density.window = window;
    if let Some(mut warps) = Warps::new(folder).filter(|_| window.is_none()) {
        while warps.look_at_some() {
            turn.pause().await;
        }
        density.per_warp = Some(warps.finish());
    }
    density
}
