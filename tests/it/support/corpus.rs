//! Real profiles, where they are at hand: `LANESCOPE_CORPUS` names their folder. They are never copied here.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// All files of a folder of an archive, by their names; of the whole archive for an empty name.
pub(crate) fn unpacked(archive: &Path, folder: &str) -> BTreeMap<String, Vec<u8>> {
    // The window of the archive is wider than what the crate unpacks.
    let mut zstd =
        Command::new("zstd").args(["-dc", "--long=27"]).arg(archive).stdout(Stdio::piped()).spawn().unwrap();
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(zstd.stdout.take().unwrap()).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        if let Some((_, name)) = name.split_once(folder).filter(|_| entry.header().entry_type().is_file()) {
            let name = name.to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(name, bytes);
        }
    }
    zstd.wait().unwrap();
    files
}
