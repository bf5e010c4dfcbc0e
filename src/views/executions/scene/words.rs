//! The pattern of an access in words: a fixed word, what it means, the used share.

use super::Plot;
use crate::base::number::{fixed, thousands};
use crate::base::words::{Language, fill, phrase, tr};
use crate::views::executions::compute::Parting;
use crate::views::executions::compute::pattern::{Access, Pattern};

/// An access of memory with sectors in words.
pub fn sector_words(access: &Access, sector: u64, language: Language) -> String {
    let (lanes, sectors) = (thousands(access.lanes), thousands(access.sectors));
    let words = match access.pattern {
        Pattern::None => return tr(language, phrase("none: no lane took part")).to_owned(),
        Pattern::Single => tr(language, phrase("single: one lane")).to_owned(),
        Pattern::Uniform => tr(language, phrase("uniform: all lanes take one address")).to_owned(),
        Pattern::Unit => tr(language, phrase("unit: each lane follows the one before")).to_owned(),
        Pattern::Stride(by) => {
            let together = sector.checked_div(by.unsigned_abs()).unwrap_or(0).max(1);
            let words = if together < 2 {
                phrase("stride {k}: each lane takes its own sector")
            } else {
                phrase("stride {k}: {n} lanes share a sector")
            };
            fill(tr(language, words), &[("k", &thousands(by)), ("n", &thousands(together))])
        }
        Pattern::Segmented => {
            let words = tr(language, phrase("segmented: runs of neighbors in {n} sectors"));
            fill(words, &[("n", &sectors)])
        }
        Pattern::Irregular => {
            let words = tr(language, phrase("irregular: {lanes} lanes meet in {n} sectors"));
            fill(words, &[("lanes", &lanes), ("n", &sectors)])
        }
    };
    let share = fixed(access.used().unwrap_or(0.0) * 100.0, 1);
    let used = fill(tr(language, phrase("{n} % of moved bytes used")), &[("n", &share)]);
    format!("{words}, {used}")
}

/// An access of memory with banks in words; `asked` is how many times one bank is asked at most.
pub fn bank_words(access: &Access, asked: u32, language: Language) -> String {
    let word = match access.pattern {
        Pattern::None => return tr(language, phrase("none: no lane took part")).to_owned(),
        Pattern::Single => tr(language, phrase("single")).to_owned(),
        Pattern::Uniform => tr(language, phrase("uniform")).to_owned(),
        Pattern::Unit => tr(language, phrase("unit")).to_owned(),
        Pattern::Stride(by) => fill(tr(language, phrase("stride {k}")), &[("k", &thousands(by))]),
        Pattern::Segmented => tr(language, phrase("segmented")).to_owned(),
        Pattern::Irregular => tr(language, phrase("irregular")).to_owned(),
    };
    let banks = if asked < 2 {
        tr(language, phrase("no bank conflict")).to_owned()
    } else {
        fill(tr(language, phrase("one bank is asked {n} times")), &[("n", &thousands(asked))])
    };
    format!("{word}: {banks}")
}

/// The share of lanes that were active: at most, where lanes were recorded for blocks; with how many instructions it is
/// of, where these are not all.
pub fn lanes_words(share: f64, is_at_most: bool, of: Option<u64>, language: Language) -> String {
    let words = match of {
        _ if is_at_most => phrase("≤ {n} % of lanes active (recorded per block)"),
        Some(_) => phrase("{n} % of lanes active, of {k} instructions with a mask"),
        None => phrase("{n} % of lanes active"),
    };
    let of = of.map(thousands).unwrap_or_default();
    fill(tr(language, words), &[("n", &fixed(share * 100.0, 1)), ("k", &of)])
}

/// What a launch was combined from: records by type, or just their number.
pub fn combined_words(records: &[(String, u64)], language: Language) -> Option<String> {
    let one = |(name, n): &(String, u64)| {
        let n = thousands(*n);
        if name.is_empty() { n } else { format!("{name} {n}") }
    };
    let list = records.iter().map(one).collect::<Vec<_>>().join(" + ");
    let words = tr(language, phrase("combined from {list} records"));
    (!records.is_empty()).then(|| fill(words, &[("list", &list)]))
}

/// Where two threads part, in a sentence.
pub fn parting_words(plot: &Plot, parting: Parting, language: Language) -> String {
    let label = |block: u32| plot.run.label(block).to_owned();
    let n = thousands(parting.common);
    let last = plot.pair.and_then(|([thread, _], _)| {
        let all = plot.run.range(thread);
        let at = (parting.common as usize).checked_sub(1)?.checked_add(all.start)?;
        Some(label(plot.run.block(at)))
    });
    let last = last.unwrap_or_default();
    let sentence = match (parting.common, parting.next) {
        (_, [None, None]) => phrase("Both threads ran the same {n} blocks."),
        (0, [Some(_), Some(_)]) => phrase("The threads part at once: A began in {a}, B in {b}."),
        (_, [Some(_), Some(_)]) => {
            phrase("Both were in {block}; A went to {a}, B to {b}, behind {n} common blocks.")
        }
        (_, [None, _]) => phrase("A ended in {block}; B went to {b}, behind {n} common blocks."),
        (_, [_, None]) => phrase("B ended in {block}; A went to {a}, behind {n} common blocks."),
    };
    let [a, b] = parting.next.map(|next| next.map_or_else(String::new, label));
    let mut words = fill(tr(language, sentence), &[("n", &n), ("block", &last), ("a", &a), ("b", &b)]);
    if let Some(from) = parting.lanes_from {
        let lanes = fill(
            tr(language, phrase("Their active lanes differ from block {n} on.")),
            &[("n", &thousands(from))],
        );
        words.push(' ');
        words.push_str(&lanes);
    }
    words
}
