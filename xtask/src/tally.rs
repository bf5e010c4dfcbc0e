//! What steps of `cargo xtask check` and `cargo xtask test` count: checks that passed and failed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write, stdout};
use std::ops::AddAssign;
use std::process::{Command, Stdio};

use crate::say::{self, Issue, Watch};
use crate::{place, trouble};

/// The variable that names the folder of real profiles.
pub const CORPUS: &str = "LANESCOPE_CORPUS";

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

impl From<bool> for Tally {
    fn from(has_passed: bool) -> Self {
        Self { passed: has_passed.into(), failed: (!has_passed).into(), ..Self::default() }
    }
}

/// Steps that are told one after the other. Each stands for itself: one that fails, or cannot run, does not hide the later
/// ones.
pub struct Steps {
    at: u32,
    of: u32,
    watch: Watch,
    /// All steps so far.
    pub sum: Tally,
}

impl Steps {
    /// So many steps, none done.
    pub fn new(of: u32) -> Self {
        Self { at: 0, of, watch: Watch::start(), sum: Tally::default() }
    }

    /// Runs a step between two lines; one that could not run counts as failed. Returns whether nothing failed.
    pub fn run(&mut self, name: &str, run: impl FnOnce() -> Result<Tally, Issue>) -> bool {
        self.at += 1;
        let name = format!("{} of {}: {name}", self.at, self.of);
        eprintln!("\n\x1b[1m── {name} ({} so far)\x1b[0m", self.watch.text());
        let watch = Watch::start();
        let tally = run().unwrap_or_else(|trouble| {
            eprintln!("\x1b[1;31m{trouble}\x1b[0m");
            Tally { failed: 1, ..Tally::default() }
        });
        let Tally { passed, failed, .. } = tally;
        eprintln!("\x1b[1m── {name}: {passed} passed, {failed} failed, {}\x1b[0m", watch.text());
        self.sum += tally;
        failed == 0
    }

    /// Prints the sum as the last line.
    pub fn end(self) -> Tally {
        let Tally { passed, failed, without_profiles } = self.sum;
        if 0 < without_profiles {
            say::skipping(&format!(
                "{without_profiles} tests over real profiles, because {CORPUS} names no folder of them."
            ));
        }
        eprintln!("\n{}", self.watch.text());
        println!("{passed} passed, {failed} failed");
        self.sum
    }
}

/// Cargo in the project's folder.
pub fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(words).current_dir(place::root()).env("PATH", place::path());
    if place::is_ci() {
        // Kept for a second build, and written for a debugger: neither comes there.
        command.env("CARGO_INCREMENTAL", "0");
        command.envs(["DEV", "TEST"].map(|profile| (format!("CARGO_PROFILE_{profile}_DEBUG"), "0")));
    }
    command
}

/// A program that either succeeds or fails.
pub fn one(mut command: impl std::borrow::BorrowMut<Command>) -> Result<Tally, Issue> {
    Ok(say::run(command.borrow_mut())?.success().into())
}

/// Runs test programs, shows what they print and adds up what they report.
pub fn tests(command: &mut Command) -> Result<Tally, Issue> {
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
