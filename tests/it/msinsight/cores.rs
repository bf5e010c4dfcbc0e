//! Cycles of cores that fall into groups: even and odd ones, ranges, lists; one core lacks a unit.

use super::advice;
use super::conclusions::occupancy;
use crate::support::front_door::open_one;
use crate::support::make_ascend::Container;

/// What is said of cores with these cycles of their vector units, by number.
fn said(cores: &[Vec<(u32, u32)>]) -> String {
    let cores: Vec<&[(u32, u32)]> = cores.iter().map(Vec::as_slice).collect();
    let (mut doc, _) = open_one("visualize_data.bin", Container::default().json(12, &occupancy(&cores)).0);
    advice(&mut doc).iter().map(|line| format!("{} {}\n", line.sentence, line.line)).collect()
}

#[test]
fn groups_of_cores_are_named_by_what_they_have_in_common() {
    let eight = |is_slow: fn(u32) -> bool| -> Vec<Vec<(u32, u32)>> {
        (0..8).map(|core| vec![(0, if is_slow(core) { 2_000 } else { 1_000 })]).collect()
    };
    for (is_slow, slow, fast) in [
        ((|core| core % 2 == 0) as fn(u32) -> bool, "4 even cores", "4 odd cores"),
        (|core| core < 4, "4 cores (0 to 3)", "4 cores (4 to 7)"),
        (|core| core % 4 < 2, "4 cores (0, 1, 4, 5)", "4 cores (2, 3, 6, 7)"),
    ] {
        let text = said(&eight(is_slow));
        let expected =
            format!("{slow} took 2,000 cycles on average, {fast} 1,000 cycles: 2.00 times as long.");
        assert!(text.contains(&expected), "{text}");
    }
    // Two units each, of which the second takes half again as long; the last core has one: it says nothing of both.
    let mut pairs: Vec<Vec<(u32, u32)>> = (0..7).map(|_| vec![(0, 1_000), (1, 1_500)]).collect();
    pairs.push(vec![(0, 1_000)]);
    let text = said(&pairs);
    // (7 × 1,500 + 8 × 1,000) / 15.
    let expected = "vector1 of the 7 cores that have both took 1,500 cycles on average, vector0 of the 7 cores that have both 1,000 cycles: 1.50 times as long. With an even split, all would take 1,233.3 cycles instead of 1,500 cycles, 17.8 % less.";
    assert!(text.contains(expected), "{text}");
}
