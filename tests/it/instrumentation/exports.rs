//! What each thread did, as text and as columns, whatever recorded it.

use crate::accelsim::{export, recorded};
use crate::support::front_door::open_case;
use lanescope::wire::Query;

#[test]
fn every_instruction_and_every_lane_is_exported_from_all_formats() {
    let cases = [
        ("accelsim", "folder"),
        ("accelsim", "raw"),
        ("gpu_multitrace", "tiny"),
        ("gpu_multitrace", "slots"),
        ("gtpin_memory", "c"),
        ("nvbit", "plain"),
        ("nvbit_json", "memory"),
    ];
    for (format, case) in cases {
        let (mut doc, is_ready) = open_case(format, case);
        assert!(is_ready, "{format} {case}");
        let (mut instructions, mut lanes) = (0, 0);
        let of = recorded(&doc);
        for launch in &of.launches {
            let Some(source) = &launch.rows else { continue };
            let program = &of.programs[launch.program as usize];
            for execution in 0..launch.executions.block.len() as u32 {
                let rows = source.rows(launch, program, execution).unwrap();
                instructions += rows.len();
                lanes += rows.iter().map(|row| row.addresses.len()).sum::<usize>();
            }
        }
        assert!(0 < instructions && 0 < lanes, "{format} {case}");
        let text = export(&mut doc, "combined-text");
        assert_eq!(text.lines().count(), instructions, "{format} {case}");
        assert!(text.lines().all(|line| line.split('\t').count() == 7), "{format} {case}");
        let csv = export(&mut doc, "lane-accesses-csv");
        assert_eq!(csv.lines().count(), lanes + 1, "{format} {case}");
        for id in ["lane-accesses-arrow", "lane-accesses-parquet"] {
            let bytes = doc.query(&Query::Export { id: id.to_owned() }).1.unwrap();
            let magic: &[u8] = if id.ends_with("arrow") { b"ARROW1" } else { b"PAR1" };
            assert!(bytes.starts_with(magic) && bytes.ends_with(magic), "{format} {case} {id}");
        }
    }
}

/// Launches have no figures of the file: all are computed.
#[test]
fn computed_figures_are_saved_whatever_the_form() {
    for (format, case) in [("accelsim", "raw"), ("gpu_multitrace", "tiny")] {
        let (mut doc, is_ready) = open_case(format, case);
        assert!(is_ready && doc.trace().figures.is_empty() && doc.trace().n_slices() == 0, "{format}");
        let table = export(&mut doc, "figures-csv:instrumentation-kernels");
        assert!(table.starts_with("Kernel,Launch,"), "{format}: {table}");
        assert!(export(&mut doc, "figures-csv").contains("instrumentation-kernels"), "{format}");
        for id in ["figure-svg", "figure-svg:instrumentation-kernels"] {
            assert!(export(&mut doc, id).starts_with("<svg"), "{format} {id}");
        }
    }
}
