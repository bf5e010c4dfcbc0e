//! The fast reader against a slow and obvious one, on random events.

use crate::support::front_door::open;
use lanescope::model::Trace;
use proptest::prelude::*;
use serde_json::Value;

/// One event as text, with blanks anywhere and members in any order; mostly as a writer would, in the same order with the
/// same blanks between them, so that the reader's memory of the event before is of use, and is put to the test.
fn event() -> impl Strategy<Value = String> {
    let name = prop_oneof!["[a-c]{1,3}", Just("q\\\"uo\\u00e9".to_owned()), Just("}{][,".to_owned())];
    let id = prop_oneof!["[1-3]", Just("\"1\"".to_owned()), Just("\"core0.x\"".to_owned())];
    let time = prop_oneof![
        (0_u32..5_000).prop_map(|n| format!("{}.{:03}", n / 1000, n % 1000)),
        (0_u32..50).prop_map(|n| n.to_string()),
        (0_u64..3).prop_map(|n| format!("176600000000000{n}.00{n}")),
        (0_u32..9).prop_map(|n| format!("\"{n}\"")),
    ];
    let args = prop_oneof![
        Just("{}".to_owned()),
        Just(r#"{"a":"}","b":[1,{"c":"\\\""}],"code":"x\ny"}"#.to_owned()),
        Just(r#"{"v":1.5}"#.to_owned()),
    ];
    let phase = prop_oneof![4 => Just("X"), 1 => Just("i"), 1 => Just("C"), 1 => Just("B"), 1 => Just("E"), 1 => Just("v")];
    let blank = prop_oneof![6 => Just(""), 2 => Just(" "), 1 => Just("\n  ")];
    let order = prop_oneof![3 => Just(None), 1 => any::<u64>().prop_map(Some)];
    let blanks = (prop::array::uniform7(blank.clone()), blank);
    let parts = (phase, name, (id.clone(), id), (time.clone(), time), args, order, blanks);
    parts.prop_map(|(phase, name, (pid, tid), (ts, dur), args, order, (before, blank))| {
        let mut members = vec![
            format!("\"ph\":{}\"{phase}\"", before[0]),
            format!("\"name\":{}\"{name}\"", before[1]),
            format!("\"pid\":{}{pid}", before[2]),
            format!("\"tid\":{}{tid}", before[3]),
            format!("\"ts\":{}{ts}", before[4]),
            format!("\"dur\":{}{dur}", before[5]),
            format!("\"args\":{}{args}", before[6]),
        ];
        let n = members.len();
        let mut seed = order.unwrap_or_default();
        for i in (1..n).rev().filter(|_| order.is_some()) {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            members.swap(i, (seed >> 33) as usize % (i + 1));
        }
        format!("{{{blank}{}}}", members.join(&format!("{blank},{blank}")))
    })
}

/// A plain slice, by what the file says of it.
type Plain = (String, String, String, i128, i128);

/// Slices, instants and samples as the obvious reader sees them.
fn slow(text: &str) -> (Vec<Plain>, usize, usize) {
    let events: Vec<Value> = serde_json::from_str(text).expect("the text is JSON");
    let word = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let nanos = |v: &Value| {
        let text = word(v);
        let (whole, part) = text.split_once('.').unwrap_or((&text, "0"));
        whole.parse::<i128>().unwrap() * 1000 + format!("{part:0<3}").parse::<i128>().unwrap()
    };
    let mut slices = Vec::new();
    for e in events.iter().filter(|e| e["ph"] == "X") {
        slices.push((word(&e["pid"]), word(&e["tid"]), word(&e["name"]), nanos(&e["ts"]), nanos(&e["dur"])));
    }
    slices.sort();
    let count = |phase: &str| events.iter().filter(|e| e["ph"] == phase).count();
    let samples = events.iter().filter(|e| e["ph"] == "C" && e["args"]["v"].is_number()).count();
    (slices, count("i"), samples)
}

/// The same of a trace; names of tracks are turned back into ids.
fn fast(trace: &Trace) -> Vec<Plain> {
    let own = |name: &str, word: &str| name.strip_prefix(word).unwrap_or(name).to_owned();
    let mut slices = Vec::new();
    for (_, track) in trace.tracks.iter() {
        let group = track.parent.and_then(|p| trace.tracks.find(p)).map_or("", |t| trace.strings.get(t.name));
        for row in 0..track.slices.len() {
            slices.push((
                own(group, "Process "),
                own(trace.strings.get(track.name), "Thread "),
                trace.strings.get(track.slices.name[row]).to_owned(),
                i128::from(track.slices.start[row]),
                i128::from(track.slices.dur_of(row)),
            ));
        }
    }
    slices.sort();
    slices
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_reader_sees_what_the_obvious_one_sees(
        events in prop::collection::vec(event(), 1..40),
        chunk in 1_usize..300,
    ) {
        // Times are written with at most three decimals here, and numbers as serde would print them are not needed.
        let text = format!("[{}]", events.join(",\n"));
        let plain: Vec<&String> = events.iter().filter(|e| !e.contains("\"B\"") && !e.contains("\"E\"")).collect();
        let only_plain = format!("[{}]", plain.iter().map(|e| e.as_str()).collect::<Vec<_>>().join(","));
        let exact = text_times(&only_plain);
        let (slices, instants, samples) = slow(&exact);
        let (doc, _) = open(vec![("t.json".to_owned(), only_plain.clone().into_bytes())], chunk);
        prop_assert_eq!(fast(doc.trace()), slices);
        prop_assert_eq!(doc.trace().n_instants(), instants as u64);
        prop_assert_eq!(doc.trace().n_samples(), samples as u64);
        // With begins and ends: nothing vanishes.
        let (doc, is_ready) = open(vec![("t.json".to_owned(), text.into_bytes())], chunk);
        prop_assert!(is_ready);
        super::accounts(&doc, "random events");
    }
}

/// Numbers of `ts` and `dur` as texts, so that the obvious reader does not lose their digits.
fn text_times(text: &str) -> String {
    let mut out = text.to_owned();
    for key in ["\"ts\":", "\"dur\":"] {
        let mut parts = out.split(key);
        let mut next = parts.next().unwrap_or("").to_owned();
        for part in parts {
            let part = part.trim_start();
            let end = part.find([',', '}', ' ', '\n']).unwrap_or(part.len());
            let (value, rest) = part.split_at(end);
            next += &format!("{key}\"{}\"{rest}", value.trim_matches('"'));
        }
        out = next;
    }
    out
}
