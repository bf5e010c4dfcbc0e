//! The call tree of one thread in one run. It grows row by row; once complete it is cleaned up, and then only read.

use super::Code;
use super::reading::NO_FUNCTION;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::App;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// The root; it is no scope.
pub const ROOT: u32 = 0;

/// Where a node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is the root.
    Root,
    /// A begin mark opened it.
    Mark,
    /// A mark with `[SW]` opened it before its own scope, for the end of the scope that it ended.
    Placeholder,
    /// A copy of a scope with `[SUB]`.
    FromSubtract,
    /// A copy of a scope of initialization.
    FromInitialization,
    /// A copy of a scope whose phase is not that of the application's scope around it.
    ForApplication,
    /// A scope of the application that was put around a copy, its only child.
    Added,
}

/// A scope.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Row of `Marks` that began it; of a copy that of the original. Of no meaning for the root.
    pub row: u32,
    /// When it began, in seconds.
    pub start: f64,
    /// When it ended, in seconds.
    pub end: f64,
    /// Its layer.
    pub layer: Code,
    /// Its phase: after the clean-up that of its parent where it says none (`PU`), [`Code::NONE`] where no parent says one.
    pub phase: Code,
    /// What the application did when it began.
    pub app_phase: App,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether its time is taken from the scopes around it and counted in no bucket.
    pub is_subtract: bool,
    /// Whether it only details the scope around it and is counted in no bucket.
    pub is_detail: bool,
    /// Milliseconds, without the scopes below it that are subtracted.
    pub net: f64,
    pub(super) function: u8,
    /// What it stands in.
    pub parent: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) next: u32,
}

impl Node {
    /// A scope that begins.
    pub fn begun(row: u32, start: f64, (layer, phase): (Code, Code), app_phase: App) -> Self {
        Self {
            row,
            start,
            end: start,
            layer,
            phase,
            app_phase,
            origin: Origin::Mark,
            is_subtract: false,
            is_detail: false,
            net: 0.0,
            function: NO_FUNCTION,
            parent: NONE,
            first: NONE,
            last: NONE,
            next: NONE,
        }
    }

    /// Milliseconds from begin to end.
    pub fn elapsed(&self) -> f64 {
        (self.end - self.start) * 1000.0
    }
}

/// Nodes by number; [`ROOT`] is the first.
pub struct Tree {
    nodes: Arena<Node>,
}

impl Default for Node {
    /// The root.
    fn default() -> Self {
        let none = (Code::NONE, Code::NONE);
        Self { origin: Origin::Root, ..Self::begun(0, 0.0, none, App::Overall) }
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: Arena::of_empty(1) }
    }
}

impl Tree {
    /// A node.
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node]
    }

    pub(super) fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node]
    }

    /// How many nodes were ever made; those that were taken away keep their numbers.
    pub(super) fn len(&self) -> usize {
        self.nodes.rows().len()
    }

    /// The node around a node; that of the root is no node of the tree.
    pub(super) fn parent(&self, node: u32) -> &Node {
        self.node(self.node(node).parent)
    }

    /// Adds a node behind the children of another; its number.
    pub fn add(&mut self, parent: u32, node: Node) -> u32 {
        let number = self.nodes.push(node);
        self.hang(parent, number);
        number
    }

    /// Makes a node the last child of another.
    fn hang(&mut self, parent: u32, child: u32) {
        let last = self.node(parent).last;
        if last == NONE {
            self.node_mut(parent).first = child;
        } else {
            self.node_mut(last).next = child;
        }
        self.node_mut(parent).last = child;
        let node = self.node_mut(child);
        (node.parent, node.next) = (parent, NONE);
    }

    /// Puts a new node in the place of a childless one, which becomes its only child. Constant time: the nodes change
    /// numbers, so that the list around them stays.
    pub(super) fn wrap(&mut self, place: u32, around: Node) {
        let inner = *self.node(place);
        let parts = (inner.parent, inner.next);
        *self.node_mut(place) = Node { parent: parts.0, next: parts.1, first: NONE, last: NONE, ..around };
        let child = self.nodes.push(inner);
        self.hang(place, child);
    }

    /// The children of a node, in their order.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.node(node).first;
        std::iter::from_fn(move || {
            let child = (at != NONE).then_some(at)?;
            at = self.node(child).next;
            Some(child)
        })
    }

    /// Whether a node has children.
    pub fn has_children(&self, node: u32) -> bool {
        self.node(node).first != NONE
    }

    /// All nodes with their depth (the root's is 0), parents before children, children in their order.
    pub fn preorder(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        let mut next = Some((ROOT, 0));
        std::iter::from_fn(move || {
            let found = next?;
            next = self.behind(found);
            Some(found)
        })
    }

    /// What follows in that order.
    fn behind(&self, (node, depth): (u32, usize)) -> Option<(u32, usize)> {
        let (mut at, mut depth) = (node, depth);
        if self.has_children(at) {
            return Some((self.node(at).first, depth + 1));
        }
        while at != ROOT {
            if self.node(at).next != NONE {
                return Some((self.node(at).next, depth));
            }
            (at, depth) = (self.node(at).parent, depth - 1);
        }
        None
    }

    /// Takes nodes away. The children of a node that stays are those that stayed, then, for each node that is gone
    /// between them, its own.
    pub fn lift(&mut self, is_gone: impl Fn(&Node) -> bool) {
        let order: Vec<u32> = self.preorder().map(|(node, _)| node).collect();
        if !order.iter().any(|&node| is_gone(self.node(node))) {
            return;
        }
        let old: Arena<Node> = self.nodes.rows().iter().copied().collect();
        for node in self.nodes.rows_mut() {
            (node.first, node.last, node.next) = (NONE, NONE, NONE);
        }
        for &node in order.iter().skip(1) {
            let parent = old[node].parent;
            if !is_gone(self.node(node)) && !is_gone(self.node(parent)) {
                self.hang(parent, node);
            }
        }
        // In pre-order a node that is gone comes before those below it, so its parent is already known.
        for &node in order.iter().filter(|&&node| is_gone(self.node(node))).collect::<Vec<_>>() {
            let mut heir = old[node].parent;
            if is_gone(self.node(heir)) {
                heir = self.node(heir).parent;
            }
            self.node_mut(node).parent = heir;
            let mut child = old[node].first;
            while child != NONE {
                if !is_gone(self.node(child)) {
                    self.hang(heir, child);
                }
                child = old[child].next;
            }
        }
    }
}
