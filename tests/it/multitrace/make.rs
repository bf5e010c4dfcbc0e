//! Makes containers: the worked example of the specification, and each of its damages.

use serde_json::{Value, json};

/// One buffer before it is a file.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) name: &'static str,
    pub(crate) of: u32,
    pub(crate) record_bytes: u32,
    pub(crate) payload: Vec<u8>,
    /// Bytes that were allocated and reserved; those of the payload otherwise.
    pub(crate) capacity: Option<u64>,
    pub(crate) next: Option<u64>,
    pub(crate) thread: Option<u32>,
    pub(crate) run: u32,
    pub(crate) dropped: u64,
    pub(crate) flags: u32,
    /// What is added to the checksum.
    pub(crate) crc: u32,
    pub(crate) has_header: bool,
    /// Bytes that the file lacks at its end.
    pub(crate) short: usize,
}

impl Buffer {
    pub(crate) fn new(name: &'static str, of: u32, record_bytes: u32, records: &[Vec<u8>]) -> Self {
        Self {
            name,
            of,
            record_bytes,
            payload: records.concat(),
            capacity: None,
            next: None,
            thread: None,
            run: 1,
            dropped: 0,
            flags: 0,
            crc: 0,
            has_header: true,
            short: 0,
        }
    }

    fn capacity(&self) -> u64 {
        self.capacity.unwrap_or(self.payload.len() as u64)
    }

    fn next(&self) -> u64 {
        self.next.unwrap_or(self.payload.len() as u64)
    }

    /// The file: a header, records, and what was never written.
    fn bytes(&self) -> Vec<u8> {
        let mut payload = self.payload.clone();
        payload.resize(self.capacity() as usize, 0xff);
        let mut crc = flate2::Crc::new();
        crc.update(&payload);
        let mut out = Vec::new();
        if self.has_header {
            out.extend(b"GMTBUF1\0\x01\x00\x40\x00");
            out.extend(self.of.to_le_bytes());
            out.extend(self.capacity().to_le_bytes());
            out.extend(self.next().to_le_bytes());
            for word in [self.record_bytes, self.thread.unwrap_or(u32::MAX), 0, self.run] {
                out.extend(word.to_le_bytes());
            }
            out.extend(self.dropped.to_le_bytes());
            out.extend(self.flags.to_le_bytes());
            out.extend(crc.sum().wrapping_add(self.crc).to_le_bytes());
        }
        out.extend(payload);
        out.truncate(out.len() - self.short);
        out
    }

    fn entry(&self) -> Value {
        let scope = match (self.of, self.thread) {
            (0, _) => "tagged",
            (_, Some(_)) => "thread",
            _ => "shared",
        };
        let mut entry = json!({
            "type": self.of, "file": self.name, "scope": scope, "header": self.has_header,
            "capacity": self.capacity(), "next": self.next(),
        });
        if let Some(thread) = self.thread {
            entry["thread"] = thread.into();
        }
        if self.run != 1 {
            entry["run"] = self.run.into();
        }
        entry
    }
}

/// A container before it is files.
#[derive(Clone)]
pub(crate) struct Container {
    pub(crate) manifest: Value,
    pub(crate) buffers: Vec<Buffer>,
}

impl Container {
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut manifest = self.manifest.clone();
        manifest["dispatches"][0]["buffers"] = self.buffers.iter().map(Buffer::entry).collect();
        let text = serde_json::to_string_pretty(&manifest).unwrap();
        let buffers = self.buffers.iter().map(|buffer| (buffer.name.to_owned(), buffer.bytes()));
        let mut files: Vec<_> =
            std::iter::once(("manifest.json".to_owned(), text.into_bytes())).chain(buffers).collect();
        files.sort();
        files
    }

    pub(crate) fn buffer(&mut self, of: u32) -> &mut Buffer {
        self.buffers.iter_mut().find(|buffer| buffer.of == of).unwrap()
    }

    pub(crate) fn without_plan(mut self) -> Self {
        self.manifest["dispatches"][0].as_object_mut().unwrap().remove("plan");
        self
    }

    pub(crate) fn block(&mut self, row: usize) -> &mut Value {
        &mut self.manifest["kernels"][0]["blocks"][row]
    }
}

pub(crate) fn flow(thread: u32, block: u32) -> Vec<u8> {
    [thread, block].iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(crate) fn mem((thread, block): (u32, u32), inst: u16, is_write: bool, address: u64) -> Vec<u8> {
    let mut out = flow(thread, block);
    out.extend(inst.to_le_bytes());
    out.extend([4, u8::from(is_write)]);
    out.extend(0xffff_u32.to_le_bytes());
    out.extend(address.to_le_bytes());
    out
}

pub(crate) fn reg((thread, block): (u32, u32), inst: u16, register: u16, value: u32) -> Vec<u8> {
    let mut out = flow(thread, block);
    out.extend(inst.to_le_bytes());
    out.extend(register.to_le_bytes());
    out.extend(1_u32.to_le_bytes());
    out.extend(value.to_le_bytes());
    out.extend([0; 4]);
    out
}

fn inst(pc: u64, text: &str, rw: &str) -> Value {
    match rw {
        "" => json!({"pc": pc, "text": text}),
        rw => json!({"pc": pc, "text": text, "mem": {"rw": rw, "bytes": 4, "space": "global"}}),
    }
}

fn emits(of: u32, at: &[u32]) -> Value {
    json!({"type": of, "count": at.len(), "at": at})
}

fn block(
    id: u32,
    label: &str,
    (is_entry, is_exit): (bool, bool),
    succ: &[u32],
    insts: &[Value],
    more: &[Value],
) -> Value {
    let mut all = vec![json!({"type": 1, "count": 1, "at": [null]})];
    all.extend(more.iter().cloned());
    json!({
        "id": id, "label": label, "pc": insts[0]["pc"], "entry": is_entry, "exit": is_exit,
        "succ": succ, "insts": insts, "emits": all,
    })
}

/// Blocks A with one access, B with two and a register, C with one.
pub(crate) fn blocks() -> Vec<Value> {
    let a = [inst(0, "mov r10 r1", ""), inst(16, "load r12 r10", "r"), inst(32, "jmpi L_C", "")];
    let b = [
        inst(48, "load r14 r10", "r"),
        inst(64, "add r12 r12 r14", ""),
        inst(80, "store r10 r12", "w"),
        inst(96, "while B", ""),
    ];
    let c = [inst(112, "store r20 r12", "w"), inst(128, "eot", "")];
    vec![
        block(0, "A", (true, false), &[1, 2], &a, &[emits(2, &[1])]),
        block(1, "B", (false, false), &[1, 2], &b, &[emits(2, &[0, 2]), emits(3, &[1])]),
        block(2, "C", (false, true), &[], &c, &[emits(2, &[0])]),
    ]
}

pub(crate) fn types() -> Value {
    json!([
        {"id": 1, "name": "flow", "kind": "flow", "layout": "flow8", "bytes": 8},
        {"id": 2, "name": "mem", "kind": "memory", "layout": "mem-base", "bytes": 24},
        {"id": 3, "name": "reg", "kind": "register", "layout": "reg-lanes32", "lanes": 1, "bytes": 24},
    ])
}

/// Records of accesses of the worked example, as threads 0 and 1 wrote them.
pub(crate) fn accesses() -> Vec<Vec<u8>> {
    vec![
        mem((0, 0), 1, false, 0x1000),
        mem((1, 0), 1, false, 0x1040),
        mem((0, 1), 0, false, 0x2000),
        mem((0, 1), 2, true, 0x3000),
        mem((1, 2), 0, true, 0x4040),
        mem((0, 1), 0, false, 0x2040),
        mem((0, 1), 2, true, 0x3040),
        mem((0, 2), 0, true, 0x4000),
    ]
}

pub(crate) fn registers() -> Vec<Vec<u8>> {
    vec![reg((0, 1), 1, 12, 7), reg((0, 1), 1, 12, 9)]
}

pub(crate) const ORDER: [(u32, u32); 6] = [(0, 0), (1, 0), (0, 1), (1, 2), (0, 1), (0, 2)];

/// The worked example: thread 0 runs A B B C, thread 1 runs A C.
pub(crate) fn tiny() -> Container {
    let manifest = json!({
        "format": "gpu-multitrace", "version": "1.0", "endian": "little",
        "producer": {"tool": "the tests of this project"},
        "device": {"vendor": "intel", "isa": "gen", "lanes": 16, "line_bytes": 64, "sector_bytes": 64},
        "thread_id": {"kind": "hw", "label": "EU thread"},
        "types": types(),
        "kernels": [{"id": 0, "name": "tiny", "simd": 16, "blocks": blocks()}],
        "dispatches": [{
            "id": 0, "kernel": 0, "grid": [2, 1, 1], "block": [16, 1, 1], "run": 1,
            "plan": {
                "run": 0,
                "counts": [[0, 2], [1, 2], [2, 2]],
                "counts_by_thread": {"0": [[0, 1], [1, 2], [2, 1]], "1": [[0, 1], [2, 1]]},
            },
        }],
    });
    let order: Vec<_> = ORDER.iter().map(|(thread, block)| flow(*thread, *block)).collect();
    let buffers = vec![
        Buffer::new("d0.flow.bin", 1, 8, &order),
        Buffer::new("d0.mem.bin", 2, 24, &accesses()),
        Buffer::new("d0.reg.bin", 3, 24, &registers()),
    ];
    Container { manifest, buffers }
}

/// Records of one thread.
fn of_thread(records: &[Vec<u8>], thread: u32) -> Vec<Vec<u8>> {
    records.iter().filter(|record| record[..4] == thread.to_le_bytes()).cloned().collect()
}

/// The same with buffers for each thread.
pub(crate) fn by_thread() -> Container {
    let names = [["t0.flow.bin", "t0.mem.bin", "t0.reg.bin"], ["t1.flow.bin", "t1.mem.bin", "t1.reg.bin"]];
    let mut made = tiny();
    let order: Vec<_> = ORDER.iter().map(|(thread, block)| flow(*thread, *block)).collect();
    let all = [(1, 8, order), (2, 24, accesses()), (3, 24, registers())];
    made.buffers.clear();
    for thread in [0, 1] {
        for ((of, bytes, records), name) in all.iter().zip(names[thread as usize]) {
            let own = of_thread(records, thread);
            let buffer = Buffer::new(name, *of, *bytes, &own);
            made.buffers.push(Buffer { thread: Some(thread), ..buffer });
        }
    }
    made
}

/// The same with one buffer for all types.
pub(crate) fn tagged() -> Container {
    let mut made = tiny();
    let tag = |of: u16, record: &Vec<u8>| {
        let size = record.len() as u16 + 4;
        [&of.to_le_bytes()[..], &size.to_le_bytes()[..], record].concat()
    };
    let (mut mem, mut reg) = (accesses(), registers());
    let mut all = Vec::new();
    for (thread, block) in ORDER {
        all.push(tag(1, &flow(thread, block)));
        for (of, records, n) in [(2, &mut mem, [1, 2, 1]), (3, &mut reg, [0, 1, 0])] {
            for _ in 0..n[block as usize] {
                let at = records.iter().position(|record| record[..8] == flow(thread, block)).unwrap();
                all.push(tag(of, &records.remove(at)));
            }
        }
    }
    made.buffers = vec![Buffer::new("d0.bin", 0, 0, &all)];
    made
}
