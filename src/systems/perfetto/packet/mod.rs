//! Packets of a trace: cut out of the file and unpacked, with the fields that all of them may have.

pub(crate) mod fields;
pub(crate) mod messages;
pub(crate) mod names;
pub(crate) mod packets;
pub(crate) mod walk;

use fields::{Fields, Value, each, inside};
use prost::Message;
use prost::bytes::Bytes;

/// Numbers of the fields of a packet that are read.
pub(crate) mod number {
    pub(crate) const FTRACE: u64 = 1;
    pub(crate) const PROCESS_TREE: u64 = 2;
    pub(crate) const CLOCK_SNAPSHOT: u64 = 6;
    pub(crate) const SYS_STATS: u64 = 7;
    pub(crate) const PROCESS_STATS: u64 = 9;
    pub(crate) const TRACK_EVENT: u64 = 11;
    pub(crate) const BATTERY: u64 = 38;
    pub(crate) const ANDROID_LOG: u64 = 39;
    pub(crate) const POWER_RAILS: u64 = 40;
    pub(crate) const PROCESS: u64 = 43;
    pub(crate) const THREAD: u64 = 44;
    pub(crate) const DEFLATED: u64 = 50;
    pub(crate) const GPU_COUNTERS: u64 = 52;
    pub(crate) const GPU_STAGE: u64 = 53;
    pub(crate) const STREAMING_PROFILE: u64 = 54;
    pub(crate) const TRACK: u64 = 60;
    pub(crate) const PERF_SAMPLE: u64 = 66;
    pub(crate) const GPU_MEMORY: u64 = 71;
    pub(crate) const FRAME_TIMELINE: u64 = 76;
    pub(crate) const REMOTE_CLOCKS: u64 = 107;
    pub(crate) const GENERIC_TASK: u64 = 117;
    pub(crate) const GENERIC_FREQUENCY: u64 = 118;
    pub(crate) const GENERIC_RENAME: u64 = 120;
    pub(crate) const GENERIC_TREE: u64 = 122;
    pub(crate) const GENERIC_GPU_FREQUENCY: u64 = 129;
    pub(crate) const JOURNAL: u64 = 132;
    pub(crate) const ZSTD: u64 = 133;
}

/// A packet: what all packets may say, and what it is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packet {
    /// When, in ticks of its clock.
    pub(crate) timestamp: Option<u64>,
    /// That clock; missing: that of its sequence.
    pub(crate) clock: Option<u32>,
    /// The sequence that it belongs to.
    pub(crate) sequence: u32,
    /// The machine that it tells of; 0 is the one that wrote the file.
    pub(crate) machine: u32,
    /// What was said of the sequence before counts no more.
    pub(crate) is_cleared: bool,
    /// It cannot be read without what was said of the sequence before.
    pub(crate) needs_state: bool,
    /// Packets of the sequence were lost before this one.
    pub(crate) is_after_loss: bool,
    /// Texts with numbers that stand for them.
    pub(crate) interned: Bytes,
    /// What holds for all packets of the sequence from here on.
    pub(crate) defaults: Bytes,
    /// The number of the field that says what it is about, and its value.
    pub(crate) data: Option<(u64, Bytes)>,
}

impl Packet {
    /// Reads the outermost fields; also what is wrong with them, then the fields before that are there.
    pub(crate) fn read(bytes: &Bytes) -> (Self, Option<String>) {
        let mut packet = Self::default();
        let mut fields = Fields::of(bytes);
        let mut wrong = None;
        for (number, value) in &mut fields {
            let flag = value.number();
            let is_number = matches!(value, Value::Number(_));
            match number {
                3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98 if !is_number => {
                    wrong = Some(format!("invalid wire type of field {number}"));
                }
                8 => packet.timestamp = Some(flag),
                58 => packet.clock = u32::try_from(flag).ok(),
                10 => packet.sequence = u32::try_from(flag).unwrap_or(0),
                13 => {
                    packet.is_cleared |= flag & 1 != 0;
                    packet.needs_state |= flag & 2 != 0;
                }
                41 => packet.is_cleared |= flag != 0,
                42 => packet.is_after_loss |= flag != 0,
                98 => packet.machine = u32::try_from(flag).unwrap_or(0),
                3 | 79 | 87 => {}
                _ if !matches!(value, Value::Bytes(_)) => {
                    wrong = Some(format!("invalid wire type of field {number}"));
                }
                12 => packet.interned = bytes.slice_ref(value.bytes()),
                59 => packet.defaults = bytes.slice_ref(value.bytes()),
                _ => packet.data = Some((number, bytes.slice_ref(value.bytes()))),
            }
            if wrong.is_some() {
                return (packet, wrong);
            }
        }
        if !fields.rest().is_empty() {
            let found: Vec<String> = fields.rest().iter().take(8).map(|b| format!("{b:02x}")).collect();
            wrong = Some(found.join(" "));
        }
        (packet, wrong)
    }

    /// The events of the kernel in it.
    pub(crate) fn events(&self) -> impl Iterator<Item = &[u8]> {
        inside(self.of_kernel(), 2)
    }

    /// The priorities of the threads that a processor goes over to, of columns of switches.
    pub(crate) fn priorities(&self) -> impl Iterator<Item = &[u8]> {
        inside(self.of_kernel(), 4).flat_map(|columns| inside(columns, 4)).flat_map(each)
    }

    /// What in it has details of its own.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.events().chain(self.priorities())
    }

    fn of_kernel(&self) -> &[u8] {
        let bundle = self.data.as_ref().filter(|(kind, _)| *kind == number::FTRACE);
        bundle.map_or(&[], |(_, bundle)| bundle)
    }

    /// What it is about; and what is wrong with it, then what stands before that is there.
    pub(crate) fn message<M: Message + Default>(&self) -> (M, Result<(), String>) {
        let mut message = M::default();
        let bytes = self.data.as_ref().map_or(Bytes::new(), |(_, bytes)| bytes.clone());
        let said = message.merge(bytes).map_err(|error| error.to_string());
        (message, said)
    }
}
