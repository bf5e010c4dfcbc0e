//! One file of a table: rows are collected by column and written a batch at a time.

use super::Keys;
use super::schema::{Field, How, KEYS, Kind, TableSchema, VERSION};
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field as Column, Metadata, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufWriter, Error, IntoInnerError, Result, Write as _};
use std::mem::replace;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread::JoinHandle;

/// Rows of a batch, and those of a row group.
const BATCH: usize = 1 << 13;
const GROUP: usize = 1 << 17;

/// How files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

impl FileFormat {
    /// What the names of files end with.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }
}

/// Where the files of a trace lie.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder of the data set.
    pub top: PathBuf,
    pub system: String,
    /// The run; empty where it is not known.
    pub run: String,
    pub format: FileFormat,
    /// Whether another thread may encode what is written.
    pub has_thread: bool,
}

impl Place {
    /// The file of a table for a trace.
    pub fn file(&self, table: &str, trace: &str) -> PathBuf {
        let folder = self.top.join(table).join(format!("system={}", hive(&self.system)));
        folder.join(format!("run={}", hive(&self.run))).join(format!("part-{trace}.{}", self.format.ending()))
    }
}

/// A value as a part of a path: what would part it is written as `%2F`, and nothing as engines write it.
pub fn hive(text: &str) -> String {
    if text.is_empty() {
        return "__HIVE_DEFAULT_PARTITION__".to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() && !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
            let _ = write!(out, "%{:02X}", u32::from(c)); // writing into a String never fails
        } else {
            out.push(c);
        }
    }
    out
}

/// A value of a column.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Address(u64),
    Real(f64),
    Text(&'a str),
    Bool(bool),
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        if value.is_nan() { Self::Null } else { Self::Real(value) }
    }
}

/// An empty text is as good as none.
impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        if text.is_empty() { Self::Null } else { Self::Text(text) }
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

enum Builder {
    Int(Int64Builder),
    Address(UInt64Builder),
    Real(Float64Builder),
    Text(StringBuilder),
    Bool(BooleanBuilder),
}

impl Builder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Int => Self::Int(Int64Builder::with_capacity(BATCH)),
            Kind::Address => Self::Address(UInt64Builder::with_capacity(BATCH)),
            Kind::Real => Self::Real(Float64Builder::with_capacity(BATCH)),
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Bool => Self::Bool(BooleanBuilder::with_capacity(BATCH)),
        }
    }

    #[inline]
    fn push(&mut self, value: Value) {
        match (self, value) {
            (Self::Int(values), Value::Int(value)) => values.append_value(value),
            (Self::Address(values), Value::Address(value)) => values.append_value(value),
            (Self::Real(values), Value::Real(value)) => values.append_value(value),
            (Self::Real(values), Value::Int(value)) => values.append_value(value as f64),
            (Self::Text(values), Value::Text(value)) => values.append_value(value),
            (Self::Bool(values), Value::Bool(value)) => values.append_value(value),
            (Self::Int(values), _) => values.append_null(),
            (Self::Address(values), _) => values.append_null(),
            (Self::Real(values), _) => values.append_null(),
            (Self::Text(values), _) => values.append_null(),
            (Self::Bool(values), _) => values.append_null(),
        }
    }

    /// Hands out what was pushed, and makes room for as much again: growing with each batch costs more than encoding.
    fn take(&mut self) -> ArrayRef {
        match self {
            Self::Int(values) => Arc::new(replace(values, Int64Builder::with_capacity(BATCH)).finish()),
            Self::Address(values) => Arc::new(replace(values, UInt64Builder::with_capacity(BATCH)).finish()),
            Self::Real(values) => Arc::new(replace(values, Float64Builder::with_capacity(BATCH)).finish()),
            Self::Text(values) => Arc::new(take_text(values)),
            Self::Bool(values) => Arc::new(replace(values, BooleanBuilder::with_capacity(BATCH)).finish()),
        }
    }
}

/// The texts of a batch; the next one has about as many letters.
fn take_text(values: &mut StringBuilder) -> StringArray {
    let letters = values.values_slice().len();
    replace(values, StringBuilder::with_capacity(BATCH, letters + letters / 8)).finish()
}

/// The rows of a table for one trace. The file is made with the first of them.
pub struct Rows {
    table: &'static TableSchema,
    keys: Keys,
    path: PathBuf,
    /// What the file is called before it is whole.
    unfinished: PathBuf,
    /// What the file says of itself beside its rows.
    said: Vec<(&'static str, String)>,
    format: FileFormat,
    columns: Vec<Builder>,
    rank: Int64Builder,
    device: StringBuilder,
    n: usize,
    written: u64,
    file: Option<Encoder>,
    /// Whether another thread may encode.
    has_thread: bool,
}

/// Where batches are encoded: here, or by a thread of its own.
enum Encoder {
    Here(Open),
    Beside(SyncSender<RecordBatch>, JoinHandle<Result<Open>>),
}

/// Batches that may wait for the thread that encodes them.
const WAITING: usize = 4;

impl Encoder {
    fn new(open: Open, has_thread: bool) -> Self {
        if !has_thread {
            return Self::Here(open);
        }
        let (sender, batches) = sync_channel::<RecordBatch>(WAITING);
        let encode = move || {
            let mut open = open;
            batches.into_iter().try_for_each(|batch| open.write(&batch))?;
            Ok(open)
        };
        Self::Beside(sender, std::thread::spawn(encode))
    }

    /// Whether the batch was taken; what went wrong is told by [`Self::end`].
    fn write(&mut self, batch: RecordBatch) -> Result<bool> {
        match self {
            Self::Here(open) => open.write(&batch).map(|()| true),
            Self::Beside(batches, _) => Ok(batches.send(batch).is_ok()),
        }
    }

    fn end(self) -> Result<Open> {
        match self {
            Self::Here(open) => Ok(open),
            Self::Beside(batches, thread) => {
                drop(batches);
                thread.join().unwrap_or_else(|_| Err(Error::other("the thread that encodes ended")))
            }
        }
    }
}

enum Open {
    Parquet(Box<ArrowWriter<BufWriter<File>>>),
    Arrow(Box<FileWriter<BufWriter<File>>>),
}

/// Whom a row is of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owner<'a> {
    pub rank: Option<i64>,
    pub device: Option<&'a str>,
}

impl Rows {
    /// No rows yet.
    pub(super) fn new(table: &'static TableSchema, place: &Place, keys: Keys) -> Self {
        let path = place.file(table.name, &keys.trace);
        Self {
            unfinished: unfinished(&path),
            path,
            said: Vec::new(),
            format: place.format,
            columns: table.fields.iter().map(|field| Builder::new(field.kind)).collect(),
            rank: Int64Builder::with_capacity(BATCH),
            device: StringBuilder::new(),
            n: 0,
            written: 0,
            file: None,
            has_thread: place.has_thread,
            table,
            keys,
        }
    }

    /// The same with what the file says of itself: names and values.
    pub(super) fn saying(mut self, said: Vec<(&'static str, String)>) -> Self {
        self.said = said;
        self
    }

    /// Adds a row: the values of its columns behind the keys, in their order; what is left out is missing.
    ///
    /// # Errors
    /// What the file says.
    #[inline]
    pub fn push(&mut self, of: Owner, values: &[Value]) -> Result<()> {
        let mut values = values.iter().copied();
        for column in &mut self.columns {
            column.push(values.next().unwrap_or(Value::Null));
        }
        self.rank.append_option(of.rank);
        self.device.append_option(of.device);
        self.n += 1;
        if self.n < BATCH { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        let n = std::mem::take(&mut self.n);
        if n == 0 {
            return Ok(());
        }
        let all = |text: Option<&str>| -> ArrayRef {
            let repeat = |text| StringArray::new_repeated(text, n);
            Arc::new(text.map_or_else(|| StringArray::new_null(n), repeat))
        };
        let world = std::iter::repeat_n(self.keys.world_size, n);
        let keys: [ArrayRef; 5] = [
            all(Some(&self.keys.trace)),
            all(self.keys.host.as_deref()),
            Arc::new(replace(&mut self.rank, Int64Builder::with_capacity(BATCH)).finish()),
            Arc::new(world.collect::<Int64Array>()),
            Arc::new(take_text(&mut self.device)),
        ];
        let arrays = keys.into_iter().chain(self.columns.iter_mut().map(Builder::take)).collect();
        let schema = schema_of(self.table, &self.said, self.format);
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(Error::other)?;
        if self.file.is_none() {
            self.file = Some(Encoder::new(self.open(&schema)?, self.has_thread));
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        self.written += n as u64;
        if file.write(batch)? {
            return Ok(());
        }
        match self.file.take().map(Encoder::end) {
            Some(Err(why)) => Err(why),
            _ => Err(Error::other("nothing more can be encoded")),
        }
    }

    /// All rows were pushed.
    pub(super) fn close(mut self) -> Result<Self> {
        self.flush()?;
        Ok(self)
    }

    /// Ends the file, if there is one, and gives it its name. Returns how many rows it has.
    pub(super) fn finish(mut self) -> Result<u64> {
        let buffered = match self.file.take().map(Encoder::end).transpose()? {
            Some(Open::Parquet(file)) => file.into_inner().map_err(Error::other)?,
            Some(Open::Arrow(mut file)) => {
                file.finish().map_err(Error::other)?;
                file.into_inner().map_err(Error::other)?
            }
            None => return Ok(0),
        };
        buffered.into_inner().map_err(IntoInnerError::into_error)?.flush()?;
        fs::rename(&self.unfinished, &self.path)?;
        Ok(self.written)
    }
}

impl Rows {
    fn open(&self, schema: &SchemaRef) -> Result<Open> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = BufWriter::with_capacity(1 << 18, File::create_new(&self.unfinished)?);
        Ok(match self.format {
            FileFormat::Parquet => {
                let properties = properties(self.table, &self.said);
                let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties));
                Open::Parquet(Box::new(writer.map_err(Error::other)?))
            }
            FileFormat::Arrow => {
                Open::Arrow(Box::new(FileWriter::try_new(file, schema).map_err(Error::other)?))
            }
        })
    }
}

impl Open {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Self::Parquet(file) => file.write(batch).map_err(Error::other),
            Self::Arrow(file) => file.write(batch).map_err(Error::other),
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            drop(file.end());
            // What is left of it has no name that anyone reads.
            let _ = fs::remove_file(&self.unfinished);
        }
    }
}

/// What names of files end with that are not whole: engines pass over them, and what a run that ended left behind is removed
/// by the next.
pub const UNFINISHED: &str = ".tmp";

/// What a file is called before it is whole: engines pass over names that begin with a dot. No other process writes to it,
/// also none of another machine.
fn unfinished(path: &std::path::Path) -> PathBuf {
    static OWN: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    path.with_file_name(format!(".{name}.{process}-{:x}-{number}{UNFINISHED}", *OWN))
}

fn properties(table: &TableSchema, said: &[(&'static str, String)]) -> WriterProperties {
    let said = said.iter().map(|(name, text)| KeyValue::new((*name).to_owned(), text.clone())).collect();
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(Some(said))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP));
    for field in KEYS.iter().chain(table.fields) {
        let path = ColumnPath::from(field.name);
        properties = match (field.how, field.kind) {
            (How::Repeats, _) => properties,
            (How::Near, Kind::Int) => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            // Nobody looks for the least of long texts.
            (How::Any, Kind::Text) => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_statistics_enabled(path, EnabledStatistics::None),
            _ => properties.set_column_dictionary_enabled(path, false),
        };
    }
    properties.build()
}

/// The columns of a table with their units and meanings.
fn schema_of(table: &TableSchema, own: &[(&'static str, String)], format: FileFormat) -> SchemaRef {
    let column = |field: &Field| {
        let kind = match field.kind {
            Kind::Int => DataType::Int64,
            Kind::Address => DataType::UInt64,
            Kind::Real => DataType::Float64,
            Kind::Text => DataType::Utf8,
            Kind::Bool => DataType::Boolean,
        };
        let said = [("unit", field.unit), ("meaning", field.meaning)];
        let said = said.into_iter().filter(|(_, text)| !text.is_empty());
        Column::new(field.name, kind, true)
            .with_metadata(said.map(|(name, text)| (name.to_owned(), text.to_owned())).collect::<Metadata>())
    };
    let columns: Vec<Column> = KEYS.iter().chain(table.fields).map(column).collect();
    let said = [("lanescope.table", table.name), ("lanescope.tables_version", VERSION)];
    // A Parquet file has a place of its own for the rest.
    let own = own.iter().filter(|_| format == FileFormat::Arrow).map(|(name, text)| (*name, text.as_str()));
    let said = said.into_iter().chain(own).map(|(name, text)| (name.to_owned(), text.to_owned()));
    Arc::new(Schema::new(columns).with_metadata(said.collect::<Metadata>()))
}
