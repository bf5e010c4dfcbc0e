//! JSON: whole texts, and long arrays that arrive in pieces.

use lanescope::input::json::scan::{Stop, value_end};
use lanescope::input::json::stream::{Item, KEPT, Walk};
use lanescope::input::json::{Json, Window, parse};

#[test]
fn digits_and_order_are_kept() {
    let (json, errors) = parse(br#" {"b": 1.50, "a": [true, null, "x\n"], "c": {"n": "72.5"}} "#, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let names: Vec<&str> = json.members().iter().map(|(k, _)| k.as_ref()).collect();
    assert_eq!(names, ["b", "a", "c"]);
    assert_eq!(json.get("b").and_then(Json::as_text), Some("1.50"));
    assert_eq!(json.get("b").and_then(Json::as_f64), Some(1.5));
    assert_eq!(json.get("a").map(|a| a.items().len()), Some(3));
    assert_eq!(json.get("c").and_then(|c| c.get("n")).and_then(Json::as_f64), Some(72.5));
}

#[test]
fn damage_is_said_with_its_place_and_the_rest_is_read() {
    type Case = (&'static str, &'static str, &'static [(u64, &'static str)]);
    let cases: [Case; 12] = [
        ("[1,2,]", "[1,2]", &[]),
        ("[1 2]", "[1,2]", &[(103, ", or ]")]),
        ("[1,,2]", "[1,2]", &[(103, "a value")]),
        ("[1,2", "[1,2]", &[(104, "a value or ]")]),
        ("{\"a\":[1,{\"b\":2", "{a:[1,{b:2}]}", &[(114, "a name or }")]),
        ("{\"a\" 1}", "{a:1}", &[(105, ":")]),
        ("{\"a\":1}}", "{a:1}", &[(107, "the end of the text")]),
        ("[NaN,-Infinity]", "[NaN,-Infinity]", &[]),
        ("[nope,3]", "[null,3]", &[(101, "a value")]),
        ("{\"a\":[1}", "{a:[1]}", &[(107, ", or ]"), (107, "a value or ]")]),
        ("{\"a\":1,7,\"b\":2}", "{a:1,b:2}", &[(107, "a name or }"), (108, "a name or }")]),
        ("\"cut", "cut", &[(104, "the closing quote of a string")]),
    ];
    for (text, expected, damage) in cases {
        let (json, errors) = parse(text.as_bytes(), 100);
        assert_eq!(plain(&json), expected, "{text}");
        let places: Vec<(u64, &str)> = errors.iter().map(|e| (e.at, e.expected)).collect();
        assert_eq!(places, damage, "{text}");
    }
}

#[test]
fn depth_is_limited_and_the_rest_is_read() {
    let deep = format!("[{}{},7]", "[".repeat(100_000), "]".repeat(100_000));
    let (json, errors) = parse(deep.as_bytes(), 0);
    assert_eq!(json.items().last().and_then(Json::as_i64), Some(7));
    assert_eq!(errors.iter().map(|e| e.expected).collect::<Vec<_>>(), ["less nesting"]);
}

#[test]
fn zero_bytes_at_the_tail_are_padding() {
    assert_eq!(parse(b"[1]\0\0\0", 0).1, []);
    assert_eq!(parse(b"", 0).1.len(), 1);
}

fn plain(json: &Json) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match json {
        Json::Array(items) => format!("[{}]", list(items.iter().map(plain).collect())),
        Json::Object(m) => {
            format!("{{{}}}", list(m.iter().map(|(k, v)| format!("{k}:{}", plain(v))).collect()))
        }
        other => other.as_text().unwrap_or("null").to_owned(),
    }
}

/// What a walk over these pieces comes to, elements read by their structure.
fn walk(text: &str, piece: usize) -> Vec<String> {
    let mut walk = Walk::new("events");
    let mut window = Window::new(0);
    let mut seen = Vec::new();
    let is_last = std::cell::Cell::new(false);
    let mut read = |bytes: &[u8], base: u64| {
        let mut at = 0;
        if is_last.get() {
            walk.last();
        }
        loop {
            let (used, item) = walk.next(&bytes[at..]);
            at += used;
            match item {
                Item::Need => return at,
                Item::Element => match value_end(bytes, at) {
                    Ok(end) => {
                        seen.push(String::from_utf8_lossy(&bytes[at..end]).into_owned());
                        walk.took();
                        at = end;
                    }
                    Err(Stop::Cut) => return at,
                    Err(Stop::Bad { at: place, expected }) => {
                        seen.push(format!("{expected}@{}", base + place as u64));
                        walk.damaged(&bytes[at..place]);
                        at = place;
                    }
                },
                Item::Member { key, len, .. } => seen.push(format!("{key}:{len}")),
                Item::Damage { expected } => seen.push(format!("{expected}@{}", base + at as u64)),
                item => seen.push(format!("{item:?}")),
            }
        }
    };
    for chunk in text.as_bytes().chunks(piece) {
        window.feed(chunk, &mut read);
    }
    is_last.set(true);
    window.finish(&mut read);
    seen
}

#[test]
fn members_and_elements_come_in_any_pieces() {
    let cases: [(&str, &[&str]); 9] = [
        (
            r#"{"a":1,"b":{"x":"}"},"events":[{"n":1},{"n":[2]},],"c":"\"]"}"#,
            &["a:1", "b:9", "Begin", r#"{"n":1}"#, r#"{"n":[2]}"#, "End", "c:5"],
        ),
        ("[{\"n\":1},\n{\"n\":2}", &["Begin", r#"{"n":1}"#, r#"{"n":2}"#]),
        // A lost quote costs one element, also when the quote is inside a nested value.
        (
            r#"[{"n":1},{"n":{"m":"x}},{"n":3},{"n":4}]"#,
            &["Begin", r#"{"n":1}"#, ", : ] or } after a string@26", r#"{"n":4}"#, "End"],
        ),
        // An element that breaks off where the next begins on its own line.
        ("[{\"n\":\n{\"n\":2},\n3]", &["Begin", "}@17"]),
        (
            r#"{"events":[{"n":1}],{"n":2},{"n":3}]}"#,
            &["Begin", r#"{"n":1}"#, "End", "the end of the text@20", r#"{"n":2}"#, r#"{"n":3}"#, "End"],
        ),
        ("[{\"n\":1}],{\"n\":2}]", &["Begin", r#"{"n":1}"#, "End", r#"{"n":2}"#, "End"]),
        ("[{\"n\":1}\0\0,\n{\"n\":2}]", &["Begin", r#"{"n":1}"#, "{ , or ]@8", r#"{"n":2}"#, "End"]),
        ("{\"events\":[]}\0", &["Begin", "End", "the end of the text@13"]),
        ("hello", &["{ or [@0"]),
    ];
    for (text, expected) in cases {
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(walk(text, piece), expected, "{text} in pieces of {piece}");
        }
    }
}

#[test]
fn long_values_are_measured_and_their_head_is_kept() {
    let long = "x".repeat(3 * KEPT);
    let text = format!("{{\"a\":\"{long}\",\"events\":[{{}}]}}");
    assert_eq!(
        walk(&text, 1000),
        [format!("a:{}", long.len() + 2), "Begin".into(), "{}".into(), "End".into()]
    );
}
