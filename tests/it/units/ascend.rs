//! Unit tests of single modules of ascend.

mod colors {
    use lanescope::systems::ascend::{INKS, ink};

    #[test]
    fn color_names_have_their_numbers() {
        for (key, number) in [
            ("thread_state_running", 0),
            ("startup", 1),
            ("cq_build_failed", 1),
            ("thread_state_runnable", 2),
            ("background_memory_dump", 3),
            ("thread_state_iowait", 4),
            ("rail_load", 5),
            ("rail_response", 6),
            ("yellow", 8),
            ("thread_state_unknown", 9),
            ("rail_animation", 9),
            ("cq_build_passed", 10),
            ("thread_state_stopped", 10),
            ("good", 11),
            ("black", 11),
            ("heap_dump_child_node_arrow", 7),
        ] {
            assert_eq!(ink(key), INKS[number], "{key}");
        }
    }
}

mod kernel_overlap {
    use lanescope::base::time::{Span, Ticks};
    use lanescope::systems::ascend::kernel::{both, sum, union, verdict};

    #[test]
    fn time_that_passes_twice_counts_once() {
        let span = |start: Ticks, end: Ticks| Span { start, end };
        let mut a = vec![span(20, 30), span(0, 10), span(5, 12)];
        union(&mut a);
        assert_eq!(a, [span(0, 12), span(20, 30)]);
        assert_eq!(sum(&a), 22);
        assert_eq!(both(&a, &[span(10, 22), span(25, 26), span(29, 40)]), 2 + 2 + 1 + 1);
        assert_eq!(both(&a, &[]), 0);
        assert_eq!(
            [80.0, 60.0, 30.0, 5.0].map(verdict),
            ["overlap", "overlap", "partial overlap", "take turns"]
        );
    }
}

mod reader_code_flat {
    use lanescope::systems::ascend::reader::code::{Value, flat_members, numbers};

    #[test]
    fn usual_rows_are_read_and_others_refused() {
        let row = br#"{"Address":"0x10", "Cycles" : [1, 2.5,-3],"n":7,"p":{"a":[1]},"e":[] }"#;
        let read: Vec<String> = flat_members(row)
            .unwrap_or_default()
            .iter()
            .map(|m| match &m.value {
                Value::Plain(json) => format!("{} {}", m.name, json.as_text().unwrap_or("")),
                Value::Numbers(raw) => {
                    let mut list = Vec::new();
                    let whole = numbers(raw, |v| list.push(v));
                    format!("{} {list:?} {whole:?}", m.name)
                }
                Value::Tree(json) => format!("{} {} members", m.name, json.members().len()),
            })
            .collect();
        let expected =
            ["Address 0x10", "Cycles [1.0, 2.5, NaN] Some(())", "n 7", "p 1 members", "e [] Some(())"];
        assert_eq!(read, expected);
        for odd in
            [r#"{"a":1"#, r#"{"a\n":1}"#, r#"{"a":"\u0041"}"#, r#"{"a":1,,}"#, "[1]", r#"{"a":[1}"#, "{"]
        {
            assert!(flat_members(odd.as_bytes()).is_none(), "{odd}");
        }
        // Lists of anything but plain numbers become trees.
        for list in [r#"["1"]"#, "[1e3]", "[null]", "[[1]]"] {
            let text = format!("{{\"a\":{list}}}");
            let read = flat_members(text.as_bytes()).unwrap_or_default();
            assert!(matches!(read.first().map(|m| &m.value), Some(Value::Tree(_))), "{list}");
        }
    }
}

mod reader_code_split {
    use lanescope::systems::ascend::reader::code::split::{Elements, Split, Step};
    use std::fmt::Write;

    /// Goes into everything named `in` and elements, takes the rest but `no`.
    #[derive(Default)]
    struct Log(String);

    impl Elements for Log {
        fn begin(&mut self, path: &[String]) -> Step {
            match path.last().map(String::as_str) {
                None | Some("in") => Step::Into,
                Some("no") => Step::Pass,
                _ => Step::Take,
            }
        }

        fn take(&mut self, path: &[String], text: &[u8], at: u64) {
            let _ = write!(self.0, "{}@{at}={} ", path.join("."), String::from_utf8_lossy(text));
        }

        fn end(&mut self, path: &[String]) {
            let _ = write!(self.0, "/{} ", path.join("."));
        }
    }

    #[test]
    fn elements_come_out_whole_however_the_text_is_cut() {
        let cases = [
            (r#"{"a":1,"no":[1,{"x":2}],"in":[{"b":"}\"]"},7,"t"],"c":[[],{}]}"#, "", 0),
            (r#" { "in" : { "in" : [ ] , "n" : -1.5e3 } } "#, "", 0),
            (r#"{"a\u0062":true}"#, "ab@11=true / ", 0),
            (r#"{"in":[{"a":1},{"a""#, "in.*@7={\"a\":1} /in / ", 1),
            (r#"{"in":[1 2,,3],nope:4,"z":5}}"#, "in.*@7=1 in.*@9=2 in.*@12=3 /in z@26=5 / ", 2),
            ("[}", "/ ", 1),
            ("12", "", 1),
        ];
        for (text, expected, damages) in cases {
            let mut whole = String::new();
            for size in 1..=text.len() {
                let mut split = Split::new(0);
                let mut log = Log::default();
                for piece in text.as_bytes().chunks(size) {
                    split.feed(piece, &mut log);
                }
                let damage = split.finish(&mut log);
                assert_eq!(damage.len(), damages, "{text} by {size}: {damage:?}");
                if size == 1 {
                    whole.clone_from(&log.0);
                }
                assert_eq!(log.0, whole, "{text} by {size}");
            }
            assert!(expected.is_empty() || whole == expected, "{text}: {whole}");
        }
    }
}

mod reader_details_groups {
    use lanescope::systems::ascend::reader::details::groups::advice;

    use lanescope::base::unit::Unit;
    use lanescope::systems::ascend::reader::details::groups::{Limits, Member, Noun};

    fn members(values: &[(u64, &str, f64)]) -> Vec<Member> {
        let member = |(row, (number, kind, value)): (u32, &(u64, &str, f64))| Member {
            value: *value,
            number: Some(*number),
            kind: (*kind).to_owned(),
            row,
        };
        (0..).zip(values).map(member).collect()
    }

    fn said(values: &[(u64, &str, f64)]) -> Option<String> {
        let limits = Limits::default();
        advice(&members(values), Noun::Blocks, &Unit::Micros, limits).map(|advice| advice.text.to_string())
    }

    #[test]
    fn groups_are_named_by_what_tells_them_apart() {
        let same = |values: &[f64]| -> Vec<(u64, &str, f64)> {
            (0..).zip(values).map(|(n, v)| (n, "vector", *v)).collect()
        };
        let begins = |values: &[(u64, &str, f64)], with: &str| {
            let said = said(values).unwrap_or_default();
            assert!(said.starts_with(with), "{said}");
        };
        begins(&same(&[9.0, 2.0, 9.1, 2.1]), "2 even blocks took 9.050 µs on average, 2 odd blocks 2.050 µs");
        begins(
            &same(&[9.0, 9.1, 2.1, 2.0, 2.2]),
            "2 blocks (0 to 1) took 9.050 µs on average, 3 blocks (2 to 4)",
        );
        begins(
            &same(&[2.0, 9.0, 9.0, 2.0, 9.0]),
            "3 blocks (1, 2, 4) took 9.000 µs on average, 2 blocks (0, 3)",
        );
        begins(
            &[(0, "cube", 9.0), (0, "vector", 2.0), (1, "cube", 9.0), (1, "vector", 2.0)],
            "cube of 2 blocks took 9.000 µs on average, vector of 2 blocks 2.000 µs: 4.50 times as long.",
        );
        // Work cannot move from cubes to vectors, but from block to block.
        assert!(
            !said(&[(0, "cube", 9.0), (0, "vector", 2.0), (1, "cube", 9.0), (1, "vector", 2.0)])
                .unwrap()
                .contains("evenly")
        );
        // (9 + 2 + 9 + 2) / 4 of 9 is 61 %.
        let even = said(&same(&[9.0, 2.0, 9.0, 2.0])).unwrap();
        assert!(
            even.ends_with("With an even split, all would take 5.500 µs instead of 9.000 µs, 38.9 % less."),
            "{even}"
        );
    }

    #[test]
    fn a_saving_is_promised_only_where_the_operator_would_be_faster() {
        let blocks =
            members(&[(0, "Vector1", 9.0), (1, "Vector1", 9.0), (0, "Vector0", 2.0), (1, "Vector0", 2.0)]);
        let cube = |value: f64| Member { value, number: Some(0), kind: "Cube0".to_owned(), row: 0 };
        let [short, middle, long] = [5.0, 7.2, 9.5].map(cube);
        let ends = |limits: Limits, with: &str, is_costly: bool| {
            let advice = advice(&blocks, Noun::Blocks, &Unit::Micros, limits).unwrap();
            assert!(advice.text.to_string().ends_with(with), "{}", advice.text);
            assert_eq!(advice.is_costly, is_costly);
        };
        let saved = "With an even split, all would take 5.500 µs instead of 9.000 µs, 38.9 % less.";
        ends(Limits { whole: Some(9.0), other: Some(&short), ..Limits::default() }, saved, true);
        // 7.2 of 9 is 80 %.
        let part = "but Cube0 takes up to 7.200 µs: unless that shrinks too, at most 20.0 % can be saved.";
        ends(Limits { whole: Some(10.0), other: Some(&middle), ..Limits::default() }, part, true);
        let none =
            "but Cube0 takes up to 9.500 µs: unless that shrinks too, the operator would not be faster.";
        ends(Limits { whole: Some(10.0), other: Some(&long), ..Limits::default() }, none, false);
        let odd = "4.50 times as long. These times exceed the operator's duration of 1.250 µs, so they do not show what an even split would save.";
        ends(Limits { whole: Some(1.25), other: None, ..Limits::default() }, odd, false);
    }

    #[test]
    fn of_two_or_three_blocks_the_slowest_and_the_fastest_are_told() {
        let two = said(&[(0, "vector", 9_121.78), (1, "vector", 1_946.603)]).unwrap();
        // (9,121.78 + 1,946.603) / 2 = 5,534.1915.
        assert!(
            two.starts_with(
                "Block 0 took 9.122 ms, 4.69 times as long as block 1 (1.947 ms). With an even split, all would take 5.534 ms"
            ),
            "{two}"
        );
        assert!(two.ends_with("39.3 % less."), "{two}");
        let three = said(&[(0, "vector", 9_122.0), (1, "vector", 1_947.0), (2, "vector", 9_117.0)]).unwrap();
        // 20,186 / 3 of 9,122 is 73.8 %.
        assert!(three.ends_with("26.2 % less."), "{three}");
        let units = said(&[(3, "Vector0", 4.0), (3, "Vector1", 8.0)]).unwrap();
        assert!(
            units.starts_with("Block 3 Vector1 took 8.000 µs, 2.00 times as long as block 3 Vector0"),
            "{units}"
        );
        // Cubes are no measure for vectors, and units of cores have sentences of their own.
        assert_eq!(said(&[(0, "cube", 9.0), (0, "vector", 2.0)]), None);
        let cores = members(&[(0, "vector", 9.0), (1, "vector", 2.0)]);
        assert_eq!(advice(&cores, Noun::Units, &Unit::Cycles, Limits::default()).map(|a| a.rows), None);
    }

    #[test]
    fn what_is_not_in_two_is_not_told_so() {
        let number = |values: &[f64]| -> Vec<(u64, &'static str, f64)> {
            (0..).zip(values).map(|(n, v)| (n, "", *v)).collect()
        };
        // One outlier, an even distribution, groups that are hardly apart, too few.
        for values in [
            &[2.0, 2.1, 2.0, 9.0][..],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            &[100.0, 100.0, 103.0, 103.0],
            &[9.0, 9.1],
            &[],
        ] {
            assert_eq!(said(&number(values)), None, "{values:?}");
        }
    }
}

mod reader_project {
    use lanescope::input::Entry;
    use lanescope::input::Memory;
    use lanescope::systems::ascend::reader::project::home;
    use std::rc::Rc;

    #[test]
    fn files_tell_the_folder_of_their_operator() {
        for (path, expected) in [
            ("visualize_data.bin", Some("")),
            ("OPPROF_1/visualize_data.bin", Some("OPPROF_1")),
            ("run.zip!/OPPROF_1/device0/Add/0/Memory.csv", Some("run.zip!/OPPROF_1/device0/Add/0")),
            ("a/OPPROF_1/simulator/core0.veccore0/trace.json", Some("a/OPPROF_1")),
            ("a/OPPROF_1/device0/core0.cubecore0/trace.json", Some("a/OPPROF_1/device0")),
            ("a/simulator/visualize_data.bin", Some("a")),
            ("a/simulator/trace.json", None),
            ("OPPROF_1/device0/Add/0/dump/input.bin", None),
            ("corelib/PipeUtilization.csv", Some("corelib")),
        ] {
            let entry = Entry { path: path.to_owned(), source: Rc::new(Memory(Vec::new())) };
            assert_eq!(home(&entry), expected, "{path}");
        }
    }
}

mod reader_sheets_parse {
    use lanescope::base::unit::Unit;
    use lanescope::systems::ascend::reader::sheets::parse::{parse, unit_of};

    fn rows(text: &str) -> Vec<Vec<String>> {
        parse("a/b.csv", text.as_bytes()).0.rows.into_iter().map(|row| row.cells).collect()
    }

    #[test]
    fn the_comma_behind_the_last_cell_is_no_column() {
        let (sheet, faults) = parse("a/b.csv", "\u{feff}x,y(us),\r\n1,\"2,5\",\r\n\r\n3,NA,\r\n".as_bytes());
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(sheet.name, "b");
        let heads: Vec<(&str, &Unit)> = sheet.heads.iter().map(|h| (h.name.as_str(), &h.unit)).collect();
        assert_eq!(heads, [("x", &Unit::None), ("y", &Unit::Micros)]);
        let places: Vec<(u32, u64, Option<&str>)> =
            sheet.rows.iter().map(|r| (r.line, r.byte, r.text(1))).collect();
        assert_eq!(places, [(2, 13, Some("2,5")), (4, 25, None)]);
        let place = sheet.place(&sheet.rows[0], 1);
        assert_eq!(
            (place.byte, place.line, place.block.to_string()),
            (Some(15), Some((2, 3)), "column y(us)".to_owned())
        );
    }

    #[test]
    fn other_separators_and_quotes_are_read() {
        assert_eq!(rows("a;b\n1;\"x;\"\"y\"\n"), [["1", "x;\"y"]]);
        assert_eq!(rows("a\tb\n1\t2"), [["1", "2"]]);
        assert_eq!(rows("a,b\n1\n1,2,3\n"), [vec!["1"], vec!["1", "2"]]);
        assert!(rows("").is_empty());
    }

    #[test]
    fn units_stand_anywhere_in_a_head() {
        assert_eq!(unit_of("L1_to_GM_datas(KB)(estimate)").0, "L1_to_GM_datas(estimate)");
        assert_eq!(unit_of("aiv_ub_read_bw(GB/s)"), ("aiv_ub_read_bw".to_owned(), Unit::GigabytesPerSec));
        assert_eq!(unit_of("f(x) (%)"), ("f(x)".to_owned(), Unit::Percent));
        assert_eq!(unit_of("plain(").1, Unit::None);
    }
}
