//! Launches: those that come late, and kernels that are shorter than theirs.

use super::{OUR_CHOICE, Scope, call_in, devices, idle, of_how_many};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::idle::{BRIEF, Gaps, LONG, Reason, TITLES, Waited};
use crate::analysis::device::{Class, Device, Work};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order::percentile;
use crate::base::time::{Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::id::SliceId;

// Launched late.

pub(super) static LATE: Rule = Rule {
    id: "device-launched-late",
    version: 7,
    title: phrase("Launched late"),
    thresholds: &[
        Threshold {
            name: phrase("share of a device's time"),
            value: 0.05,
            unit: Unit::Share,
            source: OUR_CHOICE,
        },
        Threshold {
            name: phrase("length of a gap that launching may explain, in median launch calls"),
            value: BRIEF,
            unit: Unit::None,
            source: phrase("our own measurement: in eager mode, few launch gaps last 50 to 200 median calls"),
        },
    ],
    look: |input| {
        let device = match launching(input) {
            Ok(device) => device,
            Err(other) => return other,
        };
        let holds = |scope: &Scope| LATE.limit(0) <= scope.share(scope.late());
        let Some((scope, ticks)) = Scope::most(device, Scope::late) else { return Looked::NotHere };
        if !holds(&scope) {
            let said = message("devices wait for launches at most {share} of the time");
            return Looked::Nothing(said.with("share", percent(scope.share(ticks))));
        }
        let gaps = scope.gaps(Reason::Late);
        let calls = calls(input, device, scope.rank);
        let short = &calls.short;
        let part = share(*short as f64, calls.kernels as f64);
        let waited: u64 = scope.waited.iter().map(|waited| waited.begun).sum();
        let after: Ticks = scope.waited.iter().map(|waited| waited.late).total();
        let line = match calls.median {
            _ if ticks < after.saturating_mul(2) => after_waiting(input, &scope, (waited, gaps.n)),
            Some(_) if gaps.brief.1.saturating_mul(2) < ticks => elsewhere(input, &calls, (ticks, gaps)),
            Some(median) if SHORT.limit(0) <= part && calls.can_be_graph() => message("{n} of {all} kernels are shorter than the median launch call ({call}). Capture the step as a graph, or fuse small kernels.")
                .with("n", thousands(*short))
                .with("all", thousands(calls.kernels))
                .with("call", input.duration(median)),
            Some(median) if SHORT.limit(0) <= part => {
                message("{n} of {all} kernels are shorter than their part of the median launch call ({call}): one call launches several. Fuse small kernels.")
                    .with("n", thousands(*short))
                    .with("all", thousands(calls.kernels))
                    .with("call", input.duration(median))
            }
            _ => message("The host does other work between launches: see what it does in the longest gaps."),
        };
        let mut finding = idle::gaps(input, device, &scope, gaps, ticks);
        let (value, unit) = (finding.value, finding.unit.clone());
        let mut numbers = vec![
            Number::new(phrase("Waiting for launches"), value, unit.clone()).note(scope.note(ticks)),
            Number::new(phrase("Gaps with a late launch"), gaps.n as f64, Unit::None),
            super::longest(input, gaps),
        ];
        if 0 < after {
            let (value, unit) = scope.value(input, after);
            let name = phrase("In gaps that begin while the host synchronizes");
            numbers.push(Number::new(name, value, unit).note(scope.note(after)));
        }
        if let Some(median) = calls.median {
            numbers.push(Number::new(phrase("Median launch call"), input.time(median).0, unit));
            numbers.push(
                Number::new(phrase("Kernels shorter than this"), *short as f64, Unit::None)
                    .note(percent(part)),
            );
        }
        finding.evidence.numbers = numbers;
        finding.evidence.list = launches();
        let how = message(
            "A gap is time in which no stream of the device is busy. It counts until the call that launches the next work has returned, without calls of at least ten medians, and without the parts in which the thread that launches it, or the one that hands it to that thread, loads data, waits for the device or asks the driver for memory: they have rules of their own.",
        );
        finding.evidence.how = scope.how(input, how);
        let sentence = message("{device} waits ⟦{time}⟧ for the host to launch the next work.{others}");
        Looked::Found(vec![Finding {
            rule: LATE.id.to_owned(),
            version: LATE.version,
            sentence: sentence
                .with_message("device", scope.name(device))
                .with_message("time", scope.said_of_idle(input, device, (ticks, &[Reason::Late])))
                .with_message("others", of_how_many(device, holds)),
            line,
            ..finding
        }])
    },
};

/// The devices, if it is known who launched something on one; else what is said of that.
fn launching<'a>(input: &RuleInput<'a>) -> Result<&'a Device, Looked> {
    let device = devices(input).ok_or(Looked::NotHere)?;
    device.has_launches().then_some(device).ok_or_else(|| {
        Looked::Missing(message(
            "no link from launch calls to kernels: record CPU activities too, with the flows between them",
        ))
    })
}

/// The kernels with their launches.
fn launches() -> String {
    Place::view("statistics").state("by", "launches").address()
}

// Long launch calls, by what they start.

/// A call that starts something: whose time it is, what is found, and what is to be done.
struct Started {
    reason: Reason,
    title: &'static str,
    sentence: &'static str,
    advice: &'static str,
}

const STARTED: [Started; 3] = [
    Started {
        reason: Reason::InCall,
        title: phrase("Idle inside launch calls"),
        sentence: phrase(
            "{device} is idle for ⟦{time}⟧ inside launch calls that take at least ten times the median.{others}",
        ),
        advice: phrase(
            "The runtime loads or compiles a kernel at its first launch, or waits for space in the queue: warm up before recording, and keep compiled kernels.",
        ),
    },
    Started {
        reason: Reason::InCopy,
        title: phrase("Idle inside copy calls"),
        sentence: phrase(
            "{device} is idle for ⟦{time}⟧ inside calls that copy, of at least ten times the median launch call.{others}",
        ),
        advice: phrase(
            "Such a call stages pageable memory, or waits until the device is done with what is queued before it: use pinned memory, and copy earlier.",
        ),
    },
    Started {
        reason: Reason::InFill,
        title: phrase("Idle inside memory-set calls"),
        sentence: phrase(
            "{device} is idle for ⟦{time}⟧ inside calls that set memory, of at least ten times the median launch call.{others}",
        ),
        advice: phrase(
            "The runtime prepares the device at its first call, or waits for space in the queue: warm up before recording.",
        ),
    },
];

pub(super) static INSIDE: Rule = Rule {
    id: "device-idle-inside-launch-calls",
    version: 3,
    title: phrase("Idle inside launch calls"),
    thresholds: &[
        Threshold {
            name: phrase("share of a device's time"),
            value: 0.02,
            unit: Unit::Share,
            source: OUR_CHOICE,
        },
        Threshold {
            name: phrase("length of a launch call, in medians"),
            value: LONG,
            unit: Unit::None,
            source: phrase(
                "our own choice: launching takes about the same time each time, so the call does something else",
            ),
        },
    ],
    look: |input| {
        let device = match launching(input) {
            Ok(device) => device,
            Err(other) => return other,
        };
        let mut most = 0.0_f64;
        let mut findings = Vec::new();
        for started in &STARTED {
            let of = |scope: &Scope| scope.reason(started.reason);
            let Some((scope, ticks)) = Scope::most(device, of) else { return Looked::NotHere };
            most = most.max(scope.share(ticks));
            if INSIDE.limit(0) <= scope.share(ticks) {
                findings.push(inside(input, device, &scope, started));
            }
        }
        Looked::found_or(findings, || {
            let said = message(
                "devices are idle inside long calls that launch kernels, copy or set memory at most {share} of the time each",
            );
            said.with("share", percent(most))
        })
    },
};

/// What a device loses in long calls that start one kind of work.
fn inside(input: &RuleInput, device: &Device, scope: &Scope, started: &Started) -> Finding {
    let reason = started.reason;
    let (ticks, gaps) = (scope.reason(reason), scope.gaps(reason));
    let holds = |scope: &Scope| INSIDE.limit(0) <= scope.share(scope.reason(reason));
    let median = calls(input, device, scope.rank).median.unwrap_or(0);
    let mut finding = idle::gaps(input, device, scope, gaps, ticks);
    let unit = finding.unit.clone();
    let number = Number::new(phrase("Median launch call"), input.time(median).0, unit);
    finding.evidence.numbers.push(number);
    finding.evidence.title = message(started.title);
    finding.evidence.list = launches();
    let how = message(
        "A gap is time in which no stream of the device is busy. The part counts in which the host is in the call that launches the next work and does not load data, where this call takes at least ten medians of those that launch kernels on the device. Calls that launch kernels, that copy and that set memory count apart.",
    );
    finding.evidence.how = scope.how(input, how);
    let (longest, most) = gaps.longest;
    let call = super::next_launch(device, scope.rank, longest).and_then(|launch| {
        let slice = SliceId { track: launch.track, row: launch.row? };
        Some(super::short(input, super::name_id(input, slice)))
    });
    Finding {
        rule: INSIDE.id.to_owned(),
        version: INSIDE.version,
        subject: TITLES.get(reason as usize).map_or("", |title| title.0).to_owned(),
        sentence: message(started.sentence)
            .with_message("device", scope.name(device))
            .with_message("time", scope.said_of_idle(input, device, (ticks, &[reason])))
            .with_message("others", of_how_many(device, holds)),
        line: message(
            "{n} gaps, the longest {one} in {call}; the median launch call takes {median}. {advice}",
        )
        .with("n", thousands(gaps.n))
        .with("one", input.duration(most))
        .with("call", call.unwrap_or_default())
        .with("median", input.duration(median))
        .with_message("advice", started.advice),
        ..finding
    }
}

/// What is said where most of it lies in gaps that are far longer than launching takes.
fn elsewhere(input: &RuleInput, calls: &Calls, (ticks, gaps): (Ticks, &Gaps)) -> Message {
    let (limit, n) = (BRIEF * calls.median.unwrap_or(0) as f64, gaps.n - gaps.brief.0);
    let said = if n == 1 {
        message(
            "{share} of it lies in 1 gap of more than {limit}, {many} median launch calls. The host does other work between launches: see what it does in this gap.",
        )
    } else {
        message(
            "{share} of it lies in {n} gaps of more than {limit} each, {many} median launch calls. The host does other work between launches: see what it does in the longest gaps.",
        )
    };
    said.with("share", percent(share((ticks - gaps.brief.1) as f64, ticks as f64)))
        .with("n", thousands(n))
        .with("limit", input.duration(limit.round() as Ticks))
        .with("many", fixed(BRIEF, 0))
}

/// What is said where most of it follows on waiting for the device: of so many gaps so many begin during it.
fn after_waiting(input: &RuleInput, scope: &Scope, (n, all): (u64, u64)) -> Message {
    let call = |waited: &Waited| call_in(input, waited.call, waited.inside);
    let most = scope.waited.iter().rev().max_by_key(|waited| waited.late).map_or_else(Message::default, call);
    let reads = Dialect::of(input.trace).said.reads;
    let said = if reads.is_empty() {
        message(
            "{n} of {all} gaps begin while the host waits for the device, mostly in {call}: then nothing is launched ahead. Look for what reads results on the host.",
        )
    } else {
        message("{n} of {all} gaps begin while the host waits for the device, mostly in {call}: then nothing is launched ahead. Look for what reads results on the host ({examples}).")
            .with("examples", reads)
    };
    said.with("n", thousands(n)).with("all", thousands(all.max(n))).with_message("call", most)
}

/// Launch calls of a device. A call that launches several works is one call, and launching each of them takes its part of it.
struct Calls {
    /// Median length of calls; `None` where launches are no calls.
    median: Option<Ticks>,
    /// How many there are.
    n: u64,
    /// Kernels whose launch is such a call.
    kernels: u64,
    /// How many of them are shorter than the median call, or their part of it.
    short: u64,
    /// How many of these have a call of their own.
    single: u64,
    /// What those take in all, and what their calls do.
    sums: [Ticks; 2],
}

impl Calls {
    /// Whether a graph would make calls fewer: what one call launches with others is in one, or in what is like one.
    fn can_be_graph(&self) -> bool {
        self.short <= self.single.saturating_mul(2)
    }
}

fn calls(input: &RuleInput, device: &Device, rank: usize) -> Calls {
    let trace = input.trace;
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let works = own.flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    let kernels = works.filter(|work| matches!(work.class, Class::Compute | Class::Communication));
    let length = |launch: crate::analysis::device::Launch| {
        Some(trace.tracks.find(launch.track)?.slices.dur_of(launch.row? as usize))
    };
    let kernels: Vec<(Ticks, &Work)> =
        kernels.filter_map(|work| Some((length(work.launch?)?, work))).collect();
    let mut lengths: Vec<Ticks> = kernels.iter().filter(|of| of.1.stands_for_call).map(|of| of.0).collect();
    lengths.sort_unstable();
    let median = (!lengths.is_empty()).then(|| percentile(&lengths, 50).round() as Ticks);
    let mut calls = Calls {
        median,
        n: lengths.len() as u64,
        kernels: kernels.len() as u64,
        short: 0,
        single: 0,
        sums: [0; 2],
    };
    // Parts of calls add up before they are rounded.
    let mut called = 0.0;
    for (call, work) in kernels {
        let n = work.launched_with.max(1);
        let dur = work.span.dur();
        if let Some(median) = median.filter(|median| (dur as f64) < *median as f64 / f64::from(n)) {
            calls.short += 1;
            calls.single += u64::from(n == 1);
            calls.sums[0] = calls.sums[0].saturating_add(dur);
            // A long one is told by itself.
            let usual = if LONG * median as f64 <= call as f64 { median } else { call };
            called += usual as f64 / f64::from(n);
        }
    }
    calls.sums[1] = called.round() as Ticks;
    calls
}

// Kernels shorter than their launch.

pub(super) static SHORT: Rule = Rule {
    id: "device-short-kernels",
    version: 5,
    title: phrase("Kernels shorter than their launch"),
    thresholds: &[
        Threshold {
            name: phrase("share of the kernels"),
            value: 0.5,
            unit: Unit::Share,
            source: phrase("our own choice: above this, even a host that only launches cannot keep up"),
        },
        Threshold {
            name: phrase("minimum kernels"),
            value: 10.0,
            unit: Unit::None,
            source: phrase("our own choice: of fewer hardly any time is lost"),
        },
    ],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let of = (0..device.ranks.len()).map(|rank| (rank, calls(input, device, rank)));
        let all = of.filter_map(|(rank, calls)| Some((rank, calls.median?, calls)));
        let all: Vec<_> = all.collect();
        let part = |calls: &Calls| share(calls.short as f64, calls.kernels as f64);
        let is_enough = |calls: &Calls| SHORT.limit(1) <= calls.kernels as f64;
        let holds = |calls: &Calls| SHORT.limit(0) <= part(calls) && is_enough(calls);
        let n_ranks = all.iter().filter(|(.., calls)| holds(calls)).count();
        let has_enough = all.iter().any(|(.., calls)| is_enough(calls));
        let all = all.into_iter().filter(|(.., calls)| !has_enough || is_enough(calls));
        let most = all.collect::<Vec<_>>().into_iter().rev().max_by(|a, b| part(&a.2).total_cmp(&part(&b.2)));
        let Some((rank, median, calls)) = most else {
            return Looked::Missing(message(
                "no launch calls recorded: enable CPU activities (runtime API calls)",
            ));
        };
        if SHORT.limit(0) <= part(&calls) && !is_enough(&calls) {
            let said = message("too few kernels with a launch call: {n}").with("n", thousands(calls.kernels));
            return Looked::Nothing(said);
        }
        let part = part(&calls);
        if part < SHORT.limit(0) {
            let said = message(
                "{share} of the kernels are shorter than the median launch call of {call}, or than their part of it where a call launches several",
            );
            return Looked::Nothing(said.with("share", percent(part)).with("call", input.duration(median)));
        }
        let (call, unit) = input.time(median);
        let sentence = message(
            "⟦{n} of {all}⟧ kernels took less time than launching one: a call takes {call} (median){on}.{others}",
        );
        let on = Scope::of(device, rank).map_or(Message::default(), |scope| scope.on(device));
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: sentence
                .with("n", thousands(calls.short))
                .with("all", thousands(calls.kernels))
                .with("call", with_unit(call, &unit))
                .with_message("on", on)
                .with_message("others", super::on_devices(device, n_ranks)),
            line: if calls.can_be_graph() {
                message("They take {kernels}, launching them {calls}. A graph or fused kernels need fewer launches.")
            } else {
                message("They take {kernels}, launching them {calls}. Fused kernels need less of both.")
            }
            .with("kernels", input.duration(calls.sums[0]))
            .with("calls", input.duration(calls.sums[1])),
            value: calls.short as f64,
            unit: Unit::None,
            evidence: Evidence {
                shown: message("{share} of all kernels").with("share", percent(part)),
                figure: Some(lengths(input, device, rank)),
                numbers: vec![
                    Number::new(phrase("Launch calls"), calls.n as f64, Unit::None),
                    Number::new(phrase("Kernels with a launch call"), calls.kernels as f64, Unit::None),
                    Number::new(phrase("Shorter than the median call"), calls.short as f64, Unit::None)
                        .note(percent(part)),
                    Number::new(phrase("Median launch call"), call, unit.clone()),
                    Number::new(phrase("Their kernels"), input.time(calls.sums[0]).0, unit.clone()),
                    Number::new(phrase("Their calls"), input.time(calls.sums[1]).0, unit),
                ],
                how: message(
                    "Each kernel is compared with the median call that launches kernels on its device; where one call launches several, as a graph does, with an equal part of it. Calls of at least ten medians count as one median here. The time this costs is reported under gaps with a late launch.",
                ),
                view: "statistics".to_owned(),
                address: Place::view("statistics").state("by", "kernels").address(),
                ..Evidence::default()
            },
            ..SHORT.finding()
        }])
    },
};

/// Lengths of kernels as a histogram over powers of two, the median call marked.
fn lengths(input: &RuleInput, device: &Device, rank: usize) -> crate::model::figure::Figure {
    use crate::model::figure::{AxisLabel, Body, Figure, Histogram, HistogramSeries, Mark, ScaleKind};
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let works = own.flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    let kernels = works.filter(|work| matches!(work.class, Class::Compute | Class::Communication));
    let lengths: Vec<f64> = kernels.map(|work| input.time(work.span.dur()).0.max(1.0)).collect();
    let bin = |value: f64| value.log2().floor().clamp(0.0, 62.0) as usize;
    let (least, most) =
        lengths.iter().fold((62, 0), |(least, most), v| (bin(*v).min(least), bin(*v).max(most)));
    let mut counts = vec![0.0; most.saturating_sub(least) + 1];
    for length in &lengths {
        if let Some(count) = counts.get_mut(bin(*length).saturating_sub(least)) {
            *count += 1.0;
        }
    }
    let edges = (least..=most + 1).map(|power| (power as f64).exp2()).collect();
    let marks = calls(input, device, rank)
        .median
        .map(|median| Mark { name: phrase("Median launch call").to_owned(), value: input.time(median).0 });
    Figure::new(
        "",
        Body::Histogram(Histogram {
            x: AxisLabel {
                name: phrase("Kernel length").to_owned(),
                unit: input.time(0).1,
                scale: ScaleKind::Log,
            },
            count_unit: Unit::Count(phrase("kernels").to_owned()),
            edges,
            series: vec![HistogramSeries { name: String::new(), counts, values: Vec::new() }],
            marks: marks.into_iter().collect(),
            ..Histogram::default()
        }),
    )
}
