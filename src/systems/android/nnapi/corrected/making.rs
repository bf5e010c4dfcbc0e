//! From marks to everything that they say.

use super::Corrected;
use super::roles::Roles;
use super::summing::sum;
use super::text::Texts;
use super::walk::Walk;
use crate::base::job::{self, Turn, pieces};
use crate::model::Trace;
use crate::systems::android::nnapi::mark::Marks;

/// Rows that are looked at between two pauses.
const PIECE: usize = 1 << 14;

impl Corrected {
    /// Computes everything that is not asked for cell by cell. About linear in the rows; never fails.
    pub fn of(trace: &Trace) -> Self {
        job::run(async |turn| Self::in_turns(trace, &turn).await)
    }

    /// The same, some rows at a time.
    pub async fn in_turns(trace: &Trace, turn: &Turn) -> Self {
        let marks = Marks::of(trace);
        if marks.is_empty() {
            return Self::default();
        }
        let (mut texts, mut roles) = (Texts::default(), Roles::of(marks, &trace.strings));
        for rows in pieces(marks.len(), PIECE) {
            roles.look(marks, &trace.strings, &mut texts, rows);
            turn.pause().await;
        }
        let mut walk = Walk::new(marks, texts, roles);
        for rows in pieces(marks.len(), PIECE) {
            rows.for_each(|row| walk.row(marks, row));
            turn.pause().await;
        }
        Box::pin(sum(walk, marks, turn)).await
    }
}
