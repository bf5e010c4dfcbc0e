"""Small traces of Ascend, Android's NNAPI, Neutrino, NVBit and GPGPU-Sim, as their tools write them."""

import json
import struct

# ---- Ascend: name, type, µs, what the second set of runs takes longer by, and the share of MTE2 before and after.
OPERATORS = [
    ("MatMulCustom", "vector", 210.0, 1.12, 0.40, 0.60),
    ("AddCustom", "vector", 48.0, 1.0, 0.55, 0.55),
    ("SoftmaxCustom", "vector", 75.0, 1.0, 0.30, 0.30),
]
CLOCK = 1800  # MHz
CORES = 4


def block(kind, text, version=0x5A):
    """A block of visualize_data.bin: 12 bytes, then the text, padded to four bytes."""
    data = text.encode()
    padding = -len(data) % 4
    head = struct.pack("<QBBBB", len(data) + padding, kind, padding, version, 0x5A)
    return head + data + b"\0" * padding


def listing(dice, is_slower):
    """Instructions with samples of why they stall; in an operator that became slower more of them wait for data."""
    rows = []
    for n, (pipe, text) in enumerate([("SCALAR", "ADD X1, X2"), ("MTE2", "MOV_OUT_TO_UB dst, src"), ("VECTOR", "VMUL v0, v1")]):
        waits = round((300 if is_slower and pipe == "MTE2" else 100) * dice.uniform(0.9, 1.1))
        reasons = {"Scoreboard_Not_Ready": waits, "IBuf_Empty": 20 + dice.randrange(10)}
        stalls = {"Percent": 0.25, "Details": reasons}
        rows.append({
            "Address": f"0x{0x1000 + 8 * n:x}", "Pipe": pipe, "Source": text, "AscendC Inner Code": "",
            "Instructions Executed": [64], "Cycles": [500 + n], "Stall Sampling(All Samples)": stalls,
        })
    types = {"Address": 3, "Pipe": 3, "Source": 3, "AscendC Inner Code": 3, "Instructions Executed": 1, "Cycles": 1}
    types |= {"Stall Sampling(All Samples)": 100}
    head = {"Cores": ["core0.veccore0"], "Instructions Dtype": {"Instructions": types}}
    return block(4, json.dumps(head | {"Instructions": rows}), version=0)


def ascend(folder, dice, is_second, speed, which):
    """A folder of msprof op: visualize_data.bin with its CSV files. Returns the operator with its µs."""
    name, kind, micros, factor, before, after = OPERATORS[which % len(OPERATORS)]
    share = after if is_second else before
    longest = micros * speed * dice.gauss(1, 0.015) * (factor if is_second else 1)
    times = [longest] + [longest * dice.uniform(0.9, 0.99) for _ in range(CORES - 1)]
    total = round(longest + 1.25, 6)
    rows = [{"value": [str(n), kind, f"{time:.6f}"]} for n, time in enumerate(times)]
    info = {
        "name": name, "soc": "Ascend910B4", "op_type": kind, "block_dim": str(CORES), "mix_block_dim": "",
        "duration": total, "device_id": "0", "pid": "77", "cur_freq": str(CLOCK), "rated_freq": str(CLOCK),
        "block_detail": {
            "head_name": ["Block ID", "Core Type", "Duration (μs)"], "row": rows, "size": [CORES + 1, 3],
        },
        "advice": [],
    }
    folder.mkdir(parents=True)
    container = block(5, json.dumps(info, ensure_ascii=False)) + listing(dice, is_second and 1 < factor)
    (folder / "visualize_data.bin").write_bytes(container)
    basic = "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,\n"
    basic += f"{name},{kind},{total:.6f},{CORES},NA,0,77,{CLOCK},{CLOCK},\n"
    pipes = "block_id,sub_block_id,aic_time(us),aiv_time(us),aiv_total_cycles,aiv_vec_ratio,aiv_mte2_ratio,\n"
    for n, time in enumerate(times):
        pipes += f"{n},vector0,NA,{time:.6f},{round(time * CLOCK)},0.350000,{share:.6f},\n"
    (folder / "OpBasicInfo.csv").write_text(basic)
    (folder / "PipeUtilization.csv").write_text(pipes)
    return name, total


# ---- NNAPI: the model, and µs of an execution in the driver.
MODELS = [("mobilenet_v2_quant", 2600), ("inception_v3", 9100), ("deeplab_float", 5200)]
APP, BINDER = ("NeuralNetworksT", 6120, 6120), ("HwBinder:811_2", 844, 811)
EXECUTIONS = 6


def nnapi(path, dice, which):
    """A benchmark of one model. Returns the model and the µs of the calls on the side of the driver."""
    model, micros = MODELS[which % len(MODELS)]
    head = "# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
    lines, now, driver = [head], 100_000_000 + dice.randrange(1000), 0

    def mark(thread, text, micros):
        nonlocal now
        now += micros
        name, pid, tgid = thread
        text = f"B|{tgid}|{text}" if text else f"E|{tgid}"
        stamp = f"{now // 1_000_000}.{now % 1_000_000:06}"
        lines.append(f"{name:>16}-{pid:<5} ({tgid:>5}) [001] ...1 {stamp}: tracing_mark_write: {text}\n")

    def call(thread, text, micros):
        mark(thread, text, 5)
        mark(thread, "", micros)

    mark(APP, f"[NN_LA_PO]{model}", 900)
    mark(APP, "[NN_LA_PP]buildModel", 100)
    call(APP, "[NN_LR_PP]ANeuralNetworksModel_create", 40)
    call(APP, "[NN_LR_PP]ANeuralNetworksModel_finish", 80)
    mark(APP, "", 20)
    mark(APP, "[NN_LA_PC]compileModel", 80)
    mark(APP, "[NN_LR_PC]ANeuralNetworksCompilation_finish", 9)
    mark(APP, "[NN_LI_PC]prepareModel", 12)
    mark(APP, "HIDL::IDevice::prepareModel::client", 1)
    mark(BINDER, "HIDL::IDevice::prepareModel::server", 45)
    mark(BINDER, "[NN_LD_PC]SampleDriver::prepareModel", 1)
    compile_time = 9_000 + dice.randrange(400)
    driver += 1 + compile_time + 1  # with its server
    mark(BINDER, "", compile_time)
    for thread in (BINDER, APP, APP, APP, APP):
        mark(thread, "", 1 if thread is BINDER else 10)
    for loop, n in (("[NN_LA_PWU]warmup", 2), ("[NN_LA_PBM]benchmark", EXECUTIONS - 2)):
        mark(APP, loop, 60)
        for _ in range(n):
            mark(APP, "[NN_LA_PE]BenchmarkModel::benchmark", 40)
            mark(APP, "[NN_LR_PE]ANeuralNetworksExecution_compute", 30)
            mark(APP, "[NN_LI_PE]StepExecutor::startComputeOnDevice::execute", 20)
            mark(APP, "HIDL::IPreparedModel::executeSynchronously::client", 1)
            mark(BINDER, "HIDL::IPreparedModel::executeSynchronously::server", 15)
            mark(BINDER, "[NN_LD_PE]SampleDriver::executeSynchronously", 2)
            own = micros + dice.randrange(micros // 20)
            driver += 2 + own + 5
            mark(BINDER, "", own)
            for thread in (BINDER, APP, APP, APP, APP):
                mark(thread, "", 5)
        mark(APP, "", 15)
    call(APP, "[NN_LR_PT]ANeuralNetworksModel_free", 60)
    mark(APP, "", 20)
    path.write_text("".join(lines))
    return model, driver


# ---- Neutrino: one probed kernel with the cycles of each of its warps.
PROBE = """regs = 5

[probe.at_block_sched]
level = "warp"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"
after = "SAVE [ block_sched ] { %NR0, %NR1, %NR2 }"

[map.block_sched]
level = "warp"
type = "array"
size = 16
cap = 1
[map.block_sched.regs]
start = [ "u64", "None",]
elapsed = [ "u32", "None",]
cuid = [ "u32", "None",]
"""
LOG = """[init] pid 42
[init] cmd 9 ./app 1 2
[init] success
[mod] cuModuleGetFunction func 0x10 mod 0x100 name {kernel}
[exec] funcmap-not-find 0x10
[probe] find 0x10 name {kernel} bin 0x200 size 1224
[probe] rename {kernel} {folder}
[probe] mkdir ./trace/run/kernel/{folder}
[probe] python succeed
[probe] read ./trace/run/kernel/{folder}/kernel.info name {kernel} n_param 2 n_probe 1 
[probe] finish 0x10 name {kernel} n_param 2
[exec] funcmap-find 0x10 success
[exec] {stamp} param 7f0000000000 3e8 
[exec] grid {blocks} 1 1 block 64 1 1 shared 0
[exec] grid {blocks} warp  2 probe 16 total {total}
[exec] probe-mem {total} (bytes)
[exec] succeed 0
[exec] save ./trace/run/result/0.125000.bin size {total}
[exec] prologue 2 kernel {millis:.3f} epilogue 0.5 ratio 6.000000
"""
PROBED = ["copy", "reduce", "tile"]


def neutrino(folder, dice, which):
    """A trace folder with one launch of 16 blocks of two warps on four SMs. Returns the kernel and its cycles."""
    kernel, blocks, warps = PROBED[which % len(PROBED)], 16, 2
    ident = f"0_{'0' * 24}abcdef01"
    (folder / "result").mkdir(parents=True)
    (folder / "kernel" / ident).mkdir(parents=True)
    records, cycles, free = b"", 0, [1_000_000 + dice.randrange(1000)] * 4
    for n in range(blocks):
        unit = n % 4
        longest = 0
        for _ in range(warps):
            elapsed = 2_000 + 500 * (which % len(PROBED)) + dice.randrange(200)
            records += struct.pack("<QII", free[unit], elapsed, unit)
            cycles, longest = cycles + elapsed, max(longest, elapsed)
        free[unit] += longest + 40
    head = struct.pack("<8I", blocks, 1, 1, 64, 1, 1, 0, 1) + struct.pack("<IIQ", 16, 32, 48)
    (folder / "result/0.125000.bin").write_bytes(head + records)
    (folder / "probe.toml").write_text(PROBE)
    (folder / "kernel" / ident / "kernel.info").write_text(f"{kernel}\n2\n1\n1,16\n")
    values = {"kernel": kernel, "folder": ident, "blocks": blocks, "total": len(records)}
    values |= {"stamp": 1_760_000_000_000_000_000 + dice.randrange(10**9), "millis": dice.uniform(0.4, 0.6)}
    (folder / "event.log").write_text(LOG.format(**values))
    return kernel, cycles


# ---- NVBit mem_trace: warps that load and store next to each other.
def nvbit(path, which):
    """Accesses of one kernel. Returns the kernel and the accesses of its lanes. Of some nights they are the same bytes."""
    kernel, warps = ["scale", "gather", "transpose"][which % 3], 6 + which
    bar = "-" * 13
    lines = [f"{bar} NVBit (NVidia Binary Instrumentation Tool v1.5.5) Loaded {bar}\n"]
    lines += ["NVBit core environment variables (mostly for nvbit-devs):\n", "-" * 81 + "\n"]
    lines.append(
        "MEMTRACE: CTX 0x000055967fa50640 - LAUNCH - Kernel pc 0x00007f2746fa0f00 - "
        f"Kernel name {kernel}(float*, float*, int) - grid launch id 0 - grid size {warps},1,1 - "
        "block size 32,1,1 - nregs 12 - shmem 0 - cuda stream id 0\n"
    )
    stride, n = [4, 128, 64][which % 3], 0
    for warp in range(warps):
        for opcode, base in (("LDG.E", 0x7F2743302000), ("STG.E", 0x7F2743402000)):
            first = base + warp * 32 * stride
            addresses = "".join(f"0x{first + lane * stride:016x} " for lane in range(32))
            n += 32
            lines.append(
                "MEMTRACE: CTX 0x000055967fa50640 - grid_launch_id 0 - "
                f"CTA {warp},0,0 - warp 0 - {opcode} - {addresses}\n"
            )
    path.write_text("".join(lines))
    return kernel, n


# ---- GPGPU-Sim with the accesses that GainSight prints: the share of lifetimes below 1 µs (1 cycle is 1 ns).
WORKLOADS = [("bert_base", 0.75), ("resnet50", 0.40), ("stable_diffusion", 0.10)]
LIFETIMES = 60
SIMULATOR = """Accel-Sim [build test]

        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***

GPGPU-Sim: Configuration options:

-gpgpu_cache:dl1     S:4:128:64,L:T:m:L:L,A:512:8,16:0,32 # per-shader L1 data cache config
-gpgpu_cache:dl2     S:32:128:24,L:B:m:L:P,A:192:4,32:0,32 # unified banked L2 data cache config
-gpgpu_n_mem                            2 # number of memory modules
-gpgpu_n_sub_partition_per_mchannel                    2 # number of memory subpartition in each memory module
-gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # Clock Domain Frequencies in MhZ
GPGPU-Sim uArch: clock freqs: 1000000000.000000:1000000000.000000:1000000000.000000:850000000.000000
"""


def gpgpusim(folder, dice, which):
    """One kernel whose data are written once and read once, in a log that is called as the workload.

    Returns the workload, its lifetimes and those below 1 µs.
    """
    workload, share = WORKLOADS[which % len(WORKLOADS)]
    folder.mkdir(parents=True)
    short = round(LIFETIMES * share)
    accesses = []
    for n in range(LIFETIMES):
        length = dice.randrange(100, 1000) if n < short else dice.randrange(1001, 6000)
        start = 100 + dice.randrange(2000)
        where = f"from L1D cache at SM {n % 4} bank 0 addr {0x7F0000000000 + n * 32:x} status 0"
        accesses += [(start, f"Store instr {where}"), (start + length, f"Load instr {where}")]
    accesses.sort()
    cycles = accesses[-1][0] + 50
    text = SIMULATOR + "Processing kernel /traces/kernel-1.traceg\n"
    text += f"-kernel name = {workload}_gemm\n-kernel id = 1\n-cuda stream id = 0\n"
    text += f"launching kernel name: {workload}_gemm uid: 1 cuda_stream_id: 0\n"
    text += "".join(f"GPGPU-Sim Cycle {cycle}: {what}\n" for cycle, what in accesses)
    text += f"kernel_name = {workload}_gemm \nkernel_launch_uid = 1 \nkernel_stream_id = 0\n"
    text += f"gpu_sim_cycle = {cycles}\ngpu_sim_insn = 64\ngpu_ipc =       2.5000\ngpu_tot_sim_cycle = {cycles}\n"
    text += "GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n"
    (folder / f"{workload}.log").write_text(text)
    return workload, LIFETIMES, short
