//! Launches and accesses of lanes as rows of a data set. They are read from the files again, an execution at a time.

use super::columns::{addresses, space_name};
use crate::export::tables::{Owner, Rows, Source, SystemTable, Value};
use crate::views::executions::compute::{Executed, Instruction, Launch, MemoryOperand, Program, Recorded};
use serde_json::json;
use std::io::{Error, Result};

/// All launches that were recorded.
pub(in crate::systems) static LAUNCHES: SystemTable = SystemTable { table: "launches", write: launches };

/// Every address that a lane asked for, and rectangles of surfaces.
pub(in crate::systems) static ACCESSES: SystemTable = SystemTable { table: "accesses", write: accesses };

fn launches(of: &Source, rows: &mut Rows) -> Result<()> {
    let Some(recorded) = of.input.trace.extensions.get::<Recorded>() else { return Ok(()) };
    for (at, launch) in recorded.launches.iter().enumerate() {
        let program = recorded.programs.get(launch.program as usize);
        // Zeros are sizes that nobody says.
        let size = |n: u32| Value::from((n != 0).then(|| i64::from(n)));
        let [grid, block] = [launch.grid, launch.group].map(|sizes| sizes.map(size));
        let facts: serde_json::Map<_, _> =
            launch.facts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let facts =
            if facts.is_empty() { String::new() } else { serde_json::Value::Object(facts).to_string() };
        let n = launch.executions.block.len();
        rows.push(
            of.all(),
            &[
                (at as u64).into(),
                program.map(|program| program.name.as_str()).into(),
                launch.name.as_str().into(),
                Value::Null,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                i64::from(0 < n).into(),
                (launch.threads.len() as u64).into(),
                (n as u64).into(),
                facts.as_str().into(),
            ],
        )?;
    }
    Ok(())
}

fn accesses(of: &Source, rows: &mut Rows) -> Result<()> {
    let Some(recorded) = of.input.trace.extensions.get::<Recorded>() else { return Ok(()) };
    for (number, launch) in (0_i64..).zip(&recorded.launches) {
        let (Some(read), Some(program)) = (&launch.rows, recorded.programs.get(launch.program as usize))
        else {
            continue;
        };
        let mut at = At { owner: of.all(), number, launch, program, thread: 0, unit: None, execution: 0 };
        for execution in 0..launch.executions.block.len() {
            at.go_to(execution);
            let number = u32::try_from(execution).map_err(Error::other)?;
            for row in read.rows(launch, program, number).map_err(Error::other)? {
                at.write(&row, rows)?;
            }
        }
    }
    Ok(())
}

/// An execution of a launch.
struct At<'a> {
    owner: Owner<'a>,
    number: i64,
    launch: &'a Launch,
    program: &'a Program,
    thread: usize,
    /// What its thread is called, once it was asked for.
    unit: Option<String>,
    execution: usize,
}

impl At<'_> {
    /// Executions must be asked for in order.
    fn go_to(&mut self, execution: usize) {
        let starts = &self.launch.executions.starts;
        while starts.get(self.thread + 1).is_some_and(|end| *end as usize <= execution) {
            self.thread += 1;
            self.unit = None;
        }
        self.execution = execution;
    }

    fn write(&mut self, row: &Executed, rows: &mut Rows) -> Result<()> {
        let instruction = self.program.instructions.get(row.instruction as usize);
        let memory = instruction.and_then(|instruction| instruction.memory);
        for (lane, address) in addresses(row) {
            let bytes = memory.and_then(|memory| memory.bytes).map(i64::from);
            let place = (Value::from(lane), Value::Address(address), bytes, String::new());
            self.push((instruction, memory), place, rows)?;
        }
        if let Some(area) = row.area {
            let bytes = i64::from(area.width) * i64::from(area.rows);
            let said = json!({"x": area.x, "y": area.y, "width": area.width, "rows": area.rows});
            let place = (Value::Null, Value::Null, Some(bytes), said.to_string());
            self.push((instruction, memory), place, rows)?;
        }
        Ok(())
    }

    fn push(
        &mut self,
        (instruction, memory): (Option<&Instruction>, Option<MemoryOperand>),
        (lane, address, bytes, attributes): (Value, Value, Option<i64>, String),
        rows: &mut Rows,
    ) -> Result<()> {
        let (threads, executions) = (&self.launch.threads, &self.launch.executions);
        let unit = self.unit.get_or_insert_with(|| {
            let names = [threads.group_name(self.thread), threads.name(self.thread)];
            names.join(" ").trim().to_owned()
        });
        let source = instruction.and_then(|instruction| instruction.source.as_ref());
        let first = executions.starts.get(self.thread).copied().unwrap_or(0) as usize;
        let operation = memory.map(|memory| match memory {
            MemoryOperand { is_atomic: true, .. } => "atomic",
            MemoryOperand { writes: true, .. } => "write",
            _ => "read",
        });
        let of_thread = |values: &[u32]| values.get(self.thread).map(|value| i64::from(*value));
        rows.push(
            self.owner,
            &[
                Value::Null,
                Value::Null,
                self.number.into(),
                unit.as_str().into(),
                of_thread(&threads.ids).into(),
                of_thread(&threads.instances).or(Some(0)).into(),
                (self.execution.saturating_sub(first) as u64).into(),
                executions.time.get(self.execution).copied().into(),
                lane,
                operation.into(),
                memory.map(|memory| space_name(memory.space)).into(),
                address,
                bytes.into(),
                instruction.map_or(Value::Null, |instruction| Value::Address(instruction.address)),
                Value::Null,
                Value::Null,
                self.program.name.as_str().into(),
                source.map(|(file, _)| file.as_str()).into(),
                source.map(|(_, line)| i64::from(*line)).into(),
                Value::Null,
                attributes.as_str().into(),
            ],
        )
    }
}
