//! Tables as engines write them: types and encodings of columns, and what is said of those that are not read.

use super::csv;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int8Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal64Array, Decimal128Array,
    DictionaryArray, DurationMicrosecondArray, DurationMillisecondArray, DurationNanosecondArray,
    DurationSecondArray, FixedSizeBinaryArray, Float16Array, Float32Array, Float64Array, Int32Array,
    Int64Array, LargeStringArray, ListArray, NullArray, RecordBatch, StringArray, StringViewArray,
    StructArray, Time64MicrosecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt8Array,
    UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field};
use lanescope::document::Document;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::wire::{Answer, Query};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::rc::Rc;
use std::sync::Arc;

/// Columns of a table with their names.
type Columns = Vec<(&'static str, ArrayRef)>;

/// Something of each row: ten runs with six launches each of two kernels.
fn each<T>(of: impl Fn(usize, usize, usize) -> T) -> Vec<T> {
    let launches = (1..=10).flat_map(|run| (0..6).map(move |launch| (run, launch)));
    launches.flat_map(|(run, launch)| [0, 1].map(|kernel| of(run, kernel, launch))).collect()
}

/// Durations that also the smallest numbers hold exactly; the second kernel is slower from the sixth run on.
fn durations() -> Vec<i64> {
    each(|run, kernel, launch| match kernel {
        0 => 49_152,
        _ => (40_960 + run * 32 + launch % 3 * 64 + if 5 < run { 8_192 } else { 0 }) as i64,
    })
}

fn names() -> Vec<&'static str> {
    each(|_, kernel, _| ["void gemm<float>(a, b)", "softmax"][kernel])
}

fn texts(of: &[impl AsRef<str>]) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(of))
}

fn kernels() -> Columns {
    vec![
        ("trace_id", texts(&each(|run, _, _| format!("trace-of-the-run-{run}")))),
        ("run", texts(&each(|run, _, _| run.to_string()))),
        ("name", texts(&names())),
        ("class", texts(&each(|_, kernel, _| ["communication", "compute"][kernel]))),
        ("dur", Arc::new(Int64Array::from(durations()))),
    ]
}

/// The kernels with another column in place of the one of this name.
fn with(name: &'static str, column: ArrayRef) -> Columns {
    kernels()
        .into_iter()
        .map(|(own, of)| if own == name { (own, column.clone()) } else { (own, of) })
        .collect()
}

/// Every second column may have missing values.
fn batch(columns: &Columns) -> RecordBatch {
    let columns = columns.iter().enumerate();
    let all = columns.map(|(at, (name, column))| {
        (*name, column.clone(), at % 2 == 0 || 0 < column.null_count() || column.data_type().is_null())
    });
    RecordBatch::try_from_iter_with_nullable(all).unwrap()
}

fn parquet_of(columns: &Columns, properties: WriterProperties) -> Vec<u8> {
    let (batch, mut bytes) = (batch(columns), Vec::new());
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn parquet(columns: &Columns) -> Vec<u8> {
    parquet_of(columns, WriterProperties::builder().set_max_row_group_row_count(Some(50)).build())
}

/// The same in the newer encodings, without dictionaries.
fn parquet_2(columns: &Columns) -> Vec<u8> {
    let version = WriterProperties::builder().set_writer_version(WriterVersion::PARQUET_2_0);
    parquet_of(columns, version.set_dictionary_enabled(false).build())
}

/// In batches of 50 rows.
fn arrow(columns: &Columns) -> Vec<u8> {
    let (batch, mut bytes) = (batch(columns), Vec::new());
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    for from in (0..batch.num_rows()).step_by(50) {
        writer.write(&batch.slice(from, 50.min(batch.num_rows() - from))).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// A document, and what is said of its file.
pub(super) fn opened(name: &str, bytes: Vec<u8>) -> (Document, Vec<String>) {
    let entry = Entry { path: name.to_owned(), source: Rc::new(Memory(bytes)) };
    let (doc, _) = Document::open(vec![entry], Box::<MemoryStore>::default());
    let faults = doc.faults().rows().iter().map(ToString::to_string).collect();
    (doc, faults)
}

/// What changed in a table of which nothing is said.
fn changes(name: &str, bytes: Vec<u8>) -> String {
    let (mut doc, faults) = opened(name, bytes);
    assert_eq!(faults, [""; 0], "{name}");
    csv(&mut doc, "dataset-kernels")
}

/// Both kinds of files with these columns say the same as the expected one, in all encodings.
fn same(said: &str, columns: &Columns, expected: &Columns) {
    let expected = changes("kernels.arrow", arrow(expected));
    assert_eq!(expected.lines().count(), 3, "{expected}");
    assert_eq!(changes("kernels.arrow", arrow(columns)), expected, "{said} in Arrow");
    assert_eq!(changes("kernels.parquet", parquet(columns)), expected, "{said} in Parquet");
    assert_eq!(changes("kernels.parquet", parquet_2(columns)), expected, "{said} in Parquet 2");
}

#[test]
fn numbers_of_all_widths_are_the_same() {
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    let own = durations();
    let half = own.iter().map(|dur| Half::from_f32(*dur as f32));
    let all: [(&str, ArrayRef); 6] = [
        ("int32", Arc::new(Int32Array::from_iter_values(own.iter().map(|dur| *dur as i32)))),
        ("uint32", Arc::new(UInt32Array::from_iter_values(own.iter().map(|dur| *dur as u32)))),
        ("uint64", Arc::new(UInt64Array::from_iter_values(own.iter().map(|dur| *dur as u64)))),
        ("float16", Arc::new(Float16Array::from_iter_values(half))),
        ("float32", Arc::new(Float32Array::from_iter_values(own.iter().map(|dur| *dur as f32)))),
        ("float64", Arc::new(Float64Array::from_iter_values(own.iter().map(|dur| *dur as f64)))),
    ];
    for (said, column) in all {
        same(said, &with("dur", column), &kernels());
    }
    // Those that a sign would turn round.
    let large = |dur: &i64| *dur as u32 + (1 << 31);
    let unsigned = Arc::new(UInt32Array::from_iter_values(own.iter().map(large)));
    let signed = Arc::new(Int64Array::from_iter_values(own.iter().map(|dur| i64::from(large(dur)))));
    same("large uint32", &with("dur", unsigned), &with("dur", signed));
}

#[test]
fn decimals_have_their_point_and_durations_their_unit() {
    let own = durations();
    let plain = |factor: f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(own.iter().map(|dur| *dur as f64 * factor)))
    };
    let decimal = |precision, digits| -> ArrayRef {
        let numbers = Decimal128Array::from_iter_values(own.iter().map(|dur| i128::from(*dur)));
        Arc::new(numbers.with_precision_and_scale(precision, digits).unwrap())
    };
    let short = Decimal64Array::from_iter_values(own.iter().copied()).with_precision_and_scale(12, 2);
    for (said, column, expected) in [
        ("decimal of 4 bytes", decimal(9, 3), own.iter().map(|dur| *dur as f64 / 1e3).collect::<Vec<_>>()),
        ("decimal of 8 bytes", decimal(18, 3), own.iter().map(|dur| *dur as f64 / 1e3).collect()),
        ("decimal of 16 bytes", decimal(38, 5), own.iter().map(|dur| *dur as f64 / 1e5).collect()),
        ("short decimal", Arc::new(short.unwrap()), own.iter().map(|dur| *dur as f64 / 1e2).collect()),
    ] {
        same(said, &with("dur", column), &with("dur", Arc::new(Float64Array::from(expected))));
    }
    let durations: [(&str, ArrayRef, f64); 4] = [
        ("seconds", Arc::new(DurationSecondArray::from(own.clone())), 1e9),
        ("milliseconds", Arc::new(DurationMillisecondArray::from(own.clone())), 1e6),
        ("microseconds", Arc::new(DurationMicrosecondArray::from(own.clone())), 1e3),
        ("nanoseconds", Arc::new(DurationNanosecondArray::from(own.clone())), 1.0),
    ];
    for (said, column, factor) in durations {
        same(said, &with("dur", column), &with("dur", plain(factor)));
    }
}

/// Spark says in words of its own that numbers are durations in microseconds.
#[test]
fn intervals_of_spark_are_durations() {
    let said = |kind: &str| {
        let json =
            format!(r#"{{"type":"struct","fields":[{{"name":"dur","type":"{kind}","nullable":true}}]}}"#);
        let word = KeyValue::new("org.apache.spark.sql.parquet.row.metadata".to_owned(), json);
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![word]));
        parquet_of(&kernels(), properties.build())
    };
    let micros = durations().into_iter().map(|dur| dur * 1_000).collect::<Vec<_>>();
    let expected = changes("kernels.parquet", parquet(&with("dur", Arc::new(Int64Array::from(micros)))));
    assert_eq!(changes("kernels.parquet", said("interval day to second")), expected);
    assert_ne!(changes("kernels.parquet", said("long")), expected);
    let (_, faults) = opened("kernels.parquet", said("interval year to month"));
    let unread =
        "kernels.parquet, column dur: expected numbers or durations, found interval. The file is not read.";
    assert_eq!(faults, [unread]);
}

#[test]
fn texts_of_all_layouts_are_the_same() {
    let own = names();
    let ids = each(|run, _, _| format!("trace-of-the-run-{run}"));
    let small: DictionaryArray<Int8Type> = own.iter().copied().collect();
    let places = UInt32Array::from_iter_values(each(|_, kernel, _| kernel as u32));
    let views: ArrayRef = Arc::new(StringViewArray::from_iter_values(["void gemm<float>(a, b)", "softmax"]));
    let of_views = DictionaryArray::<UInt32Type>::try_new(places, views).unwrap();
    for (said, name, column) in [
        ("large", "name", Arc::new(LargeStringArray::from_iter_values(&own)) as ArrayRef),
        ("views", "name", Arc::new(StringViewArray::from_iter_values(&own))),
        ("views of ids", "trace_id", Arc::new(StringViewArray::from_iter_values(&ids))),
        ("dictionary", "name", Arc::new(small)),
        ("dictionary of views", "name", Arc::new(of_views)),
        ("large ids", "trace_id", Arc::new(LargeStringArray::from_iter_values(&ids))),
    ] {
        same(said, &with(name, column), &kernels());
    }
}

/// Engines make numbers and days of what stands in the names of folders.
#[test]
fn runs_may_be_numbers_and_days() {
    let wide = |run: usize| 1_700_000_000_000_000_000 + run as i64;
    let days = texts(&each(|run, _, _| format!("2024-10-{:02}", 4 + run)));
    let wides = texts(&each(|run, _, _| wide(run).to_string()));
    let run = texts(&each(|run, _, _| run.to_string()));
    for (said, column, expected) in [
        ("int64", Arc::new(Int64Array::from_iter_values(each(|run, _, _| run as i64))) as ArrayRef, &run),
        ("uint8", Arc::new(UInt8Array::from_iter_values(each(|run, _, _| run as u8))), &run),
        ("wide", Arc::new(Int64Array::from_iter_values(each(|run, _, _| wide(run)))), &wides),
        ("day", Arc::new(Date32Array::from_iter_values(each(|run, _, _| 20_000 + run as i32))), &days),
    ] {
        same(said, &with("run", column), &with("run", expected.clone()));
    }
}

#[test]
fn columns_behind_nested_ones_are_read() {
    let n = durations().len();
    let long = each(|run, _, _| format!("a text of more than twelve bytes {run}"));
    let lists = ListArray::from_iter_primitive::<Int8Type, _, _>(
        (0..n).map(|row| Some(vec![Some(row as i8); row % 3])),
    );
    let field = |name: &str, kind| Arc::new(Field::new(name, kind, false));
    let flag: ArrayRef = Arc::new(BooleanArray::from(vec![true; n]));
    let view: ArrayRef = Arc::new(StringViewArray::from_iter_values(&long));
    let nested = StructArray::from(vec![
        (field("flag", DataType::Boolean), flag.clone()),
        (field("text", DataType::Utf8View), view.clone()),
        (field("list", lists.data_type().clone()), Arc::new(lists.clone()) as ArrayRef),
    ]);
    let before: Columns = vec![
        ("a", Arc::new(lists)),
        ("b", Arc::new(nested)),
        ("c", flag),
        ("d", view),
        ("e", Arc::new(NullArray::new(n))),
        ("f", Arc::new(BinaryArray::from_iter_values(&long))),
        ("g", Arc::new(FixedSizeBinaryArray::try_from_iter((0..n).map(|_| [1_u8; 5])).unwrap())),
        ("h", Arc::new(names().into_iter().collect::<DictionaryArray<Int8Type>>())),
    ];
    let all: Columns = before.into_iter().chain(kernels()).collect();
    let expected = changes("kernels.arrow", arrow(&kernels()));
    assert_eq!(changes("kernels.arrow", arrow(&all)), expected);
    assert_eq!(changes("kernels.parquet", parquet(&all)), expected);
}

#[test]
fn a_column_of_a_type_that_is_not_read_is_said_and_shown_nowhere() {
    let own = durations();
    let seconds = own.iter().map(|dur| dur * 1_000).collect::<Vec<_>>();
    let part = StructArray::from(vec![(
        Arc::new(Field::new("ns", DataType::Int64, false)),
        Arc::new(Int64Array::from(own.clone())) as ArrayRef,
    )]);
    let all: [(ArrayRef, &str, &str); 6] = [
        (Arc::new(TimestampNanosecondArray::from(own.clone())), "TIMESTAMP", "timestamp"),
        // Parquet has no seconds: these are plain numbers there, and Arrow says beside it what they are.
        (Arc::new(TimestampSecondArray::from(own.clone())), "timestamp", "timestamp"),
        (Arc::new(Date64Array::from(seconds)), "date", "date"),
        (Arc::new(Time64MicrosecondArray::from(own)), "TIME", "time"),
        (texts(&each(|run, _, _| run.to_string())), "STRING", "utf8"),
        (Arc::new(part), "struct", "struct"),
    ];
    for (column, in_parquet, in_arrow) in all {
        for (name, found) in [("kernels.parquet", in_parquet), ("kernels.arrow", in_arrow)] {
            let columns = with("dur", column.clone());
            let bytes = if name == "kernels.arrow" { arrow(&columns) } else { parquet(&columns) };
            let (mut doc, faults) = opened(name, bytes);
            let said = "column dur: expected numbers or durations";
            assert_eq!(faults[0], format!("{name}, {said}, found {found}. The file is not read."));
            assert_eq!(csv(&mut doc, "dataset-kernels"), "", "{name} {found}");
        }
    }
}

#[test]
fn a_field_of_a_column_is_no_column_and_is_said_to_be_one() {
    let nested = |name: &'static str| {
        let inner = kernels().into_iter().find(|(own, _)| *own == name).unwrap().1;
        let field = Arc::new(Field::new(name, inner.data_type().clone(), false));
        let outer = ("row", Arc::new(StructArray::from(vec![(field, inner)])) as ArrayRef);
        kernels().into_iter().filter(|(own, _)| *own != name).chain([outer]).collect::<Columns>()
    };
    for (name, write) in [("kernels.parquet", parquet as fn(&Columns) -> Vec<u8>), ("kernels.arrow", arrow)] {
        let (_, faults) = opened(name, write(&nested("dur")));
        let said =
            "column dur: expected numbers or durations, found a nested field of row. The file is not read.";
        assert_eq!(faults[0], format!("{name}, {said}"));
        let (mut doc, _) = opened(name, write(&nested("trace_id")));
        let Answer::Report(report) = doc.query(&Query::Report).0 else { panic!("a report") };
        assert!(report.text.contains("trace_id is a field of column row"), "{}", report.text);
    }
}

#[test]
fn rows_that_are_left_out_are_counted() {
    let ids = each(|run, _, _| format!("trace-of-the-run-{run}"));
    let some = |(row, id): (usize, String)| (3 <= row).then_some(id);
    let ids: StringArray = ids.into_iter().enumerate().map(some).collect();
    let class = |(row, class): (usize, &str)| if row == 20 { "other" } else { class }.to_owned();
    let classes = each(|_, kernel, _| ["copy", "compute"][kernel]).into_iter().enumerate().map(class);
    // Of copies nothing is shown, whatever they say.
    let number = |(row, dur): (usize, i64)| match row {
        40..=45 => None,
        47 => Some(f64::NAN),
        49 => Some(f64::INFINITY),
        _ => Some(dur as f64),
    };
    let durs: Float64Array = durations().into_iter().enumerate().map(number).collect();
    let columns: Columns = kernels()
        .into_iter()
        .map(|(name, column)| match name {
            "trace_id" => (name, Arc::new(ids.clone()) as ArrayRef),
            "class" => (name, texts(&classes.clone().collect::<Vec<_>>())),
            "dur" => (name, Arc::new(durs.clone()) as ArrayRef),
            _ => (name, column),
        })
        .collect();
    for (name, bytes) in [("k.parquet", parquet(&columns)), ("k.arrow", arrow(&columns))] {
        let (mut doc, faults) = opened(name, bytes);
        let said =
            ["3 rows without trace_id", "5 rows without a number in dur", "1 row without a known class"];
        assert_eq!(faults, said.map(|said| format!("{name}: {said}. They are left out.")));
        let table = csv(&mut doc, "dataset-kernels");
        assert_eq!(table.lines().count(), 2, "{table}");
    }
}

#[test]
fn a_missing_column_is_said_with_what_is_shown_without_it() {
    let metrics = |left_out: &str| -> Columns {
        let text = |name: &'static str| (name, texts(&each(|_, _, _| name)));
        let columns: Columns = vec![
            kernels().swap_remove(0),
            kernels().swap_remove(1),
            text("figure"),
            text("choice"),
            text("name"),
            text("subject"),
            ("unit", texts(&each(|_, _, _| "B"))),
            ("value", kernels().swap_remove(4).1),
        ];
        columns.into_iter().filter(|(name, _)| *name != left_out).collect()
    };
    for (left_out, expected) in [
        ("", None),
        ("run", None),
        ("choice", Some("column choice is missing. Rows that differ only in it count as one.")),
        ("unit", Some("column unit is missing. Values are shown without a unit.")),
    ] {
        for (name, bytes) in
            [("m.parquet", parquet(&metrics(left_out))), ("m.arrow", arrow(&metrics(left_out)))]
        {
            let (mut doc, faults) = opened(name, bytes);
            let expected: Vec<String> = expected.iter().map(|said| format!("{name}: {said}")).collect();
            assert_eq!(faults, expected, "without {left_out}");
            assert_eq!(csv(&mut doc, "dataset-metrics").lines().count(), 2, "without {left_out}");
        }
    }
}

/// Kernels that few runs have are in those runs only.
#[test]
fn runs_that_do_not_have_a_kernel_stay_empty() {
    let names = each(
        |run, kernel, _| if kernel == 0 { format!("only{}", run.div_ceil(2)) } else { "all".to_owned() },
    );
    let (mut doc, faults) = opened("kernels.arrow", arrow(&with("name", texts(&names))));
    assert_eq!(faults, [""; 0]);
    let table = csv(&mut doc, "dataset-kernels");
    let runs = |name: &str| {
        let row = super::row(&table, name);
        row.iter().find(|cell| cell.contains(" / ")).unwrap().clone()
    };
    assert_eq!(["all", "only1", "only3", "only5"].map(runs), ["5 / 5", "2 / 0", "1 / 1", "0 / 2"]);
    // The trend has a line for each run, with a median in those two.
    let options = (0..6).map(|at| csv(&mut doc, &format!("dataset-kernels-trend:{at}")));
    let trend = options.into_iter().find(|text| text.contains("only3")).unwrap();
    let filled = trend.lines().skip(1).map(|line| !line.ends_with(',')).collect::<Vec<_>>();
    assert_eq!(filled, (1..=10).map(|run| run == 5 || run == 6).collect::<Vec<_>>(), "{trend}");
}

/// An engine keeps no word of which table a file is: faults have a code and a sentence as findings do.
#[test]
fn faults_that_an_engine_saved_are_no_findings() {
    let columns = |more: &[&'static str]| {
        let own = ["trace_id", "run", "code", "severity", "sentence"];
        own.iter().chain(more).map(|name| (*name, texts(&["one", "two"]))).collect::<Columns>()
    };
    let faults = parquet(&columns(&["expected", "found"]));
    let (doc, said) = opened("faults.parquet", faults);
    assert!(said.len() == 1 && said[0].contains("only query engines read"), "{said:?}");
    assert!(doc.trace().figures.is_empty(), "nothing of it is counted");
    let (mut doc, said) = opened("findings.parquet", parquet(&columns(&["subject"])));
    assert_eq!(said, [""; 0]);
    assert_eq!(csv(&mut doc, "dataset-findings").lines().count(), 3);
}
