//! Writes a systrace of Android's NNAPI of any size:
//! `cargo run --release --example make_systrace -- FILE [--rows N | --mb N] [--runs N] [--foreign SHARE] [--html] [--old] [--seed N]`.
//!
//! Nothing was measured: a benchmark application builds and compiles models and runs each in a warmup and a benchmark loop,
//! through a driver in another process or, every third run, on the CPU; sixty other threads do what threads do. Every
//! scope closes and nests as the contract of the marks wants it, so that the AOSP parser reads all of it. Uses std alone.

mod pen;
mod runs;

use pen::{Options, Pen};
use std::fs::File;
use std::io::{self, BufWriter};

const USAGE: &str = "make_systrace FILE [options]
  --rows N         about so many rows (1000000)
  --mb N           or about so many megabytes
  --runs N         so many runs; 1 is one run with all executions (one for every 20000 rows of NNAPI)
  --foreign SHARE  how many of the rows have nothing to do with NNAPI, 0 to 0.99 (0.5)
  --html           as HTML, with a list of processes in front
  --old            rows without process, as kernels wrote them before 2014
  --seed N         another trace of the same kind (1)";

fn main() -> io::Result<()> {
    let Some((path, options)) = read(std::env::args().skip(1)) else {
        println!("{USAGE}");
        return Ok(());
    };
    let out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    let mut pen = Pen::new(out, options);
    runs::write(&mut pen)?;
    println!("{path}: {} rows, {} bytes", pen.rows, pen.bytes);
    Ok(())
}

/// The file and the options; `None` when they make no sense.
fn read(mut words: impl Iterator<Item = String>) -> Option<(String, Options)> {
    let mut path = None;
    let mut options = Options::default();
    while let Some(word) = words.next() {
        let mut number = || words.next()?.parse::<f64>().ok().filter(|n| *n >= 0.0);
        match word.as_str() {
            "--rows" => options.rows = number()? as u64,
            "--mb" => options.bytes = Some((number()? * 1e6) as u64),
            "--runs" => options.runs = Some((number()? as u64).max(1)),
            "--foreign" => options.foreign = number()?.min(0.99),
            "--seed" => options.seed = number()? as u64,
            "--html" => options.is_html = true,
            "--old" => options.is_old = true,
            _ if word.starts_with("--") || path.is_some() => return None,
            _ => path = Some(word),
        }
    }
    Some((path?, options))
}
