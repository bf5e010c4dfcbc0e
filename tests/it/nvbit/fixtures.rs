//! The fixtures of these formats. `UPDATE=1` writes them.

use super::make;
use crate::support::front_door::{files_of, fixtures};
use std::fs;

/// Writes the files of a case, or compares them with what is there.
pub(crate) fn keep(format: &str, case: &str, files: &[(&str, Vec<u8>)], made_by: &str, shows: &str) {
    let folder = fixtures().join(format).join(case);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in files {
            fs::write(folder.join(name), bytes).unwrap();
        }
        let source = format!(
            "origin = \"made by {made_by}\"\nlicence = \"Apache-2.0\"\nreal = false\nshows = \"{shows}\"\n"
        );
        fs::write(folder.join("source.toml"), source).unwrap();
    }
    let mut files: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.clone())).collect();
    files.sort();
    assert!(files_of(&folder) == files, "{format}/{case} is old; UPDATE=1 writes it");
}

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let by = "tests/it/nvbit/fixtures.rs";
    let texts = [
        ("plain", make::two_launches(), "two launches of the unchanged tool, output between records"),
        ("pairs", make::with_data(), "records with processor, address, size, data; allocations"),
        ("bare", make::bare(), "data and addresses alone"),
        ("cut_in", make::cut_in(), "output inside of records, missing lanes, a cut last line"),
        ("registers", make::registers(), "values of registers"),
        ("counts", make::counts(), "counts of instructions and opcodes"),
    ];
    for (case, text, shows) in texts {
        keep("nvbit", case, &[("trace.txt", text.into_bytes())], by, shows);
    }
    keep(
        "nvbit_json",
        "memory",
        &[("kernelslist", make::memory_json(false).into_bytes())],
        by,
        "records of accesses",
    );
    keep(
        "nvbit_json",
        "nested",
        &[("trace.json", make::memory_json(true).into_bytes())],
        by,
        "groups as objects",
    );
    let files = [
        ("kernel-1.trace.json", make::launch_json().into_bytes()),
        ("kernelslist", make::all_json().into_bytes()),
    ];
    keep("nvbit_json", "all", &files, by, "records of all instructions beside their launch");
}
