//! Tests of the pivot: the paper's `check` commands as exhaustive tests of small scopes, its `run`
//! commands as witnesses, both under the paper's names (paper 000 section 2).
//!
//! Every assertion has a mutant beside it: the same enumeration with a premise dropped or a
//! definition spoilt finds a counterexample, so the test can fail.

mod composition;
mod exhaustive;
mod static_semantics;
mod transitions;
mod witnesses;
