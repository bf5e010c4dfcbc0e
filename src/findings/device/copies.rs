//! Copies: from and to pageable memory, and those that nothing hides.

use super::bare::Bare;
use super::exchange::excerpt;
use super::{OUR_CHOICE, Scope, bare, brief, devices};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{Class, Device, Exposed, Step};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::time::{Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{MOST, at_slice, percent, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold, more};
use crate::model::id::{SliceId, StrId};
use crate::model::slice::Slices;

const LIMIT: Threshold = Threshold {
    name: phrase("share of a device's time"),
    value: 0.01,
    unit: Unit::Share,
    source: OUR_CHOICE,
};

/// Copies of a device by name, on all of its streams, those that are least hidden first.
fn kinds(input: &RuleInput, device: &Device, rank: usize) -> Vec<(StrId, Bare)> {
    let mut kinds = bare::by(device, rank, Class::Copy, |work| Some(super::name_id(input, work.slice)));
    order::sort_by_key(&mut kinds, |(name, own)| (std::cmp::Reverse(own.alone), *name));
    kinds
}

/// What a step has at least of so much that nothing hides: the rest of its copies may be others, but no more than there are.
fn least(scope: &Scope, alone: Ticks) -> impl Fn(&Step) -> Ticks {
    let others = (scope.copies - alone).max(0);
    move |step| (step.copies - others).max(0)
}

fn is_pageable(input: &RuleInput, name: StrId) -> bool {
    let said = Dialect::of(input.trace).said;
    !said.pageable.is_empty() && input.trace.strings.get(name).contains(said.pageable)
}

/// Bytes and bandwidth of a copy, as far as its arguments say them: `19,267,584 bytes at 11.7 GB/s`.
fn rate(input: &RuleInput, slice: SliceId) -> Message {
    let args = (input.args)(slice);
    let value = |name: &&str| args.iter().find(|(own, _)| own == name)?.1.parse::<f64>().ok();
    let Some(bytes) = Dialect::of(input.trace).said.bytes.iter().find_map(value) else {
        return Message::default();
    };
    let (nanos, unit) = input.time(span_of(input, slice).dur());
    let size = crate::base::number::with_unit(bytes, &Unit::Bytes);
    if unit != Unit::Nanos || nanos <= 0.0 {
        return message(" The longest moves {size}.").with("size", size);
    }
    let rate = match bytes / nanos {
        slow if slow < 0.1 => format!("{} MB/s", fixed(slow * 1e3, 1)),
        rate => format!("{} GB/s", fixed(rate, 1)),
    };
    message(" The longest moves {size} at {rate}.").with("size", size).with("rate", rate)
}

pub(super) static PAGEABLE: Rule = Rule {
    id: "device-copies-pageable",
    version: 5,
    title: phrase("Pageable memory copies"),
    thresholds: &[LIMIT],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let copies = || device.exposed.iter().filter(|of| of.class == Class::Copy);
        let words = Dialect::of(input.trace).said;
        let has =
            |of: &Exposed, text: &str| !text.is_empty() && input.trace.strings.get(of.name).contains(text);
        let says = |of: &Exposed| has(of, words.pageable) || has(of, words.pinned);
        if copies().next().is_none() {
            return Looked::NotHere;
        }
        // Copies inside of a device are of neither.
        let is_host = |of: &Exposed| words.host.iter().any(|text| has(of, text));
        if !copies().any(says) {
            return if copies().any(is_host) {
                Looked::Missing(message(
                    "the names of copies do not say whether the memory is pageable: not every profiler records that",
                ))
            } else {
                Looked::NotHere
            };
        }
        let all: Vec<_> = (0..device.ranks.len()).map(|rank| kinds(input, device, rank)).collect();
        let pageable =
            |rank: usize| all.get(rank).into_iter().flatten().filter(|(name, _)| is_pageable(input, *name));
        let sum = |scope: &Scope| {
            pageable(scope.rank).fold((0_u64, 0), |sum: (u64, Ticks), (_, own)| {
                (sum.0 + own.n, sum.1.saturating_add(own.total))
            })
        };
        let Some((scope, total)) = Scope::most(device, |scope| sum(scope).1) else { return Looked::NotHere };
        let (n, _) = sum(&scope);
        if scope.share(total) < PAGEABLE.limit(0) {
            let said = message("{n} copies of pageable memory take {share} of a device's time");
            return Looked::Nothing(said.with("n", thousands(n)).with("share", percent(scope.share(total))));
        }
        let own = pageable(scope.rank);
        let Some((name, most)) = own.max_by_key(|(_, own)| own.total) else { return Looked::NotHere };
        let (value, unit) = scope.value(input, total);
        let both = bare::by(device, scope.rank, Class::Copy, |work| {
            Some(is_pageable(input, super::name_id(input, work.slice)))
        });
        let exposed = both.iter().find(|(is_pageable, _)| *is_pageable).map_or(0, |(_, own)| own.alone);
        let slice = most.longest.0;
        let sentence = message("⟦{time}⟧{each} go by in {n} copies of pageable memory{on}.");
        let line = if words.pinning.is_empty() {
            message("Mostly {name}. Pinned memory is copied directly, without blocking the host.{rate}")
        } else {
            message("Mostly {name}. Pinned memory is copied directly, without blocking the host: {pinning}.{rate}")
                .with("pinning", words.pinning)
        };
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence
                .with("n", scope.count(n))
                .with_message("each", scope.each_of(input, device, (total, least(&scope, exposed))))
                .with("time", scope.time(input, total))
                .with_message("on", scope.on(device)),
            line: line
                .with("name", brief(input.trace.strings.get(*name)))
                .with_message("rate", rate(input, slice)),
            value,
            unit: unit.clone(),
            saving: Saving::at_most(
                scope.value(input, exposed).0,
                scope.all_value(input),
                unit.clone(),
                message(
                    "If none of them ran alone on the device. The time the host waits for them is not included: it is reported as late launches.",
                ),
            ).of(scope.whole()),
            evidence: Evidence {
                shown: message("the longest of {n}").with("n", thousands(most.n)),
                figure: Some(excerpt(input, device, scope.rank, slice)),
                numbers: vec![
                    Number::new(phrase("Pageable memory copies"), value, unit.clone())
                        .note(scope.note(total)),
                    Number::new(phrase("Exposed"), scope.value(input, exposed).0, unit)
                        .note(scope.note(exposed)),
                    Number::new(phrase("Copies"), n as f64, Unit::None),
                ],
                how: scope.how(input, message(
                    "Copies whose names say that the host memory is pageable: the driver stages them through a buffer of its own.",
                )),
                view: "timeline".to_owned(),
                address: at_slice(input, slice),
                list: Place::view("statistics").state("by", "kernels").address(),
                ..Evidence::default()
            },
            ..PAGEABLE.finding()
        }])
    },
};

/// How many copies of a name were started by calls that block, and such a call.
fn blocking(input: &RuleInput, device: &Device, rank: usize, name: StrId) -> (u64, String) {
    let (mut n, mut call) = (0, String::new());
    let blocking = Dialect::of(input.trace).said.blocking;
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let works = own.flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    for work in works.filter(|work| work.class == Class::Copy) {
        let Some(launch) = work.launch else { continue };
        let names = |slice: SliceId| -> Option<&str> {
            let slices: &Slices = &input.trace.tracks.find(slice.track)?.slices;
            Some(input.trace.strings.get(*slices.name.get(slice.row as usize)?))
        };
        let Some(row) = launch.row else { continue };
        let Some(text) = names(SliceId { track: launch.track, row }).filter(|text| blocking.contains(text))
        else {
            continue;
        };
        if super::name_id(input, work.slice) == name {
            n += 1;
            if call.is_empty() {
                text.clone_into(&mut call);
            }
        }
    }
    (n, call)
}

pub(super) static BLOCKING: Rule = Rule {
    id: "device-copies-not-hidden",
    version: 6,
    title: phrase("Copies not hidden"),
    thresholds: &[Threshold { name: phrase("share of a device's time, for copies of one name"), ..LIMIT }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.exposed.iter().any(|of| of.class == Class::Copy) {
            return Looked::NotHere;
        }
        let Some((scope, _)) = Scope::most(device, |scope| scope.copies) else { return Looked::NotHere };
        let kinds = kinds(input, device, scope.rank);
        // Those of pageable memory have a finding of their own.
        let pageable: Ticks =
            kinds.iter().filter(|(name, _)| is_pageable(input, *name)).map(|(_, own)| own.total).total();
        let is_told = |name: StrId| !is_pageable(input, name) || scope.share(pageable) < PAGEABLE.limit(0);
        let counts =
            |(name, own): &&(StrId, Bare)| is_told(*name) && BLOCKING.limit(0) <= scope.share(own.alone);
        let name = |(name, _): &(StrId, Bare)| brief(input.trace.strings.get(*name));
        let others = more(MOST, kinds.iter().filter(counts).map(name));
        let findings = kinds.iter().filter(counts).take(MOST).map(|(id, own)| {
            let (value, unit) = scope.value(input, own.alone);
            let slice = own.longest.0;
            let (name, whole) = (brief(input.trace.strings.get(*id)), input.trace.strings.get(*id));
            let (n_blocking, call) = blocking(input, device, scope.rank, *id);
            let how = match n_blocking {
                0 => message("Put them on a separate stream so that they overlap with kernels, or avoid them."),
                n => message("{n} of {all} were started by {call}, which returns only when the copy is done.")
                    .with("n", thousands(n))
                    .with("all", thousands(own.n))
                    .with("call", call),
            };
            Finding {
                subject: whole.to_owned(),
                severity: Severity::Warning,
                sentence: message("⟦{time}⟧{each} go by in {n} copies {name} while nothing else runs{on}.")
                    .with("n", scope.count(own.n))
                    .with("name", name)
                    .with_message("each", scope.each_of(input, device, (own.alone, least(&scope, own.alone))))
                    .with("time", scope.time(input, own.alone))
                    .with_message("on", scope.on(device)),
                line: message("{how}{rate}{more}")
                    .with_message("how", how)
                    .with_message("rate", rate(input, slice))
                    .with_message("more", others.clone()),
                value,
                unit: unit.clone(),
                saving: Saving::at_most(
                    scope.value(input, own.alone).0,
                    scope.all_value(input),
                    unit.clone(),
                    message("If all of them overlapped with compute or communication and nothing took longer."),
                ).of(scope.whole()),
                evidence: Evidence {
                    shown: message("the longest of {n}").with("n", thousands(own.n)),
                    figure: Some(excerpt(input, device, scope.rank, slice)),
                    numbers: vec![
                        Number::new(phrase("Exposed"), value, unit.clone()).note(scope.note(own.alone)),
                        Number::new(phrase("Total"), scope.value(input, own.total).0, unit)
                            .note(scope.note(own.total)),
                        Number::new(phrase("Copies"), own.n as f64, Unit::None),
                        Number::new(phrase("Started by blocking calls"), n_blocking as f64, Unit::None),
                    ],
                    how: scope.how(input, message(
                        "Of copies of a name the time in which no stream of the device does anything else, other copies included; where several run at the same time it counts once.",
                    )),
                    view: "timeline".to_owned(),
                    address: at_slice(input, slice),
                    list: Place::view("statistics").state("by", "kernels").address(),
                    ..Evidence::default()
                },
                ..BLOCKING.finding()
            }
        });
        Looked::found_or(findings.collect(), || {
            let own = kinds.iter().filter(|(name, _)| is_told(*name)).map(|(_, own)| own.alone);
            let said = if kinds.iter().all(|(name, _)| is_told(*name)) {
                message(
                    "copies of one name with nothing else running take at most {share} of a device's time",
                )
            } else {
                message(
                    "copies of one name with nothing else running take at most {share} of a device's time, apart from those of pageable memory, which have a finding of their own",
                )
            };
            said.with("share", percent(scope.share(own.max().unwrap_or(0))))
        })
    },
};
