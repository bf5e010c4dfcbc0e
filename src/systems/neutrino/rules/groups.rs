//! Blocks of a launch that fall into two groups.

use super::{SLOW_BLOCKS, blocks_of, durations, lost};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::analysis::groups::EXPLAINED;
use crate::base::number::{fixed, percent_beside, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::views::schedule::compute::{Groups, Property, Schedule, nearest};

/// What slow blocks have in common, or what was looked at.
pub(super) fn common_line(all: &Schedule) -> Message {
    let Some(common) = &all.numbers.common else {
        let said = if all.launch.has_units {
            message("Not explained by x, y, z, SM or wave.")
        } else {
            message("Not explained by x, y or z.")
        };
        // Groups that are told need no second word.
        let Some((n, from, explained)) = nearest(all).filter(|_| all.numbers.groups.is_none()) else {
            return said;
        };
        return message("{said} Nearest: {n} blocks from {from} on and the others, two groups that explain {share} of the variance, less than {limit}.")
            .with_message("said", said)
            .with("n", thousands(n))
            .with("from", with_unit(from as f64, &all.launch.time))
            .with("share", percent_beside(explained, EXPLAINED))
            .with("limit", percent(EXPLAINED));
    };
    let what = common.shared.words(all.launch.terms.unit, all.numbers.units);
    let said = if !common.is_a_part() {
        message("{with} of {slow} have {what}: check what these blocks do.")
    } else if common.with == common.all {
        message("All {all} blocks {that} are slow: {with} of {slow}. Check what they do.")
    } else {
        message("{with} of the {all} blocks {that} are slow, of {slow} slow blocks. Check what they do.")
    };
    let that = match common.shared {
        Property::Units(_) => message("on {what}"),
        _ => message("with {what}"),
    };
    said.with("with", thousands(common.with))
        .with("all", thousands(common.all))
        .with("slow", thousands(common.slow))
        .with_message("that", that.with_message("what", what.clone()))
        .with_message("what", what)
}

/// What is said instead of the blocks that are slower than the median.
pub(super) fn finding(all: &Schedule, groups: &Groups) -> Finding {
    let time = all.launch.time.clone();
    let shown = |value: f64| with_unit(value.round(), &time);
    let running: f64 = all.units.iter().map(|unit| unit.running as f64).sum();
    let excess = groups.slow as f64 * (groups.slow_mean - groups.fast_mean);
    let line = if groups.by.is_empty() {
        message(
            "{why} With an even split of the work each block would take {even}; the longest takes {longest}.",
        )
        .with_message("why", common_line(all))
    } else {
        message("Those blocks, and no others, have {what}: check what they do. With an even split of the work each block would take {even}; the longest takes {longest}.")
            .with_message("what", groups.words(all.launch.terms.unit, all.numbers.units))
    };
    let sentence =
        message("⟦{n} of {blocks}⟧ take {slow} on average, the others {fast}: {factor} times as long.");
    Finding {
        severity: Severity::Warning,
        sentence: sentence
            .with("n", thousands(groups.slow))
            .with_message("blocks", blocks_of(all))
            .with("slow", shown(groups.slow_mean))
            .with("fast", shown(groups.fast_mean))
            .with("factor", fixed(groups.factor(), 2)),
        line: line.with("even", shown(groups.even())).with("longest", shown(all.numbers.longest as f64)),
        value: groups.slow as f64,
        unit: Unit::None,
        saving: Saving::about(excess, running, time.clone(), message("If each block of the slower group took the mean of the faster one; relative to the running time of all blocks.")).of(phrase("{share} of the running time")),
        evidence: Evidence {
            shown: message("durations of all blocks"),
            figure: Some(durations(all, &[(phrase("Mean, slower group"), groups.slow_mean), (phrase("Mean, faster group"), groups.fast_mean)])),
            numbers: vec![
                Number::new(phrase("Blocks of the slower group"), groups.slow as f64, Unit::None).note(percent(groups.slow as f64 / all.len().max(1) as f64)),
                Number::new(phrase("Mean, slower group"), groups.slow_mean, time.clone()),
                Number::new(phrase("Mean, faster group"), groups.fast_mean, time.clone()),
                Number::new(phrase("Longest block"), all.numbers.longest as f64, time),
            ],
            how: message("Blocks are two groups if a coordinate, the SM or the wave explains 80 % of the variance of their times, or two ranges of times explain 90 %; at least a quarter of the blocks are in each. The median may then lie where no block is.{lost}").with_message("lost", lost(all)),
            view: "schedule".to_owned(),
            address: all.by_elapsed.last().map_or_else(Place::default, |row| Place::view("schedule").state("row", &row.to_string())).address(),
            ..Evidence::default()
        },
        ..SLOW_BLOCKS.finding()
    }
}
