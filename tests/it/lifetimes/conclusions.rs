//! What a reader concludes: the axis of use over time, area beside refreshes, what shares are shares of, in which view a log
//! begins. Logs are made here; numbers are counted once more from their lines.

use super::front::{head, lengths};
use crate::gainsight::{export, open_set, run, values};
use crate::scalesim::{figure, with};
use crate::support::corpus::corpus;
use lanescope::base::geometry::Size;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw::style::DrawStyle;
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, Shape};
use lanescope::views::lifetimes::compute::{
    Counts, Kernel, Level, Peak, Run, Settings, Unit, defaults, devices, report,
};
use lanescope::views::lifetimes::messages::{Frame, LevelLengths, distribution};
use lanescope::views::lifetimes::scene::{
    Course, KernelPoint, ReusePlot, WriteRates, base_words, definition, draw_reuse, draw_write_rates, length,
    numbers,
};

use serde_json::Value;
use std::collections::BTreeMap;

/// An access to L1: cycle, SM, sector, status; all are loads.
type Load = (u64, u32, u64, u8);

/// A log of kernels with these cycles and loads, of a GPU with four SMs of 64 KiB at 1 GHz.
fn text(kernels: &[(u64, Vec<Load>)]) -> Vec<u8> {
    let mut text =
        "Accel-Sim [build test]\n        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***\n\n\
        -gpgpu_n_clusters 2 # clusters\n-gpgpu_n_cores_per_cluster 2 # cores\n\
        -gpgpu_kernel_launch_latency 50 # cycles\n\
        -gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # clocks\n"
            .to_owned();
    for ((cycles, loads), uid) in kernels.iter().zip(1..) {
        text += &format!(
            "Processing kernel kernel-{uid}.traceg\n-kernel name = work{uid}\n-kernel id = {uid}\n\
             launching kernel name: work{uid} uid: {uid} cuda_stream_id: 0\nGPGPU-Sim: Reconfigure L1 cache to 64KB\n"
        );
        for (cycle, unit, sector, status) in loads {
            let address = 0x7f00_0000_0000_u64 + sector * 32;
            text += &format!(
                "GPGPU-Sim Cycle {cycle}: Load instr from L1D cache at SM {unit} bank 0 addr {address:x} status {status}\n"
            );
        }
        text += &format!(
            "kernel_name = work{uid} \nkernel_launch_uid = {uid} \ngpu_sim_cycle = {cycles}\ngpu_sim_insn = 64\n"
        );
    }
    text += "GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n";
    text.into_bytes()
}

/// Each sector once: nothing is ever used again.
fn once(n: u64, unit: u32) -> Vec<Load> {
    (0..n).map(|at| (60 + at, unit, at, 2)).collect()
}

/// Sectors that are loaded one after the other and used again later.
fn again(n: u64, from: u64, after: u64, unit: u32) -> Vec<Load> {
    let mut all: Vec<Load> = (0..n)
        .flat_map(|at| [(from + 10 * at, unit, at, 2), (from + after + 10 * at, unit, at, 0)])
        .collect();
    all.sort_unstable();
    all
}

/// Kernels without any reuse before and behind those that use their data again.
fn kernels() -> Vec<(u64, Vec<Load>)> {
    let mut both = again(12, 100, 500, 0);
    both.extend(again(6, 150, 500, 3));
    both.sort_unstable();
    vec![(1_000, once(5, 0)), (900, again(10, 100, 400, 0)), (1_100, both), (2_000, once(300, 1))]
}

/// How many sectors are between opening and last use at each cycle since the first kernel began, counted one by one.
fn naive_course(kernels: &[(u64, Vec<Load>)]) -> Vec<u64> {
    let mut all = Vec::new();
    for (cycles, loads) in kernels {
        let mut of_key: BTreeMap<(u32, u64), Vec<u64>> = BTreeMap::new();
        for (cycle, unit, sector, _) in loads {
            of_key.entry((*unit, *sector)).or_default().push(*cycle);
        }
        let in_use = |at: u64| of_key.values().filter(|own| own[0] <= at && at < own[own.len() - 1]).count();
        all.extend((0..*cycles).map(|at| in_use(at) as u64));
    }
    all
}

fn level(doc: &mut Document, kernel: Option<u32>, set: &[(&str, &str)]) -> LevelLengths {
    lengths(doc, kernel, set).levels.swap_remove(0)
}

fn texts(scene: &Scene) -> Vec<&str> {
    let text = |shape: &'_ Shape| matches!(shape, Shape::Text { .. });
    let shapes = scene.shapes.iter().filter(|shape| text(shape));
    shapes
        .filter_map(|shape| if let Shape::Text { text, .. } = shape { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn rates_are_of_the_units_that_were_used_in_both_scopes() {
    let mut doc = open_set(&[("run.log", text(&kernels()))], &[]);
    // Of four SMs the first two kernels use one, the third two, the last another one.
    for (kernel, used) in [(Some(0), 1), (Some(1), 1), (Some(2), 2), (Some(3), 1), (None, 3)] {
        let (total, mean) = (level(&mut doc, kernel, &[]), level(&mut doc, kernel, &[("scope", "mean")]));
        assert_eq!((total.copies, total.mean_of, total.used), (4, 1, used), "{kernel:?}");
        assert_eq!((mean.copies, mean.mean_of, mean.used), (1, used, used), "{kernel:?}");
    }
    let one = level(&mut doc, None, &[("scope", "busiest")]);
    assert_eq!((one.copies, one.mean_of, one.used), (1, 1, 1));
}

#[test]
fn use_over_time_spans_the_run_also_where_kernels_keep_nothing() {
    let kernels = kernels();
    let mut doc = open_set(&[("run.log", text(&kernels))], &[]);
    let all = level(&mut doc, None, &[]);
    let naive = naive_course(&kernels);
    assert_eq!(all.span, naive.len() as u64, "from the first kernel to the end of the last");
    let (slices, cycles): (Vec<_>, u64) = (
        doc.trace().tracks.iter().flat_map(|(_, track)| track.slices.start.iter().copied()).collect(),
        kernels.iter().map(|(cycles, _)| cycles).sum(),
    );
    assert_eq!((slices.first(), all.span), (Some(&0), cycles), "the axis is that of the timeline");
    let course = Course {
        sectors: &all.course,
        step: all.step,
        span: all.span as f64,
        clock_mhz: Some(1000.0),
        room: all.room,
        peak: all.peak,
        kernel: &all.peak_kernel,
    };
    let most = naive.iter().copied().max().unwrap();
    let at = naive.iter().position(|own| *own == most).unwrap() as u64;
    assert_eq!(all.peak, Peak { sectors: most, cycle: at, is_exact: true });
    assert_eq!(all.peak_kernel, "work3", "the third kernel, from cycle 1,900 on, has two units at work");
    for (bin, own) in all.course.iter().enumerate() {
        let from = (bin as f64 * all.step) as usize;
        let to = (((bin + 1) as f64 * all.step) as usize).min(naive.len());
        let most = naive[from..to].iter().copied().max().unwrap_or(0);
        assert!(own.abs_diff(most) <= 2, "bin {bin}: {own} {most}");
    }
    // One kernel has the axis of its own time; one that keeps nothing too.
    for (row, (cycles, _)) in (0..).zip(&kernels) {
        let own = level(&mut doc, Some(row), &[]);
        let most = naive_course(&kernels[row as usize..=row as usize]).into_iter().max().unwrap();
        assert_eq!((own.span, own.peak.sectors), (*cycles, most));
    }
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let reuses = lanescope::views::lifetimes::compute::Distribution::of(vec![0, 1, 5, 9]);
    let plot = ReusePlot {
        name: "L1".to_owned(),
        others: "all 4 SMs".to_owned(),
        reuses: &reuses,
        orphans: (1, 4),
        kernels: Vec::new(),
        course,
    };
    let scene = draw_reuse(&[plot], Size { w: 1200.0, h: 300.0 }, &look);
    for words in ["5 µs", "4–7", "8–15", "L1 all 4 SMs"] {
        assert!(texts(&scene).contains(&words), "{words}: {:?}", texts(&scene));
    }
}

#[test]
fn area_refreshes_and_energy_of_a_row_are_of_the_same_units() {
    let cells = r#"{ "array_efficiency": 0.5, "devices": [
        { "name": "SRAM", "family": "sram", "reference": true, "cell_um2_per_bit": 0.2, "retention_us": null,
          "read_fj_per_bit": 2.0, "write_fj_per_bit": 3.0 },
        { "name": "cell", "family": "silicon", "cell_um2_per_bit": 0.1, "retention_us": 0.1,
          "read_fj_per_bit": 1.0, "write_fj_per_bit": 1.5, "refresh_fj_per_bit": 0.25 } ] }"#;
    let kernels = kernels();
    let mut doc = open_set(&[("run.log", text(&kernels))], &[("devices", cells)]);
    // 100 cycles fit into a length of 500 five times, into one of 400 four times.
    let all = 10 * 4 + 18 * 5;
    let of_sm3 = 6 * 5;
    let used = 3;
    let loads: u64 = kernels.iter().map(|(_, loads)| loads.len() as u64).sum();
    let misses: u64 =
        kernels.iter().flat_map(|(_, loads)| loads).filter(|(.., status)| *status == 2).count() as u64;
    let bits = 64.0 * 1024.0 * 8.0 / 0.5 * 0.1;
    for (scope, copies, refreshes, energy_share) in
        [("total", 4.0, f64::from(all), 1.0), ("mean", 1.0, f64::from(all) / f64::from(used), 1.0 / 3.0)]
    {
        let set = [("scope", scope), ("devices", cells)];
        let (devices, _) = devices(&values(&set));
        let own = report(run(&doc), &Settings::of(&values(&set), run(&doc)), &devices);
        let demand = &own.levels[0].demand;
        let found = &own.levels[0].devices[1];
        assert!((demand.area_um2(found) - copies * bits).abs() < 1e-6, "{scope}");
        assert!((found.area_um2 - bits).abs() < 1e-6, "the report has the area of one");
        assert!((found.refreshes - refreshes).abs() < 1e-9, "{scope}: {}", found.refreshes);
        let energy = 256.0 * energy_share * (loads as f64 + misses as f64 * 1.5 + f64::from(all) * 0.25);
        assert!((found.energy_fj().unwrap() - energy).abs() < 1e-6, "{scope}");
        // The page holds the same.
        let told = level(&mut doc, None, &set);
        assert_eq!((told.copies as f64, told.cycles), (copies, 5_000));
        let page = devices.figures(&devices.devices[1], &told.demand(1000.0));
        assert!((page.refreshes - refreshes).abs() < 1e-9);
        assert!((page.energy_fj().unwrap() - energy).abs() < 1e-6, "{scope}");
    }
    let set = [("scope", "sm:3"), ("devices", cells)];
    let told = level(&mut doc, None, &set);
    let (devices, _) = devices(&values(&set));
    assert_eq!(devices.figures(&devices.devices[1], &told.demand(1000.0)).refreshes, f64::from(of_sm3));
    assert_eq!(told.copies, 1);
    let table = figure(&mut doc, "lifetime-devices");
    let row = &table["variants"][0]["body"]["table"]["rows"][1];
    assert!((row[3].as_f64().unwrap() - 4.0 * bits).abs() < 1e-6, "{row}");
    let notes = table["variants"][0]["notes"].to_string();
    assert!(notes.contains("all 4 SMs") && notes.contains("28 reused"), "{notes}");
    let json: Value = serde_json::from_str(&export(&mut doc, "gainsight-report-json")).unwrap();
    assert!((json["L1 Area"]["silicon"].as_f64().unwrap() - bits).abs() < 1e-6);
    assert_eq!(json["L1 Refreshes"]["cell"].as_f64(), Some(f64::from(all)));
}

#[test]
fn shares_say_what_they_are_shares_of_also_with_weights() {
    let kernels = kernels();
    let clusters = b"kernel_id,weight\n1,10\n2,1\n3,1\n4,3\n".to_vec();
    for (files, weights) in [
        (vec![("run.log", text(&kernels))], [1, 1, 1, 1]),
        (vec![("run.log", text(&kernels)), ("clusters.csv", clusters)], [10, 1, 1, 3]),
    ] {
        let mut doc = open_set(&files, &[]);
        let (mut reused, mut opened) = (0, 0);
        for ((_, loads), weight) in kernels.iter().zip(weights) {
            let mut of_key: BTreeMap<(u32, u64), u64> = BTreeMap::new();
            loads.iter().for_each(|(_, unit, sector, _)| *of_key.entry((*unit, *sector)).or_default() += 1);
            opened += weight * of_key.len() as u64;
            reused += weight * of_key.values().filter(|n| 1 < **n).count() as u64;
        }
        let told = level(&mut doc, None, &[]);
        let counted = told.demand(1000.0).lifetimes.count();
        assert_eq!((counted, told.counts.lifetimes), (reused, opened), "{weights:?}");
        assert_eq!(told.counts.orphans, opened - reused);
        let words = base_words(counted, told.counts.orphans, told.counts.lifetimes, Language::En);
        let share = (opened - reused) as f64 / opened as f64 * 100.0;
        assert_eq!(
            words,
            format!(
                "of {reused} reused lifetimes; {share:.1} % of all {opened} were never reused and are left out"
            )
        );
        let included = level(&mut doc, None, &[("orphans", "include")]);
        let counted = included.demand(1000.0).lifetimes.count();
        assert_eq!(counted, opened, "all count");
        let words = base_words(counted, included.counts.orphans, opened, Language::En);
        assert_eq!(words, format!("of {opened} lifetimes, {share:.1} % of them never reused"));
        let svg = doc.svg("lifetimes", Size { w: 1440.0, h: 800.0 }, &Palette::default()).unwrap();
        for words in [
            format!("{share:.1} % of {opened} opened never reused, left out"),
            format!("of {reused} fit"),
            "lifetimes per bin of 1/16 decade".to_owned(),
        ] {
            assert!(svg.contains(&words), "{words}");
        }
    }
    assert_eq!(base_words(7, 0, 7, Language::En), "of 7 lifetimes");
}

#[test]
fn what_numbers_depend_on_is_told() {
    let mut doc = open_set(&[("run.log", text(&kernels()))], &[]);
    let own = head(&mut doc, &[]);
    assert_eq!(own.clock_source, "core clock in the simulator configuration");
    assert_eq!((own.launch_latency, own.levels[0].n_units, own.has_layers), (Some(50), 4, false));
    let frame = Frame { clock_mhz: Some(1000.0), kernel: Some(3), ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 400.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    assert_eq!(note.about, "cells of 2 cycles, 2 ns", "300 loads from cycle 60 on in at most 256 bins");
    let mut layers = with(crate::scalesim::tiny(), &[]);
    let own = head(&mut layers, &[]);
    assert!(own.has_layers && own.clock_mhz.is_none() && own.clock_source.is_empty());
    assert!(own.levels.iter().all(|level| level.word_bytes == Some(1)));
    assert_eq!(figure(&mut layers, "lifetime-kernels")["title"], "Lifetimes by layer");
    let Some(folder) = corpus("gainsight") else { return };
    let log = std::fs::read(folder.join("generated_accelsim/sm86_rtx3070_2kernels_small.log")).unwrap();
    let mut doc = open_set(&[("sm86.log", log)], &[]);
    let own = head(&mut doc, &[]);
    assert_eq!((own.clock_mhz, own.launch_latency), (Some(1132.0), Some(5000)));
    assert_eq!(own.levels.iter().map(|level| level.n_units).collect::<Vec<_>>(), [46, 32]);
    let told = lengths(&mut doc, None, &[]);
    // By a program of its own: cycles of kernels 3 and 4, memories, reused and opened lifetimes, refreshes each µs, and the
    // most in use with the cycle when it is.
    for (level, known) in told
        .levels
        .iter()
        .zip([[16_331, 46, 3_350, 6_072, 463, 1_001, 15_384], [16_331, 1, 992, 4_164, 512, 470, 7_222]])
    {
        let demand = level.demand(1132.0);
        let refreshes = defaults().figures(&defaults().devices[1], &demand).refreshes as u64;
        let counted = demand.lifetimes.count();
        let found = [level.span, level.copies, counted, level.counts.lifetimes, refreshes];
        assert_eq!(found, known[..5]);
        assert_eq!((level.peak.sectors, level.peak.cycle, level.peak.is_exact), (known[5], known[6], true));
        assert_eq!(level.course.iter().max(), Some(&known[5]), "the picture goes as high");
    }
}

#[test]
fn units_of_a_run_are_counted_once_for_each_kernel() {
    let kernel = |units: &[(u32, u64)]| {
        let unit = |(number, reads): &(u32, u64)| Unit {
            number: *number,
            counts: Counts { reads: *reads, ..Counts::default() },
            ..Unit::default()
        };
        let level = Level { units: units.iter().map(unit).collect(), ..Level::default() };
        Kernel { levels: vec![level], ..Kernel::default() }
    };
    let mut run = Run { kernels: vec![kernel(&[(1, 5), (7, 0)])], ..Run::default() };
    assert_eq!((run.units(0), run.used_units(0), run.used_units(3)), (vec![(1, true), (7, false)], 1, 0));
    run.kernels[0].levels.clear();
    run.kernels.push(kernel(&[(0, 2), (7, 1)]));
    let expected = vec![(0, true), (1, true), (7, true)];
    assert_eq!((run.units(0), run.used_units(0)), (expected, 3), "the first kernel is not looked at again");
}

#[test]
fn write_rates_name_kernels_and_say_which_have_no_point() {
    let lines = lanescope::views::lifetimes::scene::retention_lines(&defaults(), 10.0, Language::En);
    let regions = lines.into_iter().map(|(_, line)| (line.clone(), vec![(f64::INFINITY, line.micros)]));
    let point = |kernel, mhz, micros| KernelPoint { kernel, level: 0, mhz, micros };
    let plot = WriteRates {
        points: vec![point(0, 12.0, 0.4), point(2, 900.0, 4.0), point(3, 12.01, 0.4)],
        regions: regions.collect(),
        levels: vec!["L1".to_owned(), "L2".to_owned()],
        names: ["gemm", "idle", "conv", "twin"].map(str::to_owned).to_vec(),
        left_out: vec![[1, 0], [3, 1]],
        selected: None,
    };
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let scene = draw_write_rates(&plot, Size { w: 900.0, h: 400.0 }, &look);
    let texts = texts(&scene);
    assert!(texts.contains(&"conv"), "{texts:?}");
    assert!(texts.contains(&"gemm +1") && !texts.iter().any(|text| text.contains("twin")), "{texts:?}");
    let left_out = "Left out: L1: without stores: 1; L2: without stores: 3, without counted lifetimes: 1";
    assert!(texts.contains(&left_out), "{texts:?}");
}

#[test]
fn a_log_without_accesses_is_no_log_of_lifetimes() {
    let empty: Vec<(u64, Vec<Load>)> =
        kernels().into_iter().map(|(cycles, _)| (cycles, Vec::new())).collect();
    let mut doc = open_set(&[("run.log", text(&empty))], &[]);
    let contents = doc.head().contents;
    assert_eq!((contents.lifetimes, contents.slices), (0, 4), "the timeline is shown, not an empty view");
    assert!(!head(&mut doc, &[]).has_accesses);
    let mut with_some = empty;
    with_some[1].1 = again(3, 100, 20, 0);
    let doc = open_set(&[("run.log", text(&with_some))], &[]);
    assert_eq!(doc.head().contents.lifetimes, 1);
    let Some(folder) = corpus("gainsight") else { return };
    for part in ["accelsim_logs", "gpgpusim_logs"] {
        for file in std::fs::read_dir(folder.join(part)).unwrap().map(|file| file.unwrap().path()) {
            let doc = open_set(&[("run.log", std::fs::read(&file).unwrap())], &[]);
            let contents = doc.head().contents;
            assert!(contents.lifetimes == 0 && 0 < contents.slices, "{}", file.display());
        }
    }
}

#[test]
fn a_kernel_without_recorded_accesses_says_nothing_of_rates() {
    let mut kernels = kernels();
    kernels.insert(1, (7_000, Vec::new()));
    let mut doc = open_set(&[("run.log", text(&kernels))], &[]);
    let told = level(&mut doc, None, &[]);
    assert_eq!(told.cycles, 5_000, "its time is not among those of the rates");
    assert_eq!(level(&mut doc, Some(1), &[]).cycles, 0);
    let own = head(&mut doc, &[]);
    let recorded: Vec<bool> = own.kernels.iter().map(|kernel| kernel.is_recorded).collect();
    assert_eq!(recorded, [true, false, true, true, true]);
    let figure = figure(&mut doc, "lifetime-kernels");
    let table = &figure["variants"][0]["body"]["table"];
    for column in ["Accesses", "Lifetimes", "Loads", "Stores", "Distinct sectors"] {
        let at = table["columns"].as_array().unwrap().iter().position(|own| own["name"] == column).unwrap();
        assert_eq!(
            (&table["rows"][1][at], table["rows"][0][at].is_null()),
            (&Value::Null, false),
            "{column}"
        );
    }
}

#[test]
fn misses_of_the_log_stand_beside_the_opened_lifetimes() {
    // Counters of a log add up over its kernels. The second kernel opens a lifetime for each of two sectors and
    // has a third miss, which waits for data on their way.
    let kernels = vec![(1_000, once(5, 0)), (900, vec![(60, 0, 0, 2), (61, 0, 1, 2), (62, 0, 1, 2)])];
    let mut log = String::from_utf8(text(&kernels)).unwrap();
    for (uid, misses) in [(1, 5), (2, 8)] {
        let head = format!(
            "kernel_launch_uid = {uid} \ngpu_sim_cycle = {}\ngpu_sim_insn = 64\n",
            kernels[uid - 1].0
        );
        assert!(log.contains(&head));
        log = log.replace(&head, &format!("{head}\tL1D_total_cache_misses = {misses}\n"));
    }
    let figure = figure(&mut open_set(&[("run.log", log.into_bytes())], &[]), "lifetime-kernels");
    let table = &figure["variants"][0]["body"]["table"];
    let names = table["columns"].as_array().unwrap();
    let column = |name: &str| {
        let at = names.iter().position(|own| own["name"] == name).unwrap();
        table["rows"].as_array().unwrap().iter().map(|row| row[at].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(column("Lifetimes opened"), [5.0, 2.0]);
    assert_eq!(column("Misses in the log"), [5.0, 3.0]);
}

/// Of one SM 10 and 12 sectors are used again in two kernels, of another one 6; a third one keeps nothing.
#[test]
fn rows_follow_the_scope() {
    let mut doc = open_set(&[("run.log", text(&kernels()))], &[]);
    for (scope, expected) in
        [("total", [0, 10, 18, 0]), ("sm:0", [0, 10, 12, 0]), ("sm:3", [0, 0, 6, 0]), ("sm:1", [0, 0, 0, 0])]
    {
        let own = head(&mut doc, &[("scope", scope)]);
        let rows: Vec<u64> = own.kernels.iter().map(|kernel| kernel.table.levels[0].lifetimes).collect();
        assert_eq!(rows, expected, "{scope}");
        // The pictures are of the same.
        let counted = level(&mut doc, None, &[("scope", scope)]).demand(1000.0).lifetimes.count();
        assert_eq!(counted, expected.iter().sum::<u64>(), "{scope}");
    }
}

/// What a table states is shown; what it does not say is not known, never 0.
#[test]
fn a_table_of_lengths_shows_what_it_states() {
    let table = "Kernel ID,Mangled Names,L1 Lifetime,L1 Lifetime Median,L1 Lifetime 90%-tile,L1 Lifetime Max,\
        L1 Read Frequency,L1 Write Frequency,L1 Size,L1 Unique Addresses,Total Cycles\n\
        25,a,3.5,3.25,6.75,7.5,1193.5,425.25,122880,2996,22571\n";
    let shown = |table: &str| {
        let mut doc = open_set(&[("run.sim.csv", table.into())], &[]);
        let (head, lengths) = (head(&mut doc, &[]), lengths(&mut doc, None, &[]));
        assert_eq!(definition(&head), "lifetimes taken from the file");
        let level = &lengths.levels[0];
        numbers(level, &distribution(&level.lengths), lengths.clock_mhz, head.is_stated)
    };
    let micros = |micros: f64| Some(length(micros * 1000.0, true));
    let own = [None, micros(3.5), micros(3.25), micros(6.75), micros(7.5), None, None, None];
    assert_eq!(shown(table), own);
    // How many lifetimes each of two kernels has is not known: only the longest of both is.
    let two = format!("{table}26,b,1.5,1.25,2.75,9.5,1193.5,425.25,122880,2996,22571\n");
    assert_eq!(shown(&two), [None, None, None, None, micros(9.5), None, None, None]);
    // Words are never refused: the traces of an array do not count that.
    let mut doc = with(crate::scalesim::tiny(), &[]);
    let (head, lengths) = (head(&mut doc, &[]), lengths(&mut doc, None, &[]));
    let level = &lengths.levels[0];
    let own = numbers(level, &distribution(&level.lengths), lengths.clock_mhz, head.is_stated);
    assert!(own[0].is_some() && own[1].is_some() && own[7].is_none(), "{own:?}");
}
