//! `windlass prove` for assemblies of nets.

use std::collections::BTreeSet;

use windlass::application::Application;
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::export::{self, unreached, waits};
use windlass::prove::{self, Proof};

use super::{ProveArgs, options};
use crate::budget::Watch;
use crate::failure::Failure;
use crate::{output, replace};

/// Proves, and draws what waits for what, or else places never reached, when that was asked for.
pub(super) fn prove(args: &ProveArgs, application: &Application) -> Result<Proof, Failure> {
    if args.goal.is_some() {
        let message = "--goal is about applications of protocols: nets end on their final places";
        return Err(Failure::usage(message).help("ask `windlass analyze --reach VALUATION`"));
    }
    let assembly = Assembly::new(application).map_err(|why| Failure::usage(why.to_string()))?;
    let may_fail = may_fail(&assembly, &args.may_fail)?;
    let mut watch = Watch::start(&args.limits);
    let proof = prove::net(&assembly, &may_fail, &options(args), &mut watch);
    drop(watch);
    if let Some(path) = &args.picture {
        let waits = proof.stuck.as_ref().and_then(|stuck| stuck.waits.as_ref());
        let waits = waits.map(|found| waits::draw(&assembly, found));
        match waits.or_else(|| unreached::draw(&assembly)) {
            Some(drawing) => {
                let svg = export::write(&[drawing], export::Format::Svg);
                replace::write(path, &svg).map_err(|error| Failure::file("write", path, &error))?;
            }
            None => output::notice(
                "nothing waits forever and every place can be reached: there is nothing to draw",
            ),
        }
    }
    Ok(proof)
}

/// `component.transition`, `component` or `all`; the name of a node means all of its instances.
fn may_fail(assembly: &Assembly<'_>, list: &[String]) -> Result<BTreeSet<TransitionId>, Failure> {
    let mut found = BTreeSet::new();
    for word in list {
        let before = found.len();
        found.extend(assembly.transition_ids().filter(|id| {
            let (component, local) = assembly.local_transition(*id);
            let node = assembly.component(component).node;
            let names = [
                assembly.component_name(component),
                assembly.application().node(node).name.clone(),
            ];
            let transition = &assembly.net(component).0.transition(local).name;
            let is_meant = |name: &String| {
                let rest = word.strip_prefix(name.as_str());
                rest.is_some_and(|rest| {
                    rest.is_empty() || rest.strip_prefix('.') == Some(transition.as_str())
                })
            };
            word == "all" || names.iter().any(is_meant)
        }));
        if found.len() == before {
            let message = format!("--may-fail: there is no transition `{word}`");
            return Err(Failure::usage(message).help("write COMPONENT.TRANSITION"));
        }
    }
    Ok(found)
}
