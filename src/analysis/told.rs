//! How an overview is told, on the page and in a report: what a baseline had, thresholds, rules that found nothing.

use super::compare::units::common;
use super::finding::{
    Change, Finding, Limit, Measure, Number, Outcome, Overview, Part, PartRow, RuleState, SavingKind, Tile,
    amount, compared_overviews, plain,
};
use crate::base::map::Map;
use crate::base::number::{MISSING, exact, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, Message, message, phrase, tr};
use std::borrow::Cow;

/// What stands beside a figure where there is a baseline, in the place of what else it is held against; `None` is a baseline
/// without this figure.
pub fn tile_beside(tile: &Tile, old: Option<&Tile>, language: Language) -> String {
    let Some(old) = old else { return tr(language, phrase("not among the figures of A")).to_owned() };
    let before = old.value.text(language);
    let said = match tile.change_since(old) {
        _ if old.of.is_empty() && !tile.of.is_empty() => {
            message("{of}; in A {before}").with_message("of", tile.of.clone()).with("before", &before)
        }
        _ if tile.of.is_empty() && !old.of.is_empty() => {
            message("in A {before}, {other}").with("before", &before).with_message("other", old.of.clone())
        }
        _ if old.of != tile.of => message("{of}; in A {before}, {other}")
            .with_message("of", tile.of.clone())
            .with("before", &before)
            .with_message("other", old.of.clone()),
        change if !change.is_empty() => {
            message("{before} in A, {change}").with("before", &before).with("change", change)
        }
        // What it is held against says why there is nothing.
        _ if before == MISSING && tile.value.text(language) == MISSING => match &tile.comparison {
            why if why.is_empty() => message("not recorded"),
            why => why.clone(),
        },
        _ if before == tile.value.text(language) => message("the same in A"),
        _ => message("{before} in A").with("before", &before),
    };
    let said = if old.of == tile.of && tile.says_of {
        message("{said}; {of}").with_message("said", said).with_message("of", tile.of.clone())
    } else {
        said
    };
    let said = if tile.some.is_empty() {
        said
    } else {
        message("{said}; {some}").with_message("said", said).with_message("some", tile.some.clone())
    };
    let said = if old.some == tile.some || old.some.is_empty() {
        said
    } else {
        message("{said}; in A {some}").with_message("said", said).with_message("some", old.some.clone())
    };
    said.text(language).into_owned()
}

/// A part beside the same one of a baseline: of each row what both measured, and how much that differs. What is not among
/// the rows of the baseline is not said where it tells only some of them. `None` where they have no row in common. Where
/// the measure of the part stayed what it was, another column that changed stands in its place; where sums are of other
/// numbers of steps, the mean of a call.
pub fn part_beside(part: &Part, old: &Part, language: Language) -> Option<Part> {
    if part.steps.min(old.steps) != 0 && part.steps != old.steps {
        let note = message("{note}; mean per call, since the numbers of steps differ");
        let note = note.with_message("note", part.note.clone());
        return beside(&Part { note, ..part.of_calls() }, &old.of_calls(), language);
    }
    let cell = compared_cell(part, old);
    if cell != part.measure {
        let by = |part: &Part| {
            let rows = |rows: &[PartRow]| rows.iter().map(|row| row.measured_at(cell)).collect();
            Part { measure: cell, rows: rows(&part.rows), beyond: rows(&part.beyond), ..part.clone() }
        };
        return beside(&by(part), &by(old), language);
    }
    beside(part, old, language)
}

/// The cell by which it is compared with a baseline: its measure, or where nothing differs there the one that differs
/// most.
fn compared_cell(part: &Part, old: &Part) -> usize {
    let pairs = || part.rows.iter().filter_map(|row| Some((old.row(row)?, row)));
    let differs = |(before, row): (&PartRow, &PartRow)| !row.change_since(before).is_empty();
    if part.columns != old.columns || pairs().any(differs) {
        return part.measure;
    }
    let by = |cell: usize| {
        let own = pairs().map(|(before, row)| (before.measured_at(cell), row.measured_at(cell)));
        let own = own.filter(|(before, row)| differs((before, row)));
        let part = own.filter_map(|(before, row)| {
            let ((old, _), (new, _)) = (before.amount?, row.amount?);
            Some((new - old).abs() / new.abs().max(old.abs()))
        });
        part.fold(0.0, f64::max)
    };
    let best = |best: (usize, f64), cell| if best.1 < by(cell) { (cell, by(cell)) } else { best };
    (0..part.columns.len()).fold((part.measure, 0.0), best).0
}

fn beside(part: &Part, old: &Part, language: Language) -> Option<Part> {
    let mut known: Map<Cow<str>, &PartRow> = Map::default();
    for row in old.rows.iter().chain(&old.beyond) {
        known.entry(row.whole_name()).or_insert(row);
    }
    let old_row = |row: &PartRow| known.get(&row.whole_name()).copied();
    let cells = |row: &PartRow| {
        let own = part.measured(row).unwrap_or(MISSING).to_owned();
        let before = old_row(row).and_then(|row| Some((row, old.measured(row)?)));
        let Some((old_row, before)) = before else {
            let said = if 0 < old.more && !old.is_all { String::new() } else { MISSING.to_owned() };
            return vec![said, own, String::new()];
        };
        let shown = |(value, unit): (f64, Unit)| amount(value, &unit);
        let (before, own) = match row.of_both(old_row) {
            Some(Some([old, new])) => (shown(old), shown(new)),
            _ => (before.to_owned(), own),
        };
        let change = match row.change_since(old_row) {
            change if change.is_empty() && before == own => "=".to_owned(),
            change => change,
        };
        vec![before, own, change]
    };
    if !part.rows.iter().chain(&part.beyond).any(|row| old_row(row).is_some()) {
        return None;
    }
    // Where most of the rows are of one side only, those of both come first: there is something to compare.
    let is_of_both = |row: &&PartRow| old_row(row).is_some();
    let (both, alone): (Vec<&PartRow>, Vec<&PartRow>) =
        if 2 * part.rows.iter().filter(is_of_both).count() < part.rows.len() {
            part.rows.iter().chain(&part.beyond).partition(is_of_both)
        } else {
            (Vec::new(), part.rows.iter().collect())
        };
    let rows = both.into_iter().chain(alone).take(part.rows.len());
    let rows = rows.map(|row| PartRow { cells: cells(row), ..row.clone() }).collect();
    let measure = part.columns.get(part.measure).map_or("", |name| tr(language, name));
    let head = |letter: &str| format!("{measure} {letter}").trim_start().to_owned();
    let columns = vec![head("A"), head("B"), tr(language, phrase("Difference")).to_owned()];
    let is_of_some = |row: &PartRow| old_row(row).is_some_and(|old| row.of_both(old).is_some());
    let note = if part.rows.iter().any(is_of_some) {
        message("{note}; of units that both have").with_message("note", part.note.clone())
    } else {
        part.note.clone()
    };
    Some(Part { note, columns, rows, ..part.clone() })
}

/// The end of a sentence in front of another one.
pub fn full_stop(language: Language) -> &'static str {
    if language == Language::Zh { "。" } else { ". " }
}

/// What became of a finding, against the one of the baseline.
pub fn change_told(change: Change, before: Option<&Finding>, now: &Finding, language: Language) -> String {
    // Without a saving by its number, where that says something: how many figures have an advice does not.
    let was = before.map_or(String::new(), |before| match before.saving.kind {
        SavingKind::None if change == Change::Both && before.unit == Unit::None => String::new(),
        SavingKind::None => amount(before.value, &before.unit),
        _ => before.saving.text(language),
    });
    let is_share = before.is_some_and(|before| Measure::of(before, now) == Measure::Share);
    let others = before.filter(|before| before.is_of_others(now)).map_or(0, |before| before.devices);
    let said = match change {
        Change::Appeared | Change::Vanished => message("no finding in the baseline"),
        Change::Unchecked => message("the baseline has no data to check this"),
        Change::Turned => match before.map(|before| &before.verdict).filter(|verdict| !verdict.is_empty()) {
            Some(verdict) => message("changed; in the baseline: {was}").with_message("was", verdict.clone()),
            None => message("changed; in the baseline: {was}"),
        },
        // Of what is about the same number the rest may be another one, such as how long each call takes.
        Change::Same if before.is_none_or(|old| (&old.sentence, &old.line) == (&now.sentence, &now.line)) => {
            message("as in the baseline")
        }
        Change::Same if is_share => message("about the same share as in the baseline ({was})"),
        Change::Same => message("about as in the baseline ({was})"),
        Change::Grew if is_share => message("higher share than in the baseline ({was})"),
        Change::Shrank if is_share => message("lower share than in the baseline ({was})"),
        Change::Grew => message("more than in the baseline ({was})"),
        Change::Shrank => message("less than in the baseline ({was})"),
        Change::Both if was.is_empty() => message("also in the baseline"),
        Change::Both => message("also in the baseline ({was})"),
        Change::Apart if others == 1 => {
            message("not comparable with the only device of the baseline ({was})")
        }
        Change::Apart if others != 0 => {
            message("not comparable with the {n} devices of the baseline ({was})").with("n", others)
        }
        Change::Apart => message("not comparable with the baseline ({was})"),
    };
    said.with("was", was).text(language).into_owned()
}

/// Findings that a baseline has alone, each with why it may be here all the same: then nobody could look. Those come last.
pub fn gone<'a>(
    baseline: &'a Overview,
    comparison: &'a Overview,
    language: Language,
) -> Vec<(&'a Finding, Option<&'static str>)> {
    let all = compared_overviews(baseline, comparison);
    let why = tr(language, phrase("B has no data to check this."));
    let of = |change: Change, why: Option<&'static str>| {
        let own = all.iter().filter(move |of| of.change == change && of.comparison.is_none());
        own.filter_map(move |of| Some((of.baseline?, why)))
    };
    of(Change::Vanished, None).chain(of(Change::Unchecked, Some(why))).collect()
}

/// A number of a finding beside the same one of a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberBeside {
    /// The value of the baseline; empty where it has not the same number.
    pub was: String,
    pub is: String,
    /// What stands behind both.
    pub note: String,
}

/// A number beside that of a baseline: of the units that both have, where they have others, and nothing of the baseline
/// where it is of something else there.
pub fn number_beside(number: &Number, baseline: Option<&Finding>, language: Language) -> NumberBeside {
    let value = |value: f64| amount(value, &number.unit);
    let note = plain(&number.note.text(language));
    let is_same = |old: &&Number| (&old.name, &old.unit, &old.of) == (&number.name, &number.unit, &number.of);
    let old = baseline.and_then(|baseline| baseline.evidence.numbers.iter().find(is_same));
    let alone = || NumberBeside { was: String::new(), is: value(number.value), note: note.clone() };
    let Some(old) = old else { return alone() };
    if let Some(both) = common(&old.units, &number.units) {
        let [was, is] = both.map(|parts| number.follows.of(&parts));
        return was.zip(is).map_or_else(alone, |(was, is)| NumberBeside {
            was: value(was),
            is: value(is),
            note: tr(language, phrase("of units that both have")).to_owned(),
        });
    }
    let before = plain(&old.note.text(language));
    let note = if before == note || before.is_empty() { note } else { format!("{before} → {note}") };
    NumberBeside { was: value(old.value), is: value(number.value), note }
}

/// A threshold in words: what it is, its value, where it comes from.
pub fn limit_told(limit: &Limit, language: Language) -> String {
    let value = match &limit.unit {
        Unit::None => exact(limit.value),
        unit => with_unit(limit.value, unit),
    };
    message("Threshold: {name} {value} ({source}).")
        .with("name", tr(language, &limit.name))
        .with("value", value)
        .with("source", tr(language, &limit.source))
        .text(language)
        .into_owned()
}

/// How many rules found nothing, and how many could not look.
pub fn quiet_counted(rules: &[RuleState]) -> Message {
    let of = |is: fn(&Outcome) -> bool| rules.iter().filter(|rule| is(&rule.outcome)).count();
    let nothing = of(|outcome| matches!(outcome, Outcome::Nothing(_)));
    let said = match of(|outcome| matches!(outcome, Outcome::Missing(_))) {
        0 => message("{nothing} rules found nothing"),
        missing => {
            message("{nothing} rules found nothing, {missing} could not be checked").with("missing", missing)
        }
    };
    said.with("nothing", nothing)
}

/// Rules that found nothing, and why others could not look: the head of the list, then titles of rules with what they say;
/// those that say the same stand together.
pub fn quiet_told(rules: &[RuleState], language: Language) -> [(&'static str, Vec<(String, String)>); 2] {
    let list = |is_meant: fn(&Outcome) -> bool| {
        let mut said: Vec<(String, String)> = Vec::new();
        for rule in rules.iter().filter(|rule| is_meant(&rule.outcome)) {
            let (Outcome::Nothing(text) | Outcome::Missing(text)) = &rule.outcome else { continue };
            let (text, title) = (plain(&text.text(language)), tr(language, &rule.title));
            match said.iter_mut().find(|(_, known)| *known == text) {
                Some((titles, _)) => {
                    titles.push_str(if language == Language::Zh { "，" } else { ", " });
                    titles.push_str(title);
                }
                None => said.push((title.to_owned(), text)),
            }
        }
        said
    };
    [
        (phrase("Checked, nothing found"), list(|outcome| matches!(outcome, Outcome::Nothing(_)))),
        (phrase("Could not be checked"), list(|outcome| matches!(outcome, Outcome::Missing(_)))),
    ]
}

/// Rows that are not shown, at most: they are there for who compares.
const BEYOND: usize = 10_000;

impl Part {
    /// With the first of `n` rows, of which so many are shown. The others have no places.
    #[must_use]
    pub fn with_rows(self, rows: impl Iterator<Item = PartRow>, (shown, n): (usize, usize)) -> Self {
        let mut rows: Vec<PartRow> = rows.take(shown + BEYOND).collect();
        let others = rows.split_off(shown.min(rows.len())).into_iter();
        let beyond = others.map(|row| PartRow { bar: Vec::new(), address: String::new(), ..row }).collect();
        let (more, is_all) = (n.saturating_sub(shown) as u64, n <= shown + BEYOND);
        Self { rows, more, beyond, is_all, ..self }
    }

    /// The row of the same name, shown or not.
    pub fn row(&self, like: &PartRow) -> Option<&PartRow> {
        self.rows.iter().chain(&self.beyond).find(|row| row.whole_name() == like.whole_name())
    }

    /// The same of a call of each row: sums of more steps are more without being longer. Rows without calls have no number.
    fn of_calls(&self) -> Self {
        let mean = |row: &PartRow| {
            let mean = row.amount.clone().filter(|_| 0 < row.calls);
            let mean = mean.map(|(sum, unit)| (sum / row.calls as f64, unit));
            let cell = mean.as_ref().map_or(MISSING.to_owned(), |(value, unit)| amount(*value, unit));
            PartRow { cells: vec![cell], amount: mean, amounts: Vec::new(), ..row.clone() }
        };
        let rows = |rows: &[PartRow]| rows.iter().map(mean).collect();
        let columns = vec![phrase("Mean per call").to_owned()];
        Self { columns, measure: 0, rows: rows(&self.rows), beyond: rows(&self.beyond), ..self.clone() }
    }

    /// What a row says of the measure of its part.
    pub fn measured<'a>(&self, row: &'a PartRow) -> Option<&'a str> {
        row.cells.get(self.measure).map(String::as_str)
    }
}
