//! Single lifetimes as columns: the same as the CSV has.

use super::{export, make, open_set};
use arrow_array::{Array, RecordBatch, UInt32Array, UInt64Array};
use lanescope::document::Document;
use lanescope::wire::Query;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn bytes(doc: &mut Document, id: &str) -> Vec<u8> {
    while doc.has_work() {
        doc.step();
    }
    let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
    bytes.unwrap_or_else(|| panic!("{answer:?}"))
}

/// Rows with the values of their columns, by name.
fn rows(batches: &[RecordBatch]) -> Vec<Vec<u64>> {
    let value = |column: &dyn Array, row: usize| match column.as_any().downcast_ref::<UInt64Array>() {
        Some(wide) => wide.value(row),
        None => column.as_any().downcast_ref::<UInt32Array>().unwrap().value(row).into(),
    };
    let of = |batch: &RecordBatch| -> Vec<Vec<u64>> {
        let row = |row| batch.columns().iter().map(|column| value(column, row)).collect();
        (0..batch.num_rows()).map(row).collect()
    };
    batches.iter().flat_map(of).collect()
}

fn arrow(doc: &mut Document) -> Vec<RecordBatch> {
    let bytes = bytes(doc, "lifetimes-arrow");
    let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(bytes), None).unwrap();
    reader.map(Result::unwrap).collect()
}

fn parquet(doc: &mut Document) -> Vec<RecordBatch> {
    let path = std::env::temp_dir().join(format!("lanescope-lifetimes-{}.parquet", std::process::id()));
    std::fs::write(&path, bytes(doc, "lifetimes-parquet")).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batches = reader.map(Result::unwrap).collect();
    std::fs::remove_file(path).unwrap();
    batches
}

#[test]
fn columns_hold_the_lifetimes_of_the_tables_in_their_order() {
    for set in [&[][..], &[("orphans", "include"), ("lifetime", "resident")], &[("scope", "sm:5")]] {
        let (text, _) = make::log(11, 900);
        let mut doc = open_set(&[("run.log", text.into_bytes())], set);
        let batches = arrow(&mut doc);
        let names: Vec<String> =
            batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        let columns =
            ["run", "kernel_id", "level", "unit", "address", "start_cycle", "lifetime_cycles", "reuses"];
        assert_eq!(names, columns);
        let all = rows(&batches);
        assert_eq!(rows(&parquet(&mut doc)), all);
        for (level, id) in [(1, "gainsight-l1-csv"), (2, "gainsight-l2-csv")] {
            let csv = export(&mut doc, id);
            let table: Vec<Vec<u64>> = csv
                .lines()
                .skip(1)
                .map(|line| line.split(',').take(3).map(|cell| cell.parse::<f64>().unwrap() as u64).collect())
                .collect();
            let own = all.iter().filter(|row| row[2] == level);
            let own: Vec<Vec<u64>> = own.map(|row| vec![row[1], row[4], row[6]]).collect();
            assert!(!own.is_empty(), "{set:?} level {level}");
            assert_eq!(own, table, "{set:?} level {level}");
        }
        assert!(all.iter().all(|row| row[0] == 0));
        let is_scoped = set.iter().any(|(id, _)| *id == "scope");
        assert!(all.iter().filter(|row| row[2] == 1).all(|row| !is_scoped || row[3] == 5));
    }
}
