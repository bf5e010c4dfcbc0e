//! Communication of devices whose partners are not all in the files, and calls that take far longer than their data needs:
//! what of it is waiting is told, or that it is unknown, and the advice is for what most of it is.

use super::{Made, of, only, rounds};
use lanescope::base::words::Language;

const RULE: &str = "device-communication-not-hidden";
const OPEN: &str = " Open the files of the other devices together with these. Smaller buckets or less data shorten only the transfer, not the waiting.";
const EARLIER: &str = " Start it earlier (smaller buckets), or send less data.";

fn line(ranks: &[Made]) -> String {
    only(&of(ranks), RULE).line.text(Language::En).into_owned()
}

#[track_caller]
fn ends(line: &str, end: &[&str]) {
    let end = end.concat();
    assert!(line.ends_with(&end), "{line}\nshould end with\n{end}");
}

#[test]
fn how_long_one_device_of_several_waits_is_not_known() {
    let group = |size: u32| format!(r#""Process Group Name":"0","Group size":{size}"#);
    let alone = |args: &str| line(&[rounds(0, args, |_| 0)]);
    let unknown = " How much of it is waiting for another device is unknown: ";
    let of_eight = "the files show only one of the 8 devices in the group.";
    ends(&alone(&group(8)), &[unknown, of_eight, OPEN]);
    ends(&alone(""), &[unknown, "the files show only one device.", OPEN]);
    ends(&alone(&group(1)), &["20.000 ms.", EARLIER]);
    // Two of eight: 5 of 20 ms are waiting for the other one, six times.
    let two = |size: u32| line(&[rounds(0, &group(size), |_| 0), rounds(5_000, &group(size), |_| 0)]);
    let waits = " For 30.000 ms of it, this device only waits for rank 1 / GPU 0 to arrive.";
    let more =
        " How much more of it is waiting is unknown: the files show only 2 of the 8 devices in the group.";
    ends(&two(8), &[waits, more, OPEN]);
    ends(
        &two(2),
        &[
            waits,
            " Check why that device is late. For the remaining 90.000 ms, start communication earlier (smaller buckets) or send less data.",
        ],
    );
}

/// All-reduces one after the other, each of so many elements and so long, in µs.
fn reduces(calls: &[(u32, u32)]) -> Made {
    let (made, end) = calls.iter().fold((Made::default(), 200_000), |(made, at), (elements, dur)| {
        let args = format!(r#""In msg nelems":{elements},"dtype":"Float""#);
        let made = made.kernel("gemm", (at, 1_000));
        let all_reduce = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
        (made.event((0, 9), all_reduce, (at + 1_000, *dur), &args), at + 1_000 + dur)
    });
    made.kernel("gemm", (end, 1_000))
}

#[test]
fn a_call_that_takes_far_longer_than_more_data_needs_is_no_transfer() {
    let long = " 1 call takes at least ten times as long as another one of the same kind with as much data or more: 19.000 ms of it is probably no transfer, but waiting for other devices or setup.";
    let unknown = " How much of it is waiting for another device is unknown: the files show only one device.";
    // 20 ms for 1,000 elements where 2,000 take 1 ms; five times as long is none.
    let calls = [(1_000, 20_000), (2_000, 1_000), (4_000, 2_000), (500, 5_000)];
    ends(&line(&[reduces(&calls)]), &[unknown, long, OPEN]);
    // Less data that takes less time says nothing.
    ends(&line(&[reduces(&[(1_000, 20_000), (500, 1_000), (100, 1_000)])]), &[unknown, OPEN]);
    // On both devices at the same time: neither waits for the other.
    let setup = " Look at the longest call first: the first one of a group also sets up its connections, so warm up before recording. Smaller buckets or less data shorten only the transfer.";
    ends(&line(&[reduces(&calls), reduces(&calls)]), &["20.000 ms.", long, setup]);
    let even = [(1_000, 1_000), (2_000, 2_000), (4_000, 4_000)];
    ends(&line(&[reduces(&even), reduces(&even)]), &["4.000 ms.", EARLIER]);
}
