//! Where things are: the project, what is built, tools on `PATH`; and the versions of tools, each read from
//! the one file that states it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::say::Issue;
use crate::trouble;

/// The version of axe-core that the browser tests ask about accessibility.
pub const AXE_VERSION: &str = "4.14.1";

/// The version of geckodriver, which drives Firefox.
pub const GECKODRIVER_VERSION: &str = "0.37.1";

/// The version of cargo-fuzz.
pub const CARGO_FUZZ_VERSION: &str = "0.13.2";

/// The top folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Cargo's target folder; tools and test files go below it as well.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The built page.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Where tools of the right version are installed when `PATH` has another one or none.
pub fn tools() -> PathBuf {
    target().join("tools")
}

/// Whether everything is built once and thrown away, as services that test changes do.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true" || value == "1")
}

/// `PATH` with our own tools first: those that Cargo installs, and those of this project.
pub fn path() -> OsString {
    let found = env::var_os("PATH").unwrap_or_default();
    let all = [tools().join("bin"), target().join("tool")].into_iter().chain(env::split_paths(&found));
    env::join_paths(all).unwrap_or(found)
}

/// The first program of that name on [`path`].
pub fn program(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path()).map(|dir| dir.join(&file)).find(|path| path.is_file())
}

/// The version of Trunk: what `Trunk.toml` demands, which Trunk itself checks too.
pub fn trunk_version() -> Result<String, Issue> {
    let text = read("Trunk.toml")?;
    text.lines()
        .find_map(|line| quoted(line, "trunk-version = "))
        .map(|version| version.trim_start_matches('=').to_owned())
        .ok_or_else(|| {
            trouble!("Trunk.toml has no line `trunk-version = \"=…\"`, so the version to use is unknown.")
        })
}

fn read(name: &str) -> Result<String, Issue> {
    let path = root().join(name);
    fs::read_to_string(&path).map_err(|e| trouble!("{} could not be read: {e}.", path.display()))
}

fn quoted(line: &str, key: &str) -> Option<String> {
    line.strip_prefix(key).map(|value| value.trim().trim_matches('"').to_owned())
}
