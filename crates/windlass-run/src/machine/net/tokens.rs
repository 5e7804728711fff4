//! Where the tokens of an assembly are, and what they wait for, for people.

use windlass::application::assembly::TransitionId;
use windlass::lifecycle::net::Side;
use windlass::semantics::Semantics;
use windlass::semantics::net::{Blocked, Madeus};
use windlass::simulate::Waiting;

use super::NetMachine;

/// A token of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The component.
    pub component: String,
    /// Its place, or the transition that it is in.
    pub at: String,
    /// What keeps it from going on.
    pub waits: Option<String>,
}

impl NetMachine<'_> {
    /// Every token; on the way back what is not undone.
    pub(crate) fn tokens(&self) -> Vec<Token> {
        if let Some(undoing) = &self.undoing {
            let left = |id| {
                let (component, _) = self.assembly.local_transition(id);
                let transition = &self.assembly.net_transition(id).name;
                let component = self.assembly.component_name(component);
                Token { component, at: format!("`{transition}` stays"), waits: None }
            };
            return undoing.left().map(left).collect();
        }
        let mut tokens: Vec<(usize, Token)> = Vec::new();
        for place in self.live.marked_places() {
            let (component, local) = self.assembly.local_place(place);
            let at = self.assembly.net(component).0.place(local).name.clone();
            let name = self.assembly.component_name(component);
            tokens.push((component.index(), Token { component: name, at, waits: None }));
        }
        for id in self.live.marked_transitions() {
            let (component, _) = self.assembly.local_transition(id);
            let name = &self.assembly.net_transition(id).name;
            let has_failed = self.abandoned.contains(&crate::entry::Task(id.0));
            let at = if has_failed { format!("{name} failed") } else { format!("{name}...") };
            let name = self.assembly.component_name(component);
            tokens.push((component.index(), Token { component: name, at, waits: None }));
        }
        for dock in self.live.marked_docks() {
            let (component, local) = self.assembly.local_dock(dock);
            let (net, index) = self.assembly.net(component);
            let place = net.place(net.place_of(local)).name.clone();
            let waits = if net.docks[local.index()].side == Side::Input {
                format!("the other ways to `{place}`")
            } else {
                let ways = index.transitions[local.index()].iter();
                let ways: Vec<String> =
                    ways.map(|way| self.wait(self.assembly.transition(component, *way))).collect();
                ways.join("; ")
            };
            let (name, waits) = (self.assembly.component_name(component), Some(waits));
            tokens.push((component.index(), Token { component: name, at: place, waits }));
        }
        // By component, and in it in the order above.
        tokens.sort_by_key(|(component, _)| *component);
        tokens.into_iter().map(|(_, token)| token).collect()
    }

    /// What a transition waits for that has its token.
    fn wait(&self, id: TransitionId) -> String {
        let madeus = Madeus { assembly: self.assembly, failures: true };
        let name = &self.assembly.net_transition(id).name;
        let ports = self.live.waiting().into_iter().filter_map(|waiting| match waiting {
            Waiting::Port(other, port) if other == id => {
                Some(madeus.explain(&Blocked::PortNotReady { port }))
            }
            _ => None,
        });
        let ports: Vec<String> = ports.collect();
        match ports.as_slice() {
            [] => format!("`{name}`, which has not begun"),
            _ => format!("`{name}`: {}", ports.join(", ")),
        }
    }
}
