//! The sets of HOT: invariants, figures of the paper, Heat's unit tests, real templates.
//!
//! An answer is right when `windlass check` finds an error exactly where the expectation says
//! "reject"; `windlass prove` is right when it says that creating a stack which Heat accepts always
//! completes. For an invariant the finding must name its row, whatever its severity. The verdict of
//! a unit test about one resource counts findings in the lines of that resource only.

use super::{Score, process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Scores every set that is there.
pub fn score(windlass: &Path, folder: &Path) -> Result<Vec<Score>, String> {
    let mut scores = Vec::new();
    scores.extend(invariants(windlass, &folder.join("invariants"))?);
    scores.extend(seed(windlass, &folder.join("seed"))?);
    scores.extend(unit(windlass, folder)?);
    scores.extend(templates(windlass, folder)?);
    scores.extend(proofs(windlass, folder)?);
    Ok(scores)
}

fn set(name: &str, wrong: Vec<String>, total: usize) -> Score {
    let right = total - wrong.len();
    Score { set: name.to_owned(), right, total, all_must_be_right: false, wrong }
}

/// One finding: severity, message and lines.
struct Finding {
    severity: String,
    message: String,
    line: u64,
}

/// Checks a template.
fn check(windlass: &Path, file: &Path, more: &[&str]) -> Result<Vec<Finding>, String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let name = file.display().to_string();
    let arguments = [&["check", "--lang", "hot", "--format", "json", name.as_str()], more].concat();
    let ended = process::run(windlass, folder, &arguments)?;
    if let Some(crash) = ended.crash {
        return Ok(vec![Finding { severity: "error".to_owned(), message: crash, line: 0 }]);
    }
    let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
    let found = answer["findings"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(found
        .iter()
        .map(|finding| Finding {
            severity: text(&finding["severity"]),
            message: text(&finding["message"]),
            line: finding["line"].as_u64().unwrap_or_default(),
        })
        .collect())
}

fn first_error(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| finding.severity == "error")
}

fn invariants(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Some(rows) = json(&folder.join("EXPECTED.json"))? else { return Ok(None) };
    let (mut wrong, mut total) = (Vec::new(), 0);
    for row in rows.as_array().into_iter().flatten() {
        let id = row["id"].as_str().unwrap_or_default();
        for kind in ["bad", "ok"] {
            let Some(file) = row[kind].as_str() else { continue };
            total += 1;
            let path = folder.join(file);
            let findings = check(windlass, &path, &[])?;
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let mut named = findings.iter().filter(|finding| finding.message.contains(id));
            if kind == "bad" && !named.any(|finding| is_about(&row["types"], &text, finding.line)) {
                wrong.push(format!("{file}: not reported, or not at the line of its resource"));
            }
            if let (Some(error), "ok") = (first_error(&findings), kind) {
                wrong.push(format!("{file}: {}", error.message));
            }
        }
    }
    Ok(Some(set("hot-invariants", wrong, total)))
}

/// Whether a line belongs to a resource of one of some types, by the last words of their names.
/// Rows about parameters, outputs and the like, or about every type, are not about one.
fn is_about(types: &Value, text: &str, line: u64) -> bool {
    const OTHERS: [&str; 8] = [
        "Template",
        "Parameter",
        "ParameterGroup",
        "ParameterConstraint",
        "Condition",
        "Output",
        "Resource",
        "all",
    ];
    let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
    let mut types = types.as_array().into_iter().flatten().filter_map(Value::as_str);
    types.any(|name| {
        OTHERS.contains(&name) || type_at(text, line).is_some_and(|at| at == last(name))
    })
}

/// The last word of the type of the resource that a line of a template belongs to; resources are
/// indented by two blanks.
fn type_at(text: &str, line: u64) -> Option<String> {
    let is_head = |line: &str| line.starts_with("  ") && !line[2..].starts_with([' ', '#']);
    let lines: Vec<&str> = text.lines().collect();
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    let head = (0..=at).rev().find(|at| lines.get(*at).is_some_and(|line| is_head(line)))?;
    let body = lines[head + 1..].iter().take_while(|line| !is_head(line));
    let of_resource = [lines[head]].into_iter().chain(body.copied());
    let name = of_resource.into_iter().find_map(|line| line.split_once("type: "))?.1;
    let end = name.find([',', '}']).unwrap_or(name.len());
    Some(name[..end].trim_matches(['\'', '"', ' ']).rsplit("::").next()?.to_owned())
}

fn seed(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Some(rows) = json(&folder.join("EXPECTED.json"))? else { return Ok(None) };
    let (mut wrong, mut total) = (Vec::new(), 0);
    for (file, row) in rows.as_object().into_iter().flatten() {
        total += 1;
        let findings = check(windlass, &folder.join(file), &[])?;
        // A verdict for which a warning is suggested may be one.
        let warned = row["severity"].is_string()
            && findings.iter().any(|finding| finding.severity == "warning");
        let rejected = warned || first_error(&findings).is_some();
        if rejected != (row["expect"] == "reject") {
            wrong.push(format!("{file}: expected {}", row["expect"]));
        }
    }
    Ok(Some(set("hot-seed", wrong, total)))
}

fn unit(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Ok(text) = std::fs::read_to_string(folder.join("heat-unit/oracle.jsonl")) else {
        return Ok(None);
    };
    let types = json(&folder.join("heat_resource_types.json"))?.unwrap_or_default();
    let known: BTreeSet<&str> =
        types["types"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let scratch = std::env::temp_dir().join(format!("windlass-hot-{}", std::process::id()));
    let (mut wrong, mut total) = (Vec::new(), 0);
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if case["format"] != "hot" || case["only_registered_types"] != true || !uses(&case, &known)
        {
            continue;
        }
        total += 1;
        if let Some(message) = one_unit(windlass, &scratch, &case)? {
            wrong.push(message);
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(Some(set("hot-unit", wrong, total)))
}

/// Whether all types of a template are known ones.
fn uses(case: &Value, known: &BTreeSet<&str>) -> bool {
    let resources = case["template"]["resources"].as_object();
    let own = |resource: &Value| resource["type"].as_str().is_none_or(|name| known.contains(name));
    let member = |resource: &Value| {
        ["resource_def", "resource"].iter().all(|key| own(&resource["properties"][key]))
    };
    resources.into_iter().flatten().all(|(_, resource)| own(resource) && member(resource))
}

/// What is wrong with the answer to a unit test, if anything.
fn one_unit(windlass: &Path, scratch: &Path, case: &Value) -> Result<Option<String>, String> {
    let say = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(scratch).map_err(say)?;
    let text = serde_json::to_string_pretty(&case["template"]).map_err(|e| e.to_string())?;
    let template = scratch.join("template.json");
    std::fs::write(&template, &text).map_err(say)?;
    for (name, content) in case["files"].as_object().into_iter().flatten() {
        if !name.contains('/') {
            std::fs::write(scratch.join(name), content.as_str().unwrap_or_default())
                .map_err(say)?;
        }
    }
    let environment = scratch.join("environment.json");
    std::fs::write(&environment, case["env"].to_string()).map_err(say)?;
    let kind = case["kind"].as_str().unwrap_or_default();
    let environment = environment.display().to_string();
    let more = ["--env", environment.as_str()];
    // Only the check of a whole stack asks for values.
    let more: &[&str] = if kind == "stack_validate" { &more } else { &[] };
    let mut findings = check(windlass, &template, more)?;
    if let Some(resource) = kind.strip_prefix("resource_validate:") {
        let lines = lines_of(&text, resource);
        findings.retain(|finding| lines.contains(&finding.line));
    }
    let rejected = first_error(&findings);
    if rejected.is_some() == (case["verdict"] == "reject") {
        return Ok(None);
    }
    let reason = rejected.map_or_else(|| case["error"].to_string(), |error| error.message.clone());
    Ok(Some(format!("{}: expected {}: {reason}", case["id"], case["verdict"])))
}

/// The lines of a resource in a template that was written with two blanks for each level.
fn lines_of(text: &str, resource: &str) -> std::ops::RangeInclusive<u64> {
    let head = format!("    \"{resource}\": ");
    let mut lines = text.lines().zip(1u64..);
    let start = lines.find(|(line, _)| line.starts_with(&head)).map_or(0, |(_, at)| at);
    let end = lines.find(|(line, _)| line.starts_with("    }")).map_or(start, |(_, at)| at);
    start..=end
}

fn templates(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Ok(table) = std::fs::read_to_string(folder.join("heat-templates.ORACLE.tsv")) else {
        return Ok(None);
    };
    let (mut wrong, mut total) = (Vec::new(), 0);
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [file, with_environment, verdict, ..] = columns[..] else { continue };
        total += 1;
        let path = folder.join(file);
        let environment = environment_of(&path).filter(|_| with_environment == "y");
        let environment = environment.map(|path| path.display().to_string());
        let more: Vec<&str> =
            environment.iter().flat_map(|path| ["--env", path.as_str()]).collect();
        let findings = check(windlass, &path, &more)?;
        let error = first_error(&findings);
        if error.is_some() != (verdict == "reject") {
            let reason = error.map_or("nothing found", |error| &error.message);
            wrong.push(format!("{file}: expected {verdict}: {reason}"));
        }
    }
    Ok(Some(set("hot-templates", wrong, total)))
}

/// How many templates are proved.
const PROVED: usize = 30;

/// Creating the stack of a template that Heat accepts always completes.
fn proofs(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Ok(table) = std::fs::read_to_string(folder.join("heat-templates.ORACLE.tsv")) else {
        return Ok(None);
    };
    let (mut wrong, mut total) = (Vec::new(), 0);
    let rows = table.lines().skip(1).map(|row| row.split('\t').collect::<Vec<&str>>());
    // One of four, so that templates of all sorts are among them.
    let accepted = rows.filter(|columns| columns.get(2) == Some(&"accept")).step_by(4);
    for columns in accepted.take(PROVED) {
        let path = folder.join(columns[0]);
        let environment = environment_of(&path).filter(|_| columns[1] == "y");
        let environment = environment.map(|path| path.display().to_string());
        let more: Vec<&str> =
            environment.iter().flat_map(|path| ["--env", path.as_str()]).collect();
        let name = path.display().to_string();
        let arguments = [&["prove", "--lang", "hot", "--format", "json", &name], &more[..]];
        let at = path.parent().unwrap_or(folder);
        let ended = process::run(windlass, at, &arguments.concat())?;
        let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
        total += 1;
        if answer["verdict"] != "always_completes" {
            let reason = ended.crash.unwrap_or_else(|| answer["verdict"].to_string());
            wrong.push(format!("{}: {reason}", columns[0]));
        }
    }
    Ok(Some(set("hot-prove", wrong, total)))
}

/// The environment beside a template.
fn environment_of(template: &Path) -> Option<PathBuf> {
    let stem = template.file_stem()?.to_string_lossy();
    let path = template.with_file_name(format!("{stem}_env.yaml"));
    path.is_file().then_some(path)
}

/// A JSON file; none when it is not there.
fn json(path: &Path) -> Result<Option<Value>, String> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{lines_of, type_at};

    #[test]
    fn the_type_at_a_line_is_found() {
        let text = "resources:\n  a: {type: 'OS::Nova::Server', name: x}\n  b:\n    type: OS::Neutron::Port\n    properties: {}\n";
        assert_eq!(type_at(text, 2).as_deref(), Some("Server"));
        assert_eq!(type_at(text, 5).as_deref(), Some("Port"));
        assert_eq!(type_at(text, 1), None);
    }

    #[test]
    fn the_lines_of_a_resource_are_found() {
        let text = "{\n  \"resources\": {\n    \"a\": {\n      \"type\": 1\n    },\n    \"b\": {\n      \"c\": 2\n    }\n  }\n}";
        assert_eq!(lines_of(text, "a"), 3..=5);
        assert_eq!(lines_of(text, "b"), 6..=8);
    }
}
