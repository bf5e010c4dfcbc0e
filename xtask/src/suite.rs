//! `cargo xtask test`: everything that can be checked; `cargo xtask damage`, which damages more files; and `cargo xtask
//! fuzz`, which makes files up.
//!
//! The page is built, and linted by that, beside the lints and the native tests: both have minutes in which one processor
//! waits. Formats, lints and builds count as one each; test programs count what they report.

use std::env;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::browser::{self, Browser};
use crate::browsers::{self, Told};
use crate::say::{self, Issue, Watch};
use crate::tally::{CORPUS, Steps, Tally, cargo, one, tests};
use crate::{engines, place, tools, trouble};

/// How many damaged files of each format `cargo xtask damage` opens, unless another number is asked for.
pub const DAMAGED: u64 = 1_000_000;

/// How the names of journeys begin that walk over one sample each, or over all where `LANESCOPE_ALL` is set.
const EACH: &str = "each::";

/// Runs all checks and prints the sum as the last line.
pub fn everything() -> Tally {
    let corpus = corpus();
    let mut steps = Steps::new(6);
    steps.run("formatting", || {
        tools::component("rustfmt", "fmt")?;
        one(cargo(&["fmt", "--all", "--check"]))
    });
    // What both sides need is fetched before they part.
    let is_there = tools::component("clippy", "clippy").and_then(|()| tools::wasm_target());
    let page = is_there.clone().and_then(|()| PageBuild::start());
    let browser = thread::spawn(browser::ensure);
    // What clippy says of them it says while they are compiled for the tests, so that nothing is looked at twice.
    let is_clean = steps.run("lints, native", || {
        is_there?;
        // Not `--all-targets`, which would compile the library once more, for tests that it does not have.
        let mut all = native(&["--tests", "--benches", "--examples", "--no-run"]);
        let mut sum = one(tools::linted(&mut all)?)?;
        sum += one(tools::linted(&mut own(&["--all-targets", "--no-run"]))?)?;
        sum += one(tools::linted(browser_tests().arg("--no-run"))?)?;
        Ok(sum)
    });
    // What has a warning is compiled again without clippy, so that its tests still speak.
    let same = |mut command: Command| {
        if is_clean {
            tools::linted(&mut command)?;
        }
        Ok::<Command, Issue>(command)
    };
    steps.run("native tests", || {
        let mut sum = tests(same(native(&["--no-fail-fast"]))?.envs(corpus.clone()))?;
        sum += tests(&mut same(own(&[]))?)?;
        Ok(sum)
    });
    steps.run("engines that read data sets", || {
        engines::ask(&place::target().join("debug").join(engines::program()))
    });
    let built = steps.run("build and lints of the page, which ran beside", || page?.wait());
    steps.run("browser tests of the built page", || {
        if !built {
            return Err(trouble!("They could not run, because the page could not be built."));
        }
        let browser = browser.join().map_err(|_| trouble!("The browser could not be looked for."))??;
        tests(told_where(&mut same(journeys())?, &browser).envs(corpus.clone()))
    });
    steps.end()
}

/// Builds the page and runs the journeys that hold in every browser engine, in one engine after the other; then those that
/// walk over the samples, over all of them.
pub fn browsers() -> Tally {
    let mut steps = Steps::new(5);
    let built = steps.run("build of the page", || {
        tools::wasm_target()?;
        let page = PageBuild::start()?;
        let compiled = one(browser_tests().arg("--no-run"))?;
        let mut sum = page.wait()?;
        sum += compiled;
        Ok(sum)
    });
    let chromium =
        || browser::ensure().map(|found| vec![("CHROME", found.chromium), ("CHROMEDRIVER", found.driver)]);
    let finders: [&dyn Fn() -> Result<Told, Issue>; 3] = [&chromium, &browsers::firefox, &browsers::webkit];
    let names = [("Chromium", "chromium"), ("Firefox", "firefox"), ("WebKitGTK", "webkit")];
    let is_there = || {
        let cannot = || trouble!("It could not run, because the page could not be built.");
        built.then_some(()).ok_or_else(cannot)
    };
    for ((name, word), find) in names.into_iter().zip(finders) {
        steps.run(name, || {
            is_there()?;
            let mut command = engines_journeys();
            command.envs(find()?).env("LANESCOPE_ENGINE", word);
            tests(told_how(&mut command))
        });
    }
    steps.run("all samples, in Chromium", || {
        is_there()?;
        let mut command = journeys();
        command.env("LANESCOPE_ALL", "1").args(["--", EACH]);
        tests(told_where(&mut command, &browser::ensure()?))
    });
    steps.end()
}

/// Damages so many files of each format, and says what came of it. With optimization, as it takes hours.
pub fn damage(n: u64) -> Tally {
    let mut steps = Steps::new(1);
    steps.run(&format!("{n} damaged files of each format"), || {
        let mut command = cargo(&["test", "--profile", "damage", "--test", "it", "--"]);
        command.args(["damaged_files_of_every_format", "damaged_packets"]);
        tests(command.env("LANESCOPE_MUTATIONS", n.to_string()))
    });
    steps.end()
}

/// How many minutes `cargo xtask fuzz` takes for a reader, unless another number is asked for.
pub const FUZZED: u64 = 20;

/// Lets libFuzzer make up files for so many minutes: for one reader, or for each in turn.
pub fn fuzz(reader: Option<&str>, minutes: u64) -> Tally {
    let folder = place::root().join("tests/fuzz");
    let targets = fs::read_dir(folder.join("targets")).into_iter().flatten().flatten();
    let mut readers: Vec<_> =
        targets.filter_map(|e| Some(e.path().file_stem()?.to_str()?.to_owned())).collect();
    readers.sort();
    readers.retain(|name| reader.is_none_or(|reader| reader == name));
    let mut steps = Steps::new(readers.len().try_into().unwrap_or(1));
    for reader in &readers {
        steps.run(&format!("{minutes} minutes of made up files for {reader}"), || {
            tools::fuzzer()?;
            // Without a sanitizer, as nothing of this project is unsafe: twice as many files.
            let mut command = cargo(&["+nightly", "fuzz", "run", "--fuzz-dir", ".", "--sanitizer", "none"]);
            command.args(["--codegen-units", "16", reader, "--", "-timeout=20", "-rss_limit_mb=2048"]);
            command.args(["-max_len=65536", &format!("-max_total_time={}", 60 * minutes)]);
            one(command.current_dir(&folder)) // where the profile is that it builds with
        });
    }
    if readers.is_empty() {
        steps.run("fuzzing", || Err(trouble!("tests/fuzz/targets has no such reader.")));
    }
    steps.end()
}

/// The page that another process of this program builds.
struct PageBuild {
    process: Child,
    /// What it says.
    words: PathBuf,
    watch: Watch,
}

impl PageBuild {
    fn start() -> Result<Self, Issue> {
        let words = scratch().join("page-build.txt");
        let cannot = |e| trouble!("The build of the page could not be started: {e}.");
        fs::create_dir_all(scratch()).map_err(cannot)?;
        let to = File::create(&words).map_err(cannot)?;
        let mut command = Command::new(env::current_exe().map_err(cannot)?);
        command.args(["build", "--for-tests"]).stdin(Stdio::null());
        command.stdout(to.try_clone().map_err(cannot)?).stderr(to);
        say::doing(&format!("The page is built beside; what it says goes to {}.", words.display()));
        Ok(Self { process: command.spawn().map_err(cannot)?, words, watch: Watch::start() })
    }

    fn wait(mut self) -> Result<Tally, Issue> {
        let status = self.process.wait().map_err(|e| trouble!("The build of the page is lost: {e}."))?;
        eprint!("{}", fs::read_to_string(&self.words).unwrap_or_default());
        say::doing(&format!("That ended {} after it began.", self.watch.text()));
        Ok(status.success().into())
    }
}

/// The native tests.
fn native(words: &[&str]) -> Command {
    let mut command = cargo(&["test", "--package", "lanescope"]);
    command.args(words);
    command
}

/// Tests of this program and of what splits the page, with what this program was built of: no package is compiled again.
fn own(words: &[&str]) -> Command {
    let mut command = cargo(&["test", "--profile", "tool", "--package", "xtask", "--package", "page-split"]);
    command.args(words);
    command
}

/// The browser tests. Unoptimized: the browser does the work, and optimizing the driver would take minutes.
fn browser_tests() -> Command {
    cargo(&["test", "--profile", "dev", "--package", "lanescope-browser"])
}

/// Of them, those of everything that the page does, in Chromium.
fn journeys() -> Command {
    let mut command = browser_tests();
    command.args(["--test", "journeys"]);
    command
}

/// Of them, those that hold in every engine.
fn engines_journeys() -> Command {
    let mut command = browser_tests();
    command.args(["--test", "engines"]);
    command
}

/// Tells browser tests where the page is, and how they run.
fn told_how(command: &mut Command) -> &mut Command {
    command.env("LANESCOPE_DIST", place::dist());
    // One more than there are processors: each waits for part of its time.
    command.env("RUST_TEST_THREADS", thread::available_parallelism().map_or(2, |n| n.get() + 1).to_string());
    command.env("RUST_BACKTRACE", "0"); // the stacks of a driver say nothing about the page
    command
}

/// Tells browser tests where everything is.
fn told_where<'a>(command: &'a mut Command, browser: &Browser) -> &'a mut Command {
    command.env("CHROME", &browser.chromium).env("CHROMEDRIVER", &browser.driver);
    told_how(command);
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
pub(crate) fn corpus() -> Option<(&'static str, PathBuf)> {
    if env::var_os(CORPUS).is_some() {
        return None; // the tests inherit it
    }
    let beside = place::root().parent()?.join("shared/corpus");
    beside.is_dir().then_some((CORPUS, beside))
}
