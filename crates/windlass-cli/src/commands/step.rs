//! `windlass step APP`: try actions one at a time and see what happens.
//!
//! One command a line on standard input. On a terminal there is a prompt; a script gets one answer
//! per line. A line that cannot be understood or carried out changes nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::application::{Application, GlobalState};
use windlass::lang::windlass as own;
use windlass::stepping::{Choice, Command, Done, Stepper};
use windlass::tree::emit;

use super::verify::places;
use crate::args::Format;
use crate::commands::verify::PolicyArg;
use crate::failure::Failure;
use crate::surroundings::{ComposeArgs, TemplateArgs};
use crate::{escape, exit_code, load, output, replace};

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

Where several providers or handlers are possible, the first one is taken and the others are told.

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
    bindings: Bindings,
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

/// By instance and requirement, which instances it is bound to.
type Bindings = BTreeMap<String, BTreeMap<String, Vec<String>>>;

fn bindings(application: &Application, state: &GlobalState) -> Bindings {
    let mut all = Bindings::new();
    let contained = state.vertical.iter().map(|(id, (requirement, home))| (id, requirement, home));
    let bound = state.horizontal.iter().map(|(id, requirement, to)| (id, requirement, to));
    for (id, requirement, to) in contained.chain(bound) {
        let Some(instance) = state.instance(id) else { continue };
        let component = application.type_of(instance.node);
        let Some(requirement) = component.requirements.get(requirement.index()) else { continue };
        let of_instance = all.entry(id.to_string()).or_default();
        of_instance.entry(requirement.name.clone()).or_default().push(to.to_string());
    }
    all
}

/// Reads commands until there are no more.
pub(crate) fn run(args: &StepArgs) -> Result<u8, Failure> {
    let application = load::application(&args.app, args.lang.as_deref())?.application;
    let start = match &args.state {
        Some(path) => load::state(path, &application)?,
        None => GlobalState::empty(),
    };
    let policy = args.policy.map_or(application.policy, Into::into);
    let mut stepper = Stepper::new(&application, start, policy).ok_or_else(|| {
        Failure::usage("only protocols with `faults: replicas` can be stepped through")
    })?;
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
        all_done &= answer(args, &application, &mut stepper, line)?;
    }
    Ok(if all_done { exit_code::GOOD } else { exit_code::FINDINGS })
}

/// Carries out one line and tells what came of it.
fn answer(
    args: &StepArgs,
    application: &Application,
    stepper: &mut Stepper<'_>,
    line: &str,
) -> Result<bool, Failure> {
    let outcome = match line.strip_prefix("save ") {
        Some(file) => save(application, stepper.state(), file.trim()),
        None => Command::parse(line).and_then(|command| stepper.perform(&command)),
    };
    let done = outcome.is_ok();
    let text = match args.format {
        Format::Json => escape::json_line(&report(application, stepper, line, &outcome))?,
        Format::Text => text(application, stepper, line, &outcome),
    };
    output::stdout(&text)?;
    Ok(done)
}

fn save(application: &Application, state: &GlobalState, file: &str) -> Result<Done, String> {
    let text = emit::yaml(&own::print_state(application, state));
    replace::write(Path::new(file), &text)
        .map_err(|error| format!("cannot write `{file}`: {error}"))?;
    Ok(Done { message: Some(format!("saved to {file}")), ..Done::default() })
}

fn report(
    application: &Application,
    stepper: &Stepper<'_>,
    line: &str,
    outcome: &Result<Done, String>,
) -> StepReport {
    let done = outcome.clone().unwrap_or_default();
    StepReport {
        schema: SCHEMA,
        command: line.to_owned(),
        done: outcome.is_ok(),
        message: outcome.as_ref().err().cloned().or(done.message),
        consequences: done.consequences,
        alternatives: done.alternatives,
        state: places(application, stepper.state()),
        bindings: bindings(application, stepper.state()),
        options: (line == "options").then(|| done.options.into_iter().map(Into::into).collect()),
    }
}

fn text(
    application: &Application,
    stepper: &Stepper<'_>,
    line: &str,
    outcome: &Result<Done, String>,
) -> String {
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
            let bindings = bindings(application, stepper.state());
            for (id, place) in places(application, stepper.state()) {
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
