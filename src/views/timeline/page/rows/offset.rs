//! The dialog that sets the offset of a group or track exactly.

use super::super::state::State;
use crate::base::words::tr;
use crate::ui::overlay::dialog::Dialog;
use leptos::prelude::*;

/// Shows the dialog while an offset is being written.
#[component]
pub fn OffsetDialog(state: State) -> impl IntoView {
    let context = state.context;
    let body = move || {
        let track = state.rows().shifting.get()?;
        let now = untrack(|| state.rows().offset(track));
        let name = state.head_of(track).map_or(String::new(), |head| head.name);
        let unit = context.head.with_untracked(|h| h.clock).word();
        let text = RwSignal::new(now.to_string());
        let number = move || text.with(|t| t.trim().replace(['−', ','], "-").parse::<i64>().ok());
        let close = Callback::new(move |()| state.rows().shifting.set(None));
        let apply = move || {
            if let Some(by) = untrack(number) {
                state.set_offset(track, by);
                close.run(());
            }
        };
        let title = Signal::derive(move || format!("{} · {name}", tr(context.language.get(), "Offset")));
        let label = context.word("Delay");
        Some(view! {
            <Dialog title on_close=close>
                <p class="offset__words">{context.word("Delays all times of this track and its children; use a negative value to move them earlier. Totals, search, flows and alignment use the shifted times; exported files keep the recorded times.")}</p>
                <p class="offset__row">
                    <label class="field offset__field">
                        <span class="field__label">{label}</span>
                        <input
                            class="field__input"
                            inputmode="numeric"
                            autofocus
                            aria-invalid=move || number().is_none().then_some("true")
                            prop:value=move || text.get()
                            on:input=move |event| text.set(event_target_value(&event))
                            on:keydown=move |event| if event.key() == "Enter" { apply() }
                        />
                        <span class="field__count">{unit}</span>
                    </label>
                    <button class="button button--main" type="button" disabled=move || number().is_none() on:click=move |_| apply()>
                        {context.word("Apply")}
                    </button>
                    <button class="button" type="button" on:click=move |_| { text.set("0".to_owned()); apply(); }>
                        {context.word("Reset")}
                    </button>
                </p>
            </Dialog>
        })
    };
    view! { {body} }
}
