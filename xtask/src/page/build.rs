//! Builds the page for release with Trunk.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{shrink, weight};
use crate::place;
use crate::say::{self, Issue, Watch};
use crate::tools;
use crate::trouble;

/// Gets the tools that are missing and builds `dist/`, with these features of the package: none for users, `demo` for the
/// browser tests. Trunk calls `cargo xtask seal` at the end by itself.
pub fn page(features: &[&str]) -> Result<(), Issue> {
    tools::wasm_target()?;
    tools::wasm_bindgen()?;
    tools::trunk()?;
    shrink::prepare();
    say::doing("Building the page for release: 2 to 5 minutes the first time, then seconds to a minute.");
    let watch = Watch::start();
    let mut trunk = Command::new("trunk");
    trunk.args(["build", "--release"]).args(features.iter().flat_map(|feature| ["--features", feature]));
    trunk.current_dir(place::root()).env("PATH", place::path());
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true"); // it would ask the network for a newer Trunk
    trunk.env("RUST_BACKTRACE", "0"); // its errors are told by their texts; the stacks are Trunk's own
    trunk.env_remove("NO_COLOR"); // Trunk refuses to start where it is set to 1
    if !say::run(&mut trunk)?.success() {
        return Err(trouble!("The page could not be built; the words of rustc and Trunk stand above."));
    }
    say::doing(&format!("The page is in {} ({}).", place::dist().display(), watch.text()));
    if features.is_empty() { without_demo(&place::dist()) } else { Ok(()) }
}

/// What names the system to copy from in every program that has it.
const DEMO: &[u8] = b"the tests of this project";

/// Looks whether the system that only tests open is in none of the programs.
fn without_demo(dir: &Path) -> Result<(), Issue> {
    for path in weight::programs(dir)? {
        let module = fs::read(&path).map_err(|e| trouble!("{} could not be read: {e}.", path.display()))?;
        if module.windows(DEMO.len()).any(|bytes| bytes == DEMO) {
            return Err(trouble!("{} holds the system that is there only for tests.", path.display()));
        }
    }
    Ok(())
}
