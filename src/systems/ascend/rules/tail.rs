//! The rule on the end of an operator: cores that have no work left while others still run.

use super::blocks::unknown_chip;
use super::operator::{Operator, Times, whole};
use super::seen::{Core, cores};
use super::{bars, details, each};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::map::Map;
use crate::base::number::{exact, with_unit};
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::{BarRole, Family};

pub(super) static TAIL: Rule = Rule {
    id: "ascend-tail",
    version: 2,
    title: phrase("Tail effect"),
    thresholds: &[Threshold {
        name: phrase("share of core time without a block at the end"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: saving less is hardly worth changing the program"),
    }],
    look: |input| {
        let whole = whole(input);
        let is_known = super::operators(input.trace).iter().any(|operator| operator.n_blocks.is_some());
        if !is_known && !cores(input).is_empty() {
            return ends(input);
        }
        each(input, |operator| {
            let Some(n) = operator.n_blocks else {
                return Looked::Missing(message(
                    "number of blocks not in the file: msprof op on a device records it",
                ));
            };
            let kind = operator.kind_of_blocks();
            match operator.waves().zip(operator.n_units(kind)) {
                Some((waves, units)) => of_waves(operator, &Waves { n, count: waves, kind, units }, whole),
                None => Looked::Missing(unknown_chip(operator)),
            }
        })
    },
};

/// In how many waves so many blocks run on so many cores of a kind, if they take equally long.
struct Waves<'a> {
    n: f64,
    count: f64,
    kind: &'a str,
    units: f64,
}

impl Waves<'_> {
    /// The share of the cores of all waves that have no block.
    fn idle(&self) -> f64 {
        1.0 - self.n / (self.count * self.units)
    }

    fn numbers(&self, without: f64) -> Vec<Number> {
        vec![
            Number::new(phrase("Blocks"), self.n, Unit::None),
            Number::new(phrase("Waves"), self.count, Unit::None),
            Number::new(phrase("Without a block"), without, Unit::Share),
        ]
    }
}

/// What times of blocks say of waves, in microseconds.
struct Timed<'a> {
    family: &'a Family,
    /// The kind of cores that its blocks keep busy longest where they are spread evenly, how many it has, and how long.
    kind: &'a str,
    units: f64,
    even: f64,
    /// Of how many blocks there are times, and the ends of these.
    n: usize,
    shortest: f64,
    longest: f64,
}

/// From which part of the longest on a block takes as long.
const EQUAL: f64 = 0.9;

impl<'a> Timed<'a> {
    fn of(operator: &Operator, times: &'a Times) -> Option<Self> {
        let mut blocks: Map<&str, f64> = Map::default();
        for unit in &times.units {
            let longest = blocks.entry(unit.block.as_str()).or_default();
            *longest = longest.max(unit.value);
        }
        let even = |kind: &'a str| {
            let units = operator.n_units(kind)?;
            Some((kind, units, times.of(kind).map(|unit| unit.value).sum::<f64>() / units))
        };
        let busiest = times.kinds().into_iter().filter_map(even).max_by(|a, b| a.2.total_cmp(&b.2));
        let (kind, units, even) = busiest?;
        let ends = blocks.values().fold((f64::INFINITY, 0.0_f64), |(a, b), &own| (a.min(own), b.max(own)));
        Some(Self {
            family: times.family,
            kind,
            units,
            even,
            n: blocks.len(),
            shortest: ends.0,
            longest: ends.1,
        })
    }

    /// Whether blocks take differently long.
    fn is_uneven(&self) -> bool {
        self.shortest < EQUAL * self.longest
    }

    /// Whether so many waves of equal blocks cannot be: they differ, or take longer than the operator one after the other.
    fn is_against(&self, waves: f64, duration: Option<f64>) -> bool {
        let is_short = duration.is_some_and(|duration| duration < EQUAL * waves * self.longest);
        is_short || self.is_uneven()
    }
}

/// Of the waves in which blocks run on the cores; where times of blocks show that there are none, of these times.
fn of_waves(operator: &Operator, all: &Waves, whole: Option<f64>) -> Looked {
    let (n, waves, kind, units) = (all.n, all.count, all.kind, all.units);
    if waves <= 1.0 {
        let said = if n <= 1.0 {
            message("its only block uses 1 of {m} {kind} cores")
        } else {
            message("all {n} blocks run at once on {m} {kind} cores")
        };
        return Looked::Nothing(said.with("n", exact(n)).with("m", exact(units)).with("kind", kind));
    }
    let idle = all.idle();
    if idle < TAIL.limit(0) {
        let said = message("{n} blocks fill {w} waves on {m} {kind} cores except for {share}");
        let said = said.with("n", exact(n)).with("m", exact(units)).with("kind", kind);
        return Looked::Nothing(said.with("w", exact(waves)).with("share", percent(idle)));
    }
    let times = operator.times().filter(|times| times.unit == Unit::Micros && operator.fits(times));
    match times.as_ref().and_then(|times| Timed::of(operator, times)) {
        Some(timed) => of_times(operator, all, &timed, whole),
        None => {
            let saved = operator.duration.map(|duration| duration * idle);
            Looked::Found(vec![last_wave(operator, all, saved, whole)])
        }
    }
}

/// The same where times of blocks tell whether there are such waves.
fn of_times(operator: &Operator, all: &Waves, timed: &Timed, whole: Option<f64>) -> Looked {
    // However the blocks are split, all cores together need as long for them.
    let rest = operator.duration.map(|duration| (duration, duration - timed.even));
    if let Some((duration, rest)) = rest.filter(|(duration, rest)| *rest < TAIL.limit(0) * duration) {
        let said = message(
            "spread evenly over {m} {kind} cores, the blocks take {a} of {b}: at most {time} pass without one",
        );
        let said = said.with("m", exact(timed.units)).with("kind", timed.kind).with("a", micros(timed.even));
        let said = said.with("b", micros(duration)).with("time", micros(rest.max(0.0)));
        let uneven = message("blocks do not take equally long: {said}");
        return Looked::Nothing(if timed.is_uneven() { uneven.with_message("said", said) } else { said });
    }
    match rest {
        _ if !timed.is_against(all.count, operator.duration) => {
            let saved = rest.map(|(duration, rest)| rest.min(duration * all.idle()));
            Looked::Found(vec![last_wave(operator, all, saved, whole)])
        }
        _ if (timed.n as f64) < all.n => {
            let said = message(
                "only {n} of {m} block times are recorded, and they do not fit {w} equal waves: idle core time cannot be computed",
            );
            Looked::Missing(said.with("n", timed.n).with("m", exact(all.n)).with("w", exact(all.count)))
        }
        Some((duration, rest)) => {
            Looked::Found(vec![without_block(operator, all, timed, (duration, rest), whole)])
        }
        None => Looked::Missing(message(
            "the file does not say how long the operator took: the base info of msprof op on a device does",
        )),
    }
}

fn micros(value: f64) -> String {
    with_unit(value * 1e3, &Unit::Nanos)
}

/// The finding on a last wave that keeps some cores busy, and what a full one would save, in microseconds.
fn last_wave(operator: &Operator, all: &Waves, saved: Option<f64>, whole: Option<f64>) -> Finding {
    let last = all.n - (all.count - 1.0) * all.units;
    let saving = saved.zip(whole).map_or_else(Saving::default, |(saved, whole)| {
        let model = message("If all blocks took equally long and the last wave were full.");
        Saving::about(saved * 1e3, whole, Unit::Nanos, model).of(phrase("{share} of operator time"))
    });
    let sentence = message(
        "If blocks take equally long, the last of {w} waves{which} keeps ⟦{n} of {m}⟧ {kind} cores busy.",
    );
    let line = message(
        "{n} blocks on {m} cores. A block dim of {m}, with a loop over chunks in each block, has no partial wave.",
    );
    Finding {
        sentence: sentence
            .with("w", exact(all.count))
            .with_message("which", operator.of_which())
            .with("n", exact(last))
            .with("m", exact(all.units))
            .with("kind", all.kind),
        line: line.with("n", exact(all.n)).with("m", exact(all.units)),
        value: last,
        unit: Unit::None,
        saving,
        evidence: Evidence {
            shown: message("cores with a block"),
            figure: Some(bars(
                Unit::None,
                Some(all.units),
                vec![
                    (phrase("Full waves").to_owned(), all.units, BarRole::Work),
                    (phrase("Last wave").to_owned(), last, BarRole::Wait),
                ],
            )),
            numbers: all.numbers(all.idle()),
            how: message(
                "Blocks over cores, rounded up, are the waves; the tail is the cores without a block, over the cores of all waves. It is computed, not measured.",
            ),
            view: "details".to_owned(),
            address: details(operator.family("base-info").map_or("base-info", |family| &family.id), &[]),
            ..Evidence::default()
        },
        ..of_operator(operator)
    }
}

/// The finding on cores without a block, as times of all blocks and of the operator measure it, in microseconds.
fn without_block(
    operator: &Operator,
    all: &Waves,
    timed: &Timed,
    (duration, rest): (f64, f64),
    whole: Option<f64>,
) -> Finding {
    let share = rest / duration;
    let model = message("If the work of all blocks were spread evenly over the {m} {kind} cores.");
    let model = model.with("m", exact(timed.units)).with("kind", timed.kind);
    let whole = whole.unwrap_or(duration * 1e3);
    let sentence = message("⟦{share}⟧ of the time of all {m} {kind} cores{which} passes without a block.");
    let line = message(
        "{n} blocks of {a} to {b} do not fit {w} equal waves: spread evenly over the cores, they take {time} of {whole}. A block dim of {m}, with a loop over chunks in each block, spreads them.",
    );
    Finding {
        sentence: sentence
            .with("share", percent(share))
            .with("m", exact(timed.units))
            .with("kind", timed.kind)
            .with_message("which", operator.of_which()),
        line: line
            .with("n", exact(all.n))
            .with("a", micros(timed.shortest))
            .with("b", micros(timed.longest))
            .with("w", exact(all.count))
            .with("time", micros(timed.even))
            .with("whole", micros(duration))
            .with("m", exact(all.units)),
        value: share,
        unit: Unit::Share,
        saving: Saving::at_most(rest * 1e3, whole, Unit::Nanos, model).of(phrase("{share} of operator time")),
        evidence: Evidence {
            shown: message("block time spread evenly over the cores, compared with the duration"),
            figure: Some(bars(
                Unit::Nanos,
                Some(duration * 1e3),
                vec![
                    (phrase("With a block").to_owned(), timed.even * 1e3, BarRole::Work),
                    (phrase("Without a block").to_owned(), rest * 1e3, BarRole::Wait),
                ],
            )),
            numbers: all.numbers(share),
            how: message(
                "Times of all blocks, summed and divided by the cores, versus the duration of the operator; starting and ending it is without a block too.",
            ),
            view: "details".to_owned(),
            address: details(&timed.family.id, &[]),
            ..Evidence::default()
        },
        ..of_operator(operator)
    }
}

fn of_operator(operator: &Operator) -> Finding {
    Finding { subject: operator.subject(""), severity: Severity::Warning, ..TAIL.finding() }
}

/// Of a timeline: from the end of each core to that of the last. Work moves between cores of one kind only.
fn ends(input: &RuleInput) -> Looked {
    let all = cores(input);
    let Some(whole) = all.iter().map(|core| core.span).reduce(Span::union).filter(|whole| 0 < whole.dur())
    else {
        return Looked::NotHere;
    };
    let mut kinds: Vec<(&str, Vec<&Core>)> = Vec::new();
    for core in &all {
        match kinds.iter_mut().find(|(kind, _)| *kind == core.kind) {
            Some((_, own)) => own.push(core),
            None => kinds.push((core.kind, vec![core])),
        }
    }
    // From the end of a core, on average over those of a kind, to that of the last of all.
    let late = |own: &[&Core]| {
        own.iter().map(|core| (whole.end - core.span.end) as f64).sum::<f64>() / own.len().max(1) as f64
    };
    let latest = kinds.iter().min_by(|a, b| late(&a.1).total_cmp(&late(&b.1)));
    let last = kinds.iter().find(|(_, own)| own.iter().any(|core| core.span.end == whole.end));
    let Some(((latest, held), (kind, own))) = latest.zip(last) else { return Looked::NotHere };
    let saved = late(held);
    if saved < TAIL.limit(0) * whole.dur() as f64 {
        let said =
            message("on average over {n} {kind} cores, a core ends {share} of the time before the last");
        let said = said.with("share", percent(saved / whole.dur() as f64)).with("kind", *latest);
        return Looked::Nothing(said.with("n", held.len()));
    }
    let model = message(
        "If work were spread evenly over the cores of each kind. The {kind} cores would then finish last.",
    );
    let (saved, unit) = input.time(saved.round() as Ticks);
    let saving = Saving::about(saved, input.time(whole.dur()).0, unit, model.with("kind", *latest));
    let finding = early(input, whole, (*kind, own.as_slice()), late(own));
    Looked::Found(
        finding
            .map(|own| Finding { saving: saving.of(phrase("{share} of the timeline")), ..own })
            .into_iter()
            .collect(),
    )
}

/// The finding on cores of a kind that end before the last of it, without what is saved.
fn early(input: &RuleInput, whole: Span, (kind, own): (&str, &[&Core]), late: f64) -> Option<Finding> {
    let first = own.iter().min_by_key(|core| core.span.end)?;
    let last = own.iter().max_by_key(|core| core.span.end)?;
    let at = |ticks: Ticks| input.time(ticks);
    let tail = Span { start: first.span.end, end: whole.end };
    let (value, unit) = at(late.round() as Ticks);
    let longest = at(tail.dur()).0;
    let sentence = message("On average over {n} {kind} cores, a core ends ⟦{time}⟧ before the last one.");
    let line =
        message("{first} ends {time} before {last}. More and smaller chunks spread the work more evenly.");
    Some(Finding {
        severity: Severity::Warning,
        sentence: sentence.with("time", with_unit(value, &unit)).with("n", own.len()).with("kind", kind),
        line: line
            .with("first", &first.name)
            .with("last", &last.name)
            .with("time", with_unit(longest, &unit)),
        value,
        unit: unit.clone(),
        evidence: Evidence {
            shown: message("from the first core's end to the last core's end"),
            figure: Some(bars(
                unit.clone(),
                None,
                vec![
                    (first.name.clone(), at(first.span.end - whole.start).0, BarRole::Work),
                    (last.name.clone(), at(last.span.end - whole.start).0, BarRole::Work),
                ],
            )),
            numbers: vec![
                Number::new(phrase("Mean"), value, unit.clone()).note(percent(late / whole.dur() as f64)),
                Number::new(phrase("First core"), longest, unit),
                Number::new(phrase("Cores"), own.len() as f64, Unit::None),
            ],
            how: message(
                "From the last slice of each core to the last slice on any core, averaged over the cores of one kind on the timeline.",
            ),
            view: "timeline".to_owned(),
            address: Place::view("timeline").around(tail).range(tail).address(),
            ..Evidence::default()
        },
        ..TAIL.finding()
    })
}
