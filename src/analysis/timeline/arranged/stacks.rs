//! Where tracks stand that the user merged into one row: on the same lanes while nothing overlaps, else below each
//! other, so that no slice is ever drawn over another.

use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};

/// So many places are tried for a track before it is put below all others.
const MAX_TRIED: usize = 64;

/// The merged rows in force.
#[derive(Default)]
pub(in crate::analysis::timeline) struct Stacks {
    /// What they were made for: revision of the timeline, names that are left out, merged tracks.
    made_for: (u64, Vec<StrId>, Vec<Vec<TrackId>>),
    first_lane: Map<TrackId, usize>,
}

impl Timeline {
    /// Finds where tracks stand that share a row: each on the highest lanes where it overlaps nothing of those before it.
    /// Costs nothing when that is known already; else the slices of these tracks for each place that is tried, up to the
    /// first that overlap.
    pub fn stack(&mut self, trace: &Trace, merged: &[Vec<TrackId>]) {
        let (revision, left_out, known) = &self.stacks.made_for;
        if known == merged
            && (merged.is_empty() || (*revision == self.revision && *left_out == self.rest.made_for.1))
        {
            return;
        }
        let mut first_lane = Map::default();
        for tracks in merged {
            let mut placed: Vec<(TrackId, usize)> = Vec::new();
            for &track in tracks.iter().filter(|&&track| trace.tracks.find(track).is_some()) {
                let below = placed.iter().map(|&(id, at)| at + self.shown(id).len()).max().unwrap_or(0);
                let fits = |&at: &usize| self.fits(trace, &placed, track, at);
                let at = (0..below.min(MAX_TRIED)).find(fits).unwrap_or(below);
                placed.push((track, at));
            }
            for (track, at) in placed {
                first_lane.entry(track).or_insert(at);
            }
        }
        let made_for = (self.revision, self.rest.made_for.1.clone(), merged.to_vec());
        self.stacks = Stacks { made_for, first_lane };
    }

    /// On which lane of its row the first lane of a track stands: 0 unless it was merged into one with others.
    pub fn first_lane(&self, track: TrackId) -> usize {
        self.stacks.first_lane.get(&track).copied().unwrap_or(0)
    }

    /// Whether a track from lane `at` on overlaps none of those that are placed.
    fn fits(&self, trace: &Trace, placed: &[(TrackId, usize)], track: TrackId, at: usize) -> bool {
        (0..self.shown(track).len()).all(|lane| {
            placed.iter().all(|&(other, other_at)| {
                let beside = (at + lane).checked_sub(other_at);
                let beside = beside.filter(|&beside| beside < self.shown(other).len());
                beside.is_none_or(|beside| {
                    !overlap(self.lane_spans(trace, track, lane), self.lane_spans(trace, other, beside))
                })
            })
        })
    }

    /// When the slices of a lane are shown, in order. One without length takes one tick.
    fn lane_spans(&self, trace: &Trace, track: TrackId, lane: usize) -> impl Iterator<Item = (Ticks, Ticks)> {
        let shift = self.shift_of(track);
        let slices = &trace.tracks.get(track).slices;
        let rows = self.shown(track).lane(lane).into_iter().flat_map(|lane| &lane.rows);
        rows.map(move |&row| {
            let Span { start, end } = slices.span(row as usize).shifted(shift);
            (start, end.max(start.saturating_add(1)))
        })
    }
}

/// Whether any of these stretches of time, each list in order and without overlaps in itself, overlap.
fn overlap(mut a: impl Iterator<Item = (Ticks, Ticks)>, mut b: impl Iterator<Item = (Ticks, Ticks)>) -> bool {
    let mut now = (a.next(), b.next());
    while let (Some(one), Some(other)) = now {
        if one.1 <= other.0 {
            now.0 = a.next();
        } else if other.1 <= one.0 {
            now.1 = b.next();
        } else {
            return true;
        }
    }
    false
}
