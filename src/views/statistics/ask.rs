//! Host and device: found out when it is asked for, and kept for the figures and the tables of the same time.

use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{Device, OUTSIDE, Options, Step, StreamWork, find_out};
use crate::base::job::Job;
use crate::base::map::Set;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::words::{Message, message};
use crate::document::Document;
use crate::document::engine::{Answers, Engine};
use crate::model::Trace;
use crate::views::statistics::messages::{Figures, STEPS, STREAMS};
use crate::wire::{Answer, Question};

/// What was found out last, and what is in progress.
#[derive(Default)]
pub(crate) struct Found {
    making: Option<(Asked, Job<Device>)>,
    done: Option<(Asked, Device)>,
}

/// What was asked, and how much the document held.
type Asked = (Options, [u64; 2]);

impl Document {
    fn question(&self, options: &Options) -> Asked {
        (options.clone(), [self.derived.timeline.revision(), u64::from(self.is_ready())])
    }

    /// Works for a few milliseconds on what was asked; says whether all is there.
    pub(crate) fn prepare_device(&mut self, options: &Options) -> bool {
        let question = self.question(options);
        if self.device(options).is_some() {
            return true;
        }
        let Some(trace) = self.shared_trace().filter(|_| self.is_ready()) else { return true };
        let begun = self.kept.of::<Found>().making.take().filter(|(of, _)| *of == question);
        let begin = || {
            let (timeline, options) = (self.derived.timeline.snapshot(), options.clone());
            Job::new(async move |turn| find_out(&trace, &timeline, &options, &turn).await)
        };
        let mut making = begun.map_or_else(begin, |(_, making)| making);
        let device = making.poll();
        let (found, is_done) = (self.kept.of::<Found>(), device.is_some());
        match device {
            None => found.making = Some((question, making)),
            Some(device) => found.done = Some((question, device)),
        }
        is_done
    }

    /// What was found out, which was prepared.
    pub(crate) fn device(&self, options: &Options) -> Option<&Device> {
        let question = self.question(options);
        self.kept.get::<Found>()?.done.as_ref().filter(|(of, _)| *of == question).map(|(_, device)| device)
    }
}

fn answer(doc: &Document, options: &Options) -> Figures {
    let found = doc.device(options);
    found.map_or_else(Figures::default, |found| figures(doc, found))
}

/// The streams that are told of, the busiest first, and how many work at all: where there are many, the busiest of each
/// rank come before others.
fn busiest(of: &Device) -> (Vec<(u32, &StreamWork)>, usize) {
    let mut streams: Vec<(u32, &StreamWork)> =
        (0..).zip(&of.streams).filter(|(_, stream)| 0 < stream.idle.busy).collect();
    let n = streams.len();
    let busy = |(_, stream): &(u32, &StreamWork)| std::cmp::Reverse(stream.idle.busy);
    order::sort_by_key(&mut streams, busy);
    let mut seen = Set::default();
    let (mut first, others): (Vec<_>, Vec<_>) =
        streams.into_iter().partition(|(_, stream)| seen.insert(stream.rank));
    first.extend(others);
    first.truncate(STREAMS);
    order::sort_by_key(&mut first, busy);
    (first, n)
}

/// How steps were taken, and what they lack: of several ranks that of which most can be said.
fn taken(trace: &Trace, of: &Device) -> Message {
    let told = of.ranks.iter().rev().filter(|rank| !rank.taken.said(trace.clock).is_empty());
    let Some(most) = told.max_by_key(|rank| (rank.taken.lag, rank.taken.apart)) else {
        return Message::default();
    };
    let said = most.taken.said(trace.clock);
    match of.ranks.len() {
        0 | 1 => said,
        _ => message("{rank}: {said}").with("rank", &most.name).with_message("said", said),
    }
}

fn figures(doc: &Document, of: &Device) -> Figures {
    let trace = doc.trace();
    let devices = of.ranks.iter().filter(|rank| !rank.name.is_empty());
    let (streams, n_streams) = busiest(of);
    let named = |(at, stream): &(u32, &StreamWork)| (of.stream_name(trace, *at), stream.idle);
    // As many of each rank, and what lies outside of its steps.
    let few = STEPS.div_ceil(of.ranks.len().max(1));
    let of_rank = |own: &'_ [Step]| -> Vec<Step> {
        let (outside, own): (Vec<Step>, Vec<Step>) = own.iter().partition(|step| step.slice.is_none());
        own.into_iter().take(few).chain(outside).collect()
    };
    let shown: Vec<Step> = of.steps.chunk_by(|a, b| a.rank == b.rank).flat_map(of_rank).collect();
    let steps = shown.iter().map(|step| {
        let event = step.slice.and_then(|slice| trace.event(slice));
        (event.map_or(OUTSIDE, |event| trace.strings.get(event.name)).to_owned(), *step)
    });
    let queues = streams.iter().filter(|(_, stream)| !stream.queue.is_empty());
    let queues = queues.map(|(at, stream)| (of.stream_name(trace, *at), stream.queue.clone()));
    let words = Dialect::of(trace);
    let contradicted = of.ranks.iter().filter(|rank| rank.is_contradicted());
    let contradicted = contradicted.filter_map(|rank| Some((rank.name.clone(), rank.sums, rank.stated?)));
    Figures {
        queues: queues.collect(),
        classes: [words.classes.title, words.classes.help].map(str::to_owned),
        step: words.step.to_owned(),
        span: of.span,
        clock: trace.clock,
        recorded: devices.clone().map(|rank| rank.span.dur()).collect(),
        devices: devices.map(|rank| rank.name.clone()).collect(),
        n_streams,
        ranks: streams.iter().map(|(_, stream)| stream.rank).collect(),
        streams: streams.iter().map(named).collect(),
        steps: steps.collect(),
        taken: taken(trace, of),
        n_steps: of.steps.iter().filter(|step| step.slice.is_some()).count(),
        latency: of.latency.clone(),
        communication: of.communication(),
        communicating: of
            .ranks
            .iter()
            .filter(|rank| 0 < rank.sums[1])
            .map(|rank| rank.span.dur())
            .fold(0, Ticks::saturating_add),
        n_communicating: of.ranks.iter().filter(|rank| 0 < rank.sums[1]).count(),
        contradicted: contradicted.collect(),
        n_functions: of.functions.len(),
        has_modules: !of.modules.rows.is_empty(),
        memories: of.peaks.iter().map(|peak| peak.name.clone()).collect(),
        has_launches: of.has_launches(),
    }
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] = &[Engine::answers::<Options>()];

impl Answers for Options {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_device(self)
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }
}
