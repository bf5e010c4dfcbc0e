//! What stands around every answer: ids in their own types, lists in order, and what cannot be answered.

use super::*;

fn doc() -> Document {
    opened("a.bin", &make_ascend::Container::default().json(5, &json!({"name": "k", "block_dim": 2})).0)
}

#[test]
fn an_answer_has_the_members_of_the_design_and_echoes_the_request() {
    let mut doc = doc();
    for id in [json!(4769), json!("four"), json!(null), json!(1.5), json!({"a": [1]})] {
        let request = json!({"id": id, "moduleName": "source", "type": "request", "command": "source/details/baseInfo", "params": {}});
        let response = doc.request(&request.to_string());
        assert!(response.is_good);
        let answer: Value = serde_json::from_str(&response.text).unwrap();
        assert_eq!(answer["requestId"], id);
        for (key, expected) in [
            ("type", json!("response")),
            ("result", json!(true)),
            ("moduleName", json!("source")),
            ("command", json!("source/details/baseInfo")),
        ] {
            assert_eq!(answer[key], expected);
        }
        assert_eq!((&answer["body"]["name"], &answer["body"]["blockDim"]), (&json!("k"), &json!("2")));
        let mut names: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["body", "command", "id", "moduleName", "requestId", "result", "type"]);
    }
    // A number too long for a float comes back as it is.
    let text =
        doc.request(r#"{"id": 12345678901234567890123.10, "command": "source/details/baseInfo"}"#).text;
    assert!(text.contains(r#""requestId":12345678901234567890123.10,"#), "{text}");
}

#[test]
fn a_list_is_answered_in_order_and_ids_count_up() {
    let mut doc = doc();
    let first: Value = serde_json::from_str(&doc.request(r#"{"command": "import/action"}"#).text).unwrap();
    assert_eq!(
        (&first["id"], &first["requestId"], &first["moduleName"]),
        (&json!(1), &json!(null), &json!(null))
    );
    let response =
        doc.request(r#"[{"id": 1, "command": "import/action"}, {"id": 2, "command": "no"}, 5, []]"#);
    assert!(!response.is_good);
    let answers: Value = serde_json::from_str(&response.text).unwrap();
    let told: Vec<(&Value, &Value, &Value)> =
        items(&answers).iter().map(|a| (&a["id"], &a["requestId"], &a["result"])).collect();
    let (yes, no, none) = (json!(true), json!(false), json!(null));
    let ids: Vec<Value> = (2..6).map(|n| json!(n)).collect();
    let asked = [json!(1), json!(2)];
    assert_eq!(
        told,
        [(&ids[0], &asked[0], &yes), (&ids[1], &asked[1], &no), (&ids[2], &none, &no), (&ids[3], &none, &no)]
    );
    let empty = doc.request("[]");
    assert_eq!((empty.text.as_str(), empty.is_good), ("[]", true));
}

#[test]
fn what_cannot_be_answered_says_what_was_expected() {
    let mut doc = doc();
    for (request, code, part) in [
        ("{\"id\": 1,", "not-json", "byte"),
        ("", "not-json", "expected"),
        ("\"import/action\"", "not-a-request", "an object"),
        ("{\"id\": 1}", "missing-parameter", "import/action"),
        ("{\"command\": \"unit/nothing\"}", "unknown-command", "unit/threadTraces"),
        ("{\"command\": \"source/details/roofline\"}", "no-data", "0D"),
        ("{\"command\": \"source/api/line\"}", "missing-parameter", "sourceName"),
    ] {
        let response = doc.request(request);
        let answer: Value = serde_json::from_str(&response.text).unwrap();
        assert!(!response.is_good);
        assert_eq!((&answer["result"], &answer["body"]), (&json!(false), &json!({})), "{request}");
        assert_eq!(answer["error"]["code"], code, "{request}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
    }
}

#[test]
fn the_front_door_answers_too_with_long_answers_beside_the_message() {
    use lanescope::wire::{Answer, Query};

    let source = "x\n".repeat(600_000);
    let bytes = make_ascend::Container::default().source("/k.cpp", &source).0;
    let mut doc = opened("a.bin", &bytes);
    let query = |command: &str| Query::Request {
        text: json!({"command": command, "params": {"sourceName": "k.cpp"}}).to_string(),
    };
    let (answer, beside) = doc.query(&query("import/action"));
    assert!(matches!(answer, Answer::Text { left_out: 0, .. }) && beside.is_none());
    let (answer, beside) = doc.query(&query("source/code/file"));
    assert!(matches!(&answer, Answer::File { mime, .. } if mime == "application/json"));
    let told: Value = serde_json::from_slice(&beside.unwrap()).unwrap();
    assert_eq!(told["body"]["fileContent"], json!(source));
}

#[test]
fn every_command_is_known_and_none_panics_on_odd_parameters() {
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        for command in lanescope::systems::requests().map(|handler| handler.command) {
            for params in [
                json!(null),
                json!([]),
                json!({"pid": -1, "tid": [], "id": {}, "startTime": 1e300, "endTime": "9"}),
            ] {
                let answer = ask(&mut doc, command, params);
                assert_ne!(answer["error"]["code"], "unknown-command", "{command}");
                assert_eq!(answer["command"], command);
            }
        }
    }
}

#[test]
fn readme_names_the_commands_in_their_order() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let text = std::fs::read_to_string(path).unwrap();
    let table = text.split("<!-- requests -->").nth(1).unwrap().split("<!-- /requests -->").next().unwrap();
    let named: Vec<&str> = table.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    let known = lanescope::systems::requests().map(|handler| handler.command);
    // The system to copy from is compiled for tests only.
    assert_eq!(named, known.filter(|command| !command.starts_with("demo/")).collect::<Vec<_>>());
}

#[test]
fn a_document_that_could_not_be_opened_says_so() {
    let (mut doc, is_ready) = open_one("a.bin", b"nothing of the kind".to_vec());
    assert!(!is_ready);
    assert_eq!(error(&mut doc, "import/action", json!({})).0, "not-open");
}
