//! Caches and warps: accesses by type and outcome, by core and bank; lanes of issued warps.

use super::Logs;
use super::figures::{note, of, streams};
use super::snapshot::{Snapshot, indices};
use crate::analysis::contract::AnalysisInput;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Bar, BarRole, Bars, Body, Figure};

/// What is shown of cores and banks, in the order of the choice.
pub(super) const SHOWN: [&str; 2] = [phrase("Hits and misses"), phrase("Reservation fails")];

fn bar(name: &str, values: Vec<Option<f64>>, role: BarRole) -> Bar {
    Bar { name: name.to_owned(), values, role, detail: String::new() }
}

/// The log that the id of a figure is about.
fn log_of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<&'a super::Log> {
    input.trace.extensions.get::<Logs>()?.0.get(id.rsplit('-').next()?.parse::<usize>().ok()?)
}

/// Types of accesses, each with its outcomes on top of each other.
pub(super) fn breakdown(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(log) = log_of(input, id) else { return of(input, id, |_| Body::Bars(Bars::default())) };
    let names = Snapshot::titles(log, "", "_breakdown");
    let names: Vec<_> = names.iter().filter(|name| !name.starts_with("traffic")).collect();
    let name = names.get(chosen.first().copied().unwrap_or(0)).copied().cloned().unwrap_or_default();
    let stream = chosen.get(1).and_then(|at| at.checked_sub(1)).and_then(|at| streams(log).get(at).cloned());
    let mut parts: Vec<String> = Vec::new();
    let mut types: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    let mut figure = of(input, id, |shown| {
        for (rest, value) in shown.under(&format!("{name}[")) {
            let rest = format!("[{rest}");
            let all: Vec<&str> = indices(&rest).collect();
            let (own, kind, outcome) = match all.as_slice() {
                [kind, outcome] => (None, *kind, *outcome),
                [own, kind, outcome] => (Some(*own), *kind, *outcome),
                _ => continue,
            };
            let is_other = stream.is_some() && stream.as_deref() != own;
            if outcome == "TOTAL_ACCESS" || outcome == "MSHR_HIT" || is_other {
                continue;
            }
            let part = place(&mut parts, |known| known == outcome, || outcome.to_owned());
            let row = place(&mut types, |known| known.0 == kind, || (kind.to_owned(), Vec::new()));
            let Some((_, values)) = types.get_mut(row) else { continue };
            values.resize(values.len().max(part + 1), None);
            if let (Some(place), Some(value)) = (values.get_mut(part), value) {
                *place = Some(place.unwrap_or(0.0) + value);
            }
        }
        types.retain(|(_, values)| values.iter().flatten().any(|value| *value != 0.0));
        let bars = types.iter().map(|(kind, values)| {
            let mut values = values.clone();
            values.resize(parts.len(), None);
            bar(kind, values, BarRole::Work)
        });
        Body::Bars(Bars { bars: bars.collect(), parts: parts.clone(), ..Bars::default() })
    });
    figure.scope = scoped(&figure.scope, name.trim_end_matches("_breakdown"));
    if parts.iter().any(|part| part == "RESERVATION_FAIL") {
        figure.notes.push(message("A reservation fail is an attempt that comes again, not an access."));
    }
    if parts.iter().any(|part| part == "HIT_RESERVED") {
        figure.notes.push(message("MSHR_HIT counts HIT_RESERVED again and is left out."));
    }
    if !streams(log).is_empty() {
        figure.notes.push(message("Numbers of a stream are printed when one of its kernels ends."));
    }
    note(&mut figure, input, id);
    figure
}

/// The row of what is meant, made when it is new.
fn place<T>(rows: &mut Vec<T>, is: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> usize {
    rows.iter().position(is).unwrap_or_else(|| {
        rows.push(make());
        rows.len() - 1
    })
}

/// A bar for each core or bank.
pub(super) fn units(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let names = log_of(input, id).map_or_else(Vec::new, |log| {
        ["_cache_core", "_cache_bank"].iter().flat_map(|end| Snapshot::titles(log, "", end)).collect()
    });
    let name = names.get(chosen.first().copied().unwrap_or(0)).cloned().unwrap_or_default();
    let shows_fails = chosen.get(1) == Some(&1);
    let mut figure = of(input, id, |shown| {
        let (units, fields) = shown.units(&name);
        let at = |field: &str| fields.iter().position(|known| *known == field);
        let columns = ["Access", "Miss", "Pending_hits", "Reservation_fails"].map(at);
        let bars = units.iter().map(|(unit, values)| {
            let value = |column: Option<usize>| column.and_then(|at| values.get(at).copied().flatten());
            let [access, miss, pending, fails] = columns.map(value);
            let hits = access.map(|all| (all - miss.unwrap_or(0.0) - pending.unwrap_or(0.0)).max(0.0));
            let values = if shows_fails { vec![fails] } else { vec![hits, pending, miss] };
            bar(&unit.to_string(), values, BarRole::Work)
        });
        let parts = [phrase("Hits"), phrase("Pending hits"), phrase("Misses")].map(str::to_owned);
        let parts = if shows_fails { Vec::new() } else { parts.into() };
        Body::Bars(Bars { bars: bars.collect(), parts, ..Bars::default() })
    });
    figure.scope = scoped(&figure.scope, &name);
    if name.ends_with("_core") {
        figure.notes.push(message("Numbers are those of clusters of cores."));
    }
    figure
}

/// Cycles in which so many lanes of a warp were issued, or none and why.
pub(super) fn warps(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    of(input, id, |shown| {
        let bars = shown.under("warps.").filter(|(_, value)| value.is_some_and(|value| 0.0 < value));
        let bars = bars.map(|(name, value)| {
            let is_waiting = name == "Stall" || name.starts_with("W0_");
            bar(name, vec![value], if is_waiting { BarRole::Wait } else { BarRole::Work })
        });
        Body::Bars(Bars { unit: Unit::None, bars: bars.collect(), ..Bars::default() })
    })
}

/// What a figure is of, with one more word.
pub(super) fn scoped(scope: &str, word: &str) -> String {
    [scope, word].join(" ").trim().to_owned()
}
