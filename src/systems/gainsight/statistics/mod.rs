//! What simulators of GPUs print at the end of each kernel: caches, memory, latencies, warps, interconnect.
//!
//! ```text
//! kernel_name = saxpy                                              a block begins
//! gpu_sim_cycle = 9576                                             of this kernel
//!     L1D_cache_core[0]: Access = 4171, Miss = 2907, …             of all kernels so far, as everything below
//!     Total_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = 0      also with [Stream_N] in front
//! mf_lat_table:0  0  0 …                                           counts by the logarithm of latencies
//! average row accesses per activate:                               a title, then channels by banks
//! dram[0]:   0   96 …
//! gpgpu_silicon_slowdown = 1600000x                                the block ends
//! ```
//! A number is kept when it differs from that of the kernel before. Figures show the whole run or one kernel, for which
//! counts are differences; averages and maxima cannot be taken apart and stay as they were printed.

mod caches;
mod collect;
mod figures;
mod memory;
mod snapshot;
mod tables;

use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::parameter::{Parameter, ParameterKind};
pub(in crate::systems::gainsight) use collect::Statistics;
use snapshot::Snapshot;

/// The figures.
pub(in crate::systems::gainsight) static ANALYSIS: Analysis = Analysis {
    id: "simulator-statistics",
    title: phrase("Statistics of the simulator"),
    parameters: &[&KERNEL],
    applies: |trace| trace.extensions.get::<Logs>().is_some_and(|logs| !logs.0.is_empty()),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// The kernel whose statistics are shown.
static KERNEL: Parameter = Parameter {
    id: "statistics-kernel",
    title: phrase("Kernel"),
    help: phrase("row of the kernel whose statistics are shown, from 1; empty for the whole run"),
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 0.0,
        max: 1e9,
        default: 0.0,
        none: phrase("Whole run"),
    },
    rereads: false,
};

/// The statistics of all logs that were opened.
#[derive(Default)]
struct Logs(Vec<Log>);

/// The statistics of a log.
#[derive(Default)]
struct Log {
    /// What the file is called.
    name: String,
    /// Names of all numbers, such as `L1D_cache_core[0].Access`.
    keys: Vec<String>,
    /// The kernels, in the order in which they ended.
    kernels: Vec<KernelEnd>,
}

/// The end of a kernel, or of several at once.
#[derive(Default)]
struct KernelEnd {
    /// Names of those that ended.
    names: String,
    /// Numbers of their launches.
    uids: String,
    /// Their stream, where it is said.
    stream: String,
    /// Numbers that differ from those of the kernel before: row of the key and value; NaN where there is none.
    changes: Vec<(u32, f64)>,
}

/// The numbers that a figure shows, by the number of the log at the end of its id and the chosen kernel.
fn snapshot<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<Snapshot<'a>> {
    let number: usize = id.rsplit('-').next()?.parse().ok()?;
    let log = input.trace.extensions.get::<Logs>()?.0.get(number)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the parameter has bounds
    let kernel = input.values.number(KERNEL.id).map_or(0, |number| number as usize);
    Some(Snapshot::new(log, kernel.checked_sub(1).filter(|row| *row < log.kernels.len())))
}
