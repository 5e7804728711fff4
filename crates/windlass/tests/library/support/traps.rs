//! Applications in which choices decide, and plans for which every order may be good and none is
//! good for every choice: a consumer holds on to one of several providers, one of them goes, and
//! then the consumer is to do what it can do only while it still has its provider.

use windlass::application::{Application, GlobalState, InstanceId};
use windlass::plan::{Order, Plan, PlanAction, Step};

use super::prng::Prng;
use super::sketch::{self, ORIGIN};

/// Providers, maybe in containers; a consumer with one or two requirements and a handler or two.
pub fn application(prng: &mut Prng) -> Application {
    let sort = *prng.pick(&["aware", "aware", "aware:2", "unaware"]);
    let other = *prng.pick(&["aware", "unaware", "unaware:all"]);
    let both = if prng.chance(50) { "r t" } else { "r" };
    let falls = *prng.pick(&["idle", "half", "half low"]);
    let policy = *prng.pick(&["any", "any", "any", "least-loaded", "greedy"]);
    let during = if prng.chance(40) { " needs r fault idle" } else { "" };
    sketch::application(&format!(
        "type p has cap
           state off
           state on offers cap
           op off up on
           op on down off
           op on config on
         type q needs r:{sort} t:{other}
           state idle
           state busy needs {both} fault idle {falls}
           state half needs t fault idle
           state low fault idle
           op idle work busy{during}
           op busy rest idle
           op busy config busy needs r fault half idle
           op half work busy
           op low work busy
         node p p
         node c p
         node q q r=p.cap t=c.cap
         policy {policy}"
    ))
}

/// A start with two or three providers that offer, and a plan over them and one or two consumers.
pub fn case(prng: &mut Prng, application: &Application) -> (GlobalState, Plan) {
    let providers = prng.between(2, 3);
    let lines: Vec<String> = (1..=providers).map(|at| format!("p{at} p on\n")).collect();
    let mut text = lines.concat();
    text += "c1 c on\nc2 c off\nq1 q idle\nq2 q idle\n";
    let start = sketch::state(application, &text);
    let operation = |instance: &str, operation: &str| PlanAction::Operation {
        instance: InstanceId::from(instance),
        operation: operation.to_owned(),
    };
    let mut chains: Vec<Vec<PlanAction>> = Vec::new();
    let after = *prng.pick(&["rest", "rest", "config", "work"]);
    chains.push(vec![operation("q1", "work"), operation("q1", after)]);
    if prng.chance(25) {
        chains.push(vec![operation("q2", "work")]);
    }
    for at in 1..=prng.between(1, 2) {
        let id = format!("p{at}");
        chains.push(match prng.below(4) {
            0 => vec![operation(&id, "down"), operation(&id, "up")],
            1 => vec![PlanAction::ScaleIn { instance: id.as_str().into() }],
            _ => vec![operation(&id, "down")],
        });
    }
    if prng.chance(30) {
        let end = *prng.pick(&["down", "config"]);
        chains.push(vec![operation("c1", end)]);
    }
    let mut plan = Plan::default();
    let mut firsts = Vec::new();
    for chain in chains {
        firsts.push(plan.steps.len());
        for (at, action) in chain.into_iter().enumerate() {
            let after = plan.steps.len();
            let label = format!("s{after}");
            plan.steps.push(Step { label, action, origin: ORIGIN });
            if at > 0 {
                plan.order.push(Order { before: after - 1, after, why: None, origin: ORIGIN });
            }
        }
    }
    // What the consumer does first comes before most of the rest, and its end after some of it.
    for first in &firsts[1..] {
        if prng.chance(70) {
            plan.order.push(Order { before: 0, after: *first, why: None, origin: ORIGIN });
        }
        if prng.chance(60) {
            plan.order.push(Order { before: *first, after: 1, why: None, origin: ORIGIN });
        }
    }
    (start, plan)
}
