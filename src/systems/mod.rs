//! What each system brings: one folder with everything that knows it, and the registry of them.
//!
//! To add a system: a folder here with one `pub static SYSTEM: System`, and two lines below: the `mod` line and the item of
//! [`SYSTEMS`]. Rooms above this one walk the registry and never name a system; rooms below do not know it.

pub mod android;
pub mod ascend;
#[cfg(feature = "demo")]
pub mod demo;
pub mod guides;
pub mod neutrino;
pub mod perfetto;
pub mod trace_event;

use crate::analysis::contract::Analysis;
use crate::analysis::timeline::search::SearchPrefix;
use crate::draw::timeline::scheme::ColorScheme;
use crate::export::Export;
use crate::export::request::RequestHandler;
use crate::format::Format;
use crate::model::parameter::Parameter;

/// All systems. Where formats of two claim the same files with the same degree, the one that stands first here wins.
#[rustfmt::skip] // one entry a line, so that adding one is one line
pub static SYSTEMS: &[&System] = &[
    &ascend::SYSTEM,
    &trace_event::SYSTEM,
    &android::SYSTEM,
    &perfetto::SYSTEM,
    &neutrino::SYSTEM,
    #[cfg(feature = "demo")] &demo::SYSTEM,
];

/// One vendor's or tool's world: what it reads, computes and saves.
pub struct System {
    /// Stable id, the name of its folder.
    pub id: &'static str,
    /// What a person calls it.
    pub title: &'static str,
    /// The kinds of files it reads.
    pub formats: &'static [&'static Format],
    /// What it computes.
    pub analyses: &'static [&'static Analysis],
    /// What it saves beside the general exports.
    pub exports: &'static [&'static Export],
    /// What scripts may ask.
    pub requests: &'static [&'static RequestHandler],
    /// The colors it brings.
    pub color_schemes: &'static [&'static ColorScheme],
    /// Command lines that show what it brings, for the help.
    pub examples: &'static [&'static str],
    /// What its users search for beside names.
    pub search_prefixes: &'static [&'static SearchPrefix],
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

/// The formats of all systems, strongest first.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    SYSTEMS.iter().flat_map(|system| system.formats).copied()
}

/// The analyses of all systems, in the order in which their figures are shown.
pub fn analyses() -> impl Iterator<Item = &'static Analysis> {
    SYSTEMS.iter().flat_map(|system| system.analyses).copied()
}

/// The parameters of all systems.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    SYSTEMS.iter().flat_map(|system| system.parameters())
}

/// The commands that scripts may ask.
pub fn requests() -> impl Iterator<Item = &'static RequestHandler> {
    SYSTEMS.iter().flat_map(|system| system.requests).copied()
}

/// The color schemes of all systems.
pub fn color_schemes() -> Vec<&'static ColorScheme> {
    SYSTEMS.iter().flat_map(|system| system.color_schemes).copied().collect()
}

/// The search prefixes of all systems.
pub fn search_prefixes() -> impl Iterator<Item = &'static SearchPrefix> {
    SYSTEMS.iter().flat_map(|system| system.search_prefixes).copied()
}

/// The exports of all systems.
pub fn exports() -> impl Iterator<Item = &'static Export> {
    SYSTEMS.iter().flat_map(|system| system.exports).copied()
}
