//! Unit tests of single modules of input.

mod cached {
    use lanescope::input::ByteSource as _;
    use lanescope::input::{CHUNK, Cached, KEPT};
    use lanescope::input::{Memory, read_range};
    use std::rc::Rc;

    #[test]
    fn any_range_is_the_same_and_chunks_are_read_once() {
        let bytes: Vec<u8> = (0..CHUNK * 3 + 7).map(|n| (n % 251) as u8).collect();
        let cached = Cached::with(Rc::new(Memory(bytes.clone())), true);
        for (from, to) in
            [(0, 10), (CHUNK - 3, CHUNK * 2 + 5), (CHUNK * 3, CHUNK * 4), (CHUNK * 9, CHUNK * 9 + 1)]
        {
            let at = |byte: u64| usize::try_from(byte).unwrap().min(bytes.len());
            assert_eq!(read_range(&cached, from..to).unwrap(), bytes[at(from)..at(to)]);
        }
        assert_eq!(cached.reads(), 4);
    }

    #[test]
    fn what_was_dropped_is_read_again() {
        let bytes = vec![5; usize::try_from(CHUNK).unwrap() * (KEPT + 1)];
        let cached = Cached::with(Rc::new(Memory(bytes)), true);
        let mut one = [0];
        for chunk in (0..=KEPT as u64).chain([0]) {
            assert_eq!(cached.read_at(chunk * CHUNK, &mut one).unwrap(), 1);
            assert_eq!(one, [5]);
        }
        assert_eq!(cached.reads(), KEPT as u64 + 2);
    }
}

mod cursor {
    use lanescope::base::fault::{Kind, Place};
    use lanescope::input::Cursor;

    #[test]
    fn reads_keep_the_offset_and_never_pass_the_end() {
        let bytes = [1, 2, 0, 3, 0, 0, 0, b'a', b'b', 0, b'x', 9];
        let mut cursor = Cursor::new(&bytes, "T-CUT", Place::byte("f.bin", 100).block("block 2"));
        assert_eq!(cursor.u8().ok(), Some(1));
        assert_eq!(cursor.u16().ok(), Some(2));
        assert_eq!(cursor.u32().ok(), Some(3));
        assert_eq!(cursor.text(4).ok().as_deref(), Some("ab"));
        assert_eq!(cursor.offset(), 111);
        let fault = cursor.u64().unwrap_err();
        assert_eq!(fault.kind, Kind::Truncated { needed: 8, left: 1 });
        assert_eq!(fault.place, Place::byte("f.bin", 111).block("block 2"));
        assert_eq!(cursor.u8().ok(), Some(9));
        assert_eq!(cursor.left(), 0);
    }
}

mod json_scan {
    use lanescope::input::json::scan::{Members, Stop, value_end};

    #[test]
    fn values_end_where_they_do() {
        let cases: [(&str, Result<usize, Stop>); 17] = [
            (r#""a\"b","#, Ok(6)),
            (r#""a\\","#, Ok(5)),
            ("12.5,", Ok(4)),
            ("12.5", Err(Stop::Cut)),
            ("{},", Ok(2)),
            (r#"{"a":"}"},"#, Ok(9)),
            (r#"{"a":{"b":[1]}} "#, Ok(15)),
            (r#"{"a":"x\"}"} "#, Ok(12)),
            ("[[],[{}]]]", Ok(9)),
            ("{\"a\":[", Err(Stop::Cut)),
            ("[[1,2},{", Err(Stop::Bad { at: 5, expected: "]" })),
            (r#"{"a":{"b":1],"c":2}}"#, Err(Stop::Bad { at: 11, expected: "}" })),
            (r"[{}],", Ok(4)),
            (":", Err(Stop::Bad { at: 0, expected: "a value" })),
            ("1\"", Err(Stop::Bad { at: 1, expected: "the end of a number or word" })),
            (r#"{"a":"lost,"b":1}}"#, Err(Stop::Bad { at: 12, expected: ", : ] or } after a string" })),
            ("", Err(Stop::Cut)),
        ];
        for (text, expected) in cases {
            assert_eq!(value_end(text.as_bytes(), 0), expected, "{text}");
        }
    }

    #[test]
    fn what_is_said_of_a_head_is_said_of_the_whole() {
        let texts = [
            r#"{"a":"}","b":[1,{"c":"\"}"}]},"#,
            r#"{"a":"lost,"b":"}"},{"a":1},"#,
            r#"["x" "y"],"#,
            r#"[{"x":[1,2}},{"y":1}]"#,
            "{\"a\"b\"c\":\"d\"},",
        ];
        for text in texts {
            let whole = value_end(text.as_bytes(), 0);
            for n in 0..text.len() {
                let head = value_end(&text.as_bytes()[..n], 0);
                assert!(head == Err(Stop::Cut) || head == whole, "{text} at {n}: {head:?}, {whole:?}");
            }
        }
    }

    #[test]
    fn members_come_as_they_stand() {
        let members: Vec<_> = Members::new(br#" {"a" : 1.50, "b":"x","c":{"d":[]} , } "#).collect();
        let expected: [(&[u8], &[u8]); 3] =
            [(b"\"a\"", b"1.50"), (b"\"b\"", b"\"x\""), (b"\"c\"", b"{\"d\":[]}")];
        assert_eq!(members, expected);
        assert_eq!(Members::new(b"[1]").count(), 0);
        for (text, is_whole) in
            [("{}", true), (" {\"a\":1 } ", true), ("{\"a\":1,,}", false), ("{\"a\":1} x", false)]
        {
            let mut members = Members::new(text.as_bytes());
            members.by_ref().for_each(drop);
            assert_eq!(members.is_whole(), is_whole, "{text}");
        }
    }
}

mod json_text {
    use lanescope::input::json::{minify, unescape};

    #[test]
    fn strings_say_what_their_escapes_mean() {
        let cases: [(&[u8], &str); 11] = [
            (b"plain", "plain"),
            (br#"a\nb\t\"c\" \\ \/"#, "a\nb\t\"c\" \\ /"),
            (br"\u00e9\u4e2d", "é中"),
            (br"\ud83d\ude00!", "😀!"),
            (br"\ud83d alone", "\u{FFFD} alone"),
            (br"\ud83d\u0041", "\u{FFFD}A"),
            (br"C:\dir\q", "C:\\dir\\q"),
            (br"\u12", "\\u12"),
            (b"cut\\", "cut\\"),
            (b"\xff\xfe", "\u{FFFD}\u{FFFD}"),
            (b"\xff\\n", "\u{FFFD}\n"),
        ];
        for (raw, expected) in cases {
            assert_eq!(unescape(raw), expected);
        }
    }

    #[test]
    fn blanks_go_and_digits_stay() {
        let json = b"{ \"a b\" : [ 1.50 ,\n 1e+02, \"x\\\" y\" ] }";
        assert_eq!(minify(json), b"{\"a b\":[1.50,1e+02,\"x\\\" y\"]}");
    }
}

mod json_value {
    use lanescope::input::json::value::{Json, parse_within};

    #[test]
    fn a_tree_that_is_too_large_ends_where_its_room_ends() {
        let text = format!("{{\"a\":[{}1],\"b\":2}}", "1,".repeat(999));
        let (whole, errors) = parse_within(text.as_bytes(), 0, 1 << 20);
        assert_eq!((whole.get("a").map(|a| a.items().len()), errors.len()), (Some(1000), 0));
        let (cut, errors) = parse_within(text.as_bytes(), 7, 200 + 100 * size_of::<Json>());
        let n = cut.get("a").map_or(0, |a| a.items().len());
        assert!((90..=110).contains(&n), "{n} values");
        assert!(cut.get("b").is_none());
        let said: Vec<_> = errors.iter().map(|e| (e.expected, 7 < e.at && e.at < 400)).collect();
        assert_eq!(said, [("values that fit in memory", true)]);
    }
}
