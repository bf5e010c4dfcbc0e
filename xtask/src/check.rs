//! `cargo xtask check`: what can be said of a change within two minutes. Formats, lints and those native tests that are about
//! what changed, compiled without optimization.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::say::{self, Issue};
use crate::suite::corpus;
use crate::tally::{Steps, Tally, cargo, one, tests};
use crate::{place, tools, trouble};

/// Rooms that exist for wasm only, as the page of each view and the worker of the engine do.
const WEB: &[&str] = &["browser", "ui", "pane", "page", "bin"];

/// How many damaged files of each format are opened: without optimization each takes long.
const DAMAGED: &str = "100";

/// Tests that are about all files.
const ALWAYS: &[&str] = &["tidy", "dependencies"];

/// What has to be looked at.
#[derive(Debug, Default, Eq, PartialEq)]
struct Plan {
    /// Packages to be linted natively.
    packages: BTreeSet<&'static str>,
    /// Whether something changed that only wasm has.
    is_web: bool,
    /// Modules of `tests/it`; none when nothing there is affected.
    modules: BTreeSet<String>,
    /// Whether a change is about no module of its own, so that all tests are run.
    is_general: bool,
}

/// Checks what changed since the branch left `main`, and what is not committed.
pub fn changes() -> Tally {
    let mut steps = Steps::new(4);
    steps.run("formatting", || {
        tools::component("rustfmt", "fmt")?;
        one(cargo(&["fmt", "--all", "--check"]))
    });
    let plan = changed().and_then(|files| Ok(Plan::of(&files, &modules()?)));
    steps.run("lints, native", || {
        let Plan { packages, .. } = plan.as_ref().map_err(Clone::clone)?;
        if packages.is_empty() {
            return Ok(nothing());
        }
        tools::component("clippy", "clippy")?;
        // Not `--all-targets`, which would look at the library twice.
        let mut command = cargo(&["clippy", "--lib", "--bins", "--tests", "--benches", "--examples"]);
        command.args(packages.iter().flat_map(|package| ["--package", package]));
        one(command.args(["--", "-D", "warnings"]))
    });
    steps.run("lints, wasm", || {
        if !plan.as_ref().map_err(Clone::clone)?.is_web {
            return Ok(nothing());
        }
        tools::wasm_target()?;
        one(cargo(&["clippy", "--target", tools::WASM, "--lib", "--bins", "--", "-D", "warnings"]))
    });
    steps.run("native tests of what changed", || {
        let Plan { packages, modules, is_general, .. } = plan.as_ref().map_err(Clone::clone)?;
        let mut sum = Tally::default();
        if packages.contains("xtask") {
            sum += tests(&mut cargo(&["test", "--profile", "dev", "--package", "xtask"]))?;
        }
        if *is_general || !modules.is_empty() {
            let mut command =
                cargo(&["test", "--profile", "dev", "--package", "lanescope", "--no-fail-fast"]);
            command.envs(corpus()).env("LANESCOPE_MUTATIONS", DAMAGED);
            if !is_general {
                let filters: Vec<String> = modules.iter().map(|module| format!("{module}::")).collect();
                say::doing(&format!("Tests of {}.", filters.join(", ")));
                command.args(["--test", "it", "--"]).args(filters);
            }
            sum += tests(&mut command)?;
        }
        Ok(sum)
    });
    steps.end()
}

fn nothing() -> Tally {
    say::doing("Nothing changed that this is about.");
    Tally::default()
}

impl Plan {
    /// What these files ask for; `modules` are those of `tests/it`.
    fn of(files: &[String], modules: &BTreeSet<String>) -> Self {
        let mut plan = Self::default();
        for file in files {
            let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
            let named = |parts: &[&str]| {
                let known = parts.iter().filter(|part| modules.contains(**part));
                known.map(|part| (*part).to_owned()).collect::<Vec<_>>()
            };
            match parts.as_slice() {
                ["src", room, rest @ ..] => {
                    plan.packages.insert("lanescope");
                    let is_web = WEB.contains(room)
                        || matches!((*room, rest), ("views", [_, "page", ..]) | ("engine", ["worker", ..]));
                    plan.is_web |= is_web;
                    let mut about = named(rest);
                    about.extend(named(&[room]));
                    plan.is_general |= about.is_empty() && !is_web;
                    plan.modules.extend(about);
                    if *room == "systems" {
                        plan.modules.insert("robust".to_owned());
                    }
                    plan.modules.insert("units".to_owned());
                }
                ["tests", "it", "support", ..] | ["Cargo.toml" | "Cargo.lock" | "build"] => {
                    plan.packages.insert("lanescope");
                    plan.is_general = true;
                }
                ["tests", "it", module, ..] => {
                    plan.packages.insert("lanescope");
                    plan.modules.extend(modules.get(*module).cloned());
                }
                ["tests", "fixtures", rest @ ..] => plan.modules.extend(named(rest)),
                ["tests", "browser", ..] => drop(plan.packages.insert("lanescope-browser")),
                ["tests", "fuzz", ..] => drop(plan.packages.insert("lanescope-fuzz")),
                ["tests", "words", ..] => plan.is_general = true,
                ["words", ..] => drop(plan.modules.insert("words".to_owned())),
                ["benches" | "examples", ..] => drop(plan.packages.insert("lanescope")),
                ["xtask", "split", ..] => drop(plan.packages.insert("page-split")),
                ["xtask", ..] => drop(plan.packages.insert("xtask")),
                _ => {}
            }
        }
        if !files.is_empty() {
            plan.modules.extend(ALWAYS.iter().map(|module| (*module).to_owned()));
        }
        plan
    }
}

/// The modules of `tests/it`.
fn modules() -> Result<BTreeSet<String>, Issue> {
    let folder = place::root().join("tests/it");
    let entries =
        fs::read_dir(&folder).map_err(|e| trouble!("{} could not be read: {e}.", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.map(|name| name.trim_end_matches(".rs").to_owned()).filter(|name| name != "main").collect())
}

/// Files that differ from where the branch left `main` (on `main`: from what was published), or are new.
fn changed() -> Result<Vec<String>, Issue> {
    let bases = [["merge-base", "HEAD", "origin/main"], ["merge-base", "HEAD", "main"]];
    let base = bases.iter().find_map(|words| say::first_line(Command::new("git").args(words)));
    let base = base.unwrap_or_else(|| "HEAD".to_owned());
    let mut files = git(&["diff", "--name-only", &base])?;
    files.extend(git(&["ls-files", "--others", "--exclude-standard"])?);
    Ok(files)
}

/// The lines that git prints.
fn git(words: &[&str]) -> Result<Vec<String>, Issue> {
    let output = Command::new("git").args(words).current_dir(place::root()).output();
    let output = output.map_err(|e| trouble!("git could not be started: {e}."))?;
    if !output.status.success() {
        return Err(trouble!("git says: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::Plan;
    use std::collections::BTreeSet;

    fn plan(files: &[&str]) -> Plan {
        let modules = ["lifetimes", "nnapi", "tidy", "units", "robust", "words"].map(str::to_owned);
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        Plan::of(&files, &BTreeSet::from(modules))
    }

    fn modules(plan: &Plan) -> Vec<&str> {
        plan.modules.iter().map(String::as_str).collect()
    }

    #[test]
    fn tests_of_what_changed_are_known_by_its_folders() {
        let view = plan(&["src/views/lifetimes/compute/bins.rs"]);
        assert_eq!(modules(&view), ["dependencies", "lifetimes", "tidy", "units"]);
        assert_eq!((view.is_web, view.is_general), (false, false));
        let page = plan(&["src/views/lifetimes/page/mod.rs", "src/ui/tabs.rs"]);
        assert_eq!((page.is_web, page.is_general), (true, false));
        let system = plan(&["src/systems/android/nnapi/aosp/tree.rs", "tests/fixtures/nnapi/faults.toml"]);
        assert_eq!(modules(&system), ["dependencies", "nnapi", "robust", "tidy", "units"]);
    }

    #[test]
    fn what_is_about_no_test_of_its_own_runs_all_or_none() {
        assert!(plan(&["src/base/number.rs"]).is_general);
        assert!(plan(&["Cargo.toml"]).is_general);
        assert_eq!(plan(&[]), Plan::default());
        let text = plan(&["README.md"]);
        assert!(text.packages.is_empty() && !text.is_web && !text.is_general);
    }
}
