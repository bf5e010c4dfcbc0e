//! What a choice of memory hangs on: single kernels, the clock, the units that are told of.

use super::measure::{LevelMeasure, Measured, Named, RunMeasure};
use super::{
    bars, called, counting, cut, denser, has_layers, list, name_of, place, retention, time_number, timed,
};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::number::{fixed, percent, percent_beside, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::views::lifetimes::compute::{self, Distribution, ENOUGH, Retention};

/// The device that a level would be made of: the densest that holds enough of its lifetimes, else the one that holds most.
fn chosen(measured: &Measured, level: &LevelMeasure) -> Option<usize> {
    let devices = denser(measured, level);
    let enough = devices.iter().copied().find(|row| ENOUGH <= level.fits(*row));
    enough.or_else(|| {
        devices.into_iter().reduce(|best, row| if level.fits(best) < level.fits(row) { row } else { best })
    })
}

/// Whether a device holds enough.
fn side(fits: f64) -> Message {
    if ENOUGH <= fits { message("{device} fits") } else { message("{device} does not fit") }
}

// Kernels that decide.

pub(super) static KERNELS: Rule = Rule {
    id: "lifetimes-kernels",
    version: 3,
    title: phrase("One kernel or layer decides what fits"),
    thresholds: &[
        Threshold {
            name: phrase("share of lifetimes longer than the device's retention"),
            value: 0.5,
            unit: Unit::Share,
            source: phrase("our own choice: then one kernel outweighs all others"),
        },
        Threshold {
            name: phrase("share of a level's lifetimes that are longer than it"),
            value: 0.01,
            unit: Unit::Share,
            source: phrase("our own choice: fewer hardly matter to the choice"),
        },
    ],
    look: |input| {
        let measured = match timed(input) {
            Ok(measured) => measured,
            Err(looked) => return looked,
        };
        let mut found = Vec::new();
        let mut most: Option<(f64, String)> = None;
        let mut mixed: Option<(f64, String)> = None;
        let mut has_several = false;
        let are_layers = measured.timed().all(|(run, _)| has_layers(input, run));
        for (run, level) in measured.timed() {
            let names = level.kernels.iter().filter(|named| 0 < named.lifetimes).count();
            has_several |= 1 < names;
            // The device that a level would be made of, or else another that more than a few outlive.
            let all: u64 = level.kernels.iter().map(|named| named.lifetimes).sum();
            let outlive = |device: usize| -> u64 {
                level.kernels.iter().map(|named| named.beyond.get(device).copied().unwrap_or(0)).sum()
            };
            let mut devices = chosen(measured, level).into_iter().chain(denser(measured, level));
            let matters = |device: usize| {
                let n = outlive(device);
                0 < n && KERNELS.limit(1) <= share(n as f64, all as f64)
            };
            let Some(device) = devices.find(|row| 1 < names && matters(*row)) else {
                continue;
            };
            let beyond = |named: &Named| named.beyond.get(device).copied().unwrap_or(0);
            let Some(top) = level.kernels.iter().rev().max_by_key(|named| beyond(named)) else { continue };
            let part = share(beyond(top) as f64, outlive(device) as f64);
            if !top.is_one {
                mixed = Some((part, level.name.clone()));
                continue;
            }
            if most.as_ref().is_none_or(|(most, _)| *most < part) {
                most = Some((part, level.name.clone()));
            }
            if KERNELS.limit(0) <= part {
                found.push((part, deciding(input, (measured, run, level), top, device)));
            }
        }
        order::sort_by(&mut found, |a, b| b.0.total_cmp(&a.0));
        Looked::found_or(cut(found.into_iter().map(|(_, finding)| finding).collect()), || {
            match (mixed, most) {
            (Some((part, level)), _) => message(
                "the log does not tell apart the kernels that ran at once, or does not name them: they account for {share} of the lifetimes longer than the retention of a device ({level})",
            )
            .with("share", percent(part))
            .with("level", level),
            (None, Some((part, level))) => {
                let said = if are_layers {
                    message(
                        "no layer accounts for more than {share} of the lifetimes longer than the retention of a device ({level})",
                    )
                } else {
                    message(
                        "no kernel accounts for more than {share} of the lifetimes longer than the retention of a device ({level})",
                    )
                };
                said.with("share", percent(part)).with("level", level)
            }
            _ if has_several => message(
                "fewer than 1 % of the lifetimes exceed the retention of a device that is denser than the reference",
            ),
            _ if are_layers => message("all lifetimes belong to 1 layer"),
            _ => message("all lifetimes belong to 1 kernel"),
        }
        })
    },
};

#[allow(clippy::too_many_lines)] // most of it is texts
fn deciding(
    input: &RuleInput,
    (measured, run, level): (&Measured, &RunMeasure, &LevelMeasure),
    top: &Named,
    device: usize,
) -> Finding {
    let beyond = |named: &Named| named.beyond.get(device).copied().unwrap_or(0);
    let all: u64 = level.kernels.iter().map(|named| named.lifetimes).sum();
    let outliving: u64 = level.kernels.iter().map(beyond).sum();
    let part = share(beyond(top) as f64, outliving as f64);
    let rest = all - top.lifetimes;
    let fits = share((all - outliving) as f64, all as f64);
    let without = 1.0 - share((outliving - beyond(top)) as f64, rest as f64);
    let micros = retention(measured, level, device).unwrap_or(0.0);
    let does_decide = fits < ENOUGH && ENOUGH <= without;
    let decides = if does_decide {
        message(" It alone rules out {device} for {level}.")
            .with("level", &level.name)
            .with_message("device", called(measured, device))
    } else {
        Message::default()
    };
    let is_layer = has_layers(input, run);
    let verdict = if does_decide { message("it rules out {device}") } else { side(fits) };
    let mut kernels: Vec<_> = level
        .kernels
        .iter()
        .map(|named| (compute::called(&named.name).to_owned(), beyond(named) as f64))
        .collect();
    order::sort_by(&mut kernels, |a, b| b.1.total_cmp(&a.1));
    kernels.truncate(5);
    let mut numbers = vec![
        Number::new(phrase("Outlive the retention"), outliving as f64, Unit::None)
            .note(percent(share(outliving as f64, all as f64))),
        Number::new(
            if is_layer { phrase("Of this layer") } else { phrase("Of this kernel") },
            beyond(top) as f64,
            Unit::None,
        )
        .note(percent(part)),
    ];
    if !is_layer {
        numbers.push(Number::new(phrase("Launches of this kernel"), top.launches as f64, Unit::None));
    }
    numbers.push(Number::new(phrase("Fits with it"), fits, Unit::Share));
    numbers.push(Number::new(phrase("Share that fits without it"), without, Unit::Share));
    Finding {
        subject: format!("{} {} {}", level.name, top.name, name_of(measured, device)),
        severity: Severity::Note,
        sentence: message("{kernel} accounts for ⟦{share}⟧ of the lifetimes of {level} longer than the {retention} retention of {device}.")
            .with("kernel", &top.name)
            .with("share", percent(part))
            .with("level", &level.name)
            .with("retention", with_unit(micros, &Unit::Micros))
            .with_message("device", called(measured, device)),
        line: message("It has {own} of all lifetimes there; without it, {without} would fit instead of {fits}.{decides}")
            .with("own", percent(share(top.lifetimes as f64, all as f64)))
            .with("without", percent_beside(without, ENOUGH))
            .with("fits", percent_beside(fits, ENOUGH))
            .with_message("decides", decides),
        value: part,
        unit: Unit::Share,
        verdict: verdict.with_message("device", called(measured, device)),
        evidence: Evidence {
            title: if is_layer {
                message("One layer decides what fits")
            } else {
                message("One kernel decides what fits")
            },
            shown: if is_layer {
                message("lifetimes longer than {retention}, by layer")
            } else {
                message("lifetimes longer than {retention}, by kernel")
            }
            .with("retention", with_unit(micros, &Unit::Micros)),
            figure: Some(bars(Unit::None, None, kernels)),
            numbers,
            how: if is_layer {
                counting(input, run, level)
            } else {
                message("Launches with the same name are one kernel; a sampled kernel is counted with its weight. {counting}")
                    .with_message("counting", counting(input, run, level))
            },
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "lengths").state("kernel", &top.row.to_string()).address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..KERNELS.finding()
    }
}

// The clock.

pub(super) static CLOCK: Rule = Rule {
    id: "lifetimes-clock",
    version: 2,
    title: phrase("Clock decides what fits"),
    thresholds: &[Threshold {
        name: phrase("factor from the clock to one at which the choice changes"),
        value: 2.0,
        unit: Unit::None,
        source: phrase(
            "our own choice: published tables use 2,235 MHz, the simulator's configuration for such a GPU 1,132 MHz",
        ),
    }],
    look: |input| {
        let measured = match timed(input) {
            Ok(measured) => measured,
            Err(looked) => return looked,
        };
        let mut all = Vec::new();
        for (run, level) in measured.timed() {
            let clock = level.demand.clock_mhz;
            let own = denser(measured, level).into_iter().filter_map(|device| {
                let Retention::Micros(micros) = measured.devices.devices.get(device)?.retention else {
                    return None;
                };
                let turns = enough(&level.demand.lifetimes) as f64 / micros;
                let far = (turns / clock).max(clock / turns);
                (0.0 < turns).then_some((far, device, turns))
            });
            // The nearest of each level.
            let nearest = own.reduce(|best, own| if own.0 < best.0 { own } else { best });
            all.extend(nearest.map(|(far, device, turns)| (far, run, level, device, turns)));
        }
        order::sort_by(&mut all, |a, b| a.0.total_cmp(&b.0));
        let Some((far, _, level, ..)) = all.first() else {
            return Looked::Nothing(message("0 devices are denser than the reference and need refreshes"));
        };
        let nothing = message("the next clock at which the choice changes is {far} times as far ({level})")
            .with("far", fixed(*far, 1))
            .with("level", &level.name);
        let found = all.iter().filter(|(far, ..)| *far <= CLOCK.limit(0));
        let found = found
            .map(|(_, run, level, device, turns)| clocked(input, (measured, run, level), *device, *turns));
        Looked::found_or(cut(found.collect()), || nothing)
    },
};

/// The shortest length within which enough lifetimes end.
fn enough(lengths: &Distribution) -> u64 {
    let is_less = |length: &u64| lengths.share_within(*length as f64) < ENOUGH;
    let row = lengths.lengths().partition_point(is_less);
    lengths.lengths().get(row).copied().unwrap_or(0)
}

#[allow(clippy::too_many_lines)] // most of it is texts
fn clocked(
    input: &RuleInput,
    (measured, run, level): (&Measured, &RunMeasure, &LevelMeasure),
    device: usize,
    turns: f64,
) -> Finding {
    let clock = level.demand.clock_mhz;
    let mhz = |value: f64| with_unit(value, &Unit::Megahertz);
    let fits = level.fits(device);
    let sentence = if clock < turns {
        message(
            "From a clock of ⟦{turns}⟧ on, 90 % of the lifetimes of {level} would fit {device}; at {clock}, {fits} fit.",
        )
    } else {
        message(
            "Below a clock of ⟦{turns}⟧, less than 90 % of the lifetimes of {level} would fit {device}; at {clock}, {fits} fit.",
        )
    };
    let at = |value: f64| {
        let micros = retention(measured, level, device).unwrap_or(0.0);
        (mhz(value), level.demand.lifetimes.share_within(micros * value))
    };
    let clocks = [clock / 2.0, clock, turns, clock * 2.0];
    Finding {
        subject: format!("{} {}", level.name, name_of(measured, device)),
        severity: Severity::Note,
        sentence: sentence
            .with("turns", mhz(turns))
            .with_message("device", called(measured, device))
            .with("level", &level.name)
            .with("clock", mhz(clock))
            .with("fits", percent_beside(fits, ENOUGH)),
        line: message("Check that this is the clock of the chip you plan: it is set by Clock in Lifetimes, or by --clock-mhz."),
        value: turns,
        unit: Unit::Megahertz,
        verdict: side(fits).with_message("device", called(measured, device)),
        evidence: Evidence {
            shown: message("lifetimes within the retention time of {device}, by clock").with_message("device", called(measured, device)),
            figure: Some(bars(Unit::Share, Some(1.0), clocks.map(at))),
            numbers: vec![
                Number::new(phrase("Clock"), clock, Unit::Megahertz)
                    .note(super::runs(input).get(run.row).map_or("", |run| run.clock_source)),
                Number::new(phrase("Clock at which the choice changes"), turns, Unit::Megahertz),
                Number::new(phrase("Share that fits"), fits, Unit::Share),
                Number::new(phrase("90 % last up to"), enough(&level.demand.lifetimes) as f64, Unit::Cycles),
                time_number(phrase("As time"), level, enough(&level.demand.lifetimes) as f64),
            ],
            how: message("Lifetimes stay the same in cycles: where memory does not scale with the clock, waiting for it then takes more cycles. {counting}")
                .with_message("counting", counting(input, run, level)),
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "lengths").address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..CLOCK.finding()
    }
}

// The units.

pub(super) static SCOPE: Rule = Rule {
    id: "lifetimes-scope",
    version: 2,
    title: phrase("Scope decides what fits"),
    thresholds: &[Threshold {
        name: phrase("difference between the shares that fit a device"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: half of the 10 % that need not fit"),
    }],
    look: |input| {
        let measured = match timed(input) {
            Ok(measured) => measured,
            Err(looked) => return looked,
        };
        let mut all = Vec::new();
        let mut is_private = false;
        for (run, level) in measured.timed().filter(|(_, level)| level.is_private) {
            is_private = true;
            let own = denser(measured, level).into_iter().filter_map(|device| {
                let held = level.busiest.get(device).filter(|held| 0 < held.all)?;
                Some((device, share(held.within as f64, held.all as f64)))
            });
            let far = |device: usize, part: f64| (part - level.fits(device)).abs();
            let widest =
                own.reduce(|best, own| if far(best.0, best.1) < far(own.0, own.1) { own } else { best });
            all.extend(widest.map(|(device, part)| (far(device, part), run, level, device, part)));
        }
        if !is_private {
            return Looked::NotHere;
        }
        order::sort_by(&mut all, |a, b| b.0.total_cmp(&a.0));
        let Some((far, _, level, ..)) = all.first() else {
            return Looked::Missing(message(
                "one unit is reported, or units are unknown: set Scope in Lifetimes (--scope total), and open the log",
            ));
        };
        let nothing = message("the busiest units differ from all units by at most {share} ({level})")
            .with("share", percent(*far))
            .with("level", &level.name);
        let found = all.iter().filter(|(far, ..)| SCOPE.limit(0) <= *far);
        let found =
            found.map(|(_, run, level, device, part)| scoped(input, (measured, run, level), *device, *part));
        Looked::found_or(cut(found.collect()), || nothing)
    },
};

#[allow(clippy::too_many_lines)] // most of it is texts
fn scoped(
    input: &RuleInput,
    (measured, run, level): (&Measured, &RunMeasure, &LevelMeasure),
    device: usize,
    part: f64,
) -> Finding {
    let head = super::runs(input).get(run.row).and_then(|run| run.levels.get(level.row));
    let unit = head.map_or_else(String::new, |head| head.unit.clone());
    let held = level.busiest.get(device).copied().unwrap_or_default();
    let fits = level.fits(device);
    let line = if (ENOUGH <= part) == (ENOUGH <= fits) {
        message("Both are on the same side of 90 %: the choice does not change.")
    } else {
        message(
            "If each unit must hold its own data, the smaller share decides: state the scope with the result.",
        )
    };
    let names = [phrase("All units"), phrase("Busiest units")].map(str::to_owned);
    Finding {
        subject: format!("{} {}", level.name, name_of(measured, device)),
        severity: Severity::Note,
        sentence: message("In the busiest {unit} of each kernel, ⟦{share}⟧ of the lifetimes of {level} fit {device}; over all of them, {fits} fit.")
            .with("unit", unit)
            .with_message("device", called(measured, device))
            .with("share", percent_beside(part, ENOUGH))
            .with("level", &level.name)
            .with("fits", percent_beside(fits, ENOUGH)),
        line,
        value: part,
        unit: Unit::Share,
        verdict: side(fits).with_message("device", called(measured, device)),
        evidence: Evidence {
            shown: message("lifetimes within the retention time of {device}, by scope").with_message("device", called(measured, device)),
            figure: Some(bars(Unit::Share, Some(1.0), names.into_iter().zip([fits, part]))),
            numbers: vec![
                Number::new(phrase("Lifetimes, all units"), level.demand.lifetimes.count() as f64, Unit::None),
                Number::new(phrase("Fit, all units"), fits, Unit::Share),
                Number::new(phrase("Lifetimes, busiest units"), held.all as f64, Unit::None),
                Number::new(phrase("Fit, busiest units"), part, Unit::Share),
            ],
            how: message("The busiest unit of a kernel is the one with the most accesses; Scope in Lifetimes (--scope busiest) reports all figures for it. {counting}")
                .with_message("counting", counting(input, run, level)),
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "lengths").address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..SCOPE.finding()
    }
}
