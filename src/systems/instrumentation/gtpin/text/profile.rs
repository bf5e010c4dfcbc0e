//! Times of kernels and latencies of instructions.
//!
//! ```text
//! Name      HashID           SIMD Type        Freq. Total-Cycle Avg-Cycles Skipped Platform Execution descriptor
//! igc_check cd23361f352e4531   32 CS            NA    NA         NA         NA      NA       NA
//! vec add   ed4702544aa9248    32 CS            32 61814       1931          0      OpenCL   2 0 0 7
//! Name      HashID           SIMD Type Ins.ID Freq. Total-latency(%) Total-latency Avg-Cycles Platform Exec-descriptor
//! Bitonic   f641279bbb4bc39f   32 CS   0     262144 0.03             112702896     429.00     OpenCL   0 0
//! ```

use super::Part;
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::Sink;
use crate::input::{Entry, EntryId};
use crate::model::figure::{Cell, TableColumn, TableFigure, TableOf};
use crate::systems::instrumentation::intel::{TableText, add};

/// The panel of the figures.
const SECTION: &str = phrase("Kernel times");

/// A row in its parts: name, hash, SIMD, type, numbers, then platform and descriptor.
struct Parts<'a> {
    kernel: [Cell; 4],
    rest: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_hash =
            |word: &str| (8..=16).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit());
        // Names may have blanks: the hash is the last word of its shape before SIMD and type.
        let at = (1..words.len()).rev().find(|at| {
            let of = |n: usize| words.get(at + n).copied().unwrap_or("");
            let is_type = of(2).bytes().all(|b| b.is_ascii_uppercase()) && !of(2).is_empty();
            is_hash(of(0)) && of(1).parse::<u32>().is_ok_and(|simd| simd <= 64) && is_type
        })?;
        let name = words.get(..at)?.join(" ");
        let rest = words.get(at..)?;
        let (&[hash, simd, kind], rest) = rest.split_first_chunk::<3>()?;
        let simd = simd.parse().ok()?;
        let text = |text: &str| Cell::Text(text.to_owned());
        Some(Self {
            kernel: [Cell::Text(name), text(hash), Cell::Integer(simd), text(kind)],
            rest: rest.to_vec(),
        })
    }

    /// Numbers at the begin of the rest, NA for missing; platform; the last number, which is the order of launches.
    fn row(self, numbers: usize) -> Option<Vec<Cell>> {
        let mut row = self.kernel.to_vec();
        let (own, rest) = self.rest.split_at_checked(numbers)?;
        for word in own {
            row.push(match word.parse::<u64>() {
                Ok(n) => Cell::Integer(n),
                Err(_) if *word == "NA" => Cell::Missing,
                Err(_) => {
                    Cell::Number(word.trim_end_matches('%').parse().ok().filter(|n: &f64| n.is_finite())?)
                }
            });
        }
        let end = rest.iter().position(|word| word.parse::<u64>().is_ok()).unwrap_or(rest.len());
        let (platform, numbers) = rest.split_at_checked(end)?;
        let platform: Vec<&str> = platform.iter().copied().filter(|word| *word != "NA").collect();
        row.push(if platform.is_empty() { Cell::Missing } else { Cell::Text(platform.join(" ")) });
        row.push(numbers.last().and_then(|word| word.parse().ok()).map_or(Cell::Missing, Cell::Integer));
        Some(row)
    }
}

/// What stands before the rows, and legends.
fn is_remark(line: &str, head: &mut bool) -> bool {
    let is_head = line.contains("HashID");
    *head |= is_head;
    line.is_empty() || is_head || !*head || line.starts_with('#')
}

fn kernel_columns() -> Vec<TableColumn> {
    vec![
        TableColumn::new(phrase("Kernel"), Unit::None),
        TableColumn::new(phrase("Hash"), Unit::None),
        TableColumn::new("SIMD", Unit::None),
        TableColumn::new(phrase("Type"), Unit::None),
    ]
}

/// Times of kernels.
#[derive(Default)]
pub(super) struct Times {
    has_head: bool,
    rows: Vec<Vec<Cell>>,
}

impl Part for Times {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if !is_remark(line, &mut self.has_head) {
            let row = Parts::of(line).and_then(|parts| parts.row(4));
            self.rows.push(row.ok_or(phrase("a kernel with its cycles"))?);
        }
        Ok(())
    }

    fn finish(&mut self, (_, entry): (EntryId, &Entry), sink: &mut Sink) {
        let head = sink.builder.head();
        if head.title.is_empty() {
            entry.name().clone_into(&mut head.title);
        }
        let rows = std::mem::take(&mut self.rows);
        let text =
            TableText { id: "gtpin-funtime-kernels", section: SECTION, title: phrase("Cycles by kernel") };
        add(head, &text, by_kernel(&rows));
        let text = TableText { id: "gtpin-funtime", section: SECTION, title: phrase("Cycles by launch") };
        let mut columns = kernel_columns();
        columns.extend([
            TableColumn::new(phrase("Threads"), Unit::None),
            TableColumn::new(phrase("Cycles"), Unit::Cycles),
            TableColumn::new(phrase("Cycles per thread"), Unit::Cycles),
            TableColumn::new(phrase("Skipped"), Unit::None),
            TableColumn::new(phrase("Platform"), Unit::None),
            TableColumn::new(phrase("Launch"), Unit::None),
        ]);
        add(head, &text, TableFigure { columns, rows, ..TableFigure::default() });
    }
}

/// Sums by the name of the kernel, most cycles first.
fn by_kernel(rows: &[Vec<Cell>]) -> TableFigure {
    struct Sum<'a>(&'a str, u64, u64, f64, f64);
    let mut sums: Vec<Sum> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for row in rows {
        let Some(Cell::Text(name)) = row.first() else { continue };
        let at = *known.entry(name).or_insert(sums.len());
        if sums.len() <= at {
            sums.push(Sum(name, 0, 0, 0.0, 0.0));
        }
        let Some(sum) = sums.get_mut(at) else { continue };
        let number = |at: usize| row.get(at).and_then(Cell::as_number);
        sum.1 += 1;
        sum.2 += u64::from(number(5).is_none());
        sum.3 += number(4).unwrap_or(0.0);
        sum.4 += number(5).unwrap_or(0.0);
    }
    let all: f64 = sums.iter().map(|sum| sum.4).sum();
    order::sort_by(&mut sums, |a, b| b.4.total_cmp(&a.4));
    let number = |sum: &Sum, n: f64| Some(n).filter(|_| sum.2 < sum.1);
    TableOf::new(&sums)
        .column(phrase("Kernel"), Unit::None, |sum| sum.0)
        .column(phrase("Launches"), Unit::None, |sum| sum.1)
        .column(phrase("Launches without counts"), Unit::None, |sum| sum.2)
        .column(phrase("Threads"), Unit::None, |sum| number(sum, sum.3))
        .bars(phrase("Cycles"), Unit::Cycles, |sum| number(sum, sum.4))
        .column(phrase("Cycles per thread"), Unit::Cycles, |sum| number(sum, sum.4 / sum.3))
        .column(phrase("Share"), Unit::Share, |sum| number(sum, sum.4 / all))
        .table()
}

/// Latencies of instructions.
#[derive(Default)]
pub(super) struct Latencies {
    has_head: bool,
    rows: Vec<Vec<Cell>>,
}

impl Part for Latencies {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if !is_remark(line, &mut self.has_head) {
            let row = Parts::of(line).and_then(|parts| parts.row(5));
            self.rows.push(row.ok_or(phrase("an instruction with its latency"))?);
        }
        Ok(())
    }

    fn finish(&mut self, (_, entry): (EntryId, &Entry), sink: &mut Sink) {
        let head = sink.builder.head();
        if head.title.is_empty() {
            entry.name().clone_into(&mut head.title);
        }
        let mut columns = kernel_columns();
        columns.extend([
            TableColumn::new(phrase("Instruction"), Unit::None),
            TableColumn::new(phrase("Executions"), Unit::None),
            TableColumn::bars(phrase("Share of latency"), Unit::Percent),
            TableColumn::new(phrase("Latency"), Unit::Cycles),
            TableColumn::new(phrase("Mean latency"), Unit::Cycles),
            TableColumn::new(phrase("Platform"), Unit::None),
            TableColumn::new(phrase("Launch"), Unit::None),
        ]);
        let text =
            TableText { id: "gtpin-latency", section: SECTION, title: phrase("Instruction latencies") };
        let rows = std::mem::take(&mut self.rows);
        add(head, &text, TableFigure { columns, rows, ..TableFigure::default() });
    }
}
