//! `windlass step APP`: try actions one at a time and see what happens.
//!
//! One command a line on standard input. On a terminal there is a prompt; a script gets one answer
//! per line. A line that cannot be understood or carried out changes nothing.

mod replicas;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::application::assembly::Assembly;
use windlass::application::{Application, GlobalState};
use windlass::lang::windlass as own;
use windlass::semantics::{self, AnySystem, Setting};
use windlass::step::{Bound, Choice, Done, Nets, Single, Stepper, Walk};
use windlass::tree::emit;

use crate::args::Format;
use crate::commands::verify::PolicyArg;
use crate::failure::Failure;
use crate::load::Loader;
use crate::read_options::{ComposeArgs, TemplateArgs};
use crate::{escape, exit_code, output, replace};

/// What `windlass step` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Commands, one a line:
  start INSTANCE OPERATION             start an operation
  end INSTANCE                         end the operation under way
  scale-out NODE ID [in CONTAINER]     create an instance
  scale-in ID                          destroy an instance and what it contains
  crash ID                             let the process of an instance die
  undo                                 take the last change back
  show                                 show the state and who is bound to whom
  options                              list what can be done, and why the rest cannot
  save FILE                            write the state to a file for --state
  quit                                 end

Where every node is one instance (`faults: forbidden` or `handled`), operations are atomic: there is
no `end`, `handle NODE REQUIREMENT` handles a fault, and with --hard-recovery `reset NODE` resets
what lives in a dead container. In an assembly of nets the lines are `start`, `end`, `fail`,
`time-out`, `cancel`, `retry`, `skip` and `compensate` with COMPONENT TRANSITION; places are entered
and ports provided by themselves.

Where several providers or handlers are possible, the first one is taken and the others are listed.

Exit codes: 0 every line was carried out, 1 a line was not, 2 a file that cannot be read.

Examples:
  windlass step windlass.yaml --state running.state.yaml
  printf 'start g1 stop\\nend g1\\n' | windlass step app.json --state running.json")]
pub(crate) struct StepArgs {
    /// The application
    #[arg(value_name = "APP")]
    pub(crate) app: PathBuf,

    /// Where to begin; without it nothing exists yet
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<PathBuf>,

    /// Which provider is bound when several offer, instead of what the application says
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(crate) policy: Option<PolicyArg>,

    /// Reset what lives in a dead container, where every node is one instance (BARREL)
    #[arg(long)]
    pub(crate) hard_recovery: bool,

    /// How answers are written; JSON is one object a line
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// The language of the application; without it the file tells
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) template: TemplateArgs,
}

const SCHEMA: &str = "windlass/step/1";

/// The answer to one line of `windlass step --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/step/1", deny_unknown_fields)]
pub(crate) struct StepReport {
    /// Always `windlass/step/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The line.
    command: String,
    /// Whether it was carried out.
    done: bool,
    /// Why not, and what would have helped; or what there is to say.
    message: Option<String>,
    /// What happened by itself: faults, switches of provider, destruction.
    consequences: Vec<String>,
    /// How many other outcomes the action could have had.
    alternatives: usize,
    /// Where every instance is now.
    state: BTreeMap<String, String>,
    /// By instance and requirement, which instances it is bound to now.
    bindings: Bound,
    /// What can be done next, when `options` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<StepOption>>,
}

/// One command that makes sense next.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct StepOption {
    /// The line to write.
    command: String,
    /// Why it is not possible; null when it is.
    blocked: Option<String>,
    /// What would happen by itself.
    consequences: Vec<String>,
}

impl From<Choice> for StepOption {
    fn from(choice: Choice) -> Self {
        let Choice { command, blocked, consequences } = choice;
        StepOption { command, blocked, consequences }
    }
}

/// Reads commands until there are no more.
pub(crate) fn run(args: &StepArgs, loader: &Loader) -> Result<u8, Failure> {
    let application = loader.application(&args.app, args.lang.as_deref())?.application;
    let start = match &args.state {
        Some(path) => loader.state(path, &application)?,
        None => GlobalState::empty(),
    };
    let policy = args.policy.map(Into::into);
    let setting = Setting { start, policy, hard_recovery: args.hard_recovery };
    match semantics::system_of(&application, setting) {
        AnySystem::Nets => {
            let assembly =
                Assembly::new(&application).map_err(|why| Failure::usage(why.to_string()))?;
            converse(args, &application, &mut Nets::new(&assembly))
        }
        AnySystem::Replicas(replica) => {
            let mut walk = replicas::Replicas::new(&application, Stepper::new(replica));
            converse(args, &application, &mut walk)
        }
        AnySystem::Template(template) => converse(args, &application, &mut Single::new(template)),
    }
}

/// Reads lines until there are no more.
fn converse(
    args: &StepArgs,
    application: &Application,
    walk: &mut dyn Walk,
) -> Result<u8, Failure> {
    let mut all_done = true;
    let prompt = std::io::stdin().is_terminal();
    let mut lines = std::io::stdin().lock().lines();
    loop {
        if prompt {
            output::stderr("> ");
        }
        let Some(line) = lines.next() else { break };
        let line = line.map_err(|error| Failure::file("read", Path::new("-"), &error))?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "quit" {
            break;
        }
        all_done &= answer(args, application, walk, line)?;
    }
    Ok(if all_done { exit_code::GOOD } else { exit_code::FINDINGS })
}

/// Carries out one line and tells what came of it.
fn answer(
    args: &StepArgs,
    application: &Application,
    walk: &mut dyn Walk,
    line: &str,
) -> Result<bool, Failure> {
    let outcome = match line.strip_prefix("save ") {
        Some(file) => save(application, walk.state().as_ref(), file.trim()),
        None => walk.perform(line).map_err(|why| why.to_string()),
    };
    let done = outcome.is_ok();
    let text = match args.format {
        Format::Json => escape::json_line(&report(walk, line, &outcome))?,
        Format::Text => text(walk, line, &outcome),
    };
    output::stdout(&text)?;
    Ok(done)
}

fn save(
    application: &Application,
    state: Option<&GlobalState>,
    file: &str,
) -> Result<Done, String> {
    let Some(state) = state else {
        return Err("there are no files for the tokens of nets".to_owned());
    };
    let text = emit::yaml(&own::print_state(application, state));
    replace::write(Path::new(file), &text)
        .map_err(|error| format!("cannot write `{file}`: {error}"))?;
    Ok(Done { message: Some(format!("saved to {file}")), ..Done::default() })
}

fn report(walk: &dyn Walk, line: &str, outcome: &Result<Done, String>) -> StepReport {
    let done = outcome.clone().unwrap_or_default();
    StepReport {
        schema: SCHEMA,
        command: line.to_owned(),
        done: outcome.is_ok(),
        message: outcome.as_ref().err().cloned().or(done.message),
        consequences: done.consequences,
        alternatives: done.alternatives,
        state: walk.places(),
        bindings: walk.bindings(),
        options: (line == "options").then(|| done.options.into_iter().map(Into::into).collect()),
    }
}

fn text(walk: &dyn Walk, line: &str, outcome: &Result<Done, String>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    match outcome {
        Err(reason) => {
            let _ = writeln!(out, "{line}: not possible: {reason}");
        }
        Ok(done) => {
            let _ = writeln!(out, "{line}: {}", done.message.as_deref().unwrap_or("done"));
            for consequence in &done.consequences {
                let _ = writeln!(out, "  ! {consequence}");
            }
            if done.alternatives > 0 {
                let _ = writeln!(out, "  ({} other outcomes are possible)", done.alternatives);
            }
            for option in &done.options {
                let _ = match &option.blocked {
                    None => writeln!(out, "  {}", option.command),
                    Some(reason) => writeln!(out, "  ({}: {reason})", option.command),
                };
            }
            if line == "options" || line != "show" && done.message.is_some() {
                return escape::visible_lines(&out);
            }
            let bindings = walk.bindings();
            for (id, place) in walk.places() {
                let _ = write!(out, "  {id}: {place}");
                if let Some(bound) = bindings.get(&id).filter(|_| line == "show") {
                    let bound = bound.iter().map(|(name, to)| format!("{name}: {}", to.join(", ")));
                    let _ = write!(out, " ({})", bound.collect::<Vec<_>>().join("; "));
                }
                out.push('\n');
            }
        }
    }
    escape::visible_lines(&out)
}
