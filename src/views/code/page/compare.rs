//! A side beside the baseline: the column that heat follows is joined with that of the same listing, and what comes of
//! it is said above the rows.

use super::pane::Pane;
use crate::base::number::thousands;
use crate::base::words::{fill, tr};
use crate::model::id::ListingId;
use crate::ui::icon::SeverityIcon;
use crate::ui::latest::Latest;
use crate::views::code::messages::{CodeQuery, Column, ListingHead, Reply};

use leptos::prelude::*;

/// What came of joining a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joined {
    listing: ListingId,
    column: u16,
    core: u16,
    /// Rows that only this document has, and rows that only the baseline has; or why nothing was joined.
    outcome: Result<(u32, u32), String>,
}

impl Joined {
    /// Whether differences can be drawn for a listing and core.
    pub(super) fn is_of(&self, listing: ListingId, core: u16) -> bool {
        self.outcome.is_ok() && (self.listing, self.core) == (listing, core)
    }
}

/// Joins anew whenever listing, column, core or baseline change, and when either document has grown.
pub(super) fn follow(pane: Pane) {
    let context = pane.state.context;
    let key = Memo::new(move |_| {
        let listing = pane.listing()?;
        let head = listing.columns.get(usize::from(pane.heat()?))?.name.clone();
        Some((listing, pane.heat()?, head, pane.state.core.get()))
    });
    let latest = Latest::default();
    Effect::new(move || {
        let baseline = context.baseline.get();
        // What was asked of another baseline or column is dropped, also when nothing is asked now.
        latest.begin();
        let (Some(baseline), Some((head, column, name, core))) = (baseline, key.get()) else {
            return pane.joined.set(None);
        };
        context.head.with(|h| h.is_complete);
        baseline.context.head.with(|h| (h.contents.sources, h.contents.instructions, h.is_complete));
        // Launches of one kernel have a listing each.
        let is_before = |own: &ListingHead| {
            own.id < head.id && (own.kind, &own.title, &own.kernel) == (head.kind, &head.title, &head.kernel)
        };
        let nth = untrack(|| pane.state.of_side(pane.side)).iter().filter(|own| is_before(own)).count();
        let ListingHead { id: listing, kind, title, kernel, .. } = head;
        let core_name = untrack(|| pane.state.core_name());
        let wanted = Column { kind, title, kernel, nth: nth as u32, column: name, core: core_name };
        let packed = CodeQuery::Packed(wanted);
        let joined = CodeQuery::Compare { listing, column, core };
        latest.ask(async move { context.join(baseline, &packed, &joined).await }, move |answer| {
            let outcome = match answer {
                Ok(Some(Reply::Compared { new, gone, .. })) => Ok((new, gone)),
                Err(why) => Err(why),
                _ => return,
            };
            pane.joined.try_set(Some(Joined { listing, column, core, outcome }));
        });
    });
}

/// What is compared, and what only one side has.
#[component]
pub(super) fn Notice(pane: Pane) -> impl IntoView {
    let context = pane.state.context;
    let words = move || {
        let language = context.language.get();
        let joined = pane.joined.get()?;
        let listing = pane.listing().filter(|l| l.id == joined.listing)?;
        let (new, gone) = match joined.outcome {
            Ok(counts) => counts,
            Err(why) => return Some(tr(language, &why).to_owned()),
        };
        let column = listing.columns.get(usize::from(joined.column))?.name.clone();
        let values = [
            ("column", column.as_str()),
            ("n", &*thousands(i64::from(new))),
            ("m", &*thousands(i64::from(gone))),
        ];
        let phrase = if pane.is_source() {
            tr(language, "Difference in {column}. Lines with data only here: {n}, only in the baseline: {m}.")
        } else {
            tr(
                language,
                "Difference in {column}. Instructions with data only here: {n}, only in the baseline: {m}.",
            )
        };
        Some(fill(phrase, &values))
    };
    move || {
        words().map(|words| {
            view! {
                <p class="listing__notice" role="note">
                    <SeverityIcon severity="note" />
                    {words}
                </p>
            }
        })
    }
}
