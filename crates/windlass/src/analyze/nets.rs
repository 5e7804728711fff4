//! `windlass analyze` for assemblies of nets: does every run complete, what never happens, can a
//! valuation be reached.

use std::collections::BTreeSet;
use std::fmt;

use super::needed::{self, Known};
use crate::application::assembly::{Assembly, progress};
use crate::certificate::{self, Claim};
use crate::explore::{self, Derived, Form, Options, Space, StateOf};
use crate::lifecycle::net::NetTransitionId;
use crate::semantics::Semantics;
use crate::semantics::net::{Action, Element, Madeus, Valuation};
use crate::system::{
    Budget, Evidence, Predicate, Property, Step, StopReason, System, Trace, Verdict,
};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NetOverview {
    /// `order`: the assembly has no choice, one run decides; `search`: every valuation was seen.
    pub method: &'static str,
    /// Whether every run ends with all tokens on final places.
    pub completes: bool,
    /// Why not, in one sentence.
    pub because: Option<String>,
    /// A shortest run to where nothing can happen, when that was searched.
    pub run: Vec<String>,
    /// Reachable valuations, when that was searched.
    pub reachable: Option<usize>,
    /// Transitions that never start.
    pub never_run: Vec<String>,
    /// Places that are never entered.
    pub never_reached: Vec<String>,
}

/// Decides by the order of events where that is possible, and searches otherwise.
pub fn overview(
    assembly: &Assembly<'_>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Result<NetOverview, StopReason> {
    let by_run = progress::progress(assembly).ok().and_then(|found| by_order(assembly, &found));
    match by_run {
        Some(overview) => Ok(overview),
        None => by_search(assembly, options, budget),
    }
}

/// What one run shows about all of them; none when `certificate` refuses it.
fn by_order(assembly: &Assembly<'_>, found: &progress::Progress) -> Option<NetOverview> {
    let stuck = found.stuck(assembly);
    certificate::check_order(assembly, &BTreeSet::new(), &found.run, stuck.is_none()).ok()?;
    let places = assembly.place_ids().filter(|place| !found.enters(*place));
    Some(NetOverview {
        method: "order",
        completes: stuck.is_none(),
        because: stuck.map(|id| progress::sentence(assembly, &found.explain(assembly, id))),
        run: Vec::new(),
        reachable: None,
        never_run: found.never(assembly).map(|id| assembly.transition_name(id)).collect(),
        never_reached: places.map(|place| assembly.place_name(place)).collect(),
    })
}

/// Searches every valuation.
pub fn by_search(
    assembly: &Assembly<'_>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Result<NetOverview, StopReason> {
    let madeus = Madeus::new(assembly);
    let form = Derived(&madeus);
    let space = explore::space(&form, options, budget)?;
    let mut marked: BTreeSet<Element> = BTreeSet::new();
    let mut dead = None;
    for at in space.states() {
        let state = space.decode(at);
        marked.extend(&state.marked);
        if dead.is_none() && space.successors(at).is_empty() && !madeus.is_final(&state) {
            dead = Some((at, state));
        }
    }
    let because = match &dead {
        Some((_, state)) => madeus.waits(state).map(|waits| progress::sentence(assembly, &waits)),
        None => (!can_always_end(&space, |state| madeus.is_final(state))).then(|| {
            "tokens go in a cycle: there are runs after which no way leads to the end".to_owned()
        }),
    };
    let trace = dead.as_ref().and_then(|(at, _)| space.trace(*at));
    let run = trace.map(|trace| trace.actions().map(|action| madeus.describe(action)).collect());
    let transitions =
        assembly.transition_ids().filter(|id| !marked.contains(&Element::Transition(*id)));
    let places = assembly.place_ids().filter(|place| !marked.contains(&Element::Place(*place)));
    Ok(NetOverview {
        method: "search",
        completes: dead.is_none() && because.is_none(),
        because,
        run: run.unwrap_or_default(),
        reachable: Some(space.states().len()),
        never_run: transitions.map(|id| assembly.transition_name(id)).collect(),
        never_reached: places.map(|place| assembly.place_name(place)).collect(),
    })
}

/// Whether from every state a final one can be reached: then a run that is fair to whatever can
/// happen again and again ends.
fn can_always_end<F: Form>(space: &Space<'_, F>, is_final: impl Fn(&StateOf<F>) -> bool) -> bool {
    let count = space.states().len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
    for at in space.states() {
        for next in space.successors(at) {
            before[*next as usize].push(at);
        }
    }
    let mut can_end = vec![false; count];
    let mut open: Vec<u32> = space.states().filter(|at| is_final(&space.decode(*at))).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut can_end[at as usize], true) {
            open.append(&mut before[at as usize]);
        }
    }
    can_end.into_iter().all(|can| can)
}

/// What a valuation has to look like: elements that hold a token, and elements that do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    marked: Vec<Element>,
    unmarked: Vec<Element>,
}

/// A name that is neither a place nor a transition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownElement(pub String);

impl fmt::Display for UnknownElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no place or transition `{}`; write COMPONENT.PLACE", self.0)
    }
}

impl std::error::Error for UnknownElement {}

/// Reads `COMPONENT.PLACE, !COMPONENT.TRANSITION, ...`.
pub fn wanted(assembly: &Assembly<'_>, text: &str) -> Result<Wanted, UnknownElement> {
    let mut wanted = Wanted::default();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (list, name) = match part.strip_prefix('!') {
            Some(name) => (&mut wanted.unmarked, name.trim()),
            None => (&mut wanted.marked, part),
        };
        list.push(element(assembly, name).ok_or_else(|| UnknownElement(name.to_owned()))?);
    }
    Ok(wanted)
}

fn element(assembly: &Assembly<'_>, text: &str) -> Option<Element> {
    for component in assembly.component_ids() {
        let name = assembly.component_name(component);
        let Some(rest) = text.strip_prefix(&*name).and_then(|rest| rest.strip_prefix('.')) else {
            continue;
        };
        let net = assembly.net(component).0;
        if let Some(place) = net.place_named(rest) {
            return Some(Element::Place(assembly.place(component, place)));
        }
        if let Some(at) = net.transitions.iter().position(|t| t.name == rest) {
            let id = assembly.transition(component, NetTransitionId::from(at));
            return Some(Element::Transition(id));
        }
    }
    None
}

/// A shortest run to a valuation; none when there is no such run. Without choice what has to happen
/// is known; otherwise it is searched.
pub fn reach(
    assembly: &Assembly<'_>,
    wanted: &Wanted,
    options: &Options,
    budget: &mut dyn Budget,
) -> Result<Option<Vec<String>>, StopReason> {
    let madeus = Madeus::new(assembly);
    let holds = |state: &Valuation| {
        wanted.marked.iter().all(|element| state.is_marked(*element))
            && !wanted.unmarked.iter().any(|element| state.is_marked(*element))
    };
    let known = wanted.unmarked.is_empty().then(|| needed::shortest(assembly, &wanted.marked));
    match known.flatten() {
        Some(Known::Run(run)) if leads_to(&madeus, &holds, &run) => {
            return Ok(Some(run.iter().map(|action| madeus.describe(action)).collect()));
        }
        Some(Known::Never) => return Ok(None),
        Some(Known::Run(_)) | None => {}
    }
    let reachable = Property::Reachable(&holds);
    let outcome = explore::search(&Derived(&madeus), reachable, options, budget);
    match certificate::checked(&madeus, reachable, outcome.verdict) {
        Verdict::Holds(Evidence::Trace(trace)) => {
            Ok(Some(trace.actions().map(|action| madeus.describe(action)).collect()))
        }
        Verdict::Holds(_) | Verdict::Fails(_) => Ok(None),
        Verdict::Unknown(reason) => Err(reason),
    }
}

/// Runs up to this many steps are replayed by the reference: each of its states is as large as the
/// assembly. Of longer ones only the order has been checked.
const MOST_REPLAYED: usize = 2_000;

/// Whether `certificate` accepts a run as one to a valuation.
fn leads_to(madeus: &Madeus<'_>, holds: Predicate<'_, Valuation>, run: &[Action]) -> bool {
    if run.len() > MOST_REPLAYED {
        return true;
    }
    let mut trace = Trace { start: madeus.initial(), steps: Vec::with_capacity(run.len()) };
    for action in run {
        let Ok(after) = madeus.step(trace.last(), action) else { return false };
        let after = after.first().clone();
        trace.steps.push(Step { action: *action, after });
    }
    let claim = Claim { property: Property::Reachable(holds), holds: true };
    certificate::check(madeus, &claim, &Evidence::Trace(trace)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    const TWO_COMPONENTS: &str = include_str!("../../../../examples/two-components/windlass.yaml");

    #[test]
    fn a_damaged_run_decides_nothing() {
        let mut sources = Sources::new();
        let root = sources.add("windlass.yaml", TWO_COMPONENTS);
        let application = crate::lang::read(None, root, &sources).application.expect("it is read");
        let assembly = Assembly::new(&application).expect("nets");
        let found = progress::progress(&assembly).expect("one run decides");
        assert!(by_order(&assembly, &found).is_some_and(|overview| overview.completes));
        for at in 0..found.run.len() {
            let mut damaged = found.clone();
            damaged.run.remove(at);
            assert_eq!(by_order(&assembly, &damaged), None, "without event {at}");
            damaged = found.clone();
            damaged.run.insert(at, found.run[at]);
            assert_eq!(by_order(&assembly, &damaged), None, "event {at} twice");
        }
    }

    #[test]
    fn a_damaged_run_reaches_nothing() {
        let mut sources = Sources::new();
        let root = sources.add("windlass.yaml", TWO_COMPONENTS);
        let application = crate::lang::read(None, root, &sources).application.expect("it is read");
        let assembly = Assembly::new(&application).expect("nets");
        let madeus = Madeus::new(&assembly);
        let mut longest = 0;
        for place in assembly.place_ids() {
            let marked = [Element::Place(place)];
            let Some(Known::Run(run)) = needed::shortest(&assembly, &marked) else { continue };
            longest = longest.max(run.len());
            let holds = |state: &Valuation| state.is_marked(Element::Place(place));
            assert!(leads_to(&madeus, &holds, &run));
            for at in 0..run.len() {
                let mut damaged = run.clone();
                damaged.remove(at);
                assert!(!leads_to(&madeus, &holds, &damaged), "without {:?}", run[at]);
            }
            let nowhere = |_: &Valuation| false;
            assert!(!leads_to(&madeus, &nowhere, &run));
        }
        assert!(longest > 3, "the longest run has {longest} actions");
    }
}
