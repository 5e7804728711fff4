//! The formats for programs: they keep their schemas, and nothing that an author wrote gets out.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::{Folder, GOOD, Run, broken};
use jsonschema::Validator;
use serde_json::{Value, json};

fn schema(path: &str) -> Validator {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let text = std::fs::read_to_string(format!("{root}{path}")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

fn assert_valid(schema: &Validator, value: &Value) {
    let errors: Vec<_> = schema.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
}

/// Names that an author with bad intentions would choose, written in YAML's escapes.
const HOSTILE: &str = "\
windlass: 1
types: {}
nodes: {}
\"</script><script>alert(1)</script>\": 1
\"\\e[2J\\e]0;title\\a\": 2
\"\\u202Eevil\\u2066\\u200B\": 3
\"line\\nbreak\\r::error file=x::y\": 4
\"%0A::warning::, :\": 5
\"[link](1) {0}\": 6
\"\\u009B31m\\u0085\\u2028\": 7
";

fn hostile(format: &str) -> Run {
    let folder = Folder::with(&[("a b%,:.yaml", HOSTILE)]);
    let run = folder.run(&["check", "a b%,:.yaml", "--format", format]);
    assert_eq!(run.code, 1);
    // Line breaks are layout; everything else that acts on a terminal must be gone.
    for stream in [&run.stdout, &run.stderr] {
        let acts = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!stream.contains(acts), "{format}: {stream:?}");
    }
    run
}

#[test]
fn hostile_names_stay_names_on_a_terminal() {
    let run = hostile("text");
    assert!(run.stdout.contains(r"\u{1b}[2J\u{1b}]0;title\u{7}"), "{}", run.stdout);
    assert!(run.stdout.contains(r"\u{202e}evil\u{2066}\u{200b}"), "{}", run.stdout);
}

#[test]
fn hostile_names_stay_names_in_json() {
    let run = hostile("json");
    assert!(!run.stdout.contains('<'), "{}", run.stdout);
    let report = run.json();
    let messages: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["message"].as_str().unwrap())
        .collect();
    for name in ["</script><script>alert(1)</script>", "\u{1b}[2J", "\u{202e}evil", "line\nbreak"] {
        assert!(messages.iter().any(|message| message.contains(name)), "{name:?} in {messages:?}");
    }
    assert_valid(&schema("../../docs/schemas/check.json"), &report);
}

#[test]
fn hostile_names_stay_names_in_sarif() {
    let run = hostile("sarif");
    assert!(!run.stdout.contains('<'), "{}", run.stdout);
    let log = run.json();
    assert_valid(&schema("tests/cli/sarif-facts.json"), &log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "a%20b%25%2C%3A.yaml");
    let text = results.iter().map(|r| r["message"]["text"].as_str().unwrap()).collect::<String>();
    assert!(!text.contains("[link](1)"), "a name is no link: {text}");
}

#[test]
fn hostile_names_stay_names_in_github_commands() {
    let run = hostile("github");
    let lines: Vec<_> = run.stdout.lines().collect();
    let findings = hostile("json").json()["findings"].as_array().unwrap().len();
    assert_eq!(lines.len(), findings, "one command for each finding: {lines:#?}");
    for line in lines {
        assert!(line.starts_with("::error file=a b%25%2C%3A.yaml,line="), "{line}");
    }
    assert!(run.stdout.contains("%250A"), "{}", run.stdout);
}

#[test]
fn json_has_the_form_of_the_contract() {
    let folder = Folder::with(&[("windlass.yaml", &broken("type: job }", "type: jib }"))]);
    let report = folder.run(&["check", "windlass.yaml", "--format", "json"]).json();
    assert_valid(&schema("../../docs/schemas/check.json"), &report);
    let mut finding = report["findings"][0].clone();
    let text = |value: &mut Value| value.take().as_str().map(str::to_owned);
    assert!(text(&mut finding["message"]).unwrap().contains("jib"));
    assert!(text(&mut finding["help"]).unwrap().contains("job"));
    let expected = json!({
        "code": "WL004", "severity": "error", "message": null, "file": "windlass.yaml",
        "line": 12, "column": 16, "end_line": 12, "end_column": 19, "help": null,
    });
    assert_eq!(finding, expected);
    let keys: Vec<_> = report.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema", "findings", "errors", "warnings"]);
    assert_eq!((&report["schema"], &report["errors"]), (&json!("windlass/check/1"), &json!(1)));
}

#[test]
fn a_good_file_gives_valid_reports_without_findings() {
    let folder = Folder::with(&[("windlass.yaml", GOOD)]);
    let json = folder.run(&["check", "windlass.yaml", "--format", "json"]);
    assert_valid(&schema("../../docs/schemas/check.json"), &json.json());
    let sarif = folder.run(&["check", "windlass.yaml", "--format", "sarif"]);
    assert_valid(&schema("tests/cli/sarif-facts.json"), &sarif.json());
    let github = folder.run(&["check", "windlass.yaml", "--format", "github"]);
    assert_eq!((github.stdout.as_str(), github.code), ("", 0));
}

#[test]
fn sarif_carries_rules_places_fixes_and_fingerprints() {
    let text =
        broken("operation: work", "oparation: work").replace("name: shop", "name: a\nname: b");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let log = folder.run(&["check", "windlass.yaml", "--format", "sarif"]).json();
    assert_valid(&schema("tests/cli/sarif-facts.json"), &log);
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    for result in results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        let page = windlass::rule::find(rule["id"].as_str().unwrap()).unwrap().doc;
        assert_eq!(rule["help"]["markdown"], page);
    }
    let duplicate = results.iter().find(|result| result["ruleId"] == "YAML002").unwrap();
    let related = &duplicate["relatedLocations"][0];
    assert_eq!(related["message"]["text"], "first given here");
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 2);
    let unknown = results.iter().find(|result| result["ruleId"] == "WL001").unwrap();
    let change = &unknown["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "windlass.yaml");
    assert_eq!(change["replacements"][0]["insertedContent"]["text"], "operation");
    // Lines above a finding do not change its fingerprint.
    folder.write("windlass.yaml", format!("# more\n{text}"));
    let moved = folder.run(&["check", "windlass.yaml", "--format", "sarif"]).json();
    let prints = |results: &Value| {
        let all = results.as_array().unwrap().iter();
        all.map(|result| result["partialFingerprints"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(prints(&run["results"]), prints(&moved["runs"][0]["results"]));
}

#[test]
fn the_facts_of_sarif_are_not_met_by_just_anything() {
    let facts = schema("tests/cli/sarif-facts.json");
    let folder = Folder::with(&[("windlass.yaml", "a: 1\na: 2\n")]);
    let log = folder.run(&["check", "windlass.yaml", "--format", "sarif"]).json();
    assert_valid(&facts, &log);
    for (pointer, wrong) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/tool/driver/name", json!(null)),
        ("/runs/0/results/0/level", json!("fatal")),
        ("/runs/0/results/0/message", json!("text")),
        ("/runs/0/results/0/ruleIndex", json!(-2)),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", json!(0)),
    ] {
        let mut changed = log.clone();
        *changed.pointer_mut(pointer).unwrap() = wrong;
        assert!(!facts.is_valid(&changed), "{pointer}");
    }
}

#[test]
fn explain_and_baselines_keep_their_schemas() {
    let folder = Folder::with(&[("windlass.yaml", &broken("type: job }", "type: jib }"))]);
    let explain = schema("../../docs/schemas/explain.json");
    assert_valid(&explain, &folder.run(&["explain", "--list", "--format", "json"]).json());
    assert_valid(&explain, &folder.run(&["explain", "WL001", "--format", "json"]).json());
    folder.run(&["check", "windlass.yaml", "--write-baseline", "old.json"]);
    let baseline = serde_json::from_str(&folder.read("old.json")).unwrap();
    assert_valid(&schema("../../docs/schemas/baseline.json"), &baseline);
}
