//! Counts per cell against counting one record after the other.

use crate::support::front_door::open_one;
use crate::support::make_accesses::{Record, container, tiled};
use lanescope::analysis::access::{AccessCache, AccessScope, Filter, Part, Tiling};
use proptest::prelude::*;

fn record() -> impl Strategy<Value = Record> {
    let place = prop_oneof![
        (Just(6_i8), 0_u64..4_096),
        (Just(1_i8), (0_u64..1 << 16).prop_map(|a| 0x12c0_4000_0000 + a)),
        (Just(1_i8), (0_u64..64).prop_map(|a| u64::MAX - a)),
    ];
    let bytes = prop_oneof![0_u64..600, Just(0), Just(u64::MAX)];
    (3_u8..6, 0_i8..3, place, bytes).prop_map(|(kind, core, (space, address), bytes)| Record {
        kind,
        core,
        space,
        block: 0,
        id: 0,
        address,
        bytes: bytes.min(1 << 13),
        pc: 0,
    })
}

/// How often a cell is touched, by load, store, other.
fn count(records: &[Record], core: Option<i8>, space: i8, rows: (u64, u64), bytes: (u64, u64)) -> [u32; 3] {
    let mut counts = [0; 3];
    let rows = records.iter().enumerate().filter(|(i, _)| rows.0 <= *i as u64 && (*i as u64) < rows.1);
    for (_, record) in rows.filter(|(_, r)| r.space == space && core.is_none_or(|core| core == r.core)) {
        let last = record.address.saturating_add(record.bytes.max(1) - 1);
        if record.address <= bytes.1 && bytes.0 <= last {
            let side = match record.kind {
                3 => 0,
                4 => 1,
                _ => 2,
            };
            counts[side] += 1;
        }
    }
    counts
}

fn check(records: &[Record], levels: &[u32], shift: u32, core: Option<i8>) {
    let (mut doc, _) = open_one("visualize_data.bin", container(records, "[]"));
    let (trace, _) = doc.parts();
    let mut cache = AccessCache::default();
    cache.extend(trace);
    let mut filter = Filter::default();
    filter.set("unit", core.map(|core| format!("core{core}")));
    let look = AccessScope { filter: filter.clone(), ..AccessScope::default() };
    let axis = cache.axis(trace, &filter, false);
    let parts: Vec<Part> = axis
        .segments
        .iter()
        .enumerate()
        .map(|(segment, s)| {
            let first = (s.start >> shift) / 4 * 4;
            Part { segment, shift, first, n: ((s.last >> shift) - first + 1).min(3_000) as u32 }
        })
        .collect();
    for &level in levels {
        let columns = 0..(records.len() as u64).div_ceil(1 << level);
        let tiling = Tiling { level, columns: columns.clone(), parts: parts.clone() };
        let grid = cache.grid(trace, &look, &axis, &tiling);
        let mut most = 0;
        for column in columns {
            let rows = (column << level, (column + 1) << level);
            let mut at = 0;
            for part in &parts {
                let name = trace.accesses.space_name(axis.segments[part.segment].space.unwrap());
                let space = if name == "UB" { 6 } else { 1 };
                for row in 0..part.n {
                    let low = (part.first + u64::from(row)) << shift;
                    let cell = (low.max(axis.segments[part.segment].start), low | ((1 << shift) - 1));
                    let cell = (cell.0, cell.1.min(axis.segments[part.segment].last));
                    // Cells that begin before the cluster hold nothing of it below its start.
                    let expected =
                        if cell.0 <= cell.1 { count(records, core, space, rows, cell) } else { [0; 3] };
                    let got = grid.cell(column as usize, at);
                    assert_eq!(got, expected, "level {level}, column {column}, row {row} of {part:?}");
                    most = most.max(got.iter().sum());
                    at += 1;
                }
            }
        }
        assert_eq!(grid.most(), most);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn cells_count_what_touches_them(
        records in proptest::collection::vec(record(), 1..60),
        level in 0_u32..6,
        shift in 9_u32..13,
        core in proptest::option::of(0_i8..3),
    ) {
        // The finer level first: the coarser one is then made of its columns.
        check(&records, &[level, level + 1, level + 2, level], shift, core);
    }
}

#[test]
fn columns_of_a_tiled_kernel_are_the_same_by_any_way() {
    check(&tiled(1_000), &[5, 6, 7], 10, None);
}

#[test]
fn a_window_that_moves_counts_only_what_is_new_and_counts_it_right() {
    let records = tiled(20_000);
    let (mut doc, _) = open_one("visualize_data.bin", container(&records, "[]"));
    let (trace, _) = doc.parts();
    let mut cache = AccessCache::default();
    cache.extend(trace);
    let (filter, look) = (Filter::default(), AccessScope::default());
    let axis = cache.axis(trace, &filter, true);
    assert_eq!(axis.segments.len(), 1, "one plain scale");
    let shift = 36;
    let first = axis.segments[0].start >> shift;
    let n = ((axis.segments[0].last >> shift) - first + 1) as u32;
    let parts = vec![Part { segment: 0, shift, first, n }];
    for from in [0_u64, 10, 25, 5, 60] {
        let tiling = Tiling { level: 7, columns: from..from + 40, parts: parts.clone() };
        let moved = cache.grid(trace, &look, &axis, &tiling);
        let fresh = {
            let mut other = AccessCache::default();
            other.extend(trace);
            other.grid(trace, &look, &axis, &tiling)
        };
        for column in 0..40 {
            assert_eq!(moved.column(column), fresh.column(column), "column {column} from {from}");
        }
    }
}
