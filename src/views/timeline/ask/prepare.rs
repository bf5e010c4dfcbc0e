//! What questions and pictures of the timeline need that takes long: it is made a few milliseconds at a time.

use super::arrange::left_out;
use super::search::target;
use crate::analysis::device::Options;
use crate::analysis::device::class::stream;
use crate::analysis::device::dialect::Dialect;
use crate::analysis::timeline::Timeline;
use crate::analysis::timeline::search::{Filter, SearchQuery, SearchTarget};
use crate::base::sort::Sorting;
use crate::document::Document;
use crate::format::{SliceBytes, SliceDetail};
use crate::model::Trace;
use crate::model::id::SliceId;
use crate::views::timeline::messages::{Area, Frame};

impl Document {
    pub(crate) fn prepare_lanes(&mut self, frame: &Frame) -> bool {
        let (trace, derived) = self.parts();
        // Offsets and what is left out decide where everything stands.
        derived.timeline.shift(trace, &frame.rows.offsets);
        derived.timeline.leave_out_step(trace, &left_out(trace, &frame.display).0)
            && self.prepare_search(&frame.search)
    }

    /// Host and device are found out for slices of streams only.
    pub(crate) fn prepare_launched(&mut self, id: SliceId) -> bool {
        let is_on_stream = stream(self.trace(), Dialect::of(self.trace()), id.track).is_some();
        !is_on_stream || self.prepare_device(&Options::default())
    }

    pub(crate) fn prepare_search(&mut self, search: &SearchQuery) -> bool {
        let target = target(self, &search.text);
        if let SearchTarget::Filter(filter) = &target
            && filter.reads_args()
        {
            return filter_step(self, search, filter);
        }
        let (trace, derived) = self.parts();
        derived.timeline.find_step(trace, &derived.origins, search, &target)
    }

    pub(crate) fn prepare_overlap(&mut self, id: &str) -> bool {
        let (trace, derived) = self.parts();
        derived.areas.figure_step(trace, &derived.timeline, id)
    }

    pub(crate) fn prepare_calls(&mut self, area: &Area) -> bool {
        let (trace, derived) = self.parts();
        derived.areas.flame_step(trace, &derived.timeline, area.span, &area.tracks)
    }
}

// Searches that ask for arguments: those stand in the file, so that its events are read where everything else fits.
//
// A piece reads at most 4 MB, in the order of the file, so that pictures and other questions come in between.

/// Bytes of a piece.
const PIECE: u64 = 4 << 20;
/// Events of a piece: reading one costs some microseconds.
const EVENTS: usize = 1 << 12;

/// A search in progress.
pub(crate) struct ArgSearch {
    query: SearchQuery,
    revision: u64,
    filter: Filter,
    /// What fits but for its arguments.
    ids: Vec<SliceId>,
    stage: PrepareStage,
    hits: Vec<SliceId>,
}

/// Entry, first byte, number among those that fit.
type Place = (u32, u64, u32);

enum PrepareStage {
    Sort(Sorting<Place>),
    Read(Vec<Place>, usize),
}

/// Works for a few milliseconds on a search; says whether it is done. A machine, as it runs while the trace still
/// grows, too.
fn filter_step(doc: &mut Document, query: &SearchQuery, filter: &Filter) -> bool {
    let revision = doc.derived.timeline.revision();
    if doc.derived.timeline.has_found(query) {
        return true;
    }
    let begun = doc
        .kept
        .of::<Option<Box<ArgSearch>>>()
        .take()
        .filter(|of| of.query == *query && of.revision == revision);
    let (trace, timeline) = (doc.trace(), &doc.derived.timeline);
    let begin = || ArgSearch::new((trace, timeline), query, revision, filter).map(Box::new);
    let mut search = match begun.map_or_else(begin, Ok) {
        Ok(search) => search,
        Err(problem) => {
            let (trace, derived) = doc.parts();
            derived.timeline.keep_found(trace, query, Err(problem));
            return true;
        }
    };
    if search.step(doc) {
        *doc.kept.of() = Some(search);
        return false;
    }
    let (trace, derived) = doc.parts();
    derived.timeline.keep_found(trace, query, Ok(search.hits));
    true
}

impl ArgSearch {
    fn new(
        (trace, timeline): (&Trace, &Timeline),
        query: &SearchQuery,
        revision: u64,
        filter: &Filter,
    ) -> Result<Self, String> {
        let ids = filter.candidates(trace, timeline, query)?;
        let place = |(number, id): (u32, &SliceId)| {
            let begin = trace.event(*id).map_or(0, |event| event.detail.start);
            trace.tracks.find(id.track).map(|track| (track.entry, begin, number))
        };
        let places = (0..).zip(&ids).filter_map(place).collect();
        let stage = PrepareStage::Sort(Sorting::new(places));
        Ok(Self { query: query.clone(), revision, filter: filter.clone(), ids, stage, hits: Vec::new() })
    }

    /// Does the next piece; false when nothing is left to do. A machine, as it runs while the trace still grows, too.
    fn step(&mut self, doc: &Document) -> bool {
        let stage = std::mem::replace(&mut self.stage, PrepareStage::Read(Vec::new(), 0));
        self.stage = match stage {
            PrepareStage::Sort(mut sorting) => {
                if sorting.step() {
                    PrepareStage::Sort(sorting)
                } else {
                    PrepareStage::Read(sorting.finish(), 0)
                }
            }
            PrepareStage::Read(places, from) => {
                let end = self.read(doc, &places, from);
                if end == places.len() {
                    return false;
                }
                PrepareStage::Read(places, end)
            }
        };
        true
    }

    /// Reads the next events that stand near each other; returns the first that was not read.
    fn read(&mut self, doc: &Document, places: &[Place], from: usize) -> usize {
        let Some(&(entry, start, _)) = places.get(from) else { return places.len() };
        let is_near = |place: &&Place| place.0 == entry && place.1 - start < PIECE;
        let n = places[from..].iter().take(EVENTS).take_while(is_near).count();
        let near = &places[from..from + n];
        // Formats without a reader say nothing of a slice but its name.
        let reader = doc.slice_reader(entry);
        let trace = doc.trace();
        let event = |number: u32| self.ids.get(number as usize).and_then(|id| Some((*id, trace.event(*id)?)));
        let last = near.last().and_then(|place| event(place.2)).map_or(start, |(_, event)| event.detail.end);
        let bytes = doc.bytes(entry, start..last.min(start + 2 * PIECE));
        let read = |range| doc.bytes(entry, range);
        let at = |byte: u64| usize::try_from(byte.saturating_sub(start)).unwrap_or(usize::MAX);
        let mut hits = Vec::new();
        for (id, event) in near.iter().filter_map(|place| event(place.2)) {
            let own = bytes.get(at(event.detail.start)..at(event.detail.end)).unwrap_or(&[]);
            let name = trace.strings.get(event.name);
            if reader.is_some() && own.first() == Some(&b'{') && self.filter.is_without(name, own) {
                continue;
            }
            let of = SliceBytes { bytes: own, place: (entry, event.detail.start), trace, read: &read };
            let detail = reader.map_or_else(SliceDetail::default, |reader| (reader.detail)(&of));
            let SliceDetail { mut args, members, .. } = detail;
            args.extend(members);
            if self.filter.has_args(name, &args) {
                hits.push(id);
            }
        }
        self.hits.append(&mut hits);
        from + n
    }
}
