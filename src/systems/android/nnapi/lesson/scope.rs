//! The scopes of a lesson, as they are drawn: lanes of threads, depth, color, and what counts nowhere.

use super::super::mark::{Label, Layer, Part, Phase, Tint, label};
use super::{Event, Lesson};

/// One scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Row of [`super::THREADS`].
    pub thread: usize,
    /// How deep it lies, from 0.
    pub depth: usize,
    /// Number of the event that begins it.
    pub begin: usize,
    /// Number of the event that ends it, or switches from it.
    pub end: usize,
    /// Function or call.
    pub name: &'static str,
    /// How it is drawn; `None` for what has no layer.
    pub tint: Option<Tint>,
    /// The events between which it is still open and counts nowhere, after a switch.
    pub rest: Option<Slot>,
}

/// A stretch between two events, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Where it begins.
    pub begin: usize,
    /// Where it ends.
    pub end: usize,
}

/// What is drawn of a lesson.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// All scopes, in the order of their begins.
    pub scopes: Vec<Scope>,
    /// The scope of each event.
    pub of_event: Vec<usize>,
}

/// A scope that is open while events are gone through.
struct Open {
    scope: usize,
    /// Where the scope ended that it was switched to.
    left: Option<usize>,
    is_switch: bool,
}

impl Lesson {
    /// Its scopes. Costs its events.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::default();
        let mut threads: [Vec<Open>; 4] = Default::default();
        for (at, event) in self.events.iter().enumerate() {
            let open = &mut threads[event.thread];
            let scope = match event.mark {
                Some(mark) => begin(&mut drawn, open, at, event, mark),
                None => finish(&mut drawn, open, at),
            };
            drawn.of_event.push(scope);
        }
        drawn
    }
}

fn begin(drawn: &mut Drawn, open: &mut Vec<Open>, at: usize, event: &Event, mark: &'static str) -> usize {
    let said = label(mark);
    let scope = drawn.scopes.len();
    if said.is_switch
        && let Some(around) = open.last()
    {
        drawn.scopes[around.scope].end = at;
    }
    // What is switched to lies beside what was left, in the scope around both.
    let around = open.iter().rev().nth(usize::from(said.is_switch)).map(|open| &drawn.scopes[open.scope]);
    let tint = tint(&said, around.and_then(|scope| scope.tint));
    let depth = around.map_or(0, |scope| scope.depth + 1);
    let new = Scope { thread: event.thread, depth, begin: at, end: at, name: said.name, tint, rest: None };
    drawn.scopes.push(new);
    open.push(Open { scope, left: None, is_switch: said.is_switch });
    scope
}

fn finish(drawn: &mut Drawn, open: &mut Vec<Open>, at: usize) -> usize {
    let Some(ended) = open.pop() else { return 0 }; // tests hold that every end has its begin
    let scope = &mut drawn.scopes[ended.scope];
    match ended.left {
        Some(begin) => scope.rest = Some(Slot { begin, end: at }),
        None => scope.end = at,
    }
    if ended.is_switch
        && let Some(around) = open.last_mut()
    {
        around.left = Some(at);
    }
    ended.scope
}

/// How a scope counts inside the one around it.
fn tint(said: &Label<'_>, around: Option<Tint>) -> Option<Tint> {
    let (layer, phase) = said.scope?;
    let phase = around.filter(|_| phase == Phase::Unspecified).map_or(phase, |around| around.phase);
    let part = match around {
        _ if said.is_subtract => Part::Subtracted,
        Some(around) if phase == Phase::Initialization && around.phase != phase => Part::Subtracted,
        Some(around)
            if around.layer == layer && layer != Layer::Utility && !around.phase.may_contain(phase) =>
        {
            Part::Detail
        }
        _ => Part::Counted,
    };
    Some(Tint { layer, phase, part })
}
