//! Ranks that wait for each other: what a late one costs, against the same ranks without it; and what two recordings of
//! other steps or lengths of kernels have in common.

use super::{Made, assert_near, of, only, said};
use crate::findings::{found, outcome, silent};
use lanescope::analysis::finding::{Change, Finding, Overview, Part, SavingKind, compared};
use lanescope::analysis::told::{change_told, part_beside};
use lanescope::base::words::Language;

const LAST: &str = "device-last-at-collectives";
const CUT: &str = "trace-cut-by-recording";

/// Steps of ranks that compute for so long each, with an all-reduce from 200 µs before the end of that on, which ends 600 µs
/// after the last one came to it; and how long a step takes.
struct Meeting<'a> {
    computes: &'a [u32],
}

impl Meeting<'_> {
    fn end(&self) -> u32 {
        self.computes.iter().max().unwrap() - 200 + 600
    }

    fn step(&self) -> u32 {
        self.end() + 150
    }

    /// What a rank records of these steps, on a clock that is ahead by so much.
    fn rank(&self, rank: usize, steps: std::ops::Range<u32>, ahead: u32) -> Made {
        steps.fold(Made::default(), |made, n| {
            let (at, compute) = (1_000 + ahead + n * self.step(), self.computes[rank]);
            let ready = compute - 200;
            made.step(n, (at, self.step())).kernel("gemm", (at, compute)).event(
                (0, 9),
                ("kernel", "ncclDevKernel_AllReduce_Sum_f32"),
                (at + ready, self.end() - ready),
                &format!(r#""Seq":{n}"#),
            )
        })
    }

    fn ranks(&self) -> Vec<Made> {
        (0..self.computes.len()).map(|rank| self.rank(rank, 0..5, 0)).collect()
    }
}

/// What is exchanged lies under what the others compute as soon as the late one is in time: no less is told than a step gets
/// shorter then.
#[test]
fn a_late_rank_costs_no_more_than_its_bound() {
    for (late, in_time) in [
        (&[5_500, 6_600][..], &[5_500, 5_500][..]),
        (&[5_500, 5_500, 6_600, 5_500], &[5_500; 4]),
        (&[6_600, 5_500, 5_500], &[5_500; 3]),
        // Others are late too, but less.
        (&[5_500, 5_900, 6_600], &[5_500, 5_900, 5_900]),
        // All of it lies under what is computed, but for the exchange.
        (&[5_500, 5_650], &[5_500, 5_500]),
    ] {
        let shorter = Meeting { computes: late }.step() - Meeting { computes: in_time }.step();
        let later = late.iter().max().unwrap() - late.iter().min().unwrap();
        let overview = of(&Meeting { computes: late }.ranks());
        let Some(last) = found(&overview, LAST).pop() else {
            // Nobody waits while computing nothing.
            assert!(later <= 200, "{:?}", outcome(&overview, LAST));
            continue;
        };
        assert_eq!(last.saving.kind, SavingKind::Bound);
        assert!(f64::from(shorter) * 1e3 <= last.saving.value, "{shorter}: {:?}", last.saving);
        assert_near(last.saving.value, f64::from(later) * 1e3);
        assert_near(last.saving.share, f64::from(later) / f64::from(Meeting { computes: late }.step()));
        // The sentence tells what is waited without computing.
        let wait = format!(" waits {}.000 µs per step for it.", later - 200);
        assert!(said(last).ends_with(&wait), "{}", said(last));
        let total = last.evidence.numbers.iter().find(|number| number.name == "Total lateness").unwrap();
        assert_near(total.value, f64::from(later) * 1e3);
        assert!(total.note.to_string().ends_with("mean over 5 steps"), "{}", total.note);
        let exposed = only(&overview, "device-communication-not-hidden");
        let waiting =
            exposed.evidence.numbers.iter().find(|of| of.name == "Part spent waiting for other devices");
        assert!(waiting.is_none_or(|of| of.note.to_string().ends_with("mean over 5 steps")));
    }
}

/// In a step of several collectives that lie under what is computed, a slow rank comes later to each by what it lost before:
/// that is no more than one time, by which the step gets shorter without it.
#[test]
fn lateness_that_grows_in_a_step_is_lost_once() {
    const COLLECTIVES: u32 = 20;
    const EXCHANGE: u32 = 20;
    let ranks = |slow: u32, ahead: u32| -> (Overview, u32) {
        let end = |k: u32| (k + 1) * slow + EXCHANGE;
        let step = end(COLLECTIVES - 1) + 30;
        let rank = |compute: u32, by: u32| {
            (0..5).fold(Made::default(), |made, n| {
                let at = 1_000 + by + n * step;
                (0..COLLECTIVES).fold(made.step(n, (at, step)), |made, k| {
                    // One after the other on a stream of their own.
                    let ready = ((k + 1) * compute).max(if k == 0 { 0 } else { end(k - 1) });
                    made.kernel("gemm", (at + k * compute, compute)).event(
                        (0, 9),
                        ("kernel", "ncclDevKernel_AllReduce_Sum_f32"),
                        (at + ready, end(k) - ready),
                        &format!(r#""Seq":{}"#, n * COLLECTIVES + k),
                    )
                })
            })
        };
        (of(&[rank(200, 0), rank(slow, ahead)]), step)
    };
    let (_, in_time) = ranks(200, 0);
    for ahead in [0, 3_000] {
        let (overview, step) = ranks(220, ahead);
        let last = only(&overview, LAST);
        let shorter = f64::from(step - in_time) * 1e3;
        // The first rank has computed after 4,000 µs, the last exchange ends at 4,420.
        assert_near(last.saving.value, 420e3);
        assert!(shorter <= last.saving.value, "{shorter}: {:?}", last.saving);
        assert_near(last.saving.share, 420.0 / f64::from(step));
        // It comes later by 20, 40, … 200 µs, then by what lies between the end of one exchange and its arrival at the next.
        let later = (1..=10).map(|k| k * 20).sum::<u32>() + 10 * 200;
        let total = last.evidence.numbers.iter().find(|number| number.name == "Total lateness").unwrap();
        assert_near(total.value, f64::from(later) * 1e3);
    }
}

/// Clocks of hosts that are apart cut nothing: what is aligned by collectives is compared. What is cut then says so.
#[test]
fn clocks_that_are_apart_cut_no_recording() {
    let meeting = Meeting { computes: &[5_500, 6_600, 5_500, 5_500] };
    for ahead in [0, 30_000, 100_000] {
        let on = |rank: usize| if rank < 2 { 0 } else { ahead };
        let whole: Vec<Made> = (0..4).map(|rank| meeting.rank(rank, 0..30, on(rank))).collect();
        let overview = of(&whole);
        silent(&overview, CUT);
        assert!(only(&overview, LAST).subject.contains("rank 1"), "{}", said(only(&overview, LAST)));
        // One stops ten steps before the others; its last kernel ends 5.5 ms into its last step.
        let ranks: Vec<Made> =
            (0..4).map(|rank| meeting.rank(rank, 0..if rank == 3 { 20 } else { 30 }, on(rank))).collect();
        let overview = of(&ranks);
        let cut = only(&overview, CUT);
        let line = cut.line.to_string();
        assert!(line.contains("rank3.json") && line.contains(" before the last event"), "{line}");
        assert_eq!(cut.value, 2.0, "{line}");
        assert!(said(cut).starts_with("2 of 8 tracks"), "{}", said(cut));
        assert_eq!(line.contains("clocks of the files were aligned"), ahead != 0, "{line}");
        let inactive = cut.evidence.numbers.iter().find(|number| number.name == "Inactive").unwrap();
        let step = meeting.step();
        assert_near(inactive.value, f64::from(10 * step + step - 5_500) * 1e3);
    }
}

/// Kernels of so many steps: a long and a short one each, these times as long as usual.
fn kernels(steps: u32, (long, short): (u32, u32)) -> Made {
    let step = 5 * (long + short);
    (0..steps).fold(Made::default(), |made, n| {
        let made = made.step(n, (n * step, step));
        (0..5).fold(made, |made, k| {
            let at = n * step + k * (long + short);
            made.kernel("gemm", (at, long)).kernel("softmax", (at + long, short))
        })
    })
}

/// Of equal shares only that is the same, whatever else is said.
#[test]
fn an_equal_share_is_no_equal_time() {
    let rule = "device-hottest-kernel";
    let told = |old: &Overview, new: &Overview| {
        let hottest = |of: &Overview| -> Finding { only(of, rule).clone() };
        let (old, new) = ([hottest(old)], [hottest(new)]);
        let all = compared(&old, &new);
        assert_eq!(all[0].change, Change::Same);
        change_told(all[0].change, all[0].baseline, &new[0], Language::En)
    };
    let [usual, slower] = [(800, 300), (960, 360)].map(|times| of(&[kernels(5, times)]));
    assert_eq!(told(&usual, &slower), "about the same share as in the baseline (72.7 %)");
    assert_eq!(told(&slower, &slower), "as in the baseline");
    // Calls of another number are another thing too.
    let longer = of(&[kernels(8, (800, 300))]);
    assert_eq!(told(&usual, &longer), "about the same share as in the baseline (72.7 %)");
}

/// Sums of more steps are more: calls are compared then, and that is said.
#[test]
fn hottest_kernels_of_other_numbers_of_steps_are_compared_by_their_calls() {
    let part = |steps: &[u32], times| -> Part {
        let ranks: Vec<Made> = steps.iter().map(|steps| kernels(*steps, times)).collect();
        of(&ranks).parts.into_iter().find(|part| part.title == "Hottest kernels").unwrap()
    };
    let beside = |new: &Part, old: &Part| {
        let both = part_beside(new, old, Language::En).unwrap();
        let row =
            |name: &str| both.rows.iter().find(|row| row.name == name).map(|row| row.cells.clone()).unwrap();
        (both.note.to_string(), both.columns.clone(), [row("gemm"), row("softmax")])
    };
    let (usual, slower) = ((800, 300), (1_040, 300));
    let says = "mean per call, since the numbers of steps differ";
    for (old, new) in [(&[5][..], &[8][..]), (&[8], &[5]), (&[5, 3], &[8, 8])] {
        let (note, columns, [gemm, softmax]) = beside(&part(new, slower), &part(old, usual));
        assert!(note.ends_with(says), "{note}");
        assert_eq!(columns[..2], ["Mean per call A", "Mean per call B"]);
        assert_eq!(gemm, ["800.000 µs", "1.040 ms", "+30 %, 1.3×"]);
        assert_eq!(softmax, ["300.000 µs", "300.000 µs", "="]);
    }
    // Of as many steps, and where one has none, sums are compared as before.
    let (note, columns, [gemm, softmax]) = beside(&part(&[5], slower), &part(&[5], usual));
    assert!(!note.contains(says) && columns[0] == "Total A", "{note} {columns:?}");
    assert_eq!([&gemm[..2], &softmax[..2]], [&["20.000 ms", "26.000 ms"], &["7.500 ms", "7.500 ms"]]);
    let bare = (0..5).fold(Made::default(), |made, n| made.kernel("gemm", (n * 1_000, 800)));
    let bare = of(&[bare]).parts.into_iter().find(|part| part.title == "Hottest kernels").unwrap();
    let both = part_beside(&part(&[5], usual), &bare, Language::En).unwrap();
    assert_eq!(both.columns[0], "Total A");
}
