//! Logs that no simulator wrote.

use crate::support::mutate::Seeded;

/// One access of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(super) cycle: u64,
    pub(super) level: usize,
    pub(super) unit: u32,
    pub(super) address: u64,
    pub(super) is_store: bool,
    pub(super) status: u8,
}

impl Line {
    pub(super) fn text(&self) -> String {
        let Self { cycle, unit, address, status, .. } = self;
        let operation = if self.is_store { "Store" } else { "Load" };
        let place = match self.level {
            0 => format!("L1D cache at SM {unit} bank {}", address >> 5 & 3),
            _ => format!("L2 cache at bank {unit}"),
        };
        format!("GPGPU-Sim Cycle {cycle}: {operation} instr from {place} addr {address:x} status {status}\n")
    }
}

/// Accesses that meet again and again.
pub(super) fn random(seed: u64, n: usize) -> Vec<Line> {
    let mut random = Seeded(seed);
    let mut cycle = 100;
    (0..n)
        .map(|_| {
            cycle += random.below(40) as u64;
            let level = usize::from(random.below(3) == 0);
            let sector = random.below(12) as u64;
            Line {
                cycle,
                level,
                unit: if level == 0 { random.below(3) as u32 * 5 } else { (sector % 4) as u32 },
                address: 0x7f00_0000_0000 + sector * 32 + random.below(32) as u64,
                is_store: random.below(5) == 0,
                status: [0, 0, 2, 2, 3, 4, 1, 5][random.below(8)],
            }
        })
        .collect()
}

/// The head of a log.
pub(super) const HEAD: &str = "Accel-Sim [build test]

        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***

GPGPU-Sim: Configuration options:

-gpgpu_cache:dl1     S:4:128:64,L:T:m:L:L,A:512:8,16:0,32 # per-shader L1 data cache config
-gpgpu_cache:dl2     S:32:128:24,L:B:m:L:P,A:192:4,32:0,32 # unified banked L2 data cache config
-gpgpu_n_mem                            2 # number of memory modules
-gpgpu_n_sub_partition_per_mchannel                    2 # number of memory subpartition in each memory module
-gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # Clock Domain Frequencies in MhZ
GPGPU-Sim uArch: clock freqs: 1000000000.000000:1000000000.000000:1000000000.000000:850000000.000000
";

/// A kernel with its header, accesses and end; totals count from the first kernel on, as accesses and retries by level.
pub(super) fn kernel(
    id: u64,
    uid: u64,
    lines: &[Line],
    cycles: u64,
    total: u64,
    sums: &mut [[u64; 2]; 2],
) -> String {
    let mut text = format!(
        "Processing kernel /traces/kernel-{id}.traceg\n-kernel name = _Z4work{id}\n-kernel id = {id}\n-cuda stream id = 0\n\
         launching kernel name: _Z4work{id} uid: {uid} cuda_stream_id: 0\n\
         GPGPU-Sim: Reconfigure L1 cache to 120KB\nthread block = 0,0,0\n"
    );
    for line in lines {
        text += &line.text();
        sums[line.level][usize::from(line.status == 3)] += 1;
    }
    let [[l1, l1_retries], [l2, l2_retries]] = sums;
    text += &format!(
        "kernel_name = _Z4work{id} \nkernel_launch_uid = {uid} \nkernel_stream_id = 0\ngpu_sim_cycle = {cycles}\n\
         gpu_sim_insn = 64\ngpu_ipc =       2.5000\ngpu_tot_sim_cycle = {}\ngpu_occupancy = -nan% \n\
         \tL1D_total_cache_accesses = {l1}\n\tL1D_total_cache_reservation_fails = {l1_retries}\n\
         \tL2_total_cache_accesses = {l2}\n\tL2_total_cache_reservation_fails = {l2_retries}\n",
        total + cycles,
    );
    text
}

/// A log of two kernels.
pub(crate) fn log(seed: u64, n: usize) -> (String, Vec<(Vec<Line>, u64)>) {
    let (mut text, mut sums, mut total, mut kernels) = (HEAD.to_owned(), [[0; 2]; 2], 0, Vec::new());
    for (uid, id) in [(1, 3), (2, 7)] {
        let lines = random(seed * 2 + uid, n);
        let cycles = lines.last().map_or(0, |line| line.cycle) + 50;
        text += &kernel(id, uid, &lines, cycles, total, &mut sums);
        total += cycles;
        kernels.push((lines, cycles));
    }
    text += "GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n";
    (text, kernels)
}
