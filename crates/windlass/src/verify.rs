//! `windlass verify` as one function: picks the relation, asks the tiers in order, and puts
//! together what there is to say about a plan.
//!
//! This is the only module that knows both `semantics` and `analysis`.

pub mod effects;
