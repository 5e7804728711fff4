//! `windlass resume`: go on where a run was interrupted, crashed or failed.

use std::path::PathBuf;

use clap::Args;
use windlass_run::controller::resume_run::Verdicts;
use windlass_run::entry::{OrderId, Purpose};
use windlass_run::resume::Verdict;

use crate::args::Format;
use crate::commands::engine::{self, Afterwards, DriveArgs, Terminal, WhereArgs};
use crate::commands::up::outputs;
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
    in_doubt: Vec<(InDoubtArg, Verdict)>,

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
enum InDoubtArg {
    /// Every order in doubt that is not named.
    All,
    Order(OrderId),
}

fn verdict(text: &str) -> Result<(InDoubtArg, Verdict), String> {
    let (order, word) = text.split_once('=').ok_or("write ORDER=done or ORDER=again")?;
    let whose = match (order, order.parse()) {
        ("all", _) => InDoubtArg::All,
        (_, Ok(order)) => InDoubtArg::Order(OrderId(order)),
        _ => return Err(format!("`{order}` is neither the number of an order nor `all`")),
    };
    match word {
        "done" => Ok((whose, Verdict::Done)),
        "again" => Ok((whose, Verdict::Again)),
        other => Err(format!("`{other}` is neither `done` nor `again`")),
    }
}

/// What the operator says about actions in doubt, if it is not said both ways.
fn verdicts(said: &[(InDoubtArg, Verdict)]) -> Result<Verdicts, Failure> {
    let mut all = Verdicts::default();
    for (about, verdict) in said {
        let before = match about {
            InDoubtArg::All => all.others.replace(*verdict),
            InDoubtArg::Order(order) => all.named.insert(*order, *verdict),
        };
        if before.is_some_and(|before| before != *verdict) {
            let what = match about {
                InDoubtArg::All => "all".to_owned(),
                InDoubtArg::Order(order) => format!("order {}", order.0),
            };
            let message = format!("{what} is named both as done and as to be done again");
            return Err(Failure::usage(message).help("say one of the two"));
        }
    }
    Ok(all)
}

/// Goes on with the last run.
pub(crate) fn exec(args: &ResumeArgs) -> Result<u8, Failure> {
    let found = engine::existing(&args.place, &args.file)?;
    let verdicts = verdicts(&args.in_doubt)?;
    let terminal = Terminal::new(&found.address, args.format);
    let controller = engine::controller(&found, &args.drive, &terminal, false)?;
    let mut purpose = Purpose::Down;
    let resumed = controller.resumable_run().and_then(|last| {
        purpose = last.purpose;
        controller.resume(&last, &verdicts, Some(&args.file))
    });
    let (ended, after) = (terminal.conclude(resumed), Afterwards::Supervise);
    let code = engine::finish(controller, ended, &args.drive, &found.address, after)?;
    if purpose == Purpose::Up {
        outputs::tell_again(args.format, code, &found.deployment)?;
    }
    Ok(code)
}
