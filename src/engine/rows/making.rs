//! What a source of rows needs that takes long, in steps.

use super::Base;
use crate::analysis::area::flame::FlameMaking;
use crate::analysis::area::gaps::{Finding, Idle, Longest, MAX_LISTED};
use crate::analysis::area::links::Categorizing;
use crate::analysis::area::{Scope, Work, overlap};
use crate::analysis::statistics;
use crate::analysis::summary::Summing;
use crate::analysis::timeline::{Timeline, chosen_tracks};
use crate::model::Trace;
use crate::views::timeline::messages::Area;
use crate::wire::rows::Source;

/// What takes long to compute.
pub(super) enum Making {
    Sums(Box<Summing>),
    Statistics(Box<statistics::Making>),
    Threads(Box<statistics::ThreadsMaking>),
    Calls(FlameMaking),
    Idle(Finding<Vec<Idle>>),
    Gaps(Finding<Longest>),
    Categories(Categorizing),
}

/// The area of a source that takes long.
fn area_of(source: &Source) -> Option<&Area> {
    match source {
        Source::Sums(area)
        | Source::Calls(area)
        | Source::Idle { area, .. }
        | Source::Gaps { area, .. }
        | Source::Categories(area) => Some(area),
        _ => None,
    }
}

impl Making {
    /// Whether a source needs something that takes long.
    pub(super) fn is_for(source: &Source) -> bool {
        matches!(source, Source::Statistics(_) | Source::Threads(_)) || area_of(source).is_some()
    }

    pub(super) fn begin(source: &Source, (trace, timeline): (&Trace, &Timeline)) -> Self {
        if let Source::Statistics(options) = source {
            return Self::Statistics(Box::new(statistics::Making::new(trace, timeline, options.clone())));
        }
        if let Source::Threads(options) = source {
            let making = statistics::ThreadsMaking::new(trace, options.clone());
            return Self::Threads(Box::new(making));
        }
        let area = area_of(source).cloned().unwrap_or_default();
        let (tracks, span) = (chosen_tracks(trace, &area.tracks), area.span);
        match source {
            Source::Sums(_) => Self::Sums(Box::new(Summing::new(trace, tracks, span))),
            Source::Idle { waits, .. } => {
                let work = Work::new(*waits);
                Self::Idle(Finding::idle((trace, timeline), tracks, span, work))
            }
            Source::Gaps { waits, .. } => Self::Gaps(Finding::longest(tracks, span, Work::new(*waits))),
            Source::Categories(_) => {
                Self::Categories(Categorizing::new(Scope { trace, timeline, tracks: &tracks, span }))
            }
            _ => Self::Calls(FlameMaking::of_area(trace, &area.tracks, span)),
        }
    }

    /// Goes on for some milliseconds; says whether there is more. A machine, as it runs while the trace still grows,
    /// too.
    pub(super) fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        match self {
            Self::Sums(summing) => summing.step(trace, timeline),
            Self::Statistics(statistics) => statistics.step(trace, timeline),
            Self::Threads(threads) => threads.step(trace, timeline),
            Self::Calls(flame) => flame.step(trace, timeline),
            Self::Idle(idle) => idle.step(trace, timeline),
            Self::Gaps(gaps) => gaps.step(trace, timeline, MAX_LISTED),
            Self::Categories(categories) => categories.step(trace, timeline),
        }
    }

    /// What the rows are made of, after the last step.
    pub(super) fn finish(self, trace: &Trace) -> Base {
        match self {
            Self::Sums(summing) => Base::Sums(summing.finish()),
            Self::Statistics(statistics) => Base::Statistics(statistics.finish()),
            Self::Threads(threads) => Base::Threads(threads.finish()),
            Self::Calls(flame) => {
                let flame = flame.finish();
                let listed = flame.heaviest(usize::MAX);
                Base::Calls(flame, listed)
            }
            Self::Idle(idle) => {
                let list = idle.finish();
                let names = overlap::names(trace, &list.iter().map(|row| row.track).collect::<Vec<_>>());
                Base::Idle(list.into_iter().zip(names).collect())
            }
            Self::Gaps(gaps) => Base::Gaps(gaps.finish(MAX_LISTED)),
            Self::Categories(categories) => Base::Categories(categories.finish()),
        }
    }
}
