//! Accesses that bring nothing: data that nobody reads, data that are used once, accesses that come again.

use super::measure::{LevelMeasure, Measured, RunMeasure};
use super::{bars, cut, list, measured, place, runs};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{percent, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::systems::gainsight::statistics::rules as statistics;
use crate::views::lifetimes::compute::{self, Counts};

/// Levels with the counts that a rule needs, the largest share first, and whether any has them.
fn largest(
    measured: &Measured,
    part: impl Fn(&RunMeasure, &LevelMeasure) -> Option<f64>,
) -> Vec<(&RunMeasure, &LevelMeasure, f64)> {
    let all = measured.levels().filter_map(|(run, level)| Some((run, level, part(run, level)?)));
    let mut all: Vec<_> = all.collect();
    order::sort_by(&mut all, |a, b| b.2.total_cmp(&a.2));
    all
}

/// Kernels by something that was counted, most first.
fn by_kernel(level: &LevelMeasure, of: impl Fn(&Counts) -> u64) -> Vec<(String, f64)> {
    let mut all: Vec<_> = level
        .kernels
        .iter()
        .map(|named| (compute::called(&named.name).to_owned(), of(&named.counts) as f64))
        .collect();
    order::sort_by(&mut all, |a, b| b.1.total_cmp(&a.1));
    all.truncate(4);
    all
}

/// Tables of lifetimes tell neither loads nor stores.
fn no_accesses() -> Looked {
    Looked::Missing(message("the tables do not distinguish loads from stores: open the log too"))
}

/// What moves at all levels of a run, in bytes.
fn moved(run: &RunMeasure) -> f64 {
    let bytes = |level: &LevelMeasure| level.counts.accesses() as f64 * level.access_bytes as f64;
    run.levels.iter().map(bytes).sum()
}

// Data that are written and never read.

pub(super) static UNREAD: Rule = Rule {
    id: "lifetimes-unread",
    version: 2,
    title: phrase("Written and never read"),
    thresholds: &[Threshold {
        name: phrase("share of writes at a level"),
        value: 0.1,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth changing how data are written"),
    }],
    look: |input| {
        let measured = match measured(input) {
            Ok(measured) => measured,
            Err(looked) => return looked,
        };
        if measured.levels().all(|(_, level)| level.counts.accesses() == 0) {
            return no_accesses();
        }
        let kind = |run: &RunMeasure, level: &LevelMeasure| Kind::of(input, run, level);
        let all = largest(measured, |run, level| {
            (0 < level.counts.writes)
                .then(|| share(kind(run, level).count(&level.counts) as f64, level.counts.writes as f64))
        });
        let Some((run, level, most)) = all.first() else {
            return Looked::Nothing(message("nothing is written: 0 stores"));
        };
        let nothing = match kind(run, level) {
            Kind::Results => message("at most {share} of the writes at a level are partial sums ({level})"),
            _ => message("at most {share} of the writes at a level are never read ({level})"),
        };
        let nothing = nothing.with("share", percent(*most)).with("level", &level.name);
        let found = all.iter().filter(|(.., part)| UNREAD.limit(0) <= *part);
        let found = found.map(|(run, level, part)| unread(run, level, kind(run, level), *part));
        Looked::found_or(cut(found.collect()), || nothing)
    },
};

/// What writes at a level are.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Stores of a kernel to a cache in front of others: whoever reads the data elsewhere finds them behind it.
    Near,
    /// Stores to the last cache: what is read later must be written; only what the next store replaces is not.
    Last,
    /// Words that are fetched for an array.
    Fetched,
    /// Results of an array: words that are written again are partial sums.
    Results,
}

impl Kind {
    fn of(input: &RuleInput, run: &RunMeasure, level: &LevelMeasure) -> Self {
        let is_last = level.row + 1 == run.levels.len();
        let is_array = runs(input).get(run.row).is_some_and(|run| run.has_layers);
        match (is_array, is_last) {
            (true, false) => Self::Fetched,
            (true, true) => Self::Results,
            (false, false) => Self::Near,
            (false, true) => Self::Last,
        }
    }

    fn count(self, counts: &Counts) -> u64 {
        match self {
            Self::Near | Self::Fetched => counts.unread,
            Self::Last => counts.replaced,
            // All but the last write of each word, whether or not it left in between.
            Self::Results => counts.overwritten,
        }
    }

    /// How many accesses they cost: partial sums that leave are read too, all but the last value of each word.
    fn accesses(self, counts: &Counts) -> u64 {
        let leave = match self {
            Self::Results => (counts.reads + counts.unread).saturating_sub(counts.sectors + counts.replaced),
            _ => 0,
        };
        self.count(counts) + leave
    }
}

#[allow(clippy::too_many_lines)] // most of it is texts
fn unread(run: &RunMeasure, level: &LevelMeasure, kind: Kind, part: f64) -> Finding {
    let counts = &level.counts;
    let n = kind.count(counts);
    let bytes = kind.accesses(counts) as f64 * level.access_bytes as f64;
    let sentence = match kind {
        Kind::Near => message(
            "⟦{n} of {all}⟧ stores at {level} write data that no later load of their kernel uses there.",
        ),
        Kind::Last => message(
            "⟦{n} of {all}⟧ stores at {level} are overwritten by the next store before any load reaches {level}.",
        ),
        Kind::Fetched => message("⟦{n} of {all}⟧ words fetched for {level} are never read by the array."),
        Kind::Results => message("⟦{n} of {all}⟧ words written to {level} are partial sums."),
    };
    let line = match kind {
        Kind::Near => message(
            "A store that does not allocate there, as --no-write-allocate assumes, leaves the space to data that are reused.",
        ),
        Kind::Last => message(
            "Accumulate in registers or shared memory, or make L1 write back, so that only the last value is stored.",
        ),
        Kind::Fetched => message(
            "Prefetching runs ahead of what the layer needs, or words are fetched again before use: compare with a larger buffer or another dataflow.",
        ),
        Kind::Results => message(
            "Their words are written again later: another dataflow, or more array rows, keeps the sums inside the array.",
        ),
    };
    let model = match kind {
        Kind::Near => message("If none of these were written at this level and nothing else changed."),
        Kind::Last => message("If only the last value of each were stored and nothing else changed."),
        Kind::Fetched => message("If none of these words were fetched and nothing else changed."),
        Kind::Results => message(
            "If only the last value of each word were written, and moved on to memory, and nothing else changed.",
        ),
    };
    let n_of = |name, of: u64| Number::new(name, of as f64, Unit::None);
    let noted = |name, of: u64| n_of(name, of).note(percent(share(of as f64, counts.writes as f64)));
    let mut numbers = vec![n_of(phrase("Writes"), counts.writes)];
    numbers.extend(match kind {
        Kind::Results => [
            noted(phrase("Partial sums written"), n),
            n_of(phrase("Partial sums moved on to memory"), kind.accesses(counts) - n),
        ],
        _ => [
            noted(phrase("Never read"), counts.unread),
            noted(phrase("Overwritten before any load"), counts.replaced),
        ],
    });
    numbers.push(Number::new(phrase("Bytes of these"), bytes, Unit::Bytes));
    numbers.push(Number::new(phrase("Total bytes accessed, all levels"), moved(run), Unit::Bytes));
    Finding {
        subject: level.name.clone(),
        severity: Severity::Warning,
        sentence: sentence.with("n", thousands(n)).with("all", thousands(counts.writes)).with("level", &level.name),
        line,
        value: n as f64,
        unit: Unit::None,
        saving: Saving::at_most(bytes, moved(run), Unit::Bytes, model).of(phrase("{share} of the bytes moved")),
        evidence: Evidence {
            title: match kind {
                Kind::Results => message("Partial sums written out"),
                _ => Message::default(),
            },
            shown: message("{share} of the writes at {level}").with("share", percent(part)).with("level", &level.name),
            figure: Some(bars(Unit::None, None, by_kernel(level, |counts| kind.count(counts)))),
            numbers,
            how: match kind {
                Kind::Results => message("All writes of a word in a layer but the last are partial sums, and so are all its values that leave for memory but the last. Each moves {bytes}."),
                Kind::Fetched => message("Writes are counted layer by layer: what a later layer or the host reads is never read here. Each moves {bytes}."),
                Kind::Near | Kind::Last => message("Writes are counted per kernel: data read by a later kernel or the host count as never read here. Each moves {bytes}."),
            }
                .with("bytes", with_unit(level.access_bytes as f64, &Unit::Bytes)),
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "reuse").address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..UNREAD.finding()
    }
}

// Data that are loaded and used once.

pub(super) static ONCE: Rule = Rule {
    id: "lifetimes-once",
    version: 2,
    title: phrase("Loaded, used once"),
    thresholds: &[
        Threshold {
            name: phrase("share of a level's lifetimes that start with a load"),
            value: 0.5,
            unit: Unit::Share,
            source: phrase(
                "our own choice: most loaded data then stream through; GainSight's paper saw up to 90 %",
            ),
        },
        Threshold {
            name: phrase("minimum lifetimes at a level that start with a load"),
            value: 100.0,
            unit: Unit::None,
            source: phrase("our own choice: fewer are too few for a conclusion"),
        },
    ],
    look: |input| {
        let measured = match measured(input) {
            Ok(measured) => measured,
            Err(looked) => return looked,
        };
        // Buffers of an array are filled on purpose: what is not read there is another rule's.
        let is_cache = |run: &RunMeasure| runs(input).get(run.row).is_some_and(|run| !run.has_layers);
        if measured.runs.iter().all(|run| !is_cache(run)) {
            return Looked::NotHere;
        }
        if measured.levels().all(|(_, level)| level.counts.accesses() == 0) {
            return no_accesses();
        }
        let all = largest(measured, |run, level| {
            let (once, all) = loaded(&level.counts);
            (is_cache(run) && ONCE.limit(1) <= all as f64).then(|| share(once as f64, all as f64))
        });
        let Some((_, level, most)) = all.first() else {
            let started = measured.levels().filter(|(run, _)| is_cache(run));
            let most = started.map(|(_, level)| loaded(&level.counts).1).max().unwrap_or(0);
            return Looked::Nothing(
                message("loads begin at most {n} lifetimes per level; at least {least} are needed")
                    .with("n", thousands(most))
                    .with("least", with_unit(ONCE.limit(1), &Unit::None)),
            );
        };
        let nothing = message("at most {share} of the data loaded at a level is used once ({level})")
            .with("share", percent(*most))
            .with("level", &level.name);
        let found = all.iter().filter(|(.., part)| ONCE.limit(0) <= *part);
        let found = found.map(|(run, level, part)| once(run, level, *part));
        Looked::found_or(cut(found.collect()), || nothing)
    },
};

/// Lifetimes that a load began: those without reuse, and all.
fn loaded(counts: &Counts) -> (u64, u64) {
    let once = counts.orphans.saturating_sub(counts.unread);
    (once, counts.lifetimes.saturating_sub(counts.writes).max(once))
}

#[allow(clippy::too_many_lines)] // most of it is texts
fn once(run: &RunMeasure, level: &LevelMeasure, part: f64) -> Finding {
    let (once, all) = loaded(&level.counts);
    let classes = [phrase("never"), phrase("once"), "2–3", "4–15", "16+"];
    let classes = classes.iter().zip(level.reuses).map(|(name, n)| ((*name).to_owned(), n as f64));
    let line = if level.row == 0 {
        message(
            "Loads that bypass {level} leave its space to data that are reused; tiling brings the uses of the same data closer together.",
        )
    } else {
        message(
            "The levels above catch the reuse: here data only pass through. A smaller {level} would hold as much of the data that counts.",
        )
    };
    Finding {
        subject: level.name.clone(),
        severity: Severity::Note,
        sentence: message(
            "⟦{n} of {all}⟧ lifetimes started by a load at {level} are used only by that load.",
        )
        .with("n", thousands(once))
        .with("all", thousands(all))
        .with("level", &level.name),
        line: line.with("level", &level.name),
        value: once as f64,
        unit: Unit::None,
        evidence: Evidence {
            shown: message("lifetimes of {level} by number of reuses").with("level", &level.name),
            figure: Some(bars(Unit::None, None, classes)),
            numbers: vec![
                Number::new(phrase("Started by a load"), all as f64, Unit::None),
                Number::new(phrase("Never reused"), once as f64, Unit::None).note(percent(part)),
                Number::new(phrase("Started by a store, never read"), level.counts.unread as f64, Unit::None),
                Number::new(phrase("Loads"), level.counts.reads as f64, Unit::None),
                Number::new(phrase("Resident before the kernel"), level.counts.existing as f64, Unit::None),
            ],
            how: message(
                "A load that has to fetch its data starts a lifetime, as does the first load that hits data already there. Uses are counted within a kernel. The bars also count lifetimes started by stores.",
            ),
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "reuse").address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..ONCE.finding()
    }
}

// Accesses that the cache could not take.

pub(super) static RETRIES: Rule = Rule {
    id: "lifetimes-retries",
    version: 2,
    title: phrase("Retried accesses"),
    thresholds: &[Threshold {
        name: phrase("retries per load or store at a level"),
        value: 0.1,
        unit: Unit::None,
        source: phrase("our own choice; real logs range from none to 1.56"),
    }],
    look: |input| {
        let measured = match measured(input) {
            Ok(measured) => measured,
            Err(looked) => return of_statistics(input).unwrap_or(looked),
        };
        let is_cache = |run: &RunMeasure| runs(input).get(run.row).is_some_and(|run| !run.has_layers);
        if measured.runs.iter().all(|run| !is_cache(run)) {
            return Looked::NotHere;
        }
        if measured.levels().all(|(_, level)| level.counts.accesses() + level.counts.retries == 0) {
            return no_accesses();
        }
        let all = largest(measured, |run, level| {
            let counts = &level.counts;
            let is_known = is_cache(run) && 0 < counts.accesses() + counts.retries;
            is_known.then(|| counts.retries as f64 / counts.accesses().max(1) as f64)
        });
        let Some((_, level, most)) = all.first() else { return no_accesses() };
        let nothing = message("at most {n} retries per access ({level})")
            .with("n", with_unit(*most, &Unit::None))
            .with("level", &level.name);
        let found = all.iter().filter(|(.., each)| RETRIES.limit(0) <= *each);
        let found = found.map(|(run, level, each)| retried(input, (run, level), *each));
        Looked::found_or(cut(found.collect()), || nothing)
    },
};

/// What the statistics of a log without accesses say; `None` where there are none.
fn of_statistics(input: &RuleInput) -> Option<Looked> {
    let counted = super::counters::counted(input);
    let own = counted.iter().filter_map(super::counters::Counted::each).reduce(f64::max);
    if let Some(most) = own {
        let found = counted.iter().filter(|own| own.each().is_some_and(|each| RETRIES.limit(0) <= each));
        let mut found: Vec<Finding> = found.map(|own| named(super::counters::retried(own))).collect();
        order::sort_by(&mut found, |a, b| b.value.total_cmp(&a.value));
        return Some(Looked::found_or(cut(found), || {
            message("at most {n} retries per access").with("n", with_unit(most, &Unit::None))
        }));
    }
    let mut all = statistics::caches(input.trace);
    order::sort_by(&mut all, |a, b| (b.1.fails / b.1.accesses).total_cmp(&(a.1.fails / a.1.accesses)));
    let (level, most) = *all.first()?;
    let found = all.iter().filter(|(_, cache)| RETRIES.limit(0) <= cache.fails / cache.accesses);
    let found = found.map(|(level, cache)| named(statistics::retried(input.trace, level, cache)));
    Some(Looked::found_or(found.collect(), || {
        message("at most {n} retries per access ({level})")
            .with("n", with_unit(most.fails / most.accesses, &Unit::None))
            .with("level", level)
    }))
}

/// A finding of this rule that another wrote.
fn named(finding: Finding) -> Finding {
    let Finding { rule, version, .. } = RETRIES.finding();
    Finding { rule, version, ..finding }
}

#[allow(clippy::too_many_lines)] // most of it is texts
fn retried(input: &RuleInput, (run, level): (&RunMeasure, &LevelMeasure), each: f64) -> Finding {
    let counts = &level.counts;
    let own = runs(input).get(run.row);
    let name = own.and_then(|own| own.levels.get(level.row)).map_or("", |head| head.name.as_str());
    let (why, reason) = statistics::why(input.trace, own.map(|own| own.entry), name, counts.retries as f64);
    let mut numbers = vec![
        Number::new(phrase("Retries"), counts.retries as f64, Unit::None),
        Number::new(phrase("Accesses"), counts.accesses() as f64, Unit::None),
    ];
    numbers.extend(reason);
    let cycles: u64 = level.kernels.iter().map(|named| named.cycles).sum();
    let stalled: u64 = level.kernels.iter().map(|named| named.stalled).sum();
    let kernels = by_kernel(level, |counts| counts.retries);
    let worst = kernels.first().cloned().unwrap_or_default();
    numbers.extend([
        Number::new(phrase("Most stalled unit, all kernels"), stalled as f64, Unit::Cycles),
        Number::new(phrase("Cycles, all kernels"), cycles as f64, Unit::Cycles),
    ]);
    let more = match level.kernels.len() {
        0 | 1 => Message::default(),
        _ => message(" {kernel} accounts for {share} of them.")
            .with_message("kernel", worst.0)
            .with("share", percent(share(worst.1, counts.retries as f64))),
    };
    Finding {
        subject: level.name.clone(),
        severity: Severity::Warning,
        sentence: message("{level} cannot accept accesses ⟦{n} times⟧, {each} per load or store.")
            .with("level", &level.name)
            .with("n", thousands(counts.retries))
            .with("each", with_unit(each, &Unit::None)),
        line: message("{line}{more}").with_message("line", why).with_message("more", more),
        value: counts.retries as f64,
        unit: Unit::None,
        saving: Saving::at_most(
            stalled as f64,
            cycles as f64,
            Unit::Cycles,
            message("One cycle per retry of the unit with the most retries in each kernel, if all retries disappeared and nothing else became faster."),
        ).of(phrase("{share} of all cycles")),
        evidence: Evidence {
            shown: message("retries by kernel at {level}").with("level", &level.name),
            figure: Some(bars(Unit::None, None, kernels)),
            numbers,
            how: message("A line with status 3 (reservation fail) is not an access: the same request is retried in a later cycle. Each unit and bank may print one per cycle."),
            view: "lifetimes".to_owned(),
            address: place(run, Some(level), "time").address(),
            list: list(run, level),
            ..Evidence::default()
        },
        ..RETRIES.finding()
    }
}
