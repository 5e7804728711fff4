//! What the reader of Compose files finds on the way.

use super::super::{Rule, code};

/// Every code, in order.
pub(crate) const CODES: &[&Rule] = &[
    code!(
        "COMPOSE001",
        "wrong-compose-shape",
        Error,
        "a key that Compose does not know, or a value of the wrong kind"
    ),
    code!("COMPOSE002", "bad-variable", Error, "a variable in a Compose file cannot be replaced"),
    code!("COMPOSE003", "bad-cast", Error, "the value of a variable is not what the key needs"),
    code!(
        "COMPOSE004",
        "bad-short-form",
        Error,
        "the short form of a port or volume cannot be read"
    ),
    code!(
        "COMPOSE005",
        "bad-extends",
        Error,
        "a service extends something that does not exist, or itself"
    ),
    code!("COMPOSE006", "bad-include", Error, "a file cannot be included"),
    code!(
        "COMPOSE012",
        "missing-env-file",
        Error,
        "a file with variables is missing or cannot be read"
    ),
    code!("COMPOSE015", "unset-variable", Warning, "a variable is not set and reads as empty text"),
    code!("COMPOSE016", "obsolete-compose-key", Note, "a key of a Compose file is obsolete"),
    code!(
        "COMPOSE017",
        "unmergeable-override",
        Error,
        "an override is of another kind than what it overrides"
    ),
    code!("COMPOSE018", "empty-compose-file", Error, "a Compose file says nothing"),
];
