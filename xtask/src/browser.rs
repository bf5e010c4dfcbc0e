//! Finds a Chromium and its chromedriver, or installs them through the system's package manager.

use std::env;
use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::place;
use crate::say::{self, Trouble, Watch};
use crate::trouble;

/// A browser and the driver that fits it.
pub struct Browser {
    /// Chromium or Chrome.
    pub chromium: PathBuf,
    /// chromedriver, of the same major version if there is such a pair.
    pub driver: PathBuf,
}

/// Names under which systems install the browser.
const CHROMIUMS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Places beside `PATH`.
const CHROMIUM_FILES: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/snap/bin/chromium",
];
const DRIVER_FILES: &[&str] = &[
    "/usr/lib/chromium/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
    "/usr/lib64/chromium-browser/chromedriver",
    "/snap/bin/chromium.chromedriver",
];

/// A package manager: its program, the words before the packages, ways to name the packages, whether it wants root.
struct Manager {
    program: &'static str,
    before: &'static [&'static [&'static str]],
    packages: &'static [&'static [&'static str]],
    wants_root: bool,
}

const MANAGERS: &[Manager] = &[
    Manager {
        program: "apt-get",
        before: &[&["update", "-q"], &["install", "-q", "-y", "--no-install-recommends"]],
        packages: &[&["chromium", "chromium-driver"], &["chromium-browser", "chromium-chromedriver"]],
        wants_root: true,
    },
    Manager {
        program: "dnf",
        before: &[&["install", "-y"]],
        packages: &[&["chromium", "chromedriver"]],
        wants_root: true,
    },
    Manager {
        program: "pacman",
        before: &[&["-Sy", "--needed", "--noconfirm"]],
        packages: &[&["chromium"]],
        wants_root: true,
    },
    Manager {
        program: "zypper",
        before: &[&["--non-interactive", "install"]],
        packages: &[&["chromium", "chromedriver"]],
        wants_root: true,
    },
    Manager {
        program: "apk",
        before: &[&["add"]],
        packages: &[&["chromium", "chromium-chromedriver"]],
        wants_root: true,
    },
    Manager {
        program: "brew",
        before: &[&["install", "--cask"]],
        packages: &[&["chromium", "chromedriver"]],
        wants_root: false,
    },
];

/// A browser with its driver, installed if need be.
pub fn ensure() -> Result<Browser, Trouble> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    let by_hand = "Install Chromium and chromedriver of the same version, or name them in CHROME and CHROMEDRIVER, and try again.";
    let Some(manager) = MANAGERS.iter().find(|manager| place::program(manager.program).is_some()) else {
        return Err(trouble!(
            "No Chromium with chromedriver is found, and none of the known package managers. {by_hand}"
        ));
    };
    let sudo = manager.wants_root && !is_root();
    if sudo && place::program("sudo").is_none() {
        return Err(trouble!(
            "No Chromium with chromedriver is found, and {} needs root or sudo. {by_hand}",
            manager.program
        ));
    }
    say::doing(&format!(
        "No Chromium with chromedriver is found: installing them with {}, usually 1 to 3 minutes.",
        manager.program
    ));
    let watch = Watch::start();
    for packages in manager.packages {
        install(manager, packages, sudo)?;
        if let Some(browser) = find() {
            say::doing(&format!("Chromium is installed ({}).", watch.text()));
            return Ok(browser);
        }
    }
    Err(trouble!(
        "{} did not bring a Chromium with chromedriver (its words stand above). {by_hand}",
        manager.program
    ))
}

/// Runs the manager's lines; whether they helped is seen by looking for the browser again.
fn install(manager: &Manager, packages: &[&str], sudo: bool) -> Result<(), Trouble> {
    for (i, words) in manager.before.iter().enumerate() {
        let mut command = Command::new(if sudo { "sudo" } else { manager.program });
        if sudo {
            command.args(if stdin().is_terminal() { None } else { Some("-n") }).arg(manager.program);
        }
        command.args(*words).env("DEBIAN_FRONTEND", "noninteractive");
        if i + 1 == manager.before.len() {
            command.args(packages);
        }
        say::run(&mut command)?;
    }
    Ok(())
}

/// The first pair of equal major versions, else the first pair at all.
fn find() -> Option<Browser> {
    let chromiums = candidates("CHROME", CHROMIUMS, CHROMIUM_FILES);
    let runner = env::var_os("CHROMEWEBDRIVER").map(|dir| Path::new(&dir).join("chromedriver")); // GitHub's machines
    let mut drivers = candidates("CHROMEDRIVER", &["chromedriver"], DRIVER_FILES);
    drivers.extend(runner.filter(|path| path.is_file()));
    for chromium in &chromiums {
        let version = major(chromium);
        if let Some(driver) = drivers.iter().find(|driver| version.is_some() && major(driver) == version) {
            return Some(Browser { chromium: chromium.clone(), driver: driver.clone() });
        }
    }
    let (chromium, driver) = (chromiums.into_iter().next()?, drivers.into_iter().next()?);
    say::doing(&format!(
        "{} and {} are not of the same version; trying anyway.",
        chromium.display(),
        driver.display()
    ));
    Some(Browser { chromium, driver })
}

/// What the variable names, or else what stands on `PATH` and in the known places.
fn candidates(variable: &str, names: &[&str], files: &[&str]) -> Vec<PathBuf> {
    if let Some(path) = env::var_os(variable) {
        return vec![path.into()];
    }
    let on_path = names.iter().filter_map(|name| place::program(name));
    let elsewhere = files.iter().map(PathBuf::from).filter(|path| path.is_file());
    on_path.chain(elsewhere).collect()
}

/// `156` of `Chromium 156.0.8078.79 built on …` and of `ChromeDriver 156.0.…`.
fn major(program: &Path) -> Option<String> {
    let line = say::first_line(Command::new(program).arg("--version").stderr(Stdio::null()))?;
    let version = line.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    version.split('.').next().map(str::to_owned)
}

fn is_root() -> bool {
    say::first_line(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}
