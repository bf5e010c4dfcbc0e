//! Rules on blocks and cores: those that nobody uses, and the slow ones.

use super::operator::{Operator, Times, UnitTime, whole};
use super::seen::{Core, cores};
use super::{bars, details, each, first};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{exact, fixed, with_unit};
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::{Advice, BarRole};
use crate::systems::ascend::claims;

/// What is missing without times of blocks.
pub(super) fn no_times() -> Looked {
    Looked::Missing(message(
        "no block times in the file: msprof op on a device writes them, with the base info, for any --aic-metrics",
    ))
}

/// Where times of blocks are those of another run.
pub(super) fn misfit() -> Looked {
    Looked::Missing(message(
        "blocks take longer than the whole operator: the two are from different runs and cannot be compared",
    ))
}

/// Why nothing says how many cores there are.
pub(super) fn unknown_chip(operator: &Operator) -> Message {
    match operator.chip {
        "" => message("the file does not name the chip, so the number of its cores is unknown"),
        chip => message("the number of cores of chip {chip} is unknown").with("chip", chip),
    }
}

// Cores that nobody uses.

pub(super) static UNUSED: Rule = Rule {
    id: "ascend-cores-unused",
    version: 1,
    title: phrase("Idle cores"),
    thresholds: &[Threshold {
        name: phrase("share of cores without a block"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: one core in twenty"),
    }],
    look: |input| {
        let whole = whole(input);
        if super::operators(input.trace).is_empty() && super::seen::sums(input).is_some() {
            return Looked::Missing(message(
                "number of blocks not in the file: msprof op on a device records it",
            ));
        }
        each(input, |operator| {
            let Some(n) = operator.n_blocks else {
                return Looked::Missing(message(
                    "number of blocks not in the file: msprof op on a device records it",
                ));
            };
            let kind = operator.kind_of_blocks();
            let Some(units) = operator.n_units(kind) else { return Looked::Missing(unknown_chip(operator)) };
            let unused = 1.0 - n / units;
            if unused < UNUSED.limit(0) {
                let said = message("{n} blocks on {m} {kind} cores");
                return Looked::Nothing(said.with("n", exact(n)).with("m", exact(units)).with("kind", kind));
            }
            let saving = if_spread(operator, (kind, units), unused, whole);
            let sentence = message("The operator{which} runs on ⟦{n} of {m}⟧ {kind} cores.");
            let (used, idle) = (phrase("With a block"), phrase("Without a block"));
            Looked::Found(vec![Finding {
                subject: operator.subject(""),
                severity: Severity::Warning,
                sentence: sentence
                    .with_message("which", operator.of_which())
                    .with("n", exact(n))
                    .with("m", exact(units))
                    .with("kind", kind),
                line: if operator.kind == "mix" {
                    message("Each cube core comes with two vector cores, which idle with it. Split the work into {m} blocks: set the block dim to the number of cores.").with("m", exact(units))
                } else {
                    message("Split the work into {m} blocks: set the block dim to the number of cores. If there is too little work for all cores, launching costs more than the work.").with("m", exact(units))
                },
                value: n,
                unit: Unit::None,
                saving,
                evidence: Evidence {
                    shown: message("cores of {chip}").with("chip", operator.chip),
                    figure: Some(bars(
                        Unit::None,
                        Some(units),
                        vec![
                            (used.to_owned(), n, BarRole::Work),
                            (idle.to_owned(), units - n, BarRole::Wait),
                        ],
                    )),
                    numbers: vec![
                        Number::new(used, n, Unit::None).note(percent(n / units)),
                        Number::new(idle, units - n, Unit::None).note(percent(unused)),
                    ],
                    how: message(
                        "Block dim from the base info versus the chip's cores, counted as in the vendor's viewer; one core has two vector units.",
                    ),
                    view: "details".to_owned(),
                    address: details(
                        operator.family("base-info").map_or("base-info", |family| &family.id),
                        &[],
                    ),
                    ..Evidence::default()
                },
                ..UNUSED.finding()
            }])
        })
    },
};

/// What is saved if the work spread over all cores, of which such a part has no block.
fn if_spread(operator: &Operator, (kind, units): (&str, f64), unused: f64, whole: Option<f64>) -> Saving {
    let times = operator.times().filter(|times| times.unit == Unit::Micros && operator.fits(times));
    // The longest block is known where all have a time; else it took no longer than the operator.
    let known = times.filter(|times| operator.timed(times, "vector").is_none());
    let longest = known.as_ref().and_then(|times| Some(times.longest()?.value * 1e3));
    let model = message(
        "If the time of the longest block shrank as the work spread over all {m} {kind} cores, and memory kept up.",
    );
    let model = model.with("m", exact(units)).with("kind", kind);
    let saving = match (longest, operator.duration, whole) {
        (Some(longest), _, Some(whole)) => Saving::about(longest * unused, whole, Unit::Nanos, model),
        (None, Some(micros), Some(whole)) => {
            Saving::at_most(micros * 1e3 * unused, whole, Unit::Nanos, model)
        }
        _ => return Saving::default(),
    };
    saving.of(phrase("{share} of operator time"))
}

// Slow blocks.

pub(super) static IMBALANCE: Rule = Rule {
    id: "ascend-imbalance",
    version: 2,
    title: phrase("Uneven core times"),
    thresholds: &[Threshold {
        name: phrase("time of the slowest over the mean of its kind"),
        value: 1.1,
        unit: Unit::None,
        source: phrase("our own choice: less is within the usual variation of memory and clock"),
    }],
    look: |input| {
        if super::operators(input.trace).iter().all(|operator| operator.times().is_none()) {
            return of_timeline(input);
        }
        let whole = whole(input);
        each(input, |operator| {
            let Some(times) = operator.times() else { return no_times() };
            if !operator.fits(&times) {
                return misfit();
            }
            let mut most = 0.0_f64;
            let mut findings = Vec::new();
            for kind in times.kinds() {
                let mean = times.mean_of(kind);
                let Some(slowest) = times.longest_of(kind) else { continue };
                let factor = slowest.value / mean;
                most = most.max(factor);
                if IMBALANCE.limit(0) <= factor {
                    findings.push(slow(operator, &times, (kind, slowest, mean), whole));
                }
            }
            if let Some(some) = operator.timed(&times, "vector").filter(|_| findings.is_empty()) {
                // Those that have no time may take longer.
                let said = message("the slowest takes {n} times the mean of its kind; {some}");
                return Looked::Missing(said.with("n", fixed(most, 2)).with_message("some", some));
            }
            Looked::found_or(findings, || {
                let said =
                    message("the slowest takes {n} times the mean of its kind").with("n", fixed(most, 2));
                match times.kinds().into_iter().map(|kind| times.without(kind)).sum() {
                    0 => said,
                    n => message(
                        "{said}; {n} of {m} units have no time: they did not run, or were not measured",
                    )
                    .with_message("said", said)
                    .with("n", n)
                    .with("m", n + times.units.len()),
                }
            })
        })
    },
};

#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn slow(
    operator: &Operator,
    times: &Times,
    (kind, slowest, mean): (&str, &UnitTime, f64),
    whole: Option<f64>,
) -> Finding {
    let factor = slowest.value / mean;
    let scale = if times.unit == Unit::Micros { 1e3 } else { 1.0 };
    let unit = if times.unit == Unit::Micros { Unit::Nanos } else { Unit::Cycles };
    let n = times.of(kind).count();
    let fastest = times.of(kind).min_by(|a, b| a.value.total_cmp(&b.value)).map_or(0.0, |unit| unit.value);
    // What other kinds of cores need stays.
    let other =
        times.units.iter().filter(|unit| unit.kind != kind).map(|unit| unit.value).fold(0.0, f64::max);
    // More blocks than cores run one after the other: so many of them take the work over.
    let spread = operator.n_units(kind).map_or(n as f64, |units| units.min(n as f64));
    let even = mean * n as f64 / spread;
    // Where other blocks may have run on the core of the slowest, no more is known than that the operator lasted so long.
    let is_alone = operator.runs_longest_alone(times);
    let from = if is_alone { slowest.value } else { operator.duration.unwrap_or(0.0) };
    // Of units that have no time it is not known what they would take over.
    let saved = if operator.timed(times, kind).is_some() { 0.0 } else { from - even.max(other) };
    let saving = match whole.filter(|_| unit == Unit::Nanos) {
        Some(whole) if 0.0 < saved => {
            let model = message(
                "If the same work were spread evenly over the {n} {kind} units that ran, and no other kind became faster.",
            );
            Saving::at_most(
                saved * scale,
                whole,
                unit.clone(),
                model.with("n", exact(spread)).with("kind", kind),
            )
            .of(phrase("{share} of operator time"))
        }
        None if 0.0 < saved && unit == Unit::Cycles => {
            let longest = times.longest().map_or(slowest.value, |unit| unit.value);
            let model = message(
                "If the same work were spread evenly over the {n} {kind} units that ran, and no other kind became faster.",
            );
            Saving::at_most(saved, longest, unit.clone(), model.with("n", exact(spread)).with("kind", kind))
                .of(phrase("{share} of the longest block"))
        }
        _ => Saving::default(),
    };
    let shown = |value: f64| with_unit(value * scale, &unit);
    let place = if times.rows_are_cores { message("core {n} {unit}") } else { message("block {n} {unit}") };
    let place = place.with("n", &slowest.block).with("unit", &slowest.name);
    // What Details says of the groups the times fall into tells where they are.
    let claim = if times.rows_are_cores { claims::imbalance_of_cycles } else { claims::imbalance };
    let mut claims = vec![claim(kind)];
    let told = times.family.variants.first().and_then(|figure| {
        let has = |row: &u32| times.of(kind).any(|unit| unit.row == *row);
        let is_same = |own: &&Advice| own.is_of(&claims) || !own.rows.is_empty() && own.rows.iter().all(has);
        figure.advice.iter().find(is_same)
    });
    claims.extend(told.iter().flat_map(|said| said.claims.clone()));
    let line = match told {
        Some(said) => said.text.clone(),
        None => message("{place} takes {a}, the mean is {b}. Give all cores the same number of elements: spread the remainder over all blocks instead of putting it in the last one.")
            .with_message("place", place.clone())
            .with("a", shown(slowest.value))
            .with("b", shown(mean)),
    };
    let line = match operator.timed(times, kind) {
        Some(some) => message("{a} {b}")
            .with_message("a", line)
            .with_message("b", message("The file has {some}.").with_message("some", some)),
        None => line,
    };
    let numbers = vec![
        Number::new(phrase("Slowest"), slowest.value * scale, unit.clone()).note(place),
        Number::new(phrase("Mean"), mean * scale, unit.clone()),
        Number::new(phrase("Fastest"), fastest * scale, unit.clone()),
        Number::new(phrase("Units"), n as f64, Unit::None),
    ];
    let figure = bars(
        unit.clone(),
        None,
        vec![
            (phrase("Slowest").to_owned(), slowest.value * scale, BarRole::Work),
            (phrase("Mean").to_owned(), mean * scale, BarRole::Work),
            (phrase("Fastest").to_owned(), fastest * scale, BarRole::Work),
        ],
    );
    let sentence = message("The slowest {kind} unit{which} takes ⟦{n} times⟧ the mean of all {m} units.");
    Finding {
        subject: operator.subject(kind),
        severity: if saving == Saving::default() { Severity::Note } else { Severity::Warning },
        sentence: sentence
            .with("kind", kind)
            .with_message("which", operator.of_which())
            .with("n", fixed(factor, 2))
            .with("m", n),
        claims,
        line,
        value: factor,
        unit: Unit::None,
        saving,
        evidence: Evidence {
            shown: message("times of the {kind} units").with("kind", kind),
            figure: Some(figure),
            numbers,
            how: message(
                "Unit times as given in the file; units without a time did not run. The mean covers units of one kind: work of cube cores cannot move to vector cores.",
            ),
            view: "details".to_owned(),
            address: details(&times.family.id, &[]),
            ..Evidence::default()
        },
        ..IMBALANCE.finding()
    }
}

/// Cores of a timeline: from the first to the last slice of each.
#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn of_timeline(input: &RuleInput) -> Looked {
    let all = cores(input);
    if all.is_empty() {
        return each(input, |_| no_times());
    }
    let Some(whole) = all.iter().map(|core| core.span).reduce(Span::union) else { return Looked::NotHere };
    let (mut most, mut findings) = (0.0_f64, Vec::new());
    for kind in ["cube", "vector", "AI"] {
        let own: Vec<&Core> = all.iter().filter(|core| core.kind == kind).collect();
        let Some(slowest) = own.iter().max_by_key(|core| core.span.dur()).filter(|_| 1 < own.len()) else {
            continue;
        };
        let mean = own.iter().map(|core| core.span.dur() as f64).sum::<f64>() / own.len() as f64;
        let factor = slowest.span.dur() as f64 / mean.max(1.0);
        most = most.max(factor);
        if factor < IMBALANCE.limit(0) {
            continue;
        }
        let other =
            all.iter().filter(|core| core.kind != kind).map(|core| core.span.dur()).max().unwrap_or(0);
        let saved = slowest.span.dur() as f64 - mean.max(other as f64);
        let at = |ticks: f64| input.time(ticks.round() as Ticks);
        let ((long, unit), middle) = (at(slowest.span.dur() as f64), at(mean).0);
        let model = message(
            "If the same work were spread evenly over the {n} {kind} units that ran, and no other kind became faster.",
        );
        let sentence = message("The slowest {kind} core takes ⟦{n} times⟧ the mean of all {m} cores.");
        findings.push(Finding {
            subject: kind.to_owned(),
            severity: Severity::Warning,
            sentence: sentence.with("kind", kind).with("n", fixed(factor, 2)).with("m", own.len()),
            claims: vec![claims::imbalance(kind)],
            line: message("{place} takes {a}, the mean is {b}. Give all cores the same number of elements: spread the remainder over all blocks instead of putting it in the last one.")
                .with("place", &slowest.name)
                .with("a", with_unit(long, &unit))
                .with("b", with_unit(middle, &unit)),
            value: factor,
            unit: Unit::None,
            saving: if 0.0 < saved {
                Saving::at_most(at(saved).0, input.time(whole.dur()).0, unit.clone(), model.with("n", own.len()).with("kind", kind)).of(phrase("{share} of the timeline"))
            } else {
                Saving::default()
            },
            evidence: Evidence {
                shown: message("times of the {kind} units").with("kind", kind),
                figure: Some(bars(unit.clone(), None, vec![
                    (phrase("Slowest").to_owned(), long, BarRole::Work),
                    (phrase("Mean").to_owned(), middle, BarRole::Work),
                ])),
                numbers: vec![
                    Number::new(phrase("Slowest"), long, unit.clone()).note(slowest.name.clone()),
                    Number::new(phrase("Mean"), middle, unit),
                    Number::new(phrase("Units"), own.len() as f64, Unit::None),
                ],
                how: message("From the first to the last slice of each core of the timeline."),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(slowest.span).tracks(input.trace, &[slowest.id]).range(slowest.span).address(),
                ..Evidence::default()
            },
            ..IMBALANCE.finding()
        });
    }
    Looked::found_or(first(findings), || {
        message("the slowest takes {n} times the mean of its kind").with("n", fixed(most.max(1.0), 2))
    })
}
