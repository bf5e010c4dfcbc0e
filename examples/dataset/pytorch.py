"""Traces as the PyTorch profiler writes them: training steps of one GPU, and ranks of a run."""

import gzip
import json

# Name, median in µs, and how the second set of runs differs: factor of the length, µs added to the gap before it.
KERNELS = [
    ("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", 180.0, 1.12, 0.0),
    ("void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64>>(Flash_fwd_params)", 240.0, 1.0, 0.0),
    ("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)", 35.0, 1.0, 0.0),
    ("void at::native::vectorized_layer_norm_kernel<float, float>(int, float)", 60.0, 1.0, 0.0),
    ("void at::native::softmax_warp_forward<float, 10>(float*, int)", 25.0, 1.0, 40.0),
]
GAP = 6.0  # µs between kernels
STEPS, LAYERS = 3, 4
BASE = 1_760_000_000_000_000_000  # ns, the time that traces count from
COPY = 8 << 20  # bytes that each step copies to the device

HOST, DEVICE, STREAM = 4711, 0, 7


class Writer:
    """Events of one process with one GPU."""

    def __init__(self, start):
        self.events, self.correlation = [], 100
        self.host, self.device = start, start + 50.0
        self.kernels = []  # name, µs
        for pid, name in ((HOST, "python"), (DEVICE, "python")):
            self.meta("process_name", pid, 0, name=name)
        self.meta("process_labels", HOST, 0, labels="CPU")
        self.meta("process_labels", DEVICE, 0, labels=f"GPU {DEVICE}")
        self.meta("thread_name", DEVICE, STREAM, name=f"stream {STREAM} ")

    def meta(self, kind, pid, tid, **args):
        self.events.append({"name": kind, "ph": "M", "ts": 0, "pid": pid, "tid": tid, "args": args})

    def slice(self, cat, name, pid, tid, ts, dur, **args):
        event = {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid}
        self.events.append(event | {"ts": round(ts, 3), "dur": round(dur, 3), "args": args})

    def launch(self, call, cat, name, dur, at=None, gap=GAP, **args):
        """A call of the host and what it starts on the stream, at the earliest at this time."""
        self.correlation += 1
        ids = {"External id": self.correlation, "correlation": self.correlation}
        self.slice("cpu_op", "aten::op", HOST, HOST, self.host, 9.0, **{"External id": self.correlation})
        self.slice("cuda_runtime", call, HOST, HOST, self.host + 2, 5.0, **ids)
        flow = {"cat": "ac2g", "name": "ac2g", "id": self.correlation}
        self.events.append(flow | {"ph": "s", "pid": HOST, "tid": HOST, "ts": round(self.host + 2, 3)})
        begin = max(self.device + gap, self.host + 10, at or 0.0)
        self.events.append(
            flow | {"ph": "f", "pid": DEVICE, "tid": STREAM, "ts": round(begin, 3), "bp": "e"}
        )
        self.slice(cat, name, DEVICE, STREAM, begin, dur, device=DEVICE, stream=STREAM, **ids, **args)
        self.host += 10.0
        self.device = begin + round(dur, 3)
        self.kernels.append((name, cat, round(dur * 1000), args.get("bytes")))
        return begin

    def text(self, **top):
        head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Some GPU", "numSms": 108}]}
        return json.dumps(head | top | {"baseTimeNanoseconds": BASE, "traceEvents": self.events})


def training(path, dice, is_second, speed):
    """Some steps of training. `speed` is what the whole run is slower by."""
    writer = Writer(1000.0 + dice.uniform(0, 500))
    for step in range(STEPS):
        host = writer.host
        writer.launch("cudaMemcpyAsync", "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 400.0, bytes=COPY)
        for _ in range(LAYERS):
            for name, median, factor, gap in KERNELS:
                dur = median * speed * dice.gauss(1, 0.02) * (factor if is_second else 1)
                pause = GAP + (gap if is_second else 0)
                launch = {"grid": [108, 1, 1], "block": [256, 1, 1], "registers per thread": 96}
                writer.launch("cudaLaunchKernel", "kernel", name, dur, gap=pause, **launch)
        writer.launch("cudaMemcpyAsync", "gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 20.0, bytes=4096)
        writer.host = max(writer.host, writer.device)
        writer.slice("user_annotation", f"ProfilerStep#{step}", HOST, HOST, host - 1, writer.host - host + 2)
        writer.host += 5.0
    path.write_text(writer.text())
    return writer.kernels


COLLECTIVES = 24


def ranks(folder, dice, n, late, lateness, offsets):
    """A run of n ranks: `late` comes to each collective so much later than all others (µs).

    Each host has its own clock, ahead by its offset (µs): who is last is not seen in the begins alone. A collective ends
    on all ranks within a microsecond.
    """
    name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    writers = [Writer(1000.0 + offset) for offset in offsets]
    for seq in range(COLLECTIVES):
        arrivals = []
        for rank, writer in enumerate(writers):
            work = 900.0 + dice.uniform(0, 60) + (lateness if rank == late else 0)
            kernel = KERNELS[seq % len(KERNELS)][0]
            writer.launch("cudaLaunchKernel", "kernel", kernel, work)
            arrivals.append(writer.device + GAP - offsets[rank])
        end = max(arrivals) + 300.0
        for rank, writer in enumerate(writers):
            begin = arrivals[rank] + offsets[rank]
            own_end = end + offsets[rank] + dice.uniform(0, 1)
            args = {"Collective name": "allreduce", "Process Group Name": "default_pg", "Seq": seq}
            args |= {"In msg nelems": 1 << 20, "Group size": n, "dtype": "BFloat16"}
            writer.launch("cudaLaunchKernelExC", "kernel", name, own_end - begin, at=begin, **args)
    for rank, writer in enumerate(writers):
        info = {"backend": "nccl", "rank": rank, "world_size": n}
        text = writer.text(distributedInfo=info).encode()
        host = f"node{rank // 2}"
        path = folder / f"{host}_{4000 + rank}.176000000{rank:04}.pt.trace.json.gz"
        path.write_bytes(gzip.compress(text, 5, mtime=0))
