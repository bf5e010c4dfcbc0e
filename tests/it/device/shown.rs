//! What the page asks for of host and device: figures, and pages of kernels and operators.

use super::{TRACE, lines, open};
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::device::idle::{Idle, Reason};
use lanescope::analysis::device::{Latency, Options};
use lanescope::analysis::rows::Goal;
use lanescope::base::number::millis;
use lanescope::base::time::{Clock, Span};
use lanescope::document::Document;
use lanescope::views::statistics::messages::Figures;
use lanescope::views::timeline::messages::{WorkQuery, WorkReply};
use lanescope::wire::rows::Source;
use lanescope::wire::{pack, unpack};

fn figures(doc: &mut Document, options: Options) -> Figures {
    let query: Options = unpack(&pack(&options)).unwrap();
    let (answer, _) = doc.query(&query);
    assert_eq!(unpack::<Option<Figures>>(&pack(&answer)).unwrap(), answer);
    match answer {
        Some(figures) => figures,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_column_has_one_unit() {
    let told = |clock| [0, 15_000, 980_000, 1_024_000, 6_149_000].map(|ticks| millis(ticks, clock));
    assert_eq!(told(Clock::Nanos), ["–", "0.015", "0.980", "1.024", "6.149"]);
    assert_eq!(told(Clock::Steps)[1..3], ["15,000", "980,000"]);
}

/// An axis always has values: powers of ten, else less round ones, else its ends.
#[test]
fn an_axis_of_latencies_has_values() {
    let marks = |least, greatest| Latency { range: (least, greatest), ..Latency::default() }.marks(5);
    assert_eq!(marks(900, 2_000_000), [1_000, 10_000, 100_000, 1_000_000]);
    assert_eq!(marks(1, 1_000_000_000), [1, 100, 10_000, 1_000_000, 100_000_000]);
    assert_eq!(marks(12_000_000, 90_000_000), [20_000_000, 50_000_000]);
    assert_eq!(marks(26_000_000, 34_000_000), [26_000_000, 34_000_000]);
    assert_eq!(marks(7, 7), [7]);
    for least in (1..60).map(|n| n * n * 977) {
        for times in [1, 2, 3, 7, 40, 5_000] {
            let (all, greatest) = (marks(least, least * times), least * times);
            assert!(!all.is_empty() && all.len() <= 5 && all.is_sorted(), "{least} {times}: {all:?}");
            assert!(times == 1 || 2 <= all.len(), "{least} {times}: {all:?}");
            assert!(all.iter().all(|mark| (least..=greatest).contains(mark)), "{least} {times}: {all:?}");
        }
    }
}

#[test]
fn figures_hold_streams_steps_and_latencies() {
    let mut doc = open(TRACE);
    let all = figures(&mut doc, Options::default());
    assert_eq!(all.devices, ["GPU 0"]);
    let names: Vec<&str> = all.streams.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["stream 7", "stream 20"], "the busiest first");
    for (name, idle) in &all.streams {
        assert_eq!(idle.busy + idle.idle(), all.span.dur(), "{name}");
    }
    let steps: Vec<&str> = all.steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((steps, all.n_steps), (vec!["ProfilerStep#1", "ProfilerStep#2"], 2));
    for (name, step) in &all.steps {
        let sum = step.compute + step.communication + step.copies + step.idle;
        assert_eq!(sum, step.span.dur(), "{name}");
    }
    let latency = &all.latency;
    assert_eq!((latency.kernels, latency.unlaunched, latency.negative), (3, 0, 0));
    assert_eq!((latency.range, latency.median, latency.p95), ((10_000, 28_000), 18_000, 27_000));
    assert_eq!((latency.bins.iter().sum::<u64>(), latency.bins[0], latency.bins[43]), (3, 1, 1));
    assert_eq!((latency.quick, latency.queue), (3, 1));
    assert_eq!(all.communication, (20_000, 10_000), "half of it lies under computing");
    assert!(all.has_launches);
    // 79 of the 96 µs between the works of stream 7 lie before the end of the launch call; by the classes all of them are one.
    let cause = |is_classes| all.streams[0].1.cause(is_classes);
    assert_eq!(cause(false), Some(("Launched late", 79.0 * 100.0 / 96.0)));
    assert_eq!(cause(true), Some(("Host wait", 100.0)));
    // The largest of all is named, also where nobody can change it; what lies outside of the works is none.
    let mut idle = Idle { busy: 100, ..Idle::default() };
    idle.reasons[Reason::ForCommunication as usize] = 32;
    idle.reasons[Reason::NotStarted as usize] = 48;
    idle.reasons[Reason::Ends as usize] = 500;
    assert_eq!(idle.cause(false), Some(("Launched, not started", 60.0)));
    idle.reasons[Reason::ForCommunication as usize] = 48;
    assert_eq!(idle.cause(false), Some(("Waits for communication", 50.0)));
    assert_eq!((all.recorded.as_slice(), all.chosen_streams(4)), (&[200_000][..], vec![0, 1]));
    // The second half only: what is cut counts with its part.
    let half = figures(&mut doc, Options { span: Some(Span::new(100_000, 200_000)), ..Options::default() });
    assert_eq!((half.steps.len(), half.latency.kernels), (1, 2));
    let idle = &half.streams[0].1;
    assert_eq!((idle.busy, idle.reasons[Reason::Ends as usize]), (20_000, 80_000));
    let none = figures(&mut doc, Options { step: "nothing".to_owned(), ..Options::default() });
    assert!(none.steps.is_empty() && none.n_streams == 2);
}

#[test]
fn kernels_and_operators_are_tables() {
    let mut doc = open(TRACE);
    let reply = page(&mut doc, Source::Kernels(Options::default()), wanted(None, ""));
    let texts: Vec<&str> = reply.page.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(texts[..3], ["k2", "Computation", "stream 7"], "{texts:?}");
    assert_eq!(reply.words, ["5 slices of streams", "54.000 µs"]);
    assert!(matches!(reply.goals[0], [Some(Goal::Slice(_)), Some(Goal::Slice(_))]));
    assert_eq!(values(&mut doc, Source::Kernels(Options::default()), None, "k2").len(), 1);
    let span = Some(Span::new(0, 55_000));
    assert_eq!(values(&mut doc, Source::Kernels(Options { span, ..Options::default() }), None, "").len(), 1);
    let rows = values(&mut doc, Source::Operators(Options::default()), None, "");
    assert_eq!(rows[0], ["aten::c", "1", "15000", "15000", "40000", "40000", "2", "2", "1"]);
    let reply = page(&mut doc, Source::Operators(Options::default()), wanted(None, "aten::b"));
    assert_eq!(reply.goals[0][0], Some(Goal::Name("aten::b".to_owned())));
    assert_eq!(reply.words, ["1 operator", "10.000 µs"]);
}

/// Three launches of one name on two streams, one of another, and a wait; nested operators of one name.
const NAMES: &str = r#"{"traceEvents":[
{"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}},
{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7"}},
{"ph":"M","pid":0,"tid":8,"name":"thread_name","args":{"name":"stream 8"}},
{"ph":"X","pid":1,"tid":1,"name":"conv","cat":"cpu_op","ts":0,"dur":40},
{"ph":"X","pid":1,"tid":1,"name":"conv","cat":"cpu_op","ts":1,"dur":20},
{"ph":"X","pid":1,"tid":1,"name":"launch","cat":"cuda_runtime","ts":2,"dur":1,"args":{"correlation":1}},
{"ph":"X","pid":1,"tid":1,"name":"launch","cat":"cuda_runtime","ts":4,"dur":1,"args":{"correlation":2}},
{"ph":"X","pid":1,"tid":1,"name":"launch","cat":"cuda_runtime","ts":30,"dur":1,"args":{"correlation":3}},
{"ph":"X","pid":0,"tid":7,"name":"gemm","cat":"kernel","ts":10,"dur":0.5,"args":{"correlation":1}},
{"ph":"X","pid":0,"tid":7,"name":"gemm","cat":"kernel","ts":20,"dur":1.5,"args":{"correlation":2}},
{"ph":"X","pid":0,"tid":8,"name":"gemm","cat":"kernel","ts":20,"dur":4,"args":{"correlation":3}},
{"ph":"X","pid":0,"tid":8,"name":"add","cat":"kernel","ts":30,"dur":2000},
{"ph":"X","pid":0,"tid":8,"name":"Event Sync","cat":"cuda_sync","ts":31,"dur":9000}
]}"#;

#[test]
fn kernels_are_told_by_name_with_their_share_and_open_their_launches() {
    let mut doc = open(NAMES);
    let sums = Source::KernelSums(Options::default());
    let reply = page(&mut doc, sums.clone(), wanted(None, ""));
    let texts: Vec<Vec<&str>> =
        reply.page.rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect();
    // The median of 0.5, 1.5 and 4 µs is 1.5; p95 lies between the last two: 1.5 + 0.9 · 2.5.
    let gemm = ["gemm", "Computation", "3", "6.000 µs", "0.3", "2.000 µs", "1.500 µs", "3.750 µs", "500 ns"];
    assert_eq!(texts[1][..9], gemm, "{texts:?}");
    assert_eq!(texts[0][..5], ["add", "Computation", "1", "2.000 ms", "99.7"]);
    assert_eq!(
        texts[2][..5],
        ["Event Sync", "Waiting for an event", "1", "9.000 ms", ""],
        "waiting has no share and comes last, however long it is"
    );
    assert_eq!(reply.words, ["3 names", "2.006 ms"], "waiting is no device time");
    let Some(Goal::Name(name)) = reply.goals[1][0].clone() else { panic!("{:?}", reply.goals) };
    let launches = |options, name| Source::Launches { options, name };
    let rows = values(&mut doc, launches(Options::default(), name.clone()), None, "");
    let told: Vec<_> = rows.iter().map(|row| [&row[2][..], &row[4], &row[5], &row[7]]).collect();
    assert_eq!(
        told,
        [
            ["GPU 0 / stream 8", "4000", "-10000", "conv"],
            ["GPU 0 / stream 7", "1500", "16000", "conv"],
            ["GPU 0 / stream 7", "500", "8000", "conv"],
        ]
        .map(|row| row.map(|cell| cell.trim_start_matches("GPU 0 / ")))
    );
    // In a stretch of time only what lies in it, with its part.
    let options = Options { span: Some(Span::new(21_000, 23_000)), ..Options::default() };
    let rows = values(&mut doc, Source::KernelSums(options.clone()), None, "");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0][..4], ["gemm", "Computation", "2", "2500"], "{rows:?}");
    assert_eq!(values(&mut doc, launches(options, name), None, "").len(), 2);
    assert!(values(&mut doc, launches(Options::default(), "none".to_owned()), None, "").is_empty());
}

#[test]
fn kernels_of_an_operator_are_those_of_nested_ones_too_and_count_once() {
    let mut doc = open(NAMES);
    let rows = lines(&mut doc, "operators-device-csv");
    // All three are launched in the outer call, two of them by the inner one of the same name.
    assert!(rows.iter().any(|row| row.starts_with("conv,2,") && row.ends_with(",3,3,1")), "{rows:?}");
    let mut doc = open(&NAMES.replacen(r#""name":"conv""#, r#""name":"outer""#, 1));
    let rows = lines(&mut doc, "operators-device-csv");
    assert!(rows.iter().any(|row| row.starts_with("outer,1,") && row.ends_with(",1,3,1")), "{rows:?}");
    assert!(rows.iter().any(|row| row.starts_with("conv,1,") && row.ends_with(",2,2,1")), "{rows:?}");
}

#[test]
fn other_traces_have_empty_figures() {
    let mut doc = open(r#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"f","ts":0,"dur":8}]}"#);
    let all = figures(&mut doc, Options::default());
    assert!(all.streams.is_empty() && all.steps.is_empty() && all.latency.bins.is_empty());
}

#[test]
fn a_kernel_says_who_launched_it() {
    let mut doc = open(TRACE);
    let rows = page(&mut doc, Source::Kernels(Options::default()), wanted(Some((3, false)), ""));
    let mut asked = |row: usize| {
        let Some(Goal::Slice(id)) = rows.goals[row][0] else { panic!("{:?}", rows.goals[row]) };
        let ask: WorkQuery = unpack(&pack(&WorkQuery::Launched(id))).unwrap();
        match doc.query(&ask).0 {
            Some(WorkReply::Launched(Some(launched))) => {
                let around = launched.around.iter().map(|a| format!("{} {}", a.kind, a.head.name));
                let facts = launched.facts.iter().map(|(label, value)| format!("{label} {value}"));
                (facts.collect::<Vec<_>>(), around.collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        }
    };
    let (facts, around) = asked(0);
    assert_eq!(
        facts,
        [
            "Kind Computation",
            "Launch latency 28.000 µs",
            "Queued launches 1",
            "Grid [8, 16, 5]",
            "Block size [128, 1, 1]",
            "Registers per thread 122",
            "Shared memory 12544",
            "Estimated occupancy (%) 25",
            "Blocks per SM 5.9",
        ]
    );
    assert_eq!(
        around[..3],
        ["Launch call cudaLaunchKernel", "Operator aten::b", "Operator aten::a"],
        "{around:?}"
    );
    assert!(around.iter().any(|a| a.starts_with("Module nn.Module: Net_0")), "{around:?}");
    assert!(around.iter().any(|a| a.starts_with("Function train.py(3): step")), "{around:?}");
    // One that only waits has no launch, and says so.
    let waits = asked(3);
    assert_eq!(waits.0, ["Kind Waiting for an event", "Launch latency no launch found"], "{waits:?}");
    assert!(waits.1.is_empty());
}

#[test]
fn what_is_no_work_of_a_device_has_no_launch() {
    let mut doc = open(r#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"f","ts":0,"dur":8}]}"#);
    let (track, row) = (lanescope::model::id::TrackId(1), 0);
    let id = lanescope::model::id::SliceId { track, row };
    let answer = doc.query(&WorkQuery::Launched(id)).0;
    assert!(matches!(answer, Some(WorkReply::Launched(None))), "{answer:?}");
}

/// Kernels whose names differ somewhere in their middle: two by a functor, two by a number, one by what it is called with.
#[test]
fn names_of_kernels_stay_different_in_little_room() {
    let add = |of: &str| {
        format!(
            "void at::native::vectorized_elementwise_kernel<4, at::native::{of}, std::array<char*, 3ul> >(int, \
             at::native::{of}, std::array<char*, 3ul>)"
        )
    };
    let copy = |n: u32| {
        format!(
            "void at::native::unrolled_elementwise_kernel<at::native::(anonymous namespace)::direct_copy(at::Iterator&)\
             ::{{lambda()#{n}}}::operator()() const::{{lambda(float)#1}}, at::detail::Array<char*, 2> >(int)"
        )
    };
    let names = [
        add("AddFunctor<float>"),
        add("MulFunctor<float>"),
        copy(2),
        copy(3),
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)".to_owned(),
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)".to_owned(),
        "k1".to_owned(),
    ];
    let slice = |(at, name): (usize, &String)| {
        format!(
            r#"{{"ph":"X","pid":0,"tid":7,"name":"{name}","cat":"kernel","ts":{},"dur":{}}}"#,
            at * 50,
            40 - at
        )
    };
    let slices: Vec<String> = names.iter().enumerate().map(slice).collect();
    let text = format!(r#"{{"traceEvents":[{}]}}"#, slices.join(","));
    let (mut doc, _) = open_one("trace.json", text.into_bytes());
    let sums = Source::KernelSums(Options::default());
    let shown = names_of(&mut doc, sums.clone());
    assert_eq!(
        shown[..4],
        [
            "vectoriz…AddFunctor<float…",
            "vectoriz…MulFunctor<float…",
            "unrolled…2}::{lambda#1}…",
            "unrolled…3}::{lambda#1}…",
        ]
    );
    let page = page(&mut doc, sums.clone(), wanted(None, "")).page;
    assert_eq!(
        page.rows[2][0].text,
        "unrolled_elementwise_kernel<direct_copy::{lambda#2}::{lambda#1}, Array<char*, 2>>"
    );
    // The whole is in the tooltip and in what is copied, filtered and saved.
    let whole: Vec<&str> = page.rows.iter().map(|row| row[0].copy()).collect();
    assert_eq!(whole, names.iter().map(String::as_str).collect::<Vec<_>>());
    let found = values(&mut doc, sums, None, "namespace)::direct");
    assert_eq!(found.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), names[2..4]);
}

/// What is seen of the names of a table where there is little room; no two are the same.
fn names_of(doc: &mut Document, source: Source) -> Vec<String> {
    let page = page(doc, source, wanted(None, "")).page;
    let all: Vec<(String, String)> = page
        .rows
        .iter()
        .map(|row| (lanescope::base::brief::shown(&row[0].text, &row[0].kept), row[0].copy().to_owned()))
        .collect();
    for (at, (shown, whole)) in all.iter().enumerate() {
        let same = all[..at].iter().find(|other| other.0 == *shown && other.1 != *whole);
        assert_eq!(same, None, "{whole}");
    }
    all.into_iter().map(|(shown, _)| shown).collect()
}

#[test]
fn names_of_kernels_of_real_profiles_stay_different() {
    let Some(folder) = corpus("trace_event/pytorch") else { return };
    for name in ["resnet50_autograd_workers0.pt.trace.json.gz", "resnet50_workers0.pt.trace.json.gz"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let (mut doc, _) = open_one(name, bytes);
        let shown = names_of(&mut doc, Source::KernelSums(Options::default()));
        assert!(10 < shown.len(), "{name}: {shown:?}");
        assert!(
            shown.iter().filter(|name| name.starts_with("void at:")).count() <= shown.len() / 10,
            "{shown:?}"
        );
    }
}
