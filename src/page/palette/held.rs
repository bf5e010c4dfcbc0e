//! What typed words find in the shown document: its tables at once, its slices and tracks as soon as typing rests.

use super::Found;
use crate::base::number::thousands;
use crate::base::pairs;
use crate::base::words::{phrase, tr};
use crate::navigation::search::matches;
use crate::page::state::PageState;
use crate::pane::context::ViewContext;
use crate::ui::icon::Glyph;
use crate::ui::latest::Latest;
use crate::views::timeline::messages::{Like, Reply, TimelineQuery};
use crate::wire::figures::{FigureQuery, Reply as Figures, TableHead};

use leptos::prelude::*;
use std::time::Duration;

/// How long typing must rest before the document is asked.
const REST: Duration = Duration::from_millis(120);
/// Tables that are shown at most.
const TABLES: usize = 8;

/// What is found, followed.
pub(super) fn follow(state: PageState, typed: RwSignal<String>) -> Signal<Vec<Found>> {
    let context = untrack(|| state.row()).and_then(|row| row.context.get_untracked());
    let tables = RwSignal::new(Vec::<TableHead>::new());
    let like = RwSignal::new(Like::default());
    let Some(context) = context else { return Signal::stored(Vec::new()) };
    if 0 < context.head.with_untracked(|h| h.contents.tables) {
        leptos::task::spawn_local(async move {
            let ask = FigureQuery::List;
            if let Some(Figures::List { tables: list, .. }) = context.ask(ask).await {
                tables.try_set(list);
            }
        });
    }
    let (typing, asking) = (Latest::default(), Latest::default());
    Effect::new(move || {
        let text = typed.with(|text| text.trim().to_owned());
        asking.begin();
        if text.is_empty() {
            typing.begin();
            return like.set(Like::default());
        }
        typing.after(REST, move || {
            let ask = TimelineQuery::Like(text);
            asking.ask(context.ask(ask), move |answer| {
                if let Some(Reply::Like(found)) = answer {
                    like.try_set(*found);
                }
            });
        });
    });
    Signal::derive(move || {
        let mut found = like.with(|like| of_timeline(context, like));
        if like.with(|like| like.has_terms) {
            found.insert(0, of_terms(context, typed.with(|typed| typed.trim().to_owned())));
        }
        found.extend(typed.with(|typed| tables.with(|tables| of_tables(context, tables, typed))));
        found
    })
}

fn found(group: &'static str, title: String, aside: String, act: impl Fn() + Send + Sync + 'static) -> Found {
    let act = Callback::new(move |()| act());
    Found { group, title, english: String::new(), glyph: Glyph::View, keys: &[], aside, act }
}

/// The search for what has a category, a length or arguments.
fn of_terms(context: ViewContext, text: String) -> Found {
    let aside = context.tr(phrase("Search slices and instants")).to_owned();
    found(phrase("Slices"), text.clone(), aside, move || {
        context.selection.update(|s| s.search = Some((text.clone(), None)));
        context.go.run("timeline".to_owned());
    })
}

fn of_timeline(context: ViewContext, like: &Like) -> Vec<Found> {
    let slices = like.names.iter().cloned().map(|(name, n)| {
        let act = {
            let name = name.clone();
            move || {
                context.selection.update(|s| s.search = Some((name.clone(), None)));
                context.go.run("timeline".to_owned());
            }
        };
        found(phrase("Slices"), name, thousands(n.cast_signed()), act)
    });
    let tracks = like.tracks.iter().cloned().map(|(track, path)| {
        let (group, name) = path.rsplit_once(" / ").unwrap_or(("", &path));
        let act = move || {
            context.selection.update(|s| s.track = Some(track));
            context.go.run("timeline".to_owned());
        };
        found(phrase("Tracks"), name.to_owned(), group.to_owned(), act)
    });
    slices.chain(tracks).collect()
}

fn of_tables(context: ViewContext, tables: &[TableHead], typed: &str) -> Vec<Found> {
    let language = context.language.get();
    let fits = |table: &&TableHead| {
        !typed.trim().is_empty() && matches(tr(language, &table.title), &table.title, typed)
    };
    let one = |table: &TableHead| {
        let id = table.id.clone();
        let act = move || {
            context.keep("tables", pairs::join([("table", id.as_str())]));
            context.go.run("tables".to_owned());
        };
        found(phrase("Tables"), tr(language, &table.title).to_owned(), thousands(table.rows as i64), act)
    };
    tables.iter().filter(fits).take(TABLES).map(one).collect()
}
