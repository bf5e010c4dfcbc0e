//! Makes blocks of memory accesses: a tiled kernel that copies from global memory, works in its buffer and writes back.

use super::make_ascend::{Container, NO_VERSION};
use std::fmt::Write;

/// One record of the block, with the field widths of the format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) kind: u8,
    pub(crate) core: i8,
    pub(crate) space: i8,
    pub(crate) block: u8,
    pub(crate) id: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) pc: u64,
}

impl Record {
    /// Its 32 bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = vec![self.kind, self.core.cast_unsigned(), self.space.cast_unsigned(), self.block];
        out.extend(self.id.to_le_bytes());
        [self.address, self.bytes, self.pc].iter().for_each(|number| out.extend(number.to_le_bytes()));
        out
    }
}

/// The payload of a block: records, then call stacks.
pub(crate) fn payload(records: &[Record], stacks: &str) -> Vec<u8> {
    let body: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
    let mut out = (body.len() as u64).to_le_bytes().to_vec();
    out.extend(body);
    out.extend((stacks.len() as u64).to_le_bytes());
    out.extend(stacks.as_bytes());
    out
}

/// A container with one such block.
pub(crate) fn container(records: &[Record], stacks: &str) -> Vec<u8> {
    Container::default().block(10, NO_VERSION, &payload(records, stacks)).0
}

/// Where the kernel's instructions stand.
pub(crate) const PCS: [u64; 5] = [0x1000, 0x1008, 0x1010, 0x1018, 0x1020];
const GM: u64 = 0x12c0_4000_0000;

/// At least `n` records of a tiled kernel on four cores of two types, with allocations.
pub(crate) fn tiled(n: usize) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::with_capacity(n + 64);
    let mut tile = 0_u64;
    while all.len() < n {
        let core = (tile % 4) as i8;
        let block = u8::from(core == 3);
        let mut push = |kind: u8, space: i8, address: u64, bytes: u64, pc: usize| {
            let id = all.len() as u32;
            all.push(Record { kind, core, space, block, id, address, bytes, pc: PCS[pc] });
        };
        let buffer = (tile / 4 % 8) * 0x4000;
        push(0, 6, buffer, 0x4000, 0);
        for row in 0..8 {
            push(3, 1, GM + tile * 2048 + row * 512, 512, 1);
            push(4, 6, buffer + row * 512, 512, 1);
        }
        for step in 0..16 {
            push(3, 6, buffer + step * 256, 256, 2);
            push(4, 6, buffer + 0x2000 + step * 256, 256, 3);
        }
        push(4, 1, GM + 0x800_0000 + tile * 1024, 1024, 4);
        push(1, 6, buffer, 0x4000, 0);
        tile += 1;
    }
    all
}

/// Call stacks of all instructions but the first, as a list.
pub(crate) fn stacks() -> String {
    let mut out = "[".to_owned();
    for (i, pc) in PCS.iter().enumerate().skip(1) {
        let comma = if i == 1 { "" } else { "," };
        write!(out, "{comma}\n {}", stack(&format!("\"Address\": \"{pc:#x}\", "), i)).unwrap();
    }
    out + "\n]"
}

/// The same as an object keyed by address.
pub(crate) fn stacks_by_address() -> String {
    let one = |(i, pc): (usize, &u64)| format!("\"{pc:#x}\": {}", stack("", i));
    let all: Vec<String> = PCS.iter().enumerate().skip(1).map(one).collect();
    format!("{{{}}}", all.join(", "))
}

fn stack(address: &str, i: usize) -> String {
    format!(
        "{{{address}\"ModuleName\": \"kernel.o\", \"Symbol\": [\
         {{\"Column\": {i}, \"Line\": {}, \"FileName\": \"/opt/impl/data_copy.h\", \"FunctionName\": \"Copy<{i}>\", \"Discriminator\": 0}}, \
         {{\"Column\": 0, \"Line\": \"{}\", \"FileName\": \"/home/dev/ops/scale_add.cpp\", \"FunctionName\": \"Process\"}}]}}",
        100 + i,
        3 + i
    )
}

/// Few records with all that is odd about records that can be read.
pub(crate) fn odd() -> Vec<u8> {
    let mut records = tiled(200);
    let last = records.len() as u32;
    for (i, (kind, core, space, block, address, bytes)) in [
        (2, 0, 1, 2, GM, 4096),
        (5, 1, 1, 0, u64::MAX - 15, 16),
        (6, -1, -1, 0, 0, 0),
        (9, 0, 7, 0, 0x100, 8),
        (3, 0, 20, 7, 0x200, 1 << 40),
        (1, 0, 6, 0, 0xdead_0000, 64),
        (0, 0, 1, 0, GM + 0x1000, 8192),
    ]
    .into_iter()
    .enumerate()
    {
        let id = last + i as u32 * 10;
        records.push(Record { kind, core, space, block, id, address, bytes, pc: 0 });
    }
    Container::default()
        .source("/home/dev/ops/scale_add.cpp", &"    Process();\n".repeat(12))
        .block(10, NO_VERSION, &payload(&records, &stacks_by_address()))
        .0
}
