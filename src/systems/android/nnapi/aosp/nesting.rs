//! Whether layers call each other and phases contain each other as the contract has it; and which text a node prints.

use super::cleanup::{is_part_of_execution, is_phase_below};
use super::code::{Code, Codes};
use super::reading::{refusal, rewritten};
use super::tree::{Origin, ROOT, Tree};
use crate::model::strings::Strings;
use crate::systems::android::nnapi::mark::{Layer, Marks, Phase, Refusal};

/// Bytes of the longest list of scopes that a refusal holds, about.
const LONGEST: usize = 1 << 18;
/// Deeper levels are numbered, not indented: the parser itself gives up before.
const DEEPEST: usize = 1000;

/// The words that nodes print.
pub struct Labels<'a> {
    /// The rows.
    pub marks: &'a Marks,
    /// Their texts.
    pub strings: &'a Strings,
    /// Layers and phases.
    pub codes: &'a Codes,
}

impl Labels<'_> {
    /// The mark of a node, with what the clean-up adds to it.
    pub fn mark(&self, tree: &Tree, node: u32) -> String {
        let of = tree.node(node);
        if of.origin == Origin::Root {
            return "None".to_owned();
        }
        if of.origin == Origin::Added {
            let child = tree.children(node).next().unwrap_or(ROOT);
            let (layer, phase) = (self.codes.name(of.layer), self.codes.name(of.phase));
            return format!("{} ( added intermediate {layer} {phase} )", self.mark(tree, child));
        }
        let text = self.marks.text.get(of.row as usize).map_or("", |id| self.strings.get(*id));
        let mut mark = rewritten(text).into_owned();
        match of.origin {
            Origin::FromSubtract => mark += "(copied from [SUB])",
            Origin::FromInitialization => mark += "(copied from phase PI)",
            Origin::ForApplication => mark += &format!("(copied for LA_{})", self.codes.name(of.phase)),
            _ => {}
        }
        mark
    }
}

/// Blanks in front of a level, `width` for each; the number of the level where it is too deep.
pub fn indent(depth: usize, width: usize) -> String {
    if depth <= DEEPEST { " ".repeat(depth * width) } else { format!("[{depth}]") }
}

/// Checks a cleaned up tree.
///
/// # Errors
/// The list of all scopes up to the first that is wrong.
pub(super) fn check(tree: &Tree, words: &Labels) -> Result<(), Refusal> {
    let wrong = tree.preorder().position(|(node, _)| node != ROOT && !fits(tree, node));
    let Some(wrong) = wrong else { return Ok(()) };
    let mut text = String::new();
    for (number, depth) in tree.preorder().take(wrong + 1) {
        if LONGEST < text.len() {
            text += " …";
            break;
        }
        let node = tree.node(number);
        let outer = if number == ROOT { node } else { tree.parent(number) };
        let names = [node.layer, node.phase, outer.phase, outer.layer].map(|code| words.codes.name(code));
        let flag = match (number, node.is_subtract) {
            (ROOT, _) => "None",
            (_, true) => "True",
            (_, false) => "False",
        };
        let mark = words.mark(tree, number);
        text += &format!("{} {mark} {} subtract {flag} \n", indent(depth, 2), names.join(" "));
    }
    Err(refusal("AssertionError", text.trim_end_matches('\n')))
}

fn fits(tree: &Tree, number: u32) -> bool {
    let (node, parent) = (tree.node(number), tree.parent(number));
    if node.is_subtract {
        return true;
    }
    let is_phase_good = parent.phase == Code::NONE
        || parent.phase == node.phase
        || node.phase == Code::phase(Phase::Initialization)
        || is_phase_below(parent.phase, node.phase)
        || (is_part_of_execution(node.phase) && is_phase_below(parent.phase, Code::phase(Phase::Execution)));
    let may_call = || match (parent.layer.as_layer(), node.layer.as_layer()) {
        (Some(outer), Some(inner)) => outer.may_call(inner),
        _ => false,
    };
    let is_layer_good = parent.layer == Code::NONE
        || node.layer == Code::layer(Layer::Utility)
        || parent.layer == node.layer
        || may_call();
    is_phase_good && is_layer_good
}
