//! CSV files without what a container says of the same: base info with the durations of the blocks, and core occupancy,
//! made as the blocks 0x05 and 0x0C have them and read by the same readers.
//!
//! | block | from |
//! |---|---|
//! | 0x05 | `OpBasicInfo`; `block_detail` from `block_id`, `sub_block_id` and `…_time` of the first file that has them |
//! | 0x0C | `…_total_cycles` of that file and `…_total_hit_rate` of `L2Cache`; a block counts as a core |

use super::parse::{Sheet, SheetRow};
use super::{BASIC_INFO, BLOCK, SUB_BLOCK};
use crate::base::map::{Map, Set, ordered};
use crate::base::words::message;
use crate::format::Sink;
use crate::input::json::parse;
use crate::model::files::OperatorHead;
use crate::systems::ascend::reader::details::{base_info, block_times, occupancy};
use crate::systems::ascend::reader::field::{Fields, Within};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most rows of units of blocks; operators have fewer than a hundred.
const ROWS: usize = 10_000;

/// The first file with times of units of blocks.
fn timed(sheets: &[Sheet]) -> Option<&Sheet> {
    let has_time =
        |sheet: &&Sheet| ["time", "aiv_time", "aic_time"].iter().any(|name| sheet.column(name).is_some());
    sheets.iter().filter(|sheet| has_units(sheet)).find(has_time)
}

fn has_units(sheet: &Sheet) -> bool {
    sheet.column(BLOCK).is_some() && sheet.column(SUB_BLOCK).is_some() && sheet.rows.len() <= ROWS
}

/// Adds base info and durations of blocks, as far as no container has them.
pub(super) fn info(sheets: &[Sheet], (has_info, has_blocks): (bool, bool), first: usize, sink: &mut Sink) {
    let basic = sheets.iter().find(|sheet| sheet.name == BASIC_INFO).filter(|_| !has_info);
    let timed = timed(sheets).filter(|_| !has_blocks);
    let Some(sheet) = basic.or(timed) else { return };
    let mut info = basic.map_or_else(serde_json::Map::new, facts);
    info.extend(timed.map(|timed| ("block_detail".to_owned(), durations(timed))));
    let json = serde_json::to_string(&Value::Object(info)).unwrap_or_default();
    let n = sink.builder.trace().figures.len();
    base_info(&parse(json.as_bytes(), 0).0, &within(sheet), sink);
    let figures = &mut sink.builder.head().figures;
    let new = figures.split_off(n.min(figures.len()));
    let new = new.into_iter().filter(|family| !has_info || family.id != "base-info");
    // They stand where those of a container would: in front, the facts first.
    let own = figures.get(first..).unwrap_or(&[]);
    let at = first + own.iter().position(|family| family.id == "base-info").map_or(0, |at| at + 1);
    for (at, family) in (at..).zip(new) {
        figures.insert(at.min(figures.len()), family);
    }
}

/// Adds core occupancy. Figures before `first` belong to other files.
pub(super) fn cores(sheets: &[Sheet], first: usize, sink: &mut Sink) {
    let Some(timed) = timed(sheets) else { return };
    let cache = sheets.iter().filter(|sheet| has_units(sheet)).find(|sheet| sheet.name == "L2Cache");
    let json = serde_json::to_string(&of_blocks(timed, cache)).unwrap_or_default();
    let n = sink.builder.trace().figures.len();
    occupancy(&parse(json.as_bytes(), 0).0, first, &within(timed), sink);
    let own = sink.builder.head().figures.iter_mut().skip(n).flat_map(|family| &mut family.variants);
    own.for_each(|figure| figure.notes.push(message("From CSV files: each block is shown as a core.")));
}

/// The longest time of a block, and what of the duration passed outside of it, as they are told of a container; nothing
/// where some blocks or units have no time.
pub(super) fn times(sheets: &[Sheet], head: &OperatorHead) -> [Option<(&'static str, f64)>; 2] {
    let Some(timed) = timed(sheets) else { return [None; 2] };
    let basic = sheets.iter().find(|sheet| sheet.name == BASIC_INFO);
    let mut info = basic.map_or_else(serde_json::Map::new, facts);
    let block_dim = head.block_dim.map_or(Value::Null, Value::from);
    let known = [
        ("soc", Value::from(head.chip.as_str())),
        ("op_type", Value::from(head.kind.as_str())),
        ("block_dim", block_dim),
        ("block_detail", durations(timed)),
    ];
    info.extend(known.map(|(key, value)| (key.to_owned(), value)));
    let json = serde_json::to_string(&Value::Object(info)).unwrap_or_default();
    // What is wrong with it is said when the operator is opened.
    let (within, mut unheard) = (within(timed), Sink::default());
    let mut fields = Fields::new(&within, &mut unheard);
    block_times(&parse(json.as_bytes(), 0).0, head.duration, &mut fields)
}

fn within(sheet: &Sheet) -> Within {
    Within { entry: sheet.path.clone(), byte: 0, block: sheet.name.clone().into() }
}

/// The cell of a column without unit, of the cube or of the vector unit.
fn cell<'a>(sheet: &Sheet, row: &'a SheetRow, name: &str) -> Option<&'a str> {
    ["", "aiv_", "aic_"].iter().find_map(|unit| row.text(sheet.column(&format!("{unit}{name}"))?))
}

/// The operator in the words of a base info.
fn facts(basic: &Sheet) -> serde_json::Map<String, Value> {
    let keys = [
        ("name", "Op Name"),
        ("op_type", "Op Type"),
        ("duration", "Task Duration"),
        ("block_dim", "Block Dim"),
        ("mix_block_dim", "Mix Block Dim"),
        ("device_id", "Device Id"),
        ("pid", "Pid"),
        ("cur_freq", "Current Freq"),
        ("rated_freq", "Rated Freq"),
    ];
    let said = |(key, name): (&str, &str)| {
        Some((key.to_owned(), Value::from(basic.rows.first()?.text(basic.column(name)?)?)))
    };
    ordered(keys.into_iter().filter_map(said))
}

fn durations(sheet: &Sheet) -> Value {
    // Containers do not number the only unit that each block has.
    let mut blocks: Set<&str> = Set::default();
    let is_single = places(sheet).all(|((block, _), _)| blocks.insert(block));
    let unit = |name: &str| {
        let name = if is_single { name.trim_end_matches(|c: char| c.is_ascii_digit()) } else { name };
        name.to_owned()
    };
    let row = |((block, name), row)| json!({"value": [block, unit(name), cell(sheet, row, "time")]});
    let rows: Vec<Value> = places(sheet).map(row).collect();
    json!({"head_name": ["Block ID", "Core Type", "Duration (μs)"], "row": rows})
}

/// Block and unit of each row.
fn places(sheet: &Sheet) -> impl Iterator<Item = ((&str, &str), &SheetRow)> {
    let (block, unit) = (sheet.column(BLOCK), sheet.column(SUB_BLOCK));
    sheet.rows.iter().filter_map(move |row| Some(((row.text(block?)?, row.text(unit?)?), row)))
}

fn of_blocks(timed: &Sheet, cache: Option<&Sheet>) -> Value {
    let hit_rates: Map<(&str, &str), &str> = cache
        .into_iter()
        .flat_map(|cache| {
            places(cache).filter_map(|(at, row)| Some((at, cell(cache, row, "total_hit_rate")?)))
        })
        .collect();
    let mut cores: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for ((block, name), row) in places(timed) {
        let Ok(core) = block.parse() else { continue };
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
        cores.entry(core).or_default().push(json!({
            "subcore_id": name.get(kind.len()..), "subcore_type": kind,
            "cycles": cell(timed, row, "total_cycles"),
            "L2cache_hit_rate": hit_rates.get(&(block, name)),
        }));
    }
    let cores: Vec<Value> =
        cores.into_iter().map(|(id, units)| json!({"core_id": id, "core_detail": units})).collect();
    json!({"op_detail": cores})
}
