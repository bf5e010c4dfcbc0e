//! Where a scope belongs: its layer and phase by its process and caller, whether it is a detail, whose time it is.

use super::{Entry, Walk};
use crate::base::time::Ticks;
use crate::systems::android::nnapi::corrected::Issue;
use crate::systems::android::nnapi::corrected::scope::{App, Count, NONE, Scope, bits};
use crate::systems::android::nnapi::corrected::text::{Call, Meaning};
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// What lies around a place of the stack: the nearest scopes that time can be moved to.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The nearest that counts by itself, by layer; see [`Layer::of_each`].
    layer: [u32; 5],
    /// The nearest of everything (`LA PO`).
    overall: u32,
    /// The nearest of the application that prepares.
    preparation: u32,
    /// The nearest of the application that compiles.
    compilation: u32,
    /// The nearest of the application that ends.
    termination: u32,
    /// Cells that are counted where the thread's outermost scope is attached.
    around: u64,
}

impl Default for Frame {
    fn default() -> Self {
        let (overall, preparation, compilation, termination) = (NONE, NONE, NONE, NONE);
        Self { layer: [NONE; 5], overall, preparation, compilation, termination, around: 0 }
    }
}

impl Frame {
    /// The nearest of the application.
    pub(super) fn application(&self) -> u32 {
        self.nearest(Layer::Application)
    }

    /// The nearest of a layer.
    fn nearest(&self, layer: Layer) -> u32 {
        layer.of_each(self.layer).unwrap_or(NONE)
    }

    /// What opens above here lies in a scope that counts by itself.
    fn remember(&mut self, at: u32, layer: Layer, phase: Phase) {
        if let Some(nearest) = layer.of_each(self.layer.each_mut()) {
            *nearest = at;
        }
        match (layer, phase) {
            (Layer::Application, Phase::Overall) => self.overall = at,
            (Layer::Application, Phase::Preparation) => self.preparation = at,
            (Layer::Application, Phase::Compilation) => self.compilation = at,
            (Layer::Application, Phase::Termination) => self.termination = at,
            _ => {}
        }
    }
}

/// What a scope is, apart from where it stands.
struct Kind {
    layer: Layer,
    phase: Phase,
    count: Count,
}

impl Walk {
    /// Opens a scope on the stack of its thread.
    pub(super) fn open(
        &mut self,
        thread: u32,
        row: u32,
        time: Ticks,
        meaning: Meaning,
        written: (Layer, Phase),
        replaced: u32,
    ) {
        let run = self.run();
        let below = self.floor(thread);
        // A scope of an earlier run that is still open is nothing to this one.
        let parent = if self.scopes.find(below.top).is_some_and(|p| p.run == run) { below.top } else { NONE };
        let kind = self.kind(thread, written, meaning, parent);
        let frame = if parent == NONE { Frame::default() } else { below.frame };
        let home = self.home(&kind, meaning, parent, &frame);
        self.complain(thread, row, &kind, meaning, parent, home);
        let link =
            self.link(thread, row, time, (kind.layer, kind.phase, kind.count), meaning, (parent, replaced));
        let around = if parent == NONE { link.mask } else { frame.around };
        let mut frame = self.frame_at(thread, parent, home, frame);
        frame.around = around;
        let at = self.scopes.next();
        let owner = match kind.count {
            Count::Own => at,
            Count::Detail => self.scopes.find(parent).map_or(NONE, |p| p.owner),
            Count::Excluded => NONE,
        };
        // A detail is counted by what it details, all else by what its time is part of.
        let home_or_parent = if kind.count == Count::Detail { parent } else { home };
        let base = self.scopes.find(home_or_parent).map_or(around, |s| s.mask) | link.extra;
        let own = if kind.count == Count::Own { bits(kind.layer, kind.phase) } else { 0 };
        if kind.count == Count::Own {
            frame.remember(at, kind.layer, kind.phase);
        }
        self.scopes.push(Scope {
            row,
            thread,
            run,
            parent,
            home,
            start: time,
            end: time,
            own: 0,
            net: 0,
            counted: 0,
            name: meaning.name,
            layer: kind.layer,
            phase: kind.phase,
            app: link.app,
            count: kind.count,
            is_moved: home != parent,
            is_subtract: meaning.is_subtract,
            is_unfinished: false,
            owner,
            context: link.context,
            level: link.level,
            mask: base | own,
            gained: own & !base,
            driver: link.driver,
        });
        self.threads[thread].stack.push(Entry { scope: at, top: at, frame, ..below });
        if let Some(app) = App::of_loop(kind.layer, kind.phase) {
            self.loops.push((at, app));
            self.links.loops(self.roles.threads[thread].process).push((at, app));
        }
        let is_execution = kind.phase == Phase::Execution || kind.phase.is_part_of_execution();
        if kind.layer == Layer::Ipc && !is_execution && !self.roles.of_thread(thread).is_driver() {
            self.links.calls.push(at);
        }
        self.opened(at, meaning, replaced);
    }

    /// Layer and phase as they are meant, and how the scope counts.
    fn kind(&self, thread: u32, (layer, phase): (Layer, Phase), meaning: Meaning, parent: u32) -> Kind {
        let process = self.roles.of_thread(thread);
        let parent = self.scopes.find(parent);
        let phase_of = |phase| match (phase, parent) {
            (Phase::Unspecified, Some(parent)) => parent.phase,
            _ => phase,
        };
        let phase = phase_of(phase);
        let is_in_driver = parent.is_some_and(|p| p.layer == Layer::Driver);
        let layer = match layer {
            Layer::Cpu if process.is_driver() || is_in_driver => Layer::Driver,
            Layer::Utility | Layer::Other | Layer::Ignored => match parent {
                Some(parent) => {
                    return Kind { layer: parent.layer, phase, count: below(parent.count) };
                }
                None => return Kind { layer, phase, count: Count::Excluded },
            },
            other => other,
        };
        let Some(parent) = parent else {
            // Servers of bursts wait for packets in calls between processes: that is nobody's time.
            let is_idle = layer == Layer::Ipc && process.is_driver() && meaning.call == Call::Plain;
            let is_apart = is_idle || phase == Phase::Unspecified;
            return Kind { layer, phase, count: if is_apart { Count::Excluded } else { Count::Own } };
        };
        let is_part =
            parent.phase.may_contain(phase) || phase == Phase::Initialization && parent.phase != phase;
        let is_detail = layer == parent.layer && !meaning.is_subtract && !is_part;
        let count = if is_detail { below(parent.count) } else { Count::Own };
        Kind { layer, phase, count: if phase == Phase::Unspecified { Count::Excluded } else { count } }
    }

    /// The scope whose time the new one is part of.
    fn home(&self, kind: &Kind, meaning: Meaning, parent: u32, frame: &Frame) -> u32 {
        let Some(around) = self.scopes.find(parent) else { return NONE };
        let is_callback = matches!(meaning.call, Call::NotifyClient(_)) && around.layer == Layer::Driver;
        if meaning.is_subtract || is_callback {
            return self.beside(frame.nearest(kind.layer), kind);
        }
        if kind.count != Count::Own {
            return parent;
        }
        if kind.phase == Phase::Initialization && around.phase != Phase::Initialization {
            return frame.overall;
        }
        let is_execution = kind.phase == Phase::Execution || kind.phase.is_part_of_execution();
        let is_called =
            matches!(kind.layer, Layer::Runtime | Layer::Ipc) && around.layer == Layer::Application;
        if is_called && !is_execution && around.phase != Phase::Overall && around.phase != kind.phase {
            let part = match kind.phase {
                Phase::Preparation => frame.preparation,
                Phase::Compilation => frame.compilation,
                Phase::Termination => frame.termination,
                _ => NONE,
            };
            return if part == NONE { frame.overall } else { part };
        }
        parent
    }

    /// Where what is taken out belongs: the scope of its layer, or what that lies in when it is in a phase that cannot hold
    /// the one that is taken out.
    fn beside(&self, mut at: u32, kind: &Kind) -> u32 {
        while let Some(scope) = self.scopes.find(at) {
            let holds = scope.phase == kind.phase || scope.phase.may_contain(kind.phase);
            if scope.layer != kind.layer || holds {
                break;
            }
            at = scope.home;
        }
        at
    }

    /// The frame at the scope that a new one belongs to; it is open on the same thread.
    fn frame_at(&self, thread: u32, parent: u32, home: u32, frame: Frame) -> Frame {
        if home == parent {
            return frame;
        }
        if home == NONE {
            return Frame::default();
        }
        let stack = &self.threads[thread].stack;
        let first = stack.partition_point(|e| e.top == NONE || e.top < home);
        stack.get(first).map_or(Frame::default(), |e| e.frame)
    }

    /// Says what the contract forbids.
    fn complain(&mut self, thread: u32, row: u32, kind: &Kind, meaning: Meaning, parent: u32, home: u32) {
        let process = self.roles.of_thread(thread);
        if kind.count == Count::Own && kind.layer == Layer::Driver && !process.is_driver() {
            self.warn(Issue::InProcessDriver, row);
        }
        let Some(around) = self.scopes.find(parent).copied() else { return };
        let is_moved = home != parent;
        if kind.layer == Layer::Ipc && around.layer == Layer::Driver && !is_moved {
            self.warn(Issue::IpcBelowDriver, row);
        } else if kind.count != Count::Excluded
            && !is_moved
            && kind.layer != around.layer
            && !around.layer.may_call(kind.layer)
            && !(around.layer == Layer::Ipc && around.count == Count::Excluded)
        {
            self.warn(Issue::Layers, row);
        }
        let (outer, inner) = (around.phase, kind.phase);
        let is_allowed = outer == inner
            || inner == Phase::Initialization
            || outer == Phase::Unspecified
            || outer.may_contain(inner)
            || inner.is_part_of_execution() && outer.may_contain(Phase::Execution)
            || is_moved
            || meaning.is_subtract;
        if !is_allowed {
            self.warn(Issue::Phases, row);
        }
    }
}

/// A detail of a scope that is apart is apart too.
fn below(count: Count) -> Count {
    if count == Count::Excluded { Count::Excluded } else { Count::Detail }
}
