//! The buffer plan: its table and all that follows from it, and what writes the records of a block.

use crate::base::fault::Severity;
use crate::base::geometry::Size;
use crate::document::engine::{Answers, Engine};
use crate::document::{Document, Picture};
use crate::draw::style::DrawStyle;
use crate::model::parameter::Values;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::details::ask as details;
use crate::views::executions::compute::Recorded;
use crate::views::plan::compute::{self as plan, Counted, LAYOUT, PlanInput};
use crate::views::plan::messages::{BLOCKS, PlanQuery, Reply, Shown};
use crate::wire::{Answer, Question};

impl Document {
    /// Executions of blocks as they were counted, or nothing while they are.
    fn counted(&self) -> Option<&Counted> {
        Some(self.derived.results.newest::<Counted>(&self.analyses, &self.values)?.1)
    }

    /// The plan with these values.
    pub(crate) fn plan(&self, values: &Values) -> Option<plan::Plan> {
        plan::plan(self.trace(), values, self.counted())
    }

    /// Rows of what can be planned: blocks of kernels, and kernels whose size is known.
    pub(crate) fn n_planned(&self) -> u64 {
        let extensions = &self.trace().extensions;
        let of_files = extensions.get::<PlanInput>().map_or(0, |input| {
            input.kernels.iter().map(|kernel| kernel.blocks.len()).sum::<usize>() + input.sizes.len()
        });
        let programs = extensions.get::<Recorded>().map_or(&[][..], |recorded| &recorded.programs);
        let of_programs = programs.iter().map(|program| program.blocks.len()).sum::<usize>();
        of_files.max(of_programs) as u64
    }

    /// How bad a check is that the files break.
    fn severity_of(&self, code: &str) -> Option<Severity> {
        let own = self.faults().rows().iter().filter(|fault| fault.code == code);
        own.map(|fault| fault.severity).max()
    }
}

fn answer(doc: &Document, ask: &PlanQuery) -> Reply {
    match ask {
        PlanQuery::Plan(texts) => {
            let (values, problems) = Document::parse_values(texts);
            Reply::Plan(doc.plan(&values).map(|plan| Box::new(shown(doc, plan, problems))))
        }
        PlanQuery::Block { row, values } => {
            let values = Document::parse_values(values).0;
            let sheet = plan::sheet_of(doc.trace(), &values, doc.counted());
            Reply::Block(sheet.map_or_else(Vec::new, |sheet| plan::emitters(doc.trace(), &sheet, *row)))
        }
    }
}

/// A plan that crosses to the page: bounded.
fn shown(doc: &Document, mut plan: plan::Plan, problems: Vec<String>) -> Shown {
    let counts = (plan.sheet.blocks.len(), plan.sheet.n_edits());
    plan.sheet.blocks.truncate(BLOCKS);
    plan.sums.of_block.truncate(BLOCKS);
    plan.sums.cells.truncate(BLOCKS);
    plan.sizes.truncate(BLOCKS);
    plan.subjects.truncate(BLOCKS);
    let severities = plan.checks.iter().map(|check| {
        let is_broken = check.holds == Some(false);
        is_broken.then(|| doc.severity_of(&check.code).unwrap_or(Severity::Warning))
    });
    let symbol = doc.symbol_of(&plan.sheet.name);
    Shown { counts, severities: severities.collect(), problems, symbol, plan }
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] = &[Engine::saves(&PLAN), Engine::answers::<PlanQuery>()];

impl Answers for PlanQuery {
    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }
}

// The buffer plan as its figures, one below the other.

pub(crate) static PLAN: Picture = Picture { id: "plan", title: "Plan", draw: plan_picture, seen: None };

fn plan_picture(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let look = DrawStyle { palette, language: doc.language() };
    let mut families = doc.families(|analysis| analysis.parameters.iter().any(|p| p.id == LAYOUT.id));
    families.retain(|family| family.id.starts_with("plan-"));
    if families.is_empty() {
        return Err("No buffer plan in these files.".to_owned());
    }
    details::of_families(&families, size, &look)
}
