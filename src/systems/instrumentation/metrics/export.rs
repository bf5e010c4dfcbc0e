//! memory-metrics-json: what was measured, by file.

use super::{AccessMetrics, Class, LaunchMetrics, measured, records};
use crate::base::map::ordered;
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, whole};
use crate::input::EntryId;
use crate::views::executions::compute::{Instruction, Recorded, Space};
use serde_json::{Map, Value, json};
use std::io::{Result, Write};

/// The export.
pub(crate) static METRICS_JSON: Export = Export {
    id: "memory-metrics-json",
    title: phrase("Memory metrics as JSON"),
    suffix: "memory.json",
    mime: "application/json",
    takes_argument: false,
    parameters: &[],
    can: |input| !measured(input.trace).is_empty() || records::has_any(input.trace),
    write: |_, argument| whole(write, argument),
};

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let recorded = input.trace.extensions.get::<Recorded>();
    let mut all = Map::new();
    let path = |entry| input.bundle.get(EntryId(entry)).map_or("", |entry| packed(&entry.path));
    let (records, of_records) = records::by_entry(input.trace);
    for (entry, records) in records {
        all.insert(path(entry).to_owned(), records);
    }
    let has_records = |of: &LaunchMetrics| of_records.binary_search(&(of.launch as usize)).is_ok();
    for metrics in measured(input.trace).iter().filter(|of| !has_records(of)) {
        let launch = recorded.and_then(|all| all.launches.get(metrics.launch as usize));
        let program = launch.and_then(|launch| recorded?.programs.get(launch.program as usize));
        let Some((launch, program)) = launch.zip(program) else { continue };
        let file = path(launch.entry);
        let is_known = all.contains_key(file);
        let key = if is_known { format!("{file}#{}", launch.name) } else { file.to_owned() };
        all.insert(key, of_launch(metrics, launch.threads.len(), &program.instructions));
    }
    serde_json::to_writer_pretty(&mut *out, &all)?;
    out.write_all(b"\n")
}

/// The path of the file that was opened: of a packed one, not of what is in it.
fn packed(path: &str) -> &str {
    let packed = path.rsplit_once("!/").map(|(packed, _)| packed);
    packed.filter(|packed| [".xz", ".gz", ".zst"].iter().any(|end| packed.ends_with(end))).unwrap_or(path)
}

fn of_launch(metrics: &LaunchMetrics, warps: usize, instructions: &[Instruction]) -> Value {
    let (executions, lanes, off) = metrics.totals();
    let accesses: u64 =
        metrics.instructions.iter().filter_map(|of| Some(of.access.as_ref()?.executions)).sum();
    let mut global = Map::new();
    for (instruction, of) in instructions.iter().zip(&metrics.instructions) {
        let memory = instruction.memory.filter(|memory| memory.space == Space::Global);
        let Some((memory, access)) = memory.zip(of.access.as_deref()) else { continue };
        let opcode = instruction.text.split(' ').next().unwrap_or("");
        global.insert(
            format!("{:04x}", instruction.address),
            of_access(opcode, (memory.bytes.unwrap_or(0), metrics.sector), access),
        );
    }
    json!({
        "insts": executions,
        "warps": warps,
        "thread_insts": lanes,
        "static_pcs": instructions.len(),
        "mem_insts": accesses,
        "zero_mask": off,
        "global_mem": global,
    })
}

fn of_access(opcode: &str, (width, sector): (u32, u64), of: &AccessMetrics) -> Value {
    let classes = Class::ALL.into_iter().zip(of.classes).filter(|(_, n)| 0 < *n);
    let classes: Map<String, Value> = ordered(classes.map(|(class, n)| (class.name().to_owned(), n.into())));
    let sectors = format!("sectors{sector}");
    json!({
        "op": opcode,
        "width": width,
        "execs": of.executions,
        "active_execs": of.active,
        "lanes": of.lanes,
        sectors: of.sectors,
        "lines128": of.lines,
        "requested": of.requested,
        "unique": of.unique,
        "classes": classes,
    })
}
