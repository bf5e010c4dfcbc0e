//! One line of an instruction.
//!
//! ```text
//! grouped := [line] pc mask nd reg{nd} opcode ns reg{ns} width [mode addresses] [immediate]
//! raw     := x y z warp [sm warp_of_sm] grouped
//! mode 0  := an address for each active lane
//! mode 1  := the first address, the step from lane to lane
//! mode 2  := the first address, a step for each other active lane
//! ```
//! Columns are found, not trusted: tools add some without saying so.

/// Most registers on one side of an instruction.
const REGISTERS: usize = 16;

/// Most bytes of a lane.
const WIDTH: u32 = 128;

/// Addresses of the active lanes, in their order.
pub(super) type Lanes = [u64; 32];

/// Bytes that are taken from the front.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn blanks(&mut self) {
        while let Some((b' ' | b'\t', rest)) = self.0.split_first() {
            self.0 = rest;
        }
    }

    /// The bytes up to the next blank; `None` at the end.
    #[inline]
    pub(super) fn token(&mut self) -> Option<&'a [u8]> {
        self.blanks();
        let end = self.0.iter().position(|b| *b == b' ' || *b == b'\t').unwrap_or(self.0.len());
        let (token, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        (!token.is_empty()).then_some(token)
    }

    /// A number in hexadecimal up to a blank, with how many digits it has.
    #[inline]
    fn hex(&mut self) -> Option<(u64, usize)> {
        let (mut value, mut n) = (0_u64, 0_usize);
        while let Some((byte, rest)) = self.0.split_first() {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                b'A'..=b'F' => byte - b'A' + 10,
                b' ' | b'\t' => break,
                _ => return None,
            };
            value = (value << 4) | u64::from(digit);
            n += 1;
            self.0 = rest;
        }
        (1..=16).contains(&n).then_some((value, n))
    }

    /// `0x` and a number.
    #[inline]
    fn address(&mut self) -> Option<u64> {
        self.blanks();
        self.0 = self.0.strip_prefix(b"0x")?;
        self.hex().map(|(value, _)| value)
    }

    /// A number in decimal up to a blank, with its sign.
    #[inline]
    pub(super) fn whole(&mut self) -> Option<i64> {
        self.blanks();
        let (is_negative, digits) = match self.0.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, self.0),
        };
        self.0 = digits;
        let (mut value, mut n) = (0_i64, 0_usize);
        while let Some((byte, rest)) = self.0.split_first() {
            match byte {
                b'0'..=b'9' => value = value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0')),
                b' ' | b'\t' => break,
                _ => return None,
            }
            n += 1;
            self.0 = rest;
        }
        (1..=19).contains(&n).then_some(if is_negative { value.wrapping_neg() } else { value })
    }

    /// A small number in decimal.
    #[inline]
    pub(super) fn small(&mut self) -> Option<u32> {
        self.whole().and_then(|n| u32::try_from(n).ok())
    }

    /// How many tokens are left.
    fn count(mut self) -> usize {
        std::iter::from_fn(|| self.token()).count()
    }
}

/// Address of the instruction, mask, and what stands behind them without a blank in front.
pub(super) type Head<'a> = (u64, u32, &'a [u8]);

/// How many columns stand before the address of the instruction: it is the first of four hexadecimal digits or more with a
/// mask of exactly eight behind it.
pub(super) fn columns(line: &[u8]) -> Option<usize> {
    let is_hex = |token: &[u8]| token.iter().all(u8::is_ascii_hexdigit);
    let mut cursor = Cursor(line);
    let mut last = cursor.token()?;
    for before in 0..10 {
        let next = cursor.token()?;
        if next.len() == 8 && is_hex(next) && 4 <= last.len() && is_hex(last) {
            return Some(before);
        }
        last = next;
    }
    None
}

/// The head of a line whose first columns were taken.
#[inline]
pub(super) fn head(line: &[u8]) -> Option<Head<'_>> {
    let mut cursor = Cursor(line);
    cursor.blanks();
    let (pc, digits) = cursor.hex()?;
    cursor.blanks();
    let (mask, of_mask) = cursor.hex()?;
    cursor.blanks();
    let mask = u32::try_from(mask).ok().filter(|_| 4 <= digits && of_mask == 8)?;
    Some((pc, mask, cursor.0))
}

/// What an instruction is: all that is the same each time it runs.
pub(super) struct Operands<'a> {
    /// Registers that are written.
    pub(super) to: Vec<&'a [u8]>,
    pub(super) opcode: &'a [u8],
    /// Registers that are read.
    pub(super) from: Vec<&'a [u8]>,
    /// Bytes of a lane; 0 without an access.
    pub(super) width: u32,
    pub(super) tail: &'a [u8],
}

/// Reads what stands behind the mask.
pub(super) fn operands(rest: &[u8]) -> Option<Operands<'_>> {
    let mut cursor = Cursor(rest);
    let to = registers(&mut cursor)?;
    let opcode = cursor.token().filter(|word| word.first().is_some_and(u8::is_ascii_uppercase))?;
    let from = registers(&mut cursor)?;
    let width = cursor.small().filter(|width| *width <= WIDTH)?;
    Some(Operands { to, opcode, from, width, tail: cursor.0 })
}

/// A number and so many registers.
fn registers<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<&'a [u8]>> {
    let n = cursor.small().and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= REGISTERS)?;
    let is_register = |word: &&[u8]| word.first().is_some_and(u8::is_ascii_uppercase);
    (0..n).map(|_| cursor.token().filter(is_register)).collect()
}

/// Why addresses cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// There are fewer than the mask has lanes.
    Few,
    Many,
    /// The way they are written is none of the three.
    Mode,
}

/// Reads the addresses of the lanes of a mask behind the width; `immediate` says whether a number follows: always, never, or
/// `None` where that is not known. How many there are.
#[inline]
pub(super) fn addresses(
    tail: &[u8],
    mask: u32,
    immediate: Option<bool>,
    lanes: &mut Lanes,
) -> Result<usize, Wrong> {
    // Without lanes there is one address of zero, which is none.
    let n = mask.count_ones() as usize;
    if n == 0 {
        return Ok(0);
    }
    let mut cursor = Cursor(tail);
    let mode = cursor.whole().ok_or(Wrong::Few)?;
    let first = cursor.address().ok_or(Wrong::Few)?;
    let own = lanes.get_mut(..n).ok_or(Wrong::Many)?;
    let mut at = first;
    match mode {
        0 => {
            let (head, rest) = own.split_first_mut().ok_or(Wrong::Few)?;
            *head = first;
            for lane in rest {
                *lane = cursor.address().ok_or(Wrong::Few)?;
            }
        }
        1 => {
            let step = cursor.whole().ok_or(Wrong::Few)?.cast_unsigned();
            for lane in own {
                *lane = at;
                at = at.wrapping_add(step);
            }
        }
        2 => {
            let (head, rest) = own.split_first_mut().ok_or(Wrong::Few)?;
            *head = first;
            for lane in rest {
                at = at.wrapping_add(cursor.whole().ok_or(Wrong::Few)?.cast_unsigned());
                *lane = at;
            }
        }
        _ => return Err(Wrong::Mode),
    }
    match (cursor.count(), immediate) {
        (0, Some(true)) => Err(Wrong::Few),
        (1, Some(false)) => Err(Wrong::Many),
        (0 | 1, _) => Ok(n),
        _ => Err(Wrong::Many),
    }
}

/// The number at the end of a line, behind what an access may have.
pub(super) fn immediate(tail: &[u8]) -> Option<i64> {
    let last = tail.rsplit(|b| *b == b' ').find(|word| !word.is_empty())?;
    Cursor(last).whole()
}
