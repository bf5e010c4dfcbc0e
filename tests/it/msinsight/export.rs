//! blocks-json: every block as one line that other programs read.

use crate::support::front_door::{open, open_case, open_one};
use crate::support::make_ascend::{Container, NO_VERSION, fixtures};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lanescope::document::Document;
use lanescope::wire::Query;
use serde_json::Value;

fn exported(doc: &mut Document) -> String {
    let (_, bytes) = doc.query(&Query::Export { id: "blocks-json".to_owned() });
    String::from_utf8(bytes.unwrap_or_default()).unwrap()
}

#[test]
fn digits_order_and_repeated_names_are_kept() {
    let json = "{\n  \"b\" : 1.50, \"a\": [ 1e+02, 12345678901234567890 ],\t\"b\":\"x y\" }";
    let container = Container::default()
        .block(9, NO_VERSION, json.as_bytes())
        .source("/a b\"c.cpp", "int x;\n\u{1} // µ\n")
        .block(9, NO_VERSION, b"{\"cut\": [1, 2")
        .block(2, NO_VERSION, b"\xEF\xBB\xBF[]");
    let expected = [
        r#"{"offset":0,"type":9,"name":"DETAILS_MEMORY_TABLE","contentSize":68,"padding":3,"version":90,"payload":{"b":1.50,"a":[1e+02,12345678901234567890],"b":"x y"}}"#,
        r#"{"offset":80,"type":1,"name":"SOURCE","contentSize":16,"padding":1,"version":90,"path":"/a b\"c.cpp","payload":"int x;\n\u0001 // µ\n"}"#,
        r#"{"offset":4204,"type":9,"name":"DETAILS_MEMORY_TABLE","contentSize":16,"padding":3,"version":90,"encoding":"base64","payload":"eyJjdXQiOiBbMSwgMg=="}"#,
        r#"{"offset":4232,"type":2,"name":"TRACE","contentSize":8,"padding":3,"version":90,"payload":[]}"#,
    ];
    let found = exported(&mut open_one("a.bin", container.0).0);
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn every_block_of_every_fixture_comes_back() {
    for (case, _, bytes) in fixtures() {
        let (mut doc, _) = open_case("msinsight", case);
        let text = exported(&mut doc);
        assert_eq!(text.lines().count(), doc.trace().blocks.len(), "{case}");
        for (line, block) in text.lines().zip(&doc.trace().blocks) {
            let value: Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["offset"], block.offset, "{case}");
            let raw = &bytes[block.payload.start as usize..block.payload.end as usize];
            let payload = &value["payload"];
            match value.get("encoding") {
                Some(encoding) => {
                    assert_eq!(encoding, "base64");
                    assert_eq!(STANDARD.decode(payload.as_str().unwrap()).unwrap(), raw, "{case}");
                }
                None if block.path.is_some() => {
                    assert_eq!(payload.as_str().unwrap().as_bytes(), raw, "{case}");
                }
                None => assert_eq!(payload, &serde_json::from_slice::<Value>(raw).unwrap(), "{case}"),
            }
        }
    }
}

#[test]
fn texts_longer_than_a_piece_come_back_whole() {
    let text = "µ€𝄞x".repeat(200_000) + "\u{FFFD}";
    let mut bytes = Container::default().source("/long.cpp", &text).0;
    let value =
        |bytes: Vec<u8>| serde_json::from_str::<Value>(&exported(&mut open_one("a.bin", bytes).0)).unwrap();
    assert_eq!(value(bytes.clone())["payload"], text);
    // One bad byte is one sign, and nothing else changes.
    bytes[12 + 4096] = 0xff;
    let found = value(bytes)["payload"].as_str().unwrap().to_owned();
    assert_eq!(found, format!("\u{FFFD}\u{FFFD}{}", &text[2..]));
}

#[test]
fn several_files_are_told_apart() {
    let file =
        |name: &str| (name.to_owned(), Container::default().block(5, NO_VERSION, b"{\"name\":\"x\"}").0);
    let (mut doc, _) = open(vec![file("run/a.dat"), file("run/b.dat")], 100);
    let text = exported(&mut doc);
    let files: Vec<Value> =
        text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["file"].clone()).collect();
    assert_eq!(files, ["run/a.dat", "run/b.dat"]);
}
