//! Trace folders of Neutrino, written as its driver writes them: every generation of result files with the offsets that
//! the tool itself computes, logs, probes and folders of kernels. Numbers in records are made up.

/// What wrote a result file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// Until April 2025: bytes of the whole section.
    V0,
    /// May and June 2025: bytes of a unit.
    V1,
    /// The same with 2⁶⁴ − 1 for a map that is counted.
    MinusOne,
    /// From July 2025 on: bytes of a unit, and threads in it.
    V2,
    /// For AMD: bytes of the whole section, and whatever lay in memory.
    Hip,
}

/// A map.
#[derive(Clone, Copy)]
pub(crate) struct Map {
    pub(crate) name: &'static str,
    pub(crate) is_warp: bool,
    /// Names and bytes, in memory order.
    pub(crate) fields: &'static [(&'static str, u64)],
    /// Records of a unit.
    pub(crate) cap: u64,
}

/// The map of the tool `block_sched`.
pub(crate) const BLOCKS: Map =
    Map { name: "block_sched", is_warp: true, fields: &[("start", 8), ("elapsed", 4), ("cuid", 4)], cap: 1 };
/// The map of the tool `program_progress`, with fewer records.
pub(crate) const PROGRESS: Map = Map { name: "progress", is_warp: false, fields: &[("clock", 8)], cap: 4 };
/// A map of counters.
pub(crate) const COUNTERS: Map = Map { name: "ops", is_warp: false, fields: &[("count", 8)], cap: 1 };

impl Map {
    pub(crate) fn record_bytes(&self) -> u64 {
        self.fields.iter().map(|(_, bytes)| bytes).sum()
    }

    pub(crate) fn unit_bytes(&self) -> u64 {
        self.record_bytes() * self.cap
    }
}

/// A launch and its maps.
pub(crate) struct Launch<'a> {
    pub(crate) writer: Writer,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) maps: &'a [Map],
}

impl Launch<'_> {
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).product()
    }

    pub(crate) fn threads(&self) -> u64 {
        self.block.iter().map(|n| u64::from(*n)).product()
    }

    fn warp(&self) -> u64 {
        if self.writer == Writer::Hip { 64 } else { 32 }
    }

    /// Units that have room in the file.
    pub(crate) fn units(&self, map: &Map) -> u64 {
        let of_block = if map.is_warp { self.threads().div_ceil(self.warp()) } else { self.threads() };
        self.blocks() * of_block
    }

    /// The result file. `fill` says the fields of a record by map, unit and number; `None` is never written.
    pub(crate) fn result(&self, fill: impl Fn(&Map, u64, u64) -> Option<Vec<u64>>) -> Vec<u8> {
        let mut out: Vec<u8> = Vec::new();
        let mut word = |n: u32| out.extend(n.to_le_bytes());
        self.grid.into_iter().chain(self.block).for_each(&mut word);
        word(0);
        word(self.maps.len() as u32);
        let mut offset = 32 + 16 * self.maps.len() as u64;
        for map in self.maps {
            let threads = if map.is_warp { self.warp() } else { 1 };
            let total = self.units(map) * map.unit_bytes();
            let size: u64 = match self.writer {
                Writer::V0 => total,
                Writer::V1 => map.unit_bytes(),
                Writer::MinusOne => u64::MAX,
                Writer::V2 => map.unit_bytes() | threads << 32,
                Writer::Hip => total | 0x7ffd << 32,
            };
            out.extend(size.to_le_bytes());
            out.extend(offset.to_le_bytes());
            // As the driver computes it: wrong where the last warp of a block is not full.
            offset += self.blocks() * self.threads() * map.unit_bytes() / threads;
        }
        for map in self.maps {
            for (unit, record) in (0..self.units(map)).flat_map(|unit| (0..map.cap).map(move |n| (unit, n))) {
                let values = fill(map, unit, record).unwrap_or_else(|| vec![0; map.fields.len()]);
                for ((_, bytes), value) in map.fields.iter().zip(values) {
                    out.extend(&value.to_le_bytes()[..*bytes as usize]);
                }
            }
        }
        out
    }

    /// The lines of the log about it.
    pub(crate) fn log(
        &self,
        function: &str,
        time: u64,
        file: &str,
        [before, kernel, after]: [f64; 3],
    ) -> String {
        let (grid, block) = (words(self.grid), words(self.block));
        let mut out =
            format!("[exec] funcmap-find {function} success\n[exec] {time} param 7f0000000000 3e8 \n");
        out += &format!("[exec] grid {grid} block {block} shared 0\n");
        let mut all = 0;
        for map in self.maps {
            let total = self.units(map) * map.unit_bytes();
            let unit = match map.is_warp {
                true => format!("warp  {}", self.threads().div_ceil(self.warp())),
                false => format!("block {}", self.threads()),
            };
            out +=
                &format!("[exec] grid {} {unit} probe {} total {total}\n", self.blocks(), map.unit_bytes());
            all += total;
        }
        let ratio = (before + kernel + after) / kernel;
        out += &format!("[exec] probe-mem {all} (bytes)\n[exec] succeed 0\n[exec] save {file} size {all}\n");
        out + &format!("[exec] prologue {before} kernel {kernel} epilogue {after} ratio {ratio:.6}\n")
    }
}

fn words(three: [u32; 3]) -> String {
    three.map(|n| n.to_string()).join(" ")
}

/// The folder of a kernel in the log.
pub(crate) fn kernel_folder(index: usize) -> String {
    format!("{index}_{:040x}", 0xabcd_ef01 + index)
}

/// The lines from the first launch of a function to the end of the probe engine; names have garbage behind them.
pub(crate) fn compile(tag: &str, name: &str, function: &str, index: usize, succeeds: bool) -> Vec<u8> {
    let folder = kernel_folder(index);
    let mut out = format!("[mod] cuModuleGetFunction func {function} mod 0x100 name {name}\n");
    out += &format!("[exec] funcmap-not-find {function}\n[{tag}] find {function} name {name}");
    let mut out = out.into_bytes();
    out.extend(b"\xfe\n\x7f bin 0x200 size 1224\n");
    let rest = format!("[{tag}] rename {name} {folder}\n[{tag}] mkdir ./trace/run/kernel/{folder}\n");
    out.extend(rest.bytes());
    let end = if succeeds { "succeed" } else { "failed" };
    out.extend(format!("[{tag}] python {end}\n").bytes());
    if succeeds {
        let rest = format!(
            "[{tag}] read ./trace/run/kernel/{folder}/kernel.info name {name} n_param 2 n_probe 1 \n"
        );
        out.extend(rest.bytes());
        out.extend(format!("[{tag}] finish {function} name {name} n_param 2\n").bytes());
    }
    out
}

/// `probe.toml` of July 2025: a probe for each map, which begins at the start of the kernel.
pub(crate) fn probes(maps: &[Map]) -> String {
    let mut out = String::from("regs = 5\n\n");
    for map in maps {
        let level = if map.is_warp { "warp" } else { "thread" };
        let registers: Vec<String> = (0..map.fields.len()).map(|n| format!("%NR{n}")).collect();
        out += &format!("[probe.at_{}]\nlevel = \"{level}\"\npos = \"kernel\"\n", map.name);
        out += "before = \"mov.u64 %NR0, %clock64;\"\n";
        out += &format!("after = \"SAVE [ {} ] {{ {} }}\"\n\n", map.name, registers.join(", "));
    }
    for map in maps {
        let level = if map.is_warp { "warp" } else { "thread" };
        out += &format!("[map.{}]\nlevel = \"{level}\"\ntype = \"array\"\n", map.name);
        out += &format!("size = {}\ncap = {}\n[map.{}.regs]\n", map.record_bytes(), map.cap, map.name);
        for (name, bytes) in map.fields {
            out += &format!("{name} = [ \"u{}\", \"None\",]\n", 8 * bytes);
        }
        out.push('\n');
    }
    out
}

/// `kernel.info` of a kernel with these maps.
pub(crate) fn info(name: &str, maps: &[Map]) -> String {
    let mut out = format!("{name}\n2\n{}\n", maps.len());
    for map in maps {
        out += &format!("{},{}\n", u8::from(map.is_warp), map.unit_bytes());
    }
    out
}

/// `process.log` of a kernel, up to the traceback when it fails.
pub(crate) fn process(name: &str, index: usize, traceback: Option<&str>) -> String {
    let folder = format!("./trace/run/kernel/{}", kernel_folder(index));
    let mut out = format!("None\nNone\n[objdump] bin is ptx\n{name}\n");
    for (form, registers, constants) in [("probed", 22, 384), ("pruned", 18, 372)] {
        out += &format!("ptxas -arch=sm_80 -m64 --verbose {folder}/{form}.ptx -o {folder}/{form}.bin\n");
        if let Some(traceback) = traceback {
            return out
                + "Traceback (most recent call last):\n  File \"cuda.py\", line 1\n"
                + traceback
                + "\n";
        }
        out += "    0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n";
        out += &format!(
            "ptxas info    : Used {registers} registers, used 0 barriers, {constants} bytes cmem[0]\n\n"
        );
    }
    out
}
