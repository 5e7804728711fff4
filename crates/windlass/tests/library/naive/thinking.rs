//! The application Thinking with the plans that paper 004 judges.
//!
//! Paper: 004 Fig. 1 to 7. The protocols follow Sec. 3.1 and the examples of Sec. 3.3 and 4.2:
//! `api` needs its host during every operation and offers its endpoint while running only; `gui`
//! needs its backend while it is configured and started, and while it works.

use windlass::application::{Application, GlobalState};
use windlass::plan::Plan;

use super::text;

/// Figures 1 and 5.
pub(crate) fn application() -> Application {
    text::application(
        "
        node gui
          needs host node.host containment
          needs backend api.endpoint unaware
          state not-installed
          state installed
          state configured
          state working needs host backend else configured
          state damaged
          install not-installed -> installed needs host else damaged
          config installed -> configured needs host backend else installed
          config configured -> configured needs host backend else installed
          start configured -> working needs host backend else configured
          stop working -> configured needs host else configured
          uninstall installed -> not-installed needs host else damaged
          uninstall configured -> not-installed needs host else damaged
        node api * 2
          needs host maven.host containment
          needs data mongo.db aware
          state unavailable
          state available
          state running needs host data offers endpoint else available
          state damaged
          install unavailable -> available needs host else damaged
          uninstall available -> unavailable needs host else damaged
          start available -> running needs host else available
          config running -> running needs host else damaged
          stop running -> available needs host else available
        node node
          state stopped
          state running offers host
          start stopped -> running
          stop running -> stopped
        node maven * 2
          state stopped
          state running offers host
          start stopped -> running
          stop running -> stopped
        node mongo
          state stopped
          state running offers db
          start stopped -> running
          stop running -> stopped
        ",
    )
}

/// Figure 2.
pub(crate) fn running() -> GlobalState {
    text::state(
        &application(),
        "g1:gui=working@n1 a1:api=running@m1 a2:api=running@m2 n1:node=running m1:maven=running
         m2:maven=running d1:mongo=running g1.backend>a1 a1.data>d1 a2.data>d1",
    )
}

/// Figure 3 (a).
pub(crate) fn reconfigure_all_at_once() -> Plan {
    text::plan(
        "stop: g1 stop ; g1: g1 config ; a1: a1 config ; a2: a2 config ; start: g1 start
         stop < g1 < start ; stop < a1 < start ; stop < a2 < start",
    )
}

/// Figure 3 (b): one api after the other, so that one of them always has its endpoint, and gui
/// beside them.
pub(crate) fn reconfigure_in_turn() -> Plan {
    text::plan(
        "stop: g1 stop ; g1: g1 config ; a1: a1 config ; a2: a2 config ; start: g1 start
         stop < g1 < start ; stop < a1 < a2 < start",
    )
}

/// The three stacks of Figure 4: each container is replaced, and what was in it is created again.
const RESTART: &str = "
    -n1: - n1 ; +n2: + n2 node ; +g2: + g2 gui @ n2
    n2: n2 start ; install-g2: g2 install ; config-g2: g2 config ; start-g2: g2 start
    -n1 < +n2 < +g2 < n2 < install-g2 < config-g2 < start-g2
    -m1: - m1 ; +m3: + m3 maven ; +a3: + a3 api @ m3
    m3: m3 start ; install-a3: a3 install ; start-a3: a3 start
    -m1 < +m3 < +a3 < m3 < install-a3 < start-a3
    -m2: - m2 ; +m4: + m4 maven ; +a4: + a4 api @ m4
    m4: m4 start ; install-a4: a4 install ; start-a4: a4 start
    -m2 < +m4 < +a4 < m4 < install-a4 < start-a4
";

/// Figure 4 (a): the stacks side by side.
pub(crate) fn restart_all_at_once() -> Plan {
    text::plan(RESTART)
}

/// Figure 4 (b): gui is configured and started when both new instances of api run.
pub(crate) fn restart_gui_last() -> Plan {
    let order = "start-a3 < config-g2 ; start-a4 < config-g2";
    text::plan(&format!("{RESTART}\n{order}"))
}

/// Figure 7, from the empty state.
pub(crate) fn deploy() -> Plan {
    text::plan(
        "+n1: + n1 node ; n1: n1 start ; +m1: + m1 maven ; m1: m1 start
         +m2: + m2 maven ; m2: m2 start ; +d1: + d1 mongo ; d1: d1 start
         +n1 < n1 ; +m1 < m1 ; +m2 < m2 ; +d1 < d1
         +a1: + a1 api @ m1 ; install-a1: a1 install ; start-a1: a1 start
         +a2: + a2 api @ m2 ; install-a2: a2 install ; start-a2: a2 start
         m1 < +a1 < install-a1 < start-a1 ; d1 < start-a1
         m2 < +a2 < install-a2 < start-a2 ; d1 < start-a2
         +g1: + g1 gui @ n1 ; install-g1: g1 install ; config-g1: g1 config ; start-g1: g1 start
         n1 < +g1 < install-g1 < config-g1 < start-g1
         start-a1 < +g1 ; start-a2 < +g1",
    )
}
