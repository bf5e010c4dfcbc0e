//! One journey from start to end: server, browser, what the journey does, what holds for all of them.

use std::env;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::chrome::Chrome;
use crate::{Outcome, Page};

/// Browsers share the processors with what they measure, so there is one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs a journey in a fresh browser. Fails when it panics, ends in an error, or leaves something in the console
/// or a request to another origin behind; then a picture of the page is kept and named.
pub fn journey(walk: impl AsyncFnOnce(&Page) -> Outcome) {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap_or_else(|e| panic!("tokio could not start: {e}"));
    let chrome = Chrome::start().unwrap_or_else(|trouble| panic!("{trouble}"));
    let page =
        runtime.block_on(Page::new(&chrome)).unwrap_or_else(|e| panic!("the browser could not start: {e}"));
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
    drop(chrome);
    match walked {
        Ok(Ok(())) => {}
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
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        let line = format!("SKIPPED: {test}: LANESCOPE_CORPUS names no folder of real profiles\n");
        // Not `println!`, which is shown for tests that fail only. Where it cannot be printed nobody looks.
        let _ = std::io::stdout().write_all(line.as_bytes());
    }
    folder
}
