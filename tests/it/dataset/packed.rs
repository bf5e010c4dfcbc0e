//! Tables packed with LZ4, and tables that do not hold what their footers say: files byte by byte.

use super::columns::opened;
use super::{csv, row};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use std::sync::Arc;

/// Rows of the tables here.
const ROWS: usize = 12;
/// A block of LZ4 with this number of eight bytes [`ROWS`] times: it once, then 88 bytes from 8 bytes before, then nothing.
fn repeated(number: i64) -> Vec<u8> {
    [&[0x8F], &number.to_le_bytes()[..], &[8, 0, 88 - 4 - 15, 0x00]].concat()
}

/// A block of LZ4 with these bytes as they are.
fn literal(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![bytes.len().min(15) as u8 * 16];
    if let Some(mut more) = bytes.len().checked_sub(15) {
        while 255 <= more {
            out.push(255);
            more -= 255;
        }
        out.push(more as u8);
    }
    [&out, bytes].concat()
}

/// A structure of Thrift.
#[derive(Default)]
struct Fields(Vec<u8>, u8);

impl Fields {
    fn head(&mut self, id: u8, kind: u8) {
        self.0.push((id - self.1) << 4 | kind);
        self.1 = id;
    }

    fn varint(&mut self, mut n: u64) {
        while 0x80 <= n {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn int(mut self, id: u8, n: i64) -> Self {
        self.head(id, 6);
        self.varint((n << 1 ^ n >> 63) as u64);
        self
    }

    fn text(mut self, id: u8, text: &str) -> Self {
        self.head(id, 8);
        self.varint(text.len() as u64);
        self.0.extend(text.bytes());
        self
    }

    fn of(mut self, id: u8, inner: Self) -> Self {
        self.head(id, 12);
        self.0.extend(inner.end());
        self
    }

    fn list(mut self, id: u8, inner: Vec<Self>) -> Self {
        self.head(id, 9);
        self.0.push((inner.len() as u8) << 4 | 12);
        self.0.extend(inner.into_iter().flat_map(Self::end));
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.0.push(0);
        self.0
    }
}

/// A column: name, physical type, encoding, its page, and of how many bytes that is unpacked.
type Column = (&'static str, i64, i64, Vec<u8>, usize);

/// A file of kernels in one row group of so many rows, with a codec.
fn parquet(rows: usize, codec: i64, columns: &[Column]) -> Vec<u8> {
    let mut out = b"PAR1".to_vec();
    let mut chunks = Vec::new();
    for (name, kind, encoding, body, whole) in columns {
        let start = out.len();
        let page = Fields::default().int(1, ROWS as i64).int(2, *encoding).int(3, 3).int(4, 3);
        let size = body.len() as i64;
        out.extend(Fields::default().int(1, 0).int(2, *whole as i64).int(3, size).of(5, page).end());
        out.extend(body);
        let chunk = Fields::default().int(1, *kind).text(3, name).int(4, codec).int(5, ROWS as i64);
        let chunk = chunk.int(7, (out.len() - start) as i64).int(9, start as i64);
        chunks.push(Fields::default().int(2, start as i64).of(3, chunk));
    }
    let element = |(name, kind, ..): &Column| Fields::default().int(1, *kind).int(3, 0).text(4, name);
    let root = Fields::default().text(4, "root").int(5, columns.len() as i64);
    let schema = std::iter::once(root).chain(columns.iter().map(element)).collect();
    let group = Fields::default().list(1, chunks).int(2, 0).int(3, rows as i64);
    let footer = Fields::default().int(1, 1).list(2, schema).int(3, rows as i64).list(4, vec![group]).end();
    out.extend(&footer);
    out.extend((footer.len() as u32).to_le_bytes());
    [&out, &b"PAR1"[..]].concat()
}

/// Texts behind their lengths.
fn counted(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat().repeat(ROWS)
}

fn kernels(pack: impl Fn(&[u8]) -> Vec<u8>, durations: Vec<u8>) -> [Column; 4] {
    let column = |name, text: &str| (name, 6, 0, pack(&counted(text)), counted(text).len());
    [
        column("trace_id", "one"),
        column("name", "softmax"),
        column("class", "compute"),
        ("dur", 2, 0, durations, 8 * ROWS),
    ]
}

/// The only kernel has this median in all launches.
fn check(name: &str, bytes: Vec<u8>) {
    let (mut doc, faults) = opened(name, bytes);
    assert_eq!(faults, [""; 0], "{name}");
    assert_eq!(row(&csv(&mut doc, "dataset-kernels"), "softmax")[..3], ["softmax", "5000", "12"], "{name}");
}

#[test]
fn pages_packed_with_lz4_are_read() {
    check("kernels.parquet", parquet(ROWS, 7, &kernels(literal, repeated(5_000))));
    let (_, faults) = opened("kernels.parquet", parquet(ROWS, 4, &kernels(literal, repeated(5_000))));
    let said = "kernels.parquet, byte 4 (0x4): expected pages without compression, or with Snappy, gzip, LZ4 or Zstandard. The file is not read.";
    assert_eq!(faults, [said]);
    // What reaches back behind the beginning is no block.
    let mut bad = repeated(5_000);
    bad[9] = 9;
    let (_, faults) = opened("kernels.parquet", parquet(ROWS, 7, &kernels(literal, bad)));
    assert!(faults[0].ends_with("expected a decompressible page. The file is not read."), "{faults:?}");
}

#[test]
fn fewer_values_than_rows_and_places_outside_of_a_dictionary_are_said() {
    let plain = |bytes: &[u8]| bytes.to_vec();
    let numbers = 5_000_i64.to_le_bytes().repeat(ROWS);
    check("kernels.parquet", parquet(ROWS, 0, &kernels(plain, numbers.clone())));
    let (_, faults) = opened("kernels.parquet", parquet(ROWS + 1, 0, &kernels(plain, numbers)));
    assert!(faults[0].ends_with("expected as many values as rows. The file is not read."), "{faults:?}");
    // Twelve times the place 3 of a dictionary that is not there.
    for column in 1..4 {
        let mut columns = kernels(plain, 5_000_i64.to_le_bytes().repeat(ROWS));
        (columns[column].2, columns[column].3) = (8, vec![2, (ROWS as u8) << 1, 3]);
        let (_, faults) = opened("kernels.parquet", parquet(ROWS, 0, &columns));
        assert!(
            faults[0].ends_with("expected values in a supported encoding. The file is not read."),
            "{faults:?}"
        );
    }
}

/// A frame of LZ4 with a packed block and one as it is.
fn frame(first: &[u8], second: &[u8]) -> Vec<u8> {
    let size = |n: usize| (n as u32).to_le_bytes();
    let plain = (second.len() as u32 | 1 << 31).to_le_bytes();
    let head = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82];
    [&head[..], &size(first.len()), first, &plain, second, &size(0)].concat()
}

/// The metadata of a batch whose buffers are packed with LZ4, as tables of `FlatBuffers`; buffers by place and length.
fn message(buffers: &[(usize, usize)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut words = |words: &[i32]| out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    let two = |low: i32, high: i32| high << 16 | low;
    words(&[-1, 0]);
    // Where the message is; its fields: version, kind, content.
    words(&[16, two(10, 12), two(4, 6), 8, 12, two(4, 3), 40 - 24]);
    // The fields of the batch: rows, no nodes, buffers, compression.
    words(&[two(12, 20), two(4, 0), two(12, 16), 12, ROWS as i32, 0, 68 - 52, 64 - 56]);
    // Compression has its defaults; then the buffers.
    words(&[two(4, 4), 4, buffers.len() as i32]);
    for (at, len) in buffers {
        words(&[*at as i32, 0, *len as i32, 0]);
    }
    let n = (out.len() - 8) as u32;
    out[4..8].copy_from_slice(&n.to_le_bytes());
    out
}

#[test]
fn batches_packed_with_lz4_are_read() {
    let text = |text: &str| Arc::new(StringArray::from(vec![text; ROWS])) as ArrayRef;
    let durations: ArrayRef = Arc::new(Int64Array::from(vec![5_000; ROWS]));
    let columns = [
        ("trace_id", text("one")),
        ("name", text("softmax")),
        ("class", text("compute")),
        ("dur", durations),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut plain = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut plain, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    check("kernels.arrow", plain.clone());
    // A batch of our own stands before the footer, which is made to lead to it.
    let footer_at = |bytes: &[u8]| {
        let size = bytes[bytes.len() - 10..bytes.len() - 6].try_into().unwrap();
        bytes.len() - 10 - u32::from_le_bytes(size) as usize
    };
    let (mut out, footer) = (plain[..footer_at(&plain)].to_vec(), plain[footer_at(&plain)..].to_vec());
    let (mut body, mut buffers) = (Vec::new(), Vec::new());
    let mut add = |packed: Vec<u8>, n: usize| {
        let bytes = if n == 0 { packed } else { [&(n as i64).to_le_bytes()[..], &packed].concat() };
        buffers.push((body.len(), bytes.len()));
        body.extend(bytes);
    };
    for text in ["one", "softmax", "compute"] {
        let ends: Vec<u8> = (0..=ROWS).flat_map(|row| ((row * text.len()) as u32).to_le_bytes()).collect();
        let all = text.repeat(ROWS);
        let (first, second) = all.as_bytes().split_at(20);
        add(Vec::new(), 0);
        add(frame(&literal(&ends[..8]), &ends[8..]), ends.len());
        add(frame(&literal(first), second), all.len());
    }
    add(Vec::new(), 0);
    add(frame(&repeated(5_000), &[]), 8 * ROWS);
    let (start, head) = (out.len(), message(&buffers));
    let blocks = arrow_ipc::root_as_footer(&footer[..footer.len() - 10]).unwrap();
    let block = blocks.recordBatches().unwrap().get(0);
    let old = [block.offset().to_le_bytes(), i64::from(block.metaDataLength()).to_le_bytes()].concat();
    let new = [(start as i64).to_le_bytes(), (head.len() as i64).to_le_bytes()].concat();
    let at = footer.windows(16).position(|bytes| bytes == old).unwrap();
    out.extend(head.iter().chain(&body).chain(&footer[..at]).chain(&new).chain(&footer[at + 16..]));
    check("kernels.arrow", out);
}
