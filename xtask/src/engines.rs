//! The engines that read data sets of `lanescope tables`: `DuckDB` and `Polars` in `cargo xtask test`, Spark in
//! `cargo xtask test --cluster`. Each is fetched from the Python package index into an environment of its own.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::say::{self, Issue};
use crate::tally::{Steps, Tally, cargo, one, tests};
use crate::{place, trouble};

/// The variable that says of how many traces the made data set is.
const TRACES: &str = "LANESCOPE_TRACES";

/// Asks `DuckDB` and Polars about a made data set; nothing where there is no Python.
pub fn ask(lanescope: &Path) -> Result<Tally, Issue> {
    if !lanescope.is_file() {
        return Err(trouble!("{} is missing, as the native tests were not built.", lanescope.display()));
    }
    let Some(python) = environment("engines", "tests/engines/requirements.txt")? else {
        return Ok(Tally::default());
    };
    run(&python, "tests/engines/run.py", lanescope)
}

/// Runs the jobs of `examples/spark` on a cluster of two executors on this machine, one of which dies.
pub fn cluster() -> Tally {
    let mut steps = Steps::new(2);
    let is_built = steps.run("build of the command line", || {
        one(cargo(&["build", "--release", "--bin", "lanescope", "--package", "lanescope"]))
    });
    steps.run("a Spark cluster of two executors", || {
        if !is_built {
            return Err(trouble!("It could not run, because the command line could not be built."));
        }
        if place::program("java").is_none() && env::var_os("JAVA_HOME").is_none() {
            say::skipping("java is not on PATH, so Spark is not run (apt install openjdk-17-jre-headless).");
            return Ok(Tally::default());
        }
        let Some(python) = environment("cluster", "tests/engines/cluster.txt")? else {
            return Ok(Tally::default());
        };
        run(&python, "tests/engines/cluster.py", &place::target().join("release").join(program()))
    });
    steps.end()
}

/// What the command line is called.
pub fn program() -> String {
    format!("lanescope{}", env::consts::EXE_SUFFIX)
}

fn run(python: &Path, script: &str, lanescope: &Path) -> Result<Tally, Issue> {
    let mut command = Command::new(python);
    command.arg(place::root().join(script)).arg(lanescope).arg(place::target().join("tmp/engines"));
    if let Some(traces) = env::var_os(TRACES) {
        command.arg("--traces").arg(traces);
    }
    tests(&mut command)
}

/// The Python of an environment with these packages, made when it is missing; `None`, and a line, where it cannot be made.
fn environment(name: &str, requirements: &str) -> Result<Option<PathBuf>, Issue> {
    let requirements = place::root().join(requirements);
    let packages = fs::read_to_string(&requirements)
        .map_err(|e| trouble!("{} could not be read: {e}.", requirements.display()))?;
    let packages = packages.split_whitespace().collect::<Vec<_>>().join(", ");
    let folder = place::target().join("tmp").join(format!("python-{name}"));
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let made = folder.join("packages.txt");
    if fs::read_to_string(&made).is_ok_and(|made| made == packages) && python.is_file() {
        return Ok(Some(python));
    }
    let names: &[&str] = if cfg!(windows) { &["python", "python3"] } else { &["python3", "python"] };
    let Some(system) = names.iter().find_map(|name| place::program(name)) else {
        say::skipping(&format!("python3 is not on PATH, so {packages} are not asked about a data set."));
        return Ok(None);
    };
    say::doing(&format!("{packages} are missing: fetching them from PyPI, usually under a minute."));
    let succeeds = |command: &mut Command| say::run(command).is_ok_and(|status| status.success());
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    let is_made = succeeds(Command::new(&system).args(["-m", "venv", "--clear"]).arg(&folder))
        && succeeds(Command::new(&python).args(quiet).arg(&requirements).stdin(Stdio::null()));
    if !is_made {
        say::skipping(&format!(
            "{packages} could not be fetched (why stands above), so they are not asked about a data set."
        ));
        return Ok(None);
    }
    fs::write(&made, packages).map_err(|e| trouble!("{} could not be written: {e}.", made.display()))?;
    Ok(Some(python))
}
