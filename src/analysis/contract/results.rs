//! What analyses have computed so far: results by the values of their parameters, and the figures that were asked for last.

use super::{Analysis, AnalysisInput, ComputedFigure};
use crate::analysis::timeline::Timeline;
use crate::model::Trace;
use crate::model::build::tap::Tap;
use crate::model::figure::Figure;
use crate::model::parameter::Values;
use std::any::Any;

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
