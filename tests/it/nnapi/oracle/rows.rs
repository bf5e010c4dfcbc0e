//! From text to rows, as sections 2.1 to 2.4 say: a matcher that tries every way, longest first.

use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Row {
    pub(super) pid: String,
    pub(super) time: String,
    pub(super) mark: String,
    /// With its end.
    pub(super) line: String,
    pub(super) number: usize,
}

pub(super) struct Collected {
    pub(super) rows: Vec<Row>,
    /// Thread and process, in the order of the first marks.
    pub(super) tracked: Vec<(String, String)>,
    pub(super) drivers: BTreeSet<String>,
    pub(super) has_runtime: bool,
}

const HEADS: [&str; 2] = [
    "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION",
    "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION",
];

fn lines(text: &str) -> Vec<String> {
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    unified.split_inclusive('\n').map(str::to_owned).collect()
}

pub(super) fn collect(text: &str) -> Result<Collected, String> {
    let all = lines(text);
    let begin = all.iter().position(|line| HEADS.iter().any(|head| line.contains(head))).unwrap_or(all.len());
    let end = (begin..all.len()).find(|&i| all[i].contains("</script>")).unwrap_or(all.len());
    let (mut rows, mut tracked): (Vec<Row>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    let (mut drivers, mut has_runtime) = (BTreeSet::new(), false);
    let mut process_of: BTreeMap<String, String> = BTreeMap::new();
    for (number, line) in all.iter().enumerate().take(end).skip(begin) {
        let Some((pid, tgid, time, mark)) = read(line.trim_end_matches('\n')) else {
            let dear = ["HIDL::IDevice", "[NN_", "tracing_mark_write: B", "tracing_mark_write: E"];
            if dear.iter().any(|text| line.contains(text)) {
                return Err(format!("AssertionError: {line}"));
            }
            continue;
        };
        let mut tgid = match tgid {
            Some(tgid) => tgid,
            None if mark.contains('|') => mark.split('|').nth(1).unwrap().to_owned(),
            None => process_of.get(&pid).cloned().ok_or(format!("KeyError: '{pid}'"))?,
        };
        process_of.insert(pid.clone(), tgid.clone());
        if tgid == "-----" {
            let digits: String = mark.chars().skip(2).take_while(|c| c.is_ascii_digit()).collect();
            if mark.chars().nth(1) != Some('|') || digits.is_empty() {
                return Err("AttributeError: 'NoneType' object has no attribute 'group'".to_owned());
            }
            tgid = digits;
        }
        let is_served = mark.contains("HIDL::IDevice") && mark.contains("::server");
        if mark.contains("[NN") || is_served {
            match tracked.iter_mut().find(|(known, _)| *known == pid) {
                Some(known) => known.1 = tgid.clone(),
                None => tracked.push((pid.clone(), tgid.clone())),
            }
        }
        if is_served {
            drivers.insert(tgid);
        }
        has_runtime |= mark.contains("[NN") && mark.contains("NN_LR");
        rows.push(Row { pid, time, mark, line: line.clone(), number: number + 1 });
    }
    Ok(Collected { rows, tracked, drivers, has_runtime })
}

type Found = (String, Option<String>, String, String);

fn read(line: &str) -> Option<Found> {
    let line: Vec<char> = line.chars().collect();
    found(&line, true).or_else(|| found(&line, false))
}

fn found(line: &[char], has_process: bool) -> Option<Found> {
    let at = |i: usize| line.get(i).copied();
    let blank = |i: usize| at(i).is_some_and(|c| c.is_whitespace());
    let digits = |mut i: usize| {
        while at(i).is_some_and(|c| c.is_ascii_digit()) {
            i += 1;
        }
        i
    };
    let n_blank = (0..=line.len()).take_while(|&n| n == 0 || blank(n - 1)).last().unwrap();
    for start in (0..=n_blank).rev() {
        if at(start).is_none_or(|c| c == ' ') {
            continue;
        }
        for len in (2..=16).rev() {
            if at(start + len) != Some('-') {
                continue;
            }
            let pid = start + len + 1;
            let mut i = digits(pid);
            if i == pid {
                continue;
            }
            let number: String = line[pid..i].iter().collect();
            let mut process = None;
            if has_process {
                let from = i;
                while blank(i) {
                    i += 1;
                }
                if i == from || at(i) != Some('(') {
                    continue;
                }
                i += 1;
                while blank(i) {
                    i += 1;
                }
                let from = i;
                while at(i).is_some_and(|c| c.is_ascii_digit() || c == '-') {
                    i += 1;
                }
                if i == from || at(i) != Some(')') {
                    continue;
                }
                process = Some(line[from..i].iter().collect());
                i += 1;
            }
            if at(i) != Some(' ') {
                continue;
            }
            if let Some((time, mark)) = stamped(line, i + 1) {
                return Some((number, process, time, mark));
            }
        }
    }
    None
}

/// The last ` 1.5: tracing_mark_write: B` whose blank stands at `from` or behind.
fn stamped(line: &[char], from: usize) -> Option<(String, String)> {
    let word: Vec<char> = ": tracing_mark_write: ".chars().collect();
    for i in (from..line.len()).rev() {
        let end = i + word.len();
        if !line[i..].starts_with(&word) || !line.get(end).is_some_and(|c| matches!(c, 'B' | 'E')) {
            continue;
        }
        let back = |mut i: usize| {
            while from < i && line[i - 1].is_ascii_digit() {
                i -= 1;
            }
            i
        };
        let point = back(i);
        if point == i || point <= from || line[point - 1] != '.' {
            continue;
        }
        let start = back(point - 1);
        if start < point - 1 && from < start && line[start - 1] == ' ' {
            return Some((line[start..i].iter().collect(), line[end..].iter().collect()));
        }
    }
    None
}
