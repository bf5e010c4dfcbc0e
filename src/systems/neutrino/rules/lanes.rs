//! How blocks fill the lanes of their units: the last wave, gaps between blocks, idle lanes.
//!
//! The whole is the time of all lanes, as the view of the schedule has it: each lane from the first block of the launch to
//! its last. Units are aligned as in the view; where that leaves their times apart, each ends with its own last block.

use super::{bars, lost, whole};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{number_of, percent};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::Figure;
use crate::views::schedule::compute::{Look, Origins, Schedule, UnitRow};

/// Time of all lanes, and how much of it blocks run, lanes wait between blocks, and lanes stand idle.
pub(super) struct Lanes {
    pub(super) all: f64,
    pub(super) running: f64,
    pub(super) gaps: f64,
    pub(super) idle: f64,
    origins: Origins,
}

impl Lanes {
    pub(super) fn of(all: &Schedule, input: &RuleInput) -> Self {
        let origins = all.origins(Look::of(input.values).align);
        let (mut whole, mut running, mut gaps) = (0.0, 0.0, 0.0);
        for unit in &all.units {
            whole += origins.time_of_lanes(unit);
            running += unit.running as f64;
            gaps += unit.gap as f64;
        }
        Self { all: whole, running, gaps, idle: (whole - running - gaps).max(0.0), origins }
    }

    /// Time of the lanes of a unit, and what of it they have no block, before their first and after their last.
    pub(super) fn idle_of(&self, unit: &UnitRow) -> (f64, f64) {
        let own = self.origins.time_of_lanes(unit);
        (own, (own - unit.running as f64 - unit.gap as f64).max(0.0))
    }

    /// How the clocks of units were taken.
    fn clocks(&self) -> Message {
        match (self.origins.is_comparable, self.origins.is_guessed) {
            (false, _) => message(" Clocks of SMs do not agree: each SM counts to its own last block."),
            (true, true) => message(" Clocks of SMs do not agree: all are taken to begin together."),
            (true, false) => Message::default(),
        }
    }
}

fn shares(of: &Lanes) -> Figure {
    let rows = [
        (phrase("Running"), of.running / of.all),
        (phrase("Gaps"), of.gaps / of.all),
        (phrase("Idle"), of.idle / of.all),
    ];
    bars(&rows, Unit::Share)
}

// The last wave.

/// Lanes that the last wave leaves free, and their share of all lanes and waves.
fn wave_free(all: &Schedule) -> (f64, f64) {
    let numbers = &all.numbers;
    let free = f64::from(numbers.lanes.saturating_sub(numbers.last_wave));
    (free, share(free, f64::from(numbers.lanes) * f64::from(numbers.n_waves())))
}

pub(super) static LAST_WAVE: Rule = Rule {
    id: "neutrino-last-wave",
    version: 2,
    title: phrase("Last wave"),
    thresholds: &[Threshold {
        name: phrase("share of lanes in all waves that the last wave leaves free"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth changing the grid"),
    }],
    look: |input| {
        let all = match whole(input) {
            Ok(all) => all,
            Err(why) => return why,
        };
        let numbers = &all.numbers;
        let (free, part) = wave_free(all);
        // One wave that is not full is a small grid: lanes were counted of what ran, so it cannot be seen.
        if part < LAST_WAVE.limit(0) {
            let said = message("the last of {n} waves leaves {share} of the lanes in all waves free");
            return Looked::Nothing(said.with("n", numbers.n_waves()).with("share", percent(part)));
        }
        let [median, ..] = numbers.percentiles;
        let (of, time) = (Lanes::of(all, input), all.launch.time.clone());
        // Lanes of the last wave cannot be free for longer than lanes are idle.
        let value = (free * median as f64).min(of.idle);
        let sentence = message("The last of {n} waves has ⟦{last} blocks for {lanes} lanes⟧.");
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence
                .with("n", numbers.n_waves())
                .with("last", thousands(numbers.last_wave))
                .with("lanes", thousands(numbers.lanes)),
            line: message("{waves} waves. A grid with a multiple of {lanes} blocks, or blocks that process several tiles in turn, would fill all lanes.")
                .with("waves", fixed(numbers.waves, 2))
                .with("lanes", thousands(numbers.lanes)),
            value: part,
            unit: Unit::Share,
            saving: Saving::about(value, of.all, time.clone(), message("Free lanes of the last wave times the median block, at most the time that lanes are idle, against the time of all lanes. It is a part of the idle time, not beside it.")).of(phrase("{share} of lane time")),
            evidence: Evidence {
                shown: message("{n} lanes free in the last wave").with("n", number_of(free)),
                figure: Some(bars(&[(phrase("Earlier waves"), f64::from(numbers.lanes)), (phrase("Last wave"), f64::from(numbers.last_wave))], Unit::Count(phrase("blocks").to_owned()))),
                numbers: vec![
                    Number::new(phrase("Recorded blocks"), numbers.blocks as f64, Unit::None),
                    Number::new(phrase("Block lanes"), f64::from(numbers.lanes), Unit::None),
                    Number::new(phrase("Waves"), numbers.waves, Unit::None),
                    Number::new(phrase("Blocks in the last wave"), f64::from(numbers.last_wave), Unit::None),
                    Number::new(phrase("Median block"), median as f64, time.clone()),
                    Number::new(phrase("Idle"), of.idle, time).note(percent(share(of.idle, of.all))),
                ],
                how: message("Lanes are the blocks resident at the same time, counted on each SM. Waves = recorded blocks ÷ lanes.{lost}").with_message("lost", lost(all)),
                view: "schedule".to_owned(),
                address: Place::view("schedule").state("table", "waves").address(),
                ..Evidence::default()
            },
            ..LAST_WAVE.finding()
        }])
    },
};

// Gaps between blocks, and lanes that stand idle.

const OF_LANES: Threshold = Threshold {
    name: phrase("share of total lane time"),
    value: 0.05,
    unit: Unit::Share,
    source: phrase("our own choice: less is hardly worth changing the grid"),
};

/// Time that lanes lose for one reason.
struct Lost {
    sentence: Message,
    line: Message,
    /// Said where it is too little.
    few: Message,
    time: f64,
    /// No more can be saved.
    most: f64,
    name: &'static str,
    model: Message,
    numbers: Vec<Number>,
    how: Message,
    place: Place,
}

/// What a rule says of the time that lanes lose, where it is a share of all of theirs.
fn of_lanes(rule: &Rule, input: &RuleInput, lose: fn(&Schedule, &Lanes) -> Lost) -> Looked {
    let all = match whole(input) {
        Ok(all) => all,
        Err(why) => return why,
    };
    let (of, time) = (Lanes::of(all, input), all.launch.time.clone());
    let own = lose(all, &of);
    let part = share(own.time, of.all);
    if part < rule.limit(0) {
        return Looked::Nothing(own.few.with("share", percent(part)));
    }
    let mut numbers = vec![
        Number::new(own.name, own.time, time.clone()).note(percent(part)),
        Number::new(phrase("Total lane time"), of.all, time.clone()),
    ];
    numbers.extend(own.numbers);
    Looked::Found(vec![Finding {
        severity: Severity::Warning,
        sentence: own.sentence.with("share", percent(part)),
        line: own.line,
        value: part,
        unit: Unit::Share,
        saving: Saving::at_most(own.most, of.all, time, own.model).of(phrase("{share} of lane time")),
        evidence: Evidence {
            shown: message("time of {n} lanes").with("n", thousands(all.lanes.len() as u64)),
            figure: Some(shares(&of)),
            numbers,
            how: own.how.with_message("clocks", of.clocks()).with_message("lost", lost(all)),
            view: "schedule".to_owned(),
            address: own.place.address(),
            ..Evidence::default()
        },
        ..rule.finding()
    }])
}

pub(super) static GAPS: Rule = Rule {
    id: "neutrino-scheduling-gaps",
    version: 2,
    title: phrase("Gaps between blocks"),
    thresholds: &[OF_LANES],
    look: |input| of_lanes(&GAPS, input, gaps),
};

fn gaps(all: &Schedule, of: &Lanes) -> Lost {
    let (time, [median, ..]) = (all.launch.time.clone(), all.numbers.percentiles);
    let n = (all.len() - all.lanes.len().min(all.len())) as f64;
    let mean = of.gaps / n.max(1.0);
    let most = (0..all.lanes.len()).map(|lane| all.gaps_of_lane(lane)).max().unwrap_or(0);
    Lost {
        sentence: message("Lanes are empty between blocks for ⟦{share} of their time⟧."),
        line: message("A gap takes {gap} on average, a block {block} (median). Fewer, longer blocks that loop over tiles leave fewer gaps.")
            .with("gap", with_unit(mean.round(), &time))
            .with("block", with_unit(median as f64, &time)),
        few: message("gaps between blocks take {share} of total lane time"),
        time: of.gaps,
        // The launch ends earlier by no more than the gaps of one lane, and all its lanes with it; running time stays.
        most: (most as f64 * all.lanes.len() as f64).min(of.gaps + of.idle),
        name: phrase("Gaps"),
        model: message("If each block began as soon as the one before it on its lane ended: the launch ends earlier by at most the gaps of the lane with the most of them, and all lanes are free as much earlier."),
        numbers: vec![
            Number::new(phrase("Mean gap"), mean, time.clone()),
            Number::new(phrase("Gaps of the lane with the most"), most as f64, time.clone()),
            Number::new(phrase("Median block"), median as f64, time),
        ],
        how: message("Each block takes the free lane of its SM that became free last; its gap is the time since then. Each lane counts from the first to the last block of the launch.{clocks}{lost}"),
        place: Place::view("schedule"),
    }
}

pub(super) static IDLE_LANES: Rule = Rule {
    id: "neutrino-idle-lanes",
    version: 2,
    title: phrase("Idle block lanes"),
    thresholds: &[OF_LANES],
    look: |input| of_lanes(&IDLE_LANES, input, idle),
};

fn idle(all: &Schedule, of: &Lanes) -> Lost {
    let part = |unit: &UnitRow| {
        let (whole, idle) = of.idle_of(unit);
        share(idle, whole)
    };
    let most = all.units.iter().max_by(|a, b| part(a).total_cmp(&part(b)).then(b.id.cmp(&a.id)));
    let (id, own) = most.map_or((0, 0.0), |unit| (unit.id, part(unit)));
    // With one block on each lane no block can be started before another one.
    let advice = if all.numbers.n_waves() <= 1 {
        message(
            "Most on SM {id}: {own}. Each lane runs one block, so the longest keep the other lanes waiting: split them, or give all blocks as much work.{wave}",
        )
    } else {
        message(
            "Most of it is on SM {id}: {own}. Long blocks that start last leave the other lanes idle: start them first or split them.{wave}",
        )
    };
    Lost {
        sentence: message("Lanes stand ⟦idle for {share} of their time⟧ while others still run."),
        line: advice.with_message("wave", last_wave(all)).with("id", id).with("own", percent(own)),
        few: message("lanes have no block while others run in {share} of their time"),
        time: of.idle,
        most: of.idle,
        name: phrase("Idle"),
        model: message("If the same blocks with the same gaps filled all lanes until the last one ends."),
        numbers: vec![Number::new(
            phrase("Longest block"),
            all.numbers.longest as f64,
            all.launch.time.clone(),
        )],
        how: message(
            "Idle is the time of a lane before its first and after its last block, within the first and last block of the launch.{clocks}{lost}",
        ),
        place: Place::view("schedule").state("order", "running-up"),
    }
}

/// Said where another finding is about a part of the same time.
fn last_wave(all: &Schedule) -> Message {
    match wave_free(all) {
        (_, part) if part < LAST_WAVE.limit(0) => Message::default(),
        _ => message(" The free lanes of the last wave are a part of this time."),
    }
}
