//! What can be asked of a system, and what the answer looks like.

use std::fmt;

use super::StopReason;

/// A question about one state, encoded or not.
pub type Predicate<'a, T> = &'a (dyn Fn(&T) -> bool + Sync);

/// A question about all runs of a system. `T` is a state, or its encoded form.
///
/// A run is a maximal path from the initial state: it ends only in a state without successors.
/// No fairness is assumed: a cycle may be repeated forever.
pub enum Property<'a, T: ?Sized> {
    /// Every reachable state satisfies the predicate.
    Always(Predicate<'a, T>),
    /// Some reachable state satisfies the predicate.
    Reachable(Predicate<'a, T>),
    /// Every reachable state without successors satisfies the predicate (is an accepted end).
    DeadlockFree(Predicate<'a, T>),
    /// On every run the predicate holds at some point.
    Eventually(Predicate<'a, T>),
}

impl<T: ?Sized> Clone for Property<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Property<'_, T> {}

impl<T: ?Sized> Property<'_, T> {
    /// The name of the property, without its predicate.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Always(_) => "always",
            Self::Reachable(_) => "reachable",
            Self::DeadlockFree(_) => "deadlock-free",
            Self::Eventually(_) => "eventually",
        }
    }

    /// Whether the predicate holds in `state`.
    pub fn holds_in(&self, state: &T) -> bool {
        match self {
            Self::Always(p) | Self::Reachable(p) | Self::DeadlockFree(p) | Self::Eventually(p) => {
                p(state)
            }
        }
    }
}

impl<T: ?Sized> fmt::Debug for Property<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The answer to a question: never a bare `bool`, and a limit is never "holds".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<E, F> {
    /// It holds, and this shows it.
    Holds(E),
    /// It does not hold, and this shows it.
    Fails(F),
    /// The search ended before it knew.
    Unknown(StopReason),
}

impl<E, F> Verdict<E, F> {
    /// Whether the property was shown to hold.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Holds(_))
    }

    /// Whether the property was shown not to hold.
    pub fn fails(&self) -> bool {
        matches!(self, Self::Fails(_))
    }

    /// The same verdict with other evidence.
    pub fn map<G, H>(
        self,
        holds: impl FnOnce(E) -> G,
        fails: impl FnOnce(F) -> H,
    ) -> Verdict<G, H> {
        match self {
            Self::Holds(evidence) => Verdict::Holds(holds(evidence)),
            Self::Fails(evidence) => Verdict::Fails(fails(evidence)),
            Self::Unknown(reason) => Verdict::Unknown(reason),
        }
    }
}
