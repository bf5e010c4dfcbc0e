//! Eight steps of training a small language model: a host that launches kernels, a device that runs them on two streams.
//!
//! Written as a Trace Event file, with epoch time stamps, nested slices, arrows from launches to kernels, memory
//! counters and instants.

use crate::pen::{Dice, list, object, text};
use crate::{Rect, Sample};

/// Nanoseconds since 1970 of the first slice.
const ZERO: i64 = 1_765_432_100_000_000_123;
const STEPS: usize = 8;
const LAYERS: usize = 8;

const HOST: &str = "4211";
const DEVICE: &str = "0";
const MAIN: u32 = 4211;
const BACKWARD: u32 = 4260;
const COMPUTE: u32 = 7;
const NETWORK: u32 = 20;

/// One slice, for the miniature.
struct Slice {
    row: usize,
    color: u8,
    start: f64,
    dur: f64,
}

/// The host and the device while they train.
struct Run {
    events: Vec<String>,
    slices: Vec<Slice>,
    dice: Dice,
    /// When the host's threads are free: forward, backward.
    host: [f64; 2],
    /// When the streams are free: compute, network.
    device: [f64; 2],
    launches: u32,
    memory: f64,
}

/// The kernels a layer runs forward: name, nanoseconds, color of the miniature.
const FORWARD: [(&str, &str, f64, u8); 7] = [
    ("layer_norm", "row_norm_f16_v4", 21_000.0, 5),
    ("linear qkv", "gemm_f16_128x256x64_tn", 118_000.0, 1),
    ("attention", "fused_attention_f16_d128", 164_000.0, 2),
    ("linear out", "gemm_f16_128x128x64_tn", 52_000.0, 1),
    ("layer_norm", "row_norm_f16_v4", 21_000.0, 5),
    ("linear up", "gemm_f16_256x128x64_tn", 172_000.0, 1),
    ("linear down", "gemm_f16_128x256x64_tn", 169_000.0, 1),
];

/// The sample of the welcome page.
pub(crate) fn sample() -> Sample {
    let mut run = Run {
        events: Vec::new(),
        slices: Vec::new(),
        dice: Dice::new(77),
        host: [0.0; 2],
        device: [0.0; 2],
        launches: 0,
        memory: 1.9e9,
    };
    run.name_rows();
    for step in 0..STEPS {
        run.step(step);
    }
    let picture = picture(&run.slices);
    let whole = object(&[
        ("schemaVersion", "1".to_owned()),
        ("displayTimeUnit", text("ms")),
        ("deviceProperties", list([object(&[("id", "0".to_owned()), ("name", text("Accelerator, 80 GB"))])])),
        ("traceEvents", format!("[\n{}\n]", run.events.join(",\n"))),
    ]);
    Sample {
        id: "training",
        title: "Training step, host and device",
        note: "Launches and the kernels they start, eight steps",
        file: "training_step.json",
        bytes: whole.into_bytes(),
        picture,
    }
}

/// Nanoseconds since the start as microseconds since 1970.
fn stamp(nanos: f64) -> String {
    let at = ZERO + nanos.round() as i64;
    format!("{}.{:03}", at / 1000, at % 1000)
}

fn dur(nanos: f64) -> String {
    let whole = nanos.round() as i64;
    format!("{}.{:03}", whole / 1000, whole % 1000)
}

impl Run {
    fn name_rows(&mut self) {
        for (pid, name) in [(HOST, "train.py"), (DEVICE, "Accelerator 0")] {
            self.meta("process_name", pid, None, name);
        }
        for (tid, name) in [(MAIN, "main"), (BACKWARD, "backward")] {
            self.meta("thread_name", HOST, Some(tid), name);
        }
        for (tid, name) in [(COMPUTE, "stream 7 compute"), (NETWORK, "stream 20 network")] {
            self.meta("thread_name", DEVICE, Some(tid), name);
        }
    }

    fn meta(&mut self, name: &str, pid: &str, tid: Option<u32>, value: &str) {
        let mut pairs = vec![("ph", text("M")), ("name", text(name)), ("pid", pid.to_owned())];
        pairs.extend(tid.map(|tid| ("tid", tid.to_string())));
        pairs.push(("args", object(&[("name", text(value))])));
        self.events.push(object(&pairs));
    }

    fn slice(
        &mut self,
        name: &str,
        cat: &str,
        pid: &str,
        tid: u32,
        span: (f64, f64),
        args: &[(&str, String)],
    ) {
        self.events.push(object(&[
            ("ph", text("X")),
            ("cat", text(cat)),
            ("name", text(name)),
            ("pid", pid.to_owned()),
            ("tid", tid.to_string()),
            ("ts", stamp(span.0)),
            ("dur", dur(span.1 - span.0)),
            ("args", object(args)),
        ]));
    }

    /// An operator on a thread of the host that launches one kernel on a stream.
    fn operator(&mut self, thread: usize, name: &str, kernel: &str, nanos: f64, stream: usize, color: u8) {
        let tid = [MAIN, BACKWARD][thread];
        let start = self.host[thread];
        let before = self.dice.about(9_000.0, 30.0);
        let launch = (start + before, start + before + self.dice.about(5_200.0, 25.0));
        let end = launch.1 + self.dice.about(6_000.0, 30.0);
        self.launches += 1;
        let id = self.launches;
        let link = [("correlation", id.to_string())];
        self.slice(name, "operator", HOST, tid, (start, end), &[("sequence", id.to_string())]);
        self.slice("launch", "runtime", HOST, tid, launch, &link);
        self.host[thread] = end + self.dice.about(1_500.0, 50.0);
        self.slices.push(Slice { row: thread, color, start, dur: end - start });

        let begin = self.device[stream].max(launch.1 + 2_500.0);
        let over = begin + self.dice.about(nanos, 5.0);
        let stream_tid = [COMPUTE, NETWORK][stream];
        let args = [
            ("correlation", id.to_string()),
            ("stream", stream_tid.to_string()),
            ("grid", text("[132, 1, 1]")),
        ];
        self.slice(kernel, "kernel", DEVICE, stream_tid, (begin, over), &args);
        self.device[stream] = over + 900.0;
        self.slices.push(Slice { row: 2 + stream, color, start: begin, dur: over - begin });
        for (phase, pid, tid, at) in [("s", HOST, tid, launch.0), ("f", DEVICE, stream_tid, begin)] {
            let mut pairs = vec![
                ("ph", text(phase)),
                ("id", id.to_string()),
                ("cat", text("launch")),
                ("name", text("launch")),
                ("pid", pid.to_owned()),
                ("tid", tid.to_string()),
                ("ts", stamp(at)),
            ];
            if phase == "f" {
                pairs.push(("bp", text("e")));
            }
            self.events.push(object(&pairs));
        }
    }

    fn remember(&mut self, at: f64, by: f64) {
        self.memory += by;
        let bytes = format!("{:.0}", self.memory);
        let pairs = [
            ("ph", text("C")),
            ("name", text("Memory allocated")),
            ("pid", DEVICE.to_owned()),
            ("ts", stamp(at)),
            ("args", object(&[("bytes", bytes)])),
        ];
        self.events.push(object(&pairs));
    }

    fn step(&mut self, step: usize) {
        let start = self.host[0].max(self.host[1]);
        self.host = [start; 2];
        self.load_batch();
        let forward = self.host[0];
        for layer in 0..LAYERS {
            let begin = self.host[0];
            for (name, kernel, nanos, color) in FORWARD {
                self.operator(0, name, kernel, nanos, 0, color);
            }
            self.remember(self.host[0], 96_468_992.0);
            let name = format!("layer {layer}");
            self.slice(&name, "module", HOST, MAIN, (begin - 400.0, self.host[0] - 200.0), &[]);
        }
        self.operator(0, "loss", "softmax_cross_entropy_f32", 88_000.0, 0, 6);
        self.slice("forward", "module", HOST, MAIN, (forward - 900.0, self.host[0]), &[]);
        self.backward();
        self.finish(step, start);
    }

    fn load_batch(&mut self) {
        let begin = self.host[0] + 4_000.0;
        let end = begin + self.dice.about(210_000.0, 20.0);
        self.slice("next batch", "data", HOST, MAIN, (begin, end), &[("rows", "32".to_owned())]);
        self.slices.push(Slice { row: 0, color: 9, start: begin, dur: end - begin });
        self.host[0] = end + 5_000.0;
        self.operator(0, "to device", "copy_host_to_device", 61_000.0, 0, 11);
    }

    fn backward(&mut self) {
        self.host[1] = self.host[0] + 12_000.0;
        let begin = self.host[1];
        for layer in (0..LAYERS).rev() {
            for (name, kernel, nanos, color) in FORWARD.iter().rev() {
                let name = format!("{name} backward");
                self.operator(1, &name, &format!("{kernel}_bwd"), nanos * 1.92, 0, *color);
            }
            self.remember(self.host[1], -96_468_992.0);
            // The gradients of a layer are summed over all devices while the next layer is computed.
            let ready = self.device[0];
            self.device[1] = self.device[1].max(ready);
            self.operator(
                1,
                &format!("all reduce layer {layer}"),
                "ncclDevKernel_AllReduce_Sum_f16_RING_LL",
                540_000.0,
                1,
                4,
            );
        }
        self.slice("backward", "module", HOST, BACKWARD, (begin - 800.0, self.host[1]), &[]);
    }

    fn finish(&mut self, step: usize, start: f64) {
        self.host[0] = self.host[1] + 20_000.0;
        self.device[0] = self.device[0].max(self.device[1]);
        for part in 0..4 {
            self.operator(0, "optimizer", &format!("adam_update_f32_part{part}"), 96_000.0, 0, 8);
        }
        let wait = self.host[0];
        let end = self.device[0].max(wait) + 15_000.0;
        self.slice("synchronize", "runtime", HOST, MAIN, (wait, end), &[]);
        self.slices.push(Slice { row: 0, color: 0, start: wait, dur: end - wait });
        self.host = [end + 30_000.0; 2];
        self.slice(
            &format!("ProfilerStep#{step}"),
            "step",
            HOST,
            MAIN,
            (start, end + 10_000.0),
            &[("loss", format!("{:.4}", 4.1 - step as f64 * 0.07))],
        );
        self.events.push(object(&[
            ("ph", text("i")),
            ("s", text("p")),
            ("name", text("step is over")),
            ("pid", HOST.to_owned()),
            ("tid", MAIN.to_string()),
            ("ts", stamp(end + 10_000.0)),
        ]));
    }
}

/// The beginning of the first step: two threads above two streams, each 8 px.
fn picture(slices: &[Slice]) -> Vec<Rect> {
    let step = slices.iter().filter(|s| s.color == 0).map(|s| s.start + s.dur).fold(f64::MAX, f64::min);
    let end = step * 0.3;
    let mut rects = Vec::new();
    for row in 0..4 {
        let mut edge = -1.0_f32;
        for slice in slices.iter().filter(|s| s.row == row && s.start < end) {
            let x = |t: f64| (t / end * 132.0).min(132.0) as f32;
            let (a, b) = (x(slice.start).max(edge).round(), x(slice.start + slice.dur).round());
            if a < b {
                let w = if 2.0 < b - a { b - a - 1.0 } else { b - a };
                rects.push((slice.color, a, row as f32 * 10.0 + 1.0, w, 8.0));
                edge = b;
            }
        }
    }
    rects
}
