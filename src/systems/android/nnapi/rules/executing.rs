//! What executions spend their time with: the CPU, parts, calls between processes, copies, waiting in the driver.

use super::{
    MOST, Of, all_on_cpu, bars, below_not_marked, clients, cut, details, executions, layer_bars, layers,
    more, runtime, stay, stretch, subject, time, told, tracks,
};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::map::Map;
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::trace::{excerpt, percent};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::systems::android::nnapi::corrected::{App, Fallback, Kind};
use crate::systems::android::nnapi::driver_times::DriverTimes;
use crate::systems::android::nnapi::facts::{Model, Sums};
use crate::systems::android::nnapi::mark::Layer;

/// What counts of a model: its executions in the loop that is measured.
fn steady(model: &Model) -> &Sums {
    &model.loops[model.steady()]
}

/// Models by the part of their time that a rule looks at, the largest first; with all that reach a limit in front.
/// Those of which the part is not known are left out.
fn by_share(of: Of<'_>, part: fn(&Sums) -> Option<Ticks>) -> Vec<(&Model, f64)> {
    let shared = |model| Some((model, share(part(steady(model))? as f64, steady(model).time as f64)));
    let mut models: Vec<(&Model, f64)> = of.models().filter_map(shared).collect();
    order::sort_by_key(&mut models, |(model, _)| std::cmp::Reverse(part(&model.all)));
    models
}

/// Findings of those models that reach the limit of a rule; else the most that any has.
fn found(
    (rule, of): (&Rule, Of),
    part: fn(&Sums) -> Option<Ticks>,
    finding: impl Fn(&Model, f64, Message) -> Finding,
    nothing: fn() -> Message,
) -> Looked {
    let all = by_share(of, part);
    let most = all.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    let over: Vec<_> = all.into_iter().filter(|(_, share)| rule.limit(0) <= *share).collect();
    let others = more(over.iter().map(|(model, _)| *model));
    let findings = over.into_iter().take(MOST).map(|(model, share)| finding(model, share, others.clone()));
    Looked::found_or(findings.collect(), || nothing().with("share", percent(most)))
}

// Operations on the CPU.

pub(super) static ON_CPU: Rule = Rule {
    id: "nnapi-on-cpu",
    version: 1,
    title: phrase("Operations on the CPU"),
    thresholds: &[Threshold {
        name: phrase("share of execution time"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth changing operations"),
    }],
    look: |input| {
        let of = match runtime(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        if by_share(of, Sums::on_cpu).is_empty() {
            return below_not_marked();
        }
        let nothing = || message("the CPU computes for at most {share} of a model's execution time");
        found((&ON_CPU, of), Sums::on_cpu, |model, part, more| on_cpu(of, model, part, more), nothing)
    },
};

/// Names of what the CPU did in executions of a model in the loop that counts, with their calls and own times, most first; and
/// how often a driver failed before, in any loop.
fn operations<'a>(of: Of<'a>, model: &Model) -> (Vec<(&'a str, u64, Ticks)>, u64) {
    let corrected = &of.nnapi.corrected;
    let parts = |fallback: &Fallback, is_meant: fn(&Model, App) -> bool| {
        let rows = fallback.executions.iter().zip(&fallback.parts);
        let counts = rows.filter(|(row, _)| {
            let execution = corrected.executions.get(**row as usize);
            execution.is_some_and(|one| is_meant(model, one.app) && of.nnapi.facts.is_of(model, one))
        });
        counts.fold((0, 0), |sum: (u64, Ticks), (_, part)| (sum.0 + part.0, sum.1 + part.1))
    };
    let (mut sums, mut failed): (Map<u32, (u64, Ticks)>, u64) = (Map::default(), 0);
    for fallback in corrected.runs.iter().flat_map(|run| &run.fallback) {
        let name = corrected.name(fallback.name);
        if fallback.layer == Layer::Runtime {
            failed += if name.contains("allback") { parts(fallback, |_, _| true).0 } else { 0 };
            continue;
        }
        // Warming up is in no share, so it is in no time beside one.
        let (n, own) = parts(fallback, |model, app| app == model.steady());
        if n == 0 {
            continue;
        }
        let sum = sums.entry(fallback.name).or_insert((0, 0));
        *sum = (sum.0 + n, sum.1 + own);
    }
    let mut rows: Vec<_> = sums.into_iter().map(|(name, (n, own))| (corrected.name(name), n, own)).collect();
    order::sort_by_key(&mut rows, |(name, _, own)| (std::cmp::Reverse(*own), *name));
    (rows, failed)
}

/// What the CPU does beside drivers; nothing of drivers where they are not seen.
fn of_cpu(sums: &Sums, part: f64, failed: u64) -> Vec<Number> {
    let mut numbers = vec![
        time(phrase("On the CPU"), sums.of(Layer::Cpu)).note(percent(part)),
        time(phrase("Execution time"), sums.time),
        Number::new(phrase("Steps on the CPU"), sums.cpu_steps as f64, Unit::None),
        Number::new(phrase("Driver failures"), failed as f64, Unit::None),
    ];
    if !sums.has_unseen_driver() {
        let driver = sums.of(Layer::Driver);
        let of_time = percent(share(driver as f64, sums.time as f64));
        numbers.insert(1, time(phrase("In drivers"), driver).note(of_time));
    }
    numbers
}

fn on_cpu(of: Of, model: &Model, part: f64, more: Message) -> Finding {
    let (sums, all) = (steady(model), &model.all);
    let (operations, failed) = operations(of, model);
    let (top, own) = operations.first().map_or(("", 0), |(name, _, own)| (*name, *own));
    let line = match (failed, all.with_driver, all.of(Layer::Ipc)) {
        (1.., ..) => message(
            "A driver failed {failed} times and the runtime fell back to the CPU: the device's log says why. Most time there: {name}, {own}.{more}",
        ),
        (0, 0, 0) => message(
            "No driver executes any part: the runtime planned all of it for the CPU, as no driver supports these operations or none was chosen (see ANeuralNetworksModel_getSupportedOperationsForDevices). Most time there: {name}, {own}.{more}",
        ),
        (0, 1.., _) if all.parted == 0 => message(
            "The CPU runs whole executions, a driver the others: they belong to another compilation, or the driver did not accept them. Most time there: {name}, {own}.{more}",
        ),
        _ => message(
            "The runtime planned these parts for the CPU, as no chosen driver supports their operations. Most time there: {name}, {own}: replace it with operations that the driver supports.{more}",
        ),
    };
    let sentence = message(
        "The CPU computes for ⟦{share} of the time⟧ of executions of {model} ({loop}), in {n} of {all}.",
    );
    Finding {
        subject: subject(model),
        severity: Severity::Warning,
        sentence: sentence
            .with("share", percent(part))
            .with_message("model", of.name(model))
            .with_message("loop", of.loop_name(model.steady()))
            .with("n", thousands(sums.with_cpu))
            .with("all", thousands(sums.n)),
        line: line
            .with("failed", thousands(failed))
            .with("name", top)
            .with("own", told(own as f64))
            .with_message("more", more),
        value: part,
        unit: Unit::Share,
        saving: Saving::at_most(all.of(Layer::Cpu) as f64, of.whole(), Unit::Nanos, message("If these operations took no time on a driver. Calls and copies between parts would disappear too and are not counted here.")).of(of.base()),
        evidence: Evidence {
            shown: message("{n} CPU functions, self time").with("n", operations.len()),
            figure: Some(layer_bars(
                operations.iter().take(5).map(|row| (Layer::Cpu, row.0.to_owned(), row.2 as f64)),
                Unit::Nanos,
            )),
            numbers: of_cpu(sums, part, failed),
            how: message("Corrected times: each instant of an execution is attributed to the deepest active layer.{cut}").with_message("cut", cut(model)),
            view: "details".to_owned(),
            address: details("nnapi-fallback", model),
            ..Evidence::default()
        },
        ..ON_CPU.finding()
    }
}

// Partitions.

pub(super) static PARTS: Rule = Rule {
    id: "nnapi-partitions",
    version: 1,
    title: phrase("Partitions"),
    thresholds: &[Threshold {
        name: phrase("share of split executions"),
        value: 0.5,
        unit: Unit::Share,
        source: phrase("our own choice: single parts are repeated after a failure"),
    }],
    look: |input| {
        let of = match runtime(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        let known = |model: &&Model| {
            model.all.of_kind(Kind::Application) < model.all.n
                && !model.all.has_unseen_driver()
                && 0 < model.all.driver_calls + model.all.cpu_steps
        };
        let models: Vec<&Model> = of.models().filter(known).collect();
        if models.is_empty() {
            return Looked::Missing(message(
                "no driver calls or CPU parts marked: record with the categories nnapi, hal and aidl",
            ));
        }
        let n_parted: u64 = models.iter().map(|model| model.all.parted).sum();
        let n: u64 = models.iter().map(|model| model.all.n).sum();
        let over: Vec<&Model> = models
            .into_iter()
            .filter(|model| PARTS.limit(0) <= share(model.all.parted as f64, model.all.n as f64))
            .collect();
        let others = more(over.iter().copied());
        let findings = over.into_iter().take(MOST).map(|model| parted(of, model, others.clone()));
        Looked::found_or(findings.collect(), || {
            message("{n} of {all} executions are split")
                .with("n", thousands(n_parted))
                .with("all", thousands(n))
        })
    },
};

/// Why an execution is in parts, and what to do.
fn split(sums: &Sums, failed: u64) -> Message {
    if 0 < failed {
        message(
            "The CPU repeats parts after a driver failed, {failed} times: the device's log says why.{more}",
        )
        .with("failed", thousands(failed))
    } else if 0 < sums.cpu_steps && 0 < sums.driver_calls {
        message(
            "Operations the driver does not support split the model: data move between driver and CPU at each boundary. Replace them, or move them to the start or the end.{more}",
        )
    } else if 0 < sums.driver_calls {
        message(
            "Several drivers share the model, or control flow splits it: compile it for one device (ANeuralNetworksCompilation_createForDevices) and compare.{more}",
        )
    } else {
        message("All parts run on the CPU: control flow splits the model.{more}")
    }
}

fn parted(of: Of, model: &Model, more: Message) -> Finding {
    let sums = &model.all;
    let n = sums.n.max(1) as f64;
    let parts = (sums.driver_calls + sums.cpu_steps) as f64 / n;
    let calls = sums.driver_calls.max(1) as f64;
    let rest = sums.driver_calls.saturating_sub(sums.with_driver) as f64 / calls;
    let ipc = sums.of(Layer::Ipc) as f64;
    let saving = if 0.0 < rest {
        Saving::about(
            ipc * rest,
            of.whole(),
            Unit::Nanos,
            message(
                "If one call per execution sufficed and call cost were proportional to the number of calls; this is part of the cost of inter-process calls.",
            ),
        ).of(of.base())
    } else {
        Saving::default()
    };
    let line = split(sums, operations(of, model).1);
    Finding {
        subject: subject(model),
        severity: Severity::Note,
        sentence: message("An execution of {model} is split into ⟦{parts} parts⟧ on average: {drivers} driver calls, {cpu} parts on the CPU.")
            .with_message("model", of.name(model))
            .with("parts", fixed(parts, 2))
            .with("drivers", fixed(sums.driver_calls as f64 / n, 2))
            .with("cpu", fixed(sums.cpu_steps as f64 / n, 2)),
        line: line.with_message("more", more),
        value: parts,
        unit: Unit::None,
        saving,
        evidence: Evidence {
            shown: message("{n} executions").with("n", thousands(sums.n)),
            figure: Some(layer_bars(
                [(Layer::Driver, sums.driver_calls), (Layer::Cpu, sums.cpu_steps)]
                    .map(|(layer, n)| (layer, layer.title().to_owned(), n as f64)),
                Unit::Count(phrase("parts").to_owned()),
            )),
            numbers: vec![
                Number::new(phrase("Split executions"), sums.parted as f64, Unit::None).note(percent(share(sums.parted as f64, n))),
                Number::new(phrase("Most parts"), f64::from(sums.most_parts), Unit::None),
                Number::new(phrase("Driver calls"), sums.driver_calls as f64, Unit::None),
                Number::new(phrase("Steps on the CPU"), sums.cpu_steps as f64, Unit::None),
                time(phrase("Inter-process calls"), sums.of(Layer::Ipc)),
            ],
            how: message("A part is an execution in a driver, or an outermost CPU execution (LC PE). The same part, repeated after a failure, counts twice.{cut}").with_message("cut", cut(model)),
            view: "details".to_owned(),
            address: details("nnapi-executions", model),
            ..Evidence::default()
        },
        ..PARTS.finding()
    }
}

// Calls between processes, and copies.

pub(super) static CALLS: Rule = Rule {
    id: "nnapi-ipc",
    version: 1,
    title: phrase("Inter-process calls"),
    thresholds: &[Threshold {
        name: phrase("share of execution time"),
        value: 0.1,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth changing the calls"),
    }],
    look: |input| {
        let of = match clients(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        let none_marked =
            || message("no inter-process calls marked: record with the categories nnapi, hal and aidl");
        if !of.has(Layer::Ipc) {
            return if all_on_cpu(of) { Looked::Nothing(stay(of)) } else { Looked::Missing(none_marked()) };
        }
        if by_share(of, separable).is_empty() {
            let together = largest_unseen(of).map(|(model, part)| {
                let said = message(
                    "IPC and driver take {share} of the time of {model}, not separable: record with the categories nnapi, hal and aidl",
                );
                said.with("share", percent(part)).with_message("model", of.name(model))
            });
            return Looked::Missing(together.unwrap_or_else(none_marked));
        }
        let nothing = || message("inter-process calls take at most {share} of a model's execution time");
        found((&CALLS, of), separable, |model, part, more| calls(of, model, part, more), nothing)
    },
};

/// The time of calls, where it can be told from that of drivers.
fn separable(sums: &Sums) -> Option<Ticks> {
    (!sums.has_unseen_driver() && !sums.is_seen_from_above()).then(|| sums.of(Layer::Ipc))
}

/// The model whose drivers wrote no marks and that takes most time, with the part of its time that the calls take.
fn largest_unseen(of: Of<'_>) -> Option<(&Model, f64)> {
    let unseen = of.models().filter(|model| steady(model).has_unseen_driver());
    let most = unseen.max_by_key(|model| steady(model).time)?;
    Some((most, share(steady(most).of(Layer::Ipc) as f64, steady(most).time as f64)))
}

fn calls(of: Of, model: &Model, part: f64, more: Message) -> Finding {
    let sums = steady(model);
    let ipc = sums.of(Layer::Ipc);
    let bursts = sums.of_kind(Kind::Burst);
    let line = if sums.of_kind(Kind::Application) == sums.n {
        message("Without runtime marks, waiting for a driver that writes none counts here too.{more}")
    } else if bursts < sums.n {
        message(
            "Bursts: {n} of {all} executions. A burst (ANeuralNetworksBurst_create, Android 10) passes requests through shared memory and wakes the driver's thread faster.{more}",
        )
    } else {
        message(
            "All executions are bursts. Fewer parts per execution, or more work in each, need fewer calls.{more}",
        )
    };
    Finding {
        subject: subject(model),
        severity: Severity::Warning,
        sentence: message("Inter-process calls take ⟦{share} of the time⟧ of executions of {model} ({loop}), {mean} each.")
            .with("share", percent(part))
            .with_message("model", of.name(model))
            .with_message("loop", of.loop_name(model.steady()))
            .with("mean", told(ipc as f64 / sums.n.max(1) as f64)),
        line: line
            .with("n", thousands(bursts))
            .with("all", thousands(sums.n))
            .with_message("more", more),
        value: part,
        unit: Unit::Share,
        saving: Saving::at_most(model.all.of(Layer::Ipc) as f64, of.whole(), Unit::Nanos, message("If inter-process calls took no time.")).of(of.base()),
        evidence: Evidence {
            shown: message("mean execution by layer"),
            figure: Some(layers(sums)),
            numbers: vec![
                time(phrase("Inter-process calls"), ipc).note(percent(part)),
                time(phrase("Runtime"), sums.of(Layer::Runtime)),
                time(phrase("Execution time"), sums.time),
                Number::new(phrase("Executions"), sums.n as f64, Unit::None),
                Number::new(phrase("Bursts"), bursts as f64, Unit::None),
            ],
            how: message("Call time in which neither the driver nor the runtime shows any activity: sending, thread wake-up, return. A driver that writes no marks counts here.{cut}").with_message("cut", cut(model)),
            view: "details".to_owned(),
            address: details("nnapi-layers", model),
            ..Evidence::default()
        },
        ..CALLS.finding()
    }
}

pub(super) static COPIES: Rule = Rule {
    id: "nnapi-copies",
    version: 1,
    title: phrase("Inputs and outputs"),
    thresholds: &[Threshold {
        name: phrase("share of execution time"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth changing the memory"),
    }],
    look: |input| {
        let of = match runtime(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        if by_share(of, Sums::copying).is_empty() {
            return below_not_marked();
        }
        let nothing =
            || message("inputs, outputs and results take at most {share} of a model's execution time");
        found((&COPIES, of), Sums::copying, |model, part, more| copies(of, model, part, more), nothing)
    },
};

fn copies(of: Of, model: &Model, part: f64, more: Message) -> Finding {
    let sums = steady(model);
    let both = sums.io + sums.results;
    // Who marks them moves the values.
    let line = if both < 2 * sums.copied_by_app {
        message(
            "The application marks them itself: it moves values in its own code. Let inputs and results stand where the model reads and writes them, in memory that is kept between executions.{more}",
        )
    } else {
        message(
            "The runtime copies values behind pointers into shared memory for each execution, and drivers map it. Memory visible to both sides (ANeuralNetworksMemory_createFromAHardwareBuffer or …FromFd), kept between executions, needs no copy.{more}",
        )
    };
    let mut numbers = vec![
        time(phrase("Inputs and outputs"), sums.io).note(percent(share(sums.io as f64, sums.time as f64))),
        time(phrase("Results"), sums.results).note(percent(share(sums.results as f64, sums.time as f64))),
        time(phrase("Execution time"), sums.time),
        Number::new(phrase("Executions"), sums.n as f64, Unit::None),
    ];
    if 0 < sums.copied_by_app {
        numbers.insert(2, time(phrase("Of it marked by the application"), sums.copied_by_app));
    }
    Finding {
        subject: subject(model),
        severity: Severity::Warning,
        sentence: message("Inputs, outputs and results take ⟦{share} of the time⟧ of executions of {model} ({loop}), {mean} each.")
            .with("share", percent(part))
            .with_message("model", of.name(model))
            .with_message("loop", of.loop_name(model.steady()))
            .with("mean", told(both as f64 / sums.n.max(1) as f64)),
        line: line.with_message("more", more),
        value: part,
        unit: Unit::Share,
        saving: Saving::at_most((model.all.io + model.all.results) as f64, of.whole(), Unit::Nanos, message("If nothing had to be copied.")).of(of.base()),
        evidence: Evidence {
            shown: message("{n} executions").with("n", thousands(sums.n)),
            figure: Some(bars(
                vec![
                    (phrase("Inputs and outputs").to_owned(), sums.io as f64),
                    (phrase("Results").to_owned(), sums.results as f64),
                    (phrase("Compute").to_owned(), (sums.time - both) as f64),
                ],
                Unit::Nanos,
            )),
            numbers,
            how: message("PIO and PR phase scopes inside executions, of any layer; setting inputs before an execution counts as setup.{cut}").with_message("cut", cut(model)),
            view: "details".to_owned(),
            address: details("nnapi-layers", model),
            ..Evidence::default()
        },
        ..COPIES.finding()
    }
}

// Waiting in the driver.

pub(super) static DRIVER: Rule = Rule {
    id: "nnapi-driver-waits",
    version: 1,
    title: phrase("Driver wait time"),
    thresholds: &[Threshold {
        name: phrase("share of driver execution time in which no driver thread runs"),
        value: 0.2,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth a look"),
    }],
    look: |input| {
        let of = match executions(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        if of.nnapi.corrected.drivers.is_empty() {
            let is_seen = all_on_cpu(of) && !of.has(Layer::Ipc) && !of.has(Layer::Driver);
            return if is_seen {
                Looked::Nothing(stay(of))
            } else {
                Looked::Missing(message(
                    "no driver executions marked: record with the categories nnapi, hal and aidl",
                ))
            };
        }
        let mut models: Vec<_> = of.models().filter_map(|model| Some((model, model.driver?))).collect();
        if models.is_empty() {
            return Looked::Missing(message(
                "no driver thread states recorded: record the trace with the category sched",
            ));
        }
        order::sort_by_key(&mut models, |(_, driver)| std::cmp::Reverse(driver.all - driver.running));
        let part = |driver: &DriverTimes| share((driver.all - driver.running) as f64, driver.all as f64);
        let most = models.iter().map(|(_, driver)| part(driver)).fold(0.0, f64::max);
        models.retain(|(_, driver)| DRIVER.limit(0) <= part(driver));
        let others = more(models.iter().map(|(model, _)| *model));
        let findings =
            models.into_iter().take(MOST).map(|(model, _)| waits(input, of, model, others.clone()));
        Looked::found_or(findings.collect(), || {
            message("no thread of the driver runs for at most {share} of its execution time")
                .with("share", percent(most))
        })
    },
};

fn waits(input: &RuleInput, of: Of, model: &Model, more: Message) -> Finding {
    let driver = model.driver.unwrap_or_default();
    let part = share((driver.all - driver.running) as f64, driver.all as f64);
    let runnable = share(driver.runnable as f64, driver.all as f64);
    let saving = if 0 < driver.runnable {
        Saving::at_most(
            driver.runnable as f64,
            of.whole(),
            Unit::Nanos,
            message("If driver threads got a CPU at once. Savings from other waits cannot be quantified."),
        )
        .of(of.base())
    } else {
        Saving::default()
    };
    let line = if driver.waiting() < driver.runnable {
        message(
            "In {runnable} of it, a thread is runnable and waits for a CPU: others run instead. Check its priority and what else runs.{more}",
        )
    } else {
        message(
            "In {runnable} of it, a thread is runnable and waits for a CPU; in the rest the driver waits for its accelerator, for memory or for another execution. The timeline shows who wakes it.{more}",
        )
    };
    let place = stretch(input, of, driver.longest, driver.thread);
    Finding {
        subject: subject(model),
        severity: if driver.waiting() < driver.runnable { Severity::Warning } else { Severity::Note },
        sentence: of.either(message("No thread of the driver runs for ⟦{share} of the time⟧ of its {n} executions."), message(
                "No thread of the driver runs for ⟦{share} of the time⟧ of its {n} executions of {model}.",
            ))
        .with("share", percent(part))
        .with("n", thousands(driver.n))
        .with_message("model", of.name(model)),
        line: line.with("runnable", percent(runnable)).with_message("more", more),
        value: part,
        unit: Unit::Share,
        saving,
        evidence: Evidence {
            shown: message("longest of {n} driver executions").with("n", thousands(driver.n)),
            figure: Some(excerpt(input, driver.longest, &tracks(input))),
            numbers: vec![
                time(phrase("A driver thread runs"), driver.running),
                time(phrase("Runnable, waiting for a CPU"), driver.runnable).note(percent(runnable)),
                time(phrase("None runnable"), driver.waiting()),
                time(phrase("Uninterruptible sleep"), driver.uninterruptible),
                time(phrase("Executions in drivers"), driver.all),
            ],
            how: message(
                "States of all threads of the driver process from start to end of each of its executions. Other executions that it computes meanwhile count as running.",
            ),
            view: "timeline".to_owned(),
            address: place.address(),
            ..Evidence::default()
        },
        ..DRIVER.finding()
    }
}
