//! One record of a memory trace, byte by byte.
//!
//! ```text
//! MEMTRACE: CTX 0x<16> - grid_launch_id 0 - CTA 1,0,0 - warp 4 - LDG.E - 0x<16> 0x<16> … (32 of them, 0 for no access)
//! … - LDG.E.SYS - pc 144 - Size 4 - MREF per threads(threadidx,data,address) : Thread0,0x<16>,0x<16> … (32 of them)
//! ```
//! Fields stand between ` - `; those of a key and a value may be missing or unknown. A strict reader: what was cut by
//! other text is found by it, see [`super::super::nvbit`].

use std::ops::Range;

/// How each record and each launch begins.
pub const MARK: &[u8] = b"MEMTRACE: ";
/// Lanes of a warp.
pub(super) const LANES: usize = 32;
/// Digits of a number, without `0x`.
const DIGITS: usize = 16;

/// A record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub context: u64,
    pub launch: Option<u64>,
    pub cta: [u32; 3],
    pub warp: u32,
    pub sm: Option<u32>,
    pub pc: Option<u64>,
    pub(super) bytes: Option<u32>,
    /// Where the first field begins whose key is not known.
    pub(super) unknown: Option<usize>,
    /// Where the numbers of the lanes begin, and where they end in a whole record.
    pub list: Option<(usize, usize)>,
    /// Where the opcode stands.
    pub opcode: Range<usize>,
    /// Values of the lanes that were read, as far as they go.
    pub addresses: [u64; LANES],
    /// What lanes read or wrote; empty where the dialect has none.
    pub(super) data: Vec<u64>,
    /// How many lanes were read.
    pub lanes: usize,
}

impl Access {
    /// Lanes with an address: the others did nothing.
    pub fn mask(&self) -> u32 {
        self.addresses.iter().rev().fold(0, |mask, address| (mask << 1) | u32::from(*address != 0))
    }

    /// Reads a line without its end. `Err` has the place of the first byte that does not belong there; what was read
    /// before stays in `self`.
    pub fn read(&mut self, line: &[u8]) -> Result<(), usize> {
        let mut has = (false, false);
        self.launch = None;
        (self.sm, self.pc, self.bytes) = (None, None, None);
        (self.unknown, self.list) = (None, None);
        self.opcode = 0..0;
        self.addresses = [0; LANES];
        self.data.clear();
        self.lanes = 0;
        if !line.starts_with(MARK) {
            return Err(0);
        }
        let mut at = MARK.len();
        loop {
            let rest = line.get(at..).unwrap_or(&[]);
            if rest.starts_with(b"0x") {
                let is_headed = has == (true, true) && !self.opcode.is_empty();
                return if is_headed { self.values(line, at) } else { Err(self.unknown.unwrap_or(at)) };
            }
            let len = memchr::memmem::find(rest, b" - ");
            let field = rest.get(..len.unwrap_or(rest.len())).unwrap_or(rest);
            if field.starts_with(b"MREF per threads") {
                let from = memchr::memmem::find(field, b" : ").ok_or(at)?;
                let is_headed = has == (true, true) && !self.opcode.is_empty();
                return if is_headed {
                    self.pairs(line, at + from + 3)
                } else {
                    Err(self.unknown.unwrap_or(at))
                };
            }
            let Some(len) = len else { return Err(self.unknown.unwrap_or(at)) };
            self.field(field, at, &mut has).ok_or(at)?;
            at += len + 3;
        }
    }

    /// A field between ` - `.
    fn field(&mut self, field: &[u8], at: usize, has: &mut (bool, bool)) -> Option<()> {
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        match memchr::memchr(b' ', field).and_then(|split| field.split_at_checked(split)) {
            None => {
                let is_opcode = field.first().is_some_and(u8::is_ascii_uppercase)
                    && field
                        .iter()
                        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"._".contains(b));
                self.opcode = at..at + field.len();
                is_opcode.then_some(())
            }
            Some((key, value)) => {
                let value = value.get(1..).unwrap_or(&[]);
                match key {
                    b"CTX" => self.context = hex(value.strip_prefix(b"0x")?)?,
                    b"grid_launch_id" => self.launch = Some(decimal(value)?),
                    b"CTA" => (self.cta, has.0) = (triple(value)?, true),
                    b"warp" => (self.warp, has.1) = (number(value)?, true),
                    b"SM_id" => self.sm = Some(number(value)?),
                    b"pc" => self.pc = Some(decimal(value)?),
                    b"Size" => self.bytes = Some(number(value)?),
                    _ if !key.iter().all(is_name) || value.is_empty() || value.contains(&b' ') => {
                        return None;
                    }
                    _ => self.unknown = self.unknown.or(Some(at)),
                }
                Some(())
            }
        }
    }

    /// `0x… 0x… `, one for each lane.
    fn values(&mut self, line: &[u8], mut at: usize) -> Result<(), usize> {
        self.list = Some((at, at + LANES * (2 + DIGITS + 1)));
        for address in &mut self.addresses {
            let rest = line.get(at..).unwrap_or(&[]);
            *address = prefixed(rest).ok_or(at)?;
            self.lanes += 1;
            at += 2 + DIGITS;
            match line.get(at) {
                Some(b' ') => at += 1,
                None => {}
                Some(_) => return Err(at),
            }
        }
        if at == line.len() { Ok(()) } else { Err(at) }
    }

    /// `Thread0,0x…,0x… `, one for each lane.
    fn pairs(&mut self, line: &[u8], mut at: usize) -> Result<(), usize> {
        // The first ten lanes have one digit.
        let lane = b"Thread".len() + 2 + 2 * (1 + 2 + DIGITS) + 1;
        self.list = Some((at, at + LANES * lane - 10));
        for lane in 0..LANES {
            let rest = line.get(at..).unwrap_or(&[]).strip_prefix(b"Thread").ok_or(at)?;
            let comma = memchr::memchr(b',', rest.get(..3).unwrap_or(rest)).ok_or(at)?;
            if rest.get(..comma).and_then(number) != u32::try_from(lane).ok() {
                return Err(at);
            }
            let begin = at + b"Thread".len() + comma + 1;
            let data = line.get(begin..).and_then(prefixed).ok_or(begin)?;
            let second = begin + 2 + DIGITS + 1;
            if line.get(second - 1) != Some(&b',') {
                return Err(second - 1);
            }
            let address = line.get(second..).and_then(prefixed).ok_or(second)?;
            self.data.push(data);
            self.addresses.get_mut(lane).map(|to| *to = address).ok_or(at)?;
            self.lanes += 1;
            at = second + 2 + DIGITS;
            match line.get(at) {
                Some(b' ') => at += 1,
                None => {}
                Some(_) => return Err(at),
            }
        }
        if at == line.len() { Ok(()) } else { Err(at) }
    }
}

/// A bare line `0x<data>,0x<address>`: bytes of the data as it is written, its low 64 bits, and the address.
pub fn bare(line: &[u8]) -> Option<(u32, u64, u64)> {
    let comma = memchr::memchr(b',', line)?;
    let data = line.get(..comma)?.strip_prefix(b"0x")?;
    let address = hex(line.get(comma + 1..)?.strip_prefix(b"0x")?)?;
    let tail = data.get(data.len().saturating_sub(DIGITS)..)?;
    let is_hex = !data.is_empty() && data.iter().all(u8::is_ascii_hexdigit);
    Some((u32::try_from(data.len() / 2).ok()?, hex(tail)?, address)).filter(|_| is_hex)
}

/// `0x` and 16 digits, with no further digit behind.
#[inline]
fn prefixed(bytes: &[u8]) -> Option<u64> {
    let (head, rest) = bytes.split_first_chunk::<2>()?;
    let (high, rest) = rest.split_first_chunk::<8>()?;
    let (low, rest) = rest.split_first_chunk::<8>()?;
    if head != b"0x" || rest.first().is_some_and(u8::is_ascii_hexdigit) {
        return None;
    }
    Some(u64::from(eight(*high)?) << 32 | u64::from(eight(*low)?))
}

/// Eight hexadecimal digits, all at once: each byte of the word is one of them.
#[inline]
pub fn eight(digits: [u8; 8]) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_be_bytes(digits);
    let lower = word | (ONES * 0x20);
    // Letters have the bit 0x40.
    let letters = (lower >> 6) & ONES;
    let values = (lower & (ONES * 0x0F)) + letters * 9;
    let is_digit = lower == values + ONES * 0x30 + letters * 0x27
        && (values + ONES * 6) >> 4 & ONES == letters
        && values & (ONES * 0xF0) == 0
        && (word ^ lower) >> 5 & ONES & !letters == 0;
    let pairs = (values | values >> 4) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF;
    u32::try_from((fours | fours >> 16) & 0xFFFF_FFFF).ok().filter(|_| is_digit)
}

/// Values of hexadecimal digits; 255 for all other bytes.
#[allow(clippy::indexing_slicing)] // computed by the compiler
const NIBBLES: [u8; 256] = {
    let mut table = [255; 256];
    let mut byte = 0_u8;
    while byte < 255 {
        table[byte as usize] = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => 255,
        };
        byte += 1;
    }
    table
};

/// A hexadecimal number of 1 to 16 digits.
pub fn hex(digits: &[u8]) -> Option<u64> {
    let (mut value, mut seen) = (0_u64, 0_u8);
    for digit in digits {
        let nibble = NIBBLES.get(usize::from(*digit)).copied().unwrap_or(255);
        seen |= nibble;
        value = (value << 4) | u64::from(nibble & 15);
    }
    (seen < 16 && (1..=DIGITS).contains(&digits.len())).then_some(value)
}

/// A decimal number.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(u8::is_ascii_digit))?;
    text.parse().ok()
}

/// A decimal number of 32 bits.
pub(super) fn number(digits: &[u8]) -> Option<u32> {
    decimal(digits).and_then(|n| u32::try_from(n).ok())
}

/// `x,y,z`.
pub(super) fn triple(text: &[u8]) -> Option<[u32; 3]> {
    let mut parts = text.split(|b| *b == b',');
    let all = [number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?];
    parts.next().is_none().then_some(all)
}
