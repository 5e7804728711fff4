//! Stepping through an assembly of nets (paper 002): transitions are started and ended by hand.
//!
//! A token leaves a place when a transition starts there; what follows from that, that
//! places are entered and connections enabled or disabled, happens by itself and is listed.

use std::collections::BTreeMap;

use super::{Bound, Choice, Done, NotDone, Walk};
use crate::application::GlobalState;
use crate::application::assembly::{Assembly, ComponentId, LinkId, TransitionId};
use crate::lifecycle::net::Side;
use crate::semantics::Semantics;
use crate::semantics::net::{Action, Element, Madeus, Valuation};
use crate::system::System;

/// What can be written.
const WORDS: &str = "write `start`, `end`, `fail`, `time-out`, `cancel`, `retry`, `skip` or \
                     `compensate` with COMPONENT TRANSITION, `next COMPONENT`, `undo`, `show`, \
                     `options` or `quit`";

/// What may be done to a transition: its word, and the action.
type Act = (&'static str, fn(TransitionId) -> Action);

const ACTS: &[Act] = &[
    ("start", Action::Fire),
    ("end", Action::End),
    ("fail", Action::Fail),
    ("time-out", Action::TimeOut),
    ("cancel", Action::Cancel),
    ("retry", Action::Retry),
    ("skip", Action::Skip),
    ("compensate", Action::Compensate),
];

/// An assembly whose tokens lines move.
pub struct Nets<'a> {
    madeus: Madeus<'a>,
    /// The valuations so far; the last one is now.
    history: Vec<Valuation>,
}

impl<'a> Nets<'a> {
    /// Begins with tokens on the initial places.
    pub fn new(assembly: &'a Assembly<'a>) -> Self {
        let madeus = Madeus { assembly, failures: true };
        let (start, _) = settled(&madeus, madeus.initial());
        Nets { madeus, history: vec![start] }
    }

    fn now(&self) -> Valuation {
        self.history.last().cloned().unwrap_or_default()
    }

    /// The transition of a component.
    fn transition(&self, component: &str, name: &str) -> Result<TransitionId, NotDone> {
        let full = format!("{component}.{name}");
        let assembly = self.madeus.assembly;
        let found = assembly.transition_ids().find(|id| assembly.transition_name(*id) == full);
        found.ok_or(NotDone::UnknownTransition(full))
    }

    /// The action that a line says.
    fn action(&self, line: &str) -> Result<Action, NotDone> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["next", component] => {
                let assembly = self.madeus.assembly;
                let mut ids = assembly.component_ids();
                let found = ids.find(|id| assembly.component_name(*id) == *component);
                found
                    .map(Action::NextBehavior)
                    .ok_or_else(|| NotDone::UnknownComponent((*component).to_owned()))
            }
            [word, component, name] => {
                let act = ACTS.iter().find(|(known, _)| known == word);
                let act = act.ok_or(NotDone::NoCommand(WORDS))?;
                Ok(act.1(self.transition(component, name)?))
            }
            _ => Err(NotDone::NoCommand(WORDS)),
        }
    }

    /// What would come of an action. A transition that starts takes the token off its place first.
    fn look(&self, action: Action) -> Result<(Valuation, Done), NotDone> {
        let mut at = self.now();
        let mut consequences = Vec::new();
        if let Action::Fire(theta) = action {
            let (component, local) = self.madeus.assembly.local_transition(theta);
            let net = self.madeus.assembly.net(component).0;
            let place = self.madeus.assembly.place(component, net.source_place(local));
            // A token that has left already waits in the dock for its turn.
            let source = self.madeus.assembly.dock(component, net.transition(local).source);
            if at.is_marked(Element::Place(place)) && !at.is_marked(Element::Dock(source)) {
                at = self.apply(&at, Action::Leave(place))?;
                (at, consequences) = settled(&self.madeus, at);
            }
        }
        let after = self.apply(&at, action)?;
        let (after, more) = settled(&self.madeus, after);
        consequences.extend(more);
        Ok((after, Done { consequences, ..Done::default() }))
    }

    fn apply(&self, at: &Valuation, action: Action) -> Result<Valuation, NotDone> {
        let after = self.madeus.step(at, &action);
        let explained = |blocked| NotDone::Blocked(self.madeus.explain(&blocked));
        let after = after.map_err(explained)?;
        Ok(after.first().clone())
    }

    /// The lines that make sense for a transition, as it is now.
    fn choices_of(&self, theta: TransitionId) -> Vec<Choice> {
        let now = self.now();
        let assembly = self.madeus.assembly;
        let (component, local) = assembly.local_transition(theta);
        let name = &assembly.net(component).0.transition(local).name;
        let words: &[&str] = if now.troubles.contains_key(&theta) {
            &["retry", "skip", "compensate"]
        } else if now.is_marked(Element::Transition(theta)) {
            &["end", "fail", "time-out", "cancel"]
        } else {
            &["start"]
        };
        let acts = ACTS.iter().filter(|(word, _)| words.contains(word));
        let choices = acts.map(|(word, act)| {
            let command = format!("{word} {} {name}", assembly.component_name(component));
            let (blocked, consequences) = match self.look(act(theta)) {
                Ok((_, done)) => (None, done.consequences),
                Err(reason) => (Some(reason.to_string()), Vec::new()),
            };
            Choice { command, blocked, consequences }
        });
        // A timeout that is not declared is no choice.
        choices
            .filter(|one| one.blocked.is_none() || !one.command.starts_with("time-out"))
            .collect()
    }

    fn options(&self) -> Vec<Choice> {
        let assembly = self.madeus.assembly;
        let mut all: Vec<Choice> =
            assembly.transition_ids().flat_map(|theta| self.choices_of(theta)).collect();
        for component in assembly.component_ids() {
            if assembly.component(component).program.len() > 1 {
                let command = format!("next {}", assembly.component_name(component));
                let blocked = self.look(Action::NextBehavior(component)).err();
                let blocked = blocked.map(|reason| reason.to_string());
                all.push(Choice { command, blocked, consequences: Vec::new() });
            }
        }
        all
    }

    /// Where the tokens of a component are, in words.
    fn tokens(&self, component: ComponentId) -> String {
        let assembly = self.madeus.assembly;
        let net = assembly.net(component).0;
        let now = self.now();
        let mut words = Vec::new();
        for element in &now.marked {
            match *element {
                Element::Place(place) => {
                    let (owner, local) = assembly.local_place(place);
                    if owner == component {
                        words.push(net.place(local).name.clone());
                    }
                }
                Element::Dock(dock) => {
                    let (owner, local) = assembly.local_dock(dock);
                    if owner == component {
                        let place = &net.place(net.place_of(local)).name;
                        let is_input = net.docks[local.index()].side == Side::Input;
                        words
                            .push(format!("{} {place}", if is_input { "before" } else { "after" }));
                    }
                }
                Element::Transition(theta) => {
                    let (owner, local) = assembly.local_transition(theta);
                    if owner == component {
                        let trouble = now.troubles.contains_key(&theta);
                        let end = if trouble { " failed" } else { "" };
                        words.push(format!("-{}->{end}", net.transition(local).name));
                    }
                }
            }
        }
        words.join(", ")
    }
}

/// Applies the rules without an action (3, 5, 6, 7) as long as one applies, and lists them.
fn settled(madeus: &Madeus<'_>, mut at: Valuation) -> (Valuation, Vec<String>) {
    let mut consequences = Vec::new();
    let by_itself = |action: &Action| {
        matches!(
            action,
            Action::Enter(_) | Action::Enable(_) | Action::Disable(_) | Action::EnableData(_)
        )
    };
    // Every rule here either moves a token into a place or settles one connection for this marking.
    loop {
        let candidates = madeus.candidates(&at).into_iter().filter(by_itself);
        let next = candidates.filter_map(|action| {
            let after = madeus.step(&at, &action).ok()?;
            Some((after.first().clone(), madeus.describe(&action)))
        });
        let Some((after, what)) = { next }.next() else { return (at, consequences) };
        at = after;
        consequences.push(what);
    }
}

impl Walk for Nets<'_> {
    fn perform(&mut self, line: &str) -> Result<Done, NotDone> {
        match line {
            "show" => Ok(Done::default()),
            "options" => Ok(Done { options: self.options(), ..Done::default() }),
            "undo" if self.history.len() < 2 => Err(NotDone::NothingToUndo),
            "undo" => {
                self.history.pop();
                Ok(Done::default())
            }
            line => {
                let (after, done) = self.look(self.action(line)?)?;
                self.history.push(after);
                Ok(done)
            }
        }
    }

    fn places(&self) -> BTreeMap<String, String> {
        let assembly = self.madeus.assembly;
        let place = |id| (assembly.component_name(id), self.tokens(id));
        assembly.component_ids().map(place).collect()
    }

    fn bindings(&self) -> Bound {
        let assembly = self.madeus.assembly;
        let now = self.now();
        let mut all = Bound::new();
        for at in 0..assembly.links().len() {
            let id = LinkId::from(at);
            if !now.is_enabled(id) {
                continue;
            }
            let link = assembly.link(id);
            let (component, local) = assembly.local_port(link.user);
            let port = assembly.net(component).0.port(local).name.clone();
            let of_component = all.entry(assembly.component_name(component)).or_default();
            of_component.entry(port).or_default().push(assembly.port_name(link.provider));
        }
        all
    }

    fn state(&self) -> Option<GlobalState> {
        None
    }
}
