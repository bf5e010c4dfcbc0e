//! The container: 12-byte block headers, sources with their paths, JSON for everything else.

use crate::attention::{BLOCKS, FILES, RECORDED, SOURCES};
use crate::chip::{CYCLE, Chip, Cost, Instruction, PIPES};
use crate::pen::{Dice, list, object, text};

const SOC: &str = "Ascend910B4";
const PATH: usize = 4096;

/// The whole file.
pub(crate) fn file(cores: &[String], program: &[Instruction], chip: Chip) -> Vec<u8> {
    let mut out = Vec::new();
    let cycles = occupancy_cycles(&chip);
    block(&mut out, 0x05, 0x5a, None, &base_info(&chip, &cycles));
    block(&mut out, 0x06, 0x5a, None, &load_graph(&chip));
    block(&mut out, 0x07, 0x5a, None, &load_table(program, &chip));
    block(&mut out, 0x0c, 0x5a, None, &occupancy(&cycles));
    for (path, source) in FILES.iter().zip(SOURCES) {
        block(&mut out, 0x01, 0x5a, Some(path), source);
    }
    block(&mut out, 0x03, 0x5a, None, &lines(cores, program, &chip));
    block(&mut out, 0x04, 0x00, None, &instructions(cores, program, &chip));
    block(&mut out, 0x02, 0x5a, None, &chip.trace());
    out
}

fn block(out: &mut Vec<u8>, kind: u8, version: u8, path: Option<&str>, payload: &str) {
    let padding = (4 - payload.len() % 4) % 4;
    out.extend(((payload.len() + padding) as u64).to_le_bytes());
    out.extend([kind, padding as u8, version, 0x5a]);
    if let Some(path) = path {
        let mut name = path.as_bytes().to_vec();
        name.resize(PATH, 0);
        out.extend(name);
    }
    out.extend(payload.as_bytes());
    out.extend(vec![0; padding]);
}

/// Cycles of the cube and the two vector cores of every block: the recorded ones, and others like them.
fn occupancy_cycles(chip: &Chip) -> Vec<[f64; 3]> {
    let mut dice = Dice::new(5);
    let core = |n: usize| {
        let ends = chip.slices.iter().filter(|s| s.core == n).map(|s| s.start + s.dur);
        ends.fold(0.0, f64::max) / CYCLE
    };
    let measured: Vec<[f64; 3]> =
        (0..RECORDED).map(|b| [core(b * 3), core(b * 3 + 1), core(b * 3 + 2)]).collect();
    let mut all = Vec::new();
    for n in 0..BLOCKS {
        let like = measured[n % RECORDED];
        all.push(match measured.get(n) {
            Some(own) => *own,
            None => like.map(|c| dice.about(c, 1.8)),
        });
    }
    all[16][2] *= 1.06; // one block stands out, as one always does
    all
}

fn micros_of(cycles: f64) -> String {
    format!("{:.6}", cycles * CYCLE / 1000.0)
}

fn base_info(chip: &Chip, cycles: &[[f64; 3]]) -> String {
    let rows = cycles.iter().enumerate().map(|(n, block)| {
        let cells = [text(&n.to_string())].into_iter().chain(block.iter().map(|c| text(&micros_of(*c))));
        object(&[("value", list(cells))])
    });
    let head = ["Block ID", "Cube0 Duration (μs)", "Vector0 Duration (μs)", "Vector1 Duration (μs)"];
    let longest = cycles.iter().flatten().fold(chip.end() / CYCLE, |a, b| a.max(*b));
    let detail = object(&[
        ("head_name", list(head.map(text))),
        ("row", list(rows)),
        ("size", format!("[{},4]", BLOCKS + 1)),
    ]);
    object(&[
        ("name", text("flash_attention_fp16_causal_1_mix_aic")),
        ("soc", text(SOC)),
        ("op_type", text("mix")),
        ("block_dim", text(&BLOCKS.to_string())),
        ("mix_block_dim", text(&(BLOCKS * 2).to_string())),
        ("duration", micros_of(longest + 1900.0)),
        ("device_id", text("0")),
        ("pid", text("48211")),
        ("cur_freq", text("1650")),
        ("rated_freq", text("1850")),
        ("mix_block_detail", detail),
        ("advice", list([text("The current frequency is lower than the rated frequency")])),
    ])
}

/// One row of the compute workload.
fn load(block: usize, kind: &str, name: &str, unit: u8, value: f64, origin: f64) -> String {
    object(&[
        ("block_id", text(&block.to_string())),
        ("block_type", text(kind)),
        ("name", text(name)),
        ("unit", unit.to_string()),
        ("value", format!("{value:.4}")),
        ("origin_value", format!("{origin:.1}")),
    ])
}

fn load_graph(chip: &Chip) -> String {
    let total = chip.end();
    let mut rows = Vec::new();
    for block in 0..RECORDED {
        let mut put = |kind: &str, name: &str, nanos: f64| {
            rows.push(load(block, kind, name, 3, nanos / total * 100.0, nanos / CYCLE));
        };
        let (cube, cube_wait) = chip.busy(block * 3, 3);
        put("cube0", "Cube All Active", cube);
        put("cube0", "Cube FP", cube);
        put("cube0", "Cube INT", 0.0);
        put("cube0", "Cube Wait", cube_wait);
        for half in 0..2 {
            let kind = format!("vector{half}");
            let (vector, wait) = chip.busy(block * 3 + 1 + half, 6);
            put(&kind, &format!("Vector All Active{half}"), vector);
            put(&kind, &format!("Vector FP32{half}"), vector * 0.86);
            put(&kind, &format!("Vector FP16{half}"), vector * 0.08);
            put(&kind, &format!("Vector Misc{half}"), vector * 0.06);
            put(&kind, &format!("Vector Wait{half}"), wait);
        }
    }
    object(&[("advice", "[]".to_owned()), ("subblock_detail", list(rows))])
}

fn load_table(program: &[Instruction], chip: &Chip) -> String {
    let total = chip.end();
    let mut rows = Vec::new();
    for block in 0..RECORDED {
        for (sub, kind) in ["cube0", "vector0", "vector1"].into_iter().enumerate() {
            let core = block * 3 + sub;
            let (pipe, word) = if sub == 0 { (3, "Cube") } else { (6, "Vector") };
            let of_pipe = || program.iter().zip(&chip.costs[core]).filter(|(i, _)| i.pipe == pipe);
            let times: u64 = of_pipe().map(|(_, cost)| cost.times).sum();
            let bytes: u64 =
                program.iter().zip(&chip.costs[core]).map(|(i, c)| u64::from(i.bytes) * c.times).sum();
            let (busy, wait) = chip.busy(core, pipe);
            let mut put =
                |name: String, unit: u8, value: f64| rows.push(load(block, kind, &name, unit, value, value));
            put(format!("{word} All Active"), 0, busy / 1000.0);
            put(format!("{word} Wait"), 0, wait / 1000.0);
            put(format!("{word} Instructions"), 1, times as f64);
            put(format!("{word} Compute Data Size"), 2, bytes as f64);
            put(format!("{word} All Active"), 3, busy / total * 100.0);
        }
    }
    object(&[("advice", "[]".to_owned()), ("subblock_detail", list(rows))])
}

fn occupancy(cycles: &[[f64; 3]]) -> String {
    let mut dice = Dice::new(23);
    let cores = cycles.iter().enumerate().map(|(n, block)| {
        let kinds = [("0", "cube", block[0]), ("0", "vector", block[1]), ("1", "vector", block[2])];
        let parts = kinds.map(|(id, kind, cycles)| {
            let bytes = if kind == "cube" { 6_291_456.0 } else { 2_621_440.0 };
            object(&[
                ("subcore_id", text(id)),
                ("subcore_type", text(kind)),
                ("cycles", text(&format!("{cycles:.0}"))),
                ("throughput", text(&format!("{:.0}", dice.about(bytes, 2.0)))),
                ("L2cache_hit_rate", text(&format!("{:.6}", dice.about(84.0, 6.0)))),
            ])
        });
        object(&[("core_id", n.to_string()), ("core_detail", list(parts))])
    });
    object(&[
        ("soc", text(SOC)),
        ("op_type", text("mix")),
        ("advice", text("\t1) core16 vector1 took more time than other vector cores.\n")),
        ("op_detail", list(cores)),
    ])
}

/// A number for each core.
fn by_core(chip: &Chip, value: impl Fn(&[Cost]) -> u64) -> String {
    list(chip.costs.iter().map(|costs| value(costs).to_string()))
}

/// The share of waiting, with its reasons.
fn stalls(share: f64, total: f64, pipe: usize) -> String {
    let n = |part: f64| format!("{:.0}", part * total);
    let reasons = match PIPES[pipe] {
        "CUBE" | "VECTOR" => [("Scoreboard_Not_Ready", 0.62), ("Resource_conflict", 0.21), ("Others", 0.17)],
        "MTE1" | "MTE2" | "MTE3" => {
            [("Resource_conflict", 0.55), ("Scoreboard_Not_Ready", 0.3), ("Others", 0.15)]
        }
        _ => [("IBuf_Empty", 0.48), ("Scoreboard_Not_Ready", 0.37), ("Others", 0.15)],
    };
    let details: Vec<(&str, String)> = reasons.iter().map(|(name, part)| (*name, n(part * share))).collect();
    object(&[("Percent", format!("{share:.4}")), ("Details", object(&details))])
}

fn stall_of(chip: &Chip, rows: &[usize], program: &[Instruction]) -> String {
    let all: f64 = chip.costs.iter().flatten().map(|c| c.waited).sum();
    let own = |n: &usize| chip.costs.iter().map(|core| core[*n].waited).sum::<f64>();
    let waited: f64 = rows.iter().map(own).sum();
    let worst = rows.iter().max_by(|a, b| own(a).total_cmp(&own(b))).map_or(0, |n| program[*n].pipe);
    stalls(waited / all, 20_000.0, worst)
}

fn lines(cores: &[String], program: &[Instruction], chip: &Chip) -> String {
    let files = FILES.iter().enumerate().map(|(file, path)| {
        let mut numbers: Vec<usize> = program.iter().filter(|i| i.file == file).map(|i| i.line).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let rows = numbers.into_iter().map(|line| {
            let of_line: Vec<usize> =
                (0..program.len()).filter(|&n| program[n].file == file && program[n].line == line).collect();
            let ranges = of_line.iter().map(|&n| {
                let address = text(&format!("0x{:x}", program[n].address));
                format!("[{address},{address}]")
            });
            let sum = |costs: &[Cost], value: fn(&Cost) -> f64| {
                of_line.iter().map(|&n| value(&costs[n])).sum::<f64>() as u64
            };
            object(&[
                ("Line", line.to_string()),
                ("Address Range", list(ranges)),
                ("Instructions Executed", by_core(chip, |costs| sum(costs, |c| c.times as f64))),
                ("Cycles", by_core(chip, |costs| sum(costs, |c| c.nanos / CYCLE))),
                ("Stall Sampling(All Samples)", stall_of(chip, &of_line, program)),
            ])
        });
        object(&[("Source", text(path)), ("Lines", list(rows))])
    });
    let types = object(&[
        ("Line", "1".to_owned()),
        ("Address Range", "0".to_owned()),
        ("Instructions Executed", "1".to_owned()),
        ("Cycles", "1".to_owned()),
        ("Stall Sampling(All Samples)", "100".to_owned()),
    ]);
    object(&[
        ("Cores", list(cores.iter().map(|c| text(c)))),
        ("Files Dtype", object(&[("Lines", types)])),
        ("Files", list(files)),
    ])
}

fn instructions(cores: &[String], program: &[Instruction], chip: &Chip) -> String {
    let live = live_registers(program);
    let rows = program.iter().enumerate().map(|(n, instruction)| {
        object(&[
            ("Address", text(&format!("0x{:x}", instruction.address))),
            ("Pipe", text(PIPES[instruction.pipe])),
            ("Source", text(&instruction.text)),
            ("AscendC Inner Code", text(&format!("{}:{}", FILES[instruction.file], instruction.line))),
            ("Instructions Executed", by_core(chip, |costs| costs[n].times)),
            ("Cycles", by_core(chip, |costs| (costs[n].nanos / CYCLE) as u64)),
            ("RealStallCycles", by_core(chip, |costs| (costs[n].waited / CYCLE) as u64)),
            ("Process Bytes", by_core(chip, |costs| u64::from(instruction.bytes) * costs[n].times)),
            ("Stall Sampling(All Samples)", stall_of(chip, &[n], program)),
            ("GPR Count", live[n].len().to_string()),
            ("GPR Status", list(live[n].iter().cloned())),
        ])
    });
    let types = [
        ("Address", 3),
        ("Pipe", 3),
        ("Source", 3),
        ("AscendC Inner Code", 3),
        ("Instructions Executed", 1),
        ("Cycles", 1),
        ("RealStallCycles", 1),
        ("Process Bytes", 1),
        ("Stall Sampling(All Samples)", 100),
        ("GPR Count", 1),
        ("GPR Status", 5),
    ];
    let types = types.map(|(name, kind): (&str, u8)| (name, kind.to_string()));
    object(&[
        ("Cores", list(cores.iter().map(|c| text(c)))),
        ("Instructions Dtype", object(&[("Instructions", object(&types))])),
        ("Instructions", list(rows)),
    ])
}

/// The registers in an instruction's text.
fn registers(instruction: &Instruction) -> Vec<String> {
    let words = instruction.text.split(|c: char| !c.is_ascii_alphanumeric()).skip(1);
    words.filter(|w| w.starts_with('X') && w.len() <= 3).map(|w| format!("R{}", &w[1..])).collect()
}

/// For each instruction the registers that hold something: from where one is named first to where it is named last
/// within twelve instructions.
fn live_registers(program: &[Instruction]) -> Vec<Vec<String>> {
    let named: Vec<Vec<String>> = program.iter().map(registers).collect();
    let mut live = vec![Vec::new(); program.len()];
    let mut taken: Vec<(String, usize)> = Vec::new(); // register, first instruction after its life
    for start in 0..program.len() {
        for register in &named[start] {
            if taken.iter().any(|(name, end)| name == register && start < *end) {
                continue;
            }
            let reach = (start + 12).min(program.len());
            let last = (start..reach).rev().find(|&n| named[n].contains(register)).unwrap_or(start);
            taken.push((register.clone(), last + 1));
            for (n, row) in live.iter_mut().enumerate().take(last + 1).skip(start) {
                let state = match (n == start, named[n].contains(register)) {
                    (true, _) => 2,
                    (false, true) => 1,
                    (false, false) => 4,
                };
                row.push(object(&[
                    ("regIndex", text(register)),
                    ("survivalTime", (last + 1 - n).to_string()),
                    ("regStatus", state.to_string()),
                ]));
            }
        }
    }
    live
}
