//! Which denser memory holds the data of a level without refresh.

use super::measure::{LevelMeasure, Measured, RunMeasure};
use super::{
    area_unit, called, counting, cut, denser, filled, histogram, list, micros, name_of, place, retention,
    scope_of, time_number, timed,
};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{percent, percent_beside, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::views::lifetimes::compute::ENOUGH;

pub(super) static FITS: Rule = Rule {
    id: "lifetimes-fit",
    version: 3,
    title: phrase("Fits denser memory"),
    thresholds: &[Threshold {
        name: phrase("share of a level's lifetimes"),
        value: ENOUGH,
        unit: Unit::Share,
        source: phrase(
            "the 90 % that GainSight reports for lifetimes; the rest is what mixes or refreshes are for",
        ),
    }],
    look: |input| {
        let measured = match timed(input) {
            Ok(measured) => measured,
            Err(looked) => return of_table(input).unwrap_or(looked),
        };
        let mut found: Vec<Finding> = Vec::new();
        let mut best: Option<(f64, &LevelMeasure, usize)> = None;
        for (run, level) in measured.timed() {
            let devices = denser(measured, level);
            let most = devices.iter().map(|row| (level.fits(*row), level, *row));
            best = most.chain(best).reduce(|a, b| if a.0 < b.0 { b } else { a });
            let fitting_all: Vec<usize> =
                devices.into_iter().filter(|row| FITS.limit(0) <= level.fits(*row)).collect();
            if let Some((device, others)) = fitting_all.split_first() {
                found.push(fitting(input, (measured, run, level), *device, others));
            }
        }
        if found.is_empty() && best.is_none() {
            return Looked::Nothing(message("0 devices are denser than the reference and need refreshes"));
        }
        crate::analysis::finding::rank(&mut found);
        Looked::found_or(cut(found), || {
            let Some((part, level, device)) = best else { return Message::default() };
            message("at most {share} of the lifetimes of a level fit {device} ({level})")
                .with_message("device", called(measured, device))
                .with("share", percent_beside(part, ENOUGH))
                .with("level", &level.name)
        })
    },
};

/// Names of devices, one after the other.
fn names<'a>(measured: &Measured, devices: impl Iterator<Item = &'a usize>) -> Message {
    let names = devices.map(|row| called(measured, *row));
    let all = names.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b));
    all.unwrap_or_default()
}

/// Which other devices hold enough of a level.
fn fits_too(measured: &Measured, level: &LevelMeasure, others: &[usize]) -> Message {
    let parts = others.iter().map(|row| {
        message("{share} fit {device} too")
            .with("share", percent_beside(level.fits(*row), ENOUGH))
            .with_message("device", called(measured, *row))
    });
    let parts = parts.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b));
    parts.map_or_else(Message::default, |parts| message(" {parts}.").with_message("parts", parts))
}

/// What a table of kernels states, where no lifetime is known.
fn of_table(input: &RuleInput) -> Option<Looked> {
    let found = super::stated::fitting(input, &|| FITS.finding())?;
    Some(Looked::found_or(cut(found), || {
        message("no denser device holds 90 % of each kernel's lifetimes, according to the table")
    }))
}

#[allow(clippy::too_many_lines)] // most of it is texts
fn fitting(
    input: &RuleInput,
    (measured, run, level): (&Measured, &RunMeasure, &LevelMeasure),
    device: usize,
    others: &[usize],
) -> Finding {
    let lengths = &level.demand.lifetimes;
    let part = level.fits(device);
    let micros_of = retention(measured, level, device).unwrap_or(0.0);
    let holds = with_unit(micros_of, &Unit::Micros);
    let beyond = lengths.count() - lengths.count_within(micros_of * level.demand.clock_mhz);
    let reference = measured.reference().filter(|row| 0.0 < level.area(*row));
    let areas = reference.map(|row| (level.area(row), level.mixed_area(row), row));
    let rest = if beyond == 0 {
        message("None of them needs a refresh.")
    } else {
        let refreshes = level.figures.get(device).map_or(0.0, |own| own.refreshes);
        let said = match beyond {
            1 => message(
                "The other one lasts {longest}: it needs {refreshes} refreshes, or a memory partition with longer retention.",
            ),
            _ => message(
                "The other {n} last up to {longest}: they need {refreshes} refreshes, or a memory partition with longer retention.",
            ),
        };
        said.with("n", thousands(beyond))
            .with("longest", micros(level, lengths.max() as f64))
            .with("refreshes", with_unit(refreshes.round(), &Unit::None))
    };
    let size = match areas {
        Some((before, after, row)) => message(
            "A refresh-free mix takes {after} instead of the {before} of {reference}, {scope}.{filled}",
        )
        .with_message("scope", scope_of(input, run, level))
        .with_message("filled", filled(measured.devices.array_efficiency))
        .with("after", with_unit(after, &area_unit()))
        .with("before", with_unit(before, &area_unit()))
        .with_message("reference", called(measured, row)),
        None => message("The size of {level} is unknown, and so is its area.").with("level", &level.name),
    };
    let saving = areas.filter(|(before, after, _)| after < before).map(|(before, after, row)| {
        let model = message("Cell areas from the device table. Capacity is split between devices in proportion to the total time of their lifetimes; logic for refresh or routing is not counted.");
        Saving::about(before - after, run.area(row), area_unit(), model).of(phrase("{share} of the area"))
    });
    let of_device = level
        .demand
        .lifetimes
        .pairs()
        .take_while(|(length, _)| *length as f64 <= micros_of * level.demand.clock_mhz)
        .fold(0.0, |sum, (length, n)| sum + length as f64 * n as f64);
    let mut numbers = vec![
        Number::new(phrase("Lifetimes"), lengths.count() as f64, Unit::None),
        Number::new(phrase("Within retention"), (lengths.count() - beyond) as f64, Unit::None)
            .note(percent_beside(part, ENOUGH)),
        time_number(phrase("Median"), level, lengths.quantile(0.5)),
        time_number(phrase("90 %"), level, lengths.quantile(0.9)),
        time_number(phrase("Longest"), level, lengths.max() as f64),
        Number::new(phrase("Share of the time that data live"), share(of_device, level.sum), Unit::Share),
    ];
    if 0 < level.orphans {
        let held = level.orphans_within.get(device).copied().unwrap_or(0);
        let all = (lengths.count() + level.orphans) as f64;
        let with = share((lengths.count() - beyond + held) as f64, all);
        numbers.push(
            Number::new(phrase("If lifetimes without reuse are counted"), with, Unit::Share)
                .note(message("{n} more").with("n", thousands(level.orphans))),
        );
    }
    if let Some((before, after, row)) = areas {
        numbers.push(
            Number::new(phrase("Area of the reference"), before, area_unit()).note(
                message("{device}, {scope}")
                    .with_message("device", called(measured, row))
                    .with_message("scope", scope_of(input, run, level)),
            ),
        );
        numbers.push(
            Number::new(phrase("Area of a refresh-free mix"), after, area_unit())
                .note(percent(after / before)),
        );
    }
    Finding {
        subject: format!("{} {}", level.name, name_of(measured, device)),
        severity: Severity::Note,
        sentence: message(
            "⟦{share}⟧ of the lifetimes of {level} end within the {retention} retention time of {device}.",
        )
        .with("share", percent_beside(part, ENOUGH))
        .with("level", &level.name)
        .with("retention", holds)
        .with_message("device", called(measured, device)),
        line: message("{rest}{too} {size}")
            .with_message("rest", rest)
            .with_message("too", fits_too(measured, level, others))
            .with_message("size", size),
        verdict: message("what fits is {devices}")
            .with_message("devices", names(measured, std::iter::once(&device).chain(others))),
        value: part,
        unit: Unit::Share,
        saving: saving.unwrap_or_default(),
        evidence: Evidence {
            shown: message("{n} lifetimes of {level}")
                .with("n", thousands(lengths.count()))
                .with("level", &level.name),
            figure: Some(histogram(measured, level)),
            numbers,
            how: counting(input, run, level),
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "lengths").address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..FITS.finding()
    }
}
