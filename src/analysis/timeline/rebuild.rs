//! A track whose rows come in no order, or in groups, is built anew, piece by piece; meanwhile its lanes of before are shown.

use super::track::{IsWork, Picker, TrackLanes};
use crate::base::map::Map;
use crate::base::sort::Sequencing;
use crate::base::time::Ticks;
use crate::model::id::StrId;
use crate::model::slice::Slices;

/// Rows that are compared in one piece.
const PIECE: usize = 1 << 15;

/// Lanes that are being built: the rows are put in order, groups are measured, then rows are placed.
#[derive(Clone)]
pub(super) struct Rebuild {
    sequencing: Option<Sequencing>,
    /// The rows in their order; `None` when they come in it.
    order: Option<Vec<u32>>,
    /// How many rows there are, and of how many the groups are known.
    n: usize,
    n_grouped: usize,
    groups: Groups,
    lanes: TrackLanes,
}

impl Rebuild {
    /// Begins with the rows that a track has now.
    pub(super) fn new(slices: &Slices) -> Self {
        Self {
            sequencing: Some(Sequencing::new(slices.len(), PIECE)),
            ..Self::of(slices, None, slices.len())
        }
    }

    /// Begins with some rows, which are in order of start, then longest first.
    pub(super) fn of_rows(slices: &Slices, rows: Vec<u32>) -> Self {
        let n = rows.len();
        Self::of(slices, Some(rows), n)
    }

    fn of(slices: &Slices, order: Option<Vec<u32>>, n: usize) -> Self {
        let n_grouped = if slices.group.is_empty() { n } else { 0 };
        let (groups, lanes) = (Groups::default(), TrackLanes::default());
        Self { sequencing: None, order, n, n_grouped, groups, lanes }
    }

    /// Does as much as `left` allows, which is counted down. Says whether everything is done. A machine, as an inner
    /// loop of machines that run while the trace still grows, too.
    pub(super) fn step(&mut self, slices: &Slices, is_work: IsWork, left: &mut usize) -> bool {
        while 0 < *left {
            if let Some(sequencing) = &mut self.sequencing {
                *left = left.saturating_sub(sequencing.piece());
                let key = |i: usize| (slices.start[i], std::cmp::Reverse(slices.dur_of(i)));
                if !sequencing.step(|a, b| key(a).cmp(&key(b))) {
                    self.order = self.sequencing.take().and_then(Sequencing::finish);
                }
                continue;
            }
            let row = |i: usize| self.order.as_ref().map_or(i as u32, |order| order[i]);
            if self.n_grouped < self.n {
                self.groups.note(slices, row(self.n_grouped) as usize);
                self.n_grouped += 1;
            } else if self.lanes.n_placed() < self.n {
                let row = row(self.lanes.n_placed());
                self.lanes.place(slices, is_work, row, Some(&mut self.groups));
            } else {
                return self.lanes.keep_busy(slices, is_work, row, left);
            }
            *left -= 1;
        }
        false
    }

    /// The lanes, after the last step.
    pub(super) fn finish(self) -> TrackLanes {
        self.lanes
    }
}

/// Slices of one group are one interval when lanes are given out.
#[derive(Clone, Default)]
pub(super) struct Groups(Map<StrId, Group>);

#[derive(Clone)]
pub(super) struct Group {
    end: Ticks,
    lane: Option<usize>,
    /// When the last member on the lane of the group ends.
    taken: Ticks,
}

impl Groups {
    /// Notes a row: a group lasts as long as its members.
    fn note(&mut self, slices: &Slices, row: usize) {
        let id = Slices::sparse(&slices.group, row);
        if id != StrId(0) {
            let end = slices.span(row).end;
            let group = self.0.entry(id).or_insert(Group { end, lane: None, taken: Ticks::MIN });
            group.end = group.end.max(end);
        }
    }

    /// The group of a row, if it has one.
    pub(super) fn of(&mut self, slices: &Slices, row: usize) -> Option<&mut Group> {
        let id = Slices::sparse(&slices.group, row);
        if id == StrId(0) { None } else { self.0.get_mut(&id) }
    }
}

impl Group {
    /// The lane of the group for a member that has room there; members that overlap get lanes of their own.
    pub(super) fn place(&mut self, picker: &mut Picker, start: Ticks, end: Ticks) -> Option<usize> {
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
