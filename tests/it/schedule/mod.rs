//! Block schedules: lanes, gaps, waves and alignments against slow twins, and the numbers of recorded launches.

mod front;
mod picture;

use lanescope::base::job::run;
use lanescope::base::unit::Unit;
use lanescope::views::schedule::compute::{
    Align, Common, Gathered, Groups, Key, Launch, Part, Property, Schedule, arrange,
};
use std::cmp::Reverse;

/// A small generator of numbers, the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

pub(crate) fn launch(grid: [u32; 3]) -> Launch {
    Launch { time: Unit::Cycles, grid, has_units: true, ..Launch::default() }
}

pub(crate) fn arranged(gathered: Gathered) -> Schedule {
    run(async |turn| arrange(gathered, Align::First, &turn).await)
}

/// A launch as a device would run it: `resident` blocks on each of some units with sparse ids, clocks far apart.
pub(crate) fn simulated(units: u32, resident: u32, blocks: u32, warps: u32, has_timer: bool) -> Schedule {
    let mut random = Random(u64::from(units * 31 + resident));
    let offset = |unit: u32| 1_000_000_000 * u64::from(unit % 7 + 1);
    let mut free: Vec<(u64, u32)> =
        (0..units * resident).map(|lane| (u64::from(lane % 13), lane / resident)).collect();
    let mut gathered = Gathered::new(launch([blocks, 1, 1]));
    for block in 0..blocks {
        free.sort_unstable_by_key(|lane| Reverse(*lane));
        let (since, unit) = free.pop().unwrap();
        let start = since + random.below(40);
        let parts: Vec<Part> = (0..warps)
            .map(|number| Part {
                number,
                start: offset(unit) + start + random.below(if number == 0 { 1 } else { 9 }),
                elapsed: 1_000 + random.below(200) + if block % 50 == 7 { 900 } else { 0 },
            })
            .collect();
        let timer = has_timer.then_some(5_000_000 + start * 2 / 3);
        gathered.push(block, unit * 2, timer, &parts, false);
        free.push((start + parts[0].elapsed, unit));
    }
    arranged(gathered)
}

#[test]
fn every_block_takes_the_free_lane_that_became_free_last() {
    for (units, resident, blocks) in [(1, 1, 9), (5, 3, 400), (20, 8, 5_000), (3, 40, 1_000), (1, 1, 1)] {
        let schedule = simulated(units, resident, blocks, 2, false);
        assert_eq!(schedule.len(), blocks as usize);
        let mut gaps = vec![None; schedule.len()];
        let mut lanes = 0;
        for unit in 0..schedule.units.len() as u32 {
            let mut rows: Vec<u32> = (0..blocks).filter(|row| schedule.unit[*row as usize] == unit).collect();
            rows.sort_by_key(|row| schedule.start[*row as usize]);
            let mut ends: Vec<u64> = Vec::new();
            for row in rows {
                let start = schedule.start[row as usize];
                match (0..ends.len()).filter(|lane| ends[*lane] <= start).max_by_key(|lane| ends[*lane]) {
                    Some(lane) => {
                        gaps[row as usize] = Some(start - ends[lane]);
                        ends[lane] = schedule.end(row);
                    }
                    None => ends.push(schedule.end(row)),
                }
            }
            let own = &schedule.units[unit as usize];
            assert_eq!(own.lanes, lanes..lanes + ends.len() as u32);
            lanes = own.lanes.end;
            let sum = |gap: &dyn Fn(usize) -> u64| -> u64 {
                (0..schedule.len()).filter(|row| schedule.unit[*row] == unit).map(gap).sum()
            };
            assert_eq!(own.gap, sum(&|row| gaps[row].unwrap_or(0)));
            assert_eq!(own.running, sum(&|row| schedule.elapsed[row]));
        }
        assert_eq!(schedule.lanes.len() as u32, lanes);
        // Which of two lanes that became free at the same time is taken does not matter for the gap.
        assert_eq!((0..blocks).map(|row| schedule.gap(row)).collect::<Vec<_>>(), gaps);
        for row in 0..blocks {
            let [before, after] = schedule.neighbors(row);
            assert!(before.is_none_or(|before| schedule.end(before) <= schedule.start[row as usize]));
            assert!(after.is_none_or(|after| schedule.neighbors(after)[0] == Some(row)));
        }
    }
}

#[test]
fn runs_of_blocks_are_summed_and_searched_as_one_by_one() {
    let schedule = simulated(2, 3, 3_000, 1, false);
    let mut random = Random(5);
    for _ in 0..300 {
        let lane = schedule.lanes[random.below(6) as usize].clone();
        let unit = schedule.unit[schedule.order[lane.start as usize] as usize];
        let first = schedule.units[unit as usize].first;
        let from = first + random.below(600_000);
        let to = from + random.below(200_000);
        let seen = schedule.seen(&lane, from, to);
        let rows: Vec<u32> = schedule.order[lane.start as usize..lane.end as usize].to_vec();
        let expected: Vec<u32> = rows
            .into_iter()
            .filter(|row| from < schedule.end(*row) && schedule.start[*row as usize] < to)
            .collect();
        assert_eq!(&schedule.order[seen.clone()], &expected[..]);
        let elapsed = |row: &u32| schedule.elapsed[*row as usize];
        assert_eq!(schedule.running(seen.clone()), expected.iter().map(elapsed).sum::<u64>());
        let longest = schedule.longest(seen).map(|row| elapsed(&row));
        assert_eq!(longest, expected.iter().map(elapsed).max());
    }
}

#[test]
fn lane_time_adds_up_and_waves_are_blocks_over_lanes() {
    let schedule = simulated(10, 4, 330, 3, false);
    let numbers = &schedule.numbers;
    assert_eq!((numbers.units, numbers.lanes, numbers.most_lanes), (10, 40, 4));
    assert_eq!((numbers.waves, numbers.n_waves(), numbers.last_wave), (8.25, 9, 10));
    assert_eq!((schedule.wave(0), schedule.wave(39), schedule.wave(40), schedule.wave(329)), (0, 0, 1, 8));
    let time = schedule.lane_time(Align::First);
    assert!((time.running + time.gap + time.idle - time.length).abs() < 1e-6);
    assert_eq!(time.length, schedule.origins(Align::First).length as f64);
    let mut elapsed = schedule.elapsed.clone();
    elapsed.sort();
    // As numpy.percentile has them: at 164.5, 296.1 and 325.71 from 0.
    let between = |low: usize, rest: f64| {
        let (low, high) = (elapsed[low] as f64, elapsed[low + 1] as f64);
        (low + (high - low) * rest).round() as u64
    };
    assert_eq!(numbers.percentiles, [between(164, 0.5), between(296, 0.1), between(325, 0.71)]);
    assert_eq!((numbers.shortest, numbers.longest), (elapsed[0], elapsed[329]));
    assert_eq!(numbers.bins.counts.iter().sum::<u32>(), 330);
    let skew = numbers.skew.unwrap();
    assert!(skew.start < 9 && 0 < skew.end);
    let exact = schedule.skew_of(17).unwrap();
    let starts: Vec<u64> = schedule.parts_of(17).map(|part| part.start).collect();
    assert_eq!(exact.start, starts.iter().max().unwrap() - starts.iter().min().unwrap());
    // The slowest leads to faster ones, and back.
    let slowest = schedule.step(None, true).unwrap();
    let faster = schedule.step(Some(slowest), false).unwrap();
    assert_eq!(schedule.step(Some(faster), true), Some(slowest));
    assert_eq!(schedule.step(Some(slowest), true), None);
    assert!(schedule.elapsed[faster as usize] <= schedule.elapsed[slowest as usize]);
}

#[test]
fn resident_blocks_are_counted_as_one_by_one() {
    let schedule = simulated(4, 2, 60, 1, false);
    for align in [Align::First, Align::Raw, Align::Timer] {
        let (origins, resident) = (schedule.origins(align), schedule.resident(align));
        let span = |row: u32| {
            let unit = schedule.unit[row as usize];
            (origins.time(unit, schedule.start[row as usize]), origins.time(unit, schedule.end(row)))
        };
        let count =
            |time: u64| (0..60).filter(|row| span(*row).0 <= time && time < span(*row).1).count() as u32;
        let ends: Vec<u64> = (0..60).map(|row| span(row).0).collect();
        assert_eq!(resident.peak, ends.iter().map(|time| count(*time)).max().unwrap());
        for time in ends {
            assert_eq!(resident.at(time), count(time));
        }
    }
    assert!(!schedule.origins(Align::Raw).is_comparable && schedule.origins(Align::First).is_guessed);
}

#[test]
fn a_timer_aligns_units_and_tells_the_clock_rate() {
    assert!(!simulated(6, 2, 200, 1, false).can_align(Align::Timer));
    let schedule = simulated(6, 2, 200, 1, true);
    // 2 ns in 3 cycles.
    let clock = schedule.launch.clock.unwrap();
    assert!(clock.is_fitted && (clock.mhz - 1_500.0).abs() < 1.0, "{clock:?}");
    let origins = schedule.origins(Align::Timer);
    assert!(origins.is_comparable && !origins.is_guessed);
    // It is what is taken where nothing is asked; without one units begin together.
    assert_eq!(
        (schedule.aligned(Align::Auto), schedule.origins(Align::Auto)),
        (Align::Timer, origins.clone())
    );
    assert_eq!(simulated(6, 2, 200, 1, false).aligned(Align::Auto), Align::First);
    // The clocks of the units are a whole number of 10⁹ cycles apart: what is left is the common start.
    let zero = origins.time(0, 2_000_000_000);
    for (unit, row) in schedule.units.iter().enumerate() {
        let offset = 1_000_000_000 * u64::from(row.id / 2 % 7 + 1);
        assert!(
            origins.time(unit as u32, offset + 1_000_000).abs_diff(zero + 1_000_000 - 1_000_000_000) < 9,
            "{row:?}"
        );
    }
}

#[test]
fn what_slow_blocks_have_in_common_is_found() {
    let make = |slow: &dyn Fn(u32) -> bool| {
        let mut gathered = Gathered::new(launch([64, 8, 1]));
        for block in 0..512 {
            let elapsed = if slow(block) { 2_000 } else { 1_000 };
            let start = u64::from(block / 16) * 3_000;
            gathered.push(block, block % 16, None, &[Part { number: 0, start, elapsed }], false);
        }
        arranged(gathered).numbers.common
    };
    let found = make(&|block| 62 <= block % 64).unwrap();
    assert_eq!((found.with, found.slow), (16, 16));
    assert_eq!(found.shared, Property::AtLeast(Key::X, 62));
    assert_eq!(make(&|block| block / 64 == 3).unwrap().shared, Property::Is(Key::Y, 3));
    assert_eq!(make(&|block| block % 16 == 5 && block % 64 != 5).unwrap().shared, Property::Units(vec![5]));
    assert_eq!(make(&|_| false), None);
    assert_eq!(make(&|block| block * 7 % 11 == 0), None);
}

/// Blocks of a set are all slow, and so are some others: the set is named with its share.
#[test]
fn a_set_of_slow_blocks_is_found_beside_others() {
    let mixed = |block: u32| (block * 7 + block / 16 * 3) % 16;
    let make = |slow: &dyn Fn(u32) -> bool| -> Common {
        let mut gathered = Gathered::new(launch([64, 8, 1]));
        for block in 0..512 {
            let elapsed = if slow(block) || block % 17 == 3 { 2_000 } else { 1_000 };
            let part = Part { number: 0, start: u64::from(block / 16) * 3_000, elapsed };
            gathered.push(block, mixed(block), None, &[part], false);
        }
        let numbers = arranged(gathered).numbers;
        assert!(numbers.groups.is_none_or(|groups| groups.by.is_empty()));
        numbers.common.unwrap()
    };
    let also = |slow: &dyn Fn(u32) -> bool| (0..512).filter(|n| slow(*n) || n % 17 == 3).count() as u64;
    let every = |block: u32| block % 8 == 1;
    let found = make(&every);
    assert_eq!((found.with, found.all, found.slow, found.is_a_part()), (64, 64, also(&every), true));
    assert_eq!(found.shared, Property::Residue(Key::X, 8, 1));
    let words = |common: &Common| common.shared.words("SM", 16).to_string();
    assert_eq!(words(&found), "x mod 8 = 1");
    assert_eq!(words(&make(&|block| block % 8 == 0)), "x a multiple of 8");
    let range = |block: u32| (24..32).contains(&(block % 64));
    let found = make(&range);
    assert_eq!((words(&found), found.with, found.slow), ("24 ≤ x < 32".to_owned(), 64, also(&range)));
    assert_eq!(words(&make(&|block| block % 64 < 8)), "x < 8");
    assert_eq!(words(&make(&|block| [3, 7].contains(&mixed(block)))), "SM 3, 7");
    // A set that is told where times fall into two groups which nothing parts.
    assert_eq!(words(&make(&|block| block / 64 == 5 || block % 13 < 3)), "y = 5");
    let list = |n: u32| Property::Units((0..n).collect()).words("SM", 40).to_string();
    assert_eq!(list(12), "SM 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11");
    assert_eq!(list(13), "SM 0, 1, 2, 3, 4, 5 and 7 more (of 40)");
}

/// Slow by chance: no set is named, however many are looked at.
#[test]
fn slow_blocks_at_random_have_nothing_in_common() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let (width, least) = ([16, 40, 96][seed as usize % 3], 4 + random.below(6));
        let mut gathered = Gathered::new(launch([width, 4, 1]));
        for block in 0..width * 4 {
            let elapsed = if random.below(least) == 0 { 2_000 } else { 1_000 };
            let part = Part { number: 0, start: u64::from(block / 16) * 3_000, elapsed };
            gathered.push(block, random.below(16) as u32, None, &[part], false);
        }
        let common = arranged(gathered).numbers.common;
        assert!(common.as_ref().is_none_or(|common| !common.is_a_part()), "{seed}: {common:?}");
    }
}

/// By hand: 256 of 512 blocks take twice as long, or a quarter; lengths vary by up to 8 %.
#[test]
fn blocks_in_two_groups_are_told_by_what_parts_them() {
    let make = |slow: &dyn Fn(u32) -> bool, unit: &dyn Fn(u32) -> u32| {
        let mut gathered = Gathered::new(launch([64, 8, 1]));
        for block in 0..512 {
            let elapsed = if slow(block) { 2_000 } else { 1_000 } + u64::from(block * 37 % 80);
            let start = u64::from(block / 16) * 3_000;
            gathered.push(block, unit(block), None, &[Part { number: 0, start, elapsed }], false);
        }
        arranged(gathered)
    };
    let mixed = |block: u32| (block * 7 + block / 16 * 3) % 16;
    let by = |slow: &dyn Fn(u32) -> bool| make(slow, &mixed).numbers.groups.map(|groups: Groups| groups.by);
    let odd = make(&|block| block % 2 == 1, &mixed);
    let groups = odd.numbers.groups.clone().unwrap();
    assert_eq!((groups.slow, groups.fast, groups.by.clone()), (256, 256, vec![Property::Odd(Key::X)]));
    let mean = |is: bool| {
        let own = (0..512).filter(|row| (row % 2 == 1) == is).map(|row| odd.elapsed_of(row) as f64);
        own.sum::<f64>() / 256.0
    };
    assert!((groups.slow_mean - mean(true)).abs() < 1e-6 && (groups.fast_mean - mean(false)).abs() < 1e-6);
    assert_eq!(odd.numbers.common, None);
    // Relative to their groups all units are as fast, though some run more of the slow blocks.
    let within = odd.units.iter().map(|unit| unit.median_within);
    let (least, most) = within.fold((f64::MAX, 0.0_f64), |(a, b), median| (a.min(median), b.max(median)));
    assert!(most < 1.03 * least, "{least} {most}");
    assert_eq!(by(&|block| block % 64 < 20), Some(vec![Property::Below(Key::X, 20)]));
    // Blocks from a number on are those from a wave on, too: 12 × 16 blocks ran before.
    let both = vec![Property::AtLeast(Key::Y, 3), Property::AtLeast(Key::Wave, 12)];
    assert_eq!(by(&|block| 3 <= block / 64), Some(both));
    assert_eq!(by(&|block| (16..48).contains(&(block % 64))), Some(vec![Property::Within(Key::X, 16, 48)]));
    assert_eq!(by(&|block| block % 64 % 3 == 0), Some(vec![Property::Residue(Key::X, 3, 0)]));
    assert_eq!(by(&|block| block % 4 != 1), Some(vec![Property::NotResidue(Key::X, 4, 1)]));
    assert_eq!(by(&|block| block / 64 == 0 || block / 64 == 5 || block % 7 == 0), Some(Vec::new()));
    // Ids of units, and what parts blocks in the same way.
    let same = make(&|block| block % 2 == 1, &|block| block % 2 + 8).numbers.groups.unwrap();
    assert_eq!(same.by, [Property::Odd(Key::X), Property::Units(vec![9])]);
    assert_eq!(same.words("SM", 2).to_string(), "odd x, or equally SM 9");
    // A steady rise is no pair of groups, nor are exceptions.
    let mut rising = Gathered::new(launch([64, 8, 1]));
    for block in 0..512 {
        let part = Part { number: 0, start: 0, elapsed: 1_000 + u64::from(block % 64) * 20 };
        rising.push(block, mixed(block), None, &[part], false);
    }
    assert_eq!(arranged(rising).numbers.groups, None);
    assert_eq!(by(&|block| block % 64 == 9), None);
}

#[test]
fn nothing_and_one_block_are_schedules_too() {
    let empty = arranged(Gathered::new(launch([0, 1, 1])));
    assert!(empty.is_empty() && empty.step(None, true).is_none());
    assert_eq!(empty.resident(Align::First).peak, 0);
    let mut gathered = Gathered::new(launch([1, 1, 1]));
    gathered.push(0, 9, None, &[Part { number: 0, start: u64::MAX - 3, elapsed: 100 }], true);
    let one = arranged(gathered);
    assert_eq!((one.numbers.longest, one.origins(Align::First).length, one.gap(0)), (3, 3, None));
}

/// The map of a recorded launch with one record of (u64 start, u32 elapsed, u32 SM) a warp, decoded by hand.
fn recorded(path: &str) -> Option<Schedule> {
    let corpus = std::env::var("LANESCOPE_CORPUS").ok()?;
    let bytes = std::fs::read(format!("{corpus}/neutrino/{path}")).ok()?;
    let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (blocks, warps) = (word(0), word(12) / 32);
    let mut gathered = Gathered::new(launch([blocks, 1, 1]));
    for block in 0..blocks {
        let at = |warp: u32| 48 + 16 * (block * warps + warp) as usize;
        let parts: Vec<Part> = (0..warps)
            .map(|number| Part { number, start: long(at(number)), elapsed: word(at(number) + 8).into() })
            .collect();
        gathered.push(block, word(at(0) + 12), None, &parts, false);
    }
    Some(arranged(gathered))
}

#[test]
fn recorded_launches_have_the_gaps_that_were_computed_by_hand() {
    for (path, running, gap) in [
        ("mock_v2_block_sched/result/0.252796.bin", 331_078.15, 20_806.75),
        ("mock_v2_block_sched/result/0.556829.bin", 332_851.45, 21_167.75),
        ("mock_v1_block_sched/result/0.333170.bin", 51_449.7, 2_031.0),
    ] {
        let Some(schedule) = recorded(path) else { return };
        assert_eq!((schedule.numbers.running, schedule.numbers.gap), (running, gap), "{path}");
        assert_eq!((schedule.numbers.lanes, schedule.numbers.units), (40, 20));
    }
}
