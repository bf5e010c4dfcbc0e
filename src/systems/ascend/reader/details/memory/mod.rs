//! 0x08 memory graph and 0x09 memory tables: what moved between the memories of a core, and how fast.
//!
//! ```text
//! 08 ─▶ graph ─▶ paths (names of ids), chart (which picture), chart_910, chart_310, chart_a5 (places) ─▶ boxes and arrows
//! 09 ─▶ tables
//! ```

mod all;
mod blocks;
mod chart;
mod chart_310;
mod chart_910;
mod chart_a5;
mod graph;
mod paths;
mod tables;
mod units;

pub(super) use all::ALL_NAME;
pub(in crate::systems::ascend::reader) use graph::memory_graph;
pub(in crate::systems::ascend::reader) use tables::memory_tables;

/// The panel of these figures.
const SECTION: &str = "Memory workload";
