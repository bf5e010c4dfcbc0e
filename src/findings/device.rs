//! Rules and figures of host and device: any trace with streams, whoever wrote it.
//!
//! Devices are looked at one by one, each by all of its streams together: it is idle while no stream works. Of several the
//! sentences tell the one that loses most, and say of how many that holds.

use super::place::Place;
use super::trace::{excerpt, percent};
use super::{Looked, Rule, RuleInput, Summary, Threshold};
use crate::analysis::device::idle::Reason;
use crate::analysis::device::{Class, Device, Rank};
use crate::analysis::finding::{
    Color, Evidence, Finding, Number, Part, PartRow, Saving, Severity, Tile, share,
};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order::percentile;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::id::TrackId;

/// In the order in which they are run.
pub static RULES: &[&Rule] = &[&LATE, &SHORT];

/// The devices, if some work is known.
pub fn devices<'a>(input: &RuleInput<'a>) -> Option<&'a Device> {
    input.device.filter(|device| !device.works.is_empty())
}

/// Steps of a device.
pub fn steps_of(device: &Device, rank: usize) -> Vec<Ticks> {
    let own = device.steps.iter().filter(|step| step.rank as usize == rank && step.slice.is_some());
    own.map(|step| step.wall).collect()
}

/// How much of a time of a device falls on a step: what is told where there are steps. A sentence names it.
pub fn per_step(input: &RuleInput, rank: usize, ticks: Ticks) -> Message {
    let n = input.device.map_or(0, |device| steps_of(device, rank).len());
    match n {
        0 => Message::default(),
        n => message(", {time} a step").with("time", input.duration(ticks / n as Ticks)),
    }
}

/// The streams of a device that work, the busiest first.
pub fn streams_of(device: &Device, rank: usize) -> Vec<TrackId> {
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank && 0 < stream.idle.busy);
    let mut own: Vec<_> = own.collect();
    own.sort_by_key(|stream| std::cmp::Reverse(stream.idle.busy));
    own.iter().map(|stream| stream.track).collect()
}

/// What a device is called in a sentence: nothing where there is only one.
pub fn name_of(device: &Device, rank: &Rank) -> Message {
    match device.ranks.len() {
        0 | 1 => message("The device"),
        _ => rank.name.clone().into(),
    }
}

/// The device that has most of something: its place, itself, how much.
pub fn most<'a>(device: &'a Device, of: impl Fn(&Rank) -> Ticks) -> Option<(usize, &'a Rank, Ticks)> {
    let all = device.ranks.iter().enumerate().map(|(at, rank)| (at, rank, of(rank)));
    // The first of several.
    all.rev().max_by_key(|(.., ticks)| *ticks)
}

/// Time of a device in which the host has not launched yet what comes next.
fn late(rank: &Rank) -> Ticks {
    rank.idle.reasons[Reason::Late as usize] + rank.idle.reasons[Reason::InCall as usize]
}

/// The number of ranks for which a share holds, said behind a sentence about one of several.
pub fn of_how_many(device: &Device, holds: impl Fn(&Rank) -> bool) -> Message {
    match device.ranks.len() {
        0 | 1 => Message::default(),
        n => message(" So it is on {k} of {n} devices.")
            .with("k", device.ranks.iter().filter(|rank| holds(rank)).count())
            .with("n", n),
    }
}

// Launched late.

static LATE: Rule = Rule {
    id: "device-launched-late",
    version: 1,
    title: phrase("Launched late"),
    thresholds: &[Threshold {
        name: phrase("share of the recorded time of a device"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth a change of the program"),
    }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.has_launches() {
            return Looked::Missing(message(
                "nothing says which call launched which kernel: record CPU activities too, with the flows between both",
            ));
        }
        let part = |rank: &Rank| share(late(rank) as f64, rank.span.dur() as f64);
        let holds = |rank: &Rank| LATE.limit(0) <= part(rank);
        let Some((at, rank, ticks)) = most(device, late) else { return Looked::NotHere };
        if !holds(rank) {
            let said = message("devices wait for launches in at most {share} of the time");
            return Looked::Nothing(said.with("share", percent(part(rank))));
        }
        let (value, unit) = input.time(ticks);
        let gaps = &rank.gaps[Reason::Late as usize];
        let longest = gaps.longest.0;
        let calls = calls(input, device, at);
        let short = &calls.short;
        let line = match calls.median {
            Some(median) if 0 < *short => message("{n} of {all} kernels are shorter than the {call} that a launch call takes (median). Capture the step as a graph, or fuse small kernels.")
                .with("n", thousands(*short))
                .with("all", thousands(calls.kernels))
                .with("call", input.duration(median)),
            _ => message("The host does other work between launches: look at what it does in the gaps."),
        };
        let mut numbers = vec![
            Number::new(phrase("Gaps with a late launch"), gaps.n as f64, Unit::None),
            Number::new(phrase("Sum of these"), value, unit.clone()).note(percent(part(rank))),
            Number::new(phrase("Longest"), input.time(gaps.longest.1).0, unit.clone()),
        ];
        if let Some(median) = calls.median {
            numbers.push(Number::new(phrase("Launch call, median"), input.time(median).0, unit.clone()));
            let of_all = percent(share(*short as f64, calls.kernels as f64));
            numbers.push(
                Number::new(phrase("Kernels shorter than that"), *short as f64, Unit::None).note(of_all),
            );
        }
        let sentence =
            message("{device} waits ⟦{time}{step}⟧ for the host to launch what comes next.{others}");
        Looked::Found(vec![Finding {
            subject: String::new(),
            severity: Severity::Warning,
            sentence: sentence
                .with_message("device", name_of(device, rank))
                .with("time", with_unit(value, &unit))
                .with_message("step", per_step(input, at, ticks))
                .with_message("others", of_how_many(device, holds)),
            line,
            value,
            unit: unit.clone(),
            saving: Saving::at_most(
                value,
                input.time(rank.span.dur()).0,
                unit,
                message("If all these gaps vanished and nothing else became longer."),
            ),
            evidence: Evidence {
                shown: message("the longest gap, {one}").with("one", input.duration(longest.dur())),
                figure: Some(picture(input, device, at, longest)),
                numbers,
                how: message(
                    "A gap is time in which no stream of the device works. It counts from its begin, or from the end of loading data, until the launch call of what comes next has returned. Gaps in which the host synchronizes do not count.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(longest).range(longest).address(),
                list: Place::view("statistics").state("by", "launches").address(),
                ..Evidence::default()
            },
            ..LATE.finding()
        }])
    },
};

/// The gap on the busiest streams and the thread that launches what comes next.
fn picture(input: &RuleInput, device: &Device, rank: usize, gap: Span) -> crate::model::figure::Figure {
    let mut tracks: Vec<TrackId> = next_launch(device, rank, gap).into_iter().collect();
    tracks.extend(streams_of(device, rank).into_iter().take(3));
    let edge = (gap.dur() / 2).max(1);
    let shown = Span { start: gap.start.saturating_sub(edge), end: gap.end.saturating_add(edge) };
    excerpt(input, shown, &tracks)
}

/// The thread that launched the first work behind a gap.
fn next_launch(device: &Device, rank: usize, gap: Span) -> Option<TrackId> {
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let next = own.filter_map(|stream| {
        let works = device.works.get(stream.works.clone())?;
        works.get(works.partition_point(|work| work.span.start < gap.end))
    });
    next.min_by_key(|work| work.span.start)?.launch.map(|launch| launch.track)
}

/// Launch calls of a device.
struct Calls {
    /// Median length of calls; `None` where launches are no calls.
    median: Option<Ticks>,
    /// Kernels whose launch is such a call.
    kernels: u64,
    /// How many of them are shorter than the median call.
    short: u64,
    /// What those take in all, and what their calls do.
    sums: [Ticks; 2],
}

fn calls(input: &RuleInput, device: &Device, rank: usize) -> Calls {
    let trace = input.trace;
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let works = own.flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    let kernels = works.filter(|work| matches!(work.class, Class::Compute | Class::Communication));
    let length = |launch: crate::analysis::device::Launch| {
        let dur = &trace.tracks.find(launch.track)?.slices.dur;
        dur.get(launch.row? as usize).copied()
    };
    let mut pairs: Vec<(Ticks, Ticks)> =
        kernels.filter_map(|work| Some((length(work.launch?)?, work.span.dur()))).collect();
    pairs.sort_unstable();
    let lengths: Vec<Ticks> = pairs.iter().map(|pair| pair.0).collect();
    let median = (!lengths.is_empty()).then(|| percentile(&lengths, 50).round() as Ticks);
    let short = pairs.iter().filter(|pair| median.is_some_and(|median| pair.1 < median));
    let sums = short.clone().fold([0; 2], |sums, pair| [sums[0] + pair.1, sums[1] + pair.0]);
    Calls { median, kernels: pairs.len() as u64, short: short.count() as u64, sums }
}

// Kernels shorter than their launch.

static SHORT: Rule = Rule {
    id: "device-short-kernels",
    version: 1,
    title: phrase("Kernels shorter than their launch"),
    thresholds: &[Threshold {
        name: phrase("share of the kernels"),
        value: 0.5,
        unit: Unit::Share,
        source: phrase("our own choice: then a host that only launches cannot keep up"),
    }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let of = (0..device.ranks.len()).map(|rank| (rank, calls(input, device, rank)));
        let all = of.filter_map(|(rank, calls)| Some((rank, calls.median?, calls)));
        let Some((rank, median, calls)) = all.max_by_key(|(.., calls)| calls.short) else {
            return Looked::Missing(message(
                "nothing says how long launch calls take: record CPU activities too (runtime calls)",
            ));
        };
        let part = share(calls.short as f64, calls.kernels as f64);
        if part < SHORT.limit(0) {
            let said = message("{share} of the kernels are shorter than the median launch call of {call}");
            return Looked::Nothing(said.with("share", percent(part)).with("call", input.duration(median)));
        }
        let (call, unit) = input.time(median);
        let sentence =
            message("⟦{n} of {all}⟧ kernels are shorter than a launch call, which takes {call} (median).");
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: sentence
                .with("n", thousands(calls.short))
                .with("all", thousands(calls.kernels))
                .with("call", with_unit(call, &unit)),
            line: message(
                "They take {kernels}, their launches {calls}. A graph or fused kernels need fewer launches.",
            )
            .with("kernels", input.duration(calls.sums[0]))
            .with("calls", input.duration(calls.sums[1])),
            value: calls.short as f64,
            unit: Unit::None,
            evidence: Evidence {
                shown: message("{share} of all kernels").with("share", percent(part)),
                figure: Some(lengths(input, device, rank)),
                numbers: vec![
                    Number::new(phrase("Kernels with a launch call"), calls.kernels as f64, Unit::None),
                    Number::new(phrase("Shorter than the median call"), calls.short as f64, Unit::None)
                        .note(percent(part)),
                    Number::new(phrase("Launch call, median"), call, unit.clone()),
                    Number::new(phrase("Their kernels"), input.time(calls.sums[0]).0, unit.clone()),
                    Number::new(phrase("Their calls"), input.time(calls.sums[1]).0, unit),
                ],
                how: message(
                    "Each kernel is held against the median length of the calls that launch kernels of its device. What time that costs is said by the gaps with a late launch.",
                ),
                view: "statistics".to_owned(),
                address: Place::view("statistics").state("by", "kernels").address(),
                ..Evidence::default()
            },
            ..SHORT.finding()
        }])
    },
};

/// Lengths of kernels as a histogram over powers of two, the median call marked.
fn lengths(input: &RuleInput, device: &Device, rank: usize) -> crate::model::figure::Figure {
    use crate::model::figure::{AxisLabel, Body, Figure, Histogram, HistogramSeries, Mark, ScaleKind};
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let works = own.flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    let kernels = works.filter(|work| matches!(work.class, Class::Compute | Class::Communication));
    let lengths: Vec<f64> = kernels.map(|work| input.time(work.span.dur()).0.max(1.0)).collect();
    let bin = |value: f64| value.log2().floor().clamp(0.0, 62.0) as usize;
    let (least, most) =
        lengths.iter().fold((62, 0), |(least, most), v| (bin(*v).min(least), bin(*v).max(most)));
    let mut counts = vec![0.0; most.saturating_sub(least) + 1];
    for length in &lengths {
        if let Some(count) = counts.get_mut(bin(*length).saturating_sub(least)) {
            *count += 1.0;
        }
    }
    let edges = (least..=most + 1).map(|power| (power as f64).exp2()).collect();
    let marks = calls(input, device, rank)
        .median
        .map(|median| Mark { name: phrase("Launch call, median").to_owned(), value: input.time(median).0 });
    Figure::new(
        "",
        Body::Histogram(Histogram {
            x: AxisLabel {
                name: phrase("Kernel length").to_owned(),
                unit: input.time(0).1,
                scale: ScaleKind::Log,
                ..AxisLabel::default()
            },
            count_unit: Unit::Count(phrase("kernels").to_owned()),
            edges,
            series: vec![HistogramSeries { name: String::new(), counts, values: Vec::new() }],
            marks: marks.into_iter().collect(),
            ..Histogram::default()
        }),
    )
}

// The figures of a trace with devices.

/// How a device spends its time.
struct Spent {
    whole: Ticks,
    compute: Ticks,
    communication: Ticks,
    copies: Ticks,
    late: Ticks,
    idle: Ticks,
}

/// The time of a device by what goes on: parts that do not overlap.
fn spent(device: &Device, at: usize) -> Spent {
    let Some(rank) = device.ranks.get(at) else {
        return Spent { whole: 0, compute: 0, communication: 0, copies: 0, late: 0, idle: 0 };
    };
    let [compute, _, exposed] = rank.sums;
    let idle = rank.idle.idle();
    let copies = (rank.idle.busy - compute - exposed).max(0);
    let late = late(rank);
    Spent {
        whole: rank.idle.time(),
        compute,
        communication: exposed,
        copies,
        late,
        idle: (idle - late).max(0),
    }
}

/// What a trace with devices is.
pub fn summary(input: &RuleInput) -> Option<Summary> {
    let device = devices(input)?;
    // The busiest device stands for all; the first of several.
    let (at, rank, _) = most(device, |rank| rank.idle.busy)?;
    let of = spent(device, at);
    let whole = of.whole as f64;
    let part = |ticks: Ticks| share(ticks as f64, whole);
    let mut walls = steps_of(device, at);
    walls.sort_unstable();
    let several = match device.ranks.len() {
        0 | 1 => Message::default(),
        _ => message(", {name}").with("name", &rank.name),
    };
    let classes = vec![
        (part(of.compute), Color::Compute),
        (part(of.communication), Color::Communication),
        (part(of.copies), Color::Copy),
        (part(of.late), Color::Wait),
    ];
    let first = match walls.len() {
        0 => Tile {
            label: message("Recorded"),
            value: input.duration(of.whole).into(),
            comparison: message("{n} kernels and copies{of}")
                .with("n", thousands(device.works.len() as u64))
                .with_message("of", several),
            bar: classes,
            ..Tile::default()
        },
        n => {
            let [low, median, high] = [5, 50, 95].map(|at| percentile(&walls, at));
            let spread = (high - low) / 2.0 / median.max(1.0);
            Tile {
                label: message("Step time"),
                value: input.duration(median.round() as Ticks).into(),
                comparison: message("median of {n}, ± {spread}{of}")
                    .with("n", n)
                    .with("spread", percent(spread))
                    .with_message("of", several),
                bar: classes,
                address: Place::view("statistics").state("by", "kernels").address(),
            }
        }
    };
    let tile = |label: &'static str, ticks: Ticks, color: Color| Tile {
        label: label.into(),
        value: percent(part(ticks)).into(),
        comparison: message("{part} of {whole}")
            .with("part", input.duration(ticks))
            .with("whole", input.duration(of.whole)),
        bar: vec![(part(ticks), color)],
        address: Place::view("timeline").address(),
    };
    let mut tiles = vec![
        first,
        tile(phrase("Device computes"), of.compute, Color::Compute),
        tile(phrase("Communication not hidden"), of.communication, Color::Communication),
        tile(phrase("Device idle"), of.late + of.idle, Color::Idle),
    ];
    tiles.push(match device.peaks.iter().max_by_key(|peak| peak.bytes) {
        Some(peak) => Tile {
            label: message("Peak memory"),
            value: with_unit(peak.bytes as f64, &Unit::Bytes).into(),
            comparison: peak.name.clone().into(),
            ..Tile::default()
        },
        None => tile(phrase("Copies not hidden"), of.copies, Color::Copy),
    });
    Some(Summary { tiles, parts: parts(input, device, at, &of) })
}

/// Rows of a part.
const ROWS: usize = 7;

fn parts(input: &RuleInput, device: &Device, at: usize, of: &Spent) -> Vec<Part> {
    let trace = input.trace;
    let whole = of.whole as f64;
    let row = |name: &'static str, ticks: Ticks, color: Color| PartRow {
        name: name.into(),
        color: Some(color),
        share: share(ticks as f64, whole),
        cells: vec![input.duration(ticks), percent(share(ticks as f64, whole))],
        ..PartRow::default()
    };
    let goes = Part {
        title: message("Where the time goes"),
        note: message("of {whole}").with("whole", input.duration(of.whole)),
        rows: vec![
            row(phrase("Computation"), of.compute, Color::Compute),
            row(phrase("Communication"), of.communication, Color::Communication),
            row(phrase("Copies"), of.copies, Color::Copy),
            row(phrase("Launched late"), of.late, Color::Wait),
            row(phrase("Other idle time"), of.idle, Color::Idle),
        ],
        ..Part::default()
    };
    let mut kernels: Vec<_> = device.kernels.iter().filter(|sum| sum.is_work()).collect();
    kernels.sort_by_key(|sum| (std::cmp::Reverse(sum.total), sum.name));
    let all: i128 = kernels.iter().map(|sum| sum.total).sum();
    let hottest = kernels.iter().take(ROWS).map(|sum| {
        let span = super::trace::span_of(input, sum.longest);
        PartRow {
            name: trace.strings.get(sum.name).to_owned().into(),
            cells: vec![
                thousands(sum.n),
                input.duration(i64::try_from(sum.total).unwrap_or(i64::MAX)),
                fixed(sum.total as f64 * 100.0 / all.max(1) as f64, 1),
            ],
            address: Place::view("timeline").around(span).slice(trace, sum.longest).address(),
            ..PartRow::default()
        }
    });
    let hottest = Part {
        title: message("Hottest kernels"),
        note: message("{n} names, all streams").with("n", thousands(kernels.len() as u64)),
        columns: [phrase("Count"), phrase("Total"), "%"].map(str::to_owned).to_vec(),
        rows: hottest.collect(),
        more: kernels.len().saturating_sub(ROWS) as u64,
    };
    let steps: Vec<_> =
        device.steps.iter().filter(|step| step.rank as usize == at && step.slice.is_some()).collect();
    let longest = steps.iter().map(|step| step.wall).max().unwrap_or(0) as f64;
    let by_step = steps.iter().take(ROWS).filter_map(|step| {
        let slice = step.slice?;
        let bar = [
            (step.compute, Color::Compute),
            (step.communication, Color::Communication),
            (step.copies, Color::Copy),
            (step.idle, Color::Idle),
        ];
        let event = trace.event(slice)?;
        Some(PartRow {
            name: trace.strings.get(event.name).to_owned().into(),
            bar: bar.map(|(ticks, color)| (share(ticks as f64, longest), color)).to_vec(),
            cells: vec![input.duration(step.wall)],
            address: Place::view("timeline").around(step.span).slice(trace, slice).address(),
            ..PartRow::default()
        })
    });
    let steps = Part {
        title: message("Steps"),
        note: message("{n} steps").with("n", steps.len()),
        rows: by_step.collect(),
        more: steps.len().saturating_sub(ROWS) as u64,
        ..Part::default()
    };
    let devices = device.ranks.iter().enumerate().take(ROWS).map(|(at, rank)| {
        let of = spent(device, at);
        let share = |ticks: Ticks| share(ticks as f64, of.whole as f64);
        PartRow {
            name: rank.name.clone().into(),
            bar: vec![
                (share(of.compute), Color::Compute),
                (share(of.communication), Color::Communication),
                (share(of.copies), Color::Copy),
                (share(of.late), Color::Wait),
                (share(of.idle), Color::Idle),
            ],
            cells: vec![percent(share(of.compute + of.communication + of.copies))],
            ..PartRow::default()
        }
    });
    let devices = Part {
        title: message("Devices"),
        note: message("time with work"),
        rows: if device.ranks.len() < 2 { Vec::new() } else { devices.collect() },
        more: device.ranks.len().saturating_sub(ROWS) as u64,
        ..Part::default()
    };
    [goes, hottest, steps, devices].into_iter().filter(|part| !part.rows.is_empty()).collect()
}
