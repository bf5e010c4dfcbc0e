//! Names of packets and of kernel events by their numbers, for saying what is not shown.
//!
//! Source: `protos/perfetto/trace/trace_packet.proto` and `ftrace/ftrace_event.proto` of the Perfetto project.

/// What a packet is about, by the number of its field; a text of digits when it is not known.
pub(crate) fn packet(number: u64) -> String {
    name(PACKETS, number)
}

/// The name of a kernel event by the number of its field; a text of digits when it is not known.
pub(crate) fn event(number: u64) -> String {
    name(EVENTS, number)
}

fn name(table: &str, number: u64) -> String {
    let digits = number.to_string();
    let mut words = table.split_ascii_whitespace().filter_map(|word| word.split_once(':'));
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

/// The same for kernel events.
const EVENTS: &str = "\
    3:print 4:sched_switch 11:cpu_frequency 12:cpu_frequency_limits 13:cpu_idle 14:clock_enable 15:clock_disable \
    16:clock_set_rate 17:sched_wakeup 18:sched_blocked_reason 19:sched_cpu_hotplug 20:sched_waking 21:ipi_entry \
    22:ipi_exit 23:ipi_raise 24:softirq_entry 25:softirq_exit 26:softirq_raise 27:i2c_read 28:i2c_write \
    29:i2c_result 30:i2c_reply 35:lowmemory_kill 36:irq_handler_entry 37:irq_handler_exit 38:sync_pt \
    39:sync_timeline 40:sync_wait 41:ext4_da_write_begin 42:ext4_da_write_end 43:ext4_sync_file_enter \
    44:ext4_sync_file_exit 45:block_rq_issue 46:mm_vmscan_direct_reclaim_begin 47:mm_vmscan_direct_reclaim_end \
    48:mm_vmscan_kswapd_wake 49:mm_vmscan_kswapd_sleep 50:binder_transaction 51:binder_transaction_received \
    52:binder_set_priority 53:binder_lock 54:binder_locked 55:binder_unlock 56:workqueue_activate_work \
    57:workqueue_execute_end 58:workqueue_execute_start 59:workqueue_queue_work 60:regulator_disable \
    61:regulator_disable_complete 62:regulator_enable 63:regulator_enable_complete 64:regulator_enable_delay \
    65:regulator_set_voltage 66:regulator_set_voltage_complete 67:cgroup_attach_task 68:cgroup_mkdir \
    69:cgroup_remount 70:cgroup_rmdir 71:cgroup_transfer_tasks 80:tracing_mark_write \
    97:mm_filemap_add_to_page_cache 98:mm_filemap_delete_from_page_cache 99:mm_compaction_begin \
    103:mm_compaction_end 113:suspend_resume 114:sched_wakeup_new 115:block_bio_backmerge 117:block_bio_complete \
    118:block_bio_frontmerge 119:block_bio_queue 120:block_bio_remap 122:block_getrq 123:block_plug \
    125:block_rq_complete 126:block_rq_insert 133:block_unplug 235:task_newtask 236:task_rename \
    237:sched_process_exec 238:sched_process_exit 239:sched_process_fork 240:sched_process_free \
    241:sched_process_hang 242:sched_process_wait 243:f2fs_do_submit_bio 255:f2fs_sync_file_enter \
    256:f2fs_sync_file_exit 271:f2fs_write_begin 272:f2fs_write_checkpoint 273:f2fs_write_end 298:kfree \
    299:kmalloc 300:kmalloc_node 301:kmem_cache_alloc 302:kmem_cache_alloc_node 303:kmem_cache_free \
    307:mm_page_alloc 310:mm_page_free 313:rss_stat 314:ion_heap_shrink 315:ion_heap_grow 316:fence_init \
    317:fence_destroy 318:fence_enable_signal 319:fence_signaled 320:clk_enable 321:clk_disable 322:clk_set_rate \
    323:binder_transaction_alloc_buf 324:signal_deliver 325:signal_generate 326:oom_score_adj_update 327:generic \
    328:mm_event_record 329:sys_enter 330:sys_exit 331:zero 332:gpu_frequency 333:sde_tracing_mark_write \
    334:mark_victim 335:ion_stat 336:ion_buffer_create 337:ion_buffer_destroy 338:scm_call_start 339:scm_call_end \
    340:gpu_mem_total 341:thermal_temperature 342:cdev_update 343:cpuhp_exit 344:cpuhp_multi_enter 345:cpuhp_enter \
    346:cpuhp_latency 347:fastrpc_dma_stat 348:dpu_tracing_mark_write 349:g2d_tracing_mark_write \
    350:mali_tracing_mark_write 351:dma_heap_stat 352:cpuhp_pause 353:sched_pi_setprio 359:rss_stat_throttled \
    360:netif_receive_skb 361:net_dev_xmit 362:inet_sock_set_state 363:tcp_retransmit_skb \
    364:cros_ec_sensorhub_data 365:napi_gro_receive_entry 366:napi_gro_receive_exit 367:kfree_skb 376:kvm_entry \
    377:kvm_exit 404:wakeup_source_activate 405:wakeup_source_deactivate 406:ufshcd_command 407:ufshcd_clk_gating \
    408:console 409:drm_vblank_event 410:drm_vblank_event_delivered 411:drm_sched_job 412:drm_run_job \
    413:drm_sched_process_job 414:dma_fence_init 415:dma_fence_emit 416:dma_fence_signaled \
    417:dma_fence_wait_start 418:dma_fence_wait_end 419:f2fs_iostat 420:f2fs_iostat_latency 421:sched_cpu_util_cfs \
    422:v4l2_qbuf 423:v4l2_dqbuf 431:android_fs_dataread_end 432:android_fs_dataread_start \
    433:android_fs_datawrite_end 434:android_fs_datawrite_start 435:android_fs_fsync_end \
    436:android_fs_fsync_start 437:funcgraph_entry 438:funcgraph_exit 443:mm_shrink_slab_start \
    444:mm_shrink_slab_end 467:lwis_tracing_mark_write 468:virtio_gpu_cmd_queue 469:virtio_gpu_cmd_response \
    476:hyp_enter 477:hyp_exit 478:host_hcall 479:host_smc 480:host_mem_abort 481:suspend_resume_minimal \
    484:samsung_tracing_mark_write 485:binder_command 486:binder_return 487:sched_switch_with_ctrs \
    488:gpu_work_period 489:rpm_status 490:panel_write_generic 491:sched_migrate_task 504:device_pm_callback_start \
    505:device_pm_callback_end 506:thermal_exynos_acpm_bulk 507:thermal_exynos_acpm_high_overhead 508:dcvsh_freq \
    509:kgsl_gpu_frequency 533:bcl_irq_trigger 534:kgsl_adreno_cmdbatch_queued 535:kgsl_adreno_cmdbatch_submitted \
    536:kgsl_adreno_cmdbatch_sync 537:kgsl_adreno_cmdbatch_retired \
";
