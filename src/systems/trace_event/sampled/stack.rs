//! Samples of a thread with their call stacks become instants, whatever file they come from.

use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::format::sink::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::stacks::StackFrame;

/// Samples (or frames) that are worked on in one step.
pub(super) const STEP: usize = 1 << 14;
/// Frames of one stack; what is inside of so many is left out.
const DEEPEST: usize = 1024;
/// The stack of nobody: nothing runs.
pub(super) const NOBODY: u64 = u64::MAX;

/// A function at a place in the stack.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The frame around it.
    pub(super) parent: u64,
    pub(super) name: StrId,
    pub(super) category: StrId,
}

/// What was seen of a thread once.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) time: Ticks,
    /// The innermost frame.
    pub(super) frame: u64,
    /// Name, category and bytes of the event that says it; none of a sample that is no event.
    pub(super) event: Option<(StrId, StrId, (u64, u32))>,
}

/// Frames by their numbers, and the call stacks that were made of them.
#[derive(Default)]
pub(super) struct Stacks {
    pub(super) frames: Map<u64, Frame>,
    /// The stack whose innermost frame each is, and how deep it is.
    made: Map<u64, (u32, usize)>,
}

impl Stacks {
    /// The call stack whose innermost frame this is; 0 for nobody's time.
    fn of(&mut self, innermost: u64, sink: &mut Sink) -> u32 {
        let (mut path, mut at) = (Vec::new(), innermost);
        let (mut stack, mut depth) = loop {
            match (self.made.get(&at), self.frames.get(&at)) {
                (Some(made), _) => break *made,
                (None, Some(frame)) if path.len() < DEEPEST => {
                    path.push((at, *frame));
                    at = frame.parent;
                }
                _ => break (0, 0),
            }
        };
        for (number, Frame { name, category, .. }) in path.into_iter().rev() {
            let is_nobody = matches!(sink.builder.trace().strings.get(name), "(root)" | "(idle)");
            if !is_nobody && depth < DEEPEST {
                stack = sink.builder.stack(StackFrame { around: stack, name, category });
                depth += 1;
            }
            self.made.insert(number, (stack, depth));
        }
        stack
    }
}

/// Samples of one thread in the order of their times, on their way to instants.
pub(super) struct Open {
    pub(super) track: TrackId,
    pub(super) samples: Vec<Sample>,
    pub(super) next: usize,
}

impl Open {
    /// Turns the next samples into instants, and says how many of them are no events; `None` when none is left. A
    /// machine, as the sink that it adds to is lent for each step.
    pub(super) fn step(&mut self, stacks: &mut Stacks, sink: &mut Sink) -> Option<u64> {
        let samples = self.samples.get(self.next..).filter(|left| !left.is_empty())?;
        let mut n = 0;
        for sample in samples.iter().take(STEP) {
            self.next += 1;
            let stack = stacks.of(sample.frame, sink);
            if stack != 0 {
                let detail = sample.event.map_or((0, 0), |event| event.2);
                sink.builder.stack_sample(self.track, sample.time, stack, detail);
                n += u64::from(sample.event.is_none());
            }
        }
        Some(n)
    }
}
