//! Lines of the log of every version, and what a click on a launch shows of them.

use super::{opened, row, rows, said};
use crate::support::front_door::open_case;
use lanescope::wire::Query;
use lanescope::wire::rows::Source;

fn log(text: &str) -> lanescope::document::Document {
    opened(vec![("event.log".to_owned(), text.as_bytes().to_vec())])
}

#[test]
fn benchmarks_memory_runs_failures_and_killed_processes_are_told_apart() {
    let mut doc = open_case("neutrino", "killed").0;
    let status: Vec<String> = rows(&mut doc, "neutrino-launches").iter().map(|row| row[5].clone()).collect();
    assert_eq!(status, ["probed", "without probes", "failed", "cut off"]);
    assert!(row(&mut doc, "neutrino-launches", 0).ends_with("0.1 | 0.5 | 0.2 | 0.3 | 0.25 | 2"));
    // A benchmark knows how much slower the kernel itself is.
    let noted = super::notes(&mut doc, "neutrino-launches");
    assert!(noted.iter().any(|note| note.starts_with("Kernel slowdown: kernel time")), "{noted:?}");
    // Only the failure is a loss: a memory run leaves the probes out on purpose.
    assert_eq!(said(&mut doc), ["loss NEU-FAILED event.log:556", "note NEU-KILLED event.log:727"]);
    assert_eq!(row(&mut doc, "neutrino-memory", 0), "Peak map memory | 2048");
}

#[test]
fn logs_of_june_have_other_words() {
    let mut doc = open_case("neutrino", "june").0;
    let launch = "copy | 1 | time:1745552787263925120+3000000 since:1745552787263925120 | 4 × 1 × 1 | 64 × 1 × 1 | probed | 0.125000.bin | 128 | 2 | 0.5 | 0.5 | 2.5";
    assert_eq!(row(&mut doc, "neutrino-launches", 0), launch);
    assert_eq!(
        row(&mut doc, "neutrino-result", 0),
        "block_sched | warp | lstart u64, took32 u32, smid u32 | 16 | 1 | 8 | 8 | 48 | 48"
    );
}

#[test]
fn lines_that_nobody_knows_are_said_and_others_pass() {
    let known = "[init] pid 1\n[hash] API failed-update 1\n[info] cuCtxSynchronize 0\n[plugin][x] y\n[kernel] copy\n\
        [bin] unrecognize 7f454c46\n[Signal Handler] Switched to PROBED mode[mem] cuMemFree_v2 0 dptr 10\n\
        garbage without a bracket\n[exec] funcmap-find 0x10 success\n[exec] backup\n";
    let mut doc = log(&format!("{known}[what] is this\n"));
    let at = known.len();
    assert_eq!(
        said(&mut doc),
        [format!("note NEU-LINE event.log:{at}"), format!("warning NEU-UNPROBED event.log:{}", at - 47)]
    );
}

#[test]
fn functions_have_the_names_of_their_kernels() {
    let text = "[init] pid 1\n[mod] cuLibraryGetKernel kernel 0x5 lib 0x2 name fused\n[mod] cuKernelGetFunction 0x6 0x5\n\
        [exec] funcmap-find 0x6 success\n[exec] 1000 param 1 \n[exec] grid 1 1 1 block 32 1 1 shared 0\n";
    let end = "[exec] prologue 1 kernel 1 epilogue 1 ratio 3.0\n";
    let mut doc = log(&format!("{text}{end}"));
    assert_eq!(rows(&mut doc, "neutrino-launches")[0][0], "fused");
    assert_eq!(said(&mut doc), Vec::<String>::new());
}

/// Names of compilers are written out; files for other programs and tooltips have the symbol.
#[test]
fn symbols_of_kernels_are_written_out() {
    let launch = |function: &str, symbol: &str| {
        format!(
            "[mod] cuModuleGetFunction func {function} mod 0x1 name {symbol}\n[exec] funcmap-find {function} success\n\
            [exec] 1000 param 1 \n[exec] grid 1 1 1 block 32 1 1 shared 0\n[exec] prologue 1 kernel 1 epilogue 1 ratio 3.0\n"
        )
    };
    let (scale, scan) = ("_Z5scaleIfEvPT_i", "_ZN4gpu_4scan17h0123456789abcdefE");
    let mut doc = log(&format!("[init] pid 1\n{}{}", launch("0x6", scale), launch("0x7", scan)));
    let names: Vec<String> = rows(&mut doc, "neutrino-launches").iter().map(|row| row[0].clone()).collect();
    let name = "void scale<float>(float*, int)";
    assert_eq!(names, [name, "gpu_::scan"]);
    let (_, bytes) = doc.query(&Query::Export { id: "launches-csv".to_owned() });
    let csv = String::from_utf8(bytes.unwrap()).unwrap();
    assert!(csv.contains(scale) && csv.contains(scan) && !csv.contains(name), "{csv}");
    let source = Source::Figure {
        id: "neutrino-launches".to_owned(),
        chosen: Vec::new(),
        is_compared: false,
        is_folded: false,
    };
    let page = crate::support::rows::page(&mut doc, source, crate::support::rows::wanted(None, ""));
    assert_eq!(page.page.rows[0][0].full, format!("{name}\n{scale}"));
    // Launches of one kernel are told by their order.
    let two = format!("[init] pid 1\n{}{}", launch("0x6", scale), launch("0x6", scale));
    let bars = super::bars(&mut log(&two), "neutrino-parts");
    assert_eq!(bars, [format!("{name} #1"), format!("{name} #2")]);
}

/// The first launch of a kernel compiles it: what probes cost the host is told of it and of the later ones apart.
#[test]
fn the_first_launch_of_a_kernel_stands_apart() {
    let mut text = "[init] pid 1\n[mod] cuModuleGetFunction func 0x6 mod 0x1 name scale\n".to_owned();
    for (found, prologue, epilogue) in [("not-find", 742.0, 3.0), ("find", 1.0, 0.5), ("find", 2.0, 1.0)] {
        text += &format!(
            "[exec] funcmap-{found} 0x6 success\n[exec] 1000 param 1 \n[exec] grid 1 1 1 block 32 1 1 shared 0\n\
             [exec] prologue {prologue} kernel 1 epilogue {epilogue} ratio 3.0\n"
        );
    }
    let mut doc = log(&text);
    let row = &rows(&mut doc, "neutrino-slowdown")[0];
    assert_eq!(row[..4], ["scale", "3", "745", "2.25"], "{row:?}");
}
