//! Finds the browsers beside Chromium, with their drivers: Firefox with geckodriver, and `WebKitGTK` with its own, which
//! needs a display. What is missing comes through the system's package manager, geckodriver through Cargo.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::packages::{self, Packages};
use crate::say::Issue;
use crate::{browser, place, tools, trouble};

/// The folders of libraries that a `MiniBrowser` may lie in, some of them in folders of their own.
const LIBRARIES: &[&str] = &["/usr/lib", "/usr/lib64", "/usr/libexec"];

const FIREFOXES: &[&str] = &["firefox-esr", "firefox"];
const FIREFOX_FILES: &[&str] = &["/Applications/Firefox.app/Contents/MacOS/firefox", "/snap/bin/firefox"];
const FIREFOX_PACKAGES: &[Packages] = &[
    ("apt-get", &[&["firefox-esr"], &["firefox"]]),
    ("dnf", &[&["firefox"]]),
    ("pacman", &[&["firefox"]]),
    ("zypper", &[&["MozillaFirefox"]]),
    ("apk", &[&["firefox-esr"], &["firefox"]]),
];

/// Debian and its kin have `WebKitGTK`'s driver in a package, others beside the library.
const WEBKIT_PACKAGES: &[Packages] = &[
    ("apt-get", &[&["webkit2gtk-driver", "xvfb"]]),
    ("dnf", &[&["webkit2gtk4.1", "xorg-x11-server-Xvfb"]]),
    ("pacman", &[&["webkit2gtk-4.1", "xorg-server-xvfb"]]),
];

/// A browser and its driver, as variables that tests of the page read.
pub type Told = Vec<(&'static str, PathBuf)>;

/// Firefox with geckodriver, installed if need be.
pub fn firefox() -> Result<Told, Issue> {
    let find = || browser::candidates("FIREFOX", FIREFOXES, FIREFOX_FILES).into_iter().next();
    let by_hand = "Install Firefox, or name it in FIREFOX, and try again.";
    let firefox = match find() {
        Some(found) => found,
        None => packages::install("Firefox", "1 to 3 minutes", FIREFOX_PACKAGES, true, &find)
            .map_err(|trouble| trouble!("{trouble} {by_hand}"))?,
    };
    let runner = env::var_os("GECKOWEBDRIVER").map(|dir| Path::new(&dir).join("geckodriver")); // GitHub's machines
    let mut drivers = browser::candidates("GECKODRIVER", &["geckodriver"], &[]);
    drivers.extend(runner.filter(|path| path.is_file()));
    let driver = match drivers.into_iter().next() {
        Some(found) => found,
        None => tools::geckodriver()?,
    };
    Ok(vec![("FIREFOX", firefox), ("GECKODRIVER", driver)])
}

/// `WebKitGTK`'s small browser with its driver, and Xvfb, installed if need be.
pub fn webkit() -> Result<Told, Issue> {
    let by_hand = "Install WebKitGTK with WebKitWebDriver and MiniBrowser, and Xvfb, and try again.";
    match find_webkit() {
        Some(found) => Ok(found),
        None => packages::install(
            "WebKitGTK with its driver",
            "1 to 3 minutes",
            WEBKIT_PACKAGES,
            true,
            &find_webkit,
        )
        .map_err(|trouble| trouble!("{trouble} {by_hand}")),
    }
}

fn find_webkit() -> Option<Told> {
    place::program("Xvfb")?;
    let driver = browser::candidates("WEBKITDRIVER", &["WebKitWebDriver"], &[]).into_iter().next()?;
    let browser = env::var_os("MINIBROWSER").map(PathBuf::from).or_else(minibrowser)?;
    Some(vec![("MINIBROWSER", browser), ("WEBKITDRIVER", driver)])
}

/// The browser that comes with `WebKitGTK`: for GTK 3, or else for GTK 4.
pub fn minibrowser() -> Option<PathBuf> {
    let below = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    // `/usr/lib/webkit2gtk-4.1`, `/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1`
    let folders = LIBRARIES.iter().flat_map(|library| {
        let one = below(Path::new(library));
        let of_machine = one.iter().filter(|path| path.to_string_lossy().ends_with("-linux-gnu"));
        let two: Vec<_> = of_machine.flat_map(|path| below(path)).collect();
        [one, two].concat()
    });
    let is_webkit =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("webkit"));
    folders.filter(is_webkit).map(|folder| folder.join("MiniBrowser")).find(|path| path.is_file())
}
