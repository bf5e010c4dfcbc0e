//! `manifest.json`: what was instrumented, what was planned, and where the buffers are.
//!
//! | key | becomes |
//! | --- | --- |
//! | `device`, `producer` | facts of launches; bytes of sectors |
//! | `thread_id` | how threads are told |
//! | `types` | [`Type`] |
//! | `kernels` with `blocks` | [`Kernel`], [`Block`] |
//! | `dispatches` with `plan` and `buffers` | [`Dispatch`], [`Buffer`] |
//!
//! Keys that nobody knows are passed over. Whole numbers beyond 2^53 are texts `"0x…"`.

use crate::base::map::Set;
use crate::base::order;
use crate::input::json::Json;
use crate::systems::instrumentation::combine::Kind;
use crate::views::executions::compute::{MemoryOperand, Space};
use std::borrow::Cow;

/// The name of the format in its first key.
pub(super) const NAME: &str = "gpu-multitrace";

/// All that a manifest says.
#[derive(Default)]
pub(super) struct Manifest {
    pub(super) format: String,
    pub(super) version: String,
    pub(super) endian: String,
    /// Facts of the device and the producer.
    pub(super) facts: Vec<(String, String)>,
    pub(super) sector_bytes: u64,
    pub(super) threads: ThreadIds,
    pub(super) types: Vec<Type>,
    pub(super) kernels: Vec<Kernel>,
    pub(super) dispatches: Vec<Dispatch>,
}

/// What numbers of threads are.
#[derive(Default)]
pub(super) struct ThreadIds {
    pub(super) is_hardware: bool,
    pub(super) label: String,
    pub(super) fields: Vec<(String, u32, u32)>,
    pub(super) warps_per_group: Option<u32>,
}

/// A type of records.
#[derive(Default)]
pub(super) struct Type {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) kind_name: String,
    pub(super) kind: Kind,
    pub(super) layout: String,
    pub(super) bytes: u64,
    pub(super) lanes: Option<u64>,
    pub(super) fields: Vec<TypeField>,
}

/// A field of records whose layout the manifest says.
pub(super) struct TypeField {
    pub(super) name: String,
    pub(super) at: u64,
    /// Such as `u32`.
    pub(super) of: String,
    pub(super) count: u64,
}

/// A program.
#[derive(Default)]
pub(super) struct Kernel {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) simd: u32,
    /// In the order of their addresses.
    pub(super) blocks: Vec<Block>,
    /// Source files: path and text.
    pub(super) files: Vec<(String, Option<String>)>,
}

/// A basic block.
#[derive(Default)]
pub(super) struct Block {
    pub(super) id: u32,
    pub(super) label: String,
    pub(super) address: u64,
    pub(super) is_entry: bool,
    pub(super) is_exit: bool,
    /// Numbers of the blocks that may follow.
    pub(super) successors: Vec<u32>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) emits: Vec<Emits>,
}

/// An instruction.
pub(super) struct Instruction {
    pub(super) address: u64,
    pub(super) text: String,
    pub(super) memory: Option<MemoryOperand>,
    pub(super) source: Option<(String, u32)>,
}

/// Records of one type that a block writes.
pub(super) struct Emits {
    /// Number of the type.
    pub(super) of: u32,
    pub(super) count: u64,
    /// Instructions in the block; `None` for the block itself.
    pub(super) at: Vec<Option<u32>>,
    /// Bytes of a record, where they vary.
    pub(super) bytes: Option<u64>,
}

/// One launch.
#[derive(Default)]
pub(super) struct Dispatch {
    pub(super) id: u64,
    pub(super) kernel: u32,
    pub(super) grid: [u32; 3],
    pub(super) group: [u32; 3],
    pub(super) run: u64,
    pub(super) plan: Option<Plan>,
    pub(super) buffers: Vec<Buffer>,
}

/// What was counted before.
pub(super) struct Plan {
    pub(super) run: u64,
    /// Number of a block, its executions.
    pub(super) counts: Vec<(u32, u64)>,
    /// The same by thread.
    pub(super) by_thread: Vec<(u32, Vec<(u32, u64)>)>,
}

/// One buffer.
pub(super) struct Buffer {
    /// Number of its type; 0 for one with records of all.
    pub(super) of: u32,
    pub(super) file: String,
    pub(super) is_tagged: bool,
    pub(super) thread: Option<u32>,
    pub(super) has_header: bool,
    pub(super) offset: u64,
    pub(super) capacity: Option<u64>,
    pub(super) next: Option<u64>,
    pub(super) run: Option<u64>,
}

impl Manifest {
    /// What a text says.
    pub(super) fn of(json: &Json) -> Self {
        let device = json.get("device");
        let facts = |at: &str, keys: &[&str]| {
            let values = keys.iter().filter_map(|key| Some(((*key).to_owned(), text(json.get(at)?, key))));
            values.filter(|(_, value)| !value.is_empty()).collect::<Vec<_>>()
        };
        let keys = ["vendor", "name", "isa", "arch", "lanes", "line_bytes", "sector_bytes", "grf_bytes"];
        let mut all = facts("device", &keys);
        all.extend(facts("producer", &["tool", "version", "command"]));
        let bytes =
            |key| device.and_then(|device| whole(device.get(key)?)).filter(|n| (1..=4_096).contains(n));
        Self {
            format: text(json, "format"),
            version: text(json, "version"),
            endian: text(json, "endian"),
            facts: all,
            sector_bytes: bytes("sector_bytes").unwrap_or(32),
            threads: json.get("thread_id").map(ThreadIds::of).unwrap_or_default(),
            types: list(json, "types").map(Type::of).collect(),
            kernels: list(json, "kernels").map(Kernel::of).collect(),
            dispatches: list(json, "dispatches").map(Dispatch::of).collect(),
        }
    }

    /// The row of a type.
    pub(super) fn type_row(&self, id: u32) -> Option<usize> {
        self.types.iter().position(|of| of.id == id)
    }

    /// The row of a kernel.
    pub(super) fn kernel_row(&self, id: u32) -> Option<usize> {
        self.kernels.iter().position(|kernel| kernel.id == id)
    }
}

impl ThreadIds {
    fn of(json: &Json) -> Self {
        let field = |json: &Json| {
            let number = |key| small(json, key).filter(|n| *n <= 32);
            Some((text(json, "name"), number("shift")?, number("bits")?))
        };
        Self {
            is_hardware: text(json, "kind") != "sw",
            label: text(json, "label"),
            fields: list(json, "fields").filter_map(field).collect(),
            warps_per_group: small(json, "warps_per_group").filter(|warps| 0 < *warps),
        }
    }
}

impl Type {
    fn of(json: &Json) -> Self {
        let field = |json: &Json| TypeField {
            name: text(json, "name"),
            at: json.get("off").and_then(whole).unwrap_or(0),
            of: text(json, "type"),
            count: json.get("count").and_then(whole).unwrap_or(1),
        };
        let kind_name = text(json, "kind");
        Self {
            id: small(json, "id").unwrap_or(0),
            name: text(json, "name"),
            kind: match kind_name.as_str() {
                "flow" => Kind::Flow,
                "memory" => Kind::Memory,
                "simd" => Kind::Simd,
                "register" => Kind::Register,
                _ => Kind::Custom,
            },
            kind_name,
            layout: text(json, "layout"),
            bytes: json.get("bytes").and_then(whole).unwrap_or(0),
            lanes: json.get("lanes").and_then(whole),
            fields: list(json, "fields").map(field).collect(),
        }
    }
}

impl Kernel {
    fn of(json: &Json) -> Self {
        let mut blocks: Vec<Block> = list(json, "blocks").map(Block::of).collect();
        let mut known: Set<u32> = Set::default();
        blocks.retain(|block| known.insert(block.id)); // a number that stands twice means its first block
        order::sort_by_key(&mut blocks, |block| block.address);
        let file =
            |file: &Json| (text(file, "path"), file.get("text").and_then(Json::as_str).map(str::to_owned));
        Self {
            id: small(json, "id").unwrap_or(0),
            name: text(json, "name"),
            simd: small(json, "simd").unwrap_or(32).clamp(1, 32),
            blocks,
            files: list(json, "files").map(file).collect(),
        }
    }

    /// The row of a block.
    pub(super) fn block_row(&self, id: u32) -> Option<usize> {
        self.blocks.iter().position(|block| block.id == id)
    }
}

impl Block {
    fn of(json: &Json) -> Self {
        let id = small(json, "id").unwrap_or(0);
        let label = text(json, "label");
        let is = |key| json.get(key).and_then(Json::as_bool).unwrap_or(false);
        let instructions: Vec<Instruction> = list(json, "insts").map(Instruction::of).collect();
        let first = instructions.first().map_or(0, |instruction| instruction.address);
        Self {
            id,
            label: if label.is_empty() { format!("BB{id}") } else { label },
            address: json.get("pc").and_then(whole).unwrap_or(first),
            is_entry: is("entry"),
            is_exit: is("exit"),
            successors: list(json, "succ").filter_map(narrow).collect(),
            instructions,
            emits: list(json, "emits").map(Emits::of).collect(),
        }
    }
}

impl Instruction {
    fn of(json: &Json) -> Self {
        let source = json.get("src");
        Self {
            address: json.get("pc").and_then(whole).unwrap_or(0),
            text: text(json, "text"),
            memory: json.get("mem").filter(|memory| !memory.members().is_empty()).map(operand),
            source: source.and_then(|source| Some((text(source, "file"), small(source, "line")?))),
        }
    }
}

fn operand(json: &Json) -> MemoryOperand {
    let rw = text(json, "rw");
    let space = match text(json, "space").as_str() {
        "shared" => Space::Shared,
        "local" => Space::Local,
        "constant" => Space::Constant,
        _ => Space::Global,
    };
    MemoryOperand {
        reads: rw.contains('r'),
        writes: rw.contains('w'),
        is_atomic: rw == "rw",
        bytes: small(json, "bytes").filter(|bytes| 0 < *bytes),
        lanes: u32::MAX,
        space,
    }
}

impl Emits {
    fn of(json: &Json) -> Self {
        let at = list(json, "at").map(narrow).collect();
        Self {
            of: small(json, "type").unwrap_or(0),
            count: json.get("count").and_then(whole).unwrap_or(0),
            at,
            bytes: json.get("bytes").and_then(whole),
        }
    }
}

impl Dispatch {
    fn of(json: &Json) -> Self {
        let three = |key| {
            let mut axes = list(json, key).map(|n| narrow(n).unwrap_or(0));
            std::array::from_fn(|_| axes.next().unwrap_or(0))
        };
        Self {
            id: json.get("id").and_then(whole).unwrap_or(0),
            kernel: small(json, "kernel").unwrap_or(0),
            grid: three("grid"),
            group: three("block"),
            run: json.get("run").and_then(whole).unwrap_or(1),
            plan: json.get("plan").filter(|plan| !plan.is_null()).map(Plan::of),
            buffers: list(json, "buffers").map(Buffer::of).collect(),
        }
    }
}

impl Plan {
    fn of(json: &Json) -> Self {
        let by_thread = json.get("counts_by_thread").map_or(&[][..], Json::members);
        let thread = |name: &str| whole(&Json::Number(name)).and_then(|id| u32::try_from(id).ok());
        let of_thread = |(name, counts): &(Cow<str>, Json)| Some((thread(name)?, pairs(counts.items())));
        Self {
            run: json.get("run").and_then(whole).unwrap_or(0),
            counts: pairs(json.get("counts").map_or(&[][..], Json::items)),
            by_thread: by_thread.iter().filter_map(of_thread).collect(),
        }
    }
}

/// Numbers of blocks and their executions.
fn pairs(items: &[Json]) -> Vec<(u32, u64)> {
    let pair = |pair: &Json| match pair.items() {
        [block, count] => Some((narrow(block)?, whole(count)?)),
        _ => None,
    };
    items.iter().filter_map(pair).collect()
}

impl Buffer {
    fn of(json: &Json) -> Self {
        let of = small(json, "type").unwrap_or(0);
        Self {
            of,
            file: text(json, "file"),
            is_tagged: text(json, "scope") == "tagged" || of == 0,
            thread: small(json, "thread").filter(|_| text(json, "scope") == "thread"),
            has_header: json.get("header").and_then(Json::as_bool).unwrap_or(false),
            offset: json.get("offset").and_then(whole).unwrap_or(0),
            capacity: json.get("capacity").and_then(whole),
            next: json.get("next").and_then(whole),
            run: json.get("run").and_then(whole),
        }
    }
}

/// The members of an array.
fn list<'a>(json: &'a Json<'a>, key: &str) -> impl Iterator<Item = &'a Json<'a>> {
    json.get(key).map_or(&[][..], Json::items).iter()
}

/// A text or number as text; empty for none.
fn text(json: &Json, key: &str) -> String {
    json.get(key).and_then(Json::as_text).unwrap_or_default().to_owned()
}

fn small(json: &Json, key: &str) -> Option<u32> {
    narrow(json.get(key)?)
}

fn narrow(json: &Json) -> Option<u32> {
    u32::try_from(whole(json)?).ok()
}

/// A whole number, or a text that is one; also hexadecimal behind `0x`.
fn whole(json: &Json) -> Option<u64> {
    let text = json.as_text()?.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
