//! Events of a trace as slices and flows, read and arranged by rules of their own: as slow as they are plain.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One slice.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slice {
    pub(super) name: String,
    pub(super) cname: String,
    pub(super) flag: String,
    pub(super) group: String,
    pub(super) args: Value,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// One flow: category, id, where and when it begins and ends.
pub(super) struct Flow {
    pub(super) cat: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) from: (String, String, i64),
    pub(super) to: (String, String, i64),
}

/// A trace of an operator.
#[derive(Default)]
pub(super) struct Events {
    /// Processes in the order of the tree, each with its threads in order.
    pub(super) tree: Vec<(String, Vec<String>)>,
    /// Slices by process and thread, in order of start, then longest first, then as in the file. Times from the start.
    pub(super) lanes: BTreeMap<(String, String), Vec<Slice>>,
    pub(super) flows: Vec<Flow>,
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| if value.is_null() { String::new() } else { value.to_string() }, str::to_owned)
}

/// What an event is called: the simulator calls misses of its instruction cache by the name of their color.
fn named(event: &Value) -> String {
    let (name, color) = (word(&event["name"]), word(&event["cname"]));
    if name == color && name == "thread_state_runnable" { "Cache miss".to_owned() } else { name }
}

fn nanos(event: &Value, key: &str) -> i64 {
    (event[key].as_f64().unwrap_or(0.0) * 1000.0).round() as i64
}

/// Reads Trace Event JSON as spec 4.2 to 4.4 say.
pub(super) fn read(json: &Value) -> Events {
    let mut out = Events::default();
    let mut all: Vec<((String, String), Slice)> = Vec::new();
    let mut ends: Vec<&Value> = Vec::new();
    let mut order: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut names: BTreeSet<(String, String)> = BTreeSet::new();
    let mut zero = i64::MAX;
    let mut begun: BTreeMap<String, (String, String, i64)> = BTreeMap::new();
    let events = json["traceEvents"].as_array().unwrap();
    for event in events {
        let lane = (word(&event["pid"]), word(&event["tid"]));
        let start = nanos(event, "ts");
        let slice = |end: i64| Slice {
            name: named(event),
            cname: word(&event["cname"]),
            flag: word(&event["id"]),
            group: word(&event["group_id"]),
            args: event["args"].clone(),
            start,
            end,
        };
        match event["ph"].as_str().unwrap() {
            "X" => {
                let end = event["ts"].as_f64().unwrap() + event["dur"].as_f64().unwrap_or(0.0);
                all.push((lane.clone(), slice((end * 1000.0).round() as i64)));
            }
            "B" => all.push((lane.clone(), slice(i64::MIN))),
            "E" => ends.push(event),
            "M" => {
                let index = event["args"]["sort_index"].as_i64();
                match (event["name"].as_str().unwrap(), index) {
                    ("process_sort_index", Some(index)) => order.insert((lane.0, String::new()), index),
                    ("thread_sort_index", Some(index)) => order.insert(lane, index),
                    _ => None,
                };
                continue;
            }
            "C" => {
                zero = zero.min(start);
                names.insert((lane.0, word(&event["name"])));
                continue;
            }
            _ => continue,
        }
        zero = zero.min(start);
        names.insert(lane);
    }
    for event in ends {
        let is_it =
            |s: &Slice| s.end == i64::MIN && s.flag == word(&event["id"]) && s.name == word(&event["name"]);
        let (_, open) = all.iter_mut().find(|(_, s)| is_it(s)).unwrap();
        open.end = nanos(event, "ts").max(open.start);
    }
    for (lane, mut slice) in all {
        slice.start -= zero;
        slice.end -= zero;
        out.lanes.entry(lane).or_default().push(slice);
    }
    for slices in out.lanes.values_mut() {
        slices.sort_by_key(|s| (s.start, -(s.end - s.start)));
    }
    for event in events {
        let end = (word(&event["pid"]), word(&event["tid"]), nanos(event, "ts") - zero);
        let id = word(&event["id"]);
        match event["ph"].as_str().unwrap() {
            "s" => drop(begun.insert(id, end)),
            "t" => {
                let (cat, name) = (word(&event["cat"]), word(&event["name"]));
                out.flows.push(Flow { cat, name, from: begun[&id].clone(), to: end, id });
            }
            _ => {}
        }
    }
    // By index, without one by the pipe's usual place (spec 3.4), without that first; then by name.
    let pipes = ["SCALAR", "FLOWCTRL", "MTE1", "CUBE", "FIXP", "MTE2", "VECTOR", "MTE3", "CACHEMISS"];
    let usual = |tid: &str| pipes.iter().position(|p| *p == tid).map_or(i64::MIN, |at| at as i64 + 1);
    let place = |pid: &str, tid: &str| {
        let index = |tid: &str| order.get(&(pid.to_owned(), tid.to_owned())).copied().unwrap_or(usual(tid));
        (index(tid), if tid.is_empty() { pid.to_owned() } else { tid.to_owned() })
    };
    let mut pids: Vec<String> = names.iter().map(|(pid, _)| pid.clone()).collect();
    pids.sort_by_key(|pid| place(pid, ""));
    pids.dedup();
    for pid in pids {
        let mut tids: Vec<String> = names.iter().filter(|(p, _)| *p == pid).map(|(_, t)| t.clone()).collect();
        tids.sort_by_key(|tid| place(&pid, tid));
        out.tree.push((pid, tids));
    }
    out
}

/// Depths as spec 4.5 says: slices of a group are one interval; the lowest depth whose last end is not after the start.
pub(super) fn depths(slices: &[Slice]) -> Vec<usize> {
    let mut ends: Vec<i64> = Vec::new();
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = Vec::new();
    for slice in slices {
        if let Some(depth) = groups.get(slice.group.as_str()) {
            out.push(*depth);
            continue;
        }
        let is_in_group = |other: &&Slice| !slice.group.is_empty() && other.group == slice.group;
        let end = slices.iter().filter(is_in_group).map(|s| s.end).fold(slice.end, i64::max);
        let depth = ends.iter().position(|last| *last <= slice.start).unwrap_or(ends.len());
        if depth == ends.len() {
            ends.push(0);
        }
        ends[depth] = end;
        if !slice.group.is_empty() {
            groups.insert(&slice.group, depth);
        }
        out.push(depth);
    }
    out
}

/// Down-sampling as spec 4.6 says: of each of 1000 bins of the range the longest slice that starts in it, by depth. What
/// began before the range and reaches into it is in the first bin, what starts at its end in the last.
pub(super) fn thinned(slices: &[Slice], (from, to): (i64, i64)) -> Vec<Vec<usize>> {
    let depths = depths(slices);
    let seen = |i: &usize| from <= slices[*i].end && slices[*i].start <= to;
    let deepest = (0..slices.len()).filter(seen).map(|i| depths[i] + 1).max().unwrap_or(0);
    let mut out = Vec::new();
    for depth in 0..deepest {
        let rows: Vec<usize> = (0..slices.len()).filter(seen).filter(|i| depths[*i] == depth).collect();
        if to - from < 1000 {
            out.push(rows);
            continue;
        }
        let mut kept = Vec::new();
        for bin in 0..1000_i128 {
            let bin_of = |i: usize| {
                let along = i128::from((slices[i].start - from).max(0));
                (along * 1000 / i128::from(to - from)).min(999)
            };
            let longest = rows.iter().copied().filter(|i| bin_of(*i) == bin);
            kept.extend(longest.max_by_key(|i| slices[*i].end - slices[*i].start));
        }
        out.push(kept);
    }
    out
}

/// Bars as spec 4.7 says: all slices of a process in order of start, small gaps closed.
pub(super) fn bars(lanes: &[&[Slice]], (from, to): (i64, i64)) -> Vec<(i64, i64)> {
    let gap = ((to - from) / 30_000).max(1);
    let mut all: Vec<(i64, i64)> = lanes.iter().flat_map(|l| l.iter()).map(|s| (s.start, s.end)).collect();
    all.retain(|(start, end)| from <= *end && *start <= to);
    all.sort();
    let mut bars: Vec<(i64, i64)> = Vec::new();
    for (start, end) in all {
        match bars.last_mut() {
            Some(bar) if start - bar.1 <= gap => bar.1 = bar.1.max(end),
            _ => bars.push((start, end)),
        }
    }
    bars
}
