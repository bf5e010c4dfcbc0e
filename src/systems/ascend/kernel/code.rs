//! What lines and instructions cost, counted once: the hottest of both, what moves, and what conflicts.

use super::{Costs, hot_sum};
use crate::base::job::{Turn, pieces};
use crate::base::map::{Map, hash};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::code::{Cells, Column, Listing, ListingKind};
use crate::model::{TableCells, Trace};
use crate::systems::ascend::MOVES;
use crate::systems::ascend::reader::ADDRESSES;

/// Rows that are kept.
const KEPT: usize = 100;
/// Rows between two looks at the turn.
const PIECE: usize = 256;

/// The costs of all rows of the listings of a kind.
#[derive(Default)]
pub struct Hot {
    /// The hottest first.
    pub rows: Vec<HotRow>,
    /// How many cost anything.
    pub n: usize,
    pub total: f64,
    /// Cycles, or samples.
    pub unit: Unit,
}

/// One of them.
#[derive(Clone, Copy)]
pub struct HotRow {
    pub listing: usize,
    pub row: usize,
    pub cost: f64,
    /// Whether several cores have a value of their own.
    pub is_of_several: bool,
    /// Of the cost what was stalled; `None` where nothing says it.
    pub stalled: Option<f64>,
}

/// Bytes that instructions of a pipe moved on all cores, and how many they were.
#[derive(Clone, Copy, Default)]
pub struct Moved {
    pub bytes: f64,
    pub instructions: f64,
}

impl CodeSums {
    /// Bytes of each instruction of a pipe that moves data; `None` where nothing says it.
    pub fn moved_by(&self, pipe: &str) -> Option<f64> {
        let (_, moved) = MOVES.iter().zip(&self.moved).find(|((own, _), _)| *own == pipe)?;
        (0.0 < moved.instructions).then(|| moved.bytes / moved.instructions)
    }
}

/// What lines cost together: several with the same addresses are the same instructions, which count once.
pub(super) struct Lines<'a> {
    /// Addresses by file and row.
    addresses: Map<(&'a str, usize), u64>,
    known: Map<u64, f64>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let mut ranges: Map<(&str, usize), Vec<[u64; 2]>> = Map::default();
        for table in trace.tables.iter().filter(|table| table.id == ADDRESSES) {
            let cells: Vec<&TableCells> = table.columns.iter().map(|column| &column.cells).collect();
            let [
                TableCells::Texts(files),
                TableCells::Numbers(lines),
                TableCells::Integers(first),
                TableCells::Integers(last),
            ] = cells.as_slice()
            else {
                continue;
            };
            for (((file, line), first), last) in files.iter().zip(lines).zip(first).zip(last) {
                // Lines are small whole numbers from 1.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let row = (*line as usize).wrapping_sub(1);
                ranges.entry((file.as_str(), row)).or_default().push([*first, *last]);
            }
        }
        let addresses = ranges.into_iter().map(|(line, ranges)| (line, hash(&ranges))).collect();
        Self { addresses, known: Map::default() }
    }

    /// What a line adds to the cost of those before it.
    pub(super) fn adds(&mut self, (file, row): (&'a str, usize), cost: f64) -> f64 {
        let Some(addresses) = self.addresses.get(&(file, row)) else { return cost };
        let known = self.known.entry(*addresses).or_insert(0.0);
        let more = (cost - *known).max(0.0);
        *known += more;
        more
    }
}

/// What is known of the code.
#[derive(Default)]
pub struct CodeSums {
    pub lines: Hot,
    pub instructions: Hot,
    /// Of the pipes that move data, as [`MOVES`] has them.
    pub moved: [Moved; MOVES.len()],
    /// Conflicts of reads and writes of UB, and executed instructions of the pipes that compute on vectors; `None` where
    /// no column tells them.
    pub conflicts: Option<([f64; 2], f64)>,
}

/// Counts it.
#[allow(clippy::too_many_lines)] // most of it is texts and tables
pub(super) async fn sums(trace: &Trace, turn: &Turn) -> CodeSums {
    let mut sums = CodeSums::default();
    let mut lines = Lines::of(trace);
    for (at, listing) in trace.code.listings.iter().enumerate() {
        let costs = Costs::of(listing);
        let samples = samples(listing);
        let stalls = listing.columns.iter().find(|column| column.name == "RealStallCycles");
        let pipe = listing.columns.iter().find(|column| column.name == "Pipe");
        let conflicts = ["UB Read Conflict", "UB Write Conflict"]
            .map(|name| listing.columns.iter().find(|column| column.name == name));
        let hot = match listing.kind {
            ListingKind::Source => &mut sums.lines,
            ListingKind::Assembly => &mut sums.instructions,
        };
        let unit =
            if costs.cycles.is_some() { Unit::Cycles } else { Unit::Count(phrase("samples").to_owned()) };
        // Cycles and samples cannot be added.
        let is_alike = hot.unit == Unit::None || hot.unit == unit;
        let has_cost = is_alike && (costs.cycles.is_some() || samples.is_some());
        if has_cost {
            hot.unit = unit;
        }
        for rows in pieces(listing.lines.len(), PIECE) {
            let n = rows.len();
            for row in rows {
                let cost = match costs.cycles {
                    Some(cycles) => hot_sum(Some(cycles), row),
                    None => samples.map_or(0.0, |column| counted(column, row)),
                };
                if has_cost && 0.0 < cost {
                    let stalled = stalls.map(|column| hot_sum(Some(column), row));
                    hot.n += 1;
                    hot.total += match listing.kind {
                        ListingKind::Source => lines.adds((listing.title.as_str(), row), cost),
                        ListingKind::Assembly => cost,
                    };
                    let is_of_several = costs.cycles.is_some_and(|column| 1 < column.cells.per_row());
                    hot.rows.push(HotRow { listing: at, row, cost, is_of_several, stalled });
                }
                let Some(pipe) = pipe.map(|column| column.cells.text(row, 0)) else { continue };
                let executed = hot_sum(costs.executed, row);
                let mut moves = MOVES.iter().zip(&mut sums.moved);
                let moved = moves.find(|((own, _), _)| *own == pipe).map(|(_, moved)| moved);
                // Bytes are those of all executions on a core.
                let bytes = Some(hot_sum(costs.bytes, row)).filter(|bytes| 0.0 < *bytes);
                if let Some((moved, bytes)) = moved.zip(bytes) {
                    moved.bytes += bytes;
                    moved.instructions += executed;
                }
                if conflicts.iter().any(Option::is_some) && is_vector(pipe) {
                    let (found, all) = sums.conflicts.get_or_insert(([0.0; 2], 0.0));
                    *all += executed;
                    for (sum, column) in found.iter_mut().zip(conflicts) {
                        *sum += hot_sum(column, row);
                    }
                }
            }
            if 16 * KEPT < hot.rows.len() {
                hot.keep();
            }
            if turn.is_over(32 * n) {
                turn.pause().await;
            }
        }
        hot.keep();
    }
    sums
}

impl Hot {
    /// Keeps the hottest; of those that cost the same the first.
    fn keep(&mut self) {
        order::sort_by(&mut self.rows, |a, b| {
            b.cost.total_cmp(&a.cost).then_with(|| (a.listing, a.row).cmp(&(b.listing, b.row)))
        });
        self.rows.truncate(KEPT);
    }
}

/// The column of samples of a device, where there are no cycles.
fn samples(listing: &Listing) -> Option<&Column> {
    let parts = listing.columns.iter().filter(|column| matches!(column.cells, Cells::Parts { .. }));
    parts.min_by_key(|column| !column.name.contains("All"))
}

fn counted(column: &Column, row: usize) -> f64 {
    column.cells.parts(row, 0).map_or(0.0, |parts| parts.parts.iter().map(|(_, n)| *n).sum())
}

fn is_vector(pipe: &str) -> bool {
    matches!(pipe, "VECTOR" | "VEC" | "RVECEX" | "RVECLD" | "RVECST")
}
