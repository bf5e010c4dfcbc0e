//! What packets of one sequence say for those behind them: texts by number, defaults, sums.

use super::gpu::InternedGpuCounters;
use super::packet::Packet;
use super::packet::fields::{Fields, Value};
use super::packet::messages::Defaults;
use super::samples::StackParts;
use crate::base::map::Map;
use crate::format::Sink;
use crate::model::id::StrId;
use crate::systems::android::systrace::collect::shortened;
use prost::Message;
use prost::bytes::Bytes;
use std::cell::RefCell;

/// Kinds of texts with numbers, by the number of their field.
pub(crate) mod text {
    pub(crate) const CATEGORY: u64 = 1;
    pub(crate) const NAME: u64 = 2;
    pub(crate) const ARGUMENT: u64 = 3;
    pub(crate) const LOCATION: u64 = 4;
    pub(crate) const FUNCTION_NAME: u64 = 5;
    pub(crate) const FRAME: u64 = 6;
    pub(crate) const CALL_STACK: u64 = 7;
    pub(crate) const MAPPING_PATH: u64 = 17;
    pub(crate) const MAPPING: u64 = 19;
    pub(crate) const LOG: u64 = 20;
    pub(crate) const GPU_STAGE: u64 = 24;
    /// Functions of the kernel.
    pub(crate) const FUNCTION: u64 = 26;
    pub(crate) const VALUE: u64 = 29;
    /// Descriptions of counters of graphics processors.
    pub(crate) const GPU_COUNTERS: u64 = 47;
}

/// What is known of a sequence.
#[derive(Default)]
pub(crate) struct Sequence {
    /// Packets were lost, and nothing was said anew since.
    pub(crate) is_lost: bool,
    texts: Map<(u64, u64), StrId>,
    pub(crate) frames: StackParts,
    pub(crate) gpu_counters: Map<u64, InternedGpuCounters>,
    /// The clock of its packets.
    pub(crate) clock: Option<u32>,
    /// The track of its events.
    pub(crate) track: Option<u64>,
    pub(crate) counters: Vec<u64>,
    pub(crate) double_counters: Vec<u64>,
    /// Sums of counters whose values are differences.
    pub(crate) sums: Map<u64, f64>,
    /// Process and thread that write it, as old traces say it.
    pub(crate) thread: Option<(i64, i64)>,
    /// Where differences of times count from, in microseconds, once that is said.
    pub(crate) micros: Option<i128>,
}

impl Sequence {
    /// Takes what a packet says for those behind it. Says whether the packet itself can be read.
    pub(crate) fn take(&mut self, packet: &Packet, place: (u32, u64), sink: &mut Sink) -> bool {
        self.is_lost |= packet.is_after_loss;
        if packet.is_cleared {
            *self = Self { thread: self.thread, micros: self.micros, ..Self::default() };
        }
        if self.is_lost && packet.needs_state {
            return false;
        }
        if let Ok(defaults) = Defaults::decode(packet.defaults.clone())
            && !packet.defaults.is_empty()
        {
            self.clock = defaults.clock;
            let event = defaults.event.unwrap_or_default();
            self.track = event.track;
            self.counters = event.counters;
            self.double_counters = event.double_counters;
        }
        if !packet.interned.is_empty() && !self.is_lost {
            for (kind, entry) in Fields::of(&packet.interned) {
                self.learn(kind, entry.bytes(), sink);
            }
            Arguments::learn(packet, place, sink);
        }
        true
    }

    fn learn(&mut self, kind: u64, entry: &[u8], sink: &mut Sink) {
        if matches!(kind, text::FRAME | text::CALL_STACK | text::MAPPING) {
            return self.frames.learn(kind, entry);
        }
        if kind == text::GPU_COUNTERS {
            if let Ok(counters) = InternedGpuCounters::decode(entry) {
                self.gpu_counters.insert(counters.id.unwrap_or(0), counters);
            }
            return;
        }
        let kinds = [
            text::CATEGORY,
            text::NAME,
            text::FUNCTION_NAME,
            text::MAPPING_PATH,
            text::GPU_STAGE,
            text::FUNCTION,
        ];
        if kinds.contains(&kind)
            && let Some((id, text)) = entry_of(entry)
        {
            let text = sink.builder.intern(shortened(&String::from_utf8_lossy(text)));
            self.texts.insert((kind, id), text);
        }
    }

    /// A text by its number.
    pub(crate) fn text(&self, kind: u64, id: u64) -> Option<StrId> {
        self.texts.get(&(kind, id)).copied()
    }
}

/// Number and text of an entry.
fn entry_of(entry: &[u8]) -> Option<(u64, &[u8])> {
    let mut id = None;
    let mut text: &[u8] = &[];
    for field in Fields::of(entry) {
        match field {
            (1, Value::Number(number)) => id = Some(number),
            (2, Value::Bytes(bytes)) => text = bytes,
            _ => {}
        }
    }
    id.map(|id| (id, text))
}

/// Texts with numbers that arguments of events are made of, kept with the trace: arguments are read when somebody asks.
#[derive(Default)]
pub(crate) struct Arguments {
    stretches: Vec<Stretch>,
    /// Places of the packets that hold others, packed: entry, first byte and end, in order.
    packed: Vec<(u32, u64, u64)>,
    /// The last of them that was unpacked.
    pub(crate) unpacked: RefCell<Unpacked>,
}

/// Entry and first byte of a packet that holds others, and what they are.
type Unpacked = ((u32, u64), Vec<Bytes>);

/// The texts of a sequence from a packet on.
struct Stretch {
    entry: u32,
    sequence: u32,
    from: u64,
    texts: Map<(u64, u64), StrId>,
}

impl Arguments {
    fn learn(packet: &Packet, (entry, from): (u32, u64), sink: &mut Sink) {
        let kinds = [text::ARGUMENT, text::LOCATION, text::LOG, text::VALUE];
        for (kind, bytes) in Fields::of(&packet.interned).filter(|(kind, _)| kinds.contains(kind)) {
            let Some((id, mut text)) = entry_of(bytes.bytes()) else { continue };
            let place;
            if kind == text::LOCATION {
                place = location(bytes.bytes());
                text = place.as_bytes();
            }
            let text = sink.builder.intern(shortened(&String::from_utf8_lossy(text)));
            let head = sink.builder.head();
            let all = head.extensions.get_or_default::<Self>();
            let is_of = |s: &Stretch| s.entry == entry && s.sequence == packet.sequence;
            let known = all.stretches.iter().rposition(is_of);
            let row = match known {
                Some(row) if !packet.is_cleared => row,
                Some(row) if all.stretches.get(row).is_some_and(|s| s.from == from) => row,
                _ => {
                    let new = Stretch { entry, sequence: packet.sequence, from, texts: Map::default() };
                    all.stretches.push(new);
                    all.stretches.len() - 1
                }
            };
            if let Some(stretch) = all.stretches.get_mut(row) {
                stretch.texts.insert((kind, id), text);
            }
        }
    }

    /// A packet that holds others, packed.
    pub(crate) fn packed(sink: &mut Sink, place: (u32, u64, u64)) {
        let all = sink.builder.head().extensions.get_or_default::<Self>();
        if all.packed.last() != Some(&place) {
            all.packed.push(place);
        }
    }

    /// The first byte of the packet that holds what has this place.
    pub(crate) fn holder(&self, (entry, at): (u32, u64)) -> Option<u64> {
        let behind = self.packed.partition_point(|(of, start, _)| (*of, *start) < (entry, at));
        let (of, start, end) = *self.packed.get(behind.checked_sub(1)?)?;
        (of == entry && at < end).then_some(start)
    }

    /// The text that a number stands for in a packet that begins here.
    pub(crate) fn text(&self, (entry, at): (u32, u64), sequence: u32, kind: u64, id: u64) -> Option<StrId> {
        let is_of = |s: &&Stretch| s.entry == entry && s.sequence == sequence && s.from <= at;
        self.stretches.iter().rev().find(is_of)?.texts.get(&(kind, id)).copied()
    }
}

/// `function (file:line)` of a source location.
fn location(bytes: &[u8]) -> String {
    let (mut file, mut function, mut line) = (String::new(), String::new(), 0);
    for (number, value) in Fields::of(bytes) {
        match number {
            2 => file = String::from_utf8_lossy(value.bytes()).into_owned(),
            3 => function = String::from_utf8_lossy(value.bytes()).into_owned(),
            4 => line = value.number(),
            _ => {}
        }
    }
    if line != 0 {
        file = format!("{file}:{line}");
    }
    match (function.is_empty(), file.is_empty()) {
        (true, _) => file,
        (false, true) => function,
        (false, false) => format!("{function} ({file})"),
    }
}
