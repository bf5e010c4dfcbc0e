//! Damaged blocks of accesses are read as far as they go.

use crate::support::front_door::open_one;
use crate::support::make_accesses::{payload, stacks, tiled};
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::document::Document;

/// How many records and call stacks are read of a payload, and what is said.
fn read(payload: &[u8]) -> (usize, usize, Vec<String>) {
    let bytes = Container::default().block(10, NO_VERSION, payload).0;
    told(&open_one("visualize_data.bin", bytes).0)
}

fn told(doc: &Document) -> (usize, usize, Vec<String>) {
    let accesses = &doc.trace().accesses;
    let said = doc
        .faults()
        .rows()
        .iter()
        .map(|f| format!("{} at {}: {}", f.code, f.place.byte.unwrap_or(0), f.kind));
    (accesses.len(), accesses.stacks.len(), said.collect())
}

#[test]
fn wrong_lengths_lose_nothing_that_is_there() {
    let records = tiled(100);
    let n = records.len();
    let whole = payload(&records, &stacks());
    assert_eq!(read(&whole), (n, 4, vec![]));
    let length = (n * 32) as u64;
    let with = |at: usize, number: u64| {
        let mut bytes = whole.clone();
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        read(&bytes)
    };
    // Longer than the block: the records end where the length of the call stacks fits.
    let (got, stacks, said) = with(0, u64::MAX);
    assert_eq!((got, stacks, said.len()), (n, 4, 1), "{said:?}");
    assert!(said[0].starts_with("ASC-RECORD at 12: 9,223,372,036,854,775,807 bytes needed"), "{said:?}");
    // Shorter: what follows is no length of call stacks, so it is read as records.
    let (got, stacks, said) = with(0, 320);
    assert_eq!((got, stacks, said.len()), (n, 4, 1), "{said:?}");
    // The length of the call stacks is wrong.
    for wrong in [0, 7, u64::MAX] {
        let (got, stacks, said) = with(8 + n * 32, wrong);
        assert_eq!((got, stacks, said.len()), (n, 4, 1), "{said:?}");
        assert!(said[0].starts_with(&format!("ASC-RECORD at {}: ", 20 + n * 32)), "{said:?}");
    }
    // Not a multiple of 32.
    let mut odd = (length + 5).to_le_bytes().to_vec();
    odd.extend(&whole[8..8 + n * 32]);
    odd.extend([1; 5]);
    odd.extend(&whole[8 + n * 32..]);
    let (got, stacks, said) = read(&odd);
    assert_eq!((got, stacks, said.len()), (n, 4, 1), "{said:?}");
}

#[test]
fn a_block_that_is_cut_anywhere_is_read_up_to_there() {
    let records = tiled(60);
    let whole = Container::default().block(10, NO_VERSION, &payload(&records, &stacks())).0;
    for cut in (64..whole.len() - 4).step_by(7) {
        let (doc, _) = open_one("visualize_data.bin", whole[..cut].to_vec());
        let (got, _, said) = told(&doc);
        let expected = (cut.saturating_sub(20) / 32).min(records.len());
        assert_eq!(got, expected, "cut at {cut}: {said:?}");
        assert!(!said.is_empty(), "cut at {cut}");
    }
}

#[test]
fn call_stacks_that_are_damaged_leave_the_records() {
    let records = tiled(60);
    let n = records.len();
    for text in [
        "",
        "{",
        "[1, 2]",
        "\"text\"",
        "{\"zz\": []}",
        "[{\"Address\": \"0x1008\", \"Symbol\": 7}]",
        "[{\"Address\": 4104, \"Symbol\": [{\"Line\": \"x\"}]}]",
    ] {
        let (got, _, said) = read(&payload(&records, text));
        assert_eq!(got, n, "{text}");
        assert_eq!(said.is_empty(), text.is_empty(), "{text}: {said:?}");
    }
}
