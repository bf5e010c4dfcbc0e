//! What the tooltip says of what lies under the pointer.

use crate::base::number::thousands;
use crate::base::words::{Language, tr, tr_path};
use crate::scene::palette::Palette;
use crate::ui::overlay::tooltip::Tip;
use crate::views::timeline::messages::{SliceHead, Under};

/// The words for what lies there; `None` for an empty place.
pub(super) fn tip(under: Under, palette: &Palette, language: Language) -> Option<Tip> {
    let word = |english: &'static str| tr(language, english).to_owned();
    let swatch = |ink: &str| palette.colors.get(ink).copied();
    Some(match under {
        Under::Slice(head) => Tip {
            title: head.name.clone(),
            swatch: swatch(&head.ink),
            rows: match head.id.instant() {
                Some(_) => vec![(word("Time"), head.start.clone()), (word("Track"), place(&head, language))],
                None => vec![
                    (word("Duration"), head.duration.clone()),
                    (word("Start"), head.start.clone()),
                    (word("Track"), place(&head, language)),
                ],
            },
            ..Tip::default()
        },
        Under::Fold { n, longest, covered } => Tip {
            title: format!("{} {}", thousands(n.cast_signed()), word("slices")),
            swatch: None,
            rows: vec![
                (word("Longest"), format!("{}, {}", longest.name, longest.duration)),
                (word("Covered"), covered),
                (word("Track"), place(&longest, language)),
            ],
            hint: word("Zoom in to separate them"),
            ..Tip::default()
        },
        Under::Counter { track, time, mut values, inks } => {
            values.push((word("Time"), time));
            let swatches = inks.iter().map(|ink| swatch(ink)).collect();
            Tip { title: tr_path(language, &track), rows: values, swatches, ..Tip::default() }
        }
        Under::Row { .. } => return None,
    })
}

fn place(head: &SliceHead, language: Language) -> String {
    let own = tr_path(language, &head.track);
    if head.group.is_empty() { own } else { format!("{} / {own}", tr_path(language, &head.group)) }
}
