//! A mapping tried on the first lines of a file.

use crate::base::job::{Job, Turn};
use crate::document::Document;
use crate::document::engine::{Answers, Engine};
use crate::input::{EntryId, read_range};
use crate::model::parameter::{LineReader, Parameter, ParameterKind, Preview};
use crate::views::mapping::messages::{LINES, MAPPING, MappingQuery, ROWS, Reply, TriedLine};
use crate::wire::{Answer, Question};

/// How much of a file is looked at: as much as when it is recognized.
const HEAD: u64 = 256 << 10;
/// Most bytes of a line that are tried, and that are shown.
const TRIED: usize = 2 << 10;
const SHOWN: usize = 512;
/// Lines that are tried between two pauses.
const STEP: usize = 16;
/// Most files to choose from, and most that are looked at to find a text.
const FILES: usize = 100;
const LOOKED_AT: usize = 16;
/// Most bytes of a mapping that a link takes along.
const LINKED: u64 = 8 << 10;

/// A mapping that is being tried.
pub(crate) struct Trial {
    query: MappingQuery,
    trying: Job<Reply>,
    reply: Option<Reply>,
}

/// The parameters of the systems that are loaded.
pub(crate) struct Parameters(pub(crate) fn() -> Vec<&'static Parameter>);

fn preview(doc: &Document) -> Option<Preview> {
    let of = |kind: &ParameterKind| match kind {
        ParameterKind::File { preview, .. } => *preview,
        _ => None,
    };
    let all = doc.kept.get::<Parameters>().map_or_else(Vec::new, |parameters| (parameters.0)());
    all.into_iter().filter(|parameter| parameter.id == MAPPING).find_map(|found| of(&found.kind))
}

/// The beginning of a text, at most so many bytes.
fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

impl Document {
    /// Whether an entry is no file of the user but the value of a parameter.
    pub fn is_of_parameter(&self, path: &str) -> bool {
        self.files_of_formats().iter().any(|file| file.path == path)
    }

    /// The mapping that lies beside the log and is used for it; `None` where one was handed over, or where it is too long
    /// for a link.
    pub(crate) fn mapping_beside(&self) -> Option<String> {
        if self.values.text(MAPPING).is_some_and(|text| !text.is_empty()) {
            return None;
        }
        let chosen = self.ranking.iter().flat_map(|ranking| &ranking.chosen);
        let mut entries = chosen.flat_map(|(_, claim)| &claim.entries);
        let (id, _) = entries.find(|(_, role)| *role == MAPPING)?;
        let is_short = self.bundle.get(*id).is_some_and(|entry| entry.source.len() <= LINKED);
        let text = is_short.then(|| String::from_utf8(self.head_of(*id, LINKED)).ok()).flatten()?;
        Some(text.trim().to_owned())
    }

    fn head_of(&self, entry: EntryId, bytes: u64) -> Vec<u8> {
        self.bundle.get(entry).and_then(|entry| read_range(&*entry.source, 0..bytes).ok()).unwrap_or_default()
    }

    fn begin_trial(&self, query: &MappingQuery) -> Trial {
        let files = self.bundle.iter().filter(|(_, entry)| !self.is_of_parameter(&entry.path)).take(FILES);
        let files: Vec<(EntryId, String)> = files.map(|(id, entry)| (id, entry.path.clone())).collect();
        let is_log = |(id, path): &(EntryId, String)| {
            !path.to_lowercase().ends_with(".json") && !self.head_of(*id, 1 << 12).contains(&0)
        };
        let usual = || files.iter().take(LOOKED_AT).position(is_log).unwrap_or(0);
        let file = query.file.and_then(|file| usize::try_from(file).ok()).unwrap_or_else(usual);
        let head = files.get(file).map_or(Vec::new(), |(id, _)| self.head_of(*id, HEAD));
        let is_binary = head.contains(&0);
        let is_whole = (head.len() as u64) < HEAD;
        let text = if is_binary { String::new() } else { String::from_utf8_lossy(&head).into_owned() };
        let mut lines: Vec<&str> = text.lines().collect();
        if !is_whole && 1 < lines.len() {
            lines.pop(); // it may be cut
        }
        let lines: Vec<String> =
            lines.into_iter().take(LINES).map(|line| cut(line, TRIED).to_owned()).collect();
        let mut reply = Reply { file: u32::try_from(file).unwrap_or(0), is_binary, ..Reply::default() };
        reply.files = files.into_iter().map(|(_, path)| path).collect();
        let reader = match preview(self).map(|preview| preview(&query.text)) {
            Some(Ok(reader)) => Some(reader),
            Some(Err(problem)) => {
                reply.problem = Some(problem);
                None
            }
            None => None,
        };
        let only_matches = query.only_matches;
        let trying = Job::new(async move |turn| tried(reader, lines, only_matches, reply, &turn).await);
        Trial { query: query.clone(), trying, reply: None }
    }

    /// Tries some lines; whether all were tried.
    pub(crate) fn prepare_mapping(&mut self, query: &MappingQuery) -> bool {
        let mut trial =
            match self.kept.of::<Option<Box<Trial>>>().take().filter(|trial| trial.query == *query) {
                Some(trial) => trial,
                None => Box::new(self.begin_trial(query)),
            };
        if trial.reply.is_none() {
            trial.reply = trial.trying.poll();
        }
        let is_done = trial.reply.is_some();
        *self.kept.of() = Some(trial);
        is_done
    }
}

/// Tries the lines and adds to the reply what was found.
async fn tried(
    reader: Option<Box<dyn LineReader>>,
    lines: Vec<String>,
    only_matches: bool,
    mut reply: Reply,
    turn: &Turn,
) -> Reply {
    for (at, line) in lines.iter().enumerate() {
        let found = reader.as_ref().and_then(|reader| reader.match_line(line));
        reply.lines = at as u64 + 1;
        if let Some(found) = &found {
            reply.wrong += u64::from(found.wrong.is_some());
            match reply.counts.iter_mut().find(|(field, _)| *field == found.field) {
                Some((_, n)) => *n += 1,
                None => reply.counts.push((found.field.clone(), 1)),
            }
        }
        if reply.rows.len() < ROWS && (found.is_some() || !only_matches) {
            reply.rows.push(TriedLine { number: reply.lines, text: cut(line, SHOWN).to_owned(), found });
        }
        if at % STEP == STEP - 1 {
            turn.pause().await;
        }
    }
    reply
}

fn answer(doc: &mut Document) -> Answer {
    doc.kept
        .of::<Option<Box<Trial>>>()
        .take()
        .and_then(|trial| trial.reply)
        .map_or(Answer::Cancelled, |reply| MappingQuery::reply(&reply))
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] = &[Engine::answers::<MappingQuery>()];

impl Answers for MappingQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_mapping(self)
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (answer(doc), None)
    }

    fn is_overtaken(&self, _: &Self) -> bool {
        true
    }
}
