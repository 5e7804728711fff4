//! `cargo xtask hot-types DUMP`: the property schemas of Heat's resource types in compact form.
//!
//! The dump is JSON: `{"types": {NAME: {"properties", "attributes", "update_policy", "support",
//! "service", "entity"}}}`, as a program that imports Heat's plug-ins writes it. Only facts are
//! kept: names, types, flags, constraints, versions. The notation is described in
//! `crates/windlass/src/lang/hot/facts.rs`, which reads it.

use crate::Outcome;
use crate::repository::Repository;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::PathBuf;

const TARGET: &str = "crates/windlass/src/lang/hot/types.txt";

/// Where the dump is.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The dump, JSON.
    dump: PathBuf,
}

/// Writes the compact form.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    let text = std::fs::read_to_string(&options.dump)
        .map_err(|error| format!("{}: {error}", options.dump.display()))?;
    let dump: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let types = dump["types"].as_object().ok_or("the dump has no `types`")?;
    repository.write(TARGET, &compact(types)?)?;
    println!("{TARGET}: {} types", types.len());
    Ok(true)
}

/// All types, sorted by name, because they are looked up by halving.
fn compact(types: &Map<String, Value>) -> Result<String, String> {
    let mut names: Vec<&String> = types.keys().collect();
    names.sort();
    let mut out = String::new();
    for name in names {
        let facts = &types[name];
        let support: Vec<String> = facts["support"]
            .as_array()
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .map(|step| format!("{}:{}", word(&step["status"]), word(&step["version"])))
            .collect();
        let _ = writeln!(
            out,
            "T\t{name}\t{}\t{}\t{}",
            word(&facts["service"]),
            word(&facts["entity"]),
            support.join(",")
        );
        properties(&mut out, 'P', 0, &facts["properties"])?;
        properties(&mut out, 'U', 0, &facts["update_policy"])?;
        for (attribute, schema) in facts["attributes"].as_object().into_iter().flatten() {
            let _ = writeln!(out, "A\t{attribute}\t{}", word(&schema["type"]));
        }
    }
    Ok(out)
}

fn properties(out: &mut String, mark: char, depth: usize, schema: &Value) -> Result<(), String> {
    for (name, facts) in schema.as_object().into_iter().flatten() {
        let mut flags = String::new();
        for (flag, letter) in [("required", 'r'), ("update_allowed", 'u'), ("immutable", 'i')] {
            if facts[flag] == Value::Bool(true) {
                flags.push(letter);
            }
        }
        if facts["implemented"] == Value::Bool(false) {
            flags.push('n');
        }
        flags.push_str(match facts["status"].as_str() {
            Some("HIDDEN") => "h",
            Some("DEPRECATED") => "d",
            Some("UNSUPPORTED") => "x",
            _ => "",
        });
        let _ = write!(out, "{mark}{depth}\t{name}\t{}\t{flags}", word(&facts["type"]));
        for constraint in facts["constraints"].as_array().into_iter().flatten() {
            for (kind, value) in constraint.as_object().into_iter().flatten() {
                let _ = write!(out, "\t{}", one_constraint(kind, value)?);
            }
        }
        if facts.get("default").is_some_and(|default| !default.is_null()) {
            let _ = write!(out, "\t={}", text(&facts["default"]));
        }
        out.push('\n');
        properties(out, mark, depth + 1, &facts["schema"])?;
    }
    Ok(())
}

fn one_constraint(kind: &str, value: &Value) -> Result<String, String> {
    let bound = |name: &str| value.get(name).map(word).filter(|bound| bound != "-");
    let bounds = || {
        let [min, max] = ["min", "max"].map(|name| bound(name).unwrap_or_default());
        format!("{min}..{max}")
    };
    Ok(match kind {
        "allowed_values" => {
            let values: Vec<String> = value.as_array().into_iter().flatten().map(text).collect();
            if values.iter().any(|value| value.contains(['|', '\t', '\n'])) {
                return Err(format!("a value with a separator: {values:?}"));
            }
            format!("in:{}", values.join("|"))
        }
        "range" => format!("range:{}", bounds()),
        "length" => format!("length:{}", bounds()),
        "allowed_pattern" => format!("pattern:{}", text(value)),
        "custom_constraint" => format!("is:{}", text(value)),
        other => return Err(format!("an unknown constraint `{other}`")),
    })
}

/// A name or number; `-` for none.
fn word(value: &Value) -> String {
    if value.is_null() { "-".to_owned() } else { text(value) }
}

/// A scalar as it would be written; other values as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::compact;
    use serde_json::json;

    #[test]
    fn a_type_is_one_line_and_one_for_each_property() {
        let dump = json!({"OS::A::B": {
            "service": "a", "entity": null, "support": [{"status": "SUPPORTED", "version": null}],
            "attributes": {"x": {"type": "map"}},
            "properties": {"p": {"type": "list", "required": true, "update_allowed": true,
                "schema": {"*": {"type": "integer", "constraints": [{"range": {"min": 1}}]}}}}
        }});
        let expected = "T\tOS::A::B\ta\t-\tSUPPORTED:-\nP0\tp\tlist\tru\n\
                        P1\t*\tinteger\t\trange:1..\nA\tx\tmap\n";
        assert_eq!(compact(dump.as_object().unwrap()).unwrap(), expected);
    }
}
