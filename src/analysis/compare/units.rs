//! Numbers that are sums over units, such as the vector units of blocks, against the same of another document: where both
//! have other units, only those that both have are compared.

use crate::base::map::{Map, Set};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::figure::{Body, Cell, Figure};
use serde::{Deserialize, Serialize};

/// What one unit adds to a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitPart {
    /// The unit, as [`crate::base::map::hash`] of what names it: the same in both documents.
    pub unit: u64,
    /// What it adds.
    pub value: f64,
    /// What its value is a part of, or the count that it is divided by.
    pub of: f64,
}

/// How a number follows from its units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Follows {
    /// The sum of all values by the sum of what these are of, in percent.
    #[default]
    Percent,
    /// The same share of the unit where it is least, and where it is most.
    LeastPercent,
    MostPercent,
    /// The sum of all values by the sum of what these are of.
    Quotient,
    /// The sum of all values.
    Sum,
    /// The mean of the values, weighted by what these are of.
    Mean,
    /// How many units there are.
    Count,
    /// The least and the largest value, how far these are apart, and the largest by the mean.
    Least,
    Most,
    Range,
    MostByMean,
}

impl Follows {
    /// The number of these units; `None` of none, and where it would be a quotient of nothing.
    pub fn of(self, parts: &[UnitPart]) -> Option<f64> {
        let sum = |of: fn(&UnitPart) -> f64| parts.iter().map(of).sum::<f64>();
        let quotient = || sum(|part| part.value) / sum(|part| part.of);
        let mean = || sum(|part| part.value * part.of) / sum(|part| part.of);
        let share = |part: &UnitPart| part.value / part.of * 100.0;
        let least = |of: fn(&UnitPart) -> f64| parts.iter().map(of).reduce(f64::min);
        let most = |of: fn(&UnitPart) -> f64| parts.iter().map(of).reduce(f64::max);
        let number = match self {
            Self::Percent => quotient() * 100.0,
            Self::LeastPercent => least(share)?,
            Self::MostPercent => most(share)?,
            Self::Quotient => quotient(),
            Self::Sum => sum(|part| part.value),
            Self::Mean => mean(),
            Self::Count => parts.len() as f64,
            Self::Least => least(|part| part.value)?,
            Self::Most => most(|part| part.value)?,
            Self::Range => most(|part| part.value)? - least(|part| part.value)?,
            Self::MostByMean => most(|part| part.value)? / mean(),
        };
        Some(number).filter(|number| !parts.is_empty() && number.is_finite())
    }
}

/// What both documents say of the units that both have, those of the baseline first; `None` where both have the same units,
/// or where one does not say its units. Costs the units of both.
pub fn common(baseline: &[UnitPart], comparison: &[UnitPart]) -> Option<[Vec<UnitPart>; 2]> {
    let old: Map<u64, &UnitPart> = baseline.iter().map(|part| (part.unit, part)).collect();
    let new: Set<u64> = comparison.iter().map(|part| part.unit).collect();
    let is_same = old.len() == new.len() && new.iter().all(|unit| old.contains_key(unit));
    if old.is_empty() || new.is_empty() || is_same {
        return None;
    }
    let both = comparison.iter().filter_map(|part| Some((**old.get(&part.unit)?, *part)));
    let (old, new) = both.unzip();
    Some([old, new])
}

/// What a row of a figure is told of: the cells that follow from its units.
#[derive(Clone, Debug, PartialEq)]
pub struct RowUnits {
    /// Which variant of the figure it is in.
    pub variant: usize,
    /// The texts that name the row; of facts the name.
    pub row: Vec<String>,
    /// Columns, and how their cells follow; of facts one without a name.
    pub cells: Vec<(&'static str, Follows)>,
    pub parts: Vec<UnitPart>,
}

/// Rows that are sums over units, by the id of their figure. Kept in `Trace::extensions`.
#[derive(Default)]
pub struct FigureUnits(Vec<(String, Vec<RowUnits>)>);

impl FigureUnits {
    /// Takes the rows of a figure. Those of the same figure that were there before give way; where another file has a figure
    /// of that id, nothing is told of either.
    pub fn take(&mut self, id: &str, rows: Vec<RowUnits>, is_new: bool) {
        match self.0.iter_mut().find(|(known, _)| known == id) {
            Some((_, known)) if is_new => known.clear(),
            Some((_, known)) => *known = rows,
            None => self.0.push((id.to_owned(), rows)),
        }
    }
}

/// The rows of a variant of a figure that are sums over units.
pub fn rows_of(trace: &Trace, id: &str, variant: usize) -> Vec<RowUnits> {
    let all = trace.extensions.get::<FigureUnits>().map_or(&[][..], |units| &units.0);
    let rows = all.iter().filter(|(own, _)| own == id).flat_map(|(_, rows)| rows);
    rows.filter(|row| row.variant == variant).cloned().collect()
}

/// A row as it is carried to another document: what names it, the first of its cells, its units.
pub type SentRow = (Vec<String>, String, Vec<UnitPart>);

/// Rows as they are carried to another document.
pub fn sent(rows: Vec<RowUnits>) -> Vec<SentRow> {
    let row = |own: RowUnits| {
        let first = own.cells.first().map_or("", |(column, _)| column).to_owned();
        (own.row, first, own.parts)
    };
    rows.into_iter().map(row).collect()
}

/// What is said of a figure whose numbers are of the units that both documents have.
const OF_BOTH: &str = phrase("of the units that both have");

/// Lets two figures tell only of the units that both have, where these are not the same: what does not follow from units is
/// then missing in rows that both have. Costs the units of both.
pub fn restrict(figures: [&mut Figure; 2], before: &[SentRow], after: &[RowUnits]) {
    let pairs = after.iter().filter_map(|own| {
        let (first, _) = own.cells.first()?;
        let (.., old) = before.iter().find(|(row, column, _)| *row == own.row && column == first)?;
        Some((own, old, common(old, &own.parts)))
    });
    let pairs: Vec<_> = pairs.collect();
    if pairs.iter().all(|(.., both)| both.is_none()) {
        return;
    }
    let [old, new] = [&figures[0], &figures[1]].map(|figure| names(figure));
    let is_of_both = |row: &[String]| old.contains(row) && new.contains(row);
    for (figure, is_old) in figures.into_iter().zip([true, false]) {
        let mut known: Map<(&[String], &str), Cell> = Map::default();
        for (own, old, both) in &pairs {
            let parts = match (both, is_old) {
                (Some([old, _]), true) => old,
                (Some([_, new]), false) => new,
                (None, true) => *old,
                (None, false) => &own.parts,
            };
            let cell = |(column, follows): &(&'static str, Follows)| {
                ((own.row.as_slice(), *column), Cell::number(follows.of(parts)))
            };
            known.extend(own.cells.iter().map(cell));
        }
        OF_BOTH.clone_into(&mut figure.scope);
        set(figure, &|row, column| {
            is_of_both(row).then(|| known.get(&(row, column)).cloned().unwrap_or_default())
        });
    }
}

/// The names of the rows of a figure.
fn names(figure: &Figure) -> Set<Vec<String>> {
    match &figure.body {
        Body::Table(table) => table.rows.iter().map(|row| key(row, table.key_columns)).collect(),
        Body::Facts(facts) => facts.facts.iter().map(|fact| vec![fact.name.clone()]).collect(),
        _ => Set::default(),
    }
}

fn key(row: &[Cell], n: usize) -> Vec<String> {
    row.iter().take(n).map(Cell::plain).collect()
}

/// Sets cells by the names of their row and their column; those without a new one stay.
fn set(figure: &mut Figure, cell: &dyn Fn(&[String], &str) -> Option<Cell>) {
    match &mut figure.body {
        Body::Table(table) => {
            for row in &mut table.rows {
                let names = key(row, table.key_columns);
                let own = row.iter_mut().zip(&table.columns).skip(table.key_columns);
                own.for_each(|(value, column)| {
                    if let Some(new) = cell(&names, &column.name) {
                        *value = new;
                    }
                });
            }
        }
        Body::Facts(facts) => {
            for fact in &mut facts.facts {
                if let Some(new) = cell(std::slice::from_ref(&fact.name), "") {
                    fact.value = new;
                }
            }
        }
        _ => {}
    }
}
