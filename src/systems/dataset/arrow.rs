//! Arrow IPC files: the footer, and single columns of record batches. Flat columns of numbers and texts.
//!
//! ```text
//! ARROW1 | messages: metadata (`FlatBuffers`), body | footer (`FlatBuffers`) | length of the footer | ARROW1
//! ```

use super::parquet::{NONE, Values, Wrong};
use crate::base::words::phrase;
use crate::input::{Entry, read_range};
use std::io::Read;

/// What files begin and end with.
pub(super) const MAGIC: &[u8] = b"ARROW1";
/// Bytes of a footer, of the metadata of a batch, and of an unpacked buffer at most.
const MAX_FOOTER: u64 = 16 << 20;
const MAX_BUFFER: u64 = 256 << 20;

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct ArrowFile {
    columns: Vec<Column>,
    /// Names and values that the writer added.
    pub(super) words: Vec<(String, String)>,
    batches: Vec<(u64, u64)>,
}

#[derive(Debug)]
struct Column {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int(i64, bool),
    Float(i64),
    Bool,
    Text,
    LargeText,
    TextView,
    /// Anything else with so many buffers.
    Other(usize),
}

/// A table of `FlatBuffers`: its bytes and where it begins.
#[derive(Clone, Copy)]
struct Table<'a>(&'a [u8], usize);

fn int<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn number32(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(int(bytes, at)?)).ok()
}

fn number64(bytes: &[u8], at: usize) -> Option<i64> {
    Some(i64::from_le_bytes(int(bytes, at)?))
}

impl<'a> Table<'a> {
    fn root(bytes: &'a [u8]) -> Option<Self> {
        Some(Self(bytes, number32(bytes, 0)?))
    }

    /// Where a field begins; `None` where it has its default.
    fn field(self, number: usize) -> Option<usize> {
        let Self(bytes, at) = self;
        let back = i32::from_le_bytes(int(bytes, at)?);
        let fields = usize::try_from(i64::try_from(at).ok()? - i64::from(back)).ok()?;
        let size = usize::from(u16::from_le_bytes(int(bytes, fields)?));
        let slot = 4 + 2 * number;
        if size < slot + 2 {
            return None;
        }
        let offset = usize::from(u16::from_le_bytes(int(bytes, fields.checked_add(slot)?)?));
        (0 < offset).then(|| at.checked_add(offset)).flatten()
    }

    fn byte(self, number: usize) -> u8 {
        self.field(number).and_then(|at| self.0.get(at).copied()).unwrap_or(0)
    }

    fn short(self, number: usize) -> i64 {
        self.field(number).and_then(|at| int(self.0, at)).map_or(0, |b| i64::from(i16::from_le_bytes(b)))
    }

    fn whole(self, number: usize) -> i64 {
        self.field(number).and_then(|at| int(self.0, at)).map_or(0, |b| i64::from(i32::from_le_bytes(b)))
    }

    fn long(self, number: usize) -> i64 {
        self.field(number).and_then(|at| number64(self.0, at)).unwrap_or(0)
    }

    fn table(self, number: usize) -> Option<Self> {
        let at = self.field(number)?;
        Some(Self(self.0, at.checked_add(number32(self.0, at)?)?))
    }

    fn text(self, number: usize) -> String {
        let text = || {
            let at = self.field(number)?;
            let at = at.checked_add(number32(self.0, at)?)?;
            self.0.get(at.checked_add(4)?..at.checked_add(4)?.checked_add(number32(self.0, at)?)?)
        };
        text().map_or(String::new(), |bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Where the items of a vector begin, and how many they are.
    fn vector(self, number: usize) -> (usize, usize) {
        let vector = || {
            let at = self.field(number)?;
            let at = at.checked_add(number32(self.0, at)?)?;
            // Each item takes some bytes: no more are said than can be there.
            Some((at.checked_add(4)?, number32(self.0, at)?.min(self.0.len())))
        };
        vector().unwrap_or((0, 0))
    }

    fn tables(self, number: usize) -> impl Iterator<Item = Self> {
        let (first, n) = self.vector(number);
        (0..n).map_while(move |at| {
            let at = first.checked_add(4 * at)?;
            Some(Self(self.0, at.checked_add(number32(self.0, at)?)?))
        })
    }
}

impl ArrowFile {
    /// The footer of a file. Costs two reads.
    pub(super) fn of(entry: &Entry) -> Result<Self, Wrong> {
        let len = entry.source.len();
        let tail_at = len.saturating_sub(10);
        let tail =
            read_range(&*entry.source, tail_at..len).map_err(|_| (tail_at, phrase("a readable footer")))?;
        let (size, magic) = tail.split_at_checked(4).ok_or((0, phrase("a columnar file")))?;
        if magic != MAGIC {
            return Err((tail_at + 4, phrase("ARROW1 at the end")));
        }
        let size = u64::from(u32::from_le_bytes(size.try_into().unwrap_or_default()));
        let start = tail_at.checked_sub(size).filter(|_| size <= MAX_FOOTER);
        let start = start.ok_or((tail_at, phrase("the footer length")))?;
        let bytes =
            read_range(&*entry.source, start..tail_at).map_err(|_| (start, phrase("a readable footer")))?;
        Self::footer(&bytes).ok_or((start, phrase("a footer")))
    }

    fn footer(bytes: &[u8]) -> Option<Self> {
        let footer = Table::root(bytes)?;
        let schema = footer.table(1)?;
        // Behind a nested column nobody counts buffers.
        let flat = schema.tables(1).take_while(|field| field.vector(5).1 == 0);
        let columns = flat.map(|field| Column { name: field.text(0), kind: kind_of(field) });
        let words = schema.tables(2).map(|word| (word.text(0), word.text(1)));
        let (first, n) = footer.vector(3);
        let block = |at: usize| {
            let at = first.checked_add(24 * at)?;
            let (offset, size) = (number64(bytes, at)?, number32(bytes, at.checked_add(8)?)?);
            Some((u64::try_from(offset).ok()?, size as u64))
        };
        Some(Self {
            columns: columns.collect(),
            words: words.collect(),
            batches: (0..n).map_while(block).collect(),
        })
    }

    pub(super) fn n_groups(&self) -> usize {
        self.batches.len()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// A column of a record batch; `None` where the file has none of this name that is flat.
    pub(super) fn column(&self, entry: &Entry, batch: usize, name: &str) -> Result<Option<Values>, Wrong> {
        let Some(wanted) = self.columns.iter().position(|column| column.name == name) else {
            return Ok(None);
        };
        let (start, size) = self.batches.get(batch).copied().ok_or((0, phrase("a record batch")))?;
        let wrong = |said| (start, said);
        let end = start.saturating_add(size.min(MAX_FOOTER));
        let head = read_range(&*entry.source, start..end).map_err(|_| wrong(phrase("readable metadata")))?;
        let message = head.get(8..).and_then(Table::root).filter(|message| message.byte(1) == 3);
        let of = message.and_then(|message| message.table(2)).ok_or(wrong(phrase("a record batch")))?;
        let body = start.saturating_add(size);
        let rows = usize::try_from(of.long(0)).ok().filter(|n| *n <= super::parquet::MAX_VALUES);
        let rows = rows.ok_or(wrong(phrase("fewer rows in a batch")))?;
        let kind = self.columns.get(wanted).map_or(Kind::Other(0), |column| column.kind);
        if matches!(kind, Kind::Other(_)) {
            return Ok(None);
        }
        let (views, n_views) = of.vector(4);
        let (mut first, mut view) = (0, 0);
        for column in self.columns.iter().take(wanted) {
            first += match column.kind {
                Kind::Int(..) | Kind::Float(_) | Kind::Bool => 2,
                Kind::Text | Kind::LargeText => 3,
                Kind::Other(n) => n,
                Kind::TextView => {
                    view += 1;
                    2 + variadic(of.0, (views, n_views), view - 1)
                }
            };
        }
        let n_buffers = match kind {
            Kind::Text | Kind::LargeText => 3,
            Kind::TextView => 2 + variadic(of.0, (views, n_views), view),
            _ => 2,
        };
        let (buffers, n) = of.vector(2);
        let codec = of.table(3).map(|compression| compression.byte(0));
        let mut parts = Vec::new();
        for at in first..first.saturating_add(n_buffers).min(n) {
            let at = buffers + 16 * at;
            let place = number64(of.0, at).zip(number64(of.0, at + 8));
            let (offset, len) = place.ok_or(wrong(phrase("buffer offsets")))?;
            let from = body.saturating_add(offset.try_into().unwrap_or(0));
            let to = from.saturating_add(u64::try_from(len).unwrap_or(0)).min(entry.source.len());
            let bytes =
                read_range(&*entry.source, from..to).map_err(|_| (from, phrase("a readable buffer")))?;
            parts.push(unpack(codec, bytes).ok_or((from, phrase("an uncompressed or zstd buffer")))?);
        }
        values(kind, rows, &parts).map(Some).ok_or(wrong(phrase("complete buffers")))
    }
}

/// How many buffers of texts a column of views has.
fn variadic(bytes: &[u8], (first, n): (usize, usize), at: usize) -> usize {
    let count = (at < n).then(|| number64(bytes, first + 8 * at)).flatten();
    count.and_then(|n| usize::try_from(n).ok()).unwrap_or(0).min(bytes.len())
}

fn kind_of(field: Table) -> Kind {
    let of = field.table(3).unwrap_or(Table(&[], 0));
    match field.byte(2) {
        // Numbers that stand for texts of a dictionary.
        _ if field.table(4).is_some() => Kind::Other(2),
        2 => Kind::Int(of.whole(0), of.byte(1) != 0),
        3 => Kind::Float(of.short(0)),
        6 => Kind::Bool,
        5 => Kind::Text,
        20 => Kind::LargeText,
        24 => Kind::TextView,
        1 => Kind::Other(0),
        4 | 19 => Kind::Other(3),
        _ => Kind::Other(2),
    }
}

/// A buffer as it was before it was packed.
fn unpack(codec: Option<u8>, bytes: Vec<u8>) -> Option<Vec<u8>> {
    let Some(codec) = codec else { return Some(bytes) };
    if bytes.is_empty() {
        return Some(bytes);
    }
    let (size, packed) = bytes.split_at_checked(8)?;
    if i64::from_le_bytes(size.try_into().ok()?) == -1 {
        return Some(packed.to_vec());
    }
    if codec != 1 {
        return None;
    }
    let mut out = Vec::new();
    let reader = ruzstd::decoding::StreamingDecoder::new(packed).ok()?;
    reader.take(MAX_BUFFER).read_to_end(&mut out).ok()?;
    Some(out)
}

/// Whether the bit of a row is set.
fn bit(bytes: &[u8], row: usize) -> bool {
    bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
}

/// The number of a row.
fn number(kind: Kind, data: &[u8], row: usize) -> Option<f64> {
    Some(match kind {
        Kind::Int(64, true) => number64(data, 8 * row)? as f64,
        Kind::Int(64, false) => u64::from_le_bytes(int(data, 8 * row)?) as f64,
        Kind::Int(32, true) => f64::from(i32::from_le_bytes(int(data, 4 * row)?)),
        Kind::Int(32, false) => f64::from(u32::from_le_bytes(int(data, 4 * row)?)),
        Kind::Int(16, true) => f64::from(i16::from_le_bytes(int(data, 2 * row)?)),
        Kind::Int(16, false) => f64::from(u16::from_le_bytes(int(data, 2 * row)?)),
        Kind::Int(_, true) => f64::from(data.get(row)?.cast_signed()),
        Kind::Int(_, false) => f64::from(*data.get(row)?),
        Kind::Float(2) => f64::from_le_bytes(int(data, 8 * row)?),
        Kind::Float(1) => f64::from(f32::from_le_bytes(int(data, 4 * row)?)),
        Kind::Bool => f64::from(u8::from(bit(data, row))),
        _ => return None,
    })
}

fn values(kind: Kind, rows: usize, parts: &[Vec<u8>]) -> Option<Values> {
    let valid = parts.first()?;
    let is_there = |row: usize| valid.is_empty() || bit(valid, row);
    let data = parts.get(1)?;
    let whole = |at: usize| parts.get(2)?.get(..at).map(|_| at);
    let mut pool = Vec::new();
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    for row in 0..rows {
        if !is_there(row) {
            if matches!(kind, Kind::Text | Kind::LargeText | Kind::TextView) {
                texts.push(NONE);
            } else {
                numbers.push(None);
            }
            continue;
        }
        let text = match kind {
            Kind::Text => {
                let (from, to) = (number32(data, 4 * row)?, number32(data, 4 * row + 4)?);
                Some(parts.get(2)?.get(from..whole(to)?)?.to_vec())
            }
            Kind::LargeText => {
                let place = |at: usize| usize::try_from(number64(data, 8 * at)?).ok();
                Some(parts.get(2)?.get(place(row)?..place(row + 1)?)?.to_vec())
            }
            Kind::TextView => {
                let at = 16 * row;
                let len = number32(data, at)?;
                if len <= 12 {
                    Some(data.get(at + 4..at + 4 + len)?.to_vec())
                } else {
                    let (buffer, from) = (number32(data, at + 8)?, number32(data, at + 12)?);
                    Some(parts.get(buffer.checked_add(2)?)?.get(from..from.checked_add(len)?)?.to_vec())
                }
            }
            _ => None,
        };
        if let Some(text) = text {
            texts.push(pool.len() as u32);
            pool.push(String::from_utf8_lossy(&text).into_owned());
            continue;
        }
        let number = number(kind, data, row)?;
        numbers.push(Some(number).filter(|n| !n.is_nan()));
    }
    let is_text = matches!(kind, Kind::Text | Kind::LargeText | Kind::TextView);
    Some(if is_text { Values::Texts(texts, pool) } else { Values::Numbers(numbers) })
}
