//! The integration tests of the library: one program, one module for each subject.
//!
//! `cargo test -p windlass --test library nets::` runs those of one module.

mod compose;
mod differential;
mod effects;
mod formats;
mod hot;
mod hot_plans;
mod language;
mod naive;
mod naive_reference;
mod nets;
mod pivot;
mod planning;
mod planning_bounds;
mod planning_direct;
mod planning_faults;
mod planning_graph;
mod planning_orders;
mod planning_theorems;
mod planning_unreachable;
mod planning_upgrade;
mod protocol_semantics;
mod reading_once;
mod replica_against_naive;
mod replica_compiled;
mod replica_in_place;
mod replica_properties;
mod replica_semantics;
mod rule_docs;
mod setup;
mod step;
mod support;
mod tosca_checks;
mod tosca_files;
mod tosca_quirks;
mod validity;
mod validity_explicit;
mod validity_tiers;
mod verify_reports;
