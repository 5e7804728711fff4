//! What waits for what, as a picture: transitions, the ports they wait for, and what would provide
//! those. Where the arrows close a cycle, nothing in it ever starts.

use std::collections::BTreeMap;

use super::drawing::{Direction, Drawing, End, Shape, Stroke};
use crate::application::assembly::progress::{Explanation, Wait, sentence};
use crate::application::assembly::{Assembly, TransitionId};

/// The picture of an explanation.
pub fn draw(assembly: &Assembly<'_>, explanation: &Explanation) -> Drawing {
    let mut drawing = Drawing::new("what waits for what", Direction::Right);
    let from = explanation.cycle.unwrap_or(0);
    let waits = &explanation.waits[from..];
    let mut items: BTreeMap<TransitionId, usize> = BTreeMap::new();
    for wait in waits {
        let item = drawing.add(Shape::State, assembly.transition_name(wait.who()));
        drawing.items[item].subtitle = match wait {
            Wait::Failed(_) => "fails".to_owned(),
            Wait::Beside(..) => "has ended".to_owned(),
            _ => "never goes on".to_owned(),
        };
        items.insert(wait.who(), item);
    }
    for wait in waits {
        let who = items[&wait.who()];
        let on = wait.on().and_then(|other| items.get(&other).copied());
        add(&mut drawing, assembly, *wait, who, on);
    }
    drawing.notes.push(sentence(assembly, explanation));
    drawing
}

fn add(drawing: &mut Drawing, assembly: &Assembly<'_>, wait: Wait, who: usize, on: Option<usize>) {
    let between = match wait {
        Wait::Before(..) | Wait::Beside(..) | Wait::Failed(_) => None,
        Wait::Port(_, port, _) => {
            Some((Shape::Port, assembly.port_name(port), "waits for port".to_owned()))
        }
        Wait::NotProvided(_, port) => {
            Some((Shape::Port, assembly.port_name(port), "nothing provides it".to_owned()))
        }
        Wait::Used(_, port, _) => {
            Some((Shape::Port, assembly.port_name(port), "still in use".to_owned()))
        }
        Wait::UsedAtRest(_, port, user) => {
            let user = format!("{} uses it to the end", assembly.component_name(user));
            Some((Shape::Port, assembly.port_name(port), user))
        }
        Wait::Unreachable(_, place) => {
            Some((Shape::Place, assembly.place_name(place), "never entered".to_owned()))
        }
        Wait::NoToken(_, place) => {
            Some((Shape::Place, assembly.place_name(place), "no token is left".to_owned()))
        }
    };
    let last = match between {
        Some((shape, title, subtitle)) => {
            let item = drawing.add(shape, title);
            drawing.items[item].subtitle = subtitle;
            drawing.connect(End::at(who), End::at(item), "waits for").stroke = Stroke::Dotted;
            item
        }
        None => who,
    };
    if let Some(on) = on {
        drawing.connect(End::at(last), End::at(on), "needs");
    }
}
