//! Unit tests of single modules of analysis.

mod access_spread {
    use lanescope::analysis::access::{CLUSTERS, STRETCHES, Stretches};

    #[test]
    fn stretches_join_and_wide_gaps_part_them() {
        let mut all = Stretches::default();
        for (a, b) in [(0x9_0000, 0x9_00ff), (0, 63), (64, 127), (0x2000, 0x20ff), (0x1000, 0x1fff), (32, 80)]
        {
            all.add(a, b);
        }
        assert_eq!(all.ends.into_iter().collect::<Vec<_>>(), [(0, 0x20ff), (0x9_0000, 0x9_00ff)]);
        let mut far = Stretches::default();
        for i in 0..100_000_u64 {
            let start = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            far.add(start, start | 63);
        }
        assert!(far.ends.len() <= STRETCHES);
        assert!(far.clusters().len() <= CLUSTERS);
    }

    #[test]
    fn a_space_with_one_wide_gap_has_two_clusters() {
        let mut all = Stretches::default();
        for i in 0..64 {
            all.add(i * 8192, i * 8192 + 255);
            all.add(0x12c0_4000_0000 + i * 512, 0x12c0_4000_0000 + i * 512 + 511);
        }
        let clusters = all.clusters();
        assert_eq!(clusters, [(0, 63 * 8192 + 255), (0x12c0_4000_0000, 0x12c0_4000_0000 + 64 * 512 - 1)]);
    }
}

mod bins {
    use lanescope::analysis::bins::{
        Counts, Part, common_edges, count, edges, fold, quintiles, rebin, share_below,
    };
    use lanescope::model::figure::{Fold, ScaleKind};

    #[test]
    fn bins_are_half_open_and_the_last_holds_its_end() {
        let counts = count([-1.0, 0.0, 0.99, 1.0, 2.0, 2.1, f64::NAN], &[0.0, 1.0, 2.0]);
        assert_eq!(counts, Counts { counts: vec![2.0, 2.0], below: 1, above: 1, missing: 1 });
        assert_eq!(
            edges(1.0, 1000.0, 3, ScaleKind::Log).iter().map(|e| e.round()).collect::<Vec<_>>(),
            [1.0, 10.0, 100.0, 1000.0]
        );
        assert_eq!(edges(0.0, 10.0, 4, ScaleKind::Log).len(), 2);
    }

    #[test]
    fn rebinning_keeps_the_total() {
        let onto = common_edges(&[0.0, 4.0, 8.0], &[0.0, 2.0, 6.0, 8.0]);
        assert_eq!(onto, [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(rebin(&[4.0, 2.0], &[0.0, 4.0, 8.0], &onto, ScaleKind::Linear), [2.0, 2.0, 1.0, 1.0]);
        assert_eq!(share_below(&[4.0, 2.0], &[0.0, 4.0, 8.0], 6.0, ScaleKind::Linear), 5.0 / 6.0);
    }

    #[test]
    fn folding_keeps_sums_means_and_peaks() {
        let values = [1.0, 2.0, 3.0, f32::NAN, f32::NAN, 6.0];
        let part = Part { values: &values, stride: 3, columns: (0, 3), rows: (0, 2) };
        assert_eq!(fold(part, (2, 1), Fold::Sum).values, [3.0, 9.0]);
        assert_eq!(fold(part, (2, 1), Fold::Mean).values, [1.5, 4.5]);
        assert_eq!(fold(part, (2, 1), Fold::Max).values, [2.0, 6.0]);
        let alone = Part { columns: (0, 1), rows: (1, 2), ..part };
        assert!(fold(alone, (9, 9), Fold::Sum).values[0].is_nan());
    }

    #[test]
    fn quintiles_pass_over_zeros() {
        assert_eq!(quintiles([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, f32::NAN]), Some([2.0, 3.0, 4.0, 5.0]));
        assert_eq!(quintiles([0.0]), None);
    }
}

mod code_origins {
    use lanescope::analysis::code::origins::{OriginQuery, Origins, Spot};
    use lanescope::model::build::TraceBuilder;
    use lanescope::model::code::CodeAddress;
    use lanescope::model::slice::SliceRow;
    use lanescope::model::track::TrackKind;

    #[test]
    fn slices_are_found_by_instruction_and_by_line() {
        let mut builder = TraceBuilder::default();
        let name = builder.intern("MOV");
        let tracks: Vec<_> = (0..2).filter_map(|_| builder.track(None, TrackKind::Slices, name, 0)).collect();
        for i in 0..10 {
            builder.slice(tracks[i % 2], SliceRow::new(i as i64 * 10, 3, name));
        }
        builder.finish();
        let trace = builder.into_trace();
        let mut origins = Origins::new(&trace);
        for number in 0..10 {
            let id = origins.slice(number);
            let of = (id.row + id.track.0) % 3;
            let key = if of == 0 { String::new() } else { format!("spot {of}") };
            origins.put(number, key.as_bytes(), |path| Spot {
                address: Some(0x100 + u64::from(of)),
                frames: vec![(path("/home/dev/a.cpp"), of), (path("/opt/impl.h"), 7)],
            });
        }
        assert!(origins.is_whole());
        let rows =
            |wanted| origins.find(&trace, &wanted).0.into_iter().map(|(t, r)| (t.0, r)).collect::<Vec<_>>();
        let line = |path: &str, line| OriginQuery::Line { path: path.into(), line, listing: None };
        let address = CodeAddress { listing: None, address: 0x101 };
        assert_eq!(rows(OriginQuery::Address(address)), [(0, vec![1, 4]), (1, vec![0, 3])]);
        assert_eq!(rows(line("dev/a.cpp", 2)), [(0, vec![2]), (1, vec![1, 4])]);
        assert_eq!(origins.find(&trace, &line("impl.h", 7)).1, 21);
        assert_eq!(rows(line("v/a.cpp", 2)), []);
    }
}

mod code_syntax_words {
    use lanescope::analysis::code::syntax::{CPP_TYPES, CPP_WORDS, PYTHON_TYPES, PYTHON_WORDS};

    #[test]
    fn word_tables_are_sorted() {
        for table in [CPP_WORDS, CPP_TYPES, PYTHON_WORDS, PYTHON_TYPES] {
            assert!(table.is_sorted_by(|a, b| a < b), "{table:?}");
        }
    }
}

mod device_spans {
    use lanescope::analysis::device::{Merging, Times};

    fn of(text: &str) -> Times {
        let mut rows: Vec<(i64, i64)> = Vec::new();
        for (at, c) in (0..).zip(text.chars()) {
            if c == '#' {
                rows.push((at, at + 1));
            }
        }
        Times::of_sorted(rows)
    }

    /// All pairs of sets of ten ticks, whatever is done in one step.
    #[test]
    fn sets_are_merged_in_steps_of_any_length() {
        let text =
            |bits: u32| -> String { (0..10).map(|i| if bits >> i & 1 == 1 { '#' } else { ' ' }).collect() };
        for (a, b) in (0..1024).flat_map(|a| (0..1024).step_by(7).map(move |b| (a, b))) {
            let (one, other) = (of(&text(a)), of(&text(b)));
            let (mut both, mut rest) = (Merging::default(), Merging::default());
            let n = 1 + (a as usize + b as usize) % 4;
            while both.and(&one, &other, &mut n.clone()) {}
            while rest.without(&one, &other, &mut n.clone()) {}
            assert_eq!(both.done, of(&text(a | b)), "{a} and {b}");
            assert_eq!(rest.done, of(&text(a & !b)), "{a} without {b}");
        }
    }
}

mod rows_operators {
    use lanescope::analysis::rows::operator_table;
    use lanescope::analysis::rows::{FigureRows, RowSource as _};
    use lanescope::base::unit::Unit;
    use lanescope::model::figure::Cell;
    use lanescope::model::files::{Measure, OperatorHead};

    #[test]
    fn operators_have_the_measures_of_all_and_no_empty_columns() {
        let measure = |name: &str, value| Measure { name: name.to_owned(), unit: Unit::Percent, value };
        let head = |path: &str, measures: Vec<Measure>| OperatorHead {
            path: path.to_owned(),
            duration: Some(2.0),
            measures,
            ..OperatorHead::default()
        };
        let heads = [head("p/a", vec![measure("hits", 90.0)]), head("p/b", vec![measure("peak", 5.0)])];
        let table = operator_table(&heads, |path| path.trim_start_matches("p/").to_owned());
        let rows = FigureRows::new(&table);
        let all = rows.columns();
        let shown: Vec<&str> = all.iter().filter(|c| !c.is_hidden).map(|c| c.head.name.as_str()).collect();
        assert_eq!(shown, ["Folder", "Duration", "hits", "peak"]);
        assert_eq!(table.rows[1].last(), Some(&Cell::Number(5.0)));
        assert_eq!(table.rows[1][8], Cell::Missing);
        assert_eq!(rows.hidden(), 6);
    }
}

mod rows_order {
    use lanescope::analysis::rows::{Column, FigureRows, Kind, RowOrder, RowSource, Value};
    use lanescope::model::figure::{Cell, TableColumn, TableFigure};

    fn table() -> TableFigure {
        let row = |name: &str, value: Option<f64>| vec![Cell::Text(name.to_owned()), Cell::number(value)];
        let rows = vec![row("core10", Some(2.0)), row("core2", None), row("Core1", Some(12.5))];
        TableFigure { columns: vec![TableColumn::default(); 2], rows, ..TableFigure::default() }
    }

    fn rows(sort: Option<(usize, bool)>, filter: &str) -> Vec<u32> {
        let table = table();
        let source = FigureRows::new(&table);
        RowOrder::new(&source, sort, filter).finish(&source).rows().to_vec()
    }

    #[test]
    fn rows_are_sorted_by_value_with_missing_ones_last() {
        assert_eq!(rows(Some((1, false)), ""), [0, 2, 1]);
        assert_eq!(rows(Some((1, true)), ""), [2, 0, 1]);
        assert_eq!(rows(Some((0, false)), ""), [2, 1, 0]);
        assert_eq!(rows(Some((0, true)), ""), [0, 1, 2]);
    }

    #[test]
    fn rows_are_filtered_by_any_cell() {
        assert_eq!(rows(None, "CORE1"), [0, 2]);
        assert_eq!(rows(Some((1, true)), " core1 "), [2, 0]);
        assert_eq!(rows(None, "12."), [2]);
        assert_eq!(rows(None, "nothing"), [0; 0]);
    }

    /// A table of a million rows, of which only one piece is looked at in a step.
    struct Million;

    impl RowSource for Million {
        fn columns(&self) -> Vec<Column> {
            vec![Column::new("n", Kind::Count, 0.0), Column::new("text", Kind::Text, 0.0)]
        }

        fn n_rows(&self) -> usize {
            1_000_000
        }

        fn cell(&self, row: u32, column: usize) -> Value<'_> {
            let mixed = row.wrapping_mul(2_654_435_761);
            if column == 0 {
                Value::Whole(i64::from(mixed))
            } else {
                Value::Text(format!("text {}", mixed % 5_000).into())
            }
        }
    }

    #[test]
    fn a_million_rows_take_many_short_steps() {
        for sort in [(0, true), (1, false)] {
            let mut order = RowOrder::new(&Million, Some(sort), "");
            let mut n_steps = 1;
            while order.step(&Million) {
                n_steps += 1;
            }
            assert!(900 < n_steps, "{n_steps}");
            let key = |row: u32| match Million.cell(row, sort.0) {
                Value::Whole(n) => -n,
                Value::Text(text) => text["text ".len()..].parse().unwrap(),
                _ => 0,
            };
            assert!(order.rows().is_sorted_by_key(|&row| (key(row), row)));
            assert_eq!(order.rows().len(), 1_000_000);
        }
    }
}

mod timeline_search_filter {
    use lanescope::analysis::timeline::search::filter::Filter;
    use lanescope::base::time::Clock;

    #[test]
    fn terms_are_read_and_names_stay_names() {
        let filter = Filter::parse(r#"cat:kernel dur>=1.5ms "External id":42 gemm  relu"#).unwrap();
        assert_eq!(filter.name, "gemm relu");
        assert_eq!(filter.categories, ["kernel"]);
        assert_eq!(filter.lengths[0].ticks(Clock::Nanos), Some(1_500_000.0));
        assert_eq!((filter.args[0].key.as_str(), filter.args[0].value.as_str()), ("external_id", "42"));
        for name in [
            "gemm",
            "aten::add",
            "nn.Module: Linear_0",
            "void at::native::f<int>(int)",
            "train.py(3): step",
            "C:\\a",
            "http://x",
            "dur",
            "during>5",
            "step#1",
            "a: b",
            "ratio 1:2",
        ] {
            assert_eq!(Filter::parse(name), None, "{name}");
        }
    }

    #[test]
    fn arguments_are_equal_as_texts_and_as_numbers() {
        let has = |text: &str, key: &str, value: &str| {
            Filter::parse(text).unwrap().has_args("name", &[(key.to_owned(), value.to_owned())])
        };
        assert!(has("correlation:157512", "correlation", "157512"));
        assert!(!has("correlation:157512", "correlation", "1575120"));
        assert!(!has("correlation:157512", "External id", "157512"));
        assert!(has("external_id:7", "External id", "7.0"));
        assert!(has("grid:[8,16,5]", "grid", "[8, 16, 5]"));
        assert!(has("size:big", "io.Size", "BIG"));
        assert!(!has("size:big", "resize", "big"));
        assert!(Filter::parse("thread:main").unwrap().has_args("Thread:main loop", &[]));
    }
}

mod timeline_search_matcher {
    use lanescope::analysis::timeline::search::SearchQuery;

    #[test]
    fn patterns_obey_case_and_words_and_say_what_is_wrong() {
        let query = |text: &str, is_case_sensitive, is_whole_word| SearchQuery {
            text: text.to_owned(),
            is_case_sensitive,
            is_whole_word,
            is_pattern: true,
            within: None,
        };
        let is_in = |query: &SearchQuery, name: &str| query.matcher().unwrap().is_in(name);
        assert!(is_in(&query("^mm.d$", false, false), "MMAD"));
        assert!(!is_in(&query("^mm.d$", true, false), "MMAD"));
        assert!(is_in(&query("a|ab", false, true), "x ab y"), "the longer one stands alone");
        assert!(!is_in(&query("mma", false, true), "MMAD"));
        assert!(is_in(&query(r"\d+ 卷", false, false), "第 12 卷"));
        assert!(query("(", false, false).matcher().is_err_and(|why| why.contains("group")));
    }
}
