//! Times of blocks and units that fall into groups: which, and what an even spread would save. Expected numbers by hand.

use super::{family, of_json};
use crate::support::front_door::open;
use lanescope::document::Document;
use serde_json::{Value, json};
use std::fmt::Write;

fn said(doc: &Document, id: &str) -> Vec<String> {
    family(doc, id).variants[0].advice.iter().map(|advice| advice.text.to_string()).collect()
}

/// What is said of a vector operator whose blocks took so long.
fn of_vectors(times: impl Iterator<Item = u32>) -> Vec<String> {
    let times: Vec<u32> = times.collect();
    let row =
        |(n, time): (usize, &u32)| json!({"value": [n.to_string(), "vector", format!("{time}.000000")]});
    let rows: Vec<Value> = times.iter().enumerate().map(row).collect();
    let heads = ["Block ID", "Core Type", "Duration (μs)"];
    let detail = json!({"head_name": heads, "row": rows, "size": [times.len() + 1, 3]});
    let info =
        json!({"name": "k", "op_type": "vector", "duration": times.iter().max(), "block_detail": detail});
    said(&of_json(5, &info), "block-detail")
}

/// What is said of a mix operator: of each block cube, first and second vector unit, 0 where there is none.
fn of_mix(blocks: &[[u32; 3]]) -> Vec<String> {
    let text = |time: &u32| if *time == 0 { "NA".to_owned() } else { time.to_string() };
    let row = |(n, times): (usize, &[u32; 3])| {
        let mut cells = vec![n.to_string()];
        cells.extend(times.iter().map(text));
        json!({"value": cells})
    };
    let rows: Vec<Value> = blocks.iter().enumerate().map(row).collect();
    let heads = ["Block ID", "Cube0 Duration (μs)", "Vector0 Duration (μs)", "Vector1 Duration (μs)"];
    let detail = json!({"head_name": heads, "row": rows, "size": [blocks.len() + 1, 4]});
    let longest = blocks.iter().flatten().max();
    let info = json!({"name": "k", "op_type": "mix", "duration": longest, "mix_block_detail": detail});
    said(&of_json(5, &info), "mix-block-detail")
}

#[test]
fn more_than_two_groups_have_no_straggler() {
    assert_eq!(
        of_vectors((0..30).map(|n| [3_000, 6_000, 9_000][n % 3])),
        [
            "10 blocks (2, 5, 8, 11, 14, 17, …) took 9.000 ms on average, 10 blocks (1, 4, 7, 10, 13, 16, …) 6.000 ms, 10 blocks (0, 3, 6, 9, 12, 15, …) 3.000 ms: the slowest 3.00 times as long as the fastest. With an even split, all would take 6.000 ms instead of 9.000 ms, 33.3 % less."
        ]
    );
    // (8 × 9 + 12 × 6 + 12 × 3) / 32 = 5.625.
    let ranges = (0..32).map(|n| match n {
        0..8 => 9_000,
        8..20 => 6_000,
        _ => 3_000,
    });
    assert_eq!(
        of_vectors(ranges),
        [
            "8 blocks (0 to 7) took 9.000 ms on average, 12 blocks (8 to 19) 6.000 ms, 12 blocks (20 to 31) 3.000 ms: the slowest 3.00 times as long as the fastest. With an even split, all would take 5.625 ms instead of 9.000 ms, 37.5 % less."
        ]
    );
    assert_eq!(
        of_vectors((0..30).map(|n| [1_000, 2_000, 4_000, 6_000, 8_000][n % 5])),
        [
            "Of 5 groups, 6 blocks (4, 9, 14, 19, 24, 29) took 8.000 ms on average, 6 blocks (0, 5, 10, 15, 20, 25) 1.000 ms: the slowest 8.00 times as long as the fastest. With an even split, all would take 4.200 ms instead of 8.000 ms, 47.5 % less."
        ]
    );
    // Times that rise evenly: 2,450, 2,500 and 2,550 are within 5 % of the slowest.
    assert_eq!(
        of_vectors((0..32).map(|n| 1_000 + n * 50)),
        [
            "3 of 32 blocks took within 5 % of the longest, 2.550 ms; the median is 1.775 ms. With an even split, all would take 1.775 ms instead of 2.550 ms, 30.4 % less."
        ]
    );
    // One alone is one.
    assert_eq!(
        of_vectors((0..32).map(|n| if n == 31 { 3_000 } else { 1_000 })),
        ["Block 31 took 3.000 ms, 200 % longer than the median."]
    );
}

#[test]
fn both_groups_are_named() {
    assert_eq!(
        of_vectors((0..32).map(|n| if n % 4 < 2 { 9_000 } else { 3_000 })),
        [
            "16 blocks (0, 1, 4, 5, 8, 9, …) took 9.000 ms on average, 16 blocks (2, 3, 6, 7, 10, 11, …) 3.000 ms: 3.00 times as long. With an even split, all would take 6.000 ms instead of 9.000 ms, 33.3 % less."
        ]
    );
}

#[test]
fn units_are_no_blocks_and_have_their_kind() {
    // Cores 2 and 3 have no second vector unit. (2 × 200 + 4 × 100) / 6 = 133.333.
    assert_eq!(
        of_mix(&[[90, 100, 100], [90, 100, 100], [90, 200, 0], [90, 200, 0]]),
        [
            "vector0 of 2 blocks (2 to 3) took 200.000 µs on average, 4 vector units of 2 blocks (0 to 1) 100.000 µs: 2.00 times as long. With an even split, all would take 133.333 µs instead of 200.000 µs, 33.3 % less."
        ]
    );
    let [text] = &of_mix(&[[100, 290, 0], [100, 290, 210], [100, 200, 210], [100, 200, 210]])[..] else {
        panic!("one sentence")
    };
    assert!(
        text.starts_with(
            "vector0 of 2 blocks (0 to 1) took 290.000 µs on average, 5 vector units of 3 blocks (1 to 3) 206.000 µs: 1.41 times"
        ),
        "{text}"
    );
    // Block 4 has no second vector unit, so its first one is compared with none.
    let mut blocks = [[250, 130, 240]; 6];
    blocks[3..].iter_mut().for_each(|block| block[0] = 180);
    (blocks[4][1], blocks[4][2]) = (150, 0);
    assert_eq!(
        of_mix(&blocks),
        [
            "cube0 of 3 blocks (0 to 2) took 250.000 µs on average, cube0 of 3 blocks (3 to 5) 180.000 µs: 1.39 times as long. With an even split, all would take 215.000 µs instead of 250.000 µs, but vector1 takes up to 240.000 µs: unless that shrinks too, at most 4.0 % can be saved.",
            "vector1 of the 5 blocks that have both took 240.000 µs on average, vector0 of the 5 blocks that have both 130.000 µs: 1.85 times as long. With an even split, all would take 181.818 µs instead of 240.000 µs, but cube0 takes up to 250.000 µs: unless that shrinks too, the operator would not be faster.",
        ]
    );
}

/// The sentence on 60 blocks of a chip with 48 vector units, of which two in five take 1,000 and the others 3,000 µs.
#[test]
fn blocks_beyond_the_cores_are_promised_no_saving() {
    let advice = |soc: &str, duration: u32| {
        let row =
            |n: u32| json!({"value": [n.to_string(), "vector", if n % 5 < 2 { "1000" } else { "3000" }]});
        let heads = ["Block ID", "Core Type", "Duration (μs)"];
        let detail =
            json!({"head_name": heads, "row": (0..60).map(row).collect::<Vec<_>>(), "size": [61, 3]});
        let info = json!({"name": "k", "soc": soc, "op_type": "vector", "block_dim": 60, "duration": duration, "block_detail": detail});
        let doc = of_json(5, &info);
        let advice = &family(&doc, "block-detail").variants[0].advice[0];
        (advice.text.to_string(), advice.is_costly)
    };
    let (text, is_costly) = advice("Ascend910B2", 4_100);
    assert!(text.ends_with("3.00 times as long."), "{text}");
    // 24 × 1,000 and 36 × 3,000 are 2,200 each: two one after the other are more than 4,100.
    assert!(!is_costly);
    // And less than 5,000, but how much of it even blocks would take is not known.
    let (text, is_costly) = advice("Ascend910B2", 5_000);
    assert!(text.ends_with("3.00 times as long.") && is_costly, "{text}");
    // Who knows how many cores it has.
    let (text, _) = advice("", 4_100);
    assert!(text.ends_with("With an even split, all would take 2.200 ms instead of 3.000 ms, 26.7 % less."));
}

/// Blocks of 9 and 2 µs in turn: 72 vector units is the most that a known chip has, and an operator that takes as long as
/// two of the longest may have run one behind the other.
#[test]
fn nothing_is_promised_where_blocks_may_have_waited_for_cores() {
    let is_promised = |soc: &str, n: u32, block_dim: Option<u32>, duration: u32| {
        let row =
            |n: u32| json!({"value": [n.to_string(), "vector", if n.is_multiple_of(2) { "9" } else { "2" }]});
        let heads = ["Block ID", "Core Type", "Duration (μs)"];
        let detail =
            json!({"head_name": heads, "row": (0..n).map(row).collect::<Vec<_>>(), "size": [n + 1, 3]});
        let info = json!({"name": "k", "soc": soc, "op_type": "vector", "block_dim": block_dim, "duration": duration, "block_detail": detail});
        let said = said(&of_json(5, &info), "block-detail");
        assert!(said[0].contains("odd blocks 2.000 µs: 4.50 times as long."), "{said:?}");
        said[0].ends_with("With an even split, all would take 5.500 µs instead of 9.000 µs, 38.9 % less.")
    };
    for (soc, n, block_dim, duration) in [
        ("", 400, Some(400), 60),
        ("Ascend310P3", 200, Some(200), 15),
        ("Ascend950DT_9592", 74, Some(74), 15),
        // One of 40 vector units has to run two, says the number of rows.
        ("Ascend910B4", 42, None, 15),
        ("Ascend310P3", 40, Some(40), 18),
        ("Ascend910B4", 40, None, 18),
    ] {
        assert!(!is_promised(soc, n, block_dim, duration), "{soc} {n} {duration}");
    }
    for (soc, n, block_dim, duration) in [
        ("", 72, Some(72), 15),
        ("Ascend910B4", 40, None, 15),
        // All at once, and much overhead.
        ("Ascend910B4", 40, Some(40), 60),
    ] {
        assert!(is_promised(soc, n, block_dim, duration), "{soc} {n} {duration}");
    }
}

#[test]
fn csv_files_do_not_pool_cubes_and_vectors() {
    let mut csv = "block_id,sub_block_id,aic_time(us),aiv_time(us),\n".to_owned();
    for block in 0..6 {
        writeln!(csv, "{block},cube0,250,NA,\n{block},vector0,NA,120,").unwrap();
        if !matches!(block, 1 | 4) {
            writeln!(csv, "{block},vector1,NA,240,").unwrap();
        }
    }
    let (doc, _) = open(vec![("PipeUtilization.csv".to_owned(), csv.into_bytes())], 1 << 16);
    assert_eq!(
        said(&doc, "block-detail"),
        [
            "vector1 of the 4 blocks that have both took 240.000 µs on average, vector0 of the 4 blocks that have both 120.000 µs: 2.00 times as long. With an even split, all would take 168.000 µs instead of 240.000 µs, but cube0 takes up to 250.000 µs: unless that shrinks too, the operator would not be faster."
        ]
    );
}
