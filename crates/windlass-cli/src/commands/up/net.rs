//! Bringing assemblies of nets up. A large one is looked at for as long as it takes to make a
//! journal for it, so that both are done at once.

use std::thread::{self, ScopedJoinHandle};

use windlass::application::Application;
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::lang::{self, Language};
use windlass::simulate::{self, Scenario, Waiting};
use windlass::tree::emit;
use windlass_run::journal::JournalError;
use windlass_run::journal::sqlite::Sqlite;
use windlass_run::machine::net::NetMachine;

use super::{Processes, UpArgs, WorldArg, begun, confirm};
use crate::commands::engine::actions::ActionReport;
use crate::commands::engine::{self, Drive, OnFailureArg, Stage, actions, drive_in};
use crate::exit_code;
use crate::failure::Failure;
use crate::load::Loaded;

/// The text of an assembly in our own language, which the journal keeps as it is.
pub(super) fn text(args: &UpArgs, loaded: &Loaded) -> Option<String> {
    let is_own = args.lang.is_none() && loaded.language == Some(Language::WINDLASS);
    let mut texts = loaded.sources.iter().filter(|_| is_own && loaded.application.is_net());
    texts.next().map(|(_, source)| source.text.clone())
}

/// Brings an assembly of nets up.
pub(super) fn up(
    args: &UpArgs,
    application: &Application,
    way: &Drive<'_>,
    text: Option<String>,
) -> Result<u8, Failure> {
    // Who has to be asked may say no, and then there is no journal.
    let is_certain = !args.dry_run && (args.yes || way.world == WorldArg::Simulated);
    thread::scope(|scope| {
        let journal = is_certain.then(|| scope.spawn(|| engine::open_journal(way)));
        run(args, application, way, (text, journal))
    })
}

/// The journal that a command opens.
type Opening<'s> = ScopedJoinHandle<'s, Result<Sqlite, JournalError>>;

fn run(
    args: &UpArgs,
    application: &Application,
    way: &Drive<'_>,
    (text, journal): (Option<String>, Option<Opening<'_>>),
) -> Result<u8, Failure> {
    let assembly = match assembly(application) {
        Ok(assembly) => assembly,
        Err(why) => {
            // Nothing is left of what is refused.
            let opened = journal.and_then(|opening| opening.join().ok()).and_then(Result::ok);
            opened.into_iter().for_each(Sqlite::remove_unused);
            return Err(why);
        }
    };
    let scenario = Scenario::default();
    if way.args.on_failure == OnFailureArg::RollBack {
        refuse_one_way(&assembly, &NetMachine::new(&assembly, &scenario).remaining())?;
    }
    if args.dry_run {
        actions::show(args.format, foreseen(&assembly))?;
        return Ok(exit_code::GOOD);
    }
    if !args.yes {
        let list = actions::text(&foreseen(&assembly));
        confirm(args, way.world, (true, false), &list)?;
    }
    let machine = NetMachine::new(&assembly, &scenario);
    let begun = begun(kept(text, application), &way.directory, way.world, (None, Processes::new()));
    let journal = match journal.map(ScopedJoinHandle::join) {
        Some(opened) => opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        None => engine::open_journal(way),
    };
    let journal = journal.map_err(|why| way.unkept(Stage::New, &why))?;
    drive_in(way, machine, journal, engine::Beginning::New { begun, plan: None })
}

/// The assembly, if all of it can be brought up.
pub(super) fn assembly(application: &Application) -> Result<Assembly<'_>, Failure> {
    let assembly = Assembly::new(application).map_err(|why| Failure::usage(why.to_string()))?;
    refuse_deadlock(&assembly)?;
    Ok(assembly)
}

/// What happens when everything goes well.
fn foreseen(assembly: &Assembly<'_>) -> Vec<ActionReport> {
    let scenario = Scenario::default();
    actions::of_transitions(assembly, &NetMachine::new(assembly, &scenario).remaining())
}

/// The description as the journal keeps it.
pub(super) fn kept(text: Option<String>, application: &Application) -> String {
    text.unwrap_or_else(|| emit::yaml(&lang::windlass::print(application, None)))
}

/// What cannot be undone is not begun when a failure is to be undone.
pub(super) fn refuse_one_way(
    assembly: &Assembly<'_>,
    coming: &[TransitionId],
) -> Result<(), Failure> {
    let is_final = |id: &&TransitionId| {
        let action = &assembly.net_transition(**id).action;
        action.run.is_some() && action.compensate.is_none()
    };
    let all = coming.iter().filter(is_final);
    let all: Vec<String> = all.map(|id| format!("`{}`", assembly.transition_name(*id))).collect();
    if all.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "there is no way back: nothing says how to undo {}",
        all.join(", ")
    ))
    .help("say it with `compensate`, or leave out `--on-failure roll-back`"))
}

/// An assembly whose run gets stuck is not begun: the run that the engine would make is made in
/// virtual time first, which is linear in the number of transitions.
pub(crate) fn refuse_deadlock(assembly: &Assembly<'_>) -> Result<(), Failure> {
    let schedule = simulate::simulate(assembly, &Scenario::default());
    // A time-out that is shorter than the expected duration is no deadlock.
    let late = schedule.waiting.iter().any(|waiting| matches!(waiting, Waiting::Failed(_)));
    if schedule.is_finished() || late {
        return Ok(());
    }
    let words: Vec<String> = schedule.waiting.iter().map(|why| why.told(assembly)).collect();
    Err(Failure::usage(format!("the assembly gets stuck: {}", words.join("; ")))
        .help("`windlass prove` shows how; nothing was executed")
        .ending(exit_code::FINDINGS))
}
