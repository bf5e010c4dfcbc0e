//! The report: one file of HTML that is read without Lanescope, of one profile or of two.
//!
//! ```text
//! head      names, files, formats, what they say of themselves
//! findings  first figures, what limits it, rules that found nothing, where it goes
//! figures   pictures of views, figures by panel: facts and tables as text, all others as SVG with a text alternative
//! tables    the first rows of long tables
//! faults    what is wrong with the files
//! notes     what users wrote
//! ```
//! No script and nothing from elsewhere: a policy in its head forbids both. Colors are the tokens of the page, light or dark
//! as the reader's system has it, light on paper. It is written a piece at a time; what would make it larger than
//! [`MOST`] bytes is counted instead.

mod figures;
mod findings;
mod html;

use super::{Export, ExportInput, Parts};
use crate::analysis::finding::Overview;
use crate::analysis::report::{FAULTS, FIGURES, FINDINGS, PARTS, REPORT, ReportAsk, TABLES};
use crate::base::fault::{Fault, SameFaults, Severity, of_one_kind};
use crate::base::map::ordered;
use crate::base::number::{counted, date, file_size, instant, thousands};
use crate::base::pairs;
use crate::base::time::{Clock, Span};
use crate::base::words::{Message, for_reader, message, phrase, tr};
use crate::draw::style::DrawStyle;
use crate::model::notes::{Note, Notes};
use crate::scene::palette::Palette;
use crate::scene::svg::escape;
use html::{around, attribute, element, some, some_around};
use std::collections::{BTreeMap, VecDeque};
use std::io::{Error, Result};
use std::rc::Rc;

/// The export.
pub(super) static REPORT_HTML: Export = Export {
    id: REPORT,
    title: phrase("Report (HTML)"),
    suffix: "report.html",
    mime: "text/html",
    takes_argument: true,
    parameters: &[],
    can: |_| true,
    write: begin,
};

/// Most bytes of a report.
pub const MOST: usize = 5_000_000;
/// Of these, what stays for problems and notes when figures and tables are large.
const KEPT: usize = 1_500_000;
/// Files that are named.
const FILES: usize = 20;

const TOKENS: &str = include_str!("../../../style/tokens.css");

/// A report that is being written.
struct Report {
    ask: ReportAsk,
    overview: Overview,
    light: Rc<Palette>,
    /// Bytes that are written.
    size: usize,
    /// What had no room in the part that is being written.
    left_out: usize,
    /// The panel of the last figure.
    section: String,
    /// Ids of its parts.
    parts: Vec<&'static str>,
}

/// What is written at a time.
enum Piece {
    Head,
    /// Where a part begins.
    Open(&'static str),
    Tiles,
    Finding(usize),
    Rules,
    Goes,
    Picture(usize),
    Figure(usize),
    Alone,
    Table(usize),
    Faults(Box<SameFaults>),
    Dropped,
    /// A note, and whether it is on the baseline.
    Note(Note, bool),
    /// Notes on the baseline follow.
    Baseline,
    Close,
    End,
}

/// Begins it. The argument is a list of parts.
fn begin(input: &ExportInput, argument: &str) -> Result<Parts> {
    let mut ask = input.asked.cloned().unwrap_or_default();
    for part in argument.split(',').filter(|part| !part.is_empty()) {
        if !PARTS.iter().any(|(id, _)| *id == part) {
            let known = PARTS.map(|(id, _)| id).join(", ");
            return Err(Error::other(format!("Unknown part {part}; available: {known}.")));
        }
        ask.parts.get_or_insert_default().push(part.to_owned());
    }
    let overview = input.overview.filter(|_| ask.has(FINDINGS)).cloned().unwrap_or_default();
    let light = Rc::new(Palette::with_scheme(TOKENS, "light", input.scheme));
    let mut report =
        Report { ask, overview, light, size: 0, left_out: 0, section: String::new(), parts: Vec::new() };
    let mut pieces = report.plan(input);
    let id = |piece: &Piece| if let Piece::Open(id) = piece { Some(*id) } else { None };
    report.parts = pieces.iter().filter_map(id).collect();
    Ok(Box::new(move |input, out| {
        if let Some(piece) = pieces.pop_front() {
            let text = for_reader(input.language, || report.piece(piece, input));
            report.size += text.len();
            out.write_all(text.as_bytes())?;
        }
        Ok(!pieces.is_empty())
    }))
}

/// Notes, where there are any.
fn notes(of: Option<&Notes>, is_old: bool) -> impl Iterator<Item = Piece> + '_ {
    of.into_iter().flat_map(|notes| &notes.list).cloned().map(move |note| Piece::Note(note, is_old))
}

impl Report {
    /// What it consists of. A part in which there is nothing is left out, but not that there are no findings or problems.
    fn plan(&self, input: &ExportInput) -> VecDeque<Piece> {
        let mut all = VecDeque::from([Piece::Head]);
        for (id, _) in PARTS.into_iter().filter(|(id, _)| self.ask.has(id)) {
            let pieces: Vec<Piece> = match id {
                FINDINGS => {
                    let findings = (0..self.overview.findings.len()).map(Piece::Finding);
                    [Piece::Tiles].into_iter().chain(findings).chain([Piece::Rules, Piece::Goes]).collect()
                }
                FIGURES => {
                    let pictures = (0..self.ask.pictures.len()).map(Piece::Picture);
                    let figures = self.figures(input).into_iter().map(Piece::Figure);
                    let is_alone = self.ask.baseline.as_ref().is_some_and(|old| !old.alone.is_empty());
                    pictures.chain(figures).chain(is_alone.then_some(Piece::Alone)).collect()
                }
                TABLES => (0..input.trace.tables.len()).map(Piece::Table).collect(),
                FAULTS => {
                    let faults = |of: &[Fault]| -> Vec<Piece> {
                        of_one_kind(of).into_iter().map(|same| Piece::Faults(Box::new(same))).collect()
                    };
                    let old = self.ask.baseline.as_ref().map_or_else(Vec::new, |old| faults(&old.faults));
                    let head = (!old.is_empty()).then_some(Piece::Baseline);
                    let own = faults(input.faults.rows()).into_iter().chain([Piece::Dropped]);
                    own.chain(head).chain(old).collect()
                }
                _ => {
                    let old = self.ask.baseline.as_ref().and_then(|old| old.notes.as_ref());
                    let old = old.filter(|notes| !notes.list.is_empty());
                    let head = old.map(|_| Piece::Baseline);
                    notes(self.ask.notes.as_ref(), false).chain(head).chain(notes(old, true)).collect()
                }
            };
            if !pieces.is_empty() {
                all.push_back(Piece::Open(id));
                all.extend(pieces);
                all.push_back(Piece::Close);
            }
        }
        all.push_back(Piece::End);
        all
    }

    fn piece(&mut self, piece: Piece, input: &ExportInput) -> String {
        let light = Rc::clone(&self.light);
        let look = DrawStyle { palette: &light, language: input.language };
        match piece {
            Piece::Head => self.head(input),
            Piece::Open(id) => {
                let title = PARTS.iter().find(|part| part.0 == id).map_or("", |part| part.1);
                format!("<section id=\"{id}\">\n{}", element("h2", look.tr(title)))
            }
            Piece::Tiles => self.tiles(&look),
            Piece::Finding(at) => {
                let text = self.finding(at, &look);
                self.fit(text, MOST)
            }
            Piece::Rules => self.rules(&look),
            Piece::Goes => self.where_it_goes(&look),
            Piece::Picture(at) => {
                let text = self.picture(at);
                self.fit(text, MOST - KEPT)
            }
            Piece::Figure(at) => match self.figure(at, input, &look) {
                Some((section, is_other, text)) => {
                    let text = self.fit(text, MOST - KEPT);
                    let is_next = !text.is_empty() && section != self.section;
                    let has_head = is_next && is_other;
                    let head = if has_head { some("h3", look.tr(&section)) } else { String::new() };
                    if is_next {
                        self.section = section;
                    }
                    head + &text
                }
                None => String::new(),
            },
            Piece::Alone => {
                let alone = self.ask.baseline.iter().flat_map(|old| &old.alone);
                let items: String = alone.map(|title| element("li", look.tr(title))).collect();
                element("h3", look.tr("Only in the baseline")) + &around("ul", &items)
            }
            Piece::Table(at) => {
                let text = input.trace.tables.get(at).map(|table| figures::long_table(table, &look));
                self.fit(text.unwrap_or_default(), MOST - KEPT)
            }
            Piece::Faults(same) => {
                let text = faults(&same, &look);
                self.fit(text, MOST)
            }
            Piece::Dropped => dropped(input, &look),
            Piece::Note(note, is_old) => {
                let text = note_told(&note, is_old, input);
                self.fit(text, MOST)
            }
            Piece::Baseline => element("h3", look.tr("Baseline")),
            Piece::Close => self.close(&look),
            Piece::End => {
                let by = concat!("Lanescope ", env!("CARGO_PKG_VERSION"));
                let text = message("Written by {program}. This file needs no network and no other file.");
                let text = text.with("program", by).text(look.language).into_owned();
                element("footer", &text) + "</body>\n</html>\n"
            }
        }
    }

    /// The end of a section, and how much of it had no room.
    fn close(&mut self, look: &DrawStyle) -> String {
        let n = std::mem::take(&mut self.left_out);
        self.section.clear();
        let said = message("{n} more were left out, so that this file stays below {size}.")
            .with("n", thousands(n as u64))
            .with("size", file_size(MOST as u64));
        let said = if n == 0 { String::new() } else { said.text(look.language).into_owned() };
        some("p class=\"aside\"", &said) + "</section>\n"
    }

    /// The text where there is room for it; otherwise it is counted.
    fn fit(&mut self, text: String, most: usize) -> String {
        if self.size + text.len() <= most {
            return text;
        }
        self.left_out += 1;
        String::new()
    }

    fn name(&self, input: &ExportInput) -> String {
        let own = || input.bundle.title().trim_end_matches('!').to_owned();
        if self.ask.name.is_empty() { own() } else { self.ask.name.clone() }
    }

    fn head(&self, input: &ExportInput) -> String {
        let name = self.name(input);
        let text = |of: Message| of.text(input.language).into_owned();
        let title = match &self.ask.baseline {
            Some(old) => format!("{} → {name}", old.name),
            None => name.clone(),
        };
        let against = self.ask.baseline.as_ref().map(|old| {
            text(message("Compared with {name}. A is the baseline, B is this file.").with("name", &old.name))
        });
        let head = "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
            <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n";
        let style =
            format!("<style>\n{}{}</style>\n", tokens(&self.light, input.scheme), include_str!("style.css"));
        let title = element("title", &format!("{title} — Lanescope"));
        let parts = PARTS.into_iter().filter(|(id, _)| self.parts.contains(id));
        let link =
            |(id, title): (&str, &str)| element(&format!("a href=\"#{id}\""), tr(input.language, title));
        let nav = around("nav", &parts.map(link).collect::<String>());
        let header = element("h1", &name)
            + &some("p", &against.unwrap_or_default())
            + &some("p", self.ask.baseline.as_ref().map_or("", |old| &old.headline))
            + &some("p class=\"severity severity--loss\"", &text(input.faults.lost_rows()))
            + &around("dl class=\"facts\"", &self.facts(input))
            + &nav;
        format!(
            "<!DOCTYPE html>\n<html lang=\"{}\">\n{}<body>\n{}",
            input.language.tag(),
            around("head", &(head.to_owned() + &title + &style)),
            around("header", &header),
        )
    }

    /// What the files say of themselves.
    fn facts(&self, input: &ExportInput) -> String {
        let trace = input.trace;
        let fact = |name: &str, lines: Vec<String>| {
            let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
            let value = some_around("dd", &lines.join("<br>"));
            if value.is_empty() { value } else { element("dt", tr(input.language, name)) + &value }
        };
        let file = |path: &str, bytes: u64| format!("{path}, {}", file_size(bytes));
        let n_files = input.bundle.len();
        let files = input.bundle.iter().take(FILES).map(|(_, entry)| file(&entry.path, entry.source.len()));
        let more = n_files.checked_sub(FILES).filter(|n| 0 < *n).map(|n| message("{n} more").with("n", n));
        let more = more.map(|said| said.text(input.language).into_owned());
        let formats = input.formats.iter().map(|format| tr(input.language, format.title).to_owned());
        let title = Some(trace.title.clone()).filter(|title| *title != self.name(input) && !title.is_empty());
        let told = title.into_iter().chain(trace.headline.iter().map(|fact| counted(fact)));
        let told = Some(told.collect::<Vec<_>>().join(" · ")).filter(|told| !told.is_empty());
        fact(phrase("Files"), files.chain(more).collect())
            + &fact(phrase("Format"), formats.collect())
            + &fact(phrase("Recorded at"), recorded(trace.clock, trace.span).into_iter().collect())
            + &fact(phrase("Contents"), told.into_iter().collect())
    }
}

/// A note with its place and its time.
fn note_told(note: &Note, is_old: bool, input: &ExportInput) -> String {
    let place = pairs::split(&note.address);
    let value = |name: &str| place.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
    // Ticks of the baseline mean another time.
    let window = value("window").filter(|_| !is_old).and_then(|window| {
        let (start, end) = window.split_once(',')?;
        let (zero, clock) = (input.trace.span.map_or(0, Span::origin), input.trace.clock);
        let at = |tick: &str| Some(instant(tick.parse::<i64>().ok()?.saturating_sub(zero), clock));
        Some(format!("{} – {}", at(start)?, at(end)?))
    });
    let view = value("view").map(str::to_owned);
    let time = Some(date((note.time * 1e6) as i64)).filter(|_| 0.0 < note.time);
    let place = view.into_iter().chain(window).chain(time).collect::<Vec<_>>().join(" · ");
    let text = note.text.lines().map(|line| some("p", line)).collect::<String>();
    around("div class=\"note\"", &(text + &some("p class=\"aside\"", &place)))
}

/// When it was recorded, where its times are those of the wall clock: between 2001 and 2100.
fn recorded(clock: Clock, span: Option<Span>) -> Option<String> {
    const WALL: std::ops::Range<i64> = 1_000_000_000_000_000_000..4_100_000_000_000_000_000;
    let start = span.filter(|_| clock == Clock::Nanos)?.start;
    WALL.contains(&start).then(|| date(start))
}

/// The colors and fonts: those of the light theme, and on dark screens those of the dark one. Colors that stand for values
/// stay, since pictures hold mixtures of them.
fn tokens(light: &Palette, scheme: &str) -> String {
    const VALUES: [&str; 9] = ["seq-", "heat-", "div-", "sgn-", "dvi", "pk", "peak-", "level-", "box-"];
    let dark = Palette::with_scheme(TOKENS, "dark", scheme);
    let one = |name: &str, color: u32| match color & 0xff {
        0xff => format!("--{name}:#{:06x};", color >> 8),
        _ => format!("--{name}:#{color:08x};"),
    };
    let sorted = |palette: &Palette| -> BTreeMap<String, u32> {
        ordered(palette.colors.iter().map(|(name, color)| (name.clone(), *color)))
    };
    let (light_colors, mut dark_colors) = (sorted(light), sorted(&dark));
    dark_colors.retain(|name, color| {
        !VALUES.iter().any(|of| name.starts_with(of)) && light_colors.get(name) != Some(color)
    });
    let told = |colors: &BTreeMap<String, u32>| {
        colors.iter().map(|(name, color)| one(name, *color)).collect::<String>()
    };
    let (day, night) = (told(&light_colors), told(&dark_colors));
    let [ui, mono] = &light.fonts;
    format!(
        ":root{{--font-ui:{ui};--font-mono:{mono};{day}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{night}}}}}\n"
    )
}

/// What a severity is called.
fn severity(of: Severity) -> &'static str {
    match of {
        Severity::Note => phrase("Note"),
        Severity::Warning => phrase("Warning"),
        Severity::Loss => phrase("Loss"),
        Severity::Fatal => phrase("Fatal"),
    }
}

/// Faults of one kind: the first, then all others below a count.
fn faults(same: &SameFaults, look: &DrawStyle) -> String {
    let Some((first, others)) = same.faults.split_first() else { return String::new() };
    let sign = format!("span class=\"severity severity--{}\"", first.severity.name());
    let said = |fault: &Fault| fault.text(look.language);
    let code = element("code", &first.code);
    let mut out = around("p", &format!("{} {code}", element(&sign, look.tr(severity(first.severity)))));
    out += &element("p", &said(first));
    let count = message("{n} like this").with("n", thousands(same.n)).text(look.language).into_owned();
    let count = if same.n < 2 { String::new() } else { count };
    let items: String = others.iter().map(|fault| element("li", &said(fault))).collect();
    out += &match items.as_str() {
        "" => some("p class=\"aside\"", &count),
        items => around("details", &(element("summary", &count) + &around("ul", items))),
    };
    around("div class=\"fault\"", &out)
}

/// That nothing is wrong, or what was left out of the trace, and what the files do not hold.
fn dropped(input: &ExportInput, look: &DrawStyle) -> String {
    let none = input.faults.rows().is_empty();
    let mut out = if none { element("p", look.tr("No problems found.")) } else { String::new() };
    let left =
        input.trace.dropped.iter().map(|(reason, n)| format!("{}: {}", look.tr(reason), thousands(*n)));
    let left: String = left.map(|line| element("li", &line)).collect();
    if !left.is_empty() {
        out += &element("h3", look.tr("Not in the trace"));
        out += &some_around("ul", &left);
    }
    out
}

/// A picture with what it shows in words.
fn pictured(inner: &str, words: &str) -> String {
    around(&format!("div class=\"picture\" role=\"img\"{}", attribute("aria-label", words)), inner)
}
