//! The command line: the same reading, exports and pictures as the page, for scripts, CI and a first look.

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    match args.next() {
        Some(word) if word == "tables" => tables_of(program, args),
        _ => native::main(),
    }
}

#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
fn tables_of(program: std::ffi::OsString, args: std::env::ArgsOs) -> std::process::ExitCode {
    tables::main(std::iter::once(program).chain(args))
}

#[cfg(all(not(feature = "columns"), not(target_arch = "wasm32")))]
fn tables_of(_: std::ffi::OsString, _: std::env::ArgsOs) -> std::process::ExitCode {
    eprintln!("lanescope: this program was built without tables: build it with the feature columns.");
    std::process::ExitCode::FAILURE
}

#[cfg(not(target_arch = "wasm32"))]
mod compare;
#[cfg(not(target_arch = "wasm32"))]
mod gate;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(not(target_arch = "wasm32"))]
mod output;
#[cfg(not(target_arch = "wasm32"))]
mod parameters;
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
mod tables;
