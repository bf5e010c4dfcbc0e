//! Which runs are compared with which: sets of runs whose names are the same but for a number, or two parts of one.

use std::ops::Range;

/// Words in names of runs that say which set comes first, and which after it.
const FIRST: [&str; 9] =
    ["before", "baseline", "base", "old", "main", "master", "control", "reference", "previous"];
const THEN: [&str; 7] = ["after", "new", "changed", "candidate", "treatment", "next", "patched"];

/// Choices of sets.
const MOST: usize = 200;
/// More groups than this are not compared by pairs.
const MOST_GROUPS: usize = 8;

/// Two sets of runs, by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    pub before: Range<usize>,
    pub after: Range<usize>,
    /// What they are called: `before-* → after-*`.
    pub name: String,
}

impl Sets {
    /// All pairs that can be chosen, the usual one first: by words such as before and after, else two groups of runs of one
    /// name each, else the halves of the largest group. `runs` are in the order of [`order`]. Empty for fewer than two runs.
    pub fn all(runs: &[String]) -> Vec<Self> {
        let groups = groups(runs);
        let largest = groups.iter().max_by_key(|group| (group.len(), std::cmp::Reverse(group.start)));
        // Names that have nothing in common are one series.
        let series = largest.cloned().filter(|group| 1 < group.len()).unwrap_or(0..runs.len());
        let mut all = Vec::new();
        let rank = |group: &Range<usize>| runs.get(group.start).map_or(2, |run| rank(run));
        let of_rank = |wanted: u8| {
            let own = groups.iter().filter(|group| rank(group) == wanted);
            own.max_by_key(|group| (group.len(), std::cmp::Reverse(group.start)))
        };
        if let (Some(before), Some(after)) = (of_rank(0), of_rank(1)) {
            all.push(Self::of_groups(runs, before, after));
        } else if let [before, after] = &groups[..]
            && 1 < before.len().min(after.len())
        {
            all.push(Self::of_groups(runs, before, after));
        }
        let half = series.start + series.len().div_ceil(2);
        let splits = (series.start + 1..series.end).filter(|at| *at != half);
        let halves = std::iter::once(half).filter(|at| *at < series.end).chain(splits);
        let is_few = (2..=MOST_GROUPS).contains(&groups.len()) && groups.iter().any(|group| 1 < group.len());
        for before in groups.iter().filter(|_| is_few) {
            let others = groups.iter().filter(|after| *after != before);
            all.extend(others.map(|after| Self::of_groups(runs, before, after)));
        }
        let halves = halves.take(MOST);
        let parts = halves.map(|at| Self::parts(runs, series.start..at, at..series.end)).collect::<Vec<_>>();
        // Without a pair that suggests itself halves are the usual ones.
        if all.first().is_none_or(|first| rank(&first.before) == 2 && 2 < groups.len()) {
            all.splice(0..0, parts);
        } else {
            all.extend(parts);
        }
        let mut seen = Vec::new();
        all.retain(|sets| {
            let is_new = !seen.iter().any(|other| sets.is_same(other));
            seen.push(sets.clone());
            is_new
        });
        all.truncate(MOST);
        all
    }

    fn of_groups(runs: &[String], before: &Range<usize>, after: &Range<usize>) -> Self {
        let name = |group: &Range<usize>| match runs.get(group.clone()) {
            Some([only]) => only.clone(),
            Some([first, .., last]) if stem(first).is_empty() => format!("{first} … {last}"),
            Some([first, ..]) => format!("{}*", stem(first)),
            _ => String::new(),
        };
        let name = format!("{} → {}", name(before), name(after));
        Self { before: before.clone(), after: after.clone(), name }
    }

    /// Two parts of a series.
    pub(super) fn parts(runs: &[String], before: Range<usize>, after: Range<usize>) -> Self {
        let name = |part: &Range<usize>| match runs.get(part.clone()) {
            Some([only]) => only.clone(),
            Some([first, .., last]) => format!("{first} … {last}"),
            _ => String::new(),
        };
        let name = format!("{} → {}", name(&before), name(&after));
        Self { before, after, name }
    }

    /// Whether these are two parts of one series of runs, which could be parted elsewhere just as well.
    pub fn is_series(&self, runs: &[String]) -> bool {
        let stem = |at: usize| runs.get(at).map(|run| stem(run));
        self.before.end == self.after.start
            && !self.after.is_empty()
            && stem(self.before.start) == stem(self.after.start)
    }

    /// Whether another one compares the same runs.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.before == other.before && self.after == other.after
    }

    /// Runs that are in neither set.
    pub fn left_out(&self, n_runs: usize) -> usize {
        n_runs.saturating_sub(self.before.len() + self.after.len())
    }
}

/// What runs are ordered by: those of the first set, those of the second, then all others; numbers in names by value.
pub fn order(name: &str) -> impl Ord + use<> {
    (rank(name), by_number(name))
}

/// Runs that follow each other and have names that are the same but for a number at the end.
fn groups(runs: &[String]) -> Vec<Range<usize>> {
    let mut from = 0;
    let same = runs.chunk_by(|a, b| stem(a) == stem(b));
    same.map(|group| {
        from += group.len();
        from - group.len()..from
    })
    .collect()
}

/// A name without the number at its end, or without the date and what stands after it.
fn stem(name: &str) -> &str {
    let is_date = |at: &usize| {
        let of = name.as_bytes().get(*at..at + 10).unwrap_or_default();
        let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        matches!(of, [year @ .., a, m1, m2, b, d1, d2]
            if year.len() == 4 && digits(year) && a == b && !a.is_ascii_alphanumeric() && digits(&[*m1, *m2, *d1, *d2]))
    };
    let date = (0..name.len().saturating_sub(9)).find(is_date);
    // Behind a date may be a time, but no word.
    let dated = date.and_then(|at| Some((name.get(..at)?, name.get(at + 10..)?)));
    match dated {
        Some((stem, rest)) if rest.chars().filter(char::is_ascii_alphabetic).all(|c| "TZ".contains(c)) => {
            stem
        }
        _ => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    }
}

/// 0 for runs of a first set by their names, 1 for those of a second, 2 for all others.
fn rank(name: &str) -> u8 {
    let lower = stem(name).to_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let is = |word: &str, list: &[&str]| list.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    words.find_map(|word| if is(word, &FIRST) { Some(0) } else { is(word, &THEN).then_some(1) }).unwrap_or(2)
}

/// A name with its numbers by value: run 10 comes after run 9.
fn by_number(name: &str) -> Vec<(bool, u64, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if 0 < digits {
            let (number, after) = rest.split_at(digits);
            parts.push((false, number.parse().unwrap_or(u64::MAX), number.to_owned()));
            rest = after;
        } else {
            let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            parts.push((true, 0, text.to_owned()));
            rest = after;
        }
    }
    parts
}

/// The run that the path of a file says: `…/run=nightly%2012/part-….parquet`.
pub(super) fn run_of(path: &str) -> String {
    let part = path.split('/').find_map(|part| part.strip_prefix("run="));
    let decoded =
        part.map(|part| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned());
    decoded.filter(|run| run != "__HIVE_DEFAULT_PARTITION__").unwrap_or_default()
}
