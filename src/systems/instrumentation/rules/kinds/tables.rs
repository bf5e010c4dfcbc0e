//! Figures of what readers left in tables: counts of `NVBit`, times, latencies and opcodes of `GTPin`.

use super::{NO_BRANCHES, NO_SECTORS, part, tile, unknown};
use crate::analysis::finding::{Color, Tile, share};
use crate::base::map::Map;
use crate::base::number::{thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::number_of;
use crate::findings::{RuleInput, Summary};
use crate::model::figure::{Body, Cell};
use crate::model::{TableCells, Trace};
use crate::systems::instrumentation::rules::percent;

/// A table: short ones are figures, long ones tables.
struct Grid<'a> {
    trace: &'a Trace,
    id: String,
}

impl<'a> Grid<'a> {
    /// All of one id.
    fn all(trace: &'a Trace, id: &str) -> Vec<Self> {
        let is_it = |other: &str| {
            let rest = other.strip_prefix(id);
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<usize>().is_ok())
            })
        };
        let ids = trace.tables.iter().map(|table| &table.id).chain(trace.figures.iter().map(|of| &of.id));
        ids.filter(|id| is_it(id)).map(|id| Self { trace, id: id.clone() }).collect()
    }

    /// A column as cells.
    fn column(&self, name: &str) -> Vec<Cell> {
        if let Some(table) = self.trace.tables.iter().find(|table| table.id == self.id) {
            let column = table.columns.iter().find(|column| column.name == name);
            return match column.map(|column| &column.cells) {
                Some(TableCells::Integers(all)) => all.iter().map(|n| Cell::Integer(*n)).collect(),
                Some(TableCells::Numbers(all)) => all.iter().map(|n| Cell::number(Some(*n))).collect(),
                Some(TableCells::Texts(all)) => all.iter().map(|text| Cell::text(text)).collect(),
                _ => Vec::new(),
            };
        }
        let figure = self.trace.figures.iter().find(|of| of.id == self.id);
        let Some(Body::Table(table)) = figure.and_then(|of| of.variants.first()).map(|of| &of.body) else {
            return Vec::new();
        };
        let Some(at) = table.columns.iter().position(|column| column.name == name) else { return Vec::new() };
        table.rows.iter().map(|row| row.get(at).cloned().unwrap_or(Cell::Missing)).collect()
    }
}

/// Cells of several columns of all tables of an id, row by row.
fn rows<const N: usize>(trace: &Trace, id: &str, names: [&str; N]) -> Vec<[Cell; N]> {
    let mut all = Vec::new();
    for grid in Grid::all(trace, id) {
        let columns = names.map(|name| grid.column(name));
        let n = columns.iter().map(Vec::len).max().unwrap_or(0);
        all.extend((0..n).map(|at| {
            std::array::from_fn(|of| columns.get(of).and_then(|of| of.get(at)).cloned().unwrap_or_default())
        }));
    }
    all
}

/// Sums of numbers by a text.
fn sums<const N: usize>(rows: &[[Cell; N]], name: usize, number: usize) -> Vec<(Message, f64, String)> {
    let mut all: Vec<(String, f64)> = Vec::new();
    let mut known: Map<String, usize> = Map::default();
    for row in rows {
        let text = row.get(name).map(Cell::plain).unwrap_or_default();
        let Some(n) = row.get(number).and_then(Cell::as_number) else { continue };
        let at = *known.entry(text.clone()).or_insert(all.len());
        match all.get_mut(at) {
            Some(row) => row.1 += n,
            None => all.push((text, n)),
        }
    }
    all.into_iter().map(|(name, n)| (name.into(), n, Place::view("details").address())).collect()
}

fn sum<const N: usize>(rows: &[[Cell; N]], number: usize) -> f64 {
    rows.iter().filter_map(|row| row.get(number)?.as_number()).sum()
}

// Counts that NVBit's instr_count and opcode_hist print.

pub(super) fn nvbit(input: &RuleInput) -> Option<Summary> {
    let kernels = rows(
        input.trace,
        "nvbit-kernels",
        [phrase("Kernel"), phrase("Groups"), phrase("Instructions"), phrase("Number")],
    );
    if kernels.is_empty() {
        return None;
    }
    let n = sum(&kernels, 2);
    let opcodes = rows(input.trace, "nvbit-opcodes", [phrase("Opcode"), phrase("Instructions")]);
    let by_kernel = sums(&kernels, 0, 2);
    let tiles = vec![
        tile(
            phrase("Executed instructions"),
            number_of(n),
            message("{launches} launches of {kernels} kernels, {groups} groups")
                .with("launches", thousands(kernels.len() as u64))
                .with("kernels", thousands(by_kernel.len() as u64))
                .with("groups", number_of(sum(&kernels, 1))),
        )
        .amount(n, Unit::None),
        unknown(phrase("Lanes active"), phrase("the counts have no lanes")),
        unknown(phrase("Sectors per request"), NO_SECTORS),
        unknown(phrase("Divergent branches"), NO_BRANCHES),
        tile(phrase("Records lost"), phrase("none recorded"), message("this output has only counts")),
    ];
    let note = || message("of {n} executed instructions").with("n", number_of(n));
    let launches = kernels.iter().map(|[name, _, n, number]| {
        let name = message("{number}: {kernel}").with("number", number.plain()).with("kernel", name.plain());
        (name, n.as_number().unwrap_or(0.0), Place::view("tables").state("table", "nvbit-kernels").address())
    });
    let launches = launches.collect();
    let mut parts = vec![part(message("Kernels"), note(), by_kernel, &Unit::None)];
    if !opcodes.is_empty() {
        let note = message("of {n} counted").with("n", number_of(sum(&opcodes, 1)));
        parts.insert(0, part(message("By opcode"), note, sums(&opcodes, 0, 1), &Unit::None));
    }
    parts.push(part(message("Launches"), note(), launches, &Unit::None));
    Some(Summary { tiles, parts })
}

// Times of kernels, latencies of instructions, mixes of opcodes: GTPin's texts.

pub(super) fn times(input: &RuleInput) -> Option<Summary> {
    let all = rows(
        input.trace,
        "gtpin-funtime",
        [phrase("Kernel"), phrase("Threads"), phrase("Cycles"), phrase("Launch"), "SIMD"],
    );
    if all.is_empty() {
        return None;
    }
    let (threads, cycles) = (sum(&all, 1), sum(&all, 2));
    let without = all.iter().filter(|row| row[2].as_number().is_none()).count();
    let kernels = sums(&all, 0, 2);
    let longest = kernels.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let tiles = vec![
        tile(
            phrase("Cycles"),
            with_unit(cycles, &Unit::Cycles),
            message("of {n} hardware threads together").with("n", number_of(threads)),
        )
        .amount(cycles, Unit::Cycles),
        tile(
            phrase("Launches"),
            thousands(all.len() as u64),
            message("of {kernels} kernels; {n} without counts")
                .with("kernels", thousands(kernels.len() as u64))
                .with("n", thousands(without as u64)),
        )
        .amount(all.len() as f64, Unit::None),
        mean(phrase("Cycles per hardware thread"), (cycles, threads), message("on average")),
        longest.map_or_else(Tile::default, |(name, n, _)| Tile {
            bar: vec![(share(*n, cycles), Color::Compute)],
            amount: Some((share(*n, cycles), Unit::Share)),
            ..tile(phrase("Longest kernel"), percent(share(*n, cycles)), name.clone())
        }),
        unknown(
            phrase("Executed instructions"),
            phrase("funtime has only cycles: instcount or opcodeprof have counts"),
        ),
    ];
    let note = || message("of {n} of all hardware threads").with("n", with_unit(cycles, &Unit::Cycles));
    let launches = all.iter().map(|[name, _, cycles, launch, _]| {
        let name = message("{kernel}, launch {n}").with("kernel", name.plain()).with("n", launch.plain());
        (name, cycles.as_number().unwrap_or(0.0), Place::view("details").address())
    });
    let launches = launches.collect();
    let simd =
        sums(&all, 4, 2).into_iter().map(|(name, n, place)| (message("SIMD{n}").with("n", name), n, place));
    let parts = vec![
        part(message("Kernels"), note(), kernels, &Unit::Cycles),
        part(message("Launches"), note(), launches, &Unit::Cycles),
        part(message("By SIMD width"), note(), simd.collect(), &Unit::Cycles),
    ];
    Some(Summary { tiles, parts })
}

/// Cycles of each of so many.
fn mean(label: &'static str, (cycles, n): (f64, f64), comparison: Message) -> Tile {
    if n <= 0.0 {
        return tile(label, "–", comparison);
    }
    tile(label, with_unit(cycles / n, &Unit::Cycles), comparison).amount(cycles / n, Unit::Cycles)
}

pub(super) fn latencies(input: &RuleInput) -> Option<Summary> {
    let names = [phrase("Kernel"), phrase("Instruction"), phrase("Executions"), phrase("Latency")];
    let all = rows(input.trace, "gtpin-latency", names);
    if all.is_empty() {
        return None;
    }
    let (n, cycles) = (sum(&all, 2), sum(&all, 3));
    let kernels = sums(&all, 0, 3);
    let hottest = all.iter().max_by(|a, b| {
        let of = |row: &[Cell; 4]| row[3].as_number().unwrap_or(0.0);
        of(a).total_cmp(&of(b))
    });
    let name = |row: &[Cell; 4]| {
        message("instruction {n} of {kernel}").with("n", row[1].plain()).with("kernel", row[0].plain())
    };
    let tiles = vec![
        tile(
            phrase("Latency"),
            with_unit(cycles, &Unit::Cycles),
            message("of all executions of timed instructions"),
        )
        .amount(cycles, Unit::Cycles),
        tile(
            phrase("Executions"),
            number_of(n),
            message("of {n} instructions").with("n", thousands(all.len() as u64)),
        )
        .amount(n, Unit::None),
        mean(phrase("Mean latency"), (cycles, n), message("per execution")),
        hottest.map_or_else(Tile::default, |row| {
            let part = share(row[3].as_number().unwrap_or(0.0), cycles);
            Tile {
                bar: vec![(part, Color::Wait)],
                amount: Some((part, Unit::Share)),
                ..tile(phrase("Longest instruction"), percent(part), name(row))
            }
        }),
        unknown(phrase("Sectors per request"), NO_SECTORS),
    ];
    let note = || message("of {n} of latency").with("n", with_unit(cycles, &Unit::Cycles));
    let instructions = all
        .iter()
        .map(|row| (name(row), row[3].as_number().unwrap_or(0.0), Place::view("details").address()));
    let parts = vec![
        part(message("Instructions"), note(), instructions.collect(), &Unit::Cycles),
        part(message("Kernels"), note(), kernels, &Unit::Cycles),
    ];
    Some(Summary { tiles, parts })
}

pub(super) fn opcodes(input: &RuleInput) -> Option<Summary> {
    let names = [phrase("Opcode"), phrase("Dynamic"), phrase("Data type"), "SIMD", phrase("Static")];
    let all = rows(input.trace, "gtpin-opcodes", names);
    let grids = Grid::all(input.trace, "gtpin-opcodes").len() as u64;
    if all.is_empty() {
        return None;
    }
    // Shares of several kernels cannot be added up without their counts: each counts alike.
    let whole = sum(&all, 1);
    let mut by_opcode = sums(&all, 0, 1);
    order::sort_by(&mut by_opcode, |a, b| b.1.total_cmp(&a.1));
    let top = by_opcode.first().cloned().unwrap_or_default();
    let types = sums(&all, 2, 1);
    let simd =
        sums(&all, 3, 1).into_iter().map(|(name, n, place)| (message("SIMD{n}").with("n", name), n, place));
    let simd: Vec<_> = simd.collect();
    let widest = simd.iter().max_by(|a, b| a.1.total_cmp(&b.1)).cloned().unwrap_or_default();
    let tiles = vec![
        tile(
            phrase("Opcode mix"),
            thousands(by_opcode.len() as u64),
            message("opcodes of {n} kernels, as shares").with("n", thousands(grids)),
        )
        .amount(by_opcode.len() as f64, Unit::None),
        Tile {
            bar: vec![(share(top.1, whole), Color::Compute)],
            amount: Some((share(top.1, whole), Unit::Share)),
            ..tile(phrase("Most frequent"), percent(share(top.1, whole)), top.0)
        },
        Tile {
            bar: vec![(share(widest.1, whole), Color::Compute)],
            ..tile(
                phrase("SIMD width"),
                widest.0,
                message("in {share} of instructions").with("share", percent(share(widest.1, whole))),
            )
        },
        unknown(phrase("Executed instructions"), phrase("opcodeprof has only shares: instcount has counts")),
        unknown(phrase("Sectors per request"), NO_SECTORS),
    ];
    let note = || message("as executed, %");
    let parts = vec![
        part(message("By opcode"), note(), by_opcode, &Unit::Percent),
        part(message("By data type"), note(), types, &Unit::Percent),
        part(message("By SIMD width"), note(), simd, &Unit::Percent),
    ];
    Some(Summary { tiles, parts })
}
