//! The same events as text and as protobuf. The latter is written by the library `prost`, with messages of its own.

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use prost::Message;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fmt::Write as _;
use std::io::Write as _;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub(super) packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TracePacket {
    #[prost(message, optional, tag = "1")]
    pub(super) ftrace_events: Option<FtraceEventBundle>,
    #[prost(message, optional, tag = "2")]
    pub(super) process_tree: Option<ProcessTree>,
    #[prost(uint64, optional, tag = "8")]
    pub(super) timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    pub(super) trusted_packet_sequence_id: Option<u32>,
    #[prost(bytes = "vec", optional, tag = "50")]
    pub(super) compressed_packets: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "133")]
    pub(super) zstd_compressed_packets: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FtraceEventBundle {
    #[prost(uint32, optional, tag = "1")]
    pub(super) cpu: Option<u32>,
    #[prost(message, repeated, tag = "2")]
    pub(super) event: Vec<FtraceEvent>,
    #[prost(bool, optional, tag = "3")]
    pub(super) lost_events: Option<bool>,
    #[prost(int32, optional, tag = "5")]
    pub(super) ftrace_clock: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FtraceEvent {
    #[prost(uint64, optional, tag = "1")]
    pub(super) timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "2")]
    pub(super) pid: Option<u32>,
    #[prost(message, optional, tag = "3")]
    pub(super) print: Option<Print>,
    /// A field that is not read.
    #[prost(message, optional, tag = "4")]
    pub(super) sched_switch: Option<SchedSwitch>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Print {
    #[prost(uint64, optional, tag = "1")]
    pub(super) ip: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub(super) buf: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SchedSwitch {
    #[prost(string, optional, tag = "1")]
    pub(super) prev_comm: Option<String>,
    #[prost(int64, optional, tag = "4")]
    pub(super) prev_state: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessTree {
    #[prost(message, repeated, tag = "1")]
    pub(super) processes: Vec<Process>,
    #[prost(message, repeated, tag = "2")]
    pub(super) threads: Vec<Thread>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Process {
    #[prost(int32, optional, tag = "1")]
    pub(super) pid: Option<i32>,
    #[prost(string, repeated, tag = "3")]
    pub(super) cmdline: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Thread {
    #[prost(int32, optional, tag = "1")]
    pub(super) tid: Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
    #[prost(int32, optional, tag = "3")]
    pub(super) tgid: Option<i32>,
}

/// How packets are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    None,
    Zlib,
    Deflate,
    Zstd,
}

/// One event.
pub(super) struct Event {
    pub(super) nanos: u64,
    pub(super) name: String,
    pub(super) pid: u32,
    pub(super) tgid: u32,
    pub(super) cpu: u32,
    /// `tracing_mark_write: …` or the text of another event.
    pub(super) text: String,
}

/// The events of rows of text, each some nanoseconds later, so that times have nine decimals.
pub(super) fn events(text: &str) -> Vec<Event> {
    let mut events = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (head, rest) = line.split_once(") [").unwrap();
        let (head, tgid) = head.rsplit_once(" (").unwrap();
        let (name, pid) = head.trim().rsplit_once('-').unwrap();
        let (cpu, rest) = rest.split_once("] d..2 ").unwrap();
        let (time, text) = rest.trim_start().split_once(": ").unwrap();
        let (seconds, micros) = time.split_once('.').unwrap();
        let micros = seconds.parse::<u64>().unwrap() * 1_000_000 + micros.parse::<u64>().unwrap();
        events.push(Event {
            nanos: micros * 1_000 + events.len() as u64 * 999 / 1_000 % 1_000,
            name: name.to_owned(),
            pid: pid.trim().parse().unwrap(),
            tgid: tgid.trim().parse().unwrap_or(0),
            cpu: cpu.parse().unwrap(),
            text: text.to_owned(),
        });
    }
    events.sort_by_key(|event| event.nanos);
    events
}

/// The events as text.
pub(super) fn text(events: &[Event]) -> Vec<u8> {
    let mut out = String::from("#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n");
    for event in events {
        let Event { nanos, name, pid, tgid, cpu, text } = event;
        let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        let tgid = if *tgid == 0 { "-----".to_owned() } else { tgid.to_string() };
        _ = writeln!(out, "{name}-{pid} ({tgid}) [{cpu:03}] .... {seconds}.{nanos:09}: {text}");
    }
    out.into_bytes()
}

/// The events as packets: a bundle for each processor and each `window` events, those of higher processors first, and the
/// tree of processes behind all.
pub(super) fn packets(events: &[Event], window: usize) -> Vec<TracePacket> {
    let mut packets = Vec::new();
    for window in events.chunks(window) {
        for cpu in (0..8).rev() {
            let event = window.iter().filter(|event| event.cpu == cpu).map(event).collect();
            let bundle = FtraceEventBundle { cpu: Some(cpu), event, lost_events: None, ftrace_clock: None };
            packets.push(TracePacket {
                ftrace_events: Some(bundle),
                trusted_packet_sequence_id: Some(1 + cpu),
                ..TracePacket::default()
            });
        }
    }
    let threads = events.iter().map(|event| Thread {
        tid: Some(event.pid as i32),
        name: Some(event.name.clone()),
        tgid: Some(event.tgid as i32),
    });
    let process_tree = ProcessTree { processes: Vec::new(), threads: threads.collect() };
    packets.push(TracePacket { process_tree: Some(process_tree), ..TracePacket::default() });
    packets
}

fn event(event: &Event) -> FtraceEvent {
    let mark = event.text.strip_prefix("tracing_mark_write: ");
    FtraceEvent {
        timestamp: Some(event.nanos),
        pid: Some(event.pid),
        print: mark.map(|mark| Print { ip: Some(0), buf: Some(format!("{mark}\n")) }),
        sched_switch: mark
            .is_none()
            .then(|| SchedSwitch { prev_comm: Some(event.name.clone()), prev_state: Some(-1) }),
    }
}

/// The packets as a file, `each` of them packed together.
pub(super) fn file(packets: &[TracePacket], packing: Packing, each: usize) -> Vec<u8> {
    if packing == Packing::None {
        return Trace { packet: packets.to_vec() }.encode_to_vec();
    }
    let packed = packets.chunks(each).map(|packets| {
        let plain = Trace { packet: packets.to_vec() }.encode_to_vec();
        let mut packet = TracePacket::default();
        match packing {
            Packing::Zlib => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&plain).unwrap();
                packet.compressed_packets = Some(encoder.finish().unwrap());
            }
            Packing::Deflate => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&plain).unwrap();
                packet.compressed_packets = Some(encoder.finish().unwrap());
            }
            Packing::Zstd | Packing::None => {
                let bytes = compress_to_vec(plain.as_slice(), CompressionLevel::Fastest);
                packet.zstd_compressed_packets = Some(bytes);
            }
        }
        packet
    });
    Trace { packet: packed.collect() }.encode_to_vec()
}
