//! `source/code/file`, `source/api/…`: texts and metrics of the blocks, for each core.

use super::*;

fn number(value: &Value) -> Value {
    match value {
        Value::Number(_) => value.clone(),
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_number).unwrap_or_default(),
        _ => Value::Null,
    }
}

/// Ranges of addresses; what is no pair does not count.
fn pairs(value: &Value) -> Value {
    items(value).iter().filter(|range| items(range).len() == 2).cloned().collect()
}

/// The value of a column for a core: of a list that of the core, or its first.
fn of_core(value: &Value, core: usize) -> Value {
    match value.as_array() {
        Some(list) if list.first().is_none_or(|first| first.get("regIndex").is_none()) => {
            list.get(core).or(list.first()).cloned().unwrap_or_default()
        }
        _ => value.clone(),
    }
}

#[test]
fn the_last_text_of_a_source_counts() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        let sources: Vec<Block> = blocks(&bytes).into_iter().filter(|b| b.kind == 1).collect();
        for source in &sources {
            let last = sources.iter().rev().find(|b| b.path == source.path).unwrap();
            let expected = json!({"fileContent": String::from_utf8_lossy(&last.payload)});
            let short = source.path.rsplit('/').next().unwrap();
            for path in [source.path.as_str(), short] {
                assert_eq!(
                    body(&mut doc, "source/code/file", json!({"sourceName": path})),
                    expected,
                    "{name}"
                );
            }
            n += 1;
        }
        let (code, message) = error(&mut doc, "source/code/file", json!({"sourceName": "no.cpp"}));
        assert!(code == "unknown-id" && message.contains("no.cpp"), "{message}");
    }
    assert!(0 < n);
}

#[test]
fn lines_have_the_values_of_each_core() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let (Some(lines), Some(instructions)) = (block(&bytes, 3), block(&bytes, 4)) else { continue };
        let mut doc = opened(&name, &bytes);
        for file in items(&lines["Files"]) {
            for (core, core_name) in items(&instructions["Cores"]).iter().enumerate() {
                let params = json!({"sourceName": file["Source"], "coreName": core_name});
                let one = |line: &Value| {
                    json!({
                        "Line": number(&line["Line"]),
                        "Instructions Executed": number(&of_core(&line["Instructions Executed"], core)),
                        "Cycles": number(&of_core(&line["Cycles"], core)), "Address Range": pairs(&line["Address Range"]),
                    })
                };
                let expected: Vec<Value> = items(&file["Lines"]).iter().map(one).collect();
                let answer = body(&mut doc, "source/api/line", params.clone());
                assert_eq!(answer, json!({"lines": expected}), "{name}");
                let answer = body(&mut doc, "source/api/line/dynamic", params);
                assert_eq!(answer["Files Dtype"], lines["Files Dtype"], "{name}");
                let types = &lines["Files Dtype"]["Lines"];
                assert_eq!(items(&answer["Lines"]).len(), items(&file["Lines"]).len());
                for (told, line) in items(&answer["Lines"]).iter().zip(items(&file["Lines"])) {
                    n += same_columns(told, line, types, core);
                }
            }
        }
    }
    assert!(0 < n);
}

/// Compares every column of a row; how many there are.
fn same_columns(told: &Value, row: &Value, types: &Value, core: usize) -> usize {
    let (told, row) = (told.as_object().unwrap(), row.as_object().unwrap());
    assert_eq!(told.len(), row.len());
    for (column, value) in row {
        let expected = if column == "Address Range" { pairs(value) } else { of_core(value, core) };
        let is_number = matches!(types[column].as_u64(), Some(1 | 2 | 4)) && number(&expected).is_number();
        let expected = if is_number { number(&expected) } else { expected };
        assert_eq!(told[column], expected, "{column}");
    }
    row.len()
}

#[test]
fn instructions_are_the_block_as_text_and_sorted_by_address() {
    let mut n = 0;
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        let Some(block) = block(&bytes, 4) else {
            assert_eq!(error(&mut doc, "source/api/instructions", json!({})).0, "no-data", "{name}");
            continue;
        };
        let payload = blocks(&bytes).into_iter().find(|b| b.kind == 4).unwrap().payload;
        let answer = body(&mut doc, "source/api/instructions", json!({}));
        assert_eq!(answer, json!({"instructions": String::from_utf8(payload).unwrap()}), "{name}");
        let address = |row: &Value| {
            u64::from_str_radix(row["Address"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
        };
        let mut rows = items(&block["Instructions"]).to_vec();
        rows.sort_by_key(address);
        for (core, core_name) in items(&block["Cores"]).iter().enumerate() {
            let answer = body(&mut doc, "source/api/instructions/dynamic", json!({"coreName": core_name}));
            assert_eq!(
                (&answer["Core"], &answer["Instructions Dtype"]),
                (core_name, &block["Instructions Dtype"])
            );
            let types = &block["Instructions Dtype"]["Instructions"];
            assert_eq!(items(&answer["Instructions"]).len(), rows.len());
            for (told, row) in items(&answer["Instructions"]).iter().zip(&rows) {
                n += same_columns(told, row, types, core);
            }
        }
        let (code, message) =
            error(&mut doc, "source/api/instructions/dynamic", json!({"coreName": "core9"}));
        assert!(code == "unknown-id" && message.contains(block["Cores"][0].as_str().unwrap()), "{message}");
    }
    assert!(0 < n);
}

#[test]
fn without_types_lines_that_never_ran_are_left_out() {
    let line = |n: u32, executed: [u32; 2]| json!({"Line": n, "Cycles": [0, executed[1]], "Instructions Executed": executed, "Address Range": []});
    let files = json!({"Cores": ["a", "b"], "Files": [{"Source": "/k.cpp", "Lines": [line(1, [0, 3]), line(2, [2, 2])]}]});
    let bytes = make_ascend::Container::default()
        .source("/k.cpp", "one\ntwo\n")
        .json(3, &files)
        .json(4, &json!({"Cores": ["a", "b"], "Instructions": []}))
        .0;
    let mut doc = opened("a.bin", &bytes);
    for (core, expected) in [("a", vec![2]), ("b", vec![1, 2])] {
        let answer = body(&mut doc, "source/api/line", json!({"sourceName": "/k.cpp", "coreName": core}));
        let told: Vec<u64> = items(&answer["lines"]).iter().map(|l| l["Line"].as_u64().unwrap()).collect();
        assert_eq!(told, expected, "{core}");
    }
}

#[test]
fn values_that_are_one_for_all_cores_need_no_core() {
    let row = json!({"Address": "0x10", "Cycles": 7, "GPR Status": [{"regIndex": "R1", "survivalTime": 1, "regStatus": 2}]});
    let block = json!({"Instructions Dtype": {"Instructions": {"Cycles": 1, "GPR Status": 5}}, "Instructions": [row]});
    let mut doc = opened("a.bin", &make_ascend::Container::default().json(4, &block).0);
    let answer = body(&mut doc, "source/api/instructions/dynamic", json!({"coreName": "any"}));
    assert_eq!((&answer["Core"], &answer["Instructions"]), (&json!("any"), &json!([row])));
}
