//! What one compares of operators, from their CSV files: how busy pipes were, how often the cache had what was asked for,
//! what moved, how fast, and how much of it with each instruction.
//!
//! | measure | of |
//! |---|---|
//! | `aiv_mte2_ratio`, … | `PipeUtilization`, mean over the units of all blocks |
//! | `aiv_total_hit_rate`, … | `L2Cache`, mean |
//! | longest block, head overhead | the largest `…_time`; the duration without it |
//! | GM traffic | `Memory`: main memory read and written, summed, in the time of the operator |
//! | GM → UB, share of peak, … | `Memory`: `…_bw_usage_rate`, mean |
//! | bytes per MTE2 instruction | `Memory`: what came from GM, summed, by all `…_mte2_instructions` |

use super::parse::{Head, Sheet};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure};
use crate::model::files::operator::Measure;
use crate::systems::ascend::reader::details::{LONGEST, OVERHEAD};
use crate::systems::ascend::reader::field;

/// Files that are looked at for a list of operators.
pub(super) const FILES: [&str; 3] = ["PipeUtilization", "Memory", "L2Cache"];
/// Bytes in a kilobyte of these files.
const KILO: f64 = 1_024.0;

/// All measures of an operator that took so many microseconds.
pub(super) fn of(sheets: &[Sheet], duration: Option<f64>) -> Vec<Measure> {
    let [pipes, memory, cache] = FILES.map(|name| sheets.iter().find(|sheet| sheet.name == name));
    let mut all = Vec::new();
    if let Some(sheet) = pipes.or(memory) {
        all.extend(blocks(sheet, duration));
    }
    if let Some(sheet) = pipes {
        all.extend(means(sheet, |head| head.name.ends_with("_ratio"), &Unit::Share));
    }
    if let Some(sheet) = cache {
        all.extend(means(sheet, |head| head.name.ends_with("_total_hit_rate"), &Unit::Percent));
    }
    all.extend(memory.into_iter().flat_map(|sheet| traffic(sheet, duration)));
    all
}

/// What moved, as facts of the operator; `None` where no file tells.
pub(super) fn figure(sheets: &[Sheet], duration: Option<f64>) -> Option<Family> {
    let memory = sheets.iter().find(|sheet| sheet.name == "Memory")?;
    let facts: Vec<Fact> = traffic(memory, duration)
        .into_iter()
        .map(|Measure { name, unit, value }| Fact { name, value: Cell::Number(value), unit })
        .collect();
    let title = phrase("Traffic and instructions");
    (!facts.is_empty()).then(|| {
        Family::single("traffic", "Memory workload", Figure::new(title, Body::Facts(Facts { facts })))
    })
}

fn measure(name: &str, unit: Unit, value: f64) -> Option<Measure> {
    value.is_finite().then(|| Measure { name: name.to_owned(), unit, value })
}

/// The numbers of a column.
fn numbers(sheet: &Sheet, column: usize) -> impl Iterator<Item = f64> {
    let number = move |row: &super::parse::Row| row.text(column).and_then(field::number);
    sheet.rows.iter().filter_map(number).filter(|value| value.is_finite())
}

/// The sum of the columns of these names; `None` where no row has a number in one.
fn sum(sheet: &Sheet, names: &[&str]) -> Option<f64> {
    let columns = names.iter().filter_map(|name| sheet.column(name));
    columns.flat_map(|column| numbers(sheet, column)).fold(None, |sum, v| Some(sum.unwrap_or(0.0) + v))
}

/// The mean of a column, of those rows that have a number in it.
fn mean(sheet: &Sheet, column: usize) -> Option<f64> {
    let (sum, n) = numbers(sheet, column).fold((0.0, 0_u32), |(sum, n), v| (sum + v, n + 1));
    (0 < n).then(|| sum / f64::from(n))
}

fn means(sheet: &Sheet, is_meant: impl Fn(&Head) -> bool, unit: &Unit) -> Vec<Measure> {
    let columns = sheet.heads.iter().enumerate().filter(|(_, head)| is_meant(head));
    columns.filter_map(|(at, head)| measure(&head.name, unit.clone(), mean(sheet, at)?)).collect()
}

/// The longest time of a block, and what of the duration passed outside of it.
fn blocks(sheet: &Sheet, duration: Option<f64>) -> Vec<Measure> {
    let columns = ["time", "aiv_time", "aic_time"].iter().filter_map(|name| sheet.column(name));
    let longest = columns.flat_map(|column| numbers(sheet, column)).max_by(f64::total_cmp);
    let overhead = duration.zip(longest).map(|(duration, longest)| duration - longest);
    let overhead = overhead.filter(|overhead| 0.0 <= *overhead);
    let longest = longest.and_then(|v| measure(LONGEST, Unit::Micros, v));
    let overhead = overhead.and_then(|v| measure(OVERHEAD, Unit::Micros, v));
    longest.into_iter().chain(overhead).collect()
}

/// What moved between the memories.
fn traffic(sheet: &Sheet, duration: Option<f64>) -> Vec<Measure> {
    let mut all = Vec::new();
    let read = sum(sheet, &["read_main_memory_datas"]).map(|kilo| kilo * KILO);
    let written = sum(sheet, &["write_main_memory_datas"]).map(|kilo| kilo * KILO);
    all.extend(read.and_then(|v| measure(phrase("GM read"), Unit::Bytes, v)));
    all.extend(written.and_then(|v| measure(phrase("GM written"), Unit::Bytes, v)));
    let moved = [read, written].into_iter().flatten().reduce(|a, b| a + b);
    // Bytes in a microsecond are megabytes in a second.
    let rate = moved.zip(duration.filter(|d| 0.0 < *d)).map(|(bytes, micros)| bytes / micros / 1e3);
    all.extend(rate.and_then(|v| measure(phrase("GM traffic"), Unit::GigabytesPerSec, v)));
    let peaks = [
        ("GM_to_L1_bw_usage_rate", phrase("GM → L1, share of peak")),
        ("L0C_to_GM_bw_usage_rate", phrase("L0C → GM, share of peak")),
        ("GM_to_UB_bw_usage_rate", phrase("GM → UB, share of peak")),
        ("UB_to_GM_bw_usage_rate", phrase("UB → GM, share of peak")),
    ];
    for (column, name) in peaks {
        let mean = sheet.column(column).and_then(|column| mean(sheet, column));
        all.extend(mean.and_then(|v| measure(name, Unit::Percent, v)));
    }
    let each = [
        (
            phrase("Bytes per MTE2 instruction"),
            ["GM_to_UB_datas", "GM_to_L1_datas"],
            ["aiv_mte2_instructions", "aic_mte2_instructions"],
        ),
        (
            phrase("Bytes per MTE3 instruction"),
            ["UB_to_GM_datas", "L1_to_GM_datas"],
            ["aiv_mte3_instructions", "aic_mte3_instructions"],
        ),
    ];
    for (name, moved, instructions) in each {
        let both = sum(sheet, &moved).zip(sum(sheet, &instructions).filter(|n| 0.0 < *n));
        all.extend(both.and_then(|(kilo, n)| measure(name, Unit::Bytes, kilo * KILO / n)));
    }
    all
}
