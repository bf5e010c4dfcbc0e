//! Ends of kernels.

use super::super::faults::{Problem, fault};
use super::super::names::Announced;
use super::{Ran, Scanner};
use crate::views::lifetimes::compute::{Closed, Ending, Kernel};

/// A kernel that ended, while what it did is summed up.
pub(super) struct Ends {
    /// The kernel with the levels that are done.
    kernel: Kernel,
    /// Its levels, and the lifetimes of those that are done.
    levels: Vec<Ending>,
    closed: Vec<Vec<Closed>>,
    /// Bytes of L1.
    l1: Option<u64>,
}

impl Scanner {
    /// The kernel that runs ends with its latest access: its end is missing.
    pub(super) fn cut(&mut self) {
        if let Some(first) = self.running.first {
            self.faults.push(fault(&self.path, Problem::End, &[], first, 0));
            let latest = self.running.latest.iter().max().copied().unwrap_or(0);
            self.end(latest, self.position, true);
        }
    }

    /// A kernel ends after so many cycles: what it did is summed up by [`Scanner::go_on`] before the next line is read.
    pub(in super::super) fn end(&mut self, cycles: u64, at: u64, is_cut: bool) {
        self.seal();
        let running = std::mem::take(&mut self.running);
        self.running.l1 = running.l1;
        self.running.launched = self.names.launched();
        let uid = running.uids.as_ref().and_then(|uids| uids.first()).copied();
        let known = uid.map_or_else(|| self.names.last(), |uid| self.names.of(uid));
        let said = running.name.filter(|name| !name.trim().is_empty());
        let first = running.first.unwrap_or((at, self.number));
        let row = (self.n_ended as u64).saturating_add(1);
        let kernel = Kernel {
            id: known.id.or(known.uid).unwrap_or(row),
            uid: known.uid,
            name: said.map_or_else(|| known.name.clone(), |name| name.trim().to_owned()),
            stream: known.stream.or(running.stream),
            start: self.total,
            cycles,
            weight: 1.0,
            is_cut,
            bytes: first.0..at.max(first.0),
            line: first.1,
            ..Kernel::default()
        };
        self.ended_uids = running.uids.filter(|_| !is_cut);
        self.total = self.total.saturating_add(cycles);
        self.n_ended += 1;
        let levels = self.machines.iter_mut().map(|machine| machine.end(cycles)).collect();
        self.ends = Some(Ends { kernel, levels, closed: Vec::new(), l1: running.l1 });
    }

    /// Sums up the kernel that ended for about 10 ms; whether there was something to do.
    pub(in super::super) fn go_on(&mut self) -> bool {
        let Some(ends) = &mut self.ends else { return false };
        let row = ends.kernel.levels.len();
        if let Some(ending) = ends.levels.get_mut(row) {
            if let Some((level, closed)) = ending.poll() {
                ends.kernel.levels.push(level);
                ends.closed.push(closed);
            }
            return true;
        }
        let Some(Ends { mut kernel, closed, l1, .. }) = self.ends.take() else { return false };
        let next = kernel.levels.get(1).map_or(0, |level| level.counts.accesses());
        if let Some(level) = kernel.levels.first_mut() {
            level.bytes = l1;
            // Whatever misses goes on to L2, but for what waits for the same data.
            let waited = level.counts.missed.checked_sub(next);
            level.waited = waited.filter(|_| 0 < next && !self.uses_probes);
        }
        if self.keeps {
            self.closed.push((kernel.id, closed));
        }
        let is_cut = kernel.is_cut;
        self.ended = Some(kernel);
        if is_cut {
            self.seal();
        }
        true
    }

    /// Whether a kernel ended that is not summed up yet.
    pub(in super::super) fn is_ending(&self) -> bool {
        self.ends.is_some()
    }

    /// Everything of the kernel that ended last was read.
    pub(super) fn seal(&mut self) {
        let Some(kernel) = self.ended.take() else { return };
        let uids = self.ended_uids.take();
        let end = kernel.start.saturating_add(kernel.cycles);
        match uids {
            None => {
                let own = Announced {
                    name: kernel.name.clone(),
                    id: Some(kernel.id),
                    stream: kernel.stream,
                    uid: kernel.uid,
                };
                self.ran.push(Ran { kernel: own, start: kernel.start, end });
            }
            Some(uids) => {
                for uid in uids {
                    let of = |ran: &&mut Ran| ran.kernel.uid == Some(uid) && ran.end == kernel.start;
                    match self.ran.iter_mut().rev().find(of) {
                        Some(ran) => ran.end = end,
                        None => {
                            let own = self.names.of(uid);
                            self.ran.push(Ran { kernel: own, start: kernel.start, end });
                        }
                    }
                }
            }
        }
        let is_first = kernel.start == 0;
        let levels = if self.uses_probes { kernel.levels.get(..1) } else { kernel.levels.get(..) };
        for (lines, totals) in self.totals.kernel(levels.unwrap_or(&[]), is_first && !kernel.is_cut) {
            let place = (kernel.bytes.start, kernel.line);
            self.faults.push(fault(&self.path, Problem::Totals(lines, totals), &[], place, 0));
        }
        self.done.push(kernel);
    }

    /// Nothing follows: the kernel that runs ends. What is left is up to [`Scanner::go_on`].
    pub(in super::super) fn finish(&mut self) {
        self.seal();
        self.cut();
    }

    /// What all lines together say.
    pub(in super::super) fn judge(&mut self) {
        let is_short = u32::try_from(self.greatest).is_ok();
        if let Some(first) = self.first.filter(|_| is_short && self.names.has_headers()) {
            self.faults.push(fault(&self.path, Problem::Short, &[], first, 0));
        }
    }
}
