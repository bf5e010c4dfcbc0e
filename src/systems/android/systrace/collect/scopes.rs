//! Scopes that are open in one thread, and how one of them is drawn.

use crate::base::time::Ticks;
use crate::model::id::StrId;
use crate::systems::android::nnapi::mark::{Label, Layer, Part, Phase, Tint};

/// A scope that began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// When.
    pub(crate) time: Ticks,
    pub(crate) name: StrId,
    /// What the mark says, such as `LR PE`.
    pub(crate) category: StrId,
    /// How it is drawn.
    pub(crate) color: StrId,
    /// Where its row begins in the entry.
    pub(crate) start: u64,
    /// Bytes of its row.
    pub(crate) len: u32,
    /// Line of its row.
    pub(crate) line: u32,
    /// Layer and phase of the innermost scope of NNAPI from here on outwards.
    pub(crate) around: Option<(Layer, Phase)>,
}

/// What an end mark ends.
pub(crate) enum Ended {
    /// This scope.
    Scope(Scope),
    /// Nothing that is seen: the scope was switched.
    Unseen,
    /// Nothing at all.
    Nothing,
}

enum Open {
    Scope(Scope),
    /// A scope that ended where another one took over; its own end is still to come.
    Switched(Option<(Layer, Phase)>),
}

/// The open scopes of a thread.
#[derive(Default)]
pub(crate) struct Scopes {
    open: Vec<Open>,
}

impl Scopes {
    /// Layer and phase of the innermost scope of NNAPI.
    pub(crate) fn around(&self) -> Option<(Layer, Phase)> {
        match self.open.last()? {
            Open::Scope(scope) => scope.around,
            Open::Switched(around) => *around,
        }
    }

    pub(crate) fn begin(&mut self, scope: Scope) {
        self.open.push(Open::Scope(scope));
    }

    /// Ends the innermost scope because another one takes over; its own end will end nothing that is seen.
    pub(crate) fn switch(&mut self) -> Ended {
        let ended = match self.open.pop() {
            Some(Open::Scope(scope)) => Ended::Scope(scope),
            Some(Open::Switched(_)) => Ended::Unseen,
            None => return Ended::Nothing,
        };
        let around = self.around();
        self.open.push(Open::Switched(around));
        ended
    }

    pub(crate) fn end(&mut self) -> Ended {
        match self.open.pop() {
            Some(Open::Scope(scope)) => Ended::Scope(scope),
            Some(Open::Switched(_)) => Ended::Unseen,
            None => Ended::Nothing,
        }
    }

    /// The scopes that are still open, from the outermost in.
    pub(crate) fn finish(&mut self) -> Vec<Scope> {
        let open = std::mem::take(&mut self.open);
        let scopes = open.into_iter().filter_map(|open| match open {
            Open::Scope(scope) => Some(scope),
            Open::Switched(_) => None,
        });
        scopes.collect()
    }
}

/// How a scope is drawn: driver and CPU by the process it runs in (the same code runs in both), an unspecified phase as
/// that of what is around, and thin when it only details a scope of its own layer. `None` for marks of others.
pub(crate) fn tint(label: &Label, is_driver: bool, around: Option<(Layer, Phase)>) -> Option<Tint> {
    let (layer, phase) = label.scope?;
    let layer = match layer {
        Layer::Driver if !is_driver => Layer::Cpu,
        Layer::Cpu if is_driver => Layer::Driver,
        layer => layer,
    };
    let phase = match (phase, around) {
        (Phase::Unspecified, Some((_, phase))) => phase,
        (phase, _) => phase,
    };
    let is_detail = around.is_some_and(|(outer, inside)| {
        let is_first = phase == Phase::Initialization && inside != Phase::Initialization;
        outer == layer && !inside.may_contain(phase) && !is_first
    });
    let part = match (label.is_subtract, is_detail) {
        (true, _) => Part::Subtracted,
        (false, true) => Part::Detail,
        (false, false) => Part::Counted,
    };
    Some(Tint { layer, phase, part })
}
