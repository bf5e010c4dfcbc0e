//! Which collectives of the devices of a group are one.
//!
//! ```text
//! number   the number in the group that arguments say; else the name with the sizes, where no device has one twice
//! order    the n-th of a kind, where all devices have as many of it; else the n-th of a step, or of a size in a step, where
//!          all have as many of that
//! ends     the one that ends at the same time, on clocks that differ by what the ends of most pairs differ by: what a
//!          device lacks is a gap, and nothing else changes
//! ```
//! Numbers are believed. An order is, where all of them can be one collective: none ends before the last device begins it.
//! Else ends are asked too, and those that make more of them one count.

use super::exchange::told;
use super::meetings::{Lists, Meeting, Own, align, is_wrong};
use super::name_id;
use crate::analysis::device::Device;
use crate::base::map::{Map, Set};
use crate::base::order::percentile;
use crate::base::time::{Span, Ticks};
use crate::findings::RuleInput;
use crate::model::id::{SliceId, StrId};
use std::cmp::Reverse;
use std::hash::Hash;

/// Most collectives of a group whose arguments are read to tell them apart.
const READ: usize = 4_000;
/// Collectives of a device that are held against those of another one to find by how much their clocks differ; and to how
/// many, nearest in time, each is held.
const SAMPLES: usize = 64;
const NEAR: usize = 2_000;
/// How many differences of clocks are tried, those of most pairs first.
const TRIED: usize = 16;
/// Of the usual distance of collectives, the part by which ends of one may differ.
const WITHIN: Ticks = 10;

/// What was found to be one.
pub(super) struct Paired {
    pub(super) list: Vec<Meeting>,
    /// How many collectives the device with most of them has, of kinds that all have.
    pub(super) all: usize,
    /// Whether the file says which are one.
    pub(super) is_said: bool,
}

/// A collective, and what tells it from others of its kind: the number of its label, and the name of its step.
#[derive(Clone, Copy)]
struct One {
    own: Own,
    label: u32,
    step: Option<StrId>,
}

impl One {
    fn end(&self) -> Ticks {
        self.own.0.end
    }
}

/// Those of one kind, by device.
struct Kind<'a> {
    own: Vec<&'a Vec<Own>>,
    most: usize,
    is_even: bool,
}

/// The collectives of the members of a group that are one; none where nothing tells.
pub(super) fn pairs(input: &RuleInput, device: &Device, members: &[usize], lists: &Lists) -> Paired {
    let kinds: Vec<Kind> = lists
        .values()
        .map(|lists| {
            let own: Vec<&Vec<Own>> = members.iter().filter_map(|rank| lists.get(*rank)).collect();
            let most = own.iter().map(|list| list.len()).max().unwrap_or(0);
            let is_even = own.iter().all(|list| list.len() == most);
            Kind { own, most, is_even }
        })
        .collect();
    let is_same_time = have_same_steps(input, device, members);
    let (mut left, mut next) = (READ, 0);
    let mut paired = Paired { list: Vec::new(), all: 0, is_said: true };
    let (mut is_whole, mut marked): (bool, Vec<Option<Vec<Vec<One>>>>) = (true, Vec::new());
    for kind in &kinds {
        let firsts: Vec<SliceId> = kind.own.iter().filter_map(|list| Some(list.first()?.1)).collect();
        if kind.is_even && is_same_time && is_one(input, &firsts) {
            let all: Vec<Vec<((), Own)>> =
                kind.own.iter().map(|list| list.iter().map(|own| ((), *own)).collect()).collect();
            paired.list.extend(together(&all));
            (paired.all, paired.is_said) = (paired.all + kind.most, false);
            marked.push(None);
            continue;
        }
        let (common, is_said, ones) = common(input, device, members, kind, (&mut left, &mut next));
        is_whole = false;
        paired.all += if common.is_empty() { 0 } else { kind.most };
        paired.is_said &= is_said;
        paired.list.extend(common);
        marked.push(Some(ones));
    }
    let near = distance(&kinds);
    if paired.is_said && !paired.list.is_empty() || is_whole && fits(&paired.list, members.len(), near) {
        return paired;
    }
    let mut all: Vec<Vec<One>> = vec![Vec::new(); members.len()];
    for (kind, ones) in kinds.iter().zip(marked) {
        let ones = ones.unwrap_or_else(|| mark(input, device, members, kind, (&mut left, &mut next)));
        all.iter_mut().zip(ones).for_each(|(all, own)| all.extend(own));
    }
    let list = by_ends(&mut all, near / WITHIN);
    let fewest = all.iter().map(Vec::len).min().unwrap_or(0);
    let good = |list: &[Meeting]| good(list, members.len(), near / WITHIN);
    if fewest <= 2 * list.len() && good(&paired.list) < good(&list) {
        let met: Set<SliceId> = list.iter().flatten().map(|(_, slice)| *slice).collect();
        let is_met = |kind: &&Kind| kind.own.iter().any(|list| list.iter().any(|own| met.contains(&own.1)));
        let all = kinds.iter().filter(is_met).map(|kind| kind.most).sum();
        return Paired { list, all, is_said: false };
    }
    paired
}

/// The usual distance of the ends of collectives, on the device with fewest.
fn distance(kinds: &[Kind]) -> Ticks {
    let n = kinds.first().map_or(0, |kind| kind.own.len());
    let ends = |at: usize| {
        let all = kinds.iter().filter_map(|kind| kind.own.get(at)).flat_map(|list| list.iter());
        let mut ends: Vec<Ticks> = all.map(|own| own.0.end).collect();
        ends.sort_unstable();
        ends
    };
    let ends = (0..n).map(ends).min_by_key(Vec::len).unwrap_or_default();
    let mut apart: Vec<Ticks> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    apart.sort_unstable();
    percentile(&apart, 50).round() as Ticks
}

/// Whether all of them can be one, on clocks that differ by less than it takes to the next one: by more, each may as well
/// be the one before.
fn fits(list: &[Meeting], n: usize, near: Ticks) -> bool {
    let (ahead, _) = align(list, n);
    !list.iter().any(|meeting| is_wrong(meeting, &ahead)) && ahead.iter().all(|ahead| 2 * ahead.abs() <= near)
}

/// How many can be one, and end together but for so much.
fn good(list: &[Meeting], n: usize, within: Ticks) -> usize {
    let (ahead, _) = align(list, n);
    let is_good = |meeting: &&Meeting| {
        let ends = || meeting.iter().zip(&ahead).map(|((span, _), ahead)| span.end - ahead);
        let apart = ends().max().zip(ends().min()).map_or(0, |(last, first)| last - first);
        apart <= within.max(1) && !is_wrong(meeting, &ahead)
    };
    list.iter().filter(is_good).count()
}

/// Whether collectives of several devices are one, as far as their numbers in the group say.
fn is_one(input: &RuleInput, calls: &[SliceId]) -> bool {
    let mut numbers = calls.iter().filter_map(|slice| told(input, *slice).sequence);
    numbers.next().is_none_or(|first| numbers.all(|other| other == first))
}

/// Whether the first steps of devices are called the same, where all have steps.
fn have_same_steps(input: &RuleInput, device: &Device, members: &[usize]) -> bool {
    let first = |rank: &usize| {
        let mut own = device.steps.iter().filter(|step| step.rank as usize == *rank);
        own.find_map(|step| step.slice).map(|slice| name_id(input, slice))
    };
    let names: Vec<StrId> = members.iter().filter_map(first).collect();
    names.len() < members.len() || names.iter().all(|name| names.first() == Some(name))
}

/// The collectives of a kind that all of some devices recorded: those of one number in the group, of one label that is
/// nowhere twice, else the n-th of one label in steps of one name in which all have as many. Whether the file says so; and
/// what tells them apart.
fn common(
    input: &RuleInput,
    device: &Device,
    members: &[usize],
    kind: &Kind,
    (left, next): (&mut usize, &mut u32),
) -> (Vec<Meeting>, bool, Vec<Vec<One>>) {
    let numbers = |list: &&Vec<Own>| -> Option<Vec<(u64, Own)>> {
        list.iter().map(|one| Some((told(input, one.1).sequence?, *one))).collect()
    };
    let n: usize = kind.own.iter().map(|list| list.len()).sum();
    let numbered = (n <= READ).then(|| kind.own.iter().map(numbers).collect::<Option<Vec<_>>>()).flatten();
    let ones = mark(input, device, members, kind, (left, next));
    if let Some(lists) = numbered.filter(|lists| lists.iter().all(|list| !list.is_empty())) {
        return (together(&lists), true, ones);
    }
    let is_once = |list: &Vec<One>| {
        let labels: Set<u32> = list.iter().map(|one| one.label).collect();
        labels.len() == list.len()
    };
    if kind.own.iter().all(|list| 1 < list.len()) && ones.iter().all(is_once) {
        let by_label = ones.iter().map(|list| list.iter().map(|one| (one.label, one.own)).collect());
        return (together(&by_label.collect::<Vec<_>>()), true, ones);
    }
    let by_step = ones.iter().map(|list| {
        list.iter().filter_map(|one| Some(((one.step?, one.label), one.own))).collect::<Vec<_>>()
    });
    (together(&by_step.collect::<Vec<_>>()), false, ones)
}

/// What tells the collectives of a kind apart: names and sizes, as far as devices have the same ones, and steps. `next` is
/// the number of the next label.
fn mark(
    input: &RuleInput,
    device: &Device,
    members: &[usize],
    kind: &Kind,
    (left, next): (&mut usize, &mut u32),
) -> Vec<Vec<One>> {
    let n: usize = kind.own.iter().map(|list| list.len()).sum();
    let reads = n <= *left;
    *left = left.saturating_sub(n);
    let first = *next;
    let mut labels: Map<(StrId, String), u32> = Map::default();
    let mut label = |slice: SliceId| {
        let sizes = if reads { told(input, slice).sizes } else { String::new() };
        let new = first + 1 + labels.len() as u32;
        *labels.entry((name_id(input, slice), sizes)).or_insert(new)
    };
    let mut ones: Vec<Vec<One>> = Vec::new();
    for (rank, list) in members.iter().zip(&kind.own) {
        let steps = device.steps.iter().filter(|step| step.rank as usize == *rank);
        let steps: Vec<(Span, SliceId)> = steps.filter_map(|step| Some((step.marked, step.slice?))).collect();
        let step = |one: &Own| {
            let at = steps.partition_point(|step| step.0.start <= one.2).checked_sub(1)?;
            steps.get(at).filter(|step| one.2 < step.0.end).map(|step| name_id(input, step.1))
        };
        ones.push(list.iter().map(|own| One { own: *own, label: label(own.1), step: step(own) }).collect());
    }
    *next = first + 1 + labels.len() as u32;
    let first_labels: Set<u32> = ones.first().into_iter().flatten().map(|one| one.label).collect();
    let agree = ones
        .iter()
        .all(|list| list.len() <= 2 * list.iter().filter(|one| first_labels.contains(&one.label)).count());
    if !agree {
        ones.iter_mut().flatten().for_each(|one| one.label = first);
    }
    // Steps that are called otherwise on each device tell nothing.
    let first_steps: Set<StrId> = ones.first().into_iter().flatten().filter_map(|one| one.step).collect();
    let is_known = |one: &One| one.step.is_none_or(|step| first_steps.contains(&step));
    if !first_steps.is_empty() && !ones.iter().all(|list| list.iter().any(is_known)) {
        ones.iter_mut().flatten().for_each(|one| one.step = None);
    }
    ones
}

/// Those of one key on each device, in order of the first one's, where all have as many.
fn together<K: Copy + Eq + Hash>(lists: &[Vec<(K, Own)>]) -> Vec<Meeting> {
    let mut by_key: Vec<Map<K, Vec<Own>>> = Vec::new();
    for list in lists {
        let mut own: Map<K, Vec<Own>> = Map::default();
        for (key, one) in list {
            own.entry(*key).or_default().push(*one);
        }
        by_key.push(own);
    }
    let mut done: Set<K> = Set::default();
    let mut meetings = Vec::new();
    for (key, _) in lists.first().into_iter().flatten().filter(|(key, _)| done.insert(*key)) {
        let own: Vec<&Vec<Own>> = by_key.iter().filter_map(|of| of.get(key)).collect();
        let many = own.first().map_or(0, |list| list.len());
        if own.len() < lists.len() || own.iter().any(|list| list.len() != many) {
            continue;
        }
        let nth = |at: usize| own.iter().filter_map(move |list| list.get(at)).map(|own| (own.0, own.1));
        meetings.extend((0..many).map(|at| nth(at).collect::<Meeting>()));
    }
    meetings
}

/// Those that end together on all devices. Sorts the lists by their ends.
fn by_ends(all: &mut [Vec<One>], within: Ticks) -> Vec<Meeting> {
    for list in all.iter_mut() {
        list.sort_by_key(One::end);
    }
    let Some(most) = (0..all.len()).max_by_key(|at| (all[*at].len(), Reverse(*at))) else {
        return Vec::new();
    };
    let Some(base) = all.get(most) else { return Vec::new() };
    let partners: Vec<Vec<Option<usize>>> = all
        .iter()
        .enumerate()
        .map(
            |(at, list)| {
                if at == most { (0..base.len()).map(Some).collect() } else { partners(base, list, within) }
            },
        )
        .collect();
    let meet = |n: usize| -> Option<Meeting> {
        let met = all.iter().zip(&partners).map(|(list, partners)| {
            let one = list.get((*partners.get(n)?)?)?;
            Some((one.own.0, one.own.1))
        });
        met.collect()
    };
    let mut list: Vec<Meeting> = (0..base.len()).filter_map(meet).collect();
    let (ahead, _) = align(&list, all.len());
    list.retain(|meeting| !is_wrong(meeting, &ahead));
    list
}

/// For each of one device the one of another that ends with it, on clocks that differ by what makes most of them meet; of
/// several such differences the smallest.
fn partners(base: &[One], list: &[One], within: Ticks) -> Vec<Option<usize>> {
    let mut by_label: Map<u32, [Vec<usize>; 2]> = Map::default();
    for (side, ones) in [base, list].into_iter().enumerate() {
        for (at, one) in ones.iter().enumerate() {
            by_label.entry(one.label).or_default()[side].push(at);
        }
    }
    let mut best: (usize, Reverse<Ticks>, Vec<Option<usize>>) = (0, Reverse(0), vec![None; base.len()]);
    for offset in offsets(base, list, within) {
        let mut met = vec![None; base.len()];
        for [own, other] in by_label.values() {
            meet((base, own), (list, other), (offset, within), &mut met);
        }
        let n = met.iter().flatten().count();
        if (best.0, best.1) < (n, Reverse(offset.abs())) {
            best = (n, Reverse(offset.abs()), met);
        }
    }
    best.2
}

/// By how much the clock of the second may be ahead: what ends of most pairs differ by.
fn offsets(base: &[One], list: &[One], within: Ticks) -> Vec<Ticks> {
    let mut apart: Vec<Ticks> = Vec::new();
    for one in list.iter().step_by(list.len().div_ceil(SAMPLES).max(1)) {
        let near = base.partition_point(|other| other.end() < one.end()).saturating_sub(NEAR / 2);
        let near = base.get(near..).unwrap_or_default().iter().take(NEAR);
        let is_alike = |other: &&One| {
            let is_step = other.step.zip(one.step).is_none_or(|(other, own)| other == own);
            other.label == one.label && is_step
        };
        apart.extend(near.filter(is_alike).map(|other| one.end() - other.end()));
    }
    apart.sort_unstable();
    let mut end = 0;
    let mut dense: Vec<(usize, Ticks)> = Vec::new();
    for (start, least) in apart.iter().enumerate() {
        end = end.max(start);
        while apart.get(end).is_some_and(|most| most - least <= 2 * within) {
            end += 1;
        }
        dense.extend(apart.get(start.midpoint(end)).map(|middle| (end - start, *middle)));
    }
    dense.sort_by_key(|(n, middle)| (Reverse(*n), middle.abs()));
    let mut found: Vec<Ticks> = Vec::new();
    for (_, middle) in dense {
        if found.len() < TRIED && found.iter().all(|other| within < (other - middle).abs()) {
            found.push(middle);
        }
    }
    found
}

/// Goes through those of one label on both devices in order of their ends: of two that do not end together the sooner one
/// is alone. The clocks may go apart slowly.
fn meet(
    (base, own): (&[One], &[usize]),
    (list, other): (&[One], &[usize]),
    (mut offset, within): (Ticks, Ticks),
    met: &mut [Option<usize>],
) {
    let (mut a, mut b) = (0, 0);
    while let Some((&i, &j)) = own.get(a).zip(other.get(b)) {
        let (Some(one), Some(two)) = (base.get(i), list.get(j)) else { return };
        let apart = two.end() - one.end() - offset;
        if apart.abs() <= within {
            if let Some(met) = met.get_mut(i) {
                *met = Some(j);
            }
            offset += apart / 4;
        }
        a += usize::from(-within <= apart);
        b += usize::from(apart <= within);
    }
}
