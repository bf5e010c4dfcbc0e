//! What a trace is that holds instants only: how many, of which names, how often one comes.

use super::place::Place;
use super::survey::Survey;
use super::{RuleInput, Summary};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::number::{short, thousands};
use crate::base::time::Ticks;
use crate::base::words::{Message, message, phrase};
use crate::model::id::{StrId, TrackId};

/// Rows of a part.
const ROWS: usize = 7;

/// The instants of a trace without slices and counters.
pub fn summary(input: &RuleInput) -> Option<Summary> {
    let is_only = |survey: &&Survey| survey.n_slices == 0 && survey.counters.is_empty();
    let survey = input.survey.filter(is_only).filter(|survey| !survey.instants.is_empty())?;
    let (n, whole) = (n_of(survey), survey.stamped.dur());
    let tile = |label: &'static str, value: Message, comparison: Message| Tile {
        label: label.into(),
        value,
        comparison,
        address: Place::view("timeline").address(),
        ..Tile::default()
    };
    let n_tracks = survey.stamped_tracks.len() as u64;
    let mut tiles = vec![
        Tile {
            amount: Some(input.time(whole)),
            ..tile(phrase("Length"), input.brief(whole).into(), message("from the first to the last instant"))
        },
        tile(
            phrase("Instants"),
            thousands(n).into(),
            message("on {n} tracks, no slices").with("n", thousands(n_tracks)),
        ),
    ];
    tiles.extend(survey.instants.first().map(|(name, n)| {
        let name = input.trace.strings.get(*name).to_owned();
        tile(phrase("Most frequent"), thousands(*n).into(), name.into())
    }));
    tiles.extend(interval(n, whole).and_then(|ticks| {
        let nanos = ticks * input.trace.clock.nanos()?;
        let rate = message("{n} per second").with("n", short(1e9 / nanos));
        let each = message("one every {time}, on average").with("time", input.brief(ticks.round() as Ticks));
        Some(tile(phrase("Rate"), rate, each))
    }));
    Some(Summary { tiles, parts: vec![names(input, survey), tracks(input, survey)] })
}

fn n_of(survey: &Survey) -> u64 {
    survey.instants.iter().map(|own| own.1).sum()
}

/// The mean time from one to the next; `None` where all are at one time.
fn interval(n: u64, whole: Ticks) -> Option<f64> {
    let between = n.checked_sub(1).filter(|n| 0 < *n && 0 < whole)?;
    Some(whole as f64 / between as f64)
}

fn names(input: &RuleInput, survey: &Survey) -> Part {
    let all = n_of(survey) as f64;
    let row = |name: &StrId, n: u64| PartRow {
        name: input.trace.strings.get(*name).to_owned().into(),
        cells: vec![thousands(n), super::trace::percent(share(n as f64, all))],
        ..PartRow::default()
    };
    let title = message("Names of instants");
    most_first(
        &survey.instants,
        row,
        Part { title, note: message("the most frequent first"), ..Part::default() },
    )
}

fn tracks(input: &RuleInput, survey: &Survey) -> Part {
    let row = |id: &TrackId, n: u64| PartRow {
        name: input.trace.track_path(*id).into(),
        cells: vec![thousands(n)],
        address: Place::view("timeline").tracks(input.trace, &[*id]).range(survey.stamped).address(),
        ..PartRow::default()
    };
    let title = message("Tracks with instants");
    most_first(
        &survey.stamped_tracks,
        row,
        Part { title, note: message("number of instants"), ..Part::default() },
    )
}

/// A part of rows with their counts, which stand in order: bars are relative to the first.
fn most_first<T>(all: &[(T, u64)], row: impl Fn(&T, u64) -> PartRow, part: Part) -> Part {
    let most = all.first().map_or(0, |own| own.1) as f64;
    let rows = all
        .iter()
        .take(ROWS)
        .map(|(of, n)| PartRow { bar: vec![(share(*n as f64, most), Color::Plain)], ..row(of, *n) });
    Part {
        rows: rows.collect(),
        more: all.len().saturating_sub(ROWS) as u64,
        list: Place::view("timeline").address(),
        ..part
    }
}
