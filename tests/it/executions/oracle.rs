//! Totals, ordinals, levels of detail, searches and pairs against slow twins.

use super::{Random, Shape, USUAL, with};
use lanescope::base::job;
use lanescope::views::executions::compute::{
    Axis, DIVERGENT, Kind, Run, Summary, Top, UNCOALESCED, compare, nearest,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn shape() -> impl Strategy<Value = Shape> {
    (any::<u64>(), 1_u32..20, 0_u64..800, 1_u32..9, 1_u32..5, any::<bool>(), any::<bool>()).prop_map(
        |(seed, threads, longest, blocks, warps, has_time, has_memory)| Shape {
            seed,
            threads,
            longest,
            blocks,
            warps,
            has_time,
            has_memory,
        },
    )
}

fn total(column: &[u32], rows: std::ops::Range<usize>) -> u64 {
    rows.map(|at| u64::from(column.get(at).copied().unwrap_or(0))).sum()
}

fn check_totals(run: &Run) {
    let executions = &run.launch.executions;
    for thread in 0..run.threads() as u32 {
        let all = run.range(thread);
        let own = run.arranged.threads[thread as usize];
        assert_eq!(own.executions, all.len() as u64);
        assert_eq!(own.moved, total(&executions.moved, all.clone()));
        assert_eq!(own.used, total(&executions.used, all.clone()));
        let mut ordinal = 0;
        let mut before = f64::MIN;
        for at in all.clone() {
            assert_eq!((run.arranged.ordinal(at), run.thread(at as u32)), (ordinal, Some(thread)));
            ordinal += run.program.blocks[executions.block[at] as usize].len;
            let (start, end) = run.span(Axis::Time, &all, at);
            assert!(before <= start && start <= end);
            before = start;
        }
        assert_eq!(own.instructions, u64::from(ordinal));
        let group = &run.arranged.groups[run.arranged.group_of(thread)];
        assert!(group.threads.contains(&thread) && all.len() <= group.longest as usize);
    }
    let sum: u64 = run.arranged.groups.iter().map(|group| group.totals.instructions).sum();
    assert_eq!(sum, run.arranged.all.instructions);
}

fn check_places(run: &Run, axis: Axis, random: &mut Random) {
    for _ in 0..20 {
        let all = run.range(random.below(run.threads() as u64) as u32);
        let place = random.below(run.end_of(axis) as u64 + 2) as f64 + 0.5;
        let behind = all.clone().find(|at| place < run.span(axis, &all, *at).1).unwrap_or(all.end);
        let from = all.clone().find(|at| place <= run.span(axis, &all, *at).0).unwrap_or(all.end);
        assert_eq!(run.behind(axis, &all, all.clone(), place), behind);
        assert_eq!(run.from(axis, &all, all.clone(), place), from);
    }
}

fn slow(run: &Run, part: std::ops::Range<usize>) -> (BTreeMap<u32, u64>, Summary) {
    let mut sum = Summary::default();
    let mut blocks = BTreeMap::new();
    for at in part {
        sum.push(&run.launch.executions, at);
        *blocks.entry(run.block(at)).or_default() += 1;
    }
    (blocks, sum)
}

fn check_levels(run: &Run, random: &mut Random) {
    for _ in 0..40 {
        let thread = random.below(run.threads() as u64) as u32;
        let all = run.range(thread);
        if all.is_empty() {
            continue;
        }
        let n = 1 + random.below(all.len() as u64) as usize;
        let start = all.start + random.below((all.len() - n) as u64 + 1) as usize;
        // Stretches of one length that follow each other count everything once.
        let own = slow(run, all.clone()).0;
        let (mut counted, mut at, mut parts) = (0, start, 0);
        while at + n <= all.end && parts < 8 {
            let part = at..at + n;
            let found = run.arranged.levels.sum(&run.launch.executions, thread as usize, part.clone());
            let (_, exact) = slow(run, part.clone());
            assert!(2 * found.executions.abs_diff(exact.executions) <= n as u64);
            if n < 32 {
                assert_eq!(found, exact);
            }
            assert!(own.contains_key(&found.top.first().0));
            counted += found.executions;
            (at, parts) = (part.end, parts + 1);
        }
        assert!(2 * counted.abs_diff(parts * n as u64) <= n as u64);
        let whole = run.arranged.levels.sum(&run.launch.executions, thread as usize, all.clone());
        let (blocks, exact) = slow(run, all.clone());
        assert_eq!(
            (whole.executions, whole.lanes, whole.moved),
            (exact.executions, exact.lanes, exact.moved)
        );
        assert_eq!((whole.used, whole.excess, whole.divergent), (exact.used, exact.excess, exact.divergent));
        let (block, most) = (whole.top.first().0, blocks.values().copied().max().unwrap_or(0));
        assert!(most - blocks[&block] <= all.len() as u64 / 5, "{blocks:?}");
    }
}

fn check_courses(run: &Run) {
    for axis in Axis::ALL.into_iter().filter(|axis| run.has(*axis)) {
        let columns = &run.arranged.course(axis).columns;
        let per = columns.len() as f64 / run.end_of(axis);
        let active: f64 = columns.iter().map(|column| column.active).sum();
        let mut expected = 0.0;
        for thread in 0..run.threads() as u32 {
            let all = run.range(thread);
            for at in all.clone() {
                let (start, end) = run.span(axis, &all, at);
                expected += (end - start) * per * f64::from(run.launch.executions.lanes[at]);
            }
        }
        assert!((active - expected).abs() <= 1e-6 * expected.max(1.0), "{axis:?}: {active} {expected}");
    }
    for (number, group) in run.arranged.groups.iter().enumerate() {
        for ordinals in [0..1, 0..group.longest, 3..group.longest + 9] {
            let expected: u64 = group
                .threads
                .clone()
                .flat_map(|thread| {
                    let all = run.range(thread);
                    let [from, to] =
                        [ordinals.start, ordinals.end].map(|o| all.end.min(all.start + o as usize));
                    run.launch.executions.lanes[from..to.max(from)].iter().map(|lanes| u64::from(*lanes))
                })
                .sum();
            assert_eq!(run.arranged.group_lanes(number, ordinals), expected);
        }
    }
}

fn check_search(run: &Run, random: &mut Random) {
    let executions = &run.launch.executions;
    let n = executions.block.len() as u32;
    for _ in 0..if n == 0 { 0 } else { 20 } {
        let from = random.below(u64::from(n)) as u32;
        let own = run.range(run.thread(from).unwrap());
        let is_same =
            |at: &u32| own.contains(&(*at as usize)) && run.block(*at as usize) == run.block(from as usize);
        assert_eq!(run.step(Some(from), Kind::Block, true), (from + 1..n).find(is_same));
        assert_eq!(run.step(Some(from), Kind::Block, false), (0..from).rev().find(is_same));
        let same: Vec<u32> = own.clone().map(|at| at as u32).filter(is_same).collect();
        let turn = same.iter().position(|at| *at == from).unwrap() as u64 + 1;
        assert_eq!(run.turn(from), Some((turn, same.len() as u64)));
        for (kind, flag) in [(Kind::Divergent, DIVERGENT), (Kind::Uncoalesced, UNCOALESCED)] {
            let holds = |at: &u32| executions.flags[*at as usize] & flag != 0;
            assert_eq!(run.step(Some(from), kind, true), (from + 1..n).find(holds));
            assert_eq!(run.step(Some(from), kind, false), (0..from).rev().find(holds));
            assert_eq!(run.step(None, kind, true), (0..n).find(holds));
            assert_eq!(run.step(None, kind, false), (0..n).rev().find(holds));
        }
    }
}

fn check_pairs(run: &Run, random: &mut Random) {
    let n = run.threads() as u64;
    let blocks = |thread: u32| &run.launch.executions.block[run.range(thread)];
    for _ in 0..20 {
        let [a, b] = [random.below(n) as u32, random.below(n) as u32];
        let parting = compare(&run.launch.executions, [a, b]);
        let common = blocks(a).iter().zip(blocks(b)).take_while(|(a, b)| a == b).count();
        assert_eq!(parting.common as usize, common);
        assert_eq!(parting.next, [a, b].map(|thread| blocks(thread).get(common).copied()));
        let lanes = |thread: u32| &run.launch.executions.lanes[run.range(thread)][..common];
        let differ = lanes(a).iter().zip(lanes(b)).position(|(a, b)| a != b);
        assert_eq!(parting.lanes_from, differ.map(|at| at as u32));
        let found = job::run(async |turn| nearest(&run.launch.executions, a, &turn).await);
        let near = (0..n as u32).filter(|other| blocks(*other) != blocks(a));
        assert_eq!(found, near.min_by_key(|other| (other.abs_diff(a), *other < a)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn everything_is_as_counted_one_by_one(shape in shape()) {
        with(shape, |run| {
            let mut random = Random(shape.seed);
            check_totals(&run);
            for axis in Axis::ALL.into_iter().filter(|axis| run.has(*axis)) {
                check_places(&run, axis, &mut random);
            }
            check_levels(&run, &mut random);
            check_courses(&run);
            check_search(&run, &mut random);
            check_pairs(&run, &mut random);
        });
    }

    #[test]
    fn the_most_frequent_block_is_off_by_a_fifth_at_most(
        parts in proptest::collection::vec(proptest::collection::vec((0_u32..12, 1_u32..9), 0..20), 1..9),
    ) {
        let mut sum = Top::default();
        let mut counts = BTreeMap::<u32, u64>::new();
        for part in &parts {
            let mut top = Top::default();
            for (block, n) in part {
                top.add(*block, *n);
                *counts.entry(*block).or_default() += u64::from(*n);
            }
            sum.merge(&top);
        }
        let all: u64 = counts.values().sum();
        let (block, count) = sum.first();
        if 0 < all {
            let most = counts.values().copied().max().unwrap_or(0);
            let own = counts.get(&block).copied().unwrap_or(0);
            prop_assert!(u64::from(count) <= own && most - own.min(most) <= all / 5, "{counts:?} {sum:?}");
        }
    }
}

#[test]
fn threads_that_run_the_same_do_not_part() {
    with(Shape { blocks: 1, threads: 3, longest: 4, ..USUAL }, |run| {
        let mut same = run.launch.executions.clone();
        same.starts = vec![0, 2, 4];
        same.block.truncate(4);
        let parting = compare(&same, [0, 1]);
        assert!(!parting.is_parted() && parting.common == 2);
        assert_eq!(job::run(async |turn| nearest(&same, 0, &turn).await), None);
    });
}
