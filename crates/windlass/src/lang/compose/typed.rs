//! What values stand for: counts, sizes, durations, modes and so on.
//!
//! The table of keys says of which kind a value is, and many keys may have a text there. Compose
//! decodes it later, into a number of a certain width, a boolean or a size, and refuses what does
//! not fit. This is that second look, in one table.

use super::item::{Data, Item};
use super::{BAD_VALUE, Findings, cast};

/// What a value is decoded into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A boolean, be it as a word.
    Flag,
    /// An integer, be it as text.
    Whole,
    /// A number from 0 on, never as text: where that is allowed it has been read before.
    Natural,
    /// A number of bytes.
    Size,
    /// A time.
    Duration,
    /// A number of processors.
    Processors,
    /// The rights on a file.
    Mode,
    /// A limit of a process, which has 64 bits.
    Limit,
    /// A number of devices, or all of them.
    Devices,
    /// Text, for which integers are taken too.
    Text,
    /// A name with an address.
    Host,
}

use Kind::{Devices, Duration, Flag, Host, Limit, Mode, Natural, Processors, Size, Text, Whole};

/// Values by their paths: `*` is any key, `[]` any item.
const KINDS: &[(&str, Kind)] = &[
    ("services.*.attach", Flag),
    ("services.*.blkio_config.device_read_bps.[].rate", Size),
    ("services.*.blkio_config.device_read_iops.[].rate", Size),
    ("services.*.blkio_config.device_write_bps.[].rate", Size),
    ("services.*.blkio_config.device_write_iops.[].rate", Size),
    ("services.*.blkio_config.weight", Natural),
    ("services.*.blkio_config.weight_device.[].weight", Natural),
    ("services.*.build.extra_hosts.[]", Host),
    ("services.*.build.no_cache", Flag),
    ("services.*.build.privileged", Flag),
    ("services.*.build.pull", Flag),
    ("services.*.build.secrets.[].mode", Mode),
    ("services.*.build.shm_size", Size),
    ("services.*.build.ulimits.*", Limit),
    ("services.*.build.ulimits.*.hard", Limit),
    ("services.*.build.ulimits.*.soft", Limit),
    ("services.*.configs.[].mode", Mode),
    ("services.*.deploy.placement.max_replicas_per_node", Natural),
    ("services.*.deploy.resources.limits.cpus", Processors),
    ("services.*.deploy.resources.limits.memory", Size),
    ("services.*.deploy.resources.limits.pids", Whole),
    ("services.*.deploy.resources.reservations.cpus", Processors),
    ("services.*.deploy.resources.reservations.devices.[].count", Devices),
    (
        "services.*.deploy.resources.reservations.generic_resources.[].discrete_resource_spec.value",
        Whole,
    ),
    ("services.*.deploy.resources.reservations.memory", Size),
    ("services.*.deploy.restart_policy.delay", Duration),
    ("services.*.deploy.restart_policy.max_attempts", Natural),
    ("services.*.deploy.restart_policy.window", Duration),
    ("services.*.deploy.rollback_config.delay", Duration),
    ("services.*.deploy.rollback_config.monitor", Duration),
    ("services.*.deploy.rollback_config.parallelism", Natural),
    ("services.*.deploy.update_config.delay", Duration),
    ("services.*.deploy.update_config.monitor", Duration),
    ("services.*.deploy.update_config.parallelism", Natural),
    ("services.*.develop.watch.[].exec.privileged", Flag),
    ("services.*.env_file.[].required", Flag),
    ("services.*.expose.[]", Text),
    ("services.*.extra_hosts.[]", Host),
    ("services.*.gpus.[].count", Devices),
    ("services.*.group_add.[]", Text),
    ("services.*.healthcheck.interval", Duration),
    ("services.*.healthcheck.retries", Natural),
    ("services.*.healthcheck.start_interval", Duration),
    ("services.*.healthcheck.start_period", Duration),
    ("services.*.healthcheck.timeout", Duration),
    ("services.*.mem_limit", Size),
    ("services.*.mem_reservation", Size),
    ("services.*.mem_swappiness", Size),
    ("services.*.memswap_limit", Size),
    ("services.*.ports.[].published", Text),
    ("services.*.post_start.[].privileged", Flag),
    ("services.*.pre_stop.[].privileged", Flag),
    ("services.*.secrets.[].mode", Mode),
    ("services.*.shm_size", Size),
    ("services.*.stop_grace_period", Duration),
    ("services.*.storage_opt.*", Text),
    ("services.*.ulimits.*", Limit),
    ("services.*.ulimits.*.hard", Limit),
    ("services.*.ulimits.*.soft", Limit),
    ("services.*.volumes.[].tmpfs.mode", Natural),
    ("services.*.volumes.[].tmpfs.size", Size),
    ("secrets.*.driver_opts.*", Text),
];

/// Looks at every value of a model that is in the table.
pub(super) fn check(model: &Item, findings: &mut Findings) {
    for (pattern, kind) in KINDS {
        let parts: Vec<&str> = pattern.split('.').collect();
        visit(model, &parts, &mut Vec::new(), *kind, findings);
    }
}

/// Goes down to where a pattern leads.
fn visit(item: &Item, rest: &[&str], path: &mut Vec<String>, kind: Kind, findings: &mut Findings) {
    let Some((part, rest)) = rest.split_first() else {
        if !kind.fits(item) {
            report(item, path, kind, findings);
        }
        return;
    };
    let mut down = |name: String, inner: &Item| {
        path.push(name);
        visit(inner, rest, path, kind, findings);
        path.pop();
    };
    match *part {
        "*" => item.entries().for_each(|(key, entry)| down(key.clone(), &entry.item)),
        "[]" => {
            let items = item.items().iter().enumerate();
            items.for_each(|(at, inner)| down(format!("[{at}]"), inner));
        }
        key => {
            if let Some(inner) = item.get(key) {
                down(key.to_owned(), inner);
            }
        }
    }
}

fn report(item: &Item, path: &[String], kind: Kind, findings: &mut Findings) {
    // The name of the service is in the line above.
    let path = if path[0] == "services" { &path[2..] } else { path };
    let place = path.join(".").replace(".[", "[");
    let (what, help) = kind.words();
    let value =
        if item.is_scalar() { format!("`{}`", item.plain()) } else { item.kind_name().into() };
    let finding = item.error(BAD_VALUE, format!("`{place}` is no {what}: {value}"));
    let is_quoted_number = kind == Natural && item.as_int().is_some_and(|number| number >= 0);
    let help = if is_quoted_number { "write it without quotes" } else { help };
    findings.push(finding.help(help));
}

impl Kind {
    /// Whether a value can be decoded. What is of another kind altogether has been reported before.
    fn fits(self, item: &Item) -> bool {
        match &item.data {
            Data::Null => true,
            Data::Str(text) => self.fits_text(text),
            Data::Int(value) => match self {
                Natural => *value >= 0,
                // What has more bits is an integer no longer.
                Mode | Limit | Devices | Text => i64::try_from(*value).is_ok(),
                Processors => !(i128::from(i64::MAX) + 1..=i128::from(u64::MAX)).contains(value),
                _ => true,
            },
            Data::Float(value) => match self {
                Natural => *value >= 0.0 || value.is_nan(),
                Mode | Limit | Devices | Text => false,
                _ => true,
            },
            Data::Bool(_) | Data::List(_) | Data::Map(_) => self != Text,
        }
    }

    fn fits_text(self, text: &str) -> bool {
        let is_whole = || text.parse::<i64>().is_ok();
        match self {
            Flag => !matches!(text, "0" | "1") && cast::boolean(text).is_some(),
            Whole => is_whole(),
            Natural | Limit => false,
            Size => cast::bytes(text).is_some_and(|size| size >= 0.0),
            // Compose takes one below nothing, and leaves it to the engine what that is.
            Duration => cast::duration(text.strip_prefix('-').unwrap_or(text)).is_some(),
            Processors => cast::number(text).is_some(),
            Mode => i64::from_str_radix(text, 8).is_ok(),
            Devices => text == "all" || is_whole(),
            Text => true,
            Host => text.contains([':', '=']),
        }
    }

    /// What it is called, and how it is written.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Flag => ("boolean", "write `true` or `false`"),
            Whole => ("integer", "write a whole number"),
            Natural => ("number from 0 on", "write a whole number that is not negative"),
            Size => ("size", "write it as `512`, `64k` or `1.5gb`"),
            Duration => ("duration", "write it as `1m30s`, `300ms` or `2h`"),
            Processors => ("number of processors", "write it as `0.5` or `2`"),
            Mode => ("mode of a file", "write it as `0440`"),
            Limit => ("limit", "write an integer, without quotes"),
            Devices => ("number of devices", "write an integer or `all`"),
            Text => ("text", "put it in quotes"),
            Host => ("name with an address", "write `NAME=ADDRESS`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KINDS;

    #[test]
    fn every_path_stands_once_and_in_order() {
        let services: Vec<_> = KINDS.iter().filter(|(path, _)| path.starts_with("se")).collect();
        assert_eq!(services.len(), KINDS.len());
        let own: Vec<_> =
            KINDS.iter().map(|(path, _)| *path).filter(|it| it.starts_with("services")).collect();
        assert!(own.windows(2).all(|two| two[0] < two[1]), "{own:?}");
    }
}
