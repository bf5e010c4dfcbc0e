//! Charts: which one a core gets, and how parts at fixed places become boxes and arrows.
//!
//! A chart is a plane of 1550 units with GM and L2 at the left and parts at the right. A part is data: boxes with their
//! rectangles, routes with their corners and the place of the value. The same part stands in several charts.

use super::paths::of_second_vector;
use super::{chart_310, chart_910, chart_a5};
use crate::model::figure::GraphRole;

/// Width of every chart.
pub(super) const WIDTH: f32 = 1550.0;

/// Right edge of the L2 cache: where arrows from and to it begin and end.
pub(super) const L2_RIGHT: f32 = 440.0;

/// Where values stand at arrows between L2 and a core.
pub(super) const L2_GAP: f32 = 520.0;

/// A box of a part.
pub(super) struct Place {
    pub(super) name: &'static str,
    pub(super) role: GraphRole,
    /// Left, top, width, height.
    pub(super) rect: [f32; 4],
}

/// The arrow of one path.
pub(super) struct Route {
    pub(super) path: u8,
    /// Corners; the head is at the last.
    pub(super) points: &'static [[f32; 2]],
    /// A second line of the same path, from another source or to another target; may be empty.
    pub(super) branch: &'static [[f32; 2]],
    /// Where the value is written.
    pub(super) label: [f32; 2],
}

/// Boxes and arrows that belong together; places are from the top of the part.
pub(super) struct Part {
    pub(super) boxes: &'static [Place],
    pub(super) routes: &'static [Route],
}

/// A part at its height in a chart.
pub(super) struct Placed {
    part: &'static Part,
    /// Where its top is.
    pub(super) top: f32,
    /// Whether it is the second vector unit: its paths are those of the second unit.
    pub(super) is_second: bool,
    when: When,
}

/// When a part is in the chart: newer tools measure paths that older ones sum up or do not know.
enum When {
    Always,
    /// When the file has a path.
    Has(u8),
    /// When it has not.
    Lacks(u8),
}

/// One chart.
pub(super) struct Chart {
    pub(super) height: f32,
    /// Room above and below GM and L2.
    pub(super) margin: f32,
    pub(super) parts: Vec<&'static Placed>,
}

/// A container.
pub(super) const fn core(name: &'static str, height: f32) -> Place {
    Place { name, role: GraphRole::Container, rect: [600.0, 0.0, 948.0, height] }
}

/// A memory.
pub(super) const fn memory(name: &'static str, rect: [f32; 4]) -> Place {
    Place { name, role: GraphRole::Memory, rect }
}

/// A unit that computes.
pub(super) const fn compute(name: &'static str, rect: [f32; 4]) -> Place {
    Place { name, role: GraphRole::Compute, rect }
}

/// A path with one line.
pub(super) const fn route(path: u8, points: &'static [[f32; 2]], label: [f32; 2]) -> Route {
    Route { path, points, branch: &[], label }
}

/// A path with two lines.
pub(super) const fn forked(
    path: u8,
    points: &'static [[f32; 2]],
    label: [f32; 2],
    branch: &'static [[f32; 2]],
) -> Route {
    Route { path, points, branch, label }
}

/// A part of a chart.
pub(super) const fn at(top: f32, part: &'static Part) -> Placed {
    Placed { part, top, is_second: false, when: When::Always }
}

impl Placed {
    /// The second vector unit.
    pub(super) const fn second(self) -> Self {
        Self { is_second: true, ..self }
    }

    /// Only when the file has a path.
    pub(super) const fn with(self, path: u8) -> Self {
        Self { when: When::Has(path), ..self }
    }

    /// Only when the file does not have a path.
    pub(super) const fn without(self, path: u8) -> Self {
        Self { when: When::Lacks(path), ..self }
    }

    /// Its boxes.
    pub(super) fn boxes(&self) -> &'static [Place] {
        self.part.boxes
    }

    /// Its arrows, each with its path in this place.
    pub(super) fn routes(&self) -> impl Iterator<Item = (u8, &'static Route)> {
        let path = |route: &Route| if self.is_second { of_second_vector(route.path) } else { route.path };
        self.part.routes.iter().map(move |route| (path(route), route))
    }
}

/// The chart of a core: by the short name of its chip, the type of the operator (`cube`, `vector`, …) and the paths that
/// the file has. Names that are not known (other chips, `simt`, …) say nothing: paths tell the chip and the units. `None`
/// when these do not either.
pub(super) fn chart(soc: &str, op_type: &str, has: impl Fn(u8) -> bool) -> Option<Chart> {
    let any = |mut paths: std::ops::RangeInclusive<u8>| paths.any(&has);
    let (is_310, is_a5) = (any(20..=25), any(39..=55));
    let has_vector = any(12..=19) || any(48..=55) || any(42..=47);
    let has_cube = any(2..=11) || any(35..=41);
    let op_type = op_type.to_ascii_lowercase();
    let op_type = match op_type.as_str() {
        known @ ("cube" | "vector" | "mix") => known,
        _ if has_cube && has_vector => "mix",
        _ if has_vector => "vector",
        _ if has_cube => "cube",
        _ => "",
    };
    let soc = soc.to_ascii_lowercase();
    let family = match soc.as_str() {
        soc if soc.contains("310") && !is_a5 => 310,
        // Chips of this family have paths that older ones do not have, whatever they are called.
        soc if soc.contains("910a5") || soc.contains("950") || is_a5 => 950,
        soc if soc.contains("910") => 910,
        _ if is_310 => 310,
        _ => 910,
    };
    let (height, margin, parts): (f32, f32, &[Placed]) = match (family, op_type) {
        (310, _) => (420.0, 20.0, &chart_310::MIX),
        (910, "") => return None,
        (950, "cube") => (420.0, 20.0, &chart_a5::CUBE),
        (950, "vector") => (420.0, 20.0, &chart_a5::VECTOR),
        (950, _) => (670.0, 6.0, &chart_a5::MIX),
        (_, "cube") => (420.0, 20.0, &chart_910::CUBE),
        (_, "vector") => (420.0, 20.0, &chart_910::VECTOR),
        _ => (670.0, 10.0, &chart_910::MIX),
    };
    let is_shown = |placed: &&Placed| match placed.when {
        When::Always => true,
        When::Has(path) => has(path),
        When::Lacks(path) => !has(path),
    };
    Some(Chart { height, margin, parts: parts.iter().filter(is_shown).collect() })
}
