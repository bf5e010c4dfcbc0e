//! Periodic names whose interval grows, all the time or at once.

use super::periods::{PERIODS, Period, RISE};
use super::place::Place;
use super::trace::{MOST, span_of};
use super::{Looked, Rule, RuleInput, Threshold, more};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Figure};
use crate::model::id::{StrId, TrackId};

/// Names that recur slower and slower.
pub static INTERVALS: Rule = Rule {
    id: "trace-growing-interval",
    version: 4,
    title: phrase("Slowing down"),
    thresholds: &[
        Threshold {
            name: phrase("growth of the interval from the first to the last fifth of the slices"),
            value: 1.2,
            unit: Unit::None,
            source: phrase(
                "our own choice: each fifth must be slower than the one before, or one of them alone",
            ),
        },
        Threshold {
            name: phrase("interquartile range over median up to which a name counts as periodic"),
            value: 0.5,
            unit: Unit::None,
            source: phrase("measured: random arrivals reach 1.6"),
        },
        Threshold {
            name: phrase("minimum slices to check intervals"),
            value: PERIODS as f64,
            unit: Unit::None,
            source: phrase("our own choice: five fifths of four slices"),
        },
        Threshold {
            name: phrase("minimum growth of the interval from one fifth to the next"),
            value: RISE,
            unit: Unit::None,
            source: phrase("measured: medians of a steady rhythm differ by up to 0.5 %"),
        },
        Threshold {
            name: phrase("maximum difference between intervals of events reported together"),
            value: 0.05,
            unit: Unit::Share,
            source: phrase("measured: names nested in each other differ by at most 1 %"),
        },
    ],
    look: |input| {
        let Some(survey) = input.survey.filter(|survey| 0 < survey.span.dur()) else {
            return Looked::NotHere;
        };
        let trace = input.trace;
        if survey.periods.is_empty() {
            let said = message(
                "no name has {n} slices or more on a single track, which are needed to know its interval",
            );
            return Looked::Missing(said.with("n", thousands(PERIODS)));
        }
        let periodic = survey.periods.iter().filter(|period| period.spread <= INTERVALS.limit(1));
        let grown = periodic.clone().filter_map(|period| {
            Some((period, period.growth().filter(|growth| INTERVALS.limit(0) <= *growth)?))
        });
        let findings = together(input, grown).into_iter().take(MOST).map(|(period, growth, others)| {
            let name = trace.strings.get(period.name);
            let time = |ticks: f64| with_unit(input.time(ticks.round() as i128).0, &input.time(0).1);
            let [first, .., last] = period.intervals;
            let all = span_of(input, period.first).union(span_of(input, period.last));
            let jump = period.jump.filter(|_| !period.grows());
            let sentence = match (others.len(), jump) {
                (0, None) => message("{name} recurs ⟦{n} times slower⟧ at the end than at the start on {track}."),
                (_, None) => message(
                    "{name} recurs ⟦{n} times slower⟧ at the end than at the start on {track}, and {others} names that come with it.",
                ),
                (0, Some(_)) => message("{name} recurs ⟦{n} times slower⟧ after {time} than before on {track}."),
                (_, Some(_)) => message(
                    "{name} recurs ⟦{n} times slower⟧ after {time} than before on {track}, and {others} names that come with it.",
                ),
            };
            let at = jump.map_or(survey.span.start, |jump| span_of(input, jump.at).start);
            let (line, [from, to]) = match jump {
                None => (
                    message("The interval grows from {first} to {last} over {n} slices, in every fifth of them.{more}"),
                    [first, last],
                ),
                Some(jump) => (
                    message("The interval jumps from {first} to {last} there; before and after it is steady, over {n} slices.{more}"),
                    [jump.before, jump.after],
                ),
            };
            let path = |track: TrackId| trace.track_path(track).trim_end().to_owned();
            let named = more(
                0,
                others.iter().map(|other| match trace.strings.get(other.name) {
                    name if other.track == period.track => name.to_owned(),
                    name => format!("{name} ({})", path(other.track)),
                }),
            );
            let is_alone = survey.periods.iter().filter(|other| other.name == period.name).count() < 2;
            let number = |name: &'static str, ticks: f64| {
                Number::new(name, input.time(ticks.round() as i128).0, input.time(0).1)
            };
            Finding {
                subject: if is_alone { name.to_owned() } else { format!("{name}, {}", path(period.track)) },
                severity: Severity::Warning,
                sentence: sentence
                    .with("name", name)
                    .with("track", path(period.track))
                    .with("n", fixed(growth, 2))
                    .with("time", input.duration(at.saturating_sub(survey.span.start)))
                    .with("others", thousands(others.len() as u64)),
                line: line
                    .with_message("more", named)
                    .with("first", time(from))
                    .with("last", time(to))
                    .with("n", thousands(period.n)),
                value: growth,
                unit: Unit::None,
                evidence: Evidence {
                    shown: message("median interval of each fifth"),
                    figure: Some(bars(&period.intervals.map(|ticks| input.time(ticks.round() as i128).0), input.time(0).1)),
                    numbers: vec![
                        number(phrase("First fifth"), first),
                        number(phrase("Last fifth"), last),
                        Number::new(phrase("Slices"), period.n as f64, Unit::None),
                    ],
                    how: message(
                        "Intervals are measured from start to start on one track. The median of each fifth must be at least 2 % longer than that of the fifth before, or one of them far longer and the others alike: then it is a jump.",
                    ),
                    view: "timeline".to_owned(),
                    address: Place::view("timeline").around(all).slice(trace, period.last).address(),
                    ..Evidence::default()
                },
                ..INTERVALS.finding()
            }
        });
        let all = names_of(survey.periods.iter());
        Looked::found_or(findings.collect(), || match names_of(periodic) {
            0 if all == 1 => message("the only name that repeats on one track has no regular interval"),
            0 => message("none of the {n} names that repeat on one track has a regular interval")
                .with("n", thousands(all)),
            1 => message("the only periodic name does not slow down"),
            n => message("none of {n} periodic events slows down").with("n", thousands(n)),
        })
    },
};

/// How many names some periods have.
fn names_of<'a>(periods: impl Iterator<Item = &'a Period>) -> u64 {
    let mut names: Vec<StrId> = periods.map(|period| period.name).collect();
    names.sort_unstable();
    names.dedup();
    names.len() as u64
}

/// Names whose intervals grow, with the growth: those that recur together are one cause, which the outermost of them is
/// named for; with the others.
fn together<'a>(
    input: &RuleInput,
    grown: impl Iterator<Item = (&'a Period, f64)>,
) -> Vec<(&'a Period, f64, Vec<&'a Period>)> {
    let mut groups: Vec<Vec<(&'a Period, f64)>> = Vec::new();
    for (period, growth) in grown {
        let is_with = |group: &&mut Vec<(&Period, f64)>| {
            group.first().is_some_and(|(first, _)| recur_together(input, first, period))
        };
        match groups.iter_mut().find(is_with) {
            Some(group) => group.push((period, growth)),
            None => groups.push(vec![(period, growth)]),
        }
    }
    let named = |group: Vec<(&'a Period, f64)>| {
        let first = |of: &Period| span_of(input, of.first);
        // The outermost begins first; of those that begin together it is the longest.
        let key = |(of, _): &(&Period, f64)| (first(of).start, std::cmp::Reverse(first(of).dur()));
        let (at, (period, growth)) =
            group.iter().copied().enumerate().min_by_key(|(at, of)| (key(of), *at))?;
        let others = group.iter().enumerate().filter(|(other, _)| *other != at);
        Some((period, growth, others.map(|(_, (of, _))| *of).collect()))
    };
    groups.into_iter().filter_map(named).collect()
}

/// Whether two names recur as often, at the same intervals, and begin to within one of them.
fn recur_together(input: &RuleInput, a: &Period, b: &Period) -> bool {
    let is_like = |(a, b): (f64, f64)| (a - b).abs() <= INTERVALS.limit(4) * a.max(b);
    let [from, to] = [a, b].map(|of| span_of(input, of.first).start);
    a.n.abs_diff(b.n) <= 1
        && a.intervals.into_iter().zip(b.intervals).all(is_like)
        && (to.saturating_sub(from) as f64).abs() <= a.intervals[0]
}

/// Numbered bars.
fn bars(values: &[f64], unit: Unit) -> Figure {
    use crate::model::figure::{Bar, BarRole, Bars};
    let bar = |(at, value): (usize, &f64)| Bar {
        name: (at + 1).to_string(),
        values: vec![Some(*value)],
        role: BarRole::Work,
        detail: String::new(),
    };
    let bars = values.iter().enumerate().map(bar).collect();
    Figure::new("", Body::Bars(Bars { unit, bars, ..Bars::default() }))
}
