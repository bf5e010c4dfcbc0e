//! Unit tests of single modules of draw.

mod axis {
    use lanescope::base::unit::Unit;
    use lanescope::draw::axis::Axis;
    use lanescope::model::figure::ScaleKind;

    fn texts(axis: &Axis, most: usize, unit: &Unit) -> Vec<String> {
        axis.ticks(most, unit).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn ticks_are_round_and_share_a_unit() {
        let linear = |from, to| Axis::new(ScaleKind::Linear, from, to);
        assert_eq!(
            texts(&linear(0.0, 118_400.0), 6, &Unit::Cycles),
            ["0", "20k", "40k", "60k", "80k", "100k"]
        );
        assert_eq!(
            texts(&linear(0.0, 2_500_000.0), 5, &Unit::Nanos),
            ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]
        );
        assert_eq!(texts(&linear(0.0, 1.0), 4, &Unit::Share), ["0", "50", "100"]);
        assert_eq!(
            texts(&linear(0.0, 65536.0), 4, &Unit::Address),
            ["0x0", "0x4000", "0x8000", "0xc000", "0x10000"]
        );
        let log = Axis::new(ScaleKind::Log, 0.1, 10_000.0);
        assert_eq!(texts(&log, 6, &Unit::OpsPerByte), ["0.1", "1", "10", "100", "1,000", "10,000"]);
        assert_eq!(texts(&Axis::new(ScaleKind::Log, 10.0, 60.0), 6, &Unit::None), ["10", "20", "50"]);
    }

    /// Also where all values lie between two round ones, an axis tells a scale.
    #[test]
    fn an_axis_says_two_values_at_least() {
        let log = |from, to| Axis::new(ScaleKind::Log, from, to);
        assert_eq!(texts(&log(6e6, 9e6), 6, &Unit::Nanos), ["6", "7", "8", "9"]);
        for most in 2..8 {
            for (from, to) in [(5.5e6, 5.9e6), (2.1e6, 4.9e6), (9.1e6, 9.9e6), (1.01e3, 1.9e3)] {
                let linear = Axis::new(ScaleKind::Linear, from, to);
                for axis in [log(from, to), linear] {
                    let ticks = axis.ticks(most, &Unit::Nanos);
                    assert!(2 <= ticks.len(), "{axis:?} {most}: {ticks:?}");
                    assert!(ticks.iter().all(|tick| (-1e-6..=1.000_001).contains(&tick.at)), "{ticks:?}");
                }
            }
        }
    }

    #[test]
    fn ticks_of_many_ranges_differ_and_whole_ones_are_whole() {
        let linear = |from, to| Axis::new(ScaleKind::Linear, from, to);
        assert_eq!(
            texts(&linear(4.0e12, 4.002e12), 4, &Unit::Cycles),
            ["4,000.0G", "4,000.5G", "4,001.0G", "4,001.5G", "4,002.0G"]
        );
        assert_eq!(texts(&linear(4096.0, 4098.0), 8, &Unit::Address), ["0x1000", "0x1001", "0x1002"]);
        assert_eq!(texts(&linear(0.0, 2.0), 8, &Unit::Cycles), ["0", "1", "2"]);
        let units =
            [Unit::Address, Unit::Bytes, Unit::Cycles, Unit::Nanos, Unit::None, Unit::Share, Unit::Percent];
        for unit in units.into_iter().chain([Unit::Count("blocks".to_owned())]) {
            let is_whole = matches!(unit, Unit::Address | Unit::Count(_));
            for from in [0.0, 1.0, 999.0, 65_536.0, 1e6, 4e12, 1.7e15, 8.8e15] {
                for size in [1e-6, 0.4, 1.0, 3.0, 7.5, 90.0, 4e3, 2.5e6, 2e9, 3e12] {
                    for most in [2, 5, 12] {
                        let axis = linear(from, from + size);
                        let ticks = axis.ticks(most, &unit);
                        let mut said: Vec<&str> = ticks.iter().map(|tick| tick.text.as_str()).collect();
                        said.sort_unstable();
                        said.dedup();
                        assert_eq!(said.len(), ticks.len(), "{unit:?} {from} + {size}: {ticks:?}");
                        for tick in ticks.iter().filter(|_| is_whole) {
                            let value = axis.value(tick.at);
                            // A share of a far axis is not exact.
                            let noise = 1e-3_f64.max(value.abs() * 1e-15 * 8.0);
                            assert!(
                                (value - value.round()).abs() <= noise,
                                "{unit:?} {from} + {size}: {value}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn places_and_values_are_inverse() {
        for axis in [Axis::new(ScaleKind::Log, 0.5, 800.0), Axis::new(ScaleKind::Linear, -3.0, 7.0)] {
            for at in [0.0, 0.25, 1.0] {
                assert!((axis.at(axis.value(at)).unwrap() - at).abs() < 1e-12);
            }
        }
        assert_eq!(Axis::new(ScaleKind::Log, 0.0, 10.0).at(0.0), None);
        assert_eq!(Axis::new(ScaleKind::Linear, 5.0, 5.0), Axis::new(ScaleKind::Linear, 5.0, 10.0));
    }
}

mod chart_roofline {
    use lanescope::draw::chart::roofline::axes;
    use lanescope::model::figure::{Roof, RoofPoint};

    fn roof(bandwidth: f64, ceiling: f64, x: f64, y: f64) -> Roof {
        let name = String::new;
        let point = Some(RoofPoint { x, y, share: None, is_share_computed: false });
        Roof { bandwidth_name: name(), bandwidth, ceiling_name: name(), ceiling, point }
    }

    #[test]
    fn axes_end_at_decades_around_everything() {
        let ends = |roofs: &[Roof]| {
            let (x, y) = axes(roofs);
            [x.from, x.to, y.from, y.to].map(|v| v.log10().round())
        };
        // The ridge is at 200, beyond both points; the least of all is 1.
        assert_eq!(
            ends(&[roof(1.6, 320.0, 30.0, 15.0), roof(4.0, 320.0, 80.0, 15.0)]),
            [-1.0, 4.0, -1.0, 3.0]
        );
        // A performance of 0.02 is 10^−2: both axes begin a decade below.
        assert_eq!(ends(&[roof(2.0, 0.5, 7.0, 0.02)]), [-3.0, 2.0, -3.0, 1.0]);
        assert_eq!(ends(&[]), [-1.0, 2.0, -1.0, 1.0]);
    }
}

mod page_place {
    use lanescope::base::geometry::Px;
    use lanescope::base::map::Set;
    use lanescope::draw::page::place::{ROWS, TRACKS, place};
    use lanescope::draw::page::{MAP, Need};

    fn need(least: Px, best: Px, height: Px) -> Need {
        Need { least, best, height }
    }

    /// First and last track across, and the row of panels with the part of it.
    fn told(needs: &[Need], room: Px) -> Vec<(usize, usize, usize, usize)> {
        let all = place(needs, room);
        assert_eq!(all.len(), needs.len());
        all.into_iter()
            .map(|p| (p.column.0, p.column.0 + p.column.1 - 1, (p.row.0 - 1) / ROWS, (p.row.0 - 1) % ROWS))
            .collect()
    }

    #[test]
    fn rows_are_filled_to_their_ends() {
        // Two that fit beside each other share what is left; a wide one has a row of its own.
        let needs = [need(300.0, 500.0, 200.0), need(300.0, 500.0, 200.0), need(900.0, 1_100.0, 300.0)];
        assert_eq!(told(&needs, 1_200.0), [(1, 60, 0, 0), (61, 120, 0, 0), (1, 120, 1, 0)]);
        // A narrow page has one column, and a panel that is wider than the page is as wide as the page.
        assert_eq!(told(&needs, 500.0), [(1, 120, 0, 0), (1, 120, 1, 0), (1, 120, 2, 0)]);
        assert!(place(&[], 1_200.0).is_empty());
    }

    #[test]
    fn short_panels_stand_above_each_other_beside_a_tall_one() {
        let short = need(300.0, 400.0, 150.0);
        let needs = [need(500.0, 800.0, 320.0), short, short, need(400.0, 600.0, 200.0)];
        assert_eq!(told(&needs, 1_200.0), [(1, 50, 0, 0), (51, 80, 0, 0), (51, 80, 0, 3), (81, 120, 0, 0)]);
        // Not those of widths that have nothing in common.
        let needs = [need(300.0, 500.0, 320.0), short, need(450.0, 700.0, 150.0)];
        assert!(told(&needs, 1_200.0).iter().all(|panel| panel.3 == 0));
    }

    #[test]
    fn maps_of_one_size_are_equally_wide() {
        let facts = need(273.0, 453.0, 200.0);
        let map = need(MAP, 933.0, 600.0);
        for room in [560.0, 1_072.0, 1_300.0, 1_712.0, 2_400.0] {
            let places = place(&[facts, map, map, facts], room);
            assert_eq!(places[1].column.1, places[2].column.1, "in {room}");
        }
        // What is no map of that size may have what is left of a row.
        let table = need(600.0, 933.0, 600.0);
        assert_ne!(told(&[facts, table, table], 1_072.0)[1].1, told(&[facts, table, table], 1_072.0)[0].1);
    }

    #[test]
    fn no_panel_is_narrower_than_it_must_be_and_none_overlap() {
        let mut seed = 7_u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % n
        };
        for _ in 0..200 {
            let needs: Vec<Need> = (0..next(24))
                .map(|_| {
                    let least = 200.0 + next(500) as Px;
                    need(least, least + next(400) as Px, 80.0 + next(400) as Px)
                })
                .collect();
            let room = 760.0 + next(1_000) as Px;
            let mut cells = Set::default();
            let places = place(&needs, room);
            for (place, need) in places.iter().zip(&needs) {
                let width = place.column.1 as Px * room / TRACKS as Px;
                assert!(need.least.min(room) <= width + room / TRACKS as Px, "{place:?} {need:?} in {room}");
                for x in place.column.0..place.column.0 + place.column.1 {
                    for y in place.row.0..place.row.0 + place.row.1 {
                        assert!(x <= TRACKS && cells.insert((x, y)), "{place:?}");
                    }
                }
            }
            // Nothing stays empty.
            let rows = places.iter().map(|p| p.row.0 + p.row.1 - 1).max().unwrap_or(0);
            assert_eq!(cells.len(), rows * TRACKS);
        }
    }
}

mod style {
    use lanescope::base::unit::Unit;
    use lanescope::draw::style::{
        T2, T3, cell, cell_of, compact, compact_bytes, compact_to, difference_cell, difference_ink,
        difference_with_unit, full, sense_ink, telling,
    };
    use lanescope::scene::palette::Ink;

    #[test]
    fn all_digits_are_those_of_a_measurement() {
        // What is left of a difference of two durations, in microseconds, and quotients of cycles.
        for (value, unit, text) in [
            (0.748_047_187_500_561, Unit::Micros, "748.0471875 ns"),
            (93.666_112_903_489_12, Unit::Percent, "93.6661129 %"),
            (0.867_688_058_916_361_2, Unit::Share, "86.76880589 %"),
            (1.0 / 3.0, Unit::Percent, "0.3333333333 %"),
            (0.000_311_234_567_890_123_4, Unit::Percent, "0.0003112345679 %"),
            (1_234_567.891_234_567_8, Unit::Micros, "1,234,567.891 µs"),
            // What files say stays whole.
            (1_234_567.891_234, Unit::Micros, "1,234,567.891234 µs"),
            (12_345.678_901_2, Unit::Percent, "12,345.6789012 %"),
            (0.07, Unit::Share, "7 %"),
            (9_007_199_254_740_991.0, Unit::Cycles, "9,007,199,254,740,991 cycles"),
        ] {
            assert_eq!(full(Some(value), &unit), text);
        }
    }

    #[test]
    fn numbers_in_little_room_keep_their_size() {
        for (value, text) in [
            (404_729.0, "405k"),
            (9_400_000.0, "9.4M"),
            (10_670_742.0, "10.7M"),
            (12_000.0, "12k"),
            (9_999.0, "9,999"),
            (5_928.19, "5,928"),
            (80.56, "80.6"),
            (-0.031_24, "−0.0312"),
            (0.0, "0"),
        ] {
            assert_eq!(compact(value), text);
        }
    }

    #[test]
    fn bytes_in_little_room_go_in_steps_of_1024() {
        for (value, text) in
            [(512.0, "512"), (1_024.0, "1K"), (1_229.0, "1.2K"), (246_784.0, "241K"), (3.4e12, "3.1T")]
        {
            assert_eq!(compact_bytes(value, 2), text);
        }
    }

    #[test]
    fn digits_tell_values_apart_and_nothing_small_is_written_as_zero() {
        for (values, n) in [
            (&[5_928.19, 5_928.2][..], 6),
            (&[10_670_742.0, 10_670_800.0], 6),
            (&[1.0, 1.0, 2.0], 3),
            (&[219_790.0, 408_574.0], 3),
            // Less than seven digits apart is the same.
            (&[1.000_000_01, 1.000_000_02], 3),
        ] {
            assert_eq!(telling(values.iter().copied(), compact_to), n, "{values:?}");
        }
        assert_eq!(compact_to(10_670_742.0, 6), "10.6707M");
        for (value, unit, text) in [
            (0.000_26, Unit::Percent, "0.00026"),
            (0.000_002_6, Unit::Share, "0.00026"),
            (-0.000_26, Unit::GigabytesPerSec, "−0.00026"),
            (0.0, Unit::Percent, "0.0"),
            (12.34, Unit::Percent, "12.3"),
            // Less than one of its unit keeps the unit of its head.
            (0.000_26, Unit::Micros, "0.00026"),
            (-0.167_97, Unit::Micros, "−0.168"),
        ] {
            assert_eq!(cell(value, &unit), text);
        }
        for (values, digits) in [
            (&[0.000_26, 0.000_3][..], 5),
            (&[10.0, 20.0], 0),
            (&[10.01, 10.02], 2),
            (&[0.484, 0.5], 3),
            (&[0.0, 0.0], 0),
        ] {
            assert_eq!(
                lanescope::draw::style::digits(values.iter().copied(), &Unit::Percent),
                Some(digits),
                "{values:?}"
            );
        }
        assert_eq!(cell_of(0.000_26, &Unit::Percent, Some(1)), "0.00026");
    }

    #[test]
    fn a_rise_of_time_is_worse_and_of_a_rate_is_better() {
        assert_eq!(difference_ink(1.0, &Unit::Micros), Ink::Token("worse"));
        assert_eq!(difference_ink(-1.0, &Unit::Micros), Ink::Token("better"));
        assert_eq!(difference_ink(1.0, &Unit::TeraOpsPerSec), Ink::Token("better"));
        assert_eq!(difference_ink(1.0, &Unit::GigabytesPerSec), T2, "more traffic is neither");
        assert_eq!(difference_ink(1.0, &Unit::Percent), T2);
        assert_eq!(difference_ink(0.0, &Unit::Micros), T3);
        // 30.0 and 30.0, 93.9 and 93.7 percent.
        let told = |value, digits| difference_cell(value, &Unit::Percent, digits);
        assert_eq!([told(-0.000_006_06, Some(1)), told(-0.241_488, Some(1))], ["≈ 0", "−0.2"]);
        assert_eq!([told(0.0, Some(1)), told(0.3, Some(0))], ["0.0", "≈ 0"]);
        assert_eq!(difference_cell(0.24, &Unit::Share, None), "+24.0");
        assert_eq!(difference_with_unit(-0.3, &Unit::Share), "−30.0 points");
        assert_eq!(difference_with_unit(-2.5, &Unit::Micros), "−2.500 µs");
        let of = |name: &str, unit: Unit| sense_ink(1.0, unit.sense_of(name));
        assert_eq!(of("Active cycles (difference)", Unit::Cycles), T2, "more work is neither");
        assert_eq!(of("aiv_scalar_cycles (difference)", Unit::Cycles), T2);
        for (name, unit) in [
            ("aiv_total_cycles (difference)", Unit::Cycles),
            ("Simulated cycles", Unit::Cycles),
            ("aiv_wait_cycles", Unit::Cycles),
            ("Bank conflicts", Unit::None),
            ("Cache misses", Unit::None),
        ] {
            assert_eq!(of(name, unit), Ink::Token("worse"), "{name}");
        }
        assert_eq!(of("Submissions", Unit::None), T2);
        assert_eq!(of("L2 hit rate", Unit::Percent), Ink::Token("better"));
    }
}

mod table {
    use lanescope::analysis::rows::{Column, Kind, RowOrder, RowSource, Value};
    use lanescope::base::words::Language;
    use lanescope::draw::style::DrawStyle;
    use lanescope::draw::table::{SAMPLE, TableFormat, WIDTHS};
    use lanescope::scene::table::Cell;

    use std::cell::Cell as Counter;

    /// A million rows that count how many of their cells are looked at.
    struct Counted(Counter<usize>);

    impl RowSource for Counted {
        fn columns(&self) -> Vec<Column> {
            let free = |kind| Column { kind, ..Column::default() };
            vec![free(Kind::Text), free(Kind::Exact), Column::new("n", Kind::Count, 60.0)]
        }

        fn n_rows(&self) -> usize {
            1_000_000
        }

        fn cell(&self, row: u32, column: usize) -> Value<'_> {
            self.0.set(self.0.get() + 1);
            match column {
                0 => Value::Text(format!("name {}", row % 1_000).into()),
                1 => Value::Number(f64::from(row) / 7.0),
                _ => Value::Whole(i64::from(row)),
            }
        }
    }

    #[test]
    fn a_page_of_a_million_rows_costs_its_own_rows() {
        let source = Counted(Counter::new(0));
        let order = RowOrder::new(&source, Some((2, true)), "").finish(&source);
        let format = TableFormat::new(&source);
        source.0.set(0);
        let palette = lanescope::scene::palette::Palette::default();
        let heads = format.heads(&source, &DrawStyle { palette: &palette, language: Language::En });
        let page = &order.rows()[500_000..500_060];
        let rows: Vec<Vec<Cell>> = page.iter().map(|row| format.row(&source, *row, Language::En)).collect();
        assert!(source.0.get() <= 60 * 3 + 2 * SAMPLE as usize, "{}", source.0.get());
        let texts: Vec<&str> = rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["name 999", "71,428.42857142857", "499,999"]);
        assert!(heads.iter().all(|head| WIDTHS.0 <= head.width && head.width <= WIDTHS.1));
    }
}
