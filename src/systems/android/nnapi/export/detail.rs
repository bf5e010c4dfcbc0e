//! What the switch print-detail adds to a run: the sums of every thread with their scopes, then every tree.

use super::python::repr;
use super::{Labels, Outcome, Run};
use crate::systems::android::nnapi::aosp::{ROOT, ThreadRun, bucket_name, indent};
use std::io::{Result, Write};

/// Writes it for all threads, those without rows in this run too.
pub(super) fn write(outcome: &Outcome, run: &Run, words: &Labels, out: &mut dyn Write) -> Result<()> {
    for (at, found) in threads(outcome, run) {
        let thread = &outcome.threads[at];
        let side = if thread.is_driver { "Driver" } else { "App" };
        writeln!(out, "{} {side}", words.strings.get(thread.id))?;
        if let Some(thread) = found {
            buckets(thread, words, out)?;
        }
    }
    for (_, found) in threads(outcome, run) {
        match found {
            Some(thread) => tree(thread, words, out)?,
            None => out.write_all(b" ROOT \n")?,
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Every thread that is followed, with what it did in the run.
fn threads<'a>(
    outcome: &Outcome,
    run: &'a Run,
) -> impl Iterator<Item = (usize, Option<&'a ThreadRun>)> + use<'a> {
    let mut present = run.threads.iter().peekable();
    (0..outcome.threads.len()).map(move |at| (at, present.next_if(|thread| thread.thread as usize == at)))
}

fn buckets(thread: &ThreadRun, words: &Labels, out: &mut dyn Write) -> Result<()> {
    for bucket in &thread.buckets {
        let name = bucket_name(bucket, words.codes);
        writeln!(out, "{name} {}", repr(bucket.sum))?;
        for &node in &bucket.nodes {
            let net = repr(thread.tree.node(node).net);
            writeln!(out, "   {} {net} {net} {name}", words.mark(&thread.tree, node))?;
        }
    }
    Ok(())
}

fn tree(thread: &ThreadRun, words: &Labels, out: &mut dyn Write) -> Result<()> {
    let tree = &thread.tree;
    for (number, depth) in tree.preorder() {
        let blanks = indent(depth, 4);
        if number == ROOT {
            writeln!(out, " ROOT ")?;
        } else {
            let node = tree.node(number);
            let (mark, net) = (words.mark(tree, number), repr(node.net));
            let flag = if node.is_subtract { "True" } else { "False" };
            writeln!(out, "{blanks} {} {mark} {net} subtract:  {flag} ", node.app_phase.code())?;
        }
        if tree.has_children(number) {
            writeln!(out, "{blanks}   children:")?;
        }
    }
    Ok(())
}
