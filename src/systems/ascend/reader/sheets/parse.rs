//! A CSV file as heads and rows of text, with the place of every cell.
//!
//! The writer ends every line with a comma, so the last head and the last cell of every row are empty; it writes units into
//! the heads (`aiv_time(us)`, `L1_to_GM_datas(KB)(estimate)`) and `NA` or `N/A` for what was not measured. Files that went
//! through other programs may have a byte order mark, `\r\n`, other separators or another encoding.

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::unit::Unit;
use crate::base::words::message;
use crate::systems::ascend::reader::field;
use std::borrow::Cow;

/// Most rows of one file that are read.
const ROWS: usize = 1_000_000;
/// Most columns of one file that are read.
const COLUMNS: usize = 4_096;

/// Most cells that rows may have too few, all together: a table has room for them all.
const BLANKS: usize = 1_000_000;

/// What marks UTF-8 at the beginning of a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// One CSV file.
#[derive(Default)]
pub struct Sheet {
    pub(super) path: String,
    /// File name without its ending.
    pub name: String,
    /// Heads, in order.
    pub heads: Vec<Head>,
    /// Rows of as many cells as there are heads.
    pub rows: Vec<SheetRow>,
}

/// Head of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// The head as the file has it.
    pub(super) whole: String,
    /// Without the unit.
    pub name: String,
    /// The unit in parentheses.
    pub unit: Unit,
}

/// One row.
#[derive(Default)]
pub struct SheetRow {
    /// Line from 1.
    pub line: u32,
    /// Byte where the row begins.
    pub byte: u64,
    /// Cells, without the space around them; missing at the end of a short row.
    pub cells: Vec<String>,
    /// Bytes from the beginning of the row to each cell.
    offsets: Vec<u32>,
}

impl Sheet {
    /// The file name of a path without its ending.
    pub(super) fn name_of(path: &str) -> &str {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.get(..name.len().saturating_sub(4)).unwrap_or(name)
    }

    /// Number of the column whose head without unit is `name`, whatever its case.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.heads.iter().position(|head| head.name.eq_ignore_ascii_case(name))
    }

    /// Where a cell stands in the file.
    pub fn place(&self, row: &SheetRow, column: usize) -> Place {
        let offset = row.offsets.get(column).copied().unwrap_or(0);
        let mut place = Place::byte(&*self.path, row.byte + u64::from(offset));
        place.line = Some((row.line, offset.saturating_add(1)));
        let head = self.heads.get(column).map_or("", |head| head.whole.as_str());
        place.block(message("column {name}").with("name", head))
    }
}

impl SheetRow {
    /// The text of a cell; `None` when it stands for nothing.
    pub fn text(&self, column: usize) -> Option<&str> {
        self.cells.get(column).map(String::as_str).filter(|text| !field::is_missing(text))
    }
}

/// Reads a whole file. What is odd in it is said, and read as far as it goes.
pub fn parse(path: &str, bytes: &[u8]) -> (Sheet, Vec<Fault>) {
    let mut faults = Vec::new();
    let skipped = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
    let bytes = bytes.get(skipped..).unwrap_or(bytes);
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = skipped.saturating_add(error.valid_up_to());
        let place = Place::byte(path, at as u64);
        let fault = Fault::new("ASC-CSV", Severity::Warning, place, Kind::NotText);
        faults.push(fault.note("Invalid bytes are shown as �."));
    }
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(separator(bytes));
    let mut reader = reader.from_reader(bytes);
    let mut sheet =
        Sheet { path: path.to_owned(), name: Sheet::name_of(path).to_owned(), ..Sheet::default() };
    let mut record = csv::ByteRecord::new();
    let mut uneven = UnevenRows::default();
    // Bytes in memory: no read fails, and rows may differ in length.
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let position = record.position();
        let (line, start) = position.map_or((0, 0), |p| (p.line(), p.byte()));
        let raw = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or(&[]);
        // The position of a row is where the one before ended: empty lines lie between.
        let gap = raw.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let lines = memchr::memchr_iter(b'\n', raw.get(..gap).unwrap_or(&[])).count();
        let raw = raw.get(gap..).unwrap_or(&[]);
        let line = u32::try_from(line.saturating_add(lines as u64)).unwrap_or(u32::MAX);
        let byte = start.saturating_add((skipped + gap) as u64);
        let mut cells: Vec<String> = record.iter().map(text).collect();
        if sheet.heads.is_empty() {
            if cells.iter().all(String::is_empty) {
                continue;
            }
            sheet.heads = heads(cells);
            continue;
        }
        if cells.len() == sheet.heads.len() + 1 && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        uneven.look(&cells, sheet.heads.len(), line, byte);
        cells.truncate(sheet.heads.len());
        if ROWS <= sheet.rows.len() || BLANKS < uneven.blanks {
            faults.push(too_many(path, byte));
            break;
        }
        let offsets = offsets(raw, separator(bytes), cells.len());
        sheet.rows.push(SheetRow { line, byte, cells, offsets });
    }
    faults.extend(uneven.fault(path, sheet.heads.len()));
    (sheet, faults)
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).trim().to_owned()
}

/// What stands between cells: a comma, unless the first line has none and something else that is usual.
pub(super) fn separator(bytes: &[u8]) -> u8 {
    let line = bytes.split(|b| *b == b'\n').next().unwrap_or(bytes);
    let has = |sign: u8| memchr::memchr(sign, line).is_some();
    [b',', b'\t', b';'].into_iter().find(|sign| has(*sign)).unwrap_or(b',')
}

/// The heads of the first row. The empty one behind the last comma is none.
fn heads(mut cells: Vec<String>) -> Vec<Head> {
    while cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    let head = |(n, whole): (usize, String)| {
        let whole = if whole.is_empty() { format!("Column {n}") } else { whole };
        let (name, unit) = unit_of(&whole);
        Head { whole, name, unit }
    };
    (1..=COLUMNS).zip(cells).map(head).collect()
}

/// The name of a head without its first unit, and the unit: `L1_to_GM_datas(KB)(estimate)`.
pub fn unit_of(head: &str) -> (String, Unit) {
    let known = |text: &str| {
        Some(match text {
            "us" | "μs" | "µs" => Unit::Micros,
            "%" => Unit::Percent,
            "GB/s" => Unit::GigabytesPerSec,
            "MB/s" => Unit::MegabytesPerSec,
            "MHz" => Unit::Megahertz,
            "KB" | "MB" | "GB" | "ns" | "ms" => Unit::Other(text.to_owned()),
            _ => return None,
        })
    };
    let parts = head.match_indices('(').filter_map(|(at, _)| {
        let (name, rest) = head.split_at_checked(at)?;
        let (unit, tail) = rest.get(1..)?.split_once(')')?;
        known(unit.trim()).map(|unit| (format!("{}{tail}", name.trim_end()), unit))
    });
    parts.into_iter().next().unwrap_or_else(|| (head.to_owned(), Unit::None))
}

/// Where the first `n` cells of a row begin.
fn offsets(raw: &[u8], separator: u8, n: usize) -> Vec<u32> {
    let mut offsets = vec![0_u32];
    let mut is_quoted = false;
    for (at, byte) in (1_u32..).zip(raw) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => break,
            byte if *byte == separator && !is_quoted => {
                if n <= offsets.len() {
                    break;
                }
                offsets.push(at);
            }
            _ => {}
        }
    }
    offsets
}

fn too_many(path: &str, byte: u64) -> Fault {
    let what = Cow::Borrowed("rows in one file");
    let kind = Kind::Limit { what, asked: ROWS as u64 + 1, allowed: ROWS as u64 };
    let fault = Fault::new("ASC-LIMIT", Severity::Loss, Place::byte(path, byte), kind);
    fault.note("Later rows are not read.")
}

/// Rows that have more or fewer cells than there are heads.
#[derive(Default)]
struct UnevenRows {
    first: Option<(u32, u64, usize)>,
    n: u64,
    is_lossy: bool,
    /// Cells that rows have too few.
    blanks: usize,
}

impl UnevenRows {
    fn look(&mut self, cells: &[String], n_heads: usize, line: u32, byte: u64) {
        if cells.len() != n_heads {
            self.first = self.first.or(Some((line, byte, cells.len())));
            self.n += 1;
            self.blanks = self.blanks.saturating_add(n_heads.saturating_sub(cells.len()));
            self.is_lossy |= cells.iter().skip(n_heads).any(|cell| !cell.is_empty());
        }
    }

    fn fault(&self, path: &str, n_heads: usize) -> Option<Fault> {
        let (line, byte, n) = self.first?;
        let mut place = Place::byte(path, byte);
        place.line = Some((line, 1));
        let found = if self.n == 1 {
            message("{n} cells under {m} headers")
        } else {
            message("{n} cells under {m} headers, {rows} such rows")
        };
        let found = found.with("n", n).with("m", n_heads).with("rows", self.n);
        let kind = Kind::Unexpected { expected: Cow::Borrowed("one cell per column"), found };
        let severity = if self.is_lossy { Severity::Loss } else { Severity::Warning };
        let fault = Fault::new("ASC-CSV", severity, place, kind);
        let note = "Missing cells are shown as missing; extra cells are skipped.";
        Some(fault.note(note))
    }
}
