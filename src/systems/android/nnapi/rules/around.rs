//! What lies around executions: compiling while they go on, the first one, gaps between them.

use super::{MOST, Of, bars, cut, executions, layer_bars, more, stretch, subject, time, told, tracks};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::time::{Span, Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::trace::{excerpt, percent};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::systems::android::nnapi::corrected::{Execution, Kind};
use crate::systems::android::nnapi::facts::{Between, Model};
use crate::systems::android::nnapi::mark::{Layer, Phase};

// Compiling, and compiling inside the loop.

pub(super) static COMPILATION: Rule = Rule {
    id: "nnapi-compilation",
    version: 1,
    title: phrase("Compilation"),
    thresholds: &[Threshold {
        name: phrase("share of callers' thread time"),
        value: 0.2,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth a cache"),
    }],
    look: |input| {
        let of = match executions(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        let runs: Vec<_> = of.nnapi.corrected.runs.iter().map(|run| run.matrix.complete()).collect();
        let by_layer = Layer::REPORTED.map(|layer| {
            let cells = runs.iter().map(|matrix| matrix.cell(None, layer, Phase::Compilation));
            cells.fold((0, 0), |(n, own), cell| (n + cell.n, own + cell.own))
        });
        if by_layer.iter().all(|(n, _)| *n == 0) {
            return Looked::Missing(message(
                "no compilations marked: start recording before the model is compiled, with the category nnapi",
            ));
        }
        let amid: Ticks = of.models().map(|model| model.compiling.time).total();
        let own = (by_layer.iter().map(|(_, own)| *own).total() - amid).max(0);
        let part = share(own as f64, of.whole());
        if part < COMPILATION.limit(0) {
            let said = of.either(
                message("compilation takes {share} of the driver's time"),
                message("compilation takes {share} of callers' thread time"),
            );
            return Looked::Nothing(said.with("share", percent(part)));
        }
        let finished: u64 = of.models().map(|model| model.compiling.all - model.compiling.n).sum();
        // Where only drivers are seen to compile, each run that does so does it at least once.
        let compiles = runs.iter().filter(|matrix| {
            let own = |layer| matrix.cell(None, layer, Phase::Compilation).own;
            Layer::REPORTED.into_iter().any(|layer| 0 < own(layer))
        });
        let n = finished.max(compiles.count() as u64);
        let (sentence, mut others) = compared(of, own as f64, n);
        let rows = Layer::REPORTED.into_iter().zip(by_layer).filter(|(_, (_, own))| 0 < *own);
        let rows = rows.map(|(layer, (_, own))| (layer, layer.title().to_owned(), own as f64));
        let first = of.models().next();
        let mut numbers = vec![
            time(phrase("Compilation"), own).note(percent(part)),
            time(phrase("Compilation between executions"), amid),
            time(
                if of.is_of_drivers() { phrase("Driver time") } else { phrase("Callers' thread time") },
                of.facts.whole,
            ),
        ];
        numbers.append(&mut others);
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence,
            line: of.either(message("That is {share} of the driver's time. A cache (ANeuralNetworksCompilation_setCaching, Android 10) saves most of it from the second start on, if the driver can store compiled models."), message("That is {share} of the callers' thread time. A cache (ANeuralNetworksCompilation_setCaching, Android 10) saves most of it from the second start on, if the driver can store compiled models."))
            .with("share", percent(part)),
            value: own as f64,
            unit: Unit::Nanos,
            saving: Saving::at_most(own as f64, of.whole(), Unit::Nanos, message("If compilations came from a cache at no cost. Those between executions are reported in a separate finding.")).of(of.base()),
            evidence: Evidence {
                shown: message("compilation by layer"),
                figure: Some(layer_bars(rows, Unit::Nanos)),
                numbers,
                how: of.either(message("Self times of all layers in the phase PC; the driver counts from its first to its last mark in each run."), message("Self times of all layers in the phase PC, over all models; calling threads count from their first to their last mark in each run.")),
                view: "details".to_owned(),
                address: first.map_or_else(String::new, |model| super::details("nnapi-layers", model)),
                ..Evidence::default()
            },
            ..COMPILATION.finding()
        }])
    },
};

/// How long so many compilations take, held against executions where all are of one model; with the numbers of that.
fn compared(of: Of, own: f64, n: u64) -> (Message, Vec<Number>) {
    let mut models = of.models();
    let only = models.next().filter(|_| models.next().is_none());
    let median = only.and_then(|model| Some((model, model.spreads[model.steady()].as_ref()?.median)));
    let each = own / n.max(1) as f64;
    let mut numbers = vec![Number::new(phrase("Compilations"), n as f64, Unit::None)];
    if 1 < n {
        numbers.push(Number::new(phrase("Mean compilation"), each, Unit::Nanos));
    }
    numbers.extend(median.map(|(_, median)| Number::new(phrase("Median execution"), median, Unit::Nanos)));
    let sentence = match (n, median) {
        (0 | 1, Some(_)) => message("Compilation takes ⟦{time}⟧, as long as {times} executions of {model}."),
        (0 | 1, None) => message("Compilation takes ⟦{time}⟧."),
        (_, Some(_)) => message(
            "{n} compilations take ⟦{time}⟧, each on average as long as {times} executions of {model}.",
        ),
        (_, None) => message("{n} compilations take ⟦{time}⟧, {each} each on average."),
    };
    let (name, median) = median.map_or((Message::default(), 1.0), |(model, median)| (of.name(model), median));
    let sentence = sentence
        .with("n", thousands(n))
        .with("time", told(own))
        .with("each", told(each))
        .with("times", fixed(each / median.max(1.0), 1))
        .with_message("model", name);
    (sentence, numbers)
}

pub(super) static COMPILING: Rule = Rule {
    id: "nnapi-compiling",
    version: 2,
    title: phrase("Compilation between executions"),
    thresholds: &[
        Threshold {
            name: phrase("share of the time from the first to the last execution of each loop"),
            value: 0.01,
            unit: Unit::Share,
            source: phrase("our own choice: less is hardly noticeable"),
        },
        Threshold {
            name: phrase("compilations outside the measured loop"),
            value: 2.0,
            unit: Unit::None,
            source: phrase("our own choice: a single one may belong to another model"),
        },
    ],
    look: |input| {
        let of = match executions(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        let runs = &of.nnapi.corrected.runs;
        let has = |layer| runs.iter().any(|run| 0 < run.matrix.cell(None, layer, Phase::Compilation).n);
        if !of.marks.has_runtime && !has(Layer::Application) {
            let is_marked = Layer::REPORTED.into_iter().any(has);
            return Looked::Missing(if is_marked {
                message(
                    "only calls between processes and drivers mark compilations: no thread that executes is seen to compile; record the trace with the category nnapi",
                )
            } else {
                message("no compilations marked: record the trace with the category nnapi")
            });
        }
        let is_much = |model: &&Model| {
            let of = &model.compiling;
            let least = if of.is_measured { 1.0 } else { COMPILING.limit(1) };
            let part = share(of.time as f64, (model.between.whole.max(of.time)) as f64);
            COMPILING.limit(0) <= part && least <= of.n as f64
        };
        let mut over: Vec<&Model> = of.models().filter(is_much).collect();
        order::sort_by_key(&mut over, |model| std::cmp::Reverse(model.compiling.time));
        let others = more(over.iter().copied());
        let findings = over.into_iter().take(MOST).map(|model| compiling(input, of, model, others.clone()));
        Looked::found_or(findings.collect(), || {
            let sum = |own: fn(&Model) -> u64| of.models().map(own).sum::<u64>();
            match sum(|model| model.compiling.all) {
                0 => message("no compilation ends in the trace"),
                all => message("{n} of {all} compilations are between executions")
                    .with("n", thousands(sum(|model| model.compiling.n)))
                    .with("all", thousands(all)),
            }
        })
    },
};

fn compiling(input: &RuleInput, of: Of, model: &Model, more: Message) -> Finding {
    let own = &model.compiling;
    let whole = model.between.whole.max(own.time);
    let sentence = if own.is_measured {
        message(
            "Compilation takes ⟦{time}⟧ between executions of {model}: {n} compilations, also in the measured loop.",
        )
    } else {
        message("Compilation takes ⟦{time}⟧ between executions of {model}: {n} compilations.")
    };
    Finding {
        subject: subject(model),
        severity: Severity::Warning,
        sentence: sentence
            .with("time", told(own.time as f64))
            .with_message("model", of.name(model))
            .with("n", thousands(own.n)),
        line: message("Compile once and reuse the compilation for all executions; a cache (ANeuralNetworksCompilation_setCaching, Android 10) speeds up later starts.{more}").with_message("more", more),
        value: own.time as f64,
        unit: Unit::Nanos,
        saving: Saving::at_most(own.time as f64, of.whole(), Unit::Nanos, message("If everything were compiled before the first execution, or loaded from a cache at no cost.")).of(of.base()),
        evidence: Evidence {
            shown: message("longest of {n} compilations").with("n", thousands(own.n)),
            figure: Some(bars(
                vec![
                    (phrase("Compilation").to_owned(), own.time as f64),
                    (phrase("Execution").to_owned(), model.all.time as f64),
                ],
                Unit::Nanos,
            )),
            numbers: vec![
                time(phrase("Compilation"), own.time).note(percent(share(own.time as f64, whole as f64))),
                Number::new(phrase("Compilations between executions"), own.n as f64, Unit::None),
                Number::new(phrase("Compilations"), own.all as f64, Unit::None),
                time(phrase("Longest call"), own.longest.dur()),
            ],
            how: message("Runtime calls that compile, including nested calls, between the first and the last execution of their thread, or in the measured loop. Marks do not say which model is compiled."),
            view: "timeline".to_owned(),
            address: stretch(input, of, own.longest, own.thread).address(),
            ..Evidence::default()
        },
        ..COMPILING.finding()
    }
}

// The first inference.

/// Fewer executions have no median worth the name.
const FEW: u64 = 5;

pub(super) static FIRST: Rule = Rule {
    id: "nnapi-first",
    version: 1,
    title: phrase("First inference"),
    thresholds: &[
        Threshold {
            name: phrase("first execution over the model's median"),
            value: 1.5,
            unit: Unit::None,
            source: phrase("our own choice: less is within the usual variation of executions"),
        },
        Threshold {
            name: phrase("executions of the model"),
            value: FEW as f64,
            unit: Unit::None,
            source: phrase("our own choice: fewer give no median"),
        },
    ],
    look: |input| {
        let of = match executions(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        let all: Vec<Firsts> = of.models().filter_map(|model| firsts(of, model)).collect();
        if all.is_empty() {
            let is_late = of.models().all(|model| model.firsts.is_empty());
            return if is_late {
                Looked::Missing(message(
                    "the first execution is not in the trace: start recording before the model is compiled",
                ))
            } else {
                let most = of.models().map(|model| model.all.n).max().unwrap_or(0);
                Looked::Missing(
                    message("{n} executions of a model are too few to compare the first one with")
                        .with("n", most),
                )
            };
        }
        let most = all.iter().map(|firsts| firsts.factor).fold(0.0, f64::max);
        let mut over: Vec<Firsts> =
            all.into_iter().filter(|firsts| FIRST.limit(0) <= firsts.factor).collect();
        order::sort_by(&mut over, |a, b| b.excess.total_cmp(&a.excess));
        let others = more(over.iter().map(|firsts| firsts.model));
        let findings = over.iter().take(MOST).map(|firsts| first(input, of, firsts, others.clone()));
        Looked::found_or(findings.collect(), || {
            message("the first execution takes at most {n} times the median").with("n", fixed(most, 2))
        })
    },
};

/// First executions of a model.
struct Firsts<'a> {
    model: &'a Model,
    all: Vec<&'a Execution>,
    mean: f64,
    median: f64,
    factor: f64,
    /// Time beyond the median, of those that are longer.
    excess: f64,
}

/// Whether first executions have enough others to be held against. Each run has its first one: what is left must be more
/// than these.
pub(super) fn has_others(model: &Model) -> bool {
    let n = model.firsts.len() as u64;
    FEW <= model.all.n && n < model.all.n.saturating_sub(n)
}

fn firsts<'a>(of: Of<'a>, model: &'a Model) -> Option<Firsts<'a>> {
    let executions = &of.nnapi.corrected.executions;
    let all: Vec<&Execution> = model.firsts.iter().filter_map(|row| executions.get(*row as usize)).collect();
    let spread = model.spreads[model.steady()].as_ref()?;
    if all.is_empty() || !has_others(model) {
        return None;
    }
    let mean = all.iter().map(|execution| execution.total() as f64).sum::<f64>() / all.len() as f64;
    let excess = all.iter().map(|execution| (execution.total() as f64 - spread.median).max(0.0)).sum();
    let factor = mean / spread.median.max(1.0);
    Some(Firsts { model, all, mean, median: spread.median, factor, excess })
}

/// The layer in which first executions are longest beyond the mean of the others, with the time of one.
fn slow_layer(firsts: &Firsts) -> Option<(Layer, f64)> {
    let n = firsts.all.len() as f64;
    let others = (firsts.model.all.n as f64 - n).max(1.0);
    let beyond = |layer: Layer| {
        let own: Ticks = firsts.all.iter().map(|execution| execution.of(layer)).total();
        (layer, own as f64 / n - (firsts.model.all.of(layer) - own) as f64 / others)
    };
    Layer::REPORTED.into_iter().map(beyond).max_by(|a, b| a.1.total_cmp(&b.1))
}

fn first(input: &RuleInput, of: Of, firsts: &Firsts, more: Message) -> Finding {
    let model = firsts.model;
    let sentence = match firsts.all.len() {
        1 => message("The first execution of {model} takes ⟦{factor} times the median⟧ of {median}."),
        _ => message(
            "The first executions of {n} runs of {model} take ⟦{factor} times the median⟧ of {median} on average.",
        ),
    };
    let is_known = !of.is_of_drivers() && model.all.of_kind(Kind::Application) < model.all.n;
    let line = match slow_layer(firsts) {
        Some((layer, beyond)) if 0.0 < beyond && is_known => {
            message("Most of it is in this layer: {layer}, {beyond} more than in others. Run once before the result is needed.{more}").with_message("layer", model.all.title(layer)).with("beyond", told(beyond))
        }
        _ => message("Run once before the result is needed.{more}"),
    };
    let longest = firsts.all.iter().max_by_key(|execution| execution.total());
    let place = longest.map(|one| stretch(input, of, Span::new(one.start, one.end), one.thread));
    Finding {
        subject: subject(model),
        severity: Severity::Note,
        sentence: sentence
            .with("n", firsts.all.len())
            .with_message("model", of.name(model))
            .with("factor", fixed(firsts.factor, 2))
            .with("median", told(firsts.median)),
        line: line.with_message("more", more),
        value: firsts.factor,
        unit: Unit::None,
        saving: Saving::about(firsts.excess, of.whole(), Unit::Nanos, message("If first executions took the median.")).of(of.base()),
        evidence: Evidence {
            shown: message("first and median of {n} executions").with("n", thousands(model.all.n)),
            figure: Some(bars(
                vec![
                    (phrase("First").to_owned(), firsts.mean),
                    (phrase("Median").to_owned(), firsts.median),
                ],
                Unit::Nanos,
            )),
            numbers: vec![
                Number::new(phrase("First"), firsts.mean, Unit::Nanos),
                Number::new(phrase("Median"), firsts.median, Unit::Nanos),
                Number::new(phrase("Above the median"), firsts.excess, Unit::Nanos),
                Number::new(phrase("Runs"), firsts.all.len() as f64, Unit::None),
            ],
            how: of.either(message("The first execution of the driver in the recording; earlier ones may lie before it. The median is over all of them.{cut}"), message("The median is over the loop {loop}. Compilation and preparing an execution do not count; a run counts if its start is in the trace.{cut}"))
            .with_message("loop", of.loop_name(model.steady()))
            .with_message("cut", cut(model)),
            view: "timeline".to_owned(),
            address: place.unwrap_or_default().address(),
            ..Evidence::default()
        },
        ..FIRST.finding()
    }
}

// Gaps between executions.

pub(super) static GAPS: Rule = Rule {
    id: "nnapi-gaps",
    version: 3,
    title: phrase("Gaps between executions"),
    thresholds: &[Threshold {
        name: phrase("share of the time from the first to the last execution of each loop"),
        value: 0.1,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth changing the loop"),
    }],
    look: |input| {
        let of = match executions(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        let followed: Vec<&Model> = of.models().filter(|model| 0 < model.between.n).collect();
        if followed.is_empty() {
            let n = of.models().map(|model| model.all.n).sum::<u64>();
            return Looked::Missing(
                message("{n} executions, none of which follow another on its thread").with("n", thousands(n)),
            );
        }
        let part = |model: &Model| share(model.between.time as f64, model.between.whole as f64);
        let most = followed.iter().map(|model| part(model)).fold(0.0, f64::max);
        let covered: Ticks = followed.iter().map(|model| model.between.covered).total();
        let mut over: Vec<&Model> =
            followed.into_iter().filter(|model| GAPS.limit(0) <= part(model)).collect();
        order::sort_by_key(&mut over, |model| std::cmp::Reverse(model.between.time));
        // The application leaves the same gaps whatever the model: one finding of all.
        let findings = over.first().map(|model| gaps(input, of, model, &over)).into_iter();
        Looked::found_or(findings.collect(), || {
            let said = if covered == 0 {
                message("gaps take at most {share} of the time between a thread's first and last execution")
            } else {
                message(
                    "gaps take at most {share} of the time between a thread's first and last execution; in {time} more other threads execute",
                )
            };
            said.with("share", percent(most)).with("time", told(covered as f64))
        })
    },
};

#[allow(clippy::too_many_lines)] // most of it is texts
fn gaps(input: &RuleInput, of: Of, model: &Model, all: &[&Model]) -> Finding {
    let own = &model.between;
    let more = crate::findings::more(
        1,
        all.iter().map(|model| {
            let part = share(model.between.time as f64, model.between.whole as f64);
            format!("{} {}", subject(model), percent(part))
        }),
    );
    // Where others execute for most of the time between, starting sooner is waiting for these.
    let is_free = |own: &Between| own.covered <= own.time;
    let total: Ticks =
        all.iter().map(|model| &model.between).filter(|own| is_free(own)).map(|own| own.time).sum();
    let shared = match own.covered {
        0 => Message::default(),
        _ if is_free(own) => message(" In {covered} more between them other threads execute."),
        _ => message(
            " In {covered} more between them other threads execute: what starts sooner may only wait for these.",
        ),
    };
    let shared = shared.with("covered", told(own.covered as f64));
    let how = match all.len() {
        1 => message("If each execution started as soon as the previous one on its thread ended."),
        n => message(
            "If each execution of these {n} models started as soon as the previous one on its thread ended.",
        )
        .with("n", n),
    };
    let part = share(own.time as f64, own.whole as f64);
    let sentence = if own.is_beside {
        message(
            "The driver executes nothing between executions of {model} for ⟦{share} of the time⟧: {time} in {n} gaps.",
        )
    } else {
        message(
            "Nothing executes between executions of {model} for ⟦{share} of the time⟧: {time} in {n} gaps.",
        )
    };
    let rest = (own.time - own.setup).max(0);
    let line = if of.is_of_drivers() {
        message(
            "Application and runtime activity during this time was not recorded: record the trace with the category nnapi.{more}",
        )
    } else if rest < own.setup {
        message(
            "{setup} of it is creating, filling and freeing executions: reuse one (ANeuralNetworksExecution_setReusable, Android 12) and keep its inputs in memory.{more}",
        )
    } else {
        message(
            "{setup} of it is creating, filling and freeing executions; in the rest the application does something else, or waits for its next input. Prepare the next input during an execution, unless inputs come at a fixed rate.{more}",
        )
    };
    Finding {
        subject: subject(model),
        severity: Severity::Note,
        sentence: sentence
            .with("share", percent(part))
            .with_message("model", of.name(model))
            .with("time", told(own.time as f64))
            .with("n", thousands(own.gaps)),
        line: message("{line}{more}")
            .with_message("line", line.with("setup", told(own.setup as f64)).with_message("more", shared))
            .with_message("more", more),
        value: part,
        unit: Unit::Share,
        saving: match total {
            0 => Saving::default(),
            total => Saving::at_most(total as f64, of.whole(), Unit::Nanos, how).of(of.base()),
        },
        evidence: Evidence {
            shown: message("longest of {n} gaps").with("n", thousands(own.gaps)),
            figure: Some(excerpt(input, around(own.longest), &tracks(input))),
            numbers: gap_numbers(of, model, part),
            how: of.either(message("From the end of an execution of the driver to the start of its next one, on any thread, in the same run, without what it executes for others meanwhile.{cut}"), message("From the end of an execution to the start of the next one on the same thread, in the same run and loop, without compilation and without what other threads execute meanwhile, on the same driver where it is known; added over threads.{cut}"))
            .with_message("cut", cut(model)),
            view: "timeline".to_owned(),
            address: stretch(input, of, own.longest, own.thread).address(),
            ..Evidence::default()
        },
        ..GAPS.finding()
    }
}

fn gap_numbers(of: Of, model: &Model, part: f64) -> Vec<Number> {
    let own = &model.between;
    let mut numbers = vec![
        time(phrase("Gaps"), own.time).note(percent(part)),
        time(phrase("From first to last execution of each loop"), own.whole),
        time(phrase("Setup"), own.setup),
        time(phrase("Longest gap"), own.longest.dur()),
    ];
    // A driver knows nothing of what makes an execution ready.
    if of.is_of_drivers() {
        numbers.remove(2);
    }
    if 0 < own.covered {
        numbers.push(time(phrase("Other threads execute meanwhile"), own.covered));
    }
    numbers
}

/// As much again on each side.
fn around(span: Span) -> Span {
    Span { start: span.start.saturating_sub(span.dur()), end: span.end.saturating_add(span.dur()) }
}
