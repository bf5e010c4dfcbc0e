//! Tables that `GainSight` makes of logs, and the report about devices.
//!
//! ```text
//! NAME.sim.csv      a row for each kernel: lifetimes, frequencies, use of L1 and L2
//! NAME.sim_l1.csv   a row for each lifetime: kernel, address, cycles, ns; likewise NAME.sim_l2.csv
//! *cluster*.csv     kernels that stand for others, with how many
//! *.json            the report: write frequencies, refreshes, areas
//! ```
//! Files of one name are one run. Levels and devices are those that the files name.

mod cells;
mod fine;
mod kernels;
mod probe;
mod reading;
mod report;
mod weights;

pub(super) use weights::Weights;

use crate::base::words::phrase;
use crate::format::{Format, Probe};

/// The tables.
pub(super) static TABLES: Format = Format {
    id: "gainsight_csv",
    title: phrase("Tables of data lifetimes"),
    written_by: "GainSight",
    patterns: &["*.sim.csv", "*.sim_l1.csv", "*.sim_l2.csv"],
    shows: "Data lifetimes, kernels",
    source: "the documentation of GainSight",
    probe: Probe { look: probe::look, join: Some(probe::join) },
    parameters: &[],
    read: |claim, _| Box::new(reading::Tables::new(claim)),
    slices: None,
    mode_note: None,
    operators: None,
};

/// The report.
pub(super) static REPORT: Format = Format {
    id: "gainsight_report",
    title: phrase("Report of memory devices"),
    written_by: "GainSight",
    patterns: &["*.json"],
    shows: "Write frequencies, refreshes, areas",
    source: "the documentation of GainSight",
    probe: Probe { look: report::look, join: None },
    parameters: &[],
    read: |claim, _| Box::new(report::Report::new(claim)),
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of files.
mod role {
    /// A row for each kernel.
    pub(super) const KERNELS: &str = "kernels";
    /// A row for each lifetime.
    pub(super) const LIFETIMES: &str = "lifetimes";
    /// Kernels that stand for others.
    pub(super) const CLUSTERS: &str = "clusters";
}

/// Folder, name without the endings of these tools, and the number of the level that a path tells.
fn split(path: &str) -> (&str, &str, Option<usize>) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.strip_suffix(".csv").unwrap_or(name);
    match name.rsplit_once(".sim_l").or_else(|| name.rsplit_once("_l")) {
        Some((stem, level)) if level.parse::<usize>().is_ok() => (folder, stem, level.parse().ok()),
        _ => (folder, name.strip_suffix(".sim").unwrap_or(name), None),
    }
}
