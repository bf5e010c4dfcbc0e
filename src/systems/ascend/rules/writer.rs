//! What the program that wrote the file says: its own sentences, where no finding says the same. Where a figure says it with
//! numbers, its sentence stands in front of that of the writer.

use super::operator::Operator;
use super::{all_of, bars, blocks, caches, details, heads, memory, operators, pipes, roofs};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, rank};
use crate::base::unit::Unit;
use crate::base::words::{Arg, Language, Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput};
use crate::model::figure::{Advice, BarRole};
use crate::systems::ascend::claims::WRITER;

/// The rules that may say what the writer says.
static ALIKE: [&Rule; 8] = [
    &pipes::SCALAR,
    &pipes::PIPE,
    &pipes::UNBOUND,
    &memory::BANDWIDTH,
    &blocks::IMBALANCE,
    &heads::CLOCK,
    &caches::L2,
    &roofs::ROOF,
];

/// What findings claim.
fn covered(input: &RuleInput) -> Vec<String> {
    let claims = ALIKE.iter().flat_map(|rule| match (rule.look)(input) {
        Looked::Found(findings) => findings.into_iter().flat_map(|finding| finding.claims).collect(),
        _ => Vec::new(),
    });
    claims.collect()
}

/// The rules that look at what figures claim of pipes.
fn rules_of(claims: &[String]) -> impl Iterator<Item = &'static Rule> {
    let has = |what: &str| claims.iter().any(|claim| claim.split(' ').next() == Some(what));
    let known = [(has("limiter"), &pipes::UNBOUND), (has("bandwidth"), &memory::BANDWIDTH)];
    known.into_iter().filter_map(|(is_meant, rule)| is_meant.then_some(rule))
}

/// A sentence, where it stands, and how many blocks it is said of.
#[derive(Clone)]
struct Said<'a> {
    advice: &'a Advice,
    id: &'a str,
    chosen: Vec<usize>,
    n: usize,
    of: usize,
    /// What it claims, and sentences that stand with it.
    claims: Vec<String>,
    /// The sentence without its numbers: with others it is the same one. With them where two differ by nothing else.
    subject: String,
}

/// The sentences of an operator that are meant, each once.
fn said<'a>(operator: &Operator<'a>, is_meant: impl Fn(&Advice) -> bool) -> Vec<Said<'a>> {
    let mut all: Vec<Said> = Vec::new();
    for family in operator.families() {
        for (at, figure) in family.variants.iter().enumerate() {
            for advice in figure.advice.iter().filter(|advice| is_meant(advice)) {
                add(&mut all, advice, (&family.id, at, family.variants.len()));
            }
        }
    }
    // Whatever is chosen of such a figure, the file says it once.
    for own in all.iter_mut().filter(|own| own.n == own.of) {
        (own.n, own.of) = (1, 1);
        own.chosen.clear();
    }
    all
}

fn add<'a>(all: &mut Vec<Said<'a>>, advice: &'a Advice, (id, at, of): (&'a str, usize, usize)) {
    match all.iter_mut().find(|own| own.advice.text == advice.text) {
        Some(own) if own.id == id => own.n += 1,
        Some(_) => {}
        None => {
            let chosen = if of == 1 { Vec::new() } else { vec![at] };
            let text = |of: &Message| of.text(Language::En).into_owned();
            let mut subject = text(&without_numbers(&advice.text));
            if all.iter().any(|own| own.subject == subject) {
                subject = text(&advice.text);
            }
            let claims = advice.claims.clone();
            all.push(Said { advice, id, chosen, n: 1, of, claims, subject });
        }
    }
}

/// A sentence with the names that it is about, and signs in the place of numbers.
fn without_numbers(text: &Message) -> Message {
    let named = |arg: &Arg| match arg {
        Arg::Value(value) if value.starts_with(|letter: char| letter.is_ascii_digit()) => {
            Arg::Value("…".to_owned())
        }
        other => other.clone(),
    };
    let args = text.args.iter().map(|(name, arg)| (name.clone(), named(arg))).collect();
    Message { key: text.key.clone(), args }
}

/// Sentences of one kind, which differ by what they name only, stand together. Those that claim nothing stay alone: nothing
/// tells of the others that they were said.
fn grouped(all: Vec<Said<'_>>) -> Vec<(Said<'_>, Vec<Message>)> {
    let mut groups: Vec<(Said, Vec<Message>)> = Vec::new();
    for own in all {
        let is_kind = |first: &Said| {
            !own.advice.claims.is_empty()
                && !first.advice.claims.is_empty()
                && first.advice.text.key == own.advice.text.key
                && first.advice.writer == own.advice.writer
        };
        match groups.iter_mut().find(|(first, _)| is_kind(first)) {
            Some((first, others)) => {
                others.push(own.advice.text.clone());
                first.claims.extend(own.claims);
            }
            None => groups.push((own, Vec::new())),
        }
    }
    groups
}

/// A line, and behind it sentences of the same kind; of many the first.
fn followed_by(line: Message, others: &[Message]) -> Message {
    let rest = others.len().saturating_sub(TOLD);
    let rest = (0 < rest).then(|| message("{n} more").with("n", rest));
    let all = std::iter::once(line).chain(others.iter().take(TOLD).cloned()).chain(rest);
    let both = |a, b| message("{a} {b}").with_message("a", a).with_message("b", b);
    all.filter(|text| !text.is_empty()).reduce(both).unwrap_or_default()
}

/// Sentences that are told, of all operators and of one kind.
const TOLD: usize = 8;

impl Said<'_> {
    /// Without its sentences.
    fn finding(&self, operator: &Operator) -> Finding {
        let numbers = vec![
            Number::new(phrase("Figures with this advice"), self.n as f64, Unit::None)
                .note(message("of {n}").with("n", self.of)),
        ];
        let reported = vec![(phrase("Reported").to_owned(), self.n as f64, BarRole::Work)];
        Finding {
            subject: operator.subject(&self.subject),
            severity: if self.advice.is_costly { Severity::Warning } else { Severity::Note },
            sentence: self.advice.text.clone(),
            claims: self.claims.clone(),
            value: self.n as f64,
            unit: Unit::None,
            evidence: Evidence {
                shown: message("figures with this advice"),
                figure: Some(bars(Unit::None, Some(self.of as f64), reported)),
                numbers,
                how: message(
                    "A sentence from the program that wrote the file, verbatim. Sentences that our own findings repeat with numbers are listed with those findings.",
                ),
                view: "details".to_owned(),
                address: details(self.id, &self.chosen),
                ..Evidence::default()
            },
            ..SAYS.finding()
        }
    }

    /// A sentence of the writer alone, and others of its kind.
    fn of_writer(&self, operator: &Operator, others: &[Message]) -> Finding {
        let line = if self.of == 1 {
            message("Stated in the file without a number.{which}")
        } else {
            message("The file gives this advice for {n} of {m} figures, without a number.{which}")
        };
        let line = line.with("n", self.n).with("m", self.of).with_message("which", operator.of_which());
        Finding { line: followed_by(line, others), writer: WRITER.to_owned(), ..self.finding(operator) }
    }

    /// One of ours, with numbers, and others of its kind.
    fn of_figure(&self, operator: &Operator, others: &[Message]) -> Finding {
        let own = self.finding(operator);
        let how = message(
            "According to the figure itself. It costs too little, or too little is known, for a finding of its own; the file gives this advice without a number.",
        );
        Finding {
            sentence: operator.told(own.sentence),
            line: followed_by(Message::default(), others),
            severity: Severity::Note,
            also: rules_of(&own.claims).map(|rule| rule.id.to_owned()).collect(),
            evidence: Evidence { how, ..own.evidence },
            ..own
        }
    }
}

/// The first of them. Each is a fact of its own, so that none stands for another: what is left out is counted.
fn first_told(mut found: Vec<Finding>) -> Vec<Finding> {
    rank(&mut found);
    let rest = found.len().saturating_sub(TOLD);
    found.truncate(TOLD);
    if let Some(last) = found.last_mut().filter(|_| 0 < rest) {
        last.line = followed_by(std::mem::take(&mut last.line), &[message("{n} more").with("n", rest)]);
    }
    found
}

pub(super) static SAYS: Rule = Rule {
    id: "ascend-writer",
    version: 3,
    title: phrase("Advice in the file"),
    thresholds: &[],
    look: |input| {
        let covered = covered(input);
        let of_operator = |operator: &Operator| {
            let quoted = said(operator, |advice| !advice.writer.is_empty() && !advice.is_of(&covered));
            let is_same = |advice: &Advice| quoted.iter().any(|quote| quote.advice.is_of(&advice.claims));
            let ours = said(operator, |advice| {
                advice.writer.is_empty() && !advice.is_of(&covered) && is_same(advice)
            });
            let is_alone = |quote: &&Said| !ours.iter().any(|own| own.advice.is_of(&quote.advice.claims));
            let alone = quoted.iter().filter(is_alone).cloned().collect();
            let mut findings: Vec<Finding> =
                grouped(ours.clone()).iter().map(|(own, others)| own.of_figure(operator, others)).collect();
            findings.extend(grouped(alone).iter().map(|(quote, others)| quote.of_writer(operator, others)));
            Looked::found_or(findings, || match said(operator, |advice| !advice.writer.is_empty()) {
                all if all.is_empty() => message("no advice in the file"),
                all => message("all advice in the file is covered by findings with numbers: {n} sentences")
                    .with("n", all.len()),
            })
        };
        match all_of(operators(input.trace).iter().map(of_operator)) {
            Looked::Found(found) => Looked::Found(first_told(found)),
            other => other,
        }
    },
};
