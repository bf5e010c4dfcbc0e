//! Whether a device comes late to the meetings of a group by more than chance, and by itself.
//!
//! ```text
//! trial    a step; where there are none, collectives behind which some device computes on, up to one behind which none does:
//!          who was late to one of these is late to the next, that is one chance and not two
//! always   the mean of how late it comes in a trial is above zero: Student's t, one-sided, for as many devices and groups
//! once     one trial has most of all waiting: of waits of one kind (exponential ones) one would be so long hardly ever
//! passed   it waited in another group since, by as much as it is late now: then that is why it is late
//! ```

use super::meetings::{Group, Last, Meeting, Meetings};
use super::ranks::LAST;
use crate::analysis::device::{Device, Rank};
use crate::analysis::finding::share;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::id::TrackId;

/// Most trials where no steps are known: what goes on over several collectives lies in one of these.
const TRIALS: usize = 10;

/// In which way a device is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Always,
    Once,
}

/// The end of a collective on a device, by its own clock.
struct Release {
    group: usize,
    track: TrackId,
    end: Ticks,
    /// How long it waited until the last one came, and what that held up.
    waited: Ticks,
    holds: Holds,
}

/// What waiting at a collective holds up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    /// The next collective of its stream, which begins as soon as this one ends.
    Stream,
    /// All that the device computes.
    Device,
}

impl Release {
    /// Whether what begins at a time is held up by this.
    fn reaches(&self, begun: Ticks) -> bool {
        match self.holds {
            Holds::Nothing => false,
            Holds::Stream => is_next(self.end, begun, self.waited),
            Holds::Device => true,
        }
    }
}

/// Whether something begins as soon as another one ends, for which a device waited so long.
fn is_next(end: Ticks, begun: Ticks, waited: Ticks) -> bool {
    begun.saturating_sub(end).saturating_mul(10) <= waited
}

/// What is known of the meetings of all groups.
pub(super) struct Lateness<'a> {
    device: &'a Device,
    groups: &'a [Group],
    /// By device, in order of their ends: those that its work waits for, and all of its groups.
    releases: Vec<Vec<Release>>,
}

/// Whether a device computes nothing in the second half of an exchange: what it does then begins with all others.
fn is_held(rank: &Rank, begun: Ticks, span: Span) -> bool {
    let begun = begun.clamp(span.start, span.end);
    rank.compute.inside(Span { start: begun.midpoint(span.end), end: span.end }) == 0
}

/// How long a device waits at a meeting, and what that holds up; `next` is when the next collective of the stream begins.
fn held_up(
    of: &Rank,
    group: &Group,
    (meeting, who): (&Meeting, usize),
    next: Option<Ticks>,
) -> (Ticks, Holds) {
    let none = (0, Holds::Nothing);
    let Some(last) = group.late(meeting) else { return none };
    let (Some((span, _)), Some((_, wait))) = (meeting.get(who), group.wait(meeting, who, None)) else {
        return none;
    };
    if is_held(of, last.begun.saturating_add(group.ahead(who)), *span) {
        return (wait.dur() - of.compute.inside(wait), Holds::Device);
    }
    if next.is_some_and(|next| is_next(span.end, next, wait.dur())) {
        return (wait.dur(), Holds::Stream);
    }
    none
}

impl<'a> Lateness<'a> {
    pub(super) fn of(device: &'a Device, meetings: &'a Meetings) -> Self {
        let groups = meetings.groups.as_slice();
        let releases = |(rank, of): (usize, &Rank)| {
            let own = groups.iter().enumerate().flat_map(|(at, group)| {
                let who = group.members.iter().position(|member| *member == rank);
                let each = move |who| group.list.iter().map(move |meeting| (at, group, meeting, who));
                who.into_iter().flat_map(each)
            });
            let own = own.filter_map(|of| Some((*of.2.get(of.3)?, of)));
            let mut own: Vec<_> = own.collect();
            order::sort_by_key(&mut own, |((span, slice), _)| (slice.track, span.start));
            let nexts = own.iter().skip(1).map(|((span, slice), _)| Some((slice.track, span.start)));
            let all = own.iter().zip(nexts.chain([None])).map(|(own, next)| {
                let ((span, slice), (group, by, meeting, who)) = own;
                let next = next.filter(|(track, _)| *track == slice.track).map(|(_, start)| start);
                let (waited, holds) = held_up(of, by, (meeting, *who), next);
                Release { group: *group, track: slice.track, end: span.end, waited, holds }
            });
            let mut all: Vec<Release> = all.collect();
            order::sort_by_key(&mut all, |release| (release.end, release.track));
            all
        };
        // One group passes nothing on.
        let releases = if groups.len() < 2 {
            Vec::new()
        } else {
            device.ranks.iter().enumerate().map(releases).collect()
        };
        Self { device, groups, releases }
    }

    /// How long a member was held up in other groups since the last meeting of this one, and the last time it was at all.
    fn since(&self, group: usize, member: usize, begun: Ticks) -> (Ticks, Option<&Release>) {
        let rank = self.groups.get(group).and_then(|of| of.members.get(member));
        let Some(own) = rank.and_then(|rank| self.releases.get(*rank)) else { return (0, None) };
        let before = own.get(..own.partition_point(|release| release.end <= begun)).unwrap_or_default();
        let others = before.iter().rev().take_while(|release| release.group != group);
        (
            others.map(|release| release.waited).sum(),
            before.iter().rev().find(|release| 0 < release.waited && release.reaches(begun)),
        )
    }

    /// How much later than the first one the last one of a meeting comes by itself: not because it waited in other groups,
    /// since they met or the last time it waited at all, behind which it needed as long as the first one did.
    fn own(&self, group: usize, meeting: &Meeting, last: &Last) -> Ticks {
        let late = last.begun - last.first;
        let Some(of) = self.groups.get(group).filter(|_| !self.releases.is_empty()) else { return late };
        let is_first =
            |(at, (span, _)): (usize, &(Span, _))| span.start.saturating_sub(of.ahead(at)) == last.first;
        let first = (0..).zip(meeting).position(is_first).unwrap_or(0);
        let begun = |at: usize| meeting.get(at).map_or(0, |(span, _)| span.start);
        let [(own, held), (others, before)] = [last.at, first].map(|at| self.since(group, at, begun(at)));
        let since = held.filter(|held| held.group != group).zip(before).map_or(0, |(held, before)| {
            let needed = (begun(last.at) - held.end) - (begun(first) - before.end);
            (late - needed).clamp(0, 2 * late).min(held.waited)
        });
        late - since.max(own - others).max(0)
    }

    /// Whether less than half of how late the last one of a meeting comes is by itself.
    pub(super) fn passes_on(&self, group: usize, meeting: &Meeting, last: &Last) -> bool {
        2 * self.own(group, meeting, last) <= last.begun - last.first
    }

    /// The trial of each meeting, by the steps of a member; none for those outside of these.
    fn trials(&self, group: &Group) -> Vec<Option<usize>> {
        let steps = |rank: usize| -> Vec<Span> {
            let own =
                self.device.steps.iter().filter(|step| step.rank as usize == rank && step.slice.is_some());
            let mut own: Vec<Span> = own.map(|step| step.span).collect();
            own.sort_unstable_by_key(|span| span.start);
            own
        };
        let of_members = group.members.iter().enumerate().map(|(at, rank)| (at, steps(*rank)));
        let Some((at, steps)) = of_members.into_iter().find(|(_, steps)| !steps.is_empty()) else {
            return self.runs(group);
        };
        let step = |meeting: &Meeting| {
            let begun = meeting.get(at)?.0.start;
            let step = steps.partition_point(|step| step.start <= begun).checked_sub(1)?;
            steps.get(step).filter(|span| span.contains(begun)).map(|_| step)
        };
        group.list.iter().map(step).collect()
    }

    /// The same where there are no steps.
    fn runs(&self, group: &Group) -> Vec<Option<usize>> {
        let begun = |at: &usize| group.list.get(*at).and_then(|meeting| meeting.first()).map(|of| of.0.start);
        let mut sequence: Vec<usize> = (0..group.list.len()).collect();
        order::sort_by_key(&mut sequence, begun);
        let is_end = |meeting: &Meeting| {
            let Some(last) = group.last(meeting) else { return false };
            meeting.iter().zip(&group.members).enumerate().all(|(at, ((span, _), rank))| {
                let begun = last.begun.saturating_add(group.ahead(at));
                self.device.ranks.get(*rank).is_none_or(|of| is_held(of, begun, *span))
            })
        };
        let (mut runs, mut n) = (vec![None; group.list.len()], 0);
        for at in sequence {
            if let Some((run, meeting)) = runs.get_mut(at).zip(group.list.get(at)) {
                *run = Some(n);
                n += usize::from(is_end(meeting));
            }
        }
        let all = runs.iter().flatten().max().map_or(0, |last| last + 1);
        let parts = all.clamp(1, TRIALS);
        runs.into_iter().map(|run| run.map(|run| run * parts / all.max(1))).collect()
    }

    /// In which way a member is late, if it is by more than chance.
    pub(super) fn manner(&self, at: usize, of_group: usize) -> Option<Manner> {
        let group = self.groups.get(of_group)?;
        let trials = self.trials(group);
        let n = trials.iter().flatten().max().map_or(0, |last| last + 1);
        let (mut late, mut waited) = (vec![(0_usize, 0.0); n], vec![(0.0, 0.0); n]);
        for (meeting, trial) in group.list.iter().zip(&trials) {
            let Some((trial, last)) = trial.zip(group.last(meeting)) else { continue };
            let is_own = last.at == at;
            let is_passed = self.passes_on(of_group, meeting, &last);
            if let Some((n, sum)) = late.get_mut(trial) {
                *n += 1;
                let passed = last.begun - last.first - self.own(of_group, meeting, &last);
                *sum += later(group, meeting, at) - if is_own { passed as f64 } else { 0.0 };
            }
            if let Some((own, all)) = waited.get_mut(trial).filter(|_| group.late(meeting).is_some()) {
                let time = (last.begun - last.first) as f64;
                *own += if is_own && !is_passed { time } else { 0.0 };
                *all += time;
            }
        }
        let means = late.into_iter().filter(|(n, _)| 0 < *n).map(|(n, sum)| sum / n as f64);
        let means: Vec<f64> = means.collect();
        let limit = LAST.limit(4) / self.groups.len().max(1) as f64;
        if chance(&means) * group.members.len() as f64 <= limit {
            return Some(Manner::Always);
        }
        let most = waited.iter().map(|(own, _)| *own).fold(0.0, f64::max);
        let part = share(most, waited.iter().map(|(_, all)| all).sum());
        let n = means.len() as f64;
        (0.5 < part && n * (1.0 - part).powf(n - 1.0) <= limit).then_some(Manner::Once)
    }
}

/// How much later than the others a member comes to a meeting, on average.
fn later(group: &Group, meeting: &Meeting, at: usize) -> f64 {
    let begun = || meeting.iter().enumerate().map(|(at, (span, _))| (span.start - group.ahead(at)) as f64);
    let own = begun().nth(at).unwrap_or(0.0);
    begun().map(|other| own - other).sum::<f64>() / meeting.len().saturating_sub(1).max(1) as f64
}

/// How probable it is that the mean of some values is at least as far above zero, where that is chance; 1 for fewer than two.
fn chance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    if values.len() < 2 || mean <= 0.0 {
        return 1.0;
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    tail(if error == 0.0 { f64::INFINITY } else { mean / error }, values.len() - 1)
}

/// The probability of at least so large a value of Student's t, for t ≥ 0 (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn tail(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    let is_odd = freedom % 2 == 1;
    let (mut term, mut sum) = (if is_odd { cos } else { 1.0 }, 0.0);
    for k in (freedom % 2..freedom.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= (k + 1) as f64 / (k + 2) as f64 * cos * cos;
    }
    let inside = if is_odd { (angle + sin * sum) * std::f64::consts::FRAC_2_PI } else { sin * sum };
    (1.0 - inside) / 2.0
}
