//! Names that come again and again: the intervals between their starts, whether these grow all the time or jump at once.

use super::survey::NameSum;
use crate::base::job::{Turn, pieces};
use crate::base::map::Map;
use crate::base::order::percentile;
use crate::base::sort::sorted;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};

/// Rows between two looks at the turn.
const PIECE: usize = 2_048;
/// How many times as long the intervals of each fifth are at least as those of the fifth before, where they grow.
pub const RISE: f64 = 1.02;
/// By how much the intervals of neighboring fifths differ at most where nothing changes, and from what growth on one is a jump.
const STEADY: f64 = 1.05;
const JUMP: f64 = 1.2;
/// Fewest slices whose intervals are looked at: five blocks of four.
pub const PERIODS: u64 = 20;

/// A name that comes again and again on one track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    pub name: StrId,
    pub track: TrackId,
    pub n: u64,
    /// Median interval between starts in each fifth of them.
    pub intervals: [f64; 5],
    /// What lies between its intervals' quartiles, over the median, at most of all fifths.
    pub spread: f64,
    /// Where the interval jumps, if it is steady before and after.
    pub jump: Option<Jump>,
    pub first: SliceId,
    pub last: SliceId,
}

/// Where an interval becomes another one at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The slice from which on it is the other one.
    pub at: SliceId,
    /// Median intervals before and after.
    pub before: f64,
    pub after: f64,
}

impl Period {
    /// Whether the intervals of each fifth are longer than those of the fifth before, by more than they vary.
    pub fn grows(&self) -> bool {
        0.0 < self.intervals[0] && self.intervals.is_sorted_by(|a, b| a * RISE <= *b)
    }

    /// How much longer the intervals of the last fifth are, if they grow all the time; else those after a jump.
    pub fn growth(&self) -> Option<f64> {
        let [first, .., last] = self.intervals;
        match self.jump {
            _ if self.grows() => Some(last / first),
            jump => jump.map(|jump| jump.after / jump.before.max(1.0)),
        }
    }
}

/// Where intervals jump that are steady otherwise, by the medians of their fifths: the place that parts the short from the
/// long ones best. Row numbers are those of the intervals.
async fn jump(gaps: &[Ticks], intervals: &[f64; 5], turn: &Turn) -> Option<(usize, f64, f64)> {
    let rises: Vec<f64> = intervals.windows(2).map(|two| two[1] / two[0].max(1.0)).collect();
    let is_steady = |rise: &&f64| (STEADY.recip()..=STEADY).contains(*rise);
    let n_jumps = rises.iter().filter(|rise| JUMP <= **rise).count();
    if n_jumps != 1 || rises.iter().filter(is_steady).count() + 1 != rises.len() {
        return None;
    }
    let middle = f64::midpoint(intervals[0], intervals[4]);
    let n_long = gaps.iter().filter(|gap| middle < **gap as f64).count() as i64;
    // Those on the wrong side, were everything before a place short and everything behind it long.
    let (mut wrong, mut best) = (gaps.len() as i64 - n_long, (i64::MAX, 0));
    for (at, gap) in gaps.iter().enumerate() {
        best = best.min((wrong, at));
        wrong += if middle < *gap as f64 { 1 } else { -1 };
    }
    // A rhythm of several intervals has short ones on both sides: its fifths only begin elsewhere in it.
    if 10 * best.0 > gaps.len() as i64 {
        return None;
    }
    let median = async |own: &[Ticks]| percentile(&sorted(own.to_vec(), turn).await, 50);
    let (before, after) = gaps.split_at_checked(best.1)?;
    Some((best.1, median(before).await, median(after).await))
}

/// Intervals of names, each track by itself: ranks and threads have rhythms of their own.
pub(super) async fn periods(
    trace: &Trace,
    tracks: &[TrackId],
    names: &[NameSum],
    turn: &Turn,
) -> Vec<Period> {
    let frequent = names.iter().filter(|sum| PERIODS <= sum.n);
    let places: Map<StrId, usize> = frequent.enumerate().map(|(at, sum)| (sum.name, at)).collect();
    let mut found: Vec<(usize, Period)> = Vec::new();
    for track in tracks {
        let slices = &trace.tracks.get(*track).slices;
        let mut rows: Map<StrId, Vec<u32>> = Map::default();
        for piece in pieces(slices.len(), PIECE) {
            let n = piece.len();
            for row in piece.filter(|row| places.contains_key(&slices.name[*row])) {
                rows.entry(slices.name[row]).or_default().push(row as u32);
            }
            if turn.is_over(2 * n) {
                turn.pause().await;
            }
        }
        for (name, rows) in rows.into_iter().filter(|(_, rows)| PERIODS <= rows.len() as u64) {
            if let Some(at) = places.get(&name) {
                found.extend(period(trace, *track, name, &rows, turn).await.map(|period| (*at, period)));
            }
            if turn.is_over(8 * rows.len()) {
                turn.pause().await;
            }
        }
    }
    found.sort_by_key(|(at, period)| (*at, period.track));
    found.into_iter().map(|(_, period)| period).collect()
}

async fn period(trace: &Trace, track: TrackId, name: StrId, rows: &[u32], turn: &Turn) -> Option<Period> {
    let slices = &trace.tracks.get(track).slices;
    let start = |row: &u32| slices.start[*row as usize];
    let gaps: Vec<Ticks> = rows.windows(2).map(|two| start(&two[1]) - start(&two[0])).collect();
    let fifth = gaps.len() / 5;
    let (mut intervals, mut spread) = ([0.0; 5], 0.0_f64);
    for (at, interval) in intervals.iter_mut().enumerate() {
        // What is left over belongs to the middle, so that first and last have the same number.
        let from = if at < 3 { at * fifth } else { gaps.len() - (5 - at) * fifth };
        let own = sorted(gaps.get(from..from + fifth)?.to_vec(), turn).await;
        *interval = percentile(&own, 50);
        spread = spread.max((percentile(&own, 75) - percentile(&own, 25)) / interval.max(1.0));
    }
    let id = |row: &u32| SliceId { track, row: *row };
    let (first, last) = (id(rows.first()?), id(rows.last()?));
    let jump = jump(&gaps, &intervals, turn).await;
    let jump = jump.and_then(|(at, before, after)| Some(Jump { at: id(rows.get(at)?), before, after }));
    Some(Period { name, track, n: rows.len() as u64, intervals, spread, jump, first, last })
}
