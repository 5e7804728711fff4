//! Variables in values: `$VAR`, `${VAR}` and the forms with a default, an error or a replacement.
//!
//! Names are compared as written; a name starts with a letter or `_`. `$$` is one `$`, and so is a
//! `$` that starts nothing. What stands behind `:-`, `-`, `:+`, `+`, `:?` or `?` may hold variables
//! itself, and must be right also when it is not used: Compose evaluates it first.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Data, Item};
use super::{BAD_CAST, BAD_TEMPLATE, UNSET_VARIABLE, cast};
use crate::diagnostic::Diagnostic;

/// Variables by name.
pub type Environment = BTreeMap<String, String>;

/// Defaults in defaults that are allowed.
const MAX_NESTING: usize = 64;

/// What a template may lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplateError {
    /// It is not in the notation.
    Invalid,
    /// It has more defaults in defaults than are allowed.
    TooDeep,
    /// `${VAR:?message}`, and there is no value.
    Required {
        /// The variable.
        name: String,
        /// What the author says about it.
        message: String,
    },
}

/// Replaces the variables in a text; `unset` gets the names that have no value.
pub(crate) fn substitute(
    text: &str,
    environment: &Environment,
    unset: &mut BTreeSet<String>,
) -> Result<String, TemplateError> {
    if !text.contains('$') {
        return Ok(text.to_owned());
    }
    expand(text, environment, unset, 0)
}

fn expand(
    text: &str,
    environment: &Environment,
    unset: &mut BTreeSet<String>,
    depth: usize,
) -> Result<String, TemplateError> {
    if depth > MAX_NESTING {
        return Err(TemplateError::TooDeep);
    }
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.chars().next() {
            Some('$') => {
                result.push('$');
                rest = &rest[1..];
            }
            Some('{') => {
                let end = closing_brace(rest).ok_or(TemplateError::Invalid)?;
                let value = braced(&rest[1..end], environment, unset, depth)?;
                result.push_str(&value);
                rest = &rest[end + 1..];
            }
            Some(first) if first == '_' || first.is_ascii_alphabetic() => {
                let end = name_length(rest);
                result.push_str(&value_or_unset(&rest[..end], environment, unset));
                rest = &rest[end..];
            }
            // Compose leaves it as it is: `$(date)`, `$1`.
            _ => result.push('$'),
        }
    }
    result.push_str(rest);
    Ok(result)
}

/// Where the brace with which the text starts is closed.
fn closing_brace(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' if at == 0 || bytes[at - 1] == b'$' => open += 1,
            b'}' => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric())).unwrap_or(text.len())
}

fn value_or_unset(name: &str, environment: &Environment, unset: &mut BTreeSet<String>) -> String {
    match environment.get(name) {
        Some(value) => value.clone(),
        None => {
            unset.insert(name.to_owned());
            String::new()
        }
    }
}

/// What stands between braces.
fn braced(
    inside: &str,
    environment: &Environment,
    unset: &mut BTreeSet<String>,
    depth: usize,
) -> Result<String, TemplateError> {
    let (name, rest) = inside.split_at(name_length(inside));
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(TemplateError::Invalid);
    }
    let value = environment.get(name);
    let non_empty = value.filter(|value| !value.is_empty());
    let (operator, word) = match rest.strip_prefix(':') {
        Some(behind) => (behind.chars().next().map(|c| (c, true)), behind.get(1..)),
        None => (rest.chars().next().map(|c| (c, false)), rest.get(1..)),
    };
    let Some((operator, empty_counts_as_unset)) = operator else {
        return match rest {
            "" => Ok(value_or_unset(name, environment, unset)),
            _ => Err(TemplateError::Invalid),
        };
    };
    let word = word.unwrap_or_default();
    let known = if empty_counts_as_unset { non_empty } else { value };
    if !matches!(operator, '-' | '+' | '?') {
        return Err(TemplateError::Invalid);
    }
    // A variable of an unused part may be missing.
    let is_used = known.is_some() == (operator == '+');
    let mut unused = BTreeSet::new();
    let unset = if is_used { unset } else { &mut unused };
    let word = expand(word, environment, unset, depth + 1)?;
    match (operator, known) {
        ('+', Some(_)) | ('-', None) => Ok(word),
        ('+', None) => Ok(String::new()),
        (_, Some(value)) => Ok(value.clone()),
        (_, None) => Err(TemplateError::Required { name: name.to_owned(), message: word }),
    }
}

/// What a text at a path is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cast {
    Boolean,
    Integer,
    Number,
}

/// Paths whose texts stand for something else. `*` is any key, `[]` any item.
const CASTS: &[(&str, Cast)] = &[
    ("services.*.configs.[].mode", Cast::Integer),
    ("services.*.cpu_count", Cast::Integer),
    ("services.*.cpu_percent", Cast::Number),
    ("services.*.cpu_period", Cast::Integer),
    ("services.*.cpu_quota", Cast::Integer),
    ("services.*.cpu_rt_period", Cast::Integer),
    ("services.*.cpu_rt_runtime", Cast::Integer),
    ("services.*.cpus", Cast::Number),
    ("services.*.cpu_shares", Cast::Integer),
    ("services.*.init", Cast::Boolean),
    ("services.*.depends_on.*.restart", Cast::Boolean),
    ("services.*.deploy.replicas", Cast::Integer),
    ("services.*.deploy.update_config.parallelism", Cast::Integer),
    ("services.*.deploy.update_config.max_failure_ratio", Cast::Number),
    ("services.*.deploy.rollback_config.parallelism", Cast::Integer),
    ("services.*.deploy.rollback_config.max_failure_ratio", Cast::Number),
    ("services.*.deploy.restart_policy.max_attempts", Cast::Integer),
    ("services.*.deploy.placement.max_replicas_per_node", Cast::Integer),
    ("services.*.healthcheck.retries", Cast::Integer),
    ("services.*.healthcheck.disable", Cast::Boolean),
    ("services.*.oom_kill_disable", Cast::Boolean),
    ("services.*.oom_score_adj", Cast::Integer),
    ("services.*.pids_limit", Cast::Integer),
    ("services.*.ports.[].target", Cast::Integer),
    ("services.*.privileged", Cast::Boolean),
    ("services.*.read_only", Cast::Boolean),
    ("services.*.scale", Cast::Integer),
    ("services.*.secrets.[].mode", Cast::Integer),
    ("services.*.stdin_open", Cast::Boolean),
    ("services.*.tty", Cast::Boolean),
    ("services.*.ulimits.*", Cast::Integer),
    ("services.*.ulimits.*.hard", Cast::Integer),
    ("services.*.ulimits.*.soft", Cast::Integer),
    ("services.*.volumes.[].read_only", Cast::Boolean),
    ("services.*.volumes.[].bind.create_host_path", Cast::Boolean),
    ("services.*.volumes.[].volume.nocopy", Cast::Boolean),
    ("networks.*.external", Cast::Boolean),
    ("networks.*.internal", Cast::Boolean),
    ("networks.*.attachable", Cast::Boolean),
    ("networks.*.enable_ipv4", Cast::Boolean),
    ("networks.*.enable_ipv6", Cast::Boolean),
    ("volumes.*.external", Cast::Boolean),
    ("secrets.*.external", Cast::Boolean),
    ("configs.*.external", Cast::Boolean),
];

/// Replaces variables in every text below `item`, and turns texts into what their path asks for.
pub(crate) fn interpolate(
    item: &mut Item,
    environment: &Environment,
    findings: &mut Vec<Diagnostic>,
) {
    let mut walk = Walk { environment, findings, path: Vec::new(), reported: BTreeSet::new() };
    walk.visit(item);
}

struct Walk<'a> {
    environment: &'a Environment,
    findings: &'a mut Vec<Diagnostic>,
    path: Vec<String>,
    reported: BTreeSet<String>,
}

impl Walk<'_> {
    fn visit(&mut self, item: &mut Item) {
        match &mut item.data {
            Data::List(items) => {
                for item in items {
                    self.path.push("[]".to_owned());
                    self.visit(item);
                    self.path.pop();
                }
            }
            Data::Map(map) => {
                for (key, entry) in map {
                    self.path.push(key.clone());
                    self.visit(&mut entry.item);
                    self.path.pop();
                }
            }
            Data::Str(_) => self.visit_text(item),
            Data::Null | Data::Bool(_) | Data::Int(_) | Data::Float(_) => {}
        }
    }

    fn visit_text(&mut self, item: &mut Item) {
        let Data::Str(text) = &item.data else { return };
        let mut unset = BTreeSet::new();
        match substitute(text, self.environment, &mut unset) {
            Ok(value) => {
                for name in unset {
                    if self.reported.insert(name.clone()) {
                        let message =
                            format!("the variable `{name}` is not set and reads as empty text");
                        let help = format!(
                            "set it in the environment or in `.env`, or say `${{{name}:-}}`"
                        );
                        let finding = Diagnostic::warning(UNSET_VARIABLE, item.span, message);
                        self.findings.push(finding.help(help));
                    }
                }
                match self.cast_of_path().map(|cast| (cast, cast.apply(&value))) {
                    Some((_, Some(data))) => item.data = data,
                    Some((cast, None)) => self.report_cast(item, &value, cast),
                    None => item.data = Data::Str(value),
                }
            }
            Err(error) => self.findings.push(error.finding(item)),
        }
    }

    fn cast_of_path(&self) -> Option<Cast> {
        CASTS.iter().find(|(pattern, _)| matches_path(pattern, &self.path)).map(|(_, cast)| *cast)
    }

    fn report_cast(&mut self, item: &Item, value: &str, cast: Cast) {
        let (kind, help) = match cast {
            Cast::Boolean => ("a boolean", "write `true` or `false`"),
            Cast::Integer => ("an integer", "write a whole number, without a unit"),
            Cast::Number => ("a number", "write a number, without a unit"),
        };
        let path = self.path.join(".").replace(".[]", "[]");
        let message = format!("`{path}` must be {kind}; this is `{value}`");
        self.findings.push(item.error(BAD_CAST, message).help(help));
    }
}

impl TemplateError {
    fn finding(&self, item: &Item) -> Diagnostic {
        match self {
            TemplateError::Invalid => item
                .error(BAD_TEMPLATE, "a `${` that starts no variable")
                .help("write `$$` for a dollar sign, `${NAME}` for a variable"),
            TemplateError::TooDeep => item
                .error(BAD_TEMPLATE, format!("more than {MAX_NESTING} variables in each other"))
                .help("give some of them a variable of their own"),
            TemplateError::Required { name, message } => {
                let reason =
                    if message.is_empty() { String::new() } else { format!(": {message}") };
                item.error(BAD_TEMPLATE, format!("the variable `{name}` must have a value{reason}"))
                    .help(format!("set `{name}` in the environment or in `.env`"))
            }
        }
    }
}

impl Cast {
    fn apply(self, text: &str) -> Option<Data> {
        match self {
            Cast::Boolean => match text {
                "0" | "1" => None,
                text => cast::boolean(text).map(Data::Bool),
            },
            Cast::Integer => {
                let octal = text.strip_prefix('0').filter(|rest| !rest.is_empty());
                let octal = octal.and_then(|rest| i128::from_str_radix(rest, 8).ok());
                let number = octal.or_else(|| text.parse().ok());
                number.filter(|number| i64::try_from(*number).is_ok()).map(Data::Int)
            }
            Cast::Number => cast::number(text).map(Data::Float),
        }
    }
}

/// Whether a path is one of a pattern: `*` any key, `[]` any item.
pub(crate) fn matches_path(pattern: &str, path: &[String]) -> bool {
    let mut parts = path.iter();
    for wanted in pattern.split('.') {
        match parts.next() {
            Some(_) if wanted == "*" => {}
            Some(part) if part == wanted => {}
            _ => return false,
        }
    }
    parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<String, TemplateError> {
        let environment: Environment =
            [("SET", "value"), ("EMPTY", "")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        substitute(text, &environment, &mut BTreeSet::new())
    }

    #[test]
    fn every_form_of_a_variable() {
        for (text, expected) in [
            ("$SET-x", "value-x"),
            ("${SET}", "value"),
            ("$$SET", "$SET"),
            ("${EMPTY:-d}", "d"),
            ("${EMPTY-d}", ""),
            ("${NONE-d}", "d"),
            ("${NONE:-a${SET}b}", "avalueb"),
            ("${NONE:-${NONE:-deep}}", "deep"),
            ("${SET:+r}", "r"),
            ("${EMPTY:+r}", ""),
            ("${EMPTY+r}", "r"),
            ("${SET:?e}", "value"),
            ("${NONE}", ""),
            ("no variable", "no variable"),
            ("$", "$"),
            ("a $ b", "a $ b"),
            ("$1 $(date) $}", "$1 $(date) $}"),
            ("$$$", "$$"),
            ("${NONE:-$1}", "$1"),
        ] {
            assert_eq!(expand(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn an_unused_variable_may_be_missing() {
        let environment: Environment = [("SET".to_owned(), "value".to_owned())].into();
        for (text, missed) in
            [("${SET:-$NONE}", 0), ("${OTHER:+$NONE}", 0), ("${SET:+$NONE}", 1), ("${NONE:-$A}", 1)]
        {
            let mut unset = BTreeSet::new();
            assert!(substitute(text, &environment, &mut unset).is_ok(), "{text}");
            assert_eq!(unset.len(), missed, "{text}");
        }
    }

    #[test]
    fn what_is_no_variable_is_an_error() {
        for text in ["${", "${}", "${1}", "${SET!}", "a${SET", "${NONE:-${}", "${SET}${"] {
            assert_eq!(expand(text), Err(TemplateError::Invalid), "{text}");
        }
        let required = TemplateError::Required { name: "NONE".into(), message: "say so".into() };
        assert_eq!(expand("${NONE:?say so}"), Err(required));
        let inner = TemplateError::Required { name: "NONE".into(), message: "no".into() };
        for text in ["${NONE:+${NONE:?no}}", "${NONE+a ${NONE?no}}", "${SET:-${NONE:?no}}"] {
            assert_eq!(expand(text), Err(inner.clone()), "{text}");
        }
        assert_eq!(expand("${SET:?${NONE:?no}}"), Err(inner));
        assert_eq!(expand("${SET:-${}}"), Err(TemplateError::Invalid));
        let deep = "${NONE:-".repeat(100_000) + &"}".repeat(100_000);
        assert_eq!(expand(&deep), Err(TemplateError::TooDeep));
    }
}
