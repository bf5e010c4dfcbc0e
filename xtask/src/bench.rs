//! Runs the bench that is compiled to WebAssembly, in node.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::page::shrink;
use crate::place;
use crate::say::{self, Issue, Watch};
use crate::tools::{self, WASM};
use crate::trouble;

/// Builds the bench as the worker is built and runs it.
pub fn wasm() -> Result<(), Issue> {
    let Some(node) = place::program("node") else {
        return Err(trouble!(
            "This bench runs in node, which is not on PATH. `cargo bench` runs the native ones."
        ));
    };
    tools::wasm_target()?;
    tools::binding()?;
    shrink::prepare();
    say::doing("Building the bench for WebAssembly: 2 to 5 minutes the first time.");
    let watch = Watch::start();
    let mut cargo = Command::new("cargo");
    cargo.args([
        "build",
        "--example",
        "wasm_bench",
        "--profile",
        "worker",
        "--target",
        WASM,
        "--message-format",
        "json",
    ]);
    let built = cargo
        .current_dir(place::root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| trouble!("cargo could not be started: {e}."))?;
    let module = executable(&String::from_utf8_lossy(&built.stdout));
    let Some(module) = module.filter(|_| built.status.success()) else {
        return Err(trouble!("The bench could not be built; the words of rustc stand above."));
    };
    let out = place::target().join("bench-wasm");
    let mut bindgen = Command::new(place::program("wasm-bindgen").unwrap_or_else(|| "wasm-bindgen".into()));
    bindgen.env("PATH", place::path()).args(["--target", "nodejs", "--no-typescript", "--out-name", "bench"]);
    bindgen.arg("--out-dir").arg(&out).arg(&module);
    if !say::run(&mut bindgen)?.success() {
        return Err(trouble!("wasm-bindgen refused {}.", module.display()));
    }
    shrink::modules(&[&out.join("bench_bg.wasm")])?;
    say::doing(&format!("The bench is built ({}).", watch.text()));
    if say::run(Command::new(node).arg(out.join("bench.js")))?.success() {
        Ok(())
    } else {
        Err(trouble!("The bench ended with an error."))
    }
}

/// The program that cargo's messages tell of.
fn executable(messages: &str) -> Option<PathBuf> {
    let (_, rest) = messages.rsplit_once("\"executable\":\"")?;
    Some(PathBuf::from(rest.split('"').next()?.replace("\\\\", "\\")))
}
