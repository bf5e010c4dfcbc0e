//! What can be computed about memory accesses: where addresses cluster, how dense accesses lie, which are in a window.
//!
//! ```text
//! rows ──▶ Spread (which addresses occur) ──▶ Axis (clusters above each other, or one plain scale)
//!      ──▶ Grid   (accesses per cell of records × addresses, by group; kept and halved when zooming out)
//!      ──▶ List   (rows of a window) ──▶ Sums
//! ```
//! A bar is an access: one record wide, from its first to its last byte. What has no size counts as one byte.

mod across;
mod axis;
mod filter;
mod grid;
mod list;
mod regions;
pub mod spread;

pub use across::Across;
pub use axis::{Axis, Segment};
pub use filter::{Filter, Groups, SIDES, Side, side_of};
pub use grid::{Grid, Part, Tiling};
pub use list::{AccessScope, FilteredAccesses, List, OperationSum, Sums, last_of, operation_sums, sums};
pub use regions::{RegionSweep, region_of};

use crate::model::Trace;
use grid::Grids;
use spread::Spread;
pub(crate) use spread::Stretches;
use std::rc::Rc;

/// What is kept about accesses.
#[derive(Default)]
pub struct AccessCache {
    spread: Spread,
    grids: Grids,
    /// The list that was asked for last, and how many rows the trace had.
    list: Option<(usize, AccessScope, Rc<List>)>,
}

impl AccessCache {
    /// Takes in the accesses that were added. Costs no more than those.
    pub fn extend(&mut self, trace: &Trace) {
        self.spread.extend(&trace.accesses);
    }

    /// The axis of addresses for what a filter lets through: clusters, or one plain scale.
    pub fn axis(&self, trace: &Trace, filter: &Filter, is_linear: bool) -> Axis {
        let spaces = filter.spaces(&trace.accesses);
        Axis::new(&self.spread.clusters(&spaces), is_linear)
    }

    /// How dense accesses lie in the cells of a tiling.
    pub fn grid(&mut self, trace: &Trace, look: &AccessScope, axis: &Axis, tiling: &Tiling) -> Rc<Grid> {
        self.grids.get(&trace.accesses, look, axis, tiling)
    }

    /// The rows in a window; kept until others are asked for.
    pub fn list(&mut self, trace: &Trace, look: &AccessScope) -> Rc<List> {
        let accesses = &trace.accesses;
        if let Some((n, kept, list)) = &self.list
            && (*n, kept) == (accesses.len(), look)
        {
            return list.clone();
        }
        let axis = self.axis(trace, &look.filter, look.is_linear);
        let list = Rc::new(List::new(accesses, look, &axis));
        self.list = Some((accesses.len(), look.clone(), list.clone()));
        list
    }
}
