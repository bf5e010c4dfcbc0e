//! 0x08 memory graph: the paths of each core as boxes and arrows, as a table, and what its units did.
//!
//! `{core_memory_map: [{core_no, op_type, soc, memory_unit: [{memory_path, request, bandwidth, peak_ratio, display,
//! request_suffix, bandwidth_suffix}], L2cache: {hit, miss, total_request, hit_ratio}, Cube, Vector, Vector1: {cycle, ratio,
//! total_cycles}, advice, memory_detail}]}`. The design document has `core_type` for `op_type`, and `L2cache` as pairs; the
//! writer for 310P spells `requests_suffix`. `display` is 0 or 1 and hides nothing, as in the vendor's viewer.

use super::chart::{Chart, L2_RIGHT, Placed, Route, WIDTH, chart};
use super::tables::table_id;
use super::{ALL_NAME, SECTION, Units};
use crate::base::fault::Severity;
use crate::base::map::Set;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{
    Advice, Body, BoxArrow, Cell, Choice, Family, Figure, GraphArrow, GraphBox, GraphRole, RowsOf,
    TableFigure, TableOf,
};
use crate::systems::ascend::reader::details::base_info::op_type;
use crate::systems::ascend::reader::details::load::{AVERAGE_NAME, WORKLOAD};
use crate::systems::ascend::reader::details::{Timing, advise, brief_weighted};
use crate::systems::ascend::reader::field::{Fields, Within};

/// Id of the chart, which advice of other blocks belongs to.
pub(super) const CHART: &str = "memory-graph";
/// Id of the table of paths.
const PATHS_TABLE: &str = "memory-paths";

/// Most paths of a core that are shown; ids end at 55.
const PATHS: usize = 256;

/// One path of a core.
struct Measured {
    /// Its id as the file has it; `None` when it is no number.
    id: Option<f64>,
    /// The same when it can be one of a chart.
    path: Option<u8>,
    request: Option<f64>,
    bandwidth: Option<f64>,
    /// Percent.
    peak: Option<f64>,
    display: Option<f64>,
    request_suffix: String,
    bandwidth_suffix: String,
}

/// One core.
struct Core {
    block: String,
    op_type: String,
    soc: String,
    paths: Vec<Measured>,
    units: Units,
    advice: Vec<Advice>,
    /// Whether its blocks took no longer than the operator.
    is_timed: bool,
}

/// What is written at arrows.
#[derive(Clone, Copy)]
enum Shown {
    Bandwidth,
    Requests,
}

/// Adds chart, table of paths and facts, one variant for each core and one for all of them; gives the workload its
/// advice. Figures before `figures_before` belong to other files; `timing` says how long the blocks took.
pub(crate) fn memory_graph(
    json: &Json,
    timing: &Timing,
    figures_before: usize,
    within: &Within,
    sink: &mut Sink,
) {
    let mut fields = Fields::new(within, sink);
    let items = fields.items(json, "core_memory_map", "");
    let cores = super::block_ordered(items, "core_memory_map", ["core_no", "block_id"], &mut fields);
    let cores: Vec<Core> =
        cores.into_iter().map(|(block, at, item)| core(block, item, &at, &mut fields)).collect();
    if cores.is_empty() {
        return;
    }
    let figures = &mut sink.builder.head().figures;
    for core in &cores {
        advise(figures.get_mut(figures_before..).unwrap_or(&mut []), WORKLOAD, &core.block, &core.advice);
    }
    let all = over_all(&cores, timing.all_fit());
    let cores: Vec<Core> = cores.into_iter().chain(all).collect();
    let is_remarked = |path: &Measured| !path.request_suffix.is_empty() || !path.bandwidth_suffix.is_empty();
    let has_suffix = cores.iter().flat_map(|core| &core.paths).any(is_remarked);
    let options: Vec<String> = cores.iter().map(|core| core.block.clone()).collect();
    let family = |id: &str, title: &str, more: Option<Choice>, variants: Vec<Figure>| Family {
        id: id.to_owned(),
        section: SECTION.to_owned(),
        title: title.to_owned(),
        choices: std::iter::once(super::block_choice(options.clone())).chain(more).collect(),
        variants,
    };
    let show_as =
        Choice { name: "Show as".to_owned(), options: vec!["Bandwidth".to_owned(), "Requests".to_owned()] };
    let charts = cores
        .iter()
        .flat_map(|core| [Shown::Bandwidth, Shown::Requests].map(|shown| graph(core, has_suffix, shown)));
    figures.push(family(CHART, phrase("Memory chart"), Some(show_as), charts.collect()));
    let tables = cores
        .iter()
        .map(|core| noted(core, Figure::new("Memory paths", Body::Table(table(core, has_suffix)))));
    figures.push(family(PATHS_TABLE, phrase("Memory paths"), None, tables.collect()));
    if cores.iter().any(|core| !core.units.facts().facts.is_empty()) {
        let title = phrase("Cache and compute units");
        let facts = cores.iter().map(|core| noted(core, Figure::new(title, Body::Facts(core.units.facts()))));
        figures.push(family("memory-units", title, None, facts.collect()));
    }
}

/// Says what the block named NA is, and how the numbers of all blocks come about.
fn noted(core: &Core, mut figure: Figure) -> Figure {
    if core.block == AVERAGE_NAME {
        figure.notes.push(message("Values are averages over all cores."));
    } else if core.block == ALL_NAME {
        figure.notes.push(message(
            "All blocks: counts and cycles are sums, ratios are computed from the sums, bandwidth and share of peak are means per block, weighted by time.",
        ));
        if !core.is_timed {
            figure.notes.push(message(
                "Blocks took longer than the operator, so their times are of another run: these means say little.",
            ));
        }
    }
    figure
}

/// All blocks as one; `None` where there is one block, or the file has an average itself.
fn over_all(cores: &[Core], is_timed: bool) -> Option<Core> {
    if cores.len() < 2 || cores.iter().any(|core| core.block == AVERAGE_NAME) {
        return None;
    }
    let same = |of: fn(&Core) -> &String| {
        let first = cores.first().map(of)?;
        cores.iter().all(|core| of(core) == first).then(|| first.clone())
    };
    let is_same = |a: &Measured, b: &Measured| a.id == b.id && a.path == b.path;
    let mut firsts: Vec<&Measured> = Vec::new();
    for unit in cores.iter().flat_map(|core| &core.paths).filter(|unit| unit.id.is_some()) {
        if !firsts.iter().any(|first| is_same(first, unit)) {
            firsts.push(unit);
        }
    }
    let times = times(cores, &firsts);
    let path = |first: &&Measured| {
        let mut own: Vec<(usize, &Measured)> = Vec::new();
        for (at, core) in cores.iter().enumerate() {
            own.extend(core.paths.iter().filter(|unit| is_same(first, unit)).map(|unit| (at, unit)));
        }
        measured_of_all(first, &own, &times)
    };
    Some(Core {
        block: ALL_NAME.to_owned(),
        op_type: same(|core| &core.op_type).unwrap_or_default(),
        soc: same(|core| &core.soc).unwrap_or_default(),
        paths: firsts.iter().map(path).collect(),
        units: Units::over_all(&cores.iter().map(|core| &core.units).collect::<Vec<_>>()),
        advice: Vec::new(),
        is_timed,
    })
}

/// How long each block took, in a unit of its own: the requests of a path that every block used, divided by its bandwidth.
/// Empty where there is no such path.
fn times(cores: &[Core], firsts: &[&Measured]) -> Vec<f64> {
    let of = |path: u8| {
        let own = |core: &Core| core.paths.iter().find(|unit| unit.path == Some(path)).and_then(time);
        cores.iter().map(own).collect::<Option<Vec<f64>>>()
    };
    // Many digits tell a time best.
    let by_size = firsts.iter().filter_map(|first| Some((first.path?, first.request?)));
    let mut by_size: Vec<(u8, f64)> = by_size.collect();
    order::sort_by(&mut by_size, |a, b| b.1.total_cmp(&a.1));
    by_size.iter().find_map(|(path, _)| of(*path)).unwrap_or_default()
}

/// What the time of a block comes to by one of its paths; `None` where nothing moved.
fn time(unit: &Measured) -> Option<f64> {
    let bandwidth = unit.bandwidth.filter(|bandwidth| 0.0 < *bandwidth)?;
    unit.request.filter(|request| 0.0 < *request).map(|request| request / bandwidth)
}

/// A path of all blocks that have it, each with the number of its block.
fn measured_of_all(first: &Measured, own: &[(usize, &Measured)], times: &[f64]) -> Measured {
    let sum = |of: fn(&Measured) -> Option<f64>| {
        own.iter().map(|(_, unit)| of(unit)).collect::<Option<Vec<f64>>>().map(|all| all.iter().sum::<f64>())
    };
    let mean = |of: fn(&Measured) -> Option<f64>| {
        let values: Vec<f64> = own.iter().map(|(_, unit)| of(unit)).collect::<Option<_>>()?;
        let own_times = || own.iter().map(|(_, unit)| time(unit)).collect::<Option<Vec<f64>>>();
        let of_blocks = || own.iter().map(|(at, _)| times.get(*at).copied()).collect::<Option<Vec<f64>>>();
        let is_one = values.iter().all(|value| Some(value) == values.first());
        let mean = own_times()
            .or_else(of_blocks)
            .and_then(|times| brief_weighted(values.iter().copied().zip(times)));
        if is_one { values.first().copied() } else { mean }
    };
    let text = |of: fn(&Measured) -> &String| {
        own.iter().map(|(_, unit)| of(unit)).find(|text| !text.is_empty()).cloned().unwrap_or_default()
    };
    let is_shown_alike = own.iter().all(|(_, unit)| unit.display == first.display);
    Measured {
        id: first.id,
        path: first.path,
        request: sum(|unit| unit.request),
        bandwidth: mean(|unit| unit.bandwidth),
        peak: mean(|unit| unit.peak),
        display: first.display.filter(|_| is_shown_alike),
        request_suffix: text(|unit| &unit.request_suffix),
        bandwidth_suffix: text(|unit| &unit.bandwidth_suffix),
    }
}

fn core(block: String, json: &Json, inside: &str, fields: &mut Fields) -> Core {
    let kind = match fields.text(json, "op_type", inside) {
        kind if kind.is_empty() => fields.text(json, "core_type", inside),
        kind => kind,
    };
    let soc = fields.text(json, "soc", inside);
    let mut seen: Set<u8> = Set::default();
    let mut paths = Vec::new();
    let items = fields.items(json, "memory_unit", inside);
    if PATHS < items.len() {
        let at = format!("{inside} ▸ memory_unit");
        fields.left_out(&at, "at most 256 memory paths", items.len().to_string());
    }
    for (i, item) in (1..).zip(items.iter().take(PATHS)) {
        let inside = format!("{inside} ▸ memory_unit ▸ {i}");
        if item.members().is_empty() {
            fields.left_out(
                &inside,
                "a non-empty object",
                crate::systems::ascend::reader::field::shown(item),
            );
            continue;
        }
        let mut value = |key: &str| fields.number(item, key, &inside).filter(|v| 0.0 <= *v);
        let (request, bandwidth) = (value("request"), value("bandwidth"));
        let (peak, display) = (value("peak_ratio"), value("display"));
        let id = fields.number(item, "memory_path", &inside);
        let path = id.and_then(|id| (0..=u8::MAX).find(|&path| f64::from(path) == id));
        let keys = ["request_suffix", "requests_suffix"];
        let key = keys.into_iter().find(|key| item.get(key).is_some()).unwrap_or("");
        let request_suffix = fields.text(item, key, &inside);
        let bandwidth_suffix = fields.text(item, "bandwidth_suffix", &inside);
        let known = path.filter(|&path| super::path_ends(path).is_some());
        let is_again = known.is_some_and(|path| !seen.insert(path));
        if known.is_none() || is_again {
            let expected = if is_again { "each memory path only once" } else { "a known memory path number" };
            let found = item
                .get("memory_path")
                .map_or_else(|| "nothing".into(), crate::systems::ascend::reader::field::shown);
            let at = format!("{inside} ▸ memory_path");
            fields.said(Severity::Note, &at, expected, found, "Listed in the memory path table.");
        }
        let path = known.filter(|_| !is_again);
        let unit = Measured { id, path, request, bandwidth, peak, display, request_suffix, bandwidth_suffix };
        paths.push(unit);
    }
    let advice = super::advice_of(json, inside, fields);
    let units = Units::read(json, inside, fields);
    Core { block, op_type: op_type(&kind).to_owned(), soc, paths, units, advice, is_timed: true }
}

/// The chart of a core; the table of its paths when it is not known how such a core looks.
fn graph(core: &Core, has_suffix: bool, shown: Shown) -> Figure {
    let has = |path: u8| core.paths.iter().any(|unit| unit.path == Some(path));
    let mut figure = match chart(&core.soc, &core.op_type, has) {
        None => {
            let mut figure = Figure::new("Memory chart", Body::Table(table(core, has_suffix)));
            let words =
                message("No memory chart for this chip and operator type: all paths are listed instead.");
            figure.notes.push(words);
            figure
        }
        Some(chart) => {
            let graph = drawn(&chart, core, shown);
            let is_placed = |unit: &&Measured| {
                unit.path.is_some_and(|path| graph.arrows.iter().any(|arrow| arrow.key == path.to_string()))
            };
            let left = core.paths.iter().filter(|unit| !is_placed(unit)).count();
            let mut marks: Vec<Message> = Vec::new();
            for suffix in graph.arrows.iter().map(|arrow| &arrow.suffix).filter(|suffix| !suffix.is_empty()) {
                if !marks.iter().any(|mark| mark.key.ends_with(suffix.as_str())) {
                    marks.push(format!("* {suffix}").into());
                }
            }
            let mut figure = Figure::new("Memory chart", Body::Graph(graph));
            figure.notes = marks;
            if 0 < left {
                let words = message("{n} paths are not part of this chart; see the memory path table.");
                figure.notes.push(words.with("n", left));
            }
            figure
        }
    };
    let scope = match shown {
        Shown::Bandwidth => "GB/s",
        Shown::Requests => "requests",
    };
    scope.clone_into(&mut figure.scope);
    figure.advice.clone_from(&core.advice);
    noted(core, figure)
}

fn drawn(chart: &Chart, core: &Core, shown: Shown) -> BoxArrow {
    let left = |name: &str, rect: [f32; 4]| boxed(name, GraphRole::Memory, rect, core, false);
    let (top, height) = (chart.margin, chart.height - 2.0 * chart.margin);
    let mut boxes =
        vec![left("GM", [2.0, top, 88.0, height]), left("L2 Cache", [L2_RIGHT - 120.0, top, 120.0, height])];
    let (x, y) = ([90.0, L2_RIGHT - 120.0], chart.height / 2.0);
    let mut arrows = vec![
        arrow(0, core, shown, vec![[x[0], y - 30.0], [x[1], y - 30.0]], [205.0, y - 36.0]),
        arrow(1, core, shown, vec![[x[1], y + 30.0], [x[0], y + 30.0]], [205.0, y + 48.0]),
    ];
    for placed in &chart.parts {
        boxes.extend(placed.boxes().iter().map(|place| {
            let [left, top, w, h] = place.rect;
            let name = match (place.name, placed.is_second) {
                ("veccore", false) => "veccore0",
                ("veccore", true) => "veccore1",
                (name, _) => name,
            };
            boxed(name, place.role, [left, top + placed.top, w, h], core, placed.is_second)
        }));
        arrows.extend(placed.routes().map(|(path, route)| routed(path, route, placed, core, shown)));
    }
    let unit = match shown {
        Shown::Bandwidth => Unit::GigabytesPerSec,
        Shown::Requests => Unit::Count("requests".to_owned()),
    };
    BoxArrow { width: WIDTH, height: chart.height, unit, boxes, arrows }
}

fn boxed(name: &str, role: GraphRole, rect: [f32; 4], core: &Core, is_second: bool) -> GraphBox {
    let (fact, detail) = core.units.of_box(name, is_second);
    GraphBox { name: name.to_owned(), fact, detail, role, rect }
}

fn routed(path: u8, route: &Route, placed: &Placed, core: &Core, shown: Shown) -> GraphArrow {
    let down = |points: &[[f32; 2]]| points.iter().map(|[x, y]| [*x, *y + placed.top]).collect::<Vec<_>>();
    let [x, y] = route.label;
    let arrow = arrow(path, core, shown, down(route.points), [x, y + placed.top]);
    GraphArrow { branch: down(route.branch), ..arrow }
}

/// The arrow of a path; without a value when the file does not have the path.
fn arrow(path: u8, core: &Core, shown: Shown, points: Vec<[f32; 2]>, label_at: [f32; 2]) -> GraphArrow {
    let own = RowsOf { table: PATHS_TABLE.to_owned(), key: path.to_string() };
    let of_memory = |(table, act): (&str, &str)| RowsOf { table: table_id(table), key: act.to_owned() };
    let arrow = GraphArrow {
        key: path.to_string(),
        name: super::path_name(path),
        points,
        label_at,
        rows: std::iter::once(own).chain(super::path_tables(path).into_iter().map(of_memory)).collect(),
        ..GraphArrow::default()
    };
    let Some(unit) = core.paths.iter().find(|unit| unit.path == Some(path)) else {
        return GraphArrow {
            detail: phrase("This path is not in the file.").to_owned(),
            rows: Vec::new(),
            ..arrow
        };
    };
    let (value, suffix) = match shown {
        Shown::Bandwidth => (unit.bandwidth, &unit.bandwidth_suffix),
        Shown::Requests => (unit.request, &unit.request_suffix),
    };
    let line = |name: &str, value: Option<f64>, unit: &str, suffix: &str| {
        let value = value.map_or_else(|| number::MISSING.to_owned(), number::exact);
        let words = [value.as_str(), unit, suffix].into_iter().filter(|word| !word.is_empty());
        format!("{name}\t{}", words.collect::<Vec<_>>().join(" "))
    };
    let detail = [
        line("Bandwidth", unit.bandwidth, "GB/s", &unit.bandwidth_suffix),
        line("Requests", unit.request, "", &unit.request_suffix),
        phrase("Bandwidth = data / block duration").to_owned(),
    ];
    let peak_share = unit.peak.map(|percent| percent / 100.0);
    GraphArrow { value, suffix: suffix.clone(), peak_share, detail: detail.join("\n"), ..arrow }
}

/// Every path of a core with every number. Whether there are columns of suffixes is the same for all cores of a file, so
/// that they can be compared.
fn table(core: &Core, has_suffix: bool) -> TableFigure {
    // A path that stands twice still has its name.
    let path = |unit: &Measured| unit.id.and_then(|id| (0..=u8::MAX).find(|&path| f64::from(path) == id));
    let name = |unit: &Measured| path(unit).map_or_else(String::new, super::path_name);
    let table = TableOf::new(&core.paths)
        .column("Path", Unit::None, |unit| Cell::text(&name(unit)))
        .column("Path ID", Unit::None, |unit| unit.id)
        .column("Requests", Unit::Count("requests".to_owned()), |unit| unit.request)
        .column("Bandwidth", Unit::GigabytesPerSec, |unit| unit.bandwidth)
        .bars("Share of peak", Unit::Percent, |unit| unit.peak)
        .column("Display", Unit::None, |unit| unit.display)
        .keys(2);
    if !has_suffix {
        return table.table();
    }
    table
        .words("Requests note", |unit| Cell::text(&unit.request_suffix))
        .words("Bandwidth note", |unit| Cell::text(&unit.bandwidth_suffix))
        .table()
}
