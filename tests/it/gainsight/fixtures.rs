//! The fixtures of these formats. `UPDATE=1` writes them.

use super::{export, make, open_set};
use crate::nvbit::fixtures::keep;

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let by = "tests/it/gainsight/fixtures.rs";
    let (log, _) = make::log(1, 120);
    keep(
        "gpgpusim",
        "plain",
        &[("run.log", log.clone().into_bytes())],
        by,
        "two kernels with accesses to L1 and L2",
    );
    let set = [("lifetime", "resident"), ("refill", "keep")];
    let mut doc = open_set(&[("run.log", log.into_bytes())], &set);
    let files = [
        ("run.sim.csv", export(&mut doc, "gainsight-sim-csv").into_bytes()),
        ("run.sim_l1.csv", export(&mut doc, "gainsight-l1-csv").into_bytes()),
        ("run.sim_l2.csv", export(&mut doc, "gainsight-l2-csv").into_bytes()),
        ("run_clusters.csv", b"kernel_id,cluster_size\n3,12\n7,1\n".to_vec()),
    ];
    keep("gainsight_csv", "plain", &files, by, "tables of one run, with clusters");
    let report = export(&mut doc, "gainsight-report-json");
    let report: Vec<&str> =
        report.lines().filter(|line| !line.contains("\"Date\"") && !line.contains("\"Time\"")).collect();
    let report = report.join("\n") + "\n";
    keep(
        "gainsight_report",
        "plain",
        &[("report.json", report.into_bytes())],
        by,
        "a report of four devices",
    );
}
