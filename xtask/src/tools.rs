//! Finds, builds or installs what a build needs: the wasm target, what binds programs, Trunk, the parts of rustup.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::place;
use crate::say::{self, Issue, Watch};
use crate::trouble;

/// The target that the page and the worker are compiled for.
pub const WASM: &str = "wasm32-unknown-unknown";

/// A program that Cargo installs in exactly one version.
struct CargoTool {
    /// The crate.
    name: &'static str,
    /// The programs that must be there; the first one is asked for its version.
    programs: &'static [&'static str],
    version: String,
    /// Further words to `cargo install`.
    options: &'static [&'static str],
    /// How long installing it usually takes.
    takes: &'static str,
}

/// Makes sure that Rust can compile to wasm.
pub fn wasm_target() -> Result<(), Issue> {
    if has_wasm_target() {
        return Ok(());
    }
    say::doing(&format!("The Rust target {WASM} is missing: adding it with rustup, usually under a minute."));
    rustup(&["target", "add", WASM])?;
    if has_wasm_target() {
        Ok(())
    } else {
        Err(trouble!("rustup added the target {WASM}, but rustc does not find it."))
    }
}

/// Makes sure that a component of Rust (`rustfmt`, `clippy`) is there.
pub fn component(name: &str, program: &str) -> Result<(), Issue> {
    let mut ask = Command::new("cargo");
    if say::first_line(ask.args([program, "--version"]).stderr(Stdio::null())).is_some() {
        return Ok(());
    }
    say::doing(&format!(
        "The Rust component {name} is missing: adding it with rustup, usually under a minute."
    ));
    rustup(&["component", "add", name])
}

/// Lets clippy compile the project's own packages in place of rustc, so that a warning of either is an error. What it
/// compiles is kept apart from what rustc does. Fails when rustc or clippy is not there.
pub fn linted(command: &mut Command) -> Result<&mut Command, Issue> {
    let mut ask = Command::new("rustc");
    let sysroot = say::first_line(ask.args(["--print", "sysroot"]).current_dir(place::root()));
    let driver = sysroot
        .map(|dir| Path::new(&dir).join("bin").join(format!("clippy-driver{}", env::consts::EXE_SUFFIX)));
    let driver = driver.filter(|path| path.is_file());
    let driver = driver.ok_or_else(|| {
        trouble!("clippy-driver is not beside rustc; `rustup component add clippy` adds it.")
    })?;
    // As `cargo clippy -- -D warnings` hands it over.
    Ok(command
        .env("RUSTC_WORKSPACE_WRAPPER", driver)
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"))
}

/// Builds the programs that split and bind what Cargo links. They are of this project, with the library's own version.
pub fn binding() -> Result<(), Issue> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--profile", "tool", "--package", "page-split"])
        .current_dir(place::root());
    if !say::run(&mut cargo)?.success() {
        return Err(trouble!(
            "What splits and binds the page could not be built; the words of rustc stand above."
        ));
    }
    let built = |name: &str| place::target().join("tool").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    fs::copy(built("page-bind"), built("wasm-bindgen"))
        .map(drop)
        .map_err(|e| trouble!("What binds the page could not be copied: {e}."))
}

/// Makes sure that Trunk has the version that `Trunk.toml` demands.
pub fn trunk() -> Result<(), Issue> {
    cargo_tool(&CargoTool {
        name: "trunk",
        programs: &["trunk"],
        version: place::trunk_version()?,
        // Trunk only calls other tools; an optimized one takes three times as long to build. It fetches nothing.
        options: &["--debug", "--no-default-features"],
        takes: "5 to 9 minutes beside the programs",
    })
}

/// Makes sure that cargo-fuzz is there, and the nightly Rust that it needs to see which code an input reaches.
pub fn fuzzer() -> Result<(), Issue> {
    let mut ask = Command::new("cargo");
    if say::first_line(ask.args(["+nightly", "--version"]).stderr(Stdio::null())).is_none() {
        say::doing("Nightly Rust is missing: adding it with rustup, usually a minute or two.");
        rustup(&["toolchain", "install", "nightly", "--profile", "minimal"])?;
    }
    cargo_tool(&CargoTool {
        name: "cargo-fuzz",
        programs: &["cargo-fuzz"],
        version: place::CARGO_FUZZ_VERSION.to_owned(),
        options: &[],
        takes: "2 to 4 minutes",
    })
}

/// geckodriver, which Debian and others have no package of; built if need be.
pub fn geckodriver() -> Result<PathBuf, Issue> {
    let name = "geckodriver";
    cargo_tool(&CargoTool {
        name,
        programs: &["geckodriver"],
        version: place::GECKODRIVER_VERSION.to_owned(),
        options: &["--debug"], // it waits for the browser
        takes: "2 to 5 minutes",
    })?;
    place::program(name).ok_or_else(|| trouble!("{name} was installed but is not found."))
}

fn has_wasm_target() -> bool {
    let mut ask = Command::new("rustc");
    ask.args(["--print", "target-libdir", "--target", WASM]).current_dir(place::root()).stderr(Stdio::null());
    say::first_line(&mut ask).is_some_and(|dir| Path::new(&dir).is_dir())
}

fn rustup(words: &[&str]) -> Result<(), Issue> {
    let line = format!("rustup {}", words.join(" "));
    match Command::new("rustup").args(words).current_dir(place::root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(trouble!(
            "`{line}` did not succeed (its words stand above). It needs the network; run it by hand and try again."
        )),
        Err(_) => Err(trouble!(
            "`{line}` is needed, but rustup is not on PATH. Install it from https://rustup.rs and try again."
        )),
    }
}

fn cargo_tool(tool: &CargoTool) -> Result<(), Issue> {
    let CargoTool { name, version, .. } = tool;
    let found = installed_version(tool);
    if found.as_ref() == Some(version) {
        return Ok(());
    }
    let have = found.map_or_else(|| "is missing".to_owned(), |found| format!("is there as {found} only"));
    let dir = place::tools();
    say::doing(&format!(
        "{name} {version} {have}: installing it into {}, usually {}.",
        dir.display(),
        tool.takes
    ));
    let watch = Watch::start();
    let scratch = dir.join("build");
    let mut install = Command::new("cargo");
    install.env("CARGO_PROFILE_DEV_DEBUG", "0"); // nobody debugs them; they link in half the time
    install.args(["install", "--locked", "--force", name, "--version", version]).args(tool.options);
    install.arg("--root").arg(&dir).arg("--target-dir").arg(&scratch).current_dir(place::root());
    let by_hand = format!("cargo install --locked {name} --version {version}");
    if !say::run(&mut install)?.success() {
        return Err(trouble!(
            "{name} {version} could not be built (cargo's words stand above). Building it needs the network and a C linker; by hand: `{by_hand}`."
        ));
    }
    let _ = std::fs::remove_dir_all(&scratch); // only what the build left behind; being in the way of nothing, it may stay
    say::doing(&format!("{name} {version} is installed ({}).", watch.text()));
    match installed_version(tool) {
        Some(found) if found == *version => Ok(()),
        _ => Err(trouble!(
            "{name} {version} was installed into {} but does not answer to --version.",
            dir.display()
        )),
    }
}

/// The version that the tool states, if all of its programs are there.
fn installed_version(tool: &CargoTool) -> Option<String> {
    let programs: Option<Vec<_>> = tool.programs.iter().map(|name| place::program(name)).collect();
    let line = say::first_line(Command::new(programs?.first()?).arg("--version").stderr(Stdio::null()))?;
    line.split_whitespace().nth(1).map(str::to_owned)
}
