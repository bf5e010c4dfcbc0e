//! One test program; its parts stand in the order of the rooms they look at.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::pedantic,
    clippy::type_complexity,
    clippy::ptr_arg,
    clippy::useless_vec,
    clippy::filter_map_next,
    clippy::redundant_closure
)] // tests are read, not called

mod support;

mod accelsim;
mod access;
mod area;
mod buffer_plan;
mod cli;
mod code;
mod colors;
mod compare;
mod dataset;
mod demo;
mod density;
mod dependencies;
mod device;
mod executions;
mod faults;
mod figures;
mod findings;
mod gainsight;
mod gate;
mod gtpin_memory;
mod hostile;
mod input;
mod instrumentation;
mod instrumentation_memory;
mod kernel;
mod lessons;
mod lifetimes;
mod mapped_log;
mod msinsight;
mod multitrace;
mod navigation;
mod neutrino;
mod neutrino_maps;
mod nnapi;
mod nnapi_corrected;
mod notes;
mod nvbit;
mod perfetto;
mod pictures;
mod report;
mod request;
mod robust;
mod runtime_profiler;
mod scalesim;
mod schedule;
mod simulator_statistics;
mod statistics;
mod systrace;
mod systrace_proto;
mod table;
mod tables;
mod tables_command;
mod tidy;
mod timeline;
mod trace_event;
mod units;
mod vendors;
mod wire;
mod words;
