//! Descriptions of life cycles, without behaviour.
