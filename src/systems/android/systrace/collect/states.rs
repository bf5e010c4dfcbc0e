//! States of threads: what each waited for while no processor ran it.
//!
//! ```text
//! sched_switch: 7 → 8, 7 sleeps         7  ── Running ──┤── Sleeping ──┤── Runnable ──┤── Running …
//! sched_waking: 7                       8  ── Runnable ─┤── Running …
//! ```
//! Events of a thread come from the buffers of several processors, out of order: they wait among some thousand neighbors.

use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::systems::android::systrace::collect::{Beside, Collector, RUNNING};

/// Events of a thread that wait for earlier ones: from so many to twice as many, that not all threads go on at once.
const WAITING: usize = 1 << 11;

/// Events that are worked on at once when all were read.
const STEP: usize = 1 << 14;

/// What is known of threads by their numbers.
pub(crate) trait ThreadNames {
    /// The number of the process of a thread as text, empty when nobody says it; and its name.
    fn of(&self, tid: i64) -> (String, &str);
}

/// What a thread goes over to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadState {
    /// On this processor.
    Running(u32),
    Runnable,
    Preempted,
    Sleeping,
    Blocked,
    BlockedByIo,
    Stopped,
    Traced,
    Dead,
    Zombie,
    Parked,
    Idle,
    /// Another thread has its processor, and nobody says why.
    Unknown,
}

/// What happened to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    To(ThreadState),
    /// Somebody woke it: it is runnable unless it was.
    Woken,
    /// What it waited for was a device.
    WaitedForIo,
}

impl ThreadState {
    /// The state of a thread that left its processor, as the kernel numbers it.
    pub(crate) fn left(bits: i64) -> Self {
        const BITS: [ThreadState; 8] = [
            ThreadState::Sleeping,
            ThreadState::Blocked,
            ThreadState::Stopped,
            ThreadState::Traced,
            ThreadState::Dead,
            ThreadState::Zombie,
            ThreadState::Parked,
            ThreadState::Idle,
        ];
        let first = BITS.iter().enumerate().find(|(bit, _)| bits >> bit & 1 != 0);
        // Higher bits alone: it would have gone on.
        let other = if bits == 0 { Self::Runnable } else { Self::Preempted };
        first.map_or(other, |(_, state)| *state)
    }

    /// The state of a thread that left its processor, as rows of text say it: `S`, `R+`, `D|K`.
    pub(crate) fn of_letters(text: &str) -> Self {
        match text.as_bytes() {
            [b'R', b'+', ..] => Self::Preempted,
            [b'R', ..] => Self::Runnable,
            [b'S', ..] => Self::Sleeping,
            [b'D', ..] => Self::Blocked,
            [b'T', ..] => Self::Stopped,
            [b't', ..] => Self::Traced,
            [b'X' | b'x', ..] => Self::Dead,
            [b'Z', ..] => Self::Zombie,
            [b'P', ..] => Self::Parked,
            [b'I', ..] => Self::Idle,
            _ => Self::Unknown,
        }
    }

    /// The state of a thread of another kernel.
    pub(crate) fn generic(number: i32) -> Self {
        match number {
            1 | 2 => Self::Runnable,
            4 => Self::Sleeping,
            5 => Self::Blocked,
            6 => Self::Stopped,
            7 => Self::Zombie,
            8 => Self::Dead,
            _ => Self::Unknown,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Running(_) => RUNNING,
            Self::Runnable => "Runnable",
            Self::Preempted => "Runnable (preempted)",
            Self::Sleeping => "Sleeping",
            Self::Blocked => "Uninterruptible sleep",
            Self::BlockedByIo => "Uninterruptible sleep (I/O)",
            Self::Stopped => "Stopped",
            Self::Traced => "Traced",
            Self::Dead => "Dead",
            Self::Zombie => "Zombie",
            Self::Parked => "Parked",
            Self::Idle => "Idle",
            Self::Unknown => "Unknown",
        }
    }
}

/// A thread whose states are told.
#[derive(Default)]
struct Thread {
    waiting: Vec<(Ticks, Change)>,
    now: Option<(Ticks, ThreadState)>,
}

/// The states of all threads, by number.
#[derive(Default)]
pub(crate) struct States {
    threads: Map<i64, Thread>,
    /// Their tracks; `None` for those that get none.
    tracks: Map<i64, Option<TrackId>>,
    /// Texts that were made.
    texts: Map<u32, StrId>,
    /// Threads that are to be finished, the last first.
    left: Option<Vec<i64>>,
}

impl States {
    /// Something happens to a thread.
    pub(crate) fn take(
        &mut self,
        tid: i64,
        event: (Ticks, Change),
        (names, collector): (&dyn ThreadNames, &mut Collector),
        sink: &mut Sink,
    ) {
        collector.schedules(event.0);
        // The idle threads of all processors share the number 0.
        if tid == 0 {
            return;
        }
        let thread = self.threads.entry(tid).or_default();
        thread.waiting.push(event);
        let more = usize::try_from(tid.unsigned_abs().wrapping_mul(37) % WAITING as u64).unwrap_or(0);
        if WAITING + more <= thread.waiting.len() {
            let track = *self.tracks.entry(tid).or_insert_with(|| track(tid, names, collector, sink));
            thread.go_on(WAITING / 2, track, &mut self.texts, sink);
        }
    }

    /// Nothing follows. Works on the next threads; false when all are done.
    pub(crate) fn finish(
        &mut self,
        (names, collector): (&dyn ThreadNames, &mut Collector),
        sink: &mut Sink,
    ) -> bool {
        let left = self.left.get_or_insert_with(|| {
            // Tracks are made in the order of numbers.
            let mut all: Vec<i64> = self.threads.keys().copied().collect();
            all.sort_unstable();
            all.reverse();
            all
        });
        let mut n = 0;
        while n < STEP {
            let Some(tid) = left.pop() else { return 0 < n };
            let Some(mut thread) = self.threads.remove(&tid) else { continue };
            n += thread.waiting.len() + 1;
            let track = *self.tracks.entry(tid).or_insert_with(|| track(tid, names, collector, sink));
            thread.go_on(usize::MAX, track, &mut self.texts, sink);
            if let (Some(track), Some(now)) = (track, thread.now) {
                slice(track, now, collector.last_scheduled(), &mut self.texts, sink);
            }
        }
        true
    }
}

impl Thread {
    fn go_on(&mut self, n: usize, track: Option<TrackId>, texts: &mut Map<u32, StrId>, sink: &mut Sink) {
        if !self.waiting.is_sorted_by_key(|(time, _)| *time) {
            order::sort_by_number(&mut self.waiting, |(time, _)| *time);
        }
        let later = self.waiting.split_off(n.min(self.waiting.len()));
        let mut events = std::mem::replace(&mut self.waiting, later).into_iter().peekable();
        let Some(track) = track else { return };
        while let Some((time, change)) = events.next() {
            let next = match (self.now, change) {
                (
                    Some((_, ThreadState::Running(_) | ThreadState::Runnable | ThreadState::Preempted)),
                    Change::Woken,
                )
                | (None, Change::WaitedForIo) => continue,
                (_, Change::Woken) => ThreadState::Runnable,
                (_, Change::To(state)) => state,
                (Some((since, state)), Change::WaitedForIo) => {
                    self.now = Some((
                        since,
                        if state == ThreadState::Blocked { ThreadState::BlockedByIo } else { state },
                    ));
                    continue;
                }
            };
            let Some((since, mut before)) = self.now.filter(|(_, state)| *state != next) else {
                self.now = self.now.or(Some((time, next)));
                continue;
            };
            // The kernel says it just after the thread was woken.
            let is_io = events.peek().is_some_and(|(_, change)| *change == Change::WaitedForIo);
            if is_io && before == ThreadState::Blocked {
                before = ThreadState::BlockedByIo;
            }
            if before != ThreadState::Unknown || since < time {
                slice(track, (since, before), time, texts, sink);
            }
            self.now = Some((time, next));
        }
    }
}

/// The track of the states of a thread; none of threads without NNAPI in a trace that has some.
fn track(tid: i64, names: &dyn ThreadNames, collector: &mut Collector, sink: &mut Sink) -> Option<TrackId> {
    let (process, name) = names.of(tid);
    collector.track_beside((&process, &tid.to_string(), name), Beside::States, sink)
}

fn slice(
    track: TrackId,
    (since, state): (Ticks, ThreadState),
    end: Ticks,
    texts: &mut Map<u32, StrId>,
    sink: &mut Sink,
) {
    let category = match state {
        ThreadState::Running(cpu) => {
            *texts.entry(cpu).or_insert_with(|| sink.builder.intern(&format!("CPU {cpu}")))
        }
        _ => Strings::EMPTY,
    };
    let name = sink.builder.intern(state.name());
    let row = SliceRow { category, ..SliceRow::new(since, end.saturating_sub(since), name) };
    sink.builder.slice(track, row);
}
