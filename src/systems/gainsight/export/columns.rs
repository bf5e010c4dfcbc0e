//! Single lifetimes of all levels as columns.

#![cfg(all(feature = "columns", not(target_arch = "wasm32")))]

use super::{Lifetimes, has_accesses};
use crate::base::words::phrase;
use crate::export::columns::{ColumnData, ColumnFormat, DataColumn, columns_in_parts};
use crate::export::{Export, ExportInput, Parts};
use crate::views::lifetimes::compute::{Closed, Kernel, Settings, parameters};

/// An Arrow IPC file.
pub(crate) static ARROW: Export = Export {
    id: "lifetimes-arrow",
    title: phrase("Lifetimes as Arrow"),
    suffix: "lifetimes.arrow",
    mime: "application/vnd.apache.arrow.file",
    takes_argument: false,
    parameters: parameters::ALL,
    can: has_accesses,
    write: |input, _| Ok(write(input, ColumnFormat::Arrow)),
};

/// A Parquet file.
pub(crate) static PARQUET: Export = Export {
    id: "lifetimes-parquet",
    title: phrase("Lifetimes as Parquet"),
    suffix: "lifetimes.parquet",
    mime: "application/vnd.apache.parquet",
    takes_argument: false,
    parameters: parameters::ALL,
    can: has_accesses,
    write: |input, _| Ok(write(input, ColumnFormat::Parquet)),
};

/// Names of the columns, and whether they need 8 bytes. Levels count from 1.
const COLUMNS: [(&str, bool); 8] = [
    ("run", false),
    ("kernel_id", true),
    ("level", false),
    ("unit", false),
    ("address", true),
    ("start_cycle", true),
    ("lifetime_cycles", true),
    ("reuses", false),
];

fn write(input: &ExportInput, format: ColumnFormat) -> Parts {
    let column = |(name, is_wide): (&str, bool)| DataColumn {
        name: name.to_owned(),
        data: if is_wide { ColumnData::U64(Vec::new()) } else { ColumnData::U32(Vec::new()) },
    };
    let lifetimes = Lifetimes::of(input);
    columns_in_parts(format, COLUMNS.map(column).into(), async move |columns, turn| {
        let add = |run: usize, _: &Settings, kernel: &Kernel, level: usize, closed: &Closed| {
            columns.push([
                run as u64,
                kernel.id,
                level as u64 + 1,
                closed.unit.into(),
                closed.address,
                closed.start,
                closed.length,
                closed.reuses.into(),
            ]);
        };
        lifetimes.each(&turn, add).await
    })
}
