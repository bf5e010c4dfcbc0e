//! Transactions of binder, by which processes call each other, become slices of both threads with an arrow between them.
//!
//! ```text
//! caller   binder_transaction 7 ├────────── binder transaction ──────────┤ …_received 8
//!                                  └──▶
//! callee         binder_transaction_received 7 ├── binder reply ──┤ binder_transaction 8, a reply
//! ```
//! A transaction that fails (`binder_return` of a failed, dead or frozen reply) ends where its caller is told so, and a reply
//! that fails is none of a transaction of its thread. One that nobody answers is a slice without length where it is sent and where it is received. Rows of several
//! processors come out of order, so all of them wait until everything was read.
//!
//! Source: the events `binder_transaction`, `binder_transaction_received` and `binder_return` of the kernel.

use super::threads::ThreadRow;
use super::{Collector, RowPlace};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::Sink;
use crate::model::FlowEnd;
use crate::model::id::StrId;
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;

/// Rows that are worked on at once.
const STEP: usize = 1 << 14;

/// What a row says of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinderStep {
    /// Its thread sends it.
    Sent {
        /// It answers another one.
        is_reply: bool,
        /// Nobody answers it.
        is_one_way: bool,
    },
    Received,
    /// Its thread is told that what it sent last failed: nothing else follows.
    Failed,
}

impl BinderStep {
    /// What a `binder_return` of this command says; `None` where that is said by other events.
    pub(crate) fn returned(command: u64) -> Option<Self> {
        /// `BR_DEAD_REPLY`, `BR_FAILED_REPLY` and `BR_FROZEN_REPLY`.
        const FAILED: [u64; 3] = [0x7205, 0x7211, 0x7212];
        FAILED.contains(&command).then_some(Self::Failed)
    }
}

/// A row that waits for its turn.
#[derive(Clone, Copy)]
struct BinderRow {
    time: Ticks,
    thread: ThreadRow,
    id: i64,
    step: BinderStep,
    place: RowPlace,
}

/// A slice that has begun.
#[derive(Clone, Copy)]
struct Open {
    row: BinderRow,
    /// Whether it answers another one.
    is_reply: bool,
}

/// All transactions of a file.
#[derive(Default)]
pub(crate) struct Binder {
    rows: Vec<BinderRow>,
    /// How many rows were worked on; `None` as long as more may come.
    n_done: Option<usize>,
    /// Those that were sent and not received yet.
    sent: Map<i64, BinderRow>,
    /// What each thread is in, the innermost last.
    open: Map<ThreadRow, Vec<Open>>,
    /// Threads that sent a reply, or what nobody answers, in their last row: that is what fails.
    replied: Set<ThreadRow>,
}

impl Collector {
    /// Takes a row of a transaction: its thread by numbers of process and thread and by name, and its number. Constant time.
    pub(crate) fn binder(
        &mut self,
        (process, tid, name): (&str, &str, &str),
        (id, step): (i64, BinderStep),
        (time, place): (Ticks, RowPlace),
        sink: &mut Sink,
    ) {
        self.time(time);
        let thread = self.threads.seen((tid, name, process), &self.survey, sink);
        self.binder.rows.push(BinderRow { time, thread, id, step, place });
    }

    /// All rows were read: makes slices of some; false when all are made.
    pub(crate) fn join_binder(&mut self, sink: &mut Sink) -> bool {
        if self.binder.rows.is_empty() {
            return false;
        }
        if self.binder.n_done.is_none() && !self.binder.rows.is_sorted_by_key(|row| row.time) {
            order::sort_by_number(&mut self.binder.rows, |row| row.time);
        }
        let from = self.binder.n_done.unwrap_or(0);
        let to = self.binder.rows.len().min(from + STEP);
        for at in from..to {
            let Some(&row) = self.binder.rows.get(at) else { break };
            self.binder_row(row, sink);
        }
        self.binder.n_done = Some(to);
        if to == self.binder.rows.len() {
            self.finish_binder(sink);
        }
        true
    }

    fn binder_row(&mut self, row: BinderRow, sink: &mut Sink) {
        let innermost = self.binder.open.get(&row.thread).and_then(|open| open.last()).map(|of| of.is_reply);
        let has_replied = self.binder.replied.remove(&row.thread);
        if let BinderStep::Sent { is_reply, is_one_way } = row.step
            && (is_reply || is_one_way)
        {
            self.binder.replied.insert(row.thread);
        }
        match row.step {
            BinderStep::Failed if innermost == Some(false) && !has_replied => {
                self.close_binder(row.thread, row.time, sink);
            }
            BinderStep::Failed => {}
            BinderStep::Sent { is_reply: true, .. } => {
                self.binder.sent.insert(row.id, row);
                if innermost == Some(true) {
                    self.close_binder(row.thread, row.time, sink);
                } else {
                    self.binder_event("binder_transaction", row, sink);
                }
            }
            BinderStep::Sent { is_one_way: true, .. } => {
                self.binder.sent.insert(row.id, row);
                self.binder_slice("binder transaction async", row, (row.time, false), sink);
            }
            BinderStep::Sent { .. } => {
                // A thread that waits for an answer sends nothing else: that transaction failed.
                if innermost == Some(false) {
                    self.close_binder(row.thread, row.time, sink);
                    sink.builder.drop_row("answers to binder transactions");
                }
                self.binder.sent.insert(row.id, row);
                self.binder.open.entry(row.thread).or_default().push(Open { row, is_reply: false });
            }
            BinderStep::Received => match self.binder.sent.remove(&row.id) {
                Some(BinderRow { step: BinderStep::Sent { is_reply: true, .. }, .. }) => {
                    if innermost == Some(false) {
                        self.close_binder(row.thread, row.time, sink);
                    }
                }
                Some(sent) => {
                    if matches!(sent.step, BinderStep::Sent { is_one_way: true, .. }) {
                        self.binder_slice("binder async rcv", row, (row.time, false), sink);
                    } else {
                        self.binder.open.entry(row.thread).or_default().push(Open { row, is_reply: true });
                    }
                    self.binder_arrow(sent, row, sink);
                }
                None => self.binder_event("binder_transaction_received", row, sink),
            },
        }
    }

    /// Ends the innermost slice of a thread.
    fn close_binder(&mut self, thread: ThreadRow, end: Ticks, sink: &mut Sink) {
        if let Some(open) = self.binder.open.get_mut(&thread).and_then(Vec::pop) {
            let name = if open.is_reply { "binder reply" } else { "binder transaction" };
            self.binder_slice(name, open.row, (end, false), sink);
        }
    }

    fn binder_slice(
        &mut self,
        name: &str,
        row: BinderRow,
        (end, is_unfinished): (Ticks, bool),
        sink: &mut Sink,
    ) {
        let Some(track) = self.threads.track(row.thread, &self.survey, sink) else {
            return self.report_tracks(sink);
        };
        let slice = SliceRow {
            category: category(sink),
            is_unfinished,
            detail_start: row.place.start,
            detail_len: row.place.len,
            ..SliceRow::new(row.time, end.saturating_sub(row.time), sink.builder.intern(name))
        };
        sink.builder.slice(track, slice);
    }

    fn binder_arrow(&mut self, from: BinderRow, to: BinderRow, sink: &mut Sink) {
        let mut end = |row: BinderRow, sink: &mut Sink| {
            let track = self.threads.track(row.thread, &self.survey, sink)?;
            Some(FlowEnd { track, time: row.time })
        };
        if let (Some(from_end), Some(to_end)) = (end(from, sink), end(to, sink)) {
            let (id, category) = (sink.builder.intern(&from.id.to_string()), category(sink));
            sink.builder.flow(id, category, Strings::EMPTY, from_end, to_end);
        }
    }

    /// A row whose partner is not in the file: an event of the kernel like others.
    fn binder_event(&mut self, name: &str, row: BinderRow, sink: &mut Sink) {
        let Some(track) = self.threads.events(row.thread, sink) else { return self.report_tracks(sink) };
        let name = sink.builder.intern(name);
        sink.builder.instant(track, row.time, name, Strings::EMPTY, (row.place.start, row.place.len));
    }

    /// Nothing follows: what is still open lasts to the end of the trace.
    fn finish_binder(&mut self, sink: &mut Sink) {
        let end = self.last();
        let mut open: Vec<_> = std::mem::take(&mut self.binder).open.into_iter().collect();
        order::sort_by_key(&mut open, |(thread, _)| *thread);
        for Open { row, is_reply } in open.into_iter().flat_map(|(_, open)| open) {
            let name = if is_reply { "binder reply" } else { "binder transaction" };
            self.binder_slice(name, row, (end, true), sink);
            sink.builder.drop_row("ends of binder slices that last to the end of the trace");
        }
    }
}

fn category(sink: &mut Sink) -> StrId {
    sink.builder.intern("binder")
}
