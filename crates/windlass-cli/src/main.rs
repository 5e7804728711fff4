//! The command `windlass`.

#![forbid(unsafe_code)]

use windlass_run as _;

fn main() {}
