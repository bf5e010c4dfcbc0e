//! The fixtures of this format. `UPDATE=1` writes them.

use super::make::{BLOCKS, Launch, Map, PROGRESS, Writer, compile, info, kernel_folder, probes, process};
use crate::support::front_door::{files_of, fixtures};
use std::fs;

/// Two maps in blocks of 48 threads: the last warp of each block is half full.
const MAPS: [Map; 2] = [BLOCKS, PROGRESS];

/// A record of either map; the half warp of a block lies where the next block begins.
pub(super) fn fill(map: &Map, unit: u64, record: u64) -> Option<Vec<u64>> {
    match map.name {
        "block_sched" if unit <= 6 => Some(vec![1_000_000 + 300 * unit, 200 + unit, unit % 3]),
        "block_sched" => None,
        _ if record <= unit % 3 => Some(vec![2_000_000 + 1_000 * unit + 50 * record]),
        _ => None,
    }
}

pub(super) fn half_full() -> Launch<'static> {
    Launch { writer: Writer::V2, grid: [3, 2, 1], block: [48, 1, 1], maps: &MAPS }
}

/// A whole trace folder: one kernel with a result, one that failed, tensors, a table of a plugin.
pub(super) fn whole() -> Vec<(String, Vec<u8>)> {
    let (copy, tile) = (kernel_folder(0), kernel_folder(1));
    let mut log =
        b"[init] pid 4711\n[init] cmd 9 ./app 1 2 RINO_X=/home\xff\n[init] dl 0x1\n[init] success\n".to_vec();
    log.extend(b"[plugin][ranks] prepared rank=3\n");
    log.extend(b"[mem] cuMemAlloc_v2 0 dptr 7f0000000000 bytesize 1048576\n[bin] type ptx size 1224\n");
    log.extend(compile("probe", "copy", "0x10", 0, true));
    let launch = half_full();
    let file = "./trace/run/result/0.250000.bin";
    log.extend(launch.log("0x10", 1_795_220_241_725_726_464, file, [60.5, 0.5, 0.25]).bytes());
    log.extend(b"[callback] subproc /bin/python /tools/blocks.py ./trace/run/result/0.250000.bin\n[callback] succeed\n");
    let second = "./trace/run/result/0.500000.bin";
    log.extend(launch.log("0x10", 1_795_220_241_975_726_464, second, [0.125, 0.5, 0.375]).bytes());
    log.extend(compile("probe", "tile", "0x20", 1, false));
    log.extend(b"[exec] backup 64 1 1 block 32 1 1 shared 2048\n");
    log.extend(b"[exec] funcmap-find 0x20 fail\n[exec] backup 64 1 1 block 32 1 1 shared 2048\n");
    log.extend(b"[mem] cuMemFree_v2 0 dptr 7f0000000000\n");
    let traceback = "ValueError: no register left";
    let tensors =
        "[call]  1795220241725000000  torch.Size([512, 512])  1048576  139637976727552  x  copy  /a.py:4\n";
    let files: [(&str, Vec<u8>); 9] = [
        ("event.log", log),
        ("probe.toml", probes(&MAPS).into_bytes()),
        ("tensor.trace", tensors.as_bytes().to_vec()),
        ("fabricperf_throughput.csv", b"kernel,gbps\ncopy,12.5\ntile,\n".to_vec()),
        ("result/0.250000.bin", launch.result(fill)),
        (&format!("kernel/{copy}/kernel.info"), info("copy", &MAPS).into_bytes()),
        (&format!("kernel/{copy}/process.log"), process("copy", 0, None).into_bytes()),
        (&format!("kernel/{tile}/kernel.info"), info("tile", &MAPS).into_bytes()),
        (&format!("kernel/{tile}/process.log"), process("tile", 1, Some(traceback)).into_bytes()),
    ];
    files.map(|(path, bytes)| (format!("Nov21_001721_4711/{path}"), bytes)).to_vec()
}

/// A folder of June 2025: one table a probe, sizes of 8 bytes, other words in the log.
pub(super) fn june() -> Vec<(String, Vec<u8>)> {
    let launch = Launch { writer: Writer::V1, grid: [4, 1, 1], block: [64, 1, 1], maps: &[BLOCKS] };
    let mut log = b"[pid] 42\n[cmd] 5 ./app\n[info] dl 0x1\n[info] init success\n".to_vec();
    log.extend(compile("jit", "copy", "0x10", 0, true));
    let file = "./trace/run/result/0.125000.bin";
    log.extend(launch.log("0x10", 1_745_552_787_265_925_120, file, [2.0, 0.5, 0.5]).bytes());
    log.extend(
        b"[analyze] subproc /bin/python /tools/blocks.py ./trace/run/result/0.125000.bin\n[analyze] failed\n",
    );
    let toml = "author = \"us\"\nanalyze_hook = \"block_sched.py\"\n\n[block_sched]\nposition = \"kernel\"\n\
        datamodel = \"warp:16\"\nbefore = \"mov.u64 %lstart, %clock64;\"\n\
        after = \"mov.u64 %lend, %clock64;\\nsub.u64 %took, %lend, %lstart;\\ncvt.u32.u64 %took32, %took;\\n\
        SAVE.u64 {%lstart};\\nSAVE.u32 {%took32, %smid};\"\n";
    let fill = |_: &Map, unit: u64, _| Some(vec![5_000 + 10 * unit, 100 + unit, unit % 2]);
    let files = [
        ("event.log", log),
        ("probe.toml", toml.as_bytes().to_vec()),
        ("result/0.125000.bin", launch.result(fill)),
    ];
    files.map(|(path, bytes)| (format!("Jun21_001721_42/{path}"), bytes)).to_vec()
}

/// A result of nobody knows what, of April 2025.
fn alone() -> Vec<(String, Vec<u8>)> {
    let launch = Launch { writer: Writer::V0, grid: [4, 1, 1], block: [64, 1, 1], maps: &[BLOCKS] };
    let fill = |_: &Map, unit: u64, _| Some(vec![5_000 + 10 * unit, 100 + unit, unit % 2]);
    vec![("0.125000.bin".to_owned(), launch.result(fill))]
}

/// A log alone: a benchmark, a run that only measures memory, a launch that failed, and the process was killed.
fn killed() -> Vec<(String, Vec<u8>)> {
    let mut log = b"[init] pid 4712\n[init] cmd 5 ./app\n[init] success\n".to_vec();
    log.extend(b"[benchmark] ENABLED L2 Flush Size 256000000\n");
    log.extend(b"[mem] hipMalloc 0 dptr 7f0000000000 bytesize 4096\n");
    let shape = "grid 4 1 1 block 64 1 1 shared 0";
    let begin =
        |time: u64| format!("[exec] funcmap-find 0x10 success\n[exec] {time} param 3e8 \n[exec] {shape}\n");
    let ends = [
        "[benchmark] prologue 0.1 kernel 0.5 epilogue 0.2 original 0.25 impact 2.0 0\n",
        "[exec] grid 4 block 64 probe 8 total 2048\n[exec] probe-mem 2048 (bytes)\n[exec] backup 4 1 1 block 64 1 1 shared 0\n",
        "[exec] failed 700\n[exec] backup 4 1 1 block 64 1 1 shared 0\n",
        "[count] size: 64 \n[exec] grid 4 block 64 probe 64 total 16384\n",
    ];
    for (n, end) in ends.iter().enumerate() {
        log.extend((begin(1_795_220_241_000_000_000 + 1_000_000_000 * n as u64) + end).bytes());
    }
    vec![("event.log".to_owned(), log)]
}

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let cases = [
        ("whole", whole(), "two maps in half full warps, a kernel that failed, a rank, a table"),
        ("june", june(), "the words, sizes and probes of June 2025"),
        ("alone", alone(), "a result file without its folder, sizes as in April 2025"),
        ("killed", killed(), "a log alone: benchmark, memory run, failure, killed"),
    ];
    for (case, files, shows) in cases {
        let folder = fixtures().join("neutrino").join(case);
        if std::env::var_os("UPDATE").is_some() {
            for (path, bytes) in &files {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            let origin = "origin = \"made by tests/it/neutrino/fixtures.rs\"\nlicence = \"Apache-2.0\"\nreal = false\n";
            fs::write(folder.join("source.toml"), format!("{origin}shows = \"{shows}\"\n")).unwrap();
        }
        let mut files = files;
        files.sort();
        assert!(files_of(&folder) == files, "{case} is old; UPDATE=1 cargo test writes it");
    }
}
