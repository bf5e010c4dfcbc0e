//! What is zoomed into, counted anew.

use super::{Density, Window};
use crate::analysis::contract::AnalysisInput;
use crate::base::job::Job;
use crate::model::Trace;
use std::any::Any;
use std::rc::Rc;

/// A window of what has this number, on its way.
type Counting = (u64, Window, Job<Box<dyn Any>>);

/// The window that was counted last, and the one that is being counted.
#[derive(Default)]
pub struct Zoom {
    done: Option<(u64, Window, Box<Density>)>,
    running: Option<Counting>,
}

impl Zoom {
    /// Works for a few milliseconds on a window of what has this number; says whether it is counted. Another window than
    /// that of the last call replaces it.
    pub fn prepare(
        &mut self,
        number: u64,
        window: &Window,
        all: &Density,
        (input, trace): (&AnalysisInput, &Rc<Trace>),
    ) -> bool {
        let is_meant = |other: u64, of: &Window| other == number && of == window;
        if self.done.as_ref().is_some_and(|(other, of, _)| is_meant(*other, of)) {
            self.running = None;
            return true;
        }
        let running = self.running.take().filter(|(other, of, _)| is_meant(*other, of));
        let job = match running {
            Some((.., job)) => Some(job),
            None => all.start_window.map(|start| start(input, Rc::clone(trace), window)),
        };
        let Some(mut job) = job else { return true };
        let Some(result) = job.poll() else {
            self.running = Some((number, *window, job));
            return false;
        };
        self.done = result.downcast().ok().map(|density| (number, *window, density));
        true
    }

    /// What was counted of what has this number, where it holds all of a window.
    pub fn get(&self, number: u64, seen: &Window) -> Option<&Density> {
        let (_, _, density) = self.done.as_ref().filter(|(other, window, _)| {
            let holds = |a: (u64, u64), b: (u64, u64)| a.0 <= b.0 && b.1 <= a.1;
            *other == number && holds(window.clocks, seen.clocks) && holds(window.addresses, seen.addresses)
        })?;
        Some(density)
    }
}

impl Density {
    /// The window to count anew for what is seen, with some room beside it; `None` where this has it all exactly.
    pub fn zoomed(&self, seen: &Window) -> Option<Window> {
        let (from, to) = seen.clocks;
        let is_coarse = self.asked < self.shift;
        let (n, used) = (self.column_at(to) - self.column_at(from) + 1, self.used());
        let is_narrow = 1 < self.column_clocks() && n * 2 < used.1 - used.0;
        let is_low = is_coarse && seen.addresses != self.addresses();
        if !is_narrow && !is_low {
            return None;
        }
        let wider = |(from, to): (u64, u64), ends: (u64, u64)| {
            let room = (to - from) / 4;
            (from.saturating_sub(room).max(ends.0), to.saturating_add(room).min(ends.1))
        };
        let addresses = wider(seen.addresses, self.addresses());
        let page = self.page_bytes() - 1;
        Some(Window {
            clocks: wider(seen.clocks, self.clocks),
            addresses: (addresses.0 & !page, addresses.1 | page),
        })
    }

    /// First and last address of its pages.
    fn addresses(&self) -> (u64, u64) {
        let first = self.pages.first().map_or(0, |page| page.number << self.shift);
        let last = self.pages.last().map_or(0, |page| page.number << self.shift);
        (first, last | (self.page_bytes() - 1))
    }
}
