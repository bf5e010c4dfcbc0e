//! Profiles of Ascend: computing and communication equal what the file itself says, and a note says when they do not.

use super::corpus::opened;
use super::{open, rows};
use crate::support::corpus::{corpus, unpacked};
use lanescope::analysis::device::{Device, Options, device};
use lanescope::document::Document;

fn found(doc: &Document) -> Device {
    device(doc.trace(), &doc.derived().timeline, &Options::default())
}

/// Files, and the milliseconds of computing, communication and communication not hidden that they say.
const SAID: [(&str, [f64; 3]); 7] = [
    ("ascend_msinsight/level0_rank0_0820fd4_trace_view.json", [9.882_852, 35.563_305, 31.347_481]),
    ("ascend_msinsight/level0_rank0_6567795_trace_view.json", [8.827_473, 85.516_889, 81.515_607]),
    ("ascend_msinsight/level0_rank1_fb579d7_trace_view.json", [8.813_173, 68.605_710, 64.616_114]),
    ("ascend_msinsight/level1_rank1_77f3569_trace_view.json", [8.878_295, 100.375_286, 96.359_047]),
    ("ascend_msinsight/level1_rank1_eb8fbce_trace_view.json", [9.893_263, 55.032_360, 50.785_486]),
    ("ascend_msinsight/level2_rank0_d334aba_trace_view.json", [8.868_240, 99.973_278, 95.962_016]),
    ("ascend_msprof-analyze/trace_view.json", [1.788_260, 0.0, 0.0]),
];

#[test]
fn real_files_say_the_same_of_themselves() {
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "pytorch/");
    for (name, said) in SAID {
        let (doc, _) = opened(&files, name);
        let of = found(&doc);
        assert_eq!(of.ranks.len(), 1, "{name}");
        let rank = &of.ranks[0];
        let stated = rank.stated.unwrap_or_else(|| panic!("{name} says something"));
        for (at, said) in said.into_iter().enumerate() {
            assert!((stated[at] as f64 / 1e6 - said).abs() < 1e-5, "{name}: {stated:?}");
            assert!((rank.sums[at] as f64 / 1e6 - said).abs() <= said / 1000.0, "{name}: {:?}", rank.sums);
        }
        assert!(!rank.is_contradicted(), "{name}");
    }
}

/// ```text
/// µs          0    10   20   30   40   50   60   70
/// Stream 2    Mul──────      SDMA    Add───          SDMA outside of a communication is a copy or computing, as before
/// Stream 4    Other─────────────     SDMA──          parts of the communication
/// Group 0          hcom_allReduce───────────────
/// ```
fn ascend(rank: u64, computing: i64) -> String {
    let pid = |part: u64| (1000 + rank) * 1024 + part * 32 + rank;
    let name = |pid: u64, name: &str, label: &str| {
        format!(
            "{{\"ph\":\"M\",\"pid\":{pid},\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":\"{name}\"}}}},\n\
             {{\"ph\":\"M\",\"pid\":{pid},\"tid\":0,\"name\":\"process_labels\",\"args\":{{\"labels\":\"{label}\"}}}}"
        )
    };
    let thread = |pid: u64, tid: u32, name: &str| {
        format!(
            "{{\"ph\":\"M\",\"pid\":{pid},\"tid\":{tid},\"name\":\"thread_name\",\"args\":{{\"name\":\"{name}\"}}}}"
        )
    };
    let slice = |pid: u64, tid: u32, name: &str, start: i64, dur: i64| {
        format!(
            "{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{tid},\"name\":\"{name}\",\"ts\":\"{start}.000\",\"dur\":{dur}}}"
        )
    };
    let (hardware, hccl, overlap) = (pid(13), pid(15), pid(19));
    [
        name(1000 + rank, "Python", "CPU"),
        name(hardware, "Ascend Hardware", "NPU"),
        name(hccl, "HCCL", "NPU"),
        name(overlap, "Overlap Analysis", "NPU"),
        thread(hardware, 2, "Stream 2"),
        thread(hardware, 4, "Stream 4"),
        thread(hccl, 0, "Group 0 Communication"),
        thread(overlap, 0, "Computing"),
        thread(overlap, 1, "Communication"),
        thread(overlap, 2, "Communication(Not Overlapped)"),
        format!(
            "{{\"ph\":\"X\",\"pid\":{},\"tid\":1,\"name\":\"aten::mul\",\"cat\":\"cpu_op\",\"ts\":\"0.000\",\"dur\":70}}",
            1000 + rank
        ),
        slice(hardware, 2, "Mul", 0, computing),
        slice(hardware, 2, "Add", 40, 10),
        slice(hardware, 4, "Other", 5, 25),
        slice(hardware, 4, "NOTIFY_WAIT", 30, 10),
        slice(hardware, 4, "SDMA", 40, 10),
        slice(hccl, 0, "hcom_allReduce__1_0_1", 10, 50),
        slice(overlap, 0, "Computing", 0, 20),
        slice(overlap, 0, "Computing", 40, 10),
        slice(overlap, 1, "Communication", 10, 50),
        slice(overlap, 2, "Communication(Not Overlapped)", 20, 20),
        slice(overlap, 2, "Communication(Not Overlapped)", 50, 10),
    ]
    .join(",\n")
}

#[test]
fn parts_of_a_communication_do_not_compute() {
    let mut doc = open(&format!("[{}]", ascend(3, 20)));
    let of = found(&doc);
    assert_eq!(of.ranks.len(), 1);
    assert_eq!(of.ranks[0].sums, [30_000, 50_000, 30_000]);
    assert_eq!(of.ranks[0].stated, Some([30_000, 50_000, 30_000]));
    assert_eq!(of.ranks[0].device, "NPU 3");
    // The communication counts once among the kernels: without its parts.
    let name = |id| doc.trace().strings.get(id);
    let kernels: Vec<_> = of.kernels.iter().map(|row| (name(row.name), row.n, row.total)).collect();
    assert_eq!(
        kernels,
        [
            ("Mul", 1, 20_000),
            ("Add", 1, 10_000),
            ("NOTIFY_WAIT", 1, 10_000),
            ("hcom_allReduce__1_0_1", 1, 50_000)
        ]
    );
    let classes: Vec<String> = rows(&mut doc, "kernels-csv").iter().map(|row| row[..2].join(" ")).collect();
    assert_eq!(
        classes,
        [
            "Mul compute",
            "Add compute",
            "Other communication",
            "NOTIFY_WAIT wait",
            "SDMA communication",
            "hcom_allReduce__1_0_1 communication",
        ]
    );
    // Where nothing says when the device communicates, a task without a name is work.
    let text = format!("[{}]", ascend(3, 20)).replace("Group 0 Communication", "Plane 0");
    let classes: Vec<String> =
        rows(&mut open(&text), "kernels-csv").iter().map(|row| row[1].clone()).collect();
    assert_eq!(classes, ["compute", "compute", "compute", "wait", "compute"]);
}

#[test]
fn ranks_of_one_file_are_told_apart_by_their_numbers() {
    let of = found(&open(&format!("[{},\n{}]", ascend(3, 20), ascend(5, 12))));
    let told: Vec<_> =
        of.ranks.iter().map(|rank| (rank.device.as_str(), rank.sums, rank.is_contradicted())).collect();
    assert_eq!(told, [("NPU 3", [30_000, 50_000, 30_000], false), ("NPU 5", [22_000, 50_000, 38_000], true)]);
}

#[test]
fn a_file_that_says_something_else_is_told_of() {
    let mut doc = open(&format!("[{}]", ascend(3, 12)));
    match doc.query(&Options::default()).0 {
        Some(figures) => assert_eq!(
            figures.contradicted,
            [("NPU 3".to_owned(), [22_000, 50_000, 38_000], [30_000, 50_000, 30_000])]
        ),
        other => panic!("{other:?}"),
    }
}
