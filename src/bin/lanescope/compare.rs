//! `--compare`: the figures of two documents joined, printed, exported or drawn.

use super::native::{Args, not_opened};
use super::output::Run;
use lanescope::analysis::compare::family::JoinedFigures;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::document::compare::figures as joined;
use lanescope::document::picture::{compared_lifetimes, compared_svg};
use lanescope::draw::facts::cell_text;
use lanescope::draw::style::DrawStyle;
use lanescope::export::{families_csv, families_json, families_svg};
use lanescope::input::disk::gather;
use lanescope::input::unpack::MemoryStore;
use lanescope::model::figure::Body;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Opens a file, folder or archive as one document; says why when that cannot be done.
fn document(run: &mut Run, args: &Args, file: &PathBuf) -> Option<Document> {
    let found = gather(std::slice::from_ref(file));
    for (path, why) in &found.troubles {
        run.trouble(&format!("{path}: {why}. Skipped."));
    }
    if found.entries.is_empty() {
        if found.troubles.is_empty() {
            run.trouble("no files found.");
        }
        return None;
    }
    let store = Box::new(MemoryStore::default());
    let (mut doc, is_ready) = Document::open_with(found.entries, "", &args.values, store);
    if !is_ready {
        let text = not_opened(&mut doc);
        run.trouble(&text);
    }
    is_ready.then_some(doc)
}

/// Joins the figures of two documents and prints, exports or draws them.
pub(super) fn compare(run: &mut Run, args: &Args, files: [&PathBuf; 2]) {
    let [baseline, comparison] = files.map(|file| document(run, args, file));
    let (Some(baseline), Some(comparison)) = (baseline, comparison) else { return };
    let joined = joined(&baseline, &comparison);
    if joined.n_joined == 0 {
        run.trouble("no figures to compare.");
    }
    let out = args.out.as_deref();
    if let Some(id) = &args.export {
        let mut bytes = Vec::new();
        let families = &joined.families;
        let (name, written) = match id.as_str() {
            "figures-json" => ("difference.figures.json", families_json(families, &mut bytes)),
            "figures-csv" => ("difference.csv", families_csv(families, &mut bytes)),
            "figure-svg" => ("difference.svg", families_svg(families, Language::En, &mut bytes)),
            _ => {
                let known = "figures-json, figures-csv, figure-svg";
                return run.trouble(&format!("no export {id} for comparisons; available: {known}."));
            }
        };
        match written {
            Ok(()) => run.deliver(name, &bytes, out),
            Err(why) => run.trouble(&format!("export {id}: {why}")),
        }
    } else if let Some(view) = &args.svg {
        let palette = args.palette();
        let look = DrawStyle { palette: &palette, language: Language::En };
        let drawn = match view.as_str() {
            "details" => compared_svg(&joined.families, args.size, &look),
            "lifetimes" => compared_lifetimes(&baseline, &comparison, args.size, &palette),
            _ => {
                return run
                    .trouble(&format!("no view {view} for comparisons; available: details, lifetimes."));
            }
        };
        match drawn {
            Ok(text) => run.deliver("difference.svg", text.as_bytes(), out),
            Err(why) => run.trouble(&why),
        }
    } else {
        let text = difference(&joined, files);
        run.print(text.as_bytes());
    }
}

/// What was compared, the facts side by side, and what was kept apart and why.
fn difference(joined: &JoinedFigures, files: [&PathBuf; 2]) -> String {
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
        let _ = writeln!(out, "not compared {}: {} ({})", apart.id, apart.why, apart.n);
    }
    out
}
