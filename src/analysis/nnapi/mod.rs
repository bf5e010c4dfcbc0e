//! NNAPI: what marks of the contract between code and parser mean.
//!
//! `aosp` computes what the systrace parser of AOSP computes, with its mistakes; `corrected` computes what is right, of any
//! trace; `figures` shows both.

pub mod aosp;
pub mod corrected;
pub mod figures;

use crate::base::words::{fill, phrase};
use crate::model::Trace;
use crate::model::build::TraceBuilder;
use crate::model::mark::{Layer, Phase, Refusal, label};
use corrected::{Corrected, Difference, Run};

/// What was computed of the marks of a trace.
pub struct Nnapi {
    /// The right numbers.
    pub corrected: Corrected,
    /// What the AOSP parser has of each run that it gets through.
    runs: Vec<AospRun>,
    /// Where and why the AOSP parser ends before the end.
    pub stop: Option<aosp::Stop>,
}

/// What the AOSP parser has of a run, without its trees.
struct AospRun {
    /// Row of `Marks` of its `[NN_LA_PO]`.
    row: Option<u32>,
    /// `None` when it says that the run is incomplete.
    statistics: Option<aosp::Statistics>,
}

impl Nnapi {
    /// Computes everything; `None` for a trace without marks. About linear in the rows.
    pub fn of(trace: &Trace) -> Option<Self> {
        if trace.marks.is_empty() {
            return None;
        }
        let outcome = aosp::parse(&trace.marks, &trace.strings);
        let runs = outcome.runs.into_iter();
        let runs = runs.map(|run| AospRun { row: run.starting_mark, statistics: run.statistics }).collect();
        Some(Self { corrected: Corrected::of(trace), runs, stop: outcome.stop })
    }

    /// The name of a run: what its `[NN_LA_PO]` says; empty without one.
    pub fn name_of<'a>(&self, trace: &'a Trace, run: &Run) -> &'a str {
        let text = run.row.and_then(|row| trace.marks.text.get(row as usize));
        text.map_or("", |text| label(trace.strings.get(*text)).name)
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
    pub fn aosp_words(&self, run: &Run) -> Vec<String> {
        let theirs = self.aosp_run(run);
        if theirs.is_some_and(|theirs| theirs.statistics.is_some()) {
            return Vec::new();
        }
        if theirs.is_some() {
            return vec![
                phrase(
                    "The AOSP parser says of this run: Incomplete trace, not able to print all statistics.",
                )
                .to_owned(),
            ];
        }
        self.stop.iter().map(stop_words).collect()
    }

    /// Why the AOSP parser has another number in a cell, in English sentences, each with what it is filled with.
    pub fn reasons(&self, run: &Run, layer: Layer, phase: Phase) -> Vec<String> {
        let about = run.differences.iter().filter(|d| d.cell.is_none_or(|cell| cell == (layer, phase)));
        about.map(reason).collect()
    }

    /// Application phases, executions and driver executions as rows of the timeline, in front of the threads.
    pub fn add_bands(&self, builder: &mut TraceBuilder) {
        corrected::add_tracks(builder, &self.corrected);
    }
}

/// What a difference is, with its number, in an English sentence.
pub fn reason(difference: &Difference) -> String {
    fill(difference.cause.sentence(), &[("n", &difference.n.to_string())])
}

/// Where the AOSP parser ends, in an English sentence.
fn stop_words(stop: &aosp::Stop) -> String {
    let Refusal { line, .. } = stop.refusal;
    let words = first_line(&stop.refusal.words());
    if line == 0 {
        fill(phrase("The AOSP parser stops here: {error}"), &[("error", &words)])
    } else {
        fill(
            phrase("The AOSP parser stops at line {line}: {error}"),
            &[("line", &line.to_string()), ("error", &words)],
        )
    }
}

/// The first line of a message; lists of nodes are long.
pub fn first_line(words: &str) -> String {
    let mut lines = words.lines();
    let first = lines.next().unwrap_or("");
    if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
}
