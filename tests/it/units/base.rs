//! Unit tests of single modules of base.

mod visible {
    use lanescope::base::visible::{for_terminal, one_line, visible};
    use lanescope::base::words::{Language, fill, message};

    #[test]
    fn a_name_neither_begins_a_line_nor_turns_a_sentence() {
        assert_eq!(one_line("a\nloss X: b\r\n"), "a\\nloss X: b\\r\\n");
        for turning in "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}".chars() {
            let shown = format!("‹U+{:04X}›b ends", u32::from(turning));
            let name = format!("{turning}b");
            assert_eq!(fill("{name} ends", &[("name", &name)]), shown);
            assert_eq!(message("{name} ends").with("name", &name).text(Language::En), shown);
        }
    }

    #[test]
    fn a_terminal_is_not_steered_by_names() {
        assert_eq!(for_terminal(b"a\x1b[2J\x07b\r\nc\td"), "a\\u{1b}[2J\\u{7}b\nc\td");
        assert_eq!(for_terminal(b"a\xffb"), "a\u{fffd}b");
        assert_eq!(visible("a\u{2028}b\u{2029}"), "a\\u{2028}b\\u{2029}");
    }
}

mod fault {
    use lanescope::base::fault::{Fault, Kind, Place, Severity, of_one_kind};

    #[test]
    fn faults_that_differ_in_place_and_values_stand_together() {
        let at = |byte, found: &str, severity| {
            let kind = Kind::Unexpected { expected: "a number".into(), found: found.to_owned().into() };
            Fault::new("X", severity, Place::byte("a", byte), kind)
        };
        let unpaired = Kind::Problem("an end".into());
        let other = Fault::new("X", Severity::Warning, Place::default(), unpaired);
        let many = Fault { repeats: 7, ..at(3, "c", Severity::Note) };
        let faults = [at(1, "a", Severity::Note), other, at(2, "b", Severity::Note), many];
        let groups = of_one_kind(&faults);
        let sizes: Vec<(usize, u64)> = groups.iter().map(|group| (group.faults.len(), group.n)).collect();
        assert_eq!(sizes, [(1, 1), (3, 10)]);
        assert_eq!(groups[1].faults[1].place.byte, Some(2));
        // Two of three are listed: the third is left out, seven were only counted.
        assert_eq!([groups[0].n_beside(2), groups[1].n_beside(2), groups[1].n_beside(3)], [0, 8, 7]);
    }

    #[test]
    fn what_was_only_counted_is_said_behind_a_fault() {
        let said = |repeats, last| {
            let kind = Kind::Problem("no end".into());
            let fault = Fault::new("X", Severity::Note, Place::byte("a", 3), kind);
            Fault { repeats, last, ..fault }.to_string()
        };
        let alone = said(0, None);
        assert!(alone.ends_with("no end."), "{alone}");
        assert_eq!(said(2, None), format!("{alone} 2 more like this."));
        let last = said(1_234, Some(64));
        assert_eq!(last, format!("{alone} 1,234 more like this, last at byte 64 (0x40)."));
    }
}

mod job {
    use lanescope::base::job::{Job, Turn, WORK, pieces, run};
    use std::rc::Rc;

    async fn total(n: usize, turn: &Turn) -> usize {
        let mut total = 0;
        for piece in pieces(n, 10) {
            total += piece.sum::<usize>();
            turn.pause().await;
        }
        total
    }

    #[test]
    fn a_job_pauses_between_pieces_and_then_has_its_result() {
        let mut job = Job::new(async move |turn| total(25, &turn).await);
        assert_eq!([job.poll(), job.poll(), job.poll(), job.poll()], [None, None, None, Some(300)]);
        assert_eq!(run(async |turn| total(25, &turn).await), 300);
        assert_eq!(Job::done(7).poll(), Some(7));
    }

    #[test]
    fn a_dropped_job_drops_what_it_holds() {
        let held = Rc::new(());
        let (inside, turn) = (Rc::clone(&held), Turn::default());
        let mut job = Job::new(async move |_| {
            turn.pause().await;
            drop(inside);
        });
        assert_eq!((job.poll(), Rc::strong_count(&held)), (None, 2));
        drop(job);
        assert_eq!(Rc::strong_count(&held), 1);
    }

    #[test]
    fn a_turn_ends_with_its_work_and_begins_anew_after_a_pause() {
        let mut job = Job::new(async |turn: Turn| {
            assert!(!turn.is_over(WORK - 1) && turn.is_over(1) && turn.is_over(0));
            turn.pause().await;
            !turn.is_over(1)
        });
        assert_eq!([job.poll(), job.poll()], [None, Some(true)]);
    }

    #[test]
    fn pieces_are_all_numbers_once() {
        assert_eq!(pieces(5, 2).collect::<Vec<_>>(), [0..2, 2..4, 4..5]);
        assert!(pieces(0, 2).eq(std::iter::once(0..0)));
        assert!(pieces(4, 4).eq(std::iter::once(0..4)));
    }
}

mod map {
    use lanescope::base::map::Parts;

    #[test]
    fn no_entry_takes_many_others_to_new_room() {
        let mut parts = Parts::default();
        let mut room: Vec<usize> = parts.capacities().collect();
        for n in 0..100_000_u64 {
            assert_eq!(parts.insert(n, n), None);
            let now: Vec<usize> = parts.capacities().collect();
            let moved: usize = room.iter().zip(&now).filter(|(a, b)| a != b).map(|(a, _)| a).sum();
            assert!(moved as u64 <= 4_096.max(n / 4), "{moved} of {n} entries at once");
            room = now;
        }
        assert!((0..100_000).all(|n| parts.get(&n) == Some(&n)) && parts.get(&100_000).is_none());
        *parts.entry(7).or_insert(0) += 1;
        assert_eq!(parts.get(&7), Some(&8));
    }
}

mod number {
    use lanescope::base::number::{
        computed, exact, file_size, fixed, in_sentence, instant, offset, short, thousands, with_unit,
    };
    use lanescope::base::time::Clock;
    use lanescope::base::unit::Unit;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(thousands(-1_234_567), "−1,234,567");
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(exact(251.345), "251.345");
        assert_eq!((exact(120.0), exact(1.0 / 3.0)), ("120".to_owned(), "0.3333333333333333".to_owned()));
        // Singles have the digits of singles, unless they are few.
        assert_eq!(exact(f64::from(0.8_f32)), "0.8");
        assert_eq!(exact(18.440_187_454_223_633), "18.440187");
        assert_eq!(exact(2_097_152.25), "2,097,152.25");
        // Quotients have ten digits, also where the last ones are gone with the noise; what was short stays.
        assert_eq!(exact(computed(93.666_112_903_489_03)), "93.6661129");
        assert_eq!(exact(computed(59.284_332_688_588_01)), "59.28433269");
        assert_eq!(exact(computed(239.669_100_000_000_01)), "239.6691");
        assert_eq!(exact(computed(11.654_930_178)), "11.654930178");
        assert_eq!(with_unit(1_240_000.0, &Unit::Nanos), "1.240 ms");
        assert_eq!(in_sentence(22_122.78, &Unit::Micros), "22.123 ms");
        assert_eq!(in_sentence(580.08, &Unit::Micros), "580.080 µs");
        assert_eq!(with_unit(0.724, &Unit::Share), "72.4 %");
        assert_eq!(with_unit(0.000_002_6, &Unit::Share), "0.00026 %");
        // 3,818 of 3,819 are not all of them.
        let shares = [0.999_4, 3_818.0 / 3_819.0, 0.999_999, 1.0, 1.0 - 1e-12, 1.000_4];
        assert_eq!(
            shares.map(|share| with_unit(share, &Unit::Share)),
            ["99.9 %", "> 99.9 %", "> 99.9 %", "100.0 %", "100.0 %", "100.0 %"]
        );
        assert_eq!(with_unit(3_758_096_384.0, &Unit::Bytes), "3.50 GiB");
        assert_eq!(with_unit(300.066, &Unit::Micros), "300.066 µs");
        let millis = [1.5, 0.012, -0.5, 0.000_25, 0.0].map(|v| with_unit(v, &Unit::Millis));
        assert_eq!(millis, ["1.500 ms", "12.000 µs", "−500.000 µs", "250 ns", "0.000 ms"]);
        assert_eq!(with_unit(0.015_556, &Unit::Micros), "15.56 ns");
        assert_eq!(with_unit(f64::NAN, &Unit::Bytes), "–");
        assert_eq!(instant(1_766_000_000_000_000_001, Clock::Nanos), "1,766,000,000.000000001 s");
        assert_eq!(offset(6720), "6,720 (0x1A40)");
        assert_eq!(file_size(48_200_000), "48.2 MB");
        assert_eq!(short(0.000_012_34), "0.0000123");
    }
}

mod order {
    use lanescope::base::order::{
        median, percentile, percentile_of, sort, sort_by_key, sort_by_number, sort_floats, sort_numbers,
        sort_pairs, whole_median, whole_percentile,
    };
    use std::cmp::Reverse;

    #[test]
    fn equal_ones_keep_their_order() {
        let mut list = vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd'), (1, 'e')];
        sort_by_key(&mut list, |p| p.0);
        assert_eq!(list, [(0, 'd'), (1, 'b'), (1, 'e'), (2, 'a'), (2, 'c')]);
        sort_by_key(&mut list, |p| Reverse(p.0));
        assert_eq!(list.iter().map(|p| p.1).collect::<String>(), "acbed");
        sort_by_number(&mut list, |p| i64::from(p.0));
        assert_eq!(list, [(0, 'd'), (1, 'b'), (1, 'e'), (2, 'a'), (2, 'c')]);
    }

    #[test]
    fn orders_are_those_of_the_standard_sort() {
        let mut number = 7_u32;
        let mut next = |below: u32| {
            number = number.wrapping_mul(2_891_336_453).wrapping_add(12_345);
            (number >> 8) % below
        };
        for n in [0, 1, 2, 3, 40, 1_000] {
            let list: Vec<(u32, u32)> = (0..n).map(|_| (next(30), next(u32::MAX))).collect();
            let (mut own, mut expected) = (list.clone(), list.clone());
            sort_by_number(&mut own, |p| Reverse(p.0));
            expected.sort_by_key(|p| Reverse(p.0));
            assert_eq!(own, expected);
            sort_pairs(&mut own);
            expected.sort_unstable();
            assert_eq!(own, expected);
            let mut own = list.clone();
            sort(&mut own);
            assert_eq!(own, expected);
            let mut own: Vec<u32> = (0..n).rev().collect();
            sort_numbers(&mut own, &|at| i64::from(list[at as usize].0));
            let mut expected: Vec<u32> = (0..n).collect();
            expected.sort_by_key(|&at| list[at as usize].0);
            assert_eq!(own, expected);
        }
        let mut own = [0.0, f64::NAN, -1.5, -0.0, f64::INFINITY, -f64::NAN, 3.0, f64::NEG_INFINITY, -1e-300];
        let mut expected = own;
        sort_floats(&mut own);
        expected.sort_by(f64::total_cmp);
        assert_eq!(own.map(f64::to_bits), expected.map(f64::to_bits));
        let mut own = [3, i64::MIN, -1, 0, i64::MAX];
        sort_by_number(&mut own, |number| *number);
        assert_eq!(own, [i64::MIN, -1, 0, 3, i64::MAX]);
        sort_by_number(&mut own, |number| Reverse(*number as u64));
        assert_eq!(own, [-1, i64::MIN, i64::MAX, 3, 0]);
    }

    #[test]
    fn the_median_of_an_even_count_is_between_the_middle_two() {
        for (list, expected) in
            [(&[3.0][..], 3.0), (&[1.0, 2.0], 1.5), (&[1.0, 2.0, 9.0], 2.0), (&[1.0, 2.0, 4.0, 9.0], 3.0)]
        {
            assert_eq!(median(list), expected, "{list:?}");
        }
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn percentiles_lie_between_two_values_in_proportion() {
        let values = [1, 2, 4, 8, 100];
        // As numpy.percentile has them.
        for (percent, expected) in [(0, 1.0), (10, 1.4), (50, 4.0), (90, 63.2), (95, 81.6), (100, 100.0)] {
            assert!((percentile(&values, percent) - expected).abs() < 1e-9, "{percent}");
            let whole = whole_percentile(values.len(), percent, |rank| values[rank] as u64);
            assert_eq!(whole, expected.round() as u64, "{percent}");
        }
        assert_eq!((percentile(&[3, 4], 50), whole_percentile(2, 50, |rank| rank as u64 + 3)), (3.5, 4));
        assert_eq!((percentile(&[], 50), whole_percentile(0, 50, |_| 7)), (0.0, 0));
        assert_eq!(percentile(&[i64::MIN, i64::MAX], 0), i64::MIN as f64);
        assert_eq!(
            percentile_of(4, 75, |rank| [0.5, 1.5, 2.5, 9.0][rank]),
            4.125,
            "between two of any numbers"
        );
        assert_eq!(whole_percentile(2, 50, |_| u64::MAX), u64::MAX);
        for mut list in [vec![], vec![7], vec![9, 2], vec![9, 1, 2], vec![5, 9, 1, 2], vec![u64::MAX, 0]] {
            let mut sorted = list.clone();
            sorted.sort_unstable();
            let expected = whole_percentile(list.len(), 50, |rank| sorted[rank]);
            assert_eq!(whole_median(&mut list), (!sorted.is_empty()).then_some(expected), "{sorted:?}");
        }
    }
}

mod pairs {
    use lanescope::base::pairs::join;
    use lanescope::base::pairs::split;

    #[test]
    fn what_is_joined_is_split_again() {
        let pairs = [("view", "timeline"), ("line", "op kernel/fä&=#%.h:12"), ("empty", "")];
        let split = split(&join(pairs));
        assert_eq!(split, pairs.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn damaged_escapes_stay() {
        assert_eq!(split("#a=%zz%4&b"), [("a".into(), "%zz%4".into()), ("b".into(), String::new())]);
    }
}

mod pieces {
    use lanescope::base::pieces::Pieces;
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    thread_local! {
        static PIECES: Pieces = const { Pieces::new(|| TASKS.set(TASKS.get() + 1)) };
        /// Tasks that the browser would run next.
        static TASKS: Cell<u32> = const { Cell::new(0) };
    }

    /// Runs one task; whether there was one.
    fn task() -> bool {
        let is_there = 0 < TASKS.get();
        if is_there {
            TASKS.set(TASKS.get() - 1);
            PIECES.with(Pieces::run_one);
        }
        is_there
    }

    #[test]
    fn pieces_are_done_in_their_order_each_in_a_task_of_its_own() {
        let done = Rc::new(RefCell::new(Vec::new()));
        let write = |word: &'static str| {
            let done = done.clone();
            Box::new(move || done.borrow_mut().push(word))
        };
        let add = |piece: Box<dyn FnOnce()>| PIECES.with(|all| all.add(piece));
        Pieces::add_last(&PIECES, write("end"));
        let (first, asked) = (write("first"), write("asked by the first"));
        add(Box::new(move || {
            first();
            PIECES.with(|all| all.add(asked));
        }));
        add(write("second"));
        assert!(done.borrow().is_empty(), "nothing is done at once");
        let mut n = 0;
        while task() {
            n += 1;
            assert!(TASKS.get() <= 1, "one task at a time");
            assert!(done.borrow().len() <= n, "one piece a task");
        }
        assert_eq!(*done.borrow(), ["first", "second", "asked by the first", "end"]);
        add(write("later"));
        while task() {}
        assert_eq!(done.borrow().last(), Some(&"later"));
    }
}

mod sort {
    use lanescope::base::sort::{PIECE, Sequencing, Sorting};

    #[test]
    fn pieces_give_the_order_of_one_sort() {
        for n in [0, 1, 2, PIECE, PIECE + 1, 3 * PIECE - 1, 5 * PIECE + 7] {
            let rows: Vec<(u64, u32)> =
                (0..n as u32).map(|i| (u64::from(i.wrapping_mul(2_654_435_761)) % 1_000, i)).collect();
            let mut expected = rows.clone();
            expected.sort_unstable();
            for rows in [rows, expected.clone()] {
                let mut sorting = Sorting::new(rows);
                let mut n_steps = 0;
                while sorting.step() {
                    n_steps += 1;
                }
                assert!(n_steps <= 40, "{n_steps}");
                assert!(sorting.finish() == expected, "{n} rows");
            }
        }
    }

    #[test]
    fn numbers_come_into_the_order_of_what_they_stand_for() {
        for n in [0_u32, 1, 2, 99, 100, 101, 1_000] {
            let keys: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761) % 50).collect();
            let mut expected: Vec<u32> = (0..n).collect();
            expected.sort_by_key(|&i| keys[i as usize]);
            let mut sequencing = Sequencing::new(keys.len(), 100);
            let mut n_steps = 0;
            while sequencing.step(|a, b| keys[a].cmp(&keys[b])) {
                n_steps += 1;
            }
            assert!(n_steps <= 70, "{n_steps}");
            assert_eq!(sequencing.finish().unwrap_or((0..n).collect()), expected);
            let mut in_order = Sequencing::new(keys.len(), 100);
            while in_order.step(|a, b| a.cmp(&b)) {}
            assert_eq!(in_order.finish(), None);
        }
    }
}

mod sort_radix {
    use lanescope::base::sort::Ranking;
    use proptest::prelude::*;

    fn ranked(numbers: &[u64]) -> Vec<u32> {
        let mut ranking = Ranking::new(numbers.len() as u32);
        while ranking.step(|row| numbers[row as usize]) {}
        ranking.finish().into_iter().map(|(_, row)| row).collect()
    }

    fn expected(numbers: &[u64]) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..numbers.len() as u32).collect();
        rows.sort_by_key(|row| numbers[*row as usize]);
        rows
    }

    proptest! {
        #[test]
        fn rows_come_in_the_order_of_a_stable_sort(
            numbers in prop::collection::vec(prop_oneof![0..9_u64, any::<u64>(), (1_u64 << 40)..(1 << 40) + 5000], 0..400),
        ) {
            prop_assert_eq!(ranked(&numbers), expected(&numbers));
        }
    }

    #[test]
    fn more_rows_than_a_piece_are_ranked() {
        let numbers: Vec<u64> =
            (0..300_000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).collect();
        assert_eq!(ranked(&numbers), expected(&numbers));
        assert_eq!(ranked(&[0, u64::MAX, 7, 7]), [0, 2, 3, 1]);
    }
}

mod symbol {
    use lanescope::base::names::demangled;

    #[test]
    fn symbols_of_several_compilers_are_written_out() {
        // As c++filt and rustfilt write them.
        let cases = [
            ("_Z6vecAddPdS_S_i", "vecAdd(double*, double*, double*, int)"),
            (
                "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_",
                "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
            ),
            ("_Z4scaleIfEvPT_.kd", ""),
            ("_Z5scaleIfEvPT_.kd", "void scale<float>(float*)"),
            ("_ZTS4Scan", "Scan"),
            ("_ZN4gpu_4scan17h0123456789abcdefE", "gpu_::scan"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("main", ""),
            // Cut by the profiler, in its path and in what it is made of: two that differ behind stay two.
            ("_ZN2ck16tensor_operation6dev", "ck::tensor_operation::dev…"),
            (
                "_ZN2ck6device12_GLOBAL__N_14convINS_4gemmILi64",
                "ck::device::(anonymous namespace)::conv<NS_4gemmILi64…>",
            ),
            (
                "_ZN2ck6device12_GLOBAL__N_14convINS_4gemmILi128",
                "ck::device::(anonymous namespace)::conv<NS_4gemmILi128…>",
            ),
            ("_ZN99999999999999999999999a", ""),
            ("_ZN5", ""),
            ("_Z", ""),
            ("_Zgarbage that is none", ""),
        ];
        for (symbol, name) in cases {
            assert_eq!(demangled(symbol).unwrap_or_default(), name, "{symbol}");
        }
    }

    #[test]
    fn a_name_too_long_with_its_parameters_stands_without_them() {
        // Of a kernel of PyTorch: 5,100 characters with the types of its parameters, which repeat those of its template.
        let symbol = "_ZN2at6native54_GLOBAL__N__0d993ca2_21_DistributionNormal_cu_0c5b6e8543distribution_elementwise_grid_stride_kernelIfLi4EZNS0_9templates4cuda20normal_and_transformIN3c104HalfEfPNS_17CUDAGeneratorImplEZZZNS4_13normal_kernelIS9_EEvRKNS_10TensorBaseEddT_ENKUlvE_clEvENKUlvE1_clEvEUlfE_EEvRNS_18TensorIteratorBaseET1_T2_EUlP24curandStatePhilox4_32_10E0_ZNS1_27distribution_nullary_kernelIS7_f6float4S9_SO_SH_EEvSJ_SL_RKT3_T4_EUlifE_EEviNS_15PhiloxCudaStateESK_SL_";
        let name = demangled(symbol).unwrap_or_default();
        let begin =
            "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, 4, ";
        assert!(name.starts_with(begin), "{name}");
        assert!(name.ends_with("{lambda(int, float)#1}>"), "{name}");
    }

    #[test]
    fn what_would_become_very_long_is_left_as_it_is() {
        // Each substitution doubles what it stands for.
        let mut symbol = "_Z1fI1aE".to_owned();
        for n in 0..40 {
            let last = if n == 0 { "S_".to_owned() } else { format!("S{}_", base36(n - 1)) };
            symbol += &format!("1bI{last}{last}E");
        }
        assert!(demangled(&symbol).is_none_or(|name| name.len() <= lanescope::base::names::WRITTEN));
        assert_eq!(demangled(&format!("_Z{}", "P".repeat(100_000))), None);
        let deep = format!("_Z1f{}i", "P".repeat(5_000));
        assert!(demangled(&deep).is_none_or(|name| name.len() <= lanescope::base::names::WRITTEN));
    }

    fn base36(n: u32) -> String {
        let digit = |n: u32| char::from_digit(n, 36).unwrap().to_ascii_uppercase();
        if n < 36 { digit(n).to_string() } else { format!("{}{}", digit(n / 36), digit(n % 36)) }
    }
}
