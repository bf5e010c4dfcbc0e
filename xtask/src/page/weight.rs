//! What the built page weighs: each program and each part of one, as it is and as hosts send it; and whether that is more
//! than it may be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::seal::{entries, files};
use super::{offline, shrink};
use crate::place;
use crate::say::{self, Issue};
use crate::trouble;

/// Prints the sizes of the files given: raw, gzip and brotli.
const SIZES: &str = "const z = require('zlib'), fs = require('fs');
for (const path of process.argv.slice(1)) {
  const bytes = fs.readFileSync(path);
  console.log(bytes.length, z.gzipSync(bytes, { level: 9 }).length, z.brotliCompressSync(bytes).length);
}";

/// What is limited, in bytes. All but the programs are limited as GitHub Pages sends them, in gzip.
const LIMITS: [(&str, u64); 7] = [
    // The page, its worker and the part that reads operators: on a slow line, seconds.
    ("page, worker and the part that reads operators", 2_200_000),
    // And what the view that comes first needs, on both sides, with all that parts share.
    ("until the overview of an operator is seen", 2_870_000),
    // And figures.
    ("until its details are seen", 3_520_000),
    ("the largest part that is loaded later", 700_000),
    ("the translations of a language", 180_000),
    // Its list of files with their hashes above all; asked for when all else is there.
    ("the service worker", 8_000),
    ("all programs, unpacked", 13_400_000),
];

/// In the names of the parts that the overview needs, of the page and of the worker, and what details need beside them.
const OF_OVERVIEW: [&str; 2] = ["split_overview", "chunk_"];
const OF_DETAILS: [&str; 2] = ["split_texts", "split_figures"];

/// Prints the table, and judges it. Packing is node's: without it there are only the sizes as they are.
///
/// # Errors
/// When the folder cannot be read, or the page is heavier than it may be.
pub fn table(dir: &Path) -> Result<(), Issue> {
    let all = sent(dir)?;
    let packed = place::program("node")
        .and_then(|node| Command::new(node).arg("-e").arg(SIZES).args(&all).output().ok())
        .map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).into_owned());
    let packed: Vec<Vec<u64>> =
        packed.lines().map(|line| line.split(' ').filter_map(|n| n.parse().ok()).collect()).collect();
    let row = |name: &str, sizes: &[u64]| {
        let cells: Vec<_> = sizes.iter().map(|n| format!("{:>10}", (n + 500) / 1000)).collect();
        eprintln!("  {name:<40}{}", cells.concat());
    };
    let heads = ["raw kB", "gzip kB", "brotli kB"].map(|head| format!("{head:>10}"));
    eprintln!("  {:<40}{}", "", heads.concat());
    let mut programs = vec![0; 3];
    let [mut first, mut overview, mut details, mut part, mut words, mut keeper] = [0; 6];
    for (i, path) in all.iter().enumerate() {
        let raw = fs::metadata(path).map_or(0, |meta| meta.len());
        let sizes = packed.get(i).cloned().unwrap_or_else(|| vec![raw]);
        let name = path.strip_prefix(dir).unwrap_or(path).display().to_string();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            programs.iter_mut().zip(&sizes).for_each(|(sum, n)| *sum += n);
            row(&name, &sizes);
        }
        let Some(gzip) = sizes.get(1).copied() else { continue };
        if path.parent() != Some(dir) && !name.contains("operators") {
            part = part.max(gzip);
            let is_of = |parts: [&str; 2]| parts.iter().any(|of| name.contains(of));
            overview += if is_of(OF_OVERVIEW) { gzip } else { 0 };
            details += if is_of(OF_DETAILS) { gzip } else { 0 };
        } else if name.starts_with("words.") {
            words = words.max(gzip);
        } else if name == offline::SCRIPT {
            keeper = gzip;
        } else {
            first += gzip;
        }
    }
    row("all programs", &programs);
    if packed.is_empty() || !shrink::has_all() {
        say::skipping("Without node and npm it is not said what the page weighs packed, and not judged.");
        return Ok(());
    }
    let seen = first + overview;
    let weights = [first, seen, seen + details, part, words, keeper, programs[0]];
    for ((what, limit), bytes) in LIMITS.into_iter().zip(weights) {
        eprintln!("  {what}: {} kB of {} kB", bytes.div_ceil(1000), limit / 1000);
        if limit < bytes {
            return Err(trouble!("The page is too heavy: {what} {bytes} bytes, and {limit} are the limit."));
        }
    }
    Ok(())
}

/// What the worker's first program may weigh, unpacked, in the page for tests, which is not optimized: a third less than
/// with the rules of the overview. One call from the first program draws all that it needs out of a part.
const QUICK_WORKER: u64 = 3_200_000;

/// Judges what needs no page for users.
///
/// # Errors
/// When the folder cannot be read, or parts have moved into the worker's first program.
pub fn of_tests(dir: &Path) -> Result<(), Issue> {
    let worker = dir.join("worker_bg.wasm");
    let bytes =
        fs::metadata(&worker).map_err(|e| trouble!("{} could not be read: {e}.", worker.display()))?.len();
    if QUICK_WORKER < bytes {
        return Err(trouble!(
            "The worker's first program is too heavy: {bytes} bytes, and {QUICK_WORKER} are the limit. What of a part does \
             it call now?"
        ));
    }
    Ok(())
}

/// The programs of a built page and their parts, in the order of their names.
///
/// # Errors
/// When the folder cannot be read.
pub fn programs(dir: &Path) -> Result<Vec<PathBuf>, Issue> {
    let mut found = files(dir, &["wasm"])?;
    for folder in entries(dir)?.iter().filter(|path| path.is_dir()) {
        found.extend(files(folder, &["wasm"])?);
    }
    found.sort();
    Ok(found)
}

/// All that a page of this folder asks for: its files, and the parts of its programs.
fn sent(dir: &Path) -> Result<Vec<PathBuf>, Issue> {
    let mut found = programs(dir)?;
    found.extend(files(dir, &["html", "css", "js", "svg", "txt"])?);
    for folder in entries(dir)?.iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("parts-") || name == "worker_parts" {
            found.extend(files(folder, &["js"])?);
        }
    }
    Ok(found)
}
