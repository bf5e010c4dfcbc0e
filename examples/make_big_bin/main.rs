//! Writes a large container of Ascend operator tuning: `cargo run --release --example make_big_bin -- FILE [MB]`.
//!
//! Of 500 MB (the default) a fifth are copies of one source, as the tool repeats it for every line that ran; half a million
//! instructions with numbers for eight cores and a million slices share the rest. Nothing was measured. Uses std alone.

use std::fs::File;
use std::io::{self, BufWriter, Write};

const CORES: usize = 8;
const LINES: usize = 9_000;
const PIPES: [(&str, &str); 6] = [
    ("SCALAR", "startup"),
    ("MTE1", "thread_state_running"),
    ("CUBE", "background_memory_dump"),
    ("MTE2", "thread_state_iowait"),
    ("VECTOR", "cq_build_failed"),
    ("MTE3", "rail_response"),
];
const PATH: &str = "/home/user/kernels/large_attention.cpp";

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let Some(path) = words.next() else {
        println!("make_big_bin FILE [MB]");
        return Ok(());
    };
    let megabytes: usize = words.next().and_then(|n| n.parse().ok()).unwrap_or(500);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    let source = source();
    for _ in 0..megabytes * 200_000 / (source.len() + 4108) {
        block(&mut out, 0x01, 0x5a, Some(PATH), source.as_bytes())?;
    }
    block(&mut out, 0x05, 0x5a, None, base_info().as_bytes())?;
    block(&mut out, 0x03, 0x5a, None, lines().as_bytes())?;
    block(&mut out, 0x04, 0x00, None, instructions(megabytes * 1_000).as_bytes())?;
    block(&mut out, 0x02, 0x5a, None, trace(megabytes * 2_000).as_bytes())?;
    out.flush()?;
    println!("{path}: {} bytes", std::fs::metadata(&path)?.len());
    Ok(())
}

fn block(out: &mut impl Write, kind: u8, version: u8, path: Option<&str>, payload: &[u8]) -> io::Result<()> {
    let padding = (4 - payload.len() % 4) % 4;
    out.write_all(&((payload.len() + padding) as u64).to_le_bytes())?;
    out.write_all(&[kind, padding as u8, version, 0x5a])?;
    if let Some(path) = path {
        let mut name = path.as_bytes().to_vec();
        name.resize(4096, 0);
        out.write_all(&name)?;
    }
    out.write_all(payload)?;
    out.write_all(&[0; 3][..padding])
}

fn source() -> String {
    let mut text = String::from("#include \"kernel_operator.h\"\n");
    for line in 2..=LINES {
        text += &match line % 4 {
            0 => format!("    DataCopy(tile{}, gm[{} * BLOCK], length);\n", line % 97, line),
            1 => format!("    Mmad(c{0}, a{0}, b{0}, params);\n", line % 31),
            2 => format!("    Exp(work{0}, work{0}, {1});  // row {1}\n", line % 13, line),
            _ => "    PipeBarrier<PIPE_ALL>();\n".to_owned(),
        };
    }
    text
}

fn base_info() -> String {
    r#"{"name":"large_attention","soc":"Ascend910B4","op_type":"mix","block_dim":"20","mix_block_dim":"40","duration":"18250.4","device_id":"0","pid":"4821","cur_freq":"1650","rated_freq":"1850","advice":[]}"#.to_owned()
}

fn cores() -> String {
    let names: Vec<String> = (0..CORES).map(|n| format!("\"core{}.veccore{}\"", n / 2, n % 2)).collect();
    format!("[{}]", names.join(","))
}

fn by_core(value: impl Fn(usize) -> u64) -> String {
    let values: Vec<String> = (0..CORES).map(|n| value(n).to_string()).collect();
    format!("[{}]", values.join(","))
}

fn lines() -> String {
    let mut text = format!(
        r#"{{"Cores":{},"Files Dtype":{{"Lines":{{"Cycles":1,"Instructions Executed":1}}}},"Files":[{{"Source":"{PATH}","Lines":["#,
        cores()
    );
    for line in 1..=LINES {
        let (start, comma) = (0x1000 + line * 0x400, if line == 1 { "" } else { "," });
        text += &format!(
            r#"{comma}{{"Line":{line},"Address Range":[["{start:#x}","{:#x}"]],"Cycles":{},"Instructions Executed":{}}}"#,
            start + 0x3fc,
            by_core(|n| ((line * 7919 + n * 31) % 50_000) as u64),
            by_core(|n| ((line * 31 + n) % 900) as u64),
        );
    }
    text + "]}]}"
}

fn instructions(n: usize) -> String {
    let mut text = format!(
        r#"{{"Cores":{},"Instructions Dtype":{{"Instructions":{{"Address":3,"Pipe":3,"Source":3,"AscendC Inner Code":3,"Cycles":1,"Instructions Executed":1,"Process Bytes":1,"Vector Utilization Percentage":4}}}},"Instructions":["#,
        cores()
    );
    for i in 0..n {
        let comma = if i == 0 { "" } else { "," };
        let line = 1 + i * LINES / n;
        text += &format!(
            r#"{comma}{{"Address":"{:#x}","Pipe":"{}","Source":"MOV_X{} XD:X{},XN:X{},#{}","AscendC Inner Code":"{PATH}:{line}","Cycles":{},"Instructions Executed":{},"Process Bytes":{},"Vector Utilization Percentage":{:.4}}}"#,
            0x1400 + i * 4,
            PIPES[i % PIPES.len()].0,
            i % 9,
            i % 32,
            (i * 7) % 32,
            i % 4096,
            by_core(|c| ((i * 2_654_435 + c * 97) % 9_000) as u64),
            by_core(|c| ((i + c) % 64) as u64),
            (i % 512) * 32,
            (i % 1000) as f64 / 10.0,
        );
    }
    text + "]}"
}

fn trace(n: usize) -> String {
    let mut text =
        String::from(r#"{"displayTimeUnit":"ns","profilingType":"op","schemaVersion":2,"traceEvents":["#);
    let mut clock = [0u64; CORES * PIPES.len()];
    for i in 0..n {
        let lane = (i * 7) % clock.len();
        let (core, (pipe, color)) = (lane / PIPES.len(), PIPES[lane % PIPES.len()]);
        let dur = 20 + (i as u64 * 37) % 900;
        let start = clock[lane];
        clock[lane] += dur + (i as u64 * 13) % 60;
        let comma = if i == 0 { "" } else { "," };
        let line = 1 + i * 31 % LINES;
        text += &format!(
            r#"{comma}{{"ph":"X","name":"{}","pid":"core{}.veccore{}","tid":"{pipe}","ts":{}.{:03},"dur":{}.{:03},"cname":"{color}","args":{{"code":"{PATH}:{line}\n/opt/include/kernel_operator_impl.h:{}","detail":"XD:X{},XN:X{},#{}","pc_addr":"{:#x}","process_bytes":{}}}}}"#,
            ["MOV_OUT_TO_UB", "VADD", "VEXP", "MMAD", "LOAD_2D", "SCALAR_ADD"][i % 6],
            core / 2,
            core % 2,
            start / 1000,
            start % 1000,
            dur / 1000,
            dur % 1000,
            100 + i % 800,
            i % 32,
            (i * 5) % 32,
            i % 4096,
            0x1400 + (i * 31 % 500_000) * 4,
            (i % 512) * 32,
        );
    }
    text + "]}"
}
