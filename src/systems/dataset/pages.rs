//! Pages of a column: values in the encodings and packings that writers of tables choose.

use super::columns::{NONE, Scale, Values, day, half, signed};
use super::parquet::{Chunk, MAX_VALUES, Wrong};
use super::thrift::{Thrift, read_some, varint, zigzag};
use crate::base::words::phrase;
use std::io::Read;
use std::rc::Rc;

/// Bytes of an unpacked page, or of a buffer of the other format, at most.
const MAX_PAGE: u64 = 256 << 20;
/// Most values of a column in one row group: a column is held whole.
pub(super) const MAX_CHUNK: usize = 1 << 23;

pub(super) const BOOLEAN: i64 = 0;
pub(super) const INT32: i64 = 1;
pub(super) const INT64: i64 = 2;
pub(super) const FLOAT: i64 = 4;
pub(super) const DOUBLE: i64 = 5;
pub(super) const BYTES: i64 = 6;
pub(super) const FIXED: i64 = 7;

/// How the values of a column are written, and as what they are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) kind: i64,
    /// Bytes of a value of [`FIXED`].
    pub(super) len: usize,
    /// Whether these are whole numbers of which nothing more is said.
    pub(super) is_bare: bool,
    pub(super) is_unsigned: bool,
    pub(super) is_half: bool,
    pub(super) scale: Scale,
    /// Whether texts are wanted, also of whole numbers.
    pub(super) is_text: bool,
    /// Whether numbers are days.
    pub(super) is_day: bool,
}

impl Form {
    /// Whether texts are written.
    fn has_texts(self) -> bool {
        self.is_text && self.kind == BYTES
    }

    /// A whole number as it is kept: those of 32 bits have no more.
    fn whole(self, number: i64) -> u64 {
        match self.kind {
            INT32 if self.is_unsigned => u64::from(number as u32),
            INT32 => i64::from(number as i32).cast_unsigned(),
            _ => number.cast_unsigned(),
        }
    }

    /// The number that is kept so.
    fn number(self, kept: u64) -> f64 {
        match self.kind {
            INT32 | INT64 if self.is_unsigned => self.scale.of(kept as f64),
            INT32 | INT64 => self.scale.of(kept.cast_signed() as f64),
            _ => f64::from_bits(kept),
        }
    }

    /// The text of a whole number that is kept so.
    fn text(self, kept: u64) -> String {
        if self.is_day {
            day(kept.cast_signed())
        } else if self.is_unsigned {
            kept.to_string()
        } else {
            kept.cast_signed().to_string()
        }
    }

    /// A decimal or a short number with a point as it is kept; `None` for bytes that are none.
    fn one(self, bytes: &[u8]) -> Option<u64> {
        let number = match bytes {
            [low, high] if self.is_half => half(u16::from_le_bytes([*low, *high])),
            _ if !self.is_half && bytes.len() <= 16 => self.scale.of(signed(bytes.iter())),
            _ => return None,
        };
        Some(number.to_bits())
    }

    /// Up to so many numbers one behind the other, as they are kept.
    fn plain(self, bytes: &[u8], n: usize) -> Vec<u64> {
        match self.kind {
            INT32 => {
                let own = bytes.as_chunks::<4>().0.iter().take(n);
                own.map(|b| self.whole(i64::from(i32::from_le_bytes(*b)))).collect()
            }
            INT64 | DOUBLE => bytes.as_chunks().0.iter().take(n).map(|b| u64::from_le_bytes(*b)).collect(),
            FLOAT => {
                let own = bytes.as_chunks().0.iter().take(n);
                own.map(|b| f64::from(f32::from_le_bytes(*b)).to_bits()).collect()
            }
            FIXED => bytes.chunks_exact(self.len.max(1)).take(n).map_while(|own| self.one(own)).collect(),
            BYTES => {
                let mut rest = bytes;
                let next = |_| {
                    let (own, after) = counted(rest)?;
                    rest = after;
                    self.one(own)
                };
                (0..n).map_while(next).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Numbers of which first all lowest bytes stand, then all next ones, as one behind the other.
    fn joined(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let width = match self.kind {
            INT32 | FLOAT => 4,
            INT64 | DOUBLE => 8,
            FIXED => self.len.max(1),
            _ => return None,
        };
        let n = bytes.len() / width;
        let byte = |at: usize| bytes.get(at % width * n + at / width).copied();
        (0..n * width).map(byte).collect()
    }
}

/// Values that are being collected.
struct Out {
    form: Form,
    /// As [`Form`] keeps them.
    numbers: Vec<Option<u64>>,
    texts: Vec<u32>,
    pool: Vec<String>,
    /// Values of the dictionary.
    words: Vec<u64>,
    n_words: usize,
}

/// All pages of a chunk that has so many rows.
pub(super) fn pages(
    (chunk, rows): (Chunk, u64),
    is_optional: bool,
    form: Form,
    bytes: &[u8],
) -> Result<Values, Wrong> {
    let mut out =
        Out { form, numbers: Vec::new(), texts: Vec::new(), pool: Vec::new(), words: Vec::new(), n_words: 0 };
    if chunk.kind != form.kind {
        return Err((0, phrase("values of the type of the column")));
    }
    if !matches!(chunk.codec, 0..=2 | 6 | 7) {
        return Err((0, phrase("pages without compression, or with Snappy, gzip, LZ4 or Zstandard")));
    }
    let mut at = 0;
    while at < bytes.len() && (out.len() as u64) < rows {
        let wrong = |said| (at as u64, said);
        let rest = bytes.get(at..).unwrap_or_default();
        let (header, n) = read_some(rest).ok_or(wrong(phrase("a page header")))?;
        let packed: usize =
            header.int(3).and_then(|n| n.try_into().ok()).ok_or(wrong(phrase("the page size")))?;
        let body = rest.get(n..n.saturating_add(packed)).ok_or(wrong(phrase("a complete page")))?;
        out.add(chunk.codec, &header, body, is_optional).map_err(wrong)?;
        at += n + packed;
        if MAX_CHUNK < out.len() {
            return Err((at as u64, phrase("a smaller row group")));
        }
    }
    if out.len() as u64 != rows {
        return Err((at as u64, phrase("as many values as rows")));
    }
    Ok(out.finish())
}

fn natural(number: Option<i64>) -> usize {
    number.and_then(|number| number.try_into().ok()).unwrap_or(0)
}

impl Out {
    fn len(&self) -> usize {
        if self.form.has_texts() { self.texts.len() } else { self.numbers.len() }
    }

    /// Adds a page; else what was expected of it.
    fn add(
        &mut self,
        codec: i64,
        header: &Thrift,
        body: &[u8],
        is_optional: bool,
    ) -> Result<(), &'static str> {
        const DECOMPRESSIBLE: &str = phrase("a decompressible page");
        const LEVELS: &str = phrase("levels");
        let nothing = Thrift::Nothing;
        let of = |field: i64| header.get(field).unwrap_or(&nothing);
        let whole = natural(header.int(2));
        let (encoding, page, n, present) = match header.int(1) {
            Some(2) => {
                let size = natural(of(7).int(1));
                let page = unpack(codec, body, whole).ok_or(DECOMPRESSIBLE)?;
                return self.dictionary(&page, size).ok_or(phrase("a dictionary"));
            }
            Some(0) => {
                let mut page = unpack(codec, body, whole).ok_or(DECOMPRESSIBLE)?;
                let n = natural(of(5).int(1));
                let mut present = Vec::new();
                if is_optional {
                    let (size, rest) = page.split_at_checked(4).ok_or(LEVELS)?;
                    let size = u32::from_le_bytes(size.try_into().unwrap_or_default()) as usize;
                    let (levels, _) = rest.split_at_checked(size).ok_or(LEVELS)?;
                    present = bits(levels, 1, n).ok_or(LEVELS)?;
                    page.drain(..4 + size);
                }
                (of(5).int(2), page, n, present)
            }
            Some(3) => {
                let of = of(8);
                let (n, levels, repeated) = (natural(of.int(1)), natural(of.int(5)), natural(of.int(6)));
                let (_, body) = body.split_at_checked(repeated).ok_or(LEVELS)?;
                let (levels, body) = body.split_at_checked(levels).ok_or(LEVELS)?;
                let present = if is_optional { bits(levels, 1, n).ok_or(LEVELS)? } else { Vec::new() };
                let is_packed = of.int(7) != Some(0);
                let whole = whole.saturating_sub(levels.len() + repeated);
                let page = if is_packed { unpack(codec, body, whole) } else { Some(body.to_vec()) };
                (of.int(4), page.ok_or(DECOMPRESSIBLE)?, n, present)
            }
            _ => return Ok(()), // an index
        };
        self.page(encoding, &page, n, &present).ok_or(phrase("values in a supported encoding"))
    }

    fn dictionary(&mut self, page: &[u8], n: usize) -> Option<()> {
        // There is one in a chunk.
        if 0 < self.n_words || MAX_VALUES < n {
            return None;
        }
        if self.form.has_texts() {
            let mut rest = page;
            while !rest.is_empty() && self.pool.len() < n {
                let text;
                (text, rest) = counted(rest)?;
                self.pool.push(String::from_utf8_lossy(text).into_owned());
            }
            self.n_words = self.pool.len();
        } else {
            self.words = self.form.plain(page, n);
            self.n_words = self.words.len();
        }
        Some(())
    }

    /// The values of a page: `present` says which rows have one; all when it is empty.
    fn page(&mut self, encoding: Option<i64>, bytes: &[u8], n: usize, present: &[u32]) -> Option<()> {
        if MAX_VALUES < n {
            return None;
        }
        let n_there = if present.is_empty() { n } else { present.iter().filter(|one| **one != 0).count() };
        let is_there = |row: usize| present.is_empty() || present.get(row).is_some_and(|one| *one != 0);
        if self.form.has_texts() {
            let mut texts = self.texts(encoding?, bytes, n_there)?.into_iter();
            for row in 0..n {
                self.texts.push(if is_there(row) { texts.next()? } else { NONE });
            }
        } else {
            let mut numbers = self.numbers(encoding?, bytes, n_there)?.into_iter();
            for row in 0..n {
                self.numbers.push(if is_there(row) { Some(numbers.next()?) } else { None });
            }
        }
        Some(())
    }

    /// So many numbers in an encoding; `None` where it is not known.
    fn numbers(&self, encoding: i64, bytes: &[u8], n: usize) -> Option<Vec<u64>> {
        let one = |bit: u32| f64::from(bit).to_bits();
        Some(match encoding {
            0 if self.form.kind == BOOLEAN => {
                let bit = |at: usize| bytes.get(at / 8).map(|byte| one(u32::from(byte >> (at % 8) & 1)));
                (0..n).map_while(bit).collect()
            }
            3 if self.form.kind == BOOLEAN => bits(bytes.get(4..)?, 1, n)?.into_iter().map(one).collect(),
            0 => self.form.plain(bytes, n),
            2 | 8 => {
                let (width, rest) = bytes.split_first().unwrap_or((&0, &[]));
                let word = |row: u32| self.words.get(row as usize).copied();
                bits(rest, u32::from(*width), n)?.into_iter().map(word).collect::<Option<_>>()?
            }
            5 => deltas(bytes, n)?.0.into_iter().map(|number| self.form.whole(number)).collect(),
            6 | 7 => {
                let mut all = Vec::new();
                prefixed(encoding == 7, bytes, n, &mut |own| all.push(self.form.one(own)))?;
                all.into_iter().collect::<Option<_>>()?
            }
            9 => self.form.plain(&self.form.joined(bytes)?, n),
            _ => return None,
        })
    }

    /// So many texts in an encoding, as places in the pool; `None` where it is not known or the bytes end before.
    fn texts(&mut self, encoding: i64, bytes: &[u8], n: usize) -> Option<Vec<u32>> {
        let (mut rest, before) = (bytes, self.pool.len());
        match encoding {
            2 | 8 => {
                let (width, rest) = bytes.split_first().unwrap_or((&0, &[]));
                let word = |row: u32| Some(row).filter(|row| (*row as usize) < self.n_words);
                return bits(rest, u32::from(*width), n)?.into_iter().map(word).collect();
            }
            0 => {
                for _ in 0..n {
                    let text;
                    (text, rest) = counted(rest)?;
                    self.pool.push(String::from_utf8_lossy(text).into_owned());
                }
            }
            6 | 7 => prefixed(encoding == 7, bytes, n, &mut |text| {
                self.pool.push(String::from_utf8_lossy(text).into_owned());
            })?,
            _ => return None,
        }
        (before + n == self.pool.len()).then(|| (before as u32..self.pool.len() as u32).collect())
    }

    /// The values as they are read.
    fn finish(mut self) -> Values {
        let form = self.form;
        if form.is_text && !form.has_texts() {
            let mut last = None;
            for number in self.numbers.drain(..) {
                if let Some(own) = number.filter(|_| number != last) {
                    self.pool.push(form.text(own));
                    last = number;
                }
                self.texts.push(number.map_or(NONE, |_| self.pool.len() as u32 - 1));
            }
        }
        if form.is_text {
            return Values::Texts(self.texts, Rc::new(self.pool));
        }
        let number = |kept: Option<u64>| kept.map(|kept| form.number(kept)).filter(|n| !n.is_nan());
        Values::Numbers(self.numbers.into_iter().map(number).collect())
    }
}

/// Values of so many bytes each, of which some may be those that the one before begins with.
fn prefixed(has_prefixes: bool, bytes: &[u8], n: usize, add: &mut dyn FnMut(&[u8])) -> Option<()> {
    let (same, rest) = if has_prefixes { deltas(bytes, n)? } else { (vec![0; n], bytes) };
    let (lengths, mut rest) = deltas(rest, n)?;
    let (mut value, mut whole) = (Vec::new(), 0_u64);
    for (same, length) in same.into_iter().zip(lengths) {
        let (own, after) = rest.split_at_checked(length.try_into().ok()?)?;
        rest = after;
        value.truncate(usize::try_from(same).ok().filter(|same| *same <= value.len())?);
        value.extend_from_slice(own);
        whole += value.len() as u64;
        if MAX_PAGE < whole {
            return None;
        }
        add(&value);
    }
    Some(())
}

/// Bytes behind their length.
fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, rest) = bytes.split_at_checked(4)?;
    rest.split_at_checked(u32::from_le_bytes(size.try_into().ok()?) as usize)
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

/// All that a reader unpacks; `None` where it cannot be unpacked.
pub(super) fn whole(reader: &mut dyn Read) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    reader.take(MAX_PAGE).read_to_end(&mut out).ok().map(|_| out)
}

/// A page as it was before it was packed, of so many bytes.
fn unpack(codec: i64, bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    match codec {
        _ if bytes.is_empty() => Some(Vec::new()),
        0 => Some(bytes.to_vec()),
        1 => {
            let size = snap::raw::decompress_len(bytes).ok()?;
            // A byte unpacks to no more than some twenty.
            let is_sane = size <= bytes.len().saturating_mul(64).saturating_add(64);
            is_sane.then(|| snap::raw::Decoder::new().decompress_vec(bytes).ok()).flatten()
        }
        2 => whole(&mut flate2::read::MultiGzDecoder::new(bytes)),
        7 => {
            // A byte unpacks to no more than 255.
            let is_sane = size <= bytes.len().saturating_mul(255) && size as u64 <= MAX_PAGE;
            is_sane.then(|| lz4_flex::block::decompress(bytes, size).ok()).flatten()
        }
        6 => whole(&mut ruzstd::decoding::StreamingDecoder::new(bytes).ok()?),
        _ => None,
    }
}
