//! What is chosen in a document; its views meet here and nowhere else.

use crate::base::time::Span;
use crate::model::code::CodeAddress;
use crate::model::figure::Passage;
use crate::model::id::{SliceId, TrackId, TrackName};
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
    /// What the address calls them.
    pub track_names: TrackNames,
    /// A line of code: title of the listing (a path) and the line from 1.
    pub line: Option<(String, u32)>,
    /// An instruction.
    pub address: Option<CodeAddress>,
    /// What the timeline is to search for, as another view asked, and the stretch of time that is searched if not all.
    pub search: Option<(String, Option<Span>)>,
    /// The slice that the timeline is to go to, as the address or another view asked.
    pub go_to: Option<SliceId>,
    /// The name whose slices the timeline is to highlight, as another view asked.
    pub only: Option<String>,
    /// The track that the timeline is to go to, as another view asked.
    pub track: Option<TrackId>,
    /// What Trace is to go to, as another view asked: row of the launch, the execution, the instruction inside.
    pub execution: Option<(u32, u32, u32)>,
    /// Instructions that are marked, as another view asked.
    pub marked: Option<Passage>,
    /// Rows of figures that are tables, marked as another figure asked: id of the family and number of the row.
    pub rows: Vec<(String, u32)>,
    /// A figure by its id, with the options chosen for it.
    pub figure: Option<(String, Vec<usize>)>,
}

/// What the address calls tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackNames {
    /// The tracks that have these names; empty until those that the address names are found.
    pub of: Vec<TrackId>,
    /// Their names.
    pub names: Vec<TrackName>,
}

impl TrackNames {
    /// Whether the tracks that the address names are still to be found.
    pub fn are_wanted(&self) -> bool {
        self.of.is_empty() && !self.names.is_empty()
    }
}
