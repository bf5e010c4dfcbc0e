//! 0x0F stall reasons: why warps had to wait, and how often.
//!
//! `{top_stall_reason_table: {<reason>: <count>, …}}`

use super::occupancy::whole;
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::format::sink::Sink;
use crate::input::json::Json;
use crate::model::figure::{Bar, BarRole, Bars, Body, Cell, Family, Figure, TableColumn, TableFigure};
use crate::systems::ascend::reader::field::{self, Fields, Within, shown};

/// The panel of these figures.
const SECTION: &str = "Stall reasons";

/// Adds the bars and the table of reasons, the most frequent first.
pub(in crate::systems::ascend::reader) fn stall_reasons(json: &Json, within: &Within, sink: &mut Sink) {
    let mut fields = Fields::new(within, sink);
    let table = json.get("top_stall_reason_table").unwrap_or(&Json::Null);
    let mut reasons: Vec<(String, f64)> = Vec::new();
    for (reason, value) in table.members() {
        let count = value.as_text().and_then(field::number);
        match whole(count) {
            Some(_) => reasons.extend(count.map(|count| (reason.to_string(), count))),
            None => {
                let inside = format!("top_stall_reason_table ▸ {reason}");
                fields.left_out(&inside, "a non-negative integer", shown(value));
            }
        }
    }
    if reasons.is_empty() {
        return;
    }
    order::sort_by(&mut reasons, |a, b| b.1.total_cmp(&a.1));
    let total: f64 = reasons.iter().map(|(_, count)| count).sum();
    let share = |count: f64| if 0.0 < total { count / total } else { 0.0 };
    let unit = Unit::Count("stalls".to_owned());
    let bars = reasons.iter().map(|(reason, count)| Bar {
        name: reason.clone(),
        values: vec![Some(*count)],
        role: BarRole::Wait,
        detail: format!("{} %", number::fixed(share(*count) * 100.0, 1)),
    });
    let bars = Bars { unit: unit.clone(), bars: bars.collect(), ..Bars::default() };
    let column = |name: &str, unit: Unit| TableColumn {
        name: name.to_owned(),
        has_bar: unit != Unit::None,
        is_phrase: unit == Unit::None,
        unit,
        ..TableColumn::default()
    };
    let rows = reasons.iter().map(|(reason, count)| {
        vec![Cell::Text(reason.clone()), Cell::Number(*count), Cell::Number(share(*count))]
    });
    let table = TableFigure {
        columns: vec![column("Reason", Unit::None), column("Count", unit), column("Share", Unit::Share)],
        rows: rows.collect(),
        key_columns: 1,
        ..TableFigure::default()
    };
    sink.builder.head().figures.extend([
        Family::single("stall-reasons", SECTION, Figure::new("Top stall reasons of warps", Body::Bars(bars))),
        Family::single("stall-table", SECTION, Figure::new("Stalls by reason", Body::Table(table))),
    ]);
}
