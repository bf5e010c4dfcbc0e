//! Tracks of the host, once through: operators with what they launched, steps, loading of data, waiting for the device.

use super::class::{self, Marks, Role};
use super::dialect::Dialect;
use super::gather::Call;
use super::memory::MemoryPass;
use super::spans::Times;
use super::{Class, Device, Options};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;

/// What the calls of an operator, or of a function, add up to. Nested operators count for those around them too in all totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its name.
    pub name: StrId,
    /// The row around it in a tree; [`NONE`] at the top, and in lists.
    pub parent: u32,
    /// How many rows are around it.
    pub depth: u32,
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
    /// How many kernels and copies were launched in a call, whatever operator was innermost; each counts once, also where
    /// a call of this operator is around another.
    pub launched_total: u64,
    /// How many of those it launched as the innermost.
    pub launched: u64,
}

/// An operator that is not at its end.
pub(super) struct Open {
    pub(super) end: Ticks,
    /// Its row; [`NONE`] when it does not lie in the time.
    pub(super) at: u32,
    /// Whether one of the same row is around it.
    is_inner: bool,
}

/// No row.
pub const NONE: u32 = u32::MAX;

/// The pass on its way.
pub(super) struct HostPass {
    words: &'static Dialect,
    tracks: Vec<TrackId>,
    /// The track that comes next, the row in it, and the call.
    at: (usize, usize),
    call: usize,
    /// Whether `call` is one of the track.
    is_begun: bool,
    calls: Vec<Call>,
    operators: Nest,
    functions: Nest,
    modules: Nest,
    stacks: Nest,
    memory: MemoryPass,
    /// Whether a function is known that launched a work.
    is_called: Vec<bool>,
    /// Operators are told by their category; otherwise all that is neither a call nor a function is one.
    has_operators: bool,
    marks: Map<StrId, Marks>,
    roles: Map<StrId, Role>,
    pub(super) loads: Vec<(Ticks, Ticks)>,
    pub(super) syncs: Vec<(Ticks, Ticks)>,
    pub(super) busy: Vec<(Ticks, Ticks)>,
    busy_here: Times,
    pub(super) steps: Vec<(Span, SliceId)>,
}

impl HostPass {
    /// Begins with calls in the order of their tracks and times.
    pub(super) fn new(
        trace: &Trace,
        mut tracks: Vec<TrackId>,
        calls: Vec<Call>,
        memory: MemoryPass,
        n_works: usize,
    ) -> Self {
        // As the calls are.
        tracks.sort_unstable();
        let words = Dialect::of(trace);
        Self {
            words,
            tracks,
            at: (0, 0),
            call: 0,
            is_begun: false,
            calls,
            operators: Nest::default(),
            functions: Nest::default(),
            modules: Nest { is_tree: true, ..Nest::default() },
            stacks: Nest { is_tree: true, ..Nest::default() },
            memory,
            is_called: vec![false; n_works],
            has_operators: class::names_operators(trace, words),
            marks: Map::default(),
            roles: Map::default(),
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
            if !std::mem::replace(&mut self.is_begun, true) {
                self.call = self.calls.partition_point(|call| call.0 < track);
                self.memory.begin(track, out, trace, options);
            }
            let by = timeline.shift_of(track);
            while self.at.1 < slices.len() {
                let row = self.at.1;
                let span = slices.span(row).shifted(by);
                // A call at the very begin of a slice is one of that slice.
                if !self.calls_until(track, span.start, left, out) {
                    return true;
                }
                self.memory.until((track, span.start), &self.operators.open, out, (trace, options));
                self.slice(trace, options, (SliceId { track, row: row as u32 }, span), out);
                self.at.1 += 1;
                *left = left.saturating_sub(1);
            }
            if !self.calls_until(track, Ticks::MAX, left, out) {
                return true;
            }
            self.memory.until((track, Ticks::MAX), &self.operators.open, out, (trace, options));
            for nest in [&mut self.operators, &mut self.functions, &mut self.modules, &mut self.stacks] {
                nest.open.clear();
            }
            let busy = std::mem::take(&mut self.busy_here);
            self.busy.extend(busy.spans().iter().map(|span| (span.start, span.end)));
            (self.at, self.is_begun) = ((self.at.0 + 1, 0), false);
        }
        self.memory.end(out, trace, options);
        false
    }

    fn slice(&mut self, trace: &Trace, options: &Options, (id, span): (SliceId, Span), out: &mut Device) {
        let slices = &trace.tracks.get(id.track).slices;
        let row = id.row as usize;
        let (name, category) = (slices.name[row], Slices::sparse(&slices.category, row));
        let role = *self
            .roles
            .entry(category)
            .or_insert_with(|| class::role(self.words, trace.strings.get(category)));
        let marks = *self
            .marks
            .entry(name)
            .or_insert_with(|| class::marks(self.words, trace.strings.get(name), &options.step));
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
            self.operators.push(id, name, span, out.span, &mut out.operators);
        }
        if is_function {
            self.functions.push(id, name, span, out.span, &mut out.functions);
            self.stacks.push(id, name, span, out.span, &mut out.stacks.rows);
            if marks.is_module {
                self.modules.push(id, name, span, out.span, &mut out.modules.rows);
            }
        }
    }

    /// Gives launches before a time to what is around them; false when that is not all that can be done in this step.
    fn calls_until(&mut self, track: TrackId, time: Ticks, left: &mut usize, out: &mut Device) -> bool {
        while 0 < *left
            && let Some(&(of, at, number)) = self.calls.get(self.call)
        {
            if of != track || (time <= at && time != Ticks::MAX) {
                break;
            }
            self.call += 1;
            *left -= 1;
            let Some(work) = out.works.get_mut(number as usize) else { continue };
            let dur = match work.class {
                Class::Wait => None,
                _ => Some(i128::from(work.span.intersect(out.span).dur())),
            };
            // Another flow of the same work may have led to an operator already.
            if work.operator == StrId(0)
                && let Some(name) = self.operators.launch(at, dur, &mut out.operators)
            {
                work.operator = name;
            }
            if dur.is_some() && !self.is_called[number as usize] {
                let found = self.functions.launch(at, dur, &mut out.functions);
                self.is_called[number as usize] = found.is_some();
                if found.is_some() {
                    self.stacks.launch(at, dur, &mut out.stacks.rows);
                    self.modules.launch(at, dur, &mut out.modules.rows);
                }
            }
        }
        0 < *left
    }
}

/// Slices of one kind that are nested in each other.
#[derive(Default)]
struct Nest {
    open: Vec<Open>,
    /// Rows by the one around them, in trees, and their name.
    of_name: Map<(u32, StrId), u32>,
    is_tree: bool,
}

impl Nest {
    /// Takes in the next slice.
    fn push(&mut self, id: SliceId, name: StrId, span: Span, time: Span, rows: &mut Vec<Operator>) {
        while self.open.last().is_some_and(|open| open.end <= span.start) {
            self.open.pop();
        }
        let inside = span.intersect(time);
        if !time.touches(span) {
            self.open.push(Open { end: span.end, at: NONE, is_inner: false });
            return;
        }
        if let Some(around) = self.open.last()
            && let Some(row) = rows.get_mut(around.at as usize)
        {
            let nested = inside.end.min(around.end).saturating_sub(inside.start).max(0);
            row.host_own -= i128::from(nested);
        }
        let next = u32::try_from(rows.len()).unwrap_or(NONE);
        let parent = self.open.last().filter(|_| self.is_tree).map_or(NONE, |around| around.at);
        let at = *self.of_name.entry((parent, name)).or_insert(next);
        if at == next {
            let longest = (id, Ticks::MIN);
            let (host_total, host_own, device_total, device_own) = (0, 0, 0, 0);
            let (calls, launched_total, launched) = (0, 0, 0);
            let depth = rows.get(parent as usize).map_or(0, |around| around.depth + 1);
            rows.push(Operator {
                name,
                parent,
                depth,
                longest,
                calls,
                host_total,
                host_own,
                device_total,
                device_own,
                launched_total,
                launched,
            });
        }
        if let Some(row) = rows.get_mut(at as usize) {
            row.calls += 1;
            row.host_total += i128::from(inside.dur());
            row.host_own += i128::from(inside.dur());
            if row.longest.1 < span.dur() {
                row.longest = (id, span.dur());
            }
        }
        let is_inner = !self.is_tree && self.open.iter().any(|around| around.at == at);
        self.open.push(Open { end: span.end, at, is_inner });
    }

    /// Gives what was launched at a time to the slices around it; the name of the innermost.
    fn launch(&self, at: Ticks, dur: Option<i128>, rows: &mut [Operator]) -> Option<StrId> {
        let mut innermost = None;
        for open in self.open.iter().rev().filter(|open| at <= open.end) {
            let Some(row) = rows.get_mut(open.at as usize) else { continue };
            row.device_total += dur.unwrap_or(0);
            row.launched_total += u64::from(dur.is_some() && !open.is_inner);
            if innermost.is_none() {
                innermost = Some(row.name);
                row.device_own += dur.unwrap_or(0);
                row.launched += u64::from(dur.is_some());
            }
        }
        innermost
    }
}
