//! Threads that run at the same time: which of them writes next is decided by a seed.

use super::survey::Slot;

/// Executions of all threads, mixed; those of one thread stay in their order.
pub(super) struct Weave {
    random: u64,
    /// Row of each slot that still has executions, the next of these, and their end.
    running: Vec<(usize, u32, u32)>,
}

impl Weave {
    /// Of these slots.
    pub(super) fn new<'a>(slots: impl Iterator<Item = (usize, &'a Slot)>, seed: u64) -> Self {
        let running = slots.filter(|(_, slot)| !slot.executions.is_empty());
        let running = running.map(|(row, slot)| (row, slot.executions.start, slot.executions.end)).collect();
        Self { random: seed, running }
    }

    /// The slot that writes next, and its execution.
    pub(super) fn next(&mut self) -> Option<(usize, u32)> {
        // splitmix64
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let n = self.running.len() as u64;
        let at = usize::try_from(z.checked_rem(n)?).ok()?;
        let (slot, execution, end) = self.running.get_mut(at)?;
        let found = (*slot, *execution);
        *execution += 1;
        if *execution == *end {
            self.running.swap_remove(at);
        }
        Some(found)
    }
}
