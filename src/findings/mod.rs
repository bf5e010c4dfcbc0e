//! What limits a program: rules as data, what they may look at, how places are named, and the general rules.
//!
//! ```text
//! Rule { id, thresholds with their sources, look } ── look(input) ──▶ Looked
//!     NotHere             the profile is of another kind: nothing is said
//!     Missing(sentence)   it could not look: what is missing, and which option records it
//!     Nothing(sentence)   it looked and found nothing: with its number
//!     Found(findings)     each with a number of the file, a saving that is a bound or has a model, and its place
//! ```
//! General rules stand here, those of a system in its folder. A rule only reads what is there: the trace, results of
//! analyses, what devices did ([`Device`]), what all slices come to ([`Survey`]); it costs a few milliseconds. Whatever takes
//! longer is a job whose result it is given.

mod alike;
pub mod counters;
pub mod cut;
pub mod device;
pub mod instants;
pub mod intervals;
pub mod outliers;
pub mod periods;
pub mod place;
pub mod survey;
pub mod trace;

use crate::analysis::Derived;
use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::analysis::device::Device;
use crate::analysis::finding::{Finding, Limit, Outcome, Overview, Part, RuleState, Tile, rank};
use crate::base::number::{fixed, thousands};
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::message::Arg;
use crate::base::words::{Message, message, phrase};
use crate::format::Faults;
use crate::input::{Bundle, EntryId, read_range};
use crate::model::Trace;
use crate::model::figure::{Advice, Quote};
use crate::model::id::SliceId;
use crate::model::parameter::Values;
use crate::navigation::route::Route;
use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use survey::Survey;

/// One question that is asked of every profile of its kind.
pub struct Rule {
    /// Stable id: `device-launched-late`.
    pub id: &'static str,
    /// Counts up whenever it finds something else in the same file.
    pub version: u32,
    /// Title of its findings, a phrase.
    pub title: &'static str,
    pub thresholds: &'static [Threshold],
    pub look: fn(&RuleInput) -> Looked,
}

/// A number that decides whether a rule finds something.
pub struct Threshold {
    /// What it is, a phrase.
    pub name: &'static str,
    pub value: f64,
    pub unit: Unit,
    /// Where it comes from: a document, a paper, or our own measurement; a phrase.
    pub source: &'static str,
}

/// What a rule says of a profile.
#[derive(Debug)]
pub enum Looked {
    NotHere,
    Missing(Message),
    Nothing(Message),
    Found(Vec<Finding>),
}

impl Looked {
    /// What was found, or, where that is none, this sentence with its number.
    pub fn found_or(findings: Vec<Finding>, nothing: impl FnOnce() -> Message) -> Self {
        if findings.is_empty() { Self::Nothing(nothing()) } else { Self::Found(findings) }
    }
}

/// What a rule found beside its findings stands behind the last of those that would all say it.
fn say_once(findings: &mut [Finding]) {
    let is_more = |(name, arg): &&(Cow<'static, str>, Arg)| name == "more" && matches!(arg, Arg::Message(_));
    let more = |finding: &Finding| finding.line.args.iter().find(is_more).cloned();
    let Some((last, others)) = findings.split_last_mut() else { return };
    let Some(said) = more(last) else { return };
    for other in others.iter_mut().filter(|other| more(other).as_ref() == Some(&said)) {
        let args = other.line.args.iter_mut().filter(|(name, _)| name == "more");
        args.for_each(|(_, arg)| *arg = Arg::Message(Message::default()));
    }
}

/// What counts what it leaves out, where it stands alone.
const MORE: &str = phrase("{n} more: {names}.");
/// Names behind a sentence that counts what it leaves out.
const NAMED: usize = 8;

/// What a rule found beside the first of these: how many, and what they are called. Names may be sentences: these end
/// without their points, and semicolons stand between them.
pub fn more(told: usize, names: impl Iterator<Item = String>) -> Message {
    let rest: Vec<String> = names.skip(told).collect();
    let between = if rest.iter().any(|name| name.ends_with(SENTENCE)) { "; " } else { ", " };
    let named = rest.iter().take(NAMED).map(|name| name.trim_end_matches(SENTENCE));
    let mut text = named.collect::<Vec<_>>().join(between);
    if NAMED < rest.len() {
        text.push_str(between);
        text.push('…');
    }
    match rest.len() {
        0 => Message::default(),
        n => message(" {n} more: {names}.").with("n", n).with("names", text),
    }
}

/// What sentences end with.
const SENTENCE: [char; 2] = ['.', '。'];

/// The first findings of a rule; the last of them names those that are left out.
pub fn cut_off(found: Vec<Finding>, told: usize) -> Vec<Finding> {
    let rest = more(told, found.iter().map(|finding| finding.subject.clone()));
    cut_off_saying(found, told, rest)
}

/// The same with what is said of those that are left out, as [`more`] says it; empty where none is.
pub fn cut_off_saying(mut found: Vec<Finding>, told: usize, rest: Message) -> Vec<Finding> {
    found.truncate(told);
    if let Some(last) = found.last_mut().filter(|_| !rest.is_empty()) {
        let line = std::mem::take(&mut last.line);
        // Nothing stands in front of it then.
        let rest = if line.is_empty() { Message { key: MORE.into(), ..rest } } else { rest };
        last.line = message("{line}{more}").with_message("line", line).with_message("more", rest);
    }
    found
}

/// What the writer of a file says of the same on its figures, each sentence once.
fn quotes(trace: &Trace, finding: &Finding) -> Vec<Quote> {
    let shown = Route::parse(&finding.evidence.address).selection.figure.map(|(id, _)| id);
    let own = shown.as_deref().map(of_file);
    let mut all: Vec<Quote> = Vec::new();
    if finding.claims.is_empty() || !finding.writer.is_empty() {
        return all;
    }
    let families = trace.figures.iter().filter(|family| own.is_none_or(|own| own == of_file(&family.id)));
    let advice = families.flat_map(|family| &family.variants).flat_map(|figure| &figure.advice);
    for quote in advice.filter(|advice| advice.is_of(&finding.claims)).filter_map(Advice::quote) {
        if !all.contains(&quote) {
            all.push(quote);
        }
    }
    all
}

/// What the id of a figure ends with where several files have one of its kind: their number.
pub(crate) fn of_file(id: &str) -> &str {
    let number = id.rsplit_once('-').map_or("", |(_, number)| number);
    if number.bytes().all(|b| b.is_ascii_digit()) { number } else { "" }
}

/// What a rule may look at.
#[derive(Clone, Copy)]
pub struct RuleInput<'a> {
    pub bundle: &'a Bundle,
    pub trace: &'a Trace,
    pub derived: &'a Derived,
    /// What the user set of parameters.
    pub values: &'a Values,
    pub faults: &'a Faults,
    /// What devices did; `None` for traces without streams.
    pub device: Option<&'a Device>,
    /// Whether a system has figures of its own for it: what takes no time there need not be a gap.
    pub is_known: bool,
    /// What all slices come to; `None` for traces without slices.
    pub survey: Option<&'a Survey>,
    /// Arguments of a slice, read anew from its bytes: names and values. The first time that a rule asks there may be none:
    /// what was asked for is read, and the rule looks again.
    pub args: &'a dyn Fn(SliceId) -> Vec<(String, String)>,
}

impl<'a> RuleInput<'a> {
    /// What an analysis may look at.
    pub fn of(&self, analysis: &Analysis) -> AnalysisInput<'a> {
        self.derived.results.input(analysis, self.trace, &self.derived.timeline, self.values)
    }

    /// The result of an analysis as what it is; `None` when it was not made.
    pub fn result<T: Any>(&self, analysis: &Analysis) -> Option<&'a T> {
        self.of(analysis).result()
    }

    /// Bytes of an entry, read anew from the file; empty when they cannot be read (the file may have changed).
    pub fn bytes(&self, entry: u32, range: Range<u64>) -> Vec<u8> {
        let source = self.bundle.get(EntryId(entry)).map(|e| e.source.clone());
        source.and_then(|s| read_range(&*s, range).ok()).unwrap_or_default()
    }

    /// Ticks as a value with its unit.
    pub fn time(&self, ticks: impl Into<i128>) -> (f64, Unit) {
        let ticks = ticks.into() as f64;
        match self.trace.clock.nanos() {
            Some(nanos) => (ticks * nanos, Unit::Nanos),
            None => (ticks, Unit::Cycles),
        }
    }

    /// Ticks as a person reads them.
    pub fn duration(&self, ticks: Ticks) -> String {
        crate::base::number::duration(ticks, self.trace.clock)
    }

    /// The same in four digits, where there is little room.
    pub fn brief(&self, ticks: Ticks) -> String {
        let Some(nanos) = self.trace.clock.nanos() else { return self.duration(ticks) };
        let value = ticks as f64 * nanos;
        let (value, unit) = match value.abs() {
            ..1e3 => return self.duration(ticks),
            ..1e6 => (value / 1e3, "µs"),
            ..1e9 => (value / 1e6, "ms"),
            _ => (value / 1e9, "s"),
        };
        let decimals = match value.abs() {
            ..10.0 => 3,
            ..100.0 => 2,
            ..1000.0 => 1,
            _ => 0,
        };
        format!("{} {unit}", crate::base::number::fixed(value, decimals))
    }

    /// A length in nanoseconds as ticks; as it is where the clock has no rate.
    pub fn ticks(&self, nanos: f64) -> Ticks {
        (nanos / self.trace.clock.nanos().unwrap_or(1.0)).round() as Ticks
    }
}

/// What a system says of its own profiles.
pub struct Guide {
    pub rules: &'static [&'static Rule],
    /// The first figures and where it goes; `None` where the profile is not of this system. The first system that says
    /// something is taken.
    pub summary: fn(&RuleInput) -> Option<Summary>,
    /// Whether its findings on figures stand above these in Details.
    pub advises: bool,
}

/// A guide that says nothing.
pub static SILENT: Guide = Guide { rules: &[], summary: |_| None, advises: false };

/// What it is and where it goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub tiles: Vec<Tile>,
    pub parts: Vec<Part>,
}

/// The rules about any trace with streams, then about any trace.
pub static GENERAL: &[&[&Rule]] = &[device::RULES, trace::RULES];

/// The figures, where no system has its own: of devices, else of any trace, else of its counters, else of its instants.
pub fn general_summary(input: &RuleInput) -> Summary {
    let general = [device::summary, trace::summary, counters::summary, instants::summary];
    general.iter().find_map(|summary| summary(input)).unwrap_or_default()
}

impl Rule {
    /// A threshold of it by its place.
    pub fn limit(&self, at: usize) -> f64 {
        self.thresholds.get(at).map_or(f64::NAN, |threshold| threshold.value)
    }

    /// A finding of this rule, to be filled.
    pub fn finding(&self) -> Finding {
        Finding { rule: self.id.to_owned(), version: self.version, ..Finding::default() }
    }

    /// Adds what became of it, and what it found among the findings of others.
    pub fn add(&self, looked: Looked, input: &RuleInput, into: &mut Overview) {
        let outcome = match looked {
            Looked::NotHere => return,
            Looked::Missing(why) => Outcome::Missing(why),
            Looked::Nothing(number) => Outcome::Nothing(number),
            Looked::Found(mut findings) => {
                say_once(&mut findings);
                for finding in &mut findings {
                    finding.quotes = quotes(input.trace, finding);
                    finding.devices = input.device.map_or(0, |device| device.ranks.len() as u64);
                    if finding.evidence.title.is_empty() {
                        finding.evidence.title = self.title.into();
                    }
                }
                let n = findings.len() as u32;
                into.findings.append(&mut findings);
                rank(&mut into.findings);
                Outcome::Found(n)
            }
        };
        let limit = |of: &Threshold| Limit {
            name: of.name.to_owned(),
            value: of.value,
            unit: of.unit.clone(),
            source: of.source.to_owned(),
        };
        into.rules.push(RuleState {
            id: self.id.to_owned(),
            version: self.version,
            title: self.title.to_owned(),
            thresholds: self.thresholds.iter().map(limit).collect(),
            outcome,
        });
    }
}

/// A share in percent, one decimal.
pub fn percent(share: f64) -> String {
    format!("{} %", fixed(share * 100.0, 1))
}

/// A count that stands in a table of numbers.
pub fn number_of(n: f64) -> String {
    thousands(n.round() as i64)
}
