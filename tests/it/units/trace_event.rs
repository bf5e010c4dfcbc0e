//! Unit tests of single modules of trace_event.

mod detail {
    use lanescope::systems::trace_event::detail::detail;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn everything_is_told_with_its_digits() {
        let event = br#"{"name":"a","ph":"X","pid":1,"tid":"2","zz":[1.0,{"q":"x"}],"ts":1766000000000000.001,
            "args":{"code":"/a/k.cpp:13\n/b:c.h:260\nmain","n":1.50,"o":{"p":{"q":true},"e":{}},"l":[[],[1e3]],"z":null}}"#;
        let detail = detail(event);
        assert_eq!(detail.members, pairs(&[("ts", "1766000000000000.001"), ("zz", "[1.0, {\"q\": \"x\"}]")]));
        assert_eq!(
            detail.args,
            pairs(&[
                ("code", "/a/k.cpp:13\n/b:c.h:260\nmain"),
                ("n", "1.50"),
                ("o.p.q", "true"),
                ("o.e", "{}"),
                ("l", "[[], [1e3]]"),
                ("z", "null"),
            ])
        );
        let frames: Vec<_> = detail.code.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(frames, [("/a/k.cpp", Some(13)), ("/b:c.h", Some(260)), ("main", None)]);
    }

    #[test]
    fn python_stacks_and_damage_are_read() {
        let event =
            br#"{"ph":"X","args":{"Call stack":"a/b.py(611): __init__;c.py(3): <module>;odd"},"dur":"#;
        let detail = detail(event);
        let frames: Vec<_> =
            detail.code.iter().map(|f| (f.path.as_str(), f.line, f.function.as_str())).collect();
        assert_eq!(
            frames,
            [("a/b.py", Some(611), "__init__"), ("c.py", Some(3), "<module>"), ("", None, "odd")]
        );
    }
}

mod detail_origin {
    use lanescope::base::number::address;
    use lanescope::systems::trace_event::detail::origin::{origin, origin_key};

    #[test]
    fn places_are_found_in_whole_and_odd_events() {
        let read = |event: &str| {
            let mut key = Vec::new();
            origin_key(event.as_bytes(), &mut key);
            let (address, frames) = origin(&key);
            let frames = frames.into_iter().map(|f| format!("{}:{}", f.path, f.line.unwrap_or(0)));
            (address, frames.collect::<Vec<_>>().join(" "))
        };
        let whole =
            r#"{"ph":"X","name":"\"code\":1","args":{"code":"/a/b:c.cpp:17\n/opt/i.h:3","pc_addr":"0x1A0"}}"#;
        assert_eq!(read(whole), (Some(0x1a0), "/a/b:c.cpp:17 /opt/i.h:3".to_owned()));
        assert_eq!(read(r#"{"args":{"pc_addr" : 416 }}"#), (Some(416), String::new()));
        assert_eq!(read(r#"{"name":"code","args":{"code":null}}"#), (None, String::new()));
        assert_eq!(read(r#"{"args":{"code":"/a.cpp:1"#), (None, String::new()));
        assert_eq!((address("0xzz"), address("")), (None, None));
    }
}

mod fields {
    use lanescope::input::json::scan::Stop;
    use lanescope::systems::trace_event::fields::{Fields, Key, Layout};

    #[test]
    fn members_are_found_whatever_came_before() {
        let events = [
            r#"{"name":"a","ph":"X","ts":1.5,"args":{"x":"}"}}"#,
            r#"{"name":"b","ph":"X","ts":2,"args":{}}"#,
            r#"{ "ts" : 3 , "ph" : "i", "name":"c", }"#,
            r#"{"name":"a","zz":[1,{"name":"no"}],"ph":"X","ts":1.5}"#,
            "{}",
            r#"{"name":"a","name":"z","ph":null}"#,
            r#"{"name":"a","ph": "X","ts":  2}"#,
            r#"{"name": "a","ph":"X","ts":2.5}"#,
        ];
        let mut layout = Layout::default();
        for turn in 0..2 {
            for event in events {
                let text = format!("{event},");
                let mut fields = Fields::default();
                assert_eq!(
                    layout.read(text.as_bytes(), &mut fields),
                    Ok(event.len()),
                    "{event}, turn {turn}"
                );
                let value: serde_json::Value =
                    serde_json::from_str(&event.replace(", }", "}")).unwrap_or_default();
                for (key, name) in
                    [(Key::Name, "name"), (Key::Ph, "ph"), (Key::Ts, "ts"), (Key::Args, "args")]
                {
                    let raw = fields.raw(text.as_bytes(), key);
                    let found = serde_json::from_slice::<serde_json::Value>(raw).ok();
                    assert_eq!(found.as_ref(), value.get(name), "{name} of {event}");
                }
            }
        }
    }

    #[test]
    fn damage_and_cuts_are_told_apart() {
        let cases: [(&str, Stop); 7] = [
            (r#"{"name":"a""#, Stop::Cut),
            (r#"{"name":"a","ts":1"#, Stop::Cut),
            (r#"{"name":"a" "ts":1}"#, Stop::Bad { at: 12, expected: ", or }" }),
            (r#"{"name" "a"}"#, Stop::Bad { at: 8, expected: ":" }),
            (r#"{"name":"lost,"ts":1}"#, Stop::Bad { at: 15, expected: ", or }" }),
            (r#"{"name":}"#, Stop::Bad { at: 8, expected: "a value" }),
            (r"{,}", Stop::Bad { at: 1, expected: "a name or }" }),
        ];
        for (text, expected) in cases {
            let mut layout = Layout::default();
            assert_eq!(layout.read(text.as_bytes(), &mut Fields::default()), Err(expected), "{text}");
        }
    }
}
