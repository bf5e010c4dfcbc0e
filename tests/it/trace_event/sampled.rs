//! CPU samples and states of threads, with numbers counted by hand.

use super::shapes::lines;
use super::{case, codes, rows, told};
use crate::support::front_door::open_one;

#[test]
fn cpu_samples_are_slices_of_what_ran() {
    let doc = case("sampled");
    // Of the file: main and f from 10, g inside at 12; 14 lasts the usual 2, the next comes after a pause.
    // Of the profile: run at 55, its unnamed function at 65 and 75, nobody at 85 and 95, then by time run at 105, late at 110.
    let expected = "
        Process 1 / Thread 2 (CPU samples): run 55000+30000
        Process 1 / Thread 2 (CPU samples): (anonymous) 65000+20000
        Process 1 / Thread 2 (CPU samples): run 105000+25000
        Process 1 / Thread 2 (CPU samples): late 110000+20000
        Process 1 / worker: a 1000+1000
        Process 1 / worker (CPU samples): main 10000+6000
        Process 1 / worker (CPU samples): f 10000+6000
        Process 1 / worker (CPU samples): g 12000+2000
        Process 1 / worker (CPU samples): main 100000+2000";
    assert_eq!(rows(doc.trace()), lines(expected));
    let said: Vec<String> = doc.faults().rows().iter().map(|f| f.kind.to_string()).collect();
    assert_eq!(said, ["2 CPU samples have a stack that is not in stackFrames"]);
    assert_eq!(
        (told(doc.trace(), "Parts of CPU profiles"), told(doc.trace(), "Slices from CPU samples")),
        (5, 8)
    );
}

#[test]
fn states_of_threads_are_slices_beside_them() {
    let text = r#"[{"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"main"}},
        {"ph":"X","name":"work","pid":1,"tid":7,"ts":1,"dur":8},
        {"ph":"T","name":"Running","cat":"thread_state","pid":1,"tid":7,"ts":1,"dur":3,"args":{"cpu":0}},
        {"ph":"T","name":"S","cat":"thread_state","pid":1,"tid":7,"ts":4,"dur":2.5},
        {"ph":"T","name":"Running","cat":"thread_state","pid":1,"tid":8,"ts":2,"dur":1},
        {"ph":"T","name":"step","cat":"old","id":1,"pid":1,"ts":5}]"#;
    let (doc, _) = open_one("trace.json", text.as_bytes().to_vec());
    let expected = "
        Process 1 / step: step @5000
        Process 1 / thread_state: Running 1000+3000
        Process 1 / thread_state: S 4000+2500
        Process 1 / thread_state: Running 2000+1000
        Process 1 / main: work 1000+8000";
    assert_eq!(rows(doc.trace()), lines(expected));
    let trace = doc.trace();
    let labels = trace.tracks.shown().iter().map(|id| trace.strings.get(trace.tracks.get(*id).label));
    assert_eq!(labels.filter(|label| ["7", "8"].contains(label)).collect::<Vec<_>>(), ["7", "8", "7"]);
    assert_eq!(codes(&doc), [""; 0]);
}
