//! The programs that drive browsers, and how each browser is started.
//!
//! chromedriver and geckodriver choose their port and say it. `WebKit`'s driver is given one, and a display of its own: its
//! browser has no way to run without.

use std::env;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use thirtyfour::{
    Capabilities, CapabilitiesHelper, ChromeCapabilities, ChromiumLikeCapabilities, DesiredCapabilities,
};
use xtask::server;

use crate::Outcome;
use crate::engine::Engine;

/// How Chromium is started: nothing that talks to the network by itself, no name but this machine's resolves.
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

/// How long a driver may take until it listens.
const START: Duration = Duration::from_mins(1);

/// A process that ends when this is dropped, with all that it started: a driver that is killed leaves its browser behind.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let below = started_by(self.0.id());
        let _ = self.0.kill();
        let _ = self.0.wait();
        if !below.is_empty() {
            let ids = below.iter().map(u32::to_string);
            let mut command = Command::new("kill");
            let _ = command.arg("-KILL").args(ids).stderr(Stdio::null()).status(); // some end with others
        }
    }
}

/// The processes that a process started, and those that these started; none where `ps` is not there.
fn started_by(id: u32) -> Vec<u32> {
    let output = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let pair = |line: &str| {
        let mut words = line.split_whitespace().map(str::parse::<u32>);
        Some((words.next()?.ok()?, words.next()?.ok()?))
    };
    let all: Vec<(u32, u32)> = text.lines().filter_map(pair).collect();
    let (mut found, mut at) = (vec![id], 0);
    while let Some(parent) = found.get(at).copied() {
        found.extend(all.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child));
        at += 1;
    }
    found.split_off(1)
}

/// A running driver; it ends when this is dropped.
pub struct Driver {
    _process: Running,
    /// Ends after the driver, whose browser is seen on it.
    _display: Option<Running>,
    /// The engine that it drives.
    pub engine: Engine,
    /// Its address for sessions.
    pub address: String,
}

impl Driver {
    /// Starts the driver of an engine: the one that its variable names, or the one on `PATH`. Somebody else may take its
    /// port in between: then once more.
    pub fn start(engine: Engine) -> Outcome<Self> {
        Self::try_start(engine).or_else(|_| Self::try_start(engine))
    }

    fn try_start(engine: Engine) -> Outcome<Self> {
        let (variable, name) = engine.driver();
        let program = env::var_os(variable).unwrap_or_else(|| name.into());
        let mut command = Command::new(&program);
        let cannot = |e: std::io::Error| {
            format!("{} could not be started: {e}. `cargo xtask test --engines` gets it.", program.display())
        };
        let (process, display, port) = match engine {
            Engine::Chromium => {
                let mut process = spawn(command.args(["--port=0", "--log-level=SEVERE"])).map_err(cannot)?;
                // "ChromeDriver was started successfully on port 40123."
                let port = said(&mut process, " successfully on port ")?;
                (process, None, port)
            }
            Engine::Firefox => {
                let mut process = spawn(command.args(["--port=0", "--websocket-port=0"])).map_err(cannot)?;
                // "1764322000000	geckodriver	INFO	Listening on 127.0.0.1:40123"
                let port = said(&mut process, "Listening on 127.0.0.1:")?;
                (process, None, port)
            }
            Engine::WebKit => {
                let (display, number) = display()?;
                let port = server::bind(0)?.local_addr()?.port();
                command.arg(format!("--port={port}")).env("DISPLAY", format!(":{number}"));
                let mut process = spawn(&mut command).map_err(cannot)?;
                listens(&mut process, port)?;
                (process, Some(display), port)
            }
        };
        let address = format!("http://127.0.0.1:{port}");
        Ok(Self { _process: process, _display: display, engine, address })
    }
}

/// Starts a program whose output is read.
fn spawn(command: &mut Command) -> std::io::Result<Running> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map(Running)
}

/// The number that a program says after some words.
fn said<T: std::str::FromStr>(process: &mut Running, words: &str) -> Outcome<T> {
    let out: ChildStdout = process.0.stdout.take().ok_or("the driver has no output")?;
    let mut lines = BufReader::new(out).lines();
    let number = lines.by_ref().find_map(|line| {
        let line = line.ok()?;
        let at = line.find(words)? + words.len();
        line[at..].trim_end_matches('.').parse().ok()
    });
    thread::spawn(move || lines.for_each(drop)); // it must not block on a full pipe
    number.ok_or_else(|| "a driver ended without naming its port".into())
}

/// Waits until a program takes connections.
fn listens(process: &mut Running, port: u16) -> Outcome {
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if let Some(status) = process.0.try_wait()? {
            return Err(format!("a driver ended with {status}").into());
        }
        if START < began.elapsed() {
            return Err("a driver does not listen".into());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// A display that nobody sees, and its number.
fn display() -> Outcome<(Running, u32)> {
    let mut command = Command::new("Xvfb");
    command.args(["-displayfd", "1", "-screen", "0", "1280x1000x24", "-nolisten", "tcp"]);
    let mut process = spawn(&mut command)
        .map_err(|e| format!("Xvfb could not be started: {e}. `cargo xtask test --engines` gets it."))?;
    let number = said(&mut process, "")?;
    Ok((process, number))
}

/// What a session of an engine asks for; with further flags for Chromium.
pub fn capabilities(engine: Engine, flags: &[String]) -> Outcome<Capabilities> {
    match engine {
        Engine::Chromium => chromium(flags).map(Into::into),
        Engine::Firefox => firefox(),
        Engine::WebKit => webkit(),
    }
}

/// Our flags and more, the browser that `CHROME` names, and all lines of the console.
fn chromium(more: &[String]) -> Outcome<ChromeCapabilities> {
    let mut wanted = DesiredCapabilities::chrome();
    for flag in FLAGS.iter().copied().chain(more.iter().map(String::as_str)) {
        wanted.add_arg(flag)?;
    }
    if let Some(program) = env::var_os("CHROME") {
        wanted.set_binary(&program.to_string_lossy())?;
    }
    wanted.set("goog:loggingPrefs", json!({ "browser": "ALL" }))?;
    Ok(wanted)
}

/// The browser that `FIREFOX` names, with `WebDriver` `BiDi`, which tells of the console. The window is larger than the
/// page in it.
fn firefox() -> Outcome<Capabilities> {
    let prefs = json!({
        // Nothing but the page asks the network, as far as the driver has not seen to it.
        "network.dns.disablePrefetch": true,
        "network.captive-portal-service.enabled": false,
        "network.connectivity-service.enabled": false,
        // As many colors and pixels as elsewhere.
        "layout.css.devPixelsPerPx": "1.0",
    });
    let mut options = json!({ "args": ["-headless", "--width=1280", "--height=886"], "prefs": prefs });
    if let Some(program) = env::var_os("FIREFOX") {
        options["binary"] = json!(program.to_string_lossy());
    }
    let mut wanted = Capabilities::new();
    wanted.set("browserName", "firefox")?;
    wanted.set("webSocketUrl", true)?;
    wanted.set("moz:firefoxOptions", options)?;
    Ok(wanted)
}

/// The browser that `MINIBROWSER` names, or the one that comes with the library.
fn webkit() -> Outcome<Capabilities> {
    let program = env::var_os("MINIBROWSER").map(PathBuf::from).or_else(xtask::browsers::minibrowser);
    let program =
        program.ok_or("WebKit's MiniBrowser is not found. `cargo xtask test --engines` gets it.")?;
    let mut wanted = Capabilities::new();
    let options = json!({ "binary": program.to_string_lossy(), "args": ["--automation"] });
    wanted.set("webkitgtk:browserOptions", options)?;
    Ok(wanted)
}
