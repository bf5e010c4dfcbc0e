//! Packets that are neither track events nor events of the kernel, as the second pass takes them.

use super::Second;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::sink::Sink;
use crate::systems::perfetto::clock::{BOOT, MONOTONIC, REALTIME};
use crate::systems::perfetto::ftrace::Event;
use crate::systems::perfetto::packet::fields::{Fields, numbers};
use crate::systems::perfetto::packet::walk::Spot;
use crate::systems::perfetto::packet::{Packet, number};
use crate::systems::perfetto::services::LogLine;
use crate::systems::perfetto::stats::Target;

impl Second {
    /// Counters and call stacks that are sampled, states of threads, and what services tell.
    pub(super) fn other(
        &mut self,
        kind: u64,
        bytes: &[u8],
        (packet, spot): (&Packet, &Spot),
        sink: &mut Sink,
    ) -> Result<(), String> {
        let is_known = matches!(
            kind,
            number::SYS_STATS
                | number::PROCESS_STATS
                | number::BATTERY
                | number::POWER_RAILS
                | number::GPU_MEMORY
                | number::GENERIC_TASK
                | number::GENERIC_FREQUENCY
                | number::GENERIC_GPU_FREQUENCY
                | number::ANDROID_LOG
                | number::JOURNAL
                | number::FRAME_TIMELINE
                | number::PERF_SAMPLE
                | number::STREAMING_PROFILE
        );
        if !is_known {
            *self.other_packets.entry(kind).or_insert(0) += 1;
            return Ok(());
        }
        let Some(time) = self.time(packet, spot, sink) else { return Ok(()) };
        if matches!(kind, number::ANDROID_LOG | number::STREAMING_PROFILE) {
            self.timed(kind, bytes, (packet, spot), sink);
            return Ok(());
        }
        self.collector.time(time);
        if kind == number::GENERIC_TASK {
            let (task, said) = packet.message();
            self.kernel.task(&task, time, (&self.first.names, &mut self.collector), sink);
            return said;
        }
        let with = (&mut self.collector, &mut *sink);
        match kind {
            number::FRAME_TIMELINE => self.frames.take(bytes, (time, spot.whole()), with),
            number::JOURNAL => LogLine::journal(bytes).show(time, with),
            number::PERF_SAMPLE => {
                if let Some(sequence) = self.sequences.get(&packet.sequence) {
                    self.samples.perf(bytes, time, sequence, with);
                }
            }
            _ => self.sampled(kind, (bytes, packet.sequence), time, sink),
        }
        Ok(())
    }

    /// Packets that say the times of what they hold.
    fn timed(&mut self, kind: u64, bytes: &[u8], (packet, spot): (&Packet, &Spot), sink: &mut Sink) {
        if kind == number::ANDROID_LOG {
            for line in LogLine::all(bytes) {
                if let Some(time) = self.moment(line.time, REALTIME, packet.sequence, spot, sink) {
                    line.show(time, (&mut self.collector, sink));
                }
            }
            return;
        }
        let numbers = |of: u64| {
            let fields = Fields::of(bytes).filter(move |(field, _)| *field == of);
            fields.flat_map(|(_, value)| numbers(value)).collect::<Vec<_>>()
        };
        for (stack, passed) in numbers(1).into_iter().zip(numbers(2)) {
            let Some(sequence) = self.sequences.get_mut(&packet.sequence) else { return };
            sequence.micros = sequence.micros.saturating_add(passed.cast_signed());
            let nanos = u64::try_from(sequence.micros).ok().and_then(|micros| micros.checked_mul(1000));
            let time = self.moment(nanos, MONOTONIC, packet.sequence, spot, sink);
            let sequence = self.sequences.get(&packet.sequence);
            if let (Some(time), Some(sequence)) = (time, sequence)
                && let Some(thread) = sequence.thread
            {
                self.collector.time(time);
                self.samples.add(thread, (time, stack), sequence, sink);
            }
        }
    }

    /// Values of counters.
    fn sampled(&mut self, kind: u64, (bytes, sequence): (&[u8], u32), time: Ticks, sink: &mut Sink) {
        let mut target = Target { collector: &mut self.collector, sink, time };
        match kind {
            number::SYS_STATS => target.system(bytes),
            number::PROCESS_STATS => target.processes(bytes),
            number::BATTERY => target.battery(bytes),
            number::GPU_MEMORY => target.gpu_memory(bytes),
            number::POWER_RAILS => {
                let clocks = &mut self.first.clocks;
                let time_of = |ms: u64| {
                    let time = clocks.time(ms.checked_mul(1_000_000)?, BOOT, 0)?;
                    Some(time.unwrap_or_else(|time| time))
                };
                self.rails.take((bytes, sequence), time_of, &mut target);
            }
            _ => {
                // Processor or GPU, and its frequency in hertz or kilohertz.
                let event = Event { time: 0, pid: 0, kind, body: bytes };
                let (word, by) = if kind == number::GENERIC_FREQUENCY { ("CPU", 1e6) } else { ("GPU", 1e3) };
                let name = format!("{word} {} frequency", event.number(1));
                let value = event.number(2) as f64 / by;
                self.collector.of_cpu(&name, &Unit::Megahertz, (time, value), sink);
            }
        }
    }
}
