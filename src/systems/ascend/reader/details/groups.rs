//! Times of blocks or units that fall into two groups: what the members of each have in common, how far the groups are
//! apart, and what an even spread would save.
//!
//! A median says nothing about such times: it may lie where no block is. Two groups are told when the split that fits
//! best explains nearly all of the spread; a normal or even distribution is explained for two or three quarters.

use super::imbalance::{COSTLY, TOLD};
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::model::figure::Advice;

/// The share of the variance from which two groups explain it.
const EXPLAINED: f64 = 0.9;
/// Fewest members of a group: one alone is an outlier.
const FEWEST: usize = 2;
/// Most numbers that are listed by themselves.
const LISTED: usize = 6;
/// Most rows that a sentence marks.
const ROWS: usize = 1_000;

/// One time with what tells it from others.
pub(super) struct Member {
    /// How long it took.
    pub(super) value: f64,
    /// Number of its block or core.
    pub(super) number: Option<u64>,
    /// What kind it is, such as `vector` or `vector 1`.
    pub(super) kind: String,
    /// Its row in the table that shows it.
    pub(super) row: u32,
}

/// What the members are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Noun {
    Blocks,
    /// Units of cores, such as vector units.
    Units,
}

/// Two groups that are apart: the slow one first.
type Groups<'a> = [Vec<&'a Member>; 2];

/// The two groups that the times fall into; `None` when they do not.
fn split(members: &[Member]) -> Option<Groups<'_>> {
    let mut sorted: Vec<&Member> = members.iter().filter(|m| m.value.is_finite()).collect();
    order::sort_by(&mut sorted, |a, b| a.value.total_cmp(&b.value));
    let n = sorted.len();
    let mean = mean(&sorted);
    // Around the mean, so that squares of close values keep their digits.
    let total: f64 = sorted.iter().map(|m| (m.value - mean).powi(2)).sum();
    let mut below = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for (at, pair) in (1..).zip(sorted.windows(2)) {
        let [left, right] = pair else { continue };
        below += left.value - mean;
        if at < FEWEST || n - at < FEWEST || left.value == right.value {
            continue;
        }
        // What lies between both means: the sums below and above it are the same but for the sign.
        let between = below * below * (1.0 / at as f64 + 1.0 / (n - at) as f64);
        if best.is_none_or(|(most, _)| most < between) {
            best = Some((between, at));
        }
    }
    let (between, at) = best?;
    let (fast, slow) = sorted.split_at_checked(at)?;
    let is_apart = EXPLAINED * total <= between && self::mean(fast) * TOLD <= self::mean(slow);
    is_apart.then(|| [slow.to_vec(), fast.to_vec()])
}

fn mean(members: &[&Member]) -> f64 {
    members.iter().map(|m| m.value).sum::<f64>() / members.len() as f64
}

/// What the members of a group have in common that those of the other do not.
fn name(own: &[&Member], others: &[&Member], noun: Noun) -> Message {
    let n = own.len();
    let kind = own.first().map_or("", |m| m.kind.as_str());
    let is_kind = own.iter().all(|m| m.kind == kind) && others.iter().all(|m| m.kind != kind);
    if is_kind {
        let text = match noun {
            Noun::Blocks => message("{kind} of {n} blocks"),
            Noun::Units => message("{kind} of {n} cores"),
        };
        return text.with("kind", kind).with("n", n);
    }
    let parity = |members: &[&Member]| {
        let mut rests = members.iter().map(|m| m.number.map(|number| number % 2));
        let first = rests.next().flatten()?;
        rests.all(|rest| rest == Some(first)).then_some(first)
    };
    let mut numbers: Vec<u64> = own.iter().filter_map(|m| m.number).collect();
    order::sort_by_key(&mut numbers, |number| *number);
    numbers.dedup();
    let listed = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let is_even = parity(own).filter(|own| parity(others).is_some_and(|other| *own != other));
    let is_whole = numbers.len() == n || noun == Noun::Units;
    let ends = numbers.first().zip(numbers.last()).filter(|_| is_whole);
    let range = ends.filter(|(first, last)| numbers.len() as u64 == *last - *first + 1);
    let text = match (noun, is_even, range) {
        (Noun::Blocks, Some(0), _) => message("{n} even blocks"),
        (Noun::Blocks, Some(_), _) => message("{n} odd blocks"),
        (Noun::Blocks, None, Some(_)) => message("{n} blocks ({first} to {last})"),
        (Noun::Blocks, None, None) if is_whole && n <= LISTED => message("{n} blocks ({list})"),
        (Noun::Blocks, None, None) => message("{n} blocks"),
        (Noun::Units, Some(0), _) => message("{n} units of even cores"),
        (Noun::Units, Some(_), _) => message("{n} units of odd cores"),
        (Noun::Units, None, Some(_)) => message("{n} units of cores {first} to {last}"),
        (Noun::Units, None, None) if numbers.len() <= LISTED => message("{n} units of cores {list}"),
        (Noun::Units, None, None) => message("{n} units"),
    };
    let text = text.with("n", n).with("list", listed);
    let (first, last) = range.map_or((0, 0), |(first, last)| (*first, *last));
    text.with("first", first).with("last", last)
}

/// A kind without its number: `vector 1` and `Vector1` are both vectors.
fn stem(kind: &str) -> &str {
    kind.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ')
}

/// The sentence on two groups; `None` when the times are not in two. `unit` is that of the times.
pub(super) fn advice(members: &[Member], noun: Noun, unit: &Unit) -> Option<Advice> {
    let [slow, fast] = split(members)?;
    let (slowest, longer) = (mean(&slow), mean(&slow) / mean(&fast));
    let longest = slow.iter().map(|m| m.value).max_by(f64::total_cmp)?;
    let (slow_name, fast_name) = (name(&slow, &fast, noun), name(&fast, &slow, noun));
    let shown = |value: f64| number::with_unit(value, unit);
    let text = message("{slow} took {a} on average, {fast} {b}: {factor} times as long.");
    let text = text.with_message("slow", slow_name).with("a", shown(slowest));
    let text = text.with_message("fast", fast_name).with("b", shown(mean(&fast)));
    let text = text.with("factor", number::fixed(longer, if longer < 10.0 { 2 } else { 1 }));
    // Work of cubes cannot be given to vectors.
    let first = members.first().map_or("", |m| stem(&m.kind));
    let text = if members.iter().any(|m| stem(&m.kind) != first) {
        text
    } else {
        let even = members.iter().map(|m| m.value).sum::<f64>() / members.len() as f64;
        let saved =
            message("{groups} Spread evenly, all would take {even} instead of {longest}, {n} % less.");
        let saved = saved.with_message("groups", text).with("even", shown(even));
        saved.with("longest", shown(longest)).with("n", number::fixed((1.0 - even / longest) * 100.0, 1))
    };
    let rows = slow.iter().map(|m| m.row).take(ROWS).collect();
    Some(Advice { rows, ..Advice::new(text, COSTLY <= longer) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(values: &[(u64, &str, f64)]) -> Vec<Member> {
        let member = |(row, (number, kind, value)): (u32, &(u64, &str, f64))| Member {
            value: *value,
            number: Some(*number),
            kind: (*kind).to_owned(),
            row,
        };
        (0..).zip(values).map(member).collect()
    }

    fn said(values: &[(u64, &str, f64)]) -> Option<String> {
        advice(&members(values), Noun::Blocks, &Unit::Micros).map(|advice| advice.text.to_string())
    }

    #[test]
    fn groups_are_named_by_what_tells_them_apart() {
        let same = |values: &[f64]| -> Vec<(u64, &str, f64)> {
            (0..).zip(values).map(|(n, v)| (n, "vector", *v)).collect()
        };
        let begins = |values: &[(u64, &str, f64)], with: &str| {
            let said = said(values).unwrap_or_default();
            assert!(said.starts_with(with), "{said}");
        };
        begins(&same(&[9.0, 2.0, 9.1, 2.1]), "2 even blocks took 9.050 µs on average, 2 odd blocks 2.050 µs");
        begins(
            &same(&[9.0, 9.1, 2.1, 2.0, 2.2]),
            "2 blocks (0 to 1) took 9.050 µs on average, 3 blocks (2 to 4)",
        );
        begins(
            &same(&[2.0, 9.0, 9.0, 2.0, 9.0]),
            "3 blocks (1, 2, 4) took 9.000 µs on average, 2 blocks (0, 3)",
        );
        begins(
            &[(0, "cube", 9.0), (0, "vector", 2.0), (1, "cube", 9.0), (1, "vector", 2.0)],
            "cube of 2 blocks took 9.000 µs on average, vector of 2 blocks 2.000 µs: 4.50 times as long.",
        );
        // Work cannot move from cubes to vectors, but from block to block.
        assert!(
            !said(&[(0, "cube", 9.0), (0, "vector", 2.0), (1, "cube", 9.0), (1, "vector", 2.0)])
                .unwrap()
                .contains("evenly")
        );
        // (9 + 2 + 9 + 2) / 4 of 9 is 61 %.
        let even = said(&same(&[9.0, 2.0, 9.0, 2.0])).unwrap();
        assert!(
            even.ends_with("Spread evenly, all would take 5.500 µs instead of 9.000 µs, 38.9 % less."),
            "{even}"
        );
    }

    #[test]
    fn what_is_not_in_two_is_not_told_so() {
        let number = |values: &[f64]| -> Vec<(u64, &'static str, f64)> {
            (0..).zip(values).map(|(n, v)| (n, "", *v)).collect()
        };
        // One outlier, an even distribution, groups that are hardly apart, too few.
        for values in [
            &[2.0, 2.1, 2.0, 9.0][..],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            &[100.0, 100.0, 103.0, 103.0],
            &[1.0, 9.0],
            &[],
        ] {
            assert_eq!(said(&number(values)), None, "{values:?}");
        }
    }
}
