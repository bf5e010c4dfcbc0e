//! Makes the built programs smaller: wasm through Binaryen's wasm-opt, glue scripts by leaving comments out.
//!
//! The page works without; with it, a tenth less goes over the network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::packages::{self, Packages};
use crate::place;
use crate::say::{self, Trouble};
use crate::trouble;

/// What the programs use beyond the first version of WebAssembly; wasm-opt must be told.
const FEATURES: &[&str] = &[
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-mutable-globals",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// The packages that hold wasm-opt, by package manager.
const PACKAGES: &[Packages] = &[
    ("apt-get", &[&["binaryen"]]),
    ("dnf", &[&["binaryen"]]),
    ("pacman", &[&["binaryen"]]),
    ("zypper", &[&["binaryen"]]),
    ("apk", &[&["binaryen"]]),
    ("brew", &[&["binaryen"]]),
];

/// Gets wasm-opt where it can be had without asking anybody; says loudly when it cannot.
pub(super) fn prepare() {
    if find().is_some() {
        return;
    }
    if let Err(trouble) = packages::install("wasm-opt", "under a minute", PACKAGES, false, &find) {
        say::skipping(&format!("{trouble} The page is built without it, a tenth larger."));
    }
}

fn find() -> Option<PathBuf> {
    place::program("wasm-opt")
}

/// Shrinks a wasm module in place.
///
/// # Errors
/// When the file cannot be written. A wasm-opt that refuses the module leaves it as it is, and says so.
pub(super) fn wasm(path: &Path) -> Result<(), Trouble> {
    let Some(program) = find() else { return Ok(()) };
    let small = path.with_extension("small");
    let mut command = Command::new(program);
    command.arg("-Oz").args(FEATURES).arg(path).arg("-o").arg(&small).stdout(Stdio::null());
    if !say::run(&mut command)?.success() {
        say::skipping(&format!("wasm-opt refused {}; it stays as it is.", path.display()));
        let _ = fs::remove_file(&small); // it may not have begun
        return Ok(());
    }
    fs::rename(&small, path).map_err(|e| trouble!("{} could not be written: {e}.", path.display()))
}

/// A glue script of wasm-bindgen without its comments and indents, which stand on lines of their own.
pub(super) fn script(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_comment = false;
    for line in text.lines() {
        let line = line.trim();
        is_comment |= line.starts_with("/*");
        if !is_comment && !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
        is_comment &= !line.ends_with("*/");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn comments_and_indents_go() {
        let text =
            "/**\n * @param {number} n\n */\nexport function f(n) {\n    // half\n    return n / 2;\n}\n";
        assert_eq!(script(text), "export function f(n) {\nreturn n / 2;\n}\n");
        assert_eq!(script("/* one line */\nlet a = 'x'; /* behind */\n"), "let a = 'x'; /* behind */\n");
    }
}
