//! The lanes of one track, made row by row while the trace grows.
//!
//! Rows that come in order of start are placed at once and never again. When a row comes out of order (or rows have
//! groups, whose extent is known only at their end) the track is built anew: while loading each time it has doubled, and
//! when everything is loaded.

use super::cut::{self, Fold, Labels, Piece};
use super::lanes::{Numbers, Picker};
use super::tree::Tree;
use crate::base::map::Map;
use crate::base::time::Window;
use crate::base::time::{Span, Ticks};
use crate::model::id::StrId;
use crate::model::slice::Slices;

/// One lane: slices that do not overlap, in order of time.
#[derive(Default)]
pub struct Lane {
    /// Rows of the track's slices.
    pub rows: Vec<u32>,
    /// Levels of detail over them.
    pub tree: Tree,
}

/// The lanes of one track.
#[derive(Default)]
pub struct TrackLanes {
    lanes: Vec<Lane>,
    /// Lane of each row.
    lane_of: Numbers,
    picker: Picker,
    /// How many rows stand on lanes.
    n_placed: usize,
    /// How many rows found no lane.
    n_unplaced: u64,
    /// How many ticks the first lane is covered.
    covered: Ticks,
    /// Start and length of the row that was placed last.
    last: (Ticks, Ticks),
    /// Whether rows must be put in order before they are placed.
    is_disordered: bool,
    /// When something is going on, if the first lane alone does not tell.
    busy: Option<Busy>,
}

/// Stretches of time in which at least one slice lasts.
#[derive(Default)]
struct Busy(Tree);

impl Busy {
    /// Takes in a slice; slices come in order of start.
    fn push(&mut self, span: Span) {
        match self.0.newest() {
            Some(last) if span.start <= last.end => self.0.stretch(span.end),
            _ => self.0.push(span, |_| StrId(0)),
        }
    }
}

impl TrackLanes {
    /// Takes in the rows that were added to the slices of the track.
    pub(super) fn extend(&mut self, slices: &Slices) {
        if !slices.group.is_empty() {
            self.is_disordered = true;
        }
        let mut row = self.n_placed;
        while !self.is_disordered && row < slices.len() {
            let (start, dur) = (slices.start[row], slices.dur[row]);
            let is_first = row == 0;
            if !is_first && (start < self.last.0 || (start == self.last.0 && self.last.1 < dur)) {
                self.is_disordered = true;
                break;
            }
            self.place(slices, row as u32, None);
            if self.busy.is_none() && !self.is_told_by_first(slices.span(row)) {
                self.find_busy(slices, 0..=row as u32);
            }
            row += 1;
        }
        if self.is_disordered && 2 * self.n_placed < slices.len() {
            self.rebuild(slices);
        }
    }

    /// Everything is loaded and in order.
    pub(super) fn finish(&mut self, slices: &Slices) {
        // Rows that were not seen before the sort may have changed the places of the others.
        if self.is_disordered || self.n_placed != slices.len() {
            self.rebuild(slices);
            self.is_disordered = false;
        }
        for lane in &mut self.lanes {
            lane.rows.shrink_to_fit();
            lane.tree.shrink();
        }
        self.lane_of.shrink();
    }

    /// The lanes of the slices that have none of these names, as if the others were not there: those have no lane.
    pub(super) fn without(slices: &Slices, names: &[StrId]) -> Self {
        let mut lanes = Self::default();
        lanes.rebuild_of(slices, |row| !names.contains(&slices.name[row as usize]));
        // The rows that were left out are placed: nowhere.
        for row in (0..slices.len()).filter(|&row| names.contains(&slices.name[row])) {
            lanes.lane_of.set(row, None);
        }
        lanes.n_placed = slices.len();
        lanes
    }

    fn rebuild(&mut self, slices: &Slices) {
        self.rebuild_of(slices, |_| true);
    }

    fn rebuild_of(&mut self, slices: &Slices, is_meant: impl Fn(u32) -> bool) {
        let mut order: Vec<u32> = (0..slices.len() as u32).filter(|&row| is_meant(row)).collect();
        let key = |&row: &u32| (slices.start[row as usize], std::cmp::Reverse(slices.dur[row as usize]));
        if !order.is_sorted_by_key(key) {
            order.sort_by_key(key);
        }
        let mut groups = Groups::find(slices, &order);
        *self = Self { is_disordered: true, ..Self::default() };
        for &row in &order {
            self.place(slices, row, Some(&mut groups));
        }
        if order.iter().any(|&row| !self.is_nested(slices, row)) {
            self.find_busy(slices, order);
        }
    }

    fn place(&mut self, slices: &Slices, row: u32, groups: Option<&mut Groups>) {
        let at = row as usize;
        let span = slices.span(at);
        // A slice without length takes one tick, so that two at the same time are both seen.
        let end = span.end.max(span.start.saturating_add(1));
        let lane = match groups.and_then(|g| g.of(slices, at)) {
            Some(group) => group.place(&mut self.picker, span.start, end),
            None => self.picker.take(span.start, end),
        };
        self.n_placed += 1;
        self.last = (span.start, slices.dur[at]);
        let Some(lane) = lane else {
            self.n_unplaced += 1;
            self.lane_of.set(at, None);
            return;
        };
        if self.lanes.len() <= lane {
            self.lanes.resize_with(lane + 1, Lane::default);
        }
        self.lane_of.set(at, Some(lane));
        if lane == 0 {
            self.covered = self.covered.saturating_add(slices.dur[at]);
        }
        let Lane { rows, tree } = &mut self.lanes[lane];
        rows.push(row);
        tree.push(span, |i| slices.name[rows[i] as usize]);
        if let Some(busy) = &mut self.busy {
            busy.push(span);
        }
    }

    /// Whether the slice placed last lies on the first lane or wholly under its last slice.
    fn is_told_by_first(&self, span: Span) -> bool {
        span.end <= self.picker.end(0)
    }

    /// Whether a slice lies on the first lane or wholly under a slice there.
    fn is_nested(&self, slices: &Slices, row: u32) -> bool {
        if self.lane_of(row as usize) == Some(0) {
            return true;
        }
        let span = slices.span(row as usize);
        let Some(first) = self.lanes.first() else { return false };
        let edge = first.tree.edge_after(span.start);
        0 < edge.first && span.end <= edge.before.end
    }

    fn find_busy(&mut self, slices: &Slices, order: impl IntoIterator<Item = u32>) {
        let mut busy = Busy::default();
        for row in order {
            busy.push(slices.span(row as usize));
        }
        self.busy = Some(busy);
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

    /// How many ticks the first lane is covered: tells busy tracks from idle ones.
    pub fn covered(&self) -> Ticks {
        self.covered
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
            row.copied().filter(|_| time < edge.before.end)
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

    /// When anything of the track lasts, cut like a lane: rows and names of the pieces mean nothing.
    pub fn cut_busy(&self, window: &Window, columns: usize, out: &mut Vec<Piece>) -> u64 {
        let nameless = Labels { rows: &[], names: &[] };
        self.busy_tree().map_or(0, |tree| cut::cut(tree, nameless, window, columns, out))
    }

    /// When at least one slice lasts: the first lane tells, or else there is a tree of its own.
    fn busy_tree(&self) -> Option<&Tree> {
        self.busy.as_ref().map(|busy| &busy.0).or(self.lanes.first().map(|lane| &lane.tree))
    }

    /// What lies on a lane in a span, exactly. Costs the slices in it.
    pub fn fold(&self, slices: &Slices, lane: usize, span: Span) -> Fold {
        let Some(lane) = self.lanes.get(lane) else { return Fold::default() };
        cut::fold(&lane.tree, lane.labels(slices), span)
    }

    /// How many ticks of the span at least one slice lasts. Costs the logarithm of the slices.
    pub fn busy(&self, span: Span) -> Ticks {
        self.busy_tree().map_or(0, |tree| cut::covered(tree, span))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|l| l.rows.capacity() * 4 + l.tree.bytes()).sum();
        let busy = self.busy.as_ref().map_or(0, |busy| busy.0.bytes());
        lanes + busy + self.lane_of.bytes() + self.lanes.capacity() * size_of::<Lane>()
    }
}

impl Lane {
    fn labels<'a>(&'a self, slices: &'a Slices) -> Labels<'a> {
        Labels { rows: &self.rows, names: &slices.name }
    }
}

/// Slices of one group are one interval when lanes are given out.
#[derive(Default)]
struct Groups(Map<StrId, Group>);

struct Group {
    end: Ticks,
    lane: Option<usize>,
    /// When the last member on the lane of the group ends.
    taken: Ticks,
}

impl Groups {
    fn find(slices: &Slices, rows: &[u32]) -> Self {
        let mut groups: Map<StrId, Group> = Map::default();
        let rows = if slices.group.is_empty() { &[] } else { rows };
        for row in rows.iter().map(|&row| row as usize) {
            let id = Slices::sparse(&slices.group, row);
            if id != StrId(0) {
                let end = slices.span(row).end;
                let group = groups.entry(id).or_insert(Group { end, lane: None, taken: Ticks::MIN });
                group.end = group.end.max(end);
            }
        }
        Self(groups)
    }

    fn of(&mut self, slices: &Slices, row: usize) -> Option<&mut Group> {
        let id = Slices::sparse(&slices.group, row);
        if id == StrId(0) { None } else { self.0.get_mut(&id) }
    }
}

impl Group {
    /// The lane of the group for a member that has room there; members that overlap get lanes of their own.
    fn place(&mut self, picker: &mut Picker, start: Ticks, end: Ticks) -> Option<usize> {
        let Some(lane) = self.lane else {
            self.lane = picker.take(start, end.max(self.end));
            self.taken = end;
            return self.lane;
        };
        if self.taken <= start && start < self.end {
            self.taken = end;
            picker.extend(lane, end);
            return Some(lane);
        }
        picker.take(start, end)
    }
}
