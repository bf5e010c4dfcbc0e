//! Splits a wasm program with its relocations into a main module and parts that are loaded when they are needed:
//! `page-split PROGRAM DIR MAIN_SCRIPT` writes `DIR/main.wasm`, the parts and `DIR/split.js`, which loads them and imports
//! `MAIN_SCRIPT`.

use std::path::Path;
use std::process::ExitCode;

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
    let input = std::fs::read(program).map_err(|why| why.to_string())?;
    let main = dir.join("main.wasm");
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = dir;
    options.main_out_path = &main;
    options.link_name = "./split.js";
    options.main_module = script;
    wasm_split_cli_support::transform(options).map(drop).map_err(|why| format!("{why:#}"))
}
