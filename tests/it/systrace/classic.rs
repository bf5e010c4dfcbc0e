//! What the AOSP parser takes, and where it stops: the fast reader against a slow twin by patterns, on damaged files.

use crate::support::front_door::{cases, files_of, open};
use crate::support::mutate::Seeded;
use lanescope::base::map::{Map, Set};
use lanescope::document::Document;
use lanescope::systems::android::nnapi::mark::Marks;
use regex_lite::Regex;

/// What a slow reader makes of a text: rows as the tests write them, the threads it follows, and where it stops.
pub(super) struct Twin {
    pub(super) rows: Vec<(String, String)>,
    pub(super) threads: Set<String>,
    pub(super) stop: Option<String>,
}

/// The two forms of rows.
pub(super) struct Forms([Regex; 3]);

impl Forms {
    pub(super) fn new() -> Self {
        let end = r"(?<time>[0-9]+\.[0-9]+): tracing_mark_write: (?<mark>[BE].*)$";
        let head = r"^\s*(?<task>[^ ].{1,15})-(?<pid>[0-9]+)";
        Self([
            Regex::new(&format!(r"{head}\s+\(\s*(?<tgid>[0-9-]+)\) .* {end}")).unwrap(),
            Regex::new(&format!("{head} .* {end}")).unwrap(),
            Regex::new(r"^[BE]\|([0-9]+)").unwrap(),
        ])
    }

    /// Reads a text as the AOSP parser does, in the plainest way.
    pub(super) fn read(&self, bytes: &[u8]) -> Twin {
        let mut twin = Twin { rows: Vec::new(), threads: Set::default(), stop: None };
        let Ok(text) = std::str::from_utf8(bytes) else {
            twin.stop = Some("UnicodeDecodeError".to_owned());
            return twin;
        };
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut seen = Map::default();
        let mut is_inside = false;
        for (number, line) in (1..).zip(text.split('\n')) {
            is_inside |= line.contains("#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION")
                || line.contains("#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION");
            if is_inside && line.contains("</script>") {
                break;
            }
            if is_inside && let Err(stop) = self.line(line, number, &mut seen, &mut twin) {
                twin.stop = Some(stop);
                break;
            }
        }
        twin
    }

    fn line(
        &self,
        line: &str,
        number: u32,
        seen: &mut Map<String, String>,
        twin: &mut Twin,
    ) -> Result<(), String> {
        let [new, old, of_mark] = &self.0;
        let Some(found) = new.captures(line).or_else(|| old.captures(line)) else {
            let precious = ["HIDL::IDevice", "[NN_", "tracing_mark_write: B", "tracing_mark_write: E"];
            let is_lost = precious.iter().any(|text| line.contains(text));
            return if is_lost { Err(format!("AssertionError: {line}")) } else { Ok(()) };
        };
        let (pid, mark) = (found["pid"].to_owned(), found["mark"].to_owned());
        let mut process = match (found.name("tgid"), mark.split('|').nth(1)) {
            (Some(tgid), _) => tgid.as_str().to_owned(),
            (None, Some(field)) => field.to_owned(),
            (None, None) => seen.get(&pid).cloned().ok_or_else(|| format!("KeyError: '{pid}'"))?,
        };
        seen.insert(pid.clone(), process.clone());
        if process == "-----" {
            let named = of_mark.captures(&mark);
            process =
                named.ok_or("AttributeError: 'NoneType' object has no attribute 'group'")?[1].to_owned();
        }
        if mark.contains("[NN") || mark.contains("HIDL::IDevice") {
            twin.threads.insert(pid.clone());
        }
        let seconds: f64 = found["time"].parse().unwrap();
        twin.rows.push((pid.clone(), format!("{number} {pid} {process} {seconds} {mark}")));
        Ok(())
    }
}

/// The fast reader says the same; `wrong` names what differs.
pub(super) fn compare(doc: &Document, twin: &Twin) -> Result<(), String> {
    let trace = doc.trace();
    let marks = Marks::of(trace);
    let stop = marks.refusal.as_ref().map(|refusal| refusal.words());
    match (&stop, &twin.stop) {
        (None, None) => {}
        // The words of Python for bytes that are no text are tested beside the code that says them.
        (Some(ours), Some(theirs)) if theirs == "UnicodeDecodeError" && ours.starts_with(theirs) => {
            return Ok(());
        }
        (ours, theirs) if ours == theirs => return Ok(()),
        (ours, theirs) => return Err(format!("stops with {ours:?} instead of {theirs:?}")),
    }
    let text = |id| trace.strings.get(id);
    let thread = |row: usize| text(marks.threads[marks.thread[row] as usize].id);
    let ours: Vec<String> = (0..marks.len())
        .filter(|&row| marks.is_classic[row] && twin.threads.contains(thread(row)))
        .map(|row| {
            let (line, process) = (marks.line[row], text(marks.process[row]));
            format!("{line} {} {process} {} {}", thread(row), marks.seconds[row], text(marks.text[row]))
        })
        .collect();
    let theirs = twin.rows.iter().filter(|(pid, _)| twin.threads.contains(pid)).map(|(_, row)| row);
    match ours.iter().zip(theirs.clone()).find(|(a, b)| a != b) {
        Some((a, b)) => Err(format!("reads {a:?} instead of {b:?}")),
        None if ours.len() == theirs.clone().count() => Ok(()),
        None => Err(format!("reads {} rows instead of {}", ours.len(), theirs.count())),
    }
}

/// What is put into lines to confuse a reader.
const ODD: [&str; 17] = [
    " ",
    "\t",
    "-",
    "|",
    "B",
    "E",
    "(",
    ")",
    "[NN_",
    "-----",
    "é",
    "\r",
    "</script>",
    ": tracing_mark_write: B",
    " 5.5: tracing_mark_write: E|5",
    "HIDL::IDevice",
    "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION",
];

/// A text with a few lines that are gone, doubled, moved, cut, joined or confused.
fn damaged(text: &str, random: &mut Seeded) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        let mut letters: Vec<char> = lines[at].chars().collect();
        let from = random.below(letters.len() + 1);
        match random.below(7) {
            0 if 1 < lines.len() => _ = lines.remove(at),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => lines[at] = format!("{}{}", lines[at], lines[other]),
            4 | 5 => {
                let end = (from + 1 + random.below(6)).min(letters.len());
                letters.drain(from..end);
                lines[at] = letters.into_iter().collect();
            }
            _ => {
                letters.splice(from..from, ODD[random.below(ODD.len())].chars());
                lines[at] = letters.into_iter().collect();
            }
        }
    }
    lines.join("\n")
}

#[test]
fn what_the_aosp_parser_takes_is_what_a_slow_twin_takes() {
    let forms = Forms::new();
    let files: Vec<(String, String)> = cases("systrace")
        .into_iter()
        .flat_map(|(_, folder)| files_of(&folder))
        .filter_map(|(name, bytes)| Some((name, String::from_utf8(bytes).ok()?)))
        .collect();
    let (mut stopped, mut read) = (0, 0);
    for seed in 0..4_500 {
        let mut random = Seeded(seed);
        let (name, text) = &files[random.below(files.len())];
        let text = damaged(text, &mut random);
        let twin = forms.read(text.as_bytes());
        let (doc, is_ready) = open(vec![(name.clone(), text.into_bytes())], [61, 1_000][random.below(2)]);
        if !is_ready {
            continue;
        }
        stopped += u32::from(twin.stop.is_some());
        read += u32::from(!twin.threads.is_empty());
        compare(&doc, &twin).unwrap_or_else(|wrong| panic!("seed {seed} of {name}: {wrong}"));
    }
    assert!(300 < stopped && 1_000 < read, "{stopped} stopped, {read} read");
}
