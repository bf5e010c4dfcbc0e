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

/// How names of functions of runtimes begin, before a capital letter, and words that only one runtime or profiler has.
const FUNCTIONS: [&str; 4] = ["cuda", "hip", "cu", "aclrt"];
const WORDS: [&str; 7] =
    ["HtoD", "DtoH", "pin_memory", "totalGlobalMem", "deviceProperties", "Process Group", "sgemm"];

/// The name of a runtime's function, or a word of a profiler, that a line has in it.
fn runtime_of(line: &str) -> Option<&'static str> {
    let is_function = |name: &&str| {
        line.match_indices(*name).any(|(at, _)| {
            let rest = &line[at + name.len()..];
            !line[..at].ends_with(char::is_alphanumeric) && rest.starts_with(char::is_uppercase)
        })
    };
    FUNCTIONS.into_iter().find(is_function).or_else(|| WORDS.into_iter().find(|word| line.contains(word)))
}

#[test]
fn vendors_are_named_only_in_the_folders_of_their_systems() {
    assert_eq!(vendor_of("use crate::nnapi_text;"), Some("nnapi"));
    assert_eq!(vendor_of("// As MindStudio draws it."), Some("mindstudio"));
    assert_eq!(vendor_of("const LIBRARIES: [&str; 2] = [\"nccl\", \"x\"];"), Some("nccl"));
    assert_eq!(vendor_of("phrase(\"there is no ProfilerStep#.\")"), Some("profilerstep"));
    assert_eq!(vendor_of("if is_hta {"), Some("hta"));
    assert_eq!(vendor_of("let is_ascending = true; // descend"), None);
    assert_eq!(runtime_of("const BLOCKS: [&str; 1] = [\"cudaMemcpy\"];"), Some("cuda"));
    assert_eq!(runtime_of("name.contains(\"HtoD\")"), Some("HtoD"));
    assert_eq!(runtime_of("current.cut(); // Custom"), None);
    let mut wrong = Vec::new();
    for path in files("src", "rs") {
        let name = short(&path);
        // The program of the worker says which systems are in which part.
        if name.starts_with("src/systems/") || name == "src/bin/worker.rs" {
            continue;
        }
        for (i, line) in read(&path).lines().enumerate() {
            if let Some(vendor) = vendor_of(line).or_else(|| runtime_of(line)) {
                wrong.push(format!("{name}:{} names {vendor}: {}", i + 1, line.trim()));
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_system_is_in_the_worker_or_in_a_part_that_recognizes_its_formats_in_their_order() {
    use lanescope::format::Format;
    use lanescope::systems::{CORE, PARTS, SYSTEMS, System};
    let of_core = CORE.iter().filter(|system| system.id != "demo").flat_map(|system| system.formats);
    let of_core: Vec<&str> = of_core.map(|format| format.id).collect();
    let of_part = |part: &&[&[Format]]| part.iter().copied().flatten().map(|format| format.id).collect();
    let found = PARTS.iter().flat_map(|part| part.as_ref().map_or(of_core.clone(), of_part));
    let of_system = |system: &&&System| system.formats.iter().map(|format| format.id).collect::<Vec<_>>();
    let all = SYSTEMS.iter().filter(|system| system.id != "demo");
    assert_eq!(found.collect::<Vec<_>>(), all.map(|system| of_system(&system)).collect::<Vec<_>>().concat());
}

#[test]
fn what_the_map_of_the_source_names_is_there() {
    let text = read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs").as_path());
    let map: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("//!")).collect();
    let all = files("src", "rs").iter().map(|path| short(path)).collect::<Vec<_>>();
    let mut wrong = Vec::new();
    let words =
        map.iter().flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == ':' || c == '_')));
    for path in words.filter(|word| word.contains("::")) {
        let places: Vec<&str> = path.trim_matches(':').split("::").filter(|part| !part.is_empty()).collect();
        let modules = places.iter().take_while(|part| part.starts_with(char::is_lowercase)).copied();
        let folder = format!("src/{}", modules.collect::<Vec<_>>().join("/"));
        // A function stands in the module before it.
        let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        let name = format!("fn {}", places.last().copied().unwrap_or_default());
        let is_module = |folder: &str| {
            all.iter().any(|file| *file == format!("{folder}.rs") || file.starts_with(&format!("{folder}/")))
        };
        let has = || files(&parent, "rs").iter().any(|file| read(file).contains(&name));
        if !(is_module(&folder) || is_module(&parent) && has()) {
            wrong.push(format!("src/lib.rs names {path}"));
        }
    }
    none(&wrong);
}
