//! Files of columns: the footer, and single columns of row groups. Flat columns of numbers and texts, as data sets have
//! them; nested ones are passed over.
//!
//! ```text
//! PAR1 | pages of column chunks … | footer (Thrift, compact) | length of the footer | PAR1
//! ```

use super::arrow;
use super::columns::{As, Head, Heads, Scale, UNKNOWN, Values, What};
use super::pages::{BOOLEAN, BYTES, DOUBLE, FIXED, FLOAT, Form, INT32, INT64, MAX_CHUNK, pages};
use super::thrift::{Thrift, read};
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::input::{Entry, read_range};

/// What files begin and end with.
pub(super) const MAGIC: &[u8] = b"PAR1";
/// Bytes of a footer, and values of a page at most: runs say many in few bytes.
const MAX_FOOTER: u64 = 16 << 20;
pub(super) const MAX_VALUES: usize = 1 << 22;

/// Why something could not be read: what was expected there.
pub(super) type Wrong = (u64, &'static str);

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Footer {
    pub(super) heads: Heads,
    /// As many.
    columns: Vec<Flat>,
    /// Names and values that the writer added.
    pub(super) words: Vec<(String, String)>,
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Flat {
    /// Its number among the columns of a row group.
    at: usize,
    is_optional: bool,
    form: Form,
}

#[derive(Debug)]
struct Group {
    chunks: Vec<Chunk>,
    rows: u64,
}

/// Where the values of a column in a row group are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) kind: i64,
    pub(super) codec: i64,
    start: u64,
    len: u64,
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
        let (heads, columns) = schema(footer.list(2));
        let mut out = Self { heads, columns, ..Self::default() };
        for word in footer.list(5) {
            out.words.push((word.text(1), word.text(2)));
        }
        out.correct();
        for group in footer.list(4) {
            let chunks = group.list(1).iter().map(|chunk| {
                let of = chunk.get(3).unwrap_or(&Thrift::Nothing);
                let dictionary = of.int(11).filter(|at| 0 < *at);
                let start = dictionary.unwrap_or(i64::MAX).min(of.int(9).unwrap_or(0));
                Chunk {
                    kind: of.int(1).unwrap_or(-1),
                    codec: of.int(4).unwrap_or(-1),
                    start: start.try_into().unwrap_or(0),
                    len: of.int(7).unwrap_or(0).try_into().unwrap_or(0),
                }
            });
            let rows = group.int(3).unwrap_or(0).try_into().unwrap_or(0);
            out.groups.push(Group { chunks: chunks.collect(), rows });
        }
        Ok(out)
    }

    /// Corrects what plain whole numbers are by what Arrow and Spark say: they have types that the format has not.
    fn correct(&mut self) {
        let added = |name: &str| self.words.iter().find(|(word, _)| word == name).map(|(_, value)| value);
        let mut said: Map<String, (Head, Scale)> = Map::default();
        for (head, scale) in added("ARROW:schema").map(|schema| arrow::said(schema)).unwrap_or_default() {
            said.insert(head.name.clone(), (head, scale));
        }
        let spark = added("org.apache.spark.sql.parquet.row.metadata");
        let spark = spark.and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
        let fields = spark.as_ref().and_then(|of| of.get("fields")?.as_array());
        for field in fields.into_iter().flatten() {
            let text = |name: &str| field.get(name).and_then(|text| text.as_str()).unwrap_or_default();
            let kind = Some(text("type")).filter(|kind| kind.starts_with("interval"));
            let Some((kind, micros)) = kind.zip(Scale::nanos(2)) else { continue };
            let is_of_months = kind.contains("month") || kind.contains("year");
            let what = if is_of_months { What::Other } else { What::Duration };
            let head = Head { name: text("name").to_owned(), what, called: "interval" };
            said.insert(head.name.clone(), (head, micros));
        }
        for (head, column) in self.heads.columns.iter_mut().zip(&mut self.columns) {
            let Some((said, scale)) = said.get(&head.name).filter(|_| column.form.is_bare) else { continue };
            if matches!(said.what, What::Duration | What::Day | What::Other) {
                let is_read = said.what == What::Duration && column.form.kind == INT64;
                head.what = if is_read { What::Duration } else { What::Other };
                head.called = said.called;
                column.form.scale = *scale;
            }
        }
    }

    pub(super) fn n_groups(&self) -> usize {
        self.groups.len()
    }

    /// A column of a row group by its number.
    pub(super) fn column(
        &self,
        entry: &Entry,
        group: usize,
        wanted: usize,
        read_as: As,
    ) -> Result<Values, Wrong> {
        let column = self.columns.get(wanted);
        let group = self.groups.get(group);
        let chunk = column
            .zip(group)
            .and_then(|(column, group)| Some((column, group.chunks.get(column.at)?, group.rows)));
        let (column, chunk, rows) = chunk.ok_or((0, phrase("one chunk per column")))?;
        let what = self.heads.columns.get(wanted).map_or(What::Other, |head| head.what);
        if what == What::Nothing {
            let rows = usize::try_from(rows).ok().filter(|rows| *rows <= MAX_CHUNK);
            let rows = rows.ok_or((chunk.start, phrase("a smaller row group")))?;
            return Ok(Values::Numbers(vec![None; rows]));
        }
        let end = chunk.start.saturating_add(chunk.len).min(entry.source.len());
        let bytes = read_range(&*entry.source, chunk.start..end)
            .map_err(|_| (chunk.start, phrase("readable pages")))?;
        let form = Form { is_text: read_as == As::Text, is_day: what == What::Day, ..column.form };
        pages((*chunk, rows), column.is_optional, form, &bytes).map_err(|(at, said)| (chunk.start + at, said))
    }
}

/// The columns: those that are not nested, and the names of fields of the others.
fn schema(elements: &[Thrift]) -> (Heads, Vec<Flat>) {
    let (mut heads, mut columns, mut leaf) = (Heads::default(), Vec::new(), 0);
    // How many elements of nested columns are still to come.
    let mut nested = 0_i64;
    for element in elements.iter().skip(1) {
        let children = element.int(5).unwrap_or(0).max(0);
        let is_field = 0 < nested;
        nested = (nested - 1).max(0).saturating_add(children);
        if is_field {
            heads.fields.push((element.text(4), heads.columns.len().saturating_sub(1)));
        } else {
            let (form, what, called) = form(element);
            let repetition = element.int(3).unwrap_or(0);
            let (what, called) = match (children, repetition) {
                (1.., _) => (What::Other, if called == UNKNOWN { "struct" } else { called }),
                (_, 2) => (What::Other, phrase("repeated values")),
                _ => (what, called),
            };
            heads.columns.push(Head { name: element.text(4), what, called });
            columns.push(Flat { at: leaf, is_optional: repetition == 1, form });
        }
        leaf += usize::from(children == 0);
    }
    (heads, columns)
}

/// What the format calls types, by their numbers.
const KINDS: [&str; 8] =
    ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];
/// What it calls what these stand for.
const MEANINGS: [&str; 19] = [
    UNKNOWN,
    "STRING",
    "MAP",
    "LIST",
    "ENUM",
    "DECIMAL",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "INTERVAL",
    "INTEGER",
    "UNKNOWN",
    "JSON",
    "BSON",
    "UUID",
    "FLOAT16",
    "VARIANT",
    "GEOMETRY",
    "GEOGRAPHY",
];
/// The same for each of the older numbers.
const OLDER: [i64; 22] = [1, 2, 2, 3, 4, 5, 6, 7, 7, 8, 8, 10, 10, 10, 10, 10, 10, 10, 10, 12, 13, 9];

/// How the values of a column are written, and what they are.
fn form(element: &Thrift) -> (Form, What, &'static str) {
    let kind = element.int(1).unwrap_or(-1);
    let older = element.int(6);
    let by_older = |older: i64| OLDER.get(usize::try_from(older).ok()?).copied();
    let newer = element.get(10).and_then(Thrift::first);
    let meaning = newer.map(|(id, _)| id).or(older.map(|older| by_older(older).unwrap_or(-1)));
    let is_unsigned = match newer {
        Some((10, of)) => of.int(2) == Some(0),
        _ => older.is_some_and(|older| (11..=14).contains(&older)),
    };
    let digits = match newer {
        Some((5, of)) => of.int(1),
        _ => element.int(7),
    };
    let scale = if meaning == Some(5) { Scale::decimal(digits.unwrap_or(0)) } else { Some(Scale::ONE) };
    let len = element.int(2).and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
    let what = match (meaning.unwrap_or(0), kind) {
        (0 | 10, INT32 | INT64) => What::Whole,
        (0, BOOLEAN | FLOAT | DOUBLE) | (5, INT32 | INT64 | BYTES) => What::Number,
        (5, FIXED) if (1..=16).contains(&len) => What::Number,
        (15, FIXED) if len == 2 => What::Number,
        (0 | 1 | 4 | 12, BYTES) => What::Text,
        (6, INT32) => What::Day,
        (11, _) => What::Nothing,
        _ => What::Other,
    };
    let what = if scale.is_none() { What::Other } else { what };
    let name = |names: &[&'static str], at: i64| names.get(usize::try_from(at).ok()?).copied();
    let called = match meaning {
        Some(meaning) => name(&MEANINGS, meaning),
        None => name(&KINDS, kind),
    };
    let is_bare = meaning.is_none() && matches!(kind, INT32 | INT64);
    let is_half = meaning == Some(15);
    let scale = scale.unwrap_or(Scale::ONE);
    let form = Form { kind, len, is_bare, is_unsigned, is_half, scale, is_text: false, is_day: false };
    (form, what, called.unwrap_or(UNKNOWN))
}
