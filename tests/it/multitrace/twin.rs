//! Combining against its slow twin, which holds everything and follows the rule of the specification word by word.

use super::make::{Container, flow, mem, tiny};
use super::recorded;
use crate::support::front_door::open;
use crate::support::mutate::Seeded;
use serde_json::json;
use std::collections::BTreeMap;

/// Accesses of one execution of A, B and C.
const COUNTS: [usize; 3] = [1, 2, 1];
/// Records in which the next one of a block is looked for.
const LOOK_AHEAD: usize = 64;

/// Blocks and accesses (block, address) of each thread.
type Streams = BTreeMap<u32, (Vec<u32>, Vec<(u32, u64)>)>;

/// The addresses that each execution of a thread gets.
fn combined(blocks: &[u32], records: &[(u32, u64)]) -> Vec<Vec<u64>> {
    let mut next = 0;
    let execution = |block: &u32| {
        let mut own = Vec::new();
        for _ in 0..COUNTS[*block as usize] {
            let ahead = records[next..].iter().take(LOOK_AHEAD).position(|(of, _)| of == block);
            let Some(skipped) = ahead else { break };
            own.push(records[next + skipped].1);
            next += skipped + 1;
        }
        own
    };
    blocks.iter().map(execution).collect()
}

/// Random threads, with records that are missing, too many, or of other blocks.
fn random(random: &mut Seeded) -> (Container, Streams) {
    let mut streams = Streams::new();
    let damage = [0, 200, 20, 5][random.below(4)];
    let mut address = 0x1000;
    for thread in 0..=random.below(6) as u32 {
        let blocks: Vec<u32> = (0..random.below(150)).map(|_| random.below(3) as u32).collect();
        let mut records = Vec::new();
        for block in &blocks {
            for _ in 0..COUNTS[*block as usize] {
                address += 16;
                match random.below(damage) {
                    1 => {}
                    2 => records.extend((0..random.below(70)).map(|n| (random.below(3) as u32, n as u64))),
                    3 => records.push((random.below(3) as u32, address)),
                    _ => records.push((*block, address)),
                }
            }
        }
        streams.insert(thread * 7, (blocks, records));
    }
    let mut made = tiny().without_plan();
    made.manifest["thread_id"] = json!({"kind": "sw"});
    made.buffers.retain(|buffer| buffer.of != 3);
    let (mut order, mut all) = (Vec::new(), Vec::new());
    let mut left: Vec<(u32, usize, usize)> = streams.keys().map(|thread| (*thread, 0, 0)).collect();
    while !left.is_empty() {
        let at = random.below(left.len());
        let (thread, flows, records) = &mut left[at];
        let (blocks, accesses) = &streams[thread];
        if let Some(block) = blocks.get(*flows) {
            order.push(flow(*thread, *block));
        }
        for (block, address) in accesses.iter().skip(*records).take(2) {
            all.push(mem((*thread, *block), 0, false, *address));
        }
        (*flows, *records) = (*flows + 1, *records + 2);
        if blocks.len() <= *flows && accesses.len() <= *records {
            left.swap_remove(at);
        }
    }
    made.buffer(1).payload = order.concat();
    made.buffer(2).payload = all.concat();
    (made, streams)
}

#[test]
fn records_go_where_the_rule_says_whatever_is_missing() {
    for seed in 0..300 {
        let mut seeded = Seeded(seed);
        let (made, streams) = random(&mut seeded);
        let chunk = [64, 1 << 16][seeded.below(2)];
        let (doc, is_ready) = open(made.files(), chunk);
        assert!(is_ready, "seed {seed}");
        let recorded = recorded(&doc);
        let (launch, program) = (&recorded.launches[0], &recorded.programs[0]);
        let mut threads = streams.iter().filter(|(_, (blocks, _))| !blocks.is_empty());
        for (row, id) in launch.threads.ids.iter().enumerate() {
            let (thread, (blocks, records)) = threads.next().unwrap();
            assert_eq!(thread, id, "seed {seed}");
            let expected = combined(blocks, records);
            let range = launch.executions.starts[row]..launch.executions.starts[row + 1];
            assert_eq!(range.len(), expected.len(), "seed {seed}");
            for (execution, expected) in range.zip(expected) {
                let rows = launch.rows.as_ref().unwrap().rows(launch, program, execution).unwrap();
                let mut found: Vec<u64> = rows.iter().flat_map(|row| row.addresses.clone()).collect();
                let mut expected = expected;
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "seed {seed}, thread {id}, execution {execution}");
            }
        }
        assert!(threads.next().is_none(), "seed {seed}");
    }
}
