//! The only way to make a [`Trace`]: grows while loading, `finish` sorts and checks.

pub mod digest;
pub mod sorting;

use super::access::Access;
use super::chunked::Chunked;
use super::clock::{Place, Relation, SAME, TraceClock};
use super::id::{ClockId, StrId, TrackId};
use super::slice::{Instants, SliceRow, Slices};
use super::track::{Role, Track, TrackKind};
use super::{FlowEnd, MemoryDevice, Series, StackFrame, Trace};
use crate::base::map::Map;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::unit::Unit;
use std::any::Any;
use std::rc::Rc;

/// Most tracks of one trace; readers say a fault when it is reached.
pub const MAX_TRACKS: usize = 1_000_000;

/// Collects rows and hands out the finished trace.
#[derive(Default)]
pub struct TraceBuilder {
    trace: Trace,
    /// The trace while it does not grow, for jobs that hold it; the other one is empty then.
    shared: Option<Rc<Trace>>,
    /// How many rows of slices, instants and samples were pushed so far.
    n_rows: u64,
    /// How far putting them in order is.
    sorting: sorting::Sorting,
    /// Sorting of tracks in progress while more come.
    arranging: Option<sorting::Arranging>,
    /// How many rows there were when the tracks were put in order last.
    arranged: u64,
    /// Where the series of tracks with many stand, by name.
    series: Map<(TrackId, StrId), usize>,
}

/// So many series of a track are found one after the other.
const FEW: usize = 8;

impl TraceBuilder {
    /// What was collected so far: rows in the order they came, not yet sorted.
    pub fn trace(&self) -> &Trace {
        self.shared.as_deref().unwrap_or(&self.trace)
    }

    /// The same for jobs to hold. It does not grow until [`TraceBuilder::reclaim`].
    pub fn share(&mut self) -> Rc<Trace> {
        Rc::clone(self.shared.get_or_insert_with(|| Rc::new(std::mem::take(&mut self.trace))))
    }

    /// What jobs hold, while it does not grow.
    pub fn shared(&self) -> Option<&Rc<Trace>> {
        self.shared.as_ref()
    }

    /// Nobody else holds the trace any more: it may grow again.
    pub fn reclaim(&mut self) {
        match self.shared.take().map(Rc::try_unwrap) {
            Some(Ok(trace)) => self.trace = trace,
            Some(Err(shared)) => self.shared = Some(shared),
            None => {}
        }
    }

    /// Title, words, clock, code, figures and blocks, to be filled in freely; rows of tracks go through the methods below.
    pub fn head(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// How many rows were pushed so far.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The row of a name.
    pub fn intern(&mut self, text: &str) -> StrId {
        self.trace.strings.intern(text)
    }

    /// Another clock beside [`Trace::clock`], which must be set by then. Times of tracks that count in it are handed over
    /// in its ticks. One that is finer than all before converts the rows so far.
    pub fn clock(&mut self, name: &str, unit: Clock, relation: Option<Relation>) -> ClockId {
        let name = self.intern(name);
        if self.trace.clocks.rows.is_empty() {
            let (unit, span) = (self.trace.clock, self.trace.span);
            let first = TraceClock { unit, span, relation: Some(SAME), ..TraceClock::default() };
            self.trace.clocks.rows.push(first);
        }
        let before = self.places();
        let id = ClockId(before.len() as u32);
        self.trace.clocks.rows.push(TraceClock { name, unit, relation, ..TraceClock::default() });
        self.trace.clock = self.trace.clocks.arrange();
        self.place_anew(&before);
        self.trace.span = self.trace.clocks.reach(false);
        id
    }

    /// Lets a track that has no rows yet count in a clock; groups and tracks that are put into it count in it too.
    pub fn clock_track(&mut self, id: TrackId, clock: ClockId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.clock = clock;
        }
    }

    fn places(&self) -> Vec<Place> {
        self.trace.clocks.rows.iter().map(|clock| clock.place).collect()
    }

    /// Moves all rows from where they lay on the axis to where their clocks are now.
    fn place_anew(&mut self, before: &[Place]) {
        let Trace { clocks, tracks, flows, allocations, .. } = &mut self.trace;
        if clocks.rows.iter().zip(before).all(|(clock, before)| clock.place == *before) {
            return;
        }
        clocks.revision += 1;
        let moved = |clock: ClockId| {
            let places = before.get(clock.index()).zip(clocks.rows.get(clock.index()));
            let places = places.map(|(before, clock)| (*before, clock.place)).filter(|(a, b)| a != b);
            places.map(|(before, now)| move |time: &mut Ticks| *time = now.axis(before.tick(*time)))
        };
        for end in flows.from.iter_mut().chain(&mut flows.to).chain(&mut allocations.at) {
            if let Some(moved) = tracks.rows.get(end.track.index()).and_then(|track| moved(track.clock)) {
                moved(&mut end.time);
            }
        }
        for track in &mut tracks.rows {
            let Some(moved) = moved(track.clock) else { continue };
            track.slices.move_times(moved);
            track.instants.time.iter_mut().for_each(moved);
            track.series.iter_mut().flat_map(|series| series.time.iter_mut()).for_each(moved);
        }
    }

    /// A new track; `None` when there are too many (see [`MAX_TRACKS`]) or the parent is none of this trace.
    pub fn track(
        &mut self,
        parent: Option<TrackId>,
        kind: TrackKind,
        name: StrId,
        entry: u32,
    ) -> Option<TrackId> {
        let rows = &mut self.trace.tracks.rows;
        if MAX_TRACKS <= rows.len() || parent.is_some_and(|p| rows.len() <= p.index()) {
            return None;
        }
        let id = TrackId(rows.len() as u32);
        let clock = parent.map_or(ClockId(0), |parent| rows[parent.index()].clock);
        let is_derived = parent.is_some_and(|parent| rows[parent.index()].is_derived);
        rows.push(Track {
            parent,
            kind,
            role: Role::default(),
            name,
            label: StrId(0),
            clock,
            order: 0,
            is_derived,
            is_async: false,
            is_parallel: false,
            entry,
            slices: Slices::default(),
            instants: Instants::default(),
            series: Vec::new(),
        });
        Some(id)
    }

    /// Says that rows of a track are computed of others; tracks that are put into it later are so too.
    pub fn derive_track(&mut self, id: TrackId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.is_derived = true;
        }
    }

    /// Says that asynchronous events stand on a track.
    pub fn async_track(&mut self, id: TrackId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.is_async = true;
        }
    }

    /// Says that slices of a track may last at the same time without one being in another.
    pub fn parallel_track(&mut self, id: TrackId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.is_parallel = true;
        }
    }

    /// Names a track anew.
    pub fn name_track(&mut self, id: TrackId, name: StrId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.name = name;
        }
    }

    /// Gives a track a second word.
    pub fn label_track(&mut self, id: TrackId, label: StrId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.label = label;
        }
    }

    /// Gives a track its place among its siblings.
    pub fn order_track(&mut self, id: TrackId, order: i64) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.order = order;
        }
    }

    /// Says what the slices of a track tell; `work` is the only name of those that are work, empty for all.
    pub fn role_track(&mut self, id: TrackId, role: Role, work: StrId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            (track.role, track.slices.work) = (role, work);
        }
    }

    /// Adds a slice; a negative length becomes 0. Constant time.
    pub fn slice(&mut self, track: TrackId, mut row: SliceRow) {
        row.dur = row.dur.max(0);
        if let Some(track) = self.trace.tracks.rows.get_mut(track.index()) {
            let span = Span::new(row.start, row.start.saturating_add(row.dur));
            let placed = on_axis(&mut self.trace.clocks.rows, &mut self.trace.span, track.clock, span);
            track.slices.push(SliceRow { start: placed.start, dur: placed.dur(), ..row });
            self.n_rows += 1;
        }
    }

    /// Adds an instant. Constant time.
    pub fn instant(&mut self, track: TrackId, time: Ticks, name: StrId, category: StrId, detail: (u64, u32)) {
        if let Some(track) = self.trace.tracks.rows.get_mut(track.index()) {
            let span = Span::new(time, time);
            let placed = on_axis(&mut self.trace.clocks.rows, &mut self.trace.span, track.clock, span);
            track.instants.push(placed.start, name, category, detail);
            self.n_rows += 1;
        }
    }

    /// Adds a frame of a call stack inside another one, 0 for none; its number.
    pub fn stack(&mut self, frame: StackFrame) -> u32 {
        self.trace.stacks.push(frame)
    }

    /// Adds an instant at which a call stack was sampled: it bears the name of the innermost frame.
    pub fn stack_sample(&mut self, track: TrackId, time: Ticks, stack: u32, detail: (u64, u32)) {
        let Some(frame) = self.trace.stacks.get(stack) else {
            return self.drop_row("samples of no call stack");
        };
        self.instant(track, time, frame.name, frame.category, detail);
        if let Some(track) = self.trace.tracks.rows.get_mut(track.index()) {
            track.instants.stack(stack);
        }
    }

    /// Adds a sample to the series of this name on a counter track; the series is made when it is new.
    pub fn sample(&mut self, track: TrackId, series: StrId, unit: &Unit, time: Ticks, value: f64) {
        let id = track;
        let Some(track) = self.trace.tracks.rows.get_mut(id.index()) else { return };
        let early = track.series.iter().take(FEW).position(|s| s.name == series);
        let at = early.or_else(|| self.series.get(&(id, series)).copied()).unwrap_or_else(|| {
            track.series.push(Series {
                name: series,
                unit: unit.clone(),
                time: Chunked::new(),
                value: Chunked::new(),
            });
            let at = track.series.len() - 1;
            if FEW <= at {
                self.series.insert((id, series), at);
            }
            at
        });
        let span = Span::new(time, time);
        let placed = on_axis(&mut self.trace.clocks.rows, &mut self.trace.span, track.clock, span);
        track.series[at].time.push(placed.start);
        track.series[at].value.push(value);
        self.n_rows += 1;
    }

    /// Adds a flow.
    pub fn flow(&mut self, id: StrId, category: StrId, name: StrId, from: FlowEnd, to: FlowEnd) {
        let [from, to] = [from, to].map(|end| self.placed(end));
        let flows = &mut self.trace.flows;
        flows.id.push(id);
        flows.category.push(category);
        flows.name.push(name);
        flows.from.push(from);
        flows.to.push(to);
    }

    /// A point where its clock lies on the axis.
    fn placed(&self, end: FlowEnd) -> FlowEnd {
        let track = self.trace.tracks.rows.get(end.track.index());
        let clock = track.and_then(|track| self.trace.clocks.rows.get(track.clock.index()));
        FlowEnd { time: clock.map_or(end.time, |clock| clock.place.axis(end.time)), ..end }
    }

    /// A memory that allocations come from, with the track of its counter; its number.
    pub fn memory_device(&mut self, name: StrId, track: TrackId) -> u32 {
        let devices = &mut self.trace.allocations.devices;
        devices.push(MemoryDevice { name, track });
        devices.len() as u32 - 1
    }

    /// Adds an allocation on such a device, or what was given back: negative bytes.
    pub fn allocation(&mut self, device: u32, at: FlowEnd, bytes: i64) {
        let at = self.placed(at);
        let allocations = &mut self.trace.allocations;
        allocations.at.push(at);
        allocations.device.push(device);
        allocations.bytes.push(bytes);
    }

    /// Adds a memory access; false when there are 2³² of them.
    pub fn access(&mut self, row: Access) -> bool {
        let is_added = self.trace.accesses.push(row);
        self.n_rows += u64::from(is_added);
        is_added
    }

    /// Counts something that is left out of the trace.
    pub fn drop_row(&mut self, reason: &str) {
        self.drop_rows(reason, 1);
    }

    /// The same for several rows.
    pub fn drop_rows(&mut self, reason: &str, more: u64) {
        match self.trace.dropped.iter_mut().find(|(r, _)| r == reason) {
            Some((_, n)) => *n = n.saturating_add(more),
            None => self.trace.dropped.push((reason.to_owned(), more)),
        }
    }

    /// Everything was read: clocks that are related to no other begin where the others do.
    fn place_clocks(&mut self) {
        let before = self.places();
        if let Some(unit) = self.trace.clocks.place_rest() {
            self.trace.clock = unit;
        }
        self.place_anew(&before);
        if !before.is_empty() {
            self.trace.span = self.trace.clocks.reach(true);
        }
    }

    /// The finished trace.
    pub fn into_trace(mut self) -> Trace {
        self.reclaim();
        self.trace
    }
}

/// Where a stretch in ticks of a clock lies on the axis; the span of the trace grows by it when its clock has a place there.
#[inline]
fn on_axis(clocks: &mut [TraceClock], whole: &mut Option<Span>, clock: ClockId, own: Span) -> Span {
    let mut span = own;
    if let Some(clock) = clocks.get_mut(clock.index()) {
        clock.span = Some(clock.span.map_or(own, |s| s.union(own)));
        span = Span { start: clock.place.axis(own.start), end: clock.place.axis(own.end) };
        if clock.relation.is_none() {
            return span;
        }
    }
    *whole = Some(whole.map_or(span, |s| s.union(span)));
    span
}

/// Compares names with the numbers in them by value: `core2` before `core10`.
pub fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (None, None) => return std::cmp::Ordering::Equal,
            (None, _) => return std::cmp::Ordering::Less,
            (_, None) => return std::cmp::Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, rest_a) = split_number(a);
                let (y, rest_b) = split_number(b);
                let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
                if order.is_ne() {
                    return order;
                }
                (a, b) = (rest_a, rest_b);
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[1..], &b[1..]),
            (Some(x), Some(y)) => return x.cmp(y),
        }
    }
}

/// The digits at the head without leading zeros, and the rest.
fn split_number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let zeros = text[..end].iter().position(|&b| b != b'0').unwrap_or(end);
    (&text[zeros..end], &text[end..])
}

// Who listens to rows while they are read: aggregates of inputs too big to keep.
//
// A reader pushes rows into the sink and never knows who listens; analyses bring the taps.

/// Listens to rows that pass by. What it collected is handed to its analysis when everything is read.
pub trait Tap: Any {
    /// One memory access passed.
    fn access(&mut self, row: &Access);
}
