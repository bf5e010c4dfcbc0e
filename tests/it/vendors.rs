//! Vendors and their tools are named only in the folders of their systems.

use crate::tidy::{files, none, read, short};

/// Names of vendors and their tools: what knows them stands in the folder of their system.
const VENDORS: [&str; 30] = [
    "ascend",
    "mindstudio",
    "msinsight",
    "nnapi",
    "aosp",
    "systrace",
    "gainsight",
    "neutrino",
    "gtpin",
    "nvbit",
    "accel-sim",
    "cuda",
    "cupti",
    "rocm",
    "hip",
    "nccl",
    "rccl",
    "hccl",
    "hcom",
    "oneccl",
    "torch",
    "pytorch",
    "kineto",
    "tensorflow",
    "tensorboard",
    "dataloader",
    "profilerstep",
    "hta",
    "holistic",
    "msprof",
];

/// The vendor that a line names as a whole word of a text or of an identifier.
fn vendor_of(line: &str) -> Option<&'static str> {
    let line = line.to_ascii_lowercase();
    let is_word = |vendor: &&str| {
        line.match_indices(*vendor).any(|(at, _)| {
            let rest = &line[at + vendor.len()..];
            !line[..at].ends_with(char::is_alphanumeric) && !rest.starts_with(char::is_alphanumeric)
        })
    };
    VENDORS.into_iter().find(|vendor| is_word(vendor))
}

#[test]
fn vendors_are_named_only_in_the_folders_of_their_systems() {
    assert_eq!(vendor_of("use crate::nnapi_text;"), Some("nnapi"));
    assert_eq!(vendor_of("// As MindStudio draws it."), Some("mindstudio"));
    assert_eq!(vendor_of("const LIBRARIES: [&str; 2] = [\"nccl\", \"x\"];"), Some("nccl"));
    assert_eq!(vendor_of("phrase(\"there is no ProfilerStep#.\")"), Some("profilerstep"));
    assert_eq!(vendor_of("if is_hta {"), Some("hta"));
    assert_eq!(vendor_of("let is_ascending = true; // descend"), None);
    let mut wrong = Vec::new();
    for path in files("src", "rs") {
        let name = short(&path);
        if name.starts_with("src/systems/") {
            continue;
        }
        for (i, line) in read(&path).lines().enumerate() {
            if let Some(vendor) = vendor_of(line) {
                wrong.push(format!("{name}:{} names {vendor}: {}", i + 1, line.trim()));
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_system_is_in_a_worker_that_is_found() {
    use lanescope::format::Format;
    use lanescope::systems::{FIRST, LATER, SYSTEMS};
    let ids = |systems: &[&lanescope::systems::System]| systems.iter().map(|s| s.id).collect::<Vec<_>>();
    let first = ids(FIRST.systems);
    let later: Vec<_> = LATER.iter().flat_map(|program| ids(program.systems)).collect();
    let lost = ids(SYSTEMS).into_iter().filter(|id| !first.contains(id) && !later.contains(id));
    assert_eq!(lost.collect::<Vec<_>>(), Vec::<&str>::new(), "no worker has these");
    let mut formats = Vec::new();
    for (row, program) in LATER.iter().enumerate() {
        let only_later = program.systems.iter().filter(|system| !first.contains(&system.id));
        formats.extend(only_later.flat_map(|system| system.formats).map(|format| (row, format.id)));
    }
    let of = |(row, formats): &(usize, &'static [Format])| {
        formats.iter().map(|format| (*row, format.id)).collect()
    };
    let recognized: Vec<(usize, &str)> = FIRST.recognized.iter().flat_map(of as fn(&_) -> Vec<_>).collect();
    assert_eq!(formats, recognized, "the first worker recognizes what the later ones read");
}
