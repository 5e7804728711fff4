//! Madeus assemblies (paper 002 Fig. 9): the seven rules, in the paper's order.
//!
//! | paper | here |
//! |---|---|
//! | `(C, L_P, L_D)` | [`Assembly`] |
//! | `⟨mk, ebl, val⟩` | [`Valuation`] |
//! | `mk(x)` | [`Valuation::is_marked`] |
//! | `π ∈ Π*`, `δ ∈ Δ*`, `θ ∈ Θ*` | [`Element`] |
//! | `(s, d)` | `source`, `destination` of a transition |
//!
//! Rule 6 has maximum priority: while it applies, every other one is blocked. What the paper
//! leaves as future work, failures and a change of behavior, are rules of our own (`own.rs`); with
//! [`Madeus::failures`] off and one behavior per component the relation is the paper's.
//!
//! Invariant: no rule puts a token where one is, in an assembly that passes the rules NET001 and
//! NET010 (docs/theory/one-token.md); a test looks at every reachable valuation.

mod blocked;
mod own;
mod waits;
mod words;

use std::collections::{BTreeMap, BTreeSet};

pub use blocked::Blocked;
pub(crate) use own::{cancel, compensate, fail, next_behavior, retry, skip, time_out};

use crate::application::assembly::{
    Assembly, BehaviorId, ComponentId, DockId, Link, LinkId, PlaceId, PortId, TransitionId,
};
use crate::lifecycle::net::{self, Side};
use crate::system::{Successors, System};

/// Something that can hold a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// `π`.
    Place(PlaceId),
    /// `δ`.
    Dock(DockId),
    /// `θ`.
    Transition(TransitionId),
}

/// A value of a data port, named by the transition that gave it: `val_A,Dp` is a function of the
/// action and the port, so equal names are equal values.
pub(crate) type Setter = TransitionId;

/// What became of an action that did not end well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trouble {
    /// Its command failed.
    Failed,
    /// It took longer than it may.
    TimedOut,
    /// The operator stopped it.
    Cancelled,
}

/// `⟨mk, ebl, val⟩`, with what our own rules keep.
///
/// Paper: 002 Sec. III-C (valuation)
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Valuation {
    /// `mk`: the elements that hold a token.
    pub marked: BTreeSet<Element>,
    /// `ebl`: the connections that are enabled.
    pub enabled: BTreeSet<LinkId>,
    /// `val`: who gave its value to a data port; absent is `null`.
    pub(crate) values: BTreeMap<PortId, Setter>,
    /// Which behavior of its program a component is in, when it is not the first.
    pub phases: BTreeMap<ComponentId, u32>,
    /// The transitions that hold a token and did not end well.
    pub troubles: BTreeMap<TransitionId, Trouble>,
    /// How often a transition has been tried again.
    pub retries: BTreeMap<TransitionId, u32>,
}

impl Valuation {
    /// `mk(x)`.
    pub fn is_marked(&self, element: Element) -> bool {
        self.marked.contains(&element)
    }

    /// `ebl(l)`.
    pub(crate) fn is_enabled(&self, link: LinkId) -> bool {
        self.enabled.contains(&link)
    }

    /// `mk[from := false][to := true]`.
    fn moved(
        &self,
        from: impl IntoIterator<Item = Element>,
        to: impl IntoIterator<Item = Element>,
    ) -> Self {
        let mut after = self.clone();
        for element in from {
            after.marked.remove(&element);
        }
        after.marked.extend(to);
        after
    }
}

/// What can happen: one variant per rule, the paper's seven first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// (1) `fire_transition`.
    Fire(TransitionId),
    /// (2) `end_transition`.
    End(TransitionId),
    /// (3) `enter_place`.
    Enter(PlaceId),
    /// (4) `leave_place`.
    Leave(PlaceId),
    /// (5) `enable`.
    Enable(LinkId),
    /// (6) `disable`.
    Disable(LinkId),
    /// (7) `enable_data`.
    EnableData(LinkId),
    /// Ours: `next_behavior`.
    NextBehavior(ComponentId),
    /// Ours: `fail`.
    Fail(TransitionId),
    /// Ours: `time_out`.
    TimeOut(TransitionId),
    /// Ours: `cancel`.
    Cancel(TransitionId),
    /// Ours: `retry`.
    Retry(TransitionId),
    /// Ours: `skip`.
    Skip(TransitionId),
    /// Ours: `compensate`.
    Compensate(TransitionId),
}

/// What a rule leads to: exactly one valuation, or the first premise that failed.
type Applied = Result<Valuation, Blocked>;

/// An assembly as a transition system.
#[derive(Debug, Clone)]
pub struct Madeus<'a> {
    /// The assembly.
    pub assembly: &'a Assembly<'a>,
    /// Whether actions may fail: without it the rules are the paper's.
    pub failures: bool,
}

impl<'a> Madeus<'a> {
    /// The assembly under the paper's rules.
    pub fn new(assembly: &'a Assembly<'a>) -> Self {
        Self { assembly, failures: false }
    }

    /// The behavior that a component is in.
    pub(crate) fn behavior(&self, valuation: &Valuation, component: ComponentId) -> BehaviorId {
        let phase = valuation.phases.get(&component).copied().unwrap_or(0);
        self.assembly.component(component).program[phase as usize]
    }

    /// `dock_i(π)` or `dock_o(π)`, in the behavior of the component.
    fn docks(&self, valuation: &Valuation, place: PlaceId, side: Side) -> Vec<DockId> {
        let (component, local) = self.assembly.local_place(place);
        let behavior = self.behavior(valuation, component);
        let (_, index) = self.assembly.net(component);
        index
            .active(local, side, behavior)
            .map(|dock| self.assembly.dock(component, dock))
            .collect()
    }

    /// Whether all that was to happen has happened: every token is on a place that has no way out,
    /// in the last behavior of its component.
    pub fn is_final(&self, valuation: &Valuation) -> bool {
        let rests = |element: &Element| match element {
            Element::Place(place) => self.docks(valuation, *place, Side::Output).is_empty(),
            Element::Dock(_) | Element::Transition(_) => false,
        };
        let is_last = |component: ComponentId| {
            let phase = valuation.phases.get(&component).copied().unwrap_or(0) as usize;
            phase + 1 >= self.assembly.component(component).program.len()
        };
        valuation.marked.iter().all(rests) && self.assembly.component_ids().all(is_last)
    }
}

/// (1) A transition starts when its dock holds a token and its ports are ready.
///
/// ```text
/// θ = (s, d) ∈ Θ*     mk(s)     ∀ (p, θ) ∈ B_Pu ∪ B_Du : is_ready(p)
/// ------------------------------------------------------------------ (1)
/// ⟨mk, ebl, val⟩ → ⟨mk[s := false][θ := true], ebl, val⟩
/// ```
/// Paper: 002 eq. (1)
/// Deviation: `L_S` in the paper is `L_P`.
pub(crate) fn fire_transition(
    madeus: &Madeus<'_>,
    before: &Valuation,
    theta: TransitionId,
) -> Applied {
    let assembly = madeus.assembly;
    let (component, local) = assembly.local_transition(theta);
    let (net, index) = assembly.net(component);
    if index.behavior[local.index()] != madeus.behavior(before, component) {
        return Err(Blocked::OtherBehavior(theta));
    }
    let source = Element::Dock(assembly.dock(component, net.transition(local).source));
    if !before.is_marked(source) {
        return Err(Blocked::NoToken(source));
    }
    for port in index.needs[local.index()].iter().map(|port| assembly.port(component, *port)) {
        if !is_ready(madeus, before, port) {
            return Err(Blocked::PortNotReady { port });
        }
    }
    Ok(before.moved([source], [Element::Transition(theta)]))
}

/// `is_ready(p) = ∃ (a, b) ∈ L_P ∪ L_D, a = p ∧ ebl(a, b)`
///
/// Paper: 002 eq. (1) (is_ready)
fn is_ready(madeus: &Madeus<'_>, valuation: &Valuation, port: PortId) -> bool {
    madeus.assembly.links_of_user(port).iter().any(|link| valuation.is_enabled(*link))
}

/// (2) A transition whose action has ended passes its token on and sets the data ports of the
/// place that it leads to.
///
/// ```text
/// θ = (s, d) ∈ Θ*     mk(θ)     end(action(θ))
/// ------------------------------------------------------------------------- (2)
/// ⟨mk, ebl, val⟩ → ⟨mk[θ := false][d := true], ebl,
///                   val[∀ p ∈ D_p*, dest(p) : p := val_A,Dp(action(θ), p)]⟩
/// ```
/// Paper: 002 eq. (2)
/// Deviation: `end(action(θ))` is the world's to say: a running action may end at any moment,
/// unless it is in trouble.
pub(crate) fn end_transition(
    madeus: &Madeus<'_>,
    before: &Valuation,
    theta: TransitionId,
) -> Applied {
    if !before.is_marked(Element::Transition(theta)) {
        return Err(Blocked::NoToken(Element::Transition(theta)));
    }
    if before.troubles.contains_key(&theta) {
        return Err(Blocked::InTrouble(theta));
    }
    let mut after = passed_on(madeus, before, theta);
    for port in destination_ports(madeus, theta) {
        after.values.insert(port, theta);
    }
    Ok(after)
}

/// `mk[θ := false][d := true]`, and nothing is remembered of how often `θ` was tried.
fn passed_on(madeus: &Madeus<'_>, before: &Valuation, theta: TransitionId) -> Valuation {
    let (component, local) = madeus.assembly.local_transition(theta);
    let destination = madeus.assembly.net(component).0.transition(local).destination;
    let destination = Element::Dock(madeus.assembly.dock(component, destination));
    let mut after = before.moved([Element::Transition(theta)], [destination]);
    after.retries.remove(&theta);
    after
}

/// The ports with `dest(p) = (p, π) ∈ B_Dp*, π = place(d)`.
///
/// Paper: 002 eq. (2) (dest)
/// Deviation: the paper writes `(p, g) ∈ B_Dp` with a group; data ports are bound to places.
fn destination_ports(madeus: &Madeus<'_>, theta: TransitionId) -> Vec<PortId> {
    let assembly = madeus.assembly;
    let (component, local) = assembly.local_transition(theta);
    let (net, index) = assembly.net(component);
    let ports = index.sets[net.destination_place(local).index()].iter();
    ports.map(|port| assembly.port(component, *port)).collect()
}

/// (3) A place is entered when every one of its input docks holds a token.
///
/// ```text
/// π ∈ Π*     D_i = dock_i(π) ≠ ∅     ∀ δ ∈ D_i : mk(δ)
/// ------------------------------------------------------------------ (3)
/// ⟨mk, ebl, val⟩ → ⟨mk[∀ δ ∈ D_i : δ := false][π := true], ebl, val⟩
/// ```
/// Paper: 002 eq. (3)
/// Deviation: `D_i` is not empty, else initial places would be marked again forever. A use port
/// that is bound to the place (Concerto) must be ready.
pub(crate) fn enter_place(madeus: &Madeus<'_>, before: &Valuation, pi: PlaceId) -> Applied {
    let docks = madeus.docks(before, pi, Side::Input);
    if docks.is_empty() {
        return Err(Blocked::NoDocks { place: pi, side: Side::Input });
    }
    if let Some(empty) = docks.iter().find(|dock| !before.is_marked(Element::Dock(**dock))) {
        return Err(Blocked::NoToken(Element::Dock(*empty)));
    }
    let (component, local) = madeus.assembly.local_place(pi);
    let held = &madeus.assembly.net(component).1.holds[local.index()];
    for port in held.iter().map(|port| madeus.assembly.port(component, *port)) {
        if !is_ready(madeus, before, port) {
            return Err(Blocked::PortNotReady { port });
        }
    }
    Ok(before.moved(docks.into_iter().map(Element::Dock), [Element::Place(pi)]))
}

/// (4) A token leaves a place for all of its output docks, unless a port in use would
/// lose its last token.
///
/// ```text
/// π ∈ Π*     D_o = dock_o(π) ≠ ∅     mk(π)     ∀ g ∈ G, π ∈ g : can_leave(π, D_o, g)
/// ---------------------------------------------------------------------------------- (4)
/// ⟨mk, ebl, val⟩ → ⟨mk[∀ δ ∈ D_o : δ := true][π := false], ebl, val⟩
/// ```
/// Paper: 002 eq. (4)
/// Deviation: `D_o` is not empty, else a final place would lose its token and its port.
pub(crate) fn leave_place(madeus: &Madeus<'_>, before: &Valuation, pi: PlaceId) -> Applied {
    let docks = madeus.docks(before, pi, Side::Output);
    if docks.is_empty() {
        return Err(Blocked::NoDocks { place: pi, side: Side::Output });
    }
    if !before.is_marked(Element::Place(pi)) {
        return Err(Blocked::NoToken(Element::Place(pi)));
    }
    let after = before.moved([Element::Place(pi)], docks.into_iter().map(Element::Dock));
    let (component, local) = madeus.assembly.local_place(pi);
    for group in &madeus.assembly.net(component).1.groups_of_place[local.index()] {
        can_leave(madeus, before, &after, component, *group)?;
    }
    Ok(after)
}

/// `can_leave(π, D_o, g) = (∃ p, (p, g) ∈ B_Pp : is_used(p)) ⟹ ¬last_token_leaves(π, D_o, g)`
///
/// Paper: 002 eq. (4) (can_leave)
fn can_leave(
    madeus: &Madeus<'_>,
    before: &Valuation,
    after: &Valuation,
    component: ComponentId,
    group: net::GroupId,
) -> Result<(), Blocked> {
    let ports = madeus.assembly.net(component).1.ports_of_group[group.index()].iter();
    let mut ports = ports.map(|port| madeus.assembly.port(component, *port));
    let used = ports.find_map(|port| Some((port, is_used(madeus, before, port)?)));
    match used {
        Some((port, by)) if last_token_leaves(madeus, before, after, component, group) => {
            Err(Blocked::StillUsed { port, by })
        }
        _ => Ok(()),
    }
}

/// `is_used(p) = ∃ u ∈ P_u*, θ ∈ Θ* : (u, p) ∈ L_P ∧ (u, θ) ∈ B_Pu* ∧ mk(θ)`: its user.
///
/// Paper: 002 eq. (4) (is_used)
/// Deviation: the paper writes `(p, u) ∈ L_P`. A place that is bound to `u` (Concerto) uses it too.
fn is_used(madeus: &Madeus<'_>, valuation: &Valuation, provider: PortId) -> Option<Element> {
    let assembly = madeus.assembly;
    assembly.links_of_provider(provider).iter().find_map(|link| {
        let (component, local) = assembly.local_port(assembly.link(*link).user);
        let port = assembly.net(component).0.port(local);
        let transitions = port.transitions.iter();
        let transitions =
            transitions.map(|id| Element::Transition(assembly.transition(component, *id)));
        let places = port.places.iter();
        let places = places.map(|id| Element::Place(assembly.place(component, *id)));
        transitions.chain(places).find(|element| valuation.is_marked(*element))
    })
}

/// `last_token_leaves(π, D_o, g) = is_group_enabled(g, mk) ∧ ¬is_group_enabled(g, mk[...])`
///
/// Paper: 002 eq. (4) (last_token_leaves)
fn last_token_leaves(
    madeus: &Madeus<'_>,
    before: &Valuation,
    after: &Valuation,
    component: ComponentId,
    group: net::GroupId,
) -> bool {
    is_group_enabled(madeus, before, component, group)
        && !is_group_enabled(madeus, after, component, group)
}

/// A token is on a place of the group, or on a transition that [`is_in_group`] or a dock of one.
///
/// Paper: 002 eq. (4) (is_group_enabled)
fn is_group_enabled(
    madeus: &Madeus<'_>,
    valuation: &Valuation,
    component: ComponentId,
    group: net::GroupId,
) -> bool {
    let assembly = madeus.assembly;
    let net = assembly.net(component).0;
    let on_place = |place: &net::PlaceId| {
        valuation.is_marked(Element::Place(assembly.place(component, *place)))
    };
    let on_way = |id: net::NetTransitionId| {
        let transition = net.transition(id);
        let docks = [transition.source, transition.destination];
        let on_dock = |dock| valuation.is_marked(Element::Dock(assembly.dock(component, dock)));
        valuation.is_marked(Element::Transition(assembly.transition(component, id)))
            || docks.into_iter().any(on_dock)
    };
    let group = &net.groups[group.index()];
    let mut transitions = (0..net.transitions.len()).map(net::NetTransitionId::from);
    group.places.iter().any(on_place)
        || transitions.any(|id| is_in_group(net, id, group) && on_way(id))
}

/// `is_in_group((s, d), g) = place(s) ∈ g ∧ place(d) ∈ g`
///
/// Paper: 002 eq. (4) (is_in_group)
/// Deviation: the prose says one end; the formula says both.
fn is_in_group(net: &net::Net, id: net::NetTransitionId, group: &net::Group) -> bool {
    group.places.contains(&net.source_place(id))
        && group.places.contains(&net.destination_place(id))
}

/// (5) A connection is enabled when a token is in every group that its provide port is bound to.
///
/// ```text
/// l = (u, p) ∈ L_P     ¬ebl(l)     ∀ g ∈ G, (p, g) ∈ B_Pp : is_group_enabled(g, mk)
/// --------------------------------------------------------------------------------- (5)
/// ⟨mk, ebl, val⟩ → ⟨mk, ebl[l := true], val⟩
/// ```
/// Paper: 002 eq. (5)
/// Deviation: a port that is bound to no group is never enabled.
pub(crate) fn enable(madeus: &Madeus<'_>, before: &Valuation, link: LinkId) -> Applied {
    if before.is_enabled(link) {
        return Err(Blocked::AlreadyEnabled(link));
    }
    if let Some(place) = empty_group(madeus, before, link) {
        return Err(Blocked::GroupEmpty { link, group: place });
    }
    let mut after = before.clone();
    after.enabled.insert(link);
    Ok(after)
}

/// A group that the provide port of a use-provide connection is bound to and that holds no token,
/// or nothing; for a data connection, which has no groups, the first index.
#[expect(clippy::option_option, reason = "whether one is empty, and which, if it has a name")]
fn empty_group(
    madeus: &Madeus<'_>,
    valuation: &Valuation,
    link: LinkId,
) -> Option<Option<net::GroupId>> {
    let Link { provider, data, .. } = madeus.assembly.link(link);
    let (component, local) = madeus.assembly.local_port(provider);
    let groups = &madeus.assembly.net(component).0.port(local).groups;
    if data || groups.is_empty() {
        return Some(None);
    }
    let empty = |group: &&net::GroupId| !is_group_enabled(madeus, valuation, component, **group);
    groups.iter().find(empty).map(|group| Some(*group))
}

/// (6) A connection is disabled as soon as some group that its provide port is bound to is empty.
///
/// ```text
/// l = (u, p) ∈ L_P     ebl(l)     ∃ g ∈ G, (p, g) ∈ B_Pp : ¬is_group_enabled(g, mk)
/// --------------------------------------------------------------------------------- (6)
/// ⟨mk, ebl, val⟩ → ⟨mk, ebl[l := false], val⟩
/// ```
/// Paper: 002 eq. (6)
/// Deviation: the prose says "no token in any group"; the formula, which is the negation of
/// rule 5, says some group.
pub(crate) fn disable(madeus: &Madeus<'_>, before: &Valuation, link: LinkId) -> Applied {
    if !before.is_enabled(link) {
        return Err(Blocked::NotEnabled(link));
    }
    if madeus.assembly.link(link).data || empty_group(madeus, before, link).is_none() {
        return Err(Blocked::StillProvided(link));
    }
    let mut after = before.clone();
    after.enabled.remove(&link);
    Ok(after)
}

/// (7) A data connection is enabled when its port has a value, and stays so.
///
/// ```text
/// l = (u, p) ∈ L_D     ¬ebl(l)     val(p) ≠ null
/// ---------------------------------------------- (7)
/// ⟨mk, ebl, val⟩ → ⟨mk, ebl[l := true], val⟩
/// ```
/// Paper: 002 eq. (7)
pub(crate) fn enable_data(madeus: &Madeus<'_>, before: &Valuation, link: LinkId) -> Applied {
    let Link { provider, data, .. } = madeus.assembly.link(link);
    if before.is_enabled(link) {
        return Err(Blocked::AlreadyEnabled(link));
    }
    if !data || !before.values.contains_key(&provider) {
        return Err(Blocked::NoValue(link));
    }
    let mut after = before.clone();
    after.enabled.insert(link);
    Ok(after)
}

impl System for Madeus<'_> {
    type State = Valuation;
    type Action = Action;
    type Blocked = Blocked;

    /// Tokens on the initial places, nothing enabled, no value.
    ///
    /// Paper: 002 Sec. III-C (initialization)
    fn initial(&self) -> Valuation {
        let assembly = self.assembly;
        let marked = assembly.component_ids().flat_map(|component| {
            let initial = &assembly.net(component).0.initial;
            initial.iter().map(move |place| Element::Place(assembly.place(component, *place)))
        });
        Valuation { marked: marked.collect(), ..Valuation::default() }
    }

    fn candidates(&self, state: &Valuation) -> Vec<Action> {
        let mut candidates = Vec::new();
        for element in &state.marked {
            self.candidates_of(*element, &mut candidates);
        }
        for (at, link) in self.assembly.links().iter().enumerate() {
            let id = LinkId::from(at);
            candidates.push(match (state.is_enabled(id), link.data) {
                (true, true) => continue,
                (true, false) => Action::Disable(id),
                (false, true) => Action::EnableData(id),
                (false, false) => Action::Enable(id),
            });
        }
        candidates.extend(self.assembly.component_ids().map(Action::NextBehavior));
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    fn step(&self, state: &Valuation, action: &Action) -> Result<Successors<Valuation>, Blocked> {
        if !matches!(action, Action::Disable(_)) {
            let mut enabled = state.enabled.iter();
            let withdrawn = enabled.find(|link| disable(self, state, **link).is_ok());
            if let Some(link) = withdrawn {
                return Err(Blocked::DisableFirst(*link));
            }
        }
        let after = match *action {
            Action::Fire(theta) => fire_transition(self, state, theta),
            Action::End(theta) => end_transition(self, state, theta),
            Action::Enter(pi) => enter_place(self, state, pi),
            Action::Leave(pi) => leave_place(self, state, pi),
            Action::Enable(link) => enable(self, state, link),
            Action::Disable(link) => disable(self, state, link),
            Action::EnableData(link) => enable_data(self, state, link),
            Action::NextBehavior(component) => next_behavior(self, state, component),
            Action::Fail(theta) => fail(self, state, theta),
            Action::TimeOut(theta) => time_out(self, state, theta),
            Action::Cancel(theta) => cancel(self, state, theta),
            Action::Retry(theta) => retry(self, state, theta),
            Action::Skip(theta) => skip(self, state, theta),
            Action::Compensate(theta) => compensate(self, state, theta),
        };
        after.map(Successors::one)
    }
}
