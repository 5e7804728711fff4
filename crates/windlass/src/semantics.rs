//! One file per transition relation, one function per inference rule.
