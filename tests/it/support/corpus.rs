//! Real profiles, where they are at hand: `LANESCOPE_CORPUS` names their folder. They are never copied here.

use std::io::Write;
use std::path::PathBuf;

/// A folder of the corpus, or all of it for an empty name. Where there is none the test is skipped, whole or in part: a
/// line says so, which `cargo xtask test` counts.
pub(crate) fn corpus(part: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LANESCOPE_CORPUS").map(|root| PathBuf::from(root).join(part));
    let found = folder.filter(|folder| folder.is_dir());
    if found.is_none() {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        let line = format!("SKIPPED: {test}: LANESCOPE_CORPUS names no folder of real profiles\n");
        // Not `println!`, which is shown for tests that fail only.
        std::io::stdout().write_all(line.as_bytes()).expect("a line can be printed");
    }
    found
}
