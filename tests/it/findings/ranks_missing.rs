//! Collectives of ranks of which some lack one: what is told of the others, by recordings whose waits are known.

use super::ranks::hccl::Hccl;
use super::ranks::{Made, assert_near, of, only, said};
use crate::support::front_door::open;

/// A number below 1 that no other place has, always the same.
pub(super) fn random(seed: u32) -> f64 {
    let mixed = seed.wrapping_add(1).wrapping_mul(2_654_435_761);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(2_246_822_519);
    f64::from((mixed ^ mixed >> 13) % 1_000_000) / 1e6
}

/// Rounds of a recording: each rank computes for a time of its own before an all-reduce, which ends on all 3 ms after the
/// last one has come. Four make a step.
struct Rounds {
    /// When each rank begins each of them, and when they end, in µs.
    begins: Vec<Vec<u32>>,
    ends: Vec<u32>,
}

impl Rounds {
    fn new(n: u32, ranks: u32, extra: impl Fn(u32, u32) -> u32) -> Self {
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        let mut at = 200_000;
        for round in 0..n {
            if round.is_multiple_of(4) {
                at += 5_000;
            }
            let own: Vec<u32> = (0..ranks).map(|rank| at + 8_000 + extra(rank, round)).collect();
            at = own.iter().max().unwrap() + 3_000;
            begins.push(own);
            ends.push(at);
        }
        Self { begins, ends }
    }

    /// What a rank recorded: without these rounds, on a clock that is ahead by so much.
    fn recorded(&self, rank: usize, without: &[u32], ahead: i32, how: How) -> Made {
        let n = self.ends.len();
        (0..n).fold(Made::default(), |made, round| {
            let shifted = |at: u32| at.saturating_add_signed(ahead);
            let before = if round == 0 { 200_000 } else { self.ends[round - 1] };
            let (begin, end) = (self.begins[round][rank], self.ends[round]);
            let is_first = round.is_multiple_of(4);
            let until = self.ends[(round + 3).min(n - 1)];
            let made = if how.has_steps && is_first {
                made.step(round as u32 / 4, (shifted(before + 100), until - before))
            } else {
                made
            };
            let made = made.kernel("gemm", (shifted(before + 200), begin - before - 300));
            if without.contains(&(round as u32)) {
                return made;
            }
            let args = match how.sizes {
                0 => String::new(),
                n => format!(r#""In msg nelems":{},"dtype":"Float""#, 1_000 + round as u32 % n),
            };
            let all_reduce = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
            made.event((0, 9), all_reduce, (shifted(begin), end - begin), &args)
        })
    }

    /// What one waits for another in the rounds that all recorded, and in how many of these that one comes last.
    fn waits(&self, who: usize, last: usize, without: &[u32]) -> (f64, usize) {
        let own = (0..).zip(&self.begins).filter(|(round, _)| !without.contains(round));
        let is_last = |begins: &&Vec<u32>| begins.iter().all(|other| *other <= begins[last]);
        let own: Vec<&Vec<u32>> = own.map(|(_, begins)| begins).filter(is_last).collect();
        (own.iter().map(|begins| f64::from(begins[last] - begins[who])).sum::<f64>() * 1e3, own.len())
    }
}

#[derive(Clone, Copy, Debug)]
struct How {
    has_steps: bool,
    /// How many sizes follow each other; 0 without.
    sizes: u32,
}

/// What one rank or each lacks is left out alone, with and without steps and sizes, however far the clocks are apart.
#[test]
fn a_collective_that_one_rank_lacks_drops_nothing_else() {
    let rule = "device-last-at-collectives";
    let extra = |rank: u32, round: u32| (random(rank * 1_000 + round) * 6e3) as u32 + rank * 2_500;
    let rounds = Rounds::new(20, 2, extra);
    let lacking: [[&[u32]; 2]; 5] = [[&[], &[6]], [&[6], &[]], [&[], &[0]], [&[12], &[6]], [&[1, 2], &[17]]];
    for (seed, without) in (0..).zip(lacking) {
        let all: Vec<u32> = without.iter().flat_map(|own| own.iter().copied()).collect();
        let (wait, n_last) = rounds.waits(0, 1, &all);
        let met = 20 - all.len();
        let most = 20 - without[0].len().min(without[1].len());
        for ahead in [0, 50, 500, 3_000, -4_500, 7_300, -100_000] {
            let how = How { has_steps: (seed + ahead) % 2 == 0, sizes: [0, 3, 5][(seed % 3) as usize] };
            for how in [how, How { has_steps: !how.has_steps, ..how }] {
                let case = format!("{without:?} {ahead} {how:?}");
                let made = [(0, 0), (1, ahead)]
                    .map(|(rank, ahead)| rounds.recorded(rank, without[rank], ahead, how));
                let overview = of(&made);
                let last = only(&overview, rule);
                assert!(last.subject.contains("rank 1"), "{case}: {}", said(last));
                let total = last.saving.value * if how.has_steps { 5.0 } else { 1.0 };
                assert_near(total, wait);
                let line = last.line.to_string();
                let told = format!("{met} of {most} collectives were recorded on each device");
                assert!(line.contains(&told), "{case}: {line}");
                assert_near(last.value, n_last as f64 / met as f64);
            }
        }
    }
}

/// Numbers in names say which are one, where that is all there is.
#[test]
fn numbers_in_names_say_which_collectives_are_one() {
    let made = |rank: u32, late: u32, without: u32| {
        let mut made = Hccl::of(rank);
        for n in (0..4).filter(|n| *n != without) {
            let at = 5_000 + n * 20_000 + rank * 2_500;
            made.reduce(&format!("hcom_allReduce__586_{n}_1"), (at + late, 9_000 - late - n * 1_000));
            made.compute((at + 10_000, 2_000));
        }
        made.file()
    };
    let files = [("rank0.json", made(0, 0, 9)), ("rank1.json", made(1, 4_000, 1))];
    let files = files.map(|(name, text)| (name.to_owned(), text)).to_vec();
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let overview = doc.whole_overview();
    let last = only(&overview, "device-last-at-collectives");
    assert!(last.subject.contains('1'), "{}", said(last));
    assert_near(last.saving.value, 3.0 * 4e6);
    assert!(last.line.to_string().contains("3 of 4 collectives were recorded"), "{}", last.line);
}

/// Of three ranks now one and now another is waited for: each bears its part.
#[test]
fn waiting_is_split_by_who_is_waited_for() {
    let late = |rank: u32, round: u32| match (rank, round % 4) {
        (2, 0 | 1) => 4_000,
        (1, 2) => 3_000,
        _ => 0,
    };
    let rounds = Rounds::new(8, 3, late);
    for without in [&[][..], &[5]] {
        let how = How { has_steps: false, sizes: 0 };
        let made = [0, 1, 2].map(|rank| {
            let lacks = if rank == 1 { without } else { &[] };
            rounds.recorded(rank, lacks, [0, 7_300, -900][rank], how)
        });
        let overview = of(&made);
        let [two, one] = [2, 1].map(|last| rounds.waits(0, last, without).0 / 1e6);
        let line = only(&overview, "device-communication-not-hidden").line.to_string();
        let told =
            format!("only waits for rank 2 / GPU 0 ({two:.3} ms), rank 1 / GPU 0 ({one:.3} ms) to arrive");
        assert!(line.contains(&told), "{line}, not {told}");
        assert!(line.contains("Check why those devices are late."), "{line}");
    }
}

/// The second of two ranks is 20 ms late once; then it begins 1.5 ms later than the first, its clock being ahead by 8.5 ms as
/// the ends say, of which one differs by as much. The other times both begin together.
#[test]
fn what_is_later_by_no_more_than_ends_differ_is_not_late() {
    let made = |shifts: [(u32, u32); 9]| {
        (0..).zip(shifts).fold(Made::default(), |made, (n, (start, end))| {
            let at = 100_000 + n * 100_000;
            made.kernel("gemm", (at - 40_000 + start, 39_000)).event(
                (0, 9),
                ("kernel", "ncclDevKernel_AllReduce_Sum_f32"),
                (at + start, 40_000 + end - start),
                "",
            )
        })
    };
    let told = |third: u32| {
        let mut shifts = [(8_500, 8_500); 9];
        shifts[..3].copy_from_slice(&[(28_500, 8_500), (5_500, 10_000), (third, 7_750)]);
        let overview = of(&[made([(0, 0); 9]), made(shifts)]);
        let last = only(&overview, "device-last-at-collectives").clone();
        (last.value, last.line.to_string())
    };
    let (share, line) = told(10_000);
    assert!(line.contains("each wait is known to ± 1.500 ms"), "{line}");
    assert_near(share, 1.0 / 9.0);
    assert_near(told(10_100).0, 2.0 / 9.0);
}
