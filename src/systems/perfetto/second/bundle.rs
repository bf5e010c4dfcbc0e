//! Events of a processor, as the second pass takes them.

use super::{Second, out_of_range};
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::time::Ticks;
use crate::base::words::message;
use crate::format::sink::Sink;
use crate::model::slice::SliceRow;
use crate::systems::perfetto::clock::BOOT;
use crate::systems::perfetto::first::First;
use crate::systems::perfetto::ftrace::{Event, mark_of};
use crate::systems::perfetto::packet::messages::Bundle;
use crate::systems::perfetto::packet::names;
use crate::systems::perfetto::packet::walk::Spot;
use crate::systems::perfetto::sequence::text;

impl Second {
    /// Takes the events of a processor.
    pub(super) fn bundle(
        &mut self,
        bundle: &Bundle,
        sequence: u32,
        spot: &Spot,
        sink: &mut Sink,
    ) -> Result<(), String> {
        self.say(bundle, spot, sink);
        let cpu = bundle.cpu.unwrap_or(0);
        for bytes in &bundle.event {
            let event = Event::read(bytes)?;
            let Some(time) = self.first.clocks.time(event.time, BOOT, 0) else {
                out_of_range(event.time, spot, sink);
                continue;
            };
            let time = time.unwrap_or_else(|time| time);
            self.collector.time(time);
            let function = |id| {
                let known =
                    self.sequences.get(&sequence).and_then(|sequence| sequence.text(text::FUNCTION, id));
                known.map_or(format!("{id:#x}"), |id| sink.builder.trace().strings.get(id).to_owned())
            };
            let is_shown = match mark_of(&event, function) {
                Some(mark) => {
                    let with = (&self.first.names, &mut self.collector);
                    self.rows.take((&event, time, &mark), spot.range(&mark), with, sink);
                    true
                }
                None => {
                    let with = (&self.first.names, &mut self.collector);
                    self.kernel.event(&event, (cpu, time), with, sink)
                }
            };
            if !is_shown && event.kind != Event::TASK_RENAME {
                self.other_event(&event, time, spot.range(bytes), sink);
            }
        }
        if let Some(compact) = &bundle.compact {
            let First { clocks, names, .. } = &mut self.first;
            self.kernel.compact(cpu, compact, (clocks, names, &mut self.collector), sink);
        }
        Ok(())
    }

    /// An event that nothing else is made of: a slice without length, as in the text of a trace.
    fn other_event(&mut self, event: &Event, time: Ticks, (start, len): (u64, u32), sink: &mut Sink) {
        let tid = i64::from(event.pid);
        let track = *self.event_tracks.entry(tid).or_insert_with(|| {
            let (process, name) = self.first.names.of(tid);
            self.collector.event_track((&process, &tid.to_string(), name), sink)
        });
        let Some(track) = track else { return self.collector.report_tracks(sink) };
        let name = self.event_names.entry(event.kind);
        let name = *name.or_insert_with(|| sink.builder.intern(&names::event(event.kind)));
        let row = SliceRow { detail_start: start, detail_len: len, ..SliceRow::new(time, 0, name) };
        sink.builder.slice(track, row);
    }

    /// Tells what is odd about a bundle.
    fn say(&mut self, bundle: &Bundle, spot: &Spot, sink: &mut Sink) {
        let cpu = bundle.cpu.unwrap_or(0);
        let fault = |code, severity, expected: &'static str, found| {
            let kind = Kind::Unexpected { expected: expected.into(), found };
            Fault::new(code, severity, spot.place.clone(), kind)
        };
        if bundle.lost_events == Some(true) {
            let fault =
                fault("PFT-LOST", Severity::Loss, "all rows", message("some of CPU {n} lost").with("n", cpu));
            sink.fault(fault.note("The kernel buffer was full; scopes may lack their begin or end."));
        }
        let clock = bundle.ftrace_clock.filter(|clock| *clock != 0);
        if let Some(clock) = clock.filter(|clock| self.kernel_clocks.insert(*clock)) {
            let name = match clock {
                2 => "global",
                3 => "local",
                4 => "mono_raw",
                _ => "unknown",
            };
            let found = message("events by the clock {clock} ({name}) on CPU {n}");
            let found = found.with("clock", clock).with("name", name).with("n", cpu);
            let fault = fault("PFT-CLOCK", Severity::Note, "boot clock times", found);
            sink.fault(fault.note("Times are shown unchanged."));
        }
    }
}
