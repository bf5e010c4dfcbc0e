//! The last step of opening: rows are sorted, what follows from all of them is computed, and what it shows is said.

use super::{Document, Need, Stage};
use crate::analysis::nnapi::{Nnapi, aosp::StopAt, first_line};
use crate::analysis::timeline::MAX_LANES;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::phrase;
use crate::input::bundle::EntryId;

impl Document {
    /// Sorts the rows and computes what follows from all of them.
    pub(super) fn finish(&mut self) -> Need {
        self.sink.step = "Sorting and summing";
        // Bands are rows of the timeline: they come before the rows are sorted.
        let nnapi = Nnapi::of(self.sink.builder.trace());
        if let Some(nnapi) = &nnapi {
            nnapi.add_bands(&mut self.sink.builder);
        }
        self.sink.builder.finish();
        self.derived.nnapi = nnapi;
        self.derived.finish(self.sink.builder.trace());
        self.say_lanes();
        self.say_stop();
        if self.is_empty() {
            return Need::Failed;
        }
        self.stage = Stage::Ready;
        Need::Ready
    }

    /// Says which tracks have slices that found no lane: they are not drawn.
    fn say_lanes(&mut self) {
        let trace = self.sink.builder.trace();
        let full = trace.tracks.iter().find(|(id, _)| 0 < self.derived.timeline.track(*id).n_unplaced());
        let Some((id, track)) = full else { return };
        let place = Place {
            entry: self.bundle.get(EntryId(track.entry)).map_or(String::new(), |e| e.path.clone()),
            block: trace.strings.get(track.name).to_owned(),
            ..Place::default()
        };
        let n = self.derived.timeline.track(id).n_unplaced();
        let allowed = MAX_LANES as u64;
        let kind =
            Kind::Limit { what: phrase("slices at one time on a track").into(), asked: allowed + n, allowed };
        let note = phrase("The others have no place to be drawn at; tables and searches hold them.");
        self.sink.fault(Fault::new("TIM-LANES", Severity::Loss, place, kind).note(note));
    }

    /// Says where the AOSP parser ends, unless the reader did: it ends while it collects rows.
    fn say_stop(&mut self) {
        let Some(stop) = self.derived.nnapi.as_ref().and_then(|nnapi| nnapi.stop.as_ref()) else { return };
        if stop.at == StopAt::Collecting {
            return;
        }
        let marks = &self.sink.builder.trace().marks;
        let entry = self.bundle.get(EntryId(marks.entry)).map_or(String::new(), |e| e.path.clone());
        let mut place = Place { entry, ..Place::default() };
        if let StopAt::Row(row) | StopAt::Thread(row) = stop.at {
            let (start, line) = (marks.start.get(row as usize), marks.line.get(row as usize));
            place.byte = start.copied();
            place = match line {
                Some(&line) if 0 < line => place.line(line, 1),
                _ => place,
            };
        }
        let kind = Kind::Unexpected {
            expected: phrase("marks that the AOSP parser takes").into(),
            found: first_line(&stop.refusal.words()),
        };
        let note = phrase("The AOSP parser stops here; everything that can be read is shown.");
        self.sink.fault(Fault::new("SYS-AOSP-STOPS", Severity::Note, place, kind).note(note));
    }
}
