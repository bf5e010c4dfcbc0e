//! The slices of streams, and the flows that lead to them.

use super::class::{self, Class, Stream};
use super::dialect::Dialect;
use super::idle::Idle;
use super::making::{PIECE, ROW};
use super::ranks::Ranks;
use super::{Device, Launch, Options, StreamWork, Times, Work};
use crate::analysis::timeline::Timeline;
use crate::base::job::{Turn, pieces};
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;

/// Where the host called for a piece of work: track, time, number of the work.
pub(super) type Call = (TrackId, Ticks, u32);

/// What it costs to find out what a name is, as [`Turn::is_over`] counts: a hundred rows.
const NAME: usize = 100 * ROW;

/// No stream.
const NONE: u32 = u32::MAX;

/// What slices of streams are.
pub(super) struct Gathering {
    words: &'static Dialect,
    streams: Vec<(TrackId, Stream)>,
    /// What names are, as far as they were looked at: by name and category.
    classes: Map<(StrId, StrId), Option<(Class, bool)>>,
    /// Texts of names of communication that a person wrote.
    exchanges: Vec<String>,
    /// Of each stream how many parts of communications there are, and how much of other computing.
    parts: Vec<[u32; 2]>,
    pub(super) ranks: Ranks,
    /// The stream of each track.
    of_track: Vec<u32>,
}

impl Gathering {
    pub(super) fn new(trace: &Trace, options: &Options) -> Self {
        let (words, shown) = (Dialect::of(trace), trace.tracks.shown().iter());
        let streams: Vec<_> =
            shown.filter_map(|id| class::stream(trace, words, *id).map(|stream| (*id, stream))).collect();
        let mut of_track = vec![NONE; trace.tracks.len()];
        (0..).zip(&streams).for_each(|(at, (id, _))| of_track[id.index()] = at);
        let (exchanges, parts) = (class::texts(&options.communication), vec![[0; 2]; streams.len()]);
        let ranks = Ranks::new(trace, &streams);
        Self { words, streams, classes: Map::default(), exchanges, parts, ranks, of_track }
    }

    /// Tracks of the host: neither streams nor beside them.
    pub(super) fn host_tracks(&self, trace: &Trace) -> Vec<TrackId> {
        let group = |id: TrackId| trace.tracks.find(id).and_then(|track| track.parent);
        let mut devices: Vec<TrackId> = self.streams.iter().filter_map(|(id, _)| group(*id)).collect();
        devices.sort_unstable();
        devices.dedup();
        let is_host = |id: &TrackId| {
            let is_beside = || group(*id).is_some_and(|group| devices.binary_search(&group).is_ok());
            !trace.tracks.get(*id).slices.is_empty()
                && self.of_track[id.index()] == NONE
                && class::is_host(trace, self.words, *id, is_beside)
        };
        trace.tracks.shown().iter().copied().filter(is_host).collect()
    }

    /// Tracks of devices whose slices are steps, each with the number of its rank: those beside streams.
    pub(super) fn step_tracks(&self, trace: &Trace) -> Vec<(u32, TrackId)> {
        let name = |id: TrackId| trace.strings.get(trace.tracks.get(id).name).trim();
        let group = |id: TrackId| trace.tracks.get(id).parent;
        let own = trace.tracks.shown().iter().copied();
        let own = own.filter(|id| self.words.step_tracks.contains(&name(*id)) && group(*id).is_some());
        let rank = |track: TrackId| {
            let at = self.streams.iter().position(|(stream, _)| group(*stream) == group(track))?;
            self.ranks.of_stream.get(at).copied()
        };
        own.filter_map(|track| Some((rank(track)?, track))).collect()
    }

    /// Takes in the slices of streams.
    pub(super) async fn slices(
        &mut self,
        (trace, timeline): (&Trace, &Timeline),
        out: &mut Device,
        turn: &Turn,
    ) {
        // Growing would move millions of them at once.
        let n = self.streams.iter().map(|(id, _)| trace.tracks.get(*id).slices.len()).sum();
        out.works.reserve_exact(n);
        for at in 0..self.streams.len() {
            let (track, kind) = self.streams[at];
            let (slices, by) = (&trace.tracks.get(track).slices, timeline.shift_of(track));
            let begin = out.works.len();
            for rows in pieces(slices.len(), PIECE / 4) {
                let (n, n_names) = (rows.len(), self.classes.len());
                for row in rows {
                    let id = SliceId { track, row: row as u32 };
                    let class = self.class(trace, slices, row);
                    let Some((class, is_part)) = class else { continue };
                    let class = if kind == Stream::Communication { Class::Communication } else { class };
                    let part = &mut self.parts[at];
                    part[0] += u32::from(is_part || class == Class::Communication);
                    part[1] += u32::from(!is_part && class == Class::Compute);
                    out.works.push(Work {
                        slice: id,
                        span: slices.span(row).shifted(by),
                        class,
                        is_part: false,
                        stream: at as u32,
                        launch: None,
                        operator: StrId(0),
                        queue: 0,
                        launched_with: 0,
                        is_first: false,
                        stands_for_call: false,
                    });
                }
                if turn.is_over(ROW * n + NAME * (self.classes.len() - n_names)) {
                    turn.pause().await;
                }
            }
            let (rank, works) = (self.ranks.of_stream[at], begin..out.works.len());
            out.streams.push(StreamWork { track, rank, works, idle: Idle::default(), queue: Vec::new() });
        }
        self.join_parts(trace, out);
    }

    /// What the device does during a slice, and whether it may be a part of a communication.
    fn class(&mut self, trace: &Trace, slices: &Slices, row: usize) -> Option<(Class, bool)> {
        let (name, category) = (slices.name[row], slices.category_of(row));
        let of_name = || {
            let [name, category] = [name, category].map(|id| trace.strings.get(id));
            let class = class::class(self.words, name, category, &self.exchanges)?;
            Some((class, class::is_transport(self.words, name, category)))
        };
        *self.classes.entry((name, category)).or_insert_with(of_name)
    }

    /// Where the file says when a device communicates, slices that only name a part of it are communication: all copies
    /// and parts of streams that compute nothing, elsewhere the parts during a communication. What communicates there is
    /// then a part of what that track says.
    fn join_parts(&mut self, trace: &Trace, out: &mut Device) {
        let mut exchanges: Vec<Vec<(Ticks, Ticks)>> = vec![Vec::new(); self.ranks.len()];
        for (at, _) in self.streams.iter().enumerate().filter(|(_, (_, kind))| *kind == Stream::Communication)
        {
            let works = &out.works[out.streams[at].works.clone()];
            let spans = works.iter().map(|work| (work.span.start, work.span.end));
            exchanges[self.ranks.of_stream[at] as usize].extend(spans);
        }
        let exchanges: Vec<Times> = exchanges
            .into_iter()
            .map(|mut spans| {
                spans.sort_unstable();
                Times::of_sorted(spans)
            })
            .collect();
        for (at, [n_parts, n_others]) in self.parts.iter().copied().enumerate() {
            let unit = self.ranks.of_stream[at] as usize;
            if n_parts == 0 || self.streams[at].1 == Stream::Communication || !self.ranks.has_exchange[unit] {
                continue;
            }
            for work in &mut out.works[out.streams[at].works.clone()] {
                let slices = &trace.tracks.get(work.slice.track).slices;
                let row = work.slice.row as usize;
                let key = (slices.name[row], slices.category_of(row));
                let is_part = self.classes.get(&key).copied().flatten().is_some_and(|(_, is_part)| is_part);
                let is_meant = match work.class {
                    Class::Copy => n_others == 0,
                    Class::Compute => is_part && (n_others == 0 || 0 < exchanges[unit].inside(work.span)),
                    Class::Communication | Class::Wait => false,
                };
                if is_meant {
                    work.class = Class::Communication;
                }
                // One without length too.
                let end = work.span.end.max(work.span.start.saturating_add(1));
                work.is_part = work.class == Class::Communication
                    && (n_others == 0 || 0 < exchanges[unit].inside(Span { end, ..work.span }));
            }
        }
    }

    /// Takes in flows: where the host called for works.
    pub(super) async fn flows(
        &self,
        (trace, timeline): (&Trace, &Timeline),
        out: &mut Device,
        turn: &Turn,
    ) -> Vec<Call> {
        let (flows, mut calls) = (&trace.flows, Vec::new());
        let stream = |id: TrackId| self.of_track.get(id.index()).copied().unwrap_or(NONE);
        for piece in pieces(flows.len(), PIECE / 4) {
            let n = piece.len();
            for at in piece {
                let (from, to) = (flows.from[at], flows.to[at]);
                if stream(to.track) == NONE || stream(from.track) != NONE {
                    continue;
                }
                let flow = crate::model::id::FlowId(at as u32);
                let [call, launched] = timeline.flows().ends(trace, flow);
                let begin = to.time.saturating_add(timeline.shift_of(to.track));
                let Some(number) = find(out, stream(to.track), begin, launched) else { continue };
                let time = from.time.saturating_add(timeline.shift_of(from.track));
                let work = &mut out.works[number as usize];
                let row = call.map(|call| call.row);
                let own = Launch { track: from.track, time, row, from: from.track, handed: time };
                let first = work.launch.filter(|known| known.handed <= time).unwrap_or(own);
                let last = work.launch.filter(|known| time <= known.time).unwrap_or(own);
                work.launch = Some(Launch { from: first.from, handed: first.handed, ..last });
                calls.push((from.track, time, number));
            }
            if turn.is_over(4 * ROW * n) {
                turn.pause().await;
            }
        }
        calls
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
