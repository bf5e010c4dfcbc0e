//! Damaged traces: opened as far as they go, each damage with its code and nothing else.

use super::make::{V3, V5};
use super::{export, recorded};
use crate::support::front_door::open;

fn said(name: &str, text: &str) -> (Vec<String>, usize) {
    let (doc, _) = open(vec![(name.to_owned(), text.as_bytes().to_vec())], 1 << 16);
    let codes = doc.faults().rows().iter().map(|fault| fault.code.to_string()).collect();
    let of = doc.trace().extensions.get::<lanescope::views::executions::compute::Recorded>();
    let n = of.map_or(0, |of| of.launches.iter().map(|launch| launch.executions.block.len()).sum());
    (codes, n)
}

fn check(text: &str, codes: &[&str]) -> usize {
    let (found, n) = said("kernel-1.traceg", text);
    assert_eq!(found, codes, "{text}");
    n
}

#[test]
fn each_damage_has_its_code_and_no_other() {
    let whole = V5.grouped("loop");
    assert_eq!(check(&whole, &[]), 22);
    let seen = |from: &str, to: &str, codes: &[&str]| {
        let damaged = whole.replacen(from, to, 1);
        assert_ne!(damaged, whole, "{from}");
        check(&damaged, codes)
    };
    // Garbage in the head is shown and costs nothing.
    assert_eq!(seen("-nregs = 10", "-nregs = 21955", &[]), 22);
    assert_eq!(seen("-shmem = 0", "-shmem = 99999999999999999999", &[]), 22);
    assert_eq!(seen("-block dim = (64,1,1)", "-block dim = (0,0,0)", &[]), 22);
    // What no GPU has is said.
    assert_eq!(seen("-grid dim = (2,1,1)", "-grid dim = (4294967295,4294967295,1)", &["ACS-HEAD"]), 22);
    assert_eq!(seen("-grid dim = (2,1,1)", "-grid dim = (2147483648,1,1)", &["ACS-HEAD"]), 22);
    assert_eq!(seen("-block dim = (64,1,1)", "-block dim = (1024,2,1)", &["ACS-HEAD"]), 22);
    assert_eq!(seen("-grid dim = (2,1,1)", "-grid dim = (two)", &["ACS-LINE"]), 22);
    // Lanes without addresses and addresses without lanes.
    assert_eq!(seen("0010 ffffffff", "0010 00000000", &[]), 22);
    assert_eq!(seen("0010 ffffffff", "0010 7fffffff", &["ACS-LANES"]), 22);
    assert_eq!(seen("0060 0000ffff", "0060 0001ffff", &["ACS-LANES"]), 22);
    assert_eq!(seen("LDG.E 1 R4 4 2 ", "LDG.E 1 R4 4 7 ", &["ACS-LANES"]), 22);
    // A line of something else, a number of lines that is not theirs.
    assert!(18 < seen("0020 ffffffff", "hello ffffffff", &["ACS-LINE"]));
    assert!(18 < seen("0020 ffffffff", "0020 fffff", &["ACS-LINE"]));
    assert_eq!(seen("insts = 13", "insts = 15", &["ACS-COUNT"]), 22);
    assert_eq!(seen("insts = 13", "insts = many", &["ACS-LINE"]), 22);
}

#[test]
fn a_cut_trace_is_shown_up_to_its_last_whole_line() {
    let whole = V5.grouped("loop");
    for end in [whole.len() - 8, whole.len() - 30, whole.len() / 2, whole.len() / 2 + 1, whole.len() / 2 + 9]
    {
        let n = check(&whole[..end], &["ACS-CUT"]);
        assert!(7 < n && n <= 22, "{n} at {end}");
    }
    let whole = V3.raw("loop");
    let (codes, n) = said("kernel-1.trace", &whole[..whole.len() - 12]);
    assert_eq!((codes, n), (vec!["ACS-CUT".to_owned()], 22));
    let (codes, _) = said("kernel-1.trace", &whole[..whole.len() - 1]);
    assert_eq!(codes, Vec::<String>::new());
}

#[test]
fn no_bytes_make_it_panic() {
    let whole = V5.grouped("loop").into_bytes();
    let mut seed = 1_u32;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_103_515_225).wrapping_add(12345);
            let at = (seed >> 8) as usize % bytes.len();
            bytes[at] = (seed >> 3) as u8;
        }
        let (mut doc, is_ready) = open(vec![("kernel-1.traceg".to_owned(), bytes)], 999);
        if is_ready && !recorded(&doc).launches.is_empty() {
            export(&mut doc, "combined-text");
        }
    }
}

/// What the overview says of a trace with these lines in its head.
fn findings(grid: &str, block: &str) -> String {
    let whole = V5.grouped("loop");
    let text = whole.replacen("-grid dim = (2,1,1)", &format!("-grid dim = {grid}"), 1);
    let text = text.replacen("-block dim = (64,1,1)", &format!("-block dim = {block}"), 1);
    let (mut doc, is_ready) = open(vec![("kernel-1.traceg".to_owned(), text.into_bytes())], 1 << 16);
    assert!(is_ready);
    lanescope::export::findings::text(&doc.whole_overview())
}

#[test]
fn a_grid_that_no_gpu_has_announces_no_losses() {
    let said = findings("(3,1,1)", "(64,1,1)");
    assert!(said.contains("2 of 6 warps"), "{said}");
    for (grid, block) in [
        ("(4294967295,4294967295,1)", "(64,1,1)"),
        ("(4294967295,4294967295,4294967295)", "(64,1,1)"),
        ("(65536,65536,1)", "(64,1,1)"),
        // How many warps a group has is unknown.
        ("(3,1,1)", "(4096,1,1)"),
        ("(3,1,1)", "(0,0,0)"),
    ] {
        let said = findings(grid, block);
        assert!(!said.contains("have no record"), "{grid} {block}: {said}");
    }
}
