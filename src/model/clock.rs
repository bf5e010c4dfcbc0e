//! Clocks: what a tick of a track means, and where it lies on the axis that all tracks share.
//!
//! ```text
//! tick of a clock ──(offset, rate)──▶ tick of the first clock ──(offset, rate)──▶ tick of the axis
//! ```
//! The rows of a trace lie on one axis, which counts in the finest of the clocks that are related. So no two ticks of a
//! clock meet on one of the axis, and [`TraceClock::tick`] gives back exactly what the file said. A clock that is related
//! to no other begins where everything else begins.
//!
//! A trace whose reader names no clocks has one, [`super::Trace::clock`], and nothing is converted.

use super::id::StrId;
use crate::base::number;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::window::Window;

/// Ticks of a relation stay below this: then no product of a time and a rate leaves 128 bits.
const MAX_RATE: i128 = 1 << 60;

/// How a clock is related to the first clock of its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// A tick of the clock.
    pub at: Ticks,
    /// The tick of the first clock at the same moment.
    pub first: Ticks,
    /// So many ticks of the first clock pass while the clock ticks so many times.
    pub rate: (u64, u64),
}

/// The relation of the first clock to itself.
pub const SAME: Relation = Relation { at: 0, first: 0, rate: (1, 1) };

/// One clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceClock {
    /// What the file calls it; empty for the first.
    pub name: StrId,
    /// What a tick means.
    pub unit: Clock,
    /// From the first to the last tick of its rows; `None` without rows.
    pub span: Option<Span>,
    /// How it is related to the first clock, if it is.
    pub relation: Option<Relation>,
    /// Where its ticks lie on the axis.
    pub place: Place,
}

/// The clocks of a trace; empty when all tracks count in [`super::Trace::clock`].
#[derive(Default)]
pub struct Clocks {
    /// The first clock, then the others as they were named.
    pub rows: Vec<TraceClock>,
    /// Counts up with every change of the axis: what was computed from times before is void.
    pub revision: u32,
}

/// A time on the axis is `(t · scale + offset) / unit`, rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    scale: i128,
    offset: i128,
    unit: i128,
}

impl Default for Place {
    fn default() -> Self {
        Self { scale: 1, offset: 0, unit: 1 }
    }
}

impl Place {
    /// Where a clock lies on the axis of another; `None` when the numbers are too large for exact arithmetic.
    pub fn of(own: Relation, axis: Relation) -> Option<Self> {
        let rates = [own.rate.0, own.rate.1, axis.rate.0, axis.rate.1].map(i128::from);
        let [own_first, own_ticks, axis_first, axis_ticks] = rates;
        let (scale, unit) = (own_first.checked_mul(axis_ticks)?, own_ticks.checked_mul(axis_first)?);
        let between = (i128::from(own.first) - i128::from(axis.first)).checked_mul(own_ticks)?;
        let offset = between.checked_mul(axis_ticks)?;
        let offset = offset.checked_add(i128::from(axis.at).checked_mul(unit)?)?;
        let offset = offset.checked_sub(i128::from(own.at).checked_mul(scale)?)?;
        let common = divisor(divisor(scale, unit), offset.checked_abs()?);
        let (scale, offset, unit) =
            (scale.checked_div(common)?, offset.checked_div(common)?, unit.checked_div(common)?);
        let rates = 1..=MAX_RATE;
        let fits = rates.contains(&scale) && rates.contains(&unit) && offset.abs() <= MAX_RATE << 63;
        fits.then_some(Self { scale, offset, unit })
    }

    /// Whether ticks of the clock are ticks of the axis, as in nearly all files.
    #[inline]
    fn is_axis(self) -> bool {
        self.scale == 1 && self.unit == 1 && self.offset == 0
    }

    /// The place of a tick on the axis; halves go up.
    #[inline]
    pub fn axis(self, tick: Ticks) -> Ticks {
        // Divisions of 128 bits for each row are 5 % of the time that a trace takes to open.
        if self.is_axis() { tick } else { self.axis_of_other(tick) }
    }

    fn axis_of_other(self, tick: Ticks) -> Ticks {
        let at = i128::from(tick) * self.scale + self.offset;
        clamped((2 * at + self.unit).div_euclid(2 * self.unit))
    }

    /// The tick that lies nearest to a place; halves go down, so that every tick comes back.
    pub fn tick(self, axis: Ticks) -> Ticks {
        let at = i128::from(axis) * self.unit - self.offset;
        clamped(-(self.scale - 2 * at).div_euclid(2 * self.scale))
    }
}

/// The greatest common divisor.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

fn clamped(ticks: i128) -> Ticks {
    Ticks::try_from(ticks).unwrap_or(if ticks < 0 { Ticks::MIN } else { Ticks::MAX })
}

impl TraceClock {
    /// What the clock showed at a time on the axis: exactly what the file said for the times that stand in it.
    pub fn tick(&self, axis: Ticks) -> Ticks {
        self.place.tick(axis)
    }

    /// A stretch of the axis in ticks of the clock.
    pub fn ticks(&self, axis: Span) -> Span {
        Span { start: self.tick(axis.start), end: self.tick(axis.end) }
    }

    /// The tick that labels count from.
    pub fn origin(&self) -> Ticks {
        self.span.map_or(0, Span::origin)
    }

    /// A time on the axis as a text, since the origin of the clock.
    pub fn instant(&self, axis: Ticks) -> String {
        number::instant(self.tick(axis).saturating_sub(self.origin()), self.unit)
    }

    /// The length of a stretch of the axis as a text.
    pub fn duration(&self, axis: Span) -> String {
        number::duration(self.ticks(axis).dur(), self.unit)
    }

    /// A window of the axis in ticks of the clock.
    pub fn window(&self, axis: Window) -> Window {
        let Place { scale, offset, unit } = self.place;
        let at = i128::from(axis.start) * unit - offset;
        let rate = unit as f64 / scale as f64;
        let part = at.rem_euclid(scale) as f64 / scale as f64 + axis.part * rate;
        let start = clamped(at.div_euclid(scale)).saturating_add(part.floor() as Ticks);
        Window { start, part: part - part.floor(), dur: axis.dur * rate }
    }
}

impl Clocks {
    /// Whether all tracks count in one clock.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The first clock, then the others as they were named; empty when there is one only.
    pub fn rows(&self) -> &[TraceClock] {
        &self.rows
    }

    /// Counts up with every change of the axis: what was computed from times before is void.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// From the first to the last tick of the axis, also of clocks that are related to no other if they are meant.
    pub(super) fn reach(&self, has_unrelated: bool) -> Option<Span> {
        let meant = self.rows.iter().filter(|clock| has_unrelated || clock.relation.is_some());
        let spans = meant.filter_map(|clock| {
            let Span { start, end } = clock.span?;
            Some(Span { start: clock.place.axis(start), end: clock.place.axis(end) })
        });
        spans.reduce(Span::union)
    }

    /// Places all clocks on the axis; returns the unit of the axis.
    pub fn arrange(&mut self) -> Clock {
        let finer = |a: Relation, b: Relation| {
            let product = |x: u64, y: u64| u128::from(x) * u128::from(y);
            product(a.rate.0, b.rate.1) < product(b.rate.0, a.rate.1)
        };
        let (mut axis, mut unit) = (SAME, self.rows.first().map_or(Clock::Nanos, |first| first.unit));
        for clock in &mut self.rows {
            // What cannot be counted exactly is not related.
            clock.relation = clock.relation.filter(|own| Place::of(*own, SAME).is_some());
            if let Some(own) = clock.relation.filter(|own| finer(*own, axis)) {
                (axis, unit) = (own, clock.unit);
            }
        }
        for clock in &mut self.rows {
            let place = clock.relation.map(|own| Place::of(own, axis));
            clock.relation = clock.relation.filter(|_| place != Some(None));
            clock.place = place.flatten().unwrap_or_default();
        }
        unit
    }

    /// Lets the clocks that are related to no other begin where the rest begins; without a rest the first of them is the
    /// axis, whose unit is returned.
    pub(super) fn place_rest(&mut self) -> Option<Clock> {
        let (mut start, mut unit) = (self.reach(false).map(|span| span.start), None);
        for clock in self.rows.iter_mut().filter(|clock| clock.relation.is_none()) {
            let Some(span) = clock.span else { continue };
            let begin = *start.get_or_insert_with(|| {
                unit = Some(clock.unit);
                span.start
            });
            clock.place.offset = i128::from(begin) - i128::from(span.start);
        }
        unit
    }
}
