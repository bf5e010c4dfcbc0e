//! What a tool's own viewer asks of a track before it draws it: depths, the slices worth a pixel, the bars of a folded
//! process. For scripts that ask the same questions; the page's own pictures are cut by [`super::timeline`].
//!
//! ```text
//! depth    the lowest d whose last end ≤ start; slices of one group are one interval
//! bin      ⌊(start − from) · 1000 / (to − from)⌋, 0 to 999; what began before `from` is in the first
//! bar      a slice that begins at most max(1, ⌊(to − from) / 30000⌋) after the end of the bar extends it
//! ```
//! Equal to the slice analysis of the tool that asks these questions (spec 4.5 to 4.7); depths differ from the page's
//! lanes only for slices without length: those may stand on the end of another.

use super::ends::Ends;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::id::StrId;
use crate::model::slice::Slices;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bins of a range.
pub const BINS: Ticks = 1_000;
/// Part of a range that is the gap between two bars.
const GAPS: Ticks = 30_000;

/// The depth of each slice of a track.
#[derive(Default)]
pub struct Depths {
    /// One for each row.
    pub of_row: Vec<u32>,
    pub n: u32,
}

impl Depths {
    /// Gives out depths. Costs the slices times the logarithm of the depths.
    pub fn of(slices: &Slices) -> Self {
        let mut groups: Map<StrId, (Ticks, Option<usize>)> = Map::default();
        for (row, &group) in slices.group.iter().enumerate().filter(|(_, group)| **group != StrId(0)) {
            let end = slices.span(row).end;
            let known = groups.entry(group).or_insert((end, None));
            known.0 = known.0.max(end);
        }
        let (mut ends, mut n) = (Ends::default(), 0);
        let mut take = |start: Ticks, end: Ticks| {
            if start < ends.all() {
                ends.grow();
            }
            let depth = ends.first(|last| last <= start);
            ends.set(depth, end);
            n = n.max(depth + 1);
            depth
        };
        let place = |row: usize| {
            let span = slices.span(row);
            let depth = match groups.get_mut(&Slices::sparse(&slices.group, row)) {
                Some((end, depth)) => *depth.get_or_insert_with(|| take(span.start, *end)),
                None => take(span.start, span.end),
            };
            depth as u32
        };
        let of_row = (0..slices.len()).map(place).collect();
        Self { of_row, n: n as u32 }
    }
}

/// The rows worth a pixel when a range is shown: of each depth in each bin the longest slice that begins there, of equal
/// ones the last. A range of less than 1000 ticks has no bins: everything in it. Both ends of the range belong to it.
///
/// One list for each depth down to the deepest that has something in the range, each in order of start.
pub fn thinned(slices: &Slices, depths: &Depths, range: Span) -> Vec<Vec<u32>> {
    let width = range.dur();
    let mut shown: Vec<Vec<u32>> = Vec::new();
    // The bin and the length of the last row of each depth.
    let mut last: Vec<(Ticks, Ticks)> = Vec::new();
    for row in reaching(slices, range) {
        let (start, dur) = (slices.start[row], slices.dur_of(row));
        let Some(&depth) = depths.of_row.get(row) else { continue };
        let depth = depth as usize;
        if shown.len() <= depth {
            shown.resize_with(depth + 1, Vec::new);
            last.resize(depth + 1, (-1, 0));
        }
        let bin = if width < BINS {
            last[depth].0 + 1
        } else {
            let along = i128::from(start.saturating_sub(range.start).max(0));
            let bin = along * i128::from(BINS) / i128::from(width);
            bin.min(i128::from(BINS) - 1) as Ticks
        };
        if bin != last[depth].0 {
            shown[depth].push(row as u32);
        } else if last[depth].1 <= dur {
            shown[depth].pop();
            shown[depth].push(row as u32);
        } else {
            continue;
        }
        last[depth] = (bin, dur);
    }
    shown
}

/// When anything of some tracks lasts, with small gaps closed: the bars of a folded process. Both ends of the range belong
/// to it; bars are not cut at them. Costs the slices before the end of the range.
pub fn bars(tracks: &[&Slices], range: Span) -> Vec<Span> {
    let gap = (range.dur() / GAPS).max(1);
    let mut rows: Vec<_> = tracks.iter().map(|slices| reaching(slices, range)).collect();
    let mut next = BinaryHeap::new();
    let mut advance = |track: usize, next: &mut BinaryHeap<Reverse<(Ticks, Ticks, usize)>>| {
        if let Some(row) = rows[track].next() {
            let span = tracks[track].span(row);
            next.push(Reverse((span.start, span.end, track)));
        }
    };
    for track in 0..tracks.len() {
        advance(track, &mut next);
    }
    let mut bars: Vec<Span> = Vec::new();
    while let Some(Reverse((start, end, track))) = next.pop() {
        match bars.last_mut() {
            Some(bar) if start <= bar.end.saturating_add(gap) => bar.end = bar.end.max(end),
            _ => bars.push(Span { start, end }),
        }
        advance(track, &mut next);
    }
    bars
}

/// Rows that lie in a range or touch its ends, in order of start.
fn reaching(slices: &Slices, range: Span) -> impl Iterator<Item = usize> + '_ {
    let behind = slices.start.partition_point(|&start| start <= range.end);
    (0..behind).filter(move |&row| range.start <= slices.span(row).end)
}
