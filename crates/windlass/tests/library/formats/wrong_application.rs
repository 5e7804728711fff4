//! Plans of another application are not judged.

use expect_test::{Expect, expect};
use windlass::application::GlobalState;
use windlass::lang;
use windlass::plan::fit;
use windlass::source::Sources;

use super::ramp::thinking;

/// Everything that does not fit, one line each.
fn misfits(state: bool, plan: &str, expected: &Expect) {
    let application = thinking();
    let mut sources = Sources::new();
    let text = include_str!("../../../../../examples/thinking/running.state.yaml");
    let id = sources.add("state", text);
    let running = lang::read_state(id, &sources, &application).document.expect("a state");
    let id = sources.add("plan", format!("plan: {plan}"));
    let read = lang::read_plan(id, &sources).document.expect("a plan");
    let from = if state { running } else { GlobalState::empty() };
    let lines = fit(&application, &from, &read).into_iter().map(|misfit| {
        assert!(misfit.origin.0.is_some());
        format!(
            "{:?} {:?} {misfit}; {}\n",
            misfit.kind,
            misfit.labels,
            misfit.help.as_deref().unwrap_or_default()
        )
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn a_plan_that_fits() {
    misfits(
        true,
        "{ actions: { a: { do: op, instance: g1, operation: stop }, b: { do: scale_in, instance: n1 },
           c: { do: scale_out, instance: n1, node: node }, d: { do: op, instance: n1, operation: start } },
           order: [{ before: a, after: b }] }",
        &expect![[r#""#]],
    );
    misfits(false, "{ actions: {} }", &expect![[r#""#]]);
}

#[test]
fn unknown_names_are_reported_with_the_label() {
    misfits(
        true,
        "{ actions: { a: { do: op, instance: g9, operation: stop }, b: { do: scale_in, instance: x },
           c: { do: scale_out, instance: y, node: nod }, d: { do: op, instance: y, operation: start },
           e: { do: scale_out, instance: g2, node: gui, container: z }, f: { do: op, instance: g1, operation: fly } } }",
        &expect![[r#"
            UnknownInstance ["a"] action `a` is about instance `g9`, which is neither in the state nor created by the plan; known instances: `a1`, `a2`, `d1`, `g1`, `g2`, `m1`, `m2`, `n1`
            UnknownInstance ["b"] action `b` is about instance `x`, which is neither in the state nor created by the plan; known instances: `a1`, `a2`, `d1`, `g1`, `g2`, `m1`, `m2`, `n1`
            UnknownNode ["c"] action `c` creates an instance of `nod`, which is no node; known nodes: `api`, `gui`, `maven`, `mongo`, `node`
            UnknownInstance ["e"] action `e` is about instance `z`, which is neither in the state nor created by the plan; known instances: `a1`, `a2`, `d1`, `g1`, `g2`, `m1`, `m2`, `n1`
            UnknownOperation ["f"] action `f` performs `fly`, which `gui` does not have; known operations: `config`, `install`, `start`, `stop`, `uninstall`
        "#]],
    );
    misfits(
        false,
        "{ actions: { a: { do: op, instance: g1, operation: stop }, c: { do: scale_out, instance: g1, node: node } } }",
        &expect![[r#""#]],
    );
}

#[test]
fn an_order_in_a_cycle() {
    misfits(
        true,
        "{ actions: { a: { do: op, instance: g1, operation: stop }, b: { do: op, instance: a1, operation: stop },
           c: { do: op, instance: a2, operation: stop } },
           order: [{ before: a, after: b }, { before: b, after: c }, { before: c, after: a }] }",
        &expect![[r#"
            CyclicOrder ["b", "c", "a"] actions wait for each other: `b` -> `c` -> `a` -> `b`; remove one pair of the order
        "#]],
    );
    misfits(
        true,
        "{ actions: { a: { do: op, instance: g1, operation: stop } }, order: [{ before: a, after: a }] }",
        &expect![[r#"
            CyclicOrder ["a"] action `a` has to wait for itself; remove one pair of the order
        "#]],
    );
}
