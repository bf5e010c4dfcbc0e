//! Texts of rules on lifetimes, of two SMs and two kernels that differ.

use super::super::assert_tells;
use super::{Access, joined, lives, opened};

#[test]
fn numbers_are_of_all_sms_and_kernels_and_say_so() {
    // 100 that outlive a microsecond five times, and 50 on another SM in another kernel that do so three times.
    let refreshed = [("a", 9_000, lives(0, 0, 100, 5_500)), ("b", 6_000, lives(1, 1_000, 50, 3_500))];
    // Of one SM 60 of 80 are loaded once, of the other 10 of 40.
    let once = |unit: u32, from: u64, n: u64| -> Vec<Access> {
        (from..from + n).map(|at| (60 + at, 0, unit, at, false, 2)).collect()
    };
    let loaded =
        joined(&[lives(0, 0, 20, 500), once(0, 100, 60), lives(1, 1_000, 30, 500), once(1, 1_100, 10)]);
    // Of one SM 15 of 20 stores are not read, of the other 2 of 10; at L2 8 of 20 are replaced.
    let store = |cycle: u64, level: usize, unit: u32, at: u64| (cycle, level, unit, at, true, 0);
    let load = |cycle: u64, unit: u32, at: u64| (cycle, 0, unit, at, false, 0);
    let mut written: Vec<Access> = (0..20).map(|at| store(100 + at, 0, 0, at)).collect();
    written.extend((0..5).map(|at| load(200 + at, 0, at)));
    written.extend((100..110).map(|at| store(100 + at, 0, 1, at)));
    written.extend((100..108).map(|at| load(300 + at, 1, at)));
    written.extend((0..8).flat_map(|at| [store(300 + at, 1, 0, at), store(400 + at, 1, 0, at)]));
    written.extend((8..12).map(|at| store(500 + at, 1, 0, at)));
    let mut retried = lives(0, 0, 50, 500);
    retried.extend((0..30).map(|at| (2_000 + at, 0, 1, at, false, 3)));
    retried.extend((0..10).map(|at| (3_000 + at, 0, 2, at, false, 3)));
    let again = [("a", 8_000, retried), ("b", 2_000, lives(0, 0, 10, 100))];
    // 500 + 150 refreshes beside 300 loads and 150 fills; 40 retries beside 120 accesses.
    assert_tells(&[
        (
            &opened(Some(1000.0), &refreshed, &[]),
            "lifetimes-refreshes",
            &[
                "L1 in Silicon gain cell needs 650 refreshes, 1.444 per load, store and true load miss: more than its area saves.",
            ],
        ),
        (
            &opened(Some(1000.0), &[("a", 9_000, loaded)], &[]),
            "lifetimes-once",
            &["70 of 120 lifetimes started by a load at L1 are used only by that load."],
        ),
        (
            &opened(Some(1000.0), &[("a", 9_000, written)], &[]),
            "lifetimes-unread",
            &[
                "17 of 30 stores at L1 write data that no later load of their kernel uses there.",
                "8 of 20 stores at L2 are overwritten by the next store before any load reaches L2.",
            ],
        ),
        (
            &opened(Some(1000.0), &again, &[]),
            "lifetimes-retries",
            &["L1 cannot accept accesses 40 times, 0.333 per load or store."],
        ),
    ]);
}

#[test]
fn what_decides_is_told_of_unequal_kernels_and_sms() {
    // Of 200 lifetimes on two SMs 190 last 0.5 µs.
    let fit = joined(&[lives(0, 0, 190, 500), lives(1, 1_000, 10, 20_000)]);
    // 12 outlive 10 µs, 10 of them of the second kernel.
    let first = joined(&[lives(0, 0, 88, 500), lives(0, 100, 2, 20_000)]);
    let kernels = [("first", 30_000, first), ("second", 30_000, lives(1, 0, 10, 20_000))];
    // 60 and 30 last 1,500 cycles, 10 last 3,000.
    let slow = [
        ("a", 9_000, lives(0, 0, 60, 1_500)),
        ("b", 9_000, joined(&[lives(1, 0, 30, 1_500), lives(1, 100, 10, 3_000)])),
    ];
    // 24 of 40 on one SM, and 54 of 70 on both, last 0.5 µs.
    let busiest = joined(&[lives(0, 0, 24, 500), lives(0, 100, 16, 20_000), lives(1, 200, 30, 500)]);
    assert_tells(&[
        (
            &opened(Some(1000.0), &[("a", 30_000, fit)], &[]),
            "lifetimes-fit",
            &["95.0 % of the lifetimes of L1 end within the 10.000 µs retention time of Hybrid gain cell."],
        ),
        (
            &opened(Some(1000.0), &kernels, &[]),
            "lifetimes-kernels",
            &[
                "second accounts for 83.3 % of the lifetimes of L1 longer than the 10.000 µs retention of Hybrid gain cell.",
            ],
        ),
        (
            &opened(Some(1000.0), &slow, &[]),
            "lifetimes-clock",
            &[
                "From a clock of 1,500 MHz on, 90 % of the lifetimes of L1 would fit Silicon gain cell; at 1,000 MHz, 0.0 % fit.",
            ],
        ),
        (
            &opened(Some(1000.0), &slow, &[("clock-mhz", "2000")]),
            "lifetimes-clock",
            &[
                "Below a clock of 1,500 MHz, less than 90 % of the lifetimes of L1 would fit Silicon gain cell; at 2,000 MHz, 90.0 % fit.",
            ],
        ),
        (
            &opened(Some(1000.0), &[("a", 30_000, busiest)], &[]),
            "lifetimes-scope",
            &[
                "In the busiest SM of each kernel, 60.0 % of the lifetimes of L1 fit Hybrid gain cell; over all of them, 77.1 % fit.",
            ],
        ),
    ]);
}
