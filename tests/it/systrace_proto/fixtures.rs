//! The fixtures `packets` and `packets_packed`: small traces of one run, the second one packed by zlib and by zstd.
//! `UPDATE=1` writes them.

use super::make::{self, Event, Packing};
use super::pen::Options;
use super::{marks, of};
use crate::support::front_door::{fixtures, open_case, open_one};
use lanescope::base::fault::{Fault, Severity};
use std::fs;

/// A run with few preparation calls.
fn events() -> Vec<Event> {
    let mut events = of(Options { rows: 1, runs: Some(1), foreign: 0.1, ..Options::default() });
    let mut skipped = Vec::new();
    events.retain(|event| {
        let is_call = ["_addOpera", "_setOperandValue"].iter().any(|name| event.text.contains(name));
        let is_end = event.text.starts_with("tracing_mark_write: E") && skipped.contains(&event.pid);
        if is_call {
            skipped.push(event.pid);
        } else if is_end {
            skipped.retain(|pid| *pid != event.pid);
        }
        !is_call && !is_end
    });
    events
}

/// The bytes of both.
fn files(events: &[Event]) -> [(&'static str, Vec<u8>); 2] {
    let mut packets = make::packets(events, 200);
    let tree = packets.last_mut().and_then(|packet| packet.process_tree.as_mut()).unwrap();
    let names = [(6120, "com.example.nnbenchmark"), (811, "android.hardware.neuralnetworks@1.0-service-npu")];
    tree.processes =
        names.map(|(pid, name)| make::Process { pid: Some(pid), cmdline: vec![name.to_owned()] }).to_vec();
    let plain = make::file(&packets, Packing::None, 1);
    let (first, second) = packets.split_at(packets.len() / 2);
    let packed = [make::file(first, Packing::Zlib, 100), make::file(second, Packing::Zstd, 100)].concat();
    [("packets", plain), ("packets_packed", packed)]
}

#[test]
fn fixtures_hold_the_same_events() {
    let events = events();
    assert!(events.len() < 500, "{}", events.len());
    for (case, bytes) in files(&events) {
        let folder = fixtures().join("perfetto").join(case);
        if std::env::var_os("UPDATE").is_some() {
            let how = if case == "packets" { "plain" } else { "packed by zlib and by zstd" };
            let note = format!(
                "origin = \"made by tests/it/systrace_proto/fixtures.rs\"\nlicence = \"Apache-2.0\"\nreal = false\nshows = \"packets of Perfetto, {how}\"\n"
            );
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("trace.pftrace"), &bytes).unwrap();
            fs::write(folder.join("source.toml"), note).unwrap();
        }
        let (made, _) = open_one("trace.pftrace", bytes);
        let (stored, is_ready) = open_case("perfetto", case);
        assert!(is_ready && marks(&made) == marks(&stored), "{case}: UPDATE=1 writes it anew");
        let is_open = |fault: &Fault| fault.code == "SYS-OPEN" && fault.severity == Severity::Note;
        assert!(stored.faults().rows().iter().all(is_open), "only others have open scopes at the end");
    }
}
