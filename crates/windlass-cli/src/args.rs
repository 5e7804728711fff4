//! The command line, as clap sees it.
//!
//! A command, flag or value that does nothing yet is not here: `--help` tells the truth.

use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::analyze::AnalyzeArgs;
use crate::commands::down::DownArgs;
use crate::commands::history::HistoryArgs;
use crate::commands::logs::LogsArgs;
use crate::commands::plan::PlanArgs;
use crate::commands::prove::ProveArgs;
use crate::commands::restart::RestartArgs;
use crate::commands::resume::ResumeArgs;
use crate::commands::scale::ScaleArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::simulate::SimulateArgs;
use crate::commands::status::StatusArgs;
use crate::commands::step::StepArgs;
use crate::commands::up::UpArgs;
use crate::commands::verify::VerifyArgs;
use crate::read_options::{ComposeArgs, TemplateArgs};

/// Checks descriptions and plans of cloud applications before anything runs, then runs them.
#[derive(Debug, Parser)]
#[command(
    name = "windlass",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    after_help = "\
Exit codes: 0 good, 1 findings or a verdict of no, 2 usage or unreadable file, 3 unknown (a limit
was reached), 4 execution failed or left in doubt, 70 internal error, 130 interrupted run.

Examples:
  windlass check windlass.yaml      check one description
  windlass check .                  check every description below this folder
  windlass verify plan.yaml --app windlass.yaml
                                    is this plan valid in every order?
  windlass plan windlass.yaml --goal 'gui=working*1'
                                    find a plan that gets there
  windlass explain YAML001          say what a finding means and what to do about it
  windlass show windlass.yaml       draw the application"
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// One variant per command, in the order of `--help`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report every mistake in descriptions, each at its line
    Check(CheckArgs),
    /// Say what a code of a finding means
    Explain(ExplainArgs),
    /// Draw the topology and the life cycles of an application, or a plan
    Show(ShowArgs),
    /// Judge a plan: is it valid in every order, and in spite of every fault?
    Verify(VerifyArgs),
    /// Find a plan from one state to another: shortest, fastest or cheapest
    Plan(PlanArgs),
    /// Try actions one at a time
    Step(StepArgs),
    /// Explore everything that can happen, and count
    Analyze(AnalyzeArgs),
    /// Prove that bringing it up always completes, or show how it gets stuck
    Prove(ProveArgs),
    /// Bring something up in virtual time: how long, and why
    Simulate(SimulateArgs),
    /// Bring an application up, and look after it
    Up(UpArgs),
    /// Change how many instances of a node are up
    Scale(ScaleArgs),
    /// Stop a part of what is up and start it again, with what relies on it
    Restart(RestartArgs),
    /// Take an application down
    Down(DownArgs),
    /// Say where a deployment stands, and whether the world agrees
    Status(StatusArgs),
    /// Go on where a run was interrupted, crashed or failed
    Resume(ResumeArgs),
    /// Show what was decided and what became of it
    History(HistoryArgs),
    /// Show what commands and processes wrote
    Logs(LogsArgs),
    /// Look, edit, try and watch in the browser
    Serve(ServeArgs),
    /// Write a description in another language
    Convert(ConvertArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

/// What `windlass check` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A folder is walked for files that end in .yaml, .yml, .json, .template, .tosca, .plan, .csar, .zip,
.tar, .tar.gz and .tgz. Hidden files and files that .gitignore names are left out, and so is every
file in no known language; files in a language that is recognized and not read yet (dialects of TOSCA)
are named on standard error. windlass.toml, looked for beside each file and in the folders above,
excludes files and selects codes and severities. A comment `# windlass: ignore[CODE] reason`
suppresses a finding on
its line or on the next.

Exit codes: 0 no error (with --strict: no warning either), 1 findings, 2 a file that is missing,
unreadable or in no language that is read, or nothing to check at all.

Examples:
  windlass check windlass.yaml
  cat windlass.yaml | windlass check -
  windlass check . --format sarif > windlass.sarif
  windlass check . --write-baseline old.json    accept what is there now
  windlass check . --baseline old.json          report only what is new
  windlass check windlass.yaml --fix --watch")]
pub(crate) struct CheckArgs {
    /// Files, archives (CSAR, zip, tar), folders, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Let warnings fail too
    #[arg(long)]
    pub(crate) strict: bool,

    /// Leave out the findings that FILE lists
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// List the findings of now in FILE, for --baseline, and report none of them
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// Apply the fixes that are safe, then report what is left
    ///
    /// A file is replaced as a whole or not at all. With `-` the fixed text goes to standard
    /// output and the report to standard error.
    #[arg(long)]
    pub(crate) fix: bool,

    /// Check again whenever one of the files changes; Ctrl-C ends it
    #[arg(long, conflicts_with = "write_baseline")]
    pub(crate) watch: bool,

    /// How findings are written
    #[arg(long, value_enum, default_value_t = CheckFormat::Text, value_name = "FORMAT")]
    pub(crate) format: CheckFormat,

    /// The language of the files; without it each file tells
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) hot: HotArgs,

    /// HOT: what would an update from the template OLD change?
    #[arg(long, value_name = "OLD", help_heading = "OpenStack Heat")]
    pub(crate) against: Option<PathBuf>,
}

/// What is given beside a template of OpenStack Heat.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct HotArgs {
    #[command(flatten)]
    pub(crate) template: TemplateArgs,

    /// HOT: the release of OpenStack that templates must work with, e.g. queens
    #[arg(long, value_name = "NAME", help_heading = "OpenStack Heat")]
    pub(crate) release: Option<String>,

    /// HOT: what exists in the cloud already, as YAML: NAME: { type: TYPE }
    #[arg(long, value_name = "FILE", help_heading = "OpenStack Heat")]
    pub(crate) inventory: Option<PathBuf>,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people, with the lines of the file
    Text,
    /// For programs: windlass/check/1
    Json,
    /// For code scanning: SARIF 2.1.0
    Sarif,
    /// For workflows: annotations on the lines of a pull request
    Github,
}

/// How anything else is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// What `windlass explain` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  windlass explain YAML001
  windlass explain --list
  windlass explain --list --format json")]
pub(crate) struct ExplainArgs {
    /// The code of a finding, such as YAML001
    #[arg(required_unless_present = "list", conflicts_with = "list", value_name = "CODE")]
    pub(crate) code: Option<String>,

    /// List every code
    #[arg(long)]
    pub(crate) list: bool,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(crate) format: Format,
}

/// What `windlass show` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A description with findings of rules is drawn all the same: `windlass check` tells them.

Exit codes: 0 drawn, 1 the description cannot be understood, 2 a file that is missing, unreadable, in
no known language or neither an application nor a plan, or a type that does not exist.

Examples:
  windlass show windlass.yaml
  windlass show windlass.yaml --as svg --what all -o picture.svg
  windlass show windlass.yaml --as mermaid --what database
  windlass show windlass.yaml --as dot | dot -Tpng > picture.png")]
pub(crate) struct ShowArgs {
    /// The application or the plan, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The format of the picture
    #[arg(long = "as", value_enum, default_value_t = Picture::Text, value_name = "PICTURE")]
    pub(crate) picture: Picture,

    /// What is drawn: `topology`, `lifecycles`, `all`, or the life cycle of the type with this name
    #[arg(long, default_value = "topology", value_name = "WHAT")]
    pub(crate) what: String,

    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// The language of the file; without it the file tells
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) template: TemplateArgs,
}

/// A format of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Picture {
    /// For browsers and documents
    Svg,
    /// For Graphviz
    Dot,
    /// For Markdown
    Mermaid,
    /// For the terminal
    Text,
}

/// What `windlass convert` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
What the other language has no words for is refused when the meaning depends on it, else it is left
out and named on standard error.

Exit codes: 0 converted, 1 the description has errors, 2 a file that is missing, unreadable, in no
known language, or something that the other language cannot say.

Examples:
  windlass convert windlass.yaml --to json
  windlass convert thinking.json --to windlass -o windlass.yaml
  windlass convert state.yaml --app windlass.yaml --to ramp
  windlass convert old.csar --to windlass -o windlass.yaml
  windlass convert windlass.yaml --to barrel --base old.csar -o new.csar")]
pub(crate) struct ConvertArgs {
    /// An application, a plan or a state, in any language; `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The language to write
    #[arg(long, value_name = "LANG", value_parser = TargetParser)]
    pub(crate) to: Target,

    /// The application that a state is of
    #[arg(long, value_name = "APP")]
    pub(crate) app: Option<PathBuf>,

    /// With `--to barrel`: the CSAR whose protocols are replaced; its other files stay
    #[arg(long, value_name = "CSAR")]
    pub(crate) base: Option<PathBuf>,

    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// The language of the file; without it the file tells
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) template: TemplateArgs,
}

/// A language that descriptions are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Target {
    /// Our own, as YAML
    Windlass,
    /// Our own, as JSON
    Json,
    /// The JSON of RAMP
    Ramp,
    /// TOSCA 1.0 with management protocols in a CSAR, for BARREL
    Barrel,
    /// A plan of TosKer: `.csv` when OUT ends so
    Tosker,
    /// A plan as an imperative workflow of TOSCA 1.3; the workflows that weaving rules make of a
    /// TOSCA service; a configuration of OCCI as a service
    Tosca,
    /// A TOSCA service as resources and links of OCCI: JSON, or text when OUT ends in `.txt`
    Occi,
    /// An assembly of nets as one place/transition net in PNML
    Pnml,
    /// A Compose project or a template as Alloy text, on top of the paper's modules
    Alloy,
}

/// Reads a [`Target`]; who asks for a picture learns where pictures are.
#[derive(Debug, Clone)]
struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = Target;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Target, clap::Error> {
        if let Some(form @ ("dot" | "svg" | "mermaid")) = value.to_str() {
            let message = format!(
                "`{form}` is a picture and no language: `windlass show FILE --as {form}` draws it\n"
            );
            return Err(clap::Error::raw(clap::error::ErrorKind::InvalidValue, message));
        }
        EnumValueParser::<Target>::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let all: Vec<_> =
            Target::value_variants().iter().filter_map(Target::to_possible_value).collect();
        Some(Box::new(all.into_iter()))
    }
}

/// What `windlass completions` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  windlass completions bash > ~/.local/share/bash-completion/completions/windlass
  windlass completions fish > ~/.config/fish/completions/windlass.fish
  windlass completions zsh > ~/.zfunc/_windlass")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// What `windlass man` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  windlass man | man -l -                              read it now
  windlass man --dir ~/.local/share/man/man1           one page for each command")]
pub(crate) struct ManArgs {
    /// Write one page for each command into DIR instead of one page to standard output
    ///
    /// DIR is made when it is not there, with the folders above it.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n  windlass "), "{}", command.get_name());
        }
    }
}
