//! Records of maps as other programs read them.

use super::{Map, folder, launch};
use arrow_array::{Array, Int64Array, RecordBatch, UInt32Array, UInt64Array};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A map with numbers that have a sign, more of them than go into a batch.
const LATENCY: Map =
    Map { name: "lat", is_warp: false, fields: &[("latency", 8), ("who", 4), ("step", 4)], cap: 3 };

fn fill(unit: u64, record: u64) -> Option<Vec<u64>> {
    let latency = (unit as i64 - 20_000) * 3 + record as i64;
    (record < 2).then(|| vec![latency as u64, unit as u32 as u64, record + 1])
}

const BLOCKS: u64 = 600;
const THREADS: u64 = 64;

struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("lanescope-maps-{}-{name}", std::process::id()));
        let maps = [LATENCY];
        let launch = launch([BLOCKS as u32, 1, 1], [THREADS as u32, 1, 1], &maps);
        for (path, bytes) in folder(&launch, &[], |_, unit, record| fill(unit, record)) {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        Self(root)
    }

    fn export(&self, id: &str, name: &str) -> PathBuf {
        let out = self.0.join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
        let run = command.arg(self.0.join("run")).args(["--export", id, "--out"]).arg(&out).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        out
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // a leftover in the temporary folder harms nobody
    }
}

/// Sums of all columns.
fn sums(batches: &[RecordBatch]) -> (Vec<String>, usize, Vec<i128>) {
    let names = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    let sum = |array: &dyn Array| -> i128 {
        let any = array.as_any();
        if let Some(values) = any.downcast_ref::<UInt64Array>() {
            values.values().iter().map(|v| i128::from(*v)).sum()
        } else if let Some(values) = any.downcast_ref::<UInt32Array>() {
            values.values().iter().map(|v| i128::from(*v)).sum()
        } else {
            any.downcast_ref::<Int64Array>().unwrap().values().iter().map(|v| i128::from(*v)).sum()
        }
    };
    let of = |at| batches.iter().map(|batch: &RecordBatch| sum(batch.column(at))).sum();
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    (names, rows, (0..batches[0].num_columns()).map(of).collect())
}

fn expected() -> (Vec<String>, usize, Vec<i128>) {
    let mut sums = vec![0; 6];
    let mut rows = 0;
    for (unit, record) in (0..BLOCKS * THREADS).flat_map(|unit| [(unit, 0), (unit, 1)]) {
        let Some(values) = fill(unit, record).filter(|values| values.iter().any(|v| *v != 0)) else {
            continue;
        };
        rows += 1;
        let place = [unit / THREADS, unit % THREADS, record].map(i128::from);
        let values = [i128::from(values[0] as i64), i128::from(values[1]), i128::from(values[2])];
        sums.iter_mut().zip(place.into_iter().chain(values)).for_each(|(sum, value)| *sum += value);
    }
    (["block", "unit", "record", "latency", "who", "step"].map(str::to_owned).to_vec(), rows, sums)
}

fn csv_sums(path: &Path) -> (Vec<String>, usize, Vec<i128>) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let (mut rows, mut sums) = (0, vec![0; names.len()]);
    for record in reader.records().map(Result::unwrap) {
        rows += 1;
        sums.iter_mut().zip(&record).for_each(|(sum, cell)| *sum += cell.parse::<i128>().unwrap());
    }
    (names, rows, sums)
}

#[test]
fn csv_arrow_and_parquet_have_equal_sums() {
    let files = Files::new("sums");
    assert_eq!(csv_sums(&files.export("map-csv:lat", "lat.csv")), expected());
    let arrow = File::open(files.export("arrow:lat", "lat.arrow")).unwrap();
    let arrow: Vec<RecordBatch> =
        arrow_ipc::reader::FileReader::try_new(arrow, None).unwrap().map(Result::unwrap).collect();
    assert_eq!(sums(&arrow), expected());
    let lengths: Vec<usize> = arrow.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(lengths, [65_536, expected().1 - 65_536], "batches of 64 Ki rows");
    let parquet = File::open(files.export("parquet", "lat.parquet")).unwrap();
    let parquet = ParquetRecordBatchReaderBuilder::try_new(parquet).unwrap().build().unwrap();
    assert_eq!(sums(&parquet.map(Result::unwrap).collect::<Vec<_>>()), expected());
}

/// Clocks that no number with a fraction holds exactly: each ends in another digit.
#[test]
fn clocks_keep_all_their_digits() {
    const BLOCKS: Map = Map { name: "clk", is_warp: true, fields: &[("start", 8), ("who", 8)], cap: 1 };
    let begin = (1 << 63) + 1;
    let maps = [BLOCKS];
    let launch = launch([3, 1, 1], [32, 1, 1], &maps);
    let mut doc = super::opened(folder(&launch, &[], |_, unit, _| Some(vec![begin + unit, unit + 1])));
    let ask = lanescope::wire::Query::Export { id: "map-csv:clk".to_owned() };
    let (answer, bytes) = doc.query(&ask);
    let text = String::from_utf8(bytes.unwrap_or_else(|| panic!("{answer:?}"))).unwrap();
    let starts: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').nth(3)).collect();
    assert_eq!(starts, ["9223372036854775809", "9223372036854775810", "9223372036854775811"], "{text}");
}

#[test]
fn an_unknown_map_is_refused_with_the_names_of_those_there_are() {
    let files = Files::new("unknown");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
    let run = command.arg(files.0.join("run")).args(["--export", "map-csv:nothing"]).output().unwrap();
    assert!(!run.status.success());
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(said.contains("Unknown map nothing; available: lat."), "{said}");
}

/// Another program reads the same numbers: Python with pyarrow, where it is at hand (`LANESCOPE_PYTHON` names one).
#[test]
fn another_program_reads_the_columns() {
    let python = std::env::var("LANESCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&python).args(["-c", "import pyarrow.parquet"]).output();
    if !has.is_ok_and(|run| run.status.success()) {
        let line =
            "SKIPPED: neutrino_maps::columns::another_program_reads_the_columns: no Python with pyarrow\n";
        std::io::stdout().write_all(line.as_bytes()).unwrap();
        return;
    }
    let files = Files::new("python");
    let program = "import sys, pyarrow.ipc, pyarrow.parquet\n\
        tables = pyarrow.ipc.open_file(sys.argv[1]).read_all(), pyarrow.parquet.read_table(sys.argv[2])\n\
        for table in tables:\n    \
            sums = [sum(column.to_pylist()) for column in table.columns]\n    \
            print(table.num_rows, *sums)\n";
    let paths = [files.export("arrow:lat", "lat.arrow"), files.export("parquet:lat", "lat.parquet")];
    let run = Command::new(&python).args(["-c", program]).args(&paths).output().unwrap();
    let (_, rows, sums) = expected();
    let line: Vec<String> =
        std::iter::once(rows.to_string()).chain(sums.iter().map(i128::to_string)).collect();
    let line = line.join(" ");
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("{line}\n{line}\n"));
}
