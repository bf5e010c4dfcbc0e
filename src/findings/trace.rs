//! Rules and figures of any trace, whoever wrote it.

use super::place::Place;
use super::survey::Survey;
use super::{Looked, Rule, RuleInput, Summary, Threshold};
pub use super::{number_of, percent};
use crate::analysis::finding::{
    Color, Evidence, Finding, Number, Part, PartRow, Saving, Severity, Tile, share,
};
use crate::base::names::parted;
use crate::base::number::{thousands, with_unit};
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{AxisLabel, Body, Figure, Gantt, GanttBar, GanttLane, ScaleKind};
use crate::model::id::{SliceId, TrackId};

/// In the order in which they are run.
pub static RULES: &[&Rule] =
    &[&GAPS, &super::outliers::OUTLIERS, &super::intervals::INTERVALS, &super::cut::CUT];

// Gaps common to all tracks.

static GAPS: Rule = Rule {
    id: "trace-common-gaps",
    version: 4,
    title: phrase("No activity"),
    thresholds: &[Threshold {
        name: phrase("share of the recorded time"),
        value: 0.02,
        unit: Unit::Share,
        source: phrase("our own choice: shorter ones are hardly worth a look"),
    }],
    look: |input| {
        let Some(survey) = input.survey.filter(|survey| 0 < survey.span.dur()) else {
            return Looked::NotHere;
        };
        // Devices and systems say more of their gaps.
        if input.is_known || input.device.is_some_and(|device| !device.works.is_empty()) {
            return Looked::NotHere;
        }
        let looked = survey.recorded(survey.known) - survey.hidden;
        let idle = share(survey.idle as f64, looked as f64);
        let Some(longest) = survey.gaps.first().filter(|_| GAPS.limit(0) <= idle) else {
            let said = if survey.is_scheduled {
                message(
                    "in {share} of the time in which scheduling was recorded no processor runs anything and nothing else goes on",
                )
            } else {
                message("no activity {share} of the time{apart}")
            };
            let apart = survey.apart.map_or_else(Message::default, |apart| {
                message("; {time} without any event are left out").with("time", input.duration(apart.dur()))
            });
            return Looked::Nothing(said.with("share", percent(idle)).with_message("apart", apart));
        };
        let (value, unit) = input.time(survey.idle);
        let one = input.duration(longest.dur());
        let sentence = if survey.is_scheduled {
            message(
                "No processor runs anything and nothing else goes on for ⟦{time}⟧, {share} of the time in which scheduling was recorded.",
            )
        } else if survey.hidden == 0 {
            message("No track is active for ⟦{time}⟧, {share} of the time.")
        } else {
            message("No track is active for ⟦{time}⟧, {share} of the time without unfinished slices.")
        };
        let line = match behind(input, *longest) {
            Some((name, track)) => {
                message("{n} gaps; the longest takes {one} and ends with {name} on {track}.{apart}")
                    .with("name", name)
                    .with("track", track)
            }
            None if survey.known.end <= longest.end => {
                message("{n} gaps; the longest takes {one} and ends with the recording.{apart}")
            }
            None => message("{n} gaps; the longest takes {one}.{apart}"),
        };
        let model = message("Assumes that all gaps are removed and nothing else takes longer.");
        // A system that waits for somebody is idle too, and loses nothing by it.
        let saving = if survey.is_scheduled {
            Saving::default()
        } else {
            Saving::at_most(value, input.time(survey.recorded(survey.known)).0, unit.clone(), model)
                .of(phrase("{share} of the recording"))
        };
        Looked::Found(vec![Finding {
            severity: if survey.is_scheduled { Severity::Note } else { Severity::Warning },
            sentence: sentence.with("time", with_unit(value, &unit)).with("share", percent(idle)),
            line: line
                .with("n", thousands(survey.n_gaps))
                .with("one", one.clone())
                .with_message("apart", survey.said_of_apart(|time| input.duration(time))),
            value,
            unit: unit.clone(),
            saving,
            evidence: Evidence {
                shown: message("the longest, {one}").with("one", one),
                figure: Some(around(input, *longest, &beside(input, survey, *longest))),
                numbers: vec![
                    Number::new(phrase("Gaps"), survey.n_gaps as f64, Unit::None),
                    Number::new(phrase("Sum"), value, unit.clone()).note(percent(idle)),
                    Number::new(phrase("Longest"), input.time(longest.dur()).0, unit),
                ],
                how: how_gaps(survey),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(*longest).range(*longest).address(),
                ..Evidence::default()
            },
            ..GAPS.finding()
        }])
    },
};

/// How gaps are found.
fn how_gaps(survey: &Survey) -> Message {
    let how = if survey.is_scheduled {
        message(
            "A gap counts while no slice of work lasts on any track, no processor runs a thread or an interrupt and no thread runs, within the time in which scheduling was recorded.",
        )
    } else {
        message(
            "A gap runs from the end of the last slice on any track to the next start on any of them, between the first and the last slice of the trace.",
        )
    };
    match survey.hidden {
        0 => how,
        _ => message("{how} While a slice without an end lasts, nothing counts as a gap.")
            .with_message("how", how),
    }
}

/// What is said where slices without an end count nowhere.
fn left_out(said: Message, n: u64) -> Message {
    match n {
        0 => said,
        n => message("{said}; {n} unfinished slices are left out")
            .with_message("said", said)
            .with("n", thousands(n)),
    }
}

/// Tracks for the picture of a gap: those with the slices that end and begin where it does, then the busiest.
fn beside(input: &RuleInput, survey: &Survey, gap: Span) -> Vec<TrackId> {
    let (trace, timeline) = (input.trace, &input.derived.timeline);
    let touches = |id: TrackId| {
        let (slices, shift) = (&trace.tracks.get(id).slices, timeline.shift_of(id));
        let Some(lane) = timeline.track(id).lane(0) else { return false };
        let (start, end) = (gap.start.saturating_sub(shift), gap.end.saturating_sub(shift));
        let behind = lane.rows.partition_point(|row| slices.span(row as usize).end <= start);
        let span = |at: usize| lane.rows.get(at).map(|row| slices.span(row as usize));
        behind.checked_sub(1).and_then(span).is_some_and(|before| before.end == start)
            || span(behind).is_some_and(|after| after.start == end)
    };
    let all = || survey.tracks.iter().map(|(track, _)| *track);
    let mut tracks: Vec<TrackId> = all().filter(|id| touches(*id)).take(4).collect();
    let others: Vec<TrackId> = all().filter(|id| !tracks.contains(id)).take(4 - tracks.len()).collect();
    tracks.extend(others);
    tracks
}

/// The first slice that begins where a gap ends, and its track: work, or what may be. `None` where nothing does, as at the
/// end of the recording.
fn behind(input: &RuleInput, gap: Span) -> Option<(String, String)> {
    let trace = input.trace;
    let timeline = &input.derived.timeline;
    let at = |(id, _): &(TrackId, i64)| {
        let slices = &trace.tracks.get(*id).slices;
        let time = gap.end.saturating_sub(timeline.shift_of(*id));
        let first = slices.start.partition_point(|start| *start < time);
        let mut rows = (first..slices.len()).take_while(|row| slices.start.get(*row) == Some(&time));
        let row =
            rows.find(|row| timeline.is_work(trace, *id, *row) || timeline.is_unknown(trace, *id, *row))?;
        let name = trace.strings.get(slices.name_of(row)).to_owned();
        Some((name, trace.track_path(*id).trim_end().to_owned()))
    };
    let tracks = input.survey.map_or(&[][..], |survey| &survey.tracks);
    tracks.iter().find_map(at)
}

/// Most bars of a picture.
const BARS: usize = 400;

/// An excerpt of lanes: what lies around a stretch of time on some tracks, outermost slices only. The slice on the first
/// of them that is that stretch is outlined, if there is one.
pub fn around(input: &RuleInput, span: Span, tracks: &[TrackId]) -> Figure {
    let edge = (span.dur() / 2).max(1);
    let shown = Span { start: span.start.saturating_sub(edge), end: span.end.saturating_add(edge) };
    let mut figure = excerpt(input, shown, tracks);
    if let Body::Gantt(gantt) = &mut figure.body {
        let scale = input.trace.clock.nanos().unwrap_or(1.0);
        let place = |time: Ticks| time.saturating_sub(shown.start) as f64 * scale;
        let own = (0, place(span.start), place(span.end));
        let at = gantt.bars.iter().position(|bar| (bar.lane, bar.start, bar.end) == own);
        gantt.outlined = at.and_then(|at| at.try_into().ok());
    }
    figure
}

/// What a lane of a track is called: where there are several devices as sentences call them, otherwise by its path.
fn lane_name(input: &RuleInput, id: TrackId) -> String {
    let trace = input.trace;
    let several = input.device.filter(|device| 1 < device.ranks.len());
    let named = several.and_then(|device| {
        if let Some(at) = device.streams.iter().position(|stream| stream.track == id) {
            return Some(device.stream_name(trace, at as u32));
        }
        // A host has the name of its rank; what stands behind that is one of its devices.
        let mut ranks = device.ranks.iter().filter(|rank| rank.hosts.contains(&id));
        let (rank, _) = ranks.next()?.name.split_once(" / ")?;
        let track = trace.tracks.find(id)?;
        Some(format!("{rank} / {}", trace.strings.get(track.name).trim()))
    });
    named.unwrap_or_else(|| trace.track_path(id))
}

/// Letters that the name of a lane has room for.
const LANE: usize = 36;

/// What lies in a stretch of time on some tracks, outermost slices only.
pub fn excerpt(input: &RuleInput, shown: Span, tracks: &[TrackId]) -> Figure {
    let tracks: Vec<(TrackId, Ticks)> = tracks.iter().map(|id| (*id, 0)).collect();
    excerpt_by(input, shown, &tracks)
}

/// The same with each track later by so much.
pub fn excerpt_by(input: &RuleInput, shown: Span, tracks: &[(TrackId, Ticks)]) -> Figure {
    let (trace, timeline) = (input.trace, &input.derived.timeline);
    let scale = trace.clock.nanos().unwrap_or(1.0);
    let place = |time: i64| time.saturating_sub(shown.start) as f64 * scale;
    let (mut lanes, mut bars) = (Vec::new(), Vec::new());
    for (id, by) in tracks {
        let (slices, shift) = (&trace.tracks.get(*id).slices, timeline.shift_of(*id).saturating_add(*by));
        let Some(lane) = timeline.track(*id).lane(0) else { continue };
        let (start, end) = (shown.start.saturating_sub(shift), shown.end.saturating_sub(shift));
        let from = lane.rows.partition_point(|row| slices.span(row as usize).end <= start);
        let rows = (from..lane.rows.len()).filter_map(|at| lane.rows.get(at));
        let own = rows.take_while(|row| slices.span(*row as usize).start < end).take(BARS);
        bars.extend(own.map(|row| {
            let span = slices.span(row as usize).shifted(shift).intersect(shown);
            GanttBar {
                lane: lanes.len() as u32,
                start: place(span.start),
                end: place(span.end),
                name: trace.strings.get(slices.name_of(row as usize)).to_owned(),
                value: None,
            }
        }));
        lanes.push(GanttLane { group: String::new(), name: lane_name(input, *id) });
    }
    // Where names are cut, what tells them apart has to be seen.
    let names: Vec<String> = lanes.iter().map(|lane| lane.name.clone()).collect();
    if 1 < names.len() && names.iter().any(|name| LANE < name.chars().count()) {
        lanes.iter_mut().zip(parted(&names)).for_each(|(lane, name)| lane.name = name);
    }
    let unit = if trace.clock.nanos().is_some() { Unit::Nanos } else { Unit::Cycles };
    let x = AxisLabel { name: String::new(), unit, scale: ScaleKind::Linear };
    Figure::new("", Body::Gantt(Gantt { x, lanes, bars, ..Gantt::default() }))
}

/// Findings of one rule that are told.
pub const MOST: usize = 3;

/// The timeline around a slice, which is chosen.
pub fn at_slice(input: &RuleInput, slice: SliceId) -> String {
    Place::view("timeline").around(span_of(input, slice)).slice(input.trace, slice).address()
}

/// When a slice lasts, as it is shown.
pub fn span_of(input: &RuleInput, slice: SliceId) -> Span {
    let span = input.trace.event(slice).map_or(Span::default(), |event| event.span);
    span.shifted(input.derived.timeline.shift_of(slice.track))
}

// The figures: length, tracks, busiest, longest gap, most frequent name.

/// What any trace with slices is.
#[allow(clippy::too_many_lines)] // most of it is texts and tables
pub fn summary(input: &RuleInput) -> Option<Summary> {
    let survey = input.survey.filter(|survey| 0 < survey.n_slices)?;
    let trace = input.trace;
    let dur = survey.recorded(survey.span);
    let whole = dur as f64;
    let known = survey.recorded(survey.known);
    let busy = share(survey.busy as f64, known as f64);
    let tracks = shares(input, survey);
    let busiest = tracks.first();
    // A name that is only a number, such as that of a frame, says nothing.
    let has_letters = |name: &str| name.chars().any(char::is_alphabetic);
    let frequent = survey.names.iter().max_by_key(|sum| (has_letters(trace.strings.get(sum.name)), sum.n));
    let tile = |label: &'static str, value: Message, comparison: Message, bar: Vec<(f64, Color)>| Tile {
        label: label.into(),
        value,
        comparison,
        bar,
        ..Tile::default()
    };
    let plain = |part: f64| vec![(share(part, whole), Color::Plain)];
    let gap = survey.gaps.first();
    let mut tiles = vec![
        Tile {
            amount: Some(input.time(dur)),
            ..tile(
                phrase("Length"),
                input.brief(dur).into(),
                left_out(
                    match survey.apart {
                        Some(apart) if survey.known == survey.span => {
                            message("without {time} that have no event; active {share} of it")
                                .with("share", percent(busy))
                                .with("time", input.brief(apart.dur()))
                        }
                        None if survey.known == survey.span => {
                            message("active {share} of the time").with("share", percent(busy))
                        }
                        _ => message("{share} with anything going on, of {time} with scheduling")
                            .with("share", percent(busy))
                            .with("time", input.brief(known)),
                    },
                    survey.n_unfinished,
                ),
                vec![(busy, Color::Compute)],
            )
        },
        Tile {
            amount: Some((survey.n_tracks as f64, Unit::None)),
            ..tile(
                phrase("Tracks"),
                thousands(survey.n_tracks).into(),
                message("{n} slices").with("n", thousands(survey.n_slices)),
                Vec::new(),
            )
        },
    ];
    tiles.extend(busiest.map(|(id, _, recorded, part)| {
        let path = trace.track_path(*id);
        Tile {
            address: Place::view("timeline").tracks(trace, &[*id]).range(*recorded).address(),
            amount: Some((*part, Unit::Share)),
            ..tile(
                phrase("Busiest track"),
                percent(*part).into(),
                if *recorded == survey.span {
                    path.into()
                } else {
                    message("of {time}: {track}")
                        .with("time", input.brief(survey.recorded(*recorded)))
                        .with("track", path.trim_end())
                },
                vec![(*part, Color::Compute)],
            )
        }
    }));
    tiles.push(match gap {
        Some(gap) => Tile {
            address: Place::view("timeline").around(*gap).range(*gap).address(),
            amount: Some(input.time(gap.dur())),
            ..tile(
                phrase("Longest gap"),
                input.brief(gap.dur()).into(),
                message("{n} gaps, {time}")
                    .with("n", thousands(survey.n_gaps))
                    .with("time", input.brief(survey.idle)),
                plain(gap.dur() as f64),
            )
        },
        None => tile(phrase("Longest gap"), message("none"), message("no gaps"), Vec::new()),
    });
    tiles.extend(frequent.map(|sum| Tile {
        amount: Some((sum.n as f64, Unit::None)),
        ..tile(
            phrase("Most frequent"),
            thousands(sum.n).into(),
            trace.strings.get(sum.name).to_owned().into(),
            Vec::new(),
        )
    }));
    Some(Summary { tiles, parts: parts(input, survey, &tracks) })
}

/// Rows of a part.
const ROWS: usize = 7;

/// A track, how long it is busy, when it was recorded, and the share of that.
type Share = (TrackId, Ticks, Span, f64);

/// Tracks by the share of the time in which each was recorded, the busiest first.
fn shares(input: &RuleInput, survey: &Survey) -> Vec<Share> {
    let of = |(id, busy): &(TrackId, Ticks)| {
        let recorded = input.derived.timeline.recorded(input.trace, *id, survey.span);
        (*id, *busy, recorded, share(*busy as f64, survey.recorded(recorded) as f64))
    };
    let mut all: Vec<Share> = survey.tracks.iter().map(of).collect();
    order::sort_by(&mut all, |a, b| b.3.total_cmp(&a.3));
    all
}

fn parts(input: &RuleInput, survey: &Survey, tracks: &[Share]) -> Vec<Part> {
    let trace = input.trace;
    let tracks = tracks.iter().take(ROWS).map(|(id, busy, recorded, part)| PartRow {
        name: trace.track_path(*id).into(),
        bar: vec![(*part, Color::Compute)],
        cells: vec![input.duration(*busy), percent(*part)],
        amount: Some(input.time(*busy)),
        address: Place::view("timeline").tracks(trace, &[*id]).range(*recorded).address(),
        ..PartRow::default()
    });
    let names = survey.names.iter().take(ROWS).map(|sum| PartRow {
        name: trace.strings.get(sum.name).to_owned().into(),
        cells: vec![
            thousands(sum.n),
            input.duration(i64::try_from(sum.total).unwrap_or(i64::MAX)),
            input.duration(sum.median.round() as i64),
        ],
        amount: Some(input.time(sum.total)),
        address: at_slice(input, sum.longest.0),
        ..PartRow::default()
    });
    vec![
        Part {
            title: message("Busiest tracks"),
            note: left_out(
                if survey.is_scheduled {
                    message(
                        "time with anything on them, of threads with states the time they ran; shares of the time in which each was recorded",
                    )
                } else {
                    message("time with any activity")
                },
                survey.n_unfinished,
            ),
            rows: tracks.collect(),
            more: survey.tracks.len().saturating_sub(ROWS) as u64,
            list: Place::view("statistics").state("by", "track").address(),
            ..Part::default()
        },
        Part {
            title: message("Names with the most time"),
            note: left_out(message("durations of all slices, including nested ones"), survey.n_unfinished),
            columns: [phrase("Count"), phrase("Total"), phrase("Median")].map(str::to_owned).to_vec(),
            rows: names.collect(),
            measure: 1,
            more: survey.n_names.saturating_sub(ROWS as u64),
            list: Place::view("statistics").state("by", "name").address(),
            ..Part::default()
        },
    ]
}
