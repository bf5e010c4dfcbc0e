//! What an overview says of a profile: what it is, where its time goes, what limits it, and how each of that is known.
//!
//! Both programs hold it; rules make it (`crate::findings`). In sentences what counts stands between `⟦` and `⟧`: the page
//! prints it bold, texts leave the signs out.

use super::compare;
use super::compare::units::{Follows, UnitPart, common};
use crate::base::brief::Kept;
use crate::base::number;
use crate::base::order;
use crate::base::unit::{Preference, Unit};
use crate::base::words::{Language, Message, message, phrase};
use crate::model::figure::{Figure, Quote};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub use super::held::{Change, ComparedFinding, Measure, against, compared, compared_overviews};

/// All of it, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// That not all of the files could be read, from where on, and that everything here covers only the rest; empty where
    /// all was read.
    pub lost: Message,
    /// Usually five figures.
    pub tiles: Vec<Tile>,
    /// Where it goes: whole, hottest, by part.
    pub parts: Vec<Part>,
    /// What limits it: those that could save most stand first.
    pub findings: Vec<Finding>,
    /// Each rule that is about profiles of this kind, and what became of it.
    pub rules: Vec<RuleState>,
    /// How many rules have looked.
    pub n_looked: u32,
    /// Whether all have.
    pub is_whole: bool,
}

/// One of the first figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    pub label: Message,
    /// With its unit.
    pub value: Message,
    /// What it is held against, in a few words; may be empty.
    pub comparison: Message,
    /// Parts of the bar, as shares of its width with their colors; empty for no bar.
    pub bar: Vec<(f64, Color)>,
    /// Where it leads; empty for nowhere.
    pub address: String,
    /// The value as a number: figures of two profiles are compared by it. `None` where it is a word, or several numbers.
    pub amount: Option<(f64, Unit)>,
    /// What it is of, where that may be another thing in another profile, such as a network: values of different things are
    /// no change. Empty for the whole.
    pub of: Message,
    /// Whether that is said beside a baseline of the same too: it is of one, or the mean, of several.
    pub says_of: bool,
    /// Of how many units what it is held against is known, where these are not all; said beside a baseline too.
    pub some: Message,
}

impl Tile {
    /// The same with the number behind its value.
    #[must_use]
    pub fn amount(self, value: f64, unit: Unit) -> Self {
        Self { amount: Some((value, unit)), ..self }
    }

    /// How much it changed since a baseline, as of a [`PartRow`]; empty where that says nothing.
    pub fn change_since(&self, baseline: &Self) -> String {
        if baseline.of == self.of {
            change_of(baseline.amount.as_ref(), self.amount.as_ref())
        } else {
            String::new()
        }
    }
}

/// Colors of bars, the same as in other views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Color {
    /// A value that is no class.
    #[default]
    Plain,
    Compute,
    Communication,
    Copy,
    /// Waiting with a known cause.
    Wait,
    /// Nothing goes on.
    Idle,
    /// One of the colors of series.
    Series(u8),
}

impl Color {
    /// The token of style/tokens.css.
    pub fn token(self) -> String {
        match self {
            Self::Plain => "accent".to_owned(),
            Self::Compute => "p3".to_owned(),
            Self::Communication => "p4".to_owned(),
            Self::Copy => "p6".to_owned(),
            Self::Wait => "p1".to_owned(),
            Self::Idle => "wait".to_owned(),
            Self::Series(n) => format!("p{}", n % 12 + 1),
        }
    }
}

/// A part of "where it goes".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub title: Message,
    /// Unit, and what it is of, behind the title.
    pub note: Message,
    /// What it is of, as of a [`Tile`]: parts of different things are not compared.
    pub of: Message,
    /// Of how many steps its sums are, on all devices together; 0 where it has no such sums, or there are no steps.
    pub steps: u64,
    /// Names of the columns behind the name: phrases. Empty where the cells need none.
    pub columns: Vec<String>,
    pub rows: Vec<PartRow>,
    /// The cell of its rows that is compared with that of a baseline, from 0.
    pub measure: usize,
    /// How many rows there are beside those shown.
    pub more: u64,
    /// These, in the worker: without places. The page is given those of them that it asks for.
    pub beyond: Vec<PartRow>,
    /// Whether these are all of them.
    pub is_all: bool,
    /// Where all of them are listed; empty for nowhere.
    pub list: String,
}

/// A row of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartRow {
    pub name: Message,
    /// The whole name, where that is only a short one; else empty.
    pub whole: String,
    /// What it counts, an English phrase; empty where its name says that.
    pub meaning: String,
    /// The bytes of the name that are shown where not all has room: what tells it from the others.
    pub kept: Kept,
    /// Color of the square in front of the name; all colored rows make the bar above the part, by `share`.
    pub color: Option<Color>,
    /// Share of the whole, 0 to 1.
    pub share: f64,
    /// Parts of the row's own bar, as shares of the longest row; empty for none.
    pub bar: Vec<(f64, Color)>,
    pub cells: Vec<String>,
    /// The number that the measure of its part says, which is rounded there: rows of two profiles are compared by it.
    /// `None` where it is not known.
    pub amount: Option<(f64, Unit)>,
    /// Of how many calls the number is the sum; 0 where it is none.
    pub calls: u64,
    /// What each unit adds to the number: of two profiles the units that both have are compared. Empty for all.
    pub units: Vec<UnitPart>,
    /// The numbers of all cells, where what changed may stand in another one than the measure; else empty.
    pub amounts: Vec<Option<(f64, Unit)>>,
    /// Where it leads; empty for nowhere.
    pub address: String,
}

impl PartRow {
    /// The row with the number of another cell as its amount.
    #[must_use]
    pub fn measured_at(&self, cell: usize) -> Self {
        Self { amount: self.amounts.get(cell).cloned().flatten(), ..self.clone() }
    }

    /// How much it changed since a baseline: `+20.5 %, 1.2×`, for shares `−3.1 points`, `≈ 0 %` for less than a reader
    /// could use; empty for no difference, and where numbers are not of one kind.
    pub fn change_since(&self, baseline: &Self) -> String {
        match self.of_both(baseline) {
            None => change_of(baseline.amount.as_ref(), self.amount.as_ref()),
            Some(Some([old, new])) => change_of(Some(&old), Some(&new)),
            Some(None) => String::new(),
        }
    }

    /// The shares of the units that both rows have, where they are of other units; without one of both an empty pair.
    pub fn of_both(&self, baseline: &Self) -> Option<Option<[(f64, Unit); 2]>> {
        let [old, new] = common(&baseline.units, &self.units)?;
        let share = |parts: &[UnitPart]| Some((Follows::Percent.of(parts)?, Unit::Percent));
        Some(share(&old).zip(share(&new)).map(|(old, new)| [old, new]))
    }

    /// The whole name.
    pub fn whole_name(&self) -> Cow<'_, str> {
        if self.whole.is_empty() { self.name.text(Language::En) } else { Cow::Borrowed(&self.whole) }
    }
}

/// How much a finding counts beside its saving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    #[default]
    Note,
    /// It costs.
    Warning,
}

/// What could be saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saving {
    pub kind: SavingKind,
    /// In `unit`; 0 without a saving.
    pub value: f64,
    pub unit: Unit,
    /// Part of the whole, 0 to 1: findings are ranked by it.
    pub share: f64,
    /// What the share is of: `{share} of device time`. Empty where the unit counts something: then of all of these.
    pub of: Message,
    /// What the bound holds for, or the model of the estimate; a sentence.
    pub model: Message,
}

/// How well it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SavingKind {
    /// No saving can be said.
    #[default]
    None,
    /// It is proven that no more can be saved.
    Bound,
    /// An estimate with its model.
    Estimate,
}

impl Saving {
    /// At most so much of a whole, both in this unit.
    pub fn at_most(value: f64, whole: f64, unit: Unit, model: impl Into<Message>) -> Self {
        let (of, model) = (Message::default(), model.into());
        Self { kind: SavingKind::Bound, value, unit, share: share(value, whole), of, model }
    }

    /// About so much of a whole by this model.
    pub fn about(value: f64, whole: f64, unit: Unit, model: impl Into<Message>) -> Self {
        Self { kind: SavingKind::Estimate, ..Self::at_most(value, whole, unit, model) }
    }

    /// The same with what the share is of: a phrase with `{share}`.
    #[must_use]
    pub fn of(self, what: &'static str) -> Self {
        Self { of: what.into(), ..self }
    }

    /// `≤ 44.1 ms`, `≈ 3.7 ms` or `–`.
    pub fn amount(&self) -> String {
        let sign = match self.kind {
            SavingKind::None => return "–".to_owned(),
            SavingKind::Bound => "≤",
            SavingKind::Estimate => "≈",
        };
        format!("{sign} {}", number::with_unit(self.value, &self.unit))
    }

    /// `24.8 % of device time`: findings with different wholes stand in one list. Empty without a saving.
    pub fn part(&self) -> Message {
        let share = format!("{} %", number::fixed(self.share * 100.0, 1));
        match &self.unit {
            _ if self.kind == SavingKind::None => Message::default(),
            Unit::Count(noun) if self.of.is_empty() => {
                let noun: Message = noun.clone().into();
                message("{share} of all {noun}").with("share", share).with_message("noun", noun)
            }
            _ if self.of.is_empty() => share.into(),
            _ => self.of.clone().with("share", share),
        }
    }

    /// `≤ 44.1 ms, 24.8 % of device time`, or `–`.
    pub fn text(&self, language: Language) -> String {
        match self.kind {
            SavingKind::None => self.amount(),
            // A share says what it is of, not twice how much.
            _ if self.unit == Unit::Share => format!("{} {}", self.amount(), self.part().text(language)),
            _ => format!("{}, {}", self.amount(), self.part().text(language)),
        }
    }
}

/// A part of a whole, 0 to 1; 0 of nothing.
pub fn share(part: f64, whole: f64) -> f64 {
    if 0.0 < whole { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// What a rule found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Id and version of the rule.
    pub rule: String,
    pub version: u32,
    /// What tells findings of one rule apart, the same in another profile of the same program: a kernel, a device; empty
    /// for the whole.
    pub subject: String,
    pub severity: Severity,
    /// One sentence with its number.
    pub sentence: Message,
    /// The cause, or the change that follows; a sentence.
    pub line: Message,
    /// The number.
    pub value: f64,
    pub unit: Unit,
    /// What follows, in short, where the same number may stand for the opposite: which side of a threshold something is on.
    /// Empty where nothing follows, or where it is not known since a part of the file is lost.
    pub verdict: Message,
    pub saving: Saving,
    /// Of how many devices the trace is in which it was found; 0 without devices. Of several one or all are told.
    pub devices: u64,
    /// Who wrote the sentence into the file, where it is not ours: a name of a program.
    pub writer: String,
    /// What it claims, in short, as [`crate::model::figure::Advice::claims`].
    pub claims: Vec<String>,
    /// Ids of other rules that look at the same: where one of them could not look, nothing tells whether it is gone.
    pub also: Vec<String>,
    /// Sentences of the writer of the file that claim the same.
    pub quotes: Vec<Quote>,
    pub evidence: Evidence,
}

/// How a finding is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub title: Message,
    /// What is shown of how much.
    pub shown: Message,
    /// A picture of data of the file; it stays where it was made.
    #[serde(skip)]
    pub figure: Option<Figure>,
    /// How high it is at most, where it stays in the worker; 0 for none.
    pub height: f32,
    pub numbers: Vec<Number>,
    /// How it was computed and of what; sentences.
    pub how: Message,
    /// Id and title of the view that shows it.
    pub view: String,
    /// The place there, as the address has it behind `#`.
    pub address: String,
    /// The place of the list of all that was counted; empty without one.
    pub list: String,
}

/// A number of the evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Number {
    pub name: Message,
    pub value: f64,
    pub unit: Unit,
    /// Share or count behind it; may be empty.
    pub note: Message,
    /// What it is of, where that may be another thing in another profile, such as a roof: values of different things are no
    /// change. Empty for the whole.
    pub of: Message,
    /// What each unit adds to it, and how it follows: of two profiles the units that both have are compared. Empty for all.
    pub units: Vec<UnitPart>,
    pub follows: Follows,
}

impl Number {
    /// A number with its name.
    pub fn new(name: impl Into<Message>, value: f64, unit: Unit) -> Self {
        Self { name: name.into(), value, unit, ..Self::default() }
    }

    /// The same with what it is of.
    #[must_use]
    pub fn of(self, of: impl Into<Message>) -> Self {
        Self { of: of.into(), ..self }
    }

    /// The same with the units that it follows from.
    #[must_use]
    pub fn of_units(self, units: Vec<UnitPart>, follows: Follows) -> Self {
        Self { units, follows, ..self }
    }

    /// The same with what stands behind it.
    #[must_use]
    pub fn note(self, note: impl Into<Message>) -> Self {
        Self { note: note.into(), ..self }
    }
}

/// A value of a finding as text: whole numbers as they are, others with as many digits as a reader can use.
pub fn amount(value: f64, unit: &Unit) -> String {
    match unit {
        Unit::None if value.fract() == 0.0 => number::exact(value),
        unit => number::with_unit(value, unit),
    }
}

/// What became of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleState {
    pub id: String,
    pub version: u32,
    /// A phrase.
    pub title: String,
    /// Name, value, unit and source of each of its thresholds.
    pub thresholds: Vec<Limit>,
    pub outcome: Outcome,
}

/// A threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    pub name: String,
    pub value: f64,
    pub unit: Unit,
    /// A document, a paper, or our own measurement.
    pub source: String,
}

/// What a rule says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// So many findings.
    Found(u32),
    /// Nothing, with its number.
    Nothing(Message),
    /// It could not look: what is missing, and which option records it.
    Missing(Message),
}

/// What counts in a sentence begins and ends with these.
pub const STRONG: [char; 2] = ['⟦', '⟧'];

/// A sentence without its signs.
pub fn plain(text: &str) -> String {
    text.replace(STRONG, "")
}

/// A sentence in pieces, each with whether it counts.
pub fn pieces(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let (mut rest, mut is_strong) = (text, false);
    while let Some((before, behind)) = rest.split_once(STRONG) {
        pieces.push((before, is_strong));
        (rest, is_strong) = (behind, !is_strong);
    }
    pieces.push((rest, is_strong));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

impl Finding {
    /// The sentence without signs.
    pub fn said(&self, language: Language) -> String {
        plain(&self.sentence.text(language))
    }

    /// Whether more or less of its number is better by itself: by its unit and what the evidence calls it.
    pub(super) fn has_direction(&self) -> bool {
        let mut numbers = self.evidence.numbers.iter();
        let same = numbers.find(|number| number.value == self.value && number.unit == self.unit);
        let name = same.map_or(Cow::Borrowed(""), |number| number.name.text(Language::En));
        self.unit.sense_of(&name) != Preference::Neutral
    }
}

/// Puts findings into their order: by saving, then those that cost, then as they came.
pub fn rank(findings: &mut [Finding]) {
    let key = |finding: &Finding| (finding.saving.share, finding.severity);
    order::sort_by(findings, |a, b| {
        let (a, b) = (key(a), key(b));
        b.0.total_cmp(&a.0).then(b.1.cmp(&a.1))
    });
}

/// How a number with its unit changed, as [`PartRow::change_since`] says it.
fn change_of(before: Option<&(f64, Unit)>, after: Option<&(f64, Unit)>) -> String {
    let (Some((old, old_unit)), Some((new, unit))) = (before, after) else { return String::new() };
    let ((kind, old_times), (other, times)) = (old_unit.smallest(), unit.smallest());
    let (old, new) = (old * old_times, new * times);
    // What sums of floats add behind their digits is no change.
    if kind != other || (new - old).abs() <= 1e-9 * old.abs() {
        return String::new();
    }
    if kind == Unit::Percent {
        return number::of_kind(&signed(new - old), POINTS);
    }
    // Less than a reader could use.
    if ((new / old - 1.0) * 100.0).abs() < 0.005 {
        return "≈ 0 %".to_owned();
    }
    compare::change(old, new, &Unit::None)
}

/// A difference with its sign, the more digits the less it is.
fn signed(value: f64) -> String {
    let digits = match value.abs() {
        ..1.0 => 2,
        ..1000.0 => 1,
        _ => 0,
    };
    let text = number::fixed(value, digits);
    let is_nothing = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if 0.0 < value { "+" } else { "" };
    if is_nothing { "≈ 0".to_owned() } else { format!("{sign}{text}") }
}

/// What shares differ in.
const POINTS: &str = phrase("points");
