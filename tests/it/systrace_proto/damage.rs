//! Damaged packets, as they are and inside packed ones: no panic, places inside the file, memory within bounds.

use super::make::{self, Packing, Trace, TracePacket};
use crate::support::front_door::{files_of, fixtures, open};
use crate::support::memory;
use crate::support::mutate::{Seeded, damaged_files, mutate, told};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lanescope::systems::android::nnapi::mark::Marks;
use prost::Message;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

/// Bytes inside a packed packet.
fn packed(bytes: &[u8], packing: Packing) -> Vec<u8> {
    let mut packet = TracePacket::default();
    match packing {
        Packing::None => return bytes.to_vec(),
        Packing::Zstd => {
            packet.zstd_compressed_packets = Some(compress_to_vec(bytes, CompressionLevel::Fastest));
        }
        Packing::Zlib | Packing::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(bytes).unwrap();
            packet.compressed_packets = Some(encoder.finish().unwrap());
        }
    }
    Trace { packet: vec![packet] }.encode_to_vec()
}

#[test]
fn damaged_packets_break_nothing() {
    let n = damaged_files();
    let fixture = |case: &str| files_of(&fixtures().join("perfetto").join(case)).remove(0).1;
    let (plain, stored) = (fixture("packets"), fixture("packets_packed"));
    let (mut n_marks, mut most) = (0, 0);
    for seed in 0..n {
        let mut random = Seeded(seed);
        let bytes = match seed % 4 {
            0 => mutate(&plain, &mut random),
            1 => packed(&mutate(&plain, &mut random), Packing::Zlib),
            2 => packed(&mutate(&plain, &mut random), Packing::Zstd),
            _ => mutate(&stored, &mut random),
        };
        let len = bytes.len() as u64;
        let chunk = [61, 1_024, 1 << 20][random.below(3)];
        let ((doc, _), peak) = memory::peak(|| open(vec![("trace.pftrace".to_owned(), bytes)], chunk));
        let marks = Marks::of(doc.trace());
        n_marks += usize::from(!marks.is_empty());
        most = most.max(peak);
        assert!(marks.time.windows(2).all(|pair| pair[0] <= pair[1]), "seed {seed}: not in order");
        for row in 0..marks.len() {
            assert!(marks.start[row] + u64::from(marks.len[row]) <= len, "seed {seed}: behind the end");
        }
        for fault in doc.faults().rows() {
            assert!(fault.place.byte.is_none_or(|byte| byte <= len), "seed {seed}: {fault}");
        }
        assert!(peak < 48 << 20, "seed {seed}: {peak} bytes held");
    }
    told(&format!("{n} damaged traces of packets, {n_marks} with marks, at most {most} bytes held"));
    assert!(n as usize / 2 < n_marks, "only {n_marks} of {n} have marks");
}

#[test]
fn what_stands_before_a_cut_inside_a_packed_packet_is_shown() {
    let plain = files_of(&fixtures().join("perfetto/packets")).remove(0).1;
    let many = plain.repeat(200_000 / plain.len() + 1); // two blocks of zstd
    let mut cut = compress_to_vec(many.as_slice(), CompressionLevel::Fastest);
    cut.truncate(cut.len() - 5); // the checksum and the end of the second
    let packet = TracePacket { zstd_compressed_packets: Some(cut), ..TracePacket::default() };
    let bytes = Trace { packet: vec![packet] }.encode_to_vec();
    let (doc, _) = open(vec![("trace.pftrace".to_owned(), bytes)], 1 << 16);
    assert!(!Marks::of(doc.trace()).is_empty());
    let said: Vec<String> = doc.faults().rows().iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|text| text.contains("the compressed data ends too early")), "{said:?}");
}

/// What was cut out of the front by hand is said and the rest is shown, wherever it is cut.
#[test]
fn every_cut_is_survived() {
    let plain = files_of(&fixtures().join("perfetto/packets")).remove(0).1;
    for at in (0..plain.len()).step_by(97) {
        for bytes in [plain[..at].to_vec(), plain[at..].to_vec()] {
            let len = bytes.len() as u64;
            let (doc, _) = open(vec![("trace.pftrace".to_owned(), bytes)], 1 << 16);
            assert!(doc.faults().rows().iter().all(|f| f.place.byte.is_none_or(|byte| byte <= len)));
        }
    }
    let whole = make::Trace::decode(plain.as_slice()).unwrap();
    assert!(5 < whole.packet.len());
}
