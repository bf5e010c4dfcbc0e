//! The buffers: how large they are, and their bytes.

use super::{Archive, Arrangement, Options, Slot, Survey, TYPES, make_records, manifest, program, rows};
use crate::base::job::Turn;
use crate::model::Symbols;
use crate::systems::instrumentation::container::{HEAD, Head, UNWRITTEN};
use crate::views::executions::compute::Recorded;
use std::io::Result;

/// Bytes that are written between two pauses.
const PIECE: u64 = 1 << 18;
/// Bytes before a record in a buffer of all types.
const TAG: u64 = 4;

/// A buffer in a file.
pub(super) struct Segment {
    /// Row of the launch.
    pub(super) launch: usize,
    /// Row of the type; `None` for all.
    pub(super) of: Option<usize>,
    /// Row of its slot, where each has its own.
    pub(super) slot: Option<usize>,
    pub(super) file: String,
    /// Where it begins in the file.
    pub(super) offset: u64,
    pub(super) capacity: u64,
    /// Bytes that are reserved.
    pub(super) next: u64,
    dropped: u64,
}

impl Segment {
    fn bytes(&self) -> u64 {
        HEAD + self.capacity
    }
}

/// The buffers that are written.
pub(super) struct Buffers {
    pub(super) survey: Survey,
    pub(super) options: Options,
    pub(super) segments: Vec<Segment>,
}

impl Buffers {
    pub(super) fn new(recorded: &Recorded, survey: Survey, options: Options) -> Self {
        let each = survey.lanes.bytes();
        let mut segments: Vec<Segment> = Vec::new();
        for (launch, slots) in survey.slots.iter().enumerate().take(recorded.launches.len()) {
            let mut add = |of: Option<usize>, slot: Option<usize>, next: u64, name: &str| {
                let file = format!("d{launch}{name}.bin");
                let before = segments.last().filter(|last| last.file == file);
                let offset = before.map_or(0, |last| last.offset + last.bytes());
                let capacity = options.capacity(next);
                segments.push(Segment { launch, of, slot, file, offset, capacity, next, dropped: 0 });
            };
            let sum = |of: usize| slots.iter().filter_map(|slot| slot.records.get(of)).sum::<u64>();
            if options.arrangement == Arrangement::Tagged {
                let next = each.iter().enumerate().map(|(of, bytes)| sum(of) * (bytes + TAG)).sum();
                add(None, None, next, "");
                continue;
            }
            for (of, bytes) in each.iter().enumerate().filter(|(of, _)| 0 < sum(*of)) {
                let name = format!(".{}", manifest::NAMES.get(of).copied().unwrap_or(""));
                if options.arrangement == Arrangement::Shared {
                    add(Some(of), None, sum(of) * bytes, &name);
                    continue;
                }
                for (row, slot) in slots.iter().enumerate() {
                    let records = slot.records.get(of).copied().unwrap_or(0);
                    if 0 < records {
                        add(Some(of), Some(row), records * bytes, &name);
                    }
                }
            }
        }
        Self { survey, options, segments }
    }

    /// Writes them.
    pub(super) async fn write(
        mut self,
        (recorded, symbols): (&Recorded, Option<&Symbols>),
        archive: &mut Archive,
        turn: &Turn,
    ) -> Result<()> {
        let text = manifest::text((recorded, symbols), &self);
        archive.begin("manifest.json", text.len() as u64)?;
        archive.append(text.as_bytes())?;
        turn.pause().await;
        for number in 0..self.segments.len() {
            // Of one type all records have one size; of several those that do not fit are counted first.
            let is_counted = self.segments.get(number).is_some_and(|segment| {
                segment.of.is_none() && segment.capacity < segment.next && segment.dropped == 0
            });
            if is_counted {
                self.fill(recorded, number, None, turn).await?;
            }
            self.begin(number, archive)?;
            self.fill(recorded, number, Some(archive), turn).await?;
        }
        Ok(())
    }

    /// Begins a buffer.
    fn begin(&self, number: usize, archive: &mut Archive) -> Result<()> {
        let Some(segment) = self.segments.get(number) else { return Ok(()) };
        if segment.offset == 0 {
            let own = self.segments.iter().filter(|other| other.file == segment.file);
            archive.begin(&segment.file, own.map(Segment::bytes).sum())?;
        }
        archive.append(&self.head(segment).bytes())
    }

    fn head(&self, segment: &Segment) -> Head {
        let each = segment.of.and_then(|of| self.survey.lanes.bytes().get(of).copied()).unwrap_or(0);
        let lost = segment.next.saturating_sub(segment.capacity.checked_div(each).unwrap_or(0) * each);
        let thread = segment.slot.and_then(|row| self.survey.slots.get(segment.launch)?.get(row));
        let is_over = segment.capacity < segment.next;
        Head {
            of: segment.of.and_then(|of| u32::try_from(of + 1).ok()).unwrap_or(0),
            capacity: segment.capacity,
            next: segment.next,
            record_bytes: u32::try_from(each).unwrap_or(0),
            thread: thread.map_or(UNWRITTEN, |slot| slot.id),
            dispatch: u32::try_from(segment.launch).unwrap_or(0),
            run: 1,
            dropped: if is_over { lost.checked_div(each).unwrap_or(segment.dropped) } else { 0 },
            is_over,
            is_ring: false,
            crc: 0,
        }
    }

    /// Fills a buffer to its capacity; without an archive counts the records that do not fit.
    async fn fill(
        &mut self,
        recorded: &Recorded,
        number: usize,
        mut archive: Option<&mut Archive>,
        turn: &Turn,
    ) -> Result<()> {
        let Some(segment) = self.segments.get_mut(number) else { return Ok(()) };
        let Some(launch) = recorded.launches.get(segment.launch) else { return Ok(()) };
        let Some(program) = program(recorded, launch) else { return Ok(()) };
        let slots = self.survey.slots.get(segment.launch).map_or(&[][..], Vec::as_slice);
        let own = slots.iter().enumerate().filter(|(row, _)| segment.slot.is_none_or(|slot| slot == *row));
        let mut weave = Weave::new(own, self.options.seed);
        let needs_rows = segment.of != Some(super::FLOW);
        // Bytes that were reserved, and those of them that were written.
        let (mut at, mut written, mut paused) = (0_u64, 0_u64, 0);
        let (is_dry, mut out) = (archive.is_none(), Vec::new());
        while let Some((slot, execution)) = weave.next() {
            let rows = if needs_rows { rows(launch, program, execution)? } else { Vec::new() };
            let thread = slots.get(slot).map_or(0, |slot| slot.id);
            make_records(&self.survey, (launch, program), thread, execution, &rows, |of, record| {
                if segment.of.is_some_and(|own| own != of) || TYPES <= of {
                    return;
                }
                let tag = if segment.of.is_none() { TAG } else { 0 };
                let bytes = record.len() as u64 + tag;
                let fits = at.saturating_add(bytes) <= segment.capacity;
                at = at.saturating_add(bytes);
                if !fits {
                    segment.dropped += u64::from(is_dry);
                } else if !is_dry {
                    if 0 < tag {
                        out.extend(u16::try_from(of + 1).unwrap_or(0).to_le_bytes());
                        out.extend(u16::try_from(bytes).unwrap_or(u16::MAX).to_le_bytes());
                    }
                    out.extend_from_slice(record);
                    written += bytes;
                }
            });
            if PIECE <= at - paused {
                paused = at;
                archive.as_mut().map_or(Ok(()), |archive| archive.append(&out))?;
                out.clear();
                turn.pause().await;
            }
        }
        let Some(archive) = archive else { return Ok(()) };
        archive.append(&out)?;
        // What was never written.
        let mut left = segment.capacity.saturating_sub(written);
        while 0 < left {
            let now = left.min(PIECE);
            archive.append(&vec![0xff; usize::try_from(now).unwrap_or(0)])?;
            left -= now;
            turn.pause().await;
        }
        Ok(())
    }
}

// Threads that run at the same time: which of them writes next is decided by a seed.

/// Executions of all threads, mixed; those of one thread stay in their order.
struct Weave {
    random: u64,
    /// Row of each slot that still has executions, the next of these, and their end.
    running: Vec<(usize, u32, u32)>,
}

impl Weave {
    /// Of these slots.
    pub(super) fn new<'a>(slots: impl Iterator<Item = (usize, &'a Slot)>, seed: u64) -> Self {
        let running = slots.filter(|(_, slot)| !slot.executions.is_empty());
        let running = running.map(|(row, slot)| (row, slot.executions.start, slot.executions.end)).collect();
        Self { random: seed, running }
    }

    /// The slot that writes next, and its execution.
    pub(super) fn next(&mut self) -> Option<(usize, u32)> {
        // splitmix64
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let n = self.running.len() as u64;
        let at = usize::try_from(z.checked_rem(n)?).ok()?;
        let (slot, execution, end) = self.running.get_mut(at)?;
        let found = (*slot, *execution);
        *execution += 1;
        if *execution == *end {
            self.running.swap_remove(at);
        }
        Some(found)
    }
}
