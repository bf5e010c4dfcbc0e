//! What the slices of a range add up to, by name: how often, how long, by themselves, overlaps once and each time.
//!
//! ```text
//! total   sum of the lengths of the slices that lie at least partly in the range, each whole
//! inside  the same, each cut to the range
//! union   time in the range during which at least one of them lasts: overlaps count once
//! own     total without the time of slices nested in them (self time)
//! ```
//! A slice is nested in the last one that started before it and does not end before it.

use super::timeline::Timeline;
use super::timeline::order::{Chosen, InOrder, rows_in};
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};

/// What slices add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// How many slices.
    pub n: u64,
    /// Sum of their lengths, overlaps counted each time.
    pub total: Ticks,
    /// Sum of their lengths cut to the range.
    pub inside: Ticks,
    /// Time in the range during which at least one lasts.
    pub union: Ticks,
    /// Total without nested slices.
    pub own: Ticks,
    /// Length of the shortest.
    pub min: Ticks,
    /// Length of the longest.
    pub max: Ticks,
}

impl Default for Sum {
    fn default() -> Self {
        Self { n: 0, total: 0, inside: 0, union: 0, own: 0, min: Ticks::MAX, max: 0 }
    }
}

impl Sum {
    /// Mean length.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.total as f64 / self.n as f64 }
    }

    /// Takes in a slice, all but its union and what is nested in it.
    fn add(&mut self, dur: Ticks, inside: Ticks) {
        self.n += 1;
        self.total = self.total.saturating_add(dur);
        self.inside = self.inside.saturating_add(inside);
        self.own = self.own.saturating_add(dur);
        self.min = self.min.min(dur);
        self.max = self.max.max(dur);
    }

    /// Takes in the sum of other slices, all but the union.
    fn join(&mut self, other: &Self) {
        self.n += other.n;
        self.total = self.total.saturating_add(other.total);
        self.inside = self.inside.saturating_add(other.inside);
        self.own = self.own.saturating_add(other.own);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// What a range adds up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By name and the track of the first slice of it, in order of first use in the range.
    pub names: Vec<(StrId, TrackId, Sum)>,
    /// All of them.
    pub all: Sum,
    /// How many tracks have a slice in the range.
    pub n_tracks: u64,
}

/// Adds up the slices of the tracks in a range. Costs the rows of the range, and for self times the rows of the tracks
/// from the first to the last of them. Self times of tracks whose rows are not in order yet are 0 (only while loading).
pub fn summarize(trace: &Trace, timeline: &Timeline, tracks: Chosen, range: Span) -> Summary {
    let mut summing = Summing::new(trace, tracks.to_vec(), range);
    while summing.step(trace, timeline) {}
    summing.finish()
}

/// A sum on its way.
pub struct Summing {
    tracks: Vec<(TrackId, Option<usize>)>,
    adder: Adder,
    /// Number of the track that comes next.
    order: usize,
    /// How many slices there were before the track that is taken in, and where in it.
    open: Option<(u64, OnTrack)>,
    n_tracks: u64,
    uniting: Option<Uniting>,
}

/// Where in a track its rows are taken in.
struct OnTrack {
    rows: Range<usize>,
    nesting: Nesting,
    /// Until when slices that begin are looked at, by the clock of the track.
    until: Ticks,
}

/// The time during which something lasts, on its way over all tracks.
struct Uniting {
    order: InOrder,
    unions: Vec<Union>,
    all: Union,
}

/// Rows that are taken in in one step, and parts of them that are put in order.
const ROWS: usize = 1 << 16;
const PARTS: usize = 16;

impl Summing {
    /// Begins.
    pub fn new(trace: &Trace, tracks: Vec<(TrackId, Option<usize>)>, range: Span) -> Self {
        let adder = Adder {
            range,
            at: vec![NONE; trace.strings.len()],
            names: Vec::new(),
            n: 0,
            union: Union::new(),
            unites: 1 < tracks.len(),
        };
        Self { tracks, adder, order: 0, open: None, n_tracks: 0, uniting: None }
    }

    /// Does the next piece; false when nothing is left to do. Rows must keep their places meanwhile.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let mut left = ROWS;
        while let Some(&chosen) = self.tracks.get(self.order) {
            if left == 0 {
                return true;
            }
            let (order, adder) = (self.order as u32, &mut self.adder);
            let begin = || (adder.n, adder.begin(trace, timeline, order, chosen));
            let (had, mut on) = self.open.take().unwrap_or_else(begin);
            self.adder.track(trace, timeline, (order, chosen), &mut on, &mut left);
            left = left.saturating_sub(8);
            if on.rows.is_empty() {
                self.n_tracks += u64::from(had < self.adder.n);
                self.order += 1;
            } else {
                self.open = Some((had, on));
            }
        }
        if !self.adder.unites {
            return false;
        }
        match &mut self.uniting {
            None => {
                let order = InOrder::new(trace, timeline, &self.tracks, self.adder.range);
                let unions = vec![Union::new(); self.adder.names.len()];
                self.uniting = Some(Uniting { order, unions, all: Union::new() });
                true
            }
            Some(uniting) => uniting.step(&self.adder, (trace, timeline, &self.tracks)),
        }
    }

    /// The sum, after the last step.
    pub fn finish(mut self) -> Summary {
        if let Some(uniting) = self.uniting {
            self.adder.union = uniting.all;
            for (name, union) in self.adder.names.iter_mut().zip(uniting.unions) {
                name.union = union;
            }
        }
        self.adder.into_summary(&self.tracks, self.n_tracks)
    }
}

impl Uniting {
    fn step(&mut self, adder: &Adder, of: (&Trace, &Timeline, Chosen)) -> bool {
        let (trace, timeline, _) = of;
        let take = |_, id: SliceId| {
            let (slices, row) = (&trace.tracks.get(id.track).slices, id.row as usize);
            let end = slices.span(row).end.saturating_add(timeline.shift_of(id.track));
            Some((end, adder.at.get(slices.name[row].index()).copied().unwrap_or(NONE)))
        };
        let Self { order, unions, all } = self;
        order.step(PARTS, of, take, |start, (end, at)| {
            let inside = Span { start, end }.intersect(adder.range);
            all.add(inside);
            if let Some(union) = unions.get_mut(at as usize) {
                union.add(inside);
            }
            ControlFlow::Continue(())
        })
    }
}

/// No name.
const NONE: u32 = u32::MAX;

/// Time during which something lasts, of slices that come in order of start.
#[derive(Clone, Copy)]
struct Union {
    sum: Ticks,
    /// Until when it is counted.
    until: Ticks,
}

impl Union {
    fn new() -> Self {
        Self { sum: 0, until: Ticks::MIN }
    }

    fn add(&mut self, span: Span) {
        if self.until < span.end {
            self.sum = self.sum.saturating_add(span.end.saturating_sub(span.start.max(self.until)));
            self.until = span.end;
        }
    }
}

/// What is known of a name.
struct Name {
    id: StrId,
    sum: Sum,
    union: Union,
    /// When the first slice starts; number of its track among those asked for, and its row.
    first: (Ticks, u32, u32),
    /// The last track it was seen on.
    track: u32,
}

/// Adds up track by track; time during which something lasts on several tracks then needs them in one order.
struct Adder {
    range: Span,
    /// Where each name stands in `names`; most are not in the range.
    at: Vec<u32>,
    names: Vec<Name>,
    /// How many slices.
    n: u64,
    union: Union,
    /// Whether there are several tracks.
    unites: bool,
}

impl Adder {
    /// Begins with a track; of one whose rows are not in order yet all rows are taken in.
    fn begin(
        &mut self,
        trace: &Trace,
        timeline: &Timeline,
        order: u32,
        chosen: (TrackId, Option<usize>),
    ) -> OnTrack {
        let (id, lane) = chosen;
        let mut on = OnTrack { rows: 0..0, nesting: Nesting::default(), until: Ticks::MIN };
        let Some(track) = trace.tracks.find(id) else { return on };
        let (slices, lanes) = (&track.slices, timeline.track(id));
        self.union.until = Ticks::MIN;
        let (mut reaching, rows) = rows_in(trace, timeline, id, self.range);
        if !rows.is_range() {
            reaching.extend(rows);
            let is_meant = |row: &u32| lane.is_none_or(|lane| lanes.lane_of(*row as usize) == Some(lane));
            for row in reaching.into_iter().filter(is_meant) {
                let at = self.take(slices, (order, row), timeline.shift_of(id));
                self.names[at as usize].sum.own -= slices.dur[row as usize];
            }
            return on;
        }
        let from = reaching.into_iter().chain(rows.peek()).min().unwrap_or(u32::MAX) as usize;
        on.rows = from..lanes.n_placed().min(slices.len());
        on.until = self.range.shifted(timeline.shift_of(id).saturating_neg()).end;
        on
    }

    /// Takes in rows of a track, as many as `left` allows, which is counted down; none are left when all are in.
    fn track(
        &mut self,
        trace: &Trace,
        timeline: &Timeline,
        (order, (id, lane)): (u32, (TrackId, Option<usize>)),
        on: &mut OnTrack,
        left: &mut usize,
    ) {
        let Some(track) = trace.tracks.find(id) else { return };
        let (slices, lanes) = (&track.slices, timeline.track(id));
        let is_meant = |row: usize| lane.is_none_or(|lane| lanes.lane_of(row) == Some(lane));
        let by = timeline.shift_of(id);
        let range = self.range.shifted(by.saturating_neg()); // by the clock of the track
        let end = on.rows.end.min(on.rows.start.saturating_add(*left));
        *left -= end.saturating_sub(on.rows.start);
        for row in on.rows.start..end {
            let span = slices.span(row);
            if on.until <= span.start {
                on.rows = 0..0;
                return;
            }
            let is_in = span.start < range.end
                && (range.start <= span.start || range.start < span.end)
                && is_meant(row);
            let at = if is_in { self.take(slices, (order, row as u32), by) } else { NONE };
            if is_in {
                on.until = on.until.max(span.end);
            }
            if let Some((parent, nested)) = on.nesting.enter(span, at)
                && let Some(name) = self.names.get_mut(parent as usize)
            {
                name.sum.own -= nested;
            }
        }
        on.rows.start = end;
    }

    /// Takes in a row that is shown so many ticks later; where its name stands.
    fn take(&mut self, slices: &Slices, (order, row): (u32, u32), by: Ticks) -> u32 {
        let (name, span) = (slices.name[row as usize], slices.span(row as usize).shifted(by));
        let inside = span.intersect(self.range);
        let mut at = self.at.get(name.index()).copied().unwrap_or(NONE);
        if at == NONE {
            at = self.names.len() as u32;
            if let Some(slot) = self.at.get_mut(name.index()) {
                *slot = at;
            }
            let (sum, union, first) = (Sum::default(), Union::new(), (span.start, order, row));
            self.names.push(Name { id: name, sum, union, first, track: order });
        }
        let entry = &mut self.names[at as usize];
        if entry.track != order {
            entry.track = order;
            entry.first = entry.first.min((span.start, order, row));
        }
        entry.sum.add(slices.dur[row as usize], inside.dur());
        if !self.unites {
            entry.union.add(inside);
            self.union.add(inside);
        }
        self.n += 1;
        at
    }

    fn into_summary(mut self, tracks: Chosen, n_tracks: u64) -> Summary {
        self.names.sort_by_key(|name| name.first);
        let mut all = Sum::default();
        self.names.iter().for_each(|name| all.join(&name.sum));
        all.union = self.union.sum;
        let row = |name: &Name| {
            (name.id, tracks[name.first.1 as usize].0, Sum { union: name.union.sum, ..name.sum })
        };
        Summary { names: self.names.iter().map(row).collect(), all, n_tracks }
    }
}

/// Self times of rows `first..after`, which are in order of start: the length of each without what is nested in it.
pub fn own_times(slices: &Slices, first: usize, after: usize) -> Vec<Ticks> {
    let mut own: Vec<Ticks> = (first..after).map(|row| slices.dur[row]).collect();
    let mut nesting = Nesting::default();
    for row in first..after {
        if let Some((parent, nested)) = nesting.enter(slices.span(row), row as u32) {
            own[parent as usize - first] -= nested;
        }
    }
    own
}

/// Slices that have begun and may hold others, in order of start, each ending before the one below it. One that ends
/// later than an older one takes over all that the older one could hold from then on, so the older one is forgotten: a
/// slice costs constant time (amortized), however deep the nesting and however odd the overlaps.
#[derive(Default)]
struct Nesting(Vec<Open>);

struct Open {
    end: Ticks,
    /// Until when nested slices are counted.
    until: Ticks,
    tag: u32,
}

impl Nesting {
    /// Takes in the next slice in order of start. The tag of the one it is nested in, and how much of the time of that
    /// one it takes that others before it did not.
    fn enter(&mut self, span: Span, tag: u32) -> Option<(u32, Ticks)> {
        // A slice without length lies in what lasts after its start.
        let end = span.end.max(span.start.saturating_add(1));
        while self.0.last().is_some_and(|open| open.end < end) {
            self.0.pop();
        }
        let around = self.0.last_mut().map(|open| {
            let nested = span.end.saturating_sub(span.start.max(open.until)).max(0);
            open.until = open.until.max(span.end);
            (open.tag, nested)
        });
        if !span.is_empty() {
            self.0.push(Open { end: span.end, until: span.start, tag });
        }
        around
    }
}
