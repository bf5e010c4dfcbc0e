//! The colors of slices: by name, by row, or as the vendor's viewer colors them. Waiting is grey and hatched in all but the last.

use crate::analysis::timeline::names::{MAX_TOP, Names};
use crate::base::map::Map;
use crate::draw::style;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::scene::SpanLook;
use crate::scene::palette::Ink;

/// What decides the color of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// Its name.
    #[default]
    Name,
    /// Its row: the pipe of a core, the thread of a process.
    Row,
    /// The color name of the file, in the colors of MindStudio Insight.
    Vendor,
}

/// The color of names without one of their own.
const REST: u8 = 9;
/// Colors by number, without that of the rest.
const COLORS: [u8; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12];

/// How a slice is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    /// Its color.
    pub ink: Ink,
    /// What is written on it.
    pub text: Ink,
    /// Filled or hatched.
    pub look: SpanLook,
}

const WAITING: Paint =
    Paint { ink: Ink::Token("wait"), text: Ink::Token("wait-ink"), look: SpanLook::Hatched };

/// The colors of one trace.
pub struct Colors<'a> {
    trace: &'a Trace,
    names: &'a Names,
    by: ColorBy,
    by_name: Map<StrId, u8>,
}

impl<'a> Colors<'a> {
    /// Gives out the colors: to the names with most time one each, to all others the same.
    pub fn new(trace: &'a Trace, names: &'a Names, by: ColorBy) -> Self {
        let mut by_name = Map::default();
        let mut taken = 0u32;
        let n = if names.top().len() < MAX_TOP { COLORS.len() } else { MAX_TOP };
        for &name in names.top().iter().take(n) {
            let own = preferred(trace.strings.get(name));
            let from = COLORS.iter().position(|&c| c == own).unwrap_or(0);
            let free = (0..COLORS.len()).map(|i| COLORS[(from + i) % COLORS.len()]);
            // The twelfth of twelve names takes the color of the rest: there is no rest.
            let color = free.into_iter().find(|&c| taken & 1 << c == 0).unwrap_or(REST);
            taken |= 1 << color;
            by_name.insert(name, color);
        }
        Self { trace, names, by, by_name }
    }

    /// How slices of this name on this track are painted.
    pub fn paint(&self, track: TrackId, name: StrId) -> Paint {
        if self.by == ColorBy::Vendor {
            return self.vendor(name);
        }
        if self.names.total(name).is_waiting {
            return WAITING;
        }
        match self.by {
            ColorBy::Row => self.row(track),
            _ => slice(self.by_name.get(&name).copied().unwrap_or(REST)),
        }
    }

    /// How the slices of a track are painted when the row decides.
    pub fn row(&self, track: TrackId) -> Paint {
        let name = self.trace.tracks.find(track).map_or("", |t| self.trace.strings.get(t.name));
        slice(of_row(name))
    }

    /// The names that have a color of their own, most time first; none when rows decide.
    pub fn legend(&self) -> Vec<(Ink, &'a str)> {
        let named = |&name: &StrId| {
            let paint = self.paint(TrackId(0), name);
            (paint.ink, self.trace.strings.get(name))
        };
        if self.by == ColorBy::Row { Vec::new() } else { self.names.top().iter().map(named).collect() }
    }

    fn vendor(&self, name: StrId) -> Paint {
        let color = self.names.total(name).color;
        let key = self.trace.strings.get(if color == StrId(0) { name } else { color });
        let n = vendor_number(key);
        // Dark ink reads better on the light ones of the twelve.
        let text = if [3, 8, 9].contains(&n) { Ink::OnSlice(1) } else { Ink::OnSlice(4) };
        Paint { ink: Ink::Vendor(n), text, look: SpanLook::Plain }
    }
}

fn slice(color: u8) -> Paint {
    Paint { ink: Ink::Slice(color), text: Ink::OnSlice(color), look: SpanLook::Plain }
}

/// The color of a row: pipes of a core have one of their own, other names one by hash.
fn of_row(name: &str) -> u8 {
    number(style::work_ink(name))
}

/// The color a name has when nobody else wants it.
fn preferred(name: &str) -> u8 {
    number(style::name_ink(name))
}

fn number(ink: Ink) -> u8 {
    if let Ink::Slice(n) = ink { n } else { REST }
}

/// The vendor's color of a color name: 31 × the sum of its characters, modulo 12.
pub fn vendor_number(key: &str) -> u8 {
    (key.encode_utf16().map(|unit| 31 * u64::from(unit)).sum::<u64>() % 12) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vendors_color_names_have_the_vendors_colors() {
        for (key, number) in [
            ("thread_state_running", 0),
            ("startup", 1),
            ("cq_build_failed", 1),
            ("thread_state_runnable", 2),
            ("background_memory_dump", 3),
            ("thread_state_iowait", 4),
            ("rail_load", 5),
            ("rail_response", 6),
            ("yellow", 8),
            ("thread_state_unknown", 9),
            ("rail_animation", 9),
            ("cq_build_passed", 10),
            ("thread_state_stopped", 10),
            ("good", 11),
            ("black", 11),
            ("heap_dump_child_node_arrow", 7),
        ] {
            assert_eq!(vendor_number(key), number, "{key}");
        }
    }
}
