//! Rules: one file per bad pattern.
