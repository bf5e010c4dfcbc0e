//! Counts of the counter against counts by hand.

use lanescope::base::map::Map;
use lanescope::views::density::compute::{
    Axis, Cell, Counter, Density, MAX_PAGES, ROWS, Raster, Region, View, Window, all_facts, over_time,
};

/// Records that spread over clocks and addresses as the numbers of a small generator do.
fn records(n: u64, clocks: u64, bytes: u64) -> Vec<(u64, u64, u32)> {
    let mut random = 7_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    (0..n).map(|i| (1_000_000 + next(clocks), 0x7f00_0000_0000 + next(bytes), (i / 100) as u32)).collect()
}

fn counted(records: &[(u64, u64, u32)], shift: u32, window: Option<Window>) -> Density {
    let mut counter = Counter::new(shift, true, window);
    for &(clock, address, block) in records {
        counter.add(clock, address, 1, block);
    }
    counter.finish(&[])
}

/// Every cell has exactly the records of its clocks and its page, and the blocks of the first and the last of them.
fn check(density: &Density, records: &[(u64, u64, u32)]) {
    let mut cells: Map<(u64, usize), Cell> = Map::default();
    for &(clock, address, block) in records {
        let cell = cells.entry((address >> density.shift, density.columns.of(clock).unwrap())).or_default();
        cell.merge(&Cell { n: 1, first: block, last: block });
    }
    let n: usize = density.pages.iter().map(|p| density.cells(p).iter().filter(|c| c.n != 0).count()).sum();
    assert_eq!(n, cells.len());
    for ((page, column), cell) in cells {
        let page = density.pages.iter().find(|p| p.number == page).unwrap();
        assert_eq!(density.cells(page)[column], cell);
    }
    assert_eq!(density.accesses, records.len() as u64);
    assert_eq!(density.clocks.0, records.iter().map(|r| r.0).min().unwrap());
    assert_eq!(density.clocks.1, records.iter().map(|r| r.0).max().unwrap());
}

fn sectors(records: &[(u64, u64, u32)], page: u64, shift: u32) -> u32 {
    let mut all: Vec<u64> =
        records.iter().map(|r| r.1).filter(|a| a >> shift == page).map(|a| a >> 5).collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u32
}

#[test]
fn counts_are_exact_while_clocks_grow_both_ways() {
    for clocks in [1, 300, 512, 513, 100_000, 1 << 40] {
        let records = records(5_000, clocks, 40 << 16);
        let density = counted(&records, 16, None);
        assert_eq!(density.shift, 16);
        check(&density, &records);
        let (from, to) = density.used();
        assert!(clocks < 600 || 256 < to - from, "columns are used: {from} to {to}");
    }
}

#[test]
fn too_many_pages_become_larger_ones_and_keep_their_counts_and_sectors() {
    for shift in [5, 7, 10] {
        let records = records(60_000, 10_000, 64 << 20);
        let density = counted(&records, shift, None);
        assert!(shift < density.shift && density.pages.len() <= MAX_PAGES, "{}", density.shift);
        assert_eq!(density.asked, shift);
        check(&density, &records);
        assert!(density.has_sectors);
        for page in density.pages.iter().step_by(97) {
            assert_eq!(page.sectors, sectors(&records, page.number, density.shift));
        }
    }
}

#[test]
fn pages_that_follow_the_data_are_the_smallest_of_which_there_are_few() {
    for (n, bytes) in [(80, 8 << 10), (500, 4 << 10), (5_000, 1 << 20), (60_000, 64 << 20), (3_000, 1 << 40)]
    {
        let records = records(n, 10_000, bytes);
        let pages = |shift: u32| {
            let mut all: Vec<u64> = records.iter().map(|r| r.1 >> shift).collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        let best = (5..63).find(|shift| pages(*shift) <= ROWS).unwrap();
        let mut counter = Counter::new(0, true, None).fitting(None, None);
        for &(clock, address, block) in &records {
            counter.add(clock, address, 1, block);
        }
        let density = counter.finish(&[]);
        assert_eq!(
            (density.shift, density.asked, density.pages.len()),
            (best, best, pages(best)),
            "{n} {bytes}"
        );
        check(&density, &records);
        // A window has the pages of all, a size that somebody asks for is kept.
        let shift_of = |asked| Counter::new(0, true, None).fitting(asked, Some(&density)).finish(&[]).asked;
        assert_eq!([shift_of(None), shift_of(Some(12))], [best, 12]);
    }
    // Many parts that nothing joins are no reason for ever larger pages: 300 regions of four sectors each.
    let regions: Vec<(u64, u64)> = (0..300).map(|n| (n << 12, 128)).collect();
    let mut counter = Counter::new(0, true, None).split_by(regions.iter().copied()).fitting(None, None);
    for (start, _) in &regions {
        for sector in 0..4 {
            counter.add(1, start + sector * 32, 1, 0);
        }
    }
    let density = counter.finish(&[]);
    assert_eq!((density.shift, density.pages.len()), (6, 600));
}

#[test]
fn a_window_is_counted_exactly_in_finer_columns_and_pages() {
    let records = records(60_000, 1 << 30, 64 << 20);
    let window = Window {
        clocks: (1_000_000 + (1 << 20), 1_000_000 + (1 << 24)),
        addresses: (0x7f00_0010_0000, 0x7f00_00ff_ffff),
    };
    let density = counted(&records, 7, Some(window));
    assert_eq!(density.shift, 7);
    let inside = |r: &&(u64, u64, u32)| {
        window.clocks.0 <= r.0
            && r.0 <= window.clocks.1
            && window.addresses.0 <= r.1
            && r.1 <= window.addresses.1
    };
    let inside: Vec<_> = records.iter().filter(inside).copied().collect();
    assert!(10 < inside.len());
    check(&density, &inside);
    assert!(density.column_clocks() <= (1 << 24) / 256);
}

#[test]
fn pages_belong_to_the_first_region_that_holds_them() {
    let region =
        |start, bytes, name: &'static str| Region { start, bytes, name: name.into(), ..Region::default() };
    let regions =
        [region(0x2_0000, 0x1_0000, "b"), region(0x1_0000, 0x2_0000, "a"), region(0x9_0000, 1, "none")];
    let mut counter = Counter::new(16, true, None);
    for address in [0x1_0004, 0x2_0000, 0x2_fff0, 0x3_0000] {
        counter.add(1, address, 2, 0);
    }
    let density = counter.finish(&regions);
    let names: Vec<_> =
        density.bands.iter().map(|band| (band.region.name.to_string(), band.accesses)).collect();
    assert_eq!(names, [("a".to_owned(), 2), ("b".to_owned(), 4), ("Unknown".to_owned(), 2)]);
    assert_eq!(density.pages.iter().map(|page| page.band).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_cell_has_the_band_of_the_page_that_is_accessed_most_in_it() {
    let region =
        |start, name: &'static str| Region { start, bytes: 0x1_0000, name: name.into(), ..Region::default() };
    let mut counter = Counter::new(16, true, None);
    for (clock, address, n) in
        [(0, 0x1_0000, 3), (1_000, 0x2_0000, 1), (2_000, 0x1_0000, 1), (2_000, 0x2_0000, 2)]
    {
        counter.add(clock, address, n, 0);
    }
    let density = counter.finish(&[region(0x1_0000, "a"), region(0x2_0000, "b")]);
    let view =
        View { axis: Axis::new(&density, false), density: &density, clocks: (0.0, 1e9), places: (0.0, 1.0) };
    let raster = Raster::new(&view, 10_000, 1);
    assert_eq!(raster.grid.height, 1, "both share a row");
    let cells = raster.cells.iter().zip(&raster.cell_bands).filter(|(n, _)| 0.0 < **n);
    assert_eq!(cells.map(|(n, band)| (*n, *band)).collect::<Vec<_>>(), [(3.0, 0), (1.0, 1), (3.0, 1)]);
}

#[test]
fn split_pages_count_each_access_for_its_region() {
    let region =
        |start, bytes, name: &'static str| Region { start, bytes, name: name.into(), ..Region::default() };
    let base = 0x7f00_0000_0000;
    // One lies inside another, two share a sector, one is empty; many pages become coarse.
    let regions = [
        region(base + 0x40_0000, 0x1_0000, "inner"),
        region(base + 0x10_0010, 0x90_0000, "outer"),
        region(base + 0xa0_0010, 0x7_0004, "next"),
        region(base + 0x80_0000, 0, "empty"),
    ];
    let records = records(60_000, 10_000, 16 << 20);
    for shift in [5, 12, 21, 30] {
        let mut counter =
            Counter::new(shift, true, None).split_by(regions.iter().map(|r| (r.start, r.bytes)));
        for r in &records {
            counter.add(r.0, r.1, 1, r.2);
        }
        let density = counter.finish(&regions);
        let region_of = |address: u64| {
            let holds = |r: &&Region| r.start <= address && address - r.start < r.bytes;
            regions.iter().find(holds).map_or("Unknown".to_owned(), |r| r.name.to_string())
        };
        for band in &density.bands {
            let name = band.region.name.to_string();
            let own = records.iter().filter(|r| region_of(r.1) == name);
            let mut pages: Vec<u64> = own.clone().map(|r| r.1 >> density.shift).collect();
            pages.sort_unstable();
            pages.dedup();
            let expected = (own.count() as u64, pages.len() as u64);
            assert_eq!((band.accesses, band.pages), expected, "{name} at {shift}");
        }
        let sectors: Vec<u64> = density.per_page(|page| u64::from(page.sectors));
        let mut all: Vec<u64> = records.iter().map(|r| r.1 >> 5).collect();
        all.sort_unstable();
        all.dedup();
        assert!(!density.has_sectors || sectors.iter().sum::<u64>() == all.len() as u64, "{shift}");
        let view = View {
            axis: Axis::new(&density, false),
            density: &density,
            clocks: (0.0, 1e9),
            places: (0.0, 1.0),
        };
        let raster = Raster::new(&view, 300, 10_000);
        assert_eq!((raster.sums.accesses, raster.sums.pages), (60_000, sectors.len() as u64));
        assert!(raster.sums.working_set <= sectors.len() as u64);
        for (at, page) in density.pages.iter().enumerate() {
            assert_eq!(density.pages.len() as f64, view.axis.len());
            assert_eq!(view.axis.unit(page.start).map(f64::floor), Some(at as f64));
            assert_eq!(view.pages((at as f64, at as f64 + 1.0)), [*page]);
        }
    }
}

#[test]
fn what_is_drawn_adds_up_and_cells_say_where_they_lie() {
    let records = records(20_000, 1 << 20, 4_000 << 16);
    let density = counted(&records, 16, None);
    for (is_linear, clocks, places) in [
        (false, (0.0, 1e9), (-0.02, 1.02)),
        (true, (0.0, 1e9), (-0.02, 1.02)),
        (false, (1e5, 3e5), (0.25, 0.5)),
    ] {
        let view = View { axis: Axis::new(&density, is_linear), density: &density, clocks, places };
        let Raster { grid, cells, sums, bands, .. } = Raster::new(&view, 200, 150);
        assert!(grid.width <= 202 && grid.height <= 152, "{} × {}", grid.width, grid.height);
        let n = cells.iter().sum::<f32>() as u64;
        assert_eq!(n, sums.accesses);
        assert_eq!((bands.len(), &bands[0]), (1, &(0..grid.height)));
        let (addresses, (from, to)) = (view.seen_addresses(), view.seen_clocks());
        let inside =
            |r: &&(u64, u64, u32)| addresses.0 <= r.1 && r.1 <= addresses.1 && from <= r.0 && r.0 <= to;
        let exact = records.iter().filter(inside).count() as u64;
        assert!(exact <= n && n <= exact + exact / 10, "{exact} {n}");
        for (column, row) in [(0, 0), (3, 5), (grid.width - 1, grid.height - 1)] {
            let (pages, cell) = grid.cell(&view, column, row);
            assert_eq!(cell.n as f32, cells[row * grid.width + column]);
            assert_eq!(pages.is_empty(), cell.n == 0);
        }
    }
}

#[test]
fn a_window_stands_on_the_axis_of_all_with_finer_rows() {
    let records = records(60_000, 10_000, 64 << 20);
    let density = counted(&records, 7, None);
    let all =
        View { axis: Axis::new(&density, false), density: &density, clocks: (0.0, 1e9), places: (0.5, 0.55) };
    let window = Window { clocks: all.seen_clocks(), addresses: all.seen_addresses() };
    let part = counted(&records, 7, Some(window));
    assert!(part.shift < density.shift);
    let fine = View { density: &part, ..all };
    let (coarse, fine) = (Raster::new(&all, 500, 5_000), Raster::new(&fine, 500, 5_000));
    // Pages at the edges are seen in part.
    assert!(coarse.sums.accesses.abs_diff(fine.sums.accesses) < 2 * coarse.sums.per_page.1);
    assert_eq!(coarse.grid.row_pages, 1.0);
    let finer = f64::from(1 << (density.shift - part.shift));
    assert!(fine.grid.row_pages < 1.0 && 1.0 / finer <= fine.grid.row_pages, "{}", fine.grid.row_pages);
    let rows = |raster: &Raster, units: (f64, f64)| {
        let inside = |row: &usize| {
            let at = raster.grid.units_of(*row);
            units.0 <= at.0 && at.1 <= units.1
        };
        let sum =
            |row| raster.cells.iter().skip(row * raster.grid.width).take(raster.grid.width).sum::<f32>();
        (0..raster.grid.height).filter(inside).map(sum).sum::<f32>()
    };
    for row in [1, 7, coarse.grid.height / 2] {
        let units = coarse.grid.units_of(row);
        assert_eq!(rows(&coarse, units), rows(&fine, units));
    }
}

#[test]
fn the_ends_of_numbers_have_a_place() {
    let records = [(0, 0, 0), (u64::MAX, u64::MAX, 1), (5, 1 << 63, 2), (u64::MAX - 1, 31, u32::MAX)];
    for shift in [5, 16, 21] {
        let density = counted(&records, shift, None);
        check(&density, &records);
        for is_linear in [false, true] {
            let axis = Axis::new(&density, is_linear);
            let view = View { axis, density: &density, clocks: (0.0, f64::INFINITY), places: (0.0, 1.0) };
            assert_eq!(Raster::new(&view, 300, 200).sums.accesses, 4);
            let seen = Window { clocks: view.seen_clocks(), addresses: view.seen_addresses() };
            assert_eq!(seen, Window { clocks: (0, u64::MAX), addresses: (0, u64::MAX) });
            assert_eq!(density.zoomed(&seen), None);
        }
        assert_eq!(all_facts(&density).len(), 11);
        assert_eq!(over_time(&density, true).lines[0].y.iter().flatten().filter(|y| 0.0 < **y).count(), 2);
    }
}
