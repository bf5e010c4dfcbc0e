//! Builds the page with Trunk: for release, or quickly.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::offline::UNKEPT;
use super::{shrink, weight};
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
    /// Browser tests: as for work, with the system to copy from.
    Tests,
}

/// Set for what [`seal`](super::seal) does when the page is built quickly.
pub(super) const QUICK: &str = "LANESCOPE_QUICK";

/// What is different in the profiles of the programs when the page is built quickly: many small pieces that are compiled
/// side by side and kept, and not optimized across each other.
const QUICKLY: [(&str, &str); 4] =
    [("LTO", "off"), ("CODEGEN_UNITS", "64"), ("INCREMENTAL", "true"), ("OPT_LEVEL", "1")];

/// And what differs where it is built once: pieces are cheaper when they are fewer and not kept.
const ONCE: [(&str, &str); 2] = [("CODEGEN_UNITS", "16"), ("INCREMENTAL", "false")];

/// Gets the tools that are missing and builds `dist/`. Trunk calls `cargo xtask seal` at the end by itself.
pub fn page(whom: For) -> Result<(), Issue> {
    tools::wasm_target()?;
    if whom == For::Users {
        shrink::prepare();
    }
    say::doing(match whom {
        For::Users => "1 of 2: compiling both programs, on two processors about 6 minutes.",
        For::Work | For::Tests => {
            "1 of 2: compiling both programs, on two processors about 4 minutes the first time and half a minute \
             after a change."
        }
    });
    let watch = Watch::start();
    // Trunk is fetched and built beside the programs, whose last minutes leave a processor free.
    let trunk = thread::spawn(tools::trunk);
    let compiled = compile(whom);
    trunk.join().map_err(|_| trouble!("Trunk could not be looked for."))??;
    compiled?;
    say::doing(&format!(
        "2 of 2 ({} so far): splitting and packing the page, {}.",
        watch.text(),
        if whom == For::Users { "about 2 minutes" } else { "some seconds" },
    ));
    let mut trunk = command("trunk", whom);
    trunk.args(["build", "--release"]);
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true"); // it would ask the network for a newer Trunk
    trunk.env("RUST_BACKTRACE", "0"); // its errors are told by their texts; the stacks are Trunk's own
    trunk.env_remove("NO_COLOR"); // Trunk refuses to start where it is set to 1
    if !say::run(&mut trunk)?.success() {
        return Err(trouble!("The page could not be built; the words of rustc and Trunk stand above."));
    }
    say::doing(&format!("The page is in {} ({}).", place::dist().display(), watch.text()));
    if whom == For::Users { without_demo(&place::dist()) } else { Ok(()) }
}

/// Compiles both programs side by side, as Trunk asks for them one after the other later: each ends with minutes on a
/// single processor. What splits them then is compiled beside them too.
fn compile(whom: For) -> Result<(), Issue> {
    let started = PROGRAMS.map(|(program, feature)| {
        let mut cargo = command("cargo", whom);
        cargo.args(["build", "--target", tools::WASM, "--no-default-features", "--features", feature]);
        cargo.args(["--bin", program, "--profile", program]).spawn()
    });
    let binding = tools::binding();
    // Both are waited for, so that none goes on behind an error.
    let ended = started.map(|cargo| cargo.and_then(|mut cargo| cargo.wait()));
    for (ended, (program, _)) in ended.into_iter().zip(PROGRAMS) {
        if !ended.map_err(|e| trouble!("cargo could not be started: {e}."))?.success() {
            return Err(trouble!(
                "The program {program} could not be built; the words of rustc stand above."
            ));
        }
    }
    binding
}

/// The programs of the page, with the feature that each is built with, as `index.html` says too.
const PROGRAMS: [(&str, &str); 2] = [("page", "page"), ("worker", "engine")];

fn command(program: &str, whom: For) -> Command {
    let mut command = Command::new(program);
    command.current_dir(place::root()).env("PATH", place::path());
    match whom {
        For::Tests => command.env("LANESCOPE_DEMO", "1"),
        For::Users | For::Work => command.env_remove("LANESCOPE_DEMO"),
    };
    match whom {
        For::Work => command.env(UNKEPT, "1"),
        For::Users | For::Tests => command.env_remove(UNKEPT),
    };
    if whom == For::Users {
        command.env_remove(QUICK);
    } else {
        command.env(QUICK, "1");
        for (program, _) in PROGRAMS {
            let profile = format!("CARGO_PROFILE_{}", program.to_uppercase());
            command.envs(QUICKLY.map(|(setting, value)| (format!("{profile}_{setting}"), value)));
            if place::is_ci() {
                let once = ONCE.map(|(setting, value)| (format!("{profile}_{setting}"), value));
                command.envs(once);
            }
        }
    }
    command
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
