//! What the parser itself printed for real and made traces, where those are at hand: `LANESCOPE_CORPUS` names the folder.

use super::oracle::{Printed, aosp};
use super::{MODES, printed};
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Every trace with what was printed for it in each of the nine ways.
fn cases(folder: &Path) -> Vec<(PathBuf, Vec<Printed>)> {
    let mut cases = Vec::new();
    for set in ["aosp", "synth"] {
        let golden = folder.join("golden").join(set);
        let status: Value = serde_json::from_slice(&fs::read(golden.join("STATUS.json")).unwrap()).unwrap();
        for (file, ends) in status.as_object().unwrap() {
            let of_mode = |(name, mode): &(&str, super::Mode)| {
                let end = ends.get("all_modes").unwrap_or(&ends[*name]);
                let ending = if mode.is_json { "json" } else { "txt" };
                let text = |key: &str| end[key].as_str().map(str::to_owned);
                let exception = text("exception");
                assert_eq!(end["rc"], i32::from(exception.is_some()));
                let out = fs::read_to_string(golden.join(format!("{file}.{name}.{ending}"))).unwrap();
                Printed { out, err: text("stderr").unwrap_or_default(), exception }
            };
            cases.push((folder.join(set).join(file), MODES.iter().map(of_mode).collect()));
        }
    }
    cases
}

#[test]
fn exports_are_byte_for_byte_what_the_parser_prints() {
    let Some(folder) = corpus("nnapi") else { return };
    let mut n = 0;
    for (path, expected) in cases(&folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut doc = open_one(&name, fs::read(&path).unwrap()).0;
        for ((mode, asked), expected) in MODES.iter().zip(&expected) {
            let found = printed(&mut doc, *asked);
            assert!(found == *expected, "{name} {mode}: {found:#?}\n{expected:#?}");
            n += 1;
        }
    }
    eprintln!("{n} golden outputs are equal");
    assert_eq!(n, 801);
}

#[test]
fn the_second_implementation_prints_the_same() {
    let Some(folder) = corpus("nnapi") else { return };
    for (path, expected) in cases(&folder) {
        let bytes = fs::read(&path).unwrap();
        // What is wrong with the text itself it does not say.
        let is_text = std::str::from_utf8(&bytes).is_ok();
        for ((mode, asked), expected) in MODES.iter().zip(&expected).filter(|_| is_text) {
            let found = aosp(&bytes, *asked);
            assert!(found == *expected, "{} {mode}: {found:#?}\n{expected:#?}", path.display());
        }
    }
}
