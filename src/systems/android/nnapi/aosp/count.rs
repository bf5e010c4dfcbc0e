//! What a cleaned up tree counts for: sums by application phase, layer and phase.

use super::cleanup::is_part_of_execution;
use super::code::{AppPhase, Code};
use super::reading::refusal;
use super::tree::Tree;
use crate::base::map::Map;
use crate::systems::android::nnapi::mark::{Phase, Refusal};

/// A sum and what it is made of.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// What the application did.
    pub app_phase: AppPhase,
    /// The layer.
    pub layer: Code,
    /// The phase.
    pub phase: Code,
    /// Milliseconds: the net times of the nodes, added in their order.
    pub sum: f64,
    /// Numbers of the nodes in the tree.
    pub nodes: Vec<u32>,
}

/// The buckets of a tree, in the order in which they appear. Linear.
///
/// # Errors
/// A scope is counted that has no phase.
pub(super) fn count(tree: &Tree) -> Result<Vec<Bucket>, Refusal> {
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut places: Map<(AppPhase, Code, Code), usize> = Map::default();
    // Layers whose executions are open, from the outside in, with their depths.
    let mut open: Vec<(usize, Code)> = Vec::new();
    let mut n_open: Map<Code, usize> = Map::default();
    let execution = Code::phase(Phase::Execution);
    for (number, depth) in tree.preorder().skip(1) {
        while let Some(&(_, layer)) = open.last().filter(|(outer, _)| depth <= *outer) {
            open.pop();
            n_open.entry(layer).and_modify(|n| *n -= 1);
        }
        let node = tree.node(number);
        if !node.is_detail && !node.is_subtract {
            if node.phase == Code::NONE {
                let text = "can only concatenate str (not \"NoneType\") to str";
                return Err(refusal("TypeError", text));
            }
            let mut add = |phase: Code| {
                let place = *places.entry((node.app_phase, node.layer, phase)).or_insert(buckets.len());
                if place == buckets.len() {
                    let (app_phase, layer) = (node.app_phase, node.layer);
                    buckets.push(Bucket { app_phase, layer, phase, sum: 0.0, nodes: Vec::new() });
                }
                buckets[place].sum += node.net;
                buckets[place].nodes.push(number);
            };
            add(node.phase);
            let is_inside = n_open.get(&node.layer).is_some_and(|n| 0 < *n);
            if is_part_of_execution(node.phase) && !is_inside {
                add(execution);
            }
        }
        if node.phase == execution {
            open.push((depth, node.layer));
            *n_open.entry(node.layer).or_default() += 1;
        }
    }
    Ok(buckets)
}
