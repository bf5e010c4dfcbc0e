//! Data sets of tables: written by a document, and read again by what engines read them with.

mod schema;
mod systems;

use arrow_array::{Array, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use lanescope::document::Document;
use lanescope::export::tables::{FileFormat, Keys, Opened, Place};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A table of one trace: each value as text, empty for none.
#[derive(Default)]
pub(crate) struct Table {
    names: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// The values of these columns, row by row.
    pub(crate) fn of(&self, names: &[&str]) -> Vec<Vec<String>> {
        let at =
            |name: &&str| self.names.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}"));
        if self.rows.is_empty() {
            return Vec::new();
        }
        let columns: Vec<usize> = names.iter().map(at).collect();
        self.rows.iter().map(|row| columns.iter().map(|at| row[*at].clone()).collect()).collect()
    }

    /// The values of a column.
    pub(crate) fn column(&self, name: &str) -> Vec<String> {
        self.of(&[name]).concat()
    }
}

/// A folder that goes when it is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A table of what is open, written to a file and read again.
pub(crate) fn table(doc: &mut Document, name: &str) -> Table {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let top = std::env::temp_dir().join(format!("lanescope-tables-{}-{number}", std::process::id()));
    fs::create_dir_all(&top).unwrap();
    let folder = Folder(top);
    let keys = Keys { trace: "0123".to_owned(), ..Keys::default() };
    let place = Place {
        top: folder.0.clone(),
        system: doc.system().to_owned(),
        run: "night 1".to_owned(),
        format: FileFormat::Parquet,
        has_thread: false,
    };
    let file = place.file(name, &keys.trace);
    let opened = Opened { keys, name: "trace".to_owned(), bytes: 1, tables: Vec::new() };
    let n = doc.write_tables(opened, &place, &|table| table.name == name).unwrap();
    let table = if file.exists() { read(File::open(file).unwrap()) } else { Table::default() };
    assert_eq!(table.rows.len() as u64, n);
    table
}

fn read(file: File) -> Table {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let names = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let of = |batch: RecordBatch| -> Vec<Vec<String>> {
        let row = |row| batch.columns().iter().map(|column| text(column, row)).collect();
        (0..batch.num_rows()).map(row).collect()
    };
    Table { names, rows: reader.build().unwrap().map(Result::unwrap).flat_map(of).collect() }
}

fn text(column: &dyn Array, row: usize) -> String {
    let any = column.as_any();
    if column.is_null(row) {
        return String::new();
    }
    if let Some(values) = any.downcast_ref::<Int64Array>() {
        return values.value(row).to_string();
    }
    if let Some(values) = any.downcast_ref::<UInt64Array>() {
        return values.value(row).to_string();
    }
    if let Some(values) = any.downcast_ref::<BooleanArray>() {
        return values.value(row).to_string();
    }
    if let Some(values) = any.downcast_ref::<Float64Array>() {
        return values.value(row).to_string();
    }
    any.downcast_ref::<StringArray>().unwrap().value(row).to_owned()
}
