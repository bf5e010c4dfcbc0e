//! The clean-up of a call tree: what is in the wrong place gets a copy in the right one and is subtracted where it stands.

use super::code::Code;
use super::tree::{Node, Origin, ROOT, Tree};
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// Cleans a complete tree up; afterwards phases, details and net times are known. Linear in nodes, but for scopes with
/// `[SUB]`, which climb to the next scope of their layer.
pub(super) fn clean_up(tree: &mut Tree) {
    tree.lift(|node| node.layer == Code::layer(Layer::Ignored));
    tree.lift(|node| node.origin == Origin::Placeholder);
    settle_phases(tree);
    copy_misplaced(tree);
    add_application(tree);
    measure(tree);
}

/// The numbers of all nodes, parents first.
fn order(tree: &Tree) -> Vec<u32> {
    tree.preorder().map(|(node, _)| node).collect()
}

/// Scopes without a phase of their own take that of the scope around them.
fn settle_phases(tree: &mut Tree) {
    for node in order(tree) {
        if tree.node(node).phase == Code::phase(Phase::Unspecified) {
            tree.node_mut(node).phase = tree.parent(node).phase;
        }
    }
}

/// Whether a phase may stand directly inside another.
pub(super) fn is_phase_below(outer: Code, inner: Code) -> bool {
    match (outer.as_phase(), inner.as_phase()) {
        (Some(outer), Some(inner)) => outer.may_contain(inner),
        _ => false,
    }
}

/// Whether a phase is a part of an execution.
pub(super) fn is_part_of_execution(phase: Code) -> bool {
    phase.as_phase().is_some_and(Phase::is_part_of_execution)
}

/// Whether a node only details its parent, as the tree is now.
fn is_detail(tree: &Tree, number: u32) -> bool {
    let node = tree.node(number);
    if number == ROOT || node.parent == ROOT {
        return false;
    }
    let parent = tree.parent(number);
    let initialization = Code::phase(Phase::Initialization);
    let begins_initialization = node.phase == initialization && parent.phase != initialization;
    let is_part = is_phase_below(parent.phase, node.phase) || begins_initialization;
    node.layer == parent.layer && !is_part && !node.is_subtract
}

/// Whether a call of the application is of another phase than the application's scope around it.
fn is_of_other_phase(tree: &Tree, number: u32) -> bool {
    if number == ROOT {
        return false;
    }
    let (node, parent) = (tree.node(number), tree.parent(number));
    parent.layer == Code::layer(Layer::Application)
        && matches!(node.layer.as_layer(), Some(Layer::Runtime | Layer::Ipc))
        && parent.phase != node.phase
        && parent.phase != Code::phase(Phase::Overall)
        && node.phase != Code::phase(Phase::Execution)
        && !is_part_of_execution(node.phase)
}

/// Copies what is in the wrong place to the right one.
fn copy_misplaced(tree: &mut Tree) {
    let initialization = Code::phase(Phase::Initialization);
    let mut misplaced = Vec::new();
    for number in order(tree).into_iter().skip(1) {
        let node = tree.node(number);
        if node.is_subtract {
            misplaced.push((number, Origin::FromSubtract));
        } else if node.phase == initialization && tree.parent(number).phase != initialization {
            misplaced.push((number, Origin::FromInitialization));
        } else if is_of_other_phase(tree, number) {
            misplaced.push((number, Origin::ForApplication));
        }
    }
    for (number, origin) in misplaced {
        let node = *tree.node(number);
        let mut place = match origin {
            Origin::FromInitialization => ROOT,
            Origin::ForApplication => tree.parent(number).parent,
            _ => node.parent,
        };
        if origin == Origin::FromSubtract {
            while place != ROOT && (tree.node(place).layer != node.layer || is_detail(tree, place)) {
                place = tree.node(place).parent;
            }
        }
        if place != ROOT {
            place = tree.node(place).parent;
        }
        let copy = Node::begun(node.row, node.start, (node.layer, node.phase), node.app_phase);
        tree.add(place, Node { end: node.end, origin, ..copy });
        tree.node_mut(number).is_subtract = true;
    }
}

/// Puts a scope of the application around copies that still stand below one of another phase. Only copies can: all
/// originals of that kind are subtracted by now.
fn add_application(tree: &mut Tree) {
    let bare: Vec<u32> = order(tree)
        .into_iter()
        .filter(|&n| is_of_other_phase(tree, n) && !is_detail(tree, n) && !tree.node(n).is_subtract)
        .collect();
    for number in bare {
        let node = *tree.node(number);
        let scope = (Code::layer(Layer::Application), node.phase);
        let end = node.start + node.elapsed() / 1000.0;
        let around = Node::begun(node.row, node.start, scope, node.app_phase);
        tree.wrap(number, Node { end, origin: Origin::Added, ..around });
    }
}

/// Details and net times: what a node takes from its parent is, children first, all that its own children take for a
/// detail, its whole length for a subtracted node, and otherwise nothing.
fn measure(tree: &mut Tree) {
    let order = order(tree);
    let mut taken = vec![0.0; tree.len()];
    for &number in order.iter().rev().filter(|n| **n != ROOT) {
        let elapsed = tree.node(number).elapsed();
        let is_detail = is_detail(tree, number);
        let (mut net, mut of_children) = (elapsed, 0.0);
        for child in tree.children(number) {
            net -= taken[child as usize];
            of_children += taken[child as usize];
        }
        let node = tree.node_mut(number);
        (node.net, node.is_detail) = (net, is_detail);
        taken[number as usize] = match (is_detail, node.is_subtract) {
            (true, _) => of_children,
            (_, true) => elapsed,
            _ => 0.0,
        };
    }
}
