//! From marks to everything that they say, a piece at a time.

use super::Corrected;
use super::roles::Roles;
use super::summing::Summing;
use super::text::Texts;
use super::walk::Walk;
use crate::model::Trace;
use crate::systems::android::nnapi::mark::Marks;

/// All of it on its way.
pub struct Making {
    stage: Stage,
    /// The next row.
    row: usize,
}

enum Stage {
    /// What processes do is found out.
    Roles(Box<(Texts, Roles)>),
    /// Rows become scopes.
    Walk(Box<Walk>),
    /// Scopes are added up.
    Sum(Box<Summing>),
    /// There are no rows.
    Nothing,
}

/// Rows that are looked at in one step.
const STEP: usize = 1 << 14;

impl Making {
    /// Begins.
    pub fn new(trace: &Trace) -> Self {
        let roles = Roles::of(Marks::of(trace), &trace.strings);
        Self { stage: Stage::Roles(Box::new((Texts::default(), roles))), row: 0 }
    }

    /// Does the next piece, of a few milliseconds; false when nothing but [`Self::finish`] is left to do.
    pub fn step(&mut self, trace: &Trace) -> bool {
        let marks = Marks::of(trace);
        let rows = self.row..marks.len().min(self.row + STEP);
        self.row = rows.end;
        let is_over = rows.end == marks.len();
        self.stage = match std::mem::replace(&mut self.stage, Stage::Nothing) {
            Stage::Roles(mut both) => {
                let (texts, roles) = &mut *both;
                roles.look(marks, &trace.strings, texts, rows);
                if !is_over {
                    Stage::Roles(both)
                } else if marks.is_empty() {
                    return false;
                } else {
                    self.row = 0;
                    let (texts, roles) = *both;
                    Stage::Walk(Box::new(Walk::new(marks, texts, roles)))
                }
            }
            Stage::Walk(mut walk) => {
                rows.for_each(|row| walk.row(marks, row));
                if is_over { Stage::Sum(Box::new(Summing::new(*walk, marks))) } else { Stage::Walk(walk) }
            }
            Stage::Sum(mut summing) => {
                let has_more = summing.step(marks);
                self.stage = Stage::Sum(summing);
                return has_more;
            }
            Stage::Nothing => return false,
        };
        true
    }

    /// All of it, after the last step.
    pub fn finish(self) -> Corrected {
        if let Stage::Sum(summing) = self.stage { summing.finish() } else { Corrected::default() }
    }
}

impl Corrected {
    /// Computes everything that is not asked for cell by cell. About linear in the rows; never fails.
    pub fn of(trace: &Trace) -> Self {
        let mut making = Making::new(trace);
        while making.step(trace) {}
        making.finish()
    }
}
