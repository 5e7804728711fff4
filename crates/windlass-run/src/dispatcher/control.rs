//! Where the run goes: on, to another plan, back, or nowhere any more.

use crate::entry::Aim;

/// Another plan is made when nothing runs any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replan {
    pub(super) aim: Aim,
    /// Why it is made, for people.
    pub(super) why: String,
}

/// Where the run goes.
#[derive(Debug, Default)]
pub(crate) struct RunControl {
    replan: Option<Replan>,
    rolling_back: bool,
    stopping: bool,
    interrupted: bool,
}

impl RunControl {
    /// Another plan to `aim` is made when nothing runs any more.
    pub(crate) fn replan(&mut self, aim: Aim, why: String) {
        self.replan = Some(Replan { aim, why });
    }

    pub(crate) fn is_replanning(&self) -> bool {
        self.replan.is_some()
    }

    pub(super) fn take_replan(&mut self) -> Option<Replan> {
        self.replan.take()
    }

    /// A plan to `aim` is followed.
    pub(crate) fn follow(&mut self, aim: Aim) {
        self.rolling_back = aim == Aim::Back;
        self.replan = None;
    }

    /// What has been done is undone.
    pub(super) fn roll_back(&mut self) {
        self.rolling_back = true;
        self.replan(Aim::Back, "an action failed".to_owned());
    }

    pub(crate) fn is_rolling_back(&self) -> bool {
        self.rolling_back
    }

    /// Nothing new starts.
    pub(super) fn stop(&mut self) {
        self.stopping = true;
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Whether the operator stopped the engine.
    pub(super) fn set_interrupted(&mut self, interrupted: bool) {
        self.interrupted = interrupted;
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted
    }
}
