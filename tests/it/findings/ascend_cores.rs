//! Rules on operators whose kinds of core last differently long, whose blocks come in waves, or of which a figure knows one
//! pipe and a timeline all: what can be saved at most. The expected numbers were computed by hand from what is planted.

use super::ascend::{Made, found, is_near, of, outcome, overview};
use super::assert_tells;
use crate::support::front_door::open;
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::{Outcome, Overview, SavingKind};
use lanescope::base::words::Language;
use serde_json::{Value, json};

/// How long cores of a kind take, in microseconds, and in how many percent of it each pipe is active.
type Side<'a> = (f64, &'a [(&'a str, f64)]);

/// A mix operator of 20 blocks on as many cube cores, with two vector units each.
fn mix(sides: [Side; 2]) -> Overview {
    mix_on("Ascend910B4", sides)
}

/// The same on another chip, of which nobody may know how many cores it has.
fn mix_on(chip: &str, [cube, vector]: [Side; 2]) -> Overview {
    let n = 20;
    let rows = (0..n).map(
        |n| json!({"value": [n.to_string(), cube.0.to_string(), vector.0.to_string(), vector.0.to_string()]}),
    );
    let info = json!({"name": "Mix", "soc": chip, "op_type": "mix", "duration": cube.0.max(vector.0) + 2.0,
        "advice": [], "block_dim": n.to_string(), "mix_block_dim": (2 * n).to_string(), "rated_freq": "1800", "cur_freq": "1800",
        "mix_block_detail": {"head_name": ["Block ID", "Cube0 Duration (μs)", "Vector0 Duration (μs)", "Vector1 Duration (μs)"],
            "row": rows.collect::<Vec<_>>(), "size": [n + 1, 4]}});
    let table = |name: &str, (time, pipes): Side| {
        let row = |(pipe, share): &(&str, f64)| {
            let cycles = time * 1_800.0 * share / 100.0;
            json!({"name": pipe, "value": ["1", cycles.to_string(), "0", share.to_string()]})
        };
        json!({"table_name": name, "size": [pipes.len(), 4], "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)"],
            "row": pipes.iter().map(row).collect::<Vec<_>>()})
    };
    let blocks = (0..n).map(|n| {
        json!({"block_id": n.to_string(), "table_op_type": "mix", "advice": [], "table_detail": [
            table("Pipe Cube", cube), table("Pipe Vector Core0", vector), table("Pipe Vector Core1", vector)]})
    });
    let tables = json!({"table_per_block": blocks.collect::<Vec<_>>()});
    overview(Container::default().json(5, &info).json(9, &tables).0)
}

/// A timeline of two vector cores that last so many microseconds, with pipes from when to when; MTE3 waits for VECTOR.
fn trace(pipes: &[(&str, f64, f64)], (from, to): (f64, f64)) -> Value {
    let mut events = Vec::new();
    for core in 0..2 {
        let pid = format!("core{core}.veccore0");
        for (pipe, from, to) in pipes {
            events.push(
                json!({"ph": "X", "name": "DO", "pid": pid, "tid": pipe, "ts": from, "dur": to - from}),
            );
        }
        // An arrow ties both together: it begins where the flag is set and ends where it was waited for.
        for (ph, name, pipe, at) in [
            ("B", "WAIT_FLAG", "MTE3", from),
            ("E", "WAIT_FLAG", "MTE3", to),
            ("B", "SET_FLAG", "VECTOR", to),
            ("E", "SET_FLAG", "VECTOR", to + 0.01),
            ("s", "VECTORToMTE3", "VECTOR", to),
            ("t", "VECTORToMTE3", "MTE3", to),
        ] {
            events.push(json!({"ph": ph, "name": name, "cat": "VECTORToMTE3", "pid": pid, "tid": pipe, "ts": at, "id": format!("{pid}_0")}));
        }
    }
    json!({"profilingType": "op", "schemaVersion": 2, "traceEvents": events})
}

fn tile<'a>(overview: &'a Overview, label: &str) -> &'a lanescope::analysis::finding::Tile {
    overview.tiles.iter().find(|tile| tile.label.text(Language::En) == label).unwrap()
}

fn said(overview: &Overview, rule: &str) -> String {
    match outcome(overview, rule) {
        Some(Outcome::Nothing(said) | Outcome::Missing(said)) => said.to_string(),
        other => panic!("{rule}: {other:?}"),
    }
}

#[test]
fn a_bound_is_what_the_longest_cores_leave() {
    // Vector cores need MTE2 for 30 of their 100 µs, cube cores Scalar for 9.5 of their 10.
    let vector: Side = (100.0, &[("Scalar", 85.0), ("MTE2", 30.0)]);
    let overview = mix([(10.0, &[("Scalar", 95.0), ("MTE2", 90.0)]), vector]);
    let scalar = found(&overview, "ascend-scalar-bound");
    let shares: Vec<(&str, f64)> =
        scalar.iter().map(|own| (own.subject.as_str(), own.saving.share * 102.0)).collect();
    assert!(shares.len() == 2 && shares[0].0 == "vector" && is_near(shares[0].1, 70.0), "{shares:?}");
    // Cube cores end long before the vector cores do: where these wait for all of it, no more than that is saved.
    assert!(shares[1].0 == "cube" && is_near(shares[1].1, 10.0), "{shares:?}");
    assert!(scalar[0].saving.model.to_string().contains("MTE2 of the vector cores still takes 30.000 µs"));
}

#[test]
fn cores_that_wait_for_those_of_another_kind_bound_nothing() {
    // Vector cores last nearly as long as cube cores do, but work in 8 % of it: the rest may be waiting for them.
    let sides: [Side; 2] =
        [(100.0, &[("Scalar", 96.0), ("FIXP", 50.0)]), (98.0, &[("MTE3", 8.0), ("Scalar", 6.0)])];
    let told = |overview: &Overview, saved: f64| {
        let first = &overview.findings[0];
        assert_eq!((first.rule.as_str(), first.subject.as_str()), ("ascend-scalar-bound", "cube"));
        assert!(first.saving.kind == SavingKind::Bound && is_near(first.saving.value, saved), "{first:?}");
        assert_eq!(
            first.saving.model.to_string(),
            "If Scalar of the cube cores took no time: FIXP of the cube cores still takes 50.000 µs."
        );
    };
    told(&mix(sides), 50e3);
    // Nobody knows how many cores this chip has: then blocks may have run one after the other for all of the 102 µs.
    told(&mix_on("Ascend000", sides), 52e3);
    // Where vector cores work all the time, nothing is saved of it.
    let busy =
        mix([(100.0, &[("Scalar", 96.0), ("FIXP", 50.0)]), (100.0, &[("MTE3", 100.0), ("Scalar", 6.0)])]);
    let scalar = found(&busy, "ascend-scalar-bound");
    assert!(scalar.len() == 1 && scalar[0].saving.kind == SavingKind::None, "{scalar:?}");
}

#[test]
fn what_bounds_is_said_of_the_cores_that_take_the_time() {
    let vector: Side = (100.0, &[("Scalar", 30.0), ("MTE2", 40.0)]);
    let overview = mix([(10.0, &[("Scalar", 95.0), ("MTE2", 20.0)]), vector]);
    let bound = tile(&overview, "Bound by");
    assert_eq!(bound.value.to_string(), "vector: latency");
    assert!(bound.comparison.to_string().contains("MTE2, is active in 40.0 %"), "{}", bound.comparison);
    let unbound = found(&overview, "ascend-no-pipe-bounds")[0];
    assert!(is_near(unbound.saving.share, 60.0 / 102.0), "{unbound:?}");
    let sides = found(&overview, "ascend-cube-vector")[0].said(lanescope::base::words::Language::En);
    assert!(!sides.contains("at most") && !sides.contains("whole operator"), "{sides}");
    assert!(sides.contains("Scalar, is active in 95.0 %") && sides.contains("MTE2, in 40.0 %"), "{sides}");
}

#[test]
fn blocks_in_waves_are_saved_of_each_wave() {
    let pipes = vec![("MTE2", 153_000.0, 0.0), ("Scalar", 54_000.0, 0.0)];
    let equal = Made { duration: 310.0, blocks: vec![100.0; 100], n_blocks: 100, pipes, ..Made::default() };
    // Three waves of 100 µs, of which Scalar needs 30 %.
    let bound = of(&equal);
    assert!(is_near(found(&bound, "ascend-pipe-bound")[0].saving.share, 210.0 / 310.0));
    // One block takes long: some core takes three, though maybe three short ones of 50 µs.
    let mut blocks = vec![50.0; 99];
    blocks.push(100.0);
    let bound = of(&Made { blocks, ..equal.clone() });
    assert!(is_near(found(&bound, "ascend-pipe-bound")[0].saving.share, 255.0 / 310.0));
    // Of which blocks are missing nothing is known but the duration.
    let bound = of(&Made { blocks: vec![100.0; 48], ..equal });
    assert!(is_near(found(&bound, "ascend-pipe-bound")[0].saving.share, 280.0 / 310.0));
}

#[test]
fn a_last_wave_is_what_the_times_of_blocks_show() {
    let tail = |blocks: Vec<f64>, n_blocks: usize, duration: f64| {
        of(&Made { blocks, n_blocks, duration, ..Made::default() })
    };
    // The 49th block takes 1 µs: all 48 cores work for 100.021 of 102 µs.
    let blocks = [vec![100.0; 48], vec![1.0]].concat();
    assert_eq!(
        said(&tail(blocks, 49, 102.0), "ascend-tail"),
        "blocks do not take equally long: spread evenly over 48 vector cores, the blocks take 100.021 µs of 102.000 µs: \
         at most 1.979 µs pass without one"
    );
    // 8 blocks of 100 µs and 52 of 20 are 38.333 µs of each core.
    let blocks = [vec![100.0; 8], vec![20.0; 52]].concat();
    let all = tail(blocks, 60, 121.0);
    let own = found(&all, "ascend-tail")[0];
    assert!(own.saving.kind == SavingKind::Bound && is_near(own.saving.value, 82_667.0), "{own:?}");
    assert_eq!(own.said(Language::En), "68.3 % of the time of all 48 vector cores passes without a block.");
    assert_eq!(
        own.line.to_string(),
        "60 blocks of 20.000 µs to 100.000 µs do not fit 2 equal waves: spread evenly over the cores, they take \
         38.333 µs of 121.000 µs. A block dim of 48, with a loop over chunks in each block, spreads them."
    );
    // Two waves of blocks that take 95 of 102 µs there cannot be, and of others nothing is known.
    assert_eq!(
        said(&tail(vec![95.0; 32], 50, 102.0), "ascend-tail"),
        "only 32 of 50 block times are recorded, and they do not fit 2 equal waves: idle core time cannot be computed"
    );
    // Without any times nothing speaks against equal blocks.
    let own = found(&tail(Vec::new(), 50, 102.0), "ascend-tail")[0].clone();
    assert!(own.saving.kind == SavingKind::Estimate && is_near(own.saving.share, 46.0 / 96.0), "{own:?}");
}

#[test]
fn even_blocks_are_spread_over_the_cores_there_are() {
    let blocks = [vec![100.0; 8], vec![40.0; 48]].concat();
    let all = of(&Made { blocks, n_blocks: 56, duration: 101.0, ..Made::default() });
    let saving = &found(&all, "ascend-imbalance")[0].saving;
    // 2,720 µs on 48 cores.
    assert!(is_near(saving.value, 43_333.0), "{saving:?}");
    assert!(saving.model.to_string().contains("over the 48 vector units"), "{}", saving.model);
}

/// A timeline of cores that each work from 0 to so many microseconds.
fn ends(cores: &[(&str, f64)]) -> Overview {
    let slice = |(core, end): &(&str, f64)| {
        let pipe = if core.contains("cube") { "CUBE" } else { "VECTOR" };
        json!({"ph": "X", "name": "DO", "pid": core, "tid": pipe, "ts": 0.0, "dur": end})
    };
    let events: Vec<Value> = cores.iter().map(slice).collect();
    let trace = json!({"profilingType": "op", "schemaVersion": 2, "traceEvents": events});
    overview(Container::default().json(2, &trace).0)
}

#[test]
fn cores_share_work_with_those_of_their_kind_only() {
    let cores = |cubes: [f64; 2], vectors: [f64; 2]| {
        ends(&[
            ("core0.cubecore0", cubes[0]),
            ("core1.cubecore0", cubes[1]),
            ("core0.veccore0", vectors[0]),
            ("core1.veccore0", vectors[1]),
        ])
    };
    // Cube cores end early, together; vector cores end late, together.
    let text = said(&cores([20.0, 20.0], [100.0, 100.0]), "ascend-tail");
    assert!(text.starts_with("on average over 2 vector cores, a core ends 0.0 %"), "{text}");
    // Cube cores that shared their work would end at 80 µs, but vector cores at 90.
    let all = cores([60.0, 100.0], [85.0, 95.0]);
    let own = found(&all, "ascend-tail")[0];
    assert!(is_near(own.value, 20e3) && is_near(own.saving.share, 0.1), "{own:?}");
    let text = own.said(Language::En);
    assert_eq!(text, "On average over 2 cube cores, a core ends 20.000 µs before the last one.");
    assert!(own.line.to_string().contains("core0.cubecore0 ends 40.000 µs before"), "{}", own.line);
    let model = own.saving.model.to_string();
    assert_eq!(
        model,
        "If work were spread evenly over the cores of each kind. The vector cores would then finish last."
    );
}

#[test]
fn faster_moves_save_no_more_than_other_pipes_leave() {
    let pipes = vec![("Scalar", 172_800.0, 0.0), ("MTE2", 90_000.0, 0.0)];
    let overview = of(&Made { pipes, peak: Some(10.0), ..Made::default() });
    let slow = found(&overview, "ascend-low-bandwidth")[0];
    // At its peak MTE2 would take 40 µs less, but Scalar needs 96 of 100.
    assert!(is_near(slow.value, 20.0) && is_near(slow.saving.share, 4.0 / 102.0), "{slow:?}");
    // A roof says nothing of scalar work either.
    let roof = found(
        &of(&Made {
            pipes: vec![("Scalar", 172_800.0, 0.0), ("MTE2", 90_000.0, 0.0)],
            roof: Some(0.3),
            ..Made::default()
        }),
        "ascend-roof",
    )[0]
    .clone();
    assert!(is_near(roof.saving.share, 6.0 / 102.0), "{roof:?}");
}

#[test]
fn waiting_for_a_pipe_that_works_all_the_time_saves_nothing() {
    let trace = trace(&[("VECTOR", 0.0, 90.0), ("MTE3", 90.0, 100.0)], (0.0, 90.0));
    let overview = overview(Container::default().json(2, &trace).0);
    let waits = found(&overview, "ascend-waits")[0];
    assert!(is_near(waits.value, 90.0) && waits.saving.kind == SavingKind::None, "{waits:?}");
    assert!(waits.line.to_string().contains("Vector works in 90.0 %"), "{}", waits.line);
    let bound = found(&overview, "ascend-pipe-bound")[0];
    assert!(is_near(bound.saving.share, 0.9) && bound.saving.part().to_string().contains("timeline"));
}

#[test]
fn waiting_for_a_pipe_names_the_one_that_sets_the_flags() {
    // On both cores, which last 100 µs, MTE3 waits for VECTOR for 60 µs, and VECTOR works for 40.
    let trace = trace(&[("VECTOR", 0.0, 40.0), ("MTE3", 70.0, 100.0)], (10.0, 70.0));
    let overview = overview(Container::default().json(2, &trace).0);
    let said = ["MTE3 waits for Vector for 60.0 % of the time of its cores."];
    assert_tells(&[(&overview, "ascend-waits", &said)]);
    let waits = found(&overview, "ascend-waits")[0];
    assert_eq!(waits.subject, "Vector MTE3");
    assert_eq!(
        waits.line.to_string(),
        "2 waits, the longest takes 60.000 µs. Let Vector start earlier: more buffers, smaller chunks, or flags set as \
         soon as the work they signal is done."
    );
    let numbers: Vec<f64> = waits.evidence.numbers.iter().map(|number| number.value).collect();
    assert_eq!(numbers, [2.0, 60e3, 60e3, 2.0]);
}

#[test]
fn pipes_that_a_figure_does_not_have_are_those_of_the_timeline() {
    let one = Made { pipes: Vec::new(), roof: None, ..Made::default() };
    let graph = json!({"core_memory_map": [{"core_no": "0", "op_type": "vector", "soc": "910B", "advice": [],
        "Vector": {"cycle": 18_000, "ratio": 10.0, "total_cycles": 180_000}, "memory_unit": []}]});
    let load = json!({"advice": [], "subblock_detail": [
        {"block_id": "0", "block_type": "vector", "name": "Vector All Active", "origin_value": 18_000, "unit": 3, "value": 10.0}]});
    let file = |trace: Option<Value>| {
        let file = Container(one.file()).json(6, &load).json(8, &graph);
        let file = match trace {
            Some(trace) => file.json(2, &trace),
            None => file,
        };
        overview(file.0)
    };
    let pipes = [("MTE2", 0.0, 60.0), ("VECTOR", 60.0, 90.0), ("SCALAR", 90.0, 95.0), ("MTE3", 95.0, 100.0)];
    let both = file(Some(trace(&pipes, (94.0, 95.0))));
    let bound = tile(&both, "Bound by").comparison.to_string();
    assert!(bound.contains("MTE2, is active in 60.0 %"), "{bound}");
    assert!(said(&both, "ascend-scalar-bound").contains("5.0 %"));
    // Two cores of 100 µs, of which MTE2 needs 60.
    assert!(is_near(found(&both, "ascend-no-pipe-bounds")[0].saving.share, 0.4));
    // Alone it says nothing of pipes that it does not have.
    let alone = file(None);
    assert_eq!(tile(&alone, "Bound by").value.to_string(), "–");
    for rule in ["ascend-scalar-bound", "ascend-pipe-bound", "ascend-no-pipe-bounds"] {
        assert!(matches!(outcome(&alone, rule), Some(Outcome::Missing(_))), "{rule}");
    }
}

/// CSV files beside nothing, or beside a container.
fn of_files(files: &[(&str, Vec<u8>)]) -> Overview {
    let files = files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.clone())).collect();
    open(files, 1 << 16).0.whole_overview()
}

#[test]
fn files_beside_the_container_tell_of_caches_and_conflicts() {
    let pipes = "block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_scalar_ratio,aiv_mte2_ratio,\n0,vector0,100.0,180000,0.9,0.1,\n1,vector0,50.0,90000,0.9,0.1,\n";
    let cache = "block_id,sub_block_id,aiv_write_cache_hit,aiv_write_cache_miss_allocate,aiv_r0_read_cache_hit,aiv_r0_read_cache_miss_allocate,aiv_r1_read_cache_hit,aiv_r1_read_cache_miss_allocate,\n0,vector0,1000,0,2000,1000,0,2000,\n1,vector0,1000,1000,0,1000,1000,0,\n";
    let conflicts = "block_id,sub_block_id,aiv_total_cycles,aiv_vec_total_cflt_ratio,aiv_vec_bankgroup_cflt_ratio,aiv_vec_bank_cflt_ratio,aiv_vec_resc_cflt_ratio,aiv_vec_mte_cflt_ratio,\n0,vector0,180000,0.3,0.1,0.2,0.0,0.0,\n1,vector0,90000,0.0,0.0,0.0,0.0,0.0,\n";
    let all = of_files(&[
        ("o/PipeUtilization.csv", pipes.into()),
        ("o/L2Cache.csv", cache.into()),
        ("o/ResourceConflictRatio.csv", conflicts.into()),
    ]);
    // 5,000 of 10,000 requests; 30 % of two thirds of the cycles.
    let l2 = found(&all, "ascend-l2-hit-rate")[0];
    assert!(
        is_near(l2.value, 0.5) && tile(&all, "L2 hit rate").value.text(Language::En) == "50.0 %",
        "{l2:?}"
    );
    let blocked = found(&all, "ascend-conflicts")[0];
    assert!(is_near(blocked.value, 20.0) && blocked.sentence.to_string().contains("banks"), "{blocked:?}");
    let alone = of_files(&[("o/PipeUtilization.csv", pipes.into())]);
    assert!(said(&alone, "ascend-head-overhead").contains("how long the operator took"));
    let scalar = found(&alone, "ascend-scalar-bound")[0];
    assert!(scalar.saving.part().to_string().contains("of the longest block"), "{}", scalar.saving.part());
}

#[test]
fn blocks_that_take_up_to_five_percent_less_are_counted_so() {
    let mut blocks = vec![80.0; 48];
    for (at, time) in [(5, 95.1), (11, 95.1), (30, 95.1), (17, 100.0)] {
        blocks[at] = time;
    }
    let overview = of(&Made { blocks, ..Made::default() });
    let line = found(&overview, "ascend-imbalance")[0].line.to_string();
    assert!(line.starts_with("4 blocks (5, 11, 17, 30) took 96.325 µs on average"), "{line}");
    // All of them can be held against, not only the first.
    let part = overview.parts.iter().find(|part| part.title.text(Language::En) == "Slowest units").unwrap();
    assert_eq!((part.rows.len(), part.beyond.len()), (7, 41));
    assert!(part.is_all && part.row(&part.beyond[40]).is_some());
    let one = of(&Made { blocks: vec![100.0], n_blocks: 1, ..Made::default() });
    assert!(said(&one, "ascend-tail").starts_with("its only block"));
}
