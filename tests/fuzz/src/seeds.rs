//! What fuzzing begins with: the fixtures of the tests and inputs that were mended, and archives of them.

use crate::bundle::{Files, joined};
use lanescope::systems;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

/// Longest seed: longer ones are slow, and the fuzzer cuts them.
const MOST: usize = 60_000;

/// Writes the seeds of a target into its folder in `corpus/`; those that are there stay.
pub(crate) fn write(target: &str) {
    let system = systems::SYSTEMS.iter().find(|system| system.id == target);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let of = system.map_or(systems::SYSTEMS, std::slice::from_ref);
    for format in of.iter().flat_map(|system| system.formats) {
        for (case, files) in cases(&tests.join("fixtures").join(format.id)) {
            let files = fitting(&files);
            if system.is_some() {
                keep(target, &format!("{}-{case}", format.id), &joined(&files));
            } else {
                for (ending, bytes) in archives(&files) {
                    keep(target, &format!("{}-{case}.{ending}", format.id), &bytes);
                }
            }
        }
    }
    for input in listed(&tests.join("regressions").join(target)) {
        keep(target, &name(&input), &read(&input));
    }
}

fn keep(target: &str, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let path = folder.join(name);
    if !path.exists() {
        let done = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, bytes));
        done.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

/// The cases of a format: the name of each, and its files.
fn cases(folder: &Path) -> Vec<(String, Files)> {
    let cases = listed(folder).into_iter().filter(|path| path.is_dir());
    cases
        .map(|case| {
            let mut files = Files::new();
            let mut open = vec![case.clone()];
            while let Some(at) = open.pop() {
                for inner in listed(&at) {
                    if inner.is_dir() {
                        open.push(inner);
                    } else if name(&inner) != "source.toml" {
                        let path = inner.strip_prefix(&case).unwrap_or(&inner);
                        files.push((path.to_string_lossy().into_owned(), read(&inner)));
                    }
                }
            }
            files.sort();
            (name(&case), files)
        })
        .collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Of many files every second, third and so on, so that they fit into one seed.
fn fitting(files: &Files) -> Files {
    let len = |files: &Files| files.iter().map(|(path, bytes)| path.len() + bytes.len()).sum::<usize>();
    let every = |n| files.iter().step_by(n).cloned().collect::<Files>();
    (1..files.len()).map(every).find(|some| len(some) < MOST).unwrap_or_else(|| every(files.len().max(1)))
}

/// The files packed in each way that is unpacked.
fn archives(files: &Files) -> Vec<(&'static str, Vec<u8>)> {
    let Some((_, first)) = files.first() else { return Vec::new() };
    let tar = tar(files);
    vec![
        ("gz", gz(first)),
        ("tar.xz", xz(&tar)),
        ("tar.zst", zst(&tar)),
        ("stored.zip", zip(files, zip::CompressionMethod::Stored)),
        ("zip", zip(files, zip::CompressionMethod::Deflated)),
        ("tar", tar),
    ]
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).expect("memory takes all");
    packer.finish().expect("memory takes all")
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut packer = lzma_rust2::XzWriter::new(Vec::new(), options).expect("the preset is known");
    packer.write_all(bytes).expect("memory takes all");
    packer.finish().expect("memory takes all")
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn tar(files: &Files) -> Vec<u8> {
    let mut packer = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        packer.append_data(&mut header, path, bytes.as_slice()).expect("memory takes all");
    }
    packer.into_inner().expect("memory takes all")
}

fn zip(files: &Files, how: zip::CompressionMethod) -> Vec<u8> {
    let mut packer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        let options = zip::write::SimpleFileOptions::default().compression_method(how);
        packer.start_file(path.as_str(), options).expect("memory takes all");
        packer.write_all(bytes).expect("memory takes all");
    }
    packer.finish().expect("memory takes all").into_inner()
}
