//! Every phrase of the page has its Chinese, and no translation is left over.
//!
//! Phrases are found by reading the source: string literals inside calls of `tr`, `word`, `now`, `phrase`, `message` and `note`. Words of
//! readers and analyses (titles of figures, labels of facts) are translated where they are shown; for those it is only
//! known that the literal stands somewhere in the source.

use crate::tidy::{files, read, short};
use lanescope::base::fault::Kind;
use lanescope::base::number::{counted, duration, with_unit};
use lanescope::base::time::Clock;
use lanescope::base::unit::Unit;
use lanescope::base::words::{Language, fill, for_reader, load, loaded, tr, tr_path};
use lanescope::systems::formats;
use std::collections::BTreeSet;
use std::path::Path;

/// The Chinese tables as the page loads them.
pub(crate) fn chinese() -> &'static str {
    let folder = format!("words/{}", Language::Zh.tag());
    load(Language::Zh, &files(&folder, "tsv").iter().map(|table| read(table)).collect::<String>());
    loaded(Language::Zh).expect("tables with words")
}

fn english_of_tables() -> impl Iterator<Item = &'static str> {
    chinese().lines().map(|line| line.split('\t').next().expect("a phrase"))
}

/// Calls whose first literal is a phrase.
const CALLS: [&str; 6] = ["tr(", "word(", "now(", "phrase(", "message(", "note("];

/// The source without comments and without its tests.
fn code_of(path: &Path) -> String {
    let text = read(path);
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn all_code() -> Vec<String> {
    files("src", "rs").iter().map(|path| code_of(path)).collect()
}

/// The string literal that begins at the start of `text`, with its escapes undone.
fn literal(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = text.strip_prefix('"')?.chars();
    loop {
        match letters.next()? {
            '"' => return Some(out),
            '\\' => match letters.next()? {
                'n' => out.push('\n'),
                '\n' => {
                    let rest = letters.as_str().trim_start();
                    letters = rest.chars();
                }
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
}

/// The first literal inside the parentheses that `text` begins in, when it is an argument of its own.
fn argument(text: &str) -> Option<String> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return None,
            ')' | ']' | '}' => depth -= 1,
            '"' if depth == 0 => return literal(&text[at..]),
            ';' => return None,
            _ => {}
        }
    }
    None
}

fn phrases(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for call in CALLS {
        for (at, _) in code.match_indices(call) {
            let is_whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if is_whole && !code[..at].ends_with("fn ") {
                found.extend(argument(&code[at + call.len()..]).filter(|text| !text.is_empty()));
            }
        }
    }
    found
}

#[test]
fn every_phrase_of_the_page_has_its_chinese() {
    let all: BTreeSet<String> = all_code().iter().flat_map(|code| phrases(code)).collect();
    assert!(80 < all.len(), "the search for phrases found only {}", all.len());
    let known: BTreeSet<&str> = english_of_tables().collect();
    let missing: Vec<_> = all.iter().filter(|phrase| !known.contains(phrase.as_str())).collect();
    assert!(missing.is_empty(), "without Chinese: {missing:#?}");
}

/// A noun that is not known would stay plural behind a 1.
#[test]
fn every_noun_behind_a_number_has_its_singular() {
    let verbs = [
        "accounts", "arrives", "begins", "comes", "computes", "counts", "covers", "exceeds", "follows",
        "gives", "keeps", "leaves", "loses", "makes", "moves", "reaches", "recurs", "stands", "takes",
        "uses", "waits", "wastes", "works",
    ];
    let others = ["does", "fits", "has", "its", "this", "was", "ends", "says", "goes", "needs"];
    let nouns = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/base/words/nouns.tsv"));
    let is_known = |word: &str| nouns.lines().any(|line| line.split('\t').next() == Some(word));
    let mut missing = BTreeSet::new();
    for text in
        english_of_tables().flat_map(|phrase| phrase.split('}').skip(1)).filter(|text| text.starts_with(' '))
    {
        let words = text.split('{').next().unwrap_or("").split(' ').skip(1).take(2);
        missing.extend(words.map(|word| word.trim_end_matches(['.', ',', ';', ')', '⟧'])).filter(|word| {
            let is_plural = is_word(word) && word.ends_with('s') && !word.ends_with("ss");
            is_plural && !is_known(word) && !verbs.contains(word) && !others.contains(word)
        }));
    }
    assert!(missing.is_empty(), "not in src/base/words/nouns.tsv: {missing:?}");
}

/// Words, not symbols such as `µs` and `GB/s`.
fn is_word(unit: &str) -> bool {
    let letters = unit.bytes().filter(u8::is_ascii_lowercase).count();
    3 <= letters && unit.bytes().all(|b| b.is_ascii_lowercase() || b == b' ')
}

#[test]
fn every_unit_that_is_a_word_has_its_chinese() {
    let clocks = [Clock::Cycles { hz: None }, Clock::Steps].map(|clock| clock.symbol().to_owned());
    let mut units = BTreeSet::from_iter(clocks);
    units.extend([Unit::Cycles, Unit::PerCycle].map(|unit| unit.symbol().to_owned()));
    for code in all_code() {
        for call in ["Unit::Count(", "Unit::Other(", " of_kind(", "::of_kind("] {
            let calls = code.match_indices(call).map(|(at, _)| &code[at + call.len()..]);
            units.extend(calls.filter_map(|code| argument(code.strip_prefix("phrase(").unwrap_or(code))));
        }
    }
    assert!(
        12 < units.iter().filter(|unit| is_word(unit)).count(),
        "the search for units found only {units:?}"
    );
    let known: BTreeSet<&str> = english_of_tables().collect();
    let missing: Vec<_> =
        units.iter().filter(|unit| is_word(unit) && !known.contains(unit.as_str())).collect();
    assert!(missing.is_empty(), "units without Chinese: {missing:#?}");
}

#[test]
fn units_are_told_in_the_language_of_the_reader_and_stay_english_in_files() {
    chinese();
    let unit = Unit::Count("instructions".to_owned());
    let told = || {
        (with_unit(1_207.0, &unit), duration(3, Clock::Cycles { hz: None }), with_unit(2.5, &Unit::Micros))
    };
    let english = ("1,207 instructions".to_owned(), "3 cycles".to_owned(), "2.500 µs".to_owned());
    assert_eq!(told(), english);
    let chinese = for_reader(Language::Zh, told);
    assert_eq!(chinese, ("1,207 指令".to_owned(), "3 周期".to_owned(), "2.500 µs".to_owned()));
    assert_eq!(told(), english, "only for that reader");
}

#[test]
fn one_thing_has_one_chinese_word() {
    for path in files("words", "tsv") {
        for line in read(&path).lines().filter(|line| !line.contains("kernel buffer")) {
            assert!(
                ["内核", "时延", "下发"].iter().all(|other| !line.contains(other)),
                "{}: {line}",
                short(&path)
            );
            // Host, device and step are words; as parts of names they stay.
            let (_, chinese) = line.split_once('\t').expect("two columns");
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_#*<>{}(-".contains(c);
            let mut words = chinese.split(|c: char| !is_part(c));
            let english = words.find(|word| ["Host", "Device", "step", "Step"].contains(word));
            assert_eq!(english, None, "{}: {line}", short(&path));
        }
    }
}

#[test]
fn counts_at_hand_as_texts_are_told_in_the_language_of_the_reader() {
    chinese();
    let texts = ["8,168 instructions", "3 kernels", "(2, 1, 1) × (32, 1, 1)", "Ascend 910B4", "3 of a file"];
    assert_eq!(texts.map(counted), texts);
    let told = for_reader(Language::Zh, || texts.map(counted));
    assert_eq!(told[..2], ["8,168 指令", "3 个核函数"]);
    assert_eq!(told[2..], texts[2..]);
}

#[test]
fn names_of_a_path_are_told_one_by_one_also_with_numbers() {
    chinese();
    let path = "Region 2 / Executions / main 3 / GPU 0";
    assert_eq!(tr_path(Language::En, path), path);
    assert_eq!(tr_path(Language::Zh, path), "区域 2 / 执行 / main 3 / GPU 0");
}

/// What the first screen says of each format.
#[test]
fn that_nothing_was_found_is_told_in_words_of_its_own() {
    chinese();
    let said = |expected: &'static str, found: &str| {
        let kind = Kind::Unexpected { expected: expected.into(), found: found.to_owned().into() };
        [Language::En, Language::Zh].map(|language| kind.message().text(language).into_owned())
    };
    assert_eq!(said("a number", "7"), ["expected a number, found 7", "应为数字，实为 7"]);
    assert_eq!(said("a number", "none"), ["expected a number, found none", "应为数字，实际没有"]);
    assert_eq!(said("a number", "nothing"), ["expected a number, found nothing", "应为数字，实际为空"]);
    let odd = |line: &&str| ["实为 无", "实为 空", "实为无", "实为空"].iter().any(|odd| line.contains(odd));
    assert_eq!(chinese().lines().find(odd), None);
}

#[test]
fn every_format_is_told_in_chinese() {
    let known: BTreeSet<&str> = english_of_tables().collect();
    let said = formats().flat_map(|format| [format.title, format.written_by, format.shows]);
    let missing: BTreeSet<&str> = said.filter(|text| !known.contains(text)).collect();
    assert!(missing.is_empty(), "without Chinese: {missing:#?}");
}

#[test]
fn no_sentence_answers_a_question_that_is_not_shown() {
    chinese();
    let is_answer = |text: &&str| ["Yes:", "No:", "Mostly:"].iter().any(|answer| text.contains(answer));
    let answers: Vec<&str> = english_of_tables().filter(is_answer).collect();
    assert!(answers.is_empty(), "{answers:#?}");
}

#[test]
fn no_translation_is_left_over() {
    let code = all_code().join("\n");
    let is_used = |english: &str| {
        let escaped = english.replace('\\', "\\\\").replace('"', "\\\"");
        code.contains(&format!("\"{escaped}\""))
    };
    let samples = include_str!("../../public/samples/index.json");
    // Names that tools write into their files stand in no source.
    let written = read(Path::new("words/zh-CN/written.tsv"));
    let is_written = |english: &str| written.lines().any(|line| line.split('\t').next() == Some(english));
    let left: Vec<&str> = english_of_tables()
        .filter(|english| {
            !is_written(english) && !is_used(english) && !samples.contains(&format!("\"{english}\""))
        })
        .collect();
    assert!(left.is_empty(), "translated, but not used: {left:#?}");
}

#[test]
fn tables_are_sorted_and_disjoint_and_keep_their_places() {
    let mut seen = BTreeSet::new();
    chinese();
    for path in files("words", "tsv") {
        let (text, name) = (read(&path), short(&path));
        let table: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        assert_eq!(table.len(), text.lines().count(), "{name} has lines without a tab");
        for pair in table.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{name}: {:?} stands before {:?}", pair[0].0, pair[1].0);
        }
        for (english, chinese) in table {
            assert!(seen.insert(english.to_owned()), "{english:?} is in two tables");
            assert_eq!(tr(Language::Zh, english), chinese);
            let places = |text: &str| {
                let mut names: Vec<String> = text
                    .split('{')
                    .skip(1)
                    .filter_map(|t| t.split_once('}'))
                    .map(|t| t.0.to_owned())
                    .collect();
                names.sort();
                names
            };
            assert_eq!(places(english), places(chinese), "places of {english:?}");
        }
    }
}

#[test]
fn phrases_are_found_where_they_stand() {
    let code = r#"fill(tr(a.get(), "one {n}"), &[("n", "x")]); words.tr("two \"b\"")(); say(tr(a, &title), "no"); str("no");
        phrase(
            "three",
        )"#;
    let found: Vec<String> = phrases(code).into_iter().collect();
    assert_eq!(found, ["one {n}", "three", "two \"b\""]);
}

/// Thread 1 is one as much as thread 2 is: what stands behind the number of something is no count of it.
#[test]
fn chinese_stands_apart_from_words_and_numbers_that_values_bring() {
    let of = |unit: &str| fill("{unit}平均用时 {time}，共{time}", &[("unit", unit), ("time", "3 µs")]);
    assert_eq!(of("vector1"), "vector1 平均用时 3 µs，共 3 µs");
    assert_eq!(of("向量单元"), "向量单元平均用时 3 µs，共 3 µs");
    // Signs need no space, and what is not Chinese has none.
    assert_eq!(fill("{a}的（{a}）", &[("a", "⟦3 %⟧")]), "⟦3 %⟧的（⟦3 %⟧）");
    assert_eq!(fill("{a}{b}", &[("a", "模型"), ("b", "v2")]), "模型v2");
    // Where a template has one for a number, words that are there in its place need none; names keep theirs.
    chinese();
    let idle = tr(Language::Zh, "{device} is idle for ⟦{time}⟧ while the host loads data.{others}");
    let of = |time: &str| fill(idle, &[("device", "GPU 0"), ("time", time), ("others", "")]);
    assert_eq!(of("3 ms"), "GPU 0 在主机加载数据时空闲 ⟦3 ms⟧。");
    assert_eq!(of("每步 3 ms"), "GPU 0 在主机加载数据时空闲⟦每步 3 ms⟧。");
    assert_eq!(fill("它等待 {time}。", &[("time", "每步 3 ms")]), "它等待每步 3 ms。");
    assert_eq!(fill("名称 {a} {b}", &[("a", "v2"), ("b", "模型")]), "名称 v2 模型");
    assert_eq!(fill("{a} {b}的", &[("a", "训练"), ("b", "模型")]), "训练 模型的");
}

#[test]
fn numbers_of_things_do_not_change_the_words_behind_them() {
    for english in english_of_tables() {
        for name in ["{thread}", "{warp}", "{id}", "{launch}"] {
            let key = &name[1..name.len() - 1];
            let with = |value| fill(english, &[(key, value)]);
            assert_eq!(with("1"), with("\u{1}").replace('\u{1}', "1"), "{english}");
        }
    }
}

/// Nouns and verbs behind a 1 follow it: also in front of a mark, and behind what `1 of 7` is of.
#[test]
fn verbs_and_nouns_follow_their_number() {
    let said = |english: &str, n: &str, all: &str| fill(english, &[("n", n), ("all", all), ("more", "4")]);
    for (english, one, many) in [
        ("⟦{n} of {all} SMs⟧ are slow", "⟦1 of 7 SMs⟧ is slow", "⟦2 of 7 SMs⟧ are slow"),
        (
            "⟦{n} instructions⟧ access memory",
            "⟦1 instruction⟧ accesses memory",
            "⟦2 instructions⟧ access memory",
        ),
        ("it takes ⟦{n} sectors⟧ more", "it takes ⟦1 sector⟧ more", "it takes ⟦2 sectors⟧ more"),
        (
            "⟦{n} of {all}⟧ stores at {more} write data",
            "⟦1 of 7⟧ stores at 4 writes data",
            "⟦2 of 7⟧ stores at 4 write data",
        ),
        ("{n} of {all} blocks take more", "1 of 7 blocks takes more", "2 of 7 blocks take more"),
        ("{n} file; others are here", "1 file; others are here", "2 file; others are here"),
        ("{n} blocks wait for it", "1 block waits for it", "2 blocks wait for it"),
        ("{n} slices without an end", "1 slice without an end", "2 slices without an end"),
    ] {
        assert_eq!((said(english, "1", "7").as_str(), said(english, "2", "7").as_str()), (one, many));
    }
}

/// A pipe, a block, a percentile and a computation have one word each.
#[test]
fn words_of_figures_are_those_of_the_field() {
    chinese();
    for (english, expected) in
        [("Block ID", "块编号"), ("p95", "P95"), ("Kind", "类型"), ("Computation", "计算")]
    {
        assert_eq!(tr(Language::Zh, english), expected);
    }
    assert_eq!(fill(tr(Language::Zh, "Memory of {device}"), &[("device", "GPU 0")]), "GPU 0 的内存");
    for line in chinese().lines() {
        let (english, chinese) = line.split_once('\t').expect("two columns");
        // Values that stand in it are names.
        let plain: String =
            english.split('{').map(|part| part.split_once('}').map_or(part, |of| of.1)).collect();
        let mut words = plain.split(|c: char| !c.is_alphanumeric());
        // The writer's table of that name is one of paths.
        let is_of_paths = english.starts_with("Memory Pipe");
        if !is_of_paths && words.clone().any(|word| ["pipe", "pipes", "Pipe", "Pipes"].contains(&word)) {
            assert!(chinese.contains("流水"), "{line}");
        }
        if words.any(|word| word == "p95") {
            assert!(chinese.contains("P95"), "{line}");
        }
        assert!(["管道", "块 ID", "块ID", "块号"].iter().all(|other| !chinese.contains(other)), "{line}");
    }
}

/// Who reads how a percentile comes about reads the same of latencies, kernels, slices, blocks and launches.
#[test]
fn percentiles_have_one_method_that_is_named() {
    let lines = chinese().lines().filter(|line| line.contains("interpolated"));
    let of: Vec<&str> =
        lines.inspect(|line| assert_eq!(line.matches("numpy.percentile").count(), 2, "{line}")).collect();
    for begin in [
        "From the start of the launch call",
        "Kernels, copies and waits",
        "Median, p90 and p99",
        "Total: time",
    ] {
        assert!(of.iter().any(|line| line.starts_with(begin)), "{begin}: {of:#?}");
    }
}
