//! The command line: the same reading, exports and pictures as the page, for scripts, CI and a first look.

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    native::main()
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use clap::{CommandFactory, Parser, ValueEnum};
    use lanescope::analysis::compare::family::Joined;
    use lanescope::base::geometry::Size;
    use lanescope::base::number::file_size;
    use lanescope::base::words::Language;
    use lanescope::draw::facts::cell_text;
    use lanescope::draw::style::Look;
    use lanescope::export::{families_csv, families_json, families_svg};
    use lanescope::input::disk::gather;
    use lanescope::input::unpack::MemoryStore;
    use lanescope::model::build::digest::digest;
    use lanescope::model::figure::Body;
    use lanescope::query::compare::figures as joined;
    use lanescope::query::picture::{PICTURES, compared_svg};
    use lanescope::query::{Document, catalog};
    use lanescope::scene::palette::Palette;
    use lanescope::wire::{Answer, Query};
    use std::fmt::Write as _;
    use std::io::{self, ErrorKind, Write};
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;

    /// The colors, as the page has them.
    const TOKENS: &str = include_str!("../../style/tokens.css");

    /// Opens profiles of AI accelerators and GPUs and says what is in them.
    ///
    /// Without an option it prints a digest of the trace and everything that is wrong with the files. All files that
    /// are named together are opened together, as if they were dropped on the page at once.
    #[derive(Parser)]
    #[command(name = "lanescope", version, after_help = AFTER)]
    struct Asked {
        /// Files, folders (with everything in them) or archives (.zip, .tar, .gz, .xz, .zst); `-` is standard input
        #[arg(value_name = "FILE", required_unless_present = "list")]
        files: Vec<PathBuf>,

        /// Name the formats that can be read, the views that can be drawn and the exports
        #[arg(long, conflicts_with_all = ["files", "export", "svg"])]
        list: bool,

        /// Compare two files, folders or archives: the first is the baseline. Figures are joined by their names, every
        /// difference is comparison − baseline
        #[arg(long, conflicts_with = "list")]
        compare: bool,

        /// Write an export: the same bytes as the page's Export menu
        #[arg(long, value_name = "ID", conflicts_with = "svg")]
        export: Option<String>,

        /// Draw a view as SVG
        #[arg(long, value_name = "VIEW")]
        svg: Option<String>,

        /// Where the export or the picture goes; standard output without it. A folder takes the file under its own name
        #[arg(long, value_name = "PATH")]
        out: Option<PathBuf>,

        /// Size of the picture in pixels; a timeline and details are as high as what is in them
        #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size, requires = "svg")]
        size: Size,

        /// Colors of the picture
        #[arg(long, value_enum, default_value = "light", requires = "svg")]
        theme: Theme,
    }

    impl Asked {
        /// The colors of the picture.
        fn palette(&self) -> Palette {
            let theme = match self.theme {
                Theme::Light => "light",
                Theme::Dark => "dark",
            };
            Palette::from_css(TOKENS, theme)
        }
    }

    /// What stands below the help.
    const AFTER: &str = "\
Exit status:
  0  everything asked for was done; faults of the files may be reported
  1  something asked for could not be done
  2  the command was not understood

Examples:
  lanescope visualize_data.bin
  lanescope trace.json --export summary-json
  lanescope profiles.zip --export slices-csv --out slices.csv
  lanescope visualize_data.bin --svg source --size 1600x900 --theme dark --out source.svg
  lanescope trace.json --svg timeline --size 2400x800 --out timeline.svg
  lanescope before.bin after.bin --compare
  lanescope before.bin after.bin --compare --export figures-csv --out difference.csv
  lanescope before.bin after.bin --compare --svg details --out difference.svg";

    #[derive(Clone, Copy, ValueEnum)]
    enum Theme {
        Light,
        Dark,
    }

    fn size(text: &str) -> Result<Size, String> {
        let edge = |t: &str| t.parse::<u16>().ok().filter(|n| (64..=16_384).contains(n)).map(f32::from);
        let parts = text.split_once(['x', 'X']).and_then(|(w, h)| Some((edge(w)?, edge(h)?)));
        match parts {
            Some((w, h)) => Ok(Size { w, h }),
            None => Err("expected width x height such as 1280x800, each from 64 to 16384".to_owned()),
        }
    }

    /// What became of the run so far.
    struct Run {
        is_good: bool,
    }

    impl Run {
        /// Says what could not be done.
        fn trouble(&mut self, text: &str) {
            self.is_good = false;
            // Nobody to tell when standard error is closed.
            let _ = writeln!(io::stderr().lock(), "lanescope: {text}");
        }

        /// Writes to standard output. A reader that has seen enough is no trouble.
        fn print(&mut self, bytes: &[u8]) {
            let mut out = io::stdout().lock();
            match out.write_all(bytes).and_then(|()| out.flush()) {
                Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                    self.trouble(&format!("standard output: {e}. The output is incomplete."));
                }
                _ => {}
            }
        }

        /// Writes to a file or standard output.
        fn deliver(&mut self, name: &str, bytes: &[u8], out: Option<&Path>) {
            let Some(path) = out else { return self.print(bytes) };
            let path = if path.is_dir() { path.join(name) } else { path.to_owned() };
            if let Err(e) = std::fs::write(&path, bytes) {
                self.trouble(&format!("{}: {e}. Nothing was saved.", path.display()));
            }
        }
    }

    pub(super) fn main() -> ExitCode {
        let asked = Asked::parse();
        let mut run = Run { is_good: true };
        if asked.list {
            run.print(list().as_bytes());
        } else if asked.out.is_some() && asked.export.is_none() && asked.svg.is_none() {
            let text = "--out says where an export or a picture goes: name it with --export or --svg";
            Asked::command().error(clap::error::ErrorKind::MissingRequiredArgument, text).exit();
        } else if !asked.compare {
            open(&mut run, &asked);
        } else if let [baseline, comparison] = &asked.files[..] {
            compare(&mut run, &asked, [baseline, comparison]);
        } else {
            let text = "--compare takes two: the baseline, then what is compared with it";
            Asked::command().error(clap::error::ErrorKind::WrongNumberOfValues, text).exit();
        }
        if run.is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Opens files as one document; says why when that cannot be done.
    fn document(run: &mut Run, files: &[PathBuf]) -> Option<Document> {
        let found = gather(files);
        for (path, why) in &found.troubles {
            run.trouble(&format!("{path}: {why}. It is left out."));
        }
        if found.entries.is_empty() {
            if found.troubles.is_empty() {
                run.trouble("there are no files in what was named.");
            }
            return None;
        }
        let (mut doc, is_ready) = Document::open(found.entries, Box::new(MemoryStore::default()));
        if !is_ready {
            let text = not_opened(&mut doc);
            run.trouble(&text);
        }
        is_ready.then_some(doc)
    }

    fn open(run: &mut Run, asked: &Asked) {
        let Some(mut doc) = document(run, &asked.files) else { return };
        if let Some(id) = &asked.export {
            export(run, &mut doc, id, asked.out.as_deref());
        } else if let Some(view) = &asked.svg {
            picture(run, &mut doc, view, asked);
        } else {
            let text = digest(doc.trace(), &[]) + &reading(&mut doc);
            run.print(text.as_bytes());
        }
    }

    /// Which file was read how, and every fault.
    fn reading(doc: &mut Document) -> String {
        let Answer::Report(report) = doc.query(&Query::Report).0 else { return String::new() };
        let mut out = String::new();
        // Writing into a String never fails, so results are dropped.
        for (path, bytes, format) in &report.files {
            let format = if format.is_empty() { "not read" } else { format };
            let _ = writeln!(out, "file {path}, {}: {format}", file_size(*bytes));
        }
        for (format, degree, reason, _) in report.claims.iter().filter(|claim| claim.3) {
            let _ = writeln!(out, "claim of {format} ({}): {reason}", degree.to_lowercase());
        }
        for fault in &report.faults {
            let _ = writeln!(out, "{} {}: {fault}", fault.severity.name(), fault.code);
        }
        out
    }

    fn report(doc: &mut Document) -> String {
        match doc.query(&Query::Report).0 {
            Answer::Report(report) => report.text,
            _ => String::new(),
        }
    }

    fn not_opened(doc: &mut Document) -> String {
        let report = report(doc);
        format!("nothing could be opened. What was asked and what it missed:\n{}", report.trim_end())
    }

    fn export(run: &mut Run, doc: &mut Document, id: &str, out: Option<&Path>) {
        let kind = id.split(':').next().unwrap_or(id);
        if !catalog().exports.iter().any(|(known, _)| known == kind) {
            let known: Vec<String> = catalog().exports.into_iter().map(|(id, _)| id).collect();
            return run.trouble(&format!("there is no export {id}; there are {}.", known.join(", ")));
        }
        match doc.query(&Query::Export { id: id.to_owned() }) {
            (Answer::File { name, .. }, Some(bytes)) => run.deliver(&name, &bytes, out),
            (Answer::Failed(why), _) => run.trouble(&format!("export {id}: {why}")),
            _ => run.trouble(&format!("export {id} gave no file.")),
        }
    }

    fn picture(run: &mut Run, doc: &mut Document, view: &str, asked: &Asked) {
        match doc.svg(view, asked.size, &asked.palette()) {
            Ok(text) => run.deliver(&format!("{view}.svg"), text.as_bytes(), asked.out.as_deref()),
            Err(why) => run.trouble(&why),
        }
    }

    /// Joins the figures of two documents and prints, exports or draws them.
    fn compare(run: &mut Run, asked: &Asked, files: [&PathBuf; 2]) {
        let [baseline, comparison] = files.map(|file| document(run, std::slice::from_ref(file)));
        let (Some(baseline), Some(comparison)) = (baseline, comparison) else { return };
        let joined = joined(&baseline, &comparison);
        if joined.n_joined == 0 {
            run.trouble("the two have no figures that could be compared.");
        }
        let out = asked.out.as_deref();
        if let Some(id) = &asked.export {
            let mut bytes = Vec::new();
            let families = &joined.families;
            let (name, written) = match id.as_str() {
                "figures-json" => ("difference.figures.json", families_json(families, &mut bytes)),
                "figures-csv" => ("difference.csv", families_csv(families, &mut bytes)),
                "figure-svg" => ("difference.svg", families_svg(families, Language::En, &mut bytes)),
                _ => {
                    let known = "figures-json, figures-csv, figure-svg";
                    return run.trouble(&format!("there is no export {id} of two files; there are {known}."));
                }
            };
            match written {
                Ok(()) => run.deliver(name, &bytes, out),
                Err(why) => run.trouble(&format!("export {id}: {why}")),
            }
        } else if let Some(view) = &asked.svg {
            if view != "details" {
                return run.trouble(&format!("there is no picture {view} of two files; there is details."));
            }
            let palette = asked.palette();
            let look = Look { palette: &palette, language: Language::En };
            match compared_svg(&joined.families, asked.size, &look) {
                Ok(text) => run.deliver("difference.svg", text.as_bytes(), out),
                Err(why) => run.trouble(&why),
            }
        } else {
            let text = difference(&joined, files);
            run.print(text.as_bytes());
        }
    }

    /// What was compared, the facts side by side, and what was kept apart and why.
    fn difference(joined: &Joined, files: [&PathBuf; 2]) -> String {
        let mut out = String::new();
        // Writing into a String never fails, so results are dropped.
        let _ = writeln!(out, "baseline {}\ncomparison {}", files[0].display(), files[1].display());
        for family in joined.families.iter().filter(|f| 0 < joined.n_joined_of(f)) {
            let (n, of) = (joined.n_joined_of(family), family.variants.len());
            let part = if n == of { String::new() } else { format!(", {n} of {of} variants") };
            let _ = writeln!(out, "figure {}: {}{part}", family.id, family.title);
            let Some(Body::Table(table)) = family.variant(&[]).map(|f| &f.body) else { continue };
            for (at, row) in table.rows.iter().enumerate().filter(|_| !table.row_units.is_empty()) {
                let text = |c: usize| {
                    let column = table.columns.get(c)?;
                    Some(cell_text(row.get(c)?, column, None, table.row_units.get(at)))
                };
                let texts: Vec<String> = (0..row.len()).filter_map(text).collect();
                let _ = writeln!(out, "  {}", texts.join("\t"));
            }
        }
        for apart in &joined.apart {
            let _ = writeln!(out, "apart {}: {} ({})", apart.id, apart.why, apart.n);
        }
        out
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
        let views = PICTURES.iter().map(|p| (p.id.to_owned(), p.title.to_owned()));
        sections.push(("Views, for --svg", views.collect()));
        sections.push(("Exports, for --export", catalog.exports));
        let mut out = String::new();
        for (title, rows) in sections {
            let _ = writeln!(out, "{title}"); // writing into a String never fails
            for (id, text) in rows {
                let _ = writeln!(out, "  {id:<16} {text}");
            }
        }
        out
    }
}
