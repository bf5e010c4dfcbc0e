//! Which tracks are busy at the same time: for each pair how long both are, how long one is alone, and how long so many
//! are at once.
//!
//! One pass over the slices in order of start; each costs as many steps as tracks are busy then.

use super::{Scope, Work};
use crate::analysis::timeline::order::InOrder;
use crate::analysis::timeline::{Timeline, chosen_tracks};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{
    Axis, AxisLabel, Bar, BarRole, Bars, Body, Choice, Family, Figure, Fold, HeatMap, Shading,
};
use crate::model::id::{SliceId, StrId, TrackId};
use std::ops::ControlFlow;

/// Parts of some thousand slices that are compared in one step.
const PARTS: usize = 8;

/// Most tracks that are compared.
pub const MAX_TRACKS: usize = 64;

/// How long tracks are busy together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// The tracks: the busiest ones, in the order shown.
    pub tracks: Vec<TrackId>,
    /// How many tracks were left out.
    pub n_left_out: usize,
    /// For each pair, row by row, how many ticks both are busy; on the diagonal how many one is.
    pub both: Vec<Ticks>,
    /// How many ticks each is busy while no other is.
    pub alone: Vec<Ticks>,
    /// How many ticks exactly so many tracks are busy, from none to all.
    pub at_once: Vec<Ticks>,
}

impl Overlap {
    /// How many ticks two tracks are busy together.
    pub fn pair(&self, a: usize, b: usize) -> Ticks {
        self.both[a * self.tracks.len() + b]
    }
}

/// The tracks that are compared: those that are busy in the time, at most [`MAX_TRACKS`], the busiest; and how many more
/// there are. Slices of waiting count here.
fn busiest(scope: Scope) -> (Vec<(TrackId, Option<usize>)>, usize) {
    let mut tracks: Vec<(usize, TrackId, Ticks)> = scope
        .tracks
        .iter()
        .enumerate()
        .map(|(at, &(id, _))| (at, id, scope.lasting(id)))
        .filter(|t| 0 < t.2)
        .collect();
    let n = tracks.len();
    if MAX_TRACKS < n {
        order::sort_by_key(&mut tracks, |t| (std::cmp::Reverse(t.2), t.0));
        tracks.truncate(MAX_TRACKS);
        order::sort_by_key(&mut tracks, |t| (t.0 as Ticks, 0));
    }
    (tracks.iter().map(|t| (t.1, None)).collect(), n - tracks.len())
}

/// What is known while time passes.
struct Sweep {
    n: usize,
    /// Which tracks are busy, as bits, and until when each is.
    busy: u64,
    until: [Ticks; MAX_TRACKS],
    /// Until when time was counted.
    now: Ticks,
    /// For each pair ends minus starts, at the place of the track that changed.
    both: Vec<Ticks>,
    alone: Vec<Ticks>,
    at_once: Vec<Ticks>,
}

impl Sweep {
    /// Counts the time up to a change.
    fn pass(&mut self, time: Ticks) {
        let dur = time.saturating_sub(self.now);
        self.now = time;
        let at_once = &mut self.at_once[self.busy.count_ones() as usize];
        *at_once = at_once.saturating_add(dur);
        if self.busy.is_power_of_two() {
            let alone = &mut self.alone[self.busy.trailing_zeros() as usize];
            *alone = alone.saturating_add(dur);
        }
    }

    /// Adds a time to what a track and each busy one have in common.
    fn mark(&mut self, track: usize, time: Ticks) {
        let row = &mut self.both[track * self.n..(track + 1) * self.n];
        let mut others = self.busy;
        while others != 0 {
            // Sums that run over in between come back: what is left in the end is a length.
            let sum = &mut row[others.trailing_zeros() as usize];
            *sum = sum.wrapping_add(time);
            others &= others - 1;
        }
    }

    /// Ends what ends until a time.
    fn end_until(&mut self, time: Ticks) {
        while self.busy != 0 {
            let mut others = self.busy;
            let mut first = (Ticks::MAX, 0);
            while others != 0 {
                let track = others.trailing_zeros() as usize;
                first = first.min((self.until[track], track));
                others &= others - 1;
            }
            let (end, track) = first;
            if time < end {
                break;
            }
            self.pass(end);
            self.mark(track, end);
            self.busy &= !(1 << track);
        }
    }

    fn start(&mut self, track: usize, span: Span) {
        self.end_until(span.start);
        if self.busy & 1 << track != 0 {
            self.until[track] = self.until[track].max(span.end);
        } else {
            self.pass(span.start);
            self.busy |= 1 << track;
            self.until[track] = span.end;
            self.mark(track, span.start.wrapping_neg());
        }
    }
}

/// Compares the tracks of an area.
pub fn overlap(scope: Scope, work: Work) -> Overlap {
    let mut comparing = Comparing::new(scope, work);
    while comparing.step(scope.trace, scope.timeline) {}
    comparing.finish()
}

/// The tracks of an area while they are compared, some thousand slices at a time.
pub struct Comparing {
    tracks: Vec<(TrackId, Option<usize>)>,
    n_left_out: usize,
    span: Span,
    work: Work,
    order: InOrder,
    sweep: Sweep,
}

impl Comparing {
    /// Begins.
    pub fn new(scope: Scope, work: Work) -> Self {
        let Scope { trace, timeline, span, .. } = scope;
        let (tracks, n_left_out) = busiest(scope);
        let order = InOrder::new(trace, timeline, &tracks, span);
        let n = tracks.len();
        let sweep = Sweep {
            n,
            busy: 0,
            until: [0; MAX_TRACKS],
            now: 0,
            both: vec![0; n * n],
            alone: vec![0; n],
            at_once: vec![0; n + 1],
        };
        Self { tracks, n_left_out, span, work, order, sweep }
    }

    /// Goes on for some milliseconds; says whether there is more. A machine, as it runs while the trace still grows,
    /// too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let Self { tracks, span, work, order, sweep, .. } = self;
        let scope = Scope { trace, timeline, tracks, span: *span };
        let take = |order: usize, id: SliceId| Some((order, id));
        order.step(PARTS, (trace, timeline, tracks), take, |_, (order, id)| {
            let row = id.row as usize;
            // Times are from the start of the area.
            let shown = scope.slice(id.track, row).intersect(scope.span);
            let from = |t: Ticks| t.saturating_sub(scope.span.start);
            let shown = Span { start: from(shown.start), end: from(shown.end) };
            if !shown.is_empty() && work.is(trace, timeline, id.track, row) {
                sweep.start(order, shown);
            }
            ControlFlow::Continue(())
        })
    }

    /// What was found, after the last step.
    pub fn finish(self) -> Overlap {
        let Self { tracks, n_left_out, span, mut sweep, .. } = self;
        sweep.end_until(Ticks::MAX);
        sweep.pass(span.dur());
        let n = sweep.n;
        let pair = |i: usize| {
            let (a, b) = (i / n, i % n);
            if a == b { sweep.both[i] } else { sweep.both[i].wrapping_add(sweep.both[b * n + a]) }
        };
        Overlap {
            tracks: tracks.iter().map(|t| t.0).collect(),
            n_left_out,
            both: (0..n * n).map(pair).collect(),
            alone: sweep.alone,
            at_once: sweep.at_once,
        }
    }
}

/// What ids of this figure begin with; an area follows.
const ID: &str = "overlap@";

/// The id of the figure of an area: `overlap@START,END,0@TRACK.TRACK`, 1 where waiting is work.
pub fn figure_id(span: Span, tracks: &[TrackId], waits: bool) -> String {
    let tracks: Vec<String> = tracks.iter().map(|t| t.0.to_string()).collect();
    format!("{ID}{},{},{}@{}", span.start, span.end, u8::from(waits), tracks.join("."))
}

fn of_id(id: &str) -> Option<(Span, Vec<TrackId>, bool)> {
    let (times, tracks) = id.strip_prefix(ID)?.split_once('@')?;
    let mut times = times.split(',');
    let mut time = || times.next()?.parse::<Ticks>().ok();
    let (start, end, waits) = (time()?, time()?, time()?);
    let tracks = tracks.split('.').filter(|t| !t.is_empty()).map(|t| t.parse().ok().map(TrackId));
    Some((Span::new(start, end), tracks.collect::<Option<_>>()?, waits != 0))
}

/// The figure of an area by its id; `None` for ids of other figures.
pub fn figure(trace: &Trace, timeline: &Timeline, id: &str) -> Option<Family> {
    let mut making = begin(trace, timeline, id)?;
    while making.step(trace, timeline) {}
    Some(family(trace, id, making))
}

/// Begins with the figure of an area by its id; `None` for ids of other figures.
pub(super) fn begin(trace: &Trace, timeline: &Timeline, id: &str) -> Option<Comparing> {
    let (span, tracks, waits) = of_id(id)?;
    let chosen = chosen_tracks(trace, &tracks);
    let scope = Scope { trace, timeline, tracks: &chosen, span };
    Some(Comparing::new(scope, Work::new(waits)))
}

/// The figure of what was compared.
pub fn family(trace: &Trace, id: &str, compared: Comparing) -> Family {
    let whole = compared.span.dur().max(1) as f64;
    let overlap = compared.finish();
    let mut together = Figure::new(phrase("Track overlap"), Body::HeatMap(map(trace, &overlap, whole)));
    let mut at_once = Figure::new(phrase("Concurrently busy tracks"), Body::Bars(bars(&overlap, whole)));
    for figure in [&mut together, &mut at_once] {
        phrase("% of range").clone_into(&mut figure.scope);
        if 0 < overlap.n_left_out {
            let (n, m) = (overlap.tracks.len(), overlap.n_left_out);
            let left = message("Showing the {n} busiest tracks; {m} more are not shown.");
            figure.notes.push(left.with("n", n).with("m", m));
        }
    }
    let choice = Choice {
        name: phrase("Show").to_owned(),
        options: vec![phrase("Pairwise").to_owned(), phrase("Concurrent").to_owned()],
    };
    Family {
        id: id.to_owned(),
        section: String::new(),
        title: together.title.clone(),
        choices: vec![choice],
        variants: vec![together, at_once],
    }
}

fn map(trace: &Trace, overlap: &Overlap, whole: f64) -> HeatMap {
    let n = overlap.tracks.len();
    let names = names(trace, &overlap.tracks);
    let axis = Axis {
        label: AxisLabel { name: phrase("Track").to_owned(), ..AxisLabel::default() },
        from: 0.0,
        to: n as f64,
        names,
    };
    HeatMap {
        x: axis.clone(),
        y: Axis { label: AxisLabel::default(), ..axis },
        unit: Unit::Share,
        width: n as u32,
        height: n as u32,
        values: overlap.both.iter().map(|&t| (t as f64 / whole) as f32).collect(),
        shading: Shading::Linear,
        fold: Fold::Max,
        full: Some(1.0),
        ..HeatMap::default()
    }
}

fn bars(overlap: &Overlap, whole: f64) -> Bars {
    let most = overlap.at_once.iter().rposition(|&t| 0 < t).unwrap_or(0);
    let bar = |k: usize| Bar {
        name: k.to_string(),
        values: vec![Some(overlap.at_once[k] as f64 / whole)],
        role: if k == 0 { BarRole::Wait } else { BarRole::Work },
        detail: String::new(),
    };
    let bars = (0..=most).filter(|&k| 0 < overlap.at_once[k]).map(bar).collect();
    Bars { unit: Unit::Share, full: Some(1.0), bars, ..Bars::default() }
}

/// Names that tell tracks apart: their own, and where several have it, their group behind it.
pub fn names(trace: &Trace, tracks: &[TrackId]) -> Vec<String> {
    let name = |id: TrackId| trace.tracks.find(id).map_or(StrId(0), |t| t.name);
    let mut shared: Map<StrId, u32> = Map::default();
    for &id in tracks {
        *shared.entry(name(id)).or_default() += 1;
    }
    let one = |&id: &TrackId| {
        let parent = trace.tracks.find(id).and_then(|t| t.parent);
        let text = trace.strings.get(name(id));
        match parent.filter(|_| 1 < shared[&name(id)]) {
            Some(parent) => format!("{text} · {}", trace.track_path(parent)),
            None => text.to_owned(),
        }
    };
    tracks.iter().map(one).collect()
}
