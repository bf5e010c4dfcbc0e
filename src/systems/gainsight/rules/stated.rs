//! What tables of kernels and a report state without the lifetimes behind them.

use super::{area_unit, filled, runs};
use crate::analysis::finding::{
    Color, Evidence, Finding, Number, Part, PartRow, Saving, Severity, Tile, share,
};
use crate::base::number::{fixed, percent, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{RuleInput, Summary};
use crate::model::figure::{Body, Cell, TableFigure};
use crate::views::lifetimes::compute::{Device, Devices, LevelRow, Run, devices};

/// A level of a run as a table states it.
struct Stated {
    name: String,
    row: usize,
    /// The mean of all kernels, each as often as it has distinct sectors; the largest of medians, 90 % and longest, in µs.
    mean: f64,
    p90: f64,
    max: f64,
    bytes: u64,
    /// The highest rate of stores, and that of the whole run, in MHz.
    writes: [f64; 2],
    /// Distinct sectors of all kernels.
    unique: f64,
    utilization: Option<f64>,
}

/// The run of a table of kernels.
fn run_of<'a>(input: &RuleInput<'a>) -> Option<(usize, &'a Run)> {
    let is_stated =
        |run: &Run| run.kernels.iter().flat_map(|k| &k.levels).any(|level| level.stated.is_some());
    runs(input).iter().enumerate().find(|(_, run)| is_stated(run))
}

fn levels(run: &Run) -> Vec<Stated> {
    let of = |(row, head): (usize, &crate::views::lifetimes::compute::LevelHead)| {
        let own = run.kernels.iter().filter_map(|kernel| {
            Some((kernel.levels.get(row)?.stated?, kernel.times() as f64, kernel.cycles as f64))
        });
        let own: Vec<(LevelRow, f64, f64)> = own.collect();
        let most = |of: &dyn Fn(&LevelRow) -> f64| own.iter().map(|(row, ..)| of(row)).fold(0.0, f64::max);
        let weight: f64 = own.iter().map(|(row, times, _)| row.unique * times).sum();
        let time: f64 = own.iter().map(|(_, times, cycles)| times * cycles).sum();
        let mean: f64 = own.iter().map(|(row, times, _)| row.mean * row.unique * times).sum();
        let writes: f64 = own.iter().map(|(row, times, cycles)| row.write_mhz * times * cycles).sum();
        Stated {
            name: head.name.clone(),
            row,
            mean: if 0.0 < weight { mean / weight } else { 0.0 },
            p90: most(&|row| row.p90),
            max: most(&|row| row.max),
            bytes: own.iter().map(|(row, ..)| row.bytes).max().unwrap_or(0),
            writes: [most(&|row| row.write_mhz), if 0.0 < time { writes / time } else { 0.0 }],
            unique: weight,
            utilization: own.iter().filter_map(|(row, ..)| row.utilization).reduce(f64::max),
        }
    };
    run.levels.iter().enumerate().map(of).collect()
}

/// Devices that are refreshed and smaller than the reference, the smallest first, each with its retention; and the
/// reference.
fn denser<'a>(devices: &'a Devices, level: &Stated) -> (Vec<(&'a Device, f64)>, Option<&'a Device>) {
    let reference = devices.devices.iter().find(|device| device.is_reference);
    let limit = reference.map_or(0.0, |device| device.cell_um2);
    let own = devices.devices.iter().filter(|device| 0.0 < device.cell_um2 && device.cell_um2 < limit);
    let own = own.filter_map(|device| Some((device, device.retention.micros(level.writes[0])?)));
    let mut own: Vec<_> = own.collect();
    order::sort_by(&mut own, |a, b| a.0.cell_um2.total_cmp(&b.0.cell_um2).then(b.1.total_cmp(&a.1)));
    (own, reference)
}

/// Levels that a denser memory holds by what a table states: all lifetimes, or 90 % of those of each kernel.
#[allow(clippy::too_many_lines)] // most of it is texts
pub(super) fn fitting(input: &RuleInput, finding: &dyn Fn() -> Finding) -> Option<Vec<Finding>> {
    let (at, run) = run_of(input)?;
    let (devices, _) = devices(input.values);
    let all = levels(run);
    let area = |device: &Device, level: &Stated| devices.area_um2(device, level.bytes) / 1e6;
    let of = |level: &Stated| {
        let (own, reference) = denser(&devices, level);
        let mut known = own.into_iter().filter(|_| 0.0 < level.max);
        let (device, retention) = known.find(|(_, micros)| level.p90 <= *micros)?;
        let holds_all = level.max <= retention;
        let part = if holds_all { 1.0 } else { 0.9 };
        let micros = |value: f64| with_unit(value, &Unit::Micros);
        let saving = reference.filter(|_| holds_all && 0 < level.bytes).map(|reference| {
            let whole: f64 = all.iter().map(|level| area(reference, level)).sum();
            let model = message("Cell areas from the device table, for the size given in the kernel table; logic area is not counted.{filled}");
            let model = model.with_message("filled", filled(devices.array_efficiency));
            Saving::about(area(reference, level) - area(device, level), whole, area_unit(), model).of(phrase("{share} of the area"))
        });
        let sentence = if holds_all {
            message(
                "⟦{share}⟧ of the lifetimes of {level} end within the {retention} retention time of {device}.",
            )
        } else {
            message(
                "At least ⟦{share}⟧ of the lifetimes of {level} end within the {retention} retention time of {device}.",
            )
        };
        let line = if holds_all {
            message("The longest over all kernels is {longest}: no refreshes needed.")
        } else {
            message(
                "90 % of each kernel's lifetimes last up to {p90}; the longest lasts {longest}: a few need refreshes, or a memory partition with longer retention.",
            )
        };
        let bars = [
            (phrase("Mean of kernels, by sectors").to_owned(), level.mean),
            (phrase("90 %, largest of a kernel").to_owned(), level.p90),
            (phrase("Longest").to_owned(), level.max),
            (device.name.clone(), retention),
        ];
        Some(Finding {
            subject: format!("{} {}", level.name, device.name),
            severity: Severity::Note,
            sentence: sentence
                .with("share", percent(part))
                .with("level", &level.name)
                .with("retention", micros(retention))
                .with_message("device", device.name.clone()),
            line: line.with("longest", micros(level.max)).with("p90", micros(level.p90)),
            value: part,
            unit: Unit::Share,
            verdict: message("what fits is {devices}").with_message("devices", device.name.clone()),
            saving: saving.unwrap_or_default(),
            evidence: Evidence {
                shown: message("{n} kernels").with("n", thousands(run.kernels.len() as u64)),
                figure: Some(super::bars(Unit::Micros, None, bars)),
                numbers: vec![
                    Number::new(phrase("Mean of kernels, by sectors"), level.mean, Unit::Micros),
                    Number::new(phrase("90 %, largest of a kernel"), level.p90, Unit::Micros),
                    Number::new(phrase("Longest"), level.max, Unit::Micros),
                    Number::new(phrase("Distinct sectors"), level.unique, Unit::None),
                ],
                how: message(
                    "As given in the table: the maximum over all kernels for 90 % and for the longest, the mean weighted by distinct sectors. The table does not say how lifetimes were counted.",
                ),
                view: "lifetimes".to_owned(),
                address: place(at, level.row),
                ..Evidence::default()
            },
            ..finding()
        })
    };
    Some(all.iter().filter_map(of).collect())
}

fn place(run: usize, level: usize) -> String {
    let mut place = Place::view("lifetimes");
    if 0 < run {
        place = place.state("run", &run.to_string());
    }
    if 0 < level {
        place = place.state("level", &level.to_string());
    }
    place.address()
}

/// What a table of kernels is.
#[allow(clippy::too_many_lines)] // most of it is texts
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let Some((at, run)) = run_of(input) else { return report(input) };
    let (devices, _) = devices(input.values);
    let all = levels(run);
    let micros = |value: f64| with_unit(value, &Unit::Micros);
    let joined = |skip: usize, text: &dyn Fn(&Stated) -> String| {
        let own = all.iter().skip(skip).map(|level| format!("{} {}", level.name, text(level)));
        own.collect::<Vec<_>>().join(", ")
    };
    let first = all.first()?;
    let n: u64 = run.kernels.iter().map(crate::views::lifetimes::compute::Kernel::times).sum();
    let cycles: f64 = run.kernels.iter().map(|kernel| kernel.cycles as f64 * kernel.times() as f64).sum();
    let pair = |level: &Stated| format!("{} / {}", micros(level.mean), micros(level.p90));
    let fits = |level: &Stated| {
        let (own, _) = denser(&devices, level);
        own.into_iter()
            .find(|(_, limit)| level.max <= *limit)
            .map_or_else(|| "–".to_owned(), |(device, _)| device.name.clone())
    };
    let ratio = {
        let area = |level: &Stated| {
            let (own, reference) = denser(&devices, level);
            let before = devices.area_um2(reference?, level.bytes) / 1e6;
            let fitting = own.into_iter().find(|(_, limit)| level.max <= *limit).map(|(device, _)| device);
            Some((before, fitting.map_or(before, |device| devices.area_um2(device, level.bytes) / 1e6)))
        };
        all.iter().filter_map(area).fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1))
    };
    let (before, after) = ratio;
    let address = place(at, 0);
    type Bar = Vec<(f64, Color)>;
    let tile = |label: Message, value: (String, Option<(f64, Unit)>), comparison: Message, bar: Bar| Tile {
        label,
        value: value.0.into(),
        amount: value.1,
        comparison,
        bar,
        address: address.clone(),
        ..Tile::default()
    };
    let tiles = vec![
        tile(
            message("Kernels"),
            (thousands(n), Some((n as f64, Unit::None))),
            with_unit(cycles, &Unit::Cycles).into(),
            Vec::new(),
        ),
        tile(
            message("Mean / 90 % of {level}").with("level", &first.name),
            (pair(first), None),
            if all.len() < 2 {
                message("mean of kernels by sectors, largest 90 % of a kernel")
            } else {
                message("mean of kernels by sectors, largest 90 % of a kernel; {others}")
                    .with("others", joined(1, &pair))
            },
            vec![
                (share(first.mean, first.max), Color::Series(0)),
                (share(first.p90 - first.mean, first.max), Color::Series(1)),
            ],
        ),
        tile(
            message("Holds all of {level}").with("level", &first.name),
            (fits(first), None),
            joined(1, &fits).into(),
            Vec::new(),
        ),
        tile(
            message("Area without refresh"),
            if 0.0 < before {
                (percent(after / before), Some((after / before, Unit::Share)))
            } else {
                ("–".to_owned(), None)
            },
            message("{part} of {whole}, for the given sizes")
                .with("part", with_unit(after, &area_unit()))
                .with("whole", with_unit(before, &area_unit())),
            vec![(share(after, before), Color::Plain)],
        ),
        tile(
            message("Stores at {level}").with("level", &first.name),
            (with_unit(first.writes[1], &Unit::Megahertz), Some((first.writes[1], Unit::Megahertz))),
            message("at most {most}; {others}")
                .with("most", with_unit(first.writes[0], &Unit::Megahertz))
                .with("others", joined(1, &|level| with_unit(level.writes[1], &Unit::Megahertz))),
            Vec::new(),
        ),
    ];
    let of_level = |level: &Stated| PartRow {
        name: level.name.clone().into(),
        bar: vec![(share(level.p90, level.max), Color::Series(0))],
        cells: vec![
            micros(level.mean),
            micros(level.p90),
            micros(level.max),
            level.utilization.map_or_else(|| "–".to_owned(), percent),
        ],
        amount: Some((level.mean, Unit::Micros)),
        address: place(at, level.row),
        ..PartRow::default()
    };
    let by_level = Part {
        title: message("Lifetimes by level"),
        note: message("means of kernels by distinct sectors; of the rest the largest of a kernel"),
        columns: [phrase("Mean"), phrase("90 %"), phrase("Longest"), phrase("Utilization")]
            .map(str::to_owned)
            .to_vec(),
        rows: all.iter().map(of_level).collect(),
        ..Part::default()
    };
    let mut kernels: Vec<_> = run.kernels.iter().enumerate().collect();
    order::sort_by(&mut kernels, |a, b| (b.1.cycles * b.1.times()).cmp(&(a.1.cycles * a.1.times())));
    let row = |(row, kernel): &(usize, &crate::views::lifetimes::compute::Kernel)| {
        let own = kernel.cycles as f64 * kernel.times() as f64;
        let p90 = kernel.levels.first().and_then(|level| level.stated).map_or(0.0, |stated| stated.p90);
        PartRow {
            name: kernel.name.clone().into(),
            cells: vec![
                thousands(kernel.times()),
                with_unit(own, &Unit::None),
                fixed(share(own, cycles) * 100.0, 1),
                micros(p90),
            ],
            amount: Some((own, Unit::Cycles)),
            address: Place::view("lifetimes").state("kernel", &row.to_string()).address(),
            ..PartRow::default()
        }
    };
    let hottest = Part {
        title: message("Hottest kernels"),
        note: message("{n} kernels").with("n", thousands(kernels.len() as u64)),
        columns: [phrase("Count"), phrase("Cycles"), "%", phrase("90 %")].map(str::to_owned).to_vec(),
        rows: kernels.iter().take(7).map(row).collect(),
        measure: 1,
        more: kernels.len().saturating_sub(7) as u64,
        list: Place::view("lifetimes").address(),
        ..Part::default()
    };
    Some(Summary { tiles, parts: vec![by_level, hottest] })
}

// A report: what its tables say.

/// A table of the report in the file.
fn table<'a>(input: &RuleInput<'a>, what: &str) -> Option<&'a TableFigure> {
    let begins = format!("device-report-{what}");
    let family = input.trace.figures.iter().find(|family| family.id.starts_with(&begins))?;
    match &family.variants.first()?.body {
        Body::Table(table) => Some(table),
        _ => None,
    }
}

fn number(cell: Option<&Cell>) -> Option<f64> {
    match cell? {
        Cell::Number(value) => Some(*value),
        Cell::Integer(value) => Some(*value as f64),
        _ => None,
    }
}

/// The name of a row.
fn name(row: &[Cell]) -> &str {
    match row.first() {
        Some(Cell::Text(text)) => text,
        _ => "",
    }
}

/// What a report is.
#[allow(clippy::too_many_lines)] // most of it is texts
fn report(input: &RuleInput) -> Option<Summary> {
    let family = input.trace.figures.iter().find(|family| family.id.starts_with("device-report"))?;
    let facts = match family.variants.first().map(|figure| &figure.body) {
        Some(Body::Facts(facts)) => facts.facts.as_slice(),
        _ => &[],
    };
    let lifetimes: Vec<(&str, f64)> = facts
        .iter()
        .filter_map(|fact| Some((fact.name.strip_suffix(" Lifetime Count")?, number(Some(&fact.value))?)))
        .collect();
    let all: f64 = lifetimes.iter().map(|(_, n)| n).sum();
    let address = |what: &str| Place::view("details").figure(what, &[]).address();
    let refreshes = table(input, "refreshes");
    let areas = table(input, "area");
    let sums = |table: Option<&TableFigure>| -> Vec<(String, f64)> {
        let row = |row: &Vec<Cell>| {
            let sum: f64 = row.iter().skip(1).filter_map(|cell| number(Some(cell))).sum();
            (name(row).to_owned(), sum)
        };
        table.map_or_else(Vec::new, |table| table.rows.iter().map(row).collect())
    };
    let (refreshed, sized) = (sums(refreshes), sums(areas));
    let worst = refreshed.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let reference = sized.iter().find(|(name, _)| name.eq_ignore_ascii_case("sram")).map_or(0.0, |own| own.1);
    let least = sized.iter().filter(|own| 0.0 < own.1).min_by(|a, b| a.1.total_cmp(&b.1));
    let writes = table(input, "write-frequency");
    let weighted = writes.and_then(|table| table.rows.iter().find(|row| name(row) == "weighted"));
    let levels = |table: &TableFigure| -> Vec<String> {
        table.columns.iter().skip(1).map(|column| column.name.clone()).collect()
    };
    let rates = writes.zip(weighted).map(|(table, row)| {
        let own = levels(table).into_iter().zip(row.iter().skip(1));
        own.filter_map(|(level, cell)| Some((level, number(Some(cell))?))).collect::<Vec<_>>()
    });
    let rates = rates.unwrap_or_default();
    let texts = |of: &[(String, f64)], unit: &Unit| {
        of.iter()
            .map(|(name, value)| format!("{name} {}", with_unit(*value, unit)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let counts: Vec<(String, f64)> = lifetimes.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    let mhz = Unit::Megahertz;
    let free = refreshed.iter().filter(|own| own.1 == 0.0).count();
    let tiles = vec![
        Tile {
            label: message("Lifetimes"),
            value: with_unit(all, &Unit::None).into(),
            amount: Some((all, Unit::None)),
            comparison: texts(&counts, &Unit::None).into(),
            bar: counts.iter().zip(0_u8..).map(|(own, at)| (share(own.1, all), Color::Series(at))).collect(),
            address: address(&family.id),
            ..Tile::default()
        },
        Tile {
            label: message("Most refreshes"),
            value: worst.map_or_else(|| "–".to_owned(), |own| with_unit(own.1, &Unit::None)).into(),
            amount: worst.map(|own| (own.1, Unit::None)),
            comparison: match worst {
                Some((name, n)) if 0.0 < all => message("{device}, {each} per lifetime")
                    .with_message("device", name.to_owned())
                    .with("each", with_unit(n / all, &Unit::None)),
                _ => Message::default(),
            },
            address: address("device-report-refreshes"),
            ..Tile::default()
        },
        Tile {
            label: message("Fits without refresh"),
            value: message("{n} of {all} devices").with("n", free).with("all", refreshed.len()),
            comparison: message("no refresh"),
            bar: vec![(share(free as f64, refreshed.len() as f64), Color::Plain)],
            address: address("device-report-refreshes"),
            ..Tile::default()
        },
        Tile {
            label: message("Smallest area"),
            value: least
                .filter(|_| 0.0 < reference)
                .map_or_else(|| "–".to_owned(), |own| percent(own.1 / reference))
                .into(),
            amount: least.filter(|_| 0.0 < reference).map(|own| (own.1 / reference, Unit::Share)),
            comparison: least.map_or_else(Message::default, |own| {
                message("{device}, of that of SRAM").with_message("device", own.0.clone())
            }),
            bar: least.map(|own| (share(own.1, reference), Color::Plain)).into_iter().collect(),
            address: address("device-report-area"),
            ..Tile::default()
        },
        Tile {
            label: message("Stores"),
            value: rates.first().map_or_else(|| "–".to_owned(), |own| with_unit(own.1, &mhz)).into(),
            amount: rates.first().map(|own| (own.1, mhz.clone())),
            comparison: texts(&rates, &mhz).into(),
            address: address("device-report-write-frequency"),
            ..Tile::default()
        },
    ];
    let part = |title: Message, own: &[(String, f64)], unit: &Unit, scale: f64, id: &str| {
        let most = own.iter().map(|own| own.1).fold(0.0, f64::max);
        let row = |(name, value): &(String, f64)| PartRow {
            name: name.clone().into(),
            bar: vec![(share(*value, most), Color::Plain)],
            cells: vec![with_unit(value * scale, unit)],
            amount: Some((value * scale, unit.clone())),
            address: address(id),
            ..PartRow::default()
        };
        Part {
            title,
            note: message("all levels"),
            rows: own.iter().take(7).map(row).collect(),
            more: own.len().saturating_sub(7) as u64,
            list: address(id),
            ..Part::default()
        }
    };
    let parts = vec![
        part(
            message("By memory device"),
            &refreshed,
            &Unit::Count(phrase("refreshes").to_owned()),
            1.0,
            "device-report-refreshes",
        ),
        part(message("Area"), &sized, &area_unit(), 1e-6, "device-report-area"),
    ];
    Some(Summary { tiles, parts: parts.into_iter().filter(|part| !part.rows.is_empty()).collect() })
}
