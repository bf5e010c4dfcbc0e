//! CPU samples, with numbers counted by hand.

use super::shapes::lines;
use super::{case, rows, told};

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
