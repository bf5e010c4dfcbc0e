//! Arrow IPC files: the footer, and single columns of record batches. Flat columns of numbers and texts, also those whose
//! values stand in dictionaries.
//!
//! ```text
//! ARROW1 | messages: metadata (`FlatBuffers`), body | footer (`FlatBuffers`) | length of the footer | ARROW1
//! ```

use super::columns::{As, Head, Heads, NONE, Scale, UNKNOWN, Values, What, day, half, signed};
use super::flat::{Table, int, number32, number64};
use super::pages::whole;
use super::parquet::{MAX_VALUES, Wrong};
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::input::{Entry, read_range};
use std::cell::RefCell;
use std::rc::Rc;

/// What files begin and end with.
pub(super) const MAGIC: &[u8] = b"ARROW1";
/// Bytes of a footer, and of the metadata of a batch or of a dictionary at most.
const MAX_FOOTER: u64 = 16 << 20;
const MAX_HEAD: u64 = 1 << 16;
/// Columns with their fields, how deep these stand in each other, and names and values that the writer added at most.
const MAX_FIELDS: usize = 1 << 16;
const DEPTH: usize = 32;
const MAX_WORDS: usize = 1 << 10;
/// Bytes of a name and of a value that the writer added at most: many may be the same ones of a file.
const MAX_NAME: usize = 1 << 8;
const MAX_WORD: usize = 1 << 16;
/// Parts of dictionaries at most: all are looked at for each column.
const MAX_PARTS: usize = 1 << 14;

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct ArrowFile {
    pub(super) heads: Heads,
    /// As many.
    columns: Vec<Column>,
    /// Names and values that the writer added.
    pub(super) words: Vec<(String, String)>,
    batches: Vec<(u64, u64)>,
    dictionaries: Vec<(u64, u64)>,
    /// Dictionaries that were read, by number and whether they are texts.
    read: RefCell<Map<(i64, bool), Rc<Values>>>,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Bits, and whether there is a sign.
    Int(i64, bool),
    Float(i64),
    /// Bytes.
    Decimal(usize),
    Bool,
    Text,
    LargeText,
    TextView,
    Nothing,
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: Kind,
    what: What,
    scale: Scale,
}

#[derive(Debug)]
struct Column {
    /// Of its values, wherever they stand.
    shape: Shape,
    /// The number of the dictionary that has them, and how places in it are written.
    dictionary: Option<(i64, Kind)>,
    /// How many buffers it has with its fields, not counting texts of views, and how many columns of views.
    buffers: usize,
    views: usize,
}

/// The columns that a schema in base64 says, as Parquet files have it; none where it cannot be read.
pub(super) fn said(base64: &str) -> Vec<(Head, Scale)> {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64).unwrap_or_default();
    let message = bytes.get(8..).and_then(Table::root).filter(|message| message.byte(1) == 1);
    let columns = message.and_then(|message| message.table(2)).and_then(columns);
    let (heads, columns) = columns.unwrap_or_default();
    heads.columns.into_iter().zip(columns).map(|(head, column)| (head, column.shape.scale)).collect()
}

/// The columns of a schema.
fn columns(schema: Table) -> Option<(Heads, Vec<Column>)> {
    let (mut heads, mut columns, mut left) = (Heads::default(), Vec::new(), MAX_FIELDS);
    for field in schema.tables(1) {
        let (shape, called) = shape(field);
        let places = |of: Table| (of.long(0), of.table(1).map_or(Kind::Int(32, true), int_kind));
        let dictionary = field.table(4).map(places);
        let mut column = Column { shape, dictionary, buffers: 0, views: 0 };
        column.count(field, (&mut heads, &mut left), 0)?;
        heads.columns.push(Head { name: field.text(0, MAX_NAME), what: shape.what, called });
        columns.push(column);
    }
    Some((heads, columns))
}

impl Column {
    /// Counts buffers of a field and those in it; `None` where they are too many.
    fn count(&mut self, field: Table, (heads, left): (&mut Heads, &mut usize), depth: usize) -> Option<()> {
        *left = left.checked_sub(1).filter(|_| depth < DEPTH)?;
        if field.table(4).is_some() {
            self.buffers += 2; // places in a dictionary
            return Some(());
        }
        let is_dense = field.table(3).is_some_and(|of| of.short(0) == 1);
        self.buffers += match field.byte(2) {
            1 | 22 => 0,                     // null, runs
            13 | 16 => 1,                    // struct, list of a fixed size
            14 => 1 + usize::from(is_dense), // union
            4 | 5 | 19 | 20 | 25 | 26 => 3,  // texts and bytes, views of lists
            _ => 2,
        };
        self.views += usize::from(matches!(field.byte(2), 23 | 24));
        for child in field.tables(5) {
            heads.fields.push((child.text(0, MAX_NAME), heads.columns.len()));
            self.count(child, (&mut *heads, &mut *left), depth + 1)?;
        }
        Some(())
    }
}

/// What Arrow calls types, by their numbers.
const TYPES: [&str; 27] = [
    UNKNOWN,
    "null",
    "int",
    "floating point",
    "binary",
    "utf8",
    "bool",
    "decimal",
    "date",
    "time",
    "timestamp",
    "interval",
    "list",
    "struct",
    "union",
    "fixed size binary",
    "fixed size list",
    "map",
    "duration",
    "large binary",
    "large utf8",
    "large list",
    "run end encoded",
    "binary view",
    "utf8 view",
    "list view",
    "large list view",
];

fn int_kind(of: Table) -> Kind {
    match of.whole(0) {
        bits @ (8 | 16 | 32 | 64) => Kind::Int(bits, of.byte(1) != 0),
        _ => Kind::Other,
    }
}

/// How the values of a field are written, and what they are called.
fn shape(field: Table) -> (Shape, &'static str) {
    let of = field.table(3).unwrap_or(Table(&[], 0));
    // Of units milliseconds are the default.
    let unit = of.field(0).map_or(1, |_| of.short(0));
    let mut scale = Some(Scale::ONE);
    let (kind, what) = match field.byte(2) {
        1 => (Kind::Nothing, What::Nothing),
        2 => (int_kind(of), What::Whole),
        3 => (Kind::Float(of.short(0)), What::Number),
        5 => (Kind::Text, What::Text),
        6 => (Kind::Bool, What::Number),
        7 => {
            scale = Scale::decimal(of.whole(1));
            match of.field(2).map_or(128, |_| of.whole(2)) {
                32 => (Kind::Decimal(4), What::Number),
                64 => (Kind::Decimal(8), What::Number),
                128 => (Kind::Decimal(16), What::Number),
                _ => (Kind::Other, What::Other),
            }
        }
        8 if unit == 0 => (Kind::Int(32, true), What::Day),
        18 => {
            scale = Scale::nanos(unit);
            (Kind::Int(64, true), What::Duration)
        }
        20 => (Kind::LargeText, What::Text),
        24 => (Kind::TextView, What::Text),
        _ => (Kind::Other, What::Other),
    };
    let what = if kind == Kind::Other || scale.is_none() { What::Other } else { what };
    let called = TYPES.get(usize::from(field.byte(2))).copied().unwrap_or(UNKNOWN);
    (Shape { kind, what, scale: scale.unwrap_or(Scale::ONE) }, called)
}

/// The metadata of a message of a kind, and where its body begins.
fn message(entry: &Entry, (start, size): (u64, u64), most: u64) -> Result<(Vec<u8>, u64), Wrong> {
    let end = start.saturating_add(size.min(most));
    let head = read_range(&*entry.source, start..end).map_err(|_| (start, phrase("valid metadata")))?;
    Ok((head, start.saturating_add(size)))
}

/// What a message is about, if it is of a kind.
fn content(head: &[u8], kind: u8) -> Option<Table<'_>> {
    head.get(8..).and_then(Table::root).filter(|message| message.byte(1) == kind)?.table(2)
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
        let schema = Table::root(&bytes).and_then(|footer| footer.table(1));
        if schema.is_some_and(|schema| schema.short(0) != 0) {
            return Err((start, phrase("little-endian values")));
        }
        Self::footer(&bytes).ok_or((start, phrase("a footer")))
    }

    fn footer(bytes: &[u8]) -> Option<Self> {
        let footer = Table::root(bytes)?;
        let schema = footer.table(1)?;
        let (heads, columns) = columns(schema)?;
        let words =
            schema.tables(2).take(MAX_WORDS).map(|word| (word.text(0, MAX_NAME), word.text(1, MAX_WORD)));
        let blocks = |field: usize| {
            let (first, n) = footer.vector(field);
            let block = move |at: usize| {
                let at = first.checked_add(24 * at)?;
                let (offset, size) = (number64(bytes, at)?, number32(bytes, at.checked_add(8)?)?);
                Some((u64::try_from(offset).ok()?, size as u64))
            };
            (0..n).map_while(block).collect()
        };
        let (dictionaries, batches) = (blocks(2), blocks(3));
        Some(Self { heads, columns, words: words.collect(), dictionaries, batches, ..Self::default() })
    }

    pub(super) fn n_groups(&self) -> usize {
        self.batches.len()
    }

    /// A column of a record batch by its number.
    pub(super) fn column(
        &self,
        entry: &Entry,
        batch: usize,
        wanted: usize,
        read_as: As,
    ) -> Result<Values, Wrong> {
        let block = self.batches.get(batch).copied().ok_or((0, phrase("a record batch")))?;
        let (head, body) = message(entry, block, MAX_FOOTER)?;
        let of = content(&head, 3).ok_or((block.0, phrase("a record batch")))?;
        let column = self.columns.get(wanted).ok_or((block.0, phrase("a record batch")))?;
        let before = self.columns.get(..wanted).unwrap_or_default();
        let views: usize = before.iter().map(|column| column.views).sum();
        let fixed: usize = before.iter().map(|column| column.buffers).sum();
        let first = (0..views).fold(fixed, |all, view| all.saturating_add(variadic(of, view)));
        let batch = Batch { entry, of, start: block.0, body, first, view: views };
        let Some((id, kind)) = column.dictionary else { return batch.values(column.shape, read_as) };
        let places = batch.values(Shape { kind, what: What::Whole, scale: Scale::ONE }, As::Number)?;
        if places.len() == 0 {
            return Ok(places);
        }
        let dictionary = self.dictionary(entry, id, column.shape, read_as)?;
        taken(&places, &dictionary).ok_or((block.0, phrase("places in the dictionary")))
    }

    /// A dictionary: the first part that has its number, and those that are added to it.
    fn dictionary(&self, entry: &Entry, id: i64, shape: Shape, read_as: As) -> Result<Rc<Values>, Wrong> {
        let key = (id, read_as == As::Text);
        if let Some(read) = self.read.borrow().get(&key) {
            return Ok(read.clone());
        }
        let first = self.dictionaries.first().map_or(0, |block| block.0);
        if MAX_PARTS < self.dictionaries.len() {
            return Err((first, phrase("fewer dictionaries")));
        }
        let mut all: Option<Values> = None;
        for block in &self.dictionaries {
            let (head, body) = message(entry, *block, MAX_HEAD)?;
            let wrong = (block.0, phrase("a dictionary"));
            let of = content(&head, 2).ok_or(wrong)?;
            if of.long(0) != id {
                continue;
            }
            let batch = of.table(1).ok_or(wrong)?;
            let batch = Batch { entry, of: batch, start: block.0, body, first: 0, view: 0 };
            let own = batch.values(shape, read_as)?;
            all = match all {
                None => Some(own),
                Some(before) if of.byte(2) != 0 => Some(before.and(own).ok_or(wrong)?),
                Some(_) => return Err(wrong),
            };
        }
        let all = Rc::new(all.ok_or((first, phrase("the dictionary of the column")))?);
        self.read.borrow_mut().insert(key, all.clone());
        Ok(all)
    }
}

/// A batch of rows, and where the buffers of a column begin.
struct Batch<'a> {
    entry: &'a Entry,
    of: Table<'a>,
    start: u64,
    body: u64,
    first: usize,
    /// How many columns of views stand before it.
    view: usize,
}

impl Batch<'_> {
    fn values(&self, shape: Shape, read_as: As) -> Result<Values, Wrong> {
        let (of, entry) = (self.of, self.entry);
        let wrong = |said| (self.start, said);
        let rows = usize::try_from(of.long(0)).ok().filter(|n| *n <= MAX_VALUES);
        let rows = rows.ok_or(wrong(phrase("fewer rows in a batch")))?;
        let n_buffers = match shape.kind {
            Kind::Text | Kind::LargeText => 3,
            Kind::TextView => variadic(of, self.view).saturating_add(2),
            Kind::Nothing => 0,
            _ => 2,
        };
        let (buffers, n) = of.vector(2);
        let codec = of.table(3).map(|compression| compression.byte(0));
        let mut parts = Vec::new();
        for at in self.first..self.first.saturating_add(n_buffers).min(n) {
            let at = buffers + 16 * at;
            let place = number64(of.0, at).zip(number64(of.0, at + 8));
            let (offset, len) = place.ok_or(wrong(phrase("buffer offsets")))?;
            let from = self.body.saturating_add(offset.try_into().unwrap_or(0));
            let to = from.saturating_add(u64::try_from(len).unwrap_or(0)).min(entry.source.len());
            let bytes =
                read_range(&*entry.source, from..to).map_err(|_| (from, phrase("a readable buffer")))?;
            parts.push(unpack(codec, bytes).ok_or((from, phrase("an intact buffer")))?);
        }
        values(shape, read_as, rows, &parts).ok_or(wrong(phrase("complete buffers")))
    }
}

/// How many buffers of texts a column of views has.
fn variadic(of: Table, at: usize) -> usize {
    let (first, n) = of.vector(4);
    let count = (at < n).then(|| number64(of.0, first + 8 * at)).flatten();
    count.and_then(|n| usize::try_from(n).ok()).unwrap_or(0).min(of.0.len())
}

/// Values by their places in a dictionary.
fn taken(places: &Values, dictionary: &Values) -> Option<Values> {
    let place = |row: usize| places.number(row).map(|at| usize::try_from(at as i64).unwrap_or(usize::MAX));
    let rows = 0..places.len();
    Some(match dictionary {
        Values::Texts(texts, pool) => {
            let text = |row| place(row).map_or(Some(NONE), |at| texts.get(at).copied());
            Values::Texts(rows.map(text).collect::<Option<_>>()?, pool.clone())
        }
        Values::Numbers(numbers) => {
            let number = |row| place(row).map_or(Some(None), |at| numbers.get(at).copied());
            Values::Numbers(rows.map(number).collect::<Option<_>>()?)
        }
    })
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
    match codec {
        0 => whole(&mut lz4_flex::frame::FrameDecoder::new(packed)),
        _ => whole(&mut ruzstd::decoding::StreamingDecoder::new(packed).ok()?),
    }
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
        Kind::Decimal(size) => signed(data.get(size * row..size * (row + 1))?.iter().rev()),
        Kind::Float(0) => half(u16::from_le_bytes(int(data, 2 * row)?)),
        Kind::Float(2) => f64::from_le_bytes(int(data, 8 * row)?),
        Kind::Float(1) => f64::from(f32::from_le_bytes(int(data, 4 * row)?)),
        Kind::Bool => f64::from(u8::from(bit(data, row))),
        _ => return None,
    })
}

/// The text of a row: what stands there, or a number or a day that is one.
fn text(shape: Shape, parts: &[Vec<u8>], row: usize) -> Option<String> {
    let data = parts.get(1)?;
    let bytes = match shape.kind {
        Kind::Text => parts.get(2)?.get(number32(data, 4 * row)?..number32(data, 4 * row + 4)?)?,
        Kind::LargeText => {
            let place = |at: usize| usize::try_from(number64(data, 8 * at)?).ok();
            parts.get(2)?.get(place(row)?..place(row + 1)?)?
        }
        Kind::TextView => {
            let at = 16 * row;
            let len = number32(data, at)?;
            if len <= 12 {
                data.get(at + 4..at + 4 + len)?
            } else {
                let (buffer, from) = (number32(data, at + 8)?, number32(data, at + 12)?);
                parts.get(buffer.checked_add(2)?)?.get(from..from.checked_add(len)?)?
            }
        }
        Kind::Int(64, true) => return Some(number64(data, 8 * row)?.to_string()),
        Kind::Int(64, false) => return Some(u64::from_le_bytes(int(data, 8 * row)?).to_string()),
        kind => {
            let number = number(kind, data, row)? as i64;
            return Some(if shape.what == What::Day { day(number) } else { number.to_string() });
        }
    };
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn values(shape: Shape, read_as: As, rows: usize, parts: &[Vec<u8>]) -> Option<Values> {
    if shape.kind == Kind::Nothing {
        return Some(Values::Numbers(vec![None; rows]));
    }
    let (valid, data) = (parts.first()?, parts.get(1)?);
    let is_there = |row: usize| valid.is_empty() || bit(valid, row);
    if read_as != As::Text {
        let number = |row| {
            if !is_there(row) {
                return Some(None);
            }
            let number = number(shape.kind, data, row)?;
            Some(Some(shape.scale.of(number)).filter(|n| !n.is_nan()))
        };
        return Some(Values::Numbers((0..rows).map(number).collect::<Option<_>>()?));
    }
    let (mut pool, mut texts) = (Vec::<String>::new(), Vec::new());
    for row in 0..rows {
        if is_there(row) {
            texts.push(pool.len() as u32);
            pool.push(text(shape, parts, row)?);
        } else {
            texts.push(NONE);
        }
    }
    Some(Values::Texts(texts, Rc::new(pool)))
}
