//! Every dependency that a package names is used in its sources: none is listed in vain.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Packages, and the folders where their programs and their tests are.
const PACKAGES: [(&str, &[&str], &[&str]); 4] = [
    ("", &["src"], &["src", "tests/it", "tests/web", "benches", "examples"]),
    ("xtask", &["src"], &["src"]),
    ("tests/browser", &["src", "journeys"], &["src", "journeys"]),
    ("tests/fuzz", &["src", "targets"], &["src", "targets"]),
];

/// What the project's design fixes: these stay, and are used.
const FIXED: [&str; 8] =
    ["leptos", "wasm-bindgen", "web-sys", "serde", "serde_json", "plotters", "plotters-canvas", "gloo"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn manifest(package: &str) -> Table {
    let path = root().join(package).join("Cargo.toml");
    toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The names in all tables of this kind, those for one target too.
fn listed(manifest: &Table, kind: &str) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let for_targets = targets.into_iter().flat_map(Table::values).filter_map(|target| target.get(kind));
    let tables = manifest.get(kind).into_iter().chain(for_targets).filter_map(Value::as_table);
    tables.flat_map(Table::keys).cloned().collect()
}

/// The code of a package without its comments.
fn code(package: &str, folders: &[&str]) -> String {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(package).join(folder)).collect();
    let mut code = String::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() && path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(path).unwrap();
            text.lines().for_each(|line| code += &format!("{}\n", line.split("//").next().unwrap_or("")));
        }
    }
    code
}

/// Whether a path that begins with this crate is somewhere in the code.
fn is_named(code: &str, dependency: &str) -> bool {
    let path = format!("{}::", dependency.replace('-', "_"));
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.match_indices(&path).any(|(at, _)| !code[..at].ends_with(is_part))
}

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    for (package, programs, tests) in PACKAGES {
        let manifest = manifest(package);
        for (kind, folders) in
            [("dependencies", programs), ("dev-dependencies", tests), ("build-dependencies", &["build.rs"])]
        {
            let code = code(package, folders);
            let names = listed(&manifest, kind).into_iter().filter(|name| !is_named(&code, name));
            unused.extend(names.map(|name| format!("{package}/Cargo.toml: {name} in [{kind}]")));
        }
    }
    assert!(unused.is_empty(), "\n{}", unused.join("\n"));
}

#[test]
fn what_the_design_fixes_is_listed() {
    let listed = listed(&manifest(""), "dependencies");
    let missing: Vec<&str> = FIXED.into_iter().filter(|name| !listed.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_name_is_found_at_the_beginning_of_a_path_only() {
    for (code, expected) in [
        ("use png::Decoder;", true),
        ("let x = [png::A];", true),
        ("mod png;", false),
        ("use crate::png::Decoder;", false),
        ("use apng::Decoder;", false),
    ] {
        assert_eq!(is_named(code, "png"), expected, "{code}");
    }
    assert!(is_named("use web_sys::Window;", "web-sys"));
}
