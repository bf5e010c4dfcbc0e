//! What a document is and holds so far: what the page needs to choose views and label them.

use crate::analysis::contract::{Analysis, ComputedFigure};
use crate::analysis::statistics::Of;
use crate::base::fault::Severity;
use crate::base::map::Map;
use crate::base::names;
use crate::base::words::Message;
use crate::document::{Document, OpeningStage};
use crate::draw::ColorBy;
use crate::engine::report::with_input;
use crate::export::{self, ExportInput, operators};
use crate::model::Trace;
use crate::model::code::ListingKind;
use crate::model::figure::{Advice, Family};
use crate::model::files::Missing;
use crate::model::id::TrackId;
use crate::model::track::Track;
use crate::scene::palette::OWN;
use crate::systems;
use crate::views::mapping::messages::MAPPING;
use crate::wire::report::{ColorChoice, Contents, Head};

impl Document {
    /// Arranges what was read so far so that it can be drawn, and returns what it is.
    pub fn grow(&mut self) -> Head {
        // While rows are sorted nothing is added, and what is in no order must not be taken in.
        if !matches!(self.stage, OpeningStage::Finish(_) | OpeningStage::Analyze { is_sorted: true }) {
            self.sink.builder.arrange_growing();
            self.take_in();
            self.find_analyses();
        }
        self.head()
    }

    /// Whether there is nothing to look at.
    pub(crate) fn is_empty(&self) -> bool {
        let h = self.contents();
        [
            h.slices,
            h.instants,
            h.samples,
            h.accesses,
            h.counted,
            h.executions,
            h.planned,
            h.lifetimes,
            h.sources,
            h.instructions,
            h.figures,
            h.tables,
            h.blocks,
        ] == [0; 13]
    }

    /// Another one when there is more to be looked at: rows, figures, listings, tables, results of analyses.
    pub fn content_version(&self) -> u64 {
        let trace = self.trace();
        let others = trace.figures.len() + trace.code.listings.len() + trace.tables.len();
        self.sink.builder.n_rows() + others as u64 + self.revision
    }

    /// What the document is and holds so far.
    pub fn head(&self) -> Head {
        let trace = self.trace();
        let faults = Severity::ALL.map(|s| self.faults().count(s));
        Head {
            is_complete: self.is_ready(),
            title: if trace.title.is_empty() { self.bundle.title() } else { trace.title.clone() },
            headline: trace.headline.clone(),
            formats: self.formats().iter().map(|f| (f.id.to_owned(), f.title.to_owned())).collect(),
            terms: trace.terms.clone(),
            clock: trace.clock,
            span: trace.span,
            offsets: self.offsets.clone(),
            laid: self.derived.timeline.span(trace).filter(|_| !self.offsets.is_empty()),
            contents: self.contents(),
            colors: color_choices(trace),
            color: ColorBy::choose(None, OWN, trace, &systems::color_schemes()).id().to_owned(),
            faults,
            lost: if self.is_ready() { self.faults().lost_rows() } else { Message::default() },
            figures: self.figure_names(),
            sampled: self.sampled(),
            exports: self.exports(),
            missing: self.missing(),
            project: self.kept.get::<super::Project>().and_then(super::Project::head),
            analyses: self.analysis_heads(),
            given: self.mapping_beside().map(|text| (MAPPING.to_owned(), text)).into_iter().collect(),
            revision: self.revision,
            millis: 0.0,
        }
    }

    /// What its files could hold and none does.
    pub(crate) fn missing(&self) -> Vec<Missing> {
        if self.trace().missing.is_empty() {
            return Vec::new();
        }
        let (trace, holds) = (self.trace(), self.contents());
        let is_there = |id: &str| match id {
            "timeline" => 0 < holds.slices + holds.instants + holds.samples,
            "source" => 0 < holds.sources + holds.instructions,
            id => trace.figures.iter().any(|family| family.id.starts_with(id)),
        };
        let mut missing: Vec<Missing> = Vec::new();
        for own in trace.missing.iter().filter(|own| !is_there(&own.id)) {
            if missing.iter().all(|known| known.id != own.id) {
                missing.push(own.clone());
            }
        }
        missing
    }

    /// Tracks with samples of call stacks, each with the groups that it stands in.
    fn sampled(&self) -> Vec<Vec<TrackId>> {
        if !self.is_ready() {
            return Vec::new();
        }
        let tracks = &self.trace().tracks;
        let above = |id: &TrackId| tracks.find(*id).and_then(|track| track.parent);
        let sampled = tracks.iter().filter(|(_, track)| !track.instants.stack.is_empty());
        sampled.map(|(id, _)| std::iter::successors(Some(id), above).collect()).collect()
    }

    /// Ids of the exports that have something to write.
    fn exports(&self) -> Vec<String> {
        if !self.is_ready() {
            return Vec::new();
        }
        let operators = operators::OPERATORS_CSV.id;
        let all = |input: &ExportInput| {
            let able = export::offers(systems::exports()).filter(|export| {
                (export.can)(input) || (export.id == operators && self.kept.get::<super::Project>().is_some())
            });
            able.map(|export| export.id.to_owned()).collect()
        };
        with_input(self, &[], all)
    }

    /// Id, section, title and file of all figures, those too that are computed when they are asked for.
    fn figure_names(&self) -> Vec<(String, String, String, String)> {
        fn key(family: &Family) -> (&str, &str) {
            (&family.section, &family.title)
        }
        let figures = &self.trace().figures;
        let scope = |family: &Family| family.variants.first().map_or(String::new(), |f| f.scope.clone());
        // Counted once: a folder of thousands of files has thousands of one title.
        let mut alike = Map::<(&str, &str), usize>::default();
        for family in figures {
            *alike.entry(key(family)).or_default() += 1;
        }
        let of_others = |family: &Family| alike.get(&key(family)).is_some_and(|n| 1 < *n);
        let scopes: Vec<String> = figures.iter().map(scope).collect();
        let told = figures.iter().zip(names::bare(&scopes)).map(|(family, scope)| {
            let scope = if of_others(family) { scope } else { String::new() };
            (family.id.clone(), family.section.clone(), family.title.clone(), scope)
        });
        let computed = self.computed().into_iter().map(|figure| figure.head);
        let computed = computed.map(|head| (head.id, head.section.to_owned(), head.title, String::new()));
        told.chain(computed).collect()
    }

    /// Whether everything was read and put in order: results of analyses can be looked at while others are still running.
    pub(crate) fn is_arranged(&self) -> bool {
        matches!(self.stage, OpeningStage::Ready | OpeningStage::Analyze { is_sorted: true })
    }

    /// The figures that can be computed when they are asked for; none before everything is read.
    pub(crate) fn computed(&self) -> Vec<ComputedFigure> {
        self.computed_by().into_iter().map(|(_, figure)| figure).collect()
    }

    /// The same with the analyses that compute them.
    pub(crate) fn computed_by(&self) -> Vec<(&'static Analysis, ComputedFigure)> {
        if !self.is_arranged() {
            return Vec::new();
        }
        let derived = &self.derived;
        derived.results.figures(&self.analyses, self.trace(), &derived.timeline, &self.values)
    }

    /// What analyses conclude without a figure being asked for: ids of their figures, each with a sentence on it.
    pub(crate) fn computed_advice(&self) -> Vec<(&'static str, Advice)> {
        if !self.is_arranged() {
            return Vec::new();
        }
        let derived = &self.derived;
        let input = |a| derived.results.input(a, self.trace(), &derived.timeline, &self.values);
        let said = self.analyses.iter().filter_map(|analysis| Some((analysis.advice?, *analysis)));
        said.flat_map(|(advice, analysis)| advice(&input(analysis))).collect()
    }

    /// All variants of the figures that these analyses compute.
    pub(crate) fn families(&self, is_meant: fn(&Analysis) -> bool) -> Vec<Family> {
        let derived = &self.derived;
        let input = |a| derived.results.input(a, self.trace(), &derived.timeline, &self.values);
        let computed = self.computed_by().into_iter().filter(|(analysis, _)| is_meant(analysis));
        computed.map(|(analysis, figure)| figure.family(&input(analysis))).collect()
    }

    fn contents(&self) -> Contents {
        let trace = self.trace();
        let count = |kind| trace.code.listings.iter().filter(move |l| l.kind == kind);
        let assembly = ListingKind::Assembly;
        let holds = |t: &Track| !t.slices.is_empty() || !t.instants.is_empty() || !t.series.is_empty();
        Contents {
            tracks: trace.tracks.iter().filter(|(_, t)| holds(t)).count() as u64,
            slices: trace.n_slices(),
            kinds: Of::ALL.map(|of| of.is_in(trace)),
            instants: trace.n_instants(),
            samples: trace.n_samples(),
            flows: trace.flows.len() as u64,
            accesses: trace.accesses.len() as u64,
            scheduled: self.schedule().map_or(0, |schedule| schedule.len() as u64),
            executions: self.n_executions(),
            planned: self.n_planned(),
            lifetimes: self.n_lifetimes(),
            counted: self.density().map_or(0, |(_, density)| density.accesses.max(1)),
            sources: count(ListingKind::Source).count() as u64,
            instructions: count(assembly).map(|l| l.lines.len() as u64).sum(),
            figures: (trace.figures.len() + self.computed().len()) as u64,
            tables: trace.tables.len() as u64,
            blocks: trace.blocks.len() as u64,
        }
    }
}

/// What can decide the colors of slices: what every trace offers, then the color schemes.
fn color_choices(trace: &Trace) -> Vec<ColorChoice> {
    let choice =
        |by: ColorBy, applies| ColorChoice { id: by.id().to_owned(), title: by.title().to_owned(), applies };
    let general = ColorBy::GENERAL.into_iter().map(|by| choice(by, true));
    let schemes = systems::color_schemes().into_iter();
    let schemes = schemes.map(|scheme| choice(ColorBy::Scheme(scheme), (scheme.applies)(trace)));
    general.chain(schemes).collect()
}
