//! Actions of which it is unknown whether they happened: what the operator is told and asked.

use std::collections::BTreeMap;

use windlass_run::entry::OrderId;
use windlass_run::resume::{InDoubt, Verdict};

use super::Address;
use crate::args::Format;
use crate::exit_code;
use crate::failure::Failure;

/// With more actions in doubt than this, the hint does not name each.
const MANY: usize = 4;
/// Of how many actions each has a line of its own.
const MOST: usize = 20;
const ALL_DONE: &str = "--in-doubt all=done";

/// What is in doubt, and what the operator can say about it, with what has been said already.
/// Programs get the whole list.
pub(super) fn failure(
    doubts: &[InDoubt],
    verdicts: &BTreeMap<OrderId, Verdict>,
    address: &Address,
    format: Format,
) -> Failure {
    let order = |doubt: &InDoubt| format!("`{}` (order {})", doubt.label, doubt.order.0);
    let message = "it is unknown whether this happened, and it must not happen twice";
    let failure = match doubts {
        [only] => Failure::usage(format!("{message}: {}", order(only))),
        several => {
            let most = if format == Format::Json { several.len() } else { MOST };
            let mut list: Vec<String> = several.iter().take(most).map(order).collect();
            let more = several.len().saturating_sub(most);
            list.extend((more > 0).then(|| format!("and {more} more")));
            Failure::usage(format!("{message}:")).list(list)
        }
    };
    failure.help(help(doubts, verdicts, address)).ending(exit_code::EXECUTION)
}

fn help(doubts: &[InDoubt], verdicts: &BTreeMap<OrderId, Verdict>, address: &Address) -> String {
    let said = verdicts.iter().map(|(order, verdict)| match verdict {
        Verdict::Done => format!("--in-doubt {}=done", order.0),
        Verdict::Again => format!("--in-doubt {}=again", order.0),
    });
    let unsaid = doubts.iter().map(|doubt| format!("--in-doubt {}=done", doubt.order.0));
    let is_long = doubts.len() > MANY;
    let unsaid = unsaid.filter(|_| !is_long).chain(is_long.then(|| ALL_DONE.to_owned()));
    let answers: Vec<String> = said.chain(unsaid).collect();
    let together = if answers.len() > 1 { ", all in one command" } else { "" };
    let otherwise = if is_long {
        "and `--in-doubt ORDER=again` for each that did not happen"
    } else {
        "with `again` in place of `done` for what did not happen"
    };
    format!(
        "look, then say `{} {}`, {otherwise}{together}",
        address.command("resume"),
        answers.join(" ")
    )
}
