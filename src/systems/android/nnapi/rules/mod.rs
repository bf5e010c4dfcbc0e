//! What limits executions of NNAPI: who computes, what calls cost, what lies between executions.
//!
//! Times are the corrected ones. The whole, of which all savings are parts, is the time of the threads that call, each from
//! its first to its last mark in each run; where only drivers wrote marks, the time from their first to their last one.
//! Shares of layers are those of one network's executions in the loop that counts, so that no warm-up and no other network is
//! among them.

mod around;
mod executing;
mod layers;
mod summary;

use super::facts::{Facts, Model, Sums};
use super::mark::{Layer, Marks};
use super::{ANALYSIS, Nnapi};
use crate::analysis::finding::Number;
use crate::base::number::{thousands, with_unit};
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Guide, Looked, RuleInput};
use crate::model::figure::{Bar, BarRole, Bars, Body, Figure};
use crate::model::id::TrackId;
use crate::systems::android::startup;

/// What the system says.
pub(in crate::systems::android) static GUIDE: Guide = Guide {
    rules: &[
        &layers::LAYER,
        &executing::ON_CPU,
        &executing::PARTS,
        &executing::CALLS,
        &executing::COPIES,
        &executing::DRIVER,
        &around::COMPILATION,
        &around::COMPILING,
        &around::FIRST,
        &around::GAPS,
        &startup::LAUNCHES,
    ],
    summary: |input| summary::summary(input).or_else(|| startup::summary(input)),
    advises: false,
};

/// Most findings of a rule.
const MOST: usize = 3;

/// What rules look at.
#[derive(Clone, Copy)]
struct Of<'a> {
    nnapi: &'a Nnapi,
    facts: &'a Facts,
    marks: &'a Marks,
}

fn of<'a>(input: &RuleInput<'a>) -> Option<Of<'a>> {
    let nnapi = input.result::<Nnapi>(&ANALYSIS)?;
    Some(Of { nnapi, facts: &nnapi.facts, marks: Marks::of(input.trace) })
}

impl<'a> Of<'a> {
    /// Those of which an execution begins and ends in the trace.
    fn models(self) -> impl Iterator<Item = &'a Model> {
        self.facts.models.iter().filter(|model| 0 < model.all.n)
    }

    fn whole(self) -> f64 {
        self.facts.whole as f64
    }

    /// Whether only drivers wrote marks, whose executions these are.
    fn is_of_drivers(self) -> bool {
        self.facts.is_of_drivers
    }

    /// The first where only drivers wrote marks.
    fn either(self, of_drivers: Message, of_clients: Message) -> Message {
        if self.is_of_drivers() { of_drivers } else { of_clients }
    }

    /// What savings are shares of, a phrase.
    fn base(self) -> &'static str {
        if self.is_of_drivers() {
            phrase("{share} of the driver's time")
        } else {
            phrase("{share} of the callers' time")
        }
    }

    /// What a loop is called; executions of drivers are in none that is known.
    fn loop_name(self, app: super::corrected::App) -> &'static str {
        if self.is_of_drivers() { phrase("Driver executions") } else { loop_name(app) }
    }

    /// The network of a model, with the application where that is needed to tell it from others.
    fn name(self, model: &Model) -> Message {
        let has_apps = self.facts.models.iter().any(|other| other.app != model.app);
        match (model.network.as_str(), model.app.as_str()) {
            ("", _) if self.is_of_drivers() && !has_apps => message("the driver"),
            ("", app) if self.is_of_drivers() => message("the driver {app}").with("app", app),
            ("", "") => message("the application"),
            ("", app) => app.to_owned().into(),
            (network, app) if has_apps && !app.is_empty() => {
                message("{network} of {app}").with("network", network).with("app", app)
            }
            (network, _) => network.to_owned().into(),
        }
    }

    /// Whether a layer is seen to do anything.
    fn has(self, layer: Layer) -> bool {
        let runs = &self.nnapi.corrected.runs;
        runs.iter().any(|run| run.matrix.has(layer))
    }
}

/// What tells findings about models apart, the same in another trace.
fn subject(model: &Model) -> String {
    format!("{} {}", model.network, model.app).trim().to_owned()
}

/// What rules look at, where executions are seen whole.
fn executions<'a>(input: &RuleInput<'a>) -> Result<Of<'a>, Looked> {
    let of = of(input).ok_or(Looked::NotHere)?;
    if of.models().next().is_none() {
        return Err(Looked::Missing(message("no execution starts and ends in the trace")));
    }
    Ok(of)
}

/// The same where the runtime wrote marks.
fn runtime<'a>(input: &RuleInput<'a>) -> Result<Of<'a>, Looked> {
    let of = executions(input)?;
    if !of.marks.has_runtime {
        return Err(Looked::Missing(message(
            "no runtime marks: record the trace with the category nnapi (Android 9 or later)",
        )));
    }
    Ok(of)
}

/// What is said where only the runtime wrote marks: who computes meanwhile is not known.
fn below_not_marked() -> Looked {
    Looked::Missing(message(
        "nothing below the runtime is marked: record with the categories nnapi, hal and aidl",
    ))
}

/// Whether the CPU has a part in every execution.
fn all_on_cpu(of: Of) -> bool {
    of.marks.has_runtime && of.models().all(|model| model.all.with_cpu == model.all.n)
}

/// What is said where it has.
fn stay(of: Of) -> Message {
    let n: u64 = of.models().map(|model| model.all.n).sum();
    message("all {n} executions ran within the app's process").with("n", thousands(n))
}

/// The same where not only drivers wrote marks.
fn clients<'a>(input: &RuleInput<'a>) -> Result<Of<'a>, Looked> {
    let of = executions(input)?;
    if of.is_of_drivers() {
        return Err(Looked::Missing(message(
            "only the driver wrote marks: record the trace with the categories nnapi, hal and aidl",
        )));
    }
    Ok(of)
}

/// A time as a person reads it.
fn told(nanos: f64) -> String {
    with_unit(nanos.round(), &Unit::Nanos)
}

/// A time with its name.
fn time(name: &'static str, nanos: Ticks) -> Number {
    Number::new(name, nanos as f64, Unit::Nanos)
}

/// What is said of those that count nowhere.
fn cut(model: &Model) -> Message {
    if model.n_cut == 0 {
        return Message::default();
    }
    message(" {n} executions have no end in the trace and are not counted.").with("n", thousands(model.n_cut))
}

/// What is said of findings that are not shown.
fn more<'a>(models: impl Iterator<Item = &'a Model>) -> Message {
    crate::findings::more(MOST, models.map(subject))
}

/// Bars of values in one unit.
fn bars(rows: Vec<(String, f64)>, unit: Unit) -> Figure {
    bars_of(rows.into_iter().map(|(name, value)| (name, value, BarRole::Work)), unit)
}

/// The same of layers, or of what belongs to one, in the colors that layers have everywhere.
fn layer_bars(rows: impl IntoIterator<Item = (Layer, String, f64)>, unit: Unit) -> Figure {
    bars_of(rows.into_iter().map(|(layer, name, value)| (name, value, BarRole::Colored(layer.color()))), unit)
}

fn bars_of(rows: impl Iterator<Item = (String, f64, BarRole)>, unit: Unit) -> Figure {
    let bar = |(name, value, role): (String, f64, BarRole)| Bar {
        name,
        values: vec![Some(value)],
        role,
        detail: String::new(),
    };
    Figure::new("", Body::Bars(Bars { unit, bars: rows.map(bar).collect(), ..Bars::default() }))
}

/// Mean time of an execution by layer.
fn layers(sums: &Sums) -> Figure {
    let n = sums.n.max(1) as f64;
    let used = Layer::REPORTED.into_iter().filter(|layer| 0 < sums.of(*layer));
    layer_bars(
        used.map(|layer| (layer, sums.title(layer).to_owned(), sums.of(layer) as f64 / n)),
        Unit::Nanos,
    )
}

/// The tracks of executions and of those in drivers.
fn tracks(input: &RuleInput) -> Vec<TrackId> {
    let trace = input.trace;
    let is_band = |name: &str| name == "Executions" || name == "Driver executions";
    let group =
        |id: Option<TrackId>| id.and_then(|id| trace.tracks.find(id)).map(|of| trace.strings.get(of.name));
    let bands = trace
        .tracks
        .iter()
        .filter(|(_, track)| is_band(trace.strings.get(track.name)) && group(track.parent) == Some("NNAPI"));
    bands.map(|(id, _)| id).collect()
}

/// A stretch of time of a thread on the timeline.
fn stretch(input: &RuleInput, of: Of, span: Span, thread: u32) -> Place {
    let track = of.marks.threads.get(thread as usize).and_then(|thread| thread.track);
    let span = track.map_or(span, |track| span.shifted(input.derived.timeline.shift_of(track)));
    let place = Place::view("timeline").around(span).range(span);
    track.map_or(place.clone(), |track| place.tracks(input.trace, &[track]))
}

/// A figure of Details, of the run that has most of a model's time.
fn details(id: &str, model: &Model) -> String {
    Place::view("details").figure(id, &[model.run as usize]).address()
}

/// What a loop is called.
fn loop_name(app: super::corrected::App) -> &'static str {
    use super::corrected::App;
    match app {
        App::Overall => phrase("Outside loops"),
        App::Warmup => phrase("Warmup"),
        App::Benchmark => phrase("Benchmark"),
    }
}
