//! What was read of runs. Lifetimes stand in the tables that all systems share; the rest stands here.

use super::report::Report;
use crate::systems::gainsight::grid::Grid;
use crate::views::lifetimes::compute::Level;
use std::collections::BTreeMap;

/// Names of the buffers, in the order of the levels.
pub(super) const BUFFERS: [&str; 3] = ["IFMAP", "FILTER", "OFMAP"];

/// What the configuration calls their sizes, in KiB.
pub(super) const SIZES: [&str; 3] = ["IfmapSramSzkB", "FilterSramSzkB", "OfmapSramSzkB"];

/// All runs that were opened.
#[derive(Default)]
pub(super) struct Runs(pub(super) Vec<ArrayRun>);

/// One run: a folder with reports and traces.
#[derive(Default)]
pub(super) struct ArrayRun {
    /// Its folder, or what the configuration calls it.
    pub(super) name: String,
    /// The reports, by kind as in [`super::report::KINDS`].
    pub(super) reports: [Option<Report>; 3],
    /// What the configuration says, in its order.
    pub(super) settings: Vec<(String, String)>,
    /// What the traces of each layer tell.
    pub(super) layers: BTreeMap<u64, [Option<Buffer>; 3]>,
}

/// What the traces of a buffer tell.
pub(super) struct Buffer {
    /// Counts and lifetimes; copied to the shared tables.
    pub(super) level: Level,
    /// Writes and reads over cycles and words.
    pub(super) maps: [Grid; 2],
    /// First and last cycle of an access.
    pub(super) span: Option<(i64, i64)>,
    /// Writes that were replaced without being read.
    pub(super) replaced: u64,
    /// Rows that only fill up the end of a trace.
    pub(super) padding: u64,
}
