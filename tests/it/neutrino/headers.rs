//! Heads of result files of every generation, and what else says what the maps are.

use super::make::{BLOCKS, COUNTERS, Launch, Map, PROGRESS, Writer, info, kernel_folder, probes};
use super::{fixtures, opened, row, rows, said};

fn launch(writer: Writer, block: u32, maps: &[Map]) -> Launch<'_> {
    Launch { writer, grid: [12, 1, 1], block: [block, 1, 1], maps }
}

fn full(map: &Map, unit: u64, record: u64) -> Option<Vec<u64>> {
    Some((0..map.fields.len() as u64).map(|field| 1 + unit + record + field).collect())
}

fn alone(bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    vec![("0.1.bin".to_owned(), bytes)]
}

fn with_probes(maps: &[Map], bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    vec![("0.1.bin".to_owned(), bytes), ("probe.toml".to_owned(), probes(maps).into_bytes())]
}

#[test]
fn every_generation_lays_its_maps_where_they_are() {
    let maps = [BLOCKS, PROGRESS];
    for (writer, units) in [(Writer::V0, 24), (Writer::V1, 24), (Writer::V2, 24), (Writer::Hip, 12)] {
        let files = with_probes(&maps, launch(writer, 64, &maps).result(full));
        let mut doc = opened(files);
        let start = 64 + 16 * units;
        let expected = format!(
            "block_sched | warp | start u64, elapsed u32, cuid u32 | 16 | 1 | {units} | {units} | 64 | 64"
        );
        assert_eq!(row(&mut doc, "neutrino-result", 0), expected, "{writer:?}");
        let expected = format!("progress | thread | clock u64 | 8 | 4 | 768 | 768 | {start} | {start}");
        assert_eq!(row(&mut doc, "neutrino-result", 1), expected, "{writer:?}");
        let mut codes = said(&mut doc);
        codes.retain(|code| !code.contains("NEU-FULL"));
        assert_eq!(codes, ["note NEU-CLOCKS 0.1.bin:32"], "{writer:?}");
    }
    let counted = [Map { cap: 2, ..COUNTERS }];
    let files = with_probes(&counted, launch(Writer::MinusOne, 64, &counted).result(full));
    let mut doc = opened(files);
    assert_eq!(row(&mut doc, "neutrino-result", 0), "ops | thread | count u64 | 8 | 2 | 768 | 768 | 48 | 48");
    assert_eq!(said(&mut doc)[0], "warning NEU-SIZE 0.1.bin:32");
}

#[test]
fn without_a_schema_fields_are_guessed_and_called_so() {
    for writer in [Writer::V0, Writer::V1, Writer::V2, Writer::Hip] {
        let mut doc = opened(alone(launch(writer, 64, &[BLOCKS]).result(full)));
        // Warps of AMD have 64 threads.
        let units = if writer == Writer::Hip { 12 } else { 24 };
        let expected =
            format!("map 0 | warp | start u64, elapsed u32, sm u32 | 16 | 1 | {units} | {units} | 48 | 48");
        assert_eq!(row(&mut doc, "neutrino-result", 0), expected, "{writer:?}");
        assert_eq!(said(&mut doc)[0], "warning NEU-SCHEMA 0.1.bin:28", "{writer:?}");
    }
    let pairs = [Map { fields: &[("clock", 8), ("addr", 8)], cap: 2, ..COUNTERS }];
    let mut doc = opened(alone(launch(Writer::MinusOne, 64, &pairs).result(full)));
    assert_eq!(
        row(&mut doc, "neutrino-result", 0),
        "map 0 | thread | value 0 u64, value 1 u64 | 16 | 2 | 768 | 768 | 48 | 48"
    );
}

#[test]
fn sections_that_lie_where_the_header_says_are_read_there() {
    // A later writer computes offsets right.
    let maps = [BLOCKS, COUNTERS];
    let launch = launch(Writer::V2, 48, &maps);
    let mut bytes = launch.result(full);
    bytes[56..64].copy_from_slice(&(64 + 24 * 16_u64).to_le_bytes());
    let mut doc = opened(with_probes(&maps, bytes));
    assert_eq!(
        row(&mut doc, "neutrino-result", 1),
        "ops | thread | count u64 | 8 | 1 | 576 | 576 | 448 | 448"
    );
    assert_eq!(said(&mut doc), ["warning NEU-WARP 0.1.bin:32", "note NEU-CLOCKS 0.1.bin:32"]);
    // A file of the declared layout, without the units of half warps.
    let mut bytes = launch.result(full);
    let second = bytes.split_off(64 + 24 * 16);
    bytes.truncate(64 + 288);
    bytes.extend(second);
    let mut doc = opened(with_probes(&maps, bytes));
    assert_eq!(
        row(&mut doc, "neutrino-result", 1),
        "ops | thread | count u64 | 8 | 1 | 576 | 576 | 352 | 352"
    );
    assert_eq!(said(&mut doc), ["warning NEU-WARP 0.1.bin:32", "note NEU-CLOCKS 0.1.bin:32"]);
}

#[test]
fn blocks_smaller_than_a_warp_write_the_first_unit() {
    let mut doc = opened(with_probes(&[BLOCKS], launch(Writer::V2, 20, &[BLOCKS]).result(full)));
    assert_eq!(rows(&mut doc, "neutrino-result")[0][5..7], ["12", "12"]);
    assert_eq!(said(&mut doc)[0], "warning NEU-WARP 0.1.bin:32");
}

#[test]
fn maps_that_do_not_fit_are_said() {
    // Another number of maps.
    let mut doc = opened(with_probes(&[BLOCKS, COUNTERS], launch(Writer::V2, 64, &[BLOCKS]).result(full)));
    assert_eq!(said(&mut doc)[0], "warning NEU-MAPS 0.1.bin:28");
    // Records of 16 bytes in units of 24.
    let wide = [Map { fields: &[("a", 8), ("b", 8), ("c", 8)], cap: 1, ..BLOCKS }];
    let mut doc = opened(with_probes(&[BLOCKS], launch(Writer::V2, 64, &wide).result(full)));
    assert_eq!(said(&mut doc)[0], "warning NEU-FIELDS 0.1.bin:32");
    assert_eq!(
        row(&mut doc, "neutrino-result", 0),
        "block_sched | warp | value u64 | 8 | 3 | 24 | 24 | 48 | 48"
    );
}

#[test]
fn maps_without_records_and_full_units_are_said() {
    let mut doc = opened(with_probes(&[BLOCKS], launch(Writer::V2, 64, &[BLOCKS]).result(|_, _, _| None)));
    assert_eq!(said(&mut doc), ["note NEU-CLOCKS 0.1.bin:32", "warning NEU-ZERO 0.1.bin:48"]);
    // One unit is full; the next is not, and its clocks run on.
    let one = |_: &Map, unit: u64, n: u64| (unit == 3 || n == 0).then(|| vec![100 * unit + n + 1]);
    let mut doc = opened(with_probes(&[PROGRESS], launch(Writer::V2, 64, &[PROGRESS]).result(one)));
    assert_eq!(said(&mut doc), ["warning NEU-FULL 0.1.bin:48"]);
    // The next has records of the full one behind its own.
    let mixed = |_: &Map, unit: u64, n: u64| match (unit, n) {
        (3, _) => Some(vec![100 + n]),
        (4, 0 | 1) => Some(vec![900 - 800 * n]),
        _ => None,
    };
    let mut doc = opened(with_probes(&[PROGRESS], launch(Writer::V2, 64, &[PROGRESS]).result(mixed)));
    assert_eq!(said(&mut doc), ["loss NEU-FULL 0.1.bin:48"]);
}

#[test]
fn other_sources_tell_the_fields_when_there_is_no_probe_toml() {
    let reader = "class TraceHeader(NamedTuple):\n    gridDimX: int\nclass TraceSection(NamedTuple):\n    size: int\n\
        class block_sched(NamedTuple):\n    begin: int\n    took: int\n    where: int\n\
        def parse(path):\n    header = TraceHeader(*struct.unpack(\"iiiiiiii\", f.read(32)))\n\
        \x20   block_sched(*struct.unpack(\"qII\", f.read(16)))\n";
    let bytes = || launch(Writer::V2, 64, &[BLOCKS]).result(full);
    let expected = "block_sched | warp | begin u64, took u32, where u32 | 16 | 1 | 24 | 24 | 48 | 48";
    let folder = format!("kernel/{}", kernel_folder(0));
    for path in ["read.py".to_owned(), format!("{folder}/process.log")] {
        let files = vec![("result/0.1.bin".to_owned(), bytes()), (path.clone(), reader.as_bytes().to_vec())];
        let mut doc = opened(files);
        assert_eq!(row(&mut doc, "neutrino-result", 0), expected, "{path}");
        assert_eq!(said(&mut doc), Vec::<String>::new(), "{path}");
    }
    let info = info("copy", &[BLOCKS]).into_bytes();
    let bytes = launch(Writer::V1, 64, &[BLOCKS]).result(full);
    let files = vec![("result/0.1.bin".to_owned(), bytes), (format!("{folder}/kernel.info"), info)];
    let mut doc = opened(files);
    assert_eq!(
        row(&mut doc, "neutrino-result", 0),
        "map 0 | warp | start u64, elapsed u32, sm u32 | 16 | 1 | 24 | 24 | 48 | 48"
    );
    assert_eq!(said(&mut doc)[0], "warning NEU-SCHEMA 0.1.bin:28");
}

#[test]
fn what_is_left_of_a_cut_file_is_read() {
    let mut files = fixtures::whole();
    let result = files.iter_mut().find(|(path, _)| path.ends_with(".bin")).unwrap();
    result.1.truncate(200);
    let mut doc = opened(files);
    assert!(said(&mut doc).contains(&"loss NEU-CUT 0.250000.bin:200".to_owned()));
    assert_eq!(rows(&mut doc, "neutrino-result")[0][5..8], ["12", "6", "64"]);
    assert_eq!(rows(&mut doc, "neutrino-result")[1][5..8], ["288", "0", "256"]);
}

#[test]
fn tables_and_keys_of_probes_count_in_their_order() {
    let toml = "[map.zeta]\nlevel = \"warp\"\nsize = \"16\"\ncap = \"1\"\n\
        [map.zeta.data]\nwhere = \"u32\"\nbegin = \"u64\"\ntook = \"u32\"\n\
        [map.alpha]\nlevel = \"thread\"\nsize = 8\ncap = \"dynamic\"\n[map.alpha.regs]\nzulu = [\"u32\", \"None\"]\nactual = [\"u32\", \"None\"]\n";
    let maps = [BLOCKS, COUNTERS];
    let files = vec![
        ("0.1.bin".to_owned(), launch(Writer::V2, 64, &maps).result(full)),
        ("probe.toml".to_owned(), toml.as_bytes().to_vec()),
    ];
    let mut doc = opened(files);
    let named = |row: &Vec<String>| format!("{}: {}", row[0], row[2]);
    let named: Vec<String> = rows(&mut doc, "neutrino-result").iter().map(named).collect();
    assert_eq!(named, ["zeta: begin u64, where u32, took u32", "alpha: zulu u32, actual u32"]);
}
