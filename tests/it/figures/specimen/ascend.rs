//! Ascend operator details: base info, core occupancy, roofline, compute workload, memory chart of a mix operator.

use lanescope::base::unit::Unit;
use lanescope::model::figure::{
    Advice, AxisLabel, Bar, BarRole, Bars, Body, BoxArrow, Cell, CoreCell, CoreGrid, CoreRow, Fact, Facts,
    Figure, GraphArrow, GraphBox, GraphRole, Roof, RoofPoint, Roofline, ScaleKind,
};

pub(crate) fn facts() -> Figure {
    let text = |name: &str, value: &str| Fact {
        name: name.into(),
        value: Cell::Text(value.into()),
        unit: Unit::None,
    };
    let number =
        |name: &str, value: f64, unit: Unit| Fact { name: name.into(), value: Cell::Number(value), unit };
    let facts = vec![
        text("Kernel", "blur_mix_3"),
        text("Chip", "Ascend910B4"),
        number("Duration", 127.5, Unit::Micros),
        number("Blocks", 8.0, Unit::None),
        number("Clock", 1650.0, Unit::Megahertz),
        Fact { name: "Process".into(), value: Cell::Missing, unit: Unit::None },
    ];
    Figure::new("Base info", Body::Facts(Facts { facts }))
}

/// 10 cores of which 9 were measured; vector 1 of core 6 is 12 % above the mean of its kind.
pub(crate) fn cores() -> Figure {
    let core = |i: u32| {
        let cell = |name: &str, value: f64| CoreCell {
            name: name.into(),
            value: Some(value),
            level: Some(if value == 48_600.0 { 10 } else { 5 }),
            pair: None,
            tracks: Vec::new(),
        };
        let odd = if i == 6 { 48_600.0 } else { 42_300.0 + f64::from(i % 3) * 300.0 };
        let cells = vec![
            cell("cube", 90_000.0 + f64::from(i % 2) * 1_000.0),
            cell("vector 0", 43_000.0),
            cell("vector 1", odd),
        ];
        CoreRow { name: i.to_string(), is_measured: true, cells }
    };
    let mut cores: Vec<CoreRow> = (0..9).map(core).collect();
    cores.push(CoreRow { name: "9".into(), is_measured: false, cells: Vec::new() });
    let body = Body::Cores(CoreGrid { unit: Unit::Cycles, cores, ..CoreGrid::default() });
    let advice = vec![Advice::new("Core 6 vector 1 took more time than the others.", true)];
    Figure { scope: "cycles".into(), advice, ..Figure::new("Core occupancy", body) }
}

pub(crate) fn roofline() -> Figure {
    let roof = |name: &str, bandwidth: f64, point: Option<(f64, f64, f64)>| Roof {
        bandwidth_name: name.into(),
        bandwidth,
        ceiling_name: "Cube FP16".into(),
        ceiling: 280.0,
        point: point.map(|(x, y, share)| RoofPoint { x, y, share: Some(share), is_share_computed: false }),
    };
    let log = |unit: Unit| AxisLabel { name: String::new(), unit, scale: ScaleKind::Log };
    let roofs = vec![
        roof("GM", 1.6, Some((31.0, 29.8, 0.6))),
        roof("L2", 5.4, Some((20.0, 29.8, 0.276))),
        roof("broken", 0.0, None),
    ];
    let body = Roofline { x: log(Unit::OpsPerByte), y: log(Unit::TeraOpsPerSec), roofs, n_baseline: 0 };
    Figure::new("Roofline", Body::Roofline(body))
}

pub(crate) fn bars() -> Figure {
    let bar = |name: &str, value: Option<f64>, role: BarRole| Bar {
        name: name.into(),
        values: vec![value],
        role,
        detail: "47,000 cycles".into(),
    };
    let bars = vec![
        bar("Cube wait", Some(54.2), BarRole::Wait),
        bar("Cube FP", Some(38.6), BarRole::Work),
        bar("Vector active 0", Some(21.9), BarRole::Work),
        bar("Cube INT", Some(0.0), BarRole::Work),
        bar("Vector misc 1", None, BarRole::Work),
    ];
    let body = Bars { unit: Unit::Percent, full: Some(100.0), bars, ..Bars::default() };
    Figure { scope: "share of cycles, block 0".into(), ..Figure::new("Compute workload", Body::Bars(body)) }
}

/// The chart of a mix operator on a 910: cube core above, two vector cores below.
pub(crate) fn memory() -> Figure {
    let mut boxes = vec![
        item("cubecore0", "", GraphRole::Container, [322.0, 4.0, 462.0, 166.0]),
        item("veccore0", "", GraphRole::Container, [322.0, 180.0, 462.0, 62.0]),
        item("veccore1", "", GraphRole::Container, [322.0, 250.0, 462.0, 62.0]),
        item("GM", "", GraphRole::Memory, [0.0, 4.0, 78.0, 308.0]),
        item("L2 Cache", "80.6 % hit", GraphRole::Memory, [196.0, 4.0, 78.0, 308.0]),
        item("L1", "", GraphRole::Memory, [408.0, 50.0, 66.0, 82.0]),
        item("L0A", "", GraphRole::Memory, [536.0, 36.0, 66.0, 40.0]),
        item("L0B", "", GraphRole::Memory, [536.0, 106.0, 66.0, 40.0]),
        item("L0C", "", GraphRole::Memory, [672.0, 14.0, 98.0, 30.0]),
        item("Cube", "38.6 % busy", GraphRole::Compute, [672.0, 66.0, 98.0, 66.0]),
    ];
    for y in [192.0, 262.0] {
        boxes.push(item("UB", "", GraphRole::Memory, [408.0, y, 66.0, 40.0]));
        boxes.push(item("Vector", "", GraphRole::Compute, [672.0, y, 98.0, 40.0]));
    }
    let arrows = vec![
        arrow(0, "GM → L2", &[[79.0, 120.0], [195.0, 120.0]], Some(612.4), 0.78, [137.0, 113.0]),
        arrow(1, "L2 → GM", &[[195.0, 190.0], [79.0, 190.0]], Some(104.8), 0.13, [137.0, 183.0]),
        arrow(2, "L2 → L1", &[[275.0, 84.0], [407.0, 84.0]], Some(486.0), 0.61, [365.0, 78.0]),
        arrow(3, "L1 → L2", &[[407.0, 110.0], [275.0, 110.0]], Some(0.0), 0.0, [365.0, 104.0]),
        arrow(
            4,
            "L1 → L0A",
            &[[475.0, 64.0], [505.0, 64.0], [505.0, 56.0], [535.0, 56.0]],
            Some(402.6),
            0.39,
            [505.0, 49.0],
        ),
        arrow(
            5,
            "L1 → L0B",
            &[[475.0, 118.0], [505.0, 118.0], [505.0, 126.0], [535.0, 126.0]],
            Some(804.9),
            0.84,
            [505.0, 141.0],
        ),
        arrow(
            6,
            "L0A → Cube",
            &[[603.0, 56.0], [636.0, 56.0], [636.0, 88.0], [671.0, 88.0]],
            Some(791.2),
            0.42,
            [638.0, 49.0],
        ),
        arrow(
            7,
            "L0B → Cube",
            &[[603.0, 126.0], [636.0, 126.0], [636.0, 112.0], [671.0, 112.0]],
            Some(1580.0),
            0.88,
            [638.0, 144.0],
        ),
        arrow(8, "Cube → L0C", &[[700.0, 65.0], [700.0, 45.0]], Some(512.4), 0.34, [682.0, 59.0]),
        arrow(11, "L0C → Cube", &[[742.0, 45.0], [742.0, 65.0]], None, 0.0, [762.0, 59.0]),
        arrow(10, "L0C → L2", &[[671.0, 29.0], [275.0, 29.0]], Some(208.3), 0.27, [300.0, 23.0]),
        arrow(12, "L2 → UB", &[[275.0, 205.0], [407.0, 205.0]], Some(96.2), 0.24, [300.0, 200.0]),
        arrow(13, "UB → L2", &[[407.0, 221.0], [275.0, 221.0]], Some(51.0), 0.12, [300.0, 234.0]),
        arrow(14, "UB → Vector", &[[475.0, 205.0], [671.0, 205.0]], Some(388.4), 0.46, [573.0, 200.0]),
        arrow(15, "Vector → UB", &[[671.0, 221.0], [475.0, 221.0]], Some(341.7), 0.41, [573.0, 234.0]),
        arrow(16, "L2 → UB 1", &[[275.0, 275.0], [407.0, 275.0]], Some(94.8), 0.24, [300.0, 270.0]),
        arrow(17, "UB 1 → L2", &[[407.0, 291.0], [275.0, 291.0]], Some(49.6), 0.12, [300.0, 304.0]),
        arrow(18, "UB 1 → Vector", &[[475.0, 275.0], [671.0, 275.0]], Some(371.9), 0.44, [573.0, 270.0]),
        arrow(19, "Vector → UB 1", &[[671.0, 291.0], [475.0, 291.0]], Some(329.5), 0.39, [573.0, 304.0]),
    ];
    let body = BoxArrow { width: 788.0, height: 316.0, unit: Unit::GigabytesPerSec, boxes, arrows };
    Figure { scope: "GB/s, block 0".into(), ..Figure::new("Memory", Body::Graph(body)) }
}

fn item(name: &str, fact: &str, role: GraphRole, rect: [f32; 4]) -> GraphBox {
    GraphBox { name: name.into(), fact: fact.to_owned().into(), detail: String::new(), role, rect }
}

fn arrow(
    id: u32,
    name: &str,
    points: &[[f32; 2]],
    value: Option<f64>,
    share: f64,
    label_at: [f32; 2],
) -> GraphArrow {
    GraphArrow {
        key: id.to_string(),
        name: name.into(),
        points: points.to_vec(),
        value,
        peak_share: value.map(|_| share),
        label_at,
        ..GraphArrow::default()
    }
}
