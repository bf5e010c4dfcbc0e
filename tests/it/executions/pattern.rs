//! Patterns of accesses: the words of the definition, and counts against sets of bytes.

use lanescope::views::executions::compute::pattern::{Access, Pattern, SECTOR, access, conflicts};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn of(addresses: impl IntoIterator<Item = u64>, bytes: u32) -> Access {
    access(&addresses.into_iter().collect::<Vec<_>>(), bytes, SECTOR)
}

#[test]
fn each_access_has_its_word() {
    let lanes = || 0..32_u64;
    let unit = of(lanes().map(|lane| 0x1000 + lane * 4), 4);
    assert_eq!(
        (unit.pattern, unit.sectors, unit.best, unit.excess(), unit.used()),
        (Pattern::Unit, 4, 4, 0, Some(1.0))
    );
    let strided = of(lanes().take(22).map(|lane| 0x1000 + lane * 128), 4);
    assert_eq!(
        (strided.pattern, strided.sectors, strided.best, strided.excess()),
        (Pattern::Stride(128), 22, 3, 19)
    );
    assert_eq!(strided.used(), Some(0.125));
    let uniform = of(lanes().map(|_| 0x1004), 4);
    assert_eq!(
        (uniform.pattern, uniform.requested, uniform.unique, uniform.sectors),
        (Pattern::Uniform, 128, 4, 1)
    );
    assert_eq!(uniform.excess(), 0);
    assert_eq!(of(lanes().map(|lane| 0x2000 - lane * 8), 4).pattern, Pattern::Stride(-8));
    assert_eq!(of([], 4).pattern, Pattern::None);
    assert_eq!(of([], 4).used(), None);
    assert_eq!(of([7], 4).pattern, Pattern::Single);
    let runs = lanes().map(|lane| lane * 4 + if lane < 16 { 0 } else { 0x1000 });
    assert_eq!(of(runs, 4).pattern, Pattern::Segmented);
    assert_eq!(of(lanes().map(|lane| lane * lane * 64), 4).pattern, Pattern::Irregular);
    // Rows of three lanes 48 bytes apart are no scattered addresses; others are.
    let rows = |lanes: u64| of((0..lanes).map(|lane| lane / 3 * 48 + lane % 3 * 4), 4).pattern;
    assert_eq!((rows(6), rows(8)), (Pattern::Rows(3, 48), Pattern::Rows(3, 48)));
    // Runs that are not evenly apart, and lanes of one address before others: as Details calls them.
    assert_eq!(of([0, 4, 8, 48, 52, 56, 80], 4).pattern, Pattern::ShortRuns);
    assert_eq!(of([0, 0, 0, 640, 644, 648], 4).pattern, Pattern::ShortRuns);
    assert_eq!(of([0, 400, 404, 900], 4).pattern, Pattern::Irregular);
    // A sector that begins before the last byte of the address space does not end beyond it.
    let last = of([u64::MAX - 3, u64::MAX], u32::MAX);
    assert!(last.sectors <= 2 && last.moved <= 64, "{last:?}");
    assert_eq!(of([0, 1 << 40], u32::MAX).unique, 2 * u64::from(u32::MAX));
}

#[test]
fn banks_are_asked_for_different_words() {
    let addresses = |stride: u64, n: u64| (0..n).map(|lane| lane * stride).collect::<Vec<_>>();
    assert_eq!(conflicts(u32::MAX, &addresses(4, 32), 4), 1);
    assert_eq!(conflicts(u32::MAX, &addresses(0, 32), 4), 1);
    assert_eq!(conflicts(u32::MAX, &addresses(8, 32), 4), 2);
    assert_eq!(conflicts(u32::MAX, &addresses(128, 32), 4), 32);
    // Wide accesses go by parts of the warp.
    assert_eq!(conflicts(u32::MAX, &addresses(16, 32), 16), 1);
    assert_eq!(conflicts(u32::MAX, &addresses(8, 32), 8), 1);
    assert_eq!(conflicts(0xff, &addresses(256, 8), 16), 8);
    assert_eq!(conflicts(0, &[], 4), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_and_sectors_are_counted_as_sets(
        addresses in proptest::collection::vec(0_u64..600, 0..33),
        bytes in 1_u32..40,
        sector in prop_oneof![Just(32_u64), Just(64), Just(128)],
    ) {
        let found = access(&addresses, bytes, sector);
        let all: BTreeSet<u64> = addresses.iter().flat_map(|a| *a..*a + u64::from(bytes)).collect();
        let sectors: BTreeSet<u64> = all.iter().map(|byte| byte / sector).collect();
        prop_assert_eq!(found.unique, all.len() as u64);
        prop_assert_eq!(found.sectors, sectors.len() as u64);
        prop_assert_eq!(found.moved, sectors.len() as u64 * sector);
        prop_assert!(found.best <= found.sectors);
        prop_assert!(found.used().is_none_or(|used| used <= 1.0));
    }
}

#[test]
fn patterns_are_said_in_fixed_words() {
    use lanescope::base::words::Language::En;
    use lanescope::views::executions::scene::{bank_words, sector_words};
    let lanes = |by: u64| of((0..32).map(|lane| 0x1000 + lane * by), 4);
    for (access, words) in [
        (lanes(128), "stride 128: one sector per lane, 12.5 % of moved bytes used"),
        (lanes(8), "stride 8: 4 lanes share a sector, 50.0 % of moved bytes used"),
        (lanes(4), "unit: contiguous lanes, 100.0 % of moved bytes used"),
        (lanes(0), "uniform: all lanes use one address, 12.5 % of moved bytes used"),
        (of([], 4), "none: no active lane"),
    ] {
        assert_eq!(sector_words(&access, SECTOR, En), words);
    }
    assert_eq!(bank_words(&lanes(128), 32, En), "stride 128: one bank is accessed 32 times");
    assert_eq!(bank_words(&lanes(4), 1, En), "unit: no bank conflict");
}
