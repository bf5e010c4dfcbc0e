//! What the program that wrote the file says: its own sentences, where no finding says the same. Where a figure says it with
//! numbers, its sentence stands in front of that of the writer.

use super::operator::Operator;
use super::{bars, blocks, caches, details, each, heads, memory, pipes, roofs};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
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

/// A sentence, where it stands, and how many blocks it is said of.
struct Said<'a> {
    advice: &'a Advice,
    id: &'a str,
    chosen: Vec<usize>,
    n: usize,
    of: usize,
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
            all.push(Said { advice, id, chosen, n: 1, of, subject });
        }
    }
}

/// A sentence with the names that it is about, and signs in the place of numbers.
fn without_numbers(text: &Message) -> Message {
    let is_word = |arg: &Arg| match arg {
        Arg::Value(value) => !value.starts_with(|letter: char| letter.is_ascii_digit()),
        Arg::Message(_) => true,
    };
    let args = text.args.iter().filter(|(_, arg)| is_word(arg)).cloned().collect();
    Message { key: text.key.clone(), args }
}

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
            claims: self.advice.claims.clone(),
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

    /// A sentence of the writer alone.
    fn of_writer(&self, operator: &Operator) -> Finding {
        let line = if self.of == 1 {
            message("Stated in the file without a number.{which}")
        } else {
            message("The file gives this advice for {n} of {m} figures, without a number.{which}")
        };
        Finding {
            line: line.with("n", self.n).with("m", self.of).with_message("which", operator.of_which()),
            writer: WRITER.to_owned(),
            ..self.finding(operator)
        }
    }

    /// One of ours, with numbers.
    fn of_figure(&self, operator: &Operator) -> Finding {
        let own = self.finding(operator);
        let how = message(
            "According to the figure itself. It costs too little, or too little is known, for a finding of its own; the file gives this advice without a number.",
        );
        Finding {
            sentence: operator.told(own.sentence),
            severity: Severity::Note,
            evidence: Evidence { how, ..own.evidence },
            ..own
        }
    }
}

pub(super) static SAYS: Rule = Rule {
    id: "ascend-writer",
    version: 3,
    title: phrase("Advice in the file"),
    thresholds: &[],
    look: |input| {
        let covered = covered(input);
        each(input, |operator| {
            let quoted = said(operator, |advice| !advice.writer.is_empty() && !advice.is_of(&covered));
            let is_same = |advice: &Advice| quoted.iter().any(|quote| quote.advice.is_of(&advice.claims));
            let ours = said(operator, |advice| {
                advice.writer.is_empty() && !advice.is_of(&covered) && is_same(advice)
            });
            let is_alone = |quote: &&Said| !ours.iter().any(|own| own.advice.is_of(&quote.advice.claims));
            let alone = quoted.iter().filter(is_alone).map(|quote| quote.of_writer(operator));
            let findings = ours.iter().map(|own| own.of_figure(operator)).chain(alone);
            Looked::found_or(findings.collect(), || {
                match said(operator, |advice| !advice.writer.is_empty()) {
                    all if all.is_empty() => message("no advice in the file"),
                    all => {
                        message("all advice in the file is covered by findings with numbers: {n} sentences")
                            .with("n", all.len())
                    }
                }
            })
        })
    },
};
