//! Of 0x0C: how far the cores are apart, in a table and in sentences, and all values in a table that can be sorted.

use super::occupancy::{Kind, SECTION, Shown, SubCore, kind_name};
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Advice, Body, Cell, Choice, Family, Figure, TableColumn, TableFigure};
use std::collections::BTreeMap;

/// Cores by number, each with its sub cores.
type Cores = BTreeMap<u64, Vec<SubCore>>;

/// One row for each kind of sub core: least, mean and most, where they are, and how far they are apart.
pub(super) fn imbalance(cores: &Cores, kinds: &[(Kind, u64)], shown: &[Shown]) -> Family {
    let variant = |(what, name, unit): &Shown| {
        let table = TableFigure {
            columns: columns(unit),
            rows: [Kind::Cube, Kind::Vector, Kind::Other]
                .iter()
                .filter_map(|kind| row(cores, kinds, *kind, *what))
                .collect(),
            key_columns: 1,
            ..TableFigure::default()
        };
        let mut figure = Figure::new(phrase("Core imbalance"), Body::Table(table));
        figure.scope = name.to_lowercase();
        figure
    };
    let variants = shown.iter().map(variant).collect();
    Family {
        id: "core-imbalance".to_owned(),
        section: SECTION.to_owned(),
        title: phrase("Core imbalance").to_owned(),
        choices: vec![Choice {
            name: "Show as".to_owned(),
            options: shown.iter().map(|(_, name, _)| (*name).to_owned()).collect(),
        }],
        variants,
    }
}

fn columns(unit: &Unit) -> Vec<TableColumn> {
    let columns = [
        (phrase("Kind"), Unit::None),
        (phrase("Measured"), Unit::None),
        (phrase("Mean"), unit.clone()),
        (phrase("Max"), unit.clone()),
        (phrase("Core with max"), Unit::None),
        (phrase("Min"), unit.clone()),
        (phrase("Core with min"), Unit::None),
        (phrase("Max ÷ mean"), Unit::None),
        (phrase("Max − min"), unit.clone()),
    ];
    let column =
        |(name, unit): (&str, Unit)| TableColumn { name: name.to_owned(), unit, ..TableColumn::default() };
    columns.into_iter().map(column).collect()
}

/// `None` when nothing of this kind was measured.
fn row(cores: &Cores, kinds: &[(Kind, u64)], kind: Kind, what: usize) -> Option<Vec<Cell>> {
    let of_core = |(id, units): (&u64, &Vec<SubCore>)| {
        let values = units.iter().filter(|s| s.kind == kind).filter_map(|s| {
            let value = s.values.get(what).copied().flatten()?;
            Some((value, format!("{id} {}", kind_name(kind, s.number, kinds))))
        });
        values.collect::<Vec<_>>()
    };
    let all: Vec<(f64, String)> = cores.iter().flat_map(of_core).collect();
    // Of equal ones the first.
    let most = all.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let least = all.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let mean = all.iter().map(|(value, _)| value).sum::<f64>() / all.len() as f64;
    let factor = (mean != 0.0).then(|| most.0 / mean);
    Some(vec![
        Cell::Text(kind.name().to_owned()),
        Cell::Number(all.len() as f64),
        Cell::Number(mean),
        Cell::Number(most.0),
        Cell::Text(most.1.clone()),
        Cell::Number(least.0),
        Cell::Text(least.1.clone()),
        Cell::number(factor),
        Cell::Number(most.0 - least.0),
    ])
}

/// How much longer than another something must take to be told, and to be called costly.
pub(super) const TOLD: f64 = 1.05;
pub(super) const COSTLY: f64 = 1.1;

/// How much more a value is than another, in percent.
pub(super) fn more(value: f64, than: f64) -> String {
    number::fixed((value / than - 1.0) * 100.0, usize::from(value / than < 1.1))
}

/// Sentences on the cycles of units: which of a kind took more than the other in all cores together.
pub(super) fn unit_advice(cores: &Cores, kinds: &[(Kind, u64)]) -> Vec<Advice> {
    let mut said = Vec::new();
    for kind in [Kind::Cube, Kind::Vector] {
        let sum = |number: u64| {
            let own = cores.values().flatten().filter(|s| s.kind == kind && s.number == number);
            let cycles: f64 = own.filter_map(|s| s.values.first().copied().flatten()).sum();
            (cycles, kind_name(kind, number, kinds))
        };
        let own = kinds.iter().filter(|(own, _)| *own == kind).map(|(_, number)| sum(*number));
        let mut sums: Vec<(f64, String)> = own.filter(|(cycles, _)| 0.0 < *cycles).collect();
        order::sort_by(&mut sums, |a, b| a.0.total_cmp(&b.0));
        let (Some((least, one)), Some((most, other))) = (sums.first(), sums.last()) else { continue };
        if least * TOLD <= *most {
            let text = message("{most} took {n} % more cycles than {least}, all cores together.");
            let text = text.with("most", other).with("n", more(*most, *least)).with("least", one);
            said.push(Advice::new(text, least * COSTLY <= *most));
        }
    }
    said
}

/// Sentences on the cycles of single units: the one of a kind that took most against the one that took least, with the
/// rows of both in [`values`].
pub(super) fn core_advice(cores: &Cores, kinds: &[(Kind, u64)]) -> Vec<Advice> {
    let all = (0_u32..).zip(in_order(cores));
    let cycles: Vec<(u32, Kind, f64, (u64, String))> = all
        .filter_map(|(row, (id, sub))| {
            let value = sub.values.first().copied().flatten()?;
            Some((row, sub.kind, value, (id, kind_name(sub.kind, sub.number, kinds))))
        })
        .collect();
    let of_kind = |kind: Kind| {
        let own = || cycles.iter().filter(|(_, own, value, _)| *own == kind && 0.0 < *value);
        let most = own().max_by(|a, b| a.2.total_cmp(&b.2))?;
        let least = own().min_by(|a, b| a.2.total_cmp(&b.2))?;
        if most.2 < least.2 * TOLD {
            return None;
        }
        let mean = own().map(|(_, _, value, _)| value).sum::<f64>() / own().count() as f64;
        let text = message(
            "core {i} {most} took {n} % more cycles than core {j} {least}, and {m} % more than the mean.",
        );
        let text = text.with("i", most.3.0).with("most", &most.3.1).with("n", more(most.2, least.2));
        let text = text.with("j", least.3.0).with("least", &least.3.1);
        let rows = vec![most.0, least.0];
        Some(Advice { rows, ..Advice::new(text.with("m", more(most.2, mean)), mean * COSTLY <= most.2) })
    };
    [Kind::Cube, Kind::Vector, Kind::Other].into_iter().filter_map(of_kind).collect()
}

/// Sub cores with the numbers of their cores, as they stand in the table of all values.
fn in_order(cores: &Cores) -> impl Iterator<Item = (u64, &SubCore)> {
    cores.iter().flat_map(|(id, units)| {
        let mut units: Vec<&SubCore> = units.iter().collect();
        order::sort_by_key(&mut units, |sub| (sub.kind, sub.number));
        units.into_iter().map(|sub| (*id, sub))
    })
}

/// All that was measured, one row for each sub core.
pub(super) fn values(cores: &Cores, shown: &[Shown]) -> Family {
    let is_folded = cores.iter().any(|(id, units)| units.iter().any(|s| s.in_file != (*id, s.number)));
    let has_rate = cores.values().flatten().any(|s| s.per_cycle.is_some());
    let column = |name: &str, unit: Unit, has_bar: bool| TableColumn {
        name: name.to_owned(),
        unit,
        has_bar,
        ..TableColumn::default()
    };
    let mut columns =
        vec![column(phrase("Core"), Unit::None, false), column(phrase("Sub core"), Unit::None, false)];
    columns.extend(shown.iter().map(|(_, name, unit)| column(name, unit.clone(), true)));
    if has_rate {
        columns.push(column("Instructions per cycle", Unit::PerCycle, true));
    }
    if is_folded {
        columns.push(column(phrase("Core in the file"), Unit::None, false));
        columns.push(column(phrase("Sub core in the file"), Unit::None, false));
    }
    let row = |id: u64, sub: &SubCore| {
        let name = format!("{} {}", sub.kind.name(), sub.number);
        let mut cells = vec![Cell::Number(id as f64), Cell::Text(name)];
        cells.extend(shown.iter().map(|(what, ..)| Cell::number(sub.values.get(*what).copied().flatten())));
        if has_rate {
            cells.push(Cell::number(sub.per_cycle));
        }
        if is_folded {
            cells.extend([sub.in_file.0, sub.in_file.1].map(|n| Cell::Number(n as f64)));
        }
        cells
    };
    let rows = in_order(cores).map(|(id, sub)| row(id, sub)).collect();
    let table = TableFigure { columns, rows, key_columns: 2, ..TableFigure::default() };
    let title = phrase("All core values");
    Family::single("core-values", SECTION, Figure::new(title, Body::Table(table)))
}
