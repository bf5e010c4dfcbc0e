//! Of 0x0C: how far the cores are apart, in a table and in sentences, and all values in a table that can be sorted.

use super::groups::{self, Limits, Member, Noun};
use super::occupancy::{Kind, SECTION, Shown, SubCore, kind_name};
use crate::analysis::compare::units::{Follows, RowUnits, UnitPart};
use crate::base::map::hash;
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Arg, message, phrase};
use crate::model::figure::{Advice, Body, Cell, Choice, Family, Figure, TableColumn, TableFigure, TableOf};
use crate::systems::ascend::claims;
use std::collections::BTreeMap;

/// Cores by number, each with its sub cores.
type Cores = BTreeMap<u64, Vec<SubCore>>;

/// Places of values that belong together.
const THROUGHPUT: usize = 1;
const HIT_RATE: usize = 2;

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
        if *what == HIT_RATE {
            let note =
                message("The mean hit rate is weighted by throughput; without throughput it is not shown.");
            figure.notes.push(note);
        }
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

/// What these rows follow from: the value of each sub core, of a hit rate with its throughput.
pub(super) fn imbalance_units(cores: &Cores, kinds: &[(Kind, u64)], shown: &[Shown]) -> Vec<RowUnits> {
    let row = |variant: usize, kind: Kind| {
        let (what, ..) = *shown.get(variant)?;
        let part = |(id, unit): (u64, &SubCore)| {
            let value = unit.values.get(what).copied().flatten()?;
            let of =
                if what == HIT_RATE { unit.values.get(THROUGHPUT).copied().flatten() } else { Some(1.0) };
            let unit = hash(&(id, kind_name(kind, unit.number, kinds)));
            // Without a weight there is no mean.
            Some(UnitPart { unit, value, of: of.unwrap_or(f64::NAN) })
        };
        let parts = in_order(cores).filter(|(_, unit)| unit.kind == kind).filter_map(part).collect();
        Some(RowUnits { variant, row: vec![kind.name().to_owned()], cells: CELLS.to_vec(), parts })
    };
    let kinds = [Kind::Cube, Kind::Vector, Kind::Other];
    (0..shown.len()).flat_map(|variant| kinds.map(|kind| row(variant, kind))).flatten().collect()
}

/// The cells that follow.
const CELLS: [(&str, Follows); 6] = [
    ("Mean", Follows::Mean),
    ("Measured", Follows::Count),
    ("Max", Follows::Most),
    ("Min", Follows::Least),
    ("Max ÷ mean", Follows::MostByMean),
    ("Max − min", Follows::Range),
];

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
    columns.into_iter().map(|(name, unit)| TableColumn::new(name, unit)).collect()
}

/// `None` when nothing of this kind was measured.
fn row(cores: &Cores, kinds: &[(Kind, u64)], kind: Kind, what: usize) -> Option<Vec<Cell>> {
    let of_core = |(id, units): (&u64, &Vec<SubCore>)| {
        let values = units.iter().filter(|s| s.kind == kind).filter_map(|s| {
            let value = s.values.get(what).copied().flatten()?;
            let weight =
                if what == HIT_RATE { s.values.get(THROUGHPUT).copied().flatten() } else { Some(1.0) };
            Some((value, format!("{id} {}", kind_name(kind, s.number, kinds)), weight))
        });
        values.collect::<Vec<_>>()
    };
    let all: Vec<(f64, String, Option<f64>)> = cores.iter().flat_map(of_core).collect();
    // Of equal ones the first.
    let most = all.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let least = all.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let weighted: Option<Vec<(f64, f64)>> =
        all.iter().map(|(value, _, weight)| Some((*value, (*weight)?))).collect();
    let mean = super::brief_weighted(weighted.unwrap_or_default().into_iter());
    let factor = mean.filter(|mean| *mean != 0.0).map(|mean| most.0 / mean);
    Some(vec![
        Cell::Text(kind.name().to_owned()),
        Cell::Number(all.len() as f64),
        Cell::number(mean),
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

/// One sentence for each kind of unit whose cycles are far apart: on two groups, on the numbers of units inside cores, or
/// on the single unit that took most. Rows are those of [`values`].
/// `are_some` says that some units are missing.
pub(super) fn core_advice(cores: &Cores, kinds: &[(Kind, u64)], are_some: bool) -> Vec<(Kind, Advice)> {
    let all = [Kind::Cube, Kind::Vector, Kind::Other].map(|kind| (kind, units(cores, kinds, kind)));
    let of_kind = |(kind, units): &(Kind, Vec<Member>)| {
        let others = all.iter().filter(|(other, _)| other != kind).flat_map(|(_, units)| units);
        let other = others.max_by(|a, b| a.value.total_cmp(&b.value));
        let said = groups::advice(
            units,
            Noun::Units,
            &Unit::Cycles,
            Limits { other, are_some, ..Limits::default() },
        );
        let said = said.or_else(|| numbers_advice(cores, kinds, *kind)).or_else(|| single_advice(units));
        Some((*kind, said?.claiming([claims::imbalance_of_cycles(kind.name())])))
    };
    all.iter().filter_map(of_kind).collect()
}

/// What the writer calls a hit rate lower than that of others, with the rates.
pub(super) fn hits_advice(said: &Advice, cores: &Cores) -> Option<Advice> {
    let of = |name: &str| said.text.args.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let (Some(Arg::Value(core)), Some(Arg::Value(name))) = (of("core"), of("unit")) else { return None };
    let is_own = |unit: &SubCore| {
        let (number, kind) = (unit.in_file.1, unit.kind.name());
        unit.in_file.0.to_string() == *core && (*name == format!("{kind}{number}") || *name == kind)
    };
    let rate = |unit: &SubCore| unit.values.get(HIT_RATE).copied().flatten();
    let all = || cores.values().flatten();
    let own = all().find(|unit| is_own(unit))?;
    let others = all().filter(|unit| unit.kind == own.kind && !is_own(unit)).filter_map(rate);
    let (least, most) = others.fold((f64::INFINITY, 0.0_f64), |(a, b), rate| (a.min(rate), b.max(rate)));
    let own_rate = rate(own).filter(|rate| *rate < most)?;
    let text = message(
        "The cache hit rate of core {core} {unit} is {n} %, that of the other {kind} units {least} to {most} %.",
    );
    let text = text.with("core", core).with("unit", name).with("kind", own.kind.name());
    let text = text.with("n", number::fixed(own_rate, 2));
    let text = text.with("least", number::fixed(least, 2)).with("most", number::fixed(most, 2));
    Some(Advice::new(text, false).claiming([claims::HITS.to_owned()]))
}

/// The cycles of all units of a kind that took some.
pub(super) fn units(cores: &Cores, kinds: &[(Kind, u64)], kind: Kind) -> Vec<Member> {
    let unit = |(row, (id, sub)): (u32, (u64, &SubCore))| {
        let value = sub.values.first().copied().flatten().filter(|cycles| 0.0 < *cycles)?;
        let kind = kind_name(sub.kind, sub.number, kinds);
        Some(Member { value, number: Some(id), kind, row })
    };
    (0_u32..).zip(in_order(cores)).filter(|(_, (_, sub))| sub.kind == kind).filter_map(unit).collect()
}

/// Whether units of one number took more than those of another: the mean of the cores that have both, where nearly all
/// of these agree. Cores that lack one of both say nothing about it.
fn numbers_advice(cores: &Cores, kinds: &[(Kind, u64)], kind: Kind) -> Option<Advice> {
    let own: Vec<u64> = kinds.iter().filter(|(own, _)| *own == kind).map(|(_, number)| *number).collect();
    let pairs = own.iter().flat_map(|a| own.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b);
    let apart = pairs.filter_map(|(slow, fast)| {
        let cycles = |units: &[SubCore], number: u64| {
            let unit = units.iter().find(|s| s.kind == kind && s.number == number)?;
            unit.values.first().copied().flatten().filter(|cycles| 0.0 < *cycles)
        };
        let both = cores.values().filter_map(|units| cycles(units, slow).zip(cycles(units, fast)));
        let both: Vec<(f64, f64)> = both.collect();
        let n_slower = both.iter().filter(|(slow, fast)| fast < slow).count();
        let (most, least) = both.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        let is_meant = 2 <= both.len() && 9 * both.len() <= 10 * n_slower && least * TOLD <= most;
        is_meant.then_some((most / least, slow, fast, both.len()))
    });
    let (factor, slow, fast, n) = apart.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let text = message("{most} took {n} % more cycles than {least}, mean of the {m} cores that have both.");
    let text = text.with("most", kind_name(kind, slow, kinds)).with("n", more(factor, 1.0));
    let text = text.with("least", kind_name(kind, fast, kinds)).with("m", n);
    Some(Advice::new(text, COSTLY <= factor))
}

/// The unit that took most against the one that took least and against the mean.
fn single_advice(units: &[Member]) -> Option<Advice> {
    let most = units.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let least = units.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
    if most.value < least.value * TOLD {
        return None;
    }
    let mean = units.iter().map(|unit| unit.value).sum::<f64>() / units.len() as f64;
    let text = message(
        "core {i} {most} took {n} % more cycles than core {j} {least}, and {m} % more than the mean.",
    );
    let text = text.with("i", most.number.unwrap_or(0)).with("most", &most.kind);
    let text = text.with("n", more(most.value, least.value)).with("j", least.number.unwrap_or(0));
    let text = text.with("least", &least.kind).with("m", more(most.value, mean));
    Some(Advice { rows: vec![most.row, least.row], ..Advice::new(text, mean * COSTLY <= most.value) })
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
    let all: Vec<_> = in_order(cores).collect();
    let table = TableOf::new(&all).column(phrase("Core"), Unit::None, |(id, _)| *id as f64).column(
        phrase("Sub core"),
        Unit::None,
        |(_, sub)| format!("{}{}", sub.kind.name(), sub.number),
    );
    let mut table = shown.iter().fold(table, |table, (what, name, unit)| {
        table.bars(name, unit.clone(), |(_, sub)| sub.values.get(*what).copied().flatten())
    });
    if has_rate {
        table = table.bars("Instructions per cycle", Unit::PerCycle, |(_, sub)| sub.per_cycle);
    }
    if is_folded {
        table = table.column(phrase("Core in the file"), Unit::None, |(_, sub)| sub.in_file.0 as f64).column(
            phrase("Sub core in the file"),
            Unit::None,
            |(_, sub)| sub.in_file.1 as f64,
        );
    }
    let title = phrase("All core values");
    Family::single("core-values", SECTION, Figure::new(title, Body::Table(table.keys(2).table())))
}
