//! The messages of a Perfetto trace, with the fields that are used and no others: all others are passed over.
//!
//! Source: `protos/perfetto/trace` of the Perfetto project; only numbers and types of fields are facts of it. Texts are
//! bytes here, as they may be broken.

use prost::Message;
use prost::bytes::Bytes;

/// `TracePacket`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Packet {
    #[prost(message, optional, tag = "1")]
    pub(super) ftrace_events: Option<Bundle>,
    #[prost(message, optional, tag = "2")]
    pub(super) process_tree: Option<ProcessTree>,
    /// Packets again, packed with zlib.
    #[prost(bytes = "bytes", optional, tag = "50")]
    pub(super) compressed_packets: Option<Bytes>,
    /// Packets again, packed with zstd.
    #[prost(bytes = "bytes", optional, tag = "133")]
    pub(super) zstd_compressed_packets: Option<Bytes>,
}

/// `FtraceEventBundle`: events of one processor, in the order of time.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Bundle {
    #[prost(uint32, optional, tag = "1")]
    pub(super) cpu: Option<u32>,
    #[prost(message, repeated, tag = "2")]
    pub(super) event: Vec<Event>,
    /// Events before these were overwritten before they were read.
    #[prost(bool, optional, tag = "3")]
    pub(super) lost_events: Option<bool>,
    /// What their times count; missing: the boot clock.
    #[prost(int32, optional, tag = "5")]
    pub(super) ftrace_clock: Option<i32>,
}

/// `FtraceEvent`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Event {
    /// Nanoseconds.
    #[prost(uint64, optional, tag = "1")]
    pub(super) timestamp: Option<u64>,
    /// Number of the thread.
    #[prost(uint32, optional, tag = "2")]
    pub(super) pid: Option<u32>,
    #[prost(message, optional, tag = "3")]
    pub(super) print: Option<Print>,
}

/// `PrintFtraceEvent`: what a program wrote.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Print {
    /// `B|550|text` and a line end.
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(super) buf: Option<Bytes>,
}

/// `ProcessTree`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessTree {
    #[prost(message, repeated, tag = "1")]
    pub(super) processes: Vec<Process>,
    #[prost(message, repeated, tag = "2")]
    pub(super) threads: Vec<Thread>,
}

/// `ProcessTree.Process`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Process {
    #[prost(int32, optional, tag = "1")]
    pub(super) pid: Option<i32>,
    /// The first one is the name of an Android process.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(super) cmdline: Vec<Vec<u8>>,
}

/// `ProcessTree.Thread`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Thread {
    #[prost(int32, optional, tag = "1")]
    pub(super) tid: Option<i32>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(super) name: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "3")]
    pub(super) tgid: Option<i32>,
}
