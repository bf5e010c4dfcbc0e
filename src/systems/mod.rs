//! What each system brings: one folder with everything that knows it, and the registry of them.
//!
//! To add a system: a folder here with one `pub static SYSTEM: System`, and three lines below: the `mod` line and the items
//! of [`SYSTEMS`] and of [`FIRST`] (or, for systems that few open, of [`LATER`], and its formats where [`FIRST`] recognizes
//! them). Rooms above this one walk the registry and never name a system; rooms below do not know it.

pub mod android;
pub mod ascend;
#[cfg(feature = "demo")]
pub mod demo;
pub mod gainsight;
pub mod guides;
pub mod instrumentation;
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
///
/// The command line knows all of them. In the browser each program of a worker has those of its list, so that only what
/// is opened is loaded: [`FIRST`] or one of [`LATER`].
#[cfg(not(target_arch = "wasm32"))]
#[rustfmt::skip] // one entry a line, so that adding one is one line
pub static SYSTEMS: &[&System] = &[
    &ascend::SYSTEM,
    &trace_event::SYSTEM,
    &android::SYSTEM,
    &perfetto::SYSTEM,
    &neutrino::SYSTEM,
    &instrumentation::SYSTEM,
    &gainsight::SYSTEM,
    #[cfg(feature = "demo")] &demo::SYSTEM,
];

/// Systems of the worker that every document begins in, and the formats that it recognizes for the others, with
/// the row of the worker in [`LATER`].
#[rustfmt::skip] // one entry a line
pub static FIRST: Installed = Installed {
    systems: &[
        &ascend::SYSTEM,
        &trace_event::SYSTEM,
        &android::SYSTEM,
        &perfetto::SYSTEM,
        #[cfg(feature = "demo")] &demo::SYSTEM,
    ],
    recognized: &[
        (0, neutrino::RECOGNIZED),
        (0, instrumentation::RECOGNIZED),
        (1, gainsight::RECOGNIZED),
    ],
};

/// The workers that are loaded when a format of theirs is recognized.
pub static LATER: [&Installed; 2] = [&PROBES, &LIFETIMES];

/// Systems of the worker for probes and instrumented programs; and traces that their folders may hold too.
#[rustfmt::skip] // one entry a line
pub static PROBES: Installed = Installed {
    systems: &[
        &trace_event::SYSTEM,
        &neutrino::SYSTEM,
        &instrumentation::SYSTEM,
    ],
    recognized: &[],
};

/// Systems of the worker for lifetimes of data.
#[rustfmt::skip] // one entry a line
pub static LIFETIMES: Installed = Installed {
    systems: &[
        &gainsight::SYSTEM,
    ],
    recognized: &[],
};

/// The systems of a program.
pub struct Installed {
    /// Those whose files it reads.
    pub systems: &'static [&'static System],
    /// Formats that it only recognizes, each list with the row in [`LATER`] of the program that reads them.
    pub recognized: &'static [(usize, &'static [Format])],
}

/// The systems of this program, set when it starts.
#[cfg(target_arch = "wasm32")]
static INSTALLED: std::sync::OnceLock<&'static Installed> = std::sync::OnceLock::new();

/// Sets the systems of this program; once, when it starts.
#[cfg(target_arch = "wasm32")]
pub fn install(systems: &'static Installed) {
    let _ = INSTALLED.set(systems);
}

/// The systems of this program.
pub fn systems() -> &'static [&'static System] {
    #[cfg(not(target_arch = "wasm32"))]
    return SYSTEMS;
    #[cfg(target_arch = "wasm32")]
    return INSTALLED.get().map_or(&[], |installed| installed.systems);
}

/// Formats that this program only recognizes, with the row in [`LATER`] of the one that reads them.
pub fn recognized() -> impl Iterator<Item = (usize, &'static Format)> {
    #[cfg(not(target_arch = "wasm32"))]
    let recognized: &'static [(usize, &'static [Format])] = &[];
    #[cfg(target_arch = "wasm32")]
    let recognized = INSTALLED.get().map_or(&[][..], |installed| installed.recognized);
    recognized.iter().flat_map(|(row, formats)| formats.iter().map(|format| (*row, format)))
}

/// The row in [`LATER`] of the program that reads files of this format, if it is another one.
pub fn elsewhere(format: &'static Format) -> Option<usize> {
    recognized().find(|(_, other)| std::ptr::eq(*other, format)).map(|(row, _)| row)
}

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

/// The formats of all systems, strongest first, and those that are only recognized.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    systems().iter().flat_map(|system| system.formats).copied().chain(recognized().map(|(_, format)| format))
}

/// The analyses of all systems, in the order in which their figures are shown.
pub fn analyses() -> impl Iterator<Item = &'static Analysis> {
    systems().iter().flat_map(|system| system.analyses).copied()
}

/// The parameters of all systems, and of formats that are only recognized.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    let recognized = recognized().flat_map(|(_, format)| format.parameters).copied();
    systems().iter().flat_map(|system| system.parameters()).chain(recognized)
}

/// The commands that scripts may ask.
pub fn requests() -> impl Iterator<Item = &'static RequestHandler> {
    systems().iter().flat_map(|system| system.requests).copied()
}

/// The color schemes of all systems.
pub fn color_schemes() -> Vec<&'static ColorScheme> {
    systems().iter().flat_map(|system| system.color_schemes).copied().collect()
}

/// The search prefixes of all systems.
pub fn search_prefixes() -> impl Iterator<Item = &'static SearchPrefix> {
    systems().iter().flat_map(|system| system.search_prefixes).copied()
}

/// The exports of all systems.
pub fn exports() -> impl Iterator<Item = &'static Export> {
    systems().iter().flat_map(|system| system.exports).copied()
}
