//! What pipes did, from the CSV files of an operator: `…_ratio` of `PipeUtilization` and `…_wait_ratio` of
//! `ResourceConflictRatio`, as shares of `…_total_cycles`. Where there is `…_vec_time` beside `…_vec_ratio`, its share of
//! `…_time` is taken: six decimals of microseconds tell single cycles, six decimals of a ratio do not.

use super::parse::{Sheet, SheetRow};
use super::{BLOCK, PREFIXES, SUB_BLOCK, number};
use crate::systems::ascend::reader::details::{Pipes, pipe_of};

/// Which cycles a column tells: active, waiting.
type Which = fn(Option<f64>) -> (Option<f64>, Option<f64>);

/// The pipes of all units.
pub(super) fn of(sheets: &[Sheet]) -> Pipes {
    let mut pipes = Pipes::default();
    add(sheets, "PipeUtilization", "_ratio", &mut pipes, |value| (value, None));
    add(sheets, "ResourceConflictRatio", "_wait_ratio", &mut pipes, |value| (None, value));
    pipes
}

/// Adds the columns of one file that end so: active or waiting cycles, as `which` says.
fn add(sheets: &[Sheet], name: &str, end: &str, pipes: &mut Pipes, which: Which) {
    let Some(sheet) = sheets.iter().find(|sheet| sheet.name == name) else { return };
    let (Some(block), Some(unit)) = (sheet.column(BLOCK), sheet.column(SUB_BLOCK)) else { return };
    for prefix in PREFIXES {
        let Some(total) = sheet.column(&format!("{prefix}total_cycles")) else { continue };
        let pipe = |head: &str| pipe_of(head.strip_prefix(prefix)?.strip_suffix(end)?);
        let columns: Vec<(usize, Share)> = (0..)
            .zip(&sheet.heads)
            .filter_map(|(at, head)| Some((pipe(&head.name)?, Share::of(sheet, prefix, (at, &head.name)))))
            .collect();
        for row in &sheet.rows {
            let (Some(total), Some(block)) = (number(row, total), row.text(block)) else { continue };
            let Some(unit) = pipes.unit(block, row.text(unit).unwrap_or("")) else { return };
            unit.takes(Some(total));
            for (pipe, share) in &columns {
                let (active, waiting) = which(share.cycles(row, total));
                unit.pipe(*pipe, active, waiting);
            }
        }
    }
}

/// The columns that say which share of its cycles a pipe took: its ratio, its time and the time of its unit.
pub(super) struct Share {
    ratio: usize,
    time: Option<usize>,
    whole: Option<usize>,
}

impl Share {
    /// Those of the column of a ratio, by its place and its name with its prefix.
    pub(super) fn of(sheet: &Sheet, prefix: &str, (ratio, name): (usize, &str)) -> Self {
        let time = name.strip_suffix("ratio").and_then(|stem| sheet.column(&format!("{stem}time")));
        Self { ratio, time, whole: sheet.column(&format!("{prefix}time")) }
    }

    /// The cycles of the pipe in a row whose unit took so many; cycles are whole.
    pub(super) fn cycles(&self, row: &SheetRow, total: f64) -> Option<f64> {
        let share = part(row, self.time, self.whole).or_else(|| number(row, self.ratio))?;
        Some((share * total).round())
    }
}

/// The share that one time of a row is of another.
fn part(row: &SheetRow, time: Option<usize>, whole: Option<usize>) -> Option<f64> {
    let whole = number(row, whole?).filter(|whole| 0.0 < *whole)?;
    Some(number(row, time?)? / whole)
}
