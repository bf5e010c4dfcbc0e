//! What is found out of host and device, one pass after the other.

use super::gather::Gathering;
use super::host::HostPass;
use super::idle::{Around, Walk};
use super::kernels::sum;
use super::launches::{link, queue_up};
use super::memory::{MemoryPass, peaks};
use super::ranks::state;
use super::steps::cut;
use super::tree::Tree;
use super::{Device, Options};
use crate::analysis::timeline::Timeline;
use crate::base::job::{Turn, WORK};
use crate::base::sort::sorted;
use crate::model::Trace;
use crate::model::flow::FlowEnd;

/// What a row costs, as [`Turn::is_over`] counts.
pub(super) const ROW: usize = 5;
/// Rows that are looked at between two looks at the turn.
pub(super) const PIECE: usize = WORK / ROW / 4;

/// A latency of at most so many nanoseconds is short.
const QUICK: f64 = 100e3;

/// Finds out all of it.
pub async fn find_out(trace: &Trace, timeline: &Timeline, options: &Options, turn: &Turn) -> Device {
    let on = (trace, timeline);
    let span = options.span.or_else(|| timeline.span(trace)).unwrap_or_default();
    let mut of = Device { span, ..Device::default() };
    let mut gathering = Gathering::new(trace, options);
    gathering.slices(on, &mut of, turn).await;
    let mut calls = gathering.flows(on, &mut of, turn).await;
    let hosts = gathering.host_tracks(trace);
    link(on, hosts.clone(), &mut of, &mut calls, turn).await;
    let calls = sorted(calls, turn).await;
    let rows = (0..).zip(&trace.allocations.at);
    let at =
        |(row, at): (u32, &FlowEnd)| (at.track, at.time.saturating_add(timeline.shift_of(at.track)), row);
    let memory = MemoryPass::new(sorted(rows.map(at).collect(), turn).await);
    let mut ranks = gathering.ranks;
    ranks.find_hosts(on, &hosts, &calls, |work| of.works[work as usize].stream);
    of.ranks = ranks.named(trace);
    ranks.record(trace, timeline, of.span, &mut of.ranks);
    let stated = ranks.stated(trace);
    let host = HostPass::new(trace, calls, memory, of.works.len(), ranks);
    let times = host.run(on, (hosts, options), &mut of, turn).await;
    of.peaks = peaks(trace, timeline, options.span);
    let around = cut(times, &mut of, turn).await;
    queue_up(&mut of, turn).await;
    idle(on, options, &around, &mut of, turn).await;
    state(on, &stated, &mut of, turn).await;
    latencies(trace, &mut of, turn).await;
    of.modules = Tree::of(std::mem::take(&mut of.modules.rows), turn).await;
    of.stacks = Tree::of(std::mem::take(&mut of.stacks.rows), turn).await;
    of.kernels = sum(trace, &of, turn).await;
    of
}

/// How each stream spends the time; `around` is what gaps of each rank are held against.
async fn idle(on: (&Trace, &Timeline), options: &Options, around: &[Around], of: &mut Device, turn: &Turn) {
    for stream in &mut of.streams {
        let (own, span) = (&around[stream.rank as usize], of.ranks[stream.rank as usize].span);
        let mut walk = Walk::new();
        for works in of.works[stream.works.clone()].chunks(PIECE / 4) {
            for work in works {
                walk.take(work, span, on, options, own);
            }
            if turn.is_over(4 * ROW * works.len()) {
                turn.pause().await;
            }
        }
        walk.end(span);
        stream.idle = walk.idle;
    }
}

/// Latencies of launches are put into bins.
async fn latencies(trace: &Trace, of: &mut Device, turn: &Turn) {
    let mut found = Vec::new();
    for works in of.works.chunks(PIECE) {
        of.latency.take(works, of.span, &mut found);
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    of.latency.fill(&sorted(found, turn).await, Options::ticks(trace.clock, QUICK));
}
