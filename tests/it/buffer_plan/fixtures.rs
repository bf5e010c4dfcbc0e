//! The fixtures of these formats. `UPDATE=1` writes them.

use super::make::{
    accesses, counts, json, json_accesses, latencies, listing, opcodes, sizes, strides, times,
};
use crate::support::front_door::{files_of, fixtures};
use std::fs;

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let (kernels, launches) = sizes();
    let cases = [
        (
            "pti/counts",
            "counts.txt",
            counts(),
            "counts of two tiles, blocks split by control flow and by the file",
        ),
        ("pti/accesses", "accesses.txt", accesses(), "a send of unit stride and one that wastes bandwidth"),
        (
            "pti/json",
            "counts.json",
            json(),
            "quotes and backslashes that are not escaped, a run without counts",
        ),
        (
            "pti/json_accesses",
            "accesses.json",
            json_accesses(),
            "strides beyond the table, a negative address",
        ),
        ("gtpin_text/times", "funtime.txt", times(), "names with blanks, a kernel that was not instrumented"),
        ("gtpin_text/latencies", "latency.out", latencies(), "latencies of instructions"),
        (
            "gtpin_text/opcodes",
            "scale___CS_asm00ab02544aa9248c_simd16_7a/opcodeprof_total.out",
            opcodes(),
            "two data types",
        ),
        ("gtpin_text/sizes", "memorytrace_pre_process.txt", kernels, "the greatest trace of a kernel"),
        ("gtpin_text/launch_sizes", "memorytrace_pre_process_dispatch.txt", launches, "traces of launches"),
        ("gtpin_text/strides", "stride.txt", strides(), "strides of two sends"),
        (
            "gtpin_text/listing",
            "CS_asm00ab02544aa9248c_simd16_7a_0_orig.asm",
            listing(),
            "blocks and a label",
        ),
    ];
    for (case, file, text, shows) in cases {
        let folder = fixtures().join(case);
        if std::env::var_os("UPDATE").is_some() {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &text).unwrap();
            let source = format!(
                "origin = \"tests/it/buffer_plan/make.rs\"\nlicence = \"Apache-2.0\"\nreal = false\nshows = \"{shows}\"\n"
            );
            fs::write(folder.join("source.toml"), source).unwrap();
        }
        assert_eq!(files_of(&folder), [(file.to_owned(), text.into_bytes())], "{case}: run with UPDATE=1");
    }
}
