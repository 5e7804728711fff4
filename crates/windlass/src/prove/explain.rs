//! Who waits for whom, when nothing can climb any more.

use std::collections::BTreeSet;

use crate::system::ladder::{Climb, Ladders, ObjectIndex, Rung};

/// What a premise that does not hold waits for.
struct Waits {
    on: ObjectIndex,
    rung: Rung,
    never: bool,
}

/// The most sentences: a cause and what follows from it, not everything that waits.
const MOST: usize = 12;

/// Sentences from the first object that did not arrive to the reason: a circle, or something that
/// never comes. `name` says who an object is, `rung` where it stands at a height.
pub(super) fn waiting(
    ladders: &Ladders,
    climb: &Climb,
    name: &dyn Fn(ObjectIndex) -> String,
    rung: &dyn Fn(ObjectIndex, Rung) -> String,
) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut path: Vec<ObjectIndex> = Vec::new();
    let Some(mut object) = climb.below_goal(ladders).next() else { return sentences };
    let mut seen = BTreeSet::new();
    while seen.insert(object) {
        path.push(object);
        let here = rung(object, climb.rungs[object as usize]);
        match missing(ladders, climb, object) {
            None => {
                sentences.push(format!("`{}` stays {here}: no step leads on", name(object)));
                return last(sentences);
            }
            Some(None) => {
                sentences.push(format!(
                    "`{}` stays {here}: nobody can give it what it needs",
                    name(object)
                ));
                return last(sentences);
            }
            Some(Some(Waits { on, rung: wanted, never })) => {
                let other = name(on);
                if never {
                    sentences.push(format!(
                        "`{}` stays {here}: it waits for something that `{other}` never gives",
                        name(object)
                    ));
                    return last(sentences);
                }
                let wanted = rung(on, wanted);
                sentences.push(format!(
                    "`{}` stays {here}: it waits for `{other}` to be {wanted}",
                    name(object)
                ));
                object = on;
            }
        }
    }
    let start = path.iter().position(|known| *known == object).unwrap_or(0);
    let names: Vec<String> =
        path[start..].iter().map(|object| format!("`{}`", name(*object))).collect();
    let mut sentences = last(sentences);
    sentences.push(format!("they wait for each other in a circle: {}", names.join(", ")));
    sentences
}

fn last(mut sentences: Vec<String>) -> Vec<String> {
    let surplus = sentences.len().saturating_sub(MOST);
    sentences.drain(..surplus);
    sentences
}

/// The first thing that the next step of an object lacks; none inside when nobody is asked.
fn missing(ladders: &Ladders, climb: &Climb, object: ObjectIndex) -> Option<Option<Waits>> {
    let at = climb.rungs[object as usize] as usize;
    let premises = ladders.objects[object as usize].steps.get(at)?;
    let high = |(other, rung): &&(ObjectIndex, Rung)| climb.rungs[*other as usize] >= *rung;
    let lacking = premises
        .iter()
        .find(|premise| (premise.all.iter().filter(high).count() as u32) < premise.least)?;
    let others = || lacking.all.iter().filter(|atom| !high(atom));
    let exists = |(other, rung): &(ObjectIndex, Rung)| {
        *rung as usize <= ladders.objects[*other as usize].steps.len()
    };
    let first = others().find(|atom| exists(atom)).or_else(|| others().next());
    Some(first.map(|atom| Waits { on: atom.0, rung: atom.1, never: !exists(atom) }))
}
