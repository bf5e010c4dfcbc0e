//! The layout: descriptors of sends, and the variants of them that tools wrote over the years.

use crate::views::executions::compute::{MemoryOperand, Space};

/// The line of what begins a thread.
pub(super) const HEAD: &str = "head of the thread";

/// Longest payload of a send, in registers.
const PAYLOAD: u32 = 64;

/// A variant of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    /// Words of a descriptor.
    pub(super) words: usize,
    /// Whether a word says if there are times.
    pub(super) has_time_word: bool,
    /// Whether threads stand in tiles.
    pub(super) has_tiles: bool,
}

/// All that can be read, in the order in which they are tried.
pub(super) static VARIANTS: [Variant; 3] = [
    Variant { name: "D", words: 20, has_time_word: true, has_tiles: true },
    Variant { name: "C", words: 19, has_time_word: false, has_tiles: true },
    Variant { name: "B", words: 19, has_time_word: false, has_tiles: false },
];

/// Words of the longest descriptor.
pub(super) const WORDS: usize = 20;

/// A send: an instruction that reaches memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // as the file has them
pub(super) struct Send {
    pub(super) offset: u32,
    pub(super) is_write: bool,
    pub(super) is_scatter: bool,
    pub(super) is_shared: bool,
    pub(super) is_scratch: bool,
    pub(super) is_atomic: bool,
    pub(super) is_fence: bool,
    /// Bytes of an address, 4 or 8.
    pub(super) address_bytes: u32,
    pub(super) simd: u32,
    pub(super) surface: Option<u32>,
    /// Registers of the payload.
    pub(super) payload: u32,
    pub(super) is_end: bool,
    pub(super) is_media: bool,
    pub(super) element_bytes: u32,
    pub(super) elements: u32,
    pub(super) lanes: u32,
    pub(super) first_lane: u32,
}

impl Send {
    /// A descriptor; `None` when its words cannot be one.
    pub(super) fn new(variant: Variant, words: &[u32; WORDS]) -> Option<Self> {
        // The longer one has a word more behind the seventh.
        let shift = variant.words - 19;
        let word = |at: usize| words.get(if at < 8 { at } else { at + shift }).copied().unwrap_or(0);
        let truth = |at: usize| match word(at) {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        let send = Self {
            offset: word(0),
            is_write: truth(1)?,
            is_scatter: truth(2)?,
            is_shared: truth(4)?,
            is_scratch: truth(5)?,
            is_atomic: truth(6)?,
            is_fence: truth(7)?,
            address_bytes: word(8) / 8,
            simd: word(9),
            surface: truth(3)?.then_some(word(10)),
            payload: word(11),
            is_end: truth(13)?,
            is_media: truth(14)?,
            element_bytes: word(15),
            elements: word(16),
            lanes: word(17),
            first_lane: word(18),
        };
        let is_sound = matches!(word(8), 32 | 64)
            && send.simd <= 64
            && send.payload <= PAYLOAD
            && send.lanes <= 64
            && send.first_lane <= 32;
        is_sound.then_some(send)
    }

    /// Whether its payload is the head of a thread, not addresses.
    pub(super) fn is_head(&self, block: u32) -> bool {
        block == 0 && self.offset == 0
    }

    /// Bytes that one lane moves; all of them for a block.
    pub(super) fn bytes(&self) -> u32 {
        self.element_bytes.saturating_mul(self.elements)
    }

    /// What it does to memory; `None` for those that do nothing to it.
    pub(super) fn memory(&self, block: u32) -> Option<MemoryOperand> {
        let is_access = !self.is_head(block) && !self.is_fence && 0 < self.payload;
        let space = match (self.is_shared, self.is_scratch) {
            (true, _) => Space::Shared,
            (_, true) => Space::Local,
            _ => Space::Global,
        };
        is_access.then_some(MemoryOperand {
            reads: !self.is_write || self.is_atomic,
            writes: self.is_write || self.is_atomic,
            is_atomic: self.is_atomic,
            bytes: Some(self.bytes()).filter(|bytes| 0 < *bytes),
            lanes: u32::MAX,
            space,
        })
    }

    /// As a line of a listing.
    pub(super) fn text(&self, block: u32) -> String {
        if self.is_head(block) {
            return HEAD.to_owned();
        }
        let mut text = String::from("send");
        text += match (self.is_fence, self.is_atomic, self.is_write) {
            (true, ..) => " fence",
            (_, true, _) => " atomic",
            (_, _, true) => " write",
            _ if self.payload == 0 => "",
            _ => " read",
        };
        if 0 < self.payload && !self.is_fence {
            text += if self.is_media {
                " media"
            } else if self.is_scatter {
                " scatter"
            } else {
                " block"
            };
            text += &format!(" SIMD{} {}×{} bytes", self.lanes, self.elements, self.element_bytes);
            text += match (self.is_shared, self.is_scratch, self.address_bytes) {
                (true, ..) => " SLM",
                (_, true, _) => " scratch",
                (_, _, 8) => " A64",
                _ => "",
            };
            text += &self.surface.map_or_else(String::new, |surface| format!(" surface {surface}"));
        }
        text + if self.is_end { " EOT" } else { "" }
    }

    /// What its payload says under the mask of its record.
    pub(super) fn touched(&self, block: u32, mask: u32, payload: &[u8]) -> Touched {
        let values = self.values(payload);
        let value = |at: usize| values.get(at).copied().unwrap_or(0);
        let part = |at: usize| u32::try_from(value(at) & 0xFFFF_FFFF).unwrap_or(0);
        if self.is_head(block) {
            return Touched::Group([part(1), part(6), part(7)]);
        }
        if values.is_empty() || self.is_fence {
            return Touched::Nothing;
        }
        if self.is_media {
            let control = part(2);
            let (width, rows) = ((control & 0x3F) + 1, (control >> 16 & 0x3F) + 1);
            return Touched::Media { x: part(0), y: part(1), width, rows };
        }
        if !self.is_scatter {
            return Touched::Lanes(1, vec![value(2)]);
        }
        let (mut lanes, mut addresses) = (0, Vec::new());
        for (lane, value) in (self.first_lane..32).zip(values).take(self.lanes as usize) {
            if mask >> lane & 1 == 1 {
                lanes |= 1 << lane;
                addresses.push(value);
            }
        }
        Touched::Lanes(lanes, addresses)
    }

    /// The numbers of a payload.
    fn values(&self, payload: &[u8]) -> Vec<u64> {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |n, byte| (n << 8) | u64::from(*byte));
        payload.chunks_exact((self.address_bytes as usize).max(4)).map(number).collect()
    }
}

/// What a send did in one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Touched {
    Nothing,
    /// It began a thread of this work group.
    Group([u32; 3]),
    Lanes(u32, Vec<u64>),
    /// A rectangle of a surface: bytes of a row, and rows.
    Media {
        /// Its first byte in a row.
        x: u32,
        /// Its first row.
        y: u32,
        /// Bytes of a row.
        width: u32,
        rows: u32,
    },
}

/// A block of the program with its sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) id: u32,
    pub(super) sends: Vec<Send>,
}

impl Block {
    /// Where the payload of each send begins behind the head of a record, and its bytes; then the bytes of all of them.
    pub(super) fn payloads(&self, register: u32, has_times: bool) -> (Vec<(usize, usize)>, usize) {
        let (mut parts, mut at) = (Vec::with_capacity(self.sends.len()), 0_usize);
        for (n, send) in self.sends.iter().enumerate() {
            // Each send but the first repeats thread and time, padded to a register.
            if has_times && 0 < n {
                at = at.saturating_add((register as usize).max(28));
            }
            let bytes = (send.payload as usize).saturating_mul(register as usize);
            parts.push((at, bytes));
            at = at.saturating_add(bytes);
        }
        (parts, at)
    }

    /// Whether the thread ends with it.
    pub(super) fn is_end(&self) -> bool {
        self.sends.iter().any(|send| send.is_end)
    }

    /// Whether a thread begins with it.
    pub(super) fn is_entry(&self) -> bool {
        self.sends.iter().any(|send| send.is_head(self.id))
    }
}
