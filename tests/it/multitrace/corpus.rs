//! Containers of the corpus, compared with what they were made of.

use super::{codes, dump, recorded};
use crate::support::corpus::corpus;
use crate::support::front_door::{files_of, open};
use lanescope::document::Document;
use lanescope::input::{Entry, Memory};
use lanescope::views::plan::compute::{KernelPlan, PlanInput};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// A container of the corpus, and what is expected of it.
fn opened(name: &str) -> Option<(Document, Value)> {
    let folder = corpus(&format!("instrumentation/{name}"))?;
    let expected = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let (doc, is_ready) = open(files_of(&folder), 1 << 16);
    assert!(is_ready, "{name}");
    Some((doc, expected))
}

fn plan(doc: &Document) -> &KernelPlan {
    &doc.trace().extensions.get::<PlanInput>().unwrap().kernels[0]
}

/// Planned records and bytes of a type.
fn planned(plan: &KernelPlan, name: &str) -> (u64, u64) {
    let of = plan.types.iter().position(|of| of.name == name).unwrap();
    let records: u64 = plan.blocks.iter().map(|b| b.records[of].0 * b.count.unwrap()).sum();
    (records, records * plan.types[of].bytes)
}

#[test]
fn the_worked_examples_are_right_to_the_byte() {
    let Some((doc, expected)) = opened("gmt_tiny") else { return };
    assert_eq!(codes(&doc), [""; 0]);
    for of in ["flow", "mem", "reg"] {
        let (records, bytes) = planned(plan(&doc), of);
        assert_eq!(expected["plan"][of]["records"], records, "{of}");
        assert_eq!(expected["plan"][of]["bytes"], bytes, "{of}");
    }
    let text = dump(&doc);
    for (thread, executions) in expected["final"].as_object().unwrap() {
        for execution in executions.as_array().unwrap() {
            for inst in execution["insts"].as_array().unwrap() {
                let value = inst[1].as_str().map_or(String::new(), |value| match value.strip_prefix("0x") {
                    Some(_) => format!(" ffff {value}"),
                    None => format!(" {value}"),
                });
                let label = ["A", "B", "C"][execution["block"].as_u64().unwrap() as usize];
                let pc = inst[0].as_u64().unwrap();
                let line = format!("{thread} {label} {} {pc:#x}{value}\n", execution["exec"]);
                assert!(text.contains(&line), "{line} in {text}");
            }
        }
    }
    assert_eq!(text.lines().count(), 18);
}

#[test]
fn an_overflow_and_slack_are_told() {
    let Some((doc, expected)) = opened("gmt_tiny_overflow") else { return };
    assert_eq!(codes(&doc), ["GMT-LOST", "GMT-OVF"]);
    let mem = &plan(&doc).buffers[1];
    assert_eq!((mem.capacity, mem.next), (144, 192));
    assert_eq!(expected["mem"]["lost_records"], mem.lost);
    let missing =
        dump(&doc).lines().filter(|line| line.contains("no record")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(missing, ["0 B 2 0x50 no record, buffer full", "0 C 3 0x70 no record, buffer full"]);
    let Some((doc, expected)) = opened("gmt_tiny_slack") else { return };
    assert_eq!(codes(&doc), [""; 0]);
    for (buffer, of) in plan(&doc).buffers.iter().zip(["flow", "mem", "reg"]) {
        assert_eq!(
            expected["fill"][of].as_f64().unwrap(),
            buffer.next as f64 / buffer.capacity as f64,
            "{of}"
        );
    }
}

#[test]
fn the_plan_of_a_listing_is_right_to_the_byte() {
    let Some((doc, expected)) = opened("gmt_pti_gemm_plan") else { return };
    assert_eq!(codes(&doc), [""; 0]);
    let plan = plan(&doc);
    for of in ["flow", "mem", "simd"] {
        let (records, bytes) = planned(plan, of);
        assert_eq!(expected["records"][of], records, "{of}");
        assert_eq!(expected["bytes"][of], bytes, "{of}");
    }
    assert_eq!(plan.blocks.len(), 7);
    let executed: u64 = plan.blocks.iter().map(|b| b.count.unwrap() * u64::from(b.instructions)).sum();
    assert_eq!(expected["dynamic_instructions"], executed);
}

/// One line of a grouped trace: address, mask, and the addresses of lanes.
fn line(text: &str) -> (u64, u32, Option<Vec<u64>>) {
    let mut words = text.split_whitespace();
    let mut word = || words.next().unwrap();
    let hex = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    let (pc, mask) = (hex(word()), hex(word()) as u32);
    (0..word().parse::<u32>().unwrap()).for_each(|_| {
        word();
    });
    word();
    (0..word().parse::<u32>().unwrap()).for_each(|_| {
        word();
    });
    if word() == "0" {
        return (pc, mask, None);
    }
    let n = mask.count_ones() as usize;
    let mode = word();
    let addresses = match mode {
        "0" => (0..n).map(|_| hex(word())).collect(),
        "1" => {
            let (base, stride) = (hex(word()), word().parse::<i64>().unwrap());
            (0..n as i64).map(|lane| base.wrapping_add_signed(lane * stride)).collect()
        }
        _ => {
            let mut at = hex(word());
            let mut all = vec![at];
            for _ in 1..n {
                at = at.wrapping_add_signed(word().parse::<i64>().unwrap());
                all.push(at);
            }
            all
        }
    };
    (pc, mask, Some(addresses))
}

/// What each warp ran, by its number: independent of the reader of such files.
fn traceg(path: &Path) -> BTreeMap<u32, Vec<(u64, u32, Option<Vec<u64>>)>> {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap();
    lzma_rust2::XzReader::new(file, true).read_to_string(&mut text).unwrap();
    let numbers = |text: &str| {
        let text = text.split('=').nth(1).unwrap().trim();
        text.trim_matches(['(', ')']).split(',').map(|n| n.parse::<u32>().unwrap()).collect::<Vec<_>>()
    };
    let (mut grid, mut group, mut warps) = (Vec::new(), 0, 1);
    let mut found: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let mut warp = 0;
    for row in text.lines() {
        if row.starts_with("-grid dim") {
            grid = numbers(row);
        } else if row.starts_with("-block dim") {
            warps = numbers(row).iter().product::<u32>().div_ceil(32);
        } else if row.starts_with("thread block") {
            let at = numbers(row);
            group = at[0] + grid[0] * (at[1] + grid[1] * at[2]);
        } else if row.starts_with("warp") {
            warp = group * warps + numbers(row)[0];
        } else if row.starts_with(|c: char| c.is_ascii_hexdigit()) && !row.contains('=') {
            found.entry(warp).or_default().push(line(row));
        }
    }
    found
}

#[test]
fn a_real_trace_comes_back_whole() {
    let Some((doc, expected)) = opened("gmt_flashinfer_prefill") else { return };
    assert_eq!(codes(&doc), [""; 0]);
    let recorded = recorded(&doc);
    let (launch, program) = (&recorded.launches[0], &recorded.programs[0]);
    assert_eq!(expected["threads"], launch.threads.len());
    assert_eq!(expected["blocks"], program.blocks.len());
    assert_eq!(expected["block_executions"], launch.executions.block.len());
    let records: Vec<u64> = plan(&doc).buffers.iter().map(|buffer| buffer.records).collect();
    assert_eq!(records, [160, 2192, 160]);
    let folder = corpus("instrumentation/accelsim_flashinfer/flashinfer-prefill").unwrap();
    let original = traceg(&folder.join("kernel-1.traceg.xz"));
    assert_eq!(original.values().map(|rows| rows.len() as u64).sum::<u64>(), expected["instructions"]);
    let (mut n_accesses, mut moved) = (0, 0_u64);
    for (thread, id) in launch.threads.ids.iter().enumerate() {
        let range = launch.executions.starts[thread]..launch.executions.starts[thread + 1];
        moved += range.clone().map(|e| u64::from(launch.executions.moved[e as usize])).sum::<u64>();
        let rows = range.flat_map(|e| launch.rows.as_ref().unwrap().rows(launch, program, e).unwrap());
        let rows: Vec<_> = rows.collect();
        let theirs = &original[id];
        assert_eq!(rows.len(), theirs.len(), "warp {id}");
        for (row, (pc, mask, addresses)) in rows.iter().zip(theirs) {
            assert_eq!(program.instructions[row.instruction as usize].address, *pc, "warp {id}");
            if let Some(addresses) = addresses {
                n_accesses += 1;
                assert_eq!((row.mask, &row.addresses), (Some(*mask), addresses), "warp {id} at {pc:#x}");
            } else {
                assert!(row.addresses.is_empty());
            }
        }
    }
    assert_eq!(expected["mem_records"], n_accesses);
    assert!(0 < moved);
    assert_eq!(launch.threads.group_name(7), "CTA 0,0,1");
    assert_eq!(launch.threads.name(7), "warp 3");
}

#[test]
fn an_archive_opens_as_its_folder() {
    let Some(folder) = corpus("instrumentation/gmt_tiny") else { return };
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files_of(&folder) {
        zip.start_file(format!("run/{name}"), zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, &bytes).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let entry = Entry { path: "run.zip".to_owned(), source: std::rc::Rc::new(Memory(bytes)) };
    let store = Box::new(lanescope::input::unpack::MemoryStore::default());
    let (doc, is_ready) = Document::open(vec![entry], store);
    assert!(is_ready);
    assert_eq!(codes(&doc), [""; 0]);
    assert_eq!(dump(&doc), dump(&open(files_of(&folder), 7).0));
}
