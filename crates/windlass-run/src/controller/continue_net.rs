//! Going on with an assembly of nets that has been brought up before, or half-way: what has been
//! done is not done again, and what is left is done as the file says now.

use windlass::application::Application;
use windlass::application::assembly::Assembly;
use windlass::lang::windlass::digest;
use windlass::simulate::Scenario;
use windlass_run::entry::Purpose;
use windlass_run::machine::net::NetMachine;

use super::{Processes, UpArgs, begun, confirm, net};
use crate::commands::engine::{self, Address, Drive, OnFailureArg, Past, actions, drive};
use crate::exit_code;
use crate::failure::Failure;
use crate::output;

/// Brings up what is left of an assembly.
pub(super) fn up(
    args: &UpArgs,
    application: &Application,
    way: &Drive<'_>,
    (text, past): (Option<String>, &Past),
) -> Result<u8, Failure> {
    let before = Assembly::new(&past.application).map_err(|why| Failure::usage(why.to_string()))?;
    let scenario = Scenario::default();
    let now = past.net_now(&before, &scenario)?;
    if past.purpose == Purpose::Down || now.is_undoing() {
        return Err(half_way(past, way));
    }
    let done = now.history();
    let has_changed =
        digest::of_application(application) != digest::of_application(&past.application);
    let assembly = net::assembly(application)?;
    let onward = || NetMachine::continue_net(&assembly, &scenario, &done);
    let machine = onward().map_err(|why| misfit(&why.to_string(), way))?;
    tell_outdated(&assembly, &machine, way.address);
    if past.is_reached() && !has_changed {
        output::stdout("nothing to do\n")?;
        return Ok(exit_code::GOOD);
    }
    let rolls_back = way.args.on_failure == OnFailureArg::RollBack;
    // Who has said yes to everything needs no list.
    if args.dry_run || rolls_back || !args.yes {
        let left = onward().map(NetMachine::remaining).unwrap_or_default();
        if rolls_back {
            net::refuse_one_way(&assembly, &left)?;
        }
        let left = actions::of_transitions(&assembly, &left);
        if args.dry_run {
            actions::show(args.format, left)?;
            return Ok(exit_code::GOOD);
        }
        let is_new = has_changed && !left.is_empty();
        confirm(args, way.world, (is_new, false), &actions::text(&left))?;
    }
    let from = (Some(done.to_text()), Processes::new());
    let begun = begun(net::kept(text, application), &way.directory, way.world, from);
    drive(way, machine, engine::Beginning::New { begun, plan: None })
}

/// A way back is not left in its middle: what was to be undone may be half undone.
fn half_way(past: &Past, way: &Drive<'_>) -> Failure {
    let (resume, down) = (way.address.command("resume"), way.address.command("down"));
    Failure::usage(format!("run {} of `{}` went back half-way", past.run, way.name)).help(format!(
        "`{resume}` goes on with it; `{down}` does so by the file as it is now, then `up` starts \
         again"
    ))
}

fn misfit(why: &str, way: &Drive<'_>) -> Failure {
    let message = format!("what `{}` has done does not fit the file any more: {why}", way.name);
    let down = way.address.command("down");
    Failure::usage(message).help(format!(
        "`{down}` takes it down as it was described; or choose another name with --name"
    ))
}

/// Tells what has been done by another command than the file says now.
fn tell_outdated(assembly: &Assembly<'_>, machine: &NetMachine<'_>, address: &Address) {
    let outdated = machine.outdated().into_iter();
    let outdated: Vec<String> =
        outdated.map(|id| format!("`{}`", assembly.transition_name(id))).collect();
    if !outdated.is_empty() {
        let down = address.command("down");
        output::notice(&format!(
            "done as it was described before, not as the file says now, and not done again: {}; \
             `{down}` and `up` do it again",
            outdated.join(", ")
        ));
    }
}
