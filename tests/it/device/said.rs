//! What Statistics says in words of host and device, and whose queues it shows.

use super::open;
use crate::support::front_door;
use lanescope::analysis::device::Options;
use lanescope::base::words::{Language, Message};
use lanescope::document::Document;
use lanescope::views::statistics::messages::Figures;

fn figures(mut doc: Document) -> Figures {
    doc.query(&Options::default()).0.unwrap()
}

fn en(said: &Message) -> String {
    said.text(Language::En).into_owned()
}

/// Events of a device with two streams, in µs: stream, name, start and length; launched by these calls, if any.
fn device(works: &[(u32, &str, u32, u32)], launch: Option<&dyn Fn(u32) -> u32>) -> String {
    let mut events: Vec<String> = [
        ("process_labels", 0, "labels", "GPU 0"),
        ("thread_name", 7, "name", "stream 7"),
        ("thread_name", 20, "name", "stream 20"),
    ]
    .iter()
    .map(|(what, tid, key, name)| {
        format!(r#"{{"ph":"M","pid":0,"tid":{tid},"name":"{what}","args":{{"{key}":"{name}"}}}}"#)
    })
    .collect();
    for (n, (stream, name, ts, dur)) in works.iter().enumerate() {
        let link = format!(r#""correlation":{}"#, n + 1);
        events.push(format!(r#"{{"ph":"X","pid":0,"tid":{stream},"cat":"kernel","name":"{name}","ts":{ts},"dur":{dur},"args":{{{link}}}}}"#));
        if let Some(call) = launch.map(|launch| launch(n as u32)) {
            events.push(format!(r#"{{"ph":"X","pid":1,"tid":1,"cat":"cuda_runtime","name":"cudaLaunchKernel","ts":{call},"dur":1,"args":{{{link}}}}}"#));
        }
    }
    events.join(",\n")
}

fn alone(events: &str) -> Figures {
    figures(open(&format!("[{events}]")))
}

fn ranks(all: &[String]) -> Figures {
    let file = |(rank, events): (usize, &String)| {
        let text =
            format!(r#"{{"distributedInfo":{{"rank":{rank},"world_size":2}},"traceEvents":[{events}]}}"#);
        (format!("rank{rank}.json"), text.into_bytes())
    };
    let (doc, is_ready) = front_door::open(all.iter().enumerate().map(file).collect(), 1 << 16);
    assert!(is_ready);
    figures(doc)
}

/// Communication of 100 µs, beside which this device computes for so long, and 300 µs of computing alone.
fn hidden(compute: u32) -> String {
    device(
        &[(20, "ncclDevKernel_AllReduce_Sum_f32", 0, 100), (7, "gemm", 0, compute), (7, "gemm", 100, 300)],
        None,
    )
}

#[test]
fn communication_is_hidden_by_what_its_own_rank_computes() {
    // 98 of 100 µs lie beside computing: by what an Ascend profile calls transport tasks 6 would.
    let said = |of: &Figures| of.overlap().map(|(is_problem, said)| (is_problem, en(&said)));
    let text = |n: &str, m: &str| format!("{n} of {m} of communication overlap with compute");
    assert_eq!(said(&alone(&hidden(98))), Some((false, text("98.000 µs", "100.000 µs"))));
    // 94 of 400 µs go by without computing.
    assert_eq!(said(&alone(&hidden(6))), Some((true, text("6.000 µs", "100.000 µs"))));
    assert_eq!(said(&alone(&device(&[(7, "gemm", 0, 9)], None))), None);
    // What one rank computes hides nothing of the other: 98 and 6 of 200 µs; 96 of 800 are no fifth.
    let of_both = text("104.000 µs", "200.000 µs") + " of the same rank";
    assert_eq!(said(&ranks(&[hidden(98), hidden(6)])), Some((false, of_both)));
    // Of a rank that exchanges nothing nothing is said.
    let lone = device(&[(7, "gemm", 0, 5_000)], None);
    assert_eq!(said(&ranks(&[hidden(6), lone])), Some((true, text("6.000 µs", "100.000 µs"))));
}

#[test]
fn what_a_file_says_of_itself_is_set_against_what_is_counted() {
    let of = Figures {
        contradicted: vec![("NPU 3".to_owned(), [22_000, 50_000, 38_000], [30_000, 50_000, 30_000])],
        ..Figures::default()
    };
    assert_eq!(
        en(&of.contradiction().unwrap()),
        "NPU 3: the file reports 30.000 µs compute and 30.000 µs exposed communication; computed here: 22.000 µs and 38.000 µs"
    );
    assert_eq!(alone(&hidden(6)).contradiction(), None);
}

#[test]
fn the_main_reason_for_gaps_is_of_the_busiest_stream() {
    // Stream 7 works for 100 of each 400 µs, launched 30 µs before: 271 of 300 µs of each gap pass until that call of 1 µs returns.
    let works: Vec<_> = (0..10).map(|n| (7, "k", 1_000 + n * 400, 100)).collect();
    let of = alone(&device(&works, Some(&|n| 970 + n * 400)));
    let expected = "Main reason for gaps on stream 7: Launched late, 90.3 %";
    assert_eq!(en(&of.cause(false).unwrap()), expected);
    assert_eq!(en(&of.cause(true).unwrap()), "Main reason for gaps on stream 7: Host wait, 100.0 %");
    // Nearly all kernels begin within 100 µs of their call.
    assert_eq!(en(&of.quick().unwrap()), "100.0 % start within 100 µs of the call");
    let late = alone(&device(&works, Some(&|n| if n == 0 { 970 } else { 700 + n * 400 })));
    assert_eq!(late.quick().map(|said| en(&said)).as_deref(), Some("10.0 % start within 100 µs of the call"));
    // What is idle by the other definition says whose it is, and what it leaves out.
    assert_eq!(of.classes[0], "HTA");
    let help = &of.classes[1];
    assert!(
        help.contains("launched from the last ProfilerStep on") && help.contains("fractions of microseconds"),
        "{help}"
    );
}

#[test]
fn queues_are_named_by_their_stream_the_busiest_of_each_rank_first() {
    // All are launched at once: on stream 7 works of 100 µs wait, on stream 20 shorter ones.
    let works: Vec<_> = (0..6)
        .map(|n| if n % 2 == 0 { (7, "k", 100 + n * 100, 100) } else { (20, "k", 100 + n * 100, 50) })
        .collect();
    let own = device(&works, Some(&|n| n));
    let titles = |of: &Figures| of.chosen_queues(2).iter().map(|queue| en(&queue.0)).collect::<Vec<_>>();
    assert_eq!(titles(&alone(&own)), ["Queue of stream 7", "Queue of stream 20"]);
    let short: Vec<_> = works.iter().map(|(stream, name, at, dur)| (*stream, *name, *at, dur / 4)).collect();
    let both = ranks(&[own, device(&short, Some(&|n| n))]);
    assert_eq!(titles(&both), ["Queue of rank 0 / GPU 0 / stream 7", "Queue of rank 1 / GPU 0 / stream 7"]);
}
