//! Parts of the program that could not be loaded: the report says what is missing.

use lanescope::document::Document;
use lanescope::engine::Need;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::systems::{PARTS, reads};
use std::rc::Rc;

/// Opens a trace without a part; what is said of parts.
fn said_without(part: Option<usize>) -> Vec<String> {
    let text = r#"{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}]}"#;
    let source = Rc::new(Memory(text.as_bytes().to_vec()));
    let entry = Entry { path: "trace.json".to_owned(), source };
    let mut doc = Document::new(vec![entry], Box::new(MemoryStore::default()));
    part.into_iter().for_each(|part| doc.go_without(part));
    loop {
        match doc.step() {
            Need::Again => {}
            Need::Stream { source, range } => doc.drain(&source, range, &mut [0; 256]),
            Need::Ready => break,
            Need::Failed | Need::Part(_) => panic!("it opens"),
        }
    }
    let faults = doc.faults().rows().iter().filter(|fault| fault.code == "INP-PART");
    faults.map(ToString::to_string).collect()
}

#[test]
fn what_is_missing_beside_the_reader_is_said() {
    assert!(said_without(None).is_empty());
    assert_eq!(
        said_without(Some(0)),
        ["Part of Lanescope could not be loaded: some colors, analyses and commands are missing. \
          Check your connection and open the file again."]
    );
}

#[test]
fn each_part_reads_its_formats() {
    for (part, formats) in PARTS.iter().enumerate() {
        let Some(format) = formats.and_then(|formats| formats.first()?.first()) else { continue };
        let those: Vec<usize> = (0..PARTS.len()).filter(|part| reads(*part, format)).collect();
        assert_eq!(those, [part], "{}", format.id);
    }
}
