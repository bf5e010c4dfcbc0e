//! A trace as a short text that changes when anything in it changes: for snapshots and the command line.
//!
//! Heads and first rows are written out; of everything else there are counts, sums and a check value over all rows.
//! The order is the order on the screen, so the same rows read in another way give the same text.

use crate::base::fault::Fault;
use crate::base::number::{self, thousands};
use crate::base::time::{Clock, Ticks};
use crate::base::unit::Unit;
use crate::base::visible::one_line;
use crate::model::access::OPERATION;
use crate::model::code::ListingKind;
use crate::model::figure::{Body, Family, Figure};
use crate::model::files::Block;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::{Instants, Slices};
use crate::model::track::{Track, TrackKind};
use crate::model::{FlowEnd, Trace};
use std::fmt::Write;

/// Tracks, figures, blocks and faults that are written out of each; more are only counted.
const LINES: usize = 24;

/// First rows of a track that are written out.
const ROWS: usize = 3;

/// A line: ends of lines in names are escaped, so that none of them begins one.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{
        $out.push_str(&one_line(&format!($($text)*)));
        $out.push('\n');
    }};
}

/// Everything that tells two traces apart, on some 60 lines for a usual trace.
pub fn digest(trace: &Trace, faults: &[Fault]) -> String {
    let mut out = String::new();
    head(&mut out, trace);
    tracks(&mut out, trace);
    flows(&mut out, trace);
    allocations(&mut out, trace);
    digest_accesses(&mut out, trace);
    code(&mut out, trace);
    figures(&mut out, &trace.figures);
    tables(&mut out, trace);
    blocks(&mut out, &trace.blocks);
    for (reason, n) in &trace.dropped {
        line!(out, "left out {}: {reason}", count(*n));
    }
    limited(&mut out, faults, "faults", |out, fault| {
        line!(out, "{} {}: {fault}", fault.severity.name(), fault.code);
    });
    out
}

pub(super) fn count(n: u64) -> String {
    thousands(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Writes the first of many, and how many more there are.
pub(super) fn limited<T>(out: &mut String, rows: &[T], what: &str, mut line: impl FnMut(&mut String, &T)) {
    for row in rows.iter().take(LINES) {
        line(out, row);
    }
    if LINES < rows.len() {
        line!(out, "… {} more {what}", count((rows.len() - LINES) as u64));
    }
}

fn head(out: &mut String, trace: &Trace) {
    if !trace.title.is_empty() {
        line!(out, "title {}", trace.title);
    }
    for fact in &trace.headline {
        line!(out, "  {fact}");
    }
    let terms = &trace.terms;
    let coloring = match (trace.coloring.best, trace.coloring.has_color_names) {
        ("", true) => "name, with color names",
        ("", false) => "name",
        (best, _) => best,
    };
    line!(out, "terms {} / {} / {}; colors by {coloring}", terms.group, terms.row, terms.slice);
    if let Some(span) = trace.span {
        line!(
            out,
            "time {}, from {} to {}",
            number::duration(span.dur(), trace.clock),
            ticks(span.start, trace.clock),
            ticks(span.end, trace.clock)
        );
    }
    for clock in trace.clocks.rows().iter().skip(1) {
        let (name, unit) = (trace.strings.get(clock.name), clock.unit.symbol());
        line!(out, "clock {name} of {unit}, relation {:?}", clock.relation);
    }
    let totals = [
        ("slices", trace.n_slices()),
        ("instants", trace.n_instants()),
        ("counter samples", trace.n_samples()),
        ("flows", trace.flows.len() as u64),
        ("accesses", trace.accesses.len() as u64),
    ];
    let totals: Vec<String> =
        totals.iter().filter(|(_, n)| 0 < *n).map(|(what, n)| number::of_kind(&count(*n), what)).collect();
    if !totals.is_empty() {
        line!(out, "{}", totals.join(", "));
    }
}

fn ticks(at: Ticks, clock: Clock) -> String {
    match clock {
        Clock::Nanos => format!("{} ns", thousands(at)),
        _ => number::instant(at, clock),
    }
}

fn tracks(out: &mut String, trace: &Trace) {
    let shown: Vec<TrackId> = match trace.tracks.shown() {
        [] => trace.tracks.iter().map(|(id, _)| id).collect(),
        shown => shown.to_vec(),
    };
    let with_slices = trace.tracks.iter().filter(|(_, t)| !t.slices.is_empty()).count();
    line!(out, "{} tracks, {} with slices", count(shown.len() as u64), count(with_slices as u64));
    let mut left = LINES;
    for &id in &shown {
        let Some(track) = trace.tracks.find(id) else { continue };
        let label = match trace.strings.get(track.label) {
            "" => String::new(),
            label => format!(" ({label})"),
        };
        if left == 0 {
            break;
        }
        left -= 1;
        line!(out, "  {}{label}: {}", trace.track_path(id), rows_of(trace, track));
        first_rows(out, trace, track);
    }
    if LINES < shown.len() {
        let check = shown.iter().filter_map(|&id| Some((trace.track_path(id), trace.tracks.find(id)?)));
        let check = check.fold(0, |sum, (path, track)| mix(mix_text(sum, &path), check_of(trace, track)));
        let more = count((shown.len() - LINES) as u64);
        line!(out, "  … {more} more tracks, check of all {check:016x}");
    }
}

/// What lies on a track in one line.
fn rows_of(trace: &Trace, track: &Track) -> String {
    let mut parts = Vec::new();
    if track.kind == TrackKind::Group {
        parts.push("group".to_owned());
    }
    if !track.slices.is_empty() {
        let sum: i128 = track.slices.durs().map(i128::from).sum();
        let sum = i64::try_from(sum).map_or_else(|_| sum.to_string(), |sum| ticks(sum, trace.clock));
        parts.push(format!("{} of {sum}", number::of_kind(&count(track.slices.len() as u64), "slices")));
    }
    if !track.instants.is_empty() {
        parts.push(number::of_kind(&count(track.instants.len() as u64), "instants"));
    }
    for series in track.series.iter().take(LINES) {
        let sum: f64 = series.value.iter().filter(|v| v.is_finite()).sum();
        let unit = if series.unit == Unit::None { "" } else { series.unit.symbol() };
        let name = trace.strings.get(series.name);
        parts.push(format!(
            "{name}: {}, sum {} {unit}",
            number::of_kind(&count(series.time.len() as u64), "samples"),
            number::exact(sum)
        ));
    }
    if track.kind != TrackKind::Group {
        parts.push(format!("check {:016x}", check_of(trace, track)));
    }
    parts.join(", ")
}

fn first_rows(out: &mut String, trace: &Trace, track: &Track) {
    let name = |id: StrId| trace.strings.get(id);
    for row in 0..track.slices.len().min(ROWS) {
        let slices = &track.slices;
        let mut more = String::new();
        let sparse = [
            ("", &slices.category),
            ("color ", &slices.color),
            ("flag ", &slices.flag),
            ("group ", &slices.group),
        ];
        for (what, column) in sparse {
            let value = name(Slices::sparse(column, row));
            if !value.is_empty() {
                let _ = write!(more, ", {what}{value}");
            }
        }
        if let Some(link) = slices.link.get(row).filter(|link| **link != 0) {
            let _ = write!(more, ", link {link}");
        }
        let (at, dur) = (thousands(slices.start[row]), thousands(slices.dur_of(row)));
        let bytes = slices.detail(row);
        line!(out, "    {at} +{dur} {}{more}, bytes {}..{}", name(slices.name[row]), bytes.start, bytes.end);
    }
    for row in 0..track.instants.len().min(ROWS) {
        let instants: &Instants = &track.instants;
        line!(out, "    {} · {}", thousands(instants.time[row]), name(instants.name[row]));
    }
    for series in track.series.iter().take(ROWS) {
        let samples = series.time.iter().zip(&series.value).take(ROWS);
        let samples: Vec<String> =
            samples.map(|(at, value)| format!("{} = {}", thousands(*at), number::exact(*value))).collect();
        line!(out, "    {}: {}", name(series.name), samples.join(", "));
    }
}

/// A check value over all rows of a track; texts count by what they say, not by their numbers.
fn check_of(trace: &Trace, track: &Track) -> u64 {
    let text = |sum: u64, id: StrId| mix_text(sum, trace.strings.get(id));
    let mut sum = track.order as u64;
    let slices = &track.slices;
    for row in 0..slices.len() {
        sum = mix(mix(sum, slices.start[row] as u64), slices.dur_of(row) as u64);
        sum = text(text(sum, slices.name[row]), slices.category_of(row));
        for column in [&slices.color, &slices.flag, &slices.group] {
            sum = text(sum, Slices::sparse(column, row));
        }
        if let Some(link) = slices.link.get(row).filter(|link| **link != 0) {
            sum = mix(sum, u64::from(*link));
        }
        let bytes = slices.detail(row);
        sum = mix(mix(sum, bytes.start), bytes.end);
    }
    let instants = &track.instants;
    for row in 0..instants.len() {
        sum = text(text(mix(sum, instants.time[row] as u64), instants.name[row]), instants.category[row]);
        let bytes = instants.detail(row);
        sum = mix(mix(sum, bytes.start), bytes.end - bytes.start);
    }
    for series in &track.series {
        sum = text(sum, series.name);
        for (&at, value) in series.time.iter().zip(&series.value) {
            sum = mix(mix(sum, at as u64), value.to_bits());
        }
    }
    sum
}

fn allocations(out: &mut String, trace: &Trace) {
    let of = &trace.allocations;
    if of.is_empty() {
        return;
    }
    let row = |i: usize| {
        let device =
            of.devices.get(of.device[i] as usize).map_or("", |device| trace.strings.get(device.name));
        format!("{device} {} at {}", of.bytes[i], of.at[i].time)
    };
    let check = (0..of.len()).fold(0, |sum, i| mix_text(sum, &row(i)));
    line!(out, "{} allocations, check {check:016x}", count(of.len() as u64));
}

fn flows(out: &mut String, trace: &Trace) {
    let flows = &trace.flows;
    if flows.is_empty() {
        return;
    }
    let text = |id: StrId| trace.strings.get(id);
    let end = |e: FlowEnd| format!("{} at {}", trace.track_path(e.track), thousands(e.time));
    let row = |i: usize| {
        let what = [flows.category[i], flows.name[i], flows.id[i]].map(text).join(" ");
        format!("{what}: {} → {}", end(flows.from[i]), end(flows.to[i]))
    };
    let check = (0..flows.len()).fold(0, |sum, i| mix_text(sum, &row(i)));
    let how = if flows.by_flag { "by flag" } else { "by time" };
    line!(out, "{} flows, bound {how}, check {check:016x}", count(flows.len() as u64));
    for i in 0..flows.len().min(ROWS) {
        line!(out, "  {}", row(i));
    }
}

fn code(out: &mut String, trace: &Trace) {
    let code = &trace.code;
    if !code.cores.is_empty() {
        line!(out, "cores {}", code.cores.join(", "));
    }
    limited(out, &code.listings, "listings", |out, listing| {
        let what = match listing.kind {
            ListingKind::Source => "source",
            ListingKind::Assembly => "assembly",
        };
        let check = (0..listing.lines.len()).fold(0, |sum, row| mix_text(sum, listing.lines.get(row)));
        let columns: Vec<&str> = listing.columns.iter().map(|c| c.name.as_str()).collect();
        let lines = count(listing.lines.len() as u64);
        line!(out, "{what} {}: {lines} lines, check {check:016x}; {}", listing.title, columns.join(", "));
    });
    let n_links = code.links.len();
    if 0 < n_links {
        line!(out, "{} pairs of source and assembly are linked", count(n_links as u64));
    }
    if !code.missing.is_empty() {
        line!(out, "code: {}", code.missing);
    }
}

fn figures(out: &mut String, figures: &[Family]) {
    limited(out, figures, "figures", |out, family| {
        let more = match family.variants.len() {
            1 => String::new(),
            n => format!(", {n} variants"),
        };
        line!(out, "figure {} / {}{more}", family.section, family.title);
        for figure in family.variants.iter().take(1) {
            line!(out, "  {}", what_is_in(figure));
            facts(out, figure);
        }
        let advice = family.variants.iter().flat_map(|f| &f.advice).take(ROWS);
        for advice in advice {
            line!(out, "  advice: {}", advice.said());
        }
    });
}

/// The size of a figure in one line.
fn what_is_in(figure: &Figure) -> String {
    let size = |n: usize, what: &str| format!("{} {what}", count(n as u64));
    match &figure.body {
        Body::Facts(f) => size(f.facts.len(), "facts"),
        Body::Table(t) => {
            format!("{}, {}", size(t.rows.len() + t.more_rows, "rows"), size(t.columns.len(), "columns"))
        }
        other => {
            // Everything else is told by its kind and the length of its JSON text: enough to see that it changed.
            let text = serde_json::to_string(other).unwrap_or_default();
            let kind = text.split('"').nth(3).unwrap_or("").to_owned();
            format!("{kind}, check {:016x}", mix_text(0, &text))
        }
    }
}

fn facts(out: &mut String, figure: &Figure) {
    if let Body::Facts(facts) = &figure.body {
        for fact in facts.facts.iter().take(LINES) {
            line!(out, "  {}: {}", fact.name, fact.value.with_unit(&fact.unit));
        }
    }
    if let Body::Table(table) = &figure.body {
        for row in table.rows.iter().take(ROWS) {
            let cells = row.iter().zip(&table.columns).map(|(value, column)| value.with_unit(&column.unit));
            line!(out, "  {}", cells.collect::<Vec<_>>().join(" | "));
        }
    }
}

fn tables(out: &mut String, trace: &Trace) {
    limited(out, &trace.tables, "tables", |out, table| {
        let rows = table.columns.first().map_or(0, |c| c.cells.len());
        let columns: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        line!(out, "table {}: {} rows; {}", table.title, count(rows as u64), columns.join(", "));
    });
}

fn blocks(out: &mut String, blocks: &[Block]) {
    limited(out, blocks, "blocks", |out, block| {
        let path = block.path.as_deref().map_or(String::new(), |path| format!(" {path}"));
        line!(
            out,
            "block at {} type {:02X} {}{path}: {} bytes, {:?}",
            count(block.offset),
            block.kind,
            block.name,
            count(block.content_size),
            block.state
        );
    });
}

pub(super) fn mix(sum: u64, value: u64) -> u64 {
    let sum = (sum ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    sum ^ (sum >> 32)
}

pub(super) fn mix_text(sum: u64, text: &str) -> u64 {
    text.bytes().fold(mix(sum, text.len() as u64), |sum, b| mix(sum, u64::from(b)))
}

// Memory accesses in a digest: counts by class, first rows, and a check value over all.

/// First rows that are written out.
const DIGEST_ACCESS_ROWS: u32 = 3;

/// What the accesses, their allocations and call stacks are.
fn digest_accesses(out: &mut String, trace: &Trace) {
    let accesses = &trace.accesses;
    if accesses.is_empty() {
        return;
    }
    let line = |row: u32| {
        let access = accesses.get(row)?;
        let class = accesses.class(row)?;
        let (operation, unit) = (accesses.value(class, OPERATION), accesses.unit_name(class));
        let space = accesses.space_name(class.space());
        let pc = accesses.site(row).map_or("–".to_owned(), |site| format!("0x{:x}", site.pc));
        Some(format!(
            "{} {operation} {space} 0x{:x} +{} by {unit}, pc {pc}",
            access.position, access.address, access.bytes
        ))
    };
    let n = accesses.len() as u32;
    let check = (0..n).filter_map(line).fold(0, |sum, line| mix_text(sum, &line));
    line!(out, "accesses check {check:016x}");
    for line in (0..n.min(DIGEST_ACCESS_ROWS)).filter_map(line) {
        line!(out, "  {line}");
    }
    let check = accesses.regions.iter().fold(0, |sum, region| {
        let numbers = [region.start, region.end, u64::from(region.rows.start), u64::from(region.rows.end)];
        numbers.iter().fold(mix_text(sum, &region.name), |sum, number| mix(sum, *number))
    });
    if !accesses.regions.is_empty() {
        line!(out, "  {} regions, check {check:016x}", count(accesses.regions.len() as u64));
    }
    let sites: Vec<_> = accesses.sites.iter().filter(|site| site.stack.is_some()).collect();
    limited(out, &sites, "call stacks", |out, site| {
        let stack = site.stack.and_then(|stack| accesses.stacks.get(stack as usize));
        let frames = stack.and_then(|s| accesses.frames.get(s.frames.start as usize..s.frames.end as usize));
        let frames = frames.unwrap_or(&[]).iter().map(|frame| {
            let (function, file) = (trace.strings.get(frame.function), trace.strings.get(frame.file));
            format!("{function} {file}:{}:{}", frame.line, frame.column)
        });
        line!(out, "  0x{:x}: {}", site.pc, frames.collect::<Vec<_>>().join(" < "));
    });
}
