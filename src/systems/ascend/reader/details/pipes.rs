//! What bounds an operator: in how many of its cycles each pipe of each kind of core was active, and waited.
//!
//! | what | from |
//! |---|---|
//! | cycles of a unit, and those in which cube or vector computed | 0x08: `total_cycles`, `cycle`; else 0x06 and its share |
//! | cycles in which the other pipes were active, and waited | 0x09: tables `Pipe`, `Pipe Cube`, `Pipe Vector Core0` |
//! | cycles in which cube and vector waited | 0x06: `Cube Wait`, `Vector Wait`; else their times in 0x07 |
//! | what of it no container says | `PipeUtilization.csv` and `ResourceConflictRatio.csv` |
//!
//! A share over several blocks is active cycles ÷ all cycles: a mean of percentages would give short blocks the weight of
//! long ones. Sentences of the writer on the same (usage below 20 %, bandwidth below 80 %) are merged with ours.

mod of_some;

pub(crate) use of_some::{OF_SOME, is_of_some};

use super::Timing;
use super::base_info::op_type;
use super::load::{AVERAGE, DURATION, Entry, PERCENT};
use super::occupancy::Kind;
use super::pipe_shares::{
    ACTIVE_CELLS, Spread, Stated, WAIT_CELLS, bandwidth_of, bound, percent, table, usage_of, wait,
};
use super::units::{self, OfUnit, UnitParts};
use crate::analysis::compare::units::FigureUnits;
use crate::base::map::Set;
use crate::base::words::{Message, message, phrase};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{Advice, Body, Family, Figure};
use crate::systems::ascend::reader::field;
use crate::systems::ascend::reader::sheets::is_own_id;
use crate::systems::ascend::{AS_LONG, BOUND, claims};

/// Id of the family.
pub(crate) const PIPES: &str = "pipes";
/// Head of the block in which a pipe was active most; an average over all blocks has none.
pub(crate) const AT_MOST: &str = phrase("Block at max");
/// Head of the share in the block that took longest; only where no other took nearly as long.
pub(crate) const IN_LONGEST: &str = phrase("Active, longest block");

/// What a figure notes where waits are known of some blocks only.
pub(crate) const WAITS_OF_SOME: &str = phrase("Waits are known of {n} of {m} blocks.");

/// The same of waits that are left out.
pub(crate) const WAITS_COARSE: &str = phrase(
    "The file has waits of {pipe} in whole microseconds, too coarse for blocks as short as these: they are left out.",
);

/// The same where nothing says how long the units took.
pub(crate) const WAITS_UNTIMED: &str = phrase(
    "The file has times in which {pipe} waited, but not those of its blocks: these waits are left out.",
);

/// Names of pipes as they are shown, in this order.
const NAMES: [&str; 7] = ["Scalar", "MTE1", "MTE2", "MTE3", "FIXP", "Cube", "Vector"];
/// Most units; operators have fewer than a hundred.
const UNITS: usize = 10_000;

/// The number of a pipe by a name of the files.
pub(crate) fn pipe_of(name: &str) -> Option<usize> {
    let name = match name {
        "vec" | "VEC" => "Vector",
        "mac" => "Cube",
        "fixpipe" => "FIXP",
        other => other,
    };
    NAMES.iter().position(|own| own.eq_ignore_ascii_case(name))
}

/// What one pipe did, in cycles.
#[derive(Clone, Copy, Default)]
struct Activity {
    active: Option<f64>,
    waiting: Option<f64>,
    /// The time in which it waited over that of its unit, where no cycles are known.
    waiting_share: Option<f64>,
    /// The cycles that the active ones are of, where they were counted in a run of their own; 0 where nothing says them.
    of: Option<f64>,
}

impl Activity {
    /// What is not known yet, as others know it.
    fn fill(&mut self, other: &Self) {
        if self.active.is_none() || self.of == Some(0.0) && other.active.is_some() {
            (self.active, self.of) = (other.active, other.of);
        }
        self.waiting = self.waiting.or(other.waiting);
        self.waiting_share = self.waiting_share.or(other.waiting_share);
    }
}

/// One unit of a block.
pub(crate) struct CoreUnit {
    block: String,
    name: String,
    kind: Kind,
    total: Option<f64>,
    /// The cycles by which the total was found where the file does not say it: the more, the more exact.
    found_by: f64,
    pipes: [Activity; NAMES.len()],
}

impl CoreUnit {
    /// All its cycles, as a file says them.
    pub(crate) fn takes(&mut self, total: Option<f64>) {
        if let Some(total) = total.filter(|total| 0.0 < *total) {
            (self.total, self.found_by) = (Some(total), f64::MAX);
        }
    }

    /// Cycles of a pipe; what is known already stays.
    pub(crate) fn pipe(&mut self, pipe: usize, active: Option<f64>, waiting: Option<f64>) {
        if let Some(own) = self.pipes.get_mut(pipe) {
            own.fill(&Activity { active, waiting, ..Activity::default() });
        }
    }

    /// Active cycles of a pipe, and the cycles that they are of; 0 where nothing says these.
    fn counted(&mut self, pipe: usize, active: f64, of: f64) {
        if let Some(own) = self.pipes.get_mut(pipe) {
            own.fill(&Activity { active: Some(active), of: Some(of), ..Activity::default() });
        }
    }

    /// The share of its time in which a pipe waited.
    fn waits(&mut self, pipe: usize, share: f64) {
        if let Some(own) = self.pipes.get_mut(pipe) {
            own.fill(&Activity { waiting_share: Some(share), ..Activity::default() });
        }
    }

    /// Active cycles of a pipe, and all that they are of.
    fn active(&self, pipe: usize) -> Option<(f64, f64)> {
        let own = self.pipes.get(pipe)?;
        let of = own.of.or(self.total).filter(|of| 0.0 < *of)?;
        Some((own.active?, of))
    }

    /// Active cycles of a pipe where nothing says of how many.
    fn unshared(&self, pipe: usize) -> Option<f64> {
        let own = self.pipes.get(pipe)?;
        own.active.filter(|active| 0.0 < *active && self.active(pipe).is_none())
    }

    /// Cycles in which a pipe waited, and all of the unit.
    fn waiting(&self, pipe: usize) -> Option<(f64, f64)> {
        let (own, total) = (self.pipes.get(pipe)?, self.total?);
        Some((own.waiting.or_else(|| Some(own.waiting_share? * total))?, total))
    }

    /// All its cycles follow from cycles that are so many percent of them.
    fn follows(&mut self, cycles: Option<f64>, percent: Option<f64>) {
        if let (Some(cycles), Some(percent)) = (cycles, percent)
            && self.found_by < cycles
            && 0.0 < percent
        {
            (self.total, self.found_by) = (Some(cycles / percent * 100.0), cycles);
        }
    }
}

/// The pipes of all units of an operator.
#[derive(Default)]
pub(crate) struct Pipes {
    units: Vec<CoreUnit>,
    /// Whether 0x06 says cycles: then a pipe alone is shown too.
    has_load: bool,
    /// Pipes with the blocks whose shares are of a time that is longer than that of the operator.
    too_long: Set<(usize, String)>,
    /// Pipes with waits that are too coarse for blocks as short as theirs.
    coarse: Set<usize>,
    /// Pipes with waits of units of which nothing says how long they took.
    untimed: Set<usize>,
    /// Pipes that the writer says have a low bandwidth while they are active.
    slow: Vec<(Kind, usize)>,
}

/// One pipe of all units of a kind: shares in percent.
pub(super) struct Share {
    pub(super) pipe: usize,
    /// `None` where the file has its cycles, but not of how many.
    pub(super) active: Option<Spread>,
    /// In the unit that took longest, where no other block of its kind took nearly as long.
    pub(super) in_longest: Option<f64>,
    pub(super) waiting: Option<Spread>,
    pub(super) cycles: f64,
    /// How many blocks it is known of, and its waits.
    n_blocks: usize,
    n_waiting: usize,
}

fn number_of(json: &Json, key: &str) -> Option<f64> {
    json.get(key).and_then(Json::as_text).and_then(field::number).filter(|v| v.is_finite() && 0.0 <= *v)
}

fn text_of<'j>(json: &'j Json<'j>, key: &str) -> &'j str {
    json.get(key).and_then(Json::as_text).unwrap_or("").trim()
}

fn list<'j>(json: &'j Json<'j>, key: &str) -> &'j [Json<'j>] {
    json.get(key).map_or(&[], Json::items)
}

/// The kind of a unit such as `vector1`, and its name with a number.
pub(super) fn unit_of(name: &str) -> (Kind, String) {
    let lower = name.to_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let kind = match op_type(stem) {
        "cube" => Kind::Cube,
        "vector" => Kind::Vector,
        _ => Kind::Other,
    };
    let number = lower.get(stem.len()..).filter(|digits| !digits.is_empty()).unwrap_or("0");
    (kind, format!("{}{number}", kind.name()))
}

impl Pipes {
    /// A unit of a block by its name in the files; `None` when there are too many.
    pub(crate) fn unit(&mut self, block: &str, name: &str) -> Option<&mut CoreUnit> {
        let block = if block.is_empty() { AVERAGE } else { block };
        let (kind, name) = unit_of(name);
        // Files go block by block: what is looked for is near the end.
        let known = self.units.iter().rposition(|unit| unit.block == block && unit.name == name);
        let at = known.unwrap_or(self.units.len());
        if at == self.units.len() && at < UNITS {
            let (block, pipes) = (block.to_owned(), [Activity::default(); NAMES.len()]);
            self.units.push(CoreUnit { block, name, kind, total: None, found_by: 0.0, pipes });
        }
        self.units.get_mut(at)
    }

    /// What 0x06 says: shares of cycles with their cycles.
    pub(super) fn add_load(&mut self, values: &[Entry], timing: &Timing) {
        for value in values.iter().filter(|value| value.unit == PERCENT) {
            // Old writers do not repeat in the name which unit it is that computes.
            let is_unit = value.name.eq_ignore_ascii_case("ALL_ACTIVE");
            let first =
                if is_unit { Some(value.kind.as_str()) } else { value.name.split_whitespace().next() };
            let first = first.map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit() && is_unit));
            let Some(pipe) = first.and_then(pipe_of) else { continue };
            let (active, waiting) = match &value.name {
                name if is_unit || name.contains("All Active") => (value.cycles, None),
                name if name.contains("Wait") => (None, value.cycles),
                _ => continue,
            };
            let Some(unit) = self.unit(&value.block, &value.kind) else { return };
            // A share of a time that is longer than the operator took is a share of nothing that one knows.
            if let Some(active) = active.filter(|_| !timing.fits(value)) {
                unit.counted(pipe, active, 0.0);
                self.too_long.insert((pipe, value.block.clone()));
                continue;
            }
            unit.follows(value.cycles, value.value);
            unit.pipe(pipe, active, waiting);
            self.has_load |= active.is_some();
        }
    }

    /// What 0x07 says: times in which pipes waited.
    pub(super) fn add_waits(&mut self, values: &[Entry], timing: &Timing) {
        for value in values.iter().filter(|value| value.unit == DURATION) {
            let pipe = value.name.strip_suffix(" Wait").and_then(pipe_of);
            let (Some(pipe), Some(time)) = (pipe, value.value) else { continue };
            let Some(whole) = timing.duration(value) else {
                self.untimed.insert(pipe);
                continue;
            };
            let Some(share) = wait(time, whole) else {
                if (0.0..=whole).contains(&time) {
                    self.coarse.insert(pipe);
                }
                continue;
            };
            let Some(unit) = self.unit(&value.block, &value.kind) else { return };
            unit.waits(pipe, share);
        }
    }

    /// Adds what others know of the same units; says whether that may be more than nothing.
    pub(crate) fn fill(&mut self, others: &Self) -> bool {
        for other in &others.units {
            let Some(unit) = self.unit(&other.block, &other.name) else { break };
            if unit.found_by < other.found_by {
                (unit.total, unit.found_by) = (other.total, other.found_by);
            }
            unit.pipes.iter_mut().zip(&other.pipes).for_each(|(own, other)| own.fill(other));
        }
        self.coarse.extend(&others.coarse);
        self.untimed.extend(&others.untimed);
        !others.units.is_empty()
    }

    /// What 0x08 says: cycles of units, and those in which they computed.
    pub(crate) fn add_graph(&mut self, json: &Json) {
        for core in list(json, "core_memory_map") {
            let block = text_of(core, "core_no");
            // On some chips cube and vector are pipes of one core.
            let is_one = text_of(core, "op_type").eq_ignore_ascii_case("aicore");
            for name in ["Cube", "Vector", "Vector1"] {
                let Some(part) = core.get(name).filter(|part| part.get("total_cycles").is_some()) else {
                    continue;
                };
                let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
                let Some(unit) = self.unit(block, if is_one { "core" } else { name }) else { return };
                unit.takes(number_of(part, "total_cycles"));
                if let Some(pipe) = pipe_of(stem) {
                    unit.pipe(pipe, number_of(part, "cycle"), None);
                }
            }
        }
    }

    /// What 0x09 says: cycles of pipes. Those of old writers are of the cycles of a run of their own, and their tables have
    /// another shape.
    pub(crate) fn add_tables(&mut self, json: &Json) {
        for of_block in list(json, "table_per_block") {
            let block = text_of(of_block, "block_id");
            let key = if of_block.get("table_detail").is_some() { "table_detail" } else { "tables_detail" };
            for table in list(of_block, key) {
                let name = text_of(table, "table_name");
                let Some(of) = name.strip_prefix("Pipe") else { continue };
                let of = match of.trim().split_once(" Core") {
                    Some((kind, number)) => format!("{kind}{number}"),
                    None if of.trim().is_empty() => text_of(of_block, "table_op_type").to_owned(),
                    None => of.trim().to_owned(),
                };
                if let Some(unit) = self.unit(block, &of) {
                    add_rows(table, unit);
                }
            }
        }
    }

    /// The cycles of a unit of a block, or those of the unit of the block that took longest.
    pub(super) fn cycles(&self, block: &str, name: Option<&str>) -> Option<f64> {
        let block = if block.is_empty() { AVERAGE } else { block };
        let own = self.units.iter().filter(|unit| unit.block == block);
        let meant = own.filter(|unit| name.is_none_or(|name| unit.name == name));
        meant.filter_map(|unit| unit.total).max_by(f64::total_cmp)
    }

    /// Shares of each pipe of the units of a kind, as far as they are known.
    fn shares(&self, kind: Kind) -> Vec<Share> {
        let has_blocks = self.units.iter().any(|unit| unit.block != AVERAGE);
        let own = || self.units.iter().filter(|u| u.kind == kind && (u.block != AVERAGE || !has_blocks));
        let total = |unit: &CoreUnit| unit.total.unwrap_or(0.0);
        let longest = own().max_by(|a, b| total(a).total_cmp(&total(b)));
        let longest = longest.filter(|longest| {
            let mut others = own().filter(|unit| unit.block != longest.block).peekable();
            others.peek().is_some() && others.all(|unit| total(unit) < AS_LONG * total(longest))
        });
        let share = |pipe: usize| {
            let of = |value: fn(&CoreUnit, usize) -> Option<(f64, f64)>| {
                own().filter_map(move |unit| {
                    let (cycles, total) = value(unit, pipe)?;
                    Some((cycles, total, unit.block.as_str()))
                })
            };
            let active = Spread::of(of(CoreUnit::active));
            let unshared = own().filter_map(|unit| unit.unshared(pipe)).reduce(|a, b| a + b);
            let in_longest = longest.and_then(|unit| unit.active(pipe)).map(|(own, all)| own / all * 100.0);
            let waiting = Spread::of(of(CoreUnit::waiting));
            let is_in = |of: &Option<Spread>| of.as_ref().is_some_and(|own| 0.0 < own.most);
            let is_used = is_in(&active) || is_in(&waiting) || active.is_none();
            // Cores of vector units have neither of both; the writer lists them all the same.
            let is_there =
                kind != Kind::Vector || !matches!(NAMES.get(pipe), Some(&("MTE1" | "FIXP" | "Cube")));
            let cycles = match &active {
                Some(_) => of(CoreUnit::active).map(|(cycles, ..)| cycles).sum(),
                None => unshared?,
            };
            let blocks = |value| of(value).map(|(.., block)| block).collect::<Set<&str>>().len();
            let (n_blocks, n_waiting) = (blocks(CoreUnit::active), blocks(CoreUnit::waiting));
            let own = Share { pipe, active, in_longest, waiting, cycles, n_blocks, n_waiting };
            (is_used || is_there).then_some(own)
        };
        (0..NAMES.len()).filter_map(share).collect()
    }

    /// The kinds of cores whose pipes are compared, or all that 0x06 says of.
    fn kinds(&self) -> Vec<(Kind, Vec<Share>)> {
        let kinds = [Kind::Cube, Kind::Vector, Kind::Other].map(|kind| (kind, self.shares(kind)));
        let least = if self.has_load { 1 } else { 2 };
        kinds.into_iter().filter(|(_, shares)| least <= shares.len()).collect()
    }

    /// The figure, with what bounds each kind of core; `None` where no pipe is known.
    fn family(&self, stated: Stated) -> Option<Family> {
        let mut all = self.kinds();
        if all.is_empty() {
            return None;
        }
        // One of those that are not known may have taken longest.
        let lacks_blocks = self.lacks_blocks(stated).is_some();
        let is_open = |kind: Kind| lacks_blocks || kind == Kind::Vector && self.lacks_vectors(stated);
        for share in all.iter_mut().filter(|(kind, _)| is_open(*kind)).flat_map(|(_, shares)| shares) {
            share.in_longest = None;
        }
        let title = phrase("Pipe activity");
        let mut figure = Figure::new(title, Body::Table(table(&all)));
        phrase("share of cycles, all blocks").clone_into(&mut figure.scope);
        figure.notes.push(message(
            "Active and wait are cycles ÷ all cycles of the blocks: long blocks count more than short ones.",
        ));
        let of_some = self.of_some(&all, stated);
        if !of_some.is_empty() {
            phrase("share of cycles").clone_into(&mut figure.scope);
        }
        figure.notes.extend(of_some);
        figure.notes.extend(self.left_out());
        let waits = all.iter().flat_map(|(_, shares)| shares).filter(|share| 0 < share.n_waiting);
        let waits = waits.filter(|share| share.n_waiting < share.n_blocks);
        figure.notes.extend(
            waits
                .min_by_key(|share| share.n_waiting)
                .map(|share| message(WAITS_OF_SOME).with("n", share.n_waiting).with("m", share.n_blocks)),
        );
        for (out, said) in [(&self.coarse, WAITS_COARSE), (&self.untimed, WAITS_UNTIMED)] {
            let is_out = |share: &&Share| share.waiting.is_none() && out.contains(&share.pipe);
            let own = all.iter().flat_map(|(_, shares)| shares).find(is_out);
            figure.notes.extend(own.map(|share| message(said).with("pipe", name_of(share.pipe))));
        }
        figure.advice = all.iter().filter_map(|(kind, shares)| bound(*kind, shares)).collect();
        let slow = all.iter().flat_map(|(kind, shares)| self.bandwidth(*kind, shares));
        figure.advice.extend(slow);
        Some(Family::single(PIPES, "Base info", figure))
    }

    /// Of which blocks a pipe has a share elsewhere that is none here.
    fn left_out(&self) -> impl Iterator<Item = Message> + '_ {
        let is_out = |pipe: usize, block: &str| {
            let mut own = self.units.iter().filter(|unit| unit.block == block);
            own.any(|unit| unit.unshared(pipe).is_some())
        };
        (0..NAMES.len()).filter_map(move |pipe| {
            let n = self.too_long.iter().filter(|(own, block)| *own == pipe && is_out(pipe, block)).count();
            let said =
                message("{pipe}: {n} blocks took longer than the operator, so their shares are left out.");
            (0 < n).then(|| said.with("pipe", name_of(pipe)).with("n", n))
        })
    }

    /// Which pipes do not use their bandwidth while they are active, as the writer says, and how much each can cost.
    fn bandwidth<'a>(&self, kind: Kind, shares: &'a [Share]) -> impl Iterator<Item = Advice> + use<'a, '_> {
        let slow = shares.iter().filter(move |s| self.slow.contains(&(kind, s.pipe)));
        slow.filter_map(move |share| {
            let active = share.active.as_ref()?.mean;
            let text = message(
                "msprof op says that {pipe} of the {kind} cores uses less than 80 % of its peak bandwidth while it moves data, in {n} % of the cycles.",
            );
            let text = text.with("pipe", name_of(share.pipe)).with("kind", kind.name());
            let text = text.with("n", percent(active));
            // Of a pipe that hardly works no bandwidth can be won.
            let claim = claims::bandwidth(kind.name(), name_of(share.pipe));
            Some(Advice::new(text, BOUND <= active).claiming([claim]))
        })
    }

    /// Adds the figure behind the base info, and says of sentences of the writer that they claim the same. Figures before
    /// `figures_before` belong to other files. To be called again when more is known.
    pub(crate) fn show(&mut self, figures_before: usize, sink: &mut Sink) {
        let told: Vec<(Kind, Vec<usize>)> = self
            .kinds()
            .into_iter()
            .filter(|(kind, shares)| bound(*kind, shares).is_some())
            .map(|(kind, shares)| (kind, shares.iter().map(|share| share.pipe).collect()))
            .collect();
        let figures = &mut sink.builder.head().figures;
        let first = figures_before.min(figures.len());
        let own = figures.get_mut(first..).unwrap_or(&mut []);
        let stated = Stated::of(own);
        let Some(family) = self.family(stated) else { return };
        let advice = own.iter_mut().flat_map(|family| &mut family.variants).flat_map(|of| &mut of.advice);
        for advice in advice.filter(|advice| !advice.writer.is_empty()) {
            let text = &advice.text.to_string();
            let slow = bandwidth_of(text).map(|(kind, pipe)| (kind.unwrap_or(self.only_kind()), pipe));
            let is_told = |(kind, pipe): &(Kind, usize)| {
                told.iter().any(|(of, pipes)| of == kind && pipes.contains(pipe))
            };
            if let Some(slow) = slow.filter(is_told) {
                advice.claims = vec![claims::bandwidth(slow.0.name(), name_of(slow.1))];
                if !self.slow.contains(&slow) {
                    self.slow.push(slow);
                }
            }
            if let Some(kind) = usage_of(text).filter(|kind| told.iter().any(|(of, _)| of == kind)) {
                advice.claims = vec![claims::limiter(kind.name())];
            }
        }
        let family = if self.slow.is_empty() { Some(family) } else { self.family(stated) };
        let units = self.of_units(CoreUnit::active);
        let mut rows = units::rows(&units, &ACTIVE_CELLS);
        rows.extend(units::rows(&self.of_units(CoreUnit::waiting), &WAIT_CELLS));
        // Of several files the figure of one has an id with its number.
        let is_own = |family: &&mut Family| family.id.strip_prefix(PIPES).is_some_and(is_own_id);
        let mut id = PIPES.to_owned();
        let known = own.iter_mut().find(is_own);
        let is_new = known.is_none();
        match known.zip(family.clone()) {
            Some((known, new)) => {
                id.clone_from(&known.id);
                *known = Family { id: known.id.clone(), ..new };
            }
            None => {
                let base = own.iter().position(|family| family.id == "base-info").map_or(0, |at| at + 1);
                if let Some(family) = family {
                    figures.insert(first + base, family);
                }
            }
        }
        let extensions = &mut sink.builder.head().extensions;
        extensions.get_or_default::<UnitParts>().take(&id, units, is_new);
        extensions.get_or_default::<FigureUnits>().take(&id, rows, is_new);
    }

    /// Cycles of each pipe of each unit of a block, with those that they are of.
    fn of_units(&self, cycles: fn(&CoreUnit, usize) -> Option<(f64, f64)>) -> Vec<OfUnit> {
        let own = self.units.iter().filter(|unit| unit.block != AVERAGE);
        let of = |unit: &CoreUnit| {
            let place = (unit.block.clone(), unit.name.clone());
            let pipes = (0..).zip(NAMES).filter_map(|(pipe, name)| Some((name, cycles(unit, pipe)?)));
            pipes.map(|(name, cycles)| OfUnit::new((&place.0, &place.1), name, cycles)).collect::<Vec<_>>()
        };
        own.flat_map(of).collect()
    }

    /// The kind of the only units there are; where there are several the writer says of which it speaks.
    fn only_kind(&self) -> Kind {
        self.units.first().map_or(Kind::Other, |unit| unit.kind)
    }
}

fn add_rows(table: &Json, unit: &mut CoreUnit) {
    let heads: Vec<String> =
        list(table, "header_name").iter().map(|h| h.as_text().unwrap_or("").to_lowercase()).collect();
    let at = |name: &str| heads.iter().skip(1).position(|head| head.starts_with(name));
    let (Some(cycle), Some(rate)) = (at("cycle"), at("active rate")) else { return };
    let wait = at("wait cycle");
    for row in list(table, "row") {
        let values = list(row, "value");
        let number = |at: usize| values.get(at).and_then(Json::as_text).and_then(field::number);
        let cycles = number(cycle).filter(|v| 0.0 <= *v);
        let Some(pipe) = pipe_of(text_of(row, "name")) else { continue };
        // Old writers have the cycles of the run before the rate, which is a share of 1, and no head for them.
        if let (Some(cycles), Some(of)) = (cycles, number(rate))
            && values.len() == heads.len()
            && number(rate + 1).is_some_and(|share| 0.0 < of && (cycles / of - share).abs() <= 1e-4 * share)
        {
            unit.counted(pipe, cycles, of);
        } else if let Some(cycles) = cycles.filter(|cycles| 0.0 < *cycles)
            && values.len() == heads.len()
            && number(rate).is_none_or(|of| of <= 0.0)
        {
            unit.counted(pipe, cycles, 0.0);
        }
        if values.len() + 1 != heads.len() {
            continue;
        }
        unit.follows(cycles, number(rate));
        unit.pipe(pipe, cycles, wait.and_then(number).filter(|v| 0.0 <= *v));
    }
}

/// What a pipe is called.
pub(super) fn name_of(pipe: usize) -> &'static str {
    NAMES.get(pipe).copied().unwrap_or("")
}
