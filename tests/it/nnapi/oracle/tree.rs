//! One thread: marks to a tree, its clean-up, its sums. Sections 3 and 4.

use super::Raise;
use super::print::repr;
use std::collections::BTreeMap;

const LOST: &str = "Exception: Unable to process a trace termination mark, please check that the collected trace are \
                    including full application lifecycles.\n";

#[derive(Clone, Default)]
struct Node {
    start: f64,
    end: f64,
    /// Nothing for the root and for placeholders.
    mark: Option<String>,
    layer: String,
    phase: String,
    app: String,
    is_subtract: bool,
    parent: usize,
    children: Vec<usize>,
}

pub(super) struct Thread {
    is_driver: bool,
    nodes: Vec<Node>,
    open: Vec<usize>,
    /// Application phase and function to begins and ends in ms.
    pub(super) spans: BTreeMap<(String, String), Vec<(f64, f64)>>,
    pub(super) own: BTreeMap<String, usize>,
    /// Name, sum, items.
    sums: Vec<(String, f64, Vec<String>)>,
}

fn below(phase: &str) -> &'static [&'static str] {
    match phase {
        "PE" => &["PIO", "PTR", "PCO", "PR"],
        "PO" => &["PWU", "PBM", "PI", "PP", "PC", "PE", "PT"],
        "PWU" | "PBM" => &["PE"],
        _ => &[],
    }
}

fn callees(layer: &str) -> &'static [&'static str] {
    match layer {
        "LA" => &["LR"],
        "LR" => &["LI", "LC"],
        "LI" => &["LD"],
        _ => &[],
    }
}

/// Tries each `[` from the right.
fn tag(mark: &str) -> Option<String> {
    let c: Vec<char> = mark.chars().collect();
    let is_digit = |i: usize| c.get(i).is_some_and(char::is_ascii_digit);
    let from = (0..c.len()).find_map(|i| {
        let mut j = i + 2;
        while is_digit(j) {
            j += 1;
        }
        (c[i] == 'B' && c.get(i + 1) == Some(&'|') && i + 2 < j && c.get(j) == Some(&'|')).then_some(j + 1)
    })?;
    (from..c.len()).rev().filter(|&i| c[i] == '[').find_map(|i| {
        let inner: String = c[i + 1..].iter().take_while(|x| **x != ']').collect();
        let after = i + 1 + inner.chars().count() + 1;
        let follows = c.get(after).is_some_and(|x| *x != ']');
        (!inner.is_empty() && follows).then_some(inner)
    })
}

fn translated(mark: &str) -> Raise<String> {
    let has = |text: &str| mark.contains(text);
    let layer = if has("::client") {
        if has("notify") { "LX" } else { "LI" }
    } else if has("::server") {
        if has("notify") { "LX" } else { "LD" }
    } else if has("::passthrough") {
        "LI"
    } else if has("getCapabilities") || has("getSupportedOperations") {
        "LD"
    } else if !has("HIDL") {
        "LX"
    } else {
        return Err(format!("AssertionError: {mark}"));
    };
    let phase = if has("IAllocator") {
        "PU"
    } else if has("getCapabilities") {
        "PI"
    } else if has("prepareModel") || has("getSupportedOperations") || has("IPreparedModelCallback") {
        "PC"
    } else if has("execute") || has("IExecutionCallback") {
        "PE"
    } else {
        "PI"
    };
    Ok(format!("NN_{layer}_{phase}"))
}

fn function(mark: &str) -> Raise<String> {
    let name = mark.split('|').nth(2).ok_or(LOST)?;
    if !name.contains("[NN_") {
        return Ok(name.to_owned());
    }
    let name = name.replace("[SUB]", "").replace("[SW]", "");
    Ok(name.split(']').nth(1).ok_or(LOST)?.replace(['[', ']'], ""))
}

impl Thread {
    pub(super) fn new(is_driver: bool) -> Self {
        let (spans, own, sums) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self { is_driver, nodes: vec![Node::default()], open: vec![0], spans, own, sums }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.open.len() == 1
    }

    fn push(&mut self, node: Node) {
        let parent = *self.open.last().unwrap();
        let number = self.add(parent, node);
        self.open.push(number);
    }

    fn add(&mut self, parent: usize, node: Node) -> usize {
        self.nodes.push(Node { parent, children: Vec::new(), ..node });
        let number = self.nodes.len() - 1;
        self.nodes[parent].children.push(number);
        number
    }

    pub(super) fn handle(&mut self, time: &str, mark: &str, loops: &mut Vec<String>) -> Raise<()> {
        let start: f64 = time.parse().unwrap();
        if mark.starts_with('E') {
            if self.is_complete() {
                return Err(LOST.to_owned());
            }
            let number = self.open.pop().unwrap();
            self.nodes[number].end = start;
            let node = &self.nodes[number];
            if let Some(mark) = &node.mark {
                let key = (node.app.clone(), function(mark)?);
                self.spans.entry(key).or_default().push((node.start * 1000.0, node.end * 1000.0));
            }
            return Ok(());
        }
        let mut mark = mark.to_owned();
        if mark.contains("ANeuralNetworksEvent_free") || mark.contains("ANeuralNetworksExecution_free") {
            mark = mark.replace("_PT", "_PE");
        }
        if mark.contains("getSupportedExtensions") {
            mark = mark.replace("_PC", "_PI");
        } else if mark.contains("[SW][NN_LA_PR]executeWithCompilation") {
            mark = mark.replace("[SW]", "");
        }
        if mark.contains("[SW]") {
            self.handle(time, "E", loops)?;
            self.push(Node { start, ..Node::default() });
        }
        let tag = tag(&mark).map_or_else(|| translated(&mark), Ok)?;
        let parts: Vec<&str> = tag.split('_').collect();
        let &[_, layer, phase] = &parts[..] else {
            return Err(match parts.len() {
                n if 3 < n => "ValueError: too many values to unpack (expected 3)".to_owned(),
                n => format!("ValueError: not enough values to unpack (expected 3, got {n})"),
            });
        };
        if layer == "LA" && (phase == "PWU" || phase == "PBM") {
            loops.push(phase.to_owned());
        }
        let layer = if self.is_driver { layer.replace("LC", "LD") } else { layer.replace("LD", "LC") };
        let app = loops.last().map_or("PO", String::as_str).to_owned();
        if layer == "LA" && phase == "PE" {
            *self.own.entry(app.clone()).or_default() += 1;
        }
        let is_subtract = mark.contains("[SUB]");
        let phase = phase.to_owned();
        self.push(Node { start, mark: Some(mark), layer, phase, app, is_subtract, ..Node::default() });
        Ok(())
    }

    fn phase(&self, n: usize) -> &str {
        if self.nodes[n].phase == "PU" { self.phase(self.nodes[n].parent) } else { &self.nodes[n].phase }
    }

    fn is_detail(&self, n: usize) -> bool {
        let (node, parent) = (&self.nodes[n], self.nodes[n].parent);
        n != 0
            && parent != 0
            && node.layer == self.nodes[parent].layer
            && !below(self.phase(parent)).contains(&self.phase(n))
            && !(self.phase(n) == "PI" && self.phase(parent) != "PI")
            && !node.is_subtract
    }

    fn elapsed(&self, n: usize) -> f64 {
        (self.nodes[n].end - self.nodes[n].start) * 1000.0
    }

    fn taken(&self, n: usize) -> f64 {
        let mut taken = 0.0;
        if self.is_detail(n) {
            self.nodes[n].children.iter().for_each(|c| taken += self.taken(*c));
        } else if self.nodes[n].is_subtract {
            taken = self.elapsed(n);
        }
        taken
    }

    fn net(&self, n: usize) -> f64 {
        self.nodes[n].children.iter().fold(self.elapsed(n), |net, c| net - self.taken(*c))
    }

    /// All below and including a node, parents first.
    fn all(&self, n: usize) -> Vec<usize> {
        let below = self.nodes[n].children.iter().flat_map(|c| self.all(*c));
        std::iter::once(n).chain(below).collect()
    }

    fn remove(&mut self, is_gone: impl Fn(&Node) -> bool) {
        for n in self.all(0).into_iter().skip(1).filter(|n| is_gone(&self.nodes[*n])).collect::<Vec<_>>() {
            let (parent, children) = (self.nodes[n].parent, self.nodes[n].children.clone());
            self.nodes[parent].children.retain(|c| *c != n);
            children.iter().for_each(|c| self.nodes[*c].parent = parent);
            self.nodes[parent].children.extend(children);
        }
    }

    /// Condition (c) of step 2.
    fn is_strange(&self, n: usize) -> bool {
        let parent = self.nodes[n].parent;
        n != 0
            && self.nodes[parent].layer == "LA"
            && ["LR", "LI"].contains(&self.nodes[n].layer.as_str())
            && !["PO", self.phase(n)].contains(&self.phase(parent))
            && self.phase(n) != "PE"
            && !below("PE").contains(&self.phase(n))
    }

    fn clean_up(&mut self) {
        self.remove(|node| node.layer == "LX");
        self.remove(|node| node.mark.is_none());
        let is_init = |t: &Self, n: usize| t.phase(n) == "PI" && t.phase(t.nodes[n].parent) != "PI";
        let chosen = |n: &usize| self.nodes[*n].is_subtract || is_init(self, *n) || self.is_strange(*n);
        for n in self.all(0).into_iter().skip(1).filter(chosen).collect::<Vec<_>>() {
            let mut q = self.nodes[n].parent;
            let phase = self.phase(n).to_owned();
            let why = if self.nodes[n].is_subtract {
                while q != 0 && (self.nodes[q].layer != self.nodes[n].layer || self.is_detail(q)) {
                    q = self.nodes[q].parent;
                }
                "from [SUB]".to_owned()
            } else if phase == "PI" {
                q = 0;
                "from phase PI".to_owned()
            } else {
                q = self.nodes[q].parent;
                format!("for LA_{phase}")
            };
            if q != 0 {
                q = self.nodes[q].parent;
            }
            let mark = self.nodes[n].mark.as_ref().map(|mark| format!("{mark}(copied {why})"));
            let copy = Node { mark, phase, is_subtract: false, ..self.nodes[n].clone() };
            self.add(q, copy);
            self.nodes[n].is_subtract = true;
        }
        let bare = |n: &usize| self.is_strange(*n) && !self.is_detail(*n) && !self.nodes[*n].is_subtract;
        for n in self.all(0).into_iter().filter(bare).collect::<Vec<_>>() {
            let (parent, phase) = (self.nodes[n].parent, self.phase(n).to_owned());
            let mark = format!("{} ( added intermediate LA {phase} )", self.nodes[n].mark.as_ref().unwrap());
            let end = self.nodes[n].start + self.net(n) / 1000.0;
            let layer = "LA".to_owned();
            let around =
                Node { mark: Some(mark), layer, phase, end, children: vec![n], ..self.nodes[n].clone() };
            self.nodes.push(around);
            let number = self.nodes.len() - 1;
            self.nodes[n].parent = number;
            let siblings = &mut self.nodes[parent].children;
            let place = siblings.iter().position(|c| *c == n).unwrap();
            siblings[place] = number;
        }
    }

    fn check(&self, n: usize, depth: usize, seen: &mut String) -> Raise<()> {
        let (node, parent) = (&self.nodes[n], self.nodes[n].parent);
        let outer = (self.phase(parent), self.nodes[parent].layer.as_str());
        let none = |text: &str| if text.is_empty() { "None".to_owned() } else { text.to_owned() };
        let (mark, phase) = (node.mark.clone().unwrap_or_default(), self.phase(n));
        let flag = match (n, node.is_subtract) {
            (0, _) => "None",
            (_, true) => "True",
            _ => "False",
        };
        let words = [&mark, &node.layer, phase, outer.0, outer.1].map(none).join(" ");
        *seen += &format!("{} {words} subtract {flag} \n", "  ".repeat(depth));
        let is_good = node.is_subtract
            || n == 0
            || ((outer.0.is_empty()
                || outer.0 == phase
                || phase == "PI"
                || below(outer.0).contains(&phase)
                || (below("PE").contains(&phase) && below(outer.0).contains(&"PE")))
                && (outer.1.is_empty()
                    || node.layer == "LU"
                    || node.layer == outer.1
                    || callees(outer.1).contains(&node.layer.as_str())));
        if !is_good {
            return Err(format!("AssertionError: {seen}"));
        }
        node.children.iter().try_for_each(|c| self.check(*c, depth + 1, seen))
    }

    pub(super) fn count(&mut self) -> Raise<()> {
        self.clean_up();
        self.check(0, 0, &mut String::new())?;
        for top in self.nodes[0].children.clone() {
            self.count_below(top, &mut Vec::new())?;
        }
        Ok(())
    }

    fn count_below(&mut self, n: usize, open: &mut Vec<String>) -> Raise<()> {
        let (node, phase, net) = (self.nodes[n].clone(), self.phase(n).to_owned(), self.net(n));
        if !self.is_detail(n) && !node.is_subtract {
            if phase.is_empty() {
                return Err("TypeError: can only concatenate str (not \"NoneType\") to str".to_owned());
            }
            let mut names = vec![format!("{}_{}_{phase}", node.app, node.layer)];
            if below("PE").contains(&phase.as_str()) && !open.contains(&node.layer) {
                names.push(format!("{}_{}_PE", node.app, node.layer));
            }
            for name in names {
                let item = format!("   {} {} {} {name}\n", node.mark.as_ref().unwrap(), repr(net), repr(net));
                match self.sums.iter_mut().find(|sum| sum.0 == name) {
                    Some(sum) => {
                        sum.1 += net;
                        sum.2.push(item);
                    }
                    None => self.sums.push((name, 0.0 + net, vec![item])),
                }
            }
        }
        if phase == "PE" {
            open.push(node.layer.clone());
        }
        node.children.iter().try_for_each(|c| self.count_below(*c, open))?;
        if phase == "PE" {
            open.pop();
        }
        Ok(())
    }

    pub(super) fn sum(&self, name: &str) -> f64 {
        self.sums.iter().find(|sum| sum.0 == name).map_or(0.0, |sum| sum.1)
    }

    pub(super) fn sums(&self, pid: &str) -> String {
        let of = |sum: &(String, f64, Vec<String>)| format!("{} {}\n{}", sum.0, repr(sum.1), sum.2.concat());
        let side = if self.is_driver { "Driver" } else { "App" };
        format!("{pid} {side}\n{}", self.sums.iter().map(of).collect::<String>())
    }

    pub(super) fn drawn(&self) -> String {
        self.drawn_below(0, "")
    }

    fn drawn_below(&self, n: usize, indent: &str) -> String {
        let node = &self.nodes[n];
        let flag = if node.is_subtract { "True" } else { "False" };
        let mut out = match &node.mark {
            None => format!("{indent} ROOT \n"),
            Some(mark) => {
                format!("{indent} {} {mark} {} subtract:  {flag} \n", node.app, repr(self.net(n)))
            }
        };
        if !node.children.is_empty() {
            out += &format!("{indent}   children:\n");
        }
        node.children.iter().for_each(|c| out += &self.drawn_below(*c, &format!("{indent}    ")));
        out
    }
}
