//! Notes: what they are kept by, and their files.

use lanescope::base::job::run;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::input::fingerprint::fingerprint;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory, ReadError, Source};
use lanescope::model::notes::{MOST, Note, Notes, TEXT_BYTES};
use lanescope::wire::{Answer, Query};
use std::rc::Rc;

const TRACE: &[u8] = br#"[{"name": "f", "ph": "X", "ts": 0, "dur": 5, "pid": 1, "tid": 1}]"#;

fn source(bytes: Vec<u8>) -> Source {
    Rc::new(Memory(bytes))
}

/// Bytes that repeat nowhere.
fn noise(len: usize, seed: u32) -> Vec<u8> {
    (0..len as u32).map(|i| ((i ^ seed).wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn known_by(files: Vec<Source>) -> Result<String, ReadError> {
    run(|turn| fingerprint(files, turn))
}

fn of(files: &[Vec<u8>]) -> String {
    let files: Vec<Source> = files.iter().map(|bytes| source(bytes.clone())).collect();
    known_by(files).unwrap()
}

#[test]
fn files_are_known_by_their_bytes() {
    let (one, other) = (noise(3 << 20, 1), noise(300, 2));
    let known = of(&[one.clone(), other.clone()]);
    assert_eq!(known.len(), 32);
    assert_eq!(known, of(&[other.clone(), one.clone()]), "the order says nothing");
    assert_ne!(known, of(std::slice::from_ref(&one)));
    assert_ne!(of(&[vec![0; 1000]]), of(&[vec![0; 1001]]), "the length counts");
    let mut longer = one.clone();
    longer.extend_from_slice(b"more");
    assert_ne!(known, of(&[longer, other.clone()]));
    for at in [0, 5, one.len() - 1] {
        let mut changed = one.clone();
        changed[at] ^= 1;
        assert_ne!(known, of(&[changed, other.clone()]), "byte {at}");
    }
    // A file that is read whole is told by each of its bytes.
    let small = noise(200_000, 3);
    let known = of(std::slice::from_ref(&small));
    for at in (0..small.len()).step_by(9973) {
        let mut changed = small.clone();
        changed[at] ^= 128;
        assert_ne!(known, of(&[changed]), "byte {at}");
    }
    assert_eq!(of(&[]), of(&[]));
    assert_ne!(of(&[]), of(&[vec![]]));
}

/// What is kept under a fingerprint is found again by later versions; both are computed outside of this project.
#[test]
fn fingerprints_stay_what_they_are() {
    assert_eq!(of(&[noise(3_000, 7), b"x".to_vec()]), "be77c13f14bc60b70c9fa24e68a3d26a");
    assert_eq!(of(&[noise(3 << 20, 1)]), "2427a858b8ab628add68ce43b275a41a");
}

/// A source that counts what is read of it.
struct Counted(Vec<u8>, Rc<std::cell::Cell<(usize, usize)>>);

impl lanescope::input::ByteSource for Counted {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, lanescope::input::ReadError> {
        let rest = self.0.get(offset as usize..).unwrap_or(&[]);
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        let (reads, bytes) = self.1.get();
        self.1.set((reads + 1, bytes + n));
        Ok(n)
    }
}

#[test]
fn a_fingerprint_reads_little_of_much() {
    for n_files in [1, 3, 32, 100] {
        let count = Rc::new(std::cell::Cell::new((0, 0)));
        let source = |i: u32| -> Source { Rc::new(Counted(noise(1 << 20, i), Rc::clone(&count))) };
        let files: Vec<Source> = (0..n_files).map(source).collect();
        known_by(files).unwrap();
        let (reads, bytes) = count.get();
        assert!(
            0 < reads && reads <= 32 && bytes <= 512 << 10,
            "{n_files} files: {reads} reads, {bytes} bytes"
        );
    }
}

#[test]
fn a_file_that_became_shorter_has_none() {
    struct Cut;
    impl lanescope::input::ByteSource for Cut {
        fn len(&self) -> u64 {
            100
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, lanescope::input::ReadError> {
            Ok(buf.len().min(60_usize.saturating_sub(offset as usize)))
        }
    }
    let cut: Source = Rc::new(Cut);
    assert_eq!(known_by(vec![cut]).unwrap_err().0, "60 of 100 bytes could be read at 0.");
}

fn document(path: &str) -> Document {
    let entries = vec![Entry { path: path.to_owned(), source: source(TRACE.to_vec()) }];
    let (document, is_ready) = Document::open(entries, Box::new(MemoryStore::default()));
    assert!(is_ready);
    document
}

fn ask(document: &mut Document, query: Query) -> Answer {
    document.query(&query).0
}

fn notes() -> Notes {
    let note = |text: &str, time| Note {
        text: text.to_owned(),
        address: "view=timeline&window=0,5&s.timeline=marks%3D1".to_owned(),
        time,
    };
    let list =
        vec![note("first, \"quoted\"\nsecond line", 1_790_000_000_000.0), note("第二", 1_790_000_000_001.0)];
    Notes { content: "0123".to_owned(), name: "a.json".to_owned(), list }
}

#[test]
fn the_same_content_under_another_name_is_known() {
    let fingerprints = ["a.json", "folder/b.json"].map(|path| ask(&mut document(path), Query::Fingerprint));
    let [Answer::Text { text, .. }, other] = fingerprints else { panic!("no fingerprint") };
    assert_eq!(other, Answer::Text { text, left_out: 0 });
}

#[test]
fn notes_come_back_from_their_file() {
    let mut document = document("a.json");
    let Answer::Text { text, .. } = ask(&mut document, Query::NotesFile(notes())) else { panic!("no file") };
    assert!(text.starts_with("{\n") && text.contains("\"version\": 1"), "{text}");
    assert_eq!(ask(&mut document, Query::ReadNotes { text }), Answer::Notes(notes()));
}

#[test]
fn damaged_notes_are_refused_with_what_and_where() {
    let whole = r#"{"lanescope": "notes", "version": 1, "notes": [{"text": "a", "address": "", "time": 1}]}"#;
    let long = "x".repeat(TEXT_BYTES + 1);
    let many = format!("[{}]", vec![r#"{"text": "a", "address": "", "time": 1}"#; MOST + 1].join(","));
    let cases: Vec<(String, &str)> = vec![
        (whole.replace("\"time\": 1", "\"time\": "), "line 1, column 85: expected"),
        (whole.replace(", \"version\"", ",\n  \"version\" 7"), "line 2, column 13: expected"),
        (whole[..60].to_owned(), "line 1, column 61: expected"),
        (
            whole.replace("\"notes\",", "\"mapping\","),
            "\"lanescope\": \"notes\" is missing: these are no notes of Lanescope",
        ),
        (
            whole.replace("1, \"notes\"", "2, \"notes\""),
            "the notes have version 2, and only version 1 can be read",
        ),
        (whole.replace("\"version\": 1, ", ""), "the notes have version –, and only version 1 can be read"),
        (whole.replace("\"notes\": [", "\"other\": ["), "\"notes\" is missing or no list"),
        (whole.replace("\"text\": \"a\"", "\"text\": 1"), "note 1: \"text\" is missing or no text"),
        (whole.replace("\"address\": \"\", ", ""), "note 1: \"address\" is missing or no text"),
        (
            whole.replace("\"time\": 1", "\"time\": -1"),
            "note 1: \"time\" is no number of milliseconds since 1970",
        ),
        (whole.replace("\"a\"", &format!("\"{long}\"")), "note 1: \"text\" is longer than 4000 bytes"),
        (
            format!(r#"{{"lanescope": "notes", "version": 1, "notes": {many}}}"#),
            "there are 501 notes, and at most 500 can be read",
        ),
        (" ".repeat((1 << 20) + 1), "the file is larger than 1048576 bytes"),
        ("[]".to_owned(), "\"lanescope\": \"notes\" is missing: these are no notes of Lanescope"),
    ];
    let mut document = document("a.json");
    for (text, said) in cases {
        let Answer::Failed(why) = ask(&mut document, Query::ReadNotes { text: text.clone() }) else {
            panic!("read: {text:.80}")
        };
        assert!(why.starts_with(said), "{why}\nfor {text:.100}");
    }
    crate::words::chinese();
    document.set_language(Language::Zh);
    let Answer::Failed(why) = ask(&mut document, Query::ReadNotes { text: "[]".to_owned() }) else {
        panic!("read")
    };
    assert!(why.contains("这不是 Lanescope 的笔记"), "{why}");
}

#[test]
fn notes_stay_within_their_limits_and_count_once() {
    let mut all = notes();
    assert_eq!(all.join(notes().list), 0, "what is there counts once");
    assert!(!all.put(Note { text: "x".repeat(TEXT_BYTES + 1), time: 5.0, ..Note::default() }));
    let same_time = Note { text: "another".to_owned(), ..notes().list[0].clone() };
    assert_eq!(all.join(vec![same_time]), 1);
    let times: Vec<f64> = all.list.iter().map(|note| note.time).collect();
    assert_eq!(times, [1_790_000_000_000.0, 1_790_000_000_001.0, 1_790_000_000_002.0]);
    for n in 0..MOST {
        all.put(Note { text: n.to_string(), time: n as f64, ..Note::default() });
    }
    assert_eq!(all.list.len(), MOST);
    let mut large = Notes::default();
    for n in 0..MOST {
        large.put(Note { text: "y".repeat(TEXT_BYTES), time: n as f64, ..Note::default() });
    }
    assert_eq!(large.list.len(), (400 << 10) / TEXT_BYTES, "together they fit into a file that is read");
}
