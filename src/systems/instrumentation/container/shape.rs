//! Where the fields of records stand.
//!
//! | layout | bytes | behind thread (4) and block (4) |
//! | --- | --- | --- |
//! | `flow8` | 8 | – |
//! | `flow16t` | 16 | time (8) |
//! | `simd16` | 16 | lanes that ran (4), lanes of the thread (4) |
//! | `mem-base` | 24 | instruction (2), bytes of a lane (1), flags (1), lanes (4), address (8) |
//! | `mem-lanes32`, `mem-lanes64` | 16 + 4 or 8 × lanes | lanes (4), instruction (2), bytes (1), flags (1), addresses |
//! | `reg-lanes32` | 16 + 4 × lanes, whole 8 | instruction (2), register (2), lanes (4), values (4 each) |
//! | `fields` | as the manifest says | |

use super::manifest::Type;
use crate::systems::instrumentation::combine::{Access, Facts, Kind, NO_INSTRUCTION};

/// The flag of an access to memory of a group of threads.
const SHARED: u64 = 4;
/// Most bytes of a record.
pub(super) const RECORD: usize = 1 << 20;
/// Most lanes of a record.
const LANES: usize = 32;

/// Where the fields of the records of one type stand.
#[derive(Clone, Default)]
pub(super) struct Shape {
    /// Bytes of a record; 0 where they vary.
    pub(super) bytes: usize,
    /// The least that a record has.
    pub(super) least: usize,
    pub(super) kind: Kind,
    thread: usize,
    block: usize,
    time: Option<Field>,
    mask: Option<Field>,
    all: Option<Field>,
    instruction: Option<Field>,
    width: Option<Field>,
    flags: Option<Field>,
    register: Option<Field>,
    /// Addresses of lanes, or one of them.
    address: Option<Field>,
    /// Values of lanes.
    value: Option<Field>,
}

/// Numbers in a record.
#[derive(Clone, Copy)]
pub(super) struct Field {
    at: usize,
    bytes: usize,
    /// How many; 0 for as many as fit.
    count: usize,
}

impl Field {
    #[allow(clippy::unnecessary_wraps)] // stands where fields may be missing
    fn one(at: usize, bytes: usize) -> Option<Self> {
        Some(Self { at, bytes, count: 1 })
    }

    /// A number of it.
    #[inline]
    fn get(&self, record: &[u8], row: usize) -> Option<u64> {
        let bytes = record.get(self.at + row * self.bytes..)?;
        match self.bytes {
            1 => bytes.first().map(|byte| u64::from(*byte)),
            2 => bytes.first_chunk().map(|bytes| u64::from(u16::from_le_bytes(*bytes))),
            4 => bytes.first_chunk().map(|bytes| u64::from(u32::from_le_bytes(*bytes))),
            8 => bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
            _ => None,
        }
    }

    fn len(&self, record: &[u8]) -> usize {
        let fits = record.len().saturating_sub(self.at) / self.bytes.max(1);
        let n = if self.count == 0 { fits } else { self.count.min(fits) };
        n.min(LANES)
    }
}

/// The number of four bytes.
#[inline]
pub(super) fn word(record: &[u8], at: usize) -> u32 {
    let bytes = record.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    u32::from_le_bytes(bytes.unwrap_or_default())
}

impl Shape {
    /// The shape of a type.
    ///
    /// # Errors
    /// Why its records cannot be read: nobody knows the layout, or the fewest bytes that it has.
    pub(super) fn of(of: &Type) -> Result<Self, Option<usize>> {
        let mut shape = Self { kind: of.kind, block: 4, ..Self::default() };
        let size = usize::try_from(of.bytes).ok().filter(|size| *size <= RECORD).ok_or(None)?;
        let lanes = |each: usize| match of.lanes.and_then(|lanes| usize::try_from(lanes).ok()) {
            Some(lanes) => lanes.clamp(1, LANES),
            None => (size.saturating_sub(16) / each).min(LANES),
        };
        let many = |at, bytes, count| Some(Field { at, bytes, count });
        shape.least = match of.layout.as_str() {
            "flow8" => 8,
            "flow16t" => {
                shape.time = Field::one(8, 8);
                16
            }
            "simd16" => {
                (shape.mask, shape.all) = (Field::one(8, 4), Field::one(12, 4));
                16
            }
            "mem-base" => {
                (shape.instruction, shape.width) = (Field::one(8, 2), Field::one(10, 1));
                (shape.flags, shape.mask) = (Field::one(11, 1), Field::one(12, 4));
                shape.address = Field::one(16, 8);
                24
            }
            "mem-lanes32" | "mem-lanes64" => {
                let each = if of.layout == "mem-lanes32" { 4 } else { 8 };
                (shape.mask, shape.instruction) = (Field::one(8, 4), Field::one(12, 2));
                (shape.width, shape.flags) = (Field::one(14, 1), Field::one(15, 1));
                shape.address = many(16, each, lanes(each));
                16 + each * lanes(each)
            }
            "reg-lanes32" => {
                (shape.instruction, shape.register) = (Field::one(8, 2), Field::one(10, 2));
                (shape.mask, shape.value) = (Field::one(12, 4), many(16, 4, lanes(4)));
                16 + 4 * lanes(4)
            }
            "fields" => shape.named(of)?,
            _ => return Err(None),
        };
        shape.bytes = size;
        if size != 0 && size < shape.least { Err(Some(shape.least)) } else { Ok(shape) }
    }

    /// Takes the fields that the manifest says.
    fn named(&mut self, of: &Type) -> Result<usize, Option<usize>> {
        let (mut has_thread, mut has_block, mut least) = (false, false, 8);
        for field in &of.fields {
            let bits: usize = field.of.trim_start_matches(['u', 'i', 'f']).parse().unwrap_or(0);
            let bytes = bits / 8;
            let count = usize::try_from(field.count).map_err(|_| None)?;
            let at = usize::try_from(field.at).map_err(|_| None)?;
            let whole = bytes.checked_mul(count).and_then(|bytes| bytes.checked_add(at)).ok_or(None)?;
            if !matches!(bytes, 1 | 2 | 4 | 8) {
                return Err(None);
            }
            least = least.max(whole);
            let found = Some(Field { at, bytes, count: count.min(LANES) });
            match field.name.as_str() {
                "thread" if bytes == 4 => (self.thread, has_thread) = (at, true),
                "block" if bytes == 4 => (self.block, has_block) = (at, true),
                "time" => self.time = found,
                "exec_mask" | "mask" => self.mask = found,
                "dispatch_mask" => self.all = found,
                "inst" => self.instruction = found,
                "bytes" => self.width = found,
                "flags" => self.flags = found,
                "reg" => self.register = found,
                "address" | "addr" => self.address = found,
                "value" => self.value = found,
                _ => {}
            }
        }
        if has_thread && has_block { Ok(least) } else { Err(None) }
    }

    /// Thread and block of a record.
    #[inline]
    pub(super) fn head(&self, record: &[u8]) -> (u32, u32) {
        (word(record, self.thread), word(record, self.block))
    }

    /// Whether records say when blocks began.
    #[inline]
    pub(super) fn has_times(&self) -> bool {
        self.time.is_some()
    }

    /// When the block began.
    #[inline]
    pub(super) fn time(&self, record: &[u8]) -> Option<u64> {
        self.time.as_ref()?.get(record, 0)
    }

    /// Lanes that ran.
    #[inline]
    pub(super) fn mask(&self, record: &[u8]) -> Option<u32> {
        let mask = self.mask.as_ref()?.get(record, 0)?;
        u32::try_from(mask & u64::from(u32::MAX)).ok()
    }

    /// Whether records say which lanes ran an instruction.
    pub(super) fn has_mask(&self) -> bool {
        matches!(self.kind, Kind::Memory | Kind::Simd) && self.mask.is_some()
    }

    /// The instruction in the block, or [`NO_INSTRUCTION`].
    #[inline]
    pub(super) fn instruction(&self, record: &[u8]) -> u32 {
        let found = self.instruction.and_then(|field| field.get(record, 0));
        found.and_then(|found| u32::try_from(found).ok()).unwrap_or(NO_INSTRUCTION)
    }

    /// Whether records say which instruction they are of.
    pub(super) fn has_instructions(&self) -> bool {
        self.instruction.is_some()
    }

    /// Whether records have the addresses of all lanes.
    pub(super) fn has_lanes(&self) -> bool {
        self.address.is_some_and(|address| address.count != 1)
    }

    /// Addresses of the lanes that ran, ascending by lane; the one address where a record has no more.
    pub(super) fn addresses(&self, record: &[u8], mut take: impl FnMut(u64)) {
        let Some(field) = self.address else { return };
        let mask = self.mask(record).unwrap_or(u32::MAX);
        if field.count == 1 {
            field.get(record, 0).filter(|_| mask != 0).into_iter().for_each(take);
            return;
        }
        for lane in (0..field.len(record)).filter(|lane| mask >> lane & 1 == 1) {
            field.get(record, lane).into_iter().for_each(&mut take);
        }
    }

    /// Values of the lanes that ran, and these lanes.
    pub(super) fn values(&self, record: &[u8]) -> (u32, Vec<u64>) {
        let mask = self.mask(record).unwrap_or(u32::MAX);
        let Some(field) = self.value else { return (0, Vec::new()) };
        let n = field.len(record);
        if field.count == 1 {
            return (mask, field.get(record, 0).into_iter().collect());
        }
        let lanes = || (0..n).filter(|lane| mask >> lane & 1 == 1);
        let values = lanes().filter_map(|lane| field.get(record, lane)).collect();
        (lanes().fold(0, |all, lane| all | 1 << lane), values)
    }

    /// The register.
    pub(super) fn register(&self, record: &[u8]) -> Option<u16> {
        u16::try_from(self.register?.get(record, 0)?).ok()
    }

    /// What executions keep of a record.
    #[inline]
    pub(super) fn facts(&self, record: &[u8]) -> Facts {
        let mask = self.mask(record).unwrap_or(0);
        let instruction = self.instruction(record);
        let all = match self.all {
            Some(all) => all.get(record, 0).and_then(|all| u32::try_from(all).ok()).unwrap_or(mask),
            None => mask,
        };
        Facts::new(instruction, mask, all)
    }

    /// Whether records say what they moved.
    #[inline]
    pub(super) fn has_accesses(&self) -> bool {
        self.kind == Kind::Memory && self.has_lanes()
    }

    /// What a record moved. `is_global` says where an instruction of the block works.
    pub(super) fn access(&self, record: &[u8], sector: u64, is_global: impl Fn(u32) -> bool) -> Access {
        let number = |field: Option<Field>| field.and_then(|field| field.get(record, 0)).unwrap_or(0);
        if number(self.flags) & SHARED != 0 || !is_global(self.instruction(record)) {
            return Access::default();
        }
        let (mut addresses, mut n) = ([0; LANES], 0);
        self.addresses(record, |address| {
            addresses.get_mut(n).into_iter().for_each(|to| *to = address);
            n += 1;
        });
        Access::new(addresses.get(..n).unwrap_or(&[]), number(self.width), sector)
    }
}
