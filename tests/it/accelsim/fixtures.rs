//! The fixtures of this format. `UPDATE=1` writes them.

use super::make::{self, Tracer, V1, V3, V4, V5};
use crate::support::front_door::{files_of, fixtures};
use std::fs;

/// One kernel of version 5 with its list and counts.
fn folder() -> Vec<(String, Vec<u8>)> {
    let files = [
        ("kernelslist.g", make::list(&["kernel-1.traceg"])),
        ("stats.csv", make::counts(&[("kernel-1.trace", "loop", 50)])),
        ("kernel-1.traceg", V5.grouped("loop")),
    ];
    files.map(|(path, text)| (path.to_owned(), text.into_bytes())).to_vec()
}

fn one(name: &str, text: String) -> Vec<(String, Vec<u8>)> {
    vec![(name.to_owned(), text.into_bytes())]
}

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let cases = [
        ("folder", folder(), "version 5 with list and counts"),
        (
            "lines",
            one("kernel-1-ctx_0x55c2.traceg", V4.grouped("loop")),
            "version 4 with lines of source, steps of 8",
        ),
        ("raw", one("kernel-1.trace", V3.raw("loop")), "version 3, interleaved warps with cores"),
        (
            "old",
            one("kernel-1.trace", Tracer { mode: 1, ..V1 }.raw("loop")),
            "version 1.2, interleaved warps",
        ),
    ];
    for (case, files, shows) in cases {
        let folder = fixtures().join("accelsim").join(case);
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            files.iter().for_each(|(path, bytes)| fs::write(folder.join(path), bytes).unwrap());
            let origin =
                "origin = \"made by tests/it/accelsim/make.rs\"\nlicence = \"Apache-2.0\"\nreal = false\n";
            fs::write(folder.join("source.toml"), format!("{origin}shows = \"{shows}\"\n")).unwrap();
        }
        let mut files = files;
        files.sort();
        assert!(files_of(&folder) == files, "{case} is old; UPDATE=1 cargo test writes it");
    }
}
