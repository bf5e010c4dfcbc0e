//! `--compare`: the figures of two documents joined, printed, exported or drawn.

use super::gate::judge;
use super::native::{Args, damaged, gathered, not_opened, take_inputs, write_report};
use super::output::Run;
use lanescope::analysis::compare::family::JoinedFigures;
use lanescope::analysis::compare::{Total, change};
use lanescope::analysis::device::has_streams;
use lanescope::analysis::report::{ReportAsk, ReportBaseline};
use lanescope::base::names;
use lanescope::base::number::{MISSING, thousands, with_unit};
use lanescope::base::unit::Unit;
use lanescope::base::visible::one_line;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw::facts::{column_digits, head_in, text_in_row};
use lanescope::draw::style::DrawStyle;
use lanescope::engine::compare::{figures as joined, headline, keep};
use lanescope::engine::{compared_lifetimes, compared_svg};
use lanescope::export::findings;
use lanescope::export::{families_csv, families_json, families_svg};
use lanescope::input::unpack::MemoryStore;
use lanescope::model::figure::Body;
use lanescope::views::timeline::messages::{Totals, TotalsBy, WorkQuery, WorkReply};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Opens a file, folder or archive as one document; says why when that cannot be done.
fn document(run: &mut Run, args: &Args, file: &PathBuf) -> Option<Document> {
    let found = gathered(args, std::slice::from_ref(file));
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
        run.trouble_in_lines(&text);
    }
    is_ready.then_some(doc)
}

/// What the two files are called in sentences.
const BASELINE: &str = "baseline";
const COMPARISON: &str = "comparison";

/// Joins the figures of two documents and prints, exports or draws them.
pub(super) fn compare(run: &mut Run, args: &Args, files: [&PathBuf; 2]) {
    let [baseline, comparison] = files.map(|file| document(run, args, file));
    let (Some(mut baseline), Some(mut comparison)) = (baseline, comparison) else { return };
    for (doc, of, file) in [(&mut baseline, BASELINE, files[0]), (&mut comparison, COMPARISON, files[1])] {
        take_inputs(run, doc, std::slice::from_ref(file));
        damaged(doc, of);
    }
    if let Some(limit) = &args.fail_over {
        return judge(run, args, [&mut baseline, &mut comparison], limit);
    }
    if let Some(out) = &args.report {
        return reported(run, args, files, [&mut baseline, &mut comparison], out);
    }
    if args.findings || args.export.as_deref() == Some("findings-json") {
        return held(run, args, [&mut baseline, &mut comparison]);
    }
    let joined = joined(&baseline, &comparison);
    let has_slices = [&baseline, &comparison].iter().all(|doc| 0 < doc.trace().n_slices());
    let is_told = args.export.is_none() && args.svg.is_none();
    if joined.n_joined == 0 && !(is_told && has_slices) {
        run.trouble("no figures to compare.");
    }
    let out = args.out.as_deref();
    if let Some(id) = &args.export {
        exported(run, id, &joined, out);
    } else if let Some(view) = &args.svg {
        let palette = args.palette();
        let look = DrawStyle { palette: &palette, language: Language::En };
        let drawn = match view.as_str() {
            "details" => compared_svg(&joined.families, args.size, &look),
            "lifetimes" => compared_lifetimes(&baseline, &comparison, args.size, &palette),
            _ => Err(format!("no view {view} for comparisons; available: details, lifetimes.")),
        };
        match drawn {
            Ok(text) => run.deliver("difference.svg", text.as_bytes(), out),
            Err(why) => run.trouble(&why),
        }
    } else {
        let mut text = format!("baseline {}\ncomparison {}\n", files[0].display(), files[1].display());
        text.extend(headline(&mut baseline, &mut comparison).map(|said| format!("{said}\n")));
        text += &difference(&joined);
        if has_slices {
            let has_devices = [&baseline, &comparison].iter().all(|doc| has_streams(doc.trace()));
            let of_devices = TotalsBy::OF_DEVICES.into_iter().filter(|_| has_devices);
            for by in of_devices.chain([TotalsBy::Name, TotalsBy::Track]) {
                slices(&mut text, [&mut baseline, &mut comparison], by);
            }
        }
        run.print(&text);
    }
}

/// Writes an export of joined figures.
fn exported(run: &mut Run, id: &str, joined: &JoinedFigures, out: Option<&Path>) {
    let mut bytes = Vec::new();
    let families = &joined.families;
    let (name, written) = match id {
        "figures-json" => ("difference.figures.json", families_json(families, &mut bytes)),
        "figures-csv" => ("difference.csv", families_csv(families, &mut bytes)),
        "figure-svg" => ("difference.svg", families_svg(families, Language::En, &mut bytes)),
        _ => {
            let known = "figures-json, figures-csv, figure-svg, findings-json";
            return run.trouble(&format!("no export {id} for comparisons; available: {known}."));
        }
    };
    match written {
        Ok(()) => run.deliver(name, &bytes, out),
        Err(why) => run.trouble(&format!("export {id}: {why}")),
    }
}

/// Writes a report of two documents.
fn reported(
    run: &mut Run,
    args: &Args,
    files: [&PathBuf; 2],
    [baseline, comparison]: [&mut Document; 2],
    out: &Path,
) {
    let [old, name] = <[String; 2]>::try_from(names::ends(&files.map(|file| file.display().to_string())))
        .unwrap_or_else(|_| files.map(|file| file.display().to_string()));
    let said = headline(baseline, comparison).map_or_else(String::new, |said| said.to_string());
    let overview = baseline.whole_overview();
    let alone = keep(baseline, comparison);
    let faults = baseline.faults().rows().to_vec();
    let before = ReportBaseline { name: old, overview, headline: said, notes: None, alone, faults };
    let ask = ReportAsk { name, baseline: Some(before), ..ReportAsk::default() };
    write_report(run, args, comparison, ask, out);
}

/// What became of the findings of the baseline, as text or as data.
fn held(run: &mut Run, args: &Args, docs: [&mut Document; 2]) {
    let [old, new] = docs;
    let (before, after) = (old.whole_overview(), new.whole_overview());
    if args.findings {
        let said = headline(old, new).map_or_else(String::new, |said| format!("{said}\n"));
        run.print(&(said + &findings::compared_text(&before, &after)));
    } else {
        let faults = [old.faults().rows(), new.faults().rows()];
        let text = findings::compared_json((&before, &after), faults);
        run.deliver("difference.findings.json", text.as_bytes(), args.out.as_deref());
    }
}

/// The table that the timeline shows beside a baseline: what slices add up to in both, what changed most first.
fn slices(out: &mut String, docs: [&mut Document; 2], by: TotalsBy) {
    let has_nanos = docs[1].trace().clock.nanos().is_some();
    let unit = if has_nanos { Unit::Nanos } else { Unit::Cycles };
    let [before, after] = docs.map(|doc| match doc.query(&WorkQuery::Totals { span: None, by }).0 {
        Some(WorkReply::Totals(totals)) => *totals,
        _ => Totals::default(),
    });
    let (rows, divided) = by.join(&before, &after);
    let is_of_means = by.is_of_means(divided.is_some());
    let title = match by {
        TotalsBy::Name | TotalsBy::Track => format!("slices by {}", by.title().0),
        by => by.title().1.to_lowercase(),
    };
    if rows.is_empty() && by.is_of_device() {
        return;
    }
    let head = if by == TotalsBy::Track { "Track" } else { "Name" };
    let time = |value: Option<f64>| value.map_or(MISSING.to_owned(), |value| with_unit(value, &unit));
    let signed = |value: f64, text: String| if 0.0 < value { format!("+{text}") } else { text };
    let count = |total: Option<Total>| match total.filter(|total| 0 < total.count) {
        None => MISSING.to_owned(),
        Some(total) => thousands(total.count.cast_signed()),
    };
    // Writing into a String never fails, so results are dropped.
    let _ = writeln!(out, "{title}");
    let [first, difference, last] = by.heads(divided.is_some());
    let _ = divided.map(|said| writeln!(out, "  {said}"));
    let heads = format!("{first} A\t{first} B\t{difference}\tChange\tCount A\tCount B\t{last} A\t{last} B");
    let _ = writeln!(out, "  {head}\t{heads}");
    let beside = if is_of_means { Total::sum } else { Total::mean };
    for pair in &rows {
        let (a, b) = (pair.baseline, pair.comparison);
        let difference = match (a, b, pair.difference(is_of_means)) {
            (.., Some(by)) => signed(by, with_unit(by, &unit)),
            (a, ..) => by.alone(a.is_none()).to_owned(),
        };
        let [of_a, of_b] = pair.compared(is_of_means);
        let said = of_a.zip(of_b).map_or(String::new(), |(a, b)| change(a, b, &unit));
        let change = match pair.change(is_of_means) {
            None => MISSING.to_owned(),
            Some(_) if said.is_empty() => with_unit(0.0, &Unit::Share),
            Some(_) => said,
        };
        let [first_a, first_b] = [of_a, of_b].map(time);
        let [last_a, last_b] = [a, b].map(|total| time(total.and_then(beside)));
        let name = pair.name.replace(['\t', '\n', '\r'], " ");
        let (count_a, count_b) = (count(a), count(b));
        let _ = writeln!(
            out,
            "  {name}\t{first_a}\t{first_b}\t{difference}\t{change}\t{count_a}\t{count_b}\t{last_a}\t{last_b}"
        );
    }
    let left_out = before.left_out + after.left_out;
    if 0 < left_out {
        let n = thousands(left_out.cast_signed());
        let _ = writeln!(out, "  {n} names with the least time are not shown.");
    }
}

/// The tables side by side as the page shows them, and what was kept apart and why.
fn difference(joined: &JoinedFigures) -> String {
    let mut out = String::new();
    // Writing into a String never fails, so results are dropped.
    for family in joined.families.iter().filter(|f| 0 < joined.n_joined_of(f)) {
        let (n, of) = (joined.n_joined_of(family), family.variants.len());
        let part = if n == of { String::new() } else { format!(", {n} of {of} variants") };
        let _ = writeln!(out, "figure {}: {}{part}", one_line(&family.id), one_line(&family.title));
        let Some(Body::Table(table)) = family.variant(&[]).map(|f| &f.body) else { continue };
        let digits: Vec<_> = (0..table.columns.len()).map(|column| column_digits(table, column)).collect();
        let heads: Vec<String> = table.columns.iter().map(|column| head_in(column, Language::En)).collect();
        let _ = writeln!(out, "  {}", one_line(&heads.join("\t")));
        for (at, row) in table.rows.iter().enumerate() {
            let text = |c: usize| {
                let digits = digits.get(c).copied().flatten();
                text_in_row(table, at, c, digits)
            };
            let texts: Vec<String> = (0..row.len()).filter_map(text).collect();
            let _ = writeln!(out, "  {}", one_line(&texts.join("\t")));
        }
    }
    for apart in &joined.apart {
        let _ = writeln!(out, "not compared {}: {} ({})", one_line(&apart.id), one_line(&apart.why), apart.n);
    }
    out
}
