//! Captures of devices and traces with one behaviour each, where they are at hand: `LANESCOPE_CORPUS` names the folder.

use super::classic::{Forms, compare};
use crate::support::corpus::corpus;
use crate::support::front_door::open;
use lanescope::systems::android::nnapi::mark::Marks;
use std::fs;

#[test]
fn rows_of_the_corpus_are_those_of_a_slow_twin() {
    let Some(folder) = corpus("") else { return };
    let (forms, mut n, mut rows) = (Forms::new(), 0, 0);
    for set in ["nnapi/synth", "nnapi/aosp"] {
        let files = fs::read_dir(folder.join(set)).unwrap().map(|entry| entry.unwrap().path());
        for path in files.filter(|path| path.extension().is_some_and(|e| e == "txt" || e == "html")) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = fs::read(&path).unwrap();
            let is_trace = memchr::memmem::find(&bytes, b"tracing_mark_write").is_some();
            let twin = forms.read(&bytes);
            for chunk in [61, 8_192] {
                let (doc, is_ready) = open(vec![(name.clone(), bytes.clone())], chunk);
                assert_eq!(is_ready, is_trace, "{name}");
                if is_trace {
                    compare(&doc, &twin).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
                    rows += Marks::of(doc.trace()).len();
                }
            }
            n += usize::from(is_trace);
        }
    }
    eprintln!("{n} files of the corpus read twice, {rows} rows of marks");
    assert!(80 < n);
}
