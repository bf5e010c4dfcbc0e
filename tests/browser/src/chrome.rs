//! chromedriver on a free port, and how the browser is started.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;

use thirtyfour::{CapabilitiesHelper, ChromeCapabilities, ChromiumLikeCapabilities, DesiredCapabilities};

use crate::Outcome;

/// How the browser is started: nothing that talks to the network by itself, no name but this machine's resolves.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-device-scale-factor=1",
    "--window-size=1280,800",
];

/// A running chromedriver; it ends when this is dropped.
pub struct Chrome {
    process: Child,
    /// Its address for sessions.
    pub address: String,
}

impl Chrome {
    /// Starts the chromedriver that `CHROMEDRIVER` names, or the one on `PATH`. It chooses its port by itself and ends
    /// when somebody else took it in between: then once more.
    pub fn start() -> Outcome<Self> {
        Self::try_start().or_else(|_| Self::try_start())
    }

    fn try_start() -> Outcome<Self> {
        let program = env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let mut command = Command::new(&program);
        command.args(["--port=0", "--log-level=SEVERE"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|e| {
            format!("{} could not be started: {e}. `cargo xtask test` gets it.", program.to_string_lossy())
        })?;
        let out = process.stdout.take().ok_or("chromedriver has no output")?;
        let mut lines = BufReader::new(out).lines();
        // "ChromeDriver was started successfully on port 40123."
        let port = lines.by_ref().find_map(|line| {
            let line = line.ok()?;
            line.rsplit_once(" successfully on port ")?.1.trim_end_matches('.').parse::<u16>().ok()
        });
        thread::spawn(move || lines.for_each(drop)); // it must not block on a full pipe
        let Some(port) = port else {
            let _ = process.kill();
            return Err("chromedriver ended without naming its port".into());
        };
        Ok(Self { process, address: format!("http://127.0.0.1:{port}") })
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a session asks for: our flags and more, the browser that `CHROME` names, and all lines of the console.
pub fn capabilities(more: &[String]) -> Outcome<ChromeCapabilities> {
    let mut wanted = DesiredCapabilities::chrome();
    for flag in FLAGS.iter().copied().chain(more.iter().map(String::as_str)) {
        wanted.add_arg(flag)?;
    }
    if let Some(program) = env::var_os("CHROME") {
        wanted.set_binary(&program.to_string_lossy())?;
    }
    wanted.set("goog:loggingPrefs", serde_json::json!({ "browser": "ALL" }))?;
    Ok(wanted)
}
