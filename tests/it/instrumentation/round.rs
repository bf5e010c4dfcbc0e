//! From a text through a container and back, and a container against the text it was made of.

use super::{assert_same, combined, folder};
use crate::support::corpus::corpus;
use crate::support::front_door::{open, open_one};
use lanescope::document::Document;
use lanescope::wire::{Answer, Query};

fn opened(path: &str) -> Option<Document> {
    let (doc, is_ready) = open(folder(&corpus("instrumentation")?.join(path)), 1 << 16);
    assert!(is_ready, "{path}");
    Some(doc)
}

#[test]
fn a_real_container_is_the_text_it_was_made_of() {
    let Some(mut container) = opened("gmt_flashinfer_prefill") else { return };
    let mut text = opened("accelsim_flashinfer/flashinfer-prefill").unwrap();
    let (one, other) = (combined(&mut text), combined(&mut container));
    assert_eq!(one.values().map(Vec::len).sum::<usize>(), 29_024);
    assert_same(&one, &other, "prefill");
}

/// Through containers of these arrangements and seeds.
fn round(path: &str, options: &[(&str, u32)]) {
    let Some(mut doc) = opened(path) else { return };
    let wanted = combined(&mut doc);
    for (arrangement, seed) in options {
        let id = format!("gpu-multitrace:gmt-arrangement={arrangement},gmt-seed={seed}");
        let (answer, bytes) = doc.query(&Query::Export { id: id.clone() });
        assert!(matches!(answer, Answer::File { .. }), "{path} {id}: {answer:?}");
        let (mut again, is_ready) = open_one("round.zip", bytes.unwrap());
        assert!(is_ready, "{path} {id}");
        assert_eq!(again.faults().rows(), [], "{path} {id}");
        assert_same(&wanted, &combined(&mut again), &format!("{path} {id}"));
    }
}

const ALL: [(&str, u32); 6] =
    [("shared", 1), ("shared", 12_345), ("thread", 1), ("thread", 12_345), ("tagged", 1), ("tagged", 12_345)];

#[test]
fn small_traces_come_back_the_same() {
    round("accelsim_ctx_excerpt", &ALL);
    round("accelsim_flashinfer/flashinfer-gemm", &ALL);
}

#[test]
fn large_traces_come_back_the_same() {
    round("accelsim_flashinfer/flashinfer-prefill", &[("shared", 1), ("thread", 12_345), ("tagged", 1)]);
    round("accelsim_romnn_vecadd", &[("tagged", 12_345)]);
}
