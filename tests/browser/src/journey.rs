//! One journey from start to end: server, browser, what the journey does, what holds for all of them.

use std::env;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;

use xtask::server::Offer;

use crate::driver::Driver;
use crate::engine::Engine;
use crate::page::Keeps;
use crate::{Outcome, Page};

/// How many browsers there may be at a time, at most: with more, none would be faster.
const MOST: usize = 4;

/// Places of browsers that are taken, and whoever waits for one.
static TAKEN: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// The driver of all Chromiums, while anybody has one or waits for it.
static DRIVER: Mutex<Weak<Driver>> = Mutex::new(Weak::new());

/// A place among the browsers; free again when this is dropped.
struct Turn;

impl Turn {
    fn take() -> Self {
        // One more than there are processors: each waits for part of its time.
        let all = thread::available_parallelism().map_or(1, |n| n.get() + 1).min(MOST);
        let taken = TAKEN.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken =
            TAKEN.1.wait_while(taken, |taken| all <= *taken).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TAKEN.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        TAKEN.1.notify_one();
    }
}

/// The driver that runs already, or a new one.
fn driver(engine: Engine) -> Outcome<Arc<Driver>> {
    if !engine.shares_driver() {
        return Driver::start(engine).map(Arc::new);
    }
    let mut driver = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = driver.upgrade() {
        return Ok(running);
    }
    let new = Arc::new(Driver::start(engine)?);
    *driver = Arc::downgrade(&new);
    Ok(new)
}

/// Runs a journey in a fresh browser. Fails when it panics, ends in an error, or leaves something in the console
/// or a request to another origin behind; then a picture of the page is kept and named.
pub fn journey(walk: impl AsyncFnOnce(&Page) -> Outcome) {
    run(Asks::default(), walk);
}

/// A journey in a browser that keeps the page, for use without a network, and its samples: in others that would be most of
/// what the server and the browser do.
pub fn journey_kept(walk: impl AsyncFnOnce(&Page) -> Outcome) {
    run(Asks { keeps: Keeps::Page, ..Asks::default() }, walk);
}

/// A journey of which the browser records every request of every page, frame and worker: what was asked for is handed to
/// `judge` at the end. One to another origin is an error. The browser keeps the page.
pub fn journey_recorded(walk: impl AsyncFnOnce(&Page) -> Outcome, judge: impl FnOnce(&[String])) {
    let name = thread::current().name().unwrap_or("journey").replace("::", "-");
    let record = scratch().join("journeys").join(format!("{name}.netlog.json"));
    let _ = std::fs::create_dir_all(scratch().join("journeys"));
    let page = run(Asks { keeps: Keeps::Page, record: Some(&record), ..Asks::default() }, walk);
    let asked = recorded(&record).unwrap_or_else(|e| panic!("{}: {e}", record.display()));
    page.are_ours(&asked).unwrap_or_else(|e| panic!("{e}"));
    judge(&asked);
}

/// Addresses that pages asked for, of a record of the browser: one event in each line. What the browser asks for itself
/// has no origin.
fn recorded(record: &Path) -> Outcome<Vec<String>> {
    let text = std::fs::read_to_string(record)?;
    let mut asked = Vec::new();
    for line in text.lines() {
        let Ok(event) = serde_json::from_str::<serde_json::Value>(line.trim_end_matches(',')) else {
            continue;
        };
        let of = |name: &str| Some(event.get("params")?.get(name)?.as_str()?.to_owned());
        if let (Some(from), Some(url)) = (of("initiator"), of("url"))
            && from != "not an origin"
        {
            asked.push(url);
        }
    }
    Ok(asked)
}

/// A journey in an engine, with files that are served beside the page. The browser keeps the page.
pub fn journey_in(engine: Engine, offers: Vec<Offer>, walk: impl AsyncFnOnce(&Page) -> Outcome) {
    run(Asks { engine, keeps: Keeps::Page, offers, ..Asks::default() }, walk);
}

/// What a journey asks for beside a page.
struct Asks<'a> {
    engine: Engine,
    keeps: Keeps,
    record: Option<&'a Path>,
    offers: Vec<Offer>,
}

impl Default for Asks<'_> {
    fn default() -> Self {
        Self { engine: Engine::Chromium, keeps: Keeps::Nothing, record: None, offers: Vec::new() }
    }
}

fn run(asks: Asks<'_>, walk: impl AsyncFnOnce(&Page) -> Outcome) -> Page {
    let Asks { engine, keeps, record, offers } = asks;
    // Before the turn, so that the driver is there for whoever waits.
    let driver = driver(engine).unwrap_or_else(|trouble| panic!("{trouble}"));
    let _turn = Turn::take();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap_or_else(|e| panic!("tokio could not start: {e}"));
    let flags: Vec<_> = record.iter().map(|path| format!("--log-net-log={}", path.display())).collect();
    let page = runtime
        .block_on(Page::new(&driver, &flags, keeps, offers))
        .unwrap_or_else(|e| panic!("the browser could not start: {e}"));
    let walked = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            walk(&page).await?;
            page.is_clean().await
        })
    }));
    if !matches!(walked, Ok(Ok(()))) {
        runtime.block_on(tell(&page));
    }
    runtime.block_on(page.close());
    match walked {
        Ok(Ok(())) => page,
        Ok(Err(error)) => panic!("{error}"),
        Err(panic) => resume_unwind(panic),
    }
}

/// Says what can be seen of a failed journey.
async fn tell(page: &Page) {
    let name = thread::current().name().unwrap_or("journey").replace("::", "-");
    let path = scratch().join("journeys").join(format!("{name}.png"));
    let kept = path.parent().map(std::fs::create_dir_all).transpose().is_ok()
        && page.keep_picture(&path).await.is_ok();
    if kept {
        println!("picture: {}", path.display());
    }
    if let Ok(address) = page.address().await {
        println!("address: {address}");
    }
    println!("state: {}", page.state().await.unwrap_or_default());
    for line in page.console().await.unwrap_or_default() {
        println!("console: {line}");
    }
}

/// Where files that only tests need are kept.
pub fn scratch() -> PathBuf {
    xtask::place::target().join("tmp")
}

/// The folder of real profiles, when the variable names one. Else the test is skipped: a line says so, which
/// `cargo xtask test` counts.
pub fn corpus() -> Option<PathBuf> {
    let folder = env::var_os("LANESCOPE_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        tell_anyway("LANESCOPE_CORPUS names no folder of real profiles");
    }
    folder
}

/// Says what a journey does not do in an engine.
pub fn left_out(what: &str) {
    tell_anyway(&format!("left out is {what}"));
}

/// Prints a line for a test that passes, too.
fn tell_anyway(words: &str) {
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("SKIPPED: {test}: {words}\n");
    // Not `println!`, which is shown for tests that fail only. Where it cannot be printed nobody looks.
    let _ = std::io::stdout().write_all(line.as_bytes());
}
