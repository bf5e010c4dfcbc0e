//! One figure of every kind, made by hand from the view chapters of the five systems: drawn, exported and compared
//! before their readers exist.

pub(crate) mod ascend;
pub(crate) mod gainsight;
pub(crate) mod instrumentation;
pub(crate) mod neutrino;
pub(crate) mod nnapi;

use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::model::figure::{AxisLabel, Figure, ScaleKind};
use lanescope::scene::palette::Palette;

/// All of them with a name for snapshots.
pub(crate) fn all() -> Vec<(&'static str, Figure)> {
    vec![
        ("ascend-facts", ascend::facts()),
        ("ascend-cores", ascend::cores()),
        ("ascend-roofline", ascend::roofline()),
        ("ascend-bars", ascend::bars()),
        ("ascend-memory", ascend::memory()),
        ("nnapi-matrix", nnapi::matrix()),
        ("instrumentation-heat-map", instrumentation::heat_map()),
        ("instrumentation-buffers", instrumentation::buffers()),
        ("gainsight-lifetimes", gainsight::lifetimes()),
        ("gainsight-plane", gainsight::plane()),
        ("gainsight-residents", gainsight::residents()),
        ("neutrino-schedule", neutrino::schedule()),
        ("neutrino-dmat", neutrino::dmat()),
    ]
}

/// The palette of a theme, as style/tokens.css has it.
pub(crate) fn palette(theme: &str) -> Palette {
    Palette::from_css(include_str!("../../../../style/tokens.css"), theme)
}

/// English words in the colors of a palette.
pub(crate) fn look(palette: &Palette) -> DrawStyle<'_> {
    DrawStyle { palette, language: Language::En }
}

/// A linear axis.
pub(crate) fn axis(name: &str, unit: Unit) -> AxisLabel {
    AxisLabel { name: name.to_owned(), unit, scale: ScaleKind::Linear }
}

/// A small random number generator, the same everywhere: figures must not change from run to run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number, 0 to 1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}
