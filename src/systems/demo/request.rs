//! `demo/units`: the work of one unit, or of all.

use super::analysis::{ANALYSIS, UnitWork, Work};
use crate::export::request::{RequestError, RequestHandler, body};
use serde::Serialize;

#[derive(Serialize)]
struct Body<'a> {
    units: Vec<(&'a str, f64)>,
}

/// The command; `params.unit` names a unit.
pub(super) static UNITS: RequestHandler = RequestHandler {
    command: "demo/units",
    answer: |input, params| {
        let work = input.result::<Work>(&ANALYSIS).ok_or_else(|| RequestError::no_data("No work."))?;
        let wanted = params.optional(&["unit"]);
        let is_meant = |unit: &&UnitWork| wanted.is_none_or(|wanted| wanted == unit.name);
        let units: Vec<_> =
            work.iter().filter(is_meant).map(|unit| (unit.name.as_str(), unit.work)).collect();
        match wanted {
            Some(name) if units.is_empty() => {
                Err(RequestError::unknown_id("unit", name, work.iter().map(|unit| unit.name.clone())))
            }
            _ => Ok(body(&Body { units })),
        }
    },
};
