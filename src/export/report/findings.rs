//! First figures, what limits it, rules that found nothing, where it goes; beside a baseline what became of each.

use super::html::{around, bar, class_of, element, row, sentence, some, some_around, table};
use super::{Report, figures};
use crate::analysis::finding::{Color, Finding, Number, Part, PartRow, Severity, Tile, against, plain};
use crate::analysis::told::{
    NumberBeside, change_told, gone, limit_told, number_beside, part_beside, quiet_counted, quiet_told,
    tile_beside,
};
use crate::base::number::{counted, thousands};
use crate::base::words::{Message, message, phrase, tr};
use crate::draw::style::DrawStyle;
use crate::scene::svg::escape;

impl Report {
    /// The first figures, then how many findings there are.
    pub(super) fn tiles(&self, look: &DrawStyle) -> String {
        let text = |of: &Message| of.text(look.language).into_owned();
        let one = |tile: &Tile| {
            let old = self.ask.baseline.as_ref().map(|old| &old.overview.tiles);
            let of = |all: &Vec<Tile>| {
                let old = all.iter().find(|old| old.label == tile.label);
                tile_beside(tile, old, look.language)
            };
            let beside = old.map_or_else(|| text(&tile.comparison), of);
            let value = element("b", &text(&tile.value)) + &some("span", &beside) + &bar(&tile.bar);
            around("div", &(element("dt", &text(&tile.label)) + &around("dd", &value)))
        };
        let tiles: String = self.overview.tiles.iter().map(one).collect();
        let n = self.overview.findings.len();
        let said = if n == 0 {
            element("p", look.tr("No findings."))
        } else {
            let n = message("{n} findings, sorted by possible savings").with("n", n);
            element("p", &text(&n)) + &element("p class=\"aside\"", look.tr(SAVINGS))
        };
        some_around("dl class=\"tiles\"", &tiles) + &element("h3", look.tr("What limits it")) + &said
    }

    /// One finding with its evidence.
    pub(super) fn finding(&self, at: usize, look: &DrawStyle) -> String {
        let Some(one) = self.overview.findings.get(at) else { return String::new() };
        let language = look.language;
        let text = |of: &Message| of.text(language).into_owned();
        let against = self.ask.baseline.as_ref().map(|old| against(&old.overview, one));
        let old = against.and_then(|(_, old)| old);
        let change = against.map(|(change, old)| change_told(change, old, one, language));
        let writer = message("{writer} says").with("writer", &one.writer);
        let writer = if one.writer.is_empty() { String::new() } else { text(&writer) };
        let (class, sign) = match one.severity {
            Severity::Warning => ("warning", phrase("Warning")),
            Severity::Note => ("note", phrase("Note")),
        };
        let saving = escape(&one.saving.amount()) + &some("small", &text(&one.saving.part()));
        let head = around("p class=\"saving\"", &saving)
            + &element(&format!("p class=\"severity severity--{class}\""), look.tr(sign))
            + &around("h4", &sentence(&text(&one.sentence)))
            + &some("p class=\"aside\"", &writer)
            + &some("p class=\"aside\"", &change.unwrap_or_default())
            + &some("p", &plain(&text(&one.line)));
        let evidence = &one.evidence;
        let figure = evidence.figure.as_ref().map(|figure| {
            let words = format!("{}: {}", text(&evidence.title), text(&evidence.shown));
            let picture = figures::evidence(figure, &format!("e{at}-"), &words, look);
            let caption = element("b", &text(&evidence.title)) + &some("span", &text(&evidence.shown));
            around("figure", &(around("figcaption", &caption) + &picture))
        });
        let rows: String = evidence.numbers.iter().map(|number| numbers(number, old, look)).collect();
        let rule = self.overview.rules.iter().find(|rule| rule.id == one.rule);
        let limits = rule.into_iter().flat_map(|rule| &rule.thresholds);
        let how = [text(&evidence.how), text(&one.saving.model)].into_iter();
        let how = how.chain(limits.map(|limit| limit_told(limit, language))).filter(|said| !said.is_empty());
        let how = escape(&plain(&how.collect::<Vec<_>>().join(" "))) + " " + &element("code", &one.rule);
        let rows = if rows.is_empty() { rows } else { table("numbers", &one.said(look.language), "", &rows) };
        let inner = head + &figure.unwrap_or_default() + &rows + &around("p class=\"how\"", &how);
        around(&format!("article class=\"finding finding--{class}\""), &inner)
    }

    /// Findings that only the baseline has, then the rules that found nothing or could not look.
    pub(super) fn rules(&self, look: &DrawStyle) -> String {
        let language = look.language;
        let gone = self
            .ask
            .baseline
            .as_ref()
            .map_or_else(Vec::new, |old| gone(&old.overview, &self.overview, language));
        let row = |(one, why): (&Finding, Option<&str>)| {
            let why = why.map_or_else(String::new, |why| format!(" {}", element("em", why)));
            let said = sentence(&one.sentence.text(language)) + &why;
            element("dt", &one.saving.text(language)) + &around("dd", &said)
        };
        let gone: String = gone.into_iter().map(row).collect();
        let mut out = String::new();
        if !gone.is_empty() {
            out += &element("h3", look.tr("Only in the baseline"));
            out += &around("dl", &gone);
        }
        let rule = |(titles, said): &(String, String)| element("dt", titles) + &element("dd", said);
        let lists = quiet_told(&self.overview.rules, language);
        let lists = lists.iter().filter(|(_, rules)| !rules.is_empty()).map(|(title, rules)| {
            element("h4", look.tr(title)) + &around("dl", &rules.iter().map(rule).collect::<String>())
        });
        let lists: String = lists.collect();
        if !lists.is_empty() {
            let summary = element("summary", &quiet_counted(&self.overview.rules).text(language));
            out += &around("details", &(summary + &lists));
        }
        out
    }

    /// Where it goes.
    pub(super) fn where_it_goes(&self, look: &DrawStyle) -> String {
        let one = |part: &Part| {
            let is_same = |own: &&Part| own.title == part.title && own.of == part.of;
            let old = self.ask.baseline.as_ref().and_then(|old| old.overview.parts.iter().find(is_same));
            match old.and_then(|old| part_beside(part, old, look.language)) {
                Some(both) => goes(&both, look),
                None => goes(part, look),
            }
        };
        self.overview.parts.iter().map(one).collect()
    }
}

const SAVINGS: &str = phrase(
    "≤ is a proven upper bound on the savings, ≈ an estimate whose model is given in the evidence, – means that savings cannot be quantified. Savings of different findings may overlap and do not add up.",
);

/// A number of the evidence, behind that of the baseline.
fn numbers(number: &Number, old: Option<&Finding>, look: &DrawStyle) -> String {
    let NumberBeside { was, is, note } = number_beside(number, old, look.language);
    let before = format!("<span class=\"aside\">{} → </span>", escape(&was));
    let was = if was.is_empty() { String::new() } else { before };
    let name = number.name.text(look.language);
    row("td", &[("", escape(&name)), ("number", was + &escape(&is)), ("aside", escape(&note))])
}

/// A part of it as a table.
fn goes(part: &Part, look: &DrawStyle) -> String {
    let language = look.language;
    let whole: Vec<(f64, Color)> = part.rows.iter().filter_map(|row| Some((row.share, row.color?))).collect();
    let has_bars = part.rows.iter().any(|row| !row.bar.is_empty());
    let heads = part.columns.iter().map(|name| ("number", escape(tr(language, name))));
    let first = [("", escape(look.tr("Name")))].into_iter().chain(has_bars.then(|| ("", String::new())));
    let head = row("th", &first.chain(heads).collect::<Vec<_>>());
    let one = |of: &PartRow| {
        let swatch = of.color.map_or_else(String::new, |color| {
            format!("<i class=\"swatch\" style=\"background:var(--{})\"></i>", color.token())
        });
        let name = of.name.text(language);
        let (class, name) = (class_of(&name, false), swatch + &escape(&name));
        let cells = of.cells.iter().map(|cell| {
            let cell = counted(cell);
            // Words may be broken, numbers not.
            let is_word = cell.starts_with(char::is_alphabetic);
            (class_of(&cell, !is_word), escape(tr(language, &cell)))
        });
        let bars = has_bars.then(|| ("bars", bar(&of.bar)));
        row("td", &[(class, name)].into_iter().chain(bars).chain(cells).collect::<Vec<_>>())
    };
    let rows: String = part.rows.iter().map(one).collect();
    let more = message("{n} more").with("n", thousands(part.more));
    let more = if part.more == 0 { String::new() } else { more.text(language).into_owned() };
    let head = if part.columns.is_empty() { String::new() } else { head };
    let name = part.title.text(language).into_owned();
    let title = escape(&name) + " " + &some("span", &part.note.text(language));
    around("h3", &title)
        + &bar(&whole)
        + &table("rows", &name, &head, &rows)
        + &some("p class=\"aside\"", &more)
}
