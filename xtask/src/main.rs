//! `cargo xtask`: builds, serves and tests Lanescope on a machine with rustup and a C linker, getting the rest.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, RwLock};
use std::thread;

use xtask::page::build::{self, For};
use xtask::page::{seal, weight};
use xtask::say::{self, Issue};
use xtask::server::{self, Offer, Site};
use xtask::tally::Tally;
use xtask::{bench, check, engines, place, suite, trouble};

const HELP: &str = "\
Lanescope's own commands. Each gets the tools that are missing and says so.

cargo xtask serve [FILE…]              build the page quickly and serve it at a printed address; with files or
                                       folders, the page opens on them; `--release` builds it as users get it,
                                       `--port N` takes this port
cargo xtask build                      build the page for release into dist/
cargo xtask check                      formats, lints and native tests of what changed, in some 2 minutes
cargo xtask test                       formats, lints, native tests and browser tests of a built page;
                                       the last line is `N passed, M failed`
cargo xtask test --engines             journeys with a profile of each system in Chromium, Firefox and WebKitGTK; those
                                       that walk over one sample each, over all of them
cargo xtask test --cluster             convert and query a made data set on a Spark cluster of two executors
cargo xtask damage [N]                 open N damaged files of each format, 1,000,000 otherwise
cargo xtask fuzz [READER] [MINUTES]    let libFuzzer make up files for READER, or for each in turn, 20 minutes otherwise
cargo xtask bench                      time the parts of the timeline as WebAssembly, in node
cargo xtask seal [FOLDER]              write the Content-Security-Policy into a built page (Trunk calls this)
cargo xtask help                       this text
";

/// The first port that `serve` tries; the same one each time keeps what the page remembers.
const PORT: u16 = 8080;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["serve", rest @ ..] => serve(rest),
        ["build"] => build::page(For::Users).and_then(|()| weight::table(&place::dist())),
        ["build", "--for-tests"] => build::page(For::Tests), // `test` calls this
        ["bench"] => bench::wasm(),
        ["check"] => return code(check::changes()),
        ["test"] => return code(suite::everything()),
        ["test", "--engines"] => return code(suite::browsers()),
        ["test", "--cluster"] => return code(engines::cluster()),
        ["damage"] => return code(suite::damage(suite::DAMAGED)),
        ["damage", n] if n.parse::<u64>().is_ok() => {
            return code(suite::damage(n.parse().unwrap_or(suite::DAMAGED)));
        }
        ["fuzz"] => return code(suite::fuzz(None, suite::FUZZED)),
        ["fuzz", reader] => return code(suite::fuzz(Some(reader), suite::FUZZED)),
        ["fuzz", reader, n] if n.parse::<u64>().is_ok() => {
            return code(suite::fuzz(Some(reader), n.parse().unwrap_or(suite::FUZZED)));
        }
        ["seal"] => {
            let staging = env::var_os("TRUNK_STAGING_DIR").map_or_else(place::dist, PathBuf::from);
            seal::page(&staging, For::Users)
        }
        ["seal", folder] => seal::page(Path::new(folder), For::Users),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        other => {
            eprintln!("`{}` is not a command of xtask.\n\n{HELP}", other.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("\x1b[1;31m{trouble}\x1b[0m");
            ExitCode::FAILURE
        }
    }
}

/// Whether all checks passed.
fn code(sum: Tally) -> ExitCode {
    ExitCode::from(u8::from(0 < sum.failed))
}

/// Builds the page and serves it until the user ends the program.
fn serve(words: &[&str]) -> Result<(), Issue> {
    let (whom, words) = match words {
        ["--release", words @ ..] => (For::Users, words),
        words => (For::Work, words),
    };
    let (port, files) = match words {
        ["--port", port, files @ ..] => (
            Some(port.parse().map_err(|_| trouble!("`{port}` is not a port; a number up to 65535 is."))?),
            files,
        ),
        files => (None, files),
    };
    let offers =
        files.iter().enumerate().map(|(i, file)| offer(i + 1, file)).collect::<Result<Vec<_>, _>>()?;
    build::page(whom)?;
    let opens: Vec<_> =
        offers.iter().map(|offer| format!("open={}", server::encoded(&offer.address))).collect();
    let sample = a_sample();
    let address = listen(offers, port)?;
    println!();
    if opens.is_empty() {
        println!("Lanescope    {address}");
        if let Some(sample) = sample {
            println!("with a sample {address}?open={}", server::encoded(&sample));
        }
    } else {
        println!("Lanescope with your files  {address}?{}", opens.join("&"));
        println!("empty                      {address}");
    }
    println!("Ctrl+C ends it.");
    loop {
        thread::park();
    }
}

/// A file named on the command line, under an address that ends with its name.
fn offer(number: usize, file: &str) -> Result<Offer, Issue> {
    // Cargo runs us where it was called, so the name is taken as the user's shell would take it.
    let source = fs::canonicalize(file).map_err(|e| trouble!("{file} could not be opened: {e}."))?;
    let name = source.file_name().map_or_else(|| "folder".into(), |name| name.to_string_lossy().into_owned());
    let name = if source.is_dir() { format!("{name}.tar") } else { name };
    Ok(Offer { address: format!("_files/{number}/{name}"), source })
}

/// Serves at the asked port, or else at the usual one or any that is free.
fn listen(offers: Vec<Offer>, port: Option<u16>) -> Result<String, Issue> {
    let first = port.unwrap_or(PORT);
    let listener = server::bind(first).or_else(|e| match port {
        Some(_) => Err(e),
        None => server::bind(0),
    });
    let listener =
        listener.map_err(|e| trouble!("Port {first} could not be used: {e}. Choose one with --port N."))?;
    let root = Arc::new(RwLock::new(place::dist()));
    let site = Site { root, base: "/".into(), offers, is_down: Arc::default() };
    let address = server::start(site, listener).map_err(|e| trouble!("The server could not start: {e}."))?;
    if address.port() != first {
        say::doing(&format!("Port {first} is taken, so another one is used."));
    }
    Ok(format!("http://{address}/"))
}

/// The address of some sample that came with the page.
fn a_sample() -> Option<String> {
    let entries = fs::read_dir(place::dist().join("samples")).ok()?;
    let mut names: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let name = names.into_iter().find(|name| name != "index.json")?;
    Some(format!("samples/{name}"))
}
