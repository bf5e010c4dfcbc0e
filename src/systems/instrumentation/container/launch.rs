//! One launch: its buffers are opened and checked, then read in passes.
//!
//! ```text
//! open ──▶ Order (buffers that say the order) ──▶ Arrange ──▶ [Count] ──▶ Attach (all others) ──▶ End
//! ```

use super::buffer::{Use, Uses};
use super::checks::{Said, Spot, spot_of, told};
use super::manifest::{Kernel, Manifest};
use super::shape::Shape;
use super::sorter::{Cut, Sorter, Taker};
use crate::base::fault::Severity;
use crate::base::job::Job;
use crate::base::words::{message, phrase};
use crate::format::Want;
use crate::systems::instrumentation::combine::{
    Arranging, Attaching, BlockRule, Emit, Event, Kind, Lookup, NO_INSTRUCTION, Order, Rules, TypeRule,
};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// Where combining is.
#[allow(clippy::large_enum_variant)] // there is one of it
pub(super) enum Pass {
    Order(Order),
    Arrange(Job<Arranging>),
    Count(Box<Attaching>),
    Attach(Box<Attaching>),
    End(Box<Attaching>),
    Done,
}

/// Bytes of a buffer that are wanted.
struct Stream {
    buffer: usize,
    range: Range<u64>,
    /// Whether these bytes are looked at only for their checksum.
    is_summed: bool,
    cut: Cut,
}

/// A launch that is being read.
pub(super) struct Run {
    pub(super) manifest: Rc<Manifest>,
    /// Rows of the launch and of its kernel in the manifest.
    pub(super) dispatch: usize,
    pub(super) kernel: usize,
    pub(super) uses: Uses,
    pub(super) shapes: Vec<Option<Shape>>,
    types: Vec<u32>,
    pub(super) names: Vec<String>,
    block_ids: Lookup,
    pub(super) said: Said,
    pub(super) pass: Pass,
    /// The type that says the order, and whether it is the flow.
    pub(super) order: Option<(usize, bool)>,
    queue: VecDeque<Stream>,
    crc: flate2::Crc,
    tagged: Vec<u64>,
    /// Executions of each block.
    pub(super) counts: Vec<u64>,
    pub(super) is_queued: bool,
    /// Whether the first of what is queued was asked for.
    is_asked: bool,
}

impl Run {
    pub(super) fn new(
        manifest: Rc<Manifest>,
        dispatch: usize,
        kernel: usize,
        uses: Uses,
        said: Said,
    ) -> Self {
        let mut block_ids = Lookup::default();
        let blocks = manifest.kernels.get(kernel).map_or(&[][..], |kernel| &kernel.blocks);
        for block in blocks {
            block_ids.row(block.id);
        }
        Self {
            types: manifest.types.iter().map(|of| of.id).collect(),
            names: manifest.types.iter().map(|of| of.name.clone()).collect(),
            shapes: Vec::new(),
            tagged: vec![0; manifest.types.len()],
            manifest,
            dispatch,
            kernel,
            uses,
            block_ids,
            said,
            pass: Pass::Done,
            order: None,
            queue: VecDeque::new(),
            crc: flate2::Crc::new(),
            counts: Vec::new(),
            is_queued: false,
            is_asked: false,
        }
    }

    pub(super) fn program(&self) -> Option<&Kernel> {
        self.manifest.kernels.get(self.kernel)
    }

    /// Begins to combine.
    pub(super) fn begin(&mut self) {
        self.order = self.find_order();
        let Some((of, is_flow)) = self.order else { return };
        let rules = self.rules(is_flow);
        self.pass = Pass::Order(Order::new(rules, of, is_flow));
    }

    /// The type that says the order: the flow, or what most blocks write.
    fn find_order(&self) -> Option<(usize, bool)> {
        let is_tagged = self.uses.0.iter().any(|buffer| buffer.is_read && buffer.of.is_none());
        let has = |of: usize| {
            let is_readable = self.shapes.get(of).is_some_and(Option::is_some);
            is_readable
                && (is_tagged || self.uses.0.iter().any(|buffer| buffer.is_read && buffer.of == Some(of)))
        };
        let types = || self.manifest.types.iter().enumerate().filter(|(of, _)| has(*of));
        if let Some((of, _)) = types().find(|(_, of)| of.kind == Kind::Flow) {
            return Some((of, true));
        }
        let blocks = |id: u32| {
            let writes =
                |block: &&super::manifest::Block| block.emits.iter().any(|e| e.of == id && 0 < e.count);
            self.program().map_or(0, |kernel| kernel.blocks.iter().filter(writes).count())
        };
        let most = types().map(|(of, found)| (blocks(found.id), of)).rev().max_by_key(|(n, _)| *n);
        most.map(|(_, of)| (of, false))
    }

    /// Whether records of lanes are of whole blocks, and there are any.
    pub(super) fn has_block_masks(&self) -> bool {
        let blocks = self.program().map_or(&[][..], |kernel| &kernel.blocks);
        self.manifest.types.iter().enumerate().filter(|(_, of)| of.kind == Kind::Simd).any(|(row, of)| {
            let is_of_block = |shape: &Shape| !shape.has_instructions();
            let emits = || blocks.iter().flat_map(|block| &block.emits).filter(|emits| emits.of == of.id);
            let is_read = |buffer: &Use| buffer.is_read && buffer.of.is_none_or(|own| own == row);
            self.shapes.get(row).and_then(Option::as_ref).is_some_and(is_of_block)
                && emits().any(|emits| emits.at.iter().all(Option::is_none))
                && self.uses.0.iter().any(is_read)
        })
    }

    fn rules(&self, is_flow: bool) -> Rules {
        let blocks = self.program().map_or(&[][..], |kernel| &kernel.blocks);
        let rule = |block: &super::manifest::Block| BlockRule {
            is_entry: block.is_entry,
            is_exit: block.is_exit,
            successors: block.successors.iter().filter_map(|id| self.block_ids.get(*id)).collect(),
        };
        let types = self.manifest.types.iter().map(|of| {
            let emits = blocks.iter().map(|block| {
                let emits = block.emits.iter().find(|emits| emits.of == of.id);
                emits.map_or_else(Emit::default, |emits| Emit {
                    count: u32::try_from(emits.count).unwrap_or(u32::MAX),
                    bytes: usize::try_from(emits.bytes.unwrap_or(0)).unwrap_or(0),
                    at: emits.at.iter().map(|at| at.unwrap_or(NO_INSTRUCTION)).collect(),
                })
            });
            TypeRule { kind: of.kind, emits: emits.collect() }
        });
        Rules {
            is_hardware: self.manifest.threads.is_hardware,
            has_successors: is_flow && blocks.iter().any(|block| !block.successors.is_empty()),
            blocks: blocks.iter().map(rule).collect(),
            types: types.collect(),
        }
    }

    /// What is wanted next; `None` when all is read.
    pub(super) fn next(&mut self) -> Option<Want> {
        if let Some(stream) = self.queue.front() {
            let entry = self.uses.0.get(stream.buffer).map(|buffer| buffer.entry)?;
            (self.crc, self.is_asked) = (flate2::Crc::new(), true);
            return Some(Want::Stream { entry, range: stream.range.clone() });
        }
        match std::mem::replace(&mut self.pass, Pass::Done) {
            Pass::Order(order) if !self.is_queued => {
                self.pass = Pass::Order(order);
                self.enqueue(|buffer, of| buffer.of.is_none_or(|own| own == of));
            }
            Pass::Order(mut order) => {
                order.settle();
                self.tell(order.take_events());
                self.counts = order.counts().to_vec();
                let naming = super::program_naming(&self.manifest, self.dispatch);
                let arranging = order.arrange(super::order_of_threads(naming));
                self.pass = Pass::Arrange(Job::new(async move |turn| arranging.settle(&turn).await));
            }
            Pass::Arrange(mut arranging) => {
                self.pass = if let Some(arranged) = arranging.poll() {
                    let records = self.records();
                    let mut attaching = arranged.finish(&records);
                    let has_lanes = |shape: &Option<Shape>| {
                        shape.as_ref().is_some_and(|shape| shape.kind == Kind::Memory && shape.has_lanes())
                    };
                    if self.shapes.iter().zip(&records).any(|(shape, n)| n.is_some() && has_lanes(shape)) {
                        attaching.keep_moved();
                    }
                    Pass::Count(Box::new(attaching))
                } else {
                    Pass::Arrange(arranging)
                };
                self.is_queued = false;
            }
            Pass::Count(mut attaching) => self.count(attaching.prepare(), attaching),
            Pass::Attach(attaching) if !self.is_queued => {
                self.pass = Pass::Attach(attaching);
                self.enqueue_rest();
            }
            Pass::Attach(mut attaching) => {
                attaching.settle();
                self.tell(attaching.take_events());
                self.pass = Pass::End(attaching);
            }
            Pass::End(mut attaching) => {
                let (said, uses, names) = (&mut self.said, &self.uses, &self.names);
                let kernel = self.manifest.kernels.get(self.kernel)?;
                let more = attaching.end(&mut |event| {
                    if let Some(spot) = spot_of(uses, &event) {
                        told(said, spot, kernel, names, event);
                    }
                });
                self.pass = Pass::End(attaching);
                if !more {
                    return None;
                }
            }
            Pass::Done => return None,
        }
        Some(Want::Again)
    }

    /// Goes on before records are attached.
    fn count(&mut self, has_more: bool, mut attaching: Box<Attaching>) {
        self.pass = if has_more {
            Pass::Count(attaching)
        } else if !attaching.is_counting() {
            self.is_queued = false;
            Pass::Attach(attaching)
        } else if self.is_queued {
            attaching.end_counts();
            self.is_queued = false;
            Pass::Count(attaching)
        } else {
            self.pass = Pass::Count(attaching);
            return self.enqueue_rest();
        };
    }

    /// Records of each type as far as there are buffers of it.
    fn records(&self) -> Vec<Option<u64>> {
        let of_type = |of: usize| {
            let shape = self.shapes.get(of)?.as_ref()?;
            let own = self.uses.0.iter().filter(|buffer| buffer.is_read && buffer.of == Some(of));
            let each = shape.bytes.max(shape.least).max(1) as u64;
            let n = own.map(|buffer| buffer.used.1 / each).reduce(u64::saturating_add);
            let tagged = self.tagged.get(of).copied().filter(|n| 0 < *n);
            n.or(tagged).map(|n| n.saturating_add(tagged.unwrap_or(0)))
        };
        (0..self.shapes.len()).map(of_type).collect()
    }

    fn enqueue_rest(&mut self) {
        let is_flow = self.order.is_some_and(|(_, is_flow)| is_flow);
        self.enqueue(|buffer, of| !is_flow || buffer.of != Some(of));
    }

    /// Wants these buffers.
    fn enqueue(&mut self, is_wanted: impl Fn(&Use, usize) -> bool) {
        self.is_queued = true;
        let Some((of, _)) = self.order else { return };
        for (row, buffer) in self.uses.0.iter().enumerate() {
            if !buffer.is_read || !is_wanted(buffer, of) {
                continue;
            }
            // A file that is cut is said to be; its checksum says no more.
            let is_whole = buffer.payload.end - buffer.payload.start == buffer.head.capacity;
            let is_summed = is_whole && buffer.head.crc != 0 && !buffer.is_visited;
            let ranges = buffer.ranges();
            let (whole, is_one) = (buffer.payload.clone(), ranges.len() < 2);
            if is_summed && !is_one {
                self.queue.push_back(Stream {
                    buffer: row,
                    range: whole.clone(),
                    is_summed,
                    cut: Cut::default(),
                });
            }
            for range in &ranges {
                let sums = is_summed && is_one;
                let wanted = if sums { whole.clone() } else { range.clone() };
                self.queue.push_back(Stream {
                    buffer: row,
                    range: wanted,
                    is_summed: sums,
                    cut: Cut::of(range),
                });
            }
            if ranges.is_empty() && is_summed {
                self.queue.push_back(Stream { buffer: row, range: whole, is_summed, cut: Cut::default() });
            }
        }
    }

    /// Takes more of what is wanted.
    pub(super) fn feed(&mut self, chunk: &[u8]) {
        let Some(stream) = self.queue.front_mut() else { return };
        if stream.is_summed {
            self.crc.update(chunk);
        }
        let Some(buffer) = self.uses.0.get_mut(stream.buffer) else { return };
        let Some(kernel) = self.manifest.kernels.get(self.kernel) else { return };
        let taker = match &mut self.pass {
            Pass::Order(order) => Taker::Order(order, self.order.map_or(usize::MAX, |(of, _)| of)),
            Pass::Count(attaching) => Taker::Count(attaching),
            Pass::Attach(attaching) => Taker::Attach(attaching),
            _ => return,
        };
        let mut sorter = Sorter {
            shapes: &self.shapes,
            types: &self.types,
            kernel,
            block_ids: &self.block_ids,
            sector: self.manifest.sector_bytes,
            buffer,
            said: &mut self.said,
            taker,
            names: &self.names,
            tagged: &mut self.tagged,
        };
        sorter.feed(&mut stream.cut, chunk);
        let events = match &mut self.pass {
            Pass::Order(order) => order.take_events(),
            Pass::Attach(attaching) => attaching.take_events(),
            _ => Vec::new(),
        };
        self.tell(events);
    }

    /// Says what combining found wrong.
    fn tell(&mut self, events: Vec<Event>) {
        let Some(kernel) = self.manifest.kernels.get(self.kernel) else { return };
        for event in events {
            if let Some(spot) = spot_of(&self.uses, &event) {
                told(&mut self.said, spot, kernel, &self.names, event);
            }
        }
    }

    /// What was wanted, if anything was, has come to its end.
    pub(super) fn end_stream(&mut self) {
        if !std::mem::take(&mut self.is_asked) {
            return;
        }
        let Some(stream) = self.queue.pop_front() else { return };
        let is_last = self.queue.front().is_none_or(|next| next.buffer != stream.buffer);
        let Some(buffer) = self.uses.0.get_mut(stream.buffer) else { return };
        if stream.is_summed && self.crc.sum() != buffer.head.crc {
            let (given, found) = (buffer.head.crc, self.crc.sum());
            self.said.say(
                ("GMT-CRC", Severity::Warning),
                buffer.of,
                Spot::of(buffer, buffer.start + 60),
                || {
                    let text = message("the checksum is {given}, but the bytes give {found}");
                    let text =
                        text.with("given", format!("{given:08x}")).with("found", format!("{found:08x}"));
                    (text, phrase("The bytes may be damaged; they are still read.").into())
                },
            );
        }
        buffer.is_visited |= is_last;
    }

    /// Where reading is: the entry and the byte.
    pub(super) fn position(&self) -> Option<(crate::input::EntryId, u64)> {
        let stream = self.queue.front()?;
        Some((self.uses.0.get(stream.buffer)?.entry, stream.cut.at))
    }
}
