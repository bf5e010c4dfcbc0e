//! The slices of streams, and the flows that lead to them.

use super::class::{self, Class, Stream};
use super::dialect::Dialect;
use super::idle::Idle;
use super::{Device, Launch, StreamWork, Work};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;

/// Where the host called for a piece of work: track, time, number of the work.
pub(super) type Call = (TrackId, Ticks, u32);

/// No stream.
const NONE: u32 = u32::MAX;

/// Slices of streams, on their way.
pub(super) struct Gathering {
    words: &'static Dialect,
    streams: Vec<(TrackId, Stream)>,
    /// The stream that comes next, and the row in it.
    at: (usize, usize),
    /// What names are, as far as they were looked at: by name and category.
    classes: Map<(StrId, StrId), Option<Class>>,
    /// The stream of each track.
    of_track: Vec<u32>,
    /// The flow that comes next.
    flow: usize,
    pub(super) calls: Vec<Call>,
}

impl Gathering {
    pub(super) fn new(trace: &Trace) -> Self {
        let (words, shown) = (Dialect::of(trace), trace.tracks.shown().iter());
        let streams: Vec<_> =
            shown.filter_map(|id| class::stream(trace, words, *id).map(|stream| (*id, stream))).collect();
        let mut of_track = vec![NONE; trace.tracks.len()];
        (0..).zip(&streams).for_each(|(at, (id, _))| of_track[id.index()] = at);
        let (at, classes, calls) = ((0, 0), Map::default(), Vec::new());
        Self { words, streams, at, classes, of_track, flow: 0, calls }
    }

    /// Tracks of the host: neither streams nor beside them.
    pub(super) fn host_tracks(&self, trace: &Trace) -> Vec<TrackId> {
        let group = |id: TrackId| trace.tracks.find(id).and_then(|track| track.parent);
        let mut devices: Vec<TrackId> = self.streams.iter().filter_map(|(id, _)| group(*id)).collect();
        devices.sort_unstable();
        devices.dedup();
        let is_host = |id: &TrackId| {
            let is_beside = group(*id).is_some_and(|group| devices.binary_search(&group).is_ok());
            !trace.tracks.get(*id).slices.is_empty()
                && self.of_track[id.index()] == NONE
                && !is_beside
                && !class::is_on_device(trace, self.words, *id)
        };
        trace.tracks.shown().iter().copied().filter(is_host).collect()
    }

    /// Takes in slices of streams; says whether there are more.
    pub(super) fn slices(
        &mut self,
        trace: &Trace,
        timeline: &Timeline,
        left: &mut usize,
        out: &mut Device,
    ) -> bool {
        if self.at == (0, 0) {
            // Growing would move millions of them at once.
            let n = self.streams.iter().map(|(id, _)| trace.tracks.get(*id).slices.len()).sum();
            out.works.reserve_exact(n);
        }
        while let Some(&(track, kind)) = self.streams.get(self.at.0) {
            let slices = &trace.tracks.get(track).slices;
            if self.at.1 == 0 {
                let works = out.works.len()..out.works.len();
                out.streams.push(StreamWork { track, works, idle: Idle::default(), queue: Vec::new() });
            }
            let end = slices.len().min(self.at.1 + *left);
            let by = timeline.shift_of(track);
            for row in self.at.1..end {
                let (name, category) = (slices.name[row], Slices::sparse(&slices.category, row));
                let of_name =
                    || class::class(self.words, trace.strings.get(name), trace.strings.get(category));
                let class = *self.classes.entry((name, category)).or_insert_with(of_name);
                let class = if kind == Stream::Communication { Some(Class::Communication) } else { class };
                let Some(class) = class else { continue };
                out.works.push(Work {
                    slice: SliceId { track, row: row as u32 },
                    span: slices.span(row).shifted(by),
                    class,
                    stream: self.at.0 as u32,
                    launch: None,
                    operator: StrId(0),
                    queue: 0,
                });
            }
            *left -= end - self.at.1;
            self.at.1 = end;
            if end < slices.len() {
                return true;
            }
            if let Some(stream) = out.streams.last_mut() {
                stream.works.end = out.works.len();
            }
            self.at = (self.at.0 + 1, 0);
        }
        false
    }

    /// Takes in flows; says whether there are more.
    pub(super) fn flows(
        &mut self,
        trace: &Trace,
        timeline: &Timeline,
        left: &mut usize,
        out: &mut Device,
    ) -> bool {
        let flows = &trace.flows;
        let end = flows.len().min(self.flow + *left / 4);
        for at in self.flow..end {
            let (from, to) = (flows.from[at], flows.to[at]);
            let stream = |id: TrackId| self.of_track.get(id.index()).copied().unwrap_or(NONE);
            if stream(to.track) == NONE || stream(from.track) != NONE {
                continue;
            }
            let flow = crate::model::id::FlowId(at as u32);
            let [call, launched] = timeline.flows().ends(trace, flow);
            let begin = to.time.saturating_add(timeline.shift_of(to.track));
            let Some(number) = find(out, stream(to.track), begin, launched) else { continue };
            let time = from.time.saturating_add(timeline.shift_of(from.track));
            let work = &mut out.works[number as usize];
            if work.launch.is_none_or(|known| known.time < time) {
                work.launch = Some(Launch { track: from.track, time, row: call.map(|call| call.row) });
            }
            self.calls.push((from.track, time, number));
        }
        *left -= 4 * (end - self.flow);
        self.flow = end;
        end < flows.len()
    }
}

/// The work that a flow leads to: what begins at its end, of several the first that no flow led to; else the slice that
/// the flow is bound to.
fn find(out: &Device, stream: u32, begin: Ticks, bound: Option<SliceId>) -> Option<u32> {
    let range = out.streams.get(stream as usize)?.works.clone();
    let works = &out.works[range.clone()];
    let from = works.partition_point(|work| work.span.start < begin);
    let alike = works[from..].iter().take_while(|work| work.span.start == begin).count();
    let at = match alike {
        0 => {
            let row = bound?.row;
            let at = works.partition_point(|work| work.slice.row < row);
            works.get(at).filter(|work| work.slice.row == row).map(|_| at)?
        }
        n => {
            let free = (from..from + n).find(|&at| works[at].launch.is_none());
            free.unwrap_or(from)
        }
    };
    u32::try_from(range.start + at).ok()
}
