//! The pattern of an access in words: a fixed word, what it means, the used share.

use crate::analysis::executions::pattern::{Access, Pattern};
use crate::base::number::{fixed, thousands};
use crate::base::words::{Language, fill, phrase, tr};

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
