//! Where lanes are lost, and where what is told of several launches is seen.

use super::*;

/// A jump that some lanes take, which run `inside` instructions alone; then ends that one lane takes, often.
fn jump_and_ends(inside: u64) -> Vec<Ran> {
    let (few, most) = (0x1ff, !0x1ff);
    [
        run(0x10, 1, ALL),
        vec![plain(0x100, "BRA", few)],
        run(0x200, inside, few),
        vec![plain(0x200 + 16 * inside, "BSYNC", few)],
        run(0x110, 1, most),
        run(0x800, 2, ALL),
        vec![plain(0x820, "EXIT", 1)],
        run(0x830, 1, ALL & !1),
        vec![plain(0x840, "EXIT", 2)],
        run(0x850, 1, ALL & !3),
    ]
    .concat()
}

#[test]
fn idle_lanes_are_told_by_the_jump_behind_which_most_are_lost() {
    let rule = "instrumentation-idle-lanes";
    let all = |inside| {
        let warp = || [run(0, 1, ALL), jump_and_ends(inside), vec![plain(0xff0, "EXIT", ALL & !3)]].concat();
        traced(&(0..4).map(|_| warp()).collect::<Vec<_>>())
    };
    let overview = all(40);
    let found = &overview.findings[0];
    assert_eq!(found.rule, rule);
    // Of each warp 23 lanes wait for 40 instructions and a BSYNC, then 9 for one instruction. At the jump itself they do
    // not wait: it shows only the lanes that take it.
    let behind = 23 * 41 + 9;
    // So it is with ends that one lane takes. Lane 0 misses three instructions behind its own, lane 1 two.
    let idle = behind + 1 + 2 + 2;
    let line = found.line.to_string();
    let share = format!("{:.1} %", f64::from(behind) / f64::from(idle) * 100.0);
    assert!(line.starts_with(&format!("{share} of the idle lanes left at the BRA 0x100")), "{line}");
    assert!(line.contains("in 4 of 4 executions") && line.contains("take the same way"), "{line}");
    assert!(
        found.evidence.address.contains("256") || found.evidence.address.contains("100"),
        "{:?}",
        found.evidence.address
    );
}

/// Five rounds of a jump that 24 of 32 lanes take, around two instructions of the others: by hand 48 of 96 lanes of these
/// are idle in a round, of 9 instructions with an active lane, the jump left out.
#[test]
fn lanes_that_do_not_take_a_jump_are_not_idle_at_it() {
    let few = 0xff00_0000;
    let round = || {
        [
            run(0x10, 4, ALL),
            vec![plain(0x50, "BRA", !few)],
            run(0x60, 2, few),
            run(0x80, 2, ALL),
            vec![plain(0xa0, "BRA", ALL)],
        ]
        .concat()
    };
    let warp: Vec<Ran> = (0..5).flat_map(|_| round()).collect();
    let overview = traced(&[warp]);
    let found = planted(&overview, "instrumentation-idle-lanes", 48.0 / (9.0 * 32.0));
    let number = |name: &str| found.evidence.numbers.iter().find(|one| one.name == *name).unwrap().value;
    assert_eq!(number("Idle lanes of these instructions"), 5.0 * 48.0);
    assert_eq!(number("Of these since they left at a jump"), 5.0 * 48.0);
    assert_eq!(found.saving.value, (5.0_f64 * 48.0 / 32.0).floor());
}

/// What a place of Source shows of an instruction: the listing, and its columns by name.
fn shown(doc: &Document, address: &str) -> (usize, impl Fn(&str) -> f64 + use<>) {
    let place = address.split("address=0x").nth(1).unwrap();
    let (at, listing) = place.split_once('@').unwrap();
    let digits: String = listing.chars().take_while(char::is_ascii_digit).collect();
    let (at, number) = (u64::from_str_radix(at, 16).unwrap(), digits.parse::<usize>().unwrap() - 1);
    let listing = &doc.trace().code.listings[number];
    let row = listing.address.binary_search(&at).unwrap();
    let columns: Vec<(String, f64)> = listing
        .columns
        .iter()
        .filter_map(|column| Some((column.name.clone(), column.number(row, 0)?)))
        .collect();
    (number, move |name: &str| columns.iter().find(|(own, _)| own == name).unwrap().1)
}

/// A kernel that is launched twice, with other instructions each time: what is said of it is what its place shows.
#[test]
fn a_place_shows_the_numbers_of_all_launches() {
    let launch = |n: u64, with_branch: bool| {
        let mut warp = vec![plain(0, "MOV", ALL)];
        for at in 0..n {
            warp.push(access(0x10, "LDG.E", BASE + at * 0x4000, 256));
            if with_branch {
                warp.push(plain(0x20, "FADD", ALL));
            }
            warp.push(plain(0x30, "BRA", if at + 1 < n { ALL } else { 0 }));
        }
        warp.push(plain(0x40, "EXIT", ALL));
        text(&[warp]).into_bytes()
    };
    let files = vec![
        ("kernel-1.traceg".to_owned(), launch(3, false)),
        ("kernel-2.traceg".to_owned(), launch(5, true)),
    ];
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    while doc.has_work() {
        doc.step();
    }
    let overview = doc.whole_overview();
    check(&overview);
    let found = planted(&overview, "instrumentation-excess-sectors", 8.0 * 28.0);
    let (number, of) = shown(&doc, &found.evidence.address);
    assert_eq!((of("Executions"), of("Sectors"), of("Excess sectors")), (8.0, 8.0 * 32.0, 8.0 * 28.0));
    let blocks = overview.parts.iter().find(|part| part.title.to_string().starts_with("Hottest ")).unwrap();
    assert_eq!(shown(&doc, &blocks.rows[0].address).0, number);
    // The listing of all launches has the instructions of each.
    let listing = &doc.trace().code.listings[number];
    assert_eq!(listing.parts.len(), 2);
    assert_eq!(listing.address, [0, 0x10, 0x20, 0x30, 0x40]);
    // It is what Source begins with, and is told from those of single launches.
    let Some(CodeReply::Listings(all)) = doc.query(&CodeQuery::Listings).0 else { panic!() };
    let names: Vec<&str> = all.listings.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["planted · all 2 launches", "planted · kernel-2.traceg", "planted · kernel-1.traceg"]);
    assert_eq!(all.first_pair()[1], Some(all.listings[0].id));
    let shares: Vec<f64> = all.listings.iter().map(|one| one.share.unwrap()).collect();
    assert_eq!(shares, [1.0, 17.0 / 25.0, 8.0 / 25.0]);
}

/// Two folders of traces that were opened together: launches of one name say of which folder they are.
#[test]
fn launches_of_several_folders_are_told_apart() {
    let bytes = || text(&[[run(0, 3, ALL), vec![plain(0x40, "EXIT", ALL)]].concat()]).into_bytes();
    let files = ["a/kernel-1.traceg", "b/kernel-1.traceg", "b/kernel-2.traceg"];
    let (doc, is_ready) = open(files.map(|name| (name.to_owned(), bytes())).to_vec(), 1 << 16);
    assert!(is_ready);
    let overview = said(doc);
    let part = overview.parts.iter().find(|part| part.title == "Launches").unwrap();
    let mut names: Vec<String> = part.rows.iter().map(|row| row.name.to_string()).collect();
    names.sort();
    assert_eq!(names, ["a/kernel-1: planted", "b/kernel-1: planted", "kernel-2: planted"]);
}

/// Two files count a kernel of one name: each says which it is.
#[test]
fn kernels_of_one_name_are_told_with_their_files() {
    let files = [("gemm/first.txt", 900), ("gemm/second.txt", 600)];
    let files = files.map(|(path, runs)| (path.to_owned(), counts(runs).into_bytes()));
    let (doc, is_ready) = open(files.to_vec(), 1 << 16);
    assert!(is_ready);
    let overview = said(doc);
    // 8 + 900 + 900 + 8, and 8 + 600 + 600 + 8.
    let tile = &overview.tiles[0];
    assert_eq!(tile.value.to_string(), "3,032");
    assert_eq!(tile.comparison.to_string(), "2 kernels in 2 files, 8 instructions each counted");
    let found: Vec<String> = overview
        .findings
        .iter()
        .filter(|one| one.rule == "instrumentation-hot-blocks")
        .map(|one| one.said(Language::En))
        .collect();
    assert_eq!(found.len(), 2, "{found:?}");
    // Each is of its own file: 1,800 of 1,816, and 1,200 of 1,216.
    assert!(
        found[0].contains(" of K (first.txt) accounts for 99.1 % of all instructions of its file"),
        "{found:?}"
    );
    assert!(
        found[1].contains(" of K (second.txt) accounts for 98.7 % of all instructions of its file"),
        "{found:?}"
    );
    let part = overview.parts.iter().find(|part| part.title == "Kernels").unwrap();
    let names: Vec<String> = part.rows.iter().map(|row| row.name.to_string()).collect();
    assert_eq!(names, ["K (first.txt)", "K (second.txt)"]);
    assert!(counted(900).findings.iter().all(|one| !one.said(Language::En).contains("instcount.txt")));
}

/// The same counts as JSON, of a kernel of this name, with so many executions of its loop.
fn counts_json(name: &str, runs: u64) -> String {
    let rows = [
        (0, 8, "mov (8|M0) r1.0<1>:ud r0.0<1;1,0>:ud"),
        (0x10, runs, "add (8|M0) r1.0<1>:ud r1.0<1;1,0>:ud r2.0<1;1,0>:ud"),
    ];
    let rows = rows.into_iter().chain([
        (0x20, runs, "while (8|M0) -16"),
        (0x30, 8, "send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"),
    ]);
    let rows: Vec<_> = rows.collect();
    let code: Vec<_> = rows.iter().map(|(at, _, text)| json!({"offset": at, "asm": text})).collect();
    let results = rows
        .iter()
        .zip([0, 1, 1, 2])
        .map(|((at, n, _), block)| json!({"offset": at, "instruction_counter": n, "bbl_id": block}));
    let results: Vec<_> = results.collect();
    let run = json!({"is_collected": 1, "tiles": [{"results": results}]});
    json!({"app_name": "k", "kernels": [{"kernel_name": name, "runs": 1, "asm": code, "invocations": [run]}]})
        .to_string()
}

/// One run counted as text and as JSON is counted once; another kernel, other counts, and files of one form are not.
#[test]
fn a_run_that_two_forms_describe_is_counted_once() {
    let of = |files: [(&str, String); 2]| {
        let files = files.map(|(path, text)| (path.to_owned(), text.into_bytes()));
        let (doc, is_ready) = open(files.to_vec(), 1 << 16);
        assert!(is_ready);
        let overview = said(doc);
        let tile = &overview.tiles[0];
        let hot = overview.findings.iter().filter(|one| one.rule == "instrumentation-hot-blocks");
        let hot: Vec<String> = hot.map(|one| one.said(Language::En)).collect();
        (tile.value.to_string(), tile.comparison.to_string(), hot)
    };
    // 8 + 80 + 80 + 8, of which the loop is 160.
    let (n, said, hot) = of([("a.txt", counts(80)), ("b.json", counts_json("K", 80))]);
    assert_eq!(n, "176");
    assert_eq!(
        said,
        "1 kernel, 4 instructions each counted; 1 of them described in text and JSON, counted once"
    );
    assert_eq!(hot.len(), 1, "{hot:?}");
    assert!(hot[0].contains(" of K accounts for 90.9 % of all instructions: "), "{hot:?}");
    for (second, n) in [
        (("b.json", counts_json("L", 80)), "352"),
        (("b.json", counts_json("K", 81)), "354"),
        (("b.txt", counts(80)), "352"),
    ] {
        let (all, said, hot) = of([("a.txt", counts(80)), second]);
        assert_eq!((all.as_str(), hot.len()), (n, 2), "{said} {hot:?}");
        assert_eq!(said, "2 kernels in 2 files, 8 instructions each counted");
        assert!(
            hot.iter().all(|hot| hot.contains("accounts for 90.9 % of all instructions of its file: ")
                || hot.contains("accounts for 91.0 % of all instructions of its file: ")),
            "{hot:?}"
        );
    }
}

#[test]
fn a_third_description_is_of_another_run_and_files_of_one_name_are_told_apart() {
    // A third is of another run, whichever comes first.
    for names in [["a.txt", "b.txt", "c.json"], ["b.txt", "c.txt", "a.json"]] {
        let files = names.map(|name| {
            let text = if name.ends_with("json") { counts_json("K", 80) } else { counts(80) };
            (name.to_owned(), text.into_bytes())
        });
        let (doc, _) = open(files.to_vec(), 1 << 16);
        let overview = said(doc);
        assert_eq!(overview.tiles[0].value.to_string(), "352", "{names:?}");
        assert!(overview.tiles[0].comparison.to_string().contains("; 1 of them described in text and JSON"));
    }
    // Files of one name in two folders are told apart.
    let files = ["one/a.txt", "two/a.txt"].map(|path| (path.to_owned(), counts(80).into_bytes()));
    let (doc, _) = open(files.to_vec(), 1 << 16);
    let overview = said(doc);
    let hot = overview.findings.iter().filter(|one| one.rule == "instrumentation-hot-blocks");
    let hot: Vec<String> = hot.map(|one| one.said(Language::En)).collect();
    assert!(hot.iter().any(|one| one.contains("(one/a.txt)")), "{hot:?}");
    assert!(hot.iter().any(|one| one.contains("(two/a.txt)")), "{hot:?}");
}

/// Groups of few threads: where all threads of a launch take as many warps in any group, no group size is asked for.
#[test]
fn groups_are_made_larger_only_where_that_takes_fewer_warps() {
    let rule = "instrumentation-idle-lanes";
    let of = |warps: &[Vec<Ran>], grid: u32, group: u32| {
        let head = format!("-block dim = ({},1,1)", 32 * warps.len());
        let text = text(warps).replace(&head, &format!("-block dim = ({group},1,1)"));
        let text = text.replace("-grid dim = (1,1,1)", &format!("-grid dim = ({grid},1,1)"));
        let (doc, is_ready) = open_one("kernel-1.traceg", text.into_bytes());
        assert!(is_ready);
        said(doc)
    };
    let few = "uses 25.0 % of the lanes of its warps, whatever its group size";
    let more = "uses 62.5 % of the lanes of its warps, whatever its group size";
    let size =
        "Groups of 8 threads fill 25.0 % of the lanes of their warps: make the group size a multiple of 32";
    // Ten instructions of eight lanes; of 40 lanes in two warps; of eight in each of two groups, of which one is recorded.
    for (overview, idle, line, saved) in [
        (of(&[run(0, 10, 0xff)], 1, 8), 0.75, format!("A launch of 8 threads {few}"), None),
        (
            of(&[run(0, 10, ALL), run(0, 10, 0xff)], 1, 40),
            0.375,
            format!("A launch of 40 threads {more}"),
            None,
        ),
        (of(&[run(0, 10, 0xff)], 2, 8), 0.75, size.to_owned(), Some(7.0)),
    ] {
        let finding = planted(&overview, rule, idle);
        let own = finding.line.to_string();
        assert!(own.starts_with(&line), "{own}");
        let saving = (finding.saving.kind != SavingKind::None).then_some(finding.saving.value);
        assert_eq!(saving, saved, "{own}");
    }
}
