//! Unit tests of single modules of views.

mod density_reuse {
    use lanescope::views::density::compute::Counter;
    use lanescope::views::density::compute::reuse::{LINE, Lines, MAX_LINES};

    #[test]
    fn lines_are_counted_by_their_threads() {
        let (mut lines, mut counter) = (Lines::default(), Counter::new(12, true, None));
        // Line 8 is shared by five threads, each of the others has one, which comes twice.
        for thread in 0..5 {
            for line in [8, 100 + u64::from(thread), 8, 100 + u64::from(thread)] {
                lines.touch(line, thread);
                counter.add(0, line << LINE, 1, 0);
            }
        }
        let density = counter.finish(&[]);
        let reuse = lines.finish(&density);
        let band = reuse.bands[0];
        assert_eq!((band.lines, band.threads, band.most, reuse.every), (6, 10, 5, 0));
        assert_eq!(band.powers[..4], [5, 0, 1, 0]);
        assert_eq!(band.private(), Some(5.0 / 6.0));
    }

    #[test]
    fn of_very_many_lines_some_tell_for_all() {
        let (mut lines, mut counter) = (Lines::default(), Counter::new(20, false, None));
        let n = 1_u64 << 20;
        for thread in 0..2 {
            for line in 0..n {
                lines.touch(line, thread);
                counter.add(0, line << LINE, 1, 0);
            }
        }
        let reuse = lines.finish(&counter.finish(&[]));
        let band = reuse.bands[0];
        assert!(2 <= reuse.every && band.lines <= MAX_LINES as u64);
        let about = reuse.lines(&band) as f64 / n as f64;
        assert!((0.98..1.02).contains(&about), "{about}");
        assert_eq!(band.mean(), Some(2.0));
    }
}

mod lifetimes_bins {
    use lanescope::views::lifetimes::compute::bins::{GrowingHeat, Heat, HeatCell};

    #[test]
    fn cells_are_what_was_counted_whatever_their_size() {
        let mut growing = GrowingHeat::default();
        let counted =
            [(0, 3, [1, 0, 0]), (0, 200, [70, 64, 0]), (2, 9, [0, 0, 5]), (2, 250, [u32::MAX, 3, 9])];
        for (row, cycle, [accesses, misses, retries]) in counted {
            *growing.cell(row, cycle).unwrap() = HeatCell { accesses, misses, retries };
        }
        let heat = growing.finish(&[2, 1, 0]);
        assert_eq!((heat.rows(), heat.width(), heat.bin_cycles()), (3, 251, 1));
        let order = [2, 3, 0, 1];
        let expected = order.map(|at| {
            let (row, bin, [accesses, misses, retries]) = counted[at];
            ((2 - row) * 251 + bin as usize, HeatCell { accesses, misses, retries })
        });
        assert_eq!(heat.cells().collect::<Vec<_>>(), expected);
        assert!(Heat::default().is_empty() && Heat::default().cells().next().is_none());
    }
}

mod lifetimes_resident {
    use lanescope::views::lifetimes::compute::{GrowingUse, Peak};

    #[test]
    fn the_peak_is_that_of_each_cycle_also_inside_of_bins() {
        let mut growing = GrowingUse::default();
        // Three at cycle 70,001 only; what ends when another begins is not in use with it.
        for (start, end) in
            [(10, 70_000), (60_000, 70_002), (70_000, 70_002), (70_001, 70_003), (70_002, 90_000)]
        {
            growing.add(start, end);
        }
        let resident = growing.finish();
        assert_eq!(resident.peak, Peak { sectors: 3, cycle: 70_001, is_exact: true });
        assert_eq!((resident.bin_cycles(), resident.sectors.len()), (512, 176));
        let expected = |bin: usize| match bin {
            136 => 3,
            117..136 => 2,
            _ => 1,
        };
        assert!(resident.sectors.iter().enumerate().all(|(bin, n)| *n == expected(bin)), "{resident:?}");
        assert!(GrowingUse::default().finish().sectors.is_empty());
    }

    #[test]
    fn beyond_a_limit_two_cycles_are_one() {
        let mut growing = GrowingUse::up_to(1 << 12);
        (0..10_000).for_each(|at| growing.add(2 * at, 2 * at + 6));
        let resident = growing.finish();
        assert!(!resident.peak.is_exact && (3..=4).contains(&resident.peak.sectors), "{:?}", resident.peak);
        assert!(resident.sectors.iter().all(|n| (3..=4).contains(n)), "{resident:?}");
        assert_eq!(20_004 / resident.bin_cycles() + 1, resident.sectors.len() as u64);
    }
}

mod lifetimes_values {
    use lanescope::base::words::Language;
    use lanescope::views::lifetimes::scene::{
        apart, are_uneven, bytes, difference, microjoules, multiple_of, parse_micros, points, rate_words,
        round_step, time,
    };

    /// Small energies keep three digits that count.
    #[test]
    fn energies_have_three_digits() {
        let texts = [66.5e6, 35.52e6, 123.456e9, 0.0, 4.0e9].map(microjoules);
        assert_eq!(texts, ["0.0665", "0.0355", "123.46", "0", "4"]);
    }

    #[test]
    fn times_are_said_short_and_read_as_typed() {
        for (nanos, text) in [
            (34.2, "34.2 ns"),
            (488.0, "488 ns"),
            (999.7, "1 µs"),
            (3_790.0, "3.79 µs"),
            (134_600.0, "134.6 µs"),
            (1_200_000.0, "1.2 ms"),
        ] {
            assert_eq!(time(nanos), text);
        }
        assert_eq!(parse_micros("500 ns"), Some(0.5));
        assert_eq!(parse_micros("1,000"), Some(1000.0));
        assert_eq!(parse_micros("0.1ms"), Some(100.0));
        assert_eq!(parse_micros("-1"), None);
        assert_eq!(parse_micros("2 m"), None);
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        for (old, own, why) in [
            (Some((4, true)), (5, true), None),
            (Some((4, false)), (5, false), None),
            (None, (5, true), Some("not in the baseline")),
            (Some((0, true)), (5, true), Some("no counted lifetimes in the baseline")),
            (Some((4, true)), (0, true), Some("no counted lifetimes in this run")),
            (Some((0, true)), (0, true), Some("no counted lifetimes on either side")),
            (Some((4, true)), (5, false), Some("only one side has a clock, so lengths cannot be compared")),
        ] {
            assert_eq!(apart(old, own), why);
        }
    }

    #[test]
    fn what_is_too_small_to_be_written_is_neither_less_nor_more() {
        for (multiple, words, is_less) in [
            (1.0, "0.0 %", None),
            (0.9996, "0.0 %", None),
            (1.0004, "0.0 %", None),
            (0.52, "−48.0 %", Some(true)),
            (1.035, "+3.5 %", Some(false)),
            (10.12, "+912 %", Some(false)),
        ] {
            assert_eq!(difference(multiple), (words.to_owned(), is_less));
        }
        for (by, words, is_less) in [
            (0.032, "+3.2 points", Some(false)),
            (-0.25, "−25.0 points", Some(true)),
            (-0.0004, "0.0 points", None),
            (0.0, "0.0 points", None),
        ] {
            assert_eq!(points(by, Language::En), (words.to_owned(), is_less));
        }
    }

    #[test]
    fn lengths_of_unequal_clocks_are_compared_in_cycles() {
        // 36.4 times the cycles at 1.325 times the clock are 27.5 times as long.
        assert_eq!(
            multiple_of((100.0, Some(1132.0)), (3640.0, Some(1500.0))),
            (36.4, "100 cycles".to_owned())
        );
        assert_eq!(multiple_of((100.0, Some(1000.0)), (200.0, Some(1000.0))), (2.0, "100 ns".to_owned()));
        assert_eq!(multiple_of((100.0, None), (200.0, None)), (2.0, "100 cycles".to_owned()));
        assert!(are_uneven(Some(1132.0), Some(1500.0)) && !are_uneven(None, Some(1500.0)));
    }

    #[test]
    fn rates_say_of_how_many_units_they_are() {
        for (level, units, words) in [
            ("L1", Some(("SM", 2, 46)), "L1 per SM and µs, of 2 used"),
            ("L1", Some(("SM", 46, 46)), "L1 per SM and µs"),
            ("L1", Some(("SM", 1, 46)), "L1 per SM and µs"),
            ("L2", None, "L2 per µs"),
            ("", None, "per µs"),
        ] {
            assert_eq!(rate_words(level, units, Language::En), words);
        }
    }

    #[test]
    fn round_steps_go_both_ways() {
        for (value, up, down) in [(1.0, 2.0, 0.5), (1.5, 2.0, 1.0), (2.0, 5.0, 1.0), (9.0, 10.0, 5.0)] {
            assert!((round_step(value, true) - up).abs() < 1e-9, "{value}");
            assert!((round_step(value, false) - down).abs() < 1e-9, "{value}");
        }
        assert_eq!(bytes(122_880), "120 KiB");
        assert_eq!(bytes(52_428_800), "50 MiB");
    }
}

mod schedule_arrange_lanes {
    use lanescope::views::schedule::compute::arrange::Ends;
    use std::collections::BTreeSet;

    #[test]
    fn ends_are_the_same_in_a_list_and_in_a_tree() {
        let (mut ends, mut all) = (Ends::default(), BTreeSet::new());
        let mut random = 7_u64;
        for step in 0..6_000_u32 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let time = random >> 54;
            if step < 2_000 && step % 3 != 0 || step % 3 == 1 {
                ends.insert((time, step));
                all.insert((time, step));
            } else {
                let last = all.range(..=(time, u32::MAX)).next_back().copied();
                if let Some(last) = last {
                    all.remove(&last);
                    all.insert((time + u64::from(step % 5), last.1));
                }
                assert_eq!(ends.replace_last_until(time, time + u64::from(step % 5)), last);
            }
        }
    }
}
