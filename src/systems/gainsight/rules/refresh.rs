//! Refreshes that cost more than the smaller area saves.

use super::measure::{LevelMeasure, Measured, RunMeasure};
use super::{bars, called, cell_share, counting, cut, denser, list, name_of, place, retention, timed};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::number::{percent, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::views::lifetimes::compute;

pub(super) static REFRESHES: Rule = Rule {
    id: "lifetimes-refreshes",
    version: 1,
    title: phrase("Refreshes cost more than the saved area"),
    thresholds: &[Threshold {
        name: phrase(
            "area times energy, or times accesses where energies are unknown, relative to the reference",
        ),
        value: 1.0,
        unit: Unit::None,
        source: phrase("our own choice: from there on, the product is no better than that of the reference"),
    }],
    look: |input| {
        let measured = match timed(input) {
            Ok(measured) => measured,
            Err(looked) => return looked,
        };
        let Some(reference) = measured.reference() else {
            return Looked::Missing(message(
                "no reference device: mark one with \"reference\": true in the file set by Memory devices in Lifetimes (--devices)",
            ));
        };
        let costs = measured.timed().flat_map(|(run, level)| {
            let own = denser(measured, level).into_iter();
            own.filter_map(move |device| Some((run, level, Cost::of(measured, level, device, reference)?)))
        });
        let mut costs: Vec<(&RunMeasure, &LevelMeasure, Cost)> = costs.collect();
        if costs.is_empty() {
            return Looked::Nothing(message("0 devices are denser than the reference and need refreshes"));
        }
        order::sort_by(&mut costs, |a, b| b.2.product().total_cmp(&a.2.product()));
        let worst = costs.first().map(|(_, level, cost)| nothing(measured, level, cost)).unwrap_or_default();
        costs.retain(|(.., cost)| 0.0 < cost.refreshes && REFRESHES.limit(0) <= cost.product());
        let found = costs.iter().map(|(run, level, cost)| costly(input, (measured, run, level), cost));
        Looked::found_or(cut(found.collect()), || worst)
    },
};

/// What a device costs at a level, against the reference.
struct Cost {
    device: usize,
    refreshes: f64,
    accesses: f64,
    /// Area against that of the reference.
    area: f64,
    /// Energy, or accesses with two for each refresh, against that of the reference.
    work: f64,
    has_energy: bool,
}

impl Cost {
    fn of(measured: &Measured, level: &LevelMeasure, device: usize, reference: usize) -> Option<Self> {
        let own = level.figures.get(device)?;
        let accesses = level.demand.reads + level.demand.writes;
        let energies =
            own.energy_fj().zip(level.figures.get(reference)?.energy_fj()).filter(|(_, of)| 0.0 < *of);
        let work = match energies {
            Some((own, of)) => own / of,
            None if 0.0 < accesses => (accesses + 2.0 * own.refreshes) / accesses,
            None => return None,
        };
        let area = cell_share(measured, device)?;
        Some(Self { device, refreshes: own.refreshes, accesses, area, work, has_energy: energies.is_some() })
    }

    fn product(&self) -> f64 {
        self.area * self.work
    }
}

/// The largest of those that cost less.
fn nothing(measured: &Measured, level: &LevelMeasure, cost: &Cost) -> Message {
    message("{device} needs {n} refreshes at {level}: area times work is {product} of the reference")
        .with_message("device", called(measured, cost.device))
        .with("n", with_unit(cost.refreshes.round(), &Unit::None))
        .with("level", &level.name)
        .with("product", percent(cost.product()))
}

#[allow(clippy::too_many_lines)] // most of it is texts
fn costly(
    input: &RuleInput,
    (measured, run, level): (&Measured, &RunMeasure, &LevelMeasure),
    cost: &Cost,
) -> Finding {
    let device = name_of(measured, cost.device);
    let micros = retention(measured, level, cost.device).unwrap_or(0.0);
    let count = with_unit(cost.refreshes.round(), &Unit::None);
    let each = with_unit(cost.refreshes / cost.accesses.max(1.0), &Unit::None);
    let best = denser(measured, level).into_iter().filter(|row| *row != cost.device);
    let fewer = |row: &usize| level.figures.get(*row).map_or(f64::INFINITY, |own| own.refreshes);
    let best = best.min_by(|a, b| fewer(a).total_cmp(&fewer(b))).filter(|row| fewer(row) < cost.refreshes);
    let instead = match best {
        Some(row) => message("{other} needs {n}.")
            .with_message("other", called(measured, row))
            .with("n", with_unit(fewer(&row).round(), &Unit::None)),
        None => message("Keep only shorter-lived data there, or use a memory with longer retention."),
    };
    let by = if cost.has_energy {
        message("It takes {area} of the area and {work} of the energy of the reference. {instead}")
    } else {
        message(
            "It takes {area} of the area and, at two accesses per refresh, {work} of the accesses of the reference. {instead}",
        )
    };
    let cycles: u64 = level.kernels.iter().map(|named| named.cycles).sum();
    let sectors =
        level.demand.bytes as f64 * level.demand.copies.max(1) as f64 / level.access_bytes.max(1) as f64;
    let whole = sectors * (cycles as f64 / (micros * level.demand.clock_mhz)).floor();
    let mut numbers = vec![
        Number::new(phrase("Refreshes"), cost.refreshes, Unit::None),
        Number::new(phrase("Loads, stores and true load misses"), cost.accesses, Unit::None),
        Number::new(phrase("Area relative to the reference"), cost.area, Unit::Share),
        if cost.has_energy {
            Number::new(phrase("Energy relative to the reference"), cost.work, Unit::Share)
        } else {
            Number::new(phrase("Accesses relative to the reference"), cost.work, Unit::Share)
        },
        Number::new(phrase("Product of the two"), cost.product(), Unit::Share),
    ];
    if 0.0 < whole {
        numbers.push(Number::new(
            phrase("Refreshes if the whole level were always refreshed"),
            whole,
            Unit::None,
        ));
    }
    let share_of = |named: &super::measure::Named| named.refreshes.get(cost.device).copied().unwrap_or(0.0);
    let mut kernels: Vec<_> = level
        .kernels
        .iter()
        .map(|named| (compute::called(&named.name).to_owned(), share_of(named)))
        .collect();
    order::sort_by(&mut kernels, |a, b| b.1.total_cmp(&a.1));
    kernels.truncate(4);
    Finding {
        subject: format!("{} {device}", level.name),
        severity: Severity::Warning,
        sentence: message("{level} in {device} needs ⟦{n} refreshes⟧, {each} per load, store and true load miss: more than its area saves.")
            .with("level", &level.name)
            .with_message("device", called(measured, cost.device))
            .with("n", count)
            .with("each", each),
        line: by
            .with("area", percent(cost.area))
            .with("work", percent(cost.work))
            .with_message("instead", instead),
        value: cost.refreshes,
        unit: Unit::None,
        evidence: Evidence {
            shown: if super::has_layers(input, run) {
                message("refreshes by layer, {n} names")
            } else {
                message("refreshes by kernel, {n} names")
            }
            .with("n", thousands(level.kernels.len() as u64)),
            figure: Some(bars(Unit::None, None, kernels)),
            numbers,
            how: message("Data are refreshed once per full retention time of {retention} that they outlive, only while live: a memory that does not track this refreshes more. {counting}")
                .with("retention", with_unit(micros, &Unit::Micros))
                .with_message("counting", counting(input, run, level)),
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "devices").address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..REFRESHES.finding()
    }
}
