//! Logs of several streams: blocks that list several launches, the same ones again, or none.

use super::{Access, lives, outcome, whole};
use crate::gainsight::{export, open_set, run};
use crate::scalesim::rows;
use crate::words::chinese;
use lanescope::analysis::finding::{Outcome, Part};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::views::lifetimes::messages::{LifetimesQuery, Reply};
use serde_json::{Value, json};
use std::fmt::Write;

/// Symbols and streams of launches 1 to 4: the first and the third are of the same kernel.
const LAUNCHES: [(&str, u64); 4] =
    [("_Z5saxpyifPfS_", 0), ("_Z5scaleifPf", 0), ("_Z5saxpyifPfS_", 7), ("_Z3addiPfS_", 0)];
const SAXPY: &str = "saxpy(int, float, float*, float*)";
const SCALE: &str = "scale(int, float, float*)";
const BOTH: &str = "saxpy(int, float, float*, float*), scale(int, float, float*)";
const ADD: &str = "add(int, float*, float*)";

/// The time up to a block of statistics: launches that it lists, cycles, instructions, accesses.
type Stretch<'a> = (&'a [usize], u64, u64, Vec<Access>);

fn log(stretches: &[Stretch]) -> Vec<u8> {
    let mut text =
        "Accel-Sim [build test]\n        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***\n\n\
        -gpgpu_n_clusters 2 # clusters\n-gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # clocks\n"
            .to_owned();
    for ((name, stream), id) in LAUNCHES.iter().zip(1..) {
        write!(text, "Processing kernel kernel-{id}.traceg\n-kernel name = {name}\n-kernel id = {id}\n-cuda stream id = {stream}\n").unwrap();
    }
    let (mut launched, mut total, mut all, mut misses) = (Vec::new(), 0, 0, 0);
    for (uids, cycles, instructions, accesses) in stretches {
        for uid in uids.iter().filter(|uid| !launched.contains(*uid)).copied().collect::<Vec<_>>() {
            let (name, stream) = LAUNCHES[uid - 1];
            writeln!(text, "launching kernel name: {name} uid: {uid} cuda_stream_id: {stream}").unwrap();
            launched.push(uid);
        }
        let mut accesses = accesses.clone();
        accesses.sort_unstable();
        for (cycle, _, unit, sector, is_store, status) in accesses {
            let operation = if is_store { "Store" } else { "Load" };
            let address = 0x7f00_0000_0000_u64 + sector * 32;
            writeln!(text, "GPGPU-Sim Cycle {cycle}: {operation} instr from L1D cache at SM {unit} bank 0 addr {address:x} status {status}").unwrap();
        }
        let names: String = uids.iter().map(|uid| format!("{} ", LAUNCHES[uid - 1].0)).collect();
        let numbers: String = uids.iter().map(|uid| format!("{uid} ")).collect();
        (total, all, misses) = (total + cycles, all + instructions, misses + cycles / 100);
        write!(
            text,
            "kernel_name = {names}\nkernel_launch_uid = {numbers}\ngpu_sim_cycle = {cycles}\ngpu_sim_insn = {instructions}\n\
             gpu_ipc = {:11.4}\ngpu_tot_sim_cycle = {total}\ngpu_tot_sim_insn = {all}\n\tL1D_total_cache_misses = {misses}\n\
             gpgpu_silicon_slowdown = 16x\n",
            *instructions as f64 / *cycles as f64,
        )
        .unwrap();
    }
    text += "GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n";
    text.into_bytes()
}

fn opened(stretches: &[Stretch]) -> Document {
    open_set(&[("run.log", log(stretches))], &[])
}

/// Stretches without accesses.
fn plain<'a>(stretches: &[(&'a [usize], u64, u64)]) -> Vec<Stretch<'a>> {
    stretches.iter().map(|&(uids, cycles, instructions)| (uids, cycles, instructions, Vec::new())).collect()
}

/// Two launches of a kernel at once, then 8 cycles in which nothing begins.
fn one_stream() -> Vec<Stretch<'static>> {
    plain(&[(&[1, 3], 750, 52_500), (&[], 8, 0), (&[2], 500, 22_500), (&[4], 660, 33_000)])
}

/// Launch 3 goes on beside launch 2, in two stretches that list them in either order.
fn three_streams() -> Vec<Stretch<'static>> {
    plain(&[
        (&[1, 3], 9_000, 5_400_000),
        (&[3, 2], 4_500, 3_060_000),
        (&[2, 3], 100, 0),
        (&[2], 1_800, 540_000),
        (&[4], 6_300, 4_410_000),
    ])
}

/// The tile of cycles, and the hottest kernels.
fn hottest(doc: Document) -> (String, Part) {
    let overview = whole(doc);
    let part = overview.parts.iter().find(|part| part.title == "Hottest kernels").unwrap().clone();
    (overview.tiles[0].comparison.to_string(), part)
}

fn table(part: &Part) -> Vec<(String, Vec<&str>)> {
    let rows = part.rows.iter();
    rows.map(|row| (row.name.to_string(), row.cells.iter().map(String::as_str).collect())).collect()
}

/// 1,918 cycles; the stretch without a launch is of no kernel.
#[test]
fn launches_of_a_kernel_at_once_are_two_of_one_name() {
    let (tile, part) = hottest(opened(&one_stream()));
    assert!(tile.starts_with("4 kernels"), "{tile}");
    assert_eq!(part.note, "3 names");
    let row = |name: &str, cells: [&'static str; 4]| (name.to_owned(), cells.to_vec());
    let expected = [
        row(SAXPY, ["2", "750", "39.1", "70.00"]),
        row(ADD, ["1", "660", "34.4", "50.00"]),
        row(SCALE, ["1", "500", "26.1", "45.00"]),
        row("unnamed", ["0", "8", "0.4", "0.00"]),
    ];
    assert_eq!(table(&part), expected);
    chinese();
    assert_eq!(part.rows[3].name.text(Language::Zh), "未命名");
}

/// 21,700 cycles; 3,060,000 instructions in 4,600 cycles of two kernels.
#[test]
fn kernels_at_once_have_a_row_of_their_own() {
    let mut doc = opened(&three_streams());
    let slices = export(&mut doc, "slices-csv");
    assert_eq!(slices.lines().filter(|line| line.contains("saxpy") || line.contains("scale")).count(), 3);
    for (start, cycles) in [(0, 9_000), (9_000, 6_400), (15_400, 6_300), (0, 13_600)] {
        assert!(slices.contains(&format!(",{start},{cycles},")), "{slices}");
    }
    let (tile, part) = hottest(doc);
    assert!(tile.starts_with("4 kernels"), "{tile}");
    assert_eq!(
        part.note,
        "3 names; kernels that ran at once share a row, a launch counts in each row it ran in"
    );
    let row = |name: &str, cells: [&'static str; 4]| (name.to_owned(), cells.to_vec());
    let expected = [
        row(SAXPY, ["2", "9,000", "41.5", "600.00"]),
        row(ADD, ["1", "6,300", "29.0", "700.00"]),
        row(BOTH, ["2", "4,600", "21.2", "665.22"]),
        row(SCALE, ["1", "1,800", "8.3", "300.00"]),
    ];
    assert_eq!(table(&part), expected);
}

/// Numbers begin anew in the second of two logs that stand in one file: launches of the same number are others.
#[test]
fn launches_of_another_log_are_others() {
    let mut twice = log(&one_stream());
    twice.extend(log(&one_stream()));
    let (tile, part) = hottest(open_set(&[("run.log", twice)], &[]));
    assert!(tile.starts_with("8 kernels"), "{tile}");
    assert_eq!(part.rows.iter().map(|row| row.cells[0].as_str()).collect::<Vec<_>>(), ["4", "2", "2", "0"]);
}

/// The tables: statistics, lifetimes by kernel, the one that GainSight writes, and the list of the view.
#[test]
fn tables_name_what_ran_in_each_stretch() {
    let mut doc = opened(&one_stream());
    let named = rows(&mut doc, "kernel-statistics-0");
    let named: Vec<Value> = named.iter().map(|row| json!(row[1..4])).collect();
    let expected = [
        json!([SAXPY, "1 3", 750.0]),
        json!([null, null, 8.0]),
        json!([SCALE, "2", 500.0]),
        json!([ADD, "4", 660.0]),
    ];
    assert_eq!(named, expected);
    let ids: Vec<(u64, Option<u64>)> =
        run(&doc).kernels.iter().map(|kernel| (kernel.id, kernel.uid)).collect();
    assert_eq!(ids, [(1, Some(1)), (0, None), (2, Some(2)), (4, Some(4))]);
    let csv = export(&mut doc, "gainsight-sim-csv");
    let begins: Vec<String> =
        csv.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>().join(",")).collect();
    assert_eq!(begins, ["1,_Z5saxpyifPfS_", "0,", "2,_Z5scaleifPf", "4,_Z3addiPfS_"]);
    let ask = LifetimesQuery::Head { run: 0, values: Vec::new() };
    let Some(Reply::Head(Some(head))) = doc.query(&ask).0 else { panic!("no head") };
    let names: Vec<&str> = head.kernels.iter().map(|kernel| kernel.table.name.as_str()).collect();
    assert_eq!(names, [SAXPY, "unnamed", SCALE, ADD]);
    let csv = export(&mut opened(&three_streams()), "gainsight-sim-csv");
    assert_eq!(csv.matches("_Z5saxpyifPfS_ _Z5scaleifPf").count(), 2, "{csv}");
}

/// 40 short lifetimes of a kernel, then 40 that outlive all devices of two at once, or of the second alone.
#[test]
fn lifetimes_of_kernels_at_once_are_those_of_neither() {
    let of = |second: &'static [usize]| {
        [(&[1][..], 9_000, 64, lives(0, 0, 40, 500)), (second, 60_000, 64, lives(0, 100, 40, 50_000))]
    };
    let rule = |doc: Document| outcome(&whole(doc), "lifetimes-kernels").cloned();
    let Some(Outcome::Nothing(said)) = rule(opened(&of(&[2, 1]))) else { panic!("one kernel is told") };
    assert_eq!(
        said,
        "the log does not tell apart the kernels that ran at once, or does not name them: they account for 100.0 % of the \
         lifetimes longer than the retention of a device (L1)"
    );
    assert!(matches!(rule(opened(&of(&[]))), Some(Outcome::Nothing(_))), "nor of one without a name");
    assert_eq!(rule(opened(&of(&[2]))), Some(Outcome::Found(1)));
    let (_, part) = hottest(opened(&of(&[2, 1])));
    assert_eq!(part.rows.iter().map(|row| row.name.to_string()).collect::<Vec<_>>(), [BOTH, SAXPY]);
    assert_eq!(part.rows.iter().map(|row| row.cells[0].as_str()).collect::<Vec<_>>(), ["2", "1"]);
    chinese();
    let note = part.note.text(Language::Zh).into_owned();
    assert!(note.contains("适合混合增益单元的占比") && !note.contains("Hybrid"), "{note}");
    let mut doc = opened(&of(&[]));
    let cells: Vec<Value> = rows(&mut doc, "lifetime-kernels").iter().map(|row| json!(row[..3])).collect();
    assert_eq!(cells, [json!([SAXPY, "1", 80.0]), json!([null, null, 80.0])]);
}

/// A launch that goes on alone in two stretches, beside another between them: misses of each are its own.
#[test]
fn misses_are_those_of_the_stretch() {
    let used = || lives(0, 0, 4, 200);
    let mut doc = opened(&[(&[1], 500, 64, used()), (&[1, 2], 400, 64, used()), (&[1], 700, 64, used())]);
    let misses: Vec<Value> = rows(&mut doc, "lifetime-kernels").iter().map(|row| row[4].clone()).collect();
    assert_eq!(misses, [json!(5.0), json!(null), json!(7.0)]);
    let (tile, part) = hottest(opened(&plain(&[(&[1], 500, 64), (&[1, 2], 400, 64), (&[1], 700, 64)])));
    assert!(tile.starts_with("2 kernels"), "{tile}");
    assert_eq!(table(&part)[0].1[0], "1", "it is one launch");
}
