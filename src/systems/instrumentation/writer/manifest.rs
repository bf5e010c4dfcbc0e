//! The manifest of a container that is written.

use super::segments::{Buffers, Segment};
use super::{FLOW, MEMORY, REGISTER, SIMD, TYPES, emits};
use crate::base::map::{Map, ordered};
use crate::base::order;
use crate::model::Symbols;
use crate::views::executions::compute::{Block, Instruction, Launch, Naming, Program, Recorded, Space};
use serde::Serialize;
use serde_json::{Value, json};

/// Names of the types.
pub(super) const NAMES: [&str; TYPES] = ["flow", "mem", "simd", "reg"];
/// Threads whose counts are told one by one.
const THREADS: usize = 4_096;

/// What stands first tells what it is: readers look at the head of a file.
#[derive(Serialize)]
struct Manifest {
    format: &'static str,
    version: &'static str,
    endian: &'static str,
    producer: Value,
    device: Value,
    thread_id: Value,
    types: Value,
    kernels: Value,
    dispatches: Vec<Value>,
}

/// Its text.
pub(super) fn text((recorded, symbols): (&Recorded, Option<&Symbols>), buffers: &Buffers) -> String {
    let launches: Vec<&Launch> = recorded.launches.iter().collect();
    let dispatches = launches.iter().enumerate();
    let manifest = Manifest {
        format: "gpu-multitrace",
        version: "1.0",
        endian: "little",
        producer: json!({"tool": "Lanescope", "version": env!("CARGO_PKG_VERSION")}),
        device: device(&launches, buffers),
        thread_id: threads(&launches),
        types: json!(types(buffers)),
        kernels: json!(kernels((recorded, symbols), buffers)),
        dispatches: dispatches.map(|(row, launch)| dispatch(row, launch, recorded, buffers)).collect(),
    };
    serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n"
}

/// Facts of the device, as launches have them.
fn device(launches: &[&Launch], buffers: &Buffers) -> Value {
    let fact = |key: &str| {
        let facts = launches.first().map_or(&[][..], |launch| &launch.facts);
        facts.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
    };
    let number = |key: &str| fact(key).and_then(|value| value.parse::<u64>().ok());
    json!({
        "vendor": fact("vendor").unwrap_or_default(),
        "isa": fact("isa").unwrap_or_default(),
        "lanes": buffers.survey.lanes.of_access,
        "line_bytes": number("line_bytes").unwrap_or(128),
        "sector_bytes": number("sector_bytes").unwrap_or(32),
    })
}

fn threads(launches: &[&Launch]) -> Value {
    let is_hardware = launches.iter().any(|launch| !launch.threads.instances.is_empty());
    let kind = if is_hardware { "hw" } else { "sw" };
    let naming = launches.first().map(|launch| &launch.threads.naming);
    match naming {
        Some(Naming::Warps { warps, .. }) => json!({"kind": kind, "label": "warp", "warps_per_group": warps}),
        Some(Naming::Fields(fields)) => {
            let fields = fields.iter();
            let fields =
                fields.map(|(name, shift, bits)| json!({"name": name, "shift": shift, "bits": bits}));
            json!({"kind": kind, "label": "thread", "fields": fields.collect::<Vec<_>>()})
        }
        _ => json!({"kind": kind, "label": "thread"}),
    }
}

/// Whether a type is written at all.
fn is_written(buffers: &Buffers, of: usize) -> bool {
    let mut slots = buffers.survey.slots.iter().flatten();
    slots.any(|slot| slot.records.get(of).is_some_and(|n| 0 < *n))
}

fn types(buffers: &Buffers) -> Vec<Value> {
    let lanes = &buffers.survey.lanes;
    let one = |of: usize| {
        let (kind, layout, n) = match of {
            FLOW => ("flow", if lanes.has_time { "flow16t" } else { "flow8" }, None),
            MEMORY if lanes.is_base() => ("memory", "mem-base", None),
            MEMORY => ("memory", "mem-lanes64", Some(lanes.of_access)),
            SIMD => ("simd", "simd16", None),
            _ => ("register", "reg-lanes32", Some(lanes.of_register)),
        };
        let bytes = lanes.bytes().get(of).copied().unwrap_or(0);
        let name = NAMES.get(of).copied().unwrap_or("");
        let mut value = json!({"id": of + 1, "name": name, "kind": kind, "layout": layout, "bytes": bytes});
        if let (Some(members), Some(n)) = (value.as_object_mut(), n) {
            members.insert("lanes".to_owned(), n.into());
        }
        value
    };
    [FLOW, MEMORY, SIMD, REGISTER].into_iter().filter(|of| is_written(buffers, *of)).map(one).collect()
}

fn kernels((recorded, symbols): (&Recorded, Option<&Symbols>), buffers: &Buffers) -> Vec<Value> {
    let kernel = |(row, program): (usize, &Program)| {
        let blocks = program.blocks.iter().map(|of| block(of, program, row, buffers));
        json!({"id": row, "name": symbols.map_or(program.name.as_str(), |all| all.of(&program.name)), "simd": program.lanes, "blocks": blocks.collect::<Vec<_>>()})
    };
    recorded.programs.iter().enumerate().map(kernel).collect()
}

fn block(block: &Block, program: &Program, row: usize, buffers: &Buffers) -> Value {
    let first = block.first as usize;
    let own = program.instructions.get(first..first + block.len as usize).unwrap_or(&[]);
    let writes = buffers.survey.writes.get(row).map_or(&[][..], Vec::as_slice);
    let written = (0..TYPES).filter(|of| is_written(buffers, *of));
    let emits = written.filter_map(|of| {
        let at = emits(block, writes, &buffers.survey.lanes, of)?;
        Some(json!({"type": of + 1, "count": at.len(), "at": at}))
    });
    let next = block.successors.iter().filter_map(|row| program.blocks.get(*row as usize));
    json!({
        "id": block.id,
        "label": block.label,
        "pc": own.first().map_or(0, |instruction| instruction.address),
        "entry": block.is_entry,
        "exit": block.is_exit,
        "succ": next.map(|next| next.id).collect::<Vec<_>>(),
        "insts": own.iter().map(instruction).collect::<Vec<_>>(),
        "emits": emits.collect::<Vec<_>>(),
    })
}

fn instruction(instruction: &Instruction) -> Value {
    let mut value = json!({"pc": instruction.address, "text": instruction.text});
    let Some(members) = value.as_object_mut() else { return value };
    if let Some(memory) = &instruction.memory {
        let rw = match (memory.reads, memory.writes) {
            _ if memory.is_atomic => "rw",
            (_, false) => "r",
            (false, true) => "w",
            (true, true) => "rw",
        };
        let space = match memory.space {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Constant => "constant",
        };
        members
            .insert("mem".to_owned(), json!({"rw": rw, "bytes": memory.bytes.unwrap_or(0), "space": space}));
    }
    if let Some((file, line)) = &instruction.source {
        members.insert("src".to_owned(), json!({"file": file, "line": line}));
    }
    value
}

fn dispatch(row: usize, launch: &Launch, recorded: &Recorded, buffers: &Buffers) -> Value {
    let program = recorded.programs.get(launch.program as usize);
    let id = |block: &u32| program.and_then(|program| Some(program.blocks.get(*block as usize)?.id));
    let counts = |range: std::ops::Range<u32>| {
        let blocks = launch.executions.block.get(range.start as usize..range.end as usize).unwrap_or(&[]);
        let mut counts: Map<u32, u64> = Map::default();
        blocks.iter().filter_map(id).for_each(|id| *counts.entry(id).or_default() += 1);
        let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
        order::sort(&mut counts);
        counts
    };
    let all = 0..u32::try_from(launch.executions.block.len()).unwrap_or(u32::MAX);
    let mut plan = json!({"run": 0, "counts": counts(all)});
    let slots = buffers.survey.slots.get(row).map_or(&[][..], Vec::as_slice);
    if slots.len() <= THREADS
        && let Some(members) = plan.as_object_mut()
    {
        let of_slots = slots.iter().map(|slot| (slot.id.to_string(), json!(counts(slot.executions.clone()))));
        members.insert("counts_by_thread".to_owned(), Value::Object(ordered(of_slots)));
    }
    let own = buffers.segments.iter().filter(|segment| segment.launch == row);
    json!({
        "id": row,
        "kernel": launch.program,
        "grid": launch.grid,
        "block": launch.group,
        "run": 1,
        "plan": plan,
        "buffers": own.map(|segment| buffer(segment, buffers)).collect::<Vec<_>>(),
    })
}

fn buffer(segment: &Segment, buffers: &Buffers) -> Value {
    let scope = match (segment.of, segment.slot) {
        (None, _) => "tagged",
        (_, Some(_)) => "thread",
        _ => "shared",
    };
    let mut value = json!({
        "type": segment.of.map_or(0, |of| of + 1),
        "file": segment.file,
        "scope": scope,
        "header": true,
        "offset": segment.offset,
        "capacity": segment.capacity,
        "next": segment.next,
    });
    let slot = segment.slot.and_then(|row| buffers.survey.slots.get(segment.launch)?.get(row));
    if let (Some(members), Some(slot)) = (value.as_object_mut(), slot) {
        members.insert("thread".to_owned(), slot.id.into());
    }
    value
}
