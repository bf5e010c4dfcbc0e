//! Rules on what no block does: what passes outside of all of them, and the clock.

use super::blocks::{misfit, no_times};
use super::operator::{Operator, Times, UnitTime, whole};
use super::{bars, details, each};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{exact, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, Threshold};
use crate::model::figure::BarRole;
use crate::systems::ascend::claims::{self, Outside};

/// Nanoseconds as a person reads them.
fn time(nanos: f64) -> String {
    with_unit(nanos, &Unit::Nanos)
}

// What passes outside of all blocks.

pub(super) static HEAD: Rule = Rule {
    id: "ascend-head-overhead",
    version: 1,
    title: phrase("Head overhead"),
    thresholds: &[Threshold {
        name: phrase("share of the duration outside the longest block"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: the same as for reporting it in Details"),
    }],
    look: |input| {
        let whole = whole(input);
        each(input, |operator| {
            let times = operator.times().filter(|times| times.unit == Unit::Micros);
            let Some(times) = times else { return no_times() };
            let Some(duration) = operator.duration else {
                return Looked::Missing(message(
                    "the file does not say how long the operator took: the base info of msprof op on a device does",
                ));
            };
            let Some(longest) = times.longest().filter(|_| operator.fits(&times)) else { return misfit() };
            let is_alone = times.units.iter().all(|unit| unit.block == longest.block);
            let outside = (duration - longest.value).max(0.0) * 1e3;
            let share = outside / (duration * 1e3);
            // However many blocks a core ran, no more than this can be overhead.
            let is_little = share < HEAD.limit(0);
            let of_known = |key: &'static str| {
                message(key).with("time", time(outside)).with("whole", time(duration * 1e3))
            };
            // One that has no time may be longer.
            if let Some(some) = operator.timed(&times, "vector") {
                let no_more = of_known(phrase("at most {time} of {whole} is outside the longest block"));
                let said = message("{said}; {some}").with_message("said", no_more).with_message("some", some);
                return if is_little { Looked::Nothing(said) } else { Looked::Missing(said) };
            }
            match operator.waves() {
                Some(waves) if 1.0 < waves && !is_little => {
                    let said = message(
                        "the operator has {n} waves of blocks: the time outside the longest block includes other blocks",
                    );
                    return Looked::Missing(said.with("n", exact(waves)));
                }
                None if !is_little && !is_alone && !operator.runs_longest_alone(&times) => {
                    return Looked::Missing(of_known(phrase(
                        "at most {time} of {whole}: the number of cores is unknown, so other blocks may have run at the same time",
                    )));
                }
                _ => {}
            }
            if is_little {
                return Looked::Nothing(of_known(phrase("{time} of {whole} are outside the longest block")));
            }
            Looked::Found(vec![head(
                operator,
                &times,
                (longest, outside, share),
                whole.unwrap_or(duration * 1e3),
            )])
        })
    },
};

fn head(
    operator: &Operator,
    times: &Times,
    (longest, outside, share): (&UnitTime, f64, f64),
    whole: f64,
) -> Finding {
    let duration = operator.duration.unwrap_or(0.0) * 1e3;
    let n = operator.n_blocks.unwrap_or(1.0);
    let is_alone = times.units.iter().all(|unit| unit.block == longest.block);
    let is_at_once = operator.waves().is_some();
    let blocks = match (is_alone, is_at_once) {
        (true, _) => Outside::Alone,
        (_, true) => Outside::AtOnce,
        _ => Outside::InTurn,
    };
    let sentence = claims::outside((duration / 1e3, longest.value), blocks, claims::strongly);
    Finding {
        subject: operator.subject(""),
        severity: Severity::Warning,
        sentence: operator.told(sentence),
        claims: vec![claims::HEAD.to_owned()],
        line: message("Launching {n} blocks, starting cores and ending the task take this time, whatever the blocks do: fuse small operators, or give each launch more work.{clock}")
            .with("n", exact(n))
            .with_message("clock", clock_remark(operator)),
        value: outside,
        unit: Unit::Nanos,
        saving: Saving::at_most(outside, whole, Unit::Nanos, message("If the operator took no longer than its longest block.")).of(phrase("{share} of operator time")),
        evidence: Evidence {
            shown: message("longest block versus duration"),
            figure: Some(bars(Unit::Nanos, Some(duration), vec![
                (phrase("Longest block").to_owned(), longest.value * 1e3, BarRole::Work),
                (phrase("Outside the longest block").to_owned(), outside, BarRole::Wait),
            ])),
            numbers: vec![
                Number::new(phrase("Duration"), duration, Unit::Nanos),
                Number::new(phrase("Longest block"), longest.value * 1e3, Unit::Nanos)
                    .note(message("block {n} {unit}").with("n", &longest.block).with("unit", &longest.name)),
                Number::new(phrase("Outside the longest block"), outside, Unit::Nanos).note(percent(share)),
            ],
            how: if is_alone || is_at_once {
                message("Operator duration minus its longest block; all blocks ran concurrently.")
            } else {
                message("Operator duration minus its longest block; not even the shortest block fits beside the longest one into the duration.")
            },
            view: "details".to_owned(),
            address: details(&times.family.id, &[]),
            ..Evidence::default()
        },
        ..HEAD.finding()
    }
}

/// Times of blocks are cycles over a clock: where the chip ran slower than that, they are too short.
fn clock_remark(operator: &Operator) -> Message {
    match operator.clocks {
        Some((clock, rated)) if clock < rated => message(
            " The chip ran below its rated clock: where block times are counted in cycles of the rated clock, part of this is work.",
        ),
        Some(_) => Message::default(),
        None => message(
            " The file does not give the clock: if the chip ran below its rated clock, part of this is work.",
        ),
    }
}

// The clock.

pub(super) static CLOCK: Rule = Rule {
    id: "ascend-clock",
    version: 1,
    title: phrase("Clock below rated"),
    thresholds: &[Threshold {
        name: phrase("clock over rated clock below which it is reported"),
        value: 0.98,
        unit: Unit::Share,
        source: phrase("our own choice: less is within measurement noise"),
    }],
    look: |input| {
        let whole = whole(input);
        each(input, |operator| {
            let Some((clock, rated)) = operator.clocks else {
                return Looked::Missing(if operator.has_rated_clock {
                    message("clock not measured: the file has only the rated one")
                } else {
                    message(
                        "clock not in the file: newer versions of msprof op write Current Freq to the base info",
                    )
                });
            };
            let part = clock / rated;
            if CLOCK.limit(0) < part {
                let said = message("the chip ran at {n} of {m} MHz");
                return Looked::Nothing(said.with("n", exact(clock)).with("m", exact(rated)));
            }
            let duration = operator.duration.map(|micros| micros * 1e3);
            let saving = duration.zip(whole).map_or_else(Saving::default, |(duration, whole)| {
                Saving::at_most(
                    duration * (1.0 - part),
                    whole,
                    Unit::Nanos,
                    message("If the whole operator scaled with the core clock."),
                )
                .of(phrase("{share} of operator time"))
            });
            let sentence = claims::slow_clock(clock, rated, claims::strongly);
            Looked::Found(vec![Finding {
                subject: operator.subject(""),
                severity: Severity::Note,
                sentence: operator.told(sentence),
                claims: vec![claims::CLOCK.to_owned()],
                line: message(
                    "Power or temperature limits it, or the chip was idle before: warm it up before measuring, and compare only runs at the same clock.",
                ),
                value: clock,
                unit: Unit::Megahertz,
                saving,
                evidence: Evidence {
                    shown: message("core clock"),
                    figure: Some(bars(
                        Unit::Megahertz,
                        Some(rated),
                        vec![
                            (phrase("Clock").to_owned(), clock, BarRole::Work),
                            (phrase("Rated clock").to_owned(), rated, BarRole::Work),
                        ],
                    )),
                    numbers: vec![
                        Number::new(phrase("Clock"), clock, Unit::Megahertz),
                        Number::new(phrase("Rated clock"), rated, Unit::Megahertz),
                    ],
                    how: message("Both clocks as given in the base info."),
                    view: "details".to_owned(),
                    address: details(
                        operator.family("base-info").map_or("base-info", |family| &family.id),
                        &[],
                    ),
                    ..Evidence::default()
                },
                ..CLOCK.finding()
            }])
        })
    },
};
