//! blocksched-json: all numbers of a block schedule, the SMs, and every block, in parts.

use super::ANALYSIS;
use crate::base::words::phrase;
use crate::export::Export;
use crate::views::schedule::compute::{ALIGN, CLOCK, Look, Origins, Schedule, UnitRow};
use serde_json::{Value, json};
use std::io::{Result, Write};

/// Blocks of a part.
const PIECE: usize = 1 << 12;

/// The schedule as JSON.
pub(in crate::systems::neutrino) static SCHEDULE_JSON: Export = Export {
    id: "blocksched-json",
    title: phrase("Block schedule as JSON"),
    suffix: "schedule.json",
    mime: "application/json",
    takes_argument: false,
    parameters: &[&ALIGN, &CLOCK],
    can: |input| input.result::<Schedule>(&ANALYSIS).is_some_and(|schedule| !schedule.is_empty()),
    write: |_, _| {
        let mut at = None;
        Ok(Box::new(move |input, out| {
            let Some(schedule) = input.result::<Schedule>(&ANALYSIS) else { return Ok(false) };
            let look = Look::of(input.values);
            let origins = schedule.origins(look.align);
            let from = match at {
                Some(from) => from,
                None => head(schedule, &look, &origins, out).map(|()| 0)?,
            };
            let end = schedule.len().min(from + PIECE);
            for row in from..end {
                block(schedule, &origins, u32::try_from(row).unwrap_or(u32::MAX), out)?;
            }
            at = Some(end);
            if end == schedule.len() {
                writeln!(out, "\n]}}")?;
            }
            Ok(end < schedule.len())
        }))
    },
};

/// All but the blocks, and the begin of their list.
fn head(schedule: &Schedule, look: &Look, origins: &Origins, out: &mut dyn Write) -> Result<()> {
    let (numbers, resident) = (&schedule.numbers, schedule.resident(look.align));
    let lane_time = schedule.lane_time(look.align);
    let [p50, p90, p99] = numbers.percentiles;
    let head = json!({
        "unit": schedule.launch.time.symbol(),
        "grid": schedule.launch.grid,
        "align": look.align_id(),
        "mhz": schedule.nanos(look).map(|nanos| 1e3 / nanos),
        "blocks": numbers.blocks,
        "sms": schedule.launch.has_units.then_some(numbers.units),
        "lanes": numbers.lanes,
        "neutrino": schedule.launch.tool.map(|tool| json!({
            "blocks": tool.blocks, "sms": tool.units, "running": tool.running, "scheduling": tool.scheduling,
        })),
        "by_lane": { "running": numbers.running, "scheduling": numbers.gap },
        "lane_time": {
            "running": lane_time.running, "gap": lane_time.gap, "idle": lane_time.idle, "length": lane_time.length,
        },
        "length": origins.is_comparable.then_some(origins.length),
        "resident": origins.is_comparable.then(|| json!({ "peak": resident.peak, "mean": resident.mean })),
        "elapsed": {
            "min": numbers.shortest, "p50": p50, "p90": p90, "p99": p99, "max": numbers.longest, "tail": numbers.tail(),
        },
        "waves": { "number": numbers.waves, "last": numbers.last_wave },
        "skew": numbers.skew.map(|skew| json!({ "start": skew.start, "end": skew.end })),
        "per_sm": schedule.units.iter().map(|unit| sm(schedule, origins, unit)).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string(&head)?;
    write!(out, "{},\n\"per_block\":[", text.strip_suffix('}').unwrap_or(&text))
}

fn sm(schedule: &Schedule, origins: &Origins, unit: &UnitRow) -> Value {
    let (running, gap) = schedule.shares(unit, origins);
    json!({
        "sm": unit.id, "blocks": unit.blocks, "lanes": unit.lanes.len(), "first": unit.first, "last": unit.last,
        "running": unit.running, "gap": unit.gap, "running_share": running, "gap_share": gap,
        "idle_share": (1.0 - running - gap).max(0.0),
    })
}

fn block(schedule: &Schedule, origins: &Origins, row: u32, out: &mut dyn Write) -> Result<()> {
    let at = row as usize;
    let (Some(number), Some(unit), Some(start), Some(elapsed)) =
        (schedule.number.get(at), schedule.unit.get(at), schedule.start.get(at), schedule.elapsed.get(at))
    else {
        return Ok(());
    };
    let [x, y, z] = schedule.at(row);
    let comma = if row == 0 { "" } else { "," };
    let sm = schedule.units.get(*unit as usize).map_or(0, |unit| unit.id);
    write!(
        out,
        "{comma}\n{{\"block\":{number},\"x\":{x},\"y\":{y},\"z\":{z},\"sm\":{sm},\"lane\":{},\"wave\":{},\"start\":{},\"elapsed\":{elapsed},\"gap\":{}}}",
        schedule.lane_of_unit(row),
        schedule.wave(row) + 1,
        origins.time(*unit, *start),
        schedule.gap(row).map_or_else(|| "null".to_owned(), |gap| gap.to_string()),
    )
}
