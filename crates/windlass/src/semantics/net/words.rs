//! Actions and premises of assemblies in words.

use super::{Action, Blocked, Element, Madeus};
use crate::application::assembly::{LinkId, PortId};
use crate::lifecycle::net::{PortKind, Side};
use crate::semantics::Semantics;

impl Madeus<'_> {
    /// `place nova.pulled`, `transition nova.pull`, `a dock of nova.pulled`.
    pub(crate) fn element_name(&self, element: Element) -> String {
        let assembly = self.assembly;
        match element {
            Element::Place(place) => format!("place `{}`", assembly.place_name(place)),
            Element::Transition(theta) => {
                format!("transition `{}`", assembly.transition_name(theta))
            }
            Element::Dock(dock) => {
                let (component, local) = assembly.local_dock(dock);
                let (net, index) = assembly.net(component);
                let place = assembly.place(component, net.place_of(local));
                let names: Vec<String> = index.transitions[local.index()]
                    .iter()
                    .map(|id| format!("`{}`", net.transition(*id).name))
                    .collect();
                let side = if net.docks[local.index()].side == Side::Input { "from" } else { "to" };
                let place = assembly.place_name(place);
                format!("the dock of `{place}` {side} {}", names.join(" or "))
            }
        }
    }

    /// `nova.mariadb -> mariadb.service`.
    pub(crate) fn link_name(&self, link: LinkId) -> String {
        let link = self.assembly.link(link);
        format!(
            "{} -> {}",
            self.assembly.port_name(link.user),
            self.assembly.port_name(link.provider)
        )
    }

    /// Who would have to do what, for a port to be ready.
    fn wanted(&self, port: PortId) -> String {
        let links = self.assembly.links_of_user(port);
        if links.is_empty() {
            return "it is connected to nothing".to_owned();
        }
        let providers: Vec<String> =
            links.iter().map(|link| self.providing(self.assembly.link(*link).provider)).collect();
        providers.join(", or ")
    }

    fn providing(&self, provider: PortId) -> String {
        let (component, local) = self.assembly.local_port(provider);
        let net = self.assembly.net(component).0;
        let port = net.port(local);
        let name = self.assembly.port_name(provider);
        let places = |places: &mut dyn Iterator<Item = usize>| {
            let names: Vec<String> =
                places.map(|at| format!("`{}`", net.places[at].name)).collect();
            names.join(" or ")
        };
        if port.kind == PortKind::DataProvide {
            let ends = places(&mut port.places.iter().map(|place| place.index()));
            return format!("`{name}` gets its value when {ends} is entered");
        }
        let groups: Vec<String> = port
            .groups
            .iter()
            .map(|group| {
                let group = &net.groups[group.index()];
                places(&mut group.places.iter().map(|place| place.index()))
            })
            .collect();
        format!("`{name}` is provided while a token is in {}", groups.join(" and one in "))
    }
}

impl Semantics for Madeus<'_> {
    fn describe(&self, action: &Action) -> String {
        let transition = |theta| self.assembly.transition_name(theta);
        let place = |pi| self.assembly.place_name(pi);
        match *action {
            Action::Fire(theta) => format!("start {}", transition(theta)),
            Action::End(theta) => format!("end {}", transition(theta)),
            Action::Enter(pi) => format!("enter {}", place(pi)),
            Action::Leave(pi) => format!("leave {}", place(pi)),
            Action::Enable(link) | Action::EnableData(link) => {
                format!("enable {}", self.link_name(link))
            }
            Action::Disable(link) => format!("disable {}", self.link_name(link)),
            Action::NextBehavior(component) => {
                format!("next behavior of {}", self.assembly.component_name(component))
            }
            Action::Fail(theta) => format!("{} fails", transition(theta)),
            Action::TimeOut(theta) => format!("{} times out", transition(theta)),
            Action::Cancel(theta) => format!("cancel {}", transition(theta)),
            Action::Retry(theta) => format!("retry {}", transition(theta)),
            Action::Skip(theta) => format!("skip {}", transition(theta)),
            Action::Compensate(theta) => format!("compensate {}", transition(theta)),
        }
    }

    fn explain(&self, blocked: &Blocked) -> String {
        let transition = |theta| self.assembly.transition_name(theta);
        match *blocked {
            Blocked::NoToken(element) => format!("{} holds no token", self.element_name(element)),
            Blocked::PortNotReady { port } => format!(
                "port `{}` is not ready: {}",
                self.assembly.port_name(port),
                self.wanted(port)
            ),
            Blocked::NoDocks { place, side } => {
                let way = if side == Side::Input { "into" } else { "out of" };
                format!("no transition leads {way} `{}`", self.assembly.place_name(place))
            }
            Blocked::StillUsed { port, by } => format!(
                "`{}` would lose its last token while {} uses it",
                self.assembly.port_name(port),
                self.element_name(by)
            ),
            Blocked::AlreadyEnabled(link) => format!("{} is enabled", self.link_name(link)),
            Blocked::NotEnabled(link) => format!("{} is not enabled", self.link_name(link)),
            Blocked::GroupEmpty { link, .. } => format!(
                "{} cannot be enabled: {}",
                self.link_name(link),
                self.providing(self.assembly.link(link).provider)
            ),
            Blocked::StillProvided(link) => format!("{} is still provided", self.link_name(link)),
            Blocked::NoValue(link) => format!("{} has no value yet", self.link_name(link)),
            Blocked::DisableFirst(link) => {
                format!("{} must be disabled first", self.link_name(link))
            }
            Blocked::OtherBehavior(theta) => {
                format!("`{}` belongs to another behavior", transition(theta))
            }
            Blocked::InTrouble(theta) => {
                format!("`{}` did not end well: retry, skip or compensate it", transition(theta))
            }
            Blocked::NotInTrouble(theta) => format!("`{}` is not in trouble", transition(theta)),
            Blocked::NoFailures => "actions do not fail here".to_owned(),
            Blocked::NoTimeout(theta) => format!("`{}` has no `timeout`", transition(theta)),
            Blocked::NoRetryLeft { transition: theta, most } => {
                format!("`{}` may be tried again {most} times only", transition(theta))
            }
            Blocked::NoCompensation(theta) => {
                format!("`{}` has no `compensate`", transition(theta))
            }
            Blocked::LastBehavior(component) => {
                format!("`{}` is in its last behavior", self.assembly.component_name(component))
            }
            Blocked::NotAtRest { component, element } => format!(
                "`{}` is not at rest: a token is on {}",
                self.assembly.component_name(component),
                self.element_name(element)
            ),
        }
    }
}
