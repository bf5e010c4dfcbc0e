//! Which slices flows are bound to: by the flag of the same id on the track, or the slice around the time.

use super::Timeline;
use super::track::TrackLanes;
use super::window::slice_around;
use crate::base::map::Map;
use crate::base::time::Span;
use crate::model::Trace;
use crate::model::flow::FlowEnd;
use crate::model::id::{FlowId, SliceId, StrId, TrackId};

/// Both ends of every flow.
#[derive(Default)]
pub struct FlowIndex {
    from: Vec<Option<u32>>,
    to: Vec<Option<u32>>,
    /// Slices with the flows that begin or end at them, sorted.
    by_slice: Vec<(SliceId, FlowId)>,
}

impl FlowIndex {
    pub(super) fn finish(&mut self, trace: &Trace, tracks: &[TrackLanes]) {
        let flows = &trace.flows;
        let flags = if flows.by_flag { flags(trace) } else { Map::default() };
        let bind = |end: &FlowEnd, id: StrId| {
            let by_flag = flags.get(&(end.track, id)).copied();
            by_flag.or_else(|| slice_around(tracks.get(end.track.index())?, end.time))
        };
        self.from = flows.from.iter().zip(&flows.id).map(|(end, &id)| bind(end, id)).collect();
        self.to = flows.to.iter().zip(&flows.id).map(|(end, &id)| bind(end, id)).collect();
        self.by_slice.clear();
        for (i, flow) in flows.ids().enumerate() {
            let ends = [(flows.from[i].track, self.from[i]), (flows.to[i].track, self.to[i])];
            for (track, row) in ends {
                self.by_slice.extend(row.map(|row| (SliceId { track, row }, flow)));
            }
        }
        self.by_slice.sort_unstable();
        self.by_slice.dedup();
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

/// The slice of each flag on each track; of several the first.
fn flags(trace: &Trace) -> Map<(TrackId, StrId), u32> {
    let mut flags = Map::default();
    for (id, track) in trace.tracks.iter() {
        for (row, &flag) in (0u32..).zip(&track.slices.flag) {
            if flag != StrId(0) {
                flags.entry((id, flag)).or_insert(row);
            }
        }
    }
    flags
}
