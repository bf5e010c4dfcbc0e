//! 0x0D rooflines: how near the operator came to what the memories and the units of the chip allow.
//!
//! `{advice, multiple_rooflines: [{title, rooflines: [{bw, bw_name, computility, computility_name, point: [x, y], ratio}]}]}`
//! with bandwidth in TB/s, ceiling in 10¹² operations a second, the point as operations in a byte and 10¹² operations a
//! second, and the ratio as `y ÷ min(computility, bw · x)`, 0 to 1 or "NA". `bwName` and `computilityName` occur too.
//!
//! Titles have two spellings and belong to one of the three tabs of the vendor's viewer; the charts come in their order.

use super::advice_of;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::draw::chart::brief;
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{
    Advice, AxisLabel, Body, CHART, Choice, Family, Figure, Roof, RoofPoint, Roofline, ScaleKind,
    TableFigure, TableOf,
};
use crate::systems::ascend::reader::field::{Fields, Within, shown};
use crate::systems::ascend::{BOUND, claims};

/// The panel of these figures.
const SECTION: &str = "Roofline";

/// What stands behind titles that do not say it: the tab of the vendor's viewer.
const TABS: [&str; 3] = [phrase("memory unit"), phrase("memory transfer"), phrase("pipeline")];

/// Titles in the order of the tabs, with their tab.
const TITLES: [(&str, usize); 13] = [
    ("Memory Unit", 0),
    ("HBM/L2", 0),
    ("GM/L2", 0),
    ("Memory Unit(Cube)", 0),
    ("Memory Unit(Vector)", 0),
    ("Memory Pipe Cube", 1),
    ("Memory Pipe Vector", 1),
    ("Memory Transfer(Cube)", 1),
    ("Memory Transfer(Vector)", 1),
    ("Pipe Line Cube", 2),
    ("Pipe Line Vector", 2),
    ("Pipeline(Cube)", 2),
    ("Pipeline(Vector)", 2),
];

/// Largest share by which the ratio of the file may differ from performance ÷ roof before it is said.
const TOLERANCE: f64 = 0.01;

/// Most roofs of one chart that are drawn.
const DRAWN: usize = 1_000;

/// One entry as the file has it.
struct Entry {
    bandwidth_name: String,
    ceiling_name: String,
    bandwidth: Option<f64>,
    ceiling: Option<f64>,
    x: Option<f64>,
    y: Option<f64>,
    ratio: Option<f64>,
}

impl Entry {
    /// The roof with its point; `None` when a log axis cannot hold one of the values.
    fn roof(&self) -> Option<Roof> {
        let positive = |v: Option<f64>| v.filter(|v| 0.0 < *v);
        let (bandwidth, ceiling) = (positive(self.bandwidth)?, positive(self.ceiling)?);
        let (x, y) = (positive(self.x)?, positive(self.y)?);
        let mut roof = Roof {
            bandwidth_name: self.bandwidth_name.clone(),
            bandwidth,
            ceiling_name: self.ceiling_name.clone(),
            ceiling,
            point: None,
        };
        let share = self.ratio.or(Some(y / roof.limit(x)));
        roof.point = Some(RoofPoint { x, y, share, is_share_computed: self.ratio.is_none() });
        Some(roof)
    }
}

/// A chart of the block with its entries.
struct Chart {
    title: String,
    tab: Option<usize>,
    entries: Vec<Entry>,
}

/// Adds one figure with a chart for each title, and a table of all numbers.
pub(crate) fn roofline(json: &Json, within: &Within, sink: &mut Sink) {
    let mut fields = Fields::new(within, sink);
    let mut charts = charts(json, &mut fields);
    let place = |chart: &Chart| TITLES.iter().position(|t| t.0 == chart.title).unwrap_or(TITLES.len());
    order::sort_by_key(&mut charts, place);
    if charts.is_empty() {
        return;
    }
    let reached = reached(charts.iter().flat_map(|chart| &chart.entries));
    let said = advice_of(json).into_iter().map(|said| {
        let claims: Vec<String> = claims::of_roofs(&said.text.to_string()).collect();
        said.claiming(claims)
    });
    let said: Vec<Advice> = reached.into_iter().chain(said).collect();
    let mut options: Vec<String> = Vec::with_capacity(charts.len());
    for chart in &charts {
        let n =
            1 + options.iter().filter(|o| o.strip_prefix(chart.title.as_str()).is_some_and(is_copy)).count();
        options.push(if n == 1 { chart.title.clone() } else { format!("{} {n}", chart.title) });
    }
    // The advice is about all charts.
    let variant = |chart| Figure { advice: said.clone(), ..figure(chart) };
    let charts_of = Family {
        id: "roofline-chart".to_owned(),
        section: SECTION.to_owned(),
        title: SECTION.to_owned(),
        choices: vec![Choice { name: CHART.to_owned(), options }],
        variants: charts.iter().map(variant).collect(),
    };
    let table = Figure::new("Roofline values", Body::Table(table(&charts)));
    sink.builder.head().figures.extend([charts_of, Family::single("roofline-values", SECTION, table)]);
}

/// Whether this stands behind the title of a chart whose title stood before.
fn is_copy(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix(' ').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
}

fn charts(json: &Json, fields: &mut Fields) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (i, item) in (1..).zip(fields.items(json, "multiple_rooflines", "")) {
        let inside = format!("multiple_rooflines ▸ chart {i}");
        let title = whole(fields.text(item, "title", &inside));
        let known = TITLES.iter().find(|t| t.0 == title);
        let mut entries = Vec::new();
        for (n, entry) in (1..).zip(fields.items(item, "rooflines", &inside)) {
            let inside = format!("{inside} ▸ roofline {n}");
            if entry.members().is_empty() {
                fields.left_out(&inside, "an object", shown(entry));
                continue;
            }
            entries.push(read_entry(entry, &inside, fields));
        }
        charts.push(Chart {
            tab: known.map(|t| t.1),
            title: if title.is_empty() { SECTION.to_owned() } else { title },
            entries,
        });
    }
    charts
}

/// A title that ends inside of its parentheses was cut with its block: the only one that begins so, else it is marked as cut.
fn whole(title: String) -> String {
    if title.matches('(').count() <= title.matches(')').count() {
        return title;
    }
    let mut known = TITLES.iter().filter(|(name, _)| name.starts_with(&title));
    match (known.next(), known.next()) {
        (Some((name, _)), None) => (*name).to_owned(),
        _ => format!("{title}…"),
    }
}

fn read_entry(entry: &Json, inside: &str, fields: &mut Fields) -> Entry {
    let mut text = |keys: [&str; 2]| {
        let key = keys.into_iter().find(|key| entry.get(key).is_some()).unwrap_or("");
        fields.text(entry, key, inside)
    };
    let bandwidth_name = text(["bw_name", "bwName"]);
    let ceiling_name = text(["computility_name", "computilityName"]);
    let [bandwidth, ceiling, ratio] =
        ["bw", "computility", "ratio"].map(|key| fields.number(entry, key, inside));
    let point = fields.items(entry, "point", inside);
    let mut coordinate = |at: usize| {
        let value = point.get(at)?.as_text().and_then(crate::systems::ascend::reader::field::number);
        if value.is_none() {
            let found = point.get(at).map_or_else(|| "nothing".into(), shown);
            fields.odd(&format!("{inside} ▸ point"), "two numbers", found);
        }
        value
    };
    let (x, y) = (coordinate(0), coordinate(1));
    // Below 0 stands for NA.
    let ratio = ratio.filter(|r| 0.0 <= *r);
    Entry { bandwidth_name, ceiling_name, bandwidth, ceiling, x, y, ratio }
}

fn figure(chart: &Chart) -> Figure {
    let mut roofs: Vec<Roof> = chart.entries.iter().filter_map(Entry::roof).collect();
    let mut notes = Vec::new();
    let left_out = chart.entries.len() - roofs.len();
    if 0 < left_out {
        notes.push(
            message("Roofs not drawn because log axes only show positive values: {n}. See the table.")
                .with("n", left_out),
        );
    }
    if DRAWN < roofs.len() {
        roofs.truncate(DRAWN);
        notes.push(message("Only the first {n} roofs are drawn. See the table for all.").with("n", DRAWN));
    }
    let computed = roofs.iter().filter(|r| r.point.as_ref().is_some_and(|p| p.is_share_computed)).count();
    if 0 < computed {
        notes.push(
            message("Shares missing from the file, computed as performance ÷ roof: {n}.").with("n", computed),
        );
    }
    notes.extend(nearest(&roofs));
    notes.extend(roofs.iter().filter_map(contradiction));
    let axis = |name: &str, unit: Unit| AxisLabel { name: name.to_owned(), unit, scale: ScaleKind::Log };
    let body = Body::Roofline(Roofline {
        n_baseline: 0,
        x: axis("Arithmetic intensity", Unit::OpsPerByte),
        y: axis("Performance", Unit::TeraOpsPerSec),
        roofs,
    });
    let scope = chart.tab.and_then(|tab| TABS.get(tab)).copied().unwrap_or("");
    let says_itself = chart.title.to_lowercase().starts_with(scope);
    let mut figure = Figure::new(chart.title.clone(), body);
    if !says_itself {
        scope.clone_into(&mut figure.scope);
    }
    figure.notes = notes;
    figure
}

/// What bounds an operator that is near to a roof.
fn reached<'a>(entries: impl Iterator<Item = &'a Entry>) -> Option<Advice> {
    let roof = entries.filter_map(Entry::roof).max_by(|a, b| a.reached().total_cmp(&b.reached()))?;
    let point = roof.point.as_ref().filter(|_| BOUND <= roof.reached() * 100.0)?;
    let text = if roof.is_memory_bound(point.x) {
        message("Bound by memory: {n} of the roof {name} are reached.")
    } else {
        message("Bound by compute: {n} of the roof {name} are reached.")
    };
    let text = text.with("n", number::with_unit(roof.reached(), &Unit::Share));
    let text = text.with("name", brief(roof.limit_name()));
    Some(Advice::bound(text).claiming([claims::ROOF.to_owned()]))
}

/// Which roof the operator came nearest to, by the roof that limits there.
fn nearest(roofs: &[Roof]) -> Option<Message> {
    let roof = roofs.iter().rev().max_by(|a, b| a.reached().total_cmp(&b.reached()))?;
    let said = message("Nearest roof: {name}, {n} reached.");
    Some(
        said.with("name", brief(roof.limit_name()))
            .with("n", number::with_unit(roof.reached(), &Unit::Share)),
    )
}

/// What to say when the file's ratio is not performance ÷ roof.
fn contradiction(roof: &Roof) -> Option<Message> {
    let point = roof.point.as_ref().filter(|p| !p.is_share_computed)?;
    let (share, computed) = (point.share?, point.y / roof.limit(point.x));
    if (share - computed).abs() <= TOLERANCE * computed {
        return None;
    }
    let percent = |v: f64| number::short(v * 100.0);
    let said = message("{name}: {n} % of the roof in the file, but performance ÷ roof is {m} %.");
    Some(said.with("name", &roof.bandwidth_name).with("n", percent(share)).with("m", percent(computed)))
}

/// Every number of the block, and what follows from it.
fn table(charts: &[Chart]) -> TableFigure {
    let row = |entry: &Entry| {
        let roof = entry.roof();
        let (roof, point) = roof.as_ref().and_then(|roof| Some((roof, roof.point.as_ref()?)))?;
        let bound = if roof.is_memory_bound(point.x) { "memory" } else { "compute" };
        Some((point.y / roof.limit(point.x), bound))
    };
    let rows =
        charts.iter().flat_map(|chart| chart.entries.iter().map(move |entry| (chart, entry, row(entry))));
    let rows: Vec<_> = rows.collect();
    TableOf::new(&rows)
        .words("Chart", |(chart, ..)| &chart.title)
        .words("Bandwidth type", |(_, entry, _)| &entry.bandwidth_name)
        .words("Ceiling type", |(_, entry, _)| &entry.ceiling_name)
        .column("Bandwidth", Unit::TerabytesPerSec, |(_, entry, _)| entry.bandwidth)
        .column("Ceiling", Unit::TeraOpsPerSec, |(_, entry, _)| entry.ceiling)
        .column("Arithmetic intensity", Unit::OpsPerByte, |(_, entry, _)| entry.x)
        .column("Performance", Unit::TeraOpsPerSec, |(_, entry, _)| entry.y)
        .bars("Share of roof", Unit::Share, |(_, entry, _)| entry.ratio)
        .bars("Share (computed)", Unit::Share, |(.., known)| known.map(|(share, _)| share))
        .words("Roof ÷ performance", |(.., known)| known.map(|(share, _)| 1.0 / share))
        .words("Bound by", |(.., known)| known.map(|(_, bound)| bound))
        .keys(3)
        .table()
}
