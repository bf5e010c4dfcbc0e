//! Work of a device that takes much longer than other work of its name: what it costs beside other streams, and of which size
//! it is.

use super::{Made, assert_near, made, said};
use crate::findings::{overview, planted};
use lanescope::analysis::finding::Overview;

const RULE: &str = "trace-outliers";

/// Forty kernels of 10 µs, and one of 1 ms that begins at 1 ms. Another one ends later: what lasts until the recording ends
/// is no outlier.
fn slow() -> Made {
    let short = (0..40).fold(made(), |made, n| made.kernel(7, "k", (n * 20, 10)));
    short.kernel(7, "k", (1_000, 1_000)).kernel(7, "end", (2_100, 10))
}

#[test]
fn what_other_streams_hide_of_an_outlier_is_not_saved() {
    assert_near(slow().found(RULE).value, 990e3);
    let found = slow().kernel(8, "other", (1_000, 600)).found(RULE);
    assert_near(found.value, 400e3);
    assert!(
        said(&found).starts_with(
            "1 of 41 slices k takes 990.000 µs more than the median of 10.000 µs, 400.000 µs of it while all other streams are idle"
        ),
        "{}",
        said(&found)
    );
    // Of 2 ms 5 µs are left, whether another kernel or a copy works beside it.
    slow().kernel(8, "other", (1_000, 995)).nothing(RULE);
    slow().copy(8, "Memcpy HtoD (Pinned -> Device)", (1_000, 995)).nothing(RULE);
}

fn of_grid(made: Made, grid: u32, at: (u32, u32)) -> Made {
    made.event((0, 7), ("kernel", "k"), at, &format!(r#""grid":[{grid},1,1],"block":[128,1,1]"#))
}

#[test]
fn an_outlier_is_held_against_launches_of_its_size() {
    let made = || made().kernel(7, "end", (50_000, 10));
    let short = || (0..100).fold(made(), |made, n| of_grid(made, 1, (n * 20, 10)));
    assert_near(of_grid(short(), 1, (3_000, 1_000)).found(RULE).value, 990e3);
    // One of a hundred times the blocks, and four of them.
    of_grid(short(), 100, (3_000, 1_000)).nothing(RULE);
    let both = || (0..4).fold(short(), |made, n| of_grid(made, 100, (3_000 + n * 2_000, 1_000)));
    both().nothing(RULE);
    let found = of_grid(both(), 100, (20_000, 20_000)).found(RULE);
    assert_near(found.value, 19e6);
    assert!(
        said(&found).starts_with(
            "1 of 105 slices k takes 19.000 ms more than the median of 1.000 ms for work of the same size"
        ),
        "{}",
        said(&found)
    );
}

/// An NPU on which a stream and its communication alternate ten times, with or without a stream of the parts that the
/// communication consists of.
fn alternating(with_parts: bool) -> Overview {
    let mut events: Vec<String> = [(10, "Ascend Hardware"), (11, "Communication")]
        .into_iter()
        .flat_map(|(pid, name)| {
            [
                format!(r#"{{"ph":"M","pid":{pid},"name":"process_name","args":{{"name":"{name}"}}}}"#),
                format!(r#"{{"ph":"M","pid":{pid},"name":"process_labels","args":{{"labels":"NPU"}}}}"#),
            ]
        })
        .collect();
    for (pid, tid, name) in [(10, 2, "Stream 2"), (10, 11, "Stream 11"), (11, 0, "Group 0 Communication")] {
        let name = format!(r#""name":"thread_name","args":{{"name":"{name}"}}"#);
        events.push(format!(r#"{{"ph":"M","pid":{pid},"tid":{tid},{name}}}"#));
    }
    let mut slice = |pid: u32, tid: u32, name: &str, (ts, dur): (u32, u32)| {
        events.push(format!(
            r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":"{name}","ts":"{ts}.000","dur":{dur},"args":{{}}}}"#
        ));
    };
    for n in 0..10 {
        let at = 1_000 + n * 1_000;
        slice(10, 2, "aclnnMatmul_MatMulV2", (at, 480));
        slice(11, 0, &format!("hcom_allReduce__538_{n}_1"), (at + 490, 500));
        if with_parts {
            slice(10, 11, "Other", (at + 492, 490));
        }
    }
    overview("rank_trace_view.json", format!("[{}]", events.join(",")))
}

#[test]
fn parts_of_a_communication_are_no_stream_beside_it() {
    let rule = "device-streams-one-after-the-other";
    for with_parts in [false, true] {
        planted(&alternating(with_parts), rule, 4_800e3);
    }
}
