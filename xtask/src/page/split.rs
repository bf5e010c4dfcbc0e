//! Splits the programs: what the source marks with `wasm_split` is loaded when it is needed.
//!
//! Trunk can only bind a program whole, so the one that Cargo linked is split and bound here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::build::{For, QUICK_PROFILE};
use super::seal;
use crate::place;
use crate::say::{self, Issue};
use crate::tools::WASM;
use crate::trouble;

/// Puts the page's program in `dir`, a finished build, in parts; returns the folder of those that are loaded later.
pub(super) fn page(dir: &Path, whom: For) -> Result<PathBuf, Issue> {
    let name = name_of(dir)?;
    // Named like the program, because hosts and browsers keep files by their names.
    let parts = dir.join(name.replacen("page", "parts", 1));
    split(dir, "page", whom, &name, &parts)?;
    let folder = parts.file_name().unwrap_or_default().to_string_lossy();
    change(&dir.join(format!("{name}.js")), |script| {
        script.replace("from \"./split.js\"", &format!("from \"./{folder}/split.js\""))
    })?;
    Ok(parts)
}

/// The same of the worker's program. Its script is kept by the page and has no address that others could be found by, so
/// what loads the parts is put into it, and asks the program for their modules, which has them from the page.
pub(super) fn worker(dir: &Path, whom: For) -> Result<PathBuf, Issue> {
    let parts = dir.join("worker_parts");
    split(dir, "worker", whom, "worker", &parts)?;
    let loader = parts.join("split.js");
    let text = read(&loader)?;
    remove(&loader)?;
    change(&dir.join("worker.js"), |script| with_loader(script, &text))?;
    Ok(parts)
}

/// The worker's script with the loader of its parts.
fn with_loader(script: &str, loader: &str) -> String {
    let loads = |line: &str| Some(line.strip_prefix("export const ")?.split_once(' ')?.0.to_owned());
    let names: Vec<String> = loader.lines().filter_map(loads).collect();
    let lines = loader.lines().filter(|line| !line.starts_with("import "));
    let lines = lines.map(|line| line.strip_prefix("export ").unwrap_or(line));
    let loader = lines.collect::<Vec<_>>().join("\n");
    let loader =
        loader.replace("fetch(new URL(\"./", "fetch_part((\"").replace(", import.meta.url))", "))").replace(
            "WebAssembly.instantiateStreaming(src, imports)",
            "WebAssembly.instantiate(await src, imports)",
        );
    let of_parts = |line: &str| {
        let name = line
            .strip_prefix("import * as ")?
            .split_once(" from ")
            .filter(|(_, from)| from.contains("./split.js"))?
            .0;
        Some(format!("const {name} = loadsOfParts;"))
    };
    let lines = script.lines().map(|line| of_parts(line).unwrap_or_else(|| line.to_owned()));
    format!(
        "{loader}\nconst loadsOfParts = {{ {} }};\n{}\n",
        names.join(", "),
        lines.collect::<Vec<_>>().join("\n")
    )
}

/// Below how many bytes a part stands in the script: what two parts share is often a few functions, and each file costs a
/// request before the first picture.
const SMALL: usize = 16 * 1024;

/// The worker's script, with the small parts of this folder in it and no longer beside it.
pub(super) fn with_small_parts(script: &str, parts: &Path) -> Result<String, Issue> {
    let mut script = script.to_owned();
    for path in seal::files(parts, &["wasm"])? {
        let bytes = fs::read(&path).map_err(|e| trouble!("{} could not be read: {e}.", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fetched = format!("fetch_part((\"{name}\"))");
        if bytes.len() < SMALL && script.contains(&fetched) {
            let unpacked = format!("unpack_part(\"{}\")", STANDARD.encode(&bytes));
            script = script.replace(&fetched, &unpacked);
            remove(&path)?;
        }
    }
    Ok(format!("{UNPACK_PART}\n{script}"))
}

/// Compiles a part that stands in the script.
const UNPACK_PART: &str =
    "const unpack_part = (text) => WebAssembly.compile(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));";

/// Puts the program that Cargo built under this name into `dir` as `name`, and its parts, with the script that loads them,
/// into `parts`.
fn split(dir: &Path, program: &str, whom: For, name: &str, parts: &Path) -> Result<(), Issue> {
    let profile = if whom == For::Users { program } else { QUICK_PROFILE };
    let built = place::target().join(WASM).join(profile).join(format!("{program}.wasm"));
    let run = |what: &str, command: &mut Command| {
        let is_done = say::run(command)?.success();
        if is_done { Ok(()) } else { Err(trouble!("The program {program} could not be {what}.")) }
    };
    let tool = |name: &str| Command::new(place::program(name).unwrap_or_else(|| name.into()));
    run("split", tool("page-split").arg(&built).arg(parts).arg(format!("../{name}.js")))?;
    let main = parts.join("main.wasm");
    let mut bind = tool("wasm-bindgen");
    bind.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", name, "--out-dir"]);
    run("bound", bind.arg(dir).arg(&main))?;
    // A part that does not come is no error yet: it is asked for again when it is shown, and then the page says so.
    change(&parts.join("split.js"), |loader| loader.replace("console.error(e)", "console.warn(e)"))?;
    remove(&main)
}

fn read(path: &Path) -> Result<String, Issue> {
    fs::read_to_string(path).map_err(|e| trouble!("{} could not be read: {e}.", path.display()))
}

fn change(path: &Path, change: impl FnOnce(&str) -> String) -> Result<(), Issue> {
    let text = change(&read(path)?);
    fs::write(path, text).map_err(|e| trouble!("{} could not be written: {e}.", path.display()))
}

/// The name of the page's program with its hash.
pub(super) fn name_of(dir: &Path) -> Result<String, Issue> {
    let entries = fs::read_dir(dir).map_err(|e| trouble!("{} could not be read: {e}.", dir.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names = names.filter_map(|name| Some(name.strip_suffix("_bg.wasm")?.to_owned()));
    let name = names.find(|name| name.starts_with("page-"));
    name.ok_or_else(|| trouble!("{} holds no program of the page.", dir.display()))
}

fn remove(path: &Path) -> Result<(), Issue> {
    fs::remove_file(path).map_err(|e| trouble!("{} could not be removed: {e}.", path.display()))
}
