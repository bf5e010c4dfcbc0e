//! Time in which no stream of a device works: because data is loaded, the host synchronizes, or nothing says why.

use super::host::calls_of;
use super::{OUR_CHOICE, Scope, bars, call_in, devices, of_how_many, picture, short};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::idle::{Gaps, Reason, TITLES};
use crate::analysis::device::{Device, HostCalls, Kind};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::thousands;
use crate::base::time::{Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::id::TrackId;

/// The limit of these rules.
const LIMIT: Threshold = Threshold {
    name: phrase("share of a device's time"),
    value: 0.02,
    unit: Unit::Share,
    source: OUR_CHOICE,
};

/// A finding about some gaps: what is said of it is still to be filled in.
pub(super) fn gaps(input: &RuleInput, device: &Device, scope: &Scope, gaps: &Gaps, ticks: Ticks) -> Finding {
    let (value, unit) = scope.value(input, ticks);
    let longest = gaps.longest.0;
    Finding {
        severity: Severity::Warning,
        value,
        unit: unit.clone(),
        saving: Saving::at_most(
            value,
            scope.all_value(input),
            unit.clone(),
            message("Assumes that all gaps are removed and nothing else takes longer."),
        )
        .of(scope.whole()),
        evidence: Evidence {
            shown: message("the gap with most of it, {one}").with("one", input.duration(longest.dur())),
            figure: Some(picture(input, device, scope.rank, longest)),
            numbers: vec![
                Number::new(phrase("Idle"), value, unit).note(scope.note(ticks)),
                Number::new(phrase("Gaps"), gaps.n as f64, Unit::None),
                super::longest(input, gaps),
            ],
            view: "timeline".to_owned(),
            address: Place::view("timeline").around(longest).range(longest).address(),
            list: Place::view("statistics").address(),
            ..Evidence::default()
        },
        ..Finding::default()
    }
}

/// How long the host is in a call, as a number of the evidence.
fn in_call(input: &RuleInput, scope: &Scope, calls: &HostCalls) -> Number {
    let (total, unit) = scope.value(input, calls.total);
    let n = message("{n} calls").with("n", thousands(calls.n));
    Number::new(message("In {name}").with("name", short(input, calls.name)), total, unit).note(n)
}

pub(super) static INPUT: Rule = Rule {
    id: "device-idle-for-input",
    version: 4,
    title: phrase("Idle waiting for input"),
    thresholds: &[LIMIT],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let is_loaded = device.calls.iter().any(|calls| calls.kind == Kind::Loads);
        if !is_loaded {
            return Looked::Missing(message(
                "no data-loading calls recorded: record CPU activities too, unless the program has no data loader",
            ));
        }
        let reason = |scope: &Scope| scope.reason(Reason::Loading);
        let holds = |scope: &Scope| INPUT.limit(0) <= scope.share(reason(scope));
        let Some((scope, ticks)) = Scope::most(device, reason) else { return Looked::NotHere };
        if !holds(&scope) {
            let said = message("devices are idle during data loading at most {share} of the time");
            return Looked::Nothing(said.with("share", percent(scope.share(ticks))));
        }
        let mut finding = gaps(input, device, &scope, scope.gaps(Reason::Loading), ticks);
        let calls = calls_of(device, scope.rank, Kind::Loads);
        let launches = |track: TrackId| {
            device
                .works
                .iter()
                .any(|work| work.launch.is_some_and(|launch| [launch.track, launch.from].contains(&track)))
        };
        let own = calls.iter().find(|calls| launches(calls.longest.0.track));
        if let Some(calls) = own.or(calls.first()) {
            finding.line = message(
                "{time}{each} go by in {n} calls of {name}. Use more workers, prefetch, or cheaper preprocessing.",
            )
            .with("n", scope.count(calls.n))
            .with("name", short(input, calls.name))
            .with_message("each", scope.each())
            .with("time", scope.time(input, calls.total));
            finding.evidence.numbers.push(in_call(input, &scope, calls));
        }
        let how = message(
            "A gap is time in which no stream of the device is busy. For gaps longer than 1 ms, the part counts in which the thread that launches the next work, or the one that hands it to that thread, is in a data-loading call that launches nothing but copies; where that launch is not known, any thread.",
        );
        finding.evidence.how = scope.how(input, how);
        finding.sentence = message("{device} is idle for ⟦{time}⟧ while the host loads data.{others}")
            .with_message("device", scope.name(device))
            .with_message("time", scope.said_of_idle(input, device, (ticks, &[Reason::Loading])))
            .with_message("others", of_how_many(device, holds));
        Looked::Found(vec![Finding { rule: INPUT.id.to_owned(), version: INPUT.version, ..finding }])
    },
};

pub(super) static SYNC: Rule = Rule {
    id: "device-idle-for-synchronization",
    version: 6,
    title: phrase("Idle during host synchronization"),
    thresholds: &[LIMIT],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.has_launches() {
            return Looked::Missing(message(
                "no runtime calls recorded: record CPU activities too (runtime API calls)",
            ));
        }
        let reason = |scope: &Scope| scope.reason(Reason::Synchronizing);
        let holds = |scope: &Scope| SYNC.limit(0) <= scope.share(reason(scope));
        let Some((scope, ticks)) = Scope::most(device, reason) else { return Looked::NotHere };
        if !holds(&scope) {
            let said = message("devices are idle during host synchronization at most {share} of the time");
            return Looked::Nothing(said.with("share", percent(scope.share(ticks))));
        }
        let mut finding = gaps(input, device, &scope, scope.gaps(Reason::Synchronizing), ticks);
        let waited = scope.waited.iter().rev().max_by_key(|waited| waited.syncing);
        let (call, inside) = waited.map_or_else(Default::default, |waited| (waited.call, waited.inside));
        let name = short(input, call);
        let calls = calls_of(device, scope.rank, Kind::Waits);
        if let Some(first) = calls.iter().find(|calls| calls.name == call) {
            let reads = Dialect::of(input.trace).said.reads;
            let line = if reads.is_empty() {
                message(
                    "{n} calls of {name}{each}, each until the device is done: then nothing is launched ahead. Look for what reads results on the host.",
                )
            } else {
                message("{n} calls of {name}{each}, each until the device is done: then nothing is launched ahead. Look for what reads results on the host ({examples}).")
                    .with("examples", reads)
            };
            finding.line = line
                .with("n", scope.count(first.n))
                .with("name", name.clone())
                .with_message("each", scope.each());
            finding.evidence.numbers.push(in_call(input, &scope, first));
        }
        if let Some(waited) = waited {
            let (value, unit) = scope.value(input, waited.syncing);
            let idle = message("Idle during {name}").with_message("name", call_in(input, call, inside));
            finding.evidence.numbers.push(Number::new(idle, value, unit).note(scope.note(waited.syncing)));
        }
        let how = message(
            "Of a gap the part counts in which the thread that launches the next work, or the one that hands it to that thread, is in a call that waits for the device, before it does so; of a gap whose next launch is not known, any thread. Data loading is left out.",
        );
        finding.evidence.how = scope.how(input, how);
        let time = scope.said_of_idle(input, device, (ticks, &[Reason::Synchronizing]));
        // Of several calls the one with most may have less than half.
        let sentence = match waited.map_or(0, |waited| waited.syncing) {
            most if ticks < most.saturating_mul(2) => message(
                "{device} is idle for ⟦{time}⟧ while the host synchronizes, mostly in {call}.{others}",
            ),
            most => message(
                "{device} is idle for ⟦{time}⟧ while the host synchronizes, {share} of it in {call}.{others}",
            )
            .with("share", percent(share(most as f64, ticks as f64))),
        };
        finding.sentence = sentence
            .with_message("device", scope.name(device))
            .with_message("time", time)
            .with_message("call", call_in(input, call, inside))
            .with_message("others", of_how_many(device, holds));
        Looked::Found(vec![Finding { rule: SYNC.id.to_owned(), version: SYNC.version, ..finding }])
    },
};

/// Reasons that say nothing of the host.
const OTHERS: [Reason; 3] = [Reason::NotStarted, Reason::Unknown, Reason::Ends];

/// These with the idle time of each. What lies before the first and behind the last work counts only in steps.
fn parts(scope: &Scope) -> impl Iterator<Item = (Reason, Ticks)> {
    let counts = move |reason: &Reason| 0 < scope.n || *reason != Reason::Ends;
    OTHERS.into_iter().filter(counts).map(move |reason| (reason, scope.reason(reason)))
}

/// Idle time that nothing recorded explains.
fn unknown(scope: &Scope) -> Ticks {
    parts(scope).map(|part| part.1).total()
}

/// The gaps of all these reasons: each has one of them.
fn all_gaps(scope: &Scope) -> Gaps {
    parts(scope).map(|(reason, _)| scope.gaps(reason)).fold(Gaps::default(), |sum, own| Gaps {
        n: sum.n + own.n,
        longest: if sum.longest.1 < own.longest.1 { own.longest } else { sum.longest },
        brief: (sum.brief.0 + own.brief.0, sum.brief.1 + own.brief.1),
    })
}

/// What the other reasons have of it, behind the one with most: `Launched, not started: 45.7 %`.
fn rest(most: Reason, parts: &[(Reason, Ticks)], all: Ticks) -> Message {
    let others = parts.iter().filter(|(reason, ticks)| *reason != most && 0 < *ticks);
    let said = others.map(|(reason, ticks)| {
        message(" {reason}: {share} of it.")
            .with_message("reason", TITLES.get(*reason as usize).map_or("", |title| title.1))
            .with("share", percent(share(*ticks as f64, all as f64)))
    });
    let both = |a: Message, b: Message| message("{a}{b}").with_message("a", a).with_message("b", b);
    said.reduce(both).unwrap_or_default()
}

pub(super) static UNKNOWN: Rule = Rule {
    id: "device-idle-unexplained",
    version: 4,
    title: phrase("Idle, cause unknown"),
    thresholds: &[Threshold { value: 0.05, ..LIMIT }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let holds = |scope: &Scope| UNKNOWN.limit(0) <= scope.share(unknown(scope));
        let Some((scope, ticks)) = Scope::most(device, unknown) else { return Looked::NotHere };
        if !holds(&scope) {
            let said = message("devices are idle for an unknown cause at most {share} of the time");
            return Looked::Nothing(said.with("share", percent(scope.share(ticks))));
        }
        let parts: Vec<(Reason, Ticks)> = parts(&scope).collect();
        let Some(reason) = parts.iter().max_by_key(|part| part.1).map(|part| part.0) else {
            return Looked::NotHere;
        };
        let all = all_gaps(&scope);
        let mut finding = gaps(input, device, &scope, &all, ticks);
        let line = match reason {
            Reason::NotStarted => message(
                "Mostly the next work was already launched but did not start: it may be waiting for an event, for memory, or for another program on the device.",
            ),
            Reason::Ends => message(
                "Mostly it is at the start or end of steps, before the first or after the last recorded work.",
            ),
            _ => message(
                "Mostly the file does not say when the next work was launched: record CPU activities too, with the flows between them.",
            ),
        };
        finding.line = message("{line}{more}")
            .with_message("line", line)
            .with_message("more", rest(reason, &parts, ticks));
        let rows = parts.iter().map(|(reason, ticks)| {
            let title = TITLES.get(*reason as usize).map_or("", |title| title.1);
            (title.to_owned(), scope.value(input, *ticks).0)
        });
        let rows: Vec<(String, f64)> = rows.filter(|row| 0.0 < row.1).collect();
        finding.evidence.figure = Some(bars(finding.unit.clone(), rows));
        finding.evidence.shown = message("by what is known about the next work");
        let how = message(
            "Gaps across all streams that are neither short, nor caused by late launches, nor time in which the host loads data, synchronizes or asks for memory, nor explained by what other streams do.",
        );
        finding.evidence.how = scope.how(input, how);
        finding.sentence =
            message("{device} is idle for ⟦{time}⟧ for reasons the file does not show.{others}")
                .with_message("device", scope.name(device))
                .with_message("time", scope.said_of_idle(input, device, (ticks, &OTHERS)))
                .with_message("others", of_how_many(device, holds));
        Looked::Found(vec![Finding { rule: UNKNOWN.id.to_owned(), version: UNKNOWN.version, ..finding }])
    },
};
