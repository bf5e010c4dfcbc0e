//! What the page says of recorded programs before a file is opened: what its numbers mean.

use crate::base::words::phrase;
use crate::systems::guides::{Guide, Terms};

/// The guide.
pub static GUIDE: Guide = Guide {
    subject: "Binary instrumentation",
    title: phrase("Recorded programs"),
    lessons: Vec::new,
    terms: Some(Terms { id: "recorded-programs", title: phrase("What the numbers mean"), rows: ROWS }),
};

/// Terms and their meanings.
const ROWS: &[(&str, &str)] = &[
    (
        phrase("Thread"),
        phrase(
            "what has one stream of instructions: a warp, or a SIMD thread of a hardware slot from one entry of the program to its end",
        ),
    ),
    (
        phrase("Block"),
        phrase("instructions that run one after the other: entered at the first only, left at the last only"),
    ),
    (
        phrase("Order"),
        phrase("inside a thread as recorded; between threads nobody recorded it, unless records have times"),
    ),
    (
        phrase("Active lanes"),
        phrase(
            "lanes whose bit of the mask is set; instructions without any are predicated off and counted apart",
        ),
    ),
    (
        phrase("SIMD efficiency"),
        phrase(
            "active lanes ÷ all lanes, over all instructions; an upper bound where lanes were recorded once per block execution, because predicated instructions may run with fewer",
        ),
    ),
    (
        phrase("Divergent"),
        phrase(
            "an execution of a block where lanes that ran the one before it drop out, or where lanes part inside of it",
        ),
    ),
    (
        phrase("Sectors"),
        phrase(
            "distinct stretches of 32 bytes that the active lanes of one instruction touch; of 64 bytes in traces of Intel GPUs",
        ),
    ),
    (phrase("Requested"), phrase("active lanes times bytes of a lane")),
    (phrase("Unique"), phrase("distinct bytes of these: what several lanes share counts once")),
    (phrase("Moved"), phrase("sectors times their bytes")),
    (
        phrase("Efficiency"),
        phrase(
            "unique of moved bytes, never above 100 %; requested of moved would exceed it where lanes share addresses",
        ),
    ),
    (
        phrase("Excess sectors"),
        phrase(
            "sectors beyond the fewest that hold as many distinct bytes; an access without any is coalesced",
        ),
    ),
    (
        phrase("Pattern"),
        phrase(
            "by the steps from one active lane to the next: uniform (all 0), unit (all the size of a lane), stride (all equal), segmented (nine of ten as in uniform or unit), irregular",
        ),
    ),
    (
        phrase("Wavefronts"),
        phrase(
            "passes over the 32 banks of shared memory, 4 bytes each: as many as the most distinct words of one bank. Lanes of 8 bytes pass in halves of a warp, those of 16 in quarters; what is beyond one pass each is excess, a bank conflict",
        ),
    ),
    (phrase("Reuse"), phrase("how many threads touch a line of 128 bytes")),
    (
        phrase("Numbers of the tool"),
        phrase(
            "where the tool counted the same and its number differs, both stand side by side with the reason",
        ),
    ),
    (
        phrase("Buffer size"),
        phrase(
            "the sum over all blocks of records of a type for one execution, times executions, times bytes of a record",
        ),
    ),
    (
        phrase("Filter of instructions"),
        phrase(
            "op:load for opcodes, eff<50 or lanes<32 for numbers by the beginning of a column's name, block:3 for texts; other words are looked for as they are",
        ),
    ),
];

/// How one records, what is shown, and what that cannot say.
pub static RECORDING: Guide = Guide {
    subject: "Binary instrumentation",
    title: phrase("Recorded programs"),
    lessons: Vec::new,
    terms: Some(Terms {
        id: "instrumentation-recording",
        title: phrase("Recording, views and limits"),
        rows: RECORDING_ROWS,
    }),
};

const RECORDING_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I record a profile?"),
        phrase(
            "NVIDIA: run the program with an NVBit tool preloaded, LD_PRELOAD=mem_trace.so ./app > log.txt, or with Accel-Sim's tracer_tool.so, which writes kernel-*.traceg. Intel: gtpin -t memorytrace -- ./app, or PTI's instcount and memaccess. First run: record flow and counts; Plan then says how large the buffers must be.",
        ),
    ),
    (
        phrase("What is shown?"),
        phrase(
            "Overview: lanes, sectors, divergence, lost records. Source: instructions with executions, sectors, efficiency. Trace: what each thread ran. Heat map: pages over time. Plan: sizes of buffers and whether they fit.",
        ),
    ),
    (
        phrase("What are the limits?"),
        phrase(
            "Instrumented programs run slower and in another order: counts and addresses hold, times do not. Where records were lost, it is said and marked. Masks of whole blocks give an upper bound of SIMD efficiency.",
        ),
    ),
];
