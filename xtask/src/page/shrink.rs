//! Makes the built page smaller: wasm through Binaryen's wasm-opt, scripts and styles through esbuild.
//!
//! The page works without; with it, a fifth less goes over the network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::packages::{self, Packages};
use crate::place;
use crate::say::{self, Issue};
use crate::trouble;

/// What npm brings, in these versions everywhere.
const TOOLS: [(&str, &str); 2] = [("binaryen", "132.0.0"), ("esbuild", "0.28.2")];

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

/// Without it functions with one caller become part of it, whatever their size. Browsers compile whole functions, first
/// when they are called and again when they are called often: those of a hundred kB kept a processor busy for a fifth of a
/// second while a file was opened.
const SMALL_FUNCTIONS: &str = "--one-caller-inline-max-function-size=50";

/// The packages that hold wasm-opt, by package manager.
const PACKAGES: &[Packages] = &[
    ("apt-get", &[&["binaryen"]]),
    ("dnf", &[&["binaryen"]]),
    ("pacman", &[&["binaryen"]]),
    ("zypper", &[&["binaryen"]]),
    ("apk", &[&["binaryen"]]),
    ("brew", &[&["binaryen"]]),
];

/// Gets what shrinks the page where it can be had without asking anybody: both tools from npm, else a wasm-opt of the
/// system. Says loudly what is missing.
pub fn prepare() {
    if has_all() {
        return;
    }
    let by_npm = || -> Option<()> {
        let names = TOOLS.map(|(name, version)| format!("{name}@{version}"));
        say::doing(&format!("{} are missing: fetching them with npm, some seconds.", names.join(" and ")));
        let mut npm = Command::new(place::program(if cfg!(windows) { "npm.cmd" } else { "npm" })?);
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        npm.arg(home()).args(names).stdout(Stdio::null());
        say::run(&mut npm).is_ok_and(|status| status.success()).then_some(())
    };
    let has_npm = place::program("node").is_some() && place::program("npm").is_some();
    if has_npm && by_npm().is_some() && has_all() {
        return;
    }
    say::skipping("Without npm the scripts and styles of the page stay as they are.");
    if wasm_opt().is_none()
        && let Err(trouble) = packages::install("wasm-opt", "under a minute", PACKAGES, false, &wasm_opt)
    {
        say::skipping(&format!("{trouble} The page is built without it, a fifth larger."));
    }
}

/// Whether everything is here that makes the page as small as it can be.
pub fn has_all() -> bool {
    TOOLS.iter().all(|(name, _)| {
        let program = if *name == "binaryen" { "wasm-opt" } else { *name };
        own(name, program).is_some()
    })
}

/// Where npm puts the tools.
fn home() -> PathBuf {
    place::tools().join(TOOLS.map(|(name, version)| format!("{name}-{version}")).join("-"))
}

/// How a tool of ours is called, through node.
fn own(package: &str, program: &str) -> Option<Command> {
    let script = home().join("node_modules").join(package).join("bin").join(program);
    let mut command = Command::new(place::program("node")?);
    command.arg(&script);
    script.is_file().then_some(command)
}

/// How wasm-opt is called: ours, else the one on `PATH`.
fn wasm_opt() -> Option<Command> {
    own("binaryen", "wasm-opt").or_else(|| place::program("wasm-opt").map(Command::new))
}

/// Bytes that a module has at least to be worth a start of wasm-opt, which takes more than a second: of four in five parts
/// of the page it would take a hundred bytes away.
const WORTH: u64 = 8 << 10;

/// Shrinks wasm modules in place, as many at the same time as there are processors: each takes some hundred megabytes. Small
/// ones stay as they are.
///
/// # Errors
/// When a file cannot be written. A wasm-opt that refuses a module leaves it as it is, and says so.
pub fn modules(paths: &[&Path]) -> Result<(), Issue> {
    if wasm_opt().is_none() {
        return Ok(());
    }
    say::doing("Making the programs smaller with wasm-opt: on two processors four minutes.");
    let is_worth_it = |path: &&&Path| fs::metadata(path).is_ok_and(|file| WORTH <= file.len());
    let paths: Vec<&&Path> = paths.iter().filter(is_worth_it).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut taken = std::iter::from_fn(|| paths.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.try_for_each(|path| module(path))
    };
    thread::scope(|scope| {
        let n = thread::available_parallelism().map_or(2, usize::from);
        let jobs: Vec<_> = (0..n).map(|_| scope.spawn(work)).collect();
        jobs.into_iter().try_for_each(|job| job.join().unwrap_or(Ok(())))
    })
}

fn module(path: &Path) -> Result<(), Issue> {
    let Some(mut command) = wasm_opt() else { return Ok(()) };
    let small = path.with_extension("small");
    // The worker opens traces 3 to 4 % faster at -O3, and brotli makes it no larger than at -Oz.
    let mut names = path.iter().rev().take(2).map(|name| name.to_string_lossy());
    let is_worker = names.any(|name| name.starts_with("worker"));
    command
        .args([if is_worker { "-O3" } else { "-Oz" }, "--low-memory-unused", SMALL_FUNCTIONS])
        .args(FEATURES)
        .arg(path)
        .arg("-o")
        .arg(&small)
        .stdout(Stdio::null());
    if !say::run(&mut command)?.success() {
        say::skipping(&format!("wasm-opt refused {}; it stays as it is.", path.display()));
        let _ = fs::remove_file(&small); // it may not have begun
        return Ok(());
    }
    fs::rename(&small, path).map_err(|e| trouble!("{} could not be written: {e}.", path.display()))
}

/// Shrinks scripts and styles in place.
///
/// # Errors
/// When esbuild cannot be started or refuses one.
pub(super) fn texts(paths: &[&Path]) -> Result<(), Issue> {
    for path in paths {
        let Some(mut command) = own("esbuild", "esbuild") else { return Ok(()) };
        let is_script = path.extension().is_some_and(|extension| extension == "js");
        command.args(["--minify", "--log-level=warning", "--allow-overwrite"]);
        // wasm-bindgen names a module once for each thing it imports of it.
        command.arg("--log-override:duplicate-object-key=silent");
        command.args(is_script.then_some("--format=esm"));
        command.arg(path).arg(format!("--outfile={}", path.display())).stdout(Stdio::null());
        if !say::run(&mut command)?.success() {
            return Err(trouble!("esbuild could not make {} smaller.", path.display()));
        }
    }
    Ok(())
}
