//! All threads together: sections 5 and 6, as tables under names.

use super::Raise;
use super::tree::Thread;
use std::collections::BTreeMap;

pub(super) const LAYERS: [&str; 5] = ["LA", "LR", "LI", "LD", "LC"];
const PHASES: [&str; 10] = ["PO", "PI", "PP", "PC", "PE", "PIO", "PTR", "PCO", "PR", "PT"];
const OF_EXECUTION: [&str; 5] = ["PE", "PIO", "PTR", "PCO", "PR"];
const LOOPS: [&str; 2] = ["PWU", "PBM"];
const AROUND: [&str; 8] = [
    "ANeuralNetworksExecution_create",
    "ANeuralNetworksExecution_free",
    "ANeuralNetworksEvent_create",
    "ANeuralNetworksEvent_free",
    "ANeuralNetworksExecution_setInput",
    "ANeuralNetworksExecution_setOutput",
    "ANeuralNetworksExecution_setInputFromMemory",
    "ANeuralNetworksExecution_setOutputFromMemory",
];

/// Layer to ms; NaN is missing.
pub(super) type Line = BTreeMap<&'static str, f64>;
/// `PE`, or `PBM/PE` of a loop, to layers.
pub(super) type Times = BTreeMap<String, Line>;

pub(super) struct Numbers {
    pub(super) counts: BTreeMap<&'static str, usize>,
    pub(super) has_both: bool,
    pub(super) times: Times,
    pub(super) own: Times,
}

fn spans(thread: &Thread, app: &str, function: &str) -> Vec<(f64, f64)> {
    thread.spans.get(&(app.to_owned(), function.to_owned())).cloned().unwrap_or_default()
}

fn runtime(thread: &Thread, app: &str) -> Raise<f64> {
    let starts = spans(thread, app, "ANeuralNetworksExecution_startCompute");
    let waits = spans(thread, app, "ANeuralNetworksEvent_wait");
    let mut sum = 0.0;
    for (i, start) in starts.iter().enumerate() {
        let wait = waits.get(i).ok_or("IndexError: list index out of range")?;
        sum += wait.1 - start.0;
    }
    for function in AROUND {
        for (start, end) in spans(thread, app, function) {
            sum += end - start;
        }
    }
    Ok(sum)
}

fn driver(threads: &[&Thread], app: &str) -> Raise<f64> {
    let starts = |function: &str| -> Vec<f64> {
        let mut all: Vec<f64> =
            threads.iter().flat_map(|t| spans(t, app, function)).map(|span| span.0).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let begins = starts("HIDL::IPreparedModel::execute::server");
    let ends = starts("HIDL::IExecutionCallback::notify::client");
    if begins.len() != ends.len() {
        return Err("AssertionError".to_owned());
    }
    Ok(begins.iter().zip(&ends).fold(0.0, |sum, (begin, end)| sum + (end - begin)))
}

fn missing(value: f64, layer: &str, phase: &str) -> f64 {
    let may_miss = layer == "LA" || (layer == "LD" && OF_EXECUTION[1..].contains(&phase));
    if value == 0.0 && may_miss { f64::NAN } else { value }
}

fn zero(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

pub(super) fn numbers(threads: &[&Thread]) -> Raise<Numbers> {
    let count = |app: &str| {
        let of = |t: &&Thread| match spans(t, app, AROUND[0]).len() {
            0 => t.own.get(app).copied().unwrap_or(0),
            n => n,
        };
        threads.iter().map(of).max().unwrap_or(0)
    };
    let counts: BTreeMap<&'static str, usize> = ["PO", "PWU", "PBM"].map(|app| (app, count(app))).into();
    let has_both = LOOPS.iter().all(|app| 0 < counts[app]);
    let apps = if has_both { &["PO", "PWU", "PBM"][..] } else { &["PO"][..] };
    let mut times = Times::new();
    for layer in LAYERS {
        for phase in PHASES {
            let mut sum = 0.0;
            for app in apps {
                let mut part = 0.0;
                match (layer, phase) {
                    ("LD", "PE") => part = driver(threads, app)?,
                    ("LR", "PE") => {
                        for thread in threads {
                            part += runtime(thread, app)?;
                        }
                    }
                    _ => threads.iter().for_each(|t| part += t.sum(&format!("{app}_{layer}_{phase}"))),
                }
                if *app != "PO" && OF_EXECUTION.contains(&phase) {
                    let line = times.entry(format!("{app}/{phase}")).or_default();
                    line.insert(layer, missing(part, layer, phase));
                }
                sum += part;
            }
            times.entry(phase.to_owned()).or_default().insert(layer, missing(sum, layer, phase));
        }
        if times["PO"][layer] == 0.0 {
            let mut sum = 0.0;
            for phase in ["PI", "PP", "PC", "PE", "PT"] {
                sum += zero(times[phase][layer]);
            }
            times.get_mut("PO").unwrap().insert(layer, sum);
        }
    }
    for line in times.values_mut() {
        let all: Vec<f64> = LAYERS.iter().map(|layer| zero(line[layer])).collect();
        line.insert("LT", all.iter().skip(1).fold(all[0], |most, x| if *x > most { *x } else { most }));
    }
    if LOOPS.iter().any(|app| 0 < counts[app]) && !has_both {
        return Err("KeyError: 'PWU'".to_owned());
    }
    let is_idle = times["PE"]["LD"] == 0.0;
    let own = times.iter().map(|(name, line)| (name.clone(), own(line, name == "PO" && is_idle))).collect();
    Ok(Numbers { counts, has_both, times, own })
}

fn own(line: &Line, is_driver_idle: bool) -> Line {
    let mut own = line.clone();
    let mut below = 0.0;
    for layer in LAYERS.iter().rev() {
        let total = line[layer];
        let value = match *layer {
            _ if total.is_nan() => f64::NAN,
            _ if total == 0.0 => 0.0,
            "LD" if is_driver_idle => total,
            "LI" if is_driver_idle => total - line["LD"],
            _ => {
                let own = total - below;
                below = total;
                own
            }
        };
        own.insert(layer, value);
    }
    own
}
