//! Times of blocks or units that fall into groups, or of two or three blocks: what the members of each group have in
//! common, how far they are apart, and what an even spread would save of the operator.
//!
//! A median says nothing about such times: it may lie where no block is. Two groups are told when the split that fits
//! best explains nearly all of the spread; a normal or even distribution is explained for two or three quarters. More
//! are told when gaps part them and they explain still more.

use super::imbalance::{COSTLY, TOLD};
use crate::analysis::groups::{self, two_groups};
use crate::base::map::Set;
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::model::figure::Advice;

/// The share of the variance from which more than two groups explain it.
const EXPLAINED_BY_MORE: f64 = 0.97;
/// Most groups that are told.
const GROUPS: usize = 8;
/// Fewest members of a group: one alone is an outlier.
const FEWEST: usize = 2;
/// Most blocks of which the slowest and the fastest are told: too few for groups.
const FEW: usize = 3;
/// Most numbers that are listed by themselves, or as the ends of a range.
const LISTED: usize = 6;
/// How often the longest block fits into an operator that may have run several waves of blocks.
const SEVERAL: f64 = 2.0;
/// Most rows that a sentence marks.
const ROWS: usize = 1_000;

/// One time with what tells it from others.
pub struct Member {
    /// How long it took.
    pub value: f64,
    /// Number of its block or core.
    pub number: Option<u64>,
    /// What kind it is, such as `vector` or `vector1`.
    pub kind: String,
    /// Its row in the table that shows it.
    pub row: u32,
}

/// What the members are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Noun {
    /// Blocks of the operator.
    Blocks,
    /// Units of cores, such as vector units.
    Units,
}

/// What an even spread cannot get below.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// How long the operator took.
    pub whole: Option<f64>,
    /// In how many waves its blocks ran, or at least more than one; `None` where that is not known.
    pub waves: Option<f64>,
    /// What took longest among the units of other kinds.
    pub other: Option<&'a Member>,
    /// Whether there are more than these, of which no times are known: then nobody knows what an even spread would save.
    pub are_some: bool,
}

/// Groups that are apart, the slowest first.
type Groups<'a> = Vec<Vec<&'a Member>>;

/// The groups that the times fall into; `None` when they do not.
fn groups(members: &[Member]) -> Option<Groups<'_>> {
    let mut sorted: Vec<&Member> = members.iter().filter(|m| m.value.is_finite()).collect();
    order::sort_by(&mut sorted, |a, b| a.value.total_cmp(&b.value));
    two(&sorted).or_else(|| several(&sorted))
}

/// The two groups that explain most.
fn two<'a>(sorted: &[&'a Member]) -> Option<Groups<'a>> {
    let values: Vec<f64> = sorted.iter().map(|m| m.value).collect();
    let (fast, slow) = sorted.split_at_checked(two_groups(&values, FEWEST)?)?;
    are_means_apart(slow, fast).then(|| vec![slow.to_vec(), fast.to_vec()])
}

/// Three or more groups with gaps between them.
fn several<'a>(sorted: &[&'a Member]) -> Option<Groups<'a>> {
    let parts: Vec<&[&Member]> = sorted.chunk_by(|left, right| right.value < left.value * TOLD).collect();
    let is_told = (3..=GROUPS).contains(&parts.len()) && parts.iter().all(|part| FEWEST <= part.len());
    let within: f64 = parts.iter().map(|part| squares(part)).sum();
    let is_apart = is_told && within <= (1.0 - EXPLAINED_BY_MORE) * squares(sorted);
    is_apart.then(|| parts.iter().rev().map(|part| part.to_vec()).collect())
}

fn mean(members: &[&Member]) -> f64 {
    members.iter().map(|m| m.value).sum::<f64>() / members.len() as f64
}

fn squares(members: &[&Member]) -> f64 {
    groups::squares(&members.iter().map(|m| m.value).collect::<Vec<f64>>())
}

fn are_means_apart(slow: &[&Member], fast: &[&Member]) -> bool {
    mean(fast) * TOLD <= mean(slow)
}

/// The kind of all members, where they are of one.
fn only_kind<'a>(members: &[&'a Member]) -> Option<&'a str> {
    let kind = members.first()?.kind.as_str();
    members.iter().all(|m| m.kind == kind).then_some(kind)
}

/// Two groups that are two kinds, without the blocks or cores that have one of both only; `None` for other groups, and
/// where none is left out.
fn paired<'a>(groups: &Groups<'a>) -> Option<Groups<'a>> {
    let [slow, fast] = groups.as_slice() else { return None };
    if only_kind(slow)? == only_kind(fast)? {
        return None;
    }
    let [own, other] = [slow, fast].map(|group| group.iter().filter_map(|m| m.number).collect::<Set<u64>>());
    let has_both = |m: &&&Member| m.number.is_some_and(|n| own.contains(&n) && other.contains(&n));
    let both = [slow, fast].map(|group| group.iter().filter(has_both).copied().collect::<Vec<_>>());
    let is_less = own != other && both.iter().all(|group| FEWEST <= group.len());
    is_less.then(|| both.into())
}

/// What a group is: its kind, where there are several, and its blocks or cores. `is_paired` says that others are left
/// out.
fn name(groups: &Groups, at: usize, (noun, is_mixed, is_paired): (Noun, bool, bool)) -> Message {
    let Some(own) = groups.get(at) else { return Message::default() };
    let others: Vec<&Member> = groups
        .iter()
        .enumerate()
        .filter(|(n, _)| *n != at)
        .flat_map(|(_, group)| group.iter().copied())
        .collect();
    let mut numbers: Vec<u64> = own.iter().filter_map(|m| m.number).collect();
    order::sort_by_key(&mut numbers, |number| *number);
    numbers.dedup();
    let (kind, n) = (only_kind(own).filter(|_| is_mixed), own.len());
    // Numbers that are missing or stand for several members name nothing, but units of one core.
    let are_units = is_mixed && kind.is_none();
    let is_whole = if are_units { own.iter().all(|m| m.number.is_some()) } else { numbers.len() == n };
    if let Some(kind) = kind {
        let is_kind = others.iter().all(|m| m.kind != kind);
        let places = match noun {
            _ if !is_kind && is_whole => places(&numbers, &others, noun),
            Noun::Blocks if is_paired => message("the {n} blocks that have both").with("n", n),
            Noun::Units if is_paired => message("the {n} cores that have both").with("n", n),
            _ => counted(noun, n),
        };
        return message("{kind} of {places}").with("kind", kind).with_message("places", places);
    }
    let places = is_whole.then(|| places(&numbers, &others, noun));
    if !are_units {
        return places.unwrap_or_else(|| counted(noun, n));
    }
    let text = match places {
        Some(places) => message("{n} {kind} units of {places}").with_message("places", places),
        None => message("{n} {kind} units"),
    };
    text.with("n", n).with("kind", own.first().map_or("", |m| stem(&m.kind)))
}

/// Blocks or cores by how many they are.
fn counted(noun: Noun, n: usize) -> Message {
    let text = if noun == Noun::Blocks { message("{n} blocks") } else { message("{n} cores") };
    text.with("n", n)
}

/// Blocks or cores by their numbers: whether they are even, where all others are not, else a range or a list.
fn places(numbers: &[u64], others: &[&Member], noun: Noun) -> Message {
    let is_even = numbers.first().map(|first| first.is_multiple_of(2));
    let is_parity = numbers.iter().all(|number| Some(number.is_multiple_of(2)) == is_even)
        && others.iter().all(|m| m.number.is_some_and(|number| Some(number.is_multiple_of(2)) != is_even));
    let runs: Vec<&[u64]> = numbers.chunk_by(|left, right| left + 1 == *right).collect();
    let text = match (noun, is_even.filter(|_| is_parity), runs.as_slice()) {
        (Noun::Blocks, _, [[_]]) => message("block {list}"),
        (Noun::Units, _, [[_]]) => message("core {list}"),
        (Noun::Blocks, Some(true), _) => message("{n} even blocks"),
        (Noun::Blocks, Some(false), _) => message("{n} odd blocks"),
        (Noun::Blocks, None, [[_, _, ..]]) => message("{n} blocks ({first} to {last})"),
        (Noun::Blocks, None, _) => message("{n} blocks ({list})"),
        (Noun::Units, Some(true), _) => message("{n} even cores"),
        (Noun::Units, Some(false), _) => message("{n} odd cores"),
        (Noun::Units, None, [[_, _, ..]]) => message("{n} cores ({first} to {last})"),
        (Noun::Units, None, _) => message("{n} cores ({list})"),
    };
    // Two neighbors are two numbers, more are a range.
    let parts = runs.iter().flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{first}–{last}")],
        few => few.iter().map(u64::to_string).collect(),
    });
    let mut list: Vec<String> = parts.take(LISTED + 1).collect();
    if LISTED < list.len() {
        list.truncate(LISTED);
        list.push("…".to_owned());
    }
    let text = text.with("n", numbers.len()).with("list", list.join(", "));
    let end = |number: Option<&u64>| number.copied().unwrap_or(0);
    text.with("first", end(numbers.first())).with("last", end(numbers.last()))
}

/// A kind without its number: `vector1` is a vector.
pub(super) fn stem(kind: &str) -> &str {
    kind.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// The slowest and the fastest of two or three blocks of one kind, where they are apart.
fn few(members: &[Member]) -> Option<[&Member; 2]> {
    let slow = members.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let fast = members.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
    let is_one_kind = members.iter().all(|m| stem(&m.kind) == stem(&slow.kind));
    let is_apart = members.len() <= FEW && is_one_kind && fast.value * TOLD <= slow.value;
    is_apart.then_some([slow, fast])
}

/// Whether blocks are apart, so that no block may be near their median.
pub(super) fn are_apart(members: &[Member]) -> bool {
    groups(members).is_some() || few(members).is_some()
}

/// Whether members are of several kinds, or others of the same blocks or cores are: then each needs its kind.
pub(super) fn are_mixed(members: &[Member], limits: Limits) -> bool {
    let first = members.first().map(|m| &m.kind);
    limits.other.is_some() || members.iter().any(|m| Some(&m.kind) != first)
}

/// The number of a block, and its kind where it needs one.
pub(super) fn block_name(block: &Member, is_mixed: bool) -> String {
    let number = block.number.map_or_else(String::new, |number| number.to_string());
    format!("{number} {}", if is_mixed { block.kind.as_str() } else { "" }).trim().to_owned()
}

/// The sentence on groups, or on two or three blocks; `None` when the times are not apart. `unit` is that of the times.
pub fn advice(members: &[Member], noun: Noun, unit: &Unit, limits: Limits) -> Option<Advice> {
    let shown = |value: f64| number::in_sentence(value, unit);
    let factor = |longer: f64| number::fixed(longer, if longer < 10.0 { 2 } else { 1 });
    let is_mixed = are_mixed(members, limits);
    let (text, longer, rows) = if let Some(groups) = groups(members) {
        let both = paired(&groups);
        let how = (noun, is_mixed, both.is_some());
        let groups = both.unwrap_or(groups);
        let [slow, between @ .., fast] = groups.as_slice() else { return None };
        if !are_means_apart(slow, fast) {
            return None;
        }
        let text = match between {
            [] => message("{slow} took {a} on average, {fast} {b}: {factor} times as long."),
            [middle] => {
                let text = message(
                    "{slow} took {a} on average, {middle} {c}, {fast} {b}: the slowest {factor} times as long as the fastest.",
                );
                text.with_message("middle", name(&groups, 1, how)).with("c", shown(mean(middle)))
            }
            _ => message(
                "Of {n} groups, {slow} took {a} on average, {fast} {b}: the slowest {factor} times as long as the fastest.",
            ),
        };
        let text = text.with_message("slow", name(&groups, 0, how)).with("a", shown(mean(slow)));
        let text =
            text.with_message("fast", name(&groups, groups.len() - 1, how)).with("b", shown(mean(fast)));
        let rows = slow.iter().map(|m| m.row).take(ROWS).collect();
        (text.with("n", groups.len()), mean(slow) / mean(fast), rows)
    } else {
        let [slow, fast] = few(members).filter(|_| noun == Noun::Blocks)?;
        let text = message("Block {slow} took {a}, {factor} times as long as block {fast} ({b}).");
        let text = text.with("slow", block_name(slow, is_mixed)).with("a", shown(slow.value));
        let text = text.with("fast", block_name(fast, is_mixed)).with("b", shown(fast.value));
        (text, slow.value / fast.value, vec![slow.row, fast.row])
    };
    let (text, can_save) = spread(text.with("factor", factor(longer)), members, unit, limits);
    Some(Advice { rows, ..Advice::new(text, can_save && COSTLY <= longer) })
}

/// The sentence with what an even spread would save of the operator, and whether it might save anything.
pub(super) fn spread(groups: Message, members: &[Member], unit: &Unit, limits: Limits) -> (Message, bool) {
    let shown = |value: f64| number::in_sentence(value, unit);
    let longest = members.iter().map(|m| m.value).fold(0.0, f64::max);
    if let Some(whole) = limits.whole.filter(|whole| 0.0 < *whole && *whole * TOLD < longest) {
        let text = message(
            "{groups} These times exceed the operator's duration of {whole}, so they do not show what an even split would save.",
        );
        return (text.with_message("groups", groups).with("whole", shown(whole)), false);
    }
    if limits.are_some {
        return (groups, true);
    }
    let even = members.iter().map(|m| m.value).sum::<f64>() / members.len() as f64;
    // With more blocks than cores the operator takes longer than its longest block.
    if let Some(waves) = limits.waves.filter(|waves| 1.0 < *waves) {
        return (groups, limits.whole.is_some_and(|whole| even * waves < whole));
    }
    // So it may have where nobody knows how many cores there are.
    if limits.waves.is_none() && limits.whole.is_some_and(|whole| SEVERAL * longest <= whole) {
        return (groups, true);
    }
    // Work of cubes cannot be given to vectors.
    let first = members.first().map_or("", |m| stem(&m.kind));
    if members.iter().any(|m| stem(&m.kind) != first) {
        return (groups, true);
    }
    let other = limits.other.filter(|other| even < other.value);
    let least = other.map_or(even, |other| other.value);
    let text = if other.is_none() {
        message("{groups} With an even split, all would take {even} instead of {longest}, {n} % less.")
    } else if least < longest {
        message(
            "{groups} With an even split, all would take {even} instead of {longest}, but {other} takes up to {time}: unless that shrinks too, at most {n} % can be saved.",
        )
    } else {
        message(
            "{groups} With an even split, all would take {even} instead of {longest}, but {other} takes up to {time}: unless that shrinks too, the operator would not be faster.",
        )
    };
    let text = text.with_message("groups", groups).with("even", shown(even)).with("longest", shown(longest));
    let text = text.with("other", other.map_or("", |other| other.kind.as_str())).with("time", shown(least));
    (text.with("n", number::fixed((1.0 - least / longest) * 100.0, 1)), least < longest)
}
