//! Processes and threads by number: from 1 in the order of the tree, threads on through all processes; slices from 1 on
//! through all threads. Wherever a number is asked for, a name does.

use crate::base::time::{Span, Ticks};
use crate::export::RequestError;
use crate::model::Trace;
use crate::model::id::{SliceId, TrackId};
use crate::model::slice::Slices;
use crate::model::track::{Track, TrackKind};

/// The tree of a trace with its numbers.
pub(super) struct Units<'a> {
    trace: &'a Trace,
    /// In the order of the tree.
    pub(super) processes: Vec<Process<'a>>,
}

/// One process: a top row of the tree.
pub(super) struct Process<'a> {
    /// From 1.
    pub(super) number: usize,
    pub(super) name: &'a str,
    /// The file it comes from.
    pub(super) entry: u32,
    /// Its threads, in the order of the tree.
    pub(super) threads: Vec<Thread<'a>>,
}

/// One thread: a row with slices or samples.
#[derive(Clone, Copy)]
pub(super) struct Thread<'a> {
    /// From 1, through all processes.
    pub(super) number: usize,
    pub(super) process: usize,
    /// Its row in the trace.
    pub(super) id: TrackId,
    pub(super) name: &'a str,
    pub(super) track: &'a Track,
    /// Slices of the threads before it.
    before: usize,
}

impl<'a> Units<'a> {
    /// Numbers the tree. Costs the tracks.
    pub(super) fn of(trace: &'a Trace) -> Self {
        let mut processes: Vec<Process> = Vec::new();
        let (mut n_threads, mut n_slices) = (0, 0);
        for &id in trace.tracks.shown() {
            let track = trace.tracks.get(id);
            let name = trace.strings.get(track.name);
            if track.parent.is_none() {
                let number = processes.len() + 1;
                processes.push(Process { number, name, entry: track.entry, threads: Vec::new() });
            }
            // The tree is shown depth first: what is below a process stands behind it.
            if track.kind != TrackKind::Group
                && let Some(process) = processes.last_mut()
            {
                n_threads += 1;
                let (number, process_number) = (n_threads, process.number);
                let thread = Thread { number, process: process_number, id, name, track, before: n_slices };
                process.threads.push(thread);
                n_slices += track.slices.len();
            }
        }
        Self { trace, processes }
    }

    /// The time that requests and answers count from: the start of the trace.
    pub(super) fn zero(&self) -> Ticks {
        self.trace.span.map_or(0, |span| span.start)
    }

    /// A process by number or name, of one file or of all.
    pub(super) fn process(&self, asked: &str, card: Option<u32>) -> Result<&Process<'a>, RequestError> {
        let is_of_card = |p: &&Process| {
            card.is_none_or(|card| p.entry == card || p.threads.iter().any(|t| t.track.entry == card))
        };
        let by_number = asked.parse::<usize>().ok().and_then(|n| self.processes.get(n.checked_sub(1)?));
        let named = || self.processes.iter().filter(is_of_card).find(|p| p.name == asked);
        by_number.filter(is_of_card).or_else(named).ok_or_else(|| {
            let known = self.processes.iter().filter(is_of_card);
            RequestError::unknown_id("process", asked, known.map(|p| format!("{} ({})", p.number, p.name)))
        })
    }

    /// The thread of a track.
    pub(super) fn thread_of(&self, track: TrackId) -> Option<&Thread<'a>> {
        self.processes.iter().flat_map(|p| &p.threads).find(|t| t.id == track)
    }

    /// A slice of a thread by number, or by name: then the one that begins at a time, or else the first.
    pub(super) fn slice(
        &self,
        thread: &Thread<'a>,
        asked: &str,
        start: Option<Ticks>,
    ) -> Result<SliceId, RequestError> {
        let slices = &thread.track.slices;
        let row = asked.parse::<usize>().ok().and_then(|n| n.checked_sub(thread.before + 1));
        let row = row.filter(|&row| row < slices.len()).or_else(|| {
            let name = self.trace.strings.find(asked)?;
            let named = |row: &usize| slices.name_of(*row) == name;
            let at = start.map(|start| start.saturating_add(self.zero()));
            let begins = at.and_then(|at| rows_at(slices, at).find(named));
            begins.or_else(|| (0..slices.len()).find(named))
        });
        row.map(|row| SliceId { track: thread.id, row: row as u32 }).ok_or_else(|| {
            let (first, last) = (thread.before + 1, thread.before + slices.len());
            let what = format!("slice of thread {} ({})", thread.number, thread.name);
            let known = (!slices.is_empty()).then(|| format!("{first} to {last}, or a name"));
            RequestError::unknown_id(&what, asked, known)
        })
    }

    /// A time from the start of the trace.
    pub(super) fn since(&self, time: Ticks) -> Ticks {
        time.saturating_sub(self.zero())
    }
}

impl<'a> Process<'a> {
    /// One of its threads by number or name.
    pub(super) fn thread(&self, asked: &str) -> Result<Thread<'a>, RequestError> {
        let number = asked.parse::<usize>().ok();
        let threads = &self.threads;
        let found = threads.iter().find(|t| Some(t.number) == number);
        found.or_else(|| threads.iter().find(|t| t.name == asked)).copied().ok_or_else(|| {
            let what = format!("thread of process {} ({})", self.number, self.name);
            RequestError::unknown_id(
                &what,
                asked,
                threads.iter().map(|t| format!("{} ({})", t.number, t.name)),
            )
        })
    }
}

impl Thread<'_> {
    /// The number of a slice, as text.
    pub(super) fn slice_number(&self, row: usize) -> String {
        (self.before + row + 1).to_string()
    }

    /// From its first to its last tick; `None` when it is empty.
    pub(super) fn span(&self) -> Option<Span> {
        let (slices, instants) = (&self.track.slices, &self.track.instants);
        let lasts = (0..slices.len()).map(|row| slices.span(row));
        let points = instants.time.first().into_iter().chain(instants.time.last());
        let samples = self.track.series.iter().flat_map(|s| s.time.first().into_iter().chain(s.time.last()));
        let points = points.chain(samples).map(|&at| Span { start: at, end: at });
        lasts.chain(points).reduce(Span::union)
    }
}

/// Rows that begin at a time.
pub(super) fn rows_at(slices: &Slices, at: Ticks) -> impl Iterator<Item = usize> + '_ {
    let from = slices.start.partition_point(|&start| start < at);
    (from..slices.len()).take_while(move |&row| slices.span(row).start == at)
}
