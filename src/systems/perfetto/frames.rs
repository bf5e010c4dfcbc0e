//! Frames that were shown late, as the timeline of frames of Android tells them.
//!
//! Late is what the file calls late or dropped. A frame is late by the time from the end that was expected of its token to the
//! end that it had. Frames of the display repeat those of its layers: they count where no layer has any. Source:
//! `protos/perfetto/trace/android/frame_timeline_event.proto`.

use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{around, percent};
use crate::findings::{Guide, Looked, Rule, RuleInput};
use crate::model::id::{StrId, TrackId};

/// Process, token and name of a frame.
pub(super) type Key = (u64, u64, StrId);

/// A frame as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shown {
    pub(super) track: TrackId,
    /// `None` for a frame of the display itself.
    pub(super) layer: Option<StrId>,
    /// What went wrong, in words.
    pub(super) jank: StrId,
    /// `FrameTimelineEvent.PresentType`.
    pub(super) present: u64,
    /// `None` where the recording ended before it.
    pub(super) span: Option<Span>,
    /// From the end that was expected to its own; `None` where nobody expected it.
    pub(super) late: Option<Ticks>,
}

impl Shown {
    fn is_late(&self) -> bool {
        matches!(self.present, LATE_TYPE | DROPPED)
    }
}

/// On time, late, early and dropped; others say nothing.
const KNOWN: std::ops::RangeInclusive<u64> = 1..=DROPPED;
const LATE_TYPE: u64 = 2;
const DROPPED: u64 = 4;

/// All frames of a trace that were shown.
#[derive(Default)]
pub(super) struct Timeline(pub(super) Vec<Shown>);

/// What is said of frames.
pub(super) static GUIDE: Guide = Guide { rules: &[&LATE], summary: |_| None, advises: false };

/// What writes frames; its process is there wherever they are shown.
const WRITER: &str = "surfaceflinger";

static LATE: Rule = Rule {
    id: "perfetto-late-frames",
    version: 1,
    title: phrase("Late frames"),
    thresholds: &[],
    look: |input| {
        let shown = input.trace.extensions.get::<Timeline>().map_or(&[][..], |timeline| &timeline.0);
        let has_layers = shown.iter().any(|one| one.layer.is_some());
        let is_counted = |one: &&Shown| one.layer.is_some() == has_layers && KNOWN.contains(&one.present);
        let all: Vec<&Shown> = shown.iter().filter(is_counted).collect();
        if all.is_empty() {
            let name = |track: StrId| input.trace.strings.get(track).contains(WRITER);
            if !input.trace.tracks.iter().any(|(_, track)| name(track.name)) {
                return Looked::NotHere;
            }
            return Looked::Missing(message(
                "no frames recorded: add the data source android.surfaceflinger.frametimeline to the configuration",
            ));
        }
        let late: Vec<&Shown> = all.iter().copied().filter(|one| one.is_late()).collect();
        if late.is_empty() {
            let said = message("none of {n} frames was presented late");
            return Looked::Nothing(said.with("n", thousands(all.len() as u64)));
        }
        Looked::Found(vec![told(input, &all, &late)])
    },
};

/// How many there are of each name, most first.
fn by<'a>(late: &[&'a Shown], of: impl Fn(&'a Shown) -> Option<StrId>) -> Vec<(StrId, u64)> {
    let mut sums: Map<StrId, u64> = Map::default();
    for name in late.iter().filter_map(|one| of(one)) {
        *sums.entry(name).or_default() += 1;
    }
    let mut all: Vec<(StrId, u64)> = sums.into_iter().collect();
    order::sort_by_key(&mut all, |(name, n)| (std::cmp::Reverse(*n), *name));
    all
}

#[allow(clippy::too_many_lines)] // one sentence with its evidence
fn told(input: &RuleInput, all: &[&Shown], late: &[&Shown]) -> Finding {
    let strings = &input.trace.strings;
    let n = |of: usize| thousands(of as u64);
    let part = share(late.len() as f64, all.len() as f64);
    let longest = late.iter().filter(|one| 0 < one.late.unwrap_or(0)).max_by_key(|one| one.late);
    let sentence = match longest {
        Some(_) => message("⟦{n} of {all} frames⟧ were presented late, by up to {time}."),
        None => message("⟦{n} of {all} frames⟧ were presented late."),
    };
    let time = longest.map_or_else(String::new, |one| input.duration(one.late.unwrap_or(0)));
    let (layers, causes) = (by(late, |one| one.layer), by(late, |one| Some(one.jank)));
    let causes: Vec<_> = causes.into_iter().filter(|(name, _)| !strings.get(*name).is_empty()).collect();
    let cause = causes.first().map_or_else(Default::default, |(name, count)| {
        message("The most frequent cause: {cause} ({n}).")
            .with("cause", strings.get(*name))
            .with("n", thousands(*count))
    });
    let line = match layers.first() {
        Some((layer, count)) => {
            let of = all.iter().filter(|one| one.layer == Some(*layer)).count();
            message("Most of one layer: {n} of {all} of {layer}. {cause}")
                .with("n", thousands(*count))
                .with("all", n(of))
                .with("layer", strings.get(*layer))
                .with_message("cause", cause)
        }
        None => cause,
    };
    let shown = longest.or(late.first()).copied();
    let place = shown.and_then(|one| {
        let span = one.span?.shifted(input.derived.timeline.shift_of(one.track));
        let address =
            Place::view("timeline").around(span).range(span).tracks(input.trace, &[one.track]).address();
        Some((address, around(input, span, &[one.track])))
    });
    let (address, figure) =
        place.map_or_else(|| (Place::view("timeline").address(), None), |(a, f)| (a, Some(f)));
    let mut numbers = vec![
        Number::new(phrase("Frames"), all.len() as f64, Unit::None),
        Number::new(phrase("Presented late"), late.len() as f64, Unit::None).note(percent(part)),
    ];
    let dropped = late.iter().filter(|one| one.present == DROPPED).count();
    if 0 < dropped {
        numbers.push(Number::new(phrase("Dropped frames"), dropped as f64, Unit::None));
    }
    if let Some(one) = longest {
        let (value, unit) = input.time(one.late.unwrap_or(0));
        numbers.push(Number::new(phrase("Longest delay"), value, unit));
    }
    let cause = |(name, n): &(StrId, u64)| Number::new(strings.get(*name).to_owned(), *n as f64, Unit::None);
    numbers.extend(causes.iter().take(CAUSES).map(cause));
    Finding {
        severity: Severity::Warning,
        sentence: sentence.with("n", n(late.len())).with("all", n(all.len())).with("time", time),
        line,
        value: part,
        unit: Unit::Share,
        evidence: Evidence {
            shown: message("the frame with the longest delay"),
            figure,
            numbers,
            how: message(
                "Frames that the timeline of frames calls late or dropped, of all whose presentation it knows. A delay is the time from the expected end to the actual one. A frame can have several causes at once.",
            ),
            view: "timeline".to_owned(),
            address,
            ..Evidence::default()
        },
        ..LATE.finding()
    }
}

/// Causes with a number of their own.
const CAUSES: usize = 4;
