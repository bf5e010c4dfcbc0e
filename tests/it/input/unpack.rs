//! Archives become entries: every kind, inside each other, damaged, and too large.

use crate::words::chinese;
use lanescope::base::fault::{Fault, Kind, Severity};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::engine::Need;
use lanescope::input::unpack::{MemoryStore, Store, Unpacker};
use lanescope::input::{Bundle, ByteSource, Entry, Memory, ReadError, Source, limits, read_range};
use lanescope::wire::{Answer, Query};
use std::cell::Cell;
use std::io::Write;
use std::rc::Rc;

fn unpack(files: &[(&str, Vec<u8>)]) -> (Vec<(String, Vec<u8>)>, Vec<Fault>) {
    let entries = files
        .iter()
        .map(|(path, bytes)| Entry { path: (*path).to_owned(), source: Rc::new(Memory(bytes.clone())) });
    let mut unpacker = Unpacker::new(entries.collect(), Box::<MemoryStore>::default());
    let (entries, faults) = loop {
        if let Some(unpacked) = unpacker.poll() {
            break unpacked;
        }
    };
    let bundle = Bundle::new(entries);
    let read = |e: &Entry| (e.path.clone(), read_range(&*e.source, 0..e.source.len()).unwrap());
    (bundle.iter().map(|(_, e)| read(e)).collect(), faults)
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut packer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut packer = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        packer.append_data(&mut header, path, *bytes).unwrap();
    }
    packer.into_inner().unwrap()
}

fn zip(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let mut packer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes, is_packed) in files {
        let how = if *is_packed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
        let options = zip::write::SimpleFileOptions::default().compression_method(how);
        packer.start_file(*path, options).unwrap();
        packer.write_all(bytes).unwrap();
    }
    packer.finish().unwrap().into_inner()
}

fn text(n: usize) -> Vec<u8> {
    (0..n).flat_map(|i| format!("line {i}\n").into_bytes()).collect()
}

#[test]
fn files_are_counted_while_they_are_looked_at() {
    let file = |n: u64| Entry { path: format!("f/{n}.txt"), source: Rc::new(Memory(vec![b'a'; 9])) };
    let mut doc = Document::new((0..40).map(file).collect(), Box::<MemoryStore>::default());
    let mut seen = Vec::new();
    while matches!(doc.step(), Need::Again) {
        let progress = doc.progress();
        assert!(progress.share().is_none_or(|share| share <= 1.0));
        seen.push((progress.step, progress.files));
    }
    for step in ["Unpacking", "Detecting format"] {
        let counts: Vec<(u64, u64)> =
            seen.iter().filter(|(own, _)| own == step).map(|(_, files)| *files).collect();
        assert!((1..40).all(|n| counts.contains(&(n, 40))), "{step}: {counts:?}");
    }
}

#[test]
fn every_kind_of_archive_becomes_its_entries() {
    let body = text(200_000); // more than one chunk
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("a/run.json.gz", gz(&body), "a/run.json.gz!/run.json"),
        ("run.json.xz", xz(&body), "run.json.xz!/run.json"),
        ("run.json.zst", zst(&body), "run.json.zst!/run.json"),
        ("run.zip", zip(&[("in/run.json", &body, true)]), "run.zip!/in/run.json"),
        ("run.tar", tar(&[("in/run.json", &body)]), "run.tar!/in/run.json"),
    ];
    for (path, bytes, inner) in cases {
        let (entries, faults) = unpack(&[(path, bytes)]);
        assert_eq!(faults, [], "{path}");
        assert_eq!(entries.len(), 1, "{path}");
        assert_eq!(entries[0].0, inner);
        assert!(entries[0].1 == body, "{path} has other bytes");
    }
}

#[test]
fn archives_in_archives_are_followed_to_their_end() {
    let inner = tar(&[("x/one.txt", b"1"), ("x/two.txt.gz", &gz(b"2"))]);
    let (entries, faults) = unpack(&[("all.tgz", gz(&inner)), ("plain.txt", b"3".to_vec())]);
    assert_eq!(faults, []);
    let names: Vec<&str> = entries.iter().map(|e| e.0.as_str()).collect();
    let tar = "all.tgz!/all.tar";
    assert_eq!(
        names,
        [&*format!("{tar}!/x/one.txt"), &*format!("{tar}!/x/two.txt.gz!/two.txt"), "plain.txt"]
    );
}

#[test]
fn stored_and_packed_members_of_a_zip_stand_side_by_side() {
    let body = text(1000);
    let (entries, faults) = unpack(&[("z.zip", zip(&[("a.txt", &body, false), ("b.txt", &body, true)]))]);
    assert_eq!(faults, []);
    assert!(entries.iter().all(|e| e.1 == body));
    assert_eq!(entries.len(), 2);
}

/// Places of these bytes in others.
fn places(of: &[u8], sign: &[u8]) -> Vec<usize> {
    (0..of.len().saturating_sub(3)).filter(|at| of[*at..].starts_with(sign)).collect()
}

#[test]
fn a_zip_whose_records_contradict_each_other_is_read_and_said_so() {
    let body = text(1000);
    let sound = zip(&[("a.txt", &body, true), ("b.txt", &body, true)]);
    let end = places(&sound, b"PK\x05\x06")[0];
    // Each bit of the count of members, in the end alone.
    for bit in 0..16 {
        let mut bytes = sound.clone();
        bytes[end + 10 + bit / 8] ^= 1 << (bit % 8);
        let (entries, faults) = unpack(&[("z.zip", bytes)]);
        assert_eq!(entries.len(), 2, "bit {bit}");
        assert!(entries.iter().all(|e| e.1 == body), "bit {bit}");
        assert_eq!(faults.len(), 1, "bit {bit}: {faults:?}");
    }
    // A packed size that is greater in the directory: the bytes are right.
    for member in places(&sound, b"PK\x01\x02") {
        let mut bytes = sound.clone();
        bytes[member + 21] ^= 0x10;
        let (entries, faults) = unpack(&[("z.zip", bytes)]);
        assert!(entries.iter().all(|e| e.1 == body));
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
    let empty = zip(&[]);
    assert_eq!(unpack(&[("z.zip", empty)]).1, []);
}

#[test]
fn a_cut_archive_keeps_what_came_before_the_cut() {
    let body = text(40_000); // one chunk, four blocks of zstd
    for (name, packed) in [("a.gz", gz(&body)), ("a.xz", xz(&body)), ("a.zst", zst(&body))] {
        for len in [packed.len() * 9 / 10, packed.len() - 5] {
            let (entries, faults) = unpack(&[(name, packed[..len].to_vec())]);
            let out = &entries[0].1;
            assert!(body.len() / 2 < out.len() && body.starts_with(out), "{name}: {} bytes", out.len());
            let [fault] = &faults[..] else { panic!("{name}: {faults:?}") };
            assert_eq!(fault.code, "INP-UNPACK");
            assert!(fault.to_string().contains(": the compressed data ends too early. Data"), "{fault}");
            assert_eq!(fault.place.byte, None);
        }
    }
}

#[test]
fn what_stands_before_damage_is_opened_without_words_of_the_decoder() {
    let body = text(40_000);
    // Four fifths are whole; of zstd whole blocks, of xz whole pieces.
    for (name, mut packed, percent) in
        [("a.gz", gz(&body), 74), ("a.xz", xz(&body), 60), ("a.zst", zst(&body), 60)]
    {
        let at = packed.len() * 4 / 5;
        packed[at..at + 64].fill(0xFF);
        let (entries, faults) = unpack(&[(name, packed)]);
        let same = entries[0].1.iter().zip(&body).take_while(|(a, b)| a == b).count();
        assert!(body.len() * percent / 100 < same, "{name}: {same} bytes");
        assert!(!faults.is_empty());
        for fault in faults {
            let inner = ["overflow", "whole buffer", "Error", "corrupt", "LZMA", "deflate"];
            assert!(!inner.iter().any(|part| fault.to_string().contains(part)), "{name}: {fault}");
        }
    }
}

/// Packed as each kind of archive that has a checksum of its contents, with the name of the kind.
fn checked(body: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let xz = |check| {
        let mut options = lzma_rust2::XzOptions::with_preset(1);
        options.set_check_sum_type(check);
        let mut packer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        packer.write_all(body).unwrap();
        packer.finish().unwrap()
    };
    vec![
        ("a.json.gz", gz(body)),
        ("b.json.xz", xz(lzma_rust2::CheckType::Crc32)),
        ("c.json.xz", xz(lzma_rust2::CheckType::Crc64)),
        ("d.json.xz", xz(lzma_rust2::CheckType::Sha256)),
        ("e.json.zst", zst(body)),
        ("f.zip", zip(&[("f.json", body, true)])),
        ("g.zip", zip(&[("g.json", body, false)])),
    ]
}

#[test]
fn no_flipped_bit_inside_an_archive_goes_unsaid() {
    let body = text(6_000);
    let mut n_said = 0;
    for (name, whole) in checked(&body) {
        assert_eq!(unpack(&[(name, whole.clone())]).1, [], "{name}");
        for i in 0..400_usize {
            let mut packed = whole.clone();
            let at = i * 7919 % packed.len();
            packed[at] ^= 1 << (i % 8);
            let (entries, faults) = unpack(&[(name, packed)]);
            // A damaged signature makes it another kind of file, a damaged name leaves the contents as they were.
            let is_told = !faults.is_empty() || entries.iter().all(|e| e.0 == name || e.1 == body);
            assert!(is_told, "{name}: bit {} of byte {at}", i % 8);
            n_said += usize::from(!faults.is_empty());
        }
    }
    assert!(2000 < n_said, "{n_said}");
}

#[test]
fn what_has_a_wrong_checksum_is_opened_and_named() {
    let body = text(200_000); // more than one chunk
    let sum = "the decompressed bytes do not match the checksum in the archive. Some of the bytes are wrong. All are opened.";
    let size = "the archive declares 2,288,891 bytes, but 2,288,890 bytes were unpacked. The file is damaged. All unpacked bytes are opened.";
    let behind = "the index or footer after the compressed data is damaged. Data unpacked before the damage is opened.";
    let packed_xz = xz(&body);
    // Behind the checksum of a block: the index, as long as the footer says in fours, and the footer of 12 bytes.
    let end = packed_xz.len();
    let fours = u32::from_le_bytes(packed_xz[end - 8..end - 4].try_into().unwrap());
    let behind_sum = 12 + 4 * (fours as usize + 1) + 1;
    for (name, whole, back, said) in [
        ("run.json.gz", gz(&body), 8, sum),
        ("run.json.gz", gz(&body), 4, size),
        ("run.json.zst", zst(&body), 4, sum),
        ("run.json.xz", packed_xz.clone(), behind_sum, sum),
        ("run.json.xz", packed_xz.clone(), 6, behind),
        ("run.json.xz", packed_xz, 14, behind),
    ] {
        let mut packed = whole;
        let at = packed.len() - back;
        packed[at] ^= 1;
        let (entries, faults) = unpack(&[(name, packed)]);
        assert!(entries[0].1 == body, "{name}");
        assert_eq!((faults.len(), &*faults[0].code, &*faults[0].place.entry), (1, "INP-UNPACK", name));
        assert_eq!(faults[0].to_string(), format!("{name}: {said}"));
    }
    let mut wrong = [gz(&body), gz(b"more")].concat();
    wrong[gz(&body).len() - 8] ^= 1;
    let (entries, faults) = unpack(&[("two.gz", wrong)]);
    assert_eq!((entries[0].1.len(), faults.len()), (body.len() + 4, 1), "the second member is read too");
    chinese();
    let said = "two.gz：解压内容的校验和与压缩文件声明的不符。部分字节有误。全部内容均已打开。";
    assert_eq!(faults[0].text(Language::Zh), said);
    for is_packed in [true, false] {
        let mut archive = zip(&[("in/run.json", &body, is_packed)]);
        let directory = archive.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
        archive[directory + 16] ^= 1; // the checksum as the directory has it
        let (entries, faults) = unpack(&[("run.zip", archive)]);
        assert!(entries[0].1 == body, "packed: {is_packed}");
        assert_eq!((faults.len(), &*faults[0].place.entry), (1, "run.zip!/in/run.json"));
        let Kind::Contradiction { .. } = &faults[0].kind else { panic!("{:?}", faults[0].kind) };
    }
}

#[test]
fn archives_of_several_parts_are_read_to_their_end() {
    let (one, two) = (text(1000), text(50));
    let both = [&one[..], &two[..]].concat();
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let cases = [
        ("run.json.gz", [gz(&one), gz(&two), vec![0; 1024]].concat()),
        ("run.json.xz", [xz(&one), xz(&two)].concat()),
        ("run.json.zst", [zst(&one), skipped, zst(&two)].concat()),
    ];
    for (name, packed) in cases {
        let (entries, faults) = unpack(&[(name, packed)]);
        assert_eq!(faults, [], "{name}");
        assert!(entries[0].1 == both, "{name}");
    }
    let (entries, faults) = unpack(&[("run.json.gz", [gz(&one), b"more".to_vec()].concat())]);
    assert!(entries[0].1 == one);
    assert_eq!(faults.len(), 1);
}

#[test]
fn what_is_not_unpacked_is_named() {
    for (sign, name) in
        [(&b"BZh91AY&SY"[..], "bzip2"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07", "rar")]
    {
        let (entries, faults) = unpack(&[("run.packed", [sign, &[0; 60]].concat())]);
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        let text = fault.to_string();
        assert!(entries.len() == 1 && text.contains(name) && text.contains("is not supported"), "{text}");
    }
    let with = |kind: tar::EntryType| {
        let mut packer = tar::Builder::new(Vec::new());
        for (path, kind) in [("run.json", tar::EntryType::Regular), ("latest.json", kind)] {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.as_gnu_mut().unwrap().realsize = *b"00000000000\0";
            header.set_size(0);
            header.set_link_name("run.json").unwrap();
            packer.append_data(&mut header, path, &[][..]).unwrap();
        }
        unpack(&[("all.tar", packer.into_inner().unwrap())])
    };
    for (kind, severity) in
        [(tar::EntryType::Symlink, Severity::Note), (tar::EntryType::GNUSparse, Severity::Loss)]
    {
        let (entries, faults) = with(kind);
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert_eq!((entries.len(), fault.severity), (1, severity));
        assert!(fault.to_string().contains("links, devices or sparse files in the archive: 1"), "{fault}");
    }
    assert_eq!(with(tar::EntryType::Directory).1, []);
}

#[test]
fn damaged_archives_never_panic_and_stay_as_files() {
    let whole = [
        gz(&text(100)),
        xz(&text(100)),
        zst(&text(100)),
        zip(&[("a", &text(100), true)]),
        tar(&[("a", b"x")]),
    ];
    let mut seed = 7_u32;
    for (kind, bytes) in whole.iter().enumerate() {
        for _ in 0..400 {
            let mut bytes = bytes.clone();
            for _ in 0..3 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = seed as usize % bytes.len();
                bytes[at] ^= (seed >> 24) as u8;
            }
            bytes.truncate(1 + seed as usize % bytes.len());
            let (entries, _) = unpack(&[("damaged", bytes)]);
            assert!(entries.iter().map(|e| e.1.len()).sum::<usize>() < 1 << 20, "kind {kind}");
        }
    }
}

#[test]
fn a_bomb_is_stopped_and_said() {
    let bomb = xz(&vec![0; 256 << 20]);
    let allowed = (64 << 20) + bomb.len() * 1_200;
    let (entries, faults) = unpack(&[("bomb.xz", bomb.clone())]);
    assert!(matches!(faults[..], [Fault { kind: Kind::Limit { .. }, .. }]), "{faults:?}");
    assert!(entries[0].1.len() <= allowed);
    // Nothing of it is damaged, and nobody says so.
    let (reason, said, _) = refused(&[("bomb.xz", bomb)]);
    assert_eq!((&*faults[0].code, said.len()), ("INP-SIZE", 1));
    assert!(said[0].ends_with("The file is larger than that; the rest was not read."), "{said:?}");
    let text = format!("{reason} {}", said[0]);
    assert!(reason.contains("more than the limit") && !text.contains("amage"), "{text}");
}

/// Forgets what it is given.
struct Nothing;

impl Store for Nothing {
    fn append(&mut self, _: &[u8]) -> Result<(), ReadError> {
        Ok(())
    }

    fn seal(&mut self) -> Result<Source, ReadError> {
        Ok(Rc::new(Memory(Vec::new())))
    }
}

#[test]
fn all_packed_files_together_have_a_limit() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![0; 48 << 20]).unwrap();
    let one = packer.finish().unwrap();
    let members: Vec<(String, Vec<u8>)> = (0..16).map(|n| (format!("{n}.json.gz"), one.clone())).collect();
    let members: Vec<(&str, &[u8], bool)> =
        members.iter().map(|(name, bytes)| (name.as_str(), &bytes[..], false)).collect();
    let archive = zip(&members);
    let most = (limits::UNPACKED + archive.len() as u64 * limits::UNPACKED_RATIO) / (48 << 20);
    assert!(4 < most && most < 16, "{most} of 16 members have room");
    let entry = Entry { path: "many.zip".to_owned(), source: Rc::new(Memory(archive)) };
    let mut unpacker = Unpacker::new(vec![entry], Box::new(Nothing));
    let (entries, faults) = loop {
        if let Some(unpacked) = unpacker.poll() {
            break unpacked;
        }
    };
    assert_eq!(entries.len() as u64, most);
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert_eq!(fault.code, "INP-SIZE");
    let left_out = format!("Packed files that are not opened: {}.", 16 - most);
    assert!(fault.to_string().contains("unpacked size of all files together: "), "{fault}");
    assert!(fault.to_string().ends_with(&left_out), "{fault}");
}

/// The records of the directory of a small archive, and where its end stands.
fn directory(archive: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let (starts, end) = (places(archive, b"PK\x01\x02"), places(archive, b"PK\x05\x06")[0]);
    let ends = starts.iter().skip(1).copied().chain([end]);
    (starts.iter().zip(ends).map(|(from, to)| archive[*from..to].to_vec()).collect(), end)
}

#[test]
fn members_that_share_their_bytes_are_read_once() {
    const N: u16 = 500;
    let sound = zip(&[("000.json", &text(100), true)]);
    let (records, end) = directory(&sound);
    let start = end - records[0].len();
    let mut bytes = sound[..start].to_vec();
    for n in 0..N {
        let mut record = records[0].clone();
        record[46..49].copy_from_slice(format!("{n:03}").as_bytes());
        bytes.extend(record);
    }
    let len = (bytes.len() - start) as u32;
    let mut tail = sound[end..].to_vec();
    tail[8..10].copy_from_slice(&N.to_le_bytes());
    tail[10..12].copy_from_slice(&N.to_le_bytes());
    tail[12..16].copy_from_slice(&len.to_le_bytes());
    bytes.extend(tail);
    let (entries, faults) = unpack(&[("z.zip", bytes)]);
    assert_eq!((entries.len(), entries[0].1 == text(100)), (1, true));
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    let said = "z.zip, the directory: members that point to the bytes of another member: 499. These bytes are read once.";
    assert_eq!(fault.to_string(), said);
}

#[test]
fn a_member_with_another_name_in_its_header_is_said() {
    for is_packed in [true, false] {
        let mut bytes = zip(&[("d/x.json", &text(100), is_packed)]);
        let at = places(&bytes, b"PK\x01\x02")[0] + 46 + 5;
        bytes[at] ^= 1;
        let (entries, faults) = unpack(&[("z.zip", bytes)]);
        assert_eq!(entries[0].0, "z.zip!/d/x.jron");
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        let said = "the directory says the name d/x.jron, but the header of the member says d/x.json. The name in the directory counts.";
        assert_eq!(fault.to_string(), format!("z.zip!/d/x.jron: {said}"));
    }
}

/// A file that counts how many reads were made of it, and of how many bytes.
struct Counted {
    file: Memory,
    reads: Cell<u64>,
    bytes: Cell<u64>,
}

impl ByteSource for Counted {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        let n = self.file.read_at(offset, buf)?;
        self.reads.set(self.reads.get() + 1);
        self.bytes.set(self.bytes.get() + n as u64);
        Ok(n)
    }
}

/// Opens an archive and returns the most reads and bytes of one step, and the bytes of all.
fn reads_of_steps(name: &str, bytes: Vec<u8>) -> (u64, u64, u64) {
    let file = Rc::new(Counted { file: Memory(bytes), reads: Cell::new(0), bytes: Cell::new(0) });
    let entry = Entry { path: name.to_owned(), source: file.clone() };
    let mut doc = Document::new(vec![entry], Box::new(MemoryStore::default()));
    let (mut most_reads, mut most_bytes) = (0, 0);
    loop {
        let before = (file.reads.get(), file.bytes.get());
        let need = doc.step();
        most_reads = most_reads.max(file.reads.get() - before.0);
        most_bytes = most_bytes.max(file.bytes.get() - before.1);
        match need {
            Need::Again => {}
            Need::Stream { source, range } => {
                let bytes = read_range(&*source, range).unwrap();
                doc.feed(&bytes);
            }
            Need::Ready | Need::Failed | Need::Part(_) => {
                return (most_reads, most_bytes, file.bytes.get());
            }
        }
    }
}

#[test]
fn no_step_looks_at_more_than_some_of_the_members_of_a_large_archive() {
    let event = br#"[{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":2}]"#;
    let names: Vec<String> = (0..2_000).map(|i| format!("run/{i}.json")).collect();
    let large: Vec<u8> = (0..(8 << 20)).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for is_packed in [false, true] {
        let mut files: Vec<(&str, &[u8], bool)> =
            names.iter().map(|name| (name.as_str(), &event[..], is_packed)).collect();
        files.push(("run/large.raw", &large, false));
        let (reads, bytes, all) = reads_of_steps("run.zip", zip(&files));
        assert!(reads < 300 && bytes < 2 << 20, "{reads} reads of {bytes} bytes in one step of a zip");
        assert!(all < 16 << 20, "{all} bytes read for members of {} bytes", 2_000 * event.len());
    }
    let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &event[..])).collect();
    files.insert(1_000, ("run/large.raw", &large));
    let (reads, bytes, all) = reads_of_steps("run.tar", tar(&files));
    assert!(reads < 300 && bytes < 2 << 20, "{reads} reads of {bytes} bytes in one step of a tar");
    assert!(all < 16 << 20, "{all} bytes read");
}

#[test]
fn the_directory_of_a_large_zip_is_read_in_steps() {
    // So many need the large end of a directory.
    const N: usize = 66_000;
    let names: Vec<String> = (0..N).map(|i| format!("run/{i}.txt")).collect();
    let files: Vec<(&str, &[u8], bool)> =
        names.iter().map(|name| (name.as_str(), name.as_bytes(), false)).collect();
    let alone = zip(&files);
    let behind = [zip(&[("other.txt", b"another archive", false)]), alone.clone()].concat();
    for bytes in [alone, behind] {
        let entry = Entry { path: "all.zip".to_owned(), source: Rc::new(Memory(bytes)) };
        let mut unpacker = Unpacker::new(vec![entry], Box::<MemoryStore>::default());
        let mut n_steps = 0;
        let (entries, faults) = loop {
            if let Some(unpacked) = unpacker.poll() {
                break unpacked;
            }
            n_steps += usize::from(unpacker.seen().at.is_some());
        };
        assert!(N / 4096 < n_steps, "{n_steps} steps");
        assert_eq!((entries.len(), faults.len()), (N, 0));
        let last = entries.last().unwrap();
        assert_eq!(last.path, "all.zip!/run/65999.txt");
        assert_eq!(read_range(&*last.source, 0..99).unwrap(), b"run/65999.txt");
    }
}

#[test]
fn members_of_one_path_are_all_opened() {
    let names = ["a/t.json", "a/u.json", "a/v.json"];
    let bytes = zip(&names.map(|name| (name, &name.as_bytes()[2..3], true)));
    let text = bytes.iter().map(|b| char::from(*b)).collect::<String>();
    let text = text.replace("a/u.json", "a/t.json").replace("a/v.json", "a/t.json");
    let (entries, faults) = unpack(&[("z.zip", text.chars().map(|c| c as u8).collect())]);
    assert_eq!(faults, []);
    let own = |path: &str, bytes: &[u8]| (format!("z.zip!/a/{path}"), bytes.to_vec());
    assert_eq!(entries, [own("t (2).json", b"u"), own("t (3).json", b"v"), own("t.json", b"t")]);
}

/// Why files are not opened: what is said first, what of archives, and how many formats say why not.
fn refused(files: &[(&str, Vec<u8>)]) -> (String, Vec<String>, usize) {
    let entry = |(path, bytes): &(&str, Vec<u8>)| Entry {
        path: (*path).to_owned(),
        source: Rc::new(Memory(bytes.clone())),
    };
    let entries = files.iter().map(entry).collect();
    let (mut doc, is_ready) = Document::open(entries, Box::<MemoryStore>::default());
    assert!(!is_ready);
    let Answer::Report(report) = doc.query(&Query::Report).0 else { panic!("a report") };
    (report.reason.to_string(), report.faults.iter().map(ToString::to_string).collect(), report.near.len())
}

#[test]
fn files_that_no_format_can_read_are_refused_with_the_reason() {
    let json = r#"[{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":2}]"#;
    let wide =
        |mark: &[u8]| mark.iter().copied().chain(json.bytes().flat_map(|b| [b, 0])).collect::<Vec<u8>>();
    let utf16 = "The file is UTF-16 text; save it as UTF-8.";
    for (name, bytes, said) in [
        ("a.json", Vec::new(), "The file is empty."),
        ("a.json.gz", gz(b""), "The file is empty."),
        ("none.zip", zip(&[]), "The archive contains no files."),
        ("folders.zip", zip(&[("a/", b"", false), ("a/b/", b"", false)]), "The archive contains no files."),
        ("a.json", wide(&[0xFF, 0xFE]), utf16),
        ("a.json", wide(&[]), utf16),
    ] {
        assert_eq!(refused(&[(name, bytes)]), (said.to_owned(), Vec::new(), 0), "{name}");
    }
    let two = refused(&[("a.json", Vec::new()), ("b.json", Vec::new())]);
    assert_eq!(two.0, "All files are empty.");
    let nested = (0..30).fold(json.as_bytes().to_vec(), |inner, _| zip(&[("n.zip", &inner, true)]));
    let (_, faults, n_near) = refused(&[("n.zip", nested)]);
    assert_eq!(n_near, 0);
    let inner = "n.zip!/n.zip!/n.zip!/n.zip";
    assert_eq!(faults, [format!("{inner}: archives are nested more than 3 deep. Not unpacked.")]);
}
