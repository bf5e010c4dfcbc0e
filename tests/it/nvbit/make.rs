//! Outputs of tools, as they print them. The numbers are made up.

use std::fmt::Write;

/// What the tools print first.
pub(crate) const BANNER: &str = "------------- NVBit (NVidia Binary Instrumentation Tool v1.5.5) Loaded --------------\n\
    NVBit core environment variables (mostly for nvbit-devs):\n            NVDISASM = nvdisasm - override default nvdisasm found in PATH\n\
    ---------------------------------------------------------------------------------\n        TOOL_VERBOSE = 0 - Enable verbosity inside the tool\n";

/// The line of a launch of two groups of 64 threads.
pub(crate) fn launch(id: u64, name: &str) -> String {
    format!(
        "MEMTRACE: CTX 0x000055967fa50640 - LAUNCH - Kernel pc 0x00007f2746fa0f00 - Kernel name {name} - grid launch id {id} \
         - grid size 2,1,1 - block size 64,1,1 - nregs 12 - shmem 0 - cuda stream id 0\n"
    )
}

/// The addresses of a warp: lanes below `n`, each `stride` bytes behind the other.
pub(crate) fn lanes(base: u64, stride: u64, n: u64) -> Vec<u64> {
    (0..32).map(|lane| if lane < n { base + stride * lane } else { 0 }).collect()
}

/// A record of the unchanged tool.
pub(crate) fn plain(launch: u64, cta: u32, warp: u32, opcode: &str, addresses: &[u64]) -> String {
    let mut line = format!(
        "MEMTRACE: CTX 0x000055967fa50640 - grid_launch_id {launch} - CTA {cta},0,0 - warp {warp} - {opcode} - "
    );
    addresses.iter().for_each(|address| write!(line, "{address:#018x} ").unwrap());
    line + "\n"
}

/// A record with processor, address, size and data.
pub(crate) fn pairs(cta: u32, warp: u32, opcode: &str, pc: u32, addresses: &[u64]) -> String {
    let mut line = format!(
        "MEMTRACE: CTX 0x000055967fa50640 - SM_id {cta} - grid_launch_id 0 - CTA {cta},0,0 - warp {warp} - {opcode} - pc {pc} \
         - Size 4 - MREF per threads(threadidx,data,address) : "
    );
    for (lane, address) in addresses.iter().enumerate() {
        write!(line, "Thread{lane},{:#018x},{address:#018x} ", 0x4000_0000 + lane).unwrap();
    }
    line + "\n"
}

/// Two launches of one kernel, each of two groups of two warps with a load and a store.
pub(crate) fn two_launches() -> String {
    let mut text = BANNER.to_owned();
    for id in 0..2_u64 {
        text += &launch(id + 1, "void copy<int - 1>(float*, float*, int)");
        for cta in 0..2_u32 {
            // The second group comes first.
            let cta = 1 - cta;
            for warp in 0..2_u32 {
                let base = 0x7f27_4330_0000 + 0x1000 * u64::from(2 * cta + warp);
                text += &plain(id, cta, warp, "LDG.E", &lanes(base, 4, 32));
                let (stride, n) = if warp == 0 { (128, 32) } else { (8, 20) };
                text += &plain(id, cta, warp, "STG.E.64.SYS", &lanes(base + 0x10_0000, stride, n));
            }
        }
        text += "No CUDA error.\nFinal sum = 24576; sum/n = 3 (should be ~1)\n";
    }
    text + "MEMTRACE: TERMINATING CONTEXT 0x000055967fa50640\n"
}

/// Allocations, and records with data.
pub(crate) fn with_data() -> String {
    let mut text = BANNER.to_owned();
    text += "alloc address : 139806607671296, Size : 4096\nalloc address : 139806607675392, Size : 4096\nNo CUDA error.\n";
    text += &launch(1, "vecAdd(float*, float*, int)");
    for cta in 0..2 {
        for warp in 0..2 {
            let base = 139_806_607_671_296 + 128 * u64::from(2 * cta + warp);
            text += &pairs(cta, warp, "LDG.E.SYS", 144, &lanes(base, 4, 32));
            text += &pairs(cta, warp, "STG.E.SYS", 208, &lanes(base + 4096, 4, 32));
        }
    }
    text
}

/// Data and addresses alone.
pub(crate) fn bare() -> String {
    let mut text = BANNER.to_owned() + &launch(1, "vecAdd(float*, float*, int)") + "No CUDA error.\n";
    for lane in 0..40_u64 {
        writeln!(text, "{:#018x},{:#018x}", 0x4000_0000 + lane, 0x7f27_4330_d280 + 4 * lane).unwrap();
    }
    text
}

/// Output of the program inside of records, a record with too few lanes, and a last line that is cut.
pub(crate) fn cut_in() -> String {
    let mut text = launch(1, "vecAdd(float*, float*, int)");
    let record = |warp| plain(0, 0, warp, "LDG.E", &lanes(0x7f27_4330_0000, 4, 32));
    let (first, second) = (record(0), record(1));
    text += &format!("{}step 7 of 9 done\n{}", &first[..150], &first[150..]);
    text += &format!("progress 10 %{second}");
    text += &format!("{}step 8\n{}", &second[..40], &second[40..]);
    let third = record(0);
    text += &third[..third.len() - 20];
    text += "\n";
    text += &record(1);
    text + &third[..300]
}

/// Values of registers.
pub(crate) fn registers() -> String {
    let mut text = "Kernel vecAdd(float*, float*, int) - grid size 2,1,1 - block size 64,1,1 - nregs 12 - shmem 0 - cuda stream id 0\n".to_owned();
    for (warp, assembly, n) in [
        (0, "MOV R1, c[0x0][0x28] ;", 1),
        (1, "MOV R1, c[0x0][0x28] ;", 1),
        (0, "IMAD.WIDE R4, R0, R7, c[0x0][0x160] ;", 3),
        (0, "EXIT ;", 0),
    ] {
        writeln!(text, "CTA 1,0,0 - warp {warp} - {assembly}:").unwrap();
        for register in 0..n {
            text += "* ";
            (0..32).for_each(|lane| {
                write!(text, "Reg{register}_T{lane}: {:#010x} ", 0x100 * register + lane).unwrap()
            });
            text += "\n";
        }
        text += "\n";
    }
    text
}

/// Counts of two launches, one with opcodes.
pub(crate) fn counts() -> String {
    "kernel 0 - void f<a - b>(int, int) - #thread-blocks 98,  kernel instructions 50077, total instructions 50077\n\
     \x20 EXIT = 3136\n  LDG.E.SYS = 46941\n\
     done\n\
     kernel 1 - g(int) - #thread-blocks 1,  kernel instructions 10, total instructions 50087\n"
        .to_owned()
}

/// Addresses of a record as JSON.
fn list(addresses: &[u64]) -> String {
    format!("[{}]", addresses.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
}

/// Memory records of the Rust port, with the group as three members or as one.
pub(crate) fn memory_json(is_nested: bool) -> String {
    let mut records = Vec::new();
    for (warp, opcode, offset, is_load) in [
        (1, "LDG.E.64", 152, true),
        (0, "LDG.E.64", 152, true),
        (0, "STG.E.64", 216, false),
        (1, "STG.E.64", 216, false),
    ] {
        let n = if warp == 1 { 4 } else { 32 };
        let group = if is_nested {
            "\"cta_id\": {\"x\": 1, \"y\": 0, \"z\": 0}"
        } else {
            "\"cta_id_x\": 1, \"cta_id_y\": 0, \"cta_id_z\": 0"
        };
        records.push(format!(
            "  {{\n    \"cuda_ctx\": 94084089627120, \"grid_launch_id\": 0, {group}, \"warp_id\": {warp},\n    \
             \"instr_opcode\": \"{opcode}\", \"instr_offset\": {offset}, \"instr_idx\": 14, \"instr_mem_space\": \"Global\",\n    \
             \"instr_is_load\": {is_load}, \"instr_is_store\": {}, \"addrs\": {}\n  }}",
            !is_load,
            list(&lanes(0x7f27_4330_0000, 8, n))
        ));
    }
    format!("[\n{}\n]\n", records.join(",\n"))
}

/// Records of all instructions; addresses of those without an access are leftovers.
pub(crate) fn all_json() -> String {
    let mut records = Vec::new();
    for (warp, opcode, pc, is_mem, mask) in [
        (0, 0, 8, false, u32::MAX),
        (0, 12, 152, true, 0xFF),
        (1, 0, 8, false, u32::MAX),
        (1, 12, 152, true, 0),
        (0, 7, 240, false, u32::MAX),
    ] {
        records.push(format!(
            "{{\"cta_id_x\": 0, \"cta_id_y\": 0, \"cta_id_z\": 0, \"warpid_tb\": {warp}, \"warpid_sm\": {warp}, \"sm_id\": 3, \
             \"opcode_id\": {opcode}, \"addrs\": {}, \"vpc\": {pc}, \"is_mem\": {is_mem}, \"GPRDst\": 1, \"GPRSrcs\": [0, 0, 0, 0, 0], \
             \"numSrcs\": 0, \"width\": 8, \"active_mask\": {}, \"predicate_mask\": {mask}}}",
            list(&lanes(0x7f27_4330_0000, 8, 32)),
            u32::MAX
        ));
    }
    format!("[{}]", records.join(", "))
}

/// The launch of such records.
pub(crate) fn launch_json() -> String {
    "{\"name\":\"vecAdd(double*, int)\",\"kernel_id\":1,\"grid\":{\"x\":1,\"y\":1,\"z\":1},\"block\":{\"x\":64,\"y\":1,\"z\":1},\
     \"shared_mem_bytes\":0,\"nregs\":10,\"binary_version\":61,\"cuda_stream_id\":0,\"nvbit_version\":\"1.5.5\\u0000\"}"
        .to_owned()
}
