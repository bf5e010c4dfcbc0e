//! When tracks do nothing: busy and idle time of each, its longest gap, and all gaps.

use super::area::{AreaTable, AreaWords, answer, argument, save, shown};
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::ui::field::{Segmented, Switch};
use crate::views::timeline::area::{AreaQuery, Reply};
use crate::views::timeline::page::state::State;
use crate::wire::rows::Source;
use leptos::prelude::*;

/// The panel.
#[allow(clippy::too_many_lines)] // two tables with their switches
#[component]
pub(super) fn IdlePanel(state: State) -> impl IntoView {
    let context = state.context;
    let area = shown(state, false);
    let waits = state.waits;
    let show = RwSignal::new("tracks".to_owned());
    let options = Signal::derive(move || {
        let language = context.language.get();
        [("tracks", phrase("Tracks")), ("gaps", phrase("Gaps"))]
            .map(|(id, title)| (id.to_owned(), tr(language, title).to_owned()))
            .to_vec()
    });
    let reply = answer(state, Signal::derive(move || area.get().map(AreaQuery::Devices)));
    let on_save = move |_| {
        if let Some(area) = area.get_untracked() {
            let third = if waits.get_untracked() { ":waits" } else { "" };
            save(state, format!("gaps-csv:{}{third}", argument(&area)));
        }
    };
    let devices = move || {
        let language = context.language.get();
        reply.with(|reply| {
            let Some(Reply::Devices(devices)) = reply else { return String::new() };
            let one = |(name, n, share): &(String, u64, f64)| {
                let values =
                    [("name", name.clone()), ("share", fixed(share * 100.0, 1)), ("n", n.to_string())];
                let values = values.each_ref().map(|(key, value)| (*key, value.as_str()));
                fill(tr(language, "{name}: {share} % of recorded time busy, streams: {n}"), &values)
            };
            devices.iter().take(8).map(one).collect::<Vec<_>>().join(" · ")
        })
    };
    let is_gaps = Memo::new(move |_| show.with(|show| show == "gaps"));
    let source = Signal::derive(move || {
        let (area, waits) = (area.get()?, waits.get());
        Some(if is_gaps.get() { Source::Gaps { area, waits } } else { Source::Idle { area, waits } })
    });
    let counts = RwSignal::new((0_u64, 0_u64));
    let on_count = Some(Callback::new(move |count| {
        counts.try_set(count);
    }));
    let hint = move || {
        let language = context.language.get();
        let (n, m) = counts.get();
        let words = match n == m {
            _ if !is_gaps.get() => phrase("Press Enter or double-click to go to the longest gap."),
            true => phrase("Gaps: {n}"),
            false => phrase("Gaps: {n} (longest {m} listed)"),
        };
        let [n, m] = [n, m].map(|n| thousands(n.cast_signed()));
        fill(tr(language, words), &[("n", &n), ("m", &m)])
    };
    let table = move || {
        let label =
            if is_gaps.get() { phrase("Gaps in range") } else { phrase("Busy and idle time by track") };
        view! { <AreaTable state label=context.word(label) source on_count /> }
    };
    view! {
        <div class="detail__tools">
            <Segmented label=context.word("Show as") options value=show on_choose=Callback::new(move |id| show.set(id)) small=true />
            <Switch label=context.word("Count waiting as busy") checked=waits on_change=Callback::new(move |on| waits.set(on)) />
            <AreaWords state area />
            <button class="button button--text" type="button" on:click=on_save>{context.word("Idle gaps as CSV")}</button>
        </div>
        <p class="detail__devices">{devices}</p>
        {table}
        <p class="detail__hint">{hint}</p>
    }
}
