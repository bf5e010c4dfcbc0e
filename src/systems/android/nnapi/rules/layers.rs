//! Which layer executions spend their time in.

use super::{MOST, Of, below_not_marked, clients, cut, details, layers, more, subject, time, told};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, Threshold};
use crate::systems::android::nnapi::corrected::Spread;
use crate::systems::android::nnapi::facts::{Model, Sums};
use crate::systems::android::nnapi::mark::Layer;

/// Layers whose part no other rule looks at: the CPU and calls between processes have rules of their own.
const LAYERS: [Layer; 2] = [Layer::Driver, Layer::Runtime];

pub(super) static LAYER: Rule = Rule {
    id: "nnapi-layer",
    version: 1,
    title: phrase("Time by layer"),
    thresholds: &[Threshold {
        name: phrase("share of execution time in one layer"),
        value: 0.5,
        unit: Unit::Share,
        source: phrase("our own choice: more than all other layers together"),
    }],
    look: |input| {
        let of = match clients(input) {
            Ok(of) => of,
            Err(why) => return why,
        };
        if !of.marks.has_runtime {
            return Looked::Missing(message(
                "no runtime marks: record the trace with the category nnapi (Android 9 or later)",
            ));
        }
        let has = |unknown: fn(&Sums) -> bool| of.models().any(|model| unknown(steady(model)));
        let mut all: Vec<(&Model, Layer, f64)> = of.models().filter_map(most).collect();
        if all.is_empty() && has(Sums::has_unseen_driver) {
            return Looked::Missing(message(
                "no driver wrote marks, so its time is not separable from that of inter-process calls: record with the categories nnapi, hal and aidl",
            ));
        }
        if all.is_empty() {
            return below_not_marked();
        }
        order::sort_by_key(&mut all, |(model, ..)| std::cmp::Reverse(model.all.time));
        let largest = all.iter().map(|(.., part)| *part).fold(0.0, f64::max);
        all.retain(|(.., part)| LAYER.limit(0) <= *part);
        let others = more(all.iter().map(|(model, ..)| *model));
        let findings =
            all.into_iter().take(MOST).map(|(model, layer, part)| finding(of, model, (layer, part), &others));
        Looked::found_or(findings.collect(), || {
            message("neither the driver nor the runtime takes more than {share} of a model's execution time")
                .with("share", percent(largest))
        })
    },
};

fn steady(model: &Model) -> &Sums {
    &model.loops[model.steady()]
}

/// The layer with most of a model's time in the loop that counts; none where it is not seen who computes.
fn most(model: &Model) -> Option<(&Model, Layer, f64)> {
    let sums = steady(model);
    if sums.has_unseen_driver() || sums.is_seen_from_above() {
        return None;
    }
    let part = |layer: Layer| (layer, share(sums.of(layer) as f64, sums.time as f64));
    let (layer, part) = LAYERS.map(part).into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((model, layer, part))
}

/// How much longer the 95th percentile may be than the median where executions are steady.
const STEADY: f64 = 1.1;

/// Whether executions take much longer than the median, or, where they are too few to know, the longest of them.
fn evenness(spread: Option<&Spread>) -> Message {
    let times = |value: f64| value / spread.map_or(1.0, |spread| spread.median).max(1.0);
    let (said, factor) = match (spread.and_then(Spread::known_p95).map(times), spread) {
        (Some(p95), _) if p95 <= STEADY => {
            (message("Executions are steady: 95 % take at most {factor} times the median."), p95)
        }
        (Some(p95), _) => {
            (message("Executions vary: 5 in 100 take more than {factor} times the median."), p95)
        }
        (None, spread) => {
            let longest = spread.map_or(1.0, |spread| times(spread.max as f64));
            (message("The longest execution takes {factor} times the median."), longest)
        }
    };
    said.with("factor", fixed(factor, 2))
}

fn finding(of: Of, model: &Model, (layer, part): (Layer, f64), more: &Message) -> Finding {
    let app = model.steady();
    let sums = &model.loops[app];
    let spread = model.spreads[app].as_ref();
    let line = if layer == Layer::Driver {
        message(
            "{steady} The driver decides: look at its waits and partitions, or try another driver or model.{more}",
        )
    } else {
        message(
            "{steady} The runtime itself decides: fewer and larger executions, or reusable ones (ANeuralNetworksExecution_setReusable, Android 12), need less of it.{more}",
        )
    };
    let sentence = if layer == Layer::Driver {
        message("The driver takes ⟦{share} of the time⟧ of {n} executions of {model} ({loop}).")
    } else {
        message("The runtime takes ⟦{share} of the time⟧ of {n} executions of {model} ({loop}).")
    };
    let mean = sums.of(layer) as f64 / sums.n.max(1) as f64;
    let mut numbers = vec![
        time(layer.title(), sums.of(layer)).note(percent(part)),
        time(phrase("Execution time"), sums.time),
        Number::new(phrase("Executions"), sums.n as f64, Unit::None),
        Number::new(phrase("Mean"), mean.round(), Unit::Nanos),
    ];
    numbers.extend(spread.map(|spread| Number::new(phrase("Median execution"), spread.median, Unit::Nanos)));
    Finding {
        subject: subject(model),
        severity: Severity::Note,
        sentence: sentence
            .with("share", percent(part))
            .with("n", thousands(sums.n))
            .with_message("model", of.name(model))
            .with_message("loop", of.loop_name(app)),
        line: line
            .with_message("steady", evenness(spread))
            .with_message("more", more.clone()),
        value: part,
        unit: Unit::Share,
        evidence: Evidence {
            shown: message("mean execution by layer, {time}").with(
                "time",
                told(sums.time as f64 / sums.n.max(1) as f64),
            ),
            figure: Some(layers(sums)),
            numbers,
            how: message("Corrected times: each instant of an execution is attributed to the deepest active layer.{cut}").with_message("cut", cut(model)),
            view: "details".to_owned(),
            address: details("nnapi-layers", model),
            ..Evidence::default()
        },
        ..LAYER.finding()
    }
}
