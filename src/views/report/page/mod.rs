//! Which files were read how, and every fault: the view that explains what the other views show and do not show.
//!
//! Needs nothing of a document. Every table can be copied; the whole report is one press away.

mod faults;

use crate::base::number::{file_size, offset, thousands};
use crate::base::words::{Message, fill, message, phrase, tr};
use crate::model::files::Missing;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::rows::LocalTable;
use crate::scene::table::{Cell, Column};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::Dialog;
use crate::ui::{Words, copy_text, words};
use crate::wire::report::{BlockRow, Head, Report};
use crate::wire::{Answer, Query};
use faults::FaultSection;
use leptos::prelude::*;

/// The report.
pub static VIEW: ViewSpec = ViewSpec {
    id: "report",
    title: phrase("Report"),
    question: "How were the files read, and what is wrong with them?",
    can_show: |_| true,
    badge: troubles,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <OfDocument context /> }.into_any()
}

/// How sure a format is, as reports name it.
const DEGREES: [&str; 3] = [phrase("Certain"), phrase("Likely"), phrase("Possible")];

/// Faults that cost something; notes do not count.
fn troubles(head: &Head) -> Option<u64> {
    let [_, warnings, losses, fatal] = head.faults;
    Some(warnings + losses + fatal).filter(|n| 0 < *n)
}

#[component]
fn OfDocument(context: ViewContext) -> impl IntoView {
    let report = RwSignal::new(None::<Report>);
    let asked = Memo::new(move |_| {
        let head = context.head.get();
        (head.is_complete, head.faults, context.language.get())
    });
    Effect::new(move |_| {
        let _ = asked.get();
        leptos::task::spawn_local(async move {
            if let Answer::Report(answer) = context.ask(Query::Report).await {
                report.try_set(Some(*answer));
            }
        });
    });
    // Damage of a baseline changes what a comparison says.
    let before = RwSignal::new(None::<Report>);
    let asked = Memo::new(move |_| {
        let baseline = context.baseline.get()?.context;
        let head = baseline.head.get();
        Some((baseline.document, head.is_complete, head.faults))
    });
    Effect::new(move |_| {
        let Some(key) = asked.get() else { return before.set(None) };
        let Some(baseline) = context.baseline.get_untracked() else { return };
        leptos::task::spawn_local(async move {
            if let Answer::Report(answer) = baseline.context.ask(Query::Report).await
                && asked.try_get_untracked().flatten() == Some(key)
            {
                before.try_set(Some(*answer).filter(|report| !report.faults.is_empty()));
            }
        });
    });
    let old = move || {
        before.get().map(|Report { faults, text, .. }| {
            let title = phrase("Problems in the baseline");
            view! { <FaultSection title faults text has_missing=false /> }
        })
    };
    let old = ViewFn::from(old);
    move || {
        let baseline = old.clone();
        report.get().map(|report| view! { <ReportBody report context baseline /> })
    }
}

/// A report that is at hand; with a context its blocks can be opened.
#[component]
pub fn ReportBody(
    report: Report,
    /// The document, when it is open.
    #[prop(optional, into)]
    context: Option<ViewContext>,
    /// What is wrong with the files that it is compared with.
    #[prop(optional)]
    baseline: Option<ViewFn>,
) -> impl IntoView {
    let opened = RwSignal::new(None::<(String, String)>);
    let Report { files, claims, near, faults, dropped, missing, blocks, longest_step, text, .. } = report;
    let has_missing = !missing.is_empty();
    view! {
        <div class="report" tabindex="0" role="region" aria-label=words().tr("Report")>
            <div class="report__sheet">
                <FaultSection title=phrase("Problems") faults text has_missing />
                {baseline.map(|baseline| move || baseline.run())}
                <FileSection files context />
                <ClaimSection claims near context />
                <MissingSection missing />
                <DropSection dropped />
                <StepSection longest=longest_step />
                <BlockSection blocks context opened />
            </div>
        </div>
        {move || opened.get().map(|(title, text)| view! {
            <Dialog
                title=Signal::stored(title)
                class="dialog--text"
                tools=ViewFnOnce::from({
                    let text = text.clone();
                    move || view! { <CopyButton text /> }
                })
                on_close=Callback::new(move |()| opened.set(None))
            >
                <pre class="dialog__text">{text}</pre>
            </Dialog>
        })}
    }
}

#[component]
fn CopyButton(text: String) -> impl IntoView {
    let words = words();
    let is_copied = RwSignal::new(false);
    let copy = move |_| {
        copy_text(&text, move |worked| {
            is_copied.try_set(worked);
        });
    };
    view! {
        <button class="button button--plain" type="button" on:click=copy>
            <Icon glyph=Glyph::Copy />
            {move || if is_copied.get() { words.tr("Copied")() } else { words.tr("Copy")() }}
        </button>
    }
}

/// Rows of a list; of more a table is shown, of which only the visible ones exist.
const LISTED: usize = 50;

#[component]
fn FileSection(files: Vec<(String, u64, String)>, context: Option<ViewContext>) -> impl IntoView {
    let words = words();
    let formats = context.map_or(Vec::new(), |context| context.head.get_untracked().formats);
    let count = files.len();
    let read_by = move |format: &str| {
        let title = formats.iter().find(|(id, _)| id == format).map_or(format, |(_, title)| title);
        if title.is_empty() { words.tr("not read")() } else { tr(words.language(), title) }.to_owned()
    };
    let list = if LISTED < count {
        let columns = move || {
            vec![
                Column::text(0, words.tr("Path")(), 0.0),
                Column::text(1, words.tr("Format")(), 260.0),
                Column::number(2, words.tr("Size")(), "", 110.0),
            ]
        };
        let rows = move || {
            let row = |(path, bytes, format): &(String, u64, String)| {
                let size = Cell::number(file_size(*bytes), *bytes as f64);
                vec![Cell::text(path.as_str()), Cell::text(read_by(format)).second(), size]
            };
            files.iter().map(row).collect()
        };
        long_table(("files", phrase("Files")), Signal::derive(columns), Signal::derive(rows), None, context)
    } else {
        let row = |(path, bytes, format): (String, u64, String)| {
            let read_by = read_by.clone();
            view! {
                <li class="report__row report__row--plain">
                    <span class="report__what">
                        {path}<span class="report__why">" "{move || read_by(&format)}</span>
                    </span>
                    <span class="report__aside">{file_size(bytes)}</span>
                </li>
            }
        };
        let rows: Vec<_> = files.into_iter().map(row).collect();
        view! { <ul class="report__list">{rows}</ul> }.into_any()
    };
    section(words.tr("Files"), thousands(count as i64), list)
}

/// A part of the report with its head.
fn section(
    title: impl IntoView + 'static,
    scope: impl IntoView + 'static,
    body: impl IntoView + 'static,
) -> impl IntoView {
    view! {
        <section class="report__section">
            <div class="report__head">
                <h2 class="report__title">{title}</h2>
                <span class="report__scope">{scope}</span>
            </div>
            {body}
        </section>
    }
}

/// A table in a section of its own.
fn long_table(
    (name, label): (&'static str, &'static str),
    columns: Signal<Vec<Column>>,
    rows: Signal<Vec<Vec<Cell>>>,
    on_open: Option<Callback<usize>>,
    context: Option<ViewContext>,
) -> AnyView {
    let words = words();
    let label = Signal::derive(move || words.tr(label)().to_owned());
    view! { <div class="report__blocks"><LocalTable context name label columns rows on_open /></div> }
        .into_any()
}

/// What became of a claim, or of a format that has none.
fn fate(is_chosen: bool) -> &'static str {
    if is_chosen { phrase("read by this format") } else { phrase("another format matched better") }
}

/// A format that was tried: title, reason, how sure it is, what became of it.
type Tried = (String, Message, &'static str, &'static str);

#[component]
fn ClaimSection(
    claims: Vec<(String, String, Message, bool)>,
    near: Vec<(String, String, Message)>,
    context: Option<ViewContext>,
) -> impl IntoView {
    let words = words();
    let is_known = claims.iter().any(|claim| claim.3);
    let claims = claims.into_iter().map(|(format, degree, reason, is_chosen)| {
        let degree = DEGREES.into_iter().find(|known| *known == degree).unwrap_or_default();
        (format, reason, degree, fate(is_chosen))
    });
    let near = near.into_iter().map(|(format, entry, missed)| {
        let missed = message("{entry}: {missed}").with("entry", entry).with_message("missed", missed);
        (format, missed, "", phrase("not recognized"))
    });
    // Where one format is right, why others are not matters to few.
    let (tried, others): (Vec<Tried>, Vec<Tried>) = if is_known {
        (claims.collect(), near.collect())
    } else {
        (claims.chain(near).collect(), Vec::new())
    };
    let list = |name, of| tried_list(name, of, context);
    let others = (!others.is_empty()).then(|| {
        let n = others.len().to_string();
        let count = move || fill(words.tr(phrase("{n} formats ruled out"))(), &[("n", &n)]);
        view! { <details class="report__same"><summary>{count}</summary>{list("other-formats", others)}</details> }
    });
    let list = view! { {list("formats", tried)} {others} };
    section(words.tr("Formats"), words.tr("formats tried, with the reason for each result"), list)
}

/// Formats with what became of each; many of them as a table.
fn tried_list(name: &'static str, tried: Vec<Tried>, context: Option<ViewContext>) -> AnyView {
    let words = words();
    let result = move |degree: &'static str, fate: &'static str| {
        let fate = words.tr(fate)();
        if degree.is_empty() { fate.to_owned() } else { format!("{}, {fate}", words.tr(degree)()) }
    };
    if LISTED < tried.len() {
        let columns = move || {
            vec![
                Column::text(0, words.tr("Format")(), 260.0),
                Column::text(1, words.tr("Reason")(), 0.0),
                Column::text(2, words.tr("Result")(), 240.0),
            ]
        };
        let rows = move || {
            let row = |(format, reason, degree, fate): &Tried| {
                let reason = Cell::text(reason.text(words.language()).into_owned()).second();
                vec![
                    Cell::text(tr(words.language(), format)),
                    reason,
                    Cell::text(result(degree, fate)).second(),
                ]
            };
            tried.iter().map(row).collect()
        };
        return long_table(
            (name, phrase("Formats")),
            Signal::derive(columns),
            Signal::derive(rows),
            None,
            context,
        );
    }
    let row = |(format, reason, degree, fate_of): Tried| {
        view! {
            <li class="report__row report__row--plain" class:report__row--withdrawn=fate_of != fate(true)>
                <div>
                    <p class="report__what">{move || tr(words.language(), &format).to_owned()}</p>
                    <p class="report__why">{move || reason.text(words.language()).into_owned()}</p>
                </div>
                <span class="report__aside">{move || result(degree, fate_of)}</span>
            </li>
        }
    };
    let rows: Vec<_> = tried.into_iter().map(row).collect();
    view! { <ul class="report__list">{rows}</ul> }.into_any()
}

#[component]
fn MissingSection(missing: Vec<Missing>) -> impl IntoView {
    let words = words();
    let is_empty = missing.is_empty();
    let rows = missing.into_iter().map(|Missing { title, why, .. }| {
        let title = move || tr(words.language(), &title).to_owned();
        let why = move || why.text(words.language()).into_owned();
        view! {
            <li class="report__row report__row--plain">
                <span class="report__what">{title}<span class="report__why">" "{why}</span></span>
            </li>
        }
    });
    let rows: Vec<_> = rows.collect();
    (!is_empty).then(|| {
        section(
            words.tr("Not in the files"),
            words.tr("what was not recorded"),
            view! { <ul class="report__list">{rows}</ul> },
        )
    })
}

#[component]
fn DropSection(dropped: Vec<(String, u64)>) -> impl IntoView {
    let words = words();
    let is_empty = dropped.is_empty();
    let rows = dropped.into_iter().map(|(reason, n)| {
        let reason = StoredValue::new(reason);
        view! {
            <li class="report__row report__row--plain">
                <span class="report__what">
                    {move || tr(words.language(), &reason.get_value()).to_owned()}
                </span>
                <span class="report__aside">{thousands(n.cast_signed())}</span>
            </li>
        }
    });
    let rows: Vec<_> = rows.collect();
    (!is_empty).then(|| {
        section(
            words.tr("Not in the trace"),
            words.tr("count by reason"),
            view! { <ul class="report__list">{rows}</ul> },
        )
    })
}

#[component]
fn StepSection(longest: Option<(String, f64)>) -> impl IntoView {
    let words = words();
    longest.map(|(what, millis)| {
        section(
            words.tr("Longest task"),
            words.tr("longest time the worker for this file was busy without a break"),
            view! {
                <ul class="report__list">
                    <li class="report__row report__row--plain">
                        <span class="report__what">{move || tr(words.language(), &what).to_owned()}</span>
                        <span class="report__aside">{format!("{millis:.0} ms")}</span>
                    </li>
                </ul>
            },
        )
    })
}

#[component]
fn BlockSection(
    blocks: Vec<BlockRow>,
    context: Option<ViewContext>,
    opened: RwSignal<Option<(String, String)>>,
) -> impl IntoView {
    let words = words();
    let is_empty = blocks.is_empty();
    let has_entries = blocks.iter().any(|block| block.entry != blocks[0].entry);
    let has_paths = has_entries || blocks.iter().any(|block| !block.path.is_empty());
    let cells = {
        let blocks = blocks.clone();
        move || blocks.iter().map(|block| block_cells(block, has_entries, words)).collect::<Vec<_>>()
    };
    let columns = move || block_columns(words, has_paths);
    let on_open = Callback::new(move |at: usize| {
        if let (Some(context), Some(block)) = (context, blocks.get(at)) {
            open_block(context, block, words, opened);
        }
    });
    (!is_empty).then(|| {
        section(
            words.tr("File blocks"),
            words.tr("in file order; press Enter or double-click to open one as text"),
            long_table(
                ("blocks", phrase("File blocks")),
                Signal::derive(columns),
                Signal::derive(cells),
                Some(on_open),
                context,
            ),
        )
    })
}

/// The widest column is that of the paths, where there are some.
fn block_columns(words: Words, has_paths: bool) -> Vec<Column> {
    let (of_types, of_paths) = if has_paths { (260.0, 0.0) } else { (0.0, 80.0) };
    vec![
        Column::number(0, words.tr("Byte")(), "", 130.0),
        Column::text(1, words.tr("Type")(), of_types),
        Column::text(2, words.tr("Path")(), of_paths),
        Column::number(3, words.tr("Size")(), "B", 110.0),
        Column::number(4, words.tr("Repeated")(), "", 110.0),
        Column::text(5, words.tr("Result")(), 240.0),
    ]
}

/// With several files the path tells which one a block is in.
fn block_cells(block: &BlockRow, has_entries: bool, words: Words) -> Vec<Cell> {
    let n = |value: u64| Cell::number(thousands(value.cast_signed()), value as f64);
    let state = tr(words.language(), &block.state);
    let path = if block.path.is_empty() && has_entries { &block.entry } else { &block.path };
    let more = if block.more == 0 { Cell::default() } else { n(u64::from(block.more)) };
    vec![
        Cell { full: offset(block.offset), ..n(block.offset) },
        Cell::text(format!("{:02X} {}", block.kind, block.name)),
        Cell::text(path.clone()).second(),
        n(block.bytes),
        more,
        Cell::text(state).second(),
    ]
}

fn open_block(
    context: ViewContext,
    block: &BlockRow,
    words: Words,
    opened: RwSignal<Option<(String, String)>>,
) {
    let title = format!("{:02X} {}, {}", block.kind, block.name, offset(block.offset));
    let row = block.row;
    leptos::task::spawn_local(async move {
        match context.ask(Query::Block { block: row }).await {
            Answer::Text { text, left_out } => {
                let cut = if left_out == 0 {
                    String::new()
                } else {
                    let left = thousands(left_out.cast_signed());
                    format!("\n\n{}", fill(words.now("… {n} more bytes"), &[("n", &left)]))
                };
                opened.try_set(Some((title, text + &cut)));
            }
            Answer::Failed(why) => context.say.run((why, true)),
            _ => {}
        }
    });
}
