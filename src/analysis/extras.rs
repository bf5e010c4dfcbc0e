//! Figures that no file holds: computed of a trace when somebody asks for them.
//!
//! To add one: an [`Extra`] in a list of the room that computes it; the lists stand in [`EXTRAS`].

use super::kernel;
use super::nnapi::{self, Nnapi};
use super::timeline::Timeline;
use crate::base::map::Map;
use crate::model::Trace;
use crate::model::figure::{Choice, Family, Figure};

/// All of them, in the order they are shown.
static EXTRAS: &[&[Extra]] = &[nnapi::figures::EXTRAS, kernel::EXTRAS];

/// What figures are computed of.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// What the files said.
    pub trace: &'a Trace,
    /// Its lanes and names.
    pub timeline: &'a Timeline,
    /// What its marks of NNAPI mean; `None` when it has none.
    pub nnapi: Option<&'a Nnapi>,
}

/// One figure that is computed, in all its variants.
pub struct Extra {
    /// Stable id.
    pub id: &'static str,
    /// The panel it stands in.
    pub section: &'static str,
    /// What a person reads.
    pub title: &'static str,
    /// Kind of its body, such as `table`.
    pub kind: &'static str,
    /// How many of the page's three columns it takes.
    pub columns: u8,
    /// Whether the trace holds what it is computed of. Costs little: it is asked often.
    pub is_there: fn(Ground) -> bool,
    /// What can be chosen. Costs little, as above.
    pub choices: fn(Ground) -> Vec<Choice>,
    /// Computes the variant of these options, one for each choice and none out of range.
    pub make: fn(Ground, &[usize]) -> Figure,
}

impl Extra {
    /// Nothing can be chosen.
    pub fn no_choices(_: Ground) -> Vec<Choice> {
        Vec::new()
    }

    /// Computes all variants.
    pub fn family(&self, ground: Ground) -> Family {
        let choices = (self.choices)(ground);
        let n: usize = choices.iter().map(|c| c.options.len()).product();
        let variants = (0..n).map(|at| {
            let mut figure = (self.make)(ground, &options(&choices, at));
            self.title.clone_into(&mut figure.title);
            figure
        });
        Family {
            id: self.id.to_owned(),
            section: self.section.to_owned(),
            title: self.title.to_owned(),
            variants: variants.collect(),
            choices,
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

/// The figures that were computed so far.
#[derive(Default)]
pub struct Extras(Map<&'static str, Family>);

impl Extras {
    /// The figures that can be computed of a trace.
    pub fn of(ground: Ground<'_>) -> impl Iterator<Item = &'static Extra> {
        EXTRAS.iter().copied().flatten().filter(move |extra| (extra.is_there)(ground))
    }

    /// Computes a figure; the second time costs nothing.
    pub fn prepare(&mut self, ground: Ground, id: &str) {
        if let Some(extra) = Self::of(ground).find(|extra| extra.id == id) {
            self.0.entry(extra.id).or_insert_with(|| extra.family(ground));
        }
    }

    /// A figure that was computed.
    pub fn figure(&self, id: &str) -> Option<&Family> {
        self.0.get(id)
    }
}
