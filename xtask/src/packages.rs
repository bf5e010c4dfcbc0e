//! Installs programs through the system's package manager.

use std::io::{IsTerminal, stdin};
use std::process::Command;

use crate::place;
use crate::say::{self, Issue, Watch};
use crate::trouble;

/// A package manager's program, and ways to name the packages there; the first way that helps is taken.
pub type Packages = (&'static str, &'static [&'static [&'static str]]);

/// A package manager: its program, the words before the packages, whether it wants root.
struct Manager {
    program: &'static str,
    before: &'static [&'static [&'static str]],
    wants_root: bool,
}

const MANAGERS: &[Manager] = &[
    Manager {
        program: "apt-get",
        before: &[&["update", "-q"], &["install", "-q", "-y", "--no-install-recommends"]],
        wants_root: true,
    },
    Manager { program: "dnf", before: &[&["install", "-y"]], wants_root: true },
    Manager { program: "pacman", before: &[&["-Sy", "--needed", "--noconfirm"]], wants_root: true },
    Manager { program: "zypper", before: &[&["--non-interactive", "install"]], wants_root: true },
    Manager { program: "apk", before: &[&["add"]], wants_root: true },
    Manager { program: "brew", before: &[&["install"]], wants_root: false },
];

/// Installs `what` and gives back what `find` finds then. `may_ask`: sudo may ask for a password.
pub fn install<T>(
    what: &str,
    takes: &str,
    packages: &[Packages],
    may_ask: bool,
    find: &dyn Fn() -> Option<T>,
) -> Result<T, Issue> {
    let known = |manager: &&Manager| place::program(manager.program).is_some();
    let names = |manager: &Manager| packages.iter().find(|(program, _)| *program == manager.program);
    let found = MANAGERS.iter().filter(known).find_map(|manager| Some((manager, names(manager)?.1)));
    let Some((manager, sets)) = found else {
        return Err(trouble!("{what} is not found, and none of the known package managers."));
    };
    let sudo = manager.wants_root && !is_root();
    if sudo && place::program("sudo").is_none() {
        return Err(trouble!("{what} is not found, and {} needs root or sudo.", manager.program));
    }
    say::doing(&format!("{what} is not found: installing with {}, usually {takes}.", manager.program));
    let watch = Watch::start();
    for set in sets {
        run(manager, set, sudo, may_ask)?;
        if let Some(found) = find() {
            say::doing(&format!("{what} is installed ({}).", watch.text()));
            return Ok(found);
        }
    }
    Err(trouble!("{} did not bring {what} (its words stand above).", manager.program))
}

/// Runs the manager's lines; whether they helped is seen by looking again.
fn run(manager: &Manager, packages: &[&str], sudo: bool, may_ask: bool) -> Result<(), Issue> {
    for (i, words) in manager.before.iter().enumerate() {
        let mut command = Command::new(if sudo { "sudo" } else { manager.program });
        if sudo {
            let silent = !may_ask || !stdin().is_terminal();
            command.args(silent.then_some("-n")).arg(manager.program);
        }
        command.args(*words).env("DEBIAN_FRONTEND", "noninteractive");
        if i + 1 == manager.before.len() {
            command.args(packages);
        }
        say::run(&mut command)?;
    }
    Ok(())
}

fn is_root() -> bool {
    say::first_line(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}
