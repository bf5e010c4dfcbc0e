//! The colors of slices: by name, by row, by category, by length, or by a color scheme of a system. A name has the same
//! color in every file, unless one that takes more time there has it: of those that take most time no two are alike while
//! colors are left. Waiting is gray and hatched where names or rows decide.

use crate::analysis::timeline::names::{NameTotal, Names};
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::base::{number, order};
use crate::draw::{ColorBy, ColorScheme, style};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;
use crate::scene::SpanStyle;
use crate::scene::palette::{Ink, RampName};

/// The color of categories without one of their own.
const REST: u8 = 9;
/// Colors of categories.
const COLORS: [u8; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12];

/// Colors of stacked series.
const STACK: [u8; 6] = [1, 3, 2, 4, 6, 5];

/// How a slice is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    pub ink: Ink,
    /// What is written on it; `Ink::None` is what reads best on the color, which differs by theme.
    pub text: Ink,
    /// Filled or hatched.
    pub look: SpanStyle,
    /// Whether it takes less than the height of its lane.
    pub is_thin: bool,
}

const WAITING: Paint =
    Paint { ink: Ink::Token("wait"), text: Ink::Token("wait-ink"), look: SpanStyle::Hatched, is_thin: false };

/// The colors of one trace.
pub struct Colors<'a> {
    trace: &'a Trace,
    names: &'a Names,
    by: ColorBy,
    /// Names whose color is not theirs in every file.
    moved: Vec<(StrId, Ink)>,
    /// Categories with a color of their own, most time first.
    categories: Vec<(StrId, u8)>,
    /// Each step of the ramp but the last ends before this length.
    steps: Vec<Ticks>,
}

/// Most steps of the ramp of lengths, and its first stop: those before are too near to the ground.
const STEPS: usize = 7;
const FIRST_STOP: u8 = 2;

impl<'a> Colors<'a> {
    /// Looks at categories or lengths where they decide. Costs the names then.
    pub fn new(trace: &'a Trace, names: &'a Names, by: ColorBy) -> Self {
        let mut colors =
            Self { trace, names, by, moved: Vec::new(), categories: Vec::new(), steps: Vec::new() };
        match by {
            ColorBy::Category => colors.categories = categories(trace, names),
            ColorBy::Duration => colors.steps = steps(names),
            ColorBy::Name => colors.moved = moved(trace, names),
            _ => {}
        }
        colors
    }

    /// How a slice or an instant is painted.
    pub fn paint_event(&self, id: SliceId) -> Paint {
        match id.instant() {
            Some(_) => Paint { ink: style::T2, ..slice(REST) },
            None => self.paint_slice(id.track, id.row as usize),
        }
    }

    /// How one slice is painted: where its category or its length decide, exactly by its own.
    pub fn paint_slice(&self, track: TrackId, row: usize) -> Paint {
        let slices = &self.trace.tracks.get(track).slices;
        match self.by {
            ColorBy::Category => self.category(slices.category_of(row)),
            ColorBy::Duration => self.step(slices.dur_of(row)),
            ColorBy::Scheme(scheme) => {
                self.scheme(scheme, slices.name[row], Slices::sparse(&slices.color, row))
            }
            _ => self.paint(track, slices.name[row]),
        }
    }

    fn category(&self, category: StrId) -> Paint {
        let own = self.categories.iter().find(|(id, _)| *id == category);
        slice(own.map_or(REST, |(_, color)| *color))
    }

    fn step(&self, dur: Ticks) -> Paint {
        let at = self.steps.iter().take_while(|&&end| end <= dur).count();
        filled(self.stop(at))
    }

    /// The color of a step: the steps lie evenly on what is left of the ramp.
    fn stop(&self, at: usize) -> Ink {
        let (first, last) = (usize::from(FIRST_STOP), 8);
        let stop = if self.steps.is_empty() { last } else { first + at * (last - first) / self.steps.len() };
        Ink::Stop(RampName::Seq, stop as u8)
    }

    /// How slices of this name on this track are painted.
    pub fn paint(&self, track: TrackId, name: StrId) -> Paint {
        match self.by {
            ColorBy::Scheme(scheme) => return self.scheme(scheme, name, self.names.total(name).color),
            ColorBy::Category => return self.category(self.names.total(name).category),
            ColorBy::Duration => return self.step(mean(&self.names.total(name))),
            ColorBy::Name | ColorBy::Row => {}
        }
        if self.names.total(name).is_waiting {
            return WAITING;
        }
        match self.by {
            ColorBy::Row => self.row(track),
            _ => {
                let moved = self.moved.iter().find(|(id, _)| *id == name).map(|(_, ink)| *ink);
                slice(number(moved.unwrap_or_else(|| style::name_ink(self.trace.strings.get(name)))))
            }
        }
    }

    /// How the slices of a track are painted when the row decides: of a scheme with colors for everything as the first one
    /// on it.
    pub fn row(&self, track: TrackId) -> Paint {
        if self.of_key().is_some() && self.trace.tracks.find(track).is_some_and(|t| !t.slices.name.is_empty())
        {
            return self.paint_slice(track, 0);
        }
        let name = self.trace.tracks.find(track).map_or("", |t| self.trace.strings.get(t.name));
        slice(number(style::work_ink(name)))
    }

    /// What colors mean: some names, and their categories with most time first, or steps of length, shortest first, or what
    /// the scheme says of them; nothing when rows decide. The names are those that are seen, most time first; so are the
    /// color names, for the scheme.
    pub fn legend(&self, names: &[StrId], colors: &[StrId]) -> Vec<(Ink, String)> {
        let text = |id: StrId| match self.trace.strings.get(id) {
            "" => number::MISSING.to_owned(),
            text => text.to_owned(),
        };
        let named = |&name: &StrId| (self.paint(TrackId(0), name).ink, text(name));
        match self.by {
            ColorBy::Row => Vec::new(),
            ColorBy::Scheme(ColorScheme { legend: Some(legend), .. }) => {
                let of_colors = legend(&mut colors.iter().map(|&color| self.trace.strings.get(color)));
                of_colors.into_iter().map(|(ink, words)| (ink, words.to_owned())).collect()
            }
            ColorBy::Category => {
                let is_seen = |id: StrId| names.iter().any(|name| self.names.total(*name).category == id);
                let seen = self.categories.iter().filter(|(id, _)| is_seen(*id));
                seen.map(|&(id, n)| (Ink::Slice(n), text(id))).collect()
            }
            ColorBy::Duration => {
                let length = |at: usize| number::duration(self.steps[at], self.trace.clock);
                let word = |at| match (at, self.steps.len()) {
                    (_, 0) => number::MISSING.to_owned(),
                    (0, _) => format!("< {}", length(0)),
                    (at, _) => format!("≥ {}", length(at - 1)),
                };
                (0..=self.steps.len()).map(|at| (self.stop(at), word(at))).collect()
            }
            _ => names.iter().map(named).collect(),
        }
    }

    /// By the scheme, which sees the name and the color name.
    fn scheme(&self, scheme: &ColorScheme, name: StrId, color: StrId) -> Paint {
        (scheme.paint)(self.trace.strings.get(name), self.trace.strings.get(color))
    }

    /// The scheme's colors of counters and flows.
    fn of_key(&self) -> Option<fn(&str) -> Ink> {
        if let ColorBy::Scheme(scheme) = self.by { scheme.of_key } else { None }
    }

    /// The color of a series of a counter.
    pub fn series(&self, track: TrackId, series: usize) -> Ink {
        let Some(track) = self.trace.tracks.find(track) else { return Ink::None };
        if let Some(of_key) = self.of_key() {
            let name = track.series.get(series).map_or("", |one| self.trace.strings.get(one.name));
            return of_key(&format!("{name}{}", self.trace.strings.get(track.name)));
        }
        match track.series.len() {
            1 => Ink::Token("accent"),
            _ => Ink::Slice(STACK[series % STACK.len()]),
        }
    }

    /// The color of flows of a category where it decides.
    pub fn flow(&self, category: StrId) -> Option<Ink> {
        self.of_key().map(|of_key| of_key(self.trace.strings.get(category)))
    }
}

/// Those of the names with most time that another one with more of it leaves no color of their own, and what they get.
fn moved(trace: &Trace, names: &Names) -> Vec<(StrId, Ink)> {
    let mut taken: Vec<Ink> = Vec::new();
    let mut moved = Vec::new();
    for &name in names.most() {
        let mut ink = style::name_ink(trace.strings.get(name));
        if taken.contains(&ink)
            && let Some(free) = style::other_inks(ink).find(|other| !taken.contains(other))
        {
            ink = free;
            moved.push((name, free));
        }
        taken.push(ink);
    }
    moved
}

/// The categories with most time and their colors. Costs the names.
fn categories(trace: &Trace, names: &Names) -> Vec<(StrId, u8)> {
    let mut totals: Map<StrId, i64> = Map::default();
    for &name in names.used() {
        let total = names.total(name);
        let sum = totals.entry(total.category).or_default();
        *sum = sum.saturating_add(total.total);
    }
    let mut most: Vec<(i64, &str, StrId)> =
        totals.into_iter().map(|(id, total)| (total, trace.strings.get(id), id)).collect();
    order::sort_by(&mut most, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    most.iter().zip(COLORS).map(|(&(_, _, id), color)| (id, color)).collect()
}

/// Round lengths about between the mean lengths of the shortest and the longest name: 1, 2 and 5 times powers of ten, or
/// the powers alone when these would be too many steps. Costs the names.
fn steps(names: &Names) -> Vec<Ticks> {
    let means = || names.used().iter().map(|&name| mean(&names.total(name)));
    let (Some(least), Some(most)) = (means().min(), means().max()) else { return Vec::new() };
    let (least, most) = (least / 2, most.saturating_mul(2));
    let round = |factors: &[Ticks]| -> Vec<Ticks> {
        let all = (0..18).flat_map(|n| factors.iter().map(move |factor| factor * 10_i64.pow(n)));
        all.filter(|&step| least < step && step <= most).collect()
    };
    let fine = round(&[1, 2, 5]);
    if fine.len() < STEPS {
        return fine;
    }
    let mut coarse = round(&[1]);
    // Of too many the shortest are one.
    coarse.drain(..(coarse.len() + 1).saturating_sub(STEPS));
    coarse
}

fn mean(total: &NameTotal) -> Ticks {
    total.total / total.n.max(1).cast_signed()
}

fn slice(color: u8) -> Paint {
    Paint { ink: Ink::Slice(color), text: Ink::OnSlice(color), look: SpanStyle::Plain, is_thin: false }
}

/// Filled; what is written on it is what reads best on the color.
pub fn filled(ink: Ink) -> Paint {
    Paint { ink, text: Ink::None, look: SpanStyle::Plain, is_thin: false }
}

fn number(ink: Ink) -> u8 {
    if let Ink::Slice(n) = ink { n } else { REST }
}
