//! All figures of two documents: families meet by their id, variants by the names of what was chosen.

use super::compare;
use crate::base::words::phrase;
use crate::model::figure::{Choice, Family, Figure};

/// What is said of a figure that the other document does not have.
pub const ONLY_BASELINE: &str = phrase("Only in the baseline.");
/// The same the other way round.
pub const ONLY_COMPARISON: &str = phrase("Only in the comparison.");

const NO_OPTION: &str = phrase("The current selection is not in the baseline.");

/// The figures of two documents, joined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoinedFigures {
    /// Those of the comparison in its order, and among them what only the baseline has, see [`in_order`]. A figure that could not be joined
    /// stands here as it is, with the reason among its notes.
    pub families: Vec<Family>,
    /// How many variants were joined.
    pub n_joined: usize,
    /// Which were not, and why.
    pub apart: Vec<NotCompared>,
}

/// Variants of a family that could not be joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCompared {
    /// Id of the family.
    pub id: String,
    pub why: String,
    pub n: usize,
}

impl JoinedFigures {
    /// How many variants of a family were joined.
    pub fn n_joined_of(&self, family: &Family) -> usize {
        let apart: usize = self.apart.iter().filter(|a| a.id == family.id).map(|a| a.n).sum();
        family.variants.len().saturating_sub(apart)
    }
}

/// One joined figure.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedFigure {
    /// Id of its family.
    pub id: String,
    /// What was chosen in the comparison: option numbers, one for each choice.
    pub chosen: Vec<usize>,
    /// Both as one.
    pub figure: Figure,
}

/// Puts what only the baseline has among what the comparison has: behind what it stands behind in the baseline, as far as
/// the comparison has that. Numbers of the comparison (`Ok`) and of the baseline (`Err`).
pub fn in_order(baseline: &[&str], comparison: &[&str]) -> Vec<std::result::Result<usize, usize>> {
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); comparison.len() + 1];
    let mut at = 0;
    for (n, id) in baseline.iter().enumerate() {
        match comparison.iter().position(|own| own == id) {
            Some(own) => at = own + 1,
            None => behind.get_mut(at).into_iter().for_each(|list| list.push(n)),
        }
    }
    let lists = behind.into_iter().enumerate();
    lists
        .flat_map(|(at, list)| at.checked_sub(1).map(Ok).into_iter().chain(list.into_iter().map(Err)))
        .collect()
}

/// Joins the figures of two documents. Costs all numbers of both.
pub fn families(baseline: &[Family], comparison: &[Family]) -> JoinedFigures {
    let mut out = JoinedFigures::default();
    let [before, after] =
        [baseline, comparison].map(|list| list.iter().map(|f| f.id.as_str()).collect::<Vec<_>>());
    for place in in_order(&before, &after) {
        let (own, other) =
            (place.ok().and_then(|at| comparison.get(at)), place.err().and_then(|at| baseline.get(at)));
        if let Some(new) = own {
            let old = baseline.iter().find(|f| f.id == new.id);
            let variants = new.variants.iter().enumerate().map(|(i, figure)| {
                let joined = match old {
                    Some(old) => variant(old, new, &chosen_of(&new.choices, i), figure),
                    None => Err(ONLY_COMPARISON.to_owned()),
                };
                joined.inspect(|_| out.n_joined += 1).unwrap_or_else(|why| {
                    report_apart(&mut out.apart, &new.id, &why);
                    noted(figure, why)
                })
            });
            let variants = variants.collect();
            out.families.push(Family { variants, ..head(new) });
        } else if let Some(old) = other {
            old.variants.iter().for_each(|_| report_apart(&mut out.apart, &old.id, ONLY_BASELINE));
            let variants =
                old.variants.iter().map(|figure| noted(figure, ONLY_BASELINE.to_owned())).collect();
            out.families.push(Family { variants, ..head(old) });
        }
    }
    out
}

/// The numbers of the options of `other` that are called as those chosen of `own`. What only `other` lets one choose
/// takes its first option.
///
/// # Errors
/// One sentence when `other` has no option of that name.
pub fn same_options(own: &[Choice], chosen: &[usize], other: &[Choice]) -> Result<Vec<usize>, String> {
    let number = |choice: &Choice| {
        let Some(at) = own.iter().position(|c| c.name == choice.name) else { return Ok(0) };
        let options = own.get(at).map_or(&[][..], |c| &c.options);
        let option = chosen.get(at).and_then(|o| options.get(*o)).or(options.first());
        let found = option.and_then(|option| choice.options.iter().position(|o| o == option));
        found.ok_or_else(|| NO_OPTION.to_owned())
    };
    other.iter().map(number).collect()
}

fn variant(old: &Family, new: &Family, chosen: &[usize], figure: &Figure) -> Result<Figure, String> {
    let same = same_options(&new.choices, chosen, &old.choices)?;
    match old.variant(&same) {
        Some(old) => compare(old, figure),
        None => Err(ONLY_COMPARISON.to_owned()),
    }
}

/// The option numbers that lead to a variant.
fn chosen_of(choices: &[Choice], variant: usize) -> Vec<usize> {
    let mut rest = variant;
    let mut chosen: Vec<usize> = Vec::with_capacity(choices.len());
    for choice in choices.iter().rev() {
        let n = choice.options.len().max(1);
        chosen.push(rest % n);
        rest /= n;
    }
    chosen.reverse();
    chosen
}

fn head(family: &Family) -> Family {
    Family {
        id: family.id.clone(),
        section: family.section.clone(),
        title: family.title.clone(),
        choices: family.choices.clone(),
        variants: Vec::new(),
    }
}

fn noted(figure: &Figure, why: String) -> Figure {
    let mut figure = figure.clone();
    figure.notes.insert(0, why.into());
    figure
}

fn report_apart(apart: &mut Vec<NotCompared>, id: &str, why: &str) {
    match apart.iter_mut().find(|a| a.id == id && a.why == why) {
        Some(known) => known.n += 1,
        None => apart.push(NotCompared { id: id.to_owned(), why: why.to_owned(), n: 1 }),
    }
}
