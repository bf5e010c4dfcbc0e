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
            "the period in which a cache sector, or a buffer word, holds one value; it starts with the first access, with each store, and with a load that has to fetch the data again",
        ),
    ),
    (phrase("Last use"), phrase("a lifetime ends with the last access to its data")),
    (
        phrase("Resident"),
        phrase(
            "a lifetime ends when its data are replaced, otherwise with the kernel; published samples are counted this way",
        ),
    ),
    (phrase("Sector"), phrase("32 bytes, the unit of one access; L1 is per SM, L2 is shared")),
    (
        phrase("Retry"),
        phrase("an access that the cache rejected and that is retried; it is not counted otherwise"),
    ),
    (
        phrase("Pending hit"),
        phrase("a load that misses because its data are still in flight: a reuse, not a miss"),
    ),
    (
        phrase("Fill cycles"),
        phrase(
            "cycles a fill takes: a load that misses later than this after the start of the lifetime is a true miss",
        ),
    ),
    (
        phrase("Refill"),
        phrase("effect of a true miss on an open lifetime: reopen starts a new one, keep counts a reuse"),
    ),
    (
        phrase("Orphan"),
        phrase(
            "a lifetime without any reuse; by default, orphans count only if lifetimes end with replacement",
        ),
    ),
    (
        phrase("Pre-existing data"),
        phrase("sectors whose first access is a load hit: their data were loaded before the kernel started"),
    ),
    (
        phrase("Retention"),
        phrase("how long a memory cell holds its data without refresh; may depend on the write frequency"),
    ),
    (phrase("Refreshes"), phrase("sum over all lifetimes of the number of whole retention times each lasts")),
    (phrase("Fits without refresh"), phrase("share of lifetimes that last at most one retention time")),
    (
        phrase("Mix"),
        phrase("each lifetime goes to the device with the smallest cells that holds it without refresh"),
    ),
    (
        phrase("Area"),
        phrase(
            "bits of the level times cell area, divided by the share of the array taken by cells; for the units in scope: all SMs, or one",
        ),
    ),
    (
        phrase("Energy"),
        phrase(
            "bits read, written and refreshed, each times the device's energy per bit; shown only if these energies are given",
        ),
    ),
    (
        phrase("Scope"),
        phrase(
            "the SMs for which L1 is reported: all, the one with the most accesses in each kernel, the mean over those with accesses, or one; L2 is always reported as a whole",
        ),
    ),
    (
        phrase("Read and write frequency"),
        phrase("loads, and stores, per kernel time; true load misses write to the array too"),
    ),
    (
        phrase("Utilization"),
        phrase("bytes of a kernel's distinct sectors over the size of the level; can exceed 100 %"),
    ),
    (
        phrase("Weight"),
        phrase("how many kernels a sampled one represents: its lifetimes are counted that many times"),
    ),
    (
        phrase("Clock"),
        phrase("cycles per microsecond, by default from the log; published samples use 2,235 MHz"),
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
            "Lifetimes are counted in cycles; their times follow the clock, which can be changed. Retention and area are of the devices listed, which can be edited; there are no energies unless you enter constants. Data that are never reused have no lifetime; their number is shown beside.",
        ),
    ),
];
