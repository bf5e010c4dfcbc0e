//! What the processors ran, how fast, and other counters and states that the kernel tells.
//!
//! | event | becomes |
//! |---|---|
//! | `sched_switch`, `compact_sched` | slices of the processors, states of threads |
//! | `sched_waking`, `sched_wakeup`, `sched_blocked_reason`, `task_newtask` | states of threads, by the collector of Android |
//! | `irq_handler_entry`, `softirq_entry` … `_exit` | slices of a track beside each processor |
//! | `cpu_frequency`, `cpu_frequency_limits`, `cpu_idle`, `gpu_frequency`, `clock_set_rate`, `clk_set_rate`, `sched_cpu_util_cfs`, `ion_stat` | counters |
//! | `suspend_resume`, `wakeup_source_activate` … `_deactivate` | slices of a track of their own |

use super::Event;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::model::slice::SliceRow;
use crate::systems::android::systrace::collect::{
    Change, Collector, RowPlace, States, ThreadState, shortened,
};
use crate::systems::perfetto::packet::messages::{Compact, GenericTask};
use crate::systems::perfetto::{Names, lossy};

/// States that have begun.
#[derive(Default)]
pub(crate) struct Kernel {
    /// By track and name, and how often each was begun: a wake lock is held until all let it go.
    open: Map<(String, String), (SliceRow, u32)>,
    /// The processor that a thread runs on, where only states of threads are told.
    running: Map<i64, u32>,
    /// The thread that each processor runs.
    on_cpu: Map<u32, i64>,
    states: States,
}

/// States of a processor that last, by the numbers of begin and end: interrupts of devices and of software.
const SOFT: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

impl Kernel {
    /// Takes an event of a processor; false when it is none of those that are shown.
    pub(crate) fn event(
        &mut self,
        event: &Event,
        (cpu, time, place): (u32, Ticks, RowPlace),
        (names, collector): (&Names, &mut Collector),
        sink: &mut Sink,
    ) -> bool {
        let n = |field| event.number(field);
        let value = |field| n(field) as f64;
        match event.kind {
            Event::SCHED_SWITCH => {
                let (prev, next) = ((n(2), n(4)), (n(6), &*event.text(5)));
                self.switch((cpu, time, place), prev, next, (names, collector), sink);
            }
            Event::SCHED_WAKING | Event::SCHED_WAKEUP | Event::SCHED_WAKEUP_NEW => {
                self.states.take(n(2), (time, Change::Woken), (names, collector), sink);
            }
            Event::BLOCKED_REASON if n(3) != 0 => {
                self.states.take(n(1), (time, Change::WaitedForIo), (names, collector), sink);
            }
            Event::BLOCKED_REASON => {}
            Event::TASK_NEWTASK => {
                self.states.take(n(1), (time, Change::To(ThreadState::Runnable)), (names, collector), sink);
            }
            11 => collector.cpu_frequency(u32::try_from(n(2)).unwrap_or(0), value(1), time, sink),
            12 => {
                for (word, field) in [("min", 1), ("max", 2)] {
                    let name = format!("CPU {} frequency limit ({word})", n(3));
                    collector.of_cpu(&name, &Unit::Megahertz, (time, value(field) / 1000.0), sink);
                }
            }
            13 => {
                // All bits: the processor goes on.
                let state = if n(1) == i64::from(u32::MAX) { f64::NAN } else { value(1) };
                collector.of_cpu(&format!("CPU {} idle state", n(2)), &Unit::None, (time, state), sink);
            }
            16 | 322 => {
                let name = format!("{} frequency", shortened(&event.text(1)));
                collector.of_cpu(&name, &Unit::None, (time, value(2)), sink);
            }
            332 => {
                let name = format!("GPU {} frequency", n(1));
                collector.of_gpu(&name, &Unit::Megahertz, (time, value(2) / 1000.0), sink);
            }
            335 => {
                for (name, field) in [("ION memory", 3), ("ION memory change", 2)] {
                    collector.of_cpu(name, &Unit::Bytes, (time, value(field)), sink);
                }
            }
            421 => {
                for (word, field) in [("capacity", 2), ("utilization", 6), ("running threads", 11)] {
                    let name = format!("CPU {} {word}", n(4));
                    collector.of_cpu(&name, &Unit::None, (time, value(field)), sink);
                }
            }
            _ => return self.state(event, (cpu, time), collector, sink),
        }
        true
    }

    /// The same for events that begin or end a state.
    fn state(
        &mut self,
        event: &Event,
        (cpu, time): (u32, Ticks),
        collector: &mut Collector,
        sink: &mut Sink,
    ) -> bool {
        let n = |field| event.number(field);
        let (track, name, is_begin) = match event.kind {
            36 => (format!("IRQ CPU {cpu}"), format!("IRQ ({})", event.text(2)), true),
            37 => (format!("IRQ CPU {cpu}"), String::new(), false),
            24 | 25 => {
                let kind = usize::try_from(n(1)).ok().and_then(|n| SOFT.get(n)).copied().unwrap_or_default();
                (format!("Soft IRQ CPU {cpu}"), kind.to_owned(), event.kind == 24)
            }
            113 => {
                let name = format!("{}({})", event.text(1), n(2));
                ("Suspend and resume".to_owned(), name, n(3) != 0)
            }
            404 | 405 => ("Wake locks".to_owned(), format!("Wakelock({})", event.text(1)), event.kind == 404),
            _ => return false,
        };
        // The end of an interrupt does not say its name.
        let key = (track, if matches!(event.kind, 36 | 37) { String::new() } else { name.clone() });
        let is_counted = matches!(event.kind, 404 | 405);
        match (self.open.remove(&key), is_begin) {
            (Some((begun, n)), true) if is_counted => _ = self.open.insert(key, (begun, n + 1)),
            (Some((begun, n)), false) if 1 < n => _ = self.open.insert(key, (begun, n - 1)),
            (begun, _) => {
                if let Some((begun, _)) = begun {
                    let row = SliceRow { dur: time.saturating_sub(begun.start), ..begun };
                    collector.on_cpu(&key.0, row, sink);
                }
                if is_begin {
                    let name = sink.builder.intern(shortened(&name));
                    self.open.insert(key, (SliceRow::new(time, 0, name), 1));
                }
            }
        }
        true
    }

    /// Nothing follows: states that are still open last to the end of the trace.
    pub(crate) fn finish(&mut self, collector: &mut Collector, sink: &mut Sink) {
        let end = collector.last();
        let mut open: Vec<_> = std::mem::take(&mut self.open).into_iter().collect();
        order::sort_by(&mut open, |(a, _), (b, _)| a.cmp(b));
        for ((track, _), (begun, _)) in open {
            let row = SliceRow { dur: end.saturating_sub(begun.start), is_unfinished: true, ..begun };
            collector.on_cpu(&track, row, sink);
        }
    }

    /// Nothing follows. Works on the next states of threads; false when all are done.
    pub(crate) fn hand_on(&mut self, with: (&Names, &mut Collector), sink: &mut Sink) -> bool {
        self.states.finish((with.0, with.1), sink)
    }

    /// A processor goes over from a thread, whose state is said, to another one.
    fn switch(
        &mut self,
        (cpu, time, place): (u32, Ticks, RowPlace),
        (prev, state): (i64, i64),
        next: (i64, &str),
        (names, collector): (&Names, &mut Collector),
        sink: &mut Sink,
    ) {
        self.states.take(prev, (time, Change::To(ThreadState::left(state))), (names, collector), sink);
        self.states.take(next.0, (time, Change::To(ThreadState::Running(cpu))), (names, collector), sink);
        self.on_cpu.insert(cpu, next.0);
        run(cpu, next, (time, place), (names, collector), sink);
    }

    /// Takes columns of switches and of wake-ups, where the details of each switch stand, and the times of both.
    pub(crate) fn compact(
        &mut self,
        cpu: u32,
        (compact, place): (&Compact, &dyn Fn(usize) -> RowPlace),
        [switched, woken]: [&[Option<Ticks>]; 2],
        (names, collector): (&Names, &mut Collector),
        sink: &mut Sink,
    ) {
        let names_of = compact.names.iter().map(|name| lossy(Some(name))).collect::<Vec<_>>();
        let mut states = compact.prev_state.iter();
        let rows = switched.iter().zip(&compact.next_pid).zip(&compact.next_name);
        for (nth, ((time, pid), row)) in rows.enumerate() {
            let state = states.next().copied().unwrap_or(0);
            let Some(time) = *time else { continue };
            let prev = self.on_cpu.get(&cpu).copied().unwrap_or(0);
            let name = names_of.get(*row as usize).map_or("", String::as_str);
            let at = (cpu, time, place(nth));
            self.switch(at, (prev, state), (i64::from(*pid), name), (names, collector), sink);
        }
        for (time, pid) in woken.iter().zip(&compact.woken_pid) {
            let Some(time) = *time else { continue };
            self.states.take(i64::from(*pid), (time, Change::Woken), (names, collector), sink);
        }
    }

    /// Takes a state of a thread.
    pub(crate) fn task(
        &mut self,
        task: &GenericTask,
        time: Ticks,
        (names, collector): (&Names, &mut Collector),
        sink: &mut Sink,
    ) {
        const RUNNING: i32 = 3;
        let (tid, cpu) = (task.tid.unwrap_or(0), u32::try_from(task.cpu.unwrap_or(0)).unwrap_or(0));
        let mut to = |tid, state| self.states.take(tid, (time, Change::To(state)), (names, collector), sink);
        if task.state != Some(RUNNING) {
            to(tid, ThreadState::generic(task.state.unwrap_or(0)));
            if let Some(cpu) = self.running.remove(&tid) {
                collector.sched_switch(cpu, ("0", ""), time, RowPlace::default(), sink);
            }
            return;
        }
        to(tid, ThreadState::Running(cpu));
        if self.running.get(&tid) == Some(&cpu) {
            return;
        }
        let before = self.running.iter().find(|(_, of)| **of == cpu).map(|(tid, _)| *tid);
        if let Some(before) = before {
            to(before, ThreadState::Unknown);
            self.running.remove(&before);
        }
        self.running.insert(tid, cpu);
        let name = lossy(task.name.as_deref());
        collector.sched_switch(cpu, (&tid.to_string(), &name), time, RowPlace::default(), sink);
    }
}

/// A processor goes over to a thread; one without a name has that of others who name it, or its number.
fn run(
    cpu: u32,
    (tid, name): (i64, &str),
    (time, place): (Ticks, RowPlace),
    (names, collector): (&Names, &mut Collector),
    sink: &mut Sink,
) {
    let known = || names.threads.get(&tid).map_or("", |thread| &thread.name);
    let name = if name.is_empty() { known() } else { name };
    let number = if tid == 0 || name.is_empty() { tid.to_string() } else { String::new() };
    let name = if name.is_empty() { &number } else { name };
    collector.sched_switch(cpu, (&number, name), time, place, sink);
}
