//! What the slices of a range add up to, by name: how often, how long, by themselves, overlaps once and each time.
//!
//! ```text
//! total   sum of the lengths of the slices that lie at least partly in the range, each cut to the range; where they are
//!         nested in another one of their name, as calls of functions that call themselves are, time counts once
//! whole   the same, each whole
//! sum     the same as total, but of all of them: what their mean is made of
//! union   time in the range during which at least one of them lasts: overlaps count once
//! own     their time without that of slices nested in them (self time): never more than total
//! ```
//! A slice is nested in the last one that started before it and does not end before it; one that begins a stack of its own,
//! as asynchronous events do ([`crate::model::track::Track::begins_stack`]), in none. Of all names together the total
//! is that of slices that lie in no other one at all.
//!
//! Only `whole` tells of time outside of the range, so that all other numbers are those of its call tree
//! ([`super::area::flame`]): the total of all names is that of the tree, and where slices do not overlap in part, the
//! total of a name is that of its frames that have no frame of the same name around them.

use super::area::{AreaRows, Scope};
use super::timeline::Timeline;
use super::timeline::order::{Chosen, InOrder};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use std::ops::ControlFlow;

/// What slices add up to in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// How many slices.
    pub n: u64,
    /// How many of them do not lie in another one on their track.
    pub n_outermost: u64,
    pub n_tracks: u32,
    /// Sum of the lengths of the outermost ones in the range; those that overlap otherwise count each time.
    pub total: Ticks,
    /// Sum of the whole lengths of the outermost ones.
    pub whole: Ticks,
    /// Sum of the lengths of all of them in the range.
    pub sum: Ticks,
    /// Time in the range during which at least one lasts.
    pub union: Ticks,
    /// Their time without nested slices.
    pub own: Ticks,
    /// Length of the shortest in the range.
    pub min: Ticks,
    /// Length of the longest in the range.
    pub max: Ticks,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            n: 0,
            n_outermost: 0,
            n_tracks: 0,
            total: 0,
            whole: 0,
            sum: 0,
            union: 0,
            own: 0,
            min: Ticks::MAX,
            max: 0,
        }
    }
}

impl Sum {
    /// Mean length in the range, of all of them.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.sum as f64 / self.n as f64 }
    }

    /// Takes in the sum of other slices, all but tracks, the union and what counts outermost ones only.
    fn join(&mut self, other: &Self) {
        self.n += other.n;
        self.sum = self.sum.saturating_add(other.sum);
        self.own = self.own.saturating_add(other.own);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Takes in the time of a slice, the whole of it and the part in the range, but for what counts already.
    fn take(&mut self, span: Span, inside: Span, known: Option<Known>) {
        self.n_outermost += u64::from(known.is_none());
        let Known { inside: counted, whole } = known.unwrap_or_default();
        self.total = self.total.saturating_add(inside.dur() - counted);
        self.whole = self.whole.saturating_add(span.dur() - whole);
    }
}

/// What a range adds up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By name and the track of the first slice of it, in order of first use in the range.
    pub names: Vec<(StrId, TrackId, Sum)>,
    pub all: Sum,
}

/// Adds up the slices of the tracks, with all their lanes, in a range. Costs the rows of the range.
pub fn summarize(trace: &Trace, timeline: &Timeline, tracks: Chosen, range: Span) -> Summary {
    let mut summing = Summing::new(trace, tracks.to_vec(), range);
    while summing.step(trace, timeline) {}
    summing.finish()
}

/// A sum in progress.
pub struct Summing {
    tracks: Vec<(TrackId, Option<usize>)>,
    adder: Adder,
    /// Number of the track that comes next.
    order: usize,
    /// How many slices there were before the track that is taken in, and where in it.
    open: Option<(u64, OnTrack)>,
    n_tracks: u32,
    uniting: Option<Uniting>,
}

/// Where in a track its rows are taken in.
struct OnTrack {
    rows: AreaRows,
    nesting: Nesting,
}

/// The time during which something lasts, in progress over all tracks.
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
            tops: Sum::default(),
            union: Union::new(),
            unites: 1 < tracks.len(),
        };
        Self { tracks, adder, order: 0, open: None, n_tracks: 0, uniting: None }
    }

    /// Does the next piece; false when nothing is left to do. Rows must keep their places meanwhile. A machine, as it
    /// runs while the trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let mut left = ROWS;
        while let Some(&(id, _)) = self.tracks.get(self.order) {
            if left == 0 {
                return true;
            }
            let scope = Scope { trace, timeline, tracks: &self.tracks, span: self.adder.range };
            let begin = || (self.adder.n, OnTrack { rows: scope.rows(id), nesting: Nesting::default() });
            let (had, mut on) = self.open.take().unwrap_or_else(begin);
            self.adder.track(scope, (self.order as u32, id), &mut on, &mut left);
            if left == 0 {
                self.open = Some((had, on));
                return true;
            }
            left = left.saturating_sub(8);
            self.n_tracks += u32::from(had < self.adder.n);
            self.order += 1;
        }
        if !self.adder.unites {
            return false;
        }
        let (tracks, adder) = (&self.tracks[..], &self.adder);
        let Some(Uniting { order, unions, all }) = &mut self.uniting else {
            let order = InOrder::new(trace, timeline, tracks, adder.range);
            let unions = vec![Union::new(); adder.names.len()];
            self.uniting = Some(Uniting { order, unions, all: Union::new() });
            return true;
        };
        let take = |_, id: SliceId| {
            let (slices, row) = (&trace.tracks.get(id.track).slices, id.row as usize);
            let end = slices.span(row).end.saturating_add(timeline.shift_of(id.track));
            Some((end, adder.at.get(slices.name[row].index()).copied().unwrap_or(NONE)))
        };
        order.step(PARTS, (trace, timeline, tracks), take, |start, (end, at)| {
            let inside = Span { start, end }.intersect(adder.range);
            all.add(inside);
            if let Some(union) = unions.get_mut(at as usize) {
                union.add(inside);
            }
            ControlFlow::Continue(())
        })
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
    /// Those that lie in no other one of their track.
    tops: Sum,
    union: Union,
    /// Whether there are several tracks.
    unites: bool,
}

impl Adder {
    /// Takes in rows of a track, as many as `left` allows, which is counted down.
    fn track(&mut self, scope: Scope, (order, id): (u32, TrackId), on: &mut OnTrack, left: &mut usize) {
        let track = scope.trace.tracks.get(id);
        let names = &track.slices.name;
        for row in on.rows.by_ref().take(*left) {
            *left -= 1;
            let span = scope.slice(id, row);
            let inside = span.intersect(self.range);
            let is_apart = track.begins_stack(names[row]);
            match on.nesting.around(span, inside, is_apart) {
                Some((parent, nested)) => self.names[parent as usize].sum.own -= nested,
                None => self.tops.take(span, inside, None),
            }
            let at = self.take(names[row], (span, inside), (order, row as u32));
            let known = on.nesting.open(span, inside, at, is_apart);
            self.names[at as usize].sum.take(span, inside, known);
        }
    }

    /// Takes in a slice, the whole of it and the part in the range, all but its total; where its name stands.
    fn take(&mut self, name: StrId, (span, inside): (Span, Span), (order, row): (u32, u32)) -> u32 {
        let mut at = self.at.get(name.index()).copied().unwrap_or(NONE);
        if at == NONE {
            at = self.names.len() as u32;
            if let Some(slot) = self.at.get_mut(name.index()) {
                *slot = at;
            }
            let (sum, union, first) = (Sum::default(), Union::new(), (span.start, order, row));
            self.names.push(Name { id: name, sum, union, first, track: NONE });
        }
        let entry = &mut self.names[at as usize];
        if entry.track != order {
            entry.track = order;
            entry.first = entry.first.min((span.start, order, row));
            entry.sum.n_tracks += 1;
        }
        let dur = inside.dur();
        entry.sum.join(&Sum { n: 1, sum: dur, own: dur, min: dur, max: dur, ..Sum::default() });
        if !self.unites {
            entry.union.add(inside);
            self.union.add(inside);
        }
        self.n += 1;
        at
    }

    fn into_summary(mut self, tracks: Chosen, n_tracks: u32) -> Summary {
        order::sort_by_key(&mut self.names, |name| name.first);
        let mut all = Sum { n_tracks, union: self.union.sum, ..self.tops };
        self.names.iter().for_each(|name| all.join(&name.sum));
        let row = |name: &Name| {
            (name.id, tracks[name.first.1 as usize].0, Sum { union: name.union.sum, ..name.sum })
        };
        Summary { names: self.names.iter().map(row).collect(), all }
    }
}

/// Slices of a track that have begun and may hold others, in order of start, each ending before the one below it. One that
/// ends later than an older one takes over all that the older one could hold from then on, so the older one is forgotten: a
/// slice costs constant time (amortized), however deep the nesting and however odd the overlaps.
#[derive(Default)]
pub struct Nesting {
    open: Vec<Open>,
    /// By tag the innermost open one, from 1.
    last: Map<u32, usize>,
    /// The innermost one that begins a stack, from 1; 0 for none.
    stack: usize,
}

struct Open {
    end: Ticks,
    /// Until when nested slices are counted.
    until: Ticks,
    tag: u32,
    /// The same of those with its tag: in the range, and all.
    same: (Ticks, Ticks),
    /// The one of its tag, and the one that begins a stack, that were innermost before it.
    before: (usize, usize),
}

/// The time of a slice that one with the same tag around it has counted already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// In the range.
    pub inside: Ticks,
    pub whole: Ticks,
}

impl Nesting {
    /// Finds what the next slice in order of start is nested in: the tag of that one, and how much of its time in a range
    /// the slice takes that others before it did not; `inside` is the part of the slice in the range. One that begins a stack
    /// of its own is nested in nothing.
    pub fn around(&mut self, span: Span, inside: Span, is_apart: bool) -> Option<(u32, Ticks)> {
        // A slice without length lies in what lasts after its start.
        let end = span.end.max(span.start.saturating_add(1));
        while let Some(open) = self.open.pop_if(|open| open.end < end) {
            self.stack = open.before.1;
            self.last.insert(open.tag, open.before.0);
        }
        let open = self.open.last_mut().filter(|_| !is_apart)?;
        let nested = inside.end.saturating_sub(inside.start.max(open.until)).max(0);
        open.until = open.until.max(inside.end);
        Some((open.tag, nested))
    }

    /// The slice may hold others from now on. Where it lies in one of its tag, how much of its time that one has counted: the
    /// rest is what others of the tag in it, which overlap it in part, have counted too.
    ///
    /// So all slices of a tag count at least what is left of them without nested ones: what lies in a slice of the tag lies
    /// in one that is nested directly in it.
    pub fn open(&mut self, span: Span, inside: Span, tag: u32, is_apart: bool) -> Option<Known> {
        let before = (self.last.get(&tag).copied().unwrap_or(0), self.stack);
        let around = before.0.checked_sub(1).filter(|_| !is_apart && before.1 <= before.0);
        let known = around.and_then(|at| self.open.get_mut(at)).map(|around| {
            let own = |span: Span, until: &mut Ticks| {
                let new = span.end.saturating_sub(span.start.max(*until)).max(0);
                *until = span.end.max(*until);
                new
            };
            Known { inside: own(inside, &mut around.same.0), whole: own(span, &mut around.same.1) }
        });
        if !span.is_empty() {
            let same = (inside.start, span.start);
            self.open.push(Open { end: span.end, until: inside.start, tag, same, before });
            self.last.insert(tag, self.open.len());
            if is_apart {
                self.stack = self.open.len();
            }
        }
        known
    }
}
