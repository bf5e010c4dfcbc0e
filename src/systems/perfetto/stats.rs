//! Counters that a service samples: of the system, of processes, of power.
//!
//! | packet | counters |
//! |---|---|
//! | `sys_stats` | memory, CPU times, frequencies of processors, devices and GPUs, idle states |
//! | `process_stats` | memory of processes |
//! | `power_rails`, `battery` | energy, charge and current |

use super::gpu::sample;
use super::lossy;
use super::packet::fields::{Fields, Value, numbers};
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::model::id::TrackId;
use crate::model::track::TrackKind;
use crate::systems::android::systrace::collect::Collector;

/// Kinds of memory by their numbers.
const MEMORY: &str = "- MemTotal MemFree MemAvailable Buffers Cached SwapCached Active Inactive ActiveAnon InactiveAnon \
    ActiveFile InactiveFile Unevictable Mlocked SwapTotal SwapFree Dirty Writeback AnonPages Mapped Shmem Slab \
    SlabReclaimable SlabUnreclaimable KernelStack PageTables CommitLimit CommittedAS VmallocTotal VmallocUsed \
    VmallocChunk CmaTotal CmaFree Gpu Zram Misc IonHeap IonHeapPool";

/// Times of a processor, from the second field on.
const TIMES: [&str; 8] = ["user", "user nice", "system", "idle", "I/O wait", "IRQ", "soft IRQ", "steal"];

/// Sizes of a process, from the second field on, in kibibytes.
const SIZES: [&str; 8] =
    ["Virtual size", "RSS", "RSS anonymous", "RSS file", "RSS shared", "Swap", "Locked memory", "Peak RSS"];

/// Where samples go, and when they were taken.
pub(crate) struct Target<'a> {
    pub(crate) collector: &'a mut Collector,
    pub(crate) sink: &'a mut Sink,
    pub(crate) time: Ticks,
}

impl Target<'_> {
    fn sample(&mut self, group: Option<TrackId>, name: &str, unit: &Unit, value: f64) {
        sample((group, name), unit, (self.time, value), (self.collector, self.sink));
    }

    fn group(&mut self, name: &str) -> Option<TrackId> {
        self.collector.track_in(None, TrackKind::Group, name, self.sink)
    }

    /// Takes `SysStats`.
    pub(crate) fn system(&mut self, bytes: &[u8]) {
        let (mut cpu, mut gpu) = (0, 0);
        for (field, value) in Fields::of(bytes) {
            let number = value.number() as f64;
            match field {
                1 => self.memory(value.bytes()),
                3 => self.times(value.bytes()),
                10 => {
                    let name = format!("{} frequency", lossy(Some(of(value.bytes(), 1))));
                    self.cpu(&name, &Unit::Megahertz, count(value.bytes(), 2) / 1000.0);
                }
                11 => {
                    for khz in numbers(value) {
                        self.cpu(&format!("CPU {cpu} frequency"), &Unit::Megahertz, khz as f64 / 1000.0);
                        cpu += 1;
                    }
                }
                14 => {
                    let kinds =
                        ["", "CPU some", "CPU full", "I/O some", "I/O full", "memory some", "memory full"];
                    let kind = kinds.get(row(value.bytes())).copied().unwrap_or_default();
                    let group = self.group("Pressure");
                    self.sample(group, kind, &Unit::Nanos, count(value.bytes(), 2));
                }
                15 => {
                    let name = format!("{} temperature", lossy(Some(of(value.bytes(), 3))));
                    self.cpu(&name, &Unit::None, count(value.bytes(), 2));
                }
                16 => self.idle(value.bytes()),
                17 => {
                    for mhz in numbers(value) {
                        self.cpu(&format!("GPU {gpu} frequency"), &Unit::Megahertz, mhz as f64);
                        gpu += 1;
                    }
                }
                4 | 5 | 7 => {
                    let name = match field {
                        4 => "Forks",
                        5 => "Interrupts",
                        _ => "Soft interrupts",
                    };
                    self.cpu(name, &Unit::None, number);
                }
                9 => {}
                _ => self.sink.builder.drop_row(&format!("sys_stats values of field {field}")),
            }
        }
    }

    fn cpu(&mut self, name: &str, unit: &Unit, value: f64) {
        self.collector.of_cpu(name, unit, (self.time, value), self.sink);
    }

    fn memory(&mut self, bytes: &[u8]) {
        let kind = row(bytes);
        let name = MEMORY.split_ascii_whitespace().nth(kind).map_or(format!("Kind {kind}"), str::to_owned);
        let group = self.group("Memory");
        self.sample(group, &name, &Unit::Bytes, count(bytes, 2) * 1024.0);
    }

    fn times(&mut self, bytes: &[u8]) {
        let cpu = count(bytes, 1);
        for (name, field) in TIMES.iter().zip(2..) {
            self.cpu(&format!("CPU {cpu} time ({name})"), &Unit::Nanos, count(bytes, field));
        }
    }

    fn idle(&mut self, bytes: &[u8]) {
        let cpu = count(bytes, 1);
        for (_, state) in Fields::of(bytes).filter(|(field, _)| *field == 2) {
            let name = format!("CPU {cpu} time ({})", lossy(Some(of(state.bytes(), 1))));
            self.cpu(&name, &Unit::Micros, count(state.bytes(), 2));
        }
    }

    /// Takes `ProcessStats`.
    pub(crate) fn processes(&mut self, bytes: &[u8]) {
        for (_, process) in Fields::of(bytes).filter(|(field, _)| *field == 1) {
            let process = process.bytes();
            let pid = count(process, 1).to_string();
            let group = self.collector.process_track(&pid, self.sink);
            for (field, value) in Fields::of(process) {
                let kb = value.number() as f64;
                let name = field.checked_sub(2).and_then(|n| SIZES.get(usize::try_from(n).ok()?));
                match (name, field) {
                    (Some(name), _) => self.sample(group, name, &Unit::Bytes, kb * 1024.0),
                    (None, 10) => {
                        self.sample(group, "OOM score", &Unit::None, value.number().cast_signed() as f64);
                    }
                    (None, 1) => {}
                    (None, _) => {
                        self.sink.builder.drop_row(&format!("process_stats values of field {field}"));
                    }
                }
            }
        }
    }

    /// Takes `BatteryCounters`.
    pub(crate) fn battery(&mut self, bytes: &[u8]) {
        const VALUES: [(u64, &str, &str); 6] = [
            (1, "charge", "µAh"),
            (2, "capacity", "%"),
            (3, "current", "µA"),
            (4, "average current", "µA"),
            (6, "energy", "µWh"),
            (7, "voltage", "µV"),
        ];
        let battery = lossy(Some(of(bytes, 5)));
        for (field, value) in Fields::of(bytes) {
            let Some((_, name, unit)) = VALUES.iter().find(|(of, ..)| *of == field) else { continue };
            let name = format!("{battery} {name}");
            let group = self.group("Battery");
            let number = match value {
                // Of all fields only the capacity has a part behind the point.
                Value::Fixed(bits) => f64::from(f32::from_bits(u32::try_from(bits).unwrap_or(0))),
                other => other.number().cast_signed() as f64,
            };
            self.sample(group, name.trim(), &Unit::Other((*unit).to_owned()), number);
        }
    }

    /// `GpuMemTotalEvent`.
    pub(crate) fn gpu_memory(&mut self, bytes: &[u8]) {
        let pid = count(bytes, 2);
        let group = if pid == 0.0 {
            self.group(&format!("GPU {}", count(bytes, 1)))
        } else {
            self.collector.process_track(&pid.to_string(), self.sink)
        };
        self.sample(group, "GPU memory", &Unit::Bytes, count(bytes, 3));
    }
}

/// Names of power rails by sequence and number.
#[derive(Default)]
pub(crate) struct Rails(Map<(u32, u64), String>);

impl Rails {
    /// Takes `PowerRails`; `time_of` tells the time of a sample that says its own, in milliseconds.
    pub(crate) fn take(
        &mut self,
        (bytes, sequence): (&[u8], u32),
        mut time_of: impl FnMut(u64) -> Option<Ticks>,
        target: &mut Target,
    ) {
        let packet_time = target.time;
        for (field, value) in Fields::of(bytes) {
            let index = number(value.bytes(), 1);
            match field {
                1 => {
                    let own = lossy(Some(of(value.bytes(), 2)));
                    _ = self.0.insert((sequence, index), own);
                }
                2 => {
                    let ms = number(value.bytes(), 2);
                    target.time = if ms == 0 { packet_time } else { time_of(ms).unwrap_or(packet_time) };
                    let name = self.0.get(&(sequence, index)).cloned();
                    let name = name.unwrap_or_else(|| format!("Rail {index}"));
                    let group = target.group("Power");
                    target.sample(group, &name, &Unit::Other("µWs".to_owned()), count(value.bytes(), 3));
                }
                // The number of the measuring session.
                3 => {}
                _ => target.sink.builder.drop_row(&format!("power_rails values of field {field}")),
            }
        }
    }
}

/// A text of a message.
fn of(bytes: &[u8], field: u64) -> &[u8] {
    Fields::of(bytes).find(|(number, _)| *number == field).map_or(&[], |(_, value)| value.bytes())
}

/// A number of a message; 0 when it is missing.
fn number(bytes: &[u8], field: u64) -> u64 {
    Fields::of(bytes).find(|(number, _)| *number == field).map_or(0, |(_, value)| value.number())
}

/// The same as a value of a counter.
fn count(bytes: &[u8], field: u64) -> f64 {
    number(bytes, field) as f64
}

/// The first number of a message as a row of a table.
fn row(bytes: &[u8]) -> usize {
    usize::try_from(number(bytes, 1)).unwrap_or(usize::MAX)
}
