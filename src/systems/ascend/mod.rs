//! Ascend operators: profiles of msprof op and the simulator, figures of kernels, requests of the design document.

pub mod colors;
pub mod guide;
pub mod kernel;
pub mod reader;
pub mod requests;

mod bound;

use super::System;
use crate::analysis::compare::headline::{Quantity, of_facts};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::Format;
use crate::model::Trace;
use crate::model::figure::{Body, Cell, TableColumn};

/// Its formats where it is not loaded.
pub(super) static RECOGNIZED: &[Format] = &[reader::FORMAT.recognized()];

/// The system.
pub static SYSTEM: System = System {
    id: "ascend",
    title: phrase("Ascend operators"),
    formats: &[&reader::FORMAT],
    analyses: &[&kernel::ANALYSIS],
    exports: &[],
    requests: requests::REQUESTS,
    color_schemes: &[&colors::MINDSTUDIO],
    examples: &["visualize_data.bin --svg details --colors mindstudio --out details.svg"],
    search_prefixes: &[],
    headline: |input| of_facts(input.trace).into_iter().chain(pipe_cycles(input.trace)).collect(),
};

/// The cycles in which each pipe of each kind of core was active, of all blocks: why an operator takes as long as it does.
fn pipe_cycles(trace: &Trace) -> Vec<Quantity> {
    let mut found = trace.figures.iter().filter(|family| family.id == reader::PIPES);
    let figure = found.next().filter(|_| found.next().is_none()).and_then(|family| family.variants.first());
    let Some(Body::Table(table)) = figure.map(|figure| &figure.body) else { return Vec::new() };
    let at = |is: &dyn Fn(&TableColumn) -> bool| table.columns.iter().position(is);
    let (cycles, at_most) = (at(&|c| c.unit == Unit::Cycles), at(&|c| c.name == reader::AT_MOST));
    let part = |row: &Vec<Cell>| match (row.first()?, row.get(1)?, row.get(cycles?)?.as_number()?) {
        (Cell::Text(kind), Cell::Text(pipe), cycles) => {
            // An average over all blocks, which has no block with the most, is no sum of them.
            let key = (kind, row.get(at_most?) == Some(&Cell::Missing));
            let part = Quantity::new(pipe, (cycles, Unit::Cycles), &key, kind.clone().into());
            Some(Quantity { is_part: true, ..part })
        }
        _ => None,
    };
    table.rows.iter().filter_map(part).collect()
}
