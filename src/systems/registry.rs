//! What all systems of the registry bring, and which of them this program holds.

#[cfg(target_arch = "wasm32")]
use super::CORE;
#[cfg(not(target_arch = "wasm32"))]
use super::SYSTEMS;
use super::{LOADED_WITH, PARTS};
use crate::analysis::compare::headline::Quantity;
use crate::analysis::contract::Analysis;
use crate::analysis::timeline::search::SearchPrefix;
use crate::draw::ColorScheme;
use crate::export::{Export, ExportInput, RequestHandler};
use crate::findings::Guide;
use crate::format::Format;
use crate::model::parameter::Parameter;

/// What this program holds of the systems: the parts that are loaded, by their rows in [`PARTS`].
#[cfg(target_arch = "wasm32")]
static LOADED: std::sync::RwLock<[&[&System]; PARTS.len()]> =
    std::sync::RwLock::new([&[], CORE, &[], &[], &[], &[]]);

/// Takes in a part of this row of [`PARTS`].
#[cfg(target_arch = "wasm32")]
pub fn add(row: usize, systems: &'static [&'static System]) {
    if let (Ok(mut loaded), true) = (LOADED.write(), row < PARTS.len()) {
        loaded[row] = systems;
    }
}

/// The systems of each row of [`PARTS`], and the formats that are only recognized as long as it has none.
fn rows() -> impl Iterator<Item = (&'static [&'static System], &'static [&'static [Format]])> {
    #[cfg(not(target_arch = "wasm32"))]
    let rows = [(SYSTEMS, &[][..])];
    #[cfg(target_arch = "wasm32")]
    let rows = {
        let loaded = LOADED.read().map_or([&[][..]; PARTS.len()], |loaded| *loaded);
        std::array::from_fn::<_, { PARTS.len() }, _>(|row| {
            let recognized = PARTS[row].filter(|_| loaded[row].is_empty()).unwrap_or_default();
            (loaded[row], recognized)
        })
    };
    rows.into_iter()
}

/// The systems that this program holds now.
pub fn systems() -> impl Iterator<Item = &'static System> {
    rows().flat_map(|(systems, _)| systems).copied()
}

/// The parts, by their rows in [`PARTS`], that files of this format want and that are not loaded: their reader, and what is
/// loaded together with it.
pub fn missing(format: &'static Format) -> Vec<usize> {
    let is_it = |of: &&'static Format| std::ptr::eq(*of, format);
    let row = rows().position(|(systems, recognized)| {
        systems.iter().flat_map(|system| system.formats).copied().any(|of| is_it(&of))
            || recognized.iter().copied().flatten().any(|of| is_it(&of))
    });
    let Some(row) = row else { return Vec::new() };
    let beside = LOADED_WITH.get(row).copied().unwrap_or_default();
    [&[row], beside].concat().into_iter().filter(|row| is_missing(*row)).collect()
}

/// The parts that are loaded together with [`CORE`]: most files want them.
#[cfg(target_arch = "wasm32")]
pub fn with_core() -> &'static [usize] {
    let core = PARTS.iter().position(Option::is_none);
    core.and_then(|row| LOADED_WITH.get(row).copied()).unwrap_or_default()
}

/// Whether the part of this row of [`PARTS`] reads a format.
pub fn reads(part: usize, format: &Format) -> bool {
    let recognized = PARTS.get(part).copied().flatten().unwrap_or_default();
    recognized.iter().copied().flatten().any(|of| of.id == format.id)
}

/// Whether the reader of this format is not loaded.
pub fn is_only_recognized(format: &'static Format) -> bool {
    rows().any(|(_, recognized)| recognized.iter().copied().flatten().any(|of| std::ptr::eq(of, format)))
}

fn is_missing(row: usize) -> bool {
    rows().nth(row).is_some_and(|(systems, _)| systems.is_empty())
}

/// One vendor's or tool's world: what it reads, computes and saves.
pub struct System {
    /// Stable id, the name of its folder.
    pub id: &'static str,
    pub title: &'static str,
    /// The kinds of files it reads.
    pub formats: &'static [&'static Format],
    pub analyses: &'static [&'static Analysis],
    /// What it saves beside the general exports.
    pub exports: &'static [&'static Export],
    /// What scripts may ask.
    pub requests: &'static [&'static RequestHandler],
    pub color_schemes: &'static [&'static ColorScheme],
    /// Command lines that show what it brings, for the help.
    pub examples: &'static [&'static str],
    /// What its users search for beside names.
    pub search_prefixes: &'static [&'static SearchPrefix],
    /// What two of its documents are compared by first, the most telling first; none of what is not its own.
    pub headline: fn(&ExportInput) -> Vec<Quantity>,
    /// What limits its programs, and its first figures.
    pub guide: &'static Guide,
}

impl System {
    /// The parameters of its formats, analyses and exports. One that several share stands here once.
    pub fn parameters(&self) -> Vec<&'static Parameter> {
        let of_formats = self.formats.iter().flat_map(|format| format.parameters);
        let of_analyses = self.analyses.iter().flat_map(|analysis| analysis.parameters);
        let of_exports = self.exports.iter().flat_map(|export| export.parameters);
        let mut all: Vec<&'static Parameter> = Vec::new();
        for parameter in of_formats.chain(of_analyses).chain(of_exports) {
            if all.iter().all(|known| known.id != parameter.id) {
                all.push(parameter);
            }
        }
        all
    }
}

/// The formats of all systems, strongest first, and those that are only recognized.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    rows().flat_map(|(systems, recognized)| {
        systems.iter().flat_map(|system| system.formats).copied().chain(recognized.iter().copied().flatten())
    })
}

/// The analyses of all systems, in the order in which their figures are shown.
pub fn analyses() -> impl Iterator<Item = &'static Analysis> {
    systems().flat_map(|system| system.analyses).copied()
}

/// The parameters of all systems, and of formats that are only recognized.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    let of_recognized = |format: &'static Format| format.parameters.iter().copied();
    rows().flat_map(move |(systems, recognized)| {
        let recognized = recognized.iter().copied().flatten().flat_map(of_recognized);
        systems.iter().flat_map(|system| system.parameters()).chain(recognized)
    })
}

/// The commands that scripts may ask.
pub fn requests() -> impl Iterator<Item = &'static RequestHandler> {
    systems().flat_map(|system| system.requests).copied()
}

/// The color schemes of all systems.
pub fn color_schemes() -> Vec<&'static ColorScheme> {
    systems().flat_map(|system| system.color_schemes).copied().collect()
}

/// The search prefixes of all systems.
pub fn search_prefixes() -> impl Iterator<Item = &'static SearchPrefix> {
    systems().flat_map(|system| system.search_prefixes).copied()
}

/// The exports of all systems.
pub fn exports() -> impl Iterator<Item = &'static Export> {
    systems().flat_map(|system| system.exports).copied()
}
