//! Files of columns: the footer, and single columns of row groups. Flat columns of numbers and texts, as data sets have
//! them; nested ones are passed over.
//!
//! ```text
//! PAR1 | pages of column chunks … | footer (Thrift, compact) | length of the footer | PAR1
//! ```

use super::thrift::{Thrift, read, read_some, varint, zigzag};
use crate::base::words::phrase;
use crate::input::{Entry, read_range};
use std::io::Read;

/// What files begin and end with.
pub(super) const MAGIC: &[u8] = b"PAR1";
/// Bytes of a footer and of an unpacked page, and values of a page at most: runs say many in few bytes.
const MAX_FOOTER: u64 = 16 << 20;
const MAX_PAGE: u64 = 256 << 20;
pub(super) const MAX_VALUES: usize = 1 << 22;
/// Most values of a column in one row group: a column is held whole.
const MAX_CHUNK: usize = 1 << 23;

/// Why something could not be read: what was expected there.
pub(super) type Wrong = (u64, &'static str);

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Footer {
    /// Names of the flat columns, each with its number among all.
    pub(super) columns: Vec<Flat>,
    /// Names and values that the writer added.
    pub(super) words: Vec<(String, String)>,
    groups: Vec<Group>,
}

#[derive(Debug)]
pub(super) struct Flat {
    pub(super) name: String,
    /// Its number among the columns of a row group.
    at: usize,
    is_optional: bool,
}

#[derive(Debug)]
struct Group {
    chunks: Vec<Chunk>,
}

#[derive(Clone, Copy, Debug)]
struct Chunk {
    kind: i64,
    codec: i64,
    start: u64,
    len: u64,
    values: u64,
}

/// Values of a column; what is missing is `None`, or the number [`NONE`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    Numbers(Vec<Option<f64>>),
    /// Each row by its number in the pool.
    Texts(Vec<u32>, Vec<String>),
}

/// No text.
pub(super) const NONE: u32 = u32::MAX;

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts(values, _) => values.len(),
        }
    }

    pub(super) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Numbers(values) => values.get(row).copied().flatten(),
            Self::Texts(..) => None,
        }
    }

    pub(super) fn text(&self, row: usize) -> &str {
        match self {
            Self::Texts(values, pool) => {
                values.get(row).and_then(|at| pool.get(*at as usize)).map_or("", String::as_str)
            }
            Self::Numbers(_) => "",
        }
    }
}

impl Footer {
    /// The footer of a file. Costs two reads.
    pub(super) fn of(entry: &Entry) -> Result<Self, Wrong> {
        let len = entry.source.len();
        let tail_at = len.saturating_sub(8);
        let tail =
            read_range(&*entry.source, tail_at..len).map_err(|_| (tail_at, phrase("a readable footer")))?;
        let (size, magic) = tail.split_at_checked(4).ok_or((0, phrase("a columnar file")))?;
        if magic != MAGIC {
            return Err((tail_at + 4, phrase("PAR1 at the end")));
        }
        let size = u64::from(u32::from_le_bytes(size.try_into().unwrap_or_default()));
        let start = tail_at
            .checked_sub(size)
            .filter(|_| size <= MAX_FOOTER)
            .ok_or((tail_at, phrase("the footer length")))?;
        let bytes =
            read_range(&*entry.source, start..tail_at).map_err(|_| (start, phrase("a readable footer")))?;
        let footer = read(&bytes).ok_or((start, phrase("a footer")))?;
        let mut out = Self { columns: schema(footer.list(2)), ..Self::default() };
        for word in footer.list(5) {
            out.words.push((word.text(1), word.text(2)));
        }
        for group in footer.list(4) {
            let chunks = group.list(1).iter().map(|chunk| {
                let of = chunk.get(3).unwrap_or(&Thrift::Nothing);
                let dictionary = of.int(11).filter(|at| 0 < *at);
                let start = dictionary.unwrap_or(i64::MAX).min(of.int(9).unwrap_or(0));
                let natural = |field| of.int(field).unwrap_or(0).try_into().unwrap_or(0);
                Chunk {
                    kind: of.int(1).unwrap_or(-1),
                    codec: of.int(4).unwrap_or(-1),
                    start: start.try_into().unwrap_or(0),
                    len: natural(7),
                    values: natural(5),
                }
            });
            out.groups.push(Group { chunks: chunks.collect() });
        }
        Ok(out)
    }

    pub(super) fn n_groups(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// A column of a row group; `None` where the file has none of this name.
    pub(super) fn column(&self, entry: &Entry, group: usize, name: &str) -> Result<Option<Values>, Wrong> {
        let Some(column) = self.columns.iter().find(|column| column.name == name) else { return Ok(None) };
        let chunk = self.groups.get(group).and_then(|group| group.chunks.get(column.at));
        let chunk = chunk.ok_or((0, phrase("one chunk per column")))?;
        let end = chunk.start.saturating_add(chunk.len).min(entry.source.len());
        let bytes = read_range(&*entry.source, chunk.start..end)
            .map_err(|_| (chunk.start, phrase("readable pages")))?;
        pages(*chunk, column.is_optional, &bytes).map(Some).map_err(|(at, said)| (chunk.start + at, said))
    }
}

/// The columns that are not nested.
fn schema(elements: &[Thrift]) -> Vec<Flat> {
    let (mut columns, mut at, mut leaf) = (Vec::new(), 1, 0);
    // How many elements of nested columns are still to come.
    let mut nested = 0_i64;
    while let Some(element) = elements.get(at) {
        let children = element.int(5).unwrap_or(0).max(0);
        let is_nested = 0 < nested || 0 < children;
        nested = (nested - 1).max(0).saturating_add(children);
        if children == 0 {
            let repetition = element.int(3).unwrap_or(0);
            if !is_nested && repetition != 2 {
                columns.push(Flat { name: element.text(4), at: leaf, is_optional: repetition == 1 });
            }
            leaf += 1;
        }
        at += 1;
    }
    columns
}

/// Values that are being collected.
struct Out {
    kind: i64,
    numbers: Vec<Option<f64>>,
    texts: Vec<u32>,
    pool: Vec<String>,
    /// Values of the dictionary.
    words: Vec<f64>,
    n_words: u32,
}

const INT32: i64 = 1;
const INT64: i64 = 2;
const FLOAT: i64 = 4;
const DOUBLE: i64 = 5;
const BYTES: i64 = 6;
const BOOLEAN: i64 = 0;

/// All pages of a chunk.
fn pages(chunk: Chunk, is_optional: bool, bytes: &[u8]) -> Result<Values, Wrong> {
    let mut out = Out {
        kind: chunk.kind,
        numbers: Vec::new(),
        texts: Vec::new(),
        pool: Vec::new(),
        words: Vec::new(),
        n_words: 0,
    };
    if !matches!(chunk.kind, BOOLEAN | INT32 | INT64 | FLOAT | DOUBLE | BYTES) {
        return Err((0, phrase("numbers or text")));
    }
    let mut at = 0;
    while at < bytes.len() && (out.len() as u64) < chunk.values {
        let wrong = |said| (at as u64, said);
        let rest = bytes.get(at..).unwrap_or_default();
        let (header, n) = read_some(rest).ok_or(wrong(phrase("a page header")))?;
        let packed: usize =
            header.int(3).and_then(|n| n.try_into().ok()).ok_or(wrong(phrase("the page size")))?;
        let body = rest.get(n..n.saturating_add(packed)).ok_or(wrong(phrase("a complete page")))?;
        match header.int(1) {
            Some(2) => {
                let page = unpack(chunk.codec, body).ok_or(wrong(phrase("a decompressible page")))?;
                out.dictionary(&page).ok_or(wrong(phrase("a dictionary")))?;
            }
            Some(0) => {
                let page = unpack(chunk.codec, body).ok_or(wrong(phrase("a decompressible page")))?;
                let of = header.get(5).unwrap_or(&Thrift::Nothing);
                let n = natural(of.int(1));
                let (present, rest) = if is_optional {
                    let (size, rest) = page.split_at_checked(4).ok_or(wrong(phrase("levels")))?;
                    let size = u32::from_le_bytes(size.try_into().unwrap_or_default()) as usize;
                    let (levels, rest) = rest.split_at_checked(size).ok_or(wrong(phrase("levels")))?;
                    (bits(levels, 1, n).ok_or(wrong(phrase("levels")))?, rest)
                } else {
                    (Vec::new(), &page[..])
                };
                out.page(of.int(2), rest, n, &present).ok_or(wrong(phrase("values in a known encoding")))?;
            }
            Some(3) => {
                let of = header.get(8).unwrap_or(&Thrift::Nothing);
                let (n, levels, repeated) = (natural(of.int(1)), natural(of.int(5)), natural(of.int(6)));
                let (_, body) = body.split_at_checked(repeated).ok_or(wrong(phrase("levels")))?;
                let (levels, body) = body.split_at_checked(levels).ok_or(wrong(phrase("levels")))?;
                let present =
                    if is_optional { bits(levels, 1, n).ok_or(wrong(phrase("levels")))? } else { Vec::new() };
                let is_packed = of.int(7) != Some(0);
                let page = if is_packed { unpack(chunk.codec, body) } else { Some(body.to_vec()) };
                let page = page.ok_or(wrong(phrase("a decompressible page")))?;
                out.page(of.int(4), &page, n, &present).ok_or(wrong(phrase("values in a known encoding")))?;
            }
            _ => {} // an index
        }
        at += n + packed;
        if MAX_CHUNK < out.len() {
            return Err((at as u64, phrase("a smaller row group")));
        }
    }
    Ok(if chunk.kind == BYTES { Values::Texts(out.texts, out.pool) } else { Values::Numbers(out.numbers) })
}

fn natural(number: Option<i64>) -> usize {
    number.and_then(|number| number.try_into().ok()).unwrap_or(0)
}

impl Out {
    fn len(&self) -> usize {
        if self.kind == BYTES { self.texts.len() } else { self.numbers.len() }
    }

    fn dictionary(&mut self, page: &[u8]) -> Option<()> {
        if self.kind == BYTES {
            let mut rest = page;
            while !rest.is_empty() {
                let text;
                (text, rest) = counted(rest)?;
                self.pool.push(text);
            }
            self.n_words = self.pool.len() as u32;
        } else {
            self.words = plain(self.kind, page);
        }
        Some(())
    }

    /// The values of a page: `present` says which rows have one; all when it is empty.
    fn page(&mut self, encoding: Option<i64>, bytes: &[u8], n: usize, present: &[u32]) -> Option<()> {
        if MAX_VALUES < n {
            return None;
        }
        let n_there = if present.is_empty() { n } else { present.iter().filter(|one| **one != 0).count() };
        let is_text = self.kind == BYTES;
        let (numbers, texts) = self.values(encoding?, bytes, n_there)?;
        let (mut numbers, mut texts) = (numbers.into_iter(), texts.into_iter());
        for row in 0..n {
            let is_there = present.is_empty() || present.get(row).is_some_and(|one| *one != 0);
            if is_text {
                self.texts.push(if is_there { texts.next()? } else { NONE });
            } else {
                self.numbers.push(if is_there { numbers.next().filter(|v| !v.is_nan()) } else { None });
            }
        }
        Some(())
    }

    /// So many numbers or texts in an encoding; `None` where it is not known or the bytes end before.
    fn values(&mut self, encoding: i64, bytes: &[u8], n_there: usize) -> Option<(Vec<f64>, Vec<u32>)> {
        let is_text = self.kind == BYTES;
        let (numbers, texts): (Vec<f64>, Vec<u32>) = match encoding {
            0 if is_text => {
                let mut rest = bytes;
                let mut texts = Vec::new();
                while texts.len() < n_there {
                    let text;
                    (text, rest) = counted(rest)?;
                    texts.push(self.pool.len() as u32);
                    self.pool.push(text);
                }
                (Vec::new(), texts)
            }
            0 if self.kind == BOOLEAN => {
                let bit = |at: usize| bytes.get(at / 8).map(|byte| f64::from(byte >> (at % 8) & 1));
                ((0..n_there).map_while(bit).collect(), Vec::new())
            }
            0 => (plain(self.kind, bytes), Vec::new()),
            2 | 8 => {
                let (width, rest) = bytes.split_first().unwrap_or((&0, &[]));
                let rows = bits(rest, u32::from(*width), n_there)?;
                if is_text {
                    (
                        Vec::new(),
                        rows.into_iter().map(|row| if row < self.n_words { row } else { NONE }).collect(),
                    )
                } else {
                    let word = |row: u32| self.words.get(row as usize).copied().unwrap_or(f64::NAN);
                    (rows.into_iter().map(word).collect(), Vec::new())
                }
            }
            3 if self.kind == BOOLEAN => {
                (bits(bytes.get(4..)?, 1, n_there)?.into_iter().map(f64::from).collect(), Vec::new())
            }
            5 if !is_text => (deltas(bytes, n_there)?.0.into_iter().map(|v| v as f64).collect(), Vec::new()),
            6 if is_text => {
                let (lengths, mut rest) = deltas(bytes, n_there)?;
                let mut texts = Vec::new();
                for length in lengths {
                    let (text, after) = rest.split_at_checked(length.try_into().ok()?)?;
                    rest = after;
                    texts.push(self.pool.len() as u32);
                    self.pool.push(String::from_utf8_lossy(text).into_owned());
                }
                (Vec::new(), texts)
            }
            _ => return None,
        };
        (n_there <= numbers.len().max(texts.len())).then_some((numbers, texts))
    }
}

/// A text behind its length.
fn counted(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (size, rest) = bytes.split_at_checked(4)?;
    let size = u32::from_le_bytes(size.try_into().ok()?) as usize;
    let (text, rest) = rest.split_at_checked(size)?;
    Some((String::from_utf8_lossy(text).into_owned(), rest))
}

/// Numbers one behind the other.
fn plain(kind: i64, bytes: &[u8]) -> Vec<f64> {
    match kind {
        INT32 => bytes.as_chunks::<4>().0.iter().map(|b| f64::from(i32::from_le_bytes(*b))).collect(),
        INT64 => bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b) as f64).collect(),
        FLOAT => bytes.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
        DOUBLE => bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        _ => Vec::new(),
    }
}

/// `n` numbers of so many bits, in runs: repeated ones, or packed ones.
fn bits(bytes: &[u8], width: u32, n: usize) -> Option<Vec<u32>> {
    let (mut out, mut rest) = (Vec::new(), bytes);
    if 32 < width || MAX_VALUES < n {
        return None;
    }
    while out.len() < n {
        if width == 0 {
            out.resize(n, 0);
            break;
        }
        let (head, after) = varint(rest)?;
        rest = after;
        if head & 1 == 0 {
            let (value, after) = rest.split_at_checked(width.div_ceil(8) as usize)?;
            rest = after;
            let value = value.iter().rev().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
            let count = usize::try_from(head >> 1).ok()?.min(n - out.len());
            out.resize(out.len() + count, value);
        } else {
            let bytes = usize::try_from(head >> 1).ok()?.checked_mul(width as usize)?;
            let (packed, after) = rest.split_at(bytes.min(rest.len()));
            rest = after;
            let mut from = 0;
            while out.len() < n && from + width as usize <= packed.len() * 8 {
                out.push(packed_bits(packed, from, width as usize) as u32);
                from += width as usize;
            }
            if packed.is_empty() {
                return None;
            }
        }
    }
    Some(out)
}

/// Some bits from a place on, the lowest first.
fn packed_bits(bytes: &[u8], from: usize, width: usize) -> u64 {
    let mut value = 0_u128;
    let first = from / 8;
    for (i, byte) in bytes.iter().skip(first).take((from % 8 + width).div_ceil(8)).enumerate() {
        value |= u128::from(*byte) << (8 * i);
    }
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    (value >> (from % 8)) as u64 & mask
}

/// Numbers as differences in blocks, and what follows them.
fn deltas(bytes: &[u8], n: usize) -> Option<(Vec<i64>, &[u8])> {
    let (block, rest) = varint(bytes)?;
    let (minis, rest) = varint(rest)?;
    let (total, rest) = varint(rest)?;
    let (first, mut rest) = varint(rest)?;
    let per_mini = usize::try_from(block.checked_div(minis)?).ok().filter(|n| (1..=1 << 16).contains(n))?;
    let minis = usize::try_from(minis).ok().filter(|n| *n <= 1 << 12)?;
    let total = usize::try_from(total).ok()?.min(n);
    let mut out = Vec::new();
    let mut last = zigzag(first);
    if 0 < total {
        out.push(last);
    }
    while out.len() < total {
        let (least, after) = varint(rest)?;
        let (widths, after) = after.split_at_checked(minis)?;
        rest = after;
        let least = zigzag(least);
        for width in widths.iter().map(|width| usize::from(*width)) {
            if total <= out.len() {
                break;
            }
            if 64 < width {
                return None;
            }
            let size = (per_mini * width).div_ceil(8);
            let (packed, after) = rest.split_at_checked(size)?;
            rest = after;
            for at in 0..per_mini.min(total - out.len()) {
                let delta = packed_bits(packed, at * width, width).cast_signed();
                last = last.wrapping_add(least).wrapping_add(delta);
                out.push(last);
            }
        }
    }
    Some((out, rest))
}

/// A page as it was before it was packed.
fn unpack(codec: i64, bytes: &[u8]) -> Option<Vec<u8>> {
    let whole = |reader: &mut dyn Read| {
        let mut out = Vec::new();
        reader.take(MAX_PAGE).read_to_end(&mut out).ok().map(|_| out)
    };
    match codec {
        0 => Some(bytes.to_vec()),
        1 => {
            let size = snap::raw::decompress_len(bytes).ok()?;
            // A byte unpacks to no more than some twenty.
            let is_sane = size <= bytes.len().saturating_mul(64).saturating_add(64);
            is_sane.then(|| snap::raw::Decoder::new().decompress_vec(bytes).ok()).flatten()
        }
        2 => whole(&mut flate2::read::MultiGzDecoder::new(bytes)),
        6 => whole(&mut ruzstd::decoding::StreamingDecoder::new(bytes).ok()?),
        _ => None,
    }
}
