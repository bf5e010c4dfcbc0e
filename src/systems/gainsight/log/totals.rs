//! The log's own totals of accesses, which its lines must add up to. They count from the first kernel on.

use super::line::decimal;
use crate::base::words::{Message, message};
use crate::views::lifetimes::compute::Level;

/// Totals of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    accesses: Option<u64>,
    retries: Option<u64>,
}

/// Totals of both levels: at the end of the kernel before, and of this one.
#[derive(Default)]
pub(super) struct Totals {
    before: [Sums; 2],
    now: [Sums; 2],
    /// Whether this is no kernel's end yet.
    has_before: bool,
}

impl Totals {
    /// Takes a line `\tL1D_total_cache_accesses = 8512` or the same without the tab.
    pub(super) fn line(&mut self, line: &[u8]) {
        let line = line.trim_ascii_start();
        let (level, rest) = if let Some(rest) = line.strip_prefix(b"L1D_total_cache_") {
            (0, rest)
        } else if let Some(rest) = line.strip_prefix(b"L2_total_cache_") {
            (1, rest)
        } else {
            return;
        };
        let Some(sums) = self.now.get_mut(level) else { return };
        let value = |rest: &[u8]| decimal(rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii());
        if let Some(rest) = rest.strip_prefix(b"accesses") {
            sums.accesses = value(rest);
        } else if let Some(rest) = rest.strip_prefix(b"reservation_fails") {
            sums.retries = value(rest);
        }
    }

    /// All lines of a kernel's end were read: what its lines do not agree with, as what the lines and the totals say.
    /// `is_first` says whether nothing ran before.
    pub(super) fn kernel(&mut self, levels: &[Level], is_first: bool) -> Vec<(Message, Message)> {
        let (before, now) = (self.before, self.now);
        // What one kernel does not say stays as it was.
        let kept = |now: Option<u64>, before: Option<u64>| now.or(before);
        for (before, now) in self.before.iter_mut().zip(&mut self.now) {
            before.accesses = kept(now.accesses, before.accesses);
            before.retries = kept(now.retries, before.retries);
            *now = Sums::default();
        }
        let knows = is_first || self.has_before;
        self.has_before = true;
        if !knows {
            return Vec::new();
        }
        let mut wrong = Vec::new();
        for (at, name) in ["L1D", "L2"].into_iter().enumerate() {
            let (Some(before), Some(now), Some(level)) = (before.get(at), now.get(at), levels.get(at)) else {
                continue;
            };
            let counts = level.counts;
            if counts.accesses() + counts.retries == 0 {
                continue; // the level was not logged
            }
            // Totals that begin anew with each kernel stand as they are.
            let own = |now: Option<u64>, before: Option<u64>| {
                now.map(|now| now.checked_sub(before.unwrap_or(0)).unwrap_or(now))
            };
            if let Some(total) = own(now.accesses, before.accesses).filter(|n| *n != counts.accesses()) {
                let lines = message("the lines of the kernel hold {n} accesses to {level}");
                let log = message("its totals say {n}").with("n", total);
                wrong.push((lines.with("n", counts.accesses()).with("level", name), log));
            }
            if let Some(total) = own(now.retries, before.retries).filter(|n| *n != counts.retries) {
                let lines = message("the lines of the kernel hold {n} retries at {level}");
                let log = message("its totals say {n}").with("n", total);
                wrong.push((lines.with("n", counts.retries).with("level", name), log));
            }
        }
        wrong
    }
}
