//! What a probed kernel is, and where the time of its lanes goes.

use super::lanes::Lanes;
use super::{blocks, blocks_of, folder, impacts, is_whole, missing, unrecorded};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{RuleInput, Summary};
use crate::systems::neutrino::density;
use crate::systems::neutrino::folder::{Folder, Outcome, Status};
use crate::systems::neutrino::maps::{self, MapSums, Sums};
use crate::systems::neutrino::result::Role;
use crate::views::density::compute::Density;
use crate::views::schedule::compute::UnitRow;

fn tile(label: &'static str, value: impl Into<Message>, comparison: impl Into<Message>) -> Tile {
    Tile { label: label.into(), value: value.into(), comparison: comparison.into(), ..Tile::default() }
}

/// Five figures, where the time of lanes goes, slow blocks and SMs, memory, launches.
#[allow(clippy::too_many_lines)] // most of it is texts and tables
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let folder = folder(input)?;
    let probed = folder.launches.iter().filter(|launch| launch.status == Status::Probed).count();
    let kernels = folder.kernels.iter().filter(|kernel| kernel.outcome == Outcome::Probed).count();
    let launches = match folder.launches.len() {
        0 => tile(phrase("Launches"), phrase("not known"), phrase("no log next to the result")),
        n => Tile {
            bar: vec![(share(probed as f64, n as f64), Color::Plain)],
            amount: Some((n as f64, Unit::None)),
            address: Place::view("details").figure("neutrino-launches", &[]).address(),
            ..tile(
                phrase("Launches"),
                thousands(n as u64),
                message("{n} probed, {kernels} kernels")
                    .with("n", thousands(probed as u64))
                    .with("kernels", kernels),
            )
        },
    };
    let mut tiles = vec![launches];
    let all = blocks(input);
    let none = || match missing(input, "schedule") {
        Some(_) => phrase("its records are not here"),
        None => phrase("no schedule recorded"),
    };
    match all.filter(|all| all.launch.has_units) {
        Some(all) => {
            let of = Lanes::of(all, input);
            let waves = all.numbers.waves;
            let running = || Tile {
                bar: vec![
                    (of.running / of.all.max(1.0), Color::Compute),
                    (of.gaps / of.all.max(1.0), Color::Wait),
                    (of.idle / of.all.max(1.0), Color::Idle),
                ],
                address: Place::view("schedule").address(),
                amount: Some((share(of.running, of.all), Unit::Share)),
                ..tile(
                    phrase("Blocks running"),
                    percent(share(of.running, of.all)),
                    message("of the time of {n} lanes on {units} SMs")
                        .with("n", thousands(all.numbers.lanes))
                        .with("units", all.numbers.units),
                )
            };
            // Blocks without a record may have run at any time.
            tiles.push(if is_whole(all) {
                running()
            } else {
                let why = message("unknown: {why}").with_message("why", unrecorded(all));
                tile(phrase("Blocks running"), "–", why)
            });
            tiles.push(Tile {
                address: Place::view("schedule").state("table", "waves").address(),
                bar: vec![(
                    share(f64::from(all.numbers.last_wave), f64::from(all.numbers.lanes)),
                    Color::Plain,
                )],
                amount: Some((waves, Unit::None)),
                ..tile(
                    phrase("Waves"),
                    fixed(waves, 2),
                    match all.lost() {
                        0 => message("{n} blocks in the last").with("n", thousands(all.numbers.last_wave)),
                        _ => message("of {blocks}").with_message("blocks", blocks_of(all)),
                    },
                )
            });
        }
        None => {
            tiles.extend([tile(phrase("Blocks running"), "–", none()), tile(phrase("Waves"), "–", none())]);
        }
    }
    tiles.push(all.map_or_else(
        || tile(phrase("Tail"), "–", none()),
        |all| {
            Tile {
                address: Place::view("schedule").address(),
                amount: Some((all.numbers.tail(), Unit::Share)),
                ..tile(
                    phrase("Tail"),
                    percent(all.numbers.tail()),
                    match all.lost() {
                        0 => message("longest {longest}, median {median}"),
                        _ => message("longest {longest}, median {median} of {blocks}")
                            .with_message("blocks", blocks_of(all)),
                    }
                    .with("longest", with_unit(all.numbers.longest as f64, &all.launch.time))
                    .with("median", with_unit(all.numbers.percentiles[0] as f64, &all.launch.time)),
                )
            }
        },
    ));
    tiles.push(match impacts(folder).first() {
        Some(of) => Tile {
            amount: Some((of.factor, Unit::None)),
            ..tile(
                phrase("Probe slowdown"),
                format!("{} ×", fixed(of.factor, 2)),
                message("{name}, {launches}").with("name", of.name).with_message("launches", of.of()),
            )
        },
        None => tile(phrase("Probe slowdown"), "–", phrase("no benchmark found in the log")),
    });
    Some(Summary { tiles, parts: parts(input, folder) })
}

/// What counters come to, where nothing else is known of their maps: maps of which all records were read.
fn sums(input: &RuleInput) -> Part {
    let maps = input.result::<Sums>(&maps::ANALYSIS).map_or(&[][..], |all| all);
    let is_counted = |map: &&MapSums| {
        let times = [Role::Clock, Role::Timer, Role::Address];
        let all = map.section.units.saturating_mul(map.section.records_per_unit());
        0 < map.records && all <= map.seen && times.iter().all(|role| map.section.map.field(*role).is_none())
    };
    let rows = maps.iter().filter(is_counted).flat_map(|map| {
        let name = &map.section.map.name;
        let fields = map.section.map.fields.iter().zip(&map.fields).filter(|(field, _)| field.has_sum());
        fields.map(move |(field, stat)| PartRow {
            name: message("{map}: {field}").with("map", name).with("field", &field.name),
            cells: vec![with_unit(stat.sum as f64, &field.unit())],
            amount: Some((stat.sum as f64, field.unit())),
            address: Place::view("details").figure(&format!("neutrino-statistics-{name}"), &[]).address(),
            ..PartRow::default()
        })
    });
    let rows: Vec<PartRow> = rows.collect();
    let n = rows.len();
    let list = Place::view("details").address();
    let note = message("sums over all records");
    let own = Part { title: message("Counters"), note, list, ..Part::default() };
    own.with_rows(rows.into_iter(), (ROWS, n))
}

/// Rows of a part.
const ROWS: usize = 7;

#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn parts(input: &RuleInput, folder: &Folder) -> Vec<Part> {
    let mut parts = Vec::new();
    if let Some(all) = blocks(input).filter(|all| all.launch.has_units) {
        let (of, time) = (Lanes::of(all, input), all.launch.time.clone());
        let row = |name: &'static str, value: f64, color: Color| PartRow {
            name: name.into(),
            color: Some(color),
            share: share(value, of.all),
            cells: vec![with_unit(value, &time), percent(share(value, of.all))],
            amount: Some((value, time.clone())),
            ..PartRow::default()
        };
        parts.push(Part {
            title: message("Lane time"),
            note: match all.lost() {
                0 => message("{n} lanes"),
                _ => message("{n} lanes, of {blocks}; the time of others counts as gaps or idle")
                    .with_message("blocks", blocks_of(all)),
            }
            .with("n", thousands(all.lanes.len() as u64)),
            rows: vec![
                row(phrase("Running"), of.running, Color::Compute),
                row(phrase("Gaps"), of.gaps, Color::Wait),
                row(phrase("Idle"), of.idle, Color::Idle),
            ],
            ..Part::default()
        });
        let slowest = all.by_elapsed.iter().rev().map(|row| {
            let [x, y, z] = all.at(*row);
            let unit = all.unit_of(*row).map_or(String::new(), |unit| unit.id.to_string());
            PartRow {
                name: format!("{x}, {y}, {z}").into(),
                cells: vec![unit, with_unit(all.elapsed_of(*row) as f64, &time)],
                amount: Some((all.elapsed_of(*row) as f64, time.clone())),
                address: Place::view("schedule").state("row", &row.to_string()).address(),
                ..PartRow::default()
            }
        });
        let own = Part {
            title: message("Slowest blocks"),
            note: blocks_of(all),
            columns: vec!["SM".to_owned(), all.launch.elapsed().to_owned()],
            measure: 1,
            list: Place::view("schedule").address(),
            ..Part::default()
        };
        parts.push(own.with_rows(slowest, (ROWS, all.len())));
        let mut units: Vec<&UnitRow> = all.units.iter().collect();
        order::sort_by(&mut units, |a, b| {
            let part = |unit: &UnitRow| share(unit.running as f64, of.idle_of(unit).0);
            part(a).total_cmp(&part(b)).then(a.id.cmp(&b.id))
        });
        let rows = units.iter().map(|unit| {
            let (own, idle) = of.idle_of(unit);
            PartRow {
                name: message("SM {id}").with("id", unit.id),
                bar: vec![
                    (share(unit.running as f64, own), Color::Compute),
                    (share(unit.gap as f64, own), Color::Wait),
                    (share(idle, own), Color::Idle),
                ],
                cells: vec![percent(share(unit.running as f64, own))],
                amount: Some((share(unit.running as f64, own), Unit::Share)),
                ..PartRow::default()
            }
        });
        let own = Part {
            title: message("SMs"),
            note: message("running time, the lowest first"),
            list: Place::view("schedule").address(),
            ..Part::default()
        };
        parts.push(own.with_rows(rows, (ROWS, units.len())));
    }
    if let Some(density) = input.result::<Density>(&density::ANALYSIS).filter(|density| 0 < density.accesses)
    {
        let mut bands: Vec<_> = density.bands.iter().collect();
        order::sort_by_key(&mut bands, |band| std::cmp::Reverse(band.accesses));
        let rows = bands.iter().map(|band| PartRow {
            name: band.region.name.clone(),
            cells: vec![
                thousands(band.accesses),
                percent(share(band.accesses as f64, density.accesses as f64)),
            ],
            amount: Some((band.accesses as f64, Unit::None)),
            address: Place::view("heatmap").address(),
            ..PartRow::default()
        });
        let own = Part {
            title: message("Memory"),
            note: message("{n} accesses").with("n", thousands(density.accesses)),
            list: Place::view("heatmap").address(),
            ..Part::default()
        };
        parts.push(own.with_rows(rows, (ROWS, bands.len())));
    }
    parts.extend(Some(sums(input)).filter(|part| !part.rows.is_empty()));
    let mut timed: Vec<(&str, f64)> =
        folder.launches.iter().filter_map(|launch| Some((launch.name.as_str(), launch.kernel_ms?))).collect();
    order::sort_by(&mut timed, |a, b| b.1.total_cmp(&a.1));
    if !timed.is_empty() {
        let rows = timed.iter().take(ROWS).map(|(name, ms)| PartRow {
            name: (*name).to_owned().into(),
            cells: vec![with_unit(*ms, &Unit::Millis)],
            amount: Some((*ms, Unit::Millis)),
            address: Place::view("details").figure("neutrino-launches", &[]).address(),
            ..PartRow::default()
        });
        parts.push(Part {
            title: message("Longest launches"),
            note: message("kernel times in the log, with probes"),
            rows: rows.collect(),
            more: timed.len().saturating_sub(ROWS) as u64,
            list: Place::view("details").figure("neutrino-launches", &[]).address(),
            ..Part::default()
        });
    }
    parts
}
