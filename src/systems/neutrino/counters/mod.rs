//! Maps whose fields mean something together: counters, samples of progress, and what plugins of the tool measure. What a
//! pass over single records cannot add up is collected here.

mod arrivals;
mod latency;
mod progress;
mod totals;

use super::maps::sums::MapSums;
use super::records::Record;
use super::result::{Field, ResultFile, Role, Section};
use crate::analysis::contract::ComputedFigure;
use arrivals::Arrivals;
use latency::Latencies;
use progress::Progress;

/// What the fields of a map mean.
pub(super) enum Meaning {
    /// Nothing beyond themselves.
    Unknown,
    /// Amounts that are added up.
    Counters,
    /// Points in time of a thread.
    Progress(Box<Progress>),
    /// Arrivals of packets.
    Arrivals(Box<Arrivals>),
    /// Latencies between ranks.
    Latencies(Box<Latencies>),
}

impl Meaning {
    /// What the names, widths and roles of the fields tell.
    pub(super) fn of(file: &ResultFile, section: &Section) -> Self {
        let map = &section.map;
        let is_point = |field: &Field| matches!(field.role, Role::Clock | Role::Timer | Role::Address);
        let per_unit = section.records_per_unit();
        match &map.fields[..] {
            [field] if map.name == "throughput" && field.width == 4 && 8 <= per_unit => {
                Self::Arrivals(Box::new(Arrivals::new(per_unit)))
            }
            fields if Latencies::can(fields) => Self::Latencies(Box::new(Latencies::new(fields))),
            [field] if is_point(field) && field.role != Role::Address && 1 < per_unit => {
                Self::Progress(Box::new(Progress::new(file, section, field)))
            }
            fields if totals::amounts(fields).next().is_some() && !fields.iter().any(is_point) => {
                Self::Counters
            }
            _ => Self::Unknown,
        }
    }

    /// Takes a record of a unit, which is told by its block and its number there.
    #[inline]
    pub(super) fn add(&mut self, section: &Section, place: (u64, u64), record: &Record) {
        match self {
            Self::Unknown | Self::Counters => {}
            Self::Progress(progress) => progress.add(section, place, record),
            Self::Arrivals(arrivals) => arrivals.add(section, place, record),
            Self::Latencies(latencies) => latencies.add(place, record),
        }
    }

    /// All records were handed over.
    pub(super) fn finish(&mut self) {
        if let Self::Arrivals(arrivals) = self {
            arrivals.finish();
        }
    }
}

/// The figures of a map whose fields mean something together.
pub(super) fn figures(sums: &MapSums) -> Vec<ComputedFigure> {
    match &sums.meaning {
        Meaning::Unknown => Vec::new(),
        Meaning::Counters => totals::list(sums),
        Meaning::Progress(_) => progress::list(sums),
        Meaning::Arrivals(_) => arrivals::list(sums),
        Meaning::Latencies(latencies) => latency::list(sums, latencies),
    }
}
