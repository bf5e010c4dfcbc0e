//! What battery statistics say of intervals: instants on tracks `battery_stats.…` that begin or end something.
//!
//! ```text
//! N|1000|battery_stats.top|+top=10215:"com.example"      it begins
//! N|1000|battery_stats.top|-top=10215:"com.example"      it ends
//! ```
//! Events of a track belong together by what stands behind the first `=`, else by their names; what is in quotes there is the name of the slice.
//! A begin lasts to the next event of the same, or to the end of the trace; an end without an event before it is there
//! since the begin of the trace. Rows of several processors come out of order, so all of them wait until everything was read.
//!
//! The counter `battery_stats.data_conn` is the number of a kind of network, so it is slices of these kinds, each up to the
//! next one.
//!
//! Source: `android_battery_stats_event_slices` of Perfetto's standard library (`android/battery_stats.sql`).

use super::{Collector, Mark, RowPlace, shortened};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::Sink;
use crate::model::id::StrId;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;

/// How names of these tracks begin.
const TRACKS: &str = "battery_stats.";

/// The counter that is a kind of network, and the kinds by number: `TelephonyManager.NETWORK_TYPE_…`, and behind them
/// `BatteryStats.DATA_CONNECTION_…`.
const CONNECTION: &str = "battery_stats.data_conn";
const CONNECTIONS: [&str; 23] = [
    "Out of service",
    "2.5G (GPRS)",
    "2.7G (EDGE)",
    "3G (UMTS)",
    "3G (CDMA)",
    "3G (EVDO Rel 0)",
    "3G (EVDO Rev A)",
    "3G (1xRTT)",
    "3.5G (HSDPA)",
    "3.5G (HSUPA)",
    "3.5G (HSPA)",
    "2G (iDEN)",
    "3G (EVDO Rev B)",
    "4G (LTE)",
    "3G (eHRPD)",
    "3.5G (HSPA+)",
    "2G (GSM)",
    "3G (TD-SCDMA)",
    "Wi-Fi calling (IWLAN)",
    "4.5G (LTE CA)",
    "5G (NR)",
    "Emergency calls only",
    "Other",
];

/// An event that waits for its turn.
#[derive(Clone, Copy)]
struct BatteryRow {
    time: Ticks,
    pid: StrId,
    track: StrId,
    /// What tells events of a track apart.
    key: StrId,
    name: StrId,
    begins: bool,
    place: RowPlace,
}

/// All events of a file.
#[derive(Default)]
pub(super) struct Battery {
    rows: Vec<BatteryRow>,
}

/// Whether it begins, its key, and what it is called: `+top=10215:"com.example"`. `None` for other instants.
fn event(name: &str) -> Option<(bool, &str, &str)> {
    let begins = match name.as_bytes().first()? {
        b'+' => true,
        b'-' => false,
        _ => return None,
    };
    let rest = name.get(1..).unwrap_or_default();
    let key = rest.split('=').nth(1).filter(|key| !key.is_empty()).unwrap_or(rest);
    let quoted = key.split('"').nth(1).filter(|text| !text.is_empty());
    Some((begins, key, quoted.unwrap_or(key)))
}

impl Collector {
    /// Takes an instant of a track of battery statistics that begins or ends something; false for all others.
    pub(super) fn battery(
        &mut self,
        pid: &str,
        (track, name): (&str, &str),
        row: &Mark,
        sink: &mut Sink,
    ) -> bool {
        let Some((begins, key, called)) = event(name).filter(|_| track.starts_with(TRACKS)) else {
            return false;
        };
        let mut id = |text: &str| sink.builder.intern(shortened(text));
        let row = BatteryRow {
            time: row.time,
            pid: id(pid),
            track: id(track),
            key: id(key),
            name: id(called),
            begins,
            place: row.place,
        };
        self.battery.rows.push(row);
        true
    }

    /// Takes a value of the counter that is a kind of network, if it is one that is known.
    pub(super) fn connection(
        &mut self,
        pid: &str,
        (counter, value): (&str, &str),
        row: &Mark,
        sink: &mut Sink,
    ) -> bool {
        let kind = || CONNECTIONS.get(value.trim().parse::<usize>().ok()?);
        let Some(called) = (counter == CONNECTION).then(kind).flatten() else { return false };
        let mut id = |text: &str| sink.builder.intern(text);
        let (pid, track, name) = (id(shortened(pid)), id(CONNECTION), id(called));
        // All kinds have one key: each ends the one before it.
        let row = BatteryRow { time: row.time, pid, track, key: track, name, begins: true, place: row.place };
        self.battery.rows.push(row);
        true
    }

    /// Everything was read: makes slices of the events.
    pub(super) fn finish_battery(&mut self, end: Ticks, sink: &mut Sink) {
        let mut rows = std::mem::take(&mut self.battery.rows);
        order::sort_by_key(&mut rows, |row| row.time);
        let begin = self.begin.unwrap_or(0);
        // The last event of each that was seen, as far as it goes on.
        let mut known: Map<(StrId, StrId), Option<BatteryRow>> = Map::default();
        for row in rows {
            let before = known.insert((row.track, row.key), row.begins.then_some(row));
            match before {
                Some(Some(open)) => self.battery_slice(open, (open.time, row.time), false, sink),
                None if !row.begins => self.battery_slice(row, (begin, row.time), false, sink),
                _ => {}
            }
        }
        let mut open: Vec<BatteryRow> = known.into_values().flatten().collect();
        order::sort_by_key(&mut open, |row| (row.time, row.place.start));
        for row in open {
            self.battery_slice(row, (row.time, end), true, sink);
        }
    }

    fn battery_slice(
        &mut self,
        row: BatteryRow,
        (start, end): (Ticks, Ticks),
        is_unfinished: bool,
        sink: &mut Sink,
    ) {
        let pid = sink.builder.trace().strings.get(row.pid).to_owned();
        let Some(track) = self.beside(&pid, TrackKind::Slices, row.track, sink) else {
            return self.report_tracks(sink);
        };
        let slice = SliceRow {
            detail_start: row.place.start,
            detail_len: row.place.len,
            is_unfinished,
            ..SliceRow::new(start, end.saturating_sub(start), row.name)
        };
        sink.builder.async_track(track);
        sink.builder.slice(track, slice);
    }
}
