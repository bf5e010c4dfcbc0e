//! What decides the colors of slices: what every trace has (name, row, category, length), or a color scheme of a system.

use crate::base::words::phrase;
use crate::draw::colors::Paint;
use crate::model::{Coloring, Trace};
use crate::scene::palette::Ink;
use std::fmt;

/// Colors that a system brings.
pub struct ColorScheme {
    /// Stable id: in addresses, in frames and on the command line.
    pub id: &'static str,
    /// What a person calls it where colors of slices are chosen; an English phrase of `base::words`.
    pub title: &'static str,
    /// What a person calls it where it is chosen for everything; `None` when it is only for slices. Its figures take the
    /// tokens of `[data-colors="id"]`.
    pub page_title: Option<&'static str>,
    /// Whether it is offered for a trace.
    pub applies: fn(&Trace) -> bool,
    /// How a slice with this name and this color name (empty without one) is painted.
    pub paint: fn(name: &str, color: &str) -> Paint,
    /// What its colors mean, of the color names that occur, as English phrases; `None` when names do.
    pub legend: Option<fn(&mut dyn Iterator<Item = &str>) -> Legend>,
    /// The color of a counter's series and of flows by their names; `None` when they have those of all traces.
    pub of_key: Option<fn(&str) -> Ink>,
}

/// Colors and what they mean.
pub type Legend = Vec<(Ink, &'static str)>;

impl PartialEq for ColorScheme {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl fmt::Debug for ColorScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// What decides the color of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ColorBy {
    /// Its name.
    #[default]
    Name,
    /// Its row: the pipe of a core, the thread of a process.
    Row,
    /// The category the file gives it.
    Category,
    /// How long it lasts: a step of a ramp from one round length to the next.
    Duration,
    /// A color scheme of a system.
    Scheme(&'static ColorScheme),
}

impl ColorBy {
    /// What every trace offers, in the order of the menu.
    pub const GENERAL: [Self; 4] = [Self::Name, Self::Row, Self::Category, Self::Duration];

    /// Stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Row => Coloring::ROW,
            Self::Category => "category",
            Self::Duration => "duration",
            Self::Scheme(scheme) => scheme.id,
        }
    }

    /// What a person calls it, in English.
    pub fn title(self) -> &'static str {
        match self {
            Self::Name => phrase("Name"),
            Self::Row => phrase("Row"),
            Self::Category => phrase("Category"),
            Self::Duration => phrase("Duration"),
            Self::Scheme(scheme) => scheme.title,
        }
    }

    /// What was asked for by its id, else the scheme that is chosen for everything, else what suits the trace.
    pub fn choose(
        asked: Option<&str>,
        for_all: &str,
        trace: &Trace,
        schemes: &[&'static ColorScheme],
    ) -> Self {
        let scheme =
            |id: &str| schemes.iter().find(|scheme| scheme.id == id).map(|&scheme| Self::Scheme(scheme));
        let known = |id: &str| Self::GENERAL.into_iter().find(|by| by.id() == id).or_else(|| scheme(id));
        let chosen = asked.and_then(known).or_else(|| scheme(for_all));
        chosen.or_else(|| known(trace.coloring.best)).unwrap_or_default()
    }
}
