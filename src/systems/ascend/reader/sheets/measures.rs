//! What one compares of operators, from their CSV files: how busy pipes were, how often the cache had what was asked for,
//! what moved, how fast, and how much of it with each instruction.
//!
//! | measure | of |
//! |---|---|
//! | `aiv_mte2_ratio`, … | `PipeUtilization`: cycles of the pipe ÷ cycles of the units, of all blocks |
//! | `aiv_mte2_cycles`, … | these cycles of the pipe: its share of the time of a unit, or its ratio, × the cycles of the unit |
//! | `aiv_total_hit_rate`, … | `L2Cache`: hits ÷ requests of all blocks |
//! | longest block, outside the longest block | the largest `…_time`; the duration without it |
//! | GM traffic | `Memory`: main memory read and written, summed, in the time of the operator |
//! | GM → UB, share of peak, … | `Memory`: `…_bw_usage_rate`, weighted by the times of the units |
//! | bytes per MTE2 instruction | `Memory`: what came from GM, summed, by all `…_mte2_instructions` |
//!
//! A ratio over blocks is weighted by what it is a ratio of, and its name says so: a mean of percentages would give blocks
//! of 2 ms the weight of blocks of 9 ms.

use super::parse::{Head, Sheet, SheetRow};
use super::pipes::Share;
use super::{BLOCK, PREFIXES, SUB_BLOCK, number};
use crate::analysis::compare::units::{Follows, RowUnits, UnitPart};
use crate::base::map::Set;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure};
use crate::model::files::{Measure, OperatorHead};
use crate::systems::ascend::reader::details::OfUnit;
use crate::systems::ascend::reader::field;
use crate::systems::ascend::{MOVES, MOVES_OF};

/// Files that are looked at for a list of operators.
pub(super) const FILES: [&str; 3] = ["PipeUtilization", "Memory", "L2Cache"];
/// Names of ratios over all blocks, by their columns.
const WEIGHTED: [(&str, &str); 12] = [
    ("aic_cube_ratio", phrase("aic_cube_ratio (by cycles)")),
    ("aic_fixpipe_ratio", phrase("aic_fixpipe_ratio (by cycles)")),
    ("aic_mte1_ratio", phrase("aic_mte1_ratio (by cycles)")),
    ("aic_mte2_ratio", phrase("aic_mte2_ratio (by cycles)")),
    ("aic_mte3_ratio", phrase("aic_mte3_ratio (by cycles)")),
    ("aic_scalar_ratio", phrase("aic_scalar_ratio (by cycles)")),
    ("aic_total_hit_rate", phrase("aic_total_hit_rate (by requests)")),
    ("aiv_mte2_ratio", phrase("aiv_mte2_ratio (by cycles)")),
    ("aiv_mte3_ratio", phrase("aiv_mte3_ratio (by cycles)")),
    ("aiv_scalar_ratio", phrase("aiv_scalar_ratio (by cycles)")),
    ("aiv_total_hit_rate", phrase("aiv_total_hit_rate (by requests)")),
    ("aiv_vec_ratio", phrase("aiv_vec_ratio (by cycles)")),
];
/// Columns of requests that the cache had, and of those that it had not, behind a prefix.
const HITS: [&str; 3] = ["write_cache_hit", "r0_read_cache_hit", "r1_read_cache_hit"];
const MISSES: [&str; 3] =
    ["write_cache_miss_allocate", "r0_read_cache_miss_allocate", "r1_read_cache_miss_allocate"];
/// Bytes in a kilobyte of these files.
const KILO: f64 = 1_024.0;

/// What is noted where traffic is known of some blocks only.
pub(crate) const MOVES_OF_SOME: &str = phrase("{n} of {m} blocks have traffic and instruction counts.");

/// All measures of an operator of which so much is known.
pub(super) fn of(sheets: &[Sheet], head: &OperatorHead) -> Vec<Measure> {
    let [pipes, memory, cache] = FILES.map(|name| sheets.iter().find(|sheet| sheet.name == name));
    let times = super::alone::times(sheets, head).into_iter().flatten();
    let mut all: Vec<_> = times.filter_map(|(name, value)| measure(name, Unit::Micros, value)).collect();
    if let Some(sheet) = pipes {
        all.extend(activity(sheet));
    }
    if let Some(sheet) = cache {
        all.extend(PREFIXES.iter().filter_map(|prefix| hit_rate(sheet, prefix)));
    }
    all.extend(memory.into_iter().flat_map(|sheet| traffic(sheet, head.duration)));
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
    let mut figure = Figure::new(title, Body::Facts(Facts { facts }));
    figure
        .notes
        .extend(blocks_of(sheets, "Memory").map(|(n, m)| message(MOVES_OF_SOME).with("n", n).with("m", m)));
    let has_any = matches!(&figure.body, Body::Facts(facts) if !facts.facts.is_empty());
    has_any.then(|| Family::single("traffic", "Memory workload", figure))
}

fn measure(name: &str, unit: Unit, value: f64) -> Option<Measure> {
    value.is_finite().then(|| Measure { name: name.to_owned(), unit, value })
}

/// The numbers of a column.
fn numbers(sheet: &Sheet, column: usize) -> impl Iterator<Item = f64> {
    let number = move |row: &SheetRow| row.text(column).and_then(field::number);
    sheet.rows.iter().filter_map(number).filter(|value| value.is_finite())
}

/// The sum of the columns of these names; `None` where no row has a number in one.
fn sum(sheet: &Sheet, names: &[&str]) -> Option<f64> {
    let columns = names.iter().filter_map(|name| sheet.column(name));
    columns.flat_map(|column| numbers(sheet, column)).fold(None, |sum, v| Some(sum.unwrap_or(0.0) + v))
}

/// The mean of a column, weighted by another, of those rows that have a number in both.
fn weighted(sheet: &Sheet, column: usize, weights: usize) -> Option<f64> {
    let number = |row: &SheetRow, at: usize| row.text(at).and_then(field::number).filter(|v| v.is_finite());
    let both = |row: &SheetRow| number(row, column).zip(number(row, weights).filter(|weight| 0.0 < *weight));
    let (sum, whole) = sheet
        .rows
        .iter()
        .filter_map(both)
        .fold((0.0, 0.0), |(sum, whole), (value, weight)| (sum + value * weight, whole + weight));
    (0.0 < whole).then(|| sum / whole)
}

/// The name of a column with what its ratio over all blocks is weighted by.
fn name_of(column: &str, by: &str) -> String {
    let known = WEIGHTED.iter().find(|(own, _)| own.eq_ignore_ascii_case(column)).map(|(_, name)| *name);
    known.map_or_else(|| format!("{column} ({by})"), str::to_owned)
}

/// Shares of the cycles of units in which each pipe was active, over all blocks, then these cycles: a share can rise while
/// its cycles fall.
fn activity(sheet: &Sheet) -> Vec<Measure> {
    let pipe = |(at, head): (usize, &Head)| {
        let stem = head.name.strip_suffix("_ratio")?;
        let prefix = PREFIXES.iter().find(|prefix| stem.starts_with(**prefix))?;
        let total = sheet.column(&format!("{prefix}total_cycles"))?;
        let share = Share::of(sheet, prefix, (at, &head.name));
        let both = |row: &SheetRow| {
            let total = number(row, total).filter(|total| 0.0 < *total)?;
            Some((share.cycles(row, total)?, total))
        };
        let rows = sheet.rows.iter().filter_map(both);
        let (cycles, whole) = rows.fold((0.0, 0.0), |(sum, whole), (own, all)| (sum + own, whole + all));
        let ratio = measure(&name_of(&head.name, "by cycles"), Unit::Share, cycles / whole)?;
        Some((ratio, measure(&format!("{stem}_cycles"), Unit::Cycles, cycles)?))
    };
    let (mut all, cycles): (Vec<_>, Vec<_>) = sheet.heads.iter().enumerate().filter_map(pipe).unzip();
    all.extend(cycles);
    all
}

/// Hits of the cache by all requests, of all blocks.
fn hit_rate(sheet: &Sheet, prefix: &str) -> Option<Measure> {
    let of = |names: [&str; 3]| {
        let names = names.map(|name| format!("{prefix}{name}"));
        sum(sheet, &names.each_ref().map(String::as_str))
    };
    let (hits, misses) = of(HITS).zip(of(MISSES))?;
    let name = name_of(&format!("{prefix}total_hit_rate"), "by requests");
    (0.0 < hits + misses).then(|| measure(&name, Unit::Percent, hits / (hits + misses) * 100.0))?
}

/// Columns that are summed, with the names of their sums.
const SUMS: [(&str, &str); 2] =
    [("read_main_memory_datas", phrase("GM read")), ("write_main_memory_datas", phrase("GM written"))];
/// Columns of shares of peaks, those of their weights, and what they are called.
const PEAKS: [(&str, &str, &str); 4] = [
    ("GM_to_L1_bw_usage_rate", "aic_time", phrase("GM → L1, share of peak (by time)")),
    ("L0C_to_GM_bw_usage_rate", "aic_time", phrase("L0C → GM, share of peak (by time)")),
    ("GM_to_UB_bw_usage_rate", "aiv_time", phrase("GM → UB, share of peak (by time)")),
    ("UB_to_GM_bw_usage_rate", "aiv_time", phrase("UB → GM, share of peak (by time)")),
];

/// What moved between the memories.
fn traffic(sheet: &Sheet, duration: Option<f64>) -> Vec<Measure> {
    let mut all = Vec::new();
    let sums = SUMS.map(|(column, name)| Some((name, sum(sheet, &[column])? * KILO)));
    all.extend(sums.iter().flatten().filter_map(|(name, bytes)| measure(name, Unit::Bytes, *bytes)));
    let moved = sums.iter().flatten().map(|(_, bytes)| *bytes).reduce(|a, b| a + b);
    // Bytes in a microsecond are megabytes in a second.
    let rate = moved.zip(duration.filter(|d| 0.0 < *d)).map(|(bytes, micros)| bytes / micros / 1e3);
    all.extend(rate.and_then(|v| measure(phrase("GM traffic"), Unit::GigabytesPerSec, v)));
    for (column, time, name) in PEAKS {
        let time = sheet.column(time).or_else(|| sheet.column("time"));
        let mean = sheet.column(column).zip(time).and_then(|(column, time)| weighted(sheet, column, time));
        all.extend(mean.and_then(|v| measure(name, Unit::Percent, v)));
    }
    all.extend(MOVES.into_iter().flat_map(|(pipe, name)| bytes_of_moves(sheet, pipe, name)));
    all
}

/// The columns of bytes and instructions of the moves of each kind of core.
const MOVED: [(&str, &str, &str, &str); 4] = [
    ("MTE2", "cube", "GM_to_L1_datas", "aic_mte2_instructions"),
    ("MTE2", "vector", "GM_to_UB_datas", "aiv_mte2_instructions"),
    ("MTE3", "cube", "L1_to_GM_datas", "aic_mte3_instructions"),
    ("MTE3", "vector", "UB_to_GM_datas", "aiv_mte3_instructions"),
];

/// How much each instruction of a pipe moves: where cores of both kinds do, of each kind.
fn bytes_of_moves(sheet: &Sheet, pipe: &str, name: &str) -> Vec<Measure> {
    let kinds = kinds_of_moves(sheet, pipe);
    let named = |kind: &str| move_name(pipe, kind, name, kinds.len());
    kinds.iter().filter_map(|(kind, bytes, n)| measure(named(kind), Unit::Bytes, bytes / n)).collect()
}

/// The kinds of cores that move with a pipe, with their bytes and instructions.
fn kinds_of_moves(sheet: &Sheet, pipe: &str) -> Vec<(&'static str, f64, f64)> {
    let of_kind = |(own, kind, moved, instructions): (&str, &'static str, &str, &str)| {
        let both = sum(sheet, &[moved])?.max(0.0);
        let n = sum(sheet, &[instructions]).filter(|n| 0.0 < *n && own == pipe)?;
        Some((kind, both * KILO, n))
    };
    MOVED.into_iter().filter_map(of_kind).collect()
}

/// What the bytes of an instruction are called where so many kinds of cores have some.
fn move_name<'a>(pipe: &str, kind: &str, name: &'a str, kinds: usize) -> &'a str {
    let own = MOVES_OF.iter().find(|own| own.0 == pipe && own.1 == kind && 1 < kinds);
    own.map_or(name, |own| own.2)
}

/// Bytes and instructions of moves of each unit.
pub(super) fn moves(sheets: &[Sheet]) -> Vec<OfUnit> {
    let Some(sheet) = sheets.iter().find(|sheet| sheet.name == "Memory") else { return Vec::new() };
    let (Some(block), Some(unit)) = (sheet.column(BLOCK), sheet.column(SUB_BLOCK)) else { return Vec::new() };
    let columns = MOVED.into_iter().filter_map(|(pipe, _, moved, instructions)| {
        Some((pipe, sheet.column(moved)?, sheet.column(instructions)?))
    });
    let of = |(pipe, moved, instructions): (&'static str, usize, usize)| {
        sheet.rows.iter().filter_map(move |row| {
            let n = number(row, instructions).filter(|n| 0.0 < *n)?;
            let bytes = number(row, moved)? * KILO;
            Some(OfUnit::new((row.text(block)?, row.text(unit).unwrap_or("")), pipe, (bytes, n)))
        })
    };
    columns.flat_map(of).collect()
}

/// What the facts of moves follow from, unit by unit; where a unit is not named, from nothing.
pub(super) fn units(sheets: &[Sheet]) -> Vec<RowUnits> {
    let Some(sheet) = sheets.iter().find(|sheet| sheet.name == "Memory") else { return Vec::new() };
    let (Some(block), Some(unit)) = (sheet.column(BLOCK), sheet.column(SUB_BLOCK)) else { return Vec::new() };
    let row = |name: &str, follows: Follows, parts: Vec<UnitPart>| RowUnits {
        variant: 0,
        row: vec![name.to_owned()],
        cells: vec![("", follows)],
        parts,
    };
    let parts = |of: &dyn Fn(&SheetRow) -> Option<(f64, f64)>| -> Vec<UnitPart> {
        let part = |row: &SheetRow| {
            let names = (row.text(block)?, row.text(unit).unwrap_or(""));
            Some(OfUnit::new(names, "", of(row)?).part)
        };
        sheet.rows.iter().filter_map(part).collect()
    };
    let sums = SUMS.iter().filter_map(|(column, name)| {
        let column = sheet.column(column)?;
        Some(row(name, Follows::Sum, parts(&|row| Some((number(row, column)? * KILO, 1.0)))))
    });
    let peaks = PEAKS.iter().filter_map(|(column, time, name)| {
        let (column, time) = (sheet.column(column)?, sheet.column(time).or_else(|| sheet.column("time"))?);
        let weighted = parts(&|row| {
            let time = number(row, time).filter(|time| 0.0 < *time)?;
            Some((number(row, column)? * time, time))
        });
        Some(row(name, Follows::Quotient, weighted))
    });
    let moved = moves(sheets);
    let kinds = |pipe: &str| kinds_of_moves(sheet, pipe).len();
    let moves = MOVED.iter().map(|(pipe, kind, ..)| {
        let own = moved.iter().filter(|own| own.pipe == *pipe && own.kind == *kind);
        let name = MOVES.iter().find(|own| own.0 == *pipe).map_or("", |own| own.1);
        row(move_name(pipe, kind, name, kinds(pipe)), Follows::Quotient, own.map(|own| own.part).collect())
    });
    sums.chain(peaks).chain(moves).filter(|row| !row.parts.is_empty()).collect()
}

/// Of how many of the blocks that any file has rows of a file tells, where these are not all.
pub(super) fn blocks_of(sheets: &[Sheet], name: &str) -> Option<(usize, usize)> {
    let blocks = |sheet: &Sheet| -> Set<String> {
        let column = sheet.column(BLOCK).filter(|_| sheet.column(SUB_BLOCK).is_some());
        let texts = sheet.rows.iter().filter_map(|row| row.text(column?));
        texts.map(str::to_owned).collect()
    };
    let own = blocks(sheets.iter().find(|sheet| sheet.name == name)?);
    let all: Set<String> = sheets.iter().flat_map(blocks).collect();
    (!own.is_empty() && own.len() < all.len()).then_some((own.len(), all.len()))
}
