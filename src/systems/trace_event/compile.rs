//! What a compiler's own trace (`clang -ftime-trace`) spends its time on: the headers, templates and functions that its
//! slices only name in their arguments.
//!
//! ```text
//! {"ph":"X", "name":"Source", "ts":…, "dur":…, "args":{"detail":"/usr/include/c++/11/vector"}}
//! ```
//! Times are those of slices with all that lies in them: of a header also what it includes. Slices of one text that lie in
//! each other count once. Of each kind the longest are read. Source: `llvm/lib/Support/TimeProfiler.cpp`.

use crate::analysis::device::Times;
use crate::analysis::finding::{Evidence, Finding, Number, Part, PartRow, Saving, Severity, share};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{around, at_slice, percent, span_of, summary};
use crate::findings::{Guide, Looked, Rule, RuleInput, Summary, Threshold};
use crate::model::id::SliceId;

/// What is said of compilers.
pub(super) static GUIDE: Guide = Guide { rules: &[&HEADERS], summary: with_parts, advises: false };

/// Slices of a kind whose arguments are read, the longest.
const READ: usize = 400;
/// Rows of a part.
const ROWS: usize = 7;
/// The slice around all others.
const WHOLE: &str = "ExecuteCompiler";
/// Slices of headers.
const HEADER: &[&str] = &["Source"];
/// Kinds of slices that are told, and what their texts name.
const KINDS: [(&str, &[&str]); 3] = [
    (phrase("Headers with the most time"), HEADER),
    (phrase("Template instantiations with the most time"), &["InstantiateClass", "InstantiateFunction"]),
    (phrase("Functions with the most time to optimize and generate"), &["OptFunction", "CodeGen Function"]),
];

/// Slices with one text.
struct Named {
    text: String,
    n: u64,
    /// Ticks in which any of them lasts, of each thread.
    ticks: Ticks,
    longest: SliceId,
}

/// How long the compiler ran, each time of several; `None` for traces of others.
fn whole(input: &RuleInput) -> Option<i128> {
    let names = &input.survey?.names;
    let sum = names.iter().find(|sum| input.trace.strings.get(sum.name) == WHOLE)?;
    let has_headers = names.iter().any(|sum| HEADER.contains(&input.trace.strings.get(sum.name)));
    has_headers.then_some(sum.total).filter(|ticks| 0 < *ticks)
}

/// The longest slices of these names, in the order of the file as far as tracks have it; and how many there are.
fn longest(input: &RuleInput, names: &[&str]) -> (Vec<(Ticks, SliceId)>, usize) {
    let trace = input.trace;
    let mut slices: Vec<(Ticks, SliceId)> = Vec::new();
    for (track, own) in trace.tracks.iter().filter(|(_, own)| !own.is_derived) {
        let rows = (0..own.slices.len()).filter(|row| !own.slices.is_unfinished(*row));
        let meant = rows.filter(|row| names.contains(&trace.strings.get(own.slices.name_of(*row))));
        slices.extend(meant.filter_map(|row| {
            Some((own.slices.span(row).dur(), SliceId { track, row: u32::try_from(row).ok()? }))
        }));
    }
    order::sort_by_key(&mut slices, |(dur, id)| (std::cmp::Reverse(*dur), *id));
    let all = slices.len();
    slices.truncate(READ);
    slices.sort_unstable_by_key(|(_, id)| *id);
    (slices, all)
}

/// The texts of slices of these names by their time, the most first; and how many of all slices were read.
fn named(input: &RuleInput, names: &[&str]) -> (Vec<Named>, usize, usize) {
    let (slices, all) = longest(input, names);
    let mut found: Map<String, Vec<(Ticks, SliceId)>> = Map::default();
    for (dur, id) in &slices {
        let text = (input.args)(*id).into_iter().find(|(name, _)| name == "detail");
        if let Some((_, text)) = text.filter(|(_, text)| !text.is_empty()) {
            found.entry(text).or_default().push((*dur, *id));
        }
    }
    let sums = found.into_iter().filter_map(|(text, own)| {
        // Of each thread once, of several that compile side by side each.
        let of_track = |own: &[(Ticks, SliceId)]| {
            let mut spans: Vec<(Ticks, Ticks)> =
                own.iter().map(|(_, id)| span_of(input, *id)).map(|span| (span.start, span.end)).collect();
            spans.sort_unstable();
            Times::of_sorted(spans).spans().iter().map(|span| span.dur()).sum::<Ticks>()
        };
        let ticks = own.chunk_by(|(_, a), (_, b)| a.track == b.track).map(of_track).sum();
        let longest = own.iter().max_by_key(|(dur, id)| (*dur, std::cmp::Reverse(*id)))?.1;
        Some(Named { text, n: own.len() as u64, ticks, longest })
    });
    let mut sums: Vec<Named> = sums.collect();
    order::sort_by(&mut sums, |a, b| b.ticks.cmp(&a.ticks).then_with(|| a.text.cmp(&b.text)));
    (sums, slices.len(), all)
}

/// The figures of any trace, with what its slices name in their arguments.
fn with_parts(input: &RuleInput) -> Option<Summary> {
    let whole = whole(input)?;
    let mut of = summary(input)?;
    let parts = KINDS.iter().filter_map(|(title, names)| {
        let (sums, read, all) = named(input, names);
        let note = if read < all {
            message("including nested slices; only the longest {n} of {all}")
                .with("n", thousands(read as u64))
                .with("all", thousands(all as u64))
        } else {
            message("including nested slices")
        };
        let rows = sums.iter().take(ROWS).map(|sum| PartRow {
            name: sum.text.clone().into(),
            cells: vec![
                thousands(sum.n),
                input.duration(sum.ticks),
                percent(share(sum.ticks as f64, whole as f64)),
            ],
            amount: Some(input.time(sum.ticks)),
            address: at_slice(input, sum.longest),
            ..PartRow::default()
        });
        let rows: Vec<PartRow> = rows.collect();
        (!rows.is_empty()).then(|| Part {
            title: message(title),
            note,
            columns: [phrase("Count"), phrase("Total"), phrase("Share")].map(str::to_owned).to_vec(),
            rows,
            measure: 1,
            more: sums.len().saturating_sub(ROWS) as u64,
            list: Place::view("statistics").state("by", "name").address(),
            ..Part::default()
        })
    });
    of.parts.extend(parts);
    Some(of)
}

static HEADERS: Rule = Rule {
    id: "compile-headers",
    version: 1,
    title: phrase("Headers that take long to compile"),
    thresholds: &[Threshold {
        name: phrase("share of the compiler's time"),
        value: 0.1,
        unit: Unit::Share,
        source: phrase("our own choice: 10 % of the compiler's time"),
    }],
    look: |input| {
        let Some(whole) = whole(input) else { return Looked::NotHere };
        let (sums, ..) = named(input, HEADER);
        let part = |sum: &Named| share(sum.ticks as f64, whole as f64);
        let Some(first) = sums.first() else {
            return Looked::Missing(message("the slices of headers do not name them"));
        };
        if part(first) < HEADERS.limit(0) {
            let said = message("the header with the most time takes {share} of the compiler's time");
            return Looked::Nothing(said.with("share", percent(part(first))));
        }
        let (value, unit) = input.time(first.ticks);
        let counts = sums.iter().filter(|sum| HEADERS.limit(0) <= part(sum)).count();
        let numbers = sums.iter().take(4).map(|sum| {
            Number::new(sum.text.clone(), input.time(sum.ticks).0, unit.clone()).note(percent(part(sum)))
        });
        let model = message("If nothing included it, and nothing else needed what it includes.");
        let span = span_of(input, first.longest);
        Looked::Found(vec![Finding {
            subject: first.text.clone(),
            severity: Severity::Warning,
            sentence: message("The compiler spends ⟦{time}⟧ in {name} and what it includes, {share} of its time.")
                .with("time", input.duration(first.ticks))
                .with("name", first.text.as_str())
                .with("share", percent(part(first))),
            line: message("{n} headers take at least {limit} each; those that include each other count in both. Include less, declare what is only pointed to, or precompile what rarely changes.")
                .with("n", thousands(counts as u64))
                .with("limit", percent(HEADERS.limit(0))),
            value,
            unit: unit.clone(),
            saving: Saving::at_most(value, input.time(whole).0, unit.clone(), model)
                .of(phrase("{share} of the compiler's time")),
            evidence: Evidence {
                shown: message("where the header is compiled"),
                figure: Some(around(input, span, &[first.longest.track])),
                numbers: numbers.collect(),
                how: message(
                    "Slices of headers by the path in their arguments, with all that lies in them, of all slices of the compiler.",
                ),
                view: "timeline".to_owned(),
                address: at_slice(input, first.longest),
                list: Place::view("statistics").state("by", "name").address(),
                ..Evidence::default()
            },
            ..HEADERS.finding()
        }])
    },
};
