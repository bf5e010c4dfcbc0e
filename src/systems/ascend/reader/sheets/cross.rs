//! What container and CSV files both say, compared.
//!
//! Which fields mean the same was found on a real pair (a vector operator of 32 blocks on Ascend910B2): every rule below
//! holds there for all blocks. Values are equal when they are equal as far as both are printed: with as many digits, digit
//! for digit. The writer computes ratios and rates twice, in single precision: what both print as floats may differ by two
//! steps of a float. A text that no float prints as is taken by its digits.
//!
//! A rule of a whole core is applied where the CSV has one row for the block; where it has rows for several units (mix
//! operators), only values of one unit are compared.

use super::parse::{Sheet, SheetRow};
use super::{BLOCK, SECTION, SUB_BLOCK};
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::base::{number, order};
use crate::input::json::Json;
use crate::model::figure::{Advice, Body, Cell, Family, Figure, TableFigure, TableOf};
use crate::systems::ascend::reader::{Type, field};

/// Most rows of the table; contradictions come first.
const ROWS: usize = 10_000;

/// Most units of a core; further rows of a block are not looked at.
const UNITS: usize = 16;

/// How the CSV says a value.
enum Notation {
    /// As the sum of columns, after the container's value was multiplied.
    Sum(&'static [&'static str], f64),
    /// As a share of another column.
    Share(&'static str, &'static str),
}

/// One value that both say.
struct Rule {
    kind: u8,
    path: &'static str,
    says: Notation,
    /// Whether the writer computes it twice, in single precision.
    is_twice: bool,
}

const fn same(kind: u8, path: &'static str, columns: &'static [&'static str]) -> Rule {
    Rule { kind, path, says: Notation::Sum(columns, 1.0), is_twice: false }
}

const fn twice(kind: u8, path: &'static str, columns: &'static [&'static str], times: f64) -> Rule {
    Rule { kind, path, says: Notation::Sum(columns, times), is_twice: true }
}

/// Cycles, and the share of the cycles of the core in the CSV.
const fn cycles(path: &'static str, ratio: &'static str) -> Rule {
    let says = Notation::Share(ratio, "total_cycles");
    Rule { kind: Type::MEMORY_TABLE, path, says, is_twice: true }
}

const B: u8 = Type::BASE_INFO;
const G: u8 = Type::MEMORY_GRAPH;
const T: u8 = Type::MEMORY_TABLE;
/// From percent to the ratios of the CSV.
const PERCENT: f64 = 0.01;
/// From requests of 128 bytes to kilobytes.
const REQUESTS: f64 = 0.125;

/// Columns stand without `aic_` and `aiv_` in front.
const RULES: &[Rule] = &[
    same(B, "name", &["Op Name"]),
    same(B, "op_type", &["Op Type"]),
    same(B, "duration", &["Task Duration"]),
    same(B, "block_dim", &["Block Dim"]),
    same(B, "mix_block_dim", &["Mix Block Dim"]),
    same(B, "device_id", &["Device Id"]),
    same(B, "pid", &["Pid"]),
    same(B, "cur_freq", &["Current Freq"]),
    same(B, "rated_freq", &["Rated Freq"]),
    same(B, "block ▸ Duration", &["time"]),
    twice(Type::LOAD_GRAPH, "Vector All Active", &["vec_ratio"], PERCENT),
    same(G, "Cube ▸ total_cycles", &["total_cycles"]),
    same(G, "Vector ▸ total_cycles", &["total_cycles"]),
    twice(G, "Vector ▸ ratio", &["vec_ratio"], PERCENT),
    same(G, "L2cache ▸ hit", &["write_cache_hit", "r0_read_cache_hit", "r1_read_cache_hit"]),
    same(
        G,
        "L2cache ▸ miss",
        &["write_cache_miss_allocate", "r0_read_cache_miss_allocate", "r1_read_cache_miss_allocate"],
    ),
    twice(G, "L2cache ▸ hit_ratio", &["total_hit_rate"], 1.0),
    same(G, "path 0 ▸ request", &["r0_read_cache_miss_allocate", "r1_read_cache_miss_allocate"]),
    same(G, "path 12 ▸ bandwidth", &["gm_to_ub_bw"]),
    same(G, "path 13 ▸ bandwidth", &["ub_to_gm_bw"]),
    twice(G, "path 12 ▸ request", &["GM_to_UB_datas"], REQUESTS),
    twice(G, "path 13 ▸ request", &["UB_to_GM_datas"], REQUESTS),
    same(T, "Cache ▸ L2 Cache Write ▸ hit", &["write_cache_hit"]),
    same(T, "Cache ▸ L2 Cache Write ▸ miss", &["write_cache_miss_allocate"]),
    same(T, "Cache ▸ L2 Cache Write ▸ hit rate(%)", &["write_hit_rate"]),
    same(T, "Cache ▸ L2 Cache Read ▸ hit", &["r0_read_cache_hit", "r1_read_cache_hit"]),
    same(T, "Cache ▸ L2 Cache Read ▸ miss", &["r0_read_cache_miss_allocate", "r1_read_cache_miss_allocate"]),
    same(T, "Cache ▸ L2 Cache Read ▸ hit rate(%)", &["read_hit_rate"]),
    twice(T, "Cache ▸ L2 Cache Total ▸ hit rate(%)", &["total_hit_rate"], 1.0),
    twice(T, "GM ▸ Read Main Memory ▸ requests", &["read_main_memory_datas"], REQUESTS),
    same(T, "GM ▸ Read Main Memory ▸ throughput(GB/s)", &["main_mem_read_bw"]),
    twice(T, "GM ▸ Write Main Memory ▸ requests", &["write_main_memory_datas"], REQUESTS),
    same(T, "GM ▸ Write Main Memory ▸ throughput(GB/s)", &["main_mem_write_bw"]),
    same(T, "Pipe ▸ MTE2 ▸ instructions", &["mte2_instructions"]),
    twice(T, "Pipe ▸ MTE2 ▸ active rate(%)", &["mte2_ratio"], PERCENT),
    same(T, "Pipe ▸ MTE2 ▸ active bw(GB/s)", &["mte2_active_bw"]),
    cycles("Pipe ▸ MTE2 ▸ cycle", "mte2_ratio"),
    cycles("Pipe ▸ MTE2 ▸ wait cycles", "mte2_wait_ratio"),
    same(T, "Pipe ▸ MTE3 ▸ instructions", &["mte3_instructions"]),
    twice(T, "Pipe ▸ MTE3 ▸ active rate(%)", &["mte3_ratio"], PERCENT),
    same(T, "Pipe ▸ MTE3 ▸ active bw(GB/s)", &["mte3_active_bw"]),
    cycles("Pipe ▸ MTE3 ▸ cycle", "mte3_ratio"),
    cycles("Pipe ▸ MTE3 ▸ wait cycles", "mte3_wait_ratio"),
    twice(T, "Pipe ▸ Scalar ▸ active rate(%)", &["scalar_ratio"], PERCENT),
    cycles("Pipe ▸ Scalar ▸ cycle", "scalar_ratio"),
    same(T, "UB ▸ UB Read GM ▸ throughput(GB/s)", &["gm_to_ub_bw"]),
    same(T, "UB ▸ UB Write GM ▸ throughput(GB/s)", &["ub_to_gm_bw"]),
    same(T, "UB ▸ UB Read Scalar ▸ throughput(GB/s)", &["ub_read_bw_scalar"]),
    same(T, "UB ▸ UB Write Scalar ▸ throughput(GB/s)", &["ub_write_bw_scalar"]),
    same(T, "UB ▸ UB Read Vector ▸ throughput(GB/s)", &["ub_read_bw_vector"]),
    same(T, "UB ▸ UB Write Vector ▸ throughput(GB/s)", &["ub_write_bw_vector"]),
];

/// A file with what finds its rows and columns.
struct Finder<'a> {
    sheet: &'a Sheet,
    columns: Map<&'a str, usize>,
    /// Rows of each block; all under the empty name in a file without blocks.
    rows: Map<&'a str, Vec<&'a SheetRow>>,
    sub_block: Option<usize>,
}

impl<'a> Finder<'a> {
    fn new(sheet: &'a Sheet) -> Self {
        let columns = sheet.heads.iter().map(|head| head.name.as_str()).zip(0..).collect();
        let (block, sub_block) = (sheet.column(BLOCK), sheet.column(SUB_BLOCK));
        let mut rows: Map<&str, Vec<&SheetRow>> = Map::default();
        for row in &sheet.rows {
            let name = block.map_or(Some(""), |at| row.text(at));
            let rows = rows.entry(name.unwrap_or("")).or_default();
            if rows.len() < UNITS {
                rows.push(row);
            }
        }
        Self { sheet, columns, rows, sub_block }
    }

    /// The row that says the same thing, and whether it is one of a cube.
    fn row(&self, said: &Said) -> Option<(&'a SheetRow, &'static str)> {
        let Some(block) = &said.block else {
            let rows = self.rows.get("").filter(|rows| self.sub_block.is_none() && rows.len() == 1)?;
            return Some((rows.first()?, ""));
        };
        let sub_block = self.sub_block?;
        let rows = self.rows.get(block.as_str())?;
        // "vector" is the first or only one of its kind.
        let is_same = |row: &&&SheetRow| {
            row.text(sub_block).is_some_and(|name| {
                name == said.core || name.strip_suffix('0').is_some_and(|stem| stem == said.core)
            })
        };
        let row = match rows.as_slice() {
            [row] if said.core.is_empty() => row,
            rows => rows.iter().find(is_same)?,
        };
        let is_cube = row.text(sub_block).is_some_and(|name| name.starts_with("cube"));
        Some((row, if is_cube { "aic_" } else { "aiv_" }))
    }

    fn column(&self, prefix: &str, name: &str) -> Option<usize> {
        let own = self.columns.get(format!("{prefix}{name}").as_str());
        own.or_else(|| self.columns.get(name)).copied()
    }
}

/// A number as it is printed.
#[derive(Clone, Copy)]
struct Printed {
    value: f64,
    /// A step of its last digit; none for whole numbers, which are exact.
    step: f64,
    /// Whether a float is printed like this; `None` for whole numbers.
    is_float: Option<bool>,
}

impl Printed {
    fn of(text: &str) -> Option<Self> {
        let value = field::number(text)?;
        let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let decimals =
            digits.split_once('.').map(|(_, tail)| tail.bytes().take_while(u8::is_ascii_digit).count());
        let power: i32 = power.trim_end_matches(['%', ' ']).parse().unwrap_or(0);
        let decimals = decimals.or((power < 0).then_some(0));
        let step = decimals
            .and_then(|n| i32::try_from(n).ok())
            .map_or(0.0, |n| 10_f64.powi(power.saturating_sub(n)));
        // The nearest float, with as many digits.
        #[allow(clippy::cast_possible_truncation)]
        let is_float = decimals.map(|_| (f64::from(value as f32) - value).abs() <= 0.500_001 * step);
        Some(Self { value, step, is_float })
    }
}

/// One comparison.
struct Compared<'a> {
    said: &'a Said,
    sheet: &'a Sheet,
    row: &'a SheetRow,
    column: usize,
    /// Names of the columns, as one text.
    columns: String,
    /// Values in the unit of the CSV; texts where they are no numbers.
    bin: Cell,
    csv: Cell,
    is_equal: bool,
}

fn compare<'a>(said: &'a Said, rule: &Rule, finder: &Finder<'a>) -> Option<Compared<'a>> {
    let (row, prefix) = finder.row(said)?;
    let (names, times): (&[&str], f64) = match &rule.says {
        Notation::Sum(names, times) => (names, *times),
        Notation::Share(ratio, whole) => (&[*ratio, *whole], 1.0),
    };
    let found: Option<Vec<usize>> = names.iter().map(|name| finder.column(prefix, name)).collect();
    let found = found?;
    let texts: Option<Vec<&str>> = found.iter().map(|at| row.text(*at)).collect();
    let head = |at: &usize| finder.sheet.heads.get(*at).map_or("", |head| head.whole.as_str());
    let sign = if matches!(rule.says, Notation::Share(..)) { " × " } else { " + " };
    let columns = found.iter().map(head).collect::<Vec<_>>().join(sign);
    let column = *found.first()?;
    // What one of them does not say cannot contradict.
    let texts = texts.filter(|_| !field::is_missing(&said.text))?;
    let numbers: Option<Vec<Printed>> = texts.iter().map(|text| Printed::of(text)).collect();
    let (Some(own), Some(numbers)) = (Printed::of(&said.text), numbers) else {
        let csv = texts.first().copied().unwrap_or("");
        let cell = |text: &str| Cell::Text(text.to_owned());
        let is_equal = csv == said.text;
        return Some(Compared {
            said,
            sheet: finder.sheet,
            row,
            column,
            columns,
            bin: cell(&said.text),
            csv: cell(csv),
            is_equal,
        });
    };
    let (bin, bin_step) = (own.value * times, own.step * times);
    let (csv, csv_step) = match (&rule.says, numbers.as_slice()) {
        (Notation::Share(..), [ratio, whole]) => (ratio.value * whole.value, ratio.step * whole.value),
        (_, numbers) => numbers.iter().fold((0.0, 0.0), |sum, n| (sum.0 + n.value, sum.1 + n.step)),
    };
    let mut kinds = numbers.iter().chain([&own]).filter_map(|n| n.is_float).peekable();
    let is_float = rule.is_twice || kinds.peek().is_some() && kinds.all(|is_float| is_float);
    let float = if is_float { 2.0 * f64::from(f32::EPSILON) * bin.abs().max(csv.abs()) } else { 0.0 };
    // With as many digits one number is printed as one text; with fewer it is rounded or cut off.
    let steps = match rule.is_twice {
        true => 0.5 * (bin_step + csv_step),
        false if bin_step == csv_step => 0.0,
        false => bin_step.max(csv_step),
    };
    // Sums of decimals are not exact themselves.
    let allowed = steps + float + 1e-12 * bin.abs().max(csv.abs());
    let is_equal = (bin - csv).abs() <= allowed;
    let (bin, csv) = (Cell::number(Some(bin)), Cell::number(Some(csv)));
    Some(Compared { said, sheet: finder.sheet, row, column, columns, bin, csv, is_equal })
}

/// Compares everything that both say. `name` tells how a block of this type is called in faults. Returns the table and
/// the contradictions; `None` when there is nothing that both say.
pub(super) fn check(
    said: &[Said],
    sheets: &[Sheet],
    name: impl Fn(u8) -> String,
) -> Option<(Family, Vec<Fault>)> {
    let finders: Vec<Finder> = sheets.iter().map(Finder::new).collect();
    let mut rules: Map<(u8, &str), Vec<&Rule>> = Map::default();
    for rule in RULES {
        rules.entry((rule.kind, rule.path)).or_default().push(rule);
    }
    let mut all: Vec<Compared> = Vec::new();
    for said in said {
        for rule in rules.get(&(said.kind, said.path.as_str())).into_iter().flatten() {
            all.extend(finders.iter().filter_map(|finder| compare(said, rule, finder)));
        }
    }
    if all.is_empty() {
        return None;
    }
    let n_all = all.len();
    order::sort_by_key(&mut all, |compared| compared.is_equal);
    let faults: Vec<Fault> = all.iter().filter(|c| !c.is_equal).map(|c| fault(c, &name)).collect();
    let mut figure = Figure::new("Bin vs. CSV", Body::Table(table(&all)));
    "values in both, compared to printed precision".clone_into(&mut figure.scope);
    let (n_bad, n_good) = (faults.len(), n_all - faults.len());
    let thousands = |n: usize| number::thousands(i64::try_from(n).unwrap_or(i64::MAX));
    let agreed = message("{n} of {m} values match.");
    figure.notes.push(agreed.with("n", thousands(n_good)).with("m", thousands(n_all)));
    if 0 < n_bad {
        let text = message("{n} values conflict: bin and CSV may be from different runs.");
        let text = text.with("n", thousands(n_bad));
        figure.advice.push(Advice::new(text, true));
    }
    Some((Family::single("bin-csv", SECTION, figure), faults))
}

fn table(all: &[Compared]) -> TableFigure {
    let rows = all.get(..ROWS).unwrap_or(all);
    let difference = |c: &Compared| c.bin.as_number().zip(c.csv.as_number()).map(|(bin, csv)| csv - bin);
    // Every digit counts here, so that numbers are texts.
    TableOf::new(rows)
        .column("Value", Unit::None, |c| &c.said.path)
        .column("Block ID", Unit::None, |c| c.said.block.as_deref())
        .column("File", Unit::None, |c| &c.sheet.name)
        .column("Column", Unit::None, |c| &c.columns)
        .column("Bin", Unit::None, |c| shown(&c.bin))
        .column("CSV", Unit::None, |c| shown(&c.csv))
        .column("Difference", Unit::None, |c| difference(c).map(|difference| rounded(difference, 5)))
        .words("Verdict", |c| match difference(c) {
            _ if !c.is_equal => phrase("conflicting"),
            Some(difference) if difference != 0.0 => phrase("equal to printed precision"),
            _ => phrase("equal"),
        })
        .keys(4)
        .more(all.len() - rows.len())
        .table()
}

/// A number without what sums and products of decimals add behind its digits.
fn rounded(value: f64, digits: usize) -> String {
    format!("{value:.digits$e}").parse().unwrap_or(value).to_string()
}

/// A value in full; of a long text the beginning.
fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Number(v) => rounded(*v, 14),
        Cell::Text(text) => text.chars().take(200).collect(),
        other => other.plain(),
    }
}

fn fault(c: &Compared, name: impl Fn(u8) -> String) -> Fault {
    let what: String = c.said.path.chars().take(200).collect();
    let a = match &c.said.block {
        Some(block) => message("{what} of block {block} is {value} in {place}").with("block", block),
        None => message("{what} is {value} in {place}"),
    };
    let a = a.with("what", what).with("value", shown(&c.bin)).with("place", name(c.said.kind));
    let kind = Kind::Contradiction { a, b: message("{value} here").with("value", shown(&c.csv)) };
    let fault = Fault::new("ASC-CROSS", Severity::Warning, c.sheet.place(c.row, c.column), kind);
    fault.note("Both are shown; they may be from different runs.")
}

// What the JSON blocks of a container say that the CSV files beside it say too, as one flat list.
//
// A path names the value inside its kind of block, in the file's own words: `Cache ▸ L2 Cache Write ▸ hit`.

/// The types of blocks that are looked at.
pub(super) const KINDS: [u8; 4] = [Type::BASE_INFO, Type::LOAD_GRAPH, Type::MEMORY_GRAPH, Type::MEMORY_TABLE];

/// One value of a block.
pub(super) struct Said {
    pub(super) kind: u8,
    /// What the value is.
    pub(super) path: String,
    /// The block of the operator; `None` for the operator itself.
    pub(super) block: Option<String>,
    /// The unit of the core, such as `vector0`; empty for the whole core.
    pub(super) core: String,
    /// The value as the file writes it.
    pub(super) text: String,
}

/// Collects the values of one kind of block.
struct List {
    kind: u8,
    rows: Vec<Said>,
}

impl List {
    fn push(&mut self, path: String, block: Option<&str>, core: &str, value: Option<&Json>) {
        if let Some(text) = value.and_then(Json::as_text) {
            let (block, core) = (block.map(str::to_owned), core.to_lowercase());
            self.rows.push(Said { kind: self.kind, path, block, core, text: text.trim().to_owned() });
        }
    }
}

/// The values of one block.
pub(super) fn values(kind: u8, json: &Json) -> Vec<Said> {
    let mut list = List { kind, rows: Vec::new() };
    match kind {
        Type::BASE_INFO => base_info(json, &mut list),
        Type::LOAD_GRAPH => load_graph(json, &mut list),
        Type::MEMORY_GRAPH => memory_graph(json, &mut list),
        Type::MEMORY_TABLE => memory_tables(json, &mut list),
        _ => {}
    }
    list.rows
}

fn list<'j>(json: &'j Json<'j>, key: &str) -> &'j [Json<'j>] {
    json.get(key).map_or(&[], Json::items)
}

fn text<'j>(json: &'j Json<'j>, key: &str) -> &'j str {
    json.get(key).and_then(Json::as_text).unwrap_or("").trim()
}

fn base_info(json: &Json, out: &mut List) {
    for (key, value) in json.members() {
        out.push(key.to_string(), None, "", Some(value));
    }
    let blocks = json.get("block_detail").map_or(&[][..], |detail| list(detail, "row"));
    for values in blocks.iter().map(|row| list(row, "value")) {
        let [block, core, duration, ..] = values else { continue };
        let core = core.as_text().unwrap_or("");
        out.push("block ▸ Duration".to_owned(), block.as_text(), core, Some(duration));
    }
    let detail = json.get("mix_block_detail");
    let heads = detail.map_or(&[][..], |detail| list(detail, "head_name"));
    for values in detail.map_or(&[][..], |detail| list(detail, "row")).iter().map(|row| list(row, "value")) {
        let block = values.first().and_then(Json::as_text);
        for (head, value) in heads.iter().zip(values).skip(1) {
            // "Vector0 Duration (μs)"
            let core = head.as_text().and_then(|head| head.split_whitespace().next()).unwrap_or("");
            out.push("block ▸ Duration".to_owned(), block, core, Some(value));
        }
    }
}

fn load_graph(json: &Json, out: &mut List) {
    for row in list(json, "subblock_detail") {
        let detail = row.get("data_detail").unwrap_or(row);
        let path = text(detail, "name").to_owned();
        out.push(path, Some(text(row, "block_id")), text(row, "block_type"), detail.get("value"));
    }
}

fn memory_graph(json: &Json, out: &mut List) {
    for core in list(json, "core_memory_map") {
        let block = Some(text(core, "core_no"));
        let parts = core.members().iter().filter(|(_, part)| !part.members().is_empty());
        for (name, part) in parts {
            // The cache belongs to the whole core, "Vector1" and the others to their unit.
            let (name, unit) = if name == "L2cache" {
                (&**name, "")
            } else {
                (name.trim_end_matches(|c: char| c.is_ascii_digit()), &**name)
            };
            for (key, value) in part.members() {
                out.push(format!("{name} ▸ {key}"), block, unit, Some(value));
            }
        }
        for path in list(core, "memory_unit") {
            let id = text(path, "memory_path");
            for key in ["bandwidth", "request"] {
                out.push(format!("path {id} ▸ {key}"), block, "", path.get(key));
            }
        }
    }
}

fn memory_tables(json: &Json, out: &mut List) {
    for of_block in list(json, "table_per_block") {
        let block = Some(text(of_block, "block_id"));
        for table in list(of_block, "table_detail") {
            let title = text(table, "table_name");
            // The first head is that of the names.
            let heads = list(table, "header_name").get(1..).unwrap_or(&[]);
            for row in list(table, "row") {
                for (head, value) in heads.iter().zip(list(row, "value")) {
                    let path = format!("{title} ▸ {} ▸ {}", text(row, "name"), head.as_text().unwrap_or(""));
                    out.push(path, block, "", Some(value));
                }
            }
        }
    }
}
