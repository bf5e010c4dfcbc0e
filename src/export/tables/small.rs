//! The tables that are short, or written straight from the rows of the trace.

use super::file::Owner;
use super::{Keys, Rows, Source, Value, number, scaled};
use crate::analysis::finding::{SavingKind, Severity, plain};
use crate::base::fault::{Fault, Kind};
use crate::base::words::Language;
use crate::export::findings::scaled as in_unit;
use crate::model::clock::SAME;
use crate::model::figure::{Body, Cell};
use crate::model::id::SliceId;
use crate::model::track::{Role, TrackKind};
use std::io::Result;

/// What the program knows of what it opened.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    pub keys: Keys,
    /// The file or folder, as it was named.
    pub name: String,
    pub bytes: u64,
    /// Tables that are written of it in the same format: those of before, and those that are wanted now.
    pub tables: Vec<String>,
}

/// Most facts that are kept of how something was recorded.
const OPTIONS: usize = 200;

/// Figures of facts that count what is in the files.
const COUNTS: [&str; 2] = ["trace-events", "dataset-rows"];

pub(super) fn traces(of: &Source, opened: &Opened, rows: &mut Rows) -> Result<()> {
    let (input, trace) = (of.input, of.input.trace);
    let formats: Vec<&str> = input.formats.iter().map(|format| format.id).collect();
    let writers: Vec<&str> = input.formats.iter().map(|format| format.written_by).collect();
    let mut options = serde_json::Map::new();
    // How many events of each kind there are is no option of the recording.
    let is_count = |id: &str| COUNTS.iter().any(|count| id.starts_with(count));
    let stated = trace.figures.iter().filter(|family| !is_count(&family.id));
    let facts = stated.flat_map(|family| &family.variants).filter_map(|figure| match &figure.body {
        Body::Facts(facts) => Some(&facts.facts),
        _ => None,
    });
    for fact in facts.flatten().take(OPTIONS) {
        let value = match &fact.value {
            Cell::Number(number) => serde_json::Value::from(*number),
            Cell::Integer(number) => (*number).into(),
            Cell::Text(text) => text.as_str().into(),
            Cell::Missing => continue,
        };
        options.insert(fact.name.clone(), value);
    }
    let version = options.iter().find(|(name, _)| name.to_lowercase().ends_with("version"));
    let version = version.map(|(_, value)| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let options =
        if options.is_empty() { String::new() } else { serde_json::Value::Object(options).to_string() };
    let losses = [crate::base::fault::Severity::Loss, crate::base::fault::Severity::Fatal];
    let losses: u64 = losses.iter().map(|severity| input.faults.count(*severity)).sum();
    let time = |ticks| scaled(ticks, trace.clock);
    rows.push(
        of.all(),
        &[
            opened.name.as_str().into(),
            opened.bytes.into(),
            formats.join(",").as_str().into(),
            writers.join("; ").as_str().into(),
            version.as_deref().into(),
            trace.title.as_str().into(),
            trace.span.map(|span| time(span.start)).into(),
            trace.span.map(|span| time(span.end)).into(),
            trace.n_slices().into(),
            trace.n_instants().into(),
            trace.n_samples().into(),
            (trace.flows.len() as u64).into(),
            (trace.accesses.len() as u64).into(),
            losses.into(),
            options.as_str().into(),
            env!("CARGO_PKG_VERSION").into(),
        ],
    )
}

pub(super) fn tracks(of: &Source, rows: &mut Rows) -> Result<()> {
    let trace = of.input.trace;
    for (id, track) in trace.tracks.iter().filter(|(_, track)| !track.is_derived) {
        let kind = match track.kind {
            TrackKind::Group => "group",
            TrackKind::Slices => "slices",
            TrackKind::Counter => "counter",
        };
        let role = match track.role {
            Role::Scopes => "scopes",
            Role::States => "states",
            Role::Processor => "processor",
            Role::Interrupts => "interrupts",
        };
        let unit = match track.kind {
            TrackKind::Group => "",
            TrackKind::Slices => unit_of(trace.clock_of(id).unit),
            TrackKind::Counter => track.series.first().map_or("", |series| series.unit.symbol()),
        };
        rows.push(
            of.owner(id),
            &[
                i64::from(id.0).into(),
                track.parent.map(|parent| i64::from(parent.0)).into(),
                kind.into(),
                role.into(),
                trace.strings.get(track.name).into(),
                trace.track_path(id).as_str().into(),
                unit.into(),
                (track.clock.index() as u64).into(),
            ],
        )?;
    }
    Ok(())
}

/// What times in the tables are in.
fn unit_of(clock: crate::base::time::Clock) -> &'static str {
    if clock.nanos().is_some() { "ns" } else { clock.symbol() }
}

pub(super) fn counters(of: &Source, rows: &mut Rows) -> Result<()> {
    let trace = of.input.trace;
    for (id, track) in trace.tracks.iter().filter(|(_, track)| !track.is_derived) {
        let (clock, owner) = (trace.clock_of(id), of.owner(id));
        for series in &track.series {
            for (time, value) in series.time.iter().zip(&series.value) {
                rows.push(
                    owner,
                    &[
                        i64::from(id.0).into(),
                        trace.strings.get(series.name).into(),
                        scaled(clock.tick(*time), clock.unit).into(),
                        (*value).into(),
                        series.unit.symbol().into(),
                    ],
                )?;
            }
        }
    }
    Ok(())
}

pub(super) fn flows(of: &Source, rows: &mut Rows) -> Result<()> {
    let (trace, timeline) = (of.input.trace, &of.input.derived.timeline);
    for id in trace.flows.ids() {
        let Some(flow) = trace.flows.flow(id) else { continue };
        let ends = timeline.flows().ends(trace, id);
        let [from, to] = ends.map(|end: Option<SliceId>| end.map(number));
        let shown = |end: crate::model::FlowEnd| end.time.saturating_add(timeline.shift_of(end.track));
        let latency = shown(flow.to).saturating_sub(shown(flow.from));
        rows.push(
            of.owner(flow.from.track),
            &[
                from.into(),
                to.into(),
                trace.strings.get(flow.name).into(),
                trace.strings.get(flow.category).into(),
                trace.strings.get(flow.id).into(),
                scaled(latency, trace.clock).into(),
            ],
        )?;
    }
    Ok(())
}

pub(super) fn clocks(of: &Source, rows: &mut Rows) -> Result<()> {
    let trace = of.input.trace;
    let one = [trace.axis_clock()];
    let all = if trace.clocks.is_empty() { &one[..] } else { trace.clocks.rows() };
    for (at, clock) in (0_u64..).zip(all) {
        let relation = match clock.relation {
            Some(relation) if relation == SAME => "same",
            Some(_) => "related",
            None => "none",
        };
        let hz = match clock.unit {
            crate::base::time::Clock::Nanos => Some(1e9),
            crate::base::time::Clock::Cycles { hz } => hz,
            crate::base::time::Clock::Steps => None,
        };
        rows.push(
            of.all(),
            &[
                at.into(),
                trace.strings.get(clock.name).into(),
                clock.unit.symbol().into(),
                Value::from(hz),
                relation.into(),
                clock.relation.map(|relation| relation.first).into(),
                clock.relation.map(|relation| relation.at).into(),
                clock.relation.map(|relation| relation.rate.0 as f64 / relation.rate.1 as f64).into(),
            ],
        )?;
    }
    Ok(())
}

pub(super) fn findings(of: &Source, rows: &mut Rows) -> Result<()> {
    let said = |message: &crate::base::words::Message| plain(&message.text(Language::En));
    for finding in of.input.overview.iter().flat_map(|overview| &overview.findings) {
        let saving = &finding.saving;
        let kind = match saving.kind {
            SavingKind::None => "none",
            SavingKind::Bound => "bound",
            SavingKind::Estimate => "estimate",
        };
        let amount = (saving.kind != SavingKind::None).then_some(in_unit(saving.value, &saving.unit));
        let share = (saving.kind != SavingKind::None).then_some(saving.share);
        rows.push(
            of.all(),
            &[
                finding.rule.as_str().into(),
                i64::from(finding.version).into(),
                finding.subject.as_str().into(),
                if finding.severity == Severity::Warning { "warning" } else { "note" }.into(),
                in_unit(finding.value, &finding.unit).into(),
                finding.unit.symbol().into(),
                kind.into(),
                Value::from(amount),
                saving.unit.symbol().into(),
                Value::from(share),
                said(&finding.sentence).as_str().into(),
                said(&finding.line).as_str().into(),
                finding.evidence.address.as_str().into(),
            ],
        )?;
    }
    Ok(())
}

pub(super) fn faults(all: &[Fault], owner: Owner, rows: &mut Rows) -> Result<()> {
    for fault in all {
        let (expected, found) = match &fault.kind {
            Kind::Truncated { needed, left } => (format!("{needed} bytes"), format!("{left} bytes")),
            Kind::Unexpected { expected, found } => {
                (expected.to_string(), found.text(Language::En).into_owned())
            }
            Kind::OutOfRange { value, min, max, .. } => (format!("{min} to {max}"), value.clone()),
            Kind::Contradiction { a, b } => {
                (a.text(Language::En).into_owned(), b.text(Language::En).into_owned())
            }
            Kind::Limit { asked, allowed, .. } => (format!("at most {allowed}"), asked.to_string()),
            _ => (String::new(), String::new()),
        };
        rows.push(
            owner,
            &[
                (&*fault.code).into(),
                fault.severity.name().into(),
                fault.place.entry.as_str().into(),
                fault.place.byte.into(),
                fault.place.line.map(|(line, _)| i64::from(line)).into(),
                (&*fault.place.block.text(Language::En)).into(),
                expected.as_str().into(),
                found.as_str().into(),
                fault.to_string().as_str().into(),
                fault.repeats.into(),
            ],
        )?;
    }
    Ok(())
}
