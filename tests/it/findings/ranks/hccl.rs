//! Ranks of Ascend devices, whose collectives are tasks on a track of their own.

use super::{check, only, outcome, said};
use crate::support::front_door::open;
use lanescope::analysis::finding::Outcome;

/// An Ascend rank: a stream, which begins with a product of 1 ms, and the track of its communication.
pub(in crate::findings) struct Hccl {
    /// Processes of the hardware and of the communication.
    pids: [u32; 2],
    events: Vec<String>,
}

impl Hccl {
    pub(in crate::findings) fn of(rank: u32) -> Self {
        let pids = [13, 15].map(|part| (1_000 + rank) * 1_024 + part * 32 + rank);
        let mut made = Self { pids, events: Vec::new() };
        let tracks = [("Ascend Hardware", 2, "Stream 2"), ("HCCL", 0, "Group 0 Communication")];
        for (pid, (process, tid, thread)) in pids.into_iter().zip(tracks) {
            let heads =
                [("process_name", 0, process), ("process_labels", 0, "NPU"), ("thread_name", tid, thread)];
            for (what, tid, name) in heads {
                let key = if what == "process_labels" { "labels" } else { "name" };
                made.events.push(format!(
                    r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"{what}","args":{{"{key}":"{name}"}}}}"#
                ));
            }
        }
        made.compute((0, 1_000));
        made
    }

    fn slice(&mut self, (pid, tid): (u32, u32), name: &str, (at, dur): (u32, u32)) {
        self.events.push(format!(
            r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":"{name}","ts":"{at}.000","dur":{dur}}}"#
        ));
    }

    pub(in crate::findings) fn compute(&mut self, at: (u32, u32)) {
        self.slice((self.pids[0], 2), "MatMul", at);
    }

    pub(in crate::findings) fn reduce(&mut self, name: &str, at: (u32, u32)) {
        self.slice((self.pids[1], 0), name, at);
    }

    pub(in crate::findings) fn file(self) -> Vec<u8> {
        format!("[{}]", self.events.join(",\n")).into_bytes()
    }
}

/// Four all-reduces of HCCL that end together but for some microseconds, as the clocks of two devices do.
fn hccl_once_late(rank: u32, late: u32) -> Vec<u8> {
    let mut made = Hccl::of(rank);
    // The second device's starts and ends are a few microseconds later, now more and now less.
    for (n, jitter) in (0..4).zip([[0, 0], [8, 6], [5, 10], [10, 8]]) {
        let jitter = if rank == 0 { [0, 0] } else { jitter };
        let at = 1_000 + n * 30_000 + jitter[0] + if n == 0 { late } else { 0 };
        let end = 1_000 + n * 30_000 + 25_000 + jitter[1];
        made.reduce("hcom_allReduce__868_0_1", (at, end - at));
    }
    made.file()
}

#[test]
fn who_is_waited_for_longest_is_told_not_who_is_last_by_a_microsecond_more_often() {
    let rule = "device-last-at-collectives";
    let of = |late: [u32; 2]| {
        let files =
            (0..2).map(|rank| (format!("rank{rank}.json"), hccl_once_late(rank, late[rank as usize])));
        let (mut doc, _) = open(files.collect(), 1 << 16);
        let overview = doc.whole_overview();
        check(&overview);
        overview
    };
    for (late, who) in [([0, 16_900], "rank 1 / "), ([16_900, 0], "rank 0 / ")] {
        let overview = of(late);
        let last = only(&overview, rule);
        assert!(last.subject.starts_with(who), "{}", last.subject);
        assert_eq!(last.value, 0.25, "{}", said(last));
        assert!(
            last.line.to_string().contains("Most of the waiting is at one time: check "),
            "{}",
            last.line
        );
        assert!((last.saving.value - 16.9e6).abs() < 20e3, "{}", last.saving.value);
        // Of the communication that nothing hides it is said which part of it is that, on whatever device it is told.
        let exposed = only(&overview, "device-communication-not-hidden").line.to_string();
        assert!(exposed.contains(&format!("only waits for {who}")) && exposed.contains("16.9"), "{exposed}");
    }
    match outcome(&of([0, 0]), rule) {
        Some(Outcome::Nothing(why)) => {
            assert!(why.to_string().starts_with("4 collectives start on all devices within"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}
