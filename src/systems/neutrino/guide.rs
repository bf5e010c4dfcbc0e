//! What the page says of Neutrino before a folder is opened: what probes, maps and clocks are, and what pictures need.

use crate::base::words::phrase;
use crate::systems::guides::{Guide, Terms};

/// The guide.
pub static GUIDE: Guide = Guide {
    subject: "Neutrino",
    title: phrase("Kernel probes"),
    lessons: Vec::new,
    terms: Some(Terms { id: "neutrino", title: phrase("Probes, maps and clocks"), rows: ROWS }),
};

/// Terms and their meanings.
const ROWS: &[(&str, &str)] = &[
    (
        phrase("Trace folder"),
        phrase(
            "one process: event.log, probe.toml, result/ with a file for each probed launch, kernel/ with the code; open the whole folder, since probe.toml or read.py names the record fields",
        ),
    ),
    (
        phrase("Probe"),
        phrase(
            "instructions that Neutrino inserts into a kernel: at its start and end, or before and after instructions of a kind",
        ),
    ),
    (
        phrase("Map"),
        phrase(
            "where probes save records: each thread, or each warp, has a part of equal size; the size of a dynamic map is determined by a counting run",
        ),
    ),
    (
        phrase("Unused records"),
        phrase(
            "parts have no record count: an all-zero record is taken as never written, although a probe may have saved zeros",
        ),
    ),
    (
        phrase("SM clock"),
        phrase(
            "cycles; not shared between SMs, so only times on the same SM can be compared, and cycles convert to time only with a clock rate, which the folder does not have",
        ),
    ),
    (phrase("GPU timer"), phrase("nanoseconds, the same on all SMs, in steps that may be as coarse as 1 µs")),
    (
        phrase("Block schedule example"),
        phrase("which block ran on which SM and when: needs a map with start, elapsed time and SM"),
    ),
    (
        phrase("DMAT, accesses over time"),
        phrase(
            "how often each page is accessed, over time: needs a map with clock and address; if clocks count from the start of each thread, 0 is not the start of the kernel",
        ),
    ),
    (
        phrase("Before and after"),
        phrase(
            "a kernel's PTX without and with probes; extra registers may lower the occupancy of the measured run",
        ),
    ),
];

/// How one records, what is shown, and what that cannot say.
pub static RECORDING: Guide = Guide {
    subject: "Neutrino",
    title: phrase("Kernel probes"),
    lessons: Vec::new,
    terms: Some(Terms {
        id: "neutrino-recording",
        title: phrase("Recording, views and limits"),
        rows: RECORDING_ROWS,
    }),
};

const RECORDING_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I record a profile?"),
        phrase(
            "Run the program under Neutrino with a probe, such as block_sched for schedules or a dense memory access trace (dmat) for accesses. Open the whole trace folder: probe.toml names the fields of the records, kernel/ holds the code.",
        ),
    ),
    (
        phrase("What is shown?"),
        phrase(
            "Schedule: which block ran on which SM and when, gaps, waves, slow blocks. Heat map: pages over time. Details: launches, what probes cost, registers with and without probes, values of maps. Source: PTX before and after probing.",
        ),
    ),
    (
        phrase("What are the limits?"),
        phrase(
            "Probes slow a kernel down; by how much is known only where the folder has a run without them. Clocks of SMs are not aligned: times of different SMs are compared only with the global timer.",
        ),
    ),
];
