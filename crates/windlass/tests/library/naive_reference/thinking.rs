//! The verdicts that paper 004 states about Thinking.

use crate::naive::{Judgement, Verdict, judge, text, thinking};
use windlass::application::{GlobalState, Policy};
use windlass::plan::Plan;

fn judged(start: &GlobalState, plan: &Plan, policy: Policy) -> Judgement {
    let judged = judge(&thinking::application(), start, plan, policy, 2_000_000);
    let Ok(Some(judgement)) = judged else { panic!("refused or too big") };
    judgement
}

const POLICIES: [Policy; 3] = [Policy::Any, Policy::Greedy, Policy::LeastLoaded];

/// Sec. 4.2: weakly valid, because gui faults when both instances of api are being configured.
#[test]
fn figure_3a_is_weakly_valid() {
    for policy in POLICIES {
        let judgement = judged(&thinking::running(), &thinking::reconfigure_all_at_once(), policy);
        assert_eq!(judgement.verdict, Verdict::WeaklyValid);
        // The paper's failing trace blocks at the start of `start`, after all 8 others.
        assert_eq!(judgement.shortest_failure, Some(8));
        // stop (2), start config of g1, a1 and a2: the fifth action leaves gui without backend.
        assert_eq!(judgement.shortest_fault, Some(5));
    }
}

/// Sec. 4.2: all sequential traces are valid.
#[test]
fn figure_3b_is_valid() {
    for policy in POLICIES {
        let judgement = judged(&thinking::running(), &thinking::reconfigure_in_turn(), policy);
        assert_eq!(judgement.verdict, Verdict::Valid);
        assert_eq!(judgement.deterministic, Some(true));
        assert_eq!(judgement.shortest_fault, None);
    }
}

/// Sec. 2 and 4.2: gui may be configured before any new instance of api runs.
#[test]
fn figure_4a_is_weakly_valid() {
    let judgement = judged(&thinking::running(), &thinking::restart_all_at_once(), Policy::Any);
    assert_eq!(judgement.verdict, Verdict::WeaklyValid);
}

/// Sec. 2 and 4.2.
#[test]
fn figure_4b_is_valid() {
    let judgement = judged(&thinking::running(), &thinking::restart_gui_last(), Policy::Any);
    assert_eq!(judgement.verdict, Verdict::Valid);
    assert_eq!(judgement.deterministic, Some(true));
}

/// Example of Def. 4.4: the deployment of Fig. 7 is valid and deterministic, although gui may be
/// connected to either instance of api.
#[test]
fn figure_7_is_valid_and_deterministic() {
    let judgement = judged(&GlobalState::empty(), &thinking::deploy(), Policy::Any);
    assert_eq!(judgement.verdict, Verdict::Valid);
    assert_eq!(judgement.deterministic, Some(true));
    assert_eq!(judgement.shortest_fault, None);
    assert_eq!(judgement.finals.len(), 2);
    let application = thinking::application();
    assert!(judgement.global_finals(&application).contains(&thinking::running()));
    let greedy = judged(&GlobalState::empty(), &thinking::deploy(), Policy::Greedy);
    assert_eq!(greedy.global_finals(&application), [thinking::running()].into());
}

/// Stopping both instances of api before gui drops gui to `configured`, where `stop` does not
/// exist (semantics.md point 11); the missing order edge repairs it.
#[test]
fn stopping_api_before_gui_is_weakly_valid() {
    let plan = "g: g1 stop ; a: a1 stop ; b: a2 stop";
    let judgement = judged(&thinking::running(), &text::plan(plan), Policy::Any);
    assert_eq!(judgement.verdict, Verdict::WeaklyValid);
    // The starts of both stops take the endpoints away; then gui cannot be stopped.
    assert_eq!(judgement.shortest_failure, Some(2));
    let repaired =
        judged(&thinking::running(), &text::plan(&format!("{plan} ; g < a")), Policy::Any);
    assert_eq!((repaired.verdict, repaired.shortest_fault), (Verdict::Valid, None));
}
