//! Two kernels that differ: four warps of one, two of the other, or counts of two programs. Each is told by its own name.

use super::super::assert_tells;
use super::{
    ALL, BASE, Outcome, Overview, Ran, access, found, open, open_one, outcome, plain, rounds, run, said,
    text, traced,
};
use crate::instrumentation::lost::{self, Lanes, made};

/// Two traces: so many warps each that run the same between a begin and an end.
fn two(of: impl Fn(u64, u64) -> Vec<Ran>) -> Overview {
    let file = |kernel: u64, name: &str, n: u64| {
        let warp = |warp| {
            let inside = of(kernel, warp);
            [vec![plain(0, "MOV", ALL)], inside, vec![plain(0xff0, "EXIT", ALL)]].concat()
        };
        let text = text(&(0..n).map(warp).collect::<Vec<_>>());
        let text = text.replace("kernel name = planted", &format!("kernel name = {name}"));
        let text = text.replace("kernel id = 1", &format!("kernel id = {kernel}"));
        (format!("kernel-{kernel}.traceg"), text.into_bytes())
    };
    let (doc, is_ready) = open(vec![file(1, "gemm", 4), file(2, "scan", 2)], 1 << 16);
    assert!(is_ready);
    said(doc)
}

fn of_text(name: &str, text: String) -> Overview {
    let (doc, is_ready) = super::open_one(name, text.into_bytes());
    assert!(is_ready);
    said(doc)
}

#[test]
fn two_kernels_are_told_by_their_own_numbers() {
    let half = |kernel: u64, a, b| if kernel == 1 { a } else { b };
    let sectors =
        two(|kernel, warp| vec![access(0x10, "LDG.E", BASE + warp * 0x4000, half(kernel, 256, 64))]);
    let banks = two(|kernel, _| vec![access(0x10, "LDS", 0, half(kernel, 128, 8))]);
    let idle = two(|kernel, _| run(0x10, 10, half(kernel, 0xff, 0xffff) as u32));
    let off = two(|kernel, _| run(0x10, half(kernel, 10, 40), 0));
    let hot = two(|kernel, _| rounds(half(kernel, 8, 60) as usize));
    let uneven = two(|kernel, warp| rounds(if warp == 1 { half(kernel, 2_000, 1_000) as usize } else { 10 }));
    let local = two(|kernel, _| match kernel {
        1 => vec![access(0x10, "STL", 0, 4), access(0x20, "LDL", 0, 4)],
        _ => vec![access(0x10, "STL", 0, 4)],
    });
    let atomics = two(|kernel, _| vec![access(0x10, "RED.E.ADD", BASE, half(kernel, 0, 4))]);
    // By hand: of 128 + 64 sectors 128 − 16 and 64 − 8 are too many; of 128 + 4 wavefronts 124 (2 of the other are little);
    // 144 of 384 and 224 of 384 lanes are active; 40 + 80 of 48 + 84 instructions have no lane; 3 × 120 and 3 × 32 of 468 are
    // of loops; 6,002 are 3.9 times (6,002 + 3 × 32) / 4, while 3,002 are less than twice the mean of the other; 8 + 2 of 22
    // access local memory.
    assert_tells(&[
        (
            &sectors,
            "instrumentation-excess-sectors",
            &[
                "LDG.E at 0x10 of gemm takes 112 sectors more than needed, 58.3 % of all: stride 256: one sector per lane.",
                "LDG.E at 0x10 of scan takes 56 sectors more than needed, 29.2 % of all: stride 64: one sector per lane.",
            ],
        ),
        (
            &banks,
            "instrumentation-bank-conflicts",
            &[
                "LDS at 0x10 of gemm takes 124 wavefronts of shared memory more than without bank conflicts, 93.9 % of all.",
            ],
        ),
        (
            &idle,
            "instrumentation-idle-lanes",
            &[
                "62.5 % of the lanes of gemm are idle while others work: 12.0 of 32 are active on average.",
                "41.7 % of the lanes of scan are idle while others work: 18.7 of 32 are active on average.",
            ],
        ),
        (
            &off,
            "instrumentation-predicated-off",
            &[
                "120 instructions ran without an active lane, 90.9 % of all; branches, exits and barriers do not count.",
            ],
        ),
        (
            &hot,
            "instrumentation-hot-blocks",
            &[
                "BB1 at 0x10 of scan accounts for 76.9 % of all instructions: 3 instructions, 120 times.",
                "BB1 at 0x10 of gemm accounts for 20.5 % of all instructions: 3 instructions, 32 times.",
            ],
        ),
        (
            &uneven,
            "instrumentation-uneven-threads",
            &["CTA 0,0,0 warp 1 of gemm runs 6,002 instructions, 3.9 times the mean over 4 warps."],
        ),
        (&local, "instrumentation-local-memory", &["10 instructions access local memory, 45.5 % of all."]),
        (
            &atomics,
            "instrumentation-atomics-meet",
            &[
                "124 of 128 lanes of RED.E.ADD at 0x10 of gemm collide with another lane of the same instruction at its address.",
            ],
        ),
    ]);
}

#[test]
fn buffers_and_sends_of_two_kernels_are_told_by_their_own_numbers() {
    let names = [
        "A___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1",
        "B___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e2",
    ];
    let sizes = format!("{} {}\n{} {}\n", names[0], 4_u64 << 30, names[1], 9_u64 << 30);
    let plan = of_text("memorytrace_pre_process.txt", sizes);
    // Of one kernel each lane moves a line for its 4 bytes, of the other two lanes share one.
    let send = |kernel: &str, n: u64, lines: u64| {
        format!(
            "=== {kernel} (runs 1 times)\n0x000260 : send.ugm (32|M0) r32 r27 null:0 0x0 0x08200580 // wr:4+0, rd:2; load.ugm.d32.a64\n\
             \x20 * SIMD32 ExecSize_32 4 bytes X1 Scatter A64 Read\n  * Instruction executed: {n}\n  * SIMD lanes executed: {}\n  \
             * Cache line transferred: {lines} ( {} bytes)\n  * Stride distribution:\n      100% ({}) -> stride: 64 bytes (16 units)\n",
            32 * n,
            64 * lines,
            31 * n
        )
    };
    let sends = of_text("memaccess.txt", send("K", 100, 3_200) + &send("L", 50, 800));
    // 9 of 3 GiB: runs are a power of two. Of 4,000 lines of 64 bytes no lane requested 3,200 × 60, and 800 × 64 − 1,600 × 4.
    assert_tells(&[
        (
            &plan,
            "instrumentation-plan-memory",
            &[
                "The records of B___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e2 take 9.00 GiB in one buffer, which may hold 3.00 GiB: recording takes 4 runs.",
            ],
        ),
        (
            &sends,
            "instrumentation-unused-bytes",
            &[
                "The send at 0x260 of K moves 187.50 KiB of cache lines that no lane requested, 75.0 % of all: stride 64 in 100.0 % of lane pairs.",
                "The send at 0x260 of L moves 43.75 KiB of cache lines that no lane requested, 17.5 % of all: stride 64 in 100.0 % of lane pairs.",
            ],
        ),
    ]);
}

/// Each of two warps runs one block; the second has 2 of the 4 instructions that it announces.
#[test]
fn what_is_announced_and_not_there_is_told() {
    let body = || run(0x10, 4, ALL);
    let whole = text(&[body(), body()]);
    let cut = &whole[..whole.rfind("0030").unwrap()];
    let (doc, is_ready) = open_one("kernel-1.traceg", cut.as_bytes().to_vec());
    assert!(is_ready);
    assert_tells(&[(
        &said(doc),
        "instrumentation-lost-records",
        &["1 of 2 block executions lacks records."],
    )]);
}

/// Four warps that do nothing but access memory: of them nothing else is known.
#[test]
fn accesses_of_uneven_warps_are_told_as_accesses() {
    let warp = |n: usize| vec![access(0x10, "LDG.E", BASE, 4); n];
    // 1,200 are 3.9 times (1,200 + 3 × 10) / 4.
    assert_tells(&[(
        &traced(&[warp(10), warp(10), warp(1_200), warp(10)]),
        "instrumentation-uneven-threads",
        &["CTA 0,0,0 warp 2 of planted has 1,200 accesses, 3.9 times the mean over 4 warps."],
    )]);
    // Of two instructions one loads what was spilled, as often as the other.
    let spilled = || vec![access(0x10, "LDL", 0, 4), access(0x20, "LDG.E", BASE, 4)];
    assert_tells(&[(
        &traced(&[spilled(), spilled(), spilled()]),
        "instrumentation-local-memory",
        &["3 accesses go to local memory, 50.0 % of all recorded ones."],
    )]);
}

/// Of four warps with two accesses each the last two records are lost; `MOV` and `EXIT` have lanes where they have records
/// of their own.
#[test]
fn lost_lanes_are_told_from_those_that_no_record_holds() {
    let rule = "instrumentation-lost-records";
    let loads = [("LDG.E R2, [R8.64]", 4, 128), ("LDS R3, [R9]", 4, 128)];
    let of = |lanes: Lanes| {
        let overview = said(made(lanes, lost::ALL, [2, 0], loads));
        let found = found(&overview, rule)[0];
        let number = |name: &str| found.evidence.numbers.iter().find(|one| one.name == name).unwrap().value;
        (
            found.line.to_string(),
            [number("Accesses with lost addresses"), number("Instructions with lost lanes")],
        )
    };
    let addresses = "Addresses are lost for 25.0 % of the accesses and known for 75.0 %.";
    let (line, numbers) = of(Lanes::Instruction);
    assert!(line.starts_with(addresses) && !line.contains("Lanes"), "{line}");
    assert_eq!(numbers, [2.0, 0.0]);
    // By hand: of 16 instructions 6 accesses have lanes, 2 lost theirs.
    let (line, numbers) = of(Lanes::None);
    let lanes = "Lanes are lost for 12.5 % of the instructions and known for 37.5 %; records of the others hold none.";
    assert!(line.starts_with(&format!("{addresses} {lanes}")), "{line}");
    assert_eq!(numbers, [2.0, 2.0]);
}

/// Four warps load a value each of global and of shared memory, lanes 128 bytes apart; the last records are lost.
#[test]
fn accesses_whose_records_are_lost_are_counted_beside_those_that_are_told() {
    let loads = [("LDG.E R2, [R8.64]", 4, 128), ("LDS R3, [R9]", 4, 128)];
    let of = |lost: usize| said(made(Lanes::Instruction, lost::ALL, [lost, 0], loads));
    let (sectors, banks) = ("instrumentation-excess-sectors", "instrumentation-bank-conflicts");
    // Of three warps 3 × 32 sectors where 3 × 4 do, and 3 × 32 wavefronts where 3 do.
    let part = of(2);
    assert_tells(&[
        (
            &part,
            sectors,
            &[
                "LDG.E at 0x10 takes 84 sectors more than needed, 87.5 % of all: stride 128: one sector per lane.",
            ],
        ),
        (
            &part,
            banks,
            &[
                "LDS at 0x20 takes 93 wavefronts of shared memory more than without bank conflicts, 96.9 % of all.",
            ],
        ),
    ]);
    let unseen = |overview: &Overview, rule: &str| {
        let numbers = found(overview, rule)[0].evidence.numbers.iter();
        let own = numbers.filter(|one| one.name == "Accesses without lane addresses (not counted)");
        own.map(|one| one.value).collect::<Vec<_>>()
    };
    assert_eq!([unseen(&part, sectors), unseen(&part, banks)], [[1.0], [1.0]]);
    let whole = of(0);
    assert_eq!([unseen(&whole, sectors), unseen(&whole, banks)], [[], []] as [[f64; 0]; 2]);
    // Where all are lost, nothing is known of either.
    let none = of(8);
    for rule in [sectors, banks] {
        let Some(Outcome::Missing(why)) = outcome(&none, rule) else { panic!("{:?}", outcome(&none, rule)) };
        assert!(why.to_string().starts_with("4 accesses "), "{rule}: {why}");
    }
}

/// Eight bytes apart, of which nobody recorded how many each lane moves: of no access a sector or a wavefront is known.
#[test]
fn accesses_of_unknown_width_take_no_sectors() {
    let loads = [("LDG.E R2, [R8.64]", 0, 8), ("LDS R3, [R9]", 0, 8)];
    let overview = said(made(Lanes::Instruction, lost::ALL, [0, 0], loads));
    for rule in ["instrumentation-excess-sectors", "instrumentation-bank-conflicts"] {
        let Some(Outcome::Missing(why)) = outcome(&overview, rule) else {
            panic!("{:?}", outcome(&overview, rule))
        };
        assert!(why.to_string().starts_with("4 accesses "), "{rule}: {why}");
    }
}
