//! What keeps a deployment from going on, with what the operator can do about it and the exit code.

use std::io::ErrorKind;

use windlass::spelling;
use windlass_run::controller::error::{Error, NoSuch};
use windlass_run::controller::journal_error::Stage;
use windlass_run::controller::stop_net::STOP;
use windlass_run::world::docker::engine::EngineError;

use super::{Address, doubt};
use crate::args::Format;
use crate::exit_code::{EXECUTION, FINDINGS};
use crate::failure::Failure;

/// The failure of a command that is about the deployment at `address`.
pub(crate) fn failure(why: Error, address: &Address, format: Format) -> Failure {
    match why {
        Error::File { verb, path, error } => Failure::file(verb, &path, &error),
        Error::SshConfig { path, error } => {
            Failure::file("read", &path, &error).help("--ssh-config names a file of ssh's own form")
        }
        Error::Folder { path, exists, error } => {
            let verb = if exists { "write to" } else { "make" };
            unusable_folder(Failure::file(verb, &path, &error), exists, error.kind())
        }
        Error::PlanMisfit(misfits) => {
            let Some((last, others)) = misfits.split_last() else {
                return Failure::usage(Error::ForeignPlan.to_string());
            };
            for misfit in others {
                Failure::usage(misfit.message.as_str()).print();
            }
            let failure = Failure::usage(last.message.as_str());
            last.help.iter().fold(failure, Failure::help)
        }
        Error::InDoubt { doubts, verdicts } => doubt::failure(&doubts, &verdicts, address, format),
        why => {
            let failure = Failure::usage(why.to_string()).ending(exit_code(&why));
            match help(&why, address) {
                Some(help) => failure.help(help),
                None => failure,
            }
        }
    }
}

/// The folder of a deployment cannot be made, or it is there and nothing can be written to it.
fn unusable_folder(failure: Failure, exists: bool, kind: ErrorKind) -> Failure {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => failure,
        _ if exists => failure.help(
            "nothing was done, and what runs goes on; try again when you can write there. \
             `windlass status`, `history` and `logs` only read",
        ),
        _ => failure.help("name a folder with `--state-dir` in which you can make others"),
    }
}

fn exit_code(why: &Error) -> u8 {
    match why {
        Error::NoPlan(_)
        | Error::InvalidPlan(_)
        | Error::MissesGoal { .. }
        | Error::Stuck(_)
        | Error::NoWayBack(_)
        | Error::NotStoppable(_)
        | Error::Needed { .. }
        | Error::OnlyOne { .. }
        | Error::Partnered { .. }
        | Error::NoRestart { .. }
        | Error::Conflicts(_)
        | Error::NoHealthCheck(_)
        | Error::NothingToAdopt { .. } => FINDINGS,
        Error::JournalWrite { .. }
        | Error::RolledBack(_)
        | Error::Silent(_)
        | Error::HostSilent(_)
        | Error::Docker(_)
        | Error::Container { .. }
        | Error::Images(_) => EXECUTION,
        _ => crate::exit_code::USAGE,
    }
}

/// What the operator can do about it, by the commands that find the same deployment.
fn help(why: &Error, address: &Address) -> Option<String> {
    let (up, down) = (|| address.up(), || address.command("down"));
    let resume = || address.command("resume");
    Some(match why {
        Error::JournalWrite { access, stage } => match (stage, access.is_full) {
            (Stage::New, true) => "nothing was done; make room there, then try again".to_owned(),
            (Stage::New, false) => "nothing was done; try again when the cause is gone".to_owned(),
            (Stage::Begun, true) => {
                format!("what runs goes on; make room there, then `{}` takes over", resume())
            }
            (Stage::Begun, false) => {
                format!("what runs goes on; `{}` takes over when the cause is gone", resume())
            }
        },
        Error::NeverUp { .. } | Error::IsDown { .. } => format!("`{}` brings it up", up()),
        Error::NoGoal { .. } => format!("`{}` gives it one", up()),
        Error::NotEnded { another_follows: true, .. } => {
            format!("`{} --detach` ends it", resume())
        }
        Error::NotEnded { .. } => format!("`{}` continues it", resume()),
        Error::RolledBack(_) => {
            format!("there is nothing to continue; `{}` starts again", up())
        }
        Error::Silent(_) => format!("when it answers again, `{}` goes on", resume()),
        Error::NotInDoubt(_) => format!("`{}` names those that are", resume()),
        Error::NoWayBack(_) => format!(
            "say it with `compensate`, or give the nets a behavior `{STOP}`; `{}` takes the \
             changed file over",
            up()
        ),
        Error::NotStoppable(_) => format!("`{}` brings it on first", up()),
        Error::HalfWayBack { .. } => format!(
            "`{}` goes on with it; `{}` does so by the file as it is now, then `up` starts again",
            resume(),
            down()
        ),
        Error::NetMisfit { .. } => format!(
            "`{}` takes it down as it was described; or choose another name with --name",
            down()
        ),
        Error::MissingSecrets(all) => {
            let first = all.first().map_or("", |it| it.name.as_str());
            format!(
                "put it into a file `{first}` of the folder that `--secrets` names, or into the \
                 variable `WINDLASS_SECRET_{first}`; nothing was done"
            )
        }
        Error::NoSuch { what, name, known } => {
            let what = match what {
                NoSuch::Node => "node",
                NoSuch::Service => "service",
                NoSuch::Part => "instances and node",
            };
            advice(what, name, known)
        }
        Error::NoService { name, known } => advice("service", name, known),
        Error::Needed { by, .. } => {
            let too: Vec<String> = by.iter().map(|other| format!("{other}=0")).collect();
            format!("say `{}` too", too.join(" "))
        }
        Error::NoRestart { why, .. } => why.as_ref().map(ToString::to_string).unwrap_or_default(),
        Error::OtherProject { other, .. } => {
            format!("say `--project-name {other}`, or choose another deployment with --name")
        }
        why => return standing_help(why).map(str::to_owned),
    })
}

fn advice(what: &str, name: &str, known: &[String]) -> String {
    spelling::advice(what, name, known.iter().map(String::as_str), 0).unwrap_or_default()
}

/// Help that is the same for every deployment.
fn standing_help(why: &Error) -> Option<&'static str> {
    Some(match why {
        Error::Locked { .. } => {
            "`windlass status` says where it is; end the other one with Ctrl-C first"
        }
        Error::Damaged(_) => {
            "nothing was done; `windlass history --format json` shows what can still be read. Put \
             back a copy of the folder of the deployment, or move it away: what runs stays as it is"
        }
        Error::JournalRead(access) if access.is_full => {
            "nothing was done; the disk is full: make room there, then try again"
        }
        Error::JournalRead(_) => {
            "nothing was done; put back a copy of the folder of the deployment, or move it away: \
             what runs stays as it is"
        }
        Error::OtherWorld { .. } | Error::OfNets => "choose another with --name",
        Error::StateMisfit(_) => "take it down with `windlass down` first",
        Error::NoUpState { .. } => "say it with `windlass up --goal`, or declare `up:`",
        Error::StalePlan => "make a new one with `windlass plan`, or let `windlass up` make it",
        Error::InvalidPlan(_) => "`windlass verify` says why",
        Error::MissesGoal { .. } => "say with --goal what holds at its end, or leave --plan out",
        Error::NetWithGoal => "leave out `--goal` and `--plan`",
        Error::Stuck(_) => "`windlass prove` shows how; nothing was executed",
        Error::NothingUndoes(_) => {
            "say it with `compensate`, or leave out `--on-failure roll-back`"
        }
        Error::NeedsContainers { .. } => {
            "say `--world docker`, with a Docker engine; nothing was done"
        }
        Error::Simulated => "`windlass up --world simulated` begins another one",
        Error::NotConfirmed(question) if question.is_about_actions() => {
            "look at the actions with --dry-run, then say --yes; nothing was done"
        }
        Error::NotConfirmed(_) => "say --yes if that is wanted",
        Error::OneInstance(_) => "`faults: replicas` has more",
        Error::OnlyOne { .. } => "take that out of the file, and bring it up again first",
        Error::Partnered { .. } => {
            "change `count` in the file, of the partners too, and run `windlass up`"
        }
        Error::NoHealthCheck(_) => {
            "give it a `healthcheck`, or wait with `condition: service_started`"
        }
        Error::Docker(EngineError::Unreachable(_)) => {
            "is a Docker engine running? `DOCKER_HOST` says where"
        }
        _ => return None,
    })
}
