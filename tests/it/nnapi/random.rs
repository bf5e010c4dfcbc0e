//! Random traces, also damaged ones: the exports print what the second implementation prints, byte for byte.
//!
//! `LANESCOPE_NNAPI_CASES` says how many traces; each is asked in all nine ways.

use super::make_marks::{Dice, damaged, trace};
use super::oracle::aosp;
use super::{MODES, printed};
use crate::support::front_door::open_one;

#[test]
fn random_traces_print_the_same_twice() {
    let asked = std::env::var("LANESCOPE_NNAPI_CASES").ok().and_then(|n| n.parse().ok());
    let n: u64 = asked.unwrap_or(300);
    let mut n_printed = 0;
    for seed in 0..n {
        let mut text = trace(seed);
        let mut dice = Dice::new(seed ^ 0x55);
        if seed % 3 != 0 {
            text = damaged(&text, &mut dice);
        }
        if seed % 17 == 0 {
            text = text.replace('\n', "\r\n");
        }
        let (mut doc, _) = open_one("trace.txt", text.clone().into_bytes());
        for (mode, asked) in MODES {
            let (found, expected) = (printed(&mut doc, asked), aosp(text.as_bytes(), asked));
            if found != expected {
                let path = std::env::temp_dir().join(format!("nnapi-{seed}.txt"));
                std::fs::write(&path, &text).unwrap();
                panic!("seed {seed} {mode}, {}:\n{}", path.display(), difference(&found, &expected));
            }
            n_printed += usize::from(mode == "default" && expected.exception.is_none());
        }
    }
    eprintln!("{n} random traces, {n_printed} of them printed to the end, are printed alike in nine ways");
    assert!(n as usize / 4 < n_printed, "most traces are refused: {n_printed} of {n} are not");
}

/// The first lines that differ.
fn difference(found: &super::Printed, expected: &super::Printed) -> String {
    let mut out = format!("{:?}\n{:?}\n", found.exception, expected.exception);
    out += &format!("{:?}\n{:?}\n", found.err, expected.err);
    let different = found.out.lines().zip(expected.out.lines()).find(|(a, b)| a != b);
    out += &format!("{different:#?} of {} and {} bytes", found.out.len(), expected.out.len());
    out
}
