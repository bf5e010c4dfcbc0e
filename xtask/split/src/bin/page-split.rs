//! Splits a wasm program with its relocations into a main module and parts that are loaded when they are needed:
//! `page-split PROGRAM DIR MAIN_SCRIPT` writes `DIR/main.wasm`, the parts and `DIR/split.js`, which loads them and imports
//! `MAIN_SCRIPT`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Up to how many bytes a part is written anew: each of them holds all types of the program, which are most of a small one.
/// Of larger ones wasm-opt takes them.
const SMALL: u64 = 64 << 10;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [program, dir, script] = words.as_slice() else {
        eprintln!("usage: page-split PROGRAM DIR MAIN_SCRIPT");
        return ExitCode::from(2);
    };
    match split(Path::new(program), Path::new(dir), script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{program} could not be split: {why}");
            ExitCode::FAILURE
        }
    }
}

fn split(program: &Path, dir: &Path, script: &str) -> Result<(), String> {
    let input = fs::read(program).map_err(|why| why.to_string())?;
    let main = dir.join("main.wasm");
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = dir;
    options.main_out_path = &main;
    options.link_name = "./split.js";
    options.main_module = script;
    wasm_split_cli_support::transform(options).map_err(|why| format!("{why:#}"))?;
    for entry in fs::read_dir(dir).map_err(|why| why.to_string())?.flatten() {
        let path = entry.path();
        let is_small = entry.metadata().is_ok_and(|file| file.len() <= SMALL);
        if is_small && path != main && path.extension().is_some_and(|extension| extension == "wasm") {
            without_unused(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        }
    }
    Ok(())
}

/// Writes a part with what it uses.
fn without_unused(part: &Path) -> Result<(), String> {
    let bytes = fs::read(part).map_err(|why| why.to_string())?;
    let mut module = walrus::Module::from_buffer(&bytes).map_err(|why| format!("{why:#}"))?;
    walrus::passes::gc::run(&mut module);
    fs::write(part, module.emit_wasm()).map_err(|why| why.to_string())
}
