//! Rows of many numbers for other programs, as CSV, Arrow or Parquet: columns are filled a batch at a time and written at
//! once, so that a file may be larger than memory.

#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
mod encode;

use super::Parts;
use crate::base::job::{Job, Turn};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{Result, Write};
use std::rc::Rc;

/// Rows of a batch.
pub const BATCH: usize = 1 << 16;

/// How columns are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnFormat {
    /// Text with a head.
    Csv,
    /// An Arrow IPC file.
    #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
    Arrow,
    #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
    Parquet,
}

/// One column: its name, and the values of rows that are not written yet.
pub struct DataColumn {
    pub name: String,
    pub data: ColumnData,
}

/// Values of a column, none missing.
pub enum ColumnData {
    /// Whole numbers of 4 bytes.
    U32(Vec<u32>),
    /// Whole numbers of 8 bytes.
    U64(Vec<u64>),
    /// Whole numbers of 8 bytes with a sign.
    I64(Vec<i64>),
}

impl ColumnData {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::I64(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a value by its bits; what does not fit is cut.
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // it says so
    pub fn push(&mut self, bits: u64) {
        match self {
            Self::U32(values) => values.push(bits as u32),
            Self::U64(values) => values.push(bits),
            Self::I64(values) => values.push(bits as i64),
        }
    }

    /// Takes the first `n` values out.
    fn take(&mut self, n: usize) -> Self {
        fn cut<T>(values: &mut Vec<T>, n: usize) -> Vec<T> {
            let rest = values.split_off(n.min(values.len()));
            std::mem::replace(values, rest)
        }
        match self {
            Self::U32(values) => Self::U32(cut(values, n)),
            Self::U64(values) => Self::U64(cut(values, n)),
            Self::I64(values) => Self::I64(cut(values, n)),
        }
    }

    fn write_cell(&self, row: usize, text: &mut String) {
        let _ = match self {
            Self::U32(values) => values.get(row).map(|value| write!(text, "{value}")),
            Self::U64(values) => values.get(row).map(|value| write!(text, "{value}")),
            Self::I64(values) => values.get(row).map(|value| write!(text, "{value}")),
        }; // writing to a text cannot fail
    }
}

/// Columns that a job fills: at each pause full batches of them are written.
#[derive(Clone)]
pub struct Columns(Rc<RefCell<Vec<DataColumn>>>);

impl Columns {
    /// Adds a row: the bits of its values.
    #[inline]
    pub fn push(&self, row: impl IntoIterator<Item = u64>) {
        for (column, value) in self.0.borrow_mut().iter_mut().zip(row) {
            column.data.push(value);
        }
    }
}

/// Writes columns that a job fills, about as many rows between two pauses as are ready in 10 ms.
pub fn columns_in_parts<F: Future<Output = Result<()>> + 'static>(
    format: ColumnFormat,
    columns: Vec<DataColumn>,
    fill: impl FnOnce(Columns, Turn) -> F,
) -> Parts {
    let columns = Columns(Rc::new(RefCell::new(columns)));
    let mut job = Job::new(|turn| fill(columns.clone(), turn));
    let mut encoder = None;
    Box::new(move |_, out| {
        let mut encode = match encoder.take() {
            Some(encoder) => encoder,
            None => Encoder::new(format, &columns.0.borrow(), out)?,
        };
        let more = job.poll().transpose()?.is_none();
        let columns = &mut *columns.0.borrow_mut();
        let rows = |columns: &[DataColumn]| columns.first().map_or(0, |column| column.data.len());
        while BATCH <= rows(columns) || (!more && 0 < rows(columns)) {
            let batch: Vec<ColumnData> = columns.iter_mut().map(|column| column.data.take(BATCH)).collect();
            encode.write(batch, out)?;
        }
        if more {
            encoder = Some(encode);
        } else {
            encode.finish(out)?;
        }
        Ok(more)
    })
}

enum Encoder {
    Csv,
    #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
    Columns(encode::ColumnEncoder),
}

impl Encoder {
    fn new(format: ColumnFormat, columns: &[DataColumn], out: &mut dyn Write) -> Result<Self> {
        match format {
            ColumnFormat::Csv => {
                let head = columns.iter().map(|column| column.name.clone()).collect();
                super::rows::write_rows(out, &mut std::iter::once(head)).map(|()| Self::Csv)
            }
            #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
            _ => Ok(Self::Columns(encode::ColumnEncoder::new(format, columns)?)),
        }
    }

    fn write(&mut self, batch: Vec<ColumnData>, out: &mut dyn Write) -> Result<()> {
        match self {
            Self::Csv => csv(&batch, out),
            #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
            Self::Columns(encoder) => encoder.write(batch, out),
        }
    }

    fn finish(self, out: &mut dyn Write) -> Result<()> {
        match self {
            Self::Csv => out.flush(),
            #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
            Self::Columns(encoder) => encoder.finish(out),
        }
    }
}

/// Numbers need no quotes: lines are put together at once.
fn csv(batch: &[ColumnData], out: &mut dyn Write) -> Result<()> {
    let mut text = String::new();
    for row in 0..batch.first().map_or(0, ColumnData::len) {
        for (at, column) in batch.iter().enumerate() {
            if 0 < at {
                text.push(',');
            }
            column.write_cell(row, &mut text);
        }
        text.push('\n');
    }
    out.write_all(text.as_bytes())
}
