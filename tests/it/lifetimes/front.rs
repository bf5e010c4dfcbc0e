//! What a document answers: heads, packed lengths, heat maps, the picture without a screen.

use crate::gainsight::{export, open_set, run, values};
use crate::pictures::file;
use crate::support::mutate::Seeded;
use lanescope::base::geometry::{Point, Size};
use lanescope::document::Document;
use lanescope::scene::Shape;
use lanescope::scene::palette::Palette;
use lanescope::views::lifetimes::compute::Settings;
use lanescope::views::lifetimes::messages::{
    Frame, Head, Heat, Lengths, LifetimesQuery, Reply, distribution,
};
use lanescope::wire::{Answer, Ask, Draw, ViewPicture, unpack};

const SIZE: Size = Size { w: 900.0, h: 400.0 };

/// A log of three kernels that no simulator wrote.
pub(super) fn log() -> String {
    logs(&["work1", "work2", "work3"], 3)
}

/// A log of kernels of these names.
pub(super) fn logs(names: &[&str], seed: u64) -> String {
    let mut text =
        "Accel-Sim [build test]\n        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***\n\n\
        -gpgpu_cache:dl2     S:32:128:24,L:B:m:L:P,A:192:4,32:0,32 # L2\n\
        -gpgpu_n_mem                            2 # modules\n\
        -gpgpu_n_sub_partition_per_mchannel                    2 # partitions\n\
        -gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # clocks\n"
            .to_owned();
    let mut random = Seeded(seed);
    for (name, uid) in names.iter().zip(1..) {
        text += &format!(
            "Processing kernel kernel-{uid}.traceg\n-kernel name = {name}\n-kernel id = {uid}\n\
             launching kernel name: {name} uid: {uid} cuda_stream_id: 0\nGPGPU-Sim: Reconfigure L1 cache to 120KB\n"
        );
        let mut cycle = 100;
        for _ in 0..300 {
            cycle += random.below(40);
            let sector = random.below(12);
            let unit = random.below(3);
            let place = match random.below(3) {
                0 => format!("L2 cache at bank {}", sector % 4),
                _ => format!("L1D cache at SM {unit} bank {}", sector % 4),
            };
            let operation = if random.below(5) == 0 { "Store" } else { "Load" };
            let status = [0, 0, 2, 2, 3, 4][random.below(6)];
            text += &format!(
                "GPGPU-Sim Cycle {cycle}: {operation} instr from {place} addr {:x} status {status}\n",
                0x7f00_0000_0000_u64 + sector as u64 * 32
            );
        }
        text += &format!(
            "kernel_name = {name} \nkernel_launch_uid = {uid} \ngpu_sim_cycle = {}\ngpu_sim_insn = 64\n",
            cycle + 50
        );
    }
    text + "GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n"
}

fn opened() -> Document {
    open_set(&[("small.log", log().into_bytes())], &[])
}

fn texts(set: &[(&str, &str)]) -> Vec<(String, String)> {
    set.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect()
}

pub(super) fn head(doc: &mut Document, set: &[(&str, &str)]) -> Head {
    match doc.query(&LifetimesQuery::Head { run: 0, values: texts(set) }).0 {
        Some(Reply::Head(Some(head))) => *head,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn lengths(doc: &mut Document, kernel: Option<u32>, set: &[(&str, &str)]) -> Lengths {
    let ask = LifetimesQuery::Lengths { run: 0, kernel, values: texts(set) };
    let (answer, bytes) = doc.query(&ask.query());
    assert_eq!(answer, Answer::Packed);
    unpack(&bytes.unwrap()).unwrap()
}

#[test]
fn the_head_has_levels_kernels_and_devices_by_the_values_of_the_question() {
    let mut doc = opened();
    assert!(0 < doc.head().contents.lifetimes);
    let own = head(&mut doc, &[]);
    let run = run(&doc);
    assert_eq!(own.kernels.len(), run.kernels.len());
    assert_eq!(own.levels.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["L1", "L2"]);
    assert!(own.has_accesses && !own.is_stated && !own.are_orphans_counted && own.scope == "total");
    for (told, kernel) in own.kernels.iter().zip(&run.kernels) {
        let level = &kernel.levels[0];
        assert_eq!(
            (told.levels[0].opened, told.levels[0].orphans),
            (level.counts.lifetimes, level.counts.orphans)
        );
        assert_eq!(told.table.levels[0].lifetimes, level.reused.count());
        assert!(told.levels[0].p10 <= told.table.levels[0].median);
    }
    let other = head(&mut doc, &[("clock-mhz", "2235"), ("orphans", "include"), ("scope", "sm:0")]);
    assert_eq!(
        (other.clock_mhz, other.are_orphans_counted, other.scope.as_str()),
        (Some(2235.0), true, "sm:0")
    );
    assert_eq!(head(&mut doc, &[]), own, "answers do not depend on those before");
    let missing = LifetimesQuery::Head { run: 9, values: Vec::new() };
    assert_eq!(doc.query(&missing).0, Some(Reply::Head(None)));
}

/// The first kernel has no accesses to L2, the second none to L1.
#[test]
fn rates_of_a_level_are_over_kernels_that_have_it() {
    let (text, mut uid) = (log(), 0);
    let kept = text.lines().filter(|line| {
        uid += u32::from(line.starts_with("Processing kernel"));
        !line.contains(["from L2 ", "from L1D "].get(uid.wrapping_sub(1) as usize).copied().unwrap_or("\0"))
    });
    let kept = kept.collect::<Vec<_>>().join("\n") + "\n";
    let mut doc = open_set(&[("small.log", kept.into_bytes())], &[]);
    let cycles: Vec<u64> = run(&doc).kernels.iter().map(|kernel| kernel.cycles).collect();
    let told = lengths(&mut doc, None, &[]).levels;
    assert_eq!([told[0].cycles, told[1].cycles], [cycles[0] + cycles[2], cycles[1] + cycles[2]]);
    let own = head(&mut doc, &[]);
    let recorded = own.kernels.iter().map(|kernel| [0, 1].map(|at: usize| kernel.levels[at].is_recorded));
    assert_eq!(recorded.collect::<Vec<_>>(), [[true, false], [false, true], [true, true]]);
}

#[test]
fn lengths_cross_exactly() {
    let mut doc = opened();
    for set in [&[][..], &[("orphans", "include")], &[("scope", "busiest")], &[("scope", "mean")]] {
        let all = lengths(&mut doc, None, set);
        let each: Vec<Lengths> =
            (0..run(&doc).kernels.len() as u32).map(|row| lengths(&mut doc, Some(row), set)).collect();
        let run = run(&doc);
        let settings = Settings::of(&values(set), run);
        for (at, level) in all.levels.iter().enumerate() {
            let found = distribution(&level.lengths);
            assert_eq!(found, run.lifetimes(at, &settings), "{set:?}");
            let sum: u64 = each.iter().map(|one| distribution(&one.levels[at].lengths).count()).sum();
            assert_eq!(sum, found.count());
            let reads: f64 = each.iter().map(|one| one.levels[at].sectors.0).sum();
            assert!((reads - level.sectors.0).abs() < 1e-6);
            let orphans: u64 = each.iter().map(|one| one.levels[at].counts.orphans).sum();
            assert_eq!(orphans, level.counts.orphans);
            assert!(!level.course.is_empty() && 0.0 < level.step);
        }
    }
    assert_eq!(lengths(&mut doc, Some(999), &[]), Lengths::default());
}

#[test]
fn the_picture_that_is_saved_is_of_the_chosen_kernel() {
    let mut doc = opened();
    let mut saved = |chosen: &[(&str, &str)]| {
        let seen =
            ViewPicture { view: "lifetimes".to_owned(), chosen: texts(chosen), ..ViewPicture::default() };
        file(&mut doc, seen).1
    };
    let (all, one) = (saved(&[]), saved(&[("kernel", "1")]));
    assert!(all.contains(">Data lifetimes</text>"), "{all}");
    assert!(one.contains(">Data lifetimes · work2</text>"), "{one}");
    assert_eq!(saved(&[("kernel", "9")]), all, "there is none of this number");
    let frame = Frame { kernel: Some(1), clock_mhz: Some(1000.0), ..Frame::default() };
    let (_, time) = crate::pictures::saved(&mut doc, "lifetimes", vec![(frame.frame(), SIZE)]);
    assert!(time.contains(">work2 cells of ") && time.contains(" accesses</text>"), "{time}");
}

#[test]
fn the_heat_map_has_a_row_for_each_unit() {
    let mut doc = opened();
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    for heat in Heat::ALL {
        for level in 0..2 {
            let frame = Frame { level, heat, clock_mhz: Some(1000.0), ..Frame::default() };
            let (scene, note) = doc.draw(&frame, SIZE, &palette);
            let Some(note) = note else { panic!("{note:?}") };
            assert!(scene.shapes.iter().any(|shape| matches!(shape, Shape::Cells { .. })));
            assert_eq!(note.ramp.len(), 9);
            let at = Point { x: note.area.x + 3.0, y: note.area.y + 3.0 };
            let ask = LifetimesQuery::Under { frame, size: SIZE, at };
            let (answer, _) = doc.query(&ask);
            let Some(Reply::Under(Some(words))) = answer else { panic!("{answer:?}") };
            assert!(words.contains(if level == 0 { "SM 0" } else { "slice 0" }), "{words}");
        }
    }
    let none = Frame { kernel: Some(99), ..Frame::default() };
    let (scene, note) = doc.draw(&none, SIZE, &palette);
    assert!(scene.shapes.is_empty() && note == Some(lanescope::views::lifetimes::messages::Note::default()));
}

#[test]
fn it_is_a_picture_without_a_screen() {
    let mut doc = opened();
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    let svg = doc.svg("lifetimes", Size { w: 1180.0, h: 800.0 }, &palette).unwrap();
    for words in ["Data lifetimes", "Silicon gain cell", "share of lifetimes", " fit<"] {
        assert!(svg.contains(words), "{words}");
    }
    if let Ok(path) = std::env::var("LANESCOPE_PICTURE") {
        std::fs::write(path, svg).unwrap();
    }
}

/// Names of compilers are written out; the table for other programs keeps the symbols.
#[test]
fn names_of_kernels_are_written_out_and_exported_as_symbols() {
    let symbols = ["_Z4workIfEvPT_", "plain", "_Z5saxpyifPfS_ _Z5saxpyifPfS_"];
    let written = [
        "void work<float>(float*)",
        "plain",
        "saxpy(int, float, float*, float*), saxpy(int, float, float*, float*)",
    ];
    let names = |doc: &Document| -> Vec<String> {
        run(doc).kernels.iter().map(|kernel| kernel.name.clone()).collect()
    };
    let slices = |doc: &Document| -> Vec<String> {
        let trace = doc.trace();
        let all = trace.tracks.iter().flat_map(|(_, track)| &track.slices.name);
        all.map(|name| trace.strings.get(*name).to_owned()).collect()
    };
    let mut doc = open_set(&[("small.log", logs(&symbols, 3).into_bytes())], &[]);
    assert_eq!(names(&doc), written);
    assert_eq!(slices(&doc), written);
    let csv = export(&mut doc, "gainsight-sim-csv");
    let exported: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(exported, symbols);
    // The page says the symbol where the name is another.
    let said: Vec<String> = head(&mut doc, &[]).kernels.into_iter().map(|kernel| kernel.symbol).collect();
    assert_eq!(said, [symbols[0], "", symbols[2]]);
    let again = open_set(&[("run.sim.csv", csv.into_bytes())], &[]);
    assert_eq!(names(&again), written);
    assert_eq!(slices(&again), written);
}

/// What stands at one level is no sum of both: counted once more from the lines of the log.
#[test]
fn writes_and_orphans_are_those_of_their_level() {
    let (text, mut doc) = (log(), opened());
    let own = head(&mut doc, &[]);
    let mut counted: Vec<[u64; 2]> = Vec::new();
    for line in text.lines() {
        if line.starts_with("Processing kernel") {
            counted.push([0; 2]);
        }
        let last = counted.last_mut();
        // What could not be accepted comes again.
        let is_store = line.contains("Store instr") && !line.ends_with("status 3");
        if let (Some(last), true) = (last, is_store) {
            last[usize::from(line.contains("from L2"))] += 1;
        }
    }
    assert!(counted.iter().all(|of| of.iter().all(|n| 0 < *n) && of[0] != of[1]), "{counted:?}");
    for (kernel, (told, cycles)) in
        own.kernels.iter().zip(run(&doc).kernels.iter().map(|kernel| kernel.cycles)).enumerate()
    {
        let levels = &run(&doc).kernels[kernel].levels;
        for at in 0..2 {
            // At 1 GHz.
            let writes = told.table.levels[at].write_mhz * cycles as f64 / 1e3;
            assert_eq!(writes.round() as u64, counted[kernel][at], "kernel {kernel}, level {at}");
            assert_eq!(told.levels[at].orphans, levels[at].counts.orphans);
        }
        assert_ne!(told.levels[0].orphans, told.levels[1].orphans);
    }
}
