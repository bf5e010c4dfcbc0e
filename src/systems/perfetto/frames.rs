//! Frames that were shown late, as the timeline of frames of Android tells them.
//!
//! Late is what the file calls presented late: by the time from the end that was expected of its token to the end that it had.
//! Dropped frames were never presented, and of those without an end nobody knows when: both are counted apart. Frames of the
//! display repeat those of its layers: they stand beside these, and are told where no layer was late. Source:
//! `protos/perfetto/trace/android/frame_timeline_event.proto`.

use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
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
    /// What went wrong, by the bits of [`JANK`].
    pub(super) jank: u64,
    /// `FrameTimelineEvent.PresentType`.
    pub(super) present: u64,
    /// `None` where the recording ended before it.
    pub(super) span: Option<Span>,
    /// From the end that was expected to its own; `None` where nobody expected it.
    pub(super) late: Option<Ticks>,
}

/// What goes wrong with a frame, by the bits of its number.
pub(super) const JANK: [&str; 11] = [
    "no jank",
    phrase("SurfaceFlinger scheduling"),
    phrase("prediction error"),
    phrase("display HAL"),
    phrase("SurfaceFlinger CPU deadline missed"),
    phrase("SurfaceFlinger GPU deadline missed"),
    phrase("app deadline missed"),
    phrase("buffer stuffing"),
    phrase("unknown jank"),
    phrase("SurfaceFlinger stuffing"),
    phrase("dropped frame"),
];

/// The bit that says that nothing went wrong.
const NO_JANK: u64 = 1;

/// On time, late, early and dropped; others say nothing.
const KNOWN: std::ops::RangeInclusive<u64> = 1..=DROPPED;
const LATE_TYPE: u64 = 2;
const DROPPED: u64 = 4;

/// Frames whose presentation is known, each once.
#[derive(Default)]
struct Counted<'a> {
    /// All that ended.
    n: usize,
    late: Vec<&'a Shown>,
    dropped: Vec<&'a Shown>,
    /// Those whose end was not recorded.
    n_unfinished: usize,
}

impl<'a> Counted<'a> {
    fn new(frames: impl Iterator<Item = &'a Shown>) -> Self {
        let mut of = Self::default();
        for frame in frames.filter(|frame| KNOWN.contains(&frame.present)) {
            if frame.span.is_none() {
                of.n_unfinished += 1;
                continue;
            }
            of.n += 1;
            match frame.present {
                LATE_TYPE => of.late.push(frame),
                DROPPED => of.dropped.push(frame),
                _ => {}
            }
        }
        of
    }

    fn is_quiet(&self) -> bool {
        self.late.is_empty() && self.dropped.is_empty()
    }

    /// What is told of: frames that were late, or else those that were dropped.
    fn told(&self) -> &[&'a Shown] {
        if self.late.is_empty() { &self.dropped } else { &self.late }
    }
}

/// All frames of a trace that were shown.
#[derive(Default)]
pub(super) struct Timeline(pub(super) Vec<Shown>);

/// What is said of frames.
pub(super) static GUIDE: Guide = Guide { rules: &[&LATE], summary: |_| None, advises: false };

/// What writes frames; its process is there wherever they are shown.
const WRITER: &str = "surfaceflinger";

static LATE: Rule = Rule {
    id: "perfetto-late-frames",
    version: 3,
    title: phrase("Late frames"),
    thresholds: &[],
    look: |input| {
        let shown = input.trace.extensions.get::<Timeline>().map_or(&[][..], |timeline| &timeline.0);
        let of = |is_layer: bool| Counted::new(shown.iter().filter(|one| one.layer.is_some() == is_layer));
        let (layers, display) = (of(true), of(false));
        if layers.n + display.n == 0 {
            let name = |track: StrId| input.trace.strings.get(track).contains(WRITER);
            if !input.trace.tracks.iter().any(|(_, track)| name(track.name)) {
                return Looked::NotHere;
            }
            return Looked::Missing(message(
                "no frames recorded: add the data source android.surfaceflinger.frametimeline to the configuration",
            ));
        }
        match (layers.is_quiet(), display.is_quiet()) {
            (true, true) => {
                let said = message("none of {n} frames was presented late");
                let n = if layers.n == 0 { display.n } else { layers.n };
                Looked::Nothing(said.with("n", thousands(n as u64)))
            }
            (false, _) => Looked::Found(vec![told(input, &layers, Some(&display))]),
            (true, false) => Looked::Found(vec![told(input, &display, None)]),
        }
    },
};

/// How many there are of each, most first.
fn by<T: Copy + Ord + std::hash::Hash>(frames: &[&Shown], of: impl Fn(&Shown) -> Option<T>) -> Vec<(T, u64)> {
    let mut sums: Map<T, u64> = Map::default();
    for key in frames.iter().filter_map(|one| of(one)) {
        *sums.entry(key).or_default() += 1;
    }
    let mut all: Vec<(T, u64)> = sums.into_iter().collect();
    order::sort_by_key(&mut all, |(key, n)| (std::cmp::Reverse(*n), *key));
    all
}

/// The words of a number of [`JANK`]: a frame can have several causes.
fn words(jank: u64) -> Message {
    let words = JANK.iter().enumerate().filter(|(bit, _)| jank >> bit & 1 != 0);
    let words = words.map(|(_, word)| Message::from(*word));
    words.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b)).unwrap_or_default()
}

/// What went wrong, by how many frames.
fn causes(frames: &[&Shown]) -> Vec<(u64, u64)> {
    by(frames, |one| Some(one.jank & !NO_JANK).filter(|jank| *jank != 0))
}

fn sentence(input: &RuleInput, of: &Counted, longest: Option<&Shown>) -> Message {
    let told = of.told();
    let late = longest.and_then(|one| one.late);
    let is_display = told.iter().all(|one| one.layer.is_none());
    let said = match (of.late.is_empty(), late.is_some(), is_display) {
        (true, _, false) => message("⟦{n} of {all} frames⟧ were dropped."),
        (true, _, true) => message("⟦{n} of {all} display frames⟧ were dropped."),
        (_, true, false) => message("⟦{n} of {all} frames⟧ were presented late, by up to {time}."),
        (_, true, true) => message("⟦{n} of {all} display frames⟧ were presented late, by up to {time}."),
        (_, false, false) => message("⟦{n} of {all} frames⟧ were presented late."),
        (_, false, true) => message("⟦{n} of {all} display frames⟧ were presented late."),
    };
    said.with("n", thousands(told.len() as u64))
        .with("all", thousands(of.n as u64))
        .with("time", late.map_or_else(String::new, |late| input.duration(late)))
}

/// The layer of most of them, their most frequent cause, and of how many the delay is not known.
fn line(input: &RuleInput, all: &[Shown], of: &Counted) -> Message {
    let told = of.told();
    let cause = causes(told).first().map_or_else(Message::default, |(jank, n)| {
        message("The most frequent cause: {cause} ({n}).")
            .with_message("cause", words(*jank))
            .with("n", thousands(*n))
    });
    let said = match by(told, |one| one.layer).first() {
        Some((layer, n)) => {
            let own = Counted::new(all.iter().filter(|one| one.layer == Some(*layer)));
            message("The layer with most of them is {layer}: {n} of {told} ({share}); it has {all} frames. {cause}")
                .with("n", thousands(*n))
                .with("told", thousands(told.len() as u64))
                .with("share", percent(share(*n as f64, told.len() as f64)))
                .with("all", thousands(own.n as u64))
                .with("layer", input.trace.strings.get(*layer))
                .with_message("cause", cause)
        }
        None => cause,
    };
    match unexpected(&of.late) {
        0 => said,
        n => message("{said} Late frames without an expected one: {n}; their delay is not known.")
            .with_message("said", said)
            .with("n", thousands(n as u64)),
    }
}

/// How many have no frame that was expected of their token.
fn unexpected(late: &[&Shown]) -> usize {
    late.iter().filter(|one| one.late.is_none()).count()
}

fn numbers(
    input: &RuleInput,
    of: &Counted,
    display: Option<&Counted>,
    longest: Option<&Shown>,
) -> Vec<Number> {
    let part = |n: usize, of: &Counted| percent(share(n as f64, of.n as f64));
    let number = |name: &'static str, n: usize| Number::new(name, n as f64, Unit::None);
    let mut numbers = vec![
        number(phrase("Frames"), of.n),
        number(phrase("Presented late"), of.late.len()).note(part(of.late.len(), of)),
    ];
    let mut some = |name: &'static str, n: usize| numbers.extend((0 < n).then(|| number(name, n)));
    some(phrase("Late, no expected frame"), unexpected(&of.late));
    some(phrase("Dropped frames"), of.dropped.len());
    some(phrase("Unfinished frames"), of.n_unfinished);
    if let Some(late) = longest.and_then(|one| one.late) {
        let (value, unit) = input.time(late);
        numbers.push(Number::new(phrase("Longest delay"), value, unit));
    }
    if let Some(display) = display.filter(|display| 0 < display.n) {
        let n = display.late.len();
        numbers.push(number(phrase("Late display frames"), n).note(part(n, display)));
    }
    let causes = causes(of.told()).into_iter().take(CAUSES);
    numbers.extend(causes.map(|(jank, n)| Number::new(words(jank), n as f64, Unit::None)));
    numbers
}

fn told(input: &RuleInput, of: &Counted, display: Option<&Counted>) -> Finding {
    let all = input.trace.extensions.get::<Timeline>().map_or(&[][..], |timeline| &timeline.0);
    let longest = of.late.iter().filter(|one| 0 < one.late.unwrap_or(0)).max_by_key(|one| one.late).copied();
    let place = longest.or(of.told().first().copied()).and_then(|one| {
        let span = one.span?.shifted(input.derived.timeline.shift_of(one.track));
        let place = Place::view("timeline").around(span).range(span).tracks(input.trace, &[one.track]);
        Some((place.address(), around(input, span, &[one.track])))
    });
    let (address, figure) =
        place.map_or_else(|| (Place::view("timeline").address(), None), |(a, f)| (a, Some(f)));
    let shown = match longest {
        Some(_) => message("the frame with the longest delay"),
        None => message("the first of these frames"),
    };
    Finding {
        severity: Severity::Warning,
        sentence: sentence(input, of, longest),
        line: line(input, all, of),
        value: share(of.told().len() as f64, of.n as f64),
        unit: Unit::Share,
        evidence: Evidence {
            shown,
            figure,
            numbers: numbers(input, of, display, longest),
            how: message(
                "Frames that the timeline of frames calls presented late, of all that ended and whose presentation it knows. Dropped frames were never presented. A delay is the time from the expected end to the actual one. A frame can have several causes at once.",
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
