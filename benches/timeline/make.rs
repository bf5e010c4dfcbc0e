//! Makes traces as an operator simulator writes them: 4 cores of 5 pipes, loops nested some five deep over instructions.

use lanescope::analysis::Derived;
use lanescope::base::time::Ticks;
use lanescope::model::Trace;
use lanescope::model::build::TraceBuilder;
use lanescope::model::id::{StrId, TrackId};
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use std::cell::RefCell;
use std::collections::BTreeMap;

const CORES: [&str; 4] = ["core0.cubecore0", "core0.veccore0", "core0.veccore1", "core2.veccore1"];
const PIPES: [&str; 5] = ["SCALAR", "VECTOR", "MTE2", "MTE3", "FLOWCTRL"];
/// Names of instructions, and of loops around them.
const N_INSTRUCTIONS: u64 = 38;
const N_SCOPES: u64 = 12;
/// Bytes of an event in the file.
const EVENT: u64 = 228;

/// A trace and what is computed from it.
pub(crate) struct Made {
    pub(crate) trace: Trace,
    pub(crate) derived: Derived,
}

thread_local! {
    static MADE: RefCell<BTreeMap<u64, &'static Made>> = const { RefCell::new(BTreeMap::new()) };
}

/// A trace of about `millions` million slices; made once.
pub(crate) fn made(millions: u64) -> &'static Made {
    let make = || {
        let trace = trace(millions * 1_000_000);
        let mut derived = Derived::default();
        derived.finish_all(&trace);
        &*Box::leak(Box::new(Made { trace, derived }))
    };
    MADE.with_borrow_mut(|made| *made.entry(millions).or_insert_with(make))
}

/// A trace of about `n` slices.
pub(crate) fn trace(n: u64) -> Trace {
    let mut maker = Maker::new();
    while maker.n < n {
        for at in 0..maker.tracks.len() {
            for _ in 0..6 {
                let (track, start) = maker.tracks[at];
                let end = maker.scope(track, start, 0);
                maker.tracks[at].1 = end + maker.below(30) as Ticks;
            }
        }
    }
    maker.builder.finish();
    maker.builder.into_trace()
}

/// The same as the text of a file, about `bytes` long.
pub(crate) fn json(bytes: usize) -> Vec<u8> {
    let trace = trace(bytes as u64 / EVENT);
    let mut text = String::from("{\"profilingType\":\"op\",\"schemaVersion\":1,\"traceEvents\":[\n");
    for (_, track) in trace.tracks.iter() {
        let name = |id| trace.strings.get(id);
        let core = track.parent.map_or("", |core| name(trace.tracks.get(core).name));
        let slices = &track.slices;
        for row in 0..slices.len() {
            let micros = |t: Ticks| format!("{}.{:03}", t / 1000, t % 1000);
            text += &format!(
                "{{\"args\":{{\"code\":\"/home/dev/ops/softmax/softmax_kernel.cpp:{}\",\"detail\":\"XD:X4=0x{row:x},XN:X7=0x1f0\",\"pc_addr\":\"0x10d0d{:03x}\"}},\"cname\":\"{}\",\"dur\":{},\"name\":\"{}\",\"ph\":\"X\",\"pid\":\"{core}\",\"tid\":\"{}\",\"ts\":{}}},\n",
                row % 600,
                row % 4096,
                name(slices.color[row]),
                micros(slices.dur_of(row)),
                name(slices.name[row]),
                name(track.name),
                micros(slices.start[row]),
            );
        }
    }
    text.truncate(text.len() - 2);
    (text + "\n]}\n").into_bytes()
}

struct Maker {
    builder: TraceBuilder,
    /// Each with the time it has reached.
    tracks: Vec<(TrackId, Ticks)>,
    instructions: Vec<StrId>,
    scopes: Vec<StrId>,
    colors: Vec<StrId>,
    seed: u64,
    n: u64,
}

impl Maker {
    fn new() -> Self {
        let mut builder = TraceBuilder::default();
        let mut tracks = Vec::new();
        for core in CORES {
            let name = builder.intern(core);
            let group = builder.track(None, TrackKind::Group, name, 0);
            for pipe in PIPES {
                let name = builder.intern(pipe);
                let track = builder.track(group, TrackKind::Slices, name, 0).expect("few tracks");
                tracks.push((track, 3_568 + 13 * tracks.len() as Ticks));
            }
        }
        let mut names = |head: &str, n: u64| (0..n).map(|i| builder.intern(&format!("{head}_{i}"))).collect();
        let (instructions, scopes) = (names("INSTRUCTION", N_INSTRUCTIONS), names("Scope", N_SCOPES));
        let colors = names("color", 16);
        Self { builder, tracks, instructions, scopes, colors, seed: 7, n: 0 }
    }

    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) % n
    }

    fn push(&mut self, track: TrackId, start: Ticks, dur: Ticks, name: StrId, color: StrId) {
        let (detail_start, detail_len) = (self.n * EVENT, EVENT as u32 - 2);
        self.builder
            .slice(track, SliceRow { color, detail_start, detail_len, ..SliceRow::new(start, dur, name) });
        self.n += 1;
    }

    /// A loop and what is in it; when it ends. Parents come before their children, as in the files.
    fn scope(&mut self, track: TrackId, start: Ticks, depth: u64) -> Ticks {
        let mut inside = Vec::new();
        let end = self.plan(start, depth, &mut inside);
        for (start, dur, name, color) in inside {
            self.push(track, start, dur, name, color);
        }
        end
    }

    fn plan(&mut self, start: Ticks, depth: u64, out: &mut Vec<(Ticks, Ticks, StrId, StrId)>) -> Ticks {
        let own = out.len();
        let n = 2 + self.below(8);
        let name = self.scopes[((depth * 3 + n) % N_SCOPES) as usize];
        out.push((start, 0, name, self.colors[depth as usize % 16]));
        let mut at = start + 1 + self.below(3) as Ticks;
        for _ in 0..n {
            if depth < 4 && self.below(100) < 22 {
                at = self.plan(at, depth + 1, out);
            } else {
                let share = self.below(1000) * self.below(1000);
                let dur = 1 + (share * 40 / 1_000_000) as Ticks;
                let kind = self.below(N_INSTRUCTIONS) as usize;
                out.push((at, dur, self.instructions[kind], self.colors[kind % 16]));
                at += dur;
            }
            at += self.below(4) as Ticks;
        }
        out[own].1 = at - start;
        at
    }
}
