//! Bytes of protobuf, written field by field.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// A message.
#[derive(Clone, Default)]
pub(super) struct Message(pub(super) Vec<u8>);

/// An empty message.
pub(super) fn new() -> Message {
    Message::default()
}

impl Message {
    fn varint(mut self, mut number: u64) -> Self {
        while 0x7f < number {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
        self
    }

    /// A number; negative ones are written as ten bytes.
    pub(super) fn int(self, field: u64, number: i64) -> Self {
        self.varint(field << 3).varint(number.cast_unsigned())
    }

    /// Eight bytes.
    pub(super) fn fixed(mut self, field: u64, number: u64) -> Self {
        self = self.varint(field << 3 | 1);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// A double.
    pub(super) fn double(self, field: u64, number: f64) -> Self {
        self.fixed(field, number.to_bits())
    }

    /// A float.
    pub(super) fn float(mut self, field: u64, number: f32) -> Self {
        self = self.varint(field << 3 | 5);
        self.0.extend(number.to_bits().to_le_bytes());
        self
    }

    /// Bytes with their length.
    pub(super) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self = self.varint(field << 3 | 2).varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// A text.
    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// A message inside.
    pub(super) fn with(self, field: u64, inner: Self) -> Self {
        let bytes = inner.0;
        self.bytes(field, &bytes)
    }

    /// Numbers packed into one field.
    pub(super) fn packed(self, field: u64, numbers: &[i64]) -> Self {
        let inner = numbers.iter().fold(new(), |inner, number| inner.varint(number.cast_unsigned()));
        self.with(field, inner)
    }
}

/// A packet of a sequence at a time, about `inner`.
pub(super) fn packet(sequence: i64, time: i64, field: u64, inner: Message) -> Message {
    new().int(8, time).int(10, sequence).with(field, inner)
}

/// A track event of a type on a track.
pub(super) fn event(kind: i64, track: i64) -> Message {
    new().int(9, kind).int(11, track)
}

/// Types of track events.
pub(super) const BEGIN: i64 = 1;
pub(super) const END: i64 = 2;
pub(super) const INSTANT: i64 = 3;
pub(super) const COUNTER: i64 = 4;

/// A descriptor of a track.
pub(super) fn track(uuid: i64) -> Message {
    new().int(1, uuid)
}

/// A file of packets.
pub(super) fn file(packets: &[Message]) -> Vec<u8> {
    packets.iter().fold(new(), |file, packet| file.with(1, packet.clone())).0
}

/// A packet that holds others, packed.
pub(super) fn packed(packets: &[Message]) -> Message {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&file(packets)).unwrap();
    new().bytes(50, &encoder.finish().unwrap())
}
