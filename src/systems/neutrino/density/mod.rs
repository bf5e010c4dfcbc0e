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
use crate::analysis::contract::{Analysis, AnalysisInput, Step, Task};
use crate::base::words::{message, phrase};
use crate::model::parameter::{Parameter, ParameterKind};
use crate::views::density::compute::{Counter, Density, PAGE_SIZES, Window, page_shift};
use feed::Feed;
use warps::Warps;

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-density",
    title: phrase("Memory accesses over time"),
    parameters: &[&PAGE_SIZE, &TIME, &BLOCKS, &WARPS],
    applies: |trace| trace.extensions.get::<Folder>().is_some_and(|folder| feed::Input::of(folder).is_some()),
    tap: None,
    start: Some(|input| Box::new(Counting::new(input, None))),
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

/// Counting in progress: all records, or those of a window.
struct Counting {
    feed: Option<Feed>,
    counter: Option<Counter>,
    window: Option<Window>,
    /// Runs when all is counted; not for a window.
    warps: Option<Warps>,
    density: Option<Box<Density>>,
    problem: Option<String>,
}

impl Counting {
    fn new(input: &AnalysisInput, window: Option<Window>) -> Self {
        let folder = input.trace.extensions.get::<Folder>();
        let feed = folder.and_then(|folder| Feed::new(folder, input.values));
        let asked = page_shift(input.values.text(PAGE_SIZE.id));
        // A window has the pages of all.
        let known = input.result::<Density>().filter(|_| window.is_some());
        let counter = feed.as_ref().map(|feed| match feed {
            Feed::Records(..) => {
                let regions = folder.map_or_else(Vec::new, regions::regions);
                let regions = regions.iter().map(|region| (region.start, region.bytes));
                Counter::new(0, true, window).split_by(regions).fitting(asked, known)
            }
            // Counts are of whole pages.
            Feed::Counts(_) => Counter::new(own::PAGE_SHIFT, false, window).fitting(asked, known),
        });
        let warps = folder.filter(|_| window.is_none()).and_then(Warps::new);
        Self { feed, counter, window, warps, density: None, problem: None }
    }

    /// Counts the next piece; false when there is nothing more.
    fn count(&mut self) -> bool {
        let (Some(feed), Some(counter)) = (&mut self.feed, &mut self.counter) else { return false };
        let more = feed.step(&mut |clock, address, n, block| counter.add(clock, address, n, block));
        more.unwrap_or_else(|error| {
            self.problem = Some(error.0);
            false
        })
    }

    /// What was counted, with what the folder says of it.
    fn density(&mut self, input: &AnalysisInput) -> Option<Box<Density>> {
        let (folder, feed) = (input.trace.extensions.get::<Folder>()?, self.feed.as_ref()?);
        let mut density = self.counter.take()?.finish(&regions::regions(folder));
        density.title = message("Memory accesses");
        density.unit = feed.unit();
        density.has_blocks = matches!(feed, Feed::Records(..));
        density.empty = feed.empty();
        density.notes = feed.problems().iter().cloned().chain(feed::recorded(folder)).collect();
        if let Some(problem) = self.problem.take() {
            let note = message("The file could not be read to its end: {problem}");
            density.notes.push(note.with("problem", problem));
        }
        density.start_window = Some(|input, window| Box::new(Counting::new(input, Some(*window))));
        Some(Box::new(density))
    }
}

impl Task for Counting {
    fn step(&mut self, input: &AnalysisInput) -> Step {
        if self.density.is_none() {
            if self.count() {
                return Step::Again(self.feed.as_ref().map_or(1.0, Feed::share));
            }
            self.density = Some(self.density(input).unwrap_or_default());
        }
        if let Some(warps) = &mut self.warps
            && warps.step()
        {
            return Step::Again(1.0);
        }
        let mut density = self.density.take().unwrap_or_default();
        density.window = self.window;
        density.per_warp = self.warps.take().map(Warps::finish);
        Step::Done(density)
    }
}
