//! Going on with an assembly of nets that has been brought up before, or half-way: what has been
//! done is not done again, and what is left is done as the file says now.

use std::collections::BTreeMap;

use windlass::application::Application;
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::lang::windlass::digest;
use windlass::simulate::Scenario;
use windlass_run::entry::Purpose;
use windlass_run::machine::net::NetMachine;

use super::{Processes, UpArgs, begun, confirm, net};
use crate::commands::engine::{self, Address, Drive, Past, actions, drive};
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
    if past.purpose == Purpose::Down {
        let message = format!("run {} of `{}` took it down half-way", past.run, way.name);
        let resume = way.address.command("resume");
        return Err(Failure::usage(message).help(format!("`{resume}` goes on with it")));
    }
    let has_changed =
        digest::of_application(application) != digest::of_application(&past.application);
    if past.is_reached() && !has_changed {
        output::stdout("nothing to do\n")?;
        return Ok(exit_code::GOOD);
    }
    let before = Assembly::new(&past.application).map_err(|why| Failure::usage(why.to_string()))?;
    let scenario = Scenario::default();
    let done = past.net_now(&before, &scenario)?.done();
    let assembly = net::assembly(application, way)?;
    let machine = NetMachine::onward(&assembly, &scenario, &done).map_err(|why| {
        let message = format!("what `{}` has done does not fit the file any more: {why}", way.name);
        let down = way.address.command("down");
        Failure::usage(message).help(format!(
            "`{down}` takes it down as it was described; or choose another name with --name"
        ))
    })?;
    tell_outdated(&before, &assembly, &machine, way.address);
    let left = actions::left_of_assembly(&assembly, |id| machine.has_done(id));
    if args.dry_run {
        actions::show(args.format, left)?;
        return Ok(exit_code::GOOD);
    }
    confirm(args, way.world, (has_changed, false), &actions::text(&left))?;
    let from = (Some(done), Processes::new());
    let begun = begun(net::kept(text, application), &way.directory, way.world, from);
    drive(way, machine, engine::Beginning::New { begun, plan: None })
}

/// Tells what has been done by another command than the file says now.
fn tell_outdated(
    before: &Assembly<'_>,
    now: &Assembly<'_>,
    machine: &NetMachine<'_>,
    address: &Address,
) {
    let run = |assembly: &Assembly<'_>, id: TransitionId| {
        let run = assembly.net_transition(id).action.run.clone();
        (assembly.transition_name(id), run)
    };
    let then: BTreeMap<_, _> = before.transition_ids().map(|id| run(before, id)).collect();
    let done = now.transition_ids().filter(|id| machine.has_done(*id)).map(|id| run(now, id));
    let outdated = done.filter(|(name, run)| then.get(name).is_some_and(|then| then != run));
    let outdated: Vec<String> = outdated.map(|(name, _)| format!("`{name}`")).collect();
    if !outdated.is_empty() {
        let down = address.command("down");
        output::notice(&format!(
            "done as it was described before, not as the file says now, and not done again: {}; \
             `{down}` and `up` do it anew",
            outdated.join(", ")
        ));
    }
}
