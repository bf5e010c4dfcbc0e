//! The written records of a map as columns: block, unit and record, then the fields in the order of memory.

use crate::base::words::phrase;
use crate::export::columns::{ColumnData, ColumnFormat, DataColumn, columns_in_parts};
use crate::export::{Export, ExportInput, Parts};
use crate::systems::neutrino::folder::Folder;
use crate::systems::neutrino::records::Walk;
use crate::systems::neutrino::result::{Field, ResultFile, Section};
use std::io::{Error, Result};

/// Text.
pub(in crate::systems::neutrino) static MAP_CSV: Export = Export {
    id: "map-csv",
    title: phrase("Map records as CSV"),
    suffix: "map.csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can,
    write: |input, map| write(input, map, ColumnFormat::Csv),
};

/// An Arrow IPC file.
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(in crate::systems::neutrino) static ARROW: Export = Export {
    id: "arrow",
    title: phrase("Map records as Arrow"),
    suffix: "arrow",
    mime: "application/vnd.apache.arrow.file",
    takes_argument: true,
    parameters: &[],
    can,
    write: |input, map| write(input, map, ColumnFormat::Arrow),
};

/// A Parquet file.
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(in crate::systems::neutrino) static PARQUET: Export = Export {
    id: "parquet",
    title: phrase("Map records as Parquet"),
    suffix: "parquet",
    mime: "application/vnd.apache.parquet",
    takes_argument: true,
    parameters: &[],
    can,
    write: |input, map| write(input, map, ColumnFormat::Parquet),
};

fn can(input: &ExportInput) -> bool {
    file(input).is_some_and(|file| !file.sections.is_empty())
}

fn file<'a>(input: &ExportInput<'a>) -> Option<&'a ResultFile> {
    input.trace.extensions.get::<Folder>()?.result.as_ref()
}

/// The map of this name; the first without one.
fn find<'a>(input: &ExportInput<'a>, map: &str) -> Result<(&'a ResultFile, &'a Section)> {
    let file = file(input).ok_or_else(|| Error::other("There is no result file."))?;
    let found = file.sections.iter().find(|section| map.is_empty() || section.map.name == map);
    let names = || file.sections.iter().map(|s| s.map.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = found.ok_or_else(|| Error::other(format!("Unknown map {map}; available: {}.", names())))?;
    Ok((file, found))
}

fn write(input: &ExportInput, map: &str, format: ColumnFormat) -> Result<Parts> {
    let (file, section) = find(input, map)?;
    let (fields, mut walk) = (section.map.fields.clone(), Walk::of_all(file, section));
    let map = section.map.name.clone();
    let place = |name: &str| DataColumn { name: name.to_owned(), data: ColumnData::U64(Vec::new()) };
    let of_field = |field: &Field| DataColumn {
        name: field.name.clone(),
        data: match field.width {
            4 => ColumnData::U32(Vec::new()),
            _ if field.is_signed() => ColumnData::I64(Vec::new()),
            _ => ColumnData::U64(Vec::new()),
        },
    };
    let columns = ["block", "unit", "record"].map(place).into_iter().chain(fields.iter().map(of_field));
    Ok(columns_in_parts(format, columns.collect(), move |input, columns| {
        let (file, section) = find(input, &map)?;
        let (places, values) = columns.split_at_mut(3.min(columns.len()));
        let more = walk.read(&mut |record| {
            let (block, unit) = file.place(section, record.unit);
            for (column, value) in places.iter_mut().zip([block, unit, record.index]) {
                column.data.push(value);
            }
            for (column, field) in values.iter_mut().zip(&fields) {
                column.data.push(field.value(record.bytes));
            }
        });
        more.map_err(|why| Error::other(why.0))
    }))
}
