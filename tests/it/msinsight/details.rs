//! Base info, compute workload and core occupancy as figures.

use super::{codes, family};
use crate::support::front_door::open_case;
use lanescope::model::figure::{Body, Cell, Figure};

#[test]
fn a_device_run_shows_what_the_operator_is() {
    let (doc, _) = open_case("msinsight", "device");
    let trace = doc.trace();
    assert_eq!(trace.title, "ScaleAddCustom_mix_aic");
    assert_eq!(trace.headline, ["Ascend910B4", "mix", "118.250 µs"]);
    let Body::Facts(facts) = &family(&doc, "base-info").variants[0].body else { panic!("facts") };
    let fact = |name: &str| facts.facts.iter().find(|f| f.name == name).map(|f| f.value.clone());
    assert_eq!(fact("Block dim"), Some(Cell::Number(3.0)));
    assert_eq!(fact("Mix block dim"), Some(Cell::Number(6.0)));
    assert_eq!(fact("Process"), Some(Cell::Text("4711".to_owned())));
    assert_eq!(fact("Rated clock"), Some(Cell::Number(1650.0)));
    // A vector unit has no time: it may have taken longer than the 117.5 µs of the longest that has.
    assert_eq!([fact("Longest core"), fact("Outside the longest block")], [None, None]);
    let notes = &family(&doc, "mix-block-detail").variants[0].notes;
    assert_eq!(notes[0], "The file has times of 5 of 6 vector units.");
    let advice = &family(&doc, "base-info").variants[0].advice;
    // The writer's sentence on the clock and ours with its numbers are one.
    let clock = "The chip ran at 1,200 of 1,650 MHz, 72.7 % of its rated clock: computing takes longer than at full clock.";
    assert_eq!(advice[0].text, clock);
    let Body::Table(table) = &family(&doc, "mix-block-detail").variants[0].body else { panic!("table") };
    assert_eq!(table.key_columns, 1);
    let heads: Vec<String> =
        table.columns.iter().map(|c| format!("{} {}", c.name, c.unit.symbol())).collect();
    assert_eq!(heads, ["Block ID ", "Cube0 Duration µs", "Vector0 Duration µs", "Vector1 Duration µs"]);
    assert_eq!(table.rows[1][3], Cell::Missing);
    let Body::Histogram(histogram) = &family(&doc, "mix-block-detail-durations").variants[0].body else {
        panic!("histogram")
    };
    let counted: Vec<f64> = histogram.series.iter().map(|s| s.counts.iter().sum()).collect();
    assert_eq!(counted, [3.0, 3.0, 2.0]);
    assert_eq!(histogram.edges.first(), Some(&79.0));
    assert!((histogram.edges.last().unwrap() - 117.5).abs() < 1e-9);
}

#[test]
fn the_workload_has_a_figure_for_each_block() {
    let (doc, _) = open_case("msinsight", "device");
    let bars = family(&doc, "compute-workload");
    assert_eq!(bars.choices[0].options, ["Average over all cores", "0", "1", "2", "10"]);
    let Body::Bars(of_block) = &bars.variant(&[1]).unwrap().body else { panic!("bars") };
    let shown: Vec<(&str, Option<f64>, &str)> =
        of_block.bars.iter().map(|b| (b.name.as_str(), b.values[0], b.detail.as_str())).collect();
    assert_eq!(
        shown,
        [("Cube Wait", Some(54.0), "54,000 cycles"), ("Cube All Active", Some(21.5), "21,500 cycles")]
    );
    assert_eq!(format!("{:?} {:?}", of_block.bars[0].role, of_block.bars[1].role), "Wait Work");
    // Advice on the workload stands in the memory graph, for each core.
    let said =
        |option| bars.variant(&[option]).unwrap().advice.iter().map(|a| a.text.clone()).collect::<Vec<_>>();
    assert_eq!(said(1), ["cube usage is low on core 0"]);
    assert!(said(2).is_empty());
    let Body::Table(cube) = &family(&doc, "compute-workload-cube0").variants[0].body else { panic!("table") };
    let heads: Vec<&str> = cube.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(heads, ["Name", "Data volume", "Share"]);
    let Body::Table(vector) = &family(&doc, "compute-workload-vector1").variants[4].body else {
        panic!("table")
    };
    assert_eq!(vector.rows, [[Cell::Text("Vector OPS".to_owned()), Cell::Number(12.0)]]);
    assert_eq!(vector.columns[1].unit.symbol(), "ops");
}

fn grid(figure: &Figure) -> Vec<(String, Vec<(String, Option<f64>, Option<u8>)>)> {
    let Body::Cores(grid) = &figure.body else { panic!("cores") };
    let cell = |c: &lanescope::model::figure::CoreCell| (c.name.clone(), c.value, c.level);
    grid.cores
        .iter()
        .filter(|core| core.is_measured)
        .map(|core| (core.name.clone(), core.cells.iter().map(cell).collect()))
        .collect()
}

#[test]
fn cores_have_levels_and_the_rest_of_the_chip_is_empty() {
    let (doc, _) = open_case("msinsight", "device");
    let cores = family(&doc, "core-occupancy");
    let options = ["Cycles", "Throughput", "Cache hit rate", "SIMT VF instructions"];
    assert_eq!(cores.choices[0].options, options);
    let Body::Cores(all) = &cores.variants[0].body else { panic!("cores") };
    assert_eq!((all.cores.len(), all.cores.iter().filter(|c| c.is_measured).count()), (20, 6));
    let measured = grid(&cores.variants[0]);
    let named: Vec<&str> = measured[4].1.iter().map(|(name, _, _)| name.as_str()).collect();
    assert_eq!(named, ["cube", "vector0", "vector1"]);
    // Twelve vector values: 100,000 five times, 190,000 once, 100,500 six times. Mean 107,750 and deviation of the
    // sample 25,903.2 by hand; the slow one is at 3.175 deviations, the others at −0.299 and −0.280.
    let levels: Vec<Option<u8>> = measured.iter().map(|(_, cells)| cells[1].2).collect();
    assert_eq!(levels, [Some(4), Some(4), Some(4), Some(4), Some(9), Some(4)]);
    // Cube: 200,000 to 200,050 by tens; deviation 18.7, so −1.34 to 1.34 deviations.
    let levels: Vec<Option<u8>> = measured.iter().map(|(_, cells)| cells[0].2).collect();
    assert_eq!(levels, [Some(2), Some(3), Some(4), Some(5), Some(6), Some(7)]);
    // Negative is 0; equal values have no level; NA is missing.
    let throughput = grid(cores.variant(&[1]).unwrap());
    assert_eq!(throughput[0].1[2].1, Some(0.0));
    assert_eq!(throughput[0].1[0].2, None);
    assert_eq!(grid(cores.variant(&[2]).unwrap())[0].1[1].1, None);
    // What the writer says is marked as its own. Of the slow core it claims what the table says with numbers; one core is
    // no difference between first and second vector units.
    let said: Vec<String> = cores.variants[0].advice.iter().map(|advice| advice.said().to_string()).collect();
    assert_eq!(
        said,
        [
            "msprof op: core4 vector0 took more time than other vector cores.",
            "msprof op: look at its tiling."
        ]
    );
    let of_cores = &family(&doc, "core-values").variants[0].advice;
    assert_eq!(of_cores.len(), 1);
    assert!(cores.variants[0].advice[0].is_of(&of_cores[0].claims), "{of_cores:?}");
    assert!(!cores.variants[0].advice[1].is_of(&of_cores[0].claims), "{of_cores:?}");
    assert_eq!(
        of_cores[0].text,
        "core 4 vector0 took 90 % more cycles than core 0 vector0, and 76 % more than the mean."
    );
    assert_eq!((of_cores[0].rows.as_slice(), of_cores[0].is_costly), (&[13, 1][..], true));
    let Body::Table(per_cycle) = &family(&doc, "instructions-per-cycle").variants[0].body else {
        panic!("table")
    };
    assert_eq!(per_cycle.rows[0], [Cell::Text("0".to_owned()), Cell::Missing, Cell::Number(1.5)]);
}

#[test]
fn a_vector_operator_is_folded_in_pairs() {
    let (doc, _) = open_case("msinsight", "old_style");
    let cores = grid(&family(&doc, "core-occupancy").variants[0]);
    let names: Vec<(&str, Option<f64>)> =
        cores.iter().flat_map(|(_, cells)| cells.iter().map(|(n, v, _)| (n.as_str(), *v))).collect();
    let expected =
        [("vector0", Some(7114.0)), ("vector1", Some(7453.0)), ("vector0", Some(7940.0)), ("vector1", None)];
    assert_eq!(names, expected);
    assert_eq!(family(&doc, "core-occupancy").choices[0].options.len(), 3);
}

#[test]
fn the_spellings_of_the_design_document_are_read() {
    let (doc, _) = open_case("msinsight", "old_style");
    assert_eq!(doc.trace().headline, ["Ascend910B2", "vector", "5.500 µs"]);
    let Body::Table(table) = &family(&doc, "block-detail").variants[0].body else { panic!("table") };
    assert_eq!(table.rows[1], [Cell::Number(1.0), Cell::Text("vector".to_owned()), Cell::Number(5.25)]);
    let load = family(&doc, "compute-workload");
    assert_eq!(load.choices[0].options, ["0", "1", "All blocks"]);
    assert_eq!(load.variants[1].advice[0].text, "use more cores");
    assert_eq!(load.variants[1].advice.len(), 1);
    assert_eq!(codes(&doc), ["ASC-FIELD"], "only the range with one end");
}
