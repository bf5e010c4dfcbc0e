//! The tables of one run being read: kernels first, then lifetimes level by level.

use super::fine::Fine;
use super::{Weights, kernels, role, split};
use crate::base::fault::Fault;
use crate::base::order;
use crate::base::time::{Clock, Ticks};
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::format::{Claim, Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::input::json::window::Window;
use crate::input::source::read_range;
use crate::model::slice::SliceRow;
use crate::model::symbols::Symbols;
use crate::model::track::TrackKind;
use crate::views::lifetimes::compute::{Recorded, Run};
use std::collections::VecDeque;

/// Most bytes of a table of kernels.
const BYTES: u64 = 64 << 20;

/// The tables of one run.
pub(super) struct Tables {
    waiting: VecDeque<(EntryId, &'static str)>,
    /// Lifetimes that are being read, with the number of their level.
    fine: Option<(EntryId, usize, Window, Fine)>,
    run: Option<Run>,
}

impl Tables {
    pub(super) fn new(claim: &Claim) -> Self {
        let mut waiting: Vec<(EntryId, &'static str)> = claim.entries.clone();
        let order = [role::KERNELS, role::LIFETIMES, role::CLUSTERS];
        order::sort_by_key(&mut waiting, |(_, own)| order.iter().position(|role| role == own));
        Self { waiting: waiting.into(), fine: None, run: None }
    }
}

impl Reading for Tables {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        sink.step = phrase("Reading");
        if let Some((_, level, mut window, mut fine)) = self.fine.take() {
            window.finish(|bytes, at| fine.read(bytes, at, true));
            sink.faults_of(fine.finish(level, self.run.get_or_insert_default()));
        }
        let Some((id, role)) = self.waiting.pop_front() else {
            if let Some(mut run) = self.run.take().filter(|run| !run.kernels.is_empty()) {
                let symbols: &mut Symbols = sink.builder.head().extensions.get_or_default();
                for kernel in &mut run.kernels {
                    kernel.name = symbols.names(&kernel.name);
                }
                tracks(&run, sink);
                sink.builder.head().extensions.get_or_default::<Recorded>().runs.push(run);
            }
            Weights::apply(sink);
            return Ok(Want::Done);
        };
        let Some(entry) = bundle.get(id) else { return Ok(Want::Again) };
        let (_, stem, level) = split(&entry.path);
        if role == role::CLUSTERS {
            let bytes = read_range(&*entry.source, 0..entry.source.len().min(BYTES)).unwrap_or_default();
            sink.builder.head().extensions.get_or_default::<Weights>().read(&bytes);
            return Ok(Want::Again);
        }
        let run =
            self.run.get_or_insert_with(|| Run { entry: id.0, name: stem.to_owned(), ..Run::default() });
        if role == role::KERNELS {
            let bytes = read_range(&*entry.source, 0..entry.source.len().min(BYTES)).unwrap_or_default();
            let mut faults = Vec::new();
            kernels::read(&bytes, &entry.path, run, &mut faults);
            sink.faults_of(faults);
            return Ok(Want::Again);
        }
        self.fine = Some((id, level.unwrap_or(1), Window::default(), Fine::new(&entry.path)));
        Ok(Want::Stream { entry: id, range: 0..entry.source.len() })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        if let Some((.., window, fine)) = &mut self.fine {
            window.feed(chunk, |bytes, at| fine.read(bytes, at, false));
            sink.faults_of(std::mem::take(&mut fine.faults));
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.fine.as_ref().map(|(entry, _, window, _)| (*entry, window.position()))
    }
}

/// Kernels one after the other: the tables do not say when they began.
fn tracks(run: &Run, sink: &mut Sink) {
    let unit = Clock::Cycles { hz: run.clock_mhz.map(|mhz| mhz * 1e6) };
    let is_first = sink.builder.n_rows() == 0 && sink.builder.trace().tracks.is_empty();
    let clock = if is_first {
        sink.builder.head().clock = unit;
        None
    } else {
        Some(sink.builder.clock(&run.name, unit, None))
    };
    let name = if sink.is_shared { run.name.as_str() } else { phrase("Kernels, one after the other") };
    let name = sink.builder.intern(name);
    let Some(track) = sink.builder.track(None, TrackKind::Slices, name, run.entry) else { return };
    if let Some(clock) = clock {
        sink.builder.clock_track(track, clock);
    }
    let mut start = 0_i64;
    for kernel in &run.kernels {
        let longest = kernel.levels.iter().map(|level| level.reused.max()).max().unwrap_or(0);
        let dur = Ticks::try_from(kernel.cycles.max(longest)).unwrap_or(Ticks::MAX);
        let name = if kernel.name.is_empty() { format!("kernel {}", kernel.id) } else { kernel.name.clone() };
        let name = sink.builder.intern(&name);
        sink.builder.slice(track, SliceRow::new(start, dur, name));
        start = start.saturating_add(dur);
    }
}
