//! Charts: which one a core gets, and how parts at fixed places become boxes and arrows.
//!
//! A chart is a plane of 1550 units with GM and L2 at the left and parts at the right. A part is data: boxes with their
//! rectangles, routes with their corners and the place of the value. The same part stands in several charts.

use super::of_second_vector;
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
        (310, _) => (420.0, 20.0, &MIX),
        (910, "") => return None,
        (950, "cube") => (420.0, 20.0, &CHART_A5_CUBE),
        (950, "vector") => (420.0, 20.0, &CHART_A5_VECTOR),
        (950, _) => (670.0, 6.0, &CHART_A5_MIX),
        (_, "cube") => (420.0, 20.0, &CUBE),
        (_, "vector") => (420.0, 20.0, &VECTOR),
        _ => (670.0, 10.0, &CHART_910_MIX),
    };
    let is_shown = |placed: &&Placed| match placed.when {
        When::Always => true,
        When::Has(path) => has(path),
        When::Lacks(path) => !has(path),
    };
    Some(Chart { height, margin, parts: parts.iter().filter(is_shown).collect() })
}

// The chart of Ascend 310P: one core with cube and vector unit, which share a unified buffer.

/// mix310.
static MIX: [Placed; 1] = [at(20.0, &CORE)];

/// The cube and its memories in one row above the buffer, the vector unit between.
static CORE: Part = Part {
    boxes: &[
        core("aicore", 380.0),
        memory("L1", [680.0, 40.0, 110.0, 140.0]),
        memory("L0A", [930.0, 48.0, 100.0, 46.0]),
        memory("L0B", [930.0, 126.0, 100.0, 46.0]),
        compute("Cube", [1130.0, 40.0, 110.0, 140.0]),
        memory("L0C", [1340.0, 70.0, 90.0, 80.0]),
        compute("Vector", [945.0, 232.0, 260.0, 46.0]),
        memory("UB", [680.0, 316.0, 750.0, 48.0]),
    ],
    routes: &[
        forked(20, &[[L2_RIGHT, 110.0], [680.0, 110.0]], [L2_GAP, 104.0], &[[715.0, 316.0], [715.0, 180.0]]),
        route(21, &[[790.0, 71.0], [930.0, 71.0]], [860.0, 65.0]),
        forked(
            22,
            &[[790.0, 149.0], [930.0, 149.0]],
            [860.0, 143.0],
            &[[L2_RIGHT, 208.0], [980.0, 208.0], [980.0, 172.0]],
        ),
        route(6, &[[1030.0, 71.0], [1130.0, 71.0]], [1080.0, 65.0]),
        route(7, &[[1030.0, 149.0], [1130.0, 149.0]], [1080.0, 143.0]),
        route(8, &[[1240.0, 110.0], [1340.0, 110.0]], [1290.0, 104.0]),
        route(24, &[[1365.0, 150.0], [1365.0, 316.0]], [1355.0, 240.0]),
        route(23, &[[1405.0, 316.0], [1405.0, 150.0]], [1415.0, 240.0]),
        route(14, &[[1035.0, 316.0], [1035.0, 278.0]], [1025.0, 301.0]),
        route(15, &[[1115.0, 278.0], [1115.0, 316.0]], [1125.0, 301.0]),
        forked(25, &[[L2_RIGHT, 328.0], [680.0, 328.0]], [L2_GAP, 322.0], &[[755.0, 180.0], [755.0, 316.0]]),
        route(13, &[[680.0, 352.0], [L2_RIGHT, 352.0]], [L2_GAP, 369.0]),
    ],
};

// Charts of Ascend 910: cube, vector, and one cube with two vector units.

/// The path by which files are known that measure the ways to L0A and L0B apart.
const SPLIT: u8 = 35;

/// cube910 and cube910V2.
static CUBE: [Placed; 3] =
    [at(20.0, &CUBE_CORE), at(20.0, &TO_L0).without(SPLIT), at(20.0, &TO_L0_SPLIT).with(SPLIT)];

/// vector910.
static VECTOR: [Placed; 1] = [at(20.0, &VECTOR_CORE)];

/// mix910 and mix910V2.
static CHART_910_MIX: [Placed; 5] = [
    at(10.0, &CUBE_CORE),
    at(10.0, &TO_L0).without(SPLIT),
    at(10.0, &TO_L0_SPLIT).with(SPLIT),
    at(400.0, &VECTOR_ROW),
    at(535.0, &VECTOR_ROW).second(),
];

/// The cube and its memories: two straight lines through L0A and L0B, L0C above the cube.
static CUBE_CORE: Part = Part {
    boxes: &[
        core("cubecore0", 380.0),
        memory("L1", [680.0, 160.0, 110.0, 170.0]),
        memory("L0A", [950.0, 167.0, 100.0, 56.0]),
        memory("L0B", [950.0, 267.0, 100.0, 56.0]),
        memory("L0C", [1210.0, 24.0, 270.0, 76.0]),
        compute("Cube", [1210.0, 160.0, 270.0, 170.0]),
    ],
    routes: &[
        route(2, &[[L2_RIGHT, 220.0], [680.0, 220.0]], [L2_GAP, 214.0]),
        route(3, &[[680.0, 270.0], [L2_RIGHT, 270.0]], [L2_GAP, 287.0]),
        route(6, &[[1050.0, 195.0], [1210.0, 195.0]], [1130.0, 189.0]),
        route(7, &[[1050.0, 295.0], [1210.0, 295.0]], [1130.0, 289.0]),
        route(8, &[[1300.0, 160.0], [1300.0, 100.0]], [1290.0, 135.0]),
        route(11, &[[1390.0, 100.0], [1390.0, 160.0]], [1400.0, 135.0]),
        route(9, &[[1210.0, 80.0], [735.0, 80.0], [735.0, 160.0]], [960.0, 74.0]),
        route(10, &[[1210.0, 44.0], [L2_RIGHT, 44.0]], [L2_GAP, 38.0]),
    ],
};

/// L0A and L0B filled by one path each.
static TO_L0: Part = Part {
    boxes: &[],
    routes: &[
        route(4, &[[790.0, 195.0], [950.0, 195.0]], [870.0, 189.0]),
        route(5, &[[790.0, 295.0], [950.0, 295.0]], [870.0, 289.0]),
    ],
};

/// L0A and L0B filled from L1, and around L1 from L2.
static TO_L0_SPLIT: Part = Part {
    boxes: &[],
    routes: &[
        route(35, &[[L2_RIGHT, 125.0], [1000.0, 125.0], [1000.0, 167.0]], [L2_GAP, 119.0]),
        route(36, &[[L2_RIGHT, 358.0], [1000.0, 358.0], [1000.0, 323.0]], [L2_GAP, 352.0]),
        route(37, &[[790.0, 195.0], [950.0, 195.0]], [870.0, 189.0]),
        route(38, &[[790.0, 295.0], [950.0, 295.0]], [870.0, 289.0]),
    ],
};

/// A vector unit alone.
static VECTOR_CORE: Part = Part {
    boxes: &[
        core("veccore0", 380.0),
        memory("UB", [680.0, 100.0, 170.0, 180.0]),
        compute("Vector", [1210.0, 100.0, 270.0, 180.0]),
    ],
    routes: &[
        route(12, &[[L2_RIGHT, 165.0], [680.0, 165.0]], [L2_GAP, 159.0]),
        route(13, &[[680.0, 215.0], [L2_RIGHT, 215.0]], [L2_GAP, 232.0]),
        route(14, &[[850.0, 165.0], [1210.0, 165.0]], [1030.0, 159.0]),
        route(15, &[[1210.0, 215.0], [850.0, 215.0]], [1030.0, 232.0]),
    ],
};

/// A vector unit below a cube.
static VECTOR_ROW: Part = Part {
    boxes: &[
        core("veccore", 125.0),
        memory("UB", [680.0, 24.0, 110.0, 78.0]),
        compute("Vector", [1210.0, 24.0, 270.0, 78.0]),
    ],
    routes: &[
        route(12, &[[L2_RIGHT, 48.0], [680.0, 48.0]], [L2_GAP, 42.0]),
        route(13, &[[680.0, 78.0], [L2_RIGHT, 78.0]], [L2_GAP, 95.0]),
        route(14, &[[790.0, 48.0], [1210.0, 48.0]], [1000.0, 42.0]),
        route(15, &[[1210.0, 78.0], [790.0, 78.0]], [1000.0, 95.0]),
    ],
};

// Charts of Ascend 910 A5: results leave through the fix pipe (FIXP), and vector units have a data cache.

/// The path by which files are known that measure what data caches write.
const WRITTEN: u8 = 50;

/// cubeA5.
static CHART_A5_CUBE: [Placed; 1] = [at(20.0, &CHART_A5_CUBE_CORE)];

/// vectorA5 and vectorA5V2.
static CHART_A5_VECTOR: [Placed; 2] = [at(20.0, &CHART_A5_VECTOR_CORE), at(20.0, &WRITE_BACK).with(WRITTEN)];

/// mixA5 and mixA5V2.
static CHART_A5_MIX: [Placed; 6] = [
    at(6.0, &CUBE_ROW),
    at(298.0, &CHART_A5_VECTOR_ROW),
    at(298.0, &ROW_WRITE_BACK).with(WRITTEN),
    at(484.0, &CHART_A5_VECTOR_ROW).second(),
    at(484.0, &ROW_WRITE_BACK).second().with(WRITTEN),
    at(0.0, &BETWEEN),
];

/// The cube alone: everything in one row, the fix pipe below.
static CHART_A5_CUBE_CORE: Part = Part {
    boxes: &[
        core("cubecore0", 380.0),
        memory("L1", [680.0, 50.0, 110.0, 190.0]),
        memory("L0A", [920.0, 59.0, 100.0, 60.0]),
        memory("L0B", [920.0, 171.0, 100.0, 60.0]),
        compute("Cube", [1150.0, 50.0, 150.0, 190.0]),
        memory("L0C", [1420.0, 95.0, 90.0, 100.0]),
        memory("FIXP", [680.0, 300.0, 830.0, 52.0]),
    ],
    routes: &[
        route(2, &[[L2_RIGHT, 145.0], [680.0, 145.0]], [L2_GAP, 139.0]),
        route(37, &[[790.0, 89.0], [920.0, 89.0]], [855.0, 83.0]),
        route(38, &[[790.0, 201.0], [920.0, 201.0]], [855.0, 195.0]),
        route(6, &[[1020.0, 89.0], [1150.0, 89.0]], [1085.0, 83.0]),
        route(7, &[[1020.0, 201.0], [1150.0, 201.0]], [1085.0, 195.0]),
        route(8, &[[1300.0, 145.0], [1420.0, 145.0]], [1360.0, 139.0]),
        route(39, &[[1465.0, 195.0], [1465.0, 300.0]], [1455.0, 253.0]),
        route(41, &[[735.0, 300.0], [735.0, 240.0]], [745.0, 275.0]),
        route(40, &[[680.0, 326.0], [L2_RIGHT, 326.0]], [L2_GAP, 320.0]),
    ],
};

/// A vector unit alone with its buffer and, below, its data cache.
static CHART_A5_VECTOR_CORE: Part = Part {
    boxes: &[
        core("veccore0", 380.0),
        memory("UB", [680.0, 50.0, 170.0, 120.0]),
        memory("Dcache (SIMT)", [680.0, 210.0, 170.0, 120.0]),
        compute("Vector", [1210.0, 50.0, 270.0, 280.0]),
    ],
    routes: &[
        route(12, &[[L2_RIGHT, 90.0], [680.0, 90.0]], [L2_GAP, 84.0]),
        route(13, &[[680.0, 130.0], [L2_RIGHT, 130.0]], [L2_GAP, 147.0]),
        route(14, &[[850.0, 90.0], [1210.0, 90.0]], [1030.0, 84.0]),
        route(15, &[[1210.0, 130.0], [850.0, 130.0]], [1030.0, 147.0]),
        route(48, &[[L2_RIGHT, 250.0], [680.0, 250.0]], [L2_GAP, 244.0]),
        route(54, &[[850.0, 250.0], [1210.0, 250.0]], [1030.0, 244.0]),
        route(52, &[[1210.0, 290.0], [850.0, 290.0]], [1030.0, 307.0]),
    ],
};

/// What the data cache writes.
static WRITE_BACK: Part =
    Part { boxes: &[], routes: &[route(50, &[[680.0, 290.0], [L2_RIGHT, 290.0]], [L2_GAP, 307.0])] };

/// The cube above two vector units; the way down from L1 is free, the fix pipe begins right of it.
static CUBE_ROW: Part = Part {
    boxes: &[
        core("cubecore0", 286.0),
        memory("L1", [685.0, 24.0, 130.0, 150.0]),
        memory("L0A", [940.0, 30.0, 100.0, 50.0]),
        memory("L0B", [940.0, 118.0, 100.0, 50.0]),
        compute("Cube", [1160.0, 24.0, 150.0, 150.0]),
        memory("L0C", [1420.0, 54.0, 90.0, 90.0]),
        memory("FIXP", [900.0, 226.0, 610.0, 44.0]),
    ],
    routes: &[
        route(2, &[[L2_RIGHT, 99.0], [685.0, 99.0]], [L2_GAP, 93.0]),
        route(37, &[[815.0, 55.0], [940.0, 55.0]], [875.0, 49.0]),
        route(38, &[[815.0, 143.0], [940.0, 143.0]], [875.0, 137.0]),
        route(6, &[[1040.0, 55.0], [1160.0, 55.0]], [1100.0, 49.0]),
        route(7, &[[1040.0, 143.0], [1160.0, 143.0]], [1100.0, 137.0]),
        route(8, &[[1310.0, 99.0], [1420.0, 99.0]], [1365.0, 93.0]),
        route(39, &[[1465.0, 144.0], [1465.0, 226.0]], [1455.0, 190.0]),
        route(41, &[[900.0, 238.0], [793.0, 238.0], [793.0, 174.0]], [848.0, 232.0]),
        route(40, &[[900.0, 258.0], [L2_RIGHT, 258.0]], [L2_GAP, 252.0]),
    ],
};

/// A vector unit below a cube, with its buffer and its data cache.
static CHART_A5_VECTOR_ROW: Part = Part {
    boxes: &[
        core("veccore", 180.0),
        memory("UB", [950.0, 54.0, 170.0, 48.0]),
        memory("Dcache (SIMT)", [950.0, 122.0, 170.0, 48.0]),
        compute("Vector", [1330.0, 54.0, 180.0, 116.0]),
    ],
    routes: &[
        route(12, &[[L2_RIGHT, 66.0], [950.0, 66.0]], [L2_GAP, 60.0]),
        route(13, &[[950.0, 90.0], [L2_RIGHT, 90.0]], [L2_GAP, 107.0]),
        route(14, &[[1120.0, 66.0], [1330.0, 66.0]], [1200.0, 60.0]),
        route(15, &[[1330.0, 90.0], [1120.0, 90.0]], [1200.0, 107.0]),
        route(48, &[[L2_RIGHT, 136.0], [950.0, 136.0]], [L2_GAP, 130.0]),
        route(54, &[[1120.0, 136.0], [1330.0, 136.0]], [1200.0, 130.0]),
        route(52, &[[1330.0, 158.0], [1120.0, 158.0]], [1200.0, 174.0]),
    ],
};

/// What the data cache of a row writes.
static ROW_WRITE_BACK: Part =
    Part { boxes: &[], routes: &[route(50, &[[950.0, 158.0], [L2_RIGHT, 158.0]], [L2_GAP, 174.0])] };

/// Between the cube and the buffers of both vector units; places are from the top of the chart.
static BETWEEN: Part = Part {
    boxes: &[],
    routes: &[
        route(42, &[[1070.0, 276.0], [1070.0, 352.0]], [1080.0, 324.0]),
        route(43, &[[1285.0, 276.0], [1285.0, 504.0], [1070.0, 504.0], [1070.0, 538.0]], [1295.0, 324.0]),
        route(44, &[[747.0, 180.0], [747.0, 333.0], [975.0, 333.0], [975.0, 352.0]], [860.0, 350.0]),
        route(46, &[[1005.0, 352.0], [1005.0, 318.0], [769.0, 318.0], [769.0, 180.0]], [860.0, 312.0]),
        route(45, &[[703.0, 180.0], [703.0, 519.0], [975.0, 519.0], [975.0, 538.0]], [860.0, 536.0]),
        route(47, &[[1005.0, 538.0], [1005.0, 504.0], [725.0, 504.0], [725.0, 180.0]], [860.0, 498.0]),
    ],
};
