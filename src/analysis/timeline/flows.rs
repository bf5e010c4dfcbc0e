//! Which slices flows are bound to: by the flag of the same id on the track, or the slice around the time.

use super::Timeline;
use super::track::TrackLanes;
use super::window::slice_around;
use crate::base::map::Map;
use crate::base::sort::Sorting;
use crate::base::time::Span;
use crate::model::id::{FlowId, SliceId, StrId, TrackId};
use crate::model::{FlowEnd, Trace};
use std::ops::ControlFlow;

/// Both ends of every flow.
#[derive(Default)]
pub struct FlowIndex {
    from: Vec<Option<u32>>,
    to: Vec<Option<u32>>,
    /// Slices with the flows that begin or end at them, sorted.
    by_slice: Vec<(SliceId, FlowId)>,
    /// How many flows there are of each category.
    categories: Map<StrId, u64>,
}

/// Flows that are being tied to their slices.
pub(super) enum Binding {
    /// Slices that flows find by their flag are collected, from a row of a track on.
    Collect {
        flags: Vec<Flag>,
        track: usize,
        row: usize,
    },
    Order(Sorting<Flag>),
    /// Ends are bound, from a flow on.
    Bind {
        flags: Vec<Flag>,
        flow: usize,
        index: FlowIndex,
    },
    /// Ends are put in order of their slices.
    Sort(Sorting<(SliceId, FlowId)>, FlowIndex),
}

/// A slice that has a flag: its track, the flag, its row.
type Flag = (TrackId, StrId, u32);

impl Binding {
    /// Begins with the flows of a trace.
    pub(super) fn new(trace: &Trace) -> Self {
        let track = if trace.flows.by_flag { 0 } else { trace.tracks.len() };
        Self::Collect { flags: Vec::new(), track, row: 0 }
    }

    /// Does as much as `left` allows, which is counted down: what is left to do, or the index. A machine, as an inner
    /// loop of machines that run while the trace still grows, too.
    pub(super) fn step(
        self,
        trace: &Trace,
        tracks: &[TrackLanes],
        left: &mut usize,
    ) -> ControlFlow<FlowIndex, Self> {
        match self {
            Self::Collect { mut flags, mut track, mut row } => {
                while 0 < *left && track < trace.tracks.len() {
                    let id = TrackId(track as u32);
                    let of = trace.tracks.get(id);
                    let column = &of.slices.flag;
                    let end = column.len().min(row.saturating_add(*left));
                    let flagged = (row..end).filter(|&row| column[row] != StrId(0));
                    flags.extend(flagged.map(|row| (id, column[row], row as u32)));
                    *left = left.saturating_sub(end - row + 1);
                    (track, row) = if end == column.len() { (track + 1, 0) } else { (track, end) };
                }
                if track < trace.tracks.len() {
                    return ControlFlow::Continue(Self::Collect { flags, track, row });
                }
                ControlFlow::Continue(Self::Order(Sorting::new(flags)))
            }
            Self::Order(mut sorting) => {
                *left = 0;
                if sorting.step() {
                    return ControlFlow::Continue(Self::Order(sorting));
                }
                ControlFlow::Continue(Self::Bind {
                    flags: sorting.finish(),
                    flow: 0,
                    index: FlowIndex::default(),
                })
            }
            Self::Bind { flags, mut flow, mut index } => {
                index.bind(&flags, &mut flow, (trace, tracks), left);
                if flow < trace.flows.len() {
                    return ControlFlow::Continue(Self::Bind { flags, flow, index });
                }
                ControlFlow::Continue(Self::Sort(Sorting::new(std::mem::take(&mut index.by_slice)), index))
            }
            Self::Sort(mut sorting, mut index) => {
                *left = 0;
                if sorting.step() {
                    return ControlFlow::Continue(Self::Sort(sorting, index));
                }
                index.by_slice = sorting.finish();
                ControlFlow::Break(index)
            }
        }
    }
}

impl FlowIndex {
    /// Binds the ends of flows from one on, as many as `left` allows, which is counted down.
    fn bind(
        &mut self,
        flags: &[Flag],
        flow: &mut usize,
        (trace, tracks): (&Trace, &[TrackLanes]),
        left: &mut usize,
    ) {
        let index = self;
        let flows = &trace.flows;
        if *flow == 0 {
            // Growing would move millions of them at once.
            index.from.reserve_exact(flows.len());
            index.to.reserve_exact(flows.len());
            index.by_slice.reserve_exact(2 * flows.len());
        }
        // The first of several slices of one flag.
        let by_flag = |end: &FlowEnd, id: StrId| {
            let at = flags.partition_point(|flag| *flag < (end.track, id, 0));
            flags.get(at).filter(|flag| (flag.0, flag.1) == (end.track, id)).map(|flag| flag.2)
        };
        let bind = |end: &FlowEnd, id: StrId| {
            by_flag(end, id).or_else(|| slice_around(tracks.get(end.track.index())?, end.time))
        };
        while 0 < *left && *flow < flows.len() {
            let (from, to, id) = (&flows.from[*flow], &flows.to[*flow], flows.id[*flow]);
            let rows = [bind(from, id), bind(to, id)];
            *index.categories.entry(flows.category[*flow]).or_default() += 1;
            index.from.push(rows[0]);
            index.to.push(rows[1]);
            let slice = |end: &FlowEnd, row: Option<u32>| {
                row.map(|row| (SliceId { track: end.track, row }, FlowId(*flow as u32)))
            };
            let ends = [slice(from, rows[0]), slice(to, rows[1])];
            // A flow from a slice to itself stands there once.
            let other = ends[1].filter(|end| ends[0] != Some(*end));
            index.by_slice.extend(ends[0].into_iter().chain(other));
            *flow += 1;
            *left = left.saturating_sub(4);
        }
    }

    /// The categories with how many flows there are of each, in no order.
    pub fn categories(&self) -> impl Iterator<Item = (StrId, u64)> {
        self.categories.iter().map(|(name, n)| (*name, *n))
    }

    /// The slices at both ends of a flow, where there are some.
    pub fn ends(&self, trace: &Trace, flow: FlowId) -> [Option<SliceId>; 2] {
        let i = flow.index();
        let end = |rows: &[Option<u32>], ends: &[FlowEnd]| {
            let row = rows.get(i).copied().flatten()?;
            Some(SliceId { track: ends.get(i)?.track, row })
        };
        [end(&self.from, &trace.flows.from), end(&self.to, &trace.flows.to)]
    }

    /// The flows that begin or end at a slice.
    pub fn of_slice(&self, id: SliceId) -> impl Iterator<Item = FlowId> {
        let from = self.by_slice.partition_point(|(slice, _)| *slice < id);
        self.by_slice[from..].iter().take_while(move |(slice, _)| *slice == id).map(|(_, flow)| *flow)
    }

    /// The flows that begin or end at slices of a track from a row on, with the slices, in their order.
    pub fn of_rows(&self, track: TrackId, row: u32) -> impl Iterator<Item = (SliceId, FlowId)> {
        let from = self.by_slice.partition_point(|(slice, _)| *slice < SliceId { track, row });
        self.by_slice[from..].iter().take_while(move |(slice, _)| slice.track == track).copied()
    }

    /// Flows that are meant and seen in a window of shown time: those that begin before its end and end after its start.
    /// At most `limit`, taken evenly from all; and how many there are.
    pub fn in_window(
        trace: &Trace,
        timeline: &Timeline,
        span: Span,
        limit: usize,
        is_meant: impl Fn(FlowId) -> bool,
    ) -> (Vec<FlowId>, u64) {
        let flows = &trace.flows;
        let time = |end: FlowEnd| end.time.saturating_add(timeline.shift_of(end.track));
        let seen: Vec<FlowId> = flows
            .ids()
            .filter(|id| {
                let ends = Span::new(time(flows.from[id.index()]), time(flows.to[id.index()]));
                ends.start < span.end && span.start <= ends.end
            })
            .filter(|&id| is_meant(id))
            .collect();
        let n = seen.len();
        if n <= limit {
            return (seen, n as u64);
        }
        ((0..limit).map(|i| seen[i * n / limit]).collect(), n as u64)
    }
}
