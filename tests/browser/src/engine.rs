//! The browser engines that journeys run in, and what a driver cannot do in one of them.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use xtask::page::{assemble, offline};

use crate::journey::scratch;
use crate::{Outcome, page};

/// The variable that names the engine of `engines`.
const ENGINE: &str = "LANESCOPE_ENGINE";

/// A browser engine with its driver.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Engine {
    /// Chromium by chromedriver, with its own developer protocol beside it.
    Chromium,
    /// Firefox by geckodriver, with `WebDriver` `BiDi` beside it.
    Firefox,
    /// `WebKitGTK`'s `MiniBrowser` by its driver, which speaks classic `WebDriver` alone.
    WebKit,
}

impl Engine {
    /// The one that the variable names; Chromium where it is not set.
    pub fn asked() -> Self {
        match env::var(ENGINE).as_deref() {
            Err(_) | Ok("chromium") => Self::Chromium,
            Ok("firefox") => Self::Firefox,
            Ok("webkit") => Self::WebKit,
            Ok(other) => panic!("{ENGINE} is {other}: it may be chromium, firefox or webkit"),
        }
    }

    /// The variable that names its driver, and what the driver is called.
    pub(crate) fn driver(self) -> (&'static str, &'static str) {
        match self {
            Self::Chromium => ("CHROMEDRIVER", "chromedriver"),
            Self::Firefox => ("GECKODRIVER", "geckodriver"),
            Self::WebKit => ("WEBKITDRIVER", "WebKitWebDriver"),
        }
    }

    /// Whether one driver has several browsers at a time.
    pub(crate) fn shares_driver(self) -> bool {
        self == Self::Chromium
    }

    /// Whether its driver turns the wheel while a key is held. `WebKit`'s forgets the key, and turns the wheel once more in
    /// each pause that follows.
    pub fn turns_wheel_with_keys(self) -> bool {
        self != Self::WebKit
    }

    /// Whether its driver tells what the console says. `WebKit`'s does not: errors are heard by a script in the page.
    pub(crate) fn tells_console(self) -> bool {
        self != Self::WebKit
    }
}

/// A script of [`listening`].
const HEAR: &str = "before.js";

/// Keeps errors over reloads.
const LISTEN: &str = "localStorage.setItem('lanescope.tour', 'seen');
(() => {
    const hear = (text) => {
        const heard = JSON.parse(sessionStorage.getItem('heard') ?? '[]');
        sessionStorage.setItem('heard', JSON.stringify([...heard, String(text)]));
    };
    addEventListener('error', (event) => hear(event.message || `no ${event.target.src || event.target.href}`), true);
    addEventListener('unhandledrejection', (event) => hear(event.reason));
    addEventListener('securitypolicyviolation', (event) => hear(`${event.violatedDirective}: ${event.blockedURI}`));
    const error = console.error;
    console.error = (...said) => { hear(said.join(' ')); error.apply(console, said); };
})();
";

/// The lines that [`listening`] heard.
pub(crate) const HEARD: &str = "return JSON.parse(sessionStorage.getItem('heard') ?? '[]')";

/// A copy of the page that hears of its errors by itself, for a driver that tells nothing of the console: a script stands
/// before its own. The list of what a browser keeps is written anew.
pub(crate) fn listening() -> Outcome<PathBuf> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = MADE.get_or_init(|| listening_in(&scratch().join("listening")).map_err(|e| e.to_string()));
    made.clone().map_err(Into::into)
}

fn listening_in(to: &Path) -> Outcome<PathBuf> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    assemble::copy(&page::dist(), to)?;
    let index = to.join("index.html");
    let html = std::fs::read_to_string(&index)?;
    let (before, after) = html.split_once("<base href=\"./\">").ok_or("the page names no base")?;
    let with = format!("{before}<base href=\"./\"><script src=\"{HEAR}\"></script>{after}");
    std::fs::write(&index, with)?;
    std::fs::write(to.join(HEAR), LISTEN)?;
    let build = html.split_once("name=\"lanescope-build\" content=\"").ok_or("the page names no build")?.1;
    let (build, _) = build.split_once('"').ok_or("the build has no end")?;
    offline::write_worker(to, build, true)?;
    Ok(to.to_owned())
}
