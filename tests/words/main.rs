//! What a language does with words. A program of its own, because a process loads a language once and the other tests
//! load the real one.

#![allow(missing_docs, clippy::pedantic)] // tests are read, not called

use lanescope::base::words::message::{Message, message};
use lanescope::base::words::{Language, fill, load, loaded, tr, tr_parts};

/// What is loaded first counts.
const WORDS: &str = "expected {expected}, found {found}\t应为{expected}，实为 {found}\n\
    a number\t数字\n\
    stride {n}\t步长 {n}\n\
    stride {n}: each\t步长 {n}：各占\n\
    {n} % used\t使用 {n} %\n\
    {n} of the chip's {m} cores were used.\t芯片的 {m} 个核中有 {n} 个参与了运行。\n";

#[test]
fn messages_are_told_in_any_language_with_their_values() {
    load(Language::Zh, WORDS);
    let cores = message("{n} of the chip's {m} cores were used.").with("n", "1,206").with("m", 20);
    assert_eq!(cores.to_string(), "1,206 of the chip's 20 cores were used.");
    assert_eq!(cores.text(Language::Zh), "芯片的 20 个核中有 1,206 个参与了运行。");
    let expected = message("expected {expected}, found {found}");
    let expected = expected.with_message("expected", "a number").with("found", "a number");
    assert_eq!(expected.text(Language::Zh), "应为数字，实为 a number");
    assert_eq!(Message::from("MTE2 took {1.5} µs".to_owned()).text(Language::Zh), "MTE2 took {1.5} µs");
}

#[test]
fn phrases_are_filled_once_and_unknown_names_stay() {
    assert_eq!(fill("{n} of {m} {x}", &[("n", "{m}"), ("m", "3")]), "{m} of 3 {x}");
    assert_eq!(fill("open { brace", &[]), "open { brace");
}

#[test]
fn texts_that_were_put_together_are_told_by_their_parts() {
    load(Language::Zh, WORDS);
    for (text, told) in [
        ("a number", "数字"),
        ("stride -16: each", "步长 -16：各占"),
        ("stride 8, 50.0 % used", "步长 8，使用 50.0 %"),
        ("a number: Silicon", "数字：Silicon"),
        ("Silicon, 8 cells: 3", "Silicon, 8 cells: 3"),
    ] {
        assert_eq!(tr_parts(Language::Zh, text), told);
        assert_eq!(tr_parts(Language::En, text), text);
    }
}

#[test]
fn one_thing_is_singular() {
    let one = |template| fill(template, &[("n", "1"), ("m", "7")]);
    assert_eq!(one("{n} rows"), "1 row");
    assert_eq!(one("{n} of {m} rows"), "1 of 7 rows");
    assert_eq!(one("{n} CPU samples have a stack"), "1 CPU sample has a stack");
    assert_eq!(one("{n} entries are not read, {m} cells are 0"), "1 entry is not read, 7 cells are 0");
    assert_eq!(one("{n} losses, {m} warnings."), "1 loss, 7 warnings.");
    assert_eq!(one("{n} ms, {n} like this, CPU {n} lost"), "1 ms, 1 like this, CPU 1 lost");
    assert_eq!(fill("{n} rows", &[("n", "11")]), "11 rows");
    assert_eq!(one("{n} 行 slices"), "1 行 slices");
}

#[test]
fn phrases_without_a_translation_stay_as_they_are() {
    load(Language::Zh, "");
    load(Language::Zh, WORDS);
    load(Language::Zh, "MTE2\t2\n");
    assert_eq!((loaded(Language::En), loaded(Language::Zh)), (Some(""), Some(WORDS)));
    assert_eq!(tr(Language::Zh, "MTE2"), "MTE2");
    assert_eq!(tr(Language::of_tag("zh-Hans").unwrap_or_default(), "a number"), "数字");
}
