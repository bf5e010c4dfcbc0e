//! Builds the page for release with Trunk.

use std::process::Command;

use super::shrink;
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
    Ok(())
}
