//! `windlass resume`: go on where a run was interrupted, crashed or failed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use windlass::application::assembly::Assembly;
use windlass::simulate::Scenario;
use windlass_run::deployment::{Deployment, Lock};
use windlass_run::entry::{Ending, OrderId, Purpose};
use windlass_run::resume::Verdict;

use crate::args::Format;
use crate::commands::engine::{
    self, Address, Beginning, Drive, DriveArgs, Past, WhereArgs, WorldArg, containers, drive,
};
use crate::commands::up::outputs;
use crate::exit_code;
use crate::failure::Failure;

/// What `windlass resume` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
The journal says what was decided, the world says what became of it. An action that was under way is
waited for if it still runs; if it is unknown how it ended, what it declares decides: `idempotent` is
done again, one with a `check` is asked, and about `at_most_once` the operator is asked.

Exit codes: 0 the goal is reached, 2 usage or a journal that cannot be read, 4 an action failed or is
in doubt, or a host does not answer, 130 interrupted.

Examples:
  windlass resume
  windlass resume --in-doubt 17=done --in-doubt 18=again
  windlass resume --in-doubt all=done")]
pub(crate) struct ResumeArgs {
    /// The application, to find its deployment
    #[arg(value_name = "FILE", default_value = "windlass.yaml")]
    file: PathBuf,

    /// What became of an action in doubt: `done`, or `again` when it did not happen; `all` is every
    /// order that is not named
    #[arg(long, value_name = "ORDER=done|again", value_parser = verdict)]
    in_doubt: Vec<(Whose, Verdict)>,

    #[command(flatten)]
    place: WhereArgs,

    #[command(flatten)]
    drive: DriveArgs,

    /// How events are written: lines, or JSON with one event a line
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// What the operator says something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Every order in doubt that is not named.
    All,
    Order(OrderId),
}

fn verdict(text: &str) -> Result<(Whose, Verdict), String> {
    let (order, word) = text.split_once('=').ok_or("write ORDER=done or ORDER=again")?;
    let whose = match (order, order.parse()) {
        ("all", _) => Whose::All,
        (_, Ok(order)) => Whose::Order(OrderId(order)),
        _ => return Err(format!("`{order}` is neither the number of an order nor `all`")),
    };
    match word {
        "done" => Ok((whose, Verdict::Done)),
        "again" => Ok((whose, Verdict::Again)),
        other => Err(format!("`{other}` is neither `done` nor `again`")),
    }
}

/// What the operator says about each of the orders that are under way.
fn verdicts(
    said: &[(Whose, Verdict)],
    under_way: impl Iterator<Item = OrderId>,
    address: &Address,
) -> Result<BTreeMap<OrderId, Verdict>, Failure> {
    let (mut all, mut each) = (None, BTreeMap::new());
    for (whose, verdict) in said {
        let before = match whose {
            Whose::All => all.replace(*verdict),
            Whose::Order(order) => each.insert(*order, *verdict),
        };
        if before.is_some_and(|before| before != *verdict) {
            let whose = match whose {
                Whose::All => "all".to_owned(),
                Whose::Order(order) => format!("order {}", order.0),
            };
            let message = format!("{whose} is named both as done and as to be done again");
            return Err(Failure::usage(message).help("say one of the two"));
        }
    }
    let mut known = BTreeMap::new();
    for order in under_way {
        known.extend(each.remove(&order).or(all).map(|verdict| (order, verdict)));
    }
    match each.first_key_value() {
        Some((order, _)) => Err(Failure::usage(format!("order {} is not in doubt", order.0))
            .help(format!("`{}` names those that are", address.command("resume")))),
        None => Ok(known),
    }
}

/// The world that a journal names.
pub(crate) fn world_of(word: &str) -> Result<WorldArg, Failure> {
    [WorldArg::Process, WorldArg::Docker, WorldArg::Ssh, WorldArg::Simulated]
        .into_iter()
        .find(|world| world.as_str() == word)
        .ok_or_else(|| Failure::usage(format!("there is no world `{word}`")))
}

/// Goes on with the last run.
pub(crate) fn run(args: &ResumeArgs) -> Result<u8, Failure> {
    let (deployment, name) = engine::existing(&args.place, &args.file)?;
    let address = Address::new(&args.place, &args.file, &name);
    let (lock, gave_way) = engine::lock(&deployment, &name)?;
    let ended = go_on(args, (&deployment, &name, &address), lock);
    engine::unless_refused(ended, gave_way.as_ref(), (&deployment, &address))
}

/// Continues the last run of a deployment that no other engine drives.
fn go_on(
    args: &ResumeArgs,
    (deployment, name, address): (&Deployment, &str, &Address),
    lock: Lock,
) -> Result<u8, Failure> {
    let past = Past::read(deployment)?.ok_or_else(|| engine::never_up(name, address))?;
    let world = world_of(&past.world)?;
    if world == WorldArg::Simulated {
        return Err(Failure::usage("a simulated world ends with the command that made it")
            .help("`windlass up --world simulated` begins another one"));
    }
    if let Some((Ending::RolledBack, why)) = past.end.as_ref().filter(|_| past.is_over()) {
        let message = format!("the run failed and was rolled back: {}", why.join("; "));
        return Err(Failure::usage(message)
            .help(format!("there is nothing to continue; `{}` starts again", address.up()))
            .ending(exit_code::EXECUTION));
    }
    let verdicts = verdicts(&args.in_doubt, past.under_way().into_keys(), address)?;
    let secrets = engine::secrets(args.drive.secrets.as_deref())?;
    if past.purpose == Purpose::Up {
        engine::needs::met(&past.application, &secrets, Some(&args.file), world)?;
    }
    let way = Drive {
        args: &args.drive,
        format: args.format,
        deployment,
        name,
        address,
        world,
        directory: PathBuf::from(&past.directory),
        secrets,
        stay: !args.drive.detach && past.purpose == Purpose::Up,
    };
    let again = Beginning::Again { run: past.run, records: past.records.clone(), verdicts };
    let code = if past.application.is_net() {
        let assembly =
            Assembly::new(&past.application).map_err(|why| Failure::usage(why.to_string()))?;
        let scenario = Scenario::default();
        drive(&way, past.net(&assembly, &scenario)?, again)?
    } else {
        let mut machine = engine::machine(&past.application, &past.start, past.goal.clone())?;
        machine.arrange(containers::arrangement(deployment));
        drive(&way, machine, again)?
    };
    drop(lock);
    if past.purpose == Purpose::Up {
        outputs::tell_again(args.format, code, deployment)?;
    }
    engine::leave_supervisor(&args.drive, deployment, name, code)
}
