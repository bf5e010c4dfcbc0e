//! Builds the page: for release with Trunk, or quickly without.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::{assemble, shrink, weight};
use crate::place;
use crate::say::{self, Issue, Watch};
use crate::tools;
use crate::trouble;

/// Who the page is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum For {
    /// Users: as small and as fast as it can be.
    Users,
    /// Who works on it: built in a third of the time, and in seconds after a change.
    Work,
    /// Browser tests: as for work, with the system to copy from, and compiled by clippy, so that a warning is an error.
    Tests,
}

/// The profile that both programs are built with when the page is built quickly, and their features together: the library
/// is compiled once for both.
pub(super) const QUICK_PROFILE: &str = "quick";
const QUICK_FEATURES: &str = "page,engine";

/// What differs there where it is built once: pieces are cheaper when they are fewer and not kept.
const ONCE: [(&str, &str); 2] =
    [("CARGO_PROFILE_QUICK_CODEGEN_UNITS", "16"), ("CARGO_PROFILE_QUICK_INCREMENTAL", "false")];

/// Gets the tools that are missing and builds `dist/`.
pub fn page(whom: For) -> Result<(), Issue> {
    tools::wasm_target()?;
    if whom == For::Users {
        shrink::prepare();
    }
    say::doing(match whom {
        For::Users => "1 of 2: compiling both programs, on two processors about 6 minutes.",
        For::Work | For::Tests => {
            "1 of 2: compiling both programs, on two processors about 9 minutes the first time and one or two after a \
             change."
        }
    });
    let watch = Watch::start();
    // Trunk is fetched and built beside the programs, whose last minutes leave a processor free.
    let trunk = (whom == For::Users).then(|| thread::spawn(tools::trunk));
    let compiled = compile(whom);
    if let Some(trunk) = trunk {
        trunk.join().map_err(|_| trouble!("Trunk could not be looked for."))??;
    }
    compiled?;
    say::doing(&format!(
        "2 of 2 ({} so far): splitting and packing the page, {}.",
        watch.text(),
        if whom == For::Users { "about five minutes" } else { "some seconds" },
    ));
    if whom == For::Users { with_trunk() } else { assemble::page(whom) }?;
    say::doing(&format!("The page is in {} ({}).", place::dist().display(), watch.text()));
    match whom {
        For::Users => without_demo(&place::dist()),
        For::Tests => weight::of_tests(&place::dist()),
        For::Work => Ok(()),
    }
}

/// Builds `dist/` as users get it. Trunk calls `cargo xtask seal` at the end by itself.
fn with_trunk() -> Result<(), Issue> {
    let mut trunk = command("trunk", For::Users)?;
    trunk.args(["build", "--release"]);
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true"); // it would ask the network for a newer Trunk
    trunk.env("RUST_BACKTRACE", "0"); // its errors are told by their texts; the stacks are Trunk's own
    trunk.env_remove("NO_COLOR"); // Trunk refuses to start where it is set to 1
    if !say::run(&mut trunk)?.success() {
        return Err(trouble!("The page could not be built; the words of rustc and Trunk stand above."));
    }
    Ok(())
}

/// Compiles both programs: for users as Trunk asks for them later, side by side, as each ends with minutes on a single
/// processor; otherwise as one. What splits them then is compiled beside them too.
fn compile(whom: For) -> Result<(), Issue> {
    let builds = match whom {
        For::Users => PROGRAMS.map(|(program, feature)| (vec![program], feature, program)).to_vec(),
        For::Work | For::Tests => {
            vec![(PROGRAMS.map(|(program, _)| program).to_vec(), QUICK_FEATURES, QUICK_PROFILE)]
        }
    };
    let start = |(programs, features, profile): &(Vec<&str>, &str, &str)| {
        let mut cargo = command("cargo", whom)?;
        cargo.args(["build", "--target", tools::WASM, "--no-default-features", "--features", features]);
        cargo.args(programs.iter().flat_map(|program| ["--bin", program])).args(["--profile", profile]);
        Ok(cargo.spawn())
    };
    let started = builds.iter().map(start).collect::<Result<Vec<_>, Issue>>()?;
    let binding = tools::binding();
    // All are waited for, so that none goes on behind an error.
    let ended: Vec<_> = started.into_iter().map(|cargo| cargo.and_then(|mut cargo| cargo.wait())).collect();
    for (ended, (programs, ..)) in ended.into_iter().zip(builds) {
        if !ended.map_err(|e| trouble!("cargo could not be started: {e}."))?.success() {
            let programs = programs.join(" and ");
            return Err(trouble!("{programs} could not be built; the words of rustc stand above."));
        }
    }
    binding
}

/// The programs of the page, with the feature that each is built with, as `index.html` says too.
const PROGRAMS: [(&str, &str); 2] = [("page", "page"), ("worker", "engine")];

fn command(program: &str, whom: For) -> Result<Command, Issue> {
    let mut command = Command::new(program);
    command.current_dir(place::root()).env("PATH", place::path());
    match whom {
        For::Tests => command.env("LANESCOPE_DEMO", "1"),
        For::Users | For::Work => command.env_remove("LANESCOPE_DEMO"),
    };
    if whom != For::Users && place::is_ci() {
        command.envs(ONCE);
    }
    if whom == For::Tests {
        tools::linted(&mut command)?;
    }
    Ok(command)
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

#[cfg(test)]
mod tests {
    use super::PROGRAMS;
    use crate::place;
    use std::fs;

    #[test]
    fn trunk_finds_what_was_compiled_for_users() {
        let html = fs::read_to_string(place::root().join("index.html")).unwrap();
        for (program, feature) in PROGRAMS {
            let asked = format!("data-cargo-features=\"{feature}\" data-cargo-profile=\"{program}\"");
            assert_eq!(html.matches(&asked).count(), 1, "{program}");
        }
    }
}
