//! Memory: calls of the driver inside of steps, and how near the most that was held is to what the device has.

use super::host::calls_of;
use super::{Scope, asked, bars, devices, mostly_in, short};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::idle::Reason;
use crate::analysis::device::{Device, Kind, Rank, Step};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{thousands, with_unit};
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{around, percent, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::Trace;
use crate::model::figure::{Body, Cell};
use crate::model::id::TrackId;

pub(super) static ALLOCATIONS: Rule = Rule {
    id: "device-memory-calls",
    version: 6,
    title: phrase("Calls that allocate or free memory"),
    thresholds: &[Threshold {
        name: phrase("share of a device's time"),
        value: 0.005,
        unit: Unit::Share,
        source: phrase(
            "our own choice: a caching allocator requests memory from the driver only in its first steps",
        ),
    }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.has_launches() {
            return Looked::Missing(message(
                "no runtime calls recorded: record CPU activities too (runtime API calls)",
            ));
        }
        let sum = |scope: &Scope| -> Ticks {
            calls_of(device, scope.rank, Kind::Allocates).iter().map(|calls| calls.total).sum()
        };
        let Some((scope, ticks)) = Scope::most(device, sum) else { return Looked::NotHere };
        let calls = calls_of(device, scope.rank, Kind::Allocates);
        let n: u64 = calls.iter().map(|calls| calls.n).sum();
        let Some(first) = calls.first().filter(|_| ALLOCATIONS.limit(0) <= scope.share(ticks)) else {
            let said = message("{n} calls allocate or free memory through the driver, {share} of the time");
            return Looked::Nothing(said.with("n", thousands(n)).with("share", percent(scope.share(ticks))));
        };
        let idle = scope.reason(Reason::Allocating);
        let (value, unit) = scope.value(input, ticks);
        let slice = first.longest.0;
        let span = span_of(input, slice);
        let counts = |ticks| ALLOCATIONS.limit(0) <= scope.share(ticks);
        let line = asked::line(input, device, scope.rank, (short(input, first.name), n), counts);
        let own = device.asked.iter().filter(|asked| asked.rank as usize == scope.rank);
        let spans: Vec<Span> = own.map(|asked| span_of(input, asked.slice)).collect();
        let in_step = |step: &Step| spans.iter().map(|span| span.intersect(step.span).dur()).sum();
        let step = scope.most_in(device, in_step);
        let sentence = match (scope.n, step) {
            (0, _) => message(
                "The host calls the driver {n} times to allocate or free memory, which takes ⟦{time}⟧{on}.",
            ),
            (all, Some(_)) => message(
                "In {all} steps the host calls the driver {n} times to allocate or free memory, which takes ⟦{time}⟧{on}.",
            )
            .with("all", all)
            .with("n", thousands(n)),
            _ if scope.is_uneven => message(
                "The host calls the driver {n} times to allocate or free memory, which takes ⟦{time}⟧{on}.",
            ),
            _ => message(
                "In a step the host calls the driver {n} times to allocate or free memory, which takes ⟦{time}⟧{on}.",
            ),
        };
        let time = match step {
            Some(step) if scope.is_uneven => mostly_in(input, scope.time(input, ticks), step),
            Some(step) => mostly_in(input, scope.said(input, ticks), step),
            None => scope.time(input, ticks).into(),
        };
        let model = message(
            "Time in which the device is idle while the thread that launches its next work, or hands it to another thread, is in these calls. It does not count as launched late.",
        );
        let bound = scope.value(input, idle).0;
        let saving = match idle {
            0 => Saving::default(),
            _ => Saving::at_most(bound, scope.all_value(input), unit.clone(), model).of(scope.whole()),
        };
        let mut numbers = vec![
            Number::new(phrase("In these calls"), value, unit.clone()).note(scope.note(ticks)),
            Number::new(phrase("Device idle meanwhile"), scope.value(input, idle).0, unit.clone())
                .note(scope.note(idle)),
        ];
        numbers.extend(calls.iter().take(4).map(|calls| {
            let n = message("{n} calls").with("n", thousands(calls.n));
            Number::new(short(input, calls.name), scope.value(input, calls.total).0, unit.clone()).note(n)
        }));
        let mut tracks = vec![slice.track];
        tracks.extend(super::streams_of(device, scope.rank).into_iter().take(3));
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence
                .with("n", scope.count(n))
                .with_message("time", time)
                .with_message("on", scope.on(device)),
            line,
            value,
            unit: unit.clone(),
            saving,
            evidence: Evidence {
                shown: message("the one with the most idle time"),
                figure: Some(around(input, span, &tracks)),
                numbers,
                how: scope.how(input, message(
                    "Runtime calls that allocate or free memory, by name; those that only enqueue this on a stream (Async) do not count. A call that frees gives memory back where reserved memory falls with it, or where the same operator asks for memory before and after it.",
                )),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(span).slice(input.trace, slice).address(),
                ..Evidence::default()
            },
            ..ALLOCATIONS.finding()
        }])
    },
};

/// Bytes that a device has, by its number, as the file says.
fn capacity(trace: &Trace, number: u64) -> Option<f64> {
    let [.., bytes_of] = Dialect::of(trace).said.capacity;
    property(trace, Some(number), bytes_of).filter(|bytes| 0.0 < *bytes)
}

/// What the file says of a device by its number, of any without one; of several files and devices only where all say the
/// same.
pub(super) fn property(trace: &Trace, number: Option<u64>, name: &str) -> Option<f64> {
    let [table, number_of, _] = Dialect::of(trace).said.capacity;
    let tables = trace.figures.iter().filter(|family| !table.is_empty() && family.id.starts_with(table));
    let value = |cell: Option<&Cell>| match cell {
        Some(Cell::Number(value)) => Some(*value),
        Some(Cell::Integer(value)) => Some(*value as f64),
        Some(Cell::Text(text)) => text.parse().ok(),
        _ => None,
    };
    let mut found = tables.flat_map(|family| &family.variants).flat_map(|figure| {
        let table = if let Body::Table(table) = &figure.body { Some(table) } else { None };
        table.into_iter().flat_map(|table| {
            let column =
                |name: &str| table.columns.iter().position(|own| own.name.eq_ignore_ascii_case(name));
            let (id, own) = (column(number_of), column(name));
            let is_meant = move |row: &&Vec<Cell>| {
                number.is_none_or(|number| value(id.and_then(|id| row.get(id))) == Some(number as f64))
            };
            let rows = table.rows.iter().filter(is_meant);
            rows.filter_map(move |row| value(row.get(own?)))
        })
    });
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// What names of tracks begin with that hold what an allocator has of a device.
pub(super) const RESERVED: &str = "Reserved memory of ";

/// What the device of a counter is called: files of several ranks each have devices of the same numbers. Its rank is that of
/// its process, otherwise the only one of its file.
fn named(input: &RuleInput, device: &Device, track: TrackId, name: &str) -> String {
    if device.ranks.len() < 2 {
        return name.to_owned();
    }
    let of = |id: TrackId| input.trace.tracks.find(id).map(|track| (track.entry, track.parent));
    let Some((entry, parent)) = of(track) else { return name.to_owned() };
    let is_host = |rank: &&Rank| rank.hosts.iter().any(|host| of(*host) == Some((entry, parent)));
    let in_file = |at: &usize| {
        let mut own = device.streams.iter().filter(|stream| stream.rank as usize == *at);
        own.any(|stream| of(stream.track).is_some_and(|of| of.0 == entry))
    };
    let mut of_file = (0..device.ranks.len()).filter(in_file);
    let only = of_file.next().filter(|_| of_file.next().is_none()).and_then(|at| device.ranks.get(at));
    let rank = device.ranks.iter().find(is_host).filter(|_| parent.is_some()).or(only);
    match rank.and_then(|rank| rank.name.split_once(" / ")) {
        Some((rank, _)) => format!("{rank} / {name}"),
        None => name.to_owned(),
    }
}

/// The most that counters of memory held, with the size of their device: name, whether it is what was reserved.
fn peaks(input: &RuleInput, of: &Device) -> Vec<(String, bool, f64, Option<f64>)> {
    let trace = input.trace;
    let of_track = trace.tracks.iter().filter_map(|(id, track)| {
        let name = trace.strings.get(track.name);
        let (is_reserved, device) = match name.strip_prefix(RESERVED) {
            Some(device) => (true, device),
            None => (false, name.strip_prefix("Memory of ")?),
        };
        let number = device.strip_prefix("GPU ")?.parse::<u64>().ok()?;
        let series = track.series.first()?;
        let most = series.value.iter().copied().fold(0.0_f64, f64::max);
        Some((named(input, of, id, device), is_reserved, most, capacity(trace, number)))
    });
    of_track.collect()
}

pub(super) static NEAR: Rule = Rule {
    id: "device-memory-near-limit",
    version: 1,
    title: phrase("Memory near its limit"),
    thresholds: &[Threshold {
        name: phrase("share of device memory"),
        value: 0.9,
        unit: Unit::Share,
        source: phrase("our own choice: the rest is roughly what libraries and fragmentation take"),
    }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let peaks = peaks(input, device);
        if peaks.is_empty() {
            let [option, _] = Dialect::of(input.trace).options;
            return Looked::Missing(
                message("no device memory recorded: {option}").with_message("option", option),
            );
        }
        let known = peaks
            .into_iter()
            .filter_map(|(name, is_reserved, most, all)| Some((name, is_reserved, most, all?)));
        let Some((name, is_reserved, most, all)) = known.max_by(|a, b| (a.2 / a.3).total_cmp(&(b.2 / b.3)))
        else {
            return Looked::Missing(message("the file does not give the size of the devices' memory"));
        };
        let part = most / all;
        if part < NEAR.limit(0) {
            let said = message("peak use is {share} of the {all} of {device}");
            return Looked::Nothing(
                said.with("share", percent(part))
                    .with("all", with_unit(all, &Unit::Bytes))
                    .with("device", name),
            );
        }
        let what: Message = if is_reserved { message("reserved") } else { message("allocated") };
        Looked::Found(vec![Finding {
            subject: name.clone(),
            severity: Severity::Warning,
            sentence: message("{device} has ⟦{share}⟧ of its memory {what} at peak.")
                .with("device", name)
                .with("share", percent(part))
                .with_message("what", what),
            line: message("{most} of {all}. Beyond this, allocations may fail and flush the cache: use smaller batches, or recompute activations.")
                .with("most", with_unit(most, &Unit::Bytes))
                .with("all", with_unit(all, &Unit::Bytes)),
            value: part,
            unit: Unit::Share,
            evidence: Evidence {
                shown: message("peak and capacity"),
                figure: Some(bars(
                    Unit::Bytes,
                    [(phrase("Peak").to_owned(), most), (phrase("All").to_owned(), all)],
                )),
                numbers: vec![
                    Number::new(phrase("Peak"), most, Unit::Bytes).note(percent(part)),
                    Number::new(phrase("All"), all, Unit::Bytes),
                ],
                how: message(
                    "The highest value of the device's counter, compared with the device memory given in the file. Neither includes memory of other programs.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").address(),
                list: Place::view("statistics").state("by", "memory").address(),
                ..Evidence::default()
            },
            ..NEAR.finding()
        }])
    },
};

/// The device of a counter, its track, and when it became less: time, and by how many bytes.
type Drops = (String, TrackId, Vec<(Ticks, f64)>);

/// When the memory that an allocator had reserved became less: of the device that has most of that.
fn freed(input: &RuleInput, device: &Device) -> Option<Drops> {
    let trace = input.trace;
    let works = device.ranks.iter().map(|rank| rank.working).reduce(Span::union)?;
    let of_track = trace.tracks.iter().filter_map(|(id, track)| {
        let name = trace.strings.get(track.name).strip_prefix(RESERVED)?;
        let series = track.series.first()?;
        let shift = input.derived.timeline.shift_of(id);
        let before = series.value.iter().copied();
        let pairs = before.zip(series.time.iter().copied().zip(series.value.iter().copied()).skip(1));
        let drops = pairs.filter_map(|(before, (time, after))| {
            let time = time.saturating_add(shift);
            (after < before && works.start <= time && time <= works.end).then_some((time, before - after))
        });
        Some((named(input, device, id, name), id, drops.collect::<Vec<_>>()))
    });
    let sum = |of: &Drops| of.2.iter().map(|drop| drop.1).sum::<f64>();
    of_track.max_by(|a, b| sum(a).total_cmp(&sum(b)))
}

pub(super) static FREED: Rule = Rule {
    id: "device-memory-cache-freed",
    version: 1,
    title: phrase("Reserved memory released"),
    thresholds: &[Threshold {
        name: phrase("number of times reserved memory shrinks while the device is busy"),
        value: 1.0,
        unit: Unit::None,
        source: phrase("our own choice: a caching allocator usually releases nothing"),
    }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let Some((name, track, drops)) = freed(input, device) else {
            let [option, _] = Dialect::of(input.trace).options;
            return Looked::Missing(
                message("no reserved device memory recorded: {option}").with_message("option", option),
            );
        };
        let largest = drops.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((time, most)) = largest.filter(|_| FREED.limit(0) <= drops.len() as f64) else {
            return Looked::Nothing(message("reserved memory shrinks 0 times while devices are busy"));
        };
        let (sum, n) = (drops.iter().map(|drop| drop.1).sum::<f64>(), drops.len() as u64);
        let around = Span { start: time, end: time.saturating_add(input.ticks(1e6).max(1)) };
        Looked::Found(vec![Finding {
            subject: name.clone(),
            severity: Severity::Warning,
            sentence: message(
                "The allocator releases ⟦{bytes}⟧ of its reserved memory on {device}, {n} times.",
            )
            .with("bytes", with_unit(sum, &Unit::Bytes))
            .with("device", name)
            .with("n", thousands(n)),
            line: message(
                "This happens when the program empties its cache, or when an allocation fails and is retried; memory needed later is requested from the driver again. Do not empty the cache within steps, or leave more memory free.",
            ),
            value: sum,
            unit: Unit::Bytes,
            evidence: Evidence {
                shown: message("the largest releases"),
                figure: Some(bars(
                    Unit::Bytes,
                    drops.iter().take(5).map(|(time, bytes)| {
                        (crate::base::number::instant(*time, input.trace.clock), *bytes)
                    }),
                )),
                numbers: vec![
                    Number::new(phrase("Released"), sum, Unit::Bytes),
                    Number::new(phrase("Times"), n as f64, Unit::None),
                    Number::new(phrase("Largest single release"), most, Unit::Bytes),
                ],
                how: message(
                    "Each value of the device's reserved memory that is lower than the one before it, between the first and the last work of all devices.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(around).tracks(input.trace, &[track]).address(),
                list: Place::view("statistics").state("by", "memory").address(),
                ..Evidence::default()
            },
            ..FREED.finding()
        }])
    },
};
