//! The report: well-formed, without script and without anything from elsewhere, with all findings, faults and notes, of one
//! profile and of two.

use crate::support::front_door::{open_case, open_one};
use crate::words::chinese;
use lanescope::analysis::report::{PARTS, REPORT, ReportAsk, ReportBaseline};
use lanescope::base::fault::{Fault, Kind, Place, Severity};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::engine::compare::keep;
use lanescope::export::report::MOST;
use lanescope::model::notes::{Note, Notes};
use lanescope::wire::{Answer, Query};

/// Elements without an end.
const VOID: [&str; 4] = ["meta", "img", "br", "!DOCTYPE"];
/// Elements that a report may have.
const KNOWN: &str = "html head body header footer section article nav style title meta h1 h2 h3 h4 p a b i br div span \
    small code ol ul li dl dt dd table thead tbody tr th td figure figcaption details summary img svg g path rect text \
    image clipPath pattern !DOCTYPE";

/// The texts of a report, after a look at each of its elements: what is opened is closed, nothing runs, nothing is fetched.
fn text_of(html: &str) -> String {
    let (mut open, mut text, mut rest) = (Vec::<&str>::new(), String::new(), html);
    while let Some((before, behind)) = rest.split_once('<') {
        assert!(!before.contains('>') || open.contains(&"style"), "a stray > in {before:?}");
        text.push_str(before);
        let end = end_of_tag(behind);
        let (tag, behind) = (&behind[..end], &behind[end + 1..]);
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "at {tag}");
            continue;
        }
        let name = tag.split([' ', '/', '\n']).next().unwrap();
        assert!(KNOWN.split_whitespace().any(|known| known == name), "<{tag}>");
        for (attribute, value) in attributes(tag) {
            assert!(!attribute.starts_with("on"), "<{tag}>");
            if ["href", "src"].contains(&attribute) {
                assert!(value.starts_with('#') || value.starts_with("data:image/"), "<{tag}>");
            }
            assert!(!value.contains("url(") || value.contains("url(#"), "<{tag}>");
        }
        if name == "style" {
            let (sheet, behind) = behind.split_once("</style>").unwrap();
            assert!(!sheet.contains('<') && !sheet.contains("url(") && !sheet.contains("@import"));
            rest = behind;
        } else if !VOID.contains(&name) && !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    text.push_str(rest);
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    flat(&text)
}

/// Where the tag that a text begins with ends; `>` in quotes does not end it.
fn end_of_tag(text: &str) -> usize {
    let mut is_quoted = false;
    text.find(|c| {
        is_quoted ^= c == '"';
        c == '>' && !is_quoted
    })
    .expect("a tag has an end")
}

fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = tag.split('"').collect();
    let pairs = parts.chunks_exact(2).map(|pair| {
        let name = pair[0].trim().rsplit(' ').next().unwrap().trim_end_matches('=');
        (name, pair[1])
    });
    pairs.collect()
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn html(doc: &mut Document, ask: ReportAsk) -> String {
    let (answer, bytes) = doc.query(&Query::ReportFile { ask: Box::new(ask), seen: None });
    let Answer::File { name, mime, is_whole: true, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(mime, "text/html");
    assert!(name.ends_with(".report.html"), "{name}");
    let html = String::from_utf8(bytes.unwrap()).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert!(html.contains("default-src 'none'; style-src 'unsafe-inline'; img-src data:"));
    assert!(!html.contains("NaN") && html.len() <= MOST, "{} bytes", html.len());
    html
}

fn note(text: &str) -> Option<Notes> {
    let address = "view=timeline&window=0,100".to_owned();
    let list = vec![Note { text: text.to_owned(), address, time: 1_790_000_000_000.0 }];
    Some(Notes { list, ..Notes::default() })
}

#[test]
fn a_report_holds_what_is_known_of_a_profile_of_each_system() {
    for (format, case) in [
        ("msinsight", "device"),
        ("msinsight", "simulator"),
        ("systrace", "marks"),
        ("neutrino", "whole"),
        ("gpu_multitrace", "run"),
        ("nvbit", "plain"),
        ("gainsight_report", "plain"),
        ("scalesim", "run"),
        ("trace_event", "pytorch_like"),
        ("trace_event", "damaged"),
    ] {
        let (mut doc, is_ready) = open_case(format, case);
        assert!(is_ready, "{format}/{case}");
        let overview = doc.whole_overview();
        let made = html(&mut doc, ReportAsk { notes: note("seen here"), ..ReportAsk::default() });
        let text = text_of(&made);
        for finding in &overview.findings {
            assert!(text.contains(&flat(&finding.said(Language::En))), "{format}/{case}: {}", finding.rule);
            assert!(text.contains(&flat(&finding.saving.amount())), "{format}/{case}: {}", finding.rule);
            for number in &finding.evidence.numbers {
                assert!(text.contains(&flat(&number.name.to_string())), "{format}/{case}: {}", number.name);
            }
        }
        for tile in &overview.tiles {
            assert!(text.contains(&flat(&tile.value.to_string())), "{format}/{case}: {}", tile.label);
        }
        for fault in doc.faults().rows() {
            assert!(text.contains(&flat(&fault.text(Language::En))), "{format}/{case}: {fault}");
        }
        for family in &doc.trace().figures {
            assert!(text.contains(&flat(&family.variants[0].title)), "{format}/{case}: {}", family.id);
        }
        for table in &doc.trace().tables {
            assert!(text.contains(&flat(&table.title)), "{format}/{case}: {}", table.id);
        }
        assert!(text.contains("seen here") && text.contains("2026-09-21"), "{format}/{case}: the note");
        let n_pictures = made.matches("<div class=\"picture\"").count();
        assert_eq!(made.matches(" role=\"img\" aria-label=\"").count(), n_pictures, "{format}/{case}");
        let (mut again, _) = open_case(format, case);
        again.whole_overview();
        let again = html(&mut again, ReportAsk { notes: note("seen here"), ..ReportAsk::default() });
        assert!(again == made, "{format}/{case}: twice the same");
    }
}

/// One thread that works, twice, with nothing between, in µs.
fn with_gap(name: &str, gap: u64) -> Vec<u8> {
    let end = 600 + gap;
    let event = |ts: u64, dur: u64| {
        format!(r#"{{"ph": "X", "name": {name:?}, "pid": 1, "tid": 1, "ts": {ts}, "dur": {dur}}}"#)
    };
    format!(r#"{{"traceEvents": [{}, {}]}}"#, event(0, 600), event(end, 200)).into_bytes()
}

#[test]
fn names_that_hold_markup_stay_names() {
    let evil = r"</style></title><script>alert(1)</script><img src=x onerror=alert(1)> & <b>bold</b>";
    let (mut doc, is_ready) = open_one(&format!("{evil}.json"), with_gap(evil, 200));
    assert!(is_ready);
    let ask = ReportAsk { name: evil.to_owned(), notes: note(evil), ..ReportAsk::default() };
    let made = html(&mut doc, ask);
    assert!(!made.contains("<script") && !made.contains("onerror=alert(1)>") && !made.contains("<b>bold"));
    let text = text_of(&made);
    assert!(text.matches("<script>alert(1)</script>").count() >= 3, "{text}");
}

#[test]
fn parts_can_be_chosen() {
    let (mut doc, _) = open_case("msinsight", "device");
    let heads = |html: &str| PARTS.map(|(id, _)| html.contains(&format!("<section id=\"{id}\">")));
    let all = html(&mut doc, ReportAsk { notes: note("seen"), ..ReportAsk::default() });
    assert!(heads(&all)[0] && heads(&all)[1] && heads(&all)[3] && heads(&all)[4]);
    let only = |parts: &[&str]| Some(parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
    let some = html(&mut doc, ReportAsk { parts: only(&["faults"]), ..ReportAsk::default() });
    assert_eq!(heads(&some), [false, false, false, true, false]);
    let first = doc.trace().figures[0].clone();
    let ask = ReportAsk { parts: only(&["figures"]), figures: Some(vec![first.id]), ..ReportAsk::default() };
    assert_eq!(html(&mut doc, ask).matches("<figcaption>").count(), 1);
    // The same by the id of the export, as scripts have it.
    let export = |id: String| Query::Export { id };
    let bytes = doc.query(&export(format!("{REPORT}:faults"))).1.unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), some);
    let Answer::Failed(why) = doc.query(&export(format!("{REPORT}:nothing"))).0 else {
        panic!("it is unknown")
    };
    assert_eq!(why, "Unknown part nothing; available: findings, figures, tables, faults, notes.");
}

#[test]
fn a_report_of_two_profiles_says_what_became_of_findings() {
    for (gaps, said) in [
        ([0, 400], "no finding in the baseline"),
        ([200, 400], "higher share than in the baseline"),
        ([400, 200], "lower share than in the baseline"),
        ([400, 0], "Only in the baseline"),
    ] {
        let [(mut old, _), (mut new, _)] =
            gaps.map(|gap| open_one(&format!("gap-{gap}.json"), with_gap("work", gap)));
        let (overview, alone) = (old.whole_overview(), keep(&old, &mut new));
        let name = format!("gap-{}.json", gaps[0]);
        let headline = "Different inputs are compared.".to_owned();
        let notes = note("as it was");
        let before = ReportBaseline { name, overview, headline, notes, alone, faults: Vec::new() };
        let text = text_of(&html(&mut new, ReportAsk { baseline: Some(before), ..ReportAsk::default() }));
        let head = format!("gap-{}.json → gap-{}.json — Lanescope", gaps[0], gaps[1]);
        let of_both = ["A is the baseline, B is this file.", "Different inputs are compared.", "as it was"];
        for part in of_both.into_iter().chain([said, &head]) {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

/// A file that is damaged may be all that differs.
#[test]
fn a_report_of_two_profiles_says_what_is_wrong_with_the_baseline() {
    let (mut new, _) = open_one("new.json", with_gap("work", 200));
    let place = Place::entry("old.bin");
    let fault = Fault::new("ASC-CUT", Severity::Loss, place, Kind::Truncated { needed: 9_812, left: 1_602 });
    let text = |faults: Vec<Fault>, new: &mut Document| {
        let before = ReportBaseline { name: "old.bin".to_owned(), faults, ..ReportBaseline::default() };
        text_of(&html(new, ReportAsk { baseline: Some(before), ..ReportAsk::default() }))
    };
    let told = text(vec![fault], &mut new);
    let (own, old) = told.split_once("No problems found.").unwrap();
    assert!(!own.contains("1,602") && old.contains("Baseline") && old.contains("1,602"), "{told}");
    assert!(!text(Vec::new(), &mut new).contains("ASC-CUT"));
}

#[test]
fn figures_of_two_profiles_are_joined() {
    let [(mut old, _), (mut new, _)] = ["device", "device"].map(|case| open_case("msinsight", case));
    let (overview, alone) = (old.whole_overview(), keep(&old, &mut new));
    assert!(alone.is_empty(), "{alone:?}");
    let before = ReportBaseline { name: "before".to_owned(), overview, alone, ..ReportBaseline::default() };
    let text = text_of(&html(&mut new, ReportAsk { baseline: Some(before), ..ReportAsk::default() }));
    assert!(text.contains("(difference)") || text.contains("Difference"), "{text}");
}

#[test]
fn a_report_stays_small_and_says_what_it_leaves_out() {
    let (mut doc, _) = open_case("msinsight", "device");
    let picture = |n: usize| (format!("Picture {n}"), "<svg></svg>".repeat(150_000));
    let ask =
        ReportAsk { pictures: (0..4).map(picture).collect(), notes: note("seen"), ..ReportAsk::default() };
    let made = html(&mut doc, ask);
    assert!(made.contains("were left out, so that this file stays below 5.0 MB.") && made.contains("seen"));
}

#[test]
fn a_report_is_in_the_language_of_its_reader() {
    chinese();
    let (mut doc, _) = open_one("trace.json", with_gap("work", 200));
    doc.set_language(Language::Zh);
    let made = html(&mut doc, ReportAsk::default());
    assert!(made.contains("<html lang=\"zh-CN\">") && made.contains("总览与发现"), "{made}");
}
