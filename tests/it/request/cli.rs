//! `--request` as a script sees it.

use super::*;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn run(args: &[&std::path::Path], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lanescope"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has ended does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn requests_come_from_a_file_or_a_pipe_and_the_status_says_whether_all_were_answered() {
    let folder = std::env::temp_dir().join(format!("lanescope-request-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (bin, asked) = (folder.join("visualize_data.bin"), folder.join("request.json"));
    std::fs::write(&bin, make_ascend::Container::default().json(5, &json!({"name": "k"})).0).unwrap();
    let good =
        r#"[{"id": "a", "command": "source/details/baseInfo"}, {"id": 2, "command": "import/action"}]"#;
    std::fs::write(&asked, good).unwrap();
    let (flag, pipe) = (std::path::Path::new("--request"), std::path::Path::new("-"));

    let output = run(&[&bin, flag, &asked], "");
    let answers: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &answers[0]["requestId"], &answers[1]["requestId"]),
        (Some(0), &json!("a"), &json!(2))
    );
    assert_eq!(answers[0]["body"]["name"], "k");

    let piped = run(&[&bin, flag, pipe], r#"{"id": 1, "command": "no"}"#);
    let answer: Value = serde_json::from_slice(&piped.stdout).unwrap();
    assert_eq!((piped.status.code(), &answer["result"]), (Some(1), &json!(false)));

    let nowhere = run(&[&bin, flag, &folder.join("none.json")], "");
    assert_eq!((nowhere.status.code(), nowhere.stdout.len()), (Some(1), 0));
    assert_eq!(run(&[pipe, flag, pipe], "").status.code(), Some(2));
    assert_eq!(run(&[&bin, flag, &asked, std::path::Path::new("--list")], "").status.code(), Some(2));
    assert_eq!(run(&[&bin, flag], "").status.code(), Some(2));

    let nothing = run(&[&asked, flag, &asked], "");
    let answers: Value = serde_json::from_slice(&nothing.stdout).unwrap();
    assert_eq!((nothing.status.code(), &answers[1]["error"]["code"]), (Some(1), &json!("not-open")));
    std::fs::remove_dir_all(&folder).unwrap();
}
