//! NNAPI: what marks of the contract between code and parser mean.
//!
//! `aosp` computes what the systrace parser of AOSP computes, with its mistakes; `corrected` computes what is right, of any
//! trace; `figures` shows both, `rules` say what limits executions.

pub mod aosp;
pub mod arena;
pub mod corrected;
pub mod driver_times;
pub mod export;
pub mod facts;
pub mod figures;
pub mod lesson;
pub mod mark;
pub mod rules;

use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::analysis::timeline::search::SearchPrefix;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::{Job, Turn};
use crate::base::words::{Message, message, phrase};
use crate::draw::colors::{Paint, filled};
use crate::draw::{ColorScheme, Legend};
use crate::model::Trace;
use crate::scene::SpanStyle;
use crate::scene::palette::Ink;
use aosp::StopAt;
use corrected::{Corrected, Difference, Run};
use mark::{Layer, Marks, Part, Phase, Tint, label};

/// What marks mean: bands on the timeline, figures, and where the AOSP parser stops.
pub static ANALYSIS: Analysis = Analysis {
    id: "nnapi",
    title: phrase("NNAPI"),
    parameters: &[],
    applies: |trace| !Marks::of(trace).is_empty(),
    tap: None,
    start: Some(|_, trace| Job::any(async move |turn| compute(&trace, &turn).await)),
    add_tracks: Some(|result, builder| {
        if let Some(nnapi) = result.downcast_ref::<Nnapi>() {
            corrected::add_tracks(builder, &nnapi.corrected);
        }
    }),
    faults: Some(find_faults),
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// What was computed of the marks of a trace.
pub struct Nnapi {
    /// The right numbers.
    pub corrected: Corrected,
    /// What the AOSP parser has of each run that it gets through.
    runs: Vec<AospRun>,
    /// What rules look at.
    pub facts: facts::Facts,
    /// Where and why the AOSP parser ends before the end.
    pub stop: Option<aosp::Stop>,
    /// Rows that were asked for and that there are not: never, unless this program is wrong.
    n_missed: u64,
}

/// What the AOSP parser has of a run, without its trees.
struct AospRun {
    /// Row of `Marks` of its `[NN_LA_PO]`.
    row: Option<u32>,
    /// `None` when it says that the run is incomplete.
    statistics: Option<aosp::Statistics>,
}

async fn compute(trace: &Trace, turn: &Turn) -> Nnapi {
    let parsed = aosp::parse_in_turns(Marks::of(trace), &trace.strings, turn).await;
    let runs = parsed.runs.into_iter();
    let runs = runs.map(|run| AospRun { row: run.starting_mark, statistics: run.statistics }).collect();
    let corrected = Corrected::in_turns(trace, turn).await;
    let facts = facts::Facts::of(trace, &corrected, turn).await;
    Nnapi { corrected, runs, facts, stop: parsed.stop, n_missed: arena::missed() }
}

impl Nnapi {
    /// The name of a run: what its `[NN_LA_PO]` says; empty without one.
    pub fn name_of<'a>(&self, trace: &'a Trace, run: &Run) -> &'a str {
        name_of(trace, run)
    }

    fn aosp_run(&self, run: &Run) -> Option<&AospRun> {
        // Without a mark at the begin of the first run both have it as the first.
        let is_same = |theirs: &&AospRun| theirs.row == run.row;
        self.runs.iter().find(is_same).or_else(|| self.runs.first().filter(|_| run.row.is_none()))
    }

    /// What the AOSP parser computes of a run; `None` when it prints nothing of it.
    pub fn aosp_of(&self, run: &Run) -> Option<&aosp::Statistics> {
        self.aosp_run(run)?.statistics.as_ref()
    }

    /// What the AOSP parser says of a run, in English sentences.
    pub fn aosp_words(&self, run: &Run) -> Vec<Message> {
        let theirs = self.aosp_run(run);
        if theirs.is_some_and(|theirs| theirs.statistics.is_some()) {
            return Vec::new();
        }
        if theirs.is_some() {
            return vec![message(
                "AOSP parser output for this run: Incomplete trace, not able to print all statistics.",
            )];
        }
        self.stop.iter().map(stop_words).collect()
    }

    /// Why the AOSP parser has another number in a cell, each reason with how many it concerns.
    pub fn reasons(&self, run: &Run, layer: Layer, phase: Phase) -> Vec<Message> {
        // What is counted in a deeper layer is subtracted from this one by the parser.
        let is_below = |other: Layer| layer.place() <= other.place();
        let is_in = |other: Phase| {
            let is_part = phase == Phase::Execution && other.is_part_of_execution();
            phase == other || phase == Phase::Overall || is_part
        };
        let is_about = |d: &&Difference| match d.cell {
            // Where a driver is not seen, its work is the CPU's.
            Some((Layer::Driver, other)) if d.cause == corrected::Cause::UnseenDriver => is_in(other),
            Some((of, other)) => is_below(of) && is_in(other),
            // The total is no layer.
            None => d.cause != corrected::Cause::LargestLayer,
        };
        // Those of two loops are one.
        let mut about: Vec<Difference> = Vec::new();
        for d in run.differences.iter().filter(is_about) {
            match about.iter_mut().find(|of| (of.cause, of.cell) == (d.cause, d.cell)) {
                Some(of) => of.n += d.n,
                None => about.push(*d),
            }
        }
        let said = |d: Difference| {
            let said = match d.cell {
                Some((of, other)) if (of, other) != (layer, phase) => {
                    let said = message("{layer}, {phase}: {reason} ({n})");
                    said.with_message("layer", of.title()).with_message("phase", other.title())
                }
                _ => message("{reason} ({n})"),
            };
            said.with_message("reason", d.cause.sentence()).with("n", d.n)
        };
        about.into_iter().map(said).collect()
    }
}

/// What the `[NN_LA_PO]` of a run says; empty without one.
fn name_of<'a>(trace: &'a Trace, run: &Run) -> &'a str {
    let text = run.row.and_then(|row| Marks::of(trace).text.get(row as usize));
    text.map_or("", |text| label(trace.strings.get(*text)).name)
}

/// Where the AOSP parser ends, whether the runtime wrote marks, and whether the numbers can be trusted.
fn find_faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let marks = Marks::of(input.trace);
    let fault = |code, place, expected: &'static str, found: String, note: &'static str| {
        let kind = Kind::Unexpected { expected: expected.into(), found: found.into() };
        (marks.entry, Fault::new(code, Severity::Note, place, kind).note(note))
    };
    let stop = input.result::<Nnapi>().and_then(|nnapi| nnapi.stop.as_ref()).map(|stop| {
        let words: String = first_line(&stop.refusal.words()).chars().take(200).collect();
        let note = phrase("The AOSP parser stops here; all readable data is shown.");
        let expected = phrase("marks accepted by the AOSP parser");
        fault("SYS-AOSP-STOPS", place_of(stop, marks), expected, words, note)
    });
    let runtime = (!marks.has_runtime).then(|| {
        let note = phrase("Record the trace with the nnapi category.");
        let expected = phrase("NNAPI runtime marks");
        fault("SYS-NO-RUNTIME", Place::default(), expected, "none".to_owned(), note)
    });
    let n_missed = input.result::<Nnapi>().map_or(0, |nnapi| nnapi.n_missed);
    let missed = (0 < n_missed).then(|| {
        let note = phrase("This is a bug in Lanescope: NNAPI figures may be wrong. Please report it.");
        let expected = phrase("rows that exist");
        let (entry, fault) = fault("SYS-MISSED-ROWS", Place::default(), expected, n_missed.to_string(), note);
        (entry, Fault { severity: Severity::Loss, ..fault })
    });
    stop.into_iter().chain(runtime).chain(missed).collect()
}

/// The row that the AOSP parser ends at, as far as one is to blame.
fn place_of(stop: &aosp::Stop, marks: &Marks) -> Place {
    let mut place = Place::default();
    let mut line = stop.refusal.line;
    if let StopAt::Row(row) | StopAt::Thread(row) = stop.at {
        place.byte = marks.start.get(row as usize).copied();
        line = marks.line.get(row as usize).copied().unwrap_or(0);
    }
    if line == 0 { place } else { place.line(line, 1) }
}

/// Where the AOSP parser ends.
fn stop_words(stop: &aosp::Stop) -> Message {
    let words = first_line(&stop.refusal.words());
    match stop.refusal.line {
        0 => message("The AOSP parser stops here: {error}").with("error", words),
        line => {
            message("The AOSP parser stops at line {line}: {error}").with("line", line).with("error", words)
        }
    }
}

/// The first line of a message; lists of nodes are long.
pub fn first_line(words: &str) -> String {
    let mut lines = words.lines();
    let first = lines.next().unwrap_or("");
    if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
}

// The color scheme of layers: one color each, shaded by phase; hatched where time is taken from what is around, thin where
// a scope only details it. And the search for scopes by layer and phase.

/// The scheme.
pub static LAYERS: ColorScheme = ColorScheme {
    id: "layer",
    title: phrase("Layer"),
    page_title: None,
    applies: |trace| trace.coloring.best == LAYERS.id,
    paint: |_, color| paint(color),
    legend: Some(legend),
    of_key: None,
};

/// By the layer and phase of a color name; slices of nothing that has layers are gray.
fn paint(color: &str) -> Paint {
    let Some(tint) = Tint::of(color) else { return filled(Ink::Shade("nn-other", 60)) };
    let look = if tint.part == Part::Subtracted { SpanStyle::Hatched } else { SpanStyle::Plain };
    let is_thin = tint.part == Part::Detail;
    Paint { look, is_thin, ..filled(Ink::Shade(tint.layer.token(), tint.phase.shade())) }
}

/// The layers among color names, from the top down.
fn legend(colors: &mut dyn Iterator<Item = &str>) -> Legend {
    let used: Vec<Layer> = colors.filter_map(|color| Some(Tint::of(color)?.layer)).collect();
    let all = Layer::REPORTED.into_iter().filter(|layer| used.contains(layer));
    all.map(|layer| (Ink::Token(layer.token()), layer.title())).collect()
}

/// In front of a layer and a phase: `scope:LR PE`; with a star behind an execution its parts are found too.
pub static SCOPES: SearchPrefix = SearchPrefix { prefix: "scope:", color_names };

/// The color names of the scopes that a text names.
fn color_names(text: &str) -> Vec<String> {
    let (name, has_parts) = text.strip_suffix('*').map_or((text, false), |name| (name, true));
    let Some(tint) = Tint::of(name.trim()) else { return vec![name.trim().to_owned()] };
    let parts = Phase::ALL.into_iter().filter(|phase| has_parts && phase.is_part_of_execution());
    std::iter::once(tint.phase).chain(parts).map(|phase| Tint { phase, ..tint }.name()).collect()
}
