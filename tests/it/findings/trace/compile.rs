//! Rules about traces of compilers.

use super::super::{missing, not_here, overview, planted, silent};
use lanescope::analysis::finding::Overview;
use lanescope::base::words::Language;

/// Slices of one thread: name, what it is about, start and length in ms.
fn trace(slices: &[(&str, &str, u64, u64)]) -> Overview {
    side_by_side(&[slices])
}

/// The same of several threads.
fn side_by_side(threads: &[&[(&str, &str, u64, u64)]]) -> Overview {
    let event = |tid: usize, (name, detail, ts, dur): &(&str, &str, u64, u64)| {
        let args =
            if detail.is_empty() { String::new() } else { format!(r#","args":{{"detail":"{detail}"}}"#) };
        format!(
            r#"{{"ph":"X","pid":1,"tid":{tid},"name":"{name}","ts":{},"dur":{}{args}}}"#,
            ts * 1_000,
            dur * 1_000
        )
    };
    let of_thread = |(tid, own): (usize, &&[_])| own.iter().map(|one| event(tid, one)).collect::<Vec<_>>();
    let events: Vec<String> = threads.iter().enumerate().flat_map(of_thread).collect();
    overview("main.json", format!("[{}]", events.join(",")))
}

const RULE: &str = "compile-headers";

#[test]
fn headers_templates_and_functions_are_told_by_their_arguments() {
    let of = trace(&[
        ("ExecuteCompiler", "", 0, 1_000),
        ("Source", "/usr/a.h", 10, 400),
        ("Source", "/usr/b.h", 100, 200),
        ("Source", "/usr/c.h", 500, 50),
        // One in itself counts once.
        ("InstantiateClass", "vec<int>", 600, 100),
        ("InstantiateClass", "vec<int>", 610, 40),
        ("OptFunction", "main", 800, 30),
        ("OptFunction", "main", 900, 20),
    ]);
    let found = planted(&of, RULE, 400e6);
    assert_eq!(
        found.said(Language::En),
        "The compiler spends 400.000 ms in /usr/a.h and what it includes, 40.0 % of its time."
    );
    assert!(found.line.to_string().starts_with("2 headers take at least 10.0 % each"), "{}", found.line);
    assert!((found.saving.share - 0.4).abs() < 1e-9, "{:?}", found.saving);
    let part = |title: &str| {
        let part = of.parts.iter().find(|part| part.title == title).unwrap();
        let rows = part.rows.iter().map(|row| format!("{} {}", row.whole_name(), row.cells.join(" ")));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(
        part("Headers with the most time"),
        ["/usr/a.h 1 400.000 ms 40.0 %", "/usr/b.h 1 200.000 ms 20.0 %", "/usr/c.h 1 50.000 ms 5.0 %"]
    );
    assert_eq!(part("Template instantiations with the most time"), ["vec<int> 2 100.000 ms 10.0 %"]);
    assert_eq!(part("Functions with the most time to optimize and generate"), ["main 2 50.000 ms 5.0 %"]);
    // The figures of any trace stand there too.
    assert!(of.parts.iter().any(|part| part.title == "Names with the most time"));
    silent(&trace(&[("ExecuteCompiler", "", 0, 1_000), ("Source", "/usr/c.h", 500, 50)]), RULE);
    missing(&trace(&[("ExecuteCompiler", "", 0, 1_000), ("Source", "", 500, 50)]), RULE);
    not_here(&trace(&[("Source", "/usr/c.h", 500, 50)]), RULE);
}

#[test]
fn of_several_runs_of_a_compiler_all_count() {
    let run = |dur| {
        [("ExecuteCompiler", "", 0, 1_000), ("Source", "/usr/a.h", 10, dur), ("Source", "/usr/b.h", 700, 60)]
    };
    let (one, other) = (run(400), run(300));
    let of = side_by_side(&[&one, &other]);
    let found = planted(&of, RULE, 700e6);
    assert_eq!(
        found.said(Language::En),
        "The compiler spends 700.000 ms in /usr/a.h and what it includes, 35.0 % of its time."
    );
}
