//! Charts of Ascend 910: cube, vector, and one cube with two vector units.

use super::chart::{L2_GAP, L2_RIGHT, Part, Placed, at, compute, core, memory, route};

/// The path by which files are known that measure the ways to L0A and L0B apart.
const SPLIT: u8 = 35;

/// cube910 and cube910V2.
pub(super) static CUBE: [Placed; 3] =
    [at(20.0, &CUBE_CORE), at(20.0, &TO_L0).without(SPLIT), at(20.0, &TO_L0_SPLIT).with(SPLIT)];

/// vector910.
pub(super) static VECTOR: [Placed; 1] = [at(20.0, &VECTOR_CORE)];

/// mix910 and mix910V2.
pub(super) static MIX: [Placed; 5] = [
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
