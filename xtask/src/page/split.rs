//! Splits the page's program: what the source marks with `wasm_split` is loaded when it is needed.
//!
//! Trunk can only bind a program whole, so the one that Cargo linked is split here and bound once more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place;
use crate::say::{self, Issue};
use crate::tools::WASM;
use crate::trouble;

/// Puts the page's program in `dir`, a finished build, in parts; returns the folder of those that are loaded later.
pub(super) fn page(dir: &Path) -> Result<PathBuf, Issue> {
    let name = name_of(dir)?;
    // Named like the program, because hosts and browsers keep files by their names.
    let parts = dir.join(name.replacen("page", "parts", 1));
    let program = place::target().join(WASM).join("page/page.wasm");
    let run = |what: &str, command: &mut Command| {
        let is_done = say::run(command)?.success();
        if is_done { Ok(()) } else { Err(trouble!("The page's program could not be {what}.")) }
    };
    let mut split = Command::new("cargo");
    split.args(["run", "--quiet", "--package", "page-split", "--"]).arg(&program).arg(&parts);
    run("split", split.arg(format!("../{name}.js")).current_dir(place::root()))?;
    let main = parts.join("main.wasm");
    let mut bind = Command::new(place::program("wasm-bindgen").unwrap_or_else(|| "wasm-bindgen".into()));
    bind.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", &name, "--out-dir"]);
    run("bound", bind.arg(dir).arg(&main))?;
    remove(&main)?;
    let script = dir.join(format!("{name}.js"));
    let text =
        fs::read_to_string(&script).map_err(|e| trouble!("{} could not be read: {e}.", script.display()))?;
    let folder = parts.file_name().unwrap_or_default().to_string_lossy();
    let text = text.replace("from \"./split.js\"", &format!("from \"./{folder}/split.js\""));
    fs::write(&script, text).map_err(|e| trouble!("{} could not be written: {e}.", script.display()))?;
    Ok(parts)
}

/// The name of the page's program with its hash.
fn name_of(dir: &Path) -> Result<String, Issue> {
    let entries = fs::read_dir(dir).map_err(|e| trouble!("{} could not be read: {e}.", dir.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names = names.filter_map(|name| Some(name.strip_suffix("_bg.wasm")?.to_owned()));
    let name = names.find(|name| name.starts_with("page-"));
    name.ok_or_else(|| trouble!("{} holds no program of the page.", dir.display()))
}

fn remove(path: &Path) -> Result<(), Issue> {
    fs::remove_file(path).map_err(|e| trouble!("{} could not be removed: {e}.", path.display()))
}
