//! The same rules over two profiles: what appeared, what vanished, what became more or less.

use super::compare::units::common;
use super::finding::{Finding, Number, Outcome, Overview, RuleState, SavingKind};
use crate::base::unit::Unit;
use serde::{Deserialize, Serialize};

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    Appeared,
    /// The baseline does not have what its rule looks at.
    Unchecked,
    /// Its verdict is another one.
    Turned,
    Grew,
    Same,
    Shrank,
    Vanished,
    /// What could be saved is a part of different wholes, such as of a step and of all; or the devices are not as many, or the
    /// units others; or one does not know its verdict.
    Apart,
    /// Both have it, and neither more nor less of its number is better.
    Both,
}

/// A value that differs by less stayed the same: a share of the larger one.
const SAME: f64 = 0.02;

impl Finding {
    /// Whether it is the same finding as one of another profile.
    fn is_again(&self, other: &Self) -> bool {
        (&self.rule, &self.subject) == (&other.rule, &other.subject)
    }

    /// Whether it is of another number of devices than another one.
    pub fn is_of_others(&self, other: &Self) -> bool {
        0 < self.devices.min(other.devices) && self.devices != other.devices
    }

    /// Whether a number of both follows from other units.
    fn is_of_other_units(&self, other: &Self) -> bool {
        let is_same = |a: &Number, b: &Number| (&a.name, &a.unit, &a.of) == (&b.name, &b.unit, &b.of);
        let is_of_others = |own: &Number| {
            let mut same = other.evidence.numbers.iter().filter(|number| is_same(own, number));
            same.any(|number| common(&own.units, &number.units).is_some())
        };
        self.evidence.numbers.iter().any(is_of_others)
    }
}

/// A finding in both profiles.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedFinding<'a> {
    pub change: Change,
    pub baseline: Option<&'a Finding>,
    pub comparison: Option<&'a Finding>,
}

/// Finds each finding of one profile in the other, by rule and subject: those of the comparison in their order, then those
/// that vanished. By their verdicts, then by what could be saved where both say so in the same unit, else by their numbers where
/// more or less of these is better.
/// Parts of a step are no parts of a whole recording: such findings are not compared, and of a longer recording more is saved
/// without being worse, so that parts of one kind of whole are compared as shares.
pub fn compared<'a>(baseline: &'a [Finding], comparison: &'a [Finding]) -> Vec<ComparedFinding<'a>> {
    let of = |new: &'a Finding| {
        let old = baseline.iter().find(|old| old.is_again(new));
        let change = old.map_or(Change::Appeared, |old| change(old, new));
        ComparedFinding { change, baseline: old, comparison: Some(new) }
    };
    let gone = baseline.iter().filter(|old| !comparison.iter().any(|new| old.is_again(new)));
    let gone =
        gone.map(|old| ComparedFinding { change: Change::Vanished, baseline: Some(old), comparison: None });
    comparison.iter().map(of).chain(gone).collect()
}

/// What became of a finding of an overview, and the same one of its baseline.
pub fn against<'a>(baseline: &'a Overview, finding: &Finding) -> (Change, Option<&'a Finding>) {
    let old = baseline.findings.iter().find(|old| old.is_again(finding));
    let change = match old {
        Some(old) => change(old, finding),
        None if baseline.has_looked(finding) => Change::Appeared,
        None => Change::Unchecked,
    };
    (change, old)
}

/// The same as [`compared`] of whole overviews, which know what their rules could look at.
pub fn compared_overviews<'a>(baseline: &'a Overview, comparison: &'a Overview) -> Vec<ComparedFinding<'a>> {
    let mut all = compared(&baseline.findings, &comparison.findings);
    for of in &mut all {
        let other = if of.comparison.is_some() { baseline } else { comparison };
        let is_alone = matches!(of.change, Change::Appeared | Change::Vanished);
        if is_alone && of.comparison.or(of.baseline).is_some_and(|one| !other.has_looked(one)) {
            of.change = Change::Unchecked;
        }
    }
    all
}

impl Overview {
    /// Whether the rule of a finding of another overview could look here too. Of a file that was read in part a rule that
    /// says nothing may miss what it looks at, of another number of devices too: what several do needs several. Else there
    /// is nothing of that kind.
    fn has_looked(&self, finding: &Finding) -> bool {
        let is_missing = |rule: &RuleState| matches!(rule.outcome, Outcome::Missing(_));
        if self.rules.iter().any(|rule| finding.also.contains(&rule.id) && is_missing(rule)) {
            return false;
        }
        match self.rules.iter().find(|rule| rule.id == finding.rule) {
            Some(rule) => !is_missing(rule),
            None => {
                !self.is_whole
                    || self.lost.is_empty() && !self.findings.iter().any(|own| own.is_of_others(finding))
            }
        }
    }
}

fn change(old: &Finding, new: &Finding) -> Change {
    // Where one does not know it, nothing tells whether it is another one.
    if old.verdict.is_empty() != new.verdict.is_empty() {
        return Change::Apart;
    }
    // Of other units another verdict or number is no change.
    if old.is_of_other_units(new) {
        return Change::Apart;
    }
    if old.verdict != new.verdict || old.value * new.value < 0.0 {
        return Change::Turned;
    }
    let saves = |one: &Finding| one.saving.kind != SavingKind::None;
    if old.is_of_others(new) || saves(old) && saves(new) && old.saving.of.key != new.saving.of.key {
        return Change::Apart;
    }
    let (measure, before, after) = measured(old, new);
    let is_judged = measure == Measure::Saving || saves(old) && saves(new) || new.has_direction();
    match after - before {
        by if by.abs() <= SAME * before.abs().max(after.abs()) => Change::Same,
        _ if !is_judged => Change::Both,
        by if 0.0 < by => Change::Grew,
        _ => Change::Shrank,
    }
}

/// What two findings are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// What could be saved.
    Saving,
    /// A part of a whole: of what could be saved, or their number.
    Share,
    /// Their number.
    Value,
}

impl Measure {
    /// The measure of a finding of a baseline and the same one of a comparison.
    pub fn of(old: &Finding, new: &Finding) -> Self {
        measured(old, new).0
    }
}

/// What both are compared by, with the number of each.
fn measured(old: &Finding, new: &Finding) -> (Measure, f64, f64) {
    let has_savings = old.saving.kind == new.saving.kind
        && new.saving.kind != SavingKind::None
        && old.saving.unit == new.saving.unit
        // A share of all is compared as one: of a larger whole it is more without being worse.
        && (&old.unit, &new.unit) != (&Unit::Share, &Unit::Share);
    let is_of_time = |one: &Finding| one.saving.unit.smallest().0 == Unit::Nanos && 0.0 < one.saving.share;
    let is_share = |unit: &Unit| unit.smallest().0 == Unit::Percent;
    match has_savings {
        true if is_of_time(old) && is_of_time(new) => (Measure::Share, old.saving.share, new.saving.share),
        true if is_share(&new.saving.unit) => (Measure::Share, old.saving.value, new.saving.value),
        true => (Measure::Saving, old.saving.value, new.saving.value),
        false if is_share(&new.unit) => (Measure::Share, old.value, new.value),
        false => (Measure::Value, old.value, new.value),
    }
}
