//! How often each name occurs and how much time it takes: decides which names get colors, and counts search results.

use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::Slices;

/// What all slices of one name add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameTotal {
    /// How many slices have the name.
    pub n: u64,
    /// Sum of their lengths, overlaps counted each time.
    pub total: i64,
    /// The color name of the first of them that has one.
    pub color: StrId,
    /// The category of the first.
    pub category: StrId,
    /// The track of the first.
    pub track: TrackId,
    /// Whether it is waiting, not work: see [`is_waiting`].
    pub is_waiting: bool,
    /// Whether its time is none in which a track is busy: waiting, and in traces with a row for each pipe setting a flag.
    pub is_idle: bool,
}

/// How many names stand out.
pub const MAX_TOP: usize = 12;

/// How many names have a color that no other one of these has: as many as there are colors of names.
pub const COLORED: usize = 33;

/// Whether a name says that nothing is done: waiting for a flag or an event, a barrier, idling, a stall; or a call between
/// processes that lasts until something happens, `HIDL::ISensors::poll::client`.
pub fn is_waiting(name: &str) -> bool {
    let name = name.trim();
    let is_one_of = |words: &[&str]| words.iter().any(|w| name.eq_ignore_ascii_case(w));
    let starts = |head: &str| name.get(..head.len()).is_some_and(|h| h.eq_ignore_ascii_case(head));
    let is_poll = || name.starts_with("HIDL::") && name.split("::").nth(2) == Some("poll");
    starts("wait_") || starts("bar_") || is_poll() || is_one_of(&["wait", "bar", "barrier", "idle", "stall"])
}

/// Whether slices with this name only set a flag, in traces with a row for each pipe.
fn is_setting(name: &str) -> bool {
    matches!(name, "SET_FLAG" | "set_event")
}

/// Totals by name.
#[derive(Clone, Default)]
pub struct Names {
    /// Names that occur, in order of first use.
    used: Vec<StrId>,
    /// What the slices of each of these add up to.
    totals: Vec<NameTotal>,
    /// Where among these each text of the trace is, counted from 1; 0 for those that no slice has, which may be most.
    places: Vec<u32>,
    /// Per track, how many rows are counted.
    counted: Vec<usize>,
    /// Names of work with most time, most first: those that stand out are the first.
    most: Vec<StrId>,
    n_top: usize,
    /// How many slices there were when these were chosen, and now.
    n: (u64, u64),
}

impl Names {
    /// Counts the rows that were added since the last call.
    pub(super) fn extend(&mut self, trace: &Trace) {
        self.counted.resize(trace.tracks.len(), 0);
        self.places.resize(trace.strings.len(), 0);
        for (id, track) in trace.tracks.iter() {
            let from = std::mem::replace(&mut self.counted[id.index()], track.slices.len());
            for row in from..track.slices.len() {
                self.count(trace, id, row);
            }
            self.n.1 += (track.slices.len() - from) as u64;
        }
        // Chosen anew each time the trace has doubled: colors should not flicker while it grows.
        if 2 * self.n.0 < self.n.1 {
            self.choose(trace);
        }
    }

    /// Everything is loaded; counts anew when rows came that were not counted before the rows were sorted.
    pub(super) fn finish(&mut self, trace: &Trace) {
        let is_counted = |(id, track): (TrackId, &crate::model::track::Track)| {
            self.counted.get(id.index()).copied().unwrap_or(0) == track.slices.len()
        };
        if !trace.tracks.iter().all(is_counted) {
            *self = Self::default();
        }
        self.extend(trace);
        self.choose(trace);
    }

    fn choose(&mut self, trace: &Trace) {
        self.n.0 = self.n.1;
        let key = |name: StrId| (std::cmp::Reverse(self.total(name).total), trace.strings.get(name));
        // There may be a million names.
        let mut most: Vec<StrId> = Vec::with_capacity(COLORED + 1);
        for &name in self.used.iter().filter(|name| !self.total(**name).is_waiting) {
            let place = most.partition_point(|&other| key(other) <= key(name));
            if place < COLORED {
                most.insert(place, name);
                most.truncate(COLORED);
            }
        }
        self.n_top = if most.len() <= MAX_TOP { most.len() } else { MAX_TOP - 1 };
        self.most = most;
    }

    fn count(&mut self, trace: &Trace, track: TrackId, row: usize) {
        let slices = &trace.tracks.get(track).slices;
        let name = slices.name[row];
        let Some(place) = self.places.get_mut(name.index()) else { return };
        if *place == 0 {
            let text = trace.strings.get(name);
            let is_waiting = is_waiting(text);
            self.totals.push(NameTotal {
                track,
                category: slices.category_of(row),
                is_waiting,
                is_idle: is_waiting || trace.coloring.by_row() && is_setting(text),
                ..NameTotal::default()
            });
            self.used.push(name);
            *place = self.used.len() as u32;
        }
        let Some(sum) = self.totals.get_mut(*place as usize - 1) else { return };
        sum.n += 1;
        sum.total = sum.total.saturating_add(slices.dur_of(row));
        if sum.color == StrId(0) {
            sum.color = Slices::sparse(&slices.color, row);
        }
    }

    /// Whether a track can be busy while a slice of this name lasts: what names say of [`super::Timeline::is_work`].
    #[inline]
    pub fn is_work(&self, name: StrId) -> bool {
        self.place(name).and_then(|at| self.totals.get(at)).is_none_or(|total| !total.is_idle)
    }

    /// What the slices of a name add up to.
    pub fn total(&self, name: StrId) -> NameTotal {
        self.place(name).and_then(|at| self.totals.get(at)).copied().unwrap_or_default()
    }

    /// The names of work with most time, most first: all when they are at most [`MAX_TOP`], else one fewer than that.
    pub fn top(&self) -> &[StrId] {
        self.most.get(..self.n_top).unwrap_or_default()
    }

    /// The names of work with most time, most first: at most [`COLORED`].
    pub fn most(&self) -> &[StrId] {
        &self.most
    }

    /// Where a name is in [`Self::used`]; `None` for one that no slice has.
    #[inline]
    pub fn place(&self, name: StrId) -> Option<usize> {
        (*self.places.get(name.index())? as usize).checked_sub(1)
    }

    /// The names of slices, in order of first use.
    pub fn used(&self) -> &[StrId] {
        &self.used
    }
}
