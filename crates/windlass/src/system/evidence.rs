//! What a verdict rests on: data that `certificate::check` can check without searching.

/// One step of a run: the action, and the successor it led to (it may have had several).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<S, A> {
    /// What was done.
    pub action: A,
    /// The state after it.
    pub after: S,
}

/// The beginning of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace<S, A> {
    /// The state in which the run starts.
    pub(crate) start: S,
    /// What happened, in order.
    pub steps: Vec<Step<S, A>>,
}

impl<S, A> Trace<S, A> {
    /// The state in which the trace ends.
    pub(crate) fn last(&self) -> &S {
        self.steps.last().map_or(&self.start, |step| &step.after)
    }

    /// Every state of the trace, in order.
    pub(crate) fn states(&self) -> impl Iterator<Item = &S> {
        std::iter::once(&self.start).chain(self.steps.iter().map(|step| &step.after))
    }

    /// Every action of the trace, in order.
    pub fn actions(&self) -> impl Iterator<Item = &A> {
        self.steps.iter().map(|step| &step.action)
    }
}

/// Evidence of a verdict about a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence<S, A> {
    /// A run, replayed by `step`.
    Trace(Trace<S, A>),
    /// A run that never ends: `cycle` leads from the last state of `stem` back to it.
    Lasso {
        /// How the cycle is reached.
        stem: Trace<S, A>,
        /// What then repeats forever; not empty.
        cycle: Vec<Step<S, A>>,
    },
    /// A set that contains the start and is closed under `step`, in order.
    ClosedSet(Vec<S>),
    /// A closed set with a number for each state that falls with every step, in order of states.
    Measure(Vec<(S, u32)>),
    /// An exhaustive search over this many states, too many to write down: there is nothing to
    /// check but to search again.
    Search(usize),
}

impl<S, A> Evidence<S, A> {
    /// The name of this kind of evidence in reports.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Trace(_) | Self::Lasso { .. } => "trace",
            Self::ClosedSet(_) => "closed_set",
            Self::Measure(_) => "measure",
            Self::Search(_) => "search",
        }
    }
}
