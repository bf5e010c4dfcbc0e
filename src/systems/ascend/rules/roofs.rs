//! Rules on roofs and warps: how near the operator came to what memory and units allow, and why warps stall.

use super::operator::Operator;
use super::operator::whole;
use super::pipes::is_scalar;
use super::summary::{has_cut_roofs, has_roofs, named, nearest};
use super::{bars, details, each, needs_device};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{fixed, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::draw::chart::brief;
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, Threshold};
use crate::model::figure::{Bar, BarRole, Body, Roof};
use crate::systems::ascend::claims;

pub(super) static ROOF: Rule = Rule {
    id: "ascend-roof",
    version: 2,
    title: phrase("Far from the roofline"),
    thresholds: &[Threshold {
        name: phrase("share of the nearest roof"),
        value: 0.8,
        unit: Unit::Share,
        source: phrase("msprof op manual, roofline advice: below it, the operator is latency bound"),
    }],
    look: |input| {
        let whole = whole(input);
        let is_operator = !super::operators(input.trace).is_empty();
        if !is_operator && super::seen::sums(input).is_some() {
            return needs_device(message("no roofs in the file"));
        }
        each(input, |operator| {
            let Some((roof, address)) = nearest(operator) else {
                let said = if has_roofs(operator) {
                    message(
                        "the file has roofs but no measured point, so how close the operator comes is not known",
                    )
                } else {
                    message("no roofs in the file: msprof op records them with --aic-metrics=Roofline")
                };
                return Looked::Missing(said);
            };
            let reached = roof.reached();
            let name = brief(roof.limit_name());
            if is_reached(roof) {
                let said = message("{n} of the nearest roof, {name}, is reached");
                return Looked::Nothing(said.with("n", percent(reached)).with("name", name));
            }
            let duration = operator.duration.map(|micros| micros * 1e3);
            // A roof tells of memory and units that compute: scalar work remains.
            let kinds = operator.pipes();
            let scalar = kinds.iter().flat_map(|kind| &kind.pipes).filter(|pipe| is_scalar(pipe));
            let scalar = scalar.filter_map(|pipe| pipe.need).fold(0.0, f64::max);
            let saving = duration.zip(whole).map_or_else(Saving::default, |(duration, whole)| {
                let least = (duration * reached).max(scalar);
                let model = if least <= duration * reached {
                    message("If the same operations and bytes ran as fast as this roof allows.")
                } else {
                    message("If the same operations and bytes ran as fast as this roof allows: scalar work still takes {time}.")
                };
                let model = model.with("time", with_unit(scalar, &Unit::Nanos));
                Saving::at_most((duration - least).max(0.0), whole, Unit::Nanos, model)
                    .of(phrase("{share} of operator time"))
            });
            let point = roof.point.as_ref();
            // Numbers of a roof of another chart are those of other work.
            let which = named(operator, roof);
            let number =
                |name: &'static str, value: f64, unit: Unit| Number::new(name, value, unit).of(which.clone());
            let noted = |number: Number| number.note(which.clone());
            let numbers = [
                Some(noted(number(phrase("Share of roof"), reached, Unit::Share))),
                point.map(|point| noted(number(phrase("Performance"), point.y, Unit::TeraOpsPerSec))),
                point.map(|point| {
                    number(phrase("Roof at this intensity"), roof.limit(point.x), Unit::TeraOpsPerSec)
                }),
                point.map(|point| number(phrase("Arithmetic intensity"), point.x, Unit::OpsPerByte)),
            ];
            let sentence = message("The operator{which} reaches ⟦{n}⟧ of its nearest roof, {name}.");
            Looked::Found(vec![Finding {
                subject: operator.subject(""),
                severity: Severity::Note,
                sentence: sentence
                    .with_message("which", operator.of_which())
                    .with("n", percent(reached))
                    .with("name", name),
                // A roof that could not be read may be nearer.
                verdict: if has_cut_roofs(input) { Message::default() } else { which.clone() },
                claims: vec![claims::ROOF.to_owned()],
                line: if has_cut_roofs(input) {
                    message("Roofs that could not be read may be nearer: the file is damaged there.")
                } else {
                    message(
                        "Bound by neither memory nor compute: pipes wait for each other, or cores have no work.",
                    )
                },
                value: reached,
                unit: Unit::Share,
                saving,
                evidence: Evidence {
                    shown: message("performance relative to the roof"),
                    figure: Some(bars(
                        Unit::Percent,
                        Some(100.0),
                        vec![(brief(roof.limit_name()).clone(), reached * 100.0, BarRole::Work)],
                    )),
                    numbers: numbers.into_iter().flatten().collect(),
                    how: message(
                        "The roof of all charts that the operator came closest to: its performance over the lower of ceiling and bandwidth times intensity.",
                    ),
                    view: "details".to_owned(),
                    address,
                    ..Evidence::default()
                },
                ..ROOF.finding()
            }])
        })
    },
};

/// Whether an operator is near enough to a roof to be bound by it.
pub(super) fn is_reached(roof: &Roof) -> bool {
    ROOF.limit(0) <= roof.reached()
}

/// Reasons for which warps stall, of chips that run them.
pub(super) static STALLS: Rule = Rule {
    id: "ascend-warp-stalls",
    version: 1,
    title: phrase("Warp stalls"),
    thresholds: &[Threshold {
        name: phrase("share of stalls with one reason"),
        value: 0.2,
        unit: Unit::Share,
        source: phrase("our own choice: more than an even share of eight reasons"),
    }],
    look: |input| {
        each(input, |operator| {
            let Some((address, reasons)) = stalls(operator) else { return Looked::NotHere };
            let total: f64 = reasons.iter().map(|(_, n)| n).sum();
            let Some((reason, most)) = reasons.first().filter(|_| 0.0 < total) else {
                return Looked::NotHere;
            };
            let share = most / total;
            if share < STALLS.limit(0) {
                return Looked::Nothing(
                    message("the most frequent reason accounts for {n} of the stalls")
                        .with("n", percent(share)),
                );
            }
            let sentence = message("⟦{n}⟧ of warp stalls{which} are due to {reason}.");
            let sentence = sentence.with_message("which", operator.of_which());
            let shown = reasons.iter().take(5);
            Looked::Found(vec![Finding {
                subject: operator.subject(reason),
                severity: Severity::Note,
                sentence: sentence.with("n", percent(share)).with("reason", reason),
                line: message("{a} of {b} samples. Source shows the instructions with the most stalls.")
                    .with("a", fixed(*most, 0))
                    .with("b", fixed(total, 0)),
                value: share,
                unit: Unit::Share,
                evidence: Evidence {
                    shown: message("samples by reason"),
                    figure: Some(bars(
                        Unit::Count("stalls".to_owned()),
                        None,
                        shown.clone().map(|(name, n)| (name.clone(), *n, BarRole::Wait)).collect(),
                    )),
                    numbers: shown
                        .map(|(name, n)| Number::new(name.clone(), *n, Unit::None).note(percent(n / total)))
                        .collect(),
                    how: message(
                        "Program counter samples at which a warp was not issued, by reason, as counted in the file.",
                    ),
                    view: "details".to_owned(),
                    address,
                    ..Evidence::default()
                },
                ..STALLS.finding()
            }])
        })
    },
};

/// How often warps of an operator stalled by reason, most first, and the place that says so.
fn stalls(operator: &Operator) -> Option<(String, Vec<(String, f64)>)> {
    let family = operator.family("stall-reasons")?;
    let Some(Body::Bars(own)) = family.variants.first().map(|figure| &figure.body) else { return None };
    let value = |bar: &Bar| bar.values.first().copied().flatten().unwrap_or(0.0);
    let reasons = own.bars.iter().map(|bar| (bar.name.clone(), value(bar))).collect();
    Some((details(&family.id, &[]), reasons))
}
