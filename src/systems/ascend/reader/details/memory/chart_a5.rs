//! Charts of Ascend 910 A5: results leave through the fix pipe (FIXP), and vector units have a data cache.

use super::chart::{L2_GAP, L2_RIGHT, Part, Placed, at, compute, core, memory, route};

/// The path by which files are known that measure what data caches write.
const WRITTEN: u8 = 50;

/// cubeA5.
pub(super) static CUBE: [Placed; 1] = [at(20.0, &CUBE_CORE)];

/// vectorA5 and vectorA5V2.
pub(super) static VECTOR: [Placed; 2] = [at(20.0, &VECTOR_CORE), at(20.0, &WRITE_BACK).with(WRITTEN)];

/// mixA5 and mixA5V2.
pub(super) static MIX: [Placed; 6] = [
    at(6.0, &CUBE_ROW),
    at(298.0, &VECTOR_ROW),
    at(298.0, &ROW_WRITE_BACK).with(WRITTEN),
    at(484.0, &VECTOR_ROW).second(),
    at(484.0, &ROW_WRITE_BACK).second().with(WRITTEN),
    at(0.0, &BETWEEN),
];

/// The cube alone: everything in one row, the fix pipe below.
static CUBE_CORE: Part = Part {
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
static VECTOR_CORE: Part = Part {
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
static VECTOR_ROW: Part = Part {
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
