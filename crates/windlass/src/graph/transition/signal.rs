//! Interactions at roles, and when they match (paper 000 section 2.2).

use std::collections::BTreeSet;

use crate::graph::{RoleId, Value};

/// The interactions of a transition.
///
/// Paper: 000 2.2 (Label)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Label {
    /// The interactions.
    pub signals: BTreeSet<Interaction>,
}

impl FromIterator<Interaction> for Label {
    fn from_iter<I: IntoIterator<Item = Interaction>>(signals: I) -> Self {
        Label { signals: signals.into_iter().collect() }
    }
}

/// The emission or receipt of a value at a role.
///
/// Paper: 000 2.2 (Interaction)
///
/// Deviation: two Alloy interactions can differ while all their fields agree; ours are equal then.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interaction {
    /// Where it happens (the paper's `irole`).
    pub role: RoleId,
    /// On which side of the role.
    pub polarity: Polarity,
    /// What is exchanged.
    pub payload: Value,
}

/// The position of the role at which an interaction happens.
///
/// Paper: 000 2.2 (Polarity)
/// Paper: 000 2.2 (Plus, Minus)
///
/// Deviation: the text says that a signal on a provided role is `Plus` and one on a required role
/// `Minus`, but none of the printed facts does; like the formulas, ours do not ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Polarity {
    /// Provided position.
    Plus,
    /// Required position.
    Minus,
}

/// One is `Plus` and the other `Minus`.
///
/// Paper: 000 2.2 (Matched_Polarities)
pub fn matched_polarities(p1: Polarity, p2: Polarity) -> bool {
    matches!((p1, p2), (Polarity::Plus, Polarity::Minus) | (Polarity::Minus, Polarity::Plus))
}

/// A successful interaction ⟨r : V, r̄ : V⟩.
///
/// ```text
/// m1.role = m2.role   m1.payload = m2.payload   matched(m1.polarity, m2.polarity)
/// ```
///
/// Paper: 000 2.2 (Matched_Signal_Pair)
pub fn matched_signal_pair(m1: &Interaction, m2: &Interaction) -> bool {
    m1.role == m2.role && m1.payload == m2.payload && matched_polarities(m1.polarity, m2.polarity)
}

/// At most one signal per role and polarity.
///
/// ```text
/// ∀ m1, m2 ∈ s : m1.role = m2.role ∧ m1.polarity = m2.polarity ⇒ m1 = m2
/// ```
///
/// Paper: 000 2.2 (WF_Signals)
pub fn wf_signals(s: &BTreeSet<Interaction>) -> bool {
    let places: BTreeSet<_> = s.iter().map(|m| (m.role, m.polarity)).collect();
    places.len() == s.len()
}

/// The signals without exactly one partner in `s`; [`matched_signals`] when there are none and
/// [`wf_signals`] holds.
pub fn unmatched(s: &BTreeSet<Interaction>) -> impl Iterator<Item = &Interaction> {
    let partners = |m1: &Interaction| s.iter().filter(|m2| matched_signal_pair(m1, m2)).count();
    s.iter().filter(move |m1| partners(m1) != 1)
}

/// Every signal finds exactly one partner.
///
/// ```text
/// WF_Signals(s)   ∀ m1 ∈ s ∃! m2 ∈ s : Matched_Signal_Pair(m1, m2)
/// ```
///
/// Paper: 000 2.2 (Matched_Signals)
pub fn matched_signals(s: &BTreeSet<Interaction>) -> bool {
    wf_signals(s) && unmatched(s).next().is_none()
}
