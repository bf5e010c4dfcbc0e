//! What a question or a picture needs that takes long: it is made a few milliseconds at a time.

use super::front::{answering, drawing};
use crate::document::Document;
use crate::views::timeline::messages::Seen;
use crate::wire::rows::Source;
use crate::wire::{Frame, Query, Question};

impl Document {
    /// Works for a few milliseconds on what the answer to a question needs; says whether it can be given at once.
    pub fn prepare_query(&mut self, query: &Query) -> bool {
        match query {
            Query::View(packed) => answering(&packed.of).is_none_or(|view| (view.prepare)(packed, self)),
            Query::Rows(ask) | Query::RowsFile(ask) => self.prepare_source(&ask.source),
            Query::Headline => self.prepare_headline(),
            Query::Picture(seen) => Seen::of(seen).is_none_or(|seen| self.prepare_lanes(&seen.frame)),
            Query::ViewPicture(seen) => seen.panes.iter().all(|(frame, _)| self.prepare_frame(frame)),
            _ => true,
        }
    }

    /// The same for the rows of a table.
    pub(crate) fn prepare_source(&mut self, source: &Source) -> bool {
        match source {
            Source::Hits(search) => self.prepare_search(search),
            Source::KernelSums(options)
            | Source::Kernels(options)
            | Source::Launches { options, .. }
            | Source::Operators(options)
            | Source::Functions(options)
            | Source::Tree { options, .. }
            | Source::Memory { options, .. } => self.prepare_device(options),
            _ => self.prepare_base(source),
        }
    }

    /// The same for a picture.
    pub fn prepare_frame(&mut self, frame: &Frame) -> bool {
        drawing(&frame.0.of).is_none_or(|view| (view.prepare)(frame, self))
    }
}
