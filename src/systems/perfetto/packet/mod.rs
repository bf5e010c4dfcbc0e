//! Packets of a trace: cut out of the file and unpacked, with the fields that all of them may have.

pub(crate) mod fields;
pub(crate) mod messages;
pub(crate) mod walk;

use crate::base::fault::Kind;
use crate::input::limits;
use fields::{Fields, Value, each, inside};
use memchr::memchr;
use prost::Message;
use prost::bytes::Bytes;

/// Numbers of the fields of a packet that are read.
pub(crate) mod number {
    pub(crate) const FTRACE: u64 = 1;
    pub(crate) const PROCESS_TREE: u64 = 2;
    pub(crate) const CLOCK_SNAPSHOT: u64 = 6;
    pub(crate) const SYS_STATS: u64 = 7;
    pub(crate) const PROCESS_STATS: u64 = 9;
    pub(crate) const TRACK_EVENT: u64 = 11;
    pub(crate) const BATTERY: u64 = 38;
    pub(crate) const ANDROID_LOG: u64 = 39;
    pub(crate) const POWER_RAILS: u64 = 40;
    pub(crate) const PROCESS: u64 = 43;
    pub(crate) const THREAD: u64 = 44;
    pub(crate) const DEFLATED: u64 = 50;
    pub(crate) const GPU_COUNTERS: u64 = 52;
    pub(crate) const GPU_STAGE: u64 = 53;
    pub(crate) const STREAMING_PROFILE: u64 = 54;
    pub(crate) const TRACK: u64 = 60;
    pub(crate) const PERF_SAMPLE: u64 = 66;
    pub(crate) const GPU_MEMORY: u64 = 71;
    pub(crate) const FRAME_TIMELINE: u64 = 76;
    pub(crate) const REMOTE_CLOCKS: u64 = 107;
    pub(crate) const GENERIC_TASK: u64 = 117;
    pub(crate) const GENERIC_FREQUENCY: u64 = 118;
    pub(crate) const GENERIC_RENAME: u64 = 120;
    pub(crate) const GENERIC_TREE: u64 = 122;
    pub(crate) const GENERIC_GPU_FREQUENCY: u64 = 129;
    pub(crate) const JOURNAL: u64 = 132;
    pub(crate) const ZSTD: u64 = 133;
}

/// A packet: what all packets may say, and what it is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packet {
    /// When, in ticks of its clock.
    pub(crate) timestamp: Option<u64>,
    /// That clock; missing: that of its sequence.
    pub(crate) clock: Option<u32>,
    /// The sequence that it belongs to.
    pub(crate) sequence: u32,
    /// The machine that it tells of; 0 is the one that wrote the file.
    pub(crate) machine: u32,
    /// What was said of the sequence before counts no more.
    pub(crate) is_cleared: bool,
    /// It cannot be read without what was said of the sequence before.
    pub(crate) needs_state: bool,
    /// Packets of the sequence were lost before this one.
    pub(crate) is_after_loss: bool,
    /// Texts with numbers that stand for them.
    pub(crate) interned: Bytes,
    /// What holds for all packets of the sequence from here on.
    pub(crate) defaults: Bytes,
    /// The number of the field that says what it is about, and its value.
    pub(crate) data: Option<(u64, Bytes)>,
}

impl Packet {
    /// Reads the outermost fields; also what is wrong with them, then the fields before that are there.
    pub(crate) fn read(bytes: &Bytes) -> (Self, Option<String>) {
        let mut packet = Self::default();
        let mut fields = Fields::of(bytes);
        let mut wrong = None;
        for (number, value) in &mut fields {
            let flag = value.number();
            let is_number = matches!(value, Value::Number(_));
            match number {
                3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98 if !is_number => {
                    wrong = Some(format!("invalid wire type of field {number}"));
                }
                8 => packet.timestamp = Some(flag),
                58 => packet.clock = u32::try_from(flag).ok(),
                10 => packet.sequence = u32::try_from(flag).unwrap_or(0),
                13 => {
                    packet.is_cleared |= flag & 1 != 0;
                    packet.needs_state |= flag & 2 != 0;
                }
                41 => packet.is_cleared |= flag != 0,
                42 => packet.is_after_loss |= flag != 0,
                98 => packet.machine = u32::try_from(flag).unwrap_or(0),
                3 | 79 | 87 => {}
                _ if !matches!(value, Value::Bytes(_)) => {
                    wrong = Some(format!("invalid wire type of field {number}"));
                }
                12 => packet.interned = bytes.slice_ref(value.bytes()),
                59 => packet.defaults = bytes.slice_ref(value.bytes()),
                _ => packet.data = Some((number, bytes.slice_ref(value.bytes()))),
            }
            if wrong.is_some() {
                return (packet, wrong);
            }
        }
        if !fields.rest().is_empty() {
            let found: Vec<String> = fields.rest().iter().take(8).map(|b| format!("{b:02x}")).collect();
            wrong = Some(found.join(" "));
        }
        (packet, wrong)
    }

    /// The events of the kernel in it.
    pub(crate) fn events(&self) -> impl Iterator<Item = &[u8]> {
        inside(self.of_kernel(), 2)
    }

    /// The priorities of the threads that a processor goes over to, of columns of switches.
    pub(crate) fn priorities(&self) -> impl Iterator<Item = &[u8]> {
        inside(self.of_kernel(), 4).flat_map(|columns| inside(columns, 4)).flat_map(each)
    }

    /// What in it has details of its own.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.events().chain(self.priorities())
    }

    fn of_kernel(&self) -> &[u8] {
        let bundle = self.data.as_ref().filter(|(kind, _)| *kind == number::FTRACE);
        bundle.map_or(&[], |(_, bundle)| bundle)
    }

    /// What it is about; and what is wrong with it, then what stands before that is there.
    pub(crate) fn message<M: Message + Default>(&self) -> (M, Result<(), String>) {
        let mut message = M::default();
        let bytes = self.data.as_ref().map_or(Bytes::new(), |(_, bytes)| bytes.clone());
        let said = message.merge(bytes).map_err(|error| error.to_string());
        (message, said)
    }
}

// Names of packets by their numbers, for saying what is not shown.
//
// Source: `protos/perfetto/trace/trace_packet.proto` of the Perfetto project.

/// What a packet is about, by the number of its field; a text of digits when it is not known.
pub(crate) fn name_packet(number: u64) -> String {
    let digits = number.to_string();
    let mut words = PACKETS.split_ascii_whitespace().filter_map(|word| word.split_once(':'));
    words.find(|(of, _)| *of == digits).map_or(digits.clone(), |(_, name)| name.to_owned())
}

/// Numbers and names, apart by spaces.
const PACKETS: &str = "\
    1:ftrace_events 2:process_tree 4:inode_file_map 5:chrome_events 6:clock_snapshot 7:sys_stats 9:process_stats \
    11:track_event 33:trace_config 34:ftrace_stats 35:trace_stats 36:synchronization_marker 37:profile_packet \
    38:battery 39:android_log 40:power_rails 43:process_descriptor 44:thread_descriptor 45:system_info 46:trigger \
    47:packages_list 48:chrome_benchmark_metadata 49:perfetto_metatrace 50:compressed_packets 51:chrome_metadata \
    52:gpu_counter_event 53:gpu_render_stage_event 54:streaming_profile_packet 55:profiled_frame_symbols \
    56:heap_graph 57:graphics_frame_event 60:track_descriptor 61:module_symbols 62:vulkan_memory_event 63:gpu_log \
    64:deobfuscation_mapping 65:vulkan_api_event 66:perf_sample 67:cpu_info 68:smaps_packet 69:service_event \
    70:initial_display_state 71:gpu_mem_total_event 72:extension_descriptor 73:memory_tracker_snapshot \
    74:streaming_allocation 75:streaming_free 76:frame_timeline_event 77:android_energy_estimation_breakdown \
    78:ui_state 80:android_camera_frame_event 81:android_camera_session_stats 82:translation_table \
    83:android_game_intervention_list 84:statsd_atom 86:android_system_property 88:network_packet 89:trace_uuid \
    90:track_event_range_of_interest 91:entity_state_residency 92:network_packet_bundle \
    93:surfaceflinger_layers_snapshot 94:surfaceflinger_transactions 95:etw_events 96:shell_transition \
    97:shell_handler_mappings 99:v8_js_code 100:v8_internal_code 101:v8_wasm_code 102:v8_reg_exp_code \
    103:v8_code_move 104:protolog_message 105:protolog_viewer_config 106:android_input_event 107:remote_clock_sync \
    109:chrome_trigger 110:pixel_modem_events 111:pixel_modem_token_database 112:winscope_extensions \
    113:clone_snapshot_trigger 114:bluetooth_trace_event 115:kernel_wakelock_data 116:app_wakelock_bundle \
    117:generic_kernel_task_state_event 118:generic_kernel_cpu_freq_event 119:cpu_per_uid_data \
    120:generic_kernel_task_rename_event 121:evdev_event 122:generic_kernel_process_tree 123:user_list \
    124:trace_provenance 125:protovms 126:trace_attributes 127:android_aflags 128:gpu_info \
    129:generic_gpu_frequency_event 130:interrupt_info 131:art_process_metadata 132:journald_event \
    133:zstd_compressed_packets 134:concurrent_session_event 135:stack_sample 138:recovered_trace_info \
    139:source_file 140:module_disassembly 900:for_testing \
";

// The outermost layer, `Trace`: one packet after the other, fed in pieces of any size.
//
// ```text
// 0a  e3 02   …355 bytes…   0a  …
// │   └ length              └ the next packet
// └ field 1, with a length: a packet. Other fields are passed over.
// ```
//
// Where no packet can begin, or one is longer than what is left, the next place is searched where one begins that reads
// as a packet and is followed by another one or by the end.

/// What a packet begins with.
pub(crate) const PACKET: u8 = 0x0a;

/// Longest packet that is believed in after damage.
const SEARCHED: u64 = 1 << 20;

/// What stands next.
pub(crate) enum Next {
    /// A packet: where its content begins, and its content.
    Packet(u64, Bytes),
    /// Something is wrong at this byte.
    Wrong(u64, Kind),
    /// More bytes are wanted.
    More,
    End,
}

/// Cuts bytes into packets.
#[derive(Default)]
pub(crate) struct Packets {
    held: Vec<u8>,
    /// How many of the held bytes are done with.
    done: usize,
    /// Where the first byte stands that is not done with.
    at: u64,
    /// How many bytes there will be, once it is known.
    len: Option<u64>,
    /// Bytes that are passed over.
    skip: u64,
    /// Whether the next beginning of a packet is searched.
    is_lost: bool,
    /// Bytes that were looked at in searches.
    searched: u64,
}

impl Packets {
    /// For so many bytes.
    pub(crate) fn of(len: u64) -> Self {
        Self { len: Some(len), ..Self::default() }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.held.drain(..self.done.min(self.held.len()));
        self.done = 0;
        self.held.extend_from_slice(bytes);
    }

    /// Nothing follows.
    pub(crate) fn end(&mut self) {
        self.len = Some(self.at.saturating_add(self.rest().len() as u64));
    }

    /// Where it stands.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// What stands next.
    pub(crate) fn next(&mut self) -> Next {
        loop {
            let n = usize::try_from(self.skip).unwrap_or(usize::MAX).min(self.rest().len());
            self.pass(n);
            self.skip -= n as u64;
            if self.is_lost && !self.search() {
                return Next::More;
            }
            let (at, left) = (self.at, self.left());
            if left == Some(0) {
                return Next::End;
            }
            let Some((is_packet, before, len)) = head(self.rest()) else {
                if self.rest().len() < fields::LONGEST && left != Some(self.rest().len() as u64) {
                    return Next::More;
                }
                let found = self.rest().get(..8).unwrap_or(self.rest());
                let found = found.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
                self.is_lost = true;
                self.pass(1);
                return Next::Wrong(
                    at,
                    Kind::Unexpected { expected: "a packet".into(), found: found.into() },
                );
            };
            let whole = len.saturating_add(before as u64);
            if let Some(left) = left.filter(|left| *left < whole) {
                self.is_lost = true;
                self.pass(1);
                return Next::Wrong(at, Kind::Truncated { needed: whole, left });
            }
            let allowed = limits::RECORD_BYTES as u64;
            if !is_packet || allowed < whole {
                self.skip = whole;
                if is_packet {
                    let kind = Kind::Limit { what: "packet size in bytes".into(), asked: whole, allowed };
                    return Next::Wrong(at, kind);
                }
                continue;
            }
            let whole = usize::try_from(whole).unwrap_or(usize::MAX);
            let Some(bytes) = self.rest().get(before..whole) else { return Next::More };
            let bytes = Bytes::copy_from_slice(bytes);
            self.pass(whole);
            return Next::Packet(at + before as u64, bytes);
        }
    }

    fn rest(&self) -> &[u8] {
        self.held.get(self.done..).unwrap_or(&[])
    }

    /// How many bytes are left, held or still to come.
    fn left(&self) -> Option<u64> {
        self.len.map(|len| len.saturating_sub(self.at))
    }

    fn pass(&mut self, n: usize) {
        self.done += n;
        self.at += n as u64;
    }

    /// Goes to the next place where a packet begins, or to the end; false when more bytes are wanted for that.
    fn search(&mut self) -> bool {
        loop {
            let n = memchr(PACKET, self.rest());
            self.pass(n.unwrap_or(self.rest().len()));
            if n.is_none() {
                return self.left() == Some(0);
            }
            match self.is_beginning() {
                Some(true) => {
                    self.is_lost = false;
                    return true;
                }
                Some(false) => self.pass(1),
                None => return false,
            }
            if limits::SEARCH_BYTES < self.searched {
                (self.is_lost, self.skip) = (false, u64::MAX);
                return true;
            }
        }
    }

    /// Whether a packet begins here; `None` when more bytes must come to know it.
    fn is_beginning(&mut self) -> Option<bool> {
        let (rest, left) = (self.rest(), self.left());
        let n_rest = rest.len() as u64;
        let Some((_, before, len)) = head(rest) else {
            let is_cut = rest.len() < fields::LONGEST && left != Some(n_rest);
            return if is_cut { None } else { Some(false) };
        };
        let whole = len.saturating_add(before as u64);
        if len == 0 || SEARCHED < len || left.is_some_and(|left| left < whole) {
            return Some(false);
        }
        let end = usize::try_from(whole).ok()?;
        let is_followed = match rest.get(end) {
            Some(next) => *next == PACKET,
            None if left == Some(whole) && n_rest == whole => true,
            None => return None,
        };
        let is_packet = is_followed && rest.get(before..end).is_some_and(fields::is_packet);
        self.searched += if is_followed { whole } else { 1 };
        Some(is_packet)
    }
}

/// What a field of the outermost layer is by its first bytes: whether a packet, the bytes before its value, and those of
/// its value. `None` when it is none, or cut.
fn head(bytes: &[u8]) -> Option<(bool, usize, u64)> {
    let field = fields::head(bytes)?;
    Some((bytes.first() == Some(&PACKET), field.before, field.len))
}
