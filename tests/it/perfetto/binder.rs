//! Transactions between processes: slices of both, with arrows.

use super::make::{Message, new, packet};
use super::system::{bundle, kernel};
use super::{arguments_of, flows, left_out, opened, slices};
use crate::support::front_door::{open_one, unfinished};
use lanescope::model::id::SliceId;

/// A transaction that a thread sends: its number, whether it is a reply, its flags.
fn sent(time: i64, tid: i64, id: i64, (is_reply, flags): (i64, i64)) -> Message {
    kernel(time, tid, 50, new().int(1, id).int(5, is_reply).int(6, 3).int(7, flags))
}

fn received(time: i64, tid: i64, id: i64) -> Message {
    kernel(time, tid, 51, new().int(1, id))
}

/// Two processes with a thread each, and a third.
fn tree() -> Message {
    let process = |pid: i64, name: &str| new().int(1, pid).text(3, name);
    let thread = |tid: i64, pid: i64, name: &str| new().int(1, tid).text(2, name).int(3, pid);
    let processes = [process(10, "app"), process(20, "server"), process(30, "media")];
    let tree = processes.into_iter().fold(new(), |tree, process| tree.with(1, process));
    let threads = [thread(10, 10, "main"), thread(21, 20, "binder"), thread(31, 30, "binder")];
    packet(1, 0, 2, threads.into_iter().fold(tree, |tree, thread| tree.with(2, thread)))
}

const CALL: (i64, i64) = (0, 0x10);
const ONE_WAY: (i64, i64) = (0, 0x11);
const REPLY: (i64, i64) = (1, 0);

#[test]
fn a_call_is_a_slice_of_both_threads_with_an_arrow_also_inside_another_one() {
    // Each processor tells its own rows, the later ones first.
    let server =
        vec![received(110, 21, 1), sent(120, 21, 2, CALL), received(160, 21, 3), sent(180, 21, 4, REPLY)];
    let packets = [
        tree(),
        bundle(1, server),
        bundle(2, vec![received(130, 31, 2), sent(150, 31, 3, REPLY), received(320, 31, 5)]),
        bundle(0, vec![sent(100, 10, 1, CALL), received(190, 10, 4), sent(300, 10, 5, ONE_WAY)]),
    ];
    let mut doc = opened(&packets);
    let expected = [
        "app / main: 100 +90 binder transaction binder",
        "app / main: 300 +0 binder transaction async binder",
        "media / binder: 130 +20 binder reply binder",
        "media / binder: 320 +0 binder async rcv binder",
        "server / binder: 110 +70 binder reply binder",
        "server / binder: 120 +40 binder transaction binder",
    ];
    assert_eq!(slices(&doc), expected);
    let arrows = [
        "1: app / main 100 → server / binder 110",
        "2: server / binder 120 → media / binder 130",
        "5: app / main 300 → media / binder 320",
    ];
    assert_eq!(flows(&doc), arrows);
    assert_eq!(left_out(&doc), [""; 0]);
    let (track, _) =
        doc.trace().tracks.iter().find(|(_, of)| of.slices.start.iter().any(|t| *t == 100)).unwrap();
    let args = arguments_of(&mut doc, SliceId { track, row: 0 });
    let args: Vec<String> = args.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(args, ["debug_id=1", "reply=0", "code=3", "flags=16"]);
}

#[test]
fn what_lacks_its_partner_does_not_stretch_over_the_rest() {
    let rows = vec![
        // Received before the recording began to see who sent it.
        received(50, 21, 77),
        // Never answered: the thread goes on to call somebody else.
        sent(100, 10, 1, CALL),
        sent(200, 10, 2, CALL),
        received(210, 21, 2),
        sent(220, 21, 3, REPLY),
        received(230, 10, 3),
        // Still open at the end.
        sent(300, 10, 4, CALL),
        received(400, 21, 4),
    ];
    let doc = opened(&[tree(), bundle(0, rows)]);
    let expected = [
        "Kernel events / binder: 50 binder_transaction_received",
        "app / main: 100 +100 binder transaction binder",
        "app / main: 200 +30 binder transaction binder",
        "app / main: 300 +100 binder transaction binder",
        "server / binder: 210 +10 binder reply binder",
        "server / binder: 400 +0 binder reply binder",
    ];
    assert_eq!(slices(&doc), expected);
    // How long the last call takes is not known.
    let mut open = unfinished(&doc);
    open.sort();
    assert_eq!(open, ["app / main: binder transaction", "server / binder: binder reply"]);
    let left =
        ["1 answers to binder transactions", "2 ends of binder slices that last to the end of the trace"];
    assert_eq!(left_out(&doc), left);
}

/// A call ends where its thread is told that it failed, that the callee is dead or frozen; that a reply failed is told to who
/// replies, and ends none of its own calls.
#[test]
fn a_call_that_fails_ends_where_its_caller_is_told_so() {
    let returned = |time: i64, tid: i64, command: i64| kernel(time, tid, 486, new().int(1, command));
    for command in [0x7205, 0x7211, 0x7212] {
        let rows = vec![
            // It was sent: that ends nothing.
            sent(100, 10, 1, CALL),
            returned(110, 10, 0x7206),
            returned(150, 10, command),
            sent(200, 10, 2, CALL),
            // Called back meanwhile, what it replies fails; its own call goes on.
            received(210, 21, 2),
            sent(220, 21, 3, CALL),
            received(230, 10, 3),
            sent(240, 10, 4, REPLY),
            returned(245, 10, command),
            received(250, 21, 4),
            sent(260, 21, 5, REPLY),
            received(300, 10, 5),
        ];
        let doc = opened(&[tree(), bundle(0, rows)]);
        let found: Vec<String> = slices(&doc).into_iter().filter(|row| row.ends_with(" binder")).collect();
        let expected = [
            "app / main: 100 +50 binder transaction binder",
            "app / main: 200 +100 binder transaction binder",
            "app / main: 230 +10 binder reply binder",
            "server / binder: 210 +50 binder reply binder",
            "server / binder: 220 +30 binder transaction binder",
        ];
        assert_eq!(found, expected, "{command:#x}");
        assert_eq!(unfinished(&doc), [""; 0]);
    }
}

#[test]
fn the_same_rows_as_text_are_the_same_slices() {
    let row = |task: &str, tid: i64, pid: i64, micros: i64, rest: &str| {
        format!("{task}-{tid} ({pid:5}) [000] ...1 100.{micros:06}: {rest}\n")
    };
    let call = |id: i64, reply: i64, flags: &str| {
        format!(
            "binder_transaction: transaction={id} dest_node=1 dest_proc=20 dest_thread=0 reply={reply} flags={flags} code=0x3"
        )
    };
    let got = |id: i64| format!("binder_transaction_received: transaction={id}");
    let text = [
        "# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned(),
        row("main", 10, 10, 100, &call(1, 0, "0x10")),
        row("serve", 21, 20, 110, &got(1)),
        row("serve", 21, 20, 180, &call(4, 1, "0x0")),
        row("main", 10, 10, 190, &got(4)),
        row("main", 10, 10, 300, &call(5, 0, "0x11")),
        row("serve", 21, 20, 320, &got(5)),
        row("main", 10, 10, 400, &call(6, 0, "0x10")),
        row("main", 10, 10, 450, "binder_return: cmd=0x7211 BR_FAILED_REPLY"),
    ];
    let (doc, is_ready) = open_one("trace.txt", text.concat().into_bytes());
    assert!(is_ready);
    let expected = [
        "Kernel events / main: 100000450000 binder_return",
        "Process 20 / serve: 100000110000 +70000 binder reply binder",
        "Process 20 / serve: 100000320000 +0 binder async rcv binder",
        "main / main: 100000100000 +90000 binder transaction binder",
        "main / main: 100000300000 +0 binder transaction async binder",
        "main / main: 100000400000 +50000 binder transaction binder",
    ];
    let rows = slices(&doc).into_iter();
    let mut found: Vec<_> = rows.map(|row| row.trim_start_matches("Other / ").to_owned()).collect();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(flows(&doc).len(), 2);
}
