//! What a question or a picture needs that takes long: it is made a few milliseconds at a time.

use crate::analysis::device::Options;
use crate::document::Document;
use crate::views::density::messages::DensityQuery;
use crate::views::timeline::area;
use crate::views::timeline::messages::TimelineQuery;
use crate::wire::figures::FigureQuery;
use crate::wire::rows::Source;
use crate::wire::{Frame, Query};

impl Document {
    /// Works for a few milliseconds on what the answer to a question needs; says whether it can be given at once.
    pub fn prepare_query(&mut self, query: &Query) -> bool {
        match query {
            Query::Timeline(TimelineQuery::Search { search, .. }) => self.prepare_search(search),
            Query::Timeline(TimelineQuery::Launched(id)) => self.prepare_launched(*id),
            Query::Timeline(TimelineQuery::Totals { span, by }) if by.is_of_device() => {
                self.prepare_device(&Options { span: *span, ..Options::default() })
            }
            Query::Rows(ask) | Query::RowsFile(ask) => self.prepare_source(&ask.source),
            Query::Area(area::AreaQuery::Frame { frame, .. }) => self.prepare_calls(&frame.area),
            Query::Area(area::AreaQuery::Categories(area)) => {
                self.prepare_base(&Source::Categories(area.clone()))
            }
            Query::Figures(FigureQuery::Figure { id, .. }) => self.prepare_overlap(id),
            Query::Device(options) => self.prepare_device(options),
            Query::Headline => self.prepare_headline(),
            Query::Density(DensityQuery::Zoom(look)) => self.prepare_zoom(look),
            Query::Executions(ask) => self.prepare_executions(ask),
            Query::Lifetimes(ask) => self.prepare_lifetimes(ask),
            Query::Mapping(ask) => self.prepare_mapping(ask),
            Query::Picture(seen) => self.prepare_lanes(&seen.frame),
            Query::ViewPicture(seen) => seen.panes.iter().all(|(frame, _)| self.prepare_frame(frame)),
            Query::Schedule(ask) => self.prepare_schedule(ask.look()),
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
        match frame {
            Frame::Timeline(frame) => self.prepare_lanes(frame),
            Frame::Area(frame) => self.prepare_calls(&frame.area),
            Frame::Figure(frame) => self.prepare_overlap(&frame.id),
            Frame::Executions(frame) => self.prepare_launch(Some(frame.launch)),
            Frame::Schedule(frame) => self.prepare_schedule(Some(&frame.look)),
            _ => true,
        }
    }
}
