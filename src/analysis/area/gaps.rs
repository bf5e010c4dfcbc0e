//! When tracks do nothing: their gaps, and how busy devices are.
//!
//! ```text
//! range  |--------------------------------|
//! slices      ####   ###########     ##
//! gaps   |---|    |-|           |---|  |--|     from the start of the range to its end
//! ```

use super::{Scope, Work};
use crate::base::time::{Span, Ticks};
use crate::model::id::{StrId, TrackId};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Most gaps that are listed: the longest; the number of all is always told.
pub const MAX_LISTED: usize = 100_000;

/// How a track spends the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// The track.
    pub track: TrackId,
    /// Ticks with work.
    pub busy: Ticks,
    /// Ticks without.
    pub idle: Ticks,
    /// How many gaps.
    pub n: u64,
    /// The longest gap, the first of several; empty when there is none.
    pub longest: Span,
}

/// Calls `each` for the gaps of a track in the area, in order of time.
pub fn gaps(scope: Scope, work: &Work, track: TrackId, mut each: impl FnMut(Span)) {
    let Some(slices) = scope.trace.tracks.find(track).map(|t| &t.slices) else { return };
    let mut until = scope.span.start;
    for row in scope.rows(track) {
        let span = scope.slice(track, row).intersect(scope.span);
        if span.is_empty() || !work.is(slices.name[row]) {
            continue;
        }
        if until < span.start {
            each(Span { start: until, end: span.start });
        }
        until = until.max(span.end);
    }
    if until < scope.span.end {
        each(Span { start: until, end: scope.span.end });
    }
}

/// How each track of an area spends the time.
pub fn idle(scope: Scope, work: &Work) -> Vec<Idle> {
    let one = |&(track, _): &Lanes| {
        let longest = Span { start: scope.span.start, end: scope.span.start };
        let mut sum = Idle { track, busy: scope.span.dur(), idle: 0, n: 0, longest };
        gaps(scope, work, track, |gap| {
            sum.n += 1;
            sum.idle = sum.idle.saturating_add(gap.dur());
            if sum.longest.dur() < gap.dur() {
                sum.longest = gap;
            }
        });
        sum.busy -= sum.idle;
        sum
    };
    scope.tracks.iter().map(one).collect()
}

/// The longest gaps of an area.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// How many gaps there are.
    pub n: u64,
    /// The longest of them, at most as many as asked for, by start and track.
    pub listed: Vec<(TrackId, Span)>,
}

/// Finds the longest gaps, at most `limit`, which is at least 1.
pub fn longest(scope: Scope, work: &Work, limit: usize) -> Longest {
    let mut found = Longest::default();
    for &(track, _) in scope.tracks {
        gaps(scope, work, track, |gap| {
            found.n += 1;
            found.listed.push((track, gap));
            if 2 * limit <= found.listed.len() {
                keep(&mut found.listed, limit);
            }
        });
    }
    keep(&mut found.listed, limit);
    found.listed.sort_unstable_by_key(|&(track, gap)| (gap.start, track));
    found
}

fn keep(listed: &mut Vec<(TrackId, Span)>, limit: usize) {
    if limit < listed.len() {
        listed.select_nth_unstable_by_key(limit, |&(track, gap)| (Reverse(gap.dur()), gap.start, track));
        listed.truncate(limit);
    }
}

/// A track with all its lanes.
type Lanes = (TrackId, Option<usize>);

/// Categories of what runs on a device, as profilers of GPUs write them.
const DEVICE: [&str; 5] = ["kernel", "memcpy", "memset", "gpu_memcpy", "gpu_memset"];

/// How long each device runs something: the group of its streams, how many streams there are, and ticks in which at
/// least one of them is busy. Only slices of kernels, copies and fills count. Nothing for traces without such.
pub fn devices(scope: Scope) -> Vec<(TrackId, usize, Ticks)> {
    let is_device: Vec<bool> = (0..scope.trace.strings.len() as u32)
        .map(|i| scope.trace.strings.get(StrId(i)))
        .map(|text| DEVICE.iter().any(|d| d.eq_ignore_ascii_case(text)))
        .collect();
    if !is_device.contains(&true) {
        return Vec::new();
    }
    let mut streams: Vec<(TrackId, Vec<Lanes>)> = Vec::new();
    for &(id, _) in scope.tracks {
        let track = scope.trace.tracks.get(id);
        if track.slices.category.iter().any(|c| is_device[c.index()]) {
            let device = track.parent.unwrap_or(id);
            match streams.iter_mut().find(|(of, _)| *of == device) {
                Some((_, list)) => list.push((id, None)),
                None => streams.push((device, vec![(id, None)])),
            }
        }
    }
    streams.into_iter().map(|(device, list)| (device, list.len(), union(scope, &list, &is_device))).collect()
}

/// Ticks in which at least one slice of these categories lasts.
fn union(scope: Scope, tracks: &[Lanes], is_meant: &[bool]) -> Ticks {
    let (mut sum, mut until): (Ticks, Ticks) = (0, Ticks::MIN);
    scope.each(tracks, &mut |_, id, row| {
        let is_meant = is_meant[scope.trace.tracks.get(id).slices.category[row].index()];
        let span = scope.slice(id, row).intersect(scope.span);
        if is_meant && until < span.end {
            sum = span.end.saturating_sub(span.start.max(until)).saturating_add(sum);
            until = span.end;
        }
    });
    sum
}
