//! 0x0C core occupancy: how evenly the cores of the chip were busy.
//!
//! `{soc, op_type, advice, op_detail: [{core_id, core_detail: [{subcore_id, subcore_type, cycles, throughput,
//! L2cache_hit_rate, simt_vf_instructions: {instructions, instruction_per_cycle}}]}]}`
//!
//! The level of a value x among all sub cores of its type is `int(10 / (1 + e^−z))` with `z = (x − mean) / σ`, σ the
//! deviation of a sample (n − 1): 4 to 6 is average. Where all are equal there is none: the viewer of the vendor writes
//! 0 and paints such cores grey.
//! Operators of type "vector" have one sub core in each entry: two entries are the two vector units of one core.

use super::advice_of;
use super::base_info::has_told;
use super::imbalance::{core_advice, hits_advice, imbalance, imbalance_units, units, values};
use super::pipe_shares::Stated;
use crate::analysis::compare::units::FigureUnits;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{Advice, Body, Choice, CoreCell, CoreGrid, CoreRow, Family, Figure, TableOf};
use crate::systems::ascend::claims;
use crate::systems::ascend::reader::field::{Fields, Within, shown as shown_value};
use std::collections::BTreeMap;

/// The panel of these figures.
pub(super) const SECTION: &str = "Core occupancy";

/// Cores of the chips, by what their names contain behind "910".
const CHIPS: [(&str, u64); 19] = [
    ("B1", 24),
    ("B2", 24),
    ("B3", 20),
    ("B4", 20),
    ("_9362", 20),
    ("_9372", 20),
    ("_9381", 24),
    ("_9382", 24),
    ("_9391", 24),
    ("_9392", 24),
    ("_950z", 8),
    ("_9579", 28),
    ("_957b", 28),
    ("_957d", 28),
    ("_9581", 32),
    ("_9589", 32),
    ("_958a", 32),
    ("_958b", 32),
    ("_9599", 36),
];
impl Kind {
    /// What it is called in names of sub cores.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cube => "cube",
            Self::Vector => "vector",
            Self::Other => "core",
        }
    }
}

/// What the colors of cores can follow: their distance from the mean, or the levels of the vendor's viewer.
const COLORS: [&str; 2] = [phrase("From mean"), phrase("Levels 0–10")];

/// Most sub cores of one core.
const SUB_CORES: usize = 16;

/// What is measured of a sub core, in the order of [`shown`].
pub(super) type Values = [Option<f64>; 4];

/// Something that is shown: its place in [`Values`], its name and its unit.
pub(super) type Shown = (usize, &'static str, Unit);

/// Their names.
pub(crate) const SHOWN: [&str; 4] = ["Cycles", "Throughput", "Cache hit rate", "SIMT VF instructions"];
/// Name of the choice between them.
const SHOW_AS: &str = "Show as";

/// What was measured of any core; cycles where nothing was.
fn shown(cores: &BTreeMap<u64, Vec<SubCore>>) -> Vec<Shown> {
    let units = [Unit::Cycles, Unit::Bytes, Unit::Percent, Unit::Count("instructions".to_owned())];
    let all = (0..).zip(SHOWN).zip(units).map(|((what, name), unit)| (what, name, unit));
    let has =
        |what: usize| cores.values().flatten().any(|sub| sub.values.get(what).copied().flatten().is_some());
    let (measured, rest): (Vec<Shown>, Vec<Shown>) = all.partition(|(what, ..)| has(*what));
    if measured.is_empty() { rest.into_iter().take(1).collect() } else { measured }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Cube,
    Vector,
    Other,
}

#[derive(Clone)]
pub(super) struct SubCore {
    pub(super) kind: Kind,
    /// Its number among those of its kind.
    pub(super) number: u64,
    pub(super) values: Values,
    pub(super) per_cycle: Option<f64>,
    /// Core and number as the file has them: a vector operator is folded.
    pub(super) in_file: (u64, u64),
}

/// Adds the grid of cores, and the table of instructions in a cycle when there are such.
/// Figures before `figures_before` belong to other files.
pub(crate) fn occupancy(json: &Json, figures_before: usize, within: &Within, sink: &mut Sink) {
    let mut fields = Fields::new(within, sink);
    let soc = fields.text(json, "soc", "");
    let is_vector = matches!(fields.text(json, "op_type", "").as_str(), "vector" | "aiv");
    let mut cores = cores(json, &mut fields);
    // Entries that have two sub cores already are whole cores.
    if is_vector && cores.values().all(|units| units.len() == 1) {
        cores = folded(&cores);
    }
    if cores.is_empty() {
        return;
    }
    let measured = cores.len();
    let n_cores = chip_cores(&soc).unwrap_or(0);
    let mut kinds: Vec<(Kind, u64)> = cores.values().flatten().map(|s| (s.kind, s.number)).collect();
    order::sort_by_key(&mut kinds, |kind| *kind);
    kinds.dedup();
    if SUB_CORES < kinds.len() {
        fields.left_out("op_detail", "at most 16 different sub cores", kinds.len().to_string());
        kinds.truncate(SUB_CORES);
    }
    for core in 0..n_cores {
        cores.entry(core).or_default();
    }
    let own = sink.builder.head().figures.get(figures_before..).unwrap_or(&[]);
    let found = core_advice(&cores, &kinds, lacks_vectors(&cores, Stated::of(own)));
    let of_cycles = not_told(found, own, &cores, &kinds);
    let said: Vec<Advice> = advice_of(json).into_iter().map(|said| by_cost(of(said, &of_cycles))).collect();
    let is_colder = |said: &&Advice| said.is_of(&[claims::HITS.to_owned()]);
    let rates: Vec<Advice> =
        said.iter().filter(is_colder).filter_map(|said| hits_advice(said, &cores)).collect();
    let said: Vec<Advice> = rates.into_iter().chain(said).collect();
    let shown = shown(&cores);
    let grids = shown.iter().map(|(what, name, unit)| {
        let body = CoreGrid { unit: unit.clone(), cores: rows(&cores, &kinds, *what), ..CoreGrid::default() };
        let mut figure = Figure::new(SECTION, Body::Cores(body));
        figure.scope = name.to_lowercase();
        figure.advice.clone_from(&said);
        if measured < cores.len() {
            let used = message("{n} of the chip's {m} cores were used.");
            figure.notes.push(used.with("n", measured).with("m", cores.len()));
        }
        figure
    });
    let grids = grids.collect();
    let options = shown.iter().map(|(_, name, _)| (*name).to_owned()).collect();
    let head = sink.builder.head();
    head.figures.push(in_both_colors(options, grids));
    if cores.values().flatten().any(|s| s.per_cycle.is_some()) {
        head.figures.push(per_cycle(&cores, &kinds));
    }
    let family = imbalance(&cores, &kinds, &shown);
    let units = imbalance_units(&cores, &kinds, &shown);
    head.extensions.get_or_default::<FigureUnits>().take(&family.id, units, true);
    head.figures.push(family);
    let mut values = values(&cores, &shown);
    let said = || of_cycles.iter().map(|(_, advice)| advice.clone()).collect();
    values.variants.iter_mut().for_each(|figure| figure.advice = said());
    head.figures.push(values);
}

/// The grids, each colored by the distance from the mean and, where there are any, by the levels of the vendor's viewer.
fn in_both_colors(options: Vec<String>, grids: Vec<Figure>) -> Family {
    let cells = |figure: &Figure| match &figure.body {
        Body::Cores(grid) => grid.cores.iter().flat_map(|core| &core.cells).any(|cell| cell.level.is_some()),
        _ => false,
    };
    let mut choices = vec![Choice { name: SHOW_AS.to_owned(), options }];
    let mut variants = grids;
    if variants.iter().any(cells) {
        let options = COLORS.map(str::to_owned).to_vec();
        choices.push(Choice { name: phrase("Colors").to_owned(), options });
        variants = variants.into_iter().flat_map(|figure| [figure.clone(), by_level(figure)]).collect();
    }
    let (id, title) = ("core-occupancy".to_owned(), SECTION.to_owned());
    Family { id, section: SECTION.to_owned(), title, choices, variants }
}

fn by_level(mut figure: Figure) -> Figure {
    if let Body::Cores(grid) = &mut figure.body {
        grid.is_by_level = true;
    }
    figure
}

/// The sentences but those on cycles that are the durations of blocks in another unit, which are told already.
fn not_told(
    found: Vec<(Kind, Advice)>,
    own: &[Family],
    cores: &BTreeMap<u64, Vec<SubCore>>,
    kinds: &[(Kind, u64)],
) -> Vec<(Kind, Advice)> {
    let is_new = |kind: Kind| {
        let cycles = units(cores, kinds, kind).iter().map(|unit| unit.value).collect();
        !has_told(own, kind.name(), cycles)
    };
    found.into_iter().filter(|(kind, _)| is_new(*kind)).collect()
}

/// A sentence of the writer on the cycles of a kind claims what ours of these cycles does.
fn of(mut said: Advice, of_cycles: &[(Kind, Advice)]) -> Advice {
    let own = of_cycles.iter().find(|(kind, _)| said.is_of(&[claims::imbalance(kind.name())]));
    if let Some((_, own)) = own {
        said.claims.clone_from(&own.claims);
    }
    said
}

/// A hit rate below that of other cores costs nothing that the writer says: it stands behind what bounds the operator.
fn by_cost(said: Advice) -> Advice {
    let is_costly = said.is_costly && !said.text.to_string().contains("cache hit rate lower than other core");
    Advice { is_costly, ..said }
}

/// The cores by number, each with its sub cores.
fn cores(json: &Json, fields: &mut Fields) -> BTreeMap<u64, Vec<SubCore>> {
    let mut cores: BTreeMap<u64, Vec<SubCore>> = BTreeMap::new();
    for (i, core) in (1..).zip(fields.items(json, "op_detail", "")) {
        let inside = format!("op_detail ▸ core {i}");
        let Some(id) = whole(fields.number(core, "core_id", &inside)) else {
            let found = core.get("core_id").map_or_else(|| "nothing".into(), shown_value);
            fields.left_out(&format!("{inside} ▸ core_id"), "a non-negative number", found);
            continue;
        };
        for detail in fields.items(core, "core_detail", &inside) {
            let mut value = |key: &str| fields.number(detail, key, &inside).map(|v| v.max(0.0));
            let (cycles, throughput) = (value("cycles"), value("throughput"));
            let hit_rate = value("L2cache_hit_rate");
            let number = whole(value("subcore_id")).unwrap_or(0);
            let simt = detail.get("simt_vf_instructions").unwrap_or(&Json::Null);
            let instructions = fields.number(simt, "instructions", &inside).map(|v| v.max(0.0));
            // Both names occur in files.
            let per_cycle = match fields.number(simt, "instruction_per_cycle", &inside) {
                None => fields.number(simt, "instructions_per_cycle", &inside),
                some => some,
            };
            let kind = match fields.text(detail, "subcore_type", &inside).as_str() {
                "cube" | "aic" => Kind::Cube,
                "vector" | "aiv" => Kind::Vector,
                _ => Kind::Other,
            };
            let values = [cycles, throughput, hit_rate, instructions];
            cores.entry(id).or_default().push(SubCore {
                kind,
                number,
                values,
                per_cycle,
                in_file: (id, number),
            });
        }
    }
    cores
}

/// A whole number that is one, not negative.
pub(super) fn whole(value: Option<f64>) -> Option<u64> {
    // Up to 2⁵³ every whole number is itself as a fraction too.
    #[allow(clippy::cast_possible_truncation)]
    value.filter(|v| v.fract() == 0.0 && (0.0..9e15).contains(v)).map(|v| v as u64)
}

/// Whether vector units are missing: where each block is a core, those of all blocks belong here.
fn lacks_vectors(cores: &BTreeMap<u64, Vec<SubCore>>, stated: Stated) -> bool {
    let n_cores = cores.values().filter(|units| !units.is_empty()).count() as f64;
    let n_vectors = cores.values().flatten().filter(|unit| unit.kind == Kind::Vector).count() as f64;
    stated.blocks == Some(n_cores) && stated.vector_units.is_some_and(|of| n_vectors < of)
}

/// Two entries of a vector operator are the two vector units of one core.
fn folded(cores: &BTreeMap<u64, Vec<SubCore>>) -> BTreeMap<u64, Vec<SubCore>> {
    let mut out: BTreeMap<u64, Vec<SubCore>> = BTreeMap::new();
    for (i, unit) in (0u64..).zip(cores.values().flatten()) {
        out.entry(i / 2).or_default().push(SubCore { number: i % 2, ..unit.clone() });
    }
    out
}

/// How many cores a chip has; `None` for chips that are not known.
pub(crate) fn chip_cores(soc: &str) -> Option<u64> {
    let (_, rest) = soc.split_once("910")?;
    CHIPS.iter().find(|(name, _)| rest.contains(name)).map(|&(_, n)| n)
}

/// How many cores a chip has at most, of those that are known.
pub(super) fn most_cores() -> u64 {
    CHIPS.iter().map(|(_, n)| *n).max().unwrap_or(1)
}

/// The rows of the grid for one of the shown values.
fn rows(cores: &BTreeMap<u64, Vec<SubCore>>, kinds: &[(Kind, u64)], what: usize) -> Vec<CoreRow> {
    let value = |sub: &SubCore| sub.values.get(what).copied().flatten();
    let spread = [Kind::Cube, Kind::Vector, Kind::Other].map(|kind| {
        let all: Vec<f64> = cores.values().flatten().filter(|s| s.kind == kind).filter_map(value).collect();
        (kind, Spread::of(&all))
    });
    let row = |(id, units): (&u64, &Vec<SubCore>)| CoreRow {
        name: id.to_string(),
        is_measured: !units.is_empty(),
        cells: kinds
            .iter()
            .map(|&(kind, number)| {
                let sub = units.iter().find(|s| s.kind == kind && s.number == number);
                let value = sub.and_then(value);
                let spread = spread.iter().find(|(k, _)| *k == kind).map(|(_, s)| s);
                let level = value.zip(spread).and_then(|(v, spread)| spread.level(v));
                let tracks = sub.map_or_else(Vec::new, |sub| tracks(*id, sub));
                CoreCell { name: kind_name(kind, number, kinds), value, level, pair: None, tracks }
            })
            .collect(),
    };
    cores.iter().map(row).collect()
}

/// What the timeline of a simulator calls the unit: by the core it was folded into, by the one of the file, and the whole
/// core.
fn tracks(id: u64, sub: &SubCore) -> Vec<String> {
    let unit = match sub.kind {
        Kind::Cube => "cubecore",
        Kind::Vector => "veccore",
        Kind::Other => "",
    };
    let mut names = Vec::new();
    for (core, number) in [(id, sub.number), sub.in_file] {
        if !unit.is_empty() {
            names.push(format!("core{core}.{unit}{number}"));
        }
        names.push(format!("core{core}"));
    }
    names
}

/// "cube", "vector0", as files write them: the number only where there are several of a kind.
pub(super) fn kind_name(kind: Kind, number: u64, kinds: &[(Kind, u64)]) -> String {
    let name = kind.name();
    let is_alone = kinds.iter().filter(|(k, _)| *k == kind).count() == 1 && number == 0;
    if is_alone && kind != Kind::Vector { name.to_owned() } else { format!("{name}{number}") }
}

/// Mean and deviation of the values of one kind.
struct Spread {
    mean: f64,
    deviation: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n.max(1.0);
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Self { mean, deviation: if 1.0 < n { (squares / (n - 1.0)).sqrt() } else { 0.0 } }
    }

    /// 0 to 10; `None` where all values are equal, or there is one.
    fn level(&self, value: f64) -> Option<u8> {
        if self.deviation <= 1e-9 * self.mean.abs().max(1e-9) {
            return None;
        }
        let share = 1.0 / (1.0 + (-(value - self.mean) / self.deviation).exp());
        // Between 0 and 10 by the formula.
        #[allow(clippy::cast_possible_truncation)]
        Some((10.0 * share).clamp(0.0, 10.0) as u8)
    }
}

/// Instructions in a cycle: cores × vector units.
fn per_cycle(cores: &BTreeMap<u64, Vec<SubCore>>, kinds: &[(Kind, u64)]) -> Family {
    let shown: Vec<_> = cores.iter().filter(|(_, units)| !units.is_empty()).collect();
    let table = TableOf::new(&shown).column("Core", Unit::None, |(id, _)| id.to_string());
    let vectors = kinds.iter().filter(|(kind, _)| *kind == Kind::Vector);
    let table = vectors.fold(table, |table, &(kind, number)| {
        table.bars(&kind_name(kind, number, kinds), Unit::PerCycle, |(_, units)| {
            units.iter().find(|s| s.kind == kind && s.number == number).and_then(|s| s.per_cycle)
        })
    });
    Family::single(
        "instructions-per-cycle",
        SECTION,
        Figure::new("Instructions per cycle", Body::Table(table.table())),
    )
}
