//! `--fail-over`, for CI: what became worse by more than allowed.

use super::native::{Args, Limit};
use super::output::Run;
use lanescope::analysis::compare::change;
use lanescope::analysis::compare::headline::Quantity;
use lanescope::analysis::finding::{Overview, Tile};
use lanescope::base::number::{fixed, of_kind, thousands, with_unit};
use lanescope::base::unit::{Preference, Unit};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::engine::compare::figures as joined;
use lanescope::model::figure::{Body, Cell, Family};
use lanescope::wire::{Answer, Query};

/// Most lines of figures that did not fail, and most names in a sentence.
const SHOWN: usize = 40;

/// A figure of both documents that has a better direction.
struct Judged {
    name: String,
    before: f64,
    after: f64,
    unit: Unit,
    /// By what share it became worse; negative where it became better.
    worse: f64,
    /// Whether it is more where more was recorded.
    is_sum: bool,
}

fn judged(name: String, before: f64, after: f64, unit: &Unit, sense: Preference) -> Option<Judged> {
    let by = (after - before) / before;
    let worse = match sense {
        Preference::LessIsBetter => by,
        Preference::MoreIsBetter => -by,
        Preference::Neutral => return None,
    };
    let unit = unit.clone();
    (0.0 < before && worse.is_finite()).then_some(Judged { name, before, after, unit, worse, is_sum: false })
}

/// What both documents have.
struct Both {
    quantities: [Vec<Quantity>; 2],
    /// Without a named figure nobody asks for the rest.
    overviews: [Overview; 2],
    families: Vec<Family>,
}

impl Both {
    fn of(docs: [&mut Document; 2], is_named: bool) -> Self {
        let [old, new] = docs;
        let quantities = [&mut *old, &mut *new].map(|doc| match doc.query(&Query::Headline).0 {
            Answer::Headline(quantities) => quantities,
            _ => Vec::new(),
        });
        if !is_named {
            return Self { quantities, overviews: Default::default(), families: Vec::new() };
        }
        let overviews = [old.whole_overview(), new.whole_overview()];
        Self { quantities, overviews, families: joined(old, new).families }
    }

    /// The quantities of whole runs in both, by name, unit and what they are of.
    fn wholes(&self) -> impl Iterator<Item = (&Quantity, &Quantity)> {
        let [before, after] = &self.quantities;
        let met = |new: &Quantity| {
            let is_named = |old: &&Quantity| !old.is_part && old.name == new.name && old.unit == new.unit;
            let same = before.iter().filter(is_named).find(|old| old.key == new.key);
            // Sums of other things are told to be left out.
            same.or_else(|| before.iter().filter(is_named).find(|old| old.is_sum() && new.is_sum()))
        };
        after.iter().filter(|new| !new.is_part).filter_map(move |new| Some((met(new)?, new)))
    }

    /// The figures of the overview in both, with their numbers.
    fn tiles(&self) -> impl Iterator<Item = (String, (f64, f64), &Unit)> {
        let [before, after] = &self.overviews;
        let number = |tile: &Tile| tile.amount.as_ref().map(|(value, unit)| value * unit.smallest().1);
        after.tiles.iter().filter_map(move |new| {
            let is_same = |old: &&Tile| old.label == new.label && old.of == new.of;
            let old = before.tiles.iter().find(is_same)?;
            let unit = &new.amount.as_ref()?.1;
            let is_one = old.amount.as_ref()?.1.smallest().0 == unit.smallest().0;
            let times = unit.smallest().1;
            let pair = (number(old)? / times, number(new)? / times);
            is_one.then(|| (new.label.text(Language::En).into_owned(), pair, unit))
        })
    }

    /// What differs between the inputs, as a sentence; empty where nothing does.
    fn difference(&self) -> String {
        let is_other = |(old, new): &(&Quantity, &Quantity)| !new.is_as_many(old) || old.key != new.key;
        let Some((old, new)) = self.wholes().find(is_other) else { return String::new() };
        let told = self.wholes().find(|(old, new)| old.of != new.of);
        match told {
            Some((old, new)) => {
                let [a, b] = [old, new].map(|one| one.of.text(Language::En));
                format!("Different inputs are compared: A: {a}; B: {b}.")
            }
            None if old.over != new.over => {
                let [a, b] =
                    [old, new].map(|one| of_kind(&thousands(one.over.cast_signed()), &one.over_what));
                format!("Recordings of different lengths are compared: A: {a}; B: {b}.")
            }
            None => "Different inputs are compared.".to_owned(),
        }
    }

    /// The names that can be asked for: of figures that have a better direction.
    fn names(&self) -> Vec<String> {
        let wholes = self.wholes().filter_map(of_whole);
        let tiles = self.tiles().filter_map(of_tile);
        let mut names: Vec<String> = wholes.chain(tiles).map(|one| one.name).collect();
        let judged = self.families.iter().filter(|family| !rows_of(family).is_empty());
        names.extend(judged.map(|family| title_of(family).to_owned()));
        let mut told: Vec<String> = Vec::new();
        for name in names {
            if !told.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
                told.push(name);
            }
        }
        told
    }
}

/// What a family of figures is asked for by: its title, else its id.
fn title_of(family: &Family) -> &str {
    if family.title.is_empty() { &family.id } else { &family.title }
}

fn of_whole((old, new): (&Quantity, &Quantity)) -> Option<Judged> {
    let sense = new.unit.sense_of(&new.name);
    let is_sum = !new.is_as_many(old) || old.key != new.key;
    Some(Judged { is_sum, ..judged(new.name.clone(), old.value, new.value, &new.unit, sense)? })
}

fn of_tile((name, (before, after), unit): (String, (f64, f64), &Unit)) -> Option<Judged> {
    let (sense, is_sum) = (sense_of(&name, unit), name != STEP && is_time(unit));
    Some(Judged { is_sum, ..judged(name, before, after, unit, sense)? })
}

/// Which way is better of a figure of the overview.
fn sense_of(name: &str, unit: &Unit) -> Preference {
    let lower = name.to_lowercase();
    match unit.sense_of(name) {
        Preference::Neutral if LESS.iter().any(|word| lower.contains(word)) => Preference::LessIsBetter,
        Preference::Neutral if MORE.iter().any(|word| lower.contains(word)) => Preference::MoreIsBetter,
        sense => sense,
    }
}

/// Words of names of the overview of which less, or more, is better.
const LESS: [&str; 8] = ["idle", "memory", "wait", "miss", "stall", "slowdown", "tail", "retries"];
const MORE: [&str; 4] = ["hits", "occupancy", "utilization", "per cycle"];

/// Whether a name of a row or column says that it is more where more was recorded.
fn is_sum(name: &str) -> bool {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "total" | "sum" | "count" | "calls" | "launches"))
}

/// Prints the figures that became worse by more than the limit, else those that were compared, and says whether there are some.
/// Without a figure those of whole runs are judged; a figure of Details by its title or id is judged row by row, where its columns have
/// a better direction. Sums over recordings of different inputs are left out. Of damaged files nothing is proven.
pub(super) fn judge(run: &mut Run, args: &Args, docs: [&mut Document; 2], limit: &Limit) {
    let damaged: Vec<&str> = docs
        .iter()
        .zip(["baseline", "comparison"])
        .filter(|(doc, _)| !doc.damage().is_empty())
        .map(|(_, name)| name)
        .collect();
    let is_named = !limit.figure.is_empty();
    let both = Both::of(docs, is_named);
    let is_meant = |name: &str| !is_named || name.eq_ignore_ascii_case(&limit.figure);
    let mut all: Vec<Judged> =
        both.wholes().filter(|(_, new)| is_meant(&new.name)).filter_map(of_whole).collect();
    let difference = both.difference();
    if is_named {
        let is_it = |family: &&Family| is_meant(&family.id) || is_meant(&family.title);
        let rows = both.families.iter().filter(is_it).map(rows_of).find(|rows| !rows.is_empty());
        all.extend(rows.unwrap_or_default());
    }
    if is_named && all.is_empty() {
        all.extend(both.tiles().filter(|(name, ..)| is_meant(name)).filter_map(of_tile));
    }
    let (left, all): (Vec<Judged>, Vec<Judged>) =
        all.into_iter().partition(|one| one.is_sum && !difference.is_empty());
    if !left.is_empty() {
        let mut names: Vec<&str> = left.iter().map(|one| one.name.as_str()).collect();
        names.truncate(SHOWN);
        Run::note(&format!(
            "{difference} Not judged, as sums over all that was recorded: {}.",
            names.join(", ")
        ));
    }
    if all.is_empty() && !left.is_empty() {
        run.trouble("no figure can be compared.");
    } else if all.is_empty() {
        let which = if is_named { format!(" named {}", limit.figure) } else { String::new() };
        let names = both.names();
        let known = match names.len() {
            0 => String::new(),
            n => format!(
                "; available: {}{}",
                names[..n.min(SHOWN)].join(", "),
                if SHOWN < n { ", …" } else { "" }
            ),
        };
        run.trouble(&format!("no comparable figure{which} in both files{known}."));
    } else {
        told(run, args, &all, limit);
    }
    if !damaged.is_empty() {
        let which = damaged.join(" and the ");
        run.trouble(&format!("the {which} could not be read whole: nothing is proven by these figures."));
    }
}

/// The time of a step is no sum over a recording.
const STEP: &str = "Step time";

fn is_time(unit: &Unit) -> bool {
    unit.smallest().0 == Unit::Nanos
}

/// Prints what became worse, or what was compared.
fn told(run: &mut Run, args: &Args, all: &[Judged], limit: &Limit) {
    let worse: Vec<&Judged> = all.iter().filter(|of| limit.share < of.worse).collect();
    let line = |of: &&Judged| {
        // Of shares too: the limit is a part of the baseline.
        let by = change(of.before, of.after, &Unit::None);
        let cells = [
            of.name.replace(['|', '\n', '\r', '\t'], " "),
            with_unit(of.before, &of.unit),
            with_unit(of.after, &of.unit),
            if by.is_empty() { "unchanged".to_owned() } else { by },
        ];
        if args.markdown { format!("| {} |\n", cells.join(" | ")) } else { format!("{}\n", cells.join("\t")) }
    };
    let mut text = String::new();
    if args.markdown {
        text += "| Figure | Baseline | Comparison | Change |\n| --- | --- | --- | --- |\n";
    }
    if worse.is_empty() {
        text.extend(all.iter().take(SHOWN).map(|one| line(&one)));
    } else {
        text.extend(worse.iter().map(line));
    }
    run.print(&text);
    Run::note(&format!(
        "{} of {} figures became worse by more than {} %.",
        worse.len(),
        all.len(),
        fixed(limit.share * 100.0, 1)
    ));
    run.is_worse = !worse.is_empty();
}

/// The numbers of a joined table that both sides have: a difference stands behind its two sides.
fn rows_of(family: &Family) -> Vec<Judged> {
    let Some(Body::Table(table)) = family.variant(&[]).map(|figure| &figure.body) else { return Vec::new() };
    let cell = |row: &[Cell], at: usize| row.get(at).and_then(Cell::as_number);
    let differences = || (2..table.columns.len()).filter(|at| table.columns[*at].is_difference);
    let of_row = |(n, row): (usize, &Vec<Cell>)| {
        let keys = row.iter().take(table.key_columns).filter_map(|key| match key {
            Cell::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let key = keys.collect::<Vec<_>>().join(" / ");
        let of = |at: usize| {
            let column = &table.columns[at - 1];
            let unit = table.row_units.get(n).unwrap_or(&column.unit);
            let what = column.name.trim_end_matches(" (comparison)");
            let what = if table.row_units.is_empty() { what } else { "" };
            let name = [key.as_str(), what].into_iter().filter(|part| !part.is_empty());
            let name = name.collect::<Vec<_>>().join(", ");
            let sense = unit.sense_of(&name);
            let is_sum = is_sum(&name);
            Some(Judged { is_sum, ..judged(name, cell(row, at - 2)?, cell(row, at - 1)?, unit, sense)? })
        };
        differences().filter_map(of).collect::<Vec<_>>()
    };
    table.rows.iter().enumerate().flat_map(of_row).collect()
}
