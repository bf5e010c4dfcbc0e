//! What nothing hides: of communication the time in which nothing is computed, of copies that in which nothing is exchanged
//! and no other copy goes on either. Where several go on at the same time, on one stream or on many, it counts once.

use crate::analysis::device::{Class, Device, Rank, Times, Work};
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::id::SliceId;
use std::hash::Hash;

/// Some works of a device, as far as they lie in what counts.
pub(super) struct Bare {
    pub(super) n: u64,
    /// Sum of their lengths, and of what of each is not hidden.
    pub(super) total: Ticks,
    pub(super) each: Ticks,
    /// Time in which any of them goes on and nothing hides it.
    pub(super) alone: Ticks,
    /// The longest, whether something hides it or not; of several the first.
    pub(super) longest: (SliceId, Ticks),
    /// The one of which most is hidden by nothing, with that part.
    pub(super) barest: (SliceId, Ticks),
    spans: Vec<(Ticks, Ticks)>,
}

impl Bare {
    /// The part of their time that something hides.
    pub(super) fn hidden(&self) -> f64 {
        1.0 - self.each as f64 / self.total.max(1) as f64
    }
}

/// What counts of a device: its steps, otherwise all from its first to its last work.
fn scope(rank: &Rank) -> Times {
    if rank.steps.spans().is_empty() {
        Times::of_sorted([(rank.working.start, rank.working.end)])
    } else {
        rank.steps.clone()
    }
}

/// Time of some stretches, in any order and counted once, in which a device computes nothing, as far as it lies in what
/// counts.
pub(super) fn idle(of: &Rank, mut spans: Vec<(Ticks, Ticks)>) -> Ticks {
    let scope = scope(of);
    spans.sort_unstable();
    let spans = Times::of_sorted(spans);
    let parts = spans.spans().iter().flat_map(|span| scope.parts(*span).collect::<Vec<_>>());
    parts.map(|part| part.dur() - of.compute.inside(part)).sum()
}

/// Time of some stretches, in any order and counted once, as far as it lies in what counts.
pub(super) fn inside(of: &Rank, mut spans: Vec<(Ticks, Ticks)>) -> Ticks {
    let scope = scope(of);
    spans.sort_unstable();
    Times::of_sorted(spans).spans().iter().map(|span| scope.inside(*span)).sum()
}

/// The works of a class of a device that lie in what counts.
pub(super) fn works(device: &Device, rank: usize, class: Class) -> impl Iterator<Item = &Work> {
    let scope = device.ranks.get(rank).map(scope).unwrap_or_default();
    let own = device.streams.iter().filter(move |stream| stream.rank as usize == rank);
    let works = own.flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    works.filter(move |work| work.class == class && !work.is_part && 0 < scope.inside(work.span))
}

/// These by a key, in order of the first of each; those without one are left out.
pub(super) fn by<K: Copy + Eq + Hash>(
    device: &Device,
    rank: usize,
    class: Class,
    key: impl Fn(&Work) -> Option<K>,
) -> Vec<(K, Bare)> {
    let Some(of) = device.ranks.get(rank) else { return Vec::new() };
    let (scope, others) = (scope(of), if class == Class::Copy { &of.work } else { &of.compute });
    let bare = |span: Span| -> Ticks { scope.parts(span).map(|part| part.dur() - others.inside(part)).sum() };
    let (mut found, mut all): (Map<K, usize>, Vec<(K, Bare)>) = (Map::default(), Vec::new());
    for work in works(device, rank, class) {
        let Some(key) = key(work) else { continue };
        let at = *found.entry(key).or_insert(all.len());
        if at == all.len() {
            let longest = (work.slice, Ticks::MIN);
            let (barest, spans) = (longest, Vec::new());
            all.push((key, Bare { n: 0, total: 0, each: 0, alone: 0, longest, barest, spans }));
        }
        let Some((_, own)) = all.get_mut(at) else { continue };
        let alone = bare(work.span);
        own.n += 1;
        own.total = own.total.saturating_add(scope.inside(work.span));
        own.each = own.each.saturating_add(alone);
        if own.longest.1 < work.span.dur() {
            own.longest = (work.slice, work.span.dur());
        }
        if own.barest.1 < alone {
            own.barest = (work.slice, alone);
        }
        own.spans.push((work.span.start, work.span.end));
    }
    let times = all.iter_mut().map(|(_, own)| {
        let mut spans = std::mem::take(&mut own.spans);
        spans.sort_unstable();
        Times::of_sorted(spans)
    });
    let times: Vec<Times> = times.collect();
    let sums = match class {
        Class::Copy => apart(&times, bare),
        _ => times.iter().map(|own| own.spans().iter().map(|span| bare(*span)).sum()).collect(),
    };
    for ((_, own), alone) in all.iter_mut().zip(sums) {
        own.alone = alone;
    }
    all
}

/// How much of each of some times is bare where none of the others goes on.
fn apart(times: &[Times], bare: impl Fn(Span) -> Ticks) -> Vec<Ticks> {
    let spans = times.iter().enumerate().flat_map(|(at, own)| own.spans().iter().map(move |span| (at, span)));
    let mut ends: Vec<(Ticks, bool, usize)> =
        spans.flat_map(|(at, span)| [(span.start, true, at), (span.end, false, at)]).collect();
    ends.sort_unstable();
    let mut sums = vec![0; times.len()];
    // How many go on, and the sum of their places: that of the only one.
    let (mut n, mut places, mut since) = (0_usize, 0_usize, 0);
    for (time, is_begin, at) in ends {
        if let Some(sum) = sums.get_mut(places).filter(|_| n == 1) {
            *sum += bare(Span { start: since, end: time });
        }
        (n, places) = if is_begin { (n + 1, places + at) } else { (n - 1, places - at) };
        since = time;
    }
    sums
}
