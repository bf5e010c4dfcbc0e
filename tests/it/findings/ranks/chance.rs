//! Ranks of a training whose times differ: who is late by chance is not named, nor who waited for another one before; and what
//! is told of steps that not all ranks recorded.

use super::{Made, assert_near, found, of, only, outcome, said};
use crate::findings::ranks_missing::random;
use lanescope::analysis::finding::{Finding, Outcome};

const LAST: &str = "device-last-at-collectives";
const EXPOSED: &str = "device-communication-not-hidden";

/// Steps of several gradients: each is computed on a stream and exchanged on another one, one after the other, within groups
/// that follow each other. Behind the last one all ranks of a step are updated.
struct Training<'a> {
    steps: u32,
    buckets: u32,
    exchange: u32,
    groups: &'a [&'a [&'a [usize]]],
    /// Whether a rank computes nothing until its gradient is exchanged.
    blocks: bool,
    has_steps: bool,
}

const ALL: &[&[&[usize]]] = &[&[&[0, 1, 2, 3, 4, 5, 6, 7]]];
const TWO: &[&[&[usize]]] = &[&[&[0, 1]]];

const USUAL: Training =
    Training { steps: 10, buckets: 4, exchange: 800, groups: ALL, blocks: false, has_steps: true };

impl Training<'_> {
    /// What ranks record, of which each computes for so long for a gradient of a step, and lacks these of its exchanges.
    fn ranks(
        &self,
        compute: impl Fn(usize, u32, u32) -> u32,
        lacks: impl Fn(usize, u32) -> bool,
    ) -> Vec<Made> {
        let n = self.groups[0].iter().map(|group| group.len()).sum();
        let mut made = vec![Made::default(); n];
        let (mut device, mut stream) = (vec![1_000; n], vec![0_u32; n]);
        for step in 0..self.steps {
            let begun = device.clone();
            for bucket in 0..self.buckets {
                for (rank, own) in made.iter_mut().enumerate() {
                    let dur = compute(rank, step, bucket);
                    *own = std::mem::take(own).kernel("gemm", (device[rank], dur));
                    device[rank] += dur;
                }
                let at = bucket as usize % self.groups.len();
                for group in self.groups[at] {
                    let begun: Vec<u32> = group.iter().map(|rank| device[*rank].max(stream[*rank])).collect();
                    let end = begun.iter().max().unwrap() + self.exchange;
                    for (rank, begun) in group.iter().zip(begun) {
                        let at = (begun, end - begun);
                        let args = format!(
                            r#""Seq":{},"Process Group Name":"{}","Process Group Ranks":"{group:?}""#,
                            step * self.buckets + bucket,
                            group.iter().map(usize::to_string).collect::<Vec<_>>().join("+")
                        );
                        let name = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
                        if !lacks(*rank, step) {
                            made[*rank] = std::mem::take(&mut made[*rank]).event((0, 9), name, at, &args);
                        }
                        (stream[*rank], device[*rank]) = (end, if self.blocks { end } else { device[*rank] });
                    }
                }
            }
            for (rank, own) in made.iter_mut().enumerate() {
                device[rank] = device[rank].max(stream[rank]);
                *own = std::mem::take(own).kernel("update", (device[rank], 300));
                device[rank] += 300;
                if self.has_steps {
                    *own = std::mem::take(own).step(step, (begun[rank], device[rank] - begun[rank]));
                }
            }
        }
        made
    }

    /// What is told of them where none lacks anything.
    fn told(&self, compute: impl Fn(usize, u32, u32) -> u32) -> Vec<Finding> {
        let overview = of(&self.ranks(compute, |_, _| false));
        let found = found(&overview, LAST);
        assert!(!found.is_empty() || matches!(outcome(&overview, LAST), Some(Outcome::Nothing(_))));
        found.into_iter().cloned().collect()
    }
}

/// Six kernels of 400 µs each, or up to so many times that.
fn varied(seed: u32, most: f64) -> impl Fn(usize, u32, u32) -> u32 {
    move |rank, step, bucket| {
        let one = |n: u32| random(((seed * 16 + rank as u32) * 64 + step) * 256 + bucket * 8 + n);
        (0..6).map(|n| (400.0 * (1.0 + (most - 1.0) * one(n))) as u32).sum()
    }
}

#[test]
fn equal_ranks_that_vary_are_late_by_chance_only() {
    let four: &[&[&[usize]]] = &[&[&[0, 1, 2, 3]]];
    let few = Training { steps: 6, groups: four, ..USUAL };
    let many = Training { steps: 30, groups: four, ..USUAL };
    let pair = Training { steps: 3, groups: TWO, ..USUAL };
    let no_steps = Training { has_steps: false, steps: 6, ..USUAL };
    let cases = [(USUAL, 2.0), (USUAL, 1.6), (few, 2.0), (many, 2.0), (pair, 2.0), (no_steps, 2.0)];
    let alarms = (0..).zip(cases).flat_map(|(case, (training, most))| {
        let told = move |seed: u32| training.told(varied(case * 20 + seed, most)).into_iter().next();
        (0..20).filter_map(told)
    });
    let alarms: Vec<String> = alarms.map(|found| said(&found)).collect();
    // One in a hundred.
    assert!(alarms.len() <= 3, "{} of 120: {alarms:#?}", alarms.len());
}

#[test]
fn a_rank_that_is_slower_is_named() {
    let training = Training { steps: 8, buckets: 25, exchange: 200, ..USUAL };
    for (slower, least) in [(1.1, 10), (1.05, 9)] {
        let named = (0..10).filter(|seed| {
            let usual = varied(200 + seed, 2.0);
            let told = training.told(|rank, step, bucket| {
                let dur = f64::from(usual(rank, step, bucket));
                (if rank == 5 { dur * slower } else { dur }) as u32
            });
            assert!(
                told.iter().all(|found| found.subject.contains("rank 5")),
                "{:?}",
                told.first().map(said)
            );
            let line = told.first().map(|found| found.line.to_string());
            line.is_some_and(|line| line.contains(" Check what this device does before them: more work"))
        });
        let named = named.count();
        assert!(least <= named, "{slower}: {named} of 10");
    }
}

/// One step in which a rank is late is told, and that it is one.
#[test]
fn a_rank_that_is_late_once_is_named_for_that() {
    let usual = varied(300, 1.2);
    let told = USUAL.told(|rank, step, bucket| {
        usual(rank, step, bucket) + if (rank, step, bucket) == (2, 4, 0) { 30_000 } else { 0 }
    });
    assert_eq!(told.len(), 1);
    assert!(told[0].subject.contains("rank 2"), "{}", said(&told[0]));
    let line = told[0].line.to_string();
    assert!(line.contains(" Most of the waiting is at one time:") && !line.contains("more work"), "{line}");
}

/// Rank 3 is slow, rank 2 waits for it in one group and comes late to the next one: that is not its fault.
#[test]
fn who_waited_for_another_rank_is_not_to_blame() {
    let groups: &[&[&[usize]]] = &[&[&[0, 1], &[2, 3]], &[&[0, 2], &[1, 3]]];
    let often: &[&[&[usize]]] = &[groups[0], groups[0], groups[0], groups[1]];
    for (groups, blocks) in [(groups, false), (groups, true), (often, false), (often, true)] {
        let training = Training { steps: 6, groups, blocks, ..USUAL };
        let told = training.told(|rank, _, _| if rank == 3 { 3_360 } else { 2_400 });
        let subjects: Vec<&str> = told.iter().map(|found| found.subject.as_str()).collect();
        assert!(
            !told.is_empty() && subjects.iter().all(|of| of.contains("rank 3")),
            "{blocks}: {subjects:?}"
        );
        // Who is slow in each of its groups is named for each.
        assert_eq!(told.len(), 2, "{blocks}: {subjects:?}");
    }
}

/// What some rank did not record is not known, and means are of what is.
#[test]
fn means_are_over_the_steps_that_all_ranks_recorded() {
    let training = Training { steps: 8, groups: TWO, ..USUAL };
    for is_first in [false, true] {
        let lacks = |rank, step| rank == 1 && if is_first { step < 3 } else { 5 <= step };
        let ranks = training.ranks(|rank, _, _| if rank == 1 { 2_880 } else { 2_400 }, lacks);
        let overview = of(&ranks);
        let last = only(&overview, LAST);
        assert!(
            said(last).contains("rank 0 / GPU 0 waits 9.600 ms in 20 of 32 collectives"),
            "{}",
            said(last)
        );
        let known = "in the 5 of 8 steps that all devices recorded";
        let line = last.line.to_string();
        assert!(line.contains(&format!("It arrives 4.800 ms per step later in all {known};")), "{line}");
        let number = |of: &Finding, name: &str| {
            let number = of.evidence.numbers.iter().find(|number| number.name == name).unwrap();
            (number.value, number.note.to_string())
        };
        let (value, note) = number(last, "Longest total wait for it");
        assert_near(value, 1_920e3);
        assert!(note.ends_with("mean over 5 steps"), "{note}");
        // No more than the last exchange with the waiting for it, in these steps.
        assert_near(last.saving.value, 2_720e3);
        let exposed = only(&overview, EXPOSED);
        let line = exposed.line.to_string();
        let expected = format!(
            "For 1.920 ms per step of it {known}, this device only waits for rank 1 / GPU 0 to arrive. How much more of it is waiting is unknown: 12 of 32 calls cannot be matched with those of the other devices. Check why that device is late."
        );
        assert!(line.ends_with(&expected), "{line}\nshould end with\n{expected}");
        let (value, note) = number(exposed, "Part spent waiting for other devices");
        assert_near(value, 1_920e3);
        assert!(note.ends_with("mean over 5 steps"), "{note}");
    }
    // Where little of it is waiting, no rest is told that may be waiting too.
    let ranks = training
        .ranks(|rank, _, _| if rank == 1 { 2_500 } else { 2_400 }, |rank, step| rank == 1 && step < 3);
    let line = only(&of(&ranks), EXPOSED).line.to_string();
    assert!(line.contains("For 400.000 µs per step of it in the 5 of 8 steps"), "{line}");
    assert!(line.ends_with("less data helps with the transfer, not with the waiting."), "{line}");
    // Of what all recorded it is.
    let ranks = training.ranks(|rank, _, _| if rank == 1 { 2_500 } else { 2_400 }, |_, _| false);
    let line = only(&of(&ranks), EXPOSED).line.to_string();
    assert!(line.contains("For 400.000 µs per step of it, this device"), "{line}");
    assert!(line.contains("For the remaining 800.000 µs, "), "{line}");
}
