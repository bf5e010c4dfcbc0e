//! What questions and pictures of the timeline need that takes long: it is made a few milliseconds at a time.

use super::arrange::left_out;
use super::filter;
use super::search::target;
use crate::analysis::device::Options;
use crate::analysis::device::class::stream;
use crate::analysis::device::dialect::Dialect;
use crate::analysis::timeline::search::{SearchQuery, SearchTarget};
use crate::document::Document;
use crate::model::id::SliceId;
use crate::views::timeline::messages::{Area, Frame};

impl Document {
    pub(crate) fn prepare_lanes(&mut self, frame: &Frame) -> bool {
        let (trace, derived) = self.parts();
        // Offsets and what is left out decide where everything stands.
        derived.timeline.shift(trace, &frame.rows.offsets);
        derived.timeline.leave_out_step(trace, &left_out(trace, &frame.display).0)
            && self.prepare_search(&frame.search)
    }

    /// Host and device are found out for slices of streams only.
    pub(crate) fn prepare_launched(&mut self, id: SliceId) -> bool {
        let is_on_stream = stream(self.trace(), Dialect::of(self.trace()), id.track).is_some();
        !is_on_stream || self.prepare_device(&Options::default())
    }

    pub(crate) fn prepare_search(&mut self, search: &SearchQuery) -> bool {
        let target = target(self, &search.text);
        if let SearchTarget::Filter(filter) = &target
            && filter.reads_args()
        {
            return filter::step(self, search, filter);
        }
        let (trace, derived) = self.parts();
        derived.timeline.find_step(trace, &derived.origins, search, &target)
    }

    pub(crate) fn prepare_overlap(&mut self, id: &str) -> bool {
        let (trace, derived) = self.parts();
        derived.areas.figure_step(trace, &derived.timeline, id)
    }

    pub(crate) fn prepare_calls(&mut self, area: &Area) -> bool {
        let (trace, derived) = self.parts();
        derived.areas.flame_step(trace, &derived.timeline, area.span, &area.tracks)
    }
}
