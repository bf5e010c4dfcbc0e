//! The table of pipes, what it says of what bounds cores, and what sentences of the writer claim of the same.

use super::load::AVERAGE;
use super::occupancy::{Kind, chip_cores};
use super::pipes::{AT_MOST, IN_LONGEST, Share, name_of, pipe_of};
use crate::analysis::compare::units::Follows;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::base::{number, order};
use crate::model::figure::{Advice, Body, Cell, Family, TableFigure, TableOf};
use crate::systems::ascend::reader::sheets::is_own_id;
use crate::systems::ascend::{BOUND, claims};

/// What the base info of a file says of its blocks.
#[derive(Clone, Copy, Default)]
pub(super) struct Stated {
    pub(super) blocks: Option<f64>,
    /// Cores of the chip that take blocks.
    pub(super) cores: Option<f64>,
    /// Vector units of all blocks, of an operator with both kinds of cores.
    pub(super) vector_units: Option<f64>,
}

impl Stated {
    pub(super) fn of(figures: &[Family]) -> Self {
        let base = figures.iter().find(|family| family.id.strip_prefix("base-info").is_some_and(is_own_id));
        let Some(Body::Facts(facts)) = base.and_then(|family| Some(&family.variants.first()?.body)) else {
            return Self::default();
        };
        let cell = |name: &str| facts.facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value);
        let n_cores = cell("Chip").and_then(|chip| chip_cores(&chip.plain()));
        let is_mix = cell("Type").is_some_and(|kind| kind.plain() == "mix");
        let of_core = if cell("Type").is_some_and(|kind| kind.plain() == "vector") { 2.0 } else { 1.0 };
        Self {
            blocks: cell("Block dim").and_then(Cell::as_number),
            cores: n_cores.map(|n| n as f64 * of_core),
            vector_units: is_mix.then(|| cell("Mix block dim").and_then(Cell::as_number)).flatten(),
        }
    }
}

/// Sum over sum, and the least and the most of one unit.
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    /// The block with the most.
    pub(super) at: String,
}

impl Spread {
    pub(super) fn of<'a>(parts: impl Iterator<Item = (f64, f64, &'a str)>) -> Option<Self> {
        let (mut part, mut whole) = (0.0, 0.0);
        let mut ends: Option<(f64, f64, &str)> = None;
        for (cycles, total, block) in parts {
            (part, whole) = (part + cycles, whole + total);
            let share = cycles / total * 100.0;
            ends = Some(match ends {
                None => (share, share, block),
                Some((least, most, _)) if most < share => (least, share, block),
                Some((least, most, at)) => (least.min(share), most, at),
            });
        }
        let (least, most, at) = ends?;
        Some(Self { mean: part / whole * 100.0, least, most, at: at.to_owned() })
    }
}

/// The share of a time that passed in waiting, both in microseconds. The writer cuts times of waits to whole microseconds: 0
/// is up to one, and of a short operator a few say little.
pub(super) fn wait(time: f64, whole: f64) -> Option<f64> {
    let most = if time == 0.0 { 0.001 } else { 0.05 };
    let is_told = time.fract() != 0.0 || 1.0 <= most * whole;
    Some(time / whole).filter(|share| is_told && (0.0..=1.0).contains(share))
}

/// The cells that follow from the cycles in which a pipe was active in each unit, and from those in which it waited.
pub(super) const ACTIVE_CELLS: [(&str, Follows); 4] = [
    ("Active", Follows::Percent),
    ("Active, min", Follows::LeastPercent),
    ("Active, max", Follows::MostPercent),
    ("Active cycles", Follows::Sum),
];
pub(super) const WAIT_CELLS: [(&str, Follows); 3] =
    [("Wait", Follows::Percent), ("Wait, min", Follows::LeastPercent), ("Wait, max", Follows::MostPercent)];

/// All pipes of all kinds of cores.
pub(super) fn table(all: &[(Kind, Vec<Share>)]) -> TableFigure {
    let rows = all.iter().flat_map(|(kind, shares)| shares.iter().map(move |share| (*kind, share)));
    let rows: Vec<_> = rows.collect();
    let mut table = TableOf::new(&rows)
        .words(phrase("Core type"), |(kind, _)| kind.name())
        .column(phrase("Pipe"), Unit::None, |(_, share)| name_of(share.pipe))
        .bars(phrase("Active"), Unit::Percent, |(_, share)| Some(share.active.as_ref()?.mean))
        .column(phrase("Active, min"), Unit::Percent, |(_, share)| Some(share.active.as_ref()?.least))
        .detail()
        .column(phrase("Active, max"), Unit::Percent, |(_, share)| Some(share.active.as_ref()?.most))
        .detail()
        .column(AT_MOST, Unit::None, |(_, share)| {
            Some(share.active.as_ref()?.at.as_str()).filter(|at| *at != AVERAGE)
        })
        .detail();
    if rows.iter().any(|(_, share)| share.in_longest.is_some()) {
        table = table.column(IN_LONGEST, Unit::Percent, |(_, share)| share.in_longest).detail();
    }
    if rows.iter().any(|(_, share)| share.waiting.is_some()) {
        table = table
            .bars(phrase("Wait"), Unit::Percent, |(_, share)| Some(share.waiting.as_ref()?.mean))
            .column(phrase("Wait, min"), Unit::Percent, |(_, share)| Some(share.waiting.as_ref()?.least))
            .detail()
            .column(phrase("Wait, max"), Unit::Percent, |(_, share)| Some(share.waiting.as_ref()?.most))
            .detail();
    }
    table.column(phrase("Active cycles"), Unit::Cycles, |(_, share)| share.cycles).keys(2).table()
}

/// A share that a reader should not take for nothing.
pub(super) fn percent(share: f64) -> String {
    if share == 0.0 || 0.05 <= share { number::fixed(share, 1) } else { number::short(share) }
}

/// Which pipe bounds cores of a kind.
pub(super) fn bound(kind: Kind, shares: &[Share]) -> Option<Advice> {
    let share = |own: &Share| {
        let active = own.active.as_ref()?;
        Some(claims::Share {
            pipe: name_of(own.pipe),
            active: active.mean,
            least: active.least,
            most: active.most,
            waiting: own.waiting.as_ref().map(|waiting| waiting.mean),
        })
    };
    let mut known: Vec<claims::Share> = shares.iter().filter_map(share).collect();
    order::sort_by(&mut known, |a, b| b.active.total_cmp(&a.active));
    let is_decided = known.first().is_some_and(|first| BOUND <= first.active);
    let unshared = shares.iter().filter(|share| share.active.is_none() && !is_decided);
    let text = match unshared.max_by(|a, b| a.cycles.total_cmp(&b.cycles)) {
        Some(most) => claims::no_share(kind.name(), name_of(most.pipe), most.cycles),
        None => claims::bound(kind.name(), &known, claims::Parts::Cycles, claims::plainly)?,
    };
    Some(Advice::bound(text).claiming([claims::limiter(kind.name())]))
}

/// The kind of core that the writer says computes too little.
pub(super) fn usage_of(text: &str) -> Option<Kind> {
    match text.trim_end_matches('.').strip_suffix(" compute usage lower than 20%")? {
        "aicore" => Some(Kind::Cube),
        "aivector" => Some(Kind::Vector),
        _ => None,
    }
}

/// The pipe that the writer says has a low bandwidth while it is active, and its kind of core where it says that.
pub(super) fn bandwidth_of(text: &str) -> Option<(Option<Kind>, usize)> {
    let of = text.trim_end_matches('.').strip_suffix(" bandwidth utilization lower than 80% when active")?;
    match of.split_once(' ') {
        Some(("aicore", pipe)) => Some((Some(Kind::Cube), pipe_of(pipe)?)),
        Some(("aivector", pipe)) => Some((Some(Kind::Vector), pipe_of(pipe)?)),
        Some(_) => None,
        None => Some((None, pipe_of(of)?)),
    }
}
