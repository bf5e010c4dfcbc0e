//! Fields of protobuf messages as far as they must be known before a message is whole: where the next one begins. And
//! whether bytes read as a message of a trace: used to recognize files, and to find packets after damage.

/// Longest beginning of a field: its key and its length.
pub(crate) const LONGEST: usize = 20;

/// The beginning of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) number: u64,
    /// Its type on the wire: 0 a number, 1 eight bytes, 2 a length and bytes, 5 four bytes.
    pub(crate) wire: u64,
    /// Bytes before its value.
    pub(crate) before: usize,
    /// Bytes of its value.
    pub(crate) len: u64,
}

/// The field that begins here; `None` when none can, or when it is cut.
pub(crate) fn head(bytes: &[u8]) -> Option<Field> {
    let (key, before) = varint(bytes)?;
    let (number, wire) = (key >> 3, key & 7);
    if number == 0 || (1 << 29) <= number {
        return None;
    }
    let rest = bytes.get(before..)?;
    let (before, len) = match wire {
        0 => (before, varint(rest)?.1 as u64),
        1 => (before, 8),
        2 => varint(rest).map(|(len, n)| (before + n, len))?,
        5 => (before, 4),
        _ => return None,
    };
    Some(Field { number, wire, before, len })
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Number(u64),
    /// Four or eight bytes as a number.
    Fixed(u64),
    /// A text, bytes, or another message.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The bytes; none of a number.
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Number(_) | Self::Fixed(_) => &[],
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The number; 0 of bytes.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Number(number) | Self::Fixed(number) => number,
            Self::Bytes(_) => 0,
        }
    }
}

/// The fields of a message with their numbers, up to one that is cut or of no known type.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Of these bytes.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes that were not read: none when all fields were sound.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let field = head(self.rest)?;
        let end = field.before.checked_add(usize::try_from(field.len).ok()?)?;
        let (whole, rest) = self.rest.split_at_checked(end)?;
        let bytes = whole.get(field.before..)?;
        self.rest = rest;
        let value = match field.wire {
            2 => Value::Bytes(bytes),
            0 => Value::Number(varint(bytes)?.0),
            _ => Value::Fixed(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))),
        };
        Some((field.number, value))
    }
}

/// The messages, texts or packed numbers of a field of this number.
pub(crate) fn inside(bytes: &[u8], number: u64) -> impl Iterator<Item = &[u8]> {
    Fields::of(bytes).filter(move |(field, _)| *field == number).map(|(_, value)| value.bytes())
}

/// The numbers of a packed field, each as its bytes.
pub(crate) fn each(packed: &[u8]) -> impl Iterator<Item = &[u8]> {
    packed.split_inclusive(|byte| *byte < 0x80)
}

/// The numbers of a repeated field, packed or not.
pub(crate) fn numbers(value: Value) -> Vec<u64> {
    match value {
        Value::Bytes(bytes) => packed(bytes).collect(),
        number => vec![number.number()],
    }
}

/// The numbers of a packed field.
fn packed(mut bytes: &[u8]) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let (number, n) = varint(bytes)?;
        bytes = bytes.get(n..)?;
        Some(number)
    })
}

/// A number of one to ten bytes, and how many they are; `None` when it is cut or longer.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let n = bytes.iter().take(10).position(|b| *b < 0x80)?;
    let digits = bytes.get(..=n)?.iter().rev();
    Some((digits.fold(0, |value, digit| (value << 7) | u64::from(digit & 0x7f)), n + 1))
}

/// Whether these bytes read as a `TracePacket`: whole fields, those that are known of the right type, and one of them.
pub(crate) fn is_packet(bytes: &[u8]) -> bool {
    reads_as(bytes, |field, value| match field.number {
        1 => Some(field.wire == 2 && (value.is_empty() || is_bundle(value))),
        // Process tree, other data sources, configuration, statistics, packets that are packed.
        2 | 4..=7 | 9 | 11 | 12 | 33..=36 | 50 | 59 | 133 => Some(field.wire == 2),
        // Who wrote it, when, and where in its sequence.
        3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 => Some(field.wire == 0),
        _ => None,
    })
}

/// The same for an `FtraceEventBundle`.
fn is_bundle(bytes: &[u8]) -> bool {
    reads_as(bytes, |field, _| match field.number {
        1 | 3 | 5..=7 => Some(field.wire == 0),
        2 | 4 => Some(field.wire == 2),
        _ => None,
    })
}

/// Whether the bytes are whole fields, none of which is wrong and one of which is known to be right.
fn reads_as(mut bytes: &[u8], is_right: impl Fn(Field, &[u8]) -> Option<bool>) -> bool {
    let mut is_known = false;
    while !bytes.is_empty() {
        let Some(field) = head(bytes) else { return false };
        let end = usize::try_from(field.len).ok().and_then(|len| len.checked_add(field.before));
        let whole = end.and_then(|end| Some((bytes.get(field.before..end)?, bytes.get(end..)?)));
        let Some((value, rest)) = whole else { return false };
        match is_right(field, value) {
            Some(true) => is_known = true,
            Some(false) => return false,
            None => {}
        }
        bytes = rest;
    }
    is_known
}

/// How many packets stand at the head of a file of `len` bytes that begins with these, counted to eight; 0 when what
/// stands there is something else. A packet that is longer than the head counts when nothing stands before it that speaks
/// against it.
pub(crate) fn packets_in(head_bytes: &[u8], len: u64) -> usize {
    let (mut rest, mut left, mut n) = (head_bytes, len, 0);
    while n < 8 && !rest.is_empty() {
        let field = head(rest);
        let Some(field) = field.filter(|field| (field.number, field.wire) == (1, 2)) else {
            // Cut by the end of the head, or something else.
            return if rest.len() < LONGEST && (rest.len() as u64) < left { n } else { 0 };
        };
        let Some(whole) = field.len.checked_add(field.before as u64).filter(|whole| *whole <= left) else {
            return n; // a file that is cut
        };
        let end = usize::try_from(whole).unwrap_or(usize::MAX);
        match (rest.get(field.before..end), rest.get(end..)) {
            (Some(value), Some(behind)) if is_packet(value) => rest = behind,
            (Some(_), _) => return 0,
            (None, _) => return n + usize::from(begins_as_packet(rest.get(field.before..).unwrap_or(&[]))),
        }
        left -= whole;
        n += 1;
    }
    n
}

/// Whether the fields of a packet that is cut are right as far as they are there, and one of them is whole or is a
/// bundle or a tree.
fn begins_as_packet(bytes: &[u8]) -> bool {
    let Some(first) = head(bytes) else { return false };
    let inner = bytes.get(first.before..).unwrap_or(&[]);
    match (first.number, first.wire) {
        (1, 2) => head(inner).is_some_and(|f| matches!((f.number, f.wire), (1 | 3 | 5, 0) | (2 | 4, 2))),
        (2, 2) => head(inner).is_some_and(|f| matches!((f.number, f.wire), (1 | 2, 2))),
        (3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87, 0) | (50 | 133, 2) => true,
        _ => false,
    }
}
