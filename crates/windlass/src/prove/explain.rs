//! What waits for what, when nothing can climb any more.

use std::collections::BTreeSet;

use crate::system::ladder::{Climb, Ladders, ObjectIndex, Rung};

/// Why an object takes no further step.
enum Lack {
    /// There is none.
    NoStep,
    /// Nothing can satisfy a premise.
    NoProvider,
    /// A premise waits for another object to climb so high, which may be higher than it ever
    /// climbs.
    Waits { on: ObjectIndex, rung: Rung, never: bool },
}

/// The most sentences: a cause and what follows from it, not everything that waits.
const MOST: usize = 12;

/// Sentences from the first object that did not arrive to the reason: a cycle, or something that
/// never comes. `name` says who an object is, `rung` where it stands at a height, `never` what one
/// waits for that another never gives.
pub(super) fn waiting(
    ladders: &Ladders,
    climb: &Climb,
    name: &dyn Fn(ObjectIndex) -> String,
    rung: &dyn Fn(ObjectIndex, Rung) -> String,
    never: &dyn Fn(ObjectIndex, ObjectIndex) -> Option<String>,
) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut path: Vec<ObjectIndex> = Vec::new();
    let Some(mut object) = climb.below_goal(ladders).next() else { return sentences };
    let mut seen = BTreeSet::new();
    while seen.insert(object) {
        path.push(object);
        let here = rung(object, climb.rungs[object as usize]);
        let who = name(object);
        let (sentence, next) = match lack(ladders, climb, object) {
            Lack::NoStep => (format!("`{who}` stays {here}: no step leads on"), None),
            Lack::NoProvider => {
                (format!("`{who}` stays {here}: nothing can give it what it needs"), None)
            }
            Lack::Waits { on, never: true, .. } => {
                let something =
                    || format!("it waits for something that `{}` never gives", name(on));
                let why = never(object, on).unwrap_or_else(something);
                (format!("`{who}` stays {here}: {why}"), None)
            }
            Lack::Waits { on, rung: wanted, never: false } => {
                let (other, wanted) = (name(on), rung(on, wanted));
                let why = format!("it waits for `{other}` to be {wanted}");
                (format!("`{who}` stays {here}: {why}"), Some(on))
            }
        };
        sentences.push(sentence);
        match next {
            Some(on) => object = on,
            None => return last(sentences),
        }
    }
    let start = path.iter().position(|known| *known == object).unwrap_or(0);
    let names: Vec<String> =
        path[start..].iter().map(|object| format!("`{}`", name(*object))).collect();
    let mut sentences = last(sentences);
    sentences.push(format!("they wait for each other in a cycle: {}", names.join(", ")));
    sentences
}

fn last(mut sentences: Vec<String>) -> Vec<String> {
    let surplus = sentences.len().saturating_sub(MOST);
    sentences.drain(..surplus);
    sentences
}

/// The first thing that the next step of an object lacks.
fn lack(ladders: &Ladders, climb: &Climb, object: ObjectIndex) -> Lack {
    let at = climb.rungs[object as usize] as usize;
    let Some(premises) = ladders.objects[object as usize].steps.get(at) else {
        return Lack::NoStep;
    };
    let high = |(other, rung): &&(ObjectIndex, Rung)| climb.rungs[*other as usize] >= *rung;
    let lacking = premises
        .iter()
        .find(|premise| (premise.all.iter().filter(high).count() as u32) < premise.least);
    let others = || lacking.iter().flat_map(|premise| &premise.all).filter(|atom| !high(atom));
    let exists = |(other, rung): &(ObjectIndex, Rung)| {
        *rung as usize <= ladders.objects[*other as usize].steps.len()
    };
    match others().find(|atom| exists(atom)).or_else(|| others().next()) {
        Some(atom) => Lack::Waits { on: atom.0, rung: atom.1, never: !exists(atom) },
        None => Lack::NoProvider,
    }
}
