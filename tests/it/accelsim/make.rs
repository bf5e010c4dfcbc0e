//! Makes traces of a small kernel as the versions of the tracer write them: raw or put in order by warp, with or without
//! cores, lines of source and numbers behind instructions.
//!
//! The kernel: a loop of two rounds with a load, a branch that only half of the lanes take, a store with a stride, and an
//! access that no lane makes.

use std::fmt::Write;

/// Which tracer writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracer {
    /// Its version as the head says it.
    pub(crate) version: &'static str,
    /// Whether lines of source stand in front.
    pub(crate) lines: bool,
    /// Whether raw lines name cores.
    pub(crate) cores: bool,
    /// Bytes from one instruction to the next.
    pub(crate) step: u64,
    /// How addresses are written: 0 each, 1 a stride, 2 deltas.
    pub(crate) mode: u8,
}

pub(crate) const V5: Tracer = Tracer { version: "5", lines: false, cores: false, step: 16, mode: 2 };
pub(crate) const V4: Tracer = Tracer { version: "4", lines: true, cores: false, step: 8, mode: 1 };
pub(crate) const V3: Tracer = Tracer { version: "3", lines: false, cores: true, step: 16, mode: 0 };
pub(crate) const V1: Tracer = Tracer { version: "1.2", lines: false, cores: false, step: 8, mode: 0 };

/// One instruction as a warp ran it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ran {
    /// Its number in the program.
    pub(crate) at: usize,
    /// Lanes.
    pub(crate) mask: u32,
    /// Addresses of the lanes.
    pub(crate) addresses: Vec<u64>,
}

/// Destination, opcode, sources, width.
pub(crate) const PROGRAM: [(&str, &str, &[&str], u32); 9] = [
    ("R1", "MOV", &[], 0),
    ("R2", "LDG.E", &["R4"], 4),
    ("R4", "IADD3", &["R4", "R255"], 0),
    ("", "ISETP.LT.AND", &["R4"], 0),
    ("", "BRA", &[], 0),
    ("", "BRA", &[], 0),
    ("", "STG.E.64", &["R6", "R2"], 8),
    ("R3", "LDG.E.U8", &["R8"], 1),
    ("", "EXIT", &[], 0),
];

/// Where the branches lead.
pub(crate) const TARGETS: [(usize, usize); 2] = [(4, 1), (5, 7)];

/// Groups, and warps of each.
pub(crate) const GROUPS: u32 = 2;
pub(crate) const WARPS: u32 = 2;

/// The source line of an instruction.
pub(crate) fn source_line(at: usize) -> usize {
    1000 + at / 3
}

/// What a warp runs.
pub(crate) fn ran(group: u32, warp: u32) -> Vec<Ran> {
    let all = u32::MAX;
    let base = 0x7f00_0000_0000 + u64::from(group * WARPS + warp) * 0x1000;
    let lanes = |mask: u32, first: u64, step: u64| {
        (0..32).filter(|lane| mask >> lane & 1 == 1).map(|lane| first + lane * step).collect::<Vec<u64>>()
    };
    let plain = |at: usize, mask: u32| Ran { at, mask, addresses: Vec::new() };
    let mut out = vec![plain(0, all)];
    for round in 0..2 {
        out.push(Ran { at: 1, mask: all, addresses: lanes(all, base + round * 128, 4) });
        out.extend([plain(2, all), plain(3, all), plain(4, if round == 0 { all } else { 0 })]);
    }
    let half = 0xffff;
    // In groups of odd number all lanes take the branch.
    if group.is_multiple_of(2) {
        out.push(plain(5, !half));
        out.push(Ran { at: 6, mask: half, addresses: lanes(half, base, 256) });
    } else {
        out.push(plain(5, all));
    }
    out.push(plain(7, 0));
    out.push(plain(8, all));
    out
}

impl Tracer {
    /// Address of an instruction.
    pub(crate) fn pc(&self, at: usize) -> u64 {
        match self.step {
            // Words of scheduling stand at multiples of 32.
            8 => 8 * (1 + at as u64 + at as u64 / 3),
            step => step * at as u64,
        }
    }

    /// The line of an instruction without a warp in front.
    pub(crate) fn line(&self, ran: &Ran) -> String {
        let (to, opcode, from, width) = PROGRAM[ran.at];
        let mut out = String::new();
        if self.lines {
            write!(out, "{} ", source_line(ran.at)).unwrap();
        }
        write!(out, "{:04x} {:08x} ", self.pc(ran.at), ran.mask).unwrap();
        out += &if to.is_empty() { "0 ".to_owned() } else { format!("1 {to} ") };
        write!(out, "{opcode} {} ", from.len()).unwrap();
        for register in from {
            write!(out, "{register} ").unwrap();
        }
        write!(out, "{width} ").unwrap();
        if width != 0 {
            out += &self.addresses(&ran.addresses);
        }
        if self.version == "5" {
            let target = TARGETS.iter().find(|(from, _)| *from == ran.at).map_or(0, |(_, to)| self.pc(*to));
            write!(out, "{target} ").unwrap();
        }
        out + "\n"
    }

    fn addresses(&self, of: &[u64]) -> String {
        let Some((first, rest)) = of.split_first() else { return "1 0x0 0 ".to_owned() };
        let steps: Vec<i64> = of.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64).collect();
        let mut out = format!("{} {first:#x} ", self.mode);
        match self.mode {
            0 => rest.iter().for_each(|address| write!(out, "{address:#x} ").unwrap()),
            1 => write!(out, "{} ", steps.first().unwrap_or(&0)).unwrap(),
            _ => steps.iter().for_each(|step| write!(out, "{step} ").unwrap()),
        }
        out
    }

    /// The head.
    pub(crate) fn head(&self, name: &str) -> String {
        let mut out = format!(
            "-kernel name = {name}\n-kernel id = 1\n-grid dim = ({GROUPS},1,1)\n-block dim = ({},1,1)\n-shmem = 0\n-nregs = 10\n\
             -binary version = 80\n-cuda stream id = 0\n-nvbit version = 1.7\n-accelsim tracer version = {}\n",
            32 * WARPS,
            self.version
        );
        if self.version == "5" || self.version == "4" {
            writeln!(out, "-enable lineinfo = {}", u8::from(self.lines)).unwrap();
        }
        out + "\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [mem_addresses]\n\n"
    }

    /// The trace in the order of warps.
    pub(crate) fn grouped(&self, name: &str) -> String {
        let mut out = self.head(name);
        for group in 0..GROUPS {
            write!(out, "\n#BEGIN_TB\n\nthread block = {group},0,0\n\n").unwrap();
            for warp in 0..WARPS {
                let all = ran(group, warp);
                write!(out, "warp = {warp}\ninsts = {}\n", all.len()).unwrap();
                for ran in all {
                    out += &self.line(&ran);
                }
                out.push('\n');
            }
            out += "#END_TB\n";
        }
        out
    }

    /// The trace as the warps wrote it: interleaved by a number that looks random.
    pub(crate) fn raw(&self, name: &str) -> String {
        let mut out = self.head(name);
        let warps: Vec<(u32, u32)> = (0..GROUPS).flat_map(|g| (0..WARPS).map(move |w| (g, w))).collect();
        let mut left: Vec<_> = warps.iter().map(|(g, w)| ran(*g, *w).into_iter()).collect();
        let mut seed = 12345_u32;
        while left.iter().any(|rest| 0 < rest.len()) {
            seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
            let at = (seed >> 16) as usize % warps.len();
            if let Some(ran) = left[at].next() {
                let (group, warp) = warps[at];
                let cores = if self.cores { format!("{group} {} ", warp + 7) } else { String::new() };
                out += &format!("{group} 0 0 {warp} {cores}{}", self.line(&ran));
            }
        }
        out
    }
}

/// A list of kernels with copies and an allocation.
pub(crate) fn list(kernels: &[&str]) -> String {
    let kernels: String = kernels.iter().flat_map(|name| [name, "\n"]).collect();
    format!("MemcpyHtoD,0x00007f0000000000,16384\ncudaMalloc,0x7f0000010000,4096\n{kernels}")
}

/// A row of the table of counts.
pub(crate) fn counts(rows: &[(&str, &str, u64)]) -> String {
    let mut out = "kernel id, kernel mangled name, grid_dimX, grid_dimY, grid_dimZ, #blocks, block_dimX, block_dimY, block_dimZ, #threads, total_insts, total_reported_insts\n".to_owned();
    for (file, name, n) in rows {
        writeln!(
            out,
            "{file}, {name}, {GROUPS}, 1, 1, {GROUPS}, {}, 1, 1, {}, {n},{n}",
            32 * WARPS,
            32 * WARPS
        )
        .unwrap();
    }
    out
}
