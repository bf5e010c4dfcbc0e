//! Launches and blocks as rows of a data set.

use super::folder::{Folder, Launch, Status};
use super::schedule::ANALYSIS;
use crate::export::tables::{Rows, Source, SystemTable, Value};
use crate::model::Symbols;
use crate::views::schedule::compute::Schedule;
use serde_json::json;
use std::io::Result;

/// All launches of the log.
pub(in crate::systems) static LAUNCHES: SystemTable = SystemTable { table: "launches", write: launches };

/// The blocks of the launch whose records are open.
pub(in crate::systems) static BLOCKS: SystemTable = SystemTable { table: "blocks", write: blocks };

fn launches(of: &Source, rows: &mut Rows) -> Result<()> {
    let trace = of.input.trace;
    let Some(folder) = trace.extensions.get::<Folder>() else { return Ok(()) };
    let symbols = trace.extensions.get::<Symbols>();
    let own = folder.result.as_ref().and_then(|result| result.launch);
    for (at, launch) in folder.launches.iter().enumerate() {
        // Sizes of a launch that the log does not tell are 0.
        let size = |n: u32| Value::from((n != 0).then(|| i64::from(n)));
        let [grid, block] = [launch.grid, launch.block].map(|sizes| sizes.map(size));
        let code = match launch.status {
            Status::Failed(code) => Some(code),
            _ => None,
        };
        rows.push(
            of.all(),
            &[
                (at as u64).into(),
                symbols.map_or(launch.name.as_str(), |all| all.of(&launch.name)).into(),
                Value::Null,
                launch.time.into(),
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                launch.shared.into(),
                launch.status.name().into(),
                code.into(),
                launch.prologue.into(),
                launch.kernel_ms.into(),
                launch.epilogue.into(),
                launch.original.into(),
                launch.ratio().into(),
                launch.impact.into(),
                launch.probe_bytes.into(),
                i64::from(own == Some(at)).into(),
                Value::Null,
                Value::Null,
                facts(folder, launch).as_str().into(),
            ],
        )?;
    }
    Ok(())
}

/// What no column holds.
fn facts(folder: &Folder, launch: &Launch) -> String {
    let kernel = launch.kernel.and_then(|at| folder.kernels.get(at));
    let parameters: Vec<String> = launch.parameters.iter().map(|value| format!("{value:x}")).collect();
    let facts = json!({
        "folder": kernel.map(|kernel| &kernel.folder),
        "function": format!("0x{:x}", launch.function),
        "result": launch.result,
        "line": launch.line,
        "parameters": parameters,
    });
    facts.to_string()
}

fn blocks(of: &Source, rows: &mut Rows) -> Result<()> {
    let Some(schedule) = of.input.result::<Schedule>(&ANALYSIS) else { return Ok(()) };
    let folder = of.input.trace.extensions.get::<Folder>();
    let launch = folder.and_then(|folder| folder.result.as_ref()?.launch);
    for (row, number) in (0_u32..).zip(&schedule.number) {
        let [x, y, z] = schedule.at(row).map(|at| Value::from(i64::from(at)));
        let unit = schedule.unit_of(row).filter(|_| schedule.launch.has_units);
        rows.push(
            of.all(),
            &[
                launch.map(|launch| launch as u64).into(),
                i64::from(*number).into(),
                x,
                y,
                z,
                unit.map(|unit| i64::from(unit.id)).into(),
                i64::from(schedule.lane_of_unit(row)).into(),
                (i64::from(schedule.wave(row)) + 1).into(),
                schedule.start_of(row).into(),
                schedule.elapsed_of(row).into(),
                schedule.gap(row).into(),
                schedule.launch.time.symbol().into(),
            ],
        )?;
    }
    Ok(())
}
