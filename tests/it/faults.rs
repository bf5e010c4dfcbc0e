//! Fault tables: a fixture, a change at a byte, and the faults that must be said, with their exact places.
//!
//! `tests/fixtures/<format>/faults.toml` has one `[[fault]]` for each row:
//! ```toml
//! [[fault]]
//! case = "plain"          # a fixture of the format
//! file = "trace.json"     # one of its files, when it has several
//! at = 120                # the byte where it is changed
//! remove = 3              # bytes taken away there; "rest" is written as -1
//! insert = "x"            # text put there
//! hex = "ff 00"           # or bytes put there
//! said = ["TEV-CUT at 17: expected …"]   # code, byte and the head of the text of each new fault, in order
//! blocks = ["block 2 TRACE"]             # the structure inside, of each of them; may be left out
//! severity = ["loss"]                    # how bad each of them is; may be left out
//! ```
//! Faults that the unchanged fixture has too are not listed: only what the change brings.

use crate::support::front_door::{files_of, fixtures, open};
use crate::words::chinese;
use lanescope::base::fault::{Fault, Kind};
use lanescope::base::words::Language;
use lanescope::systems;
use serde::Deserialize;
use std::fs;
use std::path::Path;
use toml::Spanned;

/// A table.
#[derive(Deserialize)]
struct Table {
    fault: Vec<Spanned<Row>>,
}

/// One row of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    case: String,
    #[serde(default)]
    file: String,
    at: usize,
    #[serde(default)]
    remove: i64,
    #[serde(default)]
    insert: String,
    #[serde(default)]
    hex: String,
    said: Vec<String>,
    #[serde(default)]
    blocks: Vec<String>,
    #[serde(default)]
    severity: Vec<String>,
}

impl Row {
    /// The bytes that are put in.
    fn inserted(&self) -> Vec<u8> {
        let hex = self.hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap());
        self.insert.bytes().chain(hex).collect()
    }
}

/// A fault as the tables write it.
fn line(fault: &Fault) -> String {
    let byte = fault.place.byte.map_or("nowhere".to_owned(), |b| b.to_string());
    format!("{} at {byte}: {} {}", fault.code, fault.kind, fault.note)
}

fn faults(files: &[(String, Vec<u8>)]) -> Vec<Fault> {
    let (doc, _) = open(files.to_vec(), 1 << 16);
    doc.faults().rows().to_vec()
}

/// Whether a list says the same of each fault; an empty one says nothing.
fn agrees(list: &[String], faults: &[Fault], says: fn(&Fault) -> String) -> bool {
    list.is_empty() || faults.iter().map(says).eq(list.iter().cloned())
}

/// The complaint in Chinese, when two English words in a row are left in it outside of quotes and of what other programs say.
fn english_in_chinese(fault: &Fault) -> Option<String> {
    chinese();
    let complaint = fault.kind.message().text(Language::Zh).into_owned();
    if matches!(fault.kind, Kind::Io { .. }) || complaint.contains(": ") {
        return None;
    }
    let outside: String = complaint.split('"').step_by(2).collect();
    let is_word = |word: &&str| 2 < word.len() && word.bytes().all(|b| b.is_ascii_lowercase());
    let mut words = outside.split(' ').map(|word| is_word(&word)).peekable();
    std::iter::from_fn(|| words.next().map(|word| word && words.peek() == Some(&true)))
        .any(|is_english| is_english)
        .then_some(complaint)
}

fn check(format: &str, row: &Row) -> Result<(), String> {
    let mut files = files_of(&fixtures().join(format).join(&row.case));
    let mut old = faults(&files);
    let file = files.iter_mut().find(|(name, _)| row.file.is_empty() || *name == row.file);
    let bytes = &mut file.ok_or("there is no such file")?.1;
    let end = usize::try_from(row.remove).map_or(bytes.len(), |n| row.at + n).min(bytes.len());
    bytes.splice(row.at..end, row.inserted());
    let mut new = faults(&files);
    new.retain(|fault| old.iter().position(|o| o == fault).map(|at| old.remove(at)).is_none());
    let said: Vec<String> = new.iter().map(line).collect();
    let fits = said.len() == row.said.len()
        && said.iter().zip(&row.said).all(|(new, head)| new.starts_with(head))
        && agrees(&row.blocks, &new, |f| f.place.block.to_string())
        && agrees(&row.severity, &new, |f| f.severity.name().to_owned());
    let inside: Vec<String> =
        new.iter().map(|f| format!("{} {}", f.severity.name(), f.place.block)).collect();
    if let Some(complaint) = new.iter().find_map(english_in_chinese) {
        return Err(format!("in Chinese it says {complaint}"));
    }
    if fits { Ok(()) } else { Err(format!("said {said:#?} in {inside:#?}")) }
}

#[test]
fn every_damage_is_said_at_its_place() {
    let mut wrong = Vec::new();
    for format in systems::formats() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{}/faults.toml", format.id));
        if !path.exists() {
            continue; // the tidy test asks for it
        }
        let text = fs::read_to_string(&path).unwrap();
        let table: Table = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!table.fault.is_empty(), "{} has rows", path.display());
        for row in table.fault {
            let line = 1 + text[..row.span().start].matches('\n').count();
            let row = row.into_inner();
            if let Err(what) = check(format.id, &row) {
                wrong.push(format!("tests/fixtures/{}/faults.toml:{line} ({}): {what}", format.id, row.case));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
