//! Hosts that run ahead: steps are taken by what they launch, each device by itself; what of their work does not
//! count is told.

use super::{Made, assert_near, made, said};
use crate::findings::check;
use crate::support::front_door::{open, open_one};
use lanescope::analysis::device::Options;
use lanescope::analysis::finding::{Finding, Overview};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::wire::Query;

const EXPOSED: &str = "device-communication-not-hidden";
const REDUCE: &str = "ncclDevKernel_AllReduce_Sum_f32";
const TAKEN: &str = "Steps are taken by what they launch, each from its first work on the device to that of the next: the host runs ahead, the work of a step ends 49.000 ms after the step does on the host (median).";

/// Three steps whose work runs 20 ms apart from 30 ms on, behind what was launched before the recording: 12 ms of
/// computing, then 7 ms of an all-reduce that began before. The host begins the first step at, and takes for each,
/// so many µs.
fn of(begin: u32, wall: u32) -> Made {
    (0..3).fold(made().kernel(7, "old", (0, 29_000)), |made, n| {
        let (mark, run) = (begin + n * wall, 30_000 + n * 20_000);
        made.step(n, (mark, wall)).launched(7, "gemm", (run, 12_000), (mark + 500, 5)).launched(
            20,
            REDUCE,
            (run + 6_000, 13_000),
            (mark + 700, 5),
        )
    })
}

/// Copies that each step launches ahead, which run at once on a stream of their own.
fn prefetched(made: Made) -> Made {
    (0..3).fold(made, |made, n| {
        let (number, at) = (format!(r#""correlation":{}"#, 900 + n), n * 10_000 + 3_000);
        made.event((1, 1), ("cuda_runtime", "cudaMemcpyAsync"), (at, 5), &number).event(
            (0, 8),
            ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)"),
            (at + 10, 1_000),
            &number,
        )
    })
}

fn tile(overview: &Overview, label: &str) -> (String, String) {
    let tile = overview.tiles.iter().find(|tile| tile.label.to_string().as_str() == label).unwrap();
    (tile.value.to_string(), tile.comparison.text(Language::En).into_owned())
}

fn how(found: &Finding) -> String {
    found.evidence.how.text(Language::En).into_owned()
}

/// Name, wall time, computing, exposed communication, copies, idle and host of each step, in µs, and its device.
fn steps(doc: &mut Document) -> Vec<(String, [u64; 6], String)> {
    let (answer, bytes) = doc.query(&Query::Export { id: "steps-csv".to_owned() });
    let bytes = bytes.unwrap_or_else(|| panic!("{answer:?}"));
    let mut csv = csv::Reader::from_reader(&bytes[..]);
    let row = |row: csv::StringRecord| {
        let times = std::array::from_fn(|at| row[at + 2].parse::<u64>().unwrap() / 1000);
        (row[0].to_owned(), times, row[8].to_owned())
    };
    csv.records().map(|record| row(record.unwrap())).collect()
}

fn walls(rows: &[(String, [u64; 6], String)], device: &str) -> Vec<[u64; 6]> {
    rows.iter()
        .filter(|row| row.0.starts_with("Profiler") && row.2.contains(device))
        .map(|row| row.1)
        .collect()
}

#[test]
fn steps_of_a_host_that_runs_ahead_are_what_they_launch() {
    // 30 to 50, 50 to 70 and 70 to 89 ms; copies that run early begin none, and a step that launches nothing is none.
    for made in [of(0, 10_000), prefetched(of(0, 10_000)), of(0, 10_000).step(3, (30_000, 10_000))] {
        let overview = made.overview();
        check(&overview);
        let said_of_steps = "on the device, 49.00 ms behind the host; median of 3, 19.00 ms to 20.00 ms; 29.00 ms busy outside steps";
        assert_eq!(tile(&overview, "Step time"), ("20.00 ms".to_owned(), said_of_steps.to_owned()));
        let computes = ("61.0 %".to_owned(), "12.00 ms of 19.67 ms per step".to_owned());
        assert_eq!(tile(&overview, "Device computes"), computes);
        let found = made.found(EXPOSED);
        let sentence = "Communication of all-reduce runs for 7.000 ms per step with no compute to hide it.";
        assert_eq!(said(&found), sentence);
        assert_near(found.value, 7e6);
        assert_near(found.saving.share, 21.0 / 59.0);
        assert!(how(&found).ends_with(&format!(" {TAKEN}")), "{}", how(&found));
        let (name, bytes) = made.file(0);
        let mut doc = open_one(&name, bytes).0;
        let taken = doc.query(&Options::default()).0.unwrap().taken;
        assert_eq!(taken.text(Language::En), TAKEN);
        let rows = steps(&mut doc);
        let parts: Vec<[u64; 5]> =
            walls(&rows, "").iter().map(|row| [row[0], row[1], row[2], row[3], row[4]]).collect();
        assert_eq!(
            parts,
            [
                [20_000, 12_000, 7_000, 0, 1_000],
                [20_000, 12_000, 7_000, 0, 1_000],
                [19_000, 12_000, 7_000, 0, 0]
            ]
        );
        // The host is in two calls, or in three, while it marks a step.
        assert!(walls(&rows, "").iter().all(|row| [10, 15].contains(&row[5])), "{rows:?}");
    }
}

#[test]
fn steps_that_hold_their_work_are_as_the_host_marks_them() {
    let made = of(29_000, 20_000);
    let overview = made.overview();
    let said_of_steps = "median of 3, 20.00 ms to 20.00 ms; 29.00 ms busy outside steps";
    assert_eq!(tile(&overview, "Step time"), ("20.00 ms".to_owned(), said_of_steps.to_owned()));
    let found = made.found(EXPOSED);
    assert_near(found.value, 7e6);
    assert_near(found.saving.share, 0.35);
    assert!(!how(&found).contains("Steps are taken"), "{}", how(&found));
    assert!(found.saving.text(Language::En).ends_with(" % of a step"), "{}", found.saving.text(Language::En));
}

/// The host of one device runs ahead, that of the other does not.
#[test]
fn each_device_has_steps_of_its_own() {
    let files = vec![of(0, 10_000).file(0), of(29_000, 20_000).file(1)];
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let rows = steps(&mut doc);
    let of_rank = |device: &str| walls(&rows, device).iter().map(|row| row[0]).collect::<Vec<_>>();
    assert_eq!(of_rank("rank 0"), [20_000, 20_000, 19_000], "{rows:?}");
    assert_eq!(of_rank("rank 1"), [20_000; 3], "{rows:?}");
    let taken = doc.query(&Options::default()).0.unwrap().taken;
    let taken = taken.text(Language::En).into_owned();
    assert!(taken.starts_with("rank 0") && taken.ends_with(TAKEN), "{taken}");
}

#[test]
fn work_that_does_not_count_in_steps_is_told() {
    let lack = " and is not counted in them";
    let of_saving = "% of steps, not all of whose work is counted";
    // Without launches, three times 5 ms of computing and 4 of an all-reduce, of which so many lie in steps.
    let of = |n_steps: u32| {
        let works = (0..3).fold(made(), |made, n| {
            made.kernel(7, "gemm", (n * 10_000, 5_000)).kernel(20, REDUCE, (n * 10_000 + 5_000, 4_000))
        });
        (0..n_steps).fold(works, |made, n| made.step(n, (n * 10_000, 10_000)))
    };
    let found = of(2).found(EXPOSED);
    assert_near(found.value, 4e6);
    let expected = format!(
        "33.3 % of the device's work from the first step on runs outside of all steps{lack}: which of it they launch is not recorded."
    );
    assert!(how(&found).ends_with(&expected), "{}", how(&found));
    assert!(found.saving.text(Language::En).ends_with(of_saving), "{}", found.saving.text(Language::En));
    let found = of(3).found(EXPOSED);
    assert!(!how(&found).contains(lack), "{}", how(&found));
    assert!(found.saving.text(Language::En).ends_with(" % of a step"), "{}", found.saving.text(Language::En));
    // A third of what steps launch runs behind them.
    let two = (0..2).fold(made(), |made, n| {
        let at = n * 10_000;
        made.step(n, (at, 10_000)).launched(7, "gemm", (at + 3_000, 6_000), (at + 2_900, 5))
    });
    let rule = "device-launched-late";
    assert!(!how(&two.found(rule)).contains(lack));
    let found = two.launched(7, "tail", (20_000, 6_000), (19_900, 5)).found(rule);
    let expected = format!("33.3 % of the work that steps launch runs outside of all steps{lack}.");
    assert!(how(&found).ends_with(&expected), "{}", how(&found));
}
