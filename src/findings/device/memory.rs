//! Memory: calls of the driver inside of steps, and how near the most that was held is to what the device has.

use super::host::calls_of;
use super::{Scope, bars, devices, short};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{HostCalls, Kind};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{thousands, with_unit};
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{around, percent, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::Trace;
use crate::model::figure::{Body, Cell};

pub(super) static ALLOCATIONS: Rule = Rule {
    id: "device-memory-calls",
    version: 1,
    title: phrase("Memory asked of the driver"),
    thresholds: &[Threshold {
        name: phrase("share of the time of a device"),
        value: 0.005,
        unit: Unit::Share,
        source: phrase("our own choice: a cache of memory asks the driver only in its first steps"),
    }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.has_launches() {
            return Looked::Missing(message(
                "no call of the runtime is recorded: record CPU activities too (runtime calls)",
            ));
        }
        let sum = |scope: &Scope| -> Ticks {
            calls_of(device, scope.rank, Kind::Allocates).iter().map(|calls| calls.total).sum()
        };
        let Some((scope, ticks)) = Scope::most(device, sum) else { return Looked::NotHere };
        let calls = calls_of(device, scope.rank, Kind::Allocates);
        let n: u64 = calls.iter().map(|calls| calls.n).sum();
        let Some(first) = calls.first().filter(|_| ALLOCATIONS.limit(0) <= scope.share(ticks)) else {
            let said = message("{n} calls ask the driver for memory or give it back, {share} of the time");
            return Looked::Nothing(said.with("n", thousands(n)).with("share", percent(scope.share(ticks))));
        };
        let is_free =
            |calls: &&HostCalls| input.trace.strings.get(calls.name).to_ascii_lowercase().contains("free");
        let freed: u64 = calls.iter().filter(is_free).map(|calls| calls.n).sum();
        let idle: Ticks = calls.iter().map(|calls| calls.idle).sum();
        let (value, unit) = scope.value(input, ticks);
        let slice = first.longest.0;
        let span = span_of(input, slice);
        let line = match freed {
            0 => message(
                "Mostly {name}. Sizes that change from step to step grow the cache: the same shapes, or one large allocation at the begin, need none.",
            ),
            _ => message(
                "Mostly {name}; {n} of them give memory back. A cache does that when it is emptied or could not get more, and has to ask for it again.",
            ),
        };
        let sentence = match scope.n {
            0 => message(
                "The host asks the driver for memory or gives it back {n} times, which takes ⟦{time}⟧.",
            ),
            _ => message(
                "Inside of steps the host asks the driver for memory or gives it back {n} times, which takes ⟦{time}⟧.",
            ),
        };
        let model = message(
            "The time in which the device does nothing during these calls. It is told by its reason too: late launches, synchronization.",
        );
        let bound = scope.value(input, idle.min(scope.idle())).0;
        let saving = match idle {
            0 => Saving::default(),
            _ => Saving::at_most(bound, scope.all_value(input), unit.clone(), model),
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
            sentence: sentence.with("n", thousands(n)).with_message("time", scope.said(input, ticks)),
            line: line.with("name", short(input, first.name)).with("n", thousands(freed)),
            value,
            unit: unit.clone(),
            saving,
            evidence: Evidence {
                shown: message("the one with most idle time"),
                figure: Some(around(input, span, &tracks)),
                numbers,
                how: message(
                    "Calls of the runtime that allocate or free memory, by name; those that only put it into a stream (Async) do not count.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(span).slice(input.trace, slice).address(),
                ..Evidence::default()
            },
            ..ALLOCATIONS.finding()
        }])
    },
};

/// Bytes that a device has, by its number, as the file says; of several files only where all say the same.
fn capacity(trace: &Trace, number: u64) -> Option<f64> {
    let tables = trace.figures.iter().filter(|family| family.id.starts_with("trace-deviceProperties"));
    let mut found = tables.flat_map(|family| &family.variants).filter_map(|figure| {
        let Body::Table(table) = &figure.body else { return None };
        let column = |name: &str| table.columns.iter().position(|column| column.name == name);
        let (id, bytes) = (column("id")?, column("totalGlobalMem")?);
        let value = |cell: Option<&Cell>| match cell {
            Some(Cell::Number(value)) => Some(*value),
            Some(Cell::Integer(value)) => Some(*value as f64),
            Some(Cell::Text(text)) => text.parse().ok(),
            _ => None,
        };
        let row = table.rows.iter().find(|row| value(row.get(id)) == Some(number as f64))?;
        value(row.get(bytes)).filter(|bytes| 0.0 < *bytes)
    });
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// The most that counters of memory held, with the size of their device: name, whether it is what was reserved.
fn peaks(input: &RuleInput) -> Vec<(String, bool, f64, Option<f64>)> {
    let trace = input.trace;
    let of_track = trace.tracks.iter().filter_map(|(_, track)| {
        let name = trace.strings.get(track.name);
        let (is_reserved, device) = match name.strip_prefix("Reserved memory of ") {
            Some(device) => (true, device),
            None => (false, name.strip_prefix("Memory of ")?),
        };
        let number = device.strip_prefix("GPU ")?.parse::<u64>().ok()?;
        let series = track.series.first()?;
        let most = series.value.iter().copied().fold(0.0_f64, f64::max);
        Some((device.to_owned(), is_reserved, most, capacity(trace, number)))
    });
    of_track.collect()
}

pub(super) static NEAR: Rule = Rule {
    id: "device-memory-near-limit",
    version: 1,
    title: phrase("Memory near its limit"),
    thresholds: &[Threshold {
        name: phrase("share of the memory of the device"),
        value: 0.9,
        unit: Unit::Share,
        source: phrase(
            "our own choice: what is left is about what libraries and pieces between allocations take",
        ),
    }],
    look: |input| {
        if devices(input).is_none() {
            return Looked::NotHere;
        }
        let peaks = peaks(input);
        if peaks.is_empty() {
            let [option, _] = Dialect::of(input.trace).options;
            return Looked::Missing(
                message("no memory of devices is recorded: {option}").with_message("option", option),
            );
        }
        let known = peaks
            .into_iter()
            .filter_map(|(name, is_reserved, most, all)| Some((name, is_reserved, most, all?)));
        let Some((name, is_reserved, most, all)) = known.max_by(|a, b| (a.2 / a.3).total_cmp(&(b.2 / b.3)))
        else {
            return Looked::Missing(message(
                "the file does not say how much memory the devices have (deviceProperties with totalGlobalMem)",
            ));
        };
        let part = most / all;
        if part < NEAR.limit(0) {
            let said = message("the most that was held is {share} of the {all} of {device}");
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
            sentence: message("{device} has ⟦{share}⟧ of its memory {what}.")
                .with("device", name)
                .with("share", percent(part))
                .with_message("what", what),
            line: message("{most} of {all}. From here on allocations may fail and free the cache: smaller batches, or recomputing activations.")
                .with("most", with_unit(most, &Unit::Bytes))
                .with("all", with_unit(all, &Unit::Bytes)),
            value: part,
            unit: Unit::Share,
            evidence: Evidence {
                shown: message("peak and capacity"),
                figure: Some(bars(
                    Unit::Bytes,
                    [(phrase("Most held").to_owned(), most), (phrase("All").to_owned(), all)],
                )),
                numbers: vec![
                    Number::new(phrase("Most held"), most, Unit::Bytes).note(percent(part)),
                    Number::new(phrase("All"), all, Unit::Bytes),
                ],
                how: message(
                    "The greatest value of the counter of the device, against totalGlobalMem of its properties in the file. Memory of other programs is in neither.",
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
