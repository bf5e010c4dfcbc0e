//! What the program that wrote the file says: its own sentences, where ours do not say the same with numbers.

use super::operator::Operator;
use super::{bars, details, each};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::unit::Unit;
use crate::base::words::{Language, Message, message, phrase};
use crate::findings::{Looked, Rule};
use crate::model::figure::{Advice, BarRole};
use crate::systems::ascend::reader::is_quoted;

/// Who writes them.
const WRITER: &str = "msprof op";
/// Advice on roofs is part of what the share of the roof says.
const MERGED: [&str; 1] = ["roofline-chart"];

/// A sentence, where it stands, and how many blocks it is said of.
struct Said<'a> {
    text: &'a Message,
    id: &'a str,
    chosen: Vec<usize>,
    n: usize,
    of: usize,
    is_costly: bool,
}

/// What the writer says of an operator, each sentence once.
fn said<'a>(operator: &Operator<'a>) -> Vec<Said<'a>> {
    let mut all: Vec<Said> = Vec::new();
    let is_told = |id: &str| MERGED.iter().any(|merged| id.starts_with(merged));
    for family in operator.families().filter(|family| !is_told(&family.id)) {
        for (at, figure) in family.variants.iter().enumerate() {
            for advice in figure.advice.iter().filter(|advice| is_quoted(advice)) {
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
    match all.iter_mut().find(|own| *own.text == advice.text) {
        Some(own) if own.id == id => own.n += 1,
        Some(_) => {}
        None => all.push(Said {
            text: &advice.text,
            id,
            chosen: if of == 1 { Vec::new() } else { vec![at] },
            n: 1,
            of,
            is_costly: advice.is_costly,
        }),
    }
}

pub(super) static SAYS: Rule = Rule {
    id: "ascend-writer",
    version: 2,
    title: phrase("Advice in the file"),
    thresholds: &[],
    look: |input| {
        each(input, |operator| {
            let all = said(operator);
            let findings = all.iter().map(|own| {
                let numbers = vec![Number::new(phrase("Figures with this advice"), own.n as f64, Unit::None)
                    .note(message("of {n}").with("n", own.of))];
                Finding {
                    subject: operator.subject(&own.text.text(Language::En)),
                    severity: if own.is_costly { Severity::Warning } else { Severity::Note },
                    sentence: own.text.clone(),
                    line: if own.of == 1 {
                        message("The file says so, without a number.{which}")
                    } else {
                        message("The file gives this advice for {n} of {m} figures, without a number.{which}")
                    }
                    .with("n", own.n)
                        .with("m", own.of)
                        .with_message("which", operator.of_which()),
                    value: own.n as f64,
                    unit: Unit::None,
                    writer: WRITER.to_owned(),
                    evidence: Evidence {
                        shown: message("figures with this advice"),
                        figure: Some(bars(Unit::None, Some(own.of as f64), vec![
                            (phrase("Reported").to_owned(), own.n as f64, BarRole::Work),
                        ])),
                        numbers,
                        how: message("A sentence from the program that wrote the file, verbatim. Sentences that our own findings repeat with numbers are listed with those findings."),
                        view: "details".to_owned(),
                        address: details(own.id, &own.chosen),
                        ..Evidence::default()
                    },
                    ..SAYS.finding()
                }
            });
            Looked::found_or(findings.collect(), || {
                message("all advice in the file is covered by findings with numbers: {n} figures")
                    .with("n", operator.families().count())
            })
        })
    },
};
