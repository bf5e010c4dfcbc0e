//! Cube against vector: whether the busiest pipes of both kinds of core work about as long.

use super::operator::{Kind, Pipe};
use super::pipes::{each_seen, which};
use super::{bars, of_100};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::number::{fixed, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, Threshold};
use crate::model::figure::BarRole;

pub(super) static SIDES: Rule = Rule {
    id: "ascend-cube-vector",
    version: 2,
    title: phrase("Cube and vector cores unbalanced"),
    thresholds: &[Threshold {
        name: phrase("ratio between the busiest pipes of cube and vector cores"),
        value: 2.0,
        unit: Unit::None,
        source: phrase("our own choice: with less, both kinds are active most of the time"),
    }],
    look: |input| {
        let all = super::operators(input.trace);
        if !all.is_empty() && all.iter().all(|own| matches!(own.kind, "vector" | "cube")) {
            return Looked::NotHere;
        }
        each_seen(input, |seen| {
            let of = |name: &str| {
                let kind = seen.kinds.iter().find(|kind| kind.name == name)?;
                Some((kind, kind.pipes.first()?))
            };
            let Some((cube, vector)) = of("cube").zip(of("vector")) else { return Looked::NotHere };
            if !(cube.0.is_known() && vector.0.is_known()) {
                return Looked::Missing(message("only one pipe was recorded"));
            }
            let time = |kind: &Kind| seen.of_block(kind).unwrap_or_else(|| seen.time(kind));
            let work = |(kind, pipe): (&Kind, &Pipe)| time(kind) * pipe.deciding / 100.0;
            let (more, less) = if work(cube) < work(vector) { (vector, cube) } else { (cube, vector) };
            let factor = work(more) / work(less).max(f64::MIN_POSITIVE);
            if factor < SIDES.limit(0) {
                let said = message("the busiest pipes of cube and vector cores differ by {n}×");
                return Looked::Nothing(said.with("n", fixed(factor, 2)));
            }
            let side = |(kind, pipe): (&Kind, &Pipe)| {
                (format!("{} {}", kind.name, pipe.name), pipe.deciding, BarRole::Work)
            };
            let (view, address) = seen.place();
            let sentence = message(
                "The busiest pipe of the {less} cores{which}, {pipe}, is active in ⟦{n}⟧ of their time, that of the {more} cores, {other}, in {m}.",
            );
            // Where nothing says how long cores of one kind took, both count as long as the operator.
            let known = seen.of_block(less.0).zip(seen.of_block(more.0)).filter(|_| seen.unit != Unit::Share);
            let is_at_once = seen.operator.as_ref().is_none_or(|own| own.waves().is_some_and(|n| n <= 1.0));
            let times = known.map_or_else(Message::default, |(a, b)| {
                let said = if is_at_once {
                    message("The {less} cores take up to {a}, the {more} cores {b}. ")
                } else {
                    message("For a block, the {less} cores take up to {a}, the {more} cores {b}. ")
                };
                let said = said.with("less", &less.0.name).with("a", with_unit(a, &seen.unit));
                said.with("more", &more.0.name).with("b", with_unit(b, &seen.unit))
            });
            Looked::Found(vec![Finding {
                subject: seen.subject(""),
                severity: Severity::Note,
                sentence: sentence
                    .with("less", &less.0.name)
                    .with("more", &more.0.name)
                    .with("pipe", &less.1.name)
                    .with("other", &more.1.name)
                    .with_message("which", which(seen))
                    .with("n", of_100(less.1.deciding))
                    .with("m", of_100(more.1.deciding)),
                line: message("{times}What bounds the {more} cores comes first, then smaller pieces let the others begin earlier.")
                    .with_message("times", times)
                    .with("more", &more.0.name),
                value: less.1.deciding,
                unit: Unit::Percent,
                evidence: Evidence {
                    shown: message("busiest pipe by kind of core"),
                    figure: Some(bars(Unit::Percent, Some(100.0), vec![side(more), side(less)])),
                    numbers: [more, less].map(|own| Number { name: side(own).0.into(), ..own.1.number() }).to_vec(),
                    how: message("The busiest pipe of each kind of core, times the duration of the slowest core of that kind. No savings are given: work of one kind can seldom move to the other."),
                    view: view.to_owned(),
                    address,
                    ..Evidence::default()
                },
                ..SIDES.finding()
            }])
        })
    },
};
