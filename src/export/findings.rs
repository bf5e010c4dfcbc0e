//! What limits a program, as text and as JSON: the same sentences as on the page.
//!
//! ```text
//! { schema, version, complete, faults: [ { code, severity, entry, sentence } ], figures: [ … ], findings: [ { code, rule_version, subject, severity, sentence, line,
//!   value, unit, verdict, saving: { kind, value, unit, share, of, model }, writer, quotes: [ { writer, text } ], thresholds,
//!   evidence: { title, shown, view, address, query, list, numbers, how } } ],
//!   rules: [ { code, version, title, thresholds, outcome, said } ] }
//! ```
//! `complete` is false where rules did not look, or the files are damaged: `faults` says how. Where a `unit` is `%`, the number is percent, 0 to 100; `share` is 0 to 1. `version` counts up when a field means
//! something else; fields may be added.

use super::{Export, ExportInput, whole};
use crate::analysis::finding::{
    Change, ComparedFinding, Finding, Limit, Measure, Outcome, Overview, RuleState, SavingKind, Severity,
    amount, compared_overviews, plain,
};
use crate::base::fault::{Fault, is_damage};
use crate::base::unit::Unit;
use crate::base::visible::one_line;
use crate::base::words::{Language, Message, phrase};
use crate::base::{number, pairs};
use crate::model::figure::Quote;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::{Result, Write};

/// Counts up when a field means something else.
pub const SCHEMA_VERSION: u32 = 2;

/// The export.
pub(crate) static FINDINGS_JSON: Export = Export {
    id: "findings-json",
    title: phrase("Findings as JSON"),
    suffix: "findings.json",
    mime: "application/json",
    takes_argument: false,
    parameters: &[],
    can: |_| true,
    write: |_, argument| whole(write, argument),
};

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let none = Overview::default();
    let value = data(input.overview.unwrap_or(&none), input.faults.rows());
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)
}

fn said(message: &Message) -> String {
    plain(&message.text(Language::En))
}

fn unit(unit: &Unit) -> &str {
    unit.symbol()
}

/// A number of this unit on the one scale that the unit's name stands for.
pub(super) fn scaled(value: f64, unit: &Unit) -> f64 {
    if *unit == Unit::Share { number::without_noise(value * 100.0) } else { value }
}

fn limits(all: &[Limit]) -> Value {
    let one = |limit: &Limit| json!({"name": limit.name, "value": scaled(limit.value, &limit.unit), "unit": unit(&limit.unit), "source": limit.source});
    all.iter().map(one).collect()
}

/// An address as names and values; a name that repeats has a list.
fn query(address: &str) -> Value {
    let mut all = Map::new();
    for (name, value) in pairs::split(address) {
        match all.get_mut(&name) {
            Some(Value::Array(list)) => list.push(value.into()),
            Some(one) => *one = json!([one.take(), value]),
            None => drop(all.insert(name, value.into())),
        }
    }
    Value::Object(all)
}

/// One finding as data.
pub fn finding(finding: &Finding, rules: &[RuleState]) -> Value {
    let evidence = &finding.evidence;
    let number = |of: &crate::analysis::finding::Number| json!({"name": said(&of.name), "value": scaled(of.value, &of.unit), "unit": unit(&of.unit), "note": said(&of.note)});
    let quote = |of: &Quote| json!({"writer": of.writer, "text": said(&of.text)});
    let rule = rules.iter().find(|rule| rule.id == finding.rule);
    let saving = &finding.saving;
    let kind = match saving.kind {
        SavingKind::None => "none",
        SavingKind::Bound => "bound",
        SavingKind::Estimate => "estimate",
    };
    json!({
        "code": finding.rule,
        "rule_version": finding.version,
        "subject": finding.subject,
        "severity": if finding.severity == Severity::Warning { "warning" } else { "note" },
        "sentence": said(&finding.sentence),
        "line": said(&finding.line),
        "value": scaled(finding.value, &finding.unit),
        "unit": unit(&finding.unit),
        "saving": {
            "kind": kind,
            "value": scaled(saving.value, &saving.unit),
            "unit": unit(&saving.unit),
            "share": saving.share,
            "of": said(&saving.part()),
            "model": said(&saving.model),
        },
        "verdict": said(&finding.verdict),
        "writer": finding.writer,
        "quotes": finding.quotes.iter().map(quote).collect::<Vec<_>>(),
        "thresholds": rule.map_or(Value::Null, |rule| limits(&rule.thresholds)),
        "evidence": {
            "title": said(&evidence.title),
            "shown": said(&evidence.shown),
            "view": evidence.view,
            "address": evidence.address,
            "query": query(&evidence.address),
            "list": evidence.list,
            "numbers": evidence.numbers.iter().map(number).collect::<Vec<_>>(),
            "how": said(&evidence.how),
        },
    })
}

/// What is damaged or left out of the files.
fn faults(all: &[Fault]) -> Value {
    let one = |fault: &Fault| json!({"code": fault.code, "severity": fault.severity.name(), "entry": fault.place.entry, "sentence": fault.to_string()});
    all.iter().filter(|fault| is_damage(fault)).map(one).collect()
}

/// All of it as data.
pub fn data(overview: &Overview, of_files: &[Fault]) -> Value {
    let tiles = overview.tiles.iter().map(|tile| {
        json!({"label": said(&tile.label), "value": said(&tile.value), "comparison": said(&tile.comparison)})
    });
    let rules = overview.rules.iter().map(|rule| {
        let (outcome, text) = outcome(&rule.outcome);
        json!({
            "code": rule.id,
            "version": rule.version,
            "title": rule.title,
            "thresholds": limits(&rule.thresholds),
            "outcome": outcome,
            "said": text,
        })
    });
    json!({
        "schema": "lanescope-findings",
        "version": SCHEMA_VERSION,
        "complete": overview.is_whole && !of_files.iter().any(is_damage),
        "faults": faults(of_files),
        "figures": tiles.collect::<Vec<_>>(),
        "findings": overview.findings.iter().map(|one| finding(one, &overview.rules)).collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
    })
}

fn outcome(outcome: &Outcome) -> (&'static str, String) {
    match outcome {
        Outcome::Found(n) => ("found", n.to_string()),
        Outcome::Nothing(text) => ("nothing", said(text)),
        Outcome::Missing(text) => ("missing", said(text)),
    }
}

/// A number of the evidence with its unit.
fn value(of: &crate::analysis::finding::Number) -> String {
    amount(of.value, &of.unit)
}

/// The same on one line: names of files may have ends of lines, after which anything could stand.
fn told(message: &Message) -> String {
    one_line(&said(message)).into_owned()
}

/// All of it as text for a terminal.
#[allow(clippy::too_many_lines)] // one line of text after the other
pub fn text(overview: &Overview) -> String {
    let mut out = String::new();
    // Writing into a String never fails, so results are dropped.
    if !overview.lost.is_empty() {
        let _ = writeln!(out, "{}\n", told(&overview.lost));
    }
    for tile in &overview.tiles {
        let comparison = told(&tile.comparison);
        let behind = if comparison.is_empty() { String::new() } else { format!(" ({comparison})") };
        let _ = writeln!(out, "{}: {}{behind}", told(&tile.label), told(&tile.value));
    }
    for part in &overview.parts {
        let note = told(&part.note);
        let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
        let _ = writeln!(out, "\n{}{note}", told(&part.title));
        for row in &part.rows {
            let _ = writeln!(
                out,
                "  {}\t{}",
                told(&row.name).replace('\t', " "),
                one_line(&row.cells.join("\t"))
            );
        }
    }
    let _ = writeln!(out, "\nWhat limits it: {}", counted(overview.findings.len(), "findings"));
    for finding in &overview.findings {
        let sign = if finding.severity == Severity::Warning { "!" } else { "i" };
        let writer = if finding.writer.is_empty() { String::new() } else { format!(" [{}]", finding.writer) };
        let _ = writeln!(
            out,
            "{sign} {}  {}{writer}",
            finding.saving.text(Language::En),
            told(&finding.sentence)
        );
        if !finding.line.is_empty() {
            let _ = writeln!(out, "    {}", told(&finding.line));
        }
        for quote in &finding.quotes {
            let _ = writeln!(out, "    {}", told(&quote.said()));
        }
        for number in &finding.evidence.numbers {
            let note = told(&number.note);
            let _ = writeln!(out, "    {}: {} {note}", told(&number.name), value(number));
        }
        let _ = writeln!(out, "    {} #{}", finding.rule, finding.evidence.address);
    }
    for (title, is_meant) in [("Checked, nothing found", true), ("Could not be checked", false)] {
        let rules: Vec<_> = overview
            .rules
            .iter()
            .filter(|rule| match rule.outcome {
                Outcome::Found(_) => false,
                Outcome::Nothing(_) => is_meant,
                Outcome::Missing(_) => !is_meant,
            })
            .collect();
        if !rules.is_empty() {
            let _ = writeln!(out, "\n{title}: {}", counted(rules.len(), "rules"));
        }
        for rule in rules {
            let _ = writeln!(out, "  {} ({}): {}", rule.title, rule.id, one_line(&outcome(&rule.outcome).1));
        }
    }
    out
}

/// A number with its noun: `1 finding`.
fn counted(n: usize, nouns: &str) -> String {
    number::of_kind(&n.to_string(), nouns)
}

// Two profiles.

fn word(change: Change) -> &'static str {
    match change {
        Change::Appeared => "appeared",
        Change::Unchecked => "not checked",
        Change::Turned => "turned",
        Change::Grew => "grew",
        Change::Same => "same",
        Change::Shrank => "shrank",
        Change::Vanished => "vanished",
        Change::Apart => "not comparable",
        Change::Both => "in both",
    }
}

/// What became of the findings of a baseline, as JSON: `{ schema, version, complete, faults: { baseline, comparison },
/// findings: [ { change, baseline, comparison } ] }`. What is wrong with the files of both comes beside.
pub fn compared_json((baseline, comparison): (&Overview, &Overview), [old, new]: [&[Fault]; 2]) -> String {
    let one = |of: &ComparedFinding| {
        json!({
            "change": word(of.change),
            "baseline": of.baseline.map(|one| finding(one, &baseline.rules)),
            "comparison": of.comparison.map(|one| finding(one, &comparison.rules)),
        })
    };
    let all: Vec<Value> = compared_overviews(baseline, comparison).iter().map(one).collect();
    let is_damaged = old.iter().chain(new).any(is_damage);
    let value = json!({
        "schema": "lanescope-findings-compared",
        "version": SCHEMA_VERSION,
        "complete": baseline.is_whole && comparison.is_whole && !is_damaged,
        "faults": {"baseline": faults(old), "comparison": faults(new)},
        "findings": all,
    });
    format!("{value:#}\n")
}

/// The same as text for a terminal.
pub fn compared_text(baseline: &Overview, comparison: &Overview) -> String {
    let all = compared_overviews(baseline, comparison);
    let mut out =
        format!("findings: {} before, {} now\n", baseline.findings.len(), comparison.findings.len());
    // Writing into a String never fails, so results are dropped.
    for (of, overview) in [("baseline", baseline), ("comparison", comparison)] {
        if !overview.lost.is_empty() {
            let _ = writeln!(out, "{of}: {}", told(&overview.lost));
        }
    }
    for of in all {
        let [before, after] = [of.baseline, of.comparison]
            .map(|one| one.map_or("–".to_owned(), |one| one.saving.text(Language::En)));
        let said = of.comparison.or(of.baseline).map_or(String::new(), |one| one.said(Language::En));
        let is_known = |(old, new): (&Finding, &Finding)| old.verdict.is_empty() == new.verdict.is_empty();
        let is_share = |(old, new): (&Finding, &Finding)| Measure::of(old, new) == Measure::Share;
        let how = match of.change {
            Change::Apart
                if of.baseline.zip(of.comparison).is_some_and(|(old, new)| old.is_of_others(new)) =>
            {
                ": of another number of devices"
            }
            Change::Apart if of.baseline.zip(of.comparison).is_some_and(is_known) => {
                ": not parts of the same whole"
            }
            Change::Grew | Change::Shrank if of.baseline.zip(of.comparison).is_some_and(is_share) => {
                " as a share"
            }
            _ => "",
        };
        let _ = writeln!(out, "  {}{how}\t{before}\t{after}\t{}", word(of.change), one_line(&said));
    }
    out
}
