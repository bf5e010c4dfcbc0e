//! Figures that no file holds: computed of a trace when somebody asks for them.

use super::AnalysisInput;
use crate::model::figure::{Choice, Family, Figure};

/// What is known of a figure before it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureHead {
    /// Stable id, unique in the document.
    pub id: String,
    /// The panel it stands in.
    pub section: &'static str,
    /// What a person reads.
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
    /// What is known of it.
    pub head: FigureHead,
    /// Computes the variant of these options, one for each choice and none out of range. What the function has to know
    /// beyond them is the id of the figure.
    pub compute: fn(&AnalysisInput, &str, &[usize]) -> Figure,
}

impl ComputedFigure {
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
