//! The container itself: fixtures, blocks, damage, and what is no container.

use super::code::listing;
use super::{codes, family};
use crate::support::front_door::{fixtures, open_case};
use crate::support::make_ascend;
use lanescope::base::fault::Severity;
use lanescope::model::files::BlockState;
use std::fs;

#[test]
fn fixtures_are_what_the_generator_makes() {
    for (name, shows, bytes) in make_ascend::fixtures() {
        let folder = fixtures().join("msinsight").join(name);
        let file = folder.join("visualize_data.bin");
        let note = format!(
            "origin = \"made by tests/it/support/make_ascend.rs\"\nlicence = \"Apache-2.0\"\nreal = false\nshows = \"{shows}\"\n"
        );
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &bytes).unwrap();
            fs::write(folder.join("source.toml"), &note).unwrap();
        }
        let is_same = fs::read(&file).is_ok_and(|old| old == bytes);
        assert!(is_same, "{name} is not what the generator makes: UPDATE=1 cargo test writes it");
        assert_eq!(fs::read_to_string(folder.join("source.toml")).ok(), Some(note), "{name}");
    }
}

#[test]
fn traces_of_a_container_are_one_timeline() {
    let (doc, _) = open_case("msinsight", "simulator");
    let trace = doc.trace();
    // Two blocks of four MOV, four VMUL and four SET pairs each; a counter sample at 0 has no value change but stays.
    assert_eq!(trace.n_slices(), 24);
    assert_eq!(trace.n_samples(), 8);
    assert_eq!(trace.flows.len(), 8);
    assert_eq!(trace.span.map(|s| (s.start, s.end)), Some((0, 138_001)));
    let names: Vec<String> = trace.tracks.shown().iter().map(|&id| trace.track_path(id)).collect();
    assert!(names.contains(&"core0.veccore0 / MTE2".to_owned()), "{names:?}");
    assert!(trace.blocks.iter().filter(|b| b.kind == 2).all(|b| b.state == BlockState::Read));
}

#[test]
fn every_block_has_a_row_and_says_what_became_of_it() {
    let (doc, _) = open_case("msinsight", "device");
    let states: Vec<(u32, BlockState)> = doc.trace().blocks.iter().map(|b| (b.kind, b.state)).collect();
    use lanescope::model::files::BlockState::{Read, Superseded, Unknown};
    let expected = [
        (5, Read),
        (6, Read),
        (7, Read),
        (8, Read),
        (9, Read),
        (10, Read),
        (11, Read),
        (12, Read),
        (13, Read),
        (2, Read),
        (14, Read),
        (1, Read),
        (3, Read),
        (4, Read),
        (15, Read),
        (16, Unknown),
        (9, Superseded),
    ];
    assert_eq!(states, expected);
    assert_eq!(codes(&doc), ["ASC-UNKNOWN", "ASC-DUP", "ASC-FIELD"]);
    let binary: Vec<u32> = doc.trace().blocks.iter().filter(|b| b.is_binary).map(|b| b.kind).collect();
    assert_eq!(binary, [10, 11]);
    assert_eq!(doc.trace().blocks[15].name, "UNKNOWN_0x10");
}

#[test]
fn no_other_file_is_taken_for_a_container() {
    for (name, bytes, missed) in [
        ("zeros.bin", vec![0_u8; 4096], "byte 11: expected 5A, found 00"),
        ("trace.json", br#"{"traceEvents":[]}"#.to_vec(), "byte 11: expected 5A, found 74"),
        ("tiny.bin", b"abc".to_vec(), "byte 0: expected 12 bytes, found 3"),
        ("empty.bin", Vec::new(), "byte 0: expected 12 bytes, found 0"),
    ] {
        let entry = lanescope::input::Entry {
            path: name.to_owned(),
            source: std::rc::Rc::new(lanescope::input::Memory(bytes)),
        };
        let look = (lanescope::systems::ascend::reader::FORMAT.probe.look)(&entry);
        assert_eq!(look.unwrap_err().1, missed, "{name}");
    }
}

#[test]
fn what_stands_around_damage_is_read() {
    let (whole, _) = open_case("msinsight", "device");
    let (doc, ready) = open_case("msinsight", "damaged");
    assert!(ready);
    for id in ["base-info", "compute-workload-cube0", "core-occupancy"] {
        assert_eq!(family(&doc, id), family(&whole, id), "{id}");
    }
    let bars = family(&doc, "compute-workload");
    assert_eq!(bars.variants.len(), 5);
    assert_eq!(bars.variants[1].advice.iter().map(|a| &*a.text.key).collect::<Vec<_>>(), ["a", "b"]);
    let kinds: Vec<u32> = doc.trace().blocks.iter().map(|b| b.kind).collect();
    assert_eq!(kinds, [5, 6, 7, 12, 8, 1, 3, 4], "the destroyed header hides one block");
    assert_eq!(
        codes(&doc),
        ["ASC-SIZE", "ASC-SIZE", "ASC-HEADER", "ASC-ORIGINAL", "ASC-JSON", "ASC-JSON", "ASC-FIELD"]
    );
    assert_eq!(listing(&doc, "Instructions").lines.len(), 4);
}

#[test]
fn a_cut_file_keeps_what_is_there() {
    let (whole, _) = open_case("msinsight", "device");
    let (doc, ready) = open_case("msinsight", "truncated");
    assert!(ready);
    assert_eq!(doc.trace().title, whole.trace().title);
    assert_eq!(family(&doc, "core-occupancy"), family(&whole, "core-occupancy"));
    assert!(codes(&doc).contains(&"ASC-CUT"), "{:?}", codes(&doc));
    assert_eq!(doc.faults().count(Severity::Fatal), 0);
    let last = doc.trace().blocks.last().unwrap();
    assert_eq!(last.state, BlockState::Damaged);
    let rows = listing(&doc, "Instructions").lines.len();
    assert!(0 < rows && rows <= 4, "{rows}");
}

#[test]
fn a_name_as_long_as_a_source_is_cut_where_a_fault_names_it() {
    let name = "long\\nname ".repeat(1_000);
    let text = format!(
        r#"{{"Instructions Dtype":{{"Instructions":{{"{name}":1}}}},"Instructions":[{{"Address":"0x1","{name}":["abc"]}}]}}"#
    );
    let bytes = crate::support::make_ascend::Container::default().block(4, 0, text.as_bytes()).0;
    let (doc, _) = crate::support::front_door::open_one("a.bin", bytes);
    let said: Vec<String> = doc.faults().rows().iter().map(ToString::to_string).collect();
    assert!(!said.is_empty());
    assert!(said.iter().all(|text| text.len() < 600 && !text.contains('\n')), "{said:?}");
}
