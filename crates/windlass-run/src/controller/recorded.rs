//! Descriptions and states as the journal stores them: the one place where they are printed for it
//! and read from it.

use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::lang::{self, documents};
use windlass::source::Sources;
use windlass::tree::emit;

use super::error::{Damage, Error};

/// A description and its goal for the journal.
pub(crate) fn application(application: &Application, goal: Option<&GoalFile>) -> String {
    emit::yaml(&lang::windlass::print(application, goal))
}

/// A state for the journal.
pub(crate) fn state(application: &Application, state: &GlobalState) -> String {
    emit::yaml(&lang::windlass::print_state(application, state))
}

/// Reads a description that a journal stores.
pub(crate) fn read_application(text: &str) -> Result<(Application, Option<GoalFile>), Error> {
    let mut sources = Sources::new();
    let root = sources.add("journal", text);
    let reading = lang::read(None, root, &sources);
    let application = reading.application.ok_or(Error::Damaged(Damage::Description))?;
    Ok((application, reading.goal))
}

/// Reads a state that a journal stores.
pub(crate) fn read_state(text: &str, application: &Application) -> Result<GlobalState, Error> {
    let mut sources = Sources::new();
    let root = sources.add("journal", text);
    let state = documents::kept_state(root, &sources, application);
    state.ok_or(Error::Damaged(Damage::State))
}
