//! One file per command.

pub(crate) mod analyze;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod down;
pub(crate) mod engine;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod prove;
pub(crate) mod restart;
pub(crate) mod resume;
pub(crate) mod scale;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod status;
pub(crate) mod step;
pub(crate) mod up;
pub(crate) mod verify;
