//! `import/action` and `unit/…` on containers, against events that are read and arranged by slow rules of their own.

use super::events::{Events, Slice, bars, depths, read, thinned};
use super::*;

/// Containers with a timeline, and its events.
fn traces() -> Vec<(String, Vec<u8>, Events)> {
    let with =
        |(name, bytes): (String, Vec<u8>)| Some((name, block(&bytes, 2).map(|json| read(&json))?, bytes));
    let found: Vec<_> = containers().into_iter().filter_map(with).collect();
    assert!(!found.is_empty());
    found.into_iter().map(|(name, events, bytes)| (name, bytes, events)).collect()
}

/// Every thread: its process by number and name, its own number and name, the slices before it, its slices.
fn threads(events: &Events) -> Vec<(usize, &str, usize, &str, usize, &[Slice])> {
    let (mut out, mut before) = (Vec::new(), 0);
    for (p, (pid, tids)) in events.tree.iter().enumerate() {
        for tid in tids {
            let slices = events.lanes.get(&(pid.clone(), tid.clone())).map_or(&[][..], Vec::as_slice);
            out.push((p + 1, pid.as_str(), out.len() + 1, tid.as_str(), before, slices));
            before += slices.len();
        }
    }
    out
}

#[test]
fn import_tells_files_cores_sources_and_the_tree() {
    for (name, bytes) in containers() {
        let mut doc = opened(&name, &bytes);
        let answer = body(&mut doc, "import/action", json!({"path": [format!("D:\\data\\{name}")]}));
        for (key, expected) in [
            ("isCluster", false),
            ("reset", true),
            ("isSimulation", true),
            ("isBinary", true),
            ("isIpynb", false),
        ] {
            assert_eq!(answer[key], json!(expected), "{name}: {key}");
        }
        let cores = block(&bytes, 4).map_or(json!([]), |b| b["Cores"].clone());
        assert_eq!(answer["coreList"], cores, "{name}");
        for block in blocks(&bytes).iter().filter(|b| b.kind == 1) {
            assert!(items(&answer["sourceList"]).contains(&json!(block.path)), "{name}: {}", block.path);
        }
        let card = json!({"cardName": name, "rankId": name, "cardPath": name, "result": true});
        assert_eq!(answer["result"], json!([card]));
        assert_eq!(error(&mut doc, "import/action", json!({"path": ["other.bin"]})).0, "unknown-id");
        let Some(events) = block(&bytes, 2).map(|json| read(&json)) else {
            assert_eq!(answer["units"], json!([]));
            continue;
        };
        let told: Vec<(String, String, String, String)> = items(&answer["units"])
            .iter()
            .flat_map(|p| items(&p["threads"]).iter().map(move |t| (p, t)))
            .map(|(p, t)| (word(&p["id"]), word(&p["name"]), word(&t["id"]), word(&t["name"])))
            .collect();
        let expected: Vec<_> = threads(&events)
            .into_iter()
            .map(|(p, pid, t, tid, ..)| (p.to_string(), pid.to_owned(), t.to_string(), tid.to_owned()))
            .collect();
        assert_eq!(told, expected, "{name}");
        let units = items(&answer["units"]).iter().flat_map(|p| items(&p["threads"]));
        for (told, (.., slices)) in units.zip(threads(&events)).filter(|(_, t)| !t.5.is_empty()) {
            assert_eq!(told["startTime"], json!(slices[0].start));
            assert_eq!(told["endTime"], json!(slices.iter().map(|s| s.end).max()));
        }
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn traces_of_a_thread_are_the_longest_of_each_bin() {
    let mut n = 0;
    for (name, bytes, events) in traces() {
        let mut doc = opened(&name, &bytes);
        for (p, pid, t, tid, before, slices) in threads(&events) {
            let last = slices.iter().map(|s| s.end).max().unwrap_or(0);
            for (i, range) in
                [(0, last), (0, 2_000), (290, 900), (last / 3, last / 2), (0, 50_000)].into_iter().enumerate()
            {
                let (from, to) = (range.0, range.1.max(range.0));
                // By number and by name.
                let params = if i % 2 == 0 {
                    json!({"cardId": name, "processId": p.to_string(), "threadId": t.to_string(), "startTime": from, "endTime": to, "timePerPx": 33.3})
                } else {
                    json!({"processId": pid, "threadId": tid, "startTime": from, "endTime": to})
                };
                let answer = body(&mut doc, "unit/threadTraces", params);
                let shown = thinned(slices, (from, to));
                let one = |depth: usize, row: usize| {
                    let s = &slices[row];
                    json!({
                        "name": s.name, "duration": s.end - s.start, "startTime": s.start, "endTime": s.end,
                        "depth": depth, "threadId": t.to_string(), "cname": s.cname, "id": (before + row + 1).to_string(),
                    })
                };
                let data: Vec<Vec<Value>> = shown
                    .iter()
                    .enumerate()
                    .map(|(depth, rows)| rows.iter().map(|row| one(depth, *row)).collect())
                    .collect();
                let max_depth = depths(slices).iter().max().map_or(0, |d| d + 1);
                let expected = json!({"data": data, "maxDepth": max_depth, "currentMaxDepth": data.len()});
                assert_eq!(answer, expected, "{name}: {pid} {tid} {from} to {to}");
                n += data.iter().map(Vec::len).sum::<usize>();
            }
        }
    }
    assert!(0 < n);
}

#[test]
fn summaries_of_a_process_close_small_gaps() {
    for (name, bytes, events) in traces() {
        let mut doc = opened(&name, &bytes);
        for (p, (pid, _)) in events.tree.iter().enumerate() {
            let lanes: Vec<&[Slice]> =
                events.lanes.iter().filter(|((of, _), _)| of == pid).map(|(_, s)| s.as_slice()).collect();
            for (from, to) in [(0, 119_685), (1_000, 30_000), (500, 500), (0, 90_000_000)] {
                let params = json!({"processId": (p + 1).to_string(), "startTime": from, "endTime": to, "timePerPx": 3});
                let answer = body(&mut doc, "unit/threadTracesSummary", params);
                let bars = bars(&lanes, (from, to));
                let expected: Vec<Value> = bars
                    .iter()
                    .map(|(start, end)| json!({"startTime": start, "duration": end - start}))
                    .collect();
                assert_eq!(answer, json!({"data": expected}), "{name}: {pid} {from} to {to}");
            }
        }
    }
}

#[test]
fn flows_of_a_slice_have_both_points() {
    let mut n = 0;
    for (name, bytes, events) in traces() {
        let mut doc = opened(&name, &bytes);
        let threads = threads(&events);
        let of = |(pid, tid, _): &(String, String, i64)| {
            threads.iter().find(|t| t.1 == pid.as_str() && t.3 == tid.as_str()).unwrap()
        };
        for flow in &events.flows {
            let end = |at: &(String, String, i64)| {
                let (p, _, t, _, before, slices) = of(at);
                let row = slices.iter().position(|s| s.flag == flow.id);
                let depths = depths(slices);
                let slice = row.map(|row| &slices[row]);
                json!({
                    "pid": p.to_string(), "tid": t.to_string(), "timestamp": at.2,
                    "duration": slice.map_or(0, |s| s.end - s.start), "depth": row.map_or(0, |row| depths[row]),
                    "name": slice.map_or("", |s| &s.name), "id": row.map_or(String::new(), |row| (before + row + 1).to_string()),
                    "metaType": "", "rankId": name,
                })
            };
            let one = json!({"title": flow.name, "cat": flow.cat, "id": flow.id, "from": end(&flow.from), "to": end(&flow.to)});
            let expected = json!({"unitAllFlows": [{"cat": flow.cat, "flows": [one]}]});
            for at in [&flow.from, &flow.to] {
                let (p, pid, t, tid, before, slices) = of(at);
                let Some(row) = slices.iter().position(|s| s.flag == flow.id) else { continue };
                let id = (before + row + 1).to_string();
                let by_number = json!({"rankId": name, "pid": p.to_string(), "tid": t.to_string(), "id": id,
                    "startTime": slices[row].start, "endTime": slices[row].end, "isSimulation": true});
                assert_eq!(body(&mut doc, "unit/flows", by_number), expected, "{name}");
                let by_name =
                    json!({"pid": pid, "tid": tid, "id": slices[row].name, "startTime": slices[row].start});
                assert_eq!(body(&mut doc, "unit/flows", by_name), expected, "{name}");
                n += 1;
            }
        }
    }
    // The containers of the corpus have far more than the fixtures.
    let least = if std::env::var_os("LANESCOPE_CORPUS").is_some() { 100 } else { 4 };
    assert!(least < n, "{n}");
}

#[test]
fn details_of_a_slice_have_its_arguments_as_text() {
    for (name, bytes, events) in traces() {
        let mut doc = opened(&name, &bytes);
        for (p, pid, t, tid, before, slices) in threads(&events) {
            let depths = depths(slices);
            for (row, slice) in slices.iter().enumerate().step_by(7) {
                let id = (before + row + 1).to_string();
                let params = json!({"rankId": name, "pid": p.to_string(), "tid": t.to_string(), "id": id, "startTime": slice.start, "depth": depths[row]});
                let answer = body(&mut doc, "unit/threadDetail", params);
                assert_eq!(answer["emptyFlag"], json!(false));
                let mut data = answer["data"].clone();
                let args: Value = serde_json::from_str(data["args"].as_str().unwrap()).unwrap();
                let expected = if slice.args.is_null() { json!({}) } else { slice.args.clone() };
                assert_eq!(args, expected, "{name}: {pid} {tid} {id}");
                data["args"] = json!("");
                let rest = json!({
                    "selfTime": 0, "args": "", "title": slice.name, "duration": slice.end - slice.start, "cat": "",
                    "inputShapes": "", "inputDataTypes": "", "inputFormats": "", "outputShapes": "",
                    "outputDataTypes": "", "outputFormats": "", "attrInfo": "",
                });
                assert_eq!(data, rest);
                // Without an id: what begins there on that depth.
                let at = json!({"pid": pid, "tid": tid, "startTime": slice.start, "depth": depths[row]});
                let at = body(&mut doc, "unit/threadDetail", at);
                assert_eq!(at["data"]["title"], json!(slice.name));
            }
        }
    }
}

#[test]
fn ids_that_are_not_there_are_told_with_those_that_are() {
    let (name, bytes, events) = traces().pop().unwrap();
    let mut doc = opened(&name, &bytes);
    let (_, pid, _, tid, ..) = threads(&events).into_iter().find(|t| !t.5.is_empty()).unwrap();
    let range = |mut params: Value| {
        params["startTime"] = json!(0);
        params["endTime"] = json!(10);
        params
    };
    let cases = [
        ("unit/threadTraces", range(json!({"processId": "99", "threadId": "1"})), "unknown-id", pid),
        ("unit/threadTraces", range(json!({"processId": pid, "threadId": "no"})), "unknown-id", tid),
        ("unit/threadTraces", range(json!({"processId": pid})), "missing-parameter", "threadId"),
        ("unit/threadTraces", json!({"processId": pid, "threadId": tid}), "missing-parameter", "startTime"),
        (
            "unit/threadTraces",
            range(json!({"cardId": "no", "processId": pid, "threadId": tid})),
            "unknown-id",
            &name,
        ),
        ("unit/threadTracesSummary", range(json!({})), "missing-parameter", "processId"),
        (
            "unit/threadTracesSummary",
            json!({"processId": pid, "startTime": 5, "endTime": 4}),
            "wrong-parameter",
            "endTime",
        ),
        (
            "unit/threadTracesSummary",
            json!({"processId": pid, "startTime": "x", "endTime": 4}),
            "wrong-parameter",
            "startTime",
        ),
        ("unit/flows", json!({"pid": pid, "tid": tid}), "missing-parameter", "params.id"),
        ("unit/flows", json!({"pid": pid, "tid": tid, "id": "no such slice"}), "unknown-id", "no such slice"),
        ("unit/threadDetail", json!({"pid": pid, "tid": tid, "startTime": -5}), "unknown-id", "-5"),
    ];
    for (command, params, code, part) in cases {
        let (told, message) = error(&mut doc, command, params);
        assert!(told == code && message.contains(part), "{command}: {told}: {message}");
    }
}
