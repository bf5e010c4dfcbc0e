//! Arrow and Parquet by the crates of their own projects. They write into memory, which is handed on with each batch.

use super::{BATCH, ColumnData, ColumnFormat, DataColumn};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, UInt32Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::{Error, Result, Write};
use std::sync::Arc;

/// Batches of a row group of Parquet.
const GROUP: usize = 16;

/// A file that is being written.
pub(super) struct ColumnEncoder {
    schema: SchemaRef,
    file: File,
}

enum File {
    Arrow(Box<FileWriter<Vec<u8>>>),
    Parquet(Box<ArrowWriter<Vec<u8>>>),
}

impl ColumnEncoder {
    pub(super) fn new(format: ColumnFormat, columns: &[DataColumn]) -> Result<Self> {
        let kind = |data: &ColumnData| match data {
            ColumnData::U32(_) => DataType::UInt32,
            ColumnData::U64(_) => DataType::UInt64,
            ColumnData::I64(_) => DataType::Int64,
        };
        let field = |column: &DataColumn| Field::new(&column.name, kind(&column.data), false);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let file = if format == ColumnFormat::Parquet {
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_max_row_group_row_count(Some(GROUP * BATCH))
                .build();
            let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties));
            File::Parquet(Box::new(writer.map_err(Error::other)?))
        } else {
            File::Arrow(Box::new(FileWriter::try_new(Vec::new(), &schema).map_err(Error::other)?))
        };
        Ok(Self { schema, file })
    }

    pub(super) fn write(&mut self, batch: Vec<ColumnData>, out: &mut dyn Write) -> Result<()> {
        let array = |data: ColumnData| -> ArrayRef {
            match data {
                ColumnData::U32(values) => Arc::new(UInt32Array::from(values)),
                ColumnData::U64(values) => Arc::new(UInt64Array::from(values)),
                ColumnData::I64(values) => Arc::new(Int64Array::from(values)),
            }
        };
        let arrays = batch.into_iter().map(array).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(Error::other)?;
        let written = match &mut self.file {
            File::Arrow(file) => {
                file.write(&batch).map_err(Error::other)?;
                std::mem::take(file.get_mut())
            }
            File::Parquet(file) => {
                file.write(&batch).map_err(Error::other)?;
                std::mem::take(file.inner_mut())
            }
        };
        out.write_all(&written)
    }

    pub(super) fn finish(self, out: &mut dyn Write) -> Result<()> {
        let rest = match self.file {
            File::Arrow(file) => file.into_inner().map_err(Error::other)?,
            File::Parquet(file) => file.into_inner().map_err(Error::other)?,
        };
        out.write_all(&rest)
    }
}
