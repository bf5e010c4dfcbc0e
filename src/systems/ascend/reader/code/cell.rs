//! Cells of metric columns: what a value says, and how a column of this name is shown.

use crate::base::unit::Unit;
use crate::input::json::Json;
use crate::model::code::{ColumnStyle, Parts, RegisterUse};

/// How numbers of a column are shown, and their unit: by the names that the writers use.
pub(super) fn shown_as(name: &str, dtype: Option<i64>, is_percent: bool) -> (ColumnStyle, Unit) {
    match name {
        "Cycles" => (ColumnStyle::Bar, Unit::Cycles),
        _ if name.ends_with("Cycles") => (ColumnStyle::Plain, Unit::Cycles),
        "Instructions Executed" => (ColumnStyle::Plain, Unit::Count("instructions".to_owned())),
        "Process Bytes" => (ColumnStyle::Plain, Unit::Bytes),
        "GPR Count" | "Gpr Count" | "RegisterNum" => {
            (ColumnStyle::Plain, Unit::Count("registers".to_owned()))
        }
        "L2Cache Hit Rate" => (ColumnStyle::Share, Unit::Percent),
        _ if dtype == Some(4) || is_percent => (ColumnStyle::Share, Unit::Percent),
        _ => (ColumnStyle::Plain, Unit::None),
    }
}

/// A share with its parts.
pub(super) fn parts(value: &Json) -> Parts {
    let share = value.get("Percent").and_then(Json::as_f64).filter(|v| 0.0 <= *v);
    let details = value.get("Details").map_or(&[][..], Json::members);
    let part = |(name, count): &(std::borrow::Cow<str>, Json)| Some((name.to_string(), count.as_f64()?));
    Parts { share, parts: details.iter().filter_map(part).collect() }
}

/// Registers of one instruction; state 0 is space and left out.
pub(super) fn registers(value: &Json) -> Vec<RegisterUse> {
    let one = |item: &Json| {
        let state = item.get("regStatus").and_then(Json::as_i64).and_then(|s| u8::try_from(s).ok())?;
        let life = item.get("survivalTime").and_then(Json::as_i64).unwrap_or(0);
        let name = item.get("regIndex").and_then(Json::as_text)?.to_owned();
        let life = u32::try_from(life).unwrap_or(0);
        (1..=4).contains(&state).then_some(RegisterUse { name, life, state })
    };
    value.items().iter().filter_map(one).collect()
}
