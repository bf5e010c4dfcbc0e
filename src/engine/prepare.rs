//! What a question or a picture needs that takes long: it is made a few milliseconds at a time.

use super::front::engine;
use crate::document::Document;
use crate::document::engine::Act;
use crate::views::timeline::messages::Seen;
use crate::wire::rows::Source;
use crate::wire::{Frame, Query, Question};

impl Document {
    /// Works for a few milliseconds on what the answer to a question needs; says whether it can be given at once.
    pub fn prepare_query(&mut self, query: &Query) -> bool {
        match query {
            Query::View(packed) => match engine(&packed.of) {
                Some(Act::Answer { prepare, .. }) => prepare(packed, self),
                _ => true,
            },
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
        match engine(&frame.0.of) {
            Some(Act::Draw { prepare, .. }) => prepare(frame, self),
            _ => true,
        }
    }
}
