//! Work of one name on the streams of a device: which of it is of equal size, and when nothing else works beside it.

use super::RuleInput;
use super::device::name_id;
use super::survey::{NameSum, OUTLIER};
use super::trace::span_of;
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{Device, StreamWork, Times, Work, launch_arg};
use crate::base::map::Map;
use crate::base::order::percentile;
use crate::base::time::{Span, Ticks, Total};
use crate::model::id::SliceId;

/// Of how many slices beside the outliers the size is read, of how many on either side of each, and how many rows are looked
/// at for them: reading takes time.
const READ: usize = 256;
const NEAR: usize = 24;
const ROWS: usize = 2_048;
/// From so many of one size on their median is known.
const ENOUGH: usize = 3;

/// Outliers that were held against work of their own size.
struct Alike {
    /// Those that take ten medians of it, and what is usual of each.
    slow: Vec<(SliceId, f64)>,
    /// Whether the file tells sizes; without, all are in `slow` with the median of the name.
    is_sized: bool,
}

fn works<'a>(device: &'a Device, stream: &StreamWork) -> &'a [Work] {
    device.works.get(stream.works.clone()).unwrap_or_default()
}

/// How large the work of a slice is, by what its arguments say: grid and block, bytes, elements; empty where they say nothing.
fn size(input: &RuleInput, slice: SliceId) -> String {
    let args = (input.args)(slice);
    let launch = [0, 1].into_iter().filter_map(|at| launch_arg(&args, at));
    let said = Dialect::of(input.trace).said;
    let sizes = said.bytes.iter().chain(said.sizes).filter_map(|name| {
        let found = args.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    });
    launch.chain(sizes).map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Holds the outliers of a name against others of their size that are near them on their stream. One of a size of its own is
/// no outlier: nobody knows what is usual for it.
fn alike(input: &RuleInput, device: &Device, slow: &[SliceId], median: f64) -> Alike {
    let sizes: Vec<(SliceId, String)> = slow.iter().map(|id| (*id, size(input, *id))).collect();
    if sizes.iter().all(|(_, size)| size.is_empty()) {
        return Alike { slow: slow.iter().map(|id| (*id, median)).collect(), is_sized: false };
    }
    let mut others: Map<SliceId, (String, Ticks)> = Map::default();
    for id in slow {
        let Some(stream) = device.streams.iter().find(|stream| stream.track == id.track) else { continue };
        if READ <= others.len() {
            break;
        }
        let (works, name) = (works(device, stream), name_id(input, *id));
        let at = works.partition_point(|work| work.span.start < span_of(input, *id).start);
        let (before, behind) = works.split_at(at);
        let is_other = |work: &&Work| name_id(input, work.slice) == name && !slow.contains(&work.slice);
        let near = before.iter().rev().take(ROWS).filter(is_other).take(NEAR);
        for work in near.chain(behind.iter().take(ROWS).filter(is_other).take(NEAR)) {
            let told = || (size(input, work.slice), work.span.dur());
            others.entry(work.slice).or_insert_with(told);
        }
    }
    let usual = |(id, size): &(SliceId, String)| {
        let dur = span_of(input, *id).dur();
        let equal = sizes.iter().filter(|(other, own)| other != id && own == size);
        let equal = equal.map(|(other, _)| span_of(input, *other).dur());
        let mut equal: Vec<Ticks> =
            equal.chain(others.values().filter(|(own, _)| own == size).map(|(_, dur)| *dur)).collect();
        equal.sort_unstable();
        let usual = percentile(&equal, 50);
        (ENOUGH <= equal.len() && OUTLIER * usual.max(1.0) <= dur as f64).then_some((*id, usual))
    };
    Alike { slow: sizes.iter().filter_map(usual).collect(), is_sized: true }
}

/// The outliers of a name on a device that are ones beside work of their own size, what they come to, and whether sizes are
/// known; `None` where none is left. The median is that of the size of the longest.
pub(super) fn of_equal(
    input: &RuleInput,
    device: &Device,
    sum: NameSum,
    slow: &[SliceId],
) -> Option<(NameSum, Vec<SliceId>, bool)> {
    let alike = alike(input, device, slow, sum.median);
    if !alike.is_sized {
        return Some((sum, slow.to_vec(), false));
    }
    let length = |id: SliceId| span_of(input, id).dur();
    let (longest, median) = *alike.slow.iter().rev().max_by_key(|(id, _)| length(*id))?;
    let excess: f64 = alike.slow.iter().map(|(id, usual)| length(*id) as f64 - usual).sum();
    let sum = NameSum {
        n_outliers: alike.slow.len() as u64,
        longest: (longest, length(longest)),
        excess: sum.excess.min(excess),
        median,
        ..sum
    };
    Some((sum, alike.slow.into_iter().map(|(id, _)| id).collect(), true))
}

/// How long some slices on streams of a device last within some stretches while no other stream of it works; one another does
/// not count, as they would all be shorter.
pub(super) fn alone(
    input: &RuleInput,
    device: &Device,
    rank: usize,
    within: &[Span],
    slow: &[SliceId],
) -> Ticks {
    let mut spans: Vec<(Ticks, Ticks)> = Vec::new();
    let mut others: Vec<(Ticks, Ticks)> = Vec::new();
    for id in slow {
        let span = span_of(input, *id);
        spans.push((span.start, span.end));
        let streams = device.streams.iter();
        for stream in streams.filter(|stream| stream.rank as usize == rank && stream.track != id.track) {
            let works = works(device, stream);
            let from = works.partition_point(|work| work.span.end <= span.start);
            let beside = works.get(from..).unwrap_or_default().iter();
            let beside = beside.take_while(|work| work.span.start < span.end);
            let is_other = |work: &&Work| work.is_work() && !slow.contains(&work.slice);
            others.extend(beside.filter(is_other).map(|work| (work.span.start, work.span.end)));
        }
    }
    spans.sort_unstable();
    others.sort_unstable();
    let (spans, others) = (Times::of_sorted(spans), Times::of_sorted(others));
    let bare = |span: Span| span.dur() - others.inside(span);
    within.iter().map(|within| spans.parts(*within).map(bare).total()).sum()
}
