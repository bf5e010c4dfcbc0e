//! Operators that give the device nothing to do.

use super::{bars, devices, short};
use crate::analysis::device::class::marks;
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{HostCalls, Kind, Operator};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::number::{thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{at_slice, percent};
use crate::findings::{Looked, Rule, Threshold};

pub(super) static OPERATORS: Rule = Rule {
    id: "device-operators-without-work",
    version: 2,
    title: phrase("Operators that launch no kernels"),
    thresholds: &[
        Threshold {
            name: phrase("share of the time in all operators"),
            value: 0.1,
            unit: Unit::Share,
            source: phrase("our own choice: a tenth of host operator time"),
        },
        Threshold {
            name: phrase("mean duration up to which an operator counts as small"),
            value: 20_000.0,
            unit: Unit::Nanos,
            source: phrase("our own measurement: calls that only change a view of the data take 1 to 20 µs"),
        },
    ],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if device.operators.is_empty() || !device.has_launches() {
            return Looked::Missing(message(
                "no operators with their launches recorded: record CPU activities too, with the flows between them",
            ));
        }
        let (words, limit) = (Dialect::of(input.trace), input.ticks(OPERATORS.limit(1)));
        let is_other = |of: &Operator| {
            let marks = marks(words, input.trace.strings.get(of.name), "");
            !marks.loads && !marks.syncs
        };
        let all: i128 = device.operators.iter().filter(|of| is_other(of)).map(|of| of.host_own).sum();
        let mean = |of: &Operator| of.host_own / i128::from(of.calls.max(1));
        let is_meant = |of: &&Operator| {
            of.launched_total == 0 && 0 < of.host_own && mean(of) <= i128::from(limit) && is_other(of)
        };
        let mut own: Vec<&Operator> = device.operators.iter().filter(is_meant).collect();
        order::sort_by_key(&mut own, |of| (std::cmp::Reverse(of.host_own), of.name));
        let sum: i128 = own.iter().map(|of| of.host_own).sum();
        let calls: u64 = own.iter().map(|of| of.calls).sum();
        let part = share(sum as f64, all as f64);
        let Some(first) = own.first().filter(|_| OPERATORS.limit(0) <= part) else {
            let said = message("{n} calls of small operators launch nothing, {share} of operator time");
            return Looked::Nothing(said.with("n", thousands(calls)).with("share", percent(part)));
        };
        let (value, unit) = input.time(sum);
        let slice = first.longest.0;
        // Of several called as often the one that takes longest.
        let frequent = own.iter().rev().max_by_key(|of| of.calls).unwrap_or(first);
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: message("Small operators that launch nothing take {time} of the host in ⟦{n} calls⟧, {share} of its time in operators.")
                .with("n", thousands(calls))
                .with("time", with_unit(value, &unit))
                .with("share", percent(part)),
            line: message("Most frequent is {name} with {n} calls. Compiling, or recording a graph, avoids them; that matters where the device waits for launches.")
                .with("name", short(input, frequent.name))
                .with("n", thousands(frequent.calls)),
            value: calls as f64,
            unit: Unit::Count(phrase("calls").to_owned()),
            evidence: Evidence {
                shown: message("the longest of {n}").with("n", own.len()),
                figure: Some(bars(
                    unit.clone(),
                    own.iter().take(5).map(|of| (short(input, of.name), input.time(of.host_own).0)),
                )),
                numbers: vec![
                    Number::new(phrase("Their self time"), value, unit.clone()).note(percent(part)),
                    Number::new(phrase("Self time of all operators"), input.time(all).0, unit),
                    Number::new(phrase("Calls"), calls as f64, Unit::None),
                    Number::new(phrase("Names"), own.len() as f64, Unit::None),
                ],
                how: message(
                    "Operators of at most 20 µs on average, none of whose calls launched any work, neither directly nor in nested calls; time summed over all threads, without nested operators. Data loading and waiting for the device do not count.",
                ),
                view: "timeline".to_owned(),
                address: at_slice(input, slice),
                list: Place::view("statistics").state("by", "operators").address(),
                ..Evidence::default()
            },
            ..OPERATORS.finding()
        }])
    },
};

/// Calls of a kind of a device, those in which it is idle longest first.
pub(super) fn calls_of(device: &crate::analysis::device::Device, rank: usize, kind: Kind) -> Vec<HostCalls> {
    let own = device.calls.iter().filter(|calls| calls.rank as usize == rank && calls.kind == kind);
    let mut own: Vec<HostCalls> = own.copied().collect();
    order::sort_by_key(&mut own, |calls| {
        (std::cmp::Reverse(calls.idle), std::cmp::Reverse(calls.total), calls.name)
    });
    own
}
