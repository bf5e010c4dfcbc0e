//! What the built page weighs: each program and each part of one, as it is and as hosts send it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::seal::{entries, files};
use crate::place;
use crate::say::{self, Issue};

/// Prints the sizes of the files given: raw, gzip and brotli.
const SIZES: &str = "const z = require('zlib'), fs = require('fs');
for (const path of process.argv.slice(1)) {
  const bytes = fs.readFileSync(path);
  console.log(bytes.length, z.gzipSync(bytes, { level: 9 }).length, z.brotliCompressSync(bytes).length);
}";

/// Prints the table. Packing is node's: without it there are only the sizes as they are.
///
/// # Errors
/// When the folder cannot be read.
pub fn table(dir: &Path) -> Result<(), Issue> {
    let programs = programs(dir)?;
    let packed = place::program("node")
        .and_then(|node| Command::new(node).arg("-e").arg(SIZES).args(&programs).output().ok())
        .map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).into_owned());
    let packed: Vec<Vec<u64>> =
        packed.lines().map(|line| line.split(' ').filter_map(|n| n.parse().ok()).collect()).collect();
    let mut sums = vec![0; 3];
    let row = |name: &str, sizes: &[u64]| {
        let cells: Vec<_> = sizes.iter().map(|n| format!("{:>10}", (n + 500) / 1000)).collect();
        eprintln!("  {name:<34}{}", cells.concat());
    };
    let heads = ["raw kB", "gzip kB", "brotli kB"].map(|head| format!("{head:>10}"));
    eprintln!("  {:<34}{}", "", heads.concat());
    for (i, path) in programs.iter().enumerate() {
        let raw = fs::metadata(path).map_or(0, |meta| meta.len());
        let sizes = packed.get(i).cloned().unwrap_or_else(|| vec![raw]);
        sums.iter_mut().zip(&sizes).for_each(|(sum, n)| *sum += n);
        row(&path.strip_prefix(dir).unwrap_or(path).display().to_string(), &sizes);
    }
    row("all programs", &sums);
    if packed.is_empty() {
        say::skipping("Without node it is not said what the page weighs packed.");
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
