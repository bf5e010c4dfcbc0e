//! The names with most time on some tracks, for what the colors of a picture mean: counted once for each track that is seen.

use super::Timeline;
use super::names::{MAX_TOP, Names};
use crate::analysis::device::{has_streams, is_stream};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::Slices;
use std::cmp::Reverse;

/// Names that are kept of a track.
const KEPT: usize = 64;
/// Rows that are counted at most, of a track and of all in one picture: some milliseconds.
const ROWS: usize = 1 << 20;

/// Names of tracks that were seen.
#[derive(Default)]
pub(super) struct SeenNames {
    by_track: Map<TrackId, Seen>,
}

/// What was seen of a track.
struct Seen {
    /// How many rows were counted.
    counted: usize,
    /// Names of work with their time, most first.
    names: Vec<(StrId, Ticks)>,
    colors: Set<StrId>,
    /// Whether it is a stream of a device.
    is_stream: bool,
}

impl SeenNames {
    /// Counts a track, if it was not counted yet; how many rows that took.
    fn count(&mut self, trace: &Trace, names: &Names, id: TrackId) -> usize {
        let Some(track) = trace.tracks.find(id) else { return 0 };
        let n = track.slices.len().min(ROWS);
        // While the trace grows a track is counted each time it has grown by an eighth.
        if self.by_track.get(&id).is_some_and(|seen| n == seen.counted || n < seen.counted + seen.counted / 8)
        {
            return 0;
        }
        let mut sums: Map<StrId, Ticks> = Map::default();
        for row in 0..n {
            let sum = sums.entry(track.slices.name[row]).or_default();
            *sum = sum.saturating_add(track.slices.dur_of(row));
        }
        let mut most: Vec<(StrId, Ticks)> =
            sums.into_iter().filter(|(name, _)| !names.total(*name).is_waiting).collect();
        order::sort_by_key(&mut most, |(name, sum)| (Reverse(*sum), *name));
        most.truncate(KEPT);
        // Files without color names have none in any row.
        let n_colored = if track.slices.color.is_empty() { n.min(1) } else { n };
        let colors = (0..n_colored).map(|row| Slices::sparse(&track.slices.color, row)).collect();
        let is_stream = is_stream(trace, id);
        self.by_track.insert(id, Seen { counted: n, names: most, colors, is_stream });
        n
    }
}

impl Timeline {
    /// Whether the trace has streams of devices; looked for once, not for each picture.
    pub fn has_streams(&self, trace: &Trace) -> bool {
        let known = self.streams.get().filter(|(revision, _)| *revision == self.revision);
        known.map_or_else(
            || {
                let has = has_streams(trace);
                self.streams.set(Some((self.revision, has)));
                has
            },
            |(_, has)| has,
        )
    }

    /// Counts the names of tracks that are seen, those that were not counted yet; what is much is left to the next picture.
    pub fn see(&mut self, trace: &Trace, tracks: &[TrackId]) {
        let mut left = ROWS;
        for id in tracks {
            left = left.saturating_sub(self.seen.count(trace, &self.names, *id));
            if left == 0 {
                break;
            }
        }
    }

    /// How many slices of tracks that are seen were counted, and how many there are, where some were left out because
    /// there are too many.
    pub fn counted(&self, trace: &Trace, tracks: &[TrackId]) -> Option<(u64, u64)> {
        let of = |id: &TrackId| {
            let n = trace.tracks.find(*id).map_or(0, |track| track.slices.len());
            (self.seen.by_track.get(id).map_or(0, |seen| seen.counted), n)
        };
        let is_left_out = |(counted, n): (usize, usize)| (counted == 0 || counted == ROWS) && counted < n;
        tracks.iter().map(of).any(is_left_out).then(|| {
            let add =
                |sum: (u64, u64), (counted, n): (usize, usize)| (sum.0 + counted as u64, sum.1 + n as u64);
            tracks.iter().map(of).fold((0, 0), add)
        })
    }

    fn seen_of(&self, tracks: &[TrackId]) -> impl Iterator<Item = &Seen> {
        tracks.iter().filter_map(|id| self.seen.by_track.get(id))
    }

    /// The color names of slices on tracks that were seen, each once for a track.
    pub fn colors_of(&self, tracks: &[TrackId]) -> Vec<StrId> {
        self.seen_of(tracks).flat_map(|seen| &seen.colors).copied().collect()
    }

    /// The names of work with most time on tracks that were seen: those on streams of devices, whose rows stand above the
    /// host's, then the others, most time first; all when they are at most [`MAX_TOP`], else one fewer than that.
    pub fn top_of(&self, trace: &Trace, tracks: &[TrackId]) -> Vec<StrId> {
        let mut sums: Map<StrId, (bool, Ticks)> = Map::default();
        for seen in self.seen_of(tracks) {
            for (name, sum) in &seen.names {
                let (is_of_host, all) = sums.entry(*name).or_insert((true, 0));
                *is_of_host &= !seen.is_stream;
                *all = all.saturating_add(*sum);
            }
        }
        let mut top: Vec<(StrId, (bool, Ticks))> = sums.into_iter().collect();
        order::sort_by_key(&mut top, |(name, (is_of_host, sum))| {
            (*is_of_host, Reverse(*sum), trace.strings.get(*name))
        });
        if MAX_TOP < top.len() {
            top.truncate(MAX_TOP - 1);
        }
        top.into_iter().map(|(name, _)| name).collect()
    }
}
