//! Real files, where they are at hand: `LANESCOPE_CORPUS` names the folder. Numbers of the profiles were computed from
//! their JSON by a script; sums are equal however they are made.

use super::{categories, idle};
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use lanescope::analysis::area::flame::flame;
use lanescope::analysis::area::{Scope, Work, gaps, overlap};
use lanescope::analysis::summary::summarize;
use lanescope::analysis::timeline::chosen_tracks;
use lanescope::base::time::Ticks;
use lanescope::document::Document;
use lanescope::model::id::SliceId;
use lanescope::model::track::Track;
use lanescope::views::timeline::messages::{Reply, Slice, TimelineQuery};

use std::fs;

fn open(path: &str) -> Option<Document> {
    let bytes = fs::read(corpus("")?.join(path)).unwrap();
    let (doc, is_ready) = open_one(path.rsplit('/').next().unwrap(), bytes);
    assert!(is_ready, "{path}");
    Some(doc)
}

fn profile(name: &str) -> Option<Document> {
    open(&format!("trace_event/pytorch/{name}.pt.trace.json.gz"))
}

/// What must be equal in any file.
fn adds_up(doc: &Document) {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let tracks = chosen_tracks(trace, &[]);
    let span = trace.span.unwrap();
    let scope = Scope { trace, timeline, tracks: &tracks, span };
    let tree = flame(scope);
    let slices = tree.frames.iter().skip(1).filter(|f| !f.is_track);
    assert_eq!(slices.clone().map(|f| f.n).sum::<u64>(), trace.n_slices());
    let all = summarize(trace, timeline, &tracks, span).all;
    assert_eq!(slices.clone().map(|f| f.total).sum::<Ticks>(), all.sum);
    assert_eq!(tree.frames[0].total, all.total);
    assert_eq!(slices.map(|f| f.own).sum::<Ticks>(), all.own);
    for idle in idle(scope, false) {
        let recorded = timeline.recorded(trace, idle.track, span);
        assert_eq!(idle.busy, timeline.track(idle.track).busy(recorded));
        assert_eq!(idle.busy + idle.idle, recorded.dur());
    }
    let together = overlap::overlap(scope, Work::new(false));
    assert_eq!(together.at_once.iter().sum::<Ticks>(), span.dur());
    let busy: Vec<Ticks> = together.tracks.iter().map(|&id| timeline.track(id).busy(span)).collect();
    let n = busy.len();
    for a in 0..n {
        assert_eq!(together.pair(a, a), busy[a]);
        assert!((0..n).all(|b| together.pair(a, b) == together.pair(b, a) && together.pair(a, b) <= busy[b]));
    }
    let by_number: Ticks = (0..).zip(&together.at_once).map(|(k, t)| k * t).sum();
    assert_eq!(by_number, busy.iter().sum::<Ticks>());
    assert_eq!(together.at_once.get(1).copied().unwrap_or(0), together.alone.iter().sum::<Ticks>());
}

#[test]
fn ranges_of_real_files_add_up() {
    for name in ["simulator_like.bin", "device_like_all_blocks.bin", "synthetic_simulator_trace.json"] {
        if let Some(doc) = open(&format!("ascend/assembled/{name}")) {
            adds_up(&doc);
        }
    }
    for name in ["resnet50_workers0", "resnet50_autograd_workers0"] {
        if let Some(doc) = profile(name) {
            adds_up(&doc);
        }
    }
}

#[test]
fn devices_are_as_busy_as_the_script_says() {
    for (name, streams, busy, of) in
        [("resnet50_workers0", 1, 603_558, 1_173_468), ("resnet50_autograd_workers0", 13, 979_604, 5_333_218)]
    {
        let Some(doc) = profile(name) else { return };
        let trace = doc.trace();
        let tracks = chosen_tracks(trace, &[]);
        let span = trace.span.unwrap();
        assert_eq!(span.dur(), of * 1000);
        let scope = Scope { trace, timeline: &doc.derived().timeline, tracks: &tracks, span };
        let devices = gaps::devices(scope);
        assert_eq!(devices.len(), 1);
        assert_eq!(trace.strings.get(trace.tracks.get(devices[0].0).label), "GPU 0");
        assert_eq!((devices[0].1, devices[0].2), (streams, busy * 1000), "{name}");
        if let Some(doc) = open("ascend/assembled/simulator_like.bin") {
            let (trace, tracks) = (doc.trace(), chosen_tracks(doc.trace(), &[]));
            let span = trace.span.unwrap();
            let scope = Scope { trace, timeline: &doc.derived().timeline, tracks: &tracks, span };
            assert_eq!(gaps::devices(scope), []);
        }
    }
}

#[test]
fn memory_of_devices_is_what_was_added_and_taken() {
    let Some(doc) = profile("resnet50_workers0") else { return };
    let trace = doc.trace();
    let counter = |name: &str| -> &Track {
        trace.tracks.iter().find(|(_, t)| trace.strings.get(t.name) == name).unwrap().1
    };
    for (name, n, last, peak) in [
        ("Memory of CPU", 4_618, 19_267_840.0, 57_803_264.0),
        ("Memory of GPU 0", 8_220, 0.0, 2_791_636_480.0_f64),
    ] {
        let series = &counter(name).series;
        assert_eq!(series.len(), 1);
        assert_eq!(trace.strings.get(series[0].name), "allocated at least");
        let values = &series[0].value;
        assert_eq!((values.len(), values.last().copied()), (n, Some(last)), "{name}");
        assert_eq!(values.iter().copied().fold(0.0, f64::max), peak, "{name}");
    }
    let Some(doc) = profile("resnet50_autograd_workers0") else { return };
    assert_eq!(doc.trace().n_samples(), 0);
}

fn slice(doc: &mut Document, id: SliceId) -> Slice {
    match doc.query(&TimelineQuery::Slice(id)).0 {
        Some(Reply::Slice(Some(slice))) => *slice,
        other => panic!("{other:?}"),
    }
}

#[test]
fn kernels_are_reached_from_their_operators_and_back() {
    for (name, n, least, most) in [
        ("resnet50_workers0", 9_096, 9_000, 31_988_000),
        ("resnet50_autograd_workers0", 10_133, 8_000, 1_565_339_000),
    ] {
        let Some(mut doc) = profile(name) else { return };
        let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
        let tracks = chosen_tracks(trace, &[]);
        let scope = Scope { trace, timeline, tracks: &tracks, span: trace.span.unwrap() };
        let sums = categories(scope);
        assert_eq!(sums.len(), 1);
        assert_eq!(
            (trace.strings.get(sums[0].name), sums[0].n, sums[0].min, sums[0].max),
            ("async", n, least, most)
        );
        let category = |id: SliceId| {
            trace.strings.get(trace.tracks.get(id.track).slices.category_of(id.row as usize)).to_owned()
        };
        let mut joined = Vec::new();
        for flow in trace.flows.ids() {
            if let [Some(from), Some(to)] = timeline.flows().ends(trace, flow)
                && category(from) == "Runtime"
                && ["Kernel", "Memset", "Memcpy"].contains(&category(to).as_str())
            {
                joined.push((from, to));
            }
        }
        println!("{name}: {} of {n} flows lead from a call to what it launched", joined.len());
        assert!(n * 99 / 100 < joined.len() as u64, "{}", joined.len());
        let mut operators = 0;
        for &(launch, kernel) in joined.iter().step_by(joined.len() / 50) {
            // From what runs on the device to the call, and from there to the operator around it.
            let from = slice(&mut doc, kernel).linked;
            assert!(from.iter().any(|l| l.head.id == launch && l.is_from), "{from:?}");
            let call = slice(&mut doc, launch).linked;
            assert!(call.iter().any(|l| l.head.id == kernel && !l.is_from), "{call:?}");
            if let Some(operator) = call.iter().find(|l| l.category == "enclosing slice") {
                // And back: the operator names what its call launched.
                let of = slice(&mut doc, operator.head.id);
                let is_all = of.n_linked as usize == of.linked.len();
                assert!(!is_all || of.linked.iter().any(|l| l.head.id == kernel), "{of:?}");
                operators += 1;
            }
        }
        println!("{name}: {operators} of some 50 have an operator around them");
        assert!(25 < operators, "{operators}");
    }
}
