//! Frames of listings: what is drawn, and where.

use super::*;
use crate::support::front_door::open_one;
use lanescope::views::code::scene::{ColumnPlace, is_line_cut, short};
use lanescope::wire::Draw;

#[test]
fn a_frame_draws_only_the_rows_in_view() {
    let doc = &mut document(code());
    let (scene, note) = draw(doc, Frame { first: 2.5, ..frame(ASSEMBLY) });
    assert_eq!(note.rows, [2, 3, 4, 5, 6, 7]);
    assert_eq!(note.total, 8);
    let seen = texts(&scene);
    assert!(seen.contains(&"1010") && seen.contains(&"1038") && !seen.contains(&"1008"));
    let top = scene.shapes.iter().find_map(|s| match s {
        Shape::Text { at, text, .. } if text == "1010" => Some(at.y),
        _ => None,
    });
    assert_eq!(top, Some(4.0), "half of the first row is above the edge");
}

#[test]
fn both_sides_are_saved_as_they_are_seen() {
    let doc = &mut document(code());
    let size = Size { w: 500.0, h: 100.0 };
    let pane = |listing, first| (Frame { first, ..frame(listing) }.frame(), size);
    let panes = vec![pane(SOURCE, 0.0), pane(ASSEMBLY, 3.0)];
    let (name, svg) = crate::pictures::saved(doc, "source", panes);
    assert!(name.ends_with(".source.svg"), "{name}");
    // Two sides with a line between them, below heads of 24 pixels.
    assert!(svg.contains("width=\"1001\" height=\"124\""), "{svg}");
    assert!(svg.contains(">1018</text>") && !svg.contains(">1000</text>"), "{svg}");
    // One side alone.
    let (_, svg) = crate::pictures::saved(doc, "source", vec![pane(ASSEMBLY, 0.0)]);
    assert!(svg.contains("width=\"500\" height=\"124\"") && svg.contains(">1000</text>"), "{svg}");
}

#[test]
fn missing_values_say_so_and_lines_without_instructions_are_empty() {
    let doc = &mut document(code());
    let mut cells = |listing| match ask(
        doc,
        CodeQuery::Rows { listing, core: 0, arrange: Arrange::default(), from: 0, n: 10 },
    ) {
        Reply::Rows { rows, .. } => rows.into_iter().map(|r| (r.label, r.cells)).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let source = cells(SOURCE);
    assert_eq!(source[0], ("1".to_owned(), vec![String::new()]));
    assert_eq!(source[2], ("3".to_owned(), vec!["100".to_owned()]));
    let assembly = cells(ASSEMBLY);
    assert_eq!(assembly[1], ("1008".to_owned(), ["V", "–", "10.0"].map(str::to_owned).to_vec()));
    assert_eq!(assembly[5].1[1], "–", "below zero is not available");
    assert_eq!(assembly[4].1[2], "–");
}

#[test]
fn chosen_and_linked_rows_stand_out() {
    let doc = &mut document(code());
    let chosen = Frame { linked_to: Some((SOURCE, 4)), hover: Some(0), ..frame(ASSEMBLY) };
    let (scene, note) = draw(doc, Frame { first: 3.0, ..chosen });
    assert_eq!((note.n_linked, note.first_linked), (2, Some(5)));
    let grounds: Vec<f32> = scene
        .shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Fill { rect, ink: Ink::Token("sel"), .. } => Some(rect.y),
            _ => None,
        })
        .collect();
    assert_eq!(grounds, [40.0, 60.0]);
}

#[test]
fn columns_stand_where_the_note_says() {
    let doc = &mut document(code());
    let (_, note) = draw(doc, frame(ASSEMBLY));
    let fields: Vec<_> = note.columns.iter().map(|c| c.field).collect();
    let [address, pipe, text] = [Field::Address, Field::Column(0), Field::Text];
    assert_eq!(fields, [address, pipe, text, Field::Column(1), Field::Column(2)]);
    for pair in note.columns.windows(2) {
        assert_eq!(pair[0].x + pair[0].w, pair[1].x);
    }
    assert!(note.width <= 790.0, "everything fits beside the overview: {}", note.width);
    let (_, wide) = draw(doc, Frame { code_px: 3000.0, columns: Some(vec![1]), ..frame(ASSEMBLY) });
    assert!(3000.0 < wide.width);
    assert_eq!(wide.columns.len(), 3);
}

#[test]
fn stalls_of_a_line_are_those_of_its_instructions() {
    let doc = &mut document(code());
    let Reply::Row(row) = ask(doc, CodeQuery::Row { listing: SOURCE, row: 4, core: 0 }) else { panic!() };
    assert_eq!(row.n_linked, 2);
    let stalls: Vec<_> = row.stalls.iter().map(|s| (s.name.as_str(), s.count)).collect();
    assert_eq!(stalls, [("wait", 11.0), ("memory", 2.0)]);
    assert_eq!(row.facts, [("Cycles".to_owned(), "1 cycle".to_owned(), Some(1.0 / 146.0))]);
    assert_ne!(row.stalls[0].color, row.stalls[1].color);
}

#[test]
fn registers_take_the_lowest_free_slot() {
    let used = |name: &str, life, state| RegisterUse { name: name.to_owned(), life, state };
    let tracks = RegisterTracks::of(&[
        vec![used("R2", 3, 2), used("R3", 2, 2)],
        vec![used("R3", 2, 1), used("R2", 3, 4)],
        vec![used("R9", 1, 3), used("R2", 3, 1), used("R8", 5, 0)],
        vec![used("R7", 2, 2)],
    ]);
    let row = |i: usize| {
        tracks
            .row(i)
            .iter()
            .map(|c| (c.name.as_str(), c.slot, c.begins, c.ends, c.is_read, c.is_written))
            .collect::<Vec<_>>()
    };
    assert_eq!(row(0), [("R2", 0, true, false, false, true), ("R3", 1, true, false, false, true)]);
    assert_eq!(row(1), [("R2", 0, false, false, false, false), ("R3", 1, false, true, true, false)]);
    assert_eq!(row(2), [("R2", 0, false, true, true, false), ("R9", 1, true, true, true, true)]);
    assert_eq!(row(3), [("R7", 0, true, false, false, true)]);
    assert_eq!(tracks.n_slots, 2);
}

fn classes(language: &str, line: &str, state: LexState) -> (Vec<(String, Class)>, LexState) {
    let mut tokens: Vec<Token> = Vec::new();
    let after = lex(language, line, state, &mut tokens);
    let named = |t: &Token| (line[t.start as usize..t.end as usize].to_owned(), t.class);
    (tokens.iter().map(named).filter(|(text, c)| 1 < text.len() || *c != Class::Plain).collect(), after)
}

#[test]
fn words_of_code_have_their_class() {
    let of = |language: &str, line: &str| {
        classes(language, line, LexState::Code)
            .0
            .into_iter()
            .map(|(t, c)| format!("{t}:{c:?}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("cpp", "  __aicore__ inline void Fa<T>::Run(int32_t n) { f(0x1F, \"a\\\"b\"); } // end"),
        [
            "__aicore__:Key",
            "inline:Key",
            "void:Type",
            "Fa:Type",
            "Run:Function",
            "int32_t:Type",
            "f:Function",
            "0x1F:Number",
            "\"a\\\"b\":Text",
            "// end:Comment"
        ]
    );
    assert_eq!(of("cpp", "#pragma unroll 4 // x"), ["#pragma unroll 4 :Directive", "// x:Comment"]);
    assert_eq!(
        of("python", "@jit def f(x: int): return r'\\n' + 1e-3 # c"),
        [
            "@jit:Directive",
            "def:Key",
            "f:Function",
            "int:Type",
            "return:Key",
            "r'\\n':Text",
            "1e-3:Number",
            "# c:Comment"
        ]
    );
    assert_eq!(
        of("asm", "LD.b64 X7, [SP, #-48]"),
        ["LD.b64:Plain", "X7,:Operand", "[SP,:Operand", "#-48:Number", "]:Operand"]
    );
}

#[test]
fn long_comments_and_strings_reach_over_lines() {
    let (tokens, state) = classes("cpp", "a /* b", LexState::Code);
    assert_eq!((tokens.last().map(|t| t.1), state), (Some(Class::Comment), LexState::Comment));
    let (tokens, state) = classes("cpp", "c */ return", state);
    assert_eq!(tokens, [("c */".to_owned(), Class::Comment), ("return".to_owned(), Class::Key)]);
    assert_eq!(state, LexState::Code);
    let (_, raw) = classes("cpp", "auto s = R\"x(one", LexState::Code);
    assert_eq!(classes("cpp", "two)\" three", raw).1, raw, "another delimiter does not close it");
    assert_eq!(classes("cpp", "two)x\" return", raw).1, LexState::Code);
    let (_, long) = classes("python", "s = '''one", LexState::Code);
    assert_eq!(classes("python", "\"\"\" two", long).1, long);
    assert_eq!(classes("python", "two''' + 1", long).1, LexState::Code);
}

#[test]
fn a_comment_that_began_far_above_colors_the_rows_in_view() {
    let mut lines = Lines::default();
    lines.push("/*");
    for i in 1..1000 {
        lines.push(if i == 900 { "*/" } else { "return" });
    }
    let mut code = code();
    code.listings[0].lines = lines;
    let doc = &mut document(code);
    let mut ink_of = |first: f64| {
        let (scene, _) = draw(doc, Frame { first, columns: Some(Vec::new()), ..frame(SOURCE) });
        scene.shapes.iter().find_map(|s| match s {
            Shape::Text { text, ink, .. } if text == "return" => Some(*ink),
            _ => None,
        })
    };
    assert_eq!(ink_of(950.0), Some(Ink::Token("c-key")));
    assert_eq!(ink_of(500.0), Some(Ink::Token("c-com")));
    assert_eq!(ink_of(501.0), Some(Ink::Token("c-com")));
    assert_eq!(ink_of(905.0), Some(Ink::Token("c-key")));
}

proptest! {
    #[test]
    fn tokens_cover_the_line_in_order(line in "[ \\ta-zA-Z0-9_/*\"'#(){}<>:;.,\\\\@R你=-]{0,60}", language in 0..4usize) {
        let language = ["cpp", "python", "asm", ""][language];
        let mut tokens = Vec::new();
        for state in [LexState::Code, LexState::Comment, LexState::Long(b'"')] {
            tokens.clear();
            lex(language, &line, state, &mut tokens);
            let mut at = 0;
            for token in &tokens {
                let (start, end) = (token.start as usize, token.end as usize);
                prop_assert!(at <= start && start < end && end <= line.len());
                prop_assert!(line.is_char_boundary(start) && line.is_char_boundary(end));
                prop_assert!(line[at..start].chars().all(char::is_whitespace), "left out {:?}", &line[at..start]);
                at = end;
            }
            prop_assert!(line[at..].chars().all(char::is_whitespace));
        }
    }

    #[test]
    fn the_hottest_rows_are_those_of_a_full_sort(values in prop::collection::vec(0..50u32, 0..3000)) {
        let cells = Cells::Numbers { values: values.iter().map(|&v| f64::from(v)).collect(), stride: 1, rows: Rows::All };
        let column = Column { name: "Cycles".to_owned(), unit: Unit::Cycles, style: ColumnStyle::Bar, counts: None, cells };
        let summary = ColumnSummary::of(&column, values.len(), 0);
        let mut all: Vec<u32> = (0..values.len() as u32).filter(|&r| 0 < values[r as usize]).collect();
        all.sort_by_key(|&r| (std::cmp::Reverse(values[r as usize]), r));
        all.truncate(HOTTEST);
        prop_assert_eq!(summary.hottest, all);
    }

    #[test]
    fn search_finds_what_a_slow_search_finds(line in "[aAbB_ 你]{0,40}", text in "[aAbB你]{1,3}", is_case_sensitive: bool, is_whole_word: bool) {
        let query = SearchQuery { text: text.clone(), is_case_sensitive, is_whole_word };
        let found: Set<usize> = find_in(&line, &query).into_iter().map(|r| r.start).collect();
        let fold = |s: &str| if is_case_sensitive { s.to_owned() } else { s.to_ascii_lowercase() };
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        let mut slow = Set::default();
        let mut free = 0;
        for (at, _) in line.char_indices() {
            let Some(there) = line.get(at..at + text.len()) else { continue };
            let around = line[..at].ends_with(letter) || line[at + text.len()..].starts_with(letter);
            if free <= at && fold(there) == fold(&text) && !(is_whole_word && around) {
                slow.insert(at);
                free = at + text.len();
            }
        }
        prop_assert_eq!(found, slow);
    }
}

#[test]
fn the_first_metric_and_the_heat_stay_at_the_right_where_not_everything_fits() {
    let doc = &mut document(code());
    for left in [0.0, 300.0, 3000.0] {
        let (scene, note) = draw(doc, Frame { code_px: 3000.0, heat: Some(2), left, ..frame(ASSEMBLY) });
        let pinned: Vec<_> = note.columns.iter().filter(|c| c.is_pinned).collect();
        let fields: Vec<_> = pinned.iter().map(|c| c.field).collect();
        assert_eq!(fields, [Field::Column(1), Field::Column(2)]);
        let right = pinned.last().map(|c| c.x + c.w + 4.0);
        assert_eq!(right, Some(scene.size.w - 10.0), "beside the overview, scrolled by {left}");
        assert_eq!(note.pinned, pinned[0].x);
        let ends: Vec<_> = scene
            .shapes
            .iter()
            .filter_map(|s| match s {
                Shape::Text { at, text, .. } if text == "10.0" => Some(at.x),
                _ => None,
            })
            .collect();
        // The numbers of stacked cells end before their bars.
        let (from, to) = (pinned[1].x, pinned[1].x + pinned[1].w);
        assert!(
            ends.len() == 1 && from < ends[0] && ends[0] < to,
            "{ends:?} in {from} to {to}, scrolled by {left}"
        );
    }
}

/// Counts of what falls into a block stand beside the jumps: without any there is no room for them.
#[test]
fn a_line_is_cut_where_letters_of_it_are_out_of_sight() {
    let code = ColumnPlace {
        field: Field::Text,
        title: "Source".to_owned(),
        name: "Source".to_owned(),
        x: 60.0,
        is_pinned: false,
        w: 100.0,
        is_right: false,
        inset: 0.0,
    };
    // Seven pixels a letter: fourteen have room.
    let is_cut = |pinned: f32, left: f32, line: &str| is_line_cut((60.0, pinned), &code, left, line, 7.0);
    let blanks = format!("call(){}", " ".repeat(40));
    for line in ["", "    ", "call(a, b);", &blanks] {
        assert!(!is_cut(300.0, 0.0, line), "{line}");
    }
    assert!(is_cut(300.0, 0.0, "call(a, b, c, d);"));
    assert!(is_cut(120.0, 0.0, "call(a, b);"), "behind columns at the right edge");
    assert!(is_cut(300.0, 14.0, "call(a, b);"), "behind the numbers");
    assert!(!is_cut(300.0, 14.0, "  call();") && !is_cut(300.0, 14.0, ""));
}

#[test]
fn counts_of_blocks_do_not_cover_addresses() {
    let traced = |warps: &[&[u32]]| {
        let mut text = format!(
            "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = ({},1,1)\n-shmem = 0\n-nregs = 10\n\
             -binary version = 80\n-cuda stream id = 0\n-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n\
             #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [mem_addresses]\n\n\
             #BEGIN_TB\n\nthread block = 0,0,0\n\n",
            32 * warps.len()
        );
        for (warp, all) in warps.iter().enumerate() {
            text += &format!("warp = {warp}\ninsts = {}\n", all.len());
            all.iter().for_each(|at| text += &format!("{at:04x} ffffffff 0 FADD 0 0\n"));
            text.push('\n');
        }
        let (mut doc, is_ready) = open_one("kernel-1.traceg", (text + "#END_TB\n").into_bytes());
        assert!(is_ready);
        while doc.has_work() {
            doc.step();
        }
        let (scene, _) = draw(&mut doc, frame(ListingId(0)));
        texts(&scene).iter().filter(|text| text.starts_with('↓')).count()
    };
    // The second warp begins in the middle: the first falls into its block.
    assert_eq!(traced(&[&[0, 0x10, 0x20, 0x30], &[0x20, 0x30]]), 0);
    // The same with a way back.
    assert_eq!(traced(&[&[0, 0x10, 0x20, 0x30, 0x20, 0x30], &[0x20, 0x30]]), 1);
}

/// At 1,040 px all columns are seen. Where the code is longer, each of them is beside what stays at the right when everything
/// is scrolled to its end. Their heads are the words that the menu of columns has.
#[test]
fn every_column_is_in_reach_and_its_head_is_the_word_of_the_menu() {
    let doc = &mut document(code());
    let columns = &doc.trace().code.listings[ASSEMBLY.index()].columns;
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let size = Size { w: 1_040.0, h: 100.0 };
    let mut drawn = |frame: &Frame| match doc.draw(frame, size, &Palette::default()) {
        (_, Some(note)) => note,
        (_, other) => panic!("{other:?}"),
    };
    let room = 1_030.0;
    for code_px in [0.0, 3_000.0] {
        let first = Frame { code_px, heat: Some(1), ..frame(ASSEMBLY) };
        let left = (drawn(&first).width - room).max(0.0);
        assert_eq!(1.0 < left, 0.0 < code_px, "{left}");
        let note = drawn(&Frame { left, ..first });
        let address = note.columns.iter().find(|column| column.field == Field::Address).unwrap();
        assert!(50.0 < address.w - address.inset, "the head has room: {address:?}");
        let mut heads = Vec::new();
        for column in &note.columns {
            let (moved, edge) = if column.is_pinned { (0.0, room) } else { (left, note.pinned) };
            assert!(column.x + column.w - moved <= edge + 0.01, "{column:?} of {edge}, scrolled by {left}");
            let Field::Column(at) = column.field else { continue };
            assert_eq!(column.title, short(&names[usize::from(at)]));
            heads.push((at, column.title.as_str()));
        }
        heads.sort_unstable();
        assert_eq!(heads, [(0, "Pipe"), (1, "Cycles"), (2, "Stalled on")], "scrolled by {left}");
    }
}
