//! Writes the script of a wasm program and the program that goes with it, as `wasm-bindgen` does, whose name it gets where
//! Trunk looks for that (rustc refuses a crate of this name and another version). A program of our own around its library
//! has the version of `Cargo.lock` by itself, and needs half of what the published one compiles.
//! Understands what Trunk and xtask say: `--target`, `--out-dir`, `--out-name` (with `=` or a space),
//! `--no-typescript`, `--keep-lld-exports`, `--keep-debug`, `--no-demangle`, `--reference-types`, `--weak-refs`,
//! `--version`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    match bind(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("wasm-bindgen: {why}");
            ExitCode::FAILURE
        }
    }
}

fn bind(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    let told = |why| format!("{why:#}");
    let mut dir = None;
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
            _ => (word, None),
        };
        let mut value =
            || value.clone().or_else(|| words.next()).ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--version" => {
                println!("wasm-bindgen {}", wasm_bindgen_shared::version());
                return Ok(());
            }
            "--target" => {
                let target = value()?;
                let is_known = match target.as_str() {
                    "web" => bindgen.web(true),
                    "no-modules" => bindgen.no_modules(true),
                    "nodejs" => bindgen.nodejs(true),
                    _ => return Err(format!("the target {target} is not known")),
                };
                is_known.map_err(told)?;
            }
            "--out-dir" => dir = Some(value()?),
            "--out-name" => _ = bindgen.out_name(&value()?),
            "--no-typescript" => _ = bindgen.typescript(false),
            "--keep-lld-exports" => _ = bindgen.keep_lld_exports(true),
            "--keep-debug" => _ = bindgen.keep_debug(true),
            "--no-demangle" => _ = bindgen.demangle(false),
            "--reference-types" | "--weak-refs" => {} // found out by itself
            path if !path.starts_with('-') => _ = bindgen.input_path(path),
            other => return Err(format!("{other} is not known")),
        }
    }
    bindgen.generate(dir.ok_or("--out-dir is missing")?).map_err(told)
}
