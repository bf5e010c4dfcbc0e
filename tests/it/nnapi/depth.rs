//! Traces that are deep: scopes inside scopes, a hundred thousand of them.

use super::printed;
use crate::support::front_door::open_one;
use std::fmt::Write;

#[test]
fn a_hundred_thousand_levels_are_no_trouble() {
    let n = 100_000;
    let mut text = "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned();
    for i in 0..2 * n {
        let mark = if i < n { "B|5|[NN_LR_PE]f" } else { "E|5" };
        writeln!(
            text,
            " app-5     [000] ...1 {}.{:06}: tracing_mark_write: {mark}",
            i / 1_000_000,
            i % 1_000_000
        )
        .unwrap();
    }
    let (mut doc, is_ready) = open_one("trace.txt", text.into_bytes());
    assert!(is_ready);
    for (mode, asked) in super::MODES {
        let found = printed(&mut doc, asked);
        assert_eq!(found.exception, None, "{mode}");
        assert!(found.out.len() < 60 << 20, "{mode}: {} bytes", found.out.len());
    }
    let found = printed(&mut doc, super::MODES[8].1);
    assert!(found.out.contains("PO_LR_PE 199.999"), "{}", &found.out[..3000]);
}
