//! Events that say something of tracks (`M`) and events that are values over time (`C`).

use super::events::{Events, One, Refused, Taken};
use super::fields::Key;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::input::json::scan::{Members, unquoted};
use crate::input::json::unescape;
use crate::model::id::StrId;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;

const OTHER_METADATA: &str = "metadata other than names, labels and sort order";
const EMPTY_METADATA: &str = "metadata without a valid value";
const NO_NUMBER: &str = "counter samples without a number";
const AT_ZERO: &str = "operator counter samples at time 0";
const NO_PID: &str = "operator counter samples without pid";

impl Events {
    pub(super) fn metadata(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let pid = one.raw(Key::Pid);
        match one.text(Key::Name) {
            b"process_name" => {
                let name = self.arg_name(one, b"name", sink)?;
                let process = self.tracks.process(pid);
                self.tracks.name_process(process, name, sink);
            }
            b"process_labels" => {
                let labels = self.arg_name(one, b"labels", sink)?;
                let process = self.tracks.process(pid);
                self.tracks.label_process(process, labels, sink);
            }
            b"process_sort_index" => {
                let order = sort_index(one)?;
                let process = self.tracks.process(pid);
                self.tracks.order_process(process, order, sink);
            }
            b"thread_name" => {
                let name = self.arg_name(one, b"name", sink)?;
                let thread = self.tracks.thread(pid, one.raw(Key::Tid));
                self.tracks.name_thread(thread, name, sink);
            }
            b"thread_sort_index" => {
                let order = sort_index(one)?;
                let thread = self.tracks.thread(pid, one.raw(Key::Tid));
                self.tracks.order_thread(thread, order, sink);
            }
            _ => return Err(OTHER_METADATA.into()),
        }
        self.tally.metadata += 1;
        Ok(())
    }

    /// The row of a text among the args.
    fn arg_name(&mut self, one: &One, name: &[u8], sink: &mut Sink) -> Result<StrId, Refused> {
        let raw = arg(one, name).ok_or(EMPTY_METADATA)?;
        let (text, odd) = super::read_names(unquoted(raw));
        let id = sink.builder.intern(&text);
        if let Some(odd) = odd {
            self.report_odd(odd, one, sink);
        }
        Ok(id)
    }

    pub(super) fn counter(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let pid = one.raw(Key::Pid);
        if self.is_operator && unquoted(pid).is_empty() {
            return Err(NO_PID.into());
        }
        let time = self.time(one)?;
        if self.is_operator && time == 0 {
            return Err(AT_ZERO.into());
        }
        let process = self.tracks.process(pid);
        let name = self.counter_name(one, sink);
        let mut track = None;
        for (key, raw) in Members::new(one.raw(Key::Args)) {
            let Some(value) = number(raw) else { continue };
            if value.is_nan() {
                self.gaps.take(one);
            }
            if track.is_none() {
                let key = (name, Strings::EMPTY);
                track = self.tracks.other(process, TrackKind::Counter, key, sink);
            }
            let track = track.ok_or_else(|| self.no_track(one))?;
            let (series, _) = super::read_names(unquoted(key));
            let unit = unit_of(&series);
            let series = sink.builder.intern(&series);
            sink.builder.sample(track, series, &unit, time, value);
        }
        if track.is_none() {
            return Err(NO_NUMBER.into());
        }
        self.tally.counters += 1;
        Ok(())
    }

    /// The name of a counter; counters of one name with ids are several.
    fn counter_name(&mut self, one: &One, sink: &mut Sink) -> StrId {
        let name = self.name(one, Key::Name, sink);
        let id = one.text(Key::Id);
        if id.is_empty() {
            return name;
        }
        let text = format!("{} [{}]", sink.builder.trace().strings.get(name), unescape(id));
        sink.builder.intern(&text)
    }
}

/// One of the args as it stands.
fn arg<'a>(one: &One<'a>, name: &[u8]) -> Option<&'a [u8]> {
    Members::new(one.raw(Key::Args)).find(|(key, _)| unquoted(key) == name).map(|(_, value)| value)
}

fn sort_index(one: &One) -> Result<i64, Refused> {
    let value = arg(one, b"sort_index").and_then(number).filter(|v| v.is_finite());
    // A float outside of the range becomes the nearest number in it.
    #[allow(clippy::cast_possible_truncation)]
    value.map(|v| v as i64).ok_or_else(|| Refused::from(EMPTY_METADATA))
}

/// A number, or a text that is one; NaN is a gap of the counter.
pub(super) fn number(raw: &[u8]) -> Option<f64> {
    match std::str::from_utf8(unquoted(raw)).ok()? {
        "NaN" => Some(f64::NAN),
        text if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => {
            text.parse().ok().filter(|v: &f64| v.is_finite())
        }
        _ => None,
    }
}

/// The unit that a series bears in its name, such as `throughput(MB/s)`.
fn unit_of(series: &str) -> Unit {
    let inside = series.strip_suffix(')').and_then(|s| s.rsplit_once('('));
    match inside.map(|(_, unit)| unit) {
        Some("MB/s") => Unit::MegabytesPerSec,
        Some("GB/s") => Unit::GigabytesPerSec,
        Some("TB/s") => Unit::TerabytesPerSec,
        Some("B/s") => Unit::BytesPerSec,
        Some("B" | "byte" | "bytes" | "Byte" | "Bytes") => Unit::Bytes,
        Some("%") => Unit::Percent,
        _ => Unit::None,
    }
}
