//! What is asked for, and doing it.

use super::compare::compare;
use super::output::{Run, read_text, read_text_of, save};
use super::parameters;
use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use lanescope::analysis::report::{FIGURES, PARTS, ReportAsk};
use lanescope::base::geometry::Size;
use lanescope::base::number::{of_kind, thousands};
use lanescope::base::visible::one_line;
use lanescope::document::Document;
use lanescope::engine::{catalog, fault_line, file_lines, is_known, pictures};
use lanescope::export::notes;
use lanescope::input::Entry;
use lanescope::input::disk::{Gathered, gather_known};
use lanescope::input::unpack::MemoryStore;
use lanescope::model::build::digest::digest;
use lanescope::model::parameter::{ParameterKind, Values};
use lanescope::scene::palette::{OWN, Palette};
use lanescope::scene::table::PageRequest;
use lanescope::systems;
use lanescope::views::timeline::messages::{Current, Reply, SearchQuery, TimelineQuery};
use lanescope::wire::rows::{RowsQuery, Source};
use lanescope::wire::{Answer, Query};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Size of the timeline in a report; it is as high as its content.
const TIMELINE: Size = Size { w: 960.0, h: 600.0 };

/// The colors, as the page has them.
const TOKENS: &str = include_str!("../../../style/tokens.css");

/// Open profiles of AI accelerators and GPUs.
///
/// Without options, print a summary of the trace and all problems in the files. All given files are opened together,
/// as if dropped on the page at once.
#[derive(Parser)]
#[command(name = "lanescope", version, after_help = after_help())]
pub(super) struct Args {
    /// Files, folders or archives (.zip, .tar, .gz, .xz, .zst); `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "list")]
    files: Vec<PathBuf>,

    /// List supported formats, views and exports
    #[arg(long, conflicts_with_all = ["files", "export", "svg"])]
    list: bool,

    /// Compare two files, folders or archives; the first one is the baseline. Figures are matched by name;
    /// differences are comparison − baseline
    #[arg(long, conflicts_with = "list")]
    compare: bool,

    /// Write an export, as the page's Export menu does
    #[arg(long, value_name = "ID", conflicts_with = "svg")]
    pub(super) export: Option<String>,

    /// What was set of the parameters of systems.
    #[arg(skip)]
    pub(super) values: Values,

    /// Print what limits the program: findings with their numbers, and what rules found nothing. As data: the export
    /// findings-json
    #[arg(long, conflicts_with_all = ["export", "svg", "list", "request", "search"])]
    pub(super) findings: bool,

    /// Compare for CI: exit with status 3 and a line for each figure that became worse by more than this share, such as
    /// 5% or 5%:FIGURE for one figure by its name or id
    #[arg(long, value_name = "SHARE[:FIGURE]", requires = "compare", conflicts_with_all = ["export", "svg"], value_parser = limit)]
    pub(super) fail_over: Option<Limit>,

    /// Print what became worse as a Markdown table
    #[arg(long, requires = "fail_over")]
    pub(super) markdown: bool,

    /// Write a report that is read in any browser without Lanescope: one HTML file with findings, figures, tables and
    /// problems of the files, or of a comparison
    #[arg(long, value_name = "OUT.html", conflicts_with_all = ["export", "svg", "list", "request", "search", "findings", "fail_over", "out"])]
    pub(super) report: Option<PathBuf>,

    /// Parts of the report: findings, figures, tables, faults, notes; all by default
    #[arg(long, value_name = "PART,…", requires = "report", value_delimiter = ',', value_parser = report_parts())]
    pub(super) parts: Vec<String>,

    /// Notes for the report, as the page exports them
    #[arg(long, value_name = "FILE", requires = "report")]
    pub(super) notes: Option<PathBuf>,

    /// List the slices and instants that a search finds, as CSV: text in names, cat:CATEGORY, dur>TIME, ARGUMENT:VALUE,
    /// all of them together
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["export", "svg", "list", "compare", "request"])]
    search: Option<String>,

    /// Draw a view as SVG
    #[arg(long, value_name = "VIEW")]
    pub(super) svg: Option<String>,

    /// Open one operator of a project: its folder or the end of its path. Use the export `operators-csv` to list them
    #[arg(long, value_name = "PATH")]
    operator: Option<String>,

    /// Answer the JSON requests in this file (`-` for standard input)
    #[arg(long, value_name = "REQUEST", conflicts_with_all = ["export", "svg", "list"])]
    request: Option<PathBuf>,

    /// Output file or folder for the export, image or answer; standard output by default, or with `-`
    #[arg(long, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,

    /// Image size in pixels; timeline and details are as high as their content
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size, requires = "svg")]
    pub(super) size: Size,

    /// Theme of the image
    #[arg(long, value_enum, default_value = "light", requires = "svg")]
    theme: Theme,

    /// Color scheme of the image
    #[arg(long, value_name = "SCHEME", default_value = OWN, value_parser = color_schemes(), requires = "svg")]
    colors: String,
}

impl Args {
    /// Whether something is asked for that may be written to a file.
    fn has_output(&self) -> bool {
        self.export.is_some() || self.search.is_some() || self.svg.is_some() || self.request.is_some()
    }

    /// The colors of the picture.
    pub(super) fn palette(&self) -> Palette {
        let theme = match self.theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        Palette::with_scheme(TOKENS, theme, &self.colors)
    }
}

/// Whether an export can be made of empty files: some print an empty table then.
fn has_empty_export(doc: &mut Document, args: &Args, entries: &[Entry]) -> bool {
    let id = args.export.as_ref().filter(|_| entries.iter().all(|entry| entry.source.is_empty()));
    id.is_some_and(|id| matches!(doc.query(&Query::Export { id: id.clone() }).0, Answer::File { .. }))
}

/// Exit status where the output would be written over an input.
const REFUSED: u8 = 2;

/// Exit status where something became worse than allowed.
const WORSE: u8 = 3;

/// What stands below the help; examples of systems follow.
const AFTER: &str = "\
Exit status:
  0  success; problems in the files may be reported
  1  failure; with --fail-over also where a file is damaged, or nothing can be compared
  2  invalid usage; the output is one of the files that are read
  3  with --fail-over: a figure became worse by more

Examples:
  lanescope visualize_data.bin
  lanescope trace.json --export summary-json
  lanescope profiles.zip --export slices-csv --out slices.csv
  lanescope visualize_data.bin --svg source --size 1600x900 --theme dark --out source.svg
  lanescope trace.json --search 'cat:kernel dur>500us gemm'
  lanescope trace.json --svg timeline --size 2400x800 --out timeline.svg
  lanescope OPPROF_20250101 --export operators-csv
  lanescope OPPROF_20250101 --operator device0/MatMul/0 --svg details --out matmul.svg
  lanescope visualize_data.bin --request request.json
  echo '{\"id\": 1, \"command\": \"import/action\"}' | lanescope visualize_data.bin --request -
  lanescope before.bin after.bin --compare
  lanescope before.bin after.bin --compare --export figures-csv --out difference.csv
  lanescope before.bin after.bin --compare --svg details --out difference.svg
  lanescope trace.json --findings
  lanescope trace.json --report report.html
  lanescope before.json after.json --compare --report report.html --parts findings,figures
  lanescope before.json after.json --compare --findings
  lanescope before.json after.json --compare --fail-over 5% --markdown
";

fn after_help() -> String {
    let of_systems = lanescope::systems::systems().flat_map(|system| system.examples);
    let lines: Vec<String> = of_systems.map(|line| format!("  lanescope {line}\n")).collect();
    AFTER.to_owned() + &lines.concat()
}

#[derive(Clone, Copy, ValueEnum)]
enum Theme {
    Light,
    Dark,
}

/// What pictures can be colored with: Lanescope's own colors and the schemes that are for everything.
fn color_schemes() -> PossibleValuesParser {
    let schemes = lanescope::systems::color_schemes();
    let schemes = schemes.into_iter().filter(|scheme| scheme.page_title.is_some());
    PossibleValuesParser::new(std::iter::once(OWN).chain(schemes.map(|scheme| scheme.id)))
}

/// The parts of a report.
fn report_parts() -> PossibleValuesParser {
    PossibleValuesParser::new(PARTS.map(|(id, _)| id))
}

/// From which change on a figure fails.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    /// 0.05 is five percent.
    pub(super) share: f64,
    /// Name or id of the only figure that is meant; empty for all.
    pub(super) figure: String,
}

fn limit(text: &str) -> Result<Limit, String> {
    let (share, figure) = text.split_once(':').unwrap_or((text, ""));
    let number = share.trim().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
    match number.filter(|n| (0.0..=1e6).contains(n)) {
        Some(n) => Ok(Limit { share: n / 100.0, figure: figure.trim().to_owned() }),
        None => Err("expected a share such as 5% or 2.5%:Duration".to_owned()),
    }
}

fn size(text: &str) -> Result<Size, String> {
    let edge = |t: &str| t.parse::<u16>().ok().filter(|n| (64..=16_384).contains(n)).map(f32::from);
    let parts = text.split_once(['x', 'X']).and_then(|(w, h)| Some((edge(w)?, edge(h)?)));
    match parts {
        Some((w, h)) => Ok(Size { w, h }),
        None => Err("expected width x height such as 1280x800, each from 64 to 16384".to_owned()),
    }
}

pub(super) fn main() -> ExitCode {
    let matches = parameters::arguments(Args::command()).get_matches();
    let mut args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match parameters::values(&matches, args.export.as_deref()) {
        Ok(values) => args.values = values,
        Err((kind, why)) => Args::command().error(kind, why).exit(),
    }
    let own = args.files.iter().filter(|file| !is_pipe(file)).chain(&args.notes).chain(&args.request);
    let inputs = own.cloned().chain(parameters::files(&matches)).collect();
    let mut run = Run { is_good: true, is_worse: false, is_refused: false, inputs };
    if args.list {
        run.print(&list());
    } else if args.out.is_some() && !args.has_output() {
        let text = "--out requires --export, --search, --svg or --request";
        Args::command().error(clap::error::ErrorKind::MissingRequiredArgument, text).exit();
    } else if args.request.as_deref().is_some_and(is_pipe) && args.files.iter().any(|f| is_pipe(f)) {
        let text = "standard input cannot be both a file and the request";
        Args::command().error(clap::error::ErrorKind::ArgumentConflict, text).exit();
    } else if !args.compare {
        open(&mut run, &args);
    } else if let [baseline, comparison] = &args.files[..] {
        compare(&mut run, &args, [baseline, comparison]);
    } else {
        let text = "--compare takes two files: the baseline, then the comparison";
        Args::command().error(clap::error::ErrorKind::WrongNumberOfValues, text).exit();
    }
    match () {
        () if run.is_refused => ExitCode::from(REFUSED),
        () if !run.is_good => ExitCode::FAILURE,
        () if run.is_worse => ExitCode::from(WORSE),
        () => ExitCode::SUCCESS,
    }
}

/// Whether a path is standard input, or standard output.
pub(super) fn is_pipe(path: &Path) -> bool {
    path == Path::new("-")
}

/// The files that are named. A stream is read to its end only if a format is known of it; a mapping may read any.
pub(super) fn gathered(args: &Args, files: &[PathBuf]) -> Gathered {
    let of_files = systems::formats().flat_map(|format| format.parameters);
    let mut of_files = of_files.filter(|parameter| matches!(parameter.kind, ParameterKind::File { .. }));
    let has_mapping = of_files.any(|parameter| args.values.get(parameter.id).is_some());
    gather_known(files, &|head| has_mapping || is_known(head))
}

fn open(run: &mut Run, args: &Args) {
    let found = gathered(args, &args.files);
    for (path, why) in &found.troubles {
        run.trouble(&format!("{path}: {why}. Skipped."));
    }
    if found.entries.is_empty() {
        if found.troubles.is_empty() {
            run.trouble("no files found.");
        }
        return;
    }
    let wanted = args.operator.as_deref().unwrap_or_default();
    let (mut doc, is_ready) =
        Document::open_with(found.entries.clone(), wanted, &args.values, Box::new(MemoryStore::default()));
    let operators: Vec<String> = doc.operators().into_iter().map(str::to_owned).collect();
    let is_open = wanted.is_empty() && 1 < operators.len();
    let has_list = args.export.as_deref() == Some("operators-csv");
    let is_one_wanted = args.export.is_some() || args.svg.is_some() || args.report.is_some();
    let is_first_taken = is_open && is_one_wanted && !doc.operator_switch().is_empty();
    if is_first_taken && let Some(first) = operators.first() {
        Run::note(&format!(
            "{} results found; this is {first}. Name another with --{}.",
            operators.len(),
            doc.operator_switch()
        ));
    }
    if is_open && !has_list && !is_first_taken {
        if is_one_wanted {
            return run.trouble_in_lines(&format!("several operators found: {}", which(&operators)));
        }
        for path in operators {
            let store = Box::new(MemoryStore::default());
            let (doc, is_ready) = Document::open_with(found.entries.clone(), &path, &args.values, store);
            run.print(&format!("operator {}\n", one_line(&path)));
            tell(run, args, doc, is_ready);
        }
        return;
    }
    if is_ready {
        take_inputs(run, &mut doc, &args.files);
        if args.has_output() || args.report.is_some() {
            damaged(&doc, "");
        }
    }
    if !wanted.is_empty() && !doc.has_picked() {
        run.trouble_in_lines(&format!("unknown operator {}. {}", one_line(wanted), which(&operators)));
    } else if !is_ready && !has_list && !has_empty_export(&mut doc, args, &found.entries) {
        let text = not_opened(&mut doc);
        run.trouble_in_lines(&text);
        if let Some(path) = &args.request {
            answer(run, &mut doc, path, args.out.as_deref());
        }
    } else {
        asked(run, args, doc, is_ready);
    }
}

/// Does what is asked for of an open document.
fn asked(run: &mut Run, args: &Args, mut doc: Document, is_ready: bool) {
    if let Some(path) = &args.request {
        answer(run, &mut doc, path, args.out.as_deref());
    } else if let Some(id) = &args.export {
        export(run, &mut doc, id, args.out.as_deref());
    } else if let Some(out) = &args.report {
        write_report(run, args, &mut doc, ReportAsk::default(), out);
    } else if let Some(text) = &args.search {
        search(run, &mut doc, text, args.out.as_deref());
    } else if let Some(view) = &args.svg {
        picture(run, &mut doc, view, args);
    } else {
        tell(run, args, doc, is_ready);
    }
}

/// The digest of a document and how it was read.
fn tell(run: &mut Run, args: &Args, mut doc: Document, is_ready: bool) {
    if is_ready {
        if args.findings {
            damaged(&doc, "");
        }
        let text = if args.findings {
            lanescope::export::findings::text(&doc.whole_overview())
        } else {
            digest(doc.trace(), &[]) + &reading(&mut doc) + &writable(&doc, &args.files)
        };
        run.print(&text);
    } else {
        let text = not_opened(&mut doc);
        run.trouble_in_lines(&text);
    }
}

/// Lines about damage that are printed.
const DAMAGES: usize = 20;

/// Says on standard error what could not be read, where the output does not say it: the lines of the summary. `of` says which
/// of two files it is.
pub(super) fn damaged(doc: &Document, of: &str) {
    let all = doc.damage();
    let head = if of.is_empty() { String::new() } else { format!("{of}: ") };
    for line in all.iter().take(DAMAGES) {
        Run::note(&format!("{head}{line}"));
    }
    let beside = doc.damage_beside(DAMAGES);
    if 0 < beside {
        let n = of_kind(&thousands(beside.cast_signed()), "more problems");
        Run::note(&format!("{head}{n} that lost data."));
    }
}

/// What was read of folders is not written over either.
pub(super) fn take_inputs(run: &mut Run, doc: &mut Document, files: &[PathBuf]) {
    let folders: Vec<&PathBuf> = files.iter().filter(|file| file.is_dir()).collect();
    let Answer::Report(report) = doc.query(&Query::Report).0 else { return };
    for (path, ..) in report.files.iter().filter(|(.., reader)| !reader.is_empty()) {
        let path = path.split('!').next().unwrap_or_default();
        let inner = path.split_once('/').map(|(_, inner)| inner);
        run.inputs
            .extend(inner.into_iter().flat_map(|inner| folders.iter().map(move |folder| folder.join(inner))));
    }
}

/// The operators that can be named.
fn which(operators: &[String]) -> String {
    match operators {
        [] => "The files are not an operator project.".to_owned(),
        all => {
            let all: Vec<_> = all.iter().map(|name| one_line(name)).collect();
            format!("Name one of these with --operator:\n{}", all.join("\n"))
        }
    }
}

/// What other tools object to in the permissions of the files.
fn writable(doc: &Document, files: &[PathBuf]) -> String {
    let formats = doc.formats();
    let notes = files.iter().filter(|file| file.is_file()).filter_map(|file| {
        let mode = mode(file)?;
        let note = formats.iter().find_map(|format| format.mode_note?(mode))?;
        Some(format!("note: {} {note}\n", file.display()))
    });
    notes.collect()
}

#[cfg(unix)]
fn mode(file: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(std::fs::metadata(file).ok()?.permissions().mode())
}

#[cfg(not(unix))]
fn mode(_: &Path) -> Option<u32> {
    None
}

/// Which file was read how, and every fault.
fn reading(doc: &mut Document) -> String {
    let Answer::Report(report) = doc.query(&Query::Report).0 else { return String::new() };
    let mut out = file_lines(&report.files);
    // Writing into a String never fails, so results are dropped.
    for (format, degree, reason, _) in report.claims.iter().filter(|claim| claim.3) {
        let _ =
            writeln!(out, "match: {format} ({}): {}", degree.to_lowercase(), one_line(&reason.to_string()));
    }
    for fault in &report.faults {
        let _ = writeln!(out, "{}", fault_line(fault));
    }
    out
}

pub(super) fn not_opened(doc: &mut Document) -> String {
    let Answer::Report(report) = doc.query(&Query::Report).0 else { return String::new() };
    format!("{}\n{}", one_line(&report.reason.to_string()), report.text.trim_end())
}

fn export(run: &mut Run, doc: &mut Document, id: &str, out: Option<&Path>) {
    let kind = id.split(':').next().unwrap_or(id);
    if !catalog().exports.iter().any(|export| export.id == kind) {
        let known: Vec<String> = catalog().exports.into_iter().map(|export| export.id).collect();
        return run.trouble(&format!("unknown export {id}; available: {}.", known.join(", ")));
    }
    match save(run, doc, &Query::Export { id: id.to_owned() }, out) {
        Ok(Answer::File { said, is_whole, .. }) => {
            run.is_good &= is_whole;
            let _ = io::stderr().lock().write_all(said.as_bytes()); // nobody to tell when it is closed
        }
        Ok(_) => {} // what went wrong with the file was said
        Err(Answer::Failed(why)) => run.trouble(&format!("export {id}: {why}")),
        Err(_) => run.trouble(&format!("export {id} gave no file.")),
    }
}

/// Writes a report, with the timeline where there is one.
pub(super) fn write_report(run: &mut Run, args: &Args, doc: &mut Document, mut ask: ReportAsk, out: &Path) {
    ask.parts = (!args.parts.is_empty()).then(|| args.parts.clone());
    if let Some(path) = &args.notes {
        let read = read_text_of(path).map_err(|e| e.to_string());
        match read.and_then(|text| notes::read(&text).map_err(|why| why.to_string())) {
            Ok(notes) => ask.notes = Some(notes),
            Err(why) => return run.trouble(&format!("notes {}: {why}.", path.display())),
        }
    }
    if ask.has(FIGURES) && 0 < doc.trace().n_slices() {
        let picture = doc.svg("timeline", TIMELINE, &Palette::from_css(TOKENS, "light"));
        ask.pictures.extend(picture.ok().map(|svg| ("Timeline".to_owned(), svg)));
    }
    let query = Query::ReportFile { ask: Box::new(ask), seen: None };
    match save(run, doc, &query, Some(out)) {
        Ok(_) => {} // what went wrong with the file was said
        Err(Answer::Failed(why)) => run.trouble(&format!("report: {why}")),
        Err(_) => run.trouble("there is nothing to report."),
    }
}

/// What a search finds, a slice a line.
fn search(run: &mut Run, doc: &mut Document, text: &str, out: Option<&Path>) {
    let search = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
    let current = Current::Number(0);
    let ask = TimelineQuery::Search { search: search.clone(), current };
    if let Some(Reply::Search(hits)) = doc.query(&ask).0
        && let Some(problem) = hits.problem
    {
        return run.trouble(&format!("search: {problem}."));
    }
    let query =
        Query::RowsFile(RowsQuery { table: 0, source: Source::Hits(search), wanted: PageRequest::default() });
    while !doc.prepare_query(&query) {}
    if save(run, doc, &query, out).is_err() {
        run.trouble("the search gave no table.");
    }
}

/// Answers requests; one that cannot be answered is said in its answer, and in the status.
fn answer(run: &mut Run, doc: &mut Document, path: &Path, out: Option<&Path>) {
    let text = if is_pipe(path) { read_text(io::stdin()) } else { read_text_of(path) };
    match text {
        Ok(text) => {
            let response = doc.request(&text);
            run.is_good &= response.is_good;
            run.deliver("answer.json", (response.text + "\n").as_bytes(), out);
        }
        Err(e) => run.trouble(&format!("request {}: {e}.", path.display())),
    }
}

fn picture(run: &mut Run, doc: &mut Document, view: &str, args: &Args) {
    match doc.svg(view, args.size, &args.palette()) {
        Ok(text) => run.deliver(&format!("{view}.svg"), text.as_bytes(), args.out.as_deref()),
        Err(why) => run.trouble(&why),
    }
}

/// The registries, one row each, ids first.
fn list() -> String {
    let catalog = catalog();
    let mut sections: Vec<(&str, Vec<(String, String)>)> = Vec::new();
    let formats = catalog.formats.into_iter().map(|f| {
        let patterns =
            if f.patterns.is_empty() { String::new() } else { format!(" ({})", f.patterns.join(", ")) };
        (f.id, f.title + &patterns)
    });
    sections.push(("Formats", formats.collect()));
    let views = pictures().map(|p| (p.id.to_owned(), p.title.to_owned()));
    sections.push(("Views, for --svg", views.collect()));
    let exports = catalog.exports.into_iter().map(|export| (export.id, export.title)).collect();
    sections.push(("Exports, for --export", exports));
    let mut out = String::new();
    for (title, rows) in sections {
        let _ = writeln!(out, "{title}"); // writing into a String never fails
        for (id, text) in rows {
            let _ = writeln!(out, "  {id:<16} {text}");
        }
    }
    out
}
