//! What a change must be to be told of, and the finding that tells of it.

use super::changes::{Change, Changes, KeyRuns};
use super::figures::{lines, of_sets, percent};
use super::read::Samples;
use super::sets::Sets;
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{fixed, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Rule, Threshold};
use crate::model::figure::{Body, Figure};

/// Most findings of a rule.
pub(super) const SHOWN: usize = 3;
/// At most this share of what is told of is a false alarm.
pub(super) const ALARMS: f64 = 0.05;
/// The least change that is told of.
pub(super) const LEAST: f64 = 0.01;

/// How certain findings are.
pub(super) const FALSE_ALARMS: Threshold = Threshold {
    name: phrase("false discovery rate"),
    value: ALARMS,
    unit: Unit::Share,
    source: phrase("usual significance level; Benjamini and Hochberg 1995 for multiple tests"),
};

/// The thresholds of all rules that compare runs.
pub(super) static THRESHOLDS: &[Threshold] = &[
    FALSE_ALARMS,
    Threshold {
        name: phrase("change"),
        value: LEAST,
        unit: Unit::Share,
        source: phrase("our own choice: less is seldom worth a look"),
    },
];

impl Change {
    /// Whether it is more than chance.
    pub(super) fn is_certain(&self) -> bool {
        self.q.is_some_and(|q| q <= ALARMS)
    }

    /// Whether it is more than chance, and by so much that it is worth a look.
    pub(super) fn is_real(&self) -> bool {
        self.is_certain() && LEAST <= self.share().unwrap_or(0.0).abs()
    }

    /// The same, and for the worse.
    pub(super) fn is_rise(&self) -> bool {
        self.is_real() && 0.0 < self.share().unwrap_or(0.0)
    }
}

/// What a finding is of: its rule, its name with the unit of its values, and the figure that has it.
pub(super) struct Subject<'a> {
    pub(super) rule: &'static Rule,
    pub(super) name: &'a str,
    /// The name as sentences have it.
    pub(super) told: &'a str,
    pub(super) unit: Unit,
    pub(super) figure: &'static str,
    /// How it was found.
    pub(super) how: &'static str,
}

/// The name of a run; a dash where no file says it.
pub(super) fn run_name(samples: &Samples, at: usize) -> &str {
    samples.runs.get(at).map_or("–", |run| if run.is_empty() { "–" } else { run.as_str() })
}

/// In which runs a change is: in all from one on, unless it is gone again before the last.
fn since((samples, result): (&Samples, &Changes), sets: &Sets) -> Message {
    let run = |at: usize| run_name(samples, at);
    let (first, last) = (sets.after.start, sets.after.end.saturating_sub(1));
    let said = match () {
        () if sets.after.end == result.usual.after.end => message("from run {run} on"),
        () if first == last => message("in run {run}"),
        () => message("from run {run} to run {last}").with("last", run(last)),
    };
    said.with("run", run(first))
}

/// A change as a finding; the saving is left to the rule.
pub(super) fn finding(
    (samples, result): (&Samples, &Changes),
    (change, key): (&Change, &KeyRuns),
    of: Subject,
    (sentence, line): (Message, Message),
) -> Finding {
    let (before, after) = (change.before.unwrap_or(0.0), change.after.unwrap_or(0.0));
    let share = change.share().unwrap_or(0.0);
    let said = |value: f64| match of.unit {
        Unit::None => fixed(value, 1),
        _ => with_unit(value, &of.unit),
    };
    let address = result.address(of.figure, &change.sets);
    let chart = lines(samples, key, (of.name, of.unit.clone()), &change.sets);
    let number = |name, value, n: usize| {
        Number::new(name, value, of.unit.clone()).note(message("{n} runs").with("n", n))
    };
    let mut numbers = vec![
        number(phrase("Before"), before, change.runs.0),
        number(phrase("After"), after, change.runs.1),
        Number::new(phrase("False alarms"), change.q.unwrap_or(1.0), Unit::Share),
    ];
    if of.figure == "dataset-kernels" && of.unit == Unit::Nanos {
        numbers.insert(2, Number::new(phrase("Launches per run"), change.per_run, Unit::None));
    }
    Finding {
        subject: of.name.to_owned(),
        severity: Severity::Warning,
        sentence: sentence
            .with("kernel", of.told)
            .with("share", percent(share).trim_start_matches('+'))
            .with_message("since", since((samples, result), &change.sets)),
        line: line.with("before", said(before)).with("after", said(after)),
        value: share * 100.0,
        unit: Unit::Percent,
        saving: Saving::default(),
        evidence: Evidence {
            shown: of_sets(samples, &change.sets),
            figure: Some(Figure::new("", Body::Lines(chart))),
            numbers,
            how: message(of.how),
            view: "details".to_owned(),
            list: address.clone(),
            address,
            ..Evidence::default()
        },
        ..of.rule.finding()
    }
}
