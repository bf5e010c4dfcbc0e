//! What pipes wait for: flags of a timeline by pair of pipes, else what counters say. No saving is said: a pipe also waits
//! because another one bounds the cores, and then nothing is won by waiting less.

use super::operator::Pipe;
use super::pipes::{each_seen, which};
use super::seen::{cores, sums};
use super::{bars, first, needs_device, of_100};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{around, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::BarRole;
use crate::systems::ascend::BOUND;
use crate::systems::ascend::claims::WAITS as WAITING;
use crate::systems::ascend::kernel::spelled;
use crate::systems::ascend::kernel::sums::Sums;

pub(super) static WAITS: Rule = Rule {
    id: "ascend-waits",
    version: 2,
    title: phrase("Waiting for flags"),
    thresholds: &[Threshold {
        name: phrase("share of time a pipe waits"),
        value: WAITING,
        unit: Unit::Percent,
        source: phrase("our own choice: the same as for reporting waits in Details"),
    }],
    look: |input| {
        let timeline = sums(input).filter(|sums| sums.pairs.iter().any(|pair| 0 < pair.waits));
        if let Some(sums) = timeline {
            return pairs(input, sums);
        }
        each_seen(input, |seen| {
            if seen.kinds.iter().flat_map(|kind| &kind.pipes).all(|pipe| pipe.waiting.is_none()) {
                return needs_device(message("pipe waits not recorded"));
            }
            let pipes = seen.kinds.iter().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
            let share = |pipe: &Pipe| pipe.waiting.unwrap_or(0.0);
            let waiting = pipes.clone().filter(|(_, pipe)| WAITS.limit(0) <= share(pipe));
            let some = seen.waits_of_some();
            let some =
                some.map_or_else(Message::default, |some| message(" {some}").with_message("some", some));
            let (view, address) = seen.place();
            let findings = waiting.map(|(kind, pipe)| {
                let sentence = message("{pipe} of the {kind} cores{which} waits in ⟦{n}⟧ of the cycles.");
                Finding {
                    subject: seen.subject(&format!("{} {}", kind.name, pipe.name)),
                    severity: Severity::Note,
                    sentence: sentence
                        .with("pipe", &pipe.name)
                        .with("kind", &kind.name)
                        .with_message("which", which(seen))
                        .with("n", of_100(share(pipe))),
                    line: message("It is active in {n}. The timeline of msprof op simulator shows which pipe it waits for.{some}")
                        .with("n", of_100(pipe.active))
                        .with_message("some", some.clone()),
                    value: share(pipe),
                    unit: Unit::Percent,
                    evidence: Evidence {
                        shown: message("activity and waits of this pipe"),
                        figure: Some(bars(Unit::Percent, Some(100.0), vec![
                            (phrase("Active").to_owned(), pipe.active, BarRole::Work),
                            (phrase("Wait").to_owned(), share(pipe), BarRole::Wait),
                        ])),
                        numbers: kind.pipes.iter().take(5).map(Pipe::number).collect(),
                        how: message("Wait cycles of the pipe over all cycles of this kind of core, according to device counters. No savings are given: a pipe also waits when another one is the bottleneck of the cores."),
                        view: view.to_owned(),
                        address: address.clone(),
                        ..Evidence::default()
                    },
                    ..WAITS.finding()
                }
            });
            Looked::found_or(first(findings.collect()), || {
                let most = pipes.max_by(|a, b| share(a.1).total_cmp(&share(b.1)));
                most.map_or_else(Message::default, |(kind, pipe)| {
                    let said =
                        message("{pipe} of the {kind} cores waits most, in {n} of the cycles on average");
                    let said =
                        said.with("pipe", &pipe.name).with("kind", &kind.name).with("n", of_100(share(pipe)));
                    match seen.waits_of_some() {
                        Some(some) => {
                            message("{said}. {some}").with_message("said", said).with_message("some", some)
                        }
                        None => said,
                    }
                })
            })
        })
    },
};

/// Waits of a timeline by pair of pipes.
#[allow(clippy::too_many_lines)] // one finding with all that it says
fn pairs(input: &RuleInput, sums: &Sums) -> Looked {
    let trace = input.trace;
    let text =
        |name: Option<crate::model::id::StrId>| name.map_or("", |name| spelled(trace.strings.get(name)));
    // The time of the cores that have a pipe, and that in which it works.
    let cores_of = |name: &str| {
        let own = sums
            .pipes
            .iter()
            .filter(|pipe| spelled(trace.strings.get(trace.tracks.get(pipe.track).name)) == name);
        own.fold((0_u32, 0_i128, 0_i128), |(n, sum, busy), pipe| {
            (n + 1, sum + i128::from(pipe.span.dur()), busy + i128::from(pipe.busy))
        })
    };
    if cores(input).is_empty() && trace.span.is_none() {
        return Looked::NotHere;
    }
    let shares = sums.pairs.iter().filter(|pair| 0 < pair.waits && pair.to.is_some()).map(|pair| {
        let (n, span, _) = cores_of(text(pair.to));
        (pair, n, pair.total as f64 / span.max(1) as f64 * 100.0)
    });
    let shares: Vec<_> = shares.filter(|(_, n, _)| 0 < *n).collect();
    let findings = shares.iter().filter(|(.., share)| WAITS.limit(0) <= *share).map(|(pair, n, share)| {
        let (from, to) = (text(pair.from), text(pair.to));
        let (mean, unit) = input.time(i128::from(pair.total) / i128::from((*n).max(1)));
        let longest = input.time(pair.longest).0;
        let sentence = if from.is_empty() {
            message("{to} waits for ⟦{n}⟧ of the time of its cores for flags whose setter is not recorded.")
        } else {
            message("{to} waits for {from} for ⟦{n}⟧ of the time of its cores.")
        };
        let (_, of, busy) = cores_of(from);
        let works = busy as f64 / of.max(1) as f64 * 100.0;
        let at = pair.at.map(|slice| (slice, span_of(input, slice)));
        Finding {
            subject: format!("{from} {to}").trim().to_owned(),
            severity: Severity::Note,
            sentence: sentence.with("to", to).with("from", from).with("n", of_100(*share)),
            line: why(from, works).with("n", thousands(pair.waits)).with("longest", with_unit(longest, &unit)),
            value: *share,
            unit: Unit::Percent,
            evidence: Evidence {
                shown: message("the longest wait, {one}").with("one", with_unit(longest, &unit)),
                figure: at.map(|(slice, span)| around(input, span, &[slice.track])),
                numbers: vec![
                    Number::new(phrase("Waits"), pair.waits as f64, Unit::None),
                    Number::new(phrase("Waiting time, mean over the cores"), mean, unit.clone()),
                    Number::new(phrase("Longest"), longest, unit),
                    Number::new(phrase("Cores with this pipe"), f64::from(*n), Unit::None),
                ],
                how: message("Lengths of WAIT_FLAG and wait_event by pair of pipes over the time of the cores that have the pipe which waits. No saving is said: a pipe also waits because another one bounds the cores."),
                view: "timeline".to_owned(),
                address: at.map_or_else(String::new, |(slice, span)| {
                    Place::view("timeline").around(span).slice(trace, slice).address()
                }),
                list: super::details("waits", &[]),
                ..Evidence::default()
            },
            ..WAITS.finding()
        }
    });
    Looked::found_or(first(findings.collect()), || {
        let most = shares.iter().map(|(.., share)| *share).fold(0.0, f64::max);
        message("no pipe waits for another for more than {n} of the time of all its cores")
            .with("n", of_100(most))
    })
}

/// What to do about waiting for a pipe, by the share of the time in which it works.
fn why(from: &str, works: f64) -> Message {
    let line = if BOUND <= works {
        message(
            "{n} waits, the longest takes {longest}. {from} works in {share} of the time of its cores: what bounds them is its work, not the waiting.",
        )
    } else {
        message(
            "{n} waits, the longest takes {longest}. Let {from} start earlier: more buffers, smaller chunks, or flags set as soon as the work they signal is done.",
        )
    };
    let from: Message =
        if from.is_empty() { phrase("the other pipe").into() } else { from.to_owned().into() };
    line.with_message("from", from).with("share", of_100(works))
}
