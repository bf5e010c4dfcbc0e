//! What services of the system tell: frames of the display, and messages of logs.
//!
//! | packet | becomes |
//! |---|---|
//! | `frame_timeline_event` | slices of the tracks `Expected frames` and `Actual frames` of each process, by token |
//! | `android_log`, `journald_event` | instants on a track of each process |

use super::names::lossy;
use super::packet::fields::{Fields, Value};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::sink::Sink;
use crate::model::id::TrackId;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;
use crate::systems::android::systrace::collect::{Collector, shortened};

/// What went wrong with a frame, by the bits of its number.
const JANK: [&str; 11] = [
    "no jank",
    "SurfaceFlinger scheduling",
    "prediction error",
    "display HAL",
    "SurfaceFlinger CPU deadline missed",
    "SurfaceFlinger GPU deadline missed",
    "app deadline missed",
    "buffer stuffing",
    "unknown jank",
    "SurfaceFlinger stuffing",
    "dropped frame",
];

/// Names of the fields of a begin, by its kind: frames of the display and of an application, each as expected and as they
/// were.
const FRAME_FIELDS: [&str; 4] = [
    "cookie token pid",
    "cookie token pid present_type on_time_finish gpu_composition jank_type prediction_type",
    "cookie token display_frame_token pid layer_name",
    "cookie token display_frame_token pid layer_name present_type on_time_finish gpu_composition jank_type \
     prediction_type is_buffer",
];

/// The same by the number of the kind.
pub(crate) fn frame_fields(kind: u64) -> Option<&'static str> {
    FRAME_FIELDS.get(usize::try_from(kind).ok()?.checked_sub(1)?).copied()
}

/// Frames that have begun, by their cookies.
#[derive(Default)]
pub(crate) struct Frames(Map<u64, (TrackId, SliceRow)>);

impl Frames {
    /// Takes `FrameTimelineEvent`.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        (time, place): (Ticks, (u64, u32)),
        (collector, sink): (&mut Collector, &mut Sink),
    ) {
        let Some((kind, body)) = Fields::of(bytes).next() else { return };
        let names = frame_fields(kind);
        let value = |name| {
            let field = (1..).zip(names?.split(' ')).find(|(_, of)| *of == name)?.0;
            Fields::of(body.bytes()).find(|(number, _)| *number == field).map(|(_, value)| value.number())
        };
        let Some(names) = names else {
            let cookie = Fields::of(body.bytes()).next().map_or(0, |(_, cookie)| cookie.number());
            match self.0.remove(&cookie) {
                Some((track, row)) => end((track, row), time, sink),
                None => sink.builder.drop_row("frame ends without a begin"),
            }
            return;
        };
        let group = collector.process_track(&value("pid").unwrap_or(0).to_string(), sink);
        let name = if names.contains("jank_type") { "Actual frames" } else { "Expected frames" };
        let Some(track) = collector.track_in(group, TrackKind::Slices, name, sink) else { return };
        let name = sink.builder.intern(&value("token").unwrap_or(0).to_string());
        let jank = value("jank_type").unwrap_or(0);
        let jank = JANK.iter().enumerate().filter(|(bit, _)| jank >> bit & 1 != 0).map(|(_, word)| *word);
        let category = sink.builder.intern(&jank.collect::<Vec<_>>().join(", "));
        let (detail_start, detail_len) = place;
        let row = SliceRow { category, detail_start, detail_len, ..SliceRow::new(time, 0, name) };
        if let Some(open) = self.0.insert(value("cookie").unwrap_or(0), (track, row)) {
            end(open, time, sink);
        }
    }

    /// Nothing follows: frames that are still open last to the end of the trace.
    pub(crate) fn finish(&mut self, last: Ticks, sink: &mut Sink) {
        let mut open: Vec<_> = std::mem::take(&mut self.0).into_iter().collect();
        order::sort_by_key(&mut open, |(cookie, _)| *cookie);
        for (_, open) in open {
            end(open, last, sink);
        }
    }
}

fn end((track, row): (TrackId, SliceRow), time: Ticks, sink: &mut Sink) {
    sink.builder.slice(track, SliceRow { dur: time.saturating_sub(row.start).max(0), ..row });
}

/// A message of a log.
#[derive(Default)]
pub(crate) struct LogLine {
    pid: u64,
    /// In nanoseconds of the wall clock, when it says its own.
    pub(crate) time: Option<u64>,
    priority: &'static str,
    text: String,
}

impl LogLine {
    /// A message of `AndroidLogPacket`.
    pub(crate) fn android(bytes: &[u8]) -> Self {
        const PRIORITIES: [&str; 8] = ["", "", "verbose", "debug", "info", "warning", "error", "fatal"];
        Self::read(bytes, &[2, 5, 6, 7, 8], &PRIORITIES)
    }

    /// `JournaldEvent`.
    pub(crate) fn journal(bytes: &[u8]) -> Self {
        const PRIORITIES: [&str; 8] =
            ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"];
        Self::read(bytes, &[1, u64::MAX, 6, 5, 7], &PRIORITIES)
    }

    /// With the numbers of the fields for process, time, tag, priority and text.
    fn read(bytes: &[u8], [pid, time, tag, priority, text]: &[u64; 5], priorities: &[&'static str]) -> Self {
        let mut line = Self::default();
        let mut tag_of = String::new();
        for (number, value) in Fields::of(bytes) {
            match number {
                _ if number == *pid => line.pid = value.number(),
                _ if number == *time => line.time = Some(value.number()),
                _ if number == *tag => tag_of = lossy(Some(value.bytes())),
                _ if number == *text => line.text = lossy(Some(value.bytes())),
                _ if number == *priority => {
                    let row = usize::try_from(value.number()).ok();
                    line.priority = row.and_then(|row| priorities.get(row)).copied().unwrap_or_default();
                }
                _ => {}
            }
        }
        if !tag_of.is_empty() {
            line.text = format!("{tag_of}: {}", line.text);
        }
        line
    }

    /// All messages of `AndroidLogPacket`.
    pub(crate) fn all(bytes: &[u8]) -> impl Iterator<Item = Self> {
        Fields::of(bytes).filter_map(|(number, value)| match (number, value) {
            (1, Value::Bytes(line)) => Some(Self::android(line)),
            _ => None,
        })
    }

    /// Shows it.
    pub(crate) fn show(&self, time: Ticks, (collector, sink): (&mut Collector, &mut Sink)) {
        if self.text.is_empty() {
            return sink.builder.drop_row("log packets without a message");
        }
        collector.time(time);
        let group = collector.process_track(&self.pid.to_string(), sink);
        let Some(track) = collector.track_in(group, TrackKind::Slices, "Log", sink) else { return };
        let name = sink.builder.intern(shortened(&self.text));
        let category = sink.builder.intern(self.priority);
        sink.builder.instant(track, time, name, category, (0, 0));
    }
}
