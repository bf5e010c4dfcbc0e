//! The numbers of figures, one a row.

use super::file::Owner;
use super::{Rows, Source, Value};
use crate::base::unit::Unit;
use crate::base::words::Language;
use crate::export::findings::scaled;
use crate::model::figure::{Body, Cell, Family, Figure, Number};
use std::io::Result;

/// Numbers of the overview, and of all figures with all their variants. Pictures of many points (histograms, heat maps, curves, bars on lanes)
/// are left out: what they are made of stands in other tables.
pub(super) fn metrics(of: &Source, rows: &mut Rows) -> Result<()> {
    let input = of.input;
    // What is said of the trace as a whole, such as the time of a step.
    for tile in input.overview.iter().flat_map(|overview| &overview.tiles) {
        let Some((value, unit)) = tile.amount.as_ref().filter(|(value, _)| value.is_finite()) else {
            continue;
        };
        let name = tile.label.text(Language::En);
        let texts = ["overview", "summary", "", &name, "", unit.symbol()].map(Value::from);
        let value = Value::Real(scaled(*value, unit) + 0.0); // a sum of nothing is 0, not −0
        rows.push(of.all(), &[&texts[..], &[value]].concat())?;
    }
    for family in &input.trace.figures {
        of_family(family, of.all(), rows)?;
    }
    for (analysis, figure) in input.computed() {
        if !matches!(figure.head.kind, "heat-map" | "histogram" | "scatter" | "lines" | "gantt") {
            of_family(&figure.family(&analysis), of.all(), rows)?;
        }
    }
    Ok(())
}

fn of_family(family: &Family, owner: Owner, rows: &mut Rows) -> Result<()> {
    for (at, figure) in family.variants.iter().enumerate() {
        let choice = crate::export::figures::options(family, at).join(",");
        let mut out = Out { family, choice, owner, rows, result: Ok(()) };
        out.figure(figure);
        out.result?;
    }
    Ok(())
}

struct Out<'a> {
    family: &'a Family,
    choice: String,
    owner: Owner<'a>,
    rows: &'a mut Rows,
    result: Result<()>,
}

impl Out<'_> {
    fn add(&mut self, name: &str, subject: &str, unit: &Unit, value: Number) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        if self.result.is_ok() {
            let (view, figure) = (self.family.section.as_str(), self.family.id.as_str());
            self.result = self.rows.push(
                self.owner,
                &[
                    view.into(),
                    figure.into(),
                    self.choice.as_str().into(),
                    name.into(),
                    subject.into(),
                    unit.symbol().into(),
                    Value::Real(scaled(value, unit) + 0.0), // a sum of nothing is 0, not −0
                ],
            );
        }
    }

    fn figure(&mut self, figure: &Figure) {
        match &figure.body {
            Body::Facts(facts) => {
                for fact in &facts.facts {
                    self.add(&fact.name, "", &fact.unit, fact.value.as_number());
                }
            }
            Body::Table(table) => {
                for row in &table.rows {
                    let keys: Vec<String> = row.iter().take(table.key_columns).map(Cell::plain).collect();
                    let subject = keys.join(" / ");
                    for (column, cell) in table.columns.iter().zip(row).skip(table.key_columns) {
                        self.add(&column.name, &subject, &column.unit, cell.as_number());
                    }
                }
            }
            Body::Bars(bars) => {
                for bar in &bars.bars {
                    for (at, value) in bar.values.iter().enumerate() {
                        let part = bars.parts.get(at).map_or("", String::as_str);
                        self.add(part, &bar.name, &bars.unit, *value);
                    }
                }
            }
            Body::Cores(cores) => {
                for core in &cores.cores {
                    for cell in &core.cells {
                        self.add(&cell.name, &core.name, &cores.unit, cell.value);
                    }
                }
            }
            Body::Matrix(matrix) => {
                let n = matrix.columns.len().max(1);
                for (row, cells) in matrix.rows.iter().zip(matrix.cells.chunks(n)) {
                    for (at, (column, cell)) in matrix.columns.iter().zip(cells).enumerate() {
                        self.add(column, row, matrix.unit_of(at), cell.value);
                    }
                }
            }
            Body::Graph(graph) => {
                for arrow in &graph.arrows {
                    self.add(&arrow.name, &arrow.key, &graph.unit, arrow.value);
                }
            }
            Body::Roofline(roofline) => {
                for (roof, point) in
                    roofline.roofs.iter().filter_map(|roof| Some((roof, roof.point.as_ref()?)))
                {
                    for (axis, value) in [(&roofline.x, point.x), (&roofline.y, point.y)] {
                        self.add(&axis.name, &roof.bandwidth_name, &axis.unit, Some(value));
                    }
                }
            }
            Body::HeatMap(_) | Body::Histogram(_) | Body::Scatter(_) | Body::Lines(_) | Body::Gantt(_) => {}
        }
    }
}
