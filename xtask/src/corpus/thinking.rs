//! The set `thinking`: one application in four languages gives one topology, up to names; and with
//! fault handlers, in our language and as BARREL's archive, the same verdicts on ten plans.

use super::{Score, process};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The application in RAMP's, BARREL's and TosKer's languages, below the folder of the corpus.
const FOREIGN: [&str; 3] = [
    "ramp/thinking-app/thinking.json",
    "barrel/thinking-app.csar",
    "tosker/examples/thinking-app/thinking/thinking.yaml",
];

/// The application with fault handlers as BARREL's archive.
const HANDLED: &str = "barrel/thinking-app-with-fault-handlers.csar";

/// Asks about every plan of a folder, which also holds the application in our language; nothing
/// when a file is not there.
pub fn plans(windlass: &Path, folder: &Path, handled: &Path) -> Result<Option<Score>, String> {
    let (own, archive) = (handled.join("thinking.yaml"), folder.join(HANDLED));
    if !own.is_file() || !archive.is_file() {
        return Ok(None);
    }
    let (mut total, mut wrong) = (0, Vec::new());
    for plan in super::files_below(handled)? {
        let plan = plan.display().to_string();
        if !plan.ends_with(".plan.yaml") {
            continue;
        }
        total += 1;
        let verdict = |application: &Path| {
            let application = application.display().to_string();
            let arguments = ["verify", &plan, "--app", &application, "--format", "json"];
            let ended = process::run(windlass, folder, &arguments)?;
            let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
            Ok::<_, String>(answer["verdict"].as_str().unwrap_or("no verdict").to_owned())
        };
        let (ours, theirs) = (verdict(&own)?, verdict(&archive)?);
        if ours != theirs || ours == "no verdict" {
            wrong.push(format!("{plan}: {ours}, the archive: {theirs}"));
        }
    }
    let (set, right) = ("thinking-plans".to_owned(), total - wrong.len());
    Ok(Some(Score { set, right, total, all_must_be_right: false, wrong }))
}

/// Who binds to whom, and whether the one lives in the other.
type Topology = BTreeMap<String, BTreeSet<(String, bool)>>;

/// Compares with the application in our own language at `own`; nothing when a file is not there.
pub fn score(windlass: &Path, folder: &Path, own: &Path) -> Result<Option<Score>, String> {
    if !own.is_file() || FOREIGN.iter().any(|path| !folder.join(path).is_file()) {
        return Ok(None);
    }
    let wanted = topology(windlass, folder, own)?;
    let mut wrong = Vec::new();
    for path in FOREIGN {
        let found = topology(windlass, folder, &folder.join(path))?;
        if !is_same(&wanted, &found) {
            wrong.push(format!("{path}: {found:?}, expected {wanted:?}"));
        }
    }
    let total = FOREIGN.len();
    let right = total - wrong.len();
    Ok(Some(Score { set: "thinking".to_owned(), right, total, all_must_be_right: false, wrong }))
}

fn topology(windlass: &Path, folder: &Path, file: &Path) -> Result<Topology, String> {
    let file = file.display().to_string();
    let ended = process::run(windlass, folder, &["convert", &file, "--to", "json"])?;
    Ok(read(&serde_json::from_str(&ended.output).unwrap_or_default()))
}

/// The topology of an application in our language. Volumes are left out: only TosKer has them.
fn read(application: &Value) -> Topology {
    let nodes = application["nodes"].as_object();
    let mut topology = Topology::new();
    let mut volumes = BTreeSet::new();
    for (name, node) in nodes.into_iter().flatten() {
        let of = node["type"].as_str().unwrap_or_default();
        let requirements = &application["types"][of]["requirements"];
        let bound = topology.entry(name.clone()).or_default();
        for (requirement, target) in node["bind"].as_object().into_iter().flatten() {
            let target = target.as_str().unwrap_or_default();
            let target = target.split('.').next().unwrap_or(target).to_owned();
            if requirement.starts_with("storage") {
                volumes.insert(target);
                continue;
            }
            let arity = requirements[requirement].as_str().unwrap_or_default();
            bound.insert((target, arity == "containment"));
        }
    }
    topology.retain(|name, _| !volumes.contains(name));
    topology
}

/// Whether two topologies are the same up to names. They are small: every renaming is tried.
fn is_same(one: &Topology, other: &Topology) -> bool {
    let names: Vec<&String> = one.keys().collect();
    let others: Vec<&String> = other.keys().collect();
    names.len() == others.len()
        && names.len() <= 8
        && renamed(one, other, &names, &others, &mut Vec::new())
}

fn renamed<'t>(
    one: &Topology,
    other: &Topology,
    names: &[&'t String],
    others: &[&'t String],
    chosen: &mut Vec<&'t String>,
) -> bool {
    if chosen.len() == names.len() {
        let new: BTreeMap<&String, &String> =
            names.iter().copied().zip(chosen.iter().copied()).collect();
        return one.iter().all(|(name, bound)| {
            let bound: BTreeSet<(String, bool)> = bound
                .iter()
                .filter_map(|(target, inside)| Some(((*new.get(target)?).clone(), *inside)))
                .collect();
            other.get(new[name]) == Some(&bound)
        });
    }
    for name in others {
        if chosen.contains(name) {
            continue;
        }
        chosen.push(name);
        if renamed(one, other, names, others, chosen) {
            return true;
        }
        chosen.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn application(bind: &Value) -> Topology {
        read(&json!({
            "types": { "t": { "requirements": { "host": "containment", "b": "replica_unaware" } } },
            "nodes": { "x": { "type": "t", "bind": bind }, "y": { "type": "u" }, "z": { "type": "u" } },
        }))
    }

    #[test]
    fn names_do_not_matter_and_edges_do() {
        let one = application(&json!({ "host": "y.c", "b": "z.c" }));
        let turned = application(&json!({ "host": "z.c", "b": "y.c" }));
        let other = application(&json!({ "host": "y.c" }));
        assert!(is_same(&one, &turned));
        assert!(!is_same(&one, &other));
        let stored = application(&json!({ "host": "y.c", "storage": "z.c" }));
        assert_eq!(stored.len(), 2);
    }
}
