//! Names in short: words and numbers are whole; rows of a baseline by their names.

use lanescope::analysis::finding::{Part, PartRow};
use lanescope::base::brief::{brief, edge_before, listed, shown, told};
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
fn a_list_of_signatures_names_each_of_them() {
    let two = "saxpy(int, float, float*, float*), scale(int, float, float*)";
    assert_eq!((brief(two).as_str(), listed(two).len()), (two, 2), "each is short");
    let long = format!("{}, {}", KERNELS[0], KERNELS[2]);
    assert_eq!(brief(&long), format!("{}, {}", brief(KERNELS[0]), brief(KERNELS[2])));
    for name in KERNELS.iter().chain(&["bool operator<(A, B)", "a->b, c", "a", ""]) {
        assert_eq!(listed(name).join(", "), *name);
    }
    assert!(KERNELS.iter().all(|name| listed(name).len() == 1));
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
