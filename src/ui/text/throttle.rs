//! Text that would change with every frame of a gesture.

use leptos::prelude::*;
use std::time::Duration;

/// Digits that change more often than this cannot be read, and each change costs the page a layout.
const BEAT_MS: f64 = 100.0;

/// A text as it is to be read: the first change is shown at once, those that follow at most ten times a second, the
/// last one always.
pub fn calm(text: impl Fn() -> String + Send + Sync + 'static) -> ReadSignal<String> {
    let latest = Memo::new(move |_| text());
    let (shown, show) = signal(latest.get_untracked());
    let last = StoredValue::new(f64::NEG_INFINITY);
    let is_due = StoredValue::new(false);
    let now = || window().performance().map_or(0.0, |p| p.now());
    let write = move || {
        // The timer may outlive the text.
        if let Some(text) = latest.try_get_untracked()
            && shown.try_with_untracked(|shown| *shown != text).unwrap_or(false)
        {
            show.try_set(text);
        }
        last.try_set_value(now());
        is_due.try_set_value(false);
    };
    Effect::new(move || {
        latest.with(|_| ());
        let rest = last.get_value() + BEAT_MS - now();
        if rest <= 0.0 {
            write();
        } else if !is_due.get_value() {
            is_due.set_value(true);
            set_timeout(write, Duration::from_millis(rest.ceil() as u64));
        }
    });
    shown
}
