//! Records of a buffer are told apart and handed on: to the order of blocks, or to the executions that wrote them.

use super::buffer::{UNWRITTEN, Use};
use super::checks::{Said, Spot};
use super::manifest::Kernel;
use super::shape::{RECORD, Shape, word};
use crate::base::fault::Severity;
use crate::base::number::thousands;
use crate::base::words::{Message, message, phrase};
use crate::systems::instrumentation::combine::{Attaching, Emit, Item, Lookup, Order};
use crate::views::executions::compute::{NO_BLOCK, Space};
use std::ops::Range;
use std::slice::ChunksExact;

/// Who takes the records.
pub(super) enum Taker<'a> {
    /// Those of this type, in their order.
    Order(&'a mut Order, usize),
    /// All but those of this type are counted.
    Count(&'a mut Attaching),
    Attach(&'a mut Attaching),
}

/// Where cutting is in a buffer.
#[derive(Default)]
pub(super) struct Cut {
    /// The begin of a record whose end has not come yet.
    rest: Vec<u8>,
    /// The byte of the file where the next one begins.
    pub(super) at: u64,
    /// Bytes that are still records.
    pub(super) left: u64,
    /// Where bytes begin that were never written, as far as the last ones are.
    hole: Option<u64>,
    /// Whether nothing more can be told apart.
    is_lost: bool,
}

impl Cut {
    /// At the begin of a range of records.
    pub(super) fn of(range: &Range<u64>) -> Self {
        Self { at: range.start, left: range.end.saturating_sub(range.start), ..Self::default() }
    }
}

/// How many bytes the next record has.
enum Size {
    /// So many, with so many before its fields.
    Of(usize, usize),
    /// These bytes were never written.
    Hole,
    /// More bytes are needed to tell.
    More,
    /// Nothing behind here can be told apart.
    Lost,
}

/// What tells records apart.
pub(super) struct Sorter<'a> {
    pub(super) shapes: &'a [Option<Shape>],
    pub(super) types: &'a [u32],
    pub(super) kernel: &'a Kernel,
    pub(super) block_ids: &'a Lookup,
    pub(super) sector: u64,
    pub(super) buffer: &'a mut Use,
    pub(super) said: &'a mut Said,
    pub(super) taker: Taker<'a>,
    /// Names of types, for sentences.
    pub(super) names: &'a [String],
    /// Records of each type in buffers of several.
    pub(super) tagged: &'a mut [u64],
}

/// The emits of a type.
pub(super) fn emits<'a>(taker: &'a Taker, of: usize) -> Option<&'a [Emit]> {
    let rules = match taker {
        Taker::Order(order, _) => order.rules(),
        Taker::Count(attaching) | Taker::Attach(attaching) => attaching.rules(),
    };
    rules.types.get(of).map(|rule| rule.emits.as_slice())
}

impl Sorter<'_> {
    /// Takes more bytes of the buffer.
    pub(super) fn feed(&mut self, cut: &mut Cut, chunk: &[u8]) {
        let n = usize::try_from(cut.left).unwrap_or(usize::MAX).min(chunk.len());
        cut.left -= n as u64;
        let mut bytes = chunk.get(..n).unwrap_or(&[]);
        // A record that begins in the chunk before is completed byte by byte where its size is not known yet.
        while !cut.rest.is_empty() && !bytes.is_empty() {
            let missing = match self.size(&cut.rest) {
                Size::Of(size, _) if cut.rest.len() < size => size - cut.rest.len(),
                Size::More => 1,
                _ => 0,
            };
            let (head, tail) = bytes.split_at(missing.min(bytes.len()));
            cut.rest.extend_from_slice(head);
            bytes = tail;
            if head.len() < missing {
                return;
            }
            let rest = std::mem::take(&mut cut.rest);
            let done = self.records(cut, &rest);
            cut.rest = rest.get(done..).unwrap_or(&[]).to_vec();
        }
        if cut.rest.is_empty() && !cut.is_lost {
            let done = self.records(cut, bytes);
            cut.rest.extend_from_slice(bytes.get(done..).unwrap_or(&[]));
        }
        // At the end of one that overflowed there is room that was too small for a record.
        if cut.left == 0
            && !self.buffer.is_over()
            && let Some(hole) = cut.hole.take()
        {
            self.hole(self.buffer.of, hole);
        }
    }

    /// Takes the whole records of these bytes; returns how many bytes these are.
    fn records(&mut self, cut: &mut Cut, bytes: &[u8]) -> usize {
        let shapes = self.shapes;
        let fixed = self.buffer.of.and_then(|of| Some((of, shapes.get(of)?.as_ref()?)));
        if let Some((of, shape)) = fixed.filter(|(_, shape)| 0 < shape.bytes) {
            let mut records = bytes.chunks_exact(shape.bytes);
            let done = bytes.len() - records.remainder().len();
            loop {
                let n = self.plain(of, shape, &mut records.clone(), self.buffer.place(cut.at));
                cut.at += (n * shape.bytes) as u64;
                let Some(record) = records.nth(n) else { return done };
                self.one(of, shape, record, (cut.at, self.buffer.place(cut.at)));
                cut.at += shape.bytes as u64;
            }
        }
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            let n = match self.size(rest) {
                Size::Of(size, head) if size <= rest.len() => {
                    let record = rest.get(head..size).unwrap_or(&[]);
                    if let Some(hole) = cut.hole.take() {
                        self.hole(self.buffer.of, hole);
                    }
                    self.varying(rest, record, head, cut.at);
                    size
                }
                Size::Of(..) | Size::More => break,
                Size::Hole => {
                    cut.hole.get_or_insert(cut.at);
                    4.min(rest.len())
                }
                Size::Lost => {
                    self.lost(cut.at);
                    (cut.left, cut.is_lost) = (0, true);
                    return bytes.len();
                }
            };
            done += n;
            cut.at += n as u64;
        }
        done
    }

    /// The size of the record that begins here.
    fn size(&self, bytes: &[u8]) -> Size {
        let Some(of) = self.buffer.of else {
            if bytes.len() < 4 {
                return Size::More;
            }
            let tag = word(bytes, 0);
            let size = usize::try_from(tag >> 16).unwrap_or(0);
            return match size {
                _ if tag == u32::MAX => Size::Hole,
                0..4 => Size::Lost,
                size => Size::Of(size, 4),
            };
        };
        let Some(shape) = self.shapes.get(of).and_then(Option::as_ref) else { return Size::Lost };
        if 0 < shape.bytes {
            return Size::Of(shape.bytes, 0);
        }
        if bytes.len() < shape.least {
            return Size::More;
        }
        let (thread, block) = shape.head(bytes);
        let row = self.block_ids.get(block);
        let emit = row.zip(emits(&self.taker, of)).and_then(|(row, emits)| emits.get(row as usize));
        match emit.map(|emit| emit.bytes).filter(|bytes| (shape.least..=RECORD).contains(bytes)) {
            _ if thread == UNWRITTEN => Size::Hole,
            Some(bytes) => Size::Of(bytes, 0),
            None => Size::Lost,
        }
    }

    /// Takes a record whose size is its own.
    fn varying(&mut self, tagged: &[u8], record: &[u8], head: usize, byte: u64) {
        let of = match self.buffer.of {
            Some(of) => Some(of),
            None => self.types.iter().position(|id| *id == word(tagged, 0) & 0xffff),
        };
        let shapes = self.shapes;
        let found = of.and_then(|of| Some((of, shapes.get(of)?.as_ref()?)));
        match found {
            Some((of, shape)) if shape.least.max(shape.bytes) <= record.len() => {
                if !self.buffer.is_visited && 0 < head {
                    self.tagged.get_mut(of).into_iter().for_each(|n| *n += 1);
                }
                self.one(of, shape, record, (byte, self.buffer.place(byte)));
            }
            _ if !self.buffer.is_visited => {
                let id = word(tagged, 0) & 0xffff;
                self.said.say(("GMT-TYPE", Severity::Loss), of, Spot::of(self.buffer, byte), || {
                    let text = message("a record of type {id} with {n} bytes cannot be read");
                    (text.with("id", id).with("n", record.len() + head), phrase("It is skipped.").into())
                });
            }
            _ => {}
        }
    }

    /// Takes records of one size, as long as nothing has to be said of one; returns how many. The first has this place,
    /// the others have those behind it.
    fn plain(&mut self, of: usize, shape: &Shape, records: &mut ChunksExact<u8>, place: u32) -> usize {
        let (ids, mut n) = (self.block_ids, 0);
        let record = |record: &[u8]| {
            let (thread, id) = shape.head(record);
            let block = ids.get(id).filter(|_| thread != UNWRITTEN)?;
            n += 1;
            Some((thread, block, place.saturating_add(n - 1)))
        };
        match &mut self.taker {
            Taker::Order(order, wanted) if *wanted == of && !shape.has_times() => {
                order.take_all(records.map_while(record));
            }
            Taker::Attach(attaching) if !shape.has_accesses() => {
                let mut record = record;
                let item = |bytes: &[u8]| {
                    let (thread, block, place) = record(bytes)?;
                    Some((thread, Item { block, place, facts: shape.facts(bytes) }))
                };
                attaching.take_all(of, records.map_while(item));
            }
            _ => {}
        }
        if !self.buffer.is_visited {
            self.buffer.records += u64::from(n);
        }
        n as usize
    }

    /// Takes a record, with the byte of the file where it begins and the place that it has.
    #[inline]
    fn one(&mut self, of: usize, shape: &Shape, record: &[u8], (byte, place): (u64, u32)) {
        let (thread, id) = shape.head(record);
        if thread == UNWRITTEN {
            return self.hole(Some(of), byte);
        }
        if !self.buffer.is_visited {
            self.buffer.records += 1;
        }
        let block = self.block_ids.get(id);
        if block.is_none() && !self.buffer.is_visited {
            self.unknown(of, (thread, id), byte);
        }
        let kernel = self.kernel;
        match &mut self.taker {
            Taker::Order(order, wanted) if *wanted == of => {
                order.take((thread, block.unwrap_or(NO_BLOCK), place), shape.time(record));
            }
            Taker::Order(..) => {}
            Taker::Count(attaching) => attaching.count(of, thread),
            Taker::Attach(attaching) => {
                let Some(block) = block else { return };
                let is_global = |instruction: u32| {
                    let block = kernel.blocks.get(block as usize);
                    let found = block.and_then(|block| block.instructions.get(instruction as usize));
                    found.and_then(|found| found.memory).is_none_or(|memory| memory.space == Space::Global)
                };
                let access = shape.has_accesses().then(|| shape.access(record, self.sector, is_global));
                attaching.take(of, thread, Item { block, place, facts: shape.facts(record) }, access);
            }
        }
    }

    #[cold]
    fn hole(&mut self, of: Option<usize>, byte: u64) {
        if self.buffer.is_visited {
            return;
        }
        self.buffer.holes += 1;
        self.said.say(("GMT-HOLE", Severity::Warning), of, Spot::of(self.buffer, byte), || {
            let name = of.and_then(|of| self.names.get(of)).cloned().unwrap_or_default();
            let text = message("a record of {type} was reserved and never written").with("type", name);
            (text, phrase("It is skipped.").into())
        });
    }

    #[cold]
    fn unknown(&mut self, of: usize, (thread, id): (u32, u32), byte: u64) {
        self.said.say(("GMT-BLK", Severity::Loss), Some(of), Spot::of(self.buffer, byte), || {
            let text = message("block {id} of thread {thread} is unknown");
            let note = phrase("The record is shown as an unknown block.");
            (text.with("id", id).with("thread", thread), note.into())
        });
    }

    #[cold]
    fn lost(&mut self, byte: u64) {
        if self.buffer.is_visited {
            return;
        }
        self.said.say(("GMT-TYPE", Severity::Loss), self.buffer.of, Spot::of(self.buffer, byte), || {
            let n = self.buffer.payload.start.saturating_add(self.buffer.used.1).saturating_sub(byte);
            let text: Message = message("the record size is unknown");
            let note = message("The last {n} bytes of the buffer are not read.").with("n", thousands(n));
            (text, note)
        });
    }
}
