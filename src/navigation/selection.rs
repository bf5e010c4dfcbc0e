//! What is chosen in a document; its views meet here and nowhere else.

use crate::base::time::Span;
use crate::model::code::CodeAddress;
use crate::model::figure::Passage;
use crate::model::id::{SliceId, TrackId};
use crate::navigation::route::SliceAddress;

/// What is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// A slice.
    pub slice: Option<SliceId>,
    /// What the address calls the slice, and until the document is read whole the slice that will be chosen.
    pub slice_address: Option<SliceAddress>,
    /// A stretch of time.
    pub range: Option<Span>,
    /// The tracks the stretch is about; empty means all.
    pub tracks: Vec<TrackId>,
    /// A line of code: title of the listing (a path) and the line from 1.
    pub line: Option<(String, u32)>,
    /// An instruction.
    pub address: Option<CodeAddress>,
    /// What the timeline is to search for, as another view asked, and the stretch of time that is searched if not all.
    pub search: Option<(String, Option<Span>)>,
    /// The slice that the timeline is to go to, as the address or another view asked.
    pub go_to: Option<SliceId>,
    /// The track that the timeline is to go to, as another view asked.
    pub track: Option<TrackId>,
    /// Instructions that are marked, as another view asked.
    pub marked: Option<Passage>,
    /// Rows of figures that are tables, marked as another figure asked: id of the family and number of the row.
    pub rows: Vec<(String, u32)>,
    /// A figure by its id, with the options chosen for it.
    pub figure: Option<(String, Vec<usize>)>,
}
