//! Series of runs: where they change, for how long, and what leads there.

use super::{Folder, convert_tables, csv, open, row, trace};
use lanescope::navigation::route::Route;

/// Fourteen nights of two traces; softmax takes a fifth longer from this one on.
fn nights(name: &str, from: usize) -> Folder {
    let folder = Folder::new(name);
    for night in 0..14_usize {
        let dur = 40_000.0 * (1.0 + (night * 5 % 7) as f64 / 1e3) * if night < from { 1.0 } else { 1.2 };
        let run =
            if night < 7 { format!("2026-01-{}", 25 + night) } else { format!("2026-02-{:02}", night - 6) };
        for of in 0..2 {
            convert_tables(&folder, &run, &format!("t{night}-{of}.json"), trace(12, dur, of), &|table| {
                table == "kernels"
            });
        }
    }
    folder
}

/// A change that is not where the halves meet is found, and said to begin where it does.
#[test]
fn a_change_is_found_at_the_run_where_it_begins() {
    for (from, run) in [(3, "2026-01-28"), (8, "2026-02-02"), (11, "2026-02-05")] {
        let folder = nights(&format!("nights-{from}"), from);
        let mut doc = open(&folder);
        let overview = doc.whole_overview();
        let said: Vec<String> = overview.findings.iter().map(|one| one.said(Default::default())).collect();
        assert_eq!(said.len(), 1, "{from}: {said:?}");
        assert!(said[0].ends_with(&format!("longer from run {run} on.")), "{said:?}");
        assert!((overview.findings[0].value - 20.0).abs() < 0.6, "{}", overview.findings[0].value);
        let tile = |label: &str| {
            overview.tiles.iter().find(|tile| tile.label.text(Default::default()) == label).unwrap()
        };
        let change = tile("Largest change").amount.clone().unwrap().0 * 100.0;
        assert!((change - overview.findings[0].value).abs() < 1e-9, "the tile says the same: {change}");
        let part = &overview.parts[0];
        assert_eq!(part.rows[0].cells.last().map(String::as_str), Some(run));
        // Where it leads, the table has the same runs and the same change: the table begins with it.
        let leads = Route::parse(&overview.findings[0].evidence.address).selection.figure;
        assert_eq!(leads, Some(("dataset-kernels".to_owned(), vec![0])));
        let cells = row(&csv(&mut doc, "dataset-kernels"), "softmax");
        assert!((cells[3].parse::<f64>().unwrap() - change).abs() < 0.01, "{cells:?} {change}");
        assert_eq!(cells[8], format!("{from} / {}", 14 - from), "{cells:?}");
    }
    let folder = nights("nights-none", 14);
    assert!(open(&folder).whole_overview().findings.is_empty());
}

/// So many runs of one trace each; softmax and gemm take longer in these.
fn runs_of(name: &str, n: usize, softmax: impl Fn(usize) -> f64, gemm: impl Fn(usize) -> bool) -> Folder {
    let folder = Folder::new(name);
    for run in 0..n {
        let text = trace(6, 40_000.0 * (1.0 + (run * 5 % 7) as f64 / 1e3) * softmax(run), run);
        // 100 µs and some nanoseconds become 130.
        let text = if gemm(run) { text.replace(r#""dur":100"#, r#""dur":130"#) } else { text };
        convert_tables(&folder, &format!("night-{}", run + 1), "t.json", text, &|table| table == "kernels");
    }
    folder
}

fn told(folder: &Folder) -> Vec<String> {
    open(folder).whole_overview().findings.iter().map(|one| one.said(Default::default())).collect()
}

#[test]
fn a_slowdown_that_went_away_is_told_with_its_last_run() {
    let slow = |runs: std::ops::Range<usize>| move |run: usize| if runs.contains(&run) { 1.2 } else { 1.0 };
    let told = |name: &str, runs: std::ops::Range<usize>| told(&runs_of(name, 40, slow(runs), |_| false));
    let away = told("away", 12..34);
    assert_eq!(away.len(), 1, "{away:?}");
    assert!(away[0].starts_with("softmax takes 20."), "{away:?}");
    assert!(away[0].ends_with("longer from run night-13 to run night-34."), "{away:?}");
    let last = told("away-last", 12..39);
    assert!(last[0].ends_with("longer from run night-13 to run night-39."), "{last:?}");
    let holds = told("holds", 12..40);
    assert!(holds[0].ends_with("longer from run night-13 on."), "{holds:?}");
    // What holds in most runs up to the end holds, though one of them was as fast as before.
    let but_one = |run: usize| if 12 <= run && !matches!(run, 20 | 39) { 1.2 } else { 1.0 };
    let said = self::told(&runs_of("but-one", 40, but_one, |_| false));
    assert!(said[0].ends_with("longer from run night-13 on."), "{said:?}");
}

/// More runs than choices: a finding still leads to the runs that it compares.
#[test]
fn links_of_findings_lead_to_their_runs_however_many_there_are() {
    let folder = runs_of("choices", 230, |run| if run < 215 { 1.0 } else { 1.5 }, |run| 208 <= run);
    let mut doc = open(&folder);
    let overview = doc.whole_overview();
    assert_eq!(overview.findings.len(), 2, "{:?}", overview.findings);
    for finding in &overview.findings {
        let name = if finding.subject == "softmax" { "softmax" } else { "void gemm" };
        let (from, size) = if name == "softmax" { (215, 50.0) } else { (208, 30.0) };
        let address = Route::parse(&finding.evidence.address).selection.figure;
        let (figure, options) = address.unwrap();
        let cells = row(&csv(&mut doc, &format!("{figure}:{}", options[0])), name);
        assert_eq!(cells[8], format!("{from} / {}", 230 - from), "{cells:?}");
        assert!((finding.value - size).abs() < 0.5, "{finding:?}");
        assert!((cells[3].parse::<f64>().unwrap() - finding.value).abs() < 0.01, "{cells:?}");
        let is_it = |row: &&lanescope::analysis::finding::PartRow| row.name.to_string().starts_with(name);
        let leads = overview.parts[0].rows.iter().find(is_it).unwrap();
        let of_row = Route::parse(&leads.address).selection.figure;
        assert_eq!(of_row, Some((figure, options)), "the row of the overview leads there too");
    }
}
