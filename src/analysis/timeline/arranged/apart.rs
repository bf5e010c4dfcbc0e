//! Files whose times lie far apart: on one axis of their times nothing of any of them could be seen.

use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;

/// Files are apart when between them lies more than so many times the longer one.
const FAR: Ticks = 100;

/// Where a file stands among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Which file.
    pub file: usize,
    /// How much later than the first of all it begins.
    pub later: Ticks,
    /// The offset that lays it, with what is near it, beside the first; 0 for what is near that one.
    pub by: Ticks,
}

impl Timeline {
    /// Where files stand, the first one first. Files that are near each other have one offset: it changes nothing between
    /// them. Tells of each entry's file by its number. Costs the lanes of all tracks.
    pub fn placed(&self, trace: &Trace, files: &Map<u32, usize>) -> Vec<Placed> {
        let mut spans: Map<usize, Span> = Map::default();
        for (id, track) in trace.tracks.iter() {
            if let Some((file, extent)) = files.get(&track.entry).zip(self.extent(trace, id)) {
                spans.entry(*file).and_modify(|span| *span = span.union(extent)).or_insert(extent);
            }
        }
        let mut spans: Vec<(usize, Span)> = spans.into_iter().collect();
        order::sort_by_key(&mut spans, |(file, span)| (span.start, *file));
        let Some((_, first)) = spans.first().copied() else { return Vec::new() };
        // What lies near each other so far.
        let (mut near, mut by) = (first, 0);
        let place = |(file, span): (usize, Span)| {
            if near.dur().max(span.dur()) < span.start.saturating_sub(near.end) / FAR {
                (near, by) = (span, first.start.saturating_sub(span.start));
            }
            near = near.union(span);
            Placed { file, later: span.start.saturating_sub(first.start), by }
        };
        spans.into_iter().map(place).collect()
    }
}
