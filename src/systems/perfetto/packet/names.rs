//! Names of packets by their numbers, for saying what is not shown.
//!
//! Source: `protos/perfetto/trace/trace_packet.proto` of the Perfetto project.

/// What a packet is about, by the number of its field; a text of digits when it is not known.
pub(crate) fn packet(number: u64) -> String {
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
