//! Texts as the tools write them, with numbers of our own.

/// A kernel with a loop, an early way out and a write at its end: address, assembly, executions, lanes.
pub(crate) const LOOP: [(u64, &str, u64, u64); 9] = [
    (0x00, "(W)     mov (8|M0)               r5.0<1>:ud    r0.0<1;1,0>:ud", 40, 320),
    (0x10, "        add (16|M0)              r6.0<1>:d     r5.0<0;1,0>:d     r3.0<16;16,1>:uw {@2}", 40, 640),
    (0x20, "(~f0.0) if (16|M0)                           48                  64", 40, 0),
    (
        0x30,
        "        send.dc1 (16|M0)         r35      r30     null    0x0            0x04205E00           {@4,$0} // wr:2+0, rd:2; untyped surface read with x",
        120,
        1_920,
    ),
    (0x40, "(f0.0)  while (16|M0)                        -16", 120, 1_800),
    (0x50, "        endif (16|M0)                        16", 40, 640),
    (
        0x60,
        "        send.ugm (16|M0)         null     r48     r26     0x80            0x04025E02           {$4} // wr:4+2, rd:0; store.ugm.d64.a64",
        40,
        640,
    ),
    (
        0x70,
        "(W)     send.ts (1|M0)           null     r127    null    0x0            0x02000010           {EOT,@1} // wr:1+0, rd:0; end of thread",
        40,
        40,
    ),
    (0x80, "        nop", 0, 0),
];

/// Counts as text, over two tiles that have one half each.
pub(crate) fn counts() -> String {
    let mut out = "=== scale(runs 2 times) ===\n".to_owned();
    for tile in 0..2 {
        out += &format!("--- Tile #{tile} of 2 collected\n");
        for (address, text, runs, lanes) in LOOP {
            out += &format!("[{:>7}|{:>8}] 0x{address:06x} : {text}\n", runs / 2, lanes / 2);
        }
    }
    out += "\n=== copy(int)(runs 1 times) ===\n///  Basic block #4\n[     7] 0x000000 : (W)     mov (8|M0) r1 r2\n";
    out += "///  Basic block #5\n[     3] 0x000010 : add (8|M0) r1 r2 r3\n[     3] 0x000018 : add (8|M0) r1 r2 r3\n";
    out
}

/// Accesses as text.
pub(crate) fn accesses() -> String {
    let mut out = "=== scale (runs 2 times)\n".to_owned() + &"-".repeat(80) + "\n";
    let send = |address: u64, text: &str, kind: &str, numbers: [u64; 4], share: &str| {
        let [runs, lanes, lines, unaligned] = numbers;
        format!(
            "0x{address:06x} :         {text}\n (no source info)\n  * {kind}\n  * Instruction executed: {runs}\n  \
             * SIMD lanes executed: {lanes}\n  * Cache line transferred: {lines} ( {} bytes)\n      {share} % used/transferred ratio\n  \
             * Cache line not aligned: {} % ({unaligned})\n",
            64 * lines,
            100 * unaligned / runs
        )
    };
    out += &send(
        0x30,
        LOOP[3].1.trim(),
        "SIMD16 ExecSize_16 4 bytes X1 Scatter A32 Read",
        [120, 1_920, 120, 0],
        "100",
    );
    out += "  * Stride distribution:\n      100% (1800) -> stride: 4 bytes (1 units)\n  * Access addresses sample (SIMD16):\n";
    out += "      Addr#  0   0x1000 0x1004 0x1008 0x100c\n      Addr#  4   0x1010 0x1014\n";
    out += &send(
        0x60,
        LOOP[6].1.trim(),
        "SIMD16 ExecSize_16 8 bytes X1 Scatter A64 Write",
        [40, 640, 640, 10],
        "12",
    );
    out += "  * Stride distribution:\n       95% (570) -> stride: 128 bytes (16 units)\n        5% (30) -> stride: -8 bytes (-1 units)\n";
    out
}

/// Counts as JSON; quotes and backslashes are not escaped, as the tool leaves them.
pub(crate) fn json() -> String {
    let asm = LOOP.map(|(at, text, ..)| {
        let text = if at == 0x80 { r#"nop "last" one"# } else { text };
        let file = if at == 0x10 { r"C:\new\scale.cpp" } else { "" };
        let line = if at == 0x10 { 7 } else { -1 };
        format!(r#"{{"offset": {at}, "asm": "{text}", "source": {{"file": "{file}", "line": {line}, "column": -1, "function": ""}}}}"#)
    });
    let block =
        |at: u64| [(0x30, 0), (0x50, 1), (0x60, 2), (0x80, 3)].iter().find(|b| at < b.0).map_or(4, |b| b.1);
    let results = |runs: u64| {
        let one = |(at, _, n, lanes): (u64, &str, u64, u64)| {
            format!(
                r#"{{"instruction_counter": {}, "simd_active_lane_counter": {}, "bbl_id": {}, "offset": {at}}}"#,
                n / runs,
                lanes / runs,
                block(at)
            )
        };
        LOOP.map(one).join(", ")
    };
    let run = |n: u64, is_collected: u64, results: &str| {
        format!(
            r#"{{"run_num": {n}, "global_run_num": {n}, "dispatch_id": {n}, "is_collected": {is_collected}, "tiles": [{{"results": [{results}]}}]}}"#
        )
    };
    format!(
        r#"{{"app_name": "our test", "kernels": [{{"kernel_name": "scale", "runs": 3, "id": 1, "results_num": 9, "asm": [{}], "collected_runs": 2, "invocations": [{}, {}, {}]}}]}}"#,
        asm.join(", "),
        run(0, 1, &results(2)),
        run(1, 1, &results(2)),
        run(2, 0, "")
    )
}

/// Accesses as JSON.
pub(crate) fn json_accesses() -> String {
    let (at, text, ..) = LOOP[3];
    let result = format!(
        r#"{{"access_instruction_counter": 120, "simd_lanes_active_counter": 1920, "cache_lines_counter": 960, "cl_not_aligned_counter": 30, "stride_overflow_higher_counter": 5, "stride_overflow_lower_counter": 5, "addresses": ["4096", "4608", "18446744073709551615"], "stride_distribution": {{"512": 900, "0": 90}}, "offset": {at}, "stride_min": 0, "stride_num": 9, "stride_step": 4, "element_size": 4, "num_of_elements": 2, "is_write": false, "is_scatter": true, "is_bts": true, "is_slm": false, "is_scratch": false, "is_atomic": false, "addr_width": 4, "simd_width": 16, "bti": 0, "addr_payload": 2, "is_eot": false, "is_media": false, "exec_size": 16, "channel_offset": 0}}"#
    );
    format!(
        r#"{{"app_name": "our test", "kernels": [{{"kernel_name": "scale", "runs": 1, "id": 1, "asm": [{{"offset": {at}, "asm": "{text}"}}], "collected_runs": 1, "invocations": [{{"run_num": 0, "is_collected": 1, "tiles": [{{"results": [{result}]}}]}}]}}]}}"#
    )
}

/// Times of kernels: names with blanks, one that was not instrumented.
pub(crate) fn times() -> String {
    let mut out = "### Kernel/Shader execution-time profile generated by GTPin ###\n\nLegend:\nNA - kernel was not instrumented.\n\n".to_owned();
    out += "      Name              HashID      SIMD      Type          Freq.    Total-Cycle     Avg-Cycles        Skipped            Platform                Execution descriptor\n";
    let row = |name: &str, hash: &str, cells: [&str; 5], descriptor: &str| {
        let [freq, total, mean, skipped, platform] = cells;
        format!(
            "  {name:>20}    {hash}        32        CS  {freq:>9} {total:>14} {mean:>14} {skipped:>14} {platform:>19} {descriptor:>39}\n"
        )
    };
    out += &row("check", "cd23361f352e4531", ["NA", "NA", "NA", "NA", "NA"], "NA");
    out += &row("tile copy", "ed4702544aa9248", ["32", "64000", "2000", "0", "Level Zero"], "2 0 0 1");
    out += &row("tile copy", "ed4702544aa9248", ["32", "32000", "1000", "0", "Level Zero"], "2 0 0 3");
    out + "\n" + &row("scale", "00ab02544aa9248c", ["16", "4000", "250", "1", "OpenCL"], "2 0 0 2")
}

/// Latencies of instructions.
pub(crate) fn latencies() -> String {
    let mut out = "      Name  HashID SIMD Type Ins.ID Freq. Total-latency(%) Total-latency Avg-Cycles Platform Exec-descriptor\n".to_owned();
    for (at, freq, share, total, mean) in
        [(0, 40, "0.25", 4_000, "100.00"), (3, 120, "99.75", 1_596_000, "13300.00")]
    {
        out += &format!("     scale  00ab02544aa9248c 32 CS {at} {freq} {share} {total} {mean} OpenCL 0 0\n");
    }
    out
}

/// The mix of opcodes of a kernel.
pub(crate) fn opcodes() -> String {
    "DATA TYPE: ud\n  Opcode  SIMD  Static(%)  Dynamic(%)\n  mov     8     50.00      25.00\n  add     16    50.00      75.00\n\nDATA TYPE: f\n  Opcode  SIMD  Static(%)  Dynamic(%)\n  mad     16    100.00     100.00\n".to_owned()
}

/// A unique name.
pub(crate) const UNIQUE: &str = "scale___CS_asm00ab02544aa9248c_simd16_7a6d7d0b064fb7e1";

/// Sizes by kernel, and by launch.
pub(crate) fn sizes() -> (String, String) {
    let launches = [(8_704, 16, "OpenCL", 0), (4_352, 8, "Level Zero", 1)];
    let launch = |(bytes, threads, platform, n): (u64, u64, &str, u64)| {
        format!("{UNIQUE} {bytes} {threads}  {platform} 0  {n}\n")
    };
    (format!("{UNIQUE} 8704\n"), launches.map(launch).concat())
}

/// Strides of two sends.
pub(crate) fn strides() -> String {
    // Scatter, A64, 4 bytes × 1; then a write of 8 bytes × 2.
    let attributes = [0x0001_0004_0000_0042_u64, 0x0002_0008_0000_0003];
    format!(
        "S_scale 48 {} 16 0 120 120 1 1920 0 0 0\nx x x x 4 1800\nS_scale 96 {} 16 0 40 640 2 640 10 0 5\nx x x x 128 570\nx x x x -8 30\n",
        attributes[0], attributes[1]
    )
}

/// A listing with its blocks and a label.
pub(crate) fn listing() -> String {
    let mut out = "// BBL0\n".to_owned();
    for (at, text, ..) in LOOP {
        if at == 0x30 {
            out += "// BBL1\nL48:\n";
        }
        if at == 0x50 {
            out += "// BBL2\n";
        }
        let text = if at == 0x40 { "(f0.0)  while (16|M0)    L48" } else { text };
        out += &format!("/* [{at:06X}]  */ {text}\n");
    }
    out
}
