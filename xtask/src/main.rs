//! Chores of the project, written in the project's language.

#![forbid(unsafe_code)]

fn main() {}
