//! The operator at a terminal, or behind a pipe: questions, notices, events as lines or as JSON.

use std::cell::RefCell;
use std::io::{BufRead, IsTerminal, Write as _};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_run::compose::ProjectEvent;
use windlass_run::controller::drive::RunView;
use windlass_run::controller::{
    Action, Answer, Error, Notice, Operator, Outcome, Question, WorldKind,
};
use windlass_run::deployment::Deployment;
use windlass_run::entry::Entry;
use windlass_run::machine::Obstacle;
use windlass_run::supervisor::DismissedEngine;
use windlass_run::world::process::Interrupter;

use super::lines::Lines;
use super::live::Live;
use super::{Address, actions, ctrlc, ending, failure};
use crate::args::Format;
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// Whoever typed the command.
pub(crate) struct Terminal<'a> {
    address: &'a Address,
    format: Format,
    /// `--yes`: nothing is asked.
    yes: bool,
    /// Whether actions are listed also when they cannot be asked about.
    lists_actions: bool,
    lines: RefCell<Lines>,
    live: RefCell<Option<Live>>,
}

/// A line of `--format json`: an entry of the journal, as soon as it is safe.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventLine<'a> {
    /// `windlass/event/1`.
    schema: &'static str,
    /// When, in milliseconds since 1970; of a simulated world in milliseconds of virtual time.
    at_ms: u64,
    /// What was decided, or happened.
    event: &'a Entry,
}

/// Progress is no result: it goes to standard error.
pub(crate) fn progress(event: &ProjectEvent) {
    output::stderr(&escape::visible_lines(&(project_line(event) + "\n")));
}

/// An event of a Compose project as a line: its word, and what it is about.
fn project_line(event: &ProjectEvent) -> String {
    format!("{:<7} {event}", event.as_str())
}

impl<'a> Terminal<'a> {
    /// The operator of a deployment, who is asked.
    pub(crate) fn new(address: &'a Address, format: Format) -> Self {
        Terminal {
            address,
            format,
            yes: false,
            lists_actions: false,
            lines: RefCell::default(),
            live: RefCell::new(None),
        }
    }

    /// With `--yes`, or without.
    pub(crate) fn saying_yes(self, yes: bool) -> Self {
        Terminal { yes, ..self }
    }

    /// Lists actions also when they cannot be asked about.
    pub(crate) fn listing_actions(self) -> Self {
        Terminal { lists_actions: true, ..self }
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// What keeps the command from doing what it was asked to.
    pub(crate) fn failure(&self, why: Error) -> Failure {
        // What is on the terminal goes before the message comes.
        drop(self.live.take());
        failure(why, self.address, self.format)
    }

    /// Shows what became of a request; the exit code.
    pub(crate) fn conclude(&self, outcome: Result<Outcome, Error>) -> Result<u8, Failure> {
        match outcome.map_err(|why| self.failure(why))? {
            Outcome::Finished(finish) => Ok(ending::tell(&finish, self.address, self.format)),
            Outcome::DryRun(all) => {
                actions::show(self.format, all)?;
                Ok(exit_code::GOOD)
            }
            _ => {
                output::stdout("nothing to do\n")?;
                Ok(exit_code::GOOD)
            }
        }
    }

    /// Entries, as the operator wants to see them. Times are those of the journal.
    fn shown(&self, at: Duration, entries: &[Entry]) -> String {
        match self.format {
            Format::Text => {
                let mut text = String::with_capacity(64 * entries.len());
                let mut lines = self.lines.borrow_mut();
                for entry in entries {
                    lines.write(&mut text, at, entry);
                }
                escape::visible_lines(&text)
            }
            Format::Json => {
                let at_ms = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
                let line = |event| EventLine { schema: "windlass/event/1", at_ms, event };
                entries.iter().filter_map(|entry| escape::json_line(&line(entry)).ok()).collect()
            }
        }
    }
}

/// Shows something and waits for a yes.
fn ask(shown: &str) -> Answer {
    if !std::io::stdin().is_terminal() {
        return Answer::NotAsked;
    }
    output::stderr(&format!("{shown}\nDo this? [y/N] "));
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    match std::io::stdin().lock().read_line(&mut answer).map(|_| answer.trim()) {
        Ok("y" | "Y" | "yes") => Answer::Yes,
        _ => Answer::No,
    }
}

impl Operator for Terminal<'_> {
    fn notice(&self, notice: &Notice) {
        let hint = match notice {
            Notice::Project(event) => return progress(event),
            Notice::Adopted(events) => {
                let lines: String = events.iter().map(|event| project_line(event) + "\n").collect();
                // A reader that went away does not stop a run.
                return drop(output::stdout(&escape::visible_lines(&lines)));
            }
            Notice::OutdatedProcess { instance } => {
                let restart = self.address.option("restart", instance);
                format!(": after this, `{restart}` starts it again")
            }
            Notice::Surplus { node, wanted, .. } => {
                let scale = self.address.option("scale", &format!("{node}={wanted}"));
                format!(": `{scale}` removes the others")
            }
            Notice::OutdatedOperations { .. } => {
                format!(": `{}` and `up` do it again", self.address.command("down"))
            }
            Notice::OutdatedTransitions(_) => {
                format!("; `{}` and `up` do it again", self.address.command("down"))
            }
            _ => String::new(),
        };
        output::notice(&format!("{notice}{hint}"));
    }

    fn confirm(&self, question: &Question, actions: &[Action]) -> Answer {
        match question {
            // What is lost for good takes an option of its own.
            Question::RenewVolume(_) if self.yes => Answer::No,
            _ if self.yes => Answer::Yes,
            _ if question.is_about_actions() => {
                let list = actions::text(actions);
                let answer = ask(&list);
                if answer == Answer::NotAsked && self.lists_actions {
                    output::stderr(&list);
                }
                answer
            }
            _ => ask(&escape::visible_lines(&question.to_string())),
        }
    }

    fn agrees(&self) -> bool {
        self.yes
    }

    fn supervisor_dismissed(&self, deployment: &Deployment, engine: &DismissedEngine) {
        output::notice("the engine in the background has ended");
        ctrlc::restore_on_ctrlc(deployment, engine);
    }

    fn begins(&self, run: &RunView<'_>) {
        let is_real = run.world() != WorldKind::Simulated;
        let mut lines = Lines::timed(is_real);
        lines.replay(run.earlier_records());
        *self.lines.borrow_mut() = lines;
        // The view is for people who look at a terminal.
        let live = (self.format == Format::Text && is_real)
            .then(|| Live::new(|| (run.records(), run.predicted())));
        *self.live.borrow_mut() = live.flatten();
    }

    fn events(&self, at: Duration, entries: &[Entry]) {
        let text = self.shown(at, entries);
        match &mut *self.live.borrow_mut() {
            Some(live) => {
                for entry in entries {
                    live.apply_entry(entry);
                }
                live.print(&text);
            }
            // A reader that went away does not stop a run.
            None => drop(output::stdout_bytes(text.as_bytes())),
        }
    }

    fn waits(&self, obstacles: &dyn Fn() -> Vec<Obstacle>) -> Option<Duration> {
        self.live.borrow_mut().as_mut()?.waits(obstacles)
    }

    fn ends(&self) {
        if let Some(summary) = self.live.take().and_then(Live::finish) {
            output::notice(&summary);
        }
    }

    fn interruptible(&self, interrupter: Interrupter) {
        ctrlc::install_ctrlc(interrupter);
    }
}
