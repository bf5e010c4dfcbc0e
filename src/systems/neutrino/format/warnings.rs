//! What a user must know before trusting the records: guessed fields, launches without probes, clocks that do not fit; and
//! which files of the folder are missing.

use super::sections::HEAD;
use super::split;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::number;
use crate::base::words::{Message, message, phrase};
use crate::input::Bundle;
use crate::model::files::Missing;
use crate::systems::neutrino::density::Counts;
use crate::systems::neutrino::folder::{Folder, Launch, Outcome, Probe, SchemaSource, Status};
use crate::systems::neutrino::result::Role;

/// Fields that are guessed, and results that have another number of maps than the probes.
pub(super) fn of_schema(folder: &Folder, path: &str, n: usize, faults: &mut Vec<Fault>) {
    let place = Place::byte(path, 28);
    if matches!(folder.schema, SchemaSource::KernelInfo | SchemaSource::Guessed) {
        let kind = Kind::Problem(phrase("the meaning of the record fields is unknown").into());
        let fault = Fault::new("NEU-SCHEMA", Severity::Warning, place, kind);
        faults.push(fault.note(phrase("Their names and sizes are guessed; probe.toml would give them.")));
    } else if folder.maps.len() != n {
        let a = message("the result has {n} maps").with("n", n);
        let b = message("the probes have {n}").with("n", folder.maps.len());
        let fault = Fault::new("NEU-MAPS", Severity::Warning, place, Kind::Contradiction { a, b });
        faults.push(fault.note(phrase("Maps are taken in their order.")));
    }
}

/// What the clocks of the maps mean.
pub(super) fn of_maps(folder: &Folder, path: &str, faults: &mut Vec<Fault>) {
    let sections = folder.result.iter().flat_map(|result| &result.sections);
    for (at, map) in (HEAD..).step_by(16).zip(sections.map(|section| &section.map)) {
        let place = Place::byte(path, at);
        if map.field(Role::Clock).is_some() && map.field(Role::Sm).is_some() {
            let what = message("the SM clocks in {map} are not synchronized").with("map", &map.name);
            let fault = Fault::new("NEU-CLOCKS", Severity::Note, place.clone(), Kind::Problem(what));
            faults.push(fault.note(phrase("Times on different SMs can be compared only after alignment.")));
        }
        let is_timed = [Role::Clock, Role::Cycles, Role::Timer, Role::Nanos]
            .iter()
            .any(|role| map.field(*role).is_some());
        if map.field(Role::Address).is_none() || !is_timed {
            continue;
        }
        let saves = |snippet: &str| match folder.schema {
            SchemaSource::ProbeV1 => snippet.contains("SAVE."),
            _ => snippet.contains("SAVE") && snippet.contains(&map.name),
        };
        let of_map = |probe: &&Probe| folder.schema == SchemaSource::ProbeV2 || probe.name == map.name;
        let mut probes = folder.probes.iter().filter(of_map);
        let what = match probes.find(|probe| saves(&probe.before) || saves(&probe.after)) {
            Some(probe) if saves(&probe.after) => message("clocks of {map} are read after each access"),
            Some(_) => message("clocks of {map} are read before each access"),
            None => continue,
        };
        faults.push(Fault::new(
            "NEU-ACCESS",
            Severity::Note,
            place,
            Kind::Problem(what.with("map", &map.name)),
        ));
    }
}

/// A `.dmat` file that ends too early, once its counts were walked; or how many bytes it needs to have any.
pub(super) fn of_counts(path: &str, len: u64, counts: Result<&Counts, u64>) -> Option<Fault> {
    let (needed, note) = match counts {
        Ok(counts) => {
            let (needed, clocks) = counts.lacking()?;
            let note = message("{n} of {all} clocks are missing or incomplete.");
            let note = note.with("n", number::thousands(clocks));
            (needed, note.with("all", number::thousands(counts.clocks.0)))
        }
        Err(needed) => (needed, message("Its accesses are not shown.")),
    };
    let kind = Kind::Truncated { needed, left: len };
    Some(Fault::new("NEU-CUT", Severity::Loss, Place::byte(path, len), kind).note(note))
}

/// Launches that should have been probed and were not, once for each function, and those that the log does not finish.
pub(super) fn of_launches(folder: &Folder, path: &str, faults: &mut Vec<Fault>) {
    let fell_back = |launch: &Launch| {
        let outcome = launch.kernel.and_then(|at| folder.kernels.get(at)).map(|kernel| kernel.outcome);
        // Runs that only measure memory know what the maps take.
        let is_meant =
            matches!(outcome, Some(Outcome::Filtered | Outcome::Excluded)) || launch.probe_bytes.is_some();
        launch.status == Status::Unprobed && !is_meant
    };
    let mut fallen: Vec<(&Launch, usize)> = Vec::new();
    for launch in folder.launches.iter().filter(|launch| fell_back(launch)) {
        match fallen.iter_mut().find(|(first, _)| first.function == launch.function) {
            Some((_, n)) => *n += 1,
            None => fallen.push((launch, 1)),
        }
    }
    let mut say = |code, severity, launch: &Launch, what| {
        let place = Place::byte(path, launch.bytes.0).line(launch.line, 1);
        faults.push(Fault::new(code, severity, place, Kind::Problem(what)));
    };
    for (first, n) in fallen {
        let what = message("launches without probes: {n} of {name}").with("n", n);
        say("NEU-UNPROBED", Severity::Warning, first, what.with("name", &first.name));
    }
    for launch in &folder.launches {
        let what = match launch.status {
            Status::Cut => message("the log ends within a launch of {name}"),
            Status::Failed(code) => {
                message("a launch of {name} with probes failed, code {code}").with("code", code)
            }
            _ => continue,
        };
        let (code, severity) = match launch.status {
            Status::Cut => ("NEU-KILLED", Severity::Note),
            _ => ("NEU-FAILED", Severity::Loss),
        };
        say(code, severity, launch, what.with("name", &launch.name));
    }
}

/// Why records are not shown, of launches whose results are absent; `None` where a result is open and none is.
fn why_missing(folder: &Folder, absent: &[&str]) -> Option<Message> {
    Some(match (absent, folder.log) {
        ([], _) if folder.result.is_some() => return None,
        ([file], _) => message(
            "{file} is missing: the records of its launch are not shown. Open the whole trace folder.",
        )
        .with("file", *file),
        ([file, ..], _) => message(
            "{n} results saved by launches are missing, such as {file}: their records are not shown. Open the whole trace folder.",
        )
        .with("n", absent.len())
        .with("file", *file),
        ([], Some(_)) if folder.process.is_benchmark => {
            message("A benchmark run saves no results: there are no records to show.")
        }
        ([], Some(_)) => message("No launch saved a result: there are no records to show."),
        ([], None) => message(
            "No file from result/ is open: launch records are not shown. Open the whole trace folder.",
        ),
    })
}

/// What is not shown as files of the folder are missing; `dmat` is the name of a `.dmat` file without its result.
pub(super) fn missing(folder: &Folder, dmat: Option<&str>, bundle: &Bundle) -> Vec<Missing> {
    let missing = |id: &str, title: &str, why: &Message| Missing {
        id: id.to_owned(),
        title: title.to_owned(),
        why: why.clone(),
    };
    let mut all = Vec::new();
    if folder.log.is_none() {
        let why = message(
            "event.log is missing: launches, their times and memory, and the probe cost are not shown. Open the whole trace folder.",
        );
        all.push(missing("timeline", phrase("Timeline"), &why));
    }
    if folder.kernels.iter().all(|kernel| kernel.files.is_empty()) {
        let why = message(
            "No file from kernel/ is open: kernel instructions and assembler output are not shown. Open the whole trace folder.",
        );
        all.push(missing("source", phrase("Source"), &why));
    }
    let saved = folder.launches.iter().filter_map(|launch| Some(split(launch.result.as_ref()?).1));
    // Other documents may show the others; folders of other processes may have files of the same name.
    let own = folder.log.and_then(|id| bundle.get(id)).map(super::root);
    let is_here = |file: &&str| {
        bundle
            .whole()
            .iter()
            .any(|entry| entry.name() == *file && own.is_none_or(|own| super::root(entry) == own))
    };
    let mut absent: Vec<&str> = saved.filter(|file| !is_here(file)).collect();
    let beside = dmat.and_then(|name| name.strip_suffix(".dmat")).map(|stem| format!("{stem}.bin"));
    if let Some(file) = beside.as_deref() {
        absent = vec![file];
    }
    let Some(why) = why_missing(folder, &absent) else { return all };
    // The views that the maps would fill; where some are shown, or nothing says what maps there are, the results.
    let is_known = !matches!(folder.schema, SchemaSource::KernelInfo | SchemaSource::Guessed);
    let is_known = is_known && folder.result.is_none();
    let has = |role: Role| is_known && folder.maps.iter().any(|map| map.field(role).is_some());
    let before = all.len();
    if has(Role::Sm) {
        all.push(missing("schedule", phrase("Schedule"), &why));
    }
    if has(Role::Address) && dmat.is_none() {
        all.push(missing("heatmap", phrase("Heat map"), &why));
    }
    if all.len() == before {
        all.push(missing("neutrino-results", phrase("Results"), &why));
    }
    all
}
