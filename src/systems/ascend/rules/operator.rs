//! An operator as rules see it: what its figures say of its duration, its blocks and the pipes of its cores.
//!
//! Figures of several files have ids with a number behind them; the first figure of the next file has an id that was seen.

use super::covered::is_number;
use crate::analysis::compare::units::{Follows, UnitPart};
use crate::analysis::finding::Number;
use crate::base::map::Set;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::RuleInput;
use crate::model::figure::{Body, Cell, Family, Figure, TableFigure};
use crate::model::{Table, Trace};
use crate::systems::ascend::reader::{IN_LONGEST, PIPES, UnitParts, chip_cores, is_of_some};
use crate::systems::ascend::{AS_LONG, BOUND, claims};

/// Figures of which a file has one.
const ONCE: [&str; 7] =
    ["base-info", PIPES, "block-detail", "mix-block-detail", "memory-paths", "core-values", "roofline-chart"];
/// Choices that stand for all blocks, the best first.
const ALL: [&str; 2] = ["All blocks", "Average over all cores"];

/// What the choice between blocks is called.
const BLOCK_ID: &str = "Block ID";

/// One operator.
pub(super) struct Operator<'a> {
    families: Vec<&'a Family>,
    pub(super) name: &'a str,
    pub(super) chip: &'a str,
    /// `vector`, `cube`, `mix`, or a name that files of some chips have.
    pub(super) kind: &'a str,
    /// In microseconds.
    pub(super) duration: Option<f64>,
    /// As the file says, else those that it has rows of.
    pub(super) n_blocks: Option<f64>,
    /// The clock it ran at and the rated one, in megahertz.
    pub(super) clocks: Option<(f64, f64)>,
    /// Whether the file names the rated clock: then its writer names the other one where it could be read.
    pub(super) has_rated_clock: bool,
    /// Whether it is one of several.
    pub(super) is_one_of_many: bool,
    /// The files beside it as tables; of several operators nothing says whose they are.
    tables: &'a [Table],
    /// What its pipes did, unit by unit.
    units: Option<&'a UnitParts>,
}

/// Whether what stands behind an id is the number of its file.
fn is_own_id(rest: &str) -> bool {
    let number = rest.strip_prefix('-').map(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    rest.is_empty() || number == Some(true)
}

/// The operators of a trace; none for a trace of another kind, or one of which only a timeline is known.
pub(super) fn operators(trace: &Trace) -> Vec<Operator<'_>> {
    let mut groups: Vec<Vec<&Family>> = Vec::new();
    for family in &trace.figures {
        let is_of = |id: &str| family.id.strip_prefix(id).is_some_and(is_own_id);
        let once = ONCE.iter().find(|id| is_of(id));
        let is_again = |group: &Vec<&Family>| {
            once.is_some_and(|id| group.iter().any(|own| own.id.strip_prefix(id).is_some_and(is_own_id)))
        };
        if groups.last().is_none_or(is_again) {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(family);
        }
    }
    let is_operator = |group: &Vec<&Family>| {
        group.iter().any(|own| ONCE.iter().any(|id| own.id.strip_prefix(id).is_some_and(is_own_id)))
    };
    groups.retain(is_operator);
    let n = groups.len();
    let tables = if n == 1 { trace.tables.as_slice() } else { &[] };
    let units = trace.extensions.get::<UnitParts>();
    groups.into_iter().map(|families| Operator::of(families, 1 < n, (tables, units))).collect()
}

/// What an operator is set up with as its tables say it: blocks where the file does not say how many, and cores that have
/// rows of their own. Empty for several operators.
pub(in crate::systems::ascend) fn set_up(trace: &Trace) -> Vec<(String, String)> {
    let all = operators(trace);
    let [own] = all.as_slice() else { return Vec::new() };
    let cores = own.times_of("core-values").filter(|times| times.has_all);
    let cores =
        cores.map(|times| times.units.iter().map(|unit| unit.block.as_str()).collect::<Set<_>>().len());
    let counts = [(phrase("block dim"), own.n_blocks), (phrase("cores"), cores.map(|n| n as f64))];
    counts.into_iter().filter_map(|(name, n)| Some((name.to_owned(), (n? as u64).to_string()))).collect()
}

impl<'a> Operator<'a> {
    fn of(
        families: Vec<&'a Family>,
        is_one_of_many: bool,
        (tables, units): (&'a [Table], Option<&'a UnitParts>),
    ) -> Self {
        let mut own = Self {
            families,
            name: "",
            chip: "",
            kind: "",
            duration: None,
            n_blocks: None,
            clocks: None,
            has_rated_clock: false,
            is_one_of_many,
            tables,
            units,
        };
        own.tell_facts();
        own.n_blocks = own.n_blocks.or_else(|| own.n_rows());
        own
    }

    /// What its base info says.
    fn tell_facts(&mut self) {
        let own = self;
        let facts = own.family("base-info").and_then(|family| match &family.variants.first()?.body {
            Body::Facts(facts) => Some(&facts.facts),
            _ => None,
        });
        let Some(facts) = facts else { return };
        let cell = |name: &str| facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value);
        let text = |name: &str| match cell(name) {
            Some(Cell::Text(text)) => text.as_str(),
            _ => "",
        };
        let number = |name: &str| cell(name).and_then(Cell::as_number).filter(|value| 0.0 < *value);
        (own.name, own.chip, own.kind) = (text("Operator"), text("Chip"), text("Type"));
        (own.duration, own.n_blocks) = (number("Duration"), number("Block dim"));
        own.clocks = number("Clock").zip(number("Rated clock"));
        own.has_rated_clock = number("Rated clock").is_some();
    }

    /// How many blocks there are rows of.
    fn n_rows(&self) -> Option<f64> {
        let times = self.times().filter(|times| !times.rows_are_cores && times.has_all)?;
        let blocks: Set<&str> = times.units.iter().map(|unit| unit.block.as_str()).collect();
        Some(blocks.len() as f64)
    }

    /// A figure of it by its id.
    pub(super) fn family(&self, id: &str) -> Option<&'a Family> {
        self.families.iter().find(|own| own.id.strip_prefix(id).is_some_and(is_own_id)).copied()
    }

    /// All figures of it.
    pub(super) fn families(&self) -> impl Iterator<Item = &'a Family> {
        self.families.iter().copied()
    }

    /// A figure over all blocks, and what is chosen of its family to see it.
    pub(super) fn of_all(&self, id: &str) -> Option<(&'a Figure, Vec<usize>)> {
        of_all(self.family(id)?)
    }

    /// A table over all blocks.
    pub(super) fn table(&self, id: &str) -> Option<&'a TableFigure> {
        match &self.of_all(id)?.0.body {
            Body::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The blocks that its figures show one by one.
    pub(super) fn shown_blocks(&self) -> impl Iterator<Item = &'a str> {
        let choices = self.families.iter().flat_map(|family| &family.choices);
        let blocks = choices.filter(|choice| choice.name == BLOCK_ID).flat_map(|choice| &choice.options);
        blocks.map(String::as_str).filter(|name| is_number(name))
    }

    /// A file beside it, by its name without its ending.
    pub(super) fn sheet(&self, name: &str) -> Option<&'a Table> {
        self.tables.iter().find(|table| table.title == name)
    }

    /// A number of facts over all blocks.
    pub(super) fn fact(&self, id: &str, name: &str) -> Option<(f64, &'a Unit)> {
        let Body::Facts(facts) = &self.of_all(id)?.0.body else { return None };
        let fact = facts.facts.iter().find(|fact| fact.name == name)?;
        Some((fact.value.as_number()?, &fact.unit))
    }

    /// Its name as part of a subject: empty where it is the only one.
    pub(super) fn subject(&self, of: &str) -> String {
        if self.is_one_of_many { format!("{} {of}", self.name).trim().to_owned() } else { of.to_owned() }
    }

    /// ` of MatmulCustom` where it is one of several; said behind what it is about.
    pub(super) fn of_which(&self) -> Message {
        if self.is_one_of_many && !self.name.is_empty() {
            message(" ({name})").with("name", self.name)
        } else {
            Message::default()
        }
    }

    /// A sentence about it, with its name in front where it is one of several.
    pub(super) fn told(&self, text: Message) -> Message {
        if self.of_which().is_empty() {
            return text;
        }
        message("{operator}: {text}").with("operator", self.name).with_message("text", text)
    }

    /// How many cores of a kind the chip has; `None` for unknown chips.
    pub(super) fn n_units(&self, kind: &str) -> Option<f64> {
        let n = chip_cores(self.chip)? as f64;
        Some(if kind == "vector" { 2.0 * n } else { n })
    }

    /// The kind of core that its blocks are counted by: blocks of a mix operator are those of its cube cores.
    pub(super) fn kind_of_blocks(&self) -> &'a str {
        if self.kind == "mix" { "cube" } else { self.kind }
    }

    /// How many times a core has to take a block, one after the other; `None` for unknown chips.
    pub(super) fn waves(&self) -> Option<f64> {
        Some((self.n_blocks? / self.n_units(self.kind_of_blocks())?).ceil())
    }

    /// Of how many blocks or units of a kind its pipes are known, where these are not all; a sentence.
    pub(super) fn pipes_of_some(&self, kind: &str) -> Option<&'a Message> {
        let (figure, _) = self.of_all(PIPES)?;
        figure.notes.iter().find(|note| is_of_some(note, kind))
    }

    /// The times of its units: of blocks, else of cores.
    pub(super) fn times(&self) -> Option<Times<'a>> {
        ["mix-block-detail", "block-detail", "core-values"].iter().find_map(|id| self.times_of(id))
    }

    fn times_of(&self, id: &'static str) -> Option<Times<'a>> {
        let (family, table) = (self.family(id)?, self.table(id)?);
        let (rows_are_cores, has_all) = (id == "core-values", table.more_rows == 0);
        let mut times = Times {
            family,
            unit: Unit::Micros,
            rows_are_cores,
            has_all,
            units: Vec::new(),
            without: Vec::new(),
        };
        let named = |name: &str| table.columns.iter().position(|column| column.name == name);
        let (kind_at, unit) = if times.rows_are_cores {
            (named("Sub core"), Unit::Cycles)
        } else {
            (named("Core Type"), Unit::Micros)
        };
        times.unit.clone_from(&unit);
        for (row, cells) in (0_u32..).zip(&table.rows) {
            let block = cells.first().map_or_else(String::new, Cell::plain);
            let columns = table.columns.iter().zip(cells).filter(|(column, _)| column.unit == unit);
            for (column, cell) in columns {
                let head = column.name.trim_end_matches("Duration").trim();
                let own = kind_at.and_then(|at| cells.get(at)).map_or_else(|| head.to_owned(), Cell::plain);
                let mut name = own.to_lowercase();
                if name.is_empty() {
                    self.kind.clone_into(&mut name);
                }
                let kind = name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
                // A unit that took no time did not run, or was not measured.
                let value = match cell.as_number() {
                    Some(value) if value.is_finite() && 0.0 < value => value,
                    Some(0.0) => {
                        times.without.push(kind);
                        continue;
                    }
                    _ => continue,
                };
                times.units.push(UnitTime { block: block.clone(), name, kind, value, row });
            }
        }
        (!times.units.is_empty()).then_some(times)
    }

    /// What each pipe of each kind of core did, in the order of the kinds.
    pub(super) fn pipes(&self) -> Vec<Kind> {
        let Some(table) = self.table(PIPES) else { return Vec::new() };
        let at = |name: &str| table.columns.iter().position(|column| column.name == name);
        let (active, least, most) = (at("Active"), at("Active, min"), at("Active, max"));
        let (wait, block, in_longest) = (at("Wait"), at("Block at max"), at(IN_LONGEST));
        let cycles = at("Active cycles");
        let units = |kind: &str, pipe: &str| {
            let (units, family) = self.units.zip(self.family(PIPES))?;
            Some(units.of_pipe(&family.id, kind, pipe))
        };
        let mut kinds: Vec<Kind> = Vec::new();
        for row in &table.rows {
            let cell = |at: Option<usize>| at.and_then(|at| row.get(at));
            let number = |at: Option<usize>| cell(at).and_then(Cell::as_number);
            let [Some(Cell::Text(kind)), Some(Cell::Text(name))] = [row.first(), row.get(1)] else {
                continue;
            };
            let at_kind = kinds.iter().position(|own| own.name == *kind).unwrap_or(kinds.len());
            if at_kind == kinds.len() {
                kinds.push(Kind { name: kind.clone(), ..Kind::default() });
            }
            let Some(own) = kinds.get_mut(at_kind) else { continue };
            let of_some = self.pipes_of_some(kind).is_some();
            let Some(active) = number(active) else {
                own.unshared.extend(number(cycles).map(|cycles| (name.clone(), cycles)));
                continue;
            };
            own.pipes.push(Pipe {
                name: name.clone(),
                active,
                deciding: active,
                in_longest: number(in_longest),
                least: number(least).unwrap_or(0.0),
                of_every: number(least).filter(|_| !of_some).unwrap_or(0.0),
                most: number(most).unwrap_or(active),
                at: cell(block).map(Cell::plain).unwrap_or_default(),
                waiting: number(wait),
                need: None,
                needs: Vec::new(),
                units: units(kind, name).unwrap_or_default(),
            });
        }
        let times = self.times().filter(|times| times.unit == Unit::Micros && self.fits(times));
        let n = kinds.len();
        for kind in &mut kinds {
            self.time_kind(kind, n, times.as_ref());
            self.decide(kind, times.as_ref());
            order::sort_by(&mut kind.pipes, |a, b| b.deciding.total_cmp(&a.deciding));
        }
        kinds
    }

    /// Where one block takes as long as the operator and no other nearly as long, what its pipes did decides.
    fn decide(&self, kind: &mut Kind, times: Option<&Times>) {
        let Some((times, duration)) = times.zip(self.duration) else { return };
        // Another that has no time may take as long.
        if self.timed(times, &kind.name).is_some() {
            return;
        }
        let Some(longest) = times.longest_of(&kind.name) else { return };
        let mut others = times.of(&kind.name).filter(|unit| unit.block != longest.block);
        let is_alone = others.all(|unit| unit.value < AS_LONG * longest.value);
        let is_known = kind.pipes.iter().any(|pipe| pipe.in_longest.is_some());
        if is_known && is_alone && AS_LONG * duration <= longest.value {
            kind.block = Some(longest.block.clone());
            kind.pipes.iter_mut().for_each(|pipe| pipe.deciding = pipe.in_longest.unwrap_or(0.0));
        }
    }

    /// Whether the core of the longest block can have run no other: then it took as long as all cores. So it is where the
    /// chip has a core for each block, or where not even the shortest block fits beside it into the duration.
    pub(super) fn runs_longest_alone(&self, times: &Times) -> bool {
        let shortest = times.units.iter().map(|unit| unit.value).reduce(f64::min);
        let both = times.longest().zip(shortest).map(|(longest, shortest)| longest.value + shortest);
        // Blocks without a row may be shorter.
        let has_all =
            times.has_all && self.n_blocks.is_some_and(|n| self.n_rows().is_some_and(|rows| n <= rows));
        let is_alone = has_all
            && times.unit == Unit::Micros
            && both.zip(self.duration).is_some_and(|(both, all)| all < both);
        times.rows_are_cores || is_alone || self.waves().is_some_and(|waves| waves <= 1.0)
    }

    /// Whether times of blocks fit into the duration; they do not where both were measured in different runs.
    pub(super) fn fits(&self, times: &Times) -> bool {
        let longest = times.longest().map_or(0.0, |unit| unit.value);
        times.unit != Unit::Micros || self.duration.is_none_or(|whole| longest <= 1.05 * whole)
    }
}

/// The variant over all blocks of a family, and the options that lead to it.
fn of_all(family: &Family) -> Option<(&Figure, Vec<usize>)> {
    let chosen: Vec<usize> = family
        .choices
        .iter()
        .map(|choice| {
            let at = |name: &&str| choice.options.iter().position(|option| option == *name);
            ALL.iter().find_map(at).unwrap_or(0)
        })
        .collect();
    Some((family.variant(&chosen)?, chosen))
}

/// The whole that all savings are parts of, in nanoseconds: the durations of all operators.
pub(super) fn whole(input: &RuleInput) -> Option<f64> {
    let all = operators(input.trace);
    let of = |own: &Operator| {
        own.duration.or_else(|| {
            // One that has no time may have taken longer.
            let times = own.times().filter(|times| times.unit == Unit::Micros)?;
            Some(times.longest()?.value).filter(|_| own.timed(&times, "vector").is_none())
        })
    };
    let sum = all.iter().map(of).sum::<Option<f64>>()?;
    (0.0 < sum).then_some(sum * 1e3)
}

/// How long units took.
pub(super) struct Times<'a> {
    pub(super) family: &'a Family,
    pub(super) unit: Unit,
    pub(super) rows_are_cores: bool,
    /// Whether these are all that the file has.
    has_all: bool,
    pub(super) units: Vec<UnitTime>,
    /// The kinds of those whose time is 0.
    without: Vec<String>,
}

/// One unit of a block.
#[derive(Clone, Debug)]
pub(super) struct UnitTime {
    pub(super) block: String,
    /// `vector1`.
    pub(super) name: String,
    /// `vector`.
    pub(super) kind: String,
    pub(super) value: f64,
    /// Its row in the table.
    pub(super) row: u32,
}

impl Times<'_> {
    pub(super) fn longest(&self) -> Option<&UnitTime> {
        self.units.iter().rev().max_by(|a, b| a.value.total_cmp(&b.value))
    }

    pub(super) fn of<'s>(&'s self, kind: &'s str) -> impl Iterator<Item = &'s UnitTime> {
        self.units.iter().filter(move |unit| unit.kind == kind)
    }

    /// Whether all rows of the file are here and have a time.
    pub(super) fn are_all(&self) -> bool {
        self.has_all && self.without.is_empty()
    }

    /// How many units of a kind have a time of 0.
    pub(super) fn without(&self, kind: &str) -> usize {
        self.without.iter().filter(|own| *own == kind).count()
    }

    /// The mean time of the units of a kind.
    pub(super) fn mean_of(&self, kind: &str) -> f64 {
        let (n, sum) = self.of(kind).fold((0.0, 0.0), |(n, sum), unit| (n + 1.0, sum + unit.value));
        if n == 0.0 { f64::NAN } else { sum / n }
    }

    pub(super) fn longest_of<'s>(&'s self, kind: &'s str) -> Option<&'s UnitTime> {
        self.of(kind).max_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// The kinds of units, in the order in which they come.
    pub(super) fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for unit in &self.units {
            if !kinds.contains(&unit.kind.as_str()) {
                kinds.push(&unit.kind);
            }
        }
        kinds
    }
}

/// The pipes of the cores of a kind, the busiest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) pipes: Vec<Pipe>,
    /// How long these cores took at most, in nanoseconds, or in the unit of a timeline.
    pub(super) time: Option<f64>,
    /// How long the slowest of them took for one block, in the same unit; `None` where that is not measured of all.
    pub(super) slowest: Option<f64>,
    /// The same of those that were measured.
    pub(super) at_least: Option<f64>,
    /// The block that alone takes their time, where there is one.
    pub(super) block: Option<String>,
    /// Pipes with their active cycles where nothing says of how many: what they did is not known.
    pub(super) unshared: Vec<(String, f64)>,
}

impl Kind {
    /// Whether more than one of its pipes was recorded: only then one of them can be called the busiest.
    pub(super) fn is_known(&self) -> bool {
        1 < self.pipes.len()
    }

    /// Why none of its pipes can be called the busiest: one with active cycles has no share, and none of the others bounds.
    pub(super) fn undecided(&self) -> Option<Message> {
        let is_decided = self.pipes.first().is_some_and(|pipe| BOUND <= pipe.deciding);
        let (pipe, cycles) = self.unshared.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        (!is_decided).then(|| claims::no_share(&self.name, pipe, *cycles))
    }
}

/// One pipe: shares in percent of the time of its cores.
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    pub(super) name: String,
    /// Of all cores together.
    pub(super) active: f64,
    /// What decides whether it bounds its cores: of the block that alone takes their time, else of all cores together.
    pub(super) deciding: f64,
    /// Of the core that took longest, where none of another block took nearly as long.
    pub(super) in_longest: Option<f64>,
    /// Of the core where it is least, and where it is most.
    pub(super) least: f64,
    /// Of every core at least: 0 where it is not known of all.
    pub(super) of_every: f64,
    pub(super) most: f64,
    /// The block where it is most; empty where nothing says it.
    pub(super) at: String,
    pub(super) waiting: Option<f64>,
    /// What at least one of the cores needs of it, in the unit of their time; `None` where that is not known.
    pub(super) need: Option<f64>,
    /// What each unit needs of it; empty where that is not known.
    pub(super) needs: Vec<UnitPart>,
    /// What each unit adds to the share of all; empty where nothing says it.
    pub(super) units: Vec<UnitPart>,
}

impl Pipe {
    /// As a number of evidence.
    pub(super) fn number(&self) -> Number {
        // What one block alone did is no sum over units.
        let units = if self.deciding == self.active { self.units.clone() } else { Vec::new() };
        let number = Number::new(self.name.clone(), self.deciding, Unit::Percent);
        let number = number.of_units(units, Follows::Percent);
        match self.waiting.filter(|waiting| 0.0 < *waiting) {
            Some(waiting) => {
                number.note(message("waiting {n} %").with("n", crate::base::number::fixed(waiting, 1)))
            }
            None => number,
        }
    }
}
