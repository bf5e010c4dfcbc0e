//! `lanescope tables`: many profiles as one data set of tables.

mod convert;
mod find;
mod parts;
mod watch;

use super::output::{read_text, read_text_of};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use convert::{Done, Settings};
use lanescope::export::tables::FileFormat;
use lanescope::export::tables::schema::{self, TABLES, VERSION};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use watch::Watch;

/// Turn profiles into tables that engines such as Spark and Polars query: DIR/<table>/system=…/run=…/part-<trace>.parquet
///
/// A trace that is there with all tables that are asked for is skipped, so that what was interrupted goes on where it stopped.
/// A file that has changed takes the place of what it was. A broken file becomes rows of the table `faults` and stops nothing.
#[derive(Parser)]
#[command(name = "lanescope tables", bin_name = "lanescope tables", version, after_help = AFTER)]
struct Args {
    /// Files, folders or archives; `-` for standard input
    #[arg(value_name = "PATH", required_unless_present_any = ["schema", "files_from"])]
    paths: Vec<PathBuf>,

    /// Folder of the data set
    #[arg(long, value_name = "DIR", required_unless_present = "schema")]
    out: Option<PathBuf>,

    /// How files are written
    #[arg(long, value_enum, default_value = "parquet")]
    format: Format,

    /// Only these tables, parted by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tables: Vec<String>,

    /// Threads that work at once; by default as many as there are processors
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Name of what standard input brings
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Read further paths from a file, one a line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,

    /// Run that the traces belong to; by default the folder that holds each of them
    #[arg(long, value_name = "NAME")]
    run: Option<String>,

    /// Write together with other runs that share DIR, as on a cluster; else a second run into DIR is refused
    #[arg(long)]
    shared: bool,

    /// Print the tables with their columns, units and meanings as JSON
    #[arg(long)]
    schema: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Parquet,
    Arrow,
}

const AFTER: &str = "\
Exit status:
  0  every trace was converted or was there
  1  some trace failed, nothing was found, or another run writes into DIR
  2  invalid usage

Examples:
  lanescope tables nightly/ --out data
  lanescope tables nightly/ --out data --tables kernels,metrics --jobs 8
  find /traces -name '*.json.gz' | lanescope tables --files-from - --out data
  zcat trace.json.gz | lanescope tables - --name trace.json --run 2025-03-01 --out data
  lanescope tables --schema
";

pub(super) fn main(args: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let matches = Args::command().get_matches_from(args);
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if args.schema {
        let _ = writeln!(io::stdout().lock(), "{:#}", schema::json()); // nobody to tell when it is closed
        return ExitCode::SUCCESS;
    }
    let known: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    if let Some(name) = args.tables.iter().find(|name| !known.contains(&name.as_str())) {
        let text = format!("unknown table {name}; known: {}", known.join(", "));
        Args::command().error(ErrorKind::InvalidValue, text).exit();
    }
    if let Some(out) = args.out.as_ref().filter(|out| out.exists() && !out.is_dir()) {
        let text = format!("{} is a file: --out names the folder of the data set", out.display());
        Args::command().error(ErrorKind::ValueValidation, text).exit();
    }
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("lanescope: {why}.");
            ExitCode::FAILURE
        }
    }
}

/// Converts everything; says whether nothing failed.
fn run(args: &Args) -> Result<bool, String> {
    let out = args.out.clone().unwrap_or_default();
    let _held = begin(&out, args.shared)?;
    let mut paths = args.paths.clone();
    if let Some(list) = &args.files_from {
        paths.extend(listed(list)?);
    }
    let found = find::find(&paths, args.name.as_deref(), &out);
    let watch = Watch::new(found.jobs.iter().map(|job| job.bytes).sum(), found.jobs.len());
    for (path, why) in &found.troubles {
        watch.say(&format!("{path}: {why}."));
    }
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let n_threads = args.jobs.unwrap_or(processors).max(1);
    let settings = Settings {
        has_threads: found.jobs.len() < n_threads,
        format: match args.format {
            Format::Parquet => FileFormat::Parquet,
            Format::Arrow => FileFormat::Arrow,
        },
        there: parts::there(&out),
        seen: Mutex::default(),
        tables: args.tables.iter().cloned().collect(),
        run: args.run.clone(),
        out,
    };
    let n = n_threads.min(found.jobs.len()).max(1);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Done { failed: found.troubles.len(), ..Done::default() });
    std::thread::scope(|scope| {
        for _ in 0..n {
            scope.spawn(|| {
                while let Some(job) = found.jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let own = convert::convert(job, &settings, &watch);
                    watch.advance(job.bytes);
                    if let Ok(mut done) = done.lock() {
                        done.add(&own);
                    }
                }
            });
        }
    });
    watch.end();
    for name in convert::replace(&settings) {
        eprintln!("lanescope: {name} has changed: its former tables were removed.");
    }
    let done = done.into_inner().unwrap_or_default();
    for path in found.passed_over.iter().take(SHOWN) {
        eprintln!("lanescope: {path}: not a profile. Skipped.");
    }
    if SHOWN < found.passed_over.len() {
        eprintln!("lanescope: and {} more files that are no profiles.", found.passed_over.len() - SHOWN);
    }
    println!(
        "{} traces converted, {} were there, {} failed; {} rows.",
        done.converted, done.skipped, done.failed, done.rows
    );
    if done.converted + done.skipped + done.failed == 0 {
        return Err("no profiles found".to_owned());
    }
    Ok(done.failed == 0)
}

/// Files that are named of those that are no profiles.
const SHOWN: usize = 5;

/// Makes the folder, or looks whether what is there is of the same version, and takes it for this run.
fn begin(out: &Path, is_shared: bool) -> Result<Option<File>, String> {
    std::fs::create_dir_all(out).map_err(|why| format!("{}: {why}", out.display()))?;
    let path = out.join("_lanescope.json");
    let major = |version: &str| version.split('.').next().unwrap_or_default().to_owned();
    if let Ok(text) = std::fs::read_to_string(&path) {
        let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let found = json["version"].as_str().unwrap_or("unknown");
        if major(found) != major(VERSION) {
            return Err(format!(
                "{} is a data set of version {found}, this program writes {VERSION}: name another folder",
                out.display()
            ));
        }
    }
    let held = parts::take(out, is_shared)?;
    // Of its own name, as several processes may begin at once.
    let unfinished = out.join(format!("._lanescope.json.{}.tmp", std::process::id()));
    let written = std::fs::write(&unfinished, format!("{:#}\n", schema::json()));
    written
        .and_then(|()| std::fs::rename(&unfinished, &path))
        .map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(held)
}

fn listed(list: &Path) -> Result<Vec<PathBuf>, String> {
    let text = if list == Path::new("-") { read_text(io::stdin()) } else { read_text_of(list) };
    let text = text.map_err(|why| format!("{}: {why}", list.display()))?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(PathBuf::from).collect())
}
