//! What a trace is that holds counters only: which there are, and between what values they lie.

use super::place::Place;
use super::survey::{CounterSum, Survey};
use super::{RuleInput, Summary};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};

/// Rows of the part.
const ROWS: usize = 12;

/// The counters of a trace without slices.
pub fn summary(input: &RuleInput) -> Option<Summary> {
    let survey = input.survey.filter(|survey| survey.n_slices == 0 && !survey.counters.is_empty())?;
    let n: u64 = survey.counters.iter().map(|own| own.n).sum();
    let whole = survey.sampled.dur();
    let tile = |label: &'static str, n: u64| Tile {
        label: label.into(),
        value: thousands(n).into(),
        amount: Some((n as f64, Unit::None)),
        address: Place::view("timeline").address(),
        ..Tile::default()
    };
    let tiles = vec![
        Tile {
            amount: Some(input.time(whole)),
            comparison: message("from the first to the last sample"),
            value: input.brief(whole).into(),
            ..tile(phrase("Length"), 0)
        },
        Tile { comparison: message("no slices"), ..tile(phrase("Counters"), survey.counters.len() as u64) },
        tile(phrase("Counter samples"), n),
    ];
    Some(Summary { tiles, parts: vec![ranges(input, survey)] })
}

fn ranges(input: &RuleInput, survey: &Survey) -> Part {
    let most = survey.counters.first().map_or(0, |own| own.n) as f64;
    let row = |own: &CounterSum| {
        let (trace, track) = (input.trace, input.trace.tracks.get(own.track));
        let series = track.series.get(own.series);
        let unit = series.map_or(Unit::None, |series| series.unit.clone());
        let value = |value: f64| match &unit {
            Unit::None if value.fract() != 0.0 => fixed(value, 2),
            _ => with_unit(value, &unit),
        };
        let mut name = trace.track_path(own.track);
        if let Some(series) = series.filter(|_| 1 < track.series.len()) {
            name.push_str(" / ");
            name.push_str(trace.strings.get(series.name));
        }
        PartRow {
            name: name.into(),
            bar: vec![(share(own.n as f64, most), Color::Plain)],
            cells: vec![thousands(own.n), value(own.min), value(own.max)],
            amount: Some((own.n as f64, Unit::None)),
            address: Place::view("timeline").tracks(trace, &[own.track]).range(survey.sampled).address(),
            ..PartRow::default()
        }
    };
    Part {
        title: message("Counters"),
        note: message("those with most samples"),
        columns: [phrase("Samples"), phrase("Smallest"), phrase("Largest")].map(str::to_owned).to_vec(),
        rows: survey.counters.iter().take(ROWS).map(row).collect(),
        more: survey.counters.len().saturating_sub(ROWS) as u64,
        list: Place::view("timeline").address(),
        ..Part::default()
    }
}
