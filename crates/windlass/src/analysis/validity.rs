//! Is a plan valid in every order, and in spite of every fault? In tiers, one file each.

mod arity;
pub mod belief;
pub mod despite_faults;
pub mod execution;
pub mod explicit;
pub mod fault_free;
pub mod handler_closure;
mod proofs;
pub mod reorder;
pub mod repair;
pub mod symmetry;
