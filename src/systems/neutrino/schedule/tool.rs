//! The two numbers that Neutrino's own script prints of a block schedule.
//!
//! It reads the record of each block's first warp, in the order of block numbers, and keeps a list of live blocks for each
//! SM. Only the oldest entry of the list is looked at: when it ended at or before the start of a block, the time since then
//! counts as scheduling, and the entry goes. Both sums are divided by the number of SMs, without a rest.

use crate::base::map::Map;
use crate::views::schedule::compute::ToolFigures;
use std::collections::VecDeque;

/// The script, on its way.
#[derive(Default)]
pub struct Script {
    sms: Map<u32, Sm>,
    blocks: u64,
}

#[derive(Default)]
struct Sm {
    /// Ends of the blocks that the script takes for live, the oldest first.
    live: VecDeque<u64>,
    running: u64,
    scheduling: u64,
    /// First start and last end.
    ends: Option<(u64, u64)>,
}

impl Script {
    /// Takes the record of a block's first warp.
    pub fn block(&mut self, sm: u32, start: u64, elapsed: u64) {
        let sm = self.sms.entry(sm).or_default();
        let end = start.saturating_add(elapsed);
        if let Some(oldest) = sm.live.front().copied().filter(|oldest| *oldest <= start) {
            sm.scheduling = sm.scheduling.saturating_add(start - oldest);
            sm.live.pop_front();
        }
        sm.live.push_back(end);
        sm.running = sm.running.saturating_add(elapsed);
        let (first, last) = sm.ends.unwrap_or((start, end));
        sm.ends = Some((first.min(start), last.max(end)));
        self.blocks += 1;
    }

    /// What it prints; `None` when it saw no block.
    pub fn finish(&self) -> Option<ToolFigures> {
        let units = self.sms.len() as u64;
        let mean = |sum: u64| sum.checked_div(units);
        let sum = |key: fn(&Sm) -> u64| self.sms.values().map(key).fold(0, u64::saturating_add);
        Some(ToolFigures {
            blocks: self.blocks,
            units,
            running: mean(sum(|sm| sm.running))?,
            scheduling: mean(sum(|sm| sm.scheduling))?,
        })
    }

    /// The longest time from the first start to the last end on an SM.
    pub fn longest(&self) -> u64 {
        let spans = self.sms.values().filter_map(|sm| sm.ends).map(|(first, last)| last - first);
        spans.max().unwrap_or(0)
    }
}
