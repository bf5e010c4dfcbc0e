//! Files of counters, one after the other.

use super::{Group, Groups, head, unit_of};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::order;
use crate::base::time::Clock;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::format::{Claim, Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::model::build::natural;
use crate::model::id::{StrId, TrackId};
use crate::model::track::TrackKind;
use crate::systems::gainsight::lines::{Line, Lines};
use std::collections::{BTreeMap, VecDeque};

/// The files of a folder.
pub(super) struct Files {
    waiting: VecDeque<EntryId>,
    now: Option<Now>,
    groups: BTreeMap<String, Option<TrackId>>,
    has_begun: bool,
}

/// The file that is being read.
struct Now {
    entry: EntryId,
    path: String,
    lines: Lines,
    track: Option<TrackId>,
    counters: Vec<StrId>,
    /// Cycle and counts of the row before.
    before: Option<(i64, Vec<u64>)>,
    /// Counts of the first row, which wait for the length of a stretch.
    first: Option<(i64, Vec<u64>)>,
}

impl Files {
    pub(super) fn new(claim: &Claim) -> Self {
        let waiting = claim.entries.iter().map(|(entry, _)| *entry).collect();
        Self { waiting, now: None, groups: BTreeMap::new(), has_begun: false }
    }

    fn open(&mut self, entry: EntryId, bundle: &Bundle, sink: &mut Sink) -> u64 {
        let of = bundle.get(entry);
        let path = of.map_or_else(String::new, |of| of.path.clone());
        let (group, unit, number) = unit_of(of.map_or("", |of| of.name()));
        let builder = &mut sink.builder;
        let above = match self.groups.get(&group) {
            Some(known) => *known,
            None if group.is_empty() => None,
            None => {
                let name = builder.intern(&group);
                let track = builder.track(None, TrackKind::Group, name, entry.0);
                self.groups.insert(group.clone(), track);
                track
            }
        };
        let name = builder.intern(&format!("{unit}{number}"));
        let track = builder.track(above, TrackKind::Counter, name, entry.0);
        if let Some(track) = track {
            let groups: &mut Groups = builder.head().extensions.get_or_default();
            let own = groups.0.entry(group).or_insert_with(|| Group { unit, ..Group::default() });
            // Files of one number, such as copies, stand behind each other.
            let free = (number..=u64::MAX).find(|number| !own.tracks.contains_key(number));
            own.tracks.insert(free.unwrap_or(number), track);
        }
        self.now = Some(Now {
            entry,
            path,
            lines: Lines::default(),
            track,
            counters: Vec::new(),
            before: None,
            first: None,
        });
        of.map_or(0, |of| of.source.len())
    }
}

impl Now {
    fn line(&mut self, line: Line, sink: &mut Sink) {
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim();
        if line.number == 1 || text.is_empty() {
            let names = head(text).unwrap_or_default();
            if line.number == 1 {
                self.counters = names.iter().map(|name| sink.builder.intern(name)).collect();
            }
            return;
        }
        let mut cells = text.split(',').map(str::trim);
        let cycle = cells.next().and_then(|cell| cell.parse::<i64>().ok()).filter(|cycle| 0 <= *cycle);
        let counts: Option<Vec<u64>> = cells.map(|cell| cell.parse().ok()).collect();
        let row = cycle.zip(counts.filter(|counts| counts.len() == self.counters.len()));
        let Some((cycle, counts)) = row else {
            let expected = phrase("a cycle and its counts").into();
            let kind = Kind::Unexpected { expected, found: excerpt(line.bytes).into() };
            return self.fault("PRC-ROW", Severity::Loss, line, kind, phrase("The row is skipped."), sink);
        };
        let Some((last, before)) = self.before.take() else {
            self.first = Some((cycle, counts.clone()));
            self.before = Some((cycle, counts));
            return;
        };
        if cycle <= last {
            let a = message("the row before is of cycle {n}").with("n", last);
            let kind = Kind::Contradiction { a, b: message("this one is of cycle {n}").with("n", cycle) };
            self.before = Some((last, before));
            return self.fault("PRC-ORDER", Severity::Loss, line, kind, phrase("The row is skipped."), sink);
        }
        if let Some((at, first)) = self.first.take() {
            self.push(at.saturating_sub(cycle - last).max(0), &first, sink);
        }
        if counts.iter().zip(&before).any(|(now, before)| now < before) {
            let kind = Kind::Problem(message("a counter falls"));
            let note = phrase("It is taken as one that begins anew.");
            self.fault("PRC-FALL", Severity::Warning, line, kind, note, sink);
        }
        let added: Vec<u64> = counts
            .iter()
            .zip(&before)
            .map(|(now, before)| now.checked_sub(*before).unwrap_or(*now))
            .collect();
        self.push(last, &added, sink);
        self.before = Some((cycle, counts));
    }

    fn push(&self, cycle: i64, counts: &[u64], sink: &mut Sink) {
        let Some(track) = self.track else { return };
        for (counter, count) in self.counters.iter().zip(counts) {
            sink.builder.sample(track, *counter, &Unit::None, cycle, *count as f64);
        }
    }

    /// Everything was read: nothing is known from the last row on.
    fn finish(&mut self, sink: &mut Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line| self.line(line, sink));
        if let Some((at, first)) = self.first.take() {
            self.push(at.saturating_sub(1).max(0), &first, sink);
        }
        if let (Some((last, _)), Some(track)) = (&self.before, self.track) {
            for counter in &self.counters {
                sink.builder.sample(track, *counter, &Unit::None, *last, f64::NAN);
            }
        }
    }

    #[cold]
    fn fault(
        &self,
        code: &'static str,
        severity: Severity,
        line: Line,
        kind: Kind,
        note: &'static str,
        sink: &mut Sink,
    ) {
        let place = Place::byte(&self.path, line.at).line(line.number, 1);
        sink.fault(Fault::new(code, severity, place, kind).note(note));
    }
}

impl Reading for Files {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if !self.has_begun {
            self.has_begun = true;
            sink.step = "Reading";
            sink.builder.head().clock = Clock::Cycles { hz: None };
            let name = |id: &EntryId| bundle.get(*id).map_or("", |entry| entry.path.as_str());
            order::sort_by(self.waiting.make_contiguous(), |a, b| natural(name(a), name(b)));
        }
        if let Some(mut now) = self.now.take() {
            now.finish(sink);
        }
        let Some(entry) = self.waiting.pop_front() else { return Ok(Want::Done) };
        let len = self.open(entry, bundle, sink);
        Ok(Want::Stream { entry, range: 0..len })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let Some(now) = &mut self.now else { return Ok(()) };
        let mut lines = std::mem::take(&mut now.lines);
        lines.feed(chunk, |line| now.line(line, sink));
        now.lines = lines;
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.now.as_ref().map(|now| (now.entry, now.lines.position()))
    }
}
