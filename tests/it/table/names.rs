//! Names in short: words and numbers are whole; figures of a baseline and how much they differ.

use lanescope::analysis::finding::{Part, PartRow, Tile, change_of};
use lanescope::base::brief::{edge_before, shown, told};
use lanescope::base::number::{read, with_unit};
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::scene::Font;
use lanescope::scene::text::{cut_around, width};

/// Kernels as compilers name them.
const KERNELS: [&str; 8] = [
    "void wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>(int, int, int, float const*, int)",
    "void wgrad_alg0_engine<float, 128, 6, 8, 3, 3, 5, false, 512>(int, int, int, float const*, int)",
    "void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, false, true, true>(int, int)",
    "void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, false, false, true>(int, int)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, 3>>(int)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>, at::detail::Array<char*, 3>>(int)",
    "volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1",
    "volta_scudnn_128x64_stridedB_splitK_medium_nn_v1",
];

/// Words and numbers of a text.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

#[test]
fn what_is_kept_of_a_name_begins_and_ends_with_a_word() {
    for told in told(&KERNELS) {
        let all = words(&told.text);
        let is_end = |at: u32| {
            edge_before(&told.text, at as usize) == Some(at as usize) || at as usize == told.text.len()
        };
        assert!(told.kept.iter().all(|&(from, to)| is_end(from) && is_end(to)), "{told:?}");
        for &(from, to) in &told.kept {
            let part = &told.text[from as usize..to as usize];
            // Parts of a name in camel case are words too.
            let is_word = |word: &&str| {
                all.contains(word) || all.iter().any(|own| own.starts_with(word) || own.ends_with(word))
            };
            assert!(words(part).iter().all(|word| is_word(word)), "{part} of {}", told.text);
        }
        // Numbers are whole in what is seen first.
        assert!(!shown(&told.text, &told.kept).contains("fals…"), "{told:?}");
    }
}

#[test]
fn names_that_begin_alike_are_kept_from_the_word_that_differs() {
    let kept = |name: &str, other: &str| told(&[name, other])[0].kept.clone();
    assert_eq!(kept("Launched late", "Launched, not started"), [(9, 13)]);
    let names = told(&KERNELS);
    let shown: Vec<String> = names.iter().map(|told| shown(&told.text, &told.kept)).collect();
    let different: std::collections::BTreeSet<&String> = shown.iter().collect();
    assert_eq!(different.len(), KERNELS.len(), "{shown:#?}");
}

#[test]
fn a_name_that_is_drawn_is_cut_between_words() {
    let font = Font::ui(12.0);
    for told in told(&KERNELS) {
        let room = width(&told.text, font) * 0.7;
        let cut = cut_around(&told.text, &told.kept, font, room);
        let head = cut.split('…').next().unwrap();
        assert!(edge_before(&told.text, head.len()).is_some(), "{cut}");
        assert!(width(&cut, font) <= room, "{cut}");
    }
}

#[test]
fn figures_are_read_back_and_their_change_is_told() {
    assert_eq!(read("1,234.5 ms"), Some((1234.5, "ms")));
    assert_eq!(read("−3"), Some((-3.0, "")));
    for none in ["latency", "–", "131.63 ns / 319.61 ns", "20 of 20 cube", "100.0 % Hybrid 2"] {
        assert_eq!(read(none), None, "{none}");
    }
    let of = |value: f64, unit: Unit| with_unit(value, &unit);
    assert_eq!(change_of(&of(126.55e6, Unit::Nanos), &of(152.47e6, Unit::Nanos)), "+20.5 %, 1.2×");
    assert_eq!(change_of("100.0 ms", "100.01 ms"), "");
    // Rounded texts would say 20.6.
    let tile = |text: &str, amount: f64| Tile {
        value: text.to_owned().into(),
        amount: Some((amount, Unit::Nanos)),
        ..Tile::default()
    };
    let (old, new) = (tile("126.5 ms", 126_547_000.0), tile("152.5 ms", 152_470_000.0));
    assert_eq!(new.change_since(&old, Language::En), "+20.5 %, 1.2×");
    let share = |amount: f64| Tile { amount: Some((amount, Unit::Share)), ..Tile::default() };
    assert_eq!(share(0.632).change_since(&share(0.701), Language::En), "−6.9 points");
    let percent = |amount: f64| Tile { amount: Some((amount, Unit::Percent)), ..Tile::default() };
    assert_eq!(percent(63.2).change_since(&percent(70.1), Language::En), "−6.9 points");
    assert_eq!(change_of("900.0 µs", "1.800 ms"), "+100 %, 2×");
    assert_eq!(change_of("2.00 GiB", "512.00 MiB"), "−75 %, 0.25×");
    assert_eq!(change_of("63.2 %", "60.1 %"), "−3.1 points");
    assert_eq!(change_of("63.2 %", "63.2 %"), "");
    assert_eq!(change_of("8,168", "8,168"), "");
    // Of different kinds, or of nothing.
    assert_eq!(change_of("8 ms", "8 KiB"), "");
    assert_eq!(change_of("0 ns", "8.000 ms"), "");
    assert_eq!(change_of("8.000 ms", "0 ns"), "−100 %, 0×");
    assert_eq!(change_of("latency", "cube"), "");
}

#[test]
fn rows_of_two_profiles_are_found_by_their_whole_names() {
    let row = |name: &str, whole: &str, cells: &[&str]| PartRow {
        name: name.to_owned().into(),
        whole: whole.to_owned(),
        cells: cells.iter().map(|&cell| cell.to_owned()).collect(),
        ..PartRow::default()
    };
    let old = Part {
        rows: vec![
            row("gemm<4>", "void gemm<4>(int)", &["3", "1.000 ms"]),
            row("copy", "", &["1", "2.000 ms"]),
        ],
        measure: 1,
        ..Part::default()
    };
    let found = old.row(&row("a::gemm<4>", "void gemm<4>(int)", &[])).and_then(|row| old.measured(row));
    assert_eq!(found, Some("1.000 ms"));
    assert_eq!(old.row(&row("copy", "", &[])).and_then(|row| old.measured(row)), Some("2.000 ms"));
    assert_eq!(old.row(&row("gemm<4>", "", &[])), None);
}

#[test]
fn lines_of_files_keep_their_number_and_the_end_of_the_file() {
    let seen = |names: &[&str]| -> Vec<String> {
        told(names).iter().map(|own| shown(&own.text, &own.kept)).collect()
    };
    let names = ["attention_vector.h:26", "attention_cube.h:38", "k.cpp:1204"];
    assert_eq!(seen(&names), ["attentio…vector.h:26", "attentio…_cube.h:38", "k.cpp:1204"]);
    // Files that end alike are still told apart.
    let alike = ["softmax_forward_kernel.h:26", "rmsnorm_forward_kernel.h:26"];
    assert_ne!(seen(&alike)[0], seen(&alike)[1]);
}
