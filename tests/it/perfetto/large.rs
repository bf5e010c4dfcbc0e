//! Large traces give way: how long the longest uninterrupted step takes, and how much is held.
//!
//! `LANESCOPE_TRACE_MB` sets how large they are (1 otherwise). Times are printed, not judged; what is judged is that all
//! rows are there, and that memory follows rows.

use super::make::{BEGIN, END, Message, event, new, packet, track};
use super::system::{bundle, kernel};
use crate::support::front_door::{drive, print_steps};
use crate::support::memory;

const N_THREADS: i64 = 500;

fn size() -> usize {
    std::env::var("LANESCOPE_TRACE_MB").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1) << 20
}

/// A thousand switches of a processor in columns, and as many wake-ups.
fn columns(cpu: i64, time: i64) -> Message {
    let times: Vec<i64> = (0..1000).map(|n| if n == 0 { time } else { 1000 }).collect();
    let next: Vec<i64> = (0..1000).map(|n| 2000 + (n * 7 + cpu * 31) % N_THREADS).collect();
    let compact = new()
        .packed(1, &times)
        .packed(2, &[1; 1000])
        .packed(3, &next)
        .text(5, "worker")
        .packed(6, &[0; 1000])
        .packed(7, &times)
        .packed(8, &next)
        .packed(11, &[0; 1000]);
    new().int(10, 1).with(1, new().int(1, cpu).with(4, compact))
}

/// A packet's worth of each kind: switches in columns, marks of programs, and slices with arrows.
fn round(n: i64) -> Vec<Message> {
    let time = n * 1_000_000;
    let mut out: Vec<Message> = (0..4).map(|cpu| columns(cpu, time + cpu)).collect();
    for cpu in 0..4 {
        let marks = (0..200).map(|k| {
            let text = if k % 2 == 0 { "B|1000|draw frame" } else { "E|1000" };
            kernel(time + k * 1000, 1000 + cpu, 3, new().text(2, text))
        });
        out.push(bundle(cpu, marks.collect()));
    }
    for k in 0..400 {
        let flow = (n * 400 + k).cast_unsigned();
        let at = time + k * 2000;
        out.push(packet(2, at, 11, event(BEGIN, 2).text(23, "send").fixed(47, flow)));
        out.push(packet(2, at + 500, 11, event(END, 2)));
        out.push(packet(2, at + 900, 11, event(BEGIN, 3).text(23, "receive").fixed(48, flow)));
        out.push(packet(2, at + 1500, 11, event(END, 3)));
    }
    out
}

#[test]
fn large_traces_give_way_and_memory_follows_rows() {
    let mut bytes = Vec::with_capacity(size() + (1 << 17));
    let mut n = 0;
    let names = (2..4).map(|uuid| packet(2, 0, 60, track(uuid).text(2, &format!("queue {uuid}"))));
    bytes.extend(super::make::file(&names.collect::<Vec<_>>()));
    while bytes.len() < size() {
        bytes.extend(super::make::file(&round(n)));
        n += 1;
    }
    let len = bytes.len();
    let ((doc, took), peak) = memory::peak(|| drive("trace.pftrace", bytes));
    let trace = doc.trace();
    let rows: usize = trace.tracks.iter().map(|(_, track)| track.slices.len()).sum();
    let total: f64 = took.iter().map(|(time, _)| time.as_secs_f64()).sum();
    eprintln!("{} MiB, {rows} slices: {total:.1} s, at most {} MiB held", len >> 20, peak >> 20);
    print_steps(&took);
    let n = usize::try_from(n).unwrap();
    let of = |end: &str| {
        let is_of = |id| super::path(&doc, id).ends_with(end);
        trace.tracks.iter().filter(|(id, _)| is_of(*id)).map(|(_, track)| track.slices.len()).sum::<usize>()
    };
    assert_eq!((of("queue 2"), of("queue 3"), trace.flows.len()), (n * 400, n * 400, n * 400));
    assert_eq!((of("CPU 0"), of("CPU 3"), of("Thread 1000")), (n * 1000, n * 1000, n * 100));
    assert!(peak < len + 200 * rows + (64 << 20), "{peak} bytes held for {rows} rows");
}
