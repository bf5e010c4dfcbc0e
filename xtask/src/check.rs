//! `cargo xtask test`: everything that can be checked, in the order in which it fails fastest.
//!
//! Each step stands for itself: one that fails, or cannot run, does not hide the later ones. Formats, lints and
//! the build count as one each; test programs count what they report.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write, stdout};
use std::ops::AddAssign;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::browser::{self, Browser};
use crate::page::build::{self, For};
use crate::page::shrink;
use crate::say::{self, Issue, Watch};
use crate::{place, tools, trouble};

/// The variable that names the folder of real profiles.
const CORPUS: &str = "LANESCOPE_CORPUS";

/// How many steps there are.
const STEPS: u32 = 7;

/// How many checks passed and failed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Tally {
    /// Checks that passed.
    pub passed: u64,
    /// Checks that failed or could not run.
    pub failed: u64,
    /// Tests over real profiles that had none, and so ran in part or not at all.
    pub without_profiles: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.without_profiles += other.without_profiles;
    }
}

/// Runs all checks and prints the sum as the last line.
pub fn everything() -> Tally {
    let corpus = corpus();
    let mut sum = Tally::default();
    let mut at = 0;
    let mut step = |name: &str, run: &dyn Fn() -> Result<Tally, Issue>| {
        at += 1;
        let tally = timed(&format!("{at} of {STEPS}: {name}"), run);
        sum += tally;
        tally.failed == 0
    };
    step("formatting", &|| {
        tools::component("rustfmt", "fmt")?;
        one(cargo(&["fmt", "--all", "--check"]))
    });
    step("lints, native", &|| {
        tools::component("clippy", "clippy")?;
        one(cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    step("lints, wasm", &|| {
        tools::wasm_target()?;
        tools::component("clippy", "clippy")?;
        let what = ["--lib", "--bins", "--test", "web", "--", "-D", "warnings"];
        one(cargo(&["clippy", "--target", tools::WASM]).args(what))
    });
    step("native tests", &|| {
        let what = ["test", "--workspace", "--exclude", "lanescope-browser", "--no-fail-fast"];
        tests(cargo(&what).envs(corpus.clone()))
    });
    step("wasm tests in the browser", &|| wasm_tests(&browser::ensure()?));
    let built = step("release build of the page", &|| {
        build::page(For::Tests)?;
        Ok(Tally { passed: 1, ..Tally::default() })
    });
    step("browser tests of the built page", &|| {
        if !built {
            return Err(trouble!("They could not run, because the page could not be built."));
        }
        let mut command = journeys(&browser::ensure()?);
        tests(command.envs(corpus.clone()))
    });
    if 0 < sum.without_profiles {
        say::skipping(&format!(
            "{} tests over real profiles, because {CORPUS} names no folder of them.",
            sum.without_profiles
        ));
    }
    println!("{} passed, {} failed", sum.passed, sum.failed);
    sum
}

/// Runs one step between two lines; one that could not run counts as failed.
fn timed(name: &str, run: &dyn Fn() -> Result<Tally, Issue>) -> Tally {
    eprintln!("\n\x1b[1m── {name}\x1b[0m");
    let watch = Watch::start();
    let tally = run().unwrap_or_else(|trouble| {
        eprintln!("\x1b[1;31m{trouble}\x1b[0m");
        Tally { failed: 1, ..Tally::default() }
    });
    let Tally { passed, failed, .. } = tally;
    eprintln!("\x1b[1m── {name}: {passed} passed, {failed} failed, {}\x1b[0m", watch.text());
    tally
}

fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(words).current_dir(place::root()).env("PATH", place::path());
    command
}

/// A program that either succeeds or fails.
fn one(mut command: impl std::borrow::BorrowMut<Command>) -> Result<Tally, Issue> {
    let passed = u64::from(say::run(command.borrow_mut())?.success());
    Ok(Tally { passed, failed: 1 - passed, ..Tally::default() })
}

/// Runs test programs, shows what they print and adds up what they report.
fn tests(command: &mut Command) -> Result<Tally, Issue> {
    let program = command.get_program().to_string_lossy().into_owned();
    let cannot = |e| trouble!("{program} could not be started: {e}.");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    let (mut sum, mut skipped) = (Tally::default(), BTreeSet::new());
    if let Some(out) = child.stdout.take() {
        let mut lines = BufReader::new(out).split(b'\n');
        while let Some(Ok(line)) = lines.next() {
            let _ = stdout().write_all(&line).and_then(|()| stdout().write_all(b"\n"));
            let line = String::from_utf8_lossy(&line);
            if let Some(tally) = reported(&line) {
                sum += tally;
            }
            skipped.extend(skipped_test(&line).map(str::to_owned));
        }
    }
    sum.without_profiles = skipped.len() as u64;
    let status = child.wait().map_err(cannot)?;
    if !status.success() && sum.failed == 0 {
        sum.failed = 1; // it did not compile, or ended before its summary
    }
    Ok(sum)
}

/// The numbers of a line like `test result: ok. 12 passed; 0 failed; 0 ignored; …`, with or without colors.
fn reported(line: &str) -> Option<Tally> {
    let at = line.find("test result: ")?;
    let before = |word: &str| -> Option<u64> {
        let text = &line[at..at + line[at..].find(word)?];
        text.rsplit(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
    };
    Some(Tally { passed: before(" passed")?, failed: before(" failed")?, ..Tally::default() })
}

/// The test that a line like `SKIPPED: lanes::real: LANESCOPE_CORPUS names no folder …` is about. A test says it as often
/// as it looks for a profile, and behind its own name where tests run one after the other.
fn skipped_test(line: &str) -> Option<&str> {
    let (test, why) = line.split_once("SKIPPED: ")?.1.split_once(": ")?;
    why.starts_with(CORPUS).then_some(test)
}

fn wasm_tests(browser: &Browser) -> Result<Tally, Issue> {
    tools::wasm_target()?;
    tools::wasm_bindgen()?;
    let settings = webdriver_settings(browser)?;
    // They are about the page alone: no reader is compiled for them.
    let mut command = cargo(&["test", "--profile", "dev", "--target", tools::WASM, "--test", "web"]);
    command.args(["--no-default-features", "--features", "page"]);
    command.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", settings).env("CHROMEDRIVER", &browser.driver);
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    tests(&mut command)
}

/// `tests/webdriver.json` with the place of the browser added: some drivers would look for another one.
fn webdriver_settings(browser: &Browser) -> Result<PathBuf, Issue> {
    let source = place::root().join("tests/webdriver.json");
    let text =
        fs::read_to_string(&source).map_err(|e| trouble!("{} could not be read: {e}.", source.display()))?;
    let key = "\"goog:chromeOptions\": {";
    let binary = browser.chromium.display().to_string().replace('\\', "\\\\");
    let text = text.replacen(key, &format!("{key} \"binary\": \"{binary}\","), 1);
    let path = scratch().join("webdriver.json");
    let written = fs::create_dir_all(scratch()).and_then(|()| fs::write(&path, text));
    written.map_err(|e| trouble!("{} could not be written: {e}.", path.display()))?;
    Ok(path)
}

/// The browser tests, told where everything is.
fn journeys(browser: &Browser) -> Command {
    // Unoptimized: the browser does the work, and optimizing the driver would take minutes.
    let mut command = cargo(&["test", "--profile", "dev", "--package", "lanescope-browser"]);
    command.env("CHROME", &browser.chromium).env("CHROMEDRIVER", &browser.driver);
    command.env("LANESCOPE_DIST", place::dist());
    if shrink::has_all() {
        command.env("LANESCOPE_SMALL", "1");
    }
    command.env("RUST_BACKTRACE", "0"); // the stacks of a driver say nothing about the page
    if let Some(axe) = axe() {
        command.env("LANESCOPE_AXE", axe);
    }
    command
}

/// The script of axe-core, fetched through npm where there is one.
fn axe() -> Option<PathBuf> {
    let dir = scratch().join(format!("axe-core-{}", place::AXE_VERSION));
    let script = dir.join("node_modules/axe-core/axe.min.js");
    if script.is_file() {
        return Some(script);
    }
    let Some(npm) = place::program(if cfg!(windows) { "npm.cmd" } else { "npm" }) else {
        say::skipping("npm is not on PATH, so axe-core does not check the page for accessibility.");
        return None;
    };
    say::doing(&format!("axe-core {} is missing: fetching it with npm, some seconds.", place::AXE_VERSION));
    let mut install = Command::new(npm);
    install
        .args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(&dir);
    install.arg(format!("axe-core@{}", place::AXE_VERSION)).stdout(Stdio::null());
    let fetched = say::run(&mut install).is_ok_and(|status| status.success()) && script.is_file();
    if !fetched {
        say::skipping(
            "npm could not fetch axe-core (its words stand above), so it does not check the page for accessibility.",
        );
    }
    fetched.then_some(script)
}

/// Where files that only tests need are kept.
fn scratch() -> PathBuf {
    place::target().join("tmp")
}

/// The folder of real profiles beside the project, for tests that read them, unless the variable names one.
fn corpus() -> Option<(&'static str, PathBuf)> {
    if env::var_os(CORPUS).is_some() {
        return None; // the tests inherit it
    }
    let beside = place::root().parent()?.join("shared/corpus");
    beside.is_dir().then_some((CORPUS, beside))
}

#[cfg(test)]
mod tests {
    use super::{Tally, reported, skipped_test};

    #[test]
    fn the_summary_of_a_test_program_is_read() {
        let tally = |passed, failed| Some(Tally { passed, failed, ..Tally::default() });
        let plain =
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.05s";
        assert_eq!(reported(plain), tally(12, 0));
        let colored = "test result: \u{1b}[31mFAILED\u{1b}[0m. 3 passed; 14 failed; 0 ignored";
        assert_eq!(reported(colored), tally(3, 14));
        assert_eq!(reported("test lanes::nest ... ok"), None);
    }

    #[test]
    fn a_test_without_real_profiles_is_known_by_its_line() {
        let line = "SKIPPED: area::corpus::sums: LANESCOPE_CORPUS names no folder of real profiles";
        assert_eq!(skipped_test(line), Some("area::corpus::sums"));
        assert_eq!(skipped_test(&format!("test area::corpus::sums ... {line}")), Some("area::corpus::sums"));
        assert_eq!(skipped_test("!!! SKIPPED: npm is not on PATH"), None);
        assert_eq!(skipped_test("test area::corpus::sums ... ok"), None);
    }
}
