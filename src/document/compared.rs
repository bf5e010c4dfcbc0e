//! What of a document was joined with a baseline.

use crate::analysis::compare::code::{BaselineMatch, JoinedCode};
use crate::analysis::compare::family::JoinedFigure;
use crate::model::figure::Figure;
use crate::model::id::ListingId;

/// What was joined with a baseline and is kept for frames and exports.
#[derive(Default)]
pub struct Compared {
    pub(crate) figures: Vec<JoinedFigure>,
    pub(crate) columns: Vec<JoinedColumn>,
    /// Counts up with each figure that is joined.
    pub(crate) joined: u64,
}

/// A column of a listing with what it meets.
pub(crate) struct JoinedColumn {
    pub(crate) listing: ListingId,
    pub(crate) column: u16,
    pub(crate) core: u16,
    pub(crate) joined: JoinedCode,
}

impl Compared {
    /// The joined figures, at most one of each family.
    pub fn figures(&self) -> &[JoinedFigure] {
        &self.figures
    }

    /// The figure of a family, when it was joined for these options.
    pub fn figure(&self, id: &str, chosen: &[usize]) -> Option<&Figure> {
        self.figures.iter().find(|f| f.id == id && f.chosen == chosen).map(|f| &f.figure)
    }

    /// The column of a listing that was joined last for this core: its number, and what each row meets.
    pub fn column(&self, listing: ListingId, core: u16) -> Option<(usize, &[BaselineMatch])> {
        let found = self.columns.iter().find(|c| c.listing == listing && c.core == core)?;
        Some((usize::from(found.column), &found.joined.rows))
    }
}
