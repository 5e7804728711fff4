//! The integration tests of the command line: one program, one module for each subject.
//!
//! `cargo test -p windlass-cli --test cli check::` runs those of one module. Those that need a
//! Docker engine are a program of their own, `docker`.

mod atomic;
mod batches;
mod broken_variants;
mod check;
mod command_pages;
mod commands;
mod compose;
mod convert;
mod crash;
mod fault_handlers;
mod fix_and_watch;
mod formats;
mod hints;
mod hostile_input;
mod hot;
mod journal_errors;
mod keeper;
mod language_schemas;
mod languages;
mod nets_changed;
mod nets_down;
mod nets_rollback;
mod plan;
mod process_groups;
mod prove;
mod refusals;
mod run_page;
mod scale_page;
mod scale_restart;
mod serve;
mod serve_runs;
mod setting_pages;
mod settings;
mod show;
mod ssh;
mod status_logs;
mod supervise;
mod support;
mod teardown;
mod terminal;
mod tosca;
mod tosca_hosts;
mod tosca_runs;
mod tosca_values;
mod verify;
mod verify_plans;
