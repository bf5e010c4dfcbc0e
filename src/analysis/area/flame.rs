//! The calls of an area as one tree: slices that are nested alike under the same names are one frame.
//!
//! ```text
//! total  sum of the lengths of its slices, each cut to the area
//! own    total without the time of frames nested in it (self time)
//! ```
//! A slice is nested in the last one of its track that started before it and does not end before it, as in
//! [`super::super::summary`]; one that lies in another of its name has a frame of its own inside of that one's. Of several
//! tracks each name of a track is a frame of its own at the top, so that pipes of one kind on all cores stand together.
//!
//! Scopes alone are calls. An area without any but with samples of call stacks has the tree of those, by their number:
//! total is how many samples have the frame in their stack, own how many have it as their innermost. States of threads and
//! what processors ran have a tree where there is nothing else, each by themselves.

use super::{AreaRows, Scope};
use crate::analysis::statistics::{Of, of_one_kind};
use crate::analysis::summary::Nesting;
use crate::analysis::timeline::{Timeline, chosen_tracks, tracks_with};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use serde::{Deserialize, Serialize};

/// One frame: all slices with the same names around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Name of the slices, or of the track.
    pub name: StrId,
    /// The track of the first of them.
    pub track: TrackId,
    /// Number of the frame around it; 0 for those at the top, and for the root itself.
    pub parent: u32,
    /// How many frames stand around it; 0 is the root.
    pub level: u32,
    /// How many slices.
    pub n: u64,
    /// Sum of their lengths in the area.
    pub total: Ticks,
    /// Total without nested slices.
    pub own: Ticks,
    /// When the first of them starts in the area.
    pub first: Ticks,
    /// Whether it stands for a track, not for slices.
    pub is_track: bool,
}

impl Frame {
    /// Mean length in the area.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.total as f64 / self.n as f64 }
    }
}

/// How frames inside of one stand beside each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Most time first.
    #[default]
    Heavy,
    /// By their first start.
    Time,
}

/// The tree. Frame 0 is the root; a frame comes after the one around it.
#[derive(Debug, Default)]
pub struct Flame {
    pub frames: Vec<Frame>,
    /// Frames inside of each, most time first: those of frame `i` are `inside[from[i]..from[i + 1]]`.
    from: Vec<u32>,
    heavy: Vec<u32>,
    time: Vec<u32>,
    /// Whether it is of samples: then all sums are numbers of them, not ticks.
    pub is_of_samples: bool,
}

impl Flame {
    /// The frames inside of one, in an order.
    pub fn inside(&self, frame: u32, order: Order) -> &[u32] {
        let at = frame as usize;
        let range =
            self.from.get(at).zip(self.from.get(at + 1)).map_or(0..0, |(a, b)| *a as usize..*b as usize);
        match order {
            Order::Heavy => &self.heavy[range],
            Order::Time => &self.time[range],
        }
    }

    /// The frame at the end of a path of names from the top; as deep as the path can be followed.
    pub fn find(&self, path: &[StrId]) -> u32 {
        let mut at = 0;
        for name in path {
            let next = self.inside(at, Order::Heavy).iter().find(|&&f| self.frames[f as usize].name == *name);
            let Some(&next) = next else { break };
            at = next;
        }
        at
    }

    /// The frames around one and itself, from the root.
    pub fn path(&self, frame: u32) -> Vec<u32> {
        let mut path = vec![frame];
        let mut at = frame;
        while at != 0 {
            at = self.frames[at as usize].parent;
            path.push(at);
        }
        path.reverse();
        path
    }

    /// The `limit` frames with most time, root left out, each after the one around it: the tree from its top.
    pub fn heaviest(&self, limit: usize) -> Vec<u32> {
        let mut most: Vec<u32> = (1..self.frames.len() as u32).collect();
        if limit < most.len() {
            // Slices that overlap without being nested may add up to more than what is around them; no frame counts
            // for more than that. So what is around a frame counts as much and has a lower number: nothing kept stands
            // in the air.
            let mut weight = vec![Ticks::MAX; self.frames.len()];
            for (i, frame) in self.frames.iter().enumerate().skip(1) {
                weight[i] = frame.total.min(weight[frame.parent as usize]);
            }
            order::sort_numbers(&mut most, &|f| -weight[f as usize]);
            most.truncate(limit);
        }
        let mut is_kept = vec![false; self.frames.len()];
        for &frame in &most {
            is_kept[frame as usize] = true;
        }
        let mut listed = Vec::with_capacity(most.len());
        let mut open: Vec<u32> = self.inside(0, Order::Heavy).iter().rev().copied().collect();
        while let Some(at) = open.pop() {
            if is_kept[at as usize] {
                listed.push(at);
                open.extend(self.inside(at, Order::Heavy).iter().rev());
            }
        }
        listed
    }

    /// Lists what is inside of each frame, in both orders.
    fn arrange(&mut self) {
        let n = self.frames.len();
        let mut from = vec![0u32; n + 1];
        for frame in self.frames.iter().skip(1) {
            from[frame.parent as usize + 1] += 1;
        }
        for i in 0..n {
            from[i + 1] += from[i];
        }
        let mut at = from.clone();
        let mut list = vec![0u32; n.saturating_sub(1)];
        for (i, frame) in (0u32..).zip(&self.frames).skip(1) {
            let place = &mut at[frame.parent as usize];
            list[*place as usize] = i;
            *place += 1;
        }
        let frames = &self.frames;
        let of = |f: u32| &frames[f as usize];
        let mut time = list.clone();
        for i in 0..n {
            let range = from[i] as usize..from[i + 1] as usize;
            order::sort_numbers(&mut list[range.clone()], &|f| -of(f).total);
            order::sort_numbers(&mut time[range], &|f| of(f).first);
        }
        (self.from, self.heavy, self.time) = (from, list, time);
    }
}

/// Frames by the one around them and their name.
struct Grower {
    frames: Vec<Frame>,
    /// The first frames inside of each, with their names: few are found sooner by looking at each, and all that is
    /// inside of a frame that lasts stays in the cache.
    near: Vec<Vec<(StrId, u32)>>,
    /// The others.
    far: Map<(u32, StrId), u32>,
}

/// How many frames inside of one are looked at one by one.
const NEAR: usize = 48;

impl Grower {
    fn frame(&mut self, parent: u32, name: StrId, track: TrackId, first: Ticks) -> u32 {
        let near = &mut self.near[parent as usize];
        if let Some(found) = near.iter().find(|(of, _)| *of == name) {
            return found.1;
        }
        let next = self.frames.len() as u32;
        if near.len() < NEAR {
            near.push((name, next));
        } else {
            let frame = *self.far.entry((parent, name)).or_insert(next);
            if frame != next {
                return frame;
            }
        }
        let level = self.frames[parent as usize].level + 1;
        self.frames.push(Frame { name, track, parent, level, first, ..Frame::default() });
        self.near.push(Vec::new());
        next
    }
}

/// Makes the tree of an area.
pub fn flame(scope: Scope) -> Flame {
    let mut making = FlameMaking::new(scope.tracks.to_vec(), scope.span);
    while making.step(scope.trace, scope.timeline) {}
    making.finish()
}

/// A tree in progress.
pub struct FlameMaking {
    tracks: Vec<(TrackId, Option<usize>)>,
    span: Span,
    grower: Grower,
    /// Number of the track that comes next.
    at: usize,
    /// Where in it.
    open: Option<OnTrack>,
    is_of_samples: bool,
}

/// Where in a track its slices are taken in.
struct OnTrack {
    rows: AreaRows,
    nesting: Nesting,
    /// Frame of the track, and what its outermost slices add up to.
    top: u32,
    sum: Ticks,
}

/// Slices that are taken in in one step.
const STEP: usize = 1 << 15;

impl FlameMaking {
    /// Begins with some tracks in a stretch of time.
    pub fn new(tracks: Vec<(TrackId, Option<usize>)>, span: Span) -> Self {
        let root = Frame { first: span.start, ..Frame::default() };
        let grower = Grower { frames: vec![root], near: vec![Vec::new()], far: Map::default() };
        Self { tracks, span, grower, at: 0, open: None, is_of_samples: false }
    }

    /// Does the next piece; false when nothing is left to do. Rows must keep their places meanwhile. A machine, as it
    /// runs while the trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let mut left = STEP;
        while 0 < left && self.at < self.tracks.len() {
            if self.is_of_samples {
                self.samples(trace, timeline, &mut left);
            } else {
                self.track(trace, timeline, &mut left);
            }
        }
        self.at < self.tracks.len()
    }

    /// Of an area: of its scopes; where it has none, of its samples by their number, else of its other slices.
    pub fn of_area(trace: &Trace, tracks: &[TrackId], span: Span) -> Self {
        let (slices, kind) = of_one_kind(trace, chosen_tracks(trace, tracks), None);
        if kind == Some(Of::Scopes) {
            return Self::new(slices, span);
        }
        let sampled = tracks_with(trace, tracks, |track| !track.instants.stack.is_empty());
        if sampled.is_empty() {
            return Self::new(slices, span);
        }
        let sampled = sampled.into_iter().map(|id| (id, None)).collect();
        Self { is_of_samples: true, ..Self::new(sampled, span) }
    }

    /// Counts the samples of the next track under the functions of their stacks.
    fn samples(&mut self, trace: &Trace, timeline: &Timeline, left: &mut usize) {
        let Some(&(id, _)) = self.tracks.get(self.at) else { return };
        let (track, shift) = (trace.tracks.get(id), timeline.shift_of(id));
        // All of the time has the samples at its very end too.
        let is_to_end = timeline.span(trace).is_some_and(|whole| whole.end <= self.span.end);
        let end = self.span.end.saturating_add(Ticks::from(is_to_end));
        let grower = &mut self.grower;
        let mut top = 0;
        let mut known: Map<u32, u32> = Map::default();
        let mut path = Vec::new();
        let from = track.instants.time.partition_point(|&time| time.saturating_add(shift) < self.span.start);
        for row in from..track.instants.len() {
            let time = track.instants.time[row].saturating_add(shift);
            let stack = track.instants.stack_of(row);
            if end <= time {
                break;
            }
            if stack == 0 {
                continue;
            }
            *left = left.saturating_sub(1);
            if 1 < self.tracks.len() && top == 0 {
                top = grower.frame(0, track.name, id, time);
                grower.frames[top as usize].is_track = true;
            }
            let mut at = stack;
            let mut frame = loop {
                match (known.get(&at), trace.stacks.get(at)) {
                    (Some(&frame), _) => break frame,
                    (None, Some(of)) => {
                        path.push((at, of.name));
                        at = of.around;
                    }
                    (None, None) => break top,
                }
            };
            while let Some((number, name)) = path.pop() {
                frame = grower.frame(frame, name, id, time);
                known.insert(number, frame);
            }
            grower.frames[frame as usize].own += 1;
            loop {
                let of = &mut grower.frames[frame as usize];
                of.n += 1;
                of.total += 1;
                of.first = of.first.min(time);
                if frame == 0 {
                    break;
                }
                frame = of.parent;
            }
        }
        *left = left.saturating_sub(8);
        self.at += 1;
    }

    /// The tree, after the last step.
    pub fn finish(self) -> Flame {
        let is_of_samples = self.is_of_samples;
        let mut flame = Flame { frames: self.grower.frames, is_of_samples, ..Flame::default() };
        flame.arrange();
        flame
    }

    /// Takes in slices of the next track, as many as `left` allows, which is counted down.
    fn track(&mut self, trace: &Trace, timeline: &Timeline, left: &mut usize) {
        *left = left.saturating_sub(8);
        let Some(&(id, _)) = self.tracks.get(self.at) else { return };
        let scope = Scope { trace, timeline, tracks: &self.tracks, span: self.span };
        let Some(track) = trace.tracks.find(id) else {
            self.at += 1;
            return;
        };
        let begin = || OnTrack { rows: scope.rows(id), nesting: Nesting::default(), top: 0, sum: 0 };
        let mut open = self.open.take().unwrap_or_else(begin);
        let OnTrack { rows, nesting, top, sum } = &mut open;
        let grower = &mut self.grower;
        for row in rows.by_ref().take(*left) {
            *left -= 1;
            let span = scope.slice(id, row);
            let inside = span.intersect(scope.span);
            if 1 < self.tracks.len() && *top == 0 {
                *top = grower.frame(0, track.name, id, inside.start);
                grower.frames[*top as usize].is_track = true;
            }
            let parent = match nesting.around(span, inside, track.begins_stack(track.slices.name[row])) {
                Some((parent, nested)) => {
                    grower.frames[parent as usize].own -= nested;
                    parent
                }
                None => {
                    *sum += inside.dur();
                    *top
                }
            };
            let at = grower.frame(parent, track.slices.name[row], id, inside.start);
            let frame = &mut grower.frames[at as usize];
            frame.n += 1;
            frame.total = frame.total.saturating_add(inside.dur());
            frame.own = frame.own.saturating_add(inside.dur());
            frame.first = frame.first.min(inside.start);
            nesting.open(span, inside, at, false);
        }
        if *left == 0 {
            self.open = Some(open);
            return;
        }
        if *top != 0 {
            let frame = &mut grower.frames[*top as usize];
            frame.n += 1;
            frame.total = frame.total.saturating_add(*sum);
        }
        grower.frames[0].n += 1;
        grower.frames[0].total = grower.frames[0].total.saturating_add(*sum);
        self.at += 1;
    }
}
