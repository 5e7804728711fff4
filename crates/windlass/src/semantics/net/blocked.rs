//! The premises of paper 002 Fig. 9 and of our own rules, as reasons why a step is not possible.

use super::Element;
use crate::application::assembly::{ComponentId, LinkId, PlaceId, PortId, TransitionId};
use crate::lifecycle::net::{GroupId, Side};

/// The premise that failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blocked {
    /// `¬mk(x)`.
    NoToken(Element),
    /// `¬is_ready(p)`.
    PortNotReady {
        /// `p`.
        port: PortId,
    },
    /// `dock_i(π)` or `dock_o(π)` is empty.
    NoDocks {
        /// `π`.
        place: PlaceId,
        /// Which of the two.
        side: Side,
    },
    /// `¬can_leave(π, D_o, g)`.
    StillUsed {
        /// The provide port that would lose its last token.
        port: PortId,
        /// Who uses it.
        by: Element,
    },
    /// `ebl(l)`.
    AlreadyEnabled(LinkId),
    /// `¬ebl(l)`.
    NotEnabled(LinkId),
    /// `¬is_group_enabled(g, mk)`; no group when the port has none.
    GroupEmpty {
        /// The connection.
        link: LinkId,
        /// `g`.
        group: Option<GroupId>,
    },
    /// Every group of the provide port holds a token, or the connection is one of data.
    StillProvided(LinkId),
    /// `val(p) = null`.
    NoValue(LinkId),
    /// Rule 6 applies to this connection, and comes first.
    DisableFirst(LinkId),
    /// The transition belongs to another behavior than the one its component is in.
    OtherBehavior(TransitionId),
    /// The action did not end well, and waits for a decision.
    InTrouble(TransitionId),
    /// There is nothing to decide about.
    NotInTrouble(TransitionId),
    /// Actions do not fail in this system.
    NoFailures,
    /// The transition has no `timeout`.
    NoTimeout(TransitionId),
    /// The transition has been tried as often as its `retry` says.
    NoRetryLeft {
        /// The transition.
        transition: TransitionId,
        /// How often it may be tried again.
        most: u32,
    },
    /// The transition has no `compensate`.
    NoCompensation(TransitionId),
    /// The component is in the last behavior of its program.
    LastBehavior(ComponentId),
    /// A token of the component can still move.
    NotAtRest {
        /// The component.
        component: ComponentId,
        /// Where the token is.
        element: Element,
    },
}
