//! The lanes of one track, made row by row while the trace grows.
//!
//! Rows that come in order of start are placed at once and never again. When a row comes out of order (or rows have
//! groups, whose extent is known only at their end) the track is built anew, see [`super::rebuild`]: while loading each time
//! it has doubled, and when everything is loaded.

use super::cut::{self, Fold, Labels, Piece};
use super::order::longest_first;
use super::rebuild::{Groups, Rebuild};
use super::tree::Tree;
use crate::analysis::ends::Ends;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks, Window};
use crate::model::chunked::Chunked;
use crate::model::id::StrId;
use crate::model::slice::Slices;

/// One lane: slices that do not overlap, in order of time.
#[derive(Clone, Default)]
pub struct Lane {
    /// Rows of the track's slices.
    pub rows: LaneRows,
    /// Levels of detail over them.
    pub tree: Tree,
}

/// The rows of a lane, in order of time. As long as each is the next of its track, as where nothing overlaps, they are only
/// counted.
#[derive(Clone, Default)]
pub struct LaneRows {
    /// How many are the first of the track.
    n_first: u32,
    rest: Chunked<u32>,
}

impl LaneRows {
    /// None.
    pub const fn new() -> Self {
        Self { n_first: 0, rest: Chunked::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.n_first as usize + self.rest.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `i`-th; `None` behind the last.
    #[inline]
    pub fn get(&self, i: usize) -> Option<u32> {
        match i.checked_sub(self.n_first as usize) {
            None => Some(i as u32),
            Some(i) => self.rest.get(i).copied(),
        }
    }

    /// The first.
    pub fn first(&self) -> Option<u32> {
        self.get(0)
    }

    /// The last.
    pub fn last(&self) -> Option<u32> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.n_first).chain(self.rest.iter().copied())
    }

    /// How many come before the first for which something does not hold that holds for all before it.
    pub fn partition_point(&self, mut holds: impl FnMut(u32) -> bool) -> usize {
        let (mut first, mut end) = (0, self.len());
        while first < end {
            let middle = first + (end - first) / 2;
            if self.get(middle).is_some_and(&mut holds) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }

    #[inline]
    fn push(&mut self, row: u32) {
        if row == self.n_first && self.rest.is_empty() {
            self.n_first += 1;
        } else {
            self.rest.push(row);
        }
    }
}

impl FromIterator<u32> for LaneRows {
    fn from_iter<I: IntoIterator<Item = u32>>(rows: I) -> Self {
        let mut all = Self::new();
        rows.into_iter().for_each(|row| all.push(row));
        all
    }
}

/// The lanes of one track.
#[derive(Clone, Default)]
pub struct TrackLanes {
    lanes: Vec<Lane>,
    /// Lane of each row.
    lane_of: Numbers,
    picker: Picker,
    /// How many rows stand on lanes.
    n_placed: usize,
    /// How many rows found no lane.
    n_unplaced: u64,
    /// How many ticks slices of work cover the first lane.
    covered: Ticks,
    /// Start and length of the row that was placed last.
    last: (Ticks, Ticks),
    /// Whether rows must be put in order before they are placed.
    is_disordered: bool,
    /// When something is done, if the first lane alone does not tell.
    busy: Option<Busy>,
    /// The track as it is being built anew.
    rebuild: Option<Box<Rebuild>>,
}

/// Stretches of time in which at least one slice of work lasts.
#[derive(Clone, Default)]
pub(super) struct Busy {
    tree: Tree,
    /// How many rows it knows.
    n: usize,
    /// Ticks of the stretches.
    sum: Ticks,
}

/// Which rows of a track are work: while only others last it is not busy.
pub(super) type IsWork<'a> = &'a dyn Fn(usize) -> bool;

impl Busy {
    /// Takes in a slice; slices come in order of start.
    pub(super) fn push(&mut self, span: Span, is_work: bool) {
        self.n += 1;
        if !is_work {
            return;
        }
        match self.tree.newest() {
            Some(last) if span.start <= last.end => {
                self.sum = self.sum.saturating_add(span.end.saturating_sub(last.end).max(0));
                self.tree.stretch(span.end);
            }
            _ => {
                self.sum = self.sum.saturating_add(span.dur());
                self.tree.push_nameless(span);
            }
        }
    }

    /// How many ticks of a span they cover.
    pub(super) fn covered(&self, span: Span) -> Ticks {
        cut::covered(&self.tree, span)
    }
}

impl TrackLanes {
    /// Takes in the rows that were added to the slices of the track, as many as `left` allows, which is counted down.
    /// Says whether nothing is left to do.
    pub(super) fn extend(&mut self, slices: &Slices, is_work: IsWork, left: &mut usize) -> bool {
        self.is_disordered |= !slices.group.is_empty();
        let is_done = !self.is_disordered && self.extend_in_order(slices, is_work, left);
        if !self.is_disordered {
            return is_done;
        }
        if self.rebuild.is_none() && slices.len() <= 2 * self.n_placed {
            return true;
        }
        self.rebuild(slices, is_work, left)
    }

    /// Takes in rows until one comes out of order.
    fn extend_in_order(&mut self, slices: &Slices, is_work: IsWork, left: &mut usize) -> bool {
        while self.n_placed < slices.len() && 0 < *left {
            let (start, dur) = (slices.start[self.n_placed], slices.dur_of(self.n_placed));
            if 0 < self.n_placed && (start < self.last.0 || (start == self.last.0 && self.last.1 < dur)) {
                self.is_disordered = true;
                return false;
            }
            self.place_at(slices, is_work, (self.n_placed as u32, start, dur), None);
            *left -= 1;
        }
        self.keep_busy(slices, is_work, |i| i as u32, left) && self.n_placed == slices.len()
    }

    /// Other rows are work than was said until now: what is known of busy stretches is made anew.
    pub(super) fn renew_busy(&mut self) {
        self.busy = Some(Busy::default());
    }

    /// Everything is loaded and in order: as [`Self::extend`]. `is_first` is said by the first call only.
    pub(super) fn finish(
        &mut self,
        slices: &Slices,
        is_work: IsWork,
        is_first: bool,
        left: &mut usize,
    ) -> bool {
        // Rows that were not seen before the sort may have changed the places of the others.
        if is_first && (self.is_disordered || self.n_placed != slices.len()) {
            *self = Self::default();
        }
        let is_grouped = !slices.group.is_empty() && self.n_placed != slices.len();
        let is_done = if is_grouped {
            self.rebuild(slices, is_work, left)
        } else {
            self.extend_in_order(slices, is_work, left)
        };
        if !is_done {
            return false;
        }
        self.is_disordered = false;
        for lane in &mut self.lanes {
            lane.rows.rest.shrink_to_fit();
            lane.tree.shrink();
        }
        self.lane_of.shrink();
        true
    }

    /// Begins with the lanes of the slices that have none of these names, as if the others were not there.
    pub(super) fn begin_without(slices: &Slices, names: &[StrId]) -> Rebuild {
        let mut rows: Vec<u32> =
            (0..slices.len() as u32).filter(|&row| !names.contains(&slices.name[row as usize])).collect();
        longest_first(slices, &mut rows);
        Rebuild::of_rows(slices, rows)
    }

    /// The lanes, after the last step; those that were left out have none.
    pub(super) fn without(rebuild: Rebuild, slices: &Slices, names: &[StrId]) -> Self {
        let mut lanes = rebuild.finish();
        lanes.is_disordered = true;
        // The rows that were left out are placed: nowhere.
        for row in (0..slices.len()).filter(|&row| names.contains(&slices.name[row])) {
            lanes.lane_of.set(row, None);
        }
        lanes.n_placed = slices.len();
        if let Some(busy) = &mut lanes.busy {
            busy.n = lanes.n_placed;
        }
        lanes
    }

    /// Builds the track anew beside what is shown; says whether it is done.
    fn rebuild(&mut self, slices: &Slices, is_work: IsWork, left: &mut usize) -> bool {
        let mut rebuild = self.rebuild.take().unwrap_or_else(|| Box::new(Rebuild::new(slices)));
        if !rebuild.step(slices, is_work, left) {
            self.rebuild = Some(rebuild);
            return false;
        }
        *self = Self { is_disordered: true, ..rebuild.finish() };
        true
    }

    /// Places one row; rows come in order of start, then longest first.
    pub(super) fn place(&mut self, slices: &Slices, is_work: IsWork, row: u32, groups: Option<&mut Groups>) {
        let at = row as usize;
        self.place_at(slices, is_work, (row, slices.start[at], slices.dur_of(at)), groups);
    }

    /// The same with start and length of the row.
    fn place_at(
        &mut self,
        slices: &Slices,
        is_work: IsWork,
        (row, start, dur): (u32, Ticks, Ticks),
        groups: Option<&mut Groups>,
    ) {
        let at = row as usize;
        let span = Span { start, end: start.saturating_add(dur) };
        // A slice without length takes one tick, so that two at the same time are both seen.
        let end = span.end.max(span.start.saturating_add(1));
        let lane = match groups.and_then(|g| g.of(slices, at)) {
            Some(group) => group.place(&mut self.picker, span.start, end),
            None => self.picker.take(span.start, end),
        };
        self.n_placed += 1;
        self.last = (start, dur);
        self.lane_of.set(at, lane);
        let is_told = || lane == Some(0) || self.is_told_by_first(span);
        let is_work = is_work(at);
        if self.busy.is_none() && !(is_work && is_told()) {
            self.busy = Some(Busy::default());
        }
        let Some(lane) = lane else {
            self.n_unplaced += 1;
            return;
        };
        if self.lanes.len() <= lane {
            self.lanes.resize_with(lane + 1, Lane::default);
        }
        if lane == 0 && is_work {
            self.covered = self.covered.saturating_add(dur);
        }
        let Lane { rows, tree } = &mut self.lanes[lane];
        rows.push(row);
        tree.push(span, |i| rows.get(i).map_or_else(StrId::default, |row| slices.name[row as usize]));
    }

    /// Whether a slice that is not on the first lane lies wholly under the last slice there.
    fn is_told_by_first(&self, span: Span) -> bool {
        let newest = self.lanes.first().and_then(|lane| lane.tree.newest());
        newest.is_some_and(|newest| span.end <= newest.end)
    }

    /// Lets what is known of busy stretches catch up with the rows that were placed, the `i`-th of which is `row(i)`.
    /// Says whether it has.
    pub(super) fn keep_busy(
        &mut self,
        slices: &Slices,
        is_work: IsWork,
        row: impl Fn(usize) -> u32,
        left: &mut usize,
    ) -> bool {
        let Some(busy) = &mut self.busy else { return true };
        while busy.n < self.n_placed && 0 < *left {
            let row = row(busy.n) as usize;
            busy.push(slices.span(row), is_work(row));
            *left -= 1;
        }
        busy.n == self.n_placed
    }

    /// Only the lane of each row.
    pub(super) fn numbers_only(&self) -> Self {
        Self { lane_of: self.lane_of.clone(), n_placed: self.n_placed, ..Self::default() }
    }

    /// How many lanes there are.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Whether no slice stands on a lane.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// One lane.
    pub fn lane(&self, lane: usize) -> Option<&Lane> {
        self.lanes.get(lane)
    }

    /// The lane of a row; `None` when it found none, or was not placed yet.
    pub fn lane_of(&self, row: usize) -> Option<usize> {
        if self.n_placed <= row {
            return None;
        }
        self.lane_of.get(row)
    }

    /// How many ticks the track is busy, as far as its rows are known: tells busy tracks from idle ones.
    pub fn covered(&self) -> Ticks {
        let busy = self.busy.as_ref().filter(|busy| busy.n == self.n_placed);
        busy.map_or(self.covered, |busy| busy.sum)
    }

    /// How many rows stand on lanes; more may have come since.
    pub fn n_placed(&self) -> usize {
        self.n_placed
    }

    /// Whether the rows of the track are in order of start.
    pub fn is_in_order(&self) -> bool {
        !self.is_disordered
    }

    /// How many rows found no lane, because there are too many at once.
    pub fn n_unplaced(&self) -> u64 {
        self.n_unplaced
    }

    /// Rows that begin before a time and end after it; at most one on each lane.
    pub fn reaching(&self, time: Ticks) -> Vec<u32> {
        let before = |lane: &Lane| {
            let edge = lane.tree.edge(time);
            let row = edge.first.checked_sub(1).and_then(|i| lane.rows.get(i));
            row.filter(|_| time < edge.before.end)
        };
        self.lanes.iter().filter_map(before).collect()
    }

    /// What is drawn of a lane in a window of `columns` columns, appended to `out`; returns how many nodes and slices were looked at.
    pub fn cut(
        &self,
        slices: &Slices,
        lane: usize,
        window: &Window,
        columns: usize,
        out: &mut Vec<Piece>,
    ) -> u64 {
        let Some(lane) = self.lanes.get(lane) else { return 0 };
        cut::cut(&lane.tree, lane.labels(slices), window, columns, out)
    }

    /// When the track is busy, cut like a lane: rows and names of the pieces mean nothing.
    pub fn cut_busy(&self, window: &Window, columns: usize, out: &mut Vec<Piece>) -> u64 {
        static NONE: (LaneRows, Chunked<StrId>) = (LaneRows::new(), Chunked::new());
        let nameless = Labels { rows: &NONE.0, names: &NONE.1 };
        self.busy_tree().map_or(0, |tree| cut::cut(tree, nameless, window, columns, out))
    }

    /// When at least one slice of work lasts: the first lane tells, or else there is a tree of its own.
    fn busy_tree(&self) -> Option<&Tree> {
        let busy = self.busy.as_ref().filter(|busy| busy.n == self.n_placed);
        busy.map(|busy| &busy.tree).or(self.lanes.first().map(|lane| &lane.tree))
    }

    /// What lies on a lane in a span, exactly. Costs the slices in it.
    pub fn fold(&self, slices: &Slices, lane: usize, span: Span) -> Fold {
        let Some(lane) = self.lanes.get(lane) else { return Fold::default() };
        cut::fold(&lane.tree, lane.labels(slices), span)
    }

    /// How many ticks of the span a slice of the first lane lasts, also one of waiting.
    pub fn lasting(&self, span: Span) -> Ticks {
        self.lanes.first().map_or(0, |lane| cut::covered(&lane.tree, span))
    }

    /// How many ticks of the span at least one slice of work lasts. Costs the logarithm of the slices.
    pub fn busy(&self, span: Span) -> Ticks {
        self.busy_tree().map_or(0, |tree| cut::covered(tree, span))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|l| l.rows.rest.capacity() * 4 + l.tree.bytes()).sum();
        let busy = self.busy.as_ref().map_or(0, |busy| busy.tree.bytes());
        lanes + busy + self.lane_of.bytes() + self.lanes.capacity() * size_of::<Lane>()
    }
}

impl Lane {
    fn labels<'a>(&'a self, slices: &'a Slices) -> Labels<'a> {
        Labels { rows: &self.rows, names: &slices.name }
    }
}

// Gives out lanes, and remembers them: every slice gets the lowest lane that is free at its start.
//
// A lane is free when its last slice has ended; slices that only touch share a lane, slices that overlap never do, so
// nothing is ever drawn over something else. The lanes' ends are kept in a tree of minima, so that one slice costs the
// logarithm of the number of lanes: a nesting of 100,000 is no trouble.

/// Most lanes of one track. Slices that find none are counted and not drawn; they stay in tables and searches.
pub const MAX_LANES: usize = 1 << 18;

/// The ends of all lanes of a track.
#[derive(Clone, Default)]
pub(super) struct Picker {
    ends: Ends,
    used: usize,
}

impl Picker {
    /// The lowest lane whose last slice has ended at `start`; it is taken until `end`. `None` when there are too many lanes.
    pub(super) fn take(&mut self, start: Ticks, end: Ticks) -> Option<usize> {
        if start < self.ends.all() {
            if MAX_LANES <= self.ends.len() {
                return None;
            }
            self.ends.grow();
        }
        let lane = self.ends.first(|end| end <= start);
        self.used = self.used.max(lane + 1);
        self.ends.set(lane, end);
        Some(lane)
    }

    /// Lets a lane end later than it was taken for.
    pub(super) fn extend(&mut self, lane: usize, end: Ticks) {
        if self.ends.at(lane) < end {
            self.ends.set(lane, end);
        }
    }
}

/// The lane of each row, in a byte as long as there are few. The rows before the first that is not on the first lane are
/// only counted.
#[derive(Clone, Default)]
struct Numbers {
    /// How many rows from the first one on are on the first lane.
    n_first: usize,
    /// Of the rows behind them: [`NONE`] without a lane, [`MORE`] for a lane that needs more than a byte, then it stands in
    /// `far`.
    near: Chunked<u8>,
    /// Rows on the lanes from number [`MORE`] on, with their lanes.
    far: Map<u32, u32>,
}

const NONE: u8 = u8::MAX;
const MORE: u8 = u8::MAX - 1;

impl Numbers {
    /// Sets the lane of a row; `None` when it found none.
    #[inline]
    pub(super) fn set(&mut self, row: usize, lane: Option<usize>) {
        if lane == Some(0) && row <= self.n_first && (row < self.n_first || self.near.is_empty()) {
            self.n_first = self.n_first.max(row + 1);
            return;
        }
        let near = match lane {
            None => NONE,
            Some(lane) if lane < usize::from(MORE) => lane as u8,
            Some(lane) => {
                self.far.insert(row as u32, lane as u32);
                MORE
            }
        };
        if row < self.n_first {
            let n_counted = std::mem::replace(&mut self.n_first, row);
            let behind = std::iter::repeat_n(&0, n_counted - row).chain(&self.near).copied();
            self.near = behind.collect();
        }
        let at = row - self.n_first;
        if at == self.near.len() {
            self.near.push(near);
        } else {
            self.near.grow_to(at + 1, &NONE);
            self.near[at] = near;
        }
    }

    /// The lane of a row that was set.
    pub(super) fn get(&self, row: usize) -> Option<usize> {
        let Some(at) = row.checked_sub(self.n_first) else { return Some(0) };
        match *self.near.get(at)? {
            NONE => None,
            MORE => self.far.get(&(row as u32)).map(|&lane| lane as usize),
            lane => Some(usize::from(lane)),
        }
    }

    /// Gives back memory that was held for rows to come.
    pub(super) fn shrink(&mut self) {
        self.near.shrink_to_fit();
        self.far.shrink_to_fit();
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.near.capacity() + self.far.capacity() * 9
    }
}
