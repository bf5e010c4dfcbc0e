//! What is concluded of figures: each fact once. Where a finding of the overview says it, in the words of the finding; what
//! the writer of the file says of the same stands behind it.
//!
//! ```text
//! findings on figures ──┐
//! advice of figures ────┼─▶ by what it claims ─▶ lines: what bounds the run, then findings in the order of the
//! the writer's own ─────┘                        overview, what costs, all else; each with the writer's sentences of the same
//! ```

use crate::analysis::finding::{Finding, Severity, plain};
use crate::base::order;
use crate::document::Document;
use crate::findings::{Guide, of_file};
use crate::model::figure::{Advice, Quote};
use crate::navigation::route::Route;
use crate::wire::figures::AdviceLine;

/// Advice of a figure, with its id and title.
struct Own {
    advice: Advice,
    id: String,
    title: String,
}

impl Own {
    /// Whether it claims one of these of the same file as figure `id`.
    fn is_same(&self, claims: &[String], id: &str) -> bool {
        self.advice.is_of(claims) && of_file(&self.id) == of_file(id)
    }
}

impl Document {
    /// The systems whose findings are advice on figures.
    fn advisers(&self) -> impl Iterator<Item = &'static Guide> {
        self.guides.iter().copied().filter(|guide| guide.advises)
    }

    /// Works for a few milliseconds on what [`lines`] needs; says whether it is there.
    pub(crate) fn prepare_advice(&mut self) -> bool {
        self.advisers().next().is_none() || self.prepare_overview(Some(usize::MAX))
    }

    /// Advice of all figures, each sentence once.
    fn advice(&self) -> Vec<Own> {
        let trace = self.trace();
        let of_files = trace.figures.iter().flat_map(|family| {
            let all = family.variants.iter().flat_map(|figure| &figure.advice);
            all.map(|advice| (advice.clone(), family.id.clone(), family.title.clone()))
        });
        let heads = self.computed();
        let of_analyses = self.computed_advice().into_iter().filter_map(|(id, advice)| {
            let head = heads.iter().map(|figure| &figure.head).find(|head| head.id == id)?;
            Some((advice, head.id.clone(), head.title.clone()))
        });
        let mut own: Vec<Own> = Vec::new();
        for (advice, id, title) in of_files.chain(of_analyses) {
            if own.iter().all(|other| other.advice.text != advice.text) {
                own.push(Own { advice, id, title });
            }
        }
        own
    }
}

/// All facts: what bounds the run first, then in the order of the overview as far as that has them.
pub(crate) fn lines(doc: &Document) -> Vec<AdviceLine> {
    let own = doc.advice();
    let rules: Vec<&str> = doc.advisers().flat_map(|guide| guide.rules).map(|rule| rule.id).collect();
    let is_meant = |finding: &&Finding| {
        rules.contains(&finding.rule.as_str()) && finding.evidence.view == super::ask::DETAILS.id
    };
    let findings = doc.overview().map_or(&[][..], |overview| &overview.findings);
    let findings: Vec<&Finding> = findings.iter().filter(is_meant).collect();
    let is_told = |own: &&Own| {
        let text = own.advice.text.to_string();
        let is_same = |finding: &&Finding| {
            own.is_same(&finding.claims, &figure_of(finding).0)
                || plain(&finding.sentence.to_string()) == text
        };
        findings.iter().any(is_same)
    };
    let rest: Vec<&Own> = own.iter().filter(|own| !is_told(own)).collect();
    let (ours, quoted): (Vec<&Own>, Vec<&Own>) =
        rest.into_iter().partition(|own| own.advice.writer.is_empty());
    let is_alone = |quote: &&Own| !ours.iter().any(|own| own.is_same(&quote.advice.claims, &quote.id));
    let alone = quoted.iter().copied().filter(is_alone).map(|own| (false, of_figure(own, &[])));
    let others = ours.iter().map(|own| (own.advice.is_bound, of_figure(own, &quoted))).chain(alone);
    let mut others: Vec<(bool, AdviceLine)> = others.collect();
    order::sort_by_key(&mut others, |(is_bound, line)| (!is_bound, !line.is_costly));
    let is_bound = |finding: &Finding| {
        let figure = figure_of(finding).0;
        own.iter().any(|own| own.advice.is_bound && own.is_same(&finding.claims, &figure))
    };
    let found = findings.iter().map(|finding| (is_bound(finding), of_finding(doc, finding, &own)));
    let mut lines: Vec<(bool, AdviceLine)> = found.collect();
    lines.append(&mut others);
    let (bounds, rest): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(is_bound, _)| *is_bound);
    bounds.into_iter().chain(rest).map(|(_, line)| line).collect()
}

/// The figure that shows a finding, and what is chosen of it.
fn figure_of(finding: &Finding) -> (String, Vec<usize>) {
    Route::parse(&finding.evidence.address).selection.figure.unwrap_or_default()
}

/// The line of a finding.
fn of_finding(doc: &Document, finding: &Finding, all: &[Own]) -> AdviceLine {
    let (figure, chosen) = figure_of(finding);
    let mut same = all.iter().filter(|own| own.is_same(&finding.claims, &figure));
    let families = doc.trace().figures.iter().map(|family| (family.id.clone(), family.title.clone()));
    let computed = doc.computed().into_iter().map(|figure| (figure.head.id, figure.head.title));
    let title = families.chain(computed).find(|(id, _)| *id == figure).map(|(_, title)| title);
    let rows = same.find(|own| own.id == figure).map(|own| own.advice.rows.clone());
    AdviceLine {
        sentence: finding.sentence.clone(),
        line: finding.line.clone(),
        writer: finding.writer.clone(),
        quotes: finding.quotes.clone(),
        is_costly: finding.severity == Severity::Warning,
        title: title.unwrap_or_default(),
        figure,
        chosen,
        rows: rows.unwrap_or_default(),
    }
}

/// The line of a figure's own advice, with what the writer says of the same.
fn of_figure(own: &Own, quoted: &[&Own]) -> AdviceLine {
    let quotes = quoted.iter().filter(|quote| quote.is_same(&own.advice.claims, &own.id));
    let quotes: Vec<Quote> = quotes.filter_map(|quote| quote.advice.quote()).collect();
    AdviceLine {
        sentence: own.advice.text.clone(),
        writer: own.advice.writer.clone(),
        quotes,
        is_costly: own.advice.is_costly,
        figure: own.id.clone(),
        title: own.title.clone(),
        rows: own.advice.rows.clone(),
        ..AdviceLine::default()
    }
}
