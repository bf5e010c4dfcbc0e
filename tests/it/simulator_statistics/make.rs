//! Logs with statistics, as simulators print them. The numbers are made up.

use std::fmt::Write;

/// What differs from kernel to kernel.
pub(crate) struct End {
    pub(crate) names: &'static str,
    pub(crate) uids: &'static str,
    pub(crate) cycles: u64,
    /// Counts over all kernels so far.
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    /// The stream whose numbers are printed; empty for versions without.
    pub(crate) stream: &'static str,
}

/// The head of a log.
pub(crate) const HEAD: &str = "Accel-Sim [build abc]\n        *** GPGPU-Sim Simulator Version 4.2.0  [build 0] ***\n\
    GPGPU-Sim: Configuration options:\n\n-gpgpu_n_clusters                      2 # number of clusters\n\
    -gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # clocks\n";

/// The block at the end of a kernel.
pub(crate) fn block(end: &End) -> String {
    let End { names, uids, cycles, hits, misses, stream } = end;
    let mut text = format!(
        "kernel_name = {names} \nkernel_launch_uid = {uids} \ngpu_sim_cycle = {cycles}\ngpu_sim_insn = {}\n\
         gpu_ipc =      64.0000\ngpu_tot_sim_cycle = {}\ngpu_occupancy = 12.5000% \nL2_BW  =      67.2000 GB/Sec\n\
         gpu_total_sim_rate=100\n\n========= Core cache stats =========\nL1D_cache:\n",
        cycles * 64,
        cycles + 1000,
    );
    for core in 0..2_u64 {
        let rate = if *misses == 0 { "-nan".to_owned() } else { "0.500".to_owned() };
        let (access, fails) = ((hits + misses) * (core + 1), core * 3);
        writeln!(
            text,
            "\tL1D_cache_core[{core}]: Access = {access}, Miss = {}, Miss_rate = {rate}, Pending_hits = 0, Reservation_fails = {fails}",
            misses * (core + 1)
        )
        .unwrap();
    }
    text += "\nTotal_core_cache_stats:\n";
    for (kind, outcome, n) in [
        ("GLOBAL_ACC_R", "HIT", *hits),
        ("GLOBAL_ACC_R", "MISS", *misses),
        ("GLOBAL_ACC_R", "MSHR_HIT", 1),
        ("GLOBAL_ACC_W", "MISS", 0),
        ("GLOBAL_ACC_R", "TOTAL_ACCESS", hits + misses),
    ] {
        writeln!(text, "\tTotal_core_cache_stats_breakdown{stream}[{kind}][{outcome}] = {n}").unwrap();
    }
    write!(
        text,
        "gpgpu_n_load_insn  = {hits}\nWarp Occupancy Distribution:\nStall:{misses}\tW0_Idle:3\tW0_Scoreboard:0\tW1:0\tW32:{hits}\n\
         traffic_breakdown_coretomem[GLOBAL_ACC_R] = {} {{8:{hits},}}\nmaxmflatency = 40 \n\
         mf_lat_table:0 \t0 \t{hits} \t{misses} \t0 \t\n\
         average row accesses per activate:\ndram[0]:      -nan  2.000000 \ndram[1]: 16.000000      none \n\
         average row locality = 76/4 = 19.200001\nnumber of total read accesses:\ndram[0]:         {hits}         0 \ndram[1]:         0         {misses} \n\
         total dram reads = 76\nmin_bank_accesses = 0!\nDRAM[0]: 2 bks, busW=16 BL=2\n\
         n_cmd={cycles} n_nop=465 n_act=2 bw_util=0.1205\nbk0: 0a 531i bk1: 0a 531i \nRow_Buffer_Locality = 0.968750\n\
         mrqq: max=16 avg=1.5\n\n========= L2 cache stats =========\n\
         L2_cache_bank[0]: Access = {hits}, Miss = 0, Miss_rate = 0.000, Pending_hits = 1, Reservation_fails = 0\n\
         ----------------------------Interconnect-DETAILS--------------------------------\n\
         Req_Network_injected_packets_num = {hits}\nReq_Network_injected_packets_per_cycle =       2.0480 \n\
         ----------------------------END-of-Interconnect-DETAILS-------------------------\n\n\n\
         gpgpu_simulation_time = 0 days, 0 hrs, 0 min, 1 sec (1 sec)\ngpgpu_simulation_rate = 53248 (inst/sec)\n\
         gpgpu_simulation_rate = 750 (cycle/sec)\ngpgpu_silicon_slowdown = 1600000x\n",
        hits * 8,
    )
    .unwrap();
    text
}

/// Three ends: of two kernels at once, of none, of one.
pub(crate) fn log(streams: [&'static str; 3]) -> String {
    let ends = [
        End { names: "saxpy saxpy", uids: "1 3", cycles: 500, hits: 10, misses: 0, stream: streams[0] },
        End { names: "", uids: "", cycles: 8, hits: 10, misses: 0, stream: streams[1] },
        End { names: "scale", uids: "2", cycles: 300, hits: 25, misses: 6, stream: streams[2] },
    ];
    let blocks = ends.iter().map(|end| {
        format!("launching kernel name: k uid: 1 cuda_stream_id: 0\nwarp = 3, PC = 5\n{}", block(end))
    });
    format!(
        "{HEAD}{}GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n",
        blocks.collect::<String>()
    )
}

/// The interconnect as version 3 tells it.
pub(crate) const OLD_NETWORK: &str = "----------------------------Interconnect-DETAILS--------------------------------\n\
    Class 0:\nPacket latency average = 14.5103\n\tminimum = 6\n\tmaximum = 75\nSlowest packet = 14\n\
    ====== Overall Traffic Statistics ======\nPacket latency average = 99 (1 samples)\n\tminimum = 9 (1 samples)\n\
    ----------------------------END-of-Interconnect-DETAILS-------------------------\n";
