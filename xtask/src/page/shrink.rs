//! Makes the built programs smaller: wasm through Binaryen's wasm-opt, glue scripts by leaving comments out.
//!
//! The page works without; with it, a fifth less goes over the network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::packages::{self, Packages};
use crate::place;
use crate::say::{self, Trouble};
use crate::trouble;

/// The version of Binaryen from npm: the same everywhere.
const BINARYEN: &str = "132.0.0";

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

/// Gets wasm-opt where it can be had without asking anybody: this version from npm, else one of the system. Says loudly
/// when it cannot.
pub(super) fn prepare() {
    if find().is_some() {
        return;
    }
    let by_npm = || -> Option<()> {
        say::doing(&format!("wasm-opt {BINARYEN} is missing: fetching it with npm, some seconds."));
        let mut npm = Command::new(place::program(if cfg!(windows) { "npm.cmd" } else { "npm" })?);
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        npm.arg(home()).arg(format!("binaryen@{BINARYEN}")).stdout(Stdio::null());
        say::run(&mut npm).is_ok_and(|status| status.success()).then_some(())
    };
    let has_npm = place::program("node").is_some() && place::program("npm").is_some();
    if has_npm && by_npm().is_some() && find().is_some() {
        return;
    }
    if let Err(trouble) = packages::install("wasm-opt", "under a minute", PACKAGES, false, &find) {
        say::skipping(&format!("{trouble} The page is built without it, a fifth larger."));
    }
}

/// Where npm puts it.
fn home() -> PathBuf {
    place::tools().join(format!("binaryen-{BINARYEN}"))
}

/// How wasm-opt is called: ours through node, else the one on `PATH`.
fn find() -> Option<Command> {
    let own = home().join("node_modules/binaryen/bin/wasm-opt");
    if own.is_file()
        && let Some(node) = place::program("node")
    {
        let mut command = Command::new(node);
        command.arg(own);
        return Some(command);
    }
    place::program("wasm-opt").map(Command::new)
}

/// Shrinks wasm modules in place, all at the same time.
///
/// # Errors
/// When a file cannot be written. A wasm-opt that refuses a module leaves it as it is, and says so.
pub(super) fn modules(paths: &[&Path]) -> Result<(), Trouble> {
    if find().is_none() {
        return Ok(());
    }
    say::doing("Making the programs smaller with wasm-opt: about half a minute.");
    thread::scope(|scope| {
        let jobs: Vec<_> = paths.iter().map(|path| scope.spawn(|| module(path))).collect();
        jobs.into_iter().try_for_each(|job| job.join().unwrap_or(Ok(())))
    })
}

fn module(path: &Path) -> Result<(), Trouble> {
    let Some(mut command) = find() else { return Ok(()) };
    let small = path.with_extension("small");
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
