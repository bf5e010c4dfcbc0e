//! What the page says of data lifetimes before a file is opened: what its terms mean, as the machine of
//! `crate::views::lifetimes::compute` takes them.

use crate::base::words::phrase;
use crate::systems::guides::{Guide, Terms};

/// The guide.
pub static GUIDE: Guide = Guide {
    subject: "Memory simulation",
    title: phrase("Data lifetimes"),
    lessons: Vec::new,
    terms: Some(Terms { id: "data-lifetimes", title: phrase("How lifetimes are counted"), rows: ROWS }),
};

/// Terms and their meanings.
const ROWS: &[(&str, &str)] = &[
    (
        phrase("Lifetime"),
        phrase(
            "the stretch in which a sector of a cache, or a word of a buffer, holds one value; it begins with the first access, with each store, and with a load that has to fetch the data again",
        ),
    ),
    (phrase("Last use"), phrase("a lifetime ends with the last access to its data")),
    (
        phrase("Resident"),
        phrase(
            "a lifetime ends when its data are replaced, or else with the kernel; published samples are counted so",
        ),
    ),
    (
        phrase("Sector"),
        phrase("32 bytes, what one access moves; L1 of each SM has its own, L2 has each only once"),
    ),
    (
        phrase("Retry"),
        phrase("an access that the cache could not take and that comes again; it counts for nothing else"),
    ),
    (
        phrase("Pending hit"),
        phrase("a load that misses because its data are still on their way: a reuse, not a miss"),
    ),
    (
        phrase("Fill cycles"),
        phrase(
            "cycles that a fill takes: a load that misses later than this after the lifetime began is a true miss",
        ),
    ),
    (
        phrase("Refill"),
        phrase("what a true miss does to an open lifetime: reopen starts a new one, keep counts a reuse"),
    ),
    (
        phrase("Orphan"),
        phrase(
            "a lifetime without any reuse; unless set, orphans count only where lifetimes end with replacement",
        ),
    ),
    (
        phrase("Pre-existing data"),
        phrase("sectors whose first access is a load that hits: they came before the kernel began"),
    ),
    (
        phrase("Retention"),
        phrase(
            "how long a memory cell holds its data without refresh; it may depend on how often cells are written",
        ),
    ),
    (
        phrase("Refreshes"),
        phrase("the sum over all lifetimes of how many whole retentions each of them lasts"),
    ),
    (phrase("Fits without refresh"), phrase("the share of lifetimes that last at most one retention")),
    (
        phrase("Mix"),
        phrase("each lifetime goes to the device with the smallest cells that holds it without refresh"),
    ),
    (
        phrase("Area"),
        phrase(
            "bits of the level times the area of a cell, divided by the share of the array that cells take; of the units of the scope: all SMs, or one",
        ),
    ),
    (
        phrase("Energy"),
        phrase(
            "bits read, written and refreshed, each times the device's energy per bit; shown only where these are given",
        ),
    ),
    (
        phrase("Scope"),
        phrase(
            "the SMs whose L1 is told: all, the one with the most accesses in each kernel, the mean of those with accesses, or one; L2 is always told as a whole",
        ),
    ),
    (
        phrase("Read and write frequency"),
        phrase(
            "loads, and stores, by the time of the kernel; stores and fills count true misses of loads as writes too",
        ),
    ),
    (
        phrase("Utilization"),
        phrase("bytes of distinct sectors of a kernel by the size of the level; it can exceed 100 %"),
    ),
    (phrase("Weight"), phrase("how many kernels a sampled one stands for: its lifetimes count as often")),
    (
        phrase("Clock"),
        phrase("cycles in a microsecond, as the log says unless set; published samples use 2,235 MHz"),
    ),
];

/// How one records, what is shown, and what that cannot say.
pub static RECORDING: Guide = Guide {
    subject: "Memory simulation",
    title: phrase("Data lifetimes"),
    lessons: Vec::new,
    terms: Some(Terms {
        id: "lifetimes-recording",
        title: phrase("Recording, views and limits"),
        rows: RECORDING_ROWS,
    }),
};

const RECORDING_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I record a profile?"),
        phrase(
            "Run GPGPU-Sim 3.2 to 4.2, Accel-Sim or GainSight with accesses in the log (GainSight: accel_sim.py --verbose), or SCALE-Sim with traces of its buffers. Other simulators: open the log and describe its lines with a mapping.",
        ),
    ),
    (
        phrase("What is shown?"),
        phrase(
            "Lifetimes: how long data live in each level, which memory would hold them, refreshes, areas, mixes of devices, reuse, addresses. Details: caches, kernels, statistics of the simulator. Heat map: addresses over time.",
        ),
    ),
    (
        phrase("What are the limits?"),
        phrase(
            "Lifetimes are counted in cycles; their times follow the clock, which can be changed. Retention and area are of the devices listed, which can be edited; there are no energies unless you enter constants. Data that are never reused have no lifetime and are said beside.",
        ),
    ),
];
