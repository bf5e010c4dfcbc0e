//! What an analysis is: something computed of a trace, with parameters that the user may set.
//!
//! ```text
//! Analysis ── applies? ──▶ start ──▶ Job: piece, piece … ──▶ result ──▶ figures, tracks, faults
//!     └ parameters: the same for page, address, command line, exports and requests
//! ```
//! The result is kept under the id of the analysis and the values of its parameters; a figure is computed when somebody asks
//! for it. Setting a parameter drops what depends on it.

use super::timeline::Timeline;
use crate::base::fault::Fault;
use crate::base::job::Job;
use crate::model::Trace;
use crate::model::build::{Tap, TraceBuilder};
use crate::model::figure::{Advice, Choice, Family, Figure};
use crate::model::parameter::{AnalysisHead, Parameter, Values};
use std::any::Any;
use std::rc::Rc;

/// Makes a listener for these values of parameters.
pub type MakeTap = fn(&Values) -> Box<dyn Tap>;
/// Begins to compute a result, about 10 ms between two pauses. The trace is that of the input, for the job to hold.
pub type StartJob = fn(&AnalysisInput, Rc<Trace>) -> Job<Box<dyn Any>>;
/// Faults, each with the number of the entry it is about.
pub type FindFaults = fn(&AnalysisInput) -> Vec<(u32, Fault)>;
/// Ids of figures, each with a sentence on it.
pub type FindAdvice = fn(&AnalysisInput) -> Vec<(&'static str, Advice)>;

/// One thing that is computed of a trace.
pub struct Analysis {
    pub id: &'static str,
    pub title: &'static str,
    /// What the user may set.
    pub parameters: &'static [&'static Parameter],
    /// Whether the trace holds what it is computed of. Costs little: it is asked often.
    pub applies: fn(&Trace) -> bool,
    /// Listens to rows while files are read, for inputs too big to keep; its result is handed to `start`.
    pub tap: Option<MakeTap>,
    /// Begins to compute the result; `None` for analyses whose figures need nothing but the trace.
    pub start: Option<StartJob>,
    /// Adds tracks of the result to the trace. Such an analysis runs before the rows are sorted, and its parameters reread
    /// the file.
    pub add_tracks: Option<fn(&dyn Any, &mut TraceBuilder)>,
    /// What is wrong with the files as far as the result tells, each with the number of the entry it is about.
    pub faults: Option<FindFaults>,
    /// The figures of this document, in the order they are shown; none before everything is loaded. Costs little.
    pub figures: fn(&AnalysisInput) -> Vec<ComputedFigure>,
    /// What can be concluded before any figure is asked for: ids of figures with a sentence on each, most costly first.
    /// Costs little; none before everything is loaded.
    pub advice: Option<FindAdvice>,
    /// Whether its figures are joined when two documents are compared as a whole.
    pub is_comparable: bool,
}

impl Analysis {
    /// What the page knows of it.
    pub fn head(&self, trace: &Trace, values: &Values, is_running: bool) -> AnalysisHead {
        AnalysisHead {
            id: self.id.to_owned(),
            title: self.title.to_owned(),
            is_running,
            parameters: self.parameters.iter().map(|parameter| parameter.head(trace, values)).collect(),
        }
    }
}

/// What an analysis may look at.
#[derive(Clone, Copy)]
pub struct AnalysisInput<'a> {
    pub trace: &'a Trace,
    /// Its lanes and names.
    pub timeline: &'a Timeline,
    pub values: &'a Values,
    /// What the tap of the analysis collected while reading.
    pub collected: Option<&'a dyn Tap>,
    /// The result of the analysis itself; `None` before it is computed.
    pub result: Option<&'a dyn Any>,
}

impl<'a> AnalysisInput<'a> {
    /// The result as what it is.
    pub fn result<T: Any>(&self) -> Option<&'a T> {
        self.result?.downcast_ref()
    }

    /// What the tap collected, as what it is.
    pub fn collected<T: Tap>(&self) -> Option<&'a T> {
        (self.collected? as &dyn Any).downcast_ref()
    }
}

// Figures that no file holds: computed of a trace when somebody asks for them.

/// What is known of a figure before it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureHead {
    /// Stable id, unique in the document.
    pub id: String,
    /// The panel it stands in.
    pub section: &'static str,
    pub title: String,
    /// Kind of its body, such as `table`.
    pub kind: &'static str,
    /// How many of the page's three columns it takes.
    pub columns: u8,
    /// What can be chosen of it in this document; empty when there is one variant.
    pub choices: Vec<Choice>,
}

/// One figure that can be computed.
pub struct ComputedFigure {
    pub head: FigureHead,
    /// Computes the variant of these options, one for each choice and none out of range. What the function has to know
    /// beyond them is the id of the figure.
    pub compute: fn(&AnalysisInput, &str, &[usize]) -> Figure,
}

impl ComputedFigure {
    /// A figure with one variant: its id, panel and title, its kind and how many columns it takes, what computes it.
    pub fn new(
        (id, section, title): (impl Into<String>, &'static str, impl Into<String>),
        (kind, columns): (&'static str, u8),
        compute: fn(&AnalysisInput, &str, &[usize]) -> Figure,
    ) -> Self {
        let (id, title) = (id.into(), title.into());
        Self { head: FigureHead { id, section, title, kind, columns, choices: Vec::new() }, compute }
    }

    /// The same with variants.
    #[must_use]
    pub fn choosing(mut self, choices: Vec<Choice>) -> Self {
        self.head.choices = choices;
        self
    }

    /// Computes the variant of these options; those out of range are taken as the first.
    pub fn figure(&self, input: &AnalysisInput, chosen: &[usize]) -> Figure {
        let mut figure = (self.compute)(input, &self.head.id, &self.in_range(chosen));
        self.head.title.clone_into(&mut figure.title);
        figure
    }

    /// Options, one for each choice and none out of range.
    pub fn in_range(&self, chosen: &[usize]) -> Vec<usize> {
        let option = |(i, choice): (usize, &Choice)| {
            chosen.get(i).copied().filter(|&o| o < choice.options.len()).unwrap_or(0)
        };
        self.head.choices.iter().enumerate().map(option).collect()
    }

    /// Computes all variants, for exports of everything.
    pub fn family(&self, input: &AnalysisInput) -> Family {
        let choices = &self.head.choices;
        let n: usize = choices.iter().map(|c| c.options.len()).product();
        Family {
            id: self.head.id.clone(),
            section: self.head.section.to_owned(),
            title: self.head.title.clone(),
            variants: (0..n).map(|at| self.figure(input, &options(choices, at))).collect(),
            choices: choices.clone(),
        }
    }
}

/// The option numbers of variant `at`: the last choice turns fastest.
fn options(choices: &[Choice], mut at: usize) -> Vec<usize> {
    let mut chosen = vec![0; choices.len()];
    for (option, choice) in chosen.iter_mut().zip(choices).rev() {
        let n = choice.options.len().max(1);
        (*option, at) = (at % n, at / n);
    }
    chosen
}

// What analyses have computed so far: results by the values of their parameters, and the figures that were asked for last.

/// Figures that are kept; the one that was asked for longest ago goes first.
const FIGURES: usize = 48;
/// Results of an analysis that are kept for other values than those of now.
const RESULTS: usize = 4;

/// Results and figures of one document.
#[derive(Default)]
pub struct Results {
    rows: Vec<ResultRow>,
    figures: Vec<FigureRow>,
    collected: Vec<(&'static str, Box<dyn Tap>)>,
}

struct ResultRow {
    analysis: &'static str,
    values: Values,
    result: Box<dyn Any>,
}

struct FigureRow {
    id: String,
    chosen: Vec<usize>,
    values: Values,
    figure: Figure,
}

impl Analysis {
    /// Those of the values that this analysis depends on.
    pub fn own_values(&self, values: &Values) -> Values {
        values.of(self.parameters.iter().map(|parameter| parameter.id))
    }
}

impl Results {
    /// Keeps a result.
    pub fn insert(&mut self, analysis: &Analysis, values: &Values, result: Box<dyn Any>) {
        let values = analysis.own_values(values);
        self.rows.retain(|row| row.analysis != analysis.id || row.values != values);
        self.rows.push(ResultRow { analysis: analysis.id, values, result });
        let of_analysis = self.rows.iter().filter(|row| row.analysis == analysis.id).count();
        if RESULTS < of_analysis
            && let Some(oldest) = self.rows.iter().position(|row| row.analysis == analysis.id)
        {
            self.rows.remove(oldest);
        }
    }

    /// Keeps what taps collected while files were read.
    pub fn collect(&mut self, taps: Vec<(&'static str, Box<dyn Tap>)>) {
        self.collected = taps;
    }

    /// Whether the result of an analysis is known for these values; analyses without a result always are.
    pub fn has(&self, analysis: &Analysis, values: &Values) -> bool {
        analysis.start.is_none() || self.result(analysis, values).is_some()
    }

    fn result(&self, analysis: &Analysis, values: &Values) -> Option<&dyn Any> {
        let values = analysis.own_values(values);
        let row = self.rows.iter().find(|row| row.analysis == analysis.id && row.values == values);
        row.map(|row| &*row.result)
    }

    /// The result of a type and the analysis that has it: for these values, or the last one while it is computed anew.
    pub fn newest<T: Any>(
        &self,
        analyses: &[&'static Analysis],
        values: &Values,
    ) -> Option<(&'static Analysis, &T)> {
        let of = |analysis: &&'static Analysis| {
            let last =
                || self.rows.iter().rev().find(|row| row.analysis == analysis.id).map(|row| &*row.result);
            Some((*analysis, self.result(analysis, values).or_else(last)?.downcast_ref()?))
        };
        analyses.iter().find_map(of)
    }

    /// What an analysis may look at.
    pub fn input<'a>(
        &'a self,
        analysis: &Analysis,
        trace: &'a Trace,
        timeline: &'a Timeline,
        values: &'a Values,
    ) -> AnalysisInput<'a> {
        let tap = self.collected.iter().find(|(id, _)| *id == analysis.id);
        AnalysisInput {
            trace,
            timeline,
            values,
            collected: tap.map(|(_, tap)| &**tap),
            result: self.result(analysis, values),
        }
    }

    /// Computes a figure unless it is kept; false when no analysis has one of this id.
    pub fn prepare(
        &mut self,
        analyses: &[&'static Analysis],
        (trace, timeline, values): (&Trace, &Timeline, &Values),
        id: &str,
        chosen: &[usize],
    ) -> bool {
        let found = analyses.iter().find_map(|analysis| {
            let input = self.input(analysis, trace, timeline, values);
            let figure = (analysis.figures)(&input).into_iter().find(|figure| figure.head.id == id)?;
            Some((*analysis, figure))
        });
        let Some((analysis, computed)) = found else { return false };
        let (chosen, own) = (computed.in_range(chosen), analysis.own_values(values));
        let is_meant = |row: &FigureRow| row.id == id && row.chosen == chosen && row.values == own;
        let row = match self.figures.iter().position(is_meant) {
            Some(at) => self.figures.remove(at),
            None => {
                let figure = computed.figure(&self.input(analysis, trace, timeline, values), &chosen);
                FigureRow { id: id.to_owned(), chosen, values: own, figure }
            }
        };
        self.figures.push(row);
        if FIGURES < self.figures.len() {
            self.figures.remove(0);
        }
        true
    }

    /// The figure of this id that was prepared last for these options; options beyond those chosen are 0.
    pub fn figure(&self, id: &str, chosen: &[usize]) -> Option<&Figure> {
        let is_meant = |row: &&FigureRow| {
            let option = |i: usize| chosen.get(i).copied().unwrap_or(0);
            row.id == id && row.chosen.iter().enumerate().all(|(i, &o)| o == option(i))
        };
        self.figures.iter().rev().find(is_meant).map(|row| &row.figure)
    }

    /// The figures that can be computed.
    pub fn figures(
        &self,
        analyses: &[&'static Analysis],
        trace: &Trace,
        timeline: &Timeline,
        values: &Values,
    ) -> Vec<(&'static Analysis, ComputedFigure)> {
        let of = |analysis: &&'static Analysis| {
            let analysis = *analysis;
            let figures = (analysis.figures)(&self.input(analysis, trace, timeline, values));
            figures.into_iter().map(move |figure| (analysis, figure)).collect::<Vec<_>>()
        };
        analyses.iter().flat_map(of).collect()
    }
}
