//! Rows in time: lanes, levels of detail, windows, hits, search, flows.
//!
//! A [`Timeline`] grows with the trace: between two chunks it takes in the rows that were added and can be drawn at once.

mod arranged;
pub mod counters;
pub mod cut;
mod devices;
mod far;
pub mod flows;
pub mod names;
pub mod order;
mod rebuild;
pub mod search;
mod seen;
pub mod track;
pub mod tree;
pub mod window;

pub use arranged::Placed;
pub use far::{Apart, Recording};
pub use track::MAX_LANES;

use crate::analysis::code::origins::Origins;
use crate::analysis::device::class::Streams;
use crate::analysis::device::ranks;
use crate::base::map::{Map, Set};
use crate::base::time::Span;
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::track::Track;
use flows::Binding;
use rebuild::Rebuild;
use search::{Found, SearchQuery, SearchTarget, Searching};
use std::ops::ControlFlow;
use std::rc::Rc;
use track::TrackLanes;

/// What is computed of the slices, samples and flows of a trace. Jobs that look at it hold a [`Timeline::snapshot`]: what
/// grows with the trace is shared, and copied where it grows all the same; so jobs hold only what is complete.
#[derive(Default)]
pub struct Timeline {
    tracks: Rc<Vec<TrackLanes>>,
    names: Rc<names::Names>,
    seen: seen::SeenNames,
    /// Whether the trace has streams of devices, and the revision that was asked for.
    streams: std::cell::Cell<Option<(u64, bool)>>,
    counters: Rc<counters::Counters>,
    flows: Rc<flows::FlowIndex>,
    /// Which tracks are streams of devices; none until everything is loaded.
    device_streams: Rc<Streams>,
    /// Devices with several streams; none until everything is loaded.
    devices: Rc<Vec<devices::Device>>,
    finishing: Finishing,
    /// The track that is looked at first when there is not time for all.
    first: usize,
    /// Counts up with everything that can change a picture.
    revision: u64,
    /// From the first row of a scheduler to the last one, by the entry that it stands in: each file has its own.
    scheduled: Map<u32, Span>,
    /// When the files of ranks were recorded, by the entry; none until everything is loaded.
    of_ranks: Map<u32, Span>,
    /// From the first slice of a core to the end of its last, by the group of the rows of its pipes; none until everything
    /// is loaded, and in other traces.
    of_cores: Map<TrackId, Span>,
    /// The axis of times that the rest was made for.
    axis: u32,
    /// Offsets of groups and tracks.
    shifts: arranged::Shifts,
    /// Where tracks stand that share a row.
    stacks: arranged::Stacks,
    /// Lanes without what is left out.
    rest: Rest,
    /// The same in progress: how many tracks are done, and the next one.
    leaving_out: Option<(Rest, usize, Option<Box<Rebuild>>)>,
    /// The last search, and the revision it was made for.
    search: Option<(u64, SearchQuery, Found)>,
    searching: Option<(u64, SearchQuery, Searching)>,
}

/// Rows that are worked on in one step: some milliseconds.
const STEP: usize = 1 << 16;

/// From the first slice of each core to the end of its last, in traces with a row for each pipe.
fn of_cores(trace: &Trace, timeline: &Timeline) -> Map<TrackId, Span> {
    let mut cores: Map<TrackId, Span> = Map::default();
    let is_pipe = |(_, track): &(TrackId, &Track)| trace.coloring.by_row() && !track.slices.is_empty();
    for (id, track) in trace.tracks.iter().filter(is_pipe) {
        if let Some((core, own)) = track.parent.zip(timeline.extent(trace, id)) {
            cores.entry(core).and_modify(|all| *all = all.union(own)).or_insert(own);
        }
    }
    cores
}

/// How far it is, once everything is loaded.
#[derive(Default)]
enum Finishing {
    /// Nothing was done.
    #[default]
    Begin,
    /// Lanes of this track are made; whether they have just been begun.
    Lanes { track: usize, is_first: bool },
    /// It is found out when devices work.
    Devices(Box<devices::Uniting>),
    /// Levels and sums of counters are made.
    Counters,
    /// Flows are bound to slices.
    Flows(Binding),
}

/// The lanes of the tracks that hold something that is left out of the picture: what is left closes up, as if the others
/// were not in the file. Numbers (sums, searches, depths in exports) are of all slices still.
#[derive(Default)]
struct Rest {
    /// The revision of the timeline and the names they were made for.
    made_for: (u64, Vec<StrId>),
    lanes: Map<TrackId, TrackLanes>,
}

static NO_LANES: std::sync::LazyLock<TrackLanes> = std::sync::LazyLock::new(TrackLanes::default);

impl Timeline {
    /// Takes in what was added to the trace, as long as it takes a few milliseconds; says whether nothing is left to do.
    /// Rows that come in order of start are taken in once, others each time their track has doubled.
    pub fn extend(&mut self, trace: &Trace) -> bool {
        self.prepare(trace);
        let n = trace.tracks.len();
        let tracks = Rc::make_mut(&mut self.tracks);
        let names = Rc::make_mut(&mut self.names);
        names.extend(trace);
        let mut left = STEP;
        let mut is_done = Rc::make_mut(&mut self.counters).extend(trace, &mut left);
        // A track with much to do does not keep the others waiting: they come first the next time.
        let first = self.first;
        for at in (first..n).chain(0..first.min(n)) {
            let id = TrackId(at as u32);
            let slices = &trace.tracks.get(id).slices;
            let is_work = works(trace, names, &self.device_streams, id);
            if !tracks[at].extend(slices, &is_work, &mut left) {
                is_done = false;
            }
            if left == 0 {
                self.first = at + 1;
                return false;
            }
        }
        is_done
    }

    /// The same for a job to hold, as tracks are shown now; without searches and without what is left out.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        Self {
            tracks: Rc::clone(&self.tracks),
            names: Rc::clone(&self.names),
            counters: Rc::clone(&self.counters),
            flows: Rc::clone(&self.flows),
            device_streams: Rc::clone(&self.device_streams),
            devices: Rc::clone(&self.devices),
            revision: self.revision,
            scheduled: self.scheduled.clone(),
            of_ranks: self.of_ranks.clone(),
            of_cores: self.of_cores.clone(),
            axis: self.axis,
            shifts: self.shifts.clone(),
            ..Self::default()
        }
    }

    /// Keeps of lanes only which one each slice is on, and gives back the rest: nothing can be drawn or summed any more. What
    /// was computed before stays as it is.
    pub fn keep_numbers_only(&mut self) {
        self.tracks = Rc::new(self.tracks.iter().map(TrackLanes::numbers_only).collect());
    }

    fn prepare(&mut self, trace: &Trace) {
        let axis = trace.clocks.revision();
        if self.axis != axis {
            *self = Self { revision: self.revision, axis, ..Self::default() };
        }
        self.revision += 1;
        if self.tracks.len() != trace.tracks.len() {
            Rc::make_mut(&mut self.tracks).resize_with(trace.tracks.len(), TrackLanes::default);
        }
        self.scheduled = scheduled(trace);
    }

    /// The part of a stretch of time in which it was recorded what a track does: its rank may begin later than others, and
    /// its scheduler later than the rest. A pipe counts while its core has slices: counters may go on for longer. As the
    /// track is shown.
    pub fn recorded(&self, trace: &Trace, id: TrackId, span: Span) -> Span {
        let Some(track) = trace.tracks.find(id) else { return span };
        let scheduled = self.scheduled.get(&track.entry).filter(|_| track.role.is_scheduled());
        let core = track.parent.and_then(|core| self.of_cores.get(&core));
        let own = self.of_ranks.get(&track.entry).into_iter().chain(scheduled).chain(core);
        own.fold(span, |span, own| span.intersect(own.shifted(self.shift_of(id))))
    }

    /// The rows of a track change places: what is known of it means nothing.
    pub fn forget(&mut self, track: TrackId) {
        self.revision += 1;
        (self.search, self.searching) = (None, None);
        if let Some(lanes) = Rc::make_mut(&mut self.tracks).get_mut(track.index()) {
            *lanes = TrackLanes::default();
        }
    }

    /// Everything is loaded and sorted: computes the rest, as long as it takes a few milliseconds; says whether all is
    /// done.
    pub fn finish(&mut self, trace: &Trace) -> bool {
        self.prepare(trace);
        let mut left = STEP;
        match std::mem::take(&mut self.finishing) {
            Finishing::Begin => {
                Rc::make_mut(&mut self.names).finish(trace);
                self.device_streams = Rc::new(Streams::new(trace));
                Rc::make_mut(&mut self.counters).begin_finish(trace);
                self.finishing = Finishing::Lanes { track: 0, is_first: true };
            }
            Finishing::Lanes { mut track, mut is_first } => {
                let tracks = Rc::make_mut(&mut self.tracks);
                while let Some(lanes) = tracks.get_mut(track).filter(|_| 0 < left) {
                    let id = TrackId(track as u32);
                    let slices = &trace.tracks.get(id).slices;
                    // While it was loaded nothing told of notes and of waiting in streams.
                    if is_first && self.device_streams.kind(id).is_some() {
                        lanes.renew_busy();
                    }
                    let is_work = works(trace, &self.names, &self.device_streams, id);
                    let is_done = lanes.finish(slices, &is_work, is_first, &mut left);
                    (track, is_first) = if is_done { (track + 1, true) } else { (track, false) };
                    left = left.saturating_sub(1);
                }
                let is_done = self.tracks.len() <= track;
                self.finishing = if is_done {
                    self.of_ranks = ranks::recorded(trace, self);
                    self.of_cores = of_cores(trace, self);
                    Finishing::Devices(Box::new(devices::Uniting::new(trace, self)))
                } else {
                    Finishing::Lanes { track, is_first }
                };
            }
            Finishing::Devices(mut uniting) => {
                self.finishing = if uniting.step(trace, self) {
                    self.devices = Rc::new(uniting.finish());
                    Finishing::Counters
                } else {
                    Finishing::Devices(uniting)
                };
            }
            Finishing::Counters => {
                let counters = Rc::make_mut(&mut self.counters);
                let is_done = counters.extend(trace, &mut left) && counters.sum(trace, &mut left);
                self.finishing =
                    if is_done { Finishing::Flows(Binding::new(trace)) } else { Finishing::Counters };
            }
            Finishing::Flows(binding) => match binding.step(trace, &self.tracks, &mut left) {
                ControlFlow::Break(flows) => {
                    self.flows = Rc::new(flows);
                    return true;
                }
                ControlFlow::Continue(rest) => self.finishing = Finishing::Flows(rest),
            },
        }
        false
    }

    /// The lanes of a track; none for a number that is not of this trace.
    pub fn track(&self, id: TrackId) -> &TrackLanes {
        self.tracks.get(id.index()).unwrap_or(&NO_LANES)
    }

    /// The lane a slice stands on.
    pub fn lane_of(&self, id: SliceId) -> Option<usize> {
        self.track(id.track).lane_of(id.row as usize)
    }

    /// As [`Self::leave_out_step`], until nothing is left to do.
    pub fn leave_out(&mut self, trace: &Trace, names: &[StrId]) {
        while !self.leave_out_step(trace, names) {}
    }

    /// Leaves slices of these names out of what is shown, a few milliseconds long; says whether nothing is left to do. The
    /// same names again cost nothing. Costs the slices, those of the tracks with such names times the logarithm of the lanes.
    pub fn leave_out_step(&mut self, trace: &Trace, names: &[StrId]) -> bool {
        if names.is_empty() {
            (self.rest, self.leaving_out) = (Rest::default(), None);
            return true;
        }
        if self.rest.made_for.0 == self.revision && self.rest.made_for.1 == names {
            return true;
        }
        let begun = self.leaving_out.take().filter(|(rest, ..)| rest.made_for.1 == names);
        let begin = || (Rest { made_for: (self.revision, names.to_vec()), ..Rest::default() }, 0, None);
        let (mut rest, mut track, mut building) = begun.unwrap_or_else(begin);
        let mut left = STEP;
        let holds = |all: &Chunked<StrId>| all.iter().any(|name| names.contains(name));
        while 0 < left && track < trace.tracks.len() {
            let id = TrackId(track as u32);
            let slices = &trace.tracks.get(id).slices;
            if building.is_none() {
                left = left.saturating_sub(1 + slices.len() / 8);
                building = holds(&slices.name).then(|| Box::new(TrackLanes::begin_without(slices, names)));
            }
            if let Some(mut rebuild) = building.take() {
                let is_work = works(trace, &self.names, &self.device_streams, id);
                if !rebuild.step(slices, &is_work, &mut left) {
                    building = Some(rebuild);
                    break;
                }
                rest.lanes.insert(id, TrackLanes::without(*rebuild, slices, names));
            }
            track += 1;
        }
        let is_done = track == trace.tracks.len();
        if is_done {
            self.rest = rest;
        } else {
            self.leaving_out = Some((rest, track, building));
        }
        is_done
    }

    /// The lanes of a track as they are shown; none for a number that is not of this trace.
    pub fn shown(&self, id: TrackId) -> &TrackLanes {
        self.rest.lanes.get(&id).or_else(|| self.tracks.get(id.index())).unwrap_or(&NO_LANES)
    }

    /// The lane a slice is shown on; `None` when it is left out.
    pub fn shown_lane_of(&self, id: SliceId) -> Option<usize> {
        self.shown(id.track).lane_of(id.row as usize)
    }

    /// Which tracks are streams of devices, and what their slices are; none until everything is loaded.
    pub fn streams(&self) -> &Streams {
        &self.device_streams
    }

    /// Whether a track is busy during a slice: see `works`. Once everything is loaded all that tells how busy something
    /// is asks here, or was made so.
    pub fn is_work(&self, trace: &Trace, id: TrackId, row: usize) -> bool {
        works(trace, &self.names, &self.device_streams, id)(row)
    }

    /// Whether nobody knows what a track does during a slice: it would be work, but its end is not in the file.
    pub fn is_unknown(&self, trace: &Trace, id: TrackId, row: usize) -> bool {
        let slices = &trace.tracks.get(id).slices;
        slices.is_unfinished(row) && works_by_name(trace, &self.names, &self.device_streams, id)(row)
    }

    /// Whether a slice is only a note over others of a stream of a device.
    pub fn is_note(&self, trace: &Trace, id: TrackId, row: usize) -> bool {
        self.device_streams.is_note(trace, id, row)
    }

    /// Totals by name.
    pub fn names(&self) -> &names::Names {
        &self.names
    }

    /// Levels of detail of counters.
    pub fn counters(&self) -> &counters::Counters {
        &self.counters
    }

    /// As [`Self::find_step`], until everything is found.
    pub fn find(&mut self, trace: &Trace, origins: &Origins, query: &SearchQuery, target: &SearchTarget) {
        while !self.find_step(trace, origins, query, target) {}
    }

    /// Searches slices by their names or by where they come from, a few milliseconds long; says whether all are found.
    /// The same search again costs nothing. Nothing when the text is empty.
    pub fn find_step(
        &mut self,
        trace: &Trace,
        origins: &Origins,
        query: &SearchQuery,
        target: &SearchTarget,
    ) -> bool {
        // What is known of where slices come from grows too.
        let is_of_origin = matches!(target, SearchTarget::Origin(_));
        let known = if is_of_origin { u64::from(origins.n_read()) << 32 } else { 0 };
        let revision = self.revision | known;
        if query.text.is_empty() {
            (self.search, self.searching) = (None, None);
            return true;
        }
        if self.search.as_ref().is_some_and(|(at, last, _)| *at == revision && last == query) {
            return true;
        }
        let found = match target {
            SearchTarget::Origin(origin) => Found::of_origin(trace, self, origins, origin),
            SearchTarget::ColorName(names) => Found::of_colors(trace, self, names),
            SearchTarget::Filter(filter) => Found::of_filter(trace, self, query, filter),
            SearchTarget::Name => {
                // What came since a search began is found by the next one.
                let begun = self.searching.take().filter(|(_, of, _)| of == query);
                let begin = || (revision, query.clone(), Searching::new(query));
                let (revision, query, mut searching) = begun.unwrap_or_else(begin);
                if searching.step(trace, self) {
                    self.searching = Some((revision, query, searching));
                    return false;
                }
                self.search = Some((revision, query, searching.found));
                return true;
            }
        };
        self.search = Some((revision, query.clone(), found.within(trace, self, query.within)));
        true
    }

    /// Whether a search is the last one, and done.
    pub fn has_found(&self, query: &SearchQuery) -> bool {
        self.search.as_ref().is_some_and(|(at, last, _)| *at == self.revision && last == query)
    }

    /// Keeps what a search found that somebody else made: its hits, or why there can be none.
    pub fn keep_found(&mut self, trace: &Trace, query: &SearchQuery, hits: Result<Vec<SliceId>, String>) {
        let found = match hits {
            Ok(ids) => Found::of_ids(trace, self, ids),
            Err(problem) => Found::of_problem(problem),
        };
        self.search = Some((self.revision, query.clone(), found));
    }

    /// What the last search found.
    pub fn found(&self) -> Option<&Found> {
        self.search.as_ref().map(|(_, _, found)| found)
    }

    /// Which slices flows are bound to; empty until everything is loaded.
    pub fn flows(&self) -> &flows::FlowIndex {
        &self.flows
    }

    /// Counts up with everything that can change a picture.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Bytes of memory held by lanes and their levels.
    pub fn bytes(&self) -> usize {
        self.tracks.iter().map(|t| t.bytes() + size_of::<TrackLanes>()).sum()
    }
}

/// Whether a track is busy during a slice, the one definition: its name does not say waiting, of states of a thread it is the
/// one in which the thread runs, on streams of devices it is neither a note over other slices nor waiting, and its end is in
/// the file. What is the same for all rows of a track is looked up once.
fn works<'a>(
    trace: &'a Trace,
    names: &'a names::Names,
    streams: &'a Streams,
    id: TrackId,
) -> impl Fn(usize) -> bool + 'a {
    let slices = &trace.tracks.get(id).slices;
    let by_name = works_by_name(trace, names, streams, id);
    move |row| by_name(row) && !slices.is_unfinished(row)
}

fn works_by_name<'a>(
    trace: &'a Trace,
    names: &'a names::Names,
    streams: &'a Streams,
    id: TrackId,
) -> impl Fn(usize) -> bool + 'a {
    let slices = &trace.tracks.get(id).slices;
    let is_stream = streams.kind(id).is_some();
    move |row| {
        names.is_work(slices.name[row])
            && slices.is_work(row)
            && (!is_stream || streams.is_work(trace, id, row))
    }
}

/// See [`Timeline::scheduled`]. Slices of a track follow each other, so its first and last tell; costs the tracks.
fn scheduled(trace: &Trace) -> Map<u32, Span> {
    let mut spans = Map::<u32, Span>::default();
    for (_, track) in trace.tracks.iter().filter(|(_, track)| track.role.is_scheduled()) {
        let Some(last) = track.slices.len().checked_sub(1) else { continue };
        let span = track.slices.span(0).union(track.slices.span(last));
        spans.entry(track.entry).and_modify(|of| *of = of.union(span)).or_insert(span);
    }
    spans
}

/// The tracks with slices among the chosen ones, in the order shown: a group stands for all below it, none for all.
pub fn chosen_tracks(trace: &Trace, chosen: &[TrackId]) -> Vec<(TrackId, Option<usize>)> {
    let mut tracks = tracks_with(trace, chosen, |track| !track.slices.is_empty());
    let is_derived = |id: &TrackId| trace.tracks.get(*id).is_derived;
    // What is computed of other slices would count their time twice: it is meant only where nothing else is.
    if !tracks.iter().all(is_derived) {
        tracks.retain(|id| !is_derived(id));
    }
    tracks.into_iter().map(|id| (id, None)).collect()
}

/// The same of those for which something holds.
pub fn tracks_with(trace: &Trace, chosen: &[TrackId], holds: impl Fn(&Track) -> bool) -> Vec<TrackId> {
    let parent = |id: TrackId| trace.tracks.find(id).and_then(|t| t.parent);
    let chosen: Set<TrackId> = chosen.iter().copied().collect();
    let is_meant = |id: TrackId| {
        chosen.is_empty() || std::iter::successors(Some(id), |&id| parent(id)).any(|id| chosen.contains(&id))
    };
    let shown = trace.tracks.shown().iter().copied();
    shown.filter(|id| holds(trace.tracks.get(*id)) && is_meant(*id)).collect()
}
