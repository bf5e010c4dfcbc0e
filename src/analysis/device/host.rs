//! Tracks of the host, once through: operators with what they launched, steps, loading of data, waiting for the device.

use super::class::{self, Marks, Role};
use super::gather::Call;
use super::spans::Times;
use super::{Device, Options};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;

/// What the calls of an operator add up to. Nested operators count for those around them too in all totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its name.
    pub name: StrId,
    /// The track of its first call.
    pub track: TrackId,
    /// Its longest call, and how long it takes.
    pub longest: (SliceId, Ticks),
    /// How often it was called.
    pub calls: u64,
    /// Sum of the lengths of the calls.
    pub host_total: i128,
    /// The same without operators nested in them.
    pub host_own: i128,
    /// Sum of the lengths of kernels and copies that were launched in a call, whatever operator was innermost.
    pub device_total: i128,
    /// The same of those for which this operator was the innermost.
    pub device_own: i128,
    /// How many kernels and copies it launched as the innermost.
    pub launched: u64,
}

/// An operator that is not at its end.
struct Open {
    end: Ticks,
    /// Its row; [`NONE`] when it does not lie in the time.
    at: u32,
}

/// No row.
const NONE: u32 = u32::MAX;

/// The pass on its way.
pub(super) struct HostPass {
    tracks: Vec<TrackId>,
    /// The track that comes next, the row in it, and the call.
    at: (usize, usize),
    call: usize,
    calls: Vec<Call>,
    open: Vec<Open>,
    /// Operators are told by their category; otherwise all that is neither a call nor a function is one.
    has_operators: bool,
    marks: Map<StrId, Marks>,
    roles: Map<StrId, Role>,
    of_name: Map<StrId, u32>,
    pub(super) loads: Vec<(Ticks, Ticks)>,
    pub(super) syncs: Vec<(Ticks, Ticks)>,
    pub(super) busy: Vec<(Ticks, Ticks)>,
    busy_here: Times,
    pub(super) steps: Vec<(Span, SliceId)>,
}

impl HostPass {
    /// Begins with calls in the order of their tracks and times.
    pub(super) fn new(trace: &Trace, mut tracks: Vec<TrackId>, calls: Vec<Call>) -> Self {
        // As the calls are.
        tracks.sort_unstable();
        Self {
            tracks,
            at: (0, 0),
            call: 0,
            calls,
            open: Vec::new(),
            has_operators: class::names_operators(trace),
            marks: Map::default(),
            roles: Map::default(),
            of_name: Map::default(),
            loads: Vec::new(),
            syncs: Vec::new(),
            busy: Vec::new(),
            busy_here: Times::default(),
            steps: Vec::new(),
        }
    }

    /// Takes in slices of the next tracks; says whether there are more.
    pub(super) fn step(
        &mut self,
        trace: &Trace,
        timeline: &Timeline,
        options: &Options,
        left: &mut usize,
        out: &mut Device,
    ) -> bool {
        while let Some(&track) = self.tracks.get(self.at.0) {
            let slices = &trace.tracks.get(track).slices;
            if self.at.1 == 0 {
                self.call = self.calls.partition_point(|call| call.0 < track);
            }
            let end = slices.len().min(self.at.1 + *left);
            let by = timeline.shift_of(track);
            for row in self.at.1..end {
                let span = slices.span(row).shifted(by);
                // A call at the very begin of a slice is one of that slice.
                self.calls_until(track, span.start, out);
                self.slice(trace, options, (SliceId { track, row: row as u32 }, span), out);
            }
            *left -= end - self.at.1;
            self.at.1 = end;
            if end < slices.len() {
                return true;
            }
            self.calls_until(track, Ticks::MAX, out);
            self.open.clear();
            let busy = std::mem::take(&mut self.busy_here);
            self.busy.extend(busy.spans().iter().map(|span| (span.start, span.end)));
            self.at = (self.at.0 + 1, 0);
        }
        false
    }

    fn slice(&mut self, trace: &Trace, options: &Options, (id, span): (SliceId, Span), out: &mut Device) {
        let slices = &trace.tracks.get(id.track).slices;
        let row = id.row as usize;
        let (name, category) = (slices.name[row], Slices::sparse(&slices.category, row));
        let role = *self.roles.entry(category).or_insert_with(|| class::role(trace.strings.get(category)));
        let marks =
            *self.marks.entry(name).or_insert_with(|| class::marks(trace.strings.get(name), &options.step));
        let is_function = role == Role::Function;
        if marks.is_step {
            self.steps.push((span, id));
            return;
        }
        if marks.loads && !is_function {
            self.loads.push((span.start, span.end));
        }
        if marks.syncs && !is_function {
            self.syncs.push((span.start, span.end));
        }
        let is_operator = match role {
            Role::Operator => true,
            Role::Other => !self.has_operators,
            Role::Call | Role::Function => false,
        };
        if is_operator || role == Role::Call {
            self.busy_here.push(span);
        }
        if is_operator {
            self.open(id, name, span, out);
        }
    }

    /// Takes in an operator.
    fn open(&mut self, id: SliceId, name: StrId, span: Span, out: &mut Device) {
        while self.open.last().is_some_and(|open| open.end <= span.start) {
            self.open.pop();
        }
        let inside = span.intersect(out.span);
        if !out.span.touches(span) {
            self.open.push(Open { end: span.end, at: NONE });
            return;
        }
        if let Some(around) = self.open.last()
            && let Some(around_row) = out.operators.get_mut(around.at as usize)
        {
            let nested = inside.end.min(around.end).saturating_sub(inside.start).max(0);
            around_row.host_own -= i128::from(nested);
        }
        let next = u32::try_from(out.operators.len()).unwrap_or(NONE);
        let at = *self.of_name.entry(name).or_insert(next);
        if at == next {
            out.operators.push(Operator {
                name,
                track: id.track,
                longest: (id, Ticks::MIN),
                calls: 0,
                host_total: 0,
                host_own: 0,
                device_total: 0,
                device_own: 0,
                launched: 0,
            });
        }
        if let Some(row) = out.operators.get_mut(at as usize) {
            row.calls += 1;
            row.host_total += i128::from(inside.dur());
            row.host_own += i128::from(inside.dur());
            if row.longest.1 < span.dur() {
                row.longest = (id, span.dur());
            }
        }
        self.open.push(Open { end: span.end, at });
    }

    /// Gives launches before a time to the operators around them.
    fn calls_until(&mut self, track: TrackId, time: Ticks, out: &mut Device) {
        while let Some(&(of, at, number)) = self.calls.get(self.call) {
            if of != track || (time <= at && time != Ticks::MAX) {
                return;
            }
            self.call += 1;
            let Some(work) = out.works.get_mut(number as usize) else { continue };
            // Another flow of the same work has led to an operator already.
            if work.operator != StrId(0) {
                continue;
            }
            let dur = i128::from(work.span.intersect(out.span).dur());
            let mut is_innermost = true;
            for open in self.open.iter().rev().filter(|open| at <= open.end) {
                let Some(operator) = out.operators.get_mut(open.at as usize) else { continue };
                operator.device_total += dur;
                if std::mem::replace(&mut is_innermost, false) {
                    operator.device_own += dur;
                    operator.launched += 1;
                    work.operator = operator.name;
                }
            }
        }
    }
}
