//! What pipes did, from the CSV files of an operator: `…_ratio` of `PipeUtilization` and `…_wait_ratio` of
//! `ResourceConflictRatio`, as shares of `…_total_cycles`.

use super::parse::Sheet;
use super::table::{BLOCK, PREFIXES, SUB_BLOCK, number};
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
        let columns: Vec<(usize, usize)> =
            sheet.heads.iter().enumerate().filter_map(|(at, head)| Some((at, pipe(&head.name)?))).collect();
        for row in &sheet.rows {
            let (Some(total), Some(block)) = (number(row, total), row.text(block)) else { continue };
            let Some(unit) = pipes.unit(block, row.text(unit).unwrap_or("")) else { return };
            unit.takes(Some(total));
            for (at, pipe) in &columns {
                let (active, waiting) = which(number(row, *at).map(|share| share * total));
                unit.pipe(*pipe, active, waiting);
            }
        }
    }
}
