//! Every address that a lane asked for, as columns: launch, thread and its instance, ordinal of the execution in the thread,
//! address of the instruction, lane, address, bytes, space (0 global, 1 shared, 2 local, 3 constant), and whether it
//! writes. They are read from the files again.

use crate::base::job::pieces;
use crate::base::words::phrase;
use crate::export::columns::{ColumnData, ColumnFormat, Columns, DataColumn, columns_in_parts};
use crate::export::{Export, ExportInput, Parts};
use crate::views::executions::compute::{Executed, Launch, Program, Recorded, Space};
use std::io::{Error, Result};
use std::rc::Rc;

/// Executions that are read at once.
const AT_ONCE: usize = 4096;
/// Names of the columns, and whether they need 8 bytes.
const COLUMNS: [(&str, bool); 10] = [
    ("launch", false),
    ("thread", false),
    ("instance", false),
    ("ordinal", false),
    ("pc", true),
    ("lane", false),
    ("address", true),
    ("bytes", false),
    ("space", false),
    ("is_write", false),
];

/// Text.
pub(super) static CSV: Export = Export {
    id: "lane-accesses-csv",
    title: phrase("Lane accesses as CSV"),
    suffix: "accesses.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can,
    write: |input, _| Ok(write(input, ColumnFormat::Csv)),
};

/// An Arrow IPC file.
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(super) static ARROW: Export = Export {
    id: "lane-accesses-arrow",
    title: phrase("Lane accesses as Arrow"),
    suffix: "arrow",
    mime: "application/vnd.apache.arrow.file",
    takes_argument: false,
    parameters: &[],
    can,
    write: |input, _| Ok(write(input, ColumnFormat::Arrow)),
};

/// A Parquet file.
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(super) static PARQUET: Export = Export {
    id: "lane-accesses-parquet",
    title: phrase("Lane accesses as Parquet"),
    suffix: "parquet",
    mime: "application/vnd.apache.parquet",
    takes_argument: false,
    parameters: &[],
    can,
    write: |input, _| Ok(write(input, ColumnFormat::Parquet)),
};

fn can(input: &ExportInput) -> bool {
    let recorded = input.trace.extensions.get::<Recorded>();
    recorded.is_some_and(|recorded| recorded.launches.iter().any(|launch| launch.rows.is_some()))
}

fn write(input: &ExportInput, format: ColumnFormat) -> Parts {
    let column = |(name, is_wide): (&str, bool)| DataColumn {
        name: name.to_owned(),
        data: if is_wide { ColumnData::U64(Vec::new()) } else { ColumnData::U32(Vec::new()) },
    };
    let trace = Rc::clone(input.trace);
    columns_in_parts(format, COLUMNS.map(column).into(), async move |columns, turn| {
        let Some(recorded) = trace.extensions.get::<Recorded>() else { return Ok(()) };
        for (at, launch) in recorded.launches.iter().enumerate() {
            let program = recorded.programs.get(launch.program as usize);
            let end = |thread: usize| launch.executions.starts.get(thread + 1).map(|end| *end as usize);
            let mut thread = 0;
            for piece in pieces(launch.executions.block.len(), AT_ONCE) {
                for execution in piece {
                    while end(thread).is_some_and(|end| end <= execution) {
                        thread += 1;
                    }
                    push(&columns, (at, launch), program, thread, execution)?;
                }
                turn.pause().await;
            }
        }
        Ok(())
    })
}

/// Adds the lanes of one execution.
fn push(
    columns: &Columns,
    (at, launch): (usize, &Launch),
    program: Option<&Program>,
    thread: usize,
    execution: usize,
) -> Result<()> {
    let (Some(rows), Some(program)) = (&launch.rows, program) else { return Ok(()) };
    let number = u32::try_from(execution).map_err(Error::other)?;
    let first = launch.executions.starts.get(thread).copied().unwrap_or(0);
    for row in rows.rows(launch, program, number).map_err(Error::other)? {
        let instruction = program.instructions.get(row.instruction as usize);
        let memory = instruction.and_then(|instruction| instruction.memory);
        for (lane, address) in addresses(&row) {
            columns.push([
                at as u64,
                launch.threads.ids.get(thread).copied().unwrap_or(0).into(),
                launch.threads.instances.get(thread).copied().unwrap_or(0).into(),
                number.saturating_sub(first).into(),
                instruction.map_or(0, |instruction| instruction.address),
                lane,
                address,
                memory.and_then(|memory| memory.bytes).unwrap_or(0).into(),
                memory.map_or(0, |memory| code(memory.space)),
                memory.is_some_and(|memory| memory.writes).into(),
            ]);
        }
    }
    Ok(())
}

/// The lanes of an instruction that gave addresses, with these.
pub(super) fn addresses(row: &Executed) -> impl Iterator<Item = (u64, u64)> {
    let lanes = (0..32_u64).filter(|lane| row.mask.is_none_or(|mask| mask >> lane & 1 == 1));
    lanes.zip(row.addresses.iter().copied())
}

/// The name of a memory.
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(super) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Constant => "constant",
    }
}

/// The number of a memory.
fn code(space: Space) -> u64 {
    match space {
        Space::Global => 0,
        Space::Shared => 1,
        Space::Local => 2,
        Space::Constant => 3,
    }
}
