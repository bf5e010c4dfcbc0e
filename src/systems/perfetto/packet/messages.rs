//! The messages of a trace, with the fields that are used and no others: all others are passed over.
//!
//! Source: `protos/perfetto/trace` of the Perfetto project; only numbers and types of fields are facts of it. Texts are
//! bytes here, as they may be broken.

use prost::Message;
use prost::bytes::Bytes;

/// `FtraceEventBundle`: events of one processor, in the order of time.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Bundle {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) cpu: Option<u32>,
    /// Each an `FtraceEvent`.
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub(crate) event: Vec<Bytes>,
    /// Events before these were overwritten before they were read.
    #[prost(bool, optional, tag = "3")]
    pub(crate) lost_events: Option<bool>,
    #[prost(message, optional, tag = "4")]
    pub(crate) compact: Option<Compact>,
    /// What their times count; missing: the boot clock.
    #[prost(int32, optional, tag = "5")]
    pub(crate) ftrace_clock: Option<i32>,
    /// Each a description of an event that the schema does not number.
    #[prost(bytes = "bytes", repeated, tag = "11")]
    pub(crate) descriptors: Vec<Bytes>,
}

/// `CompactSched`: columns of switches and wake-ups.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Compact {
    /// Each but the first is what passed since the one before.
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) switch_time: Vec<u64>,
    /// What became of the thread before.
    #[prost(int64, repeated, tag = "2")]
    pub(crate) prev_state: Vec<i64>,
    #[prost(int32, repeated, tag = "3")]
    pub(crate) next_pid: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub(crate) names: Vec<Vec<u8>>,
    /// Rows of the names.
    #[prost(uint32, repeated, tag = "6")]
    pub(crate) next_name: Vec<u32>,
    /// The same for wake-ups.
    #[prost(uint64, repeated, tag = "7")]
    pub(crate) woken_time: Vec<u64>,
    #[prost(int32, repeated, tag = "8")]
    pub(crate) woken_pid: Vec<i32>,
    #[prost(uint32, repeated, tag = "11")]
    pub(crate) woken_name: Vec<u32>,
}

/// `ProcessTree`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProcessTree {
    #[prost(message, repeated, tag = "1")]
    pub(crate) processes: Vec<Process>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) threads: Vec<Thread>,
}

/// `ProcessTree.Process`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Process {
    #[prost(int32, optional, tag = "1")]
    pub(crate) pid: Option<i32>,
    /// The first one is the name of an Android process.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(crate) cmdline: Vec<Vec<u8>>,
}

/// `ProcessTree.Thread`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Thread {
    #[prost(int32, optional, tag = "1")]
    pub(crate) tid: Option<i32>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) name: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "3")]
    pub(crate) tgid: Option<i32>,
}

/// `GenericKernelProcessTree`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenericTree {
    #[prost(message, repeated, tag = "1")]
    pub(crate) processes: Vec<GenericProcess>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) threads: Vec<GenericThread>,
}

/// `GenericKernelProcessTree.Process`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenericProcess {
    #[prost(int64, optional, tag = "1")]
    pub(crate) pid: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) cmdline: Option<Vec<u8>>,
}

/// `GenericKernelProcessTree.Thread`, and `GenericKernelTaskRenameEvent` but for the process.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenericThread {
    #[prost(int64, optional, tag = "1")]
    pub(crate) tid: Option<i64>,
    #[prost(int64, optional, tag = "2")]
    pub(crate) pid: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) name: Option<Vec<u8>>,
}

/// `GenericKernelTaskRenameEvent`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenericRename {
    #[prost(int64, optional, tag = "1")]
    pub(crate) tid: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) name: Option<Vec<u8>>,
}

/// `GenericKernelTaskStateEvent`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenericTask {
    #[prost(int32, optional, tag = "1")]
    pub(crate) cpu: Option<i32>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) name: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "3")]
    pub(crate) tid: Option<i64>,
    /// 3: it runs.
    #[prost(int32, optional, tag = "4")]
    pub(crate) state: Option<i32>,
}

/// `ClockSnapshot`: clocks read at the same moment.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    pub(crate) clocks: Vec<Clock>,
    /// The clock of the timeline.
    #[prost(uint32, optional, tag = "2")]
    pub(crate) primary: Option<u32>,
}

/// `ClockSnapshot.Clock`.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Clock {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) id: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) timestamp: Option<u64>,
    /// Each time of the clock is what passed since the one before.
    #[prost(bool, optional, tag = "3")]
    pub(crate) is_incremental: Option<bool>,
    /// Nanoseconds of a tick.
    #[prost(uint64, optional, tag = "4")]
    pub(crate) unit: Option<u64>,
}

/// `RemoteClockSync`: clocks of a machine and of the one that wrote the file, read one after the other.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RemoteClocks {
    #[prost(message, repeated, tag = "1")]
    pub(crate) pairs: Vec<ClockPair>,
}

/// `RemoteClockSync.SyncedClocks`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ClockPair {
    #[prost(message, optional, tag = "2")]
    pub(crate) own: Option<ClockSnapshot>,
    #[prost(message, optional, tag = "3")]
    pub(crate) host: Option<ClockSnapshot>,
}

/// `TracePacketDefaults`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Defaults {
    #[prost(message, optional, tag = "11")]
    pub(crate) event: Option<EventDefaults>,
    #[prost(uint32, optional, tag = "58")]
    pub(crate) clock: Option<u32>,
}

/// `TrackEventDefaults`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct EventDefaults {
    #[prost(uint64, optional, tag = "11")]
    pub(crate) track: Option<u64>,
    #[prost(uint64, repeated, tag = "31")]
    pub(crate) counters: Vec<u64>,
    #[prost(uint64, repeated, tag = "45")]
    pub(crate) double_counters: Vec<u64>,
}

/// `TrackDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) uuid: Option<u64>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) name: Option<Vec<u8>>,
    #[prost(message, optional, tag = "3")]
    pub(crate) process: Option<ProcessDescriptor>,
    #[prost(message, optional, tag = "4")]
    pub(crate) thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    pub(crate) parent: Option<u64>,
    #[prost(message, optional, tag = "6")]
    pub(crate) chrome_process: Option<ChromeProcess>,
    #[prost(message, optional, tag = "8")]
    pub(crate) counter: Option<CounterDescriptor>,
    #[prost(bytes = "vec", optional, tag = "10")]
    pub(crate) static_name: Option<Vec<u8>>,
    /// Of its children: 2 by their first events, 3 by rank.
    #[prost(int32, optional, tag = "11")]
    pub(crate) child_ordering: Option<i32>,
    #[prost(int32, optional, tag = "12")]
    pub(crate) rank: Option<i32>,
    #[prost(bytes = "vec", optional, tag = "13")]
    pub(crate) atrace_name: Option<Vec<u8>>,
}

/// `ProcessDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProcessDescriptor {
    #[prost(int32, optional, tag = "1")]
    pub(crate) pid: Option<i32>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(crate) cmdline: Vec<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub(crate) name: Option<Vec<u8>>,
}

/// `ChromeProcessDescriptor`.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct ChromeProcess {
    #[prost(int32, optional, tag = "1")]
    pub(crate) kind: Option<i32>,
}

/// `ThreadDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ThreadDescriptor {
    #[prost(int32, optional, tag = "1")]
    pub(crate) pid: Option<i32>,
    #[prost(int64, optional, tag = "2")]
    pub(crate) tid: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "5")]
    pub(crate) name: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "6")]
    pub(crate) reference_micros: Option<i64>,
}

/// `CounterDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CounterDescriptor {
    /// 1 time of a thread, 2 instructions of a thread.
    #[prost(int32, optional, tag = "1")]
    pub(crate) kind: Option<i32>,
    /// 1 nanoseconds, 2 a count, 3 bytes.
    #[prost(int32, optional, tag = "3")]
    pub(crate) unit: Option<i32>,
    #[prost(int64, optional, tag = "4")]
    pub(crate) multiplier: Option<i64>,
    /// Each value is what was added to the one before.
    #[prost(bool, optional, tag = "5")]
    pub(crate) is_incremental: Option<bool>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub(crate) unit_name: Option<Vec<u8>>,
}

/// `TrackEvent`, without its arguments: those are read when somebody asks for them.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TrackEvent {
    #[prost(int64, optional, tag = "1")]
    pub(crate) delta_micros: Option<i64>,
    #[prost(uint64, repeated, tag = "3")]
    pub(crate) category_ids: Vec<u64>,
    #[prost(message, optional, tag = "6")]
    pub(crate) legacy: Option<Legacy>,
    /// 1 begin, 2 end, 3 instant, 4 counter.
    #[prost(int32, optional, tag = "9")]
    pub(crate) kind: Option<i32>,
    #[prost(uint64, optional, tag = "10")]
    pub(crate) name_id: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub(crate) track: Option<u64>,
    #[prost(int64, repeated, tag = "12")]
    pub(crate) counter_values: Vec<i64>,
    #[prost(int64, optional, tag = "16")]
    pub(crate) absolute_micros: Option<i64>,
    #[prost(bytes = "vec", repeated, tag = "22")]
    pub(crate) categories: Vec<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "23")]
    pub(crate) name: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "30")]
    pub(crate) counter_value: Option<i64>,
    #[prost(uint64, repeated, tag = "31")]
    pub(crate) counters: Vec<u64>,
    #[prost(uint64, repeated, tag = "36")]
    pub(crate) flow_numbers: Vec<u64>,
    #[prost(uint64, repeated, tag = "42")]
    pub(crate) last_flow_numbers: Vec<u64>,
    #[prost(double, optional, tag = "44")]
    pub(crate) double_value: Option<f64>,
    #[prost(uint64, repeated, tag = "45")]
    pub(crate) double_counters: Vec<u64>,
    #[prost(double, repeated, tag = "46")]
    pub(crate) double_values: Vec<f64>,
    #[prost(fixed64, repeated, tag = "47")]
    pub(crate) flows: Vec<u64>,
    #[prost(fixed64, repeated, tag = "48")]
    pub(crate) last_flows: Vec<u64>,
}

/// `TrackEvent.LegacyEvent`: an event as Trace Event JSON has it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Legacy {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) name_id: Option<u64>,
    /// A letter.
    #[prost(int32, optional, tag = "2")]
    pub(crate) phase: Option<i32>,
    #[prost(int64, optional, tag = "3")]
    pub(crate) micros: Option<i64>,
    #[prost(uint64, optional, tag = "6")]
    pub(crate) unscoped_id: Option<u64>,
    #[prost(bytes = "vec", optional, tag = "7")]
    pub(crate) scope: Option<Vec<u8>>,
    #[prost(uint64, optional, tag = "8")]
    pub(crate) bind_id: Option<u64>,
    #[prost(uint64, optional, tag = "10")]
    pub(crate) local_id: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub(crate) global_id: Option<u64>,
    /// 1 in, 2 out, 3 both.
    #[prost(int32, optional, tag = "13")]
    pub(crate) direction: Option<i32>,
    /// 1 global, 2 process, 3 thread.
    #[prost(int32, optional, tag = "14")]
    pub(crate) instant_scope: Option<i32>,
    #[prost(int32, optional, tag = "18")]
    pub(crate) pid: Option<i32>,
    #[prost(int32, optional, tag = "19")]
    pub(crate) tid: Option<i32>,
}
