//! A first step that takes longer than the others, but not by so much that steps are uneven: what lies in it is no time of each.

use super::{Made, made, said};

/// Ten steps of 10 ms with a kernel of 9.99 ms each, but for the first: of 20 ms, with this before its kernel.
fn warmed_up(first: impl Fn(Made) -> Made) -> Made {
    let made = first(made().step(0, (0, 20_000))).launched(7, "k", (10_010, 9_990), (10_000, 5));
    (1..10).fold(made, |made, n| {
        let at = 10_000 + n * 10_000;
        made.step(n, (at, 10_000)).launched(7, "k", (at + 10, 9_990), (at + 2, 5))
    })
}

#[test]
fn what_lies_in_the_first_step_is_told_with_it() {
    // Fifty gaps of 150 µs, none of which is most of them.
    let gaps = warmed_up(|made| {
        (0..50).fold(made, |made, n| made.launched(7, "first", (n * 200 + 150, 50), (n * 200 + 140, 5)))
    });
    let late = said(&gaps.found("device-launched-late"));
    assert!(late.contains(" per step, most of it in ProfilerStep#0 for the host"), "{late}");
    let exchange = warmed_up(|made| made.kernel(9, "ncclDevKernel_AllReduce_Sum_f32", (10, 9_990)));
    let exchange = said(&exchange.found("device-communication-not-hidden"));
    assert!(
        exchange.contains(" runs for 999.000 µs per step, most of it in ProfilerStep#0 with"),
        "{exchange}"
    );
    let copies = |name: &str| {
        warmed_up(|made| (0..5).fold(made, |made, n| made.copy(9, name, (n * 2_000 + 10, 1_990))))
    };
    let pageable = said(&copies("Memcpy HtoD (Pageable -> Device)").found("device-copies-pageable"));
    let expected = "995.000 µs a step, most of it in ProfilerStep#0, go by in 0.5 copies of pageable memory.";
    assert_eq!(pageable, expected);
    let bare = said(&copies("Memcpy HtoD (Pinned -> Device)").found("device-copies-not-hidden"));
    assert!(
        bare.starts_with("995.000 µs a step, most of it in ProfilerStep#0, go by in 0.5 copies"),
        "{bare}"
    );
}

#[test]
fn what_all_steps_have_is_of_each() {
    // The first of two has a little more than half: that is no cause.
    let two = |more: u32| {
        let step = |made: Made, n: u32, idle: u32| {
            let at = n * 10_000;
            let made = made.step(n, (at, 10_000));
            made.launched(7, "k", (at + idle, 10_000 - idle), (at + idle - 10, 5))
        };
        said(&step(step(made(), 0, 2_000 + more), 1, 2_000).found("device-launched-late"))
    };
    assert!(two(200).contains(" per step for the host"), "{}", two(200));
    assert!(two(5_000).contains(" per step, most of it in ProfilerStep#0 for the host"), "{}", two(5_000));
    // A gap of 6 ms on both sides of a border: each of both steps has three of seven.
    let across = [(0, 10, 9_990), (1, 10_010, 6_990), (2, 23_000, 7_000), (3, 31_000, 9_000)];
    let across = across.iter().fold(made(), |made, (n, at, dur)| {
        made.step(*n, (n * 10_000, 10_000)).launched(7, "k", (*at, *dur), (at - 8, 5))
    });
    let late = said(&across.found("device-launched-late"));
    assert!(late.contains(" per step for the host"), "{late}");
}
