//! CPU samples with their call stacks become instants, and their counts counters.
//!
//! | packet | becomes |
//! |---|---|
//! | `perf_sample` | instants of its thread; counters of its processor |
//! | `streaming_profile_packet` | instants of the thread that writes its sequence |
//!
//! Between two samples nobody knows what a thread did, or whether it ran at all: they are counted and never have a length.

use super::Names;
use super::packet::fields::{Fields, numbers};
use super::sequence::{Sequence, text};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::{StackFrame, Symbols};
use crate::systems::android::systrace::collect::{Beside, Collector};

/// Samples that are worked on at once.
const STEP: usize = 1 << 14;

/// The track that is worked on, its samples, and how many of them are done.
struct Open {
    track: TrackId,
    samples: Vec<(Ticks, u32)>,
    done: usize,
}

/// All samples of a file.
#[derive(Default)]
pub(crate) struct Samples {
    /// Numbers of frames by the one around them, their name and where they are from.
    numbers: Map<(u32, StrId, StrId), u32>,
    /// Names of functions written out from their symbols.
    written: Map<StrId, StrId>,
    /// Innermost frames, by process and thread.
    threads: Map<(i64, i64), Vec<(Ticks, u32)>>,
    open: Option<Open>,
    left: Option<Vec<(i64, i64)>>,
}

impl Samples {
    /// Takes `PerfSample`.
    pub(crate) fn perf(
        &mut self,
        bytes: &[u8],
        time: Ticks,
        sequence: &Sequence,
        (collector, sink): (&mut Collector, &mut Sink),
    ) {
        let (mut cpu, mut thread, mut stack, mut n, mut followers) = (0, (0, 0), None, None, Vec::new());
        let mut lost = 0;
        for (field, value) in Fields::of(bytes) {
            let number = value.number();
            match field {
                1 => cpu = number,
                2 => thread.0 = number.cast_signed(),
                3 => thread.1 = number.cast_signed(),
                4 => stack = Some(number),
                6 => n = Some(number),
                7 => followers.extend(numbers(value)),
                17 => lost = number,
                _ => {}
            }
        }
        if 0 < lost {
            sink.builder.drop_rows("CPU samples that the kernel lost", lost);
        } else if n.is_none() && stack.is_none() {
            sink.builder.drop_row("CPU samples that the profiler skipped");
        }
        for (k, count) in n.into_iter().chain(followers).enumerate() {
            let word = if k == 0 { "count".to_owned() } else { format!("follower {k}") };
            let name = format!("CPU {cpu} sample {word}");
            collector.of_cpu(&name, &Unit::None, (time, count as f64), sink);
        }
        if let Some(stack) = stack {
            self.add(thread, (time, stack), sequence, sink);
        }
    }

    /// Takes a sample: when, and the number of its call stack in its sequence.
    pub(crate) fn add(
        &mut self,
        thread: (i64, i64),
        (time, stack): (Ticks, u64),
        sequence: &Sequence,
        sink: &mut Sink,
    ) {
        let Some(frames) = sequence.frames.stacks.get(&stack) else {
            return sink.builder.drop_row("CPU samples without a call stack");
        };
        let mut around = 0;
        for id in frames {
            let (symbol, category) = sequence.frame(*id, sink);
            let name = *self.written.entry(symbol).or_insert_with(|| written(symbol, sink));
            let frame = StackFrame { around, name, category };
            let number = self.numbers.entry((around, name, category));
            around = *number.or_insert_with(|| sink.builder.stack(frame));
        }
        self.threads.entry(thread).or_default().push((time, around));
    }

    /// Nothing follows. Works on the next samples; false when all are instants.
    pub(crate) fn finish(&mut self, (names, collector): (&Names, &mut Collector), sink: &mut Sink) -> bool {
        if let Some(open) = self.open.take() {
            let to = open.samples.len().min(open.done + STEP);
            for (time, stack) in open.samples.get(open.done..to).unwrap_or(&[]) {
                sink.builder.stack_sample(open.track, *time, *stack, (0, 0));
            }
            self.open = (to < open.samples.len()).then_some(Open { done: to, ..open });
            return true;
        }
        let left = self.left.get_or_insert_with(|| {
            let mut all: Vec<_> = self.threads.keys().copied().collect();
            order::sort_by(&mut all, |a, b| b.cmp(a));
            all
        });
        let Some(thread) = left.pop() else { return false };
        let mut samples = self.threads.remove(&thread).unwrap_or_default();
        order::sort_by_number(&mut samples, |(time, _)| *time);
        let (pid, tid) = (thread.0.to_string(), thread.1.to_string());
        let (_, name) = names.of(thread.1);
        let track = collector.track_beside((&pid, &tid, name), Beside::Samples, sink);
        self.open = track.map(|track| Open { track, samples, done: 0 });
        true
    }
}

/// Parts of call stacks of a sequence, by their numbers.
#[derive(Default)]
pub(crate) struct StackParts {
    /// Function, mapping and address of each frame.
    frames: Map<u64, (u64, u64, u64)>,
    /// Parts of the path of each mapping.
    mappings: Map<u64, Vec<u64>>,
    /// Frames of each stack, the outermost first.
    stacks: Map<u64, Vec<u64>>,
}

/// The name of a function by its symbol; what is no symbol stays as it is.
fn written(symbol: StrId, sink: &mut Sink) -> StrId {
    let head = sink.builder.head();
    let text = head.strings.get(symbol).to_owned();
    let name = head.extensions.get_or_default::<Symbols>().written(&text);
    name.map_or(symbol, |name| sink.builder.intern(&name))
}

impl StackParts {
    /// Learns a frame, a stack or a mapping.
    pub(crate) fn learn(&mut self, kind: u64, entry: &[u8]) {
        let number =
            |of: u64| Fields::of(entry).find(|(field, _)| *field == of).map_or(0, |(_, v)| v.number());
        let list = |of: u64| {
            let fields = Fields::of(entry).filter(move |(field, _)| *field == of);
            fields.flat_map(|(_, value)| numbers(value)).collect()
        };
        match kind {
            text::FRAME => _ = self.frames.insert(number(1), (number(2), number(3), number(4))),
            text::CALL_STACK => _ = self.stacks.insert(number(1), list(2)),
            _ => _ = self.mappings.insert(number(1), list(7)),
        }
    }
}

impl Sequence {
    /// Name and mapping of a frame.
    fn frame(&self, id: u64, sink: &mut Sink) -> (StrId, StrId) {
        let (function, mapping, address) = self.frames.frames.get(&id).copied().unwrap_or_default();
        let parts = self.frames.mappings.get(&mapping).map_or(&[][..], Vec::as_slice);
        let strings = &sink.builder.trace().strings;
        let parts = parts.iter().filter_map(|part| self.text(text::MAPPING_PATH, *part));
        let path = parts.map(|part| strings.get(part)).collect::<Vec<_>>().join("/");
        let function = self.text(text::FUNCTION_NAME, function).filter(|name| *name != Strings::EMPTY);
        let name = function.unwrap_or_else(|| {
            let file = path.rsplit('/').next().unwrap_or_default();
            let place = if file.is_empty() { "address" } else { file };
            sink.builder.intern(&format!("{place} {address:#x}"))
        });
        (name, sink.builder.intern(&path))
    }
}
