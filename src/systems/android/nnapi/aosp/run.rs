//! One run: its threads with trees and sums, and the times of all of them together.

use super::reading::{CREATE, FUNCTIONS, N_SYNCHRONOUS, NOTIFY, SERVER, START, WAIT, refusal, rewritten};
use super::times::{PHASES, Times, of, of_mut, or_missing, or_zero, self_times, set_total};
use super::tree::{Node, Origin, ROOT, Tree};
use super::{Code, Codes, Timed, Tracker};
use crate::base::map::Map;
use crate::base::order::sort_floats;
use crate::model::strings::Strings;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{App, ByApp, Layer, Marks, Phase, Refusal};

/// One run: from one mark of the whole application to the next.
pub struct Run {
    /// Row of `Marks` with the mark that began it; `None` when there is no such mark. Rows before the first belong to it.
    pub starting_mark: Option<u32>,
    /// Its threads, those with rows in it, in the order of the sums.
    pub threads: Vec<ThreadRun>,
    /// Its numbers; `None` when a scope was still open at its end: then nothing is printed of it.
    pub statistics: Option<Statistics>,
}

/// A thread in a run.
pub struct ThreadRun {
    /// Row of `Outcome::threads`.
    pub thread: u32,
    /// Its scopes, cleaned up; as they were read in an incomplete run.
    pub tree: Tree,
    /// What its scopes count for, in the order in which they appear; empty in an incomplete run.
    pub buckets: Vec<Bucket>,
    timed: ByApp<[Vec<Timed>; FUNCTIONS.len()]>,
    n_own: ByApp<u32>,
}

/// The numbers of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Executions by application phase: overall, warmup, benchmark.
    pub n_executions: ByApp<u32>,
    /// Totals in milliseconds.
    pub times: Times,
    /// The same, each layer without those below it.
    pub self_times: Times,
}

impl Statistics {
    /// Whether both loops have executions; otherwise what is inside of loops is lost.
    pub fn has_loops(&self) -> bool {
        self.times.loops.is_some()
    }
}

impl ThreadRun {
    pub(super) fn new(thread: u32, tracker: Tracker) -> Self {
        let Tracker { tree, timed, n_own, .. } = tracker;
        Self { thread, tree, buckets: Vec::new(), timed, n_own }
    }

    fn timed(&self, app_phase: App, function: usize) -> &[Timed] {
        self.timed[app_phase].get(function).map_or(&[], Vec::as_slice)
    }

    /// Milliseconds of a bucket; 0 when there is none.
    fn sum(&self, app_phase: App, layer: Layer, phase: Phase) -> f64 {
        let found = self.bucket(app_phase, Code::layer(layer), Code::phase(phase));
        found.map_or(0.0, |bucket| bucket.sum)
    }

    fn bucket(&self, app_phase: App, layer: Code, phase: Code) -> Option<&Bucket> {
        self.buckets.iter().find(|b| b.app_phase == app_phase && b.layer == layer && b.phase == phase)
    }

    /// Milliseconds that the runtime executed: from each start to the wait for it, and the calls around.
    fn runtime(&self, app_phase: App) -> Result<f64, Refusal> {
        let (starts, waits) = (self.timed(app_phase, START), self.timed(app_phase, WAIT));
        if waits.len() < starts.len() {
            return Err(refusal("IndexError", "list index out of range"));
        }
        let mut sum = 0.0;
        for (start, wait) in starts.iter().zip(waits) {
            sum += wait.end - start.start;
        }
        for call in (0..N_SYNCHRONOUS).flat_map(|function| self.timed(app_phase, function)) {
            sum += call.end - call.start;
        }
        Ok(sum)
    }

    fn n_executions(&self, app_phase: App) -> u32 {
        match self.timed(app_phase, CREATE).len() {
            0 => self.n_own[app_phase],
            n => n as u32,
        }
    }
}

/// How the times of a run are put together.
pub(super) struct Setting {
    /// Whether executions of the runtime are taken from start and wait; otherwise from the buckets as everything else.
    pub(super) has_runtime_by_calls: bool,
}

impl Run {
    /// Cleans the trees up and computes the numbers. Linear in scopes.
    ///
    /// # Errors
    /// Why the parser ends instead.
    pub(super) fn compute(&mut self, words: &Labels, setting: &Setting) -> Result<(), Refusal> {
        for thread in &mut self.threads {
            clean_up(&mut thread.tree);
            check(&thread.tree, words)?;
            thread.buckets = count(&thread.tree)?;
        }
        let largest = |app_phase| self.threads.iter().map(|t| t.n_executions(app_phase)).max().unwrap_or(0);
        let n_executions = ByApp(App::ALL.map(largest));
        let [has_warmup, has_benchmark] = [App::Warmup, App::Benchmark].map(|app| 0 < n_executions[app]);
        let times = self.times(has_warmup && has_benchmark, setting)?;
        if has_warmup != has_benchmark {
            return Err(refusal("KeyError", "'PWU'"));
        }
        let self_times = self_times(&times);
        self.statistics = Some(Statistics { n_executions, times, self_times });
        Ok(())
    }

    fn times(&self, has_loops: bool, setting: &Setting) -> Result<Times, Refusal> {
        let mut times = Times::new(has_loops);
        let app_phases = if has_loops { &App::ALL[..] } else { &App::ALL[..1] };
        for layer in Layer::REPORTED {
            for phase in PHASES {
                let mut sum = 0.0;
                for &app_phase in app_phases {
                    let part = self.part(app_phase, layer, phase, setting)?;
                    if let Some(time) = times.line_of_mut(app_phase, phase).and_then(|l| of_mut(l, layer)) {
                        *time = or_missing(part, layer, phase);
                    }
                    sum += part;
                }
                if let Some(time) = times.line_mut(phase).and_then(|line| of_mut(line, layer)) {
                    *time = or_missing(sum, layer, phase);
                }
            }
            let [overall, initialization, preparation, compilation, execution, .., termination] =
                &mut times.flat;
            if let Some(overall) = of_mut(overall, layer).filter(|time| **time == 0.0) {
                let parts = [initialization, preparation, compilation, execution, termination];
                *overall =
                    parts.into_iter().fold(0.0, |sum, line| sum + of(line, layer).map_or(0.0, or_zero));
            }
        }
        times.flat.iter_mut().chain(times.loops.iter_mut().flatten().flatten()).for_each(set_total);
        Ok(times)
    }

    /// Milliseconds of a layer and a phase while the application was in one of its phases, over all threads.
    fn part(&self, app_phase: App, layer: Layer, phase: Phase, setting: &Setting) -> Result<f64, Refusal> {
        if (layer, phase) == (Layer::Driver, Phase::Execution) {
            return self.driver(app_phase);
        }
        let is_by_calls =
            setting.has_runtime_by_calls && (layer, phase) == (Layer::Runtime, Phase::Execution);
        let mut sum = 0.0;
        for thread in &self.threads {
            sum += if is_by_calls { thread.runtime(app_phase)? } else { thread.sum(app_phase, layer, phase) };
        }
        Ok(sum)
    }

    /// Milliseconds from each call that the driver was given to execute to the call that says it is done; the two may lie
    /// on different threads.
    fn driver(&self, app_phase: App) -> Result<f64, Refusal> {
        let starts = |function: usize| {
            let of_threads = self.threads.iter().flat_map(|t| t.timed(app_phase, function));
            let mut starts: Vec<f64> = of_threads.map(|timed| timed.start).collect();
            sort_floats(&mut starts);
            starts
        };
        let (begins, ends) = (starts(SERVER), starts(NOTIFY));
        if begins.len() != ends.len() {
            return Err(refusal("AssertionError", ""));
        }
        let mut sum = 0.0;
        for (begin, end) in begins.iter().zip(&ends) {
            sum += end - begin;
        }
        Ok(sum)
    }

    /// The rows of `Marks` whose scopes make a number up, in the order of the sum: those of one layer and phase, while the
    /// application was in one of its phases. The runtime's executions are made of calls, the driver's of what it serves
    /// and says. Application phases that no number takes in (see [`Statistics::has_loops`]) may be asked for too.
    pub fn rows(&self, app_phase: App, layer: Layer, phase: Phase) -> Vec<u32> {
        let of_calls = |functions: &[usize]| -> Vec<u32> {
            let calls = self.threads.iter().flat_map(|thread| {
                functions.iter().flat_map(move |function| thread.timed(app_phase, *function))
            });
            calls.map(|timed| timed.row).collect()
        };
        match (layer, phase) {
            (Layer::Runtime, Phase::Execution) => of_calls(&[START, WAIT, 0, 1, 2, 3, 4, 5, 6, 7]),
            (Layer::Driver, Phase::Execution) => of_calls(&[SERVER, NOTIFY]),
            _ => {
                let (layer, phase) = (Code::layer(layer), Code::phase(phase));
                let found = self.threads.iter().filter_map(|t| Some((t, t.bucket(app_phase, layer, phase)?)));
                found.flat_map(|(t, bucket)| bucket.nodes.iter().map(|n| t.tree.node(*n).row)).collect()
            }
        }
    }
}

/// The name of a bucket, such as `PO_LR_PE`.
pub fn bucket_name(bucket: &Bucket, codes: &Codes) -> String {
    format!("{}_{}_{}", bucket.app_phase.code(), codes.name(bucket.layer), codes.name(bucket.phase))
}

// What a cleaned up tree counts for: sums by application phase, layer and phase.

/// A sum and what it is made of.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// What the application did.
    pub app_phase: App,
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
fn count(tree: &Tree) -> Result<Vec<Bucket>, Refusal> {
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut places: Map<(App, Code, Code), usize> = Map::default();
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
                if let Some(bucket) = buckets.get_mut(place) {
                    bucket.sum += node.net;
                    bucket.nodes.push(number);
                }
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

// Whether layers call each other and phases contain each other as the contract has it; and which text a node prints.

/// Bytes of the longest list of scopes that a refusal holds, about.
const LONGEST: usize = 1 << 18;
/// Deeper levels are numbered, not indented: the parser itself gives up before.
const DEEPEST: usize = 1000;

/// The words that nodes print.
pub struct Labels<'a> {
    pub marks: &'a Marks,
    pub strings: &'a Strings,
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
fn check(tree: &Tree, words: &Labels) -> Result<(), Refusal> {
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

// The clean-up of a call tree: what is in the wrong place gets a copy in the right one and is subtracted where it stands.

/// Cleans a complete tree up; afterwards phases, details and net times are known. Linear in nodes, but for scopes with
/// `[SUB]`, which climb to the next scope of their layer.
fn clean_up(tree: &mut Tree) {
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
fn is_phase_below(outer: Code, inner: Code) -> bool {
    match (outer.as_phase(), inner.as_phase()) {
        (Some(outer), Some(inner)) => outer.may_contain(inner),
        _ => false,
    }
}

/// Whether a phase is a part of an execution.
fn is_part_of_execution(phase: Code) -> bool {
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
    let mut taken: Arena<f64> = Arena::of_empty(tree.len());
    for &number in order.iter().rev().filter(|n| **n != ROOT) {
        let elapsed = tree.node(number).elapsed();
        let is_detail = is_detail(tree, number);
        let (mut net, mut of_children) = (elapsed, 0.0);
        for child in tree.children(number) {
            net -= taken[child];
            of_children += taken[child];
        }
        let node = tree.node_mut(number);
        (node.net, node.is_detail) = (net, is_detail);
        taken[number] = match (is_detail, node.is_subtract) {
            (true, _) => of_children,
            (_, true) => elapsed,
            _ => 0.0,
        };
    }
}
