//! Structures as Thrift writes them in its compact protocol, as trees.

/// How deep structures stand in each other at most.
const DEPTH: usize = 32;

/// A value.
#[derive(Debug)]
pub(super) enum Thrift {
    Int(i64),
    Bytes(Vec<u8>),
    List(Vec<Thrift>),
    /// Fields by their numbers.
    Struct(Vec<(i64, Thrift)>),
    Nothing,
}

impl Thrift {
    pub(super) fn get(&self, field: i64) -> Option<&Self> {
        match self {
            Self::Struct(fields) => fields.iter().find(|(id, _)| *id == field).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The first field and its number: the only one of a union.
    pub(super) fn first(&self) -> Option<(i64, &Self)> {
        match self {
            Self::Struct(fields) => fields.first().map(|(id, value)| (*id, value)),
            _ => None,
        }
    }

    pub(super) fn int(&self, field: i64) -> Option<i64> {
        match self.get(field)? {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn text(&self, field: i64) -> String {
        match self.get(field) {
            Some(Self::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        }
    }

    pub(super) fn list(&self, field: i64) -> &[Self] {
        match self.get(field) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }
}

/// The structure that some bytes hold.
pub(super) fn read(bytes: &[u8]) -> Option<Thrift> {
    read_some(bytes).map(|(value, _)| value)
}

/// The structure that some bytes begin with, and how many they are.
pub(super) fn read_some(bytes: &[u8]) -> Option<(Thrift, usize)> {
    let mut reader = Reader { bytes, at: 0 };
    let value = reader.structure(0)?;
    Some((value, reader.at))
}

/// A number of any length, seven bits in a byte.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (mut value, mut rest) = (0_u64, bytes);
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        rest = after;
        value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Some((value, rest));
        }
    }
    None
}

/// A number whose sign stands in its lowest bit.
pub(super) fn zigzag(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -(n & 1).cast_signed()
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let (value, rest) = varint(self.bytes.get(self.at..)?)?;
        self.at = self.bytes.len() - rest.len();
        Some(value)
    }

    fn zigzag(&mut self) -> Option<i64> {
        self.varint().map(zigzag)
    }

    fn structure(&mut self, depth: usize) -> Option<Thrift> {
        let (mut fields, mut id) = (Vec::new(), 0_i64);
        loop {
            let head = self.byte()?;
            let kind = head & 0x0F;
            if kind == 0 {
                return Some(Thrift::Struct(fields));
            }
            let step = i64::from(head >> 4);
            id = if step == 0 { self.zigzag()? } else { id.checked_add(step)? };
            // Of truths the kind is the value.
            let value = match kind {
                1 => Thrift::Int(1),
                2 => Thrift::Int(0),
                kind => self.value(kind, depth + 1)?,
            };
            fields.push((id, value));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Thrift> {
        if DEPTH < depth {
            return None;
        }
        Some(match kind {
            1..=3 => Thrift::Int(i64::from(self.byte()?.cast_signed())),
            4..=6 => Thrift::Int(self.zigzag()?),
            7 => {
                self.at = self.at.checked_add(8).filter(|at| *at <= self.bytes.len())?;
                Thrift::Nothing
            }
            8 => {
                let len = usize::try_from(self.varint()?).ok()?;
                let end = self.at.checked_add(len)?;
                let bytes = self.bytes.get(self.at..end)?.to_vec();
                self.at = end;
                Thrift::Bytes(bytes)
            }
            9 | 10 => {
                let head = self.byte()?;
                let kind = head & 0x0F;
                let n = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // Each item takes a byte at least: the bytes end before a wrong number does.
                let mut items = Vec::new();
                for _ in 0..n {
                    items.push(self.value(kind, depth + 1)?);
                }
                Thrift::List(items)
            }
            11 => {
                let n = self.varint()?;
                let kinds = if n == 0 { 0 } else { self.byte()? };
                for _ in 0..n {
                    self.value(kinds >> 4, depth + 1)?;
                    self.value(kinds & 0x0F, depth + 1)?;
                }
                Thrift::Nothing
            }
            12 => self.structure(depth)?,
            _ => return None,
        })
    }
}
