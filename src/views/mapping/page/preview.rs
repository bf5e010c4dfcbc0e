//! What a mapping makes of the first lines of a log: lines with their groups, or what these mean.

use super::{EXPRESSIONS, Making};
use crate::base::number::thousands;
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::parameter::LineMatch;
use crate::ui::field::{Segmented, SelectField, Switch};
use crate::ui::words;
use crate::views::mapping::messages::{LINES, Reply, TriedLine};
use leptos::prelude::*;

/// Groups of accesses in the order of columns; each has a color.
const COLUMNS: [&str; 8] = ["cycle", "op", "size", "level", "unit", "bank", "address", "state"];

/// The modifier of a group's color.
fn color(group: &str) -> usize {
    let group = if group == "time" { "cycle" } else { group };
    1 + COLUMNS.iter().position(|own| *own == group).unwrap_or(COLUMNS.len())
}

/// The lines, and how they are shown.
#[component]
pub(super) fn Lines(making: Making) -> impl IntoView {
    let words = words();
    let mode = RwSignal::new("lines".to_owned());
    let options = Signal::derive(move || {
        let option = |(id, title): (&str, &'static str)| (id.to_owned(), words.tr(title)().to_owned());
        [("lines", phrase("Log lines")), ("values", phrase("Values"))].map(option).to_vec()
    });
    let files = Signal::derive(move || {
        let files =
            making.reply.with(|reply| reply.as_ref().map_or_else(Vec::new, |reply| reply.files.clone()));
        files.into_iter().enumerate().map(|(at, path)| (at.to_string(), path)).collect::<Vec<_>>()
    });
    let files = Memo::new(move |_| files.get());
    let file = Memo::new(move |_| making.reply.with(|r| r.as_ref().map_or(0, |r| r.file).to_string()));
    let choose = Callback::new(move |id: String| making.file.set(id.parse().ok()));
    let body = move || {
        let language = words.language();
        making.reply.with(|reply| {
            let reply = reply.as_ref()?;
            Some(match reply {
                reply if reply.is_binary => said(tr(language, "This is not a text file.")),
                reply if reply.rows.is_empty() => said(tr(language, "No line matches.")),
                reply if mode.get() == "lines" => lines(reply, language),
                reply => values(reply, language),
            })
        })
    };
    view! {
        <div class="mapping__preview">
            <div class="mapping__tools">
                <Segmented
                    label=Signal::derive(move || words.tr("Preview")().to_owned())
                    options
                    value=mode
                    on_choose=Callback::new(move |id| mode.set(id))
                    small=true
                />
                <Switch
                    label=Signal::derive(move || words.tr("Only matching lines")().to_owned())
                    checked=making.only_matches
                    on_change=Callback::new(move |is_on| making.only_matches.set(is_on))
                />
                <span class="mapping__gap"></span>
                <Show when=move || files.with(|files| 1 < files.len())>
                    <SelectField
                        label=Signal::derive(move || words.tr("File")().to_owned())
                        options=files
                        value=file
                        on_choose=choose
                    />
                </Show>
            </div>
            <div class="mapping__lines" tabindex="0" role="region" aria-label=words.tr("Preview")>{body}</div>
        </div>
    }
}

fn said(text: &'static str) -> AnyView {
    view! { <p class="detail__empty">{text}</p> }.into_any()
}

/// What a line is, and what is wrong with it.
fn meaning(found: &LineMatch, language: Language) -> String {
    let one = EXPRESSIONS.iter().find(|own| own.id == found.field).map_or("", |own| tr(language, own.one));
    match &found.wrong {
        Some(group) => fill(tr(language, "{group} is not recognized"), &[("group", group)]),
        None => one.to_owned(),
    }
}

fn lines(reply: &Reply, language: Language) -> AnyView {
    let line = |row: &TriedLine| {
        let (kind, meant) = match &row.found {
            Some(found) if found.wrong.is_some() => ("wrong", meaning(found, language)),
            Some(found) if found.field == "access" => ("access", meaning(found, language)),
            Some(found) => ("other", meaning(found, language)),
            None => ("none", String::new()),
        };
        let aside = (kind == "wrong" || kind == "other")
            .then(|| view! { <span class="mapping__meaning">{meant.clone()}</span> });
        let mut parts = Vec::new();
        let mut at = 0;
        for (name, start, end) in row.found.iter().flat_map(|found| &found.groups) {
            let (start, end) = (*start as usize, *end as usize);
            let (Some(before), Some(text)) = (row.text.get(at..start), row.text.get(start..end)) else {
                continue;
            };
            parts.push(view! { {before.to_owned()} }.into_any());
            let class = format!("mapping__group mapping__group--{}", color(name));
            parts.push(view! { <mark class=class title=name.clone()>{text.to_owned()}</mark> }.into_any());
            at = end;
        }
        parts.push(row.text.get(at..).unwrap_or("").to_owned().into_any());
        view! {
            <div class=format!("mapping__line mapping__line--{kind}") title=meant>
                <span class="mapping__number">{row.number}</span>
                <code class="mapping__text">{parts}</code>
                {aside}
            </div>
        }
    };
    reply.rows.iter().map(line).collect_view().into_any()
}

fn values(reply: &Reply, language: Language) -> AnyView {
    let found = reply.rows.iter().filter_map(|row| Some((row.number, row.found.as_ref()?)));
    let found: Vec<(u64, &LineMatch)> = found.collect();
    if found.is_empty() {
        return said(tr(language, "No line matches."));
    }
    let has = |column: &&&str| {
        found
            .iter()
            .any(|(_, found)| found.field == "access" && found.values.iter().any(|(own, _)| own == **column))
    };
    let columns: Vec<&str> = COLUMNS.iter().filter(has).copied().collect();
    let row = |(number, found): &(u64, &LineMatch)| {
        let value =
            |name: &str| found.values.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        let cells = if found.field == "access" && found.wrong.is_none() {
            let cell =
                |name: &&str| view! { <td>{value(name).map(|value| tr(language, &value).to_owned())}</td> };
            columns.iter().map(cell).collect_view().into_any()
        } else {
            let mut text = meaning(found, language);
            for (name, value) in &found.values {
                text.push_str(&format!("  {name} {value}"));
            }
            view! { <td class="mapping__other" colspan=columns.len().max(1)>{text}</td> }.into_any()
        };
        view! { <tr class:mapping__line--wrong=found.wrong.is_some()><th scope="row">{*number}</th>{cells}</tr> }
    };
    let head = |name: &&str| {
        let class = format!("mapping__group mapping__group--{}", color(name));
        view! { <th scope="col"><span class=class>{(*name).to_owned()}</span></th> }
    };
    view! {
        <table class="mapping__table mono">
            <thead><tr><th scope="col">{tr(language, "Line")}</th>{columns.iter().map(head).collect_view()}</tr></thead>
            <tbody>{found.iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// How many lines match, or why none can.
#[component]
pub(super) fn Summary(making: Making) -> impl IntoView {
    let words = words();
    move || {
        let language = words.language();
        let number = |n: u64| thousands(n.cast_signed());
        making.reply.with(|reply| {
            let reply = reply.as_ref()?;
            if let Some(problem) = &reply.problem {
                let is_empty = problem.field == "access" && making.member("access").is_empty();
                let why = problem.why.text(language).into_owned();
                return Some(if is_empty {
                    tr(language, "Write an expression for accesses.").to_owned()
                } else {
                    why
                });
            }
            let (n, of) = (number(reply.matches()), number(reply.lines));
            let text = if reply.lines < LINES as u64 {
                phrase("{n} of {of} lines match")
            } else {
                phrase("{n} of the first {of} lines match")
            };
            let mut text = fill(tr(language, text), &[("n", &n), ("of", &of)]);
            if 0 < reply.wrong {
                text.push_str(" · ");
                text.push_str(&fill(tr(language, "{n} are not recognized"), &[("n", &number(reply.wrong))]));
            }
            Some(text)
        })
    }
}
