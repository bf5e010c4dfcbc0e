//! Finds a Chromium and its chromedriver, or installs them through the system's package manager.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::packages::{self, Packages};
use crate::place;
use crate::say::{self, Issue};
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

/// The packages that hold them, by package manager.
const PACKAGES: &[Packages] = &[
    ("apt-get", &[&["chromium", "chromium-driver"], &["chromium-browser", "chromium-chromedriver"]]),
    ("dnf", &[&["chromium", "chromedriver"]]),
    ("pacman", &[&["chromium"]]),
    ("zypper", &[&["chromium", "chromedriver"]]),
    ("apk", &[&["chromium", "chromium-chromedriver"]]),
    ("brew", &[&["chromium", "chromedriver"]]),
];

/// A browser with its driver, installed if need be.
pub fn ensure() -> Result<Browser, Issue> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    let by_hand = "Install Chromium and chromedriver of the same version, or name them in CHROME and CHROMEDRIVER, and try again.";
    packages::install("Chromium with chromedriver", "1 to 3 minutes", PACKAGES, true, &find)
        .map_err(|trouble| trouble!("{trouble} {by_hand}"))
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
pub(crate) fn candidates(variable: &str, names: &[&str], files: &[&str]) -> Vec<PathBuf> {
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
