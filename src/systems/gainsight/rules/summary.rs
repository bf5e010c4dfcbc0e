//! The first figures: lifetimes, and where they lie; of files that only state or count something, that.

use super::measure::{LevelMeasure, Measured, RunMeasure};
use super::{
    area_unit, called, denser, filled, kernel_names, measured, name_of, place, retention, runs, scope_of,
};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::map::Map;
use crate::base::number::{fixed, percent, percent_beside, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{RuleInput, Summary};
use crate::views::lifetimes::compute::{self, ENOUGH};

/// What the profile is, if it is one of this system.
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let array = super::super::scalesim::rules::summary(input);
    let lives = measured(input).ok().and_then(|measured| lifetimes(input, measured));
    match (lives, array) {
        // Without a clock an array says more of itself than of memories.
        (Some(lives), Some(array))
            if measured(input).is_ok_and(|measured| measured.timed().next().is_none()) =>
        {
            let tiles = lives.tiles.into_iter().take(2).chain(array.tiles.into_iter().take(4));
            Some(Summary {
                tiles: tiles.take(5).collect(),
                parts: array.parts.into_iter().chain(lives.parts.into_iter().skip(1)).collect(),
            })
        }
        (lives, array) => {
            let others =
                [super::super::statistics::rules::summary, super::stated::summary, super::counters::summary];
            lives.or(array).or_else(|| others.iter().find_map(|summary| summary(input)))
        }
    }
}

/// Rows of a part.
const ROWS: usize = 7;

/// The figures of lifetimes: of the first run where there are several.
fn lifetimes(input: &RuleInput, measured: &Measured) -> Option<Summary> {
    let run = measured.runs.first()?;
    let tiles =
        vec![counted(run), lengths(run), fits(measured, run), area(input, measured, run), mix(measured, run)];
    let parts = [levels(measured, run), kernels(input, measured, run), devices(measured, run)];
    Some(Summary { tiles, parts: parts.into_iter().flatten().collect() })
}

/// Whether lengths are times.
fn has_clock(run: &RunMeasure) -> bool {
    0.0 < run.settings.clock_mhz
}

/// Levels with lifetimes that count.
fn told(run: &RunMeasure) -> impl Iterator<Item = &LevelMeasure> {
    run.levels.iter().filter(|level| !level.demand.lifetimes.is_empty())
}

/// Names of levels, each with a text.
fn each<'a>(
    levels: impl Iterator<Item = &'a LevelMeasure>,
    text: impl Fn(&LevelMeasure) -> String,
) -> String {
    levels.map(|level| format!("{} {}", level.name, text(level))).collect::<Vec<_>>().join(", ")
}

fn counted(run: &RunMeasure) -> Tile {
    // What levels hold is the same data: their numbers do not add up.
    let of = |level: &LevelMeasure| level.demand.lifetimes.count();
    let first = run.levels.first();
    let others = each(run.levels.iter().skip(1), |level| thousands(of(level)));
    let orphans = match run.levels.as_slice() {
        [level] => thousands(level.orphans),
        _ => each(run.levels.iter(), |level| thousands(level.orphans)),
    };
    let comparison = match (others.as_str(), run.levels.iter().all(|level| level.orphans == 0)) {
        (_, true) => others.into(),
        ("", false) => message("without reuse apart: {n}").with("n", orphans),
        (_, false) => message("{levels}; without reuse apart: {n}").with("levels", others).with("n", orphans),
    };
    Tile {
        label: match first {
            Some(level) if 1 < run.levels.len() => message("Lifetimes of {level}").with("level", &level.name),
            _ => message("Lifetimes"),
        },
        value: thousands(first.map_or(0, of)).into(),
        amount: Some((first.map_or(0, of) as f64, Unit::None)),
        comparison,
        address: place(run, None, "lengths").address(),
        ..Tile::default()
    }
}

/// A length as a person reads it: a time, or cycles where no clock is known.
fn length(run: &RunMeasure, cycles: f64) -> String {
    if has_clock(run) {
        with_unit(cycles / run.settings.clock_mhz, &Unit::Micros)
    } else {
        with_unit(cycles, &Unit::Cycles)
    }
}

fn lengths(run: &RunMeasure) -> Tile {
    let both = |level: &LevelMeasure| {
        let quantile = |q: f64| length(run, level.demand.lifetimes.quantile(q));
        format!("{} / {}", quantile(0.5), quantile(0.9))
    };
    let longest = told(run).map(|level| level.demand.lifetimes.quantile(0.9)).fold(0.0, f64::max);
    let first = told(run).next();
    let bar = first.map(|level| {
        let quantile = |q: f64| share(level.demand.lifetimes.quantile(q), longest);
        vec![(quantile(0.5), Color::Series(0)), (quantile(0.9) - quantile(0.5), Color::Series(1))]
    });
    Tile {
        label: match first {
            Some(level) => message("Median / 90 % of {level}").with("level", &level.name),
            None => message("Median / 90 %"),
        },
        value: first.map_or_else(|| message("none"), |level| both(level).into()),
        comparison: each(told(run).skip(1), both).into(),
        bar: bar.unwrap_or_default(),
        address: place(run, None, "lengths").address(),
        ..Tile::default()
    }
}

/// Why times say nothing.
fn no_clock(label: Message, run: &RunMeasure) -> Tile {
    let comparison = if has_clock(run) {
        message("no lifetimes count")
    } else {
        message("clock unknown: set Clock in Lifetimes, or --clock-mhz")
    };
    Tile { label, value: "–".into(), comparison, ..Tile::default() }
}

/// The densest device that is refreshed at a level, or any that is refreshed.
pub(super) fn densest(measured: &Measured, level: &LevelMeasure) -> Option<usize> {
    let refreshed = |row: &usize| retention(measured, level, *row).is_some();
    denser(measured, level).first().copied().or_else(|| (0..measured.devices.devices.len()).find(refreshed))
}

fn fits(measured: &Measured, run: &RunMeasure) -> Tile {
    let label = message("Fits without refresh");
    let first = told(run).next().filter(|_| has_clock(run));
    let Some((level, device)) = first.and_then(|level| Some((level, densest(measured, level)?))) else {
        return no_clock(label, run);
    };
    let others = each(told(run).skip(1), |level| percent_beside(level.fits(device), ENOUGH));
    let name = message("{level}: {retention} of {device}")
        .with("level", &level.name)
        .with("retention", with_unit(retention(measured, level, device).unwrap_or(0.0), &Unit::Micros))
        .with_message("device", called(measured, device));
    let comparison = if others.is_empty() {
        name
    } else {
        message("{name}; {others}").with_message("name", name).with("others", others)
    };
    Tile {
        label,
        value: percent_beside(level.fits(device), ENOUGH).into(),
        amount: Some((level.fits(device), Unit::Share)),
        comparison,
        bar: vec![(level.fits(device), Color::Plain)],
        address: place(run, None, "lengths").address(),
        ..Tile::default()
    }
}

fn area(input: &RuleInput, measured: &Measured, run: &RunMeasure) -> Tile {
    let reference = measured.reference();
    let label = match reference {
        Some(row) => message("Area relative to {device}").with_message("device", called(measured, row)),
        None => message("Area"),
    };
    let known: Vec<&LevelMeasure> = told(run).collect();
    let reference = reference.filter(|_| has_clock(run) && !known.is_empty());
    let Some(row) = reference else { return no_clock(label, run) };
    // Of a level without lifetimes that count nobody knows what it would be of.
    let before: f64 = known.iter().map(|level| level.area(row)).sum();
    let after: f64 = known.iter().map(|level| level.mixed_area(row)).sum();
    let private = known.iter().find(|level| level.is_private && 0.0 < level.area(row));
    let scope = private.or_else(|| known.first()).map(|level| scope_of(input, run, level));
    let scope = scope.unwrap_or_default();
    if before <= 0.0 {
        return Tile {
            label,
            value: "–".into(),
            comparison: message("level sizes unknown"),
            ..Tile::default()
        };
    }
    Tile {
        label,
        value: percent(after / before).into(),
        amount: Some((after / before, Unit::Share)),
        comparison: if known.len() == run.levels.len() {
            message("{after} of {before}, {scope}; a mix by the time that data stay")
        } else {
            message("{after} of {before} of {levels}, {scope}; a mix by the time that data stay")
        }
        .with("levels", known.iter().map(|level| level.name.as_str()).collect::<Vec<_>>().join(", "))
        .with("after", with_unit(after, &area_unit()))
        .with("before", with_unit(before, &area_unit()))
        .with_message("scope", scope),
        bar: vec![(share(after, before), Color::Plain)],
        address: place(run, None, "devices").address(),
        ..Tile::default()
    }
}

/// Lifetimes of all levels by the device that takes them in a mix, most first; the last is what fits none.
fn mixed(run: &RunMeasure) -> Vec<(Option<usize>, u64)> {
    let mut all: Vec<(Option<usize>, u64)> = Vec::new();
    for own in run.levels.iter().flat_map(|level| &level.mix) {
        match all.iter_mut().find(|(device, _)| *device == own.device) {
            Some((_, n)) => *n += own.lifetimes,
            None => all.push((own.device, own.lifetimes)),
        }
    }
    order::sort_by(&mut all, |a, b| b.1.cmp(&a.1));
    all
}

fn mix(measured: &Measured, run: &RunMeasure) -> Tile {
    let label = message("Densest mix");
    let all = mixed(run);
    let n: u64 = all.iter().map(|(_, n)| n).sum();
    let Some((first, most)) = all.first().copied().filter(|_| has_clock(run) && 0 < n) else {
        return no_clock(label, run);
    };
    let name = |device: Option<usize>| -> Message {
        match device {
            Some(row) => name_of(measured, row).to_owned().into(),
            None => message("no device"),
        }
    };
    let text = |n: u64| percent(share(n as f64, run_count(&all)));
    let others = all.iter().skip(1).take(2).map(|(device, n)| {
        message("{share} {device}").with("share", text(*n)).with_message("device", name(*device))
    });
    let others = others.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b));
    let color = |device: Option<usize>| device.map_or(Color::Idle, series);
    let bar = all.iter().map(|(device, n)| (share(*n as f64, run_count(&all)), color(*device)));
    Tile {
        label,
        value: name(first),
        comparison: match others {
            Some(others) => message("{share} of all lifetimes; {others}")
                .with("share", text(most))
                .with_message("others", others),
            None => message("{share} of all lifetimes").with("share", text(most)),
        },
        bar: bar.collect(),
        address: place(run, None, "devices").address(),
        ..Tile::default()
    }
}

/// The color of a device by its row.
fn series(row: usize) -> Color {
    Color::Series(u8::try_from(row % 12).unwrap_or(0))
}

fn run_count(all: &[(Option<usize>, u64)]) -> f64 {
    all.iter().map(|(_, n)| *n as f64).sum()
}

// Where lifetimes lie.

/// Retentions at a level in microseconds, ascending, each once.
fn limits(measured: &Measured, level: &LevelMeasure) -> Vec<f64> {
    let devices = 0..measured.devices.devices.len();
    let mut limits: Vec<f64> = devices.filter_map(|row| retention(measured, level, row)).collect();
    order::sort_by(&mut limits, f64::total_cmp);
    limits.dedup();
    limits.truncate(4);
    limits
}

fn levels(measured: &Measured, run: &RunMeasure) -> Option<Part> {
    let first = told(run).next().filter(|_| has_clock(run))?;
    let limits = limits(measured, first);
    let last = limits.last().copied()?;
    let micros = |limit: f64| with_unit(limit, &Unit::Micros);
    let mut columns: Vec<String> = limits.iter().map(|limit| format!("≤ {}", micros(*limit))).collect();
    columns.push(format!("> {}", micros(last)));
    let rows = told(run).map(|level| {
        let within =
            limits.iter().map(|limit| level.demand.lifetimes.share_within(limit * level.demand.clock_mhz));
        let within: Vec<f64> = within.collect();
        let rest = 1.0 - within.last().copied().unwrap_or(0.0);
        let mut before = 0.0;
        let own = within.iter().map(|within| within - std::mem::replace(&mut before, *within));
        let shares: Vec<f64> = own.chain([rest]).collect();
        PartRow {
            name: level.name.clone().into(),
            bar: shares.iter().zip(0_u8..).map(|(share, at)| (*share, Color::Series(at))).collect(),
            cells: within.iter().map(|share| percent_beside(*share, ENOUGH)).chain([percent(rest)]).collect(),
            // All devices count, not only the densest.
            amounts: within.iter().chain([&rest]).map(|share| Some((*share, Unit::Share))).collect(),
            amount: densest(measured, level).map(|device| (level.fits(device), Unit::Share)),
            address: place(run, Some(level), "lengths").address(),
            ..PartRow::default()
        }
    });
    Some(Part {
        title: message("Lifetimes by level"),
        note: message("by level; shares of lifetimes"),
        columns,
        rows: rows.collect(),
        // What the densest memory holds: that decides.
        measure: densest(measured, first)
            .and_then(|device| retention(measured, first, device))
            .and_then(|micros| limits.iter().position(|limit| *limit == micros))
            .unwrap_or(0),
        ..Part::default()
    })
}

#[allow(clippy::too_many_lines)] // most of it is texts
fn kernels(input: &RuleInput, measured: &Measured, run: &RunMeasure) -> Option<Part> {
    let known = runs(input).get(run.row)?;
    let mut rows: Map<&str, usize> = Map::default();
    // Name, launches, cycles, of each level lifetimes and those that outlive its densest device, place.
    type Sums<'a> = (&'a str, u64, u64, Vec<(u64, u64)>, usize);
    // Kernels that the file cuts off: name, cycles until there, place.
    let cut = known.kernels.iter().enumerate().filter(|(_, kernel)| kernel.is_cut);
    let cut: Vec<(&str, u64, usize)> =
        cut.map(|(at, kernel)| (kernel.name.as_str(), kernel.cycles, at)).collect();
    let mut all: Vec<Sums> = Vec::new();
    let levels: Vec<&LevelMeasure> = told(run).collect();
    let whole = known.kernels.iter().filter(|kernel| !kernel.is_cut);
    let counted = known.kernels.iter().zip(known.launches()).enumerate();
    for (at, (kernel, [n, _])) in counted.filter(|(_, (kernel, _))| !kernel.is_cut) {
        let row = *rows.entry(&kernel.name).or_insert(all.len());
        if row == all.len() {
            all.push((&kernel.name, 0, 0, vec![(0, 0); levels.len()], at));
        }
        if let Some((_, launches, cycles, ..)) = all.get_mut(row) {
            *launches += n;
            *cycles = cycles.saturating_add(kernel.cycles.saturating_mul(kernel.times()));
        }
    }
    for (at, level) in levels.iter().enumerate() {
        let device = densest(measured, level).filter(|_| has_clock(run));
        for named in &level.kernels {
            let of_kernel = rows.get(named.name.as_str()).and_then(|row| all.get_mut(*row));
            if let Some((lifetimes, beyond)) = of_kernel.and_then(|own| own.3.get_mut(at)) {
                *lifetimes += named.lifetimes;
                *beyond += device.and_then(|device| named.beyond.get(device).copied()).unwrap_or(0);
            }
        }
    }
    order::sort_by(&mut all, |a, b| b.2.cmp(&a.2));
    let cycles: u64 = all.iter().map(|own| own.2).sum();
    let is_timed = has_clock(run);
    let row = |(name, launches, own, by_level, at): &(&str, u64, u64, Vec<(u64, u64)>, usize)| {
        let used = by_level.iter().filter(|(lifetimes, _)| 0 < *lifetimes);
        let fits = used.map(|(n, beyond)| share((n - beyond) as f64, *n as f64)).reduce(f64::min);
        let mut cells = vec![
            thousands(*launches),
            thousands(*own),
            fixed(*own as f64 * 100.0 / cycles.max(1) as f64, 1),
            by_level.iter().map(|(n, _)| thousands(*n)).collect::<Vec<_>>().join(" / "),
        ];
        let mut amounts = vec![None; cells.len()];
        if is_timed {
            cells.push(fits.map_or_else(|| "–".to_owned(), |fits| percent_beside(fits, ENOUGH)));
            amounts.push(fits.map(|fits| (fits, Unit::Share)));
        }
        PartRow {
            name: compute::called(name).to_owned().into(),
            cells,
            amount: Some((*own as f64, Unit::Cycles)),
            amounts,
            address: place(run, None, "lengths").state("kernel", &at.to_string()).address(),
            ..PartRow::default()
        }
    };
    let cut_off = |(name, own, at): &(&str, u64, usize)| PartRow {
        name: message("{name}, cut off").with_message("name", compute::called(name).to_owned()),
        cells: ["1".to_owned(), format!("≥ {}", thousands(*own))]
            .into_iter()
            .chain(std::iter::repeat_n("–".to_owned(), 2 + usize::from(is_timed)))
            .collect(),
        address: place(run, None, "lengths").state("kernel", &at.to_string()).address(),
        ..PartRow::default()
    };
    let mut columns = vec![phrase("Count"), phrase("Cycles"), "%", phrase("Lifetimes")];
    if is_timed {
        columns.push(phrase("Fits without refresh"));
    }
    let note = if known.has_layers {
        message("{n} layers").with("n", thousands(all.len() as u64))
    } else {
        kernel_names(whole)
    };
    // Of which levels, and which devices would hold them.
    let mut devices: Vec<usize> = levels.iter().filter_map(|level| densest(measured, level)).collect();
    devices.dedup();
    let devices = devices.into_iter().map(|device| called(measured, device));
    let devices = devices.reduce(|a, b| message("{a} / {b}").with_message("a", a).with_message("b", b));
    let names: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
    let note =
        message("{note}; lifetimes of {levels}").with_message("note", note).with("levels", names.join(" / "));
    let note = match devices.filter(|_| is_timed) {
        Some(devices) => message("{note}; what fits {devices}, of the level that fits least")
            .with_message("note", note)
            .with_message("devices", devices),
        None => note,
    };
    Some(Part {
        title: if known.has_layers { message("Hottest layers") } else { message("Hottest kernels") },
        note,
        columns: columns.into_iter().map(str::to_owned).collect(),
        rows: all.iter().take(ROWS).map(row).chain(cut.iter().map(cut_off)).collect(),
        measure: 1,
        more: all.len().saturating_sub(ROWS) as u64,
        list: place(run, None, "lengths").address(),
        ..Part::default()
    })
}

/// Said of lifetimes that fit and count a refresh.
fn exact(measured: &Measured, run: &RunMeasure) -> Message {
    let n = |level: &LevelMeasure| -> u64 {
        let rows = 0..measured.devices.devices.len();
        let limits = rows.filter_map(|row| retention(measured, level, row));
        limits.map(|micros| level.demand.lifetimes.count_of(micros * level.demand.clock_mhz)).sum()
    };
    match told(run).map(n).sum::<u64>() {
        0 => Message::default(),
        n => message(" {n} lifetimes last exactly a retention: they fit, and count one refresh each, as GainSight counts.")
            .with("n", thousands(n)),
    }
}

fn devices(measured: &Measured, run: &RunMeasure) -> Option<Part> {
    if !has_clock(run) || told(run).next().is_none() {
        return None;
    }
    let devices = 0..measured.devices.devices.len();
    let largest = devices.clone().map(|row| run.area(row)).fold(0.0, f64::max);
    let rows = devices.map(|row| {
        let refreshes = told(run).map(|level| {
            let own = level.figures.get(row).map_or(0.0, |own| own.refreshes);
            with_unit(own.round(), &Unit::None)
        });
        let refreshes: Vec<String> = refreshes.collect();
        let least = told(run).map(|level| level.fits(row)).fold(1.0, f64::min);
        let area = run.area(row);
        PartRow {
            name: name_of(measured, row).to_owned().into(),
            bar: vec![(share(area, largest), series(row))],
            cells: vec![
                if 0.0 < area { with_unit(area, &area_unit()) } else { "–".to_owned() },
                refreshes.join(" / "),
                percent_beside(least, ENOUGH),
            ],
            amount: told(run)
                .next()
                .and_then(|level| level.figures.get(row))
                .map(|own| (own.refreshes.round(), Unit::None)),
            amounts: vec![None, None, Some((least, Unit::Share))],
            address: place(run, None, "devices").address(),
            ..PartRow::default()
        }
    });
    Some(Part {
        title: message("By memory device"),
        note: message(
            "if all levels were of it; refreshes of {levels}; the level that fits least.{filled}{exact}",
        )
        .with_message("exact", exact(measured, run))
        .with("levels", told(run).map(|level| level.name.as_str()).collect::<Vec<_>>().join(" / "))
        .with_message("filled", filled(measured.devices.array_efficiency)),
        columns: [phrase("Area"), phrase("Refreshes"), phrase("Fits without refresh")]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
        // Areas are of the sizes of the levels: they stay what they are.
        measure: 1,
        ..Part::default()
    })
}
