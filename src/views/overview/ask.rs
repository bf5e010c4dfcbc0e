//! The overview is made piece by piece: what devices did, what all slices come to, then one rule after the other.

use super::messages::{EvidencePicture, OverviewQuery};
use crate::analysis::device::{Options, has_streams};
use crate::analysis::finding::{Finding, Overview, Part, PartRow};
use crate::base::brief::told;
use crate::base::geometry::{Px, Size};
use crate::base::job::Job;
use crate::base::map::Map;
use crate::base::words::Language;
use crate::document::Document;
use crate::document::engine::{Answers, Draws, Engine};
use crate::draw::style::DrawStyle;
use crate::draw::{draw, height};
use crate::findings::survey::{Survey, survey};
use crate::findings::{GENERAL, Rule, RuleInput, Summary, general_summary};
use crate::model::Trace;
use crate::model::figure::{Figure, FigureState};
use crate::model::id::SliceId;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::timeline::ask::slice::detail;
use crate::wire::{Answer, Question};
use std::cell::RefCell;
use std::rc::Rc;

/// Slices whose arguments are read at a time: each may cost a read of the file.
const READ: usize = 8;

/// About how wide pictures of evidence are, and how low and high.
const WIDTH: Px = 376.0;
const LOW: Px = 40.0;
const HIGH: Px = 120.0;

/// What is known, and what is in progress.
#[derive(Default)]
struct Made {
    of: Asked,
    /// Whether there are streams of devices, which all tracks tell.
    has_streams: bool,
    surveying: Option<Job<Survey>>,
    survey: Option<Survey>,
    overview: Overview,
    /// Whether figures are there, and whether a system has its own.
    is_summed: bool,
    is_known: bool,
    /// How many rules have looked.
    n_rules: usize,
    args: Args,
}

/// Arguments of slices that figures and rules look at. Whoever asks for some that are not known is asked again once all of
/// them are read: each may cost a read of the file.
#[derive(Default)]
struct Args {
    /// Those that are still to be read, the last of the file first.
    wanted: RefCell<Vec<SliceId>>,
    known: Map<SliceId, Vec<(String, String)>>,
}

impl Args {
    /// Those of a slice; empty where they are still to be read.
    fn of(&self, id: SliceId) -> Vec<(String, String)> {
        self.known.get(&id).cloned().unwrap_or_else(|| {
            self.wanted.borrow_mut().push(id);
            Vec::new()
        })
    }

    /// Whether nobody asked for any that are not known.
    fn are_known(&self) -> bool {
        let mut wanted = self.wanted.borrow_mut();
        wanted.sort_unstable_by(|a, b| b.cmp(a));
        wanted.dedup();
        wanted.is_empty()
    }
}

/// How much the document held: what was computed of its slices and by its analyses, and whether it is read.
type Asked = [u64; 3];

impl Document {
    fn overview_asked(&self) -> Asked {
        [self.derived.timeline.revision(), self.revision, u64::from(self.is_ready())]
    }

    /// Works for a few milliseconds on the overview; says whether the figures, and the findings beyond those of so many
    /// rules, are there.
    pub(crate) fn prepare_overview(&mut self, known: Option<usize>) -> bool {
        let asked = self.overview_asked();
        if !self.is_ready() {
            return true;
        }
        if self.kept.of::<Made>().of != asked {
            let has_streams = has_streams(self.trace());
            self.kept.set(Made { of: asked, has_streams, ..Made::default() });
        }
        // What was found out last is used in the next step.
        if let Some(trace) = self.shared_trace() {
            let options = Options::default();
            if self.kept.of::<Made>().has_streams && self.device(&options).is_none() {
                self.prepare_device(&options);
                return false;
            }
            if self.kept.of::<Made>().survey.is_none() {
                self.prepare_survey(trace);
                return false;
            }
        }
        let mut made = std::mem::take(self.kept.of::<Made>());
        let is_there = self.read_args(&mut made.args) && self.go_on(&mut made, known);
        if made.overview.is_whole {
            made.args = Args::default();
        }
        self.kept.set(made);
        is_there
    }

    /// Reads some of the arguments that were asked for; says whether that are all.
    fn read_args(&self, args: &mut Args) -> bool {
        let wanted = args.wanted.get_mut();
        for id in wanted.drain(wanted.len().saturating_sub(READ)..).rev() {
            args.known.insert(id, detail(self, id).map(|(detail, _)| detail.args).unwrap_or_default());
        }
        wanted.is_empty()
    }

    fn rule_input<'a>(
        &'a self,
        (survey, is_known): (Option<&'a Survey>, bool),
        args: &'a dyn Fn(SliceId) -> Vec<(String, String)>,
    ) -> RuleInput<'a> {
        RuleInput {
            bundle: &self.bundle,
            trace: self.trace(),
            derived: &self.derived,
            values: &self.values,
            faults: &self.sink.faults,
            device: self.device(&Options::default()),
            is_known,
            survey,
            args,
        }
    }

    fn prepare_survey(&mut self, trace: Rc<Trace>) {
        let begun = self.kept.of::<Made>().surveying.take();
        let mut job = begun.unwrap_or_else(|| {
            let timeline = self.derived.timeline.snapshot();
            Job::new(async move |turn| survey(&trace, &timeline, &turn).await)
        });
        let survey = job.poll();
        let made = self.kept.of::<Made>();
        match survey {
            None => made.surveying = Some(job),
            Some(survey) => made.survey = Some(survey),
        }
    }

    fn go_on(&self, made: &mut Made, known: Option<usize>) -> bool {
        let rules = self.rules();
        let args = |id: SliceId| made.args.of(id);
        let input = self.rule_input((made.survey.as_ref(), made.is_known), &args);
        if !made.is_summed {
            let own = self.guides.iter().find_map(|guide| (guide.summary)(&input));
            let general = general_summary(&input);
            if !made.args.are_known() {
                return false;
            }
            // Where figures of any trace stand beside its own, a system only adds to them.
            let is_beside = |own: &Summary| own.tiles.iter().any(|tile| general.tiles.contains(tile));
            let is_known = own.as_ref().is_some_and(|own| !is_beside(own));
            let summary = own.unwrap_or(general);
            (made.overview.tiles, made.overview.parts) = (summary.tiles, summary.parts);
            made.overview.parts.iter_mut().for_each(shorten);
            made.overview.lost = self.sink.faults.lost_rows();
            (made.is_summed, made.is_known) = (true, is_known);
            return known.is_none();
        }
        let Some(known) = known else { return true };
        if let Some(rule) = rules.get(made.n_rules) {
            let looked = (rule.look)(&input);
            if !made.args.are_known() {
                return false;
            }
            let before = made.overview.findings.len();
            rule.add(looked, &input, &mut made.overview);
            made.n_rules += 1;
            made.overview.n_looked = made.n_rules as u32;
            made.overview.is_whole = made.n_rules == rules.len();
            return made.overview.is_whole || before < made.overview.findings.len() && known < made.n_rules;
        }
        made.overview.is_whole = true;
        true
    }

    /// The rules about this document: of systems, then the general ones.
    fn rules(&self) -> Vec<&'static Rule> {
        let own = self.guides.iter().flat_map(|guide| guide.rules);
        own.chain(GENERAL.iter().copied().flatten()).copied().collect()
    }

    /// The overview as far as it was prepared.
    pub fn overview(&self) -> Option<&Overview> {
        self.kept.get::<Made>().filter(|made| made.of == self.overview_asked()).map(|made| &made.overview)
    }

    /// The whole overview.
    pub fn whole_overview(&mut self) -> Overview {
        while self.overview().is_none_or(|overview| !overview.is_whole) {
            if self.prepare_overview(Some(usize::MAX)) {
                break;
            }
        }
        self.overview().cloned().unwrap_or_default()
    }
}

/// Names of rows in short, as tables show them; what is short already stays.
fn shorten(part: &mut Part) {
    let names: Vec<String> = part.rows.iter().map(|row| row.name.text(Language::En).into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for ((row, told), name) in part.rows.iter_mut().zip(told(&names)).zip(names) {
        row.kept = told.kept;
        if told.text != name {
            if row.whole.is_empty() {
                name.clone_into(&mut row.whole);
            }
            row.name = told.text.into();
        }
    }
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] = &[Engine::answers::<OverviewQuery>(), Engine::draws::<EvidencePicture>()];

impl Answers for OverviewQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_overview(match self {
            Self::Summary => None,
            Self::Findings { known } => Some(*known as usize),
            Self::Beside { .. } => Some(usize::MAX),
        })
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        let (asked, language) = (doc.overview_asked(), doc.language());
        let made = doc.kept.of::<Made>();
        if made.of != asked {
            return (Self::reply(&Overview::default()), None);
        }
        for Finding { evidence, .. } in &mut made.overview.findings {
            // The picture is drawn here: the page knows its height.
            let height = |figure: &Figure| height(figure, WIDTH, language).clamp(LOW, HIGH);
            evidence.height = evidence.figure.as_ref().map_or(0.0, height);
        }
        // What is not asked for stays here.
        let all: Vec<Vec<PartRow>> =
            made.overview.parts.iter_mut().map(|part| std::mem::take(&mut part.beyond)).collect();
        if let Self::Beside { names } = self {
            for (part, all) in made.overview.parts.iter_mut().zip(&all) {
                let is_asked = |row: &&PartRow| names.iter().any(|name| *name == row.whole_name());
                part.beyond = all.iter().filter(is_asked).cloned().collect();
            }
        }
        let reply = Self::reply(&made.overview);
        made.overview.parts.iter_mut().zip(all).for_each(|(part, all)| part.beyond = all);
        (reply, None)
    }
}

impl Draws for EvidencePicture {
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, ()) {
        let look = DrawStyle { palette, language: doc.language() };
        let of = |overview: &Overview| {
            let is_meant = |finding: &&Finding| finding.rule == self.rule && finding.subject == self.subject;
            let figure = overview.findings.iter().find(is_meant)?.evidence.figure.as_ref()?;
            Some(draw(figure, size, &look, &FigureState::default()))
        };
        (doc.overview().and_then(of).unwrap_or_else(|| Scene::new(size)), ())
    }
}
