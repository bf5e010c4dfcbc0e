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
//! Keys that nobody knows are passed over. Whole numbers beyond 2^53 are texts `"0x…"`. What has a number that cannot be
//! read is left out.

use super::member::{Member, Unreadable, list, text, value, whole};
use crate::base::fault::excerpt;
use crate::base::map::Set;
use crate::base::order;
use crate::base::words::phrase;
use crate::input::json::Json;
use crate::systems::instrumentation::combine::Kind;
use crate::views::executions::compute::{MemoryOperand, Space};

/// Bytes of a sector where the manifest does not say.
const SECTOR: u64 = 32;

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
    /// Numbers of types that are left out.
    pub(super) unread_types: Vec<u32>,
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
    pub(super) fn of(member: &Member) -> Self {
        let json = member.json();
        let facts = |at: &str, keys: &[&str]| {
            let values = keys.iter().filter_map(|key| Some(((*key).to_owned(), text(json.get(at)?, key))));
            values.filter(|(_, value)| !value.is_empty()).collect::<Vec<_>>()
        };
        let keys = ["vendor", "name", "isa", "arch", "lanes", "line_bytes", "sector_bytes", "grf_bytes"];
        let mut all = facts("device", &keys);
        all.extend(facts("producer", &["tool", "version", "command"]));
        let sector = |device: Member| {
            let expected = phrase("a whole number from 1 to 4,096");
            device.assumed("sector_bytes", (expected, SECTOR), |n| (1..=4_096).contains(n))
        };
        let types = member.parts("types", Type::of);
        let ids = list(json, "types").filter_map(|of| u32::try_from(whole(of.get("id")?.as_text()?)?).ok());
        Self {
            format: text(json, "format"),
            version: text(json, "version"),
            endian: text(json, "endian"),
            facts: all,
            sector_bytes: member.get("device").map_or(SECTOR, sector),
            threads: member.get("thread_id").map(|ids| ThreadIds::of(&ids)).unwrap_or_default(),
            unread_types: ids.filter(|id| types.iter().all(|of| of.id != *id)).collect(),
            types,
            kernels: member.parts("kernels", Kernel::of),
            dispatches: member.parts("dispatches", Dispatch::of),
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
    fn of(member: &Member) -> Self {
        let field = |field: &Member| {
            let number = |key| field.limited(key, phrase("a whole number up to 32"), |n: &u32| *n <= 32);
            let (shift, bits) = (number("shift"), number("bits"));
            Ok(shift?.zip(bits?).map(|(shift, bits)| (field.text("name"), shift, bits)))
        };
        Self {
            is_hardware: member.text("kind") != "sw",
            label: member.text("label"),
            fields: member.parts("fields", field).into_iter().flatten().collect(),
            warps_per_group: member.fact("warps_per_group").filter(|warps| 0 < *warps),
        }
    }
}

impl Type {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let field = |field: &Member| {
            let (at, count) = (field.number("off", 0), field.number("count", 1));
            Ok(TypeField { name: field.text("name"), at: at?, of: field.text("type"), count: count? })
        };
        let kind_name = member.text("kind");
        let (id, bytes, lanes) =
            (member.number("id", 0), member.number("bytes", 0), member.optional("lanes"));
        let fields = member.all("fields", field);
        Ok(Self {
            id: id?,
            name: member.text("name"),
            kind: match kind_name.as_str() {
                "flow" => Kind::Flow,
                "memory" => Kind::Memory,
                "simd" => Kind::Simd,
                "register" => Kind::Register,
                _ => Kind::Custom,
            },
            kind_name,
            layout: member.text("layout"),
            bytes: bytes?,
            lanes: lanes?,
            fields: fields?,
        })
    }
}

impl Kernel {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let mut blocks = member.parts("blocks", Block::of);
        let mut known: Set<u32> = Set::default();
        blocks.retain(|block| known.insert(block.id)); // a number that stands twice means its first block
        order::sort_by_key(&mut blocks, |block| block.address);
        let file =
            |file: &Json| (text(file, "path"), file.get("text").and_then(Json::as_str).map(str::to_owned));
        let simd = member.assumed("simd", (phrase("a whole number below 2^32"), 32_u32), |_| true);
        Ok(Self {
            id: member.number("id", 0)?,
            name: member.text("name"),
            simd: simd.clamp(1, 32),
            blocks,
            files: list(member.json(), "files").map(file).collect(),
        })
    }

    /// The row of a block.
    pub(super) fn block_row(&self, id: u32) -> Option<usize> {
        self.blocks.iter().position(|block| block.id == id)
    }
}

impl Block {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let is = |key| member.json().get(key).and_then(Json::as_bool).unwrap_or(false);
        let (id, address) = (member.number("id", 0), member.optional("pc"));
        let (instructions, emits) = (member.all("insts", Instruction::of), member.all("emits", Emits::of));
        let successors = member.all("succ", value);
        let (id, label, instructions) = (id?, member.text("label"), instructions?);
        let first = instructions.first().map_or(0, |instruction| instruction.address);
        Ok(Self {
            id,
            label: if label.is_empty() { format!("BB{id}") } else { label },
            address: address?.unwrap_or(first),
            is_entry: is("entry"),
            is_exit: is("exit"),
            successors: successors?,
            instructions,
            emits: emits?,
        })
    }
}

impl Instruction {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let memory = member.get("mem").filter(|memory| !memory.json().members().is_empty());
        let source = member.get("src");
        let address = member.number("pc", 0);
        let (memory, line) =
            (memory.as_ref().map(operand), source.as_ref().and_then(|source| source.fact("line")));
        Ok(Self {
            address: address?,
            text: member.text("text"),
            memory,
            source: source.zip(line).map(|(source, line)| (source.text("file"), line)),
        })
    }
}

fn operand(member: &Member) -> MemoryOperand {
    let rw = member.text("rw");
    let space = match member.text("space").as_str() {
        "shared" => Space::Shared,
        "local" => Space::Local,
        "constant" => Space::Constant,
        _ => Space::Global,
    };
    MemoryOperand {
        reads: rw.contains('r'),
        writes: rw.contains('w'),
        is_atomic: rw == "rw",
        bytes: member.fact("bytes").filter(|bytes| 0 < *bytes),
        lanes: u32::MAX,
        space,
    }
}

impl Emits {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let at = |at: &Member| {
            if at.json().is_null() { Ok(None) } else { value(at).map(Some) }
        };
        let (of, count) = (member.number("type", 0), member.number("count", 0));
        let (at, bytes) = (member.all("at", at), member.optional("bytes"));
        Ok(Self { of: of?, count: count?, at: at?, bytes: bytes? })
    }
}

impl Dispatch {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let three = |key| {
            let axes: Option<Vec<u32>> =
                member.part(key, |list| list.items(false, value).into_iter().collect());
            let mut axes = axes.unwrap_or_default().into_iter();
            std::array::from_fn(|_| axes.next().unwrap_or(0))
        };
        let (id, kernel, run) = (member.number("id", 0), member.number("kernel", 0), member.number("run", 1));
        let (grid, group) = (three("grid"), three("block"));
        let (plan, buffers) = (member.part("plan", Plan::of), member.parts("buffers", Buffer::of));
        Ok(Self { id: id?, kernel: kernel?, grid, group, run: run?, plan, buffers })
    }
}

impl Plan {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let (run, counts) = (member.number("run", 0), member.all("counts", pair));
        let by_thread = member.get("counts_by_thread").map_or_else(
            || Ok(Vec::new()),
            |all| {
                let names = all.json().members().iter().map(|(name, _)| name);
                let of_thread = names.map(|name| {
                    let (id, counts) =
                        (whole(name).and_then(|id| u32::try_from(id).ok()), all.all(name, pair));
                    let id = id.ok_or_else(|| {
                        all.leave_out(phrase("the number of a thread"), excerpt(name.as_bytes()))
                    });
                    Ok((id?, counts?))
                });
                of_thread.collect::<Vec<_>>().into_iter().collect::<Result<Vec<_>, Unreadable>>()
            },
        );
        Ok(Self { run: run?, counts: counts?, by_thread: by_thread? })
    }
}

/// The number of a block and its executions.
fn pair(member: &Member) -> Result<(u32, u64), Unreadable> {
    let number = |json: &Json| whole(json.as_text()?);
    let pair = match member.json().items() {
        [block, count] => number(block).and_then(|id| u32::try_from(id).ok()).zip(number(count)),
        _ => None,
    };
    pair.ok_or_else(|| member.leave_out(phrase("a block and its count"), member.excerpt()))
}

impl Buffer {
    fn of(member: &Member) -> Result<Self, Unreadable> {
        let scope = member.text("scope");
        let has_header = member.json().get("header").and_then(Json::as_bool).unwrap_or(false);
        // The header of the buffer says it too.
        let size = |key| if has_header { Ok(member.fact(key)) } else { member.optional(key) };
        let thread = if scope == "thread" { member.optional("thread") } else { Ok(None) };
        let (of, offset, run) =
            (member.number("type", 0), member.number("offset", 0), member.optional("run"));
        let (capacity, next) = (size("capacity"), size("next"));
        let of = of?;
        Ok(Self {
            of,
            file: member.text("file"),
            is_tagged: scope == "tagged" || of == 0,
            thread: thread?,
            has_header,
            offset: offset?,
            capacity: capacity?,
            next: next?,
            run: run?,
        })
    }
}
