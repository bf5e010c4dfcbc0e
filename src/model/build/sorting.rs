//! Puts the rows of tracks in order, and the tracks: in steps of some milliseconds, in place, without a second copy.

use super::{TraceBuilder, natural};
use crate::base::sort::{self as base, Sequencing};
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::track::Track;
use std::cmp::Ordering;
use std::ops::Range;

/// Rows that are compared or moved in one step.
const STEP: usize = 1 << 15;
/// Rows that are sorted by copies of what they are sorted by: 24 bytes a row, twice.
const KEYS: usize = 1 << 18;
/// Tracks whose names are compared in one step: that is dearer.
const TRACKS: usize = 1 << 11;
/// From so many tracks on they are put in order a piece at a time while they come.
const MANY_TRACKS: usize = 4096;
/// What a track costs beside its rows.
const TRACK: usize = 8;

/// Columns of equal length whose rows are put in order.
pub(in crate::model) trait Rows {
    /// How many rows there are.
    fn n_rows(&self) -> usize;
    /// The order of two rows.
    fn compare(&self, a: usize, b: usize) -> Ordering;
    /// What [`Rows::compare`] compares of a row.
    fn key(&self, row: usize) -> (Ticks, Ticks);
    /// Whether none of these rows belongs before the one that it follows. (Not through [`Rows::compare`] one by one: that
    /// is a call of an unknown function for each row.)
    fn are_in_order(&self, mut rows: Range<usize>) -> bool {
        rows.all(|row| self.compare(row - 1, row).is_le())
    }
    /// Before rows change places: fills up columns that are shorter than the others.
    fn fill(&mut self) {}
    /// Lets two rows change places.
    fn swap(&mut self, a: usize, b: usize);
    /// All is in order: gives back memory that was held for rows to come.
    fn shrink(&mut self);
}

/// What a step did.
pub enum Sorted {
    /// There is more to do.
    Again,
    /// The rows of this track change places with the next steps: what was computed of their numbers means nothing now.
    Moves(TrackId),
    /// Everything is in order.
    Done,
}

/// How far sorting is.
#[derive(Default)]
pub(super) struct Sorting {
    are_clocks_placed: bool,
    track: usize,
    /// Slices, instants, then each series of the track.
    part: usize,
    rows: Option<Moving>,
    tracks: Option<Arranging>,
}

/// Rows of one part of one track.
enum Moving {
    Sequence(Sequencing),
    /// Rows with what they are sorted by: faster than looking both up for each comparison, where memory allows it.
    Keys(base::Sorting<(Ticks, Ticks, u32)>),
    /// Row `order[i]` is to become row `i`. `at` is the first that may still be elsewhere; a chain of rows that take each
    /// other's places begins there and has come to `hole`.
    Move {
        order: Vec<u32>,
        at: usize,
        hole: usize,
    },
}

impl Sorting {
    /// Does some milliseconds of work. A machine, as the trace that it changes is lent for each step, and drawn in
    /// between.
    pub(super) fn step(&mut self, trace: &mut Trace) -> Sorted {
        let mut left = STEP;
        while 0 < left {
            let Some(track) = trace.tracks.rows.get_mut(self.track) else {
                let arranging = self.tracks.get_or_insert_with(|| Arranging::new(trace));
                return if arranging.step(trace) { Sorted::Again } else { Sorted::Done };
            };
            let Some(rows) = part(track, self.part) else {
                (self.track, self.part) = (self.track + 1, 0);
                left = left.saturating_sub(TRACK);
                continue;
            };
            let moving =
                self.rows.take().unwrap_or_else(|| Moving::Sequence(Sequencing::new(rows.n_rows(), STEP)));
            left = left.saturating_sub(rows.n_rows());
            match moving.step(rows) {
                (Some(moving), begins) => {
                    self.rows = Some(moving);
                    return if begins { Sorted::Moves(TrackId(self.track as u32)) } else { Sorted::Again };
                }
                (None, _) => {
                    rows.shrink();
                    self.part += 1;
                }
            }
        }
        Sorted::Again
    }
}

/// The columns of one part of a track.
fn part(track: &mut Track, part: usize) -> Option<&mut dyn Rows> {
    match part {
        0 => Some(&mut track.slices),
        1 => Some(&mut track.instants),
        _ => track.series.get_mut(part - 2).map(|series| series as &mut dyn Rows),
    }
}

impl Moving {
    /// Does the next piece; what is left to do, and whether rows change places from now on. A machine, as the rows are
    /// lent for each step.
    fn step(self, rows: &mut dyn Rows) -> (Option<Self>, bool) {
        match self {
            Self::Sequence(mut sequencing) => {
                if sequencing.step_with(|range| rows.are_in_order(range), |a, b| rows.compare(a, b)) {
                    if sequencing.is_disordered() && rows.n_rows() <= KEYS {
                        let keys = (0..rows.n_rows()).map(|row| (rows.key(row), row as u32));
                        let keys = keys.map(|((a, b), row)| (a, b, row)).collect();
                        return (Some(Self::Keys(base::Sorting::in_pieces(keys, STEP))), false);
                    }
                    return (Some(Self::Sequence(sequencing)), false);
                }
                let Some(order) = sequencing.finish() else { return (None, false) };
                rows.fill();
                (Some(Self::Move { order, at: 0, hole: 0 }), true)
            }
            Self::Keys(mut sorting) => {
                if sorting.step() {
                    return (Some(Self::Keys(sorting)), false);
                }
                let order = sorting.finish().into_iter().map(|(_, _, row)| row).collect();
                rows.fill();
                (Some(Self::Move { order, at: 0, hole: 0 }), true)
            }
            Self::Move { mut order, mut at, mut hole } => {
                for _ in 0..STEP {
                    let Some(next) = order.get_mut(hole) else { return (None, false) };
                    let from = std::mem::replace(next, hole as u32) as usize;
                    if from == at {
                        at += 1;
                        hole = at;
                    } else {
                        rows.swap(hole, from);
                        hole = from;
                    }
                }
                (Some(Self::Move { order, at, hole }), false)
            }
        }
    }
}

/// Sorting of tracks in progress, into the order they are shown in: siblings are sorted, then the tree is walked.
pub(super) struct Arranging {
    /// How many tracks there were when it began.
    n: usize,
    sequencing: Option<Sequencing>,
    /// All tracks, siblings beside each other.
    siblings: Vec<u32>,
    /// Where the children of each track begin among them; at first those without a parent.
    first: Vec<u32>,
    /// Tracks that come next, the last one first.
    open: Vec<u32>,
    shown: Vec<TrackId>,
}

impl Arranging {
    fn new(trace: &Trace) -> Self {
        let n = trace.tracks.rows.len();
        let sequencing = Some(Sequencing::new(n, TRACKS));
        Self { n, sequencing, siblings: Vec::new(), first: Vec::new(), open: Vec::new(), shown: Vec::new() }
    }

    /// Does the next piece; false when the tracks stand in their order. A machine, as the trace that it changes is lent
    /// for each step, and drawn in between.
    fn step(&mut self, trace: &mut Trace) -> bool {
        let tracks = &trace.tracks.rows;
        let family = |i: usize| tracks[i].parent.map_or(0, |parent| parent.index() + 1);
        if let Some(sequencing) = &mut self.sequencing {
            let name = |i: usize| trace.strings.get(tracks[i].name);
            let is_more = sequencing.step(|a, b| {
                let key = |i: usize| (family(i), tracks[i].order);
                key(a).cmp(&key(b)).then_with(|| natural(name(a), name(b)))
            });
            if is_more {
                return true;
            }
            let order = self.sequencing.take().and_then(Sequencing::finish);
            self.siblings = order.unwrap_or_else(|| (0..self.n as u32).collect());
            self.first = vec![0; self.n + 2];
            for i in 0..self.n {
                self.first[family(i) + 1] += 1;
            }
            for i in 1..self.first.len() {
                self.first[i] += self.first[i - 1];
            }
            self.open = self.children(0).rev().collect();
            return true;
        }
        for _ in 0..STEP {
            let Some(at) = self.open.pop() else {
                trace.tracks.shown = std::mem::take(&mut self.shown);
                return false;
            };
            self.shown.push(TrackId(at));
            let children = self.children(at as usize + 1).rev().collect::<Vec<_>>();
            self.open.extend(children);
        }
        true
    }

    fn children(&self, family: usize) -> impl DoubleEndedIterator<Item = u32> {
        let range = self.first[family] as usize..self.first[family + 1] as usize;
        self.siblings[range].iter().copied()
    }
}

impl TraceBuilder {
    /// Sorts every track and the tree, step by step; whatever was in order already costs one look. Afterwards no rows may
    /// be added.
    pub fn sort(&mut self) -> Sorted {
        if !std::mem::replace(&mut self.sorting.are_clocks_placed, true) {
            self.place_clocks();
        }
        self.sorting.step(&mut self.trace)
    }

    /// The same at once.
    pub fn finish(&mut self) {
        while !matches!(self.sort(), Sorted::Done) {}
    }

    /// Puts the tracks in order while more of them come: very many a piece at a time, and anew only each time there are
    /// half as many more. Says whether they are in order now.
    pub fn arrange_growing(&mut self) -> bool {
        if self.shared.is_some() {
            return true;
        }
        let (n, shown) = (self.trace.tracks.len(), self.trace.tracks.shown().len());
        if n < MANY_TRACKS {
            self.arrange();
            return true;
        }
        if self.arranging.is_none() && shown + shown / 2 < n {
            self.arranging = Some(Arranging::new(&self.trace));
        }
        let is_done = self.arranging.as_mut().is_some_and(|arranging| !arranging.step(&mut self.trace));
        if is_done {
            self.arranging = None;
        }
        is_done
    }

    /// The same for readers, which cannot know when somebody looks: as it costs all tracks, only where as many rows came
    /// since the last time, or as there were then. A thousand small files of one trace would put those of all before them in
    /// order a thousand times.
    pub fn arrange_if_worth(&mut self) -> bool {
        let n = self.trace.tracks.len();
        let came = self.n_rows - self.arranged;
        if n < MANY_TRACKS && came < self.arranged.min(n as u64) {
            return false;
        }
        self.arranged = self.n_rows;
        self.arrange_growing()
    }

    /// Puts the tracks in the order they are shown.
    pub fn arrange(&mut self) {
        let mut arranging = Arranging::new(&self.trace);
        while arranging.step(&mut self.trace) {}
    }
}
