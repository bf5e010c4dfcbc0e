//! Unit tests of single modules of export.

mod minify {
    use lanescope::export::minify::Minify;

    #[test]
    fn valid_text_is_minified_and_the_rest_refused_however_it_is_cut() {
        let cases = [
            (
                r#" { "a b" : [ 1.50 , -0, 1e+02 , "x\" \u00e9 µ" ] , "c":{}, "d":[ ] } "#,
                Some(r#"{"a b":[1.50,-0,1e+02,"x\" \u00e9 µ"],"c":{},"d":[]}"#),
            ),
            ("true", Some("true")),
            ("[null,false]\0\0", Some("[null,false]")),
            ("12345678901234567890.000", Some("12345678901234567890.000")),
            ("[1,]", None),
            ("[01]", None),
            ("[1 2]", None),
            ("[1.]", None),
            ("[-]", None),
            ("tru e", None),
            ("{\"a\":1,}", None),
            ("{\"a\" 1}", None),
            ("[NaN]", None),
            ("[1", None),
            ("[1]]", None),
            ("[}", None),
            ("\"a\nb\"", None),
            ("\"\\x\"", None),
            ("\"\\u12g4\"", None),
            ("", None),
            ("1\0 2", None),
        ];
        for (text, expected) in cases {
            for size in 1..=text.len().max(1) {
                let (mut minify, mut out) = (Minify::default(), Vec::new());
                for piece in text.as_bytes().chunks(size) {
                    minify.feed(piece, |part| out.extend_from_slice(part));
                }
                let found = minify.finish().then(|| String::from_utf8(out).unwrap());
                assert_eq!(found.as_deref(), expected, "{text} by {size}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_and_deep_nesting_are_refused() {
        for bytes in [&b"\"\xff\""[..], b"\"\xc3\"", b"\"\xe4\xb8"] {
            let mut minify = Minify::default();
            minify.feed(bytes, |_| {});
            assert!(!minify.finish(), "{bytes:?}");
        }
        let mut minify = Minify::default();
        minify.feed("[".repeat(100_000).as_bytes(), |_| {});
        minify.feed("]".repeat(100_000).as_bytes(), |_| {});
        assert!(!minify.finish());
    }
}

mod names {
    use lanescope::export::stem;

    #[test]
    fn saved_files_are_named_without_endings_and_the_mark_of_archives() {
        for (title, name) in [
            ("figemm.zip!", "figemm"),
            ("runs/figemm.zip!", "figemm"),
            ("trace.json.gz", "trace"),
            ("visualize_data.bin", "visualize_data"),
            ("folder", "folder"),
            (".json", ".json"),
        ] {
            assert_eq!(stem(title), name, "{title}");
        }
    }
}
