//! What the files said, as tables; and figures.
//!
//! A [`Trace`] is made only by [`build::TraceBuilder`]: while loading it is extended, after `finish` it never changes.
//! Fields stand in reading order. Nothing here can be recomputed from something else here: that is `analysis`.

pub mod access;
pub mod allocation;
pub mod build;
pub mod chunked;
pub mod clock;
pub mod code;
pub mod counter;
pub mod extension;
pub mod figure;
pub mod files;
pub mod flow;
pub mod id;
pub mod parameter;
pub mod slice;
pub mod stacks;
pub mod strings;
pub mod symbols;
pub mod table;
pub mod track;

use crate::base::terms::Terms;
use crate::base::time::{Clock, Span};

/// The whole of what one opening yielded.
#[derive(Default)]
pub struct Trace {
    /// What a person would call it, such as the name of the kernel; empty when the files do not say.
    pub title: String,
    /// A few facts that tell traces apart at a glance, shown beside the title: chip, kind, duration.
    pub headline: Vec<String>,
    /// The system's words.
    pub terms: Terms,
    /// What one tick of the axis means, on which all rows lie: of the first clock, unless another is finer.
    pub clock: Clock,
    /// The clocks of the tracks when there are several.
    pub clocks: clock::Clocks,
    /// What decides the colors of slices by default, and what else they carry.
    pub coloring: Coloring,
    /// All names.
    pub strings: strings::Strings,
    /// The tree of rows, with their slices, instants and samples.
    pub tracks: track::Tracks,
    /// Call stacks of samples.
    pub stacks: stacks::Stacks,
    /// Arrows between them.
    pub flows: flow::Flows,
    /// Memory that was asked for and given back.
    pub allocations: allocation::Allocations,
    /// Tables that only one system knows.
    pub extensions: extension::Extensions,
    /// Memory accesses.
    pub accesses: access::Accesses,
    /// Source and instructions.
    pub code: code::Code,
    /// Long tables.
    pub tables: Vec<table::Table>,
    /// Figures that the files themselves hold.
    pub figures: Vec<figure::Family>,
    /// What the container is made of.
    pub blocks: Vec<files::block::Block>,
    /// What was left out of the trace, with its reason and how often: nothing is dropped in silence.
    pub dropped: Vec<(String, u64)>,
    /// What files of the format can hold and each of these does not. Another file may have it.
    pub missing: Vec<files::Missing>,
    /// From the first to the last tick of any row.
    pub span: Option<Span>,
}

/// What the files say of colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coloring {
    /// Whether slices carry color names.
    pub has_color_names: bool,
    /// Id of what should decide the colors unless the user says otherwise: [`Coloring::ROW`] or a color scheme of a
    /// system; empty for the name.
    pub best: &'static str,
}

impl Coloring {
    /// Rows (pipes) have colors of their own.
    pub const ROW: &'static str = "row";

    /// Whether rows should decide.
    pub fn by_row(&self) -> bool {
        self.best == Self::ROW
    }
}

impl Trace {
    /// A slice or an instant; `None` for a number that is not of this trace.
    pub fn event(&self, id: id::SliceId) -> Option<slice::Event> {
        let track = self.tracks.find(id.track)?;
        match id.instant() {
            Some(row) => slice::Event::of_instant(&track.instants, row),
            None => slice::Event::of_slice(&track.slices, id.row as usize),
        }
    }

    /// How many slices lie on all tracks, without those that are computed of others.
    pub fn n_slices(&self) -> u64 {
        let read = self.tracks.iter().filter(|(_, t)| !t.is_derived);
        read.map(|(_, t)| t.slices.len() as u64).sum()
    }

    /// How many instants lie on all tracks.
    pub fn n_instants(&self) -> u64 {
        self.tracks.iter().map(|(_, t)| t.instants.len() as u64).sum()
    }

    /// How many samples all counters have.
    pub fn n_samples(&self) -> u64 {
        self.tracks.iter().flat_map(|(_, t)| &t.series).map(|s| s.time.len() as u64).sum()
    }

    /// The clock that a track counts in.
    pub fn clock_of(&self, id: id::TrackId) -> clock::TraceClock {
        let own = self.tracks.find(id).and_then(|track| self.clocks.rows().get(track.clock.index()));
        own.copied().unwrap_or_else(|| self.axis_clock())
    }

    /// The clock that times are told in where no track is meant: the first, if anything counts in it.
    pub fn first_clock(&self) -> clock::TraceClock {
        let first = self.clocks.rows().first().filter(|clock| clock.span.is_some());
        first.copied().unwrap_or_else(|| self.axis_clock())
    }

    /// The axis as a clock.
    pub fn axis_clock(&self) -> clock::TraceClock {
        clock::TraceClock {
            unit: self.clock,
            span: self.span,
            relation: Some(clock::SAME),
            ..Default::default()
        }
    }

    /// The names from the top of the tree down to a track, joined by ` / `.
    pub fn track_path(&self, id: id::TrackId) -> String {
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(track) = at.and_then(|id| self.tracks.find(id)) {
            names.push(self.strings.get(track.name));
            at = track.parent;
        }
        names.reverse();
        names.join(" / ")
    }
}
