//! The messages of a trace, with the fields that are used and no others: all others are passed over.
//!
//! Source: `protos/perfetto/trace` of the Perfetto project; only numbers and types of fields are facts of it. Texts are
//! bytes here, as they may be broken.

use prost::bytes::Bytes;

/// Messages with their fields: number, how often, kind, name, and what it is here.
macro_rules! messages {
    ($(
        $(#[$of_message:meta])*
        $name:ident { $($(#[$of_field:meta])* [$tag:tt $label:ident $($kind:tt)+] $field:ident: $type:ty,)* }
    )*) => {$(
        $(#[$of_message])*
        #[derive(Clone, PartialEq, prost::Message)]
        pub(crate) struct $name {
            $($(#[$of_field])* #[prost($($kind)+, $label, tag = $tag)] pub(crate) $field: $type,)*
        }
    )*};
}
pub(in crate::systems::perfetto) use messages;

messages! {
    /// `FtraceEventBundle`: events of one processor, in the order of time.
    Bundle {
        [1 optional uint32] cpu: Option<u32>,
        /// Each an `FtraceEvent`.
        [2 repeated bytes = "bytes"] event: Vec<Bytes>,
        /// Events before these were overwritten before they were read.
        [3 optional bool] lost_events: Option<bool>,
        [4 optional message] compact: Option<Compact>,
        /// What their times count; missing: the boot clock.
        [5 optional int32] ftrace_clock: Option<i32>,
        /// Each a description of an event that the schema does not number.
        [11 repeated bytes = "bytes"] descriptors: Vec<Bytes>,
    }

    /// `CompactSched`: columns of switches and wake-ups.
    Compact {
        /// Each but the first is what passed since the one before.
        [1 repeated uint64] switch_time: Vec<u64>,
        /// What became of the thread before.
        [2 repeated int64] prev_state: Vec<i64>,
        [3 repeated int32] next_pid: Vec<i32>,
        [5 repeated bytes = "vec"] names: Vec<Vec<u8>>,
        /// Rows of the names.
        [6 repeated uint32] next_name: Vec<u32>,
        /// The same for wake-ups.
        [7 repeated uint64] woken_time: Vec<u64>,
        [8 repeated int32] woken_pid: Vec<i32>,
        [11 repeated uint32] woken_name: Vec<u32>,
    }

    /// `ProcessTree`.
    ProcessTree {
        [1 repeated message] processes: Vec<Process>,
        [2 repeated message] threads: Vec<Thread>,
    }

    /// `ProcessTree.Process`.
    Process {
        [1 optional int32] pid: Option<i32>,
        /// The first one is the name of an Android process.
        [3 repeated bytes = "vec"] cmdline: Vec<Vec<u8>>,
    }

    /// `ProcessTree.Thread`.
    Thread {
        [1 optional int32] tid: Option<i32>,
        [2 optional bytes = "vec"] name: Option<Vec<u8>>,
        [3 optional int32] tgid: Option<i32>,
    }

    /// `GenericKernelProcessTree`.
    GenericTree {
        [1 repeated message] processes: Vec<GenericProcess>,
        [2 repeated message] threads: Vec<GenericThread>,
    }

    /// `GenericKernelProcessTree.Process`.
    GenericProcess {
        [1 optional int64] pid: Option<i64>,
        [3 optional bytes = "vec"] cmdline: Option<Vec<u8>>,
    }

    /// `GenericKernelProcessTree.Thread`, and `GenericKernelTaskRenameEvent` but for the process.
    GenericThread {
        [1 optional int64] tid: Option<i64>,
        [2 optional int64] pid: Option<i64>,
        [3 optional bytes = "vec"] name: Option<Vec<u8>>,
    }

    /// `GenericKernelTaskRenameEvent`.
    GenericRename {
        [1 optional int64] tid: Option<i64>,
        [2 optional bytes = "vec"] name: Option<Vec<u8>>,
    }

    /// `GenericKernelTaskStateEvent`.
    GenericTask {
        [1 optional int32] cpu: Option<i32>,
        [2 optional bytes = "vec"] name: Option<Vec<u8>>,
        [3 optional int64] tid: Option<i64>,
        /// 3: it runs.
        [4 optional int32] state: Option<i32>,
    }

    /// `ClockSnapshot`: clocks read at the same moment.
    ClockSnapshot {
        [1 repeated message] clocks: Vec<Clock>,
        /// The clock of the timeline.
        [2 optional uint32] primary: Option<u32>,
    }

    /// `ClockSnapshot.Clock`.
    #[derive(Copy)]
    Clock {
        [1 optional uint32] id: Option<u32>,
        [2 optional uint64] timestamp: Option<u64>,
        /// Each time of the clock is what passed since the one before.
        [3 optional bool] is_incremental: Option<bool>,
        /// Nanoseconds of a tick.
        [4 optional uint64] unit: Option<u64>,
    }

    /// `RemoteClockSync`: clocks of a machine and of the one that wrote the file, read one after the other.
    RemoteClocks {
        [1 repeated message] pairs: Vec<ClockPair>,
    }

    /// `RemoteClockSync.SyncedClocks`.
    ClockPair {
        [2 optional message] own: Option<ClockSnapshot>,
        [3 optional message] host: Option<ClockSnapshot>,
    }

    /// `TracePacketDefaults`.
    Defaults {
        [11 optional message] event: Option<EventDefaults>,
        [58 optional uint32] clock: Option<u32>,
    }

    /// `TrackEventDefaults`.
    EventDefaults {
        [11 optional uint64] track: Option<u64>,
        [31 repeated uint64] counters: Vec<u64>,
        [45 repeated uint64] double_counters: Vec<u64>,
    }

    /// `TrackDescriptor`.
    TrackDescriptor {
        [1 optional uint64] uuid: Option<u64>,
        [2 optional bytes = "vec"] name: Option<Vec<u8>>,
        [3 optional message] process: Option<ProcessDescriptor>,
        [4 optional message] thread: Option<ThreadDescriptor>,
        [5 optional uint64] parent: Option<u64>,
        [6 optional message] chrome_process: Option<ChromeProcess>,
        [8 optional message] counter: Option<CounterDescriptor>,
        [10 optional bytes = "vec"] static_name: Option<Vec<u8>>,
        /// Of its children: 2 by their first events, 3 by rank.
        [11 optional int32] child_ordering: Option<i32>,
        [12 optional int32] rank: Option<i32>,
        [13 optional bytes = "vec"] atrace_name: Option<Vec<u8>>,
    }

    /// `ProcessDescriptor`.
    ProcessDescriptor {
        [1 optional int32] pid: Option<i32>,
        [2 repeated bytes = "vec"] cmdline: Vec<Vec<u8>>,
        [6 optional bytes = "vec"] name: Option<Vec<u8>>,
    }

    /// `ChromeProcessDescriptor`.
    #[derive(Copy)]
    ChromeProcess {
        [1 optional int32] kind: Option<i32>,
    }

    /// `ThreadDescriptor`.
    ThreadDescriptor {
        [1 optional int32] pid: Option<i32>,
        [2 optional int64] tid: Option<i64>,
        [5 optional bytes = "vec"] name: Option<Vec<u8>>,
        [6 optional int64] reference_micros: Option<i64>,
    }

    /// `CounterDescriptor`.
    CounterDescriptor {
        /// 1 time of a thread, 2 instructions of a thread.
        [1 optional int32] kind: Option<i32>,
        /// 1 nanoseconds, 2 a count, 3 bytes.
        [3 optional int32] unit: Option<i32>,
        [4 optional int64] multiplier: Option<i64>,
        /// Each value is what was added to the one before.
        [5 optional bool] is_incremental: Option<bool>,
        [6 optional bytes = "vec"] unit_name: Option<Vec<u8>>,
    }

    /// `TrackEvent`, without its arguments: those are read when somebody asks for them.
    TrackEvent {
        [1 optional int64] delta_micros: Option<i64>,
        [3 repeated uint64] category_ids: Vec<u64>,
        [6 optional message] legacy: Option<Legacy>,
        /// 1 begin, 2 end, 3 instant, 4 counter.
        [9 optional int32] kind: Option<i32>,
        [10 optional uint64] name_id: Option<u64>,
        [11 optional uint64] track: Option<u64>,
        [12 repeated int64] counter_values: Vec<i64>,
        [16 optional int64] absolute_micros: Option<i64>,
        [22 repeated bytes = "vec"] categories: Vec<Vec<u8>>,
        [23 optional bytes = "vec"] name: Option<Vec<u8>>,
        [30 optional int64] counter_value: Option<i64>,
        [31 repeated uint64] counters: Vec<u64>,
        [36 repeated uint64] flow_numbers: Vec<u64>,
        [42 repeated uint64] last_flow_numbers: Vec<u64>,
        [44 optional double] double_value: Option<f64>,
        [45 repeated uint64] double_counters: Vec<u64>,
        [46 repeated double] double_values: Vec<f64>,
        [47 repeated fixed64] flows: Vec<u64>,
        [48 repeated fixed64] last_flows: Vec<u64>,
    }

    /// `TrackEvent.LegacyEvent`: an event as Trace Event JSON has it.
    Legacy {
        [1 optional uint64] name_id: Option<u64>,
        /// A letter.
        [2 optional int32] phase: Option<i32>,
        [3 optional int64] micros: Option<i64>,
        [6 optional uint64] unscoped_id: Option<u64>,
        [7 optional bytes = "vec"] scope: Option<Vec<u8>>,
        [8 optional uint64] bind_id: Option<u64>,
        [10 optional uint64] local_id: Option<u64>,
        [11 optional uint64] global_id: Option<u64>,
        /// 1 in, 2 out, 3 both.
        [13 optional int32] direction: Option<i32>,
        /// 1 global, 2 process, 3 thread.
        [14 optional int32] instant_scope: Option<i32>,
        [18 optional int32] pid: Option<i32>,
        [19 optional int32] tid: Option<i32>,
    }
}
