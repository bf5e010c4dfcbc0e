//! What is to be known of a frame beside the picture: the heads of its rows, and the picture in words.

use super::layout::{Layout, RowKind, Seen, TrackRow};
use super::{Canvas, Setting, TimelineInput, origin};
use crate::analysis::device::class::{is_labelled_host, is_on_device};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::ranks::is_mark;
use crate::analysis::timeline::counters::Levels;
use crate::base::geometry::{Point, Px, Size};
use crate::base::time::{Span, Ticks};
use crate::base::words::{fill, phrase, tr};
use crate::base::{number, order};
use crate::model::Series;
use crate::model::id::{ClockId, TrackId};
use crate::model::track::Role;
use crate::scene::palette::Ink;
use crate::scene::{Shape, Stroke};
use serde::{Deserialize, Serialize};

/// The head of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub track: TrackId,
    pub name: String,
    /// A second word behind the name.
    pub label: String,
    /// Whether it counts in another clock than the first.
    pub has_own_clock: bool,
    pub kind: RowKind,
    /// Top edge in the picture.
    pub y: Px,
    pub h: Px,
    /// How many groups stand above it.
    pub level: usize,
    /// Whether what is below it is shown.
    pub is_open: bool,
    /// Whether it can be opened and closed.
    pub can_open: bool,
    /// Whether it does not scroll.
    pub is_pinned: bool,
    /// Whether it stays while the rows of its group are scrolled by.
    pub is_sticky: bool,
    /// How many tracks share the row.
    pub n_tracks: usize,
    pub others: Vec<TrackId>,
    /// The group it stands in.
    pub parent: Option<TrackId>,
    /// The rows before and after it in the same group.
    pub siblings: [Option<TrackId>; 2],
    /// Its own offset: how much later than in the file, or than the group above, its times are shown, as a text with its
    /// sign; empty without one.
    pub shift: String,
    /// Busy share of the window, or the peak of a counter.
    pub value: String,
    /// Whether the share is that of a device: while any of its streams works.
    pub is_of_device: bool,
    /// Whether it is that of a pipe: of the time of its core.
    pub is_of_pipe: bool,
    /// What its slices tell, which the share is of.
    pub role: Role,
}

impl Head {
    /// Whether the second word stays whole where the name gives way: it is a number, or that of a rank.
    pub fn has_id(&self) -> bool {
        let id = self.label.strip_prefix("rank ").unwrap_or(&self.label);
        id.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether the offset, longer than `−124.887 µs`, would leave no room for the name.
    pub fn has_long_shift(&self) -> bool {
        11 < self.shift.chars().count()
    }
}

/// The heads of the rows on screen. Costs one descent for each.
pub fn heads(on: TimelineInput, setting: &Setting, layout: &Layout, size: Size) -> Vec<Head> {
    layout
        .on_screen(setting.frame.scroll, size.h)
        .map(|Seen { row, y, is_sticky, .. }| {
            let track = on.trace.tracks.get(row.track);
            let device = of_device(on, setting, row);
            let names: Vec<&str> = row.tracks().map(|id| setting.frame.rows.name(on.trace, id)).collect();
            Head {
                track: row.track,
                name: names.join(" + "),
                label: label(on, setting, row.track),
                has_own_clock: track.clock != ClockId(0),
                kind: row.kind,
                y,
                h: row.h,
                level: row.level,
                is_open: row.is_open,
                can_open: row.can_open,
                is_pinned: row.is_pinned,
                is_sticky,
                n_tracks: names.len(),
                others: row.tracks().filter(|id| *id != row.track).collect(),
                parent: track.parent,
                siblings: row.siblings,
                shift: number::time_offset(own_shift(on, row.track, track.parent), on.trace.clock),
                is_of_device: device.is_some(),
                is_of_pipe: on.trace.coloring.by_row() && track.parent.is_some(),
                role: track.role,
                value: device.map_or_else(|| value(on, setting, row), percent),
            }
        })
        .collect()
}

/// The tracks that a stretch of heights covers, in order: those of all rows that it touches. An open group stands for
/// nothing when rows inside of a group are touched, which say themselves which tracks are meant.
pub fn tracks_between(heads: &[Head], top: Px, bottom: Px) -> Vec<TrackId> {
    let touched: Vec<&Head> = heads.iter().filter(|h| h.y <= bottom && top < h.y + h.h).collect();
    let deepest = touched.iter().map(|h| h.level).max().unwrap_or(0);
    let stands = |h: &&&Head| !(h.is_open && h.kind == RowKind::Group && h.level < deepest);
    let rows = touched.iter().filter(stands);
    let mut tracks: Vec<TrackId> =
        rows.flat_map(|h| std::iter::once(h.track).chain(h.others.iter().copied())).collect();
    order::sort(&mut tracks);
    tracks.dedup();
    tracks
}

/// The second word of a track, unless its name has it; where a clock of its own begins, also which that is.
fn label(on: TimelineInput, setting: &Setting, id: TrackId) -> String {
    let (trace, track) = (on.trace, on.trace.tracks.get(id));
    let label = trace.strings.get(track.label);
    let has_it = |name: &str| name.split(|c: char| !c.is_alphanumeric()).any(|word| word == label);
    let label = if has_it(setting.frame.rows.name(trace, id)) { "" } else { label };
    let above = track.parent.map_or(ClockId(0), |parent| trace.tracks.get(parent).clock);
    if track.clock == above {
        return label.to_owned();
    }
    let clock = trace.clock_of(id);
    let text = match clock.relation {
        Some(_) => tr(setting.language, "clock {name}"),
        None => tr(setting.language, "clock {name}, not related to any other, from {start}"),
    };
    let start = number::instant(clock.span.map_or(0, |span| span.start), clock.unit);
    let text = fill(text, &[("name", trace.strings.get(clock.name)), ("start", &start)]);
    if label.is_empty() { text } else { format!("{label} · {text}") }
}

fn own_shift(on: TimelineInput, track: TrackId, parent: Option<TrackId>) -> Ticks {
    let above = parent.map_or(0, |parent| on.timeline.shift_of(parent));
    on.timeline.shift_of(track).saturating_sub(above)
}

fn value(on: TimelineInput, setting: &Setting, row: &TrackRow) -> String {
    match row.kind {
        // Rows that share one are as busy as the busiest of them, like groups.
        RowKind::Lanes(_) => {
            let shares = row.tracks().filter_map(|track| busy(on, setting, track));
            shares.reduce(f64::max).map_or(String::new(), percent)
        }
        RowKind::Group => of_group(on, setting, &on.trace.tracks.shown()[row.below.clone()]),
        RowKind::Counter => {
            let track = on.trace.tracks.get(row.track);
            let Some(series) = track.series.first() else { return String::new() };
            let peak = counter_peak(on, row.track);
            peak.map_or(String::new(), |peak| {
                format!("{} {}", tr(setting.language, "peak"), number::with_unit(peak, &series.unit))
            })
        }
    }
}

/// In which share of the window any stream of a device works, if nothing but streams is below a group and there are
/// several.
fn of_device(on: TimelineInput, setting: &Setting, row: &TrackRow) -> Option<f64> {
    if row.kind != RowKind::Group {
        return None;
    }
    let share = on.timeline.busy_device(on.trace, row.track, seen(on, setting))?;
    let is_stream = |id: &TrackId| on.timeline.streams().kind(*id).is_some();
    let is_told = |id: &TrackId| is_stream(id) || on.timeline.track(*id).is_empty();
    telling(on, &on.trace.tracks.shown()[row.below.clone()]).iter().all(is_told).then_some(share)
}

/// The tracks below a group that say how busy it is: in the group of a device only its streams do, whatever else a writer
/// puts there.
pub(super) fn telling(on: TimelineInput, below: &[TrackId]) -> Vec<TrackId> {
    let (trace, words) = (on.trace, Dialect::of(on.trace));
    let is_stream = |id: TrackId| on.timeline.streams().kind(id).is_some();
    let parent = |id: TrackId| trace.tracks.get(id).parent;
    let mut devices: Vec<Option<TrackId>> = Vec::new();
    for id in below.iter().copied().filter(|id| is_stream(*id)) {
        let is_known = devices.contains(&parent(id));
        if !is_known && is_on_device(trace, words, id) && !is_labelled_host(trace, id) {
            devices.push(parent(id));
        }
    }
    below.iter().copied().filter(|id| is_stream(*id) || !devices.contains(&parent(*id))).collect()
}

/// How busy the tracks below a group are: of processors their mean, as a machine is loaded; of others the busiest, as a
/// group is as busy as what bounds it. Where it is recorded when threads ran, that counts and not how long their scopes
/// are, and a word says which it is.
fn of_group(on: TimelineInput, setting: &Setting, below: &[TrackId]) -> String {
    let below = &telling(on, below);
    let of = |role: Role| {
        let tracks = below.iter().filter(|id| on.trace.tracks.get(**id).role == role);
        tracks.filter_map(|&track| busy(on, setting, track)).collect::<Vec<f64>>()
    };
    // Processors without any share do not count, so the states of threads that stand for them are no mean.
    let all = [(Role::Processor, true), (Role::States, false)].into_iter();
    let mut all = all.map(|(role, is_mean)| (of(role), is_mean));
    let Some((shares, is_mean)) = all.find(|(shares, _)| !shares.is_empty()) else {
        let shares = below.iter().filter_map(|&track| busy(on, setting, track));
        return shares.reduce(f64::max).map_or(String::new(), percent);
    };
    let (word, share) = if is_mean {
        (phrase("mean"), shares.iter().sum::<f64>() / shares.len() as f64)
    } else {
        (phrase("max"), shares.into_iter().fold(0.0, f64::max))
    };
    format!("{} {}", tr(setting.language, word), percent(share))
}

fn percent(share: f64) -> String {
    format!("{} %", number::fixed(share * 100.0, 1))
}

/// The visible time as far as the trace has it: beside another one the window may reach beyond it.
fn seen(on: TimelineInput, setting: &Setting) -> Span {
    let seen = setting.window.span();
    let whole = on.timeline.span(on.trace).unwrap_or(seen);
    // Slices without length at one time are there too.
    seen.intersect(Span { end: whole.end.max(whole.start.saturating_add(1)), ..whole })
}

/// In which share of the window the track is busy, of what was recorded there, waiting left out; `None` when nothing was,
/// or it has no slices or only marks of the recording. Of states of a thread only running is being busy.
pub fn busy(on: TimelineInput, setting: &Setting, track: TrackId) -> Option<f64> {
    let lanes = on.timeline.track(track);
    if lanes.is_empty() || is_mark(on.trace, on.trace.tracks.get(track)) {
        return None;
    }
    let span = on.timeline.recorded(on.trace, track, seen(on, setting));
    if span.is_empty() {
        return None;
    }
    let covered = lanes.busy(span.shifted(on.timeline.shift_of(track).saturating_neg()));
    Some(covered as f64 / span.dur() as f64)
}

/// The picture in words.
pub fn words(on: TimelineInput, setting: &Setting, heads: &[Head]) -> String {
    let language = setting.language;
    let (span, zero, clock) = (setting.window.span(), origin(on.trace), on.trace.clock);
    let time = |t: i64| number::instant(t.saturating_sub(zero), clock);
    let lanes = |h: &&Head| matches!(h.kind, RowKind::Lanes(_));
    let mut slices = 0;
    let mut busiest: Option<(&Head, f64)> = None;
    for head in heads.iter().filter(lanes) {
        let track = on.timeline.track(head.track);
        let rows = &on.trace.tracks.get(head.track).slices;
        let span = span.shifted(on.timeline.shift_of(head.track).saturating_neg());
        slices += (0..track.len()).map(|lane| track.fold(rows, lane, span).n).sum::<u64>();
        let share = busy(on, setting, head.track).unwrap_or(0.0);
        if busiest.is_none_or(|(_, most)| most < share) {
            busiest = Some((head, share));
        }
    }
    let rows = heads.iter().filter(lanes).count();
    let n = number::thousands(slices.cast_signed());
    let mut words = format!(
        "{}, {} – {}. {}: {rows}. {}: {n}.",
        tr(language, "Timeline"),
        time(span.start),
        time(span.end),
        tr(language, "Rows on screen"),
        tr(language, "Slices"),
    );
    if let Some((head, share)) = busiest {
        words.push_str(&format!(" {}: {}, {}.", tr(language, "Busiest row"), head.name, percent(share)));
    }
    words
}

// Rows of counters: stepped areas, several series stacked, with a dashed line at the peak.

/// Room above the peak.
const HEADROOM: Px = 5.0;

/// The largest value of a counter: of several series what they add up to. `None` when it has none.
fn counter_peak(on: TimelineInput, track: TrackId) -> Option<f64> {
    let counters = on.timeline.counters();
    if let Some((total, levels)) = counters.total(track) {
        return levels.peak(total);
    }
    let series = on.trace.tracks.get(track).series.iter().enumerate();
    // While loading it is only known what it is at most.
    series.filter_map(|(i, one)| counters.series(track, i)?.peak(one)).reduce(|a, b| a.max(0.0) + b.max(0.0))
}

impl Canvas<'_> {
    /// Draws the row of a counter with its top edge at `y`; nothing is drawn above `clip`.
    pub(super) fn counter(&mut self, row: &TrackRow, y: Px, clip: Px) {
        if row.is_pinned {
            self.cover(y, row.h);
        } else if y < clip {
            self.over.push(Shape::Clip(crate::base::geometry::Rect::new(
                0.0,
                clip,
                self.size.w,
                self.size.h,
            )));
        }
        let bottom = y + row.h - 1.0;
        let columns = self.columns();
        let peak = counter_peak(self.on, row.track).unwrap_or(0.0);
        if 0.0 < peak {
            let per_value = f64::from(row.h - HEADROOM - 1.0) / peak;
            let mut below = vec![0.0; columns];
            for (i, values) in self.stack(row.track, columns).into_iter().enumerate() {
                let ink = self.colors.series(row.track, i);
                self.area(&mut below, &values, per_value, bottom, ink);
            }
            let top = bottom - (peak * per_value) as Px;
            let stroke = Stroke { ink: Ink::Token("t3"), width: 1.0, dash: 3.0 };
            let points = vec![Point { x: 0.0, y: top - 0.5 }, Point { x: self.size.w, y: top - 0.5 }];
            self.over.push(Shape::Path { points, stroke });
        }
        if !row.is_pinned && y < clip {
            self.over.push(Shape::Unclip);
        }
        if clip < bottom {
            self.rect(0.0, self.size.w, bottom, 1.0, Ink::Token("line"));
        }
    }

    /// The largest values of each series in each column. The largest of several series need not fall together: then
    /// they are lowered so that the top of the stack is the largest that they add up to.
    fn stack(&self, track: TrackId, columns: usize) -> Vec<Vec<f64>> {
        let counters = self.on.timeline.counters();
        let window = self.window_of(track);
        let cut = |one: &Series, levels: &Levels| {
            let mut values = Vec::new();
            levels.cut(one, &window, columns, &mut values);
            values
        };
        let series = self.on.trace.tracks.get(track).series.iter().enumerate();
        let mut all: Vec<Vec<f64>> =
            series.map(|(i, one)| counters.series(track, i).map_or(Vec::new(), |l| cut(one, l))).collect();
        if let Some((total, levels)) = counters.total(track) {
            for (column, top) in cut(total, levels).into_iter().enumerate() {
                let at = |values: &Vec<f64>| values.get(column).copied().filter(|v| 0.0 < *v).unwrap_or(0.0);
                let sum: f64 = all.iter().map(at).sum();
                if top < sum {
                    all.iter_mut().filter_map(|v| v.get_mut(column)).for_each(|v| *v *= top / sum);
                }
            }
        }
        all
    }

    /// One stepped area over what is stacked below it; a gap in the values is a gap in the area.
    fn area(&mut self, below: &mut [f64], values: &[f64], per_value: f64, bottom: Px, ink: Ink) {
        let ratio = self.ratio();
        let y = |value: f64| bottom - (value * per_value) as Px;
        let n = values.len();
        let mut from = 0;
        while from < n {
            if !values[from].is_finite() {
                from += 1;
                continue;
            }
            let to = (from..n).find(|&i| !values[i].is_finite()).unwrap_or(n);
            let (mut top, mut base): (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
            let mut start = from;
            while start < to {
                let height = values[start].max(0.0);
                let end = (start + 1..to)
                    .find(|&i| values[i] != values[start] || below[i] != below[start])
                    .unwrap_or(to);
                let (x0, x1) = (start as Px / ratio, end as Px / ratio);
                for x in [x0, x1] {
                    top.push(Point { x, y: y(below[start] + height) });
                    base.push(Point { x, y: y(below[start]) });
                }
                for sum in &mut below[start..end] {
                    *sum += height;
                }
                start = end;
            }
            let area: Vec<Point> = top.iter().copied().chain(base.into_iter().rev()).collect();
            self.over.push(Shape::Polygon { points: area, ink: self.faded(ink, 0.16) });
            self.over.push(Shape::Path { points: top, stroke: Stroke::new(ink, 1.0) });
            from = to;
        }
    }
}
