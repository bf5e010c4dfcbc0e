//! One metric column for one core: largest, total, decimals, hottest rows, reasons.

use crate::base::map::Map;
use crate::base::order;
use crate::model::code::{Cells, Column};
use std::cmp::Reverse;

/// Most rows that are ranked by heat.
pub const HOTTEST: usize = 1_000;

/// What a pass over a column tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSummary {
    /// The largest value; 0 when there is none above.
    pub max: f64,
    /// The sum of all values that are not missing; rows with the same instructions count once.
    pub total: f64,
    /// How many rows have a value.
    pub n: usize,
    /// How many decimals its values are written with: 0 when all are whole, at most 3.
    pub decimals: usize,
    /// Rows with a value above 0, hottest first (equal ones by row), at most [`HOTTEST`].
    pub hottest: Vec<u32>,
    /// Letters of the longest text.
    pub letters: usize,
    /// What stacked cells are made of, most counts first; empty for other columns.
    pub reasons: Vec<Reason>,
}

/// One part of stacked cells, over the whole column.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Its name, as the file has it.
    pub name: String,
    /// Counts of all rows.
    pub total: f64,
}

impl ColumnSummary {
    /// A pass over a column of `n_rows` rows.
    pub fn of(column: &Column, n_rows: usize, core: usize) -> Self {
        let mut out = Self::default();
        let mut ranked: Vec<(f64, u32)> = Vec::new();
        for row in 0..n_rows {
            // Below zero is how some tools write "not available".
            let Some(value) = column.number(row, core).filter(|v| 0.0 <= *v) else { continue };
            out.n += 1;
            out.total += value;
            out.max = out.max.max(value);
            if out.decimals < 3 {
                out.decimals = out.decimals.max(decimals(value));
            }
            if 0.0 < value {
                ranked.push((value, row as u32));
            }
        }
        out.hottest = hottest(ranked);
        if let Cells::Texts { values, .. } = &column.cells {
            out.letters = values.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        }
        if let Cells::Parts { .. } = column.cells {
            out.reasons = reasons(column, n_rows, core);
        }
        out
    }

    /// Takes from the total what rows repeat of others, as [`crate::model::code::Listing::repeats`] has them: of rows with
    /// the same instructions the largest value counts.
    pub fn count_once(&mut self, column: &Column, repeats: &[(u32, u32)], core: usize) {
        let value = |row: u32| column.number(row as usize, core).filter(|v| 0.0 <= *v).unwrap_or(0.0);
        let mut known: Map<u32, f64> = Map::default();
        for (row, first) in repeats {
            let most = known.entry(*first).or_insert_with(|| value(*first));
            let own = value(*row);
            self.total -= own.min(*most);
            *most = most.max(own);
        }
    }

    /// The rank of a row among the hottest, from 0.
    pub fn rank(&self, row: u32) -> Option<usize> {
        self.hottest.iter().position(|&r| r == row)
    }
}

/// How many decimals a value needs, at most 3.
fn decimals(value: f64) -> usize {
    let whole = |scale: f64| ((value * scale).round() - value * scale).abs() < 1e-6 * scale.max(1.0) * 1e-3;
    [1.0, 10.0, 100.0].iter().position(|&scale| whole(scale)).unwrap_or(3)
}

fn hottest(mut ranked: Vec<(f64, u32)>) -> Vec<u32> {
    order::sort_by_number(&mut ranked, |(value, _)| Reverse(*value));
    ranked.into_iter().take(HOTTEST).map(|(_, row)| row).collect()
}

fn reasons(column: &Column, n_rows: usize, core: usize) -> Vec<Reason> {
    let mut by_name: Map<&str, f64> = Map::default();
    for parts in (0..n_rows).filter_map(|row| column.parts(row, core)) {
        for (name, count) in &parts.parts {
            *by_name.entry(name).or_default() += count.max(0.0);
        }
    }
    let mut out: Vec<Reason> =
        by_name.into_iter().map(|(name, total)| Reason { name: name.to_owned(), total }).collect();
    order::sort_by(&mut out, |a, b| b.total.total_cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    out
}
