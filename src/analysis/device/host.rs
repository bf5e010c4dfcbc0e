//! Tracks of the host, once through: operators with what they launched, steps, loading of data, waiting for the device.

use super::class::{self, Marks, Role};
use super::dialect::Dialect;
use super::gather::Call;
use super::making::ROW;
use super::memory::MemoryPass;
use super::ranks::Ranks;
use super::waits::{Called, Kind};
use super::{Class, Device, Options, Times};
use crate::analysis::timeline::Timeline;
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};

/// What the calls of an operator, or of a function, add up to. Nested operators count for those around them too in all totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    pub name: StrId,
    /// The row around it in a tree; [`NONE`] at the top, and in lists.
    pub parent: u32,
    /// How many rows are around it.
    pub depth: u32,
    /// Its longest call, and how long it takes.
    pub longest: (SliceId, Ticks),
    pub calls: u64,
    /// How many of the calls do not lie in another of the same row, as those of functions that call themselves do.
    pub outermost: u64,
    /// Sum of the lengths of these: time of calls that lie in each other counts once.
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
}

/// No row.
pub const NONE: u32 = u32::MAX;

/// The pass.
pub(super) struct HostPass {
    words: &'static Dialect,
    calls: Vec<Call>,
    /// The call that comes next.
    call: usize,
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
    ranks: Ranks,
    /// What is found of the host of each rank, and of the track that it is in.
    times: Vec<HostTimes>,
    here: HostTimes,
    busy_here: Times,
}

/// When the host of a rank does what, in any order.
#[derive(Clone, Default)]
pub(super) struct HostTimes {
    pub(super) busy: Vec<(Ticks, Ticks)>,
    pub(super) steps: Vec<(Span, SliceId)>,
    /// What calls load, wait and ask for memory, track by track.
    pub(super) calls: Vec<Called>,
}

impl HostTimes {
    fn extend(&mut self, other: &Self) {
        self.busy.extend_from_slice(&other.busy);
        self.steps.extend_from_slice(&other.steps);
        self.calls.extend_from_slice(&other.calls);
    }
}

impl HostPass {
    /// Begins with calls in the order of their tracks and times.
    pub(super) fn new(
        trace: &Trace,
        calls: Vec<Call>,
        memory: MemoryPass,
        n_works: usize,
        ranks: Ranks,
    ) -> Self {
        let words = Dialect::of(trace);
        Self {
            words,
            calls,
            call: 0,
            operators: Nest::default(),
            functions: Nest::default(),
            modules: Nest { is_tree: true, ..Nest::default() },
            stacks: Nest { is_tree: true, ..Nest::default() },
            memory,
            is_called: vec![false; n_works],
            has_operators: class::names_operators(trace, words),
            marks: Map::default(),
            roles: Map::default(),
            times: vec![HostTimes::default(); ranks.len()],
            ranks,
            here: HostTimes::default(),
            busy_here: Times::default(),
        }
    }

    /// Takes in the slices of tracks. Returns what is found of the host of each rank.
    pub(super) async fn run(
        mut self,
        (trace, timeline): (&Trace, &Timeline),
        (mut tracks, options): (Vec<TrackId>, &Options),
        out: &mut Device,
        turn: &Turn,
    ) -> Vec<HostTimes> {
        // As the calls are.
        tracks.sort_unstable();
        for track in tracks {
            let (slices, by) = (&trace.tracks.get(track).slices, timeline.shift_of(track));
            self.call = self.calls.partition_point(|call| call.0 < track);
            self.memory.begin(track, out, trace, options);
            for row in 0..slices.len() {
                let span = slices.span(row).shifted(by);
                // A call at the very begin of a slice is one of that slice.
                while self.takes_calls(track, span.start, out, turn) {
                    turn.pause().await;
                }
                self.memory.until((track, span.start), &self.operators.open, out, (trace, options));
                self.slice(trace, options, (SliceId { track, row: row as u32 }, span), out);
                if turn.is_over(ROW) {
                    turn.pause().await;
                }
            }
            while self.takes_calls(track, Ticks::MAX, out, turn) {
                turn.pause().await;
            }
            self.memory.until((track, Ticks::MAX), &self.operators.open, out, (trace, options));
            for nest in [&mut self.operators, &mut self.functions, &mut self.modules, &mut self.stacks] {
                nest.open.clear();
            }
            let busy = std::mem::take(&mut self.busy_here);
            self.here.busy.extend(busy.spans().iter().map(|span| (span.start, span.end)));
            let here = std::mem::take(&mut self.here);
            for unit in self.ranks.of_host(track) {
                self.times[*unit as usize].extend(&here);
            }
        }
        self.memory.end(out, trace, options);
        self.times
    }

    fn slice(&mut self, trace: &Trace, options: &Options, (id, span): (SliceId, Span), out: &mut Device) {
        let slices = &trace.tracks.get(id.track).slices;
        let row = id.row as usize;
        let (name, category) = (slices.name[row], slices.category_of(row));
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
            self.here.steps.push((span, id));
            return;
        }
        let loads = marks.loads && !is_function && !self.computes((id.track, span.end), out);
        let is_kind = [(loads, Kind::Loads), (marks.syncs, Kind::Waits), (marks.allocates, Kind::Allocates)];
        if let Some((_, kind)) = is_kind.into_iter().find(|(is, _)| *is && !is_function) {
            let inside = self.around(span.start, trace, out);
            self.here.calls.push(Called { kind, name, inside, slice: id, span });
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

    /// Whether something is launched from here to a time that computes or communicates: a slice in which that happens does
    /// more than to load data, whatever its name is.
    fn computes(&self, (track, end): (TrackId, Ticks), out: &Device) -> bool {
        let calls = self.calls.get(self.call..).unwrap_or_default().iter();
        let mut inside = calls.take_while(|(of, at, _)| *of == track && *at < end);
        let class = |work: u32| out.works.get(work as usize).map(|work| work.class);
        inside.any(|(.., work)| matches!(class(*work), Some(Class::Compute | Class::Communication)))
    }

    /// The name of what goes on at a time: of the innermost operator that is no inner part of another by its name, else of
    /// the innermost operator, else of the innermost module; empty for none.
    fn around(&self, time: Ticks, trace: &Trace, out: &Device) -> StrId {
        let going_on = |nest: &Nest| -> Vec<u32> {
            nest.open
                .iter()
                .rev()
                .filter(|open| time < open.end && open.at != NONE)
                .map(|open| open.at)
                .collect()
        };
        let operators = going_on(&self.operators);
        let names = operators.iter().filter_map(|at| Some(out.operators.get(*at as usize)?.name));
        let names: Vec<StrId> = names.collect();
        let is_inner = |name: &&StrId| {
            let text = trace.strings.get(**name);
            text.rsplit("::").next().is_some_and(|last| last.starts_with('_'))
        };
        let outer = names.iter().find(|name| !is_inner(name)).or(names.first()).copied();
        let module = || {
            let at = going_on(&self.modules).first().copied()?;
            Some(out.modules.rows.get(at as usize)?.name)
        };
        outer.or_else(module).unwrap_or(StrId(0))
    }

    /// Gives launches before a time to what is around them until the turn is over; says whether it is.
    fn takes_calls(&mut self, track: TrackId, time: Ticks, out: &mut Device, turn: &Turn) -> bool {
        while let Some(&(of, at, number)) = self.calls.get(self.call) {
            if of != track || (time <= at && time != Ticks::MAX) {
                return false;
            }
            if turn.is_over(ROW) {
                return true;
            }
            self.call += 1;
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
        false
    }
}

/// Until when a row lasts, so that no time of it counts twice.
#[derive(Clone, Copy, Default)]
struct Lasting {
    /// The track on which this was seen.
    track: u32,
    until: Ticks,
    /// The last launch that counted for the row.
    launch: u64,
}

/// Slices of one kind that are nested in each other.
#[derive(Default)]
struct Nest {
    open: Vec<Open>,
    /// By row.
    lasting: Vec<Lasting>,
    n_launches: u64,
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
            self.open.push(Open { end: span.end, at: NONE });
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
            let (calls, outermost, launched_total, launched) = (0, 0, 0, 0);
            let depth = rows.get(parent as usize).map_or(0, |around| around.depth + 1);
            rows.push(Operator {
                name,
                parent,
                depth,
                longest,
                calls,
                outermost,
                host_total,
                host_own,
                device_total,
                device_own,
                launched_total,
                launched,
            });
        }
        if let Some(row) = rows.get_mut(at as usize) {
            if self.lasting.len() <= at as usize {
                self.lasting.resize(at as usize + 1, Lasting { track: u32::MAX, ..Lasting::default() });
            }
            let lasting = &mut self.lasting[at as usize];
            let until = if lasting.track == id.track.0 { lasting.until } else { Ticks::MIN };
            (lasting.track, lasting.until) = (id.track.0, until.max(inside.end));
            row.calls += 1;
            if until <= inside.start || until < inside.end {
                row.outermost += 1;
                row.host_total += i128::from(inside.dur());
            }
            row.host_own += i128::from(inside.dur());
            if row.longest.1 < span.dur() {
                row.longest = (id, span.dur());
            }
        }
        self.open.push(Open { end: span.end, at });
    }

    /// Gives what was launched at a time to the slices around it; the name of the innermost.
    fn launch(&mut self, at: Ticks, dur: Option<i128>, rows: &mut [Operator]) -> Option<StrId> {
        self.n_launches += 1;
        let mut innermost = None;
        for open in self.open.iter().rev().filter(|open| at <= open.end) {
            let Some(row) = rows.get_mut(open.at as usize) else { continue };
            let lasting = &mut self.lasting[open.at as usize];
            if std::mem::replace(&mut lasting.launch, self.n_launches) != self.n_launches {
                row.device_total += dur.unwrap_or(0);
                row.launched_total += u64::from(dur.is_some());
            }
            if innermost.is_none() {
                innermost = Some(row.name);
                row.device_own += dur.unwrap_or(0);
                row.launched += u64::from(dur.is_some());
            }
        }
        innermost
    }
}
